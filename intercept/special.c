/* intercept/special.c - programs whose grammar tables cannot say */
#include "intercept/special.h"

#include <ctype.h>
#include <string.h>

#include "intercept/cmdexe.h"
#include "intercept/pwsh.h"
#include <strings.h>

#include "intercept/environ.h"
#include "intercept/stream.h"
#include "intercept/tasks.h"
#include "intercept/verbs.h"

static const char *exact(const struct word *w)
{
	return w && w->kind == WORD_EXACT ? w->text : "";
}

static const struct word *keep(struct effects *fx, struct word w)
{
	struct word *copy = arena_alloc(fx->mem, sizeof(*copy));

	if (copy)
		*copy = w;
	return copy;
}

/* ---- NAME=value words before a command: env, sudo, doas --------------------------------------- */

/* env takes any word with a '=' for one, whatever the shell would say of the name. */
static bool is_assignment(const char *text)
{
	return strchr(text, '=') && *text != '=';
}

/* All of it on the screen is a question; into a filter it is not, until it is sent (check_leak()). */
static void show_environment(struct effects *fx, const struct simple *s)
{
	effects_plain(fx, s, EFFECT_SECRET, "shows the environment")->scope = (s->flags & SIMPLE_PIPE_OUT) ? "piped" : NULL;
	effects_mark(fx, s, SEEN_SECRET);
}

static int env_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	size_t i = 0;

	if (effects_tables(fx, a) < 0)
		return -1;
	if (args_has(a, "S"))
		return 0;
	while (i < a->noperand && is_assignment(exact(a->operand[i])))
		i++;
	if (i) {	/* as the shell would have set them */
		struct assign *assign = arena_alloc(fx->mem, i * sizeof(*assign));
		struct simple *in = arena_alloc(fx->mem, sizeof(*in));

		if (!assign || !in)
			return -1;
		for (size_t k = 0; k < i; k++) {
			size_t name = strcspn(a->operand[k]->text, "=");

			assign[k].name = arena_strndup(fx->mem, a->operand[k]->text, name);
			assign[k].value = effects_word(a->operand[k], a->operand[k]->text + name + 1);
			assign[k].span = a->operand[k]->span;
		}
		*in = (struct simple){ .assign = assign, .nassign = i, .cwd = s->cwd, .via = s, .span = s->span,
				       .depth = s->depth + 1 };
		if (effects_add(fx, in) < 0)
			return -1;
	}
	if (i == a->noperand) {
		if (!strcmp(args_node(a)->name[0], "env"))
			show_environment(fx, s);
		return 0;
	}
	return effects_command(fx, s, a->operand_at[i]);
}

static int printenv_hook(struct effects *fx, const struct args *a)
{
	if (!a->noperand)
		show_environment(fx, a->cmd);
	for (size_t i = 0; i < a->noperand; i++) {
		if (a->operand[i]->kind != WORD_EXACT || effects_secret_name(a->operand[i]->text))
			effects_path(fx, a->cmd, EFFECT_SECRET, a->operand[i], "shows a secret of the environment");
	}
	return 0;
}

/* ---- find --------------------------------------------------------------------------------------- */

#define FIND_NAMES 16

struct find {
	struct effects		*fx;
	const struct args	*a;
	const struct simple	*s;
	size_t			 starts;	/* start points at argv[first .. first+starts) */
	size_t			 first;
	const struct word	*name[FIND_NAMES];	/* the -name patterns that hold for the actions that follow */
	size_t			 nname;
	bool			 any_name;	/* more of them than fit, or an alternative without one */
	unsigned		 depth;		/* of parentheses */
	bool			 named, either;	/* in parentheses: this alternative has a name; there are alternatives */
};

/* The words that find hands on: each start point with "below it" as their place. */
static size_t found_words(struct find *f, const struct word **out)
{
	size_t starts = f->starts ? f->starts : 1, names = f->any_name || !f->nname ? 1 : f->nname;
	struct word *w = arena_alloc(f->fx->mem, starts * names * sizeof(*w));

	if (!w)
		return 0;
	for (size_t i = 0; i < starts * names; i++) {
		struct word dot = { .kind = WORD_EXACT, .text = ".", .span = f->s->argv[0].span };
		const struct word *start = f->starts ? &f->s->argv[f->first + i / names] : &dot;
		const struct word *name = f->any_name || !f->nname ? NULL : f->name[i % names];

		w[i] = *start;
		if (start->kind == WORD_EXACT && name && name->kind == WORD_EXACT && *start->text) {
			w[i].kind = WORD_PATTERN;
			w[i].text = arena_printf(f->fx->mem, "%s/%s", start->text, name->text);
		}
	}
	*out = w;
	return starts * names;
}

/* -name a -o -name b -delete: the second one alone is deleted; in parentheses both are. */
static void find_or(struct find *f)
{
	if (f->depth) {
		f->any_name = f->any_name || !f->named;
		f->either = true;
		f->named = false;
		return;
	}
	f->nname = 0;
	f->any_name = false;
}

static void find_open(struct find *f, bool negated)
{
	f->any_name = f->any_name || negated;
	f->depth++;
	f->named = f->either = false;
}

static void find_close(struct find *f)
{
	f->any_name = f->any_name || (f->either && !f->named);
	f->depth -= f->depth > 0;
	f->either = false;
}

static void find_name(struct find *f, const struct word *w)
{
	f->named = true;
	if (f->nname < FIND_NAMES)
		f->name[f->nname++] = w;
	else
		f->any_name = true;
}

static int find_delete(struct find *f, const struct word *at)
{
	const struct word *w;
	size_t n = found_words(f, &w);

	for (size_t i = 0; i < n; i++) {
		struct effect *e = effects_path(f->fx, f->s, EFFECT_DELETE, &w[i], "deletes what it finds below");

		e->flags |= EFFECT_RECURSIVE | EFFECT_LISTED;
		e->span = at->span;
	}
	return 0;
}

/* -exec words ; with {} replaced by what is found. Returns the index after it. */
static size_t find_exec(struct find *f, size_t at, int *rc)
{
	const struct simple *s = f->s;
	size_t end = at, n = 0, nfound;
	const struct word *found;
	struct word *argv;

	while (end < s->argc && strcmp(exact(&s->argv[end]), ";") != 0 &&
	       !(end > at && !strcmp(exact(&s->argv[end]), "+") && !strcmp(exact(&s->argv[end - 1]), "{}")))
		end++;
	nfound = found_words(f, &found);
	argv = arena_alloc(f->fx->mem, (end - at + nfound * (end - at)) * sizeof(*argv) + 1);
	if (!argv) {
		*rc = -1;
		return end;
	}
	for (size_t i = at; i < end; i++) {
		if (strcmp(exact(&s->argv[i]), "{}") != 0) {
			argv[n++] = s->argv[i];
			continue;
		}
		for (size_t k = 0; k < nfound; k++)
			argv[n++] = found[k];
	}
	if (n)
		*rc = effects_words(f->fx, s, argv, n);
	return end;
}

static bool is_negated(const struct simple *s, size_t i)
{
	return i > 1 && (!strcmp(exact(&s->argv[i - 1]), "!") || !strcmp(exact(&s->argv[i - 1]), "-not"));
}

static int find_hook(struct effects *fx, const struct args *a)
{
	struct find f = { .fx = fx, .a = a, .s = a->cmd, .first = 1 };
	const struct simple *s = a->cmd;
	size_t i = 1;
	int rc = 0;

	while (i < s->argc && (!strcmp(exact(&s->argv[i]), "-H") || !strcmp(exact(&s->argv[i]), "-L") ||
			       !strcmp(exact(&s->argv[i]), "-P") || !strncmp(exact(&s->argv[i]), "-O", 2)))
		i++;
	f.first = i;
	for (; i < s->argc; i++, f.starts++) {
		const char *t = s->argv[i].kind == WORD_UNKNOWN ? s->argv[i].prefix : s->argv[i].text;

		if (t && (*t == '-' || *t == '(' || !strcmp(t, "!")))
			break;
		effects_path(fx, s, EFFECT_READ, &s->argv[i], "lists");
	}
	for (; i < s->argc && rc == 0; i++) {
		const char *t = exact(&s->argv[i]);
		const struct word *next = i + 1 < s->argc ? &s->argv[i + 1] : NULL;

		if (s->argv[i].kind == WORD_UNKNOWN && s->argv[i].many)
			effects_path(fx, s, EFFECT_UNKNOWN, &s->argv[i], "find gets words that are not known");
		if ((!strcmp(t, "-name") || !strcmp(t, "-iname") || !strcmp(t, "-path")) && next) {
			bool negated = is_negated(s, i);

			if (!negated && t[1] != 'p')
				find_name(&f, next);
			i++;
		} else if (!strcmp(t, "-o") || !strcmp(t, "-or") || !strcmp(t, ",")) {
			find_or(&f);
		} else if (!strcmp(t, "(")) {
			find_open(&f, is_negated(s, i));
		} else if (!strcmp(t, ")")) {
			find_close(&f);
		} else if (!strcmp(t, "-delete")) {
			rc = find_delete(&f, &s->argv[i]);
		} else if (!strcmp(t, "-exec") || !strcmp(t, "-execdir") || !strcmp(t, "-ok") || !strcmp(t, "-okdir")) {
			i = find_exec(&f, i + 1, &rc);
		} else if ((!strncmp(t, "-fprint", 7) || !strcmp(t, "-fls")) && next) {
			effects_path(fx, s, EFFECT_OVERWRITE, next, "writes");
			i++;
		}
	}
	return rc;
}

/* ---- xargs, parallel ------------------------------------------------------------------------------ */

/* Put the names that are read in: at the end, or where the marker stands. */
static int with_names(struct effects *fx, const struct args *a, size_t at, size_t end, const char *marker,
		      const struct word *name, size_t n)
{
	const struct simple *s = a->cmd;
	struct word *argv = arena_alloc(fx->mem, (end - at + 1) * (n + 1) * sizeof(*argv) + sizeof(*argv));
	size_t out = 0;
	bool placed = false;

	if (!argv)
		return -1;
	for (size_t i = at; i < end; i++) {
		const char *t = exact(&s->argv[i]), *hit = marker ? strstr(t, marker) : NULL;

		if (!hit) {
			argv[out++] = s->argv[i];
			continue;
		}
		placed = true;
		for (size_t k = 0; k < n; k++) {
			argv[out] = s->argv[i];
			if (name[k].kind == WORD_EXACT) {
				argv[out].text = arena_printf(fx->mem, "%.*s%s%s", (int)(hit - t), t, name[k].text,
							      hit + strlen(marker));
			} else if (!strcmp(t, marker)) {
				argv[out] = name[k];
			} else if (name[k].kind == WORD_PATTERN) {
				/* a name below the directory that is listed, put behind another one: ls ~ | xargs -I{} rm ~/{} */
				const char *base = hit > t && strrchr(name[k].text, '/') ? strrchr(name[k].text, '/') + 1 : name[k].text;

				argv[out].kind = WORD_PATTERN;
				argv[out].text = arena_printf(fx->mem, "%.*s%s%s", (int)(hit - t), t, base, hit + strlen(marker));
			} else if (hit) {
				/* a name that is not known, inside a larger word: data for a program, code for a shell */
				argv[out].kind = WORD_UNKNOWN;
				argv[out].prefix = arena_strndup(fx->mem, t, (size_t)(hit - t));
				argv[out].suffix = hit + strlen(marker);
				argv[out].why = name[k].why;
			}
			out++;
		}
	}
	for (size_t k = 0; !placed && !marker && k < n; k++)
		argv[out++] = name[k];
	return out ? effects_words(fx, s, argv, out) : 0;
}

static bool reads_code(const char *program)
{
	static const char *const list[] = {
		"sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "python", "python2", "python3", "perl", "ruby", "node", "php", "lua", "eval",
	};
	const char *base = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		if (!strcmp(base, list[i]))
			return true;
	}
	return false;
}

/* sh -c 'head -1 "{}"' with names from a listing: the text itself is known, but for the names in it. */
static bool text_is_code(const struct simple *s, size_t at, size_t end)
{
	bool interpreter = false;

	for (size_t i = at; i + 1 < end; i++) {
		const char *t = exact(&s->argv[i]);

		interpreter = interpreter || reads_code(t);
		if (interpreter && t[0] == '-' && strpbrk(t, "cer") && t[1] != '-')
			return true;
	}
	return false;
}

static bool ends_in_code(const struct simple *s)
{
	const char *last = exact(&s->argv[s->argc - 1]);

	return s->argc > 2 && (!strcmp(last, "-c") || !strcmp(last, "-e")) && reads_code(exact(&s->argv[s->argc - 2]));
}

static int xargs_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	const char *marker = args_value(a, "I");
	const struct arg_option *from = args_option(a, "a");
	const struct word *name = NULL;
	struct word unknown = { .kind = WORD_UNKNOWN, .prefix = "", .suffix = "", .why = "read by xargs", .many = true };
	size_t n = 0;

	if (!a->noperand)
		return 0;	/* echo */
	if (!marker && (args_has(a, "i") || args_has(a, "replace")))
		marker = "{}";
	if (!from)
		n = stream_names(fx, s, &name);
	if (!n) {
		unknown.span = a->operand[0]->span;
		name = keep(fx, unknown);
		n = 1;
	}
	if (!marker && name[0].kind != WORD_EXACT && ends_in_code(s)) {	/* xargs -n1 bash -c: each name is the code */
		effects_path(fx, s, (effects_seen(fx, s) & SEEN_NETWORK) ? EFFECT_FETCH_CODE : EFFECT_UNKNOWN, &s->argv[s->argc - 1], "runs the lines that it reads");
		return 0;
	}
	if (marker && text_is_code(s, a->operand_at[0], s->argc) && name[0].kind != WORD_EXACT) {
		struct word stand_in = effects_word(a->operand[0], "./a-name");
		bool network = (effects_seen(fx, s) & SEEN_NETWORK) || (from && effects_code(fx, s, "sh", from->value) < 0);

		/* the marker as a whole is the code: it runs what it reads */
		for (size_t i = a->operand_at[0]; i < s->argc; i++) {
			if (!strcmp(exact(&s->argv[i]), marker)) {
				effects_path(fx, s, network ? EFFECT_FETCH_CODE : EFFECT_UNKNOWN, &s->argv[i],
					     "runs the lines that it reads");
				return 0;
			}
		}
		return with_names(fx, a, a->operand_at[0], s->argc, marker, &stand_in, 1);
	}
	return with_names(fx, a, a->operand_at[0], s->argc, marker, name, n);
}

static int parallel_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	size_t at = a->noperand ? a->operand_at[0] : s->argc, end = at;
	const struct word *name = NULL;
	struct word unknown = { .kind = WORD_UNKNOWN, .prefix = "", .suffix = "", .why = "read by parallel", .many = true };
	size_t n = 0;

	while (end < s->argc && strncmp(exact(&s->argv[end]), ":::", 3) != 0)
		end++;
	if (end < s->argc && !strcmp(exact(&s->argv[end]), ":::")) {
		name = s->argv + end + 1;
		n = s->argc - end - 1;
	} else {
		n = stream_names(fx, s, &name);
	}
	if (!n)
		name = keep(fx, unknown), n = 1;
	if (end == at)
		return effects_stdin_code(fx, s, "sh");
	/* the words are joined and given to a shell: one text for each name */
	for (size_t k = 0; k < n; k++) {
		struct buf text;
		bool placed = false;
		char *copy;
		int rc;

		const char *with = name[k].kind == WORD_UNKNOWN ? NULL : name[k].text;

		if (!with && end > at + 1)
			return with_names(fx, a, at, end, "{}", &name[k], 1);
		with = with ? with : "./a-name";	/* inside one text: what it is cannot matter but to a deletion */
		buf_init(&text, CMDLINE_MAX);
		for (size_t i = at; i < end; i++) {
			const char *t = exact(&s->argv[i]), *hit = strstr(t, "{}");

			buf_addf(&text, "%s%.*s%s%s", i > at ? " " : "", (int)(hit ? (size_t)(hit - t) : strlen(t)), t,
				 hit ? with : "", hit ? hit + 2 : "");
			placed = placed || hit;
		}
		if (!placed)
			buf_addf(&text, " %s", with);
		copy = arena_strndup(fx->mem, buf_str(&text), text.len);
		buf_done(&text);
		rc = copy ? effects_text(fx, s, "sh", copy, strlen(copy), s->argv[at].span) : -1;
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- dd, tar, chmod, kill --------------------------------------------------------------------------- */

static int dd_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noperand; i++) {
		const struct word *w = a->operand[i];
		const char *t = w->kind == WORD_UNKNOWN ? w->prefix : w->text;
		struct word *file = arena_alloc(fx->mem, sizeof(*file));

		if (!t || !file || (strncmp(t, "if=", 3) != 0 && strncmp(t, "of=", 3) != 0))
			continue;
		*file = *w;
		if (w->kind == WORD_UNKNOWN)
			file->prefix = t + 3;
		else
			file->text = t + 3;
		effects_path(fx, a->cmd, t[0] == 'o' ? EFFECT_OVERWRITE : EFFECT_READ, file, t[0] == 'o' ? "writes" : "reads");
	}
	return 0;
}

/* "tar cfz a.tgz src" -> "tar -cz -f a.tgz src" */
static int tar_old_style(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	const char *letters = exact(a->operand[0]);
	size_t at = a->operand_at[0], next = at + 1, n = 0, plain = 0;
	struct word *argv = arena_alloc(fx->mem, (s->argc + strlen(letters) + 2) * sizeof(*argv));
	char *bundle = arena_alloc(fx->mem, strlen(letters) + 2);

	if (!argv || !bundle)
		return -1;
	argv[n++] = s->argv[0];
	bundle[plain++] = '-';
	n++;
	for (const char *c = letters; *c; c++) {
		if (!strchr("fCbTXIKNVgH", *c)) {
			bundle[plain++] = *c;
			continue;
		}
		argv[n++] = effects_word(&s->argv[at], arena_printf(fx->mem, "-%c", *c));
		if (next < s->argc)
			argv[n++] = s->argv[next++];
	}
	argv[1] = effects_word(&s->argv[at], bundle);
	while (next < s->argc)
		argv[n++] = s->argv[next++];
	return effects_words(fx, s, argv, n);
}

static int tar_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	const struct arg_option *action = args_option(a, "checkpoint-action");
	struct word here = { .kind = WORD_EXACT, .text = ".", .span = s->argv[0].span };

	if (a->noperand && a->operand_at[0] == 1 && *exact(a->operand[0]) && isalpha((unsigned char)*exact(a->operand[0])) &&
	    strspn(exact(a->operand[0]), "AcdrtuxfCbTXIzjJZavpPhkmOSwWKNVgHoBniRsUlMLGq0123456789") ==
	    strlen(exact(a->operand[0])) && strpbrk(exact(a->operand[0]), "cdrtux"))
		return tar_old_style(fx, a);
	if (action && action->value) {
		const char *t = exact(action->value);

		if (!strncmp(t, "exec=", 5) && effects_text(fx, s, "sh", t + 5, strlen(t + 5), action->word->span) < 0)
			return -1;
	}
	if (args_has(a, "x") && !args_has(a, "O")) {
		const struct arg_option *dir = args_option(a, "C");
		struct effect *e = effects_path(fx, s, EFFECT_OVERWRITE, dir && dir->value && !s->cwd ? dir->value : keep(fx, here), "unpacks into");
		const struct path *p = paths_word(&fx->paths, e->path ? e->path : &here, s->cwd, true);

		e->flags |= EFFECT_RECURSIVE;
		effects_make(fx, (struct made){ .abs = p->abs, .tree = (effects_seen(fx, s) & SEEN_NETWORK) != 0, .from.origin =
			(effects_seen(fx, s) & SEEN_NETWORK) ? ORIGIN_NETWORK : ORIGIN_UNKNOWN });
	}
	return effects_tables(fx, a);
}

/* u+s, g+s, 4755, 02755 */
static bool sets_id(const char *mode)
{
	size_t digits = strspn(mode, "01234567");

	if (digits && !mode[digits])
		return digits >= 4 && strtoul(mode, NULL, 8) & 06000;
	return strchr(mode, 's') && strpbrk(mode, "+=") && strpbrk(mode, "+=") < strchr(mode, 's');
}

static int chmod_hook(struct effects *fx, const struct args *a)
{
	/* chmod -x FILE: what looks like an option is the mode */
	for (size_t i = 0; i < a->noption; i++) {
		const char *n = a->option[i].name;

		if (!a->option[i].option && n && n[0] == '-' && n[1] && strchr("rwxXst", n[1]) && a->noperand)
			effects_path(fx, a->cmd, EFFECT_MODE, a->operand[0], "changes the permissions of");
	}
	if (a->noperand && !args_has(a, "reference") && sets_id(exact(a->operand[0])))
		effects_path(fx, a->cmd, EFFECT_PRIVILEGE, a->operand[0], "makes a program run as its owner");
	return effects_tables(fx, a);
}

static void kill_target(struct effects *fx, const struct simple *s, const struct word *w)
{
	struct effect *e;

	if (exact(w)[0] == '%')
		return;		/* a job of this shell */
	for (size_t i = 0; i < w->nvar; i++) {
		if (!strcmp(w->var[i].name, "!") || !strcmp(w->var[i].name, "COPROC_PID") || effects_own_pid(fx, w->var[i].name))
			return;
	}
	if (effects_inside_says(fx, w, "jobs"))
		return;		/* kill $(jobs -p) */
	/* kill "$(cat server.pid)" with a file that this line wrote */
	for (size_t i = 0; i < fx->nmade; i++) {
		const char *base = strrchr(fx->made[i].abs, '/');

		if (w->kind == WORD_UNKNOWN && base && effects_inside_says(fx, w, base + 1))
			return;
	}
	e = effects_path(fx, s, EFFECT_PROCESS, w, "ends a process");
	if (!strcmp(exact(w), "-1") || !strcmp(exact(w), "1") || !strcmp(exact(w), "0"))
		e->scope = strcmp(exact(w), "0") ? "everything" : NULL;
}

static int kill_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	size_t i = 1;

	for (; i < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (!strcmp(t, "-l") || !strcmp(t, "-L") || !strcmp(t, "--list") || !strcmp(t, "-0"))
			return 0;
		if (!strcmp(t, "-s") || !strcmp(t, "-n") || !strcmp(t, "--signal")) {
			if (i + 1 < s->argc && !strcmp(exact(&s->argv[i + 1]), "0"))
				return 0;
			i++;
		} else if (!strcmp(t, "--")) {
			i++;
			break;
		} else if (t[0] != '-') {
			break;
		} else if (i > 1) {
			break;	/* only the first can be the signal: kill -9 -1 */
		}
	}
	if (i == 2 && s->argc == 2 && !strcmp(exact(&s->argv[1]), "-1"))
		i = 1;
	for (; i < s->argc; i++)
		kill_target(fx, s, &s->argv[i]);
	return 0;
}

/* ---- tasks: npm run, make, just ... -------------------------------------------------------------------- */

static bool is_dry(const struct args *a)
{
	return args_has(a, "dry-run") || args_has(a, "just-print") || args_has(a, "list");
}

static int package_script(struct effects *fx, const struct args *a, const char *name)
{
	static const char *const managers[] = { "npm", "pnpm", "yarn", "bun" };

	for (size_t i = 0; i < ARRAY_SIZE(managers); i++) {
		if (!strcmp(a->chain[0]->name[0], managers[i]))
			return tasks_script(fx, a, name);
	}
	return 0;
}

static int task_hook(struct effects *fx, const struct args *a)
{
	if (verbs_run(fx, a, "task") < 0)
		return -1;
	if (a->noperand && !is_dry(a) && !args_has(a, "n") && effects_task_is_risky(exact(a->operand[0])))
		effects_path(fx, a->cmd, EFFECT_PUBLISH, a->operand[0], "runs a task that by its name publishes or destroys");
	return is_dry(a) || !a->noperand ? 0 : package_script(fx, a, exact(a->operand[0]));
}

/* npm test, npm start: the subcommand is the script. */
static int own_script_hook(struct effects *fx, const struct args *a)
{
	return effects_tables(fx, a) < 0 ? -1 : package_script(fx, a, args_node(a)->name[0]);
}

/* pnpm NAME, yarn NAME: a script or a program of the project. */
static int task_name_hook(struct effects *fx, const struct args *a)
{
	if (verbs_run(fx, a, "task-name") < 0)
		return -1;
	return a->noperand ? package_script(fx, a, exact(a->operand[0])) : 0;
}

/* The --prefix that an earlier command of the line configured the build with. */
static const struct word *configured_prefix(struct effects *fx)
{
	static const char *const way[] = { "--prefix=", "-DCMAKE_INSTALL_PREFIX=", "-DCMAKE_INSTALL_PREFIX:PATH=" };

	for (size_t c = fx->ncmd; c-- > 0; ) {
		const struct simple *s = fx->cmd[c];

		for (size_t i = 1; i < s->argc; i++) {
			const char *t = exact(&s->argv[i]);

			for (size_t k = 0; k < ARRAY_SIZE(way); k++) {
				if (!strncmp(t, way[k], strlen(way[k])))
					return keep(fx, effects_word(&s->argv[i], t + strlen(way[k])));
			}
			if (!strcmp(t, "--prefix") && i + 1 < s->argc)
				return &s->argv[i + 1];
		}
	}
	return NULL;
}

static int make_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	const struct word *dest = NULL, *install = NULL, *remove = NULL;

	if (effects_tables(fx, a) < 0)
		return -1;
	for (size_t i = 0; i < a->noperand; i++) {
		const char *t = exact(a->operand[i]);

		if (!strncmp(t, "SHELL=", 6) || !strncmp(t, ".SHELLFLAGS=", 12)) {
			struct word w = effects_word(a->operand[i], strchr(t, '=') + 1);

			if (effects_code(fx, s, "sh", &w) < 0)
				return -1;
		} else if (!strncmp(t, "DESTDIR=", 8) || !strncmp(t, "prefix=", 7) || !strncmp(t, "PREFIX=", 7)) {
			dest = keep(fx, effects_word(a->operand[i], strchr(t, '=') + 1));
		} else if (!strcmp(t, "install") || !strncmp(t, "install-", 8)) {
			install = a->operand[i];
		} else if (!strcmp(t, "uninstall") || effects_task_is_risky(t)) {
			remove = a->operand[i];
		}
	}
	if (is_dry(a) || args_has(a, "n"))
		return 0;
	if (install && !dest)
		dest = configured_prefix(fx);
	if (install && dest)
		effects_path(fx, s, EFFECT_WRITE, dest, "installs into");
	else if (install)
		effects_path(fx, s, EFFECT_INSTALL, install, "installs outside the workspace")->scope = "system";
	if (remove)
		effects_path(fx, s, EFFECT_PUBLISH, remove, "runs a task that by its name publishes or destroys");
	return tasks_make(fx, a);
}

/* poetry run NAME, bundle exec NAME: a program that is known, or one of the project's own scripts and packages. */
static int run_own_hook(struct effects *fx, const struct args *a)
{
	const char *name = a->noperand ? exact(a->operand[0]) : "";
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

	if (!a->noperand)
		return 0;
	if (!*name || strchr(name, '/') || programs_find(fx->programs, base))
		return effects_command(fx, a->cmd, a->operand_at[0]);
	if (effects_task_is_risky(name))
		effects_path(fx, a->cmd, EFFECT_PUBLISH, a->operand[0], "runs a task that by its name publishes or destroys");
	return effects_after_dashes(fx, a->cmd);
}

/* start-server-and-test 'npm start' URL 'npm test': commands or the names of npm scripts. */
static int each_task_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noperand; i++) {
		const char *t = exact(a->operand[i]);

		if (strchr(t, ' ') && effects_code(fx, a->cmd, "sh", a->operand[i]) < 0)
			return -1;
	}
	return 0;
}

/* ---- wrappers with odd shapes ------------------------------------------------------------------------------ */

/* flock FILE -c TEXT, flock FILE COMMAND ..., flock FD */
static int flock_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	size_t at;

	if (!a->noperand)
		return 0;
	at = a->operand_at[0] + 1;
	if (at < s->argc && (!strcmp(exact(&s->argv[at]), "-c") || !strcmp(exact(&s->argv[at]), "--command")))
		return at + 1 < s->argc ? effects_code(fx, s, "sh", &s->argv[at + 1]) : 0;
	if (!isdigit((unsigned char)*exact(a->operand[0])))
		effects_path(fx, s, EFFECT_WRITE, a->operand[0], "locks")->flags |= EFFECT_APPEND;
	return effects_command(fx, s, at);
}

/* chroot DIR COMMAND, unshare COMMAND, capsh -- -c TEXT: asked, but what runs in there may be worse than that. */
static int other_root_hook(struct effects *fx, const struct args *a)
{
	const char *name = exact(&a->cmd->argv[0]);

	if (effects_tables(fx, a) < 0)
		return -1;
	for (size_t i = 0; i < a->noperand; i++) {	/* the first word that names a program, after a root directory */
		const char *t = exact(a->operand[i]), *base = strrchr(t, '/') ? strrchr(t, '/') + 1 : t;

		if (programs_find(fx->programs, base))
			return effects_command(fx, a->cmd, a->operand_at[i]);
		if (i && strcmp(name, "bwrap") != 0)
			break;
	}
	return 0;
}

/* A command after "--", after a host, or after a fixed option: start-stop-daemon --exec P -- args. */
static int exec_option_hook(struct effects *fx, const struct args *a)
{
	const struct arg_option *prog = args_option(a, "exec") ? args_option(a, "exec") : args_option(a, "startas");
	const struct simple *s = a->cmd;
	size_t rest = a->dashdash ? a->dashdash_at : s->argc;
	struct word *argv;

	if (!prog || !prog->value)
		return effects_tables(fx, a);
	argv = arena_alloc(fx->mem, (s->argc - rest + 1) * sizeof(*argv));
	if (!argv)
		return -1;
	argv[0] = *prog->value;
	memcpy(argv + 1, s->argv + rest, (s->argc - rest) * sizeof(*argv));
	return effects_words(fx, s, argv, s->argc - rest + 1);
}

static bool ends_with(const char *s, const char *end)
{
	size_t a = strlen(s), b = strlen(end);

	return a >= b && !strcmp(s + a - b, end);
}

/* The command that starts at operand @i, under the name @program. */
static int run_as(struct effects *fx, const struct args *a, size_t i, const char *program)
{
	size_t at = a->operand_at[i], n = a->cmd->argc - at;
	struct word *argv = arena_alloc(fx->mem, n * sizeof(*argv));

	if (!argv)
		return -1;
	memcpy(argv, a->cmd->argv + at, n * sizeof(*argv));
	argv[0] = effects_word(a->operand[i], program);
	return effects_words(fx, a->cmd, argv, n);
}

/* yarn workspace web build, yarn workspaces foreach run build: what follows is for yarn again. */
static int yarn_again_hook(struct effects *fx, const struct args *a)
{
	bool named = !strcmp(args_node(a)->name[0], "workspace");
	size_t first = named ? 1 : 0, n = a->noperand > first ? a->cmd->argc - a->operand_at[first] : 0;
	struct word *argv = arena_alloc(fx->mem, (n + 1) * sizeof(*argv));

	if (!n || !argv)
		return 0;
	argv[0] = effects_word(&a->cmd->argv[0], "yarn");
	memcpy(argv + 1, a->cmd->argv + a->operand_at[first], n * sizeof(*argv));
	return effects_words(fx, a->cmd, argv, n + 1);
}

/* nvm exec 20 npm test, pyenv exec python x.py, fnm exec --using=20 node x.js: a version may come first. */
static int tool_run_hook(struct effects *fx, const struct args *a)
{
	size_t i = 0;

	while (i + 1 < a->noperand && exact(a->operand[i])[0] && (isdigit((unsigned char)exact(a->operand[i])[0]) ||
	       (exact(a->operand[i])[0] == 'v' && isdigit((unsigned char)exact(a->operand[i])[1])) || !strncmp(exact(a->operand[i]), "lts", 3) ||
	       !strcmp(exact(a->operand[i]), "--")))
		i++;
	return i < a->noperand ? effects_command(fx, a->cmd, a->operand_at[i]) : 0;
}

/* python -m pip ... is pip; other modules are the workspace's own or harmless. */
static int python_hook(struct effects *fx, const struct args *a)
{
	const struct arg_option *m = args_option(a, "m");
	const struct node *n;
	struct word *argv;
	char *name;
	size_t rest;

	if ((!m || !m->value) && !args_has(a, "c") && a->noperand && ends_with(exact(a->operand[0]), "manage.py"))
		return run_as(fx, a, 0, "manage.py");
	if (!m || !m->value)
		return effects_tables(fx, a);
	if (m->value->kind != WORD_EXACT) {
		effects_path(fx, a->cmd, EFFECT_UNKNOWN, m->value, "which module this is cannot be told");
		return 0;
	}
	name = arena_strndup(fx->mem, m->value->text, strcspn(m->value->text, "."));
	if (name && strcmp(name, m->value->text) && strcmp(name, "pip"))
		return 0;	/* http.server: a part of the library, not the program of that name */
	n = name ? programs_find(fx->programs, name) : NULL;
	if (!n)
		return 0;	/* a module of the workspace or of the library */
	rest = m->index + (m->value->text >= m->word->text && m->word->text &&
			   m->value->text <= m->word->text + strlen(m->word->text) ? 1 : 2);
	argv = arena_alloc(fx->mem, (a->cmd->argc + 1) * sizeof(*argv));
	if (!argv)
		return -1;
	argv[0] = effects_word(m->value, name);
	if (rest < a->cmd->argc)
		memcpy(argv + 1, a->cmd->argv + rest, (a->cmd->argc - rest) * sizeof(*argv));
	return effects_words(fx, a->cmd, argv, rest < a->cmd->argc ? a->cmd->argc - rest + 1 : 1);
}

/* pip installs into an environment of the workspace, or for the user. */
static bool in_venv(struct effects *fx, const struct args *a)
{
	const struct live_value *env = fx->live ? live_get(fx->live, LIVE_VAR, "VIRTUAL_ENV") : NULL;

	if (env && env->state == LIVE_SCALAR && fx->line->workspace && paths_below(env->text, fx->line->workspace))
		return true;
	for (const struct simple *s = a->cmd; s; s = s->via) {
		if (s->argc && strstr(exact(&s->argv[0]), "venv/"))
			return true;
	}
	for (size_t i = 0; i < fx->ncmd; i++) {	/* source .venv/bin/activate, earlier on the line */
		for (size_t k = 1; k < fx->cmd[i]->argc && k < 3; k++) {
			if (strstr(exact(&fx->cmd[i]->argv[k]), "bin/activate"))
				return true;
		}
	}
	return args_has(a, "t") || args_has(a, "prefix") || args_has(a, "root");
}

static int pip_hook(struct effects *fx, const struct args *a)
{
	const char *sub = args_node(a)->name[0];

	if (effects_tables(fx, a) < 0)
		return -1;
	if ((!strcmp(sub, "install") || !strcmp(sub, "uninstall")) && !args_has(a, "dry-run"))
		effects_plain(fx, a->cmd, EFFECT_INSTALL, "installs packages")->scope =
			in_venv(fx, a) && !args_has(a, "user") && !args_has(a, "break-system-packages") ? "workspace" : "user";
	return 0;
}

/* npx PACKAGE args: a program of the workspace's node_modules, or fetched. */
static int npx_hook(struct effects *fx, const struct args *a)
{
	const char *name = a->noperand ? exact(a->operand[0]) : "";
	char *plain;

	if (effects_tables(fx, a) < 0)
		return -1;
	if (!a->noperand || args_has(a, "c") || args_has(a, "no-install") || args_has(a, "no"))
		return 0;
	plain = arena_strndup(fx->mem, name, *name == '@' ? strlen(name) : strcspn(name, "@"));
	if (plain && programs_find(fx->programs, plain))
		return run_as(fx, a, 0, plain);
	effects_path(fx, a->cmd, EFFECT_INSTALL, a->operand[0], "fetches and runs a package that no rule knows")->scope = "run";
	return 0;
}

/* ---- containers ------------------------------------------------------------------------------------------------ */

static bool host_mount(const struct effects *fx, const char *v)
{
	size_t n = strcspn(v, ":,");
	const char *home = fx->line->home ? fx->line->home : "";

	if (!strncmp(v, "type=", 5)) {
		const char *src = strstr(v, "src=") ? strstr(v, "src=") + 4 : strstr(v, "source=") ? strstr(v, "source=") + 7 : "";

		return host_mount(fx, src);
	}
	return (n == 1 && *v == '/') || !strncmp(v, "/etc", 4) || !strncmp(v, "/root", 5) || !strncmp(v, "/dev", 4) ||
	       !strncmp(v, "/proc", 5) || !strncmp(v, "/sys", 4) || strstr(v, "docker.sock") || strstr(v, "podman.sock") ||
	       (*home && n == strlen(home) && !strncmp(v, home, n) && !v[n]);
}

static int container_hook(struct effects *fx, const struct args *a)
{
	static const struct { const char *key, *glob; } host[] = {
		{ "privileged", NULL }, { "pid", "host" }, { "userns", "host" }, { "cap-add", "ALL" }, { "cap-add", "SYS_ADMIN" },
	};
	const struct simple *s = a->cmd;
	bool inspects = a->nchain > 1 && !strcmp(args_node(a)->name[0], "ps") && a->nchain == 2;

	for (size_t i = 0; i < a->noption; i++) {
		const struct arg_option *o = &a->option[i];
		const char *key = o->option ? o->option->key : "";

		if (inspects && strstr(exact(o->value), ".Config.Env"))	/* what was given to a container is what it hides */
			show_environment(fx, s);
		if ((!strcmp(key, "v") || !strcmp(key, "mount")) && host_mount(fx, exact(o->value)))
			effects_path(fx, s, EFFECT_PRIVILEGE, o->word, "gives a container the host's files")->scope = "host";
		for (size_t k = 0; k < ARRAY_SIZE(host); k++) {
			if (!strcmp(key, host[k].key) && (!host[k].glob || !strcasecmp(exact(o->value), host[k].glob)))
				effects_path(fx, s, EFFECT_PRIVILEGE, o->word, "gives a container the host's rights")->scope = "host";
		}
	}
	return effects_tables(fx, a);
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* ln [-s] TARGET NAME: what the line does with the name afterwards, it does with the target. */
static void note_link(struct effects *fx, const struct args *a, const char *target, const char *name)
{
	const char *abs = paths_normal(fx->mem, name, a->cmd->cwd);

	if (!args_has(a, "s"))
		target = paths_normal(fx->mem, target, a->cmd->cwd);
	paths_add_link(&fx->paths, abs, target, fx->n);
}

static int link_hook(struct effects *fx, const struct args *a)
{
	const char *into = args_value(a, "t"), *last = a->noperand ? exact(a->operand[a->noperand - 1]) : "";
	size_t n = into || a->noperand == 1 ? a->noperand : a->noperand ? a->noperand - 1 : 0;
	bool plain = !into && a->noperand == 2;

	if (effects_tables(fx, a) < 0)
		return -1;
	into = into ? into : a->noperand == 1 ? "." : last;
	for (size_t i = 0; i < n && *into; i++) {
		const char *t = exact(a->operand[i]), *base = strrchr(t, '/') ? strrchr(t, '/') + 1 : t;
		char *inside = arena_printf(fx->mem, "%s/%s", into, base);

		if (!*t || !inside)
			continue;
		note_link(fx, a, t, inside);
		if (plain && paths_text(&fx->paths, last, a->cmd->cwd, true)->type != WORLD_DIR)
			note_link(fx, a, t, last);
	}
	return 0;
}

/* ---- remote copies ----------------------------------------------------------------------------------------------- */

static const char *remote_host(struct effects *fx, const struct word *w)
{
	const char *t = w->kind == WORD_UNKNOWN ? w->prefix : w->text;
	const char *colon = t ? strchr(t, ':') : NULL, *slash = t ? strchr(t, '/') : NULL, *at;

	if (t && strstr(t, "://"))
		return t;
	if (!colon || (slash && slash < colon))
		return NULL;
	at = memchr(t, '@', (size_t)(colon - t));
	t = at ? at + 1 : t;
	return arena_strndup(fx->mem, t, (size_t)(colon - t));
}

/* -o ProxyCommand=TEXT, -o 'ProxyCommand TEXT': of ssh, scp, sftp alike. */
static int ssh_options(struct effects *fx, const struct args *a)
{
	static const char *const runs[] = { "ProxyCommand", "LocalCommand", "KnownHostsCommand", "PKCS11Provider", "SecurityKeyProvider" };

	for (size_t i = 1; i < a->cmd->argc; i++) {
		const char *v = exact(&a->cmd->argv[i]);

		v += strncmp(v, "-o", 2) ? 0 : 2;
		for (size_t k = 0; k < ARRAY_SIZE(runs); k++) {
			size_t n = strlen(runs[k]);

			if (!strncasecmp(v, runs[k], n) && (v[n] == '=' || v[n] == ' ') &&
			    effects_text(fx, a->cmd, "sh", v + n + 1, strlen(v + n + 1), a->cmd->argv[i].span) < 0)
				return -1;
		}
	}
	return 0;
}

/* scp, rsync: sources, then a destination; either side may be another machine. */
static int copy_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	bool deletes = false, dry = args_has(a, "n") || args_has(a, "dry-run") || args_has(a, "list-only");

	for (size_t i = 0; i < a->noption; i++)
		deletes = deletes || (a->option[i].name && !strncmp(a->option[i].name, "--delete", 8));
	if (ssh_options(fx, a) < 0 || effects_tables(fx, a) < 0)
		return -1;
	for (size_t i = 0; i < a->noperand; i++) {
		const struct word *w = a->operand[i];
		bool last = i + 1 == a->noperand && a->noperand > 1;
		const char *host = remote_host(fx, w);
		struct effect *e;

		if (host) {
			effects_host(fx, s, w, host);
			continue;
		}
		if (last && !dry) {
			e = effects_path(fx, s, deletes ? EFFECT_DELETE : EFFECT_OVERWRITE, w, deletes ? "mirrors over" : "copies into");
			e->flags |= EFFECT_RECURSIVE;
		} else if (!last) {
			e = effects_path(fx, s, args_has(a, "remove-source-files") ? EFFECT_DELETE : EFFECT_READ, w, "copies");
			e->flags |= EFFECT_RECURSIVE;
		}
	}
	return 0;
}

/* ---- shell builtins ---------------------------------------------------------------------------------------------- */

/* set +o history, shopt -u promptvars: without them the gate learns of no line, and refuses all. */
static bool turns_off(const struct args *a, size_t i)
{
	static const char *const needed[] = { "history", "promptvars", "cmdhist", "lithist" };
	const char *name = exact(&a->cmd->argv[0]), *flag = i ? exact(a->operand[0]) : "";
	bool off = (!strcmp(name, "set") && !strcmp(i ? exact(a->operand[i - 1]) : "", "+o")) ||
		   (!strcmp(name, "shopt") && flag[0] == '-' && strchr(flag, 'u'));

	for (size_t k = 0; off && k < ARRAY_SIZE(needed); k++) {
		if (!strcmp(exact(a->operand[i]), needed[k]))
			return true;
	}
	return !strcmp(exact(a->operand[i]), "HISTSIZE=0");
}

/* set, export -p, declare -x: every variable with its value. */
static bool lists_all(const struct args *a)
{
	const char *name = exact(&a->cmd->argv[0]);

	if (!strcmp(name, "set"))
		return a->cmd->argc == 1;
	for (size_t i = 1; i < a->cmd->argc; i++) {
		const char *t = exact(&a->cmd->argv[i]);

		if (t[0] != '-' || strspn(t + 1, "pxgr") != strlen(t + 1))
			return false;
	}
	return !a->cmd->nassign && (!strcmp(name, "export") || !strcmp(name, "declare") || !strcmp(name, "typeset"));
}

/* unset PROMPT_COMMAND, trap - DEBUG, enable -n, shopt: what sbxterm relies on in the shell. */
static int state_hook(struct effects *fx, const struct args *a)
{
	static const char *const guarded[] = { "PROMPT_COMMAND", "PS0", "DEBUG", "precmd_functions", "preexec_functions" };
	const struct simple *s = a->cmd;
	const char *name = args_node(a)->name[0];

	for (size_t i = 0; i < a->noperand; i++) {
		const char *t = exact(a->operand[i]);
		size_t len = strcspn(t, "=");
		bool trap_text = !strcmp(name, "trap") && i == 0 && a->noperand > 1;

		for (size_t k = 0; k < ARRAY_SIZE(guarded) && !trap_text; k++) {
			if (strlen(guarded[k]) == len && !strncmp(t, guarded[k], len))
				effects_path(fx, s, EFFECT_GUARD, a->operand[i], "changes what sbxterm relies on");
		}
		if (turns_off(a, i) || !strncmp(t, "SBXTERM", 7) || !strncmp(t, "__sbx", 5) || !strncmp(t, "_sbx", 4))
			effects_path(fx, s, EFFECT_GUARD, a->operand[i], "changes what sbxterm relies on");
		if (trap_text && *t && strcmp(t, "-") != 0 && effects_code(fx, s, "eval", a->operand[i]) < 0)
			return -1;
	}
	if (lists_all(a))
		show_environment(fx, s);
	if (strcmp(name, "set") != 0 && strcmp(name, "trap") != 0 && environ_words(fx, s, a->operand, a->noperand) < 0)
		return -1;
	return effects_tables(fx, a);
}

/* alias x='text': judged when it is defined, since later lines will run it. */
static int alias_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noperand; i++) {
		const char *eq = strchr(exact(a->operand[i]), '=');

		if (eq && effects_text(fx, a->cmd, "sh", eq + 1, strlen(eq + 1), a->operand[i]->span) < 0)
			return -1;
	}
	return effects_tables(fx, a);
}

/* ---- databases --------------------------------------------------------------------------------------------------- */

/* redis-cli [options] COMMAND args: the command word decides. */
static int redis_hook(struct effects *fx, const struct args *a)
{
	static const char *const reads[] = {
		"ping", "get", "mget", "info", "keys", "scan", "exists", "ttl", "type", "llen", "lrange", "hget", "hgetall",
		"hkeys", "hlen", "smembers", "scard", "zrange", "zcard", "strlen", "dbsize", "time", "echo", "monitor", "role",
		"memory", "object", "slowlog", "xlen", "xrange", "sscan", "hscan", "zscan", "command", "client",
	};
	const char *cmd = a->noperand ? exact(a->operand[0]) : "";

	if (effects_tables(fx, a) < 0)
		return -1;
	if (args_has(a, "scan") || args_has(a, "stat") || args_has(a, "bigkeys") || args_has(a, "latency") || args_has(a, "version"))
		return 0;
	if (!a->noperand)
		return effects_stdin_code(fx, a->cmd, "redis");
	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		if (!strcasecmp(cmd, reads[i]))
			return 0;
	}
	effects_path(fx, a->cmd, EFFECT_DATABASE, a->operand[0], "changes a database");
	return 0;
}

/* ---- editors, other shells, listings ------------------------------------------------------------------------------- */

static bool starts_with(const struct word *w, const char *s)
{
	return !strncmp(exact(w), s, strlen(s));
}

/* vim -c ':!cmd', ':w file': an editor's command line can run a shell. */
static int editor_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noption; i++) {
		const struct arg_option *o = &a->option[i];
		const char *key = o->option ? o->option->key : "", *t = exact(o->value);

		if (strcmp(key, "c") != 0 && strcmp(key, "cmd") != 0)
			continue;
		t += strspn(t, ": ");
		if (*t == '!') {
			if (effects_text(fx, a->cmd, "sh", t + 1, strlen(t + 1), o->word->span) < 0)
				return -1;
		} else if (strchr(t, '!') || strstr(t, "system(")) {
			effects_path(fx, a->cmd, EFFECT_UNKNOWN, o->value, "an editor command that may run something");
		}
	}
	if (!args_has(a, "batch") && !args_has(a, "eval"))
		effects_plain(fx, a->cmd, EFFECT_INTERACTIVE, "opens an editor")->scope = "keys";
	return effects_tables(fx, a);
}

#define FD_PLACES 16

/* fd PATTERN DIR...: what may be hit, one word for each directory that is searched. */
static size_t fd_hits(struct effects *fx, const struct args *a, size_t end, struct word *hit)
{
	size_t n = 0;

	for (size_t i = 1; i < a->noperand && a->operand_at[i] < end && n < FD_PLACES; i++) {
		const struct word *w = a->operand[i];

		hit[n] = *w;
		if (w->kind == WORD_EXACT) {
			hit[n].kind = WORD_PATTERN;
			hit[n].text = arena_printf(fx->mem, "%s%s*", w->text, *w->text && w->text[strlen(w->text) - 1] == '/' ? "" : "/");
		}
		n += hit[n].kind == WORD_UNKNOWN || hit[n].text;
	}
	if (!n)
		hit[n++] = (struct word){ .kind = WORD_PATTERN, .text = "./*", .span = a->cmd->argv[end].span };
	return n;
}

/* fd PATTERN -x command: what follows the option is a command, with the hits as its last words. */
static int fd_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;

	for (size_t i = 1; i < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (strcmp(t, "-x") && strcmp(t, "-X") && strcmp(t, "--exec") && strcmp(t, "--exec-batch"))
			continue;
		struct word *hit = arena_alloc(fx->mem, FD_PLACES * sizeof(*hit));
		size_t n = hit ? fd_hits(fx, a, i, hit) : 0;
		bool marked = false;

		for (size_t k = i + 1; k < s->argc; k++)
			marked = marked || strstr(exact(&s->argv[k]), "{");
		return n ? with_names(fx, a, i + 1, s->argc, marked ? "{}" : NULL, hit, n) : -1;
	}
	return effects_tables(fx, a);
}

/* less +'!cmd', more +...: text after the mark is run. */
static int pager_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 1; i < a->cmd->argc; i++) {
		const char *t = exact(&a->cmd->argv[i]), *mark = *t == '+' ? strchr(t, '!') : NULL;

		if (mark && effects_text(fx, a->cmd, "sh", mark + 1, strlen(mark + 1), a->cmd->argv[i].span) < 0)
			return -1;
	}
	return effects_tables(fx, a);
}

/* ${#API_KEY}: how long it is, not what it is. */
static bool is_length(const struct word *w, const struct word_var *var)
{
	const char *t = exact(w);

	return *t && strspn(t, "0123456789") == strlen(t) && (!var->value || strcmp(var->value, t) != 0);
}

/* echo $API_TOKEN: the value goes to whoever reads the screen. */
static int echo_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noperand; i++) {
		const struct word *w = a->operand[i];

		for (size_t k = 0; k < w->nvar; k++) {
			if (effects_secret_name(w->var[k].name) && !is_length(w, &w->var[k])) {
				effects_path(fx, a->cmd, EFFECT_SECRET, w, "shows a variable that by its name is a secret");
				effects_mark(fx, a->cmd, SEEN_SECRET);
			}
		}
	}
	return effects_tables(fx, a);
}

static int each_shell_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noperand; i++) {
		if (effects_code(fx, a->cmd, "sh", a->operand[i]) < 0)
			return -1;
	}
	return effects_tables(fx, a);
}

static int after_dashes_hook(struct effects *fx, const struct args *a)
{
	if (effects_tables(fx, a) < 0)
		return -1;
	return effects_after_dashes(fx, a->cmd);
}

/* mise exec node@20 -- npm test; asdf exec npm test */
static int tool_exec_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 1; i < a->cmd->argc; i++) {
		if (!strcmp(exact(&a->cmd->argv[i]), "--"))
			return effects_after_dashes(fx, a->cmd);
	}
	return effects_tables(fx, a);
}

/* fc runs old lines again, and a bound key its command, without a question. */
static void goes_around(struct effects *fx, const struct simple *s)
{
	const char *name = exact(&s->argv[0]), *flag = s->argc > 1 ? exact(&s->argv[1]) : "";

	if (!strcmp(name, "fc") && !(flag[0] == '-' && strchr(flag, 'l')))
		effects_plain(fx, s, EFFECT_SHELL_STATE, "runs lines of the history again, which sbxterm will not see");
	if (!strcmp(name, "bind") && (!strcmp(flag, "-x") || !strcmp(flag, "-f")))
		effects_plain(fx, s, EFFECT_SHELL_STATE, "binds keys to commands that sbxterm will not see");
}

static int builtin_hook(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;

	if (!strcmp(exact(&s->argv[0]), "hash") && s->argc > 2 && !strncmp(exact(&s->argv[1]), "-p", 2))
		effects_path(fx, s, EFFECT_SHELL_STATE, &s->argv[1], "makes a name stand for another program")->path = NULL;
	goes_around(fx, s);
	for (size_t i = 1; i + 1 < s->argc; i++) {	/* complete -C text, bind -x text, mapfile -C text */
		const char *t = exact(&s->argv[i]);

		if ((!strcmp(t, "-C") || !strcmp(t, "-x")) && effects_code(fx, s, "sh", &s->argv[i + 1]) < 0)
			return -1;
	}
	return effects_tables(fx, a);
}

/* ---- ssh, netcat ---------------------------------------------------------------------------------------------------- */

static int ssh_hook(struct effects *fx, const struct args *a)
{
	if (ssh_options(fx, a) < 0)
		return -1;
	if (effects_tables(fx, a) < 0)
		return -1;
	if (!a->noperand || args_has(a, "G") || args_has(a, "V") || args_has(a, "Q"))
		return 0;	/* prints its settings */
	effects_host(fx, a->cmd, a->operand[0], NULL);
	if (a->noperand < 2) {
		effects_plain(fx, a->cmd, EFFECT_INTERACTIVE, "opens a shell on another host");
		return 0;
	}
	struct buf text;
	struct word remote;

	buf_init(&text, CMDLINE_MAX);
	for (size_t i = 1; i < a->noperand; i++)
		buf_addf(&text, "%s%s", i > 1 ? " " : "", a->operand[i]->kind == WORD_EXACT ? a->operand[i]->text : "");
	remote = effects_word(a->operand[1], arena_strndup(fx->mem, buf_str(&text), text.len));
	buf_done(&text);
	return remote.text ? effects_foreign_text(fx, a->cmd, &remote) : -1;
}

/* nc HOST PORT, socat ADDRESS ADDRESS, ftp HOST */
static int netcat_hook(struct effects *fx, const struct args *a)
{
	const char *first = a->noperand ? exact(a->operand[0]) : "";

	if (ssh_options(fx, a) < 0 || effects_tables(fx, a) < 0)
		return -1;
	if (args_has(a, "l")) {
		effects_plain(fx, a->cmd, EFFECT_NET, "waits for connections");
		return 0;
	}
	for (size_t i = 0; i < a->noperand; i++) {
		const char *t = exact(a->operand[i]);

		if (!strncasecmp(t, "EXEC:", 5) || !strncasecmp(t, "SYSTEM:", 7) || !strncasecmp(t, "SHELL:", 6))
			effects_path(fx, a->cmd, EFFECT_REMOTE_SHELL, a->operand[i], "gives a program to the network");
	}
	if (strchr(first, ':') && strncmp(first, "[", 1) != 0) {	/* socat: TCP:host:port on either side */
		for (size_t i = 0; i < a->noperand; i++) {
			const char *t = exact(a->operand[i]), *colon = strchr(t, ':');

			if (colon && (!strncasecmp(t, "TCP", 3) || !strncasecmp(t, "UDP", 3) || !strncasecmp(t, "SSL", 3) || !strncasecmp(t, "OPENSSL", 7)))
				effects_host(fx, a->cmd, a->operand[i], colon + 1);
		}
		return 0;
	}
	for (size_t i = 0; i < a->noperand; i++) {
		const char *t = exact(a->operand[i]), *colon = strchr(t, ':');

		if (!strcmp(t, "-"))
			continue;
		effects_host(fx, a->cmd, a->operand[i], colon && i ? colon + 1 : NULL);
		break;
	}
	for (size_t i = 1; i < a->noperand; i++) {
		const char *t = exact(a->operand[i]), *colon = strchr(t, ':');

		if (colon && colon[1])
			effects_host(fx, a->cmd, a->operand[i], colon + 1);
	}
	return 0;
}

/* ---- more tools with a word that decides ------------------------------------------------------------------------------ */

/* terraform output -raw db_password */
static int output_name_hook(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noperand; i++) {
		if (effects_secret_name(exact(a->operand[i])))
			effects_path(fx, a->cmd, EFFECT_SECRET, a->operand[i], "shows a secret")->path = NULL;
	}
	return effects_tables(fx, a);
}

static int kubectl_get_hook(struct effects *fx, const struct args *a)
{
	const char *what = a->noperand ? exact(a->operand[0]) : "";

	if ((!strncmp(what, "secret", 6)) && args_has(a, "o"))
		effects_path(fx, a->cmd, EFFECT_SECRET, a->operand[0], "shows a secret of a cluster");
	else if (!strncmp(what, "secret", 6) && a->noperand > 1)
		effects_path(fx, a->cmd, EFFECT_SECRET, a->operand[0], "shows a secret of a cluster");
	return effects_tables(fx, a);
}

static int gh_api_hook(struct effects *fx, const struct args *a)
{
	const char *method = args_value(a, "X");
	bool fields = args_has(a, "f") || args_has(a, "F") || args_has(a, "input");

	for (size_t i = 0; i < a->noption; i++) {	/* query=mutation { ... } */
		const char *v = exact(a->option[i].value), *body = strchr(v, '=') ? strchr(v, '=') + 1 : v;

		if (!strncmp(body + strspn(body, " \n"), "mutation", 8))
			effects_plain(fx, a->cmd, EFFECT_PUBLISH, "changes something on the code host");
	}
	if (method ? strcasecmp(method, "GET") != 0 : fields && !(a->noperand && !strcmp(exact(a->operand[0]), "graphql")))
		effects_plain(fx, a->cmd, EFFECT_PUBLISH, "changes something on the code host");
	return effects_tables(fx, a);
}

/* A scripting file of a framework decides: php artisan migrate:fresh */
static int php_hook(struct effects *fx, const struct args *a)
{
	const char *script = a->noperand ? exact(a->operand[0]) : "", *base = strrchr(script, '/') ? strrchr(script, '/') + 1 : script;

	if ((!strcmp(base, "artisan") || !strcmp(base, "console") || !strcmp(base, "craft")) && a->noperand > 1)
		return run_as(fx, a, 0, "artisan");
	return effects_tables(fx, a);
}

/* "m h dom mon dow command" or "@daily command": the command is judged like any other. */
static int cron_lines(struct effects *fx, const struct simple *s, const struct stream *st)
{
	for (const char *p = st->text, *end = p + st->len; p < end; ) {
		size_t n = strcspn(p, "\n"), at = strspn(p, " \t");
		unsigned fields = p[at] == '@' ? 1 : 5;

		for (; fields && at < n; fields--) {
			at += strcspn(p + at, " \t\n");
			at += strspn(p + at, " \t");
		}
		if (at < n && effects_text(fx, s, "sh", p + at, n - at, st->span) < 0)
			return -1;
		p += n + 1;
	}
	return 0;
}

static int crontab_hook(struct effects *fx, const struct args *a)
{
	struct stream st = effects_stdin(fx, a->cmd);
	struct effect *e;

	if (effects_tables(fx, a) < 0)
		return -1;
	if (args_has(a, "l") || args_has(a, "r") || args_has(a, "e"))
		return 0;
	e = effects_plain(fx, a->cmd, EFFECT_SERVICE, "plants jobs that run later");
	/* what another program writes into it cannot be looked at here */
	if (a->cmd->pipe_from && (!a->noperand || !strcmp(exact(a->operand[0]), "-")))
		e->what = "plants jobs out of a pipe";
	return st.origin == ORIGIN_TEXT && (!a->noperand || !strcmp(exact(a->operand[0]), "-")) ? cron_lines(fx, a->cmd, &st) : 0;
}

static int at_hook(struct effects *fx, const struct args *a)
{
	if (args_has(a, "l") || args_has(a, "c"))
		return 0;
	effects_plain(fx, a->cmd, EFFECT_SERVICE, "plants a job that runs later");
	if (!args_has(a, "f") && effects_stdin_code(fx, a->cmd, "sh") < 0)
		return -1;
	return effects_tables(fx, a);
}

/* mkfs, fdisk, wipefs ...: the operand that is a device or an image. */
static int disk_hook(struct effects *fx, const struct args *a)
{
	const char *name = a->cmd->argc ? exact(&a->cmd->argv[0]) : "";
	bool reads = args_has(a, "l") || args_has(a, "h");

	if (strstr(name, "sgdisk") || strstr(name, "parted"))
		reads = reads || args_has(a, "print") || args_has(a, "p");
	if (args_has(a, "n") && (strstr(name, "fsck") || strstr(name, "wipefs") || strstr(name, "mkfs") || strstr(name, "repair")))
		reads = true;
	if (!strcmp(name, "wipefs") && !args_has(a, "a") && !args_has(a, "all") && !args_has(a, "o"))
		reads = true;
	if (!strcmp(name, "badblocks") && !args_has(a, "w"))
		reads = true;
	for (size_t i = 0; i < a->noperand; i++) {
		const char *t = exact(a->operand[i]);

		if (!strcmp(t, "print") || !strcmp(t, "list") || !strcmp(t, "status") || !strcmp(t, "smart-log") || !strcmp(t, "luksDump"))
			reads = true;
	}
	for (size_t i = 0; i < a->noperand && !reads; i++) {
		const char *t = exact(a->operand[i]);

		if (a->operand[i]->kind != WORD_EXACT || starts_with(a->operand[i], "/") || strchr(t, '.') || strchr(t, '/'))
			effects_path(fx, a->cmd, EFFECT_DEVICE, a->operand[i], "changes the disk layout or file system of");
	}
	return 0;
}

/* lvremove vg/x, mdadm --zero-superblock DEV, zfs destroy: the name is no path, the tool is the danger. */
static int storage_hook(struct effects *fx, const struct args *a)
{
	static const char *const ruin[] = { "lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce", "mdadm", "dmraid", "pvcreate" };
	const char *name = exact(&a->cmd->argv[0]), *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

	for (size_t i = 0; i < ARRAY_SIZE(ruin); i++) {
		if (strcmp(base, ruin[i]) != 0)
			continue;
		if (!strcmp(base, "mdadm") && (args_has(a, "detail") || args_has(a, "D") || args_has(a, "examine") || args_has(a, "query")))
			return 0;
		effects_plain(fx, a->cmd, EFFECT_SYSTEM, "destroys the storage below the file systems")->scope = "ruin";
		return 0;
	}
	return verbs_run(fx, a, "storage");
}

static int pacman_hook(struct effects *fx, const struct args *a)
{
	const char *first = a->cmd->argc > 1 ? exact(&a->cmd->argv[1]) : "";

	if (first[0] == '-' && (strchr("QFTV", first[1]) || (first[1] == 'S' && first[2] && strchr("sil", first[2]))))
		return 0;
	effects_plain(fx, a->cmd, EFFECT_INSTALL, "installs for the whole system")->scope = "system";
	return 0;
}

/* psql db < file, psql <<EOF: statements on standard input. */
static int sql_client_hook(struct effects *fx, const struct args *a)
{
	struct stream st = effects_stdin(fx, a->cmd);

	if (effects_tables(fx, a) < 0)
		return -1;
	for (size_t i = 0; i < a->noperand; i++) {	/* a connection to somewhere else */
		const char *t = exact(a->operand[i]), *at = strstr(t, "://");

		if (at && !strstr(t, "localhost") && !strstr(t, "127.0.0.1"))
			effects_host(fx, a->cmd, a->operand[i], NULL);
	}
	if (args_has(a, "c") || args_has(a, "e") || args_has(a, "f") || args_has(a, "l") || args_has(a, "V"))
		return 0;
	if (st.origin == ORIGIN_TEXT)
		return effects_text(fx, a->cmd, "sql", st.text, st.len, st.span);
	if (st.origin != ORIGIN_NONE)
		effects_plain(fx, a->cmd, EFFECT_DATABASE, "runs statements that are not known");
	else
		effects_plain(fx, a->cmd, EFFECT_INTERACTIVE, "opens a database console")->scope = "keys";
	return 0;
}

/* sqlite3 FILE [STATEMENT ...] */
static int sqlite_hook(struct effects *fx, const struct args *a)
{
	struct stream st = effects_stdin(fx, a->cmd);

	if (effects_tables(fx, a) < 0)
		return -1;
	if (a->noperand && strcmp(exact(a->operand[0]), ":memory:") != 0)
		effects_path(fx, a->cmd, EFFECT_WRITE, a->operand[0], "opens the database")->flags |= EFFECT_APPEND;
	for (size_t i = 1; i < a->noperand; i++) {
		if (effects_code(fx, a->cmd, "sqlite", a->operand[i]) < 0)
			return -1;
	}
	if (a->noperand > 1)
		return 0;
	if (st.origin == ORIGIN_TEXT)
		return effects_text(fx, a->cmd, "sqlite", st.text, st.len, st.span);
	if (st.origin == ORIGIN_FILE)
		return effects_script(fx, a->cmd, "sqlite", st.file, a->cmd->argc);
	if (st.origin == ORIGIN_UNKNOWN || st.origin == ORIGIN_NETWORK)
		effects_plain(fx, a->cmd, EFFECT_DATABASE, "runs statements that are not known");
	return 0;
}

/* Interpreters that are not read: a one-liner is asked, a file of the workspace runs like any program of it. */
static int language_hook(struct effects *fx, const struct args *a)
{
	static const struct { const char *program, *lang; } known[] = { { "lua", "lua" }, { "luajit", "lua" }, { "tclsh", "tcl" }, { "R", "r" },
		{ "Rscript", "r" }, { "julia", "julia" }, { "jshell", "java" }, { "ghc", "haskell" }, { "racket", "racket" }, { "guile", "scheme" },
		{ "swift", "swift" }, { "ocaml", "ocaml" }, { "nim", "nim" }, { "gst", "smalltalk" }, { "octave", "octave" }, { "sbcl", "lisp" } };
	const char *name = exact(&a->cmd->argv[0]), *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name, *lang = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(base, known[i].program))
			lang = known[i].lang;
	}
	if (lang) {
		for (size_t i = 0; i < a->noption; i++) {
			if (a->option[i].value && !strcmp(a->option[i].option ? a->option[i].option->key : "", "e"))
				return effects_code(fx, a->cmd, lang, a->option[i].value);
		}
		if (!a->noperand && !a->noption && (a->cmd->pipe_from || a->cmd->stdin_text))
			return effects_stdin_code(fx, a->cmd, lang);
	}
	for (size_t i = 0; i < a->noption; i++) {
		const struct arg_option *o = &a->option[i];

		if (o->value && o->option && !strcmp(o->option->key, "o"))
			effects_path(fx, a->cmd, EFFECT_OVERWRITE, o->value, "writes");
	}
	return verbs_run(fx, a, "language");
}

static int cmake_hook(struct effects *fx, const struct args *a)
{
	const struct arg_option *prefix = args_option(a, "prefix");

	if (effects_tables(fx, a) < 0)
		return -1;
	if (args_has(a, "install") && !prefix)
		effects_plain(fx, a->cmd, EFFECT_INSTALL, "installs outside the workspace")->scope = "system";
	for (size_t i = 1; i + 1 < a->cmd->argc; i++) {	/* cmake -E rm -rf x, cmake --build b --target install */
		if (!strcmp(exact(&a->cmd->argv[i]), "-E"))
			return effects_command(fx, a->cmd, i + 1);
		if (!strcmp(exact(&a->cmd->argv[i]), "--target") && !strcmp(exact(&a->cmd->argv[i + 1]), "install"))
			effects_plain(fx, a->cmd, EFFECT_INSTALL, "installs outside the workspace")->scope = "system";
	}
	return 0;
}

static int build_hook(struct effects *fx, const struct args *a)
{
	const char *dest = args_value(a, "destdir");

	for (size_t i = 0; i < a->noperand && !dest; i++) {
		if (!strcmp(exact(a->operand[i]), "install"))
			effects_path(fx, a->cmd, EFFECT_INSTALL, a->operand[i], "installs outside the workspace")->scope = "system";
	}
	return verbs_inner(fx, a) < 0 ? -1 : effects_tables(fx, a);
}

static const struct { const char *name; special_fn *fn; } hooks[] = {
	{ "env",		env_hook },
	{ "printenv",		printenv_hook },
	{ "pip",		pip_hook },
	{ "find",		find_hook },
	{ "xargs",		xargs_hook },
	{ "parallel",		parallel_hook },
	{ "dd",			dd_hook },
	{ "tar",		tar_hook },
	{ "chmod",		chmod_hook },
	{ "kill",		kill_hook },
	{ "task",		task_hook },
	{ "make",		make_hook },
	{ "own-script",		own_script_hook },
	{ "task-name",		task_name_hook },
	{ "run-own",		run_own_hook },
	{ "each-task",		each_task_hook },
	{ "other-root",		other_root_hook },
	{ "flock",		flock_hook },
	{ "exec-option",	exec_option_hook },
	{ "yarn-again",		yarn_again_hook },
	{ "tool-run",		tool_run_hook },
	{ "python",		python_hook },
	{ "npx",		npx_hook },
	{ "container",		container_hook },
	{ "link",		link_hook },
	{ "copy",		copy_hook },
	{ "state",		state_hook },
	{ "alias",		alias_hook },
	{ "redis",		redis_hook },
	{ "editor",		editor_hook },
	{ "powershell",		pwsh_command },
	{ "cmd",		cmdexe_command },
	{ "fd",			fd_hook },
	{ "pager",		pager_hook },
	{ "echo",		echo_hook },
	{ "each-shell",		each_shell_hook },
	{ "tool-exec",		tool_exec_hook },
	{ "run-after-dashes",	after_dashes_hook },
	{ "builtin",		builtin_hook },
	{ "ssh",		ssh_hook },
	{ "netcat",		netcat_hook },
	{ "output-name",	output_name_hook },
	{ "kubectl-get",	kubectl_get_hook },
	{ "gh-api",		gh_api_hook },
	{ "php",		php_hook },
	{ "crontab",		crontab_hook },
	{ "at",			at_hook },
	{ "disk",		disk_hook },
	{ "storage",		storage_hook },
	{ "pacman",		pacman_hook },
	{ "sql-client",		sql_client_hook },
	{ "sqlite",		sqlite_hook },
	{ "language",		language_hook },
	{ "cmake",		cmake_hook },
	{ "build",		build_hook },
};

special_fn *special_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!strcmp(hooks[i].name, name))
			return hooks[i].fn;
	}
	return gitfx_find(name);
}

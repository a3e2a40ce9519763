#include "catalog.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "conf/conf.h"
#include "intercept/describe.h"
#include "intercept/fakeworld.h"
#include "intercept/judge.h"

#define WIDTH_MIN	40u
#define WIDTH_MAX	110u
#define SHOWN_MAX	(4u << 20)	/* bytes of one description */
#define NEAR_NAMES	3
#define EXAMPLES_SHOWN	16
#define NAME_COLUMN	24

struct catalog {
	struct conf	*conf;		/* what is in force, with the person's files */
	struct conf	 plain;		/* the shipped rules with the same files: what examples are judged by */
	struct conf	*shipped;	/* owner of what @plain points to */
	char		*schema;
	struct programs	*programs;	/* all read and checked */
	struct judge	*judge;
};

static void catalog_done(struct catalog *c)
{
	judge_free(c->judge);
	programs_free(c->programs);
	conf_free(c->shipped);
	conf_free(c->conf);
	free(c->schema);
}

static int load_programs(struct catalog *c, struct err *e)
{
	CLEANUP(cleanup_freep) char *dir = xasprintf("%s/programs", conf_datadir());

	if (programs_load(dir, c->schema, &c->programs, e) < 0)
		return -1;
	for (size_t i = 0; i < c->plain.nprogram_file; i++) {
		if (programs_add(c->programs, c->plain.program_file[i], c->schema, e) < 0)
			return -1;
	}
	return judge_new(&c->plain, conf_datadir(), &c->judge, e);
}

/* An example says what the built-in rules make of a line, so the person's own rules are left out of it. */
static int find_files(struct catalog *c, struct err *e)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const struct conf_from from = { .config = xdg && xdg[0] == '/' ? xdg : NULL };
	const struct conf_from none = { .home = "/nonexistent", .system = "/nonexistent" };

	if (conf_load(&from, &c->conf, e) < 0 || conf_load(&none, &c->shipped, e) < 0)
		return -1;
	c->schema = xasprintf("%s/schema/program.schema.json", conf_datadir());
	c->plain = *c->shipped;
	c->plain.program_file = c->conf->program_file;
	c->plain.nprogram_file = c->conf->nprogram_file;
	return 0;
}

/* ---- output --------------------------------------------------------------------------------------- */

static unsigned width(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || !ws.ws_col)
		return 80;
	return MIN(MAX((unsigned)ws.ws_col, WIDTH_MIN), WIDTH_MAX);
}

static void put_row(const char *head, const char *text)
{
	struct buf out, shown;

	buf_init(&out, SHOWN_MAX);
	buf_init(&shown, SHOWN_MAX);
	quote_into(&shown, text, strlen(text));
	describe_row(&out, DESCRIBE_INDENT, DESCRIBE_INDENT + 14, width(), head, buf_str(&shown));
	fputs(buf_str(&out), stdout);
	buf_done(&out);
	buf_done(&shown);
}

static void put_shown(const char *s)
{
	struct buf b;

	buf_init(&b, SHOWN_MAX);
	quote_into(&b, s, strlen(s));
	fputs(buf_str(&b), stdout);
	buf_done(&b);
}

/* ---- examples -------------------------------------------------------------------------------------- */

static const char *name_of(const struct simple *s)
{
	const char *text = s->known ? s->known : s->argc && s->argv[0].kind == WORD_EXACT ? s->argv[0].text : "";

	return !s->known && strrchr(text, '/') ? strrchr(text, '/') + 1 : text;
}

static bool has_word(const struct simple *s, const char *word)
{
	for (size_t i = 1; i < s->argc; i++) {
		if (s->argv[i].kind == WORD_EXACT && !strcmp(s->argv[i].text, word))
			return true;
	}
	return false;
}

typedef void verdict_fn(void *arg, const struct program_example *x, const struct verdict *v);

/* In a made-up project, so that it comes out the same everywhere. */
static int judge_example(struct catalog *c, const struct program_example *x, verdict_fn *fn, void *arg, struct err *e)
{
	json *desc = json_new_object();
	struct cmdline line;
	int rc;

	json_add_str(desc, "cmd", x->line);
	json_add_str(desc, "cwd", "/work/proj");
	json_add_str(desc, "home", "/home/dev");
	rc = fakeworld_line(desc, &line, e);
	if (rc == 0) {
		struct world *w = fakeworld_new(desc);
		struct live *live = fakeworld_live(desc);
		struct judgement *g = judge_line(c->judge, &line, live, w);

		fn(arg, x, judgement_verdict(g));
		judgement_free(g);
		live_free(live);
		fakeworld_free(w);
	}
	json_free(desc);
	return rc;
}

/* One pass over the examples: those that begin with the program, then those that run it somewhere inside. */
struct shown {
	const struct node	*node;
	char *const		*sub;		/* subcommands that are asked about */
	int			 nsub;
	bool			 inside;
	size_t			 n;
};

static bool is_about(const struct shown *s, const struct simple *c)
{
	bool hit = false;

	for (size_t i = 0; i < s->node->nname && !hit; i++)
		hit = !strcmp(name_of(c), s->node->name[i]);
	for (int i = 0; i < s->nsub && hit; i++)
		hit = has_word(c, s->sub[i]);
	return hit;
}

static void show_example(void *arg, const struct program_example *x, const struct verdict *v)
{
	struct shown *s = arg;
	bool first = v->ncmd && is_about(s, v->cmd[0]), hit = first;

	for (size_t i = 1; i < v->ncmd && !hit; i++)
		hit = is_about(s, v->cmd[i]);
	if (!hit || first == s->inside || s->n == EXAMPLES_SHOWN)
		return;
	if (!s->n++)
		puts("  examples (in a project with git, of which nothing else is known):");
	printf("    %-6s ", x->verdict);
	put_shown(x->line);
	putchar('\n');
}

static int show_examples(struct catalog *c, const struct options *o, struct err *e)
{
	struct shown s = { .node = programs_find(c->programs, o->rest[1]), .sub = o->rest + 2, .nsub = o->nrest - 2 };
	const struct program_example *x;

	for (int pass = 0; pass < 2; pass++) {
		s.inside = pass;
		for (size_t i = 0; (x = programs_example(c->programs, i)); i++) {
			if (judge_example(c, x, show_example, &s, e) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- show ------------------------------------------------------------------------------------------- */

static int no_program(struct catalog *c, const char *name, struct err *e)
{
	const char *all[NEAR_NAMES];
	const char **names = NULL, *near;
	size_t n = 0, found = 0;
	struct buf text;

	while (programs_name(c->programs, n))
		n++;
	names = xcalloc(n + 1, sizeof(*names));
	/* the first letter is seldom the slip: names that share it come first */
	n = 0;
	for (int other = 0; other < 2; other++) {
		for (size_t i = 0; programs_name(c->programs, i); i++) {
			if ((programs_name(c->programs, i)[0] != name[0]) == other)
				names[n++] = programs_name(c->programs, i);
		}
	}
	while (found < NEAR_NAMES && (near = options_nearest(name, names, n))) {
		all[found++] = near;
		for (size_t i = 0; i < n; i++)
			names[i] = strcmp(names[i], near) ? names[i] : "";
	}
	free(names);
	buf_init(&text, ERR_MAX);
	quote_into(&text, name, MIN(strlen(name), 100u));
	for (size_t i = 0; i < found; i++)
		buf_addf(&text, "%s%s", i ? ", " : "': did you mean ", all[i]);
	err_set(e, 0, "nothing is known of the program '%s%s", buf_str(&text),
		found ? "?" : "': it is asked. See sbxterm programs list");
	buf_done(&text);
	return -1;
}

/* "git push": the subcommand. */
static const struct node *find_sub(const struct node *n, const char *name)
{
	for (size_t i = 0; i < n->nsub; i++) {
		for (size_t k = 0; k < n->sub[i].nname; k++) {
			if (!strcmp(n->sub[i].name[k], name))
				return &n->sub[i];
		}
	}
	return NULL;
}

static int find_shown(struct catalog *c, const struct options *o, const struct node **out, struct buf *called, struct err *e)
{
	const struct node *n = programs_find(c->programs, o->rest[1]);

	if (!n)
		return no_program(c, o->rest[1], e);
	buf_adds(called, o->rest[1]);
	for (int i = 2; i < o->nrest; i++) {
		const struct node *sub = find_sub(n, o->rest[i]);
		struct buf shown;

		if (!sub) {
			buf_init(&shown, ERR_MAX);
			quote_into(&shown, o->rest[i], MIN(strlen(o->rest[i]), 100u));
			err_set(e, 0, "nothing is known of a subcommand '%s' of %s", buf_str(&shown), buf_str(called));
			buf_done(&shown);
			return -1;
		}
		n = sub;
		buf_addf(called, " %s", o->rest[i]);
	}
	*out = n;
	return 0;
}

static int show(struct catalog *c, const struct options *o, struct err *e)
{
	const struct node *n = NULL;
	struct buf called, out;
	int rc;

	buf_init(&called, SHOWN_MAX);
	rc = find_shown(c, o, &n, &called, e);
	if (rc == 0) {
		buf_init(&out, SHOWN_MAX);
		put_shown(buf_str(&called));
		puts(programs_added(c->programs, o->rest[1]) ? "  (added, not shipped)" : "");
		put_row("described in:", programs_file(c->programs, o->rest[1]));
		describe_program(&out, n, o->rest[o->nrest - 1], width());
		fputs(buf_str(&out), stdout);
		buf_done(&out);
		rc = show_examples(c, o, e);
	}
	buf_done(&called);
	return rc;
}

/* ---- list ------------------------------------------------------------------------------------------- */

static int list(struct catalog *c, const struct options *o, struct err *e)
{
	const char *filter = o->nrest > 1 ? o->rest[1] : "", *name;
	size_t shown = 0;

	for (size_t i = 0; (name = programs_name(c->programs, i)); i++) {
		const struct node *n = strstr(name, filter) ? programs_find(c->programs, name) : NULL;
		CLEANUP(cleanup_freep) char *text = n ? describe_summary(n) : NULL;
		CLEANUP(cleanup_freep) char *padded = n ? xasprintf("%-*s %s%s", NAME_COLUMN, name, text,
								    programs_added(c->programs, name) ? " (added)" : "") : NULL;

		if (!n)
			continue;
		put_shown(padded);
		putchar('\n');
		shown++;
	}
	return shown ? 0 : no_program(c, filter, e);
}

/* ---- check ------------------------------------------------------------------------------------------ */

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Is it one of the files that are read anyhow? Its name as examples have it. */
static const char *known_file(struct catalog *c, const char *path)
{
	const char *name;

	for (size_t i = 0; i < c->plain.nprogram_file; i++) {
		if (same_file(c->plain.program_file[i], path))
			return c->plain.program_file[i];
	}
	for (size_t i = 0; (name = programs_name(c->programs, i)); i++) {
		if (same_file(programs_file(c->programs, name), path))
			return programs_file(c->programs, name);
	}
	return NULL;
}

struct checked {
	size_t	n, wrong;
};

static void check_example(void *arg, const struct program_example *x, const struct verdict *v)
{
	struct checked *k = arg;

	k->n++;
	if (!strcmp(action_name[v->action], x->verdict))
		return;
	k->wrong++;
	put_shown(x->file);
	printf(":%u:%u: found %s (%s) for ", x->at_line, x->at_column, action_name[v->action], v->rule);
	put_shown(x->line);
	printf(", expected %s: ", x->verdict);
	put_shown(v->reason);
	putchar('\n');
}

static int check_examples(struct catalog *c, const char *file, struct err *e)
{
	const struct program_example *x;
	struct checked k = { 0 };
	size_t programs = 0;

	for (size_t i = 0; (x = programs_example(c->programs, i)); i++) {
		if (!strcmp(x->file, file) && judge_example(c, x, check_example, &k, e) < 0)
			return -1;
	}
	for (size_t i = 0; programs_name(c->programs, i); i++)
		programs += !strcmp(programs_file(c->programs, programs_name(c->programs, i)), file);
	put_shown(file);
	printf(": %zu name%s, %zu example%s, %zu wrong\n", programs, programs == 1 ? "" : "s", k.n, k.n == 1 ? "" : "s", k.wrong);
	if (!k.n)
		puts("a file without examples says nothing that is tested: give one line that is harmless and one that is not");
	return k.wrong ? CATALOG_MISTAKE : CATALOG_GOOD;
}

/* The file on top of what is known, as it would be in the person's folder. */
static int check_new(struct catalog *c, const char *path, struct err *e)
{
	CLEANUP(cleanup_freep) const char **files = xcalloc(c->plain.nprogram_file + 1, sizeof(*files));

	for (size_t i = 0; i < c->plain.nprogram_file; i++)
		files[i] = c->plain.program_file[i];
	files[c->plain.nprogram_file++] = path;
	c->plain.program_file = files;
	programs_free(STEAL(c->programs));
	judge_free(STEAL(c->judge));
	if (load_programs(c, e) < 0) {
		fprintf(stderr, "%s\n", e->msg);
		return CATALOG_MISTAKE;
	}
	return check_examples(c, path, e);
}

static int check(struct catalog *c, const struct options *o, struct err *e)
{
	const char *known = known_file(c, o->rest[1]);

	if (access(o->rest[1], R_OK) < 0)
		return err_set(e, errno, "programs check: open %s", o->rest[1]);
	return known ? check_examples(c, known, e) : check_new(c, o->rest[1], e);
}

/* ---- entry ------------------------------------------------------------------------------------------ */

typedef int verb_fn(struct catalog *c, const struct options *o, struct err *e);

static const struct { const char *name; verb_fn *fn; } verbs[] = {
	{ "show", show }, { "list", list }, { "check", check },
};

int catalog_main(const struct options *o, struct err *e)
{
	struct catalog c = { 0 };
	int rc = find_files(&c, e);

	if (rc == 0)
		rc = load_programs(&c, e);
	for (size_t i = 0; i < ARRAY_SIZE(verbs) && rc == 0; i++) {
		if (!strcmp(verbs[i].name, o->rest[0])) {
			rc = verbs[i].fn(&c, o, e);
			break;
		}
	}
	catalog_done(&c);
	if (rc >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
		return err_set(e, errno, "standard output");
	return rc;
}

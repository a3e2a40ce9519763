#include "intercept/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void put(struct expand *x, struct piece *list)
{
	struct capture *c = x->cap;

	if (!c || !list)
		return;
	piece_append(&c->tail, list);
	c->n++;
}

void output_unknown(struct expand *x, const char *why)
{
	put(x, piece_unknown(x, why));
}

static void put_str(struct expand *x, const char *s)
{
	put(x, piece_str(x, s));
}

static void put_word(struct expand *x, const struct word *w)
{
	put(x, builtin_word_piece(x, w));
}

static const char *exact(const struct word *w)
{
	return w->kind == WORD_EXACT ? w->text : NULL;
}

static bool all_exact(const struct simple *s)
{
	for (size_t i = 0; i < s->argc; i++) {
		if (!exact(&s->argv[i]))
			return false;
	}
	return true;
}

/* ---- echo and printf ------------------------------------------------------------------ */

static bool echo_options(const char *s, bool *newline, bool *escapes)
{
	if (s[0] != '-' || !s[1] || strspn(s + 1, "neE") != strlen(s + 1))
		return false;
	for (s++; *s; s++) {
		if (*s == 'n')
			*newline = false;
		else
			*escapes = *s == 'e';
	}
	return true;
}

static void out_echo(struct expand *x, const struct simple *s)
{
	bool newline = true, escapes = model_option(x, "xpg_echo") != 0;
	size_t i = 1;

	while (i < s->argc && exact(&s->argv[i]) && echo_options(s->argv[i].text, &newline, &escapes))
		i++;
	for (size_t k = i; k < s->argc; k++) {
		const struct word *w = &s->argv[k];

		if (k > i)
			put_str(x, " ");
		if (w->kind != WORD_EXACT && (k == i || w->kind == WORD_PATTERN))
			output_unknown(x, w->why ? w->why : "output of echo");	/* it may be an option */
		else if (escapes && (w->kind != WORD_EXACT || strchr(w->text, '\\')))
			output_unknown(x, "escapes of echo -e");
		else
			put_word(x, w);
	}
	if (newline)
		put_str(x, "\n");
}

struct format {
	struct buf	 out;
	const struct word *arg;
	size_t		 n, used;
};

static const char *next_arg(struct format *f)
{
	return f->used < f->n ? f->arg[f->used++].text : (f->used++, "");
}

/* What follows a backslash: bytes used, 0 for what is not followed here (also a NUL, which ends the text). */
static size_t format_escape(struct buf *out, const char *s)
{
	static const char from[] = "abefnrtv\\\"", to[] = "\a\b\033\f\n\r\t\v\\\"";
	const char *p = *s ? strchr(from, *s) : NULL;
	unsigned v = 0;
	size_t n = 0;

	if (p) {
		buf_addc(out, to[p - from]);
		return 1;
	}
	if (*s == 'x') {
		for (n = 1; n < 3 && isxdigit((unsigned char)s[n]); n++)
			v = v * 16 + (unsigned)(isdigit((unsigned char)s[n]) ? s[n] - '0' : tolower((unsigned char)s[n]) - 'a' + 10);
		n = n > 1 ? n : 0;
	} else {
		for (; n < 3 && s[n] >= '0' && s[n] <= '7'; n++)
			v = v * 8 + (unsigned)(s[n] - '0');
	}
	if (!n || !(v & 0xff))
		return 0;
	buf_addc(out, (char)v);
	return n;
}

/* The argument of %b: as in the format, and \0NNN has one more digit. */
static bool format_escaped(struct buf *out, const char *s)
{
	for (; *s; s++) {
		size_t n = 0;

		if (*s != '\\') {
			buf_addc(out, *s);
			continue;
		}
		if (s[1] == '0' && s[2] >= '0' && s[2] <= '7')
			s++;
		n = format_escape(out, s + 1);
		if (!n)
			return false;
		s += n;
	}
	return true;
}

/* One pass over the format; false: it has something that is not followed here. */
static bool format_once(struct format *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\') {
			size_t n = format_escape(&f->out, s + 1);

			if (!n)
				return false;
			s += n;
		} else if (*s == '%' && s[1] == 'b') {
			if (!format_escaped(&f->out, next_arg(f)))
				return false;
			s++;
		} else if (*s == '%' && s[1] == '%') {
			buf_addc(&f->out, *s++);
		} else if (*s == '%' && s[1] == 's') {
			buf_adds(&f->out, next_arg(f));
			s++;
		} else if (*s == '%' && s[1] == 'd') {
			const char *v = next_arg(f);

			if (!*v || strspn(v, "0123456789") != strlen(v) || (v[0] == '0' && v[1]) || strlen(v) > 18)
				return false;
			buf_adds(&f->out, v);
			s++;
		} else if (*s == '%') {
			return false;
		} else {
			buf_addc(&f->out, *s);
		}
	}
	return true;
}

const char *output_printf(struct expand *x, const struct word *argv, size_t argc)
{
	struct format f = { .arg = argv + 1, .n = argc ? argc - 1 : 0 };
	const char *format, *result = NULL;
	bool fine = true;

	for (size_t i = 0; i < argc; i++) {
		if (!exact(&argv[i]))
			return NULL;
	}
	if (!argc)
		return NULL;
	format = argv[0].text;
	buf_init(&f.out, 1u << 16);
	do {
		size_t before = f.used;

		fine = format_once(&f, format);
		if (f.used == before)
			break;
	} while (fine && f.used < f.n && !f.out.full);
	if (fine && !f.out.full)
		result = arena_strdup(x->a, buf_str(&f.out));
	buf_done(&f.out);
	return result;
}

static void out_printf(struct expand *x, const struct simple *s)
{
	size_t i = 1;
	const char *text;

	if (s->argc > 1 && exact(&s->argv[1]) && strcmp(s->argv[1].text, "--") == 0)
		i++;
	if (s->argc > i && exact(&s->argv[i]) && s->argv[i].text[0] == '-') {
		if (strncmp(s->argv[i].text, "-v", 2) != 0)
			output_unknown(x, "output of printf");
		return;
	}
	/* %s with a word that is partly known keeps what is known */
	if (s->argc == i + 2 && exact(&s->argv[i]) && !exact(&s->argv[i + 1]) &&
	    (strcmp(s->argv[i].text, "%s") == 0 || strcmp(s->argv[i].text, "%s\\n") == 0)) {
		put_word(x, &s->argv[i + 1]);
		return;
	}
	text = output_printf(x, s->argv + i, s->argc - i);
	if (text)
		put_str(x, text);
	else
		output_unknown(x, "output of printf");
}

/* ---- programs whose output is a matter of their words ------------------------------------ */

static void out_pwd(struct expand *x, const struct simple *s)
{
	bool physical = s->argc > 1 && exact(&s->argv[1]) && strchr(s->argv[1].text, 'P');
	const char *dir = physical ? x->st.real : x->st.cwd;

	put(x, dir ? piece_str(x, dir) : piece_unknown(x, x->st.cwd_why));
	put_str(x, "\n");
}

static const char *last_slash(const char *s, size_t *len)
{
	const char *p = memrchr(s, '/', *len);

	return p;
}

/* basename or dirname of a name that only a pattern is known of. */
static bool put_glob(struct expand *x, const struct simple *s, enum param_op op, const char *pattern)
{
	struct piece *p = s->argc > 1 && s->argv[1].kind == WORD_PATTERN ? param_glob(x, op, builtin_word_piece(x, &s->argv[1]), pattern) : NULL;
	struct piece *end = p && s->argc == 3 && exact(&s->argv[2]) ? param_glob(x, PARAM_CUT_BACK, p, s->argv[2].text) : NULL;

	if (!p || s->argc > 3 || (s->argc == 3 && !end))
		return false;
	put(x, end ? end : p);
	put_str(x, "\n");
	return true;
}

static void out_basename(struct expand *x, const struct simple *s)
{
	const char *path, *slash;
	size_t len;

	if (put_glob(x, s, PARAM_CUT_FRONT_LONG, "*/"))
		return;
	if (s->argc < 2 || s->argc > 3 || !all_exact(s) || s->argv[1].text[0] == '-' || !s->argv[1].text[0]) {
		output_unknown(x, "output of basename");
		return;
	}
	path = s->argv[1].text;
	len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	slash = last_slash(path, &len);
	if (slash && len > 1) {
		len -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	if (s->argc == 3) {
		size_t cut = strlen(s->argv[2].text);

		if (cut < len && memcmp(path + len - cut, s->argv[2].text, cut) == 0)
			len -= cut;
	}
	put(x, piece_text(x, path, len));
	put_str(x, "\n");
}

static void out_dirname(struct expand *x, const struct simple *s)
{
	const char *path, *slash;
	size_t len;

	if (s->argc == 2 && put_glob(x, s, PARAM_CUT_BACK, "/*"))
		return;
	if (s->argc != 2 || !all_exact(s) || s->argv[1].text[0] == '-') {
		output_unknown(x, "output of dirname");
		return;
	}
	path = s->argv[1].text;
	len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	slash = last_slash(path, &len);
	len = slash ? (size_t)(slash - path) : 0;
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (!slash)
		put_str(x, ".");
	else
		put(x, piece_text(x, path, len ? len : 1));
	put_str(x, "\n");
}

/* The directory that git -C names, relative to the shell's. */
static const char *git_dir(struct expand *x, const struct simple *s, size_t *i)
{
	const char *dir = x->st.real;

	while (*i + 1 < s->argc && strcmp(s->argv[*i].text, "-C") == 0) {
		if (!dir && s->argv[*i + 1].text[0] != '/')
			return NULL;
		dir = model_path(x, dir ? dir : "/", s->argv[*i + 1].text);
		*i += 2;
	}
	return dir;
}

static bool words_are(const struct simple *s, size_t i, const char *const *want)
{
	for (; *want; want++, i++) {
		if (i >= s->argc || strcmp(s->argv[i].text, *want) != 0)
			return false;
	}
	return i == s->argc;
}

static void out_git(struct expand *x, const struct simple *s)
{
	static const char *const top[] = { "rev-parse", "--show-toplevel", NULL };
	static const char *const branch1[] = { "branch", "--show-current", NULL };
	static const char *const branch2[] = { "rev-parse", "--abbrev-ref", "HEAD", NULL };
	const struct world *w = x->in.world;
	const char *dir, *text = NULL;
	size_t i = 1;

	if (w && all_exact(s) && !s->nassign && (dir = git_dir(x, s, &i))) {
		if (words_are(s, i, top))
			text = w->git_root(w->arg, dir);
		else if (words_are(s, i, branch1) || words_are(s, i, branch2))
			text = w->git_branch(w->arg, dir);
	}
	if (!text) {
		output_unknown(x, "output of git");
		return;
	}
	put_str(x, arena_strdup(x->a, text));
	put_str(x, "\n");
}

/* A new name in a scratch directory: the start is known, the rest has no blanks. */
static const char *mktemp_start(struct expand *x, const struct simple *s, const char *dir)
{
	const char *template = NULL;
	bool in_tmp = false;
	size_t n;

	for (size_t i = 1; i < s->argc; i++) {
		const char *o = exact(&s->argv[i]);

		if (!o || template)
			return NULL;
		if (*o != '-')
			template = o;
		else if (strcmp(o, "-t") == 0)
			in_tmp = true;
		else if (strcmp(o, "-d") != 0 && strcmp(o, "-q") != 0 && strcmp(o, "--directory") != 0)
			return NULL;
	}
	if (!template)
		return dir ? arena_printf(x->a, "%s/tmp.", dir) : NULL;
	n = strlen(template);
	while (n && template[n - 1] == 'X')
		n--;
	if (in_tmp)
		return dir ? arena_printf(x->a, "%s/%.*s", dir, (int)n, template) : NULL;
	return arena_strndup(x->a, template, n);
}

static void out_mktemp(struct expand *x, const struct simple *s)
{
	const struct value *v = model_var(x, "TMPDIR");
	const char *dir = v->state == LIVE_UNSET ? "/tmp" : v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;
	const char *start = mktemp_start(x, s, dir);

	if (!start || strpbrk(start, " \t\n*?[")) {
		output_unknown(x, "output of mktemp");
		return;
	}
	put_str(x, start);
	put(x, piece_solid(x, "a new name made by mktemp"));
	put_str(x, "\n");
}

static void out_whoami(struct expand *x, const struct simple *s)
{
	const char *user = x->in.line->user;

	if (s->argc == 1 && user) {
		put_str(x, user);
		put_str(x, "\n");
	} else {
		output_unknown(x, "output of whoami");
	}
}

static void out_cat(struct expand *x, const struct simple *s)
{
	if (s->argc == 1 && s->stdin_text)
		put_word(x, s->stdin_text);
	else
		output_unknown(x, "output of cat");
}

static bool small_number(const char *s, long *v)
{
	char *end;

	*v = strtol(s, &end, 10);
	return isdigit((unsigned char)*s) && !*end && *v <= 100000 && (*s != '0' || !s[1]);
}

static void out_seq(struct expand *x, const struct simple *s)
{
	long from = 1, to = 0;

	if (!all_exact(s) || s->argc < 2 || s->argc > 3 || !small_number(s->argv[s->argc - 1].text, &to) ||
	    (s->argc == 3 && !small_number(s->argv[1].text, &from)) || to - from > 1000) {
		output_unknown(x, "output of seq");
		return;
	}
	for (long i = from; i <= to; i++)
		put_str(x, arena_printf(x->a, "%ld\n", i));
}

static void out_nothing(struct expand *x, const struct simple *s)
{
	(void)x;
	(void)s;
}

typedef void output_fn(struct expand *x, const struct simple *s);

static const struct { const char *name; output_fn *fn; } outputs[] = {
	{ "echo", out_echo }, { "printf", out_printf }, { "pwd", out_pwd }, { "basename", out_basename },
	{ "dirname", out_dirname }, { "git", out_git }, { "mktemp", out_mktemp }, { "whoami", out_whoami },
	{ "cat", out_cat }, { "seq", out_seq },
	{ ":", out_nothing }, { "true", out_nothing }, { "false", out_nothing }, { "cd", out_nothing },
	{ "export", out_nothing }, { "local", out_nothing }, { "set", out_nothing }, { "shopt", out_nothing },
	{ "test", out_nothing }, { "[", out_nothing }, { "unset", out_nothing }, { "exit", out_nothing },
	{ "return", out_nothing }, { "read", out_nothing }, { "shift", out_nothing },
};

/* Where a redirection of descriptor 1 leads. 1: away, 0: still into the capture, -1: not known. */
static int leads_away(const struct redir *r)
{
	const char *to = exact(&r->target);

	if (r->op == REDIR_BOTH || r->op == REDIR_BOTH_APPEND || r->op == REDIR_WRITE || r->op == REDIR_APPEND ||
	    r->op == REDIR_CLOBBER)
		return to && (strcmp(to, "/dev/null") == 0 || strncmp(to, "/dev/", 5) != 0) ? 1 : -1;
	return r->op == REDIR_DUP_OUT && to && strcmp(to, "2") == 0 ? 1 : -1;
}

static int goes_elsewhere(const struct simple *s)
{
	int away = 0;

	for (size_t i = 0; i < s->nredir; i++) {
		const struct redir *r = &s->redir[i];

		if (r->fd == 1 || r->op == REDIR_BOTH || r->op == REDIR_BOTH_APPEND)
			away = away < 0 ? -1 : leads_away(r);
	}
	return away;
}

/* cd prints when it follows CDPATH or "-": then it is not silent. */
static bool cd_prints(struct expand *x, const struct simple *s)
{
	const struct value *v;

	if (s->argc > 1 && (!exact(&s->argv[s->argc - 1]) || strcmp(s->argv[s->argc - 1].text, "-") == 0))
		return true;
	v = model_var(x, "CDPATH");
	return v->state != LIVE_UNSET;
}

/* 2>&1 before a failing program may add to the output. */
static bool mixes_errors(const struct simple *s)
{
	for (size_t i = 0; i < s->nredir; i++) {
		if (s->redir[i].op == REDIR_DUP_OUT && s->redir[i].fd == 2)
			return true;
	}
	return false;
}

void output_of(struct expand *x, const struct simple *s)
{
	const char *name = s->argc ? exact(&s->argv[0]) : NULL;
	int away;

	if (!x->cap || !s->argc)
		return;
	away = goes_elsewhere(s);
	if (away > 0)
		return;
	if (away < 0) {
		output_unknown(x, "output that is redirected");
		return;
	}
	if (name && strcmp(name, "cd") == 0 && cd_prints(x, s)) {
		output_unknown(x, "cd prints a directory");
		return;
	}
	for (size_t i = 0; name && !mixes_errors(s) && i < ARRAY_SIZE(outputs); i++) {
		if (strcmp(outputs[i].name, name) != 0)
			continue;
		outputs[i].fn(x, s);
		return;
	}
	output_unknown(x, name ? arena_printf(x->a, "output of %s", name) : "output of a command");
}

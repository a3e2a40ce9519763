/* intercept/codefold.c - say Python and JavaScript code plainly, by its syntax tree */
#include "intercept/codefold.h"

#include <stdlib.h>
#include <string.h>

#include "intercept/stream.h"
#include "intercept/treesit.h"

#define FOLD_NAMES	256u
#define FOLD_ITEMS	16u	/* of a loop that is written out */
#define FOLD_LOOPS	2u	/* one in the other */
#define FOLD_STEPS	200000u	/* nodes visited in all */
#define FOLD_TEXT	65536u	/* bytes of one value */

struct leaf {
	const char	*type, *field;
	size_t		 from, to;
	struct leaf	*up, *down, *next, *last;
	bool		 named;
};

/* What a name stands for: a dotted path, or an expression that is a constant. */
struct name {
	const char		*text;
	size_t			 len;
	const char		*path;
	const struct leaf	*value;
	const char		*item;		/* now, while a loop is written out */
	bool			 vague;		/* bound to more than one thing */
	unsigned		 times;		/* bound */
};

struct fold {
	struct effects		*fx;
	const struct simple	*s;
	enum codefold_lang	 lang;
	const char		*text;
	struct leaf		*node;
	size_t			 n;
	struct leaf		*at[CODEFOLD_DEPTH];
	struct name		 name[FOLD_NAMES];
	size_t			 nname;
	unsigned		 steps, loops;
	bool			 bad;
	bool			 loose;		/* names may change in ways that are not seen: exec("x = 1"), globals() */
	bool			 env_set, moved;	/* the code changes its environment, its directory */
	struct buf		 out;
};

/* ---- the tree --------------------------------------------------------------------------------------- */

static enum treesit_go note(void *arg, const struct treesit_node *t)
{
	struct fold *f = arg;
	struct leaf *n;

	if (t->error || t->missing || t->depth >= CODEFOLD_DEPTH || f->n == CODEFOLD_NODES)
		return TREESIT_STOP;
	n = arena_alloc(f->fx->mem, sizeof(*n));
	if (!n)
		return TREESIT_STOP;
	*n = (struct leaf){ .type = t->type, .field = t->field, .from = t->from, .to = t->to, .named = t->named };
	f->n++;
	if (t->depth) {
		n->up = f->at[t->depth - 1];
		if (n->up->last)
			n->up->last->next = n;
		else
			n->up->down = n;
		n->up->last = n;
	} else {
		f->node = n;
	}
	f->at[t->depth] = n;
	return TREESIT_DOWN;
}

static bool is(const struct leaf *n, const char *type)
{
	return n && !strcmp(n->type, type);
}

static const struct leaf *field(const struct leaf *n, const char *name)
{
	for (const struct leaf *c = n ? n->down : NULL; c; c = c->next) {
		if (c->field && !strcmp(c->field, name))
			return c;
	}
	return NULL;
}

/* The @i-th child with a name of its own; comments don't count. */
static const struct leaf *child(const struct leaf *n, size_t i)
{
	for (const struct leaf *c = n ? n->down : NULL; c; c = c->next) {
		if (c->named && !is(c, "comment") && i-- == 0)
			return c;
	}
	return NULL;
}

static bool says(const struct fold *f, const struct leaf *n, const char *text)
{
	return n && n->to - n->from == strlen(text) && !memcmp(f->text + n->from, text, n->to - n->from);
}

static char *copy(const struct fold *f, const struct leaf *n)
{
	return n ? arena_strndup(f->fx->mem, f->text + n->from, n->to - n->from) : NULL;
}

/* ---- names -------------------------------------------------------------------------------------------- */

static struct name *find(struct fold *f, const struct leaf *n)
{
	for (size_t i = 0; i < f->nname; i++) {
		if (f->name[i].len == n->to - n->from && !memcmp(f->name[i].text, f->text + n->from, f->name[i].len))
			return &f->name[i];
	}
	return NULL;
}

static void bind(struct fold *f, const struct leaf *n, const char *path, const struct leaf *value)
{
	struct name *old = n ? find(f, n) : NULL;

	if (!n)
		return;
	if (old) {
		old->times++;
		old->vague = old->vague || !path || !old->path || strcmp(path, old->path) != 0;
		return;
	}
	if (f->nname == FOLD_NAMES) {
		f->bad = true;
		return;
	}
	f->name[f->nname++] = (struct name){ .text = f->text + n->from, .len = n->to - n->from, .path = path, .value = value,
					     .vague = !path && !value, .times = 1 };
}

static bool value(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth);
static const char *path_of(struct fold *f, const struct leaf *n, unsigned depth);

static char *text_of(struct fold *f, const struct leaf *n, unsigned depth)
{
	struct buf b;
	char *t = NULL;

	buf_init(&b, FOLD_TEXT);
	if (n && value(f, n, &b, depth + 1) && !b.full && !memchr(buf_str(&b), 0, b.len))
		t = arena_strndup(f->fx->mem, buf_str(&b), b.len);
	buf_done(&b);
	return t;
}

static const char *member(struct fold *f, const char *base, const char *name)
{
	return base && name ? arena_printf(f->fx->mem, "%s.%s", base, name) : NULL;
}

/* "node:fs/promises" -> "fs.promises"; packages that are another one and more go by its name. */
static const char *module(struct fold *f, const char *name)
{
	char *m;

	if (!name || f->lang == CODEFOLD_PYTHON)
		return name;
	if (!strncmp(name, "node:", 5))
		name += 5;
	if (!strcmp(name, "fs-extra") || !strcmp(name, "graceful-fs"))
		name = "fs";
	m = arena_strdup(f->fx->mem, name);
	for (char *p = m; p && *p; p++)
		*p = *p == '/' ? '.' : *p;
	return m;
}

static const struct leaf *arg(const struct leaf *call, size_t i)
{
	return child(field(call, "arguments"), i);
}

/* getattr(os, "system"), fs["rmSync"] */
static const char *chosen(struct fold *f, const struct leaf *base, const struct leaf *which, unsigned depth)
{
	const char *p = path_of(f, base, depth + 1);

	return p ? member(f, p, text_of(f, which, depth)) : NULL;
}

static const char *path_of_call(struct fold *f, const struct leaf *n, unsigned depth)
{
	const struct leaf *fn = field(n, "function");

	if (says(f, fn, "__import__") || says(f, fn, "importlib.import_module") || says(f, fn, "require") || is(fn, "import"))
		return module(f, text_of(f, arg(n, 0), depth));
	if (f->lang == CODEFOLD_PYTHON && says(f, fn, "getattr"))
		return chosen(f, arg(n, 0), arg(n, 1), depth);
	return NULL;
}

static const char *path_of_name(struct fold *f, const struct leaf *n, unsigned depth)
{
	static const char *const global[] = { "globalThis", "global", "builtins", "__builtins__", "process", "Deno", "Bun" };
	struct name *v = find(f, n);

	if (v)
		return v->vague ? NULL : v->path ? v->path : path_of(f, v->value, depth + 1);
	for (size_t i = 0; i < ARRAY_SIZE(global); i++) {
		if (says(f, n, global[i]))
			return global[i];
	}
	return f->lang == CODEFOLD_PYTHON && (says(f, n, "eval") || says(f, n, "exec")) ? copy(f, n) : NULL;
}

/* The dotted path of what comes out of a module, NULL: it does not. */
static const char *path_of(struct fold *f, const struct leaf *n, unsigned depth)
{
	if (!n || depth > 32)
		return NULL;
	if (is(n, "identifier"))
		return path_of_name(f, n, depth);
	if (is(n, "attribute") || is(n, "member_expression")) {
		const struct leaf *name = field(n, f->lang == CODEFOLD_PYTHON ? "attribute" : "property");
		const char *base = path_of(f, field(n, "object"), depth + 1);

		return base ? member(f, base, copy(f, name)) : NULL;
	}
	if (is(n, "subscript_expression"))
		return chosen(f, field(n, "object"), field(n, "index"), depth);
	if (is(n, "parenthesized_expression") || is(n, "await_expression") || is(n, "await"))
		return path_of(f, child(n, 0), depth + 1);
	if (is(n, "call") || is(n, "call_expression"))
		return path_of_call(f, n, depth);
	return NULL;
}

static void bind_import(struct fold *f, const struct leaf *n)
{
	const struct leaf *from = field(n, "module_name");
	const char *base = from ? copy(f, from) : NULL;

	for (const struct leaf *c = n->down; c; c = c->next) {
		const struct leaf *what = is(c, "aliased_import") ? field(c, "name") : c, *as = field(c, "alias");

		if (!c->field || strcmp(c->field, "name") != 0)
			continue;
		if (from)
			bind(f, as ? as : what, member(f, base, copy(f, what)), NULL);
		else if (as)
			bind(f, as, copy(f, what), NULL);
		else
			bind(f, child(what, 0), copy(f, child(what, 0)), NULL);
	}
}

static void bind_clause(struct fold *f, const struct leaf *n, const char *base)
{
	for (const struct leaf *c = n ? n->down : NULL; c; c = c->next) {
		if (is(c, "identifier"))
			bind(f, c, base, NULL);
		else if (is(c, "namespace_import"))
			bind(f, child(c, 0), base, NULL);
		else if (is(c, "named_imports"))
			bind_clause(f, c, base);
		else if (is(c, "import_specifier"))
			bind(f, field(c, "alias") ? field(c, "alias") : field(c, "name"), member(f, base, copy(f, field(c, "name"))), NULL);
	}
}

static void bind_pattern(struct fold *f, const struct leaf *n, const char *base, unsigned depth)
{
	static const char *const part[] = { "attribute", "subscript", "member_expression", "subscript_expression" };

	if (!n || depth > 16)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		if (is(n, part[i]))	/* a part of what the name stands for changes, not the name */
			return;
	}
	if (is(n, "identifier") || is(n, "shorthand_property_identifier_pattern")) {
		bind(f, n, depth && base ? base : NULL, NULL);
		return;
	}
	for (const struct leaf *c = n->down; c; c = c->next) {
		if (is(c, "shorthand_property_identifier_pattern"))
			bind(f, c, member(f, base, copy(f, c)), NULL);
		else if (is(c, "pair_pattern"))
			bind_pattern(f, field(c, "value"), member(f, base, copy(f, field(c, "key"))), depth + 1);
		else if (c->named)
			bind_pattern(f, c, NULL, depth + 1);
	}
}

static bool binds_parameters(const struct leaf *n)
{
	static const char *const type[] = { "parameters", "lambda_parameters", "formal_parameters", "as_pattern_target", "case_pattern" };

	for (size_t i = 0; i < ARRAY_SIZE(type); i++) {
		if (is(n, type[i]))
			return true;
	}
	return false;
}

/* Calls and assignments by which names, the environment or the directory change unseen. */
static void note_changes(struct fold *f, const struct leaf *n)
{
	static const char *const changes[] = { "globals", "locals", "vars", "setattr" };
	const struct leaf *fn = field(n, "function"), *left = field(n, "left");
	char *t = is(fn, "attribute") || is(fn, "member_expression") ? copy(f, fn) : left && !is(left, "identifier") ? copy(f, left) : NULL;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		f->loose = f->loose || says(f, fn, changes[i]);
	f->loose = f->loose || ((says(f, fn, "exec") || says(f, fn, "eval")) && is(arg(n, 0), "string"));
	f->moved = f->moved || says(f, fn, "chdir") || (t && fn && strstr(t, "chdir"));
	f->env_set = f->env_set || (t && (fn ? strstr(t, "environ.update") || strstr(t, "putenv") || strstr(t, "setdefault") ||
					     strstr(t, "environ.pop") || strstr(t, "assign") : strstr(t, "env") != NULL));
}

static void collect(struct fold *f, const struct leaf *n)
{
	note_changes(f, n);
	if (is(n, "import_statement") && f->lang == CODEFOLD_JS)
		bind_clause(f, child(n, 0), module(f, text_of(f, field(n, "source"), 0)));
	else if (is(n, "import_statement") || is(n, "import_from_statement"))
		bind_import(f, n);
	else if (is(n, "variable_declarator") && !is(field(n, "name"), "identifier"))
		bind_pattern(f, field(n, "name"), path_of(f, field(n, "value"), 0), 0);
	else if (is(n, "variable_declarator"))
		bind(f, field(n, "name"), NULL, field(n, "value"));
	else if ((is(n, "assignment") || is(n, "assignment_expression")) && is(field(n, "left"), "identifier"))
		bind(f, field(n, "left"), NULL, field(n, "right"));
	else if (is(n, "named_expression"))
		bind(f, field(n, "name"), NULL, field(n, "value"));
	else if (is(n, "function_definition") || is(n, "class_definition") || is(n, "function_declaration") || is(n, "class_declaration"))
		bind(f, field(n, "name"), NULL, NULL);
	else if (field(n, "left") && (strstr(n->type, "assignment") || strstr(n->type, "for_")))
		bind_pattern(f, field(n, "left"), NULL, 0);
	else if (is(n, "arrow_function") || is(n, "catch_clause"))
		bind_pattern(f, field(n, "parameter"), NULL, 0);
	else if (is(n, "update_expression"))
		bind_pattern(f, field(n, "argument"), NULL, 0);
	else if (binds_parameters(n))
		bind_pattern(f, n, NULL, 0);
	for (const struct leaf *c = n->down; c && !f->bad; c = c->next)
		collect(f, c);
}

/* ---- values --------------------------------------------------------------------------------------------- */

static void add_code(struct buf *out, unsigned long c)
{
	if (c < 0x80) {
		buf_addc(out, (char)c);
	} else if (c < 0x800) {
		buf_addc(out, (char)(0xc0 | c >> 6));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_addc(out, (char)(0xe0 | (c >> 12 & 0xf)));
		buf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	}
}

/* One escape of a string literal: \x72, \u{72}, \162, \n, a line that goes on. */
static void add_escape(struct buf *out, const char *p, size_t len)
{
	static const char from[] = "ntrabfv", to[] = "\n\t\r\a\b\f\v";
	char digits[12] = { 0 };
	size_t skip = len > 2 && p[2] == '{' ? 3 : 2;
	const char *hit;

	if (len < 2 || p[1] == '\n')
		return;
	if ((p[1] == 'x' || p[1] == 'u' || p[1] == 'U') && len > skip) {
		memcpy(digits, p + skip, MIN(len - skip, sizeof(digits) - 1));
		add_code(out, strtoul(digits, NULL, 16));
	} else if (p[1] >= '0' && p[1] <= '7') {
		memcpy(digits, p + 1, MIN(len - 1, (size_t)3));
		add_code(out, strtoul(digits, NULL, 8));
	} else {
		hit = strchr(from, p[1]);
		buf_addc(out, hit ? to[hit - from] : p[1]);
	}
}

/* The text between the marks, escapes undone; something filled in must be a constant itself. */
static bool value_string(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	for (const struct leaf *c = n->down; c; c = c->next) {
		if (is(c, "string_content") || is(c, "string_fragment")) {
			size_t at = c->from;

			for (const struct leaf *e = c->down; e; e = e->next) {
				buf_add(out, f->text + at, e->from - at);
				add_escape(out, f->text + e->from, e->to - e->from);
				at = e->to;
			}
			buf_add(out, f->text + at, c->to - at);
		} else if (is(c, "escape_sequence")) {
			add_escape(out, f->text + c->from, c->to - c->from);
		} else if (is(c, "interpolation") || is(c, "template_substitution")) {
			if (child(c, 1) || !value(f, child(c, 0), out, depth + 1))
				return false;
		}
	}
	return true;
}

static bool value_env(struct fold *f, const char *name, struct buf *out)
{
	const struct live_value *v;

	if (!name || f->env_set || effects_secret_name(name))
		return false;
	v = live_get(f->fx->live, LIVE_VAR, name);
	return v->state == LIVE_SCALAR && buf_adds(out, v->text) == 0;
}

static bool value_known(const char *known, struct buf *out)
{
	return known && buf_adds(out, known) == 0;
}

/* All arguments, or all items of a list, with @sep between. */
static bool value_list(struct fold *f, const struct leaf *n, const char *sep, struct buf *out, unsigned depth)
{
	for (size_t i = 0; child(n, i); i++) {
		if (i)
			buf_adds(out, sep);
		if (!value(f, child(n, i), out, depth + 1))
			return false;
	}
	return child(n, 0) != NULL;
}

static bool value_chars(struct fold *f, const struct leaf *list, struct buf *out)
{
	for (size_t i = 0; child(list, i); i++) {
		const char *digits = copy(f, child(list, i));
		char *end = NULL;
		unsigned long c = digits ? strtoul(digits, &end, 0) : 0;

		if (!end || end == digits || *end || c > 0xffff)
			return false;
		add_code(out, c);
	}
	return child(list, 0) != NULL;
}

static bool value_decoded(struct fold *f, const struct leaf *coded, bool hex, struct buf *out, unsigned depth)
{
	char *t = text_of(f, coded, depth);
	struct stream st = { 0 };

	if (t)
		st = stream_decoded(f->fx, t, strlen(t), hex);
	return st.origin == ORIGIN_TEXT && buf_add(out, st.text, st.len) == 0;
}

static bool value_reversed(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	char *t = text_of(f, n, depth);

	for (size_t i = t ? strlen(t) : 0; i > 0; i--)
		buf_addc(out, t[i - 1]);
	return t != NULL;
}

enum way { WAY_JOIN, WAY_FIRST, WAY_TILDE, WAY_HOME, WAY_CWD, WAY_TMP, WAY_ENV, WAY_CHARS, WAY_BASE64, WAY_HEX, WAY_BUFFER };

/* Functions whose result is told by their arguments. */
static const struct { const char *name; enum way way; } pure[] = {
	{ "os.path.join", WAY_JOIN }, { "path.join", WAY_JOIN }, { "path.posix.join", WAY_JOIN }, { "path.resolve", WAY_JOIN },
	{ "pathlib.Path", WAY_JOIN }, { "pathlib.PurePath", WAY_JOIN }, { "pathlib.PosixPath", WAY_JOIN }, { "str", WAY_FIRST },
	{ "String", WAY_FIRST }, { "os.fspath", WAY_FIRST }, { "os.path.abspath", WAY_FIRST }, { "os.path.normpath", WAY_FIRST },
	{ "os.path.expanduser", WAY_TILDE }, { "shlex.quote", WAY_FIRST }, { "pathlib.Path.home", WAY_HOME }, { "os.homedir", WAY_HOME },
	{ "os.getcwd", WAY_CWD }, { "process.cwd", WAY_CWD }, { "pathlib.Path.cwd", WAY_CWD }, { "os.tmpdir", WAY_TMP },
	{ "tempfile.gettempdir", WAY_TMP }, { "os.getenv", WAY_ENV }, { "os.environ.get", WAY_ENV }, { "chr", WAY_CHARS },
	{ "String.fromCharCode", WAY_CHARS }, { "bytes", WAY_CHARS }, { "base64.b64decode", WAY_BASE64 }, { "atob", WAY_BASE64 },
	{ "base64.urlsafe_b64decode", WAY_BASE64 }, { "bytes.fromhex", WAY_HEX }, { "binascii.unhexlify", WAY_HEX },
	{ "Buffer.from", WAY_BUFFER },
};

static bool value_tilde(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	const char *t = text_of(f, n, depth), *home = f->fx->line->home;

	if (t && *t == '~' && (!home || (t[1] && t[1] != '/')))
		return false;
	return t && (*t != '~' || buf_adds(out, home) == 0) && buf_adds(out, t + (*t == '~')) == 0;
}

static bool value_pure(struct fold *f, const struct leaf *n, enum way way, struct buf *out, unsigned depth)
{
	const struct leaf *args = field(n, "arguments"), *first = child(args, 0);
	const char *kind = way == WAY_BUFFER ? text_of(f, child(args, 1), depth) : NULL;

	switch (way) {
	case WAY_JOIN:
		return value_list(f, args, "/", out, depth);
	case WAY_FIRST:
		return value(f, first, out, depth + 1);
	case WAY_TILDE:
		return value_tilde(f, first, out, depth);
	case WAY_HOME:
		return value_known(f->fx->line->home, out);
	case WAY_CWD:
		return !f->moved && value_known(f->s->cwd, out);
	case WAY_TMP:
		return value_known("/tmp", out);
	case WAY_ENV:
		return value_env(f, text_of(f, first, depth), out);
	case WAY_CHARS:
		return value_chars(f, is(first, "list") ? first : args, out);
	case WAY_BASE64:
	case WAY_HEX:
		return value_decoded(f, first, way == WAY_HEX, out, depth);
	case WAY_BUFFER:
		return kind ? value_decoded(f, first, !strcmp(kind, "hex"), out, depth) : value(f, first, out, depth + 1);
	}
	return false;
}

/* "".join(list), list.join(""), x.replace(a, b), x.decode() */
static bool value_method(struct fold *f, const struct leaf *n, const struct leaf *fn, struct buf *out, unsigned depth)
{
	const struct leaf *obj = field(fn, "object"), *name = field(fn, f->lang == CODEFOLD_PYTHON ? "attribute" : "property");
	const struct leaf *one = arg(n, 0);
	static const char *const same[] = { "decode", "encode", "strip", "trim", "toString", "resolve", "absolute",
					    "joinpath" };

	if (says(f, name, "join")) {
		const struct leaf *list = f->lang == CODEFOLD_PYTHON ? one : obj, *inner = field(obj, "function");
		char *sep = text_of(f, f->lang == CODEFOLD_PYTHON ? obj : one, depth);

		/* "...".split("").reverse().join("") */
		if (f->lang == CODEFOLD_JS && says(f, field(inner, "property"), "reverse"))
			return value_reversed(f, field(field(field(inner, "object"), "function"), "object"), out, depth);
		return sep && (is(list, "list") || is(list, "array") || is(list, "tuple")) && value_list(f, list, sep, out, depth);
	}
	if (says(f, name, "expanduser"))
		return value_tilde(f, obj, out, depth);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		if (!says(f, name, same[i]))
			continue;
		if (!value(f, obj, out, depth + 1))
			return false;
		return !says(f, name, "joinpath") || (buf_addc(out, '/') == 0 && value_list(f, field(n, "arguments"), "/", out, depth));
	}
	if (says(f, name, "replace") || says(f, name, "replaceAll")) {
		char *t = text_of(f, obj, depth), *a = text_of(f, one, depth), *b = text_of(f, arg(n, 1), depth);
		size_t skip = a ? strlen(a) : 0;

		for (char *hit; t && b && skip && (hit = strstr(t, a)); t = hit + skip) {
			buf_add(out, t, (size_t)(hit - t));
			buf_adds(out, b);
		}
		return t && b && skip && buf_adds(out, t) == 0;
	}
	return false;
}

static bool value_call(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	const struct leaf *fn = field(n, "function");
	const char *name = path_of(f, fn, depth + 1);

	if (!name && (is(fn, "identifier") ? !find(f, fn) : fn && fn->to - fn->from < 32))
		name = copy(f, fn);
	for (size_t i = 0; name && i < ARRAY_SIZE(pure); i++) {
		if (!strcmp(name, pure[i].name))
			return value_pure(f, n, pure[i].way, out, depth);
	}
	return (is(fn, "attribute") || is(fn, "member_expression")) && value_method(f, n, fn, out, depth);
}

static bool value_subscript(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	const struct leaf *obj = field(n, f->lang == CODEFOLD_PYTHON ? "value" : "object");
	const struct leaf *index = field(n, f->lang == CODEFOLD_PYTHON ? "subscript" : "index");
	const char *p = path_of(f, obj, depth + 1);

	if (p && (!strcmp(p, "os.environ") || !strcmp(p, "process.env")))
		return value_env(f, text_of(f, index, depth), out);
	return says(f, index, "::-1") && value_reversed(f, obj, out, depth);
}

static bool value_sum(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	const struct leaf *op = field(n, "operator");
	bool slash = says(f, op, "/") && f->lang == CODEFOLD_PYTHON;

	if (!slash && !says(f, op, "+"))
		return false;
	if (!value(f, field(n, "left"), out, depth + 1))
		return false;
	if (slash)
		buf_addc(out, '/');
	return value(f, field(n, "right"), out, depth + 1);
}

static bool value_name(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	struct name *v = find(f, n);

	if (v && v->item)
		return buf_adds(out, v->item) == 0;
	return v && !v->vague && !f->loose && v->value && value(f, v->value, out, depth + 1);
}

/* The text that @n is when the code runs, whatever happens before; false: not known. */
static bool value(struct fold *f, const struct leaf *n, struct buf *out, unsigned depth)
{
	if (!n || depth > 40 || ++f->steps > FOLD_STEPS)
		return false;
	if (is(n, "string") || is(n, "template_string"))
		return value_string(f, n, out, depth);
	if (is(n, "concatenated_string"))
		return value_list(f, n, "", out, depth);
	if (is(n, "parenthesized_expression"))
		return value(f, child(n, 0), out, depth + 1);
	if (is(n, "binary_operator") || is(n, "binary_expression"))
		return value_sum(f, n, out, depth);
	if (is(n, "identifier"))
		return value_name(f, n, out, depth);
	if (is(n, "call") || is(n, "call_expression"))
		return value_call(f, n, out, depth);
	if (is(n, "subscript") || is(n, "subscript_expression"))
		return value_subscript(f, n, out, depth);
	if (is(n, "member_expression")) {
		const char *p = path_of(f, field(n, "object"), depth + 1);

		return p && !strcmp(p, "process.env") && value_env(f, copy(f, field(n, "property")), out);
	}
	return false;
}

/* ---- writing ---------------------------------------------------------------------------------------------- */

static void emit(struct fold *f, const struct leaf *n);

static void emit_raw(struct fold *f, const struct leaf *n)
{
	buf_add(&f->out, f->text + n->from, n->to - n->from);
}

static void emit_text(struct fold *f, const char *t)
{
	buf_addc(&f->out, '"');
	for (; *t; t++) {
		if (*t == '"' || *t == '\\')
			buf_addc(&f->out, '\\');
		if (*t == '\n')
			buf_adds(&f->out, "\\n");
		else
			buf_addc(&f->out, *t);
	}
	buf_addc(&f->out, '"');
}

static void emit_parts(struct fold *f, const struct leaf *n)
{
	size_t at = n->from;

	if (!n->down) {
		emit_raw(f, n);
		return;
	}
	for (const struct leaf *c = n->down; c; c = c->next) {
		buf_add(&f->out, f->text + at, c->from - at);
		emit(f, c);
		at = c->to;
	}
	buf_add(&f->out, f->text + at, n->to - at);
}

/* for f in ["a", "b"]: the body once for each. */
static bool emit_loop(struct fold *f, const struct leaf *n)
{
	const struct leaf *list = field(n, "right"), *body = field(n, "body"), *left = field(n, "left");
	struct name *v = is(left, "identifier") ? find(f, left) : NULL;
	const char *item[FOLD_ITEMS];
	size_t many = 0;

	if (!v || v->item || v->times != 1 || f->loose || says(f, field(n, "operator"), "in") || f->loops == FOLD_LOOPS || !(is(list, "list") || is(list, "tuple") || is(list, "array")))
		return false;
	for (; child(list, many); many++) {
		if (many == FOLD_ITEMS || !(item[many] = text_of(f, child(list, many), 0)))
			return false;
	}
	f->loops++;
	for (size_t i = 0; i < many && body; i++) {
		v->item = item[i];
		emit(f, body);
		buf_addc(&f->out, '\n');
	}
	f->loops--;
	v->item = NULL;
	if (many && field(n, "alternative"))
		emit(f, field(n, "alternative"));
	return many > 0;
}

/* $`rm -rf x` of zx and Bun runs the text. */
static bool emit_shell(struct fold *f, const struct leaf *n)
{
	const struct leaf *fn = field(n, "function"), *text = field(n, "arguments");

	if (!is(text, "template_string") || !(says(f, fn, "$") || says(f, fn, "Bun.$")))
		return false;
	buf_adds(&f->out, "child_process.execSync(");
	emit(f, text);
	buf_addc(&f->out, ')');
	return true;
}

/* getattr(os, x)(), fs[x](): any function of a module that can do harm, so it could be any deed. */
static bool emit_hidden(struct fold *f, const struct leaf *n)
{
	static const char *const able[] = { "os", "shutil", "subprocess", "builtins", "__builtins__", "fs", "fs.promises", "child_process",
					    "globalThis", "global" };
	const struct leaf *fn = field(n, "function");
	const struct leaf *base = is(fn, "subscript_expression") ? field(fn, "object") :
				  is(fn, "call") && says(f, field(fn, "function"), "getattr") ? arg(fn, 0) : NULL;
	const char *p = base && !path_of(f, fn, 0) ? path_of(f, base, 0) : NULL;

	for (size_t i = 0; p && i < ARRAY_SIZE(able); i++) {
		if (strcmp(p, able[i]) != 0)
			continue;
		buf_adds(&f->out, "eval(hidden)");
		return true;
	}
	return false;
}

/* eval() of text that was put together: what it says counts, and that it was hidden is worth a question too. */
static void emit_eval(struct fold *f, const struct leaf *n)
{
	const struct leaf *fn = field(n, is(n, "new_expression") ? "constructor" : "function"), *code = arg(n, 0);

	emit_parts(f, n);
	if ((says(f, fn, "eval") || says(f, fn, "exec") || says(f, fn, "Function")) && code && !is(code, "string") && text_of(f, code, 0))
		buf_adds(&f->out, " eval(hidden)");
}

/* A name where it is bound, or the name of an argument, stays. */
static bool is_binding(const struct leaf *n)
{
	return n->field && (!strcmp(n->field, "left") || !strcmp(n->field, "name") || !strcmp(n->field, "alias"));
}

static bool is_import(const struct leaf *n)
{
	return is(n, "import_statement") || is(n, "import_from_statement") || is(n, "parameters") || is(n, "formal_parameters");
}

static void emit(struct fold *f, const struct leaf *n)
{
	const char *p;

	if (++f->steps > FOLD_STEPS || f->out.full) {
		f->bad = true;
		return;
	}
	if (!n->named || is_import(n) || (is(n, "identifier") && is_binding(n))) {
		emit_raw(f, n);
		return;
	}
	p = text_of(f, n, 0);
	if (p) {
		emit_text(f, p);
		return;
	}
	p = path_of(f, n, 0);
	if (p) {
		buf_adds(&f->out, p);
		return;
	}
	if (is(n, "string") || is(n, "template_string"))
		emit_raw(f, n);
	else if (!((is(n, "for_statement") || is(n, "for_in_statement")) && emit_loop(f, n)) &&
		 !(strstr(n->type, "call") == n->type && (emit_shell(f, n) || emit_hidden(f, n))))
		emit_eval(f, n);
}

bool codefold(struct effects *fx, const struct simple *s, enum codefold_lang lang, const char *text, size_t len,
	      const char **out, size_t *outlen)
{
	struct fold *f = arena_alloc(fx->mem, sizeof(*f));
	bool done = false;

	if (!f)
		return false;
	*f = (struct fold){ .fx = fx, .s = s, .lang = lang, .text = text };
	buf_init(&f->out, CODEFOLD_MAX);
	if (treesit_walk(lang == CODEFOLD_PYTHON ? TREESIT_PYTHON : TREESIT_JAVASCRIPT, text, len, note, f) == 0 && f->node) {
		collect(f, f->node);
		if (!f->bad)
			emit(f, f->node);
		done = !f->bad && !f->out.full;
	}
	if (done) {
		*out = arena_strndup(fx->mem, buf_str(&f->out), f->out.len);
		*outlen = f->out.len;
		done = *out != NULL;
	}
	buf_done(&f->out);
	return done;
}

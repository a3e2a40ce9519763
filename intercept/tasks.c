/* intercept/tasks.c - make targets and package scripts */
#include "intercept/tasks.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "intercept/stream.h"

#define MAKE_VARS	256
#define MAKE_RULES	1024
#define MAKE_NESTED	8		/* variables inside variables */
#define MAKE_LINE	(16u << 10)	/* bytes of one expanded recipe line */

struct make_var { const char *name, *value; };

struct recipe {
	const char	*text;
	unsigned	 line;
};

struct rule {
	const char	*target, *needs;	/* words parted by blanks, not expanded */
	struct recipe	*recipe;
	size_t		 n, cap;
	bool		 done;
};

struct make {
	struct effects		*fx;
	const struct args	*a;
	const struct word	*blame;
	const char		*path;
	struct make_var		 var[MAKE_VARS];
	size_t			 nvar;
	struct rule		*rule;
	size_t			 nrule;
	unsigned		 targets;
};

/* ---- files ------------------------------------------------------------------------------------------ */

static const char *read_text(struct effects *fx, const char *cwd, const char *name, const char **path)
{
	char *abs = paths_normal(fx->mem, name, cwd);
	struct buf text;
	const struct made *made = effects_made(fx, abs);
	const char *copy = NULL;

	if (!abs || !fx->world || !effects_may_read(fx))
		return NULL;
	*path = abs;
	if (made)	/* this line wrote it */
		return made->from.origin == ORIGIN_TEXT ? made->from.text : NULL;
	buf_init(&text, TASKS_BYTES);
	if (fx->world->read(fx->world->arg, abs, &text) == 0 && !text.full && !memchr(buf_str(&text), 0, text.len)) {
		copy = arena_strndup(fx->mem, buf_str(&text), text.len);
		fx->scripts++;
	}
	buf_done(&text);
	return copy;
}

/* ---- values of make ----------------------------------------------------------------------------------- */

static const char *var_value(struct make *m, const char *name)
{
	static const struct make_var known[] = {
		{ "MAKE", "make" }, { "RM", "rm -f" }, { "CC", "cc" }, { "CXX", "c++" }, { "AR", "ar" }, { "SHELL", "/bin/sh" },
	};
	const struct live_value *v;

	for (size_t i = m->nvar; i-- > 0; ) {
		if (!strcmp(m->var[i].name, name))
			return m->var[i].value;
	}
	if (!strcmp(name, "CURDIR"))
		return m->a->cmd->cwd ? m->a->cmd->cwd : NULL;
	v = m->fx->live ? live_get(m->fx->live, LIVE_VAR, name) : NULL;
	if (v && v->state == LIVE_SCALAR)
		return v->text;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(known[i].name, name))
			return known[i].value;
	}
	return v && v->state == LIVE_UNKNOWN ? NULL : "";
}

/* What cannot be told becomes the output of a command that nobody knows: so is the word that it stands in. */
#define UNKNOWN_VALUE "$(make-value)"

static void expand(struct make *m, struct buf *out, const char *s, const struct rule *r, unsigned depth);

/* Behind the dollar sign: a name in brackets or one character. Returns what follows it. */
static const char *expand_one(struct make *m, struct buf *out, const char *s, const struct rule *r, unsigned depth)
{
	char name[128], close = *s == '(' ? ')' : '}';
	const char *value, *end;
	size_t len, deep = 0;

	if (*s == '$') {
		buf_addc(out, '$');
		return s + 1;
	}
	if (*s != '(' && *s != '{') {
		if (*s == '@')
			buf_adds(out, r ? r->target : "");
		else if (*s == '<')
			buf_add(out, r ? r->needs : "", r ? strcspn(r->needs, " \t") : 0);
		else if (*s == '^' || *s == '+')
			buf_adds(out, r ? r->needs : "");
		else
			buf_adds(out, UNKNOWN_VALUE);
		return s + (*s != 0);
	}
	for (end = s + 1; *end && (*end != close || deep); end++) {
		deep += *end == *s;
		deep -= *end == close;
	}
	len = (size_t)(end - s) - 1;
	if (len >= sizeof(name) || memchr(s + 1, '$', len) || memchr(s + 1, ' ', len) || memchr(s + 1, ':', len) || depth >= MAKE_NESTED) {
		buf_adds(out, UNKNOWN_VALUE);
		return *end ? end + 1 : end;
	}
	memcpy(name, s + 1, len);
	name[len] = 0;
	value = var_value(m, name);
	if (value)
		expand(m, out, value, r, depth + 1);
	else
		buf_adds(out, UNKNOWN_VALUE);
	return *end ? end + 1 : end;
}

static void expand(struct make *m, struct buf *out, const char *s, const struct rule *r, unsigned depth)
{
	while (*s && !out->full) {
		if (*s == '$')
			s = expand_one(m, out, s + 1, r, depth);
		else
			buf_addc(out, *s++);
	}
}

/* ---- a makefile ----------------------------------------------------------------------------------------- */

/* One line with those that a backslash joins to it. */
static char *logical_line(struct make *m, const char **at, unsigned *line)
{
	struct buf out;
	char *copy;

	buf_init(&out, MAKE_LINE);
	for (bool more = true; more && **at; ++*line) {
		size_t n = strcspn(*at, "\n");

		more = n && (*at)[n - 1] == '\\';
		buf_add(&out, *at, n - more);
		if (more)
			buf_addc(&out, ' ');
		*at += n + ((*at)[n] == '\n');
	}
	copy = arena_strndup(m->fx->mem, buf_str(&out), out.len);
	buf_done(&out);
	return copy;
}

static char *trimmed(struct make *m, const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return arena_strndup(m->fx->mem, s, n);
}

static void set_var(struct make *m, const char *name, const char *value, bool append)
{
	const char *old = append ? var_value(m, name) : NULL;

	if (old && *old)
		value = arena_printf(m->fx->mem, "%s %s", old, value);
	if (m->nvar < MAKE_VARS && name && value)
		m->var[m->nvar++] = (struct make_var){ name, value };
}

/* NAME = value, := ::= ?= +=; false when the line is none. */
static bool assignment(struct make *m, char *line)
{
	char *eq = strchr(line, '='), *name;
	size_t n;

	if (!eq || eq == line)
		return false;
	n = (size_t)(eq - line);
	while (n && strchr(":?+!", line[n - 1]))
		n--;
	name = trimmed(m, line, n);
	if (!name || !*name || name[strcspn(name, " \t:#$")])
		return false;
	if (eq[-1] == '?' && *(var_value(m, name) ? var_value(m, name) : "x"))
		return true;
	eq[1 + strcspn(eq + 1, "#")] = 0;
	set_var(m, name, trimmed(m, eq + 1, strlen(eq + 1)), eq[-1] == '+');
	return true;
}

static struct rule *add_rule(struct make *m, const char *target, const char *needs)
{
	if (m->nrule == MAKE_RULES || !target || !needs)
		return NULL;
	m->rule[m->nrule] = (struct rule){ .target = target, .needs = needs };
	return &m->rule[m->nrule++];
}

static void add_recipe(struct make *m, struct rule *r, const char *text, unsigned line)
{
	if (r->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 8;
		struct recipe *list = arena_alloc(m->fx->mem, cap * sizeof(*list));

		if (!list)
			return;
		if (r->n)
			memcpy(list, r->recipe, r->n * sizeof(*list));
		r->recipe = list;
		r->cap = cap;
	}
	r->recipe[r->n++] = (struct recipe){ text, line };
}

/* "a b: c d ; command" gives one rule for each target, which share what follows. Returns how many. */
static size_t rule_line(struct make *m, char *line, unsigned number)
{
	char *colon = strchr(line, ':'), *semi, *targets;
	size_t n = 0, first = m->nrule;
	struct buf out;

	if (!colon)
		return 0;
	*colon++ = 0;
	colon += *colon == ':';
	semi = strchr(colon, ';');
	if (semi)
		*semi++ = 0;
	colon[strcspn(colon, "#")] = 0;
	buf_init(&out, MAKE_LINE);
	expand(m, &out, line, NULL, 0);
	targets = arena_strndup(m->fx->mem, buf_str(&out), out.len);
	buf_clear(&out);
	expand(m, &out, colon, NULL, 0);
	colon = trimmed(m, buf_str(&out), out.len);
	buf_done(&out);
	for (char *save = NULL, *t = targets ? strtok_r(targets, " \t", &save) : NULL; t; t = strtok_r(NULL, " \t", &save))
		n += add_rule(m, t, colon) != NULL;
	for (size_t i = first; semi && i < m->nrule; i++)
		add_recipe(m, &m->rule[i], semi, number);
	return n;
}

static void parse(struct make *m, const char *text)
{
	size_t open = 0;	/* rules that the recipe lines belong to */
	unsigned line = 1;

	while (*text && !m->fx->mem->full) {
		unsigned number = line;
		bool recipe = *text == '\t';
		char *l = logical_line(m, &text, &line);

		if (!l)
			return;
		if (recipe) {
			for (size_t i = m->nrule - open; i < m->nrule; i++)
				add_recipe(m, &m->rule[i], l + 1, number);
			continue;
		}
		if (!l[strspn(l, " \t")] || *l == '#')
			continue;
		open = assignment(m, l) ? 0 : rule_line(m, l, number);
	}
}

static int run_recipe(struct make *m, const struct rule *r, const struct recipe *c)
{
	struct source_file file = { m->path, c->line, false };
	struct buf out;
	char *text;
	size_t skip;
	int rc = 0;

	buf_init(&out, MAKE_LINE);
	expand(m, &out, c->text, r, 0);
	skip = strspn(buf_str(&out), "@-+ \t");
	text = arena_strndup(m->fx->mem, buf_str(&out) + skip, out.len - skip);
	if (text && !out.full && *text)
		rc = effects_from_file(m->fx, m->a->cmd, "sh", text, m->blame->span, &file);
	buf_done(&out);
	return rc;
}

static int run_target(struct make *m, const char *name)
{
	for (size_t i = 0; i < m->nrule; i++) {
		struct rule *r = &m->rule[i];
		char *needs, *save = NULL;

		if (strcmp(r->target, name) != 0 || r->done)
			continue;
		r->done = true;
		if (m->targets++ >= TASKS_TARGETS)
			return 0;
		needs = arena_strdup(m->fx->mem, r->needs);
		for (char *t = needs ? strtok_r(needs, " \t|", &save) : NULL; t; t = strtok_r(NULL, " \t|", &save)) {
			if (run_target(m, t) < 0)
				return -1;
		}
		for (size_t k = 0; k < r->n; k++) {
			if (run_recipe(m, r, &r->recipe[k]) < 0)
				return -1;
		}
	}
	return 0;
}

static const char *makefile(struct effects *fx, const struct args *a, const char **path)
{
	static const char *const names[] = { "GNUmakefile", "makefile", "Makefile" };
	const struct arg_option *f = args_option(a, "f");
	const char *text = NULL;

	if (f && f->value && f->value->kind == WORD_EXACT && !strcmp(f->value->text, "-")) {
		struct stream st = effects_stdin(fx, a->cmd);

		*path = "standard input";
		return st.origin == ORIGIN_TEXT ? st.text : NULL;
	}
	if (f && f->value && effects_inside(fx, f->value)) {	/* make -f <(...) */
		struct stream st = stream_output(fx, effects_inside(fx, f->value));

		*path = "the substitution";
		return st.origin == ORIGIN_TEXT ? st.text : NULL;
	}
	if (f)
		return f->value && f->value->kind == WORD_EXACT ? read_text(fx, a->cmd->cwd, f->value->text, path) : NULL;
	for (size_t i = 0; !text && i < ARRAY_SIZE(names); i++)
		text = read_text(fx, a->cmd->cwd, names[i], path);
	return text;
}

static int run_targets(struct make *m)
{
	bool named = false;

	for (size_t i = 0; i < m->a->noperand; i++) {
		const struct word *w = m->a->operand[i];

		if (w->kind != WORD_EXACT || strchr(w->text, '='))
			continue;
		named = true;
		m->blame = w;
		if (run_target(m, w->text) < 0)
			return -1;
	}
	for (size_t i = 0; !named && i < m->nrule; i++) {
		if (m->rule[i].target[0] != '.' && !strchr(m->rule[i].target, '%'))
			return run_target(m, m->rule[i].target);
	}
	return 0;
}

int tasks_make(struct effects *fx, const struct args *a)
{
	struct make *m = arena_alloc(fx->mem, sizeof(*m));
	const char *text;

	if (!m || !a->cmd->cwd)
		return 0;
	*m = (struct make){ .fx = fx, .a = a, .blame = &a->cmd->argv[0] };
	text = makefile(fx, a, &m->path);
	m->rule = text ? arena_alloc(fx->mem, MAKE_RULES * sizeof(*m->rule)) : NULL;
	if (!m->rule)
		return 0;
	parse(m, text);
	for (size_t i = 0; i < a->noperand; i++) {	/* NAME=value wins over the file */
		const char *t = a->operand[i]->kind == WORD_EXACT ? a->operand[i]->text : "", *eq = strchr(t, '=');

		if (eq)
			set_var(m, arena_strndup(fx->mem, t, (size_t)(eq - t)), eq + 1, false);
	}
	return run_targets(m);
}

/* ---- package.json ------------------------------------------------------------------------------------------ */

int tasks_script(struct effects *fx, const struct args *a, const char *name)
{
	static const char *const before[] = { "pre", "", "post" };
	const struct word *blame = a->noperand ? a->operand[0] : &a->cmd->argv[MIN((size_t)1, a->cmd->argc - 1)];
	const char *path, *text = a->cmd->cwd && *name ? read_text(fx, a->cmd->cwd, "package.json", &path) : NULL;
	json *root = text ? json_parse(text, strlen(text), NULL, NULL) : NULL;
	int rc = 0;

	for (size_t i = 0; root && i < ARRAY_SIZE(before) && rc == 0; i++) {
		CLEANUP(cleanup_freep) char *key = xasprintf("%s%s", before[i], name);
		const char *script = json_str(json_get(root, "scripts"), key, NULL);
		char *copy = script ? arena_strdup(fx->mem, script) : NULL;
		struct source_file file = { arena_printf(fx->mem, "%s, script %s", path, key), 0, true };

		if (copy && file.path)
			rc = effects_from_file(fx, a->cmd, "sh", copy, blame->span, &file);
	}
	json_free(root);
	return rc;
}

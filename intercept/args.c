/* intercept/args.c - options, subcommands and operands of one command */
#include "intercept/args.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

struct reader {
	struct arena		*mem;
	struct args		*out;
	const struct simple	*cmd;
	struct arg_option	*option;
	const struct word	**operand;
	size_t			*operand_at;
	size_t			 at;
	bool			 no_options;	/* after "--", or the first operand of a POSIX style program */
};

static const struct node *node(const struct reader *r)
{
	return r->out->chain[r->out->nchain - 1];
}

const struct node *args_node(const struct args *a)
{
	return a->chain[a->nchain - 1];
}

static int key_cmp(const void *key, const void *option)
{
	return strcmp(key, ((const struct option *)option)->name);
}

static const struct option *lookup_in(const struct node *n, const char *name)
{
	return n->noption ? bsearch(name, n->option, n->noption, sizeof(n->option[0]), key_cmp) : NULL;
}

/* Global options of the program hold below its subcommands too. */
static const struct option *lookup(const struct reader *r, const char *name)
{
	for (size_t i = r->out->nchain; i-- > 0; ) {
		const struct option *o = lookup_in(r->out->chain[i], name);

		if (o)
			return o;
	}
	return NULL;
}

/* The only long option that starts with @name, by GNU's rule. Several spellings of one option are one. */
static const struct option *abbreviation(const struct reader *r, const char *name)
{
	const struct node *n = node(r);
	const struct option *hit = NULL;
	size_t len = strlen(name);

	for (size_t i = 0; i < n->noption; i++) {
		const struct option *o = &n->option[i];

		if (strncmp(o->name, name, len) != 0)
			continue;
		if (hit && strcmp(hit->key, o->key) != 0)
			return NULL;
		hit = o;
	}
	return hit;
}

static void add_option(struct reader *r, const struct option *o, const char *name, const struct word *value,
		       size_t index)
{
	r->option[r->out->noption++] = (struct arg_option){
		.option = o, .name = o ? o->name : name, .value = value,
		.word = &r->cmd->argv[index], .index = index,
	};
	/* python -c CODE: what follows is the code's */
	if (o && o->acts && o->acts->n && o->acts->act[0].verb == VERB_CODE &&
	    strcmp(o->acts->act[0].arg ? o->acts->act[0].arg : "", "gdb") != 0 && node(r)->style == STYLE_POSIX)
		r->no_options = true;
	if (!o && !r->out->odd)
		r->out->odd = &r->cmd->argv[index];
}

/* Part of a word as a word of its own: the value in -ofile or --out=file. */
static const struct word *tail_word(struct reader *r, const struct word *w, const char *tail)
{
	struct word *v = arena_alloc(r->mem, sizeof(*v));

	if (!v)
		return w;
	*v = *w;
	if (w->kind == WORD_UNKNOWN)
		v->prefix = tail;
	else
		v->text = tail;
	v->from_glob = NULL;
	return v;
}

static const struct word *next_word(struct reader *r)
{
	return r->at < r->cmd->argc ? &r->cmd->argv[r->at++] : NULL;
}

static void read_long(struct reader *r, const struct word *w, const char *text, size_t index)
{
	const char *eq = strchr(text, '=');
	char *name = arena_strndup(r->mem, text, eq ? (size_t)(eq - text) : strlen(text));
	const struct option *o;
	const struct word *value = NULL;

	if (!name)
		return;
	o = lookup(r, name);
	if (!o && text[1] == '-')
		o = abbreviation(r, name);
	if (eq)
		value = tail_word(r, w, eq + 1);
	else if (o && o->takes == TAKES_VALUE)
		value = next_word(r);
	add_option(r, o, name, value, index);
}

/* -xvf FILE, -ofile, -i.bak */
static void read_bundle(struct reader *r, const struct word *w, const char *text, size_t index)
{
	for (const char *c = text + 1; *c; c++) {
		char name[3] = { *text, *c, 0 };
		const struct option *o = lookup(r, name);

		if (o && o->takes != TAKES_NONE) {
			const struct word *value = NULL;

			if (c[1])
				value = tail_word(r, w, c[1] == '=' ? c + 2 : c + 1);
			else if (o->takes == TAKES_VALUE)
				value = next_word(r);
			add_option(r, o, NULL, value, index);
			return;
		}
		add_option(r, o, o ? NULL : arena_strdup(r->mem, name), NULL, index);
		if (!o && w->kind == WORD_UNKNOWN)
			return;
	}
}

/* ---- the two ways of Windows: letters of any case ------------------------------------------ */

static char *lower_name(struct reader *r, const char *text, size_t len)
{
	char *name = arena_strndup(r->mem, text, len);

	for (char *c = name; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return name;
}

static const struct word *lower_value(struct reader *r, const struct word *w, const struct option *o, const char *tail)
{
	if (tail)
		return tail_word(r, w, tail);
	return o && o->takes == TAKES_VALUE ? next_word(r) : NULL;
}

/* /s, /p DIR, /a:h, /s/q */
static void read_slash(struct reader *r, const struct word *w, const char *text, size_t index)
{
	const char *colon = strchr(text, ':');
	char *name = lower_name(r, text, colon ? (size_t)(colon - text) : strlen(text));
	const struct option *o;

	if (name && *name == '-')
		*name = '/';
	o = name ? lookup(r, name) : NULL;
	if (o || !name || !strchr(name + 1, '/')) {
		add_option(r, o, name, lower_value(r, w, o, colon ? colon + 1 : NULL), index);
		return;
	}
	for (const char *s = text; *s == '/' && r->at <= r->cmd->argc; ) {
		size_t n = 1 + strcspn(s + 1, "/:");
		const char *tail = s[n] == ':' ? s + n + 1 : NULL;

		name = lower_name(r, s, n);
		o = name ? lookup(r, name) : NULL;
		add_option(r, o, name, lower_value(r, w, o, tail), index);
		s += tail ? strlen(s) : n;
	}
}

/* What every cmdlet knows. */
static const struct option common[] = {
	{ "-confirm", "confirm", TAKES_NONE, NULL }, { "-debug", "debug", TAKES_NONE, NULL },
	{ "-erroraction", "erroraction", TAKES_VALUE, NULL }, { "-ea", "erroraction", TAKES_VALUE, NULL },
	{ "-errorvariable", "errorvariable", TAKES_VALUE, NULL }, { "-ev", "errorvariable", TAKES_VALUE, NULL },
	{ "-informationaction", "informationaction", TAKES_VALUE, NULL }, { "-infa", "informationaction", TAKES_VALUE, NULL },
	{ "-informationvariable", "informationvariable", TAKES_VALUE, NULL }, { "-outbuffer", "outbuffer", TAKES_VALUE, NULL },
	{ "-outvariable", "outvariable", TAKES_VALUE, NULL }, { "-ov", "outvariable", TAKES_VALUE, NULL },
	{ "-pipelinevariable", "pipelinevariable", TAKES_VALUE, NULL }, { "-progressaction", "progressaction", TAKES_VALUE, NULL },
	{ "-verbose", "verbose", TAKES_NONE, NULL }, { "-vb", "verbose", TAKES_NONE, NULL },
	{ "-warningaction", "warningaction", TAKES_VALUE, NULL }, { "-wa", "warningaction", TAKES_VALUE, NULL },
	{ "-warningvariable", "warningvariable", TAKES_VALUE, NULL }, { "-whatif", "whatif", TAKES_NONE, NULL },
	{ "-wi", "whatif", TAKES_NONE, NULL }, { "-cf", "confirm", TAKES_NONE, NULL },
};

/* The exact name, else the only one that begins so. NULL: none, or more than one. */
static const struct option *match_dash(const struct node *n, const char *name)
{
	const struct option *hit = NULL;
	size_t len = strlen(name);

	for (size_t i = 0; i < n->noption + ARRAY_SIZE(common); i++) {
		const struct option *o = i < n->noption ? &n->option[i] : &common[i - n->noption];

		if (!strcmp(o->name, name))
			return o;
	}
	for (size_t i = 0; i < n->noption; i++) {
		const struct option *o = &n->option[i];

		if (strncmp(o->name, name, len) != 0 || (hit && !strcmp(hit->key, o->key)))
			continue;
		if (hit)
			return NULL;
		hit = o;
	}
	for (size_t i = 0; !hit && i < ARRAY_SIZE(common); i++) {
		if (!strncmp(common[i].name, name, len))
			return &common[i];
	}
	return hit;
}

const struct option *args_dash(struct arena *mem, const struct node *n, const char *text)
{
	struct reader r = { .mem = mem };
	char *name = lower_name(&r, text, strlen(text));

	return name ? match_dash(n, name) : NULL;
}

static void read_dash(struct reader *r, const struct word *w, const char *text, size_t index)
{
	const struct option *o = args_dash(r->mem, node(r), text);

	add_option(r, o, lower_name(r, text, strlen(text)), lower_value(r, w, o, NULL), index);
}

/* The text of a word as far as it is known. */
static const char *known(const struct word *w)
{
	if (w->kind != WORD_UNKNOWN)
		return w->text;
	return w->prefix ? w->prefix : "";
}

static bool looks_like_option(const struct reader *r, const char *text)
{
	if (r->no_options || node(r)->style == STYLE_RAW)
		return false;
	if (node(r)->style == STYLE_SLASH)
		return (text[0] == '/' || text[0] == '-') && text[1];
	if (node(r)->style == STYLE_DASH)
		return text[0] == '-' && (isalpha((unsigned char)text[1]) || text[1] == '?');
	return (text[0] == '-' && text[1]) || (text[0] == '+' && text[1] && node(r)->plus);
}

static void read_option(struct reader *r, const struct word *w, const char *text, size_t index)
{
	char two[3] = { text[0], text[1], 0 };

	if (node(r)->style == STYLE_SLASH) {
		read_slash(r, w, text, index);
	} else if (node(r)->style == STYLE_DASH) {
		read_dash(r, w, text, index);
	} else if (text[0] == '-' && text[1] == '-') {
		read_long(r, w, text, index);
	} else if (node(r)->style == STYLE_LONG || lookup(r, text)) {
		/* one dash and a name; -Dname=x and -O2 are read as -D and -O when only those are listed */
		const char *eq = strchr(text, '=');
		char *name = arena_strndup(r->mem, text, eq ? (size_t)(eq - text) : strlen(text));

		if (name && !lookup(r, name) && lookup(r, two))
			read_bundle(r, w, text, index);
		else
			read_long(r, w, text, index);
	} else {
		read_bundle(r, w, text, index);
	}
}

static void add_operand(struct reader *r, const struct word *w, size_t index)
{
	r->operand_at[r->out->noperand] = index;
	r->operand[r->out->noperand++] = w;
	if (node(r)->style == STYLE_POSIX)
		r->no_options = true;
}

/* A first operand below a node with subcommands picks one. Returns false when it is a plain operand. */
static bool pick_sub(struct reader *r, const struct word *w)
{
	struct args *a = r->out;
	const struct node *n = node(r), *sub;

	if (!n->nsub || a->noperand || a->nchain == ARGS_CHAIN)
		return false;
	if (w->kind != WORD_EXACT) {
		if (!a->bad_sub)
			a->bad_sub = w;
		return false;
	}
	sub = programs_sub(n, w->text);
	if (!sub) {
		if (!n->open_sub && !a->bad_sub)
			a->bad_sub = w;
		return false;
	}
	a->chain[a->nchain++] = sub;
	r->no_options = false;
	/* "*" stands for any word: which one it was still matters */
	return strcmp(sub->name[0], "*") != 0;
}

static void read_word(struct reader *r, const struct word *w, size_t index)
{
	const char *text = known(w);

	if (!r->no_options && w->kind == WORD_EXACT && !strcmp(text, "--") && node(r)->style < STYLE_RAW) {
		r->no_options = true;
		if (!r->out->dashdash)
			r->out->dashdash_at = index + 1;
		r->out->dashdash = true;
		return;
	}
	if (looks_like_option(r, text) && !(node(r)->style == STYLE_DASH && w->quoted)) {
		read_option(r, w, text, index);
		return;
	}
	if (w->kind == WORD_UNKNOWN && !*text && !r->no_options && !r->out->unsure)
		r->out->unsure = w;
	if (!pick_sub(r, w))
		add_operand(r, w, index);
}

int args_parse(struct arena *mem, const struct node *program, const struct simple *cmd, size_t at, struct args *out)
{
	/* a bundle can hold as many options as it has letters */
	size_t options = 1;
	struct reader r = { .mem = mem, .out = out, .cmd = cmd, .at = at };

	*out = (struct args){ .cmd = cmd, .chain = { program }, .nchain = 1 };
	for (size_t i = at; i < cmd->argc; i++) {
		const char *t = known(&cmd->argv[i]);

		options += t[0] == '-' || t[0] == '+' || t[0] == '/' ? strlen(t) : 0;
	}
	r.option = arena_alloc(mem, options * sizeof(*r.option));
	r.operand = arena_alloc(mem, (cmd->argc + 1) * sizeof(*r.operand));
	r.operand_at = arena_alloc(mem, (cmd->argc + 1) * sizeof(*r.operand_at));
	if (!r.option || !r.operand || !r.operand_at)
		return -1;
	out->option = r.option;
	out->operand = r.operand;
	out->operand_at = r.operand_at;
	while (r.at < cmd->argc) {
		size_t index = r.at++;

		read_word(&r, &cmd->argv[index], index);
	}
	return mem->full ? -1 : 0;
}

/* ---- questions ----------------------------------------------------------------------------- */

static bool same_option(const struct arg_option *o, const char *key)
{
	if (o->option && !strcmp(o->option->key, key))
		return true;
	return o->name && !strcmp(o->name + strspn(o->name, "-"), key + strspn(key, "-"));
}

const struct arg_option *args_option(const struct args *a, const char *key)
{
	for (size_t i = a->noption; i-- > 0; ) {
		if (same_option(&a->option[i], key))
			return &a->option[i];
	}
	return NULL;
}

bool args_has(const struct args *a, const char *key)
{
	return args_option(a, key) != NULL;
}

const char *args_value(const struct args *a, const char *key)
{
	const struct arg_option *o = args_option(a, key);

	return o && o->value && o->value->kind == WORD_EXACT ? o->value->text : NULL;
}

/* Windows reads its words without regard to case. */
static int fold(const struct args *a)
{
	return a->cmd->known && strchr(a->cmd->known, ':') ? FNM_CASEFOLD : 0;
}

static bool count_holds(size_t have, char op, const char *value)
{
	size_t want = strtoul(value, NULL, 10);

	return op == '=' ? have == want : op == '<' ? have < want : have > want;
}

/* Any occurrence of the option may hold the value: --opt=a --opt=b. */
static bool value_holds(const struct args *a, const struct cond_atom *c)
{
	for (size_t i = 0; i < a->noption; i++) {
		const struct arg_option *o = &a->option[i];

		if (!same_option(o, c->name) || !o->value)
			continue;
		if (o->value->kind != WORD_EXACT || fnmatch(c->value, o->value->text, fold(a)) == 0)
			return true;	/* an unknown value might match */
	}
	return false;
}

static bool arg_holds(const struct args *a, const struct cond_atom *c)
{
	for (size_t i = 0; i < a->noperand; i++) {
		if (a->operand[i]->kind != WORD_EXACT || fnmatch(c->value, a->operand[i]->text, fold(a)) == 0)
			return true;
	}
	return false;
}

/* --dry-run=false says no. */
static bool is_on(const struct args *a, const char *key)
{
	const struct arg_option *o = args_option(a, key);
	const char *value = o && o->value && o->value->kind == WORD_EXACT ? o->value->text : "";

	return o && strcmp(value, "false") != 0 && strcmp(value, "none") != 0;
}

static bool atom_holds(const struct args *a, const struct cond_atom *c)
{
	if (c->value && !strcmp(c->name, "args"))
		return count_holds(a->noperand, c->op, c->value);
	if (c->value && !strcmp(c->name, "arg"))
		return arg_holds(a, c);
	if (c->value && !strcmp(c->name, "arg1"))
		return a->noperand && (a->operand[0]->kind != WORD_EXACT || !fnmatch(c->value, a->operand[0]->text, fold(a)));
	if (c->value)
		return value_holds(a, c);
	if (!strcmp(c->name, "pipe"))
		return (a->cmd->pipe_from || a->cmd->stdin_text) != (c->op == '!');
	return is_on(a, c->name) != (c->op == '!');
}

bool args_cond(const struct args *a, const struct cond_atom *atom, size_t n)
{
	bool group = false;

	for (size_t i = 0; i < n; i++) {
		group = group || atom_holds(a, &atom[i]);
		if (atom[i].either)
			continue;
		if (!group)
			return false;
		group = false;
	}
	return true;
}

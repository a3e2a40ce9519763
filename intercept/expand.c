#include "intercept/expand.h"

#include <string.h>

#include "intercept/fish.h"
#include "intercept/model.h"
#include "intercept/parse.h"
#include "intercept/readings.h"
#include "intercept/stages.h"
#include "intercept/zsh.h"

#define LOOP_ITEMS	128u	/* values of a for loop that are walked one by one */
#define LOOP_PASSES	4	/* until the state at the start of a loop is stable */

/* ---- parsing -------------------------------------------------------------------------- */

static const char *alias_text(void *arg, const char *name)
{
	struct expand *x = arg;
	const struct live_value *v;

	if (x->st.new_shell || model_find(x, LIVE_ALIAS, name))
		return NULL;
	v = live_get(x->in.live, LIVE_ALIAS, name);
	return v->state == LIVE_SCALAR ? v->text : NULL;
}

/* The second reading. It knows nothing of aliases: then the text is read once more without them. */
static void compare(struct expand *x, const struct parse_in *in, struct parse_marks *marks)
{
	struct parse_in plain = *in;
	struct parse_out out = { 0 };
	size_t at = 0;

	if (marks->aliased) {
		*marks = (struct parse_marks){ 0 };
		plain.alias = NULL;
		parse_text(&plain, &out);
	}
	switch (out.failed ? READINGS_DIFFER : readings_compare(marks, &at)) {
	case READINGS_AGREE:
		return;
	case READINGS_DIFFER:
		at = at < in->len ? at : 0;
		model_gap_rule(x, parse_place(in, at, in->len), "parse.ambiguous",
			       "two readings of this line differ");
		return;
	case READINGS_UNKNOWN:
		model_gap_rule(x, parse_place(in, 0, in->len), "parse.too-big",
			       "the line is too involved to be read twice");
	}
}

static const char *zsh_value(void *arg, const char *name, bool *array)
{
	struct expand *x = arg;
	const struct value *v = model_var(x, name);

	*array = v->state == LIVE_ARRAY || v->state == LIVE_ASSOC;
	return v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;
}

/* zsh's or fish's text in bash's words; false: too big. */
static bool translate(struct expand *x, struct parse_in *in)
{
	struct zsh_in z = { .arena = x->a, .text = in->text, .len = in->len, .comments = in->script, .value = zsh_value, .arg = x };
	struct zsh_out out;

	z.comments = z.comments || model_option(x, "interactivecomments") == 1;
	if (x->dialect == DIALECT_FISH)
		fish_translate(&z, &out);
	else
		zsh_translate(&z, &out);
	if (!out.text) {
		x->a->full = true;
		return false;
	}
	if (out.gap)
		model_gap(x, in->at ? *in->at : out.at, false, out.gap);
	in->text = out.text;
	in->len = out.len;
	in->map = out.map;
	return true;
}

/* What was read before a mistake is walked too: a finding in it must not be lost. */
struct ast *expand_parse(struct expand *x, const char *text, size_t len, const struct span *at, bool script)
{
	struct parse_marks marks = { 0 };
	struct parse_in in = { .arena = x->a, .text = text, .len = len, .at = at, .script = script,
			       .alias = alias_text, .arg = x, .marks = &marks };
	struct parse_out out = { 0 };
	enum stage before = stage_enter(x->in.stages, STAGE_PARSE);
	bool read = (x->dialect != DIALECT_ZSH && x->dialect != DIALECT_FISH) || translate(x, &in);

	if (read) {
		in.extglob = memchr(text, '!', len) && model_option(x, "extglob") == 1;
		parse_text(&in, &out);
	}
	if (read && out.failed) {
		model_gap(x, out.gap.span, out.gap.incomplete && !script, out.gap.why);
		if (out.gap.incomplete && !script)
			out.list = NULL;
	} else if (read) {
		stage_enter(x->in.stages, STAGE_SECOND);
		compare(x, &in, &marks);
	}
	stage_enter(x->in.stages, before);
	return out.list;
}

/* ---- states --------------------------------------------------------------------------- */

static bool errexit(struct expand *x)
{
	return !x->cond && model_find(x, LIVE_OPTION, "errexit") && model_option(x, "errexit") == 1;
}

/* The state after a command when the next one does not ask how it ended. */
static void settle(struct expand *x, struct outcome *o)
{
	bool ends = o->status != STATUS_OK && errexit(x);	/* or it succeeded */

	if (o->split && o->status == STATUS_FAIL)
		x->st = o->fail;
	else if (o->split && o->status != STATUS_OK && !ends)
		model_join(x, &x->st, &o->fail);
	o->split = false;
	x->st.doubt |= ends ? DOUBT_EXIT : 0;
}

static struct state fail_state(const struct expand *x, const struct outcome *o)
{
	return o->split ? o->fail : x->st;
}

/* Walk what certainly does not run: for the record, without a trace in the state. */
static void walk_aside(struct expand *x, struct ast *n)
{
	struct state keep = x->st;
	struct capture none = { 0 }, *cap = x->cap;
	unsigned flags = x->flags;
	struct outcome o;

	none.tail = &none.first;
	x->cap = cap ? &none : NULL;
	x->flags |= SIMPLE_CONDITIONAL;
	expand_walk(x, n, &o);
	x->flags = flags;
	x->cap = cap;
	x->st = keep;
}

/* Walk what may run or not. Output that depends on it is not known. */
static void walk_maybe(struct expand *x, struct ast *n, struct outcome *o)
{
	size_t before = x->cap ? x->cap->n : 0;
	unsigned flags = x->flags;

	x->flags |= SIMPLE_CONDITIONAL;
	expand_walk(x, n, o);
	x->flags = flags;
	if (x->cap && x->cap->n != before)
		output_unknown(x, "output that depends on a condition");
}

static void walk_apart(struct expand *x, struct ast *n, struct outcome *o)
{
	struct state keep = x->st;
	struct loop *loop = x->loop;

	x->loop = NULL;
	expand_walk(x, n, o);
	x->loop = loop;
	x->st = keep;
	o->split = false;
}

/* ---- && and || ------------------------------------------------------------------------ */

static void and_right(struct expand *x, struct ast *right, struct outcome *o)
{
	struct state fail = fail_state(x, o), other;
	struct outcome r;

	if (o->status == STATUS_FAIL) {
		walk_aside(x, right);
		return;
	}
	if (o->status == STATUS_OK) {
		expand_walk(x, right, o);
		return;
	}
	walk_maybe(x, right, &r);
	other = fail_state(x, &r);
	if (r.status != STATUS_OK)
		model_join(x, &fail, &other);
	*o = (struct outcome){ .status = r.status == STATUS_FAIL ? STATUS_FAIL : STATUS_UNKNOWN, .split = true,
			       .fail = fail };
}

static void or_right(struct expand *x, struct ast *right, struct outcome *o)
{
	struct state good = x->st;
	struct outcome r;

	if (o->status == STATUS_OK) {
		walk_aside(x, right);
		return;
	}
	x->st = fail_state(x, o);
	if (o->status == STATUS_FAIL) {
		expand_walk(x, right, o);
		if (x->st.dead) {	/* nothing goes on, or what we took for failing did not fail */
			good.dead = true;
			good.doubt = x->st.doubt;
			x->st = good;
			o->split = false;
		}
		return;
	}
	walk_maybe(x, right, &r);
	*o = (struct outcome){ .status = r.status == STATUS_OK ? STATUS_OK : STATUS_UNKNOWN, .split = true,
			       .fail = fail_state(x, &r) };
	if (r.status != STATUS_FAIL)
		model_join(x, &good, &x->st);
	x->st = good;
	if (x->st.dead)
		o->split = false;
}

/* A chain of a thousand links leans to the left: walked without recursion, ->c is the way back. */
static void walk_and_or(struct expand *x, struct ast *n, struct outcome *o)
{
	struct ast *top = n;

	while (n->a && (n->a->kind == AST_AND || n->a->kind == AST_OR) && !n->a->redir) {
		n->a->c = n;
		n = n->a;
	}
	x->cond++;
	expand_walk(x, n->a, o);
	x->cond--;
	for (;; n = n->c) {
		if (n->kind == AST_AND)
			and_right(x, n->b, o);
		else
			or_right(x, n->b, o);
		if (n == top || !model_ok(x))
			return;
	}
}

/* ---- lists, pipelines, groups ---------------------------------------------------------- */

static void walk_background(struct expand *x, struct ast *n, struct outcome *o)
{
	unsigned flags = x->flags;

	x->flags |= SIMPLE_BACKGROUND;
	walk_apart(x, n, o);
	x->flags = flags;
	o->status = STATUS_OK;
}

static void walk_list(struct expand *x, struct ast *n, struct outcome *o)
{
	for (struct ast *c = n->a; c && model_ok(x); c = c->next) {
		settle(x, o);
		if (c->background)
			walk_background(x, c, o);
		else
			expand_walk(x, c, o);
	}
}

static void walk_stage(struct expand *x, struct ast *n, bool last, struct outcome *o)
{
	struct capture none = { 0 }, *cap = x->cap;
	unsigned flags = x->flags;

	none.tail = &none.first;
	if (!last) {
		x->flags |= SIMPLE_PIPE_OUT;
		x->cap = cap ? &none : NULL;
	}
	x->last = NULL;
	walk_apart(x, n, o);
	x->cap = cap;
	x->flags = flags;
}

static void walk_pipe(struct expand *x, struct ast *n, struct outcome *o)
{
	const struct simple *from = x->pipe_from;
	const struct word *text = x->stdin_text;

	for (struct ast *c = n->a; c && model_ok(x); c = c->next) {
		walk_stage(x, c, !c->next, o);
		x->pipe_from = x->last ? x->last : x->pipe_from;
		x->stdin_text = NULL;
	}
	x->pipe_from = from;
	x->stdin_text = text;
	if (o->status == STATUS_FAIL)
		o->status = STATUS_UNKNOWN;
}

static void walk_not(struct expand *x, struct ast *n, struct outcome *o)
{
	x->cond++;
	expand_walk(x, n->a, o);
	x->cond--;
	if (o->split) {
		struct state ok = x->st;

		x->st = o->fail;
		o->fail = ok;
	}
	o->status = o->status == STATUS_OK ? STATUS_FAIL : o->status == STATUS_FAIL ? STATUS_OK : STATUS_UNKNOWN;
}

static void walk_inner(struct expand *x, struct ast *n, struct outcome *o)
{
	expand_walk(x, n->a, o);
}

static void walk_subshell(struct expand *x, struct ast *n, struct outcome *o)
{
	walk_apart(x, n->a, o);
}

static void walk_coproc(struct expand *x, struct ast *n, struct outcome *o)
{
	walk_background(x, n->a, o);
}

/* ---- conditions ----------------------------------------------------------------------- */

static void walk_if(struct expand *x, struct ast *n, struct outcome *o)
{
	struct state fail, then;

	x->cond++;
	expand_walk(x, n->a, o);
	x->cond--;
	fail = fail_state(x, o);
	if (o->status == STATUS_OK) {
		walk_aside(x, n->c);
		expand_walk(x, n->b, o);
		return;
	}
	if (o->status == STATUS_FAIL) {
		walk_aside(x, n->b);
		x->st = fail;
		expand_walk(x, n->c, o);
		return;
	}
	walk_maybe(x, n->b, o);
	settle(x, o);
	then = x->st;
	x->st = fail;
	walk_maybe(x, n->c, o);
	settle(x, o);
	model_join(x, &then, &x->st);
	x->st = then;
	*o = (struct outcome){ 0 };
}

/* 1: matches, 0: does not, -1: not known. */
static int case_matches(struct expand *x, const char *subject, const struct ast_case *item)
{
	int result = 0;

	for (const struct ast_word *w = item->pattern; w; w = w->next) {
		struct wordctx c;
		const char *p;
		bool magic;
		int hit, fold = subject ? model_option(x, "nocasematch") : -1;

		word_init(&c, x);
		p = word_pattern(x, word_whole(&c, w, false), &magic);
		hit = p && subject && fold >= 0 ? glob_in_locale(x, p, subject, fold == 1) : -1;
		if (hit < 0)
			result = -1;
		else if (hit)
			return result < 0 ? -1 : 1;
	}
	return result;
}

/* One of the ways through a case: there or not. */
struct way {
	struct state	st;
	bool		there;
};

static void way_add(struct expand *x, struct way *w, const struct state *st)
{
	if (w->there)
		model_join(x, &w->st, st);
	else
		w->st = *st;
	w->there = true;
}

/* The body of a clause that may run: where it ends. */
static void walk_clause(struct expand *x, struct ast *body, struct way *in, struct outcome *o)
{
	x->st = in->st;
	walk_maybe(x, body, o);
	settle(x, o);
	in->st = x->st;
}

static void walk_case(struct expand *x, struct ast *n, struct outcome *o)
{
	struct way tests = { .there = true }, falls = { 0 }, out = { 0 };	/* still looks, comes by ;& and has left */
	struct wordctx c;
	const char *subject;

	word_init(&c, x);
	subject = piece_exact(x, word_whole(&c, n->words, false));
	tests.st = x->st;
	for (const struct ast_case *i = n->item; i && model_ok(x); i = i->next) {
		struct way in = falls;
		int hit;

		x->st = tests.st;
		hit = tests.there ? case_matches(x, subject, i) : 0;
		if (hit)
			way_add(x, &in, &x->st);
		tests.there = tests.there && hit != 1;
		if (!in.there) {
			walk_aside(x, i->body);
			continue;
		}
		walk_clause(x, i->body, &in, o);
		falls.there = false;
		way_add(x, !i->fall ? &out : i->tests ? &tests : &falls, &in.st);
	}
	if (tests.there)
		way_add(x, &out, &tests.st);
	if (falls.there)
		way_add(x, &out, &falls.st);
	x->st = out.st;
	*o = (struct outcome){ 0 };
}

static bool is_arithmetic_test(const char *op)
{
	static const char *const list[] = { "-v", "-eq", "-ne", "-lt", "-le", "-gt", "-ge" };

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		if (!strcmp(list[i], op))
			return true;
	}
	return false;
}

/* a[$(x)]: where a number or a variable's name is expected the subscript is expanded again. */
static bool has_live_subscript(const char *s)
{
	const char *open = strchr(s, '[');

	return open && (strstr(open, "$(") || strchr(open, '`'));
}

/* [[ ]]: only for what its words run. */
static void walk_test(struct expand *x, struct ast *n, struct outcome *o)
{
	const struct ast_word *subscript = NULL;
	bool arithmetic = false;

	(void)o;
	for (const struct ast_word *w = n->words; w && model_ok(x); w = w->next) {
		struct wordctx c;
		const char *text;

		word_init(&c, x);
		word_whole(&c, w, false);
		text = piece_exact(x, c.first);
		if (text && has_live_subscript(text))
			subscript = w;
		arithmetic = arithmetic || (text && is_arithmetic_test(text));
	}
	if (subscript && arithmetic)
		model_gap(x, subscript->span, false, "a subscript that runs a command");
}

static bool arith_word(struct expand *x, const struct ast_word *w, long long *v)
{
	struct wordctx c;
	const char *text, *why;

	if (!w)
		return false;
	word_init(&c, x);
	word_parts(&c, w->part);
	text = piece_exact(x, c.first);
	if (!text) {
		struct piece *p = c.first;

		/* what it assigns cannot be told when a part of it is not known */
		for (; p; p = p->next) {
			if (p->kind == PIECE_TEXT && memchr(p->text, '=', p->len))
				model_taint(x, "arithmetic that is not known");
		}
		return false;
	}
	return arith_eval(&c, text, v, &why) == 0;
}

static void walk_arith(struct expand *x, struct ast *n, struct outcome *o)
{
	long long v;

	if (arith_word(x, n->expr[0], &v))
		o->status = v ? STATUS_OK : STATUS_FAIL;
}

/* ---- loops ---------------------------------------------------------------------------- */

typedef void round_fn(struct expand *x, struct ast *n);

static void one_round(struct expand *x, struct ast *n, round_fn *fn, struct loop *l)
{
	l->has_cont = false;
	l->up = x->loop;
	x->loop = l;
	fn(x, n);
	x->loop = l->up;
	if (l->has_cont)
		model_join(x, &x->st, &l->cont);
}

static void after_loop(struct expand *x, const struct loop *l, unsigned left)
{
	if (l->has_brk)
		model_join(x, &x->st, &l->brk);
	x->st.doubt = (x->st.doubt & ~(unsigned)DOUBT_LEFT) | left;
}

/* Any number of rounds: first find what they change, then walk once with that not known. */
static void any_rounds(struct expand *x, struct ast *n, round_fn *fn)
{
	size_t printed = x->cap ? x->cap->n : 0;
	unsigned flags = x->flags;
	struct capture none = { 0 }, *cap = x->cap;
	struct loop l = { 0 };
	struct state start = x->st;
	unsigned left = start.doubt & DOUBT_LEFT;
	bool changed = true;

	none.tail = &none.first;
	x->cap = cap ? &none : NULL;
	x->dry++;
	for (int i = 0; i < LOOP_PASSES && changed && model_ok(x); i++) {
		struct loop once = { 0 };

		x->st = start;
		one_round(x, n, fn, &once);
		changed = model_join(x, &start, &x->st);
	}
	x->dry--;
	x->cap = cap;
	x->st = start;
	if (changed)
		model_taint(x, "a loop changes it");
	start = x->st;
	x->flags |= SIMPLE_LOOP | SIMPLE_CONDITIONAL;
	one_round(x, n, fn, &l);
	x->flags = flags;
	model_join(x, &x->st, &start);
	after_loop(x, &l, left);
	if (x->cap && x->cap->n != printed)
		output_unknown(x, "output of a loop");
}

static void round_while(struct expand *x, struct ast *n)
{
	struct outcome o;
	struct state out;

	x->cond++;
	expand_walk(x, n->a, &o);
	x->cond--;
	if (n->kind == AST_UNTIL) {
		out = x->st;
		x->st = fail_state(x, &o);
	} else {
		out = fail_state(x, &o);
	}
	expand_walk(x, n->b, &o);
	settle(x, &o);
	model_join(x, &x->st, &out);
}

static void walk_while(struct expand *x, struct ast *n, struct outcome *o)
{
	any_rounds(x, n, round_while);
	*o = (struct outcome){ 0 };
}

static void round_body(struct expand *x, struct ast *n)
{
	struct outcome o;

	expand_walk(x, n->b, &o);
	settle(x, &o);
}

static void round_arith(struct expand *x, struct ast *n)
{
	long long v;

	arith_word(x, n->expr[1], &v);
	round_body(x, n);
	arith_word(x, n->expr[2], &v);
}

static void walk_cfor(struct expand *x, struct ast *n, struct outcome *o)
{
	long long v;

	arith_word(x, n->expr[0], &v);
	any_rounds(x, n, round_arith);
	*o = (struct outcome){ 0 };
}

static void set_loop_var(struct expand *x, const char *name, struct piece *p)
{
	if (name)
		model_set_text(x, name, p);
}

static void each_value(struct expand *x, struct ast *n, const struct words *ws)
{
	unsigned flags = x->flags, left = x->st.doubt & DOUBT_LEFT;
	struct loop l = { 0 };

	if (ws->n > 1)
		x->flags |= SIMPLE_LOOP;
	for (size_t i = 0; i < ws->n && model_ok(x); i++) {
		set_loop_var(x, n->name, builtin_word_piece(x, &ws->w[i]));
		one_round(x, n, round_body, &l);
	}
	x->flags = flags;
	after_loop(x, &l, left);
}

static void some_value(struct expand *x, struct ast *n, const struct words *ws)
{
	const char *why = ws->n ? "one of the values of the loop" : "argument";
	struct piece *p;

	for (size_t i = 0; i < ws->n; i++) {
		if (ws->w[i].kind == WORD_UNKNOWN)
			why = ws->w[i].why;
	}
	p = piece_unknown(x, why);
	set_loop_var(x, n->name, p);
	any_rounds(x, n, round_body);
}

static bool each_is_one(const struct words *ws)
{
	for (size_t i = 0; i < ws->n; i++) {
		if (ws->w[i].many)
			return false;
	}
	return ws->n <= LOOP_ITEMS;
}

static void walk_for(struct expand *x, struct ast *n, struct outcome *o)
{
	struct words ws = { 0 };
	struct wordctx c;
	bool known = true;

	word_init(&c, x);
	word_begin(n->words, &ws);
	for (const struct ast_word *w = n->words; w && model_ok(x); w = w->next)
		word_fields(&c, w, &ws);
	word_end(&c, &ws);
	if (!n->has_in) {
		known = !x->st.pos_unknown;
		for (size_t i = 0; known && i < x->st.npos; i++)
			word_push(x, &ws, word_finish(&c, x->st.pos[i], n->span));
	}
	if (n->name && model_var(x, n->name)->is_readonly) {
		walk_aside(x, n->b);
		o->status = STATUS_FAIL;
		return;
	}
	if (n->kind == AST_SELECT || !known || !each_is_one(&ws))
		some_value(x, n, &ws);
	else
		each_value(x, n, &ws);
	*o = (struct outcome){ 0 };
}

/* ---- functions ------------------------------------------------------------------------ */

/* What the shell's integration is made of: the gate holds without, but nobody would see what runs. */
static bool is_integral(const char *name)
{
	static const char *const names[] = {
		"builtin", "declare", "exec", "history", "printf", "read", "readonly", "set", "shopt", "unset",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return !strncmp(name, "__sbx", 5);
}

static void walk_function(struct expand *x, struct ast *n, struct outcome *o)
{
	struct fn_def *d;

	o->status = STATUS_OK;
	if (!n->name || !n->a)
		return;
	if (is_integral(n->name))
		model_gap(x, n->span, false, "a function takes the place of what the shell's integration uses");
	model_set(x, LIVE_FUNCTION, n->name, &(struct value){ .state = LIVE_SCALAR }, n);
	for (d = x->defs; d; d = d->next) {
		if (d->fn == n)
			return;
	}
	d = arena_alloc(x->a, sizeof(*d));
	if (!d)
		return;
	*d = (struct fn_def){ .next = x->defs, .fn = n, .name = n->name };
	x->defs = d;
}

static struct ast *live_function(struct expand *x, const char *name, struct span at)
{
	const struct live_value *v = x->st.new_shell ? NULL : live_get(x->in.live, LIVE_FUNCTION, name);
	struct span *keep;
	const char *text;
	struct ast *list;

	if (!v || v->state != LIVE_SCALAR)
		return NULL;
	keep = arena_alloc(x->a, sizeof(*keep));
	text = arena_strdup(x->a, v->text);
	if (!keep || !text)
		return NULL;
	*keep = at;
	list = expand_parse(x, text, strlen(text), keep, true);
	return list && list->a && list->a->kind == AST_FUNCTION ? list->a : NULL;
}

static struct ast *find_function(struct expand *x, const char *name, struct span at)
{
	const struct binding *b = model_find(x, LIVE_FUNCTION, name);

	if (b && b->value.state == LIVE_UNKNOWN)
		model_gap(x, at, false, "which function of this name is called depends on a condition");
	if (b && (b->fn || b->value.state == LIVE_UNSET))
		return b->fn;
	return live_function(x, name, at);
}

static unsigned calls_of(const struct expand *x, const char *name)
{
	unsigned n = 0;

	for (const struct call *c = x->call; c; c = c->up)
		n += strcmp(c->name, name) == 0;
	return n;
}

static void mark_called(struct expand *x, const struct ast *fn)
{
	for (struct fn_def *d = x->defs; d; d = d->next)
		d->called |= d->fn == fn;
}

static void put_back_locals(struct expand *x, const struct call *c)
{
	for (const struct binding *b = c->locals; b; b = b->next)
		model_set(x, LIVE_VAR, b->name, &b->value, NULL);
}

static void walk_body(struct expand *x, struct ast *fn, const char *name, struct outcome *o)
{
	struct call call = { .up = x->call, .name = name };
	unsigned left = x->st.doubt & DOUBT_LEFT;
	struct loop *loop = x->loop;

	x->call = &call;
	x->loop = NULL;
	x->ncall++;
	expand_walk(x, fn->a, o);
	settle(x, o);
	if (call.returned)
		model_join(x, &x->st, &call.ret);
	x->st.doubt = (x->st.doubt & ~(unsigned)DOUBT_LEFT) | left;
	put_back_locals(x, &call);
	x->ncall--;
	x->loop = loop;
	x->call = call.up;
}

static void emit(struct expand *x, struct simple *s);

static void call_function(struct expand *x, struct ast *fn, struct simple *s, struct outcome *o)
{
	struct piece *const *pos = x->st.pos;
	struct piece **args;
	size_t npos = x->st.npos;
	bool unknown = x->st.pos_unknown;
	const struct simple *from = x->pipe_from;
	const struct word *text = x->stdin_text;
	unsigned again = calls_of(x, s->argv[0].text);

	mark_called(x, fn);
	if (again) {
		s->flags |= SIMPLE_RECURSES;
		emit(x, s);
	}
	if (again >= EXPAND_CALLS || x->ncall >= EXPAND_DEPTH) {
		model_gap(x, s->span, false, "a function calls itself again and again");
		model_taint(x, "a function that calls itself ran before");
		return;
	}
	args = arena_alloc(x->a, s->argc * sizeof(*args));
	if (!args)
		return;
	x->st.pos_unknown = false;
	for (size_t i = 1; i < s->argc; i++) {
		args[i - 1] = builtin_word_piece(x, &s->argv[i]);
		x->st.pos_unknown |= s->argv[i].many;
	}
	x->st.pos = args;
	x->st.npos = s->argc - 1;
	x->pipe_from = s->pipe_from;
	x->stdin_text = s->stdin_text;
	walk_body(x, fn, s->argv[0].text, o);
	x->pipe_from = from;
	x->stdin_text = text;
	x->st.pos = pos;
	x->st.npos = npos;
	x->st.pos_unknown = unknown;
	o->split = false;
	o->status = STATUS_UNKNOWN;
}

/* What is defined here and not called may be called later: seen once, with arguments not known. */
static void walk_defined(struct expand *x)
{
	for (struct fn_def *d = x->defs; d && model_ok(x); d = d->next) {
		struct state keep = x->st;
		struct outcome o;
		unsigned flags = x->flags;

		if (d->called)
			continue;
		x->flags |= SIMPLE_DEFINED | SIMPLE_CONDITIONAL;
		x->st.pos_unknown = true;
		x->st.dead = false;
		walk_body(x, d->fn, d->name, &o);
		x->flags = flags;
		x->st = keep;
	}
}

/* ---- simple commands ------------------------------------------------------------------ */

/* In one of several directories: announced for each, so that the worst decides. The first stays the one that others
 * refer to.
 */
static void emit_everywhere(struct expand *x, struct simple *s)
{
	s->cwd = x->st.where[0];
	s->cwd_why = NULL;
	s->flags |= SIMPLE_SOMEWHERE;
	if (x->in.fn(x->in.arg, s) < 0)
		x->stop = true;
	for (unsigned i = 1; i < x->st.nwhere && !x->stop; i++) {
		struct simple *there = arena_alloc(x->a, sizeof(*there));

		if (!there)
			return;
		*there = *s;
		there->cwd = x->st.where[i];
		there->flags |= SIMPLE_ALSO;
		if (x->in.fn(x->in.arg, there) < 0)
			x->stop = true;
	}
}

static void emit(struct expand *x, struct simple *s)
{
	x->last = s;
	if (x->dry || !x->in.fn || x->stop)
		return;
	if (!s->cwd && !x->st.real && x->st.nwhere) {
		emit_everywhere(x, s);
		return;
	}
	if (x->in.fn(x->in.arg, s) < 0)
		x->stop = true;
}

static bool is_fd(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return (n && (!s[n] || (s[n] == '-' && !s[n + 1]))) || strcmp(s, "-") == 0;
}

/* >&WORD is a file for both when the word is no descriptor. */
static void settle_dup(struct redir *r)
{
	if (r->op == REDIR_DUP_OUT && r->fd == 1 && !(r->target.kind == WORD_EXACT && is_fd(r->target.text)))
		r->op = REDIR_BOTH;
}

static struct word redir_target(struct expand *x, const struct ast_redir *d, const char **abort)
{
	struct words ws = { 0 };
	struct wordctx c;
	struct piece *p, *nl;

	word_init(&c, x);
	if (d->op == REDIR_HEREDOC || d->op == REDIR_HERESTRING) {
		p = word_whole(&c, d->target, false);
		nl = d->op == REDIR_HERESTRING ? piece_str(x, "\n") : NULL;
		if (nl)
			word_add(&c, nl);
		p = c.first;
		*abort = *abort ? *abort : c.abort;
		return word_finish(&c, p, d->target ? d->target->span : d->span);
	}
	if (d->target)
		word_fields(&c, d->target, &ws);
	*abort = *abort ? *abort : c.abort;
	if (ws.n == 1 && !ws.w[0].many)
		return ws.w[0];
	return (struct word){ .why = "the target of the redirection is not one word", .prefix = "", .suffix = "",
			      .span = model_span(x, d->span) };
}

static void redirections(struct expand *x, const struct ast_redir *d, struct simple *s, const char **abort)
{
	struct redir *r;
	size_t n = 0;

	for (const struct ast_redir *p = d; p; p = p->next)
		n++;
	r = n ? arena_alloc(x->a, n * sizeof(*r)) : NULL;
	if (!r)
		return;
	s->redir = r;
	for (; d && model_ok(x); d = d->next, r++) {
		*r = (struct redir){ .op = d->op, .fd = d->fd, .span = model_span(x, d->span) };
		r->target = redir_target(x, d, abort);
		settle_dup(r);
		s->nredir++;
		if (d->fdvar)
			model_set_text(x, d->fdvar, piece_solid(x, "a descriptor"));
		if (d->fd != 0)
			continue;
		s->pipe_from = NULL;
		s->stdin_text = d->op == REDIR_HEREDOC || d->op == REDIR_HERESTRING ? &r->target : NULL;
	}
}

/* Of a place in the nested text; from where the last one was asked for, since they mostly come in order. */
static unsigned line_of(struct expand *x, size_t at)
{
	if (at < x->line_at) {
		x->line_at = 0;
		x->line_no = 1;
	}
	for (; x->line_at < at && x->text[x->line_at]; x->line_at++)
		x->line_no += x->text[x->line_at] == '\n';
	return x->line_no;
}

static struct simple *simple_new(struct expand *x, const struct ast *n)
{
	struct simple *s = arena_alloc(x->a, sizeof(*s));

	if (!s)
		return NULL;
	s->pipe_from = x->pipe_from;
	s->stdin_text = x->stdin_text;
	s->cwd = x->st.real;
	s->cwd_why = x->st.real ? NULL : x->st.cwd_why ? x->st.cwd_why : "not known";
	s->via = x->via;
	s->span = model_span(x, n->span);
	s->line = x->text ? line_of(x, n->span.from) : 0;
	s->flags = x->flags | (x->st.doubt ? SIMPLE_CONDITIONAL : 0);
	s->depth = x->depth;
	return s;
}

/* Redirections of a compound command hold for everything inside. */
static void walk_redirected(struct expand *x, struct ast *n, struct outcome *o,
			    void (*walk)(struct expand *, struct ast *, struct outcome *))
{
	const struct simple *from = x->pipe_from;
	const struct word *text = x->stdin_text;
	struct capture none = { 0 }, *cap = x->cap;
	struct simple *s = simple_new(x, n);
	const char *abort = NULL;

	if (!s)
		return;
	none.tail = &none.first;
	redirections(x, n->redir, s, &abort);
	if (abort)
		s->flags |= SIMPLE_NOT_RUN;
	emit(x, s);
	x->pipe_from = s->pipe_from;
	x->stdin_text = s->stdin_text;
	for (size_t i = 0; i < s->nredir && cap; i++) {
		if (s->redir[i].fd == 1 || s->redir[i].op == REDIR_BOTH)
			x->cap = &none;		/* cppcheck-suppress autoVariables ; taken back below */
	}
	walk(x, n, o);
	if (x->cap != cap)
		x->cap = cap;
	x->pipe_from = from;
	x->stdin_text = text;
}

struct saved {
	struct saved	*next;
	const char	*name;
	struct value	 value;
};

static size_t count_assigns(const struct ast_assign *a)
{
	size_t n = 0;

	for (; a; a = a->next)
		n++;
	return n;
}

/* Do the assignments; those before a command end with it: what was there goes into @saved. */
static void assignments(struct expand *x, const struct ast_assign *a, struct simple *s, bool lasting,
			struct saved **saved, const char **abort)
{
	struct assign *out;
	size_t n = count_assigns(a);

	out = n ? arena_alloc(x->a, n * sizeof(*out)) : NULL;
	if (!out)
		return;
	s->assign = out;
	for (; a && model_ok(x); a = a->next, out++) {
		struct saved *v = lasting ? NULL : arena_alloc(x->a, sizeof(*v));
		struct value now;

		if (v) {
			*v = (struct saved){ .next = *saved, .name = a->name, .value = *model_var(x, a->name) };
			*saved = v;
		}
		/* before a command it is no error: the command has the old value */
		builtin_assign(x, a, out, lasting || !model_var(x, a->name)->is_readonly, abort);
		s->nassign++;
		if (lasting)
			continue;
		now = *model_var(x, a->name);
		now.exported = true;
		model_set(x, LIVE_VAR, a->name, &now, NULL);
	}
}

static void put_back(struct expand *x, const struct saved *v)
{
	for (; v; v = v->next)
		model_set(x, LIVE_VAR, v->name, &v->value, NULL);
}

/* An alias that was set before on this text counts only from the next line on. */
static void check_alias(struct expand *x, const struct ast *n, struct words *ws)
{
	const struct binding *b;
	struct word *w = ws->w;

	if (!ws->n || w->kind != WORD_EXACT || w->quoted || !x->st.bind[LIVE_ALIAS])
		return;
	b = model_find(x, LIVE_ALIAS, w->text);
	if (!b || b->value.state != LIVE_SCALAR)
		return;
	(void)n;
	w->kind = WORD_UNKNOWN;
	w->text = NULL;
	w->prefix = w->suffix = "";
	w->why = "an alias that is set on the same line";
}

/* A redirection that fails makes the command fail, a builtin too. */
static bool may_not_open(const struct simple *s)
{
	for (size_t i = 0; i < s->nredir; i++) {
		const struct redir *r = &s->redir[i];
		const char *to = r->target.kind == WORD_EXACT ? r->target.text : NULL;

		if (r->op == REDIR_HEREDOC || r->op == REDIR_HERESTRING || (to && strcmp(to, "/dev/null") == 0))
			continue;
		if ((r->op == REDIR_DUP_OUT || r->op == REDIR_DUP_IN) && to && (strcmp(to, "1") == 0 || strcmp(to, "2") == 0))
			continue;
		return true;
	}
	return false;
}

/* A function that was defined or removed on a condition: it may be a program of that name. */
static bool may_be_missing(struct expand *x, const char *name)
{
	const struct binding *b = model_find(x, LIVE_FUNCTION, name);

	return b && b->value.flux;
}

static void run_simple(struct expand *x, struct ast *n, struct simple *s, struct outcome *o)
{
	const char *name = s->argc && s->argv[0].kind == WORD_EXACT ? s->argv[0].text : NULL;
	struct ast *fn = name ? find_function(x, name, s->argv[0].span) : NULL;
	unsigned flags = x->flags;

	(void)n;
	if (fn && may_be_missing(x, name)) {
		struct simple *itself = arena_alloc(x->a, sizeof(*itself));

		if (itself) {
			*itself = *s;
			itself->flags |= SIMPLE_CONDITIONAL;
			emit(x, itself);
		}
		x->flags |= SIMPLE_CONDITIONAL;
	}
	if (fn) {
		if (s->nredir) {
			struct simple *r = arena_alloc(x->a, sizeof(*r));

			if (r) {
				*r = *s;
				r->argc = 0;
				emit(x, r);
			}
		}
		call_function(x, fn, s, o);
		x->flags = flags;
		return;
	}
	if (name && builtin_is(name))
		s->flags |= SIMPLE_BUILTIN;
	x->nested_ran = false;
	emit(x, s);
	x->acted |= !(s->flags & SIMPLE_BUILTIN) || s->nredir;
	x->ran |= !(s->flags & SIMPLE_BUILTIN);
	if (x->cap && x->st.doubt & ~x->cap->doubt)
		output_unknown(x, "output of what may not run");
	else
		output_of(x, s);
	builtin_run(x, s, o);
	if (o->status == STATUS_OK && may_not_open(s))
		o->status = STATUS_UNKNOWN;
	x->last = s;
}

/* Only assignments: they succeed unless a substitution in them fails. Only redirections: may fail. */
static void finish_bare(struct expand *x, struct ast *n, struct simple *s, struct outcome *o)
{
	bool runs = false;

	for (const struct ast_assign *a = n->assign; a; a = a->next) {
		for (const struct ast_part *p = a->value ? a->value->part : NULL; p; p = p->next)
			runs |= p->kind == PART_COMMAND;
	}
	emit(x, s);
	if (s->nredir && x->cap && !s->nassign)
		output_unknown(x, "content of a file");
	o->status = runs || s->nredir ? STATUS_UNKNOWN : STATUS_OK;
}

static void walk_simple(struct expand *x, struct ast *n, struct outcome *o)
{
	struct saved *saved = NULL;
	struct words ws = { 0 };
	const char *abort = NULL;
	unsigned doubt = x->st.doubt;
	struct simple *s;
	struct wordctx c;

	word_init(&c, x);
	word_begin(n->words, &ws);
	for (const struct ast_word *w = n->words; w && model_ok(x); w = w->next)
		word_fields(&c, w, &ws);
	word_end(&c, &ws);
	abort = c.abort;
	check_alias(x, n, &ws);
	s = simple_new(x, n);
	if (!s)
		return;
	s->argv = ws.w;
	s->argc = ws.n;
	redirections(x, n->redir, s, &abort);
	assignments(x, n->assign, s, !ws.n, &saved, &abort);
	if (abort) {
		s->flags = x->flags | (doubt ? SIMPLE_CONDITIONAL : 0) | SIMPLE_NOT_RUN;
		emit(x, s);
		x->st.doubt |= DOUBT_EXIT;
		o->status = STATUS_FAIL;
		put_back(x, saved);
		return;
	}
	if (ws.n)
		run_simple(x, n, s, o);
	else
		finish_bare(x, n, s, o);
	put_back(x, saved);
}

/* ---- substitutions -------------------------------------------------------------------- */

static bool deeper(struct expand *x, struct span at)
{
	if (x->depth >= EXPAND_DEPTH) {
		model_gap(x, at, false, "commands inside commands are nested too deep");
		return false;
	}
	x->depth++;
	return true;
}

/* What is not known at the end may be nothing: then the newlines before it go away too. */
static void cut_before(struct piece *p, const struct piece *last)
{
	struct piece *text = NULL;

	for (; p != last; p = p->next) {
		size_t n = p->len;

		while (n && p->kind == PIECE_TEXT && p->text[n - 1] == '\n')
			n--;
		if (!text || p->kind != PIECE_TEXT || n)
			text = p;
	}
	for (; text && text != last; text = text->next) {
		while (text->kind == PIECE_TEXT && text->len && text->text[text->len - 1] == '\n')
			text->len--;
	}
}

/* Command substitution takes away the newlines at the end. */
static struct piece *trimmed(struct piece *p)
{
	struct piece *last = NULL;

	for (struct piece *q = p; q; q = q->next) {
		const char *s = q->text;
		size_t n = q->len;

		while (n && q->kind == PIECE_TEXT && s[n - 1] == '\n')
			n--;
		if (q->kind != PIECE_TEXT || n)
			last = q;
	}
	if (!last)
		return NULL;
	if (last->kind == PIECE_UNKNOWN && !last->solid)
		cut_before(p, last);
	last->next = NULL;
	while (last->kind == PIECE_TEXT && last->len && last->text[last->len - 1] == '\n')
		last->len--;
	return p;
}

struct piece *expand_substitution(struct expand *x, struct ast *body, struct span at)
{
	struct capture cap = { 0 }, *keep = x->cap;
	unsigned flags = x->flags;
	const struct simple *last = x->last;
	struct outcome o;

	if (!body)
		return piece_unknown(x, "not understood");
	if (!deeper(x, at))
		return piece_unknown(x, "nested too deep");
	cap.tail = &cap.first;
	cap.doubt = x->st.doubt;
	x->cap = &cap;
	x->flags = (flags & ~(unsigned)SIMPLE_BUILTIN) | SIMPLE_SUBST | SIMPLE_PIPE_OUT;
	walk_apart(x, body, &o);
	x->flags = flags;
	x->cap = keep;
	x->last = last;
	x->depth--;
	return trimmed(cap.first);
}

void expand_process(struct expand *x, struct ast *body, struct span at)
{
	const struct simple *last = x->last, *from = x->pipe_from;
	struct capture none = { 0 }, *keep = x->cap;
	unsigned flags = x->flags;
	struct outcome o;

	if (!body || !deeper(x, at))
		return;
	none.tail = &none.first;
	x->cap = keep ? &none : NULL;
	x->flags |= SIMPLE_SUBST | SIMPLE_PIPE_OUT;
	x->pipe_from = arena_alloc(x->a, sizeof(*x->pipe_from));
	walk_apart(x, body, &o);
	x->pipe_from = from;
	x->flags = flags;
	x->cap = keep;
	x->last = last;
	x->depth--;
}

/* ---- the walk ------------------------------------------------------------------------- */

typedef void walk_fn(struct expand *x, struct ast *n, struct outcome *o);

static walk_fn *const walkers[AST_KIND_COUNT] = {
	[AST_SIMPLE] = walk_simple, [AST_LIST] = walk_list, [AST_AND] = walk_and_or, [AST_OR] = walk_and_or,
	[AST_PIPE] = walk_pipe, [AST_NOT] = walk_not, [AST_TIME] = walk_inner, [AST_COPROC] = walk_coproc,
	[AST_SUBSHELL] = walk_subshell, [AST_GROUP] = walk_inner, [AST_IF] = walk_if, [AST_WHILE] = walk_while,
	[AST_UNTIL] = walk_while, [AST_FOR] = walk_for, [AST_CFOR] = walk_cfor, [AST_SELECT] = walk_for,
	[AST_CASE] = walk_case, [AST_FUNCTION] = walk_function, [AST_TEST] = walk_test, [AST_ARITH] = walk_arith,
};

void expand_walk(struct expand *x, struct ast *n, struct outcome *o)
{
	*o = (struct outcome){ 0 };
	if (!n) {
		o->status = STATUS_OK;
		return;
	}
	if (!model_ok(x))
		return;
	if (x->steps++ >= EXPAND_STEPS) {
		unsigned dry = x->dry;

		x->dry = 0;
		model_gap(x, n->span, false, "the line does more than can be followed");
		x->dry = dry;
		x->stop = true;
		return;
	}
	if (n->redir && n->kind != AST_SIMPLE)
		walk_redirected(x, n, o, walkers[n->kind]);
	else
		walkers[n->kind](x, n, o);
}

struct expand *expand_new(const struct expand_in *in)
{
	struct expand *x = arena_alloc(in->arena, sizeof(*x));

	if (!x)
		return NULL;
	x->in = *in;
	x->a = in->arena;
	x->st.cwd = x->st.real = in->line->cwd;
	x->st.dirs_unknown = true;
	/* Where nobody can be asked, the line stands at a prompt: it has no arguments. */
	x->st.pos_unknown = !live_is_complete(in->live, LIVE_VAR);
	x->dialect = in->line->dialect;
	return x;
}

int expand_line(struct expand *x)
{
	const struct cmdline *l = x->in.line;
	struct outcome o = { 0 };
	struct ast *list;

	if (l->dialect > DIALECT_FISH) {
		model_gap(x, (struct span){ 0, l->len }, false, "this shell's language is not read yet");
		return 0;
	}
	list = expand_parse(x, l->text, l->len, NULL, false);
	if (list)
		expand_walk(x, list, &o);
	settle(x, &o);
	if (!x->stop)
		walk_defined(x);
	return x->stop || x->a->full ? -1 : 0;
}

/* A process of its own sees only what is exported. */
static void new_shell(struct expand *x)
{
	struct binding *old = x->st.bind[LIVE_VAR], **tail = &x->st.bind[LIVE_VAR];

	memset(x->st.bind, 0, sizeof(x->st.bind));
	x->st.new_shell = true;
	for (struct binding *b = old; b; b = b->next) {
		struct binding *n;
		bool newer = false;

		for (const struct binding *k = old; k != b && b->name && !newer; k = k->next)
			newer = k->name && k->hash == b->hash && strcmp(k->name, b->name) == 0;
		n = newer ? NULL : arena_alloc(x->a, sizeof(*n));
		if (!n)
			continue;
		*n = *b;
		if (b->name && !b->value.exported && strcmp(b->name, "PWD") != 0 && strcmp(b->name, "OLDPWD") != 0)
			n->value = (struct value){ .state = LIVE_UNSET };
		n->next = NULL;
		*tail = n;
		tail = &n->next;
	}
}

static void set_arguments(struct expand *x, const struct word *args, size_t nargs)
{
	struct piece **p = arena_alloc(x->a, (nargs + 1) * sizeof(*p));

	if (!p)
		return;
	x->st.arg0 = nargs && args[0].kind == WORD_EXACT ? args[0].text : NULL;
	x->st.pos_unknown = nargs && args[0].many;
	for (size_t i = 1; i < nargs; i++) {
		p[i - 1] = builtin_word_piece(x, &args[i]);
		x->st.pos_unknown |= args[i].many;
	}
	x->st.pos = p;
	x->st.npos = nargs ? nargs - 1 : 0;
}

/* Of the text that a new process reads: by the program, else (a script that is run by its name) by what it says it is. */
static enum dialect inner_dialect(const struct simple *by, const char *text)
{
	static const struct { const char *name; enum dialect dialect; } shells[] = {
		{ "zsh", DIALECT_ZSH }, { "fish", DIALECT_FISH }, { "bash", DIALECT_BASH }, { "sh", DIALECT_BASH }, { "dash", DIALECT_BASH },
		{ "ash", DIALECT_BASH }, { "ksh", DIALECT_BASH }, { "mksh", DIALECT_BASH }, { "rbash", DIALECT_BASH },
	};
	const char *program = by && by->argc && by->argv[0].kind == WORD_EXACT ? by->argv[0].text : "sh";
	const char *slash = strrchr(program, '/'), *dot = strrchr(program, '.');

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		if (!strcmp(slash ? slash + 1 : program, shells[i].name))
			return shells[i].dialect;
	}
	if (!strncmp(text, "#!", 2))
		return memmem(text, strcspn(text, "\n"), "fish", 4) ? DIALECT_FISH : DIALECT_BASH;
	return dot && !strcmp(dot, ".fish") ? DIALECT_FISH : DIALECT_BASH;
}

int expand_nested(struct expand *x, const struct simple *by, const char *text, size_t len, struct span at,
		  bool own_shell, const struct word *args, size_t nargs)
{
	const struct simple *via = x->via, *from = x->pipe_from, *last = x->last;
	const struct word *stdin_text = x->stdin_text;
	const struct span *old_at = x->at;
	enum dialect dialect = x->dialect;
	struct state keep = x->st;
	struct capture *cap = x->cap, none = { 0 };
	unsigned flags = x->flags;
	struct span *span = arena_alloc(x->a, sizeof(*span));
	const char *copy = arena_strndup(x->a, text, len), *old_text = x->text;
	size_t old_line_at = x->line_at;
	unsigned old_line_no = x->line_no;
	struct outcome o = { 0 };
	struct ast *list;
	enum stage before;

	if (!span || !copy)
		return -1;
	x->nested_ran = true;
	if (!deeper(x, at))
		return 0;
	before = stage_enter(x->in.stages, STAGE_EXPAND);
	*span = at;
	none.tail = &none.first;
	x->at = span;
	x->text = copy;
	x->line_at = 0;
	x->line_no = 1;
	x->via = by;
	x->pipe_from = by ? by->pipe_from : NULL;
	x->stdin_text = by ? by->stdin_text : NULL;
	if (own_shell) {
		new_shell(x);
		x->cap = cap ? &none : NULL;
	}
	if (own_shell)
		x->dialect = inner_dialect(by, copy);
	if (own_shell || nargs)
		set_arguments(x, args, nargs);
	list = expand_parse(x, copy, len, NULL, true);	/* its places are those in the text; model_span() says where it stands */
	expand_walk(x, list, &o);
	settle(x, &o);
	if (own_shell) {
		x->st = keep;
	} else if (nargs) {
		x->st.pos = keep.pos;
		x->st.npos = keep.npos;
		x->st.pos_unknown = keep.pos_unknown;
		x->st.arg0 = keep.arg0;
	}
	x->dialect = dialect;
	x->cap = cap;
	x->flags = flags;
	x->at = old_at;
	x->text = old_text;
	x->line_at = old_line_at;
	x->line_no = old_line_no;
	x->via = via;
	x->pipe_from = from;
	x->stdin_text = stdin_text;
	x->last = last;
	x->nested_ran = true;
	x->depth--;
	stage_enter(x->in.stages, before);
	return x->stop || x->a->full ? -1 : 0;
}

void expand_set_cwd(struct expand *x, const char *cwd)
{
	x->st.cwd = x->st.real = cwd;
	x->st.cwd_why = cwd ? NULL : "the directory is not known";
}

size_t expand_gaps(const struct expand *x, const struct expand_gap **gaps)
{
	*gaps = x->gap;
	return x->ngap;
}

size_t expand_first_command(const char *text, size_t len)
{
	struct arena a;
	struct parse_in in = { .arena = &a, .text = text, .len = len };
	struct parse_out out;
	size_t used;

	arena_init(&a, 64u << 20);
	parse_first(&in, &out);
	used = out.used;
	/* A mistake is no reason to wait for more: the line with it is given out as it is. */
	if (out.failed)
		used = out.gap.incomplete ? 0 : len;
	arena_done(&a);
	return used;
}

#include "intercept/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- small helpers -------------------------------------------------------------------- */

static const char *exact(const struct word *w)
{
	return w->kind == WORD_EXACT ? w->text : NULL;
}

struct piece *builtin_word_piece(struct expand *x, const struct word *w)
{
	struct piece *list = NULL, **tail = &list, *p;

	if (w->kind == WORD_EXACT)
		return piece_str(x, w->text);
	if (w->kind == WORD_PATTERN) {
		p = piece_str(x, w->text);
		if (p)
			p->kind = PIECE_GLOB;
		return p;
	}
	piece_append(&tail, piece_str(x, w->prefix));
	piece_append(&tail, piece_unknown(x, w->why));
	piece_append(&tail, piece_str(x, w->suffix));
	return list;
}

static void unknown_var(struct expand *x, const char *name, const char *why)
{
	struct value v = *model_var(x, name);

	if (v.is_readonly)
		return;
	v.state = LIVE_UNKNOWN;
	v.text = NULL;
	v.n = 0;
	v.why = why;
	model_set(x, LIVE_VAR, name, &v, NULL);
}

static bool is_name(const char *s, size_t len)
{
	if (!len || isdigit((unsigned char)*s))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	}
	return true;
}

/* ---- attributes ----------------------------------------------------------------------- */

struct attributes {
	bool	exported, is_readonly, integer, nameref, lower, upper, array, assoc, function, global, off, print;
};

static void attribute(struct attributes *a, const char *s)
{
	a->off = s[0] == '+';
	for (s++; *s; s++) {
		a->exported |= *s == 'x';
		a->is_readonly |= *s == 'r';
		a->integer |= *s == 'i';
		a->nameref |= *s == 'n';
		a->lower |= *s == 'l';
		a->upper |= *s == 'u';
		a->array |= *s == 'a';
		a->assoc |= *s == 'A';
		a->function |= *s == 'f' || *s == 'F';
		a->global |= *s == 'g';
		a->print |= *s == 'p';
	}
}

static void set_attributes(struct value *v, const struct attributes *a)
{
	if (a->exported)
		v->exported = !a->off;
	if (a->is_readonly)
		v->is_readonly = true;
	if (a->integer)
		v->integer = !a->off;
	if (a->nameref)
		v->nameref = !a->off;
	if (a->lower || a->upper) {		/* one takes the other away */
		v->lower = a->lower && !a->upper && !a->off;
		v->upper = a->upper && !a->lower && !a->off;
	}
	if ((a->array || a->assoc) && !a->off && v->state == LIVE_UNSET) {
		v->state = a->assoc ? LIVE_ASSOC : LIVE_ARRAY;
		v->n = 0;
	}
}

/* ---- assignments ---------------------------------------------------------------------- */

/* The key of an element as text; NULL: not known, or there can be none. */
static const char *key_text(struct expand *x, const struct ast_word *w, const struct value *v)
{
	struct wordctx c;
	const char *text, *why;
	long long n;

	word_init(&c, x);
	text = piece_exact(x, word_whole(&c, w, false));
	if (!text || v->state == LIVE_ASSOC)
		return text;
	if (arith_eval(&c, text, &n, &why) < 0)
		return NULL;
	if (n < 0 && v->state == LIVE_ARRAY && v->n)
		n += strtoll(v->key[v->n - 1], NULL, 10) + 1;
	return n >= 0 ? arena_printf(x->a, "%lld", n) : NULL;
}

static bool value_room(struct expand *x, struct value *v, size_t more)
{
	const char **key = arena_alloc(x->a, (v->n + more) * sizeof(*key));
	struct piece **val = arena_alloc(x->a, (v->n + more) * sizeof(*val));

	if (!key || !val)
		return false;
	if (v->n) {
		memcpy(key, v->key, v->n * sizeof(*key));
		memcpy(val, v->val, v->n * sizeof(*val));
	}
	v->key = key;
	v->val = val;
	return true;
}

/* Put an element in its place: indexes in order, keys at the end. The room is there. */
static void value_put(struct value *v, const char *key, struct piece *text)
{
	const char **k = (const char **)(uintptr_t)v->key;
	struct piece **t = (struct piece **)(uintptr_t)v->val;
	size_t i = 0;

	for (; i < v->n && strcmp(k[i], key) != 0; i++) {
		if (v->state == LIVE_ARRAY && strtoll(k[i], NULL, 10) > strtoll(key, NULL, 10))
			break;
	}
	if (i == v->n || strcmp(k[i], key) != 0) {
		memmove(k + i + 1, k + i, (v->n - i) * sizeof(*k));
		memmove(t + i + 1, t + i, (v->n - i) * sizeof(*t));
		v->n++;
	}
	k[i] = key;
	t[i] = text;
}

/* A scalar that becomes an array keeps its text as element 0. */
static void to_array(struct expand *x, struct value *v)
{
	struct piece *text = v->text;
	bool was = v->state == LIVE_SCALAR;

	if (v->state == LIVE_ARRAY || v->state == LIVE_ASSOC || v->state == LIVE_UNKNOWN)
		return;
	v->state = LIVE_ARRAY;
	v->n = 0;
	v->text = NULL;
	if (was && value_room(x, v, 1))
		value_put(v, "0", text);
}

static long long next_index(const struct value *v)
{
	return v->n ? strtoll(v->key[v->n - 1], NULL, 10) + 1 : 0;
}

static const char *cased(struct expand *x, const char *s, bool upper)
{
	char *out = text_is_ascii(s) ? arena_strdup(x->a, s) : NULL;

	for (char *p = out; p && *p; p++)
		*p = (char)(upper ? toupper((unsigned char)*p) : tolower((unsigned char)*p));
	return out;
}

/* declare -i, -l, -u change what is stored. */
static struct piece *with_attributes(struct expand *x, const struct value *v, struct piece *text)
{
	const char *s, *why;
	struct wordctx c;
	long long n;

	if (!v->integer && !v->lower && !v->upper && !v->flux)
		return text;
	s = piece_exact(x, text);
	word_init(&c, x);
	if (v->integer && !v->flux) {
		if (s && arith_eval(&c, s, &n, &why) == 0)
			return piece_str(x, arena_printf(x->a, "%lld", n));
		x->st.doubt |= DOUBT_EXIT;
		return piece_solid(x, "value of an integer variable");
	}
	s = s && !v->flux ? cased(x, s, v->upper) : NULL;
	return s ? piece_str(x, s) : piece_unknown(x, "value of a variable with an attribute");
}

static struct piece *appended(struct expand *x, const struct value *v, struct piece *text)
{
	struct piece *list = NULL, **tail = &list;

	if (v->state == LIVE_UNKNOWN)
		return piece_unknown(x, v->why ? v->why : "not known");
	if (v->integer && v->state == LIVE_SCALAR)
		piece_append(&tail, piece_str(x, "("));
	if (v->state == LIVE_SCALAR)
		piece_append(&tail, piece_copy(x, v->text));
	if (v->integer && v->state == LIVE_SCALAR)
		piece_append(&tail, piece_str(x, ")+"));
	piece_append(&tail, text);
	return list;
}

/* Put a value at a key, or after what is there. The room is there. */
static void element_put(struct expand *x, struct value *v, const char *key, struct piece *text, bool append)
{
	struct piece *list = NULL, **tail = &list;

	for (size_t i = 0; append && i < v->n; i++) {
		if (strcmp(v->key[i], key) == 0)
			piece_append(&tail, piece_copy(x, v->val[i]));
	}
	piece_append(&tail, text);
	value_put(v, key, list);
}

/* One element of the variable; false: what it holds then is not known. */
static bool store_element(struct expand *x, const char *name, const char *key, struct piece *text, bool append)
{
	struct value v = *model_var(x, name);

	if (v.state == LIVE_SCALAR || v.state == LIVE_UNSET)
		to_array(x, &v);
	if (!key || v.state == LIVE_UNKNOWN || v.nameref || (append && v.integer) || !value_room(x, &v, 1)) {
		unknown_var(x, name, "an element of the array is not known");
		return false;
	}
	element_put(x, &v, key, with_attributes(x, &v, text), append);
	model_set(x, LIVE_VAR, name, &v, NULL);
	return true;
}

void builtin_store_element(struct expand *x, const char *name, const char *key, struct piece *text)
{
	store_element(x, name, key, text, false);
}

/* zsh counts from 1, and what is no array changes in its letters; NULL: what becomes of it is not followed. */
static const char *zsh_key(struct expand *x, const struct value *v, const char *key)
{
	char *end;
	long long at = key ? strtoll(key, &end, 10) : 0;

	if (!key || v->state == LIVE_ASSOC)
		return key;
	if (v->state != LIVE_ARRAY || *end || at < 1 || (size_t)at > v->n + 1)
		return NULL;
	return arena_printf(x->a, "%lld", at - 1);
}

static void assign_element(struct expand *x, const struct ast_assign *a, struct piece *text)
{
	const char *key = key_text(x, a->index, model_var(x, a->name));

	if (x->dialect == DIALECT_ZSH) {
		key = zsh_key(x, model_var(x, a->name), key);
		if (!key) {
			x->st.doubt |= DOUBT_EXIT;
			unknown_var(x, a->name, "a part of it is set in a way that is not followed");
			return;
		}
	}
	x->st.doubt |= key ? 0 : DOUBT_EXIT;	/* "bad array subscript" drops the line */
	store_element(x, a->name, key, text, a->append);
}

/* [key]=value or [key]+=value in an array's list: an assignment, which is neither split nor matched with names. */
struct element {
	struct ast_word	key, value;
	bool		append;
};

static struct ast_part *cut_part(struct expand *x, const struct ast_part *p, size_t from, size_t to)
{
	struct ast_part *q = arena_alloc(x->a, sizeof(*q));

	if (!q)
		return NULL;
	*q = *p;
	q->text += from;
	q->len = to - from;
	return q;
}

/* Text that is not quoted and has the "]=" that ends the key, at *at; NULL: there is none. */
static const struct ast_part *key_end(const struct ast_part *p, size_t *at)
{
	for (; p; p = p->next) {
		if (p->kind != PART_TEXT || p->quoted)
			continue;
		for (size_t i = *at; i < p->len; i++) {
			if (p->text[i] == ']') {
				*at = i;
				return p;
			}
		}
		*at = 0;
	}
	return NULL;
}

static bool element_of(struct expand *x, const struct ast_word *w, struct element *out)
{
	const struct ast_part *first = w->part, *end;
	struct ast_part **tail = &out->key.part;
	size_t at = 1, n;

	if (!first || first->kind != PART_TEXT || first->quoted || !first->len || first->text[0] != '[')
		return false;
	end = key_end(first, &at);
	if (!end)
		return false;
	n = at + 1 < end->len && end->text[at + 1] == '+' ? 2 : 1;
	if (at + n >= end->len || end->text[at + n] != '=')
		return false;
	*out = (struct element){ .append = n == 2, .key.span = w->span, .value.span = w->span };
	for (const struct ast_part *p = first; p; p = p->next) {
		struct ast_part *q = cut_part(x, p, p == first, p == end ? at : p->len);

		if (!q)
			return false;
		q->next = NULL;
		*tail = q;
		tail = &q->next;
		if (p == end)
			break;
	}
	out->value.part = cut_part(x, end, at + n + 1, end->len);
	return out->value.part != NULL;
}

static bool has_brace(const struct ast_word *w)
{
	for (const struct ast_part *p = w->part; p; p = p->next) {
		if (p->kind == PART_TEXT && !p->quoted && memchr(p->text, '{', p->len))
			return true;
	}
	return false;
}

static bool put_element(struct expand *x, struct value *v, const struct element *e, long long *next, const char **abort)
{
	const char *key = key_text(x, &e->key, v);
	struct wordctx c;
	struct piece *text;

	word_init(&c, x);
	text = word_whole(&c, &e->value, true);
	for (struct piece *p = text; p; p = p->next)
		p->split = p->quoted = false;
	*abort = *abort ? *abort : c.abort;
	if (!key || !value_room(x, v, 1) || (e->append && v->integer) || has_brace(&e->value))
		return false;		/* braces make other words of it */
	element_put(x, v, key, with_attributes(x, v, text), e->append);
	*next = v->state == LIVE_ARRAY ? strtoll(key, NULL, 10) + 1 : 0;
	return true;
}

/* @next: the index after the one that was stored last. */
static bool put_words(struct expand *x, struct value *v, const struct words *ws, long long *next)
{
	if (!value_room(x, v, ws->n + 1) || v->state == LIVE_ASSOC)
		return false;
	for (size_t i = 0; i < ws->n; i++) {
		const char *key = arena_printf(x->a, "%lld", (*next)++);

		if (ws->w[i].many || !key)
			return false;
		value_put(v, key, with_attributes(x, v, builtin_word_piece(x, &ws->w[i])));
	}
	return true;
}

/* All words are expanded before the first one is stored: a=(x "${a[@]}"). */
struct item {
	struct element	e;
	bool		is_element;
	struct words	words;
};

static struct item *expand_items(struct expand *x, const struct ast_assign *a, size_t *n, const char **abort)
{
	struct words all = { 0 };
	struct item *item;
	struct wordctx c;
	size_t i = 0;

	for (const struct ast_word *w = a->value; w; w = w->next)
		i++;
	*n = i;
	item = arena_alloc(x->a, (i + 1) * sizeof(*item));
	word_init(&c, x);
	word_begin(a->value, &all);
	i = 0;
	for (const struct ast_word *w = a->value; w && item && model_ok(x); w = w->next, i++) {
		item[i].is_element = element_of(x, w, &item[i].e);
		item[i].words.defer = all.defer;
		if (!item[i].is_element)
			word_fields(&c, w, &item[i].words);
	}
	for (size_t k = 0; item && k < i; k++)
		word_end(&c, &item[k].words);
	*abort = *abort ? *abort : c.abort;
	return item;
}

static bool store_items(struct expand *x, struct value *v, const struct item *item, size_t n, const char **abort)
{
	bool known = item && v->state != LIVE_UNKNOWN && !v->nameref;
	long long next = v->state == LIVE_ARRAY ? next_index(v) : 0;

	for (size_t k = 0; item && k < n && model_ok(x); k++) {
		if (item[k].is_element)
			known = put_element(x, v, &item[k].e, &next, abort) && known;
		else
			known = known && put_words(x, v, &item[k].words, &next);
	}
	if (!known && v->integer)
		x->st.doubt |= DOUBT_EXIT;	/* one may be no number */
	return known;
}

static void assign_array(struct expand *x, const struct ast_assign *a, bool store, const char **abort)
{
	struct value v = *model_var(x, a->name);
	struct item *item;
	size_t n;

	if (v.state == LIVE_UNSET && store) {		/* ${a@a} in the list sees it */
		v.state = LIVE_ARRAY;
		v.n = 0;
		model_set(x, LIVE_VAR, a->name, &v, NULL);
	}
	item = expand_items(x, a, &n, abort);
	v = *model_var(x, a->name);			/* $((a[1]++)) in the list counts */
	if (!a->append && v.state != LIVE_ASSOC)
		v.state = LIVE_ARRAY;
	if (!a->append)
		v.n = 0;
	else
		to_array(x, &v);
	v.text = NULL;
	if (!store_items(x, &v, item, n, abort))
		unknown_var(x, a->name, "an element of the array is not known");
	else if (store)
		model_set(x, LIVE_VAR, a->name, &v, NULL);
}

/* Options of `declare` and its like before the word with the list. */
static void options_before(const struct words *before, struct attributes *at)
{
	for (size_t i = 0; i < before->n; i++) {
		const char *s = exact(&before->w[i]);

		if (s && (s[0] == '-' || s[0] == '+') && s[1])
			attribute(at, s);
	}
}

void builtin_array(struct expand *x, const struct ast_assign *a, const struct words *before, const char **abort)
{
	struct compound *c = arena_alloc(x->a, sizeof(*c));
	struct attributes at = { 0 };
	struct value v = *model_var(x, a->name);
	struct item *item;
	size_t n;

	if (!c)
		return;
	options_before(before, &at);
	if (x->call && !at.global)
		v = (struct value){ .state = LIVE_UNSET };
	if (v.state == LIVE_ARRAY && at.assoc)
		*abort = *abort ? *abort : "an array with numbers is to become one with names";
	if (!a->append || v.state == LIVE_UNSET) {
		bool named = at.assoc || v.state == LIVE_ASSOC;

		v.state = named ? LIVE_ASSOC : LIVE_ARRAY;
		v.n = 0;
		v.text = NULL;
	}
	to_array(x, &v);
	set_attributes(&v, &at);
	v.is_readonly = false;
	item = expand_items(x, a, &n, abort);
	if (!store_items(x, &v, item, n, abort)) {
		v.state = LIVE_UNKNOWN;
		v.n = 0;
		v.why = "an element of the array is not known";
	}
	*c = (struct compound){ .next = x->compound, .name = a->name, .value = v };
	x->compound = c;
}

static void assign_through(struct expand *x, const struct value *v, const struct ast_assign *a, struct piece *text)
{
	const char *to = v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;

	if (!to || !is_name(to, strlen(to)) || a->append)
		model_taint(x, "an assignment through a name that is not known");
	else
		model_set_text(x, to, text);
}

/* Text for an array: bash's first element, one more for zsh when it is added. */
static void assign_to_list(struct expand *x, const struct ast_assign *a, struct value *v, struct piece *text)
{
	const char *key = x->dialect == DIALECT_ZSH ? arena_printf(x->a, "%zu", v->n) : "0";

	if ((a->append && v->integer) || !value_room(x, v, 1) || !key || (x->dialect == DIALECT_ZSH && v->state == LIVE_ASSOC)) {
		x->st.doubt |= DOUBT_EXIT;	/* the text may be no number */
		unknown_var(x, a->name, "an element of the array is not known");
		return;
	}
	element_put(x, v, key, with_attributes(x, v, text), a->append);
	model_set(x, LIVE_VAR, a->name, v, NULL);
}

static void assign_scalar(struct expand *x, const struct ast_assign *a, struct piece *text)
{
	struct value v = *model_var(x, a->name);
	bool replaced = x->dialect == DIALECT_ZSH && v.state == LIVE_ARRAY && !a->append;

	if (v.nameref) {
		assign_through(x, &v, a, text);
		return;
	}
	if ((v.state == LIVE_ARRAY || v.state == LIVE_ASSOC) && !replaced) {
		assign_to_list(x, a, &v, text);
		return;
	}
	v.text = with_attributes(x, &v, a->append ? appended(x, &v, text) : text);
	v.state = LIVE_SCALAR;
	v.n = 0;
	v.why = NULL;
	model_set(x, LIVE_VAR, a->name, &v, NULL);
}

/* A read-only variable is an error that drops the rest of the line. */
static bool may_store(struct expand *x, const char *name, const char **abort)
{
	const struct value *v = model_var(x, name);

	x->st.doubt |= v->flux ? DOUBT_EXIT : 0;
	if (v->is_readonly && !*abort)
		*abort = "a variable that is read-only is to be set";
	return !v->is_readonly;
}

void builtin_assign(struct expand *x, const struct ast_assign *a, struct assign *out, bool store, const char **abort)
{
	struct wordctx c;
	struct piece *text;

	word_init(&c, x);
	*out = (struct assign){ .name = a->name, .append = a->append, .span = model_span(x, a->span) };
	store = store && may_store(x, a->name, abort);
	if (a->array) {
		assign_array(x, a, store, abort);
		out->value = (struct word){ .why = "array", .prefix = "", .suffix = "", .span = out->span };
		return;
	}
	text = word_whole(&c, a->value, true);
	for (struct piece *p = text; p; p = p->next)
		p->split = p->quoted = false;
	*abort = *abort ? *abort : c.abort;
	out->value = word_finish(&c, text, a->span);
	if (out->value.kind == WORD_PATTERN && !out->value.text)
		out->value.kind = WORD_UNKNOWN;
	if (store && a->index)
		assign_element(x, a, text);
	else if (store)
		assign_scalar(x, a, text);
}

/* ---- directories ---------------------------------------------------------------------- */

/* CDPATH makes a plain name mean another place. */
static bool cdpath_matters(struct expand *x, const char *dir)
{
	const struct value *v;
	const char *s;

	if (*dir == '/' || strcmp(dir, ".") == 0 || strcmp(dir, "..") == 0 || strncmp(dir, "./", 2) == 0 ||
	    strncmp(dir, "../", 3) == 0)
		return false;
	v = model_var(x, "CDPATH");
	if (v->state == LIVE_UNSET)
		return false;
	s = v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;
	return !s || *s;
}

static enum world_type type_of(struct expand *x, const char *path)
{
	const struct world *w = x->in.world;

	return w ? w->type(w->arg, path) : WORLD_UNKNOWN;
}

static bool certainly_there(struct expand *x, const char *path);

/* Nothing of that name, and nothing that the line has run could have made it. */
static bool certainly_absent(struct expand *x, const char *path)
{
	return !x->ran && !x->maybe_made && !model_is_made(x, path) && type_of(x, path) == WORLD_ABSENT;
}

/* Go to @path. Success is certain only for a directory that nothing on the line could have removed. */
static void go(struct expand *x, const char *path, struct outcome *o)
{
	struct state before = x->st;
	const char *real;

	model_chdir(x, path, NULL);
	real = x->st.real;
	if (real && certainly_there(x, real)) {
		o->status = STATUS_OK;
		return;
	}
	/* What follows && is still looked at from there: it may appear before the line runs. */
	o->status = real && certainly_absent(x, real) ? STATUS_FAIL : STATUS_UNKNOWN;
	o->split = true;
	o->fail = before;
}

static void lost(struct expand *x, const char *why, struct outcome *o)
{
	o->status = STATUS_UNKNOWN;
	o->split = true;
	o->fail = x->st;
	model_chdir(x, NULL, why);
}

/* From one of several places: to one of as many, or nowhere. */
static void from_each(struct expand *x, const char *dir, struct outcome *o)
{
	struct state was = x->st;

	lost(x, x->st.cwd_why, o);
	for (unsigned i = 0; i < was.nwhere; i++) {
		const char *path = model_path(x, was.where[i], dir), *real = path ? model_real(x, path) : NULL;

		if (!real) {
			x->st.nwhere = 0;
			return;
		}
		model_add_where(&x->st, real);
	}
}

static void cd_to(struct expand *x, const char *dir, struct outcome *o)
{
	const char *path;

	if (!*dir) {
		o->status = STATUS_OK;		/* cd "" stays */
		return;
	}
	if (cdpath_matters(x, dir)) {
		lost(x, "cd may follow CDPATH", o);
		return;
	}
	if (*dir != '/' && !x->st.cwd) {
		from_each(x, dir, o);
		return;
	}
	path = model_path(x, x->st.cwd ? x->st.cwd : "/", dir);
	if (path)
		go(x, path, o);
}

static void cd_home(struct expand *x, struct outcome *o)
{
	const struct value *v = model_var(x, "HOME");
	const char *home = v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;

	if (v->state == LIVE_UNSET)
		o->status = STATUS_FAIL;
	else if (!home)
		lost(x, "HOME is not known", o);
	else
		cd_to(x, home, o);
}

static void cd_back(struct expand *x, struct outcome *o)
{
	const struct value *v = model_var(x, "OLDPWD");
	const char *old = v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;

	if (v->state == LIVE_UNSET)
		o->status = STATUS_FAIL;
	else if (!old)
		lost(x, "OLDPWD is not known", o);
	else
		cd_to(x, old, o);
}

static void run_cd(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	const char *s = NULL;
	bool physical = false;
	size_t i = 0;

	for (; i < n && (s = exact(&w[i])) && s[0] == '-' && s[1]; i++) {
		physical |= strchr(s, 'P') != NULL;
		if (strcmp(s, "--") == 0) {
			i++;
			break;
		}
	}
	if (i >= n) {
		cd_home(x, o);
	} else if (i + 1 < n && !w[i + 1].many) {
		o->status = STATUS_FAIL;	/* too many arguments */
	} else if (!exact(&w[i]) || i + 1 < n) {
		lost(x, "cd to a directory that is not known", o);
	} else if (strcmp(exact(&w[i]), "-") == 0) {
		cd_back(x, o);
	} else {
		cd_to(x, exact(&w[i]), o);
	}
	if (physical && x->st.cwd)
		x->st.cwd = x->st.real;
}

static void run_pushd(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	struct dirs *d = arena_alloc(x->a, sizeof(*d));

	if (!d)
		return;
	if (n == 1 && exact(&w[0]) && !strchr("+-", w[0].text[0])) {
		d->path = x->st.cwd;
		d->next = x->st.dirs;
		cd_to(x, w[0].text, o);
		x->st.dirs = d;
	} else if (n == 0 && x->st.dirs) {
		const char *to = x->st.dirs->path;

		d->path = x->st.cwd;
		d->next = x->st.dirs->next;
		if (to)
			cd_to(x, to, o);
		else
			lost(x, "the directory stack is not known", o);
		x->st.dirs = d;
	} else {
		lost(x, "the directory stack is not known", o);
		x->st.dirs_unknown = true;
	}
}

static void run_popd(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	const char *to = x->st.dirs ? x->st.dirs->path : NULL;

	(void)w;
	if (n || !to || x->st.dirs_unknown) {
		lost(x, "the directory stack is not known", o);
		return;
	}
	cd_to(x, to, o);
	x->st.dirs = x->st.dirs->next;
}

/* ---- variables ------------------------------------------------------------------------ */

static void save_local(struct expand *x, const char *name)
{
	struct binding *b = x->call ? arena_alloc(x->a, sizeof(*b)) : NULL;

	if (!b)
		return;
	*b = (struct binding){ .next = x->call->locals, .name = name, .value = *model_var(x, name) };
	x->call->locals = b;
}

static const struct compound *compound_of(const struct expand *x, const char *name)
{
	const struct compound *c = x->compound;

	while (c && strcmp(c->name, name) != 0)
		c = c->next;
	return c;
}

/* A list with numbers does not become one with names, nor the other way. */
static bool changes_kind(const struct value *v, const struct attributes *a)
{
	return !a->off && ((v->state == LIVE_ARRAY && a->assoc) || (v->state == LIVE_ASSOC && a->array));
}

static void declare_value(struct expand *x, struct value *v, const struct word *w, const char *eq, bool append)
{
	struct word rest = *w;
	struct piece *text;

	if (w->kind == WORD_EXACT)
		rest.text = eq + 1;
	else
		rest.prefix = eq + 1;
	text = builtin_word_piece(x, &rest);
	if (v->state == LIVE_ARRAY || v->state == LIVE_ASSOC) {
		if ((append && v->integer) || !value_room(x, v, 1))
			v->state = LIVE_UNKNOWN;
		else
			element_put(x, v, "0", with_attributes(x, v, text), append);
		return;
	}
	v->text = with_attributes(x, v, append ? appended(x, v, text) : text);
	v->state = LIVE_SCALAR;
}

/* NAME=value or NAME of export, declare, local ...; false: it fails, and nothing changes. */
static bool declare_one(struct expand *x, const struct word *w, const struct attributes *a, bool local)
{
	const char *s = w->kind == WORD_EXACT ? w->text : w->kind == WORD_UNKNOWN ? w->prefix : NULL;
	const char *eq = s ? strchr(s, '=') : NULL;
	size_t len = eq ? (size_t)(eq - s) - (eq > s && eq[-1] == '+') : s ? strlen(s) : 0;
	const struct compound *list = NULL;
	const char *name;
	struct value v;

	if (s && eq && w->kind == WORD_EXACT && !is_name(s, len) && !memchr(s, '[', len))
		return false;			/* "not a valid identifier" */
	if (!s || !is_name(s, len) || (!eq && w->kind != WORD_EXACT)) {
		model_taint(x, "a variable whose name is not known is set");
		return true;
	}
	name = arena_strndup(x->a, s, len);
	if (!name)
		return true;
	v = *model_var(x, name);
	if (w->kind == WORD_UNKNOWN && strcmp(w->why, "array") == 0) {
		list = compound_of(x, name);
		eq = NULL;			/* an element is stored already */
	}
	if (v.is_readonly && (eq || list || local))
		return false;
	if (local && !a->global) {
		save_local(x, name);
		if (!eq || list)
			v = (struct value){ .state = LIVE_UNSET };
	}
	if (changes_kind(&v, a))
		return false;
	if (v.state == LIVE_SCALAR && (a->array || a->assoc) && !a->off) {
		to_array(x, &v);
		v.state = a->assoc ? LIVE_ASSOC : LIVE_ARRAY;
	}
	if (list) {
		bool exported = v.exported;

		v = list->value;
		v.exported = exported;
	}
	x->st.doubt |= v.flux && (eq || list) ? DOUBT_EXIT : 0;
	set_attributes(&v, a);
	if (eq)
		declare_value(x, &v, w, eq, eq > s && eq[-1] == '+');
	model_set(x, LIVE_VAR, name, &v, NULL);
	return true;
}

static void run_declare_as(struct expand *x, const struct word *w, size_t n, struct attributes a, bool local,
			   struct outcome *o)
{
	size_t i = 0;

	o->status = STATUS_OK;
	for (; i < n && exact(&w[i]) && (w[i].text[0] == '-' || w[i].text[0] == '+') && w[i].text[1]; i++) {
		if (strcmp(w[i].text, "--") == 0) {
			i++;
			break;
		}
		attribute(&a, w[i].text);
	}
	if (a.function || a.print)
		return;
	for (; i < n && model_ok(x); i++) {
		if (!declare_one(x, &w[i], &a, local))
			o->status = STATUS_FAIL;
	}
}

static void run_export(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	struct attributes a = { .exported = true };

	if (n && exact(&w[0]) && strcmp(w[0].text, "-n") == 0) {	/* here -n takes the mark away */
		a.off = true;
		w++;
		n--;
	}
	run_declare_as(x, w, n, a, false, o);
}

static void run_readonly(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	run_declare_as(x, w, n, (struct attributes){ .is_readonly = true }, false, o);
}

static void run_local(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	if (!x->call) {
		o->status = STATUS_FAIL;	/* only in a function */
		return;
	}
	run_declare_as(x, w, n, (struct attributes){ 0 }, true, o);
}

static void run_declare(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	run_declare_as(x, w, n, (struct attributes){ 0 }, x->call != NULL, o);
}

/* unset 'a[1]' */
static void unset_element(struct expand *x, const char *name, const char *index)
{
	size_t len = strlen(index), n = 0;
	struct value v;
	char *end;
	long long k = strtoll(index, &end, 10);
	const char *key;

	if (!name)
		return;
	v = *model_var(x, name);
	if (v.state == LIVE_UNSET || v.is_readonly)
		return;
	if (v.state != LIVE_ARRAY || end == index || strcmp(end, "]") != 0 || len > 9 || !value_room(x, &v, 1)) {
		unknown_var(x, name, "an element was unset");
		return;
	}
	k += k < 0 ? next_index(&v) : 0;
	key = arena_printf(x->a, "%lld", k);
	for (size_t i = 0; key && i < v.n; i++) {
		if (strcmp(v.key[i], key) == 0)
			continue;
		((const char **)(uintptr_t)v.key)[n] = v.key[i];
		((struct piece **)(uintptr_t)v.val)[n++] = v.val[i];
	}
	v.n = n;
	model_set(x, LIVE_VAR, name, &v, NULL);
}

static void unset_one(struct expand *x, const struct word *w, char what)
{
	const char *s = exact(w);

	if (!s) {
		model_taint(x, "a variable whose name is not known is unset");
	} else if (!is_name(s, strlen(s))) {
		const char *bracket = strchr(s, '[');

		if (bracket && is_name(s, (size_t)(bracket - s)))
			unset_element(x, arena_strndup(x->a, s, (size_t)(bracket - s)), bracket + 1);
	} else if (what == 'f') {
		model_unset(x, LIVE_FUNCTION, s);
	} else if (!what && model_var(x, s)->state == LIVE_UNSET) {
		model_unset(x, LIVE_FUNCTION, s);
	} else if (!what && model_var(x, s)->state == LIVE_UNKNOWN) {	/* it is one of the two */
		struct state before = x->st, other;

		model_unset(x, LIVE_VAR, s);
		other = x->st;
		x->st = before;
		model_unset(x, LIVE_FUNCTION, s);
		model_join(x, &x->st, &other);
	} else if (!model_var(x, s)->is_readonly) {
		model_unset(x, LIVE_VAR, s);
	}
}

static void run_unset(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	char what = '\0';		/* without -f or -v a function, where there is no variable */

	for (size_t i = 0; i < n; i++) {
		if (exact(&w[i]) && w[i].text[0] == '-')
			what = strchr(w[i].text, 'f') ? 'f' : strchr(w[i].text, 'v') ? 'v' : what;
		else
			unset_one(x, &w[i], what);
	}
	o->status = STATUS_UNKNOWN;
}

/* @with_value: options that take one. */
static void read_names(struct expand *x, const struct word *w, size_t n, const char *with_value)
{
	size_t names = 0;

	for (size_t i = 0; i < n; i++) {
		const char *s = exact(&w[i]);

		if (!s) {
			model_taint(x, "read into a variable whose name is not known");
			return;
		}
		if (s[0] == '-' && s[1] && !names) {
			const char *last = s + strlen(s) - 1;

			if (*last == 'a' && i + 1 < n && exact(&w[i + 1])) {
				unknown_var(x, w[++i].text, "input");
				names++;
			} else if (strchr(with_value, *last)) {
				i++;
			}
			continue;
		}
		if (is_name(s, strlen(s)))
			unknown_var(x, s, "input");
		names++;
	}
	if (!names) {
		unknown_var(x, "REPLY", "input");
		unknown_var(x, "MAPFILE", "input");
	}
}

static void run_read(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	read_names(x, w, n, "dinNptu");
	o->status = STATUS_UNKNOWN;
}

static void run_mapfile(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	read_names(x, w, n, "dnOsuCc");
	o->status = STATUS_UNKNOWN;
}

static void run_printf(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	const char *text;

	o->status = STATUS_OK;
	if (n < 2 || !exact(&w[0]) || strncmp(w[0].text, "-v", 2) != 0)
		return;
	if (!exact(&w[1]) || !is_name(w[1].text, strlen(w[1].text))) {
		model_taint(x, "printf -v into a variable whose name is not known");
		return;
	}
	text = output_printf(x, w + 2, n - 2);
	if (text)
		model_set_text(x, w[1].text, piece_str(x, text));
	else
		unknown_var(x, w[1].text, "output of printf");
}

static void run_getopts(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	if (n > 1 && exact(&w[1]))
		unknown_var(x, w[1].text, "option of getopts");
	unknown_var(x, "OPTARG", "argument of getopts");
	unknown_var(x, "OPTIND", "state of getopts");
	o->status = STATUS_UNKNOWN;
}

static void run_let(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	struct wordctx c;
	const char *why;
	long long v = 0;

	word_init(&c, x);
	for (size_t i = 0; i < n; i++) {
		if (!exact(&w[i])) {
			model_taint(x, "let with an expression that is not known");
			return;
		}
		arith_eval(&c, w[i].text, &v, &why);
	}
	o->status = STATUS_UNKNOWN;
}

/* ---- options and arguments ------------------------------------------------------------ */

static void positional(struct expand *x, const struct word *w, size_t n)
{
	struct piece **p = arena_alloc(x->a, (n + 1) * sizeof(*p));

	if (!p)
		return;
	x->st.pos_unknown = false;
	for (size_t i = 0; i < n; i++) {
		x->st.pos_unknown |= w[i].many;
		p[i] = builtin_word_piece(x, &w[i]);
	}
	x->st.pos = p;
	x->st.npos = n;
}

static const struct { char letter; const char *name; } set_letters[] = {
	{ 'e', "errexit" }, { 'u', "nounset" }, { 'f', "noglob" }, { 'x', "xtrace" }, { 'n', "noexec" },
	{ 'a', "allexport" }, { 'C', "noclobber" }, { 'B', "braceexpand" }, { 'm', "monitor" }, { 'v', "verbose" },
};

static void letters(struct expand *x, const char *s)
{
	for (const char *c = s + 1; *c; c++) {
		for (size_t i = 0; i < ARRAY_SIZE(set_letters); i++) {
			if (set_letters[i].letter == *c)
				model_set_option(x, set_letters[i].name, s[0] == '-');
		}
	}
}

static void run_set(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	o->status = STATUS_OK;
	for (size_t i = 0; i < n; i++) {
		const char *s = exact(&w[i]);

		if (s && (strcmp(s, "--") == 0 || strcmp(s, "-") == 0)) {
			if (s[1] || i + 1 < n)
				positional(x, w + i + 1, n - i - 1);
			return;
		}
		if (!s || (s[0] != '-' && s[0] != '+')) {
			positional(x, w + i, n - i);
			if (!s)
				model_taint(x, "set with words that are not known");
			return;
		}
		letters(x, s);
		if (s[strlen(s) - 1] == 'o' && i + 1 < n) {
			i++;
			if (exact(&w[i]))
				model_set_option(x, w[i].text, s[0] == '-');
		}
	}
}

static void run_shopt(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	int on = -1;

	for (size_t i = 0; i < n; i++) {
		const char *s = exact(&w[i]);

		if (!s) {
			model_taint(x, "shopt with a name that is not known");
			return;
		}
		if (s[0] == '-')
			on = strchr(s, 's') ? 1 : strchr(s, 'u') ? 0 : on;
		else if (on >= 0)
			model_set_option(x, s, on);
	}
	o->status = STATUS_UNKNOWN;
}

/* zsh: shift NAME, where a number, or a variable with one, may stand too. */
static void shift_array(struct expand *x, const struct word *w)
{
	const char *s = exact(w);

	if (!s || *s == '-')
		model_taint(x, "arrays are shifted whose names are not known");
	else if (is_name(s, strlen(s)))
		unknown_var(x, s, "an array that was shifted");
	x->st.pos_unknown = true;
}

static void run_shift(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	const char *s = n ? exact(&w[0]) : "1";
	unsigned long k = s ? strtoul(s, NULL, 10) : 0;

	o->status = STATUS_UNKNOWN;
	if (!s) {
		x->st.pos_unknown = true;
	} else if (x->dialect == DIALECT_ZSH && n && (n > 1 || !k)) {	/* arrays lose elements, by name */
		for (size_t i = 0; i < n; i++)
			shift_array(x, &w[i]);
	} else if (k && k <= x->st.npos) {
		for (size_t i = 0; i < k; i++)		/* names for a pattern: how many is not known */
			x->st.pos_unknown |= x->st.pos[i] && x->st.pos[i]->kind == PIECE_GLOB;
		x->st.pos += k;
		x->st.npos -= k;
	}
}

/* ---- what changes what later words mean ------------------------------------------------- */

static void run_alias(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	for (size_t i = 0; i < n; i++) {
		const char *s = w[i].kind == WORD_EXACT ? w[i].text : w[i].prefix, *eq = s ? strchr(s, '=') : NULL;
		const char *name = eq ? arena_strndup(x->a, s, (size_t)(eq - s)) : NULL;

		if (name)
			model_set(x, LIVE_ALIAS, name, &(struct value){ .state = LIVE_SCALAR }, NULL);
	}
	o->status = STATUS_UNKNOWN;
}

static void run_unalias(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	for (size_t i = 0; i < n; i++) {
		if (exact(&w[i]))
			model_unset(x, LIVE_ALIAS, w[i].text);
	}
	o->status = STATUS_UNKNOWN;
}

/* The judge walks the text through expand_nested(); when it did not, anything may have happened. */
static void run_code(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	(void)w;
	if (!x->nested_ran && n)
		model_taint(x, "code that could not be read ran before");
	o->status = STATUS_UNKNOWN;
}

static void run_exit(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	(void)w;
	(void)n;
	x->st.dead = true;
	x->st.doubt |= DOUBT_EXIT;
	o->status = STATUS_UNKNOWN;
}

static void run_exec(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	if (n)
		run_exit(x, w, n, o);
	else
		o->status = STATUS_OK;
}

static void leave_to(struct expand *x, struct state *joined, bool *has)
{
	if (*has)
		model_join(x, joined, &x->st);
	else
		*joined = x->st;
	*has = true;
	x->st.dead = true;
	x->st.doubt |= DOUBT_LEFT;
}

static void run_return(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	struct call *c = x->call;

	(void)w;
	(void)n;
	o->status = STATUS_UNKNOWN;
	if (c && !x->st.dead)
		leave_to(x, &c->ret, &c->returned);
}

static void run_break(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	(void)w;
	o->status = STATUS_OK;
	if (n)
		model_taint(x, "break out of more than one loop");
	else if (x->loop && !x->st.dead)
		leave_to(x, &x->loop->brk, &x->loop->has_brk);
}

static void run_continue(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	(void)w;
	o->status = STATUS_OK;
	if (n)
		model_taint(x, "continue of an outer loop");
	else if (x->loop && !x->st.dead)
		leave_to(x, &x->loop->cont, &x->loop->has_cont);
}

static void run_ok(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	(void)x;
	(void)w;
	(void)n;
	o->status = STATUS_OK;
}

static void run_fail(struct expand *x, const struct word *w, size_t n, struct outcome *o)
{
	(void)x;
	(void)w;
	(void)n;
	o->status = STATUS_FAIL;
}

/* ---- the table ------------------------------------------------------------------------ */

typedef void run_fn(struct expand *x, const struct word *w, size_t n, struct outcome *o);

/* All builtins of bash; NULL: no state that words depend on. */
static const struct { const char *name; run_fn *run; } builtins[] = {
	{ ".", run_code }, { ":", run_ok }, { "[", NULL }, { "alias", run_alias }, { "bg", NULL }, { "bind", NULL },
	{ "break", run_break }, { "builtin", NULL }, { "caller", NULL }, { "cd", run_cd }, { "command", NULL },
	{ "compgen", NULL }, { "complete", NULL }, { "compopt", NULL }, { "continue", run_continue },
	{ "declare", run_declare }, { "dirs", NULL }, { "disown", NULL }, { "echo", run_ok }, { "enable", NULL },
	{ "eval", run_code }, { "exec", run_exec }, { "exit", run_exit }, { "export", run_export },
	{ "false", run_fail }, { "fc", NULL }, { "fg", NULL }, { "getopts", run_getopts }, { "hash", NULL },
	{ "help", NULL }, { "history", NULL }, { "jobs", NULL }, { "kill", NULL }, { "let", run_let },
	{ "local", run_local }, { "logout", run_exit }, { "mapfile", run_mapfile }, { "popd", run_popd },
	{ "printf", run_printf }, { "pushd", run_pushd }, { "pwd", run_ok }, { "read", run_read },
	{ "readarray", run_mapfile }, { "readonly", run_readonly }, { "return", run_return }, { "set", run_set },
	{ "shift", run_shift }, { "shopt", run_shopt }, { "source", run_code }, { "suspend", NULL }, { "test", NULL },
	{ "times", NULL }, { "trap", NULL }, { "true", run_ok }, { "type", NULL }, { "typeset", run_declare },
	{ "ulimit", NULL }, { "umask", NULL }, { "unalias", run_unalias }, { "unset", run_unset }, { "wait", NULL },
};

static int by_name(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

static run_fn *const *find(const char *name)
{
	const void *e = bsearch(name, builtins, ARRAY_SIZE(builtins), sizeof(builtins[0]), by_name);

	return e ? &((const __typeof__(builtins[0]) *)e)->run : NULL;
}

bool builtin_is(const char *name)
{
	return find(name) != NULL;
}

/* ---- directories that the line makes and removes ---------------------------------------- */

static bool certainly_there(struct expand *x, const char *path)
{
	return model_is_made(x, path) || (!x->removed && type_of(x, path) == WORLD_DIR);
}

/* mkdir makes it, or finds it: its parent is a directory (with -p: any above it), and no file is in its place. */
static bool can_make(struct expand *x, const char *path, bool parents)
{
	enum world_type t = type_of(x, path);
	const char *slash = strrchr(path, '/'), *up = slash ? arena_strndup(x->a, path, (size_t)(slash - path)) : NULL;

	if (model_is_made(x, path) || t == WORLD_DIR)
		return true;
	if (t != WORLD_ABSENT || !up || !*up)
		return false;
	return certainly_there(x, up) || (x->st.real && strcmp(up, x->st.real) == 0) || (parents && can_make(x, up, true));
}

static void note_made(struct expand *x, const char *path)
{
	struct dirs *d = model_is_made(x, path) ? NULL : arena_alloc(x->a, sizeof(*d));

	if (!d)
		return;
	*d = (struct dirs){ .next = x->made, .path = path };
	x->made = d;
}

/* mkdir [-p] NAME...: only what runs for certain counts. */
static void note_mkdir(struct expand *x, const struct simple *s, const struct word *w, size_t n)
{
	unsigned unsure = SIMPLE_CONDITIONAL | SIMPLE_BACKGROUND | SIMPLE_NOT_RUN | SIMPLE_DEFINED;
	bool parents = false;

	x->maybe_made |= (s->flags & unsure) != 0;
	for (size_t i = 0; i < n && !(s->flags & unsure); i++) {
		const char *name = exact(&w[i]), *path, *up;

		if (name && *name == '-' && name[1]) {
			if (strspn(name + 1, "pv") != strlen(name + 1)) {
				x->maybe_made = true;
				return;
			}
			parents |= strchr(name, 'p') != NULL;
			continue;
		}
		path = name && *name && (*name == '/' || x->st.real) ? model_path(x, x->st.real ? x->st.real : "/", name) : NULL;
		if (!path || !can_make(x, path, parents)) {
			x->maybe_made = true;
			continue;
		}
		note_made(x, path);
		while (parents && (up = strrchr(path, '/')) && up != path) {
			path = arena_strndup(x->a, path, (size_t)(up - path));
			if (!path || type_of(x, path) != WORLD_ABSENT)
				break;
			note_made(x, path);
		}
	}
}

/* Programs after which a directory may be gone. */
static const char *const removers[] = { "rm", "rmdir", "mv", NULL };

static void note_program(struct expand *x, const struct simple *s, const struct word *w, size_t n)
{
	const char *slash = strrchr(w->text, '/'), *base = slash ? slash + 1 : w->text;

	for (size_t i = 0; removers[i]; i++) {
		if (strcmp(base, removers[i]) != 0)
			continue;
		x->removed = true;
		x->made = NULL;
	}
	if (strcmp(base, "mkdir") == 0)
		note_mkdir(x, s, w + 1, n - 1);
}

void builtin_run(struct expand *x, const struct simple *s, struct outcome *o)
{
	size_t i = 0;
	run_fn *const *run;

	while (i < s->argc && exact(&s->argv[i]) &&
	       (strcmp(s->argv[i].text, "command") == 0 || strcmp(s->argv[i].text, "builtin") == 0))
		i++;
	if (i && i < s->argc && exact(&s->argv[i]) && s->argv[i].text[0] == '-') {
		if (strpbrk(s->argv[i].text, "vV"))	/* command -v only asks */
			return;
		i++;
	}
	if (i >= s->argc)
		return;
	if (!exact(&s->argv[i])) {
		/* it may be cd, eval, ... : a word that names no builtin for sure is a program */
		if (s->argv[i].kind != WORD_UNKNOWN || !strchr(s->argv[i].prefix, '/'))
			model_taint(x, "a command that is not known ran before");
		return;
	}
	note_program(x, s, s->argv + i, s->argc - i);
	run = find(s->argv[i].text);
	if (run && *run)
		(*run)(x, s->argv + i + 1, s->argc - i - 1, o);
}

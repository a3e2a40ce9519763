#include "intercept/model.h"
#include "intercept/zsh.h"

#include <ctype.h>
#include <string.h>

void word_init(struct wordctx *c, struct expand *x)
{
	*c = (struct wordctx){ .x = x };
	c->tail = &c->first;
}

void word_add(struct wordctx *c, struct piece *list)
{
	piece_append(&c->tail, list);
}

void word_push(struct expand *x, struct words *out, struct word w)
{
	if (out->n == out->cap) {
		size_t cap = out->cap ? 2 * out->cap : 8;
		struct word *n = out->n < EXPAND_WORDS ? arena_alloc(x->a, cap * sizeof(*n)) : NULL;

		if (!n) {
			x->a->full = true;	/* too many words: as too much memory */
			return;
		}
		if (out->n)
			memcpy(n, out->w, out->n * sizeof(*n));
		out->w = n;
		out->cap = cap;
	}
	out->w[out->n++] = w;
}

/* Remember a variable that shaped the word. */
void word_note(struct wordctx *c, const char *name, const struct value *v, struct span at)
{
	struct word_var *n;

	if (c->nvar == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 4;

		n = arena_alloc(c->x->a, cap * sizeof(*n));
		if (!n)
			return;
		if (c->nvar)
			memcpy(n, c->var, c->nvar * sizeof(*n));
		c->var = n;
		c->cap = cap;
	}
	n = &c->var[c->nvar++];
	*n = (struct word_var){ .name = name, .state = v->state, .span = model_span(c->x, at) };
	if (v->state == LIVE_SCALAR) {
		n->value = piece_exact(c->x, v->text);
		if (!n->value)
			n->state = LIVE_UNKNOWN;
	}
}

/* ---- tilde ---------------------------------------------------------------------------- */

static struct piece *tilde_dir(struct wordctx *c, const char *s, size_t len, struct span at)
{
	struct expand *x = c->x;
	const char *user = x->in.line->user, *text = NULL;
	const struct value *v;

	if (len == 0) {
		v = model_var(x, "HOME");
		word_note(c, "HOME", v, at);
		text = model_home(x);
		return text ? piece_str(x, text) : piece_unknown(x, "HOME is not known");
	}
	if (len == 1 && (*s == '+' || *s == '-')) {
		v = model_var(x, *s == '+' ? "PWD" : "OLDPWD");
		word_note(c, *s == '+' ? "PWD" : "OLDPWD", v, at);
		if (v->state == LIVE_UNSET)
			return NULL;
		text = v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;
		return text ? piece_str(x, text) : piece_unknown(x, "the directory is not known");
	}
	if (user && strlen(user) == len && memcmp(user, s, len) == 0 && x->in.line->home)
		return piece_str(x, x->in.line->home);
	if (len == 4 && memcmp(s, "root", 4) == 0)
		return piece_str(x, "/root");
	return piece_solid(x, "home of another user");	/* or no user: then it stands for itself */
}

static bool is_login(const char *s, size_t len)
{
	size_t i = 0;

	if (len == 1 && (*s == '+' || *s == '-'))
		return true;
	while (i < len && (isalnum((unsigned char)s[i]) || (s[i] && strchr("_.-", s[i]))))
		i++;
	return i == len;
}

/* ~name:text without a slash: bash takes all up to the next slash as it stands, $( ) too; with a quote in it there
 * is no tilde at all. What is behind the colon is only told to be there. */
static size_t tilde_to_end(struct wordctx *c, const struct ast_part *p, const char *s, size_t n, size_t len)
{
	struct piece *dir, *rest;

	for (const struct ast_part *q = p->next; q; q = q->next) {
		if (q->quoted)
			return 0;
	}
	dir = tilde_dir(c, s + 1, n - 1, p->span);
	rest = piece_unknown(c->x, "text behind ~name: that bash does not expand");
	if (!dir || !rest)
		return 0;
	dir->quoted = rest->quoted = true;
	word_add(c, dir);
	word_add(c, rest);
	c->literal = true;
	return len;
}

/* A prefix ~name at the start of the text; how much of it was used. */
static size_t tilde(struct wordctx *c, const struct ast_part *p, const char *s, size_t len, bool assign)
{
	size_t n = 1;
	struct piece *dir;

	if (!len || *s != '~')
		return 0;
	while (n < len && s[n] != '/' && s[n] != ':')
		n++;
	if (!assign && n < len && s[n] == ':' && p->next && !memchr(s, '/', len))
		return tilde_to_end(c, p, s, n, len);
	if (n == len && p->next && !(p->next->kind == PART_TEXT && !p->next->quoted && p->next->len &&
				     p->next->text[0] == '/'))
		return 0;		/* ~"x" and ~$x are no tilde prefixes */
	if (!is_login(s + 1, n - 1))
		return 0;
	dir = tilde_dir(c, s + 1, n - 1, p->span);
	if (!dir)
		return 0;
	dir->quoted = dir->kind == PIECE_TEXT;
	word_add(c, dir);
	return n;
}

/* ---- parts to pieces ------------------------------------------------------------------ */

static void text_part(struct wordctx *c, const struct ast_part *p, size_t from)
{
	struct piece *t;

	if (from == p->len && from)
		return;
	t = piece_text(c->x, p->text + from, p->len - from);
	if (!t)
		return;
	t->quoted = p->quoted;
	word_add(c, t);
}

/* NAME=~/x:~/y: a tilde counts at the start and after each unquoted colon. */
static void assign_text(struct wordctx *c, const struct ast_part *p, bool start)
{
	size_t from = 0, i = 0;

	while (i <= p->len) {
		size_t n = start ? tilde(c, p, p->text + i, p->len - i, true) : 0;
		const char *colon;
		struct piece *t;

		from = i + n;
		colon = memchr(p->text + from, ':', p->len - from);
		i = colon ? (size_t)(colon - p->text) + 1 : p->len;
		t = piece_text(c->x, p->text + from, i - from);
		if (t && t->len)
			word_add(c, t);
		start = true;
		if (i == p->len)
			break;
	}
}

static void arith_part(struct wordctx *c, const struct ast_part *p)
{
	struct expand *x = c->x;
	struct wordctx in;
	const char *text, *why = "arithmetic with a value that is not known";
	struct piece *out;
	long long v;

	word_init(&in, x);
	word_parts(&in, p->expr ? p->expr->part : NULL);
	text = piece_exact(x, in.first);
	c->abort = c->abort ? c->abort : in.abort;
	for (size_t i = 0; i < in.nvar; i++)
		word_note(c, in.var[i].name, &(struct value){ .state = LIVE_UNKNOWN }, in.var[i].span);
	if (text && arith_eval(c, text, &v, &why) == 0) {
		out = piece_str(x, arena_printf(x->a, "%lld", v));
	} else {
		word_may_stop(c);
		out = piece_solid(x, why);
	}
	if (!out)
		return;
	out->quoted = p->quoted;
	out->split = !p->quoted;
	word_add(c, out);
}

static void command_part(struct wordctx *c, const struct ast_part *p)
{
	struct piece *list = expand_substitution(c->x, p->body, p->span);
	bool any = list != NULL;

	for (struct piece *q = list; q; q = q->next) {
		q->quoted = p->quoted;
		q->split = !p->quoted;
	}
	word_add(c, list);
	if (!any && p->quoted) {
		struct piece *none = piece_text(c->x, "", 0);

		if (none) {
			none->quoted = true;
			word_add(c, none);
		}
	}
}

static void process_part(struct wordctx *c, const struct ast_part *p)
{
	struct piece *fd = piece_str(c->x, "/dev/fd/"), *n = piece_solid(c->x, "process substitution");

	expand_process(c->x, p->body, p->span);
	if (!fd || !n)
		return;
	fd->quoted = n->quoted = true;
	fd->next = n;
	word_add(c, fd);
}

void word_parts(struct wordctx *c, const struct ast_part *p)
{
	for (; p && model_ok(c->x); p = p->next) {
		c->quoted |= p->quoted;
		switch (p->kind) {
		case PART_TEXT:
			text_part(c, p, 0);
			break;
		case PART_PARAM:
			param_expand(c, p);
			break;
		case PART_COMMAND:
			command_part(c, p);
			break;
		case PART_ARITH:
			arith_part(c, p);
			break;
		case PART_PROCESS:
			process_part(c, p);
			break;
		}
	}
}

/* Parts that bash does not expand: for the record. */
static void walk_unused(struct expand *x, const struct ast_part *p)
{
	unsigned flags = x->flags;
	struct wordctx aside;

	word_init(&aside, x);
	x->flags |= SIMPLE_CONDITIONAL;
	word_parts(&aside, p);
	x->flags = flags;
}

/* A leading tilde, then the rest. */
static void tilde_parts(struct wordctx *c, const struct ast_part *p, bool assign)
{
	bool start = true;

	if (p && p->kind == PART_TEXT && !p->quoted && !assign) {
		text_part(c, p, tilde(c, p, p->text, p->len, false));
		p = p->next;
	}
	if (c->literal) {
		walk_unused(c->x, p);
		return;
	}
	for (; p && assign; p = p->next) {
		struct ast_part one = *p;

		if (p->kind == PART_TEXT && !p->quoted) {
			assign_text(c, p, start);
			start = p->len && p->text[p->len - 1] == ':';
			continue;
		}
		one.next = NULL;
		word_parts(c, &one);
		start = false;
	}
	word_parts(c, p);
}

void word_apart(struct wordctx *c, const struct ast_word *w)
{
	if (w)
		tilde_parts(c, w->part, false);
}

/* Where nothing is split the elements of $* are joined as in "$*", those of $@ by blanks. */
static void join_break(struct piece *p)
{
	if (p->solid && p->why) {
		p->kind = PIECE_UNKNOWN;
		p->solid = false;
		return;
	}
	p->kind = PIECE_TEXT;
	if (p->solid)
		return;
	p->text = " ";
	p->len = 1;
}

struct piece *word_whole(struct wordctx *c, const struct ast_word *w, bool assign)
{
	if (!w)
		return NULL;
	tilde_parts(c, w->part, assign);
	for (struct piece *p = c->first; p; p = p->next) {
		if (p->kind == PIECE_BREAK)
			join_break(p);
	}
	return c->first;
}

/* ---- splitting ------------------------------------------------------------------------ */

const char *word_ifs(struct expand *x)
{
	const struct value *v = model_var(x, "IFS");

	if (v->state == LIVE_UNSET)
		return " \t\n";
	return v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;
}

struct field {
	struct field	*next;
	struct piece	*first;
	bool		 many;
};

struct splitter {
	struct expand	*x;
	const char	*ifs;
	struct field	*first, **tail, *cur;
	struct piece	**ptail;
	bool		 have;		/* the current field exists, be it empty */
	bool		 blank;		/* it was just ended by a blank: a delimiter now is part of the same cut */
};

static void open_field(struct splitter *s)
{
	if (s->cur)
		return;
	s->cur = arena_alloc(s->x->a, sizeof(*s->cur));
	if (s->cur)
		s->ptail = &s->cur->first;
}

static void put(struct splitter *s, const struct piece *p, size_t from, size_t to)
{
	struct piece *q = arena_alloc(s->x->a, sizeof(*q));

	open_field(s);
	if (!q || !s->cur)
		return;
	*q = *p;
	q->next = NULL;
	q->text = p->text + from;
	q->len = to - from;
	*s->ptail = q;
	s->ptail = &q->next;
	s->have = true;
	s->blank = false;
}

static void end_field(struct splitter *s)
{
	open_field(s);
	if (!s->cur)
		return;
	*s->tail = s->cur;
	s->tail = &s->cur->next;
	s->cur = NULL;
	s->have = false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void cut(struct splitter *s, char c)
{
	if (is_blank(c)) {
		if (s->have) {
			end_field(s);
			s->blank = true;
		}
		return;
	}
	if (s->have || !s->blank)
		end_field(s);
	s->blank = false;
}

static void split_text(struct splitter *s, const struct piece *p)
{
	size_t i = 0;

	while (i < p->len) {
		size_t n = 0;

		while (i + n < p->len && !strchr(s->ifs, p->text[i + n]))
			n++;
		if (n)
			put(s, p, i, i + n);
		i += n;
		if (i < p->len)
			cut(s, p->text[i++]);
	}
}

/* A number, or another text without blanks, is one word unless IFS has more than these. */
static bool only_blanks(struct splitter *s)
{
	const char *ifs = s->ifs = s->ifs ? s->ifs : word_ifs(s->x);

	return ifs && ifs[strspn(ifs, " \t\n")] == '\0';
}

static void split_piece(struct splitter *s, const struct piece *p)
{
	if (p->kind == PIECE_BREAK) {
		if (p->len && !is_blank(p->text[0]))
			cut(s, p->text[0]);	/* $* with IFS=: keeps empty elements */
		else if (s->have)
			end_field(s);
		return;
	}
	if (p->kind == PIECE_TEXT && p->split) {
		if (!s->ifs)
			s->ifs = word_ifs(s->x);
		if (s->ifs) {
			split_text(s, p);
			return;
		}
	}
	if (p->kind == PIECE_TEXT && p->split) {
		struct piece u = { .kind = PIECE_UNKNOWN, .text = "", .split = true, .why = "IFS is not known" };

		put(s, &u, 0, 0);
		if (s->cur)
			s->cur->many = true;
		return;
	}
	if (p->kind == PIECE_TEXT && !p->len && !p->quoted)
		return;
	put(s, p, 0, p->len);
	if (s->cur && p->kind != PIECE_TEXT && p->split && (!p->solid || !only_blanks(s)))
		s->cur->many = true;
}

/* "$@" and "${a[*]#x}" in one word: bash also cuts it where it has joined. */
static bool is_joined(const struct piece *p)
{
	while (p && !p->joined)
		p = p->next;
	return p != NULL;
}

static struct field *split(struct expand *x, const struct piece *p)
{
	struct splitter s = { .x = x };

	s.tail = &s.first;
	for (; p; p = p->next)
		split_piece(&s, p);
	if (s.have)
		end_field(&s);
	return s.first;
}

/* ---- fields to words ------------------------------------------------------------------ */

static bool is_magic(const struct piece *p, size_t i)
{
	char c = p->text[i];

	return !p->quoted && (c == '*' || c == '?' || c == '[' ||
			      (strchr("@+!", c) && i + 1 < p->len && p->text[i + 1] == '('));
}

const char *word_pattern(struct expand *x, const struct piece *p, bool *magic)
{
	size_t len = 0, n = 0;
	bool open = false;	/* a [ counts only when a ] follows */
	bool kept = false;	/* after a backslash out of a value: it quotes what follows */
	char *out;

	*magic = false;
	for (const struct piece *q = p; q; q = q->next) {
		if (q->kind == PIECE_UNKNOWN)
			return NULL;
		len += q->len;
	}
	out = arena_alloc(x->a, 2 * len + 1);
	for (; p && out; p = p->next) {
		for (size_t i = 0; i < p->len; i++) {
			char c = p->text[i];

			if (kept && p->kind != PIECE_GLOB) {
				out[n++] = c;
				kept = false;
				continue;
			}
			kept = c == '\\' && p->split && !p->quoted && p->kind == PIECE_TEXT;
			open |= is_magic(p, i) && c == '[';
			if (p->kind == PIECE_GLOB || (is_magic(p, i) && c != '[') || (open && c == ']' && !p->quoted))
				*magic = true;
			if (p->kind == PIECE_GLOB || is_magic(p, i))
				;
			else if (p->quoted ? strchr("*?[]\\()|@+!-^", c) != NULL : c == '\\' && !p->split)
				out[n++] = '\\';
			out[n++] = c;
		}
	}
	return out;
}

/* Known text before the first unknown piece or glob character, or after the last one. */
static const char *known_end(struct expand *x, const struct piece *p, bool front)
{
	struct piece *first = NULL, **tail = &first;

	for (; p; p = p->next) {
		struct piece *q;
		size_t from = 0, to = p->len;

		if (p->kind != PIECE_TEXT) {
			if (front)
				break;
			first = NULL;
			tail = &first;
			continue;
		}
		for (size_t i = 0; i < p->len && !front; i++)
			from = is_magic(p, i) ? i + 1 : from;
		for (size_t i = 0; i < p->len && front && to == p->len; i++)
			to = is_magic(p, i) ? i : to;
		if (from) {
			first = NULL;
			tail = &first;
		}
		q = piece_text(x, p->text + from, to - from);
		if (!q)
			return "";
		*tail = q;
		tail = &q->next;
		if (to < p->len)
			break;
	}
	return piece_exact(x, first);
}

static const char *first_why(const struct piece *p)
{
	for (; p; p = p->next) {
		if (p->kind == PIECE_UNKNOWN && p->why)
			return p->why;
	}
	return "not known";
}

static void tag(const struct wordctx *c, struct word *w, struct span at)
{
	w->quoted = c->quoted;
	w->var = c->var;
	w->nvar = c->nvar;
	w->span = model_span(c->x, at);
}

static bool has_magic(const struct piece *p)
{
	for (; p; p = p->next) {
		for (size_t i = 0; p->kind == PIECE_TEXT && i < p->len; i++) {
			if (is_magic(p, i))
				return true;
		}
	}
	return false;
}

static struct word unknown_word(struct wordctx *c, const struct piece *p, struct span at)
{
	struct word w = { .kind = WORD_UNKNOWN, .glob = has_magic(p) };

	w.prefix = known_end(c->x, p, true);
	w.suffix = known_end(c->x, p, false);
	w.prefix = w.prefix ? w.prefix : "";
	w.suffix = w.suffix ? w.suffix : "";
	w.why = first_why(p);
	tag(c, &w, at);
	return w;
}

struct word word_finish(struct wordctx *c, const struct piece *p, struct span at)
{
	const char *text = piece_exact(c->x, p);
	struct word w;
	bool magic;

	if (text) {
		w = (struct word){ .kind = WORD_EXACT, .text = text };
		tag(c, &w, at);
		return w;
	}
	text = word_pattern(c->x, p, &magic);
	if (!text)
		return unknown_word(c, p, at);
	w = (struct word){ .kind = WORD_PATTERN, .text = text };
	tag(c, &w, at);
	return w;
}

static bool has_kind(const struct piece *p, enum piece_kind kind)
{
	for (; p && p->kind != kind; p = p->next)
		;
	return p != NULL;
}

/* The names that match; false when the listing is not known. */
static bool glob_field(struct wordctx *c, const struct field *f, const char *pattern, struct span at,
		       struct words *out)
{
	struct expand *x = c->x;
	const char *const *names;
	struct word w;
	size_t n;
	int null = 0, fail = 0;

	if (has_kind(f->first, PIECE_GLOB) || glob_names(x, pattern, &names, &n) < 0)
		return false;
	if ((!n && x->acted) || x->maybe_made)
		return false;		/* what ran before may have made such a name */
	if (!n) {
		null = model_option(x, "nullglob");
		fail = model_option(x, "failglob");
		if (null < 0 || fail < 0)
			return false;
		if (fail)
			word_stop(c, "failglob: no name matches the pattern");
		if (!null)
			word_push(x, out, word_finish(c, f->first, at));
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		w = (struct word){ .kind = WORD_EXACT, .text = names[i], .from_glob = pattern };
		tag(c, &w, at);
		word_push(x, out, w);
	}
	return true;
}

/* Text that "$@" without elements may take with it: none, or with blanks, of which bash loses some. */
static bool may_vanish(const struct piece *p)
{
	bool empty = true;

	for (; p; p = p->next) {
		for (size_t i = 0; i < p->len; i++) {
			if (is_blank(p->text[i]))
				return true;
		}
		empty &= p->kind == PIECE_TEXT && !p->len;
	}
	return empty;
}

/* A word whose names are looked for later. */
struct pending {
	struct pending		*next;		/* the one before */
	size_t			 at;		/* its place in the words */
	struct wordctx		 ctx;
	const struct field	*field;
	const char		*pattern;
	struct span		 span;
};

static bool defer(const struct wordctx *c, const struct field *f, const char *pattern, struct span at, struct words *out)
{
	struct pending *p = arena_alloc(c->x->a, sizeof(*p));
	struct word w = { .kind = WORD_PATTERN, .text = pattern };

	if (!p)
		return false;
	*p = (struct pending){ .next = out->pending, .at = out->n, .ctx = *c, .field = f, .pattern = pattern, .span = at };
	out->pending = p;
	tag(c, &w, at);
	word_push(c->x, out, w);
	return true;
}

static bool runs_something(const struct ast_part *p)
{
	for (; p; p = p->next) {
		const struct ast_param *q = p->param;

		if (p->kind == PART_COMMAND || (p->kind == PART_PARAM && q &&
		    ((q->arg && runs_something(q->arg->part)) || (q->arg2 && runs_something(q->arg2->part)))))
			return true;
	}
	return false;
}

void word_begin(const struct ast_word *w, struct words *out)
{
	for (; w && !out->defer; w = w->next)
		out->defer = runs_something(w->part);
}

/* From the last one first to the order of the words. */
static struct pending *in_order(struct pending *p)
{
	struct pending *first = NULL;

	while (p) {
		struct pending *next = p->next;

		p->next = first;
		first = p;
		p = next;
	}
	return first;
}

void word_end(struct wordctx *c, struct words *ws)
{
	struct pending *p = in_order(ws->pending);
	struct words out = { 0 };

	if (!p)
		return;
	for (size_t i = 0; i < ws->n && model_ok(c->x); i++) {
		struct wordctx one;

		if (!p || p->at != i) {
			word_push(c->x, &out, ws->w[i]);
			continue;
		}
		one = p->ctx;
		if (!glob_field(&one, p->field, p->pattern, p->span, &out))
			word_push(c->x, &out, ws->w[i]);
		c->abort = c->abort ? c->abort : one.abort;
		p = p->next;
	}
	*ws = out;
}

/* Is failglob on, or was it perhaps set on the line? */
static bool may_fail(struct expand *x)
{
	const struct binding *b = model_find(x, LIVE_OPTION, "failglob");
	int on = model_option(x, "failglob");

	return on == 1 || (on < 0 && b && b->name);
}

static void field_word(struct wordctx *c, const struct field *f, struct span at, struct words *out)
{
	struct word w;
	bool magic;
	const char *pattern = word_pattern(c->x, f->first, &magic);
	int noglob;

	if ((!pattern || f->many || magic) && may_fail(c->x))
		word_may_stop(c);
	if (!pattern || f->many) {
		w = unknown_word(c, f->first, at);
		w.many = f->many || c->vanished;
		word_push(c->x, out, w);
		return;
	}
	if (c->vanished && may_vanish(f->first)) {
		w = (struct word){ .kind = WORD_UNKNOWN, .prefix = "", .suffix = "", .many = true, .why = "\"$@\" without elements" };
		tag(c, &w, at);
		word_push(c->x, out, w);
		return;
	}
	if (magic)
		glob_want(c->x, pattern);
	noglob = magic ? model_option(c->x, "noglob") : 1;
	if (noglob == 1) {
		word_push(c->x, out, word_finish(c, f->first, at));
		return;
	}
	if (noglob == 0 && out->defer && defer(c, f, pattern, at, out))
		return;
	if (noglob == 0 && glob_field(c, f, pattern, at, out))
		return;
	w = (struct word){ .kind = WORD_PATTERN, .text = pattern };
	tag(c, &w, at);
	word_push(c->x, out, w);
}

/* A word that looks like an assignment gets an assignment's tildes. Length up to the value, 0: it does not. */
static size_t assign_like(const struct ast_part *p)
{
	size_t n = 0;

	if (!p || p->kind != PART_TEXT || p->quoted)
		return 0;
	while (n < p->len && (isalnum((unsigned char)p->text[n]) || p->text[n] == '_'))
		n++;
	if (!n || isdigit((unsigned char)p->text[0]))
		return 0;
	n += n < p->len && p->text[n] == '+';
	return n < p->len && p->text[n] == '=' ? n + 1 : 0;
}

static void word_like_assign(struct wordctx *c, const struct ast_part *p, size_t n)
{
	struct ast_part rest = *p;

	word_add(c, piece_text(c->x, p->text, n));
	rest.text += n;
	rest.len -= n;
	if (rest.len)
		tilde_parts(c, &rest, true);
	else
		word_parts(c, p->next);
}

static bool may_be_empty(const struct piece *p)
{
	while (p && p->kind != PIECE_GLOB && !p->solid && !(p->kind == PIECE_TEXT && p->len))
		p = p->next;
	return !p;
}

/* Quotes that the zsh text itself has: these keep an empty word. */
static bool has_own_quotes(const struct ast_part *p)
{
	bool full = false;

	for (; p; p = p->next) {
		if (p->quoted && !full)
			return true;
		full = p->kind == PART_PARAM && p->param && p->param->name && strcmp(p->param->name, ZSH_FULL) == 0;
	}
	return false;
}

/* zsh: an element that is empty, or may be, is no word unless there are quotes. */
static void drop_field(struct wordctx *c, const struct ast_part *p, const struct field *f, struct span at, struct words *out)
{
	struct word w = { .kind = WORD_UNKNOWN, .prefix = "", .suffix = "", .many = true };

	if (piece_exact(c->x, f->first) && !has_own_quotes(p))
		return;
	w.why = first_why(f->first);
	tag(c, &w, at);
	word_push(c->x, out, w);
}

/* @made: by braces, and then it is no assignment any more. */
static void fields_of(struct wordctx *c, const struct ast_part *p, bool made, struct span at, struct words *out)
{
	struct wordctx one;
	struct field *f;
	size_t n;

	word_init(&one, c->x);
	n = made ? 0 : assign_like(p);
	if (n)
		word_like_assign(&one, p, n);
	else
		tilde_parts(&one, p, false);
	if (one.at && is_joined(one.first))
		word_push(c->x, out, (struct word){ .kind = WORD_UNKNOWN, .prefix = "", .suffix = "", .many = true,
			  .why = "\"$@\" and a list that is joined in one word", .span = model_span(c->x, at) });
	else for (f = split(c->x, one.first); f; f = f->next) {
		if (one.drops && may_be_empty(f->first))
			drop_field(&one, p, f, at, out);
		else
			field_word(&one, f, at, out);
	}
	if (!c->abort)
		c->abort = one.abort;
}

static bool maybe_braces(const struct ast_part *p)
{
	for (; p; p = p->next) {
		if (p->kind == PART_TEXT && !p->quoted && memchr(p->text, '{', p->len))
			return true;
	}
	return false;
}

static bool has_braces(const struct ast_part *p, bool any)
{
	return p->kind == PART_TEXT && memchr(p->text, '{', p->len) &&
	       (any || memchr(p->text, ',', p->len) || memchr(p->text, '.', p->len));
}

/* ${x:-{a,b} and "${x:-"{a,b}"}": brace expansion reads quotes and braces in another way than what comes after. */
static bool odd_braces(const struct ast_part *p, bool any)
{
	for (; p; p = p->next) {
		const struct ast_word *arg = p->kind == PART_PARAM && p->param ? p->param->arg : NULL;

		for (const struct ast_part *q = arg ? arg->part : NULL; q; q = q->next) {
			if (has_braces(q, any))
				return true;
		}
		if (arg && odd_braces(arg->part, any))
			return true;
	}
	return false;
}

/* NAME=value after export and the like: one word, expanded as an assignment. */
static void assign_field(struct wordctx *c, const struct ast_word *w, struct words *out)
{
	const struct ast_assign *a = w->assign;
	struct wordctx one;
	struct piece *list = NULL, **tail = &list;
	const char *sep = a->append ? "+=" : "=";

	word_init(&one, c->x);
	piece_append(&tail, piece_str(c->x, arena_printf(c->x->a, "%s%s", a->name, sep)));
	if (a->array) {
		builtin_array(c->x, a, out, &c->abort);
		piece_append(&tail, piece_unknown(c->x, "array"));
	} else if (a->index) {
		struct assign done;

		builtin_assign(c->x, a, &done, true, &c->abort);
		piece_append(&tail, piece_unknown(c->x, "array"));
	} else {
		piece_append(&tail, word_whole(&one, a->value, true));
	}
	word_push(c->x, out, word_finish(&one, list, w->span));
	if (!c->abort)
		c->abort = one.abort;
}

/* Off with set +B. -1: not known. */
static int braces_on(struct expand *x)
{
	return model_find(x, LIVE_OPTION, "braceexpand") ? model_option(x, "braceexpand") : 1;
}

/* One word without braces that count, or each of those that the braces make. */
static void braced(struct wordctx *c, struct ast_part *p, struct span at, struct words *out)
{
	struct brace_list list = { 0 };
	bool maybe = maybe_braces(p), odd = odd_braces(p, maybe);
	int on = odd || maybe ? braces_on(c->x) : 0;

	if (!on) {
		fields_of(c, p, false, at, out);
		return;
	}
	if (odd || on < 0 || !brace_expand(c->x, p, &list)) {
		struct word u = { .kind = WORD_UNKNOWN, .prefix = "", .suffix = "", .many = true,
				  .why = "the braces are not followed", .span = model_span(c->x, at) };
		struct words unseen = { 0 };

		fields_of(c, p, false, at, &unseen);	/* for what runs inside */
		word_push(c->x, out, u);
		return;
	}
	for (size_t i = 0; i < list.n; i++)
		fields_of(c, list.part[i], list.n > 1 || list.part[i] != p, at, out);
}

/* NAME=value after export and the like as an ordinary word. */
static struct ast_part *assign_parts(struct expand *x, const struct ast_assign *a)
{
	struct ast_part *name = arena_alloc(x->a, sizeof(*name));
	const char *text = arena_printf(x->a, "%s%s", a->name, a->append ? "+=" : "=");

	if (!name || !text)
		return NULL;
	*name = (struct ast_part){ .kind = PART_TEXT, .text = text, .len = strlen(text), .span = a->span,
				   .next = a->value ? a->value->part : NULL };
	return name;
}

void word_fields(struct wordctx *c, const struct ast_word *w, struct words *out)
{
	const struct ast_assign *a = w->assign;
	struct ast_part *p = w->part;

	if (a && !a->array && !a->index && a->value && maybe_braces(a->value->part) && braces_on(c->x)) {
		struct brace_list list = { 0 };

		p = assign_parts(c->x, a);
		if (p && brace_expand(c->x, p, &list) && list.n == 1 && list.part[0] == p)
			assign_field(c, w, out);	/* no braces that count */
		else
			braced(c, p, w->span, out);
	} else if (a) {
		assign_field(c, w, out);
	} else {
		braced(c, p, w->span, out);
	}
}

#include "intercept/model.h"

#include <stdlib.h>
#include <string.h>

/* Brace expansion looks at unquoted text only; everything else is a piece that cannot be cut.
 * A position is a part and an offset in its text. */
struct pos {
	struct ast_part	*p;
	size_t		 i;
};

#define BRACE_DEPTH 24u	/* groups in or after one another: more make too many words anyway */

static bool is_plain(const struct ast_part *p)
{
	return p->kind == PART_TEXT && !p->quoted;
}

/* Copy [from, to) as a list of its own; to.p NULL: to the end. */
static struct ast_part *slice(struct expand *x, struct pos from, struct pos to)
{
	struct ast_part *first = NULL, **t = &first;

	for (struct ast_part *p = from.p; p; p = p->next) {
		size_t a = p == from.p ? from.i : 0, b = p == to.p ? to.i : p->len;
		struct ast_part *q;

		if (p == to.p && (!is_plain(p) || b <= a))
			break;
		if (!is_plain(p) || b > a) {
			q = arena_alloc(x->a, sizeof(*q));
			if (!q)
				break;
			*q = *p;
			q->next = NULL;
			if (is_plain(p)) {
				q->text = p->text + a;
				q->len = b - a;
			}
			*t = q;
			t = &q->next;
		}
		if (p == to.p)
			break;
	}
	return first;
}

static bool push(struct expand *x, struct brace_list *l, struct ast_part *p)
{
	if (l->n == BRACE_MAX)
		return false;
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 8;
		struct ast_part **n = arena_alloc(x->a, cap * sizeof(*n));

		if (!n)
			return false;
		if (l->n)
			memcpy(n, l->part, l->n * sizeof(*n));
		l->part = n;
		l->cap = cap;
	}
	l->part[l->n++] = p;
	return true;
}

struct commas {
	struct pos	*at;
	size_t		 n, cap;
};

static bool note(struct expand *x, struct commas *l, struct pos at)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 8;
		struct pos *n = cap <= 2 * BRACE_MAX ? arena_alloc(x->a, cap * sizeof(*n)) : NULL;

		if (!n)
			return false;
		if (l->n)
			memcpy(n, l->at, l->n * sizeof(*n));
		l->at = n;
		l->cap = cap;
	}
	l->at[l->n++] = at;
	return true;
}

/* The closing brace for the one at @open, with the commas of its level. ->p of the result is NULL
 * when there is none; false: too many commas. */
static bool matching(struct expand *x, struct pos open, struct pos *close, struct commas *commas)
{
	unsigned depth = 0;

	*close = (struct pos){ NULL, 0 };
	for (struct ast_part *p = open.p; p; p = p->next) {
		for (size_t i = p == open.p ? open.i : 0; is_plain(p) && i < p->len; i++) {
			char c = p->text[i];

			depth += c == '{';
			if (c == '}' && --depth == 0) {
				*close = (struct pos){ p, i };
				return true;
			}
			if (c == ',' && depth == 1 && !note(x, commas, (struct pos){ p, i }))
				return false;
		}
	}
	return true;
}

/* {a..b} and {a..b..step} when it is all one plain text. */
static const char *sequence(struct expand *x, struct pos open, struct pos close)
{
	if (open.p != close.p)
		return NULL;
	return arena_strndup(x->a, open.p->text + open.i + 1, close.i - open.i - 1);
}

struct range {
	long long	from, to, step;
	bool		letters;
	int		width;		/* > 0: padded with zeros */
};

static bool number(const char *s, const char *end, long long *v)
{
	char *stop;

	if (s == end)
		return false;
	*v = strtoll(s, &stop, 10);
	return stop == end && *v > -(1ll << 40) && *v < 1ll << 40;
}

static int pad(const char *s, const char *end)
{
	const char *d = *s == '-' || *s == '+' ? s + 1 : s;

	return end - d > 1 && *d == '0' ? (int)(end - s) : 0;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool range_parse(const char *s, struct range *r)
{
	const char *dots = strstr(s, ".."), *b, *bend;

	if (!dots)
		return false;
	b = dots + 2;
	bend = strstr(b, "..");
	r->step = 1;
	if (bend && !number(bend + 2, bend + strlen(bend), &r->step))
		return false;
	bend = bend ? bend : b + strlen(b);
	if (dots - s == 1 && bend - b == 1 && is_letter(*s) && is_letter(*b)) {
		*r = (struct range){ .from = *s, .to = *b, .step = r->step, .letters = true };
	} else if (number(s, dots, &r->from) && number(b, bend, &r->to)) {
		r->letters = false;
		r->width = pad(s, dots) || pad(b, bend) ? (int)MAX(dots - s, bend - b) : 0;
	} else {
		return false;
	}
	r->step = r->step < 0 ? -r->step : r->step ? r->step : 1;
	return true;
}

static bool range_items(struct expand *x, const struct range *r, const struct ast_part *like, struct brace_list *out)
{
	long long n = (r->from < r->to ? r->to - r->from : r->from - r->to) / r->step;

	if (n >= BRACE_MAX)
		return false;
	for (long long i = 0; i <= n; i++) {
		long long v = r->from < r->to ? r->from + i * r->step : r->from - i * r->step;
		struct ast_part *p = arena_alloc(x->a, sizeof(*p));
		const char *s = r->letters ? arena_printf(x->a, "%c", (char)v) :
				arena_printf(x->a, "%0*lld", r->width, v);

		if (!p || !s)
			return false;
		*p = (struct ast_part){ .kind = PART_TEXT, .text = s, .len = strlen(s), .span = like->span };
		/* {A..z} passes over [ \ ] and the like: bash makes them quoted text */
		p->quoted = r->letters && !is_letter((char)v);
		if (!push(x, out, p))
			return false;
	}
	return true;
}

static bool expand_at(struct expand *x, struct ast_part *p, struct pos from, struct brace_list *out, unsigned depth);

static void append(struct ast_part ***tail, struct ast_part *list)
{
	**tail = list;
	while (**tail)
		*tail = &(**tail)->next;
}

/* Braces come first, as text: $x{a,b} is $xa $xb. False: text made a new expansion, which is not followed. */
static bool rejoin(struct expand *x, struct ast_part *p)
{
	bool again = false;

	for (; p; p = again ? p : p->next) {
		struct ast_part *t = p->next;
		struct ast_param *q;
		size_t n = 0;

		again = false;
		if (is_plain(p) && memchr(p->text, '$', p->len))
			return false;
		if (p->kind != PART_PARAM || p->quoted || !p->param || !p->param->bare || !t || !is_plain(t))
			continue;
		if (!is_letter(p->param->name[0]) && p->param->name[0] != '_')
			continue;
		while (n < t->len && (is_letter(t->text[n]) || t->text[n] == '_' ||
				      (t->text[n] >= '0' && t->text[n] <= '9')))
			n++;
		q = n ? arena_alloc(x->a, sizeof(*q)) : NULL;
		if (!q)
			continue;
		q->bare = true;
		q->name = arena_printf(x->a, "%s%.*s", p->param->name, (int)n, t->text);
		p->param = q;
		t->text += n;
		t->len -= n;
		if (!t->len && t->next) {	/* a continuation cut the name */
			p->next = t->next;
			again = true;
		}
	}
	return true;
}

/* All words of: before + each alternative + each form of what follows. */
static bool combine(struct expand *x, struct ast_part *whole, struct pos open, const struct brace_list *alts,
		    const struct brace_list *rest, struct brace_list *out)
{
	static const struct pos end = { NULL, 0 };

	for (size_t i = 0; i < alts->n; i++) {
		for (size_t k = 0; k < rest->n; k++) {
			struct ast_part *first = NULL, **tail = &first;

			append(&tail, slice(x, (struct pos){ whole, 0 }, open));
			append(&tail, slice(x, (struct pos){ alts->part[i], 0 }, end));
			append(&tail, slice(x, (struct pos){ rest->part[k], 0 }, end));
			if (!rejoin(x, first) || !push(x, out, first) || x->a->full)
				return false;
		}
	}
	return true;
}

static bool alternatives(struct expand *x, struct pos open, struct pos close, const struct commas *commas,
			 struct brace_list *alts, unsigned depth)
{
	struct pos from = { open.p, open.i + 1 };

	for (size_t i = 0; i <= commas->n; i++) {
		struct pos to = i < commas->n ? commas->at[i] : close;
		struct ast_part *p = slice(x, from, to);

		if (p ? !expand_at(x, p, (struct pos){ p, 0 }, alts, depth + 1) : !push(x, alts, NULL))
			return false;
		from = (struct pos){ to.p, to.i + 1 };
	}
	return true;
}

/* The group that opens at @open. *used false: it is none, the brace is text. */
static bool group(struct expand *x, struct ast_part *whole, struct pos open, struct brace_list *out, unsigned depth,
		  bool *used)
{
	struct brace_list alts = { 0 }, rest = { 0 };
	struct commas commas = { 0 };
	struct ast_part *tail;
	struct range r = { 0 };
	struct pos close;
	const char *seq;

	*used = false;
	if (!matching(x, open, &close, &commas))
		return false;
	if (!close.p)
		return true;
	seq = commas.n ? NULL : sequence(x, open, close);
	if (!commas.n && (!seq || !range_parse(seq, &r)))
		return true;
	*used = true;
	if (commas.n ? !alternatives(x, open, close, &commas, &alts, depth) : !range_items(x, &r, open.p, &alts))
		return false;
	tail = slice(x, (struct pos){ close.p, close.i + 1 }, (struct pos){ NULL, 0 });
	if (tail ? !expand_at(x, tail, (struct pos){ tail, 0 }, &rest, depth + 1) : !push(x, &rest, NULL))
		return false;
	return combine(x, whole, open, &alts, &rest, out);
}

static bool expand_at(struct expand *x, struct ast_part *whole, struct pos from, struct brace_list *out,
		      unsigned depth)
{
	if (depth > BRACE_DEPTH)
		return false;
	for (struct ast_part *p = from.p; p; p = p->next) {
		if (!is_plain(p))
			continue;
		for (size_t i = p == from.p ? from.i : 0; i < p->len; i++) {
			bool used;

			if (p->text[i] != '{')
				continue;
			if (!group(x, whole, (struct pos){ p, i }, out, depth, &used))
				return false;
			if (used)
				return true;
		}
	}
	return push(x, out, whole);
}

bool brace_expand(struct expand *x, struct ast_part *p, struct brace_list *out)
{
	return expand_at(x, p, (struct pos){ p, 0 }, out, 0);
}

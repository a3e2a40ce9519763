/* intercept/pwread.c - a PowerShell text to a tree */
#include "intercept/pwread.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

#define PWREAD_WORD	(1u << 20)

struct reader {
	struct arena	*mem;
	const char	*s;
	size_t		 pos, end;
	unsigned	 depth, max_depth;
	bool		 no_comma;	/* inside the arguments of a method */
	struct pwread	*out;
};

static struct pw *fail(struct reader *r, const char *why)
{
	if (!r->out->failed) {
		r->out->failed = true;
		r->out->why = why;
		r->out->at = (struct span){ MIN(r->pos, r->end), r->end };
	}
	r->pos = r->end;	/* every loop runs out by itself */
	return NULL;
}

static struct pw *node(struct reader *r, enum pw_kind kind, size_t from)
{
	struct pw *n = arena_alloc(r->mem, sizeof(*n));

	if (!n)
		return fail(r, "the line is too big to be judged as a whole");
	n->kind = kind;
	n->text = "";
	n->span = (struct span){ from, r->pos };
	return n;
}

static struct pw *done(struct reader *r, struct pw *n)
{
	if (n)
		n->span.to = r->pos;
	return n;
}

static int peek(const struct reader *r, size_t ahead)
{
	return r->pos + ahead < r->end ? (unsigned char)r->s[r->pos + ahead] : -1;
}

static bool enter(struct reader *r)
{
	if (r->depth >= r->max_depth) {
		fail(r, "nested deeper than sbxterm reads");
		return false;
	}
	r->depth++;
	return true;
}

/* Dashes and quotes of typography mean the same as the plain ones there. */
static size_t odd_sign(const struct reader *r, char *plain)
{
	if (peek(r, 0) != 0xe2 || peek(r, 1) != 0x80)
		return 0;
	switch (peek(r, 2)) {
	case 0x93: case 0x94: case 0x95:
		*plain = '-';
		return 3;
	case 0x98: case 0x99: case 0x9a: case 0x9b:
		*plain = '\'';
		return 3;
	case 0x9c: case 0x9d: case 0x9e:
		*plain = '"';
		return 3;
	}
	return 0;
}

/* ---- blanks and comments ----------------------------------------------------------------------- */

static void comment(struct reader *r)
{
	if (peek(r, 0) == '#') {
		while (peek(r, 0) >= 0 && peek(r, 0) != '\n')
			r->pos++;
		return;
	}
	r->pos += 2;
	while (peek(r, 0) >= 0 && !(peek(r, 0) == '#' && peek(r, 1) == '>'))
		r->pos++;
	if (peek(r, 0) < 0)
		fail(r, "a comment is not closed");
	else
		r->pos += 2;
}

/* @lines: newlines too. */
static void blanks(struct reader *r, bool lines)
{
	for (;;) {
		int c = peek(r, 0);

		if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || (lines && c == '\n'))
			r->pos++;
		else if (c == 0xc2 && peek(r, 1) == 0xa0)
			r->pos += 2;
		else if (c == '`' && (peek(r, 1) == '\n' || (peek(r, 1) == '\r' && peek(r, 2) == '\n')))
			r->pos += peek(r, 1) == '\n' ? 2 : 3;
		else if (c == '#' || (c == '<' && peek(r, 1) == '#'))
			comment(r);
		else
			return;
	}
}

static bool is_word(int c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

/* ---- strings ------------------------------------------------------------------------------------- */

static struct pw *statements(struct reader *r, int close);
static struct pw *expression(struct reader *r, unsigned level);
static struct pw *statement(struct reader *r);

struct parts {
	struct pw	*first, **tail;
	struct buf	 text;
	size_t		 from;
};

static void parts_init(struct parts *p, const struct reader *r)
{
	*p = (struct parts){ .from = r->pos };
	p->tail = &p->first;
	buf_init(&p->text, PWREAD_WORD);
}

static void parts_flush(struct parts *p, struct reader *r)
{
	struct pw *n = p->text.len ? node(r, PW_TEXT, p->from) : NULL;

	if (n) {
		n->text = arena_strndup(r->mem, buf_str(&p->text), p->text.len);
		if (!n->text)
			n->text = "";
		*p->tail = n;
		p->tail = &n->next;
	}
	buf_clear(&p->text);
}

static void parts_add(struct parts *p, struct reader *r, struct pw *n)
{
	parts_flush(p, r);
	if (!n)
		return;
	*p->tail = n;
	p->tail = &n->next;
}

/* One text when there is nothing else in it. */
static struct pw *parts_done(struct parts *p, struct reader *r, bool quoted)
{
	struct pw *n;

	parts_flush(p, r);
	buf_done(&p->text);
	if (p->first && !p->first->next && p->first->kind == PW_TEXT) {
		n = p->first;
	} else {
		n = node(r, p->first ? PW_STRING : PW_TEXT, p->from);
		if (n)
			n->a = p->first;
	}
	if (n) {
		n->quoted = quoted;
		n->span = (struct span){ p->from, r->pos };
	}
	return n;
}

static char escaped(int c)
{
	static const char from[] = "0abfnrtv", to[] = "\1\a\b\f\n\r\t\v";
	const char *at = c > 0 ? strchr(from, c) : NULL;

	return at ? to[at - from] : (char)c;
}

static size_t name_chars(const struct reader *r, size_t at)
{
	size_t n = at;

	while (is_word(peek(r, n)) || (peek(r, n) == ':' && is_word(peek(r, n + 1)) && peek(r, n + 1) != ':' && n > at))
		n++;
	return n - at;
}

static const char *slice(struct reader *r, size_t from, size_t to)
{
	char *t = arena_strndup(r->mem, r->s + from, to - from);

	return t ? t : "";
}

/* $x ${x} $env:x $_ $? $$ $^ at the position; NULL: a dollar sign that means itself. */
static struct pw *variable(struct reader *r)
{
	size_t from = r->pos, n;
	struct pw *v;

	if (peek(r, 1) == '{') {
		size_t to = 2;

		while (peek(r, to) >= 0 && peek(r, to) != '}')
			to++;
		if (peek(r, to) < 0)
			return fail(r, "a brace is not closed");
		r->pos += to + 1;
		v = node(r, PW_VAR, from);
		if (v)
			v->text = slice(r, from + 2, r->pos - 1);
		return v;
	}
	n = name_chars(r, 1);
	if (!n && peek(r, 1) > 0 && strchr("?$^", peek(r, 1)))
		n = 1;
	if (!n)
		return NULL;
	r->pos += n + 1;
	v = node(r, PW_VAR, from);
	if (v)
		v->text = slice(r, from + 1, r->pos);
	return v;
}

static struct pw *sub(struct reader *r, size_t skip, int close)
{
	size_t from = r->pos;
	struct pw *n = node(r, PW_SUB, from);

	r->pos += skip;
	if (!n || !enter(r))
		return NULL;
	n->a = statements(r, close);
	n->op = r->s[from];
	r->depth--;
	if (peek(r, 0) != close)
		return fail(r, "a parenthesis is not closed");
	r->pos++;
	return done(r, n);
}

/* A dollar sign inside a text. */
static void dollar(struct reader *r, struct parts *p)
{
	struct pw *v;

	if (peek(r, 1) == '(') {
		parts_add(p, r, sub(r, 2, ')'));
		return;
	}
	v = variable(r);
	if (v)
		parts_add(p, r, v);
	else if (!r->out->failed)
		buf_addc(&p->text, r->s[r->pos++]);
}

static struct pw *double_quoted(struct reader *r, size_t quote)
{
	struct parts p;
	char plain;
	size_t odd;

	parts_init(&p, r);
	r->pos += quote;
	for (;;) {
		int c = peek(r, 0);

		odd = odd_sign(r, &plain);
		if (c < 0) {
			fail(r, "a quote is not closed");
			break;
		}
		if (c == '"' || (odd && plain == '"')) {
			odd = odd ? odd : 1;
			r->pos += odd;
			if (peek(r, 0) != '"')
				break;
			buf_addc(&p.text, '"');
			r->pos++;
		} else if (c == '`' && peek(r, 1) >= 0) {
			buf_addc(&p.text, escaped(peek(r, 1)));
			r->pos += 2;
		} else if (c == '$') {
			dollar(r, &p);
		} else {
			buf_addc(&p.text, (char)c);
			r->pos++;
		}
	}
	return parts_done(&p, r, true);
}

static struct pw *single_quoted(struct reader *r, size_t quote)
{
	struct parts p;
	char plain;

	parts_init(&p, r);
	r->pos += quote;
	for (;;) {
		int c = peek(r, 0);
		size_t odd = odd_sign(r, &plain);

		if (c < 0) {
			fail(r, "a quote is not closed");
			break;
		}
		if (c == '\'' || (odd && plain == '\'')) {
			r->pos += odd ? odd : 1;
			if (peek(r, 0) != '\'')
				break;
		}
		buf_addc(&p.text, r->s[r->pos++]);
	}
	return parts_done(&p, r, true);
}

/* @" ... "@ and @' ... '@ */
static struct pw *here_string(struct reader *r)
{
	char quote = (char)peek(r, 1);
	struct parts p;

	parts_init(&p, r);
	r->pos += 2;
	while (peek(r, 0) == ' ' || peek(r, 0) == '\t' || peek(r, 0) == '\r')
		r->pos++;
	if (peek(r, 0) != '\n') {
		fail(r, "a here-string begins on a line of its own");
		return parts_done(&p, r, true);
	}
	r->pos++;
	for (;;) {
		int c = peek(r, 0);
		size_t skip = c == '\r' && peek(r, 1) == '\n' ? 2 : 1;

		if (c < 0) {
			fail(r, "a here-string is not closed");
			break;
		}
		if ((c == '\n' || skip == 2) && peek(r, skip) == quote && peek(r, skip + 1) == '@') {
			r->pos += skip + 2;
			break;
		}
		if (!p.first && !p.text.len && c == quote && peek(r, 1) == '@') {
			r->pos += 2;
			break;
		}
		if (quote == '"' && c == '`' && peek(r, 1) >= 0) {
			buf_addc(&p.text, escaped(peek(r, 1)));
			r->pos += 2;
		} else if (quote == '"' && c == '$') {
			dollar(r, &p);
		} else {
			buf_addc(&p.text, (char)c);
			r->pos++;
		}
	}
	return parts_done(&p, r, true);
}

/* ---- expressions ---------------------------------------------------------------------------------- */

static struct pw *block(struct reader *r);

/* key = value; ... } */
static struct pw *hash(struct reader *r)
{
	struct pw *h = node(r, PW_HASH, r->pos), **tail;

	if (!h || !enter(r))
		return NULL;
	tail = &h->a;
	r->pos += 2;
	for (;;) {
		size_t from;
		struct pw *key, *e;

		blanks(r, true);
		while (peek(r, 0) == ';') {
			r->pos++;
			blanks(r, true);
		}
		if (peek(r, 0) == '}' || peek(r, 0) < 0)
			break;
		from = r->pos;
		if (is_word(peek(r, 0)) && !isdigit(peek(r, 0))) {
			while (is_word(peek(r, 0)) || peek(r, 0) == '-')
				r->pos++;
			key = node(r, PW_TEXT, from);
			if (key)
				key->text = slice(r, from, r->pos);
		} else {
			key = expression(r, 7);
		}
		blanks(r, true);
		if (peek(r, 0) != '=')
			return fail(r, "a table that cannot be read");
		r->pos++;
		blanks(r, true);
		e = node(r, PW_PARAM, from);
		if (!e)
			return NULL;
		e->text = key && key->kind == PW_TEXT ? key->text : "";
		e->b = key;
		e->a = statement(r);
		*tail = done(r, e);
		tail = &e->next;
	}
	r->depth--;
	if (peek(r, 0) != '}')
		return fail(r, "a brace is not closed");
	r->pos++;
	return done(r, h);
}

/* [name], [name[]], [name[x,y]]: the position stands after it. */
static const char *type_name(struct reader *r)
{
	size_t from = r->pos + 1, depth = 0;

	do {
		int c = peek(r, 0);

		if (c < 0 || !(is_word(c) || strchr(".[], +`=\t", c))) {
			fail(r, "a type that cannot be read");
			return "";
		}
		depth += c == '[';
		depth -= c == ']';
		r->pos++;
	} while (depth);
	return slice(r, from, r->pos - 1);
}

static bool starts_operand(const struct reader *r)
{
	int c = peek(r, 0);

	return c > 0 && (strchr("$\"'@([{", c) || isdigit(c) || (c == '-' && isdigit(peek(r, 1))));
}

static struct pw *arguments(struct reader *r)
{
	struct pw *first = NULL, **tail = &first;
	bool comma = r->no_comma;

	r->pos++;
	if (!enter(r))
		return NULL;
	r->no_comma = true;	/* it stands between arguments */
	for (;;) {
		struct pw *e;

		blanks(r, true);
		if (peek(r, 0) == ',') {
			r->pos++;
			continue;
		}
		if (peek(r, 0) == ')' || peek(r, 0) < 0)
			break;
		e = expression(r, 0);
		if (!e)
			break;
		*tail = e;
		tail = &e->next;
	}
	r->no_comma = comma;
	r->depth--;
	if (peek(r, 0) != ')')
		fail(r, "a parenthesis is not closed");
	else
		r->pos++;
	return first;
}

static struct pw *member(struct reader *r, struct pw *obj, bool is_static)
{
	struct pw *m = node(r, PW_MEMBER, obj->span.from);
	size_t from;

	if (!m)
		return NULL;
	m->a = obj;
	m->op = is_static ? ':' : '.';
	r->pos += is_static ? 2 : 1;
	from = r->pos;
	if (is_word(peek(r, 0))) {
		while (is_word(peek(r, 0)))
			r->pos++;
		m->text = slice(r, from, r->pos);
	} else if (peek(r, 0) == '$') {
		m->b = peek(r, 1) == '(' ? sub(r, 2, ')') : variable(r);
	} else if (peek(r, 0) == '"') {
		m->b = double_quoted(r, 1);
	} else if (peek(r, 0) == '\'') {
		m->b = single_quoted(r, 1);
	} else if (peek(r, 0) == '(') {
		m->b = sub(r, 1, ')');
	} else {
		return fail(r, "a member without a name");
	}
	if (m->b && m->b->kind == PW_TEXT)
		m->text = m->b->text;
	if (peek(r, 0) == '(') {
		m->kind = PW_CALL;
		m->c = arguments(r);
	} else if (peek(r, 0) == '{') {
		m->kind = PW_CALL;
		m->c = block(r);
	}
	return done(r, m);
}

static struct pw *postfix(struct reader *r, struct pw *e)
{
	unsigned n = 0;

	while (e && !r->out->failed && n++ < 4096) {
		int c = peek(r, 0), d = peek(r, 1);

		if (c == '?' && d == '.') {
			r->pos++;
			e = member(r, e, false);
		} else if (c == '.' && d != '.' && (is_word(d) || (d > 0 && strchr("$\"'(", d)))) {
			e = member(r, e, false);
		} else if (c == ':' && d == ':') {
			e = member(r, e, true);
		} else if (c == '[' && e->kind != PW_TYPE) {
			struct pw *i = node(r, PW_INDEX, e->span.from);

			if (!i || !enter(r))
				return NULL;
			r->pos++;
			blanks(r, true);
			i->a = e;
			i->b = expression(r, 0);
			blanks(r, true);
			r->depth--;
			if (peek(r, 0) != ']')
				return fail(r, "a bracket is not closed");
			r->pos++;
			e = done(r, i);
		} else if ((c == '+' && d == '+') || (c == '-' && d == '-')) {
			r->pos += 2;
		} else {
			return e;
		}
	}
	return e;
}

static struct pw *number(struct reader *r)
{
	size_t from = r->pos;
	struct pw *n;

	while (isalnum(peek(r, 0)) || (peek(r, 0) == '.' && isdigit(peek(r, 1))))
		r->pos++;
	n = node(r, PW_TEXT, from);
	if (n)
		n->text = slice(r, from, r->pos);
	return n;
}

static struct pw *typed(struct reader *r)
{
	size_t from = r->pos, after;
	const char *name = type_name(r);
	struct pw *n;

	if (r->out->failed)
		return NULL;
	if (peek(r, 0) == ':' && peek(r, 1) == ':') {
		n = node(r, PW_TYPE, from);
		if (n)
			n->text = name;
		return n;
	}
	after = r->pos;
	blanks(r, false);
	n = node(r, starts_operand(r) ? PW_CAST : PW_TYPE, from);
	if (!n)
		return NULL;
	n->text = name;
	if (n->kind == PW_CAST) {
		if (!enter(r))
			return NULL;
		n->a = expression(r, 8);
		r->depth--;
	} else {
		r->pos = after;
	}
	return done(r, n);
}

static struct pw *primary(struct reader *r)
{
	char plain = 0;
	size_t odd = odd_sign(r, &plain);
	int c = peek(r, 0), d = peek(r, 1);
	struct pw *v;

	if (c == '"' || plain == '"')
		return double_quoted(r, odd ? odd : 1);
	if (c == '\'' || plain == '\'')
		return single_quoted(r, odd ? odd : 1);
	if (c == '$' && d == '(')
		return sub(r, 2, ')');
	if (c == '$') {
		v = variable(r);
		return v ? v : fail(r, "a variable without a name");
	}
	if (c == '@' && d == '(')
		return sub(r, 2, ')');
	if (c == '@' && d == '{')
		return hash(r);
	if (c == '@' && (d == '"' || d == '\''))
		return here_string(r);
	if (c == '@' && is_word(d)) {
		size_t from = r->pos++;

		while (is_word(peek(r, 0)))
			r->pos++;
		v = node(r, PW_SPLAT, from);
		if (v)
			v->text = slice(r, from + 1, r->pos);
		return v;
	}
	if (c == '(')
		return sub(r, 1, ')');
	if (c == '{')
		return block(r);
	if (c == '[')
		return typed(r);
	if (isdigit(c) || (c == '.' && isdigit(d)))
		return number(r);
	return fail(r, "an expression that cannot be read");
}

static const char *const unary_words[] = { "-not", "-bnot", "-join", "-split", "-isplit", "-csplit" };

static struct pw *unary(struct reader *r)
{
	size_t from = r->pos, n = 0;
	int c = peek(r, 0);
	struct pw *u;

	if (c == '!' || c == '+' || (c == '-' && !isalpha(peek(r, 1))) || c == ',') {
		n = peek(r, 1) == c && c != '!' && c != ',' ? 2 : 1;
	} else if (c == '-') {
		size_t len = 1;

		while (isalpha(peek(r, len)))
			len++;
		for (size_t i = 0; i < ARRAY_SIZE(unary_words) && !n; i++) {
			if (strlen(unary_words[i]) == len && !strncasecmp(unary_words[i], r->s + r->pos, len))
				n = len;
		}
		if (!n)
			return fail(r, "an operator that cannot be read");
	}
	if (!n)
		return postfix(r, primary(r));
	u = node(r, PW_UNARY, from);
	r->pos += n;
	if (!u || !enter(r))
		return NULL;
	u->text = slice(r, from, r->pos);
	blanks(r, false);
	u->a = unary(r);
	r->depth--;
	return done(r, u);
}

/* The binary operator at the position, its level and length; 0: none. */
static unsigned operator_at(const struct reader *r, size_t *len)
{
	static const char *const compare[] = {
		"eq", "ne", "gt", "ge", "lt", "le", "like", "notlike", "match", "notmatch", "contains", "notcontains", "in", "notin",
		"replace", "split", "join", "is", "isnot", "as", "shl", "shr",
	};
	static const char *const logic[] = { "and", "or", "xor", "band", "bor", "bxor" };
	int c = peek(r, 0);
	size_t n = 1;
	char word[16];

	*len = 1;
	if (c == '?' && peek(r, 1) == '?' && peek(r, 2) != '=') {
		*len = 2;
		return 1;
	}
	if (c == '.' && peek(r, 1) == '.') {
		*len = 2;
		return 6;
	}
	if (c == ',')
		return r->no_comma ? 0 : 7;
	if ((c == '*' || c == '/' || c == '%') && peek(r, 1) != '=')
		return 4;
	if ((c == '+' || (c == '-' && !isalpha(peek(r, 1)))) && peek(r, 1) != '=')
		return peek(r, 1) == c ? 0 : 3;
	if (c != '-')
		return 0;
	while (isalpha(peek(r, n)) && n < sizeof(word)) {
		word[n - 1] = (char)tolower(peek(r, n));
		n++;
	}
	word[n - 1] = 0;
	*len = n;
	if (!strcmp(word, "f"))
		return 5;
	for (size_t i = 0; i < ARRAY_SIZE(logic); i++) {
		if (!strcmp(word, logic[i]))
			return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(compare); i++) {
		const char *w = word;

		if (!strcmp(w, compare[i]) || ((*w == 'i' || *w == 'c') && !strcmp(w + 1, compare[i])))
			return 2;
	}
	return 0;
}

static struct pw *ternary(struct reader *r, struct pw *cond, unsigned level)
{
	size_t at = r->pos;
	struct pw *n;

	if (level)
		return cond;
	blanks(r, false);
	if (peek(r, 0) != '?' || peek(r, 1) == '?' || peek(r, 1) == '.') {
		r->pos = at;
		return cond;
	}
	n = node(r, PW_BODIES, cond->span.from);
	r->pos++;
	blanks(r, true);
	if (!n || !enter(r))
		return NULL;
	n->a = cond;
	n->b = expression(r, 1);
	blanks(r, true);
	if (peek(r, 0) != ':')
		return fail(r, "an expression that cannot be read");
	r->pos++;
	blanks(r, true);
	if (n->b)
		n->b->next = expression(r, 0);
	r->depth--;
	return done(r, n);
}

/* @level: the weakest operator that is taken. */
static struct pw *expression(struct reader *r, unsigned level)
{
	struct pw *e, *last = NULL;

	if (!enter(r))
		return NULL;
	e = unary(r);
	while (e && !r->out->failed) {
		size_t at = r->pos, len;
		unsigned l;
		struct pw *b;

		blanks(r, false);
		l = operator_at(r, &len);
		if (!l || l < level || level > 7) {
			r->pos = at;
			break;
		}
		b = node(r, l == 7 ? PW_ARRAY : PW_BINARY, e->span.from);
		if (!b)
			break;
		b->text = slice(r, r->pos, r->pos + len);
		r->pos += len;
		blanks(r, true);
		if (l == 7) {
			struct pw *one = unary(r);

			if (last) {
				last->next = one;
				last = one ? one : last;
				done(r, e);
				continue;
			}
			b->a = e;
			e->next = one;
			last = one;
		} else {
			b->a = e;
			b->b = expression(r, l + 1);
			if (!b->b)
				break;
			last = NULL;
		}
		e = done(r, b);
	}
	if (e)
		e = ternary(r, e, level);
	r->depth--;
	return e;
}

/* ---- commands ---------------------------------------------------------------------------------------- */

static bool ends_word(int c)
{
	return c < 0 || c == ' ' || c == '\t' || c == '\n' || c == '\r' || strchr("{}();,|&<>", c) != NULL;
}

/* A word that is not quoted as a whole: text with variables and quotes in it. */
static struct pw *bareword(struct reader *r)
{
	struct parts p;

	parts_init(&p, r);
	while (!ends_word(peek(r, 0))) {
		int c = peek(r, 0);

		if (c == '`') {
			if (peek(r, 1) < 0 || peek(r, 1) == '\n')
				break;
			/* `e is e here: only the newest reads another sign */
			buf_addc(&p.text, escaped(peek(r, 1)));
			r->pos += 2;
		} else if (c == '$') {
			dollar(r, &p);
		} else if (c == '"') {
			struct pw *q = double_quoted(r, 1);

			parts_add(&p, r, q);
		} else if (c == '\'') {
			parts_add(&p, r, single_quoted(r, 1));
		} else {
			buf_addc(&p.text, (char)c);
			r->pos++;
		}
	}
	return parts_done(&p, r, false);
}

/* $x, $x.y, $x[0] as they are; $x\y and $x/y as a text with the variable in it. */
static struct pw *variable_argument(struct reader *r)
{
	size_t from = r->pos;
	struct pw *v = peek(r, 1) == '(' ? sub(r, 2, ')') : variable(r), *s;

	if (!v)
		return r->out->failed ? NULL : bareword(r);
	v = postfix(r, v);
	if (r->out->failed || !v || ends_word(peek(r, 0)))
		return v;
	s = node(r, PW_STRING, from);
	if (!s)
		return NULL;
	s->a = v;
	v->next = bareword(r);
	return done(r, s);
}

static struct pw *argument_one(struct reader *r)
{
	char plain = 0;
	size_t odd = odd_sign(r, &plain);
	int c = peek(r, 0), d = peek(r, 1);

	if (c == '"' || plain == '"')
		return postfix(r, double_quoted(r, odd ? odd : 1));
	if (c == '\'' || plain == '\'')
		return postfix(r, single_quoted(r, odd ? odd : 1));
	if (c == '$')
		return variable_argument(r);
	if (c == '(')
		return postfix(r, sub(r, 1, ')'));
	if (c == '{')
		return block(r);
	if (c == '@' && (d == '(' || d == '{' || d == '"' || d == '\'' || is_word(d)))
		return postfix(r, primary(r));
	return bareword(r);
}

/* a, b, c */
static struct pw *argument(struct reader *r)
{
	struct pw *e = argument_one(r), *list, **tail;
	size_t at;

	for (at = r->pos; e && !r->out->failed; at = r->pos) {
		blanks(r, false);
		if (peek(r, 0) != ',') {
			r->pos = at;
			return e;
		}
		list = node(r, PW_ARRAY, e->span.from);
		if (!list)
			return NULL;
		list->a = e;
		tail = &e->next;
		while (peek(r, 0) == ',' && !r->out->failed) {
			r->pos++;
			blanks(r, true);
			*tail = argument_one(r);
			if (!*tail)
				break;
			tail = &(*tail)->next;
			at = r->pos;
			blanks(r, false);
		}
		r->pos = at;
		return done(r, list);
	}
	return e;
}

static bool at_redir(const struct reader *r)
{
	int c = peek(r, 0);

	return c == '>' || c == '<' || ((isdigit(c) || c == '*') && peek(r, 1) == '>');
}

static struct pw *redirection(struct reader *r)
{
	struct pw *n = node(r, PW_REDIR, r->pos);

	if (!n)
		return NULL;
	if (peek(r, 0) == '<')
		return fail(r, "a redirection that PowerShell does not know");
	if (peek(r, 0) != '>') {
		n->text = slice(r, r->pos, r->pos + 1);
		r->pos++;
	}
	r->pos++;
	n->op = '>';
	if (peek(r, 0) == '>') {
		n->op = 'a';
		r->pos++;
	}
	if (peek(r, 0) == '&') {
		r->pos += 2;
		n->op = '&';
		return done(r, n);
	}
	blanks(r, false);
	n->a = argument_one(r);
	return done(r, n);
}

/* -Name, -Name:value; whatever else begins with a dash is a word. */
static struct pw *parameter(struct reader *r, size_t dash)
{
	size_t from = r->pos;
	struct pw *n;
	char *text;

	r->pos += dash;
	while (!ends_word(peek(r, 0)) && peek(r, 0) != ':' && peek(r, 0) != '$' && peek(r, 0) != '"' && peek(r, 0) != '\'' && peek(r, 0) != '`')
		r->pos++;
	n = node(r, PW_PARAM, from);
	text = arena_printf(r->mem, "-%.*s", (int)(r->pos - from - dash), r->s + from + dash);
	if (!n || !text)
		return NULL;
	n->text = text;
	if (peek(r, 0) == '`' || peek(r, 0) == '"' || peek(r, 0) == '\'' || (peek(r, 0) == '$' && r->s[r->pos - 1] != ':')) {
		r->pos = from;		/* parts of it are quoted: read as any word */
		return argument(r);
	}
	if (peek(r, 0) == ':') {
		r->pos++;
		if (!ends_word(peek(r, 0)) || peek(r, 0) == '(' || peek(r, 0) == '{')
			n->a = argument(r);
		else if (peek(r, 0) == ' ') {
			blanks(r, false);
			n->a = argument(r);
		}
	}
	return done(r, n);
}

static bool ends_arguments(const struct reader *r)
{
	int c = peek(r, 0);

	return c < 0 || c == '\n' || c == ';' || c == '|' || c == '&' || c == ')' || c == '}';
}

static struct pw *command(struct reader *r, char op)
{
	struct pw *n = node(r, PW_COMMAND, r->pos), **arg, **redir;

	if (!n || !enter(r))
		return NULL;
	arg = &n->b;
	redir = &n->c;
	n->op = op;
	if (op) {
		r->pos++;
		blanks(r, false);
		n->a = argument_one(r);
	} else {
		n->a = bareword(r);
	}
	for (;;) {
		size_t at = r->pos, dash = 0;
		char plain = 0;
		struct pw *e;

		blanks(r, false);
		if (r->out->failed || ends_arguments(r))
			break;
		if (at_redir(r)) {
			e = *redir = redirection(r);
			if (!e)
				break;
			redir = &e->next;
			continue;
		}
		if (peek(r, 0) == '-' && peek(r, 1) == '-' && peek(r, 2) == '%') {
			fail(r, "the rest of the line is handed on unread (--%)");
			break;
		}
		dash = odd_sign(r, &plain);
		dash = peek(r, 0) == '-' ? 1 : plain == '-' ? dash : 0;
		if (dash && (isalpha(peek(r, dash)) || peek(r, dash) == '_' || peek(r, dash) == '?'))
			e = parameter(r, dash);
		else
			e = argument(r);
		if (!e)
			break;
		*arg = e;
		arg = &e->next;
		if (r->pos == at) {
			fail(r, "a command that cannot be read");
			break;
		}
	}
	r->depth--;
	return done(r, n);
}

/* ---- statements ---------------------------------------------------------------------------------------- */

static bool at_keyword(const struct reader *r, const char *word)
{
	size_t n = strlen(word);
	int after = peek(r, n);

	return r->pos + n <= r->end && !strncasecmp(r->s + r->pos, word, n) && !is_word(after) && after != '-' && after != '.' &&
	       after != '\\' && after != '/' && after != ':' && after != '=';
}

/* param(...): the names, with what they are when nothing is given. */
static struct pw *parameters(struct reader *r)
{
	struct pw *first = NULL, **tail = &first;

	blanks(r, true);
	if (peek(r, 0) != '(')
		return fail(r, "parameters that cannot be read");
	r->pos++;
	for (;;) {
		struct pw *v;

		blanks(r, true);
		if (peek(r, 0) == ',') {
			r->pos++;
			continue;
		}
		if (peek(r, 0) == '[') {	/* a type or an attribute */
			size_t depth = 0;

			do {
				if (peek(r, 0) < 0)
					return fail(r, "a bracket is not closed");
				if (peek(r, 0) == '\'' || peek(r, 0) == '"') {
					if (peek(r, 0) == '"')
						double_quoted(r, 1);
					else
						single_quoted(r, 1);
					continue;
				}
				depth += peek(r, 0) == '[';
				depth -= peek(r, 0) == ']';
				r->pos++;
			} while (depth);
			continue;
		}
		if (peek(r, 0) != '$')
			break;
		v = variable(r);
		if (!v)
			return fail(r, "parameters that cannot be read");
		blanks(r, true);
		if (peek(r, 0) == '=') {
			r->pos++;
			blanks(r, true);
			v->a = expression(r, 8);
			blanks(r, true);
		}
		*tail = v;
		tail = &v->next;
	}
	if (peek(r, 0) != ')')
		return fail(r, "a parenthesis is not closed");
	r->pos++;
	return first;
}

/* { param() statements }, with begin, process and end inside */
static struct pw *block(struct reader *r)
{
	struct pw *b = node(r, PW_BLOCK, r->pos);

	if (!b || !enter(r))
		return NULL;
	if (peek(r, 0) != '{')
		return fail(r, "a brace is missing");
	r->pos++;
	blanks(r, true);
	while (peek(r, 0) == '[' && at_keyword(&(struct reader){ .s = r->s, .pos = r->pos + 1, .end = r->end }, "cmdletbinding")) {
		while (peek(r, 0) >= 0 && peek(r, 0) != ']')
			r->pos++;
		if (peek(r, 0) == ']')
			r->pos++;
		blanks(r, true);
	}
	if (at_keyword(r, "param")) {
		r->pos += 5;
		b->b = parameters(r);
	}
	b->a = statements(r, '}');
	r->depth--;
	if (peek(r, 0) != '}')
		return fail(r, "a brace is not closed");
	r->pos++;
	return done(r, b);
}

static struct pw *paren(struct reader *r)
{
	blanks(r, true);
	if (peek(r, 0) != '(')
		return fail(r, "a parenthesis is missing");
	return sub(r, 1, ')');
}

static struct pw *body(struct reader *r)
{
	blanks(r, true);
	return block(r);
}

static struct pw *if_statement(struct reader *r)
{
	struct pw *n = node(r, PW_IF, r->pos);
	size_t at;

	r->pos += at_keyword(r, "if") ? 2 : 6;
	if (!n || !enter(r))
		return NULL;
	n->a = paren(r);
	n->b = body(r);
	at = r->pos;
	blanks(r, true);
	if (at_keyword(r, "elseif")) {
		n->c = if_statement(r);
	} else if (at_keyword(r, "else")) {
		r->pos += 4;
		n->c = body(r);
	} else {
		r->pos = at;
	}
	r->depth--;
	return done(r, n);
}

/* The statement, not the alias of ForEach-Object: a parenthesis follows. */
static bool at_foreach(const struct reader *r)
{
	size_t n = 7;

	if (!at_keyword(r, "foreach"))
		return false;
	while (peek(r, n) == ' ' || peek(r, n) == '\t' || peek(r, n) == '\n')
		n++;
	return peek(r, n) == '(' || (peek(r, n) == '-' && (peek(r, n + 1) | 32) == 'p');
}

static struct pw *foreach_statement(struct reader *r)
{
	struct pw *n = node(r, PW_FOREACH, r->pos), *v;

	r->pos += 7;
	blanks(r, true);
	while (n && peek(r, 0) == '-') {	/* -Parallel */
		while (peek(r, 0) >= 0 && peek(r, 0) != '(')
			r->pos++;
	}
	if (!n || peek(r, 0) != '(')
		return fail(r, "a loop that cannot be read");
	r->pos++;
	blanks(r, true);
	v = peek(r, 0) == '$' ? variable(r) : NULL;
	blanks(r, true);
	if (!v || !at_keyword(r, "in"))
		return fail(r, "a loop that cannot be read");
	r->pos += 2;
	n->text = v->text;
	blanks(r, true);
	if (!enter(r))
		return NULL;
	n->a = statements(r, ')');
	r->depth--;
	if (peek(r, 0) != ')')
		return fail(r, "a parenthesis is not closed");
	r->pos++;
	n->b = body(r);
	return done(r, n);
}

/* for (a; b; c) { }, while ( ) { }, do { } while ( ) */
static struct pw *loop_statement(struct reader *r, bool post)
{
	struct pw *n = node(r, PW_LOOP, r->pos);

	while (isalpha(peek(r, 0)))
		r->pos++;
	if (!n)
		return NULL;
	if (!post)
		n->a = paren(r);
	n->b = body(r);
	if (post) {
		blanks(r, true);
		if (!at_keyword(r, "while") && !at_keyword(r, "until"))
			return fail(r, "a loop that cannot be read");
		r->pos += 5;
		n->a = paren(r);
	}
	return done(r, n);
}

/* switch (x) { value { } ... } */
static struct pw *switch_statement(struct reader *r)
{
	struct pw *n = node(r, PW_BODIES, r->pos), **tail;

	r->pos += 6;
	blanks(r, true);
	while (n && peek(r, 0) == '-') {
		while (peek(r, 0) == '-' || isalpha(peek(r, 0)))
			r->pos++;
		blanks(r, true);
	}
	if (!n)
		return NULL;
	n->a = paren(r);
	blanks(r, true);
	if (peek(r, 0) != '{' || !enter(r))
		return fail(r, "a switch that cannot be read");
	r->pos++;
	tail = &n->b;
	for (;;) {
		struct pw *key, *b;

		blanks(r, true);
		if (peek(r, 0) == ';') {
			r->pos++;
			continue;
		}
		if (peek(r, 0) == '}' || peek(r, 0) < 0)
			break;
		key = argument_one(r);
		b = body(r);
		if (!key || !b)
			break;
		if (key->kind != PW_TEXT) {
			*tail = key;
			tail = &key->next;
		}
		*tail = b;
		tail = &b->next;
	}
	r->depth--;
	if (peek(r, 0) != '}')
		return fail(r, "a brace is not closed");
	r->pos++;
	return done(r, n);
}

/* try { } catch [T] { } finally { }, trap { }, begin { } process { } end { } */
static struct pw *try_statement(struct reader *r)
{
	static const char *const more[] = { "catch", "finally" };
	struct pw *n = node(r, PW_LIST, r->pos), **tail;
	bool again = true;

	while (isalpha(peek(r, 0)))
		r->pos++;
	if (!n)
		return NULL;
	tail = &n->a;
	while (again && !r->out->failed) {
		size_t at;

		blanks(r, true);
		while (peek(r, 0) == '[' || peek(r, 0) == ',') {
			if (peek(r, 0) == '[')
				type_name(r);
			else
				r->pos++;
			blanks(r, true);
		}
		*tail = block(r);
		if (!*tail)
			break;
		tail = &(*tail)->next;
		at = r->pos;
		blanks(r, true);
		again = false;
		for (size_t i = 0; i < ARRAY_SIZE(more) && !again; i++) {
			again = at_keyword(r, more[i]);
			r->pos += again ? strlen(more[i]) : 0;
		}
		if (!again)
			r->pos = at;
	}
	return done(r, n);
}

static struct pw *function_statement(struct reader *r)
{
	struct pw *n = node(r, PW_FUNCTION, r->pos), *args = NULL;
	size_t from;

	while (isalpha(peek(r, 0)))
		r->pos++;
	blanks(r, true);
	from = r->pos;
	while (!ends_word(peek(r, 0)))
		r->pos++;
	if (!n || r->pos == from)
		return fail(r, "a function without a name");
	n->text = slice(r, from, r->pos);
	blanks(r, true);
	if (peek(r, 0) == '(')
		args = parameters(r);
	n->a = body(r);
	if (n->a && args)
		n->a->b = args;
	return done(r, n);
}

static struct pw *flow_statement(struct reader *r, const char *word)
{
	struct pw *n = node(r, PW_FLOW, r->pos);

	r->pos += strlen(word);
	blanks(r, false);
	if (!n)
		return NULL;
	n->text = word;
	if (!ends_arguments(r)) {
		if (*word == 'b' || *word == 'c')
			while (is_word(peek(r, 0)) || peek(r, 0) == '$')
				r->pos++;
		else
			n->a = statement(r);
	}
	return done(r, n);
}

static bool starts_expression(const struct reader *r)
{
	int c = peek(r, 0), d = peek(r, 1);
	size_t n = 0;
	char plain = 0;

	if (c == '$' || c == '"' || c == '\'' || c == '(' || c == '[' || c == '{' || c == '!' || (odd_sign(r, &plain) && plain != '-'))
		return true;
	if (c == '@')
		return d == '(' || d == '{' || d == '"' || d == '\'';
	if (c == ',' || ((c == '+' || c == '-') && (d == c || isdigit(d) || d == '$' || d == '(')))
		return true;
	if (c == '-') {
		for (size_t i = 0; i < ARRAY_SIZE(unary_words); i++) {
			size_t len = strlen(unary_words[i]);

			if (r->end - r->pos > len && !strncasecmp(r->s + r->pos, unary_words[i], len) && !isalpha(peek(r, len)))
				return true;
		}
	}
	while (isdigit(peek(r, n)) || (n && (isxdigit(peek(r, n)) || peek(r, n) == 'x' || (peek(r, n) == '.' && peek(r, n + 1) != '.'))))
		n++;
	while (n && strchr("kKmMgGtTpPbBlL", MAX(peek(r, n), 0)) && peek(r, n) > 0)
		n++;
	return n && (peek(r, n) < 0 || !(is_word(peek(r, n)) || strchr("\\/_-", peek(r, n)))) && !(peek(r, n) == '-' && isalpha(peek(r, n + 1)));
}

static size_t assign_at(const struct reader *r)
{
	int c = peek(r, 0), d = peek(r, 1);

	if (c == '=')
		return d == '=' ? 0 : 1;
	if (c == '?' && d == '?' && peek(r, 2) == '=')
		return 3;
	return c > 0 && strchr("+-*/%", c) && d == '=' ? 2 : 0;
}

static struct pw *expression_stage(struct reader *r)
{
	struct pw *e = expression(r, 0), *n;
	size_t at = r->pos, len;

	if (!e || r->out->failed)
		return e;
	blanks(r, false);
	len = assign_at(r);
	if (!len) {
		r->pos = at;
		return e;
	}
	n = node(r, PW_ASSIGN, e->span.from);
	if (!n || !enter(r))
		return NULL;
	n->a = e;
	n->text = slice(r, r->pos, r->pos + len);
	r->pos += len;
	blanks(r, true);
	n->b = statement(r);
	r->depth--;
	return done(r, n);
}

static struct pw *stage(struct reader *r)
{
	int c = peek(r, 0), d = peek(r, 1);

	if (c == '&')
		return command(r, '&');
	if (c == '.' && (d == ' ' || d == '\t' || d == '$' || d == '(' || d == '{' || d == '"' || d == '\'' || d == '&'))
		return command(r, '.');
	if (starts_expression(r)) {
		struct pw *e = expression_stage(r), **tail, *n;

		/* "text" > file: an expression may be redirected */
		blanks(r, false);
		if (!e || r->out->failed || e->kind == PW_ASSIGN || !at_redir(r))
			return e;
		n = node(r, PW_COMMAND, e->span.from);
		if (!n)
			return NULL;
		n->op = 'e';
		n->a = e;
		for (tail = &n->c; at_redir(r) && !r->out->failed; blanks(r, false)) {
			*tail = redirection(r);
			if (!*tail)
				break;
			tail = &(*tail)->next;
		}
		return done(r, n);
	}
	return command(r, 0);
}

static struct pw *pipeline(struct reader *r)
{
	struct pw *first = stage(r), *p, **tail;
	size_t at = r->pos;

	if (!first || r->out->failed)
		return first;
	blanks(r, false);
	if (peek(r, 0) != '|' || peek(r, 1) == '|') {
		if (peek(r, 0) != '\n') {
			r->pos = at;
			return first;
		}
		blanks(r, true);	/* a line may begin with the pipe */
		if (peek(r, 0) != '|' || peek(r, 1) == '|') {
			r->pos = at;
			return first;
		}
	}
	p = node(r, PW_PIPE, first->span.from);
	if (!p)
		return NULL;
	p->a = first;
	tail = &first->next;
	while (peek(r, 0) == '|' && peek(r, 1) != '|' && !r->out->failed) {
		r->pos++;
		blanks(r, true);
		if (peek(r, 0) < 0)
			return fail(r, "the pipeline is not finished");
		*tail = stage(r);
		if (!*tail)
			break;
		tail = &(*tail)->next;
		at = r->pos;
		blanks(r, true);
		if (peek(r, 0) != '|')
			r->pos = at;
	}
	return done(r, p);
}

static struct pw *chain(struct reader *r)
{
	struct pw *e = pipeline(r);

	for (;;) {
		size_t at = r->pos;
		struct pw *n;

		blanks(r, false);
		if (!e || r->out->failed || !((peek(r, 0) == '&' || peek(r, 0) == '|') && peek(r, 1) == peek(r, 0))) {
			r->pos = at;
			return e;
		}
		n = node(r, PW_CHAIN, e->span.from);
		if (!n)
			return NULL;
		n->op = (char)peek(r, 0);
		r->pos += 2;
		blanks(r, true);
		n->a = e;
		n->b = pipeline(r);
		e = done(r, n);
	}
}

static struct pw *statement(struct reader *r)
{
	static const char *const flow[] = { "return", "throw", "exit", "break", "continue" };
	static const char *const unread[] = { "class", "enum", "using", "configuration", "data", "dynamicparam" };
	struct pw *n = NULL;

	if (!enter(r))
		return NULL;
	if (peek(r, 0) == ':' && is_word(peek(r, 1))) {		/* a label */
		for (r->pos++; is_word(peek(r, 0)); r->pos++)
			;
		blanks(r, true);
	}
	if (at_keyword(r, "if")) {
		n = if_statement(r);
	} else if (at_foreach(r)) {
		n = foreach_statement(r);
	} else if (at_keyword(r, "for") || at_keyword(r, "while")) {
		n = loop_statement(r, false);
	} else if (at_keyword(r, "do")) {
		n = loop_statement(r, true);
	} else if (at_keyword(r, "switch")) {
		n = switch_statement(r);
	} else if (at_keyword(r, "try") || at_keyword(r, "trap") || at_keyword(r, "begin") || at_keyword(r, "process") || at_keyword(r, "end") ||
		   at_keyword(r, "clean")) {
		n = try_statement(r);
	} else if (at_keyword(r, "function") || at_keyword(r, "filter") || at_keyword(r, "workflow")) {
		n = function_statement(r);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(unread); i++) {
			if (at_keyword(r, unread[i]))
				n = fail(r, "a statement that no rule reads");
		}
		for (size_t i = 0; i < ARRAY_SIZE(flow) && !n; i++) {
			if (at_keyword(r, flow[i]))
				n = flow_statement(r, flow[i]);
		}
		if (!n && !r->out->failed)
			n = chain(r);
	}
	r->depth--;
	return n;
}

/* Up to @close, which stays; -1: the end of the text. */
static struct pw *statements(struct reader *r, int close)
{
	struct pw *list = node(r, PW_LIST, r->pos), **tail;
	bool comma = r->no_comma;

	if (!list)
		return NULL;
	tail = &list->a;
	r->no_comma = false;
	for (;;) {
		size_t at;
		struct pw *s;

		blanks(r, true);
		while (peek(r, 0) == ';') {
			r->pos++;
			blanks(r, true);
		}
		if (peek(r, 0) < 0 || peek(r, 0) == close)
			break;
		at = r->pos;
		s = statement(r);
		if (s) {
			*tail = s;
			tail = &s->next;
		}
		blanks(r, false);
		if (peek(r, 0) == '&' && peek(r, 1) != '&')
			r->pos++;	/* in the background */
		if (r->out->failed)
			break;
		if (peek(r, 0) >= 0 && peek(r, 0) != close && peek(r, 0) != ';' && peek(r, 0) != '\n' && s && s->kind != PW_IF &&
		    s->kind != PW_LOOP && s->kind != PW_FOREACH && s->kind != PW_BODIES && s->kind != PW_FUNCTION && s->kind != PW_LIST)
			fail(r, "a statement that cannot be read");
		else if (r->pos == at)
			fail(r, "a statement that cannot be read");
	}
	r->no_comma = comma;
	return done(r, list);
}

void pwread_text(struct arena *mem, const char *text, size_t len, unsigned max_depth, struct pwread *out)
{
	struct reader r = { .mem = mem, .s = text, .end = len, .max_depth = max_depth, .out = out };

	*out = (struct pwread){ 0 };
	blanks(&r, true);
	if (at_keyword(&r, "param")) {
		r.pos += 5;
		parameters(&r);
	}
	out->list = statements(&r, -1);
}

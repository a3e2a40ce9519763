#include "intercept/reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define INDEX_MAX 512	/* bytes of an array index in an assignment or of $[ ] */

void reader_fail(struct reader *r, size_t at, bool incomplete, const char *fmt, ...)
{
	char msg[160];
	va_list ap;

	if (r->failed)
		return;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	r->failed = true;
	r->gap.why = arena_strdup(r->arena, msg);
	if (!r->gap.why)
		r->gap.why = "the line is too big to be judged";
	r->gap.incomplete = incomplete;
	r->gap.span = reader_span(r, MIN(at, r->end), r->end);
	r->pos = r->end;
}

void *reader_alloc(struct reader *r, size_t size)
{
	void *p = arena_alloc(r->arena, size);

	if (!p)
		reader_fail(r, r->pos, false, "the line is too big to be judged");
	return p;
}

void reader_mark(struct reader *r, size_t at, size_t to, enum parse_mark_kind kind)
{
	struct parse_marks *m = r->in->marks;

	if (!m || r->failed)
		return;
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 32;
		struct parse_mark *n = reader_alloc(r, cap * sizeof(*n));

		if (!n)
			return;
		if (m->n)
			memcpy(n, m->mark, m->n * sizeof(*n));
		m->mark = n;
		m->cap = cap;
	}
	m->mark[m->n++] = (struct parse_mark){ (uint32_t)at, (uint32_t)to, kind };
}

static size_t mark_count(const struct reader *r)
{
	return r->in->marks ? r->in->marks->n : 0;
}

static size_t unsplice(const struct reader *r, size_t pos, bool end, const struct span **fixed)
{
	for (const struct reader_splice *s = r->splice; s; s = s->next) {
		if (pos < s->from || (pos == s->from && end))
			continue;
		if (pos < s->to || (end && pos == s->to)) {
			*fixed = &s->at;
			return 0;
		}
		pos = pos - s->to + s->from + s->was;
	}
	return pos;
}

struct span parse_place(const struct parse_in *in, size_t from, size_t to)
{
	if (in->at)
		return *in->at;
	from = MIN(from, in->len);
	to = MIN(to, in->len);
	if (in->map) {
		from = in->map[from];
		to = in->map[to];
	}
	return (struct span){ from, MAX(from, to) };
}

struct span reader_span(const struct reader *r, size_t from, size_t to)
{
	const struct span *a = NULL, *b = NULL;
	struct span place;

	if (r->in->at)
		return *r->in->at;
	from = unsplice(r, from, false, &a);
	to = unsplice(r, to, true, &b);
	place = parse_place(r->in, from, to);
	return (struct span){ a ? a->from : place.from, b ? b->to : MAX(place.to, a ? a->to : place.from) };
}

int reader_peek(const struct reader *r, size_t ahead)
{
	return r->pos + ahead < r->end ? (unsigned char)r->text[r->pos + ahead] : -1;
}

static bool continuation(const struct reader *r)
{
	return reader_peek(r, 0) == '\\' && reader_peek(r, 1) == '\n';
}

/* Blanks are what bash's lexer takes for one: space and tab, whatever the locale says. */
void reader_blanks(struct reader *r)
{
	for (;;) {
		int c = reader_peek(r, 0);

		if (c == ' ' || c == '\t')
			r->pos++;
		else if (continuation(r))
			r->pos += 2;
		else
			break;
	}
	if (reader_peek(r, 0) == '#') {
		const char *nl = memchr(r->text + r->pos, '\n', r->end - r->pos);

		r->pos = nl ? (size_t)(nl - r->text) : r->end;
	}
}

bool reader_enter(struct reader *r)
{
	if (r->depth >= PARSE_DEPTH) {
		reader_fail(r, r->pos, false, "nested deeper than %d levels", PARSE_DEPTH);
		return false;
	}
	r->depth++;
	return !r->failed;
}

void reader_leave(struct reader *r)
{
	r->depth--;
}

bool reader_is_meta(int c)
{
	return c == -1 || c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' ||
	       c == ')' || c == '<' || c == '>';
}

static bool is_name_start(int c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(int c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

/* ---- parts ---------------------------------------------------------------------------- */

/* A word under construction: where its parts go and how its text is read. */
struct maker {
	struct reader		*r;
	struct ast_part		**tail;
	enum reader_mode	 mode;
	bool			 quoted;
	const char		*stops;		/* characters that end it when unquoted; NULL: see mode */
	unsigned		 parens;	/* READER_REGEX */
};

static void parts(struct maker *m);

static struct ast_part *add(struct maker *m, enum part_kind kind, size_t from, size_t to)
{
	struct ast_part *p = reader_alloc(m->r, sizeof(*p));

	if (!p)
		return NULL;
	p->kind = kind;
	p->quoted = m->quoted;
	p->span = reader_span(m->r, from, to);
	*m->tail = p;
	m->tail = &p->next;
	return p;
}

static void add_text(struct maker *m, size_t from, size_t to, bool quoted)
{
	struct ast_part *p = add(m, PART_TEXT, from, to);

	if (!p)
		return;
	p->text = m->r->text + from;
	p->len = to - from;
	p->quoted = quoted;
}

static void single(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = ++r->pos;
	const char *q = memchr(r->text + from, '\'', r->end - from);

	if (!q) {
		reader_fail(r, from - 1, true, "the quote ' is not closed");
		return;
	}
	r->pos = (size_t)(q - r->text) + 1;
	add_text(m, from, r->pos - 1, true);
}

static void double_quoted(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos++;
	struct maker in = { .r = r, .tail = m->tail, .mode = READER_DOUBLE, .quoted = true, .stops = "\"" };

	if (!reader_enter(r))
		return;
	r->requoted += m->quoted && m->mode == READER_BRACE;
	parts(&in);
	if (in.tail == m->tail)		/* "" is a word, also with a continuation inside */
		add_text(&in, r->pos, r->pos, true);
	m->tail = in.tail;
	if (!r->failed && reader_peek(r, 0) != '"')
		reader_fail(r, from, true, "the quote \" is not closed");
	else if (!r->failed)
		r->pos++;
	reader_leave(r);
}

static size_t utf8_put(char *out, unsigned long cp)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 63));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 63));
		out[2] = (char)(0x80 | (cp & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | (cp >> 18 & 7));
	out[1] = (char)(0x80 | (cp >> 12 & 63));
	out[2] = (char)(0x80 | (cp >> 6 & 63));
	out[3] = (char)(0x80 | (cp & 63));
	return 4;
}

static unsigned long digits(const char *s, size_t len, size_t max, int base, size_t *used)
{
	unsigned long v = 0;
	size_t i = 0;

	for (; i < len && i < max; i++) {
		int c = tolower((unsigned char)s[i]);
		int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

		if (d >= base)
			break;
		v = v * (unsigned long)base + (unsigned long)d;
	}
	*used = i;
	return v;
}

/* One escape of $'..' at @s (after the backslash). Returns bytes written to @out (at most 4). */
static size_t ansi_escape(const char *s, size_t len, size_t *used, char *out)
{
	static const char from[] = "abeEfnrtv\\'\"?", to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	const char *p = memchr(from, s[0], sizeof(from) - 1);
	unsigned long v;
	size_t n;

	*used = 1;
	if (p) {
		out[0] = to[p - from];
		return 1;
	}
	if (s[0] >= '0' && s[0] <= '7') {
		out[0] = (char)digits(s, len, 3, 8, used);
		return 1;
	}
	if (s[0] == 'c' && len > 1) {
		*used = s[1] == '\\' && len > 2 && s[2] == '\\' ? 3 : 2;
		out[0] = (char)(s[1] == '?' ? 0x7f : toupper((unsigned char)s[1]) & 0x1f);
		return 1;
	}
	if (s[0] == 'x' || s[0] == 'u' || s[0] == 'U') {
		v = digits(s + 1, len - 1, s[0] == 'x' ? 2 : s[0] == 'u' ? 4 : 8, 16, &n);
		if (n) {
			*used = n + 1;
			if (s[0] != 'x')
				return utf8_put(out, v);
			out[0] = (char)v;
			return 1;
		}
	}
	out[0] = '\\';
	out[1] = s[0];
	return 2;
}

static size_t ansi_end(const struct reader *r, size_t from)
{
	for (size_t i = from; i < r->end; i++) {
		if (r->text[i] == '\'')
			return i;
		if (r->text[i] == '\\')
			i++;
	}
	return 0;
}

const char *parse_ansi(struct arena *a, const char *s, size_t len)
{
	char *out = arena_alloc(a, 2 * len + 4);
	size_t n = 0, used;

	for (size_t i = 0; out && i < len; i += used) {
		used = 1;
		if (s[i] == '\\' && i + 1 < len) {
			n += ansi_escape(s + i + 1, len - i - 1, &used, out + n);
			used++;
		} else {
			out[n++] = s[i];
		}
	}
	if (out)
		out[n] = '\0';
	return out;
}

/* $'...': a NUL ends the text, as in bash (up to the closing quote). */
static void ansi(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos + 2, end = ansi_end(r, from);
	struct ast_part *p;
	const char *out;

	if (!end) {
		reader_fail(r, r->pos, true, "the quote $' is not closed");
		return;
	}
	out = parse_ansi(r->arena, r->text + from, end - from);
	if (!out) {
		reader_fail(r, r->pos, false, "the line is too big to be judged");
		return;
	}
	p = add(m, PART_TEXT, r->pos, end + 1);
	if (p) {
		p->text = out;
		p->len = strlen(out);
		p->quoted = true;
	}
	if (m->quoted && strpbrk(out, "'\"}\\$`"))	/* "${x-$'..'}": bash reads once more what comes out of it */
		reader_fail(r, r->pos, false, "$'..' inside of \"${ }\" with a character that is special there");
	r->pos = r->failed ? r->end : end + 1;
}

static struct ast *nested(struct reader *r, const char *text, size_t len, const struct span *at,
			  struct parse_marks *marks)
{
	struct parse_in in = *r->in;
	struct parse_out out;

	in.text = text;
	in.len = len;
	in.at = at;
	in.depth = r->depth;
	in.marks = marks;
	parse_text(&in, &out);
	if (marks && marks->aliased && r->in->marks)
		r->in->marks->aliased = true;
	if (out.failed) {
		reader_fail(r, r->pos, false, "%s", out.gap.why);
		r->gap.span = out.gap.span;
	}
	return out.list;
}

/* Is there a backslash at @k that goes away before the text up to @end in back quotes is read? */
static bool backquote_escape(const struct maker *m, size_t k, size_t end)
{
	const char *s = m->r->text;

	return s[k] == '\\' && k + 1 < end &&
	       (s[k + 1] == '`' || s[k + 1] == '$' || s[k + 1] == '\\' || (s[k + 1] == '"' && m->quoted));
}

/* Marks of a text of its own, which stands at [@from, @to) of this one. */
static struct parse_marks *inner_marks(struct reader *r, size_t from, size_t to)
{
	struct parse_marks *outer = r->in->marks, *m = outer ? reader_alloc(r, sizeof(*m)) : NULL;

	if (!m)
		return NULL;
	reader_mark(r, from, to, PARSE_MARK_INNER);
	m->next = outer->inner;
	outer->inner = m;
	return m;
}

/* Between back quotes a backslash before $ ` \ (and " when quoted) is taken away first. */
static void backquoted(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos, i = from + 1, n = 0;
	struct ast_part *p;
	struct span *at;
	char *text;

	while (i < r->end && r->text[i] != '`')
		i += r->text[i] == '\\' ? 2 : 1;
	if (i >= r->end) {
		reader_fail(r, from, true, "the back quote is not closed");
		return;
	}
	text = reader_alloc(r, i - from);
	at = reader_alloc(r, sizeof(*at));
	p = add(m, PART_COMMAND, from, i + 1);
	if (!text || !at || !p || !reader_enter(r))
		return;
	for (size_t k = from + 1; k < i; k++) {
		k += backquote_escape(m, k, i);
		text[n++] = r->text[k];
	}
	*at = reader_span(r, from, i + 1);
	r->pos = i + 1;
	p->body = nested(r, text, n, at, inner_marks(r, from, i + 1));
	reader_leave(r);
}

/* At "(" of $( ), <( ), >( ). Here-documents that wait outside are not for the inside. */
static struct ast *parenthesis(struct reader *r)
{
	struct reader_heredoc *heredoc = r->heredoc, **tail = r->heredoc_tail;
	size_t from = r->pos++;
	bool was = r->body;
	struct ast *body;

	if (!reader_enter(r))
		return NULL;
	r->body = false;
	r->heredoc = NULL;
	r->heredoc_tail = &r->heredoc;
	body = parse_commands(r, ')');
	if (!r->failed && r->heredoc)
		reader_fail(r, from, false, "the here-document in $( ) has no body");
	else if (!r->failed && reader_peek(r, 0) != ')')
		reader_fail(r, from, true, "the parenthesis ( is not closed");
	else if (!r->failed)
		r->pos++;
	r->heredoc = heredoc;
	r->heredoc_tail = heredoc ? tail : &r->heredoc;
	r->body = was;
	reader_leave(r);
	return body;
}

/* Skip what is quoted or nested at @i so that a bracket inside does not count. */
static size_t skip_quoted(const struct reader *r, size_t i)
{
	char q = r->text[i];

	if (q == '\\')
		return i + 2;
	if (q != '\'' && q != '"' && q != '`')
		return i + 1;
	for (i++; i < r->end && r->text[i] != q; i++) {
		if (r->text[i] == '\\' && q != '\'')
			i++;
	}
	return i + 1;
}

size_t reader_arith_end(const struct reader *r, size_t from, int close)
{
	unsigned depth = 0;

	/* An index is short: looking far for each word that has a [ would cost the square of the length. */
	size_t end = close == ']' ? MIN(r->end, from + INDEX_MAX) : r->end;

	for (size_t i = from; i < end; ) {
		char c = r->text[i];

		if (close == ']' && c == '[')
			depth++;
		else if (close == ']' && c == ']' && depth-- == 0)
			return i + 1;
		else if (close == ')' && c == '(')
			depth++;
		else if (close == ')' && c == ')' && depth-- == 0)
			return i + 1 < r->end && r->text[i + 1] == ')' ? i + 2 : 0;
		i = skip_quoted(r, i);
	}
	return 0;
}

struct ast_word *reader_range(struct reader *r, enum reader_mode mode, size_t from, size_t to)
{
	struct ast_word *w = reader_alloc(r, sizeof(*w));
	struct maker m = { .r = r, .mode = mode, .quoted = true, .stops = "" };
	size_t pos = r->pos, end = r->end;
	bool was = r->body;

	if (!w || !reader_enter(r))
		return NULL;
	m.tail = &w->part;
	w->span = reader_span(r, from, to);
	r->pos = from;
	r->end = to;
	r->body = was || mode == READER_HEREDOC;
	parts(&m);
	r->body = was;
	r->end = end;
	r->pos = r->failed ? end : pos;
	if (r->failed && to < end)
		r->gap.incomplete = false;	/* the end was that of the range, not of the line */
	reader_leave(r);
	return w;
}

static void arith(struct maker *m, size_t open, size_t end, size_t close)
{
	size_t from = m->r->pos;
	struct ast_part *p = add(m, PART_ARITH, from, end);

	if (!p)
		return;
	p->expr = reader_range(m->r, READER_ARITH, from + open, end - close);
	m->r->pos = m->r->failed ? m->r->end : end;
}

static void command(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos++;
	struct ast_part *p = add(m, PART_COMMAND, from, from);

	if (!p)
		return;
	p->body = parenthesis(r);
	p->span = reader_span(r, from, r->pos);
}

static void process(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos++;
	struct ast_part *p = add(m, PART_PROCESS, from, from);

	if (!p)
		return;
	p->out = r->text[from] == '>';
	p->body = parenthesis(r);
	p->span = reader_span(r, from, r->pos);
}

static const char *special = "@*#?$!-";

/* A name goes on after a backslash at the end of the line. */
static const char *long_name(struct reader *r)
{
	size_t from = r->pos, n = 0;
	char *name;

	while (is_name(reader_peek(r, 0)) || continuation(r))
		r->pos += continuation(r) ? 2 : 1;
	name = reader_alloc(r, r->pos - from + 1);
	for (size_t i = from; name && i < r->pos; i++) {
		if (r->text[i] == '\\')
			i++;
		else
			name[n++] = r->text[i];
	}
	return name;
}

/* A parameter's name at the position; inside braces more digits are allowed. */
static const char *param_name(struct reader *r, bool braces)
{
	size_t from = r->pos;
	int c = reader_peek(r, 0);

	if (is_name_start(c)) {
		while (is_name(reader_peek(r, 0)))
			r->pos++;
		if (continuation(r)) {
			r->pos = from;
			return long_name(r);
		}
	} else if (c >= '0' && c <= '9') {
		do
			r->pos++;
		while (braces && isdigit(reader_peek(r, 0)));
	} else if (c > 0 && strchr(special, c)) {
		r->pos++;
	} else {
		return NULL;
	}
	return arena_strndup(r->arena, r->text + from, r->pos - from);
}

static struct ast_word *inner(struct reader *r, bool quoted, enum reader_mode mode, const char *stops)
{
	struct ast_word *w = reader_alloc(r, sizeof(*w));
	struct maker m = { .r = r, .mode = mode, .quoted = quoted, .stops = stops };
	size_t from = r->pos;

	if (!w || !reader_enter(r))
		return NULL;
	m.tail = &w->part;
	parts(&m);
	w->span = reader_span(r, from, r->pos);
	reader_leave(r);
	return w;
}

static const struct { const char *text; enum param_op op; bool colon; } param_ops[] = {
	/* longer ones first */
	{ ":-", PARAM_DEFAULT, true }, { ":=", PARAM_ASSIGN, true }, { ":?", PARAM_ERROR, true },
	{ ":+", PARAM_ALTERNATE, true },
	{ "-", PARAM_DEFAULT, false }, { "=", PARAM_ASSIGN, false }, { "?", PARAM_ERROR, false },
	{ "+", PARAM_ALTERNATE, false },
	{ "##", PARAM_CUT_FRONT_LONG, false }, { "#", PARAM_CUT_FRONT, false },
	{ "%%", PARAM_CUT_BACK_LONG, false }, { "%", PARAM_CUT_BACK, false },
	{ "//", PARAM_REPLACE_ALL, false }, { "/#", PARAM_REPLACE_FRONT, false },
	{ "/%", PARAM_REPLACE_BACK, false }, { "/", PARAM_REPLACE, false },
	{ "^^", PARAM_UPPER_ALL, false }, { "^", PARAM_UPPER, false },
	{ ",,", PARAM_LOWER_ALL, false }, { ",", PARAM_LOWER, false },
	{ "~~", PARAM_TOGGLE_ALL, false }, { "~", PARAM_TOGGLE, false },
	{ ":", PARAM_SLICE, false }, { "@", PARAM_TRANSFORM, false },
};

static bool at_text(const struct reader *r, const char *s)
{
	size_t n = strlen(s);

	return r->end - r->pos >= n && memcmp(r->text + r->pos, s, n) == 0;
}

static void param_index(struct reader *r, struct ast_param *q)
{
	int c = reader_peek(r, 1);

	if ((c == '@' || c == '*') && reader_peek(r, 2) == ']') {
		q->all = (char)c;
		r->pos += 3;
		return;
	}
	r->pos++;
	q->index = inner(r, false, READER_BRACE, "]");
	if (reader_peek(r, 0) == ']')
		r->pos++;
	else
		reader_fail(r, r->pos, true, "the [ of an index is not closed");
}

/* "${x-"a"b}": bash goes its own ways with quotes in quotes, but for those around all, with no backslash. */
static void requotable(struct reader *r, struct ast_param *q, bool quoted)
{
	unsigned before = r->requoted;
	size_t from = r->pos;

	q->arg = inner(r, quoted, READER_BRACE, "}");
	if (r->requoted == before)
		return;
	q->requoted = r->requoted != before + 1 || r->text[from] != '"' || r->text[r->pos - 1] != '"' ||
		      memchr(r->text + from, '\\', r->pos - from);
}

static void param_arg(struct reader *r, struct ast_param *q, bool quoted)
{
	switch (q->op) {
	case PARAM_REPLACE:
	case PARAM_REPLACE_ALL:
	case PARAM_REPLACE_FRONT:
	case PARAM_REPLACE_BACK:
		q->arg = inner(r, false, READER_BRACE, "/}");
		if (reader_peek(r, 0) == '/') {
			r->pos++;
			q->arg2 = inner(r, false, READER_BRACE, "}");
		}
		return;
	case PARAM_SLICE:
		q->arg = inner(r, true, READER_BRACE, ":}");
		if (reader_peek(r, 0) == ':') {
			r->pos++;
			q->arg2 = inner(r, true, READER_BRACE, "}");
		}
		return;
	case PARAM_TRANSFORM:
		q->transform = (char)MAX(reader_peek(r, 0), 0);
		r->pos = MIN(r->pos + 1, r->end);
		return;
	case PARAM_DEFAULT:
	case PARAM_ASSIGN:
	case PARAM_ERROR:
	case PARAM_ALTERNATE:
		requotable(r, q, quoted);
		return;
	default:
		q->arg = inner(r, false, READER_BRACE, "}");
		return;
	}
}

static void param_op(struct reader *r, struct ast_param *q, bool quoted)
{
	for (size_t i = 0; i < ARRAY_SIZE(param_ops); i++) {
		if (!at_text(r, param_ops[i].text))
			continue;
		r->pos += strlen(param_ops[i].text);
		q->op = param_ops[i].op;
		q->colon = param_ops[i].colon;
		param_arg(r, q, quoted);
		return;
	}
}

/* ${!x*} and ${!x@}: names that begin with x. */
static bool param_names(struct reader *r, struct ast_param *q)
{
	int c = reader_peek(r, 0);

	if (!q->indirect || (c != '*' && c != '@') || reader_peek(r, 1) != '}')
		return false;
	q->names = (char)c;
	r->pos++;
	return true;
}

/* "${#}" "${#-x}" ask for $#; "${#x}" and "${#-}" for a length. */
static bool param_is_length(const struct reader *r)
{
	int c = reader_peek(r, 1);

	if (reader_peek(r, 0) != '#')
		return false;
	if (is_name(c))
		return true;
	return c > 0 && strchr(special, c) && reader_peek(r, 2) == '}';
}

static void braces(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos;
	struct ast_part *p = add(m, PART_PARAM, from, from);
	struct ast_param *q = reader_alloc(r, sizeof(*q));

	if (!p || !q || !reader_enter(r))
		return;
	p->param = q;
	r->pos += 2;
	if (param_is_length(r)) {
		q->length = true;
		r->pos++;
	} else if (reader_peek(r, 0) == '!' && (is_name(reader_peek(r, 1)) ||
		   (reader_peek(r, 1) > 0 && strchr("@*#", reader_peek(r, 1)) && reader_peek(r, 2) == '}'))) {
		q->indirect = true;
		r->pos++;
	}
	q->name = param_name(r, true);
	if (q->name && is_name_start((unsigned char)q->name[0]) && reader_peek(r, 0) == '[')
		param_index(r, q);
	if (q->name && !param_names(r, q))
		param_op(r, q, m->quoted);
	if (!r->failed && (!q->name || reader_peek(r, 0) != '}'))
		reader_fail(r, from, r->pos >= r->end, r->pos >= r->end ? "the brace ${ is not closed" :
			    "bash would not understand this ${ }");
	else if (!r->failed)
		r->pos++;
	p->span = reader_span(r, from, r->pos);
	reader_leave(r);
}

static void plain_param(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos++;
	struct ast_part *p;
	struct ast_param *q;
	const char *name = param_name(r, false);
	int c = reader_peek(r, 0);

	/* "$$(": for one who looks for the end of the quotes it is $( ), for one who expands it is not */
	if (name && *name == '$' && (c == '(' || c == '{') && m->quoted)
		reader_fail(r, from, false, "$$%c in quotes is read in two ways", c);
	if (!name) {
		add_text(m, from, r->pos, m->quoted);
		return;
	}
	p = add(m, PART_PARAM, from, r->pos);
	q = reader_alloc(r, sizeof(*q));
	if (p && q) {
		q->name = name;
		q->bare = true;
		p->param = q;
	}
}

static void dollar(struct maker *m)
{
	struct reader *r = m->r;
	int c = reader_peek(r, 1);
	size_t end;

	if (c == '\\' && reader_peek(r, 2) == '\n')	/* bash reads on behind it: $( and ${ too */
		reader_fail(r, r->pos, false, "the end of the line stands between a $ and what belongs to it");
	else if (c == '(' && reader_peek(r, 2) == '(' && (end = reader_arith_end(r, r->pos + 3, ')')))
		arith(m, 3, end, 2);
	else if (c == '(')
		command(m);
	else if (c == '[' && (end = reader_arith_end(r, r->pos + 2, ']')))
		arith(m, 2, end, 1);
	else if (c == '[')
		reader_fail(r, r->pos, r->end - r->pos <= INDEX_MAX, "the [ of arithmetic is not closed");
	else if (c == '{')
		braces(m);
	else if (c == '\'' && (!m->quoted || (m->mode == READER_BRACE && !r->body)))
		ansi(m);		/* in "${x:-$'..'}" too: shopt extquote */
	else if (c == '"' && m->mode != READER_DOUBLE && m->mode != READER_HEREDOC)
		r->pos++;		/* $"...": as "..." unless a translation is set up */
	else
		plain_param(m);
}

static bool escapes(const struct maker *m, int c)
{
	if (!m->quoted)
		return true;
	switch (m->mode) {
	case READER_HEREDOC:
		return c == '$' || c == '`' || c == '\\';
	case READER_BRACE:
		return c == '$' || c == '`' || c == '\\' || c == '"' || c == '}';
	default:
		return c == '$' || c == '`' || c == '\\' || c == '"';
	}
}

/* Returns false when the backslash is an ordinary character here. */
static bool backslash(struct maker *m)
{
	struct reader *r = m->r;
	int c = reader_peek(r, 1);

	if (c == '\n') {
		r->pos += 2;
		return true;
	}
	if (c == -1) {
		if (!m->quoted && !r->in->script)
			reader_fail(r, r->pos, true, "the backslash at the end continues the line");
		return false;
	}
	if (!escapes(m, c))
		return false;
	add_text(m, r->pos + 1, r->pos + 2, true);
	r->pos += 2;
	return true;
}

/* @(a|b) and friends: everything up to the parenthesis belongs to the word. */
static void group(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos, mark = mark_count(r);
	struct maker in = { .r = r, .tail = m->tail, .mode = READER_GROUP, .quoted = m->quoted, .stops = ")" };

	if (!reader_enter(r))
		return;
	reader_mark(r, from, from, PARSE_MARK_GROUP);
	add_text(m, from, from + 2, m->quoted);
	in.tail = m->tail;
	r->pos += 2;
	parts(&in);
	m->tail = in.tail;
	if (!r->failed && reader_peek(r, 0) != ')') {
		reader_fail(r, from, true, "the pattern ( is not closed");
	} else if (!r->failed) {
		add_text(m, r->pos, r->pos + 1, m->quoted);
		r->pos++;
		if (mark < mark_count(r))
			r->in->marks->mark[mark].to = (uint32_t)r->pos;
	}
	reader_leave(r);
}

static bool is_group(const struct maker *m, int c)
{
	if (m->quoted || reader_peek(m->r, 1) != '(' || c <= 0 || !strchr("?*+@!", c))
		return false;
	return m->mode == READER_WORD || m->mode == READER_GROUP || m->mode == READER_BRACE;
}

static bool ends(struct maker *m, int c)
{
	if (c == -1)
		return true;
	if (m->mode == READER_WORD)
		return reader_is_meta(c) && !((c == '<' || c == '>') && reader_peek(m->r, 1) == '(');
	if (m->mode == READER_REGEX) {
		m->parens += c == '(';
		if (c == ')' && m->parens)
			m->parens--;
		else if (c == ')')
			return true;
		return (c == ' ' || c == '\t' || c == '\n') && !m->parens;
	}
	return m->stops[0] && strchr(m->stops, c);
}

/* What is special at the position; false when the character stands for itself. */
static bool special_part(struct maker *m, int c)
{
	bool plain = m->mode == READER_DOUBLE || m->mode == READER_HEREDOC;

	switch (c) {
	case '\\':
		return backslash(m);
	case '\'':
		if (m->quoted)
			return false;
		single(m);
		return true;
	case '"':
		if (plain)
			return false;
		double_quoted(m);
		return true;
	case '`':
		backquoted(m);
		return true;
	case '$':
		dollar(m);
		return true;
	case '<':
	case '>':
		if (m->quoted || reader_peek(m->r, 1) != '(' || m->mode == READER_REGEX)
			return false;
		process(m);
		return true;
	default:
		if (!is_group(m, c))
			return false;
		group(m);
		return true;
	}
}

/* Characters that may begin something; all others are text. */
static const char maybe_special[256] = {
	['\\'] = 1, ['\''] = 1, ['"'] = 1, ['`'] = 1, ['$'] = 1, ['<'] = 1, ['>'] = 1, ['?'] = 1, ['*'] = 1,
	['+'] = 1, ['@'] = 1, ['!'] = 1,
};

static bool is_slice(const struct reader *r, const struct ast_part *p)
{
	return p->kind == PART_TEXT && p->text >= r->text && p->text + p->len <= r->text + r->end;
}

/* Is there nothing but continuations from @end in the line to the text of @q? */
static bool is_continued(const struct reader *r, const char *end, const struct ast_part *q)
{
	if (!is_slice(r, q) || end >= q->text)
		return false;
	while (end + 1 < q->text && end[0] == '\\' && end[1] == '\n')
		end += 2;
	return end == q->text;
}

static bool merge(struct reader *r, struct ast_part *p)
{
	struct ast_part *q = p->next;
	char *text = reader_alloc(r, p->len + q->len + 1);

	if (!text)
		return false;
	memcpy(text, p->text, p->len);
	memcpy(text + p->len, q->text, q->len);
	p->text = text;
	p->len += q->len;
	p->next = q->next;
	return true;
}

/* What a continuation cut is one text: a tilde, a brace or a pattern may go on behind it. */
static void rejoin(struct maker *m, struct ast_part **first)
{
	struct reader *r = m->r;

	for (struct ast_part *p = *first; p; p = p->next) {
		const char *end = is_slice(r, p) ? p->text + p->len : NULL;

		while (end && p->next && p->quoted == p->next->quoted && is_continued(r, end, p->next)) {
			end = p->next->text + p->next->len;
			if (!merge(r, p))
				return;
		}
		m->tail = &p->next;
	}
}

static void parts(struct maker *m)
{
	struct reader *r = m->r;
	size_t from = r->pos;
	struct ast_part **first = m->tail;
	bool cut = false;

	while (!r->failed && !ends(m, reader_peek(r, 0))) {
		int c = reader_peek(r, 0);
		size_t at = r->pos;
		struct ast_part **tail = m->tail, *old;

		if (!maybe_special[c & 0xff]) {
			r->pos++;
			continue;
		}
		/* The text before must come first, but only once it is known that something follows. */
		if (from < at)
			add_text(m, from, at, m->quoted);
		old = *tail;
		cut |= c == '\\' && continuation(r);
		if (special_part(m, c)) {
			from = r->pos;
			continue;
		}
		if (from < at && old && !r->failed) {	/* it stood for itself: one text again */
			*tail = NULL;
			m->tail = tail;
		}
		r->pos = r->failed ? r->end : at + 1;
	}
	if (from < r->pos && !r->failed)
		add_text(m, from, r->pos, m->quoted);
	if (cut && !r->failed)
		rejoin(m, first);
}

struct ast_word *reader_marked_word(struct reader *r, enum parse_mark_kind kind)
{
	struct maker m = { .r = r, .mode = READER_WORD };

	if (!ends(&m, reader_peek(r, 0)))
		reader_mark(r, r->pos, 0, kind);
	return reader_word(r, READER_WORD);
}

struct ast_word *reader_word(struct reader *r, enum reader_mode mode)
{
	struct maker m = { .r = r, .mode = mode };
	size_t from = r->pos;
	struct ast_word *w;

	if (r->failed || ends(&m, reader_peek(r, 0)))
		return NULL;
	w = reader_alloc(r, sizeof(*w));
	if (!w)
		return NULL;
	m.tail = &w->part;
	m.parens = 0;
	parts(&m);
	w->span = reader_span(r, from, r->pos);
	return r->failed ? NULL : w;
}

/* ---- assignments ---------------------------------------------------------------------- */

size_t reader_assign_len(const struct reader *r)
{
	size_t i = r->pos;

	if (i >= r->end || !is_name_start((unsigned char)r->text[i]))
		return 0;
	while (i < r->end && is_name((unsigned char)r->text[i]))
		i++;
	if (i < r->end && r->text[i] == '[') {
		i = reader_arith_end(r, i + 1, ']');
		if (!i)
			return 0;
	}
	if (i < r->end && r->text[i] == '+')
		i++;
	return i < r->end && r->text[i] == '=' ? i + 1 - r->pos : 0;
}

/* An element that begins with [ is read up to the ] that closes it, whatever stands between. */
static void check_subscript(struct reader *r)
{
	size_t from = r->pos, end;
	unsigned depth = 0;

	if (reader_peek(r, 0) != '[')
		return;
	end = reader_arith_end(r, from + 1, ']');
	if (!end) {
		reader_fail(r, from, true, "the [ of an array's element is not closed");
		return;
	}
	for (size_t i = from; i < end; i = skip_quoted(r, i)) {
		bool inside = depth || r->text[i] == '(';	/* $( ) and $(( )) are read as ever */

		depth += r->text[i] == '(';
		depth -= depth && r->text[i] == ')';
		if (!inside && reader_is_meta((unsigned char)r->text[i])) {
			reader_fail(r, from, false, "an array's element that begins with [ has blanks inside");
			return;
		}
	}
}

static struct ast_word *array_elements(struct reader *r)
{
	struct ast_word *first = NULL, **tail = &first;
	size_t from = r->pos++;

	for (;;) {
		struct ast_word *w;

		reader_blanks(r);
		if (reader_peek(r, 0) == '\n') {
			r->pos++;
			reader_heredocs(r);
			continue;
		}
		check_subscript(r);
		w = reader_word(r, READER_WORD);
		if (!w)
			break;
		*tail = w;
		tail = &w->next;
	}
	if (reader_peek(r, 0) == ')')
		r->pos++;
	else
		reader_fail(r, from, r->pos >= r->end, "the ( of an array is not closed");
	if (!r->failed && !reader_is_meta(reader_peek(r, 0)))	/* then it is no array, but a part of a longer word */
		reader_fail(r, r->pos, false, "text right behind the ) of an array");
	return first;
}

struct ast_assign *reader_assign(struct reader *r)
{
	size_t len = reader_assign_len(r), from = r->pos, name = from;
	struct ast_assign *a = reader_alloc(r, sizeof(*a));

	if (!a || !reader_enter(r))
		return NULL;
	while (is_name((unsigned char)r->text[name]))
		name++;
	a->name = arena_strndup(r->arena, r->text + from, name - from);
	a->append = r->text[from + len - 2] == '+';
	if (r->text[name] == '[') {
		r->pos = name + 1;
		a->index = inner(r, false, READER_BRACE, "]");
	}
	if (!r->failed)
		r->pos = from + len;
	if (reader_peek(r, 0) == '(' && !a->index) {
		a->array = true;
		a->value = array_elements(r);
	} else {
		a->value = reader_word(r, READER_WORD);
	}
	a->span = reader_span(r, from, r->pos);
	reader_leave(r);
	return a;
}

/* ---- here-documents ------------------------------------------------------------------- */

static bool is_delimiter(const struct reader_heredoc *h, const char *line, size_t len)
{
	while (h->strip && len && *line == '\t') {
		line++;
		len--;
	}
	return len == h->delim_len && memcmp(line, h->delim, len) == 0;
}

/* The marks from the @first one on count in the text without tabs: back to the line's. */
static void stripped_marks(struct reader *r, size_t first, size_t from, size_t to)
{
	struct parse_marks *marks = r->in->marks;
	uint32_t *place = marks && first < marks->n ? reader_alloc(r, (to - from + 2) * sizeof(*place)) : NULL;
	bool start = true;
	size_t n = 0;

	if (!place)
		return;
	for (size_t i = from; i < to; i++) {
		if (start && r->text[i] == '\t')
			continue;
		place[n++] = (uint32_t)i;
		start = r->text[i] == '\n';
	}
	place[n] = (uint32_t)to;
	for (; first < marks->n; first++) {
		struct parse_mark *m = &marks->mark[first];

		m->at = place[m->at];
		m->to = m->to ? place[m->to] : 0;
	}
}

/* <<-: leading tabs go away. The text moves to the arena, so spans are those of the whole. */
static struct ast_word *stripped(struct reader *r, size_t from, size_t to, bool raw)
{
	char *out = reader_alloc(r, to - from + 1);
	struct reader sub = *r;
	struct parse_in in = *r->in;
	struct span at = reader_span(r, from, to);
	struct ast_word *w;
	bool start = true;
	size_t n = 0, first = mark_count(r);

	if (!out)
		return NULL;
	for (size_t i = from; i < to; i++) {
		if (start && r->text[i] == '\t')
			continue;
		start = r->text[i] == '\n';
		out[n++] = r->text[i];
	}
	in.at = &at;
	sub.in = &in;
	sub.text = out;
	sub.pos = 0;
	sub.end = n + 1;	/* a byte more than the range: its end is not the end of the line */
	w = raw ? NULL : reader_range(&sub, READER_HEREDOC, 0, n);
	stripped_marks(r, first, from, to);
	if (raw) {
		struct maker m = { .r = &sub };

		w = reader_alloc(&sub, sizeof(*w));
		m.tail = w ? &w->part : NULL;
		if (w)
			add_text(&m, 0, n, true);
	}
	if (sub.failed) {
		r->failed = true;
		r->gap = sub.gap;
		r->pos = r->end;
	}
	return w;
}

static struct ast_word *body(struct reader *r, const struct reader_heredoc *h, size_t from, size_t to)
{
	struct ast_word *w;
	struct maker m = { .r = r };

	if (h->strip)
		return stripped(r, from, to, h->redir->raw);
	if (!h->redir->raw)
		return reader_range(r, READER_HEREDOC, from, to);
	w = reader_alloc(r, sizeof(*w));
	if (!w)
		return NULL;
	m.tail = &w->part;
	w->span = reader_span(r, from, to);
	add_text(&m, from, to, true);
	return w;
}

static void heredoc(struct reader *r, const struct reader_heredoc *h)
{
	size_t from = r->pos, at = from;

	while (at < r->end) {
		const char *nl = memchr(r->text + at, '\n', r->end - at);
		size_t to = nl ? (size_t)(nl - r->text) : r->end;

		if (is_delimiter(h, r->text + at, to - at)) {
			reader_mark(r, from, to, PARSE_MARK_BODY);
			h->redir->target = body(r, h, from, at);
			if (!r->failed)
				r->pos = nl ? to + 1 : to;
			return;
		}
		at = nl ? to + 1 : r->end;
	}
	if (!r->in->script) {
		reader_fail(r, from, true, "the here-document is not ended");
		return;
	}
	reader_mark(r, from, r->end, PARSE_MARK_BODY);
	h->redir->target = body(r, h, from, r->end);
	r->pos = r->end;
}

void reader_heredocs(struct reader *r)
{
	struct reader_heredoc *h = r->heredoc;

	r->heredoc = NULL;
	r->heredoc_tail = &r->heredoc;
	for (; h && !r->failed; h = h->next)
		heredoc(r, h);
}

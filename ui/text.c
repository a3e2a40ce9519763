#include "ui/text.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"

#define BYTES_MAX	(4u << 20)
#define ESCAPE_MAX	10	/* columns of the longest escape of one character, \U000e0041 */

const struct text_look text_code = { .style = STYLE_CODE, .escape = STYLE_ESCAPE };

void text_init(struct text *t)
{
	*t = (struct text){ 0 };
	buf_init(&t->bytes, BYTES_MAX);
}

void text_done(struct text *t)
{
	buf_done(&t->bytes);
	free(t->g);
	*t = (struct text){ 0 };
}

static struct glyph *push(struct text *t, const char *s, size_t len, int width, enum style style)
{
	struct glyph *g;

	if (buf_add(&t->bytes, s, len) < 0)
		return NULL;
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->g = xrealloc(t->g, t->cap, sizeof(*t->g));
	}
	g = &t->g[t->n++];
	*g = (struct glyph){ .off = (uint32_t)(t->bytes.len - len), .len = (uint8_t)len,
			     .width = (uint8_t)width, .style = (uint8_t)style };
	return g;
}

/* One character. What has no width of its own joins the glyph before it; a control never gets here
 * from quote, and from nobody else either: it is shown as "?". */
static struct glyph *push_char(struct text *t, const char *s, size_t len, uint32_t cp, enum style style)
{
	int width = quote_width(cp);
	struct glyph *last = t->n ? &t->g[t->n - 1] : NULL;

	if (cp == 0xFFFFFFFF || width < 0)
		return push(t, "?", 1, 1, style);
	if (width > 0)
		return push(t, s, len, width, style);
	if (!last || last->len + len > 32 || buf_add(&t->bytes, s, len) < 0)
		return push(t, "?", 1, 1, style);
	last->len = (uint8_t)(last->len + len);
	return last;
}

static void push_plain(struct text *t, enum style style, const char *s, size_t len)
{
	while (len) {
		uint32_t cp;
		size_t n = quote_utf8(s, len, &cp);

		push_char(t, s, n, cp, style);
		s += n;
		len -= n;
	}
}

void text_add(struct text *t, enum style style, const char *s)
{
	push_plain(t, style, s, strlen(s));
}

void text_addf(struct text *t, enum style style, const char *fmt, ...)
{
	char s[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	text_add(t, style, s);
}

static enum style pick(const struct text_look *look, size_t src, bool escape)
{
	bool blame = src >= look->from && src < look->to;

	if (escape)
		return blame ? look->blame_escape : look->escape;
	return blame ? look->blame : look->style;
}

/* Between two escapes the output is a copy of the input, so its place there is known from its end. */
static void add_copy(struct text *t, const struct text_look *look, const char *s, size_t len, size_t src)
{
	for (size_t i = 0; i < len; ) {
		uint32_t cp;
		size_t n = quote_utf8(s + i, len - i, &cp);

		push_char(t, s + i, n, cp, pick(look, src + i, false));
		i += n;
	}
}

static void add_escape(struct text *t, const struct text_look *look, const char *s, size_t len, size_t src,
		       bool newline)
{
	enum style style = pick(look, src, true);
	struct glyph *g;

	if (len > ESCAPE_MAX) {		/* the notice of a cut: may be wrapped */
		push_plain(t, style, s, len);
		return;
	}
	g = push(t, s, len, (int)len, style);
	if (g && newline)
		g->brk = true;
}

void text_quote(struct text *t, const struct text_look *look, const char *s, size_t len)
{
	struct quoted q;
	size_t at = 0;

	quote_text(&q, s, len, 0);
	t->odd |= q.what;
	t->cut += q.cut;
	for (size_t i = 0; i <= q.nspan; i++) {
		size_t from = i < q.nspan ? q.span[i].from : q.text.len;
		size_t src = i < q.nspan ? q.span[i].src : len;

		add_copy(t, look, buf_str(&q.text) + at, from - at, src - (from - at));
		if (i == q.nspan)
			break;
		at = q.span[i].to;
		add_escape(t, look, buf_str(&q.text) + from, at - from, src,
			   look->lines && src < len && s[src] == '\n');
	}
	quoted_done(&q);
}

void text_quote_str(struct text *t, enum style style, const char *s)
{
	struct text_look look = { .style = style, .escape = STYLE_ESCAPE };

	if (s)
		text_quote(t, &look, s, strlen(s));
}

size_t text_width(const struct text *t, size_t from, size_t to)
{
	size_t w = 0;

	for (size_t i = from; i < to && i < t->n; i++)
		w += t->g[i].width;
	return w;
}

static bool is_blank(const struct text *t, size_t i)
{
	return t->g[i].len == 1 && t->bytes.data[t->g[i].off] == ' ';
}

size_t text_wrap(const struct text *t, size_t from, int width)
{
	size_t i = from, gap = from;
	int w = 0, gap_w = 0;

	while (i < t->n && w + t->g[i].width <= width) {
		w += t->g[i].width;
		if (t->g[i++].brk)
			return i;
		if (is_blank(t, i - 1)) {
			gap = i;
			gap_w = w;
		}
	}
	if (i < t->n && 2 * gap_w > width && !is_blank(t, i))
		return gap;
	return i > from || i == t->n ? i : from + 1;	/* a glyph wider than the row: drawn cut */
}

size_t text_next(const struct text *t, size_t at, bool prose)
{
	while (prose && at < t->n && is_blank(t, at))
		at++;
	return at;
}

size_t text_rows(const struct text *t, int width, bool prose)
{
	size_t rows = 0;

	for (size_t i = 0; i < t->n; rows++)
		i = text_next(t, text_wrap(t, i, width), prose);
	return rows;
}

size_t text_tail(const struct text *t, size_t from, int width)
{
	size_t i = t->n;
	int w = 0;

	while (i > from && w + t->g[i - 1].width <= width)
		w += t->g[--i].width;
	return i;
}

size_t text_head(const struct text *t, size_t to, int width)
{
	size_t i = 0;
	int w = 0;

	while (i < to && i < t->n && w + t->g[i].width <= width)
		w += t->g[i++].width;
	return i;
}

#include "term/sgr.h"

#define UL(n) ((n) << CELL_UNDERLINE_SHIFT)

/* Parameters that only set and clear bits. */
static const struct { uint16_t off, on; } bits[108] = {
	[1] = { 0, CELL_BOLD }, [2] = { 0, CELL_DIM }, [3] = { 0, CELL_ITALIC },
	[4] = { CELL_UNDERLINE, UL(1) }, [5] = { 0, CELL_BLINK }, [6] = { 0, CELL_BLINK },
	[7] = { 0, CELL_REVERSE }, [8] = { 0, CELL_CONCEAL }, [9] = { 0, CELL_STRIKE },
	[21] = { CELL_UNDERLINE, UL(2) }, [22] = { CELL_BOLD | CELL_DIM, 0 }, [23] = { CELL_ITALIC, 0 },
	[24] = { CELL_UNDERLINE, 0 }, [25] = { CELL_BLINK, 0 }, [27] = { CELL_REVERSE, 0 },
	[28] = { CELL_CONCEAL, 0 }, [29] = { CELL_STRIKE, 0 }, [53] = { 0, CELL_OVERLINE },
	[55] = { CELL_OVERLINE, 0 },
};

static int byte_of(int v)
{
	return v < 0 ? 0 : v;	/* an empty part is 0 */
}

/* A colour from @n parts after the 38, 48 or 58. Returns the parts it took, 0 when they are no colour. One that
 * is cut short takes all: its numbers are no attributes. */
static unsigned colour(const int *v, unsigned n, uint32_t *out)
{
	if (n >= 2 && v[0] == 5) {
		if (byte_of(v[1]) < 256)
			*out = COLOR_INDEX(byte_of(v[1]));
		return 2;
	}
	if (n >= 4 && v[0] == 2) {
		if (byte_of(v[1]) < 256 && byte_of(v[2]) < 256 && byte_of(v[3]) < 256)
			*out = COLOR_RGB(byte_of(v[1]), byte_of(v[2]), byte_of(v[3]));
		return 4;
	}
	return n && (v[0] == 5 || v[0] == 2) ? n : 0;
}

static uint32_t *colour_slot(struct cell *pen, int code)
{
	return code == 38 ? &pen->fg : code == 48 ? &pen->bg : &pen->ul;
}

/* 38:2:r:g:b, 38:2:space:r:g:b, 38:5:n: @n parts after the first. */
static void colour_colon(struct cell *pen, const struct seq *s, unsigned at, unsigned n)
{
	int v[4];

	if (s->param[at + 1] == 2 && n >= 5) {
		v[0] = 2;
		for (unsigned i = 1; i < 4; i++)
			v[i] = s->param[at + 2 + i];
		colour(v, 4, colour_slot(pen, s->param[at]));
	} else {
		colour(s->param + at + 1, n, colour_slot(pen, s->param[at]));
	}
}

static void with_parts(struct cell *pen, const struct seq *s, unsigned at, unsigned n)
{
	int code = s->param[at], style = s->param[at + 1];

	if (code == 38 || code == 48 || code == 58)
		colour_colon(pen, s, at, n);
	else if (code == 4 && style <= 5)
		pen->attr = (uint16_t)((pen->attr & ~CELL_UNDERLINE) | UL(byte_of(style)));
}

static void reset(struct cell *pen)
{
	pen->fg = pen->bg = pen->ul = COLOR_DEFAULT;
	pen->attr &= CELL_PROTECTED;
}

static void plain(struct cell *pen, int code)
{
	if (code <= 0)
		reset(pen);
	else if (code >= 30 && code <= 37)
		pen->fg = COLOR_INDEX(code - 30);
	else if (code >= 90 && code <= 97)
		pen->fg = COLOR_INDEX(code - 90 + 8);
	else if (code >= 40 && code <= 47)
		pen->bg = COLOR_INDEX(code - 40);
	else if (code >= 100 && code <= 107)
		pen->bg = COLOR_INDEX(code - 100 + 8);
	else if (code == 39)
		pen->fg = COLOR_DEFAULT;
	else if (code == 49)
		pen->bg = COLOR_DEFAULT;
	else if (code == 59)
		pen->ul = COLOR_DEFAULT;
	else if ((size_t)code < ARRAY_SIZE(bits))
		pen->attr = (uint16_t)((pen->attr & ~bits[code].off) | bits[code].on);
}

void sgr_apply(struct cell *pen, const struct seq *s)
{
	if (!s->nparam)
		reset(pen);
	for (unsigned i = 0; i < s->nparam;) {
		int code = s->param[i];
		unsigned n = 1;

		while (i + n < s->nparam && s->sub[i + n])
			n++;
		if (n > 1)
			with_parts(pen, s, i, n - 1);
		else if (code == 38 || code == 48 || code == 58)
			n += colour(s->param + i + 1, s->nparam - i - 1, colour_slot(pen, code));
		else
			plain(pen, code);
		i += n;
	}
}

static void write_colour(struct buf *out, uint32_t c, int code)
{
	if (c >> 24 == 1)
		buf_addf(out, ";%d:5:%u", code, c & 0xff);
	else if (c >> 24 == 2)
		buf_addf(out, ";%d:2::%u:%u:%u", code, c >> 16 & 0xff, c >> 8 & 0xff, c & 0xff);
}

void sgr_write(const struct cell *pen, struct buf *out)
{
	unsigned style = (pen->attr & CELL_UNDERLINE) >> CELL_UNDERLINE_SHIFT;

	buf_adds(out, "0");
	for (int i = 1; i < 54; i++) {
		if (bits[i].on && !bits[i].off && i != 6 && (pen->attr & bits[i].on))
			buf_addf(out, ";%d", i);
	}
	if (style == 1)
		buf_adds(out, ";4");
	else if (style)
		buf_addf(out, ";4:%u", style);
	write_colour(out, pen->fg, 38);
	write_colour(out, pen->bg, 48);
	write_colour(out, pen->ul, 58);
}

/* tests/eyes.h - a second terminal model that looks at what was drawn
 *
 * libvterm's own screen layer, which shares nothing with the code under test, plus a strict
 * reader of the byte stream: whatever is not on its short list of sequences counts as foreign.
 */
#ifndef TESTS_EYES_H
#define TESTS_EYES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "base/buf.h"
#include "term/seq.h"

struct eyes {
	VTerm			*vt;
	VTermScreen		*screen;
	int			 rows, cols, row, col;
	bool			 cursor, alt, mouse;
	unsigned		 last_scrolled;	/* the last row went up: nobody may do that */
	unsigned		 foreign;	/* sequences that nobody should send */
	unsigned		 calls;
	struct seq_parser	*seq;
	struct buf		 raw;		/* of the last calls, cleared by eyes_forget() */
};

static int eyes_cursor(VTermPos pos, VTermPos old, int visible, void *arg)
{
	struct eyes *e = arg;

	(void)old;
	(void)visible;
	e->row = pos.row;
	e->col = pos.col;
	return 1;
}

static int eyes_prop(VTermProp prop, VTermValue *val, void *arg)
{
	struct eyes *e = arg;

	if (prop == VTERM_PROP_CURSORVISIBLE)
		e->cursor = val->boolean;
	if (prop == VTERM_PROP_ALTSCREEN)
		e->alt = val->boolean;
	if (prop == VTERM_PROP_MOUSE)
		e->mouse = val->number != 0;
	return 1;
}

static int eyes_moved(VTermRect dest, VTermRect src, void *arg)
{
	struct eyes *e = arg;

	(void)dest;
	e->last_scrolled += src.end_row == e->rows;
	return 1;
}

static void eyes_seq(void *arg, const struct seq *s)
{
	struct eyes *e = arg;
	bool good = false;

	switch (s->kind) {
	case SEQ_TEXT:	good = true; break;
	case SEQ_CTRL:	good = s->final == '\r' || s->final == '\n'; break;
	case SEQ_CSI:	good = strchr("mHJKhlCqur", s->final) && s->nparam < 8; break;
	case SEQ_OSC:	good = s->len >= 3 && strncmp(s->text, "8;;", 3) == 0; break;
	default:	break;
	}
	e->foreign += !good;
}

static inline struct eyes *eyes_new(int rows, int cols)
{
	static const VTermScreenCallbacks cb = {
		.movecursor = eyes_cursor, .settermprop = eyes_prop, .moverect = eyes_moved,
	};
	struct eyes *e = xcalloc(1, sizeof(*e));

	*e = (struct eyes){ .vt = vterm_new(rows, cols), .rows = rows, .cols = cols, .cursor = true };
	vterm_set_utf8(e->vt, 1);
	e->screen = vterm_obtain_screen(e->vt);
	vterm_screen_set_callbacks(e->screen, &cb, e);
	vterm_screen_enable_altscreen(e->screen, 1);
	vterm_screen_reset(e->screen, 1);
	e->seq = seq_new(eyes_seq, e);
	buf_init(&e->raw, 64u << 20);
	return e;
}

static inline void eyes_free(struct eyes *e)
{
	vterm_free(e->vt);
	seq_free(e->seq);
	buf_done(&e->raw);
	free(e);
}

static inline void eyes_resize(struct eyes *e, int rows, int cols)
{
	e->rows = rows;
	e->cols = cols;
	vterm_set_size(e->vt, rows, cols);
}

static inline void eyes_see(struct eyes *e, const char *data, size_t len)
{
	e->calls++;
	buf_add(&e->raw, data, len);
	seq_feed(e->seq, data, len);
	vterm_input_write(e->vt, data, len);
}

static inline void eyes_out(void *arg, const char *data, size_t len)
{
	eyes_see(arg, data, len);
}

static inline void eyes_forget(struct eyes *e)
{
	buf_clear(&e->raw);
	e->calls = 0;
}

static inline VTermScreenCell eyes_cell(const struct eyes *e, int row, int col)
{
	VTermScreenCell c;

	memset(&c, 0, sizeof(c));
	vterm_screen_get_cell(e->screen, (VTermPos){ .row = row, .col = col }, &c);
	return c;
}

/* The text of a row as ASCII, "?" for everything else, trailing blanks cut; good until the next call. */
static inline const char *eyes_row(const struct eyes *e, int row)
{
	static char s[1024];
	int n = 0;

	for (int c = 0; c < e->cols && n < (int)sizeof(s) - 1; c++) {
		VTermScreenCell cell = eyes_cell(e, row, c);

		if (cell.chars[0] == (uint32_t)-1)
			continue;
		s[n++] = !cell.chars[0] ? ' ' : cell.chars[0] < 127 ? (char)cell.chars[0] : '?';
	}
	while (n && s[n - 1] == ' ')
		n--;
	s[n] = '\0';
	return s;
}

/* First row that has the text; -1: none. */
static inline int eyes_find(const struct eyes *e, const char *text)
{
	for (int r = 0; r < e->rows; r++) {
		if (strstr(eyes_row(e, r), text))
			return r;
	}
	return -1;
}

/* All of the screen as one text, rows joined without breaks: what was wrapped can be searched. */
static inline bool eyes_has_wrapped(const struct eyes *e, const char *text)
{
	struct buf b;
	bool found;

	buf_init(&b, 1u << 20);
	for (int r = 0; r < e->rows; r++) {
		for (const char *s = eyes_row(e, r); *s; s++) {
			if (*s != ' ' && *s != '?')
				buf_addc(&b, *s);
		}
	}
	found = strstr(buf_str(&b), text) != NULL;
	buf_done(&b);
	return found;
}

static inline bool eyes_same_color(const VTermColor *a, const VTermColor *b)
{
	if (VTERM_COLOR_IS_DEFAULT_FG(a) || VTERM_COLOR_IS_DEFAULT_BG(a))
		return VTERM_COLOR_IS_DEFAULT_FG(b) || VTERM_COLOR_IS_DEFAULT_BG(b);
	return vterm_color_is_equal(a, b);
}

/* Do two cells look the same? The colour and weight of a letter do not matter where there is none. */
static inline bool eyes_same(const struct eyes *a, const struct eyes *b, int row, int col)
{
	VTermScreenCell x = eyes_cell(a, row, col), y = eyes_cell(b, row, col);
	bool blank, lines = x.attrs.reverse || x.attrs.underline || x.attrs.strike;

	if (x.chars[0] == (uint32_t)-1 && y.chars[0] == (uint32_t)-1)
		return true;		/* second half: the first has the looks */
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL; i++) {
		uint32_t p = x.chars[i] == ' ' && i == 0 ? 0 : x.chars[i], q = y.chars[i] == ' ' && i == 0 ? 0 : y.chars[i];

		if (p != q)
			return false;
		if (!p)
			break;
	}
	blank = !x.chars[0] || x.chars[0] == ' ';
	if (x.width != y.width || !eyes_same_color(&x.bg, &y.bg) || x.attrs.reverse != y.attrs.reverse ||
	    x.attrs.underline != y.attrs.underline || x.attrs.strike != y.attrs.strike)
		return false;
	if (blank && !lines)
		return true;
	return eyes_same_color(&x.fg, &y.fg) && x.attrs.bold == y.attrs.bold && x.attrs.italic == y.attrs.italic &&
	       x.attrs.blink == y.attrs.blink;
}

/* Number of cells that differ; the place of the first is printed. */
static inline int eyes_differ(const struct eyes *a, const struct eyes *b)
{
	int n = 0;

	for (int r = 0; r < a->rows; r++) {
		for (int c = 0; c < a->cols; c++) {
			if (eyes_same(a, b, r, c))
				continue;
			if (!n)
				printf("# first difference at row %d column %d: U+%04X, U+%04X\n", r, c,
				       eyes_cell(a, r, c).chars[0], eyes_cell(b, r, c).chars[0]);
			n++;
		}
	}
	return n;
}

/* A small generator of our own: the same numbers on every machine. */
static inline uint32_t eyes_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

#endif /* TESTS_EYES_H */

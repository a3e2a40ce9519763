#include <stdio.h>

#include "ui/view.h"
#include "tap.h"
#include "eyes.h"

/* ---- the differ's answer equals a full redraw ----------------------------------------------------- */

static const char *const letters[] = {
	"a", "b", "c", "x", " ", " ", "", "#", "\u00e9", "e\u0301", "\u4e2d", "\u8a9e", "\u2500", "\u0416", "\u2603",
};

static const uint32_t colors[] = {
	COLOR_DEFAULT, COLOR_DEFAULT, COLOR_INDEX(1), COLOR_INDEX(7), COLOR_INDEX(9), COLOR_INDEX(15), COLOR_INDEX(100),
	COLOR_INDEX(250), COLOR_RGB(10, 200, 30), COLOR_RGB(250, 250, 250),
};

static const uint16_t attrs[] = {
	0, 0, 0, CELL_BOLD, CELL_ITALIC, CELL_REVERSE, CELL_STRIKE, CELL_BOLD | CELL_REVERSE, CELL_BLINK, CELL_DIM,
	1 << CELL_UNDERLINE_SHIFT, 3 << CELL_UNDERLINE_SHIFT, CELL_CONCEAL, CELL_OVERLINE | CELL_BOLD,
};

#define PICK(a, seed)	(a)[eyes_random(seed) % ARRAY_SIZE(a)]

struct model {
	struct view	*view;
	struct cell	*cells;		/* in terms of ->view */
	struct eyes	*eyes;
	bool		*all;		/* every row is dirty */
	int		 rows, cols;
};

static void model_init(struct model *m, int rows, int cols, const char *term, const char *colorterm)
{
	struct outer_caps caps;

	*m = (struct model){ .view = view_new(rows, cols), .rows = rows, .cols = cols, .eyes = eyes_new(rows, cols),
			     .cells = xcalloc((size_t)rows * (size_t)cols, sizeof(struct cell)) };
	m->all = xcalloc((size_t)rows, 1);
	memset(m->all, true, (size_t)rows);
	outer_caps_of(&caps, term, colorterm);
	view_set_caps(m->view, &caps);
}

static void model_done(struct model *m)
{
	view_free(m->view);
	eyes_free(m->eyes);
	free(m->cells);
	free(m->all);
}

static void put(struct model *m, int row, int col, uint32_t seed)
{
	struct cell c = view_from_text(m->view, PICK(letters, &seed), PICK(colors, &seed), PICK(colors, &seed),
				       PICK(attrs, &seed));
	struct cell *at = &m->cells[row * m->cols + col];

	*at = c;
	if (c.attr & CELL_WIDE && col + 1 < m->cols)
		at[1] = (struct cell){ .attr = CELL_WIDE_TAIL };
}

static void move_up(struct model *m, int n)
{
	size_t row = (size_t)m->cols * sizeof(*m->cells);

	n = MIN(n, m->rows);
	memmove(m->cells, m->cells + n * m->cols, (size_t)(m->rows - n) * row);
	memset(m->cells + (m->rows - n) * m->cols, 0, (size_t)n * row);
}

static size_t draw(struct model *m, struct view *v, struct eyes *e)
{
	size_t before = e->raw.len;
	struct buf out;

	buf_init(&out, 64u << 20);
	if (view_is_stale(v))
		buf_adds(&out, "\x1b[?7l");
	view_begin(v, &out);
	view_draw(v, m->cells, m->all, MAX(m->rows - 1, 1), &out);
	view_end(v, &out);
	if (out.len)
		eyes_see(e, out.data, out.len);
	buf_done(&out);
	return e->raw.len - before;
}

/* All of it drawn on a blank terminal looks the same? Then on ours too, so that view and terminal agree again. */
static int differs_from_redraw(struct model *m)
{
	struct eyes *other = eyes_new(m->rows, m->cols);
	int n;

	view_forget(m->view);
	draw(m, m->view, other);
	n = eyes_differ(m->eyes, other);
	eyes_see(m->eyes, other->raw.data, other->raw.len);
	eyes_free(other);
	return n;
}

static const struct { int rows, cols; const char *term, *colorterm; } worlds[] = {
	{ 2, 2, "xterm-256color", NULL }, { 3, 10, "linux", NULL }, { 10, 40, "xterm-256color", "truecolor" },
	{ 24, 80, "xterm-256color", NULL }, { 24, 80, "screen", NULL }, { 5, 20, "vt100", NULL },
	{ 120, 400, "xterm-kitty", NULL },
};

static void test_random(void)
{
	for (size_t w = 0; w < ARRAY_SIZE(worlds); w++) {
		uint32_t seed = 12345 + (uint32_t)w;
		int bad = 0, rounds = worlds[w].rows > 100 ? 3 : 40;
		struct model m;

		model_init(&m, worlds[w].rows, worlds[w].cols, worlds[w].term, worlds[w].colorterm);
		for (int i = 0; i < rounds && !bad; i++) {
			int n = (int)(eyes_random(&seed) % (unsigned)(m.rows * m.cols));

			draw(&m, m.view, m.eyes);
			if (eyes_random(&seed) % 3 == 0)
				move_up(&m, 1 + (int)(eyes_random(&seed) % (unsigned)m.rows));
			for (int k = eyes_random(&seed) % 2 ? n : n / 50; k > 0; k--)
				put(&m, (int)(eyes_random(&seed) % (unsigned)m.rows),
				    (int)(eyes_random(&seed) % (unsigned)m.cols), eyes_random(&seed));
			draw(&m, m.view, m.eyes);
			bad = differs_from_redraw(&m);
		}
		is_int(bad, 0, worlds[w].term);
		is_int(m.eyes->foreign, 0, "only known sequences");
		is_int(m.eyes->last_scrolled, 0, "the last row never scrolls, though its last cell is written");
		model_done(&m);
	}
}

/* ---- few bytes --------------------------------------------------------------------------------------- */

static void fill_row(struct model *m, int row, const char *s, uint32_t fg)
{
	for (int c = 0; c < m->cols; c++) {
		char one[2] = { *s ? *s++ : ' ', '\0' };

		m->cells[row * m->cols + c] = view_from_text(m->view, one, fg, COLOR_DEFAULT, 0);
	}
}

static void test_few_bytes(void)
{
	struct model m;

	model_init(&m, 24, 80, "xterm-256color", NULL);
	for (int r = 0; r < 24; r++)
		fill_row(&m, r, "the quick brown fox", COLOR_DEFAULT);
	draw(&m, m.view, m.eyes);
	is_int(draw(&m, m.view, m.eyes), 0, "no change, no byte");
	fill_row(&m, 3, "the quick brown fix", COLOR_DEFAULT);
	is_int(draw(&m, m.view, m.eyes), strlen("\x1b[4;18Hi"), "one letter: one move, one byte");
	fill_row(&m, 3, "the", COLOR_DEFAULT);
	is_int(draw(&m, m.view, m.eyes), strlen("\x1b[4;5H\x1b[K"), "an empty end is erased");
	is_str(eyes_row(m.eyes, 3), "the", "and the rest is gone");
	fill_row(&m, 3, "the red one", COLOR_INDEX(1));
	ok(draw(&m, m.view, m.eyes) <= strlen("\x1b[4;1H\x1b[31mthe red one\x1b[m"), "one colour for the words");
	eyes_forget(m.eyes);
	m.cells[80] = view_from_text(m.view, "x", COLOR_RGB(255, 0, 0), COLOR_RGB(0, 0, 1), 0);
	draw(&m, m.view, m.eyes);
	is_str(buf_str(&m.eyes->raw), "\x1b[2;1H\x1b[38;5;196m\x1b[48;5;16mx\x1b[m", "24 bit becomes one of 256");
	model_done(&m);
}

/* A listing that scrolls by: the new line costs bytes, the others none. */
static void test_scroll(void)
{
	static const struct { const char *term; bool cheap; } terms[] = { { "xterm", true }, { "linux", true }, { "?", false } };

	for (size_t i = 0; i < ARRAY_SIZE(terms); i++) {
		struct model m;
		size_t n;

		model_init(&m, 24, 80, terms[i].term, NULL);
		for (int r = 0; r < 24; r++) {
			char s[32];

			snprintf(s, sizeof(s), "%d is the number", r * 7);
			fill_row(&m, r, s, COLOR_DEFAULT);
		}
		draw(&m, m.view, m.eyes);
		memmove(m.cells, m.cells + 2 * 80, 21 * 80 * sizeof(*m.cells));
		fill_row(&m, 21, "new", COLOR_INDEX(1));
		fill_row(&m, 22, "newer", COLOR_DEFAULT);
		n = draw(&m, m.view, m.eyes);
		is_int(n < 80, terms[i].cheap, "cheap where there are scroll regions");
		is_str(eyes_row(m.eyes, 0), "14 is the number", "moved up");
		is_str(eyes_row(m.eyes, 22), "newer", "the new row");
		is_str(eyes_row(m.eyes, 23), "161 is the number", "what is below the area stays");
		is_int(differs_from_redraw(&m), 0, "equals a full redraw");
		model_done(&m);
	}
}

/* ---- what each terminal gets -------------------------------------------------------------------------- */

static const struct { const char *term, *colorterm; uint32_t fg; uint16_t attr; const char *want; } sgr[] = {
	{ "xterm-256color", NULL, COLOR_INDEX(208), 0, "\x1b[38;5;208mx\x1b[m" },
	{ "xterm-256color", "truecolor", COLOR_RGB(1, 2, 3), 0, "\x1b[38;2;1;2;3mx\x1b[m" },
	{ "xterm-256color", NULL, 0, 3 << CELL_UNDERLINE_SHIFT, "\x1b[4mx\x1b[m" },
	{ "xterm-256color", "truecolor", 0, 3 << CELL_UNDERLINE_SHIFT, "\x1b[4:3mx\x1b[m" },
	{ "xterm-256color", NULL, 0, CELL_DIM | CELL_ITALIC | CELL_OVERLINE, "\x1b[2m\x1b[3m\x1b[53mx\x1b[m" },
	{ "xterm-256color", NULL, COLOR_INDEX(9), 0, "\x1b[91mx\x1b[m" },
	{ "screen", NULL, 0, CELL_ITALIC, "x" },
	{ "linux", NULL, COLOR_INDEX(196), CELL_STRIKE, "\x1b[91mx\x1b[m" },
	{ "linux", "truecolor", COLOR_RGB(0, 0, 230), 0, "\x1b[34mx\x1b[m" },
	{ "vt100", NULL, COLOR_INDEX(15), CELL_BOLD, "\x1b[1m\x1b[37mx\x1b[m" },
	{ NULL, NULL, 0, CELL_REVERSE, "\x1b[7mx\x1b[m" },
};

static void test_terminals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sgr); i++) {
		struct model m;

		model_init(&m, 2, 4, sgr[i].term, sgr[i].colorterm);
		draw(&m, m.view, m.eyes);
		eyes_forget(m.eyes);
		m.cells[0] = view_from_text(m.view, "x", sgr[i].fg, COLOR_DEFAULT, sgr[i].attr);
		draw(&m, m.view, m.eyes);
		is_str(buf_str(&m.eyes->raw), sgr[i].want, sgr[i].term ? sgr[i].term : "no TERM");
		model_done(&m);
	}
}

/* ---- cells of a grid ---------------------------------------------------------------------------------- */

static const struct { const char *uri; bool passed; } links[] = {
	{ "https://example.com/a?b=c", true },
	{ "http://example.com/", true },
	{ "mailto:a@example.com", true },
	{ "file:///etc/passwd", false },
	{ "vscode://open?x", false },
	{ "javascript:alert(1)", false },
};

static void test_links(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		struct grid *g = grid_new(2, 4, 0);
		struct cell c = { .cp = 'x' };
		struct model m;

		model_init(&m, 2, 4, "xterm-256color", NULL);
		draw(&m, m.view, m.eyes);
		c.link = (uint16_t)grid_add_link(g, "", 0, links[i].uri, strlen(links[i].uri));
		grid_put(g, 0, 0, &c, 1);
		m.cells[0] = view_from_grid(m.view, g, grid_line(g, 0));
		draw(&m, m.view, m.eyes);
		is_int(strstr(buf_str(&m.eyes->raw), links[i].uri) != NULL, links[i].passed, links[i].uri);
		is_int(strstr(buf_str(&m.eyes->raw), "\x1b]8;;\x1b\\") != NULL, links[i].passed, "and is closed again");
		is_int(m.eyes->foreign, 0, "nothing else");
		model_done(&m);
		grid_free(g);
	}
}

static const struct { uint32_t base, mark; const char *gone; } hidden[] = {
	{ 'a', 0x202e, "\xe2\x80\xae" }, { 'a', 0x200b, "\xe2\x80\x8b" }, { 'a', 0x2066, "\xe2\x81\xa6" },
	{ 'a', 0xe0041, "\xf3\xa0\x81\x81" }, { 0x202e, 0, "\xe2\x80\xae" }, { 0x85, 0, "\xc2\x85" },
	{ 0x1b, 0, "\x1b" }, { 0x9b, 0, "\xc2\x9b" }, { 0xd800, 0, "\xed" }, { 0x110000, 0, "\xf4\x90" },
};

static void test_hidden(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		struct grid *g = grid_new(2, 4, 0);
		struct cell c = { .cp = hidden[i].base };
		struct model m;

		model_init(&m, 2, 4, "linux", NULL);
		draw(&m, m.view, m.eyes);
		eyes_forget(m.eyes);
		grid_put(g, 0, 0, &c, 1);
		if (hidden[i].mark)
			grid_combine(g, 0, 0, hidden[i].mark);
		m.cells[0] = view_from_grid(m.view, g, grid_line(g, 0));
		draw(&m, m.view, m.eyes);
		ok(m.eyes->raw.len > 0 && !strstr(buf_str(&m.eyes->raw), hidden[i].gone), hidden[i].gone);
		model_done(&m);
		grid_free(g);
	}
}

/* More different clusters and links than the table holds: texts may be missing for a frame, never wrong. */
static void test_many_names(void)
{
	struct model m;
	int bad = 0;

	model_init(&m, 2, 4, "xterm-256color", NULL);
	for (uint32_t i = 0; i < 20000; i++) {
		char s[16];

		if (view_is_stale(m.view))
			draw(&m, m.view, m.eyes);
		snprintf(s, sizeof(s), "%c\xcd%c\xcc%c", 'a' + (int)(i % 26), 0x80 + (int)(i / 26 % 0x30),
			 0x80 + (int)(i / 1248 % 0x40));
		m.cells[0] = view_from_text(m.view, s, 0, 0, 0);
		draw(&m, m.view, m.eyes);
		bad += eyes_cell(m.eyes, 0, 0).chars[0] != (uint32_t)('a' + i % 26);
	}
	is_int(bad, 0, "the base letter is always right");
	is_int(m.eyes->foreign, 0, "only known sequences");
	model_done(&m);
}

int main(void)
{
	test_random();
	test_few_bytes();
	test_scroll();
	test_terminals();
	test_links();
	test_hidden();
	test_many_names();
	return tap_done();
}

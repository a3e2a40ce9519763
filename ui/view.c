#include "ui/view.h"

#include <string.h>

#include "base/quote.h"

#define NAMES_MAX	8192	/* clusters and links; past it the table starts anew with a full redraw */
#define LINK_MAX	2048	/* bytes of a URI that is passed on */
#define ERASE_MIN	4	/* shorter blank ends are written as spaces */
#define SCROLL_MIN	3	/* rows that a scroll must spare to be worth its bytes */

struct pen {
	uint32_t	fg, bg, ul;
	uint16_t	attr;
	uint16_t	link;
};

#define PEN_ATTRS	(CELL_BOLD | CELL_DIM | CELL_ITALIC | CELL_BLINK | CELL_REVERSE | CELL_STRIKE | \
			 CELL_OVERLINE | CELL_UNDERLINE)

struct view {
	int			 rows, cols;
	struct outer_caps	 caps;
	struct cell		*have;		/* rows x cols: what the terminal shows */
	struct cell		*want;		/* rows x cols: the frame in the making */
	uint32_t		*sum, *want_sum; /* checksum of each row */
	bool			 stale;		/* ->have is not true: clear first */
	int			 row, col;	/* cursor; -1: not known */
	struct pen		 pen;
	char			**name;		/* 1..nnames; clusters and links, owned */
	size_t			 nnames;
	uint32_t		*hash;		/* open addressing over ->name */
	uint32_t		 last_link;	/* of the grid that was read last, and ours for it */
	uint16_t		 last_link_name;
	const struct grid	*last_grid;
};

#define HASH_SIZE	(2 * NAMES_MAX)

struct view *view_new(int rows, int cols)
{
	struct view *v = xcalloc(1, sizeof(*v));

	v->name = xcalloc(NAMES_MAX + 1, sizeof(*v->name));
	v->hash = xcalloc(HASH_SIZE, sizeof(*v->hash));
	outer_caps_of(&v->caps, NULL, NULL);
	view_resize(v, rows, cols);
	return v;
}

static void forget_names(struct view *v)
{
	for (size_t i = 1; i <= v->nnames; i++)
		free(v->name[i]);
	v->nnames = 0;
	memset(v->hash, 0, HASH_SIZE * sizeof(*v->hash));
	v->last_grid = NULL;
}

static void free_rows(struct view *v)
{
	free(v->have);
	free(v->want);
	free(v->sum);
	free(v->want_sum);
}

void view_free(struct view *v)
{
	if (!v)
		return;
	forget_names(v);
	free(v->name);
	free(v->hash);
	free_rows(v);
	free(v);
}

void view_forget(struct view *v)
{
	v->stale = true;
}

void view_resize(struct view *v, int rows, int cols)
{
	size_t n;

	v->rows = MAX(rows, 1);
	v->cols = MAX(cols, 1);
	n = (size_t)v->rows * (size_t)v->cols;
	free_rows(v);
	v->have = xcalloc(n, sizeof(*v->have));
	v->want = xcalloc(n, sizeof(*v->want));
	v->sum = xcalloc((size_t)v->rows, sizeof(*v->sum));
	v->want_sum = xcalloc((size_t)v->rows, sizeof(*v->want_sum));
	view_forget(v);
}

void view_set_caps(struct view *v, const struct outer_caps *caps)
{
	v->caps = *caps;
	view_forget(v);
}

/* ---- names: the rest of a cluster, or a URI ---------------------------------------------------- */

static uint32_t hash_of(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h;
}

/* 0 when the table is full: the text is then left out, and the next frame starts with an empty table. */
static uint32_t intern(struct view *v, const char *s)
{
	uint32_t at = hash_of(s) % HASH_SIZE;

	while (v->hash[at]) {
		if (strcmp(v->name[v->hash[at]], s) == 0)
			return v->hash[at];
		at = (at + 1) % HASH_SIZE;
	}
	if (v->nnames == NAMES_MAX) {
		v->stale = true;
		return 0;
	}
	v->name[++v->nnames] = xstrdup(s);
	return v->hash[at] = (uint32_t)v->nnames;
}

/* The outer terminal opens it on the host, outside the sandbox: only what a browser or mailer takes, never
 * file: or a handler of the desktop; and no byte that could end the sequence. */
static bool link_ok(const char *uri)
{
	static const char *const scheme[] = { "https://", "http://", "mailto:" };
	size_t len = strlen(uri);

	if (len > LINK_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (uri[i] <= 0x20 || uri[i] > 0x7e)
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(scheme); i++) {
		if (strncmp(uri, scheme[i], strlen(scheme[i])) == 0)
			return true;
	}
	return false;
}

static uint16_t link_name(struct view *v, const struct grid *g, uint16_t link)
{
	const char *uri;

	if (!link || !v->caps.links)
		return 0;
	if (g == v->last_grid && link == v->last_link)
		return v->last_link_name;
	uri = grid_link(g, link);
	v->last_grid = g;
	v->last_link = link;
	v->last_link_name = uri && link_ok(uri) ? (uint16_t)intern(v, uri) : 0;
	return v->last_link_name;
}

/* ---- colours -------------------------------------------------------------------------------------- */

static const unsigned char base16[16][3] = {
	{ 0, 0, 0 }, { 205, 0, 0 }, { 0, 205, 0 }, { 205, 205, 0 }, { 0, 0, 238 }, { 205, 0, 205 },
	{ 0, 205, 205 }, { 229, 229, 229 }, { 127, 127, 127 }, { 255, 0, 0 }, { 0, 255, 0 }, { 255, 255, 0 },
	{ 92, 92, 255 }, { 255, 0, 255 }, { 0, 255, 255 }, { 255, 255, 255 },
};
static const int cube[6] = { 0, 95, 135, 175, 215, 255 };

static int square(int a)
{
	return a * a;
}

static int cube_step(int x)
{
	return x < 48 ? 0 : x < 115 ? 1 : (x - 35) / 40;
}

static uint32_t to_256(int r, int g, int b)
{
	int cr = cube_step(r), cg = cube_step(g), cb = cube_step(b);
	int grey = MIN(MAX(((r + g + b) / 3 - 3) / 10, 0), 23), level = 8 + 10 * grey;
	int dcube = square(cube[cr] - r) + square(cube[cg] - g) + square(cube[cb] - b);
	int dgrey = square(level - r) + square(level - g) + square(level - b);

	return COLOR_INDEX(dgrey < dcube ? 232 + grey : 16 + 36 * cr + 6 * cg + cb);
}

static uint32_t to_16(int r, int g, int b, int colors)
{
	int best = 0, dist = 1 << 30;

	for (int i = 0; i < colors; i++) {
		int d = square(base16[i][0] - r) + square(base16[i][1] - g) + square(base16[i][2] - b);

		if (d < dist) {
			dist = d;
			best = i;
		}
	}
	return COLOR_INDEX(best);
}

static void rgb_of_index(unsigned i, int rgb[3])
{
	for (int k = 0; k < 3; k++) {
		if (i < 16)
			rgb[k] = base16[i][k];
		else if (i >= 232)
			rgb[k] = 8 + 10 * (int)(i - 232);
		else
			rgb[k] = cube[(i - 16) / (unsigned[]){ 36, 6, 1 }[k] % 6];
	}
}

static uint32_t map_color(const struct view *v, uint32_t color)
{
	int rgb[3];

	if (color == COLOR_DEFAULT)
		return color;
	if (color >> 24 == 2) {
		rgb[0] = (int)(color >> 16 & 0xff);
		rgb[1] = (int)(color >> 8 & 0xff);
		rgb[2] = (int)(color & 0xff);
		if (v->caps.truecolor)
			return color;
		return v->caps.colors == 256 ? to_256(rgb[0], rgb[1], rgb[2]) :
					       to_16(rgb[0], rgb[1], rgb[2], v->caps.colors);
	}
	if ((int)(color & 0xff) < v->caps.colors)
		return COLOR_INDEX(color & 0xff);
	rgb_of_index(color & 0xff, rgb);
	return to_16(rgb[0], rgb[1], rgb[2], v->caps.colors);
}

/* ---- cells ------------------------------------------------------------------------------------------ */

static bool printable(uint32_t cp)
{
	return cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0) && cp <= 0x10ffff &&
	       !(cp >= 0xd800 && cp < 0xe000);
}

static bool text_ok(const char *s)
{
	size_t len = strlen(s);

	while (len) {
		uint32_t cp;
		size_t n = quote_utf8(s, len, &cp);

		if (cp == 0xFFFFFFFF || !printable(cp))
			return false;
		s += n;
		len -= n;
	}
	return true;
}

/* Joiners and variation selectors make one picture of several characters; what else cannot be seen (bidi
 * controls above all: they would reorder what stands around them) is left out. */
static bool joins(uint32_t cp)
{
	return cp == 0x200c || cp == 0x200d || (cp >= 0xfe00 && cp <= 0xfe0f);
}

static bool drawable(uint32_t cp)
{
	return printable(cp) && (joins(cp) || !quote_hidden(cp));
}

static uint32_t cluster(struct view *v, const struct grid *g, const struct cell *c)
{
	char text[64], kept[64 + 1];
	size_t len = grid_cell_text(g, c, text), out = 0, chars = 0;

	for (size_t at = 0; at < len; ) {
		uint32_t cp;
		size_t n = quote_utf8(text + at, len - at, &cp);

		if (drawable(cp)) {
			memcpy(kept + out, text + at, n);
			out += n;
			chars++;
		}
		at += n;
	}
	kept[out] = '\0';
	return chars > 1 ? intern(v, kept) : 0;
}

struct cell view_from_grid(struct view *v, const struct grid *g, const struct cell *c)
{
	struct cell out = *c;

	out.link = link_name(v, g, c->link);
	out.more = c->more && drawable(c->cp) ? cluster(v, g, c) : 0;
	if (out.cp && !drawable(out.cp))
		out.cp = 0xfffd;
	return out;
}

struct cell view_from_text(struct view *v, const char *text, uint32_t fg, uint32_t bg, uint16_t attr)
{
	struct cell out = { .fg = fg, .bg = bg, .attr = attr };
	uint32_t cp;
	size_t n;

	if (!*text || !text_ok(text))
		return out;
	n = quote_utf8(text, strlen(text), &cp);
	out.cp = cp;
	if (text[n])
		out.more = intern(v, text);
	if (quote_width(cp) == 2)
		out.attr |= CELL_WIDE;
	return out;
}

/* A blank, an unset cell and a hidden one look the same: make them the same. */
static void blank(struct cell *c)
{
	c->cp = ' ';
	c->more = 0;
	c->attr &= (uint16_t)~(CELL_WIDE | CELL_WIDE_TAIL);
}

static bool is_wide(const struct cell *c, const struct cell *next)
{
	return c && c->attr & CELL_WIDE && c->cp && !(c->attr & CELL_CONCEAL) && next && next->attr & CELL_WIDE_TAIL;
}

/* What is drawn for a cell between its neighbours, on this terminal. Half of a wide cell is a blank. */
static void normalise(const struct view *v, struct cell *c, const struct cell *next, const struct cell *prev)
{
	if (c->attr & CELL_WIDE_TAIL && is_wide(prev, c)) {
		*c = (struct cell){ .attr = CELL_WIDE_TAIL };
		return;
	}
	if (!c->cp || c->attr & (CELL_CONCEAL | CELL_WIDE_TAIL) || (c->attr & CELL_WIDE && !is_wide(c, next)))
		blank(c);
	c->attr &= v->caps.attr | CELL_WIDE;
	if (c->attr & CELL_UNDERLINE && !v->caps.styled)
		c->attr = (uint16_t)((c->attr & ~CELL_UNDERLINE) | 1 << CELL_UNDERLINE_SHIFT);
	c->fg = map_color(v, c->fg);
	c->bg = map_color(v, c->bg);
	c->ul = v->caps.styled && c->attr & CELL_UNDERLINE ? map_color(v, c->ul) : COLOR_DEFAULT;
	/* A blank shows no letter, so what only letters have makes no difference. */
	if (c->cp == ' ' && !(c->attr & (CELL_REVERSE | CELL_UNDERLINE | CELL_STRIKE | CELL_OVERLINE))) {
		c->attr = 0;
		c->fg = COLOR_DEFAULT;
	}
}

static bool same(const struct cell *a, const struct cell *b)
{
	return a->cp == b->cp && a->more == b->more && a->fg == b->fg && a->bg == b->bg && a->ul == b->ul &&
	       a->attr == b->attr && a->link == b->link;
}

/* ---- bytes ------------------------------------------------------------------------------------------ */

void view_move(struct view *v, int row, int col, struct buf *out)
{
	if (row == v->row && col == v->col)
		return;
	if (row == v->row && v->col >= 0 && col > v->col)
		buf_addf(out, col - v->col == 1 ? "\x1b[C" : "\x1b[%dC", col - v->col);
	else if (row == v->row && col == 0)
		buf_adds(out, "\r");
	else if (v->row >= 0 && row == v->row + 1 && col == 0)
		buf_adds(out, "\r\n");
	else
		buf_addf(out, "\x1b[%d;%dH", row + 1, col + 1);
	v->row = row;
	v->col = col;
}

static void color_sgr(uint32_t color, int base, struct buf *out)
{
	unsigned i = color & 0xff;

	if (color == COLOR_DEFAULT)
		buf_addf(out, "\x1b[%dm", base + 9);
	else if (color >> 24 == 2)
		buf_addf(out, "\x1b[%d;2;%u;%u;%um", base + 8, color >> 16 & 0xff, color >> 8 & 0xff, i);
	else if (i < 8)
		buf_addf(out, "\x1b[%um", (unsigned)base + i);
	else if (i < 16)
		buf_addf(out, "\x1b[%um", (unsigned)base + 52 + i);
	else
		buf_addf(out, "\x1b[%d;5;%um", base + 8, i);
}

/* With colons only: a terminal that does not know 58 would read the parts as attributes. */
static void underline_sgr(uint32_t color, struct buf *out)
{
	if (color == COLOR_DEFAULT)
		buf_adds(out, "\x1b[59m");
	else if (color >> 24 == 2)
		buf_addf(out, "\x1b[58:2::%u:%u:%um", color >> 16 & 0xff, color >> 8 & 0xff, color & 0xff);
	else
		buf_addf(out, "\x1b[58:5:%um", color & 0xff);
}

static const struct { uint16_t attr; char sgr[3]; } attr_sgr[] = {
	{ CELL_BOLD, "1" }, { CELL_DIM, "2" }, { CELL_ITALIC, "3" }, { CELL_BLINK, "5" }, { CELL_REVERSE, "7" },
	{ CELL_STRIKE, "9" }, { CELL_OVERLINE, "53" },
};

/* Short sequences, each well below the number of parameters that parsers are known to survive. */
static void attrs_sgr(uint16_t attr, struct buf *out)
{
	int style = (attr & CELL_UNDERLINE) >> CELL_UNDERLINE_SHIFT;

	for (size_t i = 0; i < ARRAY_SIZE(attr_sgr); i++) {
		if (attr & attr_sgr[i].attr)
			buf_addf(out, "\x1b[%sm", attr_sgr[i].sgr);
	}
	if (style == 1)
		buf_adds(out, "\x1b[4m");
	else if (style)
		buf_addf(out, "\x1b[4:%dm", style);
}

static void set_link(struct view *v, uint16_t link, struct buf *out)
{
	if (v->pen.link == link)
		return;
	buf_addf(out, "\x1b]8;;%s\x1b\\", link ? v->name[link] : "");
	v->pen.link = link;
}

/* A blank shows neither the colour of letters nor their shape: whatever the pen has of those may stay. */
static struct pen pen_for(const struct pen *now, const struct cell *c)
{
	if (c->cp == ' ' && !c->attr)
		return (struct pen){ .fg = now->fg, .bg = c->bg, .ul = now->ul, .link = c->link,
				     .attr = now->attr & (CELL_BOLD | CELL_DIM | CELL_ITALIC) };
	return (struct pen){ .fg = c->fg, .bg = c->bg, .ul = c->ul, .link = c->link, .attr = c->attr & PEN_ATTRS };
}

static void set_pen(struct view *v, const struct cell *c, struct buf *out)
{
	struct pen *p = &v->pen, to = pen_for(p, c);

	set_link(v, to.link, out);
	if (p->attr & ~to.attr || (p->attr & CELL_UNDERLINE && (p->attr ^ to.attr) & CELL_UNDERLINE)) {
		buf_adds(out, "\x1b[m");
		*p = (struct pen){ .link = p->link };
	}
	attrs_sgr((uint16_t)(to.attr & ~p->attr), out);
	p->attr = to.attr;
	if (p->fg != to.fg)
		color_sgr(p->fg = to.fg, 30, out);
	if (p->bg != to.bg)
		color_sgr(p->bg = to.bg, 40, out);
	if (p->ul != to.ul)
		underline_sgr(p->ul = to.ul, out);
}

static void put_utf8(uint32_t cp, struct buf *out)
{
	char s[4];
	size_t n = 0;

	if (cp < 0x80) {
		s[n++] = (char)cp;
	} else if (cp < 0x800) {
		s[n++] = (char)(0xc0 | cp >> 6);
	} else if (cp < 0x10000) {
		s[n++] = (char)(0xe0 | cp >> 12);
		s[n++] = (char)(0x80 | (cp >> 6 & 0x3f));
	} else {
		s[n++] = (char)(0xf0 | cp >> 18);
		s[n++] = (char)(0x80 | (cp >> 12 & 0x3f));
		s[n++] = (char)(0x80 | (cp >> 6 & 0x3f));
	}
	if (cp >= 0x80)
		s[n++] = (char)(0x80 | (cp & 0x3f));
	buf_add(out, s, n);
}

/* Characters that every terminal takes for one column. After any other the cursor is not trusted. */
static bool sure_width(const struct cell *c)
{
	return !c->more && (c->cp < 0x300 || (c->cp >= 0x370 && c->cp < 0x483) ||
			    (c->cp >= 0x2500 && c->cp < 0x25a0));
}

static void put_cell(struct view *v, const struct cell *c, struct buf *out)
{
	set_pen(v, c, out);
	if (c->more)
		buf_adds(out, v->name[c->more]);
	else
		put_utf8(c->cp, out);
	v->col += c->attr & CELL_WIDE ? 2 : 1;
	/* In the last column it stays, or waits to wrap: either way the next move must be absolute. */
	if (v->col >= v->cols || !sure_width(c))
		v->row = v->col = -1;
}

static bool plain_blank(const struct cell *c)
{
	static const struct cell plain = { .cp = ' ' };

	return same(c, &plain);
}

static int blank_from(const struct view *v, const struct cell *row)
{
	int c = v->cols;

	while (c > 0 && plain_blank(&row[c - 1]))
		c--;
	return c;
}

static void erase_end(struct view *v, int row, int col, struct buf *out)
{
	view_move(v, row, col, out);
	set_pen(v, &(struct cell){ .cp = ' ' }, out);
	buf_adds(out, "\x1b[K");
}

static int last_diff(const struct view *v, const struct cell *have, const struct cell *want)
{
	int c = v->cols;

	while (c > 0 && same(&have[c - 1], &want[c - 1]))
		c--;
	return c;
}

static struct cell *row_of(struct cell *cells, const struct view *v, int row)
{
	return cells + (size_t)row * (size_t)v->cols;
}

static bool draw_row(struct view *v, int row, struct buf *out)
{
	struct cell *have = row_of(v->have, v, row), *want = row_of(v->want, v, row);
	int end = last_diff(v, have, want), erase = blank_from(v, want);
	bool any = false;

	for (int c = 0; c < end; c++) {
		if (same(&have[c], &want[c]) || want[c].attr & CELL_WIDE_TAIL)
			continue;
		any = true;
		if (c >= erase && end - c >= ERASE_MIN) {
			erase_end(v, row, c, out);
			break;
		}
		view_move(v, row, c, out);
		put_cell(v, &want[c], out);
	}
	memcpy(have, want, (size_t)v->cols * sizeof(*have));
	v->sum[row] = v->want_sum[row];
	return any;
}

/* ---- scrolling -------------------------------------------------------------------------------------- */

static uint32_t checksum(const struct view *v, const struct cell *row)
{
	uint32_t h = 2166136261u;

	for (int c = 0; c < v->cols; c++) {
		h = (h ^ row[c].cp) * 16777619u;
		h = (h ^ row[c].fg ^ row[c].bg << 4 ^ row[c].ul << 8) * 16777619u;
		h = (h ^ row[c].more ^ (uint32_t)row[c].attr << 16 ^ row[c].link) * 16777619u;
	}
	return h;
}

/* Rows that a scroll by @n spares to write. Equal checksums only choose the way: what they miss is drawn. */
static int spared(const struct view *v, int n, int area)
{
	int rows = 0;

	for (int r = 0; r + n < area; r++) {
		rows += v->want_sum[r] == v->sum[r + n] && v->want_sum[r] != v->sum[r];
		rows -= v->want_sum[r] == v->sum[r] && v->want_sum[r] != v->sum[r + n];
	}
	return rows;
}

static int find_scroll(const struct view *v, int area)
{
	int best = 0, most = SCROLL_MIN - 1;

	for (int n = 1; n < area; n++) {
		int rows;

		if (v->want_sum[0] != v->sum[n] && v->want_sum[1] != v->sum[n + 1 < area ? n + 1 : n])
			continue;
		rows = spared(v, n, area);
		if (rows > most) {
			most = rows;
			best = n;
		}
	}
	return best;
}

static void blank_row(struct view *v, int row)
{
	struct cell *c = row_of(v->have, v, row);

	for (int i = 0; i < v->cols; i++)
		c[i] = (struct cell){ .cp = ' ' };
	v->sum[row] = checksum(v, c);
}

/* Line feeds in the last row of a scroll region: the one way up that every terminal knows. */
static void scroll_up(struct view *v, int n, int area, struct buf *out)
{
	set_link(v, 0, out);
	buf_addf(out, "\x1b[m\x1b[1;%dr\x1b[%dH", area, area);
	for (int i = 0; i < n; i++)
		buf_addc(out, '\n');
	buf_adds(out, "\x1b[r");
	v->pen = (struct pen){ 0 };
	v->row = v->col = 0;
	memmove(v->have, row_of(v->have, v, n), (size_t)(area - n) * (size_t)v->cols * sizeof(*v->have));
	memmove(v->sum, v->sum + n, (size_t)(area - n) * sizeof(*v->sum));
	for (int r = area - n; r < area; r++)
		blank_row(v, r);
}

static void take_row(struct view *v, int row, const struct cell *cells)
{
	struct cell *want = row_of(v->want, v, row);

	for (int c = 0; c < v->cols; c++) {
		want[c] = cells[c];
		normalise(v, &want[c], c + 1 < v->cols ? &cells[c + 1] : NULL, c ? &cells[c - 1] : NULL);
	}
	v->want_sum[row] = checksum(v, want);
}

int view_draw(struct view *v, const struct cell *cells, const bool *dirty, int area, struct buf *out)
{
	int changed = 0, drawn = 0, scroll = 0;

	for (int r = 0; r < v->rows; r++) {
		if (!dirty[r])
			continue;
		take_row(v, r, cells + (size_t)r * (size_t)v->cols);
		changed += r < area && v->want_sum[r] != v->sum[r];
	}
	if (v->caps.scroll && changed >= SCROLL_MIN && area > 1)
		scroll = find_scroll(v, area);
	if (scroll)
		scroll_up(v, scroll, area, out);
	for (int r = 0; r < v->rows; r++) {
		if (dirty[r] || (scroll && r < area))
			drawn += draw_row(v, r, out);
	}
	return drawn + (scroll ? scroll : 0);
}

bool view_is_stale(const struct view *v)
{
	return v->stale;
}

void view_begin(struct view *v, struct buf *out)
{
	if (!v->stale)
		return;
	v->stale = false;
	if (v->nnames >= NAMES_MAX)
		forget_names(v);
	for (int r = 0; r < v->rows; r++) {
		blank_row(v, r);
		memcpy(row_of(v->want, v, r), row_of(v->have, v, r), (size_t)v->cols * sizeof(*v->want));
		v->want_sum[r] = v->sum[r];
	}
	buf_adds(out, "\x1b[m\x1b[H\x1b[2J");
	v->pen = (struct pen){ 0 };
	v->row = v->col = 0;
}

void view_end(struct view *v, struct buf *out)
{
	static const struct pen none;

	set_link(v, 0, out);
	if (memcmp(&v->pen, &none, sizeof(none)) != 0)
		buf_adds(out, "\x1b[m");
	v->pen = none;
}

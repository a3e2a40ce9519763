#include "term/grid.h"

#include <string.h>

/*
 * A screen is an array of pointers to rows, so that scrolling moves pointers. A row keeps
 * the cells beyond the right edge when the pane gets narrower: they are back when it
 * gets wider, and go to the scrollback with the rest.
 *
 * A scrollback line is one block of memory: the runs of equal attributes, then the text. Text is UTF-8
 * with three marks: a byte 0 is a blank cell, TEXT_WIDE comes before a wide cell (which stands
 * for its tail too), TEXT_MORE before a further code point of the same cell.
 */

#define ROW_MAX		1000		/* rows and columns, as pane.h clamps */
#define LINK_MAX	4096		/* links alive at once */
#define LINK_URI_MAX	2083		/* bytes, as other terminals */
#define MORE_LINE	0x80000000u	/* ->more points into the decoded scrollback line */
#define TEXT_WIDE	1
#define TEXT_MORE	2
#define PEN_BITS	((uint16_t)~(CELL_WIDE | CELL_WIDE_TAIL))

struct row {
	struct cell	*cell;		/* owned */
	int		 cap;		/* cells there are, >= columns of the grid */
	bool		 wrapped;
};

struct screen { struct row **row; };	/* owned */

struct run {
	uint32_t	fg, bg, ul;
	uint16_t	attr, link;
	uint32_t	ncell;		/* columns */
};

struct line {
	uint32_t	nrun;
	uint32_t	ntext;
	bool		wrapped;
	struct run	run[];		/* then the text */
};

struct cluster { uint32_t cp[GRID_CLUSTER_MAX - 1]; };	/* 0 ends it early */

struct link {
	char		*id, *uri;	/* owned; a free slot has no uri */
	uint32_t	 hash;
};

struct grid {
	int		 rows, cols;
	struct screen	 scr[2];	/* main, alternate */
	struct screen	*cur;
	int		 dirty_from, dirty_to;

	struct line	**hist;		/* owned ring, the oldest at hist_at */
	size_t		 hist_cap, hist_max, hist_n, hist_at;

	struct cluster	*cluster;	/* owned; [0] is not used */
	uint32_t	 ncluster, cluster_cap, cluster_gc;
	uint32_t	*free_cluster;	/* owned; indices to use again */
	uint32_t	 nfree;

	struct link	*link;		/* owned; [0] is not used */
	unsigned	 nlink;
	unsigned	 link_wait;	/* links to refuse before looking for free ones again */

	struct cell	*line;		/* owned; the decoded scrollback line */
	struct cluster	*line_more;	/* owned; its clusters, one a column */
	char		*text;		/* owned; scratch of line_pack() */
	struct run	*runs;		/* owned; scratch of line_pack() */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static struct row *row_new(int cols)
{
	struct row *r = xcalloc(1, sizeof(*r));

	r->cell = xcalloc((size_t)cols, sizeof(*r->cell));
	r->cap = cols;
	return r;
}

static void row_free(struct row *r)
{
	if (!r)
		return;
	free(r->cell);
	free(r);
}

static void row_clear(struct row *r, const struct cell *blank, int cols)
{
	for (int i = 0; i < cols; i++)
		r->cell[i] = *blank;
	memset(r->cell + cols, 0, (size_t)(r->cap - cols) * sizeof(*r->cell));
	r->wrapped = false;
}

static bool cell_is_blank(const struct cell *c)
{
	return !c->cp && !c->bg && !(c->attr & (CELL_REVERSE | CELL_UNDERLINE | CELL_OVERLINE | CELL_STRIKE));
}

static bool row_is_blank(const struct row *r)
{
	for (int i = 0; i < r->cap; i++) {
		if (!cell_is_blank(&r->cell[i]))
			return false;
	}
	return true;
}

static void row_grow(struct row *r, int cols)
{
	if (cols <= r->cap)
		return;
	r->cell = xrealloc(r->cell, (size_t)cols, sizeof(*r->cell));
	memset(r->cell + r->cap, 0, (size_t)(cols - r->cap) * sizeof(*r->cell));
	r->cap = cols;
}

/* Keep the background, lose the rest. */
static void cell_blank(struct cell *c)
{
	*c = (struct cell){ .bg = c->bg };
}

/* A half of a wide cell whose other half is gone becomes blank. */
static void row_mend(struct row *r, int col, int cols)
{
	struct cell *c;

	if (col < 0 || col >= cols)
		return;
	c = &r->cell[col];
	if ((c->attr & CELL_WIDE) && (col + 1 >= cols || !(c[1].attr & CELL_WIDE_TAIL)))
		cell_blank(c);
	if ((c->attr & CELL_WIDE_TAIL) && (col == 0 || !(c[-1].attr & CELL_WIDE)))
		cell_blank(c);
}

/* ---- clusters: code points of a cell after the first ------------------------------------------- */

static void mark_screen(const struct grid *g, const struct screen *s, bool *used)
{
	for (int r = 0; s->row && r < g->rows; r++) {
		const struct row *row = s->row[r];

		for (int i = 0; i < row->cap; i++)
			used[row->cell[i].more] = true;
	}
}

/* The cells on both screens are all that refers to clusters, so their number is bounded. */
static void cluster_collect(struct grid *g)
{
	CLEANUP(cleanup_freep) bool *used = xcalloc(g->ncluster, sizeof(*used));

	mark_screen(g, &g->scr[0], used);
	mark_screen(g, &g->scr[1], used);
	g->nfree = 0;
	for (uint32_t i = 1; i < g->ncluster; i++) {
		if (!used[i])
			g->free_cluster[g->nfree++] = i;
	}
	/* Collect again only when as many new ones were made as are in use now. */
	g->cluster_gc = MAX(2 * (g->ncluster - g->nfree), 1024u);
}

static uint32_t cluster_new(struct grid *g)
{
	if (!g->nfree && g->ncluster >= g->cluster_gc)
		cluster_collect(g);
	if (g->nfree) {
		uint32_t i = g->free_cluster[--g->nfree];

		g->cluster[i] = (struct cluster){ 0 };
		return i;
	}
	if (g->ncluster == g->cluster_cap) {
		g->cluster_cap = g->cluster_cap ? 2 * g->cluster_cap : 64;
		g->cluster = xrealloc(g->cluster, g->cluster_cap, sizeof(*g->cluster));
		g->free_cluster = xrealloc(g->free_cluster, g->cluster_cap, sizeof(*g->free_cluster));
		g->ncluster = MAX(g->ncluster, 1u);
	}
	g->cluster[g->ncluster] = (struct cluster){ 0 };
	return g->ncluster++;
}

static const struct cluster *cluster_of(const struct grid *g, const struct cell *c)
{
	if (!c->more)
		return NULL;
	return c->more & MORE_LINE ? &g->line_more[c->more & ~MORE_LINE] : &g->cluster[c->more];
}

static bool cluster_add(struct cluster *k, uint32_t cp)
{
	for (size_t i = 0; i < ARRAY_SIZE(k->cp); i++) {
		if (!k->cp[i]) {
			k->cp[i] = cp;
			return true;
		}
	}
	return false;
}

static size_t utf8_put(uint32_t cp, char *o)
{
	if (cp < 0x80) {
		o[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		o[0] = (char)(0xc0 | cp >> 6);
		o[1] = (char)(0x80 | (cp & 63));
		return 2;
	}
	if (cp < 0x10000) {
		o[0] = (char)(0xe0 | cp >> 12);
		o[1] = (char)(0x80 | (cp >> 6 & 63));
		o[2] = (char)(0x80 | (cp & 63));
		return 3;
	}
	o[0] = (char)(0xf0 | cp >> 18);
	o[1] = (char)(0x80 | (cp >> 12 & 63));
	o[2] = (char)(0x80 | (cp >> 6 & 63));
	o[3] = (char)(0x80 | (cp & 63));
	return 4;
}

/* Only of text that utf8_put() wrote. */
static const char *utf8_get(const char *s, uint32_t *cp)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned n = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;

	*cp = n == 1 ? u[0] : u[0] & (0xffu >> (n + 1));
	for (unsigned i = 1; i < n; i++)
		*cp = *cp << 6 | (u[i] & 63);
	return s + n;
}

size_t grid_cell_text(const struct grid *g, const struct cell *c, char out[64])
{
	const struct cluster *k = cluster_of(g, c);
	size_t n;

	if (!c->cp)
		return 0;
	n = utf8_put(c->cp, out);
	for (size_t i = 0; k && i < ARRAY_SIZE(k->cp) && k->cp[i]; i++)
		n += utf8_put(k->cp[i], out + n);
	return n;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void links_free(struct grid *g)
{
	for (unsigned i = 0; i < g->nlink; i++) {
		free(g->link[i].id);
		free(g->link[i].uri);
	}
	free(g->link);
}

static void links_mark(const struct grid *g, bool *used)
{
	for (int k = 0; k < 2; k++) {
		for (int r = 0; g->scr[k].row && r < g->rows; r++) {
			const struct row *row = g->scr[k].row[r];

			for (int i = 0; i < row->cap; i++)
				used[row->cell[i].link] = true;
		}
	}
	for (size_t i = 0; i < g->hist_n; i++) {
		const struct line *l = g->hist[(g->hist_at + i) % g->hist_cap];

		for (uint32_t r = 0; r < l->nrun; r++)
			used[l->run[r].link] = true;
	}
}

static void links_collect(struct grid *g)
{
	bool used[LINK_MAX] = { false };

	links_mark(g, used);
	for (unsigned i = 1; i < g->nlink; i++) {
		if (used[i])
			continue;
		free(g->link[i].id);
		free(g->link[i].uri);
		g->link[i] = (struct link){ 0 };
	}
}

static uint32_t hash_bytes(uint32_t h, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;	/* FNV-1a */
	return h;
}

static bool link_same(const struct link *l, uint32_t hash, const char *id, size_t idlen, const char *uri, size_t len)
{
	return l->hash == hash && strlen(l->uri) == len && !memcmp(l->uri, uri, len) &&
	       strlen(l->id) == idlen && !memcmp(l->id, id, idlen);
}

/* A slot to fill: a free one, else a new one, else 0. */
static unsigned link_free_slot(struct grid *g)
{
	for (unsigned i = 1; i < g->nlink; i++) {
		if (!g->link[i].uri)
			return i;
	}
	if (g->nlink >= LINK_MAX)
		return 0;
	if (!g->link)
		g->link = xcalloc(LINK_MAX, sizeof(*g->link));
	g->nlink = MAX(g->nlink, 1u) + 1;
	return g->nlink - 1;
}

/* Looking for links that nothing refers to walks all cells: not for each link of a flood. */
static unsigned link_make_slot(struct grid *g)
{
	unsigned i;

	if (g->link_wait) {
		g->link_wait--;
		return 0;
	}
	i = link_free_slot(g);
	if (!i) {
		links_collect(g);
		i = link_free_slot(g);
		g->link_wait = i ? 0 : LINK_MAX;
	}
	return i;
}

static bool printable(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] < 0x21 || s[i] > 0x7e)
			return false;
	}
	return true;
}

unsigned grid_add_link(struct grid *g, const char *id, size_t idlen, const char *uri, size_t len)
{
	uint32_t hash = hash_bytes(hash_bytes(2166136261u, id, idlen), uri, len);
	unsigned i;

	if (!len || len > LINK_URI_MAX || idlen > 250 || !printable(uri, len) || !printable(id, idlen))
		return 0;
	for (i = 1; i < g->nlink; i++) {
		if (g->link[i].uri && link_same(&g->link[i], hash, id, idlen, uri, len))
			return i;
	}
	i = link_make_slot(g);
	if (i)
		g->link[i] = (struct link){ xmemdup0(id, idlen), xmemdup0(uri, len), hash };
	return i;
}

const char *grid_link(const struct grid *g, unsigned link)
{
	return link < g->nlink ? g->link[link].uri : NULL;
}

/* ---- scrollback ------------------------------------------------------------------------------ */

static struct run pen_of(const struct cell *c)
{
	return (struct run){ .fg = c->fg, .bg = c->bg, .ul = c->ul, .attr = c->attr & PEN_BITS, .link = c->link };
}

static bool pen_same(const struct run *r, const struct cell *c)
{
	return r->fg == c->fg && r->bg == c->bg && r->ul == c->ul && r->attr == (c->attr & PEN_BITS) &&
	       r->link == c->link;
}

static int row_used(const struct row *r)
{
	int n = r->cap;

	while (n > 0 && cell_is_blank(&r->cell[n - 1]) && !(r->cell[n - 1].attr & CELL_WIDE_TAIL))
		n--;
	return n;
}

static char *pack_cell(const struct grid *g, const struct cell *c, char *t)
{
	const struct cluster *k = cluster_of(g, c);

	if (c->attr & CELL_WIDE)
		*t++ = TEXT_WIDE;
	t += utf8_put(c->cp, t);
	for (size_t i = 0; k && i < ARRAY_SIZE(k->cp) && k->cp[i]; i++) {
		*t++ = TEXT_MORE;
		t += utf8_put(k->cp[i], t);
	}
	return t;
}

static struct line *line_pack(const struct grid *g, const struct row *row)
{
	int used = row_used(row);
	uint32_t nrun = 0;
	char *t = g->text;
	size_t head;
	struct line *l;

	for (int i = 0; i < used; i++) {
		const struct cell *c = &row->cell[i];

		if (!nrun || !pen_same(&g->runs[nrun - 1], c))
			g->runs[nrun++] = pen_of(c);
		g->runs[nrun - 1].ncell++;
		if (c->cp >= 0x20 && c->cp < 0x7f && !c->more && !(c->attr & CELL_WIDE))
			*t++ = (char)c->cp;
		else if (!(c->attr & CELL_WIDE_TAIL))
			t = pack_cell(g, c, t);
	}
	head = sizeof(*l) + nrun * sizeof(struct run);
	l = xcalloc(1, head + (size_t)(t - g->text));
	l->nrun = nrun;
	l->ntext = (uint32_t)(t - g->text);
	l->wrapped = row->wrapped;
	memcpy(l->run, g->runs, nrun * sizeof(struct run));
	memcpy((char *)l + head, g->text, l->ntext);
	return l;
}

/* Fill @cell (at least @cols of them) and @more (one a column) from @l. */
static void line_unpack(const struct line *l, struct cell *cell, struct cluster *more, int cols)
{
	const char *t = (const char *)&l->run[l->nrun], *end = t + l->ntext;
	uint32_t run = 0, left = l->nrun ? l->run[0].ncell : 0;
	int col = 0;

	memset(cell, 0, (size_t)cols * sizeof(*cell));
	while (t < end && col < cols) {
		bool wide = *t == TEXT_WIDE;
		struct cell c = { 0 };

		while (!left)
			left = l->run[++run].ncell;
		t = utf8_get(t + wide, &c.cp);
		c.fg = l->run[run].fg;
		c.bg = l->run[run].bg;
		c.ul = l->run[run].ul;
		c.attr = l->run[run].attr;
		c.link = l->run[run].link;
		if (t < end && *t == TEXT_MORE) {
			c.more = MORE_LINE | (uint32_t)col;
			more[col] = (struct cluster){ 0 };
		}
		while (t < end && *t == TEXT_MORE) {
			uint32_t cp;

			t = utf8_get(t + 1, &cp);
			cluster_add(&more[col], cp);
		}
		left -= MIN(left, wide ? 2u : 1u);
		if (wide && col + 1 >= cols)
			break;
		cell[col] = c;
		if (wide) {
			cell[col].attr |= CELL_WIDE;
			cell[++col] = c;
			cell[col].cp = cell[col].more = 0;
			cell[col].attr |= CELL_WIDE_TAIL;
		}
		col++;
	}
}

static struct line **hist_at(const struct grid *g, size_t i)
{
	return &g->hist[(g->hist_at + i) % g->hist_cap];
}

static void hist_reserve(struct grid *g)
{
	size_t cap = MIN(g->hist_max, g->hist_cap ? 2 * g->hist_cap : 64);

	if (g->hist_n < g->hist_cap || g->hist_cap == g->hist_max)
		return;
	/* The ring only turns once it has its full size, so what is there is in order. */
	g->hist = xrealloc(g->hist, cap, sizeof(struct line *));
	g->hist_cap = cap;
}

static void hist_push(struct grid *g, const struct row *row)
{
	if (!g->hist_max)
		return;
	hist_reserve(g);
	if (g->hist_n == g->hist_cap) {
		free(*hist_at(g, 0));
		g->hist_at = (g->hist_at + 1) % g->hist_cap;
		g->hist_n--;
	}
	*hist_at(g, g->hist_n++) = line_pack(g, row);
}

static int line_cols(const struct line *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->nrun; i++)
		n += l->run[i].ncell;
	return (int)n;
}

/* The newest line back into @row, with what a narrower pane does not show. */
static void hist_pop(struct grid *g, struct row *row)
{
	struct line *l = *hist_at(g, --g->hist_n);

	row_grow(row, line_cols(l));
	line_unpack(l, g->line, g->line_more, row->cap);
	for (int i = 0; i < row->cap; i++) {
		struct cell *c = &row->cell[i];

		*c = g->line[i];
		if (c->more) {
			/* The cell must not refer to the line's clusters when cells are looked through. */
			c->more = 0;
			c->more = cluster_new(g);
			g->cluster[c->more] = g->line_more[i];
		}
	}
	row_mend(row, g->cols - 1, g->cols);
	row_mend(row, g->cols, row->cap);
	row->wrapped = l->wrapped;
	free(l);
}

void grid_clear_scrollback(struct grid *g)
{
	for (size_t i = 0; i < g->hist_n; i++)
		free(*hist_at(g, i));
	free(g->hist);
	g->hist = NULL;
	g->hist_n = g->hist_at = g->hist_cap = 0;
}

size_t grid_scrollback(const struct grid *g)
{
	return g->hist_n;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void screen_init(struct screen *s, int rows, int cols)
{
	s->row = xcalloc((size_t)rows, sizeof(*s->row));
	for (int i = 0; i < rows; i++)
		s->row[i] = row_new(cols);
}

static void screen_done(struct screen *s, int rows)
{
	for (int i = 0; s->row && i < rows; i++)
		row_free(s->row[i]);
	free(s->row);
	s->row = NULL;
}

/* Scratch space for one line of the widest row there can be. */
static void scratch_init(struct grid *g)
{
	g->line = xcalloc(ROW_MAX, sizeof(*g->line));
	g->line_more = xcalloc(ROW_MAX, sizeof(*g->line_more));
	g->text = xcalloc(ROW_MAX, GRID_CLUSTER_MAX * 5 + 1);
	g->runs = xcalloc(ROW_MAX, sizeof(*g->runs));
}

struct grid *grid_new(int rows, int cols, size_t scrollback)
{
	struct grid *g = xcalloc(1, sizeof(*g));

	g->rows = MIN(MAX(rows, 2), ROW_MAX);
	g->cols = MIN(MAX(cols, 2), ROW_MAX);
	g->hist_max = scrollback;
	g->cluster_gc = 1024;
	g->cur = &g->scr[0];
	screen_init(g->cur, g->rows, g->cols);
	scratch_init(g);
	grid_touch(g, 0, g->rows);
	return g;
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	screen_done(&g->scr[0], g->rows);
	screen_done(&g->scr[1], g->rows);
	grid_clear_scrollback(g);
	links_free(g);
	free(g->cluster);
	free(g->free_cluster);
	free(g->line);
	free(g->line_more);
	free(g->text);
	free(g->runs);
	free(g);
}

int grid_rows(const struct grid *g)
{
	return g->rows;
}

int grid_cols(const struct grid *g)
{
	return g->cols;
}

static const struct line *hist_row(const struct grid *g, int row)
{
	if (row >= 0 || (size_t)-(long)row > g->hist_n)
		return NULL;
	return *hist_at(g, g->hist_n - (size_t)-(long)row);
}

const struct cell *grid_line(const struct grid *g, int row)
{
	const struct line *l = hist_row(g, row);

	if (l) {
		line_unpack(l, g->line, g->line_more, g->cols);
		return g->line;
	}
	return row >= 0 && row < g->rows ? g->cur->row[row]->cell : NULL;
}

bool grid_line_wrapped(const struct grid *g, int row)
{
	const struct line *l = hist_row(g, row);

	if (l)
		return l->wrapped;
	return row >= 0 && row < g->rows && g->cur->row[row]->wrapped;
}

/* ---- changes --------------------------------------------------------------------------------- */

void grid_touch(struct grid *g, int from, int to)
{
	if (g->dirty_from >= g->dirty_to) {
		g->dirty_from = from;
		g->dirty_to = to;
		return;
	}
	g->dirty_from = MIN(g->dirty_from, from);
	g->dirty_to = MAX(g->dirty_to, to);
}

bool grid_take_damage(struct grid *g, int *from, int *to)
{
	if (g->dirty_from >= g->dirty_to)
		return false;
	*from = g->dirty_from;
	*to = MIN(g->dirty_to, g->rows);
	g->dirty_from = g->dirty_to = 0;
	return true;
}

void grid_put(struct grid *g, int row, int col, const struct cell *c, int width)
{
	struct row *r = g->cur->row[row];
	struct cell *to = &r->cell[col];

	*to = *c;
	to->more = 0;
	to->attr &= PEN_BITS;
	if (width == 2) {
		to->attr |= CELL_WIDE;
		to[1] = to[0];
		to[1].cp = 0;
		to[1].attr ^= CELL_WIDE | CELL_WIDE_TAIL;
	}
	row_mend(r, col - 1, g->cols);
	row_mend(r, col + width, g->cols);
	grid_touch(g, row, row + 1);
}

void grid_put_ascii(struct grid *g, int row, int col, const char *s, int len, const struct cell *c)
{
	struct row *r = g->cur->row[row];
	struct cell *to = &r->cell[col], k = *c;

	k.more = 0;
	k.attr &= PEN_BITS;
	for (int i = 0; i < len; i++) {
		k.cp = (unsigned char)s[i];
		to[i] = k;
	}
	row_mend(r, col - 1, g->cols);
	row_mend(r, col + len, g->cols);
	grid_touch(g, row, row + 1);
}

void grid_combine(struct grid *g, int row, int col, uint32_t cp)
{
	struct cell *c = &g->cur->row[row]->cell[col];

	if (!c->cp)
		return;
	if (!c->more) {
		/* In two steps: making room may look at all cells. */
		uint32_t more = cluster_new(g);

		c->more = more;
	}
	cluster_add(&g->cluster[c->more], cp);
	grid_touch(g, row, row + 1);
}

static void row_erase(struct grid *g, struct row *r, int col, int to_col, const struct cell *blank, bool selective)
{
	for (int i = col; i < to_col; i++) {
		if (!selective || !(r->cell[i].attr & CELL_PROTECTED))
			r->cell[i] = *blank;
	}
	if (to_col == g->cols && !selective) {
		/* What a narrower pane hides is the rest of this line: erased with it. */
		memset(r->cell + to_col, 0, (size_t)(r->cap - to_col) * sizeof(*r->cell));
		r->wrapped = false;
	}
	for (int i = selective ? col : to_col - 1; i <= to_col; i++)
		row_mend(r, i, g->cols);
	row_mend(r, col - 1, g->cols);
	row_mend(r, col, g->cols);
}

void grid_erase(struct grid *g, struct grid_rect r, const struct cell *blank, bool selective)
{
	struct cell b = { .bg = blank->bg };

	for (int i = r.row; i < r.to_row; i++)
		row_erase(g, g->cur->row[i], r.col, r.to_col, &b, selective);
	grid_touch(g, r.row, r.to_row);
}

/* Turn rows [from, to) so that the first @n are the last. */
static void rotate(struct row **row, int from, int to, int n)
{
	struct row *few[64];
	CLEANUP(cleanup_freep) struct row **many =
		n > (int)ARRAY_SIZE(few) ? xcalloc((size_t)n, sizeof(struct row *)) : NULL;
	struct row **tmp = many ? many : few;

	memcpy(tmp, row + from, (size_t)n * sizeof(struct row *));
	memmove(row + from, row + from + n, (size_t)(to - from - n) * sizeof(struct row *));
	memcpy(row + to - n, tmp, (size_t)n * sizeof(struct row *));
}

static void scroll_rows(struct grid *g, struct grid_rect r, int up, const struct cell *blank, bool keep)
{
	struct row **row = g->cur->row;
	int height = r.to_row - r.row, n = MIN(abs(up), height);

	if (up > 0) {
		for (int i = 0; keep && r.row == 0 && g->cur == &g->scr[0] && i < n; i++)
			hist_push(g, row[i]);
		rotate(row, r.row, r.to_row, n);
		for (int i = r.to_row - n; i < r.to_row; i++)
			row_clear(row[i], blank, g->cols);
	} else {
		rotate(row, r.row, r.to_row, height - n);
		for (int i = r.row; i < r.row + n; i++)
			row_clear(row[i], blank, g->cols);
	}
}

static void scroll_cells(struct grid *g, struct grid_rect r, int up, int left, const struct cell *blank)
{
	int height = r.to_row - r.row, width = r.to_col - r.col;
	int n = MIN(abs(up), height), m = MIN(abs(left), width);

	for (int i = 0; i < height; i++) {
		int to = up >= 0 ? r.row + i : r.to_row - 1 - i, from = up >= 0 ? to + n : to - n;
		struct cell *d = &g->cur->row[to]->cell[r.col];

		if (from < r.row || from >= r.to_row) {
			for (int k = 0; k < width; k++)
				d[k] = *blank;
		} else {
			const struct cell *s = &g->cur->row[from]->cell[r.col];

			memmove(d + (left < 0 ? m : 0), s + (left > 0 ? m : 0), (size_t)(width - m) * sizeof(*d));
			for (int k = 0; k < m; k++)
				d[left > 0 ? width - m + k : k] = *blank;
		}
	}
	for (int i = r.row; i < r.to_row; i++) {
		struct row *row = g->cur->row[i];

		row_mend(row, r.col - 1, g->cols);
		row_mend(row, r.col, g->cols);
		row_mend(row, r.col + m, g->cols);
		row_mend(row, r.to_col - m - 1, g->cols);
		row_mend(row, r.to_col - 1, g->cols);
		row_mend(row, r.to_col, g->cols);
	}
}

void grid_scroll(struct grid *g, struct grid_rect r, int up, int left, const struct cell *blank, bool keep)
{
	struct cell b = { .bg = blank->bg };

	if (r.col == 0 && r.to_col == g->cols && left == 0)
		scroll_rows(g, r, up, &b, keep);
	else
		scroll_cells(g, r, up, left, &b);
	grid_touch(g, r.row, r.to_row);
}

void grid_set_wrapped(struct grid *g, int row)
{
	g->cur->row[row]->wrapped = true;
}

bool grid_is_alt(const struct grid *g)
{
	return g->cur == &g->scr[1];
}

void grid_alt(struct grid *g, bool on)
{
	if (on && !g->scr[1].row)
		screen_init(&g->scr[1], g->rows, g->cols);
	if (!on)
		screen_done(&g->scr[1], g->rows);
	g->cur = &g->scr[on];
	grid_touch(g, 0, g->rows);
}

/* ---- resize ---------------------------------------------------------------------------------- */

/* Take @n rows off the bottom or the top. */
static void drop_rows(struct screen *s, int *rows, int n, bool top)
{
	if (top)
		rotate(s->row, 0, *rows, n);
	for (int i = 0; i < n; i++)
		row_free(s->row[--*rows]);
}

static int blank_below(const struct screen *s, int rows, int cursor)
{
	int n = 0;

	while (rows - 1 - n > cursor && row_is_blank(s->row[rows - 1 - n]))
		n++;
	return n;
}

/* Empty rows below the cursor go first, then the lines at the top (kept in the scrollback), and only
 * when the cursor stands at the top lines below it. The alternate screen is drawn
 * again by its program: there the lines below the cursor go first. */
static void shrink(struct grid *g, struct screen *s, int rows, int *cursor)
{
	bool is_main = s == &g->scr[0];
	int have = g->rows, need = have - rows, n;

	n = is_main ? blank_below(s, have, *cursor) : have - 1 - *cursor;
	n = MIN(need, n);
	drop_rows(s, &have, n, false);
	need -= n;
	n = MIN(need, *cursor);
	for (int i = 0; is_main && i < n; i++)
		hist_push(g, s->row[i]);
	drop_rows(s, &have, n, true);
	*cursor -= n;
	drop_rows(s, &have, need - n, false);
}

/* Lines come back from the scrollback, as they went. */
static void grow(struct grid *g, struct screen *s, int rows, int cols, int *cursor)
{
	int add = rows - g->rows, back = s == &g->scr[0] ? (int)MIN((size_t)add, g->hist_n) : 0;

	s->row = xrealloc(s->row, (size_t)rows, sizeof(*s->row));
	for (int i = g->rows; i < rows; i++)
		s->row[i] = row_new(cols);
	rotate(s->row, 0, rows - (add - back), g->rows);
	*cursor += back;
}

static void resize_cols(struct grid *g, struct screen *s, int cols)
{
	for (int i = 0; i < g->rows; i++) {
		row_grow(s->row[i], cols);
		row_mend(s->row[i], cols - 1, cols);
		row_mend(s->row[i], cols, s->row[i]->cap);
		row_mend(s->row[i], g->cols - 1, cols);
		row_mend(s->row[i], g->cols, cols);
	}
}

void grid_resize(struct grid *g, int rows, int cols, int cursor_row[2])
{
	int back = 0;

	rows = MIN(MAX(rows, 2), ROW_MAX);
	cols = MIN(MAX(cols, 2), ROW_MAX);
	for (int k = 0; k < 2; k++) {
		struct screen *s = &g->scr[k];
		int was = cursor_row[k];

		if (!s->row)
			continue;
		resize_cols(g, s, cols);
		if (rows < g->rows)
			shrink(g, s, rows, &cursor_row[k]);
		else if (rows > g->rows)
			grow(g, s, rows, cols, &cursor_row[k]);
		if (k == 0)
			back = cursor_row[k] - was;
	}
	g->rows = rows;
	g->cols = cols;
	while (back > 0)
		hist_pop(g, g->scr[0].row[--back]);
	g->dirty_from = 0;
	g->dirty_to = rows;
}

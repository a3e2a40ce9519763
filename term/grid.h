/* term/grid.h - cells, lines and scrollback of one pane
 *
 * Our own grid, filled from libvterm's state layer (pane.c). A cell holds one
 * grapheme cluster and every attribute that we can draw, also those libvterm does not know.
 */
#ifndef TERM_GRID_H
#define TERM_GRID_H

#include "base/mem.h"

enum {
	CELL_BOLD = 1 << 0, CELL_DIM = 1 << 1, CELL_ITALIC = 1 << 2, CELL_BLINK = 1 << 3, CELL_REVERSE = 1 << 4,
	CELL_CONCEAL = 1 << 5, CELL_STRIKE = 1 << 6, CELL_OVERLINE = 1 << 7,
	CELL_UNDERLINE = 7 << 8,	/* style 0..5 << CELL_UNDERLINE_SHIFT: none single double curly dotted dashed */
	CELL_WIDE = 1 << 11,		/* first of two columns */
	CELL_WIDE_TAIL = 1 << 12,	/* second: draws nothing */
};
#define CELL_UNDERLINE_SHIFT 8

/* A colour: default, palette index, or 24 bit. */
#define COLOR_DEFAULT	0u
#define COLOR_INDEX(i)	(0x01000000u | (unsigned)(i))
#define COLOR_RGB(r, g, b) (0x02000000u | ((unsigned)(r) << 16) | ((unsigned)(g) << 8) | (unsigned)(b))

struct cell {
	uint32_t	cp;		/* 0: blank; the first code point of the cluster */
	uint32_t	more;		/* index of the rest of the cluster in the grid's table, 0 = none */
	uint32_t	fg, bg, ul;
	uint16_t	attr;
	uint16_t	link;		/* hyperlink id, 0 = none */
};

struct grid;
struct grid *grid_new(int rows, int cols, size_t scrollback);	/* at least 2x2; 1x1 becomes 2x2 */
void grid_free(struct grid *g);
int grid_rows(const struct grid *g);
int grid_cols(const struct grid *g);
/* @row 0.. on the screen, negative = scrollback (-1 is the newest line). NULL out of range. */
const struct cell *grid_line(const struct grid *g, int row);
size_t grid_scrollback(const struct grid *g);	/* lines there now */
bool grid_line_wrapped(const struct grid *g, int row);	/* continues on the next row */
/* UTF-8 of a cell's cluster into @out (at most 64 bytes); returns its length. */
size_t grid_cell_text(const struct grid *g, const struct cell *c, char out[64]);
const char *grid_link(const struct grid *g, unsigned link);	/* URI or NULL */

#endif /* TERM_GRID_H */

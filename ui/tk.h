/* ui/tk.h - the drawing surface of the chrome: libtickit's render buffer, and nothing more of it
 *
 * Clipping, pens and joined lines come from libtickit; its terminal side is not used. A TickitTerm asks
 * the terminal questions that a plain one prints, its pens lose dim, and a second writer would leave the
 * differ guessing about cursor and pen. So the surface is read back cell by cell and goes to the terminal
 * through the same differ as the panes: one writer, one output call. Text must be printable UTF-8 (ui/text.h).
 */
#ifndef UI_TK_H
#define UI_TK_H

#include "ui/text.h"

struct tk;

struct tk *tk_new(int rows, int cols);
void tk_free(struct tk *tk);
void tk_clear(struct tk *tk);		/* nothing drawn: what lies under it is seen */
void tk_fill(struct tk *tk, int row, int col, int rows, int cols, enum style style);
/* Lines around the rectangle; joined where they meet others. */
void tk_frame(struct tk *tk, int row, int col, int rows, int cols, enum style style);
void tk_hline(struct tk *tk, int row, int from, int to, enum style style);	/* @to: last column */
/* Glyphs [from, to) at @col, not past @end; returns the column after the last. */
int tk_text(struct tk *tk, int row, int col, int end, const struct text *t, size_t from, size_t to);
int tk_puts(struct tk *tk, int row, int col, int end, enum style style, const char *s);	/* our own words */
/* Read one cell back: false when nothing is drawn there. @text is its UTF-8, "" for a blank. */
bool tk_cell(struct tk *tk, int row, int col, struct style_look *look, char text[64]);

#endif /* UI_TK_H */

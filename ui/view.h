/* ui/view.h - the differ: cells in, the fewest bytes for the outer terminal out
 *
 * Keeps what is on the terminal. Rows are handed in whole and only differences are written; text that moved up is scrolled there. A cell
 * here is a struct cell whose ->more and ->link are numbers in the view's own table (view_intern()), so
 * it means the same whatever grid it came from. Text with controls in it is not accepted.
 */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include "ui/outer.h"

struct view;

struct view *view_new(int rows, int cols);
void view_free(struct view *v);
void view_resize(struct view *v, int rows, int cols);	/* forgets */
void view_set_caps(struct view *v, const struct outer_caps *caps);	/* forgets */
void view_forget(struct view *v);	/* what is on the terminal is not known: clear, draw all */

/* A cell of a pane, for this view. */
struct cell view_from_grid(struct view *v, const struct grid *g, const struct cell *c);
/* A cell with this text (one cluster, UTF-8) and width 1 or 2; the tail is the caller's. */
struct cell view_from_text(struct view *v, const char *text, uint32_t fg, uint32_t bg, uint16_t attr);

/* Bytes go to @out. @cells: rows x columns of the view, read where @dirty says so; the others are as before. What
 * moved up within the first @area rows is scrolled on the terminal. Returns the number of rows that were written. */
int view_draw(struct view *v, const struct cell *cells, const bool *dirty, int area, struct buf *out);
void view_move(struct view *v, int row, int col, struct buf *out);
/* Before the rows of a frame. After view_forget() it clears, and cells made earlier are no longer valid: make
 * them again and hand in every row. */
bool view_is_stale(const struct view *v);
void view_begin(struct view *v, struct buf *out);
void view_end(struct view *v, struct buf *out);		/* after them: closes a link, resets the pen */

#endif /* UI_VIEW_H */

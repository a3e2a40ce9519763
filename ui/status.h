/* ui/status.h - the one line at the bottom: what session this is and how it is guarded
 *
 * Fits any width: the least important part goes first, the state goes last. All values are quoted.
 */
#ifndef UI_STATUS_H
#define UI_STATUS_H

#include "ui/screen.h"
#include "ui/tk.h"

struct status;

struct status *status_new(void);
void status_free(struct status *st);
/* Copies; true when something changed. */
bool status_set(struct status *st, const struct screen_status *s);
/* @mark at the left end, NULL = none: no pane can draw there, so it tells a real question from a painted one. */
void status_draw(const struct status *st, struct tk *tk, int row, int cols, const char *mark, enum style style);

#endif /* UI_STATUS_H */

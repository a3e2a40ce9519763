/* ui/banner.h - the inline question or refusal: what is in it, how it fits, how it is drawn
 *
 * Everything is quoted and copied when it is made; the verdict may go away. Laid out anew for each size:
 * full frame, then without gaps, then with the longest parts cut in the middle (and said so), then
 * without the frame. Where not even the line, its meaning and the keys fit, only "no" can be answered.
 */
#ifndef UI_BANNER_H
#define UI_BANNER_H

#include "intercept/verdict.h"
#include "ui/tk.h"

struct banner;

struct banner *banner_new(const struct verdict *v, const char *line, size_t len);
void banner_free(struct banner *b);
bool banner_is_deny(const struct banner *b);
bool banner_is_notice(const struct banner *b);	/* nothing in it can be approved: Enter closes it too */

/* Rows that it takes of at most @rows (>= 1) at this width. */
int banner_layout(struct banner *b, int rows, int cols);
/* Draw what was laid out last, from @row on. @armed: keys that approve are live. */
void banner_draw(struct banner *b, struct tk *tk, int row, bool armed);
/* As laid out last: what must be seen before a yes was seen (if need be on the explain page). */
bool banner_can_approve(const struct banner *b);

void banner_toggle_explain(struct banner *b);
bool banner_explains(const struct banner *b);
enum banner_scroll { BANNER_UP, BANNER_DOWN, BANNER_PAGE_UP, BANNER_PAGE_DOWN, BANNER_TOP, BANNER_BOTTOM };
void banner_scroll(struct banner *b, enum banner_scroll how);	/* explain page only */

#endif /* UI_BANNER_H */

/* src/fetch.h - which names to ask a shell for, and what its answers mean
 *
 * Shared by gate.c and driver.c; the shell's side is conf/shell/answer.bash. Names go in one text, kind
 * letter, name, NUL each; the answers come in the same order, each with a status. What a shell cannot be
 * asked (odd names, parameters that change by being asked for) is left out and stays unknown.
 */
#ifndef SRC_FETCH_H
#define SRC_FETCH_H

#include "intercept/live.h"

#define FETCH_NAMES	512		/* names in one go; the rest stays unknown until asked again */
#define FETCH_BYTES	(64u << 10)	/* of all names */
#define FETCH_VALUE	(1u << 20)	/* bytes of one answer */

/* The wanted names of @live, appended to @out (its maximum should be FETCH_BYTES); returns how many. */
size_t fetch_names(const struct live *live, struct buf *out);
/* One answer to @item (kind letter and name). -1: not a status of ours, the shell is not to be believed. */
int fetch_take(struct live *live, const char *item, char status, const char *text, size_t len);

#endif /* SRC_FETCH_H */

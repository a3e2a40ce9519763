/* src/strip.h - take the marks out of a command's output, for `sbxterm run`
 *
 * Raw: every other byte passes as it came; ours go to a file or a pipe. Safe: for a person's terminal; only text,
 * plain controls, colours and cursor movement pass, so that output cannot set the clipboard or make the
 * terminal type. Incremental and bounded: any cut of the input gives the same output.
 */
#ifndef SRC_STRIP_H
#define SRC_STRIP_H

#include "term/pane.h"

struct strip;

typedef void strip_out_fn(void *arg, const char *data, size_t len);
typedef void strip_mark_fn(void *arg, const struct mark *m);

struct strip *strip_new(bool safe, strip_out_fn *out, strip_mark_fn *mark, void *arg);
void strip_free(struct strip *s);	/* NULL is fine */
void strip_feed(struct strip *s, const char *data, size_t len);
void strip_end(struct strip *s);	/* what is held back passes */

#endif /* SRC_STRIP_H */

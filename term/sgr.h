/* term/sgr.h - CSI m: from parameters to the attributes of a cell, and back
 *
 * Understands what a cell can hold: the usual attributes, underline styles (4:0 to 4:5), 8, 16, 256 and
 * 24 bit colours with semicolons or colons, underline colour (58), overline (53). What it does
 * not know is skipped.
 */
#ifndef TERM_SGR_H
#define TERM_SGR_H

#include "term/grid.h"
#include "term/seq.h"

void sgr_apply(struct cell *pen, const struct seq *s);	/* leaves ->cp, ->more, ->link alone */
/* The parameters that make @pen out of nothing, "0;1;38:2::1:2:3": at most 128 bytes. */
void sgr_write(const struct cell *pen, struct buf *out);

#endif /* TERM_SGR_H */

/* term/osc.h - what is inside of the OSC strings that a pane understands
 *
 * Pure functions from hostile bytes to plain data. All text they give is in @tmp, which the caller
 * clears before and owns; it bounds how much they can take.
 */
#ifndef TERM_OSC_H
#define TERM_OSC_H

#include "term/pane.h"

/* The number before the first ';' (or the end); *@rest is what follows. -1: none. */
int osc_number(const char *s, size_t len, const char **rest, size_t *nrest);
/* Payload of 7, 133 or 633 (without that number). False: no mark, or one that is malformed.
 * ->row and ->col are left alone. */
bool osc_mark(int number, const char *s, size_t len, struct mark *m, struct buf *tmp);
bool osc_base64(const char *s, size_t len, struct buf *out);	/* strict but for missing padding */

#endif /* TERM_OSC_H */

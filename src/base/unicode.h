/* base/unicode.h - what a code point is to a person who looks at a terminal
 *
 * Constant tables, no state. Unknown and unassigned code points are PLAIN, one column.
 */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include "base/mem.h"

enum unicode_class {
	UNICODE_PLAIN = 0,
	UNICODE_CONTROL,	/* C0, DEL, C1, not a code point at all */
	UNICODE_BIDI,		/* bidi controls, and letters that run from right to left */
	UNICODE_INVISIBLE,	/* format, fillers, tags, variation selectors, private use, overlays */
	UNICODE_SPACE,		/* any space but U+0020 */
	UNICODE_MARK,		/* combining, takes no column */
	UNICODE_LETTER,		/* looks like an ASCII letter or digit, or is one of a script read by words */
	UNICODE_SIGN,		/* looks like ASCII punctuation */
};

enum unicode_class unicode_class(uint32_t cp);
int unicode_width(uint32_t cp);		/* columns: 0, 1, 2; -1 for controls */

#endif /* BASE_UNICODE_H */

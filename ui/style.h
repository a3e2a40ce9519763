/* ui/style.h - the colours of the chrome, by what they mean
 *
 * Colours are palette entries: the differ maps them down for a terminal that has fewer.
 */
#ifndef UI_STYLE_H
#define UI_STYLE_H

#include "term/grid.h"

enum style {
	STYLE_TEXT = 0,		/* our own words */
	STYLE_STRONG,
	STYLE_LABEL,		/* "means:", rule id, separators */
	STYLE_FAINT,		/* what cannot be used now */
	STYLE_CODE,		/* quoted text from outside */
	STYLE_ESCAPE,		/* what quote wrote instead of a character */
	STYLE_BLAME,		/* the part of the line that is to blame */
	STYLE_BLAME_ESCAPE,
	STYLE_KEY,
	STYLE_ASK,		/* frame and verdict word */
	STYLE_ASK_WORD,
	STYLE_DENY,
	STYLE_DENY_WORD,
	STYLE_BAR,		/* the status line */
	STYLE_BAR_STRONG,
	STYLE_BAR_FAINT,
	STYLE_BAR_GOOD,
	STYLE_BAR_ALARM,
	STYLE_COUNT
};

struct style_look {
	uint32_t	fg, bg;
	uint16_t	attr;		/* CELL_ bits */
};

extern const struct style_look style_look[STYLE_COUNT];

#endif /* UI_STYLE_H */

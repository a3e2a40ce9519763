#include "ui/style.h"

#define UNDER	(1 << CELL_UNDERLINE_SHIFT)
#define BAR	COLOR_INDEX(236)

/* Nothing depends on colour alone: what matters is also bold, underlined or said in words. Outside of the bar
 * only colours that can be read on a dark and on a light background. */
const struct style_look style_look[STYLE_COUNT] = {
	[STYLE_STRONG]		= { .attr = CELL_BOLD },
	[STYLE_LABEL]		= { .fg = COLOR_INDEX(245) },
	[STYLE_FAINT]		= { .fg = COLOR_INDEX(242), .attr = CELL_DIM },
	[STYLE_CODE]		= { .fg = COLOR_DEFAULT },
	[STYLE_ESCAPE]		= { .fg = COLOR_INDEX(5), .attr = CELL_BOLD },
	[STYLE_BLAME]		= { .fg = COLOR_INDEX(9), .attr = CELL_BOLD | UNDER },
	[STYLE_BLAME_ESCAPE]	= { .fg = COLOR_INDEX(5), .attr = CELL_BOLD | UNDER },
	[STYLE_KEY]		= { .fg = COLOR_INDEX(6), .attr = CELL_BOLD },
	[STYLE_ASK]		= { .fg = COLOR_INDEX(3) },
	[STYLE_ASK_WORD]	= { .fg = COLOR_INDEX(0), .bg = COLOR_INDEX(3), .attr = CELL_BOLD },
	[STYLE_DENY]		= { .fg = COLOR_INDEX(1) },
	[STYLE_DENY_WORD]	= { .fg = COLOR_INDEX(15), .bg = COLOR_INDEX(1), .attr = CELL_BOLD },
	[STYLE_BAR]		= { .fg = COLOR_INDEX(250), .bg = BAR },
	[STYLE_BAR_STRONG]	= { .fg = COLOR_INDEX(15), .bg = BAR, .attr = CELL_BOLD },
	[STYLE_BAR_FAINT]	= { .fg = COLOR_INDEX(242), .bg = BAR },
	[STYLE_BAR_GOOD]	= { .fg = COLOR_INDEX(10), .bg = BAR },
	[STYLE_BAR_ALARM]	= { .fg = COLOR_INDEX(15), .bg = COLOR_INDEX(1), .attr = CELL_BOLD },
};

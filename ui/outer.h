/* ui/outer.h - what the outer terminal can do, and its modes
 *
 * Capabilities come from TERM and COLORTERM alone: nothing is asked, so no answer can be forged or lost.
 * What a terminal may not know is sent only where it is known to be ignored or understood.
 */
#ifndef UI_OUTER_H
#define UI_OUTER_H

#include "base/buf.h"
#include "term/pane.h"

struct outer_caps {
	bool		truecolor;
	int		colors;		/* 8, 16 or 256 palette entries */
	bool		styled;		/* 4:3 and 58: curly underline, underline colour */
	bool		links;		/* OSC 8 */
	bool		sync;		/* CSI ?2026: understood or ignored */
	bool		shape;		/* DECSCUSR: understood or ignored */
	bool		kitty;		/* CSI > u: understood or ignored */
	bool		scroll;		/* scroll regions (DECSTBM) */
	uint16_t	attr;		/* CELL_ bits that may be sent */
};

/* Either may be NULL. */
void outer_caps_of(struct outer_caps *c, const char *termtype, const char *colorterm);

/* What the outer terminal is told besides cells. */
struct outer_modes {
	enum pane_mouse	mouse;
	bool		focus, kitty, cursor_visible;
	int		cursor_shape;
};

void outer_enter(struct buf *out);
/* Bring the terminal from @old to @new; the cursor's visibility is the differ's. */
void outer_change(const struct outer_caps *c, const struct outer_modes *old, const struct outer_modes *new,
		  struct buf *out);
const char *outer_restore(size_t *len);

#endif /* UI_OUTER_H */

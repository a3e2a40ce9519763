#include "ui/outer.h"

#include <string.h>

#define ATTR_BASE	(CELL_BOLD | CELL_DIM | CELL_BLINK | CELL_REVERSE | CELL_UNDERLINE)
#define ATTR_XTERM	(ATTR_BASE | CELL_ITALIC | CELL_STRIKE | CELL_OVERLINE)

/* The first prefix of TERM that matches counts; the empty one is for what nobody knows. */
static const struct { const char *prefix; struct outer_caps caps; } known[] = {
	{ "xterm-kitty",  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "xterm-ghostty", { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "xterm-direct", { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "xterm",	  { false, 256, false, true, true, true, true, ATTR_XTERM } },
	{ "tmux",	  { false, 256, false, true, true, true, true, ATTR_XTERM } },
	{ "alacritty",	  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "foot",	  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "wezterm",	  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "ghostty",	  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "kitty",	  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "konsole",	  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "vte",	  { true, 256, true, true, true, true, true, ATTR_XTERM } },
	{ "rxvt",	  { false, 256, false, false, true, true, false, ATTR_BASE | CELL_ITALIC } },
	/* GNU screen shows italic as reverse, and the Linux console prints ends of what it does not know. */
	{ "screen",	  { false, 256, false, false, false, false, false, ATTR_BASE } },
	{ "linux",	  { false, 16, false, false, false, false, false, ATTR_BASE } },
	{ "",		  { false, 8, false, false, false, false, false, ATTR_BASE } },
};

void outer_caps_of(struct outer_caps *c, const char *termtype, const char *colorterm)
{
	size_t i = 0;

	if (!termtype)
		termtype = "";
	while (strncmp(termtype, known[i].prefix, strlen(known[i].prefix)) != 0)
		i++;
	*c = known[i].caps;
	/* What has 24-bit colour is recent enough to read sub-parameters. */
	if (colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0) &&
	    c->colors == 256) {
		c->truecolor = true;
		c->styled = c->sync;
	}
}

/* Autowrap stays off: the last cell cannot scroll the screen, and a character that the terminal takes
 * for wider than we do cannot spill into the next row. Pastes are always bracketed, to tell them from typing. */
void outer_enter(struct buf *out)
{
	buf_adds(out, "\x1b[?1049h\x1b[r\x1b[?7l\x1b[?6l\x1b[4l\x1b[?2004h");
}

static const int mouse_mode[] = {
	[PANE_MOUSE_CLICK] = 1000, [PANE_MOUSE_DRAG] = 1002, [PANE_MOUSE_MOVE] = 1003,
};

static void change_mouse(enum pane_mouse old, enum pane_mouse new, struct buf *out)
{
	if (old != PANE_MOUSE_NONE)
		buf_addf(out, "\x1b[?%dl", mouse_mode[old]);
	if (new == PANE_MOUSE_NONE)
		buf_adds(out, "\x1b[?1006l");
	else
		buf_addf(out, "\x1b[?%dh\x1b[?1006h", mouse_mode[new]);
}

void outer_change(const struct outer_caps *c, const struct outer_modes *old, const struct outer_modes *new,
		  struct buf *out)
{
	if (old->mouse != new->mouse)
		change_mouse(old->mouse, new->mouse, out);
	if (old->focus != new->focus)
		buf_addf(out, "\x1b[?1004%c", new->focus ? 'h' : 'l');
	if (old->kitty != new->kitty && c->kitty)
		buf_adds(out, new->kitty ? "\x1b[>1u" : "\x1b[<u");
	if (old->cursor_shape != new->cursor_shape && c->shape)
		buf_addf(out, "\x1b[%d q", new->cursor_shape);
}

/* Good for every terminal. What an old console would print (the end of a sequence that it does not
 * know) is erased before the main screen comes back. */
const char *outer_restore(size_t *len)
{
	static const char bytes[] =
		"\x1b[?2026l\x1b[<u\x1b[0 q\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l"
		"\x1b[0m\x1b[r\r\x1b[K\x1b[?7h\x1b[?25h\x1b[?1049l\x1b[?25h";

	*len = sizeof(bytes) - 1;
	return bytes;
}

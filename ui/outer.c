#include "ui/outer.h"

#include <string.h>

#define ATTR_BASE	(CELL_BOLD | CELL_DIM | CELL_BLINK | CELL_REVERSE | CELL_UNDERLINE)
#define ATTR_XTERM	(ATTR_BASE | CELL_ITALIC | CELL_STRIKE | CELL_OVERLINE)

/* What all terminals that call themselves xterm understand or ignore. */
#define CAPS_XTERM	.colors = 256, .links = true, .sync = true, .shape = true, .kitty = true, .scroll = true, \
			.attr = ATTR_XTERM
#define CAPS_MODERN	CAPS_XTERM, .truecolor = true, .styled = true

/* The first prefix of TERM that matches counts; the empty one is for what nobody knows. */
static const struct { const char *prefix; struct outer_caps caps; } known[] = {
	{ "xterm-kitty",	{ CAPS_MODERN } },
	{ "xterm-ghostty",	{ CAPS_MODERN } },
	{ "xterm-direct",	{ CAPS_MODERN } },
	{ "xterm",		{ CAPS_XTERM } },
	{ "tmux",		{ CAPS_XTERM } },
	{ "alacritty",		{ CAPS_MODERN } },
	{ "foot",		{ CAPS_MODERN } },
	{ "wezterm",		{ CAPS_MODERN } },
	{ "ghostty",		{ CAPS_MODERN } },
	{ "kitty",		{ CAPS_MODERN } },
	{ "konsole",		{ CAPS_MODERN } },
	{ "vte",		{ CAPS_MODERN } },
	{ "rxvt",		{ .colors = 256, .shape = true, .scroll = true, .attr = ATTR_BASE | CELL_ITALIC } },
	/* GNU screen shows italic as reverse, and the Linux console prints ends of what it does not know. */
	{ "screen",		{ .colors = 256, .scroll = true, .attr = ATTR_BASE } },
	{ "linux",		{ .colors = 16, .scroll = true, .attr = ATTR_BASE } },
	{ "vt",			{ .colors = 8, .scroll = true, .attr = ATTR_BASE } },
	{ "",			{ .colors = 8, .attr = ATTR_BASE } },
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

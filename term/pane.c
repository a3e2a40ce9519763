#include "term/pane.h"

#include <stdio.h>
#include <string.h>
#include <vterm.h>

#include "base/io.h"
#include "base/quote.h"
#include "term/osc.h"
#include "term/sgr.h"

/*
 * What libvterm is trusted with is the cursor: movement, tab stops, margins, wrapping, and which
 * rectangles scroll or are erased. It never sees an attribute, a mode that it need not know, a
 * string, a query, REP, a saved cursor, another character set or a character outside of ASCII: a character of
 * one column is shown to it as PROXY_NARROW, one of two as PROXY_WIDE, and putglyph() stores
 * the real one. So its width tables, its parser's bounds and its combining buffer play no part.
 */

#define PROXY_NARROW	"x"
#define PROXY_WIDE	"\xe4\xb8\x80"	/* U+4E00 */
#define TEXT_PIECE	256		/* bytes a vterm_input_write(): 0.1.4 keeps code points on the stack */
#define SIZE_MIN	2
#define SIZE_LIMIT	1000
#define FORWARD_NUM_MAX	9999
#define TITLE_MAX	1024		/* bytes */
#define TITLES		8		/* depth of the title stack */
#define KITTY_DEPTH	8
#define KITTY_FLAGS	(1u | 8u | 16u)	/* what keys_encode() does */
#define SYNC_NS		1000000000ull
#define WIDTH_CACHE	512		/* a power of two */
#define COLOUR_QUERIES	256		/* answers to one OSC */

enum charset { CHARSET_ASCII = 0, CHARSET_GRAPHICS, CHARSET_UK };

struct charsets {
	enum charset	g[4];
	unsigned	gl;
};

struct saved {
	bool		 valid, origin;
	int		 row, col;
	struct cell	 pen;
	struct charsets	 sets;
};

struct kitty {
	unsigned	 flags[KITTY_DEPTH];	/* the last one is in force */
	unsigned	 n;			/* 0: none pushed, flags[0] counts */
};

struct pane {
	struct pane_events	 ev;
	struct pane_modes	 m;
	struct seq_parser	*seq;		/* owned */
	struct grid		*grid;		/* owned */
	VTerm			*vt;		/* owned */
	VTermState		*state;
	int			 rows, cols;
	struct cell		 pen;
	uint32_t		 cp;		/* what the next proxy stands for, 0: the glyph itself */
	int			 ahead;		/* columns written here that libvterm has not been told of */

	/* The glyph before, as long as nothing but text and SGR came after it. */
	struct {
		bool		 valid, more, joined;	/* more: it is a cluster; joined: and ends with a joiner */
		int		 row, col, width;
		uint32_t	 cp;
	} last;

	bool			 insert, origin, autowrap, lrmargin, keep_lines;
	int			 top, bottom, left, right;	/* margins, [from, to) */
	struct charsets		 sets;
	unsigned		 single_shift;	/* 2 or 3: the set of the next character */
	struct saved		 saved[2];
	struct kitty		 kitty[2];
	char			*title;		/* owned, may be NULL */
	char			*title_stack[TITLES];	/* owned */
	unsigned		 ntitle;
	uint64_t		 sync_at;
	bool			 told;		/* .damage was called and not taken yet */
	struct buf		 tmp;		/* decoded strings */
	struct { uint32_t cp; int width; } width[WIDTH_CACHE];	/* of characters seen lately */
};

/* ---- the way to libvterm ----------------------------------------------------------------------- */

/* Only from here and text_feed() do bytes get into libvterm. */
static void vt_write(struct pane *p, const char *s, size_t len)
{
	vterm_input_write(p->vt, s, len);
}

static void vt_sync(struct pane *p)
{
	char s[16];
	int n;

	if (!p->ahead)
		return;
	n = snprintf(s, sizeof(s), "\033[%dC", p->ahead);
	p->ahead = 0;
	vt_write(p, s, (size_t)n);
}

static void vt_csi(struct pane *p, const char *leader, int a, int b, const char *final)
{
	char s[48];
	int n;

	vt_sync(p);
	if (a < 0 && b < 0)
		n = snprintf(s, sizeof(s), "\033[%s%s", leader, final);
	else if (b < 0)
		n = snprintf(s, sizeof(s), "\033[%s%d%s", leader, a, final);
	else
		n = snprintf(s, sizeof(s), "\033[%s%d;%d%s", leader, MAX(a, 0), b, final);
	vt_write(p, s, (size_t)n);
}

static void cursor(const struct pane *p, int *row, int *col)
{
	VTermPos pos;

	vterm_state_get_cursorpos(p->state, &pos);
	*row = pos.row;
	*col = pos.col + p->ahead;
}

/* Absolute, whatever the modes are. */
static void cursor_to(struct pane *p, int row, int col)
{
	if (p->origin) {
		row -= p->top;
		col -= p->lrmargin ? p->left : 0;
	}
	vt_csi(p, "", MAX(row, 0) + 1, MAX(col, 0) + 1, "H");
}

/* ---- what libvterm calls ----------------------------------------------------------------------- */

static void last_glyph(struct pane *p, int row, int col, int width, uint32_t cp)
{
	p->last.valid = true;
	p->last.more = p->last.joined = false;
	p->last.row = row;
	p->last.col = col;
	p->last.width = width;
	p->last.cp = cp;
}

static int on_putglyph(VTermGlyphInfo *info, VTermPos pos, void *user)
{
	struct pane *p = user;
	struct cell c = p->pen;
	int width = info->width > 1 ? 2 : 1;

	if (pos.row < 0 || pos.row >= p->rows || pos.col < 0 || pos.col + width > p->cols)
		return 1;
	if (p->last.valid && pos.col == 0 && pos.row > 0 && (p->last.col > 0 || p->last.width > 1))
		grid_set_wrapped(p->grid, pos.row - 1);
	c.cp = p->cp ? p->cp : info->chars[0];
	grid_put(p->grid, pos.row, pos.col, &c, width);
	last_glyph(p, pos.row, pos.col, width, c.cp);
	return 1;
}

/* Nothing that libvterm says is used as an index unchecked. */
static bool rect_of(const struct pane *p, VTermRect r, struct grid_rect *out)
{
	out->row = MAX(r.start_row, 0);
	out->to_row = MIN(r.end_row, p->rows);
	out->col = MAX(r.start_col, 0);
	out->to_col = MIN(r.end_col, p->cols);
	return out->row < out->to_row && out->col < out->to_col;
}

static int on_scrollrect(VTermRect rect, int downward, int rightward, void *user)
{
	struct pane *p = user;
	struct grid_rect r;

	if (rect_of(p, rect, &r))
		grid_scroll(p->grid, r, downward, rightward, &p->pen, p->keep_lines);
	return 1;
}

static int on_erase(VTermRect rect, int selective, void *user)
{
	struct pane *p = user;
	struct grid_rect r;

	if (rect_of(p, rect, &r))
		grid_erase(p->grid, r, &p->pen, selective);
	return 1;
}

/* Double width lines are refused: they would halve the room that a wide character needs. */
static int on_setlineinfo(int row, const VTermLineInfo *now, const VTermLineInfo *was, void *user)
{
	(void)row;
	(void)now;
	(void)was;
	(void)user;
	return 0;
}

static int on_settermprop(VTermProp prop, VTermValue *val, void *user)
{
	(void)prop;
	(void)val;
	(void)user;
	return 1;
}

static void *vt_malloc(size_t size, void *data)
{
	(void)data;
	return xcalloc(1, size);
}

static void vt_free(void *ptr, void *data)
{
	(void)data;
	free(ptr);
}

/* Ours, so that what on_resize() gives to libvterm is freed by what allocated it. */
static VTermAllocatorFunctions vt_allocator = { vt_malloc, vt_free };

#if VTERM_VERSION_MAJOR > 0 || VTERM_VERSION_MINOR >= 2
/*
 * Without this callback 0.3.3 compares the new number of rows with itself and never grows its table of
 * lines, then reads and writes beyond it. What the table says is of no use here, so new ones do.
 */
static int on_resize(int rows, int cols, VTermStateFields *fields, void *user)
{
	(void)cols;
	(void)user;
	for (size_t i = 0; i < ARRAY_SIZE(fields->lineinfos); i++) {
		if (!fields->lineinfos[i])
			continue;
		free(fields->lineinfos[i]);
		fields->lineinfos[i] = xcalloc((size_t)rows, sizeof(VTermLineInfo));
	}
	return 1;
}
#endif

/* The cursor is placed by pane_resize(), so 0.1.4 needs no .resize. */
static const VTermStateCallbacks state_callbacks = {
	.putglyph	= on_putglyph,
	.scrollrect	= on_scrollrect,
	.erase		= on_erase,
	.settermprop	= on_settermprop,
	.setlineinfo	= on_setlineinfo,
#if VTERM_VERSION_MAJOR > 0 || VTERM_VERSION_MINOR >= 2
	.resize		= on_resize,
#endif
};

/* ---- text ------------------------------------------------------------------------------------ */

static void text_feed(struct pane *p, uint32_t cp, const char *s, size_t len)
{
	vt_sync(p);
	p->cp = cp;
	vterm_input_write(p->vt, s, len);
	p->cp = 0;
}

/*
 * Most text neither wraps nor meets a mode that changes what it does. It goes straight into the grid, and
 * libvterm is told how far the cursor went when something else comes. The last two columns
 * are left to libvterm, where it may be waiting to wrap. Returns the columns there are for it.
 */
static int direct_room(const struct pane *p, int *row, int *col)
{
	if (p->insert || p->origin)
		return 0;
	cursor(p, row, col);
	return p->cols - 2 - *col;
}

static size_t ascii_direct(struct pane *p, const char *s, size_t len)
{
	int row, col, n = (int)MIN(len, SIZE_LIMIT);

	n = MIN(n, direct_room(p, &row, &col));
	if (n <= 0)
		return 0;
	grid_put_ascii(p->grid, row, col, s, n, &p->pen);
	p->ahead += n;
	last_glyph(p, row, col + n - 1, 1, (unsigned char)s[n - 1]);
	return (size_t)n;
}

static bool char_direct(struct pane *p, uint32_t cp, int width)
{
	struct cell c = p->pen;
	int row, col;

	if (direct_room(p, &row, &col) < width)
		return false;
	c.cp = cp;
	grid_put(p->grid, row, col, &c, width);
	p->ahead += width;
	last_glyph(p, row, col, width, cp);
	return true;
}

static void text_ascii(struct pane *p, const char *s, size_t len)
{
	while (len) {
		size_t n = ascii_direct(p, s, len);

		if (!n) {
			/* As far as the line goes, then the next one may go the short way again. */
			int row, col;

			cursor(p, &row, &col);
			n = MIN(len, (size_t)MAX(p->cols - col, 1));
			n = MIN(n, TEXT_PIECE);
			text_feed(p, 0, s, n);
		}
		s += n;
		len -= n;
	}
}

/* A character that belongs to the cell before: marks, what follows a joiner, skin tones. */
static bool text_joins(struct pane *p, uint32_t cp, int width)
{
	if (width == 0)
		return true;
	if (!p->last.valid || p->last.width != 2)
		return false;
	return p->last.joined || (cp >= 0x1f3fb && cp <= 0x1f3ff);
}

/* Characters that are text by default and emoji with a variation selector. */
static bool has_emoji_form(uint32_t cp)
{
	return cp == 0xa9 || cp == 0xae || (cp >= 0x203c && cp < 0x3300) || cp >= 0x1f000;
}

/* The emoji form takes two columns: written once more as a wide one. */
static void text_widen(struct pane *p)
{
	if (p->last.width != 1 || !has_emoji_form(p->last.cp) || p->insert || p->last.col + 2 > p->cols)
		return;
	cursor_to(p, p->last.row, p->last.col);
	text_feed(p, p->last.cp, PROXY_WIDE, sizeof(PROXY_WIDE) - 1);
}

static void text_join(struct pane *p, uint32_t cp)
{
	if (!p->last.valid)
		return;
	if (cp == 0xfe0f && !p->last.more)
		text_widen(p);
	grid_combine(p->grid, p->last.row, p->last.col, cp);
	p->last.more = true;
	p->last.joined = cp == 0x200d;
}

/* The table of all widths is searched, and text in one script asks for the same few again and again. */
static int char_width(struct pane *p, uint32_t cp)
{
	uint32_t i = (cp ^ cp >> 9) % WIDTH_CACHE;

	if (p->width[i].cp != cp) {
		p->width[i].cp = cp;
		p->width[i].width = quote_width(cp);
	}
	return p->width[i].width;
}

static void text_char(struct pane *p, uint32_t cp)
{
	int width = char_width(p, cp), row, col;

	if (width < 0)
		return;
	if (text_joins(p, cp, width)) {
		text_join(p, cp);
		return;
	}
	if (char_direct(p, cp, width))
		return;
	cursor(p, &row, &col);
	/* libvterm wraps a wide character also where wrapping is off. */
	if (width == 2 && !p->autowrap && col >= p->cols - 1)
		return;
	if (width == 2)
		text_feed(p, cp, PROXY_WIDE, sizeof(PROXY_WIDE) - 1);
	else
		text_feed(p, cp, PROXY_NARROW, sizeof(PROXY_NARROW) - 1);
}

/* DEC special graphics, 0x5f to 0x7e. */
static const uint16_t graphics[32] = {
	0x00a0, 0x25c6, 0x2592, 0x2409, 0x240c, 0x240d, 0x240a, 0x00b0, 0x00b1, 0x2424, 0x240b, 0x2518, 0x2510, 0x250c,
	0x2514, 0x253c, 0x23ba, 0x23bb, 0x2500, 0x23bc, 0x23bd, 0x251c, 0x2524, 0x2534, 0x252c, 0x2502, 0x2264, 0x2265,
	0x03c0, 0x2260, 0x00a3, 0x00b7,
};

static uint32_t charset_map(enum charset set, unsigned char c)
{
	if (set == CHARSET_GRAPHICS && c >= 0x5f && c < 0x7f)
		return graphics[c - 0x5f];
	return set == CHARSET_UK && c == '#' ? 0xa3 : c;
}

/* ASCII through another set, one by one. */
static void text_mapped(struct pane *p, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		enum charset set = p->sets.g[p->single_shift ? p->single_shift : p->sets.gl];
		uint32_t cp = charset_map(set, (unsigned char)s[i]);

		p->single_shift = 0;
		if (cp < 0x80)
			text_ascii(p, s + i, 1);
		else
			text_char(p, cp);
	}
}

static size_t ascii_span(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && (unsigned char)s[i] < 0x80)
		i++;
	return i;
}

static void on_text(struct pane *p, const char *s, size_t len)
{
	while (len) {
		size_t n = ascii_span(s, len);
		uint32_t cp;

		if (!n) {
			n = quote_utf8(s, len, &cp);
			p->single_shift = 0;
			text_char(p, cp);
		} else if (p->single_shift || p->sets.g[p->sets.gl] != CHARSET_ASCII) {
			text_mapped(p, s, n);
		} else {
			text_ascii(p, s, n);
		}
		s += n;
		len -= n;
	}
}

/* REP. At most a line: no program wants more, and a few bytes must not make work for long. */
static void repeat(struct pane *p, const struct seq *s)
{
	int n = s->nparam && s->param[0] > 0 ? s->param[0] : 1;
	uint32_t cp = p->last.cp;

	if (!p->last.valid)
		return;
	for (n = MIN(n, p->cols); n > 0; n--) {
		char c = (char)cp;

		if (cp < 0x80)
			text_ascii(p, &c, 1);
		else
			text_char(p, cp);
	}
}

/* ---- answers --------------------------------------------------------------------------------- */

static void PRINTF(2, 3) reply(struct pane *p, const char *fmt, ...)
{
	char s[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	if (p->ev.reply && n > 0 && (size_t)n < sizeof(s))
		p->ev.reply(p->ev.arg, s, (size_t)n);
}

static int param(const struct seq *s, unsigned i, int dflt)
{
	return i < s->nparam && s->param[i] >= 0 ? s->param[i] : dflt;
}

/* VT220 with colour, and OSC 52 for writing. */
static void do_da1(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 0)
		reply(p, "\033[?62;22;52c");
}

/* The number of an xterm that had SGR mouse and modifyOtherKeys: editors look at it. */
static void do_da2(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 0)
		reply(p, "\033[>41;354;0c");
}

static void do_da3(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 0)
		reply(p, "\033P!|00000000\033\\");
}

static void do_xtversion(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 0)
		reply(p, "\033P>|sbxterm(%s)\033\\", SBXTERM_VERSION);
}

static void cursor_report(struct pane *p, const char *leader)
{
	int row, col;

	cursor(p, &row, &col);
	if (p->origin) {
		row -= p->top;
		col -= p->lrmargin ? p->left : 0;
	}
	reply(p, "\033[%s%d;%dR", leader, row + 1, col + 1);
}

static void do_dsr(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 5)
		reply(p, "\033[0n");
	else if (param(s, 0, 0) == 6)
		cursor_report(p, "");
}

static void do_dec_dsr(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 6)
		cursor_report(p, "?");
	else if (param(s, 0, 0) == 996)
		reply(p, "\033[?997;1n");	/* dark, as the colours that are given below */
}

/* ---- titles and window operations ------------------------------------------------------------ */

static void title_set(struct pane *p, const char *s, size_t len)
{
	char *title = xmemdup0(s, MIN(len, TITLE_MAX));

	free(p->title);
	p->title = title;
	if (p->ev.title)
		p->ev.title(p->ev.arg, p->title);
}

/* The oldest falls out: a program that only pushes must not keep others from using the stack. */
static void title_push(struct pane *p)
{
	if (p->ntitle == TITLES) {
		free(p->title_stack[0]);
		memmove(p->title_stack, p->title_stack + 1, (TITLES - 1) * sizeof(p->title_stack[0]));
		p->ntitle--;
	}
	p->title_stack[p->ntitle++] = xstrdup(p->title ? p->title : "");
}

static void title_pop(struct pane *p)
{
	CLEANUP(cleanup_freep) char *title = NULL;

	if (!p->ntitle)
		return;
	title = p->title_stack[--p->ntitle];
	title_set(p, title, strlen(title));
}

/* Sizes only: a report of the title would be text of the pane's choice typed into the pane. Pixels
 * are made up from a usual cell. */
static void do_window(struct pane *p, const struct seq *s)
{
	int which = param(s, 1, 0);

	switch (param(s, 0, 0)) {
	case 14: reply(p, "\033[4;%d;%dt", p->rows * 18, p->cols * 9); break;
	case 16: reply(p, "\033[6;18;9t"); break;
	case 18: reply(p, "\033[8;%d;%dt", p->rows, p->cols); break;
	case 19: reply(p, "\033[9;%d;%dt", p->rows, p->cols); break;
	case 22:
		if (which == 0 || which == 2)
			title_push(p);
		break;
	case 23:
		if (which == 0 || which == 2)
			title_pop(p);
		break;
	}
}

/* ---- modes ----------------------------------------------------------------------------------- */

static struct saved *saved_slot(struct pane *p)
{
	return &p->saved[p->m.alt_screen];
}

static void do_save(struct pane *p, const struct seq *s)
{
	struct saved *v = saved_slot(p);

	(void)s;
	cursor(p, &v->row, &v->col);
	v->valid = true;
	v->origin = p->origin;
	v->pen = p->pen;
	v->sets = p->sets;
}

static void set_origin(struct pane *p, bool on)
{
	vt_csi(p, "?", 6, -1, on ? "h" : "l");
	p->origin = on;
}

static void do_restore(struct pane *p, const struct seq *s)
{
	const struct saved *v = saved_slot(p);
	unsigned link = p->pen.link;

	(void)s;
	if (p->origin != v->origin)
		set_origin(p, v->origin);
	cursor_to(p, v->row, v->col);
	p->pen = v->pen;
	p->pen.link = (uint16_t)link;
	p->sets = v->sets;
	p->single_shift = 0;
}

static void kitty_apply(struct pane *p)
{
	const struct kitty *k = &p->kitty[p->m.alt_screen];

	p->m.kitty_keys = k->flags[k->n] & KITTY_FLAGS;
}

static void alt_screen(struct pane *p, bool on)
{
	if (on == p->m.alt_screen)
		return;
	vt_sync(p);
	p->m.alt_screen = on;
	grid_alt(p->grid, on);
	if (on)
		grid_erase(p->grid, (struct grid_rect){ 0, p->rows, 0, p->cols }, &p->pen, false);
	kitty_apply(p);
}

static void set_alt(struct pane *p, bool on)
{
	alt_screen(p, on);
}

static void set_save(struct pane *p, bool on)
{
	if (on)
		do_save(p, NULL);
	else
		do_restore(p, NULL);
}

/* 1049. Switched off by a program that never switched it on it must not move the cursor. */
static void set_alt_save(struct pane *p, bool on)
{
	if (on == p->m.alt_screen)
		return;
	if (on)
		do_save(p, NULL);
	alt_screen(p, on);
	if (!on)
		do_restore(p, NULL);
}

static void set_autowrap(struct pane *p, bool on)
{
	vt_csi(p, "?", 7, -1, on ? "h" : "l");
	p->autowrap = on;
}

static void set_lrmargin(struct pane *p, bool on)
{
	int row, col;

	if (on == p->lrmargin)
		return;
	cursor(p, &row, &col);
	vt_csi(p, "?", 69, -1, on ? "h" : "l");
	vt_csi(p, "", -1, -1, "s");
	p->lrmargin = on;
	p->left = 0;
	p->right = p->cols;
	cursor_to(p, row, col);		/* resetting the margins took it home */
}

static void set_sync(struct pane *p, bool on)
{
	p->m.sync = on;
	p->sync_at = on ? io_now_ns() : 0;
}

static void set_mouse(struct pane *p, enum pane_mouse kind, bool on)
{
	p->m.mouse = on ? kind : PANE_MOUSE_NONE;
}

static void set_click(struct pane *p, bool on)
{
	set_mouse(p, PANE_MOUSE_CLICK, on);
}

static void set_drag(struct pane *p, bool on)
{
	set_mouse(p, PANE_MOUSE_DRAG, on);
}

static void set_move(struct pane *p, bool on)
{
	set_mouse(p, PANE_MOUSE_MOVE, on);
}

#define FLAG(n, member)	{ .num = (n), .flag = offsetof(struct pane, member) }
#define CALL(n, f, member) { .num = (n), .flag = offsetof(struct pane, member), .fn = (f) }

static const struct dec_mode {
	size_t	flag;			/* the bool that tells whether it is set */
	void	(*fn)(struct pane *p, bool on);	/* NULL: set the flag, that is all */
	int	num;
	enum pane_mouse mouse;		/* set when this is the mouse mode in force */
} dec_modes[] = {
	FLAG(1, m.app_cursor),
	FLAG(5, m.reverse_video),
	CALL(6, set_origin, origin),
	CALL(7, set_autowrap, autowrap),
	FLAG(12, m.cursor_blink),
	FLAG(25, m.cursor_visible),
	CALL(47, set_alt, m.alt_screen),
	FLAG(66, m.app_keypad),
	CALL(69, set_lrmargin, lrmargin),
	{ .num = 1000, .fn = set_click, .mouse = PANE_MOUSE_CLICK },
	{ .num = 1002, .fn = set_drag, .mouse = PANE_MOUSE_DRAG },
	{ .num = 1003, .fn = set_move, .mouse = PANE_MOUSE_MOVE },
	FLAG(1004, m.focus),
	FLAG(1006, m.mouse_sgr),
	CALL(1047, set_alt, m.alt_screen),
	CALL(1048, set_save, saved[0].valid),
	CALL(1049, set_alt_save, m.alt_screen),
	FLAG(2004, m.bracketed_paste),
	CALL(2026, set_sync, m.sync),
};

static bool *flag_of(struct pane *p, const struct dec_mode *d)
{
	return (bool *)(void *)((char *)p + d->flag);
}

static const struct dec_mode *dec_mode(int num)
{
	for (size_t i = 0; i < ARRAY_SIZE(dec_modes); i++) {
		if (dec_modes[i].num == num)
			return &dec_modes[i];
	}
	return NULL;
}

static void dec_set(struct pane *p, const struct seq *s, bool on)
{
	for (unsigned i = 0; i < s->nparam; i++) {
		const struct dec_mode *d = dec_mode(s->param[i]);

		if (!d)
			continue;
		if (d->fn)
			d->fn(p, on);
		else
			*flag_of(p, d) = on;
	}
}

static void do_dec_set(struct pane *p, const struct seq *s)
{
	dec_set(p, s, true);
}

static void do_dec_reset(struct pane *p, const struct seq *s)
{
	dec_set(p, s, false);
}

static void ansi_set(struct pane *p, const struct seq *s, bool on)
{
	for (unsigned i = 0; i < s->nparam; i++) {
		if (s->param[i] != 4 && s->param[i] != 20)
			continue;
		vt_csi(p, "", s->param[i], -1, on ? "h" : "l");
		*(s->param[i] == 4 ? &p->insert : &p->m.newline) = on;
	}
}

static void do_ansi_set(struct pane *p, const struct seq *s)
{
	ansi_set(p, s, true);
}

static void do_ansi_reset(struct pane *p, const struct seq *s)
{
	ansi_set(p, s, false);
}

/* DECRQM: 1 set, 2 reset, 0 not known. */
static void do_dec_query(struct pane *p, const struct seq *s)
{
	int num = param(s, 0, 0), state = 0;
	const struct dec_mode *d = dec_mode(num);

	if (d)
		state = (d->mouse ? p->m.mouse == d->mouse : *flag_of(p, d)) ? 1 : 2;
	reply(p, "\033[?%d;%d$y", num, state);
}

static void do_ansi_query(struct pane *p, const struct seq *s)
{
	int num = param(s, 0, 0), state = 0;

	if (num == 4)
		state = p->insert ? 1 : 2;
	else if (num == 20)
		state = p->m.newline ? 1 : 2;
	reply(p, "\033[%d;%d$y", num, state);
}

/* ---- keyboard modes ---------------------------------------------------------------------------- */

static void do_kitty_push(struct pane *p, const struct seq *s)
{
	struct kitty *k = &p->kitty[p->m.alt_screen];

	if (k->n == KITTY_DEPTH - 1) {
		memmove(k->flags + 1, k->flags + 2, (KITTY_DEPTH - 2) * sizeof(k->flags[0]));
		k->n--;
	}
	k->flags[++k->n] = (unsigned)param(s, 0, 0);
	kitty_apply(p);
}

static void do_kitty_pop(struct pane *p, const struct seq *s)
{
	struct kitty *k = &p->kitty[p->m.alt_screen];
	unsigned n = (unsigned)param(s, 0, 1);

	k->n -= MIN(n, k->n);
	if (!k->n)
		k->flags[0] = 0;
	kitty_apply(p);
}

static void do_kitty_set(struct pane *p, const struct seq *s)
{
	struct kitty *k = &p->kitty[p->m.alt_screen];
	unsigned flags = (unsigned)param(s, 0, 0), *now = &k->flags[k->n];

	switch (param(s, 1, 1)) {
	case 1: *now = flags; break;
	case 2: *now |= flags; break;
	case 3: *now &= ~flags; break;
	}
	kitty_apply(p);
}

static void do_kitty_query(struct pane *p, const struct seq *s)
{
	(void)s;
	reply(p, "\033[?%uu", p->m.kitty_keys);
}

static void do_modify_keys(struct pane *p, const struct seq *s)
{
	if (s->nparam && param(s, 0, 4) != 4)
		return;
	p->m.modify_other_keys = MIN(param(s, 1, 0), 2);
}

static void do_modify_query(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 4)
		reply(p, "\033[>4;%dm", p->m.modify_other_keys);
}

static void do_cursor_shape(struct pane *p, const struct seq *s)
{
	int shape = param(s, 0, 0);

	if (shape > 6)
		return;
	p->m.cursor_shape = shape;
	p->m.cursor_blink = shape == 0 || shape % 2;
}

/* ---- what goes to libvterm --------------------------------------------------------------------- */

/* Written anew: at most two numbers, clamped; libvterm's own parser sees nothing it has not seen a thousand times. */
static void do_forward(struct pane *p, const struct seq *s)
{
	char leader[2] = { s->leader, 0 }, final[3] = { s->final, 0 };
	int a = param(s, 0, -1), b = param(s, 1, -1);

	if (s->inter[0]) {
		final[0] = s->inter[0];
		final[1] = s->final;
	}
	vt_csi(p, leader, MIN(a, FORWARD_NUM_MAX), MIN(b, FORWARD_NUM_MAX), final);
}

/* Deleted lines are gone; only what scrolls off is kept. */
static void do_delete_lines(struct pane *p, const struct seq *s)
{
	p->keep_lines = false;
	do_forward(p, s);
	p->keep_lines = true;
}

static void do_erase_display(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 3)
		grid_clear_scrollback(p->grid);
	else
		do_forward(p, s);
}

/* False: no region, or one of a single line or column, and nothing is changed. */
static bool margin(int *from, int *to, int a, int b, int size)
{
	a = MAX(a, 1) - 1;
	b = b <= 0 ? size : MIN(b, size);
	if (b - a < 2)
		return false;
	*from = a;
	*to = b;
	return true;
}

static void do_margins(struct pane *p, const struct seq *s)
{
	if (margin(&p->top, &p->bottom, param(s, 0, 1), param(s, 1, 0), p->rows))
		vt_csi(p, "", p->top + 1, p->bottom, "r");
}

/* CSI s is two things. */
static void do_lrmargins(struct pane *p, const struct seq *s)
{
	if (!p->lrmargin && !s->nparam)
		do_save(p, s);
	else if (p->lrmargin && margin(&p->left, &p->right, param(s, 0, 1), param(s, 1, 0), p->cols))
		vt_csi(p, "", p->left + 1, p->right, "s");
}

static void do_protect(struct pane *p, const struct seq *s)
{
	if (param(s, 0, 0) == 1)
		p->pen.attr |= CELL_PROTECTED;
	else
		p->pen.attr &= (uint16_t)~CELL_PROTECTED;
}

static void modes_default(struct pane *p)
{
	p->m = (struct pane_modes){ .alt_screen = p->m.alt_screen, .cursor_visible = true, .cursor_blink = true };
	p->insert = p->origin = p->lrmargin = false;
	p->autowrap = true;
	p->top = p->left = 0;
	p->bottom = p->rows;
	p->right = p->cols;
	p->pen = (struct cell){ 0 };
	p->sets = (struct charsets){ 0 };
	p->single_shift = 0;
	memset(p->kitty, 0, sizeof(p->kitty));
	p->saved[p->m.alt_screen] = (struct saved){ 0 };
}

/* DECSTR. What is on the screen stays, and the cursor where it is. */
static void do_soft_reset(struct pane *p, const struct seq *s)
{
	(void)s;
	vt_sync(p);
	modes_default(p);
	vterm_state_reset(p->state, 0);
}

static void do_full_reset(struct pane *p, const struct seq *s)
{
	alt_screen(p, false);
	do_soft_reset(p, s);
	vterm_state_reset(p->state, 1);
}

static void margins_reset(struct pane *p)
{
	if (p->lrmargin)
		set_lrmargin(p, false);
	if (p->origin)
		set_origin(p, false);
	p->top = p->left = 0;
	p->bottom = p->rows;
	p->right = p->cols;
	vt_csi(p, "", -1, -1, "r");	/* and the cursor is at home */
}

/* DECALN */
static void do_align(struct pane *p)
{
	static const struct cell plain;

	margins_reset(p);
	for (int row = 0; row < p->rows; row++) {
		for (int col = 0; col < p->cols; col++)
			grid_put_ascii(p->grid, row, col, "E", 1, &plain);
	}
}

/* ---- CSI --------------------------------------------------------------------------------------- */

static const struct csi_op {
	char	leader, inter, final;
	void	(*fn)(struct pane *p, const struct seq *s);
} csi_ops[] = {
	/* the frequent ones first */
	{ 0, 0, 'H', do_forward },	{ 0, 0, 'K', do_forward },	{ 0, 0, 'C', do_forward },
	{ 0, 0, 'G', do_forward },	{ 0, 0, 'A', do_forward },	{ 0, 0, 'B', do_forward },
	{ '?', 0, 'h', do_dec_set },	{ '?', 0, 'l', do_dec_reset },	{ 0, 0, 'J', do_erase_display },
	{ 0, 0, '@', do_forward },	{ 0, 0, 'D', do_forward },	{ 0, 0, 'E', do_forward },
	{ 0, 0, 'F', do_forward },	{ 0, 0, 'I', do_forward },	{ 0, 0, 'L', do_forward },
	{ 0, 0, 'M', do_delete_lines },	{ 0, 0, 'P', do_forward },	{ 0, 0, 'S', do_forward },
	{ 0, 0, 'T', do_forward },	{ 0, 0, 'X', do_forward },	{ 0, 0, 'Z', do_forward },
	{ 0, 0, '`', do_forward },	{ 0, 0, 'a', do_forward },	{ 0, 0, 'b', repeat },
	{ 0, 0, 'c', do_da1 },		{ '>', 0, 'c', do_da2 },	{ '=', 0, 'c', do_da3 },
	{ 0, 0, 'd', do_forward },	{ 0, 0, 'e', do_forward },	{ 0, 0, 'f', do_forward },
	{ 0, 0, 'g', do_forward },	{ 0, 0, 'h', do_ansi_set },	{ 0, 0, 'l', do_ansi_reset },
	{ 0, 0, 'j', do_forward },	{ 0, 0, 'k', do_forward },	{ 0, 0, 'n', do_dsr },
	{ '?', 0, 'n', do_dec_dsr },	{ 0, '!', 'p', do_soft_reset },	{ '?', '$', 'p', do_dec_query },
	{ 0, '$', 'p', do_ansi_query },	{ '>', 0, 'q', do_xtversion },	{ 0, ' ', 'q', do_cursor_shape },
	{ 0, '"', 'q', do_protect },	{ 0, 0, 'r', do_margins },	{ 0, 0, 's', do_lrmargins },
	{ 0, 0, 't', do_window },	{ 0, 0, 'u', do_restore },	{ '>', 0, 'u', do_kitty_push },
	{ '<', 0, 'u', do_kitty_pop },	{ '=', 0, 'u', do_kitty_set },	{ '?', 0, 'u', do_kitty_query },
	{ '>', 0, 'm', do_modify_keys },	{ '?', 0, 'm', do_modify_query },
	{ '?', 0, 'J', do_forward },	{ '?', 0, 'K', do_forward },
	{ 0, '\'', '}', do_forward },	{ 0, '\'', '~', do_forward },
};

static bool has_sub(const struct seq *s)
{
	for (unsigned i = 0; i < s->nparam; i++) {
		if (s->sub[i])
			return true;
	}
	return false;
}

static void on_csi(struct pane *p, const struct seq *s)
{
	if (s->final == 'm' && !s->leader && !s->inter[0]) {
		sgr_apply(&p->pen, s);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(csi_ops); i++) {
		const struct csi_op *o = &csi_ops[i];

		if (o->final != s->final || o->leader != s->leader || o->inter != s->inter[0])
			continue;
		if (s->inter[1] || has_sub(s))
			break;
		o->fn(p, s);
		break;
	}
	/* REP may be said twice; what it repeats is the glyph before. */
	p->last.valid = p->last.valid && s->final == 'b';
}

/* ---- controls and escapes ---------------------------------------------------------------------- */

static void on_control(struct pane *p, const struct seq *s)
{
	switch (s->final) {
	case '\a':
		if (p->ev.bell)
			p->ev.bell(p->ev.arg);
		return;
	case 0x0e:
	case 0x0f:
		p->sets.gl = s->final == 0x0e;
		return;
	case '\b': case '\t': case '\n': case '\v': case '\f': case '\r':
		vt_sync(p);
		vt_write(p, &s->final, 1);
		p->last.valid = false;
		return;
	}
}

static enum charset charset_of(char final)
{
	return final == '0' ? CHARSET_GRAPHICS : final == 'A' ? CHARSET_UK : CHARSET_ASCII;
}

static void escape_plain(struct pane *p, const struct seq *s)
{
	char bytes[2] = { '\033', s->final };

	switch (s->final) {
	case '7': do_save(p, s); break;
	case '8': do_restore(p, s); break;
	case 'D': case 'E': case 'H': case 'M':
		vt_sync(p);
		vt_write(p, bytes, 2);
		break;
	case 'N': p->single_shift = 2; break;
	case 'O': p->single_shift = 3; break;
	case 'c': do_full_reset(p, s); break;
	case 'n': p->sets.gl = 2; break;
	case 'o': p->sets.gl = 3; break;
	case '=': p->m.app_keypad = true; break;
	case '>': p->m.app_keypad = false; break;
	}
}

static void on_escape(struct pane *p, const struct seq *s)
{
	if (s->inter[1])
		return;
	switch (s->inter[0]) {
	case 0:
		escape_plain(p, s);
		break;
	case '(': case ')': case '*': case '+':
		p->sets.g[s->inter[0] - '('] = charset_of(s->final);
		return;		/* moves nothing: a mark may still follow */
	case '#':
		if (s->final == '8')
			do_align(p);
		break;
	}
	p->last.valid = false;
}

/* ---- OSC --------------------------------------------------------------------------------------- */

static void osc_title(struct pane *p, int number, const char *s, size_t len)
{
	(void)number;
	title_set(p, s, len);
}

static void osc_marks(struct pane *p, int number, const char *s, size_t len)
{
	struct mark m;

	buf_clear(&p->tmp);
	if (!p->ev.mark || !osc_mark(number, s, len, &m, &p->tmp))
		return;
	cursor(p, &m.row, &m.col);
	p->ev.mark(p->ev.arg, &m);
}

/* 8 ; id=x:other=y ; URI */
static void osc_link(struct pane *p, int number, const char *s, size_t len)
{
	const char *semi = memchr(s, ';', len), *id = s;
	size_t nparams, idlen = 0;

	(void)number;
	p->pen.link = 0;
	if (!semi)
		return;
	nparams = (size_t)(semi - s);
	for (size_t at = 0; at < nparams;) {
		const char *colon = memchr(s + at, ':', nparams - at);
		size_t n = colon ? (size_t)(colon - s) - at : nparams - at;

		if (n > 3 && !memcmp(s + at, "id=", 3)) {
			id = s + at + 3;
			idlen = n - 3;
		}
		at += n + 1;
	}
	p->pen.link = (uint16_t)grid_add_link(p->grid, id, idlen, semi + 1, len - nparams - 1);
}

/* Writing only. Reading would hand the person's clipboard to whatever runs in the pane. */
static void osc_clipboard(struct pane *p, int number, const char *s, size_t len)
{
	const char *semi = memchr(s, ';', len);
	size_t skip;

	(void)number;
	if (!semi || !p->ev.clipboard)
		return;
	skip = (size_t)(semi - s) + 1;
	buf_clear(&p->tmp);
	if (osc_base64(s + skip, len - skip, &p->tmp))
		p->ev.clipboard(p->ev.arg, buf_str(&p->tmp), p->tmp.len);
}

static uint32_t cube(int i)
{
	static const uint8_t level[] = { 0, 95, 135, 175, 215, 255 };

	return (uint32_t)level[i / 36 % 6] << 16 | (uint32_t)level[i / 6 % 6] << 8 | level[i % 6];
}

/* xterm's palette. */
static uint32_t palette(int i)
{
	static const uint32_t low[16] = {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	};

	if (i < 16)
		return low[i];
	return i < 232 ? cube(i - 16) : (uint32_t)(8 + 10 * (i - 232)) * 0x010101u;
}

static void colour_reply(struct pane *p, const char *what, uint32_t c)
{
	unsigned r = c >> 16 & 0xff, g = c >> 8 & 0xff, b = c & 0xff;

	reply(p, "\033]%s;rgb:%02x%02x/%02x%02x/%02x%02x\033\\", what, r, r, g, g, b, b);
}

/* 4 ; n ; ? [; n ; ?]. Setting is ignored: colours belong to the person's terminal. */
static void osc_palette(struct pane *p, int number, const char *s, size_t len)
{
	(void)number;
	for (int k = 0; len && k < COLOUR_QUERIES; k++) {
		char what[16];
		int n = osc_number(s, len, &s, &len);

		if (n < 0)
			return;
		if (n < 256 && len && s[0] == '?') {
			snprintf(what, sizeof(what), "4;%d", n);
			colour_reply(p, what, palette(n));
		}
		while (len && s[0] != ';')
			s++, len--;
		if (len)
			s++, len--;
	}
}

/* 10 to 19: text, background, cursor, ... One constant dark scheme. */
static void osc_colour(struct pane *p, int number, const char *s, size_t len)
{
	static const uint32_t colours[10] = {
		0xe5e5e5, 0x000000, 0xe5e5e5, 0xe5e5e5, 0x000000, 0xe5e5e5, 0x000000, 0x444444, 0xe5e5e5, 0xe5e5e5,
	};
	char what[16];

	if (len != 1 || s[0] != '?')
		return;
	snprintf(what, sizeof(what), "%d", number);
	colour_reply(p, what, colours[number - 10]);
}

static const struct { int from, to; void (*fn)(struct pane *p, int number, const char *s, size_t len); } osc_ops[] = {
	{ 0, 0, osc_title }, { 2, 2, osc_title }, { 4, 4, osc_palette }, { 7, 7, osc_marks }, { 8, 8, osc_link },
	{ 10, 19, osc_colour }, { 52, 52, osc_clipboard }, { 133, 133, osc_marks }, { 633, 633, osc_marks },
};

static void on_osc(struct pane *p, const struct seq *s)
{
	const char *rest;
	size_t len;
	int number = osc_number(s->text, s->len, &rest, &len);

	for (size_t i = 0; i < ARRAY_SIZE(osc_ops); i++) {
		if (number >= osc_ops[i].from && number <= osc_ops[i].to)
			osc_ops[i].fn(p, number, rest, len);
	}
}

/* ---- DCS --------------------------------------------------------------------------------------- */

/* DECRQSS: the reply says the state, never what was asked. */
static void dcs_status(struct pane *p, const char *what)
{
	char sgr[192];
	struct buf b;

	if (!strcmp(what, "m")) {
		buf_init(&b, sizeof(sgr) - 1);
		sgr_write(&p->pen, &b);
		snprintf(sgr, sizeof(sgr), "%s", buf_str(&b));
		buf_done(&b);
		reply(p, "\033P1$r%sm\033\\", sgr);
	} else if (!strcmp(what, "r")) {
		reply(p, "\033P1$r%d;%dr\033\\", p->top + 1, p->bottom);
	} else if (!strcmp(what, "s")) {
		reply(p, "\033P1$r%d;%ds\033\\", p->left + 1, p->right);
	} else if (!strcmp(what, " q")) {
		reply(p, "\033P1$r%d q\033\\", p->m.cursor_shape);
	} else if (!strcmp(what, "\"q")) {
		reply(p, "\033P1$r%d\"q\033\\", p->pen.attr & CELL_PROTECTED ? 1 : 0);
	} else {
		reply(p, "\033P0$r\033\\");
	}
}

/* XTGETTCAP: both sides are hexadecimal; names and values come from here. */
static void dcs_termcap(struct pane *p, const char *names)
{
	static const struct { const char *name, *hex, *value; } known[] = {
		{ "TN", "544e", "787465726d2d323536636f6c6f72" },	/* xterm-256color */
		{ "Co", "436f", "323536" },				/* 256 */
		{ "colors", "636f6c6f7273", "323536" },
		{ "RGB", "524742", "382f382f38" },			/* 8/8/8 */
	};

	for (int k = 0; *names && k < 32; k++) {
		size_t len = strcspn(names, ";"), i;

		for (i = 0; i < ARRAY_SIZE(known); i++) {
			if (len == strlen(known[i].hex) && !strncasecmp(names, known[i].hex, len))
				break;
		}
		if (i < ARRAY_SIZE(known))
			reply(p, "\033P1+r%s=%s\033\\", known[i].hex, known[i].value);
		else
			reply(p, "\033P0+r\033\\");
		names += len + (names[len] == ';');
	}
}

static void on_dcs(struct pane *p, const struct seq *s)
{
	if (s->len >= 2 && !memcmp(s->text, "$q", 2))
		dcs_status(p, s->text + 2);
	else if (s->len >= 2 && !memcmp(s->text, "+q", 2))
		dcs_termcap(p, s->text + 2);
}

/* ---- the pane ---------------------------------------------------------------------------------- */

static void on_seq(void *arg, const struct seq *s)
{
	struct pane *p = arg;

	switch (s->kind) {
	case SEQ_TEXT: on_text(p, s->text, s->len); break;
	case SEQ_CTRL: on_control(p, s); break;
	case SEQ_ESC: on_escape(p, s); break;
	case SEQ_CSI: on_csi(p, s); break;
	case SEQ_OSC: on_osc(p, s); break;
	case SEQ_DCS: on_dcs(p, s); break;
	case SEQ_APC: case SEQ_PM: case SEQ_SOS: break;
	}
}

static void vt_init(struct pane *p)
{
	vterm_check_version(VTERM_VERSION_MAJOR, VTERM_VERSION_MINOR);
	p->vt = vterm_new_with_allocator(p->rows, p->cols, &vt_allocator, NULL);
	vterm_set_utf8(p->vt, 1);
	p->state = vterm_obtain_state(p->vt);
	vterm_state_set_callbacks(p->state, &state_callbacks, p);
	vterm_state_reset(p->state, 1);
}

static int clamp_size(int n)
{
	return MIN(MAX(n, SIZE_MIN), SIZE_LIMIT);
}

struct pane *pane_new(int rows, int cols, size_t scrollback, const struct pane_events *ev)
{
	struct pane *p = xcalloc(1, sizeof(*p));

	if (ev)
		p->ev = *ev;
	p->rows = clamp_size(rows);
	p->cols = clamp_size(cols);
	p->keep_lines = true;
	p->grid = grid_new(p->rows, p->cols, scrollback);
	p->seq = seq_new(on_seq, p);
	buf_init(&p->tmp, SEQ_STRING_MAX);
	modes_default(p);
	vt_init(p);
	return p;
}

void pane_free(struct pane *p)
{
	if (!p)
		return;
	vterm_free(p->vt);
	seq_free(p->seq);
	grid_free(p->grid);
	free(p->title);
	for (unsigned i = 0; i < p->ntitle; i++)
		free(p->title_stack[i]);
	buf_done(&p->tmp);
	free(p);
}

static void tell(struct pane *p)
{
	if (p->told || !p->ev.damage)
		return;
	p->told = true;
	p->ev.damage(p->ev.arg);
}

void pane_write(struct pane *p, const char *data, size_t len)
{
	seq_feed(p->seq, data, len);
	vt_sync(p);
	if (len)
		tell(p);
}

/*
 * libvterm keeps margins that are outside of a smaller screen and walks beyond its memory with
 * them, so they are reset first, as xterm does. The saved cursor is ours and clamped when used.
 */
void pane_resize(struct pane *p, int rows, int cols)
{
	int row, col, cursor_row[2];

	rows = clamp_size(rows);
	cols = clamp_size(cols);
	if (rows == p->rows && cols == p->cols)
		return;
	cursor(p, &row, &col);
	margins_reset(p);
	cursor_row[p->m.alt_screen] = row;
	cursor_row[!p->m.alt_screen] = p->saved[0].row;
	grid_resize(p->grid, rows, cols, cursor_row);
	if (p->m.alt_screen)
		p->saved[0].row = cursor_row[0];
	p->rows = rows;
	p->cols = cols;
	p->bottom = rows;
	p->right = cols;
	vterm_set_size(p->vt, rows, cols);
	cursor_to(p, MIN(cursor_row[p->m.alt_screen], rows - 1), MIN(col, cols - 1));
	p->last.valid = false;
	tell(p);
}

const struct grid *pane_grid(const struct pane *p)
{
	return p->grid;
}

void pane_cursor(const struct pane *p, int *row, int *col)
{
	cursor(p, row, col);
	*row = MIN(MAX(*row, 0), p->rows - 1);
	*col = MIN(MAX(*col, 0), p->cols - 1);
}

const struct pane_modes *pane_modes(const struct pane *p)
{
	return &p->m;
}

int pane_sync_left(const struct pane *p)
{
	uint64_t now;

	if (!p->m.sync)
		return -1;
	now = io_now_ns();
	return now - p->sync_at >= SYNC_NS ? 0 : (int)((SYNC_NS - (now - p->sync_at)) / 1000000) + 1;
}

bool pane_take_damage(struct pane *p, int *from, int *to)
{
	p->told = false;
	if (pane_sync_left(p) > 0)
		return false;
	return grid_take_damage(p->grid, from, to);
}

/* One row without its trailing blanks. */
static void row_text(const struct grid *g, int row, struct buf *out)
{
	const struct cell *line = grid_line(g, row);
	size_t keep = out->len;
	char s[64];

	for (int i = 0; line && i < grid_cols(g); i++) {
		size_t n = grid_cell_text(g, &line[i], s);

		if (line[i].attr & CELL_WIDE_TAIL)
			continue;
		if (n)
			buf_add(out, s, n);
		else
			buf_addc(out, ' ');
		if (n && !(n == 1 && s[0] == ' '))
			keep = out->len;
	}
	buf_truncate(out, keep);
	buf_addc(out, '\n');
}

char *pane_text(const struct pane *p, int from, int to)
{
	struct buf b;

	buf_init(&b, SIZE_MAX / 2);
	from = MAX(from, -(int)grid_scrollback(p->grid));
	for (int r = from; r < MIN(to, p->rows); r++)
		row_text(p->grid, r, &b);
	return buf_steal(&b);
}

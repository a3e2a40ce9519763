#include "ui/screen.h"

#include <string.h>

#include "base/io.h"
#include "ui/banner.h"
#include "ui/status.h"
#include "ui/view.h"

#define FRAME_MAX	(64u << 20)	/* bytes of one frame: 1000 x 1000 cells, each with its own colours */
#define SIZE_MIN	1
#define SIZE_MAX_CELLS	1000
#define MS		1000000u	/* ns */

/* A cell of the chrome; the pane is seen where nothing is drawn. */
struct chrome {
	struct cell	cell;
	bool		drawn;
};

struct screen {
	int			 rows, cols;
	screen_out_fn		*fn;		/* borrowed, as is arg */
	void			*arg;
	screen_clock_fn		*clock;
	char			*termtype;	/* owned */
	struct outer_caps	 caps;
	struct outer_modes	 modes;		/* what the terminal was told */
	bool			 entered;
	struct view		*view;
	struct tk		*tk;
	struct chrome		*chrome;	/* rows x cols */
	struct cell		*cells;		/* rows x cols: the frame in the making */
	bool			*dirty;		/* rows of the screen to hand to the view */
	bool			*chromed;	/* rows with something of the chrome on them */
	struct status		*status;
	bool			 chrome_dirty;
	struct banner		*banner;	/* NULL: none */
	int			 banner_row, banner_rows;
	int			 shift;		/* pane row that is at the top of the screen */
	uint64_t		 shown_at;	/* when the banner was flushed; 0: not yet */
	bool			 armed, reverse;	/* as drawn */
	struct buf		 body, out;	/* of the frame in the making; kept for their memory */
};

/* ---- life ------------------------------------------------------------------------------------------ */

static int clamp(int n)
{
	return MIN(MAX(n, SIZE_MIN), SIZE_MAX_CELLS);
}

/* Surfaces of this size; everything is drawn at the next flush. */
static void alloc(struct screen *s, int rows, int cols)
{
	size_t cells;

	s->rows = clamp(rows);
	s->cols = clamp(cols);
	cells = (size_t)s->rows * (size_t)s->cols;
	free(s->chrome);
	free(s->cells);
	free(s->dirty);
	free(s->chromed);
	tk_free(s->tk);
	s->chrome = xcalloc(cells, sizeof(*s->chrome));
	s->cells = xcalloc(cells, sizeof(*s->cells));
	s->dirty = xcalloc((size_t)s->rows, sizeof(*s->dirty));
	s->chromed = xcalloc((size_t)s->rows, sizeof(*s->chromed));
	s->tk = tk_new(s->rows, s->cols);
	view_resize(s->view, s->rows, s->cols);
	s->chrome_dirty = true;
}

struct screen *screen_new(int rows, int cols, const char *termtype, screen_out_fn *fn, void *arg)
{
	struct screen *s = xcalloc(1, sizeof(*s));

	*s = (struct screen){ .fn = fn, .arg = arg, .clock = io_now_ns, .view = view_new(1, 1),
			      .termtype = xstrdup(termtype ? termtype : ""), .status = status_new() };
	buf_init(&s->body, FRAME_MAX);
	buf_init(&s->out, FRAME_MAX);
	s->modes.cursor_visible = true;
	alloc(s, rows, cols);
	screen_set_colorterm(s, NULL);
	return s;
}

void screen_free(struct screen *s)
{
	size_t len;
	const char *bytes = screen_restore_bytes(&len);

	if (!s)
		return;
	if (s->entered)
		s->fn(s->arg, bytes, len);
	banner_free(s->banner);
	status_free(s->status);
	view_free(s->view);
	tk_free(s->tk);
	buf_done(&s->body);
	buf_done(&s->out);
	free(s->chrome);
	free(s->cells);
	free(s->dirty);
	free(s->chromed);
	free(s->termtype);
	free(s);
}

void screen_set_colorterm(struct screen *s, const char *colorterm)
{
	outer_caps_of(&s->caps, s->termtype, colorterm);
	view_set_caps(s->view, &s->caps);
}

void screen_set_clock(struct screen *s, screen_clock_fn *fn)
{
	s->clock = fn ? fn : io_now_ns;
}

const char *screen_restore_bytes(size_t *len)
{
	return outer_restore(len);
}

void screen_resize(struct screen *s, int rows, int cols)
{
	alloc(s, rows, cols);
	/* What is seen of the banner changes with the size: it counts as shown anew. */
	s->shown_at = 0;
}

/* Rows for the pane on the terminal; the status line goes where there would be less than two. */
static int area_rows(const struct screen *s)
{
	return s->rows > 2 ? s->rows - 1 : s->rows;
}

void screen_pane_size(const struct screen *s, int *rows, int *cols)
{
	*rows = MAX(area_rows(s), 2);
	*cols = MAX(s->cols, 2);
}

void screen_redraw(struct screen *s)
{
	view_forget(s->view);
}

void screen_status(struct screen *s, const struct screen_status *st)
{
	if (status_set(s->status, st))
		s->chrome_dirty = true;
}

/* ---- banner ------------------------------------------------------------------------------------------ */

void screen_banner(struct screen *s, const struct verdict *v, const char *line, size_t len)
{
	banner_free(s->banner);
	s->banner = banner_new(v, line, len);
	s->shown_at = 0;
	s->armed = false;
	s->chrome_dirty = true;
}

void screen_banner_hide(struct screen *s)
{
	if (!s->banner)
		return;
	banner_free(s->banner);
	s->banner = NULL;
	s->banner_rows = 0;
	s->chrome_dirty = true;
}

bool screen_banner_visible(const struct screen *s)
{
	return s->banner != NULL;
}

/* Keys that were on their way before the banner could be read approve nothing. */
static bool is_armed(const struct screen *s)
{
	return s->banner && s->shown_at && s->clock() - s->shown_at >= (uint64_t)SCREEN_ARM_MS * MS;
}

int screen_timer_ms(const struct screen *s)
{
	uint64_t age;

	if (!s->banner || !s->shown_at || s->armed)
		return -1;
	age = s->clock() - s->shown_at;
	if (age >= (uint64_t)SCREEN_ARM_MS * MS)
		return 0;
	return (int)(SCREEN_ARM_MS - age / MS);
}

static enum answer char_key(struct screen *s, const struct key *k)
{
	if (k->mod == KEY_CTRL && k->cp == 'c')
		return ANSWER_NO;
	if (k->mod & ~(unsigned)KEY_SHIFT)
		return ANSWER_NONE;
	switch (k->cp) {
	case 'n':
	case 'N':
		return ANSWER_NO;
	case 'y':
		return is_armed(s) && banner_can_approve(s->banner) ? ANSWER_YES : ANSWER_NONE;
	case 'e':
		return is_armed(s) ? ANSWER_EDIT : ANSWER_NONE;
	case '?':
		banner_toggle_explain(s->banner);
		s->chrome_dirty = true;
		return ANSWER_NONE;
	default:
		return ANSWER_NONE;
	}
}

static const struct { enum key_name name; enum banner_scroll how; } scroll_keys[] = {
	{ KEYN_UP, BANNER_UP }, { KEYN_DOWN, BANNER_DOWN }, { KEYN_PGUP, BANNER_PAGE_UP },
	{ KEYN_PGDN, BANNER_PAGE_DOWN }, { KEYN_HOME, BANNER_TOP }, { KEYN_END, BANNER_BOTTOM },
};

static void scroll(struct screen *s, enum banner_scroll how)
{
	if (!banner_explains(s->banner))
		return;
	banner_scroll(s->banner, how);
	s->chrome_dirty = true;
}

static enum answer named_key(struct screen *s, const struct key *k)
{
	if (k->name == KEYN_ESCAPE)
		return ANSWER_NO;
	if (k->name == KEYN_ENTER && banner_is_notice(s->banner) && is_armed(s))
		return ANSWER_NO;
	for (size_t i = 0; i < ARRAY_SIZE(scroll_keys); i++) {
		if (scroll_keys[i].name == k->name)
			scroll(s, scroll_keys[i].how);
	}
	return ANSWER_NONE;
}

enum answer screen_banner_key(struct screen *s, const struct key *k)
{
	if (!s->banner)
		return ANSWER_NONE;
	switch (k->kind) {
	case KEY_CHAR:
		return char_key(s, k);
	case KEY_NAMED:
		return named_key(s, k);
	case KEY_MOUSE:
		if (k->button == 64 || k->button == 65)
			scroll(s, k->button == 64 ? BANNER_UP : BANNER_DOWN);
		return ANSWER_NONE;
	default:			/* a paste never answers */
		return ANSWER_NONE;
	}
}

/* ---- drawing ----------------------------------------------------------------------------------------- */

static bool row_is_blank(const struct grid *g, int row)
{
	const struct cell *line = grid_line(g, row);

	for (int c = 0; line && c < grid_cols(g); c++) {
		if (line[c].cp && line[c].cp != ' ')
			return false;
	}
	return true;
}

/* The last row of what was typed: at Enter the terminal has moved to a new, empty row already. */
static int prompt_row(struct pane *p)
{
	const struct grid *g = pane_grid(p);
	int row, col;

	pane_cursor(p, &row, &col);
	if (row > 0 && col == 0 && row_is_blank(g, row))
		row--;
	return MIN(MAX(row, 0), grid_rows(g) - 1);
}

/* Row of the pane that must be seen: the prompt under a banner, else the cursor. */
static int key_row(const struct screen *s, struct pane *p)
{
	int row, col;

	if (s->banner)
		return prompt_row(p);
	pane_cursor(p, &row, &col);
	return MAX(row, 0);
}

/* Where banner and pane stand. The view of the pane is shifted, never its grid; the prompt stays in sight. */
static void place(struct screen *s, struct pane *p)
{
	int area = area_rows(s), row = key_row(s, p), shift, top;

	if (s->banner && s->chrome_dirty)
		s->banner_rows = banner_layout(s->banner, MAX(area - 1, 1), s->cols);
	shift = MIN(MAX(row + 1 + s->banner_rows - area, 0), row);
	top = MIN(row + 1 - shift, area - s->banner_rows);
	if (s->banner && top != s->banner_row)
		s->chrome_dirty = true;
	s->banner_row = top;
	if (shift != s->shift || s->reverse != pane_modes(p)->reverse_video)
		memset(s->dirty, true, (size_t)area * sizeof(*s->dirty));
	s->shift = shift;
	s->reverse = pane_modes(p)->reverse_video;
}

static void chrome_row(struct screen *s, int row)
{
	struct chrome *at = s->chrome + (size_t)row * (size_t)s->cols;

	for (int c = 0; c < s->cols; c++) {
		struct style_look look;
		char text[64];
		bool tail = c && at[c - 1].drawn && at[c - 1].cell.attr & CELL_WIDE;

		at[c].drawn = tk_cell(s->tk, row, c, &look, text);
		if (tail)
			at[c].cell = (struct cell){ .attr = CELL_WIDE_TAIL };
		else if (at[c].drawn)
			at[c].cell = view_from_text(s->view, text, look.fg, look.bg, look.attr);
	}
}

static bool has_chrome(const struct screen *s, int row)
{
	if (s->banner && row >= s->banner_row && row < s->banner_row + s->banner_rows)
		return true;
	return row >= area_rows(s);
}

static void draw_status(struct screen *s)
{
	bool deny = s->banner && banner_is_deny(s->banner);

	if (area_rows(s) < s->rows)
		status_draw(s->status, s->tk, s->rows - 1, s->cols, !s->banner ? NULL : deny ? " DENIED " : " ASK ",
			    deny ? STYLE_DENY_WORD : STYLE_ASK_WORD);
}

static void draw_chrome(struct screen *s)
{
	tk_clear(s->tk);
	draw_status(s);
	if (s->banner) {
		s->armed = is_armed(s);
		banner_draw(s->banner, s->tk, s->banner_row, s->armed);
	}
	for (int r = 0; r < s->rows; r++) {
		if (!s->chromed[r] && !has_chrome(s, r))
			continue;
		chrome_row(s, r);
		s->chromed[r] = has_chrome(s, r);
		s->dirty[r] = true;
	}
	s->chrome_dirty = false;
}

void screen_damage(struct screen *s, int from, int to)
{
	for (int r = MAX(from - s->shift, 0); r < to - s->shift && r < s->rows; r++)
		s->dirty[r] = true;
}

static void compose(struct screen *s, const struct grid *g, int row)
{
	const struct chrome *over = s->chrome + (size_t)row * (size_t)s->cols;
	struct cell *out = s->cells + (size_t)row * (size_t)s->cols;
	const struct cell *line = row < area_rows(s) && row + s->shift < grid_rows(g) ?
				  grid_line(g, row + s->shift) : NULL;

	for (int c = 0; c < s->cols; c++) {
		if (over[c].drawn) {
			out[c] = over[c].cell;
		} else if (line && c < grid_cols(g)) {
			out[c] = view_from_grid(s->view, g, &line[c]);
			out[c].attr ^= s->reverse ? CELL_REVERSE : 0;
		} else {
			out[c] = (struct cell){ 0 };
		}
	}
}

static int draw_rows(struct screen *s, struct pane *p, struct buf *out)
{
	int drawn;

	for (int r = 0; r < s->rows; r++) {
		if (s->dirty[r])
			compose(s, pane_grid(p), r);
	}
	drawn = view_draw(s->view, s->cells, s->dirty, area_rows(s), out);
	memset(s->dirty, false, (size_t)s->rows * sizeof(*s->dirty));
	return drawn;
}

static void want_modes(const struct screen *s, struct pane *p, struct outer_modes *m)
{
	const struct pane_modes *pm = pane_modes(p);

	*m = (struct outer_modes){
		.mouse = pm->mouse, .focus = pm->focus, .kitty = pm->kitty_keys != 0,
		.cursor_visible = pm->cursor_visible && !s->banner, .cursor_shape = pm->cursor_shape,
	};
}

/* The cursor goes where the pane has it, and is seen only if that place is on the screen. */
static void draw_cursor(struct screen *s, struct pane *p, struct outer_modes *want, struct buf *out)
{
	int row, col;

	pane_cursor(p, &row, &col);
	row -= s->shift;
	if (row < 0 || row >= area_rows(s) || col < 0)
		want->cursor_visible = false;
	if (want->cursor_visible)
		view_move(s->view, row, MIN(col, s->cols - 1), out);
	if (want->cursor_visible != s->modes.cursor_visible)
		buf_addf(out, "\x1b[?25%c", want->cursor_visible ? 'h' : 'l');
}

/* More than one row is shown at once where the terminal can; where not, at least the cursor does not dance. */
static void send(struct screen *s, int rows, const struct buf *body)
{
	bool many = rows > 1, dance = many && !s->caps.sync && s->modes.cursor_visible;

	if (!body->len)
		return;
	buf_clear(&s->out);
	if (many && s->caps.sync)
		buf_adds(&s->out, "\x1b[?2026h");
	if (dance)
		buf_adds(&s->out, "\x1b[?25l");
	buf_add(&s->out, body->data, body->len);
	if (dance)
		buf_adds(&s->out, "\x1b[?25h");
	if (many && s->caps.sync)
		buf_adds(&s->out, "\x1b[?2026l");
	s->fn(s->arg, s->out.data, s->out.len);
}

static void hide_cursor(struct screen *s, struct buf *out)
{
	if (s->modes.cursor_visible)
		buf_adds(out, "\x1b[?25l");
	s->modes.cursor_visible = false;
}

void screen_flush(struct screen *s, struct pane *p)
{
	struct buf *out = &s->body;
	struct outer_modes want;
	int from, to, rows;

	buf_clear(out);
	if (!s->entered)
		outer_enter(out);
	s->entered = true;
	while (pane_take_damage(p, &from, &to))
		screen_damage(s, from, to);
	place(s, p);
	if (view_is_stale(s->view)) {
		s->chrome_dirty = true;
		memset(s->dirty, true, (size_t)s->rows * sizeof(*s->dirty));
		hide_cursor(s, out);
	}
	view_begin(s->view, out);
	if (s->chrome_dirty || s->armed != is_armed(s))
		draw_chrome(s);
	rows = draw_rows(s, p, out);
	view_end(s->view, out);
	want_modes(s, p, &want);
	outer_change(&s->caps, &s->modes, &want, out);
	draw_cursor(s, p, &want, out);
	s->modes = want;
	send(s, rows, out);
	if (s->banner && !s->shown_at)
		s->shown_at = MAX(s->clock(), (uint64_t)1);
}

#include "ui/tk.h"

#include <tickit.h>

struct tk {
	TickitRenderBuffer	*rb;
	TickitPen		*pen[STYLE_COUNT];
	int			 rows, cols;
};

/* A pen knows no dim, and no chrome needs another font: the number of the font carries the attributes.
 * (0..9 is all that libtickit keeps; the bits below are the only ones that the styles use.) */
enum { FONT_BOLD = 1, FONT_DIM = 2, FONT_UNDER = 4 };

static int font_of(uint16_t attr)
{
	return (attr & CELL_BOLD ? FONT_BOLD : 0) | (attr & CELL_DIM ? FONT_DIM : 0) |
	       (attr & CELL_UNDERLINE ? FONT_UNDER : 0);
}

static uint16_t attr_of(int font)
{
	return (uint16_t)((font & FONT_BOLD ? CELL_BOLD : 0) | (font & FONT_DIM ? CELL_DIM : 0) |
			  (font & FONT_UNDER ? 1 << CELL_UNDERLINE_SHIFT : 0));
}

static int index_of(uint32_t color)
{
	return color == COLOR_DEFAULT ? -1 : (int)(color & 0xff);
}

static uint32_t color_of(const TickitPen *pen, TickitPenAttr attr)
{
	int i = tickit_pen_has_attr(pen, attr) ? tickit_pen_get_colour_attr(pen, attr) : -1;

	return i < 0 ? COLOR_DEFAULT : COLOR_INDEX(i);
}

struct tk *tk_new(int rows, int cols)
{
	struct tk *tk = xcalloc(1, sizeof(*tk));

	*tk = (struct tk){ .rb = tickit_renderbuffer_new(rows, cols), .rows = rows, .cols = cols };
	for (int i = 0; i < STYLE_COUNT; i++) {
		const struct style_look *l = &style_look[i];

		tk->pen[i] = tickit_pen_new_attrs(TICKIT_PEN_FG, index_of(l->fg), TICKIT_PEN_BG, index_of(l->bg),
						  TICKIT_PEN_ALTFONT, font_of(l->attr), 0);
	}
	return tk;
}

void tk_free(struct tk *tk)
{
	if (!tk)
		return;
	for (int i = 0; i < STYLE_COUNT; i++)
		tickit_pen_unref(tk->pen[i]);
	tickit_renderbuffer_unref(tk->rb);
	free(tk);
}

void tk_clear(struct tk *tk)
{
	tickit_renderbuffer_reset(tk->rb);
}

void tk_fill(struct tk *tk, int row, int col, int rows, int cols, enum style style)
{
	TickitRect r = { .top = row, .left = col, .lines = rows, .cols = cols };

	tickit_renderbuffer_setpen(tk->rb, tk->pen[style]);
	tickit_renderbuffer_eraserect(tk->rb, &r);
}

void tk_hline(struct tk *tk, int row, int from, int to, enum style style)
{
	tickit_renderbuffer_setpen(tk->rb, tk->pen[style]);
	tickit_renderbuffer_hline_at(tk->rb, row, from, to, TICKIT_LINE_SINGLE, 0);
}

void tk_frame(struct tk *tk, int row, int col, int rows, int cols, enum style style)
{
	tk_hline(tk, row, col, col + cols - 1, style);
	tk_hline(tk, row + rows - 1, col, col + cols - 1, style);
	tickit_renderbuffer_vline_at(tk->rb, row, row + rows - 1, col, TICKIT_LINE_SINGLE, 0);
	tickit_renderbuffer_vline_at(tk->rb, row, row + rows - 1, col + cols - 1, TICKIT_LINE_SINGLE, 0);
}

int tk_text(struct tk *tk, int row, int col, int end, const struct text *t, size_t from, size_t to)
{
	end = MIN(end, tk->cols);
	for (size_t i = from; i < to && i < t->n && col < end; i++) {
		const struct glyph *g = &t->g[i];
		int room = end - col;

		if (g->width > room && (i > from || g->len != g->width))
			break;			/* only an escape (one byte a column) can be drawn cut */
		tickit_renderbuffer_setpen(tk->rb, tk->pen[g->style]);
		/* Each glyph at its own column: our widths count, not libtickit's older tables. */
		tickit_renderbuffer_textn_at(tk->rb, row, col, t->bytes.data + g->off,
					     g->width > room ? (size_t)room : g->len);
		col += MIN(g->width, room);
	}
	return col;
}

int tk_puts(struct tk *tk, int row, int col, int end, enum style style, const char *s)
{
	struct text t;

	text_init(&t);
	text_add(&t, style, s);
	col = tk_text(tk, row, col, end, &t, 0, t.n);
	text_done(&t);
	return col;
}

bool tk_cell(struct tk *tk, int row, int col, struct style_look *look, char text[64])
{
	const TickitPen *pen;
	size_t n;

	if (tickit_renderbuffer_get_cell_active(tk->rb, row, col) <= 0)
		return false;
	n = tickit_renderbuffer_get_cell_text(tk->rb, row, col, text, 63);
	text[n < 64 ? n : 0] = '\0';	/* (size_t)-1: did not fit */
	pen = tickit_renderbuffer_get_cell_pen(tk->rb, row, col);
	*look = (struct style_look){
		.fg = color_of(pen, TICKIT_PEN_FG),
		.bg = color_of(pen, TICKIT_PEN_BG),
		.attr = attr_of(tickit_pen_get_int_attr(pen, TICKIT_PEN_ALTFONT)),
	};
	return true;
}

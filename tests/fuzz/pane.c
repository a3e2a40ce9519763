/* Output and resizes in any order leave a sane grid, and replies without bytes of the pane.
 * Byte 0xfe resizes: the two bytes after it are rows and columns. */
#include <string.h>

#include "term/pane.h"

static void on_reply(void *arg, const char *data, size_t len)
{
	(void)arg;
	for (size_t i = 0; i < len; i++) {
		if (data[i] != 0x1b && (data[i] < 0x20 || data[i] >= 0x7f))
			abort();
	}
}

static void on_mark(void *arg, const struct mark *m)
{
	(void)arg;
	if (m->text[m->len] || m->row < 0 || m->col < 0 || (m->nonce && strlen(m->nonce) > SEQ_STRING_MAX))
		abort();
}

static void on_title(void *arg, const char *text)
{
	(void)arg;
	if (strlen(text) > 4096)
		abort();
}

static void on_clip(void *arg, const char *data, size_t len)
{
	(void)arg;
	if (len > SEQ_STRING_MAX || data[len])
		abort();
}

static void check_row(const struct grid *g, int row)
{
	const struct cell *c = grid_line(g, row);
	char text[64];

	for (int i = 0; i < grid_cols(g); i++) {
		if (grid_cell_text(g, &c[i], text) > sizeof(text))
			abort();
		if ((c[i].attr & CELL_WIDE) && (i + 1 >= grid_cols(g) || !(c[i + 1].attr & CELL_WIDE_TAIL)))
			abort();
		if ((c[i].attr & CELL_WIDE_TAIL) && (i == 0 || !(c[i - 1].attr & CELL_WIDE)))
			abort();
		if (c[i].link && !grid_link(g, c[i].link))
			abort();
	}
}

static void check(const struct pane *p)
{
	const struct grid *g = pane_grid(p);
	int row, col;

	pane_cursor(p, &row, &col);
	if (row < 0 || row >= grid_rows(g) || col < 0 || col >= grid_cols(g))
		abort();
	for (int r = -(int)grid_scrollback(g); r < grid_rows(g); r++)
		check_row(g, r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pane_events ev = { .reply = on_reply, .mark = on_mark, .title = on_title, .clipboard = on_clip };
	struct pane *p = pane_new(6, 12, 20, &ev);
	size_t from = 0;
	char *text;

	for (size_t i = 0; i + 2 < size; i++) {
		if (data[i] != 0xfe)
			continue;
		pane_write(p, (const char *)data + from, i - from);
		pane_resize(p, data[i + 1] % 24, data[i + 2] % 40);
		check(p);
		i += 2;
		from = i + 1;
	}
	if (from < size)
		pane_write(p, (const char *)data + from, size - from);
	check(p);
	text = pane_text(p, -100, 100);
	free(text);
	pane_free(p);
	return 0;
}

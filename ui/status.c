#include "ui/status.h"

#include <string.h>

#define DIR_MIN		12	/* a directory shortened further says nothing */
#define MARK_MIN	30	/* columns from which there is room for a mark */

enum part { PART_SESSION, PART_DIR, PART_NOTE, PART_PROMPTS, PART_PROFILE, PART_NETWORK, PART_STATE, PART_COUNT };

/* In the order in which they are given up. The state is never given up, only cut. */
static const enum part drop_order[] = {
	PART_PROFILE, PART_SESSION, PART_PROMPTS, PART_NETWORK, PART_DIR, PART_NOTE,
};

/* The state and what stands right of the gap; the others are at the left. */
static const bool at_right[PART_COUNT] = {
	[PART_PROMPTS] = true, [PART_PROFILE] = true, [PART_NETWORK] = true, [PART_STATE] = true,
};

struct status {
	struct text	part[PART_COUNT];
	bool		alarm;
};

void status_free(struct status *st)
{
	if (!st)
		return;
	for (int i = 0; i < PART_COUNT; i++)
		text_done(&st->part[i]);
	free(st);
}

static bool text_same(const struct text *a, const struct text *b)
{
	return a->n == b->n && strcmp(buf_str(&a->bytes), buf_str(&b->bytes)) == 0 &&
	       (!a->n || a->g[0].style == b->g[0].style);
}

/* No state is the worst state. */
static bool is_alarm(const struct screen_status *s)
{
	return s->alarm || !s->state || !*s->state;
}

static void fill(struct text part[PART_COUNT], const struct screen_status *s)
{
	enum style state = is_alarm(s) ? STYLE_BAR_ALARM : STYLE_BAR_GOOD;

	text_quote_str(&part[PART_SESSION], STYLE_BAR_STRONG, s->session);
	text_quote_str(&part[PART_DIR], STYLE_BAR, s->cwd);
	text_quote_str(&part[PART_NOTE], STYLE_BAR_STRONG, s->note);
	text_addf(&part[PART_PROMPTS], STYLE_BAR, "%u/%u asked", s->prompts, s->commands);
	text_quote_str(&part[PART_PROFILE], STYLE_BAR, s->profile);
	text_quote_str(&part[PART_NETWORK], STYLE_BAR, s->network);
	text_quote_str(&part[PART_STATE], state, s->state && *s->state ? s->state : "unguarded");
}

bool status_set(struct status *st, const struct screen_status *s)
{
	struct text part[PART_COUNT];
	bool changed = st->alarm != is_alarm(s);

	for (int i = 0; i < PART_COUNT; i++)
		text_init(&part[i]);
	fill(part, s);
	for (int i = 0; i < PART_COUNT; i++) {
		changed |= !text_same(&st->part[i], &part[i]);
		text_done(&st->part[i]);
		st->part[i] = part[i];
	}
	st->alarm = is_alarm(s);
	return changed;
}

struct status *status_new(void)
{
	struct status *st = xcalloc(1, sizeof(*st));

	for (int i = 0; i < PART_COUNT; i++)
		text_init(&st->part[i]);
	status_set(st, &(struct screen_status){ 0 });
	return st;
}

static int part_cols(const struct status *st, enum part p)
{
	return (int)text_width(&st->part[p], 0, st->part[p].n);
}

/* Columns of all parts that are shown, each with a blank on both sides. */
static int all_cols(const int width[PART_COUNT])
{
	int sum = 0;

	for (int i = 0; i < PART_COUNT; i++)
		sum += width[i] ? width[i] + 2 : 0;
	return sum;
}

static void fit(const struct status *st, int cols, int width[PART_COUNT])
{
	size_t drop = 0;

	for (int i = 0; i < PART_COUNT; i++)
		width[i] = part_cols(st, (enum part)i);
	for (;;) {
		int over = all_cols(width) - cols;

		if (over <= 0)
			return;
		if (width[PART_DIR] - over >= DIR_MIN) {
			width[PART_DIR] -= over;
			return;
		}
		if (drop == ARRAY_SIZE(drop_order))
			break;
		width[drop_order[drop++]] = 0;
	}
	width[PART_STATE] = MAX(cols - 2, 1);
}

/* A directory is cut in the middle: both its start and its last folders are what people look for. */
static void draw_dir(const struct text *t, struct tk *tk, int row, int col, int width)
{
	size_t head = text_head(t, t->n, (width - 3) / 3);
	size_t tail = text_tail(t, head, width - 3 - (int)text_width(t, 0, head));

	col = tk_text(tk, row, col, col + width, t, 0, head);
	col = tk_puts(tk, row, col, col + 3, STYLE_BAR_FAINT, "...");
	tk_text(tk, row, col, col + width, t, tail, t->n);
}

static void draw_part(const struct status *st, struct tk *tk, int row, enum part p, int col, int width)
{
	const struct text *t = &st->part[p];

	if (p == PART_DIR && width < part_cols(st, p))
		draw_dir(t, tk, row, col, width);
	else
		tk_text(tk, row, col, col + width, t, 0, t->n);
}

void status_draw(const struct status *st, struct tk *tk, int row, int cols, const char *mark, enum style style)
{
	int width[PART_COUNT], left = mark && cols >= MARK_MIN ? (int)strlen(mark) : 0, right = cols;

	fit(st, cols - left, width);
	tk_fill(tk, row, 0, 1, cols, STYLE_BAR);
	if (left)
		tk_puts(tk, row, 0, left, style, mark);
	for (int i = PART_COUNT - 1; i >= 0; i--) {
		if (!width[i] || !at_right[i])
			continue;
		right -= width[i] + 2;
		if (i == PART_STATE && st->alarm)
			tk_fill(tk, row, MAX(right, 0), 1, width[i] + 2, STYLE_BAR_ALARM);
		draw_part(st, tk, row, (enum part)i, MAX(right, 0) + 1, width[i]);
	}
	for (int i = 0; i < PART_COUNT; i++) {
		if (!width[i] || at_right[i])
			continue;
		draw_part(st, tk, row, (enum part)i, left + 1, width[i]);
		left += width[i] + 2;
	}
}

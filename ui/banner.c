#include "ui/banner.h"

#include <stdio.h>
#include <string.h>

#include "ui/page.h"

#define LABEL_COLS	9	/* "instead: " */
#define LABEL_MIN	36	/* inner columns from which labels are words */
#define BRIEF_COLS	2
#define DOTS_COLS	3
#define ROWS_MAX	(1 << 20)
#define FRAME_COLS	20	/* smaller than this: no frame */
#define FRAME_ROWS	10

static const struct { const char *full, *brief; } label_text[LABEL_COUNT] = {
	[LABEL_NONE]	= { "", "" },
	[LABEL_SAME]	= { "", "" },
	[LABEL_LINE]	= { "line:", "$" },
	[LABEL_MEANS]	= { "means:", "=" },
	[LABEL_BEWARE]	= { "beware:", "!" },
	[LABEL_WHERE]	= { "where:", "" },
	[LABEL_HITS]	= { "hits:", ">" },
	[LABEL_GRANTS]	= { "grants:", "+" },
	[LABEL_INSTEAD]	= { "instead:", "*" },
	[LABEL_RUNS]	= { "runs:", "$" },
	[LABEL_DOES]	= { "does:", ">" },
	[LABEL_NOTE]	= { "note:", "!" },
	[LABEL_RULE]	= { "rule:", "" },
};

/* One row of the layout: up to two pieces of a text with dots between them. */
struct row {
	enum label		 label;
	int			 indent;
	const struct text	*text;
	size_t			 from, to, from2, to2;
	bool			 dots;
};

enum shape { SHAPE_FRAME, SHAPE_BARE, SHAPE_TINY };

struct banner {
	enum action	 action;
	bool		 moot;		/* nothing to approve: only to be read, closed or edited */
	struct text	 rule, tiny;	/* @tiny: what is to blame, or the line */
	struct page	 main, more;	/* the banner and its explain page */
	struct text	 notice;	/* "3 rows more" of the last layout */
	bool		 explain, explained;
	bool		 endless;	/* too long to be shown whole even there */
	size_t		 scroll, scroll_max, scroll_page;
	/* of the last layout */
	enum shape	 shape;
	int		 rows, cols;
	bool		 cut, brief;
	struct row	*row;
	size_t		 nrow, rowcap;
};

struct banner *banner_new(const struct verdict *v, const char *line, size_t len)
{
	struct banner *b = xcalloc(1, sizeof(*b));
	struct span s = { MIN(v->blame.from, len), MIN(v->blame.to, len) };

	b->action = v->action;
	b->moot = v->moot;
	text_init(&b->rule);
	text_init(&b->tiny);
	text_init(&b->notice);
	text_quote_str(&b->rule, STYLE_LABEL, v->rule);
	if (s.from >= s.to)
		s = (struct span){ 0, len };
	text_quote(&b->tiny, &text_code, line + s.from, s.to - s.from);
	page_banner(&b->main, v, line, len);
	page_explain(&b->more, v, line, len);
	b->endless = page_cut(&b->main);
	return b;
}

void banner_free(struct banner *b)
{
	if (!b)
		return;
	page_done(&b->main);
	page_done(&b->more);
	text_done(&b->rule);
	text_done(&b->tiny);
	text_done(&b->notice);
	free(b->row);
	free(b);
}

bool banner_is_deny(const struct banner *b)
{
	return b->action == ACTION_DENY;
}

bool banner_is_notice(const struct banner *b)
{
	return b->action == ACTION_DENY || b->moot;
}

/* ---- how it fits ------------------------------------------------------------------------------------- */

static int inner_cols(const struct banner *b)
{
	return b->cols - (b->shape == SHAPE_FRAME ? 4 : 0);
}

static int indent_of(const struct banner *b, enum label label)
{
	if (label == LABEL_NONE)
		return 0;
	return b->brief ? BRIEF_COLS : LABEL_COLS;
}

static int para_cols(const struct banner *b, const struct para *p)
{
	return MAX(inner_cols(b) - indent_of(b, p->label), 1);
}

static void measure(const struct banner *b, struct page *pg)
{
	for (size_t i = 0; i < pg->n; i++) {
		struct para *p = &pg->para[i];

		p->rows = (int)MIN(text_rows(&p->text, para_cols(b, p), p->prose), (size_t)ROWS_MAX);
	}
}

static struct row *row_add(struct banner *b, enum label label, const struct text *t, size_t from, size_t to)
{
	struct row *r;

	if (b->nrow == b->rowcap) {
		b->rowcap = b->rowcap ? 2 * b->rowcap : 32;
		b->row = xrealloc(b->row, b->rowcap, sizeof(*b->row));
	}
	r = &b->row[b->nrow++];
	*r = (struct row){ .label = label, .indent = indent_of(b, label), .text = t, .from = from, .to = to };
	return r;
}

static void row_gap(struct banner *b)
{
	row_add(b, LABEL_NONE, NULL, 0, 0);
}

/* Rows [first, last) of the natural wrapping. */
static void emit_rows(struct banner *b, const struct para *p, int first, int last)
{
	const struct text *t = &p->text;
	int cols = para_cols(b, p), i = 0;

	for (size_t at = 0; at < t->n && i < last; i++) {
		size_t end = text_wrap(t, at, cols);

		if (i >= first)
			row_add(b, i && p->label != LABEL_NONE ? LABEL_SAME : p->label, t, at, end);
		at = text_next(t, end, p->prose);
	}
}

/* Beginning, dots and end in one row. */
static void emit_one_row(struct banner *b, const struct para *p)
{
	const struct text *t = &p->text;
	int room = MAX(para_cols(b, p) - DOTS_COLS, 1);
	size_t head = text_head(t, t->n, room / 2);
	struct row *r = row_add(b, p->label, t, 0, head);

	r->dots = true;
	r->from2 = text_tail(t, head, room - (int)text_width(t, 0, head));
	r->to2 = t->n;
}

static void end_in_dots(struct banner *b, const struct para *p)
{
	struct row *r = &b->row[b->nrow - 1];
	int room = para_cols(b, p) - DOTS_COLS;

	while (r->to > r->from && (int)text_width(r->text, r->from, r->to) > room)
		r->to--;
	r->dots = true;
}

/* Row of the natural wrapping in which the part to blame starts; -1: none. */
static int blame_row(const struct banner *b, const struct para *p)
{
	const struct text *t = &p->text;
	int cols = para_cols(b, p), row = 0;

	for (size_t at = 0; at < t->n; row++) {
		size_t end = text_wrap(t, at, cols);

		for (size_t i = at; i < end; i++) {
			if (t->g[i].style == STYLE_BLAME || t->g[i].style == STYLE_BLAME_ESCAPE)
				return row;
		}
		at = text_next(t, end, p->prose);
	}
	return -1;
}

/* Cut in the middle: the end of a line stays as visible as its beginning, and what is to blame in between is
 * shown too. Prose is cut at its end. */
static void emit_cut(struct banner *b, const struct para *p, int rows)
{
	int tail = p->prose ? 0 : rows / 2, mid = 0, blame = blame_row(b, p), natural = p->rows;

	if (rows == 1 && !p->prose) {
		emit_one_row(b, p);
		return;
	}
	if (rows >= 3 && blame >= rows - tail && blame < natural - tail)
		mid = tail = rows / 3;
	emit_rows(b, p, 0, rows - mid - tail);
	end_in_dots(b, p);
	if (mid) {
		emit_rows(b, p, blame, MIN(blame + mid, natural - tail));
		end_in_dots(b, p);
	}
	emit_rows(b, p, natural - tail, natural);
}

static void emit(struct banner *b, const struct para *p, int rows)
{
	if (rows >= p->rows)
		emit_rows(b, p, 0, p->rows);
	else if (rows > 0)
		emit_cut(b, p, rows);
}

static int page_rows(const struct page *pg, bool gaps)
{
	int sum = 0;

	for (size_t i = 0; i < pg->n; i++)
		sum += pg->para[i].rows + (gaps && pg->para[i].gap && i);
	return sum;
}

static void emit_page(struct banner *b, const struct page *pg, bool gaps)
{
	for (size_t i = 0; i < pg->n; i++) {
		if (gaps && pg->para[i].gap && i)
			row_gap(b);
		emit(b, &pg->para[i], ROWS_MAX);
	}
}

/* One more row for each that has none, or all that each wants, in the order of the ranks. */
static int share_by_rank(const struct page *pg, bool first, int budget, int *give)
{
	for (int rank = 0; rank < RANK_COUNT; rank++) {
		for (size_t i = 0; i < pg->n && budget; i++) {
			int want = pg->para[i].rows - give[i];

			if ((int)pg->para[i].rank != rank || want <= 0 || (first && give[i]))
				continue;
			want = MIN(want, first ? 1 : budget);
			give[i] += want;
			budget -= want;
		}
	}
	return budget;
}

/* -1: not even what each needs at least fits. */
static int share(const struct page *pg, int budget, int *give)
{
	for (size_t i = 0; i < pg->n; i++) {
		give[i] = MIN(pg->para[i].min, pg->para[i].rows);
		budget -= give[i];
	}
	if (budget < 0)
		return -1;
	share_by_rank(pg, false, share_by_rank(pg, true, budget, give), give);
	return 0;
}

static void add_notice(struct banner *b, int hidden)
{
	text_done(&b->notice);
	text_init(&b->notice);
	text_addf(&b->notice, STYLE_ESCAPE, inner_cols(b) >= 45 ? "%d more row%s: [?] shows all" :
		  inner_cols(b) >= 20 ? "%d more row%s: [?]" : "+%d [?]", hidden, hidden == 1 ? "" : "s");
	row_add(b, LABEL_SAME, &b->notice, 0, b->notice.n);
}

static int fit_short(struct banner *b, const struct page *pg, int budget)
{
	CLEANUP(cleanup_freep) int *give = xcalloc(pg->n, sizeof(*give));
	int hidden = 0;

	if (share(pg, budget - 1, give) < 0)
		return -1;
	for (size_t i = 0; i < pg->n; i++) {
		hidden += pg->para[i].rows - give[i];
		emit(b, &pg->para[i], give[i]);
	}
	b->cut = true;
	add_notice(b, hidden);
	return 0;
}

/* The rows between header and keys. -1: does not fit. */
static int fit_main(struct banner *b, int budget)
{
	struct page *pg = &b->main;

	b->nrow = 0;
	b->cut = false;
	b->brief = inner_cols(b) < LABEL_MIN;
	measure(b, pg);
	if (page_rows(pg, true) + 1 <= budget) {
		emit_page(b, pg, true);
		row_gap(b);		/* air above the keys */
	} else if (page_rows(pg, false) <= budget) {
		emit_page(b, pg, false);
	} else {
		return fit_short(b, pg, budget);
	}
	return 0;
}

static void fit_explain(struct banner *b, int budget)
{
	b->nrow = 0;
	measure(b, &b->more);
	emit_page(b, &b->more, true);
	b->scroll_page = (size_t)budget;
	b->scroll_max = b->nrow > (size_t)budget ? b->nrow - (size_t)budget : 0;
	b->scroll = MIN(b->scroll, b->scroll_max);
}

/* Rows of a shape that are not content: header and keys, and the lower border. */
static int shape_rows(enum shape shape)
{
	return shape == SHAPE_FRAME ? 3 : 2;
}

static int fit(struct banner *b, enum shape shape, int rows)
{
	int budget = rows - shape_rows(shape);

	b->shape = shape;
	return budget > 0 ? fit_main(b, budget) : -1;
}

/* The frame, unless all can be seen without it, or the window is so small that each row counts. */
static enum shape choose(struct banner *b, int rows)
{
	bool framed = b->cols >= FRAME_COLS && fit(b, SHAPE_FRAME, rows) == 0;

	if (framed && !b->cut)
		return SHAPE_FRAME;
	if (fit(b, SHAPE_BARE, rows) < 0)
		return SHAPE_TINY;
	if (framed && b->cut && rows >= FRAME_ROWS) {
		fit(b, SHAPE_FRAME, rows);
		return SHAPE_FRAME;
	}
	return SHAPE_BARE;
}

int banner_layout(struct banner *b, int rows, int cols)
{
	int budget;

	b->cols = cols;
	b->shape = choose(b, rows);
	if (b->shape == SHAPE_TINY) {
		b->rows = MIN(rows, 3);
		return b->rows;
	}
	budget = rows - shape_rows(b->shape);
	if (b->explain)
		fit_explain(b, budget);
	b->rows = (int)MIN(b->nrow, (size_t)budget) + shape_rows(b->shape);
	return b->rows;
}

bool banner_can_approve(const struct banner *b)
{
	return b->action == ACTION_ASK && !b->moot && b->shape != SHAPE_TINY && !b->endless && (!b->cut || b->explained);
}

void banner_toggle_explain(struct banner *b)
{
	if (b->shape == SHAPE_TINY)
		return;
	b->explain = !b->explain;
	b->scroll = 0;
}

bool banner_explains(const struct banner *b)
{
	return b->explain;
}

void banner_scroll(struct banner *b, enum banner_scroll how)
{
	size_t page = MAX(b->scroll_page, (size_t)2) - 1;

	switch (how) {
	case BANNER_UP:		b->scroll -= b->scroll ? 1 : 0; break;
	case BANNER_DOWN:	b->scroll += 1; break;
	case BANNER_PAGE_UP:	b->scroll -= MIN(b->scroll, page); break;
	case BANNER_PAGE_DOWN:	b->scroll += page; break;
	case BANNER_TOP:	b->scroll = 0; break;
	case BANNER_BOTTOM:	b->scroll = b->scroll_max; break;
	}
	b->scroll = MIN(b->scroll, b->scroll_max);
}

/* ---- how it is drawn --------------------------------------------------------------------------------- */

static const char *word_of(const struct banner *b)
{
	return b->action == ACTION_ASK ? "ASK" : "DENIED";
}

static enum style frame_style(const struct banner *b)
{
	return b->action == ACTION_ASK ? STYLE_ASK : STYLE_DENY;
}

static enum style word_style(const struct banner *b)
{
	return b->action == ACTION_ASK ? STYLE_ASK_WORD : STYLE_DENY_WORD;
}

static int draw_word(const struct banner *b, struct tk *tk, int row, int col, int end)
{
	char s[16];

	snprintf(s, sizeof(s), " %s ", word_of(b));
	return tk_puts(tk, row, col, end, word_style(b), s);
}

/* Longest first: what a newcomer should read, what is left of it in a small window. */
static const char *const ask_title[] = { " may this run? ", " run it? ", " " };
static const char *const moot_title[] = { " not understood, by the shell either: nothing ran ", " nothing ran ", " " };
static const char *const deny_title[] = { " this will not run ", " ", " " };

/* The rule stands at the right. It gives way to a short title where there is no room: the explain page has it. */
static void draw_header(const struct banner *b, struct tk *tk, int row)
{
	const char *const *title = b->action != ACTION_ASK ? deny_title : b->moot ? moot_title : ask_title;
	int pad = b->shape == SHAPE_FRAME ? 2 : 0, end = b->cols - pad, rule = (int)text_width(&b->rule, 0, b->rule.n);
	int col = draw_word(b, tk, row, pad, end);
	size_t i = 0;

	while (i < 2 && col + (int)strlen(title[i]) + rule + 2 > end)
		i++;
	if (col + (int)strlen(title[i]) + rule + 2 > end) {
		rule = 0;
		i = col + (int)strlen(title[0]) <= end ? 0 : 1;
	}
	tk_puts(tk, row, col, end, b->shape == SHAPE_FRAME ? STYLE_STRONG : word_style(b), title[i]);
	if (!rule)
		return;
	if (b->shape == SHAPE_FRAME)
		tk_puts(tk, row, end - rule - 2, end, STYLE_LABEL, " ");
	tk_text(tk, row, end - rule - 1, end, &b->rule, 0, b->rule.n);
	tk_puts(tk, row, end - 1, end, STYLE_LABEL, " ");
}

static void draw_row(const struct banner *b, struct tk *tk, int row, const struct row *r)
{
	int pad = b->shape == SHAPE_FRAME ? 2 : 0, col = pad, end = b->cols - pad;

	if (!r->text)
		return;
	tk_puts(tk, row, col, end, STYLE_LABEL, b->brief ? label_text[r->label].brief : label_text[r->label].full);
	col += r->indent;
	col = tk_text(tk, row, col, end, r->text, r->from, r->to);
	if (r->dots) {
		col = tk_puts(tk, row, col, end, STYLE_ESCAPE, "...");
		tk_text(tk, row, col, end, r->text, r->from2, r->to2);
	}
}

/* ---- keys -------------------------------------------------------------------------------------------- */

enum { WHEN_ASK = 1, WHEN_DENY = 2, WHEN_MAIN = 4, WHEN_EXPLAIN = 8, WHEN_YES = 16, WHEN_MOOT = 32 };

static const struct key_hint {
	const char	*key, *full, *brief;
	unsigned	 when;
} hints[] = {
	{ "y", "run once", "run", WHEN_ASK | WHEN_MAIN | WHEN_EXPLAIN | WHEN_YES },
	{ "n", "no", "no", WHEN_ASK | WHEN_MAIN | WHEN_EXPLAIN },
	{ "Esc Enter", "close", "close", WHEN_DENY | WHEN_MOOT | WHEN_MAIN | WHEN_EXPLAIN },
	{ "e", "edit", "edit", WHEN_ASK | WHEN_MOOT | WHEN_MAIN | WHEN_EXPLAIN },
	{ "?", "explain", "why", WHEN_ASK | WHEN_DENY | WHEN_MOOT | WHEN_MAIN },
	{ "?", "back", "back", WHEN_ASK | WHEN_DENY | WHEN_MOOT | WHEN_EXPLAIN },
	{ "Up Dn PgUp PgDn", "scroll", "scroll", WHEN_ASK | WHEN_DENY | WHEN_MOOT | WHEN_EXPLAIN },
};

static bool hint_applies(const struct banner *b, const struct key_hint *h)
{
	unsigned verdict = b->action != ACTION_ASK ? WHEN_DENY : b->moot ? WHEN_MOOT : WHEN_ASK;

	return h->when & verdict && h->when & (b->explain ? WHEN_EXPLAIN : WHEN_MAIN);
}

/* How much is said: "[y] run once", "[y]run", "[y]", "y". */
enum detail { DETAIL_LETTER = 0, DETAIL_KEY, DETAIL_BRIEF, DETAIL_FULL };

static void add_hint(struct text *t, const struct key_hint *h, enum detail detail, bool live)
{
	enum style word = live ? STYLE_TEXT : STYLE_FAINT;

	if (t->n)
		text_add(t, STYLE_TEXT, detail == DETAIL_FULL ? "   " : " ");
	text_addf(t, live ? STYLE_KEY : STYLE_FAINT, detail == DETAIL_LETTER ? "%s" : "[%s]", h->key);
	if (detail == DETAIL_FULL)
		text_addf(t, word, " %s", h->full);
	else if (detail == DETAIL_BRIEF)
		text_add(t, word, h->brief);
}

/* Before the keys are armed all of them are drawn as if asleep, though "no" is heard already. */
static void key_line(const struct banner *b, bool armed, enum detail detail, struct text *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		const struct key_hint *h = &hints[i];

		if (hint_applies(b, h))
			add_hint(t, h, detail, armed && (!(h->when & WHEN_YES) || banner_can_approve(b)));
	}
	if (!banner_can_approve(b) && !banner_is_notice(b) && detail == DETAIL_FULL)
		text_add(t, STYLE_ESCAPE, b->endless ? "   too long for y" : "   y after [?]");
}

static void draw_keys(const struct banner *b, struct tk *tk, int row, bool armed)
{
	int pad = b->shape == SHAPE_FRAME ? 2 : 0, end = b->cols - pad;

	for (int detail = DETAIL_FULL; detail >= DETAIL_LETTER; detail--) {
		struct text t;
		bool fits;

		text_init(&t);
		key_line(b, armed, (enum detail)detail, &t);
		fits = (int)text_width(&t, 0, t.n) <= end - pad;
		if (fits || detail == DETAIL_LETTER)
			tk_text(tk, row, pad, end, &t, 0, t.n);
		text_done(&t);
		if (fits)
			return;
	}
}

static const char *tiny_keys(const struct banner *b, int cols)
{
	static const char *const ask[] = { "n: no (the window is too small for yes)", "n: no (too small for yes)",
					   "n: no (too small)", "n:no", "n" };
	static const char *const deny[ARRAY_SIZE(ask)] = { "n: close", "n: close", "n: close", "n:ok", "n" };
	const char *const *s = banner_is_notice(b) ? deny : ask;
	size_t i = 0;

	while (i < ARRAY_SIZE(ask) - 1 && (int)strlen(s[i]) > cols)
		i++;
	return s[i];
}

/* No room to show what would be approved: what is to blame, as far as it goes, and how to say no. */
static void draw_tiny(const struct banner *b, struct tk *tk, int row)
{
	const struct text *t = &b->tiny;
	int cols = b->cols, last = row + b->rows - 1, col;

	col = tk_puts(tk, row, 0, cols, word_style(b), word_of(b)) + 1;
	if (b->rows == 1) {
		tk_puts(tk, row, col, cols, STYLE_KEY, tiny_keys(b, cols - col));
		return;
	}
	if (b->rows == 2) {
		tk_text(tk, row, col, cols, t, text_tail(t, 0, cols - col), t->n);
	} else {
		tk_text(tk, row, col, cols, &b->rule, 0, b->rule.n);
		tk_text(tk, row + 1, 0, cols, t, text_tail(t, 0, cols), t->n);
	}
	tk_puts(tk, last, 0, cols, STYLE_KEY, tiny_keys(b, cols));
}

/* Where the explain page is scrolled to, in the lower border. */
static void draw_place(const struct banner *b, struct tk *tk, int row)
{
	char s[64];
	int len = snprintf(s, sizeof(s), " %zu-%zu of %zu ", b->scroll + 1, b->scroll + b->scroll_page, b->nrow);

	if (len + 4 <= b->cols)
		tk_puts(tk, row, b->cols - 2 - len, b->cols - 2, STYLE_LABEL, s);
}

void banner_draw(struct banner *b, struct tk *tk, int row, bool armed)
{
	int at = row + 1, last = row + b->rows - 1;
	size_t first = b->explain ? b->scroll : 0;

	tk_fill(tk, row, 0, b->rows, b->cols, STYLE_TEXT);
	if (b->shape == SHAPE_TINY) {
		draw_tiny(b, tk, row);
		return;
	}
	b->explained |= b->explain;
	if (b->shape == SHAPE_FRAME)
		tk_frame(tk, row, 0, b->rows, b->cols, frame_style(b));
	if (b->shape == SHAPE_BARE)
		tk_fill(tk, row, 0, 1, b->cols, word_style(b));
	draw_header(b, tk, row);
	if (b->shape == SHAPE_FRAME)
		last--;
	for (size_t i = first; i < b->nrow && at < last; i++)
		draw_row(b, tk, at++, &b->row[i]);
	draw_keys(b, tk, last, armed);
	if (b->explain && b->shape == SHAPE_FRAME && b->scroll_max)
		draw_place(b, tk, last + 1);
}

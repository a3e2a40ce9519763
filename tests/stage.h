/* tests/stage.h - a pane, a screen that shows it, and eyes that look at the screen; with a clock by hand */
#ifndef TESTS_STAGE_H
#define TESTS_STAGE_H

#include "eyes.h"
#include "term/pane.h"
#include "ui/screen.h"

struct stage {
	struct screen	*screen;
	struct pane	*pane;
	struct eyes	*eyes;
};

static uint64_t stage_ns = 1;

static uint64_t stage_clock(void)
{
	return stage_ns;
}

static inline void stage_wait(int ms)
{
	stage_ns += (uint64_t)ms * 1000000u;
}

static inline void stage_open(struct stage *s, int rows, int cols, const char *term)
{
	static const struct pane_events none;
	int prows, pcols;

	s->eyes = eyes_new(rows, cols);
	s->screen = screen_new(rows, cols, term, eyes_out, s->eyes);
	screen_set_clock(s->screen, stage_clock);
	screen_pane_size(s->screen, &prows, &pcols);
	s->pane = pane_new(prows, pcols, 100, &none);
}

static inline void stage_close(struct stage *s)
{
	screen_free(s->screen);
	pane_free(s->pane);
	eyes_free(s->eyes);
}

static inline void stage_write(struct stage *s, const char *text)
{
	pane_write(s->pane, text, strlen(text));
	screen_flush(s->screen, s->pane);
}

/* Show a banner and let its keys go live. */
static inline void stage_ask(struct stage *s, const struct verdict *v, const char *line)
{
	screen_banner(s->screen, v, line, strlen(line));
	screen_flush(s->screen, s->pane);
	stage_wait(SCREEN_ARM_MS);
	screen_flush(s->screen, s->pane);
}

static inline enum answer stage_char(struct stage *s, uint32_t cp, unsigned mod)
{
	enum answer a = screen_banner_key(s->screen, &(struct key){ .kind = KEY_CHAR, .cp = cp, .mod = mod });

	screen_flush(s->screen, s->pane);
	return a;
}

static inline enum answer stage_named(struct stage *s, enum key_name name)
{
	enum answer a = screen_banner_key(s->screen, &(struct key){ .kind = KEY_NAMED, .name = name });

	screen_flush(s->screen, s->pane);
	return a;
}

/* Draw all of it anew onto a second, blank terminal: number of cells that look different from what the
 * differences added up to. */
static inline int stage_differs(struct stage *s)
{
	struct eyes *old = s->eyes, *fresh = eyes_new(old->rows, old->cols);
	struct eyes kept = *old;
	int n;

	*old = *fresh;			/* the screen's output goes to the fresh one */
	eyes_see(old, "\x1b[?1049h\x1b[?7l", 13);
	screen_redraw(s->screen);
	screen_flush(s->screen, s->pane);
	*fresh = *old;
	*old = kept;
	n = eyes_differ(old, fresh);
	eyes_see(old, fresh->raw.data, fresh->raw.len);	/* so that screen and terminal agree again */
	eyes_free(fresh);
	return n;
}

#endif /* TESTS_STAGE_H */

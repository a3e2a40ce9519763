/* ui/screen.h - one attached client's terminal: what it shows, what it types
 *
 * libtickit's render buffer is what the chrome (status line, banner) is drawn on; chrome and pane cells go
 * through one differ (view.c) to one output. Only what the pane's grid holds is ever drawn: pane bytes never
 * reach the outer terminal.
 * All chrome text goes through quote. Works from 10x3 up; below the needs of a banner it says so in one line
 * and only "no" can be answered.
 */
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include "intercept/verdict.h"
#include "term/keys.h"

struct screen;

/* Bytes for the outer terminal. Called during screen_flush(). */
typedef void screen_out_fn(void *arg, const char *data, size_t len);

struct screen_status {		/* all borrowed for the call; unquoted */
	const char	*session, *cwd, *profile, *network, *state, *note;	/* state: "gated", "unguarded: ..." */
	bool		 alarm;		/* state is drawn in red */
	unsigned	 commands, prompts;
};

enum answer { ANSWER_NONE = 0, ANSWER_NO, ANSWER_YES, ANSWER_EDIT };

struct screen *screen_new(int rows, int cols, const char *termtype, screen_out_fn *fn, void *arg);
void screen_free(struct screen *s);	/* restores: main screen, cursor, modes, mouse off, attributes */
/* The client's COLORTERM ("truecolor", "24bit"), NULL = not set. Without it TERM alone decides. */
void screen_set_colorterm(struct screen *s, const char *colorterm);
/* Tests bring a clock of their own (ns, monotonic); NULL = io_now_ns(). */
typedef uint64_t screen_clock_fn(void);
void screen_set_clock(struct screen *s, screen_clock_fn *fn);
void screen_resize(struct screen *s, int rows, int cols);
/* Rows and columns that are left for the pane (at least 2x2). */
void screen_pane_size(const struct screen *s, int *rows, int *cols);
void screen_status(struct screen *s, const struct screen_status *st);
/* Show the banner for a question (ask) or a refusal (deny); copied, @v may go away. */
void screen_banner(struct screen *s, const struct verdict *v, const char *line, size_t len);
void screen_banner_hide(struct screen *s);
bool screen_banner_visible(const struct screen *s);
/* A key while the banner is up. Ctrl-C, Esc, n: NO at any time, also before it was drawn. y: YES only when
 * SCREEN_ARM_MS have passed since it was flushed to the terminal and all that is approved was shown (what
 * was cut must have been opened with ?). e: EDIT when armed. ? toggles explain; arrows, PgUp, PgDn, Home,
 * End and the wheel scroll it. Deny: n, Esc, Ctrl-C at any time and Enter when armed close it (NO).
 * Paste and everything else: NONE. Whether a key came alone, from a hand, is the caller's to see (src/typed.h). */
enum answer screen_banner_key(struct screen *s, const struct key *k);
#define SCREEN_ARM_MS 300
/* Draw what changed of pane and chrome; the output function is called once, or not at all. */
void screen_flush(struct screen *s, struct pane *p);
/* Rows [from, to) of the pane changed. screen_flush() takes the pane's damage itself; with several screens on
 * one pane the owner takes it and tells each of them before it flushes them. */
void screen_damage(struct screen *s, int from, int to);
/* Milliseconds until screen_flush() has something to draw without new output (the banner's keys go live);
 * -1: nothing waits. */
int screen_timer_ms(const struct screen *s);
void screen_redraw(struct screen *s);	/* all of it at the next flush */
/* Bytes that restore any terminal, for a client whose server died. */
const char *screen_restore_bytes(size_t *len);

#endif /* UI_SCREEN_H */

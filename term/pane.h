/* term/pane.h - the terminal emulator of one pane: bytes in, grid and events out
 *
 * seq -> (strings, queries, attributes, modes handled here) -> libvterm state layer -> grid. libvterm gets
 * a short list of sequences, written anew from checked numbers, and of text only its columns. The only
 * file that includes vterm.h is pane.c. Knows nothing of PTYs: what a program must be answered goes out through
 * .reply and is made of constants and numbers only, never of bytes from the pane. Every
 * callback may be NULL; none may free the pane.
 */
#ifndef TERM_PANE_H
#define TERM_PANE_H

#include "term/grid.h"
#include "term/seq.h"

struct pane;

enum mark_kind {
	MARK_PROMPT,		/* 133;A or N: start of a prompt */
	MARK_INPUT,		/* 133;B: end of prompt, typed input follows */
	MARK_CONTINUATION,	/* 133;P;k=s and A;k=s */
	MARK_OUTPUT,		/* 133;C */
	MARK_DONE,		/* 133;D */
	MARK_LINE,		/* 633;E;line;nonce: .text is decoded */
	MARK_CWD,		/* OSC 7 or 633;P;Cwd= : .text is the absolute path */
	MARK_OWN,		/* 633;P;Sbx=...: .text is the value; the nonce is the third field */
};

struct mark {
	enum mark_kind	 kind;
	const char	*text;		/* borrowed; untrusted bytes, NUL terminated */
	size_t		 len;
	int		 status;	/* MARK_DONE; -1: none given */
	const char	*nonce;		/* as given, or NULL */
	int		 row, col;	/* cursor when it came */
};

struct pane_events {
	void (*reply)(void *arg, const char *data, size_t len);	/* write to the PTY */
	void (*mark)(void *arg, const struct mark *m);
	void (*title)(void *arg, const char *text);		/* raw: quote before showing */
	void (*bell)(void *arg);
	void (*clipboard)(void *arg, const char *data, size_t len);	/* OSC 52 set, decoded, bounded */
	void (*damage)(void *arg);				/* at most once until pane_take_damage() */
	void *arg;
};

enum pane_mouse { PANE_MOUSE_NONE, PANE_MOUSE_CLICK, PANE_MOUSE_DRAG, PANE_MOUSE_MOVE };

struct pane_modes {
	bool		alt_screen, cursor_visible, cursor_blink, app_cursor, app_keypad, bracketed_paste, focus,
			sync, reverse_video, mouse_sgr, newline;
	enum pane_mouse	mouse;
	int		cursor_shape;	/* DECSCUSR 0..6 */
	unsigned	kitty_keys;	/* kitty keyboard flags in force, 0 = off */
	int		modify_other_keys;	/* xterm's, 0..2 */
};

struct pane *pane_new(int rows, int cols, size_t scrollback, const struct pane_events *ev);
void pane_free(struct pane *p);
void pane_write(struct pane *p, const char *data, size_t len);	/* output of the program */
void pane_resize(struct pane *p, int rows, int cols);		/* clamped to 2..1000 each */
const struct grid *pane_grid(const struct pane *p);
void pane_cursor(const struct pane *p, int *row, int *col);
const struct pane_modes *pane_modes(const struct pane *p);
/* Rows [*from, *to) that changed since the last call; false when none. During a
 * synchronized update (mode 2026) nothing is reported until its end or 1 s. */
bool pane_take_damage(struct pane *p, int *from, int *to);
/* Milliseconds until damage that is held back is given after all, for the owner's timer; -1: nothing is held. */
int pane_sync_left(const struct pane *p);
/* All text of rows [from, to), trailing blanks cut, for capture-pane and tests; the caller frees. */
char *pane_text(const struct pane *p, int from, int to);

#endif /* TERM_PANE_H */

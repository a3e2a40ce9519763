/* term/keys.h - keys, mouse and paste: decode what a terminal sends, encode for a pane
 *
 * The decoder is incremental and bounded like seq. A lone ESC is reported as a key when
 * keys_timeout() is called (the owner's timer, KEYS_ESC_MS after the last byte).
 * Understands: UTF-8, xterm and VT keys, modifyOtherKeys, kitty CSI u, SGR and X10 mouse,
 * focus, bracketed paste (text arrives as KEY_PASTE events, never as keys), and swallows replies.
 */
#ifndef TERM_KEYS_H
#define TERM_KEYS_H

#include "term/pane.h"

#define KEYS_ESC_MS	40
#define KEYS_PASTE_MAX	(8u << 20)	/* bytes of one paste; the rest is dropped and reported by .cut */

enum key_kind { KEY_CHAR, KEY_NAMED, KEY_PASTE, KEY_MOUSE, KEY_FOCUS_IN, KEY_FOCUS_OUT, KEY_REPLY };
enum key_name { KEYN_NONE, KEYN_ENTER, KEYN_TAB, KEYN_BACKSPACE, KEYN_ESCAPE, KEYN_UP, KEYN_DOWN, KEYN_LEFT,
		KEYN_RIGHT, KEYN_HOME, KEYN_END, KEYN_PGUP, KEYN_PGDN, KEYN_INSERT, KEYN_DELETE,
		KEYN_F1, KEYN_F12 = KEYN_F1 + 11, KEYN_COUNT };
enum { KEY_SHIFT = 1, KEY_ALT = 2, KEY_CTRL = 4, KEY_SUPER = 8 };

struct key {
	enum key_kind	 kind;
	enum key_name	 name;		/* KEY_NAMED */
	uint32_t	 cp;		/* KEY_CHAR: the code point; Ctrl-C is 'c' with KEY_CTRL */
	unsigned	 mod;
	const char	*text;		/* KEY_PASTE: a piece; KEY_REPLY: the raw sequence */
	size_t		 len;
	bool		 paste_first, paste_last, cut;
	int		 row, col, button;	/* mouse: 0-based; button 0..2, 3 none, 64/65 wheel */
	bool		 press, motion;
	const char	*raw;		/* the bytes as received, to forward unchanged */
	size_t		 nraw;
};

typedef void keys_fn(void *arg, const struct key *k);
struct keys;
struct keys *keys_new(keys_fn *fn, void *arg);
void keys_free(struct keys *k);
void keys_feed(struct keys *k, const char *data, size_t len);
bool keys_pending(const struct keys *k);	/* a timer is wanted */
void keys_timeout(struct keys *k);

/* Bytes that the program in the pane expects for this key under its modes. Paste: bracketed if the
 * mode is on, with ESC [201~ and all C0 but \t \n \r removed from the text. Nothing for what it did not ask for. */
void keys_encode(const struct key *k, const struct pane_modes *m, struct buf *out);

#endif /* TERM_KEYS_H */

/* src/typed.h - which key was typed by a hand as the answer to a question
 *
 * An answer (y, n, e, Enter; ? as well) must come alone: its read from the client held nothing but that key, and
 * nothing else came in TYPED_QUIET_MS before it and after it. So neither a paste without brackets, keys sent by a
 * program, nor what was typed ahead ever answers, wherever the reads cut it, and no line is cut in half: all of it is
 * swallowed. Ctrl-C and Esc refuse at once.
 */
#ifndef SRC_TYPED_H
#define SRC_TYPED_H

#include "ui/screen.h"

#define TYPED_QUIET_MS	50

struct typed {			/* of one client; zero is a good start */
	screen_clock_fn	*clock;		/* NULL: io_now_ns() */
	uint64_t	 last, held_at;	/* ns; last: when the newest bytes came, 0 = never */
	size_t		 len;		/* of the read that is being decoded */
	bool		 quiet;		/* nothing came for a while before it */
	enum answer	 held;		/* counts when nothing follows it */
};

/* Call before the keys of each read of @len bytes: whatever comes takes back what was held. */
void typed_read(struct typed *t, size_t len);
/* A key while @s shows a banner. NO at once, or NONE: then typed_holds() may be true. */
enum answer typed_key(struct typed *t, struct screen *s, const struct key *k);
bool typed_holds(const struct typed *t);
/* TYPED_QUIET_MS after it was held: the answer. NONE when it was taken back, or too soon. */
enum answer typed_take(struct typed *t);
void typed_drop(struct typed *t);	/* the question is another one now */

#endif /* SRC_TYPED_H */

/* base/arena.h - memory that is freed all at once
 *
 * For the many small objects of one judgement. Allocation cannot fail below the
 * arena's maximum; past it arena_alloc() returns NULL and ->full is set, and the
 * caller gives up on its input (a line too big to judge is asked, see judge.h).
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/mem.h"

struct arena_block;

struct arena {
	struct arena_block	*head;	/* owned */
	size_t			 used;	/* bytes handed out */
	size_t			 max;
	bool			 full;
};

void arena_init(struct arena *a, size_t max);
void arena_done(struct arena *a);
void arena_reset(struct arena *a);	/* keeps one block for the next use */
void *arena_alloc(struct arena *a, size_t size);	/* zeroed, 16-byte aligned; NULL past max */
char *arena_strndup(struct arena *a, const char *s, size_t len);	/* adds a NUL */
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);

#endif /* BASE_ARENA_H */

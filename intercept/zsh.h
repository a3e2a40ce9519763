/* intercept/zsh.h - what only zsh understands, said in bash's words
 *
 * Reads a zsh text command by command and writes the same commands as bash would have them:
 * short loops, always, anonymous functions, glob qualifiers, =cmd, ${(flags)x}, and no splitting
 * of $x. What cannot be said becomes ZSH_UNREAD, a value that nobody knows, and the commands
 * inside it are kept; what may run code unseen is a gap. Purely lexical, bounded by the arena.
 */
#ifndef INTERCEPT_ZSH_H
#define INTERCEPT_ZSH_H

#include "intercept/expand.h"

#define ZSH_UNREAD	"ZSH_UNREAD"	/* a variable: any value */
#define ZSH_FULL	"ZSH_FULL"	/* a variable: nothing; of the quoted list after it empty elements are no words */
#define ZSH_GLOB	"ZSH_GLOB"	/* a variable: nothing, but the word is a pattern whose names are not known */

/* What is known of a variable when the text is read: its value, *array when it is one, NULL. */
typedef const char *zsh_value_fn(void *arg, const char *name, bool *array);

struct zsh_in {
	struct arena	*arena;
	const char	*text;
	size_t		 len;
	bool		 comments;	/* # begins one: scripts, or as the option says */
	zsh_value_fn	*value;
	void		*arg;
};

struct zsh_out {
	const char	*text;		/* bash; NULL: too big */
	size_t		 len;
	const uint32_t	*map;		/* of each byte and the end: where it stood */
	const char	*gap;		/* NULL, or what was met that may run code unseen */
	struct span	 at;
};

void zsh_translate(const struct zsh_in *in, struct zsh_out *out);

#endif /* INTERCEPT_ZSH_H */

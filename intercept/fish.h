/* intercept/fish.h - fish, said in bash's words
 *
 * Reads a fish text and writes the same commands as bash would have them, with a map of the places. A value that
 * cannot be said (a list inside a word, $x[1], $$x, what a substitution is split into, a name whose scope is not
 * certain) becomes ${ZSH_UNREAD}, which nobody knows, and the commands inside it are kept; what may run code unseen is a
 * gap. Purely lexical; the text is read twice: once for where names are set, once to write. Bounded by the arena.
 */
#ifndef INTERCEPT_FISH_H
#define INTERCEPT_FISH_H

#include "intercept/zsh.h"

/* ->comments is not looked at: # always begins one. ->value may be NULL. */
void fish_translate(const struct zsh_in *in, struct zsh_out *out);

#endif /* INTERCEPT_FISH_H */

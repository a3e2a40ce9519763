/* intercept/parse.h - a shell line to a tree
 *
 * Reads bash (and sh; zsh as far as it is the same). Bounded by CMDLINE_MAX, by
 * PARSE_DEPTH levels of nesting and by the arena. Either the whole text was
 * understood or there is a gap: never half a tree that looks whole.
 */
#ifndef INTERCEPT_PARSE_H
#define INTERCEPT_PARSE_H

#include "base/arena.h"
#include "intercept/ast.h"
#include "intercept/expand.h"

#define PARSE_DEPTH 200	/* a compound command or a substitution takes two or three */

struct parse_in {
	struct arena		*arena;
	const char		*text;		/* borrowed, must live as long as the tree */
	size_t			 len;
	const struct span	*at;		/* span of everything (nested text); NULL: offsets */
	const uint32_t		*map;		/* of each byte and the end: its place in the line; NULL: as it is */
	unsigned		 depth;		/* levels that are used already */
	bool			 extglob;
	bool			 script;	/* no prompt: the end of the text ends a heredoc, a backslash is itself */
	/* Text of an alias, NULL: none. May be NULL. */
	const char		*(*alias)(void *arg, const char *name);
	void			*arg;
};

struct parse_out {
	struct ast		*list;		/* AST_LIST; what was read before the gap */
	bool			 failed;
	struct expand_gap	 gap;		/* when failed */
	size_t			 used;		/* bytes of complete commands that were read */
};

void parse_text(const struct parse_in *in, struct parse_out *out);
/* Read complete commands up to the first newline that ends one. */
void parse_first(const struct parse_in *in, struct parse_out *out);
/* Literal text of a word without expansions, quotes removed; NULL when it has any. */
const char *parse_literal(struct arena *a, const struct ast_word *w);

#endif /* INTERCEPT_PARSE_H */

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

/* Where the reading puts what, in bytes of the text: for a comparison with another reading (readings.h). */
enum parse_mark_kind {
	PARSE_MARK_COMMAND,	/* first word of a simple command */
	PARSE_MARK_WORD,	/* each other word of it */
	PARSE_MARK_REDIR,	/* a redirection, with its descriptor */
	PARSE_MARK_TARGET,	/* the word after it */
	PARSE_MARK_PREFIX,	/* time, !, coproc */
	PARSE_MARK_TEST,	/* [[ */
	PARSE_MARK_BODY,	/* the body of a here-document, with the line that ends it */
	PARSE_MARK_GROUP,	/* a pattern in parentheses: @(a|b) */
	PARSE_MARK_INNER,	/* a command in back quotes: a text of its own, see ->inner */
	PARSE_MARK_COUNT
};

struct parse_mark {
	uint32_t		at, to;		/* to: of a body, a group and what is inner only, else 0 */
	enum parse_mark_kind	kind;
};

/* @text is that of the parse, or of what is inner, which has its own marks. */
struct parse_marks {
	const char		*text;
	size_t			 len;
	struct parse_mark	*mark;		/* in the parse's arena, in the order of the text */
	size_t			 n, cap;
	bool			 aliased;	/* the text of an alias was read: the marks say nothing */
	struct parse_marks	*inner;		/* the last one */
	struct parse_marks	*next;		/* the inner one before */
};

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
	struct parse_marks	*marks;		/* filled; NULL: not wanted */
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
/* Where [from, to) of @in->text stands in the line: the only way from a place in the text to a span. */
struct span parse_place(const struct parse_in *in, size_t from, size_t to);
/* What stands between the quotes of $'..' as text, up to a NUL in it; NULL: no room. */
const char *parse_ansi(struct arena *a, const char *s, size_t len);
/* Literal text of a word without expansions, quotes removed; NULL when it has any. */
const char *parse_literal(struct arena *a, const struct ast_word *w);

#endif /* INTERCEPT_PARSE_H */

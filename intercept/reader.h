/* intercept/reader.h - the parser's lower half: characters, words and their parts
 *
 * Shared by parse.c (commands) and reader.c (words) only. After the first mistake
 * the position stands at the end, so every loop runs out by itself.
 */
#ifndef INTERCEPT_READER_H
#define INTERCEPT_READER_H

#include "intercept/parse.h"

/* Text of an alias that was put into the line: maps bytes after it back to the line. */
struct reader_splice {
	struct reader_splice	*next;		/* the older one */
	size_t			 from, to;	/* bytes of the alias text in the text that it made */
	size_t			 now;		/* its end in the text as it is now */
	size_t			 was;		/* length of the word that it replaced */
	struct span		 at;		/* span of that word in the line */
	const char		*name;
};

struct reader_heredoc {
	struct reader_heredoc	*next;
	struct ast_redir	*redir;
	const char		*delim;
	size_t			 delim_len;
	bool			 strip;		/* <<- */
};

struct reader {
	const struct parse_in	*in;
	struct arena		*arena;
	const char		*text;
	size_t			 pos, end;
	unsigned		 depth;
	struct reader_heredoc	*heredoc, **heredoc_tail;
	struct reader_splice	*splice;
	size_t			 nsplice;
	size_t			 alias_next;	/* end of an alias text that ends in a blank: the next word may be one too */
	bool			 body;		/* in a here-document: $'..' is text also inside of ${ } */
	unsigned		 requoted;	/* double quotes in the argument of a "${ }" so far */
	bool			 failed;
	struct expand_gap	 gap;
};

void *reader_alloc(struct reader *r, size_t size);	/* NULL: failed */
void reader_fail(struct reader *r, size_t at, bool incomplete, const char *fmt, ...) PRINTF(4, 5);
void reader_mark(struct reader *r, size_t at, size_t to, enum parse_mark_kind kind);
struct span reader_span(const struct reader *r, size_t from, size_t to);
int reader_peek(const struct reader *r, size_t ahead);	/* -1 at the end */
void reader_blanks(struct reader *r);			/* blanks, continuations, a comment */
bool reader_enter(struct reader *r);			/* one level deeper; false: too deep */
void reader_leave(struct reader *r);
bool reader_is_meta(int c);				/* ends a word; also -1 */

enum reader_mode { READER_WORD, READER_DOUBLE, READER_HEREDOC, READER_BRACE, READER_ARITH, READER_GROUP, READER_REGEX };

/* A word at the current position, NULL when there is none. */
struct ast_word *reader_word(struct reader *r, enum reader_mode mode);
struct ast_word *reader_marked_word(struct reader *r, enum parse_mark_kind kind);	/* READER_WORD */
/* Parts of all bytes [from, to) as in double quotes. */
struct ast_word *reader_range(struct reader *r, enum reader_mode mode, size_t from, size_t to);
/* Position after the `))` or `]` that ends the expression which starts at @from; 0: there is none. */
size_t reader_arith_end(const struct reader *r, size_t from, int close);
/* NAME=, NAME+=, NAME[..]= at the position: its length up to the value, 0: none. */
size_t reader_assign_len(const struct reader *r);
struct ast_assign *reader_assign(struct reader *r);
void reader_heredocs(struct reader *r);			/* bodies, after a newline */

/* From parse.c: commands up to @close (not consumed), -1: the end of the text. */
struct ast *parse_commands(struct reader *r, int close);

#endif /* INTERCEPT_READER_H */

/* intercept/pwread.h - the tree of a PowerShell text (plain data, in the judgement's arena)
 *
 * Made by pwread.c, walked by pwsh.c, by nobody else. Either the whole text was understood or
 * ->failed says why; what was read before the mistake is there.
 */
#ifndef INTERCEPT_PWREAD_H
#define INTERCEPT_PWREAD_H

#include "base/arena.h"
#include "intercept/cmdline.h"

enum pw_kind {
	PW_LIST,	/* a: statements */
	PW_PIPE,	/* a: stages */
	PW_CHAIN,	/* a && b, a || b */
	PW_COMMAND,	/* a: name, b: arguments, c: redirections; op: '&', '.' or 0 */
	PW_REDIR,	/* a: target; text "2", "*" or ""; op: '>' or 'a' (append), '&' (to a stream) */
	PW_TEXT,	/* text */
	PW_STRING,	/* a: parts, joined */
	PW_VAR,		/* text: the name */
	PW_SPLAT,	/* @text */
	PW_PARAM,	/* text "-Name"; a: value after a colon */
	PW_BLOCK,	/* a: PW_LIST, b: parameters (PW_VAR, ->a default) */
	PW_SUB,		/* $( ) @( ) ( ): a */
	PW_HASH,	/* a: entries (PW_PARAM, text is the key, a the value) */
	PW_ARRAY,	/* a: elements */
	PW_BINARY,	/* text: operator in small letters; a, b */
	PW_UNARY,
	PW_MEMBER,	/* a: object, text or b: name; op ':' when static */
	PW_CALL,	/* the same, c: arguments */
	PW_INDEX,	/* a[b] */
	PW_TYPE,	/* text: name of the type */
	PW_CAST,	/* [text] a */
	PW_ASSIGN,	/* a: target, text: operator, b: value */
	PW_IF,		/* a: condition, b: body, c: else */
	PW_LOOP,	/* a: head, b: body */
	PW_FOREACH,	/* text: variable, a: values, b: body */
	PW_BODIES,	/* a: what comes first, b: bodies of which any may run */
	PW_FUNCTION,	/* text: name, a: PW_BLOCK */
	PW_FLOW,	/* text: return, throw, exit, break, continue; a */
};

struct pw {
	enum pw_kind	 kind;
	char		 op;
	bool		 quoted;
	struct pw	*next;
	struct pw	*a, *b, *c;
	const char	*text;
	struct span	 span;
};

struct pwread {
	struct pw	*list;
	bool		 failed;
	const char	*why;
	struct span	 at;
};

void pwread_text(struct arena *mem, const char *text, size_t len, unsigned max_depth, struct pwread *out);

#endif /* INTERCEPT_PWREAD_H */

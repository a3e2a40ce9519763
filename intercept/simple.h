/* intercept/simple.h - one program with its words after expansion (plain data)
 *
 * What the expander hands to the effects stage, one call for each simple command
 * that the line may run, nested ones too. All memory is in the judgement's arena.
 */
#ifndef INTERCEPT_SIMPLE_H
#define INTERCEPT_SIMPLE_H

#include "intercept/cmdline.h"
#include "intercept/live.h"

enum word_kind {
	WORD_UNKNOWN = 0,	/* could be anything that starts with .prefix and ends with .suffix */
	WORD_EXACT,		/* exactly .text */
	WORD_PATTERN,		/* one or more names that match the glob .text (listing not known) */
};

/* A variable that shaped a word: for the banner's table. */
struct word_var {
	const char	*name;		/* "BUILD_DIR", "arr[2]", "1" */
	enum live_state	 state;		/* as seen by the expansion (also set earlier on the line) */
	const char	*value;		/* scalar; NULL when unset or unknown */
	struct span	 span;
};

struct word {
	enum word_kind		 kind;
	const char		*text;		/* exact or pattern (quoted glob characters escaped by \); else NULL */
	const char		*prefix;	/* unknown: known start, "" if none */
	const char		*suffix;	/* unknown: known end */
	const char		*why;		/* unknown: the reason, "output of date" */
	const char		*from_glob;	/* exact word that came from matching this pattern, else NULL */
	bool			 many;		/* unknown: may be any number of words, also none; then .prefix belongs
						 * to the first one only and .suffix to the last */
	bool			 glob;		/* unknown: holds glob characters, so it may be several names */
	bool			 quoted;	/* some part was quoted */
	bool			 windows;	/* a word of PowerShell or cmd.exe: as a path, by winpath.h */
	const struct word_var	*var;
	size_t			 nvar;
	struct span		 span;
};

enum redir_op { REDIR_READ, REDIR_WRITE, REDIR_APPEND, REDIR_CLOBBER, REDIR_RDWR, REDIR_DUP_IN, REDIR_DUP_OUT,
		REDIR_BOTH, REDIR_BOTH_APPEND, REDIR_HEREDOC, REDIR_HERESTRING };

struct redir {
	enum redir_op	 op;
	int		 fd;		/* -1: {var}> */
	struct word	 target;	/* file, descriptor, or the text of a heredoc or herestring */
	struct span	 span;
};

struct assign {
	const char	*name;
	struct word	 value;		/* array: unknown with why "array" unless a single element */
	bool		 append;
	struct span	 span;
};

enum {
	SIMPLE_BACKGROUND	= 1 << 0,
	SIMPLE_LOOP		= 1 << 1,	/* may run any number of times */
	SIMPLE_CONDITIONAL	= 1 << 2,	/* may not run at all */
	SIMPLE_SUBST		= 1 << 3,	/* inside $( ), ` ` or a process substitution */
	SIMPLE_DEFINED		= 1 << 4,	/* body of a function that is defined, not called, here */
	SIMPLE_BUILTIN		= 1 << 5,	/* command word is a shell builtin or keyword */
	SIMPLE_PIPE_OUT		= 1 << 6,	/* stdout goes into a pipe or substitution */
	SIMPLE_NOT_RUN		= 1 << 7,	/* an expansion fails first (set -u, ${x:?}, failglob): the shell stops */
	SIMPLE_SOMEWHERE	= 1 << 9,	/* .cwd is one of several where the shell may be; there is one for each */
	SIMPLE_ALSO		= 1 << 10,	/* not the first of those */
	SIMPLE_RECURSES		= 1 << 8,	/* call of a function from inside itself (argv[0] is its name) */
};

struct simple {
	const struct word	*argv;
	size_t			 argc;		/* 0: assignments or redirections only */
	const struct assign	*assign;
	size_t			 nassign;
	const struct redir	*redir;
	size_t			 nredir;
	const char		*cwd;		/* absolute; NULL when it cannot be known */
	const char		*cwd_why;	/* when unknown */
	const struct simple	*pipe_from;	/* last command of the stage that feeds stdin; NULL: none. argc 0 and
						 * no redirections: fed by a >( ) from a command that is not named */
	const struct word	*stdin_text;	/* heredoc or herestring on fd 0; NULL: none */
	const struct simple	*via;		/* wrapper or nested shell that leads here: sudo, xargs, bash -c */
	struct span		 span;		/* of the outermost line; nested text keeps the span of its word */
	unsigned		 flags;
	unsigned		 line;		/* in the nested text that it comes from, from 1; 0 on the line itself */
	unsigned		 depth;		/* nesting: 0 for what stands on the line itself */
	const char		*known;		/* name of its data (PowerShell, cmd.exe: "ps:remove-item"); NULL: argv[0] */
};

#endif /* INTERCEPT_SIMPLE_H */

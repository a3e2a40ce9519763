/* intercept/cmdline.h - one submitted line and where it was submitted (plain data) */
#ifndef INTERCEPT_CMDLINE_H
#define INTERCEPT_CMDLINE_H

#include <stddef.h>

enum dialect { DIALECT_BASH = 0, DIALECT_SH, DIALECT_ZSH, DIALECT_FISH, DIALECT_POWERSHELL, DIALECT_CMD,
	       DIALECT_COUNT };
extern const char *const dialect_name[DIALECT_COUNT];

/* Bytes [from, to) of the line as submitted. */
struct span { size_t from, to; };

#define CMDLINE_MAX (1u << 20)	/* bytes; a longer line is asked, not parsed */

struct cmdline {
	const char	*text;		/* borrowed; all lines of the command, may hold any byte but NUL */
	size_t		 len;
	enum dialect	 dialect;
	const char	*cwd;		/* absolute; of the shell at Enter */
	const char	*workspace;	/* absolute root of the workspace */
	const char	*home;		/* absolute */
	const char	*user;		/* login name, for ~user; may be NULL */
	const char	*source;	/* "pane", "run", "check", ... for the record */
};

#endif /* INTERCEPT_CMDLINE_H */

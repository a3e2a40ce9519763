/* intercept/verdict.h - the answer of the gate (plain data, read by ui and src)
 *
 * A zeroed verdict denies. Strings live as long as the judgement (judge.h).
 */
#ifndef INTERCEPT_VERDICT_H
#define INTERCEPT_VERDICT_H

#include "intercept/effect.h"

enum action { ACTION_DENY = 0, ACTION_ASK, ACTION_ALLOW, ACTION_COUNT };	/* smaller is stricter */
extern const char *const action_name[ACTION_COUNT];

/* A path that would be hit, for the banner. */
struct target {
	const char	*path;		/* absolute where known, else as far as known */
	const char	*how;		/* "delete", "overwrite", ... */
	const char	*state;		/* "tracked, unchanged", "untracked", "outside the workspace", ... */
	size_t		 files;		/* at or below; 0 = not counted */
	bool		 cut;		/* more than counted */
};

struct verdict {
	enum action		 action;
	const char		*rule;		/* stable id: "fs.delete.untracked" */
	const char		*reason;	/* one sentence */
	const char		*safer;		/* what to do instead; NULL on allow */
	struct span		 blame;		/* part of the line */
	const struct word_var	*var;		/* the variables that mattered */
	size_t			 nvar;
	const struct target	*target;
	size_t			 ntarget;
	const struct simple *const *cmd;	/* every simple command, in order, nested ones too */
	size_t			 ncmd;
	const struct effect	*effect;
	size_t			 neffect;
	bool			 incomplete;	/* the shell would ask for more lines (PS2): neither run nor asked */
	const char		*grant;		/* what it gets beyond the profile if it may run; NULL: nothing */
	bool			 moot;		/* the shell has dropped the line already: a yes has nothing to run */
	bool			 interactive;	/* starts something that takes lines we will not see */
	const char		*meaning;	/* the line after expansion as one text, words quoted for sh */
};

#endif /* INTERCEPT_VERDICT_H */

/* intercept/expand.h - run a parsed line on a model of the shell, without running it
 *
 * Walks the tree in execution order (parse.h), keeps a model of the shell's state (variables set on the
 * line, cwd, functions, options, positional parameters), expands each word and calls
 * back once for each simple command. Everything is bounded: past a bound the walk
 * goes on where it can and says so through ->incomplete, never skips in silence.
 */
#ifndef INTERCEPT_EXPAND_H
#define INTERCEPT_EXPAND_H

#include "base/arena.h"
#include "base/err.h"
#include "intercept/simple.h"
#include "intercept/stages.h"
#include "intercept/world.h"

struct expand;			/* the model, alive for one judgement */

/* @s and all it points to live in the arena. Return -1 to stop the walk. */
typedef int expand_fn(void *arg, const struct simple *s);

struct expand_in {
	const struct cmdline	*line;
	struct live		*live;
	const struct world	*world;
	struct arena		*arena;		/* everything comes from here */
	expand_fn		*fn;
	void			*arg;
	struct stages		*stages;	/* NULL: nothing is measured */
};

/* What could not be understood; the first one counts for the banner. */
struct expand_gap {
	const char	*why;		/* "syntax error near ...", "nested deeper than 32" */
	struct span	 span;
	bool		 incomplete;	/* the line is valid so far but not finished (PS2) */
	const char	*rule;		/* of the verdict; NULL: "parse.error" */
};

struct expand *expand_new(const struct expand_in *in);
/* Parse and walk the whole line. 0; -1 when stopped by the callback or out of arena. */
int expand_line(struct expand *x);
/* From inside the callback: walk @text (bash -c, eval, a script) as run by @by. @own_shell: a new
 * process (its cd and variables do not come back; only exported variables go in). @argv0.. are $0, $1...
 * The spans of what is inside are @at. Depth is bounded; -1 as above. */
int expand_nested(struct expand *x, const struct simple *by, const char *text, size_t len, struct span at,
		  bool own_shell, const struct word *args, size_t nargs);
/* Nested text starts in @cwd from now on (NULL: unknown): for the shells that keep their directory elsewhere. */
void expand_set_cwd(struct expand *x, const char *cwd);
size_t expand_gaps(const struct expand *x, const struct expand_gap **gaps);
/* The tree as indented text, for check --explain. */
char *expand_tree(const struct cmdline *line);	/* the caller frees */
/* Split @text into complete commands as bash would read them one after another (run -f).
 * Returns the length of the first one with its newline, 0 when it is incomplete. */
size_t expand_first_command(const char *text, size_t len);

#endif /* INTERCEPT_EXPAND_H */

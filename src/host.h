/* src/host.h - what a session, `run` and `check` stand on: configuration, judge, record, sandbox
 *
 * host_new() starts the spawner before anything big is allocated (design.md: forking a large heap is slow),
 * then loads the rest. Whatever is missing fails here, in one sentence with the remedy.
 */
#ifndef SRC_HOST_H
#define SRC_HOST_H

#include "audit.h"
#include "base/loop.h"
#include "conf/conf.h"
#include "intercept/judge.h"
#include "sandbox/spawner.h"

struct host_in {
	const char	*dir;		/* workspace; NULL = the current directory */
	const char	*policy, *profile;
	bool		 judge_only;	/* check: no sandbox is started, nothing is recorded */
};

struct host {
	struct loop	*loop;
	struct spawner	*spawner;	/* NULL: judge only */
	struct audit	*audit;		/* NULL: judge only */
	struct conf	*conf;
	struct judge	*judge;
	struct world	*world;
	char		*workspace, *home, *user;	/* real, absolute; user may be NULL */
};

/* A directory as its real path; -1 with a sentence when it is none. */
int host_directory(const char *dir, char **out, struct err *e);
int host_new(const struct host_in *in, struct host **out, struct err *e);
void host_free(struct host *h);
/* The sandbox of a shell at @cwd (NULL: the workspace). @gate_dir NULL: no gate socket inside. */
int host_plan(const struct host *h, const char *gate_dir, const char *cwd, struct plan **out, struct err *e);
/* A protected file was held back (spawner_held_fn): one line for a person and the record, quoted. The caller frees. */
char *host_held_text(const struct host *h, const char *path, const char *kept);

#endif /* SRC_HOST_H */

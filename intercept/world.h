/* intercept/world.h - the file system and git, as the judge may see them
 *
 * A table of functions, so that tests and `check --stdin` give a world of their own
 * instead of the machine's. Every function may answer "unknown": the judge then
 * assumes nothing. Paths are absolute and normalised. Results are valid until the
 * next call of the same function.
 */
#ifndef INTERCEPT_WORLD_H
#define INTERCEPT_WORLD_H

#include "base/buf.h"
#include "base/err.h"

enum world_type { WORLD_UNKNOWN = 0, WORLD_ABSENT, WORLD_FILE, WORLD_DIR, WORLD_LINK, WORLD_DEVICE, WORLD_OTHER };

enum world_git {
	WORLD_GIT_UNKNOWN = 0,
	WORLD_GIT_CLEAN,	/* everything at or below the path is tracked and unchanged */
	WORLD_GIT_DIRTY,	/* tracked, but changed (or some below are) */
	WORLD_GIT_UNTRACKED,	/* at least one file at or below is neither tracked nor ignored */
	WORLD_GIT_IGNORED,	/* ignored and untracked */
	WORLD_GIT_NONE,		/* not in a repository */
};

typedef bool world_name_fn(void *arg, const char *name);	/* false: stop */

struct world {
	/* A judgement begins: what was remembered of the one before is forgotten. NULL: nothing is remembered. */
	void		(*begin)(void *arg);
	enum world_type	(*type)(void *arg, const char *path);			/* like lstat */
	int		(*link)(void *arg, const char *path, struct buf *target);	/* 0, or -1 */
	/* Entries but . and ..; 0 all seen, -1 unknown or cut by the implementation's limit. */
	int		(*list)(void *arg, const char *dir, world_name_fn *fn, void *fnarg);
	int		(*read)(void *arg, const char *path, struct buf *out);	/* 0; -1 unknown, too big */
	/* Files at or below @path, counted up to a limit: 0, -1 unknown. */
	int		(*count)(void *arg, const char *path, size_t *files, size_t *bytes, bool *cut);
	enum world_git	(*git)(void *arg, const char *path);
	/* NULL when there is none or it is unknown. */
	const char	*(*git_root)(void *arg, const char *path);
	const char	*(*git_branch)(void *arg, const char *path);	/* checked out; NULL: detached or unknown */
	const char	*(*git_remote_url)(void *arg, const char *path, const char *remote);
	void		*arg;
};

struct world *world_real(void);			/* this machine; libgit2 in process, loaded when it is first needed */
int world_prepare(struct world *w, struct err *e);	/* loads it now; without it all of git is unknown */
void world_free(struct world *w);

#endif /* INTERCEPT_WORLD_H */

/* sandbox/gitdir.h - which directories make up the repository of a workspace
 *
 * Follows ".git" when it is a link or a pointer file (linked worktree, submodule). What a pointer file says is
 * only believed when the other end points back: a file in an unpacked archive must not be able to make another
 * repository, or a directory that is none, visible.
 */
#ifndef SANDBOX_GITDIR_H
#define SANDBOX_GITDIR_H

#include "base/mem.h"

#define GITDIR_MAX 8

struct gitdir {
	struct {
		char	*path;		/* real path, owned */
		bool	 expose;	/* may be shown read-only where it would be hidden */
		bool	 repo;		/* holds HEAD, index, refs or objects; else a file or a directory of hooks */
	} at[GITDIR_MAX];
	size_t	n;			/* 0: no repository here */
	bool	is_link;		/* ".git" is a symbolic link: the link itself cannot be protected */
};

/* Also the directory of core.hooksPath: what is in it runs later, outside. */
void gitdir_find(struct gitdir *g, const char *workspace);
void gitdir_done(struct gitdir *g);

/* What stays read-only in a repository also for a command that may write it: what git runs later, or where it looks
 * for that. NULL-terminated names. One that is missing is kept from appearing by gitdir_hold(). */
extern const char *const gitdir_kept[];
/* Rename what appeared under a kept name in @dir since @had was taken, so that git finds nothing there and nothing is
 * lost. Return: how many there were. */
unsigned gitdir_had(const char *dir);		/* bits of gitdir_kept */
unsigned gitdir_hold(const char *dir, unsigned had);

/* Directories below @workspace that hold a ".git" of their own. Looks at most GITDIR_DEPTH levels deep and at
 * GITDIR_LOOK directories, so that a large tree costs no more than a few milliseconds. @dir is borrowed.
 * Return: 0, 1 when the tree was larger than that, or what @fn returned when it is not 0. */
#define GITDIR_DEPTH	4
#define GITDIR_LOOK	1000
int gitdir_nested(const char *workspace, int (*fn)(const char *dir, void *arg), void *arg);

#endif /* SANDBOX_GITDIR_H */

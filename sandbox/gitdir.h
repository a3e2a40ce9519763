/* sandbox/gitdir.h - which directories make up the repository of a workspace
 *
 * Follows ".git" when it is a link or a pointer file (linked worktree, submodule). What a pointer file says is
 * only believed when the other end points back: a file in an unpacked archive must not be able to make another
 * repository, or a directory that is none, visible.
 */
#ifndef SANDBOX_GITDIR_H
#define SANDBOX_GITDIR_H

#include "base/mem.h"

#define GITDIR_MAX 4

struct gitdir {
	struct {
		char	*path;		/* real path, owned */
		bool	 expose;	/* may be shown read-only where it would be hidden */
	} at[GITDIR_MAX];
	size_t	n;			/* 0: no repository here */
	bool	is_link;		/* ".git" is a symbolic link: the link itself cannot be protected */
};

void gitdir_find(struct gitdir *g, const char *workspace);
void gitdir_done(struct gitdir *g);

#endif /* SANDBOX_GITDIR_H */

/* sandbox/join.h - a command of its own beside a running sandbox, with a little more than that one may
 *
 * It sees the same files, scratch directories included, and shares network, IPC and host name; its mount namespace
 * is a copy in which the listed directories are writable, and its processes are its own: nobody in the running
 * sandbox sees them, can trace them, or gets at their mounts by way of /proc. Runs in a child of the spawner,
 * between fork and exec. Needs Linux 5.12 (mount_setattr(2)).
 */
#ifndef SANDBOX_JOIN_H
#define SANDBOX_JOIN_H

#include <stddef.h>
#include <sys/types.h>

struct join {
	pid_t		 pid;		/* a process of the running sandbox, and */
	int		 pidfd;		/* the same, so that the number cannot be another's */
	const char	*cwd;		/* inside */
	char *const	*writable;	/* directories inside, no link on the way */
	char *const	*kept;		/* read-only all the same, if they are there */
	char *const	*argv;		/* sbx-init and what it is told */
	char *const	*env;		/* of the command */
	const void	*filter;	/* struct sock_filter[] */
	size_t		 filter_len;	/* bytes */
	int		 error;		/* descriptor for one line about what failed */
	pid_t		 parent;	/* the spawner: nothing of this outlives it */
};

/* Becomes the outermost process of the new sandbox: ends with it, and ends it when it is killed. */
void join_run(const struct join *j) __attribute__((noreturn));

#endif /* SANDBOX_JOIN_H */

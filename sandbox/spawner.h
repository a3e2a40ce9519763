/* sandbox/spawner.h - the small process that forks, reaps and keeps descriptors
 *
 * spawner_start() forks it off before the server has a heap worth mentioning; the server talks to it over a
 * socketpair and never forks again. When the server's end closes, the spawner kills what it started and
 * ends; when the spawner dies every sandbox dies with it (PR_SET_PDEATHSIG, bwrap --die-with-parent).
 */
#ifndef SANDBOX_SPAWNER_H
#define SANDBOX_SPAWNER_H

#include "base/loop.h"
#include "sandbox/plan.h"

struct spawner;

struct spawn_req {
	const struct plan	*plan;
	char *const		*argv;		/* command inside, NULL-terminated, absolute program */
	int			 rows, cols;	/* of the PTY */
	int			 extra_fd;	/* given to the command as descriptor 3, or -1 (borrowed) */
};

/* How it ended: @status as from waitpid(2). Called once for each child, from the loop. */
typedef void spawner_exit_fn(void *arg, int id, int status);
/* The spawner itself is gone: nothing can be started any more, all sandboxes are dead. */
typedef void spawner_gone_fn(void *arg);

/* Is everything there? bwrap found and new enough, user namespaces usable: tried for real with a
 * time limit. On failure @e says what is missing and what to do, in one line. */
int spawner_check(struct err *e);
int spawner_start(struct spawner **out, struct err *e);
void spawner_free(struct spawner *s);	/* ends it and its children */
int spawner_watch(struct spawner *s, struct loop *l, spawner_exit_fn *on_exit, spawner_gone_fn *gone, void *arg);
/* Start a child on a PTY of its own. On success *pty is the master (owned by the caller, non-blocking,
 * close-on-exec), *id names it, *pid is the host pid of the sandbox's outermost process. */
int spawner_spawn(struct spawner *s, const struct spawn_req *r, int *pty, int *id, pid_t *pid, struct err *e);
int spawner_kill(struct spawner *s, int id, int signo);	/* the whole sandbox for SIGKILL, else its first process */
pid_t spawner_pid(const struct spawner *s);

#endif /* SANDBOX_SPAWNER_H */

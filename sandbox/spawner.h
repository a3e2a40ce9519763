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

/* A command of its own beside a running one, see join.h. All borrowed; the lists end with NULL. */
struct spawn_join {
	int			 base;		/* id of the running one */
	const char		*cwd;		/* inside */
	char *const		*env;
	char *const		*writable;	/* as in struct join */
	char *const		*kept;
};

struct spawn_req {
	const struct plan	*plan;		/* of the running one, where there is .join */
	const struct spawn_join	*join;		/* NULL: a sandbox of its own */
	char *const		*argv;		/* command inside, NULL-terminated, absolute program */
	int			 rows, cols;	/* of the PTY */
	int			 extra_fd;	/* given to the command as descriptor 3, or -1 (borrowed) */
	const int		*stdio;		/* its descriptors 0 to 2, borrowed, -1: the PTY; NULL: all the PTY. The PTY is
						 * the terminal of its session all the same */
};

#define SPAWNER_MAX_ARGV (1u << 20)	/* bytes of a command with its arguments */

/* How it ended: @status as from waitpid(2) of the command itself; when the sandbox was killed from outside, of
 * its outermost process. Called once for each child, from the loop, when nothing of the sandbox lives any more. */
typedef void spawner_exit_fn(void *arg, int id, int status);
/* The spawner itself is gone: nothing can be started any more, all sandboxes are dead. */
typedef void spawner_gone_fn(void *arg);

/* A protected file appeared where a sandbox can write, and was moved from @path to @kept. NULL: it could not be moved or
 * kept coming back, and the sandboxes that could write there were ended. Both may hold any byte, and are cut when very
 * long. Called from the loop, or from spawner_spawn(). */
typedef void spawner_held_fn(void *arg, const char *path, const char *kept);
void spawner_on_held(struct spawner *s, spawner_held_fn *fn, void *arg);
/* Landlock's version here, 0 when the kernel has none: see spawner_landlock_lacks(). */
int spawner_landlock(void);
/* What a sandbox does without because of it, in words; NULL = nothing. */
const char *spawner_landlock_lacks(int abi);

/* Is everything there? bwrap found and new enough, user namespaces usable: tried for real with a
 * time limit. On failure @e says what is missing and what to do, in one line. */
int spawner_check(struct err *e);
int spawner_start(struct spawner **out, struct err *e);
void spawner_free(struct spawner *s);	/* ends it and its children */
int spawner_watch(struct spawner *s, struct loop *l, spawner_exit_fn *on_exit, spawner_gone_fn *gone, void *arg);
/* Start a child on a PTY of its own. On success *pty is the master (owned by the caller, non-blocking,
 * close-on-exec), *id names it, *pid is the host pid of the sandbox's outermost process.
 * Waits until the command really runs inside (about 15 ms) or the start failed: then @e has bubblewrap's own words,
 * and nothing was started. At most one call at a time; gives up after 10 seconds. */
int spawner_spawn(struct spawner *s, const struct spawn_req *r, int *pty, int *id, pid_t *pid, struct err *e);
int spawner_kill(struct spawner *s, int id, int signo);	/* the whole sandbox for SIGKILL, else its first process */
/* Host pid of the command itself (the shell), 0 when it has ended or was never told. */
pid_t spawner_command_pid(const struct spawner *s, int id);
pid_t spawner_pid(const struct spawner *s);

#endif /* SANDBOX_SPAWNER_H */

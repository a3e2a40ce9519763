/* base/loop.h - one epoll loop: descriptors, timers, signals, deferred calls
 *
 * Single-threaded. A callback may add and remove watches freely, its own too;
 * a removed watch is never called again, also not for an event that was already
 * collected. Owned by whoever made it; watches are owned by the loop.
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "base/err.h"

struct loop;
struct loop_timer;

/* @events: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR as reported. */
typedef void loop_fd_fn(struct loop *l, int fd, unsigned events, void *arg);
typedef void loop_timer_fn(struct loop *l, void *arg);
typedef void loop_signal_fn(struct loop *l, const struct signalfd_siginfo *si, void *arg);

struct loop *loop_new(struct err *e);
void loop_free(struct loop *l);
int loop_add_fd(struct loop *l, int fd, unsigned events, loop_fd_fn *fn, void *arg);	/* one watch a fd */
int loop_mod_fd(struct loop *l, int fd, unsigned events);
void loop_del_fd(struct loop *l, int fd);	/* call before close(fd) */
/* One shot, @ms from now. The timer is gone after it fired or was cancelled. */
struct loop_timer *loop_add_timer(struct loop *l, uint64_t ms, loop_timer_fn *fn, void *arg);
void loop_cancel_timer(struct loop *l, struct loop_timer *t);	/* NULL is fine */
/* Blocks the signal and delivers it here (signalfd). */
int loop_add_signal(struct loop *l, int signo, loop_signal_fn *fn, void *arg);
/* Called once after the events of this round: for drawing and freeing. */
void loop_defer(struct loop *l, loop_timer_fn *fn, void *arg);
int loop_run(struct loop *l, struct err *e);	/* until loop_stop(); 0 or -1 */
int loop_step(struct loop *l, int timeout_ms, struct err *e);	/* one round, for tests and nested waits */
void loop_stop(struct loop *l);

#endif /* BASE_LOOP_H */

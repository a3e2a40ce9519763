#include "base/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/io.h"

#define LOOP_EVENTS 64

struct watch {
	struct watch	*next;
	int		 fd;
	bool		 dead;
	loop_fd_fn	*fn;		/* borrowed, as is arg */
	void		*arg;
};

struct loop_timer {
	struct loop_timer	*next;	/* sorted by .at */
	uint64_t		 at;	/* ns, monotonic */
	loop_timer_fn		*fn;
	void			*arg;
};

struct sig {
	struct sig	*next;
	int		 signo;
	loop_signal_fn	*fn;
	void		*arg;
};

struct deferred {
	struct deferred	*next;
	loop_timer_fn	*fn;
	void		*arg;
};

struct loop {
	int			 ep, sigfd;
	bool			 stop;
	sigset_t		 mask;
	struct watch		*watches;
	struct loop_timer	*timers;
	struct sig		*signals;
	struct deferred		*deferred;	/* in order of the calls */
};

struct loop *loop_new(struct err *e)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	l->sigfd = -1;
	sigemptyset(&l->mask);
	l->ep = epoll_create1(EPOLL_CLOEXEC);
	if (l->ep < 0) {
		err_set(e, errno, "epoll_create");
		free(l);
		return NULL;
	}
	return l;
}

static void sweep(struct loop *l)
{
	struct watch **pp = &l->watches;

	while (*pp) {
		struct watch *w = *pp;

		if (w->dead) {
			*pp = w->next;
			free(w);
		} else {
			pp = &w->next;
		}
	}
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	for (struct watch *w = l->watches; w; w = w->next)
		w->dead = true;
	sweep(l);
	while (l->timers)
		loop_cancel_timer(l, l->timers);
	while (l->signals) {
		struct sig *s = l->signals;

		l->signals = s->next;
		free(s);
	}
	while (l->deferred) {
		struct deferred *d = l->deferred;

		l->deferred = d->next;
		free(d);
	}
	if (l->sigfd >= 0)
		close(l->sigfd);
	close(l->ep);
	free(l);
}

static struct watch *find(struct loop *l, int fd)
{
	struct watch *w = l->watches;

	while (w && (w->dead || w->fd != fd))
		w = w->next;
	return w;
}

int loop_add_fd(struct loop *l, int fd, unsigned events, loop_fd_fn *fn, void *arg)
{
	struct watch *w = xcalloc(1, sizeof(*w));
	struct epoll_event ev = { .events = events, .data.ptr = w };

	*w = (struct watch){ .fd = fd, .fn = fn, .arg = arg, .next = l->watches };
	if (epoll_ctl(l->ep, EPOLL_CTL_ADD, fd, &ev) < 0) {
		free(w);
		return -1;
	}
	l->watches = w;
	return 0;
}

int loop_mod_fd(struct loop *l, int fd, unsigned events)
{
	struct watch *w = find(l, fd);
	struct epoll_event ev = { .events = events, .data.ptr = w };

	return w ? epoll_ctl(l->ep, EPOLL_CTL_MOD, fd, &ev) : -1;
}

void loop_del_fd(struct loop *l, int fd)
{
	struct watch *w = find(l, fd);

	if (!w)
		return;
	epoll_ctl(l->ep, EPOLL_CTL_DEL, fd, NULL);
	w->dead = true;		/* freed by sweep(): an event may still point here */
}

struct loop_timer *loop_add_timer(struct loop *l, uint64_t ms, loop_timer_fn *fn, void *arg)
{
	struct loop_timer *t = xcalloc(1, sizeof(*t)), **pp = &l->timers;

	*t = (struct loop_timer){ .at = io_now_ns() + ms * 1000000u, .fn = fn, .arg = arg };
	while (*pp && (*pp)->at <= t->at)
		pp = &(*pp)->next;
	t->next = *pp;
	*pp = t;
	return t;
}

void loop_cancel_timer(struct loop *l, struct loop_timer *t)
{
	struct loop_timer **pp = &l->timers;

	while (*pp && *pp != t)
		pp = &(*pp)->next;
	if (!*pp)
		return;
	*pp = t->next;
	free(t);
}

static void on_signal(struct loop *l, int fd, unsigned events, void *arg)
{
	struct signalfd_siginfo si;

	(void)events;
	(void)arg;
	while (read(fd, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		for (struct sig *s = l->signals; s; s = s->next) {
			if (s->signo == (int)si.ssi_signo)
				s->fn(l, &si, s->arg);
		}
	}
}

int loop_add_signal(struct loop *l, int signo, loop_signal_fn *fn, void *arg)
{
	struct sig *s = xcalloc(1, sizeof(*s));
	int fd;

	*s = (struct sig){ .signo = signo, .fn = fn, .arg = arg, .next = l->signals };
	l->signals = s;
	sigaddset(&l->mask, signo);
	if (sigprocmask(SIG_BLOCK, &l->mask, NULL) < 0)
		return -1;
	fd = signalfd(l->sigfd, &l->mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (l->sigfd >= 0)
		return 0;
	l->sigfd = fd;
	return loop_add_fd(l, fd, EPOLLIN, on_signal, NULL);
}

void loop_defer(struct loop *l, loop_timer_fn *fn, void *arg)
{
	struct deferred *d = xcalloc(1, sizeof(*d)), **pp = &l->deferred;

	*d = (struct deferred){ .fn = fn, .arg = arg };
	while (*pp)
		pp = &(*pp)->next;
	*pp = d;
}

static int wait_ms(const struct loop *l, int timeout_ms)
{
	uint64_t now;
	int ms;

	if (l->deferred)
		return 0;
	if (!l->timers)
		return timeout_ms;
	now = io_now_ns();
	if (l->timers->at <= now)
		return 0;
	ms = (int)MIN((l->timers->at - now + 999999u) / 1000000u, (uint64_t)3600000);
	return timeout_ms < 0 ? ms : MIN(ms, timeout_ms);
}

static void run_timers(struct loop *l)
{
	uint64_t now = io_now_ns();

	while (l->timers && l->timers->at <= now) {
		struct loop_timer *t = l->timers;

		l->timers = t->next;
		t->fn(l, t->arg);
		free(t);
	}
}

static void run_deferred(struct loop *l)
{
	struct deferred *list = l->deferred;

	l->deferred = NULL;	/* what they defer in turn waits for the next round */
	while (list) {
		struct deferred *d = list;

		list = d->next;
		d->fn(l, d->arg);
		free(d);
	}
}

int loop_step(struct loop *l, int timeout_ms, struct err *e)
{
	struct epoll_event ev[LOOP_EVENTS];
	int n = epoll_wait(l->ep, ev, LOOP_EVENTS, wait_ms(l, timeout_ms));

	if (n < 0 && errno != EINTR)
		return err_set(e, errno, "epoll_wait");
	for (int i = 0; i < n; i++) {
		struct watch *w = ev[i].data.ptr;

		if (!w->dead)
			w->fn(l, w->fd, ev[i].events, w->arg);
	}
	run_timers(l);
	run_deferred(l);
	sweep(l);
	return 0;
}

int loop_run(struct loop *l, struct err *e)
{
	l->stop = false;
	while (!l->stop) {
		if (loop_step(l, -1, e) < 0)
			return -1;
	}
	return 0;
}

void loop_stop(struct loop *l)
{
	l->stop = true;
}

#include "sandbox/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/loop.h"
#include "sandbox/helper/init.h"
#include "sandbox/join.h"
#include "sandbox/plan.h"
#include "sandbox/seccomp.h"
#include "sandbox/spawner.h"
#include "sandbox/watch.h"

#define START_MS	10000
#define MAX_CHILDREN	1024
#define EXIT_SETUP	125
/* Descriptors on their way to their places in the child: above every place. */
#define FD_PARK		(PLAN_FD_NULL + PLAN_MAX_NULL + 8)

/* One watch for all sandboxes that write to the same places. */
struct shared {
	struct shared	*next;
	struct keeper	*keeper;	/* borrowed */
	struct watch	*watch;
	unsigned	 users;
};

struct child {
	struct child	*next;
	struct keeper	*keeper;	/* borrowed */
	struct shared	*shared;	/* one of its users; NULL = nothing is watched */
	int		 id;
	pid_t		 pid;		/* bubblewrap's outermost process */
	pid_t		 command_pid;
	int		 command_fd;	/* pidfd of the command, -1 unknown: a number could be another's by now */
	int		 status;	/* from sbx-init; -1 unknown */
	int		 status_fd;	/* our end of its socket */
	int		 error_fd;	/* bubblewrap's stderr, until it has started */
	int		 pty;		/* master, until it has started */
	bool		 started;
	bool		 late;
	bool		 gone;		/* reaped and reported: sweep() frees it */
	int		 failed;	/* errno that sbx-init told */
	struct loop_timer *timer;	/* until it has started */
};

struct keeper {
	struct loop	*loop;
	int		 sock;
	struct child	*children;
	struct shared	*watches;
	size_t		 n;
	pid_t		 self;
};

/* ---- between fork and exec ---- */

struct start {
	int		 slave, error, status;	/* descriptors */
	const int	*fds;			/* KEEPER_FD_*; -1 = none */
	unsigned	 nnull;
	bool		 stdio;
	char		**argv;
	struct join	*join;			/* NULL: bubblewrap makes the sandbox */
	pid_t		 parent;
};

static void child_die(int fd, const char *what)
{
	dprintf(fd, "%s: %s\n", what, strerror(errno));
	_exit(EXIT_SETUP);
}

static void child_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int or_terminal(const struct start *st, int which)
{
	return st->fds[which] >= 0 ? st->fds[which] : st->slave;
}

/* Every descriptor at its place, nothing else open. */
static int child_fds(const struct start *st)
{
	const struct { int from, to; } place[] = {
		{ or_terminal(st, KEEPER_FD_IN),	0 },
		{ or_terminal(st, KEEPER_FD_OUT),	1 },
		{ st->error,				2 },
		{ st->fds[KEEPER_FD_EXTRA],		INIT_FD_EXTRA },
		{ st->status,				INIT_FD_STATUS },
		{ st->fds[KEEPER_FD_SECCOMP],		KEEPER_AT_SECCOMP },
		{ st->fds[KEEPER_FD_ARGS],		KEEPER_AT_ARGS },
		{ st->stdio ? st->slave : -1,		INIT_FD_TTY },
		{ st->stdio ? or_terminal(st, KEEPER_FD_ERR) : -1, INIT_FD_ERR },
		{ st->join ? st->join->pidfd : -1,	KEEPER_AT_PIDFD },
		{ st->fds[KEEPER_FD_SHELL],		PLAN_FD_SHELL },
	};
	int parked[ARRAY_SIZE(place)], null;

	for (size_t i = 0; i < ARRAY_SIZE(place); i++) {
		parked[i] = place[i].from < 0 ? -1 : fcntl(place[i].from, F_DUPFD_CLOEXEC, FD_PARK);
		if (place[i].from >= 0 && parked[i] < 0)
			return -1;
	}
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || (null = fcntl(null, F_DUPFD_CLOEXEC, FD_PARK)) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(place); i++) {
		if (parked[i] < 0)
			close(place[i].to);
		else if (dup2(parked[i], place[i].to) < 0)
			return -1;
	}
	for (unsigned i = 0; i < st->nnull; i++) {
		if (dup2(null, (int)(PLAN_FD_NULL + i)) < 0)
			return -1;
	}
	if (syscall(SYS_close_range, PLAN_FD_SHELL + 1, PLAN_FD_NULL - 1, 0) < 0 ||
	    syscall(SYS_close_range, PLAN_FD_NULL + st->nnull, ~0u, 0) < 0)
		return -1;
	return 0;
}

/* bubblewrap starts with an empty environment: its own first process would show it to everybody inside. */
static void child_run(const struct start *st)
{
	char *none[] = { NULL };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || setsid() < 0)
		child_die(st->error, "prepare");
	if (getppid() != st->parent)
		_exit(EXIT_SETUP);	/* it died before it could be told to us */
	child_signals();
	if (child_fds(st) < 0)
		child_die(st->error, "descriptors");
	if (st->join) {
		st->join->error = STDERR_FILENO;
		st->join->pidfd = KEEPER_AT_PIDFD;
		join_run(st->join);
	}
	execve(st->argv[0], st->argv, none);
	child_die(STDERR_FILENO, st->argv[0]);
}

/* ---- terminals ---- */

/* The caller closes both, also after a failure. */
static int open_pty(int rows, int cols, int *master, int *slave)
{
	struct winsize ws = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols };
	struct termios t;
	int zero = 0;

	*master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (*master < 0 || ioctl(*master, TIOCSPTLCK, &zero) < 0 || ioctl(*master, TIOCSWINSZ, &ws) < 0)
		return -1;
	/* By descriptor: a name in /dev/pts can be another's. */
	*slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0)
		return -1;
	if (tcgetattr(*slave, &t) == 0) {
		t.c_iflag |= IUTF8;
		tcsetattr(*slave, TCSANOW, &t);
	}
	return 0;
}

/* ---- children ---- */

static void tell(struct keeper *k, const struct keeper_msg *m, int fd)
{
	/* A server that is gone is noticed by the read side. */
	(void)!io_send_fds(k->sock, m, sizeof(*m), &fd, fd >= 0);
}

static void tell_failed(struct keeper *k, int id, const char *text)
{
	struct keeper_msg m = { .type = KEEPER_FAILED, .id = id };

	snprintf(m.text, sizeof(m.text), "%s", text);
	tell(k, &m, -1);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void child_started(struct child *c)
{
	struct keeper_msg m = {
		.type = KEEPER_STARTED, .id = c->id, .pid = c->pid, .command_pid = c->command_pid,
	};

	c->started = true;
	loop_cancel_timer(c->keeper->loop, c->timer);
	c->timer = NULL;
	tell(c->keeper, &m, c->pty);
	close_fd(&c->pty);
	close_fd(&c->error_fd);
}

static void take_msg(struct child *c, const struct init_msg *m, pid_t sender)
{
	switch (m->type) {
	case INIT_HERE:
		c->command_pid = sender;
		c->command_fd = (int)syscall(SYS_pidfd_open, sender, 0);
		return;
	case INIT_STARTED:
		if (!c->started)
			child_started(c);
		return;
	case INIT_FAILED:
		c->failed = m->value;
		return;
	case INIT_ENDED:
		c->status = m->value;
		close_fd(&c->command_fd);
		return;
	default:
		return;
	}
}

/* One message with the sender's pid as we see it. false: nothing there (now, or ever again). */
static bool recv_status(int fd, struct init_msg *m, pid_t *sender, bool *end)
{
	union {
		struct cmsghdr	h;
		char		b[CMSG_SPACE(sizeof(struct ucred))];
	} ctl = { 0 };
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl.b, .msg_controllen = sizeof(ctl.b),
	};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	*end = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	*sender = 0;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
		struct ucred u;

		memcpy(&u, CMSG_DATA(c), sizeof(u));
		*sender = u.pid;
	}
	return n == (ssize_t)sizeof(*m);
}

static void drain_status(struct child *c)
{
	struct init_msg m;
	pid_t sender;
	bool end = false;

	while (c->status_fd >= 0 && recv_status(c->status_fd, &m, &sender, &end))
		take_msg(c, &m, sender);
	if (end && c->status_fd >= 0) {
		loop_del_fd(c->keeper->loop, c->status_fd);
		close_fd(&c->status_fd);
	}
}

static void on_status(struct loop *l, int fd, unsigned events, void *arg)
{
	(void)l;
	(void)fd;
	(void)events;
	drain_status(arg);
}

static void on_late(struct loop *l, void *arg)
{
	struct child *c = arg;

	(void)l;
	c->timer = NULL;
	c->late = true;
	kill(c->pid, SIGKILL);		/* the rest happens when it is reaped */
}

/* ---- protected files that appear ---- */

/* Where one could not be moved away, what could write it does not go on. */
static void on_held(void *arg, const char *path, const char *kept)
{
	struct shared *s = arg;
	struct keeper_msg m = { .type = KEEPER_HELD };
	size_t n = MIN(strlen(path), sizeof(m.text) / 2 - 1);

	memcpy(m.text, path, n);
	snprintf(m.text + n + 1, sizeof(m.text) - n - 1, "%s", kept ? kept : "");
	for (struct child *c = s->keeper->children; !kept && c; c = c->next) {
		if (c->shared == s && !c->gone)
			kill(c->pid, SIGKILL);
	}
	tell(s->keeper, &m, -1);
}

static void shared_put(struct shared *s)
{
	struct shared **pp;

	if (!s || --s->users)
		return;
	for (pp = &s->keeper->watches; *pp != s; pp = &(*pp)->next)
		;
	*pp = s->next;
	watch_free(s->watch);
	free(s);
}

/* Return -1 with @e; *out is NULL when nothing is to be watched. */
static int shared_get(struct keeper *k, int fd, struct shared **out, struct err *e)
{
	CLEANUP(buf_done) struct buf spec;
	struct shared *s = k->watches;

	*out = NULL;
	buf_init(&spec, SPAWNER_MAX_ARGV);
	if (io_slurp_fd(fd, &spec) < 0)
		return err_set(e, errno, "read what to watch");
	if (!spec.len)
		return 0;
	while (s && !watch_is(s->watch, spec.data, spec.len))
		s = s->next;
	if (!s) {
		s = xcalloc(1, sizeof(*s));
		s->keeper = k;
		s->watch = watch_new(k->loop, spec.data, spec.len, on_held, s, e);
		if (!s->watch) {
			free(s);
			return -1;
		}
		s->next = k->watches;
		k->watches = s;
	}
	s->users++;
	*out = s;
	return 0;
}

static void child_free(struct child *c)
{
	shared_put(c->shared);
	loop_cancel_timer(c->keeper->loop, c->timer);
	if (c->status_fd >= 0)
		loop_del_fd(c->keeper->loop, c->status_fd);
	close_fd(&c->status_fd);
	close_fd(&c->command_fd);
	close_fd(&c->error_fd);
	close_fd(&c->pty);
	free(c);
}

static void report_failure(struct child *c, int status)
{
	char text[ERR_MAX] = "";
	ssize_t n = read(c->error_fd, text, sizeof(text) - 1);

	if (c->late)
		snprintf(text, sizeof(text), "the sandbox did not start within %d seconds", START_MS / 1000);
	else if (c->failed)
		snprintf(text, sizeof(text), "the program cannot be started: %s", strerror(c->failed));
	else if (n <= 0)
		snprintf(text, sizeof(text), "bubblewrap ended with status %d and said nothing", status);
	tell_failed(c->keeper, c->id, text);
}

static void child_gone(struct child *c, int status)
{
	drain_status(c);
	if (!c->started) {
		report_failure(c, status);
	} else {
		struct keeper_msg m = {
			.type = KEEPER_EXITED, .id = c->id, .pid = c->pid,
			.status = c->status >= 0 ? c->status : status,
		};

		tell(c->keeper, &m, -1);
	}
	c->gone = true;
}

static void sweep(struct keeper *k)
{
	struct child **pp = &k->children;

	while (*pp) {
		struct child *c = *pp;

		if (!c->gone) {
			pp = &c->next;
			continue;
		}
		*pp = c->next;
		k->n--;
		child_free(c);
	}
}

static void on_sigchld(struct loop *l, const struct signalfd_siginfo *si, void *arg)
{
	struct keeper *k = arg;
	int status;
	pid_t pid;

	(void)l;
	(void)si;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct child *c = k->children;

		while (c && (c->gone || c->pid != pid))
			c = c->next;
		if (c)
			child_gone(c, status);
	}
	sweep(k);
}

/* ---- requests ---- */

/* NUL-separated strings into pointers; both stay valid until the caller frees them. */
static char **split(const struct buf *b)
{
	size_t n = 0;
	char **v;

	for (size_t i = 0; i < b->len; i++)
		n += b->data[i] == '\0';
	v = xcalloc(n + 1, sizeof(*v));
	n = 0;
	for (size_t i = 0; i < b->len; i += strlen(b->data + i) + 1)
		v[n++] = b->data + i;
	return v;
}

/* All that has to be closed when a step fails. */
struct parts {
	int	master, slave, error[2], status[2];
};

static int make_parts(struct parts *p, const struct keeper_req *r)
{
	int one = 1;

	*p = (struct parts){ -1, -1, { -1, -1 }, { -1, -1 } };
	if (open_pty(r->rows, r->cols, &p->master, &p->slave) < 0 || pipe2(p->error, O_CLOEXEC) < 0 || io_nonblock(p->error[0]) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, p->status) < 0 ||
	    setsockopt(p->status[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) < 0)
		return -1;
	return 0;
}

static void close_parts(struct parts *p)
{
	close_fd(&p->master);
	close_fd(&p->slave);
	for (int i = 0; i < 2; i++) {
		close_fd(&p->error[i]);
		close_fd(&p->status[i]);
	}
}

static void keep(struct keeper *k, const struct keeper_req *r, pid_t pid, struct shared *s, struct parts *p)
{
	struct child *c = xcalloc(1, sizeof(*c));

	*c = (struct child){
		.next = k->children, .keeper = k, .shared = s, .id = r->id, .pid = pid, .command_fd = -1, .status = -1,
		.status_fd = p->status[0], .error_fd = p->error[0], .pty = p->master,
	};
	p->status[0] = p->error[0] = p->master = -1;
	k->children = c;
	k->n++;
	c->timer = loop_add_timer(k->loop, START_MS, on_late, c);
	if (loop_add_fd(k->loop, c->status_fd, EPOLLIN, on_status, c) < 0)
		kill(pid, SIGKILL);	/* reported as a failed start when it is reaped */
}

static int start_child(struct keeper *k, const struct keeper_req *r, const int *fds, char **argv, struct join *join, struct shared *s,
		       struct parts *p)
{
	struct start st = { .fds = fds, .nnull = r->nnull, .stdio = r->stdio, .argv = argv, .join = join, .parent = k->self };
	pid_t pid;

	if (make_parts(p, r) < 0)
		return -1;
	st.slave = p->slave;
	st.error = p->error[1];
	st.status = p->status[1];
	pid = fork();
	if (pid == 0)
		child_run(&st);
	if (pid < 0)
		return -1;
	keep(k, r, pid, s, p);
	return 0;
}

static bool size_ok(int n)
{
	return n > 0 && n <= 0xffff;
}

/* Strings from a descriptor, each with its NUL. */
static int slurp_strings(int fd, struct buf *b)
{
	return fd >= 0 && io_slurp_fd(fd, b) == 0 && b->len && b->data[b->len - 1] == '\0' ? 0 : -1;
}

static struct child *child_by_id(const struct keeper *k, int id)
{
	struct child *c = k->children;

	while (c && (c->gone || c->id != id))
		c = c->next;
	return c;
}

/* What a KEEPER_JOIN says, sorted out. Owns the three tables; their strings are @text's. */
struct join_parts {
	struct join	  j;
	struct buf	  text, filter;
	char		**table[3];
};

static void join_done(struct join_parts *jp)
{
	buf_done(&jp->text);
	buf_done(&jp->filter);
	for (size_t i = 0; i < ARRAY_SIZE(jp->table); i++)
		free(jp->table[i]);
}

static void sort_strings(struct join_parts *jp)
{
	static const char kind[] = { KEEPER_WRITABLE, KEEPER_KEPT, KEEPER_ENV };
	size_t n = 0, used[ARRAY_SIZE(kind)] = { 0 };

	for (size_t i = 0; i < jp->text.len; i++)
		n += jp->text.data[i] == '\0';
	for (size_t i = 0; i < ARRAY_SIZE(kind); i++)
		jp->table[i] = xcalloc(n + 1, sizeof(char *));
	for (size_t at = 0; at < jp->text.len; at += strlen(jp->text.data + at) + 1) {
		char *s = jp->text.data + at, *k = *s ? memchr(kind, *s, sizeof(kind)) : NULL;

		if (k)
			jp->table[k - kind][used[k - kind]++] = s + 1;
		else if (*s == KEEPER_DIR)
			jp->j.cwd = s + 1;
	}
	jp->j.writable = jp->table[0];
	jp->j.kept = jp->table[1];
	jp->j.env = jp->table[2];
}

static int join_read(struct keeper *k, const struct keeper_req *r, const int *fds, char **argv, struct join_parts *jp)
{
	const struct child *base = child_by_id(k, r->base);

	*jp = (struct join_parts){ .j = { .argv = argv, .parent = k->self, .pidfd = base ? base->command_fd : -1 } };
	buf_init(&jp->text, KEEPER_ARGS_MAX);
	buf_init(&jp->filter, SECCOMP_PROGRAM_MAX);
	if (jp->j.pidfd < 0 || slurp_strings(fds[KEEPER_FD_ARGS], &jp->text) < 0 || fds[KEEPER_FD_SECCOMP] < 0 ||
	    io_slurp_fd(fds[KEEPER_FD_SECCOMP], &jp->filter) < 0 || !jp->filter.len)
		return -1;
	sort_strings(jp);
	jp->j.pid = base->command_pid;
	jp->j.filter = jp->filter.data;
	jp->j.filter_len = jp->filter.len;
	return jp->j.cwd ? 0 : -1;
}

static void do_spawn(struct keeper *k, const struct keeper_req *r, const int *fds)
{
	CLEANUP(buf_done) struct buf b;
	CLEANUP(cleanup_freep) char **argv = NULL;
	struct join_parts jp = { 0 };
	struct shared *s = NULL;
	struct parts p;
	struct err e;

	buf_init(&b, SPAWNER_MAX_ARGV);
	if (slurp_strings(fds[KEEPER_FD_ARGV], &b) < 0 || r->nnull > PLAN_MAX_NULL || !size_ok(r->rows) || !size_ok(r->cols)) {
		tell_failed(k, r->id, "malformed request");
		return;
	}
	if (k->n == MAX_CHILDREN) {
		tell_failed(k, r->id, "too many sandboxes at once");
		return;
	}
	if (shared_get(k, fds[KEEPER_FD_WATCH], &s, &e) < 0) {
		tell_failed(k, r->id, e.msg);
		return;
	}
	argv = split(&b);
	if (r->op == KEEPER_JOIN && join_read(k, r, fds, argv, &jp) < 0) {
		tell_failed(k, r->id, "the sandbox that it belongs to has ended");
		shared_put(s);
	} else {
		if (start_child(k, r, fds, argv, r->op == KEEPER_JOIN ? &jp.j : NULL, s, &p) < 0) {
			tell_failed(k, r->id, strerror(errno));
			shared_put(s);
		}
		close_parts(&p);
	}
	join_done(&jp);
}

/* Killing bubblewrap's outermost process ends everything in the sandbox; another signal is for the command. */
static void do_kill(struct keeper *k, const struct keeper_req *r)
{
	const struct child *c = child_by_id(k, r->id);

	if (!c)
		return;
	if (r->signo == SIGKILL)
		kill(c->pid, SIGKILL);
	else if (c->command_fd >= 0)
		(void)!syscall(SYS_pidfd_send_signal, c->command_fd, r->signo, NULL, 0);
}

/* The server is gone: nothing of it may go on. */
static void end(struct keeper *k)
{
	for (struct child *c = k->children; c; c = c->next)
		kill(c->pid, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	_exit(0);
}

/* Each descriptor to its place; the first three always come. */
static void sort_fds(uint32_t given, const int *got, size_t n, int fds[KEEPER_FDS])
{
	size_t next = 0;

	for (unsigned i = 0; i < KEEPER_FDS; i++)
		fds[i] = (i < KEEPER_FD_EXTRA || given & 1u << i) && next < n ? got[next++] : -1;
}

static void on_request(struct loop *l, int sock, unsigned events, void *arg)
{
	struct keeper *k = arg;
	struct keeper_req r;
	int fds[KEEPER_FDS], got[KEEPER_FDS];
	size_t n = KEEPER_FDS;
	ssize_t len = io_recv_fds(sock, &r, sizeof(r), got, &n);

	(void)l;
	(void)events;
	if (len < 0 && errno == EAGAIN)
		return;
	if (len != (ssize_t)sizeof(r))
		end(k);
	sort_fds(r.given, got, n, fds);
	if (r.op == KEEPER_SPAWN || r.op == KEEPER_JOIN)
		do_spawn(k, &r, fds);
	else if (r.op == KEEPER_KILL)
		do_kill(k, &r);
	for (size_t i = 0; i < n; i++)
		close(got[i]);
}

/* ---- the process ---- */

/* No descriptor, handler or terminal of the server: a Ctrl-C at the person's terminal is not for us. */
static int detach(int sock)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || setsid() < 0)
		return -1;
	for (int fd = 0; fd <= 2; fd++) {
		if (fd != sock && dup2(null, fd) < 0)
			return -1;
	}
	if (sock > 3)
		(void)!syscall(SYS_close_range, 3, sock - 1, 0);
	(void)!syscall(SYS_close_range, MAX(sock, 2) + 1, ~0u, 0);
	child_signals();
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "sbx-spawner");
	return 0;
}

void keeper_main(int sock)
{
	struct keeper k = { .sock = sock, .self = getpid() };
	struct err e;

	if (detach(sock) < 0)
		_exit(EXIT_SETUP);
	k.loop = loop_new(&e);
	if (!k.loop || loop_add_signal(k.loop, SIGCHLD, on_sigchld, &k) < 0 ||
	    loop_add_fd(k.loop, sock, EPOLLIN, on_request, &k) < 0)
		_exit(EXIT_SETUP);
	(void)!loop_run(k.loop, &e);
	end(&k);
	_exit(EXIT_SETUP);
}

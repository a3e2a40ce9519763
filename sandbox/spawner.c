#include "sandbox/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "sandbox/helper/init.h"
#include "sandbox/keeper.h"
#include "sandbox/seccomp.h"

#define REPLY_MS	15000		/* the spawner itself gives up after 10 s */
#define CHECK_MS	2000
#define EXIT_SETUP	125

struct running {
	struct running	*next;
	int		 id;
	pid_t		 command;
	bool		 exited;	/* told before anybody watched */
	int		 status;
};

struct spawner {
	int		 sock;
	pid_t		 pid;
	int		 last_id;
	bool		 dead;
	struct buf	 filter;	/* seccomp program, the same for all */
	struct running	*running;
	struct loop_timer *later;	/* to tell ends that came in between */
	struct loop	*loop;		/* borrowed, as is what follows */
	spawner_exit_fn	*on_exit;
	spawner_gone_fn	*gone;
	void		*arg;
	spawner_held_fn	*held;
	void		*held_arg;	/* borrowed */
};

/* ---- life ---- */

int spawner_start(struct spawner **out, struct err *e)
{
	struct spawner *s = xcalloc(1, sizeof(*s));
	int pair[2];

	buf_init(&s->filter, SECCOMP_PROGRAM_MAX);
	s->sock = -1;
	if (seccomp_program(&s->filter, e) < 0)
		goto fail;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		err_set(e, errno, "socketpair");
		goto fail;
	}
	s->sock = pair[0];
	s->pid = fork();
	if (s->pid == 0) {
		close(pair[0]);
		keeper_main(pair[1]);
	}
	close(pair[1]);
	if (s->pid < 0 || io_nonblock(s->sock) < 0) {
		err_set(e, errno, "start the spawner");
		goto fail;
	}
	*out = s;
	return 0;
fail:
	spawner_free(s);
	return -1;
}

void spawner_free(struct spawner *s)
{
	if (!s)
		return;
	if (s->loop) {
		loop_cancel_timer(s->loop, s->later);
		loop_del_fd(s->loop, s->sock);
	}
	if (s->sock >= 0)
		close(s->sock);
	if (s->pid > 0) {
		while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	while (s->running) {
		struct running *r = s->running;

		s->running = r->next;
		free(r);
	}
	buf_done(&s->filter);
	free(s);
}

pid_t spawner_pid(const struct spawner *s)
{
	return s->pid;
}

void spawner_on_held(struct spawner *s, spawner_held_fn *fn, void *arg)
{
	s->held = fn;
	s->held_arg = arg;
}

int spawner_landlock(void)
{
	const long abi = syscall(444, NULL, 0, 1);	/* landlock_create_ruleset: its version */

	return abi < 0 ? 0 : (int)abi;
}

const char *spawner_landlock_lacks(int abi)
{
	if (abi < 2)
		return "no second wall: namespaces and the system call filter stand alone";
	if (abi < 6)
		return "no signal and abstract socket scopes: namespaces stand alone there";
	return NULL;
}

/* ---- what runs ---- */

static struct running *find(const struct spawner *s, int id)
{
	struct running *r = s->running;

	while (r && r->id != id)
		r = r->next;
	return r;
}

static void forget(struct spawner *s, struct running *r)
{
	struct running **pp = &s->running;

	while (*pp != r)
		pp = &(*pp)->next;
	*pp = r->next;
	free(r);
}

pid_t spawner_command_pid(const struct spawner *s, int id)
{
	const struct running *r = find(s, id);

	return r && !r->exited ? r->command : 0;
}

static void note_held(const struct spawner *s, const struct keeper_msg *m)
{
	const char *kept = memchr(m->text, '\0', sizeof(m->text) / 2);

	if (s->held && kept)
		s->held(s->held_arg, m->text, kept[1] ? kept + 1 : NULL);
}

static void note_exit(struct spawner *s, const struct keeper_msg *m)
{
	struct running *r = find(s, m->id);

	if (!r)
		return;
	r->exited = true;
	r->status = m->status;
}

/* The callback may start or kill others, or free nothing but its own things: not @s. */
static void deliver(struct spawner *s)
{
	struct running *r = s->running;

	while (r) {
		int id = r->id, status = r->status;

		if (!r->exited) {
			r = r->next;
			continue;
		}
		forget(s, r);
		if (s->on_exit)
			s->on_exit(s->arg, id, status);
		r = s->running;
	}
}

/* ---- talking ---- */

/* Return: 1 a message, 0 nothing now, -1 the spawner is gone. A descriptor that nobody expects is closed. */
static int recv_msg(struct spawner *s, struct keeper_msg *m, int *fd)
{
	size_t n = 1;
	ssize_t len = io_recv_fds(s->sock, m, sizeof(*m), fd, &n);

	if (n == 0)
		*fd = -1;
	if (len == (ssize_t)sizeof(*m)) {
		m->text[sizeof(m->text) - 1] = '\0';
		return 1;
	}
	return len < 0 && errno == EAGAIN ? 0 : -1;
}

static void on_readable(struct loop *l, int fd, unsigned events, void *arg)
{
	struct spawner *s = arg;
	struct keeper_msg m;
	int got, r;

	(void)fd;
	(void)events;
	while ((r = recv_msg(s, &m, &got)) > 0) {
		if (got >= 0)
			close(got);
		if (m.type == KEEPER_EXITED)
			note_exit(s, &m);
		else if (m.type == KEEPER_HELD)
			note_held(s, &m);
	}
	deliver(s);
	if (r == 0)
		return;
	loop_del_fd(l, s->sock);
	s->dead = true;
	if (s->gone)
		s->gone(s->arg);	/* may free @s */
}

static void on_later(struct loop *l, void *arg)
{
	struct spawner *s = arg;

	(void)l;
	s->later = NULL;
	deliver(s);
}

int spawner_watch(struct spawner *s, struct loop *l, spawner_exit_fn *on_exit, spawner_gone_fn *gone, void *arg)
{
	s->loop = l;
	s->on_exit = on_exit;
	s->gone = gone;
	s->arg = arg;
	return loop_add_fd(l, s->sock, EPOLLIN, on_readable, s);
}

int spawner_kill(struct spawner *s, int id, int signo)
{
	const struct keeper_req r = { .op = KEEPER_KILL, .id = id, .signo = signo };

	return io_send_fds(s->sock, &r, sizeof(r), NULL, 0);
}

/* ---- one start ---- */

static int memory_fd(const char *name, const void *p, size_t len, struct err *e)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return err_set(e, errno, "memfd_create");
	if (io_write_all(fd, p, len) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		err_set(e, errno, "write %s", name);
		close(fd);
		return -1;
	}
	return fd;
}

static int add_word(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s) + 1);
}

/* All that says anything goes by descriptor: bubblewrap's own arguments can be read inside. */
static int args_fd(const struct plan *p, struct err *e)
{
	CLEANUP(buf_done) struct buf b;
	int r = 0;

	buf_init(&b, KEEPER_ARGS_MAX);
	for (char *const *v = plan_argv(p) + 1; *v; v++)
		r |= add_word(&b, *v);
	for (char *const *v = plan_env(p); *v; v++) {
		CLEANUP(cleanup_freep) char *name = xmemdup0(*v, strcspn(*v, "="));

		r |= add_word(&b, "--setenv") | add_word(&b, name) | add_word(&b, *v + strlen(name) + 1);
	}
	if (r)
		return err_set(e, E2BIG, "environment");
	return memory_fd("args", b.data, b.len, e);
}

static int add_kind(struct buf *b, char kind, char *const *v)
{
	int r = 0;

	for (; v && *v; v++)
		r |= buf_addc(b, kind) | add_word(b, *v);
	return r;
}

static int join_fd(const struct spawn_join *j, struct err *e)
{
	char *const cwd[] = { (char *)(uintptr_t)j->cwd, NULL };
	CLEANUP(buf_done) struct buf b;

	buf_init(&b, KEEPER_ARGS_MAX);
	if (add_kind(&b, KEEPER_DIR, cwd) | add_kind(&b, KEEPER_WRITABLE, j->writable) | add_kind(&b, KEEPER_KEPT, j->kept) |
	    add_kind(&b, KEEPER_ENV, j->env))
		return err_set(e, E2BIG, "environment");
	return memory_fd("join", b.data, b.len, e);
}

static int argv_fd(const struct spawn_req *req, struct err *e)
{
	static const char init[] = PLAN_RUN_DIR "/bin/" INIT_NAME;
	char nproc[32], has[16];
	const char *const before[] = {
		plan_argv(req->plan)[0], "--seccomp", "5", "--args", "6", "--", init, has, nproc,
	};
	CLEANUP(buf_done) struct buf b;
	int r = 0;

	snprintf(has, sizeof(has), "%d", (req->extra_fd >= 0 ? INIT_HAS_EXTRA : 0) | (req->stdio ? INIT_HAS_STDIO : 0));
	snprintf(nproc, sizeof(nproc), "%zu", plan_nproc(req->plan));
	buf_init(&b, SPAWNER_MAX_ARGV);
	for (size_t i = req->join ? 6 : 0; i < ARRAY_SIZE(before); i++)
		r |= add_word(&b, before[i]);
	for (char *const *v = req->argv; *v; v++)
		r |= add_word(&b, *v);
	if (r)
		return err_set(e, E2BIG, "command");
	return memory_fd("argv", b.data, b.len, e);
}

/* The descriptors that only some have, behind the three of all. Return: how many there are now. */
static size_t add_given(const struct spawn_req *req, int *fds, uint32_t *given)
{
	const int own[] = {
		req->extra_fd, req->stdio ? req->stdio[0] : -1, req->stdio ? req->stdio[1] : -1, req->stdio ? req->stdio[2] : -1,
	};
	size_t n = KEEPER_FD_EXTRA;

	for (unsigned i = 0; i < ARRAY_SIZE(own); i++) {
		if (own[i] < 0)
			continue;
		*given |= 1u << (KEEPER_FD_EXTRA + i);
		fds[n++] = own[i];
	}
	return n;
}

/* bubblewrap reads it to its end, so each start needs a position of its own. */
static int shell_fd(const struct plan *p, struct err *e)
{
	const char *path = plan_shell(p) ? plan_shell(p) : "/dev/null";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? err_set(e, errno, "open %s", path) : fd;
}

static int watch_fd(const struct plan *p, struct err *e)
{
	const struct buf *b = plan_watch(p);

	return memory_fd("watch", b ? b->data : "", b ? b->len : 0, e);
}

static int send_spawn(struct spawner *s, const struct spawn_req *req, int id, struct err *e)
{
	struct keeper_req r = {
		.op = req->join ? KEEPER_JOIN : KEEPER_SPAWN, .id = id, .base = req->join ? req->join->base : 0, .rows = req->rows, .cols = req->cols,
		.nnull = req->join ? 0 : (uint32_t)plan_nnull(req->plan), .stdio = req->stdio != NULL,
	};
	int fds[KEEPER_FDS] = { -1, -1, -1, -1, -1 };
	size_t n = add_given(req, fds, &r.given);
	int rc = -1;

	fds[KEEPER_FD_SECCOMP] = memory_fd("seccomp", s->filter.data, s->filter.len, e);
	if (fds[KEEPER_FD_SECCOMP] >= 0)
		fds[KEEPER_FD_ARGS] = req->join ? join_fd(req->join, e) : args_fd(req->plan, e);
	if (fds[KEEPER_FD_ARGS] >= 0)
		fds[KEEPER_FD_ARGV] = argv_fd(req, e);
	if (fds[KEEPER_FD_ARGV] >= 0)
		fds[KEEPER_FD_SHELL] = shell_fd(req->plan, e);
	if (fds[KEEPER_FD_SHELL] >= 0)
		fds[KEEPER_FD_WATCH] = watch_fd(req->plan, e);
	if (fds[KEEPER_FD_WATCH] >= 0) {
		rc = io_send_fds(s->sock, &r, sizeof(r), fds, n);
		if (rc < 0)
			err_set(e, errno, "the spawner is gone");
	}
	for (int i = 0; i < KEEPER_FD_EXTRA; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return rc;
}

static int wait_readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int r;

	do
		r = poll(&p, 1, ms);
	while (r < 0 && errno == EINTR);
	return r;
}

/* Ends of others that arrive meanwhile are kept for later. */
static int wait_reply(struct spawner *s, int id, struct keeper_msg *m, int *fd, struct err *e)
{
	uint64_t end = io_now_ns() + REPLY_MS * 1000000ull;

	for (;;) {
		int r = recv_msg(s, m, fd);
		int64_t left = (int64_t)(end - io_now_ns()) / 1000000;

		if (r < 0)
			return err_set(e, 0, "the spawner is gone");
		if (r > 0 && m->type == KEEPER_EXITED)
			note_exit(s, m);
		else if (r > 0 && m->type == KEEPER_HELD)
			note_held(s, m);
		else if (r > 0 && m->id == id)
			return 0;
		else if (r > 0 && *fd >= 0)
			close(*fd);
		if (r == 0 && (left <= 0 || wait_readable(s->sock, (int)left) <= 0))
			break;
	}
	spawner_kill(s, id, SIGKILL);
	return err_set(e, 0, "no answer from the spawner");
}

/* bubblewrap's words, on one line. */
static int start_error(const char *text, struct err *e)
{
	char line[ERR_MAX];
	size_t n = 0;

	for (; *text && n + 1 < sizeof(line); text++)
		line[n++] = (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text;
	while (n && line[n - 1] == ' ')
		n--;
	line[n] = '\0';
	return err_set(e, 0, "%s", line);
}

static int start(struct spawner *s, const struct spawn_req *req, int id, struct keeper_msg *m, int *fd, struct err *e)
{
	if (s->dead)
		return err_set(e, 0, "the spawner is gone");
	if (!req->argv[0] || req->argv[0][0] != '/')
		return err_set(e, 0, "not an absolute program");
	if (!plan_bwrap())
		return spawner_check(e);
	if (send_spawn(s, req, id, e) < 0 || wait_reply(s, id, m, fd, e) < 0)
		return -1;
	if (m->type == KEEPER_STARTED && *fd >= 0)
		return 0;
	return start_error(m->text, e);
}

int spawner_spawn(struct spawner *s, const struct spawn_req *req, int *pty, int *id, pid_t *pid, struct err *e)
{
	struct keeper_msg m = { 0 };
	struct running *r;
	int fd = -1, me = ++s->last_id;

	if (start(s, req, me, &m, &fd, e) < 0) {
		if (fd >= 0)
			close(fd);
		return err_wrap(e, "sandbox not started");
	}
	r = xcalloc(1, sizeof(*r));
	*r = (struct running){ .next = s->running, .id = me, .command = m.command_pid };
	s->running = r;
	if (s->loop && !s->later)
		s->later = loop_add_timer(s->loop, 0, on_later, s);
	*pty = fd;
	*id = me;
	*pid = m.pid;
	return 0;
}

/* ---- the check at start ---- */

static const struct {
	const char	*file;
	long		 bad;
	const char	*say;
} switches[] = {
	{ "/proc/sys/kernel/unprivileged_userns_clone", 0,
	  "user namespaces are switched off: as root, sysctl -w kernel.unprivileged_userns_clone=1" },
	{ "/proc/sys/user/max_user_namespaces", 0,
	  "user namespaces are switched off: as root, sysctl -w user.max_user_namespaces=15000" },
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
	  "AppArmor keeps bubblewrap from making user namespaces: install an AppArmor profile for bwrap that allows "
	  "userns, or, as root, sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" },
};

static int explain(const char *said, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		CLEANUP(buf_done) struct buf b;

		buf_init(&b, 64);
		if (io_slurp(switches[i].file, &b, NULL) == 0 && b.len &&
		    strtol(buf_str(&b), NULL, 10) == switches[i].bad)
			return err_set(e, 0, "%s", switches[i].say);
	}
	if (strstr(said, "nknown option"))
		return err_set(e, 0, "bubblewrap is too old, 0.8 or newer is needed: apt-get install bubblewrap");
	start_error(*said ? said : "it said nothing", e);
	return err_wrap(e, "bubblewrap cannot make a sandbox here (in a container, allow user namespaces)");
}

static void trial_child(const char *bwrap, int out)
{
	static const char *const rest[] = {
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", "--",
	};
	const char *argv[64] = { bwrap };
	char *none[] = { NULL };
	size_t n = 1;

	for (const char *const *f = plan_flags(); *f; f++)
		argv[n++] = *f;
	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		argv[n++] = rest[i];
	argv[n++] = bwrap;		/* the one program that is known to be there */
	argv[n++] = "--version";
	argv[n] = NULL;
	if (dup2(out, STDERR_FILENO) < 0 || dup2(open("/dev/null", O_RDWR), STDOUT_FILENO) < 0)
		_exit(EXIT_SETUP);
	(void)!syscall(SYS_close_range, 3, ~0u, 0);
	execve(bwrap, (char *const *)(uintptr_t)argv, none);
	dprintf(STDERR_FILENO, "%s: %s\n", bwrap, strerror(errno));
	_exit(EXIT_SETUP);
}

/* Read what it says until it ends or the time is over. Return: true when it ended by itself. */
static bool trial_read(int fd, struct buf *said)
{
	uint64_t end = io_now_ns() + CHECK_MS * 1000000ull;
	char chunk[512];

	for (;;) {
		int64_t left = (int64_t)(end - io_now_ns()) / 1000000;
		ssize_t n;

		if (left <= 0 || wait_readable(fd, (int)left) <= 0)
			return false;
		n = read(fd, chunk, sizeof(chunk));
		if (n <= 0)
			return true;
		(void)!buf_add(said, chunk, (size_t)n);
	}
}

int spawner_check(struct err *e)
{
	const char *bwrap = plan_bwrap();
	CLEANUP(buf_done) struct buf said;
	int out[2], status = -1;
	bool ended;
	pid_t pid;

	buf_init(&said, ERR_MAX);
	if (!bwrap)
		return err_set(e, 0, "bubblewrap is not installed: apt-get install bubblewrap");
	if (pipe2(out, O_CLOEXEC) < 0)
		return err_set(e, errno, "pipe");
	pid = fork();
	if (pid == 0)
		trial_child(bwrap, out[1]);
	close(out[1]);
	ended = pid > 0 && trial_read(out[0], &said);
	close(out[0]);
	if (pid < 0)
		return err_set(e, errno, "fork");
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!ended)
		return err_set(e, 0, "bubblewrap did not start a sandbox within %d seconds (a hanging network mount?)",
			       CHECK_MS / 1000);
	return status == 0 ? 0 : explain(buf_str(&said), e);
}

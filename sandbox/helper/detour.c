/* sbx-detour: stands where a program is whose calls may need more than the sandbox gives
 *
 * Bound over the program (git); the real one is in /run/sbxterm/real. A call that only reads runs at once. Any other is
 * put to the host over the gate's socket (the wire is described in src/gate.c): the host judges the words, and
 * runs the program beside this sandbox on a terminal of its own. What comes from there is copied to our terminal
 * and what is typed goes there; pipes and files are handed over as they are. We end as it ends.
 *
 * Nothing here is a boundary: a call that goes around us, or a host that is not there, gets the real program with
 * what the sandbox allows.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#define SOCKET		"/run/sbxterm/gate/sock"
#define REAL		"/run/sbxterm/real/"
#define CALL_MAX	(1u << 20)	/* bytes of words and environment; more runs without a grant */
#define MESSAGE_MAX	65536u
#define REFUSED		126

extern char **environ;

/* ---- which calls only read ---- */

static bool is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++) {
		if (strcmp(s, *list) == 0)
			return true;
	}
	return false;
}

/* Also those that write, but never into the repository that is here: they need no grant. */
static bool git_reads(int argc, char **argv)
{
	static const char *const with_value[] = { "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", NULL };
	static const char *const reads[] = {
		"annotate", "archive", "blame", "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "cherry",
		"clone", "column", "config", "count-objects", "credential", "describe", "diff", "diff-files", "diff-index", "diff-tree",
		"difftool", "fmt-merge-msg", "for-each-ref", "format-patch", "fsck", "get-tar-commit-id", "grep", "help", "init", "log",
		"ls-files", "ls-remote", "ls-tree", "mailinfo", "merge-base", "merge-tree", "name-rev", "patch-id", "range-diff",
		"rev-list", "rev-parse", "shortlog", "show", "show-branch", "show-index", "show-ref", "status", "stripspace", "unpack-file",
		"var", "verify-commit", "verify-pack", "verify-tag", "version", "whatchanged", NULL,
	};
	int i = 1;

	while (i < argc && argv[i][0] == '-')
		i += is_one_of(argv[i], with_value) ? 2 : 1;
	return i >= argc || is_one_of(argv[i], reads);
}

static void run_real(const char *name, char **argv)
{
	char path[sizeof(REAL) + NAME_MAX];

	snprintf(path, sizeof(path), REAL "%s", name);
	execv(path, argv);
	fprintf(stderr, "%s: %s\n", name, strerror(errno));
	_exit(127);
}

/* ---- the wire ---- */

static int dial(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = SOCKET };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (s >= 0 && connect(s, (struct sockaddr *)&a, sizeof(a)) == 0)
		return s;
	if (s >= 0)
		close(s);
	return -1;
}

static bool put(int fd, const void *p, size_t len)
{
	const char *s = p;

	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		s += n;
		len -= (size_t)n;
	}
	return true;
}

static void header(unsigned char h[5], char type, size_t len)
{
	h[0] = (unsigned char)type;
	for (int i = 0; i < 4; i++)
		h[1 + i] = (unsigned char)(len >> 8 * i);
}

/* The header carries our three standard descriptors. */
static bool send_call(int sock, const void *p, size_t len)
{
	union {
		struct cmsghdr	h;
		char		b[CMSG_SPACE(3 * sizeof(int))];
	} ctl = { 0 };
	const int fds[3] = { 0, 1, 2 };
	unsigned char h[5];
	struct iovec iov = { .iov_base = h, .iov_len = sizeof(h) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl.b, .msg_controllen = sizeof(ctl.b) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	header(h, 'G', len);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	return sendmsg(sock, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(h) && put(sock, p, len);
}

/* One frame; *fd gets the descriptor that came with it, or stays. 0: the host is gone. */
static char recv_frame(int sock, char *p, size_t room, size_t *len, int *fd)
{
	union {
		struct cmsghdr	h;
		char		b[CMSG_SPACE(sizeof(int))];
	} ctl = { 0 };
	unsigned char h[5];
	size_t have = 0;

	while (have < sizeof(h)) {
		struct iovec iov = { .iov_base = h + have, .iov_len = sizeof(h) - have };
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl.b, .msg_controllen = sizeof(ctl.b) };
		ssize_t n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
		struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(fd, CMSG_DATA(c), sizeof(*fd));
		have += (size_t)n;
	}
	*len = (size_t)h[1] | (size_t)h[2] << 8 | (size_t)h[3] << 16 | (size_t)h[4] << 24;
	if (*len > room)
		return 0;
	for (have = 0; have < *len;) {
		ssize_t n = read(sock, p + have, *len - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		have += (size_t)n;
	}
	return (char)h[0];
}

/* ---- the question ---- */

struct text {
	char	*s;
	size_t	 len;
	bool	 full;
};

static void add(struct text *t, const char *s)
{
	size_t n = strlen(s) + 1;

	if (t->full || t->len + n > CALL_MAX) {
		t->full = true;
		return;
	}
	memcpy(t->s + t->len, s, n);
	t->len += n;
}

/* directory NUL name NUL number of words NUL words NUL environment NUL */
static bool question(struct text *t, const char *name, int argc, char **argv)
{
	char number[16], *cwd = getcwd(NULL, 0);

	snprintf(number, sizeof(number), "%d", argc);
	add(t, cwd ? cwd : "");
	add(t, name);
	add(t, number);
	for (int i = 0; i < argc; i++)
		add(t, argv[i]);
	for (char **e = environ; *e; e++)
		add(t, *e);
	free(cwd);
	return !t->full;
}

/* ---- between two terminals ---- */

static volatile sig_atomic_t caught[NSIG];

static void on_signal(int s)
{
	caught[s] = 1;
}

struct relay {
	int		 sock, master;
	int		 out;		/* a terminal of ours, -1: none */
	bool		 typing;	/* ours is in raw mode: keys go over */
	struct termios	 was;
};

static bool in_front(int fd)
{
	return tcgetpgrp(fd) == getpgrp();
}

static void take_keys(struct relay *r)
{
	struct termios raw;

	if (r->typing || !isatty(0) || !in_front(0) || tcgetattr(0, &r->was) < 0)
		return;
	raw = r->was;
	cfmakeraw(&raw);
	r->typing = tcsetattr(0, TCSADRAIN, &raw) == 0;
}

static void give_back(struct relay *r)
{
	if (r->typing)
		tcsetattr(0, TCSADRAIN, &r->was);
	r->typing = false;
}

static void same_size(const struct relay *r)
{
	struct winsize ws;

	if (r->out >= 0 && ioctl(r->out, TIOCGWINSZ, &ws) == 0)
		ioctl(r->master, TIOCSWINSZ, &ws);
}

/* false: nothing more will come */
static bool copy(int from, int to)
{
	char chunk[16384];
	ssize_t n = read(from, chunk, sizeof(chunk));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0)
		return false;
	if (to >= 0)
		put(to, chunk, (size_t)n);
	return true;
}

static void pass_signals(struct relay *r)
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		unsigned char f[6];

		if (!caught[list[i]])
			continue;
		caught[list[i]] = 0;
		header(f, 'K', 1);
		f[5] = (unsigned char)list[i];
		put(r->sock, f, sizeof(f));
	}
	if (caught[SIGWINCH] || caught[SIGCONT]) {
		caught[SIGWINCH] = caught[SIGCONT] = 0;
		same_size(r);
		take_keys(r);
	}
}

static void signals(void (*fn)(int))
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT };
	struct sigaction sa = { .sa_handler = fn };

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		sigaction(list[i], &sa, NULL);
}

/* Until the host tells how it ended. Return: its wait status, -1: the host is gone. */
static int relay(struct relay *r)
{
	struct pollfd p[3] = { { .fd = r->sock, .events = POLLIN }, { .fd = r->master, .events = POLLIN }, { .events = POLLIN } };
	char status[4];
	size_t len;
	int none = -1;
	sigset_t block, was;

	sigfillset(&block);
	sigprocmask(SIG_BLOCK, &block, &was);
	for (;;) {
		p[2].fd = r->typing ? 0 : -1;
		if (ppoll(p, 3, NULL, &was) < 0 && errno != EINTR)
			return -1;
		pass_signals(r);
		if (p[1].revents && !copy(r->master, r->out))
			p[1].fd = -1;
		if (p[2].revents && !copy(0, r->master))
			give_back(r);
		if (!p[0].revents)
			continue;
		if (recv_frame(r->sock, status, sizeof(status), &len, &none) != 'E' || len != sizeof(status))
			return -1;
		while (p[1].fd >= 0 && copy(r->master, r->out))
			;
		return (unsigned char)status[0] | (unsigned char)status[1] << 8;
	}
}

static int our_terminal(void)
{
	return isatty(1) ? 1 : isatty(2) ? 2 : isatty(0) ? 0 : open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* As the program ended, so that a shell sees the same. */
static int end_as(int status)
{
	int sig = status & 0x7f;

	if (status < 0) {
		fputs("sbxterm: the host is gone, and the command with it\n", stderr);
		return 125;
	}
	if (!sig)
		return status >> 8 & 0xff;
	signal(sig, SIG_DFL);
	raise(sig);
	return 128 + sig;
}

static int run_beside(int sock, int master)
{
	struct relay r = { .sock = sock, .master = master, .out = our_terminal() };
	int status;

	signals(on_signal);
	same_size(&r);
	take_keys(&r);
	status = relay(&r);
	give_back(&r);
	signals(SIG_DFL);
	return end_as(status);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
	static char words[CALL_MAX], message[MESSAGE_MAX], self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *name = base_name(n > 0 ? self : argc ? argv[0] : "");
	struct text t = { .s = words };
	int sock = -1, master = -1;
	size_t len = 0;
	char said;

	for (int fd = 0; fd < 3; fd++) {	/* a closed one could not be handed over */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return 125;
	}
	if (git_reads(argc, argv) || !question(&t, name, argc, argv) || (sock = dial()) < 0)
		run_real(name, argv);
	signal(SIGPIPE, SIG_IGN);
	if (!send_call(sock, t.s, t.len))
		run_real(name, argv);
	said = recv_frame(sock, message, sizeof(message), &len, &master);
	if (said == 'R' && master >= 0)
		return run_beside(sock, master);
	signal(SIGPIPE, SIG_DFL);
	if (said == 'P')
		run_real(name, argv);
	if (said == 'D')
		put(2, message, len);
	return said == 'D' ? REFUSED : 125;
}

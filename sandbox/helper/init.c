/* sbx-init - the first process of a sandbox
 *
 * Starts the one program as leader of a session of its own on the terminal, reaps what is left to it, and ends
 * with the program: the kernel then ends every other process of the pid namespace. It has to be out of reach for
 * what it starts, so it is not dumpable (nobody in here may trace it or open its /proc files), has no
 * capabilities, and keeps no descriptor but the status socket. What it starts is put into a Landlock domain where the
 * kernel has that: a second wall behind namespaces and seccomp, not one that anything relies on alone.
 */
#include "sandbox/helper/init.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SETUP 125

static void die(const char *what)
{
	dprintf(STDERR_FILENO, INIT_NAME ": %s: %s\n", what, strerror(errno));
	_exit(EXIT_SETUP);
}

/* The spawner gone means that nobody may run: the next thing that happens is SIGKILL, so a failure to send is no
 * reason to do anything here. */
static void say(enum init_type type, int value)
{
	const struct init_msg m = { .type = type, .value = value };

	(void)!send(INIT_FD_STATUS, &m, sizeof(m), MSG_NOSIGNAL);
}

static void close_from(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return;
	/* Linux before 5.9. */
	for (int fd = (int)first; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capset, &h, none) < 0)
		die("capset");
	/* EINVAL: no such thing before Linux 4.3. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		die("clear ambient capabilities");
}

static void confine_self(unsigned has)
{
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("prctl");
	drop_capabilities();
	if (!(has & INIT_HAS_EXTRA))
		close(INIT_FD_EXTRA);
	if (has & INIT_HAS_STDIO) {
		for (int fd = INIT_FD_STATUS + 1; fd < INIT_FD_TTY; fd++)
			close(fd);
		close_from(INIT_FD_ERR + 1);
	} else {
		close_from(INIT_FD_STATUS + 1);
	}
	if (fcntl(INIT_FD_STATUS, F_SETFD, FD_CLOEXEC) < 0)
		die("status socket");
}

/* Only ever lower: a hard limit of the caller stays. */
static void limit(int what, rlim_t to)
{
	struct rlimit r;

	if (getrlimit(what, &r) < 0)
		die("getrlimit");
	if (r.rlim_max > to)
		r.rlim_max = to;
	if (r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	if (setrlimit(what, &r) < 0)
		die("setrlimit");
}

static void default_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);	/* fails for the two that are always default */
}

/* Landlock's numbers, which older kernel headers do not know. */
#define LL_VERSION_FLAG		1u
#define LL_RULE_PATH		1
#define LL_MAKE_CHAR		(1ull << 6)
#define LL_MAKE_BLOCK		(1ull << 11)
#define LL_REFER		(1ull << 13)
#define LL_SCOPE_UNIX		(1ull << 0)
#define LL_SCOPE_SIGNAL		(1ull << 1)
#define LL_ABI_REFER		2
#define LL_ABI_SCOPE		6

enum { NR_LL_CREATE = 444, NR_LL_ADD = 445, NR_LL_RESTRICT = 446 };

struct ll_ruleset {
	uint64_t	fs, net, scoped;
};

struct ll_path {
	uint64_t	allowed;
	int32_t		fd;
} __attribute__((packed));

/* Moving files between directories is refused in any domain that does not allow it. */
static int ll_allow_refer(int set)
{
	struct ll_path root = { .allowed = LL_REFER, .fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	int r = root.fd < 0 ? -1 : (int)syscall(NR_LL_ADD, set, LL_RULE_PATH, &root, 0);

	if (root.fd >= 0)
		close(root.fd);
	return r;
}

/* No device files, no change of mounts, no reading of us; from ABI 6 no signals and no abstract sockets to anybody who
 * is not in the domain. Return -1 when the kernel has it and refuses. */
static int landlock(void)
{
	long abi = syscall(NR_LL_CREATE, NULL, 0, LL_VERSION_FLAG);
	struct ll_ruleset rs = { .fs = LL_MAKE_CHAR | LL_MAKE_BLOCK | LL_REFER };
	int set, r;

	if (abi < LL_ABI_REFER)
		return 0;
	if (abi >= LL_ABI_SCOPE)
		rs.scoped = LL_SCOPE_UNIX | LL_SCOPE_SIGNAL;
	set = (int)syscall(NR_LL_CREATE, &rs, abi >= LL_ABI_SCOPE ? sizeof(rs) : sizeof(rs.fs), 0);
	if (set < 0)
		return -1;
	r = ll_allow_refer(set);
	if (r == 0)
		r = (int)syscall(NR_LL_RESTRICT, set, 0);
	close(set);
	return r;
}

/* A session of its own with the terminal: job control works as on any terminal, and the outer processes of
 * bubblewrap are not in it. */
static int take_terminal(unsigned has)
{
	int tty = has & INIT_HAS_STDIO ? INIT_FD_TTY : STDIN_FILENO, error = has & INIT_HAS_STDIO ? INIT_FD_ERR : STDIN_FILENO;

	if (setsid() < 0 || ioctl(tty, TIOCSCTTY, 0) < 0 || dup2(error, STDERR_FILENO) < 0)
		return -1;
	if (has & INIT_HAS_STDIO) {
		close(INIT_FD_TTY);
		close(INIT_FD_ERR);
	}
	return 0;
}

static void become(char *const argv[], unsigned has, int report)
{
	default_signals();
	if (landlock() == 0 && take_terminal(has) == 0) {
		say(INIT_HERE, 0);
		execv(argv[0], argv);
	}
	(void)!write(report, &errno, sizeof(errno));
	_exit(EXIT_SETUP);
}

/* The pipe closes itself when exec succeeds. */
static pid_t start(char *const argv[], unsigned has)
{
	int report[2], error = 0;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		become(argv, has, report[1]);
	close(report[1]);
	while (read(report[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (error) {
		say(INIT_FAILED, error);
		_exit(EXIT_SETUP);
	}
	say(INIT_STARTED, 0);
	return pid;
}

/* So that the terminal hangs up when the program and its children let go of it, not when we do. */
static void release_terminal(unsigned has)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		die("open /dev/null");
	for (int fd = 0; fd <= INIT_FD_EXTRA; fd++) {
		if (dup2(null, fd) < 0)
			_exit(EXIT_SETUP);
	}
	close(null);
	if (has & INIT_HAS_STDIO) {
		close(INIT_FD_TTY);
		close(INIT_FD_ERR);
	}
}

static int reap(pid_t program)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return EXIT_SETUP;
		if (pid != program)
			continue;
		say(INIT_ENDED, status);
		return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

int main(int argc, char *argv[])
{
	pid_t pid;
	unsigned long nproc;
	unsigned has;

	if (argc < 4) {
		dprintf(STDERR_FILENO, "usage: " INIT_NAME " HAS NPROC PROGRAM ARGUMENT...\n");
		return EXIT_SETUP;
	}
	has = (unsigned)strtoul(argv[1], NULL, 10);
	confine_self(has);
	limit(RLIMIT_CORE, 0);
	nproc = strtoul(argv[2], NULL, 10);
	if (nproc)
		limit(RLIMIT_NPROC, nproc);
	pid = start(argv + 3, has);
	release_terminal(has);
	return reap(pid);
}

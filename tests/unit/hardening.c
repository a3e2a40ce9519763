/* The hardening matrix: every row is asked inside the real sandbox, as root and as an ordinary user.
 *
 * The program is its own probe: a copy of it is started by the sandbox's shell, as a command would be (probe_main()).
 * The rows that must be open show that the probe can tell, and that everyday work is not in the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "built.h"
#include "sandbox/spawner.h"
#include "tap.h"

#define DEADLINE_NS	(20ull * 1000000000)
#define ORDINARY	54321
#define NPROC		64
#define LANDLOCK_SCOPES	6	/* the version that has them */

/* ==== inside: one line a question, "NAME open" or "NAME closed" ==== */

static long x32_getpid(void)
{
	return syscall(0x40000000 + SYS_getpid);
}

static int new_child(unsigned long flags)
{
	long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	return pid < 0 ? -1 : 0;
}

static int clone3_userns(void)
{
	struct clone_args a = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	long pid = syscall(SYS_clone3, &a, sizeof(a));

	if (pid == 0)
		_exit(0);
	return pid < 0 ? -1 : 0;
}

static int in_child(int (*fn)(void))
{
	pid_t pid = fork();
	int st;

	if (pid == 0)
		_exit(fn() < 0);
	waitpid(pid, &st, 0);
	return WIFEXITED(st) && WEXITSTATUS(st) == 0 ? 0 : -1;
}

static int unshare_user(void) { return unshare(CLONE_NEWUSER); }
static int unshare_mount(void) { return unshare(CLONE_NEWNS); }
static int unshare_net(void) { return unshare(CLONE_NEWNET); }
static int trace_me(void) { return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL); }

static int ask_userns(void) { return in_child(unshare_user); }
static int ask_mountns(void) { return in_child(unshare_mount); }
static int ask_netns(void) { return in_child(unshare_net); }
static int ask_clone(void) { return new_child(CLONE_NEWUSER); }
static int ask_clone3(void) { return clone3_userns(); }
static int ask_traceme(void) { return in_child(trace_me); }
static int ask_attach(void) { return (int)ptrace(PTRACE_SEIZE, getppid(), NULL, NULL); }

static int ask_vm_read(void)
{
	char c;
	struct iovec l = { &c, 1 }, r = { &c, 1 };

	return process_vm_readv(getpid(), &l, 1, &r, 1, 0) == 1 ? 0 : -1;
}

static int ask_uring(void)
{
	char params[256] = { 0 };

	return (int)syscall(425, 2, params);
}

static int ask_bpf(void)
{
	union bpf_attr a = { .map_type = 2, .key_size = 4, .value_size = 4, .max_entries = 1 };

	/* What matters is who refuses: EPERM comes from the kernel for the unprivileged as well, so a malformed
	 * size tells: the filter answers before the kernel looks. */
	return syscall(SYS_bpf, 0, &a, 1u << 20) < 0 && errno == EPERM ? -1 : 0;
}

static int ask_uffd(void) { return syscall(SYS_userfaultfd, 0x7fffffff) < 0 && errno == EPERM ? -1 : 0; }
static int ask_keyctl(void) { return (int)syscall(SYS_keyctl, 0, -3, 1, 0, 0); }
static int ask_x32(void) { return x32_getpid() < 0 ? -1 : 0; }
static int ask_setns(void) { return syscall(SYS_setns, -1, 0) < 0 && errno == EPERM ? -1 : 0; }
static int ask_open_tree(void) { return syscall(428, AT_FDCWD, "/", 0x7fffffff) < 0 && errno == EPERM ? -1 : 0; }
static int ask_perf(void) { return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 && errno == EPERM ? -1 : 0; }
static int ask_kexec(void) { return syscall(SYS_kexec_load, 0, 0, NULL, 0x7fff) < 0 && errno == EPERM ? -1 : 0; }
static int ask_module(void) { return syscall(SYS_init_module, NULL, 0, "") < 0 && errno == EPERM ? -1 : 0; }
static int ask_vsock(void) { return socket(40, SOCK_STREAM, 0); }
static int ask_alg(void) { return socket(38, SOCK_SEQPACKET, 0); }
static int ask_packet(void) { return socket(AF_PACKET, SOCK_DGRAM, 0); }
static int ask_raw(void) { return socket(AF_INET, SOCK_RAW, 1); }
static int ask_nl_audit(void) { return socket(AF_NETLINK, SOCK_RAW, 9); }
static int ask_high_family(void) { return (int)syscall(SYS_socket, 0x100000028l, SOCK_STREAM, 0); }
static int ask_nl_route(void) { return socket(AF_NETLINK, SOCK_RAW, 0); }
static int ask_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static int ask_inet(void) { return socket(AF_INET, SOCK_STREAM, 0); }

static int sti(unsigned long request)
{
	char c = 'x';
	int r = (int)syscall(SYS_ioctl, 0, request, &c);

	return r < 0 ? -1 : 0;
}

static int ask_tiocsti(void) { return sti(TIOCSTI); }
static int ask_tiocsti_high(void) { return sti(0x100000000ul | TIOCSTI); }

/* Only the filter says EPERM on something that is no console. */
static int ask_tioclinux(void)
{
	char c = 2;

	return ioctl(0, TIOCLINUX, &c) < 0 && errno == EPERM ? -1 : 0;
}

static int ask_suid_chmod(void)
{
	close(open("suid", O_CREAT | O_WRONLY, 0755));
	return chmod("suid", 04755);
}

static int ask_suid_fchmodat(void) { return (int)syscall(SYS_fchmodat, AT_FDCWD, "suid", 02755); }
static int ask_suid_fchmodat2(void) { return (int)syscall(452, AT_FDCWD, "suid", 04755, 0); }
static int ask_suid_open(void) { return open("suid2", O_CREAT | O_WRONLY, 04755); }
static int ask_suid_openat2(void)
{
	const uint64_t how[3] = { O_CREAT | O_WRONLY, 04755, 0 };

	return (int)syscall(437, AT_FDCWD, "suid3", how, sizeof(how));
}

static int ask_chmod(void) { return chmod("suid", 0700); }

/* Of sbx-init, or of the shell that started us. */
static int open_proc(pid_t pid, const char *what)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, O_RDONLY);
	return fd < 0 ? -1 : 0;
}

static int ask_init_mem(void) { return open_proc(1, "mem"); }
static int ask_init_environ(void) { return open_proc(1, "environ"); }
static int ask_init_fd(void) { return open_proc(1, "fd/0"); }
static int ask_init_root(void) { return open_proc(1, "root/etc/passwd"); }
static int ask_shell_mem(void) { return open_proc(getppid(), "mem"); }
static int ask_shell_maps(void) { return open_proc(getppid(), "maps"); }
static int ask_shell_environ(void) { return open_proc(getppid(), "environ"); }
static int ask_shell_fd(void) { return open_proc(getppid(), "fd/0"); }
static int ask_shell_program(void) { return open("/bin/bash", O_RDONLY); }
static int ask_own_mem(void) { return open_proc(getpid(), "mem"); }

static int write_to(const char *path)
{
	int fd = open(path, O_WRONLY);

	return fd < 0 ? -1 : 0;
}

static int ask_core_pattern(void) { return write_to("/proc/sys/kernel/core_pattern"); }
static int ask_sysrq(void) { return write_to("/proc/sysrq-trigger"); }
static int ask_shadow(void)
{
	char c;
	int fd = open("/etc/shadow", O_RDONLY);

	return fd >= 0 && read(fd, &c, 1) == 1 ? 0 : -1;
}

static int ask_nproc(void)
{
	int n = 0;
	pid_t pid[4 * NPROC];

	while (n < 4 * NPROC && (pid[n] = fork()) >= 0) {
		if (pid[n] == 0) {
			pause();
			_exit(0);
		}
		n++;
	}
	for (int i = 0; i < n; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	return n == 4 * NPROC ? 0 : -1;
}

/* Descriptors that came with us. */
static int ask_stray_fd(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			return 0;
	}
	return -1;
}

static int ask_unshare_rest(void)
{
	static const int flags[] = { CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* time */ };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (unshare(flags[i]) == 0 || new_child((unsigned long)(flags[i] & ~0xff)) == 0)
			return flags[i] & ~0xff ? 0 : -1;
	}
	return -1;
}

static int ask_vm_write(void)
{
	char c = 'x', d;
	struct iovec l = { &c, 1 }, r = { &d, 1 };

	return process_vm_writev(getpid(), &l, 1, &r, 1, 0) == 1 ? 0 : -1;
}

static int ask_personality(void)
{
	static const unsigned long bad[] = { 0x0400000, 0x0100000, 0x0200000, 0x80400000, 0x0440000, 0xfffffffe };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (syscall(SYS_personality, bad[i]) >= 0)
			return 0;
	}
	return -1;
}

static int ask_personality_query(void) { return (int)syscall(SYS_personality, 0xffffffff); }
static int ask_no_randomise(void) { return (int)syscall(SYS_personality, 0x0040000); }
static int ask_new_privs(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0; }
static int ask_mknod_char(void) { return mknod("null", S_IFCHR | 0600, makedev(1, 3)); }
static int ask_mknod_block(void) { return mknod("disk", S_IFBLK | 0600, makedev(8, 0)); }
static int ask_fifo(void) { return mkfifo("fifo", 0600); }
static int ask_rename(void)
{
	return mkdir("d", 0700) == 0 && mknod("r", S_IFREG | 0600, 0) == 0 && rename("r", "d/r") == 0 ? 0 : -1;
}

static int ask_dev_mem(void) { return open("/dev/mem", O_RDONLY); }
static int ask_kcore(void)
{
	char c;
	int fd = open("/proc/kcore", O_RDONLY);

	return fd >= 0 && read(fd, &c, 1) == 1 ? 0 : -1;
}

static int ask_sys(void) { return write_to("/sys/fs/cgroup/cgroup.procs"); }
static int ask_modprobe(void) { return write_to("/proc/sys/kernel/modprobe"); }

/* One that changes the network: the answer's error is what counts. */
static int ask_route_write(void)
{
	struct { struct nlmsghdr h; struct ifinfomsg i; } q = {
		.h = { .nlmsg_len = sizeof(q), .nlmsg_type = RTM_NEWLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.i = { .ifi_family = AF_UNSPEC, .ifi_index = 1, .ifi_change = IFF_UP },
	};
	struct { struct nlmsghdr h; struct nlmsgerr e; char rest[512]; } a = { 0 };
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
	int r = s >= 0 && send(s, &q, sizeof(q), 0) > 0 && recv(s, &a, sizeof(a), 0) > 0 &&
		a.h.nlmsg_type == NLMSG_ERROR && a.e.error == 0 ? 0 : -1;

	close(s);
	return r;
}

static int ask_netlink_rest(void)
{
	static const int kinds[] = { 2, 4, 6, 9, 10, 12, 15, 16, 20, 21, 22 };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (socket(AF_NETLINK, SOCK_RAW, kinds[i]) >= 0)
			return 0;
	}
	return -1;
}

static const char *abstract_name;

static int ask_abstract(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "%s", abstract_name);
	r = connect(s, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(abstract_name)));
	close(s);
	return r;
}

/* Closed before the filter is asked when there is no such call, so only an errno of the filter will do. */
static const struct { const char *name; long nr; } calls[] = {
	{ "io_uring_enter", 426 }, { "io_uring_register", 427 }, { "pidfd_getfd", 438 }, { "process_madvise", 440 },
	{ "kcmp", SYS_kcmp }, { "add_key", SYS_add_key }, { "request_key", SYS_request_key },
	{ "finit_module", SYS_finit_module }, { "delete_module", SYS_delete_module },
	{ "kexec_file_load", SYS_kexec_file_load }, { "move_mount", 429 }, { "fsopen", 430 }, { "fsconfig", 431 },
	{ "fsmount", 432 }, { "fspick", 433 }, { "mount_setattr", 442 }, { "open_tree_attr", 467 },
	{ "mount", SYS_mount }, { "umount2", SYS_umount2 }, { "pivot_root", SYS_pivot_root }, { "chroot", SYS_chroot },
	{ "open_by_handle_at", SYS_open_by_handle_at }, { "quotactl", SYS_quotactl }, { "quotactl_fd", 443 },
	{ "acct", SYS_acct }, { "reboot", SYS_reboot }, { "swapon", SYS_swapon }, { "swapoff", SYS_swapoff },
	{ "sethostname", SYS_sethostname }, { "setdomainname", SYS_setdomainname },
	{ "settimeofday", SYS_settimeofday }, { "clock_settime", SYS_clock_settime }, { "adjtimex", SYS_adjtimex },
	{ "clock_adjtime", SYS_clock_adjtime }, { "syslog", SYS_syslog }, { "vhangup", SYS_vhangup },
#ifdef __x86_64__
	{ "iopl", SYS_iopl }, { "ioperm", SYS_ioperm },
#endif
};

static bool call_closed(long nr)
{
	return syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L) < 0 && (errno == EPERM || errno == ENOSYS);
}

static const struct question {
	const char	*name;
	int		(*ask)(void);
	bool		 open;		/* what must come out */
	bool		 not_root;	/* the kernel exempts user 0 */
} questions[] = {
	{ "stray descriptors",		ask_stray_fd },
	{ "unshare user",		ask_userns },
	{ "unshare mount",		ask_mountns },
	{ "unshare net",		ask_netns },
	{ "clone user",			ask_clone },
	{ "clone3 user",		ask_clone3 },
	{ "ptrace own child",		ask_traceme },
	{ "ptrace parent",		ask_attach },
	{ "process_vm_readv",		ask_vm_read },
	{ "io_uring",			ask_uring },
	{ "bpf",			ask_bpf },
	{ "userfaultfd",		ask_uffd },
	{ "keyctl",			ask_keyctl },
	{ "x32",			ask_x32 },
	{ "setns",			ask_setns },
	{ "open_tree",			ask_open_tree },
	{ "perf",			ask_perf },
	{ "kexec",			ask_kexec },
	{ "init_module",		ask_module },
	{ "AF_VSOCK",			ask_vsock },
	{ "AF_ALG",			ask_alg },
	{ "AF_PACKET",			ask_packet },
	{ "raw socket",			ask_raw },
	{ "AF_VSOCK, high bits",	ask_high_family },
	{ "netlink audit",		ask_nl_audit },
	{ "netlink route",		ask_nl_route,		true },
	{ "AF_UNIX",			ask_unix,		true },
	{ "AF_INET",			ask_inet,		true },
	{ "TIOCSTI",			ask_tiocsti },
	{ "TIOCSTI, high bits",		ask_tiocsti_high },
	{ "TIOCLINUX",			ask_tioclinux },
	{ "chmod set-user-id",		ask_suid_chmod },
	{ "fchmodat set-group-id",	ask_suid_fchmodat },
	{ "fchmodat2 set-user-id",	ask_suid_fchmodat2 },
	{ "open set-user-id",		ask_suid_open },
	{ "openat2 set-user-id",	ask_suid_openat2 },
	{ "chmod",			ask_chmod,		true },
	{ "memory of sbx-init",		ask_init_mem },
	{ "environment of sbx-init",	ask_init_environ },
	{ "descriptors of sbx-init",	ask_init_fd },
	{ "root of sbx-init",		ask_init_root },
	{ "core_pattern",		ask_core_pattern },
	{ "sysrq-trigger",		ask_sysrq },
	{ "/etc/shadow",		ask_shadow },
	{ "other namespaces",		ask_unshare_rest },
	{ "process_vm_writev",		ask_vm_write },
	{ "personality",		ask_personality },
	{ "personality, asking",	ask_personality_query,	true },
	{ "no randomisation",		ask_no_randomise,	true },
	{ "set-user-id programs",	ask_new_privs },
	{ "mknod character device",	ask_mknod_char },
	{ "mknod block device",		ask_mknod_block },
	{ "mkfifo",			ask_fifo,		true },
	{ "rename into a directory",	ask_rename,		true },
	{ "/dev/mem",			ask_dev_mem },
	{ "/proc/kcore",		ask_kcore },
	{ "/sys",			ask_sys },
	{ "/proc/sys/kernel/modprobe",	ask_modprobe },
	{ "netlink route, writing",	ask_route_write },
	{ "netlink, other kinds",	ask_netlink_rest },
	{ "abstract socket of the host",	ask_abstract },
	{ "memory of the shell",	ask_shell_mem },
	{ "maps of the shell",		ask_shell_maps },
	{ "environment of the shell",	ask_shell_environ },
	{ "descriptors of the shell",	ask_shell_fd },
	{ "the shell's program",	ask_shell_program },
	{ "own memory",			ask_own_mem,		true },
	{ "many processes",		ask_nproc,		false, true },
};

static int probe_main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		printf("%s %s\n", questions[i].name, questions[i].ask() < 0 ? "closed" : "open");
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		printf("call %s %s\n", calls[i].name, call_closed(calls[i].nr) ? "closed" : "open");
	if (spawner_landlock() >= LANDLOCK_SCOPES)
		printf("signal to sbx-init %s\n", kill(1, 0) < 0 && errno == EPERM ? "closed" : "open");
	return 0;
}

/* ==== outside ==== */

static bool ended;

static void on_exit_event(void *arg, int id, int status)
{
	(void)arg;
	(void)id;
	(void)status;
	ended = true;
}

static void on_gone(void *arg)
{
	(void)arg;
}

static int unlink_one(const char *p, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(p);
}

static int listen_abstract(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "%s", name);
	ok(bind(s, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) == 0 &&
	   listen(s, 4) == 0, "abstract listener");
	return s;
}

static struct plan *make_plan(const char *home, const char *work, const char *libexec)
{
	static const char *const env[] = { "PATH" };
	static const char *const set[] = { "ASAN_OPTIONS=detect_leaks=0" };
	static char *const server_env[] = { (char *)(uintptr_t)"PATH=/usr/bin:/bin", NULL };
	const struct conf_profile pr = {
		.name = "test", .env = env, .nenv = 1, .setenv = set, .nsetenv = 1,
		.home_bytes = 1 << 20, .tmp_bytes = 1 << 20, .nproc = NPROC,
	};
	const struct plan_in in = {
		.profile = &pr, .workspace = work, .home = home, .cwd = work, .libexec = libexec, .environ = server_env,
		.term = "dumb",
	};
	struct plan *p = NULL;
	struct err e = { 0 };

	if (!ok(plan_build(&in, &p, &e) == 0, "plan"))
		printf("# %s\n", e.msg);
	return p;
}

/* Until the probe and the sandbox have ended. */
static void collect(struct loop *l, int pty, struct buf *out)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;
	char chunk[4096];
	struct err e;

	while ((!ended || pty >= 0) && io_now_ns() < end) {
		struct pollfd p = { .fd = pty, .events = POLLIN };
		ssize_t n = poll(&p, 1, 20) > 0 ? read(pty, chunk, sizeof(chunk)) : -1;

		if (n > 0)
			buf_add(out, chunk, (size_t)n);
		else if (ended || (p.revents && n <= 0))
			pty = -1;
		loop_step(l, 0, &e);
	}
	ok(ended, "the probe ended");
}

static void one_row(const struct buf *out, const char *name, bool open)
{
	CLEANUP(cleanup_freep) char *want = xasprintf("\n%s %s\r\n", name, open ? "open" : "closed");

	if (!ok(strstr(buf_str(out), want), name))
		printf("# wanted %s", want + 1);
}

static void check_rows(const struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		if (!questions[i].not_root || getuid() != 0)
			one_row(out, questions[i].name, questions[i].open);
	}
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		CLEANUP(cleanup_freep) char *name = xasprintf("call %s", calls[i].name);

		one_row(out, name, false);
	}
	if (spawner_landlock() >= LANDLOCK_SCOPES)
		one_row(out, "signal to sbx-init", false);
	else
		printf("# Landlock version %d: %s\n", spawner_landlock(), spawner_landlock_lacks(spawner_landlock()));
}

static void run_probe(struct spawner *s, struct loop *l, const struct plan *p, const char *probe, const char *name)
{
	/* The last command is not exec'ed in the shell's place: the shell has to be there. */
	CLEANUP(cleanup_freep) char *script = xasprintf("echo begin; %s --probe %s; echo end", probe, name);
	const char *const argv[] = { "/bin/bash", "--norc", "-c", script, NULL };
	const struct spawn_req req = {
		.plan = p, .argv = (char *const *)(uintptr_t)argv, .rows = 24, .cols = 80, .extra_fd = -1,
	};
	struct err e = { 0 };
	struct buf out;
	int pty, id;
	pid_t pid;

	buf_init(&out, 1u << 20);
	ended = false;
	if (ok(spawner_spawn(s, &req, &pty, &id, &pid, &e) == 0, "sandbox")) {
		collect(l, pty, &out);
		close(pty);
		check_rows(&out);
	} else {
		printf("# %s\n", e.msg);
	}
	buf_done(&out);
}

static void test_all(void)
{
	char dir[] = "/tmp/sbxterm-hardening-XXXXXX";
	CLEANUP(cleanup_freep) char *home = NULL;
	CLEANUP(cleanup_freep) char *work = NULL;
	CLEANUP(cleanup_freep) char *libexec = NULL;
	CLEANUP(cleanup_freep) char *probe = NULL;
	CLEANUP(cleanup_freep) char *init = built_init();
	CLEANUP(cleanup_freep) char *to = NULL;
	CLEANUP(cleanup_freep) char *name = xasprintf("sbxterm-hardening-%d", (int)getpid());
	struct spawner *s = NULL;
	struct loop *l;
	struct plan *p;
	struct err e = { 0 };
	int stray, listener;

	ok(mkdtemp(dir) != NULL, "scratch directory");
	home = xasprintf("%s/home", dir);
	work = xasprintf("%s/home/proj", dir);
	libexec = xasprintf("%s/libexec", dir);
	probe = xasprintf("%s/probe", work);
	to = xasprintf("%s/sbx-init", libexec);
	ok(io_mkdirs(work, 0755, &e) == 0 && io_mkdirs(libexec, 0755, &e) == 0, "directories");
	copy_file("/proc/self/exe", probe, 0755);
	copy_file(init, to, 0755);
	stray = open("/etc/passwd", O_RDONLY);		/* on purpose without close-on-exec */
	listener = listen_abstract(name);
	l = loop_new(&e);
	p = make_plan(home, work, libexec);
	if (p && ok(spawner_start(&s, &e) == 0 && spawner_watch(s, l, on_exit_event, on_gone, NULL) == 0, "spawner"))
		run_probe(s, l, p, probe, name);
	plan_free(p);
	spawner_free(s);
	loop_free(l);
	close(stray);
	close(listener);
	nftw(dir, unlink_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* As a child that gave up root for good. */
static void test_as_ordinary(void)
{
	pid_t pid;
	int st;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setgid(ORDINARY) < 0 || setuid(ORDINARY) < 0)
			_exit(1);
		tap_passed = tap_failed = 0;
		test_all();
		printf("# as an ordinary user: ");
		exit(tap_done());
	}
	ok(waitpid(pid, &st, 0) == pid && st == 0, "the same as an ordinary user");
}

int main(int argc, char *argv[])
{
	if (argc == 3 && strcmp(argv[1], "--probe") == 0) {
		abstract_name = argv[2];
		return probe_main();
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	test_all();
	if (getuid() == 0)
		test_as_ordinary();
	return tap_done();
}

#include "sandbox/join.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* <sys/mount.h> and <linux/mount.h> of Debian 12 cannot be included both. */
extern int mount(const char *src, const char *dest, const char *type, unsigned long flags, const void *data);
#define MS_RDONLY_	1ul
#define MS_NOSUID_	2ul
#define MS_NODEV_	4ul
#define MS_NOEXEC_	8ul
#define MS_REC_		16384ul
#define MS_PRIVATE_	(1ul << 18)

#define EXIT_SETUP	125

static void die(const struct join *j, const char *what, const char *path)
{
	dprintf(j->error, "%s%s%s: %s\n", what, *path ? " " : "", path,
		errno == ENOSYS ? "this kernel is too old for it (5.12 is needed)" : strerror(errno));
	_exit(EXIT_SETUP);
}

/* ---- where the running sandbox lives ---- */

enum { NS_OUTER = 0, NS_INNER, NS_MNT, NS_NET, NS_IPC, NS_UTS, NS_CGROUP, NS_COUNT };

static int open_ns(const struct join *j, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)j->pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(j, "open", path);
	return fd;
}

/* bubblewrap makes its mounts in one user namespace and lets the command run in one below it. */
static void open_all(const struct join *j, int ns[NS_COUNT])
{
	static const char *const name[NS_COUNT] = {
		[NS_INNER] = "user", [NS_MNT] = "mnt", [NS_NET] = "net", [NS_IPC] = "ipc", [NS_UTS] = "uts", [NS_CGROUP] = "cgroup",
	};

	for (int i = NS_INNER; i < NS_COUNT; i++)
		ns[i] = open_ns(j, name[i]);
	ns[NS_OUTER] = ioctl(ns[NS_INNER], NS_GET_PARENT);
	if (ns[NS_OUTER] < 0)
		die(j, "find the user namespace", "");
	/* Still the same process: then all of these were its own. */
	if (syscall(SYS_pidfd_send_signal, j->pidfd, 0, NULL, 0) < 0)
		die(j, "the shell has ended", "");
}

static void enter(const struct join *j, const int ns[NS_COUNT])
{
	if (setns(ns[NS_OUTER], CLONE_NEWUSER) < 0)
		die(j, "enter the user namespace", "");
	for (int i = NS_MNT; i < NS_COUNT; i++) {
		if (setns(ns[i], 0) < 0)
			die(j, "enter the sandbox", "");
	}
	/* Other credentials forget this. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != j->parent)
		_exit(EXIT_SETUP);
	if (unshare(CLONE_NEWNS | CLONE_NEWPID) < 0 || mount(NULL, "/", NULL, MS_REC_ | MS_PRIVATE_, NULL) < 0)
		die(j, "copy the mounts", "");
}

/* ---- mounts ---- */

/* The same files once more at the same place, with other flags. What is mounted below stays as it is. */
static void mount_again(const struct join *j, const char *path, bool writable)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	struct mount_attr attr = { 0 };
	int at = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)), tree;

	if (at < 0 && !writable && errno == ENOENT)
		return;
	if (at < 0)
		die(j, "open", path);
	if (writable)
		attr.attr_clr = MOUNT_ATTR_RDONLY;
	else
		attr.attr_set = MOUNT_ATTR_RDONLY;
	tree = (int)syscall(SYS_open_tree, at, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
	if (tree < 0 || syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0 ||
	    syscall(SYS_move_mount, tree, "", at, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		die(j, writable ? "make writable" : "keep read-only", path);
	close(tree);
	close(at);
}

/* ---- the first process ---- */

static void drop_capabilities(const struct join *j)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			die(j, "drop capabilities", "");
	}
	if (syscall(SYS_capset, &h, none) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		die(j, "drop capabilities", "");
}

static void first(const struct join *j, const int ns[NS_COUNT])
{
	const struct sock_fprog prog = {
		.len = (unsigned short)(j->filter_len / sizeof(struct sock_filter)),
		.filter = (struct sock_filter *)(size_t)j->filter,
	};

	/* /proc of the new process namespace; no other is to be seen. */
	if (mount("proc", "/proc", "proc", MS_RDONLY_ | MS_NOSUID_ | MS_NODEV_ | MS_NOEXEC_, NULL) < 0)
		die(j, "mount", "/proc");
	if (chdir(j->cwd) < 0)
		die(j, "directory", j->cwd);
	if (setns(ns[NS_INNER], CLONE_NEWUSER) < 0)
		die(j, "enter the inner user namespace", "");
	drop_capabilities(j);
	for (int i = 0; i < NS_COUNT; i++)
		close(ns[i]);
	close(j->pidfd);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) < 0)
		die(j, "system call filter", "");
	execve(j->argv[0], j->argv, j->env);
	die(j, j->argv[0], "");
}

/* Only waits. Its end is told to the spawner, and its death takes the first process with it (PR_SET_PDEATHSIG). */
static void outermost(pid_t pid)
{
	int status = 0;

	(void)!syscall(SYS_close_range, 0, ~0u, 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

void join_run(const struct join *j)
{
	int ns[NS_COUNT];
	pid_t pid;

	open_all(j, ns);
	enter(j, ns);
	for (size_t i = 0; j->writable[i]; i++)
		mount_again(j, j->writable[i], true);
	for (size_t i = 0; j->kept[i]; i++)
		mount_again(j, j->kept[i], false);
	pid = fork();
	if (pid < 0)
		die(j, "fork", "");
	if (pid > 0)
		outermost(pid);
	first(j, ns);
	_exit(EXIT_SETUP);
}

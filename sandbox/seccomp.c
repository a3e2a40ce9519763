#include "sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#ifndef TIOCLINUX
#define TIOCLINUX 0x541C
#endif

#define LOW32		0xffffffffu	/* the kernel takes an int: the upper half must not hide a match */
#define NEVER_FAMILY	64		/* past AF_MAX of any kernel: the kernel refuses those itself */
#define NETLINK_KINDS	32		/* MAX_LINKS of the kernel */

/* Refused whole. @nr: the number where libseccomp is too old to know the name (from 424 on the same everywhere). */
static const struct refused {
	const char	*name;
	int		 nr;
	int		 error;
} refused[] = {
	/* other processes' memory and descriptors */
	{ "ptrace",		-1,	EPERM },
	{ "process_vm_readv",	-1,	EPERM },
	{ "process_vm_writev",	-1,	EPERM },
	{ "process_madvise",	440,	EPERM },
	{ "pidfd_getfd",	438,	EPERM },
	{ "kcmp",		-1,	EPERM },
	/* goes around every filter by doing the calls in the kernel */
	{ "io_uring_setup",	425,	ENOSYS },
	{ "io_uring_enter",	426,	ENOSYS },
	{ "io_uring_register",	427,	ENOSYS },
	/* flags in memory that a filter cannot look at; the C library then uses clone */
	{ "clone3",		435,	ENOSYS },
	/* the mode is in memory too: would give set-user-id bits */
	{ "openat2",		437,	ENOSYS },
	/* kernel code and kernel memory: the favourite ground of exploits */
	{ "bpf",		-1,	EPERM },
	{ "userfaultfd",	-1,	EPERM },
	{ "perf_event_open",	-1,	EPERM },
	{ "init_module",	-1,	EPERM },
	{ "finit_module",	-1,	EPERM },
	{ "delete_module",	-1,	EPERM },
	{ "create_module",	-1,	EPERM },
	{ "kexec_load",		-1,	EPERM },
	{ "kexec_file_load",	-1,	EPERM },
	{ "syslog",		-1,	EPERM },
	{ "lookup_dcookie",	-1,	EPERM },
	{ "nfsservctl",		-1,	EPERM },
	{ "iopl",		-1,	EPERM },
	{ "ioperm",		-1,	EPERM },
	{ "vm86",		-1,	EPERM },
	{ "vm86old",		-1,	EPERM },
	{ "uselib",		-1,	EPERM },
	{ "_sysctl",		-1,	EPERM },
	/* keyrings are not part of any namespace */
	{ "keyctl",		-1,	EPERM },
	{ "add_key",		-1,	EPERM },
	{ "request_key",	-1,	EPERM },
	/* mounts, old and new ways */
	{ "mount",		-1,	EPERM },
	{ "umount",		-1,	EPERM },
	{ "umount2",		-1,	EPERM },
	{ "pivot_root",		-1,	EPERM },
	{ "chroot",		-1,	EPERM },
	{ "open_tree",		428,	EPERM },
	{ "open_tree_attr",	467,	EPERM },
	{ "move_mount",		429,	EPERM },
	{ "fsopen",		430,	EPERM },
	{ "fsconfig",		431,	EPERM },
	{ "fsmount",		432,	EPERM },
	{ "fspick",		433,	EPERM },
	{ "mount_setattr",	442,	EPERM },
	{ "open_by_handle_at",	-1,	EPERM },
	{ "quotactl",		-1,	EPERM },
	{ "quotactl_fd",	443,	EPERM },
	{ "setns",		-1,	EPERM },
	/* the machine */
	{ "acct",		-1,	EPERM },
	{ "reboot",		-1,	EPERM },
	{ "swapon",		-1,	EPERM },
	{ "swapoff",		-1,	EPERM },
	{ "sethostname",	-1,	EPERM },
	{ "setdomainname",	-1,	EPERM },
	{ "settimeofday",	-1,	EPERM },
	{ "clock_settime",	-1,	EPERM },
	{ "adjtimex",		-1,	EPERM },
	{ "clock_adjtime",	-1,	EPERM },
	{ "vhangup",		-1,	EPERM },
};

/* Refused when (argument & mask) == value. */
static const struct refused_arg {
	const char	*name;
	unsigned	 arg;
	int		 nr;		/* as above; 0 = libseccomp knows it */
	uint64_t	 mask, value;
} refused_arg[] = {
	/* typing into the terminal, and its clipboard */
	{ "ioctl",	1, 0, LOW32, TIOCSTI },
	{ "ioctl",	1, 0, LOW32, TIOCLINUX },
#define NO_NAMESPACE(flag) { "clone", 0, 0, (flag), (flag) }, { "unshare", 0, 0, (flag), (flag) }
	NO_NAMESPACE(CLONE_NEWUSER),
	NO_NAMESPACE(CLONE_NEWNS),
	NO_NAMESPACE(CLONE_NEWPID),
	NO_NAMESPACE(CLONE_NEWNET),
	NO_NAMESPACE(CLONE_NEWIPC),
	NO_NAMESPACE(CLONE_NEWUTS),
	NO_NAMESPACE(CLONE_NEWCGROUP),
	/* on clone this bit is part of the exit signal */
	{ "unshare",	0, 0, CLONE_NEWTIME, CLONE_NEWTIME },
	/* a program left in the workspace that runs outside with the caller's rights */
#define NO_SETID(name, arg, nr) { name, arg, nr, S_ISUID, S_ISUID }, { name, arg, nr, S_ISGID, S_ISGID }
	NO_SETID("chmod", 1, 0),
	NO_SETID("fchmod", 1, 0),
	NO_SETID("fchmodat", 2, 0),
	NO_SETID("fchmodat2", 2, 452),
	NO_SETID("creat", 1, 0),
	NO_SETID("mknod", 1, 0),
	NO_SETID("mknodat", 2, 0),
};

/* The mode of open counts only when a file is made; else the register holds anything. */
static const struct { const char *name; unsigned flags, mode; } opens[] = {
	{ "open",	1, 2 },
	{ "openat",	2, 3 },
};

static int resolve(const char *name, int nr)
{
	int known = seccomp_syscall_resolve_name(name);

	return known == __NR_SCMP_ERROR ? nr : known;
}

/* A call that this machine never had (a negative number that is not libseccomp's own) needs no rule. */
static int deny(scmp_filter_ctx ctx, const char *name, int nr, int error, unsigned n,
		const struct scmp_arg_cmp *cmp, struct err *e)
{
	int call = resolve(name, nr), r;

	if (call == -1)
		return 0;
	r = seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO((uint16_t)error), call, n, cmp);
	/* EDOM: pseudo number without a place on this architecture. */
	if (r < 0 && r != -EDOM)
		return err_set(e, -r, "seccomp rule for %s", name);
	return 0;
}

static int deny_masked(scmp_filter_ctx ctx, const char *name, int nr, unsigned arg, uint64_t mask, uint64_t value,
		       struct err *e)
{
	const struct scmp_arg_cmp cmp = SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, mask, value);

	return deny(ctx, name, nr, EPERM, 1, &cmp, e);
}

static int add_opens(scmp_filter_ctx ctx, struct err *e)
{
	static const mode_t bits[] = { S_ISUID, S_ISGID };
	/* O_TMPFILE without the O_DIRECTORY that is part of it: glibc passes both, and so does every caller that
	 * makes a file. */
	static const int makes[] = { O_CREAT, __O_TMPFILE };

	for (size_t i = 0; i < ARRAY_SIZE(opens) * 4; i++) {
		const char *name = opens[i / 4].name;
		int flag = makes[i / 2 % 2];
		mode_t bit = bits[i % 2];
		const struct scmp_arg_cmp cmp[] = {
			SCMP_CMP(opens[i / 4].flags, SCMP_CMP_MASKED_EQ, (scmp_datum_t)flag, (scmp_datum_t)flag),
			SCMP_CMP(opens[i / 4].mode, SCMP_CMP_MASKED_EQ, bit, bit),
		};

		if (deny(ctx, name, -1, EPERM, 2, cmp, e) < 0)
			return -1;
	}
	return 0;
}

/* Memory that is executable without asking, a page at address zero, a predictable layout: only exploits want those.
 * Asking which one holds is the number with every bit set, so: the bit, and any other bit not. Two comparisons of one
 * argument are what libseccomp cannot say. Switching randomisation off stays (debuggers, sanitizers). */
static int add_personality(scmp_filter_ctx ctx, struct err *e)
{
	static const uint32_t bits[] = { READ_IMPLIES_EXEC, MMAP_PAGE_ZERO, ADDR_COMPAT_LAYOUT };

	for (size_t i = 0; i < ARRAY_SIZE(bits) * 32; i++) {
		uint32_t bit = bits[i / 32], other = 1u << i % 32;

		if (bit != other && deny_masked(ctx, "personality", -1, 0, bit | other, bit, e) < 0)
			return -1;
	}
	return 0;
}

static bool family_allowed(int family)
{
	return family == AF_UNSPEC || family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
	       family == AF_NETLINK;
}

/* No vsock, packet, kernel crypto, bluetooth ...; of netlink only route, which resolvers and ip(8) read. */
static int add_sockets(scmp_filter_ctx ctx, struct err *e)
{
	for (int f = 0; f < NEVER_FAMILY; f++) {
		if (family_allowed(f))
			continue;
		if (deny_masked(ctx, "socket", -1, 0, LOW32, (uint64_t)f, e) < 0 ||
		    deny_masked(ctx, "socketpair", -1, 0, LOW32, (uint64_t)f, e) < 0)
			return -1;
	}
	for (int p = 1; p < NETLINK_KINDS; p++) {
		const struct scmp_arg_cmp cmp[] = {
			SCMP_CMP(0, SCMP_CMP_MASKED_EQ, LOW32, AF_NETLINK),
			SCMP_CMP(2, SCMP_CMP_MASKED_EQ, LOW32, (scmp_datum_t)p),
		};

		if (deny(ctx, "socket", -1, EPERM, 2, cmp, e) < 0)
			return -1;
	}
	return 0;
}

static int add_rules(scmp_filter_ctx ctx, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (deny(ctx, refused[i].name, refused[i].nr, refused[i].error, 0, NULL, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused_arg); i++) {
		const struct refused_arg *r = &refused_arg[i];

		if (deny_masked(ctx, r->name, r->nr ? r->nr : -1, r->arg, r->mask, r->value, e) < 0)
			return -1;
	}
	if (add_opens(ctx, e) < 0 || add_personality(ctx, e) < 0)
		return -1;
	return add_sockets(ctx, e);
}

static int export(scmp_filter_ctx ctx, struct buf *out, struct err *e)
{
	CLEANUP(cleanup_fdp) int fd = memfd_create("seccomp", MFD_CLOEXEC);
	int r;

	if (fd < 0)
		return err_set(e, errno, "memfd_create");
	r = seccomp_export_bpf(ctx, fd);
	if (r < 0)
		return err_set(e, -r, "seccomp export");
	if (lseek(fd, 0, SEEK_SET) < 0 || io_slurp_fd(fd, out) < 0)
		return err_set(e, errno, "read the seccomp program");
	return 0;
}

int seccomp_program(struct buf *out, struct err *e)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int r;

	if (!ctx)
		return err_set(e, ENOMEM, "seccomp");
	/* A tree instead of a list: a few comparisons a call instead of hundreds. */
	r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	r = r < 0 ? err_set(e, -r, "seccomp attributes") : add_rules(ctx, e);
	if (r == 0)
		r = export(ctx, out, e);
	seccomp_release(ctx);
	return r;
}

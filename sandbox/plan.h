/* sandbox/plan.h - a profile compiled into what bubblewrap is told (plain data, no side effects)
 *
 * Arguments are product code: made here only, unit-tested as data. Nothing is created on the host
 * for a mount point. See design.md "Run" for the traps.
 */
#ifndef SANDBOX_PLAN_H
#define SANDBOX_PLAN_H

#include "base/buf.h"
#include "conf/conf.h"

#define PLAN_RUN_DIR "/run/sbxterm"	/* inside: integration files, gate socket, helpers (read-only) */
#define PLAN_FD_NULL 16			/* first of the empty descriptors, see plan_nnull() */
#define PLAN_FD_SHELL 10	/* the program of plan_shell() */
#define PLAN_MAX_NULL 512		/* more masked files than this is an error */

struct plan_in {
	const struct conf_profile	*profile;
	const char	*workspace;	/* absolute, real path, a directory */
	const char	*home;		/* absolute; need not exist, must not be "/" */
	const char	*cwd;		/* at or below workspace, or any visible directory */
	const char	*gate_dir;	/* host directory that is bound at PLAN_RUN_DIR/gate; NULL = none */
	const char	*integration;	/* host directory of shell integration files, bound at PLAN_RUN_DIR/shell */
	const char	*libexec;	/* host directory with sbx-init and sbx-ask, bound at PLAN_RUN_DIR/bin; needed */
	char *const	*environ;	/* the server's environment, filtered by the profile's allowlist */
	const char	*term;		/* TERM inside */
	/* Absolute host directory, made when needed, for protected files that appear in the workspace. The
	 * caller puts a directory above it into @hide. NULL: they are left where they are. */
	const char	*keep;
	/* Host paths that must not be visible: audit, sockets. They must exist (or lie where nothing is visible
	 * anyway) and must not be where the sandbox may write: both are errors. */
	const char	*const *hide;
	size_t		 nhide;
};

/* How paths are laid out: the read-only root, then over it from the top of the tree down, so that the most
 * specific path wins; at the same path the strictest wins (hide > mask > read-only > writable > scratch).
 * What a profile lists and is not there is left out; a link is followed and its target is what counts.
 *
 * Known limits: a protected path that is a symbolic link cannot be kept from being replaced (plan_describe()
 * says so); a host socket that is made after the start in a visible place stays reachable.
 */
struct plan;
int plan_build(const struct plan_in *in, struct plan **out, struct err *e);
void plan_free(struct plan *p);
/* NULL-terminated; without the command. argv[0] is the absolute path of bwrap. */
char *const *plan_argv(const struct plan *p);
char *const *plan_env(const struct plan *p);	/* for the command inside; bwrap itself starts with nothing */
/* Files are masked by copies of nothing: bubblewrap reads each from a descriptor of its own. The spawner opens
 * this many times /dev/null, from PLAN_FD_NULL upwards. */
size_t plan_nnull(const struct plan *p);
/* The shell that is shown as a copy which can be executed and not read, or NULL. Linux keeps the memory of such a
 * process from every other one without a capability: what the shell starts cannot read the shell. bubblewrap copies it
 * from PLAN_FD_SHELL, which the spawner opens. */
const char *plan_shell(const struct plan *p);
/* What watch_new() wants to be told: protected names of the workspace that do not exist yet, which no mount can
 * protect. NULL when the caller named no folder to keep them in. */
const struct buf *plan_watch(const struct plan *p);
size_t plan_nproc(const struct plan *p);	/* process limit for sbx-init, 0 = none */
/* Absolute path of bubblewrap from the places where a package puts it, never from PATH. NULL when missing. */
const char *plan_bwrap(void);
/* The options of every sandbox (namespaces, life time, capabilities), NULL-terminated: for the trial at start. */
const char *const *plan_flags(void);
/* In words, one line each, for check --explain and the audit record. */
char *plan_describe(const struct plan *p);	/* the caller frees */
const char *plan_name(const struct plan *p);
/* Where the programs are that sbx-detour stands in front of (plans with a gate). */
#define PLAN_REAL_DIR PLAN_RUN_DIR "/real"

#endif /* SANDBOX_PLAN_H */

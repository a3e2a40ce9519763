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

struct plan_in {
	const struct conf_profile	*profile;
	const char	*workspace;	/* absolute, real path, a directory */
	const char	*home;		/* absolute */
	const char	*cwd;		/* at or below workspace, or any visible directory */
	const char	*gate_dir;	/* host directory that is bound at PLAN_RUN_DIR/gate; NULL = none */
	const char	*integration;	/* host directory of shell integration files, bound at PLAN_RUN_DIR/shell */
	const char	*libexec;	/* host directory with sbx-init and sbx-ask, bound at PLAN_RUN_DIR/bin */
	char *const	*environ;	/* the server's environment, filtered by the profile's allowlist */
	const char	*term;		/* TERM inside */
	const char	*const *hide;	/* host paths that must not be visible: audit, sockets */
	size_t		 nhide;
};

struct plan;
int plan_build(const struct plan_in *in, struct plan **out, struct err *e);
void plan_free(struct plan *p);
/* NULL-terminated; without the command. argv[0] is the absolute path of bwrap. */
char *const *plan_argv(const struct plan *p);
char *const *plan_env(const struct plan *p);	/* for the command inside; bwrap itself starts with nothing */
/* In words, one line each, for check --explain and the audit record. */
char *plan_describe(const struct plan *p);	/* the caller frees */
const char *plan_name(const struct plan *p);

#endif /* SANDBOX_PLAN_H */

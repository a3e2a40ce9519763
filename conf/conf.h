/* conf/conf.h - the merged configuration: rules, profile, ui, audit
 *
 * Layers, later over earlier: shipped default (DATADIR/default.jsonc) <
 * system (/etc/sbxterm/policy.jsonc) < user ($XDG_CONFIG_HOME or ~/.config,
 * sbxterm/policy.jsonc) < project (.sbxterm/policy.jsonc in the workspace, also .json).
 * A project file can only narrow (ask and deny rules, more masks, less network)
 * until the user trusts its hash; what it wanted beyond that is in ->ignored.
 * Any mistake in any layer: conf_load() fails with file:line:column.
 * Everything here is owned by the conf and read-only after loading.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include "base/err.h"

enum conf_action { CONF_DENY = 0, CONF_ASK, CONF_ALLOW };	/* smaller is stricter, zero is safe */

/* A user rule by argv prefix. Each pattern element is one word or "any of". */
struct conf_word {
	const char *const	*any;	/* the words that match here */
	size_t			 nany;	/* 0: any one word ("*") */
};

struct conf_rule {
	enum conf_action	 action;
	const char		*id;		/* "user.<n>" unless named */
	const char		*reason;	/* never NULL */
	const char		*safer;		/* may be NULL */
	const struct conf_word	*argv;
	size_t			 nargv;
	const char		*file;		/* where it stands */
	unsigned		 line;
};

struct conf_profile {
	const char		*name;
	const char *const	*read;		/* home paths that stay visible, "~/.gitconfig" */
	size_t			 nread;
	const char *const	*write;		/* extra writable paths besides the workspace */
	size_t			 nwrite;
	const char *const	*mask;		/* secrets: shown empty (file) or absent (directory) */
	size_t			 nmask;
	const char *const	*protect;	/* workspace-relative, read-only: ".git", ".vscode" */
	size_t			 nprotect;
	const char *const	*env;		/* allowlist of environment names; "LC_*" allowed */
	size_t			 nenv;
	const char *const	*setenv;	/* "NAME=value" */
	size_t			 nsetenv;
	size_t			 home_bytes, tmp_bytes;	/* size caps of the tmpfs mounts */
	size_t			 nproc;		/* process limit, 0 = none */
};

struct conf {
	const struct conf_rule	*rule;
	size_t			 nrule;
	struct conf_profile	 profile;	/* the one in force */
	/* policy lists, all layers merged (see default.jsonc for what each means) */
	const char *const	*build_output;	size_t nbuild_output;	/* "node_modules", "*.o" */
	const char *const	*secret;	size_t nsecret;		/* "~/.ssh/id_*", ".env" */
	const char *const	*protected_file; size_t nprotected_file; /* "~/.bashrc", ".git/hooks/" */
	const char *const	*system_tree;	size_t nsystem_tree;	/* "/etc", "/usr" */
	const char *const	*scratch;	size_t nscratch;	/* "/tmp", "/var/tmp" */
	const char *const	*main_branch;	size_t nmain_branch;	/* "main", "master" */
	const char *const	*registry;	size_t nregistry;	/* hosts installs may reach */
	const char		*audit_path;	/* absolute */
	size_t			 scrollback;	/* lines */
	const char		*shell;		/* absolute path of the pane's shell */
	const char *const	*ignored;	size_t nignored;	/* what an untrusted project file wanted */
	void			*own;		/* conf.c's memory */
};

struct conf_from {
	const char	*datadir;	/* shipped files; NULL = conf_datadir() */
	const char	*home;		/* user layer and ~; NULL = $HOME */
	const char	*workspace;	/* project layer; NULL = none */
	const char	*policy;	/* --policy FILE instead of the user layer; NULL = none */
	const char	*profile;	/* name; NULL = "default" */
};

int conf_load(const struct conf_from *from, struct conf **out, struct err *e);
void conf_free(struct conf *c);
/* Directory of the shipped data: $PREFIX/share/sbxterm, or conf/ beside a build tree.
 * Found from /proc/self/exe, never from the environment. NULL when missing. */
const char *conf_datadir(void);
/* Directory of the helper programs (sbx-init, sbx-ask): $PREFIX/lib/sbxterm or build/. */
const char *conf_libexecdir(void);

#endif /* CONF_CONF_H */

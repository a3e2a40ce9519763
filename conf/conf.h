/* conf/conf.h - the merged configuration: rules, profile, ui, audit
 *
 * Layers, later over earlier: shipped default (DATADIR/default.jsonc) <
 * system (/etc/sbxterm/policy.jsonc) < user ($XDG_CONFIG_HOME or ~/.config,
 * sbxterm/policy.jsonc) < project (.sbxterm/policy.jsonc in the workspace). "policy.json" is
 * taken too; both names side by side are a mistake. A layer that is not there says nothing.
 *
 * Merging: a list takes the entries of the next layer in addition; "!entry" takes one out that a
 * layer below put in, and is a mistake where there is none. A scalar replaces. Rules add up. A profile
 * other than "default" begins as a copy of it. Masks begin with the secrets that have a place ("~/", "/").
 *
 * A project file can only narrow (ask and deny rules, more masks, secrets and protected files, fewer
 * readable and writable places, variables, build outputs and registries, smaller sizes) until the
 * user trusts its text; what it wanted beyond that is in ->ignored. It never moves the audit log.
 * Trust: ~/.config/sbxterm/trusted.jsonc keeps the path and a copy of the text, compared byte by byte:
 * no hash to collide, and what was trusted can be read.
 *
 * Descriptions of more programs lie in a folder "programs" beside the policy of the system and of the user, never of a
 * project. Here they are only found; intercept/programs.h reads them.
 *
 * Any mistake in any layer: conf_load() fails with file:line:column.
 * Everything here is owned by the conf and read-only after loading.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include "base/err.h"

enum conf_action { CONF_DENY = 0, CONF_ASK, CONF_ALLOW };	/* smaller is stricter, zero is safe */

/* A user rule by argv prefix. Each pattern element is one word or "any of". The first matches a program by its
 * name in any directory, unless the rule gives a path: conf_rule_matches(). */
struct conf_word {
	const char *const	*any;	/* the words that match here */
	size_t			 nany;	/* 0: any one word ("*") */
};

struct conf_rule {
	enum conf_action	 action;
	const char		*id;		/* "<layer>.<n>" unless named: "user.1" */
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
	/* data files of programs that the system and the user add: absolute paths, the stronger layer later */
	const char *const	*program_file;	size_t nprogram_file;
	size_t			 scrollback;	/* lines */
	const char		*shell;		/* absolute path of the pane's shell */
	const char *const	*ignored;	size_t nignored;	/* what an untrusted project file wanted */
	void			*own;		/* conf.c's memory */
};

struct conf_from {
	const char	*datadir;	/* shipped files; NULL = conf_datadir() */
	const char	*home;		/* user layer and ~; NULL = $HOME */
	const char	*config;	/* absolute, instead of HOME/.config; NULL = $XDG_CONFIG_HOME where @home is NULL too */
	const char	*workspace;	/* project layer; NULL = none */
	const char	*policy;	/* --policy FILE instead of the user layer; NULL = none */
	const char	*profile;	/* name; NULL = "default" */
	const char	*system;	/* directory of the system layer; NULL = /etc/sbxterm */
};

int conf_load(const struct conf_from *from, struct conf **out, struct err *e);
void conf_free(struct conf *c);
/* Remember the present text of the workspace's project file as trusted: the user has read it. */
int conf_trust(const struct conf_from *from, struct err *e);
/* Does @rule speak about this command? @word[0] is the program as it is called. */
bool conf_rule_matches(const struct conf_rule *rule, const char *const *word, size_t n);
/* Directory of the shipped data: $PREFIX/share/sbxterm beside $PREFIX/bin/, or conf/ beside build/.
 * Found from /proc/self/exe, never from the environment. NULL when missing. */
const char *conf_datadir(void);
/* Directory of the helper programs (sbx-init, sbx-ask): $PREFIX/lib/sbxterm or build/. */
const char *conf_libexecdir(void);

#endif /* CONF_CONF_H */

/* intercept/effect.h - what a simple command does to the world (plain data)
 *
 * Computed from the data files conf/programs/<name>.json (schema:
 * conf/schema/program.schema.json), never from the text of the line.
 */
#ifndef INTERCEPT_EFFECT_H
#define INTERCEPT_EFFECT_H

#include "intercept/simple.h"

enum effect_kind {
	EFFECT_NONE = 0,
	EFFECT_UNKNOWN,		/* program or option not known, or a word that cannot be judged */
	EFFECT_READ,		/* path */
	EFFECT_WRITE,		/* path: create or change */
	EFFECT_OVERWRITE,	/* path: content is replaced */
	EFFECT_DELETE,		/* path; EFFECT_RECURSIVE */
	EFFECT_MOVE,		/* path disappears, .to gets it */
	EFFECT_MODE,		/* permissions or owner of path */
	EFFECT_DEVICE,		/* raw write to a device */
	EFFECT_EXEC,		/* runs a program or script file: path */
	EFFECT_NET,		/* reaches host (NULL: any) */
	EFFECT_SEND,		/* sends local data to host */
	EFFECT_FETCH_CODE,	/* runs code that came from the network */
	EFFECT_REMOTE_SHELL,	/* gives a shell to the network */
	EFFECT_PUBLISH,		/* push, publish, deploy, release, message */
	EFFECT_GIT_LOSE,	/* uncommitted work may be lost (paths or all) */
	EFFECT_GIT_HISTORY,	/* local refs or history */
	EFFECT_GIT_FORCE,	/* overwrites or deletes a remote ref */
	EFFECT_INSTALL,		/* packages: workspace, user or system scope in .what */
	EFFECT_PRIVILEGE,	/* needs or gains root */
	EFFECT_PROCESS,		/* ends processes */
	EFFECT_SERVICE,		/* service, timer, job, cron */
	EFFECT_SYSTEM,		/* reboot, mount, kernel, network setup, users */
	EFFECT_DATABASE,	/* changes or drops data in a database */
	EFFECT_INFRA,		/* containers, clusters, clouds */
	EFFECT_SECRET,		/* shows or uses a secret, the environment */
	EFFECT_GUARD,		/* touches sbxterm itself */
	EFFECT_SHELL_STATE,	/* alias, trap, PROMPT_COMMAND, function over a program name */
	EFFECT_INTERACTIVE,	/* starts an interactive shell or interpreter: lines are no longer captured */
	EFFECT_EXHAUST,		/* fork bomb, fills the disk, never ends */
	EFFECT_KIND_COUNT
};
extern const char *const effect_name[EFFECT_KIND_COUNT];

enum {
	EFFECT_RECURSIVE	= 1 << 0,
	EFFECT_FORCE		= 1 << 1,
	EFFECT_ALL		= 1 << 2,	/* everything, not one path */
	EFFECT_OF_SECRET	= 1 << 3,	/* what is sent or shown is a secret */
	EFFECT_LISTED		= 1 << 4,	/* the words come from another program's output, each below .path */
	EFFECT_APPEND		= 1 << 5,	/* what was there stays */
	EFFECT_REMOTE		= 1 << 6,	/* happens on another machine or in a container */
	EFFECT_AROUND		= 1 << 7,	/* not by the program and its words: by an assignment, a redirection, a name
						 * that leads elsewhere. A rule that allows the program says nothing of it */
};

struct effect {
	enum effect_kind	 kind;
	unsigned		 flags;
	const struct word	*path;		/* as the program sees it, relative to .cmd->cwd */
	const struct word	*to;		/* second path, or NULL */
	const char		*host;		/* "host" or "host:port"; NULL unknown */
	const char		*what;		/* short phrase for the banner: "deletes", "force push to main" */
	const struct simple	*cmd;
	struct span		 span;		/* the word to blame */
	const char		*file;		/* a file that the line runs and that says this, or NULL */
	unsigned		 line;		/* in that file; 0 not known */
	const char		*scope;		/* argument of the kind: "user", "catastrophic" ..., NULL */
};

#endif /* INTERCEPT_EFFECT_H */

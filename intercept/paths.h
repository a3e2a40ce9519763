/* intercept/paths.h - where a word points: normalise, resolve links, classify
 *
 * Lexical work is ours, everything on disk comes from the world's table. A word
 * that is not exact is classified by what is known of it, towards the worse side.
 * Results live in the arena.
 */
#ifndef INTERCEPT_PATHS_H
#define INTERCEPT_PATHS_H

#include "base/arena.h"
#include "conf/conf.h"
#include "intercept/simple.h"
#include "intercept/world.h"

enum zone {
	ZONE_UNKNOWN = 0,	/* cannot be told */
	ZONE_EMPTY,		/* the word is empty */
	ZONE_SINK,		/* /dev/null, /dev/stdout, /dev/fd/N, terminals */
	ZONE_NETDEV,		/* /dev/tcp/..., /dev/udp/... (bash) */
	ZONE_DEVICE,		/* any other device */
	ZONE_ROOT,		/* the root, a home, an ancestor of a home, or a pattern that takes in one of those */
	ZONE_SYSTEM_ROOT,	/* a system tree as a whole */
	ZONE_SYSTEM,		/* inside a system tree that the machine needs to run */
	ZONE_SHARED,		/* inside /var, /opt, /srv, /usr/local, /mnt, ... */
	ZONE_HOME,		/* below the user's home */
	ZONE_WORKSPACE_ROOT,	/* the workspace as a whole, or an ancestor of it */
	ZONE_WORKSPACE,
	ZONE_SCRATCH_ROOT,	/* all of /tmp */
	ZONE_SCRATCH,
	ZONE_OUTSIDE,		/* anywhere else */
	ZONE_COUNT
};
extern const char *const zone_phrase[ZONE_COUNT];

enum {
	PATH_SECRET	= 1 << 0,
	PATH_PROTECTED	= 1 << 1,	/* start-up files, hooks, agent and editor configuration */
	PATH_GUARD	= 1 << 2,	/* sbxterm's own files */
	PATH_BUILD	= 1 << 3,	/* a build output or cache */
	PATH_GIT	= 1 << 4,	/* inside .git, or .git itself */
	PATH_LINK	= 1 << 5,	/* a symbolic link (not followed) */
	PATH_THROUGH_LINK = 1 << 6,	/* a link on the way led elsewhere */
	PATH_GLOB	= 1 << 7,	/* stands for many names */
	PATH_WHOLE	= 1 << 8,	/* everything in ->abs, but not itself: "dir" + "/" + "*" */
	PATH_PARTIAL	= 1 << 9,	/* only a prefix is known */
	PATH_ENV_FILE	= 1 << 10,	/* a secret of the workspace: .env */
	PATH_MADE	= 1 << 11,	/* made by mktemp */
	PATH_KEYS	= 1 << 12,	/* grants a login: authorized_keys */
	PATH_ABOVE	= 1 << 13,	/* a directory that holds the workspace */
	PATH_SLASH	= 1 << 14,	/* the root itself */
	PATH_TOOLS	= 1 << 15,	/* a toolchain in the home: ~/.cargo, ~/.nvm */
};

struct path {
	const char	*abs;		/* normalised; links resolved but for the last name; NULL unknown */
	const char	*shown;		/* what to show: abs, pattern, or prefix with "..." */
	enum zone	 zone;
	unsigned	 flags;
	enum world_type	 type;		/* of abs */
};

/* A link that the line itself makes: what comes after it goes through. */
struct paths_link {
	const struct paths_link	*next;
	const char		*abs, *target;
	size_t			 after;		/* number of effects before it */
};

struct paths {
	struct arena		*mem;
	const struct conf	*conf;
	const struct world	*world;
	const struct cmdline	*line;
	const struct paths_link	*link;		/* newest first */
	size_t			 at;		/* index of the effect that is judged; those that come later count not */
};

void paths_add_link(struct paths *p, const char *abs, const char *target, size_t after);
/* Can a program make it again, though no list says so: a directory with a CACHEDIR.TAG, or a name like tmp that git ignores? */
bool paths_is_output(const struct paths *p, const char *abs);

/* Classify @w as a program that runs in @cwd (NULL unknown) sees it. @follow: the last link too. */
const struct path *paths_word(struct paths *p, const struct word *w, const char *cwd, bool follow);
/* The same for text that is exact. */
const struct path *paths_text(struct paths *p, const char *text, const char *cwd, bool follow);
/* "/a/../b//c/." -> "/b/c". Relative to @cwd; NULL when relative and cwd is NULL, or out of memory. */
char *paths_normal(struct arena *mem, const char *text, const char *cwd);
bool paths_below(const char *path, const char *dir);	/* strictly below */
/* Does a list pattern ("*.o", "~/.ssh/id_*", ".git/hooks/", "/etc") name @abs or something above it? */
bool paths_listed(const struct paths *p, const char *const *list, size_t n, const char *abs);

#endif /* INTERCEPT_PATHS_H */

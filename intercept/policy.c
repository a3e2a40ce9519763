/* intercept/policy.c - effects in their context -> verdict */
#include "intercept/policy.h"

#include <assert.h>
#include <fnmatch.h>
#include <string.h>

#include "base/quote.h"

#define POLICY_TARGETS	24
#define MEANING_BYTES	(64u << 10)

const char *const action_name[ACTION_COUNT] = {
	[ACTION_DENY]	= "deny",
	[ACTION_ASK]	= "ask",
	[ACTION_ALLOW]	= "allow",
};
static_assert(ARRAY_SIZE(action_name) == ACTION_COUNT, "name every action");

/* ---- the table ------------------------------------------------------------------------------------------ */

#define K(kind)		(1u << EFFECT_##kind)
#define Z(zone)		(1u << ZONE_##zone)
#define G(state)	(1u << WORLD_GIT_##state)
#define ANY		(~0u)
#define WRITES		(K(WRITE) | K(OVERWRITE))
#define CHANGES		(WRITES | K(DELETE) | K(MOVE) | K(MODE))
#define ELSEWHERE	(Z(SHARED) | Z(OUTSIDE))
#define VITAL		(Z(SYSTEM_ROOT) | Z(SYSTEM))
static_assert(EFFECT_KIND_COUNT <= 32 && ZONE_COUNT <= 32, "masks hold every kind and zone");

/* Facts that are neither a zone nor a flag of the path. */
enum {
	FACT_FRESH	= 1 << 0,	/* made on this line */
	FACT_ABSENT	= 1 << 1,	/* nothing is there */
	FACT_TO_SINK	= 1 << 2,	/* moved to /dev/null */
	FACT_OUTPUT	= 1 << 4,	/* what can be made again, by git's word or its own mark */
	FACT_HOLDS_SECRET = 1 << 3,	/* a directory that holds secrets, read as a whole */
};

struct row {
	unsigned	 kinds, zones;
	unsigned	 need, not;	/* PATH_ flags */
	unsigned	 eneed;		/* EFFECT_ flags */
	unsigned	 fneed;		/* FACT_ flags */
	unsigned	 git;		/* states; 0 = any (git is not asked) */
	enum action	 action;
	const char	*rule, *reason, *safer;
};

/* In the texts: %w what the effect does, %p the path. */
static const struct row rows[] = {
	/* the guard, keys, devices: before everything */
	{ CHANGES, ANY, PATH_GUARD, 0, 0, 0, 0, ACTION_DENY, "guard.files", "%w %p, which belongs to sbxterm",
	  "the person changes sbxterm's own files outside the session" },
	{ CHANGES, ANY, PATH_KEYS, 0, 0, 0, 0, ACTION_DENY, "persist.keys", "%w %p, which lets others log in", "add keys yourself, outside the session" },
	{ CHANGES | K(DEVICE), Z(DEVICE), 0, 0, 0, 0, 0, ACTION_DENY, "fs.device", "%w the device %p",
	  "work on an image file in the workspace" },
	{ K(READ), Z(DEVICE), 0, 0, 0, 0, 0, ACTION_ASK, "fs.read.device", "reads the device %p", "read what /proc and /sys say of it, or an image file" },
	{ WRITES | K(READ) | K(MODE), Z(SINK), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.sink", "%w %p", NULL },
	{ K(DELETE), Z(SINK), 0, 0, EFFECT_FORCE, 0, 0, ACTION_ALLOW, "fs.sink", "%w %p", NULL },
	{ K(DELETE) | K(MOVE), Z(SINK), 0, 0, 0, 0, 0, ACTION_DENY, "fs.delete.system", "%w %p, a system file", "keep to the workspace" },

	/* deletion */
	{ K(DELETE), Z(EMPTY), 0, 0, EFFECT_LISTED, 0, 0, ACTION_ASK, "fs.delete.unknown", "%w an empty word", "give the directory by name" },
	{ K(DELETE), Z(EMPTY), 0, 0, EFFECT_FORCE, 0, 0, ACTION_ASK, "fs.delete.unknown", "%w an empty word", "give the file by name" },
	{ K(DELETE), Z(EMPTY), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.delete.nothing", "%w nothing: the word is empty", NULL },
	{ K(DELETE), Z(ROOT), 0, 0, 0, 0, 0, ACTION_DENY, "fs.delete.root", "%w %p, the root or a home directory",
	  "name the exact directory inside the workspace" },
	{ K(DELETE), VITAL, 0, 0, 0, 0, 0, ACTION_DENY, "fs.delete.system", "%w %p, part of the system",
	  "name the exact directory inside the workspace" },
	{ K(DELETE), Z(SCRATCH_ROOT), 0, 0, 0, 0, 0, ACTION_ASK, "fs.delete.scratch-root", "%w all of %p",
	  "delete only what you made there" },
	{ K(DELETE), Z(WORKSPACE_ROOT), 0, 0, 0, 0, 0, ACTION_ASK, "fs.delete.workspace", "%w %p, which holds the workspace",
	  "name what is to go, or use git clean -n to see it first" },
	{ K(DELETE), Z(WORKSPACE) | Z(HOME) | ELSEWHERE, PATH_GIT, 0, 0, 0, 0, ACTION_ASK, "fs.delete.git", "%w %p, where git keeps the history",
	  "use git commands to change the repository" },
	{ K(DELETE), Z(WORKSPACE) | Z(SCRATCH), 0, PATH_PARTIAL | PATH_GLOB, 0, FACT_FRESH, 0, ACTION_ALLOW, "fs.delete.fresh",
	  "%w %p, made by this line", NULL },
	{ K(DELETE), Z(SCRATCH) | Z(UNKNOWN), PATH_MADE, 0, 0, 0, 0, ACTION_ALLOW, "fs.delete.fresh", "%w what mktemp made", NULL },
	{ K(DELETE), Z(UNKNOWN), 0, 0, 0, 0, 0, ACTION_ASK, "fs.delete.unknown", "%w something that cannot be told before it runs",
	  "write the path out, or print it first" },
	{ K(DELETE), Z(WORKSPACE) | Z(SCRATCH), PATH_PARTIAL, 0, EFFECT_LISTED, 0, 0, ACTION_ASK, "fs.delete.unknown",
	  "%w something below %p", "write the path out" },
	{ K(DELETE), Z(WORKSPACE) | Z(SCRATCH), PATH_PARTIAL, 0, 0, 0, 0, ACTION_ASK, "fs.delete.unknown",
	  "%w %p, which is not known in full", "write the path out, or print it first" },
	{ K(DELETE), Z(WORKSPACE), PATH_SECRET, 0, 0, 0, 0, ACTION_ASK, "fs.delete.secret", "%w %p, which git does not keep", "move it away instead" },
	{ K(DELETE), Z(WORKSPACE), PATH_PROTECTED, 0, 0, 0, 0, ACTION_ASK, "fs.delete.protected", "%w %p, a protected file", "move it to another name in the workspace, or delete it yourself outside the session" },
	{ K(DELETE), Z(WORKSPACE), PATH_BUILD, 0, 0, 0, G(DIRTY), ACTION_ASK, "fs.delete.changed", "%w %p, which has changes that are not committed",
	  "commit or stash first" },
	{ K(DELETE), Z(WORKSPACE), 0, 0, 0, FACT_OUTPUT, 0, ACTION_ALLOW, "fs.delete.build", "%w %p, a build output", NULL },
	{ K(DELETE), Z(WORKSPACE), PATH_BUILD, 0, 0, 0, 0, ACTION_ALLOW, "fs.delete.build", "%w %p, a build output", NULL },
	{ K(DELETE), Z(WORKSPACE), 0, PATH_GLOB, 0, FACT_ABSENT, 0, ACTION_ALLOW, "fs.delete.nothing", "%w %p, which is not there", NULL },
	{ K(DELETE), Z(WORKSPACE), 0, 0, 0, 0, G(CLEAN), ACTION_ALLOW, "fs.delete.tracked", "%w %p, tracked and unchanged", NULL },
	{ K(DELETE), Z(WORKSPACE), 0, 0, 0, 0, G(DIRTY), ACTION_ASK, "fs.delete.changed", "%w %p, which has changes that are not committed",
	  "commit or stash first" },
	{ K(DELETE), Z(WORKSPACE), 0, 0, 0, 0, G(UNTRACKED), ACTION_ASK, "fs.delete.untracked", "%w %p, which git does not keep",
	  "git add it first, or move it away" },
	{ K(DELETE), Z(WORKSPACE), 0, 0, 0, 0, G(IGNORED), ACTION_ASK, "fs.delete.ignored", "%w %p, which git ignores", "move it away instead" },
	{ K(DELETE), Z(WORKSPACE), 0, 0, 0, 0, 0, ACTION_ASK, "fs.delete.untracked", "%w %p, and git may not have a copy",
	  "commit it first, or move it away" },
	{ K(DELETE), Z(SCRATCH), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.delete.scratch", "%w %p in scratch space", NULL },
	{ K(DELETE), Z(HOME), 0, 0, 0, 0, 0, ACTION_ASK, "fs.delete.home", "%w %p in the home directory", "keep to the workspace, or delete it yourself outside the session" },
	{ K(DELETE), ANY, 0, 0, 0, 0, 0, ACTION_ASK, "fs.delete.outside", "%w %p, outside the workspace", "keep to the workspace" },

	/* moving away */
	{ K(MOVE), Z(ROOT), 0, 0, 0, 0, 0, ACTION_DENY, "fs.move.root", "%w %p, the root or a home directory", "keep to the workspace" },
	{ K(MOVE), VITAL, 0, 0, 0, 0, 0, ACTION_DENY, "fs.move.system", "%w %p, part of the system", "keep to the workspace" },
	{ K(MOVE), Z(WORKSPACE) | Z(SCRATCH) | Z(WORKSPACE_ROOT) | Z(SCRATCH_ROOT), 0, 0, 0, FACT_TO_SINK, 0, ACTION_ASK, "fs.move.sink",
	  "moves %p to where it is lost", "move it to another directory" },
	{ K(MOVE), Z(WORKSPACE), PATH_GIT, 0, 0, 0, 0, ACTION_ASK, "fs.move.git", "%w %p, where git keeps the history", "use git commands to change the repository" },
	{ K(MOVE), Z(WORKSPACE), PATH_PROTECTED, 0, 0, 0, 0, ACTION_ASK, "fs.move.protected", "%w %p, a protected file", "copy it, and move it yourself outside the session" },
	{ K(MOVE), Z(WORKSPACE) | Z(SCRATCH), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.move.workspace", "%w %p", NULL },
	{ K(MOVE), Z(UNKNOWN), PATH_MADE, 0, 0, 0, 0, ACTION_ALLOW, "fs.move.workspace", "%w what mktemp made", NULL },
	{ K(MOVE), Z(UNKNOWN) | Z(EMPTY), 0, 0, 0, 0, 0, ACTION_ASK, "fs.move.unknown", "%w something that cannot be told before it runs",
	  "write the path out" },
	{ K(MOVE), ANY, 0, 0, 0, 0, 0, ACTION_ASK, "fs.move.outside", "%w %p, outside the workspace", "keep to the workspace" },

	/* writing */
	{ WRITES, Z(SYSTEM_ROOT) | Z(SYSTEM), 0, 0, 0, 0, 0, ACTION_DENY, "fs.write.system", "%w %p, part of the system",
	  "write into the workspace; the person installs it" },
	{ WRITES, Z(ROOT), PATH_SLASH, 0, EFFECT_RECURSIVE, 0, 0, ACTION_DENY, "fs.write.root", "%w the root directory", "use a directory of the workspace" },
	{ WRITES, Z(EMPTY), 0, 0, 0, 0, 0, ACTION_ASK, "fs.write.unknown", "%w an empty word", "give the file by name" },
	{ WRITES, Z(WORKSPACE) | Z(HOME) | ELSEWHERE, PATH_GIT, 0, 0, 0, 0, ACTION_ASK, "fs.write.git", "%w %p, where git keeps its settings and history",
	  "use git commands" },
	{ WRITES, ANY, PATH_PROTECTED, 0, 0, 0, 0, ACTION_ASK, "fs.write.protected", "%w %p, which other programs run or obey", "write it elsewhere in the workspace, compare with diff, and copy it yourself" },
	{ WRITES, Z(WORKSPACE_ROOT), PATH_ABOVE, 0, 0, 0, 0, ACTION_ASK, "fs.write.outside", "%w %p, outside the workspace", "keep to the workspace" },
	{ WRITES, Z(WORKSPACE) | Z(WORKSPACE_ROOT), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.write.workspace", "%w %p", NULL },
	{ WRITES, Z(SCRATCH) | Z(SCRATCH_ROOT), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.write.scratch", "%w %p", NULL },
	{ WRITES, Z(UNKNOWN), PATH_MADE, 0, 0, 0, 0, ACTION_ALLOW, "fs.write.scratch", "%w what mktemp made", NULL },
	{ WRITES, Z(UNKNOWN), 0, 0, 0, 0, 0, ACTION_ASK, "fs.write.unknown", "%w something that cannot be told before it runs", "write the path out" },
	{ WRITES, Z(ROOT) | Z(HOME), 0, 0, 0, 0, 0, ACTION_ASK, "fs.write.home", "%w %p in the home directory", "write into the workspace" },
	{ WRITES, ANY, 0, 0, 0, 0, 0, ACTION_ASK, "fs.write.outside", "%w %p, outside the workspace", "write into the workspace" },

	/* permissions */
	{ K(MODE), Z(ROOT) | VITAL, 0, 0, 0, 0, 0, ACTION_DENY, "fs.mode.system", "%w %p", "keep to the workspace" },
	{ K(MODE), Z(WORKSPACE) | Z(WORKSPACE_ROOT), PATH_GIT | PATH_PROTECTED, 0, 0, 0, 0, ACTION_ASK, "fs.mode.protected", "%w %p", "change it yourself outside the session" },
	{ K(MODE), Z(WORKSPACE_ROOT), PATH_ABOVE, 0, 0, 0, 0, ACTION_ASK, "fs.mode.outside", "%w %p, outside the workspace", "keep to the workspace" },
	{ K(MODE), Z(WORKSPACE) | Z(WORKSPACE_ROOT) | Z(SCRATCH), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.mode.workspace", "%w %p", NULL },
	{ K(MODE), Z(EMPTY) | Z(UNKNOWN), 0, 0, 0, 0, 0, ACTION_ASK, "fs.mode.unknown", "%w something that cannot be told before it runs", "write the path out" },
	{ K(MODE), ANY, 0, 0, 0, 0, 0, ACTION_ASK, "fs.mode.outside", "%w %p, outside the workspace", "keep to the workspace" },

	/* raw devices, by tools that are made for them */
	{ K(DEVICE), Z(WORKSPACE) | Z(SCRATCH), 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.image", "%w the image %p", NULL },
	{ K(DEVICE), ANY, 0, 0, 0, 0, 0, ACTION_ASK, "fs.device.unknown", "%w %p", "work on an image file in the workspace" },

	/* reading */
	{ K(READ), Z(WORKSPACE), PATH_SECRET, 0, 0, 0, 0, ACTION_ASK, "secret.read", "shows %p, which holds secrets", "read a template such as .env.example" },
	{ K(READ), ANY, PATH_SECRET, 0, 0, 0, 0, ACTION_DENY, "secret.read", "shows %p, which holds secrets", "list its directory or test that it exists; nothing has to see what is in it" },
	{ K(READ), Z(HOME) | Z(SYSTEM), 0, 0, EFFECT_RECURSIVE, FACT_HOLDS_SECRET, 0, ACTION_DENY, "secret.read", "reads all of %p, which holds secrets", "name the files that are needed, one by one" },
	{ K(READ), ANY, 0, 0, 0, 0, 0, ACTION_ALLOW, "fs.read", "reads %p", NULL },

	/* running files */
	{ K(EXEC), Z(WORKSPACE), 0, 0, 0, 0, 0, ACTION_ALLOW, "exec.workspace", "runs %p", NULL },
	{ K(EXEC), Z(SYSTEM) | Z(SINK), 0, 0, 0, 0, 0, ACTION_ALLOW, "exec.system", "runs %p", NULL },
	{ K(EXEC), Z(SHARED), 0, 0, 0, 0, 0, ACTION_ASK, "exec.outside", "runs %p, outside the workspace", "copy it into the workspace and look at it first" },
	{ K(EXEC), Z(HOME), PATH_TOOLS, 0, 0, 0, 0, ACTION_ALLOW, "exec.tools", "runs %p", NULL },
	{ K(EXEC), Z(UNKNOWN) | Z(EMPTY), 0, 0, 0, 0, 0, ACTION_ASK, "exec.unknown", "runs a file that cannot be told before it runs", "write the path out" },
	{ K(EXEC), ANY, 0, 0, 0, 0, 0, ACTION_ASK, "exec.outside", "runs %p, outside the workspace", "copy it into the workspace and look at it first" },

	/* sending files */
	{ K(SEND), ANY, 0, 0, EFFECT_OF_SECRET, 0, 0, ACTION_DENY, "secret.send", "sends a secret to another machine", "leave the secret out, or give the other side a token of its own" },
	{ K(SEND), Z(SYSTEM), 0, 0, 0, 0, 0, ACTION_DENY, "secret.send", "sends %p to another machine", "copy what is needed into the workspace and look at it first" },
	{ K(SEND), ANY, 0, 0, 0, 0, 0, ACTION_ALLOW, "net.send", "sends %p", NULL },	/* the host is judged by itself */

	/* git */
	{ K(GIT_LOSE), Z(EMPTY), 0, 0, 0, 0, 0, ACTION_ASK, "git.lose", "%w", "commit or stash first" },
	{ K(GIT_LOSE), ANY, 0, 0, 0, 0, G(CLEAN), ACTION_ALLOW, "git.lose.nothing", "nothing is changed there", NULL },
	{ K(GIT_LOSE), ANY, 0, 0, 0, 0, 0, ACTION_ASK, "git.lose", "%w", "commit or stash first" },
};

struct plain_row {
	enum effect_kind	 kind;
	const char		*scope;		/* NULL: any */
	enum action		 action;
	const char		*rule, *reason, *safer;
};

/* Effects without a path. First match per kind. */
static const struct plain_row plain_rows[] = {
	{ EFFECT_UNKNOWN, "program", ACTION_ASK, "unknown.program", "%w", "use a program that sbxterm knows" },
	{ EFFECT_UNKNOWN, NULL, ACTION_ASK, "unknown.command", "%w", "write it out plainly" },
	{ EFFECT_FETCH_CODE, NULL, ACTION_DENY, "net.code", "%w", "save it to a file in the workspace, look at it, then run it" },
	{ EFFECT_REMOTE_SHELL, NULL, ACTION_DENY, "net.shell", "%w", "use ssh to a host you know, outside the session" },
	{ EFFECT_PUBLISH, NULL, ACTION_ASK, "publish", "%w", "review it with git log @{u}.. (or the package with a dry run), then do it yourself" },
	{ EFFECT_GIT_HISTORY, NULL, ACTION_ASK, "git.history", "%w", "make a branch that keeps the old state first" },
	{ EFFECT_GIT_FORCE, "main", ACTION_DENY, "git.force.main", "%w", "push to a branch of your own and open a pull request" },
	{ EFFECT_GIT_FORCE, NULL, ACTION_ASK, "git.force", "%w", "use --force-with-lease on your own branch" },
	{ EFFECT_INSTALL, "workspace", ACTION_ALLOW, "install.workspace", "%w", NULL },
	{ EFFECT_INSTALL, "run", ACTION_ASK, "install.run", "%w", "install it into the workspace first" },
	{ EFFECT_INSTALL, NULL, ACTION_ASK, "install.outside", "%w", "install into the workspace" },
	{ EFFECT_PRIVILEGE, "host", ACTION_DENY, "privilege.host", "%w", "run it without the host's rights" },
	{ EFFECT_PRIVILEGE, NULL, ACTION_ASK, "privilege", "%w", "do it without root inside the workspace, or run it yourself outside the session" },
	{ EFFECT_PROCESS, "everything", ACTION_DENY, "process.all", "ends every process", "end only what you started" },
	{ EFFECT_PROCESS, NULL, ACTION_ASK, "process.end", "%w", "end only what you started, by its job number" },
	{ EFFECT_SERVICE, NULL, ACTION_ASK, "service", "%w", "look at its state with systemctl status or crontab -l, and change it yourself" },
	{ EFFECT_SYSTEM, "halt", ACTION_DENY, "system.halt", "stops or restarts the machine", "end the one program that hangs instead" },
	{ EFFECT_SYSTEM, "ruin", ACTION_DENY, "system.ruin", "%w", "work on an image file in the workspace" },
	{ EFFECT_SYSTEM, NULL, ACTION_ASK, "system", "%w", "look at the setting first, and change it yourself outside the session" },
	{ EFFECT_DATABASE, NULL, ACTION_ASK, "database", "%w", "run the same condition as a SELECT first, or use a copy of the database" },
	{ EFFECT_INFRA, NULL, ACTION_ASK, "infra", "%w", "see what would change first (--dry-run, plan, diff), and which cluster or account is meant" },
	{ EFFECT_SECRET, "keys", ACTION_DENY, "secret.show", "%w", "name the secret that is needed, and pass it on without showing it" },
	{ EFFECT_SECRET, "piped", ACTION_ALLOW, "secret.environment", "%w", NULL },
	{ EFFECT_SECRET, NULL, ACTION_ASK, "secret.show", "%w", "test that it is set instead: [ -n \"$NAME\" ] && echo set" },
	{ EFFECT_GUARD, NULL, ACTION_DENY, "guard", "%w", "the person changes sbxterm outside the session" },
	{ EFFECT_SHELL_STATE, NULL, ACTION_ASK, "state", "%w", "set it for one command alone, or run the program without it" },
	{ EFFECT_INTERACTIVE, NULL, ACTION_ALLOW, "interactive", "%w", NULL },
	{ EFFECT_EXHAUST, NULL, ACTION_DENY, "exhaust", "%w", "give it a limit: a count, timeout, or ulimit" },
};

/* What is not about one effect by a table. */
static const struct policy_rule other_rules[] = {
	{ "allow", ACTION_ALLOW, NULL },
	{ "net.listed", ACTION_ALLOW, NULL },
	{ "net.host", ACTION_ASK, SAFER_HOST },
	{ "secret.send", ACTION_DENY, SAFER_SEND },
	{ "secret.send", ACTION_ASK, SAFER_SEND },	/* data of which nobody knows what it is */
	{ "unknown.effect", ACTION_ASK, SAFER_EFFECT },
	{ "elsewhere", ACTION_ASK, SAFER_ELSEWHERE },
	{ "parse.error", ACTION_ASK, SAFER_PARSE },
	{ "parse.ambiguous", ACTION_ASK, SAFER_PARSE },
	{ "parse.too-big", ACTION_ASK, SAFER_SPLIT },
	{ "parse.dialect", ACTION_ASK, SAFER_SPLIT },
	{ "text.hidden", ACTION_ASK, SAFER_HIDDEN },
	{ "gate.internal", ACTION_ASK, SAFER_SPLIT },
};

/* ---- facts ----------------------------------------------------------------------------------------------- */

struct found {
	const struct effect	*effect;
	const struct path	*path;		/* NULL: plain */
	enum action		 action;
	const char		*rule, *reason, *safer;
};

static enum world_git git_state(const struct effects *fx, const struct path *p)
{
	if (!fx->world || !p->abs || (p->flags & PATH_PARTIAL))
		return WORLD_GIT_UNKNOWN;
	return fx->world->git(fx->world->arg, p->abs);
}

/* Is a directory read as a whole one in which a secret lies? */
static bool holds_secret(const struct effects *fx, const struct path *p)
{
	const char *home = fx->line->home ? fx->line->home : "";

	for (size_t i = 0; p->abs && i < fx->conf->nsecret; i++) {
		const char *s = fx->conf->secret[i], *cut = strpbrk(s, "*?[");
		size_t len = cut ? (size_t)(cut - s) : strlen(s);
		char *abs;

		if (strncmp(s, "~/", 2) != 0 && s[0] != '/')
			continue;
		abs = arena_printf(fx->mem, "%s%.*s", *s == '~' ? home : "", (int)(len - (*s == '~')), *s == '~' ? s + 1 : s);
		if (!abs)
			return true;
		while (strlen(abs) > 1 && abs[strlen(abs) - 1] == '/')
			abs[strlen(abs) - 1] = 0;
		if (!strcmp(abs, p->abs) || paths_below(abs, p->abs))
			return true;
	}
	return false;
}

static unsigned facts_of(struct effects *fx, const struct effect *e, const struct path *p)
{
	unsigned f = 0;

	if (e->kind == EFFECT_DELETE) {
		const struct made *m = effects_made(fx, p->abs);

		if (m && m->fresh && m->after <= (size_t)(e - fx->effect) && !(p->flags & (PATH_PARTIAL | PATH_GLOB)))
			f |= FACT_FRESH;
		if (p->type == WORLD_ABSENT)
			f |= FACT_ABSENT;
		if (p->zone == ZONE_WORKSPACE && !(p->flags & PATH_BUILD) && paths_is_output(&fx->paths, p->abs))
			f |= FACT_OUTPUT;
	}
	if (e->kind == EFFECT_MOVE && e->to) {
		const struct path *to = paths_word(&fx->paths, e->to, e->cmd->cwd, true);

		if (to->zone == ZONE_SINK)
			f |= FACT_TO_SINK;
	}
	if (e->kind == EFFECT_READ && (e->flags & EFFECT_RECURSIVE) && p->zone == ZONE_HOME && holds_secret(fx, p))
		f |= FACT_HOLDS_SECRET;
	return f;
}

static bool row_fits(const struct row *r, const struct effect *e, const struct path *p, unsigned facts)
{
	return (r->kinds & (1u << e->kind)) && (r->zones & (1u << p->zone)) && (!r->need || (p->flags & r->need)) &&
	       !(p->flags & r->not) && (!r->eneed || (e->flags & r->eneed)) && (facts & r->fneed) == r->fneed;
}

static void judge_path(struct effects *fx, struct found *f)
{
	const struct effect *e = f->effect;
	unsigned facts = facts_of(fx, e, f->path);
	enum world_git git = WORLD_GIT_UNKNOWN;
	bool asked = false;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		if (!row_fits(r, e, f->path, facts))
			continue;
		if (r->git && !asked) {
			git = git_state(fx, f->path);
			asked = true;
		}
		if (r->git && !(r->git & (1u << git)))
			continue;
		f->action = r->action;
		f->rule = r->rule;
		f->reason = r->reason;
		f->safer = r->safer;
		return;
	}
	f->action = ACTION_ASK;
	f->rule = "unknown.effect";
	f->reason = "%w %p";
	f->safer = SAFER_EFFECT;
}

static const struct plain_row *plain_row(enum effect_kind kind, const char *scope)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain_rows); i++) {
		const struct plain_row *r = &plain_rows[i];

		if (r->kind == kind && (!r->scope || (scope && !strcmp(r->scope, scope))))
			return r;
	}
	return NULL;
}

static void judge_plain(struct found *f)
{
	const struct plain_row *r = plain_row(f->effect->kind, f->effect->scope);

	if (!r)
		return;		/* stays "unknown.effect" */
	f->action = r->action;
	f->rule = r->rule;
	f->reason = r->reason;
	f->safer = r->safer;
}

/* ---- hosts -------------------------------------------------------------------------------------------------- */

static bool is_local(const char *host)
{
	static const char *const names[] = { "localhost", "127.*", "0.0.0.0", "[[]::1]", "::1", "*.localhost", "host.docker.internal" };
	char name[256];
	size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

	if (n >= sizeof(name))
		return false;
	if (*host == ':')
		return true;	/* :8080, as httpie and others have it */
	memcpy(name, host, n);
	name[n] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!fnmatch(names[i], name, FNM_CASEFOLD)) {
			/* 127.0.0.1.example.org is somebody else */
			if (strncmp(name, "127.", 4) != 0 || strspn(name, "0123456789.") == n)
				return true;
		}
	}
	return false;
}

static bool same_host(const char *pattern, const char *host)
{
	size_t n = strcspn(host, ":");
	char name[256];

	if (n >= sizeof(name))
		return false;
	memcpy(name, host, n);
	name[n] = 0;
	return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
}

/* The host of the repository's own remote. */
static bool is_remote(const struct effects *fx, const char *host)
{
	const struct world *w = fx->world;
	const char *url = w ? w->git_remote_url(w->arg, fx->line->workspace, "origin") : NULL;
	size_t n = strcspn(host, ":");

	return url && n && strstr(url, host) && memmem(url, strlen(url), host, n);
}

static void judge_host(const struct effects *fx, struct found *f)
{
	const char *host = f->effect->host;
	bool good = host && is_local(host);

	for (size_t i = 0; host && !good && i < fx->conf->nregistry; i++)
		good = same_host(fx->conf->registry[i], host);
	if (host && !good && f->effect->scope && !strcmp(f->effect->scope, "git"))
		good = is_remote(fx, host);
	f->action = good ? ACTION_ALLOW : ACTION_ASK;
	f->rule = good ? "net.listed" : "net.host";
	f->reason = host ? arena_printf(fx->mem, "reaches %s", host) : "reaches a host that cannot be told before it runs";
	f->safer = good ? NULL : SAFER_HOST;
}

/* ---- one effect ------------------------------------------------------------------------------------------------ */

static bool has_path(const struct effect *e)
{
	return e->path && (1u << e->kind) & (CHANGES | K(READ) | K(DEVICE) | K(EXEC) | K(SEND) | K(GIT_LOSE));
}

/* The path of a command as a whole: everything of the repository. */
static const struct path *whole_repo(struct effects *fx, const struct effect *e)
{
	const struct world *w = fx->world;
	const char *root = w && e->cmd->cwd ? w->git_root(w->arg, e->cmd->cwd) : NULL;

	return paths_text(&fx->paths, root ? root : e->cmd->cwd ? e->cmd->cwd : fx->line->workspace, "/", true);
}

/* What a script or task of the project does inside the project is its own business, and what is not understood in it is
 * held by the sandbox; what reaches beyond is asked as if it stood on the line. */
static bool is_own_business(const struct found *f)
{
	const struct effect *e = f->effect;

	if (!e->file || f->action != ACTION_ASK)
		return false;
	if (f->path)
		return (1u << f->path->zone) & (Z(WORKSPACE) | Z(SCRATCH) | Z(UNKNOWN) | Z(EMPTY)) &&
		       !(f->path->flags & (PATH_GIT | PATH_PROTECTED | PATH_SECRET));
	return (1u << e->kind) & (K(UNKNOWN) | K(SHELL_STATE) | K(NET) | K(INTERACTIVE) | K(PROCESS) | K(GIT_LOSE));
}

/* In a container or on another machine the places of this one mean nothing: reading is fine, a change is a question, and
 * what would ruin a part of the system here may be what the container is for. */
static void judge_elsewhere(struct found *f)
{
	const struct effect *e = f->effect;
	bool sink = f->path && f->path->zone == ZONE_SINK;

	if (!(e->flags & EFFECT_REMOTE) || sink || (1u << e->kind) & (K(NONE) | K(READ) | K(NET)))
		return;
	if (f->action == ACTION_DENY && !((1u << e->kind) & CHANGES && f->path && f->path->zone == ZONE_SYSTEM))
		return;
	if (f->action == ACTION_ASK)
		return;
	f->action = ACTION_ASK;
	f->rule = "elsewhere";
	f->reason = f->path ? "%w %p in a container or on another machine" : "%w in a container or on another machine";
	f->safer = SAFER_ELSEWHERE;
}

static struct found judge_effect(struct effects *fx, const struct effect *e)
{
	struct found f = { .effect = e, .action = ACTION_ASK, .rule = "unknown.effect", .reason = "%w", .safer = SAFER_EFFECT };

	if (e->kind == EFFECT_NET) {
		judge_host(fx, &f);
	} else if (e->kind == EFFECT_NONE) {
		f.action = ACTION_ALLOW;
	} else if (e->kind == EFFECT_GIT_LOSE && !e->path) {
		f.path = whole_repo(fx, e);
		judge_path(fx, &f);
	} else if (has_path(e)) {
		bool follow = !((1u << e->kind) & (K(DELETE) | K(MOVE)));

		f.path = paths_word(&fx->paths, e->path, e->cmd->cwd, follow);
		judge_path(fx, &f);
	} else if (e->kind == EFFECT_SEND) {
		f.action = (e->flags & EFFECT_OF_SECRET) ? ACTION_DENY : ACTION_ASK;
		f.rule = "secret.send";
		f.reason = "%w to another machine";
		f.safer = SAFER_SEND;
	} else {
		judge_plain(&f);
	}
	judge_elsewhere(&f);
	if (is_own_business(&f))
		f.action = ACTION_ALLOW;
	return f;
}

/* ---- words of the verdict ------------------------------------------------------------------------------------------ */

static void add_shown(struct buf *out, const char *s)
{
	quote_into(out, s, strlen(s));
}

static const char *fill_in(struct effects *fx, const struct found *f)
{
	struct buf out;
	const char *r;

	buf_init(&out, 4096);
	for (r = f->reason ? f->reason : ""; *r; r++) {
		if (r[0] == '%' && r[1] == 'w') {
			buf_adds(&out, f->effect->what ? f->effect->what : effect_name[f->effect->kind]);
			r++;
		} else if (r[0] == '%' && r[1] == 'p') {
			add_shown(&out, f->path && f->path->shown ? f->path->shown : "it");
			r++;
		} else {
			buf_addc(&out, *r);
		}
	}
	char *copy = arena_strndup(fx->mem, buf_str(&out), out.len);

	buf_done(&out);
	return copy ? copy : "";
}

/* The word that the verdict is about. */
static const struct word *blamed_word(const struct effect *e)
{
	if (e->path && e->path->nvar)
		return e->path;
	for (size_t i = 0; i < e->cmd->argc; i++) {
		if (e->cmd->argv[i].nvar)
			return &e->cmd->argv[i];
	}
	return e->path;
}

/* "OUTPUT is unset" belongs into the sentence; a folder with the literal name is worth a word. */
static void add_variables(struct effects *fx, struct verdict *v, const struct effect *e)
{
	const struct word *w = blamed_word(e);
	const struct world *world = fx->world;

	if (!w)
		return;
	v->var = w->var;
	v->nvar = w->nvar;
	for (size_t i = 0; i < w->nvar; i++) {
		const struct word_var *var = &w->var[i];
		char *literal = arena_printf(fx->mem, "%s/$%s", e->cmd->cwd ? e->cmd->cwd : "", var->name);
		enum world_type type = literal && world && e->cmd->cwd ? world->type(world->arg, literal) : WORLD_UNKNOWN;

		if (var->state == LIVE_UNSET && e->path == w)
			v->reason = arena_printf(fx->mem, "%s (%s is unset)", v->reason, var->name);
		if (type != WORLD_UNKNOWN && type != WORLD_ABSENT)
			v->safer = arena_printf(fx->mem, "a folder here is really called $%s; it is spelled '$%s' in single quotes",
						var->name, var->name);
		if (!v->reason)
			v->reason = "";
	}
	if (!w->nvar && e->path && world && e->cmd->cwd && fx->line->home && e->path->kind == WORD_EXACT &&
	    !strcmp(e->path->text, fx->line->home)) {
		char *literal = arena_printf(fx->mem, "%s/~", e->cmd->cwd);
		enum world_type type = literal ? world->type(world->arg, literal) : WORLD_UNKNOWN;

		if (type != WORLD_UNKNOWN && type != WORLD_ABSENT)
			v->safer = "a folder here is really called ~; it is spelled ./~";
	}
}

static const char *state_phrase(struct effects *fx, const struct path *p)
{
	static const char *const git[] = {
		[WORLD_GIT_UNKNOWN]	= NULL,
		[WORLD_GIT_CLEAN]	= "tracked, unchanged",
		[WORLD_GIT_DIRTY]	= "tracked, changed",
		[WORLD_GIT_UNTRACKED]	= "untracked",
		[WORLD_GIT_IGNORED]	= "ignored",
		[WORLD_GIT_NONE]	= "not in a repository",
	};
	const char *s = p->zone == ZONE_WORKSPACE || p->zone == ZONE_WORKSPACE_ROOT ? git[git_state(fx, p)] : NULL;

	return s ? s : zone_phrase[p->zone];
}

/* What would be hit: only for a person who is asked or told, so counting is worth its time. */
static void add_targets(struct effects *fx, struct verdict *v)
{
	struct target *list = arena_alloc(fx->mem, POLICY_TARGETS * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i < fx->n && n < POLICY_TARGETS; i++) {
		const struct effect *e = &fx->effect[i];
		const struct path *p;
		struct target *t;

		if (!e->path || !((1u << e->kind) & (K(DELETE) | K(OVERWRITE) | K(MOVE) | K(MODE) | K(GIT_LOSE) | K(DEVICE))))
			continue;
		p = paths_word(&fx->paths, e->path, e->cmd->cwd, false);
		if (p->zone == ZONE_SINK)
			continue;
		t = &list[n++];
		*t = (struct target){ .path = p->shown, .how = e->what ? e->what : effect_name[e->kind], .state = state_phrase(fx, p) };
		if (fx->world && p->abs && e->kind == EFFECT_DELETE && !(p->flags & PATH_PARTIAL)) {
			size_t files = 0, bytes = 0;

			if (fx->world->count(fx->world->arg, p->abs, &files, &bytes, &t->cut) == 0)
				t->files = files;
		}
	}
	v->target = list;
	v->ntarget = n;
}

void policy_word(struct buf *out, const struct word *w)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,";
	const char *t = w->kind == WORD_UNKNOWN ? NULL : w->text;

	if (!t) {
		buf_addf(out, "%s<%s>%s", w->prefix ? w->prefix : "", w->why ? w->why : "unknown", w->suffix ? w->suffix : "");
	} else if (w->kind == WORD_PATTERN || (*t && !t[strspn(t, plain)])) {
		buf_adds(out, t);
	} else {
		buf_addc(out, '\'');
		for (; *t; t++) {
			if (*t == '\'')
				buf_adds(out, "'\\''");
			else
				buf_addc(out, *t);
		}
		buf_addc(out, '\'');
	}
}

static const char *meaning(struct effects *fx)
{
	struct buf out;
	char *copy;

	buf_init(&out, MEANING_BYTES);
	for (size_t i = 0; i < fx->ncmd; i++) {
		const struct simple *s = fx->cmd[i];

		if (s->depth || (s->flags & (SIMPLE_DEFINED | SIMPLE_ALSO)) || !s->argc)
			continue;
		if (out.len)
			buf_adds(&out, "; ");
		for (size_t k = 0; k < s->argc; k++) {
			if (k)
				buf_addc(&out, ' ');
			policy_word(&out, &s->argv[k]);
		}
	}
	copy = arena_strndup(fx->mem, buf_str(&out), out.len);
	buf_done(&out);
	return copy ? copy : "";
}

/* ---- user rules ------------------------------------------------------------------------------------------------------ */

enum fit { FIT_NO = 0, FIT_MAYBE, FIT_YES };

/* A word that is not known in full: could it be this one? */
static bool may_be(const struct word *w, const char *any)
{
	size_t n = strlen(any), front = w->prefix ? strlen(w->prefix) : 0, back = w->suffix ? strlen(w->suffix) : 0;

	if (w->kind == WORD_PATTERN)
		return fnmatch(w->text, any, 0) == 0;
	return n >= front + back && !strncmp(any, w->prefix ? w->prefix : "", front) && !strcmp(any + n - back, w->suffix ? w->suffix : "");
}

/* A rule for "ls" speaks of /bin/ls too; one that allows does not speak of ./ls, nor of what is not known. */
static enum fit word_fits(const struct conf_word *c, const struct word *w, bool program, bool allows)
{
	const char *base;
	enum fit best = FIT_NO;

	if (!c->nany)
		return FIT_YES;
	if (w->kind != WORD_EXACT) {
		for (size_t i = 0; i < c->nany && !allows && !program; i++)
			best = may_be(w, c->any[i]) ? FIT_MAYBE : best;
		return best;
	}
	base = program && strrchr(w->text, '/') && (!allows || effects_in_bin(w->text)) ? strrchr(w->text, '/') + 1 : w->text;
	for (size_t i = 0; i < c->nany; i++) {
		if (!strcmp(c->any[i], w->text) || !strcmp(c->any[i], base))
			return FIT_YES;
	}
	return FIT_NO;
}

static enum fit rule_fits(const struct conf_rule *r, const struct simple *s)
{
	enum fit all = FIT_YES;

	if (r->nargv > s->argc || !r->nargv)
		return FIT_NO;
	for (size_t k = 0; k < r->nargv && all; k++) {
		enum fit f = word_fits(&r->argv[k], &s->argv[k], k == 0, r->action == CONF_ALLOW);

		all = MIN(all, f);
	}
	return all;
}

/* Strictest of the person's rules for one command; NULL when none speaks. What may be denied is asked. */
static const struct conf_rule *user_rule(const struct effects *fx, const struct simple *s, enum action *action)
{
	const struct conf_rule *best = NULL;

	for (size_t i = 0; i < fx->conf->nrule; i++) {
		const struct conf_rule *r = &fx->conf->rule[i];
		enum fit fit = rule_fits(r, s);
		enum action a = fit == FIT_MAYBE ? ACTION_ASK : (enum action)r->action;

		if (fit && (!best || a < *action)) {
			best = r;
			*action = a;
		}
	}
	return best;
}

/* The rule that lifts the question of this effect; NULL: none does. */
static const struct conf_rule *apply_user(const struct effects *fx, struct found *f)
{
	enum action a = ACTION_ASK;
	const struct conf_rule *r = user_rule(fx, f->effect->cmd, &a);

	if (!r || a != ACTION_ALLOW || f->action != ACTION_ASK || (f->effect->flags & EFFECT_AROUND))
		return NULL;
	f->action = ACTION_ALLOW;
	f->rule = r->id;
	f->safer = NULL;
	return r;
}

/* ---- all together ------------------------------------------------------------------------------------------------------ */

/* "scripts/clean.sh line 4: deletes /": what is to blame does not stand on the line. */
static const char *in_file(struct effects *fx, const struct effect *e, const char *reason)
{
	size_t n = fx->line->workspace ? strlen(fx->line->workspace) : 0;
	const char *name = n && paths_below(e->file, fx->line->workspace) ? e->file + n + 1 : e->file;
	struct buf shown;
	char *text;

	buf_init(&shown, 4096);
	add_shown(&shown, name);
	text = e->line ? arena_printf(fx->mem, "%s line %u: %s", buf_str(&shown), e->line, reason) :
			 arena_printf(fx->mem, "%s: %s", buf_str(&shown), reason);
	buf_done(&shown);
	return text ? text : reason;
}

static void take(struct verdict *v, struct effects *fx, const struct found *f)
{
	v->action = f->action;
	v->rule = f->rule;
	v->reason = fill_in(fx, f);
	if (f->effect->file)
		v->reason = in_file(fx, f->effect, v->reason);
	v->safer = f->action == ACTION_ALLOW ? NULL : f->safer;
	v->blame = f->effect->span;
	v->var = NULL;
	v->nvar = 0;
	if (f->action != ACTION_ALLOW)
		add_variables(fx, v, f->effect);
}

static void take_user(struct verdict *v, struct effects *fx, const struct conf_rule *r, const struct simple *s, enum action a)
{
	v->action = a;
	v->rule = r->id;
	v->reason = r->reason;
	if (a != (enum action)r->action)
		v->reason = arena_printf(fx->mem, "a word that is not known may be what a rule denies: %s", r->reason);
	v->safer = r->safer ? r->safer : arena_printf(fx->mem, "ask the person, whose rule it is (%s:%u)", r->file, r->line);
	v->blame = s->span;
	v->var = NULL;
	v->nvar = 0;
}

bool policy_rule(size_t i, struct policy_rule *out)
{
	const size_t np = ARRAY_SIZE(rows), nq = np + ARRAY_SIZE(plain_rows);

	if (i < np)
		*out = (struct policy_rule){ rows[i].rule, rows[i].action, rows[i].safer };
	else if (i < nq)
		*out = (struct policy_rule){ plain_rows[i - np].rule, plain_rows[i - np].action, plain_rows[i - np].safer };
	else if (i < nq + ARRAY_SIZE(other_rules))
		*out = other_rules[i - nq];
	else
		return false;
	return true;
}

bool policy_usual(enum effect_kind kind, const char *scope, struct policy_rule *out)
{
	const struct plain_row *r = plain_row(kind, scope);

	if (!r || kind == EFFECT_GIT_LOSE)
		return false;
	*out = (struct policy_rule){ r->rule, r->action, r->safer };
	return true;
}

struct policy_rule policy_effect(struct effects *fx, const struct effect *e)
{
	struct found f = judge_effect(fx, e);

	apply_user(fx, &f);
	return (struct policy_rule){ f.rule, f.action, f.safer };
}

bool policy_hides_lines(const struct effect *e)
{
	return e->kind == EFFECT_INTERACTIVE && !(e->scope && !strcmp(e->scope, "keys"));
}

void policy_judge(struct effects *fx, const struct expand_gap *gap, size_t ngap, struct verdict *v)
{
	*v = (struct verdict){
		.action = ACTION_ALLOW, .rule = "allow", .reason = "nothing here can do harm that git or the sandbox does not hold",
		.cmd = fx->cmd, .ncmd = fx->ncmd, .effect = fx->effect, .neffect = fx->n,
	};
	for (size_t i = 0; i < fx->n; i++) {
		const struct conf_rule *lifted;
		struct found f;

		fx->paths.at = i;
		f = judge_effect(fx, &fx->effect[i]);
		v->interactive = v->interactive || policy_hides_lines(&fx->effect[i]);
		lifted = apply_user(fx, &f);
		if (f.action < v->action) {
			take(v, fx, &f);
		} else if (lifted && v->action == ACTION_ALLOW) {
			v->rule = lifted->id;
			v->reason = lifted->reason;
		}
	}
	fx->paths.at = SIZE_MAX;
	for (size_t i = 0; i < fx->ncmd; i++) {
		enum action a = ACTION_ASK;
		const struct conf_rule *r = user_rule(fx, fx->cmd[i], &a);

		if (r && a < v->action)
			take_user(v, fx, r, fx->cmd[i], a);
	}
	if (ngap && v->action == ACTION_ALLOW) {
		v->action = ACTION_ASK;
		v->rule = gap[0].rule ? gap[0].rule : "parse.error";
		v->reason = gap[0].why ? gap[0].why : "the line could not be understood";
		v->safer = SAFER_PARSE;
		v->blame = gap[0].span;
	}
	v->incomplete = ngap && gap[0].incomplete;
	if (fx->too_big && v->action == ACTION_ALLOW) {
		v->action = ACTION_ASK;
		v->rule = "parse.too-big";
		v->reason = "the line is too big to be judged as a whole";
		v->safer = SAFER_SPLIT;
	}
	if (v->action != ACTION_ALLOW)
		add_targets(fx, v);
	v->meaning = meaning(fx);
}

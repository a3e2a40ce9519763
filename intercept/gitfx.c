/* intercept/gitfx.c - what git commands lose, rewrite and publish */
#include "intercept/gitfx.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "intercept/special.h"

static const char *exact(const struct word *w)
{
	return w && w->kind == WORD_EXACT ? w->text : "";
}

static void lose_all(struct effects *fx, const struct args *a, const char *what)
{
	effects_plain(fx, a->cmd, EFFECT_GIT_LOSE, what)->flags |= EFFECT_ALL;
}

static void lose_path(struct effects *fx, const struct args *a, const struct word *w, const char *what)
{
	effects_path(fx, a->cmd, EFFECT_GIT_LOSE, w, what)->flags |= EFFECT_RECURSIVE;
}

/* ---- keys of git's configuration whose values are run --------------------------------------------- */

bool gitfx_key_runs(const char *key)
{
	static const char *const glob[] = {
		"alias.*", "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.hookspath", "core.askpass",
		"core.gitproxy", "core.alternaterefscommand", "diff.external", "diff.*.command", "diff.*.textconv",
		"difftool.*.cmd", "mergetool.*.cmd", "merge.*.driver", "filter.*.clean", "filter.*.smudge", "filter.*.process",
		"gpg.program", "gpg.*.program", "pager.*", "sequence.editor", "credential.helper", "credential.*.helper",
		"interactive.difffilter", "remote.*.uploadpack", "remote.*.receivepack", "remote.*.proxy", "ssh.variant",
		"sendemail.*", "uploadpack.packobjectshook", "web.browser", "browser.*.cmd", "man.*.cmd", "trailer.*.command",
		"submodule.*.update", "include.path", "includeif.*", "init.templatedir", "protocol.*.allow", "http.proxy",
		"url.*", "safe.directory",
	};

	for (size_t i = 0; i < ARRAY_SIZE(glob); i++) {
		if (fnmatch(glob[i], key, FNM_CASEFOLD) == 0)
			return true;
	}
	return false;
}

int gitfx_setting(struct effects *fx, const struct simple *s, const char *key, const struct word *value)
{
	const char *t;

	if (!gitfx_key_runs(key) || (value->kind == WORD_EXACT && !*value->text))
		return 0;
	if (value->kind != WORD_EXACT || !strcasecmp(key, "core.hooksPath") || !strncasecmp(key, "include", 7) || !strncasecmp(key, "url.", 4)) {
		effects_path(fx, s, EFFECT_SHELL_STATE, value, "changes what git runs")->path = NULL;
		return 0;
	}
	t = value->text;
	if (!strncasecmp(key, "alias.", 6) && *t != '!')
		return 0;	/* another git command: its name is judged as an unknown subcommand */
	t += *t == '!';
	return effects_text(fx, s, "sh", t, strlen(t), value->span);
}

/* git -c key=value: the value is run now, by this very command. */
static int global_settings(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noption; i++) {
		const struct arg_option *o = &a->option[i];
		const char *t, *eq;
		char *key;
		struct word value;

		if (!o->option || (strcmp(o->option->name, "-c") != 0 && strcmp(o->option->name, "--config-env") != 0))
			continue;
		if (!o->value || o->value->kind != WORD_EXACT || !strcmp(o->option->name, "--config-env")) {
			effects_path(fx, a->cmd, EFFECT_UNKNOWN, o->word, "a git setting that is not known");
			continue;
		}
		t = o->value->text;
		eq = strchr(t, '=');
		key = arena_strndup(fx->mem, t, eq ? (size_t)(eq - t) : strlen(t));
		if (!key || !eq)
			continue;
		value = effects_word(o->value, eq + 1);
		if (gitfx_setting(fx, a->cmd, key, effects_keep(fx, value)) < 0)
			return -1;
	}
	return 0;
}

static int git_config(struct effects *fx, const struct args *a)
{
	static const char *const reads[] = {
		"get", "get-all", "get-regexp", "l", "list", "get-urlmatch", "get-color", "get-colorbool",
	};
	bool read = a->noperand == 1;
	const struct word *key = a->noperand ? a->operand[0] : NULL;
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(reads); i++)
		read = read || args_has(a, reads[i]);
	if (key && (!strcmp(key->text ? key->text : "", "get") || !strcmp(key->text ? key->text : "", "list")))
		read = true;
	if (read || (!a->noperand && !args_has(a, "e")))
		return 0;
	if (key && (!strcmp(exact(key), "set") || !strcmp(exact(key), "unset")) && a->noperand > 1)
		key = a->operand[++at];
	if (args_has(a, "global") || args_has(a, "system"))
		effects_path(fx, a->cmd, EFFECT_SHELL_STATE, key, "changes git's settings for every project");
	else if (!key || key->kind != WORD_EXACT || gitfx_key_runs(key->text) || args_has(a, "e"))
		effects_path(fx, a->cmd, EFFECT_SHELL_STATE, key, "changes what git runs");
	return 0;
}

/* ---- working tree ------------------------------------------------------------------------------------ */

static bool is_path_word(struct effects *fx, const struct args *a, const struct word *w)
{
	const struct path *p;

	if (w->kind != WORD_EXACT)
		return true;
	if (!strcmp(w->text, ".") || !strcmp(w->text, "..") || !strncmp(w->text, "./", 2) || !strncmp(w->text, "../", 3) ||
	    w->text[0] == '/' || w->text[0] == ':')
		return true;
	p = paths_word(&fx->paths, w, a->cmd->cwd, false);
	return p->type == WORLD_FILE || p->type == WORLD_DIR || p->type == WORLD_LINK;
}

static int git_checkout(struct effects *fx, const struct args *a)
{
	static const char what[] = "replaces changed files by the ones of a commit";
	bool creates = args_has(a, "b") || args_has(a, "orphan") || args_has(a, "t");
	size_t first = 0;

	if (args_has(a, "B"))
		effects_plain(fx, a->cmd, EFFECT_GIT_HISTORY, "moves a branch");
	if (args_has(a, "f"))
		lose_all(fx, a, what);
	if (creates || args_has(a, "B"))
		return 0;
	if (a->dashdash) {
		for (size_t i = 0; i < a->noperand; i++) {
			if (a->operand_at[i] >= a->dashdash_at)
				lose_path(fx, a, a->operand[i], what);
		}
		return 0;
	}
	if (a->noperand == 1 && !is_path_word(fx, a, a->operand[0]))
		return 0;		/* a branch: git refuses where changes would be lost */
	if (a->noperand > 1 && !is_path_word(fx, a, a->operand[0]))
		first = 1;
	for (size_t i = first; i < a->noperand; i++)
		lose_path(fx, a, a->operand[i], what);
	return 0;
}

static int git_restore(struct effects *fx, const struct args *a)
{
	bool staged = args_has(a, "S") || args_has(a, "staged"), tree = args_has(a, "W") || args_has(a, "worktree");

	if (staged && !tree)
		return 0;
	for (size_t i = 0; i < a->noperand; i++)
		lose_path(fx, a, a->operand[i], "replaces changed files by the ones of a commit");
	return 0;
}

static int git_reset(struct effects *fx, const struct args *a)
{
	const char *to = a->noperand ? exact(a->operand[0]) : "HEAD";

	if (!args_has(a, "hard") && !args_has(a, "merge") && !args_has(a, "keep"))
		return 0;
	lose_all(fx, a, "throws uncommitted changes away");
	if (strcmp(to, "HEAD") != 0 && strcmp(to, "@") != 0)
		effects_path(fx, a->cmd, EFFECT_GIT_HISTORY, a->operand[0], "moves the branch to another commit");
	return 0;
}

static int git_rm(struct effects *fx, const struct args *a)
{
	if (args_has(a, "cached") || args_has(a, "n") || args_has(a, "dry-run"))
		return 0;
	for (size_t i = 0; i < a->noperand; i++) {
		const struct path *p = paths_word(&fx->paths, a->operand[i], a->cmd->cwd, false);

		/* without -f git itself refuses files that it could not give back */
		if (!args_has(a, "f") && p->zone == ZONE_WORKSPACE)
			continue;
		effects_path(fx, a->cmd, EFFECT_DELETE, a->operand[i], "deletes")->flags |= EFFECT_RECURSIVE;
	}
	return 0;
}

/* ---- push ---------------------------------------------------------------------------------------------- */

static bool is_main(const struct effects *fx, const char *branch)
{
	if (!strncmp(branch, "refs/heads/", 11))
		branch += 11;
	for (size_t i = 0; i < fx->conf->nmain_branch; i++) {
		if (!strcmp(branch, fx->conf->main_branch[i]) || (strchr(branch, '*') && !fnmatch(branch, fx->conf->main_branch[i], 0)))
			return true;
	}
	return false;
}

static const char *current_branch(const struct effects *fx, const struct simple *s)
{
	const struct world *w = fx->world;

	return w && s->cwd ? w->git_branch(w->arg, s->cwd) : NULL;
}

struct push {
	bool	force, lease, all, removes;
};

static void push_force(struct effects *fx, const struct args *a, const struct word *w, const char *branch, bool removes)
{
	struct effect *e = effects_path(fx, a->cmd, EFFECT_GIT_FORCE, w,
					removes ? "deletes a branch on the remote" : "overwrites a branch on the remote");

	e->path = NULL;
	e->scope = branch && is_main(fx, branch) ? "main" : "other";
	if (branch)
		e->what = arena_printf(fx->mem, removes ? "deletes the branch %s on the remote" :
				       "overwrites the branch %s on the remote", branch);
	if (!e->what)
		e->what = "overwrites a branch on the remote";
}

/* [+][src][:dst] */
static void push_ref(struct effects *fx, const struct args *a, const struct push *p, const struct word *w)
{
	const char *t = w->kind == WORD_EXACT || w->kind == WORD_PATTERN ? w->text : NULL, *dst;
	bool plus, removes;

	if (!t) {
		if (p->force || p->removes)
			push_force(fx, a, w, NULL, p->removes);
		return;
	}
	plus = *t == '+';
	t += plus;
	dst = strchr(t, ':') ? strchr(t, ':') + 1 : t;
	removes = p->removes || *t == ':';
	if (!strcmp(dst, "HEAD") || !strcmp(dst, "@"))
		dst = current_branch(fx, a->cmd);
	if (plus || removes || p->force)
		push_force(fx, a, w, dst, removes);
}

static int git_push(struct effects *fx, const struct args *a)
{
	struct push p = {
		.force = args_has(a, "f"), .all = args_has(a, "mirror") || args_has(a, "all"), .removes = args_has(a, "d"),
	};
	struct effect *e;

	if (args_has(a, "n") || args_has(a, "dry-run"))
		return 0;
	if (effects_tables(fx, a) < 0)
		return -1;
	e = effects_plain(fx, a->cmd, EFFECT_PUBLISH, "publishes to the remote");
	e->scope = "git";
	if (args_has(a, "mirror") || (args_has(a, "prune") && !a->noperand)) {
		push_force(fx, a, NULL, fx->conf->nmain_branch ? fx->conf->main_branch[0] : NULL, false);
		return 0;
	}
	if (p.all && p.force) {
		push_force(fx, a, NULL, fx->conf->nmain_branch ? fx->conf->main_branch[0] : NULL, false);
		return 0;
	}
	if (a->noperand < 2 && (p.force || p.removes))
		push_force(fx, a, NULL, current_branch(fx, a->cmd), p.removes);
	for (size_t i = 1; i < a->noperand; i++)
		push_ref(fx, a, &p, a->operand[i]);
	return 0;
}

/* ---- remotes --------------------------------------------------------------------------------------------- */

static bool is_address(const char *t)
{
	return strstr(t, "://") || (strchr(t, '@') && strchr(t, ':')) || !strncmp(t, "ext::", 5);
}

/* clone, fetch, pull, ls-remote, submodule add: a name of a remote is the repository's own business. */
static int git_remote(struct effects *fx, const struct args *a)
{
	if (effects_tables(fx, a) < 0)
		return -1;
	for (size_t i = 0; i < a->noperand; i++) {
		const struct word *w = a->operand[i];
		const char *t = w->kind == WORD_UNKNOWN ? w->prefix : w->text;

		if (t && !strncmp(t, "ext::", 5)) {
			if (effects_text(fx, a->cmd, "sh", t + 5, strlen(t + 5), w->span) < 0)
				return -1;
		} else if (t && is_address(t) && !strstr(t, "file://")) {
			effects_host(fx, a->cmd, w, w->kind == WORD_EXACT ? t : NULL);
			fx->effect[fx->n - 1].scope = "git";
		}
	}
	if (!strcmp(args_node(a)->name[0], "clone") && a->noperand > 1)
		effects_path(fx, a->cmd, EFFECT_WRITE, a->operand[1], "makes");
	return 0;
}

/* ---- entry ------------------------------------------------------------------------------------------------- */

static int git_any(struct effects *fx, const struct args *a)
{
	return effects_tables(fx, a);
}

static const struct { const char *name; special_fn *fn; } hooks[] = {
	{ "git",		git_any },
	{ "git-config",		git_config },
	{ "git-checkout",	git_checkout },
	{ "git-restore",	git_restore },
	{ "git-reset",		git_reset },
	{ "git-rm",		git_rm },
	{ "git-push",		git_push },
	{ "git-remote",		git_remote },
};

/* Which hook runs is decided by the innermost node; the settings of the command come first for all. */
static special_fn *chosen(const struct args *a)
{
	const char *name = args_node(a)->special;

	for (size_t i = 1; name && i < ARRAY_SIZE(hooks); i++) {
		if (!strcmp(hooks[i].name, name))
			return hooks[i].fn;
	}
	return git_any;
}

static int git_entry(struct effects *fx, const struct args *a)
{
	if (global_settings(fx, a) < 0)
		return -1;
	return chosen(a)(fx, a);
}

special_fn *gitfx_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!strcmp(hooks[i].name, name))
			return git_entry;
	}
	return NULL;
}

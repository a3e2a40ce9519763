/* intercept/verbs.c - tools whose words say what they do */
#include "intercept/verbs.h"

#include <fnmatch.h>
#include <string.h>

struct verbs {
	const char		*hook;
	enum effect_kind	 kind;
	const char		*scope;
	const char		*what;
	bool			 any;		/* a match in any operand counts, not only in the first one */
	bool			 unless;	/* the words are the harmless ones; anything else has the effect */
	const char *const	*word;		/* globs, NULL at the end */
	const char		*dry;		/* option that makes it harmless, or NULL */
};

#define WORDS(...) (const char *const []){ __VA_ARGS__, NULL }

static const struct verbs table[] = {
	{ "publish-word", EFFECT_PUBLISH, NULL, "publishes", false, false,
	  WORDS("publish", "deploy", "release", "upload", "push", "publish-*"), "dry-run" },
	{ "task-name", EFFECT_PUBLISH, NULL, "runs a task that by its name publishes or destroys", false, false,
	  WORDS("deploy*", "publish*", "release", "destroy*", "*:prod", "db:drop", "db:reset"), "dry-run" },
	{ "migrate", EFFECT_DATABASE, NULL, "changes a database", true, false,
	  WORDS("reset", "*:reset", "drop", "*:drop*", "*:undo*", "downgrade", "down", "rollback", "*:rollback*", "undo", "fresh", "clean",
		"wipe", "drop-all", "dropAll", "rollback*", "push", "deploy", "upgrade", "up", "apply", "migrate", "*:migrate*", "execute", "update", "*:seed*", "seed", "repair", "*:sync"), NULL },
	{ "framework", EFFECT_DATABASE, NULL, "changes a database", true, false,
	  WORDS("flush", "migrate:fresh", "migrate:reset", "migrate:rollback", "migrate:refresh", "db:drop*", "db:reset*", "db:wipe", "db:schema:load",
		"db:purge*", "db:rollback", "db:truncate*", "reset_db", "sqlflush", "db:setup", "db:seed:replant", "schema:drop", "doctrine:schema:drop", "doctrine:database:drop",
		"loaddata", "site-install", "sql-drop", "zero"), NULL },
	{ "framework", EFFECT_INTERACTIVE, NULL, "starts an interpreter", false, false, WORDS("shell", "console", "dbconsole", "tinker", "dbshell"), NULL },
	{ "jobs", EFFECT_DATABASE, NULL, "changes jobs or the data they work on", true, false,
	  WORDS("purge", "empty", "run", "build", "seed", "snapshot", "trigger", "backfill", "clear", "delete", "deploy", "push", "upload", "apply", "revoke",
		"terminate", "reset", "gc", "remove", "destroy", "sync", "login", "migrate"), "dry-run" },
	{ "cloud", EFFECT_SECRET, NULL, "shows a secret", true, false,
	  WORDS("get-secret-value", "print-access-token", "print-identity-token", "get-access-token", "get-password-data", "get-login-password",
		"get-session-token", "*session_token", "export-credentials", "decrypt", "*secret_access_key", "access", "credentials"), NULL },
	{ "cloud", EFFECT_INFRA, NULL, "changes things in a cloud", true, true,
	  WORDS("ls", "list*", "describe*", "get*", "show*", "info", "status", "whoami", "version", "help", "logs", "log", "tail", "view", "read", "search",
		"batch-get*", "head-*", "lookup*", "check*", "validate*", "fmt", "inspect", "print-settings", "cat", "stat", "du", "diff", "synth", "doctor",
		"preview", "explain", "scan", "query", "filter-log-events", "dev", "build", "init", "local", "emulators:*", "serve", "start", "ps", "apps", "config:get",
		"releases", "domains", "auth:whoami", "types", "functions:log", "status*", "test", "invoke-local", "operator", "members"), "dryrun" },
	/* a harmless word beside one of these is the name of something: "env rm", "secret show" */
	{ "cloud", EFFECT_INFRA, NULL, "changes things in a cloud", true, false,
	  WORDS("rm", "remove", "remove-*", "delete", "delete-*", "create", "create-*", "update", "update-*", "set", "set-*", "unset", "add", "add-*", "put", "put-*",
		"destroy", "purge", "purge-*", "reset", "import", "restore", "rotate", "revoke", "terminate", "terminate-*", "stop", "restart", "reboot-*", "publish", "send",
		"get-credentials", "login", "logout", "enable", "disable", "scale", "promote", "rollback", "modify-*", "sync", "cp", "mv", "rb", "mb", "upload", "push", "up", "down", "apply", "*:rm", "*:delete", "*:destroy", "*:set", "*:unset", "*:add",
		"*:create", "*:reset", "*:remove"), "dryrun" },
	{ "machines", EFFECT_INFRA, NULL, "changes virtual machines or clusters", false, true,
	  WORDS("status", "list", "ls", "info", "version", "ip", "ssh-config", "get", "logs", "profile", "service", "dominfo", "dumpxml", "net-list", "vol-list",
		"pool-list", "global-status", "validate", "box", "help", "kubectl", "addons", "docker-env", "showvminfo", "find", "images"), NULL },
	{ "storage", EFFECT_SYSTEM, "ruin", "changes the storage below the file systems", true, false,
	  WORDS("destroy", "remove", "remove_all", "delete", "rollback", "labelclear", "detach", "offline", "wipe_table", "load", "create", "replace"), NULL },
	{ "storage", EFFECT_SYSTEM, NULL, "changes the storage below the file systems", false, true,
	  WORDS("list", "get", "status", "show", "info", "ls", "iostat", "history", "events", "version", "filesystem", "property", "inspect-internal", "table", "deps"), NULL },
	{ "service", EFFECT_SERVICE, NULL, "changes a service", true, false,
	  WORDS("start", "stop", "restart", "reload", "force-reload", "delete", "kill", "enable", "disable", "load", "unload", "remove", "bootstrap",
		"bootout", "kickstart", "defaults", "--add", "--del", "--level", "config", "update", "shutdown", "add", "on", "off", "startup", "save", "resurrect"), NULL },
	{ "maven", EFFECT_PUBLISH, NULL, "publishes", true, false,
	  WORDS("deploy", "deploy:*", "release:*", "publish*", "*:publish*", "upload*", "*:deploy*", "site-deploy", "nexus-staging:*", "closeAndRelease*", "*:run-script-deploy"), "dry-run" },
	{ "network-setup", EFFECT_SYSTEM, NULL, "changes the network or the firewall", false, true,
	  WORDS("status", "list", "show", "--list*", "--state", "dev", "device", "general", "connection-list", "showconf", "version", "query"), NULL },
	{ "network-setup", EFFECT_SYSTEM, NULL, "changes the network or the firewall", true, false,
	  WORDS("up", "down", "add", "delete", "modify", "flush", "enable", "disable", "set", "connect", "disconnect", "hotspot", "on", "off", "reload", "import"), NULL },
	{ "ip", EFFECT_SYSTEM, NULL, "changes the network", true, false,
	  WORDS("add", "del", "delete", "set", "flush", "change", "replace", "append", "exec", "up", "down"), NULL },
	{ "system-change", EFFECT_SYSTEM, NULL, "changes the system", true, true, WORDS("list", "show", "status", "get*", "query"), NULL },
	{ "datastore", EFFECT_DATABASE, NULL, "changes a data store", true, true,
	  WORDS("get", "list*", "status", "describe", "ping", "info", "version", "show", "query", "endpoint", "member-list", "cluster_status", "environment",
		"eval", "report", "stats", "ls"), NULL },
	{ "task", EFFECT_DATABASE, NULL, "changes a database", true, false,
	  WORDS("db:drop*", "db:reset*", "ecto.drop", "ecto.reset", "ecto.rollback", "db:rollback", "db:migrate:reset", "db:purge"), NULL },
	{ "task", EFFECT_INSTALL, "user", "installs for the user", false, false, WORDS("archive.install", "local.hex", "local.rebar", "escript.install", "local.nix"), NULL },
	{ "language", EFFECT_INSTALL, "user", "installs for the user", false, false,
	  WORDS("global", "self-update", "self-upgrade", "install-global", "-i", "profile", "switch"), NULL },
	{ "language", EFFECT_PUBLISH, NULL, "publishes", false, false, WORDS("publish", "deploy", "upload", "release", "trunk", "hex.publish", "submit"), "dry-run" },
	{ "pacman", EFFECT_INSTALL, "system", "installs for the whole system", false, true, WORDS("--query*", "-Q*", "-Ss", "-Si"), NULL },
};

static bool listed(const char *const *word, const char *text)
{
	for (; *word; word++) {
		if (fnmatch(*word, text, FNM_CASEFOLD) == 0)
			return true;
	}
	return false;
}

static const struct word *match(const struct verbs *v, const struct args *a)
{
	size_t n = v->any || v->unless ? a->noperand : MIN(a->noperand, (size_t)1);

	for (size_t i = 0; i < n; i++) {
		if (a->operand[i]->kind == WORD_EXACT && listed(v->word, a->operand[i]->text))
			return a->operand[i];
	}
	return NULL;
}

bool verbs_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (!strcmp(table[i].hook, name))
			return true;
	}
	return false;
}

static bool is_one_of(const char *text, const char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(word[i], text))
			return true;
	}
	return false;
}

/* RAILS_ENV=test, --env=test: is the environment that the command is for one of these? */
static bool has_env(const struct args *a, const char *const *word, size_t n)
{
	static const char *const var[] = { "RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV", "MIX_ENV", "DJANGO_ENV", "FLASK_ENV", "HANAMI_ENV", "ENV" };
	const char *opt = args_value(a, "env") ? args_value(a, "env") : args_value(a, "e");

	if (opt && is_one_of(opt, word, n))
		return true;
	for (size_t i = 0; i < a->noperand; i++) {	/* rails db:migrate RAILS_ENV=production */
		const char *t = a->operand[i]->kind == WORD_EXACT ? a->operand[i]->text : "", *eq = strchr(t, '=');

		if (eq && eq - t > 3 && !strncmp(eq - 3, "ENV", 3) && is_one_of(eq + 1, word, n))
			return true;
	}
	for (const struct simple *s = a->cmd; s; s = s->via) {
		for (size_t i = 0; i < s->nassign; i++) {
			const struct word *v = &s->assign[i].value;

			for (size_t k = 0; k < ARRAY_SIZE(var) && v->kind == WORD_EXACT; k++) {
				if (!strcmp(s->assign[i].name, var[k]) && is_one_of(v->text, word, n))
					return true;
			}
		}
	}
	return false;
}

/* A database that is there to be thrown away. */
static bool is_test_env(const struct args *a)
{
	static const char *const word[] = { "test", "testing" };

	return has_env(a, word, ARRAY_SIZE(word));
}

/* What is fine for the database of this machine is a question for the one that people use. */
static void for_production(struct effects *fx, const struct args *a)
{
	static const char *const word[] = { "production", "prod", "staging", "stage", "live" };
	bool database = false;

	for (size_t i = 0; i < a->noperand; i++) {
		const char *t = a->operand[i]->kind == WORD_EXACT ? a->operand[i]->text : "";

		database = database || strstr(t, "db:") || strstr(t, "migrat") || strstr(t, "ecto") || strstr(t, "schema") || strstr(t, "runner") || strstr(t, "console");
	}
	if (database && has_env(a, word, ARRAY_SIZE(word)))
		effects_plain(fx, a->cmd, EFFECT_DATABASE, "changes the database of a production environment");
}

/* One row: "any" with "unless" looks at all words, "unless" alone wants the verb in the first two. */
static void apply(struct effects *fx, const struct args *a, const struct verbs *v)
{
	const struct word *hit = match(v, a);
	struct effect *e;

	if (v->dry && args_has(a, v->dry))
		return;
	if (v->kind == EFFECT_DATABASE && is_test_env(a))
		return;
	if (v->unless ? hit || !a->noperand : !hit)
		return;
	e = effects_path(fx, a->cmd, v->kind, hit ? hit : a->operand[0], v->what);
	e->scope = v->scope;
	e->path = NULL;
}

/* az keyvault secret show, vault kv get, doppler secrets download */
static void shows_secret(struct effects *fx, const struct args *a)
{
	for (size_t i = 1; i < a->cmd->argc; i++) {
		if (a->cmd->argv[i].kind == WORD_EXACT && !strcmp(a->cmd->argv[i].text, "--with-decryption"))
			effects_plain(fx, a->cmd, EFFECT_SECRET, "shows a secret");
	}
	static const char *const kind[] = { "secret", "secrets", "kv", "config-vars", "password", "passwords", "versions" };
	static const char *const show[] = { "show", "get", "access", "download", "read", "view", "print", "reveal" };

	for (size_t i = 0; i + 1 < a->noperand && i < 4; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(kind); k++) {
			for (size_t v = 0; v < ARRAY_SIZE(show); v++) {
				if (a->operand[i]->kind == WORD_EXACT && a->operand[i + 1]->kind == WORD_EXACT && !strcmp(a->operand[i]->text, kind[k]) &&
				    !strcmp(a->operand[i + 1]->text, show[v]))
					effects_path(fx, a->cmd, EFFECT_SECRET, a->operand[i + 1], "shows a secret")->path = NULL;
			}
		}
	}
}

/* What is copied into a cloud and holds a secret of this machine. */
static void sends_secrets(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noperand; i++) {
		const struct word *w = a->operand[i];

		if (w->kind == WORD_EXACT && strchr(w->text, '/') && !strstr(w->text, "://") && (paths_word(&fx->paths, w, a->cmd->cwd, true)->flags & PATH_SECRET))
			effects_path(fx, a->cmd, EFFECT_SEND, w, "sends a secret")->flags |= EFFECT_OF_SECRET;
	}
}

/* The rows that know a program by its words alone miss a command inside: frobtool exec -- rm -rf x, frobtool --run 'rm -rf x'.
 * Only programs that can ruin something count, and only where a command can stand. */
int verbs_inner(struct effects *fx, const struct args *a)
{
	static const char *const ruin[] = { "rm", "shred", "dd", "mkfs", "find", "chmod", "chown", "sh", "bash", "zsh", "dash", "sudo", "curl", "wget", "eval", "xargs", "rsync" };
	static const char *const before[] = { "exec", "run", "x", "shell", "--", "-c", "--command", "--run", "-s", "--exec", "--shell", "--wrapper", "--cmd" };
	const struct simple *s = a->cmd;

	for (size_t i = 1; i < s->argc; i++) {
		const char *t = s->argv[i].kind == WORD_EXACT ? s->argv[i].text : "", *prev = s->argv[i - 1].kind == WORD_EXACT ? s->argv[i - 1].text : "";
		size_t first = strcspn(t, " ");
		bool place = false;

		for (size_t k = 0; k < ARRAY_SIZE(before); k++)
			place = place || !strcmp(prev, before[k]);
		for (size_t k = 0; place && k < ARRAY_SIZE(ruin); k++) {
			if (strlen(ruin[k]) != first || strncmp(ruin[k], t, first) != 0)
				continue;
			return t[first] ? effects_text(fx, s, "sh", t, strlen(t), s->argv[i].span) : effects_command(fx, s, i);
		}
	}
	return 0;
}

int verbs_run(struct effects *fx, const struct args *a, const char *name)
{
	if (!verbs_known(name))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (!strcmp(table[i].hook, name))
			apply(fx, a, &table[i]);
	}
	if (!strcmp(name, "framework") || !strcmp(name, "task") || !strcmp(name, "migrate"))
		for_production(fx, a);
	if (!strcmp(name, "cloud"))
		sends_secrets(fx, a), shows_secret(fx, a);
	if (verbs_inner(fx, a) < 0)
		return -1;
	return effects_tables(fx, a);
}

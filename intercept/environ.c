/* intercept/environ.c - what an assignment does to programs that are started after it */
#include "intercept/environ.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "intercept/gitfx.h"

enum how {
	HOW_COMMAND,		/* the value is a command that somebody runs */
	HOW_ASK,		/* a person has to look, whatever the value */
	HOW_FILE,		/* a question unless it is empty or /dev/null */
	HOW_LIBRARY,		/* files that are loaded into every program */
	HOW_NODE, HOW_PERL, HOW_RUBY, HOW_JAVA,		/* options of an interpreter */
	HOW_PYTHON,		/* directories of modules: some of them run at start */
	HOW_GIT_KEY,		/* GIT_CONFIG_KEY_n: one setting, its value in GIT_CONFIG_VALUE_n */
	HOW_PROMPT,		/* expanded like a prompt, so $( ) in it runs */
};

static const struct { const char *glob; enum how how; const char *what; } table[] = {
	{ "PAGER", HOW_COMMAND, NULL }, { "GIT_PAGER", HOW_COMMAND, NULL }, { "MANPAGER", HOW_COMMAND, NULL },
	{ "SYSTEMD_PAGER", HOW_COMMAND, NULL }, { "EDITOR", HOW_COMMAND, NULL }, { "VISUAL", HOW_COMMAND, NULL },
	{ "GIT_EDITOR", HOW_COMMAND, NULL }, { "GIT_SEQUENCE_EDITOR", HOW_COMMAND, NULL }, { "GIT_SSH_COMMAND", HOW_COMMAND, NULL },
	{ "GIT_SSH", HOW_COMMAND, NULL }, { "GIT_EXTERNAL_DIFF", HOW_COMMAND, NULL }, { "GIT_PROXY_COMMAND", HOW_COMMAND, NULL },
	{ "GIT_ASKPASS", HOW_COMMAND, NULL }, { "SSH_ASKPASS", HOW_COMMAND, NULL }, { "SUDO_ASKPASS", HOW_COMMAND, NULL },
	{ "RSYNC_RSH", HOW_COMMAND, NULL }, { "CVS_RSH", HOW_COMMAND, NULL }, { "LESSOPEN", HOW_COMMAND, NULL },
	{ "LESSCLOSE", HOW_COMMAND, NULL }, { "BROWSER", HOW_COMMAND, NULL }, { "FCEDIT", HOW_COMMAND, NULL },
	{ "PYTHONBREAKPOINT", HOW_ASK, "makes Python run something at a breakpoint" },
	{ "PYTHONSTARTUP", HOW_FILE, "makes Python run a file at its start" },
	{ "PYTHONHOME", HOW_FILE, "makes Python take its library from elsewhere" },
	{ "PYTHONPATH", HOW_PYTHON, NULL },
	{ "NODE_OPTIONS", HOW_NODE, NULL }, { "PERL5OPT", HOW_PERL, "makes Perl load something at its start" },
	{ "PERL5DB", HOW_ASK, "makes Perl's debugger run code" }, { "RUBYOPT", HOW_RUBY, "makes Ruby load something at its start" },
	{ "JAVA_TOOL_OPTIONS", HOW_JAVA, "makes Java load an agent" }, { "_JAVA_OPTIONS", HOW_JAVA, "makes Java load an agent" },
	{ "JDK_JAVA_OPTIONS", HOW_JAVA, "makes Java load an agent" },
	{ "BASH_ENV", HOW_FILE, "makes every bash that is started run a file first" },
	{ "ENV", HOW_FILE, "makes every shell that is started run a file first" },
	{ "ZDOTDIR", HOW_FILE, "makes every zsh that is started run other start-up files" },
	{ "SHELLOPTS", HOW_ASK, "sets options of every bash that is started" }, { "BASHOPTS", HOW_ASK, "sets options of every bash that is started" },
	{ "PS4", HOW_PROMPT, "runs a command each time a line is traced" },
	{ "LD_PRELOAD", HOW_LIBRARY, "loads a library into every program" }, { "LD_AUDIT", HOW_LIBRARY, "loads a library into every program" },
	{ "DYLD_INSERT_LIBRARIES", HOW_LIBRARY, "loads a library into every program" },
	{ "GIT_EXEC_PATH", HOW_FILE, "makes git take its programs from elsewhere" },
	{ "GIT_TEMPLATE_DIR", HOW_FILE, "makes git copy hooks from elsewhere" },
	{ "GIT_CONFIG", HOW_FILE, "makes git use other settings" }, { "GIT_CONFIG_GLOBAL", HOW_FILE, "makes git use other settings" },
	{ "GIT_CONFIG_SYSTEM", HOW_FILE, "makes git use other settings" },
	{ "GIT_CONFIG_PARAMETERS", HOW_ASK, "makes git use other settings" }, { "GIT_CONFIG_KEY_*", HOW_GIT_KEY, "makes git use other settings" },
	{ "BASH_FUNC_*", HOW_ASK, "puts a function in the place of a program" },
};

bool environ_matters(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (fnmatch(table[i].glob, name, 0) == 0)
			return true;
	}
	return false;
}

static int ask(struct effects *fx, const struct simple *s, const struct assign *a, const char *what)
{
	struct effect *e = effects_path(fx, s, EFFECT_SHELL_STATE, &a->value, what);

	if (a->span.to > a->span.from)
		e->span = a->span;
	e->path = NULL;
	return 0;
}

/* ---- what is loaded ---------------------------------------------------------------------------- */

/* The next of the words in a value that are parted by @sep; NULL at the end. */
static char *next_part(struct effects *fx, const char **at, const char *sep)
{
	size_t n;
	char *part;

	*at += strspn(*at, sep);
	n = strcspn(*at, sep);
	if (!n)
		return NULL;
	part = arena_strndup(fx->mem, *at, n);
	*at += n;
	return part;
}

/* A library of the system, such as another allocator, is like any part of it. */
static int libraries(struct effects *fx, const struct simple *s, const struct assign *a, const char *what)
{
	const char *at = a->value.text, *part;

	while ((part = next_part(fx, &at, ": "))) {
		const struct path *p = paths_text(&fx->paths, part, s->cwd, true);
		bool bare = !strchr(part, '/');		/* found by the linker in its own directories */

		if (!bare && p->zone != ZONE_SYSTEM)
			return ask(fx, s, a, what);
	}
	return 0;
}

/* --require FILE, -r FILE, --import FILE, --loader FILE */
static int node_options(struct effects *fx, const struct simple *s, const struct assign *a)
{
	static const char *const loads[] = { "--require", "-r", "--import", "--loader", "--experimental-loader" };
	const char *at = a->value.text;
	char *part;

	while ((part = next_part(fx, &at, " "))) {
		char *eq = strchr(part, '='), *file = eq ? eq + 1 : NULL;
		size_t len = eq ? (size_t)(eq - part) : strlen(part);
		struct word w;

		for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
			if (len != strlen(loads[i]) || strncmp(part, loads[i], len) != 0)
				continue;
			file = file ? file : next_part(fx, &at, " ");
			if (!file || (*file != '.' && *file != '/'))
				break;		/* a package of the project */
			w = effects_word(&a->value, file);
			if (effects_script(fx, s, "js", effects_keep(fx, w), s->argc) < 0)
				return -1;
			break;
		}
	}
	return 0;
}

/* sitecustomize and usercustomize are run by every Python that finds them. */
static int python_path(struct effects *fx, const struct simple *s, const struct assign *a)
{
	static const char *const first[] = { "sitecustomize.py", "usercustomize.py" };
	const char *at = a->value.text;
	char *dir;

	while ((dir = next_part(fx, &at, ":"))) {
		for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
			if (effects_startup(fx, s, "python", &a->value, arena_printf(fx->mem, "%s/%s", dir, first[i])) < 0)
				return -1;
		}
	}
	return 0;
}

/* Words that only set switches, or load what is known to be harmless. */
static bool harmless_options(struct effects *fx, const char *at, const char *const *glob, size_t n)
{
	char *part;

	while ((part = next_part(fx, &at, " "))) {
		size_t i;

		for (i = 0; i < n && fnmatch(glob[i], part, 0) != 0; i++)
			;
		if (i == n)
			return false;
	}
	return true;
}

static int options(struct effects *fx, const struct simple *s, const struct assign *a, enum how how, const char *what)
{
	static const char *const perl[] = { "-[wTWXtc]", "-MDevel::Cover*", "-MTest::*", "-Mstrict", "-Mwarnings", "-C*" };
	static const char *const ruby[] = { "-[wWvTU]*", "--yjit*", "--jit*", "--enable*", "--disable*", "-rbundler/setup", "-E*", "--encoding*" };
	const char *t = a->value.text;

	if (how == HOW_PERL)
		return harmless_options(fx, t, perl, ARRAY_SIZE(perl)) ? 0 : ask(fx, s, a, what);
	if (how == HOW_RUBY)
		return harmless_options(fx, t, ruby, ARRAY_SIZE(ruby)) ? 0 : ask(fx, s, a, what);
	return strstr(t, "-javaagent") || strstr(t, "-agentpath") || strstr(t, "-agentlib") ? ask(fx, s, a, what) : 0;
}

/* GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=command: as git -c would have it. */
static int git_key(struct effects *fx, const struct simple *s, const struct assign *a, const char *what)
{
	const char *number = a->name + strlen("GIT_CONFIG_KEY_");

	if (!gitfx_key_runs(a->value.text))
		return 0;
	for (size_t i = 0; i < s->nassign; i++) {
		const struct assign *v = &s->assign[i];

		if (!strncmp(v->name, "GIT_CONFIG_VALUE_", 17) && !strcmp(v->name + 17, number))
			return gitfx_setting(fx, s, a->value.text, &v->value);
	}
	return ask(fx, s, a, what);
}

/* ---- one assignment ------------------------------------------------------------------------------- */

static int known_value(struct effects *fx, const struct simple *s, const struct assign *a, enum how how, const char *what)
{
	switch (how) {
	case HOW_FILE:
		return strcmp(a->value.text, "/dev/null") ? ask(fx, s, a, what) : 0;
	case HOW_LIBRARY:
		return libraries(fx, s, a, what);
	case HOW_NODE:
		return node_options(fx, s, a);
	case HOW_PYTHON:
		return python_path(fx, s, a);
	case HOW_PERL:
	case HOW_RUBY:
	case HOW_JAVA:
		return options(fx, s, a, how, what);
	case HOW_GIT_KEY:
		return git_key(fx, s, a, what);
	case HOW_PROMPT:
		return strstr(a->value.text, "$(") || strchr(a->value.text, '`') ? ask(fx, s, a, what) : 0;
	case HOW_COMMAND:
	case HOW_ASK:
		break;
	}
	return ask(fx, s, a, what);
}

static void note_path(struct effects *fx, const struct simple *s, const struct assign *a)
{
	if (!strcmp(a->name, "PATH") && !s->argc)
		fx->path = a->value.kind == WORD_EXACT ? a->value.text : "";
}

int environ_assign(struct effects *fx, const struct simple *s, const struct assign *a)
{
	note_path(fx, s, a);
	if (a->value.kind == WORD_EXACT && !*a->value.text)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (fnmatch(table[i].glob, a->name, 0) != 0)
			continue;
		if (table[i].how == HOW_COMMAND)
			return effects_code(fx, s, "sh", &a->value);
		if (a->value.kind == WORD_EXACT)
			return known_value(fx, s, a, table[i].how, table[i].what);
		return table[i].what ? ask(fx, s, a, table[i].what) : 0;
	}
	return 0;
}

int environ_words(struct effects *fx, const struct simple *s, const struct word *const *word, size_t n)
{
	struct simple *around = arena_alloc(fx->mem, sizeof(*around));
	struct assign *list = arena_alloc(fx->mem, (n + 1) * sizeof(*list));
	size_t count = 0;

	if (!around || !list)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *t = word[i]->kind == WORD_EXACT ? word[i]->text : "", *eq = strchr(t, '=');

		if (!eq || eq == t)
			continue;
		list[count] = (struct assign){ .name = arena_strndup(fx->mem, t, (size_t)(eq - t)), .span = word[i]->span };
		list[count].value = effects_word(word[i], eq + 1);
		count += list[count].name != NULL;
	}
	if (!count)
		return 0;
	*around = (struct simple){ .assign = list, .nassign = count, .cwd = s->cwd, .cwd_why = s->cwd_why, .via = s, .span = s->span,
				   .depth = s->depth + 1 };
	return effects_add(fx, around);
}

/* ---- PATH ------------------------------------------------------------------------------------------ */

static const char *path_value(struct effects *fx, const struct simple *s)
{
	const struct live_value *v;

	for (const struct simple *c = s; c; c = c->via) {
		for (size_t i = 0; i < c->nassign; i++) {
			if (!strcmp(c->assign[i].name, "PATH") && c->assign[i].value.kind == WORD_EXACT)
				return c->assign[i].value.text;
		}
	}
	if (fx->path)
		return fx->path;
	v = fx->live ? live_get(fx->live, LIVE_VAR, "PATH") : NULL;
	return v && v->state == LIVE_SCALAR ? v->text : "";
}

static bool exists(const struct effects *fx, const char *path)
{
	enum world_type t = path ? fx->world->type(fx->world->arg, path) : WORLD_ABSENT;

	return t == WORLD_FILE || t == WORLD_LINK || t == WORLD_OTHER;
}

/* The tools of a project stand before those of the machine by purpose. */
static bool is_tool_dir(struct effects *fx, const char *dir)
{
	size_t n = strlen(dir);

	return (n >= 17 && !strcmp(dir + n - 17, "node_modules/.bin")) || exists(fx, arena_printf(fx->mem, "%s/activate", dir));
}

static bool machine_has(struct effects *fx, const char *name)
{
	static const char *const dirs[] = { "/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *path = arena_printf(fx->mem, "%s/%s", dirs[i], name);
		enum world_type t = path ? fx->world->type(fx->world->arg, path) : WORLD_ABSENT;

		if (t != WORLD_ABSENT)
			return true;
	}
	return false;
}

/* Seen without a look at anything: nearly all of PATH is so, nearly always. */
static bool is_machines(const char *dir)
{
	static const char *const prefix[] = { "/usr/", "/bin", "/sbin", "/opt/", "/snap/", "/nix/" };

	for (size_t i = 0; i < ARRAY_SIZE(prefix); i++) {
		if (!strncmp(dir, prefix[i], strlen(prefix[i])) && !strstr(dir, ".."))
			return true;
	}
	return false;
}

int environ_shadow(struct effects *fx, const struct simple *s, const char *name)
{
	const char *at = path_value(fx, s);
	char *dir;

	while (fx->world && (dir = next_part(fx, &at, ":"))) {
		const struct path *p = is_machines(dir) ? NULL : paths_text(&fx->paths, dir, s->cwd, true);
		char *file = p && p->abs ? arena_printf(fx->mem, "%s/%s", p->abs, name) : NULL;
		struct word *w;

		if (!p)
			continue;
		if (p->zone != ZONE_WORKSPACE && p->zone != ZONE_WORKSPACE_ROOT && p->zone != ZONE_SCRATCH && p->zone != ZONE_SCRATCH_ROOT)
			continue;
		if (!exists(fx, file) || is_tool_dir(fx, p->abs) || !machine_has(fx, name))
			continue;
		w = effects_keep(fx, effects_word(&s->argv[0], file));
		if (!w)
			return -1;
		effects_path(fx, s, EFFECT_SHELL_STATE, w, "runs a program that stands in the place of the machine's own")->flags |= EFFECT_AROUND;
		return effects_script(fx, s, "", w, 0);
	}
	return 0;
}

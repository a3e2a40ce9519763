/* intercept/fakeworld.c - a world described in JSON */
#include "intercept/fakeworld.h"

#include <string.h>

#define FAKE_FILES	512
/* Where a description does not say. */
#define FAKE_CWD	"/work/proj"
#define FAKE_HOME	"/home/dev"

struct file {
	char		*path;		/* owned; absolute */
	char		*target;	/* owned; NULL: no link */
};

struct fake {
	const json	*desc;		/* borrowed */
	const char	*cwd, *home;
	struct file	 file[FAKE_FILES];
	size_t		 nfile;
	char		*root;		/* owned; of the repository, NULL none */
};

static const char *str(const json *j, const char *key, const char *dflt)
{
	return json_str(j, key, dflt);
}

static char *absolute(const char *cwd, const char *path)
{
	if (path[0] == '/')
		return xstrdup(path);
	return xasprintf("%s/%s", strcmp(cwd, "/") ? cwd : "", path);
}

/* "A -> B" */
static void add_file(struct fake *f, const char *text)
{
	const char *arrow = strstr(text, " -> ");
	CLEANUP(cleanup_freep) char *name = arrow ? xmemdup0(text, (size_t)(arrow - text)) : xstrdup(text);
	size_t len;

	if (f->nfile == FAKE_FILES)
		return;
	f->file[f->nfile] = (struct file){ absolute(f->cwd, name), arrow ? xstrdup(arrow + 4) : NULL };
	len = strlen(f->file[f->nfile].path);
	if (len > 1 && f->file[f->nfile].path[len - 1] == '/')
		f->file[f->nfile].path[len - 1] = 0;
	f->nfile++;
}

static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && path[n] == '/';
}

static enum world_type fake_type(void *arg, const char *path)
{
	struct fake *f = arg;

	for (size_t i = 0; i < f->nfile; i++) {
		if (!strcmp(f->file[i].path, path))
			return f->file[i].target ? WORLD_LINK : WORLD_OTHER;
		if (below(f->file[i].path, path))
			return WORLD_DIR;
	}
	/* the home and the workspace exist, and so does what they lie in */
	if (!strcmp(path, "/") || !strcmp(path, f->cwd) || below(f->cwd, path) || !strcmp(path, f->home) || below(f->home, path))
		return WORLD_DIR;
	return WORLD_UNKNOWN;
}

static int fake_link(void *arg, const char *path, struct buf *target)
{
	struct fake *f = arg;

	for (size_t i = 0; i < f->nfile; i++) {
		if (!strcmp(f->file[i].path, path) && f->file[i].target)
			return buf_adds(target, f->file[i].target);
	}
	return -1;
}

static int fake_list(void *arg, const char *dir, world_name_fn *fn, void *fnarg)
{
	(void)arg;
	(void)dir;
	(void)fn;
	(void)fnarg;
	return -1;	/* a description names some files, never all of a directory */
}

static int fake_read(void *arg, const char *path, struct buf *out)
{
	struct fake *f = arg;

	for (const json *c = json_first(json_get(f->desc, "content")); c; c = json_next(c)) {
		CLEANUP(cleanup_freep) char *abs = absolute(f->cwd, json_key(c));

		if (!strcmp(abs, path) && json_text(c))
			return buf_adds(out, json_text(c));
	}
	return -1;
}

static int fake_count(void *arg, const char *path, size_t *files, size_t *bytes, bool *cut)
{
	(void)arg;
	(void)path;
	(void)files;
	(void)bytes;
	(void)cut;
	return -1;
}

/* Is one of the listed paths @rel, above it or below it? */
static bool touches(const json *list, const char *rel, bool covers)
{
	for (const json *p = json_first(list); p; p = json_next(p)) {
		const char *t = json_text(p);

		if (!t)
			continue;
		if (!strcmp(t, rel) || below(rel, t) || (!covers && (!*rel || below(t, rel))))
			return true;
	}
	return false;
}

/* Listed tracked and not dirty is clean; a directory is clean when tracked files lie below it and none is dirty. */
static enum world_git fake_git(void *arg, const char *path)
{
	struct fake *f = arg;
	const json *git = json_get(f->desc, "git");
	const char *rel;
	size_t n = f->root ? strlen(f->root) : 0;

	if (!f->root)
		return WORLD_GIT_NONE;
	if (!git || !json_get(git, "tracked") || (strcmp(path, f->root) != 0 && !below(path, f->root)))
		return WORLD_GIT_UNKNOWN;
	rel = path[n] ? path + n + 1 : "";
	if (touches(json_get(git, "dirty"), rel, false))
		return WORLD_GIT_DIRTY;
	if (touches(json_get(git, "tracked"), rel, false))
		return WORLD_GIT_CLEAN;
	return WORLD_GIT_UNTRACKED;
}

static const char *fake_root(void *arg, const char *path)
{
	struct fake *f = arg;

	return f->root && (!strcmp(path, f->root) || below(path, f->root)) ? f->root : NULL;
}

static const char *fake_branch(void *arg, const char *path)
{
	struct fake *f = arg;

	(void)path;
	return f->root ? str(json_get(f->desc, "git"), "branch", "feature/work") : NULL;
}

static const char *fake_remote_url(void *arg, const char *path, const char *remote)
{
	struct fake *f = arg;
	const json *git = json_get(f->desc, "git");

	(void)path;
	if (!f->root || strcmp(remote, str(git, "remote", "origin")) != 0)
		return NULL;
	return str(git, "url", "");
}

struct world *fakeworld_new(const json *desc)
{
	struct world *w = xcalloc(1, sizeof(*w));
	struct fake *f = xcalloc(1, sizeof(*f));
	const json *git = json_get(desc, "git");

	f->desc = desc;
	f->cwd = str(desc, "cwd", FAKE_CWD);
	f->home = str(desc, "home", FAKE_HOME);
	for (const json *p = json_first(json_get(desc, "files")); p; p = json_next(p)) {
		if (json_text(p))
			add_file(f, json_text(p));
	}
	if (!git || json_bool(git, "repo", true))
		f->root = xstrdup(f->cwd);
	*w = (struct world){
		.type = fake_type, .link = fake_link, .list = fake_list, .read = fake_read, .count = fake_count,
		.git = fake_git, .git_root = fake_root, .git_branch = fake_branch, .git_remote_url = fake_remote_url,
		.arg = f,
	};
	return w;
}

void fakeworld_free(struct world *w)
{
	struct fake *f;

	if (!w)
		return;
	f = w->arg;
	for (size_t i = 0; i < f->nfile; i++) {
		free(f->file[i].path);
		free(f->file[i].target);
	}
	free(f->root);
	free(f);
	free(w);
}

static int check_type(const json *obj, const char *key, enum json_type type, const char *name, struct err *e)
{
	const json *v = json_get(obj, key);

	if (v && json_type(v) != type && json_type(v) != JSON_NULL)
		return err_set(e, 0, "\"%s\" is not %s", key, name);
	for (const json *c = v && type == JSON_ARRAY ? json_first(v) : NULL; c; c = json_next(c)) {
		if (json_type(c) != JSON_STRING)
			return err_set(e, 0, "\"%s\" holds something that is not a string", key);
	}
	return 0;
}

int fakeworld_check(const json *desc, struct err *e)
{
	static const struct { const char *key; enum json_type type; const char *name; bool git; } field[] = {
		{ "cmd", JSON_STRING, "a string", false }, { "shell", JSON_STRING, "a string", false }, { "cwd", JSON_STRING, "a string", false },
		{ "home", JSON_STRING, "a string", false }, { "vars", JSON_OBJECT, "an object", false }, { "git", JSON_OBJECT, "an object", false },
		{ "files", JSON_ARRAY, "an array", false }, { "content", JSON_OBJECT, "an object", false },
		{ "tracked", JSON_ARRAY, "an array", true }, { "dirty", JSON_ARRAY, "an array", true },
		{ "branch", JSON_STRING, "a string", true }, { "remote", JSON_STRING, "a string", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		const json *in = field[i].git ? json_get(desc, "git") : desc;

		if (in && check_type(in, field[i].key, field[i].type, field[i].name, e) < 0)
			return -1;
	}
	return 0;
}

int fakeworld_line(const json *desc, struct cmdline *line, struct err *e)
{
	const char *shell = str(desc, "shell", "bash"), *cmd = str(desc, "cmd", NULL);

	if (!cmd)
		return err_set(e, 0, "\"cmd\" is missing");
	*line = (struct cmdline){
		.text = cmd, .len = strlen(cmd), .dialect = DIALECT_COUNT, .cwd = str(desc, "cwd", FAKE_CWD),
		.workspace = str(desc, "workspace", str(desc, "cwd", FAKE_CWD)), .home = str(desc, "home", FAKE_HOME),
		.user = str(desc, "user", "dev"), .source = "check",
	};
	for (int d = 0; d < DIALECT_COUNT; d++) {
		if (!strcmp(shell, dialect_name[d]))
			line->dialect = (enum dialect)d;
	}
	if (line->dialect == DIALECT_COUNT)
		return err_set(e, 0, "the shell \"%s\" is not known", shell);
	return 0;
}

static void set_default(struct live *l, const json *vars, const char *name, const char *value)
{
	if (json_get(vars, name))
		return;
	live_set(l, LIVE_VAR, name, value);
	live_set_flags(l, name, true, false, false, false);
}

struct live *fakeworld_live(const json *desc)
{
	const json *vars = json_get(desc, "vars");
	struct live *l = live_new();

	set_default(l, vars, "HOME", str(desc, "home", FAKE_HOME));
	set_default(l, vars, "PWD", str(desc, "cwd", FAKE_CWD));
	set_default(l, vars, "USER", str(desc, "user", "dev"));
	set_default(l, vars, "SHELL", "/bin/bash");
	set_default(l, vars, "PATH", "/usr/local/bin:/usr/bin:/bin");
	set_default(l, vars, "TERM", "xterm-256color");
	set_default(l, vars, "LANG", "C.UTF-8");
	for (const json *v = json_first(vars); v; v = json_next(v)) {
		if (!json_text(v))
			continue;
		live_set(l, LIVE_VAR, json_key(v), json_text(v));
		live_set_flags(l, json_key(v), true, false, false, false);
	}
	for (int k = 0; k < LIVE_KIND_COUNT; k++)
		live_set_complete(l, (enum live_kind)k, true);
	return l;
}

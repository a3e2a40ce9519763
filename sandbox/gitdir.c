#include "sandbox/gitdir.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/io.h"

#define POINTER_MAX	PATH_MAX	/* of a ".git" file, "commondir" and "gitdir" */
#define CONFIG_MAX	(64u << 10)

static bool is_kind(const char *dir, const char *name, mode_t kind)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/%s", dir, name);
	struct stat st;

	return stat(p, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

static void add(struct gitdir *g, char *path, bool expose)
{
	if (!path || g->n == GITDIR_MAX) {
		free(path);
		return;
	}
	g->at[g->n].path = path;
	g->at[g->n].repo = is_kind(path, "HEAD", S_IFREG);
	g->at[g->n++].expose = expose;
}

/* The first line of dir/name, or NULL. */
static char *first_line(const char *dir, const char *name)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/%s", dir, name);
	CLEANUP(buf_done) struct buf b;

	buf_init(&b, POINTER_MAX);
	if (!is_kind(dir, name, S_IFREG) || io_slurp(p, &b, NULL) < 0 || strlen(buf_str(&b)) != b.len)
		return NULL;
	return xmemdup0(buf_str(&b), strcspn(buf_str(&b), "\r\n"));
}

/* @path as written in a file of @dir, made real. NULL when it leads nowhere. */
static char *resolve(const char *dir, const char *path)
{
	CLEANUP(cleanup_freep) char *p = path[0] == '/' ? xstrdup(path) : xasprintf("%s/%s", dir, path);

	return realpath(p, NULL);
}

static bool same(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* <common>/worktrees/<name> whose "gitdir" names our ".git" file: that back pointer lies in the real repository,
 * where the workspace's contents cannot have put it. */
static char *worktree_common(const char *dir, const char *dotgit)
{
	CLEANUP(cleanup_freep) char *common = first_line(dir, "commondir");
	CLEANUP(cleanup_freep) char *back = first_line(dir, "gitdir");
	CLEANUP(cleanup_freep) char *real = common ? resolve(dir, common) : NULL;
	CLEANUP(cleanup_freep) char *back_real = back ? resolve(dir, back) : NULL;
	CLEANUP(cleanup_freep) char *want = real ? xasprintf("%s/worktrees/", real) : NULL;

	if (!want || !same(back_real, dotgit) || strncmp(dir, want, strlen(want)) != 0 ||
	    strchr(dir + strlen(want), '/'))
		return NULL;
	return STEAL(real);
}

/* The value of a key in git's configuration, whatever the section: the two that are asked for are used in one
 * only. No includes: what they bring is not in the hands of the workspace. */
static char *config_value(const char *dir, const char *key)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/config", dir);
	CLEANUP(buf_done) struct buf b;
	size_t len = strlen(key);
	char *line, *save = NULL;

	buf_init(&b, CONFIG_MAX);
	if (!is_kind(dir, "config", S_IFREG) || io_slurp(p, &b, NULL) < 0 || !b.len)
		return NULL;
	for (line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		if (strncasecmp(line, key, len) != 0)
			continue;
		line += len + strspn(line + len, " \t");
		if (*line != '=')
			continue;
		line += 1 + strspn(line + 1, " \t\"");
		return xmemdup0(line, strcspn(line, "\"\r"));
	}
	return NULL;
}

/* Not when it is the workspace itself or above: that would make all of it read-only. */
static void add_hooks_path(struct gitdir *g, const char *workspace, const char *dir)
{
	CLEANUP(cleanup_freep) char *value = config_value(dir, "hookspath");
	CLEANUP(cleanup_freep) char *real = value && *value ? resolve(workspace, value) : NULL;

	if (real && strncmp(workspace, real, strlen(real)) != 0)
		add(g, STEAL(real), false);
}

static bool is_submodule(const char *dir, const char *workspace)
{
	CLEANUP(cleanup_freep) char *wt = config_value(dir, "worktree");
	CLEANUP(cleanup_freep) char *real = wt ? resolve(dir, wt) : NULL;

	return same(real, workspace);
}

static void follow_pointer(struct gitdir *g, const char *workspace, const char *dotgit)
{
	static const char key[] = "gitdir:";
	CLEANUP(cleanup_freep) char *line = first_line(workspace, ".git");
	CLEANUP(cleanup_freep) char *dir = NULL;
	char *common;

	if (!line || strncmp(line, key, sizeof(key) - 1) != 0)
		return;
	dir = resolve(workspace, line + sizeof(key) - 1 + strspn(line + sizeof(key) - 1, " \t"));
	if (!dir || !is_kind(dir, "HEAD", S_IFREG))
		return;
	common = worktree_common(dir, dotgit);
	if (common) {
		add_hooks_path(g, workspace, common);
		add(g, common, true);
		add(g, STEAL(dir), true);
		return;
	}
	add(g, xstrdup(dir), is_submodule(dir, workspace));
}

void gitdir_find(struct gitdir *g, const char *workspace)
{
	CLEANUP(cleanup_freep) char *dotgit = xasprintf("%s/.git", workspace);
	struct stat st;

	*g = (struct gitdir){ 0 };
	if (lstat(dotgit, &st) < 0)
		return;
	g->is_link = S_ISLNK(st.st_mode);
	add(g, realpath(dotgit, NULL), false);
	add_hooks_path(g, workspace, dotgit);
	if (stat(dotgit, &st) == 0 && S_ISREG(st.st_mode))
		follow_pointer(g, workspace, dotgit);
}

void gitdir_done(struct gitdir *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->at[i].path);
	*g = (struct gitdir){ 0 };
}

/* ---- what a writer may not touch ---- */

const char *const gitdir_kept[] = {
	"config", "config.worktree", "hooks", "info", "commondir", "gitdir", "modules", "worktrees", NULL,
};

unsigned gitdir_had(const char *dir)
{
	unsigned had = 0;

	for (unsigned i = 0; gitdir_kept[i]; i++) {
		CLEANUP(cleanup_freep) char *path = xasprintf("%s/%s", dir, gitdir_kept[i]);
		struct stat st;

		had |= lstat(path, &st) == 0 ? 1u << i : 0;
	}
	return had;
}

unsigned gitdir_hold(const char *dir, unsigned had)
{
	unsigned appeared = gitdir_had(dir) & ~had, n = 0;

	for (unsigned i = 0; gitdir_kept[i]; i++) {
		CLEANUP(cleanup_freep) char *path = xasprintf("%s/%s", dir, gitdir_kept[i]);
		CLEANUP(cleanup_freep) char *held = xasprintf("%s/held-by-sbxterm-%s-%llu", dir, gitdir_kept[i],
							      (unsigned long long)io_now_ns());

		n += appeared & 1u << i && rename(path, held) == 0;
	}
	return n;
}

/* ---- repositories in the workspace ---- */

struct walk {
	int		(*fn)(const char *dir, void *arg);
	void		*arg;
	unsigned	 looked;
};

static bool is_subdir(int fd, const struct dirent *d)
{
	struct stat st;

	if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 || strcmp(d->d_name, ".git") == 0)
		return false;
	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Links are not followed: what they lead to is in the workspace under its own name, or not writable. */
static int look(struct walk *w, const char *dir, int depth)
{
	DIR *d = w->looked < GITDIR_LOOK ? opendir(dir) : NULL;
	struct dirent *e;
	int r = 0;

	if (w->looked++ >= GITDIR_LOOK)
		return 1;
	while (d && r == 0 && (e = readdir(d))) {
		CLEANUP(cleanup_freep) char *sub = NULL;
		CLEANUP(cleanup_freep) char *git = NULL;
		struct stat st;

		if (!is_subdir(dirfd(d), e))
			continue;
		sub = xasprintf("%s/%s", dir, e->d_name);
		git = xasprintf("%s/.git", sub);
		if (lstat(git, &st) == 0)
			r = w->fn(sub, w->arg);
		if (r == 0 && depth > 1)
			r = look(w, sub, depth - 1);
	}
	if (d)
		closedir(d);
	return r;
}

int gitdir_nested(const char *workspace, int (*fn)(const char *dir, void *arg), void *arg)
{
	struct walk w = { .fn = fn, .arg = arg };

	return look(&w, workspace, GITDIR_DEPTH);
}

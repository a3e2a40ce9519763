#include "sandbox/gitdir.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

#define POINTER_MAX	PATH_MAX	/* of a ".git" file, "commondir" and "gitdir" */
#define CONFIG_MAX	(64u << 10)

static void add(struct gitdir *g, char *path, bool expose)
{
	if (!path || g->n == GITDIR_MAX) {
		free(path);
		return;
	}
	g->at[g->n].path = path;
	g->at[g->n++].expose = expose;
}

static bool is_kind(const char *dir, const char *name, mode_t kind)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/%s", dir, name);
	struct stat st;

	return stat(p, &st) == 0 && (st.st_mode & S_IFMT) == kind;
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

/* The value of core.worktree: the only use of "worktree" as a key in git's configuration. */
static char *config_worktree(const char *dir)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/config", dir);
	CLEANUP(buf_done) struct buf b;
	char *line, *save = NULL;

	buf_init(&b, CONFIG_MAX);
	if (!is_kind(dir, "config", S_IFREG) || io_slurp(p, &b, NULL) < 0 || !b.len)
		return NULL;
	for (line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		if (strncmp(line, "worktree", 8) != 0)
			continue;
		line += 8 + strspn(line + 8, " \t");
		if (*line == '=')
			return xstrdup(line + 1 + strspn(line + 1, " \t"));
	}
	return NULL;
}

static bool is_submodule(const char *dir, const char *workspace)
{
	CLEANUP(cleanup_freep) char *wt = config_worktree(dir);
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
		add(g, common, true);
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
	if (stat(dotgit, &st) == 0 && S_ISREG(st.st_mode))
		follow_pointer(g, workspace, dotgit);
}

void gitdir_done(struct gitdir *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->at[i].path);
	*g = (struct gitdir){ 0 };
}

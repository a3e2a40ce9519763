/* intercept/world.c - the real file system and git, in process */
#include "intercept/world.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define WORLD_NAMES	4096		/* entries of one directory */
#define WORLD_COUNT	20000		/* files counted below a path */
#define WORLD_DEPTH	64
#define WORLD_READ	(256u << 10)	/* bytes of a script */
#define WORLD_STATUS	2000		/* entries of git status that are looked at */
#define WORLD_SEEN	256		/* paths that are remembered within one judgement; a power of two */

/* Loaded when the first line is about a repository: libgit2 brings ssh, TLS and Kerberos with it, and loading those is two
 * thirds of what a start of the program costs. By the very name it was built with.
 */
#define LIBRARY "libgit2.so." LIBGIT2_SOVERSION
#define FUNCTIONS(X) \
	X(libgit2_init) X(libgit2_shutdown) X(libgit2_opts) X(config_free) X(config_get_string) X(index_entrycount) \
	X(index_find_prefix) X(index_free) X(index_get_bypath) X(reference_free) X(reference_is_branch) \
	X(reference_shorthand) X(repository_config_snapshot) X(repository_free) X(repository_head) \
	X(repository_head_unborn) X(repository_index) X(repository_open_ext) X(repository_workdir) \
	X(status_foreach_ext)

#define X(name) __typeof__(git_##name) *name;
static struct { FUNCTIONS(X) } lg;
#undef X

static const struct { const char *name; void *place; } functions[] = {
#define X(name) { "git_" #name, &lg.name },
	FUNCTIONS(X)
#undef X
};

/* A judgement looks at the same few paths again and again (/dev/null, the directories of PATH), and what it
 * concludes from two looks must not differ.
 */
struct seen {
	char		*path;		/* owned */
	unsigned	 round;
	bool		 has_type, has_git;
	enum world_type	 type;
	enum world_git	 git;
};

struct real {
	struct seen	 seen[WORLD_SEEN];
	unsigned	 round;
	git_repository	*repo;		/* owned; the last one opened */
	char		*repo_for;	/* owned; the directory it was opened for */
	struct buf	 root, branch, url;
	bool		 started, missing;	/* libgit2 */
};

static void real_begin(void *arg)
{
	((struct real *)arg)->round++;
}

/* The place of a path; whoever was there before gives way. */
static struct seen *seen_at(struct real *r, const char *path)
{
	uint32_t h = 2166136261u;
	struct seen *s;

	for (const char *p = path; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	s = &r->seen[h & (WORLD_SEEN - 1)];
	if (s->path && s->round == r->round && strcmp(s->path, path) == 0)
		return s;
	free(s->path);
	*s = (struct seen){ .path = xstrdup(path), .round = r->round };
	return s;
}

/* ---- files -------------------------------------------------------------------------------------- */

static enum world_type look_at(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? WORLD_ABSENT : WORLD_UNKNOWN;
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return WORLD_FILE;
	case S_IFDIR:
		return WORLD_DIR;
	case S_IFLNK:
		return WORLD_LINK;
	case S_IFBLK:
	case S_IFCHR:
		return WORLD_DEVICE;
	default:
		return WORLD_OTHER;
	}
}

static enum world_type real_type(void *arg, const char *path)
{
	struct seen *s = seen_at(arg, path);

	if (!s->has_type) {
		s->type = look_at(path);
		s->has_type = true;
	}
	return s->type;
}

static int real_link(void *arg, const char *path, struct buf *target)
{
	char text[4096];
	ssize_t n = readlink(path, text, sizeof(text));

	(void)arg;
	if (n < 0 || (size_t)n == sizeof(text))
		return -1;
	return buf_add(target, text, (size_t)n);
}

static int real_list(void *arg, const char *dir, world_name_fn *fn, void *fnarg)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;
	int rc = 0;

	(void)arg;
	if (!d)
		return -1;
	while (rc == 0 && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (++n > WORLD_NAMES || !fn(fnarg, e->d_name))
			rc = -1;
	}
	closedir(d);
	return rc;
}

/* Only regular files: a FIFO or a device would block or never end. */
static int real_read(void *arg, const char *path, struct buf *out)
{
	CLEANUP(cleanup_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	(void)arg;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)WORLD_READ)
		return -1;
	return io_slurp_fd(fd, out);
}

struct counter {
	size_t	files, bytes;
	bool	cut;
};

static void count_below(int dir, const char *name, unsigned depth, struct counter *c)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct dirent *e;
	struct stat st;
	DIR *d;

	if (fd < 0 || !(d = fdopendir(fd))) {
		if (fd >= 0)
			close(fd);
		c->cut = true;
		return;
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (c->files >= WORLD_COUNT || depth >= WORLD_DEPTH) {
			c->cut = true;
			break;
		}
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			count_below(dirfd(d), e->d_name, depth + 1, c);
			continue;
		}
		c->files++;
		c->bytes += (size_t)st.st_size;
	}
	closedir(d);
}

static int real_count(void *arg, const char *path, size_t *files, size_t *bytes, bool *cut)
{
	struct counter c = { 0 };
	struct stat st;

	(void)arg;
	if (lstat(path, &st) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		count_below(AT_FDCWD, path, 0, &c);
	else
		c = (struct counter){ .files = 1, .bytes = (size_t)st.st_size };
	*files = c.files;
	*bytes = c.bytes;
	*cut = c.cut;
	return 0;
}

/* ---- git ------------------------------------------------------------------------------------------ */

static void forget(struct real *r)
{
	if (r->repo)
		lg.repository_free(r->repo);
	free(r->repo_for);
	r->repo = NULL;
	r->repo_for = NULL;
}

static int load(struct err *e)
{
	void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; lib && i < ARRAY_SIZE(functions); i++) {
		void *f = dlsym(lib, functions[i].name);

		memcpy(functions[i].place, &f, sizeof(f));
		if (!f)
			lib = NULL;
	}
	return lib ? 0 : err_set(e, 0, "%s cannot be loaded: install libgit2 again", LIBRARY);
}

static int start_git(struct real *r, struct err *e)
{
	if (r->started)
		return 0;
	if (r->missing || load(e) < 0) {
		r->missing = true;
		return -1;
	}
	r->started = true;
	lg.libgit2_init();
	/* A repository of another owner is read like any other: nothing of it is run in process. */
	lg.libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	return 0;
}

int world_prepare(struct world *w, struct err *e)
{
	return start_git(w->arg, e);
}

/* The repository that holds @path: opened by its directory, never through the environment. */
static git_repository *open_repo(struct real *r, const char *path)
{
	CLEANUP(cleanup_freep) char *dir = xstrdup(path);
	char *slash;

	for (;;) {	/* the path itself may not exist (any more) */
		struct stat st;

		if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
			break;
		slash = strrchr(dir, '/');
		if (!slash || slash == dir)
			return NULL;
		*slash = 0;
	}
	if (r->repo_for && !strcmp(r->repo_for, dir))
		return r->repo;
	if (start_git(r, NULL) < 0)
		return NULL;
	forget(r);
	r->repo_for = xstrdup(dir);
	if (lg.repository_open_ext(&r->repo, dir, GIT_REPOSITORY_OPEN_CROSS_FS, NULL) < 0)
		r->repo = NULL;
	return r->repo;
}

struct status {
	bool	dirty, untracked, ignored;
	size_t	seen;
};

static int see_status(const char *path, unsigned flags, void *arg)
{
	struct status *s = arg;

	(void)path;
	if (flags & GIT_STATUS_WT_NEW)
		s->untracked = true;
	else if (flags & GIT_STATUS_IGNORED)
		s->ignored = true;
	else if (flags != GIT_STATUS_CURRENT)
		s->dirty = true;
	return ++s->seen > WORLD_STATUS ? 1 : 0;
}

/* A path relative to the working tree, or NULL when it is not inside it. */
static const char *in_tree(git_repository *repo, const char *path)
{
	const char *root = lg.repository_workdir(repo);	/* ends with a slash */
	size_t n = root ? strlen(root) : 0;

	if (!n)
		return NULL;
	if (!strncmp(path, root, n))
		return path + n;
	return strlen(path) == n - 1 && !strncmp(path, root, n - 1) ? "" : NULL;
}

/* Nothing of the index below it: either ignored as a whole, or not known to git. */
static bool has_tracked(git_repository *repo, const char *rel)
{
	git_index *index = NULL;
	bool hit = false;
	size_t pos;

	if (lg.repository_index(&index, repo) < 0)
		return false;
	if (!*rel) {
		hit = lg.index_entrycount(index) > 0;
	} else {
		CLEANUP(cleanup_freep) char *below = xasprintf("%s/", rel);

		hit = lg.index_get_bypath(index, rel, 0) || lg.index_find_prefix(&pos, index, below) == 0;
	}
	lg.index_free(index);
	return hit;
}

static enum world_git git_status(struct real *r, const char *path)
{
	git_repository *repo = open_repo(r, path);
	const char *rel = repo ? in_tree(repo, path) : NULL;
	char *spec[1];
	struct status s = { 0 };
	git_status_options opt = GIT_STATUS_OPTIONS_INIT;
	int rc;

	if (!repo)
		return r->missing ? WORLD_GIT_UNKNOWN : WORLD_GIT_NONE;
	if (!rel)
		return WORLD_GIT_UNKNOWN;
	opt.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
	opt.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_INCLUDE_IGNORED | GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH |
		    GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
	spec[0] = xstrdup(rel);
	if (*rel)
		opt.pathspec = (git_strarray){ spec, 1 };
	rc = lg.status_foreach_ext(repo, &opt, see_status, &s);
	free(spec[0]);
	if (rc < 0)
		return WORLD_GIT_UNKNOWN;
	if (s.dirty)
		return WORLD_GIT_DIRTY;
	if (s.untracked)
		return WORLD_GIT_UNTRACKED;
	if (s.ignored)		/* also beside tracked files: they would be lost */
		return WORLD_GIT_IGNORED;
	if (rc > 0)
		return WORLD_GIT_UNKNOWN;
	return has_tracked(repo, rel) ? WORLD_GIT_CLEAN : WORLD_GIT_UNTRACKED;
}

static enum world_git real_git(void *arg, const char *path)
{
	struct seen *s = seen_at(arg, path);

	if (!s->has_git) {
		s->git = git_status(arg, path);
		s->has_git = true;
	}
	return s->git;
}

static const char *real_root(void *arg, const char *path)
{
	struct real *r = arg;
	git_repository *repo = open_repo(r, path);
	const char *root = repo ? lg.repository_workdir(repo) : NULL;

	if (!root)
		return NULL;
	buf_clear(&r->root);
	buf_adds(&r->root, root);
	if (r->root.len > 1)
		buf_truncate(&r->root, r->root.len - 1);	/* the slash */
	return buf_str(&r->root);
}

static const char *real_branch(void *arg, const char *path)
{
	struct real *r = arg;
	git_repository *repo = open_repo(r, path);
	git_reference *head = NULL;
	const char *name = NULL;

	if (!repo || lg.repository_head_unborn(repo) == 1 || lg.repository_head(&head, repo) < 0)
		return NULL;
	if (lg.reference_is_branch(head)) {
		buf_clear(&r->branch);
		buf_adds(&r->branch, lg.reference_shorthand(head));
		name = buf_str(&r->branch);
	}
	lg.reference_free(head);
	return name;
}

/* From the settings themselves: git_remote_lookup() searches them by regular expressions, and libgit2 1.5
 * leaks 20 KB for each one that does not match.
 */
static const char *real_remote_url(void *arg, const char *path, const char *remote)
{
	struct real *r = arg;
	git_repository *repo = open_repo(r, path);
	CLEANUP(cleanup_freep) char *key = xasprintf("remote.%s.url", remote);
	git_config *config = NULL;
	const char *url = NULL;
	bool found;

	if (!repo || lg.repository_config_snapshot(&config, repo) < 0)
		return NULL;
	found = lg.config_get_string(&url, config, key) == 0;
	buf_clear(&r->url);
	buf_adds(&r->url, found ? url : "");
	lg.config_free(config);
	return found ? buf_str(&r->url) : NULL;
}

/* ---- life ------------------------------------------------------------------------------------------- */

struct world *world_real(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	struct real *r = xcalloc(1, sizeof(*r));

	buf_init(&r->root, 8192);
	buf_init(&r->branch, 1024);
	buf_init(&r->url, 8192);
	*w = (struct world){
		.begin = real_begin, .type = real_type, .link = real_link, .list = real_list, .read = real_read, .count = real_count,
		.git = real_git, .git_root = real_root, .git_branch = real_branch, .git_remote_url = real_remote_url,
		.arg = r,
	};
	return w;
}

void world_free(struct world *w)
{
	struct real *r;
	bool started;

	if (!w)
		return;
	r = w->arg;
	forget(r);
	for (size_t i = 0; i < WORLD_SEEN; i++)
		free(r->seen[i].path);
	buf_done(&r->root);
	buf_done(&r->branch);
	buf_done(&r->url);
	started = r->started;
	free(r);
	free(w);
	if (started)
		lg.libgit2_shutdown();
}

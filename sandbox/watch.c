#include "sandbox/watch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "sandbox/gitdir.h"

#define EVENTS		(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_MODIFY | IN_ONLYDIR | IN_EXCL_UNLINK)
#define READS		16		/* of a full buffer for one wake-up: others wait too */
#define SLICE		32		/* directories of the first walk for one step */
#define RECHECK_MS	250		/* what is written through a mapping or another link makes no event here */
#define MAX_CONFIG	(64u << 10)
#define MAX_NAMES	256		/* that were held */

enum kind { TREE, GITDIR, HOOKS, INFO, MODULES };

struct dir {
	char		*rel;		/* owned, below the root; "" is the root */
	int		 wd;
	int		 depth;
	enum kind	 kind;
	bool		 scanned;
	bool		 old_git;	/* has a repository from before, which is bound read-only */
};

struct held {
	char		*rel;
	unsigned	 n;
};

struct watch {
	struct loop	*loop;		/* borrowed */
	watch_held_fn	*fn;
	void		*arg;		/* borrowed */
	char		*spec;		/* owned; keep, root and names point into it */
	size_t		 len;
	const char	*keep, *root, *names;
	int		 fd, root_fd;
	struct dir	*dir;		/* owned */
	size_t		 n;
	struct held	 held[MAX_NAMES];
	size_t		 nheld;
	unsigned	 serial;
	size_t		 repos;
	bool		 first;		/* the first walk: what is there was there */
	struct loop_timer *walk, *again;
};

static void entry(struct watch *w, size_t at, const char *name);

/* ---- a repository's configuration ---- */

/* What init and clone write, and what names no program. "*" is any subsection. */
static const char *const harmless[] = {
	"core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.ignorecase",
	"core.precomposeunicode", "core.symlinks", "core.autocrlf", "core.eol", "core.sparsecheckout",
	"core.sparsecheckoutcone", "core.sharedrepository", "remote.*.url", "remote.*.fetch", "remote.*.tagopt",
	"remote.*.promisor", "remote.*.partialclonefilter", "branch.*.remote", "branch.*.merge", "branch.*.rebase",
	"user.name", "user.email", "init.defaultbranch", "pull.rebase", "pull.ff", "push.default", "merge.conflictstyle",
	"commit.gpgsign", "submodule.*.url", "submodule.*.active", "submodule.*.branch", "submodule.active",
	"extensions.objectformat", "extensions.partialclone", "extensions.refstorage", "gc.auto", "advice.detachedhead",
};

static bool key_harmless(const char *section, const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++) {
		const char *h = harmless[i], *dot = strrchr(h, '.');
		const char *sub = strchr(section, '.');
		size_t n = sub ? (size_t)(sub - section) : strlen(section);

		if (strcasecmp(dot + 1, key) != 0 || strncasecmp(h, section, n) != 0 || h[n] != '.')
			continue;
		if (sub ? dot - h == (ptrdiff_t)n + 2 : dot - h == (ptrdiff_t)n)
			return true;
	}
	return false;
}

/* Behind the closing quote; what stays where it is begins with none. */
static const char *skip_quoted(const char *s)
{
	const char *at = s;

	if (*at++ != '"')
		return s;
	while (*at && *at != '"')
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : s;
}

/* [section] or [section "sub"]: the sub's text does not matter, but that there is one does. */
static bool read_section(const char *line, char *section, size_t room)
{
	size_t n = 0;

	for (line++; isalnum((unsigned char)*line) || *line == '-'; line++) {
		if (n + 3 >= room)
			return false;
		section[n++] = *line;
	}
	if (*line == ' ' || *line == '\t') {
		section[n++] = '.';
		section[n++] = '*';
		line = skip_quoted(line + strspn(line, " \t"));
	}
	section[n] = '\0';
	return n && *line == ']' && line[1 + strspn(line + 1, " \t\r")] == '\0';
}

/* "name = value". A line that goes on could hide the next one: refused. A url may name a helper program ("ext::"). */
static bool line_harmless(const char *section, char *line)
{
	size_t n = 0, len = strlen(line);
	char *value;

	while (isalnum((unsigned char)line[n]) || line[n] == '-')
		n++;
	value = line + n + strspn(line + n, " \t");
	if (!n || (*value && *value != '=') || (len && line[len - 1] == '\\') || !*section)
		return false;
	if (*value == '=' && strstr(value, "::"))
		return false;
	line[n] = '\0';
	return key_harmless(section, line);
}

bool watch_config_harmless(const char *text, size_t len)
{
	CLEANUP(cleanup_freep) char *copy = xmemdup0(text, len);
	char section[64] = "", *save = NULL;

	if (memchr(text, '\0', len))
		return false;
	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		l += strspn(l, " \t\r");
		if (!*l || *l == '#' || *l == ';')
			continue;
		if (*l == '[' ? !read_section(l, section, sizeof(section)) : !line_harmless(section, l))
			return false;
	}
	return true;
}

/* ---- paths: never through a link, never out of the root, whatever is swapped meanwhile ---- */

static int open_in(int fd, const char *rel, int flags)
{
	const struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW | (flags & O_PATH ? 0 : O_NONBLOCK)),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};

	return (int)syscall(SYS_openat2, fd, *rel ? rel : ".", &how, sizeof(how));
}

static int open_dir(const struct watch *w, const char *rel)
{
	return open_in(w->root_fd, rel, O_RDONLY | O_DIRECTORY);
}

static char *below(const char *rel, const char *name)
{
	return *rel ? xasprintf("%s/%s", rel, name) : xstrdup(name);
}

/* ---- holding ---- */

static void forget_below(struct watch *w, const char *rel)
{
	size_t len = strlen(rel);

	for (size_t i = 0; i < w->n; i++) {
		struct dir *d = &w->dir[i];

		if (d->wd >= 0 && strncmp(d->rel, rel, len) == 0 && (d->rel[len] == '/' || !d->rel[len])) {
			inotify_rm_watch(w->fd, d->wd);
			d->wd = -1;
			d->scanned = true;
			w->repos -= d->kind == GITDIR;
		}
	}
}

/* How often this name was held, this time included. */
static unsigned count(struct watch *w, const char *rel)
{
	for (size_t i = 0; i < w->nheld; i++) {
		if (strcmp(w->held[i].rel, rel) == 0)
			return ++w->held[i].n;
	}
	if (w->nheld == MAX_NAMES)
		return WATCH_AGAIN;
	w->held[w->nheld++] = (struct held){ .rel = xstrdup(rel), .n = 1 };
	return 1;
}

static void fd_path(char path[64], int fd)
{
	snprintf(path, 64, "/proc/self/fd/%d", fd);
}

/* The maker may have taken the rights away that moving needs; they are the caller's own files. */
static void make_movable(int parent, const char *name)
{
	CLEANUP(cleanup_fdp) int fd = -1;
	char path[64];

	fd_path(path, parent);
	(void)!chmod(path, 0700);
	fd = open_in(parent, name, O_PATH | O_DIRECTORY);
	fd_path(path, fd);
	if (fd >= 0)
		(void)!chmod(path, 0700);
}

/* To the folder beside the log; on another file system under a name that means nothing, where it is. */
static int move(struct watch *w, int parent, const char *name, char **kept)
{
	CLEANUP(cleanup_freep) char *file = xasprintf("%lld-%u-%.100s", (long long)time(NULL), ++w->serial, name);
	CLEANUP(cleanup_freep) char *aside = xasprintf(".sbxterm-held-%lld-%u", (long long)time(NULL), w->serial);
	CLEANUP(cleanup_fdp) int keep = -1;
	struct err e;

	if (io_mkdirs(w->keep, 0700, &e) == 0)
		keep = open(w->keep, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (keep >= 0 && renameat(parent, name, keep, file) == 0) {
		*kept = xasprintf("%s/%s", w->keep, file);
		return 0;
	}
	if (keep >= 0 && errno != EXDEV)
		return -1;
	if (renameat(parent, name, parent, aside) < 0)
		return -1;
	*kept = STEAL(aside);
	return 0;
}

static void hold(struct watch *w, const char *dir, const char *name)
{
	CLEANUP(cleanup_freep) char *rel = below(dir, name);
	CLEANUP(cleanup_freep) char *kept = NULL;
	CLEANUP(cleanup_freep) char *path = xasprintf("%s/%s", w->root, rel);
	CLEANUP(cleanup_fdp) int parent = open_in(w->root_fd, dir, O_PATH | O_DIRECTORY);
	int r;

	if (parent < 0 && errno == EACCES)
		w->fn(w->arg, path, NULL);
	if (parent < 0)
		return;			/* moved: there is an event for where it went */
	r = move(w, parent, name, &kept);
	if (r < 0 && (errno == EACCES || errno == EPERM)) {
		make_movable(parent, name);
		r = move(w, parent, name, &kept);
	}
	if (r < 0 && (errno == ENOENT || errno == EBUSY))
		return;			/* gone again; or a mount point, which is protected */
	forget_below(w, rel);
	w->fn(w->arg, path, r < 0 || count(w, rel) >= WATCH_AGAIN ? NULL : kept);
}

/* ---- directories ---- */

static struct dir *find(struct watch *w, int wd)
{
	for (size_t i = w->n; i-- > 0;) {
		if (w->dir[i].wd == wd)
			return &w->dir[i];
	}
	return NULL;
}

static void scan(struct watch *w, size_t at)
{
	int fd = open_dir(w, w->dir[at].rel);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	w->dir[at].scanned = true;
	if (!d && fd >= 0)
		close(fd);
	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			entry(w, at, e->d_name);
	}
	if (d)
		closedir(d);
}

/* The one of that number, else a free one. NULL: there are too many. */
static struct dir *slot(struct watch *w, int wd)
{
	struct dir *d = find(w, wd);

	if (!d)
		d = find(w, -1);
	if (d || w->n == WATCH_DIRS)
		return d;
	w->dir[w->n].wd = -1;
	return &w->dir[w->n++];
}

/* Return the place, or -1 when it cannot be watched. The kernel gives a directory that moved its old number. */
static int add_dir(struct watch *w, const char *rel, int depth, enum kind kind)
{
	int fd = open_dir(w, rel), wd;
	char path[64];
	struct dir *d;

	if (fd < 0)
		return -1;
	fd_path(path, fd);
	wd = inotify_add_watch(w->fd, path, EVENTS);
	close(fd);
	if (wd < 0)
		return -1;
	d = slot(w, wd);
	if (!d) {
		inotify_rm_watch(w->fd, wd);
		return -1;
	}
	w->repos += (kind == GITDIR) - (d->wd >= 0 && d->kind == GITDIR);
	free(d->rel);
	*d = (struct dir){ .rel = xstrdup(rel), .wd = wd, .depth = depth, .kind = kind,
			   .old_git = d->wd >= 0 && d->old_git };
	return (int)(d - w->dir);
}

static void add_and_scan(struct watch *w, const char *rel, int depth, enum kind kind)
{
	int at = add_dir(w, rel, depth, kind);

	if (at >= 0 && !w->first)
		scan(w, (size_t)at);
}

/* ---- what an entry means, by the kind of its directory ---- */

static bool is_kind(const struct watch *w, const char *rel, mode_t kind)
{
	int fd = open_in(w->root_fd, rel, O_PATH);
	struct stat st;
	bool yes = fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind;

	if (fd >= 0)
		close(fd);
	return yes;
}

static void check_config(struct watch *w, const char *dir)
{
	CLEANUP(cleanup_freep) char *rel = below(dir, "config");
	int fd = open_in(w->root_fd, rel, O_RDONLY);
	struct buf b;
	struct stat st;
	bool bad;

	if (fd < 0 && errno == ENOENT)
		return;
	buf_init(&b, MAX_CONFIG);
	bad = fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || io_slurp_fd(fd, &b) < 0 ||
	      !watch_config_harmless(buf_str(&b), b.len);
	buf_done(&b);
	if (fd >= 0)
		close(fd);
	if (bad)
		hold(w, dir, "config");
}

static void git_part(struct watch *w, const struct dir *d, const char *name, const char *rel)
{
	static const struct { const char *name; enum kind kind; } parts[] = {
		{ "hooks", HOOKS }, { "info", INFO }, { "modules", MODULES },
	};
	static const char *const never[] = { "commondir", "config.worktree" };

	if (strcasecmp(name, "config") == 0)
		check_config(w, d->rel);
	for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
		if (strcasecmp(name, never[i]) == 0)
			hold(w, d->rel, name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strcasecmp(name, parts[i].name) != 0)
			continue;
		if (is_kind(w, rel, S_IFDIR))
			add_and_scan(w, rel, d->depth, parts[i].kind);
		else
			hold(w, d->rel, name);
	}
}

static void protected_name(struct watch *w, const char *dir, const char *name, const char *rel)
{
	size_t len = strlen(rel);

	for (const char *n = w->names; n < w->spec + w->len; n += strlen(n) + 1) {
		if (strcasecmp(n, rel) == 0 && strcasecmp(name, ".git") != 0) {
			/* A link that leads nowhere was there before. */
			if (!w->first)
				hold(w, dir, name);
			return;
		}
		if (strncasecmp(n, rel, len) == 0 && n[len] == '/') {
			/* A link here would put the name to where we do not look. */
			if (is_kind(w, rel, S_IFDIR))
				add_and_scan(w, rel, 0, TREE);
			else if (!w->first && is_kind(w, rel, S_IFLNK))
				hold(w, dir, name);
		}
	}
}

static void tree_part(struct watch *w, size_t at, const char *name, const char *rel)
{
	struct dir *d = &w->dir[at];
	CLEANUP(cleanup_freep) char *dir = xstrdup(d->rel);

	if (strcasecmp(name, ".git") != 0) {
		protected_name(w, dir, name, rel);
		if (d->depth < GITDIR_DEPTH && is_kind(w, rel, S_IFDIR))
			add_and_scan(w, rel, d->depth + 1, TREE);
		return;
	}
	if (w->first)
		d->old_git = true;
	if (d->old_git)
		return;
	if (is_kind(w, rel, S_IFDIR))
		add_and_scan(w, rel, d->depth, GITDIR);
	else
		hold(w, dir, name);
}

static void entry(struct watch *w, size_t at, const char *name)
{
	struct dir d = w->dir[at];		/* the array's parts are forgotten and moved by what follows */
	CLEANUP(cleanup_freep) char *own = xstrdup(d.rel);
	CLEANUP(cleanup_freep) char *rel = below(own, name);
	size_t len = strlen(name);

	d.rel = own;
	switch (d.kind) {
	case TREE:
		tree_part(w, at, name, rel);
		return;
	case GITDIR:
		git_part(w, &d, name, rel);
		return;
	case HOOKS:
		if (len < 7 || strcmp(name + len - 7, ".sample") != 0)
			hold(w, own, name);
		return;
	case INFO:
		if (strcasecmp(name, "attributes") == 0)
			hold(w, own, name);
		return;
	case MODULES:
		if (is_kind(w, rel, S_IFDIR))
			add_and_scan(w, rel, d.depth, GITDIR);
		return;
	}
}

/* ---- events ---- */

/* Events were lost: look at everything again. */
static void rescan(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->dir[i].wd >= 0 && w->dir[i].scanned)
			scan(w, i);
	}
}

static void one_event(struct watch *w, const struct inotify_event *ev)
{
	struct dir *d = find(w, ev->wd);

	if (ev->mask & IN_Q_OVERFLOW) {
		rescan(w);
	} else if (d && (ev->mask & IN_IGNORED)) {
		w->repos -= d->kind == GITDIR;
		d->wd = -1;
	} else if (d && ev->len && (ev->mask & (IN_DELETE | IN_MOVED_FROM))) {
		/* Only from outside: inside it is a mount point. With it went the mount. */
		if (strcmp(ev->name, ".git") == 0)
			d->old_git = false;
	} else if (d && ev->len && (d->kind != TREE || (ev->mask & (IN_CREATE | IN_MOVED_TO)))) {
		entry(w, (size_t)(d - w->dir), ev->name);
	}
}

/* Return: false when nothing is left to read. */
static bool read_events(struct watch *w)
{
	char buf[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(w->fd, buf, sizeof(buf));

	for (char *p = buf; n > 0 && p < buf + n; p += sizeof(struct inotify_event) + ((struct inotify_event *)(void *)p)->len)
		one_event(w, (struct inotify_event *)(void *)p);
	return n > 0;
}

static void check_repos(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->dir[i].kind == GITDIR && w->dir[i].wd >= 0) {
			CLEANUP(cleanup_freep) char *rel = xstrdup(w->dir[i].rel);

			check_config(w, rel);
		}
	}
}

static void on_again(struct loop *l, void *arg)
{
	struct watch *w = arg;

	w->again = NULL;
	check_repos(w);
	if (w->repos)
		w->again = loop_add_timer(l, RECHECK_MS, on_again, w);
}

static void on_events(struct loop *l, int fd, unsigned events, void *arg)
{
	struct watch *w = arg;

	(void)fd;
	(void)events;
	for (int i = 0; i < READS && read_events(w); i++)
		;
	if (w->repos && !w->again)
		w->again = loop_add_timer(l, RECHECK_MS, on_again, w);
}

/* ---- the first walk ---- */

static void on_walk(struct loop *l, void *arg)
{
	struct watch *w = arg;
	unsigned done = 0;
	bool more = false;

	w->walk = NULL;
	w->first = true;
	for (size_t i = 0; i < MIN(w->n, GITDIR_LOOK) && !more; i++) {
		if (w->dir[i].scanned)
			continue;
		more = done++ == SLICE;
		if (!more)
			scan(w, i);
	}
	w->first = false;
	if (more)
		w->walk = loop_add_timer(l, 0, on_walk, w);
}

/* ---- life ---- */

/* The root itself: a repository that was there is bound read-only, and then its name is not in the list. */
static int begin(struct watch *w, struct err *e)
{
	const char *n = w->names;
	bool git = false;

	w->root_fd = open(w->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->root_fd < 0 || w->fd < 0 || add_dir(w, "", 0, TREE) < 0)
		return err_set(e, errno, errno == EMFILE || errno == ENOSPC ? "watch %s (raise the sysctl "
			       "fs.inotify.max_user_instances or max_user_watches)" : "watch %s", w->root);
	for (; n < w->spec + w->len; n += strlen(n) + 1)
		git |= strcmp(n, ".git") == 0;
	w->dir[0].old_git = !git;
	return loop_add_fd(w->loop, w->fd, EPOLLIN, on_events, w);
}

struct watch *watch_new(struct loop *l, const char *spec, size_t len, watch_held_fn *fn, void *arg, struct err *e)
{
	struct watch *w = xcalloc(1, sizeof(*w));

	*w = (struct watch){ .loop = l, .fn = fn, .arg = arg, .spec = xmemdup0(spec, len), .len = len, .fd = -1,
			     .root_fd = -1, .dir = xcalloc(WATCH_DIRS, sizeof(struct dir)) };
	w->keep = w->spec;
	w->root = w->keep + strlen(w->keep) + 1;
	w->names = MIN(w->root, w->spec + len);
	w->root = w->names;
	w->names = MIN(w->root + strlen(w->root) + 1, w->spec + len);
	if (begin(w, e) < 0) {
		watch_free(w);
		return NULL;
	}
	w->walk = loop_add_timer(l, 0, on_walk, w);
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	if (w->fd >= 0 && w->root_fd >= 0) {
		while (read_events(w))
			;
		check_repos(w);
		loop_del_fd(w->loop, w->fd);
	}
	loop_cancel_timer(w->loop, w->walk);
	loop_cancel_timer(w->loop, w->again);
	if (w->fd >= 0)
		close(w->fd);
	if (w->root_fd >= 0)
		close(w->root_fd);
	for (size_t i = 0; i < w->n; i++)
		free(w->dir[i].rel);
	for (size_t i = 0; i < w->nheld; i++)
		free(w->held[i].rel);
	free(w->dir);
	free(w->spec);
	free(w);
}

bool watch_is(const struct watch *w, const char *spec, size_t len)
{
	return w->len == len && memcmp(w->spec, spec, len) == 0;
}

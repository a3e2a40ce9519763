#include "sandbox/plan.h"

#include <assert.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/gitdir.h"
#include "sandbox/hostsock.h"
#include "sandbox/spawner.h"

#define SCRATCH_DEFAULT	((size_t)256 << 20)	/* home, /tmp and /dev/shm when the profile does not say */
#define SMALL		((size_t)1 << 20)	/* tmpfs that only hold mount points */
#define MAX_MOUNTS	4096
#define MAX_ARGS	(2u << 20)		/* bytes */
#define FIRST_USER	1000			/* below are system accounts, whose "home" may be /usr/sbin */

/* At the same path the later one wins: what is granted over what hides the home, then what masks. protect() alone
 * takes back. */
enum kind {
	SCRATCH,	/* empty, writable, with a size limit */
	PRIVATE,	/* empty, read-only: hides what is there, holds mount points */
	DEV,
	PROC,
	RO,
	RW,
	EXEC_ONLY,	/* copy that can be executed, not read */
	MASK_DIR,	/* empty and read-only, because of the profile or a socket */
	MASK_FILE,
	HIDE_DIR,	/* the same, because sbxterm itself needs it */
	HIDE_FILE,
};

static const char *const kind_text[] = {
	[SCRATCH]	= "empty, writable",
	[PRIVATE]	= "hidden",
	[DEV]		= "minimal",
	[PROC]		= "own processes",
	[RW]		= "writable",
	[RO]		= "read-only",
	[EXEC_ONLY]	= "not readable",
	[MASK_DIR]	= "masked",
	[MASK_FILE]	= "masked",
	[HIDE_DIR]	= "hidden",
	[HIDE_FILE]	= "hidden",
};

struct mount {
	char		*dest;		/* owned, absolute, no "." or ".." or doubled slash */
	char		*src;		/* owned, for RO and RW */
	enum kind	 kind;
	size_t		 size;		/* SCRATCH */
	unsigned	 mode;		/* SCRATCH; 0 = 0755 */
};

struct list {
	char	**v;			/* owned strings, NULL-terminated */
	size_t	  n, cap;
	size_t	  bytes;
};

struct plan {
	struct mount	*mount;		/* owned, sorted once built */
	size_t		 n, cap;
	struct list	 argv, env;
	size_t		 nnull;
	size_t		 nproc;
	char		*name;
	char		*home;		/* real, or as given when it does not exist */
	char		*cwd;		/* real */
	struct buf	 watch;		/* see plan_watch(); empty = none */
	char		*shell;		/* see plan_shell(), NULL = none */
	bool		 git_link;	/* ".git" is a link: see plan_describe() */
	bool		 git_more;	/* too large a tree to find all repositories in */
};

/* ---- small things ---- */

static void list_add(struct list *l, char *s)
{
	if (l->n + 2 > l->cap) {
		l->cap = l->cap ? 2 * l->cap : 64;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
	}
	l->bytes += strlen(s) + 1;
	l->v[l->n++] = s;
	l->v[l->n] = NULL;
}

static void list_done(struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

/* Is @path @dir itself or below it? Both real. */
static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1)
		return true;		/* "/" */
	return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static char *join(const char *dir, const char *rest)
{
	if (!*rest)
		return xstrdup(dir);
	return xasprintf("%s%s%s", strcmp(dir, "/") == 0 ? "" : dir, *rest == '/' ? "" : "/", rest);
}

/* ---- the table of mounts ---- */

static struct mount *find(const struct plan *p, const char *dest)
{
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->mount[i].dest, dest) == 0)
			return &p->mount[i];
	}
	return NULL;
}

static void set_mount(struct mount *m, enum kind kind, const char *src)
{
	free(m->src);
	m->src = src ? xstrdup(src) : NULL;
	m->kind = kind;
	m->size = 0;
	m->mode = 0;
}

/* NULL only when there are too many. */
static struct mount *add(struct plan *p, enum kind kind, const char *src, const char *dest, struct err *e)
{
	struct mount *m = find(p, dest);

	if (m) {
		if (m->kind < kind)
			set_mount(m, kind, src);
		return m;
	}
	if (p->n == MAX_MOUNTS) {
		err_set(e, 0, "more than %d mounts", MAX_MOUNTS);
		return NULL;
	}
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->mount = xrealloc(p->mount, p->cap, sizeof(*p->mount));
	}
	m = &p->mount[p->n++];
	*m = (struct mount){ .dest = xstrdup(dest) };
	set_mount(m, kind, src);
	return m;
}

static int add_scratch(struct plan *p, const char *dest, size_t size, unsigned mode, struct err *e)
{
	struct mount *m = add(p, SCRATCH, NULL, dest, e);

	if (!m)
		return -1;
	if (m->kind == SCRATCH) {
		m->size = size ? size : SCRATCH_DEFAULT;
		m->mode = mode;
	}
	return 0;
}

/* What one finds at @path inside: the mount with the longest destination above it. */
static const struct mount *covering(const struct plan *p, const char *path)
{
	const struct mount *best = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct mount *m = &p->mount[i];

		if (below(path, m->dest) && (!best || strlen(m->dest) > strlen(best->dest)))
			best = m;
	}
	return best;
}

static bool is_bind(const struct mount *m)
{
	return m && (m->kind == RO || m->kind == RW);
}

/* Can the host's @path be seen at the same place inside? */
static bool visible(const struct plan *p, const char *path)
{
	const struct mount *m = covering(p, path);

	return is_bind(m) && strcmp(m->src, m->dest) == 0;
}

/* Cover the host's @real wherever a bind makes it visible: a link in the home may show it under another name. */
static int cover(struct plan *p, const char *real, enum kind dir_kind, struct err *e)
{
	enum kind kind = is_dir(real) ? dir_kind : dir_kind + 1;

	static_assert(MASK_FILE == MASK_DIR + 1 && HIDE_FILE == HIDE_DIR + 1, "pairs");
	for (size_t i = 0; i < p->n; i++) {
		CLEANUP(cleanup_freep) char *dest = NULL;

		if (!is_bind(&p->mount[i]) || !below(real, p->mount[i].src))
			continue;
		dest = join(p->mount[i].dest, real + (strcmp(p->mount[i].src, "/") ? strlen(p->mount[i].src) : 0));
		if (covering(p, dest) != &p->mount[i])
			continue;
		if (!add(p, kind, NULL, dest, e))
			return -1;
	}
	return 0;
}

/* ---- paths of the profile ---- */

/* Drop doubled slashes, "." and trailing slashes, in place. ".." is refused: what it means depends on links. */
static int clean(char *path, struct err *e)
{
	char *w = path;

	for (const char *r = path; *r; ) {
		size_t n;

		r += strspn(r, "/");
		n = strcspn(r, "/");
		if (n == 2 && r[0] == '.' && r[1] == '.')
			return err_set(e, 0, "\"..\" is not allowed here");
		if (n && !(n == 1 && r[0] == '.')) {
			*w++ = '/';
			memmove(w, r, n);
			w += n;
		}
		r += n;
	}
	if (w == path)
		*w++ = '/';
	*w = '\0';
	return 0;
}

/* "~/x" below the home, "x" below the workspace, "/x" as it is. */
static char *absolute(const struct plan *p, const struct plan_in *in, const char *path)
{
	if (strcmp(path, "~") == 0)
		return xstrdup(p->home);
	if (strncmp(path, "~/", 2) == 0)
		return join(p->home, path + 1);
	return path[0] == '/' ? xstrdup(path) : join(in->workspace, path);
}

typedef int path_fn(struct plan *p, const struct plan_in *in, const char *path, struct err *e);

static char *escape_glob(const char *s)
{
	char *out = xcalloc(2 * strlen(s) + 1, 1), *w = out;

	for (; *s; s++) {
		if (strchr("*?[]\\", *s))
			*w++ = '\\';
		*w++ = *s;
	}
	return out;
}

/* The part that we put before the profile's pattern may hold anything and is not a pattern. */
static char *glob_pattern(const struct plan *p, const struct plan_in *in, const char *path)
{
	CLEANUP(cleanup_freep) char *dir = NULL;

	if (path[0] == '/')
		return xstrdup(path);
	if (path[0] == '~' && (path[1] == '/' || !path[1])) {
		dir = escape_glob(p->home);
		return join(dir, path + 1);
	}
	dir = escape_glob(in->workspace);
	return join(dir, path);
}

static int each_match(struct plan *p, const struct plan_in *in, const char *path, path_fn *fn, struct err *e)
{
	CLEANUP(cleanup_freep) char *pattern = NULL;
	glob_t g;
	int r = 0;

	if (!strpbrk(path, "*?[")) {
		pattern = absolute(p, in, path);
		return clean(pattern, e) < 0 ? -1 : fn(p, in, pattern, e);
	}
	pattern = glob_pattern(p, in, path);
	r = glob(pattern, GLOB_NOSORT, NULL, &g);
	if (r == GLOB_NOMATCH)
		return 0;
	if (r != 0)
		return err_set(e, 0, "cannot expand %s", path);
	for (size_t i = 0; r == 0 && i < g.gl_pathc; i++) {
		r = clean(g.gl_pathv[i], e);
		if (r == 0)
			r = fn(p, in, g.gl_pathv[i], e);
	}
	globfree(&g);
	return r;
}

static int each(struct plan *p, const struct plan_in *in, const char *const *v, size_t n, path_fn *fn,
		const char *what, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (each_match(p, in, v[i], fn, e) < 0)
			return err_wrap(e, "%s %s", what, v[i]);
	}
	return 0;
}

/* Would showing @real show something that must be hidden or masked? What is below it is covered later. */
static bool forbidden(const struct plan *p, const struct plan_in *in, const char *real, bool masks)
{
	for (size_t i = 0; i < in->nhide; i++) {
		CLEANUP(cleanup_freep) char *h = realpath(in->hide[i], NULL);

		if (h && below(real, h))
			return true;
	}
	for (size_t i = 0; masks && i < in->profile->nmask; i++) {
		CLEANUP(cleanup_freep) char *a = absolute(p, in, in->profile->mask[i]);
		CLEANUP(cleanup_freep) char *m = realpath(a, NULL);

		if (m && below(real, m))
			return true;
	}
	return false;
}

/* A home path is shown at the name that programs use, also when that is a link. One that is a link into a masked
 * place is left out; one that is listed below a masked directory by its own name is an exception to the mask. */
static int add_read(struct plan *p, const struct plan_in *in, const char *path, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = realpath(path, NULL);

	if (!real || forbidden(p, in, real, strcmp(real, path) != 0))
		return 0;
	if (below(p->home, real))
		return err_set(e, 0, "would show the whole home directory");
	if (visible(p, real) && strcmp(real, path) == 0)
		return 0;
	return add(p, RO, real, below(path, p->home) ? path : real, e) ? 0 : -1;
}

static int check_writable(const struct plan *p, const char *real, struct err *e);

static int add_write(struct plan *p, const struct plan_in *in, const char *path, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = realpath(path, NULL);

	if (!real || forbidden(p, in, real, strcmp(real, path) != 0))
		return 0;
	if (check_writable(p, real, e) < 0)
		return -1;
	return add(p, RW, real, real, e) ? 0 : -1;
}

/* Read-only where it could be written; what is read-only or hidden already stays so. Whatever is writable further
 * down by the profile's word is not: nothing inside a protected directory may be. */
static int protect(struct plan *p, const char *real, struct err *e)
{
	const struct mount *m = covering(p, real);

	for (size_t i = 0; i < p->n; i++) {
		if (p->mount[i].kind == RW && below(p->mount[i].dest, real))
			p->mount[i].kind = RO;
	}
	if (!m || m->kind != RW)
		return 0;
	return add(p, RO, real, real, e) ? 0 : -1;
}

/* A name below the workspace that is not there. A link that leads nowhere is there, and can be replaced: it is watched
 * too. Patterns do not get here: they stand for what exists. */
static int watch_name(struct plan *p, const struct plan_in *in, const char *path, struct err *e)
{
	size_t n = strlen(in->workspace);

	if (!in->keep || !below(path, in->workspace) || path[n] != '/')
		return 0;
	return buf_add(&p->watch, path + n + 1, strlen(path + n)) < 0 ? err_set(e, E2BIG, "names to protect") : 0;
}

static int add_protect(struct plan *p, const struct plan_in *in, const char *path, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = realpath(path, NULL);

	return real ? protect(p, real, e) : watch_name(p, in, path, e);
}

/* Before the names: where they are kept, and the directory that is watched. */
static int begin_watch(struct plan *p, const struct plan_in *in, struct err *e)
{
	buf_init(&p->watch, MAX_ARGS);
	if (!in->keep)
		return 0;
	if (in->keep[0] != '/' || below(in->keep, in->workspace))
		return err_set(e, 0, "%s: not a directory outside of the workspace", in->keep);
	return buf_add(&p->watch, in->keep, strlen(in->keep) + 1) |
	       buf_add(&p->watch, in->workspace, strlen(in->workspace) + 1);
}

static int add_mask(struct plan *p, const struct plan_in *in, const char *path, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = realpath(path, NULL);

	(void)in;
	return real ? cover(p, real, MASK_DIR, e) : 0;
}

/* ---- what may be the workspace ---- */

/* Never writable as a whole; below some of them nothing is. */
static const struct system_place {
	const char	*path;
	bool		 whole;
} system_place[] = {
	{ "/",		false },
	{ "/bin",	true },		{ "/boot",	true },
	{ "/dev",	true },		{ "/etc",	false },
	{ "/home",	false },	{ "/lib",	true },
	{ "/lib64",	true },		{ "/media",	false },
	{ "/mnt",	false },	{ "/opt",	false },
	{ "/proc",	true },		{ "/root",	false },
	{ "/run",	false },	{ "/sbin",	true },
	{ "/srv",	false },	{ "/sys",	true },
	{ "/tmp",	false },	{ "/usr",	false },
	{ "/usr/bin",	true },		{ "/usr/lib",	true },
	{ "/usr/sbin",	true },		{ "/var",	false },
	{ "/var/lib",	false },	{ "/var/tmp",	false },
};

static int check_writable(const struct plan *p, const char *real, struct err *e)
{
	if (below(p->home, real))
		return err_set(e, 0, strcmp(p->home, real) ? "contains the home directory %s: choose a directory "
			       "that holds only the project" : "is the home directory %s: choose a project directory "
			       "in it", p->home);
	for (size_t i = 0; i < ARRAY_SIZE(system_place); i++) {
		const struct system_place *s = &system_place[i];

		if (s->whole ? below(real, s->path) : strcmp(real, s->path) == 0)
			return err_set(e, 0, "belongs to the system: choose a project directory");
	}
	if (below(PLAN_RUN_DIR, real) || below(real, PLAN_RUN_DIR))
		return err_set(e, 0, "is used inside the sandbox");
	return 0;
}

static int add_workspace(struct plan *p, const struct plan_in *in, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = realpath(in->workspace, NULL);

	if (!real)
		return err_set(e, errno, "workspace %s", in->workspace);
	if (!is_dir(real))
		return err_set(e, 0, "workspace %s: not a directory", in->workspace);
	if (strcmp(real, in->workspace) != 0)
		return err_set(e, 0, "workspace %s: not a real path (it is %s)", in->workspace, real);
	if (check_writable(p, real, e) < 0)
		return err_wrap(e, "workspace %s", real);
	if (forbidden(p, in, real, false))
		return err_set(e, 0, "workspace %s: holds files of sbxterm itself", real);
	return add(p, RW, real, real, e) ? 0 : -1;
}

static int add_repository(struct plan *p, const struct plan_in *in, const char *dir, struct err *e)
{
	struct gitdir g;
	int r = 0;

	gitdir_find(&g, dir);
	p->git_link |= g.is_link;
	for (size_t i = 0; r == 0 && i < g.n; i++) {
		const char *path = g.at[i].path;
		const struct mount *m = covering(p, path);

		if (g.at[i].expose && !is_bind(m) && !forbidden(p, in, path, true) && !below(p->home, path))
			r = add(p, RO, path, path, e) ? 0 : -1;
		else
			r = protect(p, path, e);
	}
	gitdir_done(&g);
	return r;
}

struct nested {
	struct plan		*plan;
	const struct plan_in	*in;
	struct err		*e;
};

static int add_nested(const char *dir, void *arg)
{
	struct nested *n = arg;

	return add_repository(n->plan, n->in, dir, n->e);
}

static int add_git(struct plan *p, const struct plan_in *in, struct err *e)
{
	struct nested n = { .plan = p, .in = in, .e = e };
	int r = add_repository(p, in, in->workspace, e);

	if (r == 0)
		r = gitdir_nested(in->workspace, add_nested, &n);
	p->git_more = r > 0;
	return MIN(r, 0);
}

/* ---- programs that go by way of the host ---- */

/* The first of that name in the PATH of the sandbox that is a program, as its real path; NULL: none. */
static char *find_program(const struct plan *p, const char *name)
{
	const char *path = NULL;

	for (size_t i = 0; i < p->env.n; i++)
		path = strncmp(p->env.v[i], "PATH=", 5) ? path : p->env.v[i] + 5;
	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		CLEANUP(cleanup_freep) char *dir = NULL;
		CLEANUP(cleanup_freep) char *file = NULL;
		CLEANUP(cleanup_freep) char *real = NULL;
		struct stat st;

		n = strcspn(path, ":");
		dir = xmemdup0(path, n);
		file = join(dir, name);
		real = *dir == '/' ? realpath(file, NULL) : NULL;
		if (real && stat(real, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 0111)
			return STEAL(real);
	}
	return NULL;
}

/* git's calls may need a grant: sbx-detour stands where it is, and finds the real one in PLAN_REAL_DIR. */
static int add_detours(struct plan *p, const struct plan_in *in, struct err *e)
{
	CLEANUP(cleanup_freep) char *shim = in->libexec ? join(in->libexec, "sbx-detour") : NULL;
	CLEANUP(cleanup_freep) char *shim_real = shim ? realpath(shim, NULL) : NULL;
	CLEANUP(cleanup_freep) char *git = in->gate_dir && shim_real ? find_program(p, "git") : NULL;

	if (!git || !visible(p, git) || strcmp(git + strlen(git) - 4, "/git") != 0)
		return 0;
	return add(p, RO, git, PLAN_REAL_DIR "/git", e) && add(p, RO, shim_real, git, e) ? 0 : -1;
}

/* ---- the base ---- */

/* Covered where they exist and we could read them. A caller that is root keeps its user id inside, and with it
 * what files of root allow without any capability. */
static const char *const root_secrets[] = {
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/security/opasswd",
	"/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/etc/letsencrypt", "/etc/wireguard",
	"/etc/NetworkManager/system-connections", "/etc/krb5.keytab", "/var/backups", "/var/lib/private",
	"/var/spool/cron", "/var/mail", "/var/spool/mail", "/sys/kernel/debug", "/sys/kernel/tracing",
	"/sys/kernel/security", "/sys/fs/bpf", "/sys/fs/pstore", "/sys/firmware/efi/efivars",
};

static int add_private(struct plan *p, const char *path, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = realpath(path, NULL);

	if (!real || !is_dir(real))
		return 0;
	return add(p, PRIVATE, NULL, real, e) ? 0 : -1;
}

static bool is_system_place(const char *real)
{
	for (size_t i = 0; i < ARRAY_SIZE(system_place); i++) {
		if (strcmp(real, system_place[i].path) == 0 ||
		    (system_place[i].whole && below(real, system_place[i].path)))
			return true;
	}
	return false;
}

/* HOME can point anywhere; the home of the account is hidden as well. */
static int hide_account_home(struct plan *p, struct err *e)
{
	const struct passwd *pw = getuid() >= FIRST_USER ? getpwuid(getuid()) : NULL;
	CLEANUP(cleanup_freep) char *real = pw && pw->pw_dir ? realpath(pw->pw_dir, NULL) : NULL;

	if (!real || is_system_place(real))
		return 0;
	return add_private(p, real, e);
}

static int add_home(struct plan *p, const struct plan_in *in, struct err *e)
{
	if (add_private(p, "/root", e) < 0 || add_private(p, "/home", e) < 0 || hide_account_home(p, e) < 0)
		return -1;
	if (!is_dir(p->home))
		return 0;
	/* A home that is /root itself must stay writable. */
	if (find(p, p->home))
		find(p, p->home)->kind = SCRATCH;
	return add_scratch(p, p->home, in->profile->home_bytes, 0700, e);
}

static int add_base(struct plan *p, const struct plan_in *in, struct err *e)
{
	static const char *const temp[] = { "/tmp", "/var/tmp" };
	size_t cap = in->profile->tmp_bytes;

	if (!add(p, RO, "/", "/", e) || !add(p, DEV, NULL, "/dev", e) || !add(p, PROC, NULL, "/proc", e) ||
	    !add(p, PRIVATE, NULL, "/run", e) || add_scratch(p, "/dev/shm", cap, 01777, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(temp); i++) {
		CLEANUP(cleanup_freep) char *real = realpath(temp[i], NULL);

		if (real && add_scratch(p, real, cap, 01777, e) < 0)
			return -1;
	}
	return add_home(p, in, e);
}

/* XDG_RUNTIME_DIR as programs expect it: there, empty, ours. Only below the private /run or the private /tmp. */
static int add_runtime_dir(struct plan *p, struct err *e)
{
	static const char name[] = "XDG_RUNTIME_DIR=/run/user/";

	for (size_t i = 0; i < p->env.n; i++) {
		const char *dir = p->env.v[i] + strlen("XDG_RUNTIME_DIR=");

		if (strncmp(p->env.v[i], name, sizeof(name) - 1) == 0 && !strstr(dir, "/.") && !strstr(dir, "//") &&
		    dir[strlen(dir) - 1] != '/')
			return add_scratch(p, dir, 16 * SMALL, 0700, e);
	}
	return 0;
}

static int add_run_dir(struct plan *p, const struct plan_in *in, struct err *e)
{
	const struct { const char *src, *dest; } bind[] = {
		{ in->libexec,		PLAN_RUN_DIR "/bin" },
		{ in->integration,	PLAN_RUN_DIR "/shell" },
	};

	if (!in->libexec)
		return err_set(e, 0, "the helper programs are missing (sbx-init): install sbxterm again");
	for (size_t i = 0; i < ARRAY_SIZE(bind); i++) {
		CLEANUP(cleanup_freep) char *real = bind[i].src ? realpath(bind[i].src, NULL) : NULL;

		if (bind[i].src && !real)
			return err_set(e, errno, "%s", bind[i].src);
		if (real && !add(p, RO, real, bind[i].dest, e))
			return -1;
	}
	return 0;
}

/* System-wide start-up files of interactive shells: also a nested shell finds the integration. */
static const struct { const char *file, *over; } startup[] = {
	{ "bash.rc", "/etc/bash.bashrc" },
};

static int add_startup(struct plan *p, const struct plan_in *in, struct err *e)
{
	for (size_t i = 0; in->integration && i < ARRAY_SIZE(startup); i++) {
		CLEANUP(cleanup_freep) char *src = join(in->integration, startup[i].file);
		CLEANUP(cleanup_freep) char *real = realpath(src, NULL);
		CLEANUP(cleanup_freep) char *over = realpath(startup[i].over, NULL);

		CLEANUP(cleanup_freep) char *kept = xasprintf(PLAN_RUN_DIR "%s", startup[i].over);

		/* What was there before is read by ours from where it is kept. */
		if (real && over && visible(p, over) && (!add(p, RO, over, kept, e) || !add(p, RO, real, over, e)))
			return -1;
	}
	return 0;
}

/* The shell that sbxterm has its integration in. Where its program is hidden or the profile can write to it, it is
 * left as it is. */
static int add_shell(struct plan *p, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = realpath("/bin/bash", NULL);
	const struct mount *m = real ? covering(p, real) : NULL;

	if (!m || m->kind != RO || access(real, R_OK | X_OK) < 0)
		return 0;
	if (!add(p, EXEC_ONLY, NULL, real, e))
		return -1;
	p->shell = STEAL(real);
	return 0;
}

/* ---- what sbxterm itself must keep out of sight ---- */

static bool is_writable_inside(const struct plan *p, const char *path)
{
	const struct mount *m = covering(p, path);

	return m && m->kind == RW;
}

/* The parts of @path that exist, made real: what is made later lies below it. */
static char *real_part(const char *path, bool *whole)
{
	CLEANUP(cleanup_freep) char *s = xstrdup(path);
	char *real;

	*whole = true;
	while (!(real = realpath(s, NULL))) {
		char *slash = strrchr(s, '/');

		*whole = false;
		if (!slash)
			return NULL;
		slash[slash == s] = '\0';
	}
	return real;
}

static int add_hide(struct plan *p, const struct plan_in *in, struct err *e)
{
	for (size_t i = 0; i < in->nhide; i++) {
		bool whole;
		CLEANUP(cleanup_freep) char *real = real_part(in->hide[i], &whole);

		if (in->hide[i][0] != '/' || !real)
			return err_set(e, 0, "cannot hide %s: not an absolute path", in->hide[i]);
		if (is_writable_inside(p, real))
			return err_set(e, 0, "%s lies where the sandbox may write: move it outside of the workspace",
				       in->hide[i]);
		if (!whole && visible(p, real))
			return err_set(e, ENOENT, "cannot hide %s", in->hide[i]);
		if (whole && cover(p, real, HIDE_DIR, e) < 0)
			return -1;
	}
	return 0;
}

static int hide_socket(const char *path, void *arg, struct err *e)
{
	return cover(arg, path, MASK_DIR, e);
}

/* After the host's sockets were covered: the gate's is the one that must be seen. */
static int add_gate(struct plan *p, const struct plan_in *in, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = in->gate_dir ? realpath(in->gate_dir, NULL) : NULL;

	if (!in->gate_dir)
		return 0;
	if (!real)
		return err_set(e, errno, "%s", in->gate_dir);
	return add(p, RO, real, PLAN_RUN_DIR "/gate", e) ? 0 : -1;
}

static int add_root_secrets(struct plan *p, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(root_secrets); i++) {
		CLEANUP(cleanup_freep) char *real = realpath(root_secrets[i], NULL);

		if (real && access(real, R_OK) == 0 && cover(p, real, MASK_DIR, e) < 0)
			return -1;
	}
	return 0;
}

/* ---- environment ---- */

static bool name_matches(const char *pattern, const char *name, size_t len)
{
	size_t n = strlen(pattern);

	if (n && pattern[n - 1] == '*')
		return len >= n - 1 && strncmp(pattern, name, n - 1) == 0;
	return n == len && strncmp(pattern, name, n) == 0;
}

static bool env_allowed(const struct conf_profile *pr, const char *var)
{
	size_t len = strcspn(var, "=");

	for (size_t i = 0; i < pr->nenv; i++) {
		if (var[len] == '=' && len && name_matches(pr->env[i], var, len))
			return true;
	}
	return false;
}

/* A later value takes the place of an earlier one. Takes @var. */
static void env_put(struct plan *p, char *var)
{
	size_t len = strcspn(var, "=") + 1;

	for (size_t i = 0; i < p->env.n; i++) {
		if (strncmp(p->env.v[i], var, len) == 0) {
			free(p->env.v[i]);
			p->env.v[i] = var;
			return;
		}
	}
	list_add(&p->env, var);
}

static int build_env(struct plan *p, const struct plan_in *in, struct err *e)
{
	const struct conf_profile *pr = in->profile;

	for (char *const *v = in->environ; v && *v; v++) {
		if (env_allowed(pr, *v))
			env_put(p, xstrdup(*v));
	}
	for (size_t i = 0; i < pr->nsetenv; i++) {
		if (!strchr(pr->setenv[i], '=') || pr->setenv[i][0] == '=')
			return err_set(e, 0, "setenv %s: NAME=value expected", pr->setenv[i]);
		env_put(p, xstrdup(pr->setenv[i]));
	}
	env_put(p, xasprintf("HOME=%s", p->home));
	if (in->term)
		env_put(p, xasprintf("TERM=%s", in->term));
	return 0;
}

/* ---- arguments ---- */

static void arg(struct plan *p, const char *s)
{
	list_add(&p->argv, xstrdup(s));
}

static void args(struct plan *p, const char *a, const char *b, const char *c)
{
	arg(p, a);
	if (b)
		arg(p, b);
	if (c)
		arg(p, c);
}

static void arg_num(struct plan *p, const char *option, const char *fmt, size_t value)
{
	char num[32];

	snprintf(num, sizeof(num), strcmp(fmt, "o") == 0 ? "%04zo" : "%zu", value);
	args(p, option, num, NULL);
}

static void emit_tmpfs(struct plan *p, const char *dest, size_t size, unsigned mode)
{
	arg_num(p, "--perms", "o", mode ? mode : 0755);
	arg_num(p, "--size", "u", size ? size : SMALL);
	args(p, "--tmpfs", dest, NULL);
}

static int emit_mount(struct plan *p, const struct mount *m, struct err *e)
{
	switch (m->kind) {
	case RO:
		args(p, "--ro-bind", m->src, m->dest);
		return 0;
	case RW:
		args(p, "--bind", m->src, m->dest);
		return 0;
	case MASK_FILE:
	case HIDE_FILE:
		if (p->nnull == PLAN_MAX_NULL)
			return err_set(e, 0, "more than %d files to mask", PLAN_MAX_NULL);
		arg_num(p, "--ro-bind-data", "u", PLAN_FD_NULL + p->nnull++);
		arg(p, m->dest);
		return 0;
	case EXEC_ONLY:
		args(p, "--perms", "0111", NULL);
		arg_num(p, "--ro-bind-data", "u", PLAN_FD_SHELL);
		arg(p, m->dest);
		return 0;
	case DEV:
		args(p, "--dev", m->dest, NULL);
		return 0;
	case PROC:
		args(p, "--proc", m->dest, NULL);
		return 0;
	case SCRATCH:
	case PRIVATE:
	case MASK_DIR:
	case HIDE_DIR:
		emit_tmpfs(p, m->dest, m->size, m->mode);
		return 0;
	}
	return err_set(e, 0, "mount of an unknown kind");
}

/* Parents before children: as if '/' were the smallest byte. */
static int by_dest(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)((const struct mount *)a)->dest;
	const unsigned char *y = (const unsigned char *)((const struct mount *)b)->dest;

	while (*x && *x == *y)
		x++, y++;
	return (*x == '/' ? 1 : *x) - (*y == '/' ? 1 : *y);
}

static const char *const fixed[] = {
	"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup",
	"--disable-userns", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", NULL,
};

/* /proc too: root keeps its user id inside, and may write /proc/sys and sysrq-trigger without any capability. */
static const bool read_only_at_end[] = {
	[PRIVATE] = true, [DEV] = true, [PROC] = true, [MASK_DIR] = true, [HIDE_DIR] = true, [HIDE_FILE] = false,
};

static int build_argv(struct plan *p, struct err *e)
{
	const char *bwrap = plan_bwrap();

	/* Data without bubblewrap too (tests, check --explain); the spawner refuses to start it. */
	arg(p, bwrap ? bwrap : "bwrap");
	for (const char *const *f = fixed; *f; f++)
		arg(p, *f);
	qsort(p->mount, p->n, sizeof(*p->mount), by_dest);
	for (size_t i = 0; i < p->n; i++) {
		if (emit_mount(p, &p->mount[i], e) < 0)
			return -1;
	}
	/* Only now, when every mount point in them has been made. */
	for (size_t i = 0; i < p->n; i++) {
		if (read_only_at_end[p->mount[i].kind])
			args(p, "--remount-ro", p->mount[i].dest, NULL);
	}
	args(p, "--chdir", p->cwd, NULL);
	return p->argv.bytes > MAX_ARGS ? err_set(e, E2BIG, "arguments") : 0;
}

/* ---- building ---- */

static int set_cwd(struct plan *p, const struct plan_in *in, struct err *e)
{
	p->cwd = realpath(in->cwd, NULL);
	if (!p->cwd)
		return err_set(e, errno, "directory %s", in->cwd);
	if (!is_dir(p->cwd) || !visible(p, p->cwd))
		return err_set(e, 0, "directory %s: not visible in the sandbox", in->cwd);
	return 0;
}

static int set_home(struct plan *p, const char *home, struct err *e)
{
	char *real;

	if (!home || home[0] != '/')
		return err_set(e, 0, "HOME is not set to an absolute path");
	real = realpath(home, NULL);
	p->home = real ? real : xstrdup(home);
	if (strcmp(p->home, "/") == 0)
		return err_set(e, 0, "HOME is /: it cannot be hidden; set HOME to a directory of its own");
	return 0;
}

static int build(struct plan *p, const struct plan_in *in, struct err *e)
{
	const struct conf_profile *pr = in->profile;

	if (set_home(p, in->home, e) < 0 || build_env(p, in, e) < 0 || add_base(p, in, e) < 0 ||
	    add_runtime_dir(p, e) < 0 || add_run_dir(p, in, e) < 0)
		return -1;
	if (each(p, in, pr->read, pr->nread, add_read, "read", e) < 0 || add_workspace(p, in, e) < 0 ||
	    each(p, in, pr->write, pr->nwrite, add_write, "write", e) < 0)
		return -1;
	if (begin_watch(p, in, e) < 0 || add_git(p, in, e) < 0 || each(p, in, pr->protect, pr->nprotect, add_protect, "protect", e) < 0 ||
	    add_startup(p, in, e) < 0 || add_detours(p, in, e) < 0 || add_shell(p, e) < 0)
		return -1;
	/* Covers come last: they look at what the mounts so far show. */
	if (each(p, in, pr->mask, pr->nmask, add_mask, "mask", e) < 0 || add_root_secrets(p, e) < 0 ||
	    hostsock_each(hide_socket, p, e) < 0 || add_hide(p, in, e) < 0 ||
	    add_gate(p, in, e) < 0 || set_cwd(p, in, e) < 0)
		return -1;
	return build_argv(p, e);
}

int plan_build(const struct plan_in *in, struct plan **out, struct err *e)
{
	struct plan *p = xcalloc(1, sizeof(*p));

	p->name = xstrdup(in->profile->name ? in->profile->name : "default");
	p->nproc = in->profile->nproc;
	if (build(p, in, e) < 0) {
		plan_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		free(p->mount[i].dest);
		free(p->mount[i].src);
	}
	free(p->mount);
	list_done(&p->argv);
	list_done(&p->env);
	free(p->name);
	free(p->home);
	free(p->shell);
	buf_done(&p->watch);
	free(p->cwd);
	free(p);
}

/* ---- reading ---- */

char *const *plan_argv(const struct plan *p)
{
	return p->argv.v;
}

char *const *plan_env(const struct plan *p)
{
	return p->env.v;
}

const struct buf *plan_watch(const struct plan *p)
{
	return p->watch.len ? &p->watch : NULL;
}

const char *plan_shell(const struct plan *p)
{
	return p->shell;
}

size_t plan_nnull(const struct plan *p)
{
	return p->nnull;
}

size_t plan_nproc(const struct plan *p)
{
	return p->nproc;
}

const char *plan_name(const struct plan *p)
{
	return p->name;
}

const char *const *plan_flags(void)
{
	return fixed;
}

const char *plan_bwrap(void)
{
	static const char *const place[] = {
		"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap",
	};

	for (size_t i = 0; i < ARRAY_SIZE(place); i++) {
		if (access(place[i], X_OK) == 0)
			return place[i];
	}
	return NULL;
}

static void describe_mount(struct buf *b, const struct mount *m)
{
	buf_addf(b, "%-16s %s", kind_text[m->kind], m->dest);
	if (m->src && strcmp(m->src, m->dest) != 0)
		buf_addf(b, " (from %s)", m->src);
	if (m->kind == SCRATCH)
		buf_addf(b, " (at most %zu MiB)", (m->size + SMALL - 1) / SMALL);
	buf_addc(b, '\n');
}

char *plan_describe(const struct plan *p)
{
	const int abi = spawner_landlock();
	const char *lacks = spawner_landlock_lacks(abi);
	struct buf b;

	buf_init(&b, MAX_ARGS);
	for (size_t i = 0; i < p->n; i++)
		describe_mount(&b, &p->mount[i]);
	buf_adds(&b, "network          none\n");
	if (p->nproc)
		buf_addf(&b, "processes        at most %zu\n", p->nproc);
	if (p->watch.len)
		buf_adds(&b, "held back        protected names that appear in the workspace\n");
	if (lacks)
		buf_addf(&b, "note             Landlock version %d here: %s\n", abi, lacks);
	buf_adds(&b, "environment     ");
	for (size_t i = 0; i < p->env.n; i++)
		buf_addf(&b, " %.*s", (int)strcspn(p->env.v[i], "="), p->env.v[i]);
	buf_addc(&b, '\n');
	if (p->git_link)
		buf_adds(&b, "note             .git is a symbolic link: its target is read-only, the link can be replaced\n");
	if (p->git_more)
		buf_adds(&b, "note             a large tree: repositories deep in it may not have been found\n");
	return buf_steal(&b);
}

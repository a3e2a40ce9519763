/* intercept/paths.c - where a word points */
#include "intercept/paths.h"

#include "intercept/winpath.h"

#include <assert.h>
#include <fnmatch.h>
#include <string.h>

#define PATH_LINKS	40	/* as the kernel */
#define PATH_BYTES	8192

const char *const zone_phrase[ZONE_COUNT] = {
	[ZONE_UNKNOWN]		= "not known",
	[ZONE_EMPTY]		= "empty",
	[ZONE_SINK]		= "a terminal or /dev/null",
	[ZONE_NETDEV]		= "the network",
	[ZONE_DEVICE]		= "a device",
	[ZONE_ROOT]		= "the root or a home directory",
	[ZONE_SYSTEM_ROOT]	= "a system directory",
	[ZONE_SYSTEM]		= "a system file",
	[ZONE_SHARED]		= "outside the workspace",
	[ZONE_HOME]		= "in the home directory",
	[ZONE_WORKSPACE_ROOT]	= "the whole workspace",
	[ZONE_WORKSPACE]	= "in the workspace",
	[ZONE_SCRATCH_ROOT]	= "all scratch space",
	[ZONE_SCRATCH]		= "scratch space",
	[ZONE_OUTSIDE]		= "outside the workspace",
};
static_assert(ARRAY_SIZE(zone_phrase) == ZONE_COUNT, "name every zone");

/* Trees that a machine cannot run without: nothing below them is an agent's business. */
static const char *const vital[] = {
	"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr", "/run",
	"/System", "/Library", "/Applications", "/private/etc", "/private/var",
};
/* Trees below those, and others, that hold data: asked below, denied as a whole. */
static const char *const shared[] = {
	"/var", "/opt", "/srv", "/mnt", "/media", "/usr/local", "/usr/src", "/var/lib", "/var/log", "/var/cache",
	"/var/www", "/var/mail", "/var/spool", "/run/user", "/snap", "/nix", "/lost+found", "/Volumes",
};

bool paths_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (len && dir[len - 1] == '/')
		len--;
	return strncmp(path, dir, len) == 0 && path[len] == '/' && path[len + 1];
}

static bool same_or_above(const char *path, const char *of)
{
	return !strcmp(path, of) || !strcmp(path, "/") || paths_below(of, path);
}

static size_t parent_len(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return len > 1 ? len - 1 : len;
}

/* Append one name to an absolute path of @len bytes. */
static int push_name(char *out, size_t *len, const char *name, size_t n)
{
	if (!n || (n == 1 && name[0] == '.'))
		return 0;
	if (n == 2 && name[0] == '.' && name[1] == '.') {
		*len = parent_len(out, *len);
		out[*len] = 0;
		return 0;
	}
	if (*len + n + 2 > PATH_BYTES)
		return -1;
	if (*len > 1)
		out[(*len)++] = '/';
	memcpy(out + *len, name, n);
	*len += n;
	out[*len] = 0;
	return 0;
}

static int push_all(char *out, size_t *len, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "/");

		if (push_name(out, len, text, n) < 0)
			return -1;
		text += n;
		text += strspn(text, "/");
	}
	return 0;
}

char *paths_normal(struct arena *mem, const char *text, const char *cwd)
{
	char out[PATH_BYTES] = "/";
	size_t len = 1;

	if (text[0] != '/' && (!cwd || push_all(out, &len, cwd) < 0))
		return NULL;
	if (push_all(out, &len, text) < 0)
		return NULL;
	return arena_strndup(mem, out, len);
}

/* ---- links --------------------------------------------------------------------------------- */

struct walk {
	struct paths	*p;
	char		 out[PATH_BYTES];
	size_t		 len;
	unsigned	 links;
	bool		 through;
};

static int walk_text(struct walk *w, const char *text, bool follow);

void paths_add_link(struct paths *p, const char *abs, const char *target, size_t after)
{
	struct paths_link *l = arena_alloc(p->mem, sizeof(*l));

	if (!l || !abs || !target)
		return;
	*l = (struct paths_link){ p->link, abs, target, after };
	p->link = l;
}

static const char *made_link(const struct paths *p, const char *abs)
{
	for (const struct paths_link *l = p->link; l; l = l->next) {
		if (l->after <= p->at && !strcmp(l->abs, abs))
			return l->target;
	}
	return NULL;
}

static int walk_through(struct walk *w, const char *target)
{
	w->through = true;
	w->len = target[0] == '/' ? 1 : parent_len(w->out, w->len);
	w->out[0] = '/';
	w->out[w->len] = 0;
	return walk_text(w, target, true);
}

/* The name just added may be a link: replace it by where it leads. */
static int walk_link(struct walk *w)
{
	const struct world *world = w->p->world;
	const char *made = made_link(w->p, w->out);
	struct buf target;
	int rc = 0;

	if (!made && (!world || world->type(world->arg, w->out) != WORLD_LINK))
		return 0;
	if (++w->links > PATH_LINKS)
		return -1;
	if (made)
		return walk_through(w, made);
	buf_init(&target, PATH_BYTES);
	if (world->link(world->arg, w->out, &target) == 0)
		rc = walk_through(w, buf_str(&target));
	buf_done(&target);
	return rc;
}

/* Physical: ".." after a link means the parent of where it leads. A pattern ends the walk. */
static int walk_text(struct walk *w, const char *text, bool follow)
{
	while (*text) {
		size_t n = strcspn(text, "/");
		const char *rest = text + n + strspn(text + n, "/");

		if (push_name(w->out, &w->len, text, n) < 0)
			return -1;
		if (n && (*rest || text[n] == '/' || follow) && walk_link(w) < 0)
			return -1;
		text = rest;
	}
	return 0;
}

static char *resolve(struct paths *p, const char *text, const char *cwd, bool follow, bool *through)
{
	struct walk w = { .p = p, .out = "/", .len = 1 };

	*through = false;
	if (text[0] != '/') {
		if (!cwd || walk_text(&w, cwd, true) < 0)
			return NULL;
		w.through = false;
	}
	if (walk_text(&w, text, follow) < 0)
		return NULL;
	*through = w.through;
	return arena_strndup(p->mem, w.out, w.len);
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Names of @pattern: how many of the path's first names it speaks about. */
static size_t count_names(const char *pattern, size_t len)
{
	size_t n = 1;

	for (size_t i = 0; i < len; i++)
		n += pattern[i] == '/';
	return n;
}

/* Does @pattern (no leading or trailing slash) match @path from its beginning, up to a whole number of names? */
static bool match_prefix(const char *pattern, size_t plen, bool glob, const char *path)
{
	char head[PATH_BYTES], want[PATH_BYTES];
	size_t names, n = 0;

	if (!glob)
		return !strncmp(path, pattern, plen) && (!path[plen] || path[plen] == '/');
	if (plen >= sizeof(want))
		return false;
	/* most names differ in the first letter: that is cheaper than a match */
	if (!strchr("*?[", pattern[0]) && pattern[0] != path[0])
		return false;
	names = count_names(pattern, plen);
	for (; path[n] && n + 1 < sizeof(head); n++) {
		if (path[n] == '/' && --names == 0)
			break;
		head[n] = path[n];
	}
	head[n] = 0;
	memcpy(want, pattern, plen);
	want[plen] = 0;
	return fnmatch(want, head, FNM_PATHNAME) == 0;
}

/* "~/x" below the home, "/x" absolute, "x" at any depth. @abs begins with a slash. */
static bool listed_one(const struct paths *p, const char *pattern, const char *abs)
{
	size_t len = strlen(pattern), home = p->line->home ? strlen(p->line->home) : 0;
	bool glob = strpbrk(pattern, "*?[") != NULL;

	while (len > 1 && pattern[len - 1] == '/')
		len--;
	if (!strncmp(pattern, "~/", 2))
		return home > 1 && !strncmp(abs, p->line->home, home) && abs[home] == '/' &&
		       match_prefix(pattern + 2, len - 2, glob, abs + home + 1);
	if (pattern[0] == '/')
		return match_prefix(pattern + 1, len - 1, glob, abs + 1);
	for (const char *s = abs; s; s = strchr(s, '/')) {
		s += *s == '/';
		if (*s && match_prefix(pattern, len, glob, s))
			return true;
	}
	return false;
}

bool paths_listed(const struct paths *p, const char *const *list, size_t n, const char *abs)
{
	for (size_t i = 0; i < n; i++) {
		if (listed_one(p, list[i], abs))
			return true;
	}
	return false;
}

/* ---- zones --------------------------------------------------------------------------------- */

static bool in(const char *const *list, size_t n, const char *abs, bool below)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(abs, list[i]) || (below && paths_below(abs, list[i])))
			return true;
	}
	return false;
}

static enum zone device_zone(const char *abs)
{
	static const char *const sinks[] = {
		"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr",
		"/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/fd", "/dev/pts",
	};
	const char *name = abs + strlen("/dev/");

	if (in(sinks, ARRAY_SIZE(sinks), abs, false) || !strncmp(name, "fd/", 3) || !strncmp(name, "pts/", 4))
		return ZONE_SINK;
	if (!strncmp(name, "tcp/", 4) || !strncmp(name, "udp/", 4))
		return ZONE_NETDEV;
	if (!strncmp(name, "shm/", 4))
		return ZONE_SCRATCH;
	return ZONE_DEVICE;
}

/* A home of anybody: /root, or a name directly below /home or /Users. */
static bool is_home(const struct paths *p, const char *abs)
{
	const char *rest = NULL;

	if (!strcmp(abs, "/root") || (p->line->home && !strcmp(abs, p->line->home)))
		return true;
	if (paths_below(abs, "/home"))
		rest = abs + strlen("/home/");
	else if (paths_below(abs, "/Users"))
		rest = abs + strlen("/Users/");
	return rest && !strchr(rest, '/');
}

static bool is_scratch_root(const struct paths *p, const char *abs)
{
	return in(p->conf->scratch, p->conf->nscratch, abs, false) || !strcmp(abs, "/dev/shm");
}

static enum zone tree_zone(const struct paths *p, const char *abs)
{
	if (in(p->conf->scratch, p->conf->nscratch, abs, true))
		return is_scratch_root(p, abs) ? ZONE_SCRATCH_ROOT : ZONE_SCRATCH;
	if (in(vital, ARRAY_SIZE(vital), abs, false) || in(shared, ARRAY_SIZE(shared), abs, false))
		return ZONE_SYSTEM_ROOT;
	if (in(shared, ARRAY_SIZE(shared), abs, true))
		return ZONE_SHARED;
	if (in(vital, ARRAY_SIZE(vital), abs, true))
		return strchr(abs + 1, '/') == strrchr(abs, '/') && !strncmp(abs, "/usr/", 5) ? ZONE_SYSTEM_ROOT : ZONE_SYSTEM;
	if (in(p->conf->system_tree, p->conf->nsystem_tree, abs, true))
		return in(p->conf->system_tree, p->conf->nsystem_tree, abs, false) ? ZONE_SYSTEM_ROOT : ZONE_SYSTEM;
	return ZONE_OUTSIDE;
}

/* The strictest reading first, but a workspace may lie anywhere (below /tmp, /srv, a home). */
static enum zone zone_of(const struct paths *p, const char *abs)
{
	const char *ws = p->line->workspace, *home = p->line->home;

	if (ws && *ws && strcmp(ws, "/") != 0 && paths_below(abs, ws))
		return ZONE_WORKSPACE;
	if (paths_below(abs, "/dev"))
		return device_zone(abs);
	if (winpath_is(abs)) {
		enum zone z = winpath_zone(p->line, abs);

		return z == ZONE_OUTSIDE && ws && *ws && same_or_above(abs, ws) ? ZONE_WORKSPACE_ROOT : z;
	}
	if (!strcmp(abs, "/") || is_home(p, abs) || (home && *home && same_or_above(abs, home)) ||
	    !strcmp(abs, "/home") || !strcmp(abs, "/Users"))
		return ZONE_ROOT;
	if (is_scratch_root(p, abs))
		return ZONE_SCRATCH_ROOT;
	if (in(vital, ARRAY_SIZE(vital), abs, false) || in(shared, ARRAY_SIZE(shared), abs, false))
		return ZONE_SYSTEM_ROOT;
	if (ws && *ws && same_or_above(abs, ws))
		return ZONE_WORKSPACE_ROOT;
	if (home && paths_below(abs, home))
		return ZONE_HOME;
	return tree_zone(p, abs);
}

static bool is_guard(const char *abs)
{
	const char *s = strstr(abs, "/sbxterm");

	if (s && strcmp(s + strlen("/sbxterm"), "") != 0 && s[strlen("/sbxterm")] != '/')
		s = NULL;
	return (s && (strstr(abs, "/.config/") || strstr(abs, "/.local/") || strstr(abs, "/bin/") ||
		      !strncmp(abs, "/etc/", 5) || strstr(abs, "/share/") || strstr(abs, "/lib/") ||
		      strstr(abs, "/run/"))) ||
	       strstr(abs, "/.sbxterm/") || (strlen(abs) >= 9 && !strcmp(abs + strlen(abs) - 9, "/.sbxterm"));
}

static bool names_git(const char *abs)
{
	const char *s = strstr(abs, "/.git");

	return s && (s[5] == '/' || !s[5]);
}

/* Where version managers keep what a person installed. */
static bool is_toolchain(const struct paths *p, const char *abs)
{
	static const char *const dirs[] = {
		".nvm", ".cargo", ".rustup", ".pyenv", ".rbenv", ".rvm", ".asdf", ".sdkman", ".volta", ".nodenv", ".goenv", ".bun",
		".deno", ".local/share/mise", ".local/share/pnpm", ".ghcup", ".opam", ".dotnet", ".fnm", "go",
	};
	size_t home = p->line->home ? strlen(p->line->home) : 0;

	if (!home || !paths_below(abs, p->line->home))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		size_t n = strlen(dirs[i]);

		if (!strncmp(abs + home + 1, dirs[i], n) && abs[home + 1 + n] == '/')
			return true;
	}
	return false;
}

/* What lies beside keys and is meant to be shown: public keys, known hosts, ssh's settings. */
static bool is_public(const char *abs, const char *base)
{
	size_t n = strlen(base);

	if (!strstr(abs, "/.ssh/"))
		return false;
	return (n > 4 && !strcmp(base + n - 4, ".pub")) || !strcmp(base, "/known_hosts") || !strcmp(base, "/known_hosts.old") ||
	       !strcmp(base, "/config") || !strcmp(base, "/allowed_signers");
}

/* Names that hold rubbish in one project and work in the next: only where git ignores them. */
static const char *const if_ignored[] = {
	"tmp", "temp", "logs", "log", "cache", "artifacts", "generated", "gen", "reports", "results", "wheels", "*.pid", "*.swp", "*.bak", "*.orig",
};

/* The mark that a program puts into a directory which it can make again (bford.info/cachedir). */
static bool tagged_cache(const struct paths *p, const char *abs)
{
	char *tag = arena_printf(p->mem, "%s/CACHEDIR.TAG", abs);
	enum world_type t = tag && p->world ? p->world->type(p->world->arg, tag) : WORLD_UNKNOWN;

	return t == WORLD_FILE || t == WORLD_OTHER;
}

bool paths_is_output(const struct paths *p, const char *abs)
{
	if (!p->line->workspace || !paths_below(abs, p->line->workspace) || !p->world)
		return false;
	return tagged_cache(p, abs) || (paths_listed(p, if_ignored, ARRAY_SIZE(if_ignored), abs + strlen(p->line->workspace)) &&
					p->world->git(p->world->arg, abs) == WORLD_GIT_IGNORED);
}

static unsigned flags_of(const struct paths *p, const char *abs, enum zone zone)
{
	const struct conf *c = p->conf;
	const char *base = strrchr(abs, '/'), *rel = abs;
	unsigned f = 0;

	if (zone == ZONE_WORKSPACE)
		rel = abs + strlen(p->line->workspace);
	if (paths_listed(p, c->secret, c->nsecret, abs) || fnmatch("/proc/*/environ", abs, FNM_PATHNAME) == 0)
		f |= PATH_SECRET;
	if (base && is_public(abs, base))
		f &= ~(unsigned)PATH_SECRET;
	if ((f & PATH_SECRET) && (zone == ZONE_WORKSPACE || !strncmp(base, "/.env", 5)))
		f |= PATH_ENV_FILE;
	if (paths_listed(p, c->protected_file, c->nprotected_file, abs))
		f |= PATH_PROTECTED;
	if (winpath_is(abs))
		f |= winpath_flags(p->line, abs);
	if (base && (!strcmp(base, "/authorized_keys") || !strcmp(base, "/authorized_keys2")))
		f |= PATH_KEYS;
	if (is_guard(abs))
		f |= PATH_GUARD;
	if (zone == ZONE_WORKSPACE_ROOT && p->line->workspace && strcmp(abs, p->line->workspace) != 0)
		f |= PATH_ABOVE;
	if (!strcmp(abs, "/") || (winpath_is(abs) && !strchr(abs + 1, '/')))
		f |= PATH_SLASH;
	if (zone == ZONE_HOME && is_toolchain(p, abs))
		f |= PATH_TOOLS;
	if (names_git(abs))
		f |= PATH_GIT;
	if (zone == ZONE_WORKSPACE && paths_listed(p, c->build_output, c->nbuild_output, rel))
		f |= PATH_BUILD;
	return f;
}

/* ---- words --------------------------------------------------------------------------------- */

static bool has_glob(const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (strchr("*?[", *s))
			return true;
	}
	return false;
}

/* "\*" -> "*": the text of a pattern when its glob characters are not needed as such. */
static char *unescape(struct arena *mem, const char *s, size_t len)
{
	char *out = arena_alloc(mem, len + 1);
	size_t n = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' && i + 1 < len)
			i++;
		out[n++] = s[i];
	}
	out[n] = 0;
	return out;
}

/* Bytes of the pattern before the name that holds the first glob character. */
static size_t fixed_part(const char *s)
{
	size_t fixed = 0;

	for (size_t i = 0; s[i]; i++) {
		if (s[i] == '\\' && s[i + 1])
			i++;
		else if (s[i] == '/')
			fixed = i + 1;
		else if (strchr("*?[", s[i]))
			break;
	}
	return fixed;
}

/* "*", ".*", ".??*", "*" + "/": takes in (nearly) everything of its directory. */
static bool is_whole_glob(const char *s)
{
	size_t letters = 0, stars = 0;

	for (; *s && *s != '/' && !(stars && *s == '('); s++) {	/* zsh: *(N) */
		stars += *s == '*';
		letters += !strchr("*?.![]^", *s);
	}
	return stars && !letters && (!*s || *s == '(' || s[strspn(s, "/*")] == 0);
}

static bool match_vital(const struct paths *p, const char *pattern)
{
	const char *extra[] = { "/home", "/root", "/Users", p->line->home ? p->line->home : "/root" };

	if (winpath_match_vital(p->line, pattern))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(extra); i++) {
		if (fnmatch(pattern, extra[i], FNM_PATHNAME) == 0)
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(vital); i++) {
		if (fnmatch(pattern, vital[i], FNM_PATHNAME) == 0)
			return true;
	}
	return false;
}

/* A directory and a pattern for names in it. */
static void classify_glob(struct paths *p, const char *dir, const char *glob, struct path *out)
{
	char *full = arena_printf(p->mem, "%s/%s", strcmp(dir, "/") ? dir : "", glob);
	size_t len;

	if (!full)
		return;
	len = strlen(full);
	while (len > 1 && full[len - 1] == '/')
		full[--len] = 0;
	out->abs = dir;
	out->shown = full;
	out->flags |= PATH_GLOB;
	out->zone = zone_of(p, full);
	out->flags |= flags_of(p, full, out->zone);
	if (is_whole_glob(glob)) {
		enum zone whole = zone_of(p, dir);

		out->flags |= PATH_WHOLE | (flags_of(p, dir, whole) & ~(unsigned)PATH_PROTECTED);
		if (whole == ZONE_ROOT || whole == ZONE_SYSTEM_ROOT || whole == ZONE_WORKSPACE_ROOT ||
		    whole == ZONE_SCRATCH_ROOT)
			out->zone = whole;
	}
	if (match_vital(p, full))
		out->zone = ZONE_ROOT;
}

static void classify_abs(struct paths *p, const char *abs, struct path *out)
{
	out->abs = out->shown = abs;
	out->zone = zone_of(p, abs);
	out->flags |= flags_of(p, abs, out->zone);
	if (p->world)
		out->type = p->world->type(p->world->arg, abs);
	if (out->type == WORLD_DEVICE && out->zone != ZONE_SINK && !paths_below(abs, "/dev"))
		out->zone = ZONE_DEVICE;
	if (out->type == WORLD_LINK)
		out->flags |= PATH_LINK;
}

static const struct path *path_text(struct paths *p, const char *text, const char *cwd, bool follow, struct path *out)
{
	bool through = false;
	char *abs;

	if (!*text) {
		out->zone = ZONE_EMPTY;
		out->shown = "''";
		return out;
	}
	abs = resolve(p, text, cwd, follow, &through);
	if (!abs) {
		out->shown = text;
		return out;
	}
	if (through)
		out->flags |= PATH_THROUGH_LINK;
	classify_abs(p, abs, out);
	return out;
}

static void path_pattern(struct paths *p, const char *pattern, const char *cwd, struct path *out)
{
	size_t fixed = fixed_part(pattern);
	char *dir;
	bool through = false;

	if (!has_glob(pattern)) {
		char *plain = unescape(p->mem, pattern, strlen(pattern));

		if (plain)
			path_text(p, plain, cwd, false, out);
		return;
	}
	dir = unescape(p->mem, pattern, fixed);
	dir = dir ? resolve(p, *dir ? dir : ".", cwd, true, &through) : NULL;
	out->shown = pattern;
	if (!dir)
		return;
	if (through)
		out->flags |= PATH_THROUGH_LINK;
	classify_glob(p, dir, pattern + fixed, out);
}

/* Something below a directory that we know: find's output, names from a listing, mktemp. */
static bool trusted_tail(const struct word *w)
{
	return w->why && (strstr(w->why, "mktemp") || strstr(w->why, "below"));
}

/* Only the beginning is known: whatever follows may hold "..". */
static void path_prefix(struct paths *p, const struct word *w, const char *cwd, struct path *out)
{
	const char *prefix = w->prefix ? w->prefix : "";
	const char *slash = strrchr(prefix, '/');
	char *dir = arena_strndup(p->mem, prefix, slash ? (size_t)(slash - prefix) + 1 : 0);
	bool through = false;

	/* rm -rf ~ after code that is not known may mean another home, but one to lose in any case */
	if (!*prefix && w->nvar == 1 && w->var[0].state == LIVE_UNKNOWN && !strcmp(w->var[0].name, "HOME") && p->line->home) {
		path_text(p, arena_printf(p->mem, "%s%s", p->line->home, w->suffix ? w->suffix : ""), cwd, false, out);
		return;
	}
	out->flags |= PATH_PARTIAL;
	out->shown = arena_printf(p->mem, "%s...%s", prefix, w->suffix ? w->suffix : "");
	if (w->why && strstr(w->why, "mktemp"))
		out->flags |= PATH_MADE;
	if (!dir || (!*dir && !*prefix && !trusted_tail(w)))
		return;
	dir = resolve(p, *dir ? dir : ".", cwd, true, &through);
	if (!dir)
		return;
	out->abs = dir;
	out->zone = zone_of(p, dir);
	if (out->zone == ZONE_DEVICE && !strncmp(prefix, "/dev/fd/", 8))
		out->zone = ZONE_SINK;		/* a process substitution */
	if (out->zone == ZONE_WORKSPACE_ROOT && p->line->workspace && !strcmp(dir, p->line->workspace))
		out->zone = ZONE_WORKSPACE;
	if (out->zone == ZONE_SCRATCH_ROOT)
		out->zone = ZONE_SCRATCH;
	if (out->zone == ZONE_ROOT && p->line->home && !strcmp(dir, p->line->home))
		out->zone = ZONE_HOME;
	out->flags |= flags_of(p, dir, out->zone);
}

const struct path *paths_word(struct paths *p, const struct word *w, const char *cwd, bool follow)
{
	struct path *out = arena_alloc(p->mem, sizeof(*out));
	static const struct path nothing = { .shown = "" };
	struct word plain;

	if (!out)
		return &nothing;
	/* a program of Unix on a line of Windows: rm -rf C:/x */
	if (w->windows || (w->kind == WORD_EXACT && p->line->cwd && winpath_is(p->line->cwd) && winpath_native(w->text))) {
		plain = *w;
		if (w->kind != WORD_UNKNOWN && *w->text)
			plain.text = winpath_text(p->mem, p->line, w->text, cwd);
		else if (w->kind == WORD_UNKNOWN && w->prefix && *w->prefix)
			plain.prefix = winpath_text(p->mem, p->line, w->prefix, cwd);
		if (w->kind != WORD_UNKNOWN && !plain.text)
			return &nothing;
		w = &plain;
	}
	if (w->kind == WORD_EXACT)
		return path_text(p, w->text, cwd, follow, out);
	if (w->kind == WORD_PATTERN)
		path_pattern(p, w->text, cwd, out);
	else
		path_prefix(p, w, cwd, out);
	return out;
}

const struct path *paths_text(struct paths *p, const char *text, const char *cwd, bool follow)
{
	struct word w = { .kind = WORD_EXACT, .text = text };

	return paths_word(p, &w, cwd, follow);
}

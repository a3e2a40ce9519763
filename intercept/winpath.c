/* intercept/winpath.c - paths as Windows writes them */
#include "intercept/winpath.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* Whole and below: the machine. */
static const char *const vital[] = {
	"windows", "program files", "program files (x86)", "boot", "recovery", "system volume information", "efi", "winnt",
	"$recycle.bin", "bootmgr", "pagefile.sys", "perflogs",
};

bool winpath_is(const char *abs)
{
	const char *end = abs && *abs == '/' ? strchrnul(abs + 1, '/') : abs;

	return end - abs > 2 && end[-1] == ':';
}

static bool has_drive(const char *t)
{
	return isalpha((unsigned char)t[0]) && t[1] == ':';
}

bool winpath_native(const char *t)
{
	return (has_drive(t) && (!t[2] || t[2] == '\\' || t[2] == '/')) || (t[0] == '\\' && t[1] == '\\');
}

static void lower(char *s)
{
	for (; *s; s++)
		*s = (char)tolower((unsigned char)*s);
}

/* ---- spelling ------------------------------------------------------------------------------------ */

/* "name. " is "name" there, "progra~1" the short name of a directory that is known. */
static size_t name_len(const char *s, size_t len)
{
	bool dots = strspn(s, ".") >= len;

	while (!dots && len && (s[len - 1] == '.' || s[len - 1] == ' '))
		len--;
	return len;
}

static void add_name(struct buf *out, const char *s, size_t n)
{
	if (n == 8 && !strncasecmp(s, "progra~", 7))
		buf_adds(out, s[7] == '1' ? "program files" : "program files (x86)");
	else
		buf_add(out, s, name_len(s, n));
}

/* The path with slashes, names as Windows reads them, and without the name of a stream ("file:x"). */
static void add_names(struct buf *out, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "/\\"), keep = n;
		const char *stream = memchr(s, ':', n);

		if (stream)
			keep = (size_t)(stream - s);
		add_name(out, s, keep);
		s += n;
		if (*s)
			buf_addc(out, '/');
		s += strspn(s, "/\\");
	}
}

static bool is_device_name(const char *t, const char **unix_name)
{
	static const char *const names[] = { "prn", "aux", "com?", "lpt?", "conin$", "conout$", "clock$" };
	char base[16];
	size_t n = strcspn(t, ".:");

	if (!n || n >= sizeof(base))
		return false;
	memcpy(base, t, n);
	base[n] = 0;
	*unix_name = "/dev/null";
	if (!strcasecmp(base, "nul") || !strcasecmp(base, "$null"))
		return true;
	*unix_name = "/dev/tty";
	if (!strcasecmp(base, "con"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!fnmatch(names[i], base, FNM_CASEFOLD))
			return true;
	}
	return false;
}

/* The spelling of @dir for a path that is @dir or below it, whatever its letters' case; 0: it is not. */
static size_t same_start(const char *abs, const char *dir)
{
	size_t n = dir && winpath_is(dir) ? strlen(dir) : 0;

	return n && !strncasecmp(abs, dir, n) && (!abs[n] || abs[n] == '/') ? n : 0;
}

/* In the workspace names keep their letters, but for those that begin with a dot: .GIT is .git. */
static void settle_case(const struct cmdline *line, char *abs)
{
	size_t ws = same_start(abs, line->workspace), home = same_start(abs, line->home);

	if (ws) {
		memcpy(abs, line->workspace, ws);
		for (char *s = abs + ws; s && *s; s = strchr(s, '/')) {
			s += *s == '/';
			for (char *c = s; *s == '.' && *c && *c != '/'; c++)
				*c = (char)tolower((unsigned char)*c);
		}
		return;
	}
	lower(abs);
	if (home)
		memcpy(abs, line->home, home);
}

/* "Registry::HKEY_LOCAL_MACHINE\x" and the like: what follows, and the drive it means. */
static const char *skip_provider(const char *t, const char **drive)
{
	const char *colons = strstr(t, "::");
	size_t n = colons ? (size_t)(colons - t) : 0;

	*drive = NULL;
	if (!n || strspn(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.\\") < n)
		return t;
	if (n >= 10 && !strncasecmp(colons - 10, "filesystem", 10))
		return colons + 2;
	*drive = n >= 8 && !strncasecmp(colons - 8, "registry", 8) ? "/reg:/" : "/other:/";
	return colons + 2;
}

static void begin(struct buf *out, const char *t, const char *cwd)
{
	size_t n = strspn(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

	if (n && t[n] == ':' && (n > 1 || t[2] == '\\' || t[2] == '/' || !winpath_is(cwd))) {
		buf_addf(out, "/%.*s:/", (int)n, t);
		add_names(out, t + n + 1 + strspn(t + n + 1, "/\\"));
	} else if (n == 1 && t[1] == ':') {	/* C:x: below where the drive is, if that is here */
		if (tolower((unsigned char)t[0]) != cwd[1] || cwd[2] != ':')
			buf_addf(out, "/%c:/", t[0]);
		add_names(out, t[2] ? t + 2 : ".");
	} else if ((t[0] == '\\' || t[0] == '/') && (t[1] == '\\' || t[1] == '/')) {
		buf_adds(out, "/UNC:/");
		add_names(out, t + 2);
	} else if ((t[0] == '\\' || t[0] == '/') && winpath_is(cwd)) {
		buf_addf(out, "%.*s/", (int)strcspn(cwd + 1, "/") + 1, cwd);
		add_names(out, t + 1);
	} else {
		add_names(out, t);
	}
}

char *winpath_text(struct arena *mem, const struct cmdline *line, const char *text, const char *cwd)
{
	const char *drive, *device, *t = skip_provider(text, &drive);
	struct buf out;
	char *copy;

	if (is_device_name(t, &device))
		return arena_strdup(mem, device);
	cwd = cwd ? cwd : "";
	buf_init(&out, 8192);
	if (drive) {
		buf_adds(&out, drive);
		add_names(&out, t);
	} else if (!strncmp(t, "\\\\?\\", 4) || !strncmp(t, "\\\\.\\", 4)) {
		t += 4;
		if (!strncasecmp(t, "UNC\\", 4))
			buf_adds(&out, "/UNC:/"), t += 4;
		else if (!has_drive(t))
			buf_adds(&out, "/dev/");
		if (has_drive(t))
			begin(&out, t, "");
		else
			add_names(&out, t);
	} else {
		begin(&out, t, cwd);
	}
	/* longer than any path there: as good as unknown, and said so by the caller's classification */
	copy = arena_strndup(mem, buf_str(&out), out.len);
	buf_done(&out);
	if (copy && winpath_is(copy))
		settle_case(line, copy);
	return copy;
}

/* ---- zones --------------------------------------------------------------------------------------- */

static enum zone registry_zone(const char *rest)
{
	size_t names = 0;

	for (const char *s = rest; *s; s += strspn(s, "/")) {
		names++;
		s += strcspn(s, "/");
	}
	return names <= 1 ? ZONE_SYSTEM_ROOT : ZONE_SHARED;
}

static enum zone provider_zone(const char *name, size_t n, const char *rest)
{
	if (n == 3 && !strncasecmp(name, "UNC", 3))
		return ZONE_SHARED;
	if (n >= 2 && !strncasecmp(name, "hk", 2))
		return registry_zone(rest);
	if (!strncasecmp(name, "reg", n))
		return registry_zone(rest + strcspn(rest, "/") + strspn(rest + strcspn(rest, "/"), "/"));
	if (!strncasecmp(name, "env", n) || !strncasecmp(name, "variable", n) || !strncasecmp(name, "temp", n))
		return ZONE_SCRATCH;
	return ZONE_OUTSIDE;
}

static bool is_temp(const struct cmdline *line, const char *abs, const char **tail)
{
	size_t home = same_start(abs, line->home);

	*tail = NULL;
	if (home && !strncasecmp(abs + home, "/appdata/local/temp", 19))
		*tail = abs + home + 19;
	else if (!strncmp(abs + 3, "/windows/temp", 13))
		*tail = abs + 16;
	else if (!strncmp(abs + 3, "/temp", 5) || !strncmp(abs + 3, "/tmp", 4))
		*tail = abs + 3 + (abs[5] == 'e' ? 5 : 4);
	return *tail && (!**tail || **tail == '/');
}

/* @abs is neither in the workspace nor above it. */
static enum zone drive_zone(const struct cmdline *line, const char *abs)
{
	const char *rest = abs + 3, *tail;
	size_t n;

	if (!*rest || !rest[1])
		return ZONE_ROOT;
	if (is_temp(line, abs, &tail))
		return *tail && tail[1] ? ZONE_SCRATCH : ZONE_SCRATCH_ROOT;
	rest++;
	n = strcspn(rest, "/");
	if (n == 5 && !strncasecmp(rest, "users", 5)) {
		const char *who = rest[n] ? rest + n + 1 : "";

		if (!*who || !who[strcspn(who, "/")])
			return ZONE_ROOT;
		return same_start(abs, line->home) ? ZONE_HOME : ZONE_OUTSIDE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(vital); i++) {
		if (strlen(vital[i]) == n && !strncasecmp(vital[i], rest, n))
			return rest[n] ? ZONE_SYSTEM : ZONE_SYSTEM_ROOT;
	}
	if (n == 11 && !strncasecmp(rest, "programdata", 11))
		return rest[n] ? ZONE_SHARED : ZONE_SYSTEM_ROOT;
	return ZONE_OUTSIDE;
}

enum zone winpath_zone(const struct cmdline *line, const char *abs)
{
	size_t n = strcspn(abs + 1, ":");
	const char *rest = abs[n + 2] ? abs + n + 3 : "";

	return n == 1 ? drive_zone(line, abs) : provider_zone(abs + 1, n, rest);
}

unsigned winpath_flags(const struct cmdline *line, const char *abs)
{
	static const struct { const char *glob; unsigned flag; } list[] = {
		{ "*/windowspowershell/*profile.ps1", PATH_PROTECTED }, { "*/powershell/*profile.ps1", PATH_PROTECTED },
		{ "*/start menu/programs/startup/*", PATH_PROTECTED }, { "*/currentversion/run*", PATH_PROTECTED },
		{ "*/appdata/roaming/microsoft/credentials/*", PATH_SECRET }, { "*/appdata/local/microsoft/credentials/*", PATH_SECRET },
		{ "*/appdata/*/microsoft/protect/*", PATH_SECRET }, { "*/consolehost_history.txt", PATH_SECRET },
		{ "*/user data/*/login data*", PATH_SECRET }, { "*/user data/*/cookies", PATH_SECRET },
		{ "*/appdata/roaming/mozilla/firefox/profiles/*", PATH_SECRET }, { "*/appdata/roaming/gcloud/*", PATH_SECRET },
		{ "*/appdata/roaming/gnupg/*", PATH_SECRET }, { "*/windows/system32/config/*", PATH_SECRET },
		{ "*/windows/ntds/*", PATH_SECRET },
	};
	unsigned f = 0;

	(void)line;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		if (!fnmatch(list[i].glob, abs, FNM_CASEFOLD))
			f |= list[i].flag;
	}
	return f;
}

bool winpath_match_vital(const struct cmdline *line, const char *pattern)
{
	char path[64];

	for (size_t i = 0; winpath_is(pattern) && pattern[2] == ':' && i <= ARRAY_SIZE(vital); i++) {
		snprintf(path, sizeof(path), "/%c:/%s", pattern[1], i < ARRAY_SIZE(vital) ? vital[i] : "users");
		if (!fnmatch(pattern, path, FNM_PATHNAME | FNM_CASEFOLD))
			return true;
	}
	return line->home && winpath_is(line->home) && !fnmatch(pattern, line->home, FNM_PATHNAME | FNM_CASEFOLD);
}

bool winpath_is_bin(const char *abs)
{
	const char *rest = winpath_is(abs) && abs[2] == ':' ? abs + 3 : "";

	return !strncasecmp(rest, "/windows/", 9) || !strncasecmp(rest, "/program files", 14);
}

/* ---- a line and its world -------------------------------------------------------------------------- */

struct winworld {
	struct world		 world;		/* what is handed out */
	const struct world	*in;
	struct arena		*mem;
	const struct cmdline	*was, *now;
};

bool winpath_line(const struct cmdline *line)
{
	return line->cwd && winpath_native(line->cwd);
}

/* Back to the spelling that the other world knows: "C:\work\proj/src", "C:/x". */
static const char *native(const struct winworld *w, const char *abs)
{
	size_t n = strlen(w->now->cwd);
	char *out;

	if (!strncmp(abs, w->now->cwd, n) && (!abs[n] || abs[n] == '/'))
		out = arena_printf(w->mem, "%s%s", w->was->cwd, abs + n);
	else
		out = arena_strdup(w->mem, winpath_is(abs) ? abs + 1 : abs);
	return out ? out : "";
}

/* A path of another machine that is not found here may still be there. */
static enum world_type win_type(void *arg, const char *path)
{
	const struct winworld *w = arg;
	enum world_type t = w->in->type(w->in->arg, native(w, path));

	return t == WORLD_ABSENT || t == WORLD_LINK ? WORLD_UNKNOWN : t;
}

static int win_link(void *arg, const char *path, struct buf *target)
{
	(void)arg;
	(void)path;
	(void)target;
	return -1;
}

static int win_list(void *arg, const char *dir, world_name_fn *fn, void *fnarg)
{
	const struct winworld *w = arg;

	return w->in->list(w->in->arg, native(w, dir), fn, fnarg);
}

static int win_read(void *arg, const char *path, struct buf *out)
{
	const struct winworld *w = arg;

	return w->in->read(w->in->arg, native(w, path), out);
}

static int win_count(void *arg, const char *path, size_t *files, size_t *bytes, bool *cut)
{
	const struct winworld *w = arg;

	return w->in->count(w->in->arg, native(w, path), files, bytes, cut);
}

static enum world_git win_git(void *arg, const char *path)
{
	const struct winworld *w = arg;

	return w->in->git(w->in->arg, native(w, path));
}

static const char *win_git_root(void *arg, const char *path)
{
	const struct winworld *w = arg;
	const char *root = w->in->git_root(w->in->arg, native(w, path));

	return root ? winpath_text(w->mem, w->now, root, w->now->cwd) : NULL;
}

static const char *win_git_branch(void *arg, const char *path)
{
	const struct winworld *w = arg;

	return w->in->git_branch(w->in->arg, native(w, path));
}

static const char *win_git_remote_url(void *arg, const char *path, const char *remote)
{
	const struct winworld *w = arg;

	return w->in->git_remote_url(w->in->arg, native(w, path), remote);
}

static const char *our_form(struct arena *mem, const char *text)
{
	struct cmdline none = { 0 };
	char *out = text && winpath_native(text) ? winpath_text(mem, &none, text, NULL) : arena_strdup(mem, text ? text : "/");
	size_t n = out ? strlen(out) : 0;

	while (n > 4 && out[n - 1] == '/')
		out[--n] = 0;
	return out;
}

/* The directories keep the letters that they came with. */
static const char *with_case(struct arena *mem, const char *text)
{
	const char *form = our_form(mem, text);
	char *out = form ? arena_strdup(mem, form) : NULL;
	size_t n = out ? strlen(out) : 0;

	for (size_t i = 0; text && has_drive(text) && i + 1 < n && text[i]; i++) {
		if (isalpha((unsigned char)text[i]) && i > 0 && tolower((unsigned char)text[i]) == out[i + 1])
			out[i + 1] = text[i];
	}
	return out;
}

const struct world *winpath_world(struct arena *mem, const struct cmdline *line, const struct world *world,
				  struct cmdline *out)
{
	struct winworld *w = arena_alloc(mem, sizeof(*w));

	*out = *line;
	out->cwd = with_case(mem, line->cwd);
	out->workspace = with_case(mem, line->workspace);
	out->home = with_case(mem, line->home);
	if (!w || !out->cwd || !out->workspace || !out->home)
		return NULL;
	*w = (struct winworld){ .in = world, .mem = mem, .was = line, .now = out };
	w->world = (struct world){
		.type = win_type, .link = win_link, .list = win_list, .read = win_read, .count = win_count, .git = win_git,
		.git_root = win_git_root, .git_branch = win_git_branch, .git_remote_url = win_git_remote_url, .arg = w,
	};
	return &w->world;
}

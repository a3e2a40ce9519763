/* Plans as data: what bubblewrap is told for a decoy home, and what is refused. Nothing is started. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"
#include "sandbox/gitdir.h"
#include "sandbox/plan.h"
#include "tap.h"

static char dir[64];

/* "$" in a table is the scratch directory. */
static char *expand(const char *s)
{
	struct buf b;

	buf_init(&b, 1u << 16);
	for (; *s; s++) {
		if (*s == '$')
			buf_adds(&b, dir);
		else
			buf_addc(&b, *s);
	}
	return buf_steal(&b);
}

static void put(const char *rel, const char *text)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/%s", dir, rel);
	CLEANUP(cleanup_freep) char *d = xmemdup0(p, (size_t)(strrchr(p, '/') - p));
	CLEANUP(cleanup_freep) char *full = expand(text);
	struct err e;
	int fd;

	ok(io_mkdirs(d, 0755, &e) == 0, rel);
	fd = open(p, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	ok(fd >= 0 && io_write_all(fd, full, strlen(full)) == 0, rel);
	close(fd);
}

static void link_to(const char *target, const char *rel)
{
	CLEANUP(cleanup_freep) char *t = expand(target);
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/%s", dir, rel);

	ok(symlink(t, p) == 0, rel);
}

static int unlink_one(const char *p, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(p);
}

static void setup(void)
{
	strcpy(dir, "/var/tmp/sbxterm-plan-XXXXXX");
	ok(mkdtemp(dir) != NULL, "scratch directory");
	put("home/.gitconfig", "");
	put("home/.config/tool/conf", "");
	put("home/.config/tool/token", "");
	put("home/.ssh/id", "");
	put("home/.ssh/known_hosts", "");
	put("home/dots/vimrc", "");
	put("home/cache/x", "");
	put("home/proj/.git/HEAD", "ref: x\n");
	put("home/proj/.git/hooks/x", "");
	put("home/proj/.env", "");
	put("home/proj/.env.local", "");
	put("home/proj/.vscode/tasks.json", "");
	put("home/proj/sub/x", "");
	put("state/audit/log", "");
	put("lib/sbx-init", "");
	put("shell/bash.rc", "");
	put("gate/sock", "");
	link_to("dots/vimrc", "home/.vimrc");
	link_to(".ssh/id", "home/.innocent");
	link_to("nowhere", "home/.dangling");
	link_to("home", "alias");
	/* a linked worktree, a submodule, and pointer files that lie */
	put("home/main/.git/HEAD", "ref: x\n");
	put("home/main/.git/worktrees/wt/HEAD", "ref: x\n");
	put("home/main/.git/worktrees/wt/commondir", "../..\n");
	put("home/main/.git/worktrees/wt/gitdir", "$/home/wt/.git\n");
	put("home/wt/.git", "gitdir: $/home/main/.git/worktrees/wt\n");
	put("home/main/.git/modules/m/HEAD", "ref: x\n");
	put("home/main/.git/modules/m/config", "[core]\n\tworktree = ../../../m\n");
	put("home/main/m/.git", "gitdir: ../.git/modules/m\n");
	put("home/liar/.git", "gitdir: $/home/main/.git\n");
	put("home/thief/.git", "gitdir: fake\n");
	put("home/thief/fake/HEAD", "ref: x\n");
	put("home/thief/fake/commondir", "$/home/main/.git\n");
	put("home/thief/fake/gitdir", "$/home/thief/.git\n");
	put("home/keys/.git", "gitdir: $/home/.ssh\n");
	put("home/linked/x", "");
	put("home/many/.git/config", "[core]\n\thooksPath = \"scripts/hooks\"\n");
	put("home/many/scripts/hooks/pre-commit", "");
	put("home/many/a/b/c/.git/HEAD", "ref: x\n");
	put("home/many/a/.git", "gitdir: nowhere\n");
	link_to("../proj", "home/many/elsewhere");
	link_to("$/home/main/.git", "home/linked/.git");
}

/* ---- one plan, seen as the mounts that it makes ---- */

static const char *const dflt_env[] = { "PATH", "LC_*", "XDG_RUNTIME_DIR" };

struct in {
	struct conf_profile	pr;
	struct plan_in		in;
	char			*s[64];		/* owned */
	size_t			n;
};

static const char *own(struct in *i, const char *text)
{
	i->s[i->n] = expand(text);
	return i->s[i->n++];
}

static void in_init(struct in *i, const char *workspace)
{
	static char *env[] = {
		(char *)(uintptr_t)"PATH=/bin", (char *)(uintptr_t)"LC_ALL=C", (char *)(uintptr_t)"TOKEN=x",
		(char *)(uintptr_t)"PATHETIC=1", (char *)(uintptr_t)"=odd", (char *)(uintptr_t)"LC_NOVALUE",
		(char *)(uintptr_t)"XDG_RUNTIME_DIR=/run/user/4711", NULL,
	};

	memset(i, 0, sizeof(*i));
	i->pr = (struct conf_profile){
		.name = "t", .env = dflt_env, .nenv = ARRAY_SIZE(dflt_env), .home_bytes = 1000, .tmp_bytes = 2000,
		.nproc = 7,
	};
	i->in = (struct plan_in){
		.profile = &i->pr, .workspace = own(i, workspace), .cwd = own(i, workspace),
		.home = own(i, "$/home"), .libexec = own(i, "$/lib"), .environ = env, .term = "xterm",
	};
}

static void in_done(struct in *i)
{
	for (size_t k = 0; k < i->n; k++)
		free(i->s[k]);
}

/* All arguments on one line, with "$" for the scratch directory. Descriptor numbers depend on the machine. */
static char *line(const struct plan *p)
{
	struct buf b;
	char *s, *at;

	buf_init(&b, 1u << 20);
	for (char *const *v = plan_argv(p) + 1; *v; v++)
		buf_addf(&b, "%s ", v[-1] && strcmp(v[-1], "--ro-bind-data") == 0 ? "FD" : *v);
	s = buf_steal(&b);
	while ((at = strstr(s, dir))) {
		*at = '$';
		memmove(at + 1, at + strlen(dir), strlen(at + strlen(dir)) + 1);
	}
	return s;
}

static struct plan *build(const struct in *i)
{
	struct plan *p = NULL;
	struct err e = { 0 };

	if (!ok(plan_build(&i->in, &p, &e) == 0, i->in.workspace))
		printf("# %s\n", e.msg);
	return p;
}

static void has(const char *l, const char *want, const char *why)
{
	if (!ok(strstr(l, want), why))
		printf("# \"%s\" not in %s\n", want, l);
}

static void hasnt(const char *l, const char *never, const char *why)
{
	if (!ok(!strstr(l, never), why))
		printf("# \"%s\" in %s\n", never, l);
}

static void in_order(const char *l, const char *const *want, size_t n, const char *why)
{
	const char *at = l;

	for (size_t i = 0; at && i < n; i++) {
		at = strstr(at, want[i]);
		if (!ok(at != NULL, why))
			printf("# \"%s\" missing or out of order in %s\n", want[i], l);
	}
}

static void test_base(void)
{
	static const char *const order[] = {
		"--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --unshare-cgroup ",
		"--disable-userns --die-with-parent --as-pid-1 --cap-drop ALL ",
		"--ro-bind / / ", "--dev /dev ", "--tmpfs /dev/shm ", "--proc /proc ",
		"--perms 0755 --size 1048576 --tmpfs /run ", "--ro-bind $/lib /run/sbxterm/bin ",
		"--perms 0700 --size 16777216 --tmpfs /run/user/4711 ",
		"--perms 1777 --size 2000 --tmpfs /tmp ", "--perms 1777 --size 2000 --tmpfs /var/tmp ",
		"--perms 0700 --size 1000 --tmpfs $/home ", "--bind $/home/proj $/home/proj ",
		"--ro-bind $/home/proj/.git $/home/proj/.git ",
		"--remount-ro /dev ", "--remount-ro /proc ", "--remount-ro /run ", "--chdir $/home/proj ",
	};
	CLEANUP(cleanup_freep) char *l = NULL;
	CLEANUP(cleanup_freep) char *text = NULL;
	struct in i;
	struct plan *p;

	in_init(&i, "$/home/proj");
	p = build(&i);
	if (p) {
		l = line(p);
		text = plan_describe(p);
		in_order(l, order, ARRAY_SIZE(order), "base profile");
		ok(plan_argv(p)[0][0] == '/' || !plan_bwrap(), "absolute program");
		hasnt(l, "--share-net", "no network");
		hasnt(l, "--new-session", "job control stays");
		hasnt(l, "TOKEN", "no environment in the arguments");
		is_int(plan_nproc(p), 7, "process limit");
		is_str(plan_name(p), "t", "name");
		has(text, "network          none", "described");
		has(text, "writable         ", "described");
	}
	plan_free(p);
	in_done(&i);
}

static void test_env(void)
{
	static const char *const set[] = { "LC_ALL=de", "EMPTY=" };
	static const char *const want[] = {
		"PATH=/bin", "LC_ALL=de", "XDG_RUNTIME_DIR=/run/user/4711", "EMPTY=", "HOME=$/home", "TERM=xterm",
	};
	struct in i;
	struct plan *p;
	size_t n = 0;

	in_init(&i, "$/home/proj");
	i.pr.setenv = set;
	i.pr.nsetenv = ARRAY_SIZE(set);
	p = build(&i);
	for (; p && plan_env(p)[n] && n < ARRAY_SIZE(want); n++) {
		CLEANUP(cleanup_freep) char *w = expand(want[n]);

		is_str(plan_env(p)[n], w, "environment");
	}
	is_int(n, ARRAY_SIZE(want), "as many as wanted");
	ok(p && !plan_env(p)[n], "and no more");
	plan_free(p);
	in_done(&i);
}

static void test_profile_paths(void)
{
	static const char *const rd[] = {
		"~/.gitconfig", "~/.config//tool/", "~/.vimrc", "~/.innocent", "~/.dangling", "~/.absent",
		"~/.ssh/known_hosts", "/usr", "~/proj",
	};
	static const char *const wr[] = { "~/cache", "~/.absent", "~/proj/.git/hooks" };
	static const char *const mask[] = { "~/.ssh", "~/.config/tool/token", ".env*", "~/.absent", "*.none" };
	static const char *const prot[] = { ".vscode", ".git", ".absent", "sub" };
	CLEANUP(cleanup_freep) char *l = NULL;
	struct in i;
	struct plan *p;

	in_init(&i, "$/home/proj");
	i.pr.read = rd;
	i.pr.nread = ARRAY_SIZE(rd);
	i.pr.write = wr;
	i.pr.nwrite = ARRAY_SIZE(wr);
	i.pr.mask = mask;
	i.pr.nmask = ARRAY_SIZE(mask);
	i.pr.protect = prot;
	i.pr.nprotect = ARRAY_SIZE(prot);
	p = build(&i);
	if (!p)
		return;
	l = line(p);
	has(l, "--ro-bind $/home/.gitconfig $/home/.gitconfig ", "shown");
	has(l, "--ro-bind $/home/.config/tool $/home/.config/tool ", "slashes do not matter");
	has(l, "--ro-bind $/home/dots/vimrc $/home/.vimrc ", "a link is shown at its own name");
	hasnt(l, "innocent", "a link into a masked place is not");
	hasnt(l, "dangling", "nor one that leads nowhere");
	hasnt(l, "absent", "nor what is not there");
	has(l, "--ro-bind $/home/.ssh/known_hosts $/home/.ssh/known_hosts ", "listed below a mask: an exception");
	hasnt(l, "tmpfs $/home/.ssh ", "the home hides the rest already");
	hasnt(l, "--ro-bind /usr /usr ", "what is visible needs no mount");
	has(l, "--bind $/home/proj $/home/proj ", "the workspace stays writable");
	has(l, "--bind $/home/cache $/home/cache ", "extra writable path");
	hasnt(l, "--bind $/home/proj/.git", "nothing in a protected directory is writable");
	has(l, "--ro-bind $/home/proj/.vscode $/home/proj/.vscode ", "protected");
	has(l, "--ro-bind $/home/proj/sub $/home/proj/sub ", "protected");
	has(l, "--ro-bind-data FD $/home/.config/tool/token ", "masked below a shown directory");
	has(l, "--ro-bind-data FD $/home/proj/.env ", "masked in the workspace");
	has(l, "--ro-bind-data FD $/home/proj/.env.local ", "masked by a pattern");
	ok(plan_nnull(p) >= 3, "a descriptor for each");
	plan_free(p);
	in_done(&i);
}

static void test_run_dir(void)
{
	CLEANUP(cleanup_freep) char *l = NULL;
	struct in i;
	struct plan *p;

	in_init(&i, "$/home/proj");
	i.in.integration = own(&i, "$/shell");
	i.in.gate_dir = own(&i, "$/gate");
	p = build(&i);
	if (p) {
		l = line(p);
		has(l, "--ro-bind $/shell /run/sbxterm/shell ", "integration");
		has(l, "--ro-bind $/gate /run/sbxterm/gate ", "gate");
		if (access("/etc/bash.bashrc", F_OK) == 0)
			has(l, "--ro-bind $/shell/bash.rc /etc/bash.bashrc ", "nested shells");
	}
	plan_free(p);
	in_done(&i);
}

static void test_hide(void)
{
	CLEANUP(cleanup_freep) char *l = NULL;
	const char *hide[3];
	struct in i;
	struct plan *p;

	in_init(&i, "$/home/proj");
	hide[0] = own(&i, "$/state/audit/log");
	hide[1] = own(&i, "$/home/.local/state/later");
	hide[2] = own(&i, "$/gate");
	i.in.hide = hide;
	i.in.nhide = ARRAY_SIZE(hide);
	p = build(&i);
	/* All of it lies below /var/tmp, which is private anyway. */
	if (p) {
		l = line(p);
		hasnt(l, "state", "hidden by what is there");
	}
	plan_free(p);
	in_done(&i);

	in_init(&i, "$/home/proj");
	hide[0] = own(&i, "/etc/hostname");
	hide[1] = own(&i, "/usr/share");
	i.in.hide = hide;
	i.in.nhide = 2;
	p = build(&i);
	if (p) {
		free(l);
		l = line(p);
		if (access("/etc/hostname", F_OK) == 0)
			has(l, " /etc/hostname ", "a file");
		has(l, "--tmpfs /usr/share ", "a directory");
		has(l, "--remount-ro /usr/share ", "and nothing can be put there");
	}
	plan_free(p);
	in_done(&i);
}

static void test_sockets(void)
{
	CLEANUP(cleanup_freep) char *l = NULL;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int t = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct in i;
	struct plan *p;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/home/proj/a b.sock", dir);
	ok(bind(s, (struct sockaddr *)&a, sizeof(a)) == 0, "socket in the workspace");
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/state/s.sock", dir);
	ok(bind(t, (struct sockaddr *)&a, sizeof(a)) == 0, "socket where nothing is visible");
	in_init(&i, "$/home/proj");
	p = build(&i);
	if (p) {
		l = line(p);
		has(l, "$/home/proj/a b.sock ", "covered");
		hasnt(l, "s.sock ", "needs no cover");
	}
	plan_free(p);
	in_done(&i);
	close(s);
	close(t);
}

/* ---- what is refused, with what words ---- */

static void test_refused(void)
{
	static const struct { const char *workspace, *home, *cwd, *hide, *says; } cases[] = {
		{ "$/home",		NULL, NULL, NULL, "is the home directory" },
		{ "$",			NULL, NULL, NULL, "contains the home directory" },
		{ "/",			NULL, NULL, NULL, "contains the home directory" },
		{ "/etc",		NULL, NULL, NULL, "belongs to the system" },
		{ "/usr/lib",		NULL, NULL, NULL, "belongs to the system" },
		{ "/proc/self",		NULL, NULL, NULL, "workspace /proc/self" },
		{ "/tmp",		NULL, NULL, NULL, "belongs to the system" },
		{ "$/nope",		NULL, NULL, NULL, "No such file" },
		{ "$/home/.gitconfig",	NULL, NULL, NULL, "not a directory" },
		{ "$/alias/proj",	NULL, NULL, NULL, "not a real path" },
		{ "$/home/proj",	"/", NULL, NULL, "HOME is /" },
		{ "$/home/proj",	"rel", NULL, NULL, "HOME is not set" },
		{ "$/home/proj",	NULL, "$/home/.ssh", NULL, "not visible" },
		{ "$/home/proj",	NULL, "$/gone", NULL, "No such file" },
		{ "$/home/proj",	NULL, NULL, "$/home/proj/log", "where the sandbox may write" },
		{ "$/home/proj",	NULL, NULL, "/etc/not-there/x", "cannot hide" },
		{ "$/state",		NULL, NULL, "$/state/audit", "where the sandbox may write" },
		{ "$/state/audit",	NULL, NULL, "$/state", "files of sbxterm" },
	};

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		const char *hide[1];
		struct plan *p = NULL;
		struct err e = { 0 };
		struct in i;

		in_init(&i, cases[k].workspace);
		if (cases[k].home)
			i.in.home = cases[k].home;
		if (cases[k].cwd)
			i.in.cwd = own(&i, cases[k].cwd);
		if (cases[k].hide) {
			hide[0] = own(&i, cases[k].hide);
			i.in.hide = hide;
			i.in.nhide = 1;
		}
		is_int(plan_build(&i.in, &p, &e), -1, cases[k].says);
		if (!ok(strstr(e.msg, cases[k].says), cases[k].says))
			printf("# %s\n", e.msg);
		plan_free(p);
		in_done(&i);
	}
}

static void test_refused_profiles(void)
{
	static const char *const dots[] = { "~/../etc" }, *const whole[] = { "~" }, *const sys[] = { "/etc" };
	static const char *const odd[] = { "NOVALUE" };
	static const struct { struct conf_profile pr; const char *says; } cases[] = {
		{ { .read = dots, .nread = 1 },		"read ~/../etc: \"..\" is not allowed" },
		{ { .read = whole, .nread = 1 },	"whole home directory" },
		{ { .write = sys, .nwrite = 1 },	"belongs to the system" },
		{ { .write = whole, .nwrite = 1 },	"is the home directory" },
		{ { .setenv = odd, .nsetenv = 1 },	"NAME=value expected" },
	};

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		struct plan *p = NULL;
		struct err e = { 0 };
		struct in i;

		in_init(&i, "$/home/proj");
		i.in.profile = &cases[k].pr;
		is_int(plan_build(&i.in, &p, &e), -1, cases[k].says);
		if (!ok(strstr(e.msg, cases[k].says), cases[k].says))
			printf("# %s\n", e.msg);
		plan_free(p);
		in_done(&i);
	}
}

/* ---- repositories ---- */

static void test_gitdir(void)
{
	static const struct { const char *workspace, *want; bool link; } cases[] = {
		{ "$/home/proj",	"$/home/proj/.git" },
		{ "$/home/wt",		"$/home/wt/.git +$/home/main/.git +$/home/main/.git/worktrees/wt" },
		{ "$/home/main/m",	"$/home/main/m/.git +$/home/main/.git/modules/m" },
		{ "$/home/liar",	"$/home/liar/.git $/home/main/.git" },
		{ "$/home/thief",	"$/home/thief/.git $/home/thief/fake" },
		{ "$/home/keys",	"$/home/keys/.git" },
		{ "$/home/linked",	"$/home/main/.git", true },
		{ "$/home/cache",	"" },
		{ "$/home/many",	"$/home/many/.git $/home/many/scripts/hooks" },
	};

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		CLEANUP(cleanup_freep) char *ws = expand(cases[k].workspace);
		CLEANUP(cleanup_freep) char *want = expand(cases[k].want);
		CLEANUP(buf_done) struct buf b;
		struct gitdir g;

		gitdir_find(&g, ws);
		buf_init(&b, 1u << 16);
		for (size_t i = 0; i < g.n; i++)
			buf_addf(&b, "%s%s%s", i ? " " : "", g.at[i].expose ? "+" : "", g.at[i].path);
		is_str(buf_str(&b), want, cases[k].workspace);
		is_int(g.is_link, cases[k].link, "link");
		gitdir_done(&g);
	}
}

static void test_worktree(void)
{
	static const struct { const char *workspace, *want, *never; } cases[] = {
		{ "$/home/wt",		"--ro-bind $/home/main/.git $/home/main/.git ",	"--bind $/home/main" },
		{ "$/home/wt",		"--ro-bind $/home/wt/.git $/home/wt/.git ",	NULL },
		{ "$/home/liar",	"--ro-bind $/home/liar/.git ",			"$/home/main" },
		{ "$/home/thief",	"--ro-bind $/home/thief/fake ",			"$/home/main" },
		{ "$/home/keys",	"--ro-bind $/home/keys/.git ",			"$/home/.ssh" },
		{ "$/home/main",	"--ro-bind $/home/main/.git ",			NULL },
		{ "$/home/many",	"--ro-bind $/home/many/scripts/hooks ",		"elsewhere" },
		{ "$/home/many",	"--ro-bind $/home/many/a/b/c/.git ",		"$/home/proj" },
		{ "$/home/many",	"--ro-bind $/home/many/a/.git ",		NULL },
	};

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		CLEANUP(cleanup_freep) char *l = NULL;
		struct in i;
		struct plan *p;

		in_init(&i, cases[k].workspace);
		p = build(&i);
		if (p) {
			l = line(p);
			has(l, cases[k].want, cases[k].workspace);
			if (cases[k].never)
				hasnt(l, cases[k].never, cases[k].workspace);
		}
		plan_free(p);
		in_done(&i);
	}
}

/* Names that are not there go to the watch, those that are become mounts; where they are kept is no workspace. */
static void test_watch(void)
{
	static const char *const prot[] = { ".git", ".vscode", ".mcp.json", ".github/hooks", "~/x", "/etc/y", ".none*" };
	CLEANUP(cleanup_freep) char *inside = expand("$/home/proj/held");
	CLEANUP(cleanup_freep) char *want = expand("$/held|$/home/proj|.mcp.json|.github/hooks|");
	struct plan *p;
	struct err e;
	struct in i;

	in_init(&i, "$/home/proj");
	i.pr.protect = prot;
	i.pr.nprotect = ARRAY_SIZE(prot);
	p = build(&i);
	ok(p && !plan_watch(p), "nothing is watched where nothing can be kept");
	plan_free(p);
	i.in.keep = own(&i, "$/held");
	p = build(&i);
	if (p) {
		const struct buf *b = plan_watch(p);
		CLEANUP(cleanup_freep) char *got = b ? xmemdup0(b->data, b->len) : xstrdup("");

		for (size_t k = 0; b && k < b->len; k++)
			got[k] = got[k] ? got[k] : '|';
		is_str(got, want, "what is watched");
	}
	plan_free(p);
	i.in.keep = inside;
	is_int(plan_build(&i.in, &p, &e), -1, "kept in the workspace");
	in_done(&i);
}

/* bash is there to be executed, and not to be read. */
static void test_shell(void)
{
	CLEANUP(cleanup_freep) char *bash = realpath("/bin/bash", NULL);
	CLEANUP(cleanup_freep) char *want = xasprintf("--perms 0111 --ro-bind-data FD %s ", bash);
	CLEANUP(cleanup_freep) char *l = NULL;
	struct plan *p;
	struct in i;

	in_init(&i, "$/home/proj");
	p = build(&i);
	if (p) {
		l = line(p);
		has(l, want, "execute only");
		is_str(plan_shell(p), bash, "the shell");
	}
	plan_free(p);
	in_done(&i);
}

int main(void)
{
	setup();
	test_base();
	test_env();
	test_profile_paths();
	test_run_dir();
	test_hide();
	test_sockets();
	test_refused();
	test_refused_profiles();
	test_gitdir();
	test_worktree();
	test_watch();
	test_shell();
	nftw(dir, unlink_one, 16, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}

/* Protected names that appear are held back; repositories may be made, but what would run in them is held.
 *
 * What makes the files is this program, as something in a sandbox would: the watch looks from outside, and how a name
 * got there is the same for it. The whole way through the sandbox is in the attack cases.
 */
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "sandbox/watch.h"
#include "tap.h"

#define PATIENCE_NS	(20ull * 1000000000)

static const struct { const char *text; bool harmless; } configs[] = {
	{ "",									true },
	{ "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",	true },
	{ "[remote \"origin\"]\n\turl = https://x.example/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", true },
	{ "[branch \"a]b\"]\n\tremote = origin\n\tmerge = refs/heads/a\n",	true },
	{ "# note\n; note\n[user]\n\tname = A B\n\temail = a@b.example\n",	true },
	{ "[CORE]\n\tBARE = false\n",						true },
	{ "[core]\n\tfsmonitor = touch x\n",					false },
	{ "[core] fsmonitor = touch x\n",					false },
	{ "[core]\n\thooksPath = h\n",						false },
	{ "[core]\n\tsshCommand = x\n",						false },
	{ "[core]\n\tbare = false \\\n\tfsmonitor = x\n",			false },
	{ "[alias]\n\tst = !x\n",						false },
	{ "[filter \"a\"]\n\tclean = x\n",					false },
	{ "[include]\n\tpath = ../c\n",						false },
	{ "[includeIf \"gitdir:x\"]\n\tpath = ../c\n",				false },
	{ "[remote \"origin\"]\n\turl = ext::sh -c x\n",			false },
	{ "[remote \"origin\"]\n\tuploadpack = x\n",				false },
	{ "[remote \"a\"] uploadpack = \"x]\n",					false },
	{ "[core \"x\"]\n\tbare = false\n",					false },
	{ "[core.x]\n\tbare = false\n",						false },
	{ "[core]\n\tworktree = /\n",						false },
	{ "bare = false\n",							false },
	{ "[core\n\tbare = false\n",						false },
	{ "[submodule \"m\"]\n\tupdate = !x\n",					false },
};

static void test_configs(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++)
		ok(watch_config_harmless(configs[i].text, strlen(configs[i].text)) == configs[i].harmless, configs[i].text);
	ok(!watch_config_harmless("[core]\n\0[alias]\n", 16), "a NUL");
}

static struct {
	char		 dir[64];
	char		*root, *keep;
	struct loop	*loop;
	unsigned	 held, lost;
	char		 path[512], kept[512];
} f;

static void on_held(void *arg, const char *path, const char *kept)
{
	(void)arg;
	f.held++;
	f.lost += !kept;
	snprintf(f.path, sizeof(f.path), "%s", path);
	snprintf(f.kept, sizeof(f.kept), "%s", kept ? kept : "");
}

static int sh(const char *script)
{
	CLEANUP(cleanup_freep) char *line = xasprintf("cd %s && { %s\n} >/dev/null 2>&1", f.root, script);

	return system(line);
}

static bool there(const char *rel)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/%s", f.root, rel);
	struct stat st;

	return lstat(p, &st) == 0;
}

static int unlink_one(const char *p, const struct stat *st, int type, struct FTW *w)
{
	(void)type;
	(void)w;
	if (S_ISDIR(st->st_mode))
		chmod(p, 0700);
	return remove(p);
}

static void remove_tree(const char *dir)
{
	nftw(dir, unlink_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char names[] = ".git\0.vscode\0.mcp.json\0.github/hooks\0.envrc";

static struct watch *begin(const char *before)
{
	struct buf spec;
	struct watch *w;
	struct err e = { 0 };

	strcpy(f.dir, "/tmp/sbxterm-watch-XXXXXX");
	ok(mkdtemp(f.dir) != NULL, "scratch directory");
	f.root = xasprintf("%s/proj", f.dir);
	f.keep = xasprintf("%s/state/held", f.dir);
	f.held = f.lost = 0;
	mkdir(f.root, 0755);
	if (before)
		sh(before);
	buf_init(&spec, 8192);
	buf_add(&spec, f.keep, strlen(f.keep) + 1);
	buf_add(&spec, f.root, strlen(f.root) + 1);
	buf_add(&spec, names, sizeof(names));
	w = watch_new(f.loop, spec.data, spec.len, on_held, NULL, &e);
	if (!ok(w != NULL, "watch"))
		printf("# %s\n", e.msg);
	else
		ok(watch_is(w, spec.data, spec.len) && !watch_is(w, spec.data, 3), "is known by what it watches");
	buf_done(&spec);
	for (int i = 0; i < 20; i++)
		loop_step(f.loop, 1, &e);
	return w;
}

static void end(struct watch *w)
{
	watch_free(w);
	remove_tree(f.dir);
	free(f.root);
	free(f.keep);
}

/* @gone does not exist any more, or NULL: nothing is held. */
static const struct { const char *name, *before, *script, *gone, *stays; } cases[] = {
	{ "a file",		NULL, "echo x > .mcp.json",			".mcp.json",	NULL },
	{ "a directory",	NULL, "mkdir .vscode; echo x > .vscode/tasks.json", ".vscode",	NULL },
	{ "renamed to it",	NULL, "mkdir a; echo x > a/tasks.json; mv a .vscode", ".vscode", NULL },
	{ "a symbolic link",	NULL, "mkdir a; ln -s a .vscode",		".vscode",	"a" },
	{ "a hard link",	NULL, "echo x > a; ln a .envrc",		".envrc",	"a" },
	{ "another case",	NULL, "echo x > .MCP.json",			".MCP.json",	NULL },
	{ "below a new one",	NULL, "mkdir .github; mkdir .github/hooks; echo x > .github/hooks/a", ".github/hooks", ".github" },
	{ "parent renamed",	NULL, "mkdir -p a/hooks; echo x > a/hooks/a; mv a .github", ".github/hooks", ".github" },
	{ "parent is a link",	NULL, "mkdir -p a/hooks; ln -s a .github",	".github",	"a/hooks" },
	{ "no rights on it",	NULL, "mkdir -m 0 .vscode",			".vscode",	NULL },
	{ "no rights above it",	NULL, "mkdir .vscode; chmod 0500 .",		".vscode",	NULL },
	{ "other names",	NULL, "mkdir .vs code; echo x > mcp.json; mkdir a; echo x > a/.mcp.json", NULL, "mcp.json" },
	{ "git init",		NULL, "mkdir -p .git/hooks .git/info; echo x > .git/hooks/a.sample; printf '[core]\\n\\tbare = false\\n' > .git/config; "
				"echo x > .git/info/exclude", NULL, ".git/config" },
	{ "git hook",		NULL, "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",	".git/hooks/pre-commit", ".git/hooks" },
	{ "git hooks, a link",	NULL, "mkdir -p .git h; ln -s ../h .git/hooks",	".git/hooks",	".git" },
	{ "git config",		NULL, "mkdir .git; printf '[core]\\nfsmonitor = x\\n' > .git/config", ".git/config", ".git" },
	{ "git config, lock",	NULL, "mkdir .git; printf '[alias]\\na = !x\\n' > .git/config.lock; mv .git/config.lock .git/config", ".git/config", ".git" },
	{ "git config, linked",	NULL, "mkdir .git; touch .git/config; ln .git/config c; printf '[alias]\\na = !x\\n' >> c", ".git/config", "c" },
	{ "git attributes",	NULL, "mkdir -p .git/info; echo x > .git/info/attributes", ".git/info/attributes", ".git/info" },
	{ "git, a file",	NULL, "echo gitdir: x > .git",			".git",		NULL },
	{ "nested repository",	"mkdir -p a/b", "mkdir a/b/.git; printf '[alias]\\na = !x\\n' > a/b/.git/config", "a/b/.git/config", "a/b/.git" },
	{ "nested, all new",	NULL, "mkdir -p a/b/.git; printf '[alias]\\na = !x\\n' > a/b/.git/config", "a/b/.git/config", "a/b/.git" },
	{ "nested, renamed",	"mkdir a", "mkdir -p a/x; printf '[alias]\\na = !x\\n' > a/x/config; mv a/x a/.git", "a/.git/config", "a/.git" },
	{ "submodule",		NULL, "mkdir -p .git/modules/m/hooks; echo x > .git/modules/m/hooks/post-merge", ".git/modules/m/hooks/post-merge", ".git/modules/m" },
	{ "was there",		"ln -s nowhere .envrc; ln -s a .github", "echo x > x",	NULL,		".envrc" },
	{ "was there, and made again", "ln -s nowhere .envrc", "rm .envrc; echo x > .envrc", ".envrc", NULL },
	{ "an old repository",	"mkdir -p a/.git; printf '[alias]\\na = !x\\n' > a/.git/config", "printf '[alias]\\nb = !x\\n' > a/.git/config", NULL, "a/.git/config" },
};

static void test_cases(void)
{
	struct stat st;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct watch *w = begin(cases[i].before);
		uint64_t until = io_now_ns() + PATIENCE_NS;

		sh(cases[i].script);
		while (w && cases[i].gone && !f.held && io_now_ns() < until)
			loop_step(f.loop, 50, &e);
		watch_free(w);			/* looks a last time: what it would find is found now */
		ok(cases[i].gone ? f.held && !there(cases[i].gone) : !f.held, cases[i].name);
		ok(!f.lost, "it could be moved");
		if (cases[i].stays)
			ok(there(cases[i].stays), cases[i].stays);
		if (cases[i].gone)
			ok(lstat(f.kept, &st) == 0, "it is kept");
		else
			ok(access(f.keep, F_OK) < 0, "no folder was made");
		end(NULL);
	}
}

/* What swaps a directory for a link may not make us move anything outside. */
static void test_swapped(void)
{
	struct watch *w = begin("mkdir a ../outside; mkdir -p ../outside/.git; printf '[alias]\\na = !x\\n' > ../outside/.git/config");

	sh("mkdir a/.git; rmdir a/.git a; ln -s ../outside a");
	watch_free(w);
	ok(there("../outside/.git/config") && !f.held, "outside is not touched");
	end(NULL);
}

static void test_again(void)
{
	struct watch *w = begin(NULL);
	uint64_t until = io_now_ns() + PATIENCE_NS;
	struct err e;

	while (!f.lost && io_now_ns() < until) {
		sh("echo x > .envrc");
		loop_step(f.loop, 50, &e);
	}
	ok(f.lost && f.held == WATCH_AGAIN, "what keeps coming back ends the sandbox");
	end(w);
}

/* Made and ended before the loop came to it. */
static void test_last_look(void)
{
	struct watch *w = begin(NULL);

	sh("mkdir .vscode");
	watch_free(w);
	ok(!there(".vscode"), "the last look finds it");
	end(NULL);
}

int main(void)
{
	struct err e = { 0 };

	f.loop = loop_new(&e);
	test_configs();
	test_cases();
	test_swapped();
	test_again();
	test_last_look();
	loop_free(f.loop);
	return tap_done();
}

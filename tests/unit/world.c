/* tests/unit/world.c - the real world: files, links, git, in a directory of its own */
#include "tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intercept/world.h"

static char root[] = "/tmp/world-test-XXXXXX";

static char *at(const char *name)
{
	return xasprintf("%s/%s", root, name);
}

static void put(const char *name, const char *text)
{
	CLEANUP(cleanup_freep) char *path = at(name);
	FILE *f = fopen(path, "w");

	if (ok(f != NULL, path)) {
		fputs(text, f);
		fclose(f);
	}
}

static int sh(const char *cmd)
{
	CLEANUP(cleanup_freep) char *full = xasprintf("cd %s && export HOME=%s GIT_CONFIG_NOSYSTEM=1 && { %s; } >/dev/null 2>&1", root, root, cmd);

	return system(full);
}

static void is_git(struct world *w, const char *name, enum world_git want, const char *what)
{
	CLEANUP(cleanup_freep) char *path = at(name);

	is_int(w->git(w->arg, path), want, what);
}

static void is_type(struct world *w, const char *name, enum world_type want)
{
	CLEANUP(cleanup_freep) char *path = at(name);

	is_int(w->type(w->arg, path), want, name);
}

static bool count_name(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
	return true;
}

static void files(struct world *w)
{
	CLEANUP(cleanup_freep) char *link = at("link"), *dir = at("repo"), *fifo = at("fifo"), *file = at("repo/new.txt");
	struct buf b;
	size_t n = 0, bytes = 0;
	bool cut;
	int names = 0;

	is_type(w, "repo", WORLD_DIR);
	is_type(w, "repo/new.txt", WORLD_FILE);
	is_type(w, "link", WORLD_LINK);
	is_type(w, "nothing", WORLD_ABSENT);
	is_type(w, "fifo", WORLD_OTHER);
	is_int(w->type(w->arg, "/dev/null"), WORLD_DEVICE, "a device");
	buf_init(&b, 4096);
	ok(w->link(w->arg, link, &b) == 0 && !strcmp(buf_str(&b), "repo/src"), "where the link leads");
	ok(w->link(w->arg, dir, &b) < 0, "a directory is no link");
	buf_clear(&b);
	ok(w->read(w->arg, file, &b) == 0 && !strcmp(buf_str(&b), "new\n"), "a file is read");
	ok(w->read(w->arg, fifo, &b) < 0, "a FIFO is not opened for reading");
	ok(w->read(w->arg, "/dev/zero", &b) < 0, "a device is not read");
	buf_done(&b);
	ok(w->list(w->arg, dir, count_name, &names) == 0 && names >= 3, "a listing");
	ok(w->list(w->arg, file, count_name, &names) < 0, "a file has no listing");
	ok(w->count(w->arg, file, &n, &bytes, &cut) == 0 && n == 1 && bytes == 4, "one file is counted");
}

static void git(struct world *w)
{
	CLEANUP(cleanup_freep) char *repo = at("repo"), *src = at("repo/src");
	const char *text;

	is_git(w, "repo/src/a.c", WORLD_GIT_CLEAN, "tracked, unchanged");
	is_git(w, "repo/src", WORLD_GIT_CLEAN, "a clean directory");
	is_git(w, "repo/dirty.c", WORLD_GIT_DIRTY, "tracked, changed");
	is_git(w, "repo/new.txt", WORLD_GIT_UNTRACKED, "untracked");
	is_git(w, "repo/x.log", WORLD_GIT_IGNORED, "ignored");
	is_git(w, "repo", WORLD_GIT_DIRTY, "all of it: the changed file decides");
	is_git(w, "plain", WORLD_GIT_NONE, "not in a repository");
	text = w->git_root(w->arg, src);
	ok(text && !strcmp(text, repo), "the root");
	text = w->git_branch(w->arg, repo);
	is_str(text, "work", "the branch");
	text = w->git_remote_url(w->arg, repo, "origin");
	is_str(text, "https://git.example.org/a/b.git", "the remote");
	ok(!w->git_remote_url(w->arg, repo, "other"), "no such remote");
}

/* One judgement sees one state of the world, the next one another; paths that share a place are not confused. */
static void remembers(struct world *w)
{
	w->begin(w->arg);
	is_type(w, "plain/late", WORLD_ABSENT);
	is_git(w, "repo/late.c", WORLD_GIT_UNTRACKED, "not there yet");
	put("plain/late", "x");
	put("repo/late.c", "x");
	ok(sh("cd repo && git add late.c && git commit -qm late") == 0, "a commit");
	is_type(w, "plain/late", WORLD_ABSENT);
	w->begin(w->arg);
	is_type(w, "plain/late", WORLD_FILE);
	is_git(w, "repo/late.c", WORLD_GIT_CLEAN, "a new judgement looks again");
	for (int i = 0; i < 2000; i++) {
		CLEANUP(cleanup_freep) char *path = xasprintf("%s/no/%d", root, i);

		w->type(w->arg, path);
	}
	is_type(w, "plain/late", WORLD_FILE);
	is_type(w, "repo", WORLD_DIR);
}

int main(void)
{
	struct world *w;

	if (!ok(mkdtemp(root) != NULL, "a directory"))
		return tap_done();
	ok(sh("mkdir -p repo/src plain && ln -s repo/src link && mkfifo fifo && cd repo && git init -q -b work && git config user.email a@example.org && "
	      "git config user.name a && echo a > src/a.c && echo b > dirty.c && echo '*.log' > .gitignore && git add -A && git commit -qm x && "
	      "git remote add origin https://git.example.org/a/b.git && echo c >> dirty.c") == 0, "a repository");
	put("repo/new.txt", "new\n");
	put("repo/x.log", "x");
	w = world_real();
	files(w);
	git(w);
	remembers(w);
	world_free(w);
	CLEANUP(cleanup_freep) char *rm = xasprintf("rm -r '%s'", root);
	ok(system(rm) == 0, "cleaned up");
	return tap_done();
}

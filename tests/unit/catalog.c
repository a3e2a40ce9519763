/* tests/unit/catalog.c - `sbxterm programs`, with files of a person in a home of its own */
#include "tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "catalog.h"
#include "conf/conf.h"

static char home[64] = "/tmp/sbxterm-catalog-XXXXXX";
static struct buf out;

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", home, name);
}

static void put(const char *name, const char *text)
{
	CLEANUP(cleanup_freep) char *path = path_of(name);
	FILE *f = fopen(path, "w");

	ok(f != NULL, path);
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
	chmod(path, 0644);
}

/* Its standard output is in @out afterwards. */
static int programs(struct err *e, const char *verb, const char *a, const char *b)
{
	CLEANUP(cleanup_freep) char *path = path_of("out");
	const char *rest[] = { verb, a, b };
	const struct options o = { .command = CMD_PROGRAMS, .rest = (char **)(uintptr_t)rest, .nrest = b ? 3 : a ? 2 : 1 };
	int keep = dup(STDOUT_FILENO), rc;

	fflush(stdout);
	buf_clear(&out);
	if (!ok(freopen(path, "w", stdout) != NULL, path))
		return -1;
	rc = catalog_main(&o, e);
	fflush(stdout);
	dup2(keep, STDOUT_FILENO);
	close(keep);
	io_slurp(path, &out, NULL);
	unlink(path);
	return rc;
}

static bool says(const char *text)
{
	return ok(strstr(buf_str(&out), text) != NULL, text);
}

static void lines_fit(size_t width)
{
	for (const char *s = buf_str(&out); *s; s += strcspn(s, "\n"), s += *s == '\n')
		ok(strcspn(s, "\n") <= width, "no line is too long");
}

static void test_show(void)
{
	struct err e = { 0 };

	is_int(programs(&e, "show", "rm", NULL), 0, "rm");
	says("with -r"), says("deletes the file, or the directory"), says("deny   rm -rf /"), says("files.json");
	is_int(programs(&e, "show", "docker", NULL), 0, "docker");
	lines_fit(80);
	is_int(programs(&e, "show", "git", "push"), 0, "a subcommand");
	says("git push"), says("force to a main"), says("deny   git push --force origin main");
	is_int(programs(&e, "show", "gti", NULL), -1, "a name that is not known");
	is_str(e.msg, "nothing is known of the program 'gti': did you mean git, g++, gap?", "names that are near");
	is_int(programs(&e, "show", "git", "psuh"), -1, "nor such a subcommand");
	is_int(programs(&e, "show", "a\033b", NULL), -1, "a name that is no text");
	ok(!strchr(e.msg, '\033') && strstr(e.msg, "\\e"), e.msg);
	is_int(programs(&e, "show", "mytool", NULL), 0, "one that was added");
	says("added, not shipped"), says("without -n: puts it online (ask: publish)"), says("ask    mytool up");
}

static void test_list(void)
{
	struct err e = { 0 };
	size_t n = 0;

	is_int(programs(&e, "list", NULL, NULL), 0, "all");
	for (const char *s = buf_str(&out); (s = strchr(s, '\n')); s++)
		n++;
	ok(n > 400, "one line for each");
	is_int(programs(&e, "list", "mytoo", NULL), 0, "a part of a name");
	is_str(buf_str(&out), "mytool                   publishes (added)\n", "what it does in a word");
	is_int(programs(&e, "list", "nosuchname", NULL), -1, "none");
}

static void test_check(void)
{
	CLEANUP(cleanup_freep) char *mine = path_of(".config/sbxterm/programs/mine.json");
	CLEANUP(cleanup_freep) char *other = path_of("other.json");
	struct err e = { 0 };

	is_int(programs(&e, "check", mine, NULL), CATALOG_GOOD, "a file that is read anyhow");
	says("1 name, 2 examples, 0 wrong");
	put("other.json", "{\"programs\":{\"other\":{}},\n\"examples\":[[\"other\",\"allow\"],\n[\"other > /etc/x\",\"ask\"]]}");
	is_int(programs(&e, "check", other, NULL), CATALOG_MISTAKE, "an example that comes out otherwise");
	says("other.json:3:1: found deny (fs.write.system) for other > /etc/x, expected ask"), says("1 wrong");
	put("other.json", "{\"programs\":{\"other\":{}}}");
	is_int(programs(&e, "check", other, NULL), CATALOG_GOOD, "no examples");
	says("a file without examples");
	is_int(programs(&e, "check", "conf/programs/git.json", NULL), CATALOG_GOOD, "a shipped one");
	is_int(programs(&e, "check", "/nonexistent", NULL), -1, "none");
	unlink(other);
}

/* What the gate loads: conf finds the files, and looks whose they are. */
static int load(const char *workspace, struct conf **c, struct err *e)
{
	*c = NULL;
	return conf_load(&(struct conf_from){ .datadir = "conf", .home = home, .system = "/nonexistent", .workspace = workspace }, c, e);
}

static void test_places(void)
{
	CLEANUP(cleanup_freep) char *dir = path_of(".config/sbxterm/programs");
	CLEANUP(cleanup_freep) char *link = path_of(".config/sbxterm/programs/link.json");
	CLEANUP(cleanup_freep) char *ws = path_of("ws");
	CLEANUP(cleanup_freep) char *in_ws = path_of("ws/evil.json");
	CLEANUP(cleanup_freep) char *conf = path_of(".config");
	struct conf *c;
	struct err e = { 0 };

	is_int(load(ws, &c, &e), 0, "a workspace beside it");
	is_int(c ? c->nprogram_file : 0, 1, "one file");
	conf_free(c);
	is_int(load(conf, &c, &e), -1, "a workspace around it");
	ok(strstr(e.msg, "inside the workspace") != NULL, e.msg);
	is_int(load(home, &c, &e), 0, "the home directory: no session starts there");
	conf_free(c);
	put("ws/evil.json", "{\"programs\":{}}");
	ok(symlink(in_ws, link) == 0, "a link");
	is_int(load(ws, &c, &e), -1, "that leads into the workspace");
	ok(strstr(e.msg, "link.json: found it inside the workspace") != NULL, e.msg);
	unlink(link);
	chmod(dir, 0775);
	is_int(load(ws, &c, &e), -1, "a folder that the group may write");
	ok(strstr(e.msg, "chmod go-w") != NULL, e.msg);
	chmod(dir, 0755);
	unlink(in_ws);
}

static void folders(bool make)
{
	static const char *const name[] = { "ws", ".config", ".config/sbxterm", ".config/sbxterm/programs" };

	for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
		CLEANUP(cleanup_freep) char *path = path_of(name[make ? i : ARRAY_SIZE(name) - 1 - i]);

		if (make && mkdir(path, 0755) == 0)
			chmod(path, 0755);
		else
			rmdir(path);
	}
}

int main(void)
{
	CLEANUP(cleanup_freep) char *mine = NULL;

	if (!mkdtemp(home))
		return 1;
	setenv("HOME", home, 1);
	unsetenv("XDG_CONFIG_HOME");
	buf_init(&out, 4u << 20);
	folders(true);
	put(".config/sbxterm/programs/mine.json",
	    "{ // ours\n\"programs\":{\"mytool\":{\"options\":{\"-n\":\"\"},\"sub\":{\"up\":\"[!n] publish puts it online\",\"log\":\"\"}}},\n"
	    "\"examples\":[[\"mytool log\",\"allow\"],[\"mytool up\",\"ask\"]]}");
	test_show();
	test_list();
	test_check();
	test_places();
	mine = path_of(".config/sbxterm/programs/mine.json");
	unlink(mine);
	folders(false);
	rmdir(home);
	buf_done(&out);
	return tap_done();
}

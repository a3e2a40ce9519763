#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "conf/conf.h"
#include "tap.h"

/* A machine in a throwaway directory: /sys is the system layer, /home and /ws the others. */
static char top[] = "/tmp/sbxterm-conf-XXXXXX";
static char sysdir[64], home[64], ws[64];

static void write_file(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name), *up = xstrdup(path);
	FILE *f;

	*strrchr(up, '/') = '\0';
	io_mkdirs(up, 0700, NULL);
	f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
	free(up);
	free(path);
}

static void reset(void)
{
	char *cmd = xasprintf("rm -rf %s/* && mkdir %s %s %s", top, sysdir, home, ws);

	ok(system(cmd) == 0, "fresh directories");
	free(cmd);
}

static void set_layers(const char *sys, const char *user, const char *project)
{
	reset();
	if (sys)
		write_file(sysdir, "policy.jsonc", sys);
	if (user)
		write_file(home, ".config/sbxterm/policy.jsonc", user);
	if (project)
		write_file(ws, ".sbxterm/policy.jsonc", project);
}

static int load(const char *profile, struct conf **c, struct err *e)
{
	struct conf_from from = { .home = home, .workspace = ws, .profile = profile, .system = sysdir };

	*c = NULL;
	e->msg[0] = '\0';
	return conf_load(&from, c, e);
}

static bool has(const char *const *v, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(v[i], s) == 0)
			return true;
	}
	return false;
}

static void test_shipped(void)
{
	struct conf *c;
	struct err e = { 0 };

	set_layers(NULL, NULL, NULL);
	is_int(load(NULL, &c, &e), 0, e.msg);
	if (!c)
		return;
	is_str(c->profile.name, "default", "profile");
	is_str(c->shell, "/bin/bash", "shell");
	ok(strncmp(c->audit_path, home, strlen(home)) == 0, "the log is in the home");
	is_int(c->profile.home_bytes, 1 << 30, "1G");
	ok(has(c->secret, c->nsecret, "~/.ssh") && has(c->secret, c->nsecret, ".env"), "secrets");
	ok(has(c->profile.mask, c->profile.nmask, "~/.ssh"), "a secret with a place is masked");
	ok(!has(c->profile.mask, c->profile.nmask, ".env"), "one without is not");
	ok(has(c->build_output, c->nbuild_output, "node_modules"), "build outputs");
	ok(has(c->protected_file, c->nprotected_file, ".git/hooks"), "protected files");
	ok(has(c->profile.env, c->profile.nenv, "LC_*"), "variables");
	ok(!has(c->profile.env, c->profile.nenv, "LD_PRELOAD") && !has(c->profile.env, c->profile.nenv, "SSH_AUTH_SOCK"),
	   "and not those");
	is_int(c->nrule, 0, "no rules");
	is_int(c->nignored, 0, "nothing ignored");
	conf_free(c);
}

/* Each list entry is met once; nothing readable lies in what is secret. */
static void test_shipped_lists(void)
{
	struct conf *c;
	struct err e = { 0 };

	is_int(load(NULL, &c, &e), 0, e.msg);
	if (!c)
		return;
	for (size_t i = 0; i < c->profile.nread; i++)
		ok(!has(c->secret, c->nsecret, c->profile.read[i]), c->profile.read[i]);
	ok(has(c->profile.protect, c->profile.nprotect, ".git"), "git is read-only");
	conf_free(c);
}

static const struct { const char *user, *want; } mistakes[] = {
	{ "{",					":1:2: found the end of the text, expected a key in double quotes" },
	{ "[]",					":1:1: found an array, expected an object with the configuration of sbxterm" },
	{ "{\n  \"ruls\": []\n}",		":2:3: found the key \"ruls\", expected \"$schema\", \"rules\", \"profiles\", \"build_output\", \"secret\", "
						"\"protected_file\", \"system_tree\", \"scratch\", \"main_branch\", \"registry\", \"audit\", \"shell\" or \"scrollback\"" },
	{ "{\"rules\":[{\"action\":\"alow\",\"argv\":[\"ls\"]}]}", ":1:21: found \"alow\", expected \"allow\", \"ask\" or \"deny\"" },
	{ "{\"rules\":[{\"action\":\"deny\"}]}",	":1:11: found an object without the key \"argv\", expected it" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[]}]}", ":1:35: found an array, expected at least 1 in it" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[\"\"]}]}", ":1:36: found \"\", expected at least 1 characters" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[1]}]}", ":1:36: found 1, expected a word or an array of words" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[[\"a\",\"*\"]]}]}", ":1:41: found \"*\", expected a word, not \"*\"" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[\"a\"],\"why\":\"x\"}]}", ":1:41: found the key \"why\", expected \"action\", \"argv\", \"id\", \"reason\", "
						"\"safer\", \"match\" or \"no_match\"" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[\"a\"],\"id\":\"A b\"}]}", ":1:46: found \"A b\", expected a name of small letters, digits, '.', '_' and '-'" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[\"git\",[\"push\"]],\n\"match\":[[\"git\",\"push\",\"x\"],[\"git\",\"pull\"]]}]}",
						":2:29: found an example that the rule does not match, expected one that it matches" },
	{ "{\"rules\":[{\"action\":\"deny\",\"argv\":[\"git\",[\"push\"]],\n\"no_match\":[[\"/usr/bin/git\",\"push\",\"x\"]]}]}",
						":2:13: found an example that the rule matches, expected one that it does not match" },
	{ "{\"secret\":[\"~/../x\"]}",		":1:12: found \"~/../x\", expected a path without \"..\"" },
	{ "{\"secret\":[\"/\"]}",		":1:12: found \"/\", expected a path or a name" },
	{ "{\"secret\":[\"a\\u0007\"]}",	":1:12: found \"a\\u0007\", expected a path or a name" },
	{ "{\"secret\":[\"!~/.shh\"]}",		":1:12: found \"!~/.shh\", expected an entry that a layer below has" },
	{ "{\"system_tree\":[\"etc\"]}",	":1:17: found \"etc\", expected an absolute path" },
	{ "{\"registry\":[\"https://x.example\"]}", ":1:14: found \"https://x.example\", expected a host name in small letters such as \"registry.example.org\"" },
	{ "{\"registry\":[\"*\"]}",		":1:14: found \"*\", expected a host name in small letters such as \"registry.example.org\"" },
	{ "{\"shell\":\"bash\"}",		":1:10: found \"bash\", expected the absolute path of a shell" },
	{ "{\"audit\":\"log\"}",		":1:10: found \"log\", expected a path that begins with \"/\" or \"~/\"" },
	{ "{\"scrollback\":-1}",		":1:15: found -1, expected at least 0" },
	{ "{\"profiles\":{\"default\":{\"home_bytes\":\"1T\"}}}", ":1:38: found \"1T\", expected a size such as \"512M\"" },
	{ "{\"profiles\":{\"default\":{\"home_bytes\":1}}}", ":1:38: found 1, expected a size such as \"512M\"" },
	{ "{\"profiles\":{\"default\":{\"env\":[\"A=b\"]}}}", ":1:32: found \"A=b\", expected the name of a variable, or its beginning and \"*\"" },
	{ "{\"profiles\":{\"default\":{\"setenv\":{\"A B\":\"x\"}}}}", ":1:41: found \"A B\", expected the name of a variable" },
	{ "{\"profiles\":{\"default\":{\"protect\":[\"/etc\"]}}}", ":1:36: found \"/etc\", expected a path below the workspace, without a leading \"/\" or \"~\"" },
	{ "{\"profiles\":{\"default\":{\"read\":[\".x\"]}}}", ":1:33: found \".x\", expected a path that begins with \"/\" or \"~/\"" },
	{ "{\"profiles\":{\"default\":{\"reed\":[]}}}", ":1:25: found the key \"reed\", expected \"read\", \"write\", \"mask\", \"protect\", \"env\", \"setenv\", "
						"\"home_bytes\", \"tmp_bytes\" or \"nproc\"" },
	{ "{\"shell\":\"/a\",\"shell\":\"/b\"}",	":1:15: found the key \"shell\" twice in one object, expected it once" },
};

static void test_mistakes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		char *want = xasprintf("%s/.config/sbxterm/policy.jsonc%s", home, mistakes[i].want);
		struct conf *c;
		struct err e = { 0 };

		set_layers(NULL, mistakes[i].user, NULL);
		is_int(load(NULL, &c, &e), -1, mistakes[i].user);
		is_str(e.msg, want, mistakes[i].user);
		conf_free(c);
		free(want);
	}
}

static void test_layers(void)
{
	struct conf *c;
	struct err e = { 0 };

	set_layers("{\"shell\":\"/bin/sh\",\"scrollback\":5,\"registry\":[\"a.example\"],"
		   "\"rules\":[{\"action\":\"ask\",\"argv\":[\"ls\"]}]}",
		   "{\"scrollback\":7,\"audit\":\"/var/log/x\",\"registry\":[\"b.example\",\"!pypi.org\"],\"secret\":[\"mine\",\"!~/.config/gh\"],"
		   "\"rules\":[{\"action\":\"allow\",\"argv\":[\"make\",\"*\",[\"x\",\"y\"]],\"reason\":\"r\",\"safer\":\"s\",\"id\":\"my.make\"},"
		   "{\"action\":\"deny\",\"argv\":[\"rm\"]}],"
		   "\"profiles\":{\"default\":{\"read\":[\"~/notes\"],\"home_bytes\":\"2M\",\"setenv\":{\"A\":\"1\",\"B\":\"2\"}},"
		   "\"wide\":{\"write\":[\"/srv/x\"],\"mask\":[\"!~/.claude\"],\"setenv\":{\"A\":null},\"nproc\":9}}}", NULL);
	is_int(load(NULL, &c, &e), 0, e.msg);
	if (!c)
		return;
	is_str(c->shell, "/bin/sh", "the system layer replaces");
	is_int(c->scrollback, 7, "the user layer goes over it");
	is_str(c->audit_path, "/var/log/x", "audit");
	ok(has(c->registry, c->nregistry, "a.example") && has(c->registry, c->nregistry, "b.example"), "lists add up");
	ok(!has(c->registry, c->nregistry, "pypi.org"), "an entry is taken out");
	ok(has(c->secret, c->nsecret, "mine") && !has(c->secret, c->nsecret, "~/.config/gh"), "secrets too");
	ok(!has(c->profile.mask, c->profile.nmask, "~/.config/gh"), "and its mask");
	is_int(c->nrule, 3, "rules of all layers");
	is_str(c->rule[0].id, "system.1", "named by layer");
	is_str(c->rule[1].id, "my.make", "or by itself");
	is_str(c->rule[1].safer, "s", "safer");
	is_int(c->rule[1].nargv, 3, "words");
	is_int(c->rule[1].argv[1].nany, 0, "* is any word");
	is_int(c->rule[1].argv[2].nany, 2, "one of two");
	is_str(c->rule[2].id, "user.2", "counted in its layer");
	ok(strstr(c->rule[2].reason, "policy.jsonc:1") != NULL, "a reason there always is");
	ok(c->rule[2].action == CONF_DENY && c->rule[0].action == CONF_ASK && c->rule[1].action == CONF_ALLOW, "actions");
	is_int(c->profile.home_bytes, 2 << 20, "size");
	ok(has(c->profile.setenv, c->profile.nsetenv, "A=1") && has(c->profile.setenv, c->profile.nsetenv, "B=2"), "setenv");
	is_int(c->profile.nwrite, 0, "nothing of the other profile");
	conf_free(c);
	is_int(load("wide", &c, &e), 0, e.msg);
	if (!c)
		return;
	is_str(c->profile.name, "wide", "another profile");
	ok(has(c->profile.read, c->profile.nread, "~/notes") && has(c->profile.write, c->profile.nwrite, "/srv/x"), "begins as a copy of default");
	ok(!has(c->profile.mask, c->profile.nmask, "~/.claude") && has(c->secret, c->nsecret, "~/.claude"), "takes a mask off, not the secret");
	ok(!has(c->profile.setenv, c->profile.nsetenv, "A=1") && has(c->profile.setenv, c->profile.nsetenv, "B=2"), "takes a variable out");
	is_int(c->profile.nproc, 9, "nproc");
	conf_free(c);
	is_int(load("none", &c, &e), -1, "a profile that is not there");
	is_str(e.msg, "no profile \"none\" in the configuration: it has default, wide", "says which are");
}

static void test_names(void)
{
	struct conf_from from = { .home = home, .workspace = ws, .system = sysdir };
	struct conf *c = NULL;
	struct err e = { 0 };
	char *path = xasprintf("%s/other.jsonc", top);

	set_layers(NULL, "{}", NULL);
	write_file(home, ".config/sbxterm/policy.json", "{}");
	is_int(load(NULL, &c, &e), -1, "two files for one layer");
	ok(strstr(e.msg, "expected one of them") != NULL, e.msg);
	set_layers(NULL, NULL, NULL);
	write_file(ws, ".sbxterm/policy.json", "{\"secret\":[\"x\"]}");
	is_int(load(NULL, &c, &e), 0, e.msg);
	ok(c && has(c->secret, c->nsecret, "x"), "policy.json is read too");
	conf_free(c);
	set_layers(NULL, "{\"shell\":\"/u\"}", NULL);
	write_file(top, "other.jsonc", "{\"shell\":\"/o\"}");
	from.policy = path;
	is_int(conf_load(&from, &c, &e), 0, e.msg);
	is_str(c->shell, "/o", "--policy stands in for the user layer");
	conf_free(c);
	from.policy = "/nonexistent";
	is_int(conf_load(&from, &c, &e), -1, "and must be there");
	is_str(e.msg, "open /nonexistent: No such file or directory", "says so");
	from.policy = NULL;
	from.datadir = "/nonexistent";
	is_int(conf_load(&from, &c, &e), -1, "no shipped files");
	free(path);
}

/* What each line of a project file may do: "" = in force, else a piece of what is said about it. */
static const struct { const char *json, *ignored; } projects[] = {
	{ "\"rules\":[{\"action\":\"deny\",\"argv\":[\"x\"]},{\"action\":\"ask\",\"argv\":[\"y\"]}]", "" },
	{ "\"rules\":[{\"action\":\"allow\",\"argv\":[\"x\"]}]",	":1:11: rules: project.1 would allow more" },
	{ "\"secret\":[\"x\"]",						"" },
	{ "\"secret\":[\"!~/.ssh\"]",					":1:12: secret: !~/.ssh would allow more" },
	{ "\"protected_file\":[\"!.git/hooks\"]",			"protected_file: !.git/hooks would" },
	{ "\"system_tree\":[\"!/etc\"]",				"system_tree: !/etc would" },
	{ "\"main_branch\":[\"!main\"]",				"main_branch: !main would" },
	{ "\"main_branch\":[\"next\"]",					"" },
	{ "\"build_output\":[\"src\"]",					"build_output: src would" },
	{ "\"build_output\":[\"!dist\"]",				"" },
	{ "\"scratch\":[\"/home\"]",					"scratch: /home would" },
	{ "\"scratch\":[\"!/tmp\"]",					"" },
	{ "\"registry\":[\"evil.example\"]",				"registry: evil.example would" },
	{ "\"registry\":[\"!pypi.org\"]",				"" },
	{ "\"audit\":\"/dev/null\"",					"audit: the log is not" },
	{ "\"shell\":\"/tmp/x\"",					"shell: /tmp/x would" },
	{ "\"scrollback\":0",						"scrollback: not" },
	{ "\"profiles\":{\"default\":{\"read\":[\"~/.ssh\"]}}",		"read: ~/.ssh would" },
	{ "\"profiles\":{\"default\":{\"read\":[\"!~/.vim\"]}}",	"" },
	{ "\"profiles\":{\"default\":{\"write\":[\"~/\\u202ex\"]}}",	"write: ~/\\u202ex would" },
	{ "\"profiles\":{\"default\":{\"mask\":[\"/srv\"]}}",		"" },
	{ "\"profiles\":{\"default\":{\"mask\":[\"!~/.ssh\"]}}",	"mask: !~/.ssh would" },
	{ "\"profiles\":{\"default\":{\"protect\":[\"src\"]}}",		"" },
	{ "\"profiles\":{\"default\":{\"protect\":[\"!.git\"]}}",	"protect: !.git would" },
	{ "\"profiles\":{\"default\":{\"env\":[\"AWS_*\"]}}",		"env: AWS_* would" },
	{ "\"profiles\":{\"default\":{\"env\":[\"!CI\"]}}",		"" },
	{ "\"profiles\":{\"default\":{\"setenv\":{\"LD_PRELOAD\":\"x\"}}}", "setenv: LD_PRELOAD would" },
	{ "\"profiles\":{\"default\":{\"setenv\":{\"USERS\":null}}}",	"" },
	{ "\"profiles\":{\"default\":{\"home_bytes\":\"1M\"}}",		"" },
	{ "\"profiles\":{\"default\":{\"home_bytes\":\"999999G\"}}",	"home_bytes: 999999G would" },
	{ "\"profiles\":{\"default\":{\"nproc\":50}}",			"" },
	{ "\"profiles\":{\"default\":{\"nproc\":101}}",			"nproc: a higher limit would" },
	{ "\"profiles\":{\"default\":{\"nproc\":0}}",			"nproc: no limit would" },
};

static void test_project(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(projects); i++) {
		struct conf_from from = { .home = home, .workspace = ws, .system = sysdir };
		char *text = xasprintf("{%s}", projects[i].json);
		bool audit = strstr(projects[i].json, "audit") != NULL;
		struct conf *c;
		struct err e = { 0 };

		set_layers(NULL, "{\"profiles\":{\"default\":{\"nproc\":100,\"setenv\":{\"USERS\":\"x\"}}}}", text);
		is_int(load(NULL, &c, &e), 0, e.msg);
		is_int(c ? c->nignored : 9, projects[i].ignored[0] != '\0', projects[i].json);
		if (c && c->nignored)
			ok(strstr(c->ignored[0], projects[i].ignored) != NULL, c->ignored[0]);
		conf_free(c);
		is_int(conf_trust(&from, &e), 0, e.msg);
		is_int(load(NULL, &c, &e), 0, e.msg);
		is_int(c ? c->nignored : 9, audit, "all of it in force once trusted, but for the log");
		conf_free(c);
		free(text);
	}
}

static void test_trust(void)
{
	struct conf_from from = { .home = home, .workspace = ws, .system = sysdir };
	char *file = xasprintf("%s/.config/sbxterm/trusted.jsonc", home), *copy = xasprintf("%s/copy", top), *link = xasprintf("%s/link", top);
	struct stat st;
	struct conf *c;
	struct err e = { 0 };

	set_layers(NULL, NULL, NULL);
	is_int(conf_trust(&from, &e), -1, "no project file, no trust");
	set_layers(NULL, NULL, "// say\n{\"registry\":[\"evil.example\"]}\n");
	is_int(conf_trust(&from, &e), 0, e.msg);
	is_int(stat(file, &st), 0, "written");
	is_int(st.st_mode & 0777, 0600, "for the user alone");
	is_int(load(NULL, &c, &e), 0, e.msg);
	ok(c && has(c->registry, c->nregistry, "evil.example"), "in force");
	conf_free(c);
	write_file(ws, ".sbxterm/policy.jsonc", "// say\n{\"registry\":[\"evil.exampl\"]}\n");
	is_int(load(NULL, &c, &e), 0, e.msg);
	is_int(c ? c->nignored : 0, 1, "one byte less: not trusted any more");
	conf_free(c);
	write_file(ws, ".sbxterm/policy.jsonc", "// say\n{\"registry\":[\"evil.example\"]}\n");
	write_file(copy, ".sbxterm/policy.jsonc", "// say\n{\"registry\":[\"evil.example\"]}\n");
	from.workspace = copy;
	is_int(conf_load(&from, &c, &e), 0, e.msg);
	is_int(c->nignored, 1, "the same text in another place is not trusted");
	conf_free(c);
	is_int(conf_trust(&from, &e), 0, e.msg);
	is_int(symlink(ws, link), 0, "link to the first");
	from.workspace = link;
	is_int(conf_load(&from, &c, &e), 0, e.msg);
	is_int(c->nignored, 0, "the first is still trusted, also through a link");
	conf_free(c);
	write_file(home, ".config/sbxterm/trusted.jsonc", "{\"trusted\":[{\"directory\":1}]}");
	is_int(load(NULL, &c, &e), -1, "a mistake in the trust file");
	ok(strstr(e.msg, "trusted.jsonc:1:26: found 1, expected a string") || strstr(e.msg, "without the key \"text\""), e.msg);
	free(link);
	free(copy);
	free(file);
}

static void test_match(void)
{
	static const struct { const char *word[4]; size_t n; bool want; } calls[] = {
		{ { "git", "push", "x" },		3, true },
		{ { "git", "fetch", "x", "y" },		4, true },
		{ { "/usr/bin/git", "push", "x" },	3, true },
		{ { "./git", "push", "x" },		3, true },
		{ { "git", "push" },			2, false },	/* "*" needs a word */
		{ { "git", "pull", "x" },		3, false },
		{ { "gitx", "push", "x" },		3, false },
		{ { "git", "bin/push", "x" },		3, false },	/* only programs are met by name */
		{ { "git" },				1, false },
	};
	struct conf *c;
	struct err e = { 0 };

	set_layers(NULL, "{\"rules\":[{\"action\":\"deny\",\"argv\":[\"git\",[\"push\",\"fetch\"],\"*\"]},{\"action\":\"deny\",\"argv\":[\"/bin/x\"]}]}", NULL);
	is_int(load(NULL, &c, &e), 0, e.msg);
	if (!c)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		is_int(conf_rule_matches(&c->rule[0], calls[i].word, calls[i].n), calls[i].want, calls[i].word[0]);
	ok(conf_rule_matches(&c->rule[1], (const char *const[]){ "/bin/x" }, 1), "a rule with a path");
	ok(!conf_rule_matches(&c->rule[1], (const char *const[]){ "x" }, 1), "wants that path");
	conf_free(c);
}

/* What a hostile project can put in the place of its file. */
static void test_hostile(void)
{
	char *path = xasprintf("%s/.sbxterm/policy.jsonc", ws), *dir = xasprintf("%s/.sbxterm", ws);
	struct conf *c;
	struct err e = { 0 };

	set_layers(NULL, NULL, NULL);
	is_int(mkdir(dir, 0700), 0, "directory");
	is_int(mkfifo(path, 0600), 0, "a pipe");
	is_int(load(NULL, &c, &e), -1, "does not hang");
	unlink(path);
	is_int(symlink("/dev/zero", path), 0, "a device");
	is_int(load(NULL, &c, &e), -1, "is not read");
	unlink(path);
	is_int(symlink("policy.jsonc", path), 0, "a loop");
	is_int(load(NULL, &c, &e), -1, "is an error");
	unlink(path);
	is_int(rmdir(dir), 0, "gone");
	write_file(ws, ".sbxterm", "a file where a directory should be");
	is_int(load(NULL, &c, &e), 0, "is no layer");
	conf_free(c);
	free(dir);
	free(path);
}

static void test_places(void)
{
	char *path = xasprintf("%s/default.jsonc", conf_datadir() ? conf_datadir() : "");

	ok(access(path, R_OK) == 0, "the shipped files are found from the program");
	ok(conf_libexecdir() && access(conf_libexecdir(), X_OK) == 0, "and the helpers' directory");
	free(path);
}

int main(void)
{
	char *cmd;

	if (!mkdtemp(top))
		return 1;
	snprintf(sysdir, sizeof(sysdir), "%s/sys", top);
	snprintf(home, sizeof(home), "%s/home", top);
	snprintf(ws, sizeof(ws), "%s/ws", top);
	test_shipped();
	test_shipped_lists();
	test_mistakes();
	test_layers();
	test_names();
	test_project();
	test_trust();
	test_match();
	test_hostile();
	test_places();
	cmd = xasprintf("rm -rf %s", top);
	ok(system(cmd) == 0, "cleaned up");
	free(cmd);
	return tap_done();
}

#include "base/mem.h"
#include "options.h"
#include "tap.h"

#define ARGS(...) { "sbxterm", __VA_ARGS__, NULL }

static int parse(const char *const *argv, struct options *o, struct err *e)
{
	static char copy[12][64];
	static char *p[12];
	int n = 0;

	for (; argv[n]; n++) {
		snprintf(copy[n], sizeof(copy[n]), "%s", argv[n]);
		p[n] = copy[n];
	}
	return options_parse(n, p, o, e);
}

static void test_good(void)
{
	static const char *const new_all[] = ARGS("-s", "a", "--cwd=/x", "-pstrict", "--policy", "f", "--", "ls", "-l");
	static const char *const run_file[] = ARGS("run", "-ef", "-", "--on-ask", "deny");
	static const char *const check[] = ARGS("check", "--json", "--explain", "--cwd", "/", "ls -l");
	static const char *const empty[] = { "sbxterm", NULL };
	static const char *const dash[] = ARGS("check", "--", "--help");
	static const char *const given[] = ARGS("check", "--vars", "{}", "--dialect=zsh", "--git-state", "{}", "ls");
	static const char *const batch[] = ARGS("check", "--stdin");
	struct options o;
	struct err e;

	is_int(parse(empty, &o, &e), 0, "nothing at all");
	is_int(o.command, CMD_NEW, "is new");
	is_int(parse(new_all, &o, &e), 0, "all of new");
	is_str(o.session, "a", "-s NAME");
	is_str(o.dir, "/x", "--cwd=DIR");
	is_str(o.profile, "strict", "-pNAME");
	is_str(o.policy, "f", "--policy FILE");
	is_int(o.nrest, 2, "words of the command");
	is_str(o.rest[1], "-l", "options behind -- are not ours");
	is_int(parse(run_file, &o, &e), 0, "joined short options");
	ok(o.errexit, "-e");
	is_str(o.file, "-", "-f -");
	is_int(parse(check, &o, &e), 0, "check");
	ok(o.json && o.explain, "switches");
	is_str(o.rest[0], "ls -l", "the line");
	is_int(parse(given, &o, &e), 0, "a context for check");
	is_str(o.vars, "{}", "--vars JSON");
	is_str(o.dialect, "zsh", "--dialect NAME");
	is_int(parse(batch, &o, &e), 0, "check without a line");
	ok(o.batch, "--stdin");
	is_int(parse(dash, &o, &e), 0, "a line that looks like an option");
	ok(!o.help, "is none");
}

static void test_bad(void)
{
	static const struct { const char *argv[6]; const char *msg; } cases[] = {
		{ ARGS("--sesion", "x"), "unknown option '--sesion': did you mean '--session'?" },
		{ ARGS("--zzzzzzzz"), "unknown option '--zzzzzzzz': see sbxterm --help" },
		{ ARGS("-z"), "unknown option '-z': see sbxterm --help" },
		{ ARGS("attch"), "unknown command 'attch': did you mean 'attach'?" },
		{ ARGS("a\033[2Jb"), "unknown command 'a\\e[2Jb': see sbxterm --help" },
		{ ARGS("-s"), "option '--session' needs a value: --session NAME" },
		{ ARGS("--detach=x"), "option '--detach' takes no value" },
		{ ARGS("run"), "run: needs either -f FILE or -- COMMAND" },
		{ ARGS("run", "-f", "a", "ls"), "run: needs either -f FILE or -- COMMAND" },
		{ ARGS("run", "--on-ask", "allow", "ls"), "--on-ask allow: only deny is possible" },
		{ ARGS("check", "ls", "-l"), "check: needs one LINE, quoted: sbxterm check 'rm -rf build'" },
		{ ARGS("check", "--stdin", "ls"), "check: --stdin takes its lines and their context from standard input alone" },
		{ ARGS("ls", "x"), "ls: takes no arguments; name a session with -t NAME" },
		{ ARGS("check", "--record", "x"), "unknown option '--record': see sbxterm --help" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct options o;
		struct err e = { 0 };

		is_int(parse(cases[i].argv, &o, &e), -1, cases[i].argv[1]);
		is_str(e.msg, cases[i].msg, "says what and what to do");
	}
}

static void test_help(void)
{
	static const char *const words[] = { "run", "check", "attach", "--session", "--policy", "Ctrl-b d" };
	struct options o = { .command = CMD_NEW };
	char text[16384] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	options_help(f, &o, true);
	fclose(f);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		ok(strstr(text, words[i]) != NULL, words[i]);
}

int main(void)
{
	test_good();
	test_bad();
	test_help();
	return tap_done();
}

/* What is understood, what is a mistake, and where bash would ask for more. */
#include "intercept/parse.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

enum { WHOLE, BAD, MORE };

static const struct { const char *line; int want; } cases[] = {
	{ "ls", WHOLE }, { "", WHOLE }, { "# only a comment", WHOLE }, { "ls;", WHOLE }, { "ls &", WHOLE }, { "a\nb\n", WHOLE },
	{ "if a; then b; fi", WHOLE }, { "! a", WHOLE }, { "time a | b", WHOLE }, { "{ a; }", WHOLE }, { "{a,b}", WHOLE },
	{ "f() { a; }", WHOLE }, { "function f { a; }", WHOLE }, { "coproc a", WHOLE }, { "coproc N { a; }", WHOLE },
	{ "case x in a) b;; esac", WHOLE }, { "case x in esac", WHOLE }, { "for i in 1 2; do a; done", WHOLE },
	{ "for ((i=0;i<3;i++)); do a; done", WHOLE }, { "[[ -d / ]]", WHOLE }, { "((1+1))", WHOLE }, { "((a); b)", WHOLE },
	{ "echo $((1+1)) $((echo a); echo b)", WHOLE }, { "a >&2 2>&1 <&- >|f <>g &>h &>>i", WHOLE },
	/* what the grammar of tree-sitter rejects, and bash does not */
	{ "cat <<A <<B\na\nA\nb\nB", WHOLE }, { "cat <<'EOF' > f; next\nx\nEOF", WHOLE }, { "cat > f <<< x", WHOLE },
	{ "a 3<<<x 5<>f >&196", WHOLE }, { "cat <<EOF | sh\nx\nEOF", WHOLE }, { "cat <<''\nx\n\n", WHOLE },
	/* mistakes */
	{ "if then fi (", BAD }, { ")", BAD }, { "a;; b", BAD }, { "fi", BAD }, { "done", BAD }, { "a && && b", BAD }, { "| a", BAD },
	{ "; a", BAD }, { "a ( b", BAD }, { "for 1x in; do", MORE }, { "a > ", MORE }, { "a >\nb", BAD }, { "f() a", BAD },
	{ "echo ${x", MORE }, { "echo ${x y}", BAD }, { "echo ${}", BAD }, { "} a", BAD }, { "( )", BAD }, { "if a; then fi", BAD },
	/* more lines wanted */
	{ "echo \"x", MORE }, { "echo 'x", MORE }, { "echo $'x", MORE }, { "echo `x", MORE }, { "echo $(x", MORE }, { "a |", MORE },
	{ "a &&", MORE }, { "a ||\n", MORE }, { "a \\", MORE }, { "if a; then", MORE }, { "if a", MORE }, { "while a; do b", MORE },
	{ "{ a;", MORE }, { "( a", MORE }, { "case x in", MORE }, { "case x in a) b", MORE }, { "for i in a b", MORE }, { "f() {", MORE },
	{ "cat <<E", MORE }, { "cat <<E\nx", MORE }, { "[[ a", MORE }, { "f()", MORE }, { "a=(x", MORE },
};

/* What bash reads in another way than it looks: valid, but a gap here. */
static const struct { const char *line; int want; } odd[] = {
	{ "p \"$\\\n(q)\"", BAD }, { "p $\\\nx", BAD }, { "a=( [ x ); q", MORE }, { "a=([x y]=z)", BAD }, { "a=([1]=x [a-b])", WHOLE },
	{ "a=(x)y", BAD }, { "p \"$$(q)\"", BAD }, { "p \"${x-$'a\"b'}\"", BAD }, { "p \"${x-$'a b'}\"", WHOLE }, { "((p\nq); r)", BAD },
	{ "((p; q) | r)", WHOLE }, { "a=([$((1 + 1))]=x)", WHOLE },
};

static int parse(struct arena *a, const char *text, size_t len, struct parse_out *out)
{
	struct parse_in in = { .arena = a, .text = text, .len = len };

	arena_reset(a);
	parse_text(&in, out);
	return !out->failed ? WHOLE : out->gap.incomplete ? MORE : BAD;
}

static void test_table(struct arena *a)
{
	struct parse_out out;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(parse(a, cases[i].line, strlen(cases[i].line), &out), cases[i].want, cases[i].line);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		is_int(parse(a, odd[i].line, strlen(odd[i].line), &out), odd[i].want, odd[i].line);
}

/* bash -n of the same text: 0 fine, 2 a mistake (an end too early is one as well). */
static int bash_n(const char *line)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(9);
		execlp("bash", "bash", "--norc", "--noprofile", "-n", "-c", line, (char *)NULL);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A heredoc without its end and a backslash at the end are only warnings, or nothing, for -c. */
static bool only_at_a_prompt(const char *line)
{
	return strstr(line, "<<E") || line[strlen(line) - 1] == '\\';
}

static void test_bash(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* -n does not look inside ${ } */
		if (!*cases[i].line || only_at_a_prompt(cases[i].line) || strstr(cases[i].line, "${"))
			continue;
		is_int(bash_n(cases[i].line) != 0, cases[i].want != WHOLE, cases[i].line);
	}
}

/* Any cut of a line must neither crash nor turn into half a tree that looks whole beyond its end. */
static void test_cuts(struct arena *a)
{
	static const char line[] = "a=(1 \"2\") f() { x ${y:-`z`} $((1+(2))) <(q) 'w' $'\\x41'; }; cat <<E | g\n$h\nE\n[[ a =~ (b) ]]";
	struct parse_out out;

	for (size_t i = 0; i <= sizeof(line) - 1; i++) {
		char *copy = xmemdup0(line, i);		/* its own block: reads past the end show */

		parse(a, copy, i, &out);
		ok(!out.failed || out.gap.why, "a gap has a reason");
		free(copy);
	}
}

static void test_bounds(struct arena *a)
{
	struct parse_out out;
	char *big = xcalloc(1, CMDLINE_MAX + 2);

	memset(big, '(', 5000);
	is_int(parse(a, big, 5000, &out), BAD, "too deep is a gap");
	ok(strstr(out.gap.why, "deeper"), "with its reason");
	memset(big, 'x', CMDLINE_MAX + 1);
	is_int(parse(a, big, CMDLINE_MAX + 1, &out), BAD, "too long is a gap");
	is_int(parse(a, big, CMDLINE_MAX, &out), WHOLE, "the longest is read");
	is_int(parse(a, "a\0b", 3, &out), BAD, "a NUL is a gap");
	free(big);
}

static void test_spans(struct arena *a)
{
	static const char line[] = "rm >/dev/null -rf /";
	struct parse_out out;
	const struct ast *n;

	parse(a, line, sizeof(line) - 1, &out);
	n = out.list->a;
	is_int(n->words->next->span.from, 14, "words after a redirection belong to the command");
	is_int(n->words->next->next->span.to, 19, "and have their bytes");
	is_int(n->redir->span.from, 3, "so has the redirection");
}

static void test_first(void)
{
	static const struct { const char *text; size_t want; } t[] = {
		{ "a\nb\n", 2 }, { "if x\nthen y\nfi\nz\n", 15 }, { "cat <<E\nq\nE\nz\n", 12 }, { "if x\n", 0 }, { "a; b\nc", 5 }, { "a", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		is_int(expand_first_command(t[i].text, strlen(t[i].text)), t[i].want, t[i].text);
}

static void test_tree(void)
{
	struct cmdline line = { .text = "a && b | c", .len = 10 };
	char *tree = expand_tree(&line);

	is_str(tree, "list\n  command  a\n  &&\n  pipeline\n    command  b\n    command  c\n", "tree");
	free(tree);
}

int main(void)
{
	struct arena a;

	arena_init(&a, 256u << 20);
	test_table(&a);
	test_bash();
	test_cuts(&a);
	test_bounds(&a);
	test_spans(&a);
	arena_done(&a);
	test_first();
	test_tree();
	return tap_done();
}

/* tests/oracle-gen.h - shell lines by a grammar: the same seed gives the same lines
 *
 * Programs are p, q, r and a few that the expander knows the output of; files are those of the oracle's
 * directory; nothing loops for ever or writes anywhere but to /dev/null.
 */
#ifndef TESTS_ORACLE_GEN_H
#define TESTS_ORACLE_GEN_H

#include "oracle-gen-base.h"

static void gen_word(struct gen *g);
static void gen_list(struct gen *g);

static void gen_literal(struct gen *g)
{
	GEN_ONE(g, "a", "b", "foo", "x.c", "src", "-n", "a.b.c", "1", "07", "=", "k=v", ":", "a:b", "/", "p/q", "%", "@", "+", ",", "é",
		"\\ ", "\\*", "\\$x", "\\\\", "\\'", "\\\"", "a\\\nb", "#", "a#b", "^", "!", "-", "--", ".", "..", "_", "{", "}", "]", "[", "~x");
}

static void gen_variable(struct gen *g)
{
	GEN_ONE(g, "x", "y", "z", "x", "y", "e", "nope", "1", "2", "HOME", "PWD", "i");
}

static void gen_expression(struct gen *g)
{
	if (g->depth < 3 && gen_roll(g, 3) == 0) {
		g->depth++;
		gen_put(g, "(");
		gen_expression(g);
		gen_put(g, ")");
		g->depth--;
	} else {
		GEN_ONE(g, "1", "2", "7", "010", "0x1f", "n", "m", "$n", "2#101", "n+1", "-3", "!n", "~m", "a[1]", "a[n]", "${#x}", "n?2:m", "3,4",
			"n=5", "n++", "--m", "m+=2", "a[0]=4", "a[1]++", "1<2", "n&&m", "n||m", "a[n+1]", "--a[0]", "a[n]+=2", "a[-1]", "a", "m2[k]", "a[a[0]]",
			"y", "a[1]?a[0]:3");
	}
	if (gen_roll(g, 2) || g->depth > 3)
		return;
	GEN_ONE(g, "+", "-", " * ", "<<", "&", "|", "^", " ** ", "<", ">=", "==", "!=", "%3+", "/2-", " && ", " || ");
	GEN_ONE(g, "1", "2", "n", "m", "$m", "3");
}

static void gen_pattern(struct gen *g)
{
	GEN_ONE(g, "*", "?", "a", "*/", "/*", ".*", "*.", "[a-c]", "[!a]*", "o", "foo", "\"*\"", "\\*", "$y", "\"$y\"", "b*", "[[:alpha:]]", "??",
		"'a'", "#", "%", "*b*", "x");
}

static void gen_replacement(struct gen *g)
{
	GEN_ONE(g, "-", "", "XY", "$y", "\"$y\"", "a b", "'q'", "\\&", "&", "[&]", "\"&\"", "\\/", "~", "*", "<&&>", "'&'", "$z", "\\\\");
}

static void gen_subject(struct gen *g)
{
	GEN_ONE(g, "x", "y", "e", "nope", "1", "@", "*", "a[@]", "a[*]", "a[1]", "a[0]", "a", "x", "y", "a[-1]", "a[n]", "m2[k]", "m2[@]");
}

static void gen_parameter(struct gen *g)
{
	gen_put(g, "${");
	switch (gen_roll(g, 12)) {
	case 0:
		gen_put(g, "#");
		GEN_ONE(g, "x", "y", "@", "a[@]", "a[1]", "nope", "*", "a");
		break;
	case 1:
		GEN_ONE(g, "!ref", "!a[@]", "!gen*", "!gen@", "!m2[@]", "!ref-d", "!a[*]", "!gen2*", "!none@", "!1", "!ref:1", "!ref%x");
		break;
	case 2:
	case 3:
		gen_subject(g);
		GEN_ONE(g, ":-", "-", ":+", "+", ":-", "+");
		if (g->depth < 3)
			gen_word(g);
		break;
	case 4:
	case 5:
		gen_subject(g);
		GEN_ONE(g, "#", "##", "%", "%%");
		gen_pattern(g);
		break;
	case 6:
	case 7:
		gen_subject(g);
		GEN_ONE(g, "/", "//", "/#", "/%");
		gen_pattern(g);
		gen_put(g, "/");
		gen_replacement(g);
		break;
	case 8:
		gen_subject(g);
		GEN_ONE(g, ":1", ":0:2", ": -2", ": -3:2", ":1:-1", ":n", ":$((n)):1", ":0", ":9", ":1:0", ": -1:1", ":0:1", ": -4:2", ":2", ":n-1:m", ": -n");
		break;
	case 9:
		gen_subject(g);
		GEN_ONE(g, "^", "^^", ",", ",,", "^^[a-c]", "~", "~~");
		break;
	case 10:
		gen_subject(g);
		GEN_ONE(g, "@Q", "@U", "@u", "@L", "@E", "@a", "@Q", "@E", "@A", "@K", "@k", "@P");
		break;
	default:
		gen_subject(g);
	}
	gen_put(g, "}");
}

static void gen_expansion(struct gen *g)
{
	switch (gen_roll(g, 9)) {
	case 0:
	case 1:
		gen_put(g, "$");
		gen_variable(g);
		break;
	case 2:
		gen_put(g, "$((");
		gen_expression(g);
		gen_put(g, "))");
		break;
	case 3:
		if (g->depth > 2)
			break;
		g->depth++;
		GEN_ONE(g, "$(echo ", "$(printf %s ", "$(echo -n ", "$(printf '%s\\n' ", "$(echo ");
		gen_word(g);
		gen_put(g, ")");
		g->depth--;
		break;
	case 4:
		GEN_ONE(g, "$#", "$@", "$*", "${a[@]}", "${a[*]}", "`echo a b`", "$(pwd)", "$(cd src; pwd)", "$(basename src/x.c .c)",
			"$(dirname p/q)", "$(:)", "${m2[k]}", "$[n+1]", "$(q)", "`echo \\`echo z\\``",
			"$(cat <<E\n$x $(( (n+2)*3 )) ${y:-d}\n\\$x `echo q`\nE\n)", "$(cat <<'E'\n$x \\\nE\n)", "$(cat <<-E\n\t$y\n\tE\n)", "$((a[n]))",
			"$(cat <<<\"$x\")", "$(printf '%s-' a b)", "$(mkdir sub; cd sub; pwd)");
		break;
	default:
		g->depth++;
		gen_parameter(g);
		g->depth--;
	}
}

static void gen_double(struct gen *g)
{
	gen_put(g, "\"");
	for (unsigned n = gen_roll(g, 4); n--; ) {
		switch (gen_roll(g, 4)) {
		case 0:
			GEN_ONE(g, "a", " ", "b c", "*", "\\$", "\\\"", "\\\\", "'", "\\a", "~", "{a,b}", "#", "\n", "\\\n", "$", "`echo q`", ")", "é");
			break;
		default:
			gen_expansion(g);
		}
	}
	gen_put(g, "\"");
}

static void gen_part(struct gen *g)
{
	switch (gen_roll(g, 12)) {
	case 0:
	case 1:
	case 2:
		gen_literal(g);
		break;
	case 3:
		GEN_ONE(g, "'a b'", "'*'", "''", "'$x'", "'it'\\''s'", "'\"'", "'\\'", "'a\nb'", "'#'");
		break;
	case 4:
	case 5:
		gen_double(g);
		break;
	case 6:
		GEN_ONE(g, "*.txt", "src/*", "*", "?.txt", "[ab].txt", "*.nope", "*/*.c", ".h*", "src/*.[ch]", "[!a]*", "*/", "'*'*", "star\\**", "src/d*/*");
		break;
	case 7:
		GEN_ONE(g, "{a,b}", "{1..3}", "{c..a}", "x{,y}", "{a,{b,c}}", "{a}", "{}", "{01..3}", "{a,b}{1,2}", "{$x,b}", "{a,'b c'}", "{1..7..3}", "{a,b");
		break;
	case 8:
		GEN_ONE(g, "~", "~/x", "~+", "$'a\\tb'", "$'\\x41\\n'", "$\"q\"", "$'it\\'s'", "~dev", "$'\\101'", "$'\\u00e9'");
		break;
	default:
		gen_expansion(g);
	}
}

static void gen_word(struct gen *g)
{
	static const unsigned parts[] = { 1, 1, 1, 2, 2, 3 };

	g->depth++;
	for (unsigned n = parts[gen_roll(g, 6)]; n--; )
		gen_part(g);
	g->depth--;
}

static void gen_words(struct gen *g, unsigned max)
{
	for (unsigned n = gen_roll(g, max) + 1; n--; ) {
		gen_put(g, " ");
		gen_word(g);
	}
}

static void gen_redirection(struct gen *g)
{
	if (gen_roll(g, 8) == 0)
		GEN_ONE(g, " >/dev/null", " 2>&1", " </dev/null", " 2>/dev/null >&2", " <<<a", " &>/dev/null", " <<<\"$x\"", " 3>&1");
}

static void gen_command(struct gen *g)
{
	if (gen_roll(g, 12) == 0) {
		GEN_ONE(g, "x", "y", "IFS", "e");
		GEN_ONE(g, "=1 ", "=a ", "= ", "=: ");
	}
	if (gen_roll(g, 20) == 0)
		GEN_ONE(g, ">/dev/null ", "</dev/null ", "2>&1 ");
	GEN_ONE(g, "p", "p", "q", "r", "p", "\\p", "'q'", "r\"\"", "command p", "p");
	gen_words(g, 4);
	gen_redirection(g);
}

static void gen_assignment(struct gen *g)
{
	switch (gen_roll(g, 8)) {
	case 0:
		GEN_ONE(g, "a=(", "a+=(", "a=([2]=z ", "a=(");
		gen_words(g, 3);
		gen_put(g, ")");
		break;
	case 1:
		GEN_ONE(g, "IFS=:", "IFS=', '", "IFS=", "IFS=$'\\n'", "IFS=/", "unset IFS", "IFS=a", "IFS=.");
		break;
	case 2:
		GEN_ONE(g, "declare -A m2=([k]=v [j]='w x')", "gen1=a; gen2=b", "ref=x", "ref=y", "declare -i n=2+3", "declare -u x=abc",
			"declare -l y=ABC", "declare -r gen3=c", "unset x", "unset 'a[1]'", "export x=b y=c", "m2[k]=z", "a[5]=q", "unset a", "readonly e", "declare -a a=(x 'y z')",
			"a=([1]=x [0]=y z)", "a+=([n]=q [1]+=w)", "a=([n+1]=\"$x\" $y)", "unset 'a[-1]'", "declare -i a; a+=2", "a[-1]=r",
			"declare -A m2; m2=([z]=1)", "typeset -i n; n+=4", "declare -x gen5", "unset gen1", "a[1]+=s", "m2[j]+=t");
		break;
	case 3:
		gen_put(g, "set --");
		gen_words(g, 3);
		break;
	case 4:
		GEN_ONE(g, "n=3", "m=2", "n=0", "((n++))", "((m+=n))", "let n=m+1", "((n=m*2,m=1))", "a[n]=w", "((a[1]=3))", "printf -v x '%s-' a b",
			"read -r x y <<< 'a b c'", "shift", "read x <<< \"$y\"");
		break;
	default:
		GEN_ONE(g, "x=", "y=", "z=", "x+=", "x=", "y=", "e=", "export x=", "declare y=", "readonly z=");
		if (gen_roll(g, 3))
			gen_word(g);
		else
			GEN_ONE(g, "'a b'", "' a  b '", "'*'", "'a*b'", "src/deep/x.h", "a:b::c", "'a,b, c'", "foo.tar.gz", "'it'\\''s'", "\"a\nb\"",
				"'[a]'", "'\\*'", "'a\\b'", "'-n x'", "'{a,b}'", "'~'", "'*.txt'", "''");
	}
}

static void gen_test(struct gen *g)
{
	GEN_ONE(g, "true", "false", "[ -d src ]", "[ -f a.txt ]", "[[ -n $x ]]", "[[ $x == a* ]]", "[ \"$x\" = a ]", "((n))", "! true", "[ -z \"$e\" ]",
		"((n>1))", "p t", "! p t", "[[ $y ]]", "cd src", "[ $# -gt 0 ]", ":");
}

static void gen_body(struct gen *g)
{
	g->depth++;
	gen_list(g);
	g->depth--;
}

static void gen_case(struct gen *g)
{
	gen_put(g, "case ");
	gen_word(g);
	gen_put(g, " in ");
	for (unsigned n = gen_roll(g, 3) + 1; n--; ) {
		GEN_ONE(g, "a", "(a*", "*.c", "a|b", "'*'", "[a-f]*", "\"$x\"", "$y", "?", "''");
		gen_put(g, ") ");
		gen_body(g);
		GEN_ONE(g, " ;; ", "\n;; ", " ;; ", " ;& ", " ;;& ");
	}
	GEN_ONE(g, "*) p other ;; esac", "esac");
}

static void gen_loop(struct gen *g)
{
	if (g->loops++ > 1) {		/* nested ones multiply */
		gen_command(g);
		return;
	}
	switch (gen_roll(g, 5)) {
	case 0:
		GEN_ONE(g, "for ((i=0;i<3;i++)); do ", "for ((i=3;i;i--)) { p; }; for i; do ", "i=0; while [ $i -lt 3 ]; do i=$((i+1)); ",
			"i=0; until ((i++ > 2)); do ", "while read -r l; do ");
		gen_body(g);
		GEN_ONE(g, "; done", "\ndone");
		break;
	case 1:
		gen_put(g, "for x in \"$@\"; do ");
		gen_body(g);
		gen_put(g, "; done");
		break;
	default:
		GEN_ONE(g, "for i in", "for x in", "for f in");
		gen_words(g, 3);
		GEN_ONE(g, "; do ", "\ndo ");
		gen_body(g);
		GEN_ONE(g, "; done", "; [ $i = a ] && break; p l; done", "; [ \"$x\" = b ] && continue; p l; done", "; done");
	}
	g->loops--;
}

static void gen_function(struct gen *g)
{
	GEN_ONE(g, "f() { ", "function f { ", "f() ( ", "f() { local x=in; ", "f() { local y; shift; ", "f() { [ \"$1\" ] || return; ");
	if (g->out->len >= 2 && g->out->data[g->out->len - 2] == '(') {
		gen_body(g);
		gen_put(g, " )");
	} else {
		gen_body(g);
		gen_put(g, "; }");
	}
	gen_put(g, "; f");
	gen_words(g, 3);
	gen_put(g, "; p");
	gen_words(g, 2);
}

static void gen_compound(struct gen *g)
{
	switch (gen_roll(g, 9)) {
	case 0:
		gen_put(g, "if ");
		gen_test(g);
		gen_put(g, "; then ");
		gen_body(g);
		GEN_ONE(g, "; fi", "; else p else; fi", "; elif true; then p elif; fi", "\nfi");
		break;
	case 1:
		gen_loop(g);
		break;
	case 2:
		gen_case(g);
		break;
	case 3:
		gen_function(g);
		break;
	case 4:
		gen_put(g, "(");
		gen_body(g);
		GEN_ONE(g, ")", ") >/dev/null", ")");
		break;
	case 5:
		gen_put(g, "{ ");
		gen_body(g);
		GEN_ONE(g, "; }", "; } 2>/dev/null", "; } | q", "; }");
		break;
	case 6:
		gen_command(g);
		GEN_ONE(g, " | ", " |& ", " | ");
		gen_command(g);
		break;
	case 7:
		gen_put(g, "eval ");
		GEN_ONE(g, "\"p $x\"", "'p $x'", "p '\"$y\"'", "\"x=$y\"", "'p \"${a[@]}\"'", "\"p \\$x\"");
		break;
	default:
		gen_test(g);
		GEN_ONE(g, " && ", " || ", " && ");
		gen_command(g);
	}
}

static void gen_statement(struct gen *g)
{
	switch (gen_roll(g, 10)) {
	case 0:
	case 1:
	case 2:
		gen_assignment(g);
		break;
	case 3:
		GEN_ONE(g, "cd src", "cd src/deep", "cd ..", "cd 'with space'", "cd -", "cd nope", "cd \"$x\"", "pushd src; popd", "cd ./src && p in",
			"cd $y", "cd", "mkdir -p new/d; cd new/d", "mkdir new && cd new", "mkdir made; cd made && p in",
			"mkdir made2 made2/in; cd made2/in", "mkdir src; cd src", "mkdir a.txt; cd a.txt", "mkdir -p src/new/er && cd src/new; p *", "pushd .; popd",
			"mkdir no/way; cd no/way", "mkdir -p made3; pushd made3; cd ..");
		break;
	case 4:
		if (gen_roll(g, 3))
			gen_command(g);
		else
			GEN_ONE(g, "shopt -s nullglob", "shopt -s dotglob", "set -f", "set +f", "shopt -u nullglob", "set -u", "set -e", "shopt -s extglob",
				"shopt -s nocaseglob", "set +u", "shopt -s globstar", "shopt -s failglob");
		break;
	case 5:
	case 6:
		if (g->depth < 2) {
			gen_compound(g);
			break;
		}
		/* fall through */
	default:
		gen_command(g);
	}
}

static void gen_list(struct gen *g)
{
	for (unsigned n = gen_roll(g, 3); n--; ) {
		gen_statement(g);
		GEN_ONE(g, "; ", "\n", "; ", "; ", " && ");
	}
	gen_command(g);
}

/* Line number @i of @seed into @out. */
static void gen_line(struct buf *out, uint64_t seed, uint64_t i)
{
	struct gen g = gen_start(out, seed, i);

	for (unsigned n = gen_roll(&g, 4); n--; ) {
		gen_assignment(&g);
		gen_put(&g, "; ");
	}
	gen_list(&g);
	gen_put(&g, "; p \"$x\" \"${a[@]}\"");
}

#endif /* TESTS_ORACLE_GEN_H */

/* Two readings of a line: where a naive reader is fooled, where the grammar is, and where they must part. */
#include "intercept/readings.h"

#include "base/io.h"
#include "base/json.h"
#include "intercept/treesit.h"
#include "tap.h"

/* ---- lines that both must read alike: valid for bash, and full of traps ------------------------------ */

static const char *const same[] = {
	/* here-documents: the delimiter's quotes */
	"cat <<\\EOF\n$(rm -rf /)\nEOF", "cat <<\"E F\"\n$(rm)\nE F", "cat <<E'O'F\n`rm`\nEOF", "cat <<-EOF\n\t$(rm)\n\tEOF",
	"cat <<EOF\n\\$(rm a)\nEOF\nb", "cat <<'EOF'\nit's\nEOF\nb", "cat <<EOF\n'$(rm a)'\nEOF",
	"cat <<EOF >n\na-$((40+2))\nEOF", "cat <<EOF\n$((1+$(a b))) $((3*4))\nEOF\nb",
	"cat <<EOF && b\nx\nEOF", "cat <<EOF; b\nx\nEOF", "cat <<EOF | b\nx\nEOF", "cat <<EOF > f\nx\nEOF\nrm b", "a <<'X' b\nrm\nX",
	"cat <<A <<B; c\n1\nA\n2\nB\nd", "cat <<''\nrm -rf / is text\n\nrm a", "<<-EOF cat > x\n\ta\n\tEOF", "bash <<'X'\nrm a\nX\nb",
	"x=\"$(cat <<'E'\nit's )\nE\n)\"; rm b", "git commit -m \"$(cat <<'EOF'\nfix: it's \"x\"\nEOF\n)\" && git push",
	"cat > f <<EOF\nx $(a) `b`\nEOF\nc", "a <<< b c", "a <<<\"$(b)\"; c", "cat > f <<< x", "a 3<<<x 5<>f >&196",
	/* arithmetic or a subshell */
	"echo $((1+2)) $( (echo a) ) $((echo b); echo c)", "((a)); b", "( (a) ); b", "((x=1)) && rm b", "((a); b)", "a=$(( $(b) + 1 )); c",
	"for ((i=0;i<3;i++)); do rm $i; done", "echo $[1+2]; rm a", "(( x < 2 )); a", "echo $((1 << 2)); a", "((x<<2)); a",
	/* comments */
	"a;# rm -rf /", "a # rm -rf /\nb", "a#rm b", "a;#b", "echo a#b ${#x} $# \"#\" '#'; c", "a '#' b; c", "echo $(a # )\n)", "a && # c\nb",
	"# 'it\nrm a", "a #\\\nb", "case x in # y )\na) b;; esac",
	/* patterns of case */
	"case x in a) rm;; (b|c) q;; *) z;; esac; d", "echo \"$( case x in x) echo \")\";; esac )\"", "case $x in (a) b ;; esac; c",
	"case a in a) ;; esac", "case \"$x\" in a|b) c;; d*) e;& f) g;;& esac", "case $(a) in \")\") b;; esac", "echo $(case x in a) b;; esac) c",
	/* quotes in quotes */
	"echo \"$(echo \"a $(echo \"b ; rm\" )\" )\"", "echo \"${x:-\"a b\"}\"; c", "echo ${x:-$(rm a)} \"${y:+`q`}\"", "echo \"$(a 'b\")\"; c')\"",
	"echo $'a\\'b'; rm c", "echo $'\\''; rm 'x'", "echo \"a\\\"; rm b\"; c", "echo \\\"; rm b; echo \\\"", "echo '${'; rm a; echo '}'",
	"echo \"'\"; a; echo \"'\"", "echo '\\'; rm a; echo '\\'", "echo ${x#\\}}; rm a", "a \"x${y:-'}\"; b", "echo \"`a \\\"b\\\"`\"; c",
	/* back quotes */
	"echo `a \\`b \\\\\\`c\\\\\\`\\``; d", "echo `date +%s` \"`a \"b c\"`\"", "`a` b", "a `b` `c`; d", "x=`a``b`; c", "cat <<-E\n\t`a\n\tb` $(c\n\t`d`)\n\tE\nf", "x=`a | b`; c", "a `b;c` d", "echo \\`a\\`; b",
	/* continuations */
	"a \\\n b \\\n | c", "a\\\nb c", "a &\\\n& b", "if a; th\\\nen b; fi", "a \"b\\\nc\" d", "a 'b\\\nc'; d", "a b\\\n; c",
	/* shapes that the grammar knows differently */
	"time a", "time -p a b | c", "time { a; b; }", "time if a; then b; fi", "coproc a b", "coproc { a; b; }", "coproc N { a; b; }", "! ! a",
	"rm >/dev/null -rf /", "git push >log --force origin main", "> out p a", "a 2>&- b", "a {fd}>f b", "a --x=<(b) c", "python3 - <<E\nx\nE",
	"echo }; echo done; echo fi", "a if b then c", "find . -exec rm {} \\;", "shopt -s extglob\nrm !(a*|b|$(c))", "[ -f a -a \"b\" = 'c' ] && d",
	"[[ -f a && ( b || c ) ]] && d", "[[ a =~ ^(b|c)$ ]] && d", "f() ( rm a )", "function g { rm a; }", "export A=$(b) C=d; e", "0<&196; a",
	"a=(1 $(b) 2); c", "a[$(b)]=c", "unset 'a[1]' b", "{ a; } 2>&1 | b", "while read x; do a; done < <(b c)",
};

/* Valid, and ours is right, but what the grammar makes of it cannot be told from an attack: asked. */
static const char *const parted[] = { "cat <<EOF\nEOF \nEOF\nb", "`a # b`; c" };

/* ---- readings that must part ------------------------------------------------------------------------- */

static enum readings compare(struct arena *a, const char *text, size_t len, size_t *where)
{
	struct parse_marks marks = { 0 };
	struct parse_in in = { .arena = a, .text = text, .len = len, .marks = &marks, .extglob = strstr(text, "extglob") };
	struct parse_out out;

	arena_reset(a);
	parse_text(&in, &out);
	return out.failed ? READINGS_UNKNOWN : readings_compare(&marks, where);
}

static void test_same(struct arena *a)
{
	size_t where;

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		is_int(compare(a, same[i], strlen(same[i]), &where), READINGS_AGREE, same[i]);
	for (size_t i = 0; i < ARRAY_SIZE(parted); i++)
		is_int(compare(a, parted[i], strlen(parted[i]), &where), READINGS_DIFFER, parted[i]);
}

/* A reader that is wrong in one place: its marks are those of the line with one of them moved, left out or added. */
static const struct { const char *line; size_t at; enum parse_mark_kind kind; } added[] = {
	{ "echo 'a; rm b'", 9, PARSE_MARK_COMMAND }, { "echo a # rm b", 9, PARSE_MARK_COMMAND }, { "echo a b", 7, PARSE_MARK_COMMAND },
	{ "cd a; rm b", 8, PARSE_MARK_REDIR },
};

static void test_added(struct arena *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(added); i++) {
		struct parse_marks marks = { 0 };
		struct parse_in in = { .arena = a, .text = added[i].line, .len = strlen(added[i].line), .marks = &marks };
		struct parse_out out;
		size_t where = 0, n;

		arena_reset(a);
		parse_text(&in, &out);
		for (n = marks.n++; n && marks.mark[n - 1].at > added[i].at; n--)
			marks.mark[n] = marks.mark[n - 1];
		marks.mark[n] = (struct parse_mark){ (uint32_t)added[i].at, 0, added[i].kind };
		is_int(readings_compare(&marks, &where), READINGS_DIFFER, added[i].line);
		is_int(where, (long long)added[i].at, "and where");
	}
}

/* Every mark of a command, a redirection or a target matters: without it the readings differ. */
static void test_left_out(struct arena *a)
{
	static const char line[] = "x=1 a b >c; (d | e) && f \"$(g <<<h)\"; for i in j; do k; done < l; [[ m ]] && n";
	struct parse_marks marks = { 0 };
	struct parse_in in = { .arena = a, .text = line, .len = sizeof(line) - 1, .marks = &marks };
	struct parse_out out;
	size_t where;

	arena_reset(a);
	parse_text(&in, &out);
	is_int(readings_compare(&marks, &where), READINGS_AGREE, "the whole");
	for (size_t i = 0; i < marks.n; i++) {
		struct parse_mark mark[64];
		struct parse_marks less = marks;
		bool herestring = marks.mark[i].kind == PARSE_MARK_TARGET && line[marks.mark[i].at - 1] == '<' &&
				  line[marks.mark[i].at] == 'h';

		memcpy(mark, marks.mark, i * sizeof(*mark));
		memcpy(mark + i, marks.mark + i + 1, (marks.n - i - 1) * sizeof(*mark));
		less.mark = mark;
		less.n--;
		is_int(readings_compare(&less, &where), herestring ? READINGS_AGREE : READINGS_DIFFER, line + marks.mark[i].at);
	}
}

/* ---- bounds ------------------------------------------------------------------------------------------ */

static enum treesit_go count(void *arg, const struct treesit_node *n)
{
	size_t *counted = arg;

	++*counted;
	return n->to >= n->from ? TREESIT_DOWN : TREESIT_STOP;
}

static enum treesit_go stop(void *arg, const struct treesit_node *n)
{
	(void)arg;
	(void)n;
	return TREESIT_STOP;
}

static void test_bounds(struct arena *a)
{
	char *big = xcalloc(1, TREESIT_MAX + 2);
	size_t n = 0, where;

	is_int(treesit_walk(TREESIT_BASH, "a b", 3, count, &n), 0, "walked");
	is_int(n, 5, "program, command, name and its word, argument");
	is_int(treesit_walk(TREESIT_BASH, "a b", 3, stop, NULL), -1, "stopped");
	n = 0;
	is_int(treesit_walk(TREESIT_POWERSHELL, "Get-Item a", 10, count, &n), 0, "another grammar");
	ok(n > 3, "has its nodes");
	is_int(treesit_walk(TREESIT_BASH, big, TREESIT_MAX + 1, count, &n), -1, "too long is no tree");
	for (size_t i = 0; i < TREESIT_MAX - 8; i += 8)
		memcpy(big + i, "rm a.b; ", 8);
	is_int(compare(a, big, TREESIT_MAX - 8, &where), READINGS_AGREE, "the longest is read");
	for (size_t i = 0; i < 60000; i += 2)
		memcpy(big + i, "((", 2);
	is_int(treesit_walk(TREESIT_BASH, big, 60000, count, &n) <= 0, 1, "a pit of parentheses ends");
	free(big);
}

/* ---- the corpus: no line of it is asked for its grammar alone ------------------------------------------ */

static void test_corpus(struct arena *a)
{
	CLEANUP(buf_done) struct buf text = { .max = 16u << 20 };
	struct err e;
	size_t lines = 0, differ = 0, where;

	if (io_slurp("tests/corpus/commands.jsonl", &text, &e) < 0) {
		printf("# no corpus: %s\n", e.msg);
		return;
	}
	for (char *s = text.data, *nl; (nl = strchr(s, '\n')); s = nl + 1) {
		json *j = json_parse(s, (size_t)(nl - s), NULL, &e);
		const char *cmd = j && strcmp(json_str(j, "shell", ""), "bash") == 0 ? json_str(j, "cmd", "") : "";

		lines++;
		if (*cmd && compare(a, cmd, strlen(cmd), &where) == READINGS_DIFFER) {
			printf("# differs at %zu: %s\n", where, cmd);
			differ++;
		}
		json_free(j);
	}
	ok(lines > 1000, "the corpus is there");
	is_int((long long)differ, 0, "no line of the corpus has two readings");
}

int main(void)
{
	struct arena a;

	arena_init(&a, 256u << 20);
	test_same(&a);
	test_added(&a);
	test_left_out(&a);
	test_bounds(&a);
	test_corpus(&a);
	arena_done(&a);
	return tap_done();
}

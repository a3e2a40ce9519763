/* The real fish is the oracle: what it would run must be what the expander said (oracle.h).
 *
 * Lines: the table and 300 by a grammar; ORACLE_LINES=N ORACLE_SEED=S: N of them from that seed. fish has no
 * subshells, so a bash takes the lines and starts a fish for each.
 */
#include "oracle.h"
#include "oracle-gen-base.h"

/* One write for each record; \3 stands for a newline inside. */
static const char setup[] =
	"function r_; set -l s (string join \\x01 -- $PWD $argv | string collect); "
	"printf '%s\\x01\\x02' (string replace -a \\n \\x03 -- $s | string collect) >&9; end; "
	"for f in p q r f; eval \"function $f; r_ $f \\$argv; end\"; end; "
	"function fish_command_not_found; r_ $argv; end; cd $DIR; set -e DIR; ";

static const char master[] =
	"exec 9>&1 >/dev/null 2>&1; while IFS= read -r -d '' LINE; do "
	"(ulimit -t 3; exec /box/fish --no-config -C \"$SETUP\" -c \"$LINE\" </dev/null); printf '\\0' >&9; done";

static void exec_fish(void)
{
	char env_dir[80], fn[2048];
	const char *const env[] = { "PATH=/nonexistent", "HOME=/home/dev", "USER=dev", "LC_ALL=C.UTF-8", env_dir, fn, NULL };
	const char *const box[] = {
		"bwrap", "--ro-bind", "/usr/lib", "/usr/lib", "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64",
		"--ro-bind-try", "/usr/lib64", "/usr/lib64", "--ro-bind", "/bin/bash", "/bin/bash", "--ro-bind", "/usr/bin/fish", "/box/fish",
		"--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/home", "--dir", "/home/dev",
		"--ro-bind", passwd, "/etc/passwd", "--bind", root, "/proj", "--unshare-all", "--die-with-parent", "--new-session",
		"/bin/bash", "--norc", "--noprofile", "-c", master, NULL };

	snprintf(env_dir, sizeof(env_dir), "DIR=%s", proj);
	snprintf(fn, sizeof(fn), "SETUP=%s", setup);
	if (boxed)
		execvpe("bwrap", (char *const *)(uintptr_t)box, (char *const *)(uintptr_t)env);
	_exit(127);		/* without a box no line is tried */
}

static const char *const lines_[] = {
	"p a 'b c' \"d e\"", "set v 'a b'; p $v", "set v a b; p $v x", "set v a b; p x$v", "set v; p x$v y", "p $nosuch y", "p \"$nosuch\" y",
	"set v a b; p \"$v\"", "set v a b c; p $v[1] $v[2..-1] $v[-1]", "set n v; set v a; p $$n", "p {a,b}{1,2}", "p {1..3} {x} {}", "p {a, b}",
	"p *.txt", "p none* y", "p **.c", "p ?.txt", "for f in *.txt; p $f; end", "set f none*; p $f", "p [ab].txt", "p ~ ~/y a~", "p a\\nb \\x41 \\u0042 \\101",
	"p 'it\\'s' 'a\\nb' 'a\\\\b'", "p \"a\\\"b\" \"\\$x\" \"\\n\" \"`\" \"!\"", "p a\\ b \\$x \\* \\{", "p (echo a b)", "p x(echo a)y", "p (printf 'a\\nb')",
	"p \"$(echo a b)\"", "p $(echo a)", "p (echo)", "if p a; q b; else; r c; end", "if not p a; q b; else; r c; end", "p a; and q b; or r c",
	"not p a; and q b; or r c", "p a && q b || r c", "begin; p a; q b; end", "switch ab; case 'a*'; p yes; case '*'; q no; end",
	"switch c; case a b; p no; case c; q yes; end", "function f; p $argv; end; f 1 '2 3'", "function f -a x y; p $x $y; end; f 1",
	"function f; set -l v in; p $v; end; set v out; f; p $v", "set v a; begin; set -l v b; p $v; end; p $v", "set -g v a; set -e v; p x$v",
	"p a | q b", "cd src; p a", "cd src; and p a; cd ..; q b", "echo a | read v; p $v", "echo a | begin; set v b; end; p $v",
	"A=1 p x", "p a=b --c=d a#b # no", "p a^b HEAD^ a~ = == ! a!", "eval p a 'b  c'", "eval 'set v 1; p $v'; q $v", "while p a; break; end; q",
	"set v a; set -a v b; p $v", "set v a; set -p v b; p $v", "set v (echo a b); p $v", "set v *.txt; p $v", "set -x v 1; p $v", "set -q v; or p no",
	"p >/dev/null a", "p a 2>&1 | q", "p a &>/dev/null", "begin; p a; end >/dev/null", "command p a", "time p a", "p then; q do done fi", "set v ''; p a$v",
	"p a\\\nb", "p (set v 1)a; q $v", "count a b; and p", "string match -q a b; and p yes; or q no", "p %self @x +y -z , . : /", "p a;;q b", "true; p $status",
};

/* Lines by a grammar. No pattern without a match but in the table: all of a pipeline does not run then, which the
 * expander does not follow. */
static void gen_words(struct gen *g)
{
	for (unsigned n = gen_roll(g, 4); n--; ) {
		gen_put(g, " ");
		GEN_ONE(g, "a", "$v", "x$v", "\"$v\"", "$w", "$w.c", "\"<$w>\"", "'b c'", "*.txt", "{a,b}", "{$v,z}", "x{1,$w}",
			"(echo a)", "(echo $v)", "\"$(echo b c)\"", "$v[1]", "$argv", "~", "\\*", "a\\ b", "src/*", "\"\\$v\"", "$i", "pre$i.post", "$nosuch", "\\x41");
	}
}

static void gen_list(struct gen *g)
{
	for (unsigned n = 1 + gen_roll(g, 3); n--; ) {
		if (g->depth < 3 && gen_roll(g, 3) == 0) {
			GEN_ONE(g, "begin; ", "if p; ", "if not q; ", "for i in a 'b c' $w; ", "function f; ", "switch a; case a 'b*'; ");
			g->depth++;
			gen_list(g);
			g->depth--;
			gen_put(g, "; end");
		} else {
			GEN_ONE(g, "set v", "set -l v", "set -g w", "set w", "set -a w", "set -e v", "f", "p", "q", "r", "p", "q");
			gen_words(g);
		}
		if (n)
			GEN_ONE(g, "; ", "; ", "; ", "; and ", "; or ", " && ", " || ", " | ");
	}
}

static void gen_line(struct buf *out, uint64_t seed, uint64_t i)
{
	struct gen g = gen_start(out, seed, i);

	gen_list(&g);
}

static const struct oracle_shell shell = {
	.name = "fish", .dialect = DIALECT_FISH, .exec = exec_fish, .hello = "hello", .gen = gen_line, .generated = 300,
	.lines = lines_, .nlines = ARRAY_SIZE(lines_),
};

int main(void)
{
	return oracle_main();
}

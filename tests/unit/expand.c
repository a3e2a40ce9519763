/* What the expander says of a line, as text: words, directory, flags. The oracle compares it with bash;
 * here is what bash cannot be asked: reasons, unknown values, live state, bounds. */
#include "intercept/expand.h"

#include "tap.h"

static enum world_type type(void *arg, const char *path)
{
	static const char *const dirs[] = { "/w", "/w/src", "/w/real", NULL };

	(void)arg;
	for (size_t i = 0; dirs[i]; i++) {
		if (strcmp(dirs[i], path) == 0)
			return WORLD_DIR;
	}
	if (strcmp(path, "/w/link") == 0)
		return WORLD_LINK;
	return strncmp(path, "/w/", 3) == 0 ? WORLD_ABSENT : WORLD_UNKNOWN;
}

static int read_link(void *arg, const char *path, struct buf *out)
{
	(void)arg;
	(void)path;
	return buf_adds(out, "real");
}

static int list(void *arg, const char *dir, world_name_fn *fn, void *fnarg)
{
	(void)arg;
	if (strcmp(dir, "/w/src") != 0)
		return -1;
	fn(fnarg, "a.c");
	fn(fnarg, "b.c");
	return 0;
}

static const char *git_root(void *arg, const char *path)
{
	(void)arg;
	return strncmp(path, "/w", 2) == 0 ? "/w" : NULL;
}

static const char *git_branch(void *arg, const char *path)
{
	(void)arg;
	(void)path;
	return "main";
}

static const struct world world = { .type = type, .link = read_link, .list = list, .git_root = git_root,
				    .git_branch = git_branch };

struct seen {
	struct expand	*x;
	struct buf	 out;
	size_t		 n;
};

static void show_word(struct buf *b, const struct word *w)
{
	if (w->kind == WORD_EXACT)
		buf_addf(b, "<%s>", w->text);
	else if (w->kind == WORD_PATTERN)
		buf_addf(b, "glob<%s>", w->text);
	else
		buf_addf(b, "?<%s..%s>%s", w->prefix, w->suffix, w->many ? "*" : "");
}

static int on_simple(void *arg, const struct simple *s)
{
	static const struct { unsigned flag; const char *name; } flags[] = {
		{ SIMPLE_CONDITIONAL, " maybe" }, { SIMPLE_LOOP, " loop" }, { SIMPLE_DEFINED, " defined" },
		{ SIMPLE_NOT_RUN, " not-run" }, { SIMPLE_RECURSES, " recurses" }, { SIMPLE_BACKGROUND, " bg" },
		{ SIMPLE_SOMEWHERE, " or" },
	};
	struct seen *seen = arg;
	struct buf *b = &seen->out;

	buf_adds(b, seen->n++ ? "; " : "");
	for (size_t i = 0; i < s->argc; i++)
		show_word(b, &s->argv[i]);
	for (size_t i = 0; i < s->nredir; i++) {
		buf_addf(b, "%d%s", s->redir[i].fd, s->redir[i].op == REDIR_READ ? "<" : ">");
		show_word(b, &s->redir[i].target);
	}
	if (!s->argc && s->nassign)
		buf_addf(b, "%s=", s->assign[0].name);
	if (!s->cwd || strcmp(s->cwd, "/w") != 0)
		buf_addf(b, "@%s", s->cwd ? s->cwd : "?");
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		buf_adds(b, s->flags & flags[i].flag ? flags[i].name : "");
	if (s->pipe_from)
		buf_addf(b, "|%s", s->pipe_from->argc ? s->pipe_from->argv[0].text : "?");
	if (s->argc == 2 && s->argv[1].text && strcmp(s->argv[0].text ? s->argv[0].text : "", "eval") == 0)
		return expand_nested(seen->x, s, s->argv[1].text, strlen(s->argv[1].text), s->span, false, NULL, 0);
	if (s->argc >= 3 && s->argv[2].text && strcmp(s->argv[0].text ? s->argv[0].text : "", "sh") == 0)
		return expand_nested(seen->x, s, s->argv[2].text, strlen(s->argv[2].text), s->span, true, s->argv + 3,
				     s->argc - 3);
	return 0;
}

static const struct { const char *line, *want; } cases[] = {
	/* live values: V is "a b", E is empty, U is unset, K is not known */
	{ "p $V \"$V\" $E \"$E\" $U", "<p><a><b><a b><>" },
	{ "p $K \"$K\" x${K}y", "<p>?<..>*?<..>?<x..y>*" },
	{ "rm -rf \"$U/root\"", "<rm><-rf></root>" },
	{ "rm -rf \"$HOME\" '$HOME'", "<rm><-rf></home/dev><$HOME>" },
	{ "p ${K:-x} ${K:+y} ${#K} ${K%/}", "<p>?<..>*?<..>*?<..>?<..>*" },
	{ "ll x", "<ls><-l><x>" },
	{ "\\ll x", "<ll><x>" },
	{ "greet you", "<echo><hi><you>" },
	/* directories */
	{ "cd src; p *", "<cd><src>; <p><a.c><b.c>@/w/src" },
	{ "cd nope; rm -rf x", "<cd><nope>; <rm><-rf><x>" },
	{ "cd nope && rm -rf x", "<cd><nope>; <rm><-rf><x>@/w/nope maybe" },
	{ "cd nope || exit; rm *", "<cd><nope>; <exit>; <rm>glob<*>@/w/nope maybe" },
	{ "cd link; p; cd ..; q", "<cd><link>; <p>@/w/real; <cd><..>@/w/real; <q>" },
	{ "cd \"$(git rev-parse --show-toplevel)/src\" && p", "<git><rev-parse><--show-toplevel>; <cd></w/src>; <p>@/w/src" },
	{ "cd $K; rm x", "<cd>?<..>*; <rm><x>@?" },
	{ "rm -r src; cd src; rm x", "<rm><-r><src>; <cd><src>; <rm><x>@/w/src or; <rm><x> or" },
	{ "x; cd nope; cd src; rm y", "<x>; <cd><nope>; <cd><src>@/w/nope or; <cd><src> or; <rm><y>@/w/nope/src or; <rm><y>@/w/src or; <rm><y>@/w/nope or; <rm><y> or" },
	{ "x; cd nope; cd $K; rm y", "<x>; <cd><nope>; <cd>?<..>*@/w/nope or; <cd>?<..>* or; <rm><y>@?" },
	{ "x; cd nope; cd /w/src; rm y", "<x>; <cd><nope>; <cd></w/src>@/w/nope or; <cd></w/src> or; <rm><y>@/w/src" },
	{ "[ -d n ] || mkdir n; cd n; p", "<[><-d><n><]>; <mkdir><n> maybe; <cd><n>; <p>@/w/n or; <p> or" },
	/* globs that are not known, or may be stale */
	{ "rm *", "<rm>glob<*>" },
	{ "touch src/n.h; rm src/*.h", "<touch><src/n.h>; <rm>glob<src/*.h>" },
	{ "for f in src/*; do rm $f; done", "<rm><src/a.c> loop; <rm><src/b.c> loop" },
	{ "for f in *; do rm \"$f\"; done", "<rm>glob<*>" },
	/* scratch and substitutions */
	{ "W=$(mktemp -d); rm -rf \"$W/x\"", "<mktemp><-d>; W=; <rm><-rf>?</tmp/tmp.../x>" },
	{ "p $(date)", "<date>; <p>?<..>*" },
	{ "p \"$(git branch --show-current)\"", "<git><branch><--show-current>; <p><main>" },
	{ "whoami `rm -rf /`", "<rm><-rf></>; <whoami>?<..>*" },
	{ "bash <(curl u)", "<curl><u>|?; <bash>?</dev/fd/..>" },
	/* branches and loops */
	{ "if p; then A=1; else A=2; fi; q $A", "<p>; A= maybe; A= maybe; <q>?<..>*" },
	{ "p ${x:-{a,b}$(q)}", "<q>; <p>?<..>*" }, { "x=1; p \"$x\"{a,b}", "x=; <p><1a><1b>" },
	{ "p && A=1; q $A", "<p>; A= maybe; <q>?<..>*" },
	{ "while read -r l; do rm $l; done", "<read><-r><l> maybe loop; <rm>?<..>* maybe loop" },
	{ "i=0; while p; do i=$((i+1)); done; q $i", "i=; <p> maybe loop; i= maybe loop; <q>?<..>* maybe" },
	{ "for x in 1 2; do y=$x; done; p $y", "y= loop; y= loop; <p><2>" },
	/* pipes */
	{ "curl u | sudo sh", "<curl><u>; <sudo><sh>|curl" },
	{ "curl u | { read x; sh; }", "<curl><u>; <read><x>|curl; <sh>|curl" },
	{ "A=1 | p $A; q $A", "A=; <p>|?; <q>" },
	{ "sh <<E\nrm $V\nE", "<sh>0><rm a b\n>" },
	/* functions */
	{ "f() { rm -rf \"$1/x\"; }; f /etc", "<rm><-rf></etc/x>" },
	{ "f() { rm -rf /; }", "<rm><-rf></> maybe defined" },
	{ "f() { local A=1; p $A; }; A=2; f; q $A", "A=; <local><A=1>; <p><1>; <q><2>" },
	/* nested text */
	{ "eval 'cd src'; p", "<eval><cd src>; <cd><src>; <p>@/w/src" },
	{ "eval \"$K\"; p $V", "<eval>?<..>; <p>?<..>*@?" },
	{ "A=1; export B=2; sh -c 'p $A $B $1' _ z", "A=; <export><B=2>; <sh><-c><p $A $B $1><_><z>; <p><2><z>" },
	{ "sh -c 'cd src'; p", "<sh><-c><cd src>; <cd><src>; <p>" },
	{ "$K x; p $V", "?<..>*<x>; <p>?<..>*@?" },
	/* lists, names, transformations, arrays in arithmetic */
	{ "set -- a b; p ${@:0} ${@: -1} ${@:2}", "<set><--><a><b>; <p>?<..>*<a><b><b><b>" },
	{ "set -- a b; p ${@:1:-1}; q", "<set><--><a><b>; <p> not-run; <q> maybe" },
	{ "g1=x; g2=y; p ${!g*}", "g1=; g2=; <p>?<..>*" },		/* the shell may have more of them */
	{ "x=ab; p ${x/b/[&]} ${x/b/-}", "x=; <p>?<..>*<a->" },		/* what & means is the shell's option */
	{ "x=\"it's\"; p ${x@Q} ${x@U} ${x@a}", "x=; <p><'it'\\''s'><IT'S>" },
	{ "a=(x y); a[1]+=z; p ${a[@]: -1} $((a[0]=4)) ${a[0]}", "a=; a=; <p><yz><4><4>" },
	{ "declare -A m=([k]='v w' [j]=x); p \"${m[k]}\"", "<declare><-A>?<m=..>; <p><v w>" },
	{ "declare -u u=abc; declare -i i=2+3; i+=1; p $u $i", "<declare><-u><u=abc>; <declare><-i><i=2+3>; i=; <p><ABC><6>" },
	{ "readonly r=1; r=2; p $r", "<readonly><r=1>; r= not-run; <p><1> maybe" },
	{ "export x={a,b}; p $x", "<export><x=a><x=b>; <p><b>" },
	{ "x=1; p $x\\\ny; p \"$y\\\n\"", "x=; <p>?<..>*; <p>?<..>" },
	{ "p \"\\\n\" a", "<p><><a>" }, { "p ~de\\\nv {a\\\n,b} a\\\nb\\\nc", "<p></home/dev><a><b><abc>" },
	{ "p ~dev:$(q)", "<q> maybe; <p>?</home/dev..>" },
	{ "cat <<E\n$(( (1+2)*3 )) $((1+1))\nE", "<cat>0><9 2\n>" },
	/* directories that the line makes */
	{ "mkdir d; cd d; p", "<mkdir><d>; <cd><d>; <p>@/w/d" },
	{ "mkdir -p d/e && cd d/e; p", "<mkdir><-p><d/e>; <cd><d/e> maybe; <p>@/w/d/e or; <p> or" },
	{ "mkdir -p d/e; cd d; p; cd e; q", "<mkdir><-p><d/e>; <cd><d>; <p>@/w/d; <cd><e>@/w/d; <q>@/w/d/e" },
	{ "rm -r src; mkdir src; cd src; p", "<rm><-r><src>; <mkdir><src>; <cd><src>; <p>@/w/src" },
	{ "x && mkdir d; cd d; p", "<x>; <mkdir><d> maybe; <cd><d>; <p>@/w/d or; <p> or" },
	{ "mkdir no/d; cd no/d; p", "<mkdir><no/d>; <cd><no/d>; <p>@/w/no/d or; <p> or" },
	{ "mkdir src/n; p src/*", "<mkdir><src/n>; <p><src/a.c><src/b.c><src/n>" },
	/* what stops the shell */
	{ "set -u; rm $U/x; p", "<set><-u>; <rm></x> not-run; <p> maybe" },
	{ "p ${U:?}; q", "<p> not-run; <q> maybe" },
	/* redirections */
	{ "p >f 2>&1 <g", "<p>1><f>2><1>0<<g>" },
	{ "{ p; } > f", "1><f>; <p>" },
	{ "rm >/dev/null -rf /", "<rm><-rf></>1></dev/null>" },
	{ "time rm x", "<rm><x>" },
	{ "coproc rm x", "<rm><x> bg" },
	{ "python3 - <<E\nx\nE", "<python3><->0><x\n>" },
	{ "x --o=<(p)", "<p>|?; <x>?<--o=/dev/fd/..>" },
};

static void live_fill(struct live *l)
{
	for (int k = 0; k < LIVE_KIND_COUNT; k++)
		live_set_complete(l, (enum live_kind)k, k != LIVE_VAR);
	live_set(l, LIVE_VAR, "V", "a b");
	live_set(l, LIVE_VAR, "E", "");
	live_set_unset(l, LIVE_VAR, "U");
	live_set_unset(l, LIVE_VAR, "IFS");
	live_set_unset(l, LIVE_VAR, "CDPATH");
	live_set_unset(l, LIVE_VAR, "TMPDIR");
	live_set_unset(l, LIVE_VAR, "A");
	live_set_unset(l, LIVE_VAR, "B");
	live_set(l, LIVE_ALIAS, "ll", "ls -l");
	live_set(l, LIVE_FUNCTION, "greet", "greet () \n{ \n    echo hi \"$1\"\n}");
}

static struct expand *walk(struct seen *seen, struct arena *a, struct live *l, struct cmdline *line, const char *text,
			   size_t len)
{
	struct expand_in in = { .line = line, .live = l, .world = &world, .arena = a, .fn = on_simple, .arg = seen };

	*line = (struct cmdline){ .text = text, .len = len, .cwd = "/w", .workspace = "/w", .home = "/home/dev",
				  .user = "dev" };
	*seen = (struct seen){ 0 };
	buf_init(&seen->out, 1u << 20);
	seen->x = expand_new(&in);
	expand_line(seen->x);
	return seen->x;
}

static void test_table(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct live *l = live_new();
		struct cmdline line;
		struct seen seen;
		struct arena a;

		arena_init(&a, 16u << 20);
		live_fill(l);
		walk(&seen, &a, l, &line, cases[i].line, strlen(cases[i].line));
		is_str(buf_str(&seen.out), cases[i].want, cases[i].line);
		buf_done(&seen.out);
		arena_done(&a);
		live_free(l);
	}
}

static void test_wanted(void)
{
	struct live *l = live_new();
	const char *const *names;
	struct cmdline line;
	struct seen seen;
	struct arena a;

	arena_init(&a, 16u << 20);
	walk(&seen, &a, l, &line, "p $NAME", 7);
	ok(live_wanted(l, LIVE_VAR, &names) >= 1, "missing variables are wanted");
	is_str(names[0], "NAME", "by name");
	is_int(live_wanted(l, LIVE_FUNCTION, &names), 1, "so are functions");
	is_int(live_wanted(l, LIVE_ALIAS, &names), 1, "and aliases");
	buf_done(&seen.out);
	arena_done(&a);
	live_free(l);
}

/* Past every bound there is a gap, and it ends. */
static void test_bounds(void)
{
	static const struct { const char *unit, *what; size_t times; bool gap; } t[] = {
		{ "true && ", "a long chain", 20000, true },
		{ "$(", "deep substitutions", 1000, true },
		{ "a=1;", "many assignments", 50000, false },
		{ "{a,b}", "many braces", 1000, false },
		{ "for i in {1..100}; do ", "loops in loops", 6, true },
		{ "${x:-", "deep defaults", 1000, true },
		{ "`", "back quotes", 1001, true },
		{ "x ", "many words", 100000, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		CLEANUP(buf_done) struct buf text = { .max = CMDLINE_MAX };
		struct live *l = live_new();
		const struct expand_gap *g;
		struct cmdline line;
		struct seen seen;
		struct arena a;

		for (size_t k = 0; k < t[i].times; k++)
			buf_adds(&text, t[i].unit);
		for (int k = 0; i == 4 && k < 6; k++)
			buf_adds(&text, k ? " done;" : "p; done;");
		arena_init(&a, 64u << 20);
		live_fill(l);
		walk(&seen, &a, l, &line, text.data, text.len);
		if (t[i].gap)
			ok(expand_gaps(seen.x, &g) > 0 || a.full, t[i].what);
		else
			ok(true, t[i].what);
		buf_done(&seen.out);
		arena_done(&a);
		live_free(l);
	}
}

int main(void)
{
	test_table();
	test_wanted();
	test_bounds();
	return tap_done();
}

#include "base/quote.h"
#include "ui/banner.h"
#include "tap.h"
#include "stage.h"

#define LINE	"rm -rf \"$OUTPUT/root\" \"$DIR/out\""

static const struct word_var vars[] = {
	{ .name = "OUTPUT", .state = LIVE_UNSET },
	{ .name = "DIR", .state = LIVE_SCALAR, .value = "/home/me/shop" },
	{ .name = "NONE", .state = LIVE_SCALAR, .value = "" },
	{ .name = "LIST", .state = LIVE_ARRAY },
	{ .name = "WHO", .state = LIVE_UNKNOWN },
};

static const struct target targets[] = {
	{ "/root", "delete", "outside the workspace", 1204, true },
	{ "/home/me/shop/out", "delete", "untracked", 1, false },
};

static struct verdict ask(void)
{
	return (struct verdict){
		.action = ACTION_ASK, .rule = "fs.delete.untracked", .reason = "Deletes files that git does not know.",
		.blame = { 7, 21 }, .var = vars, .nvar = ARRAY_SIZE(vars), .target = targets,
		.ntarget = ARRAY_SIZE(targets), .meaning = "rm -rf /root /home/me/shop/out",
	};
}

static struct verdict deny(void)
{
	struct verdict v = ask();

	v.action = ACTION_DENY;
	v.rule = "fs.delete.outside";
	v.safer = "name the folder.";
	return v;
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

static const char *const at_80x24[] = {
	"ASK", "may this run?", "fs.delete.untracked", "Deletes files that git does not know.",
	"line:    rm -rf \"$OUTPUT/root\" \"$DIR/out\"", "means:   rm -rf /root /home/me/shop/out",
	"where:   OUTPUT is unset", "DIR = /home/me/shop", "NONE is empty", "LIST is an array", "WHO is not known",
	"hits:    delete /root  - outside the workspace, 1204 files or more",
	"delete /home/me/shop/out  - untracked, 1 file", "[y] run once   [n] no   [e] edit   [?] explain", NULL,
};
static const char *const at_40x10[] = {
	"ASK", "fs.delete.untracked", "line:    rm -rf", "means:   rm -rf /root", "[y]run [n]no", NULL,
};
static const char *const at_20x5[] = { "ASK", "OUTPUT/root\"", "n: no (too small)", NULL };
static const char *const at_10x3[] = { "ASK", "n:no", NULL };
static const char *const deny_80x24[] = {
	"DENIED", "this will not run", "fs.delete.outside", "OUTPUT is unset", "instead: name the folder.",
	"[Esc Enter] close   [?] explain", NULL,
};
static const char *const deny_40x10[] = { "DENIED", "line:", "means:", "instead: name the folder.", "close", NULL };
static const char *const deny_10x3[] = { "DENIED", NULL };

static const struct { int cols, rows; bool deny; const char *const *want; bool yes; } sizes[] = {
	{ 80, 24, false, at_80x24, true },
	{ 400, 120, false, at_80x24, true },
	{ 40, 10, false, at_40x10, false },		/* something was cut: not before it was explained */
	{ 20, 5, false, at_20x5, false },
	{ 10, 3, false, at_10x3, false },
	{ 80, 24, true, deny_80x24, false },
	{ 400, 120, true, deny_80x24, false },
	{ 40, 10, true, deny_40x10, false },
	{ 10, 3, true, deny_10x3, false },
};

static void test_sizes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct verdict v = sizes[i].deny ? deny() : ask();
		struct stage s;

		stage_open(&s, sizes[i].rows, sizes[i].cols, "xterm-256color");
		stage_write(&s, "$ rm\r\n");
		stage_ask(&s, &v, LINE);
		for (const char *const *w = sizes[i].want; *w; w++)
			ok(eyes_find(s.eyes, *w) > 0, *w);
		is_int(stage_char(&s, 'y', 0) == ANSWER_YES, sizes[i].yes, "yes only where all was seen");
		is_int(stage_char(&s, 'n', 0), ANSWER_NO, "no everywhere");
		is_int(s.eyes->foreign, 0, "only known sequences");
		is_int(s.eyes->last_scrolled, 0, "the last row never scrolls");
		is_int(stage_differs(&s), 0, "equals a full redraw");
		stage_close(&s);
	}
}

/* The shell has dropped the line: nothing may look or work like an approval. */
static void test_moot(void)
{
	static const struct { int cols, rows; const char *want; } at[] = {
		{ 80, 24, "[Esc Enter] close   [e] edit   [?] explain" }, { 80, 24, "nothing ran" }, { 80, 24, "ASK" }, { 40, 10, "close" },
		{ 20, 5, "n: close" }, { 10, 3, "ASK" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		struct verdict v = ask();
		struct stage s;

		v.moot = true;
		stage_open(&s, at[i].rows, at[i].cols, "xterm-256color");
		stage_ask(&s, &v, LINE);
		ok(eyes_find(s.eyes, at[i].want) >= 0, at[i].want);
		ok(eyes_find(s.eyes, "[y]") < 0, "no key that approves");
		stage_char(&s, '?', 0);
		is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "y says nothing");
		is_int(stage_named(&s, KEYN_ENTER), ANSWER_NO, "Enter closes");
		stage_close(&s);
	}
}

static bool offers_no(const struct eyes *e)
{
	static const char *const ways[] = { "[n]", "n:", "y n e", "ASK n" };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (eyes_find(e, ways[i]) > 0)
			return true;
	}
	return false;
}

/* Every size up to 100 x 30: no crash, prompt in sight, "no" offered. (A sanitizer sees the rest.) */
static void test_every_size(void)
{
	struct verdict v = ask();
	int bad = 0;

	for (int rows = 3; rows < 30; rows += 2) {
		for (int cols = 4; cols < 100; cols += 7) {
			struct stage s;

			stage_open(&s, rows, cols, "xterm-256color");
			stage_write(&s, "$>>\r\n");
			stage_ask(&s, &v, LINE);
			bad += eyes_find(s.eyes, "$>>") != 0 || s.eyes->foreign || s.eyes->last_scrolled;
			bad += cols >= 10 && !offers_no(s.eyes);
			stage_char(&s, '?', 0);
			stage_named(&s, KEYN_PGDN);
			stage_named(&s, KEYN_END);
			bad += stage_char(&s, 'n', 0) != ANSWER_NO;
			stage_close(&s);
		}
	}
	is_int(bad, 0, "every size works");
}

/* ---- where it stands --------------------------------------------------------------------------------- */

static void test_place(void)
{
	struct verdict v = ask();
	struct stage s;
	int frame;

	stage_open(&s, 24, 80, "xterm-256color");
	for (int i = 0; i < 40; i++)
		stage_write(&s, "output\r\n");
	stage_write(&s, "$ the prompt\r\n");
	is_str(eyes_row(s.eyes, 21), "$ the prompt", "near the bottom");
	stage_ask(&s, &v, LINE);
	frame = eyes_find(s.eyes, "may this run?");
	is_int(eyes_find(s.eyes, "$ the prompt"), frame - 1, "the banner is directly under the prompt");
	is_int(eyes_find(s.eyes, "[y] run once"), 21, "and ends above the status line");
	ok(strncmp(eyes_row(s.eyes, 23), " ASK  ", 5) == 0, "which tells that the question is a real one");
	ok(!s.eyes->cursor, "no cursor while it is up");
	screen_banner_hide(s.screen);
	screen_flush(s.screen, s.pane);
	is_str(eyes_row(s.eyes, 21), "$ the prompt", "the view is back where it was");
	is_int(eyes_find(s.eyes, "may this run?"), -1, "the banner is gone");
	ok(s.eyes->cursor, "the cursor is back");
	is_int(stage_differs(&s), 0, "equals a full redraw");
	stage_write(&s, "\x1b[H\x1b[2J$ top");
	stage_ask(&s, &v, LINE);
	is_int(eyes_find(s.eyes, "may this run?"), 1, "under the first row");
	stage_close(&s);
}

/* ---- hostile texts ----------------------------------------------------------------------------------- */

static const struct { const char *line, *shown, *word; } hostile[] = {
	{ "./canary $'x' '\x1b]0;TITLE\x07'", "\\e]0;TITLE\\x07", "control" },
	{ "./canary #\x1b[2K\x1b[1Gls -la", "./canary #\\e[2K\\e[1Gls -la", "control" },
	{ "echo \"\xe2\x80\xaeyrac\xe2\x80\xac\"; ./canary", "\\u202eyrac\\u202c", "direction" },
	{ "ec\xe2\x80\x8bho x; ./canary", "ec\\u200bho x", "invisible" },
	{ "./\xd1\x81\x61nary", "./\\u0441anary", "look like" },
	{ "git checkout main\xe3\x80\x80; ./canary", "main\\u3000; ./canary", "spaces" },
	{ "echo \xff\xfe", "\\xff\\xfe", "UTF-8" },
	{ "a\xc2\x9b" "31mb", "a\\u009b31mb", "control" },
	{ "echo 'one\ntwo'; ./canary", "two'; ./canary", NULL },
};

static void test_hostile(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		struct verdict v = { .action = ACTION_ASK, .rule = hostile[i].line, .reason = hostile[i].line,
				     .meaning = hostile[i].line, .safer = hostile[i].line };
		struct stage s;

		stage_open(&s, 40, 80, "xterm-256color");
		stage_write(&s, "above\r\n$ x\r\n");
		stage_ask(&s, &v, hostile[i].line);
		ok(eyes_find(s.eyes, hostile[i].shown) > 0, hostile[i].shown);
		if (hostile[i].word)
			ok(eyes_find(s.eyes, hostile[i].word) > 0 && eyes_find(s.eyes, "beware:") > 0, hostile[i].word);
		else
			ok(eyes_find(s.eyes, "beware:") < 0, "a line break is no surprise");
		is_int(s.eyes->foreign, 0, "only known sequences");
		is_str(eyes_row(s.eyes, 0), "above", "nothing is painted outside");
		stage_close(&s);
	}
}

/* The tail is always as visible as the beginning, and what was left out is said. */
static const struct { const char *start, *fill; int n; const char *end; int cols, rows; } tails[] = {
	{ "ls", " ", 3000, "; ./canary", 80, 24 },
	{ "echo ", "a", 8000, " ; ./canary", 80, 24 },
	{ "echo ", "a", 40000, " ; ./canary", 80, 24 },
	{ "echo '", "\n", 60, "'; ./canary", 80, 24 },
	{ "git checkout main", "\xe3\x80\x80", 940, "; ./canary", 80, 24 },
	{ "echo ", "b", 200, " ; ./canary", 20, 5 },
	{ "echo ", "a", 5000, " ; ./canary", 40, 10 },
};

static void test_tails(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
		struct verdict v = { .action = ACTION_ASK, .rule = "user.1", .reason = "Not known." };
		struct stage s;
		struct buf line;

		buf_init(&line, 1u << 20);
		buf_adds(&line, tails[i].start);
		for (int k = 0; k < tails[i].n; k++)
			buf_adds(&line, tails[i].fill);
		buf_adds(&line, tails[i].end);
		stage_open(&s, tails[i].rows, tails[i].cols, "xterm-256color");
		stage_write(&s, "$ x\r\n");
		stage_ask(&s, &v, buf_str(&line));
		ok(eyes_find(s.eyes, "./canary") > 0, "the end is seen");
		if (tails[i].rows > 5) {
			ok(eyes_find(s.eyes, "more row") > 0, "it says that something is not shown");
			is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "and cannot be approved");
			stage_char(&s, '?', 0);
			is_int(stage_char(&s, 'y', 0), ANSWER_YES, "before all of it was opened");
		} else {
			is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "no room, no yes");
		}
		is_int(s.eyes->foreign, 0, "only known sequences");
		stage_close(&s);
		buf_done(&line);
	}
}

static void test_endless(void)
{
	struct verdict v = { .action = ACTION_ASK, .rule = "user.1", .reason = "Not known." };
	size_t len = QUOTE_INPUT_MAX + 100;
	char *line = xcalloc(len + 1, 1);
	struct stage s;

	memset(line, 'a', len);
	memcpy(line + len - 10, "; ./canary", 10);
	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "$ x\r\n");
	stage_ask(&s, &v, line);
	ok(eyes_find(s.eyes, "./canary") > 0, "the end is seen");
	ok(eyes_find(s.eyes, "too long for y") > 0, "it says why not");
	stage_char(&s, '?', 0);
	is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "what cannot be shown whole cannot be approved");
	is_int(stage_char(&s, 'n', 0), ANSWER_NO, "only refused");
	stage_close(&s);
	free(line);
}

/* ---- highlights -------------------------------------------------------------------------------------- */

static void test_blame(void)
{
	struct verdict v = ask();
	struct stage s;
	const char *row;
	int at, col, marked = 0;

	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "$ x\r\n");
	stage_ask(&s, &v, LINE);
	at = eyes_find(s.eyes, "line:");
	row = eyes_row(s.eyes, at);
	col = (int)(strstr(row, "rm -rf") - row);
	for (int c = 0; c < 80; c++)
		marked += eyes_cell(s.eyes, at, c).attrs.underline != 0;
	is_int(marked, 14, "as many cells are marked as there are bytes to blame");
	ok(eyes_cell(s.eyes, at, col + 7).attrs.underline && eyes_cell(s.eyes, at, col + 20).attrs.underline,
	   "and they are the right ones");
	stage_close(&s);

	/* Places are counted in bytes of the line, also behind escapes of other lengths. */
	v = (struct verdict){ .action = ACTION_ASK, .blame = { 9, 12 } };
	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "$ x\r\n");
	stage_ask(&s, &v, "\x1b\xe2\x80\xae\xffq a bad");
	at = eyes_find(s.eyes, "\\e\\u202e\\xffq a bad");
	row = eyes_row(s.eyes, at);
	col = (int)(strstr(row, "bad") - row);
	ok(at > 0 && eyes_cell(s.eyes, at, col).attrs.underline && eyes_cell(s.eyes, at, col + 2).attrs.underline &&
	   !eyes_cell(s.eyes, at, col - 1).attrs.underline, "blamed behind escapes");
	is_int(eyes_cell(s.eyes, at, col - 6).fg.indexed.idx, 5, "an escape that we wrote has its own colour");
	stage_close(&s);
}

/* Blamed in the middle of a line that does not fit: shown between the dots. */
static void test_blame_in_the_middle(void)
{
	struct verdict v = { .action = ACTION_ASK, .rule = "r", .reason = "Not known.", .blame = { 2505, 2513 } };
	struct stage s;
	struct buf line;
	int at;

	buf_init(&line, 1u << 20);
	buf_adds(&line, "echo ");
	for (int i = 0; i < 2500; i++)
		buf_addc(&line, 'a');
	buf_adds(&line, "./canary");
	for (int i = 0; i < 2500; i++)
		buf_addc(&line, 'b');
	buf_adds(&line, "; the end");
	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "$ x\r\n");
	stage_ask(&s, &v, buf_str(&line));
	at = eyes_find(s.eyes, "./canary");
	ok(at > eyes_find(s.eyes, "echo aaa") && at < eyes_find(s.eyes, "; the end"), "seen between start and end");
	is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "not all was shown");
	screen_banner_key(s.screen, &(struct key){ .kind = KEY_CHAR, .cp = '?' });
	is_int(screen_banner_key(s.screen, &(struct key){ .kind = KEY_CHAR, .cp = 'y' }), ANSWER_NONE,
	       "asked for, but not drawn yet");
	screen_flush(s.screen, s.pane);
	is_int(stage_char(&s, 'y', 0), ANSWER_YES, "drawn");
	stage_close(&s);
	buf_done(&line);
}

/* ---- explain ----------------------------------------------------------------------------------------- */

static void test_explain(void)
{
	static const struct word argv[] = {
		{ .kind = WORD_EXACT, .text = "rm" }, { .kind = WORD_PATTERN, .text = "*.o" },
		{ .kind = WORD_UNKNOWN, .prefix = "pre-", .suffix = "", .why = "output of date" },
	};
	static const struct simple outer = { .argv = argv, .argc = 3, .cwd = "/home/me/shop" };
	static const struct simple inner = { .argv = argv, .argc = 1, .depth = 1 };
	static const struct simple *const cmds[] = { &outer, &inner };
	static const struct effect effects[40] = { { .what = "deletes", .path = &argv[1], .flags = EFFECT_RECURSIVE } };
	struct verdict v = ask();
	struct stage s;

	v.cmd = cmds;
	v.ncmd = 2;
	v.effect = effects;
	v.neffect = 40;
	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "$ x\r\n");
	stage_ask(&s, &v, LINE);
	stage_char(&s, '?', 0);
	ok(eyes_find(s.eyes, "rm *.o (pattern) pre-<output of date>  in /home/me/shop") > 0, "commands with their words");
	ok(eyes_find(s.eyes, "> rm  in a directory that is not known") > 0, "nested ones are indented");
	ok(eyes_find(s.eyes, "1-") > 0 && eyes_find(s.eyes, "rule:") < 0, "more than fits");
	stage_named(&s, KEYN_DOWN);
	ok(eyes_find(s.eyes, "2-") > 0, "an arrow scrolls");
	stage_named(&s, KEYN_END);
	ok(eyes_find(s.eyes, "rule:") > 0, "to the end");
	stage_named(&s, KEYN_PGUP);
	stage_named(&s, KEYN_HOME);
	ok(eyes_find(s.eyes, "line:") > 0, "and back");
	screen_banner_key(s.screen, &(struct key){ .kind = KEY_MOUSE, .button = 65, .press = true });
	screen_flush(s.screen, s.pane);
	ok(eyes_find(s.eyes, "2-") > 0, "the wheel too");
	stage_char(&s, '?', 0);
	ok(eyes_find(s.eyes, "[?] explain") > 0, "the same key goes back");
	is_int(s.eyes->foreign, 0, "only known sequences");
	is_int(stage_differs(&s), 0, "equals a full redraw");
	stage_close(&s);
}

int main(void)
{
	test_sizes();
	test_moot();
	test_every_size();
	test_place();
	test_hostile();
	test_tails();
	test_endless();
	test_blame();
	test_blame_in_the_middle();
	test_explain();
	return tap_done();
}

#include <stdio.h>

#include "term/keys.h"
#include "tap.h"
#include "stage.h"

#define LINE "git push"

static struct verdict question(enum action action)
{
	return (struct verdict){ .action = action, .rule = "git.push", .reason = "Publishes.", .meaning = LINE };
}

/* ---- the pane ----------------------------------------------------------------------------------------- */

static void test_pane(void)
{
	struct stage s;
	int rows, cols;

	stage_open(&s, 24, 80, "xterm-256color");
	screen_pane_size(s.screen, &rows, &cols);
	is_int(rows, 23, "the status line takes a row");
	is_int(cols, 80, "and no column");
	stage_write(&s, "hello \x1b[1;31mred\x1b[0m\r\n$ ");
	is_str(eyes_row(s.eyes, 0), "hello red", "text of the pane");
	is_int(eyes_cell(s.eyes, 0, 6).attrs.bold, 1, "with its attributes");
	is_int(eyes_cell(s.eyes, 0, 6).fg.indexed.idx, 1, "and colours");
	ok(s.eyes->alt, "on the alternate screen");
	ok(s.eyes->row == 1 && s.eyes->col == 2 && s.eyes->cursor, "cursor where the pane has it");
	eyes_forget(s.eyes);
	screen_flush(s.screen, s.pane);
	is_int(s.eyes->calls, 0, "nothing changed: no output");
	stage_write(&s, "x");
	is_int(s.eyes->calls, 1, "one call for one flush");
	is_str(buf_str(&s.eyes->raw), "x", "a typed letter costs a byte");
	stage_write(&s, "\x1b[?25l");
	ok(!s.eyes->cursor, "a hidden cursor is hidden");
	stage_write(&s, "\x1b[?5h");
	ok(eyes_cell(s.eyes, 0, 0).attrs.reverse, "reverse video");
	stage_close(&s);
}

static const struct { int rows, cols, prows, pcols; } sizes[] = {
	{ 24, 80, 23, 80 }, { 3, 10, 2, 10 }, { 2, 10, 2, 10 }, { 1, 1, 2, 2 }, { 0, -5, 2, 2 }, { 3, 1, 2, 2 },
	{ 120, 400, 119, 400 }, { 5000, 5000, 999, 1000 },
};

static void test_sizes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct stage s;
		int rows, cols;

		s.eyes = eyes_new(MIN(MAX(sizes[i].rows, 1), 1000), MIN(MAX(sizes[i].cols, 1), 1000));
		s.screen = screen_new(sizes[i].rows, sizes[i].cols, "xterm", eyes_out, s.eyes);
		screen_pane_size(s.screen, &rows, &cols);
		ok(rows == sizes[i].prows && cols == sizes[i].pcols, "room for the pane");
		s.pane = pane_new(rows, cols, 0, &(struct pane_events){ 0 });
		stage_write(&s, "ab\r\ncd");
		is_int(s.eyes->foreign, 0, "only known sequences");
		stage_close(&s);
	}
}

static void test_resize(void)
{
	struct stage s;

	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "one\r\ntwo");
	screen_resize(s.screen, 10, 40);
	vterm_set_size(s.eyes->vt, 10, 40);
	s.eyes->rows = 10;
	s.eyes->cols = 40;
	/* The pane is still of the old size here: what is seen must hold the cursor and stay in bounds. */
	screen_flush(s.screen, s.pane);
	is_str(eyes_row(s.eyes, 0), "one", "before the pane follows");
	pane_resize(s.pane, 9, 40);
	screen_flush(s.screen, s.pane);
	is_str(eyes_row(s.eyes, 1), "two", "after it");
	is_int(stage_differs(&s), 0, "equals a full redraw");
	stage_close(&s);
}

/* ---- modes -------------------------------------------------------------------------------------------- */

static const struct { const char *pane, *term, *want; } modes[] = {
	{ "\x1b[?1000h\x1b[?1006h", "xterm-256color", "\x1b[?1000h\x1b[?1006h" },
	{ "\x1b[?1002h", "xterm-256color", "\x1b[?1002h\x1b[?1006h" },
	{ "\x1b[?1003h", "linux", "\x1b[?1003h\x1b[?1006h" },
	{ "\x1b[?1004h", "xterm-256color", "\x1b[?1004h" },
	{ "\x1b[4 q", "xterm-256color", "\x1b[4 q" },
	{ "\x1b[>1u", "xterm-kitty", "\x1b[>1u" },
};

static void test_modes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct stage s;

		stage_open(&s, 5, 20, modes[i].term);
		stage_write(&s, "");
		ok(strstr(buf_str(&s.eyes->raw), "\x1b[?2004h") != NULL, "pastes are bracketed from the start");
		eyes_forget(s.eyes);
		stage_write(&s, modes[i].pane);
		ok(strstr(buf_str(&s.eyes->raw), modes[i].want) != NULL, modes[i].want);
		eyes_forget(s.eyes);
		stage_write(&s, "\x1b[?2004l");
		ok(!strstr(buf_str(&s.eyes->raw), "2004"), "whatever the pane wants");
		stage_close(&s);
	}
}

static void test_plain_terminals(void)
{
	static const char *const must_not[] = { "2026", " q", "]8;;", "4:3", ">1u" };
	static const char *const terms[] = { "linux", "screen", "vt100", "dumb", "" };

	for (size_t t = 0; t < ARRAY_SIZE(terms); t++) {
		struct stage s;

		stage_open(&s, 5, 20, terms[t]);
		stage_write(&s, "\x1b[4 q\x1b[>1u\x1b[4:3mcurly\x1b[m\x1b]8;;https://x.example/\x1b\\link\x1b]8;;\x1b\\\r\nb");
		for (size_t i = 0; i < ARRAY_SIZE(must_not); i++)
			ok(!strstr(buf_str(&s.eyes->raw), must_not[i]), must_not[i]);
		is_str(eyes_row(s.eyes, 0), "curlylink", "the text is there");
		stage_close(&s);
	}
}

static void test_restore(void)
{
	static const char *const parts[] = { "\x1b[?1049l", "\x1b[?25h", "\x1b[0m", "\x1b[?1000l", "\x1b[?1002l",
					     "\x1b[?1003l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?1004l", "\x1b[<u",
					     "\x1b[0 q", "\x1b[?7h" };
	struct verdict v = question(ACTION_ASK);
	struct eyes *e = eyes_new(24, 80);
	struct stage s;
	size_t len;
	const char *bytes = screen_restore_bytes(&len);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		ok(strstr(bytes, parts[i]) != NULL, parts[i]);
	is_int(strlen(bytes), len, "its length");
	stage_open(&s, 24, 80, "xterm-256color");
	eyes_free(s.eyes);
	s.eyes = e;
	screen_free(s.screen);
	s.screen = screen_new(24, 80, "xterm-256color", eyes_out, e);
	eyes_see(e, "before\r\n", 8);
	stage_write(&s, "\x1b[?1003h\x1b[31mpane");
	stage_ask(&s, &v, LINE);
	ok(e->alt && !e->cursor, "in use");
	screen_free(s.screen);
	ok(!e->alt && e->cursor, "main screen and cursor");
	is_str(eyes_row(e, 0), "before", "with what was on it");
	s.screen = screen_new(24, 80, "xterm", eyes_out, e);
	eyes_forget(e);
	screen_free(s.screen);
	is_int(e->calls, 0, "a screen that never drew has nothing to restore");
	pane_free(s.pane);
	eyes_free(e);
}

/* ---- keys ----------------------------------------------------------------------------------------------- */

static void test_arming(void)
{
	struct verdict v = question(ACTION_ASK);
	struct stage s;
	VTermScreenCell cell;
	int row;

	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "$ " LINE "\r\n");
	is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "no banner, no answer");
	is_int(screen_timer_ms(s.screen), -1, "no timer");
	screen_banner(s.screen, &v, LINE, strlen(LINE));
	stage_wait(10000);
	is_int(screen_banner_key(s.screen, &(struct key){ .kind = KEY_CHAR, .cp = 'y' }), ANSWER_NONE,
	       "not before it was drawn, however long that takes");
	is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "not when it was just drawn");
	is_int(screen_timer_ms(s.screen), SCREEN_ARM_MS, "the rest of the time");
	row = eyes_find(s.eyes, "run once");
	ok(strstr(buf_str(&s.eyes->raw), "\x1b[2m") != NULL, "the keys are dim");
	stage_wait(SCREEN_ARM_MS - 1);
	is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "not a millisecond too early");
	is_int(stage_char(&s, 'e', 0), ANSWER_NONE, "nor edit");
	is_int(screen_timer_ms(s.screen), 1, "a millisecond is left");
	stage_wait(1);
	is_int(screen_timer_ms(s.screen), 0, "time to draw");
	screen_flush(s.screen, s.pane);
	cell = eyes_cell(s.eyes, row, 2);
	is_int(cell.fg.indexed.idx, 6, "the keys are lit");
	is_int(screen_timer_ms(s.screen), -1, "nothing more to wait for");
	is_int(stage_char(&s, 'y', 0), ANSWER_YES, "now it counts");
	screen_resize(s.screen, 24, 80);
	is_int(screen_banner_key(s.screen, &(struct key){ .kind = KEY_CHAR, .cp = 'y' }), ANSWER_NONE,
	       "a resize moves everything: armed anew");
	screen_flush(s.screen, s.pane);
	stage_wait(SCREEN_ARM_MS);
	is_int(stage_char(&s, 'y', 0), ANSWER_YES, "after the same time");
	screen_banner(s.screen, &v, LINE, strlen(LINE));
	is_int(stage_char(&s, 'y', 0), ANSWER_NONE, "so does the next question");
	screen_banner_hide(s.screen);
	ok(!screen_banner_visible(s.screen), "gone");
	is_int(stage_char(&s, 'n', 0), ANSWER_NONE, "and takes no keys");
	stage_close(&s);
}

static const struct { struct key k; enum answer ask, early, deny, deny_early; const char *what; } keys[] = {
	{ { .kind = KEY_CHAR, .cp = 'y' }, ANSWER_YES, ANSWER_NONE, ANSWER_NONE, ANSWER_NONE, "y" },
	{ { .kind = KEY_CHAR, .cp = 'n' }, ANSWER_NO, ANSWER_NO, ANSWER_NO, ANSWER_NO, "n" },
	{ { .kind = KEY_CHAR, .cp = 'e' }, ANSWER_EDIT, ANSWER_NONE, ANSWER_EDIT, ANSWER_NONE, "e" },
	{ { .kind = KEY_CHAR, .cp = 'c', .mod = KEY_CTRL }, ANSWER_NO, ANSWER_NO, ANSWER_NO, ANSWER_NO, "Ctrl-C" },
	{ { .kind = KEY_NAMED, .name = KEYN_ESCAPE }, ANSWER_NO, ANSWER_NO, ANSWER_NO, ANSWER_NO, "Esc" },
	{ { .kind = KEY_NAMED, .name = KEYN_ENTER }, ANSWER_NONE, ANSWER_NONE, ANSWER_NO, ANSWER_NONE, "Enter" },
	{ { .kind = KEY_CHAR, .cp = 'y', .mod = KEY_CTRL }, 0, 0, 0, 0, "Ctrl-Y" },
	{ { .kind = KEY_CHAR, .cp = 'y', .mod = KEY_ALT }, 0, 0, 0, 0, "Alt-Y" },
	{ { .kind = KEY_CHAR, .cp = 0xff59 }, 0, 0, 0, 0, "full-width y" },
	{ { .kind = KEY_CHAR, .cp = ' ' }, 0, 0, 0, 0, "space" },
	{ { .kind = KEY_PASTE, .text = "y", .len = 1, .cp = 'y', .paste_first = true, .paste_last = true }, 0, 0, 0, 0,
	  "a paste of y" },
	{ { .kind = KEY_PASTE, .text = "y\r", .len = 2, .name = KEYN_ENTER }, 0, 0, 0, 0, "a paste of y and Enter" },
	{ { .kind = KEY_MOUSE, .cp = 'y', .press = true }, 0, 0, 0, 0, "a click" },
	{ { .kind = KEY_REPLY, .text = "\x1b[?y", .len = 4, .cp = 'y' }, 0, 0, 0, 0, "a reply" },
	{ { .kind = KEY_FOCUS_IN, .cp = 'y' }, 0, 0, 0, 0, "focus" },
};

static enum answer press(enum action action, bool early, const struct key *k)
{
	struct verdict v = question(action);
	enum answer a;
	struct stage s;

	stage_open(&s, 24, 80, "xterm-256color");
	stage_write(&s, "$ " LINE "\r\n");
	stage_ask(&s, &v, LINE);
	if (early) {
		screen_banner(s.screen, &v, LINE, strlen(LINE));
		screen_flush(s.screen, s.pane);
	}
	a = screen_banner_key(s.screen, k);
	stage_close(&s);
	return a;
}

static void test_keys(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		is_int(press(ACTION_ASK, false, &keys[i].k), keys[i].ask, keys[i].what);
		is_int(press(ACTION_ASK, true, &keys[i].k), keys[i].early, keys[i].what);
		is_int(press(ACTION_DENY, false, &keys[i].k), keys[i].deny, keys[i].what);
		is_int(press(ACTION_DENY, true, &keys[i].k), keys[i].deny_early, keys[i].what);
	}
}

/* ---- anything a program prints ---------------------------------------------------------------------------- */

static const char *const pieces[] = {
	"hello ", "\r\n", "\r\n", "\x1b[H", "\x1b[2J", "\x1b[31m", "\x1b[0m", "\x1b[1;4;48;5;22m", "\x1b[5;7r", "\x1b[r",
	"\x1b[3A", "\x1b[40C", "\x1b[K", "\x1b[2L", "\x1b[M", "\x1b[@", "\x1b[4P", "\xe4\xb8\xad\xe6\x96\x87", "e\xcc\x81",
	"\x1b[?1049h", "\x1b[?1049l", "\x1b[?25l", "\x1b[?25h", "\xe2\x80\xae", "\x1b]0;title\x07", "\t", "\b",
	"\x1b[7mrev\x1b[27m", "\x1b]8;;https://a.example/\x1b\\l\x1b]8;;\x1b\\", "\x1b[?5h", "\x1b[?5l", "\x1b[9X",
	"\x1b[38;2;1;200;3m", "0123456789012345678901234567890123456789", "\x1b[?2026h", "\x1b[?2026l", "\x1b[S", "\x1bM",
};

static void random_step(struct stage *s, uint32_t *seed, struct verdict *v)
{
	unsigned n = eyes_random(seed) % 20;

	if (n == 0)
		screen_banner(s->screen, v, LINE, strlen(LINE));
	else if (n == 1)
		screen_banner_hide(s->screen);
	else if (n == 2)
		stage_char(s, '?', 0);
	else if (n == 3)
		stage_wait(200);
	for (unsigned i = eyes_random(seed) % 12; i; i--) {
		const char *p = pieces[eyes_random(seed) % ARRAY_SIZE(pieces)];

		pane_write(s->pane, p, strlen(p));
	}
	screen_flush(s->screen, s->pane);
}

static void test_random(void)
{
	static const struct { int rows, cols; } dims[] = { { 24, 80 }, { 10, 40 }, { 3, 10 }, { 40, 132 }, { 6, 21 } };

	for (size_t d = 0; d < ARRAY_SIZE(dims); d++) {
		struct verdict v = question(ACTION_ASK);
		uint32_t seed = 4711 + (uint32_t)d;
		struct stage s;
		int bad = 0;

		stage_open(&s, dims[d].rows, dims[d].cols, "xterm-256color");
		for (int i = 0; i < 300 && !bad; i++) {
			random_step(&s, &seed, &v);
			if (i % 5 == 0) {
				/* A synchronized update holds damage back: end it, so that both see the same. */
				stage_write(&s, "\x1b[?2026l");
				bad = stage_differs(&s);
			}
			eyes_forget(s.eyes);
		}
		is_int(bad, 0, "the sum of differences equals a full redraw");
		is_int(s.eyes->foreign, 0, "only known sequences");
		is_int(s.eyes->last_scrolled, 0, "the last row never scrolls");
		stage_close(&s);
	}
}

/* Two clients look at one pane: the owner takes the damage once and tells both. */
static void test_two_screens(void)
{
	struct stage a, b;
	int from, to;

	stage_open(&a, 24, 80, "xterm-256color");
	stage_open(&b, 12, 50, "linux");
	screen_flush(b.screen, a.pane);
	stage_write(&a, "");
	pane_write(a.pane, "both see this", 13);
	while (pane_take_damage(a.pane, &from, &to)) {
		screen_damage(a.screen, from, to);
		screen_damage(b.screen, from, to);
	}
	screen_flush(a.screen, a.pane);
	screen_flush(b.screen, a.pane);
	is_str(eyes_row(a.eyes, 0), "both see this", "one");
	is_str(eyes_row(b.eyes, 0), "both see this", "and the other, which is smaller");
	pane_write(a.pane, "\x1b[20Hlow", 8);
	screen_flush(a.screen, a.pane);
	screen_damage(b.screen, 0, 24);
	screen_flush(b.screen, a.pane);
	is_int(eyes_find(b.eyes, "low"), 10, "a smaller screen shows the part with the cursor");
	stage_close(&a);
	stage_close(&b);
}

int main(void)
{
	test_pane();
	test_sizes();
	test_resize();
	test_modes();
	test_plain_terminals();
	test_restore();
	test_arming();
	test_keys();
	test_random();
	test_two_screens();
	return tap_done();
}

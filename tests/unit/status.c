#include "ui/status.h"
#include "tap.h"
#include "stage.h"

static const struct screen_status usual = {
	.session = "shop", .cwd = "/home/me/projects/customers/shop/frontend/src", .profile = "default",
	.network = "no network", .state = "gated", .commands = 120, .prompts = 3,
};

static const struct screen_status lost = {
	.session = "shop", .cwd = "/home/me/src", .profile = "default", .network = "no network",
	.state = "unguarded: integration lost", .alarm = true, .commands = 1, .note = "pane 1 ended",
};

static const struct { const struct screen_status *st; int cols; const char *want; } cases[] = {
	{ &usual, 110, " shop  /home/me/projects/customers/shop/frontend/src  "
		       "                3/120 asked  default  no network  gated" },
	{ &usual, 80, " shop  /home/me/...s/shop/frontend/src  3/120 asked  default  no network  gated" },
	{ &usual, 60, " shop  /home...frontend/src  3/120 asked  no network  gated" },
	{ &usual, 40, " /home...rontend/src  no network  gated" },
	{ &usual, 20, "              gated" },
	{ &usual, 10, "    gated" },
	{ &lost, 110, " shop  /home/me/src  pane 1 ended  "
		      "               0/1 asked  default  no network  unguarded: integration lost" },
	{ &lost, 40, "            unguarded: integration lost" },
	{ &lost, 10, " unguarde" },
};

static void test_widths(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stage s;

		stage_open(&s, 4, cases[i].cols, "xterm-256color");
		screen_status(s.screen, cases[i].st);
		stage_write(&s, "");
		is_str(eyes_row(s.eyes, 3), cases[i].want, "status line");
		stage_close(&s);
	}
}

/* Every width: in bounds, the state never gives way, an alarm is red. */
static void test_every_width(void)
{
	int bad = 0, red = 0;

	for (int cols = 2; cols < 200; cols++) {
		struct stage s;
		VTermScreenCell c;

		stage_open(&s, 3, cols, "xterm-256color");
		screen_status(s.screen, &lost);
		stage_write(&s, "");
		bad += !strstr(eyes_row(s.eyes, 2), cols >= 10 ? "unguarde" : "u") && cols > 2;
		c = eyes_cell(s.eyes, 2, cols - 2);
		red += VTERM_COLOR_IS_INDEXED(&c.bg) && c.bg.indexed.idx == 1;
		bad += s.eyes->foreign || s.eyes->last_scrolled;
		stage_close(&s);
	}
	is_int(bad, 0, "the state is there at every width");
	is_int(red, 198, "and red");
}

static void test_hostile(void)
{
	struct screen_status st = usual;
	struct stage s;

	stage_open(&s, 4, 120, "xterm-256color");
	st.cwd = "/tmp/\x1b[2J\xe2\x80\xae\nroot";
	st.session = "a\x1b]0;x\x07";
	st.state = NULL;
	screen_status(s.screen, &st);
	stage_write(&s, "hello");
	is_str(eyes_row(s.eyes, 0), "hello", "nothing else on the screen moved");
	ok(eyes_find(s.eyes, "/tmp/\\e[2J\\u202e\\nroot") == 3, "controls in a directory are written out");
	ok(eyes_find(s.eyes, "unguarded") == 3, "no state is the worst state");
	is_int(s.eyes->foreign, 0, "no foreign sequence");
	eyes_forget(s.eyes);
	screen_status(s.screen, &st);
	screen_flush(s.screen, s.pane);
	is_int(s.eyes->calls, 0, "the same status again costs nothing");
	stage_close(&s);
}

int main(void)
{
	test_widths();
	test_every_width();
	test_hostile();
	return tap_done();
}

#include "term/keys.h"
#include "tap.h"

#define IN(s) s, sizeof(s) - 1

static void add_mod(struct buf *out, unsigned mod)
{
	if (mod & KEY_CTRL)
		buf_adds(out, "C-");
	if (mod & KEY_ALT)
		buf_adds(out, "A-");
	if (mod & KEY_SHIFT)
		buf_adds(out, "S-");
	if (mod & KEY_SUPER)
		buf_adds(out, "M-");
}

static void add_named(struct buf *out, enum key_name name)
{
	static const char *const names[] = {
		[KEYN_ENTER] = "Enter", [KEYN_TAB] = "Tab", [KEYN_BACKSPACE] = "Backspace", [KEYN_ESCAPE] = "Esc",
		[KEYN_UP] = "Up", [KEYN_DOWN] = "Down", [KEYN_LEFT] = "Left", [KEYN_RIGHT] = "Right",
		[KEYN_HOME] = "Home", [KEYN_END] = "End", [KEYN_PGUP] = "PgUp", [KEYN_PGDN] = "PgDn",
		[KEYN_INSERT] = "Ins", [KEYN_DELETE] = "Del",
	};

	if (name >= KEYN_F1)
		buf_addf(out, "F%d", (int)(name - KEYN_F1) + 1);
	else
		buf_adds(out, names[name] ? names[name] : "?");
}

static void on_key(void *arg, const struct key *k)
{
	struct buf *out = arg;

	switch (k->kind) {
	case KEY_CHAR:
		add_mod(out, k->mod);
		buf_addf(out, k->cp > 0x20 && k->cp < 0x7f ? "%c " : "U+%04X ", k->cp);
		break;
	case KEY_NAMED:
		add_mod(out, k->mod);
		add_named(out, k->name);
		buf_addc(out, ' ');
		break;
	case KEY_PASTE:
		if (k->paste_first)
			buf_addc(out, '<');
		buf_add(out, k->text, k->len);
		if (k->paste_last)
			buf_adds(out, k->cut ? "!> " : "> ");
		break;
	case KEY_MOUSE:
		add_mod(out, k->mod);
		buf_addf(out, "%s%s%d@%d,%d ", k->motion ? "move" : "", k->press ? "press" : "release", k->button,
			 k->row, k->col);
		break;
	case KEY_FOCUS_IN: buf_adds(out, "in "); break;
	case KEY_FOCUS_OUT: buf_adds(out, "out "); break;
	case KEY_REPLY: buf_addf(out, "reply%zu ", k->len); break;
	}
}

static const struct { const char *in; size_t len; const char *want; } cases[] = {
	{ IN("aZ~ "), "a Z ~ U+0020 " },
	{ IN("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "U+00E9 U+20AC U+1F600 " },
	{ IN("\r\t\x7f\n\b"), "Enter Tab Backspace C-j C-h " },
	{ IN("\x01\x03\x1a\x1c\x1f"), "C-a C-c C-z C-\\ C-_ " },
	{ IN("\0"), "C-U+0020 " },
	{ IN("\033a\033A\033\r\033\x7f\033\x01\033\xc3\xa9"), "A-a A-A A-Enter A-Backspace C-A-a A-U+00E9 " },
	{ IN("\033[A\033[B\033[C\033[D\033[H\033[F"), "Up Down Right Left Home End " },
	{ IN("\033OA\033OB\033OH\033OM"), "Up Down Home Enter " },
	{ IN("\033[1;2A\033[1;5C\033[1;3D\033[1;8B"), "S-Up C-Right A-Left C-A-S-Down " },
	{ IN("\033[2~\033[3~\033[5~\033[6~\033[1~\033[4~\033[7~\033[8~"), "Ins Del PgUp PgDn Home End Home End " },
	{ IN("\033[3;5~"), "C-Del " },
	{ IN("\033OP\033OQ\033OR\033OS\033[15~\033[17~\033[24~"), "F1 F2 F3 F4 F5 F6 F12 " },
	{ IN("\033[11~\033[[A\033[[E\033[1;2P\033[1;2R"), "F1 F1 F5 S-F1 S-F3 " },
	{ IN("\033[Z\033[1;6Z"), "S-Tab C-S-Tab " },
	/* kitty */
	{ IN("\033[13;2u\033[13;5u\033[9;5u\033[27u\033[127;3u"), "S-Enter C-Enter C-Tab Esc A-Backspace " },
	{ IN("\033[97u\033[97;5u\033[97;6u\033[97;2u\033[97:65;2u\033[49:33;2u"), "a C-a C-S-a A A ! " },
	{ IN("\033[97;1:1u\033[97;1:2u\033[97;1:3u"), "a a " },
	{ IN("\033[97;;65u\033[97;65u"), "A a " },			/* caps lock is a lock, not a modifier */
	{ IN("\033[57399u\033[57414u\033[57441u\033[57419;5u"), "0 Enter C-Up " },
	{ IN("\033[1;1:3A\033[1;2:1A"), "reply8 S-Up " },
	/* modifyOtherKeys */
	{ IN("\033[27;2;13~\033[27;5;9~\033[27;6;97~\033[27;2;65~"), "S-Enter C-Tab C-S-a A " },
	/* mouse */
	{ IN("\033[<0;1;1M\033[<0;1;1m\033[<64;10;20M\033[<35;3;4M\033[<20;5;6M"),
	  "press0@0,0 release0@0,0 press64@19,9 movepress3@3,2 C-S-press0@5,4 " },
	{ IN("\033[M !!\033[M#!!\033[M`#$"), "press0@0,0 release3@0,0 press64@3,2 " },
	{ IN("\033[32;5;6M\033[35;5;6M"), "press0@5,4 release3@5,4 " },
	{ IN("\033[<0;0;1M\033[<300;1;1M"), "" },
	{ IN("\033[I\033[O"), "in out " },
	/* replies are swallowed, whole */
	{ IN("\033[?62;22cx\033[>41;354;0cx\033[3;7Rx\033[1;1Rx\033[?2026;2$yx"), "reply9 x reply12 x reply6 x reply6 x reply11 x " },
	{ IN("\033]11;rgb:0000/0000/0000\033\\x\033]4;0;rgb:0/0/0\ax\033P>|term(1)\033\\x\033_Gi=1;OK\033\\x"),
	  "reply25 x reply16 x reply13 x reply11 x " },
	{ IN("\033]11;a\033[Ax"), "Up x " },		/* cut short */
	{ IN("\033]11;a\033\033\\x"), "Esc A-\\ x " },
	{ IN("\033]11;a\x18x"), "x " },
	/* paste */
	{ IN("\033[200~hello\033[201~x"), "<hello> x " },
	{ IN("\033[200~\033[201~"), "<> " },
	{ IN("\033[200~a\033b\033[20b\033[201\033[201~x"), "<a\033b\033[20b\033[201> x " },
	{ IN("\033[200~rm\r\n\x03\033[201~"), "<rm\r\n\x03> " },
	/* not keys */
	{ IN("\xff\x80x\xc3x\xe2\x82x"), "x x x " },
	{ IN("\033[1;2\033[Ax"), "Up x " },
	{ IN("\033[1;2\x18x"), "x " },
	{ IN("\033[25~\033[99~x"), "x " },
	{ IN("\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20Ax"), "x " },
	{ IN("\033[99999999999999999999;5ux"), "x " },
	{ IN("\033\033[A"), "Esc Up " },
};

static char *decode(const char *in, size_t len, size_t cut, size_t step)
{
	struct buf out;
	struct keys *k = keys_new(on_key, &out);

	buf_init(&out, 1 << 24);
	if (step) {
		for (size_t i = 0; i < len; i += step)
			keys_feed(k, in + i, MIN(step, len - i));
	} else {
		keys_feed(k, in, cut);
		keys_feed(k, in + cut, len - cut);
	}
	keys_free(k);
	return buf_steal(&out);
}

static void test_decode(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t cut = 0; cut <= cases[i].len; cut++) {
			CLEANUP(cleanup_freep) char *got = decode(cases[i].in, cases[i].len, cut, 0);

			is_str(got, cases[i].want, "cut in two");
		}
		CLEANUP(cleanup_freep) char *bytes = decode(cases[i].in, cases[i].len, 0, 1);

		is_str(bytes, cases[i].want, "byte by byte");
	}
}

/* What is a key when nothing follows. */
static void test_timeout(void)
{
	static const struct { const char *in; const char *want; bool pending; } t[] = {
		{ "\033", "Esc ", true }, { "\033[", "A-[ ", true }, { "\033O", "A-O ", true }, { "\033]", "A-] ", true },
		{ "\033P", "A-P ", true }, { "\033[1;", "", false }, { "a", "a ", false }, { "\xc3", "", false },
		{ "\033[200~\033", "", false }, { "\033]1", "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct buf out;
		struct keys *k = keys_new(on_key, &out);

		buf_init(&out, 1000);
		keys_feed(k, t[i].in, strlen(t[i].in));
		is_int(keys_pending(k), t[i].pending, t[i].in + 1);
		keys_timeout(k);
		is_str(buf_str(&out), t[i].want, t[i].in + 1);
		ok(!keys_pending(k), "nothing is pending after it");
		keys_free(k);
		buf_done(&out);
	}
}

static void on_raw(void *arg, const struct key *k)
{
	buf_addc(arg, '|');
	buf_add(arg, k->raw, k->nraw);
}

static void test_raw(void)
{
	static const char in[] = "a\033[1;5A\xc3\xa9\033OP\033x\033[<0;1;1M";
	struct buf out;
	struct keys *k = keys_new(on_raw, &out);

	buf_init(&out, 1000);
	for (size_t i = 0; i + 1 < sizeof(in); i++)
		keys_feed(k, in + i, 1);
	is_str(buf_str(&out), "|a|\033[1;5A|\xc3\xa9|\033OP|\033x|\033[<0;1;1M", "the bytes as they came");
	keys_free(k);
	buf_done(&out);
}

static void on_paste(void *arg, const struct key *k)
{
	size_t *n = arg;

	n[0] += k->len;
	n[1] += k->paste_first;
	n[2] += k->paste_last;
	n[3] += k->cut;
}

static void test_big_paste(void)
{
	size_t n[4] = { 0 }, len = 1 << 20;
	struct keys *k = keys_new(on_paste, n);
	char *block = xcalloc(len, 1);

	memset(block, 'x', len);
	keys_feed(k, "\033[200~", 6);
	for (int i = 0; i < 9; i++)
		keys_feed(k, block, len);
	keys_feed(k, "\033[201~", 6);
	is_int(n[0], KEYS_PASTE_MAX, "a paste has a maximum");
	ok(n[1] == 1 && n[2] == 1 && n[3] == 1, "and says that it was cut");
	keys_feed(k, "\033[200~ab\033[201~", 14);
	ok(n[0] == KEYS_PASTE_MAX + 2 && n[3] == 1, "the next one is whole");
	keys_free(k);
	free(block);
}

/* ---- encoding -------------------------------------------------------------------------------------- */

static const struct pane_modes plain, app = { .app_cursor = true, .newline = true }, kitty = { .kitty_keys = 1 },
	kitty_all = { .kitty_keys = 1 | 8 | 16 }, other1 = { .modify_other_keys = 1 }, other2 = { .modify_other_keys = 2 },
	click = { .mouse = PANE_MOUSE_CLICK }, drag = { .mouse = PANE_MOUSE_DRAG, .mouse_sgr = true },
	move = { .mouse = PANE_MOUSE_MOVE, .mouse_sgr = true, .focus = true }, bracketed = { .bracketed_paste = true };

#define CHAR(c, m) { .kind = KEY_CHAR, .cp = (c), .mod = (m) }
#define NAMED(n, m) { .kind = KEY_NAMED, .name = (n), .mod = (m) }
#define MOUSE(b, p, mo, r, c) \
	{ .kind = KEY_MOUSE, .button = (b), .press = (p), .motion = (mo), .row = (r), .col = (c) }

static const struct { struct key key; const struct pane_modes *modes; const char *want; } encodings[] = {
	{ CHAR('a', 0), &plain, "a" },
	{ CHAR(0x20ac, 0), &plain, "\xe2\x82\xac" },
	{ CHAR(0x1f600, KEY_ALT), &plain, "\033\xf0\x9f\x98\x80" },
	{ CHAR('c', KEY_CTRL), &plain, "\x03" },
	{ CHAR('x', KEY_CTRL | KEY_ALT), &plain, "\033\x18" },
	{ CHAR('/', KEY_CTRL), &plain, "\x1f" },
	{ CHAR('1', KEY_CTRL), &plain, "1" },
	{ NAMED(KEYN_ENTER, 0), &plain, "\r" },
	{ NAMED(KEYN_ENTER, KEY_SHIFT), &plain, "\r" },
	{ NAMED(KEYN_ENTER, 0), &app, "\r\n" },
	{ NAMED(KEYN_TAB, KEY_SHIFT), &plain, "\033[Z" },
	{ NAMED(KEYN_BACKSPACE, 0), &plain, "\x7f" },
	{ NAMED(KEYN_BACKSPACE, KEY_ALT), &plain, "\033\x7f" },
	{ NAMED(KEYN_ESCAPE, 0), &plain, "\033" },
	{ NAMED(KEYN_UP, 0), &plain, "\033[A" },
	{ NAMED(KEYN_UP, 0), &app, "\033OA" },
	{ NAMED(KEYN_UP, KEY_CTRL), &app, "\033[1;5A" },
	{ NAMED(KEYN_HOME, 0), &app, "\033OH" },
	{ NAMED(KEYN_HOME, 0), &plain, "\033[H" },
	{ NAMED(KEYN_END, 0), &plain, "\033[F" },
	{ NAMED(KEYN_F1, 0), &plain, "\033OP" },
	{ NAMED(KEYN_F1, KEY_SHIFT), &plain, "\033[1;2P" },
	{ NAMED(KEYN_F12, 0), &plain, "\033[24~" },
	{ NAMED(KEYN_DELETE, KEY_SHIFT), &plain, "\033[3;2~" },
	{ CHAR('a', 0), &kitty, "a" },
	{ CHAR('A', 0), &kitty, "A" },
	{ CHAR('c', KEY_CTRL), &kitty, "\033[99;5u" },
	{ CHAR('a', KEY_ALT), &kitty, "\033[97;3u" },
	{ NAMED(KEYN_ENTER, 0), &kitty, "\r" },
	{ NAMED(KEYN_ENTER, KEY_SHIFT), &kitty, "\033[13;2u" },
	{ NAMED(KEYN_ESCAPE, 0), &kitty, "\033[27u" },
	{ NAMED(KEYN_TAB, KEY_SHIFT), &kitty, "\033[9;2u" },
	{ NAMED(KEYN_F1 + 2, 0), &kitty, "\033[13~" },
	{ NAMED(KEYN_F1, 0), &kitty, "\033[P" },
	{ CHAR('a', 0), &kitty_all, "\033[97;1;97u" },
	{ CHAR('A', 0), &kitty_all, "\033[97;2;65u" },
	{ CHAR('c', KEY_CTRL), &kitty_all, "\033[99;5u" },
	{ NAMED(KEYN_ENTER, 0), &kitty_all, "\033[13u" },
	{ CHAR('c', KEY_CTRL), &other1, "\x03" },
	{ CHAR('1', KEY_CTRL), &other1, "\033[27;5;49~" },
	{ CHAR('a', KEY_ALT), &other1, "\033a" },
	{ NAMED(KEYN_ENTER, KEY_SHIFT), &other1, "\033[27;2;13~" },
	{ NAMED(KEYN_TAB, KEY_CTRL), &other1, "\033[27;5;9~" },
	{ NAMED(KEYN_TAB, KEY_SHIFT), &other2, "\033[Z" },
	{ CHAR('c', KEY_CTRL), &other2, "\033[27;5;99~" },
	{ CHAR('A', 0), &other2, "A" },
	{ MOUSE(0, true, false, 1, 2), &plain, "" },
	{ MOUSE(0, true, false, 1, 2), &click, "\033[M #\"" },
	{ MOUSE(0, false, false, 1, 2), &click, "\033[M##\"" },
	{ MOUSE(0, true, true, 1, 2), &click, "" },
	{ MOUSE(0, true, false, 300, 2), &click, "" },
	{ MOUSE(0, true, true, 1, 2), &drag, "\033[<32;3;2M" },
	{ MOUSE(3, true, true, 1, 2), &drag, "" },
	{ MOUSE(3, true, true, 1, 2), &move, "\033[<35;3;2M" },
	{ MOUSE(64, true, false, 1, 2), &drag, "\033[<64;3;2M" },
	{ MOUSE(2, false, false, 1, 2), &drag, "\033[<2;3;2m" },
	{ { .kind = KEY_FOCUS_IN }, &plain, "" },
	{ { .kind = KEY_FOCUS_IN }, &move, "\033[I" },
	{ { .kind = KEY_FOCUS_OUT }, &move, "\033[O" },
	{ { .kind = KEY_REPLY, .text = "\033[0n", .len = 4 }, &plain, "" },
	{ { .kind = KEY_PASTE, .text = "a\nb\tc\r\x03\033[201~x\x7f", .len = 16, .paste_first = true, .paste_last = true },
	  &bracketed, "\033[200~a\nb\tc\r[201~x\033[201~" },
	{ { .kind = KEY_PASTE, .text = "ab", .len = 2, .paste_first = true }, &bracketed, "\033[200~ab" },
	{ { .kind = KEY_PASTE, .text = "cd", .len = 2, .paste_last = true }, &bracketed, "cd\033[201~" },
	{ { .kind = KEY_PASTE, .text = "\033[31mx", .len = 6, .paste_first = true, .paste_last = true }, &plain, "[31mx" },
};

static void test_encode(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
		struct buf out;

		buf_init(&out, 1000);
		keys_encode(&encodings[i].key, encodings[i].modes, &out);
		is_str(buf_str(&out), encodings[i].want, encodings[i].want);
		buf_done(&out);
	}
}

struct again { struct buf out; const struct pane_modes *m; };

static void on_again(void *arg, const struct key *k)
{
	struct again *a = arg;

	keys_encode(k, a->m, &a->out);
}

/* Decoded and encoded again, in each mode, keys that have a form there come out as they went in. */
static void test_round(void)
{
	static const struct { const char *bytes; const struct pane_modes *m; } rounds[] = {
		{ "ls -l\r\x7f\t\x03\033[A\033[5~\033OP\033[24~\033x\033[1;5C\xc3\xa9", &plain },
		{ "\033OA\033OB\033OC\033OD\033[1;2A", &app },
		{ "a\033[99;5u\033[13;2u\r\033[A\033[9;5u\033[27u", &kitty },
		{ "a\033[27;5;99~\033[27;2;13~\r", &other2 },
		{ "\033[<0;3;2M\033[<32;4;2M\033[<0;4;2m\033[<64;1;1M", &drag },
		{ "\033[200~two\r\nlines\033[201~", &bracketed },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++) {
		struct again a = { .m = rounds[i].m };
		struct keys *k = keys_new(on_again, &a);

		buf_init(&a.out, 1000);
		keys_feed(k, rounds[i].bytes, strlen(rounds[i].bytes));
		is_str(buf_str(&a.out), rounds[i].bytes, "there and back");
		keys_free(k);
		buf_done(&a.out);
	}
}

int main(void)
{
	test_decode();
	test_timeout();
	test_raw();
	test_big_paste();
	test_encode();
	test_round();
	return tap_done();
}

#include "base/io.h"
#include "base/json.h"
#include "term/pane.h"
#include "term/sgr.h"
#include "tap.h"

#define IN(s) s, sizeof(s) - 1

/* ---- what came out of a pane ----------------------------------------------------------------------- */

struct seen {
	struct buf reply, marks, title, clip;
	unsigned bells, damages;
};

static void on_reply(void *arg, const char *data, size_t len)
{
	struct seen *s = arg;

	for (size_t i = 0; i < len; i++)
		ok(data[i] == 0x1b || (data[i] >= 0x20 && data[i] < 0x7f), "a reply has ESC and printable bytes only");
	buf_add(&s->reply, data, len);
}

static void on_mark(void *arg, const struct mark *m)
{
	static const char *const name[] = {
		[MARK_PROMPT] = "prompt", [MARK_INPUT] = "input", [MARK_CONTINUATION] = "continuation",
		[MARK_OUTPUT] = "output", [MARK_DONE] = "done", [MARK_LINE] = "line", [MARK_CWD] = "cwd",
		[MARK_OWN] = "own",
	};
	struct seen *s = arg;

	ok(m->text[m->len] == '\0', "a NUL follows the text");
	buf_addf(&s->marks, "%s@%d,%d", name[m->kind], m->row, m->col);
	if (m->kind == MARK_DONE)
		buf_addf(&s->marks, " status=%d", m->status);
	if (m->len)
		buf_addf(&s->marks, " <%s>", m->text);
	if (m->nonce)
		buf_addf(&s->marks, " nonce=%s", m->nonce);
	buf_addc(&s->marks, '\n');
}

static void on_title(void *arg, const char *text)
{
	struct seen *s = arg;

	buf_addf(&s->title, "<%s>", text);
}

static void on_bell(void *arg)
{
	((struct seen *)arg)->bells++;
}

static void on_clip(void *arg, const char *data, size_t len)
{
	struct seen *s = arg;

	buf_addc(&s->clip, '<');
	buf_add(&s->clip, data, len);
	buf_addc(&s->clip, '>');
}

static void on_damage(void *arg)
{
	((struct seen *)arg)->damages++;
}

static struct pane *pane_for(struct seen *s, int rows, int cols)
{
	struct pane_events ev = { on_reply, on_mark, on_title, on_bell, on_clip, on_damage, NULL };

	ev.arg = s;
	memset(s, 0, sizeof(*s));
	buf_init(&s->reply, 1 << 20);
	buf_init(&s->marks, 1 << 20);
	buf_init(&s->title, 1 << 20);
	buf_init(&s->clip, 1 << 20);
	return pane_new(rows, cols, 100, &ev);
}

static void seen_done(struct seen *s)
{
	buf_done(&s->reply);
	buf_done(&s->marks);
	buf_done(&s->title);
	buf_done(&s->clip);
}

static void feed(struct pane *p, const char *in, size_t len, size_t step)
{
	for (size_t i = 0; i < len; i += step)
		pane_write(p, in + i, MIN(step, len - i));
}

/* ---- the whole state as one number, and what must always hold -------------------------------------- */

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
	const unsigned char *s = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ s[i]) * 1099511628211u;
	return h;
}

static uint64_t hash_line(uint64_t h, const struct grid *g, int row)
{
	const struct cell *line = grid_line(g, row);
	bool wrapped = grid_line_wrapped(g, row);
	char text[64];

	for (int i = 0; i < grid_cols(g); i++) {
		const char *link = grid_link(g, line[i].link);

		h = mix(h, text, grid_cell_text(g, &line[i], text));
		h = mix(h, &line[i].fg, sizeof(line[i].fg));
		h = mix(h, &line[i].bg, sizeof(line[i].bg));
		h = mix(h, &line[i].ul, sizeof(line[i].ul));
		h = mix(h, &line[i].attr, sizeof(line[i].attr));
		h = mix(h, link ? link : "", link ? strlen(link) : 0);
	}
	return mix(h, &wrapped, sizeof(wrapped));
}

static uint64_t hash_pane(const struct pane *p)
{
	const struct grid *g = pane_grid(p);
	const struct pane_modes *m = pane_modes(p);
	uint64_t h = 14695981039346656037u;
	int at[2];

	for (int r = -(int)grid_scrollback(g); r < grid_rows(g); r++)
		h = hash_line(h, g, r);
	pane_cursor(p, &at[0], &at[1]);
	h = mix(h, at, sizeof(at));
	h = mix(h, &m->mouse, sizeof(m->mouse));
	return mix(h, &m->kitty_keys, sizeof(m->kitty_keys));
}

static bool sane(const struct pane *p)
{
	const struct grid *g = pane_grid(p);
	int row, col;

	pane_cursor(p, &row, &col);
	if (row < 0 || row >= grid_rows(g) || col < 0 || col >= grid_cols(g))
		return false;
	for (int r = -(int)grid_scrollback(g); r < grid_rows(g); r++) {
		const struct cell *c = grid_line(g, r);

		for (int i = 0; i < grid_cols(g); i++) {
			bool wide = c[i].attr & CELL_WIDE, tail = c[i].attr & CELL_WIDE_TAIL;

			if (wide && (i + 1 >= grid_cols(g) || !(c[i + 1].attr & CELL_WIDE_TAIL)))
				return false;
			if (tail && (i == 0 || !(c[i - 1].attr & CELL_WIDE)))
				return false;
		}
	}
	return true;
}

/* ---- screens: 4 rows of 10, the text and the cursor -------------------------------------------------- */

static const struct { const char *what, *in; size_t len; const char *want; int row, col; } screens[] = {
	{ "text", IN("hello"), "hello\n\n\n\n", 0, 5 },
	{ "CR LF", IN("a\r\nb"), "a\nb\n\n\n", 1, 1 },
	{ "waits to wrap", IN("0123456789"), "0123456789\n\n\n\n", 0, 9 },
	{ "wraps", IN("0123456789a"), "0123456789\na\n\n\n", 1, 1 },
	{ "wraps again", IN("0123456789012345678901234"), "0123456789\n0123456789\n01234\n\n", 2, 5 },
	{ "CR at the edge", IN("0123456789\rx"), "x123456789\n\n\n\n", 0, 1 },
	{ "no autowrap", IN("\033[?7l0123456789ab"), "012345678b\n\n\n\n", 0, 9 },
	{ "scrolls", IN("1\r\n2\r\n3\r\n4\r\n5"), "2\n3\n4\n5\n", 3, 1 },
	{ "tab", IN("a\tb\t\tc"), "a       bc\n\n\n\n", 0, 9 },
	{ "backspace", IN("ab\bc"), "ac\n\n\n\n", 0, 2 },
	{ "CUP", IN("\033[2;3Hx\033[4Hy\033[;5Hz"), "    z\n  x\n\ny\n", 0, 5 },
	{ "far CUP", IN("\033[99999;99999Hx"), "\n\n\n         x\n", 3, 9 },
	{ "moves", IN("\033[2B\033[3Ca\033[Ab\033[2Dc\033[Gd\033[Ee\033[Ff"), "\nf  cb\ne  a\n\n", 1, 1 },
	{ "ED 0", IN("aaaaaaaaaa\r\nbbb\r\nccc\033[2;2H\033[J"), "aaaaaaaaaa\nb\n\n\n", 1, 1 },
	{ "ED 1", IN("aaa\r\nbbb\r\nccc\033[2;2H\033[1J"), "\n  b\nccc\n\n", 1, 1 },
	{ "ED 2", IN("aaa\r\nbbb\033[2J"), "\n\n\n\n", 1, 3 },
	{ "EL", IN("abcdef\033[3D\033[K"), "abc\n\n\n\n", 0, 3 },
	{ "EL 1", IN("abcdef\033[3D\033[1K"), "    ef\n\n\n\n", 0, 3 },
	{ "ICH DCH ECH", IN("abcdef\033[2G\033[2@\033[5G\033[P\033[6G\033[Xz"), "a  bdzf\n\n\n\n", 0, 6 },
	{ "IL DL", IN("1\r\n2\r\n3\r\n4\033[2;1H\033[L\033[4;1H\033[M"), "1\n\n2\n\n", 3, 0 },
	{ "SU SD", IN("1\r\n2\r\n3\033[2S\033[1T"), "\n3\n\n\n", 2, 1 },
	{ "region", IN("1\r\n2\r\n3\r\n4\033[2;3r\033[3;1H\n"), "1\n3\n\n4\n", 2, 0 },
	{ "origin", IN("\033[2;3r\033[?6h\033[9;1Hx"), "\n\nx\n\n", 2, 1 },
	{ "RI scrolls down", IN("1\r\n2\033[H\033M0"), "0\n1\n2\n\n", 0, 1 },
	{ "IND NEL", IN("a\033Db\033Ec"), "a\n b\nc\n\n", 2, 1 },
	{ "insert mode", IN("abc\r\033[4hXY\033[4lZ"), "XYZbc\n\n\n\n", 0, 3 },
	{ "HTS TBC", IN("\033[3g   \033H\r\tx"), "   x\n\n\n\n", 0, 4 },
	{ "newline mode", IN("\033[20hab\nc"), "ab\nc\n\n\n", 1, 1 },
	{ "save restore", IN("ab\0337\033[3;5Hx\0338c"), "abc\n\n    x\n\n", 0, 3 },
	{ "CSI s, u", IN("ab\033[s\033[3;5Hx\033[uc"), "abc\n\n    x\n\n", 0, 3 },
	{ "margins left and right", IN("\033[?69h\033[3;6s\033[HABCDEFGHIJ\033[1;3H\033[2P"), "ABEF  GHIJ\n\n\n\n", 0, 2 },
	{ "CSI s with margin mode is no save", IN("ab\033[?69h\033[sx"), "xb\n\n\n\n", 0, 1 },
	{ "REP", IN("ab\033[3b"), "abbbb\n\n\n\n", 0, 5 },
	{ "REP is bounded", IN("a\033[65535b"), "aaaaaaaaaa\na\n\n\n", 1, 1 },
	{ "REP needs a glyph", IN("a\r\n\033[3b"), "a\n\n\n\n", 1, 0 },
	{ "DECALN", IN("\033[2;3r\033#8"), "EEEEEEEEEE\nEEEEEEEEEE\nEEEEEEEEEE\nEEEEEEEEEE\n", 0, 0 },
	{ "DEC graphics", IN("\033(0lqk\033(Bx\016q\017\033)0\016q\017q"), "\xe2\x94\x8c\xe2\x94\x80\xe2\x94\x90xq\xe2\x94\x80q\n\n\n\n", 0, 7 },
	{ "single shift", IN("\033*0\033Nqq"), "\xe2\x94\x80q\n\n\n\n", 0, 2 },
	{ "soft reset", IN("\033[4h\033[2;3r\033[?6hab\033[!pX\rYZ"), "\nYZX\n\n\n", 1, 2 },
	{ "full reset", IN("abc\033[2;3r\033[?25l\033cx"), "x\n\n\n\n", 0, 1 },
	{ "alternate screen", IN("main\033[?1049halt"), "    alt\n\n\n\n", 0, 7 },
	{ "and back", IN("main\033[?1049h\033[3;3Halt\033[?1049l!"), "main!\n\n\n\n", 0, 5 },
	{ "back without having been there", IN("main\033[?1049l!"), "main!\n\n\n\n", 0, 5 },
	{ "47 and 1047", IN("m\033[?47ha\033[?47l\033[?1047hb\033[?1047l."), "m  .\n\n\n\n", 0, 4 },
	{ "wide", IN("\xe4\xb8\x80\xe4\xba\x8c|"), "\xe4\xb8\x80\xe4\xba\x8c|\n\n\n\n", 0, 5 },
	{ "wide at the edge", IN("012345678\xe4\xb8\x80"), "012345678\n\xe4\xb8\x80\n\n\n", 1, 2 },
	{ "wide fills the line", IN("01234567\xe4\xb8\x80x"), "01234567\xe4\xb8\x80\nx\n\n\n", 1, 1 },
	{ "wide without autowrap", IN("\033[?7l012345678\xe4\xb8\x80x"), "012345678x\n\n\n\n", 0, 9 },
	{ "half overwritten", IN("\xe4\xb8\x80\xe4\xba\x8c\033[2Gx"), " x\xe4\xba\x8c\n\n\n\n", 0, 2 },
	{ "other half", IN("\xe4\xb8\x80\xe4\xba\x8c\033[3Gx"), "\xe4\xb8\x80x\n\n\n\n", 0, 3 },
	{ "half erased", IN("\xe4\xb8\x80\xe4\xba\x8c\033[2G\033[X"), "  \xe4\xba\x8c\n\n\n\n", 0, 1 },
	{ "half shifted", IN("\xe4\xb8\x80\xe4\xba\x8c|\033[2G\033[P"), " \xe4\xba\x8c|\n\n\n\n", 0, 1 },
	{ "combining", IN("e\xcc\x81\xcc\xa3x"), "e\xcc\x81\xcc\xa3x\n\n\n\n", 0, 2 },
	{ "combining after a move", IN("ab\r\xcc\x81" "c"), "cb\n\n\n\n", 0, 1 },
	{ "combining at the edge", IN("012345678e\xcc\x81x"), "012345678e\xcc\x81\nx\n\n\n", 1, 1 },
	{ "joined", IN("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7|"), "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7|\n\n\n\n", 0, 3 },
	{ "skin tone", IN("\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd|"), "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd|\n\n\n\n", 0, 3 },
	{ "emoji form", IN("\xe2\x9d\xa4\xef\xb8\x8f|"), "\xe2\x9d\xa4\xef\xb8\x8f|\n\n\n\n", 0, 3 },
	{ "new emoji are wide", IN("\xf0\x9f\xab\xa0|"), "\xf0\x9f\xab\xa0|\n\n\n\n", 0, 3 },
	{ "no C1", IN("a\xc2\x85" "b\xc2\x9b" "1mc"), "ab1mc\n\n\n\n", 0, 5 },
	{ "unknown sequences show nothing", IN("a\033[12;3&w\033[=5z\033]999;x\a\033_Gx\033\\\033P1;2zz\033\\b"), "ab\n\n\n\n", 0, 2 },
	{ "double width is refused", IN("\033#6abcdefghij"), "abcdefghij\n\n\n\n", 0, 9 },
	{ "selective erase", IN("\033[1\"qab\033[0\"qcd\033[?2K"), "ab\n\n\n\n", 0, 4 },
	{ "8 bit controls are not switched on", IN("\033 Gab"), "ab\n\n\n\n", 0, 2 },
};

static void check_screen(size_t i, struct pane *p, const char *how)
{
	CLEANUP(cleanup_freep) char *text = pane_text(p, 0, 4);
	CLEANUP(cleanup_freep) char *what = xasprintf("%s (%s)", screens[i].what, how);
	int row, col;

	pane_cursor(p, &row, &col);
	is_str(text, screens[i].want, what);
	is_int(row * 100 + col, screens[i].row * 100 + screens[i].col, what);
	ok(sane(p), what);
}

static void test_screens(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(screens); i++) {
		struct pane *p = pane_new(4, 10, 100, NULL);
		uint64_t whole;

		pane_write(p, screens[i].in, screens[i].len);
		check_screen(i, p, "whole");
		whole = hash_pane(p);
		pane_free(p);
		for (size_t cut = 1; cut < screens[i].len; cut++) {
			p = pane_new(4, 10, 100, NULL);
			pane_write(p, screens[i].in, cut);
			pane_write(p, screens[i].in + cut, screens[i].len - cut);
			if (hash_pane(p) != whole)
				check_screen(i, p, "cut");
			ok(hash_pane(p) == whole, "cut in two: the same grid");
			pane_free(p);
		}
		p = pane_new(4, 10, 100, NULL);
		feed(p, screens[i].in, screens[i].len, 1);
		ok(hash_pane(p) == whole, "byte by byte: the same grid");
		pane_free(p);
	}
}

/* ---- attributes of the cell at the top left ----------------------------------------------------------- */

static const struct { const char *in; size_t len; const char *want; } attrs[] = {
	{ IN("x"), "0" },
	{ IN("\033[1;2;3;5;7;8;9;53mx"), "0;1;2;3;5;7;8;9;53" },
	{ IN("\033[1;2;3;4;5;7;8;9;53m\033[22;23;24;25;27;28;29;55mx"), "0" },
	{ IN("\033[1mX\033[m\rx"), "0" },
	{ IN("\033[4mx"), "0;4" },
	{ IN("\033[4:3mx"), "0;4:3" },
	{ IN("\033[4:5;58:5:9mx"), "0;4:5;58:5:9" },
	{ IN("\033[4:9mx"), "0" },
	{ IN("\033[21mx"), "0;4:2" },
	{ IN("\033[4:3m\033[4:0mx"), "0" },
	{ IN("\033[31;42mx"), "0;38:5:1;48:5:2" },
	{ IN("\033[91;102mx"), "0;38:5:9;48:5:10" },
	{ IN("\033[38;5;200;48;5;0mx"), "0;38:5:200;48:5:0" },
	{ IN("\033[38;2;1;2;3mx"), "0;38:2::1:2:3" },
	{ IN("\033[38:2:1:2:3;48:2::4:5:6;58:2::7:8:9mx"), "0;38:2::1:2:3;48:2::4:5:6;58:2::7:8:9" },
	{ IN("\033[38;2;1;2;3;48;2;4;5;6;58;2;7;8;9;1;3;4:3;9;53mx"), "0;1;3;9;53;4:3;38:2::1:2:3;48:2::4:5:6;58:2::7:8:9" },
	{ IN("\033[38;5;300mx"), "0" },
	{ IN("\033[38;2;1mx"), "0" },		/* half a colour, as a cut list leaves it */
	{ IN("\033[38;7;1mx"), "0;1;7" },
	{ IN("\033[31;38mx"), "0;38:5:1" },
	{ IN("\033[31m\033[>4;1m\033[?4mx"), "0;38:5:1" },
	{ IN("\033[41m\033[2Kx\033[49m"), "0;48:5:1" },
	{ IN("\033[1;31m\0337\033[0m\0338x"), "0;1;38:5:1" },
};

static void test_attrs(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++) {
		struct pane *p = pane_new(4, 10, 0, NULL);
		struct buf b;

		buf_init(&b, 1000);
		feed(p, attrs[i].in, attrs[i].len, 1 + i % 3);
		sgr_write(grid_line(pane_grid(p), 0), &b);
		is_str(buf_str(&b), attrs[i].want, attrs[i].in + 1);
		buf_done(&b);
		pane_free(p);
	}
}

static void test_erase_colour(void)
{
	struct pane *p = pane_new(4, 10, 0, NULL);

	pane_write(p, IN("\033[44m\033[2J\033[0m\033[2;1H\033[K"));
	is_int(grid_line(pane_grid(p), 0)[9].bg, COLOR_INDEX(4), "erased cells have the background");
	is_int(grid_line(pane_grid(p), 1)[9].bg, COLOR_DEFAULT, "or none");
	pane_free(p);
}

/* ---- replies --------------------------------------------------------------------------------------- */

static const struct { const char *in; size_t len; const char *want; } replies[] = {
	{ IN("\033[c"), "\033[?62;22;52c" },
	{ IN("\033[0c\033[1c"), "\033[?62;22;52c" },
	{ IN("\033[>c"), "\033[>41;354;0c" },
	{ IN("\033[=c"), "\033P!|00000000\033\\" },
	{ IN("\033[>0q"), "\033P>|sbxterm(" SBXTERM_VERSION ")\033\\" },
	{ IN("\033[5n"), "\033[0n" },
	{ IN("ab\033[6n"), "\033[1;3R" },
	{ IN("\033[2;3H\033[?6n"), "\033[?2;3R" },
	{ IN("\033[2;3r\033[?6h\033[2;4H\033[6n"), "\033[2;4R" },
	{ IN("\033[?996n"), "\033[?997;1n" },
	{ IN("\033[18t"), "\033[8;4;10t" },
	{ IN("\033[14t\033[16t"), "\033[4;72;90t\033[6;18;9t" },
	{ IN("\033]2;evil\a\033[21t\033[20t"), "" },			/* titles are never reported */
	{ IN("\033[?2026$p\033[?2026h\033[?2026$p"), "\033[?2026;2$y\033[?2026;1$y" },
	{ IN("\033[?2004h\033[?2004$p"), "\033[?2004;1$y" },
	{ IN("\033[?1002h\033[?1000$p\033[?1002$p"), "\033[?1000;2$y\033[?1002;1$y" },
	{ IN("\033[?7$p\033[?25$p\033[?6$p\033[?1049$p"), "\033[?7;1$y\033[?25;1$y\033[?6;2$y\033[?1049;2$y" },
	{ IN("\033[?2027$p\033[?1016$p\033[?31337$p"), "\033[?2027;0$y\033[?1016;0$y\033[?31337;0$y" },
	{ IN("\033[4h\033[4$p\033[20$p\033[3$p"), "\033[4;1$y\033[20;2$y\033[3;0$y" },
	{ IN("\033P$qm\033\\"), "\033P1$r0m\033\\" },
	{ IN("\033[1;4:3;38;2;1;2;3m\033P$qm\033\\"), "\033P1$r0;1;4:3;38:2::1:2:3m\033\\" },
	{ IN("\033[2;3r\033P$qr\033\\"), "\033P1$r2;3r\033\\" },
	{ IN("\033[5 q\033P$q q\033\\"), "\033P1$r5 q\033\\" },
	{ IN("\033P$q\nrm -rf ~\n\033\\"), "\033P0$r\033\\" },
	{ IN("\033P+q544e;436F\033\\"), "\033P1+r544e=787465726d2d323536636f6c6f72\033\\\033P1+r436f=323536\033\\" },
	{ IN("\033P+q4d73\033\\\033P+q\n\nls\n\033\\"), "\033P0+r\033\\\033P0+r\033\\" },
	{ IN("\033]10;?\a\033]11;?\033\\"), "\033]10;rgb:e5e5/e5e5/e5e5\033\\\033]11;rgb:0000/0000/0000\033\\" },
	{ IN("\033]4;1;?;232;?\a"), "\033]4;1;rgb:cdcd/0000/0000\033\\\033]4;232;rgb:0808/0808/0808\033\\" },
	{ IN("\033]4;21;?;999;?;-1;?\a"), "\033]4;21;rgb:0000/0000/ffff\033\\" },
	{ IN("\033]10;#ffffff\a\033]4;1;#123456\a"), "" },
	{ IN("\033]52;c;?\a"), "" },
	{ IN("\033[?u\033[>1u\033[?u\033[>8u\033[?u\033[<u\033[?u\033[<9u\033[?u"),
	  "\033[?0u\033[?1u\033[?8u\033[?1u\033[?0u" },
	{ IN("\033[=31u\033[?u\033[=8;3u\033[?u\033[=2;2u\033[?u"), "\033[?25u\033[?17u\033[?17u" },
	{ IN("\033[>1u\033[?1049h\033[?u\033[?1049l\033[?u"), "\033[?0u\033[?1u" },
	{ IN("\033[>4;2m\033[?4m\033[>4m\033[?4m"), "\033[>4;2m\033[>4;0m" },
	{ IN("\033_Ga=q;AAAA\033\\\033]7501;?\a\033[1;1;1;1;1;1*y"), "" },
};

static void test_replies(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(replies); i++) {
		for (size_t step = 1; step < replies[i].len; step += replies[i].len - 2) {
			struct seen s;
			struct pane *p = pane_for(&s, 4, 10);

			feed(p, replies[i].in, replies[i].len, step);
			is_str(buf_str(&s.reply), replies[i].want, replies[i].in + 1);
			pane_free(p);
			seen_done(&s);
		}
	}
}

/* ---- marks ----------------------------------------------------------------------------------------- */

static const struct { const char *in; size_t len; const char *want; } marks[] = {
	{ IN("\033]133;A\a$ \033]133;B\a"), "prompt@0,0\ninput@0,2\n" },
	{ IN("\033]133;A;k=s\a\033]133;P;k=c\a\033]133;P;k=i\a\033]133;P;k=r\a"),
	  "continuation@0,0\ncontinuation@0,0\nprompt@0,0\n" },
	{ IN("\033]133;N;aid=7\a\033]133;I\a"), "prompt@0,0\ninput@0,0\n" },
	{ IN("\033]133;C;cmdline=x\a\033]133;D;0\a\033]133;D;127;err=x\a\033]133;D\a\033]133;D;x\a"),
	  "output@0,0\ndone@0,0 status=0\ndone@0,0 status=127\ndone@0,0 status=-1\ndone@0,0 status=-1\n" },
	{ IN("\033]633;E;echo a\\x3b\\x20b\\\\n\\x0Ac;N0nce\033\\"), "line@0,0 <echo a; b\\n\nc> nonce=N0nce\n" },
	{ IN("\033]633;E;ls\a"), "line@0,0 <ls>\n" },
	{ IN("\033]633;E;\\x;\\q\\\a"), "line@0,0 <\\x> nonce=\\q\\\n" },
	{ IN("\033]633;P;Cwd=/tmp/a\\x20b\a\033]633;P;Cwd=rel\a\033]633;P;Cwd=/a\\x00b\a"), "cwd@0,0 </tmp/a b>\n" },
	{ IN("\033]633;P;Sbx=run:1;abc\a\033]633;P;Other=1\a\033]633;P\a\033]633;E\a"), "own@0,0 <run:1> nonce=abc\n" },
	{ IN("\033]633;A\a\033]633;D;3\a"), "prompt@0,0\ndone@0,0 status=3\n" },
	{ IN("\033]7;file:///tmp/a%20b\a\033]7;file://localhost/x\a"), "cwd@0,0 </tmp/a b>\ncwd@0,0 </x>\n" },
	{ IN("\033]7;file://elsewhere.invalid/x\a\033]7;/x\a\033]7;file:///a%00\a\033]7;file:///a%2\a\033]7;http://h/x\a"), "" },
	{ IN("\033]133\a\033]133;\a\033]133;AA\a\033]133;Z\a\033]1330;A\a\033]x133;A\a"), "" },
};

static void test_marks(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		for (size_t cut = 0; cut <= marks[i].len; cut++) {
			struct seen s;
			struct pane *p = pane_for(&s, 4, 10);

			pane_write(p, marks[i].in, cut);
			pane_write(p, marks[i].in + cut, marks[i].len - cut);
			is_str(buf_str(&s.marks), marks[i].want, marks[i].in + 1);
			pane_free(p);
			seen_done(&s);
		}
	}
}

static void test_titles(void)
{
	struct seen s;
	struct pane *p = pane_for(&s, 4, 10);

	pane_write(p, IN("\033]0;one\a\033[22;0t\033]2;two\a\033[23;0t\033[23;0t\033[22;1t\033[23t"));
	is_str(buf_str(&s.title), "<one><two><one>", "set, push, pop; an empty stack gives nothing");
	for (int i = 0; i < 100; i++)
		pane_write(p, IN("\033[22t"));
	pane_write(p, IN("\a\a"));
	is_int(s.bells, 2, "bells");
	pane_free(p);
	seen_done(&s);
}

static void test_clipboard(void)
{
	struct seen s;
	struct pane *p = pane_for(&s, 4, 10);

	pane_write(p, IN("\033]52;c;aGVsbG8=\a\033]52;;aGVsbG8\a\033]52;c;?\a\033]52;c;a\a\033]52;c;a b=\a\033]52;c\a"));
	is_str(buf_str(&s.clip), "<hello><hello>", "set only, and only base64");
	pane_free(p);
	seen_done(&s);
}

/* ---- links ----------------------------------------------------------------------------------------- */

static void test_links(void)
{
	struct pane *p = pane_new(4, 10, 0, NULL);
	const struct cell *c;

	pane_write(p, IN("\033]8;;http://a/\033\\x\033]8;id=1;http://b/\033\\y\033]8;id=1;http://b/\033\\z\033]8;;\033\\w"));
	c = grid_line(pane_grid(p), 0);
	is_str(grid_link(pane_grid(p), c[0].link), "http://a/", "link");
	is_str(grid_link(pane_grid(p), c[1].link), "http://b/", "another");
	is_int(c[1].link, c[2].link, "the same link has one number");
	is_str(grid_link(pane_grid(p), c[3].link), NULL, "ended");
	pane_write(p, IN("\r\033]8;;http://a/\n\xc3\xa9\033\\x"));
	is_int(grid_line(pane_grid(p), 0)[0].link, 0, "no link with odd bytes");
	for (int i = 0; i < 10000; i++) {
		char s[64];
		int n = snprintf(s, sizeof(s), "\r\033]8;;http://n/%d\033\\q", i);

		pane_write(p, s, (size_t)n);
	}
	ok(grid_link(pane_grid(p), grid_line(pane_grid(p), 0)[0].link) != NULL, "links that nothing shows make room");
	pane_free(p);
}

/* ---- scrollback and size --------------------------------------------------------------------------- */

static void is_text(struct pane *p, int from, int to, const char *want, const char *what)
{
	CLEANUP(cleanup_freep) char *text = pane_text(p, from, to);

	is_str(text, want, what);
	ok(sane(p), what);
}

static void test_scrollback(void)
{
	struct pane *p = pane_new(3, 20, 4, NULL);
	const struct cell *c;

	pane_write(p, IN("1\r\n2\r\n3\r\n\033[1;31mred \xe4\xb8\x80 e\xcc\x81\033[0m \r\n5\r\n6"));
	is_int(grid_scrollback(pane_grid(p)), 3, "lines that left");
	pane_write(p, IN("\r\n7\r\n8\r\n9"));
	is_int(grid_scrollback(pane_grid(p)), 4, "no more than the maximum");
	is_text(p, -99, 3, "3\nred \xe4\xb8\x80 e\xcc\x81\n5\n6\n7\n8\n9\n", "the newest are kept");
	c = grid_line(pane_grid(p), -3);
	is_int(c[0].fg, COLOR_INDEX(1), "with colour");
	is_int(c[0].attr, CELL_BOLD, "and attributes");
	is_int(c[4].attr, CELL_BOLD | CELL_WIDE, "and width");
	is_int(c[5].attr, CELL_BOLD | CELL_WIDE_TAIL, "of both halves");
	is_int(c[9].attr, 0, "where they end");
	ok(!grid_line(pane_grid(p), -5) && !grid_line(pane_grid(p), 3), "nothing beyond");
	pane_write(p, IN("\033[3J"));
	is_int(grid_scrollback(pane_grid(p)), 0, "CSI 3 J clears it");
	is_text(p, 0, 3, "7\n8\n9\n", "and nothing else");
	pane_write(p, IN("\033[1;2r\033[2;1H\n"));
	is_int(grid_scrollback(pane_grid(p)), 1, "a region at row 0 keeps lines");
	pane_write(p, IN("\033[2;3r\033[3;1H\n\033[r\033[H\033[M"));
	is_int(grid_scrollback(pane_grid(p)), 1, "one below does not, nor do deleted lines");
	pane_write(p, IN("\033[?1049h\033[3;1H\n\n\n\033[?1049l"));
	is_int(grid_scrollback(pane_grid(p)), 1, "nor the alternate screen");
	pane_free(p);
	p = pane_new(3, 20, 0, NULL);
	pane_write(p, IN("1\r\n2\r\n3\r\n4"));
	is_int(grid_scrollback(pane_grid(p)), 0, "none wanted");
	pane_free(p);
}

static void test_wrapped(void)
{
	struct pane *p = pane_new(3, 4, 10, NULL);

	pane_write(p, IN("abcdefghij\r\nk\r\nl\r\nm"));
	ok(grid_line_wrapped(pane_grid(p), -3) && grid_line_wrapped(pane_grid(p), -2), "wrapped lines say so");
	ok(!grid_line_wrapped(pane_grid(p), -1) && !grid_line_wrapped(pane_grid(p), 0), "others do not");
	pane_write(p, IN("\033[H\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80"));
	ok(grid_line_wrapped(pane_grid(p), 0), "also by a wide character");
	pane_free(p);
}

static void test_resize(void)
{
	struct pane *p = pane_new(4, 10, 10, NULL);
	int row, col;

	pane_write(p, IN("1\r\n2\r\n3\r\n4 is long"));
	pane_resize(p, 2, 10);
	is_text(p, -9, 2, "1\n2\n3\n4 is long\n", "lines at the top go to the scrollback");
	pane_cursor(p, &row, &col);
	is_int(row * 100 + col, 109, "the cursor stays with its line");
	pane_resize(p, 4, 10);
	is_int(grid_scrollback(pane_grid(p)), 0, "and come back");
	is_text(p, 0, 4, "1\n2\n3\n4 is long\n", "as they were");
	pane_resize(p, 4, 5);
	is_text(p, 0, 4, "1\n2\n3\n4 is\n", "narrower");
	pane_resize(p, 4, 10);
	is_text(p, 0, 4, "1\n2\n3\n4 is long\n", "what was hidden is back");
	pane_resize(p, 4, 5);
	pane_write(p, IN("\r\033[K"));
	pane_resize(p, 4, 10);
	is_text(p, 3, 4, "\n", "unless it was erased");
	pane_write(p, IN("\033[H\033[Jtop"));
	pane_resize(p, 2, 10);
	is_text(p, 0, 2, "top\n\n", "empty lines below go first");
	is_int(grid_scrollback(pane_grid(p)), 0, "and nothing else");
	pane_resize(p, 0, 0);
	is_int(grid_rows(pane_grid(p)) * 10 + grid_cols(pane_grid(p)), 22, "never under 2x2");
	pane_resize(p, 5000, 5000);
	is_int(grid_rows(pane_grid(p)) + grid_cols(pane_grid(p)), 2000, "nor over 1000x1000");
	pane_free(p);
}

static void test_resize_alt(void)
{
	struct pane *p = pane_new(4, 10, 10, NULL);

	pane_write(p, IN("1\r\n2\r\n3\r\n$ vi\033[?1049h\033[HALT\033[4;1Hlast"));
	pane_resize(p, 2, 10);
	is_text(p, 0, 2, "\nlast\n", "the alternate screen keeps the cursor's line");
	pane_write(p, IN("\033[?1049l"));
	is_text(p, -2, 2, "1\n2\n3\n$ vi\n", "the main screen went to the scrollback meanwhile");
	pane_write(p, IN("!"));
	is_text(p, 1, 2, "$ vi!\n", "and its cursor is where it was");
	pane_free(p);
}

/* ---- damage ---------------------------------------------------------------------------------------- */

static void test_damage(void)
{
	struct seen s;
	struct pane *p = pane_for(&s, 4, 10);
	int from, to;

	ok(pane_take_damage(p, &from, &to) && from == 0 && to == 4, "all of it at first");
	ok(!pane_take_damage(p, &from, &to), "once");
	pane_write(p, IN("\033[2;1Hx"));
	pane_write(p, IN("\033[3;1Hy"));
	is_int(s.damages, 1, "told once");
	ok(pane_take_damage(p, &from, &to) && from == 1 && to == 3, "the rows that changed");
	pane_write(p, IN("\033[?2026h\033[Hz"));
	is_int(s.damages, 2, "told again");
	ok(pane_sync_left(p) > 0 && !pane_take_damage(p, &from, &to), "held during a synchronized update");
	pane_write(p, IN("\033[?2026l"));
	ok(pane_take_damage(p, &from, &to) && from == 0 && to == 1, "given at its end");
	is_int(pane_sync_left(p), -1, "nothing is held");
	pane_free(p);
	seen_done(&s);
}

static void test_modes(void)
{
	struct pane *p = pane_new(4, 10, 0, NULL);
	const struct pane_modes *m = pane_modes(p);

	ok(m->cursor_visible && !m->bracketed_paste && !m->alt_screen, "defaults");
	pane_write(p, IN("\033[?1;25;1003;1004;1006;2004h\033[?25l\033=\033[?5h\033[4 q\033[?1049h"));
	ok(m->app_cursor && !m->cursor_visible && m->focus && m->mouse_sgr && m->bracketed_paste && m->app_keypad &&
	   m->reverse_video && m->alt_screen, "set");
	is_int(m->mouse, PANE_MOUSE_MOVE, "mouse");
	is_int(m->cursor_shape, 4, "cursor");
	ok(!m->cursor_blink, "steady");
	pane_write(p, IN("\033c"));
	ok(m->cursor_visible && !m->app_cursor && !m->focus && !m->mouse && !m->alt_screen && !m->bracketed_paste,
	   "a full reset ends them");
	pane_free(p);
}

/* ---- what crashed the library ------------------------------------------------------------------------ */

static void test_crashers(void)
{
	struct pane *p = pane_new(4, 10, 10, NULL);

	pane_write(p, IN("\033[38:2:1:2:3;48:2:4:5:6;58:2:7:8:9;4:3;1;2;3;5;7;8;9;53mx"));
	pane_write(p, IN("\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20H\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18h"));
	pane_write(p, IN("\033[99999999999999999999999999999999999;99999999999999999999999999H\033[4294967295C"));
	ok(sane(p), "many and large parameters");
	pane_resize(p, 1, 1);
	pane_write(p, IN("\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\r\xe4\xb8\x80"));
	ok(sane(p), "a wide character in the narrowest pane");
	pane_resize(p, 4, 10);
	pane_write(p, IN("\xe4\xb8\x80\033[1;10H\033[1b\033[2b"));
	pane_write(p, IN("\033[1;8H\xe4\xb8\x80\033[99b\033[1;10H\xe4\xb8\x80\033[99b"));
	ok(sane(p), "REP after a wide cell");
	pane_write(p, IN("\033[3;4r\033[4;1H"));
	pane_resize(p, 2, 10);
	pane_write(p, IN("\n\n\n\033M\033[L\033[M\033[S\033[T"));
	ok(sane(p), "a region below a smaller pane");
	pane_resize(p, 40, 100);
	pane_write(p, IN("\033[?69h\033[50;100s\033[40;100H\0337\033[s"));
	pane_resize(p, 3, 5);
	pane_write(p, IN("\0338x\033[ux\033[?6hx\n\n\033[@\033[P"));
	ok(sane(p), "a saved cursor and margins outside of a smaller pane");
	for (int i = 0; i < 200; i++) {
		pane_write(p, IN("line of text that is longer than the pane \xe4\xb8\x80\r\n"));
		pane_resize(p, 1 + i * 7 % 13, 1 + i * 5 % 17);
	}
	ok(sane(p), "text and resizes");
	pane_free(p);
}

static void test_long_write(void)
{
	size_t len = 1 << 20;
	char *in = xcalloc(len, 1);
	struct pane *p = pane_new(24, 80, 10, NULL);

	memset(in, 'x', len);
	pane_write(p, in, len);
	for (size_t i = 0; i + 3 <= len; i += 3)
		memcpy(in + i, "\xe4\xb8\x80", 3);
	pane_write(p, in, len / 3 * 3);
	for (size_t i = 0; i + 2 <= len; i += 2)
		memcpy(in + i, "\xcc\x81", 2);
	pane_write(p, in, len);
	ok(sane(p), "very long writes");
	pane_free(p);
	free(in);
}

/* Fragments, in any order, with resizes between: must end, and leave a sane grid. */
static const char *const fragments[] = {
	"\033[", "\033]", "\033P", "\033_", "\033\\", "\033", ";", ":", "?", ">", "1", "65535", "m", "H", "r", "s", "J", "K",
	"\033[2J", "\033[K", "\033[99b", "\033[3;1r", "\033[2;3r", "\033[r", "\033[?69h", "\033[2;9s", "\033[?69l", "\033[?6h",
	"\033[?6l", "\033[?7l", "\033[?7h", "\033[4h", "\033[4l", "\033[?1049h", "\033[?1049l", "\033[?47h", "\0337", "\0338",
	"\033[s", "\033[u", "\033[99;99H", "\033[H", "\033M", "\033D", "\033E", "\033H", "\033[L", "\033[9M", "\033[9P",
	"\033[9@", "\033[X", "\033[S", "\033[9T", "\033['}", "\033[9'~", "\033#8", "\033#6", "\033(0", "\033(B", "\016", "\017",
	"\033c", "\033[!p", "\033[1\"q", "\033[0\"q", "\033[?2J", "\033[?K", "\033[3J", "\t", "\b", "\r", "\n", "\r\n", "\a",
	"\xe4\xb8\x80", "\xe4\xba\x8c\xe4\xb8\x89", "\xcc\x81", "\xe2\x80\x8d", "\xef\xb8\x8f", "\xe2\x9d\xa4",
	"\xf0\x9f\x91\xa9", "\xf0\x9f\x8f\xbd", "abc", "the quick brown fox", "\xff", "\xe4", "\x9b", "\033[38;5;1m",
	"\033[41m", "\033[m", "\033]8;;http://x/\a", "\033]8;;\a", "\033]0;t\a", "\033]133;A\a", "\033[?2026h", "\033[6n",
	"\033[c", "\033P$qm\033\\", "\033[I", "\033[9Z", "\033[g", "\033[3g", "\033[9a", "\033[9`", "\033[9e", "\033[9d",
};

static void random_drive(uint32_t seed)
{
	struct seen s;
	struct pane *p = pane_for(&s, 10, 20);

	for (int step = 0; step < 6000; step++) {
		seed = seed * 1664525u + 1013904223u;
		if (seed >> 24 < 4) {
			pane_resize(p, (int)(seed >> 8 & 31), (int)(seed >> 13 & 63));
			buf_clear(&s.reply);
		} else {
			const char *f = fragments[(seed >> 12) % ARRAY_SIZE(fragments)];

			pane_write(p, f, strlen(f));
		}
	}
	ok(sane(p), "the random driver");
	pane_free(p);
	seen_done(&s);
}

static void test_random(void)
{
	for (uint32_t seed = 1; seed <= 16; seed++)
		random_drive(seed * 7919);
}

/* ---- what real programs wrote ------------------------------------------------------------------------ */

static size_t capture_end(const char *name, size_t len)
{
	CLEANUP(cleanup_freep) char *path = xasprintf("tests/captures/%s.json", name);
	struct buf b;
	json *j;
	size_t end;

	buf_init(&b, 1 << 20);
	io_slurp(path, &b, NULL);
	j = json_parse(buf_str(&b), b.len, NULL, NULL);
	end = j ? (size_t)json_num(j, "end_at", 0) : 0;
	json_free(j);
	buf_done(&b);
	return MIN(end, len);
}

/* Lines without their trailing blanks, as pane_text() gives them. */
static char *screen_file(const char *name)
{
	CLEANUP(cleanup_freep) char *path = xasprintf("tests/captures/%s.screen.txt", name);
	struct buf b, out;
	size_t keep = 0;

	buf_init(&b, 1 << 20);
	buf_init(&out, 1 << 20);
	io_slurp(path, &b, NULL);
	for (size_t i = 0; i < b.len; i++) {
		if (b.data[i] == '\n')
			buf_truncate(&out, keep);
		buf_addc(&out, b.data[i]);
		if (b.data[i] != ' ')
			keep = out.len;
	}
	buf_done(&b);
	return buf_steal(&out);
}

static void test_captures(void)
{
	static const char *const names[] = { "claude", "claude-inline", "claude-none", "codex", "codex-none", "copilot",
					     "gemini", "opencode", "qwen" };
	static const size_t steps[] = { 1 << 20, 1, 7, 4093 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		CLEANUP(cleanup_freep) char *path = xasprintf("tests/captures/%s.bin", names[i]);
		CLEANUP(cleanup_freep) char *want = screen_file(names[i]);
		struct err e;
		struct buf b;
		uint64_t first = 0;

		buf_init(&b, 1 << 20);
		if (!ok(io_slurp(path, &b, &e) == 0, path))
			printf("# %s\n", e.msg);
		for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
			struct pane *p = pane_new(30, 100, 1000, NULL);
			CLEANUP(cleanup_freep) char *text = NULL;

			feed(p, buf_str(&b), capture_end(names[i], b.len), steps[k]);
			text = pane_text(p, 0, 30);
			is_str(text, want, names[i]);
			first = k ? first : hash_pane(p);
			ok(hash_pane(p) == first, "reads of any size give the same grid");
			ok(sane(p), names[i]);
			pane_free(p);
		}
		buf_done(&b);
	}
}

int main(void)
{
	test_screens();
	test_attrs();
	test_erase_colour();
	test_replies();
	test_marks();
	test_titles();
	test_clipboard();
	test_links();
	test_scrollback();
	test_wrapped();
	test_resize();
	test_resize_alt();
	test_damage();
	test_modes();
	test_crashers();
	test_long_write();
	test_random();
	test_captures();
	return tap_done();
}

#include "term/seq.h"
#include "tap.h"

/* Events as one string: T(text) C(0a) E(inter final) [leader params inter final] O(...) D(...) */
struct dump { struct buf out; bool in_text; };

static void add_bytes(struct buf *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)s[i] < 0x20)
			buf_addf(out, "<%02x>", (unsigned char)s[i]);
		else
			buf_addc(out, s[i]);
	}
}

static void add_csi(struct buf *out, const struct seq *s)
{
	buf_addc(out, '[');
	if (s->leader)
		buf_addc(out, s->leader);
	for (unsigned i = 0; i < s->nparam; i++) {
		if (i)
			buf_addc(out, s->sub[i] ? ':' : ';');
		if (s->param[i] >= 0)
			buf_addf(out, "%d", s->param[i]);
	}
	buf_addf(out, "%.2s%c%s]", s->inter, s->final, s->overflow ? "+" : "");
}

static void on_seq(void *arg, const struct seq *s)
{
	static const char string_name[] = { [SEQ_OSC] = 'O', [SEQ_DCS] = 'D', [SEQ_APC] = 'A', [SEQ_PM] = 'P',
					    [SEQ_SOS] = 'S' };
	struct dump *d = arg;

	/* Where a text run is cut depends on the feeds; that it is text does not. */
	if (d->in_text && s->kind != SEQ_TEXT)
		buf_addc(&d->out, ')');
	if (!d->in_text && s->kind == SEQ_TEXT)
		buf_adds(&d->out, "T(");
	d->in_text = s->kind == SEQ_TEXT;
	switch (s->kind) {
	case SEQ_TEXT: add_bytes(&d->out, s->text, s->len); break;
	case SEQ_CTRL: buf_addf(&d->out, "C(%02x)", (unsigned char)s->final); break;
	case SEQ_ESC: buf_addf(&d->out, "E(%.2s%c)", s->inter, s->final); break;
	case SEQ_CSI: add_csi(&d->out, s); break;
	default:
		buf_addf(&d->out, "%c(", string_name[s->kind]);
		add_bytes(&d->out, s->text, s->len);
		ok(s->text[s->len] == '\0', "a NUL follows the payload");
		buf_addc(&d->out, ')');
	}
}

/* Fed in pieces: [0, cut), [cut, len), or all pieces of @step bytes. */
static char *events(const char *in, size_t len, size_t cut, size_t step)
{
	struct dump d = { .in_text = false };
	struct seq_parser *p = seq_new(on_seq, &d);

	buf_init(&d.out, 1 << 22);
	if (step) {
		for (size_t i = 0; i < len; i += step)
			seq_feed(p, in + i, MIN(step, len - i));
	} else {
		seq_feed(p, in, cut);
		seq_feed(p, in + cut, len - cut);
	}
	if (d.in_text)
		buf_addc(&d.out, ')');
	seq_free(p);
	return buf_steal(&d.out);
}

#define IN(s) s, sizeof(s) - 1

static const struct { const char *in; size_t len; const char *want; } cases[] = {
	{ IN("plain text"), "T(plain text)" },
	{ IN("a\r\nb"), "T(a)C(0d)C(0a)T(b)" },
	{ IN("a\0b\x7f" "c"), "T(a)C(00)T(bc)" },
	{ IN("\033[m"), "[m]" },
	{ IN("\033[1;2;3m"), "[1;2;3m]" },
	{ IN("\033[;H"), "[;H]" },
	{ IN("\033[5;H"), "[5;H]" },
	{ IN("\033[38:2::1:2:3;4:3m"), "[38:2::1:2:3;4:3m]" },
	{ IN("\033[?25h"), "[?25h]" },
	{ IN("\033[>4;2m"), "[>4;2m]" },
	{ IN("\033[<u"), "[<u]" },
	{ IN("\033[!p\033[2 q\033[?2026$p"), "[!p][2 q][?2026$p]" },
	{ IN("\033(B\033#8\0337\033="), "E((B)E(#8)E(7)E(=)" },
	/* bounds */
	{ IN("\033[999999999999999999999m"), "[65535m]" },
	{ IN("\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30;31;32;33;34m"),
	  "[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30;31;32m+]" },
	{ IN("\033[   qx"), "T(x)" },				/* three intermediates */
	/* what is malformed is swallowed up to its final byte */
	{ IN("\033[1?2hx"), "T(x)" },
	{ IN("\033[?1>2hx"), "T(x)" },
	{ IN("\033[1 2hx"), "T(x)" },
	/* controls execute inside of a sequence; CAN, SUB and ESC abort it */
	{ IN("\033[1\n;2H"), "C(0a)[1;2H]" },
	{ IN("\033[1\x7f;2H"), "[1;2H]" },
	{ IN("\033[1\x18x"), "T(x)" },
	{ IN("\033[1\x1ax"), "T(x)" },
	{ IN("\033[1\033[2Jx"), "[2J]T(x)" },
	{ IN("\033\033[2J"), "[2J]" },
	{ IN("\033[1\xc3\xa9"), "T(\xc3\xa9)" },
	/* strings */
	{ IN("\033]0;title\ax"), "O(0;title)T(x)" },
	{ IN("\033]0;title\033\\x"), "O(0;title)T(x)" },
	{ IN("\033]2;\xc3\x9c\x9c\a"), "O(2;\xc3\x9c\x9c)" },	/* 9c is no terminator in UTF-8 */
	{ IN("\033]0;a\nb\tc\a"), "O(0;abc)" },
	{ IN("\033]0;cut\x18x"), "T(x)" },
	{ IN("\033]0;cut\033[1mx"), "[1m]T(x)" },
	{ IN("\033]0;cut\033]1;y\a"), "O(1;y)" },
	{ IN("\033]0;cut\033\033\\x"), "E(\\)T(x)" },
	{ IN("\033P$qm\033\\"), "D($qm)" },
	{ IN("\033Pq\n\a\033\\x"), "D(q<0a><07>)T(x)" },		/* BEL ends an OSC only */
	{ IN("\033_Ga=q\033\\\033^pm\033\\\033Xsos\a!\033\\"), "A(Ga=q)P(pm)S(sos!)" },
	{ IN("\033]\a\033P\033\\"), "O()D()" },
	/* UTF-8 */
	{ IN("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "T(\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80)" },
	{ IN("a\xffz"), "T(a\xef\xbf\xbdz)" },
	{ IN("\xe2\x82z"), "T(\xef\xbf\xbdz)" },
	{ IN("\xe2\x82\xe2\x82\xac"), "T(\xef\xbf\xbd\xe2\x82\xac)" },
	{ IN("\xe2\x82\n"), "T(\xef\xbf\xbd)C(0a)" },
	{ IN("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"),		/* overlong, surrogate, too big */
	  "T(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd)" },
	{ IN("\x9b" "1m\x9d" "0;x\x9c"), "T(\xef\xbf\xbd" "1m\xef\xbf\xbd" "0;x\xef\xbf\xbd)" },	/* no C1 */
	{ IN("\xc2\x9b" "31m"), "T(\xc2\x9b" "31m)" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t cut = 0; cut <= cases[i].len; cut++) {
			CLEANUP(cleanup_freep) char *got = events(cases[i].in, cases[i].len, cut, 0);

			is_str(got, cases[i].want, "cut in two");
		}
		CLEANUP(cleanup_freep) char *bytes = events(cases[i].in, cases[i].len, 0, 1);

		is_str(bytes, cases[i].want, "byte by byte");
	}
}

/* Anything, in pieces of any size, gives the same events. */
static void test_random(void)
{
	static const char alphabet[] = "\033\033\033[]P_^X;:?>0159mHJhlqr \"$\\\a\n\x18\xc3\xa9\xe2\x82\xacxyz~";
	uint32_t seed = 12345;

	for (int round = 0; round < 300; round++) {
		char in[200];
		CLEANUP(cleanup_freep) char *whole = NULL;

		for (size_t i = 0; i < sizeof(in); i++) {
			seed = seed * 1664525u + 1013904223u;
			in[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		whole = events(in, sizeof(in), sizeof(in), 0);
		for (size_t step = 1; step <= 7; step += 2) {
			CLEANUP(cleanup_freep) char *pieces = events(in, sizeof(in), 0, step);

			is_str(pieces, whole, "pieces of a random input");
		}
	}
}

/* A payload past the maximum is dropped whole, and its end is still seen. */
static void test_long_string(void)
{
	size_t len = SEQ_STRING_MAX + 10;
	char *in = xcalloc(len + 16, 1), *got;

	memcpy(in, "\033]0;", 4);
	memset(in + 4, 'x', len);
	memcpy(in + 4 + len, "\ay", 2);
	got = events(in, len + 6, 0, 4096);
	is_str(got, "T(y)", "too long a string");
	free(got);
	memmove(in + 100, in + 4 + len, 2);
	got = events(in, 102, 0, 3);
	is_int(strlen(got), 100 - 2 + 3 + 4, "a short one after it is whole");
	free(got);
	free(in);
}

int main(void)
{
	test_cases();
	test_random();
	test_long_string();
	return tap_done();
}

#include <stdlib.h>

#include "base/quote.h"
#include "tap.h"

enum { CTL = QUOTE_HAS_CONTROL, INV = QUOTE_HAS_INVALID, BIDI = QUOTE_HAS_BIDI, HID = QUOTE_HAS_INVISIBLE, LOOK = QUOTE_HAS_LOOKALIKE };

static const struct { const char *in, *out; unsigned what; } cases[] = {
	/* ordinary text stays as it is */
	{ "git commit -m 'x \\n'",		"git commit -m 'x \\n'",		0 },
	{ "caf\xc3\xa9 na\xc3\xafve",		"caf\xc3\xa9 na\xc3\xafve",		0 },
	{ "\xd1\x84\xd0\xb0\xd0\xb9\xd0\xbb.txt", "\xd1\x84\xd0\xb0\xd0\xb9\xd0\xbb.txt", 0 },	/* Russian: file */
	{ "\xce\xb1\xcf\x81\xcf\x87\xce\xb5\xce\xaf\xce\xbf", "\xce\xb1\xcf\x81\xcf\x87\xce\xb5\xce\xaf\xce\xbf", 0 },	/* Greek: file */
	{ "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x83\xbc", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x83\xbc", 0 },
	{ "\xf0\x9f\x98\x80",			"\xf0\x9f\x98\x80",			0 },
	{ "e\xcc\x81",				"e\xcc\x81",				0 },	/* e and an acute mark */
	{ "a\nb\tc",				"a\\nb\\tc",				0 },
	/* sequences that drive the terminal */
	{ "x\x1b]0;TITLE\x07",			"x\\e]0;TITLE\\x07",			CTL },
	{ "./c #\x1b[2K\x1b[1Gls -la",		"./c #\\e[2K\\e[1Gls -la",		CTL },
	{ "a\rb\x08\x7f",			"a\\rb\\x08\\x7f",			CTL },
	{ "\xc2\x9b" "2J",			"\\u009b2J",				CTL },	/* C1 CSI */
	{ "\x9b" "2J",				"\\x9b2J",				INV },	/* the same as one byte */
	/* bytes that are not UTF-8: overlong slash, surrogate, too large, cut */
	{ "\xc0\xaf",				"\\xc0\\xaf",				INV },
	{ "\xed\xa0\x80",			"\\xed\\xa0\\x80",			INV },
	{ "\xf4\x90\x80\x80",			"\\xf4\\x90\\x80\\x80",			INV },
	{ "a\xe2\x82",				"a\\xe2\\x82",				INV },
	{ "\xe2\x82" "a",			"\\xe2\\x82" "a",			INV },
	/* bidi */
	{ "echo \"\xe2\x80\xaeyrac\xe2\x80\xac\"", "echo \"\\u202eyrac\\u202c\"",	BIDI },
	{ "\xe2\x81\xa6x\xe2\x81\xa9",		"\\u2066x\\u2069",			BIDI },
	{ "\xd7\x90/\xd7\x91",			"\\u05d0/\\u05d1",			BIDI },	/* would be drawn the other way round */
	{ "\xd8\x9c",				"\\u061c",				BIDI },
	/* not drawn */
	{ "ec\xe2\x80\x8bho",			"ec\\u200bho",				HID },
	{ "a\xe2\x80\x8d" "b\xe2\x81\xa0" "c\xef\xbb\xbf", "a\\u200db\\u2060c\\ufeff",	HID },
	{ "\xf3\xa0\x81\xa1",			"\\U000e0061",				HID },	/* tag */
	{ "x\xef\xb8\x8f\xf3\xa0\x84\x80",	"x\\ufe0f\\U000e0100",			HID },	/* variation selectors */
	{ "a\xe3\x85\xa4" "b\xe1\x85\x9f" "c\xef\xbe\xa0", "a\\u3164b\\u115fc\\uffa0",	HID },	/* Hangul fillers */
	{ "a\xe2\xa0\x80" "b",			"a\\u2800b",				HID },	/* braille blank */
	{ "a\xc2\xad" "b",			"a\\u00adb",				HID },	/* soft hyphen */
	{ "\xe2\x80\xa8",			"\\u2028",				HID },
	{ "\xee\x82\xb0",			"\\ue0b0",				HID },	/* private use: who knows what it shows */
	/* spaces */
	{ "main@\xe3\x80\x80;",			"main@\\u3000;",			HID },
	{ "a\xc2\xa0" "b\xe2\x80\x83" "c",	"a\\u00a0b\\u2003c",			HID },
	/* marks: not on nothing, not without end, not over the letter */
	{ "\xcc\x81x",				"\\u0301x",				HID },
	{ "/\xcc\x81",				"/\\u0301",				HID },
	{ "a\xcc\x81\xcc\x81\xcc\x81",		"a\xcc\x81\xcc\x81\\u0301",		HID },
	{ "a\xcc\xb8",				"a\\u0338",				HID },
	{ "a\xe2\x83\x9d",			"a\\u20dd",				HID },
	/* look-alikes: letters */
	{ "./\xd1\x81" "anary",			"./\\u0441anary",			LOOK },	/* Cyrillic es */
	{ "\xd1\x81\xd0\xbe\xd1\x80\xd0\xb0",	"\\u0441\\u043e\\u0440\\u0430",		LOOK },	/* all of it Cyrillic, reads "copa" */
	{ "\xce\xbf" "s",			"\\u03bfs",				LOOK },	/* Greek omicron */
	{ "\xef\xbd\x92\xef\xbd\x8d",		"\\uff52\\uff4d",			LOOK },	/* full-width rm */
	{ "\xf0\x9d\x90\xab\xf0\x9d\x90\xa6",	"\\U0001d42b\\U0001d426",		LOOK },	/* mathematical rm */
	{ "\xe2\x84\x93s",			"\\u2113s",				LOOK },	/* script l */
	{ "g\xc4\xb1t",				"g\\u0131t",				LOOK },	/* dotless i */
	{ "\xd5\xb8\xd1\x83",			"\\u0578\\u0443",			LOOK },	/* Armenian and Cyrillic */
	/* look-alikes: signs */
	{ "\xe2\x88\x95" "etc",			"\\u2215etc",				LOOK },	/* division slash */
	{ "\xe2\x81\x84\xef\xbc\x8f\xe2\x95\xb1", "\\u2044\\uff0f\\u2571",		LOOK },
	{ "\xe2\x80\x9cx\xe2\x80\x9d\xe2\x80\x99", "\\u201cx\\u201d\\u2019",		LOOK },
	{ "\xe2\x80\x93rf\xe2\x80\x94\xe2\x88\x92", "\\u2013rf\\u2014\\u2212",		LOOK },
	{ "\xef\xbc\x9b\xcd\xbe\xef\xbd\x9c",	"\\uff1b\\u037e\\uff5c",		LOOK },	/* ; ; | */
	{ "\xef\xbc\x84\xef\xbc\x86\xef\xbc\x8a", "\\uff04\\uff06\\uff0a",		LOOK },
	/* more than one */
	{ "\x1b\xff\xe2\x80\xae\xe2\x80\x8b",	"\\e\\xff\\u202e\\u200b",		CTL | INV | BIDI | HID },
};

/* What every result must hold: valid UTF-8, no controls, spans in order that cover what is ours. */
static bool honest(const struct quoted *q)
{
	const char *s = buf_str(&q->text);
	size_t used, last = 0;

	for (size_t i = 0; i < q->text.len; i += used) {
		uint32_t cp;

		used = quote_utf8(s + i, q->text.len - i, &cp);
		if (cp == 0xffffffff || cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			return false;
	}
	for (size_t i = 0; i < q->nspan; i++) {
		if (q->span[i].from < last || q->span[i].to <= q->span[i].from || q->span[i].to > q->text.len)
			return false;
		last = q->span[i].to;
	}
	return true;
}

static void test_cases(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct quoted q;

		quote_text(&q, cases[i].in, strlen(cases[i].in), 0);
		is_str(buf_str(&q.text), cases[i].out, cases[i].out);
		is_int(q.what, cases[i].what, cases[i].out);
		ok(honest(&q), cases[i].out);
		quoted_done(&q);
	}
}

static size_t columns(const struct quoted *q)
{
	size_t cols = 0, used;

	for (size_t i = 0; i < q->text.len; i += used) {
		uint32_t cp;

		used = quote_utf8(q->text.data + i, q->text.len - i, &cp);
		cols += (size_t)quote_width(cp);
	}
	return cols;
}

/* The tail is where attacks hide behind padding: spaces, letters, lines, wide spaces. */
static void test_cut(void)
{
	static const struct { const char *pad; size_t times; } pads[] = {
		{ " ", 3000 }, { "a", 8000 }, { "\n", 60 }, { "\xe3\x80\x80", 94 }, { "\xe6\x97\xa5", 500 }, { "e\xcc\x81", 400 }, { "\xff", 300000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pads); i++) {
		for (size_t max = 40; max < 120; max += 7) {
			struct quoted q;
			struct buf in;

			buf_init(&in, 1 << 20);
			buf_adds(&in, "ls@");
			for (size_t n = 0; n < pads[i].times; n++)
				buf_adds(&in, pads[i].pad);
			buf_adds(&in, ";x");
			quote_text(&q, in.data, in.len, max);
			ok(columns(&q) <= max, "as wide as allowed at most");
			ok(strncmp(q.text.data, "ls@", 3) == 0, "the beginning is there");
			is_str(q.text.data + q.text.len - 2, ";x", "the end is there");
			ok(strstr(q.text.data, " bytes)... ") != NULL, "the cut is told");
			ok(honest(&q), "still honest");
			ok(q.cut > 0 && q.cut < in.len, "counts what is cut");
			quoted_done(&q);
			buf_done(&in);
		}
	}
}

static void test_tiny(void)
{
	static const char text[] = "rm -rf \xe2\x80\x8b something that is long enough to be cut ; x";

	for (size_t max = 1; max < 40; max++) {
		struct quoted q;

		quote_text(&q, text, sizeof(text) - 1, max);
		ok(columns(&q) <= max && honest(&q), "a tiny width holds");
		quoted_done(&q);
	}
}

static void test_exact(void)
{
	struct quoted q;

	quote_text(&q, "0123456789012345678901234567890123456789", 40, 40);
	is_int(q.cut, 0, "what fits is not cut");
	quoted_done(&q);
	quote_text(&q, "01234567890123456789012345678901234567890", 41, 40);
	is_str(buf_str(&q.text), "01234567890 ...(19 bytes)... 01234567890", "one column too many");
	is_int(q.cut, 19, "bytes that were left out");
	is_int(q.span[0].src, 11, "where");
	quoted_done(&q);
	quote_text(&q, "a\\n\n", 4, 0);
	is_str(buf_str(&q.text), "a\\n\\n", "a written and a real newline look alike");
	is_int(q.nspan, 1, "but only one is ours");
	is_int(q.span[0].from, 3, "the second");
	is_int(q.span[0].src, 3, "from this byte");
	quoted_done(&q);
	quote_text(&q, "", 0, 10);
	is_str(buf_str(&q.text), "", "nothing stays nothing");
	quoted_done(&q);
}

static void test_huge(void)
{
	size_t len = 3u << 20;
	char *s = malloc(len);
	struct quoted q;

	memset(s, 0xff, len);
	s[0] = 'A';
	s[len - 1] = 'Z';
	quote_text(&q, s, len, 0);
	is_int(q.cut, len - QUOTE_INPUT_MAX, "the middle of an enormous input is left out");
	ok(q.text.data[0] == 'A' && q.text.data[q.text.len - 1] == 'Z', "the ends are not");
	ok(!q.text.full && honest(&q), "and it fits");
	quoted_done(&q);
	free(s);
}

/* Any bytes at all: never a control, never invalid, never past the width. */
static void test_noise(void)
{
	unsigned seed = 12345;
	bool good = true;

	for (int round = 0; round < 3000; round++) {
		char s[64];
		size_t len = seed % sizeof(s);
		struct quoted q;

		for (size_t i = 0; i < len; i++) {
			static const char lead[] = "\xe2\xcc\xd0\xef\xf3\xf0\x80\x9b\x81";

			seed = seed * 1103515245 + 12345;
			s[i] = seed & 0x10000 ? lead[(seed >> 20) % 9] : (char)(seed >> 24);
		}
		quote_text(&q, s, len, 20 + seed % 30);
		good = good && honest(&q) && columns(&q) <= 20 + seed % 30;
		quoted_done(&q);
	}
	ok(good, "noise comes out honest");
}

static void test_width(void)
{
	static const struct { uint32_t cp; int width; } widths[] = {
		{ 0, -1 }, { 0x1b, -1 }, { 0x7f, -1 }, { 0x9b, -1 }, { 0x110000, -1 }, { 'a', 1 }, { 0xe9, 1 }, { 0x301, 0 }, { 0x200b, 0 },
		{ 0x200d, 0 }, { 0x1100, 2 }, { 0x1161, 0 }, { 0x3042, 2 }, { 0x4e00, 2 }, { 0xac00, 2 }, { 0xff21, 2 }, { 0xff71, 1 },
		{ 0x1f600, 2 }, { 0x1fae9, 2 }, { 0x2500, 1 }, { 0x2014, 1 }, { 0xfe0f, 0 }, { 0xe0041, 0 }, { 0x20000, 2 }, { 0x10ffff, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		char what[16];

		snprintf(what, sizeof(what), "U+%04X", widths[i].cp);
		is_int(quote_width(widths[i].cp), widths[i].width, what);
	}
}

static void test_warning(void)
{
	char *w = quote_warning(BIDI | LOOK | CTL);

	is_str(w, "control characters, characters that reverse the direction of text and characters that look like others", "in words");
	free(w);
	ok(quote_warning(0) == NULL, "nothing to say");
}

static void test_sentence(void)
{
	static const struct { const char *text, *want; } c[] = {
		{ "deletes the root", "Deletes the root." }, { "Deletes.", "Deletes." }, { "", "" }, { "x", "X." },
		{ "really?", "Really?" }, { "/etc is read", "/etc is read." }, { "a.out is not known", "a.out is not known." },
		{ "-f forces", "-f forces." }, { "$OUTPUT is unset", "$OUTPUT is unset." }, { "'it' is quoted", "'it' is quoted." },
		{ "7z is not known", "7z is not known." }, { "python3 is not known", "python3 is not known." },
		{ "\xd0\xb0 letter", "\xd0\xb0 letter." }, { "src/a is read", "src/a is read." }, { "no.", "No." },
	};

	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		char *got = quote_sentence(c[i].text);

		is_str(got, c[i].want, c[i].text);
		free(got);
	}
}

int main(void)
{
	test_sentence();
	test_cases();
	test_cut();
	test_tiny();
	test_exact();
	test_huge();
	test_noise();
	test_width();
	test_warning();
	return tap_done();
}

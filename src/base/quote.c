#include "base/quote.h"

#include <stdio.h>
#include <string.h>

#include "base/unicode.h"

#define INVALID		0xffffffffu
#define ESCAPE_MAX	12		/* "\U0010ffff" and a NUL */
#define MARKS_MAX	2		/* combining marks on one letter */
#define CUT_TINY	40		/* columns under which the cut does not say how much */

/* One code point, or one byte that is none. */
struct unit {
	size_t		at;		/* offset in the input */
	uint32_t	cp;		/* INVALID: a byte */
	uint8_t		class;		/* enum unicode_class */
	uint8_t		used;		/* bytes of the input */
	uint8_t		cols;		/* as shown */
	bool		escape;
};

struct units {
	const char	*s;
	struct unit	*u;		/* owned */
	size_t		 n;
	size_t		 gap_at, gap;	/* @gap bytes of the input are left out before this unit */
};

/* ---- UTF-8 ------------------------------------------------------------------------------------ */

/* The rules of RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF. */
static size_t utf8_need(unsigned char lead, uint32_t *bits, unsigned char *lo, unsigned char *hi)
{
	*lo = 0x80;
	*hi = 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf) {
		*bits = lead & 0x1fu;
		return 1;
	}
	if ((lead & 0xf0) == 0xe0) {
		*bits = lead & 0x0fu;
		*lo = lead == 0xe0 ? 0xa0 : 0x80;
		*hi = lead == 0xed ? 0x9f : 0xbf;
		return 2;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		*bits = lead & 0x07u;
		*lo = lead == 0xf0 ? 0x90 : 0x80;
		*hi = lead == 0xf4 ? 0x8f : 0xbf;
		return 3;
	}
	return 0;
}

size_t quote_utf8(const char *s, size_t len, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char lo, hi;
	size_t need;

	*cp = INVALID;
	if (!len)
		return 1;
	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	uint32_t v = 0;

	need = utf8_need(p[0], &v, &lo, &hi);
	if (!need || len <= need || p[1] < lo || p[1] > hi)
		return 1;
	for (size_t i = 1; i <= need; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		v = v << 6 | (p[i] & 0x3fu);
	}
	*cp = v;
	return need + 1;
}

int quote_width(uint32_t cp)
{
	return unicode_width(cp);
}

bool quote_hidden(uint32_t cp)
{
	switch (unicode_class(cp)) {
	case UNICODE_CONTROL:
	case UNICODE_INVISIBLE:
		return true;
	case UNICODE_BIDI:		/* the controls, not the letters */
		return unicode_width(cp) == 0;
	default:
		return false;
	}
}

/* ---- what is shown as it is, and what is not ------------------------------------------------------ */

static void add_units(struct units *us, size_t from, size_t to)
{
	while (from < to) {
		struct unit *u = &us->u[us->n++];

		u->at = from;
		u->used = (uint8_t)quote_utf8(us->s + from, to - from, &u->cp);
		u->class = (uint8_t)unicode_class(u->cp);
		from += u->used;
	}
}

/* Of an enormous input the two ends are enough; nobody reads the middle. */
static void units_init(struct units *us, const char *s, size_t len)
{
	size_t head = len, tail = len;

	if (len > QUOTE_INPUT_MAX) {
		head = QUOTE_INPUT_MAX / 2;
		tail = len - QUOTE_INPUT_MAX / 2;
		for (int i = 0; i < 3 && (s[head] & 0xc0) == 0x80; i++)
			head--;
		for (int i = 0; i < 3 && (s[tail] & 0xc0) == 0x80; i++)
			tail++;
	}
	*us = (struct units){ .s = s, .u = xcalloc(MIN(len, (size_t)QUOTE_INPUT_MAX + 8), sizeof(*us->u)) };
	add_units(us, 0, head);
	us->gap_at = us->n;
	us->gap = tail - head;
	add_units(us, tail, len);
}

static bool ascii_letter(uint32_t cp)
{
	return (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z');
}

static bool latin(const struct unit *u)
{
	return ascii_letter(u->cp) || (u->cp >= 0xc0 && u->cp < 0x250 && u->class == UNICODE_PLAIN);
}

/* Blocks of signs: a sign beside a word is no part of it. */
static bool sign_block(uint32_t cp)
{
	return cp < 0xc0 || cp == 0xd7 || cp == 0xf7 || (cp >= 0x2000 && cp < 0x2c00) || (cp >= 0x2e00 && cp < 0x2e80) ||
	       (cp >= 0x3000 && cp < 0x3040) || (cp >= 0xfe10 && cp < 0xfe70) || (cp >= 0xff00 && cp < 0xff10) ||
	       (cp >= 0x1f000 && cp < 0x1fb00);
}

static bool word_unit(const struct unit *u)
{
	if (u->cp < 0x80)
		return ascii_letter(u->cp) || (u->cp >= '0' && u->cp <= '9');
	if (u->class == UNICODE_LETTER || u->class == UNICODE_MARK)
		return true;
	return u->class == UNICODE_PLAIN && !sign_block(u->cp);
}

/* Look-alikes deceive where they stand among Latin letters, or where a whole word is made of them.
 * In a word of their own script, with a letter that looks like no other, they are what they seem. */
static void judge_word(struct unit *u, size_t n)
{
	bool mixed = false, own = false;

	for (size_t i = 0; i < n; i++) {
		mixed = mixed || latin(&u[i]);
		own = own || (u[i].cp >= 0x80 && u[i].class == UNICODE_PLAIN);
	}
	for (size_t i = 0; i < n; i++)
		u[i].escape = u[i].class == UNICODE_LETTER && (mixed || !own);
}

static void judge_words(struct units *us)
{
	for (size_t i = 0, n; i < us->n; i += n + 1) {
		for (n = 0; i + n < us->n && word_unit(&us->u[i + n]); n++)
			;
		judge_word(us->u + i, n);
	}
}

static bool bears_marks(const struct unit *u)
{
	return !u->escape && (latin(u) || (u->cp >= 0x80 && word_unit(u)));
}

static void judge_units(struct units *us)
{
	size_t marks = MARKS_MAX;

	judge_words(us);
	for (size_t i = 0; i < us->n; i++) {
		struct unit *u = &us->u[i];

		if (u->class == UNICODE_MARK) {
			u->escape = marks >= MARKS_MAX;
			marks++;
			continue;
		}
		if (u->class != UNICODE_LETTER)
			u->escape = u->class != UNICODE_PLAIN;
		marks = bears_marks(u) ? 0 : MARKS_MAX;
	}
}

/* ---- how it is shown -------------------------------------------------------------------------- */

static size_t escape_text(const struct units *us, const struct unit *u, char out[ESCAPE_MAX])
{
	static const char *const named[] = { ['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r", [0x1b] = "\\e" };
	int n;

	if (u->cp < ARRAY_SIZE(named) && named[u->cp])
		n = snprintf(out, ESCAPE_MAX, "%s", named[u->cp]);
	else if (u->cp == INVALID)
		n = snprintf(out, ESCAPE_MAX, "\\x%02x", (unsigned char)us->s[u->at]);
	else if (u->cp < 0x80)
		n = snprintf(out, ESCAPE_MAX, "\\x%02x", u->cp);
	else if (u->cp < 0x10000)
		n = snprintf(out, ESCAPE_MAX, "\\u%04x", u->cp);
	else
		n = snprintf(out, ESCAPE_MAX, "\\U%08x", u->cp);
	return (size_t)n;
}

static unsigned what_bit(const struct unit *u)
{
	static const unsigned bit[] = {
		[UNICODE_CONTROL]	= QUOTE_HAS_CONTROL,
		[UNICODE_BIDI]		= QUOTE_HAS_BIDI,
		[UNICODE_INVISIBLE]	= QUOTE_HAS_INVISIBLE,
		[UNICODE_SPACE]		= QUOTE_HAS_INVISIBLE,
		[UNICODE_MARK]		= QUOTE_HAS_INVISIBLE,
		[UNICODE_LETTER]	= QUOTE_HAS_LOOKALIKE,
		[UNICODE_SIGN]		= QUOTE_HAS_LOOKALIKE,
	};

	if (u->cp == INVALID)
		return QUOTE_HAS_INVALID;
	return u->cp == '\n' || u->cp == '\t' ? 0 : bit[u->class];
}

/* Columns of each unit, of all, and what is odd in all of it: also in the part that is cut. */
static size_t measure(struct units *us, unsigned *what)
{
	size_t cols = 0;

	for (size_t i = 0; i < us->n; i++) {
		struct unit *u = &us->u[i];
		char esc[ESCAPE_MAX];

		if (u->escape) {
			u->cols = (uint8_t)escape_text(us, u, esc);
			*what |= what_bit(u);
		} else {
			u->cols = (uint8_t)unicode_width(u->cp);
		}
		cols += u->cols;
	}
	return cols;
}

static void add_span(struct quoted *q, size_t *room, size_t from, size_t src)
{
	if (q->nspan == *room) {
		*room = *room ? 2 * *room : 16;
		q->span = xrealloc(q->span, *room, sizeof(*q->span));
	}
	q->span[q->nspan++] = (struct quote_span){ .from = from, .to = q->text.len, .src = src };
}

static void show_units(struct quoted *q, size_t *room, const struct units *us, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct unit *u = &us->u[i];
		size_t start = q->text.len;
		char esc[ESCAPE_MAX];

		if (!u->escape) {
			buf_add(&q->text, us->s + u->at, u->used);
			continue;
		}
		buf_add(&q->text, esc, escape_text(us, u, esc));
		add_span(q, room, start, u->at);
	}
}

static size_t cut_text(char *out, size_t size, size_t max, size_t bytes)
{
	int n;

	if (max >= CUT_TINY)
		n = snprintf(out, size, " ...(%zu bytes)... ", bytes);
	else
		n = snprintf(out, size, "%.*s", (int)max, "...");
	return (size_t)n;
}

/* How many units from the front, and from the back, fit into @max columns around the cut. */
static void choose_cut(const struct units *us, size_t len, size_t max, size_t *head, size_t *tail)
{
	char text[64];
	size_t room = max - cut_text(text, sizeof(text), max, len), cols = 0, floor = us->gap ? us->gap_at : 0;

	for (*head = 0; *head < us->gap_at && cols + us->u[*head].cols <= room / 2; ++*head)
		cols += us->u[*head].cols;
	/* What the front does not need goes to the end. */
	for (*tail = us->n; *tail > MAX(*head, floor) && cols + us->u[*tail - 1].cols <= room; --*tail)
		cols += us->u[*tail - 1].cols;
	/* A mark must not move onto the cut. */
	while (*tail < us->n && us->u[*tail].class == UNICODE_MARK && !us->u[*tail].escape)
		++*tail;
}

static void show_cut(struct quoted *q, size_t *room, const struct units *us, size_t len, size_t max)
{
	size_t head = us->gap_at, tail = head, from, start;
	char text[64];

	if (max)
		choose_cut(us, len, max, &head, &tail);
	show_units(q, room, us, 0, head);
	from = head ? us->u[head - 1].at + us->u[head - 1].used : 0;
	q->cut = (tail < us->n ? us->u[tail].at : len) - from;
	start = q->text.len;
	buf_add(&q->text, text, cut_text(text, sizeof(text), max ? max : CUT_TINY, q->cut));
	add_span(q, room, start, from);
	show_units(q, room, us, tail, us->n);
}

void quote_text(struct quoted *q, const char *s, size_t len, size_t max)
{
	struct units us;
	size_t cols, room = 0;

	*q = (struct quoted){ 0 };
	/* An escape is at most 4 bytes for each byte of the input. */
	buf_init(&q->text, 4u * QUOTE_INPUT_MAX + 128);
	units_init(&us, s, len);
	judge_units(&us);
	cols = measure(&us, &q->what);
	if (us.gap || (max && cols > max))
		show_cut(q, &room, &us, len, max);
	else
		show_units(q, &room, &us, 0, us.n);
	free(us.u);
}

void quoted_done(struct quoted *q)
{
	buf_done(&q->text);
	free(q->span);
	*q = (struct quoted){ 0 };
}

void quote_into(struct buf *out, const char *s, size_t len)
{
	struct quoted q;

	quote_text(&q, s, len, 0);
	buf_add(out, buf_str(&q.text), q.text.len);
	quoted_done(&q);
}

char *quote_warning(unsigned what)
{
	static const struct { unsigned bit; const char *text; } words[] = {
		{ QUOTE_HAS_CONTROL,	"control characters" },
		{ QUOTE_HAS_INVALID,	"bytes that are not UTF-8" },
		{ QUOTE_HAS_BIDI,	"characters that reverse the direction of text" },
		{ QUOTE_HAS_INVISIBLE,	"invisible characters or unusual spaces" },
		{ QUOTE_HAS_LOOKALIKE,	"characters that look like others" },
	};
	unsigned left = what;
	struct buf b;

	buf_init(&b, 512);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!(left & words[i].bit))
			continue;
		left &= ~words[i].bit;
		if (b.len)
			buf_adds(&b, left ? ", " : " and ");
		buf_adds(&b, words[i].text);
	}
	return b.len ? buf_steal(&b) : NULL;
}

char *quote_sentence(const char *s)
{
	size_t len = strlen(s), word = strspn(s, "abcdefghijklmnopqrstuvwxyz'-");
	bool plain = word && s[0] != '-' && s[0] != '\'' && (!s[word] || strchr(" ,:;.?!", s[word])) &&
		     !(s[word] == '.' && s[word + 1] && s[word + 1] != ' ');
	char *out = xasprintf("%s%s", s, len && !strchr(".!?:", s[len - 1]) ? "." : "");

	if (plain)
		out[0] = (char)(out[0] - 'a' + 'A');
	return out;
}

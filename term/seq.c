#include "term/seq.h"

#include <assert.h>
#include <string.h>

/*
 * A table-driven machine after vt100.net's parser. Two things run outside of the
 * table because they are hot or not a regular language: text (UTF-8 is checked
 * while whole runs are handed on without copying) and the inside of strings.
 */

enum state { GROUND, ESCAPE, ESC_INTER, CSI_ENTRY, CSI_PARAM, CSI_INTER, CSI_IGNORE, STRING, STRING_ESC, STATES };

enum class {
	C_CTRL,		/* C0 that executes anywhere outside of strings */
	C_BEL,
	C_ABORT,	/* CAN, SUB */
	C_ESC,
	C_INTER,	/* 0x20-0x2f */
	C_DIGIT,
	C_COLON,
	C_SEMI,
	C_PRIV,		/* < = > ? */
	C_FINAL,	/* 0x40-0x7e but those below */
	C_LBRACKET,	/* [ */
	C_STRING,	/* ] P X ^ _ : open a string after ESC */
	C_BACKSLASH,
	C_DEL,
	C_HIGH,		/* 0x80-0xff */
	CLASSES
};

enum action { A_NONE, A_EXEC, A_CLEAR, A_ABORT, A_INTER, A_DIGIT, A_NEXT, A_SUB, A_LEADER, A_ESC, A_CSI,
	      A_OPEN, A_DATA, A_CLOSE, A_BEL, A_AGAIN, A_DROP };

struct step { unsigned char action, next; };

#define TO(a, s) { A_##a, s }

/* What every state does alike: controls execute in place, CAN and SUB abort, ESC starts over,
 * DEL is nothing, and a byte of 0x80-0xff ends a broken sequence and is text. */
#define COMMON(here) \
	[C_CTRL] = TO(EXEC, here), [C_BEL] = TO(EXEC, here), [C_ABORT] = TO(ABORT, GROUND), \
	[C_ESC] = TO(CLEAR, ESCAPE), [C_DEL] = TO(NONE, here), [C_HIGH] = TO(AGAIN, GROUND)
#define FINALS(a, s) \
	[C_FINAL] = TO(a, s), [C_LBRACKET] = TO(a, s), [C_STRING] = TO(a, s), [C_BACKSLASH] = TO(a, s)
#define PARAMS(a, s) \
	[C_DIGIT] = TO(a, s), [C_COLON] = TO(a, s), [C_SEMI] = TO(a, s), [C_PRIV] = TO(a, s)

static const struct step machine[STATES][CLASSES] = {
	[ESCAPE] = {
		COMMON(ESCAPE),
		[C_INTER] = TO(INTER, ESC_INTER), PARAMS(ESC, GROUND),
		[C_FINAL] = TO(ESC, GROUND), [C_BACKSLASH] = TO(ESC, GROUND),
		[C_LBRACKET] = TO(NONE, CSI_ENTRY), [C_STRING] = TO(OPEN, STRING),
	},
	[ESC_INTER] = {
		COMMON(ESC_INTER),
		[C_INTER] = TO(INTER, ESC_INTER), PARAMS(ESC, GROUND), FINALS(ESC, GROUND),
	},
	[CSI_ENTRY] = {
		COMMON(CSI_ENTRY),
		[C_INTER] = TO(INTER, CSI_INTER), [C_DIGIT] = TO(DIGIT, CSI_PARAM), [C_COLON] = TO(SUB, CSI_PARAM),
		[C_SEMI] = TO(NEXT, CSI_PARAM), [C_PRIV] = TO(LEADER, CSI_PARAM), FINALS(CSI, GROUND),
	},
	[CSI_PARAM] = {
		COMMON(CSI_PARAM),
		[C_INTER] = TO(INTER, CSI_INTER), [C_DIGIT] = TO(DIGIT, CSI_PARAM), [C_COLON] = TO(SUB, CSI_PARAM),
		[C_SEMI] = TO(NEXT, CSI_PARAM), [C_PRIV] = TO(NONE, CSI_IGNORE), FINALS(CSI, GROUND),
	},
	[CSI_INTER] = {
		COMMON(CSI_INTER),
		[C_INTER] = TO(INTER, CSI_INTER), PARAMS(NONE, CSI_IGNORE), FINALS(CSI, GROUND),
	},
	[CSI_IGNORE] = {
		COMMON(CSI_IGNORE),
		[C_INTER] = TO(NONE, CSI_IGNORE), PARAMS(NONE, CSI_IGNORE), FINALS(NONE, GROUND),
	},
	/* In a string everything but its end is data. Controls are not: a payload with them is damaged. */
	[STRING] = {
		[C_CTRL] = TO(DATA, STRING), [C_BEL] = TO(BEL, STRING), [C_ABORT] = TO(DROP, GROUND),
		[C_ESC] = TO(NONE, STRING_ESC), [C_INTER] = TO(DATA, STRING), PARAMS(DATA, STRING),
		FINALS(DATA, STRING), [C_DEL] = TO(DATA, STRING), [C_HIGH] = TO(DATA, STRING),
	},
	/* Only ESC \ ends a string. Any other ESC aborts it and begins a sequence of its own. */
	[STRING_ESC] = {
		[C_CTRL] = TO(DROP, ESCAPE), [C_BEL] = TO(DROP, ESCAPE), [C_ABORT] = TO(DROP, GROUND),
		[C_ESC] = TO(DROP, ESCAPE), [C_INTER] = TO(DROP, ESCAPE), PARAMS(DROP, ESCAPE),
		[C_FINAL] = TO(DROP, ESCAPE), [C_LBRACKET] = TO(DROP, ESCAPE), [C_STRING] = TO(DROP, ESCAPE),
		[C_BACKSLASH] = TO(CLOSE, GROUND), [C_DEL] = TO(DROP, ESCAPE), [C_HIGH] = TO(DROP, GROUND),
	},
};

static const unsigned char class_of[256] = {
	[0x00 ... 0x06] = C_CTRL, [0x07] = C_BEL, [0x08 ... 0x17] = C_CTRL, [0x18] = C_ABORT, [0x19] = C_CTRL,
	[0x1a] = C_ABORT, [0x1b] = C_ESC, [0x1c ... 0x1f] = C_CTRL, [0x20 ... 0x2f] = C_INTER,
	['0' ... '9'] = C_DIGIT, [':'] = C_COLON, [';'] = C_SEMI, ['<' ... '?'] = C_PRIV,
	['@' ... 'O'] = C_FINAL, ['P'] = C_STRING, ['Q' ... 'W'] = C_FINAL, ['X'] = C_STRING, ['Y' ... 'Z'] = C_FINAL,
	['['] = C_LBRACKET, ['\\'] = C_BACKSLASH, [']' ... '_'] = C_STRING, ['`' ... '~'] = C_FINAL,
	[0x7f] = C_DEL, [0x80 ... 0xff] = C_HIGH,
};

struct seq_parser {
	seq_fn		*fn;		/* borrowed */
	void		*arg;		/* borrowed */
	enum state	 state;
	struct seq	 s;		/* being collected */
	unsigned	 ninter;	/* more than 2: the sequence is dropped at its end */
	struct buf	 string;	/* owned; payload so far */
	bool		 too_long;
	unsigned char	 part[4];	/* a character whose bytes are not all here yet */
	unsigned	 npart;
};

struct seq_parser *seq_new(seq_fn *fn, void *arg)
{
	struct seq_parser *p = xcalloc(1, sizeof(*p));

	p->fn = fn;
	p->arg = arg;
	buf_init(&p->string, SEQ_STRING_MAX);
	return p;
}

void seq_free(struct seq_parser *p)
{
	if (!p)
		return;
	buf_done(&p->string);
	free(p);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void emit_text(struct seq_parser *p, const char *s, size_t len)
{
	struct seq t;

	if (!len)
		return;
	t.kind = SEQ_TEXT;
	t.text = s;
	t.len = len;
	p->fn(p->arg, &t);
}

/* Bytes of the character that @c begins, and the range of its second byte (RFC 3629,
 * no overlong forms, no surrogates). 0: no character begins so. */
static unsigned utf8_lead(unsigned char c, unsigned char *lo, unsigned char *hi)
{
	*lo = 0x80;
	*hi = 0xbf;
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if (c >= 0xe0 && c <= 0xef) {
		if (c == 0xe0)
			*lo = 0xa0;
		if (c == 0xed)
			*hi = 0x9f;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		if (c == 0xf0)
			*lo = 0x90;
		if (c == 0xf4)
			*hi = 0x8f;
		return 4;
	}
	return 0;
}

/* How much of @s is one character. *@whole: all of it; else the bytes are a broken beginning
 * (or, when they are all of @len, one that may go on). At least 1. */
static unsigned utf8_scan(const unsigned char *s, size_t len, bool *whole)
{
	unsigned char lo, hi;
	unsigned need = utf8_lead(s[0], &lo, &hi), n = 1;

	*whole = false;
	if (!need)
		return 1;
	for (; n < need && n < len; n++) {
		if (s[n] < lo || s[n] > hi)
			return n;
		lo = 0x80;
		hi = 0xbf;
	}
	*whole = n == need;
	return n;
}

static bool utf8_may_go_on(const unsigned char *s, unsigned n)
{
	unsigned char lo, hi;

	return n < utf8_lead(s[0], &lo, &hi);
}

/* Length of the run of printable ASCII. Eight bytes at a time: no byte below 0x20, none of 0x7f or above. */
static size_t ascii_run(const unsigned char *s, size_t len)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		uint64_t w;

		memcpy(&w, s + i, 8);
		/* Borrow marks bytes < 0x20, carry marks 0x7f; a byte with its high bit set marks itself. */
		if (((w - ones * 0x20) | (w + ones) | w) & high)
			break;
	}
	while (i < len && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

/* The rest of a character that was cut by the end of an earlier feed. Returns bytes used. */
static size_t finish_part(struct seq_parser *p, const unsigned char *s, size_t len)
{
	size_t used = 0;
	bool whole = false;
	unsigned n = p->npart;

	while (used < len && n < sizeof(p->part)) {
		p->part[n] = s[used];
		if (utf8_scan(p->part, n + 1, &whole) != n + 1)
			break;
		n++;
		used++;
		if (whole)
			break;
	}
	if (!whole && used == len && utf8_may_go_on(p->part, n)) {
		p->npart = n;
		return used;
	}
	p->npart = 0;
	emit_text(p, whole ? (const char *)p->part : "\xef\xbf\xbd", whole ? n : 3);
	return used;
}

/* Hand on text from @s until a byte that is not text. Returns bytes used. */
static size_t text(struct seq_parser *p, const unsigned char *s, size_t len)
{
	size_t from = 0, i = 0;

	while (i < len) {
		bool whole;
		unsigned n;

		i += ascii_run(s + i, len - i);
		if (i >= len || s[i] < 0x80)
			break;
		n = utf8_scan(s + i, len - i, &whole);
		if (whole) {
			i += n;
			continue;
		}
		emit_text(p, (const char *)s + from, i - from);
		if (i + n == len && utf8_may_go_on(s + i, n)) {
			memcpy(p->part, s + i, n);
			p->npart = n;
			return len;
		}
		emit_text(p, "\xef\xbf\xbd", 3);
		i += n;
		from = i;
	}
	emit_text(p, (const char *)s + from, i - from);
	return i;
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void clear(struct seq_parser *p)
{
	struct seq *s = &p->s;

	s->leader = s->final = 0;
	s->inter[0] = s->inter[1] = 0;
	s->nparam = 0;
	s->overflow = false;
	s->text = NULL;
	s->len = 0;
	p->ninter = 0;
}

static void emit(struct seq_parser *p, enum seq_kind kind, unsigned char final)
{
	if (p->ninter > 2)
		return;
	p->s.kind = kind;
	p->s.final = (char)final;
	p->fn(p->arg, &p->s);
}

static void control(struct seq_parser *p, unsigned char c)
{
	struct seq t;

	t.kind = SEQ_CTRL;
	t.final = (char)c;
	t.text = NULL;
	t.len = 0;
	p->fn(p->arg, &t);
}

static void param_open(struct seq_parser *p, bool sub)
{
	if (p->s.nparam == SEQ_PARAM_MAX) {
		p->s.overflow = true;
		return;
	}
	p->s.param[p->s.nparam] = -1;
	p->s.sub[p->s.nparam++] = sub;
}

static void param_digit(struct seq_parser *p, unsigned char c)
{
	int *v;

	if (!p->s.nparam)
		param_open(p, false);
	if (p->s.overflow)
		return;
	v = &p->s.param[p->s.nparam - 1];
	*v = MIN(MAX(*v, 0) * 10 + (c - '0'), SEQ_NUM_MAX);
}

static void param_next(struct seq_parser *p, bool sub)
{
	if (!p->s.nparam)
		param_open(p, false);	/* the empty one before the separator */
	param_open(p, sub);
}

static void intermediate(struct seq_parser *p, unsigned char c)
{
	if (p->ninter < 2)
		p->s.inter[p->ninter] = (char)c;
	p->ninter += p->ninter < 3;
}

static enum seq_kind string_kind(unsigned char c)
{
	switch (c) {
	case ']': return SEQ_OSC;
	case 'P': return SEQ_DCS;
	case '_': return SEQ_APC;
	case '^': return SEQ_PM;
	default: return SEQ_SOS;
	}
}

static void string_open(struct seq_parser *p, unsigned char c)
{
	clear(p);
	p->s.kind = string_kind(c);
	buf_clear(&p->string);
	p->too_long = false;
}

/* C0 in a payload is left out; a DCS may carry it. */
static void string_data(struct seq_parser *p, const unsigned char *s, size_t len)
{
	if (len == 1 && s[0] < 0x20 && p->s.kind != SEQ_DCS)
		return;
	if (!p->too_long && buf_add(&p->string, s, len) < 0)
		p->too_long = true;
}

static void string_drop(struct seq_parser *p)
{
	buf_clear(&p->string);
	/* One huge payload must not hold its memory for the life of the pane. */
	if (p->string.cap > 65536) {
		buf_done(&p->string);
		buf_init(&p->string, SEQ_STRING_MAX);
	}
}

static void string_close(struct seq_parser *p)
{
	if (!p->too_long) {
		p->s.text = buf_str(&p->string);
		p->s.len = p->string.len;
		p->fn(p->arg, &p->s);
	}
	string_drop(p);
}

/* Payload up to the next control byte in one go. */
static size_t string_run(struct seq_parser *p, const unsigned char *s, size_t len)
{
	size_t i = 0;

	while (i < len && s[i] >= 0x20)
		i++;
	if (i)
		string_data(p, s, i);
	return i;
}

/* One byte through the table. False: the byte is to be looked at again in the new state. */
static bool step(struct seq_parser *p, unsigned char c)
{
	const struct step *t = &machine[p->state][class_of[c]];

	p->state = t->next;
	switch ((enum action)t->action) {
	case A_NONE: break;
	case A_EXEC: control(p, c); break;
	case A_CLEAR: clear(p); break;
	case A_ABORT: break;
	case A_INTER: intermediate(p, c); break;
	case A_DIGIT: param_digit(p, c); break;
	case A_NEXT: param_next(p, false); break;
	case A_SUB: param_next(p, true); break;
	case A_LEADER: p->s.leader = (char)c; break;
	case A_ESC: emit(p, SEQ_ESC, c); break;
	case A_CSI: emit(p, SEQ_CSI, c); break;
	case A_OPEN: string_open(p, c); break;
	case A_DATA: string_data(p, &c, 1); break;
	case A_CLOSE: string_close(p); break;
	case A_BEL:
		/* xterm's habit, for OSC only; elsewhere BEL is a control in the payload. */
		if (p->s.kind == SEQ_OSC) {
			p->state = GROUND;
			string_close(p);
		} else {
			string_data(p, &c, 1);
		}
		break;
	case A_DROP:
		string_drop(p);
		clear(p);
		return p->state == GROUND && class_of[c] == C_ABORT;
	case A_AGAIN:
		return false;
	}
	return true;
}

static size_t ground(struct seq_parser *p, const unsigned char *s, size_t len)
{
	if (s[0] == 0x1b) {
		clear(p);
		p->state = ESCAPE;
		return 1;
	}
	if (s[0] < 0x20) {
		if (class_of[s[0]] != C_ABORT)
			control(p, s[0]);
		return 1;
	}
	if (s[0] == 0x7f)
		return 1;
	return text(p, s, len);
}

void seq_feed(struct seq_parser *p, const char *data, size_t len)
{
	const unsigned char *s = (const unsigned char *)data;
	size_t i = 0;

	if (p->npart)
		i = finish_part(p, s, len);
	while (i < len) {
		if (p->state == GROUND)
			i += ground(p, s + i, len - i);
		else if (p->state == STRING && s[i] >= 0x20)
			i += string_run(p, s + i, len - i);
		else
			i += step(p, s[i]);
	}
}

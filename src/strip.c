#include "strip.h"

#include <string.h>

#include "term/osc.h"

#define OSC_HOLD	(2u << 20)	/* a longer one is no mark and passes */

enum state { TEXT = 0, ESC, OSC, OSC_ESC };

struct strip {
	strip_out_fn		*out;
	strip_mark_fn		*mark;
	void			*arg;
	struct seq_parser	*seq;		/* safe only */
	enum state		 state;
	struct buf		 held;		/* payload of an OSC that may be a mark */
	struct buf		 tmp;
};

/* True when the payload was a mark; it is handed out. */
static bool take_mark(struct strip *s, const char *p, size_t len)
{
	const char *rest;
	size_t nrest;
	int number = osc_number(p, len, &rest, &nrest);
	struct mark m = { .status = -1 };

	if (number != 133 && number != 633)
		return false;
	buf_clear(&s->tmp);
	if (osc_mark(number, rest, nrest, &m, &s->tmp))
		s->mark(s->arg, &m);
	return true;		/* one that cannot be read is of no use to anybody either */
}

/* ---- safe --------------------------------------------------------------------------------------- */

static void put_csi(struct strip *s, const struct seq *q)
{
	struct buf b;

	/* Colour, erase, and moves within the line or up: what progress bars need. */
	if (q->leader || q->inter[0] || q->overflow || !strchr("mKJABCDGH", q->final))
		return;
	buf_init(&b, 4096);
	buf_adds(&b, "\033[");
	for (unsigned i = 0; i < q->nparam; i++) {
		if (i)
			buf_addc(&b, q->sub[i] ? ':' : ';');
		if (q->param[i] >= 0)
			buf_addf(&b, "%d", q->param[i]);
	}
	buf_addc(&b, q->final);
	s->out(s->arg, b.data, b.len);
	buf_done(&b);
}

static void on_seq(void *arg, const struct seq *q)
{
	struct strip *s = arg;

	switch (q->kind) {
	case SEQ_TEXT:
		s->out(s->arg, q->text, q->len);
		break;
	case SEQ_CTRL:
		if (q->final && strchr("\n\r\t\b", q->final))
			s->out(s->arg, &q->final, 1);
		break;
	case SEQ_CSI:
		put_csi(s, q);
		break;
	case SEQ_OSC:
		take_mark(s, q->text, q->len);
		break;
	case SEQ_ESC:
	case SEQ_DCS:
	case SEQ_APC:
	case SEQ_PM:
	case SEQ_SOS:
		break;
	}
}

/* ---- raw ---------------------------------------------------------------------------------------- */

/* Could what is held still become "133;..." or "633;..."? */
static bool may_be_mark(const struct buf *b)
{
	static const char *const start[] = { "133;", "633;" };

	for (size_t i = 0; i < ARRAY_SIZE(start); i++) {
		if (strncmp(buf_str(b), start[i], MIN(b->len, (size_t)4)) == 0)
			return true;
	}
	return false;
}

static void pass_held(struct strip *s, const char *end)
{
	s->out(s->arg, "\033]", 2);
	s->out(s->arg, buf_str(&s->held), s->held.len);
	s->out(s->arg, end, strlen(end));
	buf_clear(&s->held);
	s->state = TEXT;
}

static void osc_end(struct strip *s, const char *end)
{
	if (!take_mark(s, buf_str(&s->held), s->held.len)) {
		pass_held(s, end);
		return;
	}
	buf_clear(&s->held);
	s->state = TEXT;
}

static void in_osc(struct strip *s, char c)
{
	if (c == '\a')
		osc_end(s, "\a");
	else if (c == '\033')
		s->state = OSC_ESC;
	else if (buf_addc(&s->held, c) < 0 || !may_be_mark(&s->held)) {
		char last[2] = { s->held.full ? c : '\0', '\0' };

		pass_held(s, last);
	}
}

/* One byte outside of plain text. */
static void step(struct strip *s, char c)
{
	switch (s->state) {
	case TEXT:
		s->state = ESC;
		break;
	case ESC:
		if (c == ']') {
			buf_clear(&s->held);
			s->state = OSC;
			break;
		}
		s->out(s->arg, "\033", 1);
		s->state = c == '\033' ? ESC : TEXT;
		if (c != '\033')
			s->out(s->arg, &c, 1);
		break;
	case OSC:
		in_osc(s, c);
		break;
	case OSC_ESC:
		if (c == '\\') {
			osc_end(s, "\033\\");
			break;
		}
		pass_held(s, "");	/* broken off: the escape begins something else */
		s->state = ESC;
		step(s, c);
		break;
	}
}

static void feed_raw(struct strip *s, const char *data, size_t len)
{
	while (len) {
		const char *esc = s->state == TEXT ? memchr(data, '\033', len) : data;
		size_t plain = esc ? (size_t)(esc - data) : len;

		if (plain)
			s->out(s->arg, data, plain);
		if (!esc)
			return;
		step(s, *esc);
		len -= plain + 1;
		data = esc + 1;
	}
}

/* ---- both --------------------------------------------------------------------------------------- */

struct strip *strip_new(bool safe, strip_out_fn *out, strip_mark_fn *mark, void *arg)
{
	struct strip *s = xcalloc(1, sizeof(*s));

	*s = (struct strip){ .out = out, .mark = mark, .arg = arg };
	buf_init(&s->held, OSC_HOLD);
	buf_init(&s->tmp, OSC_HOLD);
	if (safe)
		s->seq = seq_new(on_seq, s);
	return s;
}

void strip_free(struct strip *s)
{
	if (!s)
		return;
	seq_free(s->seq);
	buf_done(&s->held);
	buf_done(&s->tmp);
	free(s);
}

void strip_feed(struct strip *s, const char *data, size_t len)
{
	if (s->seq)
		seq_feed(s->seq, data, len);
	else
		feed_raw(s, data, len);
}

void strip_end(struct strip *s)
{
	if (s->state == ESC)
		s->out(s->arg, "\033", 1);
	else if (s->state != TEXT)
		pass_held(s, s->state == OSC_ESC ? "\033" : "");
	s->state = TEXT;
}

#include "strip.h"
#include "tap.h"

static char out[4096];
static size_t nout;
static unsigned marks;
static char last[64];

static void on_out(void *arg, const char *s, size_t len)
{
	(void)arg;
	if (nout + len < sizeof(out)) {
		memcpy(out + nout, s, len);
		nout += len;
		out[nout] = '\0';
	}
}

static void on_mark(void *arg, const struct mark *m)
{
	(void)arg;
	marks++;
	snprintf(last, sizeof(last), "%d/%d/%s", m->kind, m->status, m->nonce ? m->nonce : "-");
}

static const struct { const char *in, *raw, *safe; unsigned marks; } cases[] = {
	{ "plain\r\n", "plain\r\n", "plain\r\n", 0 },
	{ "a\033]133;C\ab", "ab", "ab", 1 },
	{ "a\033]133;D;7\033\\b", "ab", "ab", 1 },
	{ "\033]633;E;ls;nonce\a", "", "", 1 },
	{ "\033]633;what is this\a", "", "", 0 },
	{ "\033]52;c;aGk=\a", "\033]52;c;aGk=\a", "", 0 },
	{ "\033]0;title\033\\x", "\033]0;title\033\\x", "x", 0 },
	{ "\033[1;31mred\033[m", "\033[1;31mred\033[m", "\033[1;31mred\033[m", 0 },
	{ "\033[6n\033[?1049h\033c", "\033[6n\033[?1049h\033c", "", 0 },
	{ "\033]13", "\033]13", "", 0 },
	{ "\033]133;A\033[31mx", "\033]133;A\033[31mx", "\033[31mx", 0 },
	{ "\033\033]133;C\aq", "\033q", "q", 1 },
	{ "\033P1$r0m\033\\y", "\033P1$r0m\033\\y", "y", 0 },
};

static void feed(bool safe, const char *s, size_t len, size_t cut)
{
	struct strip *st = strip_new(safe, on_out, on_mark, NULL);

	nout = 0;
	out[0] = '\0';
	marks = 0;
	strip_feed(st, s, cut);
	strip_feed(st, s + cut, len - cut);
	strip_end(st);
	strip_free(st);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].in);
		bool same = true;

		for (size_t cut = 0; cut <= len; cut++) {
			feed(false, cases[i].in, len, cut);
			same &= strcmp(out, cases[i].raw) == 0 && marks == cases[i].marks;
			feed(true, cases[i].in, len, cut);
			same &= strcmp(out, cases[i].safe) == 0 && marks == cases[i].marks;
		}
		feed(false, cases[i].in, len, 0);
		is_str(out, cases[i].raw, "raw");
		feed(true, cases[i].in, len, 0);
		is_str(out, cases[i].safe, "safe");
		ok(same, "the same however it is cut");
	}
	feed(false, "\033]133;D;7\a", 10, 3);
	ok(strstr(last, "/7/") != NULL, "the status of the mark");
	return tap_done();
}

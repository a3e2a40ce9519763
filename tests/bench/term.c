/* How fast output goes into a pane: MB for each second of processor time of pane_write() for plain text, text with attributes on nearly every
 * word, text in many scripts, and a program that repaints a block of lines. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "term/pane.h"

#define BLOCK	4096		/* bytes a write, as from a PTY */
#define SIZE	(8u << 20)	/* bytes of one kind */

static uint32_t seed;

static uint32_t roll(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void letters(struct buf *b, uint32_t n)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789     .,;:-_/()[]{}<>";

	while (n--)
		buf_addc(b, set[roll(sizeof(set) - 1)]);
}

static void plain(struct buf *b)
{
	letters(b, 20 + roll(59));
	buf_adds(b, "\r\n");
}

static void sgr(struct buf *b)
{
	for (int i = 0; i < 14; i++) {
		switch (roll(5)) {
		case 0: buf_addf(b, "\033[%um", 30 + roll(8)); break;
		case 1: buf_addf(b, "\033[38;5;%um", roll(256)); break;
		case 2: buf_addf(b, "\033[38;2;%u;%u;%um", roll(256), roll(256), roll(256)); break;
		case 3: buf_addf(b, "\033[48;5;%u;1m", roll(256)); break;
		default: buf_adds(b, "\033[0m");
		}
		letters(b, 1 + roll(8));
	}
	buf_adds(b, "\r\n");
}

static void scripts(struct buf *b)
{
	static const char *const words[] = { "\xc5\xbc\xc3\xb3\xc5\x82\xc4\x87", "na\xc3\xafve", "\xd1\x80\xd1\x83\xd1\x81",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "plain", "\xe2\x94\x80\xe2\x94\x82\xe2\x94\x8c\xe2\x94\x90",
		"\xf0\x9f\x98\x80", "e\xcc\x81" };

	for (uint32_t n = 3 + roll(6); n; n--) {
		buf_adds(b, words[roll(ARRAY_SIZE(words))]);
		buf_addc(b, ' ');
	}
	buf_adds(b, "\r\n");
}

static void repaint(struct buf *b)
{
	buf_adds(b, "\033[?2026h\033[20A");
	for (int i = 0; i < 20; i++) {
		buf_addf(b, "\033[2K\033[38;5;%um", roll(256));
		letters(b, 70);
		buf_adds(b, "\033[0m\r\n");
	}
	buf_adds(b, "\033[?2026l");
}

static const struct { const char *name; void (*fn)(struct buf *b); } kinds[] = {
	{ "plain", plain }, { "sgr", sgr }, { "scripts", scripts }, { "repaint", repaint },
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double measure(const struct buf *b, int rows, int cols)
{
	struct pane *p = pane_new(rows, cols, 2000, NULL);
	double t = now();

	for (size_t i = 0; i < b->len; i += BLOCK)
		pane_write(p, b->data + i, MIN((size_t)BLOCK, b->len - i));
	t = now() - t;
	pane_free(p);
	return (double)b->len / 1e6 / t;
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		double best = 0;
		struct buf b;

		seed = 7;
		buf_init(&b, SIZE + 65536);
		while (b.len < SIZE)
			kinds[i].fn(&b);
		for (int k = 0; k < 5; k++) {
			double mbs = measure(&b, 24, 80);

			best = mbs > best ? mbs : best;
		}
		printf("pane_write %-8s %7.1f MB/s\n", kinds[i].name, best);
		buf_done(&b);
	}
	return 0;
}

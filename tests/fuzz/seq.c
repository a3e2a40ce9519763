/* Any input, cut anywhere, gives the same sequences as when it is fed byte by byte, and each is within its bounds. */
#include <string.h>

#include "term/seq.h"

struct sum { uint64_t h; bool in_text; };

static void add(struct sum *s, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		s->h = (s->h ^ b[i]) * 1099511628211u;
}

static void on_seq(void *arg, const struct seq *s)
{
	struct sum *sum = arg;

	if (s->kind != SEQ_TEXT || !sum->in_text)
		add(sum, &s->kind, sizeof(s->kind));
	sum->in_text = s->kind == SEQ_TEXT;
	if (s->kind != SEQ_TEXT && s->kind != SEQ_CTRL)
		add(sum, &s->leader, 1);
	if (s->kind != SEQ_TEXT)
		add(sum, &s->final, 1);
	if (s->kind == SEQ_CSI) {
		if (s->nparam > SEQ_PARAM_MAX)
			abort();
		for (unsigned i = 0; i < s->nparam; i++) {
			if (s->param[i] < -1 || s->param[i] > SEQ_NUM_MAX)
				abort();
		}
		add(sum, s->param, s->nparam * sizeof(s->param[0]));
		add(sum, s->sub, s->nparam);
	}
	if (s->kind == SEQ_TEXT || s->kind >= SEQ_OSC) {
		if (s->len > SEQ_STRING_MAX && s->kind != SEQ_TEXT)
			abort();
		add(sum, s->text, s->len);
	}
}

static uint64_t run(const uint8_t *data, size_t size, size_t step)
{
	struct sum sum = { 14695981039346656037u, false };
	struct seq_parser *p = seq_new(on_seq, &sum);

	for (size_t i = 0; i < size; i += step)
		seq_feed(p, (const char *)data + i, MIN(step, size - i));
	seq_free(p);
	return sum.h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole = run(data, size, size ? size : 1);

	if (run(data, size, 1) != whole || run(data, size, 3) != whole)
		abort();
	return 0;
}

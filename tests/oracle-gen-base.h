/* tests/oracle-gen-base.h - the dice and the pen of the line generators: the same seed gives the same lines */
#ifndef TESTS_ORACLE_GEN_BASE_H
#define TESTS_ORACLE_GEN_BASE_H

#include <stdint.h>

#include "base/buf.h"

struct gen {
	uint64_t	 seed;
	struct buf	*out;
	unsigned	 depth;
	unsigned	 loops;
};

static unsigned gen_roll(struct gen *g, unsigned n)
{
	g->seed ^= g->seed << 13;
	g->seed ^= g->seed >> 7;
	g->seed ^= g->seed << 17;
	return (unsigned)((g->seed >> 11) % n);
}

/* For line number @i of @seed; @out is emptied. */
static struct gen gen_start(struct buf *out, uint64_t seed, uint64_t i)
{
	struct gen g = { .seed = (seed + i) * 0x9e3779b97f4a7c15u + 1, .out = out };

	buf_clear(out);
	for (int k = 0; k < 8; k++)
		gen_roll(&g, 2);
	return g;
}

static void gen_put(struct gen *g, const char *s)
{
	buf_adds(g->out, s);
}

static void gen_one_of(struct gen *g, const char *const *list, unsigned n)
{
	gen_put(g, list[gen_roll(g, n)]);
}

#define GEN_ONE(g, ...) do { \
	static const char *const gen_list[] = { __VA_ARGS__ }; \
	gen_one_of((g), gen_list, (unsigned)(sizeof(gen_list) / sizeof(*gen_list))); \
} while (0)

#endif /* TESTS_ORACLE_GEN_BASE_H */

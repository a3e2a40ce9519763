/* libFuzzer: our reading of a line beside tree-sitter's. Where they differ the line is asked, which is no
 * fault; each such line is printed, for a look at who is right (`bash -n` knows). */
#include <stdio.h>

#include "intercept/readings.h"

#define PRINTED 200

/* Bytes that nobody types are asked for anyway, or should be. */
static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < 32 && text[i] != '\n' && text[i] != '\t')
			return false;
	}
	return true;
}

static void print(const char *text, size_t len, size_t where)
{
	static unsigned printed;

	if (is_plain(text, len) && printed++ < PRINTED)
		fprintf(stderr, "DIFFER at %zd: %.*s\n", (ssize_t)where, (int)len, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct parse_marks marks = { 0 };
	struct parse_in in = { .arena = &a, .text = (const char *)data, .len = size, .marks = &marks };
	struct parse_out out;
	size_t where = 0;

	arena_init(&a, 8u << 20);
	parse_text(&in, &out);
	if (!out.failed && readings_compare(&marks, &where) == READINGS_DIFFER)
		print(in.text, size, where);
	arena_done(&a);
	return 0;
}

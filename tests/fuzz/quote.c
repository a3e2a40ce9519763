/* Any bytes at any width: the output is valid, without controls, within its columns, its spans in order. */
#include <stdlib.h>

#include "base/quote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t max = size ? data[0] : 0, cols = 0, used, last = 0;
	struct quoted q;

	quote_text(&q, (const char *)data, size, max);
	for (size_t i = 0; i < q.text.len; i += used) {
		uint32_t cp;

		used = quote_utf8(q.text.data + i, q.text.len - i, &cp);
		if (quote_width(cp) < 0)
			abort();
		cols += (size_t)quote_width(cp);
	}
	if (max && cols > max)
		abort();
	for (size_t i = 0; i < q.nspan; i++) {
		if (q.span[i].from < last || q.span[i].to > q.text.len)
			abort();
		last = q.span[i].to;
	}
	quoted_done(&q);
	return 0;
}

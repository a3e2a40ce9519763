/* Any bytes as Python (first byte even) or JavaScript code that a line runs. */
#include "dialect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const head[] = { "python3 - <<'END'\n", "node - <<'END'\n" };
	CLEANUP(cleanup_freep) char *line = NULL;
	size_t n;

	if (!size)
		return 0;
	n = strlen(head[data[0] & 1]);
	line = xcalloc(1, n + size + 5);
	memcpy(line, head[data[0] & 1], n);
	memcpy(line + n, data + 1, size - 1);
	memcpy(line + n + size - 1, "\nEND\n", 5);
	return dialect_fuzz(DIALECT_BASH, "/work/proj", "/home/dev", (const uint8_t *)line, n + size + 4);
}

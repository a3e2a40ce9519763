/* Any bytes as a fish line: a verdict within bounds, whose blame lies in the line. */
#include "dialect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return dialect_fuzz(DIALECT_FISH, "/work/proj", "/home/dev", data, size);
}

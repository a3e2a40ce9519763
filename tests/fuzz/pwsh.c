/* Any bytes as a PowerShell line: a verdict within bounds, whose blame lies in the line. */
#include "dialect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return dialect_fuzz(DIALECT_POWERSHELL, "C:\\work\\proj", "C:\\Users\\dev", data, size);
}

/* Any bytes: the strict reader, and what it takes prints and reads back as the same. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "conf/jsonc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jsonc *c = NULL;
	struct err e;
	size_t at;
	json *j = json_parse((const char *)data, size, &at, &e);

	if (j) {
		char *once = json_print(j), *twice;
		json *again = json_parse(once, strlen(once), NULL, &e);

		if (!again)
			abort();
		twice = json_print(again);
		if (strcmp(once, twice) != 0)
			abort();
		free(twice);
		free(once);
		json_free(again);
		json_free(j);
	}
	if (jsonc_parse("f", (const char *)data, size, NULL, &c, &e) < 0 && j)
		abort();		/* what is JSON is JSON with comments */
	jsonc_free(c);
	return 0;
}

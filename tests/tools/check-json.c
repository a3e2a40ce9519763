/* tests/tools/check-json.c - are these files good JSON, and as their schema says?
 *
 *   check-json [-s SCHEMA] FILE...	prints each mistake as file:line:column; exit 1 when there was one
 */
#include <stdio.h>
#include <unistd.h>

#include "conf/jsonc.h"

int main(int argc, char **argv)
{
	const char *schema = NULL;
	int opt, bad = 0;

	while ((opt = getopt(argc, argv, "s:")) != -1) {
		if (opt != 's')
			return 2;
		schema = optarg;
	}
	for (int i = optind; i < argc; i++) {
		struct jsonc *c = NULL;
		struct err e;

		if (jsonc_load(argv[i], schema, &c, &e) < 0) {
			puts(e.msg);
			bad = 1;
		}
		jsonc_free(c);
	}
	return bad;
}

#include <stdio.h>

#include "catalog.h"
#include "check.h"
#include "client.h"
#include "options.h"
#include "run.h"

#define EXIT_OURS 125	/* sbxterm itself failed */

typedef int command_fn(const struct options *o, struct err *e);

static command_fn *const command[CMD_COUNT] = {
	[CMD_NEW] = client_new, [CMD_ATTACH] = client_attach, [CMD_LS] = client_ls, [CMD_KILL] = client_kill,
	[CMD_RUN] = run_main, [CMD_CHECK] = check_main,
	[CMD_PROGRAMS] = catalog_main,
};

static int fail(const struct err *e)
{
	fprintf(stderr, "sbxterm: %s\n", e->msg);
	return EXIT_OURS;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e = { 0 };
	int rc;

	if (options_parse(argc, argv, &o, &e) < 0)
		return fail(&e);
	if (o.help) {
		options_help(stdout, &o, o.command == CMD_NEW);
		return 0;
	}
	if (o.version) {
		puts("sbxterm " SBXTERM_VERSION);
		return 0;
	}
	rc = command[o.command](&o, &e);
	return rc < 0 ? fail(&e) : rc;
}

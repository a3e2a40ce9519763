/* src/options.h - the command line: one table of commands, one of options
 *
 * Long options take "--name value" or "--name=value", short ones "-n value" or "-nvalue" and can be joined.
 * "--" ends them; what follows is ->rest. A mistake is one sentence with the nearest right word.
 */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include <stdio.h>

#include "base/err.h"

enum command { CMD_NEW = 0, CMD_ATTACH, CMD_LS, CMD_KILL, CMD_RUN, CMD_CHECK, CMD_PROGRAMS, CMD_COUNT };

struct options {
	enum command	 command;
	bool		 help, version, detach, json, explain, errexit, batch;
	const char	*session, *dir, *profile, *policy;
	const char	*dialect, *vars, *git_state;
	const char	*file, *record, *transcript, *on_ask;
	char		**rest;		/* words behind the options; borrowed from argv */
	int		 nrest;
};

int options_parse(int argc, char **argv, struct options *out, struct err *e);
/* --help: of the program when @all, else of ->command. */
void options_help(FILE *f, const struct options *o, bool all);
/* The nearest of @n names to @word, or NULL when none is near. */
const char *options_nearest(const char *word, const char *const *name, size_t n);

#endif /* SRC_OPTIONS_H */

/* intercept/tasks.h - make targets and package scripts: read, and judged as what they run
 *
 * Explicit rules of a makefile with what they depend on, and scripts of package.json.
 * What make's functions would give is not known. At most TASKS_TARGETS targets and the
 * script files that effects.c allows for one line.
 */
#ifndef INTERCEPT_TASKS_H
#define INTERCEPT_TASKS_H

#include "intercept/args.h"
#include "intercept/effects.h"

#define TASKS_TARGETS	64
#define TASKS_BYTES	(256u << 10)	/* of a makefile or package.json */

int tasks_make(struct effects *fx, const struct args *a);
/* "build" runs prebuild, build, postbuild, as far as they are there. */
int tasks_script(struct effects *fx, const struct args *a, const char *name);

#endif /* INTERCEPT_TASKS_H */

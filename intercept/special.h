/* intercept/special.h - programs whose grammar tables cannot say
 *
 * A data file names a hook in "special". The hook gets the words already read by
 * the table and adds effects; it calls effects_tables() where the tables are to be
 * used too.
 */
#ifndef INTERCEPT_SPECIAL_H
#define INTERCEPT_SPECIAL_H

#include "intercept/effects.h"

typedef int special_fn(struct effects *fx, const struct args *a);

special_fn *special_find(const char *name);	/* NULL: no such hook */
special_fn *gitfx_find(const char *name);	/* the ones of git, in gitfx.c */

#endif /* INTERCEPT_SPECIAL_H */

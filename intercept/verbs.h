/* intercept/verbs.h - tools whose words say what they do: cloud and database tools, task runners
 *
 * Their grammars differ, but a verb among the operands ("delete-table", "db:drop",
 * "deploy", "list") tells reading from changing. One table of hooks, each with
 * the words that are harmless or the ones that are not.
 */
#ifndef INTERCEPT_VERBS_H
#define INTERCEPT_VERBS_H

#include "intercept/special.h"

/* Runs the hook @name on @a; 1 when there is no such hook. */
int verbs_run(struct effects *fx, const struct args *a, const char *name);
bool verbs_known(const char *name);

/* A command inside the words of a program that is only known by them, where it can ruin something: exec -- rm -rf x. */
int verbs_inner(struct effects *fx, const struct args *a);

#endif /* INTERCEPT_VERBS_H */

/* intercept/environ.h - what an assignment does to programs that are started after it
 *
 * PAGER, BASH_ENV, LD_PRELOAD, GIT_CONFIG_KEY_0, NODE_OPTIONS ... make a harmless
 * program run something else, and PATH can put another program behind its name. What
 * they lead to is judged by itself; no rule for the program covers it.
 */
#ifndef INTERCEPT_ENVIRON_H
#define INTERCEPT_ENVIRON_H

#include "intercept/effects.h"

/* Is the variable one of them? PATH is not: a call that is judged by its real words has been looked up already. */
bool environ_matters(const char *name);
/* NAME=value before a command, of export, of env, or on its own. 0, or -1 when a bound was hit. */
int environ_assign(struct effects *fx, const struct simple *s, const struct assign *a);
/* The words NAME=value among the operands of export, declare and the like. */
int environ_words(struct effects *fx, const struct simple *s, const struct word *const *word, size_t n);
/* Does PATH lead to a program of the workspace where the machine has one of that name? Then it is judged. */
int environ_shadow(struct effects *fx, const struct simple *s, const char *name);

#endif /* INTERCEPT_ENVIRON_H */

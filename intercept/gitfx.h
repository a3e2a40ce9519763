/* intercept/gitfx.h - settings of git whose values are run */
#ifndef INTERCEPT_GITFX_H
#define INTERCEPT_GITFX_H

#include "intercept/effects.h"

bool gitfx_key_runs(const char *key);
/* What git does when @key has @value for the length of one command: the value is judged as what it runs. */
int gitfx_setting(struct effects *fx, const struct simple *s, const char *key, const struct word *value);

#endif /* INTERCEPT_GITFX_H */

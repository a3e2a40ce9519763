/* intercept/code.h - read inline code of other languages, conservatively
 *
 * Splits code into tokens (comments and strings known for what they are) and
 * looks for calls that delete, overwrite, spawn, connect, evaluate. Arguments that
 * are literals, or well-known ways to say "home", are used; others are unknown.
 */
#ifndef INTERCEPT_CODE_H
#define INTERCEPT_CODE_H

#include "intercept/effects.h"

/* "python", "js", "perl", "ruby", "php", "lua", "awk", "sed", "sql" ...; other names are asked. */
int code_scan(struct effects *fx, const struct simple *s, const char *lang, const char *text, size_t len,
	      struct span span);

#endif /* INTERCEPT_CODE_H */

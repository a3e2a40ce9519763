/* conf/jsonc.h - JSON with comments, checked against a schema, mistakes with a place
 *
 * Comments (// and block) and trailing commas are allowed. A mistake is reported
 * as "file:line:column: what was found, what was expected". The schemas are JSON
 * Schema (draft 2020-12, the subset listed in jsonc.c: type, enum, const, properties,
 * additionalProperties, required, items, minItems, maxItems, minimum, maximum,
 * pattern (POSIX extended), minLength, maxLength, oneOf, anyOf, $ref to #/$defs); an unsupported
 * keyword in a schema is an error, so no rule of a schema is silently not applied. A schema's title
 * is what a message says is expected: write it as one ("a size such as \"512M\"").
 */
#ifndef CONF_JSONC_H
#define CONF_JSONC_H

#include "base/json.h"

#define JSONC_MAX (4u << 20)	/* bytes of a file; jsonc_load() takes regular files only */

struct jsonc;		/* the text, the tree, and where each value stands */

/* @schema may be NULL. @name is what messages call the file. */
int jsonc_load(const char *path, const char *schema_path, struct jsonc **out, struct err *e);
int jsonc_parse(const char *name, const char *text, size_t len, const char *schema_path,
		struct jsonc **out, struct err *e);
void jsonc_free(struct jsonc *c);
const json *jsonc_root(const struct jsonc *c);
/* "file:line:column: " + text about @at (a value of this document). Always -1. */
int jsonc_err(const struct jsonc *c, const json *at, struct err *e, const char *fmt, ...) PRINTF(4, 5);
void jsonc_where(const struct jsonc *c, const json *at, unsigned *line, unsigned *col);
const char *jsonc_name(const struct jsonc *c);		/* quoted, as messages show it */
/* The bytes of the file, as they were read. */
const char *jsonc_source(const struct jsonc *c, size_t *len);

#endif /* CONF_JSONC_H */

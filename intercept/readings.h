/* intercept/readings.h - does tree-sitter read a shell line as parse.c does?
 *
 * Two parsers that were written apart seldom make the same mistake. Each command, each word of one
 * and each redirection that the tree has must begin where our reading has the same, and each
 * command and redirection of ours where the tree has it; else one of them takes data for code or code for data,
 * and the line is asked. What the grammar is known to misread is a table in readings.c, by its
 * kind. Inside ERROR nodes the tree says nothing and our reading stands alone.
 */
#ifndef INTERCEPT_READINGS_H
#define INTERCEPT_READINGS_H

#include "intercept/parse.h"

enum readings {
	READINGS_UNKNOWN = 0,	/* over a bound: no second reading */
	READINGS_DIFFER,
	READINGS_AGREE,
};

/* @ours: the marks of a whole reading without a gap. @where: the first byte that differs, SIZE_MAX: it is
 * in a text of its own. */
enum readings readings_compare(const struct parse_marks *ours, size_t *where);

#endif /* INTERCEPT_READINGS_H */

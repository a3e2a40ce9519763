/* intercept/explain.h - a judgement, stage by stage, for a person to read
 *
 * All text from the line goes through quote. Rows are wrapped at the width that is given.
 */
#ifndef INTERCEPT_EXPLAIN_H
#define INTERCEPT_EXPLAIN_H

#include "intercept/policy.h"
#include "intercept/stages.h"

/* @st NULL: no times. @fx is the judgement's, for what each effect alone would get. */
void explain_all(struct buf *out, struct effects *fx, const struct verdict *v, const struct stages *st, unsigned width);
/* The lines of a tree, each with its own indentation. */
void explain_tree(struct buf *out, const char *tree, unsigned width);
extern const char *const stage_name[STAGE_COUNT];

#endif /* INTERCEPT_EXPLAIN_H */

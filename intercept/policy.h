/* intercept/policy.h - effects in their context -> verdict
 *
 * A table of rows: what happens, where, to what kind of path, in which state of git.
 * For one effect the first row that fits decides; over all effects the strictest
 * decides. User rules come on top and never lift a deny.
 */
#ifndef INTERCEPT_POLICY_H
#define INTERCEPT_POLICY_H

#include "intercept/effects.h"
#include "intercept/verdict.h"

/* Fills @v from the effects of @fx and what could not be understood. Strings live in fx->mem. */
void policy_judge(struct effects *fx, const struct expand_gap *gap, size_t ngap, struct verdict *v);

/* Does it start a shell or interpreter whose lines will not be seen? An editor or a pager only takes keys. */
bool policy_hides_lines(const struct effect *e);

#endif /* INTERCEPT_POLICY_H */

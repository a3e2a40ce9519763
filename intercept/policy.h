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

/* Safer ways that are told from several places. */
#define SAFER_HOST	"use a package registry or the repository's remote, or list the host in the policy"
#define SAFER_SEND	"leave the secret out of what is sent"
#define SAFER_EFFECT	"write it out plainly, with the paths it is about"
#define SAFER_ELSEWHERE	"look at it there first, and make the change yourself"
#define SAFER_PARSE	"write it in a simpler way"
#define SAFER_SPLIT	"split it into several lines"
#define SAFER_HIDDEN	"write it without them"

/* One way to a verdict. */
struct policy_rule {
	const char	*id;
	enum action	 action;
	const char	*safer;		/* NULL on allow */
};

/* Every rule that the judge can give, in no order and some ids several times: false past the end. The ids of the
 * person's own rules are not among them. sbxterm-rules(7) lists them, and a test compares. */
bool policy_rule(size_t i, struct policy_rule *out);
/* What this effect of the judgement gets by itself. */
struct policy_rule policy_effect(struct effects *fx, const struct effect *e);
/* A word as a shell would read it; what is not known in angle brackets. Raw: quote before it is shown. */
void policy_word(struct buf *out, const struct word *w);
/* What an effect that has no path gets; false: that depends on its path or its host. */
bool policy_usual(enum effect_kind kind, const char *scope, struct policy_rule *out);
/* Does it start a shell or interpreter whose lines will not be seen? An editor or a pager only takes keys. */
bool policy_hides_lines(const struct effect *e);

#endif /* INTERCEPT_POLICY_H */

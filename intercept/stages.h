/* intercept/stages.h - where the time of one judgement goes (for check --explain)
 *
 * Stages call each other - a command that is found while the line is expanded is judged at once, and its text may be
 * expanded again -, so each counts only the time that is spent in itself. Nothing is measured where nobody asks: the
 * pointer is NULL then.
 */
#ifndef INTERCEPT_STAGES_H
#define INTERCEPT_STAGES_H

#include "base/io.h"

enum stage { STAGE_NONE = 0, STAGE_PARSE, STAGE_SECOND, STAGE_EXPAND, STAGE_EFFECTS, STAGE_POLICY, STAGE_COUNT };

struct stages {
	uint64_t	ns[STAGE_COUNT];
	uint64_t	since;
	enum stage	now;
};

/* The stage that went before: to be entered again at the end. */
static inline enum stage stage_enter(struct stages *s, enum stage next)
{
	enum stage before;
	uint64_t t;

	if (!s)
		return STAGE_NONE;
	t = io_now_ns();
	before = s->now;
	if (s->since)
		s->ns[before] += t - s->since;
	s->since = t;
	s->now = next;
	return before;
}

#endif /* INTERCEPT_STAGES_H */

/* src/detour.h - calls of programs that need more than the pane's sandbox gives
 *
 * A call arrives as a gate question (gate.h) with the program's real words. It is judged like a line of its own; what a
 * running line was approved for is not asked again. Let go, it runs beside the pane's sandbox (sandbox/join.h) with the
 * grant that it needs, on a terminal of its own; the asker copies that to the pane's.
 *
 * The one grant so far is "git-write": the repository of the call's directory, but for what git runs later.
 */
#ifndef SRC_DETOUR_H
#define SRC_DETOUR_H

#include "gate.h"
#include "host.h"
#include "job.h"

struct detours;

struct detours_in {
	struct host		*host;		/* borrowed, as is what follows */
	const struct plan	*plan;		/* of the pane */
	struct jobs		*jobs;
	int			 base;		/* the pane's shell, as the spawner names it */
	long			 key;		/* of the one line that can be running; 0: lines are those of the shells above a call */
};

struct detours *detours_new(const struct detours_in *in);
void detours_free(struct detours *d);		/* what runs is killed; before jobs and gate are freed */
void detours_size(struct detours *d, int rows, int cols);

/* A question with a call: answered at once, or a job. */
void detours_ask(struct detours *d, struct gate_question *q);
/* The job of a call may run, or not. */
void detours_answer(struct detours *d, const struct job *j, bool run, const char *message);
void detours_signal(struct detours *d, const struct gate_question *q, int signo);
/* The asker is gone. */
void detours_gone(struct detours *d, struct gate_question *q);
/* A child of the spawner ended; false: it is none of ours. */
bool detours_exit(struct detours *d, int id, int status);

#endif /* SRC_DETOUR_H */

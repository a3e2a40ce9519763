/* src/gate.h - the question-and-answer socket between the shells of a pane and the host
 *
 * One unix stream socket per pane in a private host directory (0700), bound read-only into the sandbox at
 * PLAN_RUN_DIR/gate/sock. The shell's PS0 gate (conf/shell/bash.rc) runs sbx-ask, which connects, hands over
 * the complete command and holds until it is answered. Wire format: docs at the top of gate.c.
 *
 * What the shell's marks (term/pane.h) say besides; those with a third field carry the nonce (gate_nonce_ok()):
 *   MARK_LINE			the text that is asked, written by sbx-ask right before it asks
 *   MARK_OWN "run"		right before MARK_OUTPUT: the line was let go and starts
 *   MARK_OWN "done:STATUS"	right before MARK_DONE with the same status; MARK_DONE alone: nothing ran (empty
 *				line, refused, Ctrl-C)
 *   MARK_CWD			at each prompt
 *   MARK_OWN "prompt"		at each prompt, before MARK_PROMPT: the integration is alive
 * A line that history left out, or a shell whose history is off, is asked with an empty text: refuse it, and say that
 * Ctrl-D ends such a shell. A refused question comes twice (bash evaluates PS0's subscript again) and is answered
 * here the second time; a shell that gets `set -e` ends with its first refusal.
 *
 * A program whose calls may need more than the sandbox gives is put to the host by sbx-detour (sandbox/helper/detour.c)
 * over the same socket: the question has a call, and may be answered by running it for the asker.
 *
 * Every peer is hostile: uid checked (SO_PEERCRED), frames bounded, a limited number of connections, no answer
 * ever depends on what an unauthenticated peer says beyond its own question.
 */
#ifndef SRC_GATE_H
#define SRC_GATE_H

#include "base/loop.h"
#include "intercept/live.h"

struct gate;

/* A program's real words, from whatever started it. */
struct gate_call {
	const char	 *name;		/* of the program that sbx-detour stands for */
	int		  argc;
	char		**argv, **env;	/* end with NULL */
	int		  fd[3];	/* its standard descriptors, open until the question is over */
};

/* One question, from arrival to answer. Valid until gate_answer() or the gone event. */
struct gate_question {
	unsigned	 id;
	const char	*shell;		/* "bash" */
	const char	*line;		/* complete command, all lines; "" when the shell could not tell (must be refused) */
	size_t		 len;
	const char	*cwd;		/* as the shell says: untrusted */
	pid_t		 shell_pid;	/* host view: parent of the helper; 0 unknown */
	bool		 known_shell;	/* it said hello before and the nonce it gave is its own */
	unsigned	 shlvl;
	const struct gate_call *call;	/* NULL: a line; else .line is empty and .shell_pid is the program's own */
	bool		 rejected;	/* the shell could not read it and dropped it: whatever the answer, nothing runs */
	void		*own;		/* gate.c's */
};

enum gate_answer { GATE_DROP = 0, GATE_RUN };

struct gate_events {
	/* A line is held. Answer now or later. */
	void (*ask)(void *arg, struct gate_question *q);
	/* gate_fetch() is done (or failed: what is not in @live then stays unknown). */
	void (*fetched)(void *arg, struct gate_question *q, struct live *live);
	/* The asker went away before an answer (Ctrl-C, killed): nothing runs. @q is freed after this. */
	void (*gone)(void *arg, struct gate_question *q);
	/* The asker of a call that runs passes on a signal. */
	void (*signal)(void *arg, struct gate_question *q, int signo);
	/* An interactive shell with integration has started. @nonce is what its marks will carry. */
	void (*hello)(void *arg, pid_t shell_pid, const char *shell, const char *nonce);
	void *arg;
};

/* Makes @dir/sock. @dir must exist, be ours and private. */
int gate_new(struct loop *l, const char *dir, const struct gate_events *ev, struct gate **out, struct err *e);
void gate_free(struct gate *g);		/* open questions are dropped (the shells deny) */
/* Ask the holding shell for the names in live_wanted(live); answers go into @live. At most once at a time. */
int gate_fetch(struct gate_question *q, struct live *live);
/* @message: printed on the shell's terminal by the helper before it lets go (refusals); NULL = nothing. */
void gate_answer(struct gate_question *q, enum gate_answer a, const char *message);
/* Of a call: the asker may run it with what it has. */
void gate_call_plain(struct gate_question *q);
/* It runs, on the terminal of this master: -1 when the asker is gone (gone is not called). Then gate_call_ended(), unless
 * the gone event comes before it. */
int gate_call_started(struct gate_question *q, int master);
void gate_call_ended(struct gate_question *q, int status);	/* as from waitpid(2) */
bool gate_nonce_ok(const struct gate *g, const char *nonce);	/* of a shell that said hello here */

#endif /* SRC_GATE_H */

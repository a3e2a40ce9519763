/* src/session.h - one session: a pane, its shell in the sandbox, its gate, what waits for an answer
 *
 * Knows no client and no screen: server.c shows what is here and brings keys and answers. The pane's shell is
 * gated by questions over the gate socket; the marks on its terminal are checked against them, and where they stop
 * coming the pane is called unguarded, on the status line and on record (design.md: tripwires).
 */
#ifndef SRC_SESSION_H
#define SRC_SESSION_H

#include "host.h"
#include "job.h"
#include "term/keys.h"
#include "term/pane.h"

struct session;

struct session_events {
	void (*damage)(void *arg);	/* pane or status changed: draw soon */
	void (*front)(void *arg);	/* another question or refusal is in front, or none */
	void (*ended)(void *arg, int status);	/* the shell is gone; @status as from waitpid(2) */
	void *arg;
};

struct session_in {
	struct host	*host;		/* borrowed for the session's life */
	const char	*name;
	const char	*gate_dir;	/* exists, ours, private */
	char *const	*command;	/* NULL: the gated shell */
	const char	*title;		/* of the command, for the status line */
	int		 rows, cols;
	struct session_events ev;
};

int session_new(const struct session_in *in, struct session **out, struct err *e);
void session_free(struct session *s);	/* NULL is fine; ends what runs */
void session_resize(struct session *s, int rows, int cols);
void session_key(struct session *s, const struct key *k);
void session_answer(struct session *s, enum answer a);
/* The question or refusal to show, NULL = none. */
const struct job *session_front(const struct session *s);
bool session_waiting(const struct session *s);
struct pane *session_pane(const struct session *s);
void session_status(struct session *s, struct screen_status *st);	/* strings valid until the next call */

#endif /* SRC_SESSION_H */

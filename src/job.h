/* src/job.h - one command from line to outcome
 *
 * A job is a state and a table of events (job.c); an event that is not in the table for its state refuses
 * the command. Knows no screen, socket or process: what it wants done it says through job_ops, so that the
 * pane, `sbxterm run` and the tests share it. A command is let go only after its decision record is written.
 *
 * jobs is the set of one pane or run: at most one question is in front of the person, others wait in order.
 */
#ifndef SRC_JOB_H
#define SRC_JOB_H

#include "audit.h"
#include "intercept/judge.h"
#include "intercept/live.h"
#include "ui/screen.h"

#define JOB_ROUNDS	4	/* judge, ask the shell for values, judge again: at most so often */
#define JOBS_MAX	64	/* held or running at a time; more are refused */

struct job;
struct jobs;

struct job_in {
	const char	*line;		/* copied, as is cwd */
	size_t		 len;
	const char	*cwd;
	bool		 suspect;	/* the ways the line came by do not agree: never allowed without a person */
	bool		 moot;		/* the shell dropped it as unreadable: shown if the judge agrees, never let go */
	/* A program's real words, with ->line made of them: NULL-terminated, borrowed; NULL: a line. */
	char *const	*argv;
	size_t		 argc;
	char *const	*around;	/* NAME=value before the words in ->line; NULL-terminated, borrowed */
	long		 under;		/* key of the running line that the call belongs to; what that was approved for counts */
	const char	*grant;		/* what it gets beyond the profile, or NULL; static */
	long		 key;		/* whose outcome it waits for (the shell's pid); jobs_done() names it */
	void		*own;		/* the caller's, see job_own() */
};

struct job_ops {
	/* NULL: judge_line(). The verdict lives until the job is over. */
	const struct verdict *(*judge)(void *arg, const struct cmdline *line, struct live *live);
	/* Ask the shell for live_wanted(); then jobs_fetched(). -1: cannot, the verdict stands. */
	int (*fetch)(void *arg, struct job *j, struct live *live);
	/* The one answer. @message: for the shell's terminal, NULL = none. */
	void (*answer)(void *arg, struct job *j, bool run, const char *message);
	/* jobs_front() is another one now. */
	void (*front)(void *arg);
	/* The person wants to edit this line: put it into the shell's next prompt. */
	void (*edit)(void *arg, const char *line, size_t len);
	/* Over; @j is freed after this. exit and signal as in struct audit_outcome. May be NULL. */
	void (*over)(void *arg, struct job *j, const struct audit_outcome *o);
	void *arg;
};

struct jobs_in {
	const struct job_ops	*ops;		/* copied */
	struct judge		*judge;		/* may be NULL when ops->judge is there */
	const struct world	*world;
	struct audit		*audit;
	struct audit_who	 who;		/* strings borrowed for the life of jobs, as are those below */
	const char		*workspace, *home, *user;
	bool			 attended;	/* false: nobody can answer, an ask is a refusal by "on-ask" */
};

struct jobs *jobs_new(const struct jobs_in *in);
void jobs_free(struct jobs *js);	/* held ones are dropped, running ones end without outcome */

/* A line is held. May judge, record and answer before it returns. */
void jobs_ask(struct jobs *js, const struct job_in *in);
void jobs_fetched(struct jobs *js, void *own);
void jobs_gone(struct jobs *js, void *own, const char *by);	/* the asker let go before an answer */
/* The running job of @key ended. @status: exit code, -1 unknown; false: there was none. */
bool jobs_done(struct jobs *js, long key, int status, const char *note);
/* Shells that are gone (@is_gone says so of a key) print no end: what they ran is over. */
void jobs_reap(struct jobs *js, bool (*is_gone)(long key), const char *note);
/* The shell is gone: whatever runs ended with it. */
void jobs_end(struct jobs *js, int status, const char *note);
/* The person's answer to what is in front; also closes a refusal that is shown. */
void jobs_answer(struct jobs *js, enum answer a);

/* What the banner shows: a question, or a refusal until somebody closes it; or NULL. */
const struct job *jobs_front(const struct jobs *js);
bool jobs_waiting(const struct jobs *js);	/* a question waits for a person */
const struct job *jobs_running(const struct jobs *js, long key);
const struct verdict *job_verdict(const struct job *j);
const char *job_line(const struct job *j, size_t *len);
const char *job_cwd(const struct job *j);
void *job_own(const struct job *j);
bool job_is_call(const struct job *j);	/* of a program's words, not a line */
unsigned jobs_commands(const struct jobs *js);	/* lines that were judged */
unsigned jobs_prompts(const struct jobs *js);	/* of them asked */

#endif /* SRC_JOB_H */

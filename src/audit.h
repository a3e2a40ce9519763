/* src/audit.h - the record: what was decided before a command, what came of it after
 *
 * JSON lines, schema conf/schema/audit.schema.json. The file is opened append-only, 0600, owned by us, never
 * through a symbolic link, and lies where no sandbox can see it (plan_in.hide). Each record is one write(2)
 * under a lock, so that several sessions share one file; ->seq goes on from the last record in it. A record
 * that cannot be written whole is an error, and the caller refuses the command.
 */
#ifndef SRC_AUDIT_H
#define SRC_AUDIT_H

#include "base/err.h"
#include "intercept/verdict.h"

struct audit;

struct audit_who {		/* where a record comes from; all borrowed */
	const char	*session, *pane, *source, *profile;
};

struct audit_decision {
	const struct cmdline	*line;
	const struct verdict	*verdict;	/* as it was shown or applied */
	const char		*answer;	/* "run", "refused", "edit", "cancelled" */
	const char		*by;		/* "policy", "person", "shell", "on-ask", "gate", "line": of the line that calls it */
	const char		*grant;		/* beyond the profile; NULL: none */
};

struct audit_outcome {
	uint64_t	 decision;	/* seq of the decision record */
	int		 exit;		/* -1: not known */
	int		 signal;	/* 0: none */
	uint64_t	 duration_ms;
	const char	*note;		/* NULL, or why nothing is known: "the shell ended" */
};

/* Makes the directory (0700) and the file where they are missing. */
int audit_open(const char *path, struct audit **out, struct err *e);
void audit_close(struct audit *a);	/* NULL is fine */
/* *seq gets the number of the record. Nothing may run when this returns -1. */
int audit_decision(struct audit *a, const struct audit_who *w, const struct audit_decision *d, uint64_t *seq,
		   struct err *e);
int audit_outcome(struct audit *a, const struct audit_who *w, const struct audit_outcome *o, struct err *e);
/* The gate lost sight of a pane, or got it back: @state is what the status line says. */
int audit_integration(struct audit *a, const struct audit_who *w, const char *state, struct err *e);

#endif /* SRC_AUDIT_H */

/* src/batch.h - sbxterm check --stdin: many lines, each with a context of its own
 *
 * Reads JSON objects, one a line, with the fields of the command corpus (id, shell, cmd, cwd, home, vars, git,
 * files, content) and writes one JSON object for each, in order: id, verdict, rule, reason, us (microseconds that
 * the judgement took). The context in the object is the whole world of that line: nothing of this machine is looked
 * at. What is absent means what fakeworld.h says.
 */
#ifndef SRC_BATCH_H
#define SRC_BATCH_H

#include <stdio.h>

#include "intercept/judge.h"

#define BATCH_LINE_MAX	(8u << 20)	/* bytes of one input line; a longer one is answered with an error */

/* Answers every line of @in on @out. 0; 1 when at least one line could not be read, which is answered by an object
 * with "error" and its line number; -1 when the input or the output fails. */
int batch_run(struct judge *judge, FILE *in, FILE *out, struct err *e);

#endif /* SRC_BATCH_H */

/* term/record.h - asciicast v2 recorder (docs.asciinema.org/manual/asciicast/v2)
 *
 * One event is one write(2) of a whole line, so that a crash cuts at most the last one. Output is
 * made valid UTF-8 (a character split over two writes is held back), 633;E nonces are blanked,
 * time never steps back. Input is never recorded. A failed write is reported once by record_write().
 */
#ifndef TERM_RECORD_H
#define TERM_RECORD_H

#include "base/err.h"

struct record;
/* O_CREAT|O_EXCL unless @overwrite, mode 0600. @env_shell and @env_term may be NULL. */
int record_open(const char *path, bool overwrite, int cols, int rows, const char *title,
		const char *env_shell, const char *env_term, struct record **out, struct err *e);
int record_output(struct record *r, const char *data, size_t len);	/* 0, or -1 with errno */
int record_resize(struct record *r, int cols, int rows);
int record_marker(struct record *r, const char *label);
void record_close(struct record *r);

#endif /* TERM_RECORD_H */

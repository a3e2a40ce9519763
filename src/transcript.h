/* src/transcript.h - what `sbxterm run` did, one JSON object for each command
 *
 * Schema conf/schema/transcript.schema.json. Each object is one write(2), so the file is valid up to its last
 * line whatever happens. Output is kept up to TRANSCRIPT_OUTPUT_MAX bytes of each command.
 */
#ifndef SRC_TRANSCRIPT_H
#define SRC_TRANSCRIPT_H

#include "base/buf.h"
#include "base/err.h"
#include "intercept/verdict.h"

#define TRANSCRIPT_OUTPUT_MAX (256u << 10)

struct transcript;

struct transcript_entry {
	const char		*line;
	size_t			 len;
	const char		*cwd;
	const struct verdict	*verdict;
	bool			 ran;
	int			 exit;		/* -1: not known, or did not run */
	uint64_t		 duration_ms;
	const struct buf	*output;	/* raw bytes; ->full: there was more */
};

/* Replaces the file; 0600, never through a symbolic link. */
int transcript_open(const char *path, struct transcript **out, struct err *e);
int transcript_add(struct transcript *t, const struct transcript_entry *en, struct err *e);
void transcript_close(struct transcript *t);	/* NULL is fine */

#endif /* SRC_TRANSCRIPT_H */

/* src/driver.h - a sandboxed bash that runs lines one after another for `sbxterm run`
 *
 * The driver script (conf/shell/run.bash) is started as `bash --norc --noprofile run.bash` in the sandbox with one end
 * of a socketpair as descriptor 3. It keeps directory, variables, functions and options from line to line.
 * Each line's output is on the PTY between MARK_OWN "run" + MARK_OUTPUT and MARK_OWN "done:STATUS" + MARK_DONE (see
 * gate.h), which carry driver_nonce(). A line that ends the shell (exit, exec) has no end mark: the child's status is
 * the line's. Commands get /dev/null as stdin and do not inherit the socket.
 */
#ifndef SRC_DRIVER_H
#define SRC_DRIVER_H

#include "base/loop.h"
#include "intercept/live.h"

struct driver;

struct driver_events {
	void (*ready)(void *arg, const char *cwd);		/* waits for a line; @cwd is where it is */
	void (*fetched)(void *arg, struct live *live);
	void (*gone)(void *arg);	/* last event; may free. The script ended (exit on a line, killed) */
	void *arg;
};

/* Takes ownership of @fd (the host's end). */
int driver_new(struct loop *l, int fd, const struct driver_events *ev, struct driver **out, struct err *e);
void driver_free(struct driver *d);
const char *driver_nonce(const struct driver *d);	/* sent to the script first */
int driver_fetch(struct driver *d, struct live *live);	/* only while ready */
int driver_run(struct driver *d, const char *line, size_t len);	/* only while ready */
/* A line was not run: $? of the next one, and as fetched. Only while ready. */
void driver_set_status(struct driver *d, int status);

#endif /* SRC_DRIVER_H */

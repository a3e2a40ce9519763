/* src/rundir.h - the private directory of sockets, and the names in it
 *
 * $XDG_RUNTIME_DIR/sbxterm, else /run/user/UID/sbxterm, else /tmp/sbxterm-UID. Ours, mode 0700, no symbolic
 * link, or it is refused. In it, for each session: NAME.sock (clients), NAME.lock (held by the server), NAME.log,
 * and NAME.gate/ (bound into the sandbox).
 */
#ifndef SRC_RUNDIR_H
#define SRC_RUNDIR_H

#include "base/err.h"

#define RUNDIR_MAX	100	/* leaves room for names within sun_path's 108 bytes */
#define RUNDIR_NAME_MAX	48	/* bytes of a session's name */

/* Find and make the directory; fills @out. */
int rundir_path(char out[RUNDIR_MAX], struct err *e);
/* Letters, digits, . _ - ; no dot or dash first. */
bool rundir_name_ok(const char *name);
/* A name from a directory: what is not allowed becomes '-'. */
void rundir_name_from(const char *dir, char out[RUNDIR_NAME_MAX + 1]);
/* The file of a session: "sock", "lock", "log", "gate". -1 when too long. */
int rundir_file(const char *name, const char *what, char *out, size_t room, struct err *e);
/* Connect to the session's server: a descriptor, or -1 with errno. */
int rundir_connect(const char *name);
/* Names of all sessions whose socket is there, in order; returns how many. The caller frees each and the list. */
size_t rundir_list(char ***out);

#endif /* SRC_RUNDIR_H */

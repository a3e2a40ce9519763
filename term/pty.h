/* term/pty.h - the master side of a pseudo terminal: make, size, ask
 *
 * Everything works on the master (Linux gives a slave's termios and foreground group there), so
 * that nothing of the pane's side has to be held open. Descriptors are close-on-exec.
 */
#ifndef TERM_PTY_H
#define TERM_PTY_H

#include <sys/types.h>

#include "base/err.h"

/* What the program in the foreground made of its terminal. */
struct pty_state {
	bool	icanon, echo, isig;
	pid_t	fg;		/* foreground process group as seen from here; 0: none, or not in our namespace */
};

/* The master does not block. @slave may be NULL: then only the master is opened. On failure nothing is open. */
int pty_open(int rows, int cols, int *master, int *slave, struct err *e);
int pty_resize(int master, int rows, int cols);	/* the foreground group gets SIGWINCH; 0 or -1 with errno */
int pty_size(int master, int *rows, int *cols);	/* 0 or -1 with errno */
int pty_query(int master, struct pty_state *st);	/* 0 or -1 with errno: no slave is open any more */

#endif /* TERM_PTY_H */

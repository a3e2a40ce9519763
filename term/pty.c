#include "term/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"

#define SIZE_LIMIT 65535	/* of struct winsize */

int pty_open(int rows, int cols, int *master, int *slave, struct err *e)
{
	CLEANUP(cleanup_fdp) int m = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int s = -1;

	if (m < 0)
		return err_set(e, errno, "open a pseudo terminal");
	if (grantpt(m) < 0 || unlockpt(m) < 0)
		return err_set(e, errno, "unlock a pseudo terminal");
	if (pty_resize(m, rows, cols) < 0)
		return err_set(e, errno, "size a pseudo terminal");
	if (io_nonblock(m) < 0)
		return err_set(e, errno, "make a pseudo terminal non-blocking");
	if (slave) {
		/* Not by name: /dev/pts of another mount could be something else. */
		s = ioctl(m, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (s < 0)
			return err_set(e, errno, "open the other side of a pseudo terminal");
		*slave = s;
	}
	*master = m;
	m = -1;
	return 0;
}

int pty_resize(int master, int rows, int cols)
{
	struct winsize ws = {
		.ws_row = (unsigned short)MIN(MAX(rows, 1), SIZE_LIMIT),
		.ws_col = (unsigned short)MIN(MAX(cols, 1), SIZE_LIMIT),
	};

	return ioctl(master, TIOCSWINSZ, &ws);
}

int pty_size(int master, int *rows, int *cols)
{
	struct winsize ws;

	if (ioctl(master, TIOCGWINSZ, &ws) < 0)
		return -1;
	*rows = ws.ws_row;
	*cols = ws.ws_col;
	return 0;
}

int pty_query(int master, struct pty_state *st)
{
	struct termios t;
	pid_t fg = 0;

	if (tcgetattr(master, &t) < 0)
		return -1;
	if (ioctl(master, TIOCGPGRP, &fg) < 0)
		fg = 0;
	*st = (struct pty_state){
		.icanon = t.c_lflag & ICANON, .echo = t.c_lflag & ECHO, .isig = t.c_lflag & ISIG, .fg = fg,
	};
	return 0;
}

#include "term/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"

#define SIZE_LIMIT 65535	/* of struct winsize */

static int ready(int master, int rows, int cols, struct err *e)
{
	if (grantpt(master) < 0 || unlockpt(master) < 0)
		return err_set(e, errno, "unlock a pseudo terminal");
	if (pty_resize(master, rows, cols) < 0)
		return err_set(e, errno, "size a pseudo terminal");
	if (io_nonblock(master) < 0)
		return err_set(e, errno, "make a pseudo terminal non-blocking");
	return 0;
}

/* Not by name: /dev/pts of another mount could be something else. */
static int open_slave(int master, int *slave, struct err *e)
{
	*slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return *slave < 0 ? err_set(e, errno, "open the other side of a pseudo terminal") : 0;
}

int pty_open(int rows, int cols, int *master, int *slave, struct err *e)
{
	int m = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (m < 0)
		return err_set(e, errno, "open a pseudo terminal");
	if (ready(m, rows, cols, e) < 0 || (slave && open_slave(m, slave, e) < 0)) {
		close(m);
		return -1;
	}
	*master = m;
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

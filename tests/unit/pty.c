#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "term/pty.h"
#include "tap.h"

static void test_size(void)
{
	int master = -1, slave = -1, rows = 0, cols = 0;
	struct winsize ws;
	struct err e;

	is_int(pty_open(30, 100, &master, &slave, &e), 0, "open");
	is_int(ioctl(slave, TIOCGWINSZ, &ws), 0, "the other side");
	is_int(ws.ws_row * 1000 + ws.ws_col, 30100, "has the size");
	is_int(pty_resize(master, 5, 7), 0, "resize");
	is_int(pty_size(master, &rows, &cols), 0, "ask");
	is_int(rows * 1000 + cols, 5007, "the new size");
	is_int(pty_resize(master, -1, 1 << 20), 0, "any number");
	is_int(pty_size(master, &rows, &cols), 0, "is clamped");
	is_int(rows * 100000 + cols, 165535, "to what a terminal can have");
	ok(fcntl(master, F_GETFD) & FD_CLOEXEC && fcntl(slave, F_GETFD) & FD_CLOEXEC, "close-on-exec");
	ok(fcntl(master, F_GETFL) & O_NONBLOCK, "the master does not block");
	ok(!(fcntl(slave, F_GETFL) & O_NONBLOCK), "the slave does");
	close(slave);
	close(master);
}

static void test_query(void)
{
	int master = -1, slave = -1;
	struct pty_state st;
	struct termios t;
	struct err e;

	is_int(pty_open(24, 80, &master, &slave, &e), 0, "open");
	is_int(pty_query(master, &st), 0, "ask");
	ok(st.icanon && st.echo && st.isig, "a new terminal is cooked");
	is_int(st.fg, 0, "nobody is in the foreground");
	tcgetattr(slave, &t);
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(slave, TCSANOW, &t);
	is_int(pty_query(master, &st), 0, "ask again");
	ok(!st.icanon && !st.echo && st.isig, "what a line editor sets is seen");
	close(slave);
	close(master);
	is_int(pty_query(master, &st), -1, "no terminal");
	is_int(pty_size(master, &(int){ 0 }, &(int){ 0 }), -1, "no size");
}

int main(void)
{
	test_size();
	test_query();
	return tap_done();
}

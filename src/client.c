#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/quote.h"
#include "host.h"
#include "proto.h"
#include "rundir.h"
#include "server.h"
#include "ui/screen.h"

#define MIN_ROWS	3
#define MIN_COLS	10
#define OUT_PAUSE	(1u << 20)	/* so much waits for the terminal: read no more from the server */
#define NAMES_MAX	99

struct client {
	struct loop	*loop;
	int		 sock, in, out;	/* in, out: the terminal, opened again where that is possible */
	struct proto_in	 from;
	struct buf	 to_server, to_tty;
	struct termios	 found, raw;
	bool		 over;
	int		 status;
	char		 last[512];	/* printed when the terminal is restored */
	struct err	*e;
};

/* ---- the terminal ------------------------------------------------------------------------------- */

static int check_terminal(struct proto_hello *h, struct err *e)
{
	const char *term = getenv("TERM"), *color = getenv("COLORTERM");
	struct winsize ws = { 0 };

	*h = (struct proto_hello){ .version = PROTO_VERSION };
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, 0, "standard input and output must be a terminal: start it from one, or use `sbxterm run`");
	if (!term || !*term || strcmp(term, "dumb") == 0 || strlen(term) >= sizeof(h->term))
		return err_set(e, 0, "TERM=%.40s cannot show a full screen: set TERM to your terminal's type, or use `sbxterm run`",
			       term ? term : "");
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0)
		return err_set(e, errno, "size of the terminal");
	if (!ws.ws_row || !ws.ws_col)		/* a serial line tells none */
		ws = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	if (ws.ws_row < MIN_ROWS || ws.ws_col < MIN_COLS)
		return err_set(e, 0, "the terminal has %dx%d cells, %dx%d are needed: make it larger", ws.ws_col, ws.ws_row,
			       MIN_COLS, MIN_ROWS);
	h->rows = ws.ws_row;
	h->cols = ws.ws_col;
	snprintf(h->term, sizeof(h->term), "%s", term);
	if (color && strlen(color) < sizeof(h->colorterm))
		snprintf(h->colorterm, sizeof(h->colorterm), "%s", color);
	return 0;
}

/* A description of its own can be non-blocking without the shell that started us noticing. */
static int reopen(int fd, int flags)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	return again >= 0 ? again : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static void set_raw(struct client *c)
{
	tcgetattr(c->in, &c->found);
	c->raw = c->found;
	cfmakeraw(&c->raw);
	c->raw.c_cc[VMIN] = 1;
	c->raw.c_cc[VTIME] = 0;
	tcsetattr(c->in, TCSADRAIN, &c->raw);
}

static void restore(struct client *c)
{
	size_t len;
	const char *bytes = screen_restore_bytes(&len);
	int fl = fcntl(c->out, F_GETFL);

	fcntl(c->out, F_SETFL, fl & ~O_NONBLOCK);	/* ours, or blocking all along */
	io_write_all(c->out, bytes, len);
	/* What was typed for the session must not end up in the shell. */
	tcsetattr(c->in, TCSAFLUSH, &c->found);
}

/* ---- relay -------------------------------------------------------------------------------------- */

static void finish(struct client *c, int status, const char *text)
{
	c->status = status;
	snprintf(c->last, sizeof(c->last), "%s", text);
	c->over = true;
	loop_stop(c->loop);
}

static void flush_tty(struct client *c)
{
	while (c->to_tty.len) {
		ssize_t n = write(c->out, c->to_tty.data, c->to_tty.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0) {
			finish(c, 125, "");
			return;
		}
		buf_consume(&c->to_tty, (size_t)n);
	}
	loop_mod_fd(c->loop, c->sock, (c->to_tty.len < OUT_PAUSE ? EPOLLIN : 0) | (c->to_server.len ? EPOLLOUT : 0));
	if (c->out != c->in)
		loop_mod_fd(c->loop, c->out, c->to_tty.len ? EPOLLOUT : 0);
}

static void flush_server(struct client *c)
{
	while (c->to_server.len) {
		ssize_t n = send(c->sock, c->to_server.data, c->to_server.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		buf_consume(&c->to_server, (size_t)n);
	}
	loop_mod_fd(c->loop, c->sock, (c->to_tty.len < OUT_PAUSE ? EPOLLIN : 0) | (c->to_server.len ? EPOLLOUT : 0));
	/* Typed bytes wait in the terminal when the server takes none: nothing grows here. */
	loop_mod_fd(c->loop, c->in, c->to_server.len < OUT_PAUSE ? EPOLLIN : 0);
}

static void on_server_frame(void *arg, enum proto_type type, const char *data, size_t len)
{
	struct client *c = arg;

	if (type == PROTO_DATA) {
		buf_add(&c->to_tty, data, len);
		return;
	}
	if (type != PROTO_EXIT || !len)
		return;
	finish(c, (unsigned char)data[0], data + 1);
	c->last[MIN(len - 1, sizeof(c->last) - 1)] = '\0';
	proto_in_stop(&c->from);
}

static void on_server(struct loop *l, int fd, unsigned events, void *arg)
{
	struct client *c = arg;
	char chunk[65536];
	ssize_t n;

	(void)l;
	if (events & EPOLLOUT)
		flush_server(c);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	n = recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || proto_feed(&c->from, chunk, (size_t)n, on_server_frame, c) < 0)
		finish(c, 125, "sbxterm: the session's server is gone, and what ran in it");
	else
		flush_tty(c);
}

static void on_typed(struct loop *l, int fd, unsigned events, void *arg)
{
	struct client *c = arg;
	char chunk[16384];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)l;
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		finish(c, 129, "");	/* the terminal hung up */
		return;
	}
	proto_put(&c->to_server, PROTO_DATA, chunk, (size_t)n);
	flush_server(c);
}

static void on_writable(struct loop *l, int fd, unsigned events, void *arg)
{
	(void)l;
	(void)fd;
	if (events & (EPOLLHUP | EPOLLERR))
		finish(arg, 129, "");
	else
		flush_tty(arg);
}

static void on_winch(struct loop *l, const struct signalfd_siginfo *si, void *arg)
{
	struct client *c = arg;
	struct winsize ws;

	(void)l;
	(void)si;
	if (ioctl(c->out, TIOCGWINSZ, &ws) < 0 || !ws.ws_row || !ws.ws_col)
		return;
	proto_put_size(&c->to_server, ws.ws_row, ws.ws_col);
	flush_server(c);
}

static void on_term(struct loop *l, const struct signalfd_siginfo *si, void *arg)
{
	(void)l;
	finish(arg, 128 + (int)si->ssi_signo, "");
}

/* ---- attach ------------------------------------------------------------------------------------- */

static int watch(struct client *c, struct err *e)
{
	static const int end[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);	/* restoring from the background must not stop us */
	for (size_t i = 0; i < ARRAY_SIZE(end); i++) {
		if (loop_add_signal(c->loop, end[i], on_term, c) < 0)
			return err_set(e, errno, "watch signals");
	}
	if (loop_add_signal(c->loop, SIGWINCH, on_winch, c) < 0)
		return err_set(e, errno, "watch signals");
	if (loop_add_fd(c->loop, c->sock, EPOLLIN, on_server, c) < 0 || loop_add_fd(c->loop, c->in, EPOLLIN, on_typed, c) < 0
	    || loop_add_fd(c->loop, c->out, 0, on_writable, c) < 0)
		return err_set(e, errno, "watch the terminal");
	return 0;
}

/* The descriptor of the terminal goes along, so that the server can restore it when we are killed. */
static int say_hello(struct client *c, const struct proto_hello *h, struct err *e)
{
	struct termios t[2] = { c->found, c->raw };
	struct buf b;
	int rc = 0;

	buf_init(&b, 65536);
	proto_put_hello(&b, h);
	proto_put(&b, PROTO_TTY, t, sizeof(t));
	if (io_send_fds(c->sock, b.data, b.len, &c->in, 1) < 0)
		rc = err_set(e, errno, "talk to the session");
	buf_done(&b);
	return rc;
}

static void client_done(struct client *c)
{
	loop_free(c->loop);
	proto_in_done(&c->from);
	buf_done(&c->to_server);
	buf_done(&c->to_tty);
	close(c->sock);
	close(c->in);
	close(c->out);
}

static int relay(struct client *c, const struct proto_hello *h, struct err *e)
{
	int rc;

	set_raw(c);
	rc = say_hello(c, h, e);
	while (rc == 0 && !c->over)
		rc = loop_run(c->loop, e);
	restore(c);
	if (rc < 0)
		return -1;
	if (c->last[0])
		fprintf(c->status ? stderr : stdout, "%s%s\n",
			c->status && strncmp(c->last, "sbxterm", 7) != 0 ? "sbxterm: " : "", c->last);
	return c->status;
}

/* Takes @sock. */
static int attach(int sock, const struct proto_hello *h, struct err *e)
{
	struct client c = { .sock = sock, .in = reopen(STDIN_FILENO, O_RDWR), .out = reopen(STDOUT_FILENO, O_WRONLY) };
	int rc = -1;

	proto_in_init(&c.from);
	buf_init(&c.to_server, 4u << 20);
	buf_init(&c.to_tty, 16u << 20);
	c.loop = loop_new(e);
	if (c.loop && watch(&c, e) == 0)
		rc = relay(&c, h, e);
	client_done(&c);
	return rc;
}

/* ---- one question to a session ------------------------------------------------------------------ */

struct reply {
	enum proto_type	 type;
	struct buf	 data;
};

static void on_reply(void *arg, enum proto_type type, const char *data, size_t len)
{
	struct reply *r = arg;

	r->type = type;
	buf_clear(&r->data);
	buf_add(&r->data, data, len);
}

/* Bounded in time: a server that hangs must not hang `ls`. */
static int ask(const char *name, enum proto_want want, struct reply *r)
{
	const struct timeval limit = { .tv_sec = 3 };
	const struct proto_hello h = { .version = PROTO_VERSION, .want = want };
	CLEANUP(cleanup_fdp) int fd = rundir_connect(name);
	struct proto_in in;
	struct buf b;
	char chunk[4096];
	ssize_t n = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	buf_init(&b, 65536);
	proto_put_hello(&b, &h);
	proto_in_init(&in);
	if (io_write_all(fd, b.data, b.len) < 0)
		n = -1;
	while (n > 0 && !r->type) {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0 && proto_feed(&in, chunk, (size_t)n, on_reply, r) < 0)
			n = -1;
	}
	proto_in_done(&in);
	buf_done(&b);
	return r->type ? 0 : -1;
}

static json *info(const char *name)
{
	struct reply r = { 0 };
	json *j = NULL;

	buf_init(&r.data, PROTO_MAX);
	if (ask(name, PROTO_WANT_INFO, &r) == 0 && r.type == PROTO_INFO)
		j = json_parse(r.data.data, r.data.len, NULL, NULL);
	buf_done(&r.data);
	return j;
}

/* ---- commands ----------------------------------------------------------------------------------- */

static int check_name(const char *name, struct err *e)
{
	if (!name || rundir_name_ok(name))
		return 0;
	return err_set(e, 0, "session name: letters, digits, '.', '_' and '-', at most %d, not first a dot or dash",
		       RUNDIR_NAME_MAX);
}

/* The name for a session of @dir: the directory's, and where that is taken by another directory, with a number.
 * *exists: a session of this very directory is running under it. */
static int default_name(const char *dir, char out[RUNDIR_NAME_MAX + 8], bool *exists, struct err *e)
{
	char base[RUNDIR_NAME_MAX + 1];

	rundir_name_from(dir, base);
	for (int i = 1; i <= NAMES_MAX; i++) {
		json *j;
		bool ours;

		snprintf(out, RUNDIR_NAME_MAX + 8, i > 1 ? "%s-%d" : "%s", base, i);
		j = info(out);
		ours = j && strcmp(json_str(j, "workspace", ""), dir) == 0;
		*exists = ours;
		if (!j || ours) {
			json_free(j);
			return 0;
		}
		json_free(j);
	}
	return err_set(e, 0, "too many sessions are named %s: name this one with -s", base);
}

static bool is_running(const char *name)
{
	int fd = rundir_connect(name);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int pick_name(const struct options *o, const char *dir, char out[RUNDIR_NAME_MAX + 8], bool *exists,
		     struct err *e)
{
	if (!o->session)
		return default_name(dir, out, exists, e);
	if (check_name(o->session, e) < 0)
		return -1;
	snprintf(out, RUNDIR_NAME_MAX + 8, "%s", o->session);
	*exists = is_running(out);
	return 0;
}

static int start(const struct options *o, const char *name, const char *dir, const struct proto_hello *h,
		 struct err *e)
{
	char *command[4 + 256] = { 0 };
	static char sh[] = "/bin/sh", flag[] = "-c", run[] = "exec \"$@\"", self[] = "sbxterm";
	struct server_in in = {
		.host = { .dir = dir, .policy = o->policy, .profile = o->profile }, .name = name,
		.rows = h->rows ? h->rows : 24, .cols = h->cols ? h->cols : 80,
	};

	if (o->nrest > 250)
		return err_set(e, 0, "COMMAND: too many words");
	if (o->nrest) {
		/* sh looks the program up in the PATH inside, which is not ours. */
		char *const head[] = { sh, flag, run, self };

		memcpy(command, head, sizeof(head));
		memcpy(command + 4, o->rest, (size_t)o->nrest * sizeof(char *));
		in.command = command;
		in.title = o->rest[0];
	}
	return server_start(&in, e);
}

int client_new(const struct options *o, struct err *e)
{
	CLEANUP(cleanup_freep) char *dir = NULL;
	char name[RUNDIR_NAME_MAX + 8], run[RUNDIR_MAX];
	struct proto_hello h = { 0 };
	bool exists = false;
	int fd;

	if (!o->detach && check_terminal(&h, e) < 0)
		return -1;
	if (host_directory(o->dir, &dir, e) < 0 || rundir_path(run, e) < 0 || pick_name(o, dir, name, &exists, e) < 0)
		return -1;
	if (exists && (o->detach || o->nrest || o->policy || o->profile))
		return err_set(e, 0, "session %s is running already: sbxterm attach -t %s shows it, -s NAME starts another",
			       name, name);
	if (!exists && start(o, name, dir, &h, e) < 0)
		return -1;
	if (o->detach)
		return 0;
	fd = rundir_connect(name);
	if (fd < 0)
		return err_set(e, errno, "connect to session %s", name);
	return attach(fd, &h, e);
}

/* -t NAME, or the only session there is. */
static int target(const struct options *o, char out[RUNDIR_NAME_MAX + 8], struct err *e)
{
	char **list;
	size_t n, live = 0;

	if (o->session) {
		if (check_name(o->session, e) < 0)
			return -1;
		snprintf(out, RUNDIR_NAME_MAX + 8, "%s", o->session);
		return is_running(out) ? 0 : err_set(e, 0, "no session named %s: sbxterm ls lists them", out);
	}
	n = rundir_list(&list);
	for (size_t i = 0; i < n; i++) {
		if (is_running(list[i]) && ++live == 1)
			snprintf(out, RUNDIR_NAME_MAX + 8, "%s", list[i]);
		free(list[i]);
	}
	free(list);
	if (live == 1)
		return 0;
	return live ? err_set(e, 0, "several sessions are running: choose one with -t NAME (sbxterm ls)")
		: err_set(e, 0, "no session is running: `sbxterm` starts one");
}

int client_attach(const struct options *o, struct err *e)
{
	char name[RUNDIR_NAME_MAX + 8];
	struct proto_hello h;
	int fd;

	if (check_terminal(&h, e) < 0 || target(o, name, e) < 0)
		return -1;
	fd = rundir_connect(name);
	if (fd < 0)
		return err_set(e, errno, "connect to session %s", name);
	return attach(fd, &h, e);
}

static void print_info(const char *name, const json *j)
{
	long long age = (long long)time(NULL) - (long long)json_num(j, "started", 0);
	struct buf dir;

	buf_init(&dir, 8192);
	quote_into(&dir, json_str(j, "workspace", "?"), strlen(json_str(j, "workspace", "?")));
	printf("%s: %s (%lldh%02lldm, %d attached)%s\n", name, buf_str(&dir), age / 3600, age / 60 % 60,
	       (int)json_num(j, "clients", 0), json_bool(j, "question", false) ? " a question waits" : "");
	buf_done(&dir);
}

int client_ls(const struct options *o, struct err *e)
{
	char run[RUNDIR_MAX];
	char **list;
	size_t n;

	(void)o;
	if (rundir_path(run, e) < 0)
		return -1;
	n = rundir_list(&list);
	for (size_t i = 0; i < n; i++) {
		json *j = info(list[i]);

		/* No answer: a socket left by one that was killed. It goes when its name is used again. */
		if (j)
			print_info(list[i], j);
		json_free(j);
		free(list[i]);
	}
	free(list);
	return 0;
}

int client_kill(const struct options *o, struct err *e)
{
	char name[RUNDIR_NAME_MAX + 8];
	struct reply r = { 0 };
	int rc;

	if (target(o, name, e) < 0)
		return -1;
	buf_init(&r.data, PROTO_MAX);
	rc = ask(name, PROTO_WANT_KILL, &r);
	buf_done(&r.data);
	return rc < 0 ? err_set(e, 0, "session %s does not answer", name) : 0;
}

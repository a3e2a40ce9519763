#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "proto.h"
#include "rundir.h"
#include "session.h"
#include "typed.h"

#define CLIENTS_MAX	16
#define OUT_MAX		(80u << 20)	/* bytes for a client that it did not take yet: the largest picture and more */
#define OUT_BUSY	(64u << 10)	/* with so many waiting it gets no new picture */
#define FRAME_MS	16
#define FIRST_CLIENT_MS	5000		/* a session that ended waits so long for the one who started it */

struct conn {
	struct conn		*next;
	struct server		*srv;
	int			 fd, tty;	/* tty: the client's terminal, to restore it; or -1 */
	struct proto_in		 in;
	struct buf		 out;
	bool			 hello, attached, closing, dead;
	struct termios		 found, raw;	/* as the client found its terminal, as it set it */
	bool			 has_tty;
	struct screen		*screen;
	struct keys		*keys;
	struct typed		 typed;
	struct loop_timer	*esc, *hold;	/* hold: an answer counts then, if nothing follows it */
	bool			 prefix;	/* the next key is a command for us */
	int			 rows, cols;
};

struct server {
	struct host		*host;
	struct session		*session;
	struct loop		*loop;		/* the host's */
	const char		*name;
	char			 sock[RUNDIR_MAX + 64], gate[RUNDIR_MAX + 64];
	int			 lock, listener;
	struct conn		*conns;
	unsigned		 nconns;
	time_t			 started;
	struct loop_timer	*frame, *arm;	/* arm: a banner's keys go live then */
	uint64_t		 drawn;		/* when */
	bool			 was_attached, over;
	char			 last[256];	/* what the clients are told at the end */
};

/* ---- a client's end ----------------------------------------------------------------------------- */

/* The client is gone without a word (kill -9): its terminal is left raw. We hold a descriptor of it. If somebody
 * else set the modes meanwhile (the shell that started it), they are theirs and stay. */
static void restore_tty(struct conn *c)
{
	struct pollfd p = { .fd = c->tty, .events = POLLOUT };
	struct termios now;
	size_t len;
	const char *bytes = screen_restore_bytes(&len);

	if (c->tty < 0 || !c->has_tty || c->closing)
		return;
	if (tcgetattr(c->tty, &now) == 0 && now.c_lflag == c->raw.c_lflag && now.c_iflag == c->raw.c_iflag)
		tcsetattr(c->tty, TCSANOW, &c->found);
	/* Never wait for a terminal that takes nothing. */
	if (poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) && write(c->tty, bytes, len) < 0)
		fprintf(stderr, "sbxterm: restore a client's terminal: %s\n", strerror(errno));
}

static void conn_free(struct loop *l, void *arg)
{
	struct conn *c = arg;

	(void)l;
	screen_free(c->screen);		/* its last bytes go to nobody: ->dead */
	keys_free(c->keys);
	proto_in_done(&c->in);
	buf_done(&c->out);
	free(c);
}

static void fit_pane(struct server *s);

static void conn_close(struct conn *c)
{
	struct server *s = c->srv;
	struct conn **pp = &s->conns;

	if (c->dead)
		return;
	c->dead = true;
	restore_tty(c);
	loop_del_fd(s->loop, c->fd);
	loop_cancel_timer(s->loop, c->esc);
	loop_cancel_timer(s->loop, c->hold);
	close(c->fd);
	if (c->tty >= 0)
		close(c->tty);
	while (*pp != c)
		pp = &(*pp)->next;
	*pp = c->next;
	s->nconns--;
	proto_in_stop(&c->in);
	loop_defer(s->loop, conn_free, c);	/* its keys, screen and frames may be on the stack */
	if (c->attached && !s->over)
		fit_pane(s);
	if (s->over && !s->conns)
		loop_stop(s->loop);
}

static void conn_flush(struct conn *c)
{
	while (c->out.len) {
		ssize_t n = send(c->fd, c->out.data, c->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			conn_close(c);
			return;
		}
		if (n <= 0)
			break;
		buf_consume(&c->out, (size_t)n);
	}
	if (c->closing && !c->out.len) {
		conn_close(c);
		return;
	}
	loop_mod_fd(c->srv->loop, c->fd, c->out.len ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* Say goodbye: the client restores its terminal itself and prints @text. */
static void conn_end(struct conn *c, int status, const char *text)
{
	char msg[512];
	int n = snprintf(msg, sizeof(msg), "%c%s", status, text);

	if (c->dead || c->closing)
		return;
	c->closing = true;
	if (proto_put(&c->out, PROTO_EXIT, msg, (size_t)MIN(n, (int)sizeof(msg) - 1)) < 0)
		conn_close(c);
	else
		conn_flush(c);
}

/* ---- pictures ----------------------------------------------------------------------------------- */

static void on_screen(void *arg, const char *data, size_t len)
{
	struct conn *c = arg;

	if (c->dead || c->closing)
		return;
	for (size_t at = 0; at < len; at += PROTO_MAX) {
		if (proto_put(&c->out, PROTO_DATA, data + at, MIN(len - at, (size_t)PROTO_MAX)) < 0) {
			conn_close(c);	/* never happens within OUT_BUSY and one picture */
			return;
		}
	}
}

static void conn_draw(struct conn *c)
{
	struct screen_status st;

	/* A banner counts as seen from its flush on, so nothing may be in its way. */
	if (!c->screen || c->closing || c->out.len > (screen_banner_visible(c->screen) ? 0 : OUT_BUSY))
		return;
	session_status(c->srv->session, &st);
	screen_status(c->screen, &st);
	screen_flush(c->screen, session_pane(c->srv->session));
	if (!c->dead)
		conn_flush(c);
}

static void take_damage(struct server *s)
{
	int from, to;

	if (!pane_take_damage(session_pane(s->session), &from, &to))
		return;
	for (struct conn *c = s->conns; c; c = c->next) {
		if (c->screen)
			screen_damage(c->screen, from, to);
	}
}

static void draw_soon(void *arg);

static void on_arm(struct loop *l, void *arg)
{
	struct server *s = arg;

	(void)l;
	s->arm = NULL;
	draw_soon(s);
}

static void draw(struct server *s)
{
	int arm = -1;

	s->drawn = io_now_ns();
	take_damage(s);
	for (struct conn *c = s->conns, *next; c; c = next) {
		next = c->next;
		conn_draw(c);
	}
	for (struct conn *c = s->conns; c; c = c->next) {
		if (c->screen)
			arm = MAX(arm, screen_timer_ms(c->screen));
	}
	if (arm >= 0 && !s->arm)
		s->arm = loop_add_timer(s->loop, (uint64_t)arm, on_arm, s);
}

static void on_frame(struct loop *l, void *arg)
{
	struct server *s = arg;

	(void)l;
	s->frame = NULL;
	if (!s->over)
		draw(s);
}

/* The first change after a quiet time is shown at once, the following ones at most every FRAME_MS. */
static void draw_soon(void *arg)
{
	struct server *s = arg;
	uint64_t ago = (io_now_ns() - s->drawn) / 1000000u;

	if (s->frame || !s->session || s->over)
		return;
	s->frame = loop_add_timer(s->loop, ago >= FRAME_MS ? 0 : FRAME_MS - ago, on_frame, s);
}

static void conn_banner(struct conn *c)
{
	const struct job *j = session_front(c->srv->session);
	const char *line;
	size_t len;

	if (!c->screen)
		return;
	typed_drop(&c->typed);		/* it was for what is gone now */
	if (!j) {
		screen_banner_hide(c->screen);
		return;
	}
	line = job_line(j, &len);
	screen_banner(c->screen, job_verdict(j), line, len);
}

static void on_front(void *arg)
{
	struct server *s = arg;

	if (!s->session)
		return;
	for (struct conn *c = s->conns; c; c = c->next)
		conn_banner(c);
	draw_soon(s);
}

/* The smallest client decides how large the pane is. */
static void fit_pane(struct server *s)
{
	int rows = 0, cols = 0;

	for (struct conn *c = s->conns; c; c = c->next) {
		int r, k;

		if (!c->screen)
			continue;
		screen_pane_size(c->screen, &r, &k);
		rows = rows ? MIN(rows, r) : r;
		cols = cols ? MIN(cols, k) : k;
	}
	if (rows)
		session_resize(s->session, rows, cols);
	for (struct conn *c = s->conns; c; c = c->next) {
		if (c->screen)
			screen_redraw(c->screen);
	}
	draw_soon(s);
}

/* ---- keys --------------------------------------------------------------------------------------- */

static bool is_prefix(const struct key *k)
{
	return k->kind == KEY_CHAR && k->cp == 'b' && k->mod == KEY_CTRL;
}

static void detach(struct conn *c)
{
	char text[128];

	snprintf(text, sizeof(text), "[detached: sbxterm attach -t %s comes back]", c->srv->name);
	conn_end(c, 0, text);
}

/* True when the key was for us. */
static bool prefix_key(struct conn *c, const struct key *k)
{
	bool armed = c->prefix;

	if (k->kind != KEY_CHAR && k->kind != KEY_NAMED)
		return false;
	c->prefix = !armed && is_prefix(k);
	if (!armed)
		return c->prefix;
	if (k->kind == KEY_CHAR && k->cp == 'd' && !(k->mod & (KEY_CTRL | KEY_ALT)))
		detach(c);
	else if (is_prefix(k))
		return false;	/* twice: the program gets one */
	return true;
}

/* A refusal asks nothing, and its prompt is there already: the key that begins the next command takes it away and is
 * not lost. */
static bool starts_typing(const struct key *k)
{
	return k->kind == KEY_PASTE ||
	       (k->kind == KEY_CHAR && !(k->mod & (KEY_CTRL | KEY_ALT | KEY_SUPER)) && k->cp != '?');
}

static void on_hold(struct loop *l, void *arg)
{
	struct conn *c = arg;

	(void)l;
	c->hold = NULL;
	session_answer(c->srv->session, typed_take(&c->typed));
	draw_soon(c->srv);
}

/* While a question is up no key reaches the shell: what does not answer it is swallowed. */
static void banner_key(struct conn *c, const struct key *k)
{
	struct session *ses = c->srv->session;

	if (!session_waiting(ses) && starts_typing(k)) {
		session_answer(ses, ANSWER_NO);
		session_key(ses, k);
	} else {
		session_answer(ses, typed_key(&c->typed, c->screen, k));
	}
	if (!c->dead && typed_holds(&c->typed) && !c->hold)
		c->hold = loop_add_timer(c->srv->loop, TYPED_QUIET_MS + 1, on_hold, c);
	draw_soon(c->srv);
}

static void on_key(void *arg, const struct key *k)
{
	struct conn *c = arg;

	if (c->closing || c->dead || k->kind == KEY_REPLY || prefix_key(c, k))
		return;
	if (screen_banner_visible(c->screen))
		banner_key(c, k);
	else
		session_key(c->srv->session, k);
}

static void on_esc(struct loop *l, void *arg)
{
	struct conn *c = arg;

	(void)l;
	c->esc = NULL;
	keys_timeout(c->keys);
}

static void conn_typed(struct conn *c, const char *data, size_t len)
{
	struct loop *l = c->srv->loop;

	loop_cancel_timer(l, c->esc);
	loop_cancel_timer(l, c->hold);
	c->esc = c->hold = NULL;
	typed_read(&c->typed, len);
	keys_feed(c->keys, data, len);
	if (!c->dead && keys_pending(c->keys))
		c->esc = loop_add_timer(l, KEYS_ESC_MS, on_esc, c);
}

/* ---- frames ------------------------------------------------------------------------------------- */

static void send_info(struct conn *c)
{
	struct server *s = c->srv;
	struct screen_status st;
	json *j = json_new_object();
	unsigned clients = 0;
	char *text;

	for (struct conn *k = s->conns; k; k = k->next)
		clients += k->attached;
	session_status(s->session, &st);
	json_add_str(j, "name", s->name);
	json_add_str(j, "workspace", s->host->workspace);
	json_add_str(j, "cwd", st.cwd);
	json_add_int(j, "started", (long long)s->started);
	json_add_int(j, "clients", clients);
	json_add_str(j, "state", st.state);
	json_add_bool(j, "question", session_waiting(s->session));
	text = json_print(j);
	proto_put(&c->out, PROTO_INFO, text, strlen(text));
	c->closing = true;
	free(text);
	json_free(j);
	conn_flush(c);
}

static void end_all(struct server *s, int status, const char *text);

static void attach(struct conn *c, const struct proto_hello *h)
{
	struct server *s = c->srv;

	c->attached = s->was_attached = true;
	c->rows = h->rows;
	c->cols = h->cols;
	c->screen = screen_new(h->rows, h->cols, h->term, on_screen, c);
	screen_set_colorterm(c->screen, h->colorterm[0] ? h->colorterm : NULL);
	c->keys = keys_new(on_key, c);
	conn_banner(c);
	fit_pane(s);
	conn_draw(c);
	if (s->over)
		end_all(s, 0, s->last);
}

static void on_hello(struct conn *c, const char *data, size_t len)
{
	struct proto_hello h;
	struct err e;

	if (proto_get_hello(data, len, &h, &e) < 0) {
		conn_end(c, 125, e.msg);
		return;
	}
	c->hello = true;
	switch (h.want) {
	case PROTO_WANT_INFO:
		send_info(c);
		break;
	case PROTO_WANT_KILL:
		conn_end(c, 0, "");
		snprintf(c->srv->last, sizeof(c->srv->last), "[killed]");
		end_all(c->srv, 0, c->srv->last);
		break;
	case PROTO_WANT_ATTACH:
	case PROTO_WANT_COUNT:
		if (h.rows < 1 || h.cols < 1)
			conn_end(c, 125, "the terminal has no size");
		else
			attach(c, &h);
		break;
	}
}

static void on_tty(struct conn *c, const char *data, size_t len)
{
	if (len != sizeof(c->found) + sizeof(c->raw))
		return;
	memcpy(&c->found, data, sizeof(c->found));
	memcpy(&c->raw, data + sizeof(c->found), sizeof(c->raw));
	c->has_tty = true;
}

static void on_resize(struct conn *c, const char *data, size_t len)
{
	int rows, cols;

	if (proto_get_size(data, len, &rows, &cols) < 0)
		return;
	c->rows = rows;
	c->cols = cols;
	screen_resize(c->screen, rows, cols);
	fit_pane(c->srv);
}

static void on_frame_in(void *arg, enum proto_type type, const char *data, size_t len)
{
	struct conn *c = arg;

	if (c->dead || c->closing)
		return;
	if (!c->hello && type == PROTO_HELLO)
		on_hello(c, data, len);
	else if (!c->attached)
		conn_end(c, 125, "out of turn");
	else if (type == PROTO_DATA)
		conn_typed(c, data, len);
	else if (type == PROTO_RESIZE)
		on_resize(c, data, len);
	else if (type == PROTO_TTY)
		on_tty(c, data, len);
	else if (type == PROTO_DETACH)
		detach(c);
	else
		conn_end(c, 125, "out of turn");
}

static void keep_fd(struct conn *c, const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c->tty < 0 && isatty(fds[i]))
			c->tty = fds[i];
		else
			close(fds[i]);
	}
}

static void on_conn(struct loop *l, int fd, unsigned events, void *arg)
{
	struct conn *c = arg;
	char chunk[16384];
	int fds[4];
	size_t nfds = ARRAY_SIZE(fds);
	ssize_t n;

	(void)l;
	if (events & EPOLLOUT) {
		conn_flush(c);
		if (c->dead)
			return;
		draw_soon(c->srv);
	}
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	n = io_recv_fds(fd, chunk, sizeof(chunk), fds, &nfds);
	keep_fd(c, fds, nfds);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0 || proto_feed(&c->in, chunk, (size_t)n, on_frame_in, c) < 0)
		conn_close(c);
}

static bool peer_is_us(int fd)
{
	struct ucred u;
	socklen_t len = sizeof(u);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &len) == 0 && u.uid == geteuid())
		return true;
	fprintf(stderr, "sbxterm: refused a client of another user\n");
	return false;
}

static void on_accept(struct loop *l, int lfd, unsigned events, void *arg)
{
	struct server *s = arg;
	int fd = accept4(lfd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct conn *c;

	(void)events;
	if (fd < 0)
		return;
	if (!peer_is_us(fd) || s->nconns >= CLIENTS_MAX) {
		close(fd);
		return;
	}
	c = xcalloc(1, sizeof(*c));
	*c = (struct conn){ .srv = s, .fd = fd, .tty = -1, .next = s->conns };
	proto_in_init(&c->in);
	buf_init(&c->out, OUT_MAX);
	s->conns = c;
	s->nconns++;
	if (loop_add_fd(l, fd, EPOLLIN, on_conn, c) < 0)
		conn_close(c);
}

/* ---- the end ------------------------------------------------------------------------------------ */

static void on_late(struct loop *l, void *arg)
{
	(void)arg;
	loop_stop(l);
}

static void end_all(struct server *s, int status, const char *text)
{
	s->over = true;
	for (struct conn *c = s->conns, *next; c; c = next) {
		next = c->next;
		conn_end(c, status, text);
	}
	/* Who does not take the last word within this time is not waited for. */
	if (!s->conns)
		loop_stop(s->loop);
	else
		loop_add_timer(s->loop, 1000, on_late, s);
}

static void on_ended(void *arg, int status)
{
	struct server *s = arg;

	(void)status;
	snprintf(s->last, sizeof(s->last), "[exited]");
	if (s->over)
		return;
	if (s->session)
		draw(s);
	s->over = true;
	if (s->was_attached)
		end_all(s, 0, s->last);
	else
		loop_add_timer(s->loop, FIRST_CLIENT_MS, on_late, s);
}

static void on_signal(struct loop *l, const struct signalfd_siginfo *si, void *arg)
{
	struct server *s = arg;

	(void)l;
	snprintf(s->last, sizeof(s->last), "[ended by signal %u]", si->ssi_signo);
	end_all(s, 0, s->last);
}

/* ---- start -------------------------------------------------------------------------------------- */

/* Without the lock none of the files is ours to remove. */
static int lock_busy(struct server *s, struct err *e)
{
	close(s->lock);
	s->lock = -1;
	return err_set(e, 0, "a session named %s is starting or ending: try again", s->name);
}

static int take_lock(struct server *s, struct err *e)
{
	char path[RUNDIR_MAX + 64];
	struct stat mine, named;

	if (rundir_file(s->name, "lock", path, sizeof(path), e) < 0)
		return -1;
	s->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return err_set(e, errno, "%s", path);
	/* The one before us removes its file at its end: a lock on that one is none. */
	if (flock(s->lock, LOCK_EX | LOCK_NB) < 0 || fstat(s->lock, &mine) < 0 || stat(path, &named) < 0 ||
	    mine.st_ino != named.st_ino)
		return lock_busy(s, e);
	return 0;
}

static int listen_on(struct server *s, struct err *e)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	if (rundir_file(s->name, "sock", sa.sun_path, sizeof(sa.sun_path), e) < 0)
		return -1;
	snprintf(s->sock, sizeof(s->sock), "%s", sa.sun_path);
	unlink(s->sock);		/* left by one that was killed: we hold the lock */
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&sa, sizeof(sa)) < 0 || listen(s->listener, 8) < 0)
		return err_set(e, errno, "listen on %s", s->sock);
	if (loop_add_fd(s->loop, s->listener, EPOLLIN, on_accept, s) < 0)
		return err_set(e, errno, "watch %s", s->sock);
	return 0;
}

static int make_gate_dir(struct server *s, struct err *e)
{
	if (rundir_file(s->name, "gate", s->gate, sizeof(s->gate), e) < 0)
		return -1;
	if (mkdir(s->gate, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "make %s", s->gate);
	return 0;
}

static int watch_signals(struct server *s, struct err *e)
{
	static const int sig[] = { SIGTERM, SIGINT, SIGHUP };

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(sig); i++) {
		if (loop_add_signal(s->loop, sig[i], on_signal, s) < 0)
			return err_set(e, errno, "watch signals");
	}
	return 0;
}

static int open_session(struct server *s, const struct server_in *in, struct err *e)
{
	struct session_in sin = {
		.host = s->host, .name = in->name, .gate_dir = s->gate, .command = in->command,
		.title = in->title,
		.rows = MAX(in->rows - 1, 2), .cols = MAX(in->cols, 2),	/* the status line takes one */
		.ev = { .damage = draw_soon, .front = on_front, .ended = on_ended, .arg = s },
	};

	return session_new(&sin, &s->session, e);
}

static int server_open(struct server *s, const struct server_in *in, struct err *e)
{
	/* The spawner forks off inside host_new(), before anything below has grown. */
	if (take_lock(s, e) < 0 || host_new(&in->host, &s->host, e) < 0)
		return -1;
	s->loop = s->host->loop;
	if (watch_signals(s, e) < 0 || make_gate_dir(s, e) < 0 || open_session(s, in, e) < 0)
		return -1;
	return listen_on(s, e);
}

/* The lock goes last: until then nobody else takes the name. What was logged stays. */
static void remove_files(struct server *s)
{
	char path[RUNDIR_MAX + 64];
	struct stat st;

	if (s->sock[0])
		unlink(s->sock);
	if (s->gate[0])
		rmdir(s->gate);
	if (rundir_file(s->name, "log", path, sizeof(path), NULL) == 0 && stat(path, &st) == 0 && !st.st_size)
		unlink(path);
	if (rundir_file(s->name, "lock", path, sizeof(path), NULL) == 0)
		unlink(path);
	close(s->lock);
}

static void server_done(struct server *s)
{
	while (s->conns)
		conn_close(s->conns);
	if (s->loop)
		loop_step(s->loop, 0, NULL);	/* frees them */
	session_free(s->session);
	host_free(s->host);
	if (s->lock >= 0)
		remove_files(s);
}

/* The daemon has no terminal: what it has to say beside the record goes to NAME.log. */
static void detach_stdio(const char *name)
{
	char path[RUNDIR_MAX + 64];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int log = rundir_file(name, "log", path, sizeof(path), NULL) < 0 ? -1
		: open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(log < 0 ? null : log, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	if (log > STDERR_FILENO)
		close(log);
}

/* In the daemon. One byte on @report says that the session is up; anything else is the reason why not. */
static int server_main(const struct server_in *in, int report)
{
	struct server s = { .name = in->name, .lock = -1, .listener = -1, .started = time(NULL) };
	struct err e = { 0 };
	int rc;

	rc = server_open(&s, in, &e);
	io_write_all(report, rc < 0 ? e.msg : "+", rc < 0 ? strlen(e.msg) : 1);
	close(report);
	if (rc == 0) {
		if (chdir("/") < 0)
			fprintf(stderr, "sbxterm: chdir /: %s\n", strerror(errno));
		rc = loop_run(s.loop, &e);
		if (rc < 0)
			fprintf(stderr, "sbxterm: %s\n", e.msg);
	}
	server_done(&s);
	return rc < 0 ? 125 : 0;
}

static void daemonize(const struct server_in *in, int report)
{
	pid_t pid;

	setsid();
	pid = fork();		/* not a session leader: can never get a controlling terminal */
	if (pid)
		_exit(pid < 0);
	umask(077);
	detach_stdio(in->name);
	exit(server_main(in, report));
}

static int wait_report(int fd, pid_t pid, struct err *e)
{
	char msg[ERR_MAX];
	ssize_t n = io_read_full(fd, msg, sizeof(msg) - 1);

	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (n == 1 && msg[0] == '+')
		return 0;
	if (n <= 0)
		return err_set(e, 0, "the session's server died while it started");
	msg[n] = '\0';
	return err_set(e, 0, "%s", msg);
}

int server_start(const struct server_in *in, struct err *e)
{
	int p[2], rc;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_set(e, errno, "pipe");
	pid = fork();
	if (pid == 0) {
		close(p[0]);
		daemonize(in, p[1]);
	}
	close(p[1]);
	rc = pid < 0 ? err_set(e, errno, "fork") : wait_report(p[0], pid, e);
	close(p[0]);
	return rc;
}

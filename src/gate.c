/* Wire format, between sbx-ask (sandbox/helper/ask.c) and the host. A frame is a type, a 32 bit little-endian
 * length, and a payload. A connection is used once:
 *
 *   helper  H  shell					an interactive shell has started
 *   host    N  nonce					and the connection ends
 *
 *   helper  A  shell NUL nonce NUL cwd NUL shlvl NUL text	a command is held; text is what `history 1` printed
 *   host    F  (letter name NUL)...			any number of times: what are these?
 *   helper  V  status value				one for each name, in order; statuses: conf/shell/answer.bash
 *   host    R | D  message for the terminal		run or drop, and the connection ends
 *   helper  X  as A					the shell could not read this command and dropped it
 *
 *   helper  G  cwd NUL name NUL argc NUL (word NUL)... (NAME=value NUL)...	a program was called (sbx-detour); the header
 *						carries its three standard descriptors
 *   host    P					it may run as it is, and the connection ends
 *   host    R, with the master of its terminal	it runs
 *   helper  K  signal				one byte, for the program
 *   host    E  wait status			32 bit, and the connection ends; a refusal is D, as above
 *
 * Anything else from the helper, too much of it, or before it was asked, ends the connection: nothing runs.
 */
#include "gate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"
#include "fetch.h"
#include "intercept/cmdline.h"
#include "proc.h"

#define GATE_CONNS	64
#define GATE_SHELLS	256
#define GATE_DENIED	16
#define GATE_HEADER	5u
#define GATE_QUESTION	(CMDLINE_MAX + 16384u)	/* bytes of an A frame */
#define GATE_MESSAGE	65536u
#define GATE_PATIENCE	10000u			/* ms for a connection to put its question */
#define GATE_NONCE	32u
#define GATE_WORDS	65536u		/* words and variables of a call */

enum conn_state { CONN_NEW = 0, CONN_HELD, CONN_FETCHING, CONN_RUNNING, CONN_OVER };

struct conn {
	struct conn		*next;
	struct gate		*gate;
	int			 fd;		/* -1 when over and flushed */
	enum conn_state		 state;
	pid_t			 peer;
	struct loop_timer	*timer;
	struct buf		 in, out;
	struct gate_question	 q;
	struct gate_call	 call;
	char			**table;	/* owned; words, NULL, environment, NULL */
	size_t			 nfd;		/* of .call.fd, that came */
	char			*frame;		/* owned; the strings of .q point into it */
	char			*raw;		/* owned; text with its history number */
	struct live		*live;		/* borrowed while fetching */
	struct buf		 names;		/* asked for; taken from the front as answers come */
	bool			 busy;		/* on the stack: do not free */
};

struct shell {
	pid_t	pid;
	char	nonce[GATE_NONCE + 1];
};

/* A refused line may be put once more at once (bash evaluates the subscript in PS0 twice). */
struct denied {
	pid_t	 shell;		/* 0: free */
	char	*raw;		/* owned */
};

struct gate {
	struct loop		*loop;
	struct gate_events	 ev;
	int			 fd;
	char			*path;
	struct conn		*conns;
	size_t			 nconn;
	unsigned		 next_id, next_shell, next_denied;
	struct shell		 shell[GATE_SHELLS];
	struct denied		 denied[GATE_DENIED];
};

/* ---- connections ---- */

static void conn_close(struct conn *c)
{
	if (c->fd < 0)
		return;
	loop_del_fd(c->gate->loop, c->fd);
	close(c->fd);
	c->fd = -1;
	loop_cancel_timer(c->gate->loop, c->timer);
	c->timer = NULL;
}

static void conn_free(struct conn *c)
{
	conn_close(c);
	buf_done(&c->in);
	buf_done(&c->out);
	buf_done(&c->names);
	for (size_t i = 0; i < c->nfd; i++)
		close(c->call.fd[i]);
	free(c->table);
	free(c->frame);
	free(c->raw);
	free(c);
}

/* A question may be answered from anywhere, so a connection that is over is freed from here only. */
static void reap(struct gate *g)
{
	struct conn **pp = &g->conns;

	while (*pp) {
		struct conn *c = *pp;

		if (c->fd >= 0 || c->busy) {
			pp = &c->next;
			continue;
		}
		*pp = c->next;
		g->nconn--;
		conn_free(c);
	}
}

static void flush(struct conn *c)
{
	while (c->out.len) {
		ssize_t n = send(c->fd, c->out.data, c->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			loop_mod_fd(c->gate->loop, c->fd, EPOLLIN | EPOLLOUT);
			return;
		}
		if (n < 0) {	/* the read side will see the end */
			buf_clear(&c->out);
			break;
		}
		buf_consume(&c->out, (size_t)n);
	}
	if (c->state == CONN_OVER)
		conn_close(c);
	else
		loop_mod_fd(c->gate->loop, c->fd, EPOLLIN);
}

static void send_frame(struct conn *c, char type, const void *p, size_t len)
{
	unsigned char h[GATE_HEADER] = { (unsigned char)type, (unsigned char)len, (unsigned char)(len >> 8),
					 (unsigned char)(len >> 16), (unsigned char)(len >> 24) };

	if (c->fd < 0)
		return;
	buf_add(&c->out, h, sizeof(h));
	buf_add(&c->out, p, len);
	flush(c);
}

/* ---- who is it ---- */

/* In the host's view; 0 when it cannot be told. */
static pid_t parent_of(pid_t pid)
{
	struct proc p;

	proc_look(pid, &p);
	return p.parent;
}

static bool nonce_equal(const char *a, const char *b)
{
	unsigned char diff = 0;

	if (strlen(a) != GATE_NONCE || strlen(b) != GATE_NONCE)
		return false;
	for (size_t i = 0; i < GATE_NONCE; i++)
		diff |= (unsigned char)(a[i] ^ b[i]);
	return !diff;
}

static const struct shell *shell_find(const struct gate *g, const char *nonce)
{
	for (size_t i = 0; i < GATE_SHELLS; i++) {
		if (nonce_equal(g->shell[i].nonce, nonce))
			return &g->shell[i];
	}
	return NULL;
}

bool gate_nonce_ok(const struct gate *g, const char *nonce)
{
	return nonce && shell_find(g, nonce) != NULL;
}

/* Its old slot where it was known (exec bash), else the oldest. */
static struct shell *shell_slot(struct gate *g, pid_t pid)
{
	for (size_t i = 0; pid && i < GATE_SHELLS; i++) {
		if (g->shell[i].pid == pid)
			return &g->shell[i];
	}
	return &g->shell[g->next_shell++ % GATE_SHELLS];
}

static int make_nonce(char out[GATE_NONCE + 1])
{
	unsigned char r[GATE_NONCE / 2];

	if (io_random(r, sizeof(r)) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(r); i++)
		snprintf(out + 2 * i, 3, "%02x", r[i]);
	return 0;
}

static int on_hello(struct conn *c, const char *shell)
{
	struct gate *g = c->gate;
	pid_t pid = parent_of(c->peer);
	char nonce[GATE_NONCE + 1];
	struct shell *s;

	if (strlen(shell) > 16 || make_nonce(nonce) < 0)
		return -1;
	s = shell_slot(g, pid);
	s->pid = pid;
	memcpy(s->nonce, nonce, sizeof(nonce));
	c->state = CONN_OVER;
	send_frame(c, 'N', nonce, GATE_NONCE);
	if (g->ev.hello)
		g->ev.hello(g->ev.arg, pid, shell, nonce);
	return 0;
}

/* ---- refused lines that come back ---- */

static void denied_add(struct gate *g, pid_t shell, const char *raw)
{
	struct denied *d = &g->denied[g->next_denied++ % GATE_DENIED];

	if (!shell)
		return;
	free(d->raw);
	*d = (struct denied){ .shell = shell, .raw = xstrdup(raw) };
}

/* Same shell, same history entry, right after: no new question. Whatever else comes forgets it. */
static bool denied_again(struct gate *g, pid_t shell, const char *raw)
{
	bool same = false;

	for (size_t i = 0; shell && i < GATE_DENIED; i++) {
		struct denied *d = &g->denied[i];

		if (d->shell != shell)
			continue;
		same |= strcmp(d->raw, raw) == 0;
		free(d->raw);
		*d = (struct denied){ 0 };
	}
	return same;
}

/* ---- questions ---- */

/* "  12* text\n": the number that the history builtin puts before the text, and the newline after it. */
static void cut_number(const char **text, size_t *len)
{
	const char *s = *text, *end = s + *len;

	while (s < end && *s == ' ')
		s++;
	while (s < end && *s >= '0' && *s <= '9')
		s++;
	for (int i = 0; i < 2 && s < end && (*s == ' ' || *s == '*'); i++)
		s++;
	if (end > s && end[-1] == '\n')
		end--;
	*text = s;
	*len = (size_t)(end - s);
}

/* Split at the first four NULs; the text after them must not hold another one. */
static int question_fields(char *p, size_t len, const char *field[5])
{
	char *end = p + len;

	for (int i = 0; i < 4; i++) {
		char *nul = memchr(p, '\0', (size_t)(end - p));

		if (!nul)
			return -1;
		field[i] = p;
		p = nul + 1;
	}
	field[4] = p;
	return strlen(p) == (size_t)(end - p) ? 0 : -1;
}

static void answer(struct conn *c, enum gate_answer a, const char *message)
{
	size_t len = message ? MIN(strlen(message), (size_t)GATE_MESSAGE) : 0;

	c->state = CONN_OVER;
	send_frame(c, a == GATE_RUN ? 'R' : 'D', message ? message : "", len);
}

static int on_question(struct conn *c, bool rejected, const char *payload, size_t len)
{
	struct gate *g = c->gate;
	const struct shell *known;
	const char *f[5], *line;
	size_t n;

	c->frame = xmemdup0(payload, len);
	if (question_fields(c->frame, len, f) < 0 || strlen(f[0]) > 16 || strlen(f[2]) > 4096)
		return -1;
	line = f[4];
	n = strlen(line);
	c->raw = xstrdup(line);
	cut_number(&line, &n);
	c->frame[(size_t)(line - c->frame) + n] = '\0';
	known = shell_find(g, f[1]);
	c->q = (struct gate_question){
		.id = ++g->next_id, .shell = f[0], .line = line, .len = n, .cwd = f[2][0] == '/' ? f[2] : "",
		.shell_pid = parent_of(parent_of(c->peer)), .shlvl = (unsigned)strtoul(f[3], NULL, 10),
		.rejected = rejected, .own = c,
	};
	c->q.known_shell = known && known->pid && known->pid == c->q.shell_pid;
	c->state = CONN_HELD;
	loop_cancel_timer(g->loop, c->timer);	/* from here on the person may take their time */
	c->timer = NULL;
	if (denied_again(g, c->q.shell_pid, c->raw))
		answer(c, GATE_DROP, NULL);	/* not remembered a second time */
	else
		g->ev.ask(g->ev.arg, &c->q);
	return 0;
}

void gate_answer(struct gate_question *q, enum gate_answer a, const char *message)
{
	struct conn *c = q->own;

	if (a != GATE_RUN && !q->call)
		denied_add(c->gate, q->shell_pid, c->raw);
	answer(c, a, message);
}

/* ---- calls ---- */

/* The strings of a frame, one by one; NULL when there is none left. The frame ends with a NUL of ours. */
static char *next_string(char **p, const char *end)
{
	char *s = *p;

	if (s >= end)
		return NULL;
	*p = s + strlen(s) + 1;
	return s;
}

/* Words and environment into one table. -1: fewer words than were announced, or too many of all. */
static int call_table(struct conn *c, char *p, const char *end, size_t argc)
{
	size_t n = 0;
	char *s;

	if (argc < 1 || argc > GATE_WORDS)
		return -1;
	c->table = xcalloc(GATE_WORDS + 2, sizeof(*c->table));
	while (n < GATE_WORDS && (s = next_string(&p, end)))
		c->table[n < argc ? n : n + 1] = s, n++;
	if (n < argc || n == GATE_WORDS)
		return -1;
	c->call.argc = (int)argc;
	c->call.argv = c->table;
	c->call.env = c->table + argc + 1;
	return 0;
}

static int on_call(struct conn *c, const char *payload, size_t len)
{
	struct gate *g = c->gate;
	char *p = c->frame = xmemdup0(payload, len), *end = p + len;
	char *cwd = next_string(&p, end), *name = next_string(&p, end), *argc = next_string(&p, end);

	if (c->nfd != ARRAY_SIZE(c->call.fd) || !argc || strlen(cwd) > 4096 || call_table(c, p, end, strtoul(argc, NULL, 10)) < 0)
		return -1;
	c->call.name = name;
	c->raw = xstrdup("");
	c->q = (struct gate_question){
		.id = ++g->next_id, .shell = name, .line = "", .cwd = cwd[0] == '/' ? cwd : "", .shell_pid = c->peer,
		.call = &c->call, .own = c,
	};
	c->state = CONN_HELD;
	loop_cancel_timer(g->loop, c->timer);
	c->timer = NULL;
	g->ev.ask(g->ev.arg, &c->q);
	return 0;
}

void gate_call_plain(struct gate_question *q)
{
	struct conn *c = q->own;

	c->state = CONN_OVER;
	send_frame(c, 'P', NULL, 0);
}

int gate_call_started(struct gate_question *q, int master)
{
	static const unsigned char header[GATE_HEADER] = { 'R' };
	struct conn *c = q->own;

	/* The first thing that is said here, so the socket has room for it. */
	if (c->fd < 0 || io_send_fds(c->fd, header, sizeof(header), &master, 1) < 0) {
		c->state = CONN_OVER;
		conn_close(c);
		return -1;
	}
	/* The program has them now; as long as one of ours is open nobody sees the end of a pipe. */
	for (size_t i = 0; i < c->nfd; i++)
		close(c->call.fd[i]);
	c->nfd = 0;
	c->state = CONN_RUNNING;
	return 0;
}

void gate_call_ended(struct gate_question *q, int status)
{
	struct conn *c = q->own;
	const unsigned char s[4] = { (unsigned char)status, (unsigned char)(status >> 8), (unsigned char)(status >> 16),
				     (unsigned char)(status >> 24) };

	c->state = CONN_OVER;
	send_frame(c, 'E', s, sizeof(s));
}

static int on_call_signal(struct conn *c, const char *payload)
{
	static const char passed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	if (!memchr(passed, payload[0], sizeof(passed)))
		return -1;
	if (c->gate->ev.signal)
		c->gate->ev.signal(c->gate->ev.arg, &c->q, payload[0]);
	return 0;
}

/* ---- fetching ---- */

static void fetch_done(struct conn *c)
{
	struct gate *g = c->gate;
	struct live *live = c->live;

	c->live = NULL;
	c->state = CONN_HELD;
	g->ev.fetched(g->ev.arg, &c->q, live);
}

static void on_nothing_to_fetch(struct loop *l, void *arg)
{
	struct conn *c = arg;

	(void)l;
	c->timer = NULL;
	c->busy = true;
	fetch_done(c);
	c->busy = false;
	reap(c->gate);
}

int gate_fetch(struct gate_question *q, struct live *live)
{
	struct conn *c = q->own;

	if (c->state != CONN_HELD || c->fd < 0 || q->call)
		return -1;
	buf_clear(&c->names);
	c->state = CONN_FETCHING;
	c->live = live;
	if (fetch_names(live, &c->names))
		send_frame(c, 'F', c->names.data, c->names.len);
	else	/* not from inside the call: callers need not expect that */
		c->timer = loop_add_timer(c->gate->loop, 0, on_nothing_to_fetch, c);
	return 0;
}

static int on_value(struct conn *c, const char *payload, size_t len)
{
	const char *item = buf_str(&c->names);

	if (!len || !c->names.len || fetch_take(c->live, item, payload[0], payload + 1, len - 1) < 0)
		return -1;
	buf_consume(&c->names, strlen(item) + 1);
	if (!c->names.len)
		fetch_done(c);
	return 0;
}

/* ---- bytes in ---- */

/* How long a frame of this type may be now; 0: it must not come at all. */
static size_t frame_limit(const struct conn *c, char type)
{
	switch (c->state) {
	case CONN_NEW:
		return type == 'H' ? 64 : type == 'A' || type == 'X' || type == 'G' ? GATE_QUESTION : 0;
	case CONN_RUNNING:
		return type == 'K' ? 1 : 0;
	case CONN_FETCHING:
		return type == 'V' && c->names.len ? FETCH_VALUE + 64 : 0;
	case CONN_HELD:
	case CONN_OVER:
		break;
	}
	return 0;
}

static int on_frame(struct conn *c, char type, const char *payload, size_t len)
{
	CLEANUP(cleanup_freep) char *text = NULL;

	switch (type) {
	case 'H':
		text = xmemdup0(payload, len);
		return on_hello(c, text);
	case 'A':
	case 'X':
		return on_question(c, type == 'X', payload, len);
	case 'G':
		return on_call(c, payload, len);
	case 'K':
		return len == 1 ? on_call_signal(c, payload) : -1;
	default:
		return on_value(c, payload, len);
	}
}

/* All complete frames. -1: not our protocol. */
static int parse(struct conn *c)
{
	while (c->in.len >= GATE_HEADER && c->state != CONN_OVER) {
		const unsigned char *h = (const unsigned char *)c->in.data;
		size_t len = (size_t)h[1] | (size_t)h[2] << 8 | (size_t)h[3] << 16 | (size_t)h[4] << 24;

		if (len > frame_limit(c, (char)h[0]) || !frame_limit(c, (char)h[0]))
			return -1;
		if (c->in.len < GATE_HEADER + len)
			return 0;
		if (on_frame(c, (char)h[0], c->in.data + GATE_HEADER, len) < 0)
			return -1;
		buf_consume(&c->in, GATE_HEADER + len);
	}
	return c->state == CONN_HELD && c->in.len ? -1 : 0;
}

static void lost(struct conn *c)
{
	struct gate *g = c->gate;
	bool open = c->state == CONN_HELD || c->state == CONN_FETCHING || c->state == CONN_RUNNING;

	c->state = CONN_OVER;
	conn_close(c);
	if (!open)
		return;
	if (!c->q.call)
		denied_add(g, c->q.shell_pid, c->raw);
	g->ev.gone(g->ev.arg, &c->q);
}

/* Descriptors are only taken from a connection that has said nothing yet. */
static void take_fds(struct conn *c, const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c->state == CONN_NEW && c->nfd < ARRAY_SIZE(c->call.fd))
			c->call.fd[c->nfd++] = fds[i];
		else
			close(fds[i]);
	}
}

/* A few reads per wake-up; a value that comes in full still arrives soon. */
static int take(struct conn *c)
{
	char chunk[65536];

	for (int i = 0; i < 4 && c->fd >= 0 && c->state != CONN_OVER; i++) {
		int fds[8];
		size_t nfd = ARRAY_SIZE(fds);
		ssize_t n = io_recv_fds(c->fd, chunk, sizeof(chunk), fds, &nfd);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		take_fds(c, fds, nfd);
		if (n <= 0 || buf_add(&c->in, chunk, (size_t)n) < 0 || parse(c) < 0)
			return -1;
	}
	return 0;
}

static void on_conn(struct loop *l, int fd, unsigned events, void *arg)
{
	struct conn *c = arg;
	struct gate *g = c->gate;

	(void)l;
	(void)fd;
	c->busy = true;
	if (events & EPOLLOUT)
		flush(c);
	if (c->fd >= 0 && c->state == CONN_OVER && events & (EPOLLHUP | EPOLLERR))
		conn_close(c);
	else if (c->fd >= 0 && events & (EPOLLIN | EPOLLHUP | EPOLLERR) && take(c) < 0)
		lost(c);
	c->busy = false;
	reap(g);
}

static void on_impatient(struct loop *l, void *arg)
{
	struct conn *c = arg;

	(void)l;
	c->timer = NULL;
	conn_close(c);
	reap(c->gate);
}

static bool peer_ok(int fd, pid_t *pid)
{
	struct ucred u;
	socklen_t len = sizeof(u);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &len) < 0 || u.uid != geteuid())
		return false;
	*pid = u.pid;
	return true;
}

static void on_accept(struct loop *l, int fd, unsigned events, void *arg)
{
	struct gate *g = arg;
	struct conn *c;
	pid_t pid = 0;
	int s;

	(void)events;
	reap(g);
	s = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (s < 0)
		return;
	if (g->nconn >= GATE_CONNS || !peer_ok(s, &pid)) {
		close(s);
		return;
	}
	c = xcalloc(1, sizeof(*c));
	*c = (struct conn){ .next = g->conns, .gate = g, .fd = s, .peer = pid };
	buf_init(&c->in, GATE_HEADER + MAX(GATE_QUESTION, FETCH_VALUE) + 2 * 65536u);
	buf_init(&c->out, FETCH_BYTES + GATE_MESSAGE + 64);
	buf_init(&c->names, FETCH_BYTES);
	if (loop_add_fd(l, s, EPOLLIN, on_conn, c) < 0) {
		c->fd = -1;
		close(s);
		conn_free(c);
		return;
	}
	c->timer = loop_add_timer(l, GATE_PATIENCE, on_impatient, c);
	g->conns = c;
	g->nconn++;
}

/* ---- life ---- */

static int check_dir(const char *dir, struct err *e)
{
	struct stat st;

	if (lstat(dir, &st) < 0)
		return err_set(e, errno, "gate directory %s", dir);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
		return err_set(e, 0, "gate directory %s: not a private directory of ours", dir);
	return 0;
}

static int listen_at(const char *path, struct err *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(a.sun_path))
		return err_set(e, ENAMETOOLONG, "gate socket %s", path);
	memcpy(a.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(e, errno, "gate socket");
	unlink(path);	/* left by a server that died; the directory is ours alone */
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || chmod(path, 0600) < 0 || listen(fd, 16) < 0) {
		err_set(e, errno, "gate socket %s", path);
		close(fd);
		return -1;
	}
	return fd;
}

int gate_new(struct loop *l, const char *dir, const struct gate_events *ev, struct gate **out, struct err *e)
{
	CLEANUP(cleanup_freep) char *path = xasprintf("%s/sock", dir);
	struct gate *g;
	int fd;

	if (check_dir(dir, e) < 0)
		return -1;
	fd = listen_at(path, e);
	if (fd < 0)
		return -1;
	g = xcalloc(1, sizeof(*g));
	*g = (struct gate){ .loop = l, .ev = *ev, .fd = fd, .path = STEAL(path) };
	if (loop_add_fd(l, fd, EPOLLIN, on_accept, g) < 0) {
		err_set(e, errno, "gate socket");
		g->fd = -1;
		close(fd);
		gate_free(g);
		return -1;
	}
	*out = g;
	return 0;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	if (g->fd >= 0) {
		loop_del_fd(g->loop, g->fd);
		close(g->fd);
	}
	unlink(g->path);
	while (g->conns) {
		struct conn *c = g->conns;

		g->conns = c->next;
		conn_free(c);
	}
	for (size_t i = 0; i < GATE_DENIED; i++)
		free(g->denied[i].raw);
	free(g->path);
	free(g);
}

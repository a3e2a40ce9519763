/* Protocol with conf/shell/run.bash, over one stream socket.
 *
 * Host to shell: text that bash reads as its script, one line at a time, made of fixed words and $'...' strings
 * of this file only. Shell to host: "ready" NUL status NUL directory NUL when it waits for a line; and after
 * a fetch, for each name its value, a marker that the value cannot know, and a status; status e ends them.
 * The shell is hostile: everything is bounded, and what does not fit the protocol ends it.
 */
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "fetch.h"
#include "intercept/cmdline.h"

#define DRIVER_NONCE	32u
#define DRIVER_OUT	(4u * CMDLINE_MAX + 65536u)	/* a line of nothing but bytes to escape */

enum driver_state { DRIVER_BUSY = 0, DRIVER_READY, DRIVER_FETCHING, DRIVER_GONE };

struct driver {
	struct loop		*loop;
	struct driver_events	 ev;
	int			 fd;		/* owned; -1 when gone */
	enum driver_state	 state;
	char			 nonce[DRIVER_NONCE + 1], marker[DRIVER_NONCE + 1];
	struct buf		 in, out, names;
	struct live		*live;		/* borrowed while fetching */
	bool			 big;		/* the value that is coming was cut */
};

static int random_hex(char out[DRIVER_NONCE + 1])
{
	unsigned char r[DRIVER_NONCE / 2];

	if (io_random(r, sizeof(r)) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(r); i++)
		snprintf(out + 2 * i, 3, "%02x", r[i]);
	return 0;
}

/* May free @d: the last thing a callback does. */
static void end(struct driver *d)
{
	if (d->state == DRIVER_GONE)
		return;
	d->state = DRIVER_GONE;
	loop_del_fd(d->loop, d->fd);
	close(d->fd);
	d->fd = -1;
	d->ev.gone(d->ev.arg);
}

/* ---- out ---- */

static void flush(struct driver *d)
{
	while (d->out.len) {
		ssize_t n = send(d->fd, d->out.data, d->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			loop_mod_fd(d->loop, d->fd, EPOLLIN | EPOLLOUT);
			return;
		}
		if (n < 0) {	/* the read side will see the end */
			buf_clear(&d->out);
			break;
		}
		buf_consume(&d->out, (size_t)n);
	}
	loop_mod_fd(d->loop, d->fd, EPOLLIN);
}

/* As one word of bash. Octal is always three digits, so what follows cannot join it. */
static void add_word(struct buf *out, const char *s, size_t len)
{
	buf_adds(out, "$'");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ')
			buf_addc(out, (char)c);
		else
			buf_addf(out, "\\%03o", c);
	}
	buf_addc(out, '\'');
}

int driver_run(struct driver *d, const char *line, size_t len)
{
	if (d->state != DRIVER_READY || len > CMDLINE_MAX || memchr(line, '\0', len))
		return -1;
	buf_adds(&d->out, "__sbx_line=");
	add_word(&d->out, line, len);
	buf_adds(&d->out, "\n__sbx_begin; builtin eval -- \"$__sbx_line\" </dev/null 250>&- 251>&-; "
			  "__sbx_end \"$?\" ran\n");
	d->state = DRIVER_BUSY;
	flush(d);
	return 0;
}

void driver_set_status(struct driver *d, int status)
{
	if (d->state != DRIVER_READY)
		return;
	buf_addf(&d->out, "__sbx_rc=%d\n", status);
	flush(d);
}

int driver_fetch(struct driver *d, struct live *live)
{
	if (d->state != DRIVER_READY || random_hex(d->marker) < 0)
		return -1;
	buf_clear(&d->names);
	fetch_names(live, &d->names);
	buf_addf(&d->out, "__sbx_fetch %s", d->marker);
	for (size_t at = 0; at < d->names.len; at += strlen(d->names.data + at) + 1) {
		buf_addc(&d->out, ' ');
		add_word(&d->out, d->names.data + at, strlen(d->names.data + at));
	}
	buf_addc(&d->out, '\n');
	d->live = live;
	d->state = DRIVER_FETCHING;
	flush(d);
	return 0;
}

/* ---- in ---- */

/* What became of the bytes so far. After TAKEN_CALLED the driver may be gone: touch nothing. */
enum taken { TAKEN_BAD = -1, TAKEN_NOTHING, TAKEN_SOME, TAKEN_CALLED };

/* "ready" NUL status NUL directory NUL, and nothing after it: it waits now. */
static enum taken take_ready(struct driver *d)
{
	CLEANUP(cleanup_freep) char *cwd = NULL;
	const char *field[3], *p = buf_str(&d->in);
	size_t left = d->in.len;

	for (int i = 0; i < 3; i++) {
		const char *nul = memchr(p, '\0', left);

		if (!nul)
			return d->in.len > 8192 ? TAKEN_BAD : TAKEN_NOTHING;
		field[i] = p;
		left -= (size_t)(nul + 1 - p);
		p = nul + 1;
	}
	if (strcmp(field[0], "ready") != 0 || left)
		return TAKEN_BAD;
	cwd = xstrdup(field[2][0] == '/' ? field[2] : "");
	buf_clear(&d->in);
	d->state = DRIVER_READY;
	d->ev.ready(d->ev.arg, cwd);
	return TAKEN_CALLED;
}

static enum taken fetch_done(struct driver *d)
{
	struct live *live = d->live;

	d->state = DRIVER_READY;
	d->live = NULL;
	d->ev.fetched(d->ev.arg, live);
	return TAKEN_CALLED;
}

/* A value over the limit is dropped as it comes, but for what may be the marker's beginning. */
static enum taken no_marker_yet(struct driver *d)
{
	if (d->in.len > FETCH_VALUE) {
		buf_consume(&d->in, d->in.len - DRIVER_NONCE);
		d->big = true;
	}
	return TAKEN_NOTHING;
}

/* One answer: value, marker, status. */
static enum taken take_value(struct driver *d)
{
	char *hit = d->in.len ? memmem(d->in.data, d->in.len, d->marker, DRIVER_NONCE) : NULL;
	size_t len = hit ? (size_t)(hit - d->in.data) : 0;
	const char *item = buf_str(&d->names);
	char status;

	if (!hit || len + DRIVER_NONCE >= d->in.len)
		return no_marker_yet(d);
	status = hit[DRIVER_NONCE];
	if (status != 'e') {
		if (!d->names.len || fetch_take(d->live, item, d->big ? 'b' : status, d->in.data, len) < 0)
			return TAKEN_BAD;
		buf_consume(&d->names, strlen(item) + 1);
	}
	buf_consume(&d->in, len + DRIVER_NONCE + 1);
	d->big = false;
	if (status == 'e')
		return d->in.len ? TAKEN_BAD : fetch_done(d);
	return TAKEN_SOME;
}

static enum taken take(struct driver *d)
{
	switch (d->state) {
	case DRIVER_BUSY:
		return take_ready(d);
	case DRIVER_FETCHING:
		return take_value(d);
	case DRIVER_READY:
	case DRIVER_GONE:
		break;
	}
	return d->in.len ? TAKEN_BAD : TAKEN_NOTHING;	/* it was not asked */
}

static void readable(struct driver *d)
{
	char chunk[65536];
	ssize_t n = recv(d->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	enum taken t = TAKEN_SOME;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0 || buf_add(&d->in, chunk, (size_t)n) < 0) {
		end(d);
		return;
	}
	while (t == TAKEN_SOME)
		t = take(d);
	if (t == TAKEN_BAD)
		end(d);
}

static void on_fd(struct loop *l, int fd, unsigned events, void *arg)
{
	struct driver *d = arg;

	(void)l;
	(void)fd;
	if (events & EPOLLOUT)
		flush(d);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		readable(d);
}

/* ---- life ---- */

int driver_new(struct loop *l, int fd, const struct driver_events *ev, struct driver **out, struct err *e)
{
	struct driver *d = xcalloc(1, sizeof(*d));

	*d = (struct driver){ .loop = l, .ev = *ev, .fd = fd };
	buf_init(&d->in, FETCH_VALUE + 2 * 65536u + 256);
	buf_init(&d->out, DRIVER_OUT);
	buf_init(&d->names, FETCH_BYTES);
	if (random_hex(d->nonce) < 0 || io_cloexec(fd) < 0 || loop_add_fd(l, fd, EPOLLIN, on_fd, d) < 0) {
		err_set(e, errno, "headless shell");
		d->fd = -1;
		close(fd);
		driver_free(d);
		return -1;
	}
	/* The shell has the script's own path as $1. */
	buf_addf(&d->out, ". \"$1\" %s; shift\n", d->nonce);
	flush(d);
	*out = d;
	return 0;
}

void driver_free(struct driver *d)
{
	if (!d)
		return;
	if (d->fd >= 0) {
		loop_del_fd(d->loop, d->fd);
		close(d->fd);
	}
	buf_done(&d->in);
	buf_done(&d->out);
	buf_done(&d->names);
	free(d);
}

const char *driver_nonce(const struct driver *d)
{
	return d->nonce;
}

#include "proto.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

#define HEAD	5u
#define SIZE_MAX_CELLS 10000

static const char *const want_name[] = {
	[PROTO_WANT_ATTACH] = "attach", [PROTO_WANT_INFO] = "info", [PROTO_WANT_KILL] = "kill",
};
static_assert(ARRAY_SIZE(want_name) == PROTO_WANT_COUNT, "name every wish");

void proto_in_init(struct proto_in *in)
{
	*in = (struct proto_in){ 0 };
	buf_init(&in->buf, 2 * (HEAD + PROTO_MAX));
}

void proto_in_done(struct proto_in *in)
{
	buf_done(&in->buf);
}

void proto_in_stop(struct proto_in *in)
{
	in->stop = true;
}

static size_t frame_len(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (size_t)u[1] | (size_t)u[2] << 8 | (size_t)u[3] << 16 | (size_t)u[4] << 24;
}

/* Hand out the whole frames that are there; returns the bytes used, or -1. */
static long drain(struct proto_in *in, proto_fn *fn, void *arg)
{
	size_t at = 0;

	while (!in->stop && in->buf.len - at >= HEAD) {
		const char *p = in->buf.data + at;
		size_t len = frame_len(p);

		if (p[0] <= 0 || p[0] >= PROTO_TYPE_END || len > PROTO_MAX)
			return -1;
		if (in->buf.len - at < HEAD + len)
			break;
		at += HEAD + len;
		fn(arg, (enum proto_type)p[0], p + HEAD, len);
	}
	return (long)at;
}

int proto_feed(struct proto_in *in, const char *data, size_t len, proto_fn *fn, void *arg)
{
	while (len && !in->bad && !in->stop) {
		size_t n = MIN(len, (size_t)(HEAD + PROTO_MAX));
		long used;

		buf_add(&in->buf, data, n);	/* fits: at most one unfinished frame is kept */
		data += n;
		len -= n;
		used = drain(in, fn, arg);
		in->bad = used < 0;
		if (used > 0)
			buf_consume(&in->buf, (size_t)used);
	}
	return in->bad ? -1 : 0;
}

int proto_put(struct buf *out, enum proto_type type, const void *data, size_t len)
{
	char head[HEAD] = {
		(char)type, (char)(len & 0xff), (char)(len >> 8 & 0xff), (char)(len >> 16 & 0xff),
		(char)(len >> 24 & 0xff),
	};
	size_t before = out->len;

	if (len > PROTO_MAX || buf_add(out, head, HEAD) < 0)
		return -1;
	if (len && buf_add(out, data, len) < 0) {
		buf_truncate(out, before);
		return -1;
	}
	return 0;
}

int proto_put_hello(struct buf *out, const struct proto_hello *h)
{
	json *j = json_new_object();
	char *text;
	int rc;

	json_add_int(j, "version", h->version);
	json_add_str(j, "want", want_name[h->want]);
	json_add_int(j, "rows", h->rows);
	json_add_int(j, "cols", h->cols);
	json_add_str(j, "term", h->term);
	json_add_str(j, "colorterm", h->colorterm);
	text = json_print(j);
	rc = proto_put(out, PROTO_HELLO, text, strlen(text));
	free(text);
	json_free(j);
	return rc;
}

/* Names of terminals end up in look-ups of files: no slash, no control. */
static bool plain(const char *s)
{
	for (; *s; s++) {
		if (*s <= ' ' || *s >= 0x7f || *s == '/')
			return false;
	}
	return true;
}

static int take_str(const json *j, const char *key, char *out, size_t room)
{
	const char *s = json_str(j, key, "");

	if (strlen(s) >= room || !plain(s))
		return -1;
	memcpy(out, s, strlen(s) + 1);
	return 0;
}

static int take_int(const json *j, const char *key, int max, int *out)
{
	double v = json_num(j, key, 0);

	if (!(v >= 0 && v <= max))
		return -1;
	*out = (int)v;
	return 0;
}

static int fill_hello(const json *j, struct proto_hello *h)
{
	const char *want = json_str(j, "want", "");
	int w = 0;

	while (w < PROTO_WANT_COUNT && strcmp(want_name[w], want) != 0)
		w++;
	if (w == PROTO_WANT_COUNT)
		return -1;
	h->want = (enum proto_want)w;
	if (take_int(j, "rows", SIZE_MAX_CELLS, &h->rows) < 0 || take_int(j, "cols", SIZE_MAX_CELLS, &h->cols) < 0)
		return -1;
	return take_str(j, "term", h->term, sizeof(h->term)) < 0 ? -1
		: take_str(j, "colorterm", h->colorterm, sizeof(h->colorterm));
}

int proto_get_hello(const char *data, size_t len, struct proto_hello *h, struct err *e)
{
	json *j = json_parse(data, len, NULL, e);
	int rc = 0;

	*h = (struct proto_hello){ 0 };
	if (!j)
		return err_wrap(e, "hello");
	if (take_int(j, "version", 1 << 20, &h->version) < 0 || h->version != PROTO_VERSION)
		rc = err_set(e, 0, "the session speaks version %d, the client %d: detach and start it again",
			     PROTO_VERSION, h->version);
	else if (fill_hello(j, h) < 0)
		rc = err_set(e, 0, "hello: a field is not what it should be");
	json_free(j);
	return rc;
}

int proto_put_size(struct buf *out, int rows, int cols)
{
	char p[4] = { (char)(rows & 0xff), (char)(rows >> 8 & 0xff), (char)(cols & 0xff), (char)(cols >> 8 & 0xff) };

	return proto_put(out, PROTO_RESIZE, p, sizeof(p));
}

int proto_get_size(const char *data, size_t len, int *rows, int *cols)
{
	const unsigned char *u = (const unsigned char *)data;

	if (len != 4)
		return -1;
	*rows = u[0] | u[1] << 8;
	*cols = u[2] | u[3] << 8;
	return *rows > 0 && *cols > 0 && *rows <= SIZE_MAX_CELLS && *cols <= SIZE_MAX_CELLS ? 0 : -1;
}

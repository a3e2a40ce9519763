#include "term/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"

#define EVENT_MAX	(64u << 10)	/* bytes of output in one event; more makes several */
#define LINE_MAX_BYTES	(8 * EVENT_MAX + 256)	/* a byte is at most \uXXXX */

/* Where in "ESC ] 633 ; E ; line ; nonce" the stream is. */
enum where { TEXT, ESCAPE, NUMBER, FIELDS, OTHER_OSC };

struct record {
	int		 fd;		/* owned */
	uint64_t	 start;		/* io_now_ns() */
	bool		 failed;	/* said so; from here on nothing is written */
	struct buf	 line;		/* the event being made */
	struct buf	 text;		/* output without nonces, with what was held back */
	enum where	 where;
	unsigned	 nnumber;	/* characters of "633;" that matched */
	unsigned	 semis;		/* separators seen after it */
};

/* ---- lines ------------------------------------------------------------------------------------- */

static int line_write(struct record *r)
{
	if (r->failed)
		return 0;
	if (buf_addc(&r->line, '\n') < 0 || io_write_all(r->fd, r->line.data, r->line.len) < 0) {
		r->failed = true;
		return -1;
	}
	return 0;
}

static int event(struct record *r, char code, const char *data, size_t len)
{
	uint64_t us = (io_now_ns() - r->start) / 1000;

	buf_clear(&r->line);
	buf_addf(&r->line, "[%llu.%06llu, \"%c\", ", (unsigned long long)(us / 1000000),
		 (unsigned long long)(us % 1000000), code);
	json_quote(&r->line, data, len);
	buf_addc(&r->line, ']');
	return line_write(r);
}

static int header(struct record *r, int cols, int rows, const char *title, const char *env_shell,
		  const char *env_term)
{
	json *h = json_new_object(), *env;
	char *text;

	json_add_int(h, "version", 2);
	json_add_int(h, "width", cols);
	json_add_int(h, "height", rows);
	json_add_int(h, "timestamp", (long long)time(NULL));
	if (title)
		json_add_str(h, "title", title);
	env = json_add_object(h, "env");
	if (env_shell)
		json_add_str(env, "SHELL", env_shell);
	if (env_term)
		json_add_str(env, "TERM", env_term);
	text = json_print(h);
	json_free(h);
	buf_clear(&r->line);
	buf_adds(&r->line, text);
	free(text);
	return line_write(r);
}

/* ---- nonces ------------------------------------------------------------------------------------ */

static enum where osc_byte(struct record *r, char c)
{
	static const char number[] = "633;";

	if (r->where == NUMBER && c == number[r->nnumber]) {
		r->nnumber++;
		r->semis = 0;
		return number[r->nnumber] ? NUMBER : FIELDS;
	}
	if (r->where == FIELDS && c == ';')
		r->semis++;
	return r->where == FIELDS ? FIELDS : OTHER_OSC;
}

/* Where @c leads to; like the parser of the pane, so that both see the same strings. */
static enum where next(struct record *r, char c)
{
	switch (c) {
	case 0x1b:
		return ESCAPE;
	case 0x07: case 0x18: case 0x1a:
		return TEXT;
	}
	if (r->where == ESCAPE) {
		r->nnumber = 0;
		return c == ']' ? NUMBER : TEXT;
	}
	if (r->where == TEXT || (unsigned char)c < 0x20)
		return r->where;
	return osc_byte(r, c);
}

/* The nonce is what follows "E;line;" or "P;name=value;". */
static void add_without_nonce(struct record *r, const char *s, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		bool was = r->where == FIELDS && r->semis >= 2;

		r->where = next(r, s[i]);
		if (was && r->where == FIELDS) {
			buf_add(&r->text, s + from, i - from);
			from = i + 1;
		}
	}
	buf_add(&r->text, s + from, len - from);
}

/* ---- output ------------------------------------------------------------------------------------ */

/* Bytes at the end that begin a character whose rest is still to come. */
static size_t unfinished(const char *s, size_t len)
{
	for (size_t n = 1; n <= 3 && n <= len; n++) {
		unsigned char c = (unsigned char)s[len - n];

		if (c >= 0xc0)
			return (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) > n ? n : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

static int flush(struct record *r, bool all)
{
	size_t keep = all ? 0 : unfinished(buf_str(&r->text), r->text.len);
	size_t len = r->text.len - keep;
	int rc = len ? event(r, 'o', r->text.data, len) : 0;

	buf_consume(&r->text, len);
	return rc;
}

int record_output(struct record *r, const char *data, size_t len)
{
	while (len) {
		size_t n = MIN(len, EVENT_MAX - 16);

		add_without_nonce(r, data, n);
		if (flush(r, false) < 0)
			return -1;
		data += n;
		len -= n;
	}
	return 0;
}

int record_resize(struct record *r, int cols, int rows)
{
	char size[32];

	snprintf(size, sizeof(size), "%dx%d", cols, rows);
	return event(r, 'r', size, strlen(size));
}

int record_marker(struct record *r, const char *label)
{
	return event(r, 'm', label, MIN(strlen(label), EVENT_MAX));
}

/* ---- life -------------------------------------------------------------------------------------- */

int record_open(const char *path, bool overwrite, int cols, int rows, const char *title,
		const char *env_shell, const char *env_term, struct record **out, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (overwrite ? O_TRUNC : O_EXCL), 0600);
	struct record *r;

	if (fd < 0)
		return err_set(e, errno, "record to %s", path);
	r = xcalloc(1, sizeof(*r));
	r->fd = fd;
	r->start = io_now_ns();
	buf_init(&r->line, LINE_MAX_BYTES);
	buf_init(&r->text, EVENT_MAX);
	if (header(r, cols, rows, title, env_shell, env_term) < 0) {
		err_set(e, errno, "record to %s", path);
		record_close(r);
		return -1;
	}
	*out = r;
	return 0;
}

void record_close(struct record *r)
{
	if (!r)
		return;
	flush(r, true);
	close(r->fd);
	buf_done(&r->line);
	buf_done(&r->text);
	free(r);
}

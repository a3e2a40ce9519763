/* src/proto.h - frames between client and server
 *
 * A frame is a type byte, a length (32 bit, little endian) and so many bytes; at most PROTO_MAX. The first frame
 * of a client is PROTO_HELLO: a JSON object with the version, what it wants and what its terminal is. Both
 * sides take the other for hostile: an unknown type, a long frame or one out of place ends the connection.
 */
#ifndef SRC_PROTO_H
#define SRC_PROTO_H

#include <termios.h>

#include "base/buf.h"
#include "base/err.h"

#define PROTO_VERSION	1
#define PROTO_MAX	(256u << 10)

enum proto_type {
	PROTO_HELLO = 1,	/* client: struct proto_hello as JSON; the terminal's descriptor comes along */
	PROTO_TTY,		/* client: two struct termios, as found and as the client sets it */
	PROTO_DATA,		/* client: typed bytes; server: bytes for the terminal */
	PROTO_RESIZE,		/* client: rows, cols (16 bit each, little endian) */
	PROTO_DETACH,		/* client: let this one go */
	PROTO_EXIT,		/* server: over; a status byte, then a text for the person (may be empty) */
	PROTO_INFO,		/* server: the session as JSON, the answer to want "info" */
	PROTO_TYPE_END
};

enum proto_want { PROTO_WANT_ATTACH = 0, PROTO_WANT_INFO, PROTO_WANT_KILL, PROTO_WANT_COUNT };

struct proto_hello {
	int		 version;
	enum proto_want	 want;
	int		 rows, cols;
	char		 term[64], colorterm[64];
};

typedef void proto_fn(void *arg, enum proto_type type, const char *data, size_t len);

struct proto_in {
	struct buf	 buf;		/* at most one frame and what was read behind it */
	bool		 bad, stop;
};

void proto_in_init(struct proto_in *in);
void proto_in_done(struct proto_in *in);
/* Feed bytes; @fn is called for each whole frame. -1: not our protocol, close. @fn may call proto_in_stop(). */
int proto_feed(struct proto_in *in, const char *data, size_t len, proto_fn *fn, void *arg);
void proto_in_stop(struct proto_in *in);	/* no more calls: the owner is going */

/* Append a frame; -1 when @out is full or @len too long (then nothing was added). */
int proto_put(struct buf *out, enum proto_type type, const void *data, size_t len);
int proto_put_hello(struct buf *out, const struct proto_hello *h);
int proto_get_hello(const char *data, size_t len, struct proto_hello *h, struct err *e);
int proto_put_size(struct buf *out, int rows, int cols);
int proto_get_size(const char *data, size_t len, int *rows, int *cols);

#endif /* SRC_PROTO_H */

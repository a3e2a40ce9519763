#include "proto.h"
#include "tap.h"

static struct { unsigned n; enum proto_type type[8]; char data[8][64]; size_t len[8]; } got;

static void on_frame(void *arg, enum proto_type type, const char *data, size_t len)
{
	(void)arg;
	if (got.n < 8) {
		got.type[got.n] = type;
		got.len[got.n] = len;
		memcpy(got.data[got.n], data, MIN(len, (size_t)63));
	}
	got.n++;
}

static void frames(struct buf *b)
{
	const struct proto_hello h = { .version = PROTO_VERSION, .rows = 24, .cols = 80, .term = "xterm" };

	buf_init(b, 65536);
	proto_put_hello(b, &h);
	proto_put(b, PROTO_DATA, "abc", 3);
	proto_put(b, PROTO_DETACH, NULL, 0);
	proto_put_size(b, 300, 7);
}

/* Whatever way the bytes arrive, the frames are the same. */
static void test_cuts(void)
{
	struct buf b;
	bool same = true;

	frames(&b);
	for (size_t cut = 0; cut <= b.len; cut++) {
		struct proto_in in;

		memset(&got, 0, sizeof(got));
		proto_in_init(&in);
		same &= proto_feed(&in, b.data, cut, on_frame, NULL) == 0;
		same &= proto_feed(&in, b.data + cut, b.len - cut, on_frame, NULL) == 0;
		same &= got.n == 4 && got.type[0] == PROTO_HELLO && got.type[3] == PROTO_RESIZE;
		same &= got.len[1] == 3 && memcmp(got.data[1], "abc", 3) == 0 && got.len[2] == 0;
		proto_in_done(&in);
	}
	ok(same, "cut in two at every place");
	buf_done(&b);
}

static void test_bad(void)
{
	static const struct { const char *bytes; size_t len; const char *what; } bad[] = {
		{ "\0\0\0\0\0", 5, "type zero" },
		{ "\x7f\0\0\0\0", 5, "unknown type" },
		{ "\xff\0\0\0\0", 5, "negative type" },
		{ "\x03\xff\xff\xff\xff", 5, "four gigabytes" },
		{ "\x03\x01\0\x04\0", 5, "one byte too long" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct proto_in in;

		memset(&got, 0, sizeof(got));
		proto_in_init(&in);
		is_int(proto_feed(&in, bad[i].bytes, bad[i].len, on_frame, NULL), -1, bad[i].what);
		is_int(proto_feed(&in, "\x03\0\0\0\0", 5, on_frame, NULL), -1, "and stays bad");
		is_int(got.n, 0, "no frame");
		proto_in_done(&in);
	}
}

static void test_hello(void)
{
	static const struct { const char *text; int rc; } cases[] = {
		{ "{\"version\":1,\"want\":\"attach\",\"rows\":3,\"cols\":10,\"term\":\"xterm\"}", 0 },
		{ "{\"version\":2,\"want\":\"attach\"}", -1 },
		{ "{\"version\":1,\"want\":\"destroy\"}", -1 },
		{ "{\"version\":1,\"want\":\"attach\",\"rows\":-3}", -1 },
		{ "{\"version\":1,\"want\":\"attach\",\"rows\":1e99}", -1 },
		{ "{\"version\":1,\"want\":\"attach\",\"term\":\"../../etc/passwd\"}", -1 },
		{ "{\"version\":1,\"want\":\"attach\",\"term\":\"a\\u001b[\"}", -1 },
		{ "{}", -1 },
		{ "nonsense", -1 },
	};
	struct proto_hello h;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(proto_get_hello(cases[i].text, strlen(cases[i].text), &h, &e), cases[i].rc, cases[i].text);
	proto_get_hello(cases[0].text, strlen(cases[0].text), &h, &e);
	is_int(h.cols, 10, "columns");
	is_str(h.term, "xterm", "terminal type");
}

static void test_size(void)
{
	int r = 0, c = 0;

	is_int(proto_get_size("\x2c\x01\x07\x00", 4, &r, &c), 0, "a size");
	is_int(r, 300, "rows");
	is_int(c, 7, "columns");
	is_int(proto_get_size("\0\0\x07\0", 4, &r, &c), -1, "no rows");
	is_int(proto_get_size("\xff\xff\x07\0", 4, &r, &c), -1, "65535 rows");
	is_int(proto_get_size("\x01\0\x07", 3, &r, &c), -1, "three bytes");
}

int main(void)
{
	test_cuts();
	test_bad();
	test_hello();
	test_size();
	return tap_done();
}

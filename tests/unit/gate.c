/* The host's end of the gate against a fake helper: frames whole, cut at every place, and hostile ones. The fake
 * connects from this process, so its parent stands where the shell would.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"
#include "gate.h"
#include "intercept/cmdline.h"
#include "tap.h"

static char dir[64];
static struct loop *loop;
static struct gate *gate;

static struct {
	unsigned		 asked, gone, fetched, hello;
	struct gate_question	*q;
	char			 line[256], cwd[256];
	size_t			 len;
	unsigned		 shlvl;
} got;

static void on_ask(void *arg, struct gate_question *q)
{
	(void)arg;
	got.asked++;
	got.q = q;
	got.len = q->len;
	got.shlvl = q->shlvl;
	snprintf(got.line, sizeof(got.line), "%.250s", q->line);
	snprintf(got.cwd, sizeof(got.cwd), "%.250s", q->cwd);
}

static void on_fetched(void *arg, struct gate_question *q, struct live *l)
{
	(void)arg;
	(void)q;
	(void)l;
	got.fetched++;
}

static void on_gone(void *arg, struct gate_question *q)
{
	(void)arg;
	ok(q == got.q, "the question that is gone is the one that was asked");
	got.gone++;
	got.q = NULL;
}

static void on_hello(void *arg, pid_t pid, const char *shell, const char *nonce)
{
	(void)arg;
	(void)pid;
	(void)shell;
	ok(gate_nonce_ok(gate, nonce), "a nonce that was given out is known");
	got.hello++;
}

static int dial(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/sock", dir);
	ok(connect(s, (struct sockaddr *)&a, sizeof(a)) == 0, "connect");
	loop_step(loop, 0, NULL);
	return s;
}

static size_t frame(char *out, char type, const char *p, size_t len)
{
	unsigned char h[5] = { (unsigned char)type, (unsigned char)len, (unsigned char)(len >> 8),
			       (unsigned char)(len >> 16), (unsigned char)(len >> 24) };

	memcpy(out, h, 5);
	memcpy(out + 5, p, len);
	return len + 5;
}

static void put(int s, const char *p, size_t len)
{
	/* Fails where the host has hung up already: the caller looks at that. */
	ssize_t n = len ? send(s, p, len, MSG_NOSIGNAL) : 0;

	(void)n;
	for (int i = 0; i < 3; i++)
		loop_step(loop, 0, NULL);
}

/* What the host said, up to @room bytes; 0 at its end. */
static size_t hear(int s, char *out, size_t room)
{
	ssize_t n = recv(s, out, room - 1, MSG_DONTWAIT);

	out[MAX(n, 0)] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static bool closed(int s)
{
	char c;

	return recv(s, &c, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

#define BYTES(s) s, sizeof(s) - 1
#define ASK(text) "bash\0\0/w\0" "2\0" text

static void test_cuts(void)
{
	char f[256], in[256];
	size_t len = frame(f, 'A', BYTES(ASK("   12* echo hi\nthere\n")));

	for (size_t cut = 0; cut <= len; cut++) {
		unsigned n = got.asked;
		int s = dial();

		put(s, f, cut);
		is_int(got.asked, n + (cut == len), "nothing is asked before it is whole");
		put(s, f + cut, len - cut);
		is_int(got.asked, n + 1, "asked once");
		is_str(got.line, "echo hi\nthere", "without number and newline");
		is_str(got.cwd, "/w", "directory");
		is_int(got.shlvl, 2, "level");
		gate_answer(got.q, GATE_RUN, NULL);
		is_int(hear(s, in, sizeof(in)), 5, "one frame");
		ok(in[0] == 'R' && closed(s), "run, and the end");
		close(s);
		loop_step(loop, 0, NULL);
	}
	is_int(got.gone, 0, "an answered question does not go");
}

static void test_hostile(void)
{
	static const struct { char type; const char *p; size_t len; bool asked; const char *line; } c[] = {
		{ 'A', BYTES(ASK("")), true, "" },
		{ 'A', BYTES(ASK("ls")), true, "ls" },
		{ 'A', BYTES(ASK(" 1  a\n")), true, "a" },
		{ 'A', BYTES(ASK(" 1   a")), true, " a" },
		{ 'A', BYTES("bash\0\0rel\0" "2\0 1  x\n"), true, "x" },
		{ 'A', BYTES("bash\0\0/w\0" "2"), false },
		{ 'A', BYTES(""), false },
		{ 'A', BYTES("\0\0\0\0a\0b"), false },
		{ 'A', BYTES("a-very-long-shell-name\0\0/w\0" "2\0x"), false },
		{ 'V', BYTES("0declare -- A=1"), false },
		{ 'R', BYTES(""), false },
		{ 'N', BYTES("x"), false },
		{ '\0', BYTES(""), false },
		{ 'H', BYTES("a-very-long-shell-name"), false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		unsigned n = got.asked;
		char f[256], in[64];
		int s = dial();

		put(s, f, frame(f, c[i].type, c[i].p, c[i].len));
		is_int(got.asked, n + c[i].asked, "asked");
		if (c[i].asked) {
			is_str(got.line, c[i].line, "text");
			put(s, "x", 1);		/* a word before it is asked */
			ok(!got.q, "ends the question");
		}
		ok(closed(s) || (hear(s, in, sizeof(in)) && in[0] != 'R'), "nothing runs");
		close(s);
		loop_step(loop, 0, NULL);
	}
}

static void test_size(void)
{
	unsigned char h[5] = { 'A', 0xff, 0xff, 0xff, 0xff };
	char *big = xcalloc(1, CMDLINE_MAX + 65536);
	int s = dial();
	unsigned n = got.asked;

	put(s, (const char *)h, 5);
	ok(closed(s), "a frame that says 4 GiB ends it at once");
	close(s);
	memset(big, 'x', CMDLINE_MAX + 65536);
	s = dial();
	put(s, big, frame(big, 'A', BYTES(ASK("1  "))));	/* whole, but then too much follows */
	put(s, big, 4096);
	ok(!got.q && got.asked == n + 1, "bytes after the question end it");
	close(s);
	free(big);
}

static void test_fetch(void)
{
	struct live *l = live_new();
	char f[512], in[512];
	unsigned n = got.fetched, gone;
	int s = dial();

	live_get(l, LIVE_VAR, "A");
	live_get(l, LIVE_VAR, "bad name");
	live_get(l, LIVE_VAR, "$(x)");
	live_get(l, LIVE_VAR, "RANDOM");
	live_get(l, LIVE_FUNCTION, "f");
	put(s, f, frame(f, 'A', BYTES(ASK("1  x\n"))));
	is_int(gate_fetch(got.q, l), 0, "fetch");
	is_int(gate_fetch(got.q, l), -1, "one at a time");
	is_int(hear(s, in, sizeof(in)), 5 + 6, "only what can be asked");
	ok(in[0] == 'F' && memcmp(in + 5, "vA\0ff", 6) == 0, "the names");
	put(s, f, frame(f, 'V', BYTES("0declare -- A=\"1 2\"\n")));
	is_int(got.fetched, n, "not before the last one");
	put(s, f, frame(f, 'V', BYTES("1")));
	is_int(got.fetched, n + 1, "all there");
	is_str(live_get(l, LIVE_VAR, "A")->text, "1 2", "value");
	is_int(live_get(l, LIVE_FUNCTION, "f")->state, LIVE_UNSET, "no such function");
	is_int(live_get(l, LIVE_VAR, "RANDOM")->state, LIVE_UNKNOWN, "not asked stays unknown");
	live_wanted_clear(l);
	is_int(gate_fetch(got.q, l), 0, "nothing to fetch");
	is_int(got.fetched, n + 1, "is not answered inside the call");
	loop_step(loop, 0, NULL);
	is_int(got.fetched, n + 2, "but soon");
	live_get(l, LIVE_VAR, "B");
	is_int(gate_fetch(got.q, l), 0, "again");
	gone = got.gone;
	put(s, f, frame(f, 'V', BYTES("?what")));
	is_int(got.gone, gone + 1, "a status that is none ends it");
	ok(closed(s) || (hear(s, in, sizeof(in)) && in[0] == 'F'), "nothing runs");
	close(s);

	s = dial();
	put(s, f, frame(f, 'A', BYTES(ASK("2  x\n"))));
	is_int(gate_fetch(got.q, l), 0, "fetch");
	gate_answer(got.q, GATE_DROP, "no");
	is_int(hear(s, in, sizeof(in)), 5 + 3 + 5 + 2, "an answer while fetching");
	ok(in[8] == 'D' && strcmp(in + 13, "no") == 0, "is an answer");
	put(s, f, frame(f, 'V', BYTES("1")));
	is_int(got.fetched, n + 2, "and what comes later is not looked at");
	close(s);
	live_free(l);
}

/* This process's grandparent stands for the shell: it must exist for a repetition to be known. */
static void test_again(void)
{
	char f[256], in[64];
	unsigned n = got.asked;
	static const struct { const char *text; bool asked; } c[] = {
		{ "bash\0\0/w\0" "2\0 7  rm x\n", true },
		{ "bash\0\0/w\0" "2\0 7  rm x\n", false },	/* bash evaluates it twice */
		{ "bash\0\0/w\0" "2\0 7  rm x\n", true },	/* no more than that */
		{ "bash\0\0/w\0" "2\0 8  rm x\n", true },	/* typed again */
		{ "bash\0\0/w\0" "2\0 9  ls y\n", true },
		{ "bash\0\0/w\0" "2\0 8  rm x\n", true },	/* something else came between */
	};

	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		int s = dial();

		put(s, f, frame(f, 'A', c[i].text, 19));
		n += c[i].asked;
		is_int(got.asked, n, c[i].text + 11);
		if (c[i].asked)
			gate_answer(got.q, GATE_DROP, NULL);
		ok(hear(s, in, sizeof(in)) == 5 && in[0] == 'D', "refused");
		close(s);
	}
}

static void test_hello(void)
{
	char f[64], in[64];
	int s = dial();

	put(s, f, frame(f, 'H', BYTES("bash")));
	is_int(got.hello, 1, "hello");
	is_int(hear(s, in, sizeof(in)), 5 + 32, "a nonce");
	ok(in[0] == 'N' && gate_nonce_ok(gate, in + 5), "that is known");
	in[5] ^= 1;
	ok(!gate_nonce_ok(gate, in + 5) && !gate_nonce_ok(gate, "") && !gate_nonce_ok(gate, NULL), "others are not");
	close(s);
}

static void test_many(void)
{
	int s[80];
	char f[64];
	unsigned n = got.asked;

	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = dial();
	for (int i = 0; i < 4; i++)
		loop_step(loop, 0, NULL);
	ok(closed(s[79]), "too many at once are turned away");
	put(s[0], f, frame(f, 'A', BYTES(ASK("1  x\n"))));
	is_int(got.asked, n + 1, "the first ones work");
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		close(s[i]);
	for (int i = 0; i < 4; i++)
		loop_step(loop, 0, NULL);
	ok(!got.q, "and may go");
	s[0] = dial();
	put(s[0], f, frame(f, 'A', BYTES(ASK("2  x\n"))));
	is_int(got.asked, n + 2, "there is room again");
	gate_answer(got.q, GATE_RUN, NULL);
	close(s[0]);
}

/* Random frames: nothing but a question may come of it, and never an end of the program. */
/* ---- calls ---------------------------------------------------------------------------------------- */

static int signalled;

static void on_signal(void *arg, struct gate_question *q, int signo)
{
	(void)arg;
	ok(q == got.q, "the call that the signal is for");
	signalled = signo;
}

/* @n descriptors travel with the first @cut bytes. */
static int call(const char *p, size_t len, size_t nfd, size_t cut)
{
	char f[512];
	int s = dial(), fds[4], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	len = frame(f, 'G', p, len);
	for (size_t i = 0; i < nfd; i++)
		fds[i] = null;
	ok(io_send_fds(s, f, MIN(cut, len), fds, nfd) == 0, "descriptors sent");
	close(null);
	put(s, f + MIN(cut, len), len - MIN(cut, len));
	return s;
}

#define CALL "/w\0git\0" "3\0git\0commit\0-m x\0A=1\0B=\0"

static void test_call(void)
{
	char in[64];
	int pair[2], master = -1, s;
	size_t n = 1;

	for (size_t cut = 1; cut <= sizeof(CALL) + 4; cut++) {
		unsigned asked = got.asked;

		s = call(BYTES(CALL), 3, cut);
		is_int(got.asked, asked + 1, "asked once");
		is_str(got.cwd, "/w", "directory");
		if (!ok(got.q && got.q->call && got.q->call->argc == 3, "a call"))
			return;
		is_str(got.q->call->name, "git", "program");
		is_str(got.q->call->argv[2], "-m x", "words");
		ok(!got.q->call->argv[3] && !strcmp(got.q->call->env[1], "B=") && !got.q->call->env[2], "both lists end");
		gate_call_plain(got.q);
		is_int(hear(s, in, sizeof(in)), 5, "one frame");
		is_int(in[0], 'P', "may run as it is");
		close(s);
	}
	s = call(BYTES(CALL), 3, 4);
	put(s, BYTES("K\1\0\0\0\2"));
	is_int(got.gone, 1, "a signal before it runs ends the connection");
	close(s);
	s = call(BYTES(CALL), 3, 4);
	ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 && gate_call_started(got.q, pair[0]) == 0, "started");
	is_int(io_recv_fds(s, in, sizeof(in), &master, &n), 5, "one frame");
	ok(in[0] == 'R' && n == 1 && master >= 0, "with the terminal");
	put(s, BYTES("K\1\0\0\0\2"));
	is_int(signalled, 2, "a signal while it runs");
	gate_call_ended(got.q, 3 << 8);
	is_int(hear(s, in, sizeof(in)), 9, "one frame");
	ok(in[0] == 'E' && in[5] == 0 && in[6] == 3 && closed(s), "how it ended, and the end");
	close(s);
	close(master);
	close(pair[0]);
	close(pair[1]);
}

static void test_call_hostile(void)
{
	static const struct { const char *p; size_t len, nfd; } bad[] = {
		{ BYTES(CALL), 0 }, { BYTES(CALL), 2 }, { BYTES("/w\0git\0"), 3 }, { BYTES("/w\0git\0" "0\0git\0"), 3 },
		{ BYTES("/w\0git\0" "9\0git\0"), 3 }, { BYTES("/w\0git\0" "99999999999999999999\0git\0"), 3 }, { BYTES(""), 3 },
		{ BYTES("/w\0git\0-1\0git\0"), 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		unsigned asked = got.asked;
		int s = call(bad[i].p, bad[i].len, bad[i].nfd, 5);

		is_int(got.asked, asked, "not asked");
		ok(closed(s), "hung up");
		close(s);
	}
}

static void test_noise(void)
{
	unsigned seed = 1;

	for (int i = 0; i < 2000; i++) {
		char f[300];
		int s = dial();
		size_t n;

		for (n = 0; n < sizeof(f); n++) {
			seed = seed * 1103515245 + 12345;
			f[n] = (char)(seed >> 16);
		}
		f[0] = "AHVFRD"[seed % 6];
		f[1] = (char)(seed >> 8 & 63);
		f[2] = f[3] = f[4] = 0;
		n = seed % sizeof(f);
		put(s, f, n);
		close(s);
		for (int k = 0; k < 2; k++)
			loop_step(loop, 0, NULL);
	}
	ok(!got.q || got.gone, "alive");
}

int main(void)
{
	struct gate_events ev = { .ask = on_ask, .fetched = on_fetched, .gone = on_gone, .signal = on_signal, .hello = on_hello };
	struct err e = { 0 };
	char path[80];

	snprintf(dir, sizeof(dir), "/tmp/sbxgXXXXXX");
	ok(mkdtemp(dir) != NULL, "directory");
	loop = loop_new(&e);
	ok(chmod(dir, 0755) == 0 && gate_new(loop, dir, &ev, &gate, &e) < 0, "a directory that others can enter");
	ok(chmod(dir, 0700) == 0 && gate_new(loop, "/nonexistent", &ev, &gate, &e) < 0, "or none");
	is_int(gate_new(loop, dir, &ev, &gate, &e), 0, "gate");
	test_cuts();
	test_hostile();
	test_size();
	test_fetch();
	test_again();
	test_hello();
	test_many();
	got.gone = 0;
	test_call();
	test_call_hostile();
	test_noise();
	gate_free(gate);
	snprintf(path, sizeof(path), "%s/sock", dir);
	ok(access(path, F_OK) < 0, "no socket is left behind");
	rmdir(dir);
	loop_free(loop);
	return tap_done();
}

/* sbx-ask: carries one held command line from a shell in the sandbox to the host
 *
 *   sbx-ask hello SHELL [SOCKET]	register the shell that started us; prints its nonce
 *   sbx-ask ask SHELL [SOCKET [PWD [SHLVL]]]
 *					child of the shell's gate: question on stdin, verdict on stdout
 *   sbx-ask rejected SHELL [SOCKET [PWD [SHLVL]]]
 *					the same of a line that the shell could not read: nothing is going to run
 *
 * The wire to the host is described in src/gate.c. The other side, to the shell's gate (conf/shell/bash.rc):
 *   in:  nonce NUL text-with-history-number NUL, then answers: bytes, marker, one status character
 *   out: four characters each, a letter and a length of three digits, and that many bytes:
 *        m marker, v/f/a/o name of a variable, function, alias or option, and at last r000 (run) or d000 (drop)
 *
 * Whatever goes wrong ends it with nothing said, and the shell takes silence for a refusal. It reads no
 * environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define DEFAULT_SOCKET	"/run/sbxterm/gate/sock"
#define LINE_BYTES	((1u << 20) + 256)	/* CMDLINE_MAX and the number before it */
#define VALUE_BYTES	(1u << 20)
#define FRAME_BYTES	(1u << 17)		/* from the host: names, or a message */
#define MARKER_CHARS	32
#define NAME_CHARS	255

static void die(void)
{
	_exit(1);
}

static void put(int fd, const void *p, size_t len)
{
	const char *s = p;

	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die();
		s += n;
		len -= (size_t)n;
	}
}

/* At least one byte, or the end of everything. */
static size_t get(int fd, void *p, size_t room)
{
	ssize_t n;

	do
		n = read(fd, p, room);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		die();
	return (size_t)n;
}

static void get_all(int fd, void *p, size_t len)
{
	for (size_t at = 0; at < len;)
		at += get(fd, (char *)p + at, len - at);
}

static void *need(size_t len)
{
	void *p = malloc(len);

	if (!p)
		die();
	return p;
}

/* ---- frames to and from the host: type, 32 bit little-endian length, payload ---- */

static void send_frame(int sock, char type, const void *p, size_t len)
{
	unsigned char h[5] = { (unsigned char)type, (unsigned char)len, (unsigned char)(len >> 8),
			       (unsigned char)(len >> 16), (unsigned char)(len >> 24) };

	put(sock, h, sizeof(h));
	put(sock, p, len);
}

/* The payload gets a NUL after it; @room is with that NUL. */
static char recv_frame(int sock, char *p, size_t room, size_t *len)
{
	unsigned char h[5];

	get_all(sock, h, sizeof(h));
	*len = (size_t)h[1] | (size_t)h[2] << 8 | (size_t)h[3] << 16 | (size_t)h[4] << 24;
	if (*len >= room)
		die();
	get_all(sock, p, *len);
	p[*len] = '\0';
	return (char)h[0];
}

static int dial(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s;

	if (strlen(path) >= sizeof(a.sun_path))
		die();
	memcpy(a.sun_path, path, strlen(path) + 1);
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0 || connect(s, (struct sockaddr *)&a, sizeof(a)) < 0)
		die();
	return s;
}

/* ---- the terminal ---- */

/* The shell's own descriptors may point anywhere (exec 2>file): only the terminal will do. */
static int terminal(void)
{
	return open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

static size_t escape(char *out, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	char *o = out;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\\') {
			*o++ = '\\';
			*o++ = '\\';
		} else if (c <= 0x20 || c == ';' || c == 0x7f) {
			*o++ = '\\';
			*o++ = 'x';
			*o++ = hex[c >> 4];
			*o++ = hex[c & 15];
		} else {
			*o++ = (char)c;
		}
	}
	return (size_t)(o - out);
}

/* OSC 633;E;line;nonce in one write, so that nothing lands in the middle of it. */
static void capture_mark(int tty, const char *line, size_t len, const char *nonce)
{
	char *out = need(4 * len + strlen(nonce) + 16);
	size_t n = 0;

	n += (size_t)sprintf(out, "\033]633;E;");
	n += escape(out + n, line, len);
	n += (size_t)sprintf(out + n, ";%s\a", nonce);
	put(tty, out, n);
	free(out);
}

/* "  12* text\n" as the history builtin prints it. The host cuts the same way, from the same bytes. */
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

/* ---- the shell ---- */

static void tell_shell(char what, const char *arg, size_t len)
{
	char msg[8 + NAME_CHARS];
	int n = snprintf(msg, sizeof(msg), "%c%03u%.*s", what, (unsigned)len, (int)len, arg);

	put(STDOUT_FILENO, msg, (size_t)n);
}

static void make_marker(char out[MARKER_CHARS + 1])
{
	unsigned char r[MARKER_CHARS / 2];

	if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		die();
	for (size_t i = 0; i < sizeof(r); i++)
		sprintf(out + 2 * i, "%02x", r[i]);
}

/* Read up to the marker and one more character. The value existed before the marker was made, so it cannot hold
 * it. Returns the status; *len is the value's length, or the status is 'b' when it is too big to pass on. */
static char hear_shell(const char *marker, char *buf, size_t room, size_t *len)
{
	size_t have = 0;
	bool big = false;

	for (;;) {
		size_t from = have > MARKER_CHARS ? have - MARKER_CHARS : 0;
		char *hit;

		have += get(STDIN_FILENO, buf + have, room - have);
		hit = memmem(buf + from, have - from, marker, MARKER_CHARS);
		if (hit) {
			char status;

			*len = (size_t)(hit - buf);
			if (hit + MARKER_CHARS < buf + have)
				status = hit[MARKER_CHARS];
			else
				get_all(STDIN_FILENO, &status, 1);
			return big ? 'b' : status;
		}
		if (have == room) {	/* keep what may be the marker's beginning */
			big = true;
			memmove(buf, buf + have - MARKER_CHARS, MARKER_CHARS);
			have = MARKER_CHARS;
		}
	}
}

/* Names arrive as kind, name, NUL; each is answered by one 'V' frame: status, value. */
static void fetch(int sock, const char *names, size_t len)
{
	size_t room = VALUE_BYTES + MARKER_CHARS + 1;
	char marker[MARKER_CHARS + 1], *value = need(1 + room);

	make_marker(marker);
	tell_shell('m', marker, MARKER_CHARS);
	for (const char *p = names; p < names + len;) {
		size_t n = strlen(p), got = 0;

		if (n < 2 || n > NAME_CHARS || !memchr("vfao", *p, 4))
			die();
		tell_shell(*p, p + 1, n - 1);
		value[0] = hear_shell(marker, value + 1, room, &got);
		send_frame(sock, 'V', value, value[0] == 'b' ? 1 : got + 1);
		p += n + 1;
	}
	free(value);
}

/* Until the host speaks. The shell speaks only when asked: a word or an end from there ends us. */
static void wait_host(int sock)
{
	struct pollfd p[2] = { { .fd = sock, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno == EINTR)
			continue;
		if (p[1].revents)
			die();
		if (p[0].revents)
			return;
	}
}

/* ---- the two things it does ---- */

static int hello(const char *shell, const char *path)
{
	char nonce[256];
	size_t len;
	int sock = dial(path);

	send_frame(sock, 'H', shell, strlen(shell));
	if (recv_frame(sock, nonce, sizeof(nonce), &len) != 'N')
		die();
	put(STDOUT_FILENO, nonce, len);
	return 0;
}

/* The directory as the shell shows it where that is true, else as it is. */
static const char *directory(const char *pwd)
{
	struct stat a, b;
	char *real;

	if (pwd && *pwd == '/' && stat(pwd, &a) == 0 && stat(".", &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return pwd;
	real = getcwd(NULL, 0);
	return real && *real == '/' ? real : "";
}

/* Both strings of the shell's question: nonce NUL text NUL. A text that is too long becomes an empty one, which the
 * host refuses with a word about it. */
static void read_question(char *buf, size_t room, const char **nonce, const char **text, size_t *len)
{
	size_t have = 0, first = 0;
	bool big = false;

	do {
		if (have == room) {
			have = first;
			big = true;
		}
		have += get(STDIN_FILENO, buf + have, room - have);
		if (!first && memchr(buf, '\0', have))
			first = strlen(buf) + 1;
		if (!first && have > 256)
			die();
	} while (!first || have == first || buf[have - 1]);
	*nonce = buf;
	*text = big ? "" : buf + first;
	*len = strlen(*text);
	if (strspn(buf, "0123456789abcdef") != first - 1)
		die();
}

static size_t add(char *out, size_t at, const char *s, size_t len)
{
	memcpy(out + at, s, len);
	out[at + len] = '\0';
	return at + len + 1;
}

/* shell NUL nonce NUL cwd NUL shlvl NUL text */
static void send_question(int sock, char type, char **argv, const char *nonce, const char *text, size_t len)
{
	const char *shell = argv[0], *cwd = directory(argv[1] ? argv[2] : NULL);
	const char *lvl = argv[1] && argv[2] && argv[3] && strlen(argv[3]) < 16 ? argv[3] : "0";
	char *out;
	size_t n = 0;

	out = need(strlen(shell) + strlen(nonce) + strlen(cwd) + strlen(lvl) + len + 8);
	n = add(out, n, shell, strlen(shell));
	n = add(out, n, nonce, strlen(nonce));
	n = add(out, n, cwd, strlen(cwd));
	n = add(out, n, lvl, strlen(lvl));
	n = add(out, n, text, len);
	send_frame(sock, type, out, n - 1);
	free(out);
}

/* What makes the shell drop a command is an error, and it says so: "denied_by_sbxterm: readonly variable". Within an
 * application's string (APC) no terminal shows it; the shell's prompt hook ends the string, and so does whatever
 * begins with ESC. Where nobody could be asked the string is not begun, and the shell's words are seen. */
static const char silence[] = "\033_refused";

/* @argv: SHELL SOCKET PWD SHLVL as far as given, then NULL */
static int ask(char type, char **argv, const char *path)
{
	static char buf[LINE_BYTES], frame[FRAME_BYTES];
	const char *nonce, *text, *line;
	int tty = terminal(), sock;
	size_t len, n;

	read_question(buf, LINE_BYTES, &nonce, &text, &len);
	line = text;
	n = len;
	cut_number(&line, &n);
	if (tty >= 0 && n)
		capture_mark(tty, line, n, nonce);
	sock = dial(path);
	send_question(sock, type, argv, nonce, text, len);
	for (;;) {
		char said;

		wait_host(sock);
		said = recv_frame(sock, frame, FRAME_BYTES, &n);
		if (said == 'F') {
			fetch(sock, frame, n);
			continue;
		}
		if (n && tty >= 0)
			put(tty, frame, n);
		if (said != 'R' && type == 'A' && tty >= 0)
			put(tty, silence, sizeof(silence) - 1);
		tell_shell(said == 'R' ? 'r' : 'd', "", 0);
		return 0;
	}
}

/* The shell may ignore SIGINT (trap '' INT) and what it ignores we inherit; Ctrl-C must end the hold all the
 * same. Ctrl-Z must not: a stopped helper would leave the shell waiting for ever. */
static void signals(void)
{
	static const int dfl[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM }, ign[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE };
	sigset_t none;

	for (size_t i = 0; i < 4; i++) {
		signal(dfl[i], SIG_DFL);
		signal(ign[i], SIG_IGN);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int argc, char **argv)
{
	const char *path = argc > 3 ? argv[3] : DEFAULT_SOCKET;

	/* Holds the nonce while the person reads a banner: out of reach for what else runs here. */
	(void)prctl(PR_SET_DUMPABLE, 0);
	signals();
	if (argc > 2 && strcmp(argv[1], "hello") == 0)
		return hello(argv[2], path);
	if (argc > 2 && strcmp(argv[1], "ask") == 0)
		return ask('A', argv + 2, path);
	if (argc > 2 && strcmp(argv[1], "rejected") == 0)
		return ask('X', argv + 2, path);
	fputs("usage: sbx-ask hello|ask|rejected SHELL [SOCKET [PWD [SHLVL]]]\n", stderr);
	return 2;
}

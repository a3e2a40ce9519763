#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "term/pty.h"
#include "term/record.h"
#include "tap.h"

static char dir[] = "/tmp/sbxterm-record-XXXXXX";

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* Every line parsed; the data of all events with @code, one after another. */
static char *events(const char *path, const char *code, size_t *nlines)
{
	struct buf file, out;
	double last = 0;
	char *line, *rest;

	buf_init(&file, 8 << 20);
	buf_init(&out, 8 << 20);
	io_slurp(path, &file, NULL);
	ok(file.len && file.data[file.len - 1] == '\n', "the file ends with a whole line");
	*nlines = 0;
	for (rest = file.data; (line = strsep(&rest, "\n")) && *line;) {
		json *j = json_parse(line, strlen(line), NULL, NULL);
		const json *time = json_first(j), *what = json_next(time), *data = json_next(what);

		if (!ok(j != NULL, "each line is JSON"))
			printf("# %s\n", line);
		if ((*nlines)++ == 0) {
			is_int(json_num(j, "version", 0), 2, "version");
		} else if (ok(json_count(j) == 3 && json_text(what) && json_text(data), "an event")) {
			ok(json_value(time) >= last, "time never steps back");
			last = json_value(time);
			if (!strcmp(json_text(what), code))
				buf_adds(&out, json_text(data));
		}
		json_free(j);
	}
	buf_done(&file);
	return buf_steal(&out);
}

static struct record *start(const char *path)
{
	struct record *r = NULL;
	struct err e = { 0 };

	if (!ok(record_open(path, true, 80, 24, "a \"title\"", "/bin/bash", "xterm-256color", &r, &e) == 0, "open"))
		printf("# %s\n", e.msg);
	return r;
}

static const struct { const char *in, *want; } cases[] = {
	{ "plain\r\n", "plain\r\n" },
	{ "\033[1m\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\033[0m", "\033[1m\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\033[0m" },
	{ "a\xff" "b", "a\xef\xbf\xbd" "b" },
	{ "end \xc3", "end \xef\xbf\xbd" },
	{ "\"quoted\" \\ \x7f \x01", "\"quoted\" \\ \x7f \x01" },
	/* nonces */
	{ "\033]633;E;ls -l;s3cret\aout", "\033]633;E;ls -l;\aout" },
	{ "\033]633;E;ls;s3cret\033\\out", "\033]633;E;ls;\033\\out" },
	{ "\033]633;P;Cwd=/tmp;s3cret\a", "\033]633;P;Cwd=/tmp;\a" },
	{ "\033]633;E;ls;s3;cret\ax", "\033]633;E;ls;\ax" },
	{ "\033]633;A\a\033]633;D;0\a$ ", "\033]633;A\a\033]633;D;0\a$ " },
	{ "\033]133;A;aid=1;k=s\a\033]2;633;E;a;b;c\a", "\033]133;A;aid=1;k=s\a\033]2;633;E;a;b;c\a" },
	{ "\033]6330;a;b;c;d\a 633;E;a;b;c", "\033]6330;a;b;c;d\a 633;E;a;b;c" },
	{ "\033]633;E;a;b\x18;c;d", "\033]633;E;a;\x18;c;d" },
};

static void test_output(void)
{
	CLEANUP(cleanup_freep) char *path = path_of("out.cast");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].in), nlines;

		for (size_t cut = 0; cut <= len + 1; cut++) {
			struct record *r = start(path);
			CLEANUP(cleanup_freep) char *got = NULL;

			for (size_t at = 0; cut > len && at < len; at++)
				record_output(r, cases[i].in + at, 1);
			if (cut <= len) {
				record_output(r, cases[i].in, cut);
				record_output(r, cases[i].in + cut, len - cut);
			}
			record_close(r);
			got = events(path, "o", &nlines);
			is_str(got, cases[i].want, "output");
		}
	}
}

static void test_others(void)
{
	CLEANUP(cleanup_freep) char *path = path_of("other.cast");
	CLEANUP(cleanup_freep) char *sizes = NULL, *marks = NULL, *big = xcalloc(300000, 1), *out = NULL;
	struct record *r = start(path);
	struct stat st;
	size_t nlines;

	record_resize(r, 100, 30);
	record_marker(r, "denied: rm -rf \"/\"\xff");
	memset(big, 0xfe, 299999);
	is_int(record_output(r, big, 299999), 0, "much at once");
	record_close(r);
	sizes = events(path, "r", &nlines);
	is_str(sizes, "100x30", "resize");
	marks = events(path, "m", &nlines);
	is_str(marks, "denied: rm -rf \"/\"\xef\xbf\xbd", "marker");
	out = events(path, "o", &nlines);
	is_int(strlen(out), 3 * 299999, "all of it");
	is_int(stat(path, &st), 0, "there");
	is_int(st.st_mode & 0777, 0600, "for nobody else");
}

static void test_open(void)
{
	CLEANUP(cleanup_freep) char *path = path_of("new.cast"), *none = path_of("no/such");
	struct record *r = NULL;
	struct err e = { 0 };

	is_int(record_open(path, false, 80, 24, NULL, NULL, NULL, &r, &e), 0, "a new file");
	record_close(r);
	is_int(record_open(path, false, 80, 24, NULL, NULL, NULL, &r, &e), -1, "one that is there is kept");
	is_int(e.code, EEXIST, "and the reason given");
	is_int(record_open(none, true, 80, 24, NULL, NULL, NULL, &r, &e), -1, "no such directory");
}

/* A full disk, in the shape of a file size limit: reported once. */
static void test_full(void)
{
	CLEANUP(cleanup_freep) char *path = path_of("full.cast");
	struct rlimit was, small;
	struct record *r = start(path);
	int failures = 0;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small = was;
	small.rlim_cur = 1000;
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 100; i++)
		failures += record_output(r, "0123456789", 10) < 0;
	setrlimit(RLIMIT_FSIZE, &was);
	is_int(failures, 1, "a write that fails is told once");
	record_close(r);
}

/* The player itself, on a terminal, if it is installed. */
static void test_player(void)
{
	CLEANUP(cleanup_freep) char *path = path_of("play.cast");
	struct record *r = start(path);
	struct buf seen;
	int master, slave, status = -1;
	struct err e;
	pid_t pid;

	record_output(r, "played \xe2\x82\xac\r\n", 12);
	record_resize(r, 90, 20);
	record_marker(r, "mark");
	record_output(r, "to its end\r\n", 12);
	record_close(r);
	if (system("command -v asciinema >/dev/null 2>&1") != 0) {
		printf("# skipped: asciinema is not installed, no recording was played\n");
		return;
	}
	if (!ok(pty_open(24, 80, &master, &slave, &e) == 0, "a terminal to play on"))
		return;
	pid = fork();
	if (pid == 0) {
		setsid();
		ioctl(slave, TIOCSCTTY, 0);
		dup2(slave, 0);
		dup2(slave, 1);
		dup2(slave, 2);
		setenv("LC_ALL", "C.UTF-8", 1);
		setenv("TERM", "xterm-256color", 1);
		setenv("HOME", dir, 1);
		execlp("asciinema", "asciinema", "play", "-s", "1000", path, (char *)NULL);
		_exit(127);
	}
	close(slave);
	fcntl(master, F_SETFL, 0);
	buf_init(&seen, 1 << 20);
	for (char c[4096]; pid > 0;) {
		ssize_t n = read(master, c, sizeof(c));

		if (n <= 0 || buf_add(&seen, c, (size_t)n) < 0)
			break;
	}
	close(master);
	waitpid(pid, &status, 0);
	is_int(status, 0, "asciinema plays it");
	ok(strstr(buf_str(&seen), "played \xe2\x82\xac") && strstr(buf_str(&seen), "to its end"), "and shows all of it");
	buf_done(&seen);
}

int main(void)
{
	CLEANUP(cleanup_freep) char *rm = NULL;

	if (!mkdtemp(dir))
		return 1;
	test_output();
	test_others();
	test_open();
	test_full();
	test_player();
	rm = xasprintf("rm -rf -- '%s'", dir);
	ok(system(rm) == 0, "cleaned up");
	return tap_done();
}

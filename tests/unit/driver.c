/* The headless shell: conf/shell/run.bash in a real bash on a real PTY, and a hostile end of the socket. */
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "driver.h"
#include "intercept/cmdline.h"
#include "tap.h"

#define DEADLINE_NS	8000000000ull

static char root[64];

struct run {
	struct loop	*loop;
	struct driver	*d;
	struct buf	 seen;
	char		 cwd[PATH_MAX];
	bool		 ready, fetched, gone;
	int		 pty;
	pid_t		 pid;
};

static void on_ready(void *arg, const char *cwd)
{
	struct run *r = arg;

	r->ready = true;
	snprintf(r->cwd, sizeof(r->cwd), "%s", cwd);
}

static void on_fetched(void *arg, struct live *live)
{
	struct run *r = arg;

	(void)live;
	r->fetched = true;
}

static void on_gone(void *arg)
{
	struct run *r = arg;

	r->gone = true;
}

static void on_pty(struct loop *l, int fd, unsigned ev, void *arg)
{
	struct run *r = arg;
	char chunk[8192];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)ev;
	if (n > 0)
		buf_add(&r->seen, chunk, (size_t)n);
	else
		loop_del_fd(l, fd);
}

static bool wait_flag(struct run *r, const bool *flag)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;

	while (!*flag && io_now_ns() < end)
		loop_step(r->loop, 50, NULL);
	return *flag;
}

static bool wait_text(struct run *r, size_t from, const char *want)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;

	while (!strstr(buf_str(&r->seen) + from, want) && io_now_ns() < end)
		loop_step(r->loop, 50, NULL);
	return strstr(buf_str(&r->seen) + from, want) != NULL;
}

static const struct driver_events *events(struct run *r)
{
	static struct driver_events ev;

	ev = (struct driver_events){ .ready = on_ready, .fetched = on_fetched, .gone = on_gone, .arg = r };
	return &ev;
}

/* ---- the real shell ---- */

static void put_script(const char *name)
{
	static const char fixed[] = "/run/sbxterm";
	char from[128], to[128];
	struct buf in;
	struct err e;
	int fd;
	const char *p, *hit;

	snprintf(from, sizeof(from), "conf/shell/%s", name);
	snprintf(to, sizeof(to), "%s/shell/%s", root, name);
	buf_init(&in, 1 << 20);
	ok(io_slurp(from, &in, &e) == 0, from);
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	for (p = buf_str(&in); (hit = strstr(p, fixed)); p = hit + strlen(fixed)) {
		io_write_all(fd, p, (size_t)(hit - p));
		io_write_all(fd, root, strlen(root));
	}
	io_write_all(fd, p, strlen(p));
	close(fd);
	buf_done(&in);
}

static void child(int sock)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "TERM=dumb", "LC_ALL=C.UTF-8", "HOME=/nonexistent", NULL };
	char script[128];

	snprintf(script, sizeof(script), "%s/shell/run.bash", root);
	if (dup2(sock, 3) < 0 || chdir(root) < 0)
		_exit(99);
	if (sock == 3)
		fcntl(3, F_SETFD, 0);
	execle("/bin/bash", "bash", "--norc", "--noprofile", script, (char *)NULL, env);
	_exit(99);
}

static void start(struct run *r)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 200 };
	struct err e = { 0 };
	int s[2];

	*r = (struct run){ .loop = loop_new(&e) };
	buf_init(&r->seen, 4u << 20);
	ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s) == 0, "socketpair");
	r->pid = forkpty(&r->pty, NULL, NULL, &ws);
	if (r->pid == 0)
		child(s[1]);
	close(s[1]);
	io_cloexec(r->pty);
	loop_add_fd(r->loop, r->pty, EPOLLIN, on_pty, r);
	ok(driver_new(r->loop, s[0], events(r), &r->d, &e) == 0, "driver");
}

static void stop(struct run *r)
{
	driver_free(r->d);
	kill(r->pid, SIGKILL);
	waitpid(r->pid, NULL, 0);
	loop_del_fd(r->loop, r->pty);
	close(r->pty);
	loop_free(r->loop);
	buf_done(&r->seen);
}

static void test_lines(void)
{
	static const struct { const char *line, *want, *status; } c[] = {
		{ "echo A-$((1+1))", "A-2", "0" },
		{ "x=1; cd /; f() { echo in-f-$x; }; shopt -s nullglob; declare -A M=([k]=v)", "", "0" },
		{ "f; pwd; echo ${M[k]} [z]*", "in-f-1\r\n/\r\nv\r\n", "0" },
		{ "(exit 7)", "", "7" },
		{ "echo was $?", "was 7", "0" },
		{ "false", "", "1" },
		{ "echo 'unclosed", "unexpected EOF", "2" },
		{ "if then", "syntax error", "2" },
		{ "for i in 1 2\ndo\n echo L-$i\ndone", "L-1\r\nL-2", "0" },
		{ "cat <<E\nhere $((2+2))\nE", "here 4", "0" },
		{ "break; continue; return 3; echo after-$((1+1))", "after-2", "0" },
		{ "cat; read v; echo eof-$?", "eof-1", "0" },
		{ "ls -l /proc/self/fd | grep -c socket", "0\r\n", "1" },
		{ "exec 3</etc/passwd", "", "0" },
		{ "read -r l <&3; echo ${l%%:*}", "root", "0" },
		{ "printf '%s|' \"$@\" \"$#\"", "0|", "0" },
		{ "env | grep -c __sbx", "0\r\n", "1" },
		{ "printf '\\303\\251 %s' $'a\\001b;\\\\'", "\303\251 a\001b;\\", "0" },
		{ "trap 'echo bye' EXIT; set -u; set -o posix", "", "0" },
		{ "echo ok-$((1+1)); false | true", "ok-2", "0" },
		{ "sleep 100 & kill $!; wait", "", NULL },
		{ "exec >/dev/null", "", "0" },
		{ "echo lost", "", "0" },
	};
	struct run r;

	start(&r);
	ok(wait_flag(&r, &r.ready), "ready");
	is_str(r.cwd, root, "where it starts");
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		size_t from = r.seen.len;
		char mark[128];

		r.ready = false;
		is_int(driver_run(r.d, c[i].line, strlen(c[i].line)), 0, c[i].line);
		is_int(driver_run(r.d, "x", 1), -1, "one line at a time");
		snprintf(mark, sizeof(mark), ";%s\a\033]133;D;%s", driver_nonce(r.d), c[i].status ? c[i].status : "");
		ok(wait_text(&r, from, mark), c[i].line);
		if (!ok(strstr(buf_str(&r.seen) + from, c[i].want), c[i].line))
			printf("# %s\n", buf_str(&r.seen) + from);
		ok(wait_flag(&r, &r.ready), "ready again");
	}
	is_str(r.cwd, "/", "where it is now");
	is_int(driver_run(r.d, "exit 5", 6), 0, "exit");
	ok(wait_flag(&r, &r.gone), "ends it");
	is_int(driver_run(r.d, "x", 1), -1, "nothing runs after that");
	stop(&r);
}

static void test_fetch(void)
{
	struct run r;
	struct live *l = live_new();
	static const char set[] = "a='x y'; e=; arr=(1 '2 3'); g() { :; }; set -f; alias q=w; (exit 4)";

	start(&r);
	ok(wait_flag(&r, &r.ready), "ready");
	r.ready = false;
	driver_run(r.d, set, strlen(set));
	ok(wait_flag(&r, &r.ready), "set");
	for (const char *const *n = (const char *const []){ "a", "e", "u", "arr", "?", NULL }; *n; n++)
		live_get(l, LIVE_VAR, *n);
	live_get(l, LIVE_FUNCTION, "g");
	live_get(l, LIVE_FUNCTION, "nog");
	live_get(l, LIVE_OPTION, "noglob");
	live_get(l, LIVE_ALIAS, "q");
	is_int(driver_fetch(r.d, l), 0, "fetch");
	is_int(driver_run(r.d, "x", 1), -1, "not while fetching");
	ok(wait_flag(&r, &r.fetched), "fetched");
	is_str(live_get(l, LIVE_VAR, "a")->text, "x y", "scalar");
	is_str(live_get(l, LIVE_VAR, "e")->text, "", "empty");
	is_int(live_get(l, LIVE_VAR, "u")->state, LIVE_UNSET, "unset");
	is_int(live_get(l, LIVE_VAR, "arr")->n, 2, "array");
	is_str(live_get(l, LIVE_VAR, "?")->text, "4", "status");
	is_int(live_get(l, LIVE_FUNCTION, "g")->state, LIVE_SCALAR, "function");
	is_int(live_get(l, LIVE_FUNCTION, "nog")->state, LIVE_UNSET, "no function");
	is_str(live_get(l, LIVE_OPTION, "noglob")->text, "on", "option");
	is_str(live_get(l, LIVE_ALIAS, "q")->text, "w", "alias");
	r.ready = false;
	driver_run(r.d, "echo $?-kept", 12);
	ok(wait_text(&r, 0, "4-kept"), "a fetch changes nothing");
	stop(&r);
	live_free(l);
}

/* ---- a hostile shell ---- */

static void test_hostile(void)
{
	static const struct { const char *send; size_t len; bool gone; } c[] = {
#define BYTES(s) s, sizeof(s) - 1
		{ BYTES("ready\0" "0\0/x\0"), false },
		{ BYTES("ready\0" "0\0relative\0"), false },
		{ BYTES("ready\0" "0\0/x\0more"), true },
		{ BYTES("red\0" "0\0/x\0"), true },
		{ BYTES("\0\0\0"), true },
		{ BYTES("\xff\xfe"), false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		struct run r = { 0 };
		struct err e = { 0 };
		int s[2];

		r.loop = loop_new(&e);
		ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s) == 0, "socketpair");
		ok(driver_new(r.loop, s[0], events(&r), &r.d, &e) == 0, "driver");
		for (size_t at = 0; at < c[i].len && !r.gone; at++) {	/* byte by byte */
			ok(write(s[1], c[i].send + at, 1) == 1, "write");
			loop_step(r.loop, 0, &e);
		}
		loop_step(r.loop, 0, &e);
		/* What comes after a whole "ready" was not asked for. */
		is_int(r.gone, c[i].gone, c[i].send);
		close(s[1]);
		ok(wait_flag(&r, &r.gone), "the end is noticed");
		driver_free(r.d);
		loop_free(r.loop);
	}
}

static void test_flood(void)
{
	struct run r = { 0 };
	struct err e = { 0 };
	char junk[8192];
	int s[2];

	memset(junk, 'x', sizeof(junk));
	r.loop = loop_new(&e);
	ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, s) == 0, "socketpair");
	ok(driver_new(r.loop, s[0], events(&r), &r.d, &e) == 0, "driver");
	for (int i = 0; i < 1000 && !r.gone; i++) {
		if (send(s[1], junk, sizeof(junk), MSG_NOSIGNAL) < 0)
			break;
		loop_step(r.loop, 0, &e);
	}
	ok(wait_flag(&r, &r.gone), "a flood ends it");
	close(s[1]);
	driver_free(r.d);
	loop_free(r.loop);
}

int main(void)
{
	char cmd[128];

	snprintf(root, sizeof(root), "/tmp/sbxtXXXXXX");
	ok(mkdtemp(root) != NULL, "directory");
	snprintf(cmd, sizeof(cmd), "%s/shell", root);
	mkdir(cmd, 0755);
	put_script("run.bash");
	put_script("answer.bash");
	test_lines();
	test_fetch();
	test_hostile();
	test_flood();
	snprintf(cmd, sizeof(cmd), "rm -rf -- '%s'", root);
	if (system(cmd) != 0)
		perror(cmd);
	return tap_done();
}

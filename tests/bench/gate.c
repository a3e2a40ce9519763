/* tests/bench/gate.c - what the hold costs: Enter to running, for a line that is allowed at once
 *
 * The same bash on the same kind of PTY, in the same run: bare, with the gate (host in this process, which answers as
 * soon as it is asked), with the gate and three variables asked for. Measured from writing "\r" to the first byte
 * that the line itself prints. Next to it the machine's own price of $(:), and of a fork and exec of /bin/true.
 * Rounds are interleaved, so that a busy moment hits all alike; medians count.
 */
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "gate.h"

#define ROUNDS	60
#define WARMUP	5

enum kind { BARE, GATED, FETCHED, KINDS };

static char root[64];

struct shell {
	enum kind	 kind;
	struct loop	*loop;
	struct gate	*gate;
	struct live	*live;
	struct buf	 seen;
	int		 pty;
	pid_t		 pid;
};

static void on_ask(void *arg, struct gate_question *q)
{
	struct shell *s = arg;

	if (s->kind == FETCHED) {
		live_free(s->live);
		s->live = live_new();
		live_get(s->live, LIVE_VAR, "HOME");
		live_get(s->live, LIVE_VAR, "OUTPUT");
		live_get(s->live, LIVE_FUNCTION, "f");
		gate_fetch(q, s->live);
		return;
	}
	gate_answer(q, GATE_RUN, NULL);
}

static void on_fetched(void *arg, struct gate_question *q, struct live *live)
{
	(void)arg;
	(void)live;
	gate_answer(q, GATE_RUN, NULL);
}

static void on_gone(void *arg, struct gate_question *q)
{
	(void)arg;
	(void)q;
}

static void on_pty(struct loop *l, int fd, unsigned ev, void *arg)
{
	struct shell *s = arg;
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)ev;
	if (n > 0)
		buf_add(&s->seen, chunk, (size_t)n);
	else
		loop_del_fd(l, fd);
}

static void put_script(const char *dir, const char *name)
{
	static const char fixed[] = "/run/sbxterm";
	char from[128], to[PATH_MAX];
	struct buf in;
	const char *p, *hit;
	int fd;

	snprintf(from, sizeof(from), "conf/shell/%s", name);
	snprintf(to, sizeof(to), "%s/%s", dir, name);
	buf_init(&in, 1 << 20);
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || io_slurp(from, &in, NULL) < 0) {
		perror(from);
		exit(1);
	}
	for (p = buf_str(&in); (hit = strstr(p, fixed)); p = hit + strlen(fixed)) {
		io_write_all(fd, p, (size_t)(hit - p));
		io_write_all(fd, dir, strlen(dir));
	}
	io_write_all(fd, p, strlen(p));
	close(fd);
	buf_done(&in);
}

/* Stands for /run/sbxterm; the scripts lie flat in it. */
static void build_dir(const char *dir)
{
	CLEANUP(cleanup_freep) char *helper = realpath("build/sbx-ask", NULL);
	char path[PATH_MAX];

	mkdir(dir, 0700);
	for (const char *const *s = (const char *const []){ "gate", "bin", "shell", NULL }; *s; s++) {
		snprintf(path, sizeof(path), "%s/%s", dir, *s);
		if (strcmp(*s, "shell") == 0 ? symlink(".", path) : mkdir(path, 0700))
			perror(path);
	}
	put_script(dir, "bash.rc");
	put_script(dir, "answer.bash");
	snprintf(path, sizeof(path), "%s/bin/sbx-ask", dir);
	if (!helper || symlink(helper, path) < 0)
		perror(path);
	snprintf(path, sizeof(path), "%s/.bashrc", dir);
	close(open(path, O_WRONLY | O_CREAT, 0644));
}

static void wait_text(struct shell *s, const char *want)
{
	uint64_t end = io_now_ns() + 20000000000ull;

	while (!s->seen.len || !strstr(s->seen.data, want)) {
		if (io_now_ns() > end) {
			fprintf(stderr, "no answer from the shell: waited for %s\n", want);
			exit(1);
		}
		loop_step(s->loop, 100, NULL);
	}
}

static void start(struct shell *s, enum kind kind)
{
	struct gate_events ev = { .ask = on_ask, .fetched = on_fetched, .gone = on_gone, .arg = s };
	char dir[128], rc[160], home[160];
	char *env[] = { home, (char[]){ "PATH=/usr/bin:/bin" }, (char[]){ "TERM=xterm" }, (char[]){ "PS1=ready> " }, NULL };
	struct err e;

	*s = (struct shell){ .kind = kind, .loop = loop_new(&e) };
	buf_init(&s->seen, 1u << 20);
	snprintf(dir, sizeof(dir), "%s/%d", root, (int)kind);
	build_dir(dir);
	snprintf(home, sizeof(home), "HOME=%s", dir);
	snprintf(rc, sizeof(rc), "%s/gate", dir);
	if (kind != BARE && gate_new(s->loop, rc, &ev, &s->gate, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		exit(1);
	}
	snprintf(rc, sizeof(rc), kind == BARE ? "/dev/null" : "%s/bash.rc", dir);
	s->pid = forkpty(&s->pty, NULL, NULL, NULL);
	if (s->pid == 0) {
		execle("/bin/bash", "bash", "--noprofile", "--rcfile", rc, "-i", (char *)NULL, env);
		_exit(99);
	}
	io_cloexec(s->pty);
	loop_add_fd(s->loop, s->pty, EPOLLIN, on_pty, s);
	wait_text(s, kind == BARE ? "\033[?2004h" : "\033]133;B");
}

static void stop(struct shell *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	loop_del_fd(s->loop, s->pty);
	close(s->pty);
	gate_free(s->gate);
	live_free(s->live);
	loop_free(s->loop);
	buf_done(&s->seen);
}

/* ns from Enter to the line's own first output; @line prints what its text does not hold. */
static uint64_t enter(struct shell *s, const char *line, const char *printed)
{
	uint64_t t;

	if (write(s->pty, line, strlen(line)) < 0)
		perror("write");
	buf_clear(&s->seen);
	t = io_now_ns();
	if (write(s->pty, "\r", 1) < 0)
		perror("write");
	wait_text(s, printed);
	t = io_now_ns() - t;
	wait_text(s, s->kind == BARE ? "\033[?2004h" : "\033]133;B");
	return t;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double ms(uint64_t *v, double part)
{
	qsort(v, ROUNDS, sizeof(*v), by_value);
	return (double)v[(size_t)(part * (ROUNDS - 1))] / 1e6;
}

/* ms of one @what, from bash's own clock: its first line before, its last after. */
static double price(struct shell *s, const char *what)
{
	char line[256];
	const char *at;

	snprintf(line, sizeof(line), "a=$EPOCHREALTIME; for ((i=0;i<50;i++)); do %s; done; b=$EPOCHREALTIME; "
		 "echo us=$(( (${b/./}-${a/./})/50 ))=", what);
	enter(s, line, "us=");
	at = strstr(buf_str(&s->seen), "us=");
	while (at && (at[3] < '0' || at[3] > '9'))
		at = strstr(at + 3, "us=");
	return at ? atoi(at + 3) / 1e3 : -1;
}

int main(void)
{
	static const char *const name[KINDS] = { "bare PTY", "gated", "gated, 3 names asked" };
	static uint64_t t[KINDS][ROUNDS];
	struct shell s[KINDS];
	double bare, subst, spawn;
	char cmd[128];

	snprintf(root, sizeof(root), "/tmp/sbxbenchXXXXXX");
	if (!mkdtemp(root))
		return 1;
	for (int k = 0; k < KINDS; k++)
		start(&s[k], (enum kind)k);
	for (int i = -WARMUP; i < ROUNDS; i++) {
		for (int k = 0; k < KINDS; k++) {
			uint64_t ns = enter(&s[k], "echo R-$((40+2))", "R-42");

			if (i >= 0)
				t[k][i] = ns;
		}
	}
	subst = price(&s[BARE], "x=$(:)");
	spawn = price(&s[BARE], "/bin/true");
	bare = ms(t[BARE], 0.5);
	printf("%-24s %8s %8s\n", "Enter to running", "median", "p95");
	for (int k = 0; k < KINDS; k++)
		printf("%-24s %6.2fms %6.2fms\n", name[k], ms(t[k], 0.5), ms(t[k], 0.95));
	printf("%-24s %6.2fms\n%-24s %6.2fms\n", "$(:)", subst, "fork and exec", spawn);
	printf("the hold costs %.2f ms: %.1f x $(:), %.1f x fork and exec; asking for names %.2f ms more\n",
	       ms(t[GATED], 0.5) - bare, (ms(t[GATED], 0.5) - bare) / subst, (ms(t[GATED], 0.5) - bare) / spawn,
	       ms(t[FETCHED], 0.5) - ms(t[GATED], 0.5));
	for (int k = 0; k < KINDS; k++)
		stop(&s[k]);
	snprintf(cmd, sizeof(cmd), "rm -rf -- '%s'", root);
	return system(cmd) != 0;
}

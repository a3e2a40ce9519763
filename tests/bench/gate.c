/* tests/bench/gate.c - what the hold costs: Enter to running, for a line that is allowed at once
 *
 * The same bash on the same kind of PTY, in the same run: bare, with the gate (host in this process, which answers as
 * soon as it is asked), with the gate and three variables asked for. Measured from writing "\r" to the first byte
 * that the line itself prints. Next to it the machine's own price of $(:), and of a fork and exec of /bin/true.
 * Rounds are interleaved, so that a busy moment hits all alike; medians count.
 *
 * And the host's part alone: from the question's arrival to its answer through the real job, judge, policy, world (this
 * repository) and record on disk, without the time in which the shell is asked for values. The median of each line
 * must be under a millisecond.
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
#include "host.h"
#include "job.h"

#define ROUNDS	60
#define WARMUP	5

#define LIMIT_MS 1.0	/* for the host's part */

enum kind { BARE, GATED, FETCHED, JUDGED, KINDS };

static char root[64];

struct shell {
	enum kind	 kind;
	struct loop	*loop;
	struct gate	*gate;
	struct live	*live;
	struct host	*host;		/* JUDGED: everything of the product but sandbox and screen */
	struct audit	*audit;
	struct jobs	*jobs;
	uint64_t	 since, spent;	/* ns of the host: running since, or 0; of the last question */
	unsigned	 allowed;
	struct buf	 seen;
	int		 pty;
	pid_t		 pid;
};

/* ---- the host's part ---- */

static void clock_stop(struct shell *s)
{
	s->spent += io_now_ns() - s->since;
	s->since = 0;
}

static int job_fetch(void *arg, struct job *j, struct live *live)
{
	int rc = gate_fetch(job_own(j), live);

	clock_stop(arg);
	return rc;
}

static void job_answer(void *arg, struct job *j, bool run, const char *message)
{
	struct shell *s = arg;

	gate_answer(job_own(j), run ? GATE_RUN : GATE_DROP, message);
	s->allowed += run;
	clock_stop(s);
}

static void job_front(void *arg)
{
	(void)arg;
}

static void job_edit(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)line;
	(void)len;
}

static void judge_start(struct shell *s)
{
	const struct job_ops ops = {
		.fetch = job_fetch, .answer = job_answer, .front = job_front, .edit = job_edit, .arg = s,
	};
	const struct host_in in = { .judge_only = true };
	char path[128];
	struct err e;

	snprintf(path, sizeof(path), "%s/audit.jsonl", root);
	if (host_new(&in, &s->host, &e) < 0 || audit_open(path, &s->audit, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		exit(1);
	}
	s->jobs = jobs_new(&(struct jobs_in){
		.ops = &ops, .judge = s->host->judge, .world = s->host->world, .audit = s->audit,
		.who = { .session = "bench", .pane = "0", .source = "pane", .profile = s->host->conf->profile.name },
		.workspace = s->host->workspace, .home = s->host->home, .user = s->host->user, .attended = true,
	});
}

static void judge_ask(struct shell *s, struct gate_question *q)
{
	struct job_in in = { .line = q->line, .len = q->len, .cwd = q->cwd, .key = q->shell_pid, .own = q };

	jobs_done(s->jobs, q->shell_pid, 0, NULL);
	s->spent = 0;
	s->since = io_now_ns();
	jobs_ask(s->jobs, &in);
}

static void on_ask(void *arg, struct gate_question *q)
{
	struct shell *s = arg;

	if (s->kind == JUDGED) {
		judge_ask(s, q);
		return;
	}
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
	struct shell *s = arg;

	(void)live;
	if (s->kind == JUDGED) {
		s->since = io_now_ns();
		jobs_fetched(s->jobs, q);
		return;
	}
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
	if (kind == JUDGED)
		judge_start(s);
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
	if (s->jobs)
		jobs_end(s->jobs, 0, NULL);
	jobs_free(s->jobs);
	gate_free(s->gate);
	audit_close(s->audit);
	host_free(s->host);
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

/* Lines as agents write them; each must be allowed, and prints R-42. False: one of them took too long. */
static bool host_part(struct shell *s)
{
	static const char *const lines[] = {
		"echo R-$((40+2))",
		"git status --short >/dev/null; ls src | head -3 >/dev/null; echo R-$((40+2))",
		"cd src && grep -rn 'int main' . | sort | head -5 >/dev/null; cd ..; echo R-$((40+2))",
		"for f in src/*.c; do wc -l \"$f\"; done >/dev/null; echo \"$HOME $PWD\" >/dev/null; echo R-$((40+2))",
	};
	static uint64_t t[ROUNDS];
	bool good = true;

	printf("%-24s %8s %8s\n", "the host's part", "median", "p95");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		unsigned before = s->allowed;

		for (int k = -WARMUP; k < ROUNDS; k++) {
			enter(s, lines[i], "R-42");
			if (k >= 0)
				t[k] = s->spent;
		}
		good = good && s->allowed - before == ROUNDS + WARMUP && ms(t, 0.5) < LIMIT_MS;
		printf("  %-22.22s %6.3fms %6.3fms%s\n", lines[i], ms(t, 0.5), ms(t, 0.95),
		       s->allowed - before == ROUNDS + WARMUP ? "" : "  NOT ALLOWED");
	}
	return good;
}

int main(void)
{
	static const char *const name[KINDS] = { "bare PTY", "gated", "gated, 3 names asked", "gated and judged" };
	static uint64_t t[KINDS][ROUNDS];
	struct shell s[KINDS];
	double bare, subst, spawn;
	bool good;
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
	good = host_part(&s[JUDGED]);
	if (!good)
		printf("the host's part is over %.1f ms, or a line was not allowed\n", LIMIT_MS);
	for (int k = 0; k < KINDS; k++)
		stop(&s[k]);
	snprintf(cmd, sizeof(cmd), "rm -rf -- '%s'", root);
	return system(cmd) != 0 || !good;
}

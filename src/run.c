#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "detour.h"
#include "driver.h"
#include "host.h"
#include "intercept/expand.h"
#include "job.h"
#include "rundir.h"
#include "strip.h"
#include "term/record.h"
#include "transcript.h"

#define INPUT_MAX	(16u << 20)	/* bytes of -f FILE */
#define REFUSED		126
#define KEY		1		/* there is one shell, and one line at a time */

struct run {
	const struct options	*o;
	struct host		*host;
	struct driver		*driver;
	struct jobs		*jobs;
	struct plan		*plan;
	char			 gate_dir[RUNDIR_MAX + 64];
	struct gate		*gate;		/* only for calls */
	struct detours		*detours;	/* NULL until the shell runs */
	struct strip		*strip;
	struct record		*record;	/* NULL: not wanted */
	struct transcript	*transcript;	/* NULL: not wanted */
	struct buf		 input;
	size_t			 at;		/* of the input: what comes next */
	int			 pty, id;
	char			*cwd;
	struct buf		 output;	/* of the running line, for the transcript */
	bool			 ready;		/* the shell waits for a line */
	bool			 running;	/* a line was let go and its end is not known */
	int			 mark_status;	/* of the running line, -1 until its mark came */
	bool			 held_cr;	/* a CR that waits for its LF */
	bool			 over;
	int			 status;	/* of the last line that ran */
	bool			 refused;
	struct err		*e;
	bool			 failed;
};

static void go_on(struct loop *l, void *arg);

static void stop(struct run *r)
{
	r->over = true;
	loop_stop(r->host->loop);
}

static void fail(struct run *r)
{
	r->failed = true;
	stop(r);
}

/* ---- output ------------------------------------------------------------------------------------- */

static void put(struct run *r, const char *s, size_t len)
{
	if (!len || r->failed)
		return;
	if (r->running && buf_add(&r->output, s, len) < 0)
		buf_add(&r->output, s, MIN(len, r->output.max - r->output.len));
	if (io_write_all(STDOUT_FILENO, s, len) < 0) {
		err_set(r->e, errno, "standard output");
		fail(r);
	}
}

/* The line ends of the sandbox's terminal are CR LF: whoever reads us wants LF. A CR without LF stays. */
static void on_output(void *arg, const char *s, size_t len)
{
	struct run *r = arg;

	while (len) {
		const char *cr;
		size_t n;

		if (r->held_cr && *s != '\n')
			put(r, "\r", 1);
		r->held_cr = false;
		cr = memchr(s, '\r', len);
		n = cr ? (size_t)(cr - s) : len;
		put(r, s, n);
		if (!cr)
			return;
		r->held_cr = true;
		s = cr + 1;
		len -= n + 1;
	}
}

static void line_over(struct run *r)
{
	int status = r->mark_status;

	if (!r->running || !r->ready || status < 0)
		return;
	r->running = false;
	r->status = status;
	jobs_done(r->jobs, KEY, status, NULL);
}

static bool nonce_ok(const struct run *r, const char *nonce)
{
	return r->driver && nonce && strcmp(nonce, driver_nonce(r->driver)) == 0;
}

static void on_mark(void *arg, const struct mark *m)
{
	struct run *r = arg;
	static const char done[] = "done:";

	if (!r->running || !nonce_ok(r, m->nonce) || m->kind != MARK_OWN ||
	    strncmp(m->text, done, sizeof(done) - 1) != 0)
		return;
	r->mark_status = (int)(strtol(m->text + sizeof(done) - 1, NULL, 10) & 0xff);
	line_over(r);
}

static bool read_pty(struct run *r)
{
	static char chunk[65536];
	ssize_t n;

	do
		n = read(r->pty, chunk, sizeof(chunk));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		loop_del_fd(r->host->loop, r->pty);
		close(r->pty);
		r->pty = -1;
		return false;
	}
	if (r->record && record_output(r->record, chunk, (size_t)n) < 0) {
		err_set(r->e, errno, "record");
		fail(r);
	}
	strip_feed(r->strip, chunk, (size_t)n);
	return true;
}

static void on_pty(struct loop *l, int fd, unsigned events, void *arg)
{
	struct run *r = arg;

	(void)l;
	(void)fd;
	(void)events;
	for (int i = 0; i < 8 && r->pty >= 0 && !r->over && read_pty(r); i++)
		;
}

/* ---- lines -------------------------------------------------------------------------------------- */

static bool blank(const char *s, size_t len)
{
	while (len && (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r'))
		s++, len--;
	return !len || (*s == '#' && !memchr(s, '\n', len - 1));
}

/* The next complete command; what never becomes complete is judged as it is, and so not understood. */
static bool next_line(struct run *r, const char **line, size_t *len)
{
	while (r->at < r->input.len) {
		const char *s = r->input.data + r->at;
		size_t left = r->input.len - r->at, n = expand_first_command(s, left);

		if (!n)
			n = left;
		r->at += n;
		if (blank(s, n))
			continue;
		*line = s;
		*len = n - (s[n - 1] == '\n');
		return true;
	}
	return false;
}

static void go_on(struct loop *l, void *arg)
{
	struct run *r = arg;
	struct job_in in = { .cwd = r->cwd, .key = KEY, .own = r };

	(void)l;
	if (r->over || r->running || !r->ready)
		return;
	if ((r->o->errexit && (r->status || r->refused)) || !next_line(r, &in.line, &in.len)) {
		stop(r);
		return;
	}
	jobs_ask(r->jobs, &in);
}

static void on_ready(void *arg, const char *cwd)
{
	struct run *r = arg;

	free(r->cwd);
	r->cwd = xstrdup(cwd);
	r->ready = true;
	if (r->running)
		line_over(r);
	else
		loop_defer(r->host->loop, go_on, r);
}

static void on_fetched(void *arg, struct live *live)
{
	struct run *r = arg;

	(void)live;
	jobs_fetched(r->jobs, r);
}

/* `exit` on a line ends the shell; how is known when the sandbox's end is reported. */
static void on_gone(void *arg)
{
	struct run *r = arg;

	r->ready = false;
}

static int job_fetch(void *arg, struct job *j, struct live *live)
{
	struct run *r = arg;

	(void)j;
	return driver_fetch(r->driver, live);
}

static void job_answer(void *arg, struct job *j, bool run, const char *message)
{
	struct run *r = arg;
	const char *line;
	size_t len;

	if (job_is_call(j)) {
		detours_answer(r->detours, j, run, message);
		return;
	}
	if (!run) {
		r->refused = true;
		driver_set_status(r->driver, REFUSED);
		fflush(stdout);
		for (const char *m = message; m && *m; m += strcspn(m, "\n"), m += *m == '\n')
			fprintf(stderr, "%.*s\n", (int)strcspn(m, "\n"), m);
		return;
	}
	line = job_line(j, &len);
	buf_clear(&r->output);
	r->running = true;
	r->ready = false;
	r->mark_status = -1;
	if (r->record)
		record_marker(r->record, line);
	if (driver_run(r->driver, line, len) < 0) {
		err_set(r->e, 0, "the shell in the sandbox takes no line");
		fail(r);
	}
}

static void job_front(void *arg)
{
	(void)arg;	/* nobody looks */
}

static void job_edit(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)line;
	(void)len;
}

static void job_over(void *arg, struct job *j, const struct audit_outcome *o)
{
	struct run *r = arg;
	struct transcript_entry en = {
		.cwd = job_cwd(j), .verdict = job_verdict(j), .ran = o->decision != 0, .exit = o->exit,
		.duration_ms = o->duration_ms, .output = &r->output,
	};

	if (job_is_call(j))
		return;
	en.line = job_line(j, &en.len);
	if (!en.ran)
		buf_clear(&r->output);
	if (r->transcript && transcript_add(r->transcript, &en, r->e) < 0)
		fail(r);
	loop_defer(r->host->loop, go_on, r);
}

/* ---- ends --------------------------------------------------------------------------------------- */

static void on_exit_child(void *arg, int id, int status)
{
	struct run *r = arg;

	if ((r->detours && detours_exit(r->detours, id, status)) || id != r->id || r->over)
		return;
	while (r->pty >= 0 && read_pty(r))
		;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (r->running) {
		r->running = false;
		jobs_done(r->jobs, KEY, r->status, "the shell ended");
	}
	stop(r);
}

static void on_held(void *arg, const char *path, const char *kept)
{
	struct run *r = arg;
	CLEANUP(cleanup_freep) char *text = host_held_text(r->host, path, kept);
	const struct audit_who w = { .session = "run", .pane = "0", .source = "run",
				     .profile = r->host->conf->profile.name };

	audit_integration(r->host->audit, &w, text, NULL);
	fflush(stdout);
	fprintf(stderr, "sbxterm: %s\n", text);
}

static void on_spawner_gone(void *arg)
{
	struct run *r = arg;

	err_set(r->e, 0, "the sandbox's spawner died");
	fail(r);
}

static void on_signal(struct loop *l, const struct signalfd_siginfo *si, void *arg)
{
	struct run *r = arg;

	(void)l;
	r->status = 128 + (int)si->ssi_signo;
	r->refused = false;
	stop(r);
}

/* ---- start -------------------------------------------------------------------------------------- */

/* A command's words as one line that means them literally. */
static int words_to_line(struct run *r)
{
	for (int i = 0; i < r->o->nrest; i++) {
		const char *w = r->o->rest[i];

		if (i)
			buf_addc(&r->input, ' ');
		if (*w && strspn(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-") == strlen(w)
		    && (i || !strchr(w, '='))) {
			buf_adds(&r->input, w);
			continue;
		}
		buf_addc(&r->input, '\'');
		for (; *w; w++)
			*w == '\'' ? buf_adds(&r->input, "'\\''") : buf_addc(&r->input, *w);
		buf_addc(&r->input, '\'');
	}
	buf_addc(&r->input, '\n');
	return r->input.full ? err_set(r->e, 0, "COMMAND is too long") : 0;
}

static int read_input(struct run *r)
{
	buf_init(&r->input, INPUT_MAX);
	if (!r->o->file)
		return words_to_line(r);
	if (strcmp(r->o->file, "-") == 0) {
		if (io_slurp_fd(STDIN_FILENO, &r->input) < 0)
			return err_set(r->e, errno, "standard input");
	} else if (io_slurp(r->o->file, &r->input, r->e) < 0) {
		return -1;
	}
	if (r->input.len && memchr(r->input.data, '\0', r->input.len))
		return err_set(r->e, 0, "%s: holds a zero byte: not lines of a shell", r->o->file);
	return 0;
}

static void terminal_size(int *rows, int *cols)
{
	struct winsize ws = { 0 };

	*rows = 24;
	*cols = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row >= 2 && ws.ws_col >= 2) {
		*rows = ws.ws_row;
		*cols = ws.ws_col;
	}
}

static int open_files(struct run *r, int rows, int cols)
{
	if (r->o->transcript && transcript_open(r->o->transcript, &r->transcript, r->e) < 0)
		return -1;
	if (r->o->record && record_open(r->o->record, true, cols, rows, "sbxterm run", r->host->conf->shell,
					"xterm-256color", &r->record, r->e) < 0)
		return -1;
	return 0;
}

static int watch_signals(struct run *r)
{
	static const int sig[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < ARRAY_SIZE(sig); i++) {
		if (loop_add_signal(r->host->loop, sig[i], on_signal, r) < 0)
			return err_set(r->e, errno, "watch signals");
	}
	return 0;
}

static void start_jobs(struct run *r)
{
	const struct job_ops ops = {
		.fetch = job_fetch, .answer = job_answer, .front = job_front, .edit = job_edit, .over = job_over,
		.arg = r,
	};
	const struct jobs_in in = {
		.ops = &ops, .judge = r->host->judge, .world = r->host->world, .audit = r->host->audit,
		.who = { .session = "run", .pane = "0", .source = "run", .profile = r->host->conf->profile.name },
		.workspace = r->host->workspace, .home = r->host->home, .user = r->host->user,
	};

	r->jobs = jobs_new(&in);
}

/* ---- calls that need a grant ---------------------------------------------------------------------- */

static void on_call(void *arg, struct gate_question *q)
{
	struct run *r = arg;

	if (q->call && r->detours)
		detours_ask(r->detours, q);
	else if (q->call)
		gate_call_plain(q);
	else
		gate_answer(q, GATE_DROP, NULL);	/* a nested interactive shell: its lines come to nobody */
}

static void on_call_gone(void *arg, struct gate_question *q)
{
	struct run *r = arg;

	if (q->call && r->detours)
		detours_gone(r->detours, q);
}

static void on_call_signal(void *arg, struct gate_question *q, int signo)
{
	struct run *r = arg;

	if (r->detours)
		detours_signal(r->detours, q, signo);
}

static int open_gate(struct run *r)
{
	const struct gate_events ev = { .ask = on_call, .gone = on_call_gone, .signal = on_call_signal, .arg = r };
	char name[32];

	snprintf(name, sizeof(name), "run-%d", (int)getpid());
	if (rundir_file(name, "gate", r->gate_dir, sizeof(r->gate_dir), r->e) < 0)
		return -1;
	if (mkdir(r->gate_dir, 0700) < 0 && errno != EEXIST)
		return err_set(r->e, errno, "make %s", r->gate_dir);
	return gate_new(r->host->loop, r->gate_dir, &ev, &r->gate, r->e);
}

static void close_gate(struct run *r)
{
	gate_free(r->gate);
	if (*r->gate_dir)
		rmdir(r->gate_dir);
}

/* @sv[1] goes to the shell as descriptor 3. */
static int spawn(struct run *r, const int sv[2], int rows, int cols)
{
	char *const argv[] = {
		xstrdup(r->host->conf->shell), xstrdup("--norc"), xstrdup("--noprofile"),
		xstrdup(PLAN_RUN_DIR "/shell/run.bash"), NULL,
	};
	struct spawn_req req = { .plan = r->plan, .argv = argv, .rows = rows, .cols = cols, .extra_fd = sv[1] };
	pid_t pid;
	int rc = spawner_spawn(r->host->spawner, &req, &r->pty, &r->id, &pid, r->e);

	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	if (rc < 0)
		return -1;
	if (loop_add_fd(r->host->loop, r->pty, EPOLLIN, on_pty, r) < 0)
		return err_set(r->e, errno, "watch the terminal");
	return 0;
}

static int start_shell(struct run *r, int rows, int cols)
{
	const struct driver_events ev = { .ready = on_ready, .fetched = on_fetched, .gone = on_gone, .arg = r };
	int sv[2], rc;

	if (open_gate(r) < 0 || host_plan(r->host, r->gate_dir, NULL, &r->plan, r->e) < 0)
		return -1;
	if (spawner_watch(r->host->spawner, r->host->loop, on_exit_child, on_spawner_gone, r) < 0)
		return err_set(r->e, errno, "watch the spawner");
	spawner_on_held(r->host->spawner, on_held, r);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
		return err_set(r->e, errno, "socketpair");
	rc = spawn(r, sv, rows, cols);
	close(sv[1]);
	if (rc < 0) {
		close(sv[0]);
		return -1;
	}
	io_nonblock(sv[0]);
	r->detours = detours_new(&(struct detours_in){ .host = r->host, .plan = r->plan, .jobs = r->jobs, .base = r->id, .key = KEY });
	detours_size(r->detours, rows, cols);
	return driver_new(r->host->loop, sv[0], &ev, &r->driver, r->e);
}

static int run(struct run *r)
{
	const struct host_in in = { .dir = r->o->dir, .policy = r->o->policy, .profile = r->o->profile };
	int rows, cols;

	signal(SIGPIPE, SIG_IGN);
	terminal_size(&rows, &cols);
	/* Reading a large file comes after the spawner was started. */
	if (host_new(&in, &r->host, r->e) < 0 || read_input(r) < 0 || watch_signals(r) < 0 ||
	    open_files(r, rows, cols) < 0)
		return -1;
	buf_init(&r->output, TRANSCRIPT_OUTPUT_MAX);
	r->strip = strip_new(isatty(STDOUT_FILENO), on_output, on_mark, r);
	start_jobs(r);
	if (start_shell(r, rows, cols) < 0)
		return -1;
	while (!r->over) {
		if (loop_run(r->host->loop, r->e) < 0)
			return -1;
	}
	if (r->failed)
		return -1;
	strip_end(r->strip);
	if (r->held_cr)
		put(r, "\r", 1);
	return r->refused ? REFUSED : r->status;
}

static void run_done(struct run *r)
{
	detours_free(r->detours);
	jobs_free(r->jobs);
	if (r->host)
		close_gate(r);
	driver_free(r->driver);
	strip_free(r->strip);
	record_close(r->record);
	transcript_close(r->transcript);
	plan_free(r->plan);
	if (r->pty >= 0)
		close(r->pty);
	host_free(r->host);
	buf_done(&r->input);
	buf_done(&r->output);
	free(r->cwd);
}

int run_main(const struct options *o, struct err *e)
{
	struct run r = { .o = o, .pty = -1, .id = -1, .e = e, .mark_status = -1 };
	int rc = run(&r);

	/* What the clean-up says must not hide the reason. */
	run_done(&r);
	return rc;
}

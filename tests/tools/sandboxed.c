/* sandboxed - run a program in the sandbox that sbxterm would use, without gate, screen and record
 *
 *   sandboxed [-w DIR] [-c DIR] [-n PROCESSES] [-W PATH]... [-H PATH]... -- PROGRAM ARGUMENT...
 *
 * -w workspace (default: here), -c directory (default: the workspace), -n process limit, -W writable path, -H hidden path.
 * Standard input and output are relayed from and to its terminal. For the attack runner and for looking by hand; the
 * profile is the configured one. Exit status: the program's, 125 when there is no sandbox.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "conf/conf.h"
#include "sandbox/spawner.h"

#define EXIT_SELF	125
#define MAX_EXTRA	64

static struct {
	struct loop	*loop;
	int		 pty;
	bool		 ended;
	int		 status;
} t;

static void stop_when_done(void)
{
	if (t.ended && t.pty < 0)
		loop_stop(t.loop);
}

static void on_end(void *arg, int id, int status)
{
	(void)arg;
	(void)id;
	t.ended = true;
	t.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	stop_when_done();
}

static void on_gone(void *arg)
{
	(void)arg;
	t.status = EXIT_SELF;
	loop_stop(t.loop);
}

static void on_pty(struct loop *l, int fd, unsigned events, void *arg)
{
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)events;
	(void)arg;
	if (n > 0 && io_write_all(STDOUT_FILENO, chunk, (size_t)n) == 0)
		return;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	loop_del_fd(l, fd);
	close(fd);
	t.pty = -1;
	stop_when_done();
}

/* The end of the input hangs up: that is how the runner ends a session. */
static void on_input(struct loop *l, int fd, unsigned events, void *arg)
{
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)events;
	(void)arg;
	if (n > 0 && t.pty >= 0)
		(void)!io_write_all(t.pty, chunk, (size_t)n);
	if (n > 0 || (n < 0 && errno == EINTR))
		return;
	loop_del_fd(l, fd);
	if (t.pty >= 0) {
		loop_del_fd(l, t.pty);
		close(t.pty);
		t.pty = -1;
	}
	stop_when_done();
}

static void on_held(void *arg, const char *path, const char *kept)
{
	(void)arg;
	fprintf(stderr, "sandboxed: held back %s, %s\n", path, kept ? kept : "the sandbox is ended");
}

static int fail(const struct err *e)
{
	fprintf(stderr, "sandboxed: %s\n", e->msg);
	return EXIT_SELF;
}

int main(int argc, char *argv[])
{
	static const char *more_write[MAX_EXTRA], *hide[MAX_EXTRA];
	struct conf_from from = { .home = getenv("HOME") };
	CLEANUP(cleanup_freep) char *workspace = realpath(".", NULL);
	CLEANUP(cleanup_freep) char *keep = NULL;
	const char *cwd = NULL;
	struct conf_profile pr;
	struct plan_in in = { .profile = &pr, .hide = hide };
	struct spawn_req req = { .rows = 30, .cols = 100, .extra_fd = -1 };
	struct spawner *s;
	struct plan *plan;
	struct conf *conf;
	size_t nwrite = 0;
	long nproc = -1;
	struct err e;
	int opt, id;
	pid_t pid;

	while ((opt = getopt(argc, argv, "+w:c:n:W:H:")) != -1) {
		if (opt == 'w') {
			free(workspace);
			workspace = realpath(optarg, NULL);
		} else if (opt == 'c') {
			cwd = optarg;
		} else if (opt == 'n') {
			nproc = strtol(optarg, NULL, 10);
		} else if (opt == 'W' && nwrite < MAX_EXTRA) {
			more_write[nwrite++] = optarg;
		} else if (opt == 'H' && in.nhide < MAX_EXTRA) {
			hide[in.nhide++] = optarg;
		} else {
			return EXIT_SELF;
		}
	}
	if (!argv[optind] || !workspace || !from.home) {
		fprintf(stderr, "usage: sandboxed [-w DIR] [-c DIR] [-n PROCESSES] [-W PATH]... [-H PATH]... -- PROGRAM...\n");
		return EXIT_SELF;
	}
	signal(SIGPIPE, SIG_IGN);
	from.workspace = workspace;
	if (spawner_start(&s, &e) < 0 || spawner_check(&e) < 0 || conf_load(&from, &conf, &e) < 0)
		return fail(&e);
	pr = conf->profile;
	if (nproc >= 0)
		pr.nproc = (size_t)nproc;
	if (nwrite) {
		pr.write = more_write;
		pr.nwrite = nwrite;
	}
	in.workspace = workspace;
	in.cwd = cwd ? cwd : workspace;
	in.home = from.home;
	keep = xasprintf("%s/.local/state/sbxterm/held", from.home);
	in.keep = keep;
	spawner_on_held(s, on_held, NULL);
	in.libexec = conf_libexecdir();
	in.environ = environ;
	in.term = "xterm-256color";
	if (plan_build(&in, &plan, &e) < 0)
		return fail(&e);
	t.loop = loop_new(&e);
	if (!t.loop || spawner_watch(s, t.loop, on_end, on_gone, NULL) < 0)
		return fail(&e);
	req.plan = plan;
	req.argv = argv + optind;
	if (spawner_spawn(s, &req, &t.pty, &id, &pid, &e) < 0)
		return fail(&e);
	loop_add_fd(t.loop, t.pty, EPOLLIN, on_pty, NULL);
	loop_add_fd(t.loop, STDIN_FILENO, EPOLLIN, on_input, NULL);
	(void)!loop_run(t.loop, &e);
	spawner_free(s);
	plan_free(plan);
	conf_free(conf);
	loop_free(t.loop);
	return t.status;
}

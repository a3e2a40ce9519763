/* What a sandbox costs to start: `bash -c true` bare, under bubblewrap with the same namespaces, and through the
 * spawner with the configured profile. Interleaved, so that a busy machine slows all of them alike.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "conf/conf.h"
#include "sandbox/spawner.h"

#define ROUNDS	40

static const char *const line[] = { "/bin/bash", "--norc", "-c", "true", NULL };

static struct {
	struct loop	*loop;
	struct spawner	*spawner;
	struct plan	*plan;
	bool		 ended;
} b;

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void on_end(void *arg, int id, int status)
{
	(void)arg;
	(void)id;
	(void)status;
	b.ended = true;
}

static void run(const char *const *argv)
{
	pid_t pid;
	int st;

	if (posix_spawn(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ) != 0) {
		fprintf(stderr, "cannot start %s\n", argv[0]);
		exit(1);
	}
	while (waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
}

static void bare(void)
{
	run(line);
}

static void bwrap(void)
{
	static const char *const rest[] = {
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--",
	};
	const char *argv[64] = { plan_bwrap() };
	size_t n = 1;

	for (const char *const *f = plan_flags(); *f; f++)
		argv[n++] = *f;
	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		argv[n++] = rest[i];
	for (size_t i = 0; line[i]; i++)
		argv[n++] = line[i];
	run(argv);
}

static void sandbox(void)
{
	const struct spawn_req req = {
		.plan = b.plan, .argv = (char *const *)(uintptr_t)line, .rows = 24, .cols = 80, .extra_fd = -1,
	};
	struct err e;
	int pty, id;
	pid_t pid;

	b.ended = false;
	if (spawner_spawn(b.spawner, &req, &pty, &id, &pid, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		exit(1);
	}
	while (!b.ended)
		loop_step(b.loop, 1000, &e);
	close(pty);
}

static const struct { const char *name; void (*fn)(void); } kinds[] = {
	{ "bash -c true, bare",			bare },
	{ "under bubblewrap, root and tmpfs",	bwrap },
	{ "in the sandbox, start to reaped",	sandbox },
};

static int by_value(const void *a, const void *c)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)c;

	return (x > y) - (x < y);
}

static void prepare(void)
{
	struct conf_from from = { .home = getenv("HOME"), .workspace = getcwd(NULL, 0) };
	struct plan_in in = {
		.workspace = from.workspace, .cwd = from.workspace, .home = from.home, .environ = environ,
		.libexec = conf_libexecdir(), .term = "xterm-256color",
	};
	struct conf *conf;
	struct err e;
	uint64_t t;

	if (spawner_start(&b.spawner, &e) < 0 || spawner_check(&e) < 0 || conf_load(&from, &conf, &e) < 0)
		goto fail;
	in.profile = &conf->profile;
	t = io_now_ns();
	if (plan_build(&in, &b.plan, &e) < 0)
		goto fail;
	printf("%-36s %8.2f ms\n", "plan, once for a pane", ms(io_now_ns() - t));
	b.loop = loop_new(&e);
	if (!b.loop || spawner_watch(b.spawner, b.loop, on_end, NULL, NULL) < 0)
		goto fail;
	return;
fail:
	fprintf(stderr, "%s\n", e.msg);
	exit(1);
}

int main(void)
{
	static uint64_t t[ARRAY_SIZE(kinds)][ROUNDS];
	const size_t mid = ROUNDS / 2;

	prepare();
	for (size_t r = 0; r < ROUNDS; r++) {
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			uint64_t start = io_now_ns();

			kinds[k].fn();
			t[k][r] = io_now_ns() - start;
		}
	}
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		qsort(t[k], ROUNDS, sizeof(t[k][0]), by_value);
		printf("%-36s %8.2f ms median, %.2f best, x %.2f\n", kinds[k].name, ms(t[k][mid]), ms(t[k][0]),
		       ms(t[k][mid]) / ms(t[0][mid]));
	}
	spawner_free(b.spawner);
	return 0;
}

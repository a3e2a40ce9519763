#include "detour.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "intercept/environ.h"
#include "proc.h"
#include "sandbox/gitdir.h"

#define ANCESTORS	64		/* processes between a call and the shell whose line it belongs to */
#define LINE_BYTES	(1u << 20)
#define NAME_CHARS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define MESSAGE		(ERR_MAX + 16)

struct detour {
	struct detour		*next;
	struct detours		*set;
	struct gate_question	*q;		/* NULL: the asker is gone */
	long			 key;		/* of its job */
	int			 id;		/* as the spawner names it; -1 it did not start */
	struct gitdir		 git;
	unsigned		 had[GITDIR_MAX];
	struct loop_timer	*failed;	/* its job is told from the loop, not from within its own event */
	char			 message[MESSAGE];
};

struct detours {
	struct detours_in	 in;
	struct detour		*list;
	int			 rows, cols;
};

struct detours *detours_new(const struct detours_in *in)
{
	struct detours *d = xcalloc(1, sizeof(*d));

	*d = (struct detours){ .in = *in, .rows = 24, .cols = 80 };
	return d;
}

static void detour_free(struct detour *t)
{
	struct detour **pp = &t->set->list;

	while (*pp != t)
		pp = &(*pp)->next;
	*pp = t->next;
	loop_cancel_timer(t->set->in.host->loop, t->failed);
	gitdir_done(&t->git);
	free(t);
}

void detours_free(struct detours *d)
{
	if (!d)
		return;
	while (d->list) {
		if (d->list->id >= 0)
			spawner_kill(d->in.host->spawner, d->list->id, SIGKILL);
		detour_free(d->list);
	}
	free(d);
}

void detours_size(struct detours *d, int rows, int cols)
{
	d->rows = rows;
	d->cols = cols;
}

static struct detour *by_question(const struct detours *d, const struct gate_question *q)
{
	struct detour *t = d->list;

	while (t && t->q != q)
		t = t->next;
	return t;
}

/* ---- which repository ---- */

static bool inside(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Where git will look from: the directory of the call, and each -C before the subcommand. NULL: it is not there. */
static char *start_directory(const struct gate_question *q)
{
	const struct gate_call *c = q->call;
	char *dir = realpath(q->cwd, NULL);

	for (int i = 1; dir && i + 1 < c->argc && c->argv[i][0] == '-'; i++) {
		CLEANUP(cleanup_freep) char *was = dir, *next = NULL;

		if (strcmp(c->argv[i], "-C") != 0) {
			i += strcmp(c->argv[i], "-c") == 0;
			dir = xstrdup(was);
			continue;
		}
		next = c->argv[++i][0] == '/' ? xstrdup(c->argv[i]) : xasprintf("%s/%s", was, c->argv[i]);
		dir = realpath(next, NULL);
	}
	return dir;
}

/* The nearest repository at or above the directory, not above the workspace. */
static bool find_repository(const struct detours *d, const struct gate_question *q, struct gitdir *g)
{
	CLEANUP(cleanup_freep) char *dir = start_directory(q);

	*g = (struct gitdir){ 0 };
	while (dir && inside(dir, d->in.host->workspace)) {
		gitdir_find(g, dir);
		if (g->n && !g->is_link)
			return true;
		gitdir_done(g);
		if (g->is_link)
			return false;
		*strrchr(dir, '/') = '\0';
	}
	return false;
}

/* ---- the question ---- */

/* The dynamic loader's own variables go no further. */
static bool is_loader(const char *var)
{
	return strncmp(var, "LD_", 3) == 0;
}

static bool is_no_loader(const char *var)
{
	return !is_loader(var);
}

/* A new table of those that @want; the caller frees it, not the strings. */
static char **pick(char **env, bool (*want)(const char *var))
{
	size_t n = 0, k = 0;
	char **out;

	while (env[n])
		n++;
	out = xcalloc(n + 1, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		if (want(env[i]))
			out[k++] = env[i];
	}
	return out;
}

static void add_word(struct buf *b, const char *s)
{
	static const char plain[] = NAME_CHARS "./:=@%+,-";

	if (*s && !s[strspn(s, plain)]) {
		buf_adds(b, s);
		return;
	}
	buf_addc(b, '\'');
	for (; *s; s++)
		*s == '\'' ? buf_adds(b, "'\\''") : buf_addc(b, *s);
	buf_addc(b, '\'');
}

static bool is_around(const char *var)
{
	CLEANUP(cleanup_freep) char *name = xmemdup0(var, strcspn(var, "="));

	return environ_matters(name) && !is_loader(var) && var[strlen(name)] && !name[strspn(name, NAME_CHARS)];
}

/* Variables that make the program run something else are part of what is judged: NAME=value before the words. */
static char **add_environment(struct buf *b, char **env)
{
	char **out = pick(env, is_around);

	for (char **v = out; *v; v++) {
		size_t n = strcspn(*v, "=") + 1;

		buf_add(b, *v, n);
		add_word(b, *v + n);
		buf_addc(b, ' ');
	}
	return out;
}

/* The running line that the call belongs to; 0: none. */
static long line_above(const struct detours *d, pid_t pid)
{
	struct proc p;

	if (d->in.key)
		return d->in.key;
	for (int i = 0; i < ANCESTORS && pid > 1 && proc_look(pid, &p) == 0; i++) {
		pid = p.parent;
		if (jobs_running(d->in.jobs, pid))
			return pid;
	}
	return 0;
}

void detours_ask(struct detours *d, struct gate_question *q)
{
	const struct gate_call *c = q->call;
	CLEANUP(buf_done) struct buf line;
	CLEANUP(cleanup_freep) char **around = NULL;
	struct gitdir g;
	bool repository = find_repository(d, q, &g);

	gitdir_done(&g);
	buf_init(&line, LINE_BYTES);
	around = add_environment(&line, c->env);
	for (int i = 0; i < c->argc; i++) {
		buf_adds(&line, i ? " " : "");
		add_word(&line, i ? c->argv[i] : c->name);
	}
	if (strcmp(c->name, "git") != 0 || !repository || line.full) {
		gate_call_plain(q);
		return;
	}
	jobs_ask(d->in.jobs, &(struct job_in){
		.line = buf_str(&line), .len = line.len, .cwd = q->cwd, .key = q->shell_pid, .own = q,
		.argv = c->argv, .argc = (size_t)c->argc, .around = around, .under = line_above(d, q->shell_pid), .grant = "git-write",
	});
}

/* ---- running ---- */

static void list_repository(struct detour *t, char **writable, char **kept)
{
	size_t w = 0, k = 0;

	for (size_t i = 0; i < t->git.n; i++) {
		if (!t->git.at[i].repo)
			continue;
		t->had[i] = gitdir_had(t->git.at[i].path);
		writable[w++] = t->git.at[i].path;
		for (size_t n = 0; gitdir_kept[n]; n++)
			kept[k++] = xasprintf("%s/%s", t->git.at[i].path, gitdir_kept[n]);
	}
}

static int spawn(struct detour *t, const struct gate_call *c, const char *cwd, int *master, struct err *e)
{
	struct detours *d = t->set;
	CLEANUP(cleanup_freep) char **env = pick(c->env, is_no_loader);
	CLEANUP(cleanup_freep) char **argv = xcalloc((size_t)c->argc + 1, sizeof(*argv));
	CLEANUP(cleanup_freep) char *real = xasprintf(PLAN_REAL_DIR "/%s", c->name);
	char *writable[GITDIR_MAX + 1] = { NULL }, *kept[GITDIR_MAX * 16] = { NULL };
	int stdio[3], rc;
	const struct spawn_join join = { .base = d->in.base, .cwd = cwd, .env = env, .writable = writable, .kept = kept };
	const struct spawn_req r = {
		.plan = d->in.plan, .join = &join, .argv = argv, .rows = d->rows, .cols = d->cols, .extra_fd = -1, .stdio = stdio,
	};
	pid_t pid;

	memcpy(argv, c->argv, (size_t)c->argc * sizeof(*argv));
	argv[0] = real;
	for (int i = 0; i < 3; i++)
		stdio[i] = isatty(c->fd[i]) ? -1 : c->fd[i];
	list_repository(t, writable, kept);
	rc = spawner_spawn(d->in.host->spawner, &r, master, &t->id, &pid, e);
	for (size_t i = 0; kept[i]; i++)
		free(kept[i]);
	return rc;
}

static void on_failed(struct loop *l, void *arg)
{
	struct detour *t = arg;

	(void)l;
	t->failed = NULL;
	jobs_done(t->set->in.jobs, t->key, 125, t->message);
	detour_free(t);
}

static void fail(struct detour *t, struct gate_question *q, const struct err *e)
{
	CLEANUP(cleanup_freep) char *said = xasprintf("sbxterm: cannot be run with a grant: %s\n", e->msg);

	snprintf(t->message, sizeof(t->message), "not started: %s", e->msg);
	t->id = -1;
	t->q = NULL;
	gate_answer(q, GATE_DROP, said);
	t->failed = loop_add_timer(t->set->in.host->loop, 0, on_failed, t);
}

static void start(struct detours *d, struct gate_question *q)
{
	struct detour *t = xcalloc(1, sizeof(*t));
	struct err e = { 0 };
	int master = -1;

	*t = (struct detour){ .next = d->list, .set = d, .q = q, .key = q->shell_pid, .id = -1 };
	d->list = t;
	/* Looked up again: it may have changed while the question waited. */
	if (!find_repository(d, q, &t->git)) {
		err_set(&e, 0, "the repository is gone");
		fail(t, q, &e);
		return;
	}
	if (spawn(t, q->call, q->cwd, &master, &e) < 0) {
		fail(t, q, &e);
		return;
	}
	if (gate_call_started(q, master) < 0) {
		t->q = NULL;
		spawner_kill(d->in.host->spawner, t->id, SIGKILL);
	}
	close(master);
}

void detours_answer(struct detours *d, const struct job *j, bool run, const char *message)
{
	struct gate_question *q = job_own(j);

	if (run)
		start(d, q);
	else
		gate_answer(q, GATE_DROP, message);
}

void detours_signal(struct detours *d, const struct gate_question *q, int signo)
{
	const struct detour *t = by_question(d, q);

	if (t && t->id >= 0)
		spawner_kill(d->in.host->spawner, t->id, signo);
}

void detours_gone(struct detours *d, struct gate_question *q)
{
	struct detour *t = by_question(d, q);

	if (!t) {
		jobs_gone(d->in.jobs, q, "caller");
		return;
	}
	t->q = NULL;
	spawner_kill(d->in.host->spawner, t->id, SIGKILL);
}

bool detours_exit(struct detours *d, int id, int status)
{
	struct detour *t = d->list;
	unsigned held = 0;

	while (t && t->id != id)
		t = t->next;
	if (!t)
		return false;
	for (size_t i = 0; i < t->git.n; i++)
		held += t->git.at[i].repo ? gitdir_hold(t->git.at[i].path, t->had[i]) : 0;
	if (t->q)
		gate_call_ended(t->q, status);
	jobs_done(d->in.jobs, t->key, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
		  held ? "what git would run later had appeared in the repository: renamed to held-by-sbxterm-*" : NULL);
	detour_free(t);
	return true;
}

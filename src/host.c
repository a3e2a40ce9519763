#include "host.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "rundir.h"

extern char **environ;

int host_directory(const char *dir, char **out, struct err *e)
{
	const char *name = dir ? dir : ".";
	char *real = realpath(name, NULL);
	struct stat st;

	if (!real)
		return err_set(e, errno, "workspace %s", name);
	if (stat(real, &st) < 0 || !S_ISDIR(st.st_mode)) {
		err_set(e, 0, "workspace %s: not a directory: name one with -c DIR", name);
		free(real);
		return -1;
	}
	*out = real;
	return 0;
}

/* $HOME, or what the user database says; real, so that it compares with real paths. */
static int find_home(struct host *h, struct err *e)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *home = getenv("HOME");

	h->user = pw ? xstrdup(pw->pw_name) : NULL;
	if (!home || home[0] != '/')
		home = pw ? pw->pw_dir : NULL;
	if (!home)
		return err_set(e, 0, "no home directory: set HOME");
	h->home = realpath(home, NULL);
	if (!h->home)
		return err_set(e, errno, "home directory %s", home);
	return 0;
}

/* What is written in the workspace is written for real: a home directory with its secrets, or the record of what was
 * decided, is no place for that. */
static int check_workspace(const struct host *h, struct err *e)
{
	size_t n = strlen(h->workspace);

	if (n == 1 || (strncmp(h->home, h->workspace, n) == 0 && (h->home[n] == '/' || !h->home[n])))
		return err_set(e, 0, "workspace %s: holds your home directory: start it in a project's directory, or name one with -c DIR",
			       h->workspace);
	return 0;
}

static int load(struct host *h, const struct host_in *in, struct err *e)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	struct conf_from from = {
		.home = h->home, .config = xdg && xdg[0] == '/' ? xdg : NULL, .workspace = h->workspace, .policy = in->policy, .profile = in->profile,
	};

	if (conf_load(&from, &h->conf, e) < 0)
		return -1;
	if (judge_new(h->conf, conf_datadir(), &h->judge, e) < 0)
		return -1;
	h->world = world_real();
	if (in->judge_only)
		return 0;
	/* A session loads it before the first line, which must not wait for it. */
	return world_prepare(h->world, e) < 0 ? -1 : audit_open(h->conf->audit_path, &h->audit, e);
}

static int start(struct host *h, const struct host_in *in, struct err *e)
{
	if (!in->judge_only && (spawner_start(&h->spawner, e) < 0 || spawner_check(e) < 0))
		return -1;
	h->loop = loop_new(e);
	if (!h->loop || host_directory(in->dir, &h->workspace, e) < 0 || find_home(h, e) < 0)
		return -1;
	if (!in->judge_only && check_workspace(h, e) < 0)
		return -1;
	return load(h, in, e);
}

int host_new(const struct host_in *in, struct host **out, struct err *e)
{
	struct host *h = xcalloc(1, sizeof(*h));

	if (start(h, in, e) < 0) {
		host_free(h);
		return -1;
	}
	*out = h;
	return 0;
}

void host_free(struct host *h)
{
	if (!h)
		return;
	spawner_free(h->spawner);
	audit_close(h->audit);
	judge_free(h->judge);
	world_free(h->world);
	conf_free(h->conf);
	loop_free(h->loop);
	free(h->workspace);
	free(h->home);
	free(h->user);
	free(h);
}

static char *dir_of(const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');

	if (slash && slash != dir)
		*slash = '\0';
	return dir;
}

int host_plan(const struct host *h, const char *gate_dir, const char *cwd, struct plan **out, struct err *e)
{
	CLEANUP(cleanup_freep) char *audit = dir_of(h->conf->audit_path);
	CLEANUP(cleanup_freep) char *keep = xasprintf("%s/held", audit);
	CLEANUP(cleanup_freep) char *shell = xasprintf("%s/shell", conf_datadir());
	char run[RUNDIR_MAX];
	const char *hide[] = { audit, run };
	struct plan_in in = {
		.profile = &h->conf->profile, .workspace = h->workspace, .home = h->home,
		.cwd = cwd ? cwd : h->workspace, .gate_dir = gate_dir, .integration = shell,
		.libexec = conf_libexecdir(), .environ = environ, .term = "xterm-256color",
		.keep = keep, .hide = hide, .nhide = 1,
	};

	if (!in.libexec)
		return err_set(e, 0, "the helper programs (sbx-init, sbx-ask) are missing: install sbxterm again");
	if (rundir_path(run, e) == 0)
		in.nhide = 2;
	return plan_build(&in, out, e);
}

char *host_held_text(const struct host *h, const char *path, const char *kept)
{
	size_t n = strlen(h->workspace);
	struct buf b;

	if (strncmp(path, h->workspace, n) == 0 && path[n] == '/')
		path += n + 1;
	buf_init(&b, 8192);
	buf_adds(&b, "held back: ");
	quote_into(&b, path, strlen(path));
	buf_adds(&b, kept ? ", now " : " could not be, so the sandbox was ended");
	if (kept)
		quote_into(&b, kept, strlen(kept));
	return buf_steal(&b);
}

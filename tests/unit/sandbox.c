/* The real sandbox, through the spawner: what is tried inside must fail, what belongs there must work.
 *
 * Everything happens in a throw-away directory with a decoy home. As root it all runs twice: as root, and in a
 * child that became an ordinary user. What the kernel may not be asked for is in hardening.c.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "sandbox/spawner.h"
#include "tap.h"
#include "built.h"

#define SECRET		"DECOY_7f3a91"
#define DEADLINE_NS	(20ull * 1000000000)
#define ORDINARY	54321
#define NPROC		64

/* ==== outside ==== */

static struct fixture {
	char		 dir[64];
	char		*home, *work, *libexec;
	struct loop	*loop;
	struct spawner	*spawner;
	int		 port;		/* a listener on loopback */
	int		 listener, sock_home, sock_var, sock_work, stray;
	bool		 gone;
} f;

static struct { int id, status; bool done; } ended;

static void on_exit_event(void *arg, int id, int status)
{
	(void)arg;
	ended.id = id;
	ended.status = status;
	ended.done = true;
}

static void on_gone(void *arg)
{
	(void)arg;
	f.gone = true;
}

static void put(const char *rel, const char *text)
{
	CLEANUP(cleanup_freep) char *p = xasprintf("%s/%s", f.dir, rel);
	CLEANUP(cleanup_freep) char *d = xmemdup0(p, (size_t)(strrchr(p, '/') - p));
	struct err e;
	int fd;

	ok(io_mkdirs(d, 0755, &e) == 0, rel);
	fd = open(p, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	ok(fd >= 0 && io_write_all(fd, text, strlen(text)) == 0, p);
	close(fd);
}

static int listen_unix(const char *rel)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/%s", f.dir, rel);
	ok(bind(s, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(s, 4) == 0, a.sun_path);
	return s;
}

static int listen_tcp(int *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ok(bind(s, (struct sockaddr *)&a, len) == 0 && listen(s, 4) == 0 &&
	   getsockname(s, (struct sockaddr *)&a, &len) == 0, "loopback listener");
	*port = ntohs(a.sin_port);
	return s;
}

static void setup(void)
{
	CLEANUP(cleanup_freep) char *init = built_init();
	CLEANUP(cleanup_freep) char *to = NULL;

	strcpy(f.dir, "/tmp/sbxterm-sandbox-XXXXXX");
	ok(mkdtemp(f.dir) != NULL, "scratch directory");
	f.home = xasprintf("%s/home", f.dir);
	f.work = xasprintf("%s/home/proj", f.dir);
	f.libexec = xasprintf("%s/libexec", f.dir);
	put("home/.ssh/id_ed25519", SECRET);
	put("home/.netrc", SECRET);
	put("home/.gitconfig", "[user]\n");
	put("home/.config/tool/conf", "shown\n");
	put("home/.config/tool/token", SECRET);
	put("home/proj/.git/config", "[core]\n");
	put("home/proj/.git/HEAD", "ref: refs/heads/main\n");
	put("home/proj/.vscode/tasks.json", "{}\n");
	put("home/proj/.env", SECRET);
	put("home/proj/file.txt", "one\n");
	put("outside/victim.txt", "untouched\n");
	put("libexec/empty", "");
	put("audit/log", SECRET);
	chmod(f.dir, 0711);
	to = xasprintf("%s/sbx-init", f.libexec);
	copy_file(init, to, 0755);
	f.sock_home = listen_unix("home/agent.sock");
	f.sock_var = listen_unix("outside/engine.sock");
	f.sock_work = listen_unix("home/proj/dev.sock");
	f.listener = listen_tcp(&f.port);
	f.stray = open("/etc/passwd", O_RDONLY);		/* on purpose without close-on-exec */
}

static int unlink_one(const char *p, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(p);
}

static void teardown(void)
{
	nftw(f.dir, unlink_one, 16, FTW_DEPTH | FTW_PHYS);
	close(f.sock_home);
	close(f.sock_var);
	close(f.sock_work);
	close(f.listener);
	close(f.stray);
	free(f.home);
	free(f.work);
	free(f.libexec);
}

static struct plan *make_plan(bool watched)
{
	static const char *const rd[] = { "~/.gitconfig", "~/.config/tool", "~/.absent" };
	static const char *const mask[] = { "~/.ssh", "~/.netrc", "~/.config/tool/token", ".env" };
	static const char *const prot[] = { ".git", ".vscode", ".absent" };
	static const char *const env[] = { "PATH", "LC_*", "LANG", "ASAN_OPTIONS" };
	static const char *const set[] = { "ASAN_OPTIONS=detect_leaks=0" };
	static char *const server_env[] = {
		(char *)(uintptr_t)"PATH=/usr/bin:/bin", (char *)(uintptr_t)"LC_ALL=C",
		(char *)(uintptr_t)"API_TOKEN=" SECRET, NULL,
	};
	const struct conf_profile pr = {
		.name = "test", .read = rd, .nread = ARRAY_SIZE(rd), .mask = mask, .nmask = ARRAY_SIZE(mask),
		.protect = prot, .nprotect = ARRAY_SIZE(prot), .env = env, .nenv = ARRAY_SIZE(env),
		.setenv = set, .nsetenv = ARRAY_SIZE(set),
		.home_bytes = 1 << 20, .tmp_bytes = 1 << 20, .nproc = NPROC,
	};
	CLEANUP(cleanup_freep) char *audit = xasprintf("%s/audit/log", f.dir);
	CLEANUP(cleanup_freep) char *keep = xasprintf("%s/audit/held", f.dir);
	const char *const hide[] = { audit };
	const struct plan_in in = {
		.profile = &pr, .workspace = f.work, .home = f.home, .cwd = f.work, .libexec = f.libexec,
		.environ = server_env, .term = "xterm-256color", .hide = hide, .nhide = 1,
		.keep = watched ? keep : NULL,
	};
	struct plan *p = NULL;
	struct err e = { 0 };

	if (!ok(plan_build(&in, &p, &e) == 0, "plan"))
		printf("# %s\n", e.msg);
	return p;
}

/* ---- running something ---- */

struct run {
	int		pty, id;
	pid_t		pid;
	struct buf	out;
	size_t		seen;		/* wait_for() goes on from here */
};

static bool start_req(struct run *r, const struct spawn_req *req)
{
	struct err e = { 0 };

	*r = (struct run){ .pty = -1 };
	buf_init(&r->out, 1u << 20);
	ended.done = false;
	if (!ok(spawner_spawn(f.spawner, req, &r->pty, &r->id, &r->pid, &e) == 0, "spawn")) {
		printf("# %s\n", e.msg);
		return false;
	}
	return true;
}

static bool start(struct run *r, const struct plan *p, const char *const *argv, int extra)
{
	const struct spawn_req req = {
		.plan = p, .argv = (char *const *)(uintptr_t)argv, .rows = 24, .cols = 80, .extra_fd = extra,
	};

	return start_req(r, &req);
}

/* Read what is there. false: the other side is gone. */
static bool pump(struct run *r, int ms)
{
	struct pollfd p = { .fd = r->pty, .events = POLLIN };
	char chunk[4096];
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return true;
	n = read(r->pty, chunk, sizeof(chunk));
	if (n > 0)
		buf_add(&r->out, chunk, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool wait_for(struct run *r, const char *text)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;
	const char *at;

	while (!(at = strstr(buf_str(&r->out) + r->seen, text))) {
		if (io_now_ns() > end || !pump(r, 100)) {
			printf("# waited for \"%s\", got: %s\n", text, buf_str(&r->out) + r->seen);
			return false;
		}
	}
	r->seen = (size_t)(at - buf_str(&r->out)) + strlen(text);
	return true;
}

static void type(struct run *r, const char *text)
{
	ok(io_write_all(r->pty, text, strlen(text)) == 0, text);
}

static int finish(struct run *r)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;
	struct err e;

	while (r->pty >= 0 && pump(r, 100) && io_now_ns() < end)
		;
	while (!ended.done && io_now_ns() < end)
		loop_step(f.loop, 100, &e);
	if (!ok(ended.done && ended.id == r->id, "end reported"))
		spawner_kill(f.spawner, r->id, SIGKILL);
	close(r->pty);
	r->pty = -1;
	return ended.status;
}

static void run_done(struct run *r)
{
	buf_done(&r->out);
}

/* ---- the table: a script, what must and must not come out ---- */

static const struct { const char *name, *script, *want, *never; } scripts[] = {
	{ "workspace is writable",	"echo x > new && cat new && rm new && echo fine",	"fine",		NULL },
	{ "is where it was",		"pwd",						"/home/proj",	NULL },
	{ "secret key",			"cat ~/.ssh/id_ed25519",			"No such file",	SECRET },
	{ "masked file in the home",	"cat ~/.netrc",					"No such file",	SECRET },
	{ "masked below a shown one",	"cat ~/.config/tool/conf ~/.config/tool/token; echo rc=$?",	"rc=0",	SECRET },
	{ "shown one is shown",		"cat ~/.config/tool/conf",			"shown",	NULL },
	{ "shown one is read-only",	"echo x >> ~/.gitconfig",			"Read-only",	NULL },
	{ "masked in the workspace",	"cat .env; echo rc=$?",				"rc=0",		SECRET },
	{ "masked cannot be moved",	"mv .env x",					"busy",		NULL },
	{ "home is scratch",		"echo x > ~/x && cat ~/x && ls -A ~",		".config",	".ssh" },
	{ "home has a size",		"head -c 4M /dev/zero > ~/big",			"No space",	NULL },
	{ "tmp has a size",		"head -c 4M /dev/zero > /tmp/big",		"No space",	NULL },
	{ "system is read-only",	"echo x > /etc/x",				"Read-only",	NULL },
	{ "git is read-only",		"echo x > .git/config",				"Read-only",	NULL },
	{ "git hook",			"mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",	"Read-only",	NULL },
	{ "git cannot be moved",	"mv -f .git g",					"busy",		NULL },
	{ "protected",			"echo x > .vscode/tasks.json",			"Read-only",	NULL },
	{ "outside",			"echo x > ../../outside/victim.txt; cat ../../outside/victim.txt", "No such file", "untouched" },
	{ "audit log",			"cat ../../audit/log",				"No such file",	SECRET },
	{ "environment",		"env; cat /proc/self/environ /proc/1/environ | tr '\\0' '\\n'; tr '\\0' ' ' </proc/1/cmdline", "LC_ALL=C", SECRET },
	{ "environment of all",		"cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline | tr '\\0' ' '; echo done", "done", SECRET },
	{ "TERM",			"echo $TERM $HOME",				"xterm-256color",	NULL },
	{ "host processes",		"ls -d /proc/[0-9]* | wc -l; echo $$",		"2",		NULL },
	{ "descriptors",		"ls /proc/self/fd | wc -l",			"4",		NULL },
	{ "network",			"(exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>&1",	"refused",	NULL },
	{ "loopback is up",		"(exec 3<>/dev/tcp/127.0.0.1/1) 2>&1",		"refused",	"unreachable" },
	{ "socket in the home",		"ls ~/agent.sock",				"No such file",	NULL },
	{ "socket in the workspace",	"test -S dev.sock && echo still || echo covered",	"covered",	NULL },
	{ "run directory is private",	"ls -A /run; touch /run/x; mv /run/sbxterm /run/y",	"Read-only",	NULL },
	{ "device files",		"ls /dev; echo x > /dev/null && head -c 1 /dev/zero | wc -c",	"null",	"sda" },
	{ "device directory",		"touch /dev/x",					"Read-only",	NULL },
	{ "shared memory",		"echo x > /dev/shm/x && cat /dev/shm/x && rm /dev/shm/x && echo fine",	"fine",	NULL },
	{ "temporary files",		"echo x > /tmp/sbxterm-left && echo x > /var/tmp/sbxterm-left && ls /tmp", "sbxterm-left", NULL },
	{ "other homes",		"ls -A /root /home 2>&1; echo done",		"done",		".bashrc" },
	{ "capabilities",		"grep -E '^Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/self/status",	"0000000000000000",	"1f" },
	{ "core dumps",			"ulimit -c",					"0",		NULL },
	{ "terminal",			"test -t 0 && test -t 1 && test -t 2 && stty size",	"24 80",	NULL },
	{ "job control",		"ps -o tty= -p $$ >/dev/null; bash --norc -ic 'echo ok' 2>&1",	"ok",	"no job control" },
	{ "remount",			"mount -o remount,rw / 2>&1; umount ~ 2>&1; echo done",	"done",	NULL },
};

static char *with_port(const char *script)
{
	return xasprintf("PORT=%d\n%s", f.port, script);
}

static void test_scripts(const struct plan *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		CLEANUP(cleanup_freep) char *script = with_port(scripts[i].script);
		const char *const argv[] = { "/bin/bash", "--norc", "-c", script, NULL };
		struct run r;

		if (!start(&r, p, argv, -1))
			continue;
		finish(&r);
		if (!ok(strstr(buf_str(&r.out), scripts[i].want), scripts[i].name))
			printf("# want \"%s\" in: %s\n", scripts[i].want, buf_str(&r.out));
		if (scripts[i].never && !ok(!strstr(buf_str(&r.out), scripts[i].never), scripts[i].name))
			printf("# never \"%s\" in: %s\n", scripts[i].never, buf_str(&r.out));
		run_done(&r);
	}
}

static void test_status(const struct plan *p)
{
	static const struct { const char *script; int want; } cases[] = {
		{ "exit 0",		0 },
		{ "exit 7",		7 << 8 },
		{ "kill -TERM $$",	SIGTERM },
		{ "kill -KILL $$",	SIGKILL },
		{ "(trap '' HUP; sleep 1000) & exit 3",	3 << 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const argv[] = { "/bin/bash", "--norc", "-c", cases[i].script, NULL };
		struct run r;

		if (!start(&r, p, argv, -1))
			continue;
		is_int(finish(&r), cases[i].want, cases[i].script);
		run_done(&r);
	}
}

/* What cannot be started is an error with words, and nothing ran. */
static void test_refused(const struct plan *p)
{
	static const struct { const char *program, *says; } cases[] = {
		{ "/nonexistent/program",	"No such file" },
		{ "/etc/passwd",		"Permission denied" },
		{ "bash",			"absolute" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *const argv[] = { (char *)(uintptr_t)cases[i].program, NULL };
		const struct spawn_req req = { .plan = p, .argv = argv, .rows = 24, .cols = 80, .extra_fd = -1 };
		struct err e = { 0 };
		int pty, id;
		pid_t pid;

		is_int(spawner_spawn(f.spawner, &req, &pty, &id, &pid, &e), -1, cases[i].program);
		if (!ok(strstr(e.msg, cases[i].says), cases[i].says))
			printf("# %s\n", e.msg);
	}
}

static void test_mount_failure(bool watched, const char *words)
{
	struct plan *p = make_plan(watched);
	CLEANUP(cleanup_freep) char *moved = xasprintf("%s/moved", f.dir);
	const char *const prog = "/bin/true";
	char *const argv[] = { (char *)(uintptr_t)prog, NULL };
	const struct spawn_req req = { .plan = p, .argv = argv, .rows = 24, .cols = 80, .extra_fd = -1 };
	struct err e = { 0 };
	int pty, id;
	pid_t pid;

	ok(rename(f.work, moved) == 0, "workspace goes away after the plan was made");
	is_int(spawner_spawn(f.spawner, &req, &pty, &id, &pid, &e), -1, "then there is no sandbox");
	if (!ok(strstr(e.msg, words) && strstr(e.msg, "proj"), "and the words say why"))
		printf("# %s\n", e.msg);
	ok(rename(moved, f.work) == 0, "back");
	plan_free(p);
}

static void test_job_control(const struct plan *p)
{
	const char *const argv[] = { "/bin/bash", "--norc", "--noprofile", "-i", NULL };
	const struct winsize ws = { .ws_row = 40, .ws_col = 132 };
	struct run r;

	if (!start(&r, p, argv, -1))
		return;
	type(&r, "PS1='re''ady> '; set +o histexpand\r");
	ok(wait_for(&r, "ready> "), "prompt");
	/* It says when it goes on: bash names the job before it hands the terminal over. */
	type(&r, "bash --norc -c 'trap \"exit 130\" INT; trap \"echo con\"tinued CONT; echo run\"\"ning; while :; do sleep 0.05; done'\r");
	ok(wait_for(&r, "running"), "foreground job");
	type(&r, "\032");
	ok(wait_for(&r, "Stopped"), "Ctrl-Z stops it");
	ok(wait_for(&r, "ready> "), "and the shell is back");
	type(&r, "fg\r");
	ok(wait_for(&r, "continued"), "fg");
	type(&r, "\003");
	ok(wait_for(&r, "ready> "), "Ctrl-C ends it, not the shell");
	type(&r, "echo rc=$?\r");
	ok(wait_for(&r, "rc=130"), "with the status of SIGINT");
	type(&r, "bash --norc -c 'trap \"stty size; exit\" WINCH; echo run\"\"ning; while :; do sleep 0.05; done'\r");
	ok(wait_for(&r, "running"), "another foreground job");
	ok(ioctl(r.pty, TIOCSWINSZ, &ws) == 0, "resize");
	ok(wait_for(&r, "40 132"), "arrives as SIGWINCH");
	ok(wait_for(&r, "ready> "), "prompt again");
	type(&r, "exit 5\r");
	is_int(finish(&r), 5 << 8, "exit status of the shell");
	run_done(&r);
}

static void test_extra_fd(const struct plan *p)
{
	const char *const argv[] = { "/bin/bash", "--norc", "-c", "echo through >&3; ls /proc/self/fd | wc -l", NULL };
	int pair[2];
	char got[16] = "";
	struct run r;

	ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "socketpair");
	if (start(&r, p, argv, pair[1])) {
		close(pair[1]);
		finish(&r);
		ok(read(pair[0], got, sizeof(got) - 1) > 0, "descriptor 3 is given");
		is_str(got, "through\n", "and leads to us");
		ok(strstr(buf_str(&r.out), "5"), "one descriptor more, no others");
		run_done(&r);
	}
	close(pair[0]);
}

/* ---- beside a running one, with a little more ---- */

static const struct { const char *name, *script, *want, *never; } joined[] = {
	{ "writes what is granted",	"echo x > .git/index && cat .git/index && rm .git/index && echo fine",	"fine",	NULL },
	{ "kept: settings",		"echo x >> .git/config",			"Read-only",	NULL },
	{ "kept: cannot be replaced",	"mv -f .git/config .git/c; echo x > .git/new && mv -f .git/new .git/config; rm -f .git/new",	"busy",	NULL },
	{ "cannot be moved as a whole",	"mv -f .git g",					"busy",		NULL },
	{ "protected stays so",		"echo x > .vscode/tasks.json",			"Read-only",	NULL },
	{ "system stays read-only",	"echo x > /etc/x",				"Read-only",	NULL },
	{ "secrets stay hidden",	"cat ~/.ssh/id_ed25519 ~/.netrc .env; echo done",	"done",		SECRET },
	{ "shares scratch",		"cat /tmp/shared && echo back > /tmp/back && echo $TOKEN",	"scratch",	SECRET },
	{ "its own environment",	"echo $GIVEN; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' '\\n' < /proc/self/environ", "by-us",	SECRET },
	{ "sees no process of others",	"ls -d /proc/[0-9]* | wc -l; cat /proc/*/cmdline | tr '\\0' ' '",	"2",	"the-base" },
	{ "is where it was put",	"pwd",						"/home/proj/.vscode",	NULL },
	{ "capabilities",		"grep -E '^Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs|Seccomp:' /proc/self/status | tr -s '\\t\\n' ' '",
					"CapPrm: 0000000000000000 CapEff: 0000000000000000 CapBnd: 0000000000000000 CapAmb: 0000000000000000 NoNewPrivs: 1 Seccomp: 2",	NULL },
	{ "mounts",			"mount -o remount,rw / 2>&1; mount --bind /tmp .git/config 2>&1; echo done",	"done",	NULL },
	{ "descriptors",		"ls /proc/self/fd | wc -l",			"4",		NULL },
	{ "processes of the system",	"echo x > /proc/sys/kernel/core_pattern; echo x > /proc/sysrq-trigger",	"Read-only",	NULL },
	{ "terminal",			"test -t 0 && test -t 1 && test -t 2 && echo x > /dev/tty && stty size",	"24 80",	NULL },
	{ "status",			"kill -TERM $$",				"",		NULL },
};

static bool start_joined(struct run *r, const struct plan *p, int base, const char *script, const int *stdio)
{
	CLEANUP(cleanup_freep) char *git = xasprintf("%s/.git", f.work);
	CLEANUP(cleanup_freep) char *config = xasprintf("%s/.git/config", f.work);
	CLEANUP(cleanup_freep) char *hooks = xasprintf("%s/.git/no-such-place", f.work);
	CLEANUP(cleanup_freep) char *src = xasprintf("%s/.vscode", f.work);
	CLEANUP(cleanup_freep) char *path = xasprintf("PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	char *const writable[] = { git, NULL }, *const kept[] = { config, hooks, NULL };
	char *const env[] = { path, (char *)(uintptr_t)"GIVEN=by-us", NULL };
	const char *const argv[] = { "/bin/bash", "--norc", "-c", script, NULL };
	const struct spawn_join join = { .base = base, .cwd = strstr(script, "pwd") ? src : f.work, .env = env, .writable = writable, .kept = kept };
	const struct spawn_req req = {
		.plan = p, .join = &join, .argv = (char *const *)(uintptr_t)argv, .rows = 24, .cols = 80, .extra_fd = -1, .stdio = stdio,
	};

	return start_req(r, &req);
}

static void test_joined(const struct plan *p, int base)
{
	for (size_t i = 0; i < ARRAY_SIZE(joined); i++) {
		struct run r;
		int status;

		if (!start_joined(&r, p, base, joined[i].script, NULL))
			continue;
		status = finish(&r);
		if (!ok(strstr(buf_str(&r.out), joined[i].want), joined[i].name))
			printf("# want \"%s\" in: %s\n", joined[i].want, buf_str(&r.out));
		if (joined[i].never && !ok(!strstr(buf_str(&r.out), joined[i].never), joined[i].name))
			printf("# never \"%s\" in: %s\n", joined[i].never, buf_str(&r.out));
		if (!*joined[i].want)
			is_int(status, SIGTERM, "how it ended is told");
		run_done(&r);
	}
}

/* A pipe stays a pipe, and the terminal of the session is there all the same. */
static void test_joined_stdio(const struct plan *p, int base)
{
	int in[2], out[2], stdio[3];
	char got[64] = "";
	struct run r;

	ok(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipes");
	stdio[0] = in[0];
	stdio[1] = out[1];
	stdio[2] = -1;
	if (start_joined(&r, p, base, "read x; echo \"got $x\"; echo error >&2; echo tty > /dev/tty", stdio)) {
		close(in[0]);
		close(out[1]);
		ok(write(in[1], "line\n", 5) == 5, "written");
		close(in[1]);
		finish(&r);
		ok(read(out[0], got, sizeof(got) - 1) > 0, "read");
		is_str(got, "got line\n", "its input and its output");
		ok(strstr(buf_str(&r.out), "error") && strstr(buf_str(&r.out), "tty") && !strstr(buf_str(&r.out), "got"),
		   "the rest is on its terminal");
		run_done(&r);
	}
	close(out[0]);
}

static void test_join(const struct plan *p)
{
	const char *const argv[] = { "/bin/bash", "--norc", "-c", "echo scratch > /tmp/shared; echo up; "
				     "while read -r x; do eval \"$x\"; done; echo the-base", NULL };
	struct run base, r;

	if (!start(&base, p, argv, -1))
		return;
	ok(wait_for(&base, "up"), "the base runs");
	test_joined(p, base.id);
	test_joined_stdio(p, base.id);
	type(&base, "cat /tmp/back; echo x > .git/index; echo more-$((1+1))\n");
	ok(wait_for(&base, "back") && wait_for(&base, "Read-only") && wait_for(&base, "more-2"), "the running one has what it had");
	if (start_joined(&r, p, base.id, "echo here; exec -a unseen sleep 1000", NULL)) {
		ok(wait_for(&r, "here"), "runs");
		type(&base, "cat /proc/*/cmdline | tr -d '\\0'; echo seen-$((1+1))\n");
		ok(wait_for(&base, "seen-2") && !strstr(buf_str(&base.out), "unseen"), "is not to be seen by it");
		spawner_kill(f.spawner, r.id, SIGKILL);
		ok(WIFSIGNALED(finish(&r)), "is killed as a whole");
		run_done(&r);
	}
	ended.done = false;
	spawner_kill(f.spawner, base.id, SIGKILL);
	finish(&base);
	run_done(&base);
}

static void test_kill(const struct plan *p)
{
	const char *const argv[] = { "/bin/bash", "--norc", "-c", "trap 'exit 9' TERM; echo up; while :; do sleep 0.05; done", NULL };
	struct run r;

	if (start(&r, p, argv, -1)) {
		ok(wait_for(&r, "up"), "runs");
		ok(spawner_command_pid(f.spawner, r.id) > 0, "its pid is known");
		spawner_kill(f.spawner, r.id, SIGTERM);
		is_int(finish(&r), 9 << 8, "SIGTERM goes to the command");
		run_done(&r);
	}
	if (start(&r, p, argv, -1)) {
		ok(wait_for(&r, "up"), "runs");
		spawner_kill(f.spawner, r.id, SIGKILL);
		ok(WIFSIGNALED(finish(&r)), "SIGKILL ends all of it");
		run_done(&r);
	}
}

/* ---- nothing stays behind ---- */

static struct buf tree;

static int list_one(const char *p, const struct stat *st, int t, struct FTW *w)
{
	(void)t;
	(void)w;
	return buf_addf(&tree, "%s %o %lld\n", p, st->st_mode, S_ISDIR(st->st_mode) ? 0ll : (long long)st->st_size);
}

static char *list_tree(void)
{
	buf_init(&tree, 1u << 20);
	nftw(f.dir, list_one, 16, FTW_PHYS);
	return buf_steal(&tree);
}

/* A process that we can ask for by its pid: also one that is not our child. */
static bool gone_soon(pid_t pid)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool gone = fd < 0 || (poll(&p, 1, (int)((end - io_now_ns()) / 1000000)) > 0);

	if (fd >= 0)
		close(fd);
	return gone;
}

static void start_spawner(void)
{
	struct err e = { 0 };

	f.gone = false;
	if (!ok(spawner_start(&f.spawner, &e) == 0, "spawner"))
		printf("# %s\n", e.msg);
	ok(spawner_watch(f.spawner, f.loop, on_exit_event, on_gone, NULL) == 0, "watch");
}

static void test_spawner_killed(const struct plan *p)
{
	const char *const argv[] = { "/bin/bash", "--norc", "-c", "echo up; setsid sleep 1000 & wait", NULL };
	struct run r;
	struct err e;
	pid_t shell;

	if (!start(&r, p, argv, -1))
		return;
	ok(wait_for(&r, "up"), "runs");
	shell = spawner_command_pid(f.spawner, r.id);
	ok(shell > 0, "pid of the shell");
	ok(kill(spawner_pid(f.spawner), SIGKILL) == 0, "kill -9 of the spawner");
	ok(gone_soon(r.pid), "bubblewrap ends");
	ok(gone_soon(shell), "the shell ends");
	while (!f.gone)
		loop_step(f.loop, 100, &e);
	ok(f.gone, "and we are told");
	close(r.pty);
	run_done(&r);
	spawner_free(f.spawner);
	start_spawner();
}

static void test_server_gone(const struct plan *p)
{
	const char *const argv[] = { "/bin/sleep", "1000", NULL };
	struct run r;

	if (!start(&r, p, argv, -1))
		return;
	spawner_free(f.spawner);
	ok(gone_soon(r.pid), "the end of the server ends the sandbox");
	close(r.pty);
	run_done(&r);
	start_spawner();
}

static struct { unsigned n; char path[256], kept[256]; } held;

static void on_held(void *arg, const char *path, const char *kept)
{
	(void)arg;
	held.n++;
	snprintf(held.path, sizeof(held.path), "%s", path);
	snprintf(held.kept, sizeof(held.kept), "%s", kept ? kept : "");
}

/* A protected name that was not there: made inside, told, and out of the workspace. */
static void test_held(const struct plan *p)
{
	const char *const argv[] = { "/bin/bash", "--norc", "-c",
				     "mkdir a; echo x > a/b; mv a .absent; while test -e .absent; do :; done; echo moved; read", NULL };
	CLEANUP(cleanup_freep) char *path = xasprintf("%s/.absent", f.work);
	CLEANUP(cleanup_freep) char *file = NULL;
	uint64_t end = io_now_ns() + DEADLINE_NS;
	struct err e;
	struct run r;

	spawner_on_held(f.spawner, on_held, NULL);
	held.n = 0;
	if (!start(&r, p, argv, -1))
		return;
	ok(wait_for(&r, "moved"), "it does not stay");
	while (!held.n && io_now_ns() < end)
		loop_step(f.loop, 100, &e);
	is_int((int)held.n, 1, "told once");
	is_str(held.path, path, "what");
	file = xasprintf("%s/b", held.kept);
	ok(access(path, F_OK) < 0 && access(file, F_OK) == 0, "kept with what is in it");
	type(&r, "\r");
	is_int(finish(&r), 0, "and the sandbox goes on");
	run_done(&r);
}

static void test_all(void)
{
	CLEANUP(cleanup_freep) char *before = NULL;
	CLEANUP(cleanup_freep) char *after = NULL;
	struct plan *p;
	struct err e = { 0 };

	if (!ok(spawner_check(&e) == 0, "everything is there"))
		printf("# %s\n", e.msg);
	setup();
	f.loop = loop_new(&e);
	start_spawner();
	p = make_plan(true);
	if (p) {
		before = list_tree();
		test_scripts(p);
		after = list_tree();
		is_str(after, before, "nothing appeared, vanished or changed on the host");
		ok(access("/tmp/sbxterm-left", F_OK) < 0 && access("/var/tmp/sbxterm-left", F_OK) < 0, "nor in the temporary directories");
		test_held(p);
		test_status(p);
		test_refused(p);
		test_mount_failure(false, "bwrap: ");
		test_mount_failure(true, "watch ");
		test_job_control(p);
		test_extra_fd(p);
		test_join(p);
		test_kill(p);
		test_spawner_killed(p);
		test_server_gone(p);
	}
	plan_free(p);
	spawner_free(f.spawner);
	loop_free(f.loop);
	teardown();
}

/* As a child that gave up root for good. Its counts come back through its exit status and our own. */
static void test_as_ordinary(void)
{
	pid_t pid;
	int st;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setgid(ORDINARY) < 0 || setuid(ORDINARY) < 0)
			_exit(1);
		tap_passed = tap_failed = 0;
		test_all();
		printf("# as an ordinary user: ");
		exit(tap_done());
	}
	ok(waitpid(pid, &st, 0) == pid && st == 0, "the same as an ordinary user");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	test_all();
	if (getuid() == 0)
		test_as_ordinary();
	return tap_done();
}

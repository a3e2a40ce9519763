/* tests/e2e/run.c - the real program on a real terminal, driven by scripts
 *
 *   run [SCRIPT.t...]		default: all in tests/e2e, in order
 *
 * Each script gets a directory of its own with a home, XDG directories and a workspace that is a git repository, and
 * a terminal that libvterm's screen layer looks at (tests/eyes.h). Nothing sleeps: what is waited for is polled
 * until it is true or the deadline has passed; then the screen and the end of the audit log are printed and the
 * script is over. One command a line, # starts a comment, "\" escapes: \r \n \t \e \xHH \\ and \s, a blank at the end.
 *
 *   file PATH TEXT, sh COMMAND	before or between, outside of the sandbox, in the workspace
 *   try COMMAND		as sh, and counts as a check; $PROGRAM is sbxterm; what it prints is shown
 *   env NAME=VALUE, size CxR, as-user	before start; as-user: by root, as an ordinary user
 *   start ARGS			sbxterm on the terminal; start again after an exit
 *   start-shell ARGS		the same from a shell, as people do: when sbxterm has ended it reads a line and exits with its
 *				status, so that the terminal is still there
 *   type TEXT, paste TEXT	keys; a bracketed paste
 *   wait prompt|prompt-more	the cursor stands behind a prompt, behind bash's prompt for more lines
 *   wait banner|armed		a question or refusal is shown; the question takes its keys
 *   screen TEXT, noscreen TEXT	is on the screen, is not any more (a text that is wrapped is found as well)
 *   typed TEXT			stands right before the cursor, to be edited or sent
 *   output TEXT, nooutput TEXT	was written to the terminal, ever; was not
 *   audit KEY=VALUE...		a record has all of these; noaudit: none has, now
 *   exists PATH, absent PATH, content PATH TEXT
 *   resize CxR, kill SIGNAL	of the client; kill-server SIGNAL
 *   exit STATUS		it ends with that
 *   restored			the terminal is as it was, and was told to be: main screen, cursor, no mouse, no bracketed paste
 *
 * A PATH is below the workspace, or with ~/ below the home, or absolute. $T in a text is the script's directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "eyes.h"
#include "proc.h"
#include "tap.h"

#define DEADLINE_NS	10000000000ull
#define MARKER		"SBXTERM_E2E"	/* in the environment of what was started: to end all of it */
#define ORDINARY	65534		/* nobody */

struct stage {
	char		 dir[64], work[80], home[80];
	const char	*script;
	unsigned	 line;
	const char	*program;	/* owned by main */
	char		*env[64];	/* owned */
	size_t		 nenv;
	struct eyes	*eyes;
	struct buf	 output;
	struct termios	 before;
	int		 pty, status, rows, cols;
	pid_t		 pid;		/* 0: none runs */
	bool		 in_shell;	/* ->pid is the shell that started it */
	bool		 as_user;
};

/* ---- text ---- */

static int hexval(char c)
{
	const char *at = c ? strchr("0123456789abcdef", c | 0x20) : NULL;

	return at ? (int)(at - "0123456789abcdef") : -1;
}

static size_t unescape_one(const char *s, char *out)
{
	static const char from[] = "rnte\\s", to[] = "\r\n\t\033\\ ";
	const char *at = s[1] ? strchr(from, s[1]) : NULL;

	if (at) {
		*out = to[at - from];
		return 2;
	}
	if (s[1] == 'x' && hexval(s[2]) >= 0 && hexval(s[3]) >= 0) {
		*out = (char)(hexval(s[2]) << 4 | hexval(s[3]));
		return 4;
	}
	*out = '\\';
	return 1;
}

/* Escapes and $T; the caller frees. */
static char *unescape(const struct stage *st, const char *s)
{
	struct buf b;

	buf_init(&b, 1u << 20);
	while (*s) {
		char c = *s;
		size_t n = 1;

		if (strncmp(s, "$T", 2) == 0) {
			buf_adds(&b, st->dir);
			s += 2;
			continue;
		}
		if (c == '\\')
			n = unescape_one(s, &c);
		buf_addc(&b, c);
		s += n;
	}
	return buf_steal(&b);
}

static char *path_of(const struct stage *st, const char *path)
{
	if (*path == '/')
		return xstrdup(path);
	if (strncmp(path, "~/", 2) == 0)
		return xasprintf("%s/%s", st->home, path + 2);
	return xasprintf("%s/%s", st->work, path);
}

/* The first word; *s moves behind it. */
static char *word(char **s)
{
	char *w = *s + strspn(*s, " \t");

	*s = w + strcspn(w, " \t");
	if (**s)
		*(*s)++ = '\0';
	return w;
}

/* ---- the terminal ---- */

/* Take what has come; false when nothing more will. */
static bool look(struct stage *st, int ms)
{
	struct pollfd p = { .fd = st->pty, .events = POLLIN };
	char chunk[65536];
	ssize_t n;

	if (st->pty < 0 || poll(&p, 1, ms) <= 0)
		return st->pty >= 0;
	n = read(st->pty, chunk, sizeof(chunk));
	if (n <= 0)
		return n < 0 && errno == EINTR;
	if (st->output.len > st->output.max / 2)
		buf_clear(&st->output);
	buf_add(&st->output, chunk, (size_t)n);
	eyes_see(st->eyes, chunk, (size_t)n);
	eyes_forget(st->eyes);
	return true;
}

static void send_keys(struct stage *st, const char *s)
{
	size_t len = strlen(s);

	while (len) {
		ssize_t n = write(st->pty, s, len);

		if (n < 0 && errno == EAGAIN) {
			look(st, 20);
			continue;
		}
		if (n <= 0)
			return;
		s += n;
		len -= (size_t)n;
	}
}

/* Rows as they stand, then all of them joined without blanks and frame, for what was wrapped. */
static bool on_screen(const struct stage *st, const char *text)
{
	CLEANUP(cleanup_freep) char *squeezed = xcalloc(strlen(text) + 1, 1);
	char *o = squeezed;

	if (eyes_find(st->eyes, text) >= 0)
		return true;
	for (const char *s = text; *s; s++) {
		if (*s != ' ' && *s != '?')
			*o++ = *s;
	}
	return *squeezed && eyes_has_wrapped(st->eyes, squeezed);
}

static bool at_prompt(const struct stage *st)
{
	const char *row = eyes_row(st->eyes, st->eyes->row);
	int end = (int)strlen(row);

	/* trailing blanks are cut: the prompt's own blank is one column before the cursor */
	return st->eyes->cursor && end > 0 && (row[end - 1] == '$' || row[end - 1] == '#') && st->eyes->col == end + 1;
}

/* The key hints are bold once the keys count. */
static bool is_armed(const struct stage *st)
{
	for (int r = 0; r < st->eyes->rows; r++) {
		const char *row = eyes_row(st->eyes, r), *y = strstr(row, "[y]");

		y = y ? y : strstr(row, "[e]");		/* where there is nothing to approve */
		if (y && eyes_cell(st->eyes, r, (int)(y - row) + 1).attrs.bold)
			return true;
	}
	return false;
}

/* ---- the log ---- */

static bool field_is(const json *rec, const char *key, const char *want)
{
	const json *v = json_get(rec, key);
	char num[32];

	if (!v)
		return strcmp(want, "none") == 0;
	switch (json_type(v)) {
	case JSON_STRING:
		return strcmp(json_text(v), want) == 0;
	case JSON_NUMBER:
		snprintf(num, sizeof(num), "%lld", (long long)json_value(v));
		return strcmp(num, want) == 0;
	case JSON_BOOL:
		return strcmp(json_true(v) ? "true" : "false", want) == 0;
	case JSON_NULL:
		return strcmp(want, "null") == 0;
	default:
		return false;
	}
}

/* @spec: KEY=VALUE words; a value may be in "quotes". */
static bool record_is(const json *rec, const char *spec)
{
	CLEANUP(cleanup_freep) char *copy = xstrdup(spec);

	for (char *s = copy; *(s += strspn(s, " "));) {
		char *key = s, *val = strchr(s, '='), *end;

		if (!val)
			return false;
		*val++ = '\0';
		if (*val == '"')
			end = strchr(++val, '"');
		else
			end = val + strcspn(val, " ");
		s = end && *end ? end + 1 : val + strlen(val);
		if (end)
			*end = '\0';
		if (!field_is(rec, key, val))
			return false;
	}
	return true;
}

static char *log_path(const struct stage *st)
{
	return xasprintf("%s/.local/state/sbxterm/audit.jsonl", st->home);
}

static bool in_log(const struct stage *st, const char *spec)
{
	CLEANUP(cleanup_freep) char *path = log_path(st);
	struct buf b;
	bool found = false;
	char *save = NULL;

	buf_init(&b, 16u << 20);
	if (io_slurp(path, &b, NULL) == 0 && b.len) {
		for (char *l = strtok_r(b.data, "\n", &save); l && !found; l = strtok_r(NULL, "\n", &save)) {
			json *rec = json_parse(l, strlen(l), NULL, NULL);

			found = rec && record_is(rec, spec);
			json_free(rec);
		}
	}
	buf_done(&b);
	return found;
}

/* ---- failures ---- */

static void show(struct stage *st)
{
	CLEANUP(cleanup_freep) char *path = log_path(st);
	struct buf b;
	const char *from;

	for (int r = 0; r < st->eyes->rows; r++)
		printf("# |%s\n", eyes_row(st->eyes, r));
	if (!st->pid && st->status)
		printf("# ended with status 0x%x\n", (unsigned)st->status);
	printf("# cursor %d,%d%s\n", st->eyes->row, st->eyes->col, st->eyes->cursor ? "" : " hidden");
	buf_init(&b, 16u << 20);
	if (io_slurp(path, &b, NULL) == 0) {
		from = buf_str(&b) + (b.len > 1500 ? b.len - 1500 : 0);
		printf("# log: %s\n", from);
	}
	buf_done(&b);
}

/* Returns whether the script goes on. */
static bool verdict(struct stage *st, bool good, const char *cmd, const char *arg)
{
	char what[512];

	snprintf(what, sizeof(what), "%s %s", cmd, arg);
	tap_result(good, st->script, (int)st->line, what);
	if (!good)
		show(st);
	return good;
}

/* ---- what is waited for ---- */

typedef bool cond_fn(struct stage *st, const char *arg);

static bool c_screen(struct stage *st, const char *arg) { return on_screen(st, arg); }
static bool c_noscreen(struct stage *st, const char *arg) { return !on_screen(st, arg); }
static bool c_audit(struct stage *st, const char *arg) { return in_log(st, arg); }
static bool c_noaudit(struct stage *st, const char *arg) { return !in_log(st, arg); }

static bool at_more(const struct stage *st)
{
	return st->eyes->cursor && strcmp(eyes_row(st->eyes, st->eyes->row), ">") == 0 && st->eyes->col == 2;
}

static bool has_banner(const struct stage *st)
{
	return eyes_find(st->eyes, "[n") >= 0 && (eyes_find(st->eyes, " ASK ") >= 0 || eyes_find(st->eyes, " DENIED ") >= 0);
}

static const struct { const char *name; bool (*fn)(const struct stage *); } states[] = {
	{ "prompt", at_prompt }, { "prompt-more", at_more }, { "banner", has_banner }, { "armed", is_armed },
};

static bool c_wait(struct stage *st, const char *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (strcmp(states[i].name, arg) == 0)
			return states[i].fn(st);
	}
	return on_screen(st, arg);
}

static bool c_typed(struct stage *st, const char *arg)
{
	const char *row = eyes_row(st->eyes, st->eyes->row);
	size_t end = strlen(row), n = strlen(arg);

	return st->eyes->cursor && end >= n && strcmp(row + end - n, arg) == 0 && st->eyes->col == (int)end;
}

static bool c_output(struct stage *st, const char *arg)
{
	return st->output.len && memmem(st->output.data, st->output.len, arg, strlen(arg));
}

static bool c_nooutput(struct stage *st, const char *arg)
{
	return !c_output(st, arg);
}

static bool c_exists(struct stage *st, const char *arg)
{
	CLEANUP(cleanup_freep) char *path = path_of(st, arg);
	struct stat sb;

	return lstat(path, &sb) == 0;
}

static bool d_sh(struct stage *st, char *arg);

static bool c_try(struct stage *st, const char *arg)
{
	CLEANUP(cleanup_freep) char *copy = xstrdup(arg);

	return d_sh(st, copy);
}

static bool c_absent(struct stage *st, const char *arg)
{
	return !c_exists(st, arg);
}

static bool c_content(struct stage *st, const char *arg)
{
	CLEANUP(cleanup_freep) char *copy = xstrdup(arg);
	char *text = copy, *name = word(&text);
	CLEANUP(cleanup_freep) char *path = path_of(st, name);
	struct buf b;
	bool found;

	buf_init(&b, 1u << 20);
	found = io_slurp(path, &b, NULL) == 0 && strstr(buf_str(&b), text);
	buf_done(&b);
	return found;
}

static bool c_exit(struct stage *st, const char *arg)
{
	if (st->pid && waitpid(st->pid, &st->status, WNOHANG) == st->pid)
		st->pid = 0;
	if (st->pid)
		return false;
	while (look(st, 0) && st->pty >= 0) {	/* its last words */
		struct pollfd p = { .fd = st->pty, .events = POLLIN };

		if (poll(&p, 1, 0) <= 0)
			break;
	}
	return WIFEXITED(st->status) ? WEXITSTATUS(st->status) == atoi(arg) : 128 + WTERMSIG(st->status) == atoi(arg);
}

/* The last word on a private mode; one that was never mentioned is off. */
static bool mode_is_on(const struct stage *st, int mode)
{
	bool on = false;
	char seq[16];
	size_t n = (size_t)snprintf(seq, sizeof(seq), "\033[?%d", mode);

	for (size_t at = 0; st->output.len && at + n < st->output.len; at++) {
		if (memcmp(st->output.data + at, seq, n) == 0 && strchr("hl", st->output.data[at + n]))
			on = st->output.data[at + n] == 'h';
	}
	return on;
}

static bool c_restored(struct stage *st, const char *arg)
{
	static const int off[] = { 1000, 1002, 1003, 1004, 1006, 1049, 2004, 2026 };
	struct termios now;

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(off); i++) {
		if (mode_is_on(st, off[i]))
			return false;
	}
	return tcgetattr(st->pty, &now) == 0 && now.c_lflag == st->before.c_lflag && now.c_iflag == st->before.c_iflag &&
	       now.c_oflag == st->before.c_oflag && !st->eyes->alt && st->eyes->cursor && !st->eyes->mouse;
}

static const struct { const char *name; cond_fn *fn; bool once, raw; } conds[] = {
	{ "screen", c_screen }, { "noscreen", c_noscreen }, { "wait", c_wait }, { "typed", c_typed }, { "output", c_output },
	{ "nooutput", c_nooutput, .once = true },
	{ "audit", c_audit }, { "noaudit", c_noaudit, .once = true }, { "exists", c_exists },
	{ "absent", c_absent }, { "content", c_content }, { "exit", c_exit }, { "restored", c_restored },
	{ "try", c_try, .once = true, .raw = true },
};

static bool poll_until(struct stage *st, cond_fn *fn, bool once, const char *arg)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;

	while (!fn(st, arg)) {
		if (once || io_now_ns() > end)
			return false;
		if (!look(st, 20))
			poll(NULL, 0, 20);
	}
	return true;
}

/* ---- what is done ---- */

static void set_env(struct stage *st, const char *pair)
{
	size_t n = strcspn(pair, "=") + 1;

	for (size_t i = 0; i < st->nenv; i++) {
		if (strncmp(st->env[i], pair, n) == 0) {
			free(st->env[i]);
			st->env[i] = xstrdup(pair);
			return;
		}
	}
	if (st->nenv + 1 < ARRAY_SIZE(st->env))
		st->env[st->nenv++] = xstrdup(pair);
}

static void become_user(const struct stage *st)
{
	if (st->as_user && geteuid() == 0 && (setgid(ORDINARY) < 0 || setuid(ORDINARY) < 0))
		_exit(98);
	if (chdir(st->work) < 0)
		_exit(98);
}

static bool d_sh(struct stage *st, char *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		become_user(st);
		execle("/bin/sh", "sh", "-c", arg, (char *)NULL, st->env);
		_exit(99);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool d_file(struct stage *st, char *arg)
{
	char *name = word(&arg);
	CLEANUP(cleanup_freep) char *path = path_of(st, name);
	CLEANUP(cleanup_freep) char *dir = xstrdup(path);
	int fd;
	bool good;

	*strrchr(dir, '/') = '\0';
	if (io_mkdirs(dir, 0755, NULL) < 0)
		return false;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	good = fd >= 0 && io_write_all(fd, arg, strlen(arg)) == 0 && io_write_all(fd, "\n", 1) == 0;
	if (fd >= 0)
		close(fd);
	return good;
}

static bool d_env(struct stage *st, char *arg)
{
	set_env(st, arg);
	return strchr(arg, '=') != NULL;
}

static bool d_as_user(struct stage *st, char *arg)
{
	(void)arg;
	st->as_user = true;
	return true;
}

static bool parse_size(const char *arg, int *cols, int *rows)
{
	return sscanf(arg, "%dx%d", cols, rows) == 2 && *cols > 0 && *rows > 0 && *cols < 1000 && *rows < 1000;
}

static bool d_size(struct stage *st, char *arg)
{
	if (!parse_size(arg, &st->cols, &st->rows))
		return false;
	eyes_free(st->eyes);
	st->eyes = eyes_new(st->rows, st->cols);
	return true;
}

static bool d_resize(struct stage *st, char *arg)
{
	struct winsize ws;

	if (!parse_size(arg, &st->cols, &st->rows))
		return false;
	ws = (struct winsize){ .ws_row = (unsigned short)st->rows, .ws_col = (unsigned short)st->cols };
	eyes_resize(st->eyes, st->rows, st->cols);
	return ioctl(st->pty, TIOCSWINSZ, &ws) == 0;
}

/* Everything below the script's directory belongs to who runs the program. */
static bool give_away(struct stage *st)
{
	CLEANUP(cleanup_freep) char *cmd = xasprintf("chown -R %d:%d '%s'", ORDINARY, ORDINARY, st->dir);

	return !st->as_user || geteuid() != 0 || system(cmd) == 0;
}

static bool start(struct stage *st, char *arg)
{
	static char sh[] = "/bin/sh", flag[] = "-c", text[] = "\"$0\" \"$@\"; code=$?; read line; exit $code";
	struct winsize ws = { .ws_row = (unsigned short)st->rows, .ws_col = (unsigned short)st->cols };
	char *head[3 + 32] = { sh, flag, text }, **argv = head + 3;

	argv[0] = (char *)(uintptr_t)st->program;
	if (st->pid || !give_away(st))
		return false;
	if (st->pty >= 0) {
		close(st->pty);
		st->pty = -1;
	}
	for (size_t i = 1; i < 31; i++) {
		char *w = word(&arg);

		if (!*w)
			break;
		argv[i] = w;
	}
	st->pid = forkpty(&st->pty, NULL, NULL, &ws);
	if (st->pid == 0) {
		become_user(st);
		execve(st->in_shell ? head[0] : st->program, st->in_shell ? head : argv, st->env);
		_exit(99);
	}
	if (st->pid < 0) {
		st->pid = 0;
		return false;
	}
	tcgetattr(st->pty, &st->before);
	io_cloexec(st->pty);
	io_nonblock(st->pty);
	return true;
}

static bool d_start(struct stage *st, char *arg)
{
	st->in_shell = false;
	return start(st, arg);
}

static bool d_start_shell(struct stage *st, char *arg)
{
	st->in_shell = true;
	return start(st, arg);
}

static bool d_type(struct stage *st, char *arg)
{
	send_keys(st, arg);
	return st->pty >= 0;
}

static bool d_paste(struct stage *st, char *arg)
{
	send_keys(st, "\033[200~");
	send_keys(st, arg);
	send_keys(st, "\033[201~");
	return st->pty >= 0;
}

/* The client: what was started, or the child of the shell that started it. */
static pid_t client_of(const struct stage *st)
{
	pid_t found = 0;
	glob_t g;

	if (!st->in_shell || glob("/proc/[0-9]*", 0, NULL, &g) != 0)
		return st->pid;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		pid_t pid = (pid_t)atoi(g.gl_pathv[i] + 6);
		struct proc p;

		if (proc_look(pid, &p) == 0 && p.parent == st->pid)
			found = pid;
	}
	globfree(&g);
	return found;
}

/* Who listens on the one session's socket; 0: nobody, or more than one. */
static pid_t server_of(const struct stage *st)
{
	CLEANUP(cleanup_freep) char *pattern = xasprintf("%s/run/sbxterm/*.sock", st->dir);
	CLEANUP(cleanup_fdp) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	struct ucred u = { 0 };
	socklen_t len = sizeof(u);
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return 0;
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", g.gl_pathv[0]);
	if (g.gl_pathc != 1 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &len) < 0)
		u.pid = 0;
	globfree(&g);
	return u.pid;
}

static bool send_signal(pid_t pid, const char *name)
{
	static const struct { const char *name; int signo; } sig[] = {
		{ "TERM", SIGTERM }, { "KILL", SIGKILL }, { "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT },
		{ "SEGV", SIGSEGV },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sig); i++) {
		if (strcmp(sig[i].name, name) == 0)
			return pid > 0 && kill(pid, sig[i].signo) == 0;
	}
	return false;
}

static bool d_kill(struct stage *st, char *arg)
{
	return st->pid && send_signal(client_of(st), arg);
}

static bool d_kill_server(struct stage *st, char *arg)
{
	return send_signal(server_of(st), arg);
}

static const struct { const char *name; bool (*fn)(struct stage *, char *); bool raw; } deeds[] = {
	{ "sh", d_sh, .raw = true }, { "file", d_file }, { "env", d_env }, { "as-user", d_as_user }, { "size", d_size },
	{ "resize", d_resize }, { "start", d_start }, { "start-shell", d_start_shell },
	{ "type", d_type }, { "paste", d_paste }, { "kill", d_kill },
	{ "kill-server", d_kill_server },
};

/* ---- one script ---- */

static bool run_line(struct stage *st, char *line)
{
	char *rest = line, *cmd = word(&rest);
	CLEANUP(cleanup_freep) char *arg = NULL;

	if (!*cmd || *cmd == '#')
		return true;
	rest += strspn(rest, " \t");
	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++) {
		if (strcmp(deeds[i].name, cmd) != 0)
			continue;
		arg = deeds[i].raw ? xstrdup(rest) : unescape(st, rest);
		return deeds[i].fn(st, arg) || verdict(st, false, cmd, rest);
	}
	for (size_t i = 0; i < ARRAY_SIZE(conds); i++) {
		if (strcmp(conds[i].name, cmd) != 0)
			continue;
		arg = conds[i].raw ? xstrdup(rest) : unescape(st, rest);
		return verdict(st, poll_until(st, conds[i].fn, conds[i].once, arg), cmd, rest);
	}
	return verdict(st, false, "no such command:", cmd);
}

/* Ends by pid what carries our marker in its environment, and nothing else. */
static void end_marked(const char *dir)
{
	CLEANUP(cleanup_freep) char *want = xasprintf(MARKER "=%s", dir);
	glob_t g;

	if (glob("/proc/[0-9]*/environ", 0, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct buf b;
		pid_t pid = (pid_t)atoi(g.gl_pathv[i] + 6);

		buf_init(&b, 1u << 20);
		if (pid != getpid() && io_slurp(g.gl_pathv[i], &b, NULL) == 0 && b.len &&
		    memmem(b.data, b.len, want, strlen(want) + 1))
			kill(pid, SIGKILL);
		buf_done(&b);
	}
	globfree(&g);
}

static void end_program(struct stage *st)
{
	if (st->pid) {
		kill(st->pid, SIGKILL);
		waitpid(st->pid, NULL, 0);
		st->pid = 0;
	}
	if (st->pty >= 0)
		close(st->pty);
	st->pty = -1;
	end_marked(st->dir);
}

static bool stage_build(struct stage *st)
{
	static const char *const sub[] = { "home", "run", "config", "state", "data", "cache", "work" };
	static const char make_repo[] =
		"git init -q -b main . && mkdir src && printf 'all:\\n\\t@echo made-by-make\\n' >src/Makefile && "
		"echo '# decoy' >README.md && git add -A && git commit -qm first";
	char path[128];

	snprintf(st->dir, sizeof(st->dir), "/tmp/sbxe2eXXXXXX");
	if (!mkdtemp(st->dir) || chmod(st->dir, 0755) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(sub); i++) {
		snprintf(path, sizeof(path), "%s/%s", st->dir, sub[i]);
		if (mkdir(path, strcmp(sub[i], "run") == 0 ? 0700 : 0755) < 0)
			return false;
	}
	snprintf(st->work, sizeof(st->work), "%s/work", st->dir);
	snprintf(st->home, sizeof(st->home), "%s/home", st->dir);
	return d_sh(st, (char *)(uintptr_t)make_repo);
}

static void default_env(struct stage *st)
{
	static const struct { const char *name, *sub; } dir[] = {
		{ "HOME", "home" }, { "XDG_RUNTIME_DIR", "run" }, { "XDG_CONFIG_HOME", "config" },
		{ "XDG_STATE_HOME", "state" }, { "XDG_DATA_HOME", "data" }, { "XDG_CACHE_HOME", "cache" },
	};
	static const char *const plain[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM=xterm-256color",
		"LANG=C.UTF-8", "SHELL=/bin/bash", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Decoy",
		"GIT_AUTHOR_EMAIL=decoy@example.com", "GIT_COMMITTER_NAME=Decoy", "GIT_COMMITTER_EMAIL=decoy@example.com",
	};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		set_env(st, plain[i]);
	for (size_t i = 0; i < ARRAY_SIZE(dir); i++) {
		CLEANUP(cleanup_freep) char *pair = xasprintf("%s=%s/%s", dir[i].name, st->dir, dir[i].sub);

		set_env(st, pair);
	}
	{
		CLEANUP(cleanup_freep) char *mark = xasprintf(MARKER "=%s", st->dir);
		CLEANUP(cleanup_freep) char *program = xasprintf("PROGRAM=%s", st->program);

		set_env(st, mark);
		set_env(st, program);
	}
}

static void stage_end(struct stage *st)
{
	char cmd[128];

	end_program(st);
	snprintf(cmd, sizeof(cmd), "rm -rf -- '%s'", st->dir);
	if (system(cmd) != 0)
		printf("# cannot remove %s\n", st->dir);
	eyes_free(st->eyes);
	buf_done(&st->output);
	for (size_t i = 0; i < st->nenv; i++)
		free(st->env[i]);
}

static void run_script(const char *program, const char *script)
{
	struct stage st = { .script = script, .program = program, .pty = -1, .rows = 24, .cols = 100 };
	struct buf text;
	struct err e;
	char *save;

	st.eyes = eyes_new(st.rows, st.cols);
	buf_init(&st.output, 8u << 20);
	buf_init(&text, 1u << 20);
	set_env(&st, "PATH=/usr/bin:/bin");
	set_env(&st, "GIT_AUTHOR_NAME=Decoy");
	set_env(&st, "GIT_AUTHOR_EMAIL=decoy@example.com");
	set_env(&st, "GIT_COMMITTER_NAME=Decoy");
	set_env(&st, "GIT_COMMITTER_EMAIL=decoy@example.com");
	if (!stage_build(&st) || io_slurp(script, &text, &e) < 0) {
		verdict(&st, false, "set up", script);
	} else {
		default_env(&st);
		for (char *l = buf_str(&text) == text.data ? text.data : NULL; l; l = save) {
			save = strchr(l, '\n');
			if (save)
				*save++ = '\0';
			st.line++;
			if (!run_line(&st, l))
				break;
		}
	}
	buf_done(&text);
	stage_end(&st);
}

int main(int argc, char **argv)
{
	CLEANUP(cleanup_freep) char *program = realpath("build/sbxterm", NULL);
	glob_t g = { 0 };

	if (!program) {
		fputs("run from the top of the tree, after make\n", stderr);
		return 2;
	}
	if (argc < 2 && glob("tests/e2e/*.t", 0, NULL, &g) != 0)
		return tap_done();
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < (argc > 1 ? argc - 1 : (int)g.gl_pathc); i++) {
		const char *script = argc > 1 ? argv[i + 1] : g.gl_pathv[i];
		unsigned failed = tap_failed, passed = tap_passed;
		uint64_t t = io_now_ns();

		run_script(program, script);
		printf("# %s: %u passed, %u failed, %llu ms\n", script, tap_passed - passed, tap_failed - failed,
		       (unsigned long long)(io_now_ns() - t) / 1000000);
	}
	globfree(&g);
	return tap_done();
}

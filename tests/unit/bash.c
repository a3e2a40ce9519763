/* The real bash on a real PTY with conf/shell/bash.rc, sbx-ask and gate.c: no sandbox, the literal /run/sbxterm
 * in the scripts is replaced by a directory of the test. Lines are typed, events waited for, and what must not have
 * happened is looked for once a later line has run.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "gate.h"
#include "tap.h"
#include "term/pane.h"

#define DEADLINE_NS	8000000000ull
#define SEEN_MAX	(4u << 20)

static char root[64];		/* the test's directory */
static const char *tmp(const char *name)
{
	static char path[8][PATH_MAX];
	static unsigned next;
	char *p = path[next++ % 8];

	snprintf(p, PATH_MAX, "%s/%s", root, name);
	return p;
}

/* ---- host side ---- */

struct host {
	struct loop		*loop;
	struct gate		*gate;
	struct gate_question	*held;		/* a line with HOLD in it, or NULL */
	struct live		*live;
	struct buf		 fetched;	/* what the last fetch brought, in words */
	char			 asked[4096];	/* the last line */
	unsigned		 nasked, nhello, ngone;
	bool			 known;
	char			 nonce[64], cwd[PATH_MAX];
	int			 pty;
	pid_t			 pid;
	struct buf		 seen;		/* output of the shell */
	bool			 ended;
};

static const char letters[] = "vfao";

/* "#fetch v:HOME f:ll": the names to ask the shell for. */
static bool want_fetch(struct host *h, const char *line)
{
	char words[512], *save = NULL;
	const char *at = strstr(line, "#fetch ");

	if (!at)
		return false;
	snprintf(words, sizeof(words), "%s", at + 7);
	live_free(h->live);
	h->live = live_new();
	for (char *w = strtok_r(words, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		live_get(h->live, (enum live_kind)(strchr(letters, w[0]) - letters), w + 2);
	return true;
}

static void describe(struct buf *out, enum live_kind kind, const char *name, struct live *l)
{
	const struct live_value *v = live_get(l, kind, name);

	buf_addf(out, "%c:%s=", letters[kind], name);
	switch (v->state) {
	case LIVE_UNKNOWN:
		buf_adds(out, "unknown");
		break;
	case LIVE_UNSET:
		buf_adds(out, "unset");
		break;
	case LIVE_SCALAR:
		buf_addf(out, "<%.60s>", v->text);
		break;
	case LIVE_ARRAY:
	case LIVE_ASSOC:
		for (size_t i = 0; i < v->n; i++)
			buf_addf(out, "[%s]<%s>", v->key[i], v->val[i]);
		break;
	}
	buf_adds(out, v->exported ? " exported;" : ";");
}

static void on_fetched(void *arg, struct gate_question *q, struct live *live)
{
	struct host *h = arg;
	char words[512], *save = NULL;

	snprintf(words, sizeof(words), "%s", strstr(q->line, "#fetch ") + 7);
	buf_clear(&h->fetched);
	for (char *w = strtok_r(words, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		describe(&h->fetched, (enum live_kind)(strchr(letters, w[0]) - letters), w + 2, live);
	gate_answer(q, GATE_RUN, NULL);
}

static void on_ask(void *arg, struct gate_question *q)
{
	struct host *h = arg;

	snprintf(h->asked, sizeof(h->asked), "%s", q->line);
	snprintf(h->cwd, sizeof(h->cwd), "%s", q->cwd);
	h->known = q->known_shell;
	h->nasked++;
	if (want_fetch(h, q->line))
		ok(gate_fetch(q, h->live) == 0, "fetch can start");
	else if (!*q->line)
		gate_answer(q, GATE_DROP, "refused: no text\n");
	else if (strstr(q->line, "DENYME"))
		gate_answer(q, GATE_DROP, "refused: by the test\n");
	else if (strstr(q->line, "HOLD"))
		h->held = q;
	else
		gate_answer(q, GATE_RUN, NULL);
}

static void on_gone(void *arg, struct gate_question *q)
{
	struct host *h = arg;

	h->ngone++;
	if (h->held == q)
		h->held = NULL;
}

static void on_hello(void *arg, pid_t pid, const char *shell, const char *nonce)
{
	struct host *h = arg;

	is_str(shell, "bash", "hello says which shell");
	if (!h->nhello++)
		is_int(pid, h->pid, "hello comes from the shell itself");
	snprintf(h->nonce, sizeof(h->nonce), "%s", nonce);
}

static void on_pty(struct loop *l, int fd, unsigned ev, void *arg)
{
	struct host *h = arg;
	char chunk[8192];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)ev;
	if (n <= 0 && errno != EINTR) {
		h->ended = true;
		loop_del_fd(l, fd);
		return;
	}
	buf_add(&h->seen, chunk, (size_t)MAX(n, 0));
}

/* ---- files ---- */

static void put_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(tmp(name), O_WRONLY | O_CREAT | O_TRUNC, mode);

	if (fd < 0 || io_write_all(fd, text, strlen(text)) < 0)
		ok(false, name);
	close(fd);
}

/* A script of the product with its one fixed directory replaced. */
static void put_script(const char *name, const char *from)
{
	static const char fixed[] = "/run/sbxterm";
	struct buf in, out;
	struct err e;
	const char *p, *hit;

	buf_init(&in, 1 << 20);
	buf_init(&out, 1 << 20);
	ok(io_slurp(from, &in, &e) == 0, from);
	for (p = buf_str(&in); (hit = strstr(p, fixed)); p = hit + strlen(fixed)) {
		buf_add(&out, p, (size_t)(hit - p));
		buf_adds(&out, root);
	}
	buf_adds(&out, p);
	put_file(name, buf_str(&out), 0644);
	buf_done(&in);
	buf_done(&out);
}

static bool exists(const char *name)
{
	return access(tmp(name), F_OK) == 0;
}

static void make_root(void)
{
	CLEANUP(cleanup_freep) char *helper = realpath("build/sbx-ask", NULL);

	snprintf(root, sizeof(root), "/tmp/sbxtXXXXXX");
	ok(mkdtemp(root) != NULL, "directory");
	mkdir(tmp("gate"), 0700);
	mkdir(tmp("shell"), 0755);
	mkdir(tmp("bin"), 0755);
	mkdir(tmp("home"), 0755);
	mkdir(tmp("work"), 0755);
	put_script("shell/bash.rc", "conf/shell/bash.rc");
	put_script("shell/answer.bash", "conf/shell/answer.bash");
	put_file("nested.rc", "", 0644);
	ok(helper && symlink(helper, tmp("bin/sbx-ask")) == 0, "build/sbx-ask is there");
}

static void remove_root(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf -- '%s'", root);
	if (system(cmd) != 0)
		perror(cmd);
}

/* ---- the shell ---- */

static void child(void)
{
	static char env[8][PATH_MAX + 32];
	char *envp[9] = { 0 };

	snprintf(env[0], sizeof(env[0]), "HOME=%s", tmp("home"));
	snprintf(env[1], sizeof(env[1]), "PATH=/usr/local/bin:/usr/bin:/bin");
	snprintf(env[2], sizeof(env[2]), "TERM=xterm-256color");
	snprintf(env[3], sizeof(env[3]), "LC_ALL=C.UTF-8");
	snprintf(env[4], sizeof(env[4]), "T=%s", root);
	for (int i = 0; i < 5; i++)
		envp[i] = env[i];
	if (chdir(tmp("work")) < 0)
		_exit(99);
	execle("/bin/bash", "bash", "--noprofile", "--rcfile", tmp("shell/bash.rc"), "-i", (char *)NULL, envp);
	_exit(99);
}

static void host_start(struct host *h, const char *bashrc, bool with_gate)
{
	struct gate_events ev = { .ask = on_ask, .fetched = on_fetched, .gone = on_gone, .hello = on_hello, .arg = h };
	struct winsize ws = { .ws_row = 24, .ws_col = 200 };
	struct err e = { 0 };
	sigset_t none;

	*h = (struct host){ .loop = loop_new(&e) };
	buf_init(&h->seen, SEEN_MAX);
	buf_init(&h->fetched, 65536);
	put_file("home/.bashrc", bashrc, 0644);
	if (with_gate && !ok(gate_new(h->loop, tmp("gate"), &ev, &h->gate, &e) == 0, "gate"))
		printf("# %s\n", e.msg);
	sigemptyset(&none);
	h->pid = forkpty(&h->pty, NULL, NULL, &ws);
	if (h->pid == 0) {
		sigprocmask(SIG_SETMASK, &none, NULL);
		child();
	}
	io_cloexec(h->pty);
	loop_add_fd(h->loop, h->pty, EPOLLIN, on_pty, h);
}

static void host_stop(struct host *h)
{
	kill(h->pid, SIGKILL);
	waitpid(h->pid, NULL, 0);
	if (!h->ended)
		loop_del_fd(h->loop, h->pty);
	close(h->pty);
	gate_free(h->gate);
	live_free(h->live);
	loop_free(h->loop);
	buf_done(&h->seen);
	buf_done(&h->fetched);
}

static void show_tail(const struct host *h, size_t from)
{
	const char *s = buf_str(&h->seen) + from;

	printf("#   saw: ");
	for (; *s; s++) {
		if (*s >= ' ' && *s <= '~')
			putchar(*s);
		else
			printf("\\x%02x", (unsigned char)*s);
	}
	printf("\n#   asked: %s\n", h->asked);
}

/* Until @want was printed after @from. */
static bool wait_text(struct host *h, size_t from, const char *want, const char *what)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;

	while (!strstr(buf_str(&h->seen) + from, want)) {
		if (h->ended || io_now_ns() > end) {
			ok(false, what);
			printf("#   waited for: %s\n", want);
			show_tail(h, from);
			return false;
		}
		loop_step(h->loop, 50, NULL);
	}
	return ok(true, what);
}

static void type(struct host *h, const char *keys)
{
	if (write(h->pty, keys, strlen(keys)) != (ssize_t)strlen(keys))
		perror("type");
}

#define PROMPT ";Sbx=prompt;"
#define READY "\033]133;B\a"

static bool wait_ready(struct host *h, size_t from, const char *what)
{
	return wait_text(h, from, READY, what);
}

/* ---- tables of typed lines ---- */

struct step {
	const char	*keys;
	const char	*want;		/* is printed, unless NULL: until the next prompt */
	const char	*never;		/* is not printed before @want */
	const char	*asked;		/* the last question, whole; NULL: not checked; "-": nothing was asked */
	bool		 bare;		/* no marks around the prompt: do not wait for them */
};

/* A prompt that was redrawn (a job's end) looks like the next one: what reads keys has the terminal in raw mode. */
static void wait_reader(struct host *h)
{
	uint64_t end = io_now_ns() + DEADLINE_NS;
	struct termios t;

	while (!h->ended && io_now_ns() < end && tcgetattr(h->pty, &t) == 0 && (t.c_lflag & ICANON))
		loop_step(h->loop, 5, NULL);
}

static void step(struct host *h, const char *name, const struct step *s)
{
	size_t from = h->seen.len;
	unsigned asked = h->nasked;
	char what[256];

	snprintf(what, sizeof(what), "%s: %.150s", name, s->keys);
	if (!s->bare)
		wait_reader(h);
	from = h->seen.len;
	type(h, s->keys);
	if (!wait_text(h, from, s->want ? s->want : READY, what))
		return;
	if (s->never && !ok(!strstr(buf_str(&h->seen) + from, s->never), what))
		show_tail(h, from);
	if (s->asked && strcmp(s->asked, "-") == 0)
		is_int(h->nasked, asked, what);
	else if (s->asked)
		is_str(h->asked, s->asked, what);
	/* Each step starts at a prompt. */
	if (s->want && !s->bare)
		wait_ready(h, from, what);
}

static void run(const char *name, const char *bashrc, const struct step *s, size_t n)
{
	struct host h;

	host_start(&h, bashrc, true);
	if (s->bare ? wait_text(&h, 0, "P> ", name) : wait_ready(&h, 0, name)) {
		for (size_t i = 0; i < n && !h.ended; i++)
			step(&h, name, &s[i]);
	}
	host_stop(&h);
}

#define RUN(name, rc, ...) do { \
	static const struct step steps_[] = { __VA_ARGS__ }; \
	run(name, rc, steps_, ARRAY_SIZE(steps_)); \
} while (0)

#define RC "PS1='P> '\n"

static void test_lines(void)
{
	RUN("lines", RC,
	    { "echo A-$((1+1))\r", "A-2", NULL, "echo A-$((1+1))" },
	    { "echo DENYME-$((1+1))\r", "refused: by the test", "DENYME-2", "echo DENYME-$((1+1))" },
	    { "[ $? != 0 ] && echo st-$((1+1))\r", "st-2" },
	    { "touch $T/m1; : DENYME; touch $T/m1\r", "refused" },
	    { "true && touch $T/m2 || touch $T/m2 # DENYME\r", "refused" },
	    { "for i in 1 2; do touch $T/m3; done # DENYME\r", "refused" },
	    { "{ : DENYME; } > $T/m4\r", "refused" },
	    { "> $T/m5 # DENYME\r", "refused" },
	    { "y=$(touch $T/m6) # DENYME\r", "refused" },
	    { "( touch $T/m7; : DENYME )\r", "refused" },
	    { "touch $T/m8 | cat # DENYME\r", "refused" },
	    { "touch $T/m9 & # DENYME\r", "refused" },
	    { "[[ -n DENYME ]] && touch $T/ma\r", "refused" },
	    { "case DENYME in *) touch $T/mb;; esac\r", "refused" },
	    { "ff() { echo DENYME; }\r", "refused" },
	    { "type -t ff; echo Z-$((1+1))\r", "Z-2", "function" },
	    { "(( zz=5 )) # DENYME\r", "refused" },
	    { "echo zz=$zz.\r", "zz=." },
	    { "for i in 1 2\rdo echo L-$i-$((5+5))\rdone\r", "L-2-10", NULL,
	      "for i in 1 2\ndo echo L-$i-$((5+5))\ndone" },
	    { "cat <<E\rhd-$((2+2))\rE\r", "hd-4", NULL, "cat <<E\nhd-$((2+2))\nE\n" },
	    { "cat <<E\rhd-$((3+3)) DENYME\rE\r", "refused", "hd-6" },
	    { " echo SP-$((4+4))\r", "SP-8", NULL, " echo SP-$((4+4))" },
	    { " echo SP-$((5+4)) DENYME\r", "refused", "SP-9" },
	    { "echo same-$((4+4))\r", "same-8" },
	    { "echo same-$((4+4))\r", "same-8", "refused", "echo same-$((4+4))" },
	    { "!!\r", "same-8\r\n", NULL, "echo same-$((4+4))" },
	    { "alias ll='echo AL-$((7+7))'\r" },
	    { "ll\r", "AL-14", NULL, "ll" },
	    { "\r", NULL, NULL, "-" },
	    { "# just a comment\r", NULL },
	    { "echo )\r", "syntax error", NULL, "-" },
	    { "echo st=$?.\r", "st=" },
	    { "(exit 7)\r", "Sbx=done:7;" },
	    { "echo st=$?.\r", "st=7." },
	    { "false | true; echo ps=${PIPESTATUS[0]}\r", "ps=1" },
	    { "false | true\r" },
	    { "echo ps=${PIPESTATUS[0]},${PIPESTATUS[1]}\r", "ps=1,0" },
	    { ": one two\r" },
	    { "echo last=$_.\r", "last=two." },
	    { "sleep 0 & wait\r" },
	    { "jobs; echo J-$((1+1))\r", "J-2", "Running" },
	    { "echo bg=$!. ; sleep 0 & b=$!; wait\r" },
	    { "[ \"$b\" = \"$!\" ] && echo kept-$((1+1))\r", "kept-2" },
	    { "echo C-$((1+1)) \x16\x01\x16\x1b[31m\r", "C-2", NULL, "echo C-$((1+1)) \001\033[31m" },
	);
	ok(!exists("m1") && !exists("m2") && !exists("m3") && !exists("m4") && !exists("m5") && !exists("m6"),
	   "nothing of a refused line happens");
	ok(!exists("m7") && !exists("m8") && !exists("m9") && !exists("ma") && !exists("mb"), "nor of these");
}

static void test_entry(void)
{
	RUN("ways to enter", RC,
	    { "echo J-$((1+1)) DENYME\n", "refused", "J-2" },
	    { "echo O-$((1+1)) DENYME\x0f", "refused", "O-2" },
	    { "\x15" "echo RS-$((3+4)) DENYME\r", "refused" },
	    { "\x12RS-\r", "refused", "RS-7", "echo RS-$((3+4)) DENYME" },
	    { "\033[200~echo B1-$((1+1))\necho B2-$((1+1))\033[201~\r", "B2-2", NULL, "echo B2-$((1+1))" },
	    { "\033[200~echo B3-$((1+1)) DENYME\necho B4-$((1+1)) DENYME\n\033[201~\r", "P> ", "B3-2" },
	    { "\x15" "echo after-$((1+1))\r", "after-2", "B4-2" },
	    { "printf 'echo ED-\\$((9+9))' > $T/ed; VISUAL=true EDITOR=true\r" },
	    { "echo X\x18\x05\x15" "echo Y-$((2+2))\r", "Y-4", "X\r\n", "echo Y-$((2+2))" },
	    { "set -o vi\r" },
	    { "echo V1-$((1+1)) DENYME\r", "refused", "V1-2" },
	    { "echo V3-$((1+1))\r", "V3-2" },
	    { "set -o emacs\r" },
	    { "echo T1-$((1+1))\recho T2-$((1+1)) DENYME\recho T3-$((1+1))\r", "T3-2", "T2-2" },
	);
}

/* While a program reads the terminal Enter is its own. */
static void test_reading(void)
{
	static const struct { const char *line, *typed, *then, *want; } c[] = {
		{ "read x\r", "abc DENYME\r", "echo x=$x.\r", "x=abc DENYME." },
		{ "y=$(head -1)\r", "abc DENYME\r", "echo y=$y.\r", "y=abc DENYME." },
		{ "read -s z\r", "DENYME\r", "echo z=$z.\r", "z=DENYME." },
		{ "cat\r", "DENYME\r\004", "echo c-$((1+1))\r", "c-2" },
	};
	struct host h;

	host_start(&h, RC, true);
	wait_ready(&h, 0, "start");
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		size_t from = h.seen.len;
		unsigned n = h.nasked;

		type(&h, c[i].line);
		wait_text(&h, from, "\033]133;C", c[i].line);
		type(&h, c[i].typed);
		wait_ready(&h, from, c[i].typed);
		type(&h, c[i].then);
		wait_text(&h, from, c[i].want, c[i].then);
		wait_ready(&h, (size_t)(strstr(buf_str(&h.seen) + from, c[i].want) - h.seen.data), c[i].then);
		is_int(h.nasked, n + 2, "two lines, two questions");
		ok(!strstr(buf_str(&h.seen) + from, "refused"), c[i].typed);
	}
	host_stop(&h);
}

/* What a user may have set: nothing of it lets a line through or breaks an allowed one. */
static void test_settings(void)
{
#define ALLOW_DENY \
	{ "echo S-$((1+1))\r", "S-2" }, \
	{ " echo D-$((1+1)) DENYME\r", "refused", "D-2" }, \
	{ "echo E-$((1+1))\r", "E-2" }
	RUN("history settings", RC "HISTCONTROL=ignoreboth:erasedups HISTIGNORE='echo*' HISTSIZE=0 HISTTIMEFORMAT='%F %T '\n"
	    "shopt -u cmdhist lithist\nset +o history\n",
	    ALLOW_DENY,
	    { "for i in 1\rdo echo F-$((1+$i))\rdone\r", "F-2", NULL, "for i in 1\ndo echo F-$((1+$i))\ndone" },
	    { "HISTCONTROL=ignoreboth HISTIGNORE='*' HISTSIZE=0; shopt -u cmdhist promptvars\r" },
	    ALLOW_DENY,
	    { "HISTSIZE=1\r" },
	    ALLOW_DENY,
	    { "history -c\r" },
	    ALLOW_DENY);
	RUN("set -u", RC "set -u\n", ALLOW_DENY);
	RUN("set -f -C -k", RC "set -f -C -k\n", ALLOW_DENY);
	RUN("posix", RC "set -o posix\n", ALLOW_DENY);
	RUN("errtrace", RC "set -E -T; shopt -s extdebug; trap 'x=1' DEBUG ERR RETURN\n", ALLOW_DENY);
	RUN("noise", RC "set -T; trap 'echo 1' DEBUG\n",
	    { " echo D-$((1+1)) DENYME\r", NULL, "D-2" });
	RUN("set -x", RC, { "set -x\r" }, ALLOW_DENY);
	RUN("IFS", RC "IFS=01vfaord\n", ALLOW_DENY);
	RUN("readonly IFS", RC "readonly IFS=01vfaord\n", ALLOW_DENY);
	RUN("traps", RC "trap '' INT TERM HUP; trap 'echo chld' CHLD; trap : EXIT\n", ALLOW_DENY);
	RUN("harmless functions", RC "declare() { :; }; read() { :; }; printf() { :; }; history() { :; }; exec() { echo 1; }\n",
	    ALLOW_DENY);
	RUN("aliases", RC "alias builtin=false declare=false read=false printf=false exec=false [[=false\n", ALLOW_DENY);
	RUN("coproc", RC "coproc cat\n", ALLOW_DENY, { "echo CO-${#COPROC[@]}\r", "CO-2" });
	RUN("prompt hooks", "PROMPT_COMMAND='PS1=\"new> \"'\nPS1='old> '\n", ALLOW_DENY,
	    { "PROMPT_COMMAND='PS1=\"later> \"'\r", "later> " },
	    ALLOW_DENY,
	    { "PROMPT_COMMAND=; PS1='bare> '\r" },
	    ALLOW_DENY);
	RUN("PS0 of the user", RC "PS0='mine '; PROMPT_COMMAND=(); readonly ZZ=1; ZZ=2; echo not reached\n", ALLOW_DENY);
	RUN("stdout away", RC, { "exec 3>&1 >/dev/null 2>&1\r", PROMPT, .bare = true },
	    { "echo D-$((1+1)) DENYME >&3\r", PROMPT, "D-2", .bare = true },
	    { "exec >&3 2>&3\r" }, ALLOW_DENY);
	RUN("TMOUT", RC "readonly TMOUT=1000\n", ALLOW_DENY);
	RUN("nocasematch", RC "shopt -s nocasematch nullglob failglob dotglob\n", ALLOW_DENY);
	RUN("its own variables", RC "__sbx_ok=1 __sbx_word=1 __sbx_q=r000 __sbx_args=1; __sbx_ran=1\n", ALLOW_DENY);
	RUN("readonly in its way", RC "readonly __sbx_q=r000 __sbx_opts=:history:\n",
	    { "echo S-$((1+1)) DENYME\r", "denied_by_sbxterm", "S-2", .bare = true },
	    { "echo S-$((1+1))\r", "denied_by_sbxterm", "S-2", .bare = true });
	RUN("set -e", RC, { "set -e\r" }, { "echo S-$((1+1))\r", "S-2" }, { "false || true\r" }, 
	    { "echo E-$((1+1))\r", "E-2" });
}

/* Functions before every builtin that is used: even the marks are lost then, the gate is not. */
static void test_functions(void)
{
	struct host h;
	size_t from;

	host_start(&h, "for f in builtin declare read printf history exec trap set unset export shopt bind alias local "
		   "command eval source readonly exit; do eval \"$f() { echo 1; }\"; done\nPS1='P> '\n", true);
	wait_text(&h, 0, "P> ", "start");
	from = h.seen.len;
	type(&h, "echo F-$((1+1)) DENYME\r");
	wait_text(&h, from, "P> ", "prompt");
	is_str(h.asked, "echo F-$((1+1)) DENYME", "asked");
	from = h.seen.len;
	type(&h, "echo G-$((1+1))\r");
	wait_text(&h, from, "G-2", "an allowed line runs");
	ok(!strstr(buf_str(&h.seen), "F-2"), "a refused one does not");
	host_stop(&h);
}

static void test_hook_lost(void)
{
	struct host h;
	size_t from;

	host_start(&h, RC, true);
	wait_ready(&h, 0, "start");
	type(&h, "PROMPT_COMMAND=(); HISTCONTROL=ignorespace; PS1='bare''> '\r");
	wait_text(&h, 0, "bare> ", "the hook is gone");
	type(&h, " echo D-$((1+1))\r");
	wait_text(&h, 0, "no text", "a line that history left out is not taken for the one before");
	type(&h, "echo R-$((1+1))\r");
	wait_text(&h, 0, "R-2", "the next one runs");
	ok(!strstr(buf_str(&h.seen), "D-2"), "and the other did not");
	wait_ready(&h, 0, "with the hook back");
	type(&h, "PROMPT_COMMAND+=('PS1=\"later> \"')\r");
	wait_text(&h, 0, "later> ", "a hook after ours");
	from = h.seen.len;
	type(&h, "echo L-$((1+1))\r");
	wait_text(&h, from, "later> " READY, "is before it at the next prompt");
	from = h.seen.len;
	type(&h, "set +o history\r");
	wait_ready(&h, from, "history off");
	from = h.seen.len;
	type(&h, "echo O-$((1+1))\r");
	wait_text(&h, from, "no text", "no history, no text");
	ok(!strstr(buf_str(&h.seen), "O-2"), "nothing runs");
	host_stop(&h);
}

static void test_hold(void)
{
	static const struct { const char *rc, *keys; bool gone; } way[] = {
		{ RC, "\003", true },
		{ RC "trap '' INT\n", "\003", true },
		{ RC "trap 'echo trapped' INT\n", "\003", true },
		{ RC, "\032", false },
		{ RC "trap '' TSTP\n", "\032", false },
	};
	struct host h;

	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		size_t from;
		char what[64];

		snprintf(what, sizeof(what), "hold %zu", i);
		host_start(&h, way[i].rc, true);
		wait_ready(&h, 0, what);
		from = h.seen.len;
		type(&h, "touch $T/held; echo HOLD-$((1+1))\r");
		while (!h.held && !h.ended)
			loop_step(h.loop, 1000, NULL);
		type(&h, way[i].keys);
		if (way[i].gone) {
			wait_ready(&h, from, what);
			/* the helper's end may be noticed after the prompt */
			for (uint64_t end = io_now_ns() + DEADLINE_NS; !h.ngone && io_now_ns() < end;)
				loop_step(h.loop, 50, NULL);
			is_int(h.ngone, 1, what);
		} else {
			/* it must still be held: the answer counts */
			type(&h, "echo ahead-$((1+1))\r");
			gate_answer(h.held, GATE_DROP, NULL);
		}
		from = h.seen.len;
		if (way[i].gone)
			type(&h, "echo next-$((1+1))\r");
		wait_text(&h, from, way[i].gone ? "next-2" : "ahead-2", what);
		ok(!exists("held") && !strstr(buf_str(&h.seen), "HOLD-2"), what);
		host_stop(&h);
	}
}

static void test_twice(void)
{
	struct host h;
	unsigned n;

	host_start(&h, RC, true);
	wait_ready(&h, 0, "start");
	for (int i = 0; i < 2; i++) {
		size_t from = h.seen.len;

		n = h.nasked;
		type(&h, "echo DENYME\r");
		wait_text(&h, from, "refused", "refused");
		wait_ready(&h, from, "prompt");
		is_int(h.nasked, n + 1, "one question for one refusal, also for the same line typed again");
	}
	ok(h.known, "the shell is known by its nonce and pid");
	is_str(h.cwd, tmp("work"), "directory");
	ok(gate_nonce_ok(h.gate, h.nonce) && !gate_nonce_ok(h.gate, "x") && !gate_nonce_ok(h.gate, NULL), "nonce");
	type(&h, "env | grep -c $__sbx_nonce; export -p | grep -c __sbx; echo N-$((1+1))\r");
	wait_text(&h, 0, "N-2", "nonce is not in the environment");
	ok(strstr(buf_str(&h.seen), "0\r\n0\r\nN-2"), "of children");
	ok(strstr(buf_str(&h.seen), h.nonce), "marks carry it");
	host_stop(&h);
}

/* What a terminal shows of it, at this size: without the shell's own words about the refusal, but with all of ours and
 * with what came after. */
static void check_shown(const struct host *h, int rows, int cols, const char *what)
{
	static const struct pane_events none;
	struct pane *p = pane_new(rows, cols, 1000, &none);
	CLEANUP(cleanup_freep) char *text = NULL;

	pane_write(p, h->seen.data, h->seen.len);
	text = pane_text(p, -(int)grid_scrollback(pane_grid(p)), rows);
	ok(!strstr(text, "denied_by") && !strstr(text, "readonly") && !strstr(text, "variable"), what);
	ok(strstr(text, "refused: by the test") && strstr(text, "after-2"), what);
	if (strstr(text, "denied_by") || !strstr(text, "after-2"))
		printf("# %s\n", text);
	pane_free(p);
}

static void test_quiet(void)
{
	static const struct { const char *rc, *first; } way[] = {
		{ RC, NULL }, { "PS1='one\ntwo> '\n", NULL }, { RC "set -o vi\n", NULL }, { RC, "set -x\r" },
		{ RC "PROMPT_COMMAND='PS1=\"P> \"'\n", NULL }, { RC, "PROMPT_COMMAND=; PS1='P> '\r" },
		{ RC, "seq 100\r" }, { RC, "bash --rcfile $T/shell/bash.rc\r" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		struct host h;
		size_t from = 0;
		char what[64];

		snprintf(what, sizeof(what), "quiet %zu", i);
		host_start(&h, way[i].rc, true);
		wait_ready(&h, 0, what);
		if (way[i].first) {
			from = h.seen.len;
			type(&h, way[i].first);
			wait_ready(&h, from, what);
		}
		/* the last of these is typed ahead of the refusals */
		from = h.seen.len;
		type(&h, "echo no-$((1+1)) DENYME\r");
		wait_ready(&h, from, what);
		from = h.seen.len;
		type(&h, "echo no-$((1+1)) DENYME\recho no-$((1+1)) DENYME\recho after-$((1+1))\r");
		wait_text(&h, from, "after-2", what);
		wait_ready(&h, (size_t)(strstr(buf_str(&h.seen) + from, "after-2") - h.seen.data), what);
		ok(strstr(buf_str(&h.seen), "denied_by_sbxterm"), "bash says it: else there is nothing to hide");
		check_shown(&h, 24, 80, what);
		check_shown(&h, 3, 20, what);
		host_stop(&h);
	}
}

static void test_fetch(void)
{
	static const struct { const char *setup, *ask, *want; } c[] = {
		{ "A=1 B= ; unset C", "v:A v:B v:C", "v:A=<1>;v:B=<>;v:C=unset;" },
		{ "export A='x y\"$z'", "v:A", "v:A=<x y\"$z> exported;" },
		{ "B1=$'a\\nb\\x01\\xff'", "v:B1", "v:B1=<a\nb\001\xff>;" },
		{ "L=(p 'q r'); declare -A M=([k]=v)", "v:L v:M", "v:L=[0]<p>[1]<q r>;v:M=[k]<v>;" },
		{ "ff() { echo hi; }", "f:ff f:gg", "f:ff=<ff () \n{ \n    echo hi\n}\n>;f:gg=unset;" },
		{ "alias ll=\"ls -l 'x'\"", "a:ll a:nope", "a:ll=<ls -l 'x'>;a:nope=unset;" },
		{ "set -f; shopt -s globstar", "o:noglob o:globstar o:posix o:errexit",
		  "o:noglob=<on>;o:globstar=<on>;o:posix=<off>;o:errexit=<off>;" },
		{ "set +f; set -u", "v:NOPE o:nounset", "v:NOPE=unset;o:nounset=<on>;" },
		{ "set +u; set -- one 'two 2'; (exit 3)", "v:? v:1 v:2 v:3 v:#", "v:?=<3>;v:1=<one>;v:2=<two 2>;v:3=unset;v:#=<2>;" },
		{ "A=$(head -c 2000000 /dev/zero | tr '\\0' x); B=2", "v:A v:B", "v:A=unknown;v:B=<2>;" },
		{ "read() { :; }; printf() { :; }; declare() { :; }; D=f", "f:read v:D", "f:read=<read () \n{ \n    :\n}\n>;v:D=<f>;" },
		{ "unset -f read printf declare; E=1", "v:A;rm v:RANDOM v:E", "v:A;rm=unknown;v:RANDOM=unknown;v:E=<1>;" },
		{ "IFS=0123456789s; F=9", "v:F v:IFS", "v:F=<9>;v:IFS=<0123456789s>;" },
	};
	struct host h;

	host_start(&h, RC, true);
	wait_ready(&h, 0, "start");
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		size_t from = h.seen.len;
		char line[512];

		snprintf(line, sizeof(line), "%s\r", c[i].setup);
		type(&h, line);
		wait_ready(&h, from, c[i].setup);
		from = h.seen.len;
		buf_clear(&h.fetched);
		snprintf(line, sizeof(line), ": #fetch %s\r", c[i].ask);
		type(&h, line);
		wait_text(&h, from, "\033]133;C", c[i].ask);
		wait_ready(&h, from, c[i].ask);
		is_str(buf_str(&h.fetched), c[i].want, c[i].ask);
	}
	host_stop(&h);
}

static void test_nested(void)
{
	char line[PATH_MAX + 64];
	struct host h;
	size_t from;
	unsigned hellos;

	host_start(&h, RC, true);
	wait_ready(&h, 0, "start");
	hellos = h.nhello;
	from = h.seen.len;
	snprintf(line, sizeof(line), "bash --rcfile %s\r", tmp("shell/bash.rc"));
	type(&h, line);
	wait_text(&h, from, PROMPT, "nested shell starts");
	wait_ready(&h, from, "nested prompt");
	is_int(h.nhello, hellos + 1, "and says hello");
	from = h.seen.len;
	type(&h, "echo N-$((1+1)) DENYME\r");
	wait_text(&h, from, "refused", "is gated");
	wait_ready(&h, from, "prompt");
	ok(h.known, "and known");
	from = h.seen.len;
	type(&h, "exit\r");
	wait_text(&h, from, "Sbx=done:", "back");
	wait_ready(&h, from, "prompt");
	from = h.seen.len;
	type(&h, "echo O-$((1+1))\r");
	wait_text(&h, from, "O-2", "outer shell goes on");
	ok(h.known && !strstr(buf_str(&h.seen), "N-2"), "nothing ran");
	host_stop(&h);
}

/* Helper, socket or host missing: the shell refuses on its own. */
static void test_refuse(void)
{
	struct host h;
	size_t from;

	host_start(&h, RC, false);
	wait_ready(&h, 0, "no host at the start");
	from = h.seen.len;
	type(&h, "echo X-$((1+1))\r");
	wait_ready(&h, from, "no socket");
	ok(!strstr(buf_str(&h.seen), "X-2") && strstr(buf_str(&h.seen), "denied_by_sbxterm"), "refused");
	host_stop(&h);

	host_start(&h, RC, true);
	wait_ready(&h, 0, "host");
	gate_free(h.gate);
	h.gate = NULL;
	from = h.seen.len;
	type(&h, "echo X-$((1+1))\r");
	wait_ready(&h, from, "host gone");
	ok(!strstr(buf_str(&h.seen), "X-2"), "refused");
	host_stop(&h);

	host_start(&h, RC, true);
	wait_ready(&h, 0, "host");
	ok(rename(tmp("bin/sbx-ask"), tmp("bin/away")) == 0, "helper away");
	from = h.seen.len;
	type(&h, "echo X-$((1+1))\r");
	wait_ready(&h, from, "helper gone");
	ok(!strstr(buf_str(&h.seen), "X-2"), "refused");
	ok(rename(tmp("bin/away"), tmp("bin/sbx-ask")) == 0, "helper back");
	from = h.seen.len;
	type(&h, "echo Y-$((1+1)) HOLD\r");
	while (!h.held && !h.ended)
		loop_step(h.loop, 1000, NULL);
	gate_free(h.gate);
	h.gate = NULL;
	wait_ready(&h, from, "host gone while it is held");
	ok(!strstr(buf_str(&h.seen), "Y-2"), "refused");
	host_stop(&h);
}

static void test_too_long(void)
{
	struct host h;
	size_t from;

	host_start(&h, RC, true);
	wait_ready(&h, 0, "start");
	from = h.seen.len;
	type(&h, "x=$(head -c 1100000 /dev/zero | tr '\\0' x); history -s \"$x\"; echo ok-$((1+1))\r");
	wait_text(&h, from, "ok-2", "setup");
	wait_ready(&h, from, "setup");
	from = h.seen.len;
	type(&h, "!-1:p\r");
	wait_ready(&h, from, "shown");
	from = h.seen.len;
	type(&h, "!-1\r");
	wait_text(&h, from, "refused: no text", "a line over the limit reaches the host as none");
	host_stop(&h);
}

int main(void)
{
	make_root();
	test_lines();
	test_entry();
	test_reading();
	test_settings();
	test_functions();
	test_hook_lost();
	test_hold();
	test_twice();
	test_quiet();
	test_fetch();
	test_nested();
	test_refuse();
	test_too_long();
	remove_root();
	return tap_done();
}

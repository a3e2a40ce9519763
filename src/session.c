#include "session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "detour.h"
#include "gate.h"
#include "intercept/policy.h"
#include "proc.h"

#define READ_CHUNK	65536u
#define READS		8		/* of one wake-up: one noisy program must not starve the rest */
#define INPUT_MAX	(16u << 20)	/* typed and pasted bytes that the program did not read yet */
#define SHELLS		16		/* nested shells whose nonce is known */
#define STATE_MAX	160
#define READER_MS	300		/* after Enter it is looked once more at who reads */

struct shell {
	pid_t	pid;
	char	name[16];	/* of its process when it said hello */
	char	nonce[80];
};

struct session {
	struct host		*host;
	struct session_events	 ev;
	char			*name;
	struct pane		*pane;
	struct gate		*gate;		/* NULL: a command of the user's, without a gate */
	struct jobs		*jobs;
	struct detours		*detours;	/* NULL without a gate, and until the shell runs */
	struct plan		*plan;
	int			 pty, id;	/* pty -1 once its other side is gone */
	bool			 over;
	struct buf		 input;		/* for the program, when the PTY takes no more */
	struct shell		 shell[SHELLS];	/* newest first */
	struct buf		 shown;		/* the line that the terminal's marks told of, if trusted */
	bool			 has_shown;
	struct buf		 edit;		/* goes into the next prompt */
	bool			 at_prompt;	/* a trusted prompt came, and no question since */
	bool			 entered;	/* Enter was sent since then, to whatever reads */
	struct loop_timer	*later;		/* looks once more at who reads, or NULL */
	pid_t			 prompt_pgrp;
	char			*cwd;
	char			 state[STATE_MAX], cwd_text[256];
	bool			 alarm;
};

/* ---- bytes to and from the program ------------------------------------------------------------- */

static void pty_flush(struct session *s)
{
	while (s->pty >= 0 && s->input.len) {
		ssize_t n = write(s->pty, s->input.data, s->input.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		buf_consume(&s->input, (size_t)n);
	}
	if (s->pty >= 0)
		loop_mod_fd(s->host->loop, s->pty, s->input.len ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void pty_put(struct session *s, const char *data, size_t len)
{
	if (s->pty < 0)
		return;
	buf_add(&s->input, data, len);	/* past the maximum it is dropped whole, as a terminal would */
	pty_flush(s);
}

static void pty_close(struct session *s)
{
	if (s->pty < 0)
		return;
	loop_del_fd(s->host->loop, s->pty);
	close(s->pty);
	s->pty = -1;
}

static struct audit_who who(const struct session *s)
{
	return (struct audit_who){ .session = s->name, .pane = "0", .source = "pane",
				   .profile = s->host->conf->profile.name };
}

static void set_state(struct session *s, bool alarm, const char *fmt, ...) PRINTF(3, 4);
static void set_state(struct session *s, bool alarm, const char *fmt, ...)
{
	struct audit_who w = who(s);
	char text[STATE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strcmp(text, s->state) == 0)
		return;
	/* The first word on a session is not news. */
	if (s->state[0] || alarm)
		audit_integration(s->host->audit, &w, text, NULL);
	memcpy(s->state, text, sizeof(text));
	s->alarm = alarm;
	s->ev.damage(s->ev.arg);
}

/* Something ran although no question was asked since the prompt: the gate was gone around. */
static void lost(struct session *s)
{
	s->at_prompt = false;
	set_state(s, true, "unguarded: a command ran without a question");
}

static void check_foreground(struct session *s)
{
	pid_t pgrp;

	if (!s->at_prompt || s->prompt_pgrp <= 0)
		return;
	pgrp = tcgetpgrp(s->pty);
	if (pgrp > 0 && pgrp != s->prompt_pgrp)
		lost(s);
}

static const struct shell *shell_by_pid(const struct session *s, pid_t pid)
{
	for (size_t i = 0; i < SHELLS; i++) {
		if (s->shell[i].pid == pid)
			return &s->shell[i];
	}
	return NULL;
}

/* Would it take lines that nobody judges? One that was given a script or a line was judged with it. */
static bool reads_lines(pid_t pid, const char *name)
{
	static const char *const list[] = {
		"sh", "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "tcsh", "zsh", "pwsh", "python", "node", "irb", "lua",
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		size_t n = strlen(list[i]);

		if (strncmp(name, list[i], n) == 0 && !name[n + strspn(name + n, "0123456789.")])
			return proc_is_bare(pid);
	}
	return false;
}

/* Enter is on its way: who is going to read it? A shell that said hello, and still is the program that said it, asks
 * first. Another shell or interpreter does not, however it was started (from a script, by exec). */
static void check_reader(struct session *s)
{
	pid_t fg = s->gate && s->pty >= 0 ? tcgetpgrp(s->pty) : -1;
	const struct shell *sh;
	struct proc p;

	if (fg <= 0 || proc_look(fg, &p) < 0)
		return;
	sh = shell_by_pid(s, fg);
	if (p.state == 'T')
		set_state(s, true, "unguarded: %s is stopped", p.name);
	else if (sh ? strcmp(sh->name, p.name) != 0 : reads_lines(fg, p.name))
		set_state(s, true, "unguarded: %s", p.name);
}

/* Who reads can change a moment after Enter without a byte of output: a program that is just starting or stopping. */
static void on_later(struct loop *l, void *arg)
{
	struct session *s = arg;

	(void)l;
	s->later = NULL;
	if (s->entered && !s->over)
		check_reader(s);
}

static void look_later(struct session *s)
{
	if (!s->later)
		s->later = loop_add_timer(s->host->loop, READER_MS, on_later, s);
}

/* One bounded round of reading; false when there is nothing more now. */
static bool pty_read(struct session *s)
{
	static char chunk[READ_CHUNK];
	ssize_t n;

	do
		n = read(s->pty, chunk, sizeof(chunk));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {			/* EIO or 0: the other side is gone */
		pty_close(s);
		return false;
	}
	check_foreground(s);
	if (s->entered)
		check_reader(s);	/* it may have become another program since */
	pane_write(s->pane, chunk, (size_t)n);
	return true;
}

static void pty_drain(struct session *s)
{
	for (int i = 0; i < READS && s->pty >= 0; i++) {
		if (!pty_read(s))
			return;
	}
}

static void on_pty(struct loop *l, int fd, unsigned events, void *arg)
{
	struct session *s = arg;

	(void)l;
	(void)fd;
	if (events & EPOLLOUT)
		pty_flush(s);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		pty_drain(s);
}

/* ---- marks: what the terminal tells of the shell ------------------------------------------------ */

static const struct shell *shell_of(const struct session *s, const char *nonce)
{
	for (size_t i = 0; nonce && nonce[0] && i < SHELLS; i++) {
		if (s->shell[i].pid && strcmp(s->shell[i].nonce, nonce) == 0)
			return &s->shell[i];
	}
	return NULL;
}

static void put_edit(struct session *s)
{
	struct key k = { .kind = KEY_PASTE, .paste_first = true, .paste_last = true };
	const struct pane_modes *m = pane_modes(s->pane);
	struct buf out;

	if (!s->edit.len)
		return;
	/* Without bracketed paste a newline would submit: such a line cannot be given back for editing. */
	if (m->bracketed_paste || !memchr(s->edit.data, '\n', s->edit.len)) {
		k.text = s->edit.data;
		k.len = s->edit.len;
		buf_init(&out, INPUT_MAX);
		keys_encode(&k, m, &out);
		pty_put(s, buf_str(&out), out.len);
		buf_done(&out);
	}
	buf_clear(&s->edit);
}

static void mark_line(struct session *s, const struct shell *sh, const struct mark *m)
{
	(void)sh;
	buf_clear(&s->shown);
	s->has_shown = buf_add(&s->shown, m->text, m->len) == 0;
}

static void mark_cwd(struct session *s, const struct shell *sh, const struct mark *m)
{
	(void)sh;
	free(s->cwd);
	s->cwd = xstrdup(m->text);
}

static bool shell_is_gone(long key)
{
	return proc_is_gone((pid_t)key);
}

/* The shell is about to show its prompt. Shells that it had started may have ended, by exit or by a signal. */
static void own_prompt(struct session *s, const struct shell *sh, const char *arg)
{
	(void)arg;
	jobs_done(s->jobs, sh->pid, -1, "no end was seen");
	jobs_reap(s->jobs, shell_is_gone, "the shell ended");
	s->at_prompt = true;
	s->entered = false;
	s->prompt_pgrp = tcgetpgrp(s->pty);
	set_state(s, false, "gated");
}

/* The gate's word was taken: what comes now is output. */
static void own_run(struct session *s, const struct shell *sh, const char *arg)
{
	(void)arg;
	if (!jobs_running(s->jobs, sh->pid))
		lost(s);
}

static void own_done(struct session *s, const struct shell *sh, const char *arg)
{
	char *end;
	long status = strtol(arg, &end, 10);

	if (end == arg || status < 0 || status > 255)
		status = -1;
	if (!jobs_done(s->jobs, sh->pid, (int)status, NULL))
		lost(s);
}

static const struct {
	const char	*name;		/* up to the colon, behind which the argument stands */
	void		(*fn)(struct session *s, const struct shell *sh, const char *arg);
} own_marks[] = {
	{ "prompt", own_prompt }, { "run", own_run }, { "done", own_done },
};

static void mark_own(struct session *s, const struct shell *sh, const struct mark *m)
{
	size_t n = strcspn(m->text, ":");

	for (size_t i = 0; i < ARRAY_SIZE(own_marks); i++) {
		if (strlen(own_marks[i].name) == n && strncmp(own_marks[i].name, m->text, n) == 0)
			own_marks[i].fn(s, sh, m->text + n + (m->text[n] == ':'));
	}
}

typedef void mark_fn(struct session *s, const struct shell *sh, const struct mark *m);

static mark_fn *const on_kind[] = {
	[MARK_LINE] = mark_line, [MARK_CWD] = mark_cwd, [MARK_OWN] = mark_own,
};

/* Only marks with the nonce of a shell that said hello count; the others are printed text. The end of a prompt
 * carries none, but it says nothing that the trusted mark before it did not. */
static void on_mark(void *arg, const struct mark *m)
{
	struct session *s = arg;
	const struct shell *sh = shell_of(s, m->nonce);

	if (m->kind == MARK_INPUT && s->at_prompt)
		put_edit(s);
	else if (sh && (size_t)m->kind < ARRAY_SIZE(on_kind) && on_kind[m->kind])
		on_kind[m->kind](s, sh, m);
}

static void on_reply(void *arg, const char *data, size_t len)
{
	pty_put(arg, data, len);
}

static void on_damage(void *arg)
{
	struct session *s = arg;

	s->ev.damage(s->ev.arg);
}

/* ---- the gate ----------------------------------------------------------------------------------- */

/* bash's history may end the text with a newline where the mark does not, and the other way round. */
static size_t trimmed(const char *s, size_t len)
{
	while (len && s[len - 1] == '\n')
		len--;
	return len;
}

static bool agrees(const struct session *s, const struct gate_question *q)
{
	size_t n = trimmed(q->line, q->len);

	return q->known_shell && s->has_shown && trimmed(buf_str(&s->shown), s->shown.len) == n &&
	       memcmp(buf_str(&s->shown), q->line, n) == 0;
}

static void on_ask(void *arg, struct gate_question *q)
{
	struct session *s = arg;
	struct job_in in;

	if (q->call) {
		if (s->detours)
			detours_ask(s->detours, q);
		else
			gate_call_plain(q);
		return;
	}
	in = (struct job_in){ .line = q->line, .len = q->len, .cwd = q->cwd, .key = q->shell_pid,
			     .moot = q->rejected, .own = q };

	pty_drain(s);		/* the mark was written before the question was asked: it must be there */
	in.suspect = !agrees(s, q);
	s->has_shown = false;
	s->at_prompt = s->entered = false;
	jobs_done(s->jobs, q->shell_pid, -1, "no end was seen");
	jobs_ask(s->jobs, &in);
	s->ev.damage(s->ev.arg);
}

static void on_fetched(void *arg, struct gate_question *q, struct live *live)
{
	struct session *s = arg;

	(void)live;
	jobs_fetched(s->jobs, q);
}

static void on_gone(void *arg, struct gate_question *q)
{
	struct session *s = arg;

	if (q->call && s->detours)
		detours_gone(s->detours, q);
	else
		jobs_gone(s->jobs, q, "shell");
}

static void on_signal(void *arg, struct gate_question *q, int signo)
{
	struct session *s = arg;

	if (s->detours)
		detours_signal(s->detours, q, signo);
}

static void on_hello(void *arg, pid_t pid, const char *shell, const char *nonce)
{
	struct session *s = arg;
	struct proc p;

	(void)shell;
	proc_look(pid, &p);
	memmove(&s->shell[1], &s->shell[0], sizeof(s->shell) - sizeof(s->shell[0]));
	s->shell[0] = (struct shell){ .pid = pid };
	memcpy(s->shell[0].name, p.name, sizeof(p.name));
	if (strlen(nonce) < sizeof(s->shell[0].nonce))
		memcpy(s->shell[0].nonce, nonce, strlen(nonce) + 1);
}

/* ---- jobs --------------------------------------------------------------------------------------- */

static int job_fetch(void *arg, struct job *j, struct live *live)
{
	(void)arg;
	return gate_fetch(job_own(j), live);
}

static const char *interactive_name(const struct verdict *v)
{
	for (size_t i = 0; i < v->neffect; i++) {
		const struct effect *ef = &v->effect[i];

		if (policy_hides_lines(ef) && ef->cmd && ef->cmd->argc && ef->cmd->argv[0].text)
			return ef->cmd->argv[0].text;
	}
	return "a program that takes lines of its own";
}

static void job_answer(void *arg, struct job *j, bool run, const char *message)
{
	struct session *s = arg;
	const struct verdict *v = job_verdict(j);

	if (job_is_call(j)) {
		detours_answer(s->detours, j, run, message);
		s->ev.damage(s->ev.arg);
		return;
	}
	if (run && v->interactive)
		set_state(s, true, "unguarded: %s", interactive_name(v));
	gate_answer(job_own(j), run ? GATE_RUN : GATE_DROP, message);
	s->ev.damage(s->ev.arg);
}

static void job_front(void *arg)
{
	struct session *s = arg;

	s->ev.front(s->ev.arg);
}

static void job_edit(void *arg, const char *line, size_t len)
{
	struct session *s = arg;

	buf_clear(&s->edit);
	buf_add(&s->edit, line, trimmed(line, len));
}

/* ---- life --------------------------------------------------------------------------------------- */

static void on_exit_child(void *arg, int id, int status)
{
	struct session *s = arg;

	if ((s->detours && detours_exit(s->detours, id, status)) || id != s->id || s->over)
		return;
	s->over = true;
	pty_drain(s);
	jobs_end(s->jobs, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), "the shell ended");
	s->ev.ended(s->ev.arg, status);
}

static void on_spawner_gone(void *arg)
{
	struct session *s = arg;

	if (s->over)
		return;
	s->over = true;
	s->ev.ended(s->ev.arg, 128 + 9);
}

/* The word stays in the status line until the next one about the gate; the record keeps where the file is. */
static void on_held(void *arg, const char *path, const char *kept)
{
	struct session *s = arg;
	CLEANUP(cleanup_freep) char *text = host_held_text(s->host, path, kept);
	struct audit_who w = who(s);

	audit_integration(s->host->audit, &w, text, NULL);
	set_state(s, true, "%s", text);
}

static int start_gate(struct session *s, const char *dir, struct err *e)
{
	const struct gate_events ev = {
		.ask = on_ask, .fetched = on_fetched, .gone = on_gone, .signal = on_signal, .hello = on_hello, .arg = s,
	};

	return gate_new(s->host->loop, dir, &ev, &s->gate, e);
}

static void start_jobs(struct session *s)
{
	const struct job_ops ops = {
		.fetch = job_fetch, .answer = job_answer, .front = job_front, .edit = job_edit, .arg = s,
	};
	const struct jobs_in in = {
		.ops = &ops, .judge = s->host->judge, .world = s->host->world, .audit = s->host->audit,
		.who = who(s), .workspace = s->host->workspace, .home = s->host->home, .user = s->host->user,
		.attended = true,
	};

	s->jobs = jobs_new(&in);
}

static int start_shell(struct session *s, const struct session_in *in, struct err *e)
{
	char *const gated[] = {
		xstrdup(s->host->conf->shell), xstrdup("--rcfile"), xstrdup(PLAN_RUN_DIR "/shell/bash.rc"),
		xstrdup("-i"), NULL,
	};
	struct spawn_req r = {
		.plan = s->plan, .argv = in->command ? in->command : gated, .rows = in->rows, .cols = in->cols,
		.extra_fd = -1,
	};
	pid_t pid;
	int rc = spawner_spawn(s->host->spawner, &r, &s->pty, &s->id, &pid, e);

	for (size_t i = 0; gated[i]; i++)
		free(gated[i]);
	if (rc < 0)
		return -1;
	if (s->gate) {
		s->detours = detours_new(&(struct detours_in){ .host = s->host, .plan = s->plan, .jobs = s->jobs, .base = s->id });
		detours_size(s->detours, in->rows, in->cols);
	}
	if (loop_add_fd(s->host->loop, s->pty, EPOLLIN, on_pty, s) < 0)
		return err_set(e, errno, "watch the terminal");
	return 0;
}

static int start(struct session *s, const struct session_in *in, struct err *e)
{
	const struct pane_events pev = { .reply = on_reply, .mark = on_mark, .damage = on_damage, .arg = s };

	s->pane = pane_new(in->rows, in->cols, s->host->conf->scrollback, &pev);
	start_jobs(s);
	if (!in->command && start_gate(s, in->gate_dir, e) < 0)
		return -1;
	if (host_plan(s->host, in->command ? NULL : in->gate_dir, NULL, &s->plan, e) < 0)
		return -1;
	if (spawner_watch(s->host->spawner, s->host->loop, on_exit_child, on_spawner_gone, s) < 0)
		return err_set(e, errno, "watch the spawner");
	spawner_on_held(s->host->spawner, on_held, s);
	if (in->command)
		set_state(s, true, "unguarded: %s", in->title);
	else
		set_state(s, false, "starting");
	return start_shell(s, in, e);
}

int session_new(const struct session_in *in, struct session **out, struct err *e)
{
	struct session *s = xcalloc(1, sizeof(*s));

	*s = (struct session){ .host = in->host, .ev = in->ev, .name = xstrdup(in->name), .pty = -1, .id = -1,
			       .cwd = xstrdup(in->host->workspace) };
	buf_init(&s->input, INPUT_MAX);
	buf_init(&s->shown, CMDLINE_MAX);
	buf_init(&s->edit, CMDLINE_MAX);
	if (start(s, in, e) < 0) {
		session_free(s);
		return -1;
	}
	*out = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	s->over = true;
	loop_cancel_timer(s->host->loop, s->later);
	detours_free(s->detours);
	s->detours = NULL;
	spawner_on_held(s->host->spawner, NULL, NULL);
	jobs_free(s->jobs);	/* answers what is held, so before the gate */
	gate_free(s->gate);
	pty_close(s);
	pane_free(s->pane);
	plan_free(s->plan);
	buf_done(&s->input);
	buf_done(&s->shown);
	buf_done(&s->edit);
	free(s->cwd);
	free(s->name);
	free(s);
}

void session_resize(struct session *s, int rows, int cols)
{
	struct winsize ws;

	pane_resize(s->pane, rows, cols);
	ws = (struct winsize){ .ws_row = (unsigned short)grid_rows(pane_grid(s->pane)),
			       .ws_col = (unsigned short)grid_cols(pane_grid(s->pane)) };
	if (s->pty >= 0)
		ioctl(s->pty, TIOCSWINSZ, &ws);
	if (s->detours)
		detours_size(s->detours, ws.ws_row, ws.ws_col);
}

void session_key(struct session *s, const struct key *k)
{
	struct buf out;

	if (k->kind == KEY_MOUSE && (k->row >= grid_rows(pane_grid(s->pane)) || k->col >= grid_cols(pane_grid(s->pane))))
		return;		/* on the status line */
	buf_init(&out, INPUT_MAX);
	keys_encode(k, pane_modes(s->pane), &out);
	if (out.len && memchr(out.data, '\r', out.len)) {
		check_reader(s);
		s->entered = !s->at_prompt;
		look_later(s);
	}
	if (out.len)
		pty_put(s, out.data, out.len);
	buf_done(&out);
}

void session_answer(struct session *s, enum answer a)
{
	jobs_answer(s->jobs, a);
}

const struct job *session_front(const struct session *s)
{
	return jobs_front(s->jobs);
}

bool session_waiting(const struct session *s)
{
	return jobs_waiting(s->jobs);
}

struct pane *session_pane(const struct session *s)
{
	return s->pane;
}

/* The home directory reads as ~, as everywhere. */
static const char *short_cwd(struct session *s)
{
	size_t n = strlen(s->host->home);

	if (n > 1 && strncmp(s->cwd, s->host->home, n) == 0 && (s->cwd[n] == '/' || !s->cwd[n]))
		snprintf(s->cwd_text, sizeof(s->cwd_text), "~%s", s->cwd + n);
	else
		snprintf(s->cwd_text, sizeof(s->cwd_text), "%s", s->cwd);
	return s->cwd_text;
}

void session_status(struct session *s, struct screen_status *st)
{
	*st = (struct screen_status){
		.session = s->name, .cwd = short_cwd(s), .profile = s->host->conf->profile.name, .network = "none",
		.state = s->state, .alarm = s->alarm, .commands = jobs_commands(s->jobs),
		.prompts = jobs_prompts(s->jobs),
	};
}

#include "job.h"

#include <string.h>

#include "base/io.h"
#include "base/quote.h"

enum state { JUDGING = 0, FETCHING, WAITING, OPEN, NOTICE, RUNNING, OVER, STATE_COUNT };
enum event { EV_WANT = 0, EV_FETCHED, EV_ALLOW, EV_ASK, EV_DENY, EV_TURN, EV_YES, EV_NO, EV_EDIT, EV_GONE, EV_DONE,
	     EV_MOOT, EVENT_COUNT };

struct job {
	struct job		*next;
	enum state		 state;
	struct jobs		*set;
	char			*text, *cwd;	/* owned */
	size_t			 len;
	bool			 suspect, moot, held;	/* held: the shell waits for our answer */
	bool			 call;		/* a program's words */
	bool			 covered, around;	/* the running line was approved for them; but not for what surrounds them */
	const char		*grant;
	long			 key;
	void			*own;		/* the asker's; NULL once it was answered */
	unsigned		 rounds;
	struct live		*live;
	struct judgement	*judgement;
	struct verdict		 verdict;	/* what is applied and shown; points into the judgement */
	uint64_t		 seq, started;
	const char		*by;
	char			*why;		/* owned; a reason that had to be made up */
	struct audit_outcome	 outcome;
};

struct jobs {
	struct job_ops		 ops;
	struct jobs_in		 in;
	struct job		*list;		/* in order of arrival */
	struct job		*front;
	unsigned		 commands, prompts;
	bool			 ending;
};

typedef void act_fn(struct job *j);

static void job_event(struct job *j, enum event ev);

/* ---- small helpers ------------------------------------------------------------------------------ */

static struct cmdline cmdline_of(const struct job *j)
{
	return (struct cmdline){
		.text = j->text, .len = j->len, .dialect = DIALECT_BASH, .cwd = j->cwd,
		.workspace = j->set->in.workspace, .home = j->set->in.home, .user = j->set->in.user,
		.source = j->set->in.who.source,
	};
}

static int record(struct job *j, const char *answer, const char *by, struct err *e)
{
	struct cmdline line = cmdline_of(j);
	struct audit_decision d = { .line = &line, .verdict = &j->verdict, .answer = answer, .by = by,
				    .grant = strcmp(answer, "run") == 0 ? j->grant : NULL };

	return audit_decision(j->set->in.audit, &j->set->in.who, &d, &j->seq, e);
}

static void let_go(struct job *j, bool run, const char *message)
{
	if (!j->held)
		return;
	j->held = false;
	j->set->ops.answer(j->set->ops.arg, j, run, message);
	j->own = NULL;
}

static void set_front(struct jobs *js, struct job *j)
{
	if (js->front == j)
		return;
	js->front = j;
	js->ops.front(js->ops.arg);
}

static struct job *first_waiting(const struct jobs *js)
{
	struct job *j = js->list;

	while (j && j->state != WAITING)
		j = j->next;
	return j;
}

/* The next question comes up; a refusal that is only shown makes room for it. */
static void next_turn(struct jobs *js)
{
	struct job *next = first_waiting(js), *old = js->front;

	if (js->ending || !next || (old && old->state == OPEN))
		return;
	if (old && old->state == NOTICE)
		job_event(old, EV_NO);		/* calls us again */
	else
		job_event(next, EV_TURN);
}

/* ---- what a person reads ------------------------------------------------------------------------ */

static void add_quoted(struct buf *b, const char *s)
{
	quote_into(b, s, strlen(s));
}

/* One compact block, for person and agent: what, which rule, what instead. */
static char *refusal(const struct job *j, const char *what)
{
	const struct verdict *v = &j->verdict;
	CLEANUP(cleanup_freep) char *reason = quote_sentence(v->reason ? v->reason : "no reason");
	struct buf b;

	buf_init(&b, 16384);
	buf_addf(&b, "sbxterm: %s: ", what);
	add_quoted(&b, reason);
	if (v->rule) {
		buf_adds(&b, " [");
		add_quoted(&b, v->rule);
		buf_adds(&b, "]");
	}
	if (v->safer) {
		buf_adds(&b, "\nsbxterm: instead: ");
		add_quoted(&b, v->safer);
	}
	buf_addc(&b, '\n');
	return buf_steal(&b);
}

/* ---- actions ------------------------------------------------------------------------------------ */

static void finish(struct job *j)
{
	struct jobs *js = j->set;
	struct job **pp = &js->list;

	j->state = OVER;
	let_go(j, false, NULL);
	while (*pp != j)
		pp = &(*pp)->next;
	*pp = j->next;
	if (js->ops.over)
		js->ops.over(js->ops.arg, j, &j->outcome);
	if (js->front == j)
		set_front(js, NULL);
	judgement_free(j->judgement);
	live_free(j->live);
	free(j->text);
	free(j->cwd);
	free(j->why);
	free(j);
	next_turn(js);
}

static void set_verdict(struct job *j, const char *rule, const char *reason, const char *safer, enum action a)
{
	j->verdict.action = a;
	j->verdict.rule = rule;
	j->verdict.reason = reason;
	j->verdict.safer = safer;
	j->verdict.blame = (struct span){ 0, j->len };
}

static void take_verdict(struct job *j, const struct cmdline *line)
{
	struct jobs *js = j->set;

	if (js->ops.judge) {
		j->verdict = *js->ops.judge(js->ops.arg, line, j->live);
		return;
	}
	judgement_free(j->judgement);
	j->judgement = judge_line(js->in.judge, line, j->live, js->in.world);
	j->verdict = *judgement_verdict(j->judgement);
}

static bool lacks_values(const struct job *j)
{
	const char *const *names;

	for (int k = 0; k < LIVE_KIND_COUNT; k++) {
		if (live_wanted(j->live, (enum live_kind)k, &names))
			return true;
	}
	return false;
}

/* What the judge cannot know: how the line came here. */
static void apply_doubts(struct job *j)
{
	struct verdict *v = &j->verdict;

	if (v->action == ACTION_ALLOW && j->suspect)
		set_verdict(j, "gate.mismatch", "the line that the shell asked about is not the one on its terminal",
			    "type the command again", ACTION_ASK);
	if (v->action == ACTION_ALLOW && v->incomplete)
		set_verdict(j, "gate.incomplete", "the line is not a complete command", "finish the command",
			    ACTION_ASK);
}

/* The approval of a line was for its words, not for what surrounds the call. */
static bool goes_around(const struct verdict *v)
{
	for (size_t i = 0; i < v->neffect; i++) {
		if (v->effect[i].flags & EFFECT_AROUND)
			return true;
	}
	return false;
}

static enum action action_of(const struct job *j)
{
	return j->covered && j->verdict.action == ACTION_ASK && !(j->around && goes_around(&j->verdict)) ? ACTION_ALLOW : j->verdict.action;
}

static void judge(struct job *j)
{
	static const enum event of_action[ACTION_COUNT] = {
		[ACTION_DENY] = EV_DENY, [ACTION_ASK] = EV_ASK, [ACTION_ALLOW] = EV_ALLOW,
	};
	struct cmdline line = cmdline_of(j);

	j->state = JUDGING;
	live_wanted_clear(j->live);
	take_verdict(j, &line);
	if (++j->rounds < JOB_ROUNDS && lacks_values(j)) {
		job_event(j, EV_WANT);
		return;
	}
	apply_doubts(j);
	j->verdict.moot = j->moot;
	j->verdict.grant = j->grant;
	if (j->moot && j->verdict.action == ACTION_ALLOW) {
		job_event(j, EV_MOOT);
		return;
	}
	if (!j->call)
		j->set->commands++;
	job_event(j, of_action[action_of(j)]);
}

static void fetch(struct job *j)
{
	j->state = FETCHING;
	if (j->set->ops.fetch(j->set->ops.arg, j, j->live) < 0) {
		j->rounds = JOB_ROUNDS;		/* nobody to ask: what is unknown stays unknown */
		judge(j);
	}
}

static void refuse(struct job *j, const char *answer, const char *by, const char *what)
{
	CLEANUP(cleanup_freep) char *message = refusal(j, what);

	record(j, answer, by, NULL);	/* a refusal needs no record to be one */
	let_go(j, false, message);
}

/* Nothing runs without its record. */
static void release(struct job *j, const char *by)
{
	struct err e;

	if (record(j, "run", by, &e) < 0) {
		free(j->why);
		j->why = xasprintf("the command cannot be recorded (%s)", e.msg);
		set_verdict(j, "audit.failed", j->why, "make room or make the log writable again", ACTION_DENY);
		job_event(j, EV_DENY);
		return;
	}
	j->by = by;
	j->started = io_now_ns();
	j->state = RUNNING;
	if (j->set->front == j)
		set_front(j->set, NULL);
	let_go(j, true, NULL);
	next_turn(j->set);
}

static void allow(struct job *j)
{
	release(j, j->verdict.action == ACTION_ASK ? "line" : "policy");
}

static void yes(struct job *j)
{
	if (!j->moot)
		release(j, "person");
}

static void ask(struct job *j)
{
	j->set->prompts++;
	if (!j->set->in.attended) {
		refuse(j, "refused", "on-ask", "refused, nobody can be asked");
		finish(j);
		return;
	}
	j->state = WAITING;
	next_turn(j->set);
}

static void show(struct job *j)
{
	j->state = OPEN;
	set_front(j->set, j);
}

/* Nobody has to close a refusal for the shell to go on: it is answered at once and shown beside. */
static void deny(struct job *j)
{
	struct jobs *js = j->set;
	struct job *old = js->front;

	refuse(j, "refused", "policy", "refused");
	if (!js->in.attended || (old && old != j && old->state == OPEN)) {
		finish(j);
		return;
	}
	j->state = NOTICE;
	js->front = NULL;
	set_front(js, j);
	if (old && old != j)
		job_event(old, EV_NO);
}

/* The shell dropped a line that can be read (a comment): nothing ran, and there is nothing to say. */
static void moot(struct job *j)
{
	let_go(j, false, NULL);
	finish(j);
}

static void no(struct job *j)
{
	if (j->moot) {		/* the shell has said so in its own words */
		record(j, "refused", "shell", NULL);
		moot(j);
		return;
	}
	refuse(j, "refused", "person", "not run, you said no");
	finish(j);
}

static void edit(struct job *j)
{
	record(j, "edit", "person", NULL);
	j->set->ops.edit(j->set->ops.arg, j->text, j->len);
	let_go(j, false, NULL);
	finish(j);
}

static void gone(struct job *j)
{
	record(j, "cancelled", j->by ? j->by : "shell", NULL);
	j->held = false;	/* nobody listens any more */
	finish(j);
}

static void done(struct job *j)
{
	struct jobs *js = j->set;

	j->outcome.decision = j->seq;
	j->outcome.duration_ms = (io_now_ns() - j->started) / 1000000u;
	audit_outcome(js->in.audit, &js->in.who, &j->outcome, NULL);
	finish(j);
}

static act_fn *const table[STATE_COUNT][EVENT_COUNT] = {
	[JUDGING] = {
		[EV_WANT] = fetch, [EV_ALLOW] = allow, [EV_ASK] = ask, [EV_DENY] = deny, [EV_GONE] = gone,
		[EV_MOOT] = moot,
	},
	[FETCHING] = { [EV_FETCHED] = judge, [EV_GONE] = gone },
	[WAITING] = { [EV_TURN] = show, [EV_GONE] = gone, [EV_DENY] = deny },
	[OPEN] = { [EV_YES] = yes, [EV_NO] = no, [EV_EDIT] = edit, [EV_GONE] = gone, [EV_DENY] = deny },
	[NOTICE] = { [EV_NO] = finish, [EV_YES] = finish, [EV_EDIT] = finish },
	[RUNNING] = { [EV_DONE] = done },
};

static void job_event(struct job *j, enum event ev)
{
	act_fn *act = table[j->state][ev];

	if (act) {
		act(j);
		return;
	}
	if (!j->held)
		return;		/* already answered: there is nothing left to refuse */
	set_verdict(j, "gate.internal", "the gate lost track of this command", "type it again", ACTION_DENY);
	refuse(j, "refused", "gate", "refused");
	finish(j);
}

/* ---- calls -------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_words(const struct simple *s, const struct job_in *in)
{
	if (s->argc != in->argc || !s->cwd || strcmp(s->cwd, in->cwd) != 0)
		return false;
	for (size_t i = 0; i < s->argc; i++) {
		const struct word *w = &s->argv[i];

		if (w->kind != WORD_EXACT || strcmp(i ? w->text : base_name(w->text), i ? in->argv[i] : base_name(in->argv[i])) != 0)
			return false;
	}
	return true;
}

static bool has_assignment(const struct simple *s, const char *var)
{
	for (size_t i = 0; i < s->nassign; i++) {
		const struct assign *a = &s->assign[i];
		size_t n = strlen(a->name);

		if (strncmp(var, a->name, n) == 0 && var[n] == '=' && !a->append && a->value.kind == WORD_EXACT &&
		    strcmp(a->value.text, var + n + 1) == 0)
			return true;
	}
	return false;
}

/* Was this very call, word for word and in this directory, part of what may run there? */
static void look_above(struct job *j, const struct job_in *in)
{
	const struct job *line = in->argv && in->under ? jobs_running(j->set, in->under) : NULL;

	for (size_t i = 0; line && i < line->verdict.ncmd && !j->covered; i++) {
		j->covered = same_words(line->verdict.cmd[i], in);
		j->around = false;
		for (char *const *v = in->around; j->covered && v && *v; v++)
			j->around |= !has_assignment(line->verdict.cmd[i], *v);
	}
}

/* ---- the set ------------------------------------------------------------------------------------ */

struct jobs *jobs_new(const struct jobs_in *in)
{
	struct jobs *js = xcalloc(1, sizeof(*js));

	js->in = *in;
	js->ops = *in->ops;
	return js;
}

void jobs_free(struct jobs *js)
{
	if (!js)
		return;
	js->ending = true;
	set_front(js, NULL);
	while (js->list) {
		struct job *j = js->list;

		if (j->state == RUNNING) {
			j->outcome = (struct audit_outcome){ .exit = -1, .note = "the session ended" };
			done(j);
		} else {
			if (j->held)
				refuse(j, "cancelled", "gate", "refused, the session ended");
			j->state = OVER;
			finish(j);
		}
	}
	free(js);
}

static size_t count(const struct jobs *js)
{
	size_t n = 0;

	for (const struct job *j = js->list; j; j = j->next)
		n++;
	return n;
}

static struct job *job_add(struct jobs *js, const struct job_in *in)
{
	struct job *j = xcalloc(1, sizeof(*j)), **pp = &js->list;

	*j = (struct job){
		.set = js, .text = xmemdup0(in->line, in->len), .len = in->len, .cwd = xstrdup(in->cwd ? in->cwd : ""),
		.suspect = in->suspect, .moot = in->moot, .held = true, .key = in->key, .own = in->own, .live = live_new(),
		.outcome = { .exit = -1 }, .call = in->argv != NULL, .grant = in->grant,
	};
	look_above(j, in);
	/* The words come from an exec: no alias, no function. */
	for (int k = LIVE_FUNCTION; j->call && k <= LIVE_ALIAS; k++)
		live_set_complete(j->live, (enum live_kind)k, true);
	while (*pp)
		pp = &(*pp)->next;
	*pp = j;
	return j;
}

void jobs_ask(struct jobs *js, const struct job_in *in)
{
	bool full = count(js) >= JOBS_MAX;
	struct job *j = job_add(js, in);

	if (full)
		set_verdict(j, "gate.busy", "too many commands are held at once", "wait for the others", ACTION_DENY);
	else if (!in->len || !in->cwd || in->cwd[0] != '/')
		set_verdict(j, "gate.unknown-line", "the shell could not say what it is about to run",
			    "switch history on (set -o history) and type the command again", ACTION_DENY);
	else
		return judge(j);
	js->commands++;
	job_event(j, EV_DENY);
}

static struct job *by_own(const struct jobs *js, const void *own)
{
	struct job *j = js->list;

	while (j && (!j->held || j->own != own))
		j = j->next;
	return j;
}

void jobs_fetched(struct jobs *js, void *own)
{
	struct job *j = by_own(js, own);

	if (j)
		job_event(j, EV_FETCHED);
}

void jobs_gone(struct jobs *js, void *own, const char *by)
{
	struct job *j = by_own(js, own);

	if (!j)
		return;
	j->by = by;
	job_event(j, EV_GONE);
}

static struct job *running(const struct jobs *js, long key)
{
	struct job *j = js->list;

	while (j && (j->state != RUNNING || j->key != key))
		j = j->next;
	return j;
}

bool jobs_done(struct jobs *js, long key, int status, const char *note)
{
	struct job *j = running(js, key);

	if (!j)
		return false;
	j->outcome = (struct audit_outcome){ .exit = status, .note = note };
	/* A shell reports a killed child as 128 + signal. */
	if (status > 128 && status < 128 + 65)
		j->outcome.signal = status - 128;
	job_event(j, EV_DONE);
	return true;
}

void jobs_reap(struct jobs *js, bool (*is_gone)(long key), const char *note)
{
	struct job *j = js->list;

	while (j && (j->state != RUNNING || !is_gone(j->key)))
		j = j->next;
	if (!j)
		return;
	jobs_done(js, j->key, -1, note);
	jobs_reap(js, is_gone, note);
}

void jobs_end(struct jobs *js, int status, const char *note)
{
	struct job *j = js->list;

	while (j && j->state != RUNNING)
		j = j->next;
	if (!j)
		return;
	jobs_done(js, j->key, status, note);
	jobs_end(js, status, note);
}

void jobs_answer(struct jobs *js, enum answer a)
{
	static const enum event of_answer[] = {
		[ANSWER_NO] = EV_NO, [ANSWER_YES] = EV_YES, [ANSWER_EDIT] = EV_EDIT,
	};

	if (js->front && a != ANSWER_NONE)
		job_event(js->front, of_answer[a]);
}

const struct job *jobs_front(const struct jobs *js)
{
	return js->front;
}

bool jobs_waiting(const struct jobs *js)
{
	return js->front && js->front->state == OPEN;
}

const struct job *jobs_running(const struct jobs *js, long key)
{
	return running(js, key);
}

const struct verdict *job_verdict(const struct job *j)
{
	return &j->verdict;
}

const char *job_line(const struct job *j, size_t *len)
{
	*len = j->len;
	return j->text;
}

const char *job_cwd(const struct job *j)
{
	return j->cwd;
}

void *job_own(const struct job *j)
{
	return j->own;
}

bool job_is_call(const struct job *j)
{
	return j->call;
}

unsigned jobs_commands(const struct jobs *js)
{
	return js->commands;
}

unsigned jobs_prompts(const struct jobs *js)
{
	return js->prompts;
}

#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/quote.h"
#include "batch.h"
#include "host.h"
#include "intercept/describe.h"
#include "intercept/explain.h"
#include "intercept/fakeworld.h"

extern char **environ;

#define WIDTH_MIN	40u
#define WIDTH_MAX	120u
#define WIDTH_JSON	90u	/* where no terminal says */
#define LABEL_COLUMN	10
#define PLAN_COLUMN	17	/* plan_describe() writes what happens to a path before it */

static const int exit_of[ACTION_COUNT] = {
	[ACTION_DENY] = CHECK_DENY, [ACTION_ASK] = CHECK_ASK, [ACTION_ALLOW] = CHECK_ALLOW,
};

/* There is no shell to ask: the environment is all there is, and what is not in it is unset. */
static struct live *live_from_environment(void)
{
	struct live *l = live_new();

	for (char **p = environ; *p; p++) {
		const char *eq = strchr(*p, '=');
		char name[256];

		if (!eq || (size_t)(eq - *p) >= sizeof(name))
			continue;
		memcpy(name, *p, (size_t)(eq - *p));
		name[eq - *p] = '\0';
		if (live_set(l, LIVE_VAR, name, eq + 1) == 0)
			live_set_flags(l, name, true, false, false, false);
	}
	for (int k = 0; k < LIVE_KIND_COUNT; k++)
		live_set_complete(l, (enum live_kind)k, true);
	return l;
}

static unsigned width(void)
{
	struct winsize ws;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col ? MIN(MAX((unsigned)ws.ws_col, WIDTH_MIN), WIDTH_MAX) : WIDTH_JSON;
}

/* ---- as text ------------------------------------------------------------------------------------ */

static void print_quoted(const char *label, const char *s, size_t len)
{
	struct buf b, out;

	if (!s || !len)
		return;
	buf_init(&b, 1u << 20);
	buf_init(&out, 4u << 20);
	quote_into(&b, s, len);
	describe_row(&out, 0, LABEL_COLUMN, width(), label, buf_str(&b));
	fputs(buf_str(&out), stdout);
	buf_done(&b);
	buf_done(&out);
}

static void print_str(const char *label, const char *s)
{
	print_quoted(label, s, s ? strlen(s) : 0);
}

static const char *var_value(const struct word_var *v)
{
	switch (v->state) {
	case LIVE_UNSET:
		return "(unset)";
	case LIVE_UNKNOWN:
		return "(unknown)";
	case LIVE_SCALAR:
	case LIVE_ARRAY:
	case LIVE_ASSOC:
		break;
	}
	return v->value ? v->value : "(array)";
}

static void print_var(const struct word_var *v)
{
	CLEANUP(cleanup_freep) char *text = xasprintf("%s = %s", v->name, var_value(v));

	print_str("variable", text);
}

static void print_target(const struct target *t)
{
	CLEANUP(cleanup_freep) char *count = t->files ? xasprintf(", %zu%s files", t->files, t->cut ? "+" : "") : NULL;
	CLEANUP(cleanup_freep) char *text = xasprintf("%s %s (%s%s)", t->how ? t->how : "", t->path ? t->path : "?",
						      t->state ? t->state : "", count ? count : "");

	print_str("target", text);
}

static void print_text(const struct verdict *v, const struct cmdline *line)
{
	print_str("verdict", action_name[v->action]);
	print_str("rule", v->rule);
	print_str("reason", v->reason);
	if (v->action != ACTION_ALLOW && v->blame.to <= line->len && v->blame.from < v->blame.to)
		print_quoted("because", line->text + v->blame.from, v->blame.to - v->blame.from);
	print_str("meaning", v->meaning);
	for (size_t i = 0; i < v->nvar; i++)
		print_var(&v->var[i]);
	for (size_t i = 0; i < v->ntarget; i++)
		print_target(&v->target[i]);
	print_str("instead", v->safer);
}

/* "what  path": the words of the plan stand below each other. */
static void print_plan(const char *text)
{
	struct buf out, shown;

	buf_init(&out, 4u << 20);
	buf_init(&shown, 1u << 20);
	for (const char *s = text, *end; *s; s = *end ? end + 1 : end) {
		char head[PLAN_COLUMN + 1];
		size_t len = strcspn(s, "\n"), cut = MIN(len, (size_t)PLAN_COLUMN);

		end = s + len;
		snprintf(head, sizeof(head), "%.*s", (int)cut, s);
		buf_clear(&shown);
		quote_into(&shown, s + cut, len - cut);
		describe_row(&out, DESCRIBE_INDENT, DESCRIBE_INDENT + PLAN_COLUMN, width(), head, buf_str(&shown));
	}
	fputs(buf_str(&out), stdout);
	buf_done(&out);
	buf_done(&shown);
}

static void print_explain(const struct host *h, const struct cmdline *line, struct judgement *g)
{
	CLEANUP(cleanup_freep) char *text = judge_explain(h->judge, line, g, width());
	CLEANUP(cleanup_freep) char *plan_text = NULL;
	struct plan *plan = NULL;
	struct err e;

	printf("\n%s\nplan of the sandbox\n", text ? text : "");
	if (host_plan(h, NULL, line->cwd, &plan, &e) < 0) {
		printf("  %s\n", e.msg);
		return;
	}
	plan_text = plan_describe(plan);
	print_plan(plan_text);
	plan_free(plan);
}

/* ---- as JSON ------------------------------------------------------------------------------------ */

static void add_span(json *to, const char *key, struct span s)
{
	json *a = json_add_array(to, key);

	json_add_int(a, NULL, (long long)s.from);
	json_add_int(a, NULL, (long long)s.to);
}

static void add_commands(json *to, const struct verdict *v)
{
	json *cmds = json_add_array(to, "commands");

	for (size_t i = 0; i < v->ncmd; i++) {
		json *c = json_add_object(cmds, NULL), *words = json_add_array(c, "words");

		json_add_str(c, "cwd", v->cmd[i]->cwd);
		add_span(c, "span", v->cmd[i]->span);
		for (size_t k = 0; k < v->cmd[i]->argc; k++)
			json_add_str(words, NULL, v->cmd[i]->argv[k].text);	/* null: not known */
	}
}

static void add_effects(json *to, const struct verdict *v)
{
	json *list = json_add_array(to, "effects");

	for (size_t i = 0; i < v->neffect; i++) {
		const struct effect *ef = &v->effect[i];
		json *o = json_add_object(list, NULL);

		json_add_str(o, "effect", effect_name[ef->kind]);
		json_add_str(o, "path", ef->path ? ef->path->text : NULL);
		json_add_str(o, "host", ef->host);
		json_add_str(o, "what", ef->what);
		add_span(o, "span", ef->span);
	}
}

static void add_targets(json *to, const struct verdict *v)
{
	json *list = json_add_array(to, "targets");

	for (size_t i = 0; i < v->ntarget; i++) {
		json *o = json_add_object(list, NULL);

		json_add_str(o, "path", v->target[i].path);
		json_add_str(o, "how", v->target[i].how);
		json_add_str(o, "state", v->target[i].state);
		json_add_int(o, "files", (long long)v->target[i].files);
		json_add_bool(o, "more", v->target[i].cut);
	}
}

static void add_vars(json *to, const struct verdict *v)
{
	json *list = json_add_array(to, "variables");

	for (size_t i = 0; i < v->nvar; i++) {
		json *o = json_add_object(list, NULL);

		json_add_str(o, "name", v->var[i].name);
		json_add_bool(o, "unset", v->var[i].state == LIVE_UNSET);
		json_add_str(o, "value", v->var[i].value);
	}
}

static void add_stages(json *to, const struct stages *st)
{
	json *us = json_add_object(to, "us");

	for (int i = STAGE_PARSE; i < STAGE_COUNT; i++)
		json_add_num(us, stage_name[i], (double)st->ns[i] / 1000.0);
}

static void add_explain(json *to, const struct host *h, const struct cmdline *line, struct judgement *g)
{
	CLEANUP(cleanup_freep) char *text = judge_explain(h->judge, line, g, WIDTH_JSON);
	CLEANUP(cleanup_freep) char *plan_text = NULL;
	struct plan *plan = NULL;
	struct err e = { 0 };

	add_stages(to, judgement_stages(g));
	json_add_str(to, "explain", text);
	if (host_plan(h, NULL, line->cwd, &plan, &e) == 0)
		plan_text = plan_describe(plan);
	json_add_str(to, "plan", plan_text);
	plan_free(plan);
}

static void print_json(const struct host *h, const struct cmdline *line, struct judgement *g, bool explain)
{
	const struct verdict *v = judgement_verdict(g);
	json *j = json_new_object();
	char *text;

	json_add_strn(j, "line", line->text, line->len);
	json_add_str(j, "cwd", line->cwd);
	json_add_str(j, "verdict", action_name[v->action]);
	json_add_str(j, "rule", v->rule);
	json_add_str(j, "reason", v->reason);
	json_add_str(j, "safer", v->safer);
	add_span(j, "blame", v->blame);
	json_add_str(j, "meaning", v->meaning);
	json_add_bool(j, "incomplete", v->incomplete);
	json_add_bool(j, "interactive", v->interactive);
	add_vars(j, v);
	add_targets(j, v);
	add_commands(j, v);
	add_effects(j, v);
	if (explain)
		add_explain(j, h, line, g);
	text = json_print(j);
	puts(text);
	free(text);
	json_free(j);
}

/* What the options put in the place of this machine's state. */
struct given {
	json		*vars, *desc;	/* owned; NULL when not given */
	struct world	*world;		/* owned; NULL: the machine's */
	enum dialect	 dialect;
};

static void given_done(struct given *g)
{
	fakeworld_free(g->world);
	json_free(g->desc);
	json_free(g->vars);
}

static int parse_object(const char *option, const char *text, json **out, struct err *e)
{
	json *j = text ? json_parse(text, strlen(text), NULL, e) : NULL;

	if (text && !j)
		return err_wrap(e, "%s", option);
	if (j && json_type(j) != JSON_OBJECT) {
		json_free(j);
		return err_set(e, 0, "%s: not a JSON object", option);
	}
	*out = j;
	return 0;
}

static int parse_dialect(const char *name, enum dialect *out, struct err *e)
{
	for (int d = 0; d < DIALECT_COUNT; d++) {
		if (!name || !strcmp(name, dialect_name[d])) {
			*out = (enum dialect)d;
			return 0;
		}
	}
	return err_set(e, 0, "--dialect %s: not a shell that is known", name);
}

static int given_init(struct given *g, const struct options *o, const struct host *h, struct err *e)
{
	json *git = NULL;

	*g = (struct given){ 0 };
	if (parse_dialect(o->dialect, &g->dialect, e) < 0 || parse_object("--vars", o->vars, &g->vars, e) < 0 ||
	    parse_object("--git-state", o->git_state, &git, e) < 0)
		return -1;
	if (!git)
		return 0;
	g->desc = json_new_object();
	json_add_str(g->desc, "cwd", h->workspace);
	json_add_str(g->desc, "home", h->home);
	json_add(g->desc, "git", git);
	if (fakeworld_check(g->desc, e) < 0)
		return err_wrap(e, "--git-state");
	g->world = fakeworld_new(g->desc);
	return 0;
}

static void set_given(struct live *l, const json *vars)
{
	for (const json *v = json_first(vars); v; v = json_next(v)) {
		if (!json_text(v)) {
			live_set_unset(l, LIVE_VAR, json_key(v));
			continue;
		}
		live_set(l, LIVE_VAR, json_key(v), json_text(v));
		live_set_flags(l, json_key(v), true, false, false, false);
	}
}

static int check_line(const struct options *o, const struct host *h, const struct given *given)
{
	const struct cmdline line = {
		.text = o->rest[0], .len = strlen(o->rest[0]), .dialect = given->dialect, .cwd = h->workspace,
		.workspace = h->workspace, .home = h->home, .user = h->user, .source = "check",
	};
	struct live *live = live_from_environment();
	struct judgement *g;
	int rc;

	set_given(live, given->vars);
	judge_time(h->judge, o->explain);
	g = judge_line(h->judge, &line, live, given->world ? given->world : h->world);
	if (o->json) {
		print_json(h, &line, g, o->explain);
	} else {
		print_text(judgement_verdict(g), &line);
		if (o->explain)
			print_explain(h, &line, g);
	}
	rc = exit_of[judgement_verdict(g)->action];
	judgement_free(g);
	live_free(live);
	return rc;
}

int check_main(const struct options *o, struct err *e)
{
	const struct host_in in = { .dir = o->dir, .policy = o->policy, .profile = o->profile, .judge_only = true };
	struct host *h = NULL;
	struct given given;
	int rc;

	if (host_new(&in, &h, e) < 0)
		return -1;
	if (o->batch) {
		rc = batch_run(h->judge, stdin, stdout, e);
	} else {
		rc = given_init(&given, o, h, e);
		if (rc == 0)
			rc = check_line(o, h, &given);
		given_done(&given);
	}
	host_free(h);
	return rc;
}

/* tests/script/run.c - play event scripts into the core of the gate (src/job) with a shell that does not exist
 *
 *   run [FILE...]	default: every .s in tests/script
 *
 * A script is lines of words ("..." holds blanks and \n); # begins a comment. Events:
 *   judge LINE ACTION RULE [wants=NAME] [interactive]	what the judge will say of LINE (else: ask, test.unknown)
 *   unattended						nobody can answer; must come before the first ask
 *   ask ID LINE [suspect] [moot] [key=N] [cwd=DIR]	a shell holds LINE, or dropped it as unreadable (moot)
 *   fetched ID NAME=VALUE | NAME			the shell told of a variable (without =: it is unset)
 *   gone ID						the shell let go
 *   answer yes|no|edit					the person
 *   done KEY STATUS					the end of what runs there
 *   reap KEY						the shell of KEY is found to be gone
 *   disk full|free					whether the record can be written
 * and what must be true now:
 *   is ID held|run|drop [TEXT]				answered so; TEXT is in the message
 *   wants ID NAME					the shell is being asked for NAME
 *   front LINE|none · waiting yes|no · edit LINE	what the person sees
 *   audit TYPE [FIELD=VALUE...]			the next record that was not looked at yet
 *   audit end						there is none
 *   prompts N · commands N
 */
#include <glob.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "job.h"
#include "tap.h"

#define WORDS	12
#define RULES	32
#define ASKERS	96

struct rule { char line[256], id[64], wants[64]; struct verdict v; };
struct asker { char id[32], state[8], message[512], wants[64]; struct live *live; };

static struct rule rules[RULES];
static struct asker askers[ASKERS];
static size_t nrules, naskers;
static struct jobs *jobs;
static struct audit *audit;
static bool unattended;
static char dir[64], path[128], edited[256], where[512];
static size_t audit_at;

/* ---- the shell and the judge that are not there ------------------------------------------------- */

static const struct verdict *op_judge(void *arg, const struct cmdline *line, struct live *live)
{
	static const struct verdict unknown = { .action = ACTION_ASK, .rule = "test.unknown", .reason = "no rule" };

	(void)arg;
	for (size_t i = 0; i < nrules; i++) {
		if (strlen(rules[i].line) != line->len || memcmp(rules[i].line, line->text, line->len) != 0)
			continue;
		if (rules[i].wants[0])
			live_get(live, LIVE_VAR, rules[i].wants);
		return &rules[i].v;
	}
	return &unknown;
}

static int op_fetch(void *arg, struct job *j, struct live *live)
{
	struct asker *a = job_own(j);
	const char *const *names;

	(void)arg;
	if (live_wanted(live, LIVE_VAR, &names))
		snprintf(a->wants, sizeof(a->wants), "%s", names[0]);
	a->live = live;
	return strcmp(a->wants, "NOBODY") == 0 ? -1 : 0;
}

static void op_answer(void *arg, struct job *j, bool run, const char *message)
{
	struct asker *a = job_own(j);

	(void)arg;
	ok(strcmp(a->state, "held") == 0, "answered once");
	snprintf(a->state, sizeof(a->state), "%s", run ? "run" : "drop");
	snprintf(a->message, sizeof(a->message), "%s", message ? message : "");
}

static void op_front(void *arg)
{
	(void)arg;
}

static void op_edit(void *arg, const char *line, size_t len)
{
	(void)arg;
	snprintf(edited, sizeof(edited), "%.*s", (int)len, line);
}

static void start(void)
{
	static const struct job_ops ops = {
		.judge = op_judge, .fetch = op_fetch, .answer = op_answer, .front = op_front, .edit = op_edit,
	};
	const struct jobs_in in = {
		.ops = &ops, .audit = audit, .workspace = "/w", .home = "/home/u", .attended = !unattended,
		.who = { .session = "s", .pane = "0", .source = "pane", .profile = "default" },
	};

	if (!jobs)
		jobs = jobs_new(&in);
}

/* ---- words -------------------------------------------------------------------------------------- */

static const char *option(char **w, const char *name)
{
	for (; *w; w++) {
		if (strncmp(*w, name, strlen(name)) == 0 && (*w)[strlen(name)] == '=')
			return *w + strlen(name) + 1;
	}
	return NULL;
}

static long number(const char *s)
{
	return strtol(s, NULL, 10);
}

static bool has(char **w, const char *name)
{
	while (*w && strcmp(*w, name) != 0)
		w++;
	return *w != NULL;
}

static struct asker *asker(const char *id)
{
	for (size_t i = 0; i < naskers; i++) {
		if (strcmp(askers[i].id, id) == 0)
			return &askers[i];
	}
	snprintf(askers[naskers].id, sizeof(askers[0].id), "%s", id);
	snprintf(askers[naskers].state, sizeof(askers[0].state), "held");
	return &askers[naskers++];
}

/* ---- events ------------------------------------------------------------------------------------- */

static void ev_judge(char **w)
{
	struct rule *r = &rules[nrules++];
	const char *wants = option(w, "wants");

	snprintf(r->line, sizeof(r->line), "%s", w[0]);
	snprintf(r->id, sizeof(r->id), "%s", w[2]);
	snprintf(r->wants, sizeof(r->wants), "%s", wants ? wants : "");
	r->v = (struct verdict){ .rule = r->id, .reason = "because of a test", .safer = "do something else",
				 .interactive = has(w, "interactive") };
	for (int a = 0; a < ACTION_COUNT; a++) {
		if (strcmp(action_name[a], w[1]) == 0)
			r->v.action = (enum action)a;
	}
}

static void ev_unattended(char **w)
{
	(void)w;
	unattended = true;
}

static void ev_ask(char **w)
{
	const char *cwd = option(w, "cwd"), *key = option(w, "key");
	struct job_in in = { .line = w[1], .len = strlen(w[1]), .cwd = cwd ? cwd : "/w", .suspect = has(w, "suspect"),
			     .moot = has(w, "moot"), .key = key ? number(key) : 1, .own = asker(w[0]) };

	start();
	jobs_ask(jobs, &in);
}

static void ev_fetched(char **w)
{
	struct asker *a = asker(w[0]);
	char *eq = strchr(w[1], '=');

	ok(a->live != NULL, where);
	if (!a->live)
		return;
	if (eq) {
		*eq = '\0';
		live_set(a->live, LIVE_VAR, w[1], eq + 1);
	} else {
		live_set_unset(a->live, LIVE_VAR, w[1]);
	}
	a->wants[0] = '\0';
	jobs_fetched(jobs, a);
}

static void ev_gone(char **w)
{
	struct asker *a = asker(w[0]);

	jobs_gone(jobs, a, "shell");
	if (strcmp(a->state, "held") == 0)
		snprintf(a->state, sizeof(a->state), "gone");
}

static void ev_answer(char **w)
{
	jobs_answer(jobs, strcmp(w[0], "yes") == 0 ? ANSWER_YES : strcmp(w[0], "edit") == 0 ? ANSWER_EDIT : ANSWER_NO);
}

static void ev_done(char **w)
{
	jobs_done(jobs, number(w[0]), (int)number(w[1]), NULL);
}

static long gone_key;

static bool key_is_gone(long key)
{
	return key == gone_key;
}

static void ev_reap(char **w)
{
	gone_key = number(w[0]);
	jobs_reap(jobs, key_is_gone, "the shell ended");
}

/* No file of this process may grow: what a full disk looks like to the record. */
static void ev_disk(char **w)
{
	static struct rlimit old;
	struct rlimit now;
	struct stat st;

	if (strcmp(w[0], "free") == 0) {
		setrlimit(RLIMIT_FSIZE, &old);
		return;
	}
	getrlimit(RLIMIT_FSIZE, &old);
	stat(path, &st);
	now = old;
	now.rlim_cur = (rlim_t)st.st_size;
	setrlimit(RLIMIT_FSIZE, &now);
}

static void ev_is(char **w)
{
	struct asker *a = asker(w[0]);

	is_str(a->state, w[1], where);
	ok(!w[2] || strstr(a->message, w[2]), where);
}

static void ev_wants(char **w)
{
	is_str(asker(w[0])->wants, w[1], where);
}

static void ev_front(char **w)
{
	const struct job *j = jobs ? jobs_front(jobs) : NULL;
	size_t len;

	is_str(j ? job_line(j, &len) : "none", w[0], where);
}

static void ev_waiting(char **w)
{
	is_str(jobs && jobs_waiting(jobs) ? "yes" : "no", w[0], where);
}

static void ev_edit(char **w)
{
	is_str(edited, w[0], where);
}

/* The next record of the file; NULL at its end. */
static json *next_record(void)
{
	struct buf b;
	json *j = NULL;
	size_t len;

	buf_init(&b, 4u << 20);
	io_slurp(path, &b, NULL);
	if (b.len > audit_at) {
		len = strcspn(b.data + audit_at, "\n");
		j = json_parse(b.data + audit_at, len, NULL, NULL);
		audit_at += len + 1;
	}
	buf_done(&b);
	return j;
}

static void check_field(const json *j, char *field)
{
	char *eq = strchr(field, '=');
	const json *v;
	char num[32];

	*eq = '\0';
	v = json_get(j, field);
	if (v && json_type(v) == JSON_NUMBER) {
		snprintf(num, sizeof(num), "%.0f", json_value(v));
		is_str(num, eq + 1, where);
	} else {
		is_str(v && json_text(v) ? json_text(v) : "null", eq + 1, where);
	}
}

static void ev_audit(char **w)
{
	json *j = next_record();

	is_str(j ? json_str(j, "type", "?") : "end", w[0], where);
	for (w++; j && *w; w++)
		check_field(j, *w);
	json_free(j);
}

static void ev_prompts(char **w)
{
	is_int(jobs ? jobs_prompts(jobs) : 0, number(w[0]), where);
}

static void ev_commands(char **w)
{
	is_int(jobs ? jobs_commands(jobs) : 0, number(w[0]), where);
}

static const struct { const char *name; int words; void (*fn)(char **w); } events[] = {
	{ "judge", 3, ev_judge }, { "unattended", 0, ev_unattended }, { "ask", 2, ev_ask },
	{ "fetched", 2, ev_fetched }, { "gone", 1, ev_gone }, { "answer", 1, ev_answer }, { "done", 2, ev_done }, { "reap", 1, ev_reap },
	{ "disk", 1, ev_disk }, { "is", 2, ev_is }, { "wants", 2, ev_wants }, { "front", 1, ev_front },
	{ "waiting", 1, ev_waiting }, { "edit", 1, ev_edit }, { "audit", 1, ev_audit },
	{ "prompts", 1, ev_prompts }, { "commands", 1, ev_commands },
};

/* ---- a script ----------------------------------------------------------------------------------- */

/* Cut in place; returns how many words. */
static int split(char *s, char **w)
{
	int n = 0;

	while (n < WORDS - 1) {
		char *out;
		bool quoted = false;

		s += strspn(s, " \t\n");
		if (!*s || *s == '#')
			break;
		w[n++] = out = s;
		for (; *s && (quoted || !strchr(" \t\n", *s)); s++) {
			if (*s == '"') {
				quoted = !quoted;
				continue;
			}
			if (*s == '\\' && s[1]) {
				s++;
				*out++ = *s == 'n' ? '\n' : *s == 'e' ? '\033' : *s;
				continue;
			}
			*out++ = *s;
		}
		if (*s)
			s++;
		*out = '\0';
	}
	w[n] = NULL;
	return n;
}

static void play(char *text)
{
	char *w[WORDS];
	int n = split(text, w);

	if (!n)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(events[i].name, w[0]) == 0 && n > events[i].words) {
			events[i].fn(w + 1);
			return;
		}
	}
	ok(false, where);
}

static void reset(void)
{
	jobs_free(jobs);
	audit_close(audit);
	jobs = NULL;
	audit = NULL;
	memset(rules, 0, sizeof(rules));
	memset(askers, 0, sizeof(askers));
	nrules = naskers = audit_at = 0;
	unattended = false;
	edited[0] = '\0';
	unlink(path);
}

static void script(const char *file)
{
	FILE *f = fopen(file, "re");
	char line[2048];
	struct err e;

	snprintf(where, sizeof(where), "%s", file);
	ok(f != NULL, where);
	if (!f)
		return;
	ok(audit_open(path, &audit, &e) == 0, "the record");
	for (int n = 1; fgets(line, sizeof(line), f); n++) {
		snprintf(where, sizeof(where), "%s:%d: %.200s", file, n, line);
		where[strcspn(where, "\n")] = '\0';
		play(line);
	}
	fclose(f);
	reset();
}

int main(int argc, char **argv)
{
	glob_t g = { 0 };

	snprintf(dir, sizeof(dir), "/tmp/sbxterm-script-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/audit.jsonl", dir);
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2 && glob("tests/script/*.s", 0, NULL, &g) == 0) {
		argc = (int)g.gl_pathc + 1;
		argv = g.gl_pathv - 1;
	}
	for (int i = 1; i < argc; i++)
		script(argv[i]);
	globfree(&g);
	rmdir(dir);
	return tap_done();
}

/* tests/tools/corpus.c - judge a corpus of command lines and say how often the verdict is right
 *
 *	corpus [--list] [--class NAME] [--dialect NAME] FILE
 *
 * FILE holds one JSON object a line (tests/corpus/README.md). Prints, for each
 * dialect and class: false alarms (allow expected, stopped), misses (deny expected,
 * allowed), asks allowed, agreement, and the time per line. --list prints each line
 * where the verdict is none of those that are accepted.
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "conf/conf.h"
#include "intercept/fakeworld.h"
#include "intercept/judge.h"

#define CORPUS_BYTES	(64u << 20)
#define CORPUS_LINES	100000
#define CORPUS_GROUPS	256

struct group {
	char		*name;
	unsigned	 lines, allow, deny, ask;	/* expected */
	unsigned	 alarm, miss, ask_allowed, agree;
};

struct run {
	struct judge	*judge;
	struct group	 group[CORPUS_GROUPS];
	size_t		 ngroup;
	uint64_t	*ns;
	size_t		 n;
	bool		 list;
	const char	*only_class, *only_dialect;
};

static struct group *group_of(struct run *r, const char *name)
{
	for (size_t i = 0; i < r->ngroup; i++) {
		if (!strcmp(r->group[i].name, name))
			return &r->group[i];
	}
	if (r->ngroup == CORPUS_GROUPS)
		return &r->group[0];
	r->group[r->ngroup].name = xstrdup(name);
	return &r->group[r->ngroup++];
}

static bool accepted(const json *line, const char *got)
{
	if (!strcmp(json_str(line, "expect", ""), got))
		return true;
	for (const json *a = json_first(json_get(line, "also_ok")); a; a = json_next(a)) {
		if (json_text(a) && !strcmp(json_text(a), got))
			return true;
	}
	return false;
}

static void tally(struct group *g, const json *line, enum action got)
{
	const char *want = json_str(line, "expect", "");
	bool right = accepted(line, action_name[got]);

	g->lines++;
	g->agree += right;
	if (!strcmp(want, "allow")) {
		g->allow++;
		g->alarm += got != ACTION_ALLOW;
	} else if (!strcmp(want, "deny")) {
		g->deny++;
		g->miss += got == ACTION_ALLOW;
	} else {
		g->ask++;
		g->ask_allowed += got == ACTION_ALLOW && !right;
	}
}

static void print_wrong(const json *line, const struct verdict *v)
{
	CLEANUP(cleanup_freep) char *cmd = NULL;
	struct buf b;

	buf_init(&b, 1u << 20);
	json_quote(&b, json_str(line, "cmd", ""), strlen(json_str(line, "cmd", "")));
	cmd = buf_steal(&b);
	printf("%s %s want %s got %s [%s] %s\n    %.400s\n", json_str(line, "id", "?"), json_str(line, "shell", "?"),
	       json_str(line, "expect", "?"), action_name[v->action], v->rule, v->reason, cmd);
}

static int judge_one(struct run *r, const json *line)
{
	const char *shell = json_str(line, "shell", "bash"), *class = json_str(line, "class", "");
	struct cmdline cl;
	struct err e = { 0 };
	struct world *w;
	struct live *l;
	struct judgement *g;
	const struct verdict *v;
	uint64_t start;
	CLEANUP(cleanup_freep) char *name = xasprintf("%s/%s", shell, class);

	if ((r->only_class && strcmp(class, r->only_class) != 0) || (r->only_dialect && strcmp(shell, r->only_dialect) != 0))
		return 0;
	if (fakeworld_line(line, &cl, &e) < 0) {
		fprintf(stderr, "corpus: %s: %s\n", json_str(line, "id", "?"), e.msg);
		return -1;
	}
	w = fakeworld_new(line);
	l = fakeworld_live(line);
	start = io_now_ns();
	g = judge_line(r->judge, &cl, l, w);
	r->ns[r->n++] = io_now_ns() - start;
	v = judgement_verdict(g);
	tally(group_of(r, shell), line, v->action);
	tally(group_of(r, name), line, v->action);
	if (r->list && !accepted(line, action_name[v->action]))
		print_wrong(line, v);
	judgement_free(g);
	live_free(l);
	fakeworld_free(w);
	return 0;
}

static int run_file(struct run *r, const char *path)
{
	struct buf text;
	struct err e = { 0 };
	int rc = 0;

	buf_init(&text, CORPUS_BYTES);
	if (io_slurp(path, &text, &e) < 0) {
		fprintf(stderr, "corpus: %s\n", e.msg);
		buf_done(&text);
		return -1;
	}
	for (const char *p = buf_str(&text), *end = p + text.len; p < end && r->n < CORPUS_LINES; ) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl ? (size_t)(nl - p) : (size_t)(end - p);
		json *line = len ? json_parse(p, len, NULL, &e) : NULL;

		if (len && !line) {
			fprintf(stderr, "corpus: %s\n", e.msg);
			rc = -1;
		}
		if (line && judge_one(r, line) < 0)
			rc = -1;
		json_free(line);
		p += len + 1;
	}
	buf_done(&text);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct group *)a)->name, ((const struct group *)b)->name);
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double percent(unsigned part, unsigned of)
{
	return of ? 100.0 * part / of : 0.0;
}

static void report(struct run *r)
{
	qsort(r->group, r->ngroup, sizeof(r->group[0]), by_name);
	printf("%-26s %6s %14s %14s %14s %9s\n", "", "lines", "alarms/allow", "missed/deny", "allowed/ask", "agree");
	for (size_t i = 0; i < r->ngroup; i++) {
		const struct group *g = &r->group[i];

		printf("%-26s %6u %7u/%-6u %7u/%-6u %7u/%-6u %8.2f%%\n", g->name, g->lines, g->alarm, g->allow, g->miss, g->deny,
		       g->ask_allowed, g->ask, percent(g->agree, g->lines));
		free(g->name);
	}
	if (!r->n)
		return;
	qsort(r->ns, r->n, sizeof(*r->ns), by_time);
	printf("time per line: median %.1f us, p95 %.1f us, p99 %.1f us, max %.1f us (%zu lines)\n", r->ns[r->n / 2] / 1e3,
	       r->ns[r->n * 95 / 100] / 1e3, r->ns[r->n * 99 / 100] / 1e3, r->ns[r->n - 1] / 1e3, r->n);
}

int main(int argc, char **argv)
{
	struct run r = { 0 };
	struct conf *conf = NULL;
	struct err e = { 0 };
	const char *file = NULL;
	int rc;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			r.list = true;
		else if (!strcmp(argv[i], "--class") && i + 1 < argc)
			r.only_class = argv[++i];
		else if (!strcmp(argv[i], "--dialect") && i + 1 < argc)
			r.only_dialect = argv[++i];
		else
			file = argv[i];
	}
	if (!file) {
		fprintf(stderr, "usage: corpus [--list] [--class NAME] [--dialect NAME] FILE\n");
		return 2;
	}
	/* only what is shipped: the machine's own policy files must not change the figures */
	if (conf_load(&(struct conf_from){ .datadir = "conf", .home = "/nonexistent" }, &conf, &e) < 0 ||
	    judge_new(conf, "conf", &r.judge, &e) < 0) {
		fprintf(stderr, "corpus: %s\n", e.msg);
		conf_free(conf);
		return 1;
	}
	r.ns = xcalloc(CORPUS_LINES, sizeof(*r.ns));
	rc = run_file(&r, file);
	report(&r);
	free(r.ns);
	judge_free(r.judge);
	conf_free(conf);
	return rc ? 1 : 0;
}

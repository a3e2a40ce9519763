/* tests/bench/judge.c - what a verdict costs: over the corpus, by the length of the line, and as a process
 *
 * The corpus, warm, on one core, in time on that core: the whole verdict from the text of the line to the rule. Then lines of one shape each
 * from 10 bytes to 1 megabyte: the time per byte may not grow with the length (LENGTH_RATIO leaves room for caches and a
 * busy machine). Then `check` as a process next to the cheapest processes there are, interleaved, medians.
 * A bar that is missed is named and makes the program fail.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "conf/conf.h"
#include "intercept/fakeworld.h"
#include "intercept/judge.h"

#define CORPUS		"tests/corpus/commands.jsonl"
#define CORPUS_BYTES	(64u << 20)
#define CORPUS_LINES	20000
#define ROUNDS		5
#define MEDIAN_US	60.0
#define P99_US		1000.0
#define LINES_A_SECOND	10000.0
#define PROCESS_MS	10.0
#define PROCESS_ROUNDS	40
#define LENGTH_RATIO	4.0	/* per byte, the longest against the cheapest shorter one */
#define LENGTH_BASE	10000	/* shorter ones are all fixed cost */
#define LENGTH_SLOW_NS	8000000000ull

static unsigned missed;

/* Time of this thread on the core: what other programs of a busy machine take is not the judge's. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void bar(bool met, const char *what)
{
	if (met)
		return;
	missed++;
	printf("MISSED: %s\n", what);
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* ---- the corpus ---- */

static size_t read_corpus(json **line)
{
	struct buf text;
	struct err e = { 0 };
	size_t n = 0;

	buf_init(&text, CORPUS_BYTES);
	if (io_slurp(CORPUS, &text, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		exit(1);
	}
	for (const char *p = buf_str(&text), *end = p + text.len; p < end && n < CORPUS_LINES;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl ? (size_t)(nl - p) : (size_t)(end - p);

		if (len && (line[n] = json_parse(p, len, NULL, &e)))
			n++;
		p += len + 1;
	}
	buf_done(&text);
	return n;
}

static uint64_t judge_json(struct judge *j, const json *line)
{
	struct cmdline cl;
	struct err e = { 0 };
	struct world *w;
	struct live *l;
	uint64_t start;

	if (fakeworld_line(line, &cl, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		exit(1);
	}
	w = fakeworld_new(line);
	l = fakeworld_live(line);
	start = cpu_ns();
	judgement_free(judge_line(j, &cl, l, w));
	start = cpu_ns() - start;
	live_free(l);
	fakeworld_free(w);
	return start;
}

static void bench_corpus(struct judge *j)
{
	json **line = xcalloc(CORPUS_LINES, sizeof(json *));
	size_t n = read_corpus(line), k = 0;
	uint64_t *ns = xcalloc(n * ROUNDS + 1, sizeof(*ns)), sum = 0;

	for (size_t i = 0; i < n; i++)
		judge_json(j, line[i]);		/* warm */
	for (int r = 0; r < ROUNDS; r++) {
		for (size_t i = 0; i < n; i++)
			sum += ns[k++] = judge_json(j, line[i]);
	}
	qsort(ns, k, sizeof(*ns), by_time);
	if (k) {
		printf("corpus, warm, one core, time on the core: %zu lines x %d: median %.1f us, p99 %.1f us, max %.1f us, %.0f lines/s\n", n, ROUNDS,
		       ns[k / 2] / 1e3, ns[k * 99 / 100] / 1e3, ns[k - 1] / 1e3, k * 1e9 / sum);
		bar(ns[k / 2] / 1e3 < MEDIAN_US, "median of a verdict under 60 us");
		bar(ns[k * 99 / 100] / 1e3 < P99_US, "p99 of a verdict under 1 ms");
		bar(k * 1e9 / sum >= LINES_A_SECOND, "10,000 lines a second");
	}
	bar(k, "a corpus to judge");
	for (size_t i = 0; i < n; i++)
		json_free(line[i]);
	free(line);
	free(ns);
}

/* ---- cost against length ---- */

/* @unit is repeated until the line is long enough; @close is written as often as @unit was when it nests. */
static const struct shape {
	const char	*name, *shell, *head, *unit, *tail, *close;
} shapes[] = {
	{ "one long word",	"bash", "echo ", "a", "", NULL },
	{ "many words",		"bash", "echo", " ab", "", NULL },
	{ "commands with ;",	"bash", "", "ls a; ", "ls", NULL },
	{ "pipes",		"bash", "ls", " | cat", "", NULL },
	{ "&& chain",		"bash", "", "ls && ", "ls", NULL },
	{ "nested $(",		"bash", "echo ", "$(echo ", "a", ")" },
	{ "nested (",		"bash", "", "(ls;", "ls", ")" },
	{ "nested {",		"bash", "", "{ ls;", "ls;", " };" },
	{ "quoted string",	"bash", "echo '", "a b ", "'", NULL },
	{ "heredoc",		"bash", "cat <<'EOF'\n", "a line\n", "EOF\n", NULL },
	{ "variables",		"bash", "echo", " \"$HOME\"", "", NULL },
	{ "assignments",	"bash", "", "a=1; ", "ls", NULL },
	{ "globs",		"bash", "ls", " *.c", "", NULL },
	{ "redirections",	"bash", "ls", " 2>&1", "", NULL },
	{ "case",		"bash", "case a in ", "b) ls;; ", "esac", NULL },
	{ "braces",		"bash", "echo {a", ",b", "}", NULL },
	{ "zsh commands",	"zsh", "", "ls a; ", "ls", NULL },
	{ "zsh globs",		"zsh", "ls", " *(.N)", "", NULL },
	{ "PowerShell",		"powershell", "", "Get-Item a; ", "Get-Item b", NULL },
	{ "PowerShell words",	"powershell", "Write-Output", " ab", "", NULL },
	{ "cmd.exe",		"cmd", "", "dir a & ", "dir b", NULL },
	{ "cmd.exe nested",	"cmd", "", "(", "dir", ")" },
};

static const size_t lengths[] = { 10, 100, 1000, 10000, 100000, 1000000 };

static void fill(struct buf *b, const struct shape *s, size_t want)
{
	size_t close = s->close ? strlen(s->close) : 0, unit = strlen(s->unit) + close;
	size_t ends = strlen(s->head) + strlen(s->tail), n = want > ends ? (want - ends) / unit : 0;

	buf_adds(b, s->head);
	for (size_t i = 0; i < n; i++)
		buf_adds(b, s->unit);
	buf_adds(b, s->tail);
	for (size_t i = 0; close && i < n; i++)
		buf_adds(b, s->close);
}

/* The best of a few: what disturbs only ever makes it slower. @rule: of the verdict, for the reader. */
static uint64_t judge_shape(struct judge *j, const struct shape *s, size_t len, char *rule, size_t size)
{
	json *line = json_new_object();
	struct cmdline cl;
	struct err e = { 0 };
	struct buf text;
	uint64_t best = UINT64_MAX;

	buf_init(&text, 2u << 20);
	fill(&text, s, len);
	json_add_str(line, "shell", s->shell);
	json_add_str(line, "cmd", buf_str(&text));
	if (fakeworld_line(line, &cl, &e) < 0) {
		fprintf(stderr, "%s: %s\n", s->name, e.msg);
		exit(1);
	}
	for (int i = 0; i < 3 && (!i || best < 300000000); i++) {
		struct world *w = fakeworld_new(line);
		struct live *l = fakeworld_live(line);
		uint64_t start = cpu_ns();
		struct judgement *g = judge_line(j, &cl, l, w);
		uint64_t ns = cpu_ns() - start;

		best = ns < best ? ns : best;
		snprintf(rule, size, "%s", judgement_verdict(g)->rule);
		judgement_free(g);
		live_free(l);
		fakeworld_free(w);
	}
	json_free(line);
	buf_done(&text);
	return best;
}

static void bench_shape(struct judge *j, const struct shape *s)
{
	double cheapest = 0, worst = 0;
	char rule[64] = "";
	uint64_t ns = 0;

	printf("%-18s", s->name);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		double each;

		if (ns > LENGTH_SLOW_NS) {	/* ten times longer is known to take too long: the bar is missed already */
			printf(" %10s", "-");
			continue;
		}
		ns = judge_shape(j, s, lengths[i], rule, sizeof(rule));
		each = (double)ns / (double)lengths[i];
		if (lengths[i] == LENGTH_BASE)
			cheapest = each;
		else if (lengths[i] > LENGTH_BASE) {
			worst = each / cheapest > worst ? each / cheapest : worst;
			cheapest = each < cheapest ? each : cheapest;
		}
		printf(" %10.1f", ns / 1e3);
		fflush(stdout);
	}
	printf("  x%-5.1f %s\n", worst, rule);
	if (worst > LENGTH_RATIO)
		bar(false, s->name);
}

static void bench_length(struct judge *j)
{
	printf("\nus by length of the line; x: the time per byte against 10 KB, at most %.0f; rule of the longest\n%-18s", LENGTH_RATIO, "");
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		printf(" %8zu B", lengths[i]);
	printf("\n");
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		bench_shape(j, &shapes[i]);
}

/* ---- as a process ---- */

static const struct process {
	const char *argv[5];
} processes[] = {
	{ { "build/sbxterm", "check", "ls", NULL } },
	{ { "build/sbxterm", "--version", NULL } },
	{ { "true", NULL } },
	{ { "bash", "-c", ":", NULL } },
	{ { "git", "--version", NULL } },
};

static uint64_t spawn(const struct process *p)
{
	uint64_t start = io_now_ns();
	pid_t pid = fork();
	int status;

	if (!pid) {
		char *argv[ARRAY_SIZE(p->argv)];
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		memcpy(argv, p->argv, sizeof(argv));	/* exec asks for pointers that may be written */
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		return 0;		/* not there: shown so */
	return io_now_ns() - start;
}

static void bench_process(void)
{
	static uint64_t ns[ARRAY_SIZE(processes)][PROCESS_ROUNDS];
	double check = 0;

	for (int r = 0; r < PROCESS_ROUNDS; r++) {
		for (size_t i = 0; i < ARRAY_SIZE(processes); i++)
			ns[i][r] = spawn(&processes[i]);
	}
	printf("\nas a process, by the clock, median of %d\n", PROCESS_ROUNDS);
	for (size_t i = 0; i < ARRAY_SIZE(processes); i++) {
		const char *const *a = processes[i].argv;
		double ms;

		qsort(ns[i], PROCESS_ROUNDS, sizeof(ns[i][0]), by_time);
		ms = ns[i][PROCESS_ROUNDS / 2] / 1e6;
		check = i ? check : ms;
		if (ms > 0)
			printf("%-14s %-10s %7.2f ms   check takes %.1f times as long\n", a[0], a[1] ? a[1] : "", ms, check / ms);
		else
			printf("%-14s %-10s not there\n", a[0], a[1] ? a[1] : "");
	}
	bar(check > 0 && check < PROCESS_MS, "check as a process under 10 ms");
}

/* One core: what is measured must not be spread or moved. Where it is refused the figures are only noisier. */
static void pin(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		printf("not bound to one core\n");
}

int main(void)
{
	struct conf *conf = NULL;
	struct judge *j = NULL;
	struct err e = { 0 };

	pin();
	if (conf_load(&(struct conf_from){ .datadir = "conf", .home = "/nonexistent" }, &conf, &e) < 0 ||
	    judge_new(conf, "conf", &j, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		conf_free(conf);
		return 1;
	}
	bench_corpus(j);
	bench_process();
	bench_length(j);
	judge_free(j);
	conf_free(conf);
	if (missed)
		printf("%u bars missed\n", missed);
	return missed != 0;
}

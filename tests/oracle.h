/* tests/oracle.h - a real shell is the oracle: what it would run must be what the expander said
 *
 * The machinery that the oracles of all shells share; each is a program of its own, which defines `shell` and
 * calls oracle_main(). Lines go to a shell whose PATH is empty and whose handler for commands that are not found
 * writes down the directory and the words. With bubblewrap it lives in a root that holds nothing but the shell and
 * mkdir, so any line is harmless there; without it only the lines of the table are tried. One shell takes many
 * lines, each in a process of its own; a worker for each processor has its own shell and directory.
 *
 * - Each command that the shell ran must be among those the expander announced: same words where it
 *   said exact, fitting ones where it said pattern or unknown, same directory where it knew it.
 * - Each command that it announced as certain (all words exact, no condition) must have run.
 */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "intercept/expand.h"
#include "tap.h"

#define WORKERS 2

/* What a program that includes this defines. */
struct oracle_shell {
	const char		*name;		/* as the corpus calls it */
	enum dialect		 dialect;
	void			(*exec)(void);	/* in the child: becomes the shell that reads lines from 0, ends with NUL */
	const char		*hello;		/* a line whose answer has "hello" in it */
	void			(*answer)(const char *records);		/* what the answer tells of the shell, or NULL */
	void			(*state)(struct live *live);		/* what the shell is said to have, or NULL */
	const char		*inner;		/* a shell in the box that the lines can start; what it runs is recorded, or NULL */
	const char *const	*recorded;	/* builtins that have a function of their name in the box, then NULL, or NULL */
	const char *const	*corpus;	/* files, then NULL, or NULL */
	size_t			 every;		/* of the corpus when no number of lines is asked for */
	bool			(*unfit)(const json *j, const char *cmd);	/* a line of the corpus is not for it, or NULL */
	void			(*gen)(struct buf *out, uint64_t seed, uint64_t i);
	size_t			 generated;	/* lines when no number is asked for */
	const char *const	*lines;
	size_t			 nlines;
};

static const struct oracle_shell shell;

static char root[64];		/* the throwaway directory; /proj for the shell when there is bubblewrap */
static const char *proj;	/* what the shell sees it as */
static char passwd[80];		/* so that ~dev is known in the box */
static bool boxed;

/* ---- the world: the throwaway directory and nothing else ------------------------------- */

static const char *on_disk(const char *path)
{
	static char out[4096];
	size_t n = strlen(proj);

	if (strncmp(path, proj, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	snprintf(out, sizeof(out), "%s%s", root, path + n);
	return out;
}

static enum world_type world_type_(void *arg, const char *path)
{
	const char *p = on_disk(path);
	struct stat st;

	(void)arg;
	if (!p)
		return WORLD_UNKNOWN;
	if (lstat(p, &st) < 0)
		return WORLD_ABSENT;
	return S_ISDIR(st.st_mode) ? WORLD_DIR : S_ISLNK(st.st_mode) ? WORLD_LINK : WORLD_FILE;
}

static int world_link(void *arg, const char *path, struct buf *out)
{
	const char *p = on_disk(path);
	char to[4096];
	ssize_t n = p ? readlink(p, to, sizeof(to)) : -1;

	(void)arg;
	return n < 0 ? -1 : buf_add(out, to, (size_t)n);
}

static int world_list(void *arg, const char *dir, world_name_fn *fn, void *fnarg)
{
	const char *p = on_disk(dir);
	DIR *d = p ? opendir(p) : NULL;
	struct dirent *e;

	(void)arg;
	if (!d)
		return -1;
	while ((e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !fn(fnarg, e->d_name))
			break;
	}
	closedir(d);
	return 0;
}

static const char *world_none(void *arg, const char *path)
{
	(void)arg;
	(void)path;
	return NULL;
}

static const struct world world = { .type = world_type_, .link = world_link, .list = world_list,
				    .git_root = world_none, .git_branch = world_none };

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	if (ftw->level)
		remove(path);
	return 0;
}

static const char *const dirs[] = { ".", "src", "src/deep", "build", "with space", "$HOME" };
static const char *const files[] = { "a.txt", "b.txt", ".hidden", "src/main.c", "src/util.c", "src/deep/x.h",
				     "build/out.o", "with space/f 1", "star*name", "$HOME/x", "Makefile" };
static struct timespec changed[ARRAY_SIZE(dirs)];

static struct timespec changed_at(const char *dir)
{
	char path[256];
	struct stat st = { 0 };

	snprintf(path, sizeof(path), "%s/%s", root, dir);
	(void)stat(path, &st);		/* one that is missing was never changed */
	return st.st_mtim;
}

static bool is_fresh(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		struct timespec t = changed_at(dirs[i]);

		if (!t.tv_sec || t.tv_sec != changed[i].tv_sec || t.tv_nsec != changed[i].tv_nsec)
			return false;
	}
	return true;
}

static void put_file(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (fd >= 0)
		close(fd);
}

static void put_dir(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	mkdir(path, 0755);
}

/* Names are all that counts, and a directory's time tells when they changed: few lines do that. */
static void fresh_files(void)
{
	if (is_fresh())
		return;
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	for (size_t i = 1; i < ARRAY_SIZE(dirs); i++)
		put_dir(dirs[i]);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		put_file(files[i]);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		changed[i] = changed_at(dirs[i]);
}

/* ---- the shell ----------------------------------------------------------------------------- */

static int to_shell = -1, from_shell = -1;
static pid_t shell_pid;

static void start_shell(void)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return;
	shell_pid = fork();
	if (shell_pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		shell.exec();
	}
	close(in[0]);
	close(out[1]);
	to_shell = in[1];
	from_shell = out[0];
}

static void stop_shell(void)
{
	if (to_shell >= 0)
		close(to_shell);
	if (from_shell >= 0)
		close(from_shell);
	kill(shell_pid, SIGKILL);
	waitpid(shell_pid, NULL, 0);
	to_shell = from_shell = -1;
}

/* Run one line; the records into @out. -1: the shell is gone or hangs. */
static int ask_shell(const char *line, struct buf *out)
{
	buf_clear(out);
	if (io_write_all(to_shell, line, strlen(line) + 1) < 0)
		return -1;
	for (;;) {
		struct pollfd p = { .fd = from_shell, .events = POLLIN };
		char chunk[4096];
		ssize_t n;

		if (poll(&p, 1, 8000) <= 0)
			return -1;
		n = read(from_shell, chunk, sizeof(chunk));
		if (n <= 0 || buf_add(out, chunk, (size_t)n) < 0)
			return -1;
		if (chunk[n - 1] == '\0')
			return 0;
	}
}

/* ---- what the expander says ----------------------------------------------------------- */

#define MAX_CMDS 512

struct said {
	struct expand		*x;
	const struct simple	*cmd[MAX_CMDS];
	bool			 missing[MAX_CMDS];	/* certain, and the shell did not run it */
	size_t			 n;
	const char		*skip;		/* why there is nothing to compare */
};

static const char *exact(const struct simple *s, size_t i)
{
	return i < s->argc && s->argv[i].kind == WORD_EXACT ? s->argv[i].text : NULL;
}

/* As the judge does: eval's text is walked too. */
static int on_simple(void *arg, const struct simple *s)
{
	struct said *said = arg;
	const char *name = exact(s, 0);
	char text[8192] = "";

	if (said->n < MAX_CMDS)
		said->cmd[said->n++] = s;
	if (!name)
		return 0;
	if (strcmp(name, "trap") == 0)
		said->skip = "trap: its text runs when its time has come";
	if (shell.inner && strcmp(name, shell.inner) == 0 && s->argc > 2 && exact(s, 1) && strcmp(exact(s, 1), "-c") == 0 && exact(s, 2))
		return expand_nested(said->x, s, exact(s, 2), strlen(exact(s, 2)), s->span, true, s->argv + 3, s->argc - 3);
	if (strcmp(name, "eval") != 0)
		return 0;
	for (size_t i = 1; i < s->argc; i++) {
		if (!exact(s, i)) {
			said->skip = "eval of what is not known";	/* the judge asks */
			return 0;
		}
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 1 ? " " : "", exact(s, i));
	}
	return expand_nested(said->x, s, text, strlen(text), s->span, false, NULL, 0);
}

static bool word_fits(const struct word *w, const char *s)
{
	size_t n = strlen(s), p, q;

	if (w->kind == WORD_EXACT)
		return strcmp(w->text, s) == 0;
	if (w->kind == WORD_PATTERN)
		return true;
	p = strlen(w->prefix);
	q = strlen(w->suffix);
	return n >= p && n >= q && strncmp(s, w->prefix, p) == 0 && strcmp(s + n - q, w->suffix) == 0;
}

static bool words_fit(const struct word *w, size_t nw, char **argv, size_t argc)
{
	if (!nw)
		return argc == 0;
	if (w->kind == WORD_PATTERN || (w->kind == WORD_UNKNOWN && (w->many || w->glob))) {
		for (size_t k = 0; k <= argc; k++) {
			if (words_fit(w + 1, nw - 1, argv + k, argc - k))
				return true;
		}
		return false;
	}
	return argc && word_fits(w, argv[0]) && words_fit(w + 1, nw - 1, argv + 1, argc - 1);
}

static bool command_fits(const struct simple *s, char **rec, size_t n)
{
	const struct word *w = s->argv;
	size_t nw = s->argc;

	while (nw > 1 && w->kind == WORD_EXACT && (strcmp(w->text, "command") == 0 || strcmp(w->text, "builtin") == 0)) {
		w++;
		nw--;
		if (w->kind == WORD_EXACT && (strcmp(w->text, "-p") == 0 || strcmp(w->text, "--") == 0)) {
			w++;
			nw--;
		}
	}
	if (s->cwd && strcmp(s->cwd, rec[0]) != 0)
		return false;
	return words_fit(w, nw, rec + 1, n - 1);
}

/* ---- comparing ------------------------------------------------------------------------ */

struct record {
	char	*word[256];
	size_t	 n;
	bool	 hit;
};

static struct record recs[MAX_CMDS];

static size_t split_records(char *s)
{
	/* the shell writes line by line, so a record has none inside: the handler put these for them */
	for (char *c = s; (c = strchr(c, '\3')); )
		*c = '\n';
	size_t n = 0;

	while (*s && n < MAX_CMDS) {
		char *end = strchr(s, '\2');
		struct record *r = &recs[n++];

		*r = (struct record){ 0 };
		if (!end)
			break;
		*end = '\0';
		while (*s && r->n < ARRAY_SIZE(r->word)) {
			char *one = strchr(s, '\1');

			if (!one)
				break;
			*one = '\0';
			r->word[r->n++] = s;
			s = one + 1;
		}
		s = end + 1;
	}
	return n;
}

static bool is_recorded(const struct simple *s)
{
	const char *name = exact(s, 0);

	for (size_t i = 0; name && shell.recorded && shell.recorded[i]; i++) {
		if (strcmp(name, shell.recorded[i]) == 0)
			return true;
	}
	return false;
}

static bool is_certain(const struct simple *s)
{
	unsigned maybe = SIMPLE_CONDITIONAL | SIMPLE_LOOP | SIMPLE_DEFINED | SIMPLE_NOT_RUN | SIMPLE_BUILTIN |
			 SIMPLE_RECURSES | SIMPLE_BACKGROUND | SIMPLE_SOMEWHERE;

	if (is_recorded(s))
		maybe &= ~(unsigned)SIMPLE_BUILTIN;
	if (!s->argc || s->flags & maybe || s->nredir || (exact(s, 0) && strchr(exact(s, 0), '/')))
		return false;
	for (size_t i = 0; i < s->argc; i++) {
		if (s->argv[i].kind != WORD_EXACT)
			return false;
	}
	return *s->argv[0].text;
}

static void describe(const struct said *said, size_t nrec)
{
	for (size_t i = 0; i < nrec; i++) {
		printf("#  %s%s ran in %s:", recs[i].hit ? "" : "NOT SAID ", shell.name, recs[i].n ? recs[i].word[0] : "?");
		for (size_t k = 1; k < recs[i].n; k++)
			printf(" <%s>", recs[i].word[k]);
		printf("\n");
	}
	for (size_t i = 0; i < said->n; i++) {
		const struct simple *s = said->cmd[i];

		printf("#  %ssaid in %s:", said->missing[i] ? "NOT RUN " : "", s->cwd ? s->cwd : "?");
		for (size_t k = 0; k < s->argc; k++)
			printf(s->argv[k].kind == WORD_EXACT ? " <%s>" : " ?<%s>",
			       s->argv[k].text ? s->argv[k].text : s->argv[k].prefix);
		printf("\n");
	}
}

static bool agree(struct said *said, size_t nrec)
{
	bool good = true;

	for (size_t r = 0; r < nrec; r++) {
		for (size_t i = 0; i < said->n && !recs[r].hit; i++)
			recs[r].hit = recs[r].n > 1 && command_fits(said->cmd[i], recs[r].word, recs[r].n);
		/* a path is not for the handler: the shell says that there is no such file */
		good &= recs[r].hit || recs[r].n < 2;
	}
	for (size_t i = 0; i < said->n; i++) {
		bool ran = !is_certain(said->cmd[i]);

		for (size_t r = 0; r < nrec && !ran; r++)
			ran = command_fits(said->cmd[i], recs[r].word, recs[r].n);
		said->missing[i] = !ran;
		good &= ran;
	}
	return good;
}

/* ORACLE_KEEP=FILE: lines that differ are added to it, each with a NUL, for ORACLE_FILE=FILE later. */
static void keep(const char *text)
{
	const char *path = getenv("ORACLE_KEEP");
	int fd = path && *path ? open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644) : -1;

	if (fd < 0)
		return;
	if (io_write_all(fd, text, strlen(text) + 1) < 0)
		printf("# not kept\n");
	close(fd);
}

static void report(const char *text, const struct said *said, size_t nrec)
{
	printf("# differs: %s\n", text);
	describe(said, nrec);
	fflush(stdout);			/* workers share it: one write for each */
	keep(text);
}

static struct tally {
	size_t	tried, good, skipped, gaps, exact_words, all_words;
} tally;

static void count_words(const struct said *said)
{
	for (size_t i = 0; i < said->n; i++) {
		for (size_t k = 0; k < said->cmd[i]->argc; k++) {
			tally.all_words++;
			tally.exact_words += said->cmd[i]->argv[k].kind == WORD_EXACT;
		}
	}
}

static void try_line(const char *text)
{
	struct cmdline line = { .text = text, .len = strlen(text), .cwd = proj, .workspace = proj, .home = "/home/dev",
				.user = "dev", .dialect = shell.dialect };
	struct said said = { 0 };
	struct arena a;
	struct live *live = live_new();
	struct expand_in in = { .line = &line, .live = live, .world = &world, .arena = &a, .fn = on_simple, .arg = &said };
	const struct expand_gap *gap;
	CLEANUP(buf_done) struct buf out = { .max = 4u << 20 };

	arena_init(&a, 32u << 20);
	for (int k = 0; k < LIVE_KIND_COUNT; k++)
		live_set_complete(live, (enum live_kind)k, true);
	live_set(live, LIVE_VAR, "PATH", "/nonexistent");
	live_set(live, LIVE_VAR, "LC_ALL", "C.UTF-8");
	if (shell.state)
		shell.state(live);
	fresh_files();
	said.x = expand_new(&in);
	expand_line(said.x);
	if (expand_gaps(said.x, &gap))
		said.skip = "a gap: it is asked";
	if (said.skip) {
		tally.skipped++;
		tally.gaps += said.skip[0] == 'a';
		if (getenv("ORACLE_SKIPPED"))
			printf("# skipped (%s): %s\n", said.skip[0] == 'a' ? gap->why : said.skip, text);
	} else if (ask_shell(text, &out) < 0) {
		tally.tried++;
		printf("# no answer: %s\n", text);
		stop_shell();
		start_shell();
	} else {
		size_t n = split_records(out.data);
		bool good = agree(&said, n);

		tally.tried++;
		tally.good += good;
		if (!good)
			report(text, &said, n);
		count_words(&said);
	}
	arena_done(&a);
	live_free(live);
}

/* ---- lines ---------------------------------------------------------------------------- */

static size_t unfit_lines;

static bool is_fit(const json *j, const char *cmd)
{
	bool is = !shell.unfit || !shell.unfit(j, cmd);

	unfit_lines += !is;
	return is;
}

struct lines {
	char	**line;
	size_t	 n, cap;
};

static void add_line(struct lines *l, const char *text)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 4096;
		l->line = xrealloc(l->line, l->cap, sizeof(*l->line));
	}
	l->line[l->n++] = xstrdup(text);
}

static void add_corpus(struct lines *l, const char *file, size_t every)
{
	CLEANUP(buf_done) struct buf text = { .max = 16u << 20 };
	size_t seen = 0;
	struct err e;

	if (io_slurp(file, &text, &e) < 0) {
		printf("# no corpus: %s\n", e.msg);
		return;
	}
	for (char *s = text.data, *nl; (nl = strchr(s, '\n')); s = nl + 1) {
		json *j = json_parse(s, (size_t)(nl - s), NULL, &e);
		const char *cmd = j ? json_str(j, "cmd", "") : "";

		if (j && strcmp(json_str(j, "shell", ""), shell.name) == 0 && is_fit(j, cmd) && seen++ % every == 0)
			add_line(l, cmd);
		json_free(j);
	}
}

static void add_generated(struct lines *l, size_t n, uint64_t seed)
{
	CLEANUP(buf_done) struct buf out = { .max = 65536 };

	for (size_t i = 0; i < n; i++) {
		shell.gen(&out, seed, i);
		add_line(l, buf_str(&out));
	}
}

/* Lines of a file, each ended by a NUL. */
static void add_file(struct lines *l, const char *path)
{
	CLEANUP(buf_done) struct buf text = { .max = 64u << 20 };
	struct err e;

	if (io_slurp(path, &text, &e) < 0) {
		printf("# %s\n", e.msg);
		return;
	}
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		add_line(l, text.data + at);
}

static size_t number(const char *name, size_t otherwise)
{
	const char *s = getenv(name);

	return s && *s ? strtoul(s, NULL, 10) : otherwise;
}

static int put_passwd(void)
{
	char line[128];
	int fd;

	snprintf(passwd, sizeof(passwd), "%s.passwd", root);
	fd = open(passwd, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
	snprintf(line, sizeof(line), "dev:x:%u:%u::/home/dev:/bin/bash\n", (unsigned)getuid(), (unsigned)getgid());
	if (fd < 0 || io_write_all(fd, line, strlen(line)) < 0)
		return -1;
	return close(fd);
}

static bool have_bwrap(void)
{
	CLEANUP(buf_done) struct buf out = { .max = 4096 };
	bool good;

	boxed = true;
	proj = "/proj";
	start_shell();
	good = ask_shell(shell.hello, &out) == 0 && strstr(buf_str(&out), "hello");
	if (good && shell.answer)
		shell.answer(buf_str(&out));
	if (!good)
		stop_shell();
	boxed = good;
	return good;
}

static int set_up(void)
{
	snprintf(root, sizeof(root), "/tmp/oracle.XXXXXX");
	return mkdtemp(root) && put_passwd() == 0 ? 0 : -1;
}

static void clean_up(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	rmdir(root);
	unlink(passwd);
}

/* Every WORKERS-th line from @first on; the tally goes to @fd. */
static void work(const struct lines *l, size_t first, int fd)
{
	if (set_up() < 0)
		_exit(1);
	proj = boxed ? "/proj" : root;
	start_shell();
	fresh_files();
	for (size_t i = first; i < l->n; i += WORKERS)
		try_line(l->line[i]);
	stop_shell();
	clean_up();
	fflush(stdout);
	_exit(io_write_all(fd, &tally, sizeof(tally)) < 0);
}

static void add_up(int fd)
{
	struct tally t;

	if (!ok(read(fd, &t, sizeof(t)) == (ssize_t)sizeof(t), "a worker came to its end"))
		return;
	tally.tried += t.tried;
	tally.good += t.good;
	tally.skipped += t.skipped;
	tally.gaps += t.gaps;
	tally.exact_words += t.exact_words;
	tally.all_words += t.all_words;
}

static void work_all(const struct lines *l)
{
	int fd[WORKERS][2];

	for (size_t i = 0; i < WORKERS; i++) {
		if (pipe2(fd[i], O_CLOEXEC) < 0)
			return;
		if (fork() == 0)
			work(l, i, fd[i][1]);
		close(fd[i][1]);
	}
	for (size_t i = 0; i < WORKERS; i++)
		add_up(fd[i][0]);
	while (wait(NULL) > 0)
		;
}

static int oracle_main(void)
{
	size_t n = number("ORACLE_LINES", 0), seed = number("ORACLE_SEED", 1);
	const char *file = getenv("ORACLE_FILE");
	struct lines lines = { 0 };

	setvbuf(stdout, NULL, _IOFBF, 1u << 16);
	signal(SIGPIPE, SIG_IGN);
	if (set_up() < 0)
		return 1;
	if (have_bwrap() && file) {
		stop_shell();
		add_file(&lines, file);
	} else if (boxed) {
		stop_shell();
		for (size_t i = 0; shell.corpus && shell.corpus[i]; i++)
			add_corpus(&lines, shell.corpus[i], n ? 1 : shell.every);
		add_generated(&lines, n ? n : shell.generated, seed);
	} else {
		printf("# no bubblewrap here: only the harmless lines\n");
	}
	clean_up();
	for (size_t i = 0; !file && i < shell.nlines; i++)
		add_line(&lines, shell.lines[i]);
	fflush(stdout);
	work_all(&lines);
	for (size_t i = 0; i < tally.tried; i++)
		ok(i < tally.good, "a line where the shell did what was not said, see above");
	ok(tally.skipped * 5 < lines.n, "most lines are tried");
	printf("# %zu lines, %zu compared, %zu not: %zu that the judge asks about for what they are, %zu with trap or eval; "
	       "%zu of the corpus never end; %zu of %zu words exact\n", lines.n, tally.tried, tally.skipped, tally.gaps,
	       tally.skipped - tally.gaps, unfit_lines, tally.exact_words, tally.all_words);
	for (size_t i = 0; i < lines.n; i++)
		free(lines.line[i]);
	free(lines.line);
	return tap_done();
}

#endif /* TESTS_ORACLE_H */

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit.h"
#include "base/io.h"
#include "base/json.h"
#include "tap.h"

static char dir[64] = "/tmp/sbxterm-audit-XXXXXX", path[128];
static const struct audit_who who = { .session = "s", .pane = "0", .source = "pane", .profile = "default" };

static json *record_at(size_t n)
{
	struct buf b;
	char *line, *save = NULL;
	json *j = NULL;

	buf_init(&b, 32u << 20);
	io_slurp(path, &b, NULL);
	line = b.data ? strtok_r(b.data, "\n", &save) : NULL;
	while (line && n--)
		line = strtok_r(NULL, "\n", &save);
	if (line)
		j = json_parse(line, strlen(line), NULL, NULL);
	buf_done(&b);
	return j;
}

static int decide(struct audit *a, const char *text, uint64_t *seq, struct err *e)
{
	const struct word words[] = {
		{ .kind = WORD_EXACT, .text = "rm" }, { .kind = WORD_PATTERN, .text = "*.o" },
		{ .kind = WORD_UNKNOWN, .prefix = "/tmp/", .suffix = "", .why = "output of date" },
	};
	const struct simple cmd = { .argv = words, .argc = 3 };
	const struct simple *const cmds[] = { &cmd };
	const struct verdict v = { .action = ACTION_ASK, .rule = "fs.delete", .reason = "deletes \"things\"",
				   .cmd = cmds, .ncmd = 1 };
	const struct cmdline line = { .text = text, .len = strlen(text), .cwd = "/w", .workspace = "/w" };
	const struct audit_decision d = { .line = &line, .verdict = &v, .answer = "run", .by = "person" };

	return audit_decision(a, &who, &d, seq, e);
}

static void test_records(void)
{
	const struct audit_outcome o = { .decision = 1, .exit = 130, .signal = 2, .duration_ms = 5 };
	struct audit *a = NULL;
	struct err e;
	uint64_t seq = 0;
	struct stat st;
	const json *cmd;
	json *j;

	is_int(audit_open(path, &a, &e), 0, "open makes directory and file");
	is_int(decide(a, "rm *.o\n\033[2J \xff", &seq, &e), 0, "decision");
	is_int(seq, 1, "the first number");
	is_int(audit_outcome(a, &who, &o, &e), 0, "outcome");
	stat(path, &st);
	is_int(st.st_mode & 07777, 0600, "mode of the file");
	j = record_at(0);
	is_str(json_str(j, "type", ""), "decision", "type");
	is_str(json_str(j, "line", ""), "rm *.o\n\033[2J \xef\xbf\xbd", "all lines, bytes that are no text marked");
	is_str(json_str(j, "verdict", ""), "ask", "verdict");
	is_str(json_str(j, "answer", ""), "run", "answer");
	cmd = json_first(json_get(j, "expanded"));
	is_str(json_text(json_first(cmd)), "rm", "a word");
	is_str(json_str(json_next(json_first(cmd)), "pattern", ""), "*.o", "a pattern");
	is_str(json_str(json_next(json_next(json_first(cmd))), "unknown", ""), "output of date", "why unknown");
	json_free(j);
	j = record_at(1);
	is_int(json_num(j, "seq", 0), 2, "the next number");
	is_int(json_num(j, "decision", 0), 1, "which decision");
	is_int(json_num(j, "signal", 0), 2, "signal");
	json_free(j);
	audit_close(a);
}

static void test_goes_on(void)
{
	struct audit *a = NULL, *b = NULL;
	struct err e;
	uint64_t seq;
	int fd;

	audit_open(path, &a, &e);
	audit_open(path, &b, &e);
	decide(a, "one", &seq, &e);
	is_int(seq, 3, "goes on from the last record of the file");
	decide(b, "two", &seq, &e);
	is_int(seq, 4, "also where another process wrote it");
	decide(a, "three", &seq, &e);
	is_int(seq, 5, "and back");
	fd = open(path, O_WRONLY | O_APPEND);
	ok(write(fd, "{\"seq\":6,\"to", 12) == 12, "a torn record");
	close(fd);
	decide(b, "four", &seq, &e);
	is_int(seq, 6, "its number is free again");
	audit_close(a);
	audit_close(b);
}

static void writer(int n)
{
	struct audit *a = NULL;
	struct err e;

	if (audit_open(path, &a, &e) < 0)
		_exit(1);
	for (int i = 0; i < n; i++) {
		if (decide(a, "together", NULL, &e) < 0)
			_exit(1);
	}
	_exit(0);
}

static void test_together(void)
{
	struct buf b;
	unsigned long long want = 0;
	bool in_order = true;
	int lines = 0;

	unlink(path);
	for (int i = 0; i < 4; i++) {
		if (fork() == 0)
			writer(50);
	}
	for (int i = 0, st = 1; i < 4; i++)
		ok(wait(&st) > 0 && st == 0, "a writer");
	buf_init(&b, 32u << 20);
	io_slurp(path, &b, NULL);
	for (char *p = b.data; p && *p; p = strchr(p, '\n') + 1, lines++)
		in_order &= strncmp(p, "{\"seq\":", 7) == 0 && strtoull(p + 7, NULL, 10) == ++want;
	is_int(lines, 200, "every record is there");
	ok(in_order, "numbered without gap or double");
	buf_done(&b);
}

static void test_refused(void)
{
	char link[160], sub[160], in_sub[176];
	struct audit *a = NULL;
	struct err e;

	snprintf(link, sizeof(link), "%s/link.jsonl", dir);
	ok(symlink(path, link) == 0, "a symbolic link");
	is_int(audit_open(link, &a, &e), -1, "as the file");
	snprintf(sub, sizeof(sub), "%s/open", dir);
	mkdir(sub, 0700);
	chmod(sub, 0777);
	snprintf(in_sub, sizeof(in_sub), "%s/a.jsonl", sub);
	is_int(audit_open(in_sub, &a, &e), -1, "a directory that all can write");
	is_int(audit_open("relative.jsonl", &a, &e), -1, "a relative name");
	is_int(audit_open(dir, &a, &e), -1, "a directory as the file");
	snprintf(link, sizeof(link), "%s/hard.jsonl", dir);
	unlink(link);
	ok(linkat(AT_FDCWD, path, AT_FDCWD, link, 0) == 0, "a second name");
	is_int(audit_open(path, &a, &e), -1, "a file with two names");
	unlink(link);
}

/* A full disk, as far as a test can have one: no file may grow past this size. */
static void test_full(void)
{
	struct rlimit old, small;
	struct stat before, after;
	struct audit *a = NULL;
	struct err e = { 0 };

	signal(SIGXFSZ, SIG_IGN);
	audit_open(path, &a, &e);
	stat(path, &before);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = (rlim_t)before.st_size + 20;
	setrlimit(RLIMIT_FSIZE, &small);
	is_int(decide(a, "cannot be written", NULL, &e), -1, "a record that does not fit");
	ok(strstr(e.msg, "audit log") != NULL, "says what failed");
	setrlimit(RLIMIT_FSIZE, &old);
	stat(path, &after);
	is_int(after.st_size, before.st_size, "leaves no half record");
	is_int(decide(a, "room again", NULL, &e), 0, "and goes on when there is room");
	audit_close(a);
}

int main(void)
{
	char cmd[256];

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/state/sbxterm/audit.jsonl", dir);
	test_records();
	test_goes_on();
	test_together();
	test_refused();
	test_full();
	snprintf(cmd, sizeof(cmd), "rm -r '%s'", dir);
	return system(cmd) != 0 || tap_done();
}

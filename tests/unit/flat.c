/* tests/unit/flat.c - judging keeps no memory: as many bytes are in use after the last line as after the warm-up
 *
 * Counted by the allocator, not by time. Under a sanitizer the allocator's count is not there (mallinfo2() says 0 or
 * stays still) and the leak check at exit says the same thing.
 * FLAT_LINES=1000000 is the long run.
 */
#include <malloc.h>
#include <stdlib.h>

#include "conf/conf.h"
#include "intercept/fakeworld.h"
#include "intercept/judge.h"
#include "tap.h"

#define LINES	20000
#define SLACK	4096	/* stdio and the allocator's own lists; 20,000 lines that lose one byte each are above it */

static const char *const questions[] = {
	"{\"cmd\":\"ls -la | grep x; cat < a > /tmp/b\"}",
	"{\"cmd\":\"rm -rf \\\"$HOME\\\"/x && git push --force origin main\"}",
	"{\"cmd\":\"for f in *.c; do echo \\\"${f%.c}\\\" $((1+2)); done\"}",
	"{\"cmd\":\"python3 -c 'import os; os.remove(\\\"a\\\")'\"}",
	"{\"cmd\":\"cat <<EOF | sh\\nrm a\\nEOF\"}",
	"{\"cmd\":\"sudo bash -c \\\"env X=1 find . -exec rm {} +\\\"\"}",
	"{\"cmd\":\"echo 'never closed\"}",
	"{\"cmd\":\"print -l *(.N) ${(s:,:)x}\",\"shell\":\"zsh\"}",
	"{\"cmd\":\"Get-ChildItem | Remove-Item -Recurse\",\"shell\":\"powershell\"}",
	"{\"cmd\":\"if exist a (del /q a) else dir %X%\",\"shell\":\"cmd\"}",
};

static void judge_all(struct judge *j, unsigned long lines)
{
	for (unsigned long i = 0; i < lines; i++) {
		const char *text = questions[i % (sizeof(questions) / sizeof(questions[0]))];
		struct err e = { 0 };
		struct cmdline cl;
		json *line = json_parse(text, strlen(text), NULL, &e);
		struct world *w;
		struct live *l;

		if (!line || fakeworld_line(line, &cl, &e) < 0) {
			ok(false, e.msg);
			json_free(line);
			return;
		}
		w = fakeworld_new(line);
		l = fakeworld_live(line);
		judgement_free(judge_line(j, &cl, l, w));
		live_free(l);
		fakeworld_free(w);
		json_free(line);
	}
}

int main(void)
{
	const char *n = getenv("FLAT_LINES");
	unsigned long lines = n ? strtoul(n, NULL, 10) : LINES;
	struct conf *conf = NULL;
	struct judge *j = NULL;
	struct err e = { 0 };
	size_t before, after;

	if (conf_load(&(struct conf_from){ .datadir = "conf", .home = "/nonexistent" }, &conf, &e) < 0 ||
	    judge_new(conf, "conf", &j, &e) < 0) {
		ok(false, e.msg);
		conf_free(conf);
		return tap_done();
	}
	judge_all(j, 1000);
	before = mallinfo2().uordblks;
	judge_all(j, lines);
	after = mallinfo2().uordblks;
	if (!ok(after <= before + SLACK, "no memory stays in use after a line is judged"))
		printf("#   %zu bytes before, %zu after %lu lines\n", before, after, lines);
	judge_free(j);
	conf_free(conf);
	return tap_done();
}

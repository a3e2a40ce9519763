/* tests/unit/programs.c - the data files: they load, their examples hold, mistakes have a place */
#include "judge_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intercept/programs.h"

static void examples(struct bench *b)
{
	const struct programs *p = judge_programs(b->judge);
	const char *file, *line, *want;
	size_t n = 0;

	for (; programs_example(p, n, &file, &line, &want); n++) {
		const struct verdict *v = bench_judge(b, line, NULL);

		if (!ok(!strcmp(action_name[v->action], want), line))
			printf("#   %s: got %s (%s: %s), want %s\n", file, action_name[v->action], v->rule, v->reason, want);
	}
	ok(n > 200, "there are examples");
	ok(programs_count(p) >= 400, "at least 400 programs are known");
}

static const struct { const char *text, *message; } bad[] = {
	{ "{\"programs\":{\"x\":{\"does\":\"explode now\"}}}", "unknown verb" },
	{ "{\"programs\":{\"x\":{\"operands\":[\"read*\",\"write*\"]}}}", "only one operand" },
	{ "{\"programs\":{\"x\":{\"does\":\"[!=] publish y\"}}}", "bad condition" },
	{ "{\"programs\":{\"x\":{\"colour\":\"red\"}}}", ":1:" },
	{ "{\"programs\":{\"x\":{}, \"y x\":{}}}", "twice" },
	{ "{\"programs\":[]}", ":1:" },
	{ "{", ":1:" },
};

static void mistakes(void)
{
	char dir[] = "/tmp/programs-test-XXXXXX", path[64];

	if (!ok(mkdtemp(dir) != NULL, "a directory"))
		return;
	snprintf(path, sizeof(path), "%s/x.json", dir);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		FILE *f = fopen(path, "w");
		struct programs *p = NULL;
		struct err e = { 0 };

		if (!ok(f != NULL, path))
			return;
		fputs(bad[i].text, f);
		fclose(f);
		if (ok(programs_load(dir, "conf/schema/program.schema.json", &p, &e) < 0, bad[i].text) &&
		    !ok(strstr(e.msg, bad[i].message) != NULL, bad[i].message))
			printf("#   said: %s\n", e.msg);
		programs_free(p);
	}
	unlink(path);
	rmdir(dir);
	ok(programs_load("/nonexistent", NULL, &(struct programs *){ NULL }, NULL) < 0, "a missing directory is a mistake");
}

int main(void)
{
	struct bench b;

	if (bench_init(&b))
		examples(&b);
	bench_done(&b);
	mistakes();
	return tap_done();
}

/* tests/unit/judge.c - bounds, dialects, explanation, script files */
#include "judge_help.h"

#include "intercept/explain.h"

#include <stdlib.h>

static char *repeat(const char *s, size_t n, const char *tail)
{
	struct buf b;

	buf_init(&b, 64u << 20);
	for (size_t i = 0; i < n; i++)
		buf_adds(&b, s);
	buf_adds(&b, tail);
	return buf_steal(&b);
}

static void bounds(struct bench *b)
{
	char *many = repeat("true; ", 5000, "rm -rf /"), *deep = repeat("( ", 3000, "ls"), *args = repeat("x ", 30000, ""),
	     *huge = repeat("echo aaaaaaaaaaaaaaaa; ", 60000, "ls"), *wrap = repeat("env ", 400, "rm -rf /");
	char *ls = xasprintf("ls %s", args);

	is_int(bench_judge(b, many, NULL)->action, ACTION_DENY, "a deny behind thousands of no-ops");
	is_int(bench_judge(b, deep, NULL)->action, ACTION_ASK, "nesting past the bound is asked");
	is_int(bench_judge(b, ls, NULL)->action, ACTION_ALLOW, "many words");
	is_str(bench_judge(b, huge, NULL)->rule, "parse.too-big", "past the longest line");
	ok(bench_judge(b, wrap, NULL)->action != ACTION_ALLOW, "wrappers past the bound are not allowed");
	free(many);
	free(deep);
	free(args);
	free(ls);
	free(huge);
	free(wrap);
}

static void scripts(struct bench *b)
{
	static const char world[] = "{\"content\":{\"bad.sh\":\"#!/bin/sh\\nrm -rf \\\"$1\\\"\\n\",\"bad.py\":\"import shutil\\nshutil.rmtree('/')\\n\","
				    "\"good.sh\":\"ls\\n\",\"run\":\"#!/usr/bin/env python3\\nimport os\\nos.system('rm -rf ~')\\n\"}}";

	is_int(bench_judge(b, "bash bad.sh /", world)->action, ACTION_DENY, "a script is read with its arguments");
	is_int(bench_judge(b, "bash good.sh", world)->action, ACTION_ALLOW, "a harmless script");
	is_int(bench_judge(b, "python3 bad.py", world)->action, ACTION_DENY, "a Python file");
	is_int(bench_judge(b, "./run", world)->action, ACTION_DENY, "by its first line");
	is_int(bench_judge(b, "source good.sh", world)->action, ACTION_ALLOW, "source");
}

static void dialects(struct bench *b)
{
	is_int(bench_judge(b, "ls *(e:'rm -rf ~':)", "{\"shell\":\"zsh\"}")->action, ACTION_ASK, "code in a zsh qualifier");
	is_int(bench_judge(b, "echo \"open", NULL)->incomplete, true, "an open quote is not finished");
}

static void explain(struct bench *b)
{
	char *text;

	bench_judge(b, "cd src && rm -rf \"$X/etc\"", NULL);
	text = judge_explain(b->judge, &b->line, b->g, 90);
	ok(strstr(text, "deny") && strstr(text, "/etc") && strstr(text, "effects, ") && strstr(text, "tree\n"), "every stage is there");
	ok(!strstr(text, "microseconds") && !judgement_stages(b->g), "nothing is measured where nobody asks");
	free(text);
	judge_time(b->judge, true);
	bench_judge(b, "echo a | tee b; bash -c 'rm -rf /'; echo $'\\e[31m' \"\033[0m\"", NULL);
	judge_time(b->judge, false);
	for (int i = STAGE_PARSE; i < STAGE_COUNT; i++)
		ok(judgement_stages(b->g)->ns[i] > 0, stage_name[i]);
	text = judge_explain(b->judge, &b->line, b->g, 40);
	for (int i = STAGE_PARSE; i < STAGE_COUNT; i++)
		ok(strstr(text, stage_name[i]) != NULL, stage_name[i]);
	ok(!strchr(text, '\033') && strstr(text, "\\e[31m"), "what would move the cursor is shown, not sent");
	free(text);
}

int main(void)
{
	struct bench b;

	if (bench_init(&b)) {
		bounds(&b);
		scripts(&b);
		dialects(&b);
		explain(&b);
	}
	bench_done(&b);
	return tap_done();
}

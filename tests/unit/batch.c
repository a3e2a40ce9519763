/* tests/unit/batch.c - many lines in, one answer each, in order */
#include "tap.h"

#include <stdlib.h>

#include "base/json.h"
#include "batch.h"
#include "conf/conf.h"

static struct judge *judge;

/* What is answered on @text, one object a line; the caller frees the array's objects. */
static size_t answers(const char *text, size_t len, json **out, size_t max, int *rc)
{
	char *got = NULL;
	size_t size = 0, n = 0;
	struct err e = { 0 };
	FILE *in = fmemopen((void *)(uintptr_t)text, len, "r"), *to = open_memstream(&got, &size);

	*rc = batch_run(judge, in, to, &e);
	fclose(in);
	fclose(to);
	for (char *p = got, *nl; n < max && (nl = strchr(p, '\n')); p = nl + 1)
		out[n++] = json_parse(p, (size_t)(nl - p), NULL, &e);
	free(got);
	return n;
}

static const struct { const char *line, *verdict, *id; } cases[] = {
	{ "{\"id\":\"a\",\"cmd\":\"ls\"}", "allow", "a" },
	{ "{\"id\":\"b\",\"cmd\":\"rm -rf \\\"$D/\\\"\",\"vars\":{\"D\":\"\"}}", "deny", "b" },
	{ "{\"id\":\"c\",\"cmd\":\"rm -rf \\\"$D/\\\"\",\"vars\":{\"D\":\"build\"}}", "allow", "c" },
	{ "{\"id\":\"d\",\"cmd\":\"rm -rf ~\",\"home\":\"/home/dev\"}", "deny", "d" },
	/* the home of the object, not the one of who runs this */
	{ "{\"id\":\"e\",\"cmd\":\"rm -rf /srv/people/x\",\"home\":\"/srv/people/x\"}", "deny", "e" },
	{ "{\"id\":\"f\",\"cmd\":\"rm a\",\"cwd\":\"/w\",\"git\":{\"tracked\":[\"a\"],\"dirty\":[]}}", "allow", "f" },
	{ "{\"id\":\"g\",\"cmd\":\"rm a\",\"cwd\":\"/w\",\"git\":{\"tracked\":[\"a\"],\"dirty\":[\"a\"]}}", "ask", "g" },
	{ "{\"id\":\"h\",\"cmd\":\"rm -rf link/\",\"cwd\":\"/w\",\"files\":[\"link -> /usr\"]}", "deny", "h" },
	{ "{\"id\":\"i\",\"cmd\":\"echo 'no end\"}", "ask", "i" },
};

static void test_answers(void)
{
	char text[8192] = "";
	json *got[32];
	int rc;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strncat(text, cases[i].line, sizeof(text) - strlen(text) - 2);
		strncat(text, i % 2 ? "\n" : "\n\n", sizeof(text) - strlen(text) - 1);	/* an empty line is nothing */
	}
	n = answers(text, strlen(text), got, ARRAY_SIZE(got), &rc);
	is_int(rc, 0, "every line could be read");
	is_int(n, ARRAY_SIZE(cases), "one answer each");
	for (size_t i = 0; i < n; i++) {
		is_str(json_str(got[i], "id", NULL), cases[i].id, "in order");
		is_str(json_str(got[i], "verdict", NULL), cases[i].verdict, cases[i].line);
		ok(json_str(got[i], "rule", NULL) && json_str(got[i], "reason", NULL) && json_get(got[i], "us"), "all fields");
		json_free(got[i]);
	}
}

static const struct { const char *line; size_t len; const char *error; } bad[] = {
#define LINE(s) s, sizeof(s) - 1
	{ LINE("{\"cmd\":"), "line 1: " },
	{ LINE("[1]"), "line 1: not a JSON object" },
	{ LINE("{\"id\":\"x\"}"), "line 1: \"cmd\" is missing" },
	{ LINE("{\"cmd\":3}"), "line 1: \"cmd\" is not a string" },
	{ LINE("{\"cmd\":\"ls\",\"files\":[1]}"), "line 1: \"files\" holds something that is not a string" },
	{ LINE("{\"cmd\":\"ls\",\"git\":{\"tracked\":\"a\"}}"), "line 1: \"tracked\" is not an array" },
	{ LINE("{\"cmd\":\"ls\",\"shell\":\"tcsh\"}"), "line 1: the shell \"tcsh\" is not known" },
	{ LINE("{\"cmd\":\"l\0s\"}"), "line 1: " },
};

static void test_errors(void)
{
	static const char after[] = "\n{\"id\":9,\"cmd\":\"ls\"}";	/* the last line needs no line feed */

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[256];
		json *got[4];
		int rc;
		size_t n;

		memcpy(text, bad[i].line, bad[i].len);
		memcpy(text + bad[i].len, after, sizeof(after));
		n = answers(text, bad[i].len + sizeof(after) - 1, got, ARRAY_SIZE(got), &rc);
		is_int(rc, 1, "says so at the end");
		if (!ok(n == 2, bad[i].line))
			continue;
		ok(!strncmp(json_str(got[0], "error", ""), bad[i].error, strlen(bad[i].error)), json_str(got[0], "error", "no error"));
		is_int((long long)json_num(got[0], "line", 0), 1, "number of the line");
		is_str(json_str(got[1], "verdict", NULL), "allow", "goes on");
		is_int((long long)json_num(got[1], "id", 0), 9, "an id may be a number");
		json_free(got[0]);
		json_free(got[1]);
	}
}

static void test_too_long(void)
{
	size_t len = BATCH_LINE_MAX + 100;
	char *text = calloc(1, len + 32);
	json *got[4];
	int rc;

	memset(text, ' ', len);
	strcpy(text + len, "\n{\"cmd\":\"ls\"}\n");
	is_int(answers(text, strlen(text), got, 4, &rc), 2, "a line that is too long is answered too");
	is_str(json_str(got[0], "error", ""), "line 1: longer than can be read", "with an error");
	is_str(json_str(got[1], "verdict", ""), "allow", "and the next one is read from its start");
	is_int(rc, 1, "exit status");
	json_free(got[0]);
	json_free(got[1]);
	free(text);
}

int main(void)
{
	struct conf *conf = NULL;
	struct err e = { 0 };

	if (ok(conf_load(&(struct conf_from){ .datadir = "conf", .home = "/nonexistent" }, &conf, &e) == 0, e.msg) &&
	    ok(judge_new(conf, "conf", &judge, &e) == 0, e.msg)) {
		test_answers();
		test_errors();
		test_too_long();
	}
	judge_free(judge);
	conf_free(conf);
	return tap_done();
}

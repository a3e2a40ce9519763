#include "batch.h"

#include <errno.h>
#include <string.h>

#include "base/io.h"
#include "intercept/fakeworld.h"

struct batch {
	struct judge	*judge;
	FILE		*in, *out;
	struct buf	 text;		/* the input line, without its line feed */
	unsigned long	 number;
	bool		 failed;
};

/* One line of any length: what does not fit is read and dropped, and ->text.full stays set. */
static bool next_line(struct batch *b)
{
	int c = getc_unlocked(b->in);

	if (c == EOF)
		return false;
	buf_clear(&b->text);
	for (; c != EOF && c != '\n'; c = getc_unlocked(b->in))
		buf_addc(&b->text, (char)c);
	b->number++;
	return true;
}

static void answer(struct batch *b, json *j)
{
	char *text = json_print(j);

	fprintf(b->out, "%s\n", text);
	fflush(b->out);
	free(text);
	json_free(j);
}

/* The same id as in the question, whatever its type; null when there is none. */
static void add_id(json *to, const json *line)
{
	const json *id = line ? json_get(line, "id") : NULL;

	if (id && json_type(id) == JSON_NUMBER)
		json_add_num(to, "id", json_value(id));
	else
		json_add_str(to, "id", id ? json_text(id) : NULL);
}

static void answer_error(struct batch *b, const json *line, const char *what)
{
	CLEANUP(cleanup_freep) char *text = xasprintf("line %lu: %s", b->number, what);
	json *j = json_new_object();

	add_id(j, line);
	json_add_str(j, "error", text);
	json_add_int(j, "line", (long long)b->number);
	b->failed = true;
	answer(b, j);
}

static void judge_one(struct batch *b, const json *line, const struct cmdline *cl)
{
	struct world *w = fakeworld_new(line);
	struct live *live = fakeworld_live(line);
	uint64_t start = io_now_ns();
	struct judgement *g = judge_line(b->judge, cl, live, w);
	uint64_t ns = io_now_ns() - start;
	const struct verdict *v = judgement_verdict(g);
	json *j = json_new_object();

	add_id(j, line);
	json_add_str(j, "verdict", action_name[v->action]);
	json_add_str(j, "rule", v->rule);
	json_add_str(j, "reason", v->reason);
	json_add_num(j, "us", (double)ns / 1000.0);
	answer(b, j);
	judgement_free(g);
	live_free(live);
	fakeworld_free(w);
}

static void one_line(struct batch *b)
{
	struct cmdline cl;
	struct err e = { 0 };
	json *line;

	if (b->text.full) {
		answer_error(b, NULL, "longer than can be read");
		return;
	}
	if (strspn(buf_str(&b->text), " \t\r") == b->text.len)
		return;		/* an empty line is no question */
	line = json_parse(buf_str(&b->text), b->text.len, NULL, &e);
	if (!line)
		answer_error(b, NULL, e.msg);
	else if (json_type(line) != JSON_OBJECT)
		answer_error(b, NULL, "not a JSON object");
	else if (fakeworld_check(line, &e) < 0 || fakeworld_line(line, &cl, &e) < 0)
		answer_error(b, line, e.msg);
	else
		judge_one(b, line, &cl);
	json_free(line);
}

int batch_run(struct judge *judge, FILE *in, FILE *out, struct err *e)
{
	struct batch b = { .judge = judge, .in = in, .out = out };

	buf_init(&b.text, BATCH_LINE_MAX);
	while (next_line(&b))
		one_line(&b);
	buf_done(&b.text);
	if (ferror(in))
		return err_set(e, errno, "standard input");
	if (fflush(out) != 0 || ferror(out))
		return err_set(e, errno, "standard output");
	return b.failed;
}

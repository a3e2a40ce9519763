/* tests/unit/corpus.c - what must hold on the corpus, always */
#include "tap.h"

#include "base/io.h"
#include "conf/conf.h"
#include "intercept/fakeworld.h"
#include "intercept/judge.h"

struct tally {
	unsigned	 lines, right;		/* bash */
	unsigned	 deny_allowed, ask_allowed, stopped, harmless;
};

static bool is_right(const json *line, const char *got)
{
	if (!strcmp(json_str(line, "expect", ""), got))
		return true;
	for (const json *a = json_first(json_get(line, "also_ok")); a; a = json_next(a)) {
		if (!strcmp(json_text(a), got))
			return true;
	}
	return false;
}

static void judge_one(struct judge *j, const json *line, struct tally *t)
{
	struct cmdline cl;
	struct world *w = fakeworld_new(line);
	struct live *l = fakeworld_live(line);
	struct judgement *g;
	const char *want = json_str(line, "expect", ""), *got;

	if (!ok(fakeworld_line(line, &cl, NULL) == 0, json_str(line, "id", "?")))
		return;
	g = judge_line(j, &cl, l, w);
	got = action_name[judgement_verdict(g)->action];
	if (!strcmp(want, "deny") && !ok(strcmp(got, "allow") != 0, json_str(line, "id", "a deny line")))
		printf("#   allowed: %s\n", cl.text);
	if (cl.dialect == DIALECT_BASH) {
		t->lines++;
		t->right += is_right(line, got);
		t->deny_allowed += !strcmp(want, "deny") && !strcmp(got, "allow");
		t->ask_allowed += !strcmp(want, "ask") && !strcmp(got, "allow") && !is_right(line, got);
		t->harmless += !strcmp(want, "allow");
		t->stopped += !strcmp(want, "allow") && strcmp(got, "allow") != 0;
	}
	judgement_free(g);
	live_free(l);
	fakeworld_free(w);
}

static void judge_all(struct judge *j, const char *path, unsigned lines)
{
	struct tally t = { 0 };
	struct buf text;
	struct err e = { 0 };

	buf_init(&text, 64u << 20);
	if (!ok(io_slurp(path, &text, &e) == 0, path))
		return;
	for (const char *p = buf_str(&text), *end = p + text.len; p < end; ) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl ? (size_t)(nl - p) : (size_t)(end - p);
		json *line = json_parse(p, len, NULL, &e);

		if (ok(line != NULL, "a line of the corpus is JSON"))
			judge_one(j, line, &t);
		json_free(line);
		p += len + 1;
	}
	buf_done(&text);
	ok(t.lines >= lines, "the corpus is there");
	is_int(t.deny_allowed, 0, "no deny line is allowed");
	is_int(t.ask_allowed, 0, "no ask line is allowed where allow is not accepted");
	ok(t.stopped * 50 <= t.harmless, "at most 2 % of the harmless lines are stopped");
	ok(t.right * 100 >= t.lines * 98, "98 % agreement");
}

int main(void)
{
	struct conf *conf = NULL;
	struct judge *j = NULL;
	struct err e = { 0 };

	if (!ok(conf_load(&(struct conf_from){ .datadir = "conf", .home = "/nonexistent" }, &conf, &e) == 0, "conf loads") ||
	    !ok(judge_new(conf, "conf", &j, &e) == 0, "program files load")) {
		printf("#   %s\n", e.msg);
	} else {
		judge_all(j, "tests/corpus/commands.jsonl", 1900);
		judge_all(j, "tests/corpus/more.jsonl", 700);
	}
	judge_free(j);
	conf_free(conf);
	return tap_done();
}

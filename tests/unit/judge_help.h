/* tests/unit/judge_help.h - judge lines in a described world, for the tests of intercept */
#ifndef TESTS_UNIT_JUDGE_HELP_H
#define TESTS_UNIT_JUDGE_HELP_H

#include "tap.h"

#include "conf/conf.h"
#include "intercept/fakeworld.h"
#include "intercept/judge.h"

struct bench {
	struct conf	*conf;
	struct judge	*judge;
	json		*desc;		/* of the last line */
	struct cmdline	 line;
	struct world	*world;
	struct live	*live;
	struct judgement *g;
};

static inline bool bench_init(struct bench *b)
{
	struct err e = { 0 };

	*b = (struct bench){ 0 };
	if (conf_load(&(struct conf_from){ .datadir = "conf", .home = "/nonexistent" }, &b->conf, &e) < 0 ||
	    judge_new(b->conf, "conf", &b->judge, &e) < 0) {
		ok(false, e.msg);
		return false;
	}
	return true;
}

static inline void bench_clear(struct bench *b)
{
	judgement_free(b->g);
	live_free(b->live);
	fakeworld_free(b->world);
	json_free(b->desc);
	b->g = NULL;
	b->live = NULL;
	b->world = NULL;
	b->desc = NULL;
}

static inline void bench_done(struct bench *b)
{
	bench_clear(b);
	judge_free(b->judge);
	conf_free(b->conf);
}

/* @world: more members of the description as JSON, or NULL. Valid until the next call. */
static inline const struct verdict *bench_judge(struct bench *b, const char *cmd, const char *world)
{
	static const struct verdict none;

	bench_clear(b);
	b->desc = world ? json_parse(world, strlen(world), NULL, NULL) : json_new_object();
	if (!ok(b->desc != NULL, "the description of the world is JSON"))
		return &none;
	json_add_str(b->desc, "cmd", cmd);
	if (!json_get(b->desc, "cwd"))
		json_add_str(b->desc, "cwd", "/work/proj");
	if (!json_get(b->desc, "home"))
		json_add_str(b->desc, "home", "/home/dev");
	if (!ok(fakeworld_line(b->desc, &b->line, NULL) == 0, cmd))
		return &none;
	b->world = fakeworld_new(b->desc);
	b->live = fakeworld_live(b->desc);
	b->g = judge_line(b->judge, &b->line, b->live, b->world);
	return judgement_verdict(b->g);
}

#endif /* TESTS_UNIT_JUDGE_HELP_H */

/* tests/fuzz/dialect.h - judge any bytes as a line of one shell, for the fuzz targets of the dialects */
#ifndef TESTS_FUZZ_DIALECT_H
#define TESTS_FUZZ_DIALECT_H

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "conf/conf.h"
#include "intercept/fakeworld.h"
#include "intercept/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline int dialect_fuzz(enum dialect dialect, const char *cwd, const char *home, const uint8_t *data, size_t size)
{
	static struct conf *conf;
	static struct judge *judge;
	static json *desc;
	struct cmdline line = { .dialect = dialect, .cwd = cwd, .workspace = cwd, .home = home, .user = "dev", .source = "check" };
	CLEANUP(cleanup_freep) char *text = xmemdup0(data, size);
	struct err e = { 0 };
	struct world *w;
	struct live *l;
	struct judgement *g;
	const struct verdict *v;

	if (!judge) {
		if (conf_load(&(struct conf_from){ .datadir = "conf", .home = "/nonexistent" }, &conf, &e) < 0 ||
		    judge_new(conf, "conf", &judge, &e) < 0)
			abort();
		desc = json_new_object();
		json_add_str(desc, "cwd", cwd);
		json_add_str(desc, "home", home);
	}
	line.text = text;
	line.len = strlen(text);
	w = fakeworld_new(desc);
	l = fakeworld_live(desc);
	g = judge_line(judge, &line, l, w);
	v = judgement_verdict(g);
	if (!v->rule || !v->reason || v->blame.from > line.len || v->blame.to > line.len)
		abort();
	judgement_free(g);
	live_free(l);
	fakeworld_free(w);
	return 0;
}

#endif /* TESTS_FUZZ_DIALECT_H */

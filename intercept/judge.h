/* intercept/judge.h - one line in, one verdict out
 *
 * line -> tree -> expansion -> effects -> policy -> verdict. Synchronous, bounded in
 * time and memory, touches nothing but what @world offers. When the judgement
 * lacked live values (live_wanted() is not empty) the caller fetches them and calls
 * again; without a shell to ask the verdict stands as it is (unknown = ask).
 */
#ifndef INTERCEPT_JUDGE_H
#define INTERCEPT_JUDGE_H

#include "conf/conf.h"
#include "intercept/verdict.h"
#include "intercept/world.h"

struct judge;		/* programs and policy, loaded once */
struct stages;		/* intercept/stages.h */
struct judgement;	/* owns the verdict's memory */

/* Reads the shipped descriptions of programs in @datadir and those that conf->program_file adds. */
int judge_new(const struct conf *conf, const char *datadir, struct judge **out, struct err *e);
void judge_free(struct judge *j);
/* Never fails: what goes wrong inside is an ask with the rule "gate.internal" or
 * "parse.too-big". A deny that was found before a bound was hit stays a deny. */
struct judgement *judge_line(struct judge *j, const struct cmdline *line, struct live *live,
			     const struct world *world);
const struct verdict *judgement_verdict(const struct judgement *g);
void judgement_free(struct judgement *g);
/* From now on measure where the time of each judgement goes. */
void judge_time(struct judge *j, bool on);
const struct stages *judgement_stages(const struct judgement *g);	/* NULL: not measured */
/* check --explain: every stage in words, in lines of @width columns where a word is not longer; the caller frees. */
char *judge_explain(const struct judge *j, const struct cmdline *line, struct judgement *g, unsigned width);

#endif /* INTERCEPT_JUDGE_H */

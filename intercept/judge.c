/* intercept/judge.c - one line in, one verdict out */
#include "intercept/judge.h"

#include <string.h>

#include "base/quote.h"
#include "intercept/cmdexe.h"
#include "intercept/explain.h"
#include "intercept/pwsh.h"
#include "intercept/winpath.h"

#define JUDGE_MEMORY	(48u << 20)	/* of one judgement */

struct judge {
	const struct conf	*conf;		/* borrowed */
	struct programs		*programs;	/* owned */
	bool			 timed;
};

struct judgement {
	struct arena	mem;
	struct verdict	verdict;
	struct effects	fx;
	struct stages	stages;
	bool		timed;
	struct cmdline	line;		/* with the directories of a Windows line in our form */
};

/* A rule of the person's with a name that has a meaning already would make records lie. */
static int check_ids(const struct conf *conf, struct err *e)
{
	struct policy_rule own;

	for (size_t i = 0; i < conf->nrule; i++) {
		for (size_t k = 0; policy_rule(k, &own); k++) {
			if (!strcmp(own.id, conf->rule[i].id))
				return err_set(e, 0, "%s:%u: found the id \"%s\", which is a built-in rule's, expected another one",
					       conf->rule[i].file, conf->rule[i].line, own.id);
		}
	}
	return 0;
}

int judge_new(const struct conf *conf, const char *datadir, struct judge **out, struct err *e)
{
	CLEANUP(cleanup_freep) char *dir = xasprintf("%s/programs", datadir);
	CLEANUP(cleanup_freep) char *schema = xasprintf("%s/schema/program.schema.json", datadir);
	struct programs *programs;
	struct judge *j;

	if (check_ids(conf, e) < 0 || programs_load(dir, NULL, &programs, e) < 0)
		return -1;
	for (size_t i = 0; i < conf->nprogram_file; i++) {
		if (programs_add(programs, conf->program_file[i], schema, e) < 0) {
			programs_free(programs);
			return -1;
		}
	}
	j = xcalloc(1, sizeof(*j));
	j->conf = conf;
	j->programs = programs;
	*out = j;
	return 0;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	programs_free(j->programs);
	free(j);
}

static int found_command(void *arg, const struct simple *s)
{
	struct judgement *g = arg;

	return effects_add(&g->fx, s);
}

static void internal(struct verdict *v, const char *rule, const char *reason)
{
	*v = (struct verdict){ .action = ACTION_ASK, .rule = rule, .reason = reason, .safer = SAFER_SPLIT, .meaning = "" };
}

/* Dialects that no parser reads yet are a gap like any other: asked, never allowed. */
static bool can_parse(enum dialect d)
{
	return d < DIALECT_COUNT;
}

/* A letter that is not seen, or that turns the order of the others: what a person reads is not what runs. */
static bool is_hidden(uint32_t cp)
{
	return (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0x200e || cp == 0x200f || cp == 0x061c ||
	       cp == 0x200b || (cp >= 0x2060 && cp <= 0x2064) || cp == 0xfeff || cp == 0x00ad || cp == 0x180e || cp == 0x115f ||
	       cp == 0x1160 || cp == 0x3164 || cp == 0xffa0 || (cp >= 0xe0000 && cp <= 0xe007f);
}

static void check_hidden(const struct cmdline *line, struct verdict *v)
{
	uint32_t cp;

	for (size_t i = 0, n; i < line->len && v->action == ACTION_ALLOW; i += n) {
		n = quote_utf8(line->text + i, line->len - i, &cp);
		if (!is_hidden(cp))
			continue;
		v->action = ACTION_ASK;
		v->rule = "text.hidden";
		v->reason = "the line holds characters that cannot be seen";
		v->safer = SAFER_HIDDEN;
		v->blame = (struct span){ i, i + n };
	}
}

/* -1 when a bound was hit. */
static int walk_line(struct effects *fx)
{
	const struct cmdline *line = fx->line;
	struct span all = { 0, line->len };

	if (line->dialect == DIALECT_POWERSHELL)
		return pwsh_text(fx, NULL, line->text, line->len, all);
	if (line->dialect == DIALECT_CMD)
		return cmdexe_text(fx, NULL, line->text, line->len, all, false);
	return expand_line(fx->expand);
}

static void judge_shell(struct judge *j, struct judgement *g, const struct cmdline *typed, struct live *live,
			const struct world *world)
{
	struct cmdline *line = &g->line;
	struct stages *stages = j->timed ? &g->stages : NULL;
	struct expand_in in = { .stages = stages, .live = live, .world = world, .arena = &g->mem, .fn = found_command, .arg = g };
	const struct expand_gap *gap = NULL;
	struct expand_gap full = { .why = "the line is too big to be judged as a whole", .span = { 0, typed->len } };
	size_t ngap;

	*line = *typed;
	if (winpath_line(typed) && (typed->dialect == DIALECT_POWERSHELL || typed->dialect == DIALECT_CMD)) {
		world = winpath_world(&g->mem, typed, world, line);
		in.world = world;
	}
	in.line = line;
	if (!world) {
		internal(&g->verdict, "gate.internal", "the line could not be read");
		return;
	}
	g->fx = (struct effects){
		.mem = &g->mem, .programs = j->programs, .conf = j->conf, .world = world, .line = line, .live = live, .stages = stages,
	};
	effects_init(&g->fx);
	g->fx.expand = expand_new(&in);
	if (!g->fx.expand) {
		internal(&g->verdict, "gate.internal", "the line could not be read");
		return;
	}
	stage_enter(stages, STAGE_EXPAND);
	if (walk_line(&g->fx) < 0)
		g->fx.too_big = true;
	ngap = expand_gaps(g->fx.expand, &gap);
	if (!ngap && (g->fx.too_big || g->mem.full)) {
		gap = &full;
		ngap = 1;
	}
	/* The arena may be full: the verdict's own words still have to fit. */
	g->mem.max += 4u << 20;
	g->mem.full = false;
	stage_enter(stages, STAGE_EFFECTS);
	effects_finish(&g->fx);
	stage_enter(stages, STAGE_POLICY);
	policy_judge(&g->fx, gap, ngap, &g->verdict);
	check_hidden(line, &g->verdict);
	stage_enter(stages, STAGE_NONE);
}

struct judgement *judge_line(struct judge *j, const struct cmdline *line, struct live *live, const struct world *world)
{
	struct judgement *g = xcalloc(1, sizeof(*g));

	arena_init(&g->mem, JUDGE_MEMORY);
	if (world && world->begin)
		world->begin(world->arg);
	g->timed = j->timed;
	if (line->len > CMDLINE_MAX) {
		internal(&g->verdict, "parse.too-big", "the line is longer than sbxterm reads");
		g->verdict.blame.to = line->len;
	} else if (!can_parse(line->dialect)) {
		internal(&g->verdict, "parse.dialect", "this shell's language is not read yet");
		g->verdict.blame.to = line->len;
	} else {
		judge_shell(j, g, line, live, world);
	}
	return g;
}

const struct verdict *judgement_verdict(const struct judgement *g)
{
	return &g->verdict;
}

void judgement_free(struct judgement *g)
{
	if (!g)
		return;
	arena_done(&g->mem);
	free(g);
}

/* ---- explain ------------------------------------------------------------------------------------------ */

void judge_time(struct judge *j, bool on)
{
	j->timed = on;
}

const struct stages *judgement_stages(const struct judgement *g)
{
	return g->timed ? &g->stages : NULL;
}

char *judge_explain(const struct judge *j, const struct cmdline *line, struct judgement *g, unsigned width)
{
	CLEANUP(cleanup_freep) char *tree = line->dialect <= DIALECT_ZSH ? expand_tree(line) : NULL;
	struct buf out;

	(void)j;
	buf_init(&out, 4u << 20);
	explain_all(&out, &g->fx, &g->verdict, judgement_stages(g), width);
	if (tree)
		explain_tree(&out, tree, width);
	return buf_steal(&out);
}

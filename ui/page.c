#include "ui/page.h"

#include <string.h>

#include "base/quote.h"

static struct para *para_new(struct page *pg, enum label label, enum rank rank, int min)
{
	struct para *p;

	if (pg->n == pg->cap) {
		pg->cap = pg->cap ? 2 * pg->cap : 16;
		pg->para = xrealloc(pg->para, pg->cap, sizeof(*pg->para));
	}
	p = &pg->para[pg->n++];
	*p = (struct para){ .label = label, .rank = rank, .min = min };
	text_init(&p->text);
	return p;
}

void page_done(struct page *pg)
{
	for (size_t i = 0; i < pg->n; i++)
		text_done(&pg->para[i].text);
	free(pg->para);
}

static struct para *say(struct page *pg, enum label label, enum rank rank, enum style style, const char *s)
{
	struct para *p = para_new(pg, label, rank, 0);

	p->prose = true;
	text_quote_str(&p->text, style, s);
	return p;
}

static void say_reason(struct page *pg, const struct verdict *v)
{
	CLEANUP(cleanup_freep) char *text = v->reason ? quote_sentence(v->reason) : NULL;

	say(pg, LABEL_NONE, RANK_REASON, STYLE_STRONG, text);
}

static void say_line(struct page *pg, const struct verdict *v, const char *line, size_t len, int min)
{
	struct para *p = para_new(pg, LABEL_LINE, RANK_LINE, min);

	p->gap = true;
	text_quote(&p->text, &(struct text_look){
		.style = STYLE_CODE, .escape = STYLE_ESCAPE, .blame = STYLE_BLAME,
		.blame_escape = STYLE_BLAME_ESCAPE, .from = MIN(v->blame.from, len),
		.to = MIN(v->blame.to, len), .lines = true }, line, len);
}

/* Said in words too: who sees no colours, or has never heard of bidi, must notice as well. */
static void say_odd(struct page *pg, unsigned odd)
{
	CLEANUP(cleanup_freep) char *what = quote_warning(odd);
	struct para *p;

	if (!what)
		return;
	p = para_new(pg, LABEL_BEWARE, RANK_REASON, 1);
	p->prose = true;
	text_add(&p->text, STYLE_STRONG, "contains ");
	text_add(&p->text, STYLE_STRONG, what);
	text_add(&p->text, STYLE_STRONG, ", written as \\ codes here");
}

static void say_meaning(struct page *pg, const struct verdict *v, const char *line, size_t len, int min)
{
	struct para *p;

	if (!v->meaning || (strlen(v->meaning) == len && memcmp(v->meaning, line, len) == 0))
		return;
	p = para_new(pg, LABEL_MEANS, RANK_MEANS, min);
	text_quote(&p->text, &(struct text_look){ .style = STYLE_CODE, .escape = STYLE_ESCAPE, .lines = true },
		   v->meaning, strlen(v->meaning));
}

static void say_rest(struct page *pg, size_t all)
{
	struct para *p;

	if (all <= PAGE_ITEMS)
		return;
	p = para_new(pg, LABEL_SAME, RANK_REST, 0);
	text_addf(&p->text, STYLE_LABEL, "... and %zu more", all - PAGE_ITEMS);
}

static void say_vars(struct page *pg, const struct verdict *v)
{
	for (size_t i = 0; i < v->nvar && i < PAGE_ITEMS; i++) {
		const struct word_var *w = &v->var[i];
		struct para *p = para_new(pg, i ? LABEL_SAME : LABEL_WHERE, RANK_VARS, 0);

		p->gap = i == 0;
		text_quote_str(&p->text, STYLE_STRONG, w->name);
		if (w->state == LIVE_UNSET)
			text_add(&p->text, STYLE_STRONG, " is unset");
		else if (w->state == LIVE_SCALAR && w->value && !*w->value)
			text_add(&p->text, STYLE_STRONG, " is empty");
		else if (w->state == LIVE_UNKNOWN || !w->value)
			text_add(&p->text, STYLE_STRONG, w->state == LIVE_UNKNOWN ? " is not known" : " is an array");
		else
			text_add(&p->text, STYLE_LABEL, " = ");
		if (w->state != LIVE_UNSET && w->state != LIVE_UNKNOWN && w->value)
			text_quote_str(&p->text, STYLE_CODE, w->value);
	}
	say_rest(pg, v->nvar);
}

static void add_count(struct text *t, const struct target *g)
{
	if (!g->files)
		return;
	text_addf(t, STYLE_TEXT, "%s%zu file%s%s", g->state && *g->state ? ", " : "", g->files,
		  g->files == 1 ? "" : "s", g->cut ? " or more" : "");
}

static void say_targets(struct page *pg, const struct verdict *v)
{
	for (size_t i = 0; i < v->ntarget && i < PAGE_ITEMS; i++) {
		const struct target *g = &v->target[i];
		struct para *p = para_new(pg, i ? LABEL_SAME : LABEL_HITS, RANK_HITS, 0);

		p->gap = i == 0 && !v->nvar;
		text_quote_str(&p->text, STYLE_TEXT, g->how);
		if (g->how && *g->how)
			text_add(&p->text, STYLE_TEXT, " ");
		text_quote_str(&p->text, STYLE_CODE, g->path);
		if ((g->state && *g->state) || g->files)
			text_add(&p->text, STYLE_LABEL, "  - ");
		text_quote_str(&p->text, STYLE_TEXT, g->state);
		add_count(&p->text, g);
	}
	say_rest(pg, v->ntarget);
}

static void say_grant(struct page *pg, const struct verdict *v)
{
	if (v->grant)
		say(pg, LABEL_GRANTS, RANK_HITS, STYLE_STRONG, v->grant)->gap = true;
}

static void say_safer(struct page *pg, const struct verdict *v)
{
	if (v->safer && *v->safer && !v->moot)
		say(pg, LABEL_INSTEAD, v->action == ACTION_DENY ? RANK_INSTEAD : RANK_REST, STYLE_STRONG, v->safer)->gap = true;
}

static unsigned page_odd(const struct page *pg)
{
	unsigned odd = 0;

	for (size_t i = 0; i < pg->n; i++)
		odd |= pg->para[i].text.odd;
	return odd;
}

bool page_cut(const struct page *pg)
{
	for (size_t i = 0; i < pg->n; i++) {
		if (pg->para[i].text.cut)
			return true;
	}
	return false;
}

/* What both pages begin with; @min as in struct para. */
static void say_main(struct page *pg, const struct verdict *v, const char *line, size_t len, int min)
{
	say_reason(pg, v);
	say_line(pg, v, line, len, min);
	say_meaning(pg, v, line, len, min);
	say_odd(pg, page_odd(pg));
	say_vars(pg, v);
	say_targets(pg, v);
	say_grant(pg, v);
}

void page_banner(struct page *pg, const struct verdict *v, const char *line, size_t len)
{
	say_main(pg, v, line, len, 1);
	say_safer(pg, v);
}

static void add_word(struct text *t, const struct word *w)
{
	if (w->kind != WORD_UNKNOWN) {
		text_quote_str(t, STYLE_CODE, w->text && *w->text ? w->text : "''");
		if (w->kind == WORD_PATTERN)
			text_add(t, STYLE_LABEL, " (pattern)");
		return;
	}
	text_quote_str(t, STYLE_CODE, w->prefix);
	text_add(t, STYLE_ESCAPE, "<");
	text_quote_str(t, STYLE_ESCAPE, w->why ? w->why : "not known");
	text_add(t, STYLE_ESCAPE, ">");
	text_quote_str(t, STYLE_CODE, w->suffix);
}

static void say_command(struct page *pg, const struct simple *s, bool first)
{
	struct para *p = para_new(pg, first ? LABEL_RUNS : LABEL_SAME, RANK_REST, 0);

	p->gap = first;
	for (unsigned i = 0; i < MIN(s->depth, 8u); i++)
		text_add(&p->text, STYLE_LABEL, "> ");
	for (size_t i = 0; i < s->nassign && i < PAGE_ITEMS; i++) {
		text_quote_str(&p->text, STYLE_CODE, s->assign[i].name);
		text_add(&p->text, STYLE_CODE, s->assign[i].append ? "+=" : "=");
		add_word(&p->text, &s->assign[i].value);
		text_add(&p->text, STYLE_TEXT, " ");
	}
	for (size_t i = 0; i < s->argc && i < PAGE_ITEMS; i++) {
		if (i)
			text_add(&p->text, STYLE_TEXT, " ");
		add_word(&p->text, &s->argv[i]);
	}
	if (s->argc > PAGE_ITEMS)
		text_addf(&p->text, STYLE_LABEL, " ... and %zu words more", s->argc - PAGE_ITEMS);
	text_add(&p->text, STYLE_LABEL, "  in ");
	text_quote_str(&p->text, STYLE_LABEL, s->cwd ? s->cwd : "a directory that is not known");
}

static void say_effect(struct page *pg, const struct effect *e, bool first)
{
	struct para *p = para_new(pg, first ? LABEL_DOES : LABEL_SAME, RANK_REST, 0);

	p->gap = first;
	text_quote_str(&p->text, STYLE_STRONG, e->what ? e->what : "not known");
	if (e->path) {
		text_add(&p->text, STYLE_TEXT, " ");
		add_word(&p->text, e->path);
	}
	if (e->to) {
		text_add(&p->text, STYLE_TEXT, " to ");
		add_word(&p->text, e->to);
	}
	if (e->host) {
		text_add(&p->text, STYLE_TEXT, " at ");
		text_quote_str(&p->text, STYLE_CODE, e->host);
	}
	if (e->flags & EFFECT_RECURSIVE)
		text_add(&p->text, STYLE_LABEL, " and all below");
}

void page_explain(struct page *pg, const struct verdict *v, const char *line, size_t len)
{
	say_main(pg, v, line, len, 0);
	for (size_t i = 0; i < v->ncmd && i < PAGE_ITEMS; i++)
		say_command(pg, v->cmd[i], i == 0);
	say_rest(pg, v->ncmd);
	for (size_t i = 0; i < v->neffect && i < PAGE_ITEMS; i++)
		say_effect(pg, &v->effect[i], i == 0);
	say_rest(pg, v->neffect);
	if (v->interactive)
		say(pg, LABEL_NOTE, RANK_REST, STYLE_TEXT, "it starts something that reads lines which sbxterm will not see");
	say_safer(pg, v);
	say(pg, LABEL_RULE, RANK_REST, STYLE_LABEL, v->rule)->gap = true;
}

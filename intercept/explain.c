/* intercept/explain.c - a judgement, stage by stage, for a person to read */
#include "intercept/explain.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "intercept/describe.h"

#define ROW_MAX		(256u << 10)
#define DEPTH_SHOWN	8u

const char *const stage_name[STAGE_COUNT] = {
	[STAGE_NONE]	= "other",
	[STAGE_PARSE]	= "parse",
	[STAGE_SECOND]	= "second reading",
	[STAGE_EXPAND]	= "expansion",
	[STAGE_EFFECTS]	= "effects",
	[STAGE_POLICY]	= "policy",
};
static_assert(ARRAY_SIZE(stage_name) == STAGE_COUNT, "name every stage");

static void add_quoted(struct buf *out, const char *s)
{
	quote_into(out, s, strlen(s));
}

/* @text is raw: it is quoted here. */
static void row(struct buf *out, unsigned indent, unsigned column, unsigned width, const char *head, const char *text)
{
	struct buf shown;

	buf_init(&shown, ROW_MAX);
	add_quoted(&shown, text);
	describe_row(out, indent, column, width, head, buf_str(&shown));
	buf_done(&shown);
}

static void times(struct buf *out, const struct stages *st)
{
	uint64_t all = 0;

	buf_adds(out, "time in microseconds\n");
	for (int i = 0; i < STAGE_COUNT; i++) {
		all += st->ns[i];
		if (i != STAGE_NONE)
			buf_addf(out, "  %-18s %8.1f\n", stage_name[i], (double)st->ns[i] / 1000.0);
	}
	buf_addf(out, "  %-18s %8.1f\n", "together", (double)all / 1000.0);
}

static void command_text(struct buf *out, const struct simple *s)
{
	for (size_t i = 0; i < s->nassign; i++) {
		buf_addf(out, "%s%s=", out->len ? " " : "", s->assign[i].name);
		policy_word(out, &s->assign[i].value);
	}
	for (size_t i = 0; i < s->argc; i++) {
		buf_adds(out, out->len ? " " : "");
		policy_word(out, &s->argv[i]);
	}
}

/* The directory is said where it changes. */
static void commands(struct buf *out, const struct verdict *v, unsigned width)
{
	const char *in = NULL;
	bool first = true;

	buf_adds(out, "\ncommands after expansion\n");
	for (size_t i = 0; i < v->ncmd; i++) {
		const struct simple *s = v->cmd[i];
		unsigned indent = 4 + 2 * MIN(s->depth, DEPTH_SHOWN);
		struct buf text;

		if (first || (!in != !s->cwd) || (in && strcmp(in, s->cwd) != 0))
			row(out, 2, 5, width, "in", s->cwd ? s->cwd : "a directory that is not known");
		in = s->cwd;
		first = false;
		buf_init(&text, ROW_MAX);
		command_text(&text, s);
		if (text.len)
			row(out, indent, indent + 2, width, "$", buf_str(&text));
		buf_done(&text);
	}
	if (!v->ncmd)
		buf_adds(out, "  none\n");
}

static void effect_text(struct buf *out, const struct effect *e)
{
	const char *kind = effect_name[e->kind];

	buf_adds(out, e->what ? e->what : kind);
	if (e->path) {
		buf_addc(out, ' ');
		policy_word(out, e->path);
	}
	if (e->to) {
		buf_adds(out, " to ");
		policy_word(out, e->to);
	}
	if (e->host)
		buf_addf(out, " (%s)", e->host);
	if (e->file && e->line)
		buf_addf(out, " [%s line %u]", e->file, e->line);
	else if (e->file)
		buf_addf(out, " [%s]", e->file);
}

static void effects(struct buf *out, struct effects *fx, const struct verdict *v, unsigned width)
{
	buf_adds(out, "\neffects, and what each would get alone\n");
	for (size_t i = 0; i < v->neffect; i++) {
		struct policy_rule r = policy_effect(fx, &v->effect[i]);
		char head[64];
		struct buf text;

		snprintf(head, sizeof(head), "%-6s %-20.20s", action_name[r.action], r.id);
		buf_init(&text, ROW_MAX);
		effect_text(&text, &v->effect[i]);
		row(out, 2, 31, width, head, buf_str(&text));
		buf_done(&text);
	}
	if (!v->neffect)
		buf_adds(out, "  none\n");
}

void explain_all(struct buf *out, struct effects *fx, const struct verdict *v, const struct stages *st, unsigned width)
{
	if (st)
		times(out, st);
	commands(out, v, width);
	effects(out, fx, v, width);
}

void explain_tree(struct buf *out, const char *tree, unsigned width)
{
	buf_adds(out, "\ntree\n");
	for (const char *s = tree, *end; *s; s = *end ? end + 1 : end) {
		size_t indent = strspn(s, " "), len;
		CLEANUP(cleanup_freep) char *line = NULL;
		CLEANUP(cleanup_freep) char *head = NULL;

		end = s + strcspn(s, "\n");
		line = xmemdup0(s + indent, (size_t)(end - s) - MIN(indent, (size_t)(end - s)));
		len = strcspn(line, " ");
		head = xmemdup0(line, len);
		indent = 2 + MIN(indent, width / 2);
		/* quoted by who made it */
		describe_row(out, (unsigned)indent, (unsigned)(indent + len + strspn(line + len, " ")), width, head,
			     line + len + strspn(line + len, " "));
	}
}

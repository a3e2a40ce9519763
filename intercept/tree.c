/* The tree as text, for `check --explain`. */
#include <string.h>

#include "base/quote.h"
#include "intercept/expand.h"
#include "intercept/parse.h"

#define TREE_MAX (1u << 20)

struct tree {
	struct buf		 out;
	const struct cmdline	*line;
};

static void show(struct tree *t, struct ast *n, unsigned depth);

static void indent(struct tree *t, unsigned depth)
{
	while (depth--)
		buf_adds(&t->out, "  ");
}

static void show_text(struct tree *t, struct span s)
{
	size_t to = MIN(s.to, t->line->len), from = MIN(s.from, to);

	quote_into(&t->out, t->line->text + from, to - from);
}

static void show_span(struct tree *t, unsigned depth, const char *what, struct span s)
{
	indent(t, depth);
	buf_adds(&t->out, what);
	buf_adds(&t->out, " ");
	show_text(t, s);
	buf_adds(&t->out, "\n");
}

static void show_word(struct tree *t, const struct ast_word *w, unsigned depth, const char *what)
{
	show_span(t, depth, what, w->span);
	for (const struct ast_part *p = w->part; p; p = p->next) {
		if (p->body)
			show(t, p->body, depth + 1);
	}
}

static void show_words(struct tree *t, const struct ast_word *w, unsigned depth, const char *what)
{
	for (; w; w = w->next)
		show_word(t, w, depth, what);
}

/* A command stands on one line, with what is run inside its words below it. */
static void show_parts(struct tree *t, const struct ast *n)
{
	for (const struct ast_assign *a = n->assign; a; a = a->next) {
		buf_adds(&t->out, "  ");
		show_text(t, a->span);
	}
	for (const struct ast_word *w = n->words; w; w = w->next) {
		buf_adds(&t->out, "  ");
		show_text(t, w->span);
	}
	for (const struct ast_redir *r = n->redir; r; r = r->next) {
		buf_adds(&t->out, "  ");
		show_text(t, r->span);
	}
}

static void show_bodies(struct tree *t, const struct ast_word *w, unsigned depth)
{
	for (; w; w = w->next) {
		for (const struct ast_part *p = w->part; p; p = p->next) {
			if (p->body)
				show(t, p->body, depth);
		}
	}
}

/* a && b && c leans to the left: shown flat, ->c is the way back. */
static void show_chain(struct tree *t, struct ast *n, unsigned depth)
{
	struct ast *top = n;

	while (n->a && (n->a->kind == AST_AND || n->a->kind == AST_OR)) {
		n->a->c = n;
		n = n->a;
	}
	if (n->a)
		show(t, n->a, depth);
	for (;; n = n->c) {
		indent(t, depth);
		buf_adds(&t->out, n->kind == AST_AND ? "&&\n" : "||\n");
		if (n->b)
			show(t, n->b, depth);
		if (n == top || t->out.full)
			return;
	}
}

static void show_children(struct tree *t, struct ast *n, unsigned depth)
{
	for (struct ast *c = n->a; c; c = n->kind == AST_LIST || n->kind == AST_PIPE ? c->next : NULL)
		show(t, c, depth);
	if (n->b)
		show(t, n->b, depth);
	if (n->c)
		show(t, n->c, depth);
	for (const struct ast_case *i = n->item; i; i = i->next) {
		show_words(t, i->pattern, depth, "pattern");
		if (i->body)
			show(t, i->body, depth + 1);
	}
}

static void show(struct tree *t, struct ast *n, unsigned depth)
{
	if (t->out.full)
		return;
	if (n->kind == AST_AND || n->kind == AST_OR) {
		show_chain(t, n, depth);
		return;
	}
	indent(t, depth);
	buf_adds(&t->out, ast_name[n->kind]);
	if (n->name)
		buf_addf(&t->out, " %.64s", n->name);
	show_parts(t, n);
	buf_adds(&t->out, n->background ? "  &\n" : "\n");
	show_bodies(t, n->words, depth + 1);
	show_children(t, n, depth + 1);
}

char *expand_tree(const struct cmdline *line)
{
	struct arena a;
	struct parse_in in = { .arena = &a, .text = line->text, .len = line->len };
	struct parse_out out;
	struct tree t = { .line = line };

	arena_init(&a, 64u << 20);
	buf_init(&t.out, TREE_MAX);
	parse_text(&in, &out);
	if (out.list)
		show(&t, out.list, 0);
	if (out.failed) {
		buf_addf(&t.out, "%s: %s\n", out.gap.incomplete ? "not finished" : "not understood", out.gap.why);
	}
	arena_done(&a);
	return buf_steal(&t.out);
}

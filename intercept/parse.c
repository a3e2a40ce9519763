#include "intercept/parse.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "intercept/reader.h"

#define ALIAS_MAX 64	/* alias texts put into one line */

const char *const ast_name[AST_KIND_COUNT] = {
	[AST_SIMPLE] = "command", [AST_LIST] = "list", [AST_AND] = "and", [AST_OR] = "or", [AST_PIPE] = "pipeline",
	[AST_NOT] = "not", [AST_TIME] = "time", [AST_COPROC] = "coproc", [AST_SUBSHELL] = "subshell",
	[AST_GROUP] = "group", [AST_IF] = "if", [AST_WHILE] = "while", [AST_UNTIL] = "until", [AST_FOR] = "for",
	[AST_CFOR] = "for ((", [AST_SELECT] = "select", [AST_CASE] = "case", [AST_FUNCTION] = "function",
	[AST_TEST] = "[[", [AST_ARITH] = "((",
};
static_assert(ARRAY_SIZE(ast_name) == AST_KIND_COUNT, "name every node");

static struct ast *and_or(struct reader *r);
static struct ast *command(struct reader *r);

static struct ast *node(struct reader *r, enum ast_kind kind, size_t from)
{
	struct ast *n = reader_alloc(r, sizeof(*n));

	if (n) {
		n->kind = kind;
		n->span = reader_span(r, from, from);
	}
	return n;
}

static void finish(const struct reader *r, struct ast *n, size_t from)
{
	if (n)
		n->span = reader_span(r, from, r->pos);
}

/* ---- tokens --------------------------------------------------------------------------- */

/* Newlines, comments and the bodies of here-documents. */
static void newlines(struct reader *r)
{
	for (;;) {
		reader_blanks(r);
		if (reader_peek(r, 0) != '\n')
			return;
		r->pos++;
		reader_heredocs(r);
	}
}

/* Length of the operator @s at the position (a continuation may cut it), 0: it is not there. */
static size_t operator_len(const struct reader *r, const char *s)
{
	size_t i = 0;

	for (; *s; s++) {
		while (reader_peek(r, i) == '\\' && reader_peek(r, i + 1) == '\n')
			i += 2;
		if (reader_peek(r, i++) != (unsigned char)*s)
			return 0;
	}
	return i;
}

static bool take(struct reader *r, const char *s)
{
	size_t n = operator_len(r, s);

	r->pos += n;
	return n > 0;
}

/* The unquoted word at the position when it is short and plain, as a reserved word must be. */
static size_t plain_word(const struct reader *r, char *out, size_t max)
{
	size_t i = 0, n = 0;

	for (;; i++) {
		int c = reader_peek(r, i);

		if (c == '\\' && reader_peek(r, i + 1) == '\n') {
			i++;
			continue;
		}
		if (reader_is_meta(c))
			break;
		if (n + 1 >= max || strchr("\\'\"`$", c))
			return 0;
		out[n++] = (char)c;
	}
	out[n] = '\0';
	return n ? i : 0;
}

static bool at_word(const struct reader *r, const char *s)
{
	char word[16];

	return plain_word(r, word, sizeof(word)) && strcmp(word, s) == 0;
}

static bool take_word(struct reader *r, const char *s)
{
	char word[16];
	size_t n = plain_word(r, word, sizeof(word));

	if (!n || strcmp(word, s) != 0)
		return false;
	r->pos += n;
	return true;
}

static void unexpected(struct reader *r)
{
	size_t n = 0;

	if (r->pos >= r->end) {
		reader_fail(r, r->pos, true, "the line is not finished");
		return;
	}
	if (r->text[r->pos] == '\n') {
		reader_fail(r, r->pos, false, "syntax error: unexpected end of a line");
		return;
	}
	while (n < 20 && r->pos + n < r->end && !isspace((unsigned char)r->text[r->pos + n]))
		n++;
	reader_fail(r, r->pos, false, "syntax error near \"%.*s\"", (int)n, r->text + r->pos);
}

static void expect_word(struct reader *r, const char *s)
{
	newlines(r);
	if (!take_word(r, s))
		unexpected(r);
}

/* ---- redirections --------------------------------------------------------------------- */

static const struct { const char *text; enum redir_op op; int fd; bool strip; } redir_ops[] = {
	/* longer ones first */
	{ "<<<", REDIR_HERESTRING, 0, false }, { "<<-", REDIR_HEREDOC, 0, true }, { "<<", REDIR_HEREDOC, 0, false },
	{ "&>>", REDIR_BOTH_APPEND, 1, false }, { "&>", REDIR_BOTH, 1, false },
	{ "<&", REDIR_DUP_IN, 0, false }, { ">&", REDIR_DUP_OUT, 1, false }, { "<>", REDIR_RDWR, 0, false },
	{ ">>", REDIR_APPEND, 1, false }, { ">|", REDIR_CLOBBER, 1, false },
	{ "<", REDIR_READ, 0, false }, { ">", REDIR_WRITE, 1, false },
};

/* Length of "12" or "{name}" when a redirection follows at once. */
static size_t redir_prefix(const struct reader *r)
{
	size_t i = 0;
	int c = reader_peek(r, 0);

	if (c == '{') {
		for (i = 1; isalnum(reader_peek(r, i)) || reader_peek(r, i) == '_'; )
			i++;
		if (i == 1 || isdigit(reader_peek(r, 1)) || reader_peek(r, i++) != '}')
			return 0;
	} else {
		while (isdigit(reader_peek(r, i)))
			i++;
	}
	c = reader_peek(r, i);
	return c == '<' || c == '>' ? i : 0;
}

static bool at_redir(const struct reader *r)
{
	int c = reader_peek(r, 0);

	if (redir_prefix(r))
		return true;
	if (c == '<' || c == '>')
		return reader_peek(r, 1) != '(';
	return c == '&' && reader_peek(r, 1) == '>';
}

const char *parse_literal(struct arena *a, const struct ast_word *w)
{
	size_t len = 0;
	char *s;

	for (const struct ast_part *p = w->part; p; p = p->next) {
		if (p->kind != PART_TEXT)
			return NULL;
		len += p->len;
	}
	s = arena_alloc(a, len + 1);
	len = 0;
	for (const struct ast_part *p = w->part; p && s; p = p->next) {
		memcpy(s + len, p->text, p->len);
		len += p->len;
	}
	return s;
}

static bool has_quotes(const struct ast_word *w)
{
	for (const struct ast_part *p = w->part; p; p = p->next) {
		if (p->quoted)
			return true;
	}
	return false;
}

/* The delimiter is the word without its quotes; what looks like an expansion is only text. */
static void heredoc_begin(struct reader *r, struct ast_redir *d, bool strip, size_t from)
{
	struct reader_heredoc *h = reader_alloc(r, sizeof(*h));
	const struct ast_word *w = d->target;

	if (!h || !w)
		return;
	*h = (struct reader_heredoc){ .redir = d, .strip = strip };
	h->delim = parse_literal(r->arena, w);
	d->raw = has_quotes(w);
	if (!h->delim) {
		if (d->raw) {
			reader_fail(r, from, false, "the here-document has an odd delimiter");
			return;
		}
		h->delim = arena_strndup(r->arena, r->text + from, r->pos - from);
	}
	h->delim_len = h->delim ? strlen(h->delim) : 0;
	d->target = NULL;
	*r->heredoc_tail = h;
	r->heredoc_tail = &h->next;
}

static struct ast_redir *redirection(struct reader *r)
{
	size_t from = r->pos, n = redir_prefix(r), at;
	struct ast_redir *d = reader_alloc(r, sizeof(*d));
	size_t i = 0, len = 0;

	if (!d)
		return NULL;
	d->fd = -2;
	if (n && r->text[from] == '{') {
		d->fd = -1;
		d->fdvar = arena_strndup(r->arena, r->text + from + 1, n - 2);
	} else if (n) {
		d->fd = 0;
		for (size_t k = 0; k < n && d->fd < 100000; k++)
			d->fd = d->fd * 10 + r->text[from + k] - '0';
	}
	r->pos += n;
	while (i < ARRAY_SIZE(redir_ops) && !(len = operator_len(r, redir_ops[i].text)))
		i++;
	if (i == ARRAY_SIZE(redir_ops)) {
		unexpected(r);
		return NULL;
	}
	reader_mark(r, from, 0, PARSE_MARK_REDIR);
	r->pos += len;
	d->op = redir_ops[i].op;
	if (d->fd == -2)
		d->fd = redir_ops[i].fd;
	reader_blanks(r);
	at = r->pos;
	d->target = reader_marked_word(r, PARSE_MARK_TARGET);
	if (!d->target)
		unexpected(r);
	if (d->op == REDIR_HEREDOC && !r->failed)
		heredoc_begin(r, d, redir_ops[i].strip, at);
	d->span = reader_span(r, from, r->pos);
	return r->failed ? NULL : d;
}

static void redirections(struct reader *r, struct ast *n)
{
	struct ast_redir **tail = &n->redir;

	while (*tail)
		tail = &(*tail)->next;
	for (;;) {
		reader_blanks(r);
		if (r->failed || !at_redir(r))
			return;
		*tail = redirection(r);
		if (!*tail)
			return;
		tail = &(*tail)->next;
	}
}

/* ---- aliases -------------------------------------------------------------------------- */

static bool alias_busy(const struct reader *r, const char *name)
{
	for (const struct reader_splice *s = r->splice; s; s = s->next) {
		if (r->pos < s->now && strcmp(s->name, name) == 0)
			return true;
	}
	return false;
}

/* Put @text in place of the word of @len bytes: all later positions count in the new text. */
static void splice(struct reader *r, const char *name, const char *text, size_t len)
{
	size_t n = strlen(text), rest = r->end - r->pos - len;
	char *out = reader_alloc(r, r->pos + n + rest + 1);
	struct reader_splice *s = reader_alloc(r, sizeof(*s));

	if (!out || !s)
		return;
	memcpy(out, r->text, r->pos);
	memcpy(out + r->pos, text, n);
	memcpy(out + r->pos + n, r->text + r->pos + len, rest);
	*s = (struct reader_splice){ .next = r->splice, .from = r->pos, .to = r->pos + n, .now = r->pos + n, .was = len,
				     .at = reader_span(r, r->pos, r->pos + len), .name = name };
	/* The texts that this one stands in grow with it. */
	for (struct reader_splice *o = r->splice; o; o = o->next) {
		if (r->pos < o->now)
			o->now = o->now + n - len;
	}
	if (r->in->marks)
		r->in->marks->aliased = true;
	r->splice = s;
	r->text = out;
	r->end = r->pos + n + rest;
	r->nsplice++;
	if (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		r->alias_next = r->pos + n;
}

static void aliases(struct reader *r)
{
	char word[128];
	size_t len;

	while (r->in->alias && !r->failed && (len = plain_word(r, word, sizeof(word)))) {
		const char *name, *text;

		if (alias_busy(r, word))
			return;
		text = r->in->alias(r->in->arg, word);
		if (!text)
			return;
		if (r->nsplice == ALIAS_MAX) {
			reader_fail(r, r->pos, false, "more than %d aliases", ALIAS_MAX);
			return;
		}
		name = arena_strdup(r->arena, word);
		if (!name)
			return;
		splice(r, name, text, len);
		reader_blanks(r);
	}
}

/* ---- simple commands ------------------------------------------------------------------ */

static const char *const reserved[] = {
	"then", "else", "elif", "fi", "do", "done", "esac", "}", "in", NULL
};

static bool at_closer(const struct reader *r)
{
	char word[16];

	if (!plain_word(r, word, sizeof(word)))
		return false;
	for (size_t i = 0; reserved[i]; i++) {
		if (strcmp(word, reserved[i]) == 0 && strcmp(word, "in") != 0)
			return true;
	}
	return false;
}

static const char *const declares[] = { "export", "declare", "typeset", "local", "readonly", NULL };

static bool is_declare(struct reader *r, const struct ast_word *w)
{
	const char *s = has_quotes(w) ? NULL : parse_literal(r->arena, w);

	for (size_t i = 0; s && declares[i]; i++) {
		if (strcmp(s, declares[i]) == 0)
			return true;
	}
	return false;
}

static bool is_prefix(struct reader *r, const struct ast_word *w)
{
	const char *s = has_quotes(w) ? NULL : parse_literal(r->arena, w);

	return s && (strcmp(s, "command") == 0 || strcmp(s, "builtin") == 0);
}

static struct ast_word *declared(struct reader *r)
{
	struct ast_word *w = reader_alloc(r, sizeof(*w));

	if (!w)
		return NULL;
	reader_mark(r, r->pos, 0, PARSE_MARK_WORD);
	w->assign = reader_assign(r);
	if (w->assign)
		w->span = w->assign->span;
	return w;
}

struct simple_state {
	struct ast		*n;
	struct ast_word		**word;
	struct ast_assign	**assign;
	struct ast_redir	**redir;
	size_t			 nwords;
	bool			 declare;	/* words may be assignments */
	bool			 prefix;	/* only `command` and `builtin` so far */
};

/* One element of a simple command; false when it is over. */
static bool simple_part(struct reader *r, struct simple_state *s)
{
	size_t before = r->pos;

	reader_blanks(r);
	if (r->failed)
		return false;
	if (at_redir(r)) {
		*s->redir = redirection(r);
		if (*s->redir)
			s->redir = &(*s->redir)->next;
		return !r->failed;
	}
	if (!s->nwords && reader_assign_len(r)) {
		*s->assign = reader_assign(r);
		if (*s->assign)
			s->assign = &(*s->assign)->next;
		return !r->failed;
	}
	if (!s->nwords || (before < r->alias_next && r->pos >= r->alias_next))
		aliases(r);
	if (at_redir(r) || (!s->nwords && reader_assign_len(r)))
		return true;
	*s->word = s->declare && reader_assign_len(r) ? declared(r) :
		   reader_marked_word(r, s->nwords ? PARSE_MARK_WORD : PARSE_MARK_COMMAND);
	if (!*s->word)
		return false;
	if (s->prefix) {
		s->declare = is_declare(r, *s->word);
		s->prefix = is_prefix(r, *s->word);
	}
	s->nwords++;
	s->word = &(*s->word)->next;
	return true;
}

static struct ast *function_body(struct reader *r, const char *name, size_t from)
{
	struct ast *n = node(r, AST_FUNCTION, from);
	size_t start;

	if (!n || !reader_enter(r))
		return NULL;
	newlines(r);
	start = r->pos;
	n->name = name;
	n->a = command(r);
	if (!r->failed && (!n->a || n->a->kind == AST_SIMPLE))
		reader_fail(r, start, r->pos >= r->end && !n->a, "a function needs a body in braces");
	n->source = r->text + start;
	n->source_len = r->failed ? 0 : r->pos - start;
	finish(r, n, from);
	reader_leave(r);
	return n;
}

static struct ast *simple(struct reader *r)
{
	size_t from = r->pos;
	struct ast *n = node(r, AST_SIMPLE, from);
	struct simple_state s = { .n = n, .prefix = true };

	if (!n)
		return NULL;
	s.word = &n->words;
	s.assign = &n->assign;
	s.redir = &n->redir;
	while (simple_part(r, &s)) {
		if (!n->words || n->words->next || n->redir || n->assign)
			continue;
		reader_blanks(r);
		if (reader_peek(r, 0) == '(') {
			r->pos++;
			reader_blanks(r);
			if (!take(r, ")")) {
				unexpected(r);
				return NULL;
			}
			if (r->in->marks && r->in->marks->n)
				r->in->marks->n--;	/* the name: nothing runs here */
			return function_body(r, parse_literal(r->arena, n->words), from);
		}
	}
	finish(r, n, from);
	if (!n->words && !n->redir && !n->assign) {
		if (!r->splice)
			return NULL;
		n->span = r->splice->at;	/* an alias without text */
	}
	return n;
}

/* ---- compound commands ---------------------------------------------------------------- */

static struct ast *body(struct reader *r)
{
	size_t from = r->pos;
	struct ast *n = parse_commands(r, 0);

	if (!r->failed && !n->a) {
		r->pos = MAX(r->pos, from);
		unexpected(r);
	}
	return n;
}

static struct ast *do_done(struct reader *r)
{
	struct ast *n;

	newlines(r);
	if (take_word(r, "{")) {
		n = body(r);
		expect_word(r, "}");
		return n;
	}
	expect_word(r, "do");
	n = body(r);
	expect_word(r, "done");
	return n;
}

static struct ast *if_(struct reader *r, size_t from)
{
	struct ast *n = node(r, AST_IF, from);

	if (!n || !reader_enter(r))
		return NULL;
	n->a = body(r);
	expect_word(r, "then");
	n->b = body(r);
	newlines(r);
	if (at_word(r, "elif")) {
		size_t at = r->pos;

		take_word(r, "elif");
		n->c = if_(r, at);
	} else {
		if (take_word(r, "else"))
			n->c = body(r);
		expect_word(r, "fi");
	}
	finish(r, n, from);
	reader_leave(r);
	return n;
}

static struct ast *while_(struct reader *r, size_t from, enum ast_kind kind)
{
	struct ast *n = node(r, kind, from);

	if (!n)
		return NULL;
	n->a = body(r);
	n->b = do_done(r);
	return n;
}

static struct ast_word *word_list(struct reader *r)
{
	struct ast_word *first = NULL, **tail = &first;

	for (;;) {
		reader_blanks(r);
		*tail = reader_word(r, READER_WORD);
		if (!*tail)
			return first;
		tail = &(*tail)->next;
	}
}

/* After the head of a loop: ; or a newline, or nothing. */
static void loop_separator(struct reader *r)
{
	reader_blanks(r);
	if (reader_peek(r, 0) == ';' && reader_peek(r, 1) != ';')
		r->pos++;
	newlines(r);
}

static struct ast *for_arith(struct reader *r, struct ast *n)
{
	size_t from = r->pos + 2, end = reader_arith_end(r, from, ')'), k = 0, start = from;

	if (!end) {
		reader_fail(r, r->pos, true, "the (( is not closed");
		return n;
	}
	for (size_t i = from; i < end - 2 + 1 && k < 3; i++) {
		if (i < end - 2 && r->text[i] != ';')
			continue;
		n->expr[k++] = reader_range(r, READER_ARITH, start, i);
		start = i + 1;
	}
	r->pos = r->failed ? r->end : end;
	if (!r->failed && k != 3)
		reader_fail(r, from, false, "for (( needs three expressions");
	n->kind = AST_CFOR;
	loop_separator(r);
	n->b = do_done(r);
	return n;
}

static struct ast *for_(struct reader *r, size_t from, enum ast_kind kind)
{
	struct ast *n = node(r, kind, from);
	struct ast_word *w;

	if (!n)
		return NULL;
	reader_blanks(r);
	if (kind == AST_FOR && operator_len(r, "(("))
		return for_arith(r, n);
	w = reader_word(r, READER_WORD);
	n->name = w ? parse_literal(r->arena, w) : NULL;
	if (!n->name) {
		unexpected(r);
		return n;
	}
	newlines(r);
	if (take_word(r, "in")) {
		n->has_in = true;
		n->words = word_list(r);
	}
	loop_separator(r);
	n->b = do_done(r);
	return n;
}

static struct ast_case *case_item(struct reader *r)
{
	struct ast_case *c = reader_alloc(r, sizeof(*c));
	struct ast_word **tail;

	if (!c)
		return NULL;
	tail = &c->pattern;
	take(r, "(");
	do {
		reader_blanks(r);
		*tail = reader_word(r, READER_WORD);
		if (!*tail) {
			unexpected(r);
			return NULL;
		}
		tail = &(*tail)->next;
		reader_blanks(r);
	} while (reader_peek(r, 0) == '|' && take(r, "|"));
	if (!take(r, ")")) {
		unexpected(r);
		return NULL;
	}
	c->body = parse_commands(r, 0);
	newlines(r);
	if (take(r, ";;&"))
		c->fall = c->tests = true;
	else if (take(r, ";&"))
		c->fall = true;
	else if (!take(r, ";;") && !at_word(r, "esac"))
		unexpected(r);
	return c;
}

static struct ast *case_(struct reader *r, size_t from)
{
	struct ast *n = node(r, AST_CASE, from);
	struct ast_case **tail;

	if (!n)
		return NULL;
	reader_blanks(r);
	n->words = reader_word(r, READER_WORD);
	if (!n->words)
		unexpected(r);
	expect_word(r, "in");
	tail = &n->item;
	for (newlines(r); !r->failed && !take_word(r, "esac"); newlines(r)) {
		*tail = case_item(r);
		if (!*tail)
			return n;
		tail = &(*tail)->next;
	}
	return n;
}

static struct ast *function(struct reader *r, size_t from)
{
	struct ast_word *w;
	const char *name;

	reader_blanks(r);
	w = reader_word(r, READER_WORD);
	name = w ? parse_literal(r->arena, w) : NULL;
	if (!name) {
		unexpected(r);
		return NULL;
	}
	reader_blanks(r);
	if (take(r, "(")) {
		reader_blanks(r);
		if (!take(r, ")")) {
			/* function f (subshell): the parenthesis was the body */
			reader_fail(r, r->pos, false, "a function with a subshell for its body");
			return NULL;
		}
	}
	return function_body(r, name, from);
}

static const char *const compound_words[] = {
	"{", "if", "while", "until", "for", "select", "case", "[[", NULL
};

static bool at_compound(const struct reader *r)
{
	if (reader_peek(r, 0) == '(')
		return true;
	for (size_t i = 0; compound_words[i]; i++) {
		if (at_word(r, compound_words[i]))
			return true;
	}
	return false;
}

/* coproc [NAME] compound, or coproc simple. */
static struct ast *coproc(struct reader *r, size_t from)
{
	struct ast *n = node(r, AST_COPROC, from);
	size_t at, marks = r->in->marks ? r->in->marks->n : 0;

	if (!n)
		return NULL;
	reader_blanks(r);
	at = r->pos;
	if (!at_compound(r)) {
		struct ast_word *w = reader_word(r, READER_WORD);

		n->name = w ? parse_literal(r->arena, w) : NULL;
		reader_blanks(r);
		if (!n->name || !at_compound(r)) {
			n->name = NULL;
			r->pos = r->failed ? r->end : at;
			if (r->in->marks)
				r->in->marks->n = marks;
		}
	}
	n->a = command(r);
	if (!n->a)
		unexpected(r);
	return n;
}

/* An operator or a word of [[ ]]. */
static struct ast_word *test_word(struct reader *r, bool regex)
{
	static const char *const ops[] = { "&&", "||", "(", ")", "<", ">", NULL };
	size_t from = r->pos;
	struct ast_word *w;

	for (size_t i = 0; !regex && ops[i]; i++) {
		if (!operator_len(r, ops[i]) || ((ops[i][0] == '<' || ops[i][0] == '>') && reader_peek(r, 1) == '('))
			continue;
		take(r, ops[i]);
		w = reader_range(r, READER_ARITH, from, r->pos);
		return w;
	}
	return reader_word(r, regex ? READER_REGEX : READER_WORD);
}

static struct ast *test(struct reader *r, size_t from)
{
	struct ast *n = node(r, AST_TEST, from);
	struct ast_word **tail;
	bool regex = false;

	if (!n)
		return NULL;
	tail = &n->words;
	for (newlines(r); !r->failed && !take_word(r, "]]"); newlines(r)) {
		bool next = at_word(r, "=~");

		*tail = test_word(r, regex);
		if (!*tail) {
			unexpected(r);
			return n;
		}
		tail = &(*tail)->next;
		regex = next;
	}
	return n;
}

static struct ast *parenthesized(struct reader *r, size_t from)
{
	size_t end, at = r->pos;
	struct ast *n;

	if (reader_peek(r, 1) == '(' && (end = reader_arith_end(r, r->pos + 2, ')'))) {
		n = node(r, AST_ARITH, from);
		if (!n)
			return NULL;
		n->expr[0] = reader_range(r, READER_ARITH, r->pos + 2, end - 2);
		r->pos = r->failed ? r->end : end;
		return n;
	}
	n = node(r, AST_SUBSHELL, from);
	if (!n)
		return NULL;
	r->pos++;
	n->a = parse_commands(r, ')');
	if (!r->failed && (!n->a->a || !take(r, ")")))
		unexpected(r);
	/* bash looks for arithmetic first, and over lines it does not find back to the subshells */
	if (!r->failed && r->text[at + 1] == '(' && memchr(r->text + at, '\n', r->pos - at))
		reader_fail(r, at, false, "(( that is no arithmetic, over more than one line");
	return n;
}

static struct ast *group(struct reader *r, size_t from)
{
	struct ast *n = node(r, AST_GROUP, from);

	if (!n)
		return NULL;
	n->a = body(r);
	expect_word(r, "}");
	return n;
}

static struct ast *by_word(struct reader *r, size_t from)
{
	if (take_word(r, "{"))
		return group(r, from);
	if (take_word(r, "if"))
		return if_(r, from);
	if (take_word(r, "while"))
		return while_(r, from, AST_WHILE);
	if (take_word(r, "until"))
		return while_(r, from, AST_UNTIL);
	if (take_word(r, "for"))
		return for_(r, from, AST_FOR);
	if (take_word(r, "select"))
		return for_(r, from, AST_SELECT);
	if (take_word(r, "case"))
		return case_(r, from);
	if (take_word(r, "[[")) {
		reader_mark(r, from, 0, PARSE_MARK_TEST);
		return test(r, from);
	}
	if (take_word(r, "function"))
		return function(r, from);
	if (take_word(r, "coproc")) {
		reader_mark(r, from, 0, PARSE_MARK_PREFIX);
		return coproc(r, from);
	}
	return NULL;
}

static struct ast *command(struct reader *r)
{
	size_t from;
	struct ast *n;

	reader_blanks(r);
	aliases(r);
	from = r->pos;
	if (r->failed || at_closer(r) || !reader_enter(r))
		return NULL;
	n = reader_peek(r, 0) == '(' ? parenthesized(r, from) : by_word(r, from);
	if (n && n->kind != AST_FUNCTION && n->kind != AST_COPROC)
		redirections(r, n);
	if (n)
		finish(r, n, from);
	else if (!r->failed)
		n = simple(r);
	reader_leave(r);
	return n;
}

/* ---- pipelines and lists -------------------------------------------------------------- */

static struct ast *wrap(struct reader *r, enum ast_kind kind, struct ast *a, struct ast *b, size_t from)
{
	struct ast *n = node(r, kind, from);

	if (!n)
		return NULL;
	n->a = a;
	n->b = b;
	finish(r, n, from);
	return n;
}

static struct ast *stages(struct reader *r)
{
	size_t from = r->pos;
	struct ast *first = command(r), *last = first;

	while (first && !r->failed) {
		reader_blanks(r);
		if (operator_len(r, "||") || reader_peek(r, 0) != '|')
			break;
		last->pipe_err = take(r, "|&");
		if (!last->pipe_err)
			take(r, "|");
		newlines(r);
		last->next = command(r);
		last = last->next;
		if (!last) {
			unexpected(r);
			return NULL;
		}
	}
	return first && first->next ? wrap(r, AST_PIPE, first, NULL, from) : first;
}

/* `!` and `time` may stand before a pipeline in any number and order. */
static struct ast *pipeline(struct reader *r)
{
	size_t from;
	enum ast_kind kind = AST_SIMPLE;
	struct ast *n;

	reader_blanks(r);
	aliases(r);
	from = r->pos;
	if (!(r->in->extglob && reader_peek(r, 1) == '(') && take_word(r, "!")) {
		kind = AST_NOT;
	} else if (take_word(r, "time")) {
		kind = AST_TIME;
		reader_blanks(r);
		if (take_word(r, "-p"))
			reader_blanks(r);
		take_word(r, "--");
	}
	if (kind == AST_SIMPLE)
		return stages(r);
	reader_mark(r, from, 0, PARSE_MARK_PREFIX);
	if (!reader_enter(r))
		return NULL;
	n = pipeline(r);
	if (!n && !r->failed) {
		/* a bare "!" or "time" is allowed and does nothing */
		n = node(r, AST_LIST, from);
	}
	n = wrap(r, kind, n, NULL, from);
	reader_leave(r);
	return n;
}

static struct ast *and_or(struct reader *r)
{
	size_t from;
	struct ast *n;

	reader_blanks(r);
	from = r->pos;
	n = pipeline(r);
	while (n && !r->failed) {
		enum ast_kind kind;
		struct ast *right;

		reader_blanks(r);
		if (take(r, "&&"))
			kind = AST_AND;
		else if (take(r, "||"))
			kind = AST_OR;
		else
			break;
		newlines(r);
		right = pipeline(r);
		if (!right)
			unexpected(r);
		else
			n = wrap(r, kind, n, right, from);
	}
	return n;
}

/* What ends a command in a list. False: neither ; nor & nor a newline. */
static bool separator(struct reader *r, struct ast *n)
{
	reader_blanks(r);
	if (reader_peek(r, 0) == '\n')
		return true;
	if (operator_len(r, ";;") || operator_len(r, ";&"))
		return false;
	if (take(r, ";"))
		return true;
	if (!operator_len(r, "&&") && take(r, "&")) {
		n->background = true;
		return true;
	}
	return false;
}

/* @stop: leave after the newline that ends a complete command. */
static struct ast *list(struct reader *r, int close, bool stop)
{
	size_t from = r->pos;
	struct ast *n = node(r, AST_LIST, from), **tail = n ? &n->a : NULL;

	while (n && !r->failed) {
		if (stop && n->a) {
			reader_blanks(r);
			if (reader_peek(r, 0) == '\n') {
				r->pos++;
				reader_heredocs(r);
				break;
			}
		}
		newlines(r);
		if (r->failed || r->pos >= r->end || reader_peek(r, 0) == close)
			break;
		*tail = and_or(r);
		if (!*tail)
			break;
		if (!separator(r, *tail))
			break;
		tail = &(*tail)->next;
	}
	finish(r, n, from);
	return n;
}

struct ast *parse_commands(struct reader *r, int close)
{
	struct ast *n;

	if (!reader_enter(r))
		return node(r, AST_LIST, r->pos);
	n = list(r, close, false);
	reader_leave(r);
	return n;
}

static void parse(const struct parse_in *in, struct parse_out *out, bool first)
{
	struct reader r = { .in = in, .arena = in->arena, .text = in->text, .end = in->len, .depth = in->depth };

	*out = (struct parse_out){ 0 };
	if (in->marks && !in->marks->text) {
		in->marks->text = in->text;
		in->marks->len = in->len;
	}
	r.heredoc_tail = &r.heredoc;
	if (in->len > CMDLINE_MAX)
		reader_fail(&r, 0, false, "the line is longer than %u bytes", CMDLINE_MAX);
	else if (memchr(in->text, '\0', in->len))
		reader_fail(&r, 0, false, "the line holds a NUL byte");
	out->list = list(&r, -1, first);
	if (!r.failed && r.heredoc && in->script)
		reader_heredocs(&r);
	if (!r.failed && r.heredoc)
		reader_fail(&r, r.pos, true, "the here-document is not ended");
	if (!r.failed && r.pos < r.end && !first)
		unexpected(&r);
	out->failed = r.failed;
	out->gap = r.gap;
	out->used = r.pos;
}

void parse_text(const struct parse_in *in, struct parse_out *out)
{
	parse(in, out, false);
}

void parse_first(const struct parse_in *in, struct parse_out *out)
{
	parse(in, out, true);
}

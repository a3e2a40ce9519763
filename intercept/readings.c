#include "intercept/readings.h"

#include <string.h>

#include "intercept/treesit.h"

/* ---- the marks of the tree ------------------------------------------------------------- */

/* What a node of the grammar is to us. */
enum role {
	ROLE_OTHER = 0, ROLE_NAME, ROLE_COMMAND, ROLE_BUILTIN, ROLE_TEST, ROLE_FILE, ROLE_HEREDOC, ROLE_HERESTRING, ROLE_SUBST
};

static const struct { const char *type; enum role role; } roles[] = {
	{ "command_name", ROLE_NAME }, { "command", ROLE_COMMAND }, { "declaration_command", ROLE_BUILTIN },
	{ "unset_command", ROLE_BUILTIN }, { "test_command", ROLE_TEST }, { "file_redirect", ROLE_FILE },
	{ "command_substitution", ROLE_SUBST }, { "heredoc_redirect", ROLE_HEREDOC }, { "herestring_redirect", ROLE_HERESTRING },
};

#define SYMBOLS 512

static const uint8_t *role_table(void)
{
	static uint8_t table[SYMBOLS];
	static bool made;

	for (uint16_t s = 0; !made && s < treesit_symbols(TREESIT_BASH) && s < SYMBOLS; s++) {
		bool named;
		const char *type = treesit_symbol_name(TREESIT_BASH, s, &named);

		for (size_t i = 0; named && i < ARRAY_SIZE(roles); i++) {
			if (strcmp(type, roles[i].type) == 0)
				table[s] = (uint8_t)roles[i].role;
		}
	}
	made = true;
	return table;
}

enum seen {
	SEEN_COMMAND, SEEN_WORD, SEEN_REDIR, SEEN_TARGET,
	SEEN_MORE,	/* a word that the grammar gives to a redirection, but bash to the command */
	SEEN_TEST, SEEN_NOTHING, SEEN_COUNT
};

/* ---- side by side ---------------------------------------------------------------------- */

struct merge {
	const char		*text;
	size_t			 len;
	const struct parse_marks *ours;
	const uint8_t		*table;
	size_t			 next;		/* of our marks */
	size_t			 reached;	/* by the tree's marks */
	size_t			 hidden_end;	/* of the last part that the grammar cannot follow */
	size_t			 body_end;	/* of the last here-document */
	size_t			 error_end;	/* of the last ERROR */
	size_t			 command;	/* start of our last one */
	size_t			 where;
	bool			 prefix;	/* ours: after time or coproc, the next command is the first one there */
	bool			 glued;		/* the tree: its command is a word that only begins something */
	bool			 differ;
	unsigned		 guess;		/* depth of what follows a token that was made up; 0: none */
	struct {
		uint8_t	role;
		bool	seen;			/* a child that counts came already */
	} up[TREESIT_DEPTH + 2];
};

static const struct parse_mark *mark_at(const struct merge *m, size_t at)
{
	const struct parse_marks *o = m->ours;

	return m->next < o->n && o->mark[m->next].at == at ? &o->mark[m->next] : NULL;
}

static bool at_word(const struct merge *m, size_t at, const char *word)
{
	size_t n = strlen(word);

	return at < m->len && m->len - at >= n && memcmp(m->text + at, word, n) == 0 &&
	       (at + n == m->len || strchr(" \t\n;&|()<>", m->text[at + n]));
}

/* Words that bash takes for the shape of a command; the grammar takes them for names now and then. */
static const char *const shape[] = { "time", "coproc", "!", "then", "else", "elif", "fi", "do", "done", "esac", "{", "}", "in",
				     "if", "while", "until", "for", "case", "select", "function", "[[" };

static bool is_shape(const struct merge *m, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(shape); i++) {
		if (at_word(m, at, shape[i]))
			return true;
	}
	return false;
}

/* Reasons why a difference is one of the grammar's known defects. */
typedef bool excuse_fn(const struct merge *m, size_t at);

static bool always(const struct merge *m, size_t at)
{
	(void)m;
	(void)at;
	return true;
}

/* `time a`, `coproc a`, `time if a; then b; fi`: a command with a strange name, and what follows are its words. */
static bool after_shape(const struct merge *m, size_t at)
{
	(void)at;
	return m->glued || m->prefix;
}

/* The grammar overlooks substitutions in here-documents. That we see them does no harm. */
static bool in_body(const struct merge *m, size_t at)
{
	return at < m->body_end;
}

static bool overlooked(const struct merge *m, size_t at)
{
	return after_shape(m, at) || in_body(m, at);
}

/* A command that is named `done`: not run by anybody. */
static bool shape_name(const struct merge *m, size_t at)
{
	return is_shape(m, at);
}

static char char_at(const struct merge *m, size_t at)
{
	return at < m->len ? m->text[at] : '\0';
}

static bool is_escaped(const struct merge *m, size_t at)
{
	size_t n = 0;

	while (n < at && m->text[at - 1 - n] == '\\')
		n++;
	return n % 2;
}

/* A blank that separates: an escaped one belongs to a word or is a continuation. */
static bool is_blank(const struct merge *m, size_t at)
{
	return strchr(" \t\n", m->text[at]) && !is_escaped(m, at);
}

/* Inside a word of ours: --file=<(x) and $'a'b are split by the grammar, but blanks are seen. */
static bool inside_word(const struct merge *m, size_t at)
{
	return m->glued || m->prefix || (at && !is_blank(m, at - 1));
}

/* It may take the start of a here-document for words, too: they cannot begin with a line. */
static bool split_or_body(const struct merge *m, size_t at)
{
	return inside_word(m, at) || in_body(m, at) || char_at(m, at) == '\n';
}

/* `5<>f`, `0<&5`, `{fd}>f`: what stands before the operator is not always taken for a descriptor. */
static bool descriptor(const struct merge *m, size_t at)
{
	size_t n = at;

	if (char_at(m, n) == '{') {
		while (char_at(m, n) && !strchr("} \t\n<>", m->text[n]))
			n++;
	}
	while (char_at(m, n) && strchr("0123456789}", m->text[n]))
		n++;
	return n > at && (char_at(m, n) == '<' || char_at(m, n) == '>');
}

/* The rest of an operator that we have as a whole: 196<&5, <<-E. */
static bool after_operator(const struct merge *m, size_t at)
{
	return at && strchr("0123456789<>&}", m->text[at - 1]);
}

/* `<<-E a`: the second < alone is taken for a redirection. */
static bool after_heredoc(const struct merge *m, size_t at)
{
	return at >= 2 && m->text[at - 1] == '<' && m->text[at - 2] == '<';
}

/* What the tree has (row) where we have what (column); no entry: the readings differ. */
static excuse_fn *const excuses[SEEN_COUNT][PARSE_MARK_COUNT + 1] = {
	[SEEN_COMMAND] = {
		[PARSE_MARK_COMMAND] = always, [PARSE_MARK_PREFIX] = always, [PARSE_MARK_TEST] = always,
		[PARSE_MARK_REDIR] = descriptor, [PARSE_MARK_COUNT] = shape_name,
	},
	[SEEN_TEST] = { [PARSE_MARK_TEST] = always },
	[SEEN_WORD] = {
		[PARSE_MARK_WORD] = always, [PARSE_MARK_COMMAND] = after_shape, [PARSE_MARK_PREFIX] = after_shape,
		[PARSE_MARK_TEST] = after_shape, [PARSE_MARK_REDIR] = descriptor, [PARSE_MARK_COUNT] = inside_word,
	},
	[SEEN_REDIR] = { [PARSE_MARK_REDIR] = always, [PARSE_MARK_COUNT] = after_operator },
	[SEEN_TARGET] = { [PARSE_MARK_TARGET] = always, [PARSE_MARK_COUNT] = after_heredoc },
	[SEEN_MORE] = {
		[PARSE_MARK_COMMAND] = always, [PARSE_MARK_WORD] = always, [PARSE_MARK_REDIR] = descriptor,
		[PARSE_MARK_TARGET] = always, [PARSE_MARK_COUNT] = split_or_body,
	},
	[SEEN_NOTHING] = {
		[PARSE_MARK_COMMAND] = overlooked, [PARSE_MARK_WORD] = always, [PARSE_MARK_TARGET] = always,
		[PARSE_MARK_REDIR] = in_body, [PARSE_MARK_TEST] = in_body,
		[PARSE_MARK_PREFIX] = always, [PARSE_MARK_BODY] = always, [PARSE_MARK_GROUP] = always,
		[PARSE_MARK_INNER] = always,
	},
};

static bool is_hidden(const struct merge *m, size_t at)
{
	return at < m->hidden_end || at < m->error_end;
}

static void judge(struct merge *m, enum seen seen, const struct parse_mark *ours, size_t at)
{
	excuse_fn *fn = excuses[seen][ours ? ours->kind : PARSE_MARK_COUNT];

	if (m->differ || is_hidden(m, at) || (fn && fn(m, at)))
		return;
	m->differ = true;
	m->where = at;
}

/* ---- here-documents -------------------------------------------------------------------- */

/* The grammar follows one here-document on a line, with a delimiter, and not in front of the command. */
static bool is_odd_body(const struct merge *m, size_t i)
{
	const struct parse_mark *b = &m->ours->mark[i];

	if (b->to == b->at || m->text[b->to - 1] == '\n')
		return true;		/* ended by an empty line */
	for (size_t k = i; k--; ) {
		const struct parse_mark *before = &m->ours->mark[k];

		if (before->kind == PARSE_MARK_BODY)
			return before->to + 1 == b->at;		/* two on one line */
		if (before->kind != PARSE_MARK_REDIR || m->text[before->at] != '<')
			continue;
		return k == 0;
	}
	return false;
}

static bool is_first_of_two(const struct merge *m, size_t i)
{
	const struct parse_marks *o = m->ours;

	for (size_t k = i + 1; k < o->n && o->mark[k].at <= o->mark[i].to + 1; k++) {
		if (o->mark[k].kind == PARSE_MARK_BODY)
			return true;
	}
	return false;
}

/* Take the next mark of ours. */
static void pass(struct merge *m)
{
	const struct parse_mark *o = &m->ours->mark[m->next];

	/* What begins a command may be a subshell in place of a pattern: there the grammar has a say. */
	if (o->kind == PARSE_MARK_INNER || (o->kind == PARSE_MARK_GROUP && o->at != m->command))
		m->hidden_end = MAX(m->hidden_end, (size_t)o->to);
	if (o->kind == PARSE_MARK_BODY)
		m->body_end = o->to;
	if (o->kind == PARSE_MARK_BODY && (is_odd_body(m, m->next) || is_first_of_two(m, m->next)))
		m->hidden_end = MAX(m->hidden_end, o->to + (size_t)1);
	if (o->kind == PARSE_MARK_PREFIX)
		m->prefix = true;
	else if (o->kind == PARSE_MARK_COMMAND || o->kind == PARSE_MARK_TEST)
		m->prefix = false;
	if (o->kind == PARSE_MARK_COMMAND)
		m->command = o->at;
	m->next++;
}

/* Our marks before @at have nothing beside them in the tree. */
static void catch_up(struct merge *m, size_t at)
{
	while (m->next < m->ours->n && m->ours->mark[m->next].at < at) {
		const struct parse_mark *o = &m->ours->mark[m->next];

		judge(m, SEEN_NOTHING, o, o->at);
		pass(m);
	}
}

static void meet(struct merge *m, enum seen seen, size_t at)
{
	const struct parse_mark *o;

	if (at < m->reached) {		/* cannot be compared in one pass; the grammar makes no such tree */
		m->differ = true;
		m->where = at;
		return;
	}
	m->reached = at;
	catch_up(m, at);
	while ((o = mark_at(m, at)) && o->to)	/* a range, not a word */
		pass(m);
	judge(m, seen, o, at);
	if (seen == SEEN_COMMAND)
		m->glued = is_shape(m, at);
	if (o)
		pass(m);
}

/* ---- the walk -------------------------------------------------------------------------- */

static enum seen child_of(struct merge *m, const struct treesit_node *n)
{
	bool first = !m->up[n->depth - 1].seen;

	switch (m->up[n->depth - 1].role) {
	case ROLE_COMMAND:
		return n->field && strcmp(n->field, "argument") == 0 ? SEEN_WORD : SEEN_NOTHING;
	case ROLE_BUILTIN:
		m->up[n->depth - 1].seen = true;
		return first ? SEEN_COMMAND : SEEN_WORD;
	case ROLE_TEST:
		m->up[n->depth - 1].seen = true;
		return !first ? SEEN_NOTHING : n->to - n->from == 2 ? SEEN_TEST : SEEN_COMMAND;
	case ROLE_FILE:
		if (!n->named && n->to > n->from && m->text[n->to - 1] == '-')	/* >&- takes no word */
			m->up[n->depth - 1].seen = true;
		if (!n->field || strcmp(n->field, "destination") != 0)
			return SEEN_NOTHING;
		m->up[n->depth - 1].seen = true;
		return first ? SEEN_TARGET : SEEN_MORE;
	case ROLE_HEREDOC:
		return n->field && strcmp(n->field, "argument") == 0 ? SEEN_MORE : SEEN_NOTHING;
	default:
		return SEEN_NOTHING;
	}
}

static enum seen seen_as(struct merge *m, const struct treesit_node *n, enum role role)
{
	enum seen seen = n->depth ? child_of(m, n) : SEEN_NOTHING;

	if (seen != SEEN_NOTHING)
		return seen;
	if (role == ROLE_NAME)
		return SEEN_COMMAND;
	return role == ROLE_FILE || role == ROLE_HEREDOC || role == ROLE_HERESTRING ? SEEN_REDIR : SEEN_NOTHING;
}

/* $((1+$(a))) is arithmetic to us when the first command inside stands in a substitution of its own; in
 * $((a); (b)) it stands right behind the parentheses. */
static bool is_arithmetic(const struct merge *m, const struct treesit_node *n)
{
	const struct parse_mark *first = m->next < m->ours->n ? &m->ours->mark[m->next] : NULL;
	size_t at = n->from + 3;

	if (n->to < at || memcmp(m->text + n->from, "$((", 3) != 0)
		return false;
	if (!first || first->at >= n->to)
		return true;
	return first->at > at && (memchr(m->text + at, '$', first->at - at) || memchr(m->text + at, '`', first->at - at));
}

/* In a here-document \$(a) is text and $((1+1)) is arithmetic; the grammar knows neither. */
static bool is_text(struct merge *m, const struct treesit_node *n)
{
	const struct parse_mark *o;

	catch_up(m, n->from);
	while ((o = mark_at(m, n->from)) && o->to)	/* it may begin the body */
		pass(m);
	return in_body(m, n->from) && (is_escaped(m, n->from) || is_arithmetic(m, n));
}

static enum treesit_go visit(void *arg, const struct treesit_node *n)
{
	struct merge *m = arg;
	enum role role = n->symbol < SYMBOLS ? (enum role)m->table[n->symbol] : ROLE_OTHER;
	enum seen seen;

	m->up[n->depth].role = (uint8_t)role;
	m->up[n->depth].seen = false;
	if (n->error || n->missing || (m->guess && n->depth == m->guess)) {
		catch_up(m, n->from);
		m->error_end = MAX(m->error_end, n->to + (size_t)1);
		m->guess = n->missing ? n->depth : 0;
		return TREESIT_OVER;
	}
	if (n->depth < m->guess)
		m->guess = 0;
	if (role == ROLE_SUBST && is_text(m, n))
		return TREESIT_OVER;
	seen = seen_as(m, n, role);
	if (seen != SEEN_NOTHING)
		meet(m, seen, n->from);
	return m->differ ? TREESIT_STOP : TREESIT_DOWN;
}

static enum readings compare(const struct parse_marks *ours, size_t *where)
{
	struct merge m;

	memset(&m, 0, offsetof(struct merge, up));
	m.text = ours->text;
	m.len = ours->len;
	m.ours = ours;
	m.table = role_table();
	if (treesit_walk(TREESIT_BASH, m.text, m.len, visit, &m) < 0 && !m.differ)
		return READINGS_UNKNOWN;
	if (!m.differ)
		catch_up(&m, SIZE_MAX);
	*where = m.where;
	return m.differ ? READINGS_DIFFER : READINGS_AGREE;
}

/* Inner texts are as deep as the parser follows them, and no deeper. */
enum readings readings_compare(const struct parse_marks *ours, size_t *where)
{
	enum readings r = compare(ours, where);

	for (const struct parse_marks *i = ours->inner; i && r == READINGS_AGREE; i = i->next) {
		r = readings_compare(i, where);
		*where = SIZE_MAX;
	}
	return r;
}

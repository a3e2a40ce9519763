/* intercept/zsh.c - what only zsh understands, said in bash's words */
#include "intercept/zsh.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"

#define ZSH_TEXT	(4u << 20)
#define ZSH_DEPTH	100u
#define ZSH_HEREDOCS	16u
#define ZSH_WORK	(16u << 20)	/* bytes that are looked through ahead of where the reader stands */

struct heredoc {
	char	*delim;
	bool	 strip;
};

struct zr {
	const struct zsh_in	*in;
	struct zsh_out		*out;
	const char		*s;
	size_t			 pos, end;
	struct buf		 text, map;	/* map: uint32_t for each byte of text */
	unsigned		 depth, anon;
	size_t			 work;
	bool			 sep;		/* a command may begin: nothing since the last ; or newline */
	bool			 empty;		/* nothing at all since the list began */
	bool			 script;
	struct heredoc		 here[ZSH_HEREDOCS];
	size_t			 nhere;
};

enum place { ARGUMENT, COMMAND, VALUE, PLAIN };	/* VALUE: after NAME=; PLAIN: in quotes, [[ ]], (( )) */

static void list(struct zr *z, const char *const *stop);
static void word(struct zr *z, enum place place);
static bool command(struct zr *z, const char *const *stop);

/* ---- output ------------------------------------------------------------------------------------- */

/* The position moves by these alone: never past the end of what is read, whatever the text claims. */
static void move_to(struct zr *z, size_t pos)
{
	z->pos = MIN(pos, z->end);
}

static void advance(struct zr *z, size_t n)
{
	z->pos += MIN(n, z->end - z->pos);
}

/* Read [from, to) of the text; the window before it comes back with leave_window(). */
struct window { size_t pos, end; };

static struct window enter_window(struct zr *z, size_t from, size_t to)
{
	struct window w = { z->pos, z->end };

	z->end = MIN(to, z->end);
	move_to(z, from);
	return w;
}

static void leave_window(struct zr *z, struct window w)
{
	z->end = w.end;
	move_to(z, w.pos);
}

static void put(struct zr *z, const char *s, size_t n)
{
	uint32_t at = (uint32_t)MIN(z->pos, z->end);

	for (size_t i = 0; i < n; i++)
		buf_add(&z->map, &at, sizeof(at));
	buf_add(&z->text, s, n);
	if (z->text.full || z->map.full)
		move_to(z, z->end);
}

static void puts_(struct zr *z, const char *s)
{
	put(z, s, strlen(s));
}

static int peek(const struct zr *z, size_t ahead)
{
	return z->pos + ahead < z->end ? (unsigned char)z->s[z->pos + ahead] : -1;
}

static void copy(struct zr *z, size_t n)
{
	while (n-- && z->pos < z->end) {
		put(z, z->s + z->pos, 1);
		advance(z, 1);
	}
}

static void gap(struct zr *z, size_t from, const char *why)
{
	if (!z->out->gap) {
		z->out->gap = why;
		z->out->at = (struct span){ MIN(from, z->end), MIN(z->pos, z->end) };
	}
}

static bool deeper(struct zr *z)
{
	if (++z->depth <= ZSH_DEPTH)
		return true;
	gap(z, z->pos, "nested deeper than sbxterm reads");
	move_to(z, z->end);
	return false;
}

static void separate(struct zr *z)
{
	if (!z->sep)
		puts_(z, ";");
	puts_(z, " ");
	z->sep = true;
}

/* ---- small readers ------------------------------------------------------------------------------- */

static bool is_meta(int c)
{
	return c < 0 || c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' || c == ')';
}

static bool is_name(int c)
{
	return isalnum(c) || c == '_';
}

static bool at(const struct zr *z, const char *text)
{
	size_t n = strlen(text);

	return z->pos + n <= z->end && !memcmp(z->s + z->pos, text, n);
}

/* A word of its own, not quoted. */
static bool at_word(const struct zr *z, const char *text)
{
	return at(z, text) && (is_meta(peek(z, strlen(text))));
}

static bool at_any(const struct zr *z, const char *const *words)
{
	for (; words && *words; words++) {
		if (!strcmp(*words, ")") ? peek(z, 0) == ')' : at_word(z, *words))
			return true;
	}
	return false;
}

static void skip_blanks(struct zr *z)
{
	for (;;) {
		if (peek(z, 0) == ' ' || peek(z, 0) == '\t')
			copy(z, 1);
		else if (peek(z, 0) == '\\' && peek(z, 1) == '\n')
			copy(z, 2);
		else
			return;
	}
}

static void copy_heredocs(struct zr *z)
{
	for (size_t i = 0; i < z->nhere; i++) {
		size_t n = strlen(z->here[i].delim);

		while (z->pos < z->end) {
			const char *line = z->s + z->pos, *nl = memchr(line, '\n', z->end - z->pos);
			size_t len = nl ? (size_t)(nl - line) : z->end - z->pos, tabs = 0;
			bool last;

			while (z->here[i].strip && tabs < len && line[tabs] == '\t')
				tabs++;
			last = len - tabs == n && !memcmp(line + tabs, z->here[i].delim, n);
			copy(z, len + 1);
			if (last)
				break;
		}
		free(z->here[i].delim);
	}
	z->nhere = 0;
}

/* Blanks, newlines and comments. */
static void skip_lines(struct zr *z)
{
	for (;;) {
		skip_blanks(z);
		if (peek(z, 0) == '\n') {
			copy(z, 1);
			z->sep = true;
			copy_heredocs(z);
		} else if (peek(z, 0) == '#' && z->in->comments) {
			while (peek(z, 0) >= 0 && peek(z, 0) != '\n')
				advance(z, 1);
		} else {
			return;
		}
	}
}

/* Looking ahead again and again costs: past a bound the text is not read on. */
static bool spend(struct zr *z, size_t bytes)
{
	z->work += bytes;
	if (z->work <= ZSH_WORK)
		return true;
	gap(z, z->pos, "the line does more than can be followed");
	move_to(z, z->end);
	return false;
}

/* The end of what opens at @from (after its opening sign), quotes known; 0: none. */
static size_t closing(struct zr *z, size_t from, char open, char close)
{
	size_t depth = 1, hit = 0;

	for (size_t i = from; i < z->end && !hit; i++) {
		char c = z->s[i];

		if (c == '\\') {
			i++;
		} else if (c == '\'' && open != '"') {
			const char *q = memchr(z->s + i + 1, '\'', z->end - i - 1);

			if (!q)
				break;
			i = (size_t)(q - z->s);
		} else if (c == close) {
			hit = --depth ? 0 : i;
		} else if (c == open) {
			depth++;
		} else if (c == '"') {
			size_t q = i + 1;

			while (q < z->end && z->s[q] != '"')
				q += z->s[q] == '\\' ? 2 : 1;
			if (q >= z->end)
				break;
			i = q;
		}
	}
	return spend(z, (hit ? hit : z->end) - MIN(from, z->end)) ? hit : 0;
}

/* ---- expansions ------------------------------------------------------------------------------------ */

static const char *const stop_paren[] = { ")", NULL };

/* $(...), <(...), =(...): what is inside is read as commands. */
static void substitution(struct zr *z, const char *open, size_t skip)
{
	bool sep = z->sep, empty = z->empty;

	puts_(z, open);
	advance(z, skip);
	z->sep = z->empty = true;
	if (deeper(z))
		list(z, stop_paren);
	z->depth--;
	if (peek(z, 0) == ')')
		copy(z, 1);
	z->sep = sep;
	z->empty = empty;
}

/* A value that is not known; the commands inside its text run all the same. */
static void unread(struct zr *z, size_t from, size_t to)
{
	struct window w = enter_window(z, from, to);

	while (z->pos < z->end) {
		if (peek(z, 0) == '\\') {
			advance(z, 2);
		} else if (at(z, "$((")) {
			advance(z, 3);
		} else if (at(z, "$(") || at(z, "=(") || at(z, "<(")) {
			substitution(z, "${" ZSH_UNREAD ":+$(", 2);
			puts_(z, "}");
		} else if (peek(z, 0) == '`') {
			size_t n = 1;

			while (z->pos + n < z->end && peek(z, n) != '`')
				n += peek(z, n) == '\\' ? 2 : 1;
			puts_(z, "${" ZSH_UNREAD ":+");
			copy(z, n + 1);
			puts_(z, "}");
		} else {
			advance(z, 1);
		}
	}
	leave_window(z, w);
	puts_(z, "${" ZSH_UNREAD "}");
}

static char *slice(struct zr *z, size_t from, size_t to)
{
	char *t = arena_strndup(z->in->arena, z->s + from, to - from);

	return t ? t : arena_strdup(z->in->arena, "");
}

static bool is_made_up(const char *name)
{
	static const char *const names[] = {
		"path", "fpath", "cdpath", "manpath", "history", "commands", "options", "parameters", "functions", "aliases", "dirstack",
		"signals", "jobstates", "match", "mbegin", "mend", "MATCH", "MBEGIN", "MEND", "pipestatus", "module_path", "galiases",
		"saliases", "nameddirs", "userdirs", "modules", "historywords", "jobdirs", "jobtexts", "widgets", "keymaps", "reswords",
		"builtins", "ZSH_EVAL_CONTEXT", "zsh_eval_context", "TTYIDLE", "ZSH_VERSION", "ZSH_NAME", "USERNAME", "BUFFER",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

/* The next place of @name as a whole in the text, from @at on; NULL: none. */
static const char *next_name(struct zr *z, const char *at, const char *name, size_t n)
{
	const char *end = z->in->text + z->in->len;

	if (!n || !spend(z, (size_t)(end - at)))
		return NULL;
	for (const char *s = at; s < end && (s = memmem(s, (size_t)(end - s), name, n)); s += n) {
		if (s == z->in->text || !is_name((unsigned char)s[-1]))
			return s;
	}
	return NULL;
}

static bool follows(const struct zr *z, const char *s, const char *what)
{
	size_t n = strlen(what);

	return s + n <= z->in->text + z->in->len && !memcmp(s, what, n);
}

/* NAME=( anywhere in the text: read as an array. */
static bool made_array(struct zr *z, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = z->in->text; (s = next_name(z, s, name, n)); s += n) {
		if (follows(z, s + n, "=(") || follows(z, s + n, "+=("))
			return true;
	}
	return false;
}

static bool is_array(struct zr *z, const char *name)
{
	bool array = false;

	if (z->in->value)
		z->in->value(z->in->arg, name, &array);
	return array || made_array(z, name);
}

/* Is it given another value in the text? */
static bool changes(struct zr *z, const char *name)
{
	size_t n = strlen(name);
	static const char *const moves[] = { "cd", "pushd", "popd" };

	for (size_t i = 0; i < ARRAY_SIZE(moves) && !strcmp(name, "PWD"); i++) {
		if (memmem(z->in->text, z->in->len, moves[i], strlen(moves[i])))
			return true;
	}
	for (const char *s = z->in->text; (s = next_name(z, s, name, n)); s += n) {
		if (follows(z, s + n, "=") || follows(z, s + n, "+=") ||
		    (s > z->in->text && s[-1] == ' ' && (s + n == z->in->text + z->in->len || !is_name((unsigned char)s[n]))))
			return true;
	}
	return z->pos >= z->end && z->work > ZSH_WORK;
}

static const char *known_value(struct zr *z, const char *name)
{
	bool array = false;
	const char *v = z->in->value && !changes(z, name) ? z->in->value(z->in->arg, name, &array) : NULL;

	return array ? NULL : v;
}

/* $x as one word that is not there when it is empty. */
static void scalar(struct zr *z, const char *name, enum place place)
{
	if (is_made_up(name)) {
		unread(z, z->pos, z->pos);
		return;
	}
	if (!strcmp(name, "argv") || !strcmp(name, "@") || !strcmp(name, "*")) {
		if (place == PLAIN && *name == '@')
			puts_(z, "${@}");
		else
			puts_(z, place == PLAIN || place == VALUE ? "${*}" : "${" ZSH_FULL "}\"${@}\"");
		return;
	}
	if (is_array(z, name)) {
		puts_(z, place == PLAIN || place == VALUE ? "${" : "${" ZSH_FULL "}\"${");
		puts_(z, name);
		puts_(z, place == PLAIN || place == VALUE ? "[*]}" : "[@]}\"");
		return;
	}
	if (!strcmp(name, "status"))
		name = "?";
	if (place == PLAIN || place == VALUE || !(is_name((unsigned char)*name))) {
		puts_(z, "${");
		puts_(z, name);
		puts_(z, "}");
		return;
	}
	puts_(z, "${" ZSH_FULL "}${");
	puts_(z, name);
	puts_(z, ":+\"${");
	puts_(z, name);
	puts_(z, "}\"}");
}

/* :h :t :r :e one after another. false: another kind. */
static bool modify(struct zr *z, char **value, const char *mods, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2) {
		char *v = *value, *slash = strrchr(v, '/'), *dot;

		if (mods[i] != ':' || (i + 2 < len && mods[i + 2] != ':'))
			return false;
		dot = strrchr(slash ? slash + 1 : v, '.');
		switch (mods[i + 1]) {
		case 'h':
			if (!slash)
				*value = arena_strdup(z->in->arena, ".");
			else
				slash[slash == v] = 0;
			break;
		case 't':
			*value = slash ? slash + 1 : v;
			break;
		case 'r':
			if (dot)
				*dot = 0;
			break;
		case 'e':
			*value = dot ? dot + 1 : arena_strdup(z->in->arena, "");
			break;
		default:
			return false;
		}
		if (!*value)
			return false;
	}
	return len % 2 == 0;
}

static void single_quoted(struct zr *z, const char *text, enum place place)
{
	if (place == PLAIN) {	/* inside double quotes */
		for (; *text; text++) {
			if (strchr("\"\\$`", *text))
				puts_(z, "\\");
			put(z, text, 1);
		}
		return;
	}
	puts_(z, "'");
	for (; *text; text++)
		puts_(z, *text == '\'' ? "'\\''" : (char[]){ *text, 0 });
	puts_(z, "'");
}

static void modified(struct zr *z, const char *name, size_t mods, size_t to, enum place place)
{
	const char *known = known_value(z, name);
	char *value = known ? arena_strdup(z->in->arena, known) : NULL;

	if (value && modify(z, &value, z->s + mods, to - mods))
		single_quoted(z, value, place);
	else
		unread(z, mods, to);
}

static bool is_modifier(const struct zr *z, size_t from, size_t to)
{
	return from + 1 < to && z->s[from] == ':' && strchr("aAcehlpPqQrstuwWfFg&", z->s[from + 1]);
}

/* ${name OP word}, an operator that bash has too. */
static void bash_form(struct zr *z, const char *name, size_t op, size_t to, enum place place)
{
	char c = z->s[op], d = op + 1 < to ? z->s[op + 1] : 0;
	size_t skip = c == ':' ? 2 : 1;
	struct window w;
	bool choice = strchr("-=?+", c == ':' ? d : c) != NULL;
	bool quote = place != PLAIN && place != VALUE && !memchr(z->s + op, '\'', to - op) && !memchr(z->s + op, '"', to - op);

	if (c == ':' && !choice) {		/* ${x:1:2} */
		puts_(z, place == PLAIN ? "" : "${" ZSH_FULL "}\"");
		puts_(z, "${");
		puts_(z, name);
		put(z, z->s + op, to - op);
		puts_(z, place == PLAIN ? "}" : "}\"");
		return;
	}
	if (choice && (c == ':' ? d : c) == '-' && op + skip == to) {	/* ${x:-}: nothing when empty */
		scalar(z, name, place);
		return;
	}
	if (choice && (c == ':' ? d : c) == '+') {
		puts_(z, "${");
		puts_(z, name);
		put(z, z->s + op, skip);
		puts_(z, quote ? "\"" : "");
	} else {
		puts_(z, quote ? "${" ZSH_FULL "}\"${" : "${");
		puts_(z, name);
		put(z, z->s + op, skip);
	}
	w = enter_window(z, op + skip, to);
	if (!choice && z->pos < z->end && (c == '#' || c == '%' || c == '/') && peek(z, 0) == c)
		copy(z, 1);
	while (z->pos < z->end && deeper(z)) {
		size_t was = z->pos;

		if (peek(z, 0) == '$' || peek(z, 0) == '`' || peek(z, 0) == '"' || peek(z, 0) == '\'' || peek(z, 0) == '\\')
			word(z, PLAIN);
		else
			copy(z, 1);
		z->depth--;
		if (z->pos == was)
			copy(z, 1);
	}
	leave_window(z, w);
	if (choice && (c == ':' ? d : c) == '+')
		puts_(z, quote ? "\"}" : "}");
	else
		puts_(z, quote ? "}\"" : "}");
}

/* The inside of ${ }, [from, to). */
static void braced(struct zr *z, size_t from, size_t to, enum place place)
{
	size_t i = from, name_from, op;
	char prefix = 0, *name;

	if (i < to && z->s[i] == '(') {
		size_t close = closing(z, i + 1, '(', ')');

		if (close && close < to && memchr(z->s + i, 'e', close - i) && !memchr(z->s + i, ':', close - i))
			gap(z, from, "a flag that evaluates text: ${(e)...}");
		unread(z, from, to);
		return;
	}
	if (i < to && strchr("^=~#+", z->s[i])) {
		prefix = z->s[i];
		i++;
		if (i < to && z->s[i] == prefix)
			i++;
	}
	name_from = i;
	while (i < to && is_name((unsigned char)z->s[i]))
		i++;
	if (i == name_from && i < to && strchr("?$!@*-#", z->s[i]) && to == i + 1)
		i++;
	name = slice(z, name_from, i);
	op = i;
	if (prefix == '#' && op == to && !is_made_up(name)) {
		puts_(z, "${#");
		puts_(z, *name ? name : "@");
		puts_(z, is_array(z, name) ? "[@]}" : "}");
		return;
	}
	if (prefix == '=' && op == to && *name && !is_made_up(name)) {
		puts_(z, "${");
		puts_(z, name);
		puts_(z, "}");
		return;
	}
	if (prefix == '~' && op == to && *name) {
		const char *v = known_value(z, name);

		if (v && !strpbrk(v, " \t\n")) {
			puts_(z, "${");
			puts_(z, name);
			puts_(z, "}");
			return;
		}
	}
	if (prefix || !*name || is_made_up(name)) {
		unread(z, from, to);
		return;
	}
	if (op == to) {
		scalar(z, name, place);
	} else if (z->s[op] == '[' && op + 3 == to && (z->s[op + 1] == '@' || z->s[op + 1] == '*')) {
		bool words = place != PLAIN && place != VALUE;

		puts_(z, words ? "${" ZSH_FULL "}\"${" : "${");
		puts_(z, strcmp(name, "argv") ? name : "");
		puts_(z, strcmp(name, "argv") ? "[" : "");
		puts_(z, words || (place == PLAIN && z->s[op + 1] == '@') ? "@" : "*");
		puts_(z, strcmp(name, "argv") ? "]" : "");
		puts_(z, words ? "}\"" : "}");
	} else if (is_modifier(z, op, to)) {
		modified(z, name, op, to, place);
	} else if (!is_array(z, name) && (strchr("-=?+#%/", z->s[op]) ||
					  (z->s[op] == ':' && op + 1 < to && (strchr("-=?+ ", z->s[op + 1]) || isdigit((unsigned char)z->s[op + 1]))))) {
		bash_form(z, name, op, to, place);
	} else {
		unread(z, from, to);
	}
}

/* $x:h and $x[1] hold without braces too. */
static void plain_parameter(struct zr *z, enum place place)
{
	size_t from = z->pos + 1, to = from, mods;
	char *name;

	if (peek(z, 1) > 0 && strchr("^=~+", peek(z, 1)) && (is_name(peek(z, 2)) || peek(z, 2) == '{')) {
		if (peek(z, 2) == '{') {
			copy(z, 1);
			advance(z, 1);
			return;
		}
		to++;
	}
	if (peek(z, 1) == '#' && is_name(peek(z, 2)))
		to++;
	if (isdigit((unsigned char)(to < z->end ? z->s[to] : 0)) && to == from) {
		while (to < z->end && isdigit((unsigned char)z->s[to]))
			to++;
	} else {
		while (to < z->end && is_name((unsigned char)z->s[to]))
			to++;
	}
	if (to == from && peek(z, 1) > 0 && strchr("?$!@*-#", peek(z, 1)))
		to++;
	if (to == from) {
		copy(z, 1);
		return;
	}
	name = slice(z, from, to);
	if (to < z->end && z->s[to] == '[') {
		size_t close = closing(z, to + 1, '[', ']');

		if (close == to + 2 && (z->s[to + 1] == '@' || z->s[to + 1] == '*') && is_name((unsigned char)*name)) {
			braced(z, from, close + 1, place);
			move_to(z, close + 1);
			return;
		}
		if (close && (is_name((unsigned char)*name) || *name == '@' || *name == '*')) {
			unread(z, from, close);
			move_to(z, close + 1);
			return;
		}
	}
	mods = to;
	while (is_modifier(z, mods, z->end) && !is_name(mods + 2 < z->end ? (unsigned char)z->s[mods + 2] : 0))
		mods += 2;
	if (mods > to && is_name((unsigned char)*name)) {
		modified(z, name, to, mods, place);
		move_to(z, mods);
		return;
	}
	if (strchr("^=~+#", *name) && name[1])
		braced(z, from, to, place);
	else if (strchr("?$!-#", *name))
		put(z, z->s + z->pos, 2);
	else
		scalar(z, name, place);
	move_to(z, to);
}

static void dollar(struct zr *z, enum place place)
{
	size_t close;

	if (at(z, "$((") || at(z, "$[")) {
		bool old = peek(z, 1) == '[';

		close = closing(z, z->pos + 2, old ? '[' : '(', old ? ']' : ')');
		if (!close)
			copy(z, 2);
		else if (memchr(z->s + z->pos + 2, '#', close - z->pos - 2) || memchr(z->s + z->pos + 2, '[', close - z->pos - 2)) {
			unread(z, z->pos + 3, close);
			move_to(z, close + 1);
		} else {
			copy(z, close + 1 - z->pos);
		}
	} else if (at(z, "$(")) {
		substitution(z, "$(", 2);
	} else if (at(z, "${")) {
		close = closing(z, z->pos + 2, '{', '}');
		if (!close || !deeper(z)) {
			copy(z, 2);
			return;
		}
		braced(z, z->pos + 2, close, place);
		z->depth--;
		move_to(z, close + 1);
	} else if (at(z, "$'") && place != PLAIN) {
		copy(z, 2);
		while (peek(z, 0) >= 0 && peek(z, 0) != '\'')
			copy(z, peek(z, 0) == '\\' ? 2 : 1);
		copy(z, 1);
	} else {
		plain_parameter(z, place);
	}
}

static void double_quoted(struct zr *z)
{
	copy(z, 1);
	while (peek(z, 0) >= 0 && peek(z, 0) != '"') {
		if (peek(z, 0) == '\\')
			copy(z, 2);
		else if (peek(z, 0) == '$')
			dollar(z, PLAIN);
		else if (peek(z, 0) == '`')
			word(z, PLAIN);
		else
			copy(z, 1);
	}
	copy(z, 1);
}

/* *(D.om[1,5]): the names that it leaves out do not matter, what it runs does. */
static void qualifier(struct zr *z, size_t close)
{
	size_t n = close - z->pos - 1, letters = 0;
	const char *q = z->s + z->pos + 1;

	while (letters < n && q[letters] != ':' && q[letters] != '{' && q[letters] != '\'')
		letters++;
	if (memchr(q, 'e', letters) || memchr(q, '+', letters))
		gap(z, z->pos, "a glob qualifier that runs code");
	move_to(z, close + 1);
	puts_(z, "${" ZSH_GLOB "}");
}

static void group(struct zr *z)
{
	size_t close = closing(z, z->pos + 1, '(', ')');

	if (!close) {
		copy(z, 1);
		return;
	}
	if (is_meta(close + 1 < z->end ? (unsigned char)z->s[close + 1] : -1) && !memchr(z->s + z->pos, '|', close - z->pos) &&
	    z->s[z->pos + 1] != '^') {
		qualifier(z, close);
		return;
	}
	move_to(z, close + 1);	/* (a|b), (#i): some names */
	puts_(z, "*${" ZSH_GLOB "}");
}

/* A tilde at the position: zsh looks at it when parameters have their values, and a parameter names a directory too. */
static void tilde(struct zr *z, size_t from, enum place place)
{
	bool starts = z->pos == from || (place == VALUE && z->s[z->pos - 1] == ':');
	size_t n = 1;
	char *name;

	if (!starts) {
		puts_(z, "\\");
		copy(z, 1);
		return;
	}
	while (is_name(peek(z, n)))
		n++;
	name = slice(z, z->pos + 1, z->pos + n);
	if (peek(z, n) == '$' || peek(z, n) == '`' || (*name && (changes(z, name) || known_value(z, name)))) {
		puts_(z, "${" ZSH_UNREAD "}");
		advance(z, n);
		while (peek(z, 0) == '$' || peek(z, 0) == '`') {	/* a part of the name: nothing of it is sure to stay */
			size_t was = z->pos;

			word(z, PLAIN);
			puts_(z, "${" ZSH_UNREAD "}");
			if (z->pos == was)
				break;
		}
	} else {
		copy(z, n);
	}
}

/* One word. In PLAIN only what stands at the position: a quote, an expansion. */
static void word(struct zr *z, enum place place)
{
	size_t from = z->pos;

	if (place == ARGUMENT && peek(z, 0) == '^' && peek(z, 1) > 0 && !is_meta(peek(z, 1)) && peek(z, 1) != '{') {
		while (!is_meta(peek(z, 0)) && peek(z, 0) != '/')
			advance(z, 1);
		puts_(z, "*${" ZSH_GLOB "}");
	}
	if ((place == ARGUMENT || place == COMMAND) && peek(z, 0) == '=' && peek(z, 1) == '(') {
		substitution(z, "<(", 2);
	} else if (place == COMMAND && peek(z, 0) == '=' && is_name(peek(z, 1))) {
		advance(z, 1);
	} else if (place == ARGUMENT && peek(z, 0) == '=' && (isalpha(peek(z, 1)) || peek(z, 1) == '_')) {
		while (!is_meta(peek(z, 0)))
			advance(z, 1);
		puts_(z, "${" ZSH_UNREAD "}");
	}
	while (z->pos < z->end) {
		int c = peek(z, 0);

		if (c == '\\') {
			copy(z, 2);
		} else if (c == '\'') {
			const char *q = memchr(z->s + z->pos + 1, '\'', z->end - z->pos - 1);

			copy(z, q ? (size_t)(q - z->s) + 1 - z->pos : z->end - z->pos);
		} else if (c == '"') {
			double_quoted(z);
		} else if (c == '`') {
			size_t n = 1;

			while (z->pos + n < z->end && peek(z, n) != '`')
				n += peek(z, n) == '\\' ? 2 : 1;
			copy(z, n + 1);
		} else if (c == '$') {
			dollar(z, place);
		} else if (place == PLAIN) {
			return;
		} else if (c == '~' && place != COMMAND) {
			tilde(z, from, place);
		} else if (c == '(' && place == VALUE && z->pos == from) {
			return;
		} else if (c == '(' && place != COMMAND) {
			group(z);
		} else if (c == '#' && !z->in->comments && z->pos == from) {
			puts_(z, "\\");
			copy(z, 1);
		} else if (is_meta(c)) {
			if ((c == '<' || c == '>') && peek(z, 1) == '(' && z->pos == from) {
				substitution(z, c == '<' ? "<(" : ">(", 2);
				continue;
			}
			if (c == '<' && place != COMMAND && (isdigit(peek(z, 1)) || peek(z, 1) == '-')) {	/* <1-9> */
				size_t n = 1;

				while (isdigit(peek(z, n)) || peek(z, n) == '-')
					n++;
				if (peek(z, n) == '>' && n > 1 && memchr(z->s + z->pos, '-', n)) {
					advance(z, n + 1);
					puts_(z, "*${" ZSH_GLOB "}");
					continue;
				}
			}
			break;
		} else {
			copy(z, 1);
		}
		if (place == PLAIN)
			return;
	}
	if (z->pos == from && z->pos < z->end && !is_meta(peek(z, 0)))
		copy(z, 1);
}

/* ---- commands ----------------------------------------------------------------------------------------- */

static void heredoc(struct zr *z)
{
	size_t from;
	bool strip = at(z, "<<-");
	struct buf delim;

	copy(z, strip ? 3 : 2);
	skip_blanks(z);
	from = z->pos;
	buf_init(&delim, 4096);
	while (!is_meta(peek(z, 0))) {
		if (!strchr("'\"\\", peek(z, 0)))
			buf_addc(&delim, (char)peek(z, 0));
		copy(z, 1);
	}
	if (z->nhere < ZSH_HEREDOCS && z->pos > from)
		z->here[z->nhere++] = (struct heredoc){ xstrdup(buf_str(&delim)), strip };
	else
		gap(z, from, "a here-document that cannot be read");
	buf_done(&delim);
}

static bool redirection(struct zr *z)
{
	size_t n = 0;

	while (isdigit(peek(z, n)))
		n++;
	if (peek(z, n) == '&' && peek(z, n + 1) == '>' && !n) {
		copy(z, 2);
	} else if (peek(z, n) == '<' || peek(z, n) == '>') {
		if (peek(z, n + 1) == '(' && !n)
			return false;
		copy(z, n);
		if (at(z, "<<") && !at(z, "<<<")) {
			heredoc(z);
			return true;
		}
		copy(z, at(z, "<<<") ? 3 : at(z, ">>") || at(z, "<>") || at(z, ">&") || at(z, "<&") ? 2 : 1);
		if (z->s[z->pos - 1] == '>' && peek(z, 0) == '&' && z->s[z->pos - 2] == '>') {	/* >>& */
			z->text.data[z->text.len - 2] = '&';
			advance(z, 1);
			puts_(z, ">");
		}
	} else {
		return false;
	}
	if (peek(z, 0) == '!' || peek(z, 0) == '|') {
		if (z->pos >= 2 && z->s[z->pos - 1] == '>' && z->s[z->pos - 2] != '>' && z->s[z->pos - 2] != '&')
			puts_(z, "|");
		advance(z, 1);
	}
	skip_blanks(z);
	word(z, ARGUMENT);
	return true;
}

static bool ends_command(const struct zr *z)
{
	int c = peek(z, 0);

	return c < 0 || c == '\n' || c == ';' || c == '|' || c == ')' || (c == '&' && peek(z, 1) != '>');
}

/* NAME= and NAME[x]= at the position: how long; 0: none. */
static size_t assignment(struct zr *z)
{
	size_t n = 0;

	if (!isalpha(peek(z, 0)) && peek(z, 0) != '_')
		return 0;
	while (is_name(peek(z, n)))
		n++;
	if (peek(z, n) == '[') {
		size_t close = closing(z, z->pos + n + 1, '[', ']');

		if (!close)
			return 0;
		n = close + 1 - z->pos;
	}
	n += peek(z, n) == '+';
	return peek(z, n) == '=' ? n + 1 : 0;
}

/* $path is $PATH as an array; NULL: no such pair. */
static const char *tied_to(const struct zr *z, size_t n)
{
	static const char *const names[][2] = {
		{ "path", "PATH" }, { "cdpath", "CDPATH" }, { "fpath", "FPATH" }, { "manpath", "MANPATH" },
		{ "module_path", "MODULE_PATH" }, { "mailpath", "MAILPATH" }, { "fignore", "FIGNORE" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i][0]);

		if (n > len && at(z, names[i][0]) && !is_name(peek(z, len)))
			return names[i][1];
	}
	return NULL;
}

/* Does the word at the position stand for names or a list? */
static bool is_many(const struct zr *z)
{
	size_t n = 0;

	while (peek(z, n) >= 0 && !strchr("*?[{(", peek(z, n)) && !is_meta(peek(z, n)))
		n++;
	return peek(z, n) == '(' || (peek(z, n) >= 0 && !is_meta(peek(z, n)));
}

/* path=(/a $path): PATH=/a:$PATH. The assignment up to its = is @n long. */
static void tied(struct zr *z, const char *name, size_t n)
{
	size_t self = strlen(name), to = z->pos + n;
	bool append = z->s[to - 2] == '+', element = peek(z, self) == '[';
	const char *between = append ? ":" : "";

	puts_(z, name);
	puts_(z, append && !element ? "+=" : "=");
	move_to(z, to);
	puts_(z, element ? "${" ZSH_UNREAD "}" : "");
	if (element || peek(z, 0) != '(') {
		puts_(z, element ? "" : between);
		word(z, VALUE);
		return;
	}
	advance(z, 1);
	while (peek(z, 0) >= 0 && peek(z, 0) != ')') {
		size_t was = z->pos;

		while (peek(z, 0) == ' ' || peek(z, 0) == '\t' || peek(z, 0) == '\n')
			advance(z, 1);
		if (peek(z, 0) < 0 || peek(z, 0) == ')')
			break;
		puts_(z, between);
		between = ":";
		if (at(z, "$path") && !is_name(peek(z, 5)) && !strcmp(name, "PATH")) {
			size_t all = at(z, "$path[@]") ? 8 : 5;

			puts_(z, "${PATH}");
			advance(z, all);
		} else if (is_many(z)) {
			puts_(z, "${" ZSH_UNREAD "}");
		}
		word(z, VALUE);
		if (z->pos == was)
			advance(z, 1);
	}
	advance(z, 1);
}

static void value(struct zr *z)
{
	if (peek(z, 0) != '(') {
		word(z, VALUE);
		return;
	}
	copy(z, 1);
	while (peek(z, 0) >= 0 && peek(z, 0) != ')') {
		size_t was = z->pos;

		skip_lines(z);
		if (peek(z, 0) >= 0 && peek(z, 0) != ')')
			word(z, ARGUMENT);
		if (z->pos == was)
			copy(z, 1);
	}
	copy(z, 1);
}

/* Options that change how the rest of the line is read. */
static void check_options(struct zr *z)
{
	static const char *const list_[] = { "wordsplit", "globsubst", "ksharrays", "kshglob", "shglob", "globassign", "magicequalsubst", "ignorebraces", "rcquotes", "cshjunkie", "cprecedences", "octalzeroes" };
	size_t n = strcspn(z->s + z->pos, ";&|\n");
	char flat[256];
	size_t k = 0;

	for (size_t i = 0; i < n && z->pos + i < z->end && k + 1 < sizeof(flat); i++) {
		if (z->s[z->pos + i] != '_')
			flat[k++] = (char)tolower((unsigned char)z->s[z->pos + i]);
	}
	flat[k] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(list_); i++) {
		if (strstr(flat, list_[i]))
			gap(z, z->pos, "an option that changes how zsh reads what follows");
	}
	if (at_word(z, "emulate") && !strstr(flat, "emulate -l") && !strstr(flat, "emulate zsh") && !strstr(flat, "emulate -r zsh"))
		gap(z, z->pos, "a mode that changes how zsh reads what follows");
}

/* typeset and its like: what follows are assignments. bash knows some of them by another name. */
static bool declaration(struct zr *z)
{
	static const char *const names[][2] = {
		{ "local", "typeset" },		/* anywhere, there */
		{ "integer", "typeset -i" }, { "typeset", "typeset" }, { "declare", "declare" }, { "export", "export" },
		{ "readonly", "readonly" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (at_word(z, names[i][0])) {
			puts_(z, names[i][1]);
			advance(z, strlen(names[i][0]));
			return true;
		}
	}
	return false;
}

static void simple(struct zr *z, const char *const *stop)
{
	bool first = true, declares = false;

	if (at_word(z, "setopt") || at_word(z, "unsetopt") || at_word(z, "emulate") || at_word(z, "options") || at_word(z, "set"))
		check_options(z);
	for (;;) {
		size_t was = z->pos, n;

		skip_blanks(z);
		if (ends_command(z) || (stop && !first && at_word(z, "}") && z->depth))
			return;
		if (peek(z, 0) == '#' && z->in->comments)
			return;
		n = first ? assignment(z) : 0;
		if (n && tied_to(z, n)) {
			tied(z, tied_to(z, n), n);
		} else if (n) {
			copy(z, n);
			value(z);
		} else if (!redirection(z)) {
			size_t eq = declares ? assignment(z) : 0;

			if (first && declaration(z)) {
				first = false;
				declares = true;
			} else if (first && at_word(z, "-")) {	/* the name that the program sees begins with a - */
				advance(z, 1);
			} else if (eq && tied_to(z, eq)) {
				tied(z, tied_to(z, eq), eq);
			} else if (first && !at_word(z, "noglob") && !at_word(z, "nocorrect") && !at_word(z, "command") &&
			    !at_word(z, "exec") && !at_word(z, "builtin") && !at_word(z, "time") && !at_word(z, "!")) {
				word(z, COMMAND);
				first = false;
			} else if (first) {
				word(z, COMMAND);	/* the next one is a command too */
			} else if (eq) {	/* typeset m=( ), export x=~ */
				copy(z, eq);
				value(z);
			} else {
				word(z, ARGUMENT);
			}
		}
		z->sep = z->empty = false;
		if (z->pos == was) {
			copy(z, 1);
			gap(z, was, "a sign that cannot be read");
		}
	}
}

static const char *const stop_brace[] = { "}", NULL };
static const char *const stop_done[] = { "done", NULL };
static const char *const stop_end[] = { "end", NULL };
static const char *const stop_then[] = { "then", NULL };
static const char *const stop_do[] = { "do", NULL };
static const char *const stop_fi[] = { "fi", "else", "elif", NULL };
static const char *const stop_esac[] = { "esac", ";;", ";&", ";|", "}", NULL };

/* A list up to @stop, which is left where it is. */
static void body_list(struct zr *z, const char *const *stop)
{
	z->sep = z->empty = true;
	if (deeper(z))
		list(z, stop);
	z->depth--;
	if (z->empty)
		puts_(z, " :");
	z->sep = z->sep && !z->empty;
	separate(z);
}

/* { list }: without the braces. */
static void brace_list(struct zr *z)
{
	advance(z, 1);
	puts_(z, " ");
	body_list(z, stop_brace);
	if (peek(z, 0) == '}')
		advance(z, 1);
	else
		gap(z, z->pos, "a brace is not closed");
}

static void brace_group(struct zr *z)
{
	puts_(z, "{");
	brace_list(z);
	puts_(z, "}");
	z->sep = z->empty = false;
}

/* Blanks, newlines and a ; that may stand before a body: taken, not written. */
static void before_body(struct zr *z)
{
	while (peek(z, 0) == ' ' || peek(z, 0) == '\t' || peek(z, 0) == '\n' || peek(z, 0) == ';')
		advance(z, 1);
}

/* The body of a loop: do list done, { list }, or one command. Written between do and done. */
static void loop_body(struct zr *z, const char *first)
{
	before_body(z);
	puts_(z, "; do ");
	puts_(z, first);
	z->sep = z->empty = true;
	if (at_word(z, "do")) {
		advance(z, 2);
		body_list(z, stop_done);
		advance(z, at_word(z, "done") ? 4 : 0);
	} else if (peek(z, 0) == '{' && is_meta(peek(z, 1))) {
		brace_list(z);
	} else {
		static const char *const none[] = { "}", NULL };

		command(z, none);
		separate(z);
	}
	puts_(z, "done");
	z->sep = z->empty = false;
}

static void paren_words(struct zr *z)
{
	advance(z, 1);
	while (peek(z, 0) >= 0 && peek(z, 0) != ')') {
		size_t was = z->pos;

		while (peek(z, 0) == '\n' || peek(z, 0) == ' ' || peek(z, 0) == '\t') {
			puts_(z, " ");
			advance(z, 1);
		}
		if (peek(z, 0) >= 0 && peek(z, 0) != ')')
			word(z, ARGUMENT);
		if (z->pos == was)
			copy(z, 1);
	}
	advance(z, peek(z, 0) == ')' ? 1 : 0);
}

static void copy_arith(struct zr *z)
{
	size_t close = closing(z, z->pos + 2, '(', ')');

	if (!close || close + 1 >= z->end || z->s[close + 1] != ')') {
		copy(z, 2);
		return;
	}
	copy(z, close + 2 - z->pos);
}

/* for x (a b), for x in a b, for x y in ..., for ((;;)), foreach, select */
static void for_loop(struct zr *z)
{
	bool end = at_word(z, "foreach");
	size_t names = 0;
	struct buf more;

	puts_(z, at_word(z, "select") ? "select" : "for");
	advance(z, end ? 7 : at_word(z, "select") ? 6 : 3);
	while (peek(z, 0) == ' ' || peek(z, 0) == '\t')
		advance(z, 1);
	puts_(z, " ");
	if (at(z, "((")) {
		copy_arith(z);
		loop_body(z, "");
		return;
	}
	buf_init(&more, 4096);
	while (is_name(peek(z, 0)) && !(names && at_word(z, "in")) && !at_word(z, "do")) {
		size_t n = 0;

		while (is_name(peek(z, n)))
			n++;
		if (names++)
			buf_addf(&more, "%.*s=${" ZSH_UNREAD "}; ", (int)n, z->s + z->pos);
		else
			put(z, z->s + z->pos, n);
		advance(z, n);
		while (peek(z, 0) == ' ' || peek(z, 0) == '\t')
			advance(z, 1);
	}
	if (names > 1)
		puts_(z, " in ${" ZSH_UNREAD "}");
	if (peek(z, 0) == '(') {
		puts_(z, names > 1 ? " " : " in ");
		paren_words(z);
	} else if (at_word(z, "in")) {
		advance(z, 2);
		puts_(z, names > 1 ? " " : " in");
		while (!ends_command(z) && !(peek(z, 0) == '{' && is_meta(peek(z, 1)))) {
			skip_blanks(z);
			if (!ends_command(z) && !(peek(z, 0) == '{' && is_meta(peek(z, 1))))
				word(z, ARGUMENT);
		}
	}
	if (end) {
		before_body(z);
		puts_(z, "; do ");
		puts_(z, buf_str(&more));
		body_list(z, stop_end);
		advance(z, at_word(z, "end") ? 3 : 0);
		puts_(z, "done");
		z->sep = z->empty = false;
	} else {
		loop_body(z, buf_str(&more));
	}
	buf_done(&more);
}

/* The condition of if and while. true: what follows is a body without then or do. */
static bool condition(struct zr *z, const char *const *stop)
{
	z->sep = z->empty = true;
	while (z->pos < z->end) {
		bool compound;

		skip_lines(z);
		if (at_any(z, stop))
			return false;
		compound = command(z, stop);
		skip_blanks(z);
		if (compound && !ends_command(z) && !at_any(z, stop))
			return true;
		if (at(z, "&&") || at(z, "||")) {
			copy(z, 2);
			z->sep = true;
			continue;
		}
		if (peek(z, 0) == '|' || peek(z, 0) == ';' || peek(z, 0) == '&') {
			size_t was = z->pos;

			/* if [[ x ]]; { }: read as a body too */
			copy(z, 1);
			z->sep = z->s[was] != '|';
			continue;
		}
		if (peek(z, 0) == ')')
			return false;
	}
	return false;
}

static void if_body(struct zr *z)
{
	static const char *const none[] = { "}", NULL };

	before_body(z);
	if (peek(z, 0) == '{' && is_meta(peek(z, 1))) {
		brace_list(z);
		return;
	}
	z->sep = z->empty = true;
	command(z, none);
	separate(z);
}

static void if_command(struct zr *z)
{
	copy(z, 2);
	for (;;) {
		size_t mark;

		if (condition(z, stop_then)) {
			separate(z);
			puts_(z, "then ");
			if_body(z);
			mark = z->pos;
			before_body(z);
			if (at_word(z, "elif")) {
				copy(z, 4);
				continue;
			}
			if (!at_word(z, "else")) {
				move_to(z, mark);
			} else {
				copy(z, 4);
				puts_(z, " ");
				if_body(z);
			}
			puts_(z, "fi");
			break;
		}
		if (!at_word(z, "then"))
			break;
		copy(z, 4);
		body_list(z, stop_fi);
		if (at_word(z, "elif")) {
			copy(z, 4);
			continue;
		}
		if (at_word(z, "else")) {
			copy(z, 4);
			body_list(z, stop_fi);
		}
		if (at_word(z, "fi"))
			copy(z, 2);
		break;
	}
	z->sep = z->empty = false;
}

static void while_loop(struct zr *z)
{
	copy(z, 5);
	condition(z, stop_do);
	if (!z->sep)
		puts_(z, " ");
	if (at_word(z, "do")) {
		copy(z, 2);
		body_list(z, stop_done);
		if (at_word(z, "done"))
			copy(z, 4);
		z->sep = z->empty = false;
		return;
	}
	loop_body(z, "");
}

static void repeat_loop(struct zr *z)
{
	advance(z, 6);
	puts_(z, "for ZSH_REPEAT in ${" ZSH_UNREAD "} ");
	while (peek(z, 0) == ' ' || peek(z, 0) == '\t')
		advance(z, 1);
	word(z, ARGUMENT);
	loop_body(z, "");
}

/* A pattern that bash reads the same way stays; another one may match or not. */
static void case_pattern(struct zr *z)
{
	size_t n = 0, depth = 0;
	bool odd = false;

	if (peek(z, 0) == '(') {	/* one that may stand before a pattern, or a part of it: (a|b)* */
		size_t close = closing(z, z->pos + 1, '(', ')');

		if (close && is_meta(close + 1 < z->end ? (unsigned char)z->s[close + 1] : -1) && z->s[MIN(close + 1, z->end - 1)] != '|')
			advance(z, 1);
	}
	while (z->pos + n < z->end && (depth || peek(z, n) != ')')) {
		int c = peek(z, n);

		if (c == '\\' || c == '\'' || c == '"') {
			n += c == '\\' ? 2 : 1;
			while (c != '\\' && peek(z, n) >= 0 && peek(z, n) != c)
				n++;
			n += c != '\\';
			continue;
		}
		odd |= strchr("()<>#^~$`", c) != NULL;
		depth += c == '(';
		depth -= c == ')';
		n++;
	}
	if (odd) {
		unread(z, z->pos, z->pos + n);
		advance(z, n);
	} else {
		copy(z, n);
	}
	if (peek(z, 0) == ')')
		copy(z, 1);
}

static void case_command(struct zr *z)
{
	bool brace;

	copy(z, 4);
	skip_blanks(z);
	word(z, VALUE);
	puts_(z, " in ");
	before_body(z);
	brace = peek(z, 0) == '{';
	advance(z, brace ? 1 : at_word(z, "in") ? 2 : 0);
	for (;;) {
		skip_lines(z);
		if (z->pos >= z->end || at_word(z, "esac") || (brace && peek(z, 0) == '}'))
			break;
		case_pattern(z);
		z->sep = z->empty = true;
		if (deeper(z))
			list(z, stop_esac);
		z->depth--;
		if (z->empty)
			puts_(z, " :");
		if (at(z, ";|")) {
			puts_(z, ";;&");
			advance(z, 2);
		} else if (at(z, ";;") || at(z, ";&")) {
			copy(z, 2);
		} else {
			puts_(z, ";;");
		}
	}
	advance(z, at_word(z, "esac") ? 4 : brace && peek(z, 0) == '}' ? 1 : 0);
	puts_(z, " esac");
	z->sep = z->empty = false;
}

/* () { ... } words, function { ... } words */
static void anonymous(struct zr *z)
{
	char name[32];
	const char *text = arena_printf(z->in->arena, "zsh_anonymous_%u", ++z->anon);

	strncpy(name, text ? text : "zsh_anonymous_", sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	puts_(z, "{ ");
	puts_(z, name);
	puts_(z, "() ");
	before_body(z);
	if (peek(z, 0) == '{') {
		brace_group(z);
	} else {
		puts_(z, "{ ");
		if_body(z);
		puts_(z, "}");
	}
	puts_(z, "; ");
	puts_(z, name);
	for (;;) {
		size_t was = z->pos;

		skip_blanks(z);
		if (ends_command(z) || at_word(z, "}"))
			break;
		if (!redirection(z))
			word(z, ARGUMENT);
		if (z->pos == was)
			break;
	}
	puts_(z, "; }");
	z->sep = z->empty = false;
}

/* Functions that zsh calls when it sees fit. */
static void check_hook(struct zr *z, const char *name, size_t n)
{
	static const char *const hooks[] = { "precmd", "preexec", "chpwd", "periodic", "zshexit", "zshaddhistory", "command_not_found_handler",
					     "zsh_directory_name" };
	bool hit = n > 4 && (!strncmp(name, "TRAP", 4) || !strncmp(name, "zle-", 4));

	for (size_t i = 0; i < ARRAY_SIZE(hooks) && !hit; i++)
		hit = strlen(hooks[i]) == n && !strncmp(name, hooks[i], n);
	if (hit)
		gap(z, z->pos, "a function that the shell runs by itself");
}

static void function_body(struct zr *z)
{
	before_body(z);
	if (peek(z, 0) == '{' && is_meta(peek(z, 1))) {
		brace_group(z);
	} else if (peek(z, 0) == '(') {
		static const char *const none[] = { "}", NULL };

		command(z, none);
	} else {
		puts_(z, "{ ");
		if_body(z);
		puts_(z, "}");
	}
	z->sep = z->empty = false;
}

static void function_command(struct zr *z)
{
	size_t n = 0, name;

	advance(z, 8);
	while (peek(z, 0) == ' ' || peek(z, 0) == '\t')
		advance(z, 1);
	if (peek(z, 0) == '{' || at(z, "()")) {
		advance(z, peek(z, 0) == '(' ? 2 : 0);
		anonymous(z);
		return;
	}
	while (!is_meta(peek(z, n)))
		n++;
	name = z->pos;
	check_hook(z, z->s + name, n);
	put(z, z->s + name, n);
	puts_(z, "() ");
	advance(z, n);
	while (peek(z, 0) == ' ')
		advance(z, 1);
	advance(z, at(z, "()") ? 2 : 0);
	before_body(z);
	if (peek(z, 0) != '{')
		gap(z, name, "a function with several names");
	function_body(z);
}

/* NAME () at the position. */
static size_t function_name(const struct zr *z)
{
	size_t n = 0;

	while (!is_meta(peek(z, n)) && !strchr("'\"$`\\=", peek(z, n)))
		n++;
	if (!n)
		return 0;
	for (size_t k = n; ; k++) {
		if (peek(z, k) == ' ')
			continue;
		if (peek(z, k) != '(')
			return 0;
		for (k++; peek(z, k) == ' '; k++)
			;
		return peek(z, k) == ')' ? k + 1 : 0;
	}
}

/* After == in [[ ]]: what bash does not read may match or not. */
static void test_pattern(struct zr *z)
{
	size_t from, to, depth = 0;
	bool odd = false;

	skip_blanks(z);
	for (from = to = z->pos; to < z->end && (depth || !(z->s[to] == ' ' || z->s[to] == '\n')); to++) {
		char c = z->s[to];

		odd |= strchr("(<^#~", c) != NULL;
		if (c == '\\')
			to++;
		else if (c == '\'' || c == '"' || c == '`' || c == '$')
			return;		/* read part by part */
		depth += c == '(';
		depth -= c == ')' && depth;
	}
	if (odd) {
		move_to(z, to);
		unread(z, from, z->pos);
	}
}

static void test_command(struct zr *z)
{
	copy(z, 2);
	while (z->pos < z->end && !at_word(z, "]]")) {
		size_t was = z->pos;

		if (at(z, "== ") || at(z, "!= ") || at(z, " = ")) {
			copy(z, 3);
			test_pattern(z);
		} else if (strchr("$'\"`\\", peek(z, 0)))
			word(z, PLAIN);
		else
			copy(z, 1);
		if (z->pos == was)
			copy(z, 1);
	}
	copy(z, 2);
}

static void redirections(struct zr *z)
{
	for (;;) {
		size_t was = z->pos;

		skip_blanks(z);
		if (ends_command(z) || !redirection(z) || z->pos == was)
			return;
	}
}

/* true: a compound command, after which a body may follow at once. */
static bool compound(struct zr *z)
{
	if (peek(z, 0) == '{' && is_meta(peek(z, 1))) {
		brace_group(z);
		skip_blanks(z);
		if (at_word(z, "always")) {
			advance(z, 6);
			before_body(z);
			puts_(z, "; ");
			if (peek(z, 0) == '{')
				brace_group(z);
		}
	} else if (at(z, "()")) {
		advance(z, 2);
		anonymous(z);
		return true;
	} else if (at(z, "((")) {
		copy_arith(z);
	} else if (peek(z, 0) == '(') {
		copy(z, 1);
		z->sep = z->empty = true;
		if (deeper(z))
			list(z, stop_paren);
		z->depth--;
		copy(z, 1);
	} else if (at_word(z, "[[")) {
		test_command(z);
	} else if (at_word(z, "if")) {
		if_command(z);
	} else if (at_word(z, "for") || at_word(z, "foreach") || at_word(z, "select")) {
		for_loop(z);
	} else if (at_word(z, "while") || at_word(z, "until")) {
		while_loop(z);
	} else if (at_word(z, "repeat")) {
		repeat_loop(z);
	} else if (at_word(z, "case")) {
		case_command(z);
	} else if (at_word(z, "function")) {
		function_command(z);
	} else {
		return false;
	}
	z->sep = z->empty = false;
	return true;
}

static bool command(struct zr *z, const char *const *stop)
{
	size_t n;
	bool done;

	if (!deeper(z))
		return false;
	skip_blanks(z);
	while (at_word(z, "!") || at_word(z, "time") || at_word(z, "coproc")) {
		copy(z, peek(z, 0) == '!' ? 1 : peek(z, 0) == 't' ? 4 : 6);
		z->sep = z->empty = false;
		skip_blanks(z);
	}
	done = compound(z);
	n = done ? 0 : function_name(z);
	if (done && !ends_command(z)) {
		redirections(z);
	} else if (n) {
		check_hook(z, z->s + z->pos, strcspn(z->s + z->pos, " ("));
		copy(z, n);
		puts_(z, " ");
		function_body(z);
	} else if (!done) {
		simple(z, stop);
	}
	z->depth--;
	return done;
}

static void list(struct zr *z, const char *const *stop)
{
	while (z->pos < z->end) {
		size_t was;

		skip_lines(z);
		if (z->pos >= z->end || at_any(z, stop) || (stop == stop_esac && (at(z, ";;") || at(z, ";&") || at(z, ";|"))))
			return;
		was = z->pos;
		command(z, stop);
		skip_blanks(z);
		if (at(z, "&&") || at(z, "||") || at(z, "|&")) {
			copy(z, 2);
			z->sep = false;
		} else if (at(z, "&|") || at(z, "&!")) {
			advance(z, 2);
			puts_(z, "&");
			z->sep = true;
		} else if (stop == stop_esac && (at(z, ";;") || at(z, ";&") || at(z, ";|"))) {
			return;
		} else if (peek(z, 0) == ';' || peek(z, 0) == '&') {
			if (z->sep && peek(z, 0) == ';')
				advance(z, 1);
			else
				copy(z, 1);
			z->sep = true;
		} else if (peek(z, 0) == '|') {
			copy(z, 1);
			z->sep = false;
		} else if (peek(z, 0) == ')' && !at_any(z, stop)) {
			copy(z, 1);	/* bash's reader says where it is wrong */
		}
		if (z->pos == was) {
			gap(z, was, "a command that cannot be read");
			copy(z, 1);
		}
	}
}

void zsh_translate(const struct zsh_in *in, struct zsh_out *out)
{
	struct zr z = { .in = in, .out = out, .s = in->text, .end = in->len, .sep = true, .empty = true };
	uint32_t last = (uint32_t)in->len;

	*out = (struct zsh_out){ 0 };
	buf_init(&z.text, ZSH_TEXT);
	buf_init(&z.map, (ZSH_TEXT + 1) * sizeof(uint32_t));
	list(&z, NULL);
	copy_heredocs(&z);
	buf_add(&z.map, &last, sizeof(last));
	if (!z.text.full && !z.map.full) {
		uint32_t *map = arena_alloc(in->arena, z.map.len);

		out->text = arena_strndup(in->arena, buf_str(&z.text), z.text.len);
		out->len = z.text.len;
		if (map)
			memcpy(map, z.map.data, z.map.len);
		out->map = map;
		if (!map)
			out->text = NULL;
	}
	buf_done(&z.text);
	buf_done(&z.map);
}

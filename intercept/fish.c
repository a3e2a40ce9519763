/* intercept/fish.c - fish, said in bash's words */
#include "intercept/fish.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"

#define FISH_TEXT	(4u << 20)
#define FISH_DEPTH	60u
#define FISH_SITES	512u
#define FISH_BLOCKS	1024u
#define FISH_WORK	(16u << 20)	/* bytes of looking around: names, closing signs */

#define UNREAD		"${" ZSH_UNREAD "}"
#define GLOB		"${" ZSH_GLOB "}"

/* A place where a name gets a value. */
struct site {
	const char	*name;
	size_t		 at;		/* from here on it has it */
	unsigned	 block;		/* up to the end of this one */
	unsigned	 scope;		/* where the name is known; 0: everywhere */
	bool		 scalar, sure, taint;
};

struct block {
	size_t	from, to;
};

struct fr {
	const struct zsh_in	*in;
	struct zsh_out		*out;
	const char		*s;
	size_t			 pos, end, work;
	struct buf		 text, map;
	unsigned		 depth, block, func;
	bool			 write;		/* the second reading */
	bool			 maybe;		/* after and, or, && and || */
	unsigned		 shared;	/* in a substitution: fish has no subshells */
	size_t			 ncd;		/* commands that change the directory */
	bool			 func_cd, pipes;
	struct site		 site[FISH_SITES];
	struct block		 blocks[FISH_BLOCKS];
	size_t			 nsite, nblock;
};

/* How a command ended is not known: set and an empty block leave the status as it was. */
#define STATUS	"[ " UNREAD " ]"

static void list(struct fr *z, bool paren);
static bool word(struct fr *z);
static void job(struct fr *z, bool piped);

/* ---- output and small readers ------------------------------------------------------------------- */

static void put(struct fr *z, const char *s, size_t n)
{
	uint32_t at = (uint32_t)MIN(z->pos, z->end);

	if (!z->write)
		return;
	for (size_t i = 0; i < n; i++)
		buf_add(&z->map, &at, sizeof(at));
	buf_add(&z->text, s, n);
	if (z->text.full || z->map.full)
		z->pos = z->end;
}

static void puts_(struct fr *z, const char *s)
{
	put(z, s, strlen(s));
}

static int peek(const struct fr *z, size_t ahead)
{
	return z->pos + ahead < z->end ? (unsigned char)z->s[z->pos + ahead] : -1;
}

static void gap(struct fr *z, size_t from, const char *why)
{
	if (!z->out->gap) {
		z->out->gap = why;
		z->out->at = (struct span){ MIN(from, z->end), MIN(MAX(z->pos, from), z->end) };
	}
}

static bool deeper(struct fr *z)
{
	if (++z->depth <= FISH_DEPTH)
		return true;
	gap(z, z->pos, "nested deeper than sbxterm reads");
	z->pos = z->end;
	return false;
}

static bool spend(struct fr *z, size_t bytes)
{
	z->work += bytes;
	if (z->work <= FISH_WORK)
		return true;
	gap(z, z->pos, "the line does more than can be followed");
	z->pos = z->end;
	return false;
}

static bool is_name(int c)
{
	return c >= 0 && (isalnum(c) || c == '_');
}

static bool is_meta(int c)
{
	return c < 0 || strchr(" \t\n;&|<>()", c) != NULL;
}

static bool at(const struct fr *z, const char *text)
{
	size_t n = strlen(text);

	return z->pos + n <= z->end && !memcmp(z->s + z->pos, text, n);
}

static bool at_word(const struct fr *z, const char *text)
{
	return at(z, text) && is_meta(peek(z, strlen(text))) && peek(z, strlen(text)) != '(';
}

static bool at_any(const struct fr *z, const char *const *words)
{
	for (; *words; words++) {
		if (at_word(z, *words))
			return true;
	}
	return false;
}

static bool take(struct fr *z, const char *text)
{
	if (!at_word(z, text))
		return false;
	z->pos += strlen(text);
	return true;
}

static void skip_blanks(struct fr *z)
{
	for (;;) {
		if (peek(z, 0) == ' ' || peek(z, 0) == '\t')
			z->pos++;
		else if (at(z, "\\\n"))
			z->pos += 2;
		else
			return;
	}
}

static void skip_comment(struct fr *z)
{
	while (peek(z, 0) >= 0 && peek(z, 0) != '\n')
		z->pos++;
}

/* Blanks, newlines, semicolons, comments: all that may stand between commands. */
static void skip_separators(struct fr *z)
{
	for (;;) {
		skip_blanks(z);
		if (peek(z, 0) == '#')
			skip_comment(z);
		else if (peek(z, 0) == '\n' || peek(z, 0) == ';')
			z->pos++;
		else
			return;
	}
}

static bool ends_command(const struct fr *z)
{
	int c = peek(z, 0);

	return c < 0 || c == '\n' || c == ';' || c == '|' || c == ')' || c == '#' || (c == '&' && peek(z, 1) != '>');
}

static const char *slice(struct fr *z, size_t from, size_t to)
{
	const char *t = arena_strndup(z->in->arena, z->s + from, to - from);

	return t ? t : "";
}

/* The ) of the ( before @from; 0: none. */
static size_t closing(struct fr *z, size_t from)
{
	size_t depth = 1, hit = 0;

	for (size_t i = from; i < z->end && !hit; i++) {
		char c = z->s[i];

		if (c == '\\') {
			i++;
		} else if (c == '\'' || c == '"') {
			for (i++; i < z->end && z->s[i] != c; i++)
				i += z->s[i] == '\\';
		} else if (c == '(') {
			depth++;
		} else if (c == ')' && !--depth) {
			hit = i;
		}
	}
	return spend(z, (hit ? hit : z->end) - MIN(from, z->end)) ? hit : 0;
}

/* ---- names and what is known of them --------------------------------------------------------------- */

static void set_site(struct fr *z, const char *name, unsigned scope, bool scalar, bool taint)
{
	struct site *s;

	if (z->write)
		return;
	if (z->nsite == FISH_SITES) {
		gap(z, z->pos, "more variables than can be followed");
		return;
	}
	s = &z->site[z->nsite++];
	*s = (struct site){ .name = name, .at = z->pos, .block = z->block, .scope = scope, .scalar = scalar,
			    .sure = !z->maybe, .taint = taint || z->shared };
}

static bool in_block(const struct fr *z, unsigned b, size_t pos)
{
	return pos >= z->blocks[b].from && pos < z->blocks[b].to;
}

/* Does @name stand anywhere outside of its scope? Then which of two is meant depends on who calls. */
static bool used_outside(struct fr *z, const struct site *s)
{
	size_t n = strlen(s->name), end = z->in->len;

	if (!s->scope || !n)
		return false;
	if (!spend(z, end))
		return true;
	for (const char *p = z->s; (p = memmem(p, end - (size_t)(p - z->s), s->name, n)); p += n) {
		size_t off = (size_t)(p - z->s);

		if ((off && is_name((unsigned char)p[-1])) || (off + n < end && is_name((unsigned char)p[n])))
			continue;
		if (!in_block(z, s->scope, off))
			return true;
	}
	return false;
}

static bool is_made_up(const char *name)
{
	static const char *const names[] = { "pipestatus", "version", "hostname", "history", "CMD_DURATION", "umask", "last_pid", "_", "FISH_VERSION" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return !strncmp(name, "fish", 4) || isdigit((unsigned char)*name) || (n >= 4 && !strcmp(name + n - 4, "PATH"));
}

static bool is_tainted(struct fr *z, const char *name)
{
	for (size_t i = 0; i < z->nsite; i++) {
		struct site *s = &z->site[i];

		if (!strcmp(s->name, name) && (s->taint || used_outside(z, s)))
			return true;
	}
	return is_made_up(name);
}

/* One value and no other number of them, wherever the reader stands. */
static bool is_scalar(struct fr *z, const char *name)
{
	bool any = false, sure = false, array = false;

	for (size_t i = 0; i < z->nsite; i++) {
		const struct site *s = &z->site[i];

		if (strcmp(s->name, name) != 0)
			continue;
		any = true;
		if (!s->scalar)
			return false;
		sure |= s->sure && z->pos >= s->at && in_block(z, s->block, z->pos);
	}
	if (any)
		return sure;
	return z->in->value && z->in->value(z->in->arg, name, &array) && !array;
}

/* ---- words --------------------------------------------------------------------------------------------- */

static void put_quoted(struct fr *z, const char *s, size_t n)
{
	puts_(z, "'");
	for (size_t i = 0; i < n; i++)
		put(z, s[i] == '\'' ? "'\\''" : s + i, s[i] == '\'' ? 4 : 1);
	puts_(z, "'");
}

static void single_quoted(struct fr *z)
{
	size_t from = z->pos++;

	puts_(z, "'");
	while (peek(z, 0) >= 0 && peek(z, 0) != '\'') {
		if (peek(z, 0) == '\\' && (peek(z, 1) == '\\' || peek(z, 1) == '\''))
			z->pos++;
		if (peek(z, 0) == '\'')
			puts_(z, "'\\''");
		else
			put(z, z->s + z->pos, 1);
		z->pos++;
	}
	if (peek(z, 0) < 0)
		gap(z, from, "a quote is not closed");
	puts_(z, "'");
	z->pos++;
}

/* What one line of is all that comes out, when its words are plain. */
static bool one_line(const struct fr *z, size_t from, size_t to)
{
	static const char *const list_[] = { "echo ", "pwd", "mktemp", "git rev-parse --show-toplevel", "git rev-parse HEAD" };

	while (from < to && z->s[from] == ' ')
		from++;
	for (size_t i = from; i < to; i++) {
		if (!isalnum((unsigned char)z->s[i]) && !strchr(" /._-~,:=+@", z->s[i]))
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(list_); i++) {
		size_t n = strlen(list_[i]);

		if (to - from >= n && !memcmp(z->s + from, list_[i], n))
			return i || (to > from + 5 && z->s[from + 5] != '-');
	}
	return false;
}

/* (cmd) and $(cmd), at the (. In quotes it is one word; else a word for each line, of which nothing is known. */
static void substitution(struct fr *z, bool quoted)
{
	size_t open = z->pos, close = closing(z, z->pos + 1), end = z->end, tail;
	bool maybe = z->maybe, plain, psub = false;

	if (!close) {
		gap(z, open, "a substitution is not closed");
		z->pos = z->end;
		return;
	}
	for (tail = close; tail > open + 1 && z->s[tail - 1] == ' '; tail--)
		;
	if (!quoted && tail > open + 6 && !memcmp(z->s + tail - 4, "psub", 4)) {
		for (tail -= 4; tail > open + 1 && z->s[tail - 1] == ' '; tail--)
			;
		psub = z->s[tail - 1] == '|';
	}
	plain = quoted || one_line(z, open + 1, close);
	puts_(z, psub ? "<(" : quoted ? "$(" : plain ? "\"$(" : UNREAD "\"$(");
	z->pos++;
	z->end = psub ? tail - 1 : close;
	z->maybe = false;
	z->shared++;
	if (deeper(z))
		list(z, true);
	z->depth--;
	z->shared--;
	z->maybe = maybe;
	z->end = end;
	z->pos = close + 1;
	puts_(z, psub || quoted ? ")" : ")\"");
	if (peek(z, 0) == '[') {	/* (cmd)[1] */
		puts_(z, UNREAD);
		while (peek(z, 0) >= 0 && peek(z, 0) != ']' && !is_meta(peek(z, 0)))
			z->pos++;
		z->pos += peek(z, 0) == ']';
	}
}

/* [..] after a name: the commands inside run. */
static bool index_of(struct fr *z)
{
	if (peek(z, 0) != '[')
		return false;
	while (peek(z, 0) >= 0 && peek(z, 0) != ']' && peek(z, 0) != '\n') {
		if (peek(z, 0) == '(')
			substitution(z, false);
		else
			z->pos++;
	}
	z->pos += peek(z, 0) == ']';
	return true;
}

/* $x, at the $. @alone: the whole word, which may become any number of them. */
static void variable(struct fr *z, bool quoted, bool alone)
{
	size_t from = z->pos, n = 1;
	const char *name, *open = quoted ? "${" : "\"${", *close = quoted ? "" : "\"";
	bool unread = false;

	while (peek(z, n) == '$')
		n++;
	unread = n > 1;
	z->pos += n;
	for (n = 0; is_name(peek(z, n)); n++)
		;
	name = slice(z, z->pos, z->pos + n);
	z->pos += n;
	if (!n)
		gap(z, from, "a $ without a name");
	if (index_of(z))
		unread = true;
	if (unread || !n || is_tainted(z, name)) {
		puts_(z, UNREAD);
	} else if (!strcmp(name, "status")) {
		puts_(z, UNREAD);
	} else if (!strcmp(name, "argv")) {
		puts_(z, quoted ? "$*" : alone ? "\"$@\"" : UNREAD);
	} else if (is_scalar(z, name)) {
		puts_(z, open);
		puts_(z, name);
		puts_(z, "}");
		puts_(z, close);
	} else {
		puts_(z, open);
		puts_(z, name);
		puts_(z, quoted ? "[*]}" : "[@]}");
		puts_(z, close);
		puts_(z, quoted || alone ? "" : UNREAD);	/* as many words as it has values */
	}
}

static void double_quoted(struct fr *z)
{
	size_t from = z->pos++;

	puts_(z, "\"");
	while (peek(z, 0) >= 0 && peek(z, 0) != '"') {
		int c = peek(z, 0);

		if (c == '\\' && peek(z, 1) == '\n') {
			z->pos += 2;
		} else if (c == '\\' && peek(z, 1) > 0 && strchr("\"$\\", peek(z, 1))) {
			put(z, z->s + z->pos, 2);
			z->pos += 2;
		} else if (c == '\\' || c == '`') {
			puts_(z, "\\");
			put(z, z->s + z->pos++, 1);
		} else if (c == '$' && peek(z, 1) == '(') {
			z->pos++;
			substitution(z, true);
		} else if (c == '$') {
			variable(z, true, false);
		} else {
			put(z, z->s + z->pos++, 1);
		}
	}
	if (peek(z, 0) < 0)
		gap(z, from, "a quote is not closed");
	puts_(z, "\"");
	z->pos++;
}

static void escape(struct fr *z)
{
	int c = peek(z, 1);
	size_t max = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0, n = 0;

	if (c < 0) {
		gap(z, z->pos, "a line that goes on");
		z->pos++;
	} else if (c == '\n') {
		z->pos += 2;
	} else if (strchr("abefnrtv", c)) {
		puts_(z, "$'");
		put(z, z->s + z->pos, 2);
		puts_(z, "'");
		z->pos += 2;
	} else if (max || isdigit(c)) {
		unsigned value = 0;

		z->pos += max ? 2 : 1;
		while (n < (max ? max : 3) && (max ? isxdigit(peek(z, n)) : peek(z, n) >= '0' && peek(z, n) <= '7')) {
			int d = peek(z, n++);

			value = value * (max ? 16 : 8) + (unsigned)(isdigit(d) ? d - '0' : tolower(d) - 'a' + 10);
		}
		if (value >= 0x20 && value < 0x7f)
			put_quoted(z, (char[]){ (char)value }, 1);
		else
			puts_(z, UNREAD);
		z->pos += n;
	} else if (c == 'c') {
		z->pos += 3;
		puts_(z, UNREAD);
	} else {
		put_quoted(z, z->s + z->pos + 1, 1);
		z->pos += 2;
	}
}

/* {a,b} as in bash; a range is text here, blanks inside are cut off there. */
static void brace(struct fr *z, bool second)
{
	size_t depth = 0, n = 0;
	bool comma = false, odd = second;	/* of several the first one turns fastest: not so in bash */

	for (; z->pos + n < z->end; n++) {
		int c = peek(z, n);

		depth += c == '{';
		comma |= c == ',' && depth == 1;
		odd |= strchr(" \t\n'\"\\(;&|<>*?", c) != NULL;
		if (c == '}' && !--depth)
			break;
	}
	for (size_t i = 0; i < n && !odd; i++) {	/* a variable without one value takes the whole word with it */
		size_t k = i + 1;

		while (is_name(peek(z, k)) || peek(z, k) == '$' || peek(z, k) == '[')
			k++;
		if (peek(z, i) == '$') {
			const char *name = slice(z, z->pos + i + 1, z->pos + k);

			odd = !is_scalar(z, name) || is_tainted(z, name);
		}
	}
	spend(z, n);
	if (depth) {
		gap(z, z->pos, "a brace is not closed");
		puts_(z, "\\{");
		z->pos++;
	} else if (odd) {
		size_t end = z->end, to = z->pos + n;

		puts_(z, UNREAD);
		z->end = to;
		for (z->pos++; z->pos < z->end; ) {
			if (peek(z, 0) == '\\')
				z->pos += 2;
			else if (peek(z, 0) == '(')
				substitution(z, false);
			else
				z->pos++;
		}
		z->end = end;
		z->pos = to + 1;
	} else if (comma && !memmem(z->s + z->pos, n, "..", 2)) {
		for (size_t to = z->pos + n + 1; z->pos < to; ) {
			if (peek(z, 0) == '$') {
				variable(z, false, false);
				continue;
			}
			puts_(z, strchr("[]!^`#", peek(z, 0)) ? "\\" : "");
			put(z, z->s + z->pos++, 1);
		}
	} else if (comma || memchr(z->s + z->pos, '$', n)) {
		puts_(z, UNREAD);
		z->pos += n + 1;
	} else {
		put_quoted(z, z->s + z->pos, n + 1);
		z->pos += n + 1;
	}
}

/* One word. true: it is one value for certain. */
static bool word(struct fr *z)
{
	size_t from = z->pos, last = 0;
	bool one = true, glob = false, alone;
	unsigned braces = 0;

	if (at_word(z, "%self")) {
		z->pos += 5;
		puts_(z, UNREAD);
		return true;
	}

	while (z->pos < z->end) {
		int c = peek(z, 0);

		if (is_meta(c) && c != '(')
			break;
		last = z->pos;
		if (c == '\\') {
			escape(z);
		} else if (c == '\'') {
			single_quoted(z);
		} else if (c == '"') {
			double_quoted(z);
		} else if (c == '$' && peek(z, 1) == '(') {
			z->pos++;
			one = one && one_line(z, z->pos + 1, MAX(closing(z, z->pos + 1), z->pos + 1));
			substitution(z, false);
		} else if (c == '(') {
			one = one && one_line(z, z->pos + 1, MAX(closing(z, z->pos + 1), z->pos + 1));
			substitution(z, false);
		} else if (c == '$') {
			size_t n = 1;

			while (is_name(peek(z, n)) || peek(z, n) == '$')
				n++;
			one = one && is_scalar(z, slice(z, z->pos + 1, z->pos + n));
			alone = last == from && is_meta(peek(z, n)) && peek(z, n) != '(';
			variable(z, false, alone);
		} else if (c == '{') {
			one = false;
			brace(z, braces++ > 0);
		} else if (c == '*' || c == '?') {
			one = false;
			glob = true;
			put(z, z->s + z->pos++, 1);
		} else if (c == '~' && z->pos == from) {
			put(z, z->s + z->pos++, 1);
		} else if (strchr("~[]!^`}#=", c) && !(c == '=' && z->pos > from)) {
			puts_(z, "\\");
			put(z, z->s + z->pos++, 1);
		} else {
			put(z, z->s + z->pos++, 1);
		}
	}
	if (glob)
		puts_(z, GLOB);
	return one;
}

/* ---- commands -------------------------------------------------------------------------------------------- */

static bool redirection(struct fr *z)
{
	size_t n = 0;
	bool both = at(z, "&>");

	while (isdigit(peek(z, n)))
		n++;
	if (!both && peek(z, n) != '<' && peek(z, n) != '>')
		return false;
	if (peek(z, n) == '>' && peek(z, n + 1) == '|')
		return false;
	puts_(z, " ");
	put(z, z->s + z->pos, n + 1 + both);
	z->pos += n + 1 + both;
	if (peek(z, 0) == '>' || peek(z, 0) == '&')
		put(z, z->s + z->pos++, 1);
	z->pos += peek(z, 0) == '?';
	skip_blanks(z);
	if (ends_command(z))
		gap(z, z->pos, "a redirection without a file");
	word(z);
	return true;
}

/* The words up to the end of the command, each after @before. How many; *one: each is one value. */
static size_t words(struct fr *z, const char *before, bool *one)
{
	size_t n = 0;

	for (;;) {
		size_t was;

		skip_blanks(z);
		was = z->pos;
		if (ends_command(z))
			return n;
		if (redirection(z))
			continue;
		puts_(z, before);
		if (!word(z) && one)
			*one = false;
		n++;
		if (z->pos == was) {
			gap(z, was, "a sign that cannot be read");
			z->pos++;
		}
	}
}

/* What bash itself goes by: another value would change how our own words are read. */
static bool steers_bash(const char *name)
{
	static const char *const names[] = { "IFS", "GLOBIGNORE", "BASHOPTS", "SHELLOPTS", "POSIXLY_CORRECT", "BASH_ENV", "PWD", "OLDPWD", "FUNCNEST" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return !strcmp(name, ZSH_UNREAD) || !strcmp(name, ZSH_GLOB);
}

struct set_how {
	bool	local, global, func, export, erase, query, other, append, prepend;
};

static void set_options(struct fr *z, struct set_how *h)
{
	static const struct { const char *name; char letter; } longs[] = {
		{ "--local", 'l' }, { "--global", 'g' }, { "--function", 'f' }, { "--universal", 'U' }, { "--export", 'x' }, { "--unexport", 'u' },
		{ "--erase", 'e' }, { "--query", 'q' }, { "--append", 'a' }, { "--prepend", 'p' }, { "--path", 'P' }, { "--unpath", 'P' },
		{ "--names", 'n' }, { "--show", 'S' }, { "--long", 'L' },
	};

	for (;;) {
		size_t n = 1;

		skip_blanks(z);
		if (peek(z, 0) != '-' || take(z, "--"))
			return;
		while (!is_meta(peek(z, n)))
			n++;
		for (size_t i = 1; i < n; i++) {
			char c = z->s[z->pos + i];

			if (i == 1 && c == '-') {
				c = '?';
				for (size_t k = 0; k < ARRAY_SIZE(longs); k++)
					c = at_word(z, longs[k].name) ? longs[k].letter : c;
				i = n;
			}
			h->local |= c == 'l';
			h->global |= c == 'g' || c == 'U';
			h->func |= c == 'f';
			h->export |= c == 'x';
			h->erase |= c == 'e';
			h->query |= c == 'q';
			h->append |= c == 'a';
			h->prepend |= c == 'p';
			h->other |= !strchr("lgUfxueqapP", c);
		}
		z->pos += n;
	}
}

static void set_command(struct fr *z)
{
	struct set_how h = { 0 };
	const char *name;
	size_t n = 0, from;
	unsigned scope;
	bool one = true, write = z->write;

	set_options(z, &h);
	while (is_name(peek(z, n)))
		n++;
	name = slice(z, z->pos, z->pos + n);
	if (h.query || h.other || !n) {
		if (!n && !ends_command(z) && !h.query)
			gap(z, z->pos, "the name of a variable is not known");
		puts_(z, "grep -e " UNREAD);
		words(z, " -e ", NULL);
		return;
	}
	z->pos += n;
	if (steers_bash(name))
		gap(z, z->pos - n, "a variable that the reader itself goes by");
	if (h.erase || !(is_meta(peek(z, 0))) || isdigit((unsigned char)*name)) {	/* erased: another one may show; x[1] */
		if (h.erase)
			puts_(z, "unset ");
		puts_(z, h.erase ? name : "grep");
		set_site(z, name, 0, false, true);
		words(z, h.erase ? " " : " -e ", NULL);
		return;
	}
	scope = h.local ? z->block : h.func || !h.global ? z->func : 0;
	from = z->pos;
	z->write = false;		/* look: one value or a list */
	n = words(z, "", &one);
	z->pos = from;
	z->write = write;
	one = one && n == 1 && !h.append && !h.prepend;
	puts_(z, h.export ? "{ export " : "{ ");
	puts_(z, name);
	puts_(z, one ? "=" : h.export ? "=" UNREAD : h.append && !h.prepend ? "+=(" : "=(");
	if (!one && h.export)
		puts_(z, "; : ");
	words(z, one ? "" : " ", NULL);
	if (!one && !h.export && h.prepend) {
		puts_(z, " \"${");
		puts_(z, name);
		puts_(z, "[@]}\"");
	}
	puts_(z, one || h.export ? "" : ")");
	puts_(z, "; " STATUS "; }");
	/* In a function that something else calls through a pipe, a global changes here and not there. */
	set_site(z, name, scope, one, !scope && z->func);
}

/* cd, pushd and their kin change the directory for all that follows: here nothing is a subshell. */
static bool directory(struct fr *z)
{
	static const char *const plain[] = { "cd", "pushd", "popd", NULL };
	static const char *const wild[] = { "prevd", "nextd", "cdh", NULL };

	if (at_any(z, wild)) {
		z->ncd++;
		z->pos += strcspn(z->s + z->pos, " \t\n;&|)");
		z->pos = MIN(z->pos, z->end);
		puts_(z, "cd " UNREAD);
		return true;
	}
	if (!at_any(z, plain))
		return false;
	z->ncd++;
	if (z->func)
		z->func_cd = true;
	if (z->shared)
		gap(z, z->pos, "the directory changes inside a substitution");
	while (!is_meta(peek(z, 0)))
		put(z, z->s + z->pos++, 1);
	skip_blanks(z);
	puts_(z, " ");
	if (at_word(z, "-")) {
		z->pos++;
		puts_(z, UNREAD);
	}
	return true;
}

static void read_command(struct fr *z)
{
	puts_(z, "read");
	for (;;) {
		size_t from;

		skip_blanks(z);
		from = z->pos;
		if (ends_command(z))
			return;
		if (redirection(z))
			continue;
		if (peek(z, 0) == '-') {
			size_t n = 0;

			while (!is_meta(peek(z, n)))
				n++;
			if (at(z, "--prompt") ? !at(z, "--prompt-str") : peek(z, 1) != '-' && (memchr(z->s + from, 'p', n) || memchr(z->s + from, 'c', n)))
				gap(z, from, "a prompt that runs code");
			z->pos += n;
			if (peek(z, 0) == '(')
				substitution(z, false);
			continue;
		}
		puts_(z, " ");
		word(z);
		set_site(z, slice(z, from, z->pos), 0, false, true);
		if (z->pos == from)
			z->pos++;
	}
}

/* Builtins that only compute or say: their words are data, what they print and how they end is not known. */
static const char *const pure[] = { "string", "math", "count", "contains", "status", "set_color", "random", "isatty", "path", NULL };
/* What runs code later or changes how fish works, and bash's builtins that mean something else there. */
static const char *const later[] = {
	"bind", "complete", "abbr", "alias", "trap", "emit", "funced", "funcsave", "functions", "fish_config", "fish_update_completions",
	"argparse", "commandline", "block", "vared", "history", "fish_add_path", "declare", "typeset", "local", "readonly", "unset", "let",
	"shopt", "mapfile", "readarray", "getopts", "shift", "enable", "compgen", "hash", "coproc", "until", "select", "[[", "suspend", NULL
};
/* bash's own words: plain programs in fish. */
static const char *const bash_words[] = { "then", "do", "done", "fi", "elif", "esac", "in", NULL };
static const char *const prefixes[] = { "command", "builtin", "exec", "time", NULL };

/* NAME=value before a command: its length with the = */
static size_t assignment(const struct fr *z)
{
	size_t n = 0;

	while (is_name(peek(z, n)))
		n++;
	return n && peek(z, n) == '=' && !isdigit(peek(z, 0)) ? n + 1 : 0;
}

static void environment(struct fr *z)
{
	size_t n, from = z->pos;
	bool any = false;

	while ((n = assignment(z))) {
		const char *name = slice(z, z->pos, z->pos + n - 1);

		any = true;
		if (steers_bash(name))
			gap(z, z->pos, "a variable that the reader itself goes by");
		put(z, z->s + z->pos, n);
		z->pos += n;
		/* $NAME in the words of the command is this value already */
		set_site(z, name, 0, false, true);
		if (!word(z))
			puts_(z, UNREAD);
		puts_(z, " ");
		skip_blanks(z);
	}
	if (any && ends_command(z))
		gap(z, from, "an assignment that fish does not know");
}

/* The end of the word and a ) or ; behind it: does it stand without words? */
static bool bare(struct fr *z, size_t n)
{
	while (peek(z, n) == ' ' || peek(z, n) == '\t')
		n++;
	return peek(z, n) < 0 || strchr("\n;|&)#", peek(z, n)) != NULL;
}

static void simple(struct fr *z)
{
	environment(z);
	while (at_any(z, prefixes)) {
		bool command = at_word(z, "command");

		while (!is_meta(peek(z, 0)))
			put(z, z->s + z->pos++, 1);
		puts_(z, " ");
		skip_blanks(z);
		if (command && peek(z, 0) == '-' && !at_word(z, "--")) {	/* -q, -s, -a: only looks */
			while (!is_meta(peek(z, 0)))
				z->pos++;
			puts_(z, "-v");
			words(z, " ", NULL);
			return;
		}
	}
	if (take(z, "set")) {
		set_command(z);
		return;
	}
	if (take(z, "read")) {
		read_command(z);
		return;
	}
	if (at_any(z, pure)) {
		while (!is_meta(peek(z, 0)))
			z->pos++;
		puts_(z, "grep -e " UNREAD);
		words(z, " -e ", NULL);
		return;
	}
	if (at_any(z, later))
		gap(z, z->pos, "a builtin that changes how fish works");
	if ((at_word(z, "source") && bare(z, 6)) || (at_word(z, ".") && bare(z, 1)) || at(z, "source -") || at(z, ". -"))
		gap(z, z->pos, "runs what comes through the pipe");
	if (at(z, "printf -v"))
		gap(z, z->pos, "not an option of this printf");
	if (!directory(z)) {
		if (at_any(z, bash_words))
			puts_(z, "\\");
		if (at(z, "echo -")) {	/* its own options: -s leaves the blanks out */
			z->pos += 4;
			puts_(z, "echo " UNREAD);
		} else if (ends_command(z) || peek(z, 0) == '<' || peek(z, 0) == '>') {
			while (redirection(z))
				skip_blanks(z);
			gap(z, z->pos, "a command is missing");
		} else {
			word(z);
		}
	}
	words(z, " ", NULL);
}

static unsigned open_block(struct fr *z)
{
	unsigned old = z->block;

	if (z->nblock == FISH_BLOCKS) {
		gap(z, z->pos, "more blocks than can be followed");
		z->pos = z->end;
		return old;
	}
	z->block = (unsigned)z->nblock++;
	if (!z->write)
		z->blocks[z->block] = (struct block){ z->pos, z->end };
	return old;
}

static void close_block(struct fr *z, unsigned old)
{
	if (!z->write && z->block)
		z->blocks[z->block].to = z->pos;
	z->block = old;
}

/* Commands up to end, else or case, which stay. */
static void body(struct fr *z)
{
	unsigned old = open_block(z);
	bool maybe = z->maybe;

	z->maybe = false;
	puts_(z, " ");
	if (deeper(z))
		list(z, false);
	z->depth--;
	puts_(z, " " STATUS "\n");	/* a body may be empty */
	z->maybe = maybe;
	close_block(z, old);
}

static void end_word(struct fr *z, const char *bash)
{
	if (!take(z, "end"))
		gap(z, z->pos, "a block is not closed");
	puts_(z, " ");
	puts_(z, bash);
}

/* and, or at the position, after separators: written as bash has them. */
static bool join(struct fr *z)
{
	size_t was = z->pos;

	skip_separators(z);
	if (at_word(z, "and") || at_word(z, "or")) {
		puts_(z, at_word(z, "and") ? " && " : " || ");
		z->pos += at_word(z, "and") ? 3 : 2;
		z->maybe = true;
		return true;
	}
	z->pos = was;
	return false;
}

/* What an if or while goes by: one chain of commands. */
static void condition(struct fr *z)
{
	bool maybe = z->maybe;

	z->maybe = true;
	job(z, false);
	while (join(z))
		job(z, false);
	z->maybe = maybe;
	if (z->pos < z->end && !ends_command(z))
		gap(z, z->pos, "a condition that cannot be read");
}

static void if_command(struct fr *z)
{
	puts_(z, "{ if ");
	condition(z);
	puts_(z, "; then");
	body(z);
	while (take(z, "else")) {
		skip_blanks(z);
		if (take(z, "if")) {
			puts_(z, " elif ");
			condition(z);
			puts_(z, "; then");
		} else {
			puts_(z, " else");
		}
		body(z);
	}
	end_word(z, "fi; " STATUS "; }");
}

static void for_loop(struct fr *z)
{
	size_t n = 0;
	const char *name;
	unsigned old;

	skip_blanks(z);
	while (is_name(peek(z, n)))
		n++;
	name = slice(z, z->pos, z->pos + n);
	z->pos += n;
	skip_blanks(z);
	if (!n || !take(z, "in") || steers_bash(name))
		gap(z, z->pos, "a loop that cannot be read");
	puts_(z, "{ for ");
	puts_(z, n ? name : "_");
	puts_(z, " in");
	words(z, " ", NULL);
	puts_(z, "; do");
	old = open_block(z);
	set_site(z, name, z->func, true, false);
	body(z);
	close_block(z, old);
	end_word(z, "done; " STATUS "; }");
}

/* A pattern is one even in quotes. */
static void case_pattern(struct fr *z)
{
	size_t n = 0;
	bool any = at_word(z, "'*'") || at_word(z, "*") || at_word(z, "\"*\"");

	while (!is_meta(peek(z, n)) && (isalnum(peek(z, n)) || strchr("_-./", peek(z, n))))
		n++;
	if (any) {
		puts_(z, "*");
		z->pos += peek(z, 0) == '*' ? 1 : 3;
	} else if (n && is_meta(peek(z, n)) && peek(z, n) != '(') {
		put(z, z->s + z->pos, n);
		z->pos += n;
	} else {
		puts_(z, UNREAD);
		word(z);
	}
}

static void switch_command(struct fr *z)
{
	puts_(z, "{ case ");
	skip_blanks(z);
	if (!word(z))
		puts_(z, UNREAD);
	puts_(z, " in ");
	skip_separators(z);
	while (take(z, "case")) {
		size_t n = 0;

		for (;;) {
			size_t was;

			skip_blanks(z);
			was = z->pos;
			if (ends_command(z))
				break;
			puts_(z, n++ ? "|" : "");
			case_pattern(z);
			if (z->pos == was) {
				gap(z, was, "a pattern that cannot be read");
				z->pos++;
			}
		}
		puts_(z, n ? ")" : UNREAD ")");
		body(z);
		puts_(z, ";; ");
	}
	end_word(z, "esac; " STATUS "; }");
}

static void function(struct fr *z)
{
	size_t n = 0, from;
	unsigned old, func = z->func;
	bool named = true;

	skip_blanks(z);
	from = z->pos;
	while (!is_meta(peek(z, n)) && (isalnum(peek(z, n)) || strchr("_-.", peek(z, n))))
		n++;
	named = n && is_meta(peek(z, n)) && peek(z, 0) != '-' && strncmp(z->s + from, "fish", 4) != 0;
	if (z->block || z->maybe)	/* else the name is a program's, and who calls it cannot tell */
		gap(z, from, "a function that may be there or not");
	if (!named)
		gap(z, from, "a function that the shell runs by itself, or whose name is not known");
	puts_(z, named ? "" : "fish_function");
	put(z, z->s + z->pos, named ? n : 0);
	z->pos += named ? n : 0;
	puts_(z, "() {");
	old = open_block(z);
	z->func = z->block;
	while (skip_blanks(z), !ends_command(z)) {
		size_t was = z->pos;
		bool write = z->write;

		if (at(z, "--on-") || at(z, "-e") || at(z, "-v") || at(z, "-j") || at(z, "-p") || at(z, "-s"))
			gap(z, z->pos, "a function that runs when something happens");
		if (at(z, "-S") || at(z, "--no-scope"))
			gap(z, z->pos, "a function that changes what its caller knows");
		z->write = false;
		word(z);
		z->write = write;
		if (memchr(z->s + was, '(', z->pos - was))
			gap(z, was, "a command runs while a function is made");
		if (z->s[was] != '-')		/* a name for an argument, or a text */
			set_site(z, slice(z, was, z->pos), z->block, false, true);
		if (z->pos == was)
			z->pos++;
	}
	body(z);
	close_block(z, old);
	z->func = func;
	end_word(z, "}");
}

/* One command or block with its redirections. */
static void command(struct fr *z)
{
	bool known = true;

	skip_blanks(z);
	while (at_word(z, "not") || at_word(z, "!")) {
		z->pos += peek(z, 0) == '!' ? 1 : 3;
		puts_(z, "! ");
		skip_blanks(z);
	}
	if (!deeper(z))
		return;
	if (take(z, "begin")) {
		puts_(z, "{");
		body(z);
		end_word(z, "}");
	} else if (take(z, "if")) {
		if_command(z);
	} else if (take(z, "while")) {
		puts_(z, "{ while ");
		condition(z);
		puts_(z, "; do");
		body(z);
		end_word(z, "done; " STATUS "; }");
	} else if (take(z, "for")) {
		for_loop(z);
	} else if (take(z, "switch")) {
		switch_command(z);
	} else if (take(z, "function")) {
		function(z);
	} else {
		known = false;
		if (peek(z, 0) == '{')		/* a group in fish 4.1, text before */
			gap(z, z->pos, "a brace where a command begins");
		simple(z);
	}
	while (known && (skip_blanks(z), !ends_command(z))) {
		if (!redirection(z)) {
			gap(z, z->pos, "words after a block");
			z->pos++;
		}
	}
	z->depth--;
}

/* Commands with pipes between. What one of them sets or where it goes stays: fish has no subshells. */
static void job(struct fr *z, bool piped)
{
	size_t from = z->pos, first = z->nsite, cds = z->ncd;
	bool maybe = z->maybe;

	for (;;) {
		command(z);
		skip_blanks(z);
		if (at(z, "&|") || at(z, "1>|") || at(z, "2>|")) {
			z->pos += peek(z, 0) == '&' ? 2 : 3;
			puts_(z, " |& ");
		} else if (peek(z, 0) == '|' && peek(z, 1) != '|') {
			z->pos++;
			puts_(z, " | ");
		} else {
			break;
		}
		piped = true;
		while (skip_blanks(z), peek(z, 0) == '\n')
			z->pos++;
	}
	if (peek(z, 0) == '&' && peek(z, 1) != '&')
		piped = true;
	z->pipes |= piped;
	for (size_t i = first; piped && !z->write && i < z->nsite; i++)
		z->site[i].taint = true;
	if (piped && z->ncd > cds)
		gap(z, from, "the directory changes inside a pipeline");
	z->maybe = maybe;
}

/* Up to ), end, else, case or the end of the text. */
static void list(struct fr *z, bool paren)
{
	static const char *const stop[] = { "end", "else", "case", NULL };

	while (z->pos < z->end) {
		size_t was;

		z->maybe = false;
		skip_separators(z);
		if (z->pos >= z->end || (z->block && !paren && at_any(z, stop)))
			return;
		was = z->pos;
		if (at_word(z, "and") || at_word(z, "or")) {	/* by how the one before the block ended */
			puts_(z, STATUS);
			join(z);
		}
		for (;;) {
			job(z, false);
			if (at(z, "&&") || at(z, "||")) {
				puts_(z, peek(z, 0) == '&' ? " && " : " || ");
				z->pos += 2;
				z->maybe = true;
				skip_separators(z);
			} else if (!(peek(z, 0) != '&' && join(z))) {
				break;
			}
		}
		if (peek(z, 0) == '&') {
			z->pos++;
			puts_(z, " &");
		} else {
			puts_(z, ";");
		}
		puts_(z, "\n");
		if (z->pos == was) {
			gap(z, was, "a command that cannot be read");
			z->pos++;
		}
	}
}

static void read_text(struct fr *z, bool write)
{
	z->write = write;
	z->pos = 0;
	z->end = z->in->len;
	z->depth = z->block = z->func = z->shared = 0;
	z->nblock = 1;
	z->ncd = 0;
	z->blocks[0] = (struct block){ 0, z->in->len + 1 };
	list(z, false);
	while (z->pos < z->end) {	/* a ) that nothing opened */
		gap(z, z->pos, "a sign that cannot be read");
		z->pos++;
		list(z, false);
	}
}

void fish_translate(const struct zsh_in *in, struct zsh_out *out)
{
	struct fr *z = arena_alloc(in->arena, sizeof(*z));
	uint32_t last = (uint32_t)in->len, *map;

	*out = (struct zsh_out){ 0 };
	if (!z)
		return;
	*z = (struct fr){ .in = in, .out = out, .s = in->text };
	buf_init(&z->text, FISH_TEXT);
	buf_init(&z->map, (FISH_TEXT + 1) * sizeof(uint32_t));
	read_text(z, false);
	if (z->func_cd && z->pipes)
		gap(z, 0, "the directory changes in a function");
	read_text(z, true);
	for (size_t i = 0; i < z->nsite; i++) {		/* what a script keeps to itself is not for who reads it */
		if (z->site[i].scope || z->site[i].taint) {
			puts_(z, z->site[i].name);
			puts_(z, "=" UNREAD "\n");
		}
	}
	buf_add(&z->map, &last, sizeof(last));
	map = z->text.full || z->map.full ? NULL : arena_alloc(in->arena, z->map.len);
	if (map) {
		memcpy(map, z->map.data, z->map.len);
		out->text = arena_strndup(in->arena, buf_str(&z->text), z->text.len);
		out->len = z->text.len;
		out->map = map;
	}
	buf_done(&z->text);
	buf_done(&z->map);
}

#include "intercept/model.h"
#include "intercept/zsh.h"
#include "intercept/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the value of a parameter --------------------------------------------------------- */

static struct value of_text(struct piece *p)
{
	return (struct value){ .state = LIVE_SCALAR, .text = p };
}

static struct value of_unknown(const char *why)
{
	return (struct value){ .state = LIVE_UNKNOWN, .why = why };
}

static struct value solid(struct expand *x, const char *why)
{
	return of_text(piece_solid(x, why));
}

/* Elements before the first that stands for all names that match a pattern. */
static size_t counted(const struct piece *const *val, size_t n)
{
	size_t i = 0;

	for (; i < n; i++) {
		for (const struct piece *p = val[i]; p; p = p->next) {
			if (p->kind == PIECE_GLOB)
				return i;
		}
	}
	return i;
}

static bool is_loose(const struct value *v)
{
	return (v->state == LIVE_ARRAY || v->state == LIVE_ASSOC) && counted((const struct piece *const *)v->val, v->n) < v->n;
}

static struct value positional(struct expand *x, const char *name)
{
	unsigned long n = strtoul(name, NULL, 10);

	if (n == 0)
		return x->st.arg0 ? of_text(piece_str(x, x->st.arg0)) : of_unknown("$0 of the shell");
	if (x->st.pos_unknown)
		return of_unknown("arguments of the shell or function");
	if (counted((const struct piece *const *)x->st.pos, x->st.npos) < MIN(n, x->st.npos))
		return of_unknown("arguments that are names for a pattern");
	if (n > x->st.npos)
		return (struct value){ .state = LIVE_UNSET };
	return of_text(x->st.pos[n - 1]);
}

static struct value all_positional(struct expand *x)
{
	struct value v = { .state = LIVE_ARRAY, .n = x->st.npos, .val = x->st.pos };

	return x->st.pos_unknown ? of_unknown("arguments of the shell or function") : v;
}

static struct value special(struct expand *x, char c)
{
	switch (c) {
	case '#':
		if (x->st.pos_unknown || counted((const struct piece *const *)x->st.pos, x->st.npos) < x->st.npos)
			return solid(x, "number of arguments");
		return of_text(piece_str(x, arena_printf(x->a, "%zu", x->st.npos)));
	case '?':
		return solid(x, "exit status");
	case '$':
	case '!':
		return solid(x, "a process number");
	case '-':
		return solid(x, "options of the shell");
	default:
		return of_unknown("last argument of the previous command");
	}
}

/* Follow name references, but not in circles. */
static const struct value *resolve(struct expand *x, const char *name)
{
	const struct value *v = model_var(x, name);

	for (int i = 0; i < 8 && v->nameref && v->state == LIVE_SCALAR; i++) {
		const char *to = piece_exact(x, v->text);

		if (!to || strchr(to, '['))
			break;
		v = model_var(x, to);
	}
	return v;
}

static long find_key(const struct value *v, const char *key)
{
	for (size_t i = 0; i < v->n; i++) {
		if (strcmp(v->key[i], key) == 0)
			return (long)i;
	}
	return -1;
}

static const char *index_key(struct wordctx *c, const struct ast_word *w, const struct value *v)
{
	struct expand *x = c->x;
	struct wordctx in;
	const char *text, *why;
	long long n;

	word_init(&in, x);
	text = piece_exact(x, word_whole(&in, w, false));
	if (!text || v->state == LIVE_ASSOC)
		return text;
	if (arith_eval(c, text, &n, &why) < 0) {
		word_may_stop(c);
		return NULL;
	}
	if (n < 0 && v->state == LIVE_ARRAY && v->n)
		n += strtoll(v->key[v->n - 1], NULL, 10) + 1;
	if (n < 0)
		word_may_stop(c);		/* "bad array subscript", which set -e takes for a failure */
	return arena_printf(x->a, "%lld", n);
}

static const struct value unset = { .state = LIVE_UNSET };

static struct value element(struct wordctx *c, const struct value *v, const struct ast_word *index)
{
	const char *key = index_key(c, index, v);
	long i;

	if (!key || v->state == LIVE_UNKNOWN)
		return of_unknown(v->why ? v->why : "array element");
	if (v->state == LIVE_SCALAR)
		return strcmp(key, "0") == 0 ? *v : unset;
	i = find_key(v, key);
	if (is_loose(v) && (i < 0 || (size_t)i >= counted((const struct piece *const *)v->val, v->n)))
		return of_unknown("names for a pattern in an array");
	return i < 0 ? unset : of_text(v->val[i]);
}

static struct value whole_array(struct expand *x, const struct value *v)
{
	struct piece **one;

	if (v->state != LIVE_SCALAR)
		return *v;
	one = arena_alloc(x->a, sizeof(*one));
	if (!one)
		return of_unknown("too big");
	*one = v->text;
	return (struct value){ .state = LIVE_ARRAY, .n = 1, .val = one };
}

static struct value named(struct wordctx *c, const char *name, const struct ast_param *q)
{
	struct expand *x = c->x;
	const struct value *v = resolve(x, name);
	long i;

	if (q->all)
		return whole_array(x, v);
	if (q->index)
		return element(c, v, q->index);
	if (v->state != LIVE_ARRAY && v->state != LIVE_ASSOC)
		return *v;
	i = find_key(v, "0");		/* $arr is ${arr[0]} */
	return i < 0 ? unset : of_text(v->val[i]);
}

static struct value by_name(struct wordctx *c, const char *name, const struct ast_param *q)
{
	char first = name[0];

	if (first == '@' || first == '*')
		return all_positional(c->x);
	if (isdigit((unsigned char)first))
		return positional(c->x, name);
	if (!name[1] && strchr("#?$!-_", first))
		return special(c->x, first);
	return named(c, name, q);
}

static bool is_identifier(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

/* ${!x}: x holds the name. */
static struct value indirect(struct wordctx *c, const struct ast_param *q)
{
	static const struct ast_param plain;
	struct value v = by_name(c, q->name, q);
	const char *to = v.state == LIVE_SCALAR ? piece_exact(c->x, v.text) : NULL;

	if (v.state == LIVE_UNSET && !isdigit((unsigned char)*q->name) && !q->all && !q->index)
		word_stop(c, "the name of a variable is to come out of one that is not set");
	if (v.state == LIVE_UNSET)
		return v;
	if (!to) {
		word_may_stop(c);	/* it may be no name: "invalid variable name" */
		return of_unknown("it is the value of a variable whose name is not known");
	}
	if (is_identifier(to))
		return by_name(c, to, &plain);
	word_may_stop(c);
	return of_unknown("indirect expansion");
}

struct value param_value(struct wordctx *c, const struct ast_param *q)
{
	return q->indirect ? indirect(c, q) : by_name(c, q->name, q);
}

/* ---- operators on text ---------------------------------------------------------------- */

/* An argument as a pattern; NULL: not known. */
static const char *arg_pattern(struct wordctx *c, const struct ast_word *w)
{
	struct wordctx in;
	const char *p;
	bool magic;

	word_init(&in, c->x);
	p = word_pattern(c->x, word_whole(&in, w, false), &magic);
	c->abort = c->abort ? c->abort : in.abort;
	return p;
}

static const char *arg_text(struct wordctx *c, const struct ast_word *w)
{
	struct wordctx in;

	word_init(&in, c->x);
	return piece_exact(c->x, word_whole(&in, w, false));
}

static struct piece *cut_pattern(struct wordctx *c, enum param_op op, const char *s, const char *pattern)
{
	struct expand *x = c->x;
	bool front = op == PARAM_CUT_FRONT || op == PARAM_CUT_FRONT_LONG;
	bool longest = op == PARAM_CUT_FRONT_LONG || op == PARAM_CUT_BACK_LONG;
	size_t len = strlen(s);
	long n = front ? glob_front(pattern, s, len, longest) : glob_back(pattern, s, len, longest);

	if (n == -2)
		return piece_unknown(x, "the pattern takes too long");
	n = MAX(n, 0);
	return front ? piece_text(x, s + n, len - (size_t)n) : piece_text(x, s, len - (size_t)n);
}

/* & in the replacement stands for the match when patsub_replacement is on (bash 5.2; older ones have no such option,
 * so it must be known to be on), but for one in quotes or after a backslash. */
struct replacement {
	const struct piece	*text;
	bool			 match;		/* & counts */
};

static bool replacement_of(struct wordctx *c, const struct ast_word *w, struct replacement *out)
{
	struct wordctx in;
	bool any = false;

	word_init(&in, c->x);
	word_whole(&in, w, false);
	c->abort = c->abort ? c->abort : in.abort;
	*out = (struct replacement){ .text = in.first };
	for (const struct piece *p = in.first; p; p = p->next) {
		if (p->kind != PIECE_TEXT || memchr(p->text, '\\', p->len))
			return false;
		any |= memchr(p->text, '&', p->len) != NULL;
	}
	if (any) {
		const struct live_value *l = live_get(c->x->in.live, LIVE_OPTION, "patsub_replacement");

		if (l->state != LIVE_SCALAR && !model_find(c->x, LIVE_OPTION, "patsub_replacement"))
			return false;
		if (model_option(c->x, "patsub_replacement") != 1)
			return false;
	}
	out->match = any;
	return true;
}

/* What takes the place of the match [@s, @s + @n). */
static void put_replacement(struct expand *x, const struct replacement *with, const char *s, size_t n, struct piece ***tail)
{
	for (const struct piece *p = with->text; p; p = p->next) {
		size_t from = 0;

		for (size_t i = 0; i < p->len && with->match && !p->quoted; i++) {
			if (p->text[i] != '&')
				continue;
			piece_append(tail, piece_text(x, p->text + from, i - from));
			piece_append(tail, piece_text(x, s, n));
			from = i + 1;
		}
		piece_append(tail, piece_text(x, p->text + from, p->len - from));
	}
}

static struct piece *replace(struct wordctx *c, enum param_op op, const char *s, const char *pattern,
			     const struct replacement *with)
{
	struct expand *x = c->x;
	size_t len = strlen(s), i = 0, from = 0;
	struct piece *out = NULL, **tail = &out;
	bool anywhere = op == PARAM_REPLACE || op == PARAM_REPLACE_ALL;
	long n;

	if (!*pattern && anywhere)
		return piece_text(x, s, len);
	if (!len && anywhere && strspn(pattern, "*") == strlen(pattern)) {
		put_replacement(x, with, s, 0, &tail);
		return out;
	}
	if (op == PARAM_REPLACE_BACK) {
		n = glob_back(pattern, s, len, true);
		if (n == -2)
			return piece_unknown(x, "the pattern takes too long");
		i = n > 0 || n == 0 ? len - (size_t)n : len + 1;
	}
	for (; i <= len; i++) {
		if (i < len && !glob_boundary(s, i))
			continue;
		n = op == PARAM_REPLACE_BACK ? (long)(len - i) : glob_front(pattern, s + i, len - i, true);
		if (n == -2)
			return piece_unknown(x, "the pattern takes too long");
		if (n == 0 && anywhere && (i < len || !len))
			return piece_unknown(x, "a pattern that matches nothing, anywhere");
		if (n > 0 || (n == 0 && !anywhere)) {
			piece_append(&tail, piece_text(x, s + from, i - from));
			put_replacement(x, with, s + i, (size_t)n, &tail);
			from = i + (size_t)n;
			i = n ? from - 1 : i;
			if (op != PARAM_REPLACE_ALL)
				break;
		}
		if (op == PARAM_REPLACE_FRONT || op == PARAM_REPLACE_BACK)
			break;
	}
	piece_append(&tail, piece_text(x, s + from, len - from));
	return out;
}

static char turned(enum param_op op, char c)
{
	if (op == PARAM_UPPER || op == PARAM_UPPER_ALL)
		return (char)toupper((unsigned char)c);
	if (op == PARAM_LOWER || op == PARAM_LOWER_ALL)
		return (char)tolower((unsigned char)c);
	return (char)(isupper((unsigned char)c) ? tolower((unsigned char)c) : toupper((unsigned char)c));
}

static struct piece *turn_case(struct wordctx *c, enum param_op op, const char *s, const char *pattern)
{
	bool all = op == PARAM_UPPER_ALL || op == PARAM_LOWER_ALL || op == PARAM_TOGGLE_ALL;
	char *out = arena_strdup(c->x->a, s);

	if (!out)
		return NULL;
	if (!text_is_ascii(s))
		return piece_unknown(c->x, "the case of letters depends on the locale");
	for (size_t i = 0; out[i] && (all || i == 0); i++) {
		if (!*pattern || glob_match(pattern, out + i, 1, false) == 1)
			out[i] = turned(op, out[i]);
	}
	return piece_str(c->x, out);
}

/* As bash writes a value to be read again: in single quotes, as $'..' when it has control characters. */
static const char *requoted(struct expand *x, const char *s)
{
	static const char from[] = "\a\b\t\n\v\f\r\033\\'", to[] = "abtnvfrE\\'";
	bool ansi = false;
	char *out = arena_alloc(x->a, 4 * strlen(s) + 4);
	size_t n = 0;

	if (!out || !text_is_ascii(s))
		return NULL;
	for (const char *p = s; *p; p++)
		ansi |= iscntrl((unsigned char)*p) != 0;
	if (ansi)
		out[n++] = '$';
	out[n++] = '\'';
	for (; *s; s++) {
		const char *e = ansi ? strchr(from, *s) : NULL;

		if (e) {
			out[n++] = '\\';
			out[n++] = to[e - from];
		} else if (ansi && iscntrl((unsigned char)*s)) {
			n += (size_t)sprintf(out + n, "\\%03o", (unsigned)*s);
		} else if (*s == '\'') {
			memcpy(out + n, "'\\''", 4);
			n += 4;
		} else {
			out[n++] = *s;
		}
	}
	out[n++] = '\'';
	out[n] = '\0';
	return out;
}

static struct piece *known_or(struct expand *x, const char *s)
{
	return s ? piece_str(x, s) : piece_unknown(x, "a transformation with @");
}

static struct piece *transform(struct wordctx *c, char how, const char *s)
{
	switch (how) {
	case 'U':
		return turn_case(c, PARAM_UPPER_ALL, s, "");
	case 'u':
		return turn_case(c, PARAM_UPPER, s, "");
	case 'L':
		return turn_case(c, PARAM_LOWER_ALL, s, "");
	case 'Q':
		return known_or(c->x, requoted(c->x, s));
	case 'E':
		return known_or(c->x, parse_ansi(c->x->a, s, strlen(s)));
	case 'P':
		return known_or(c->x, strpbrk(s, "$`\\!") ? NULL : s);
	default:
		return known_or(c->x, NULL);
	}
}

static bool slice_bounds(struct wordctx *c, const struct ast_param *q, long long *off, long long *len, bool *has_len)
{
	const char *why, *o = arg_text(c, q->arg), *l = q->arg2 ? arg_text(c, q->arg2) : "0";

	*has_len = q->arg2 != NULL;
	if (o && l && arith_eval(c, o, off, &why) == 0 && arith_eval(c, l, len, &why) == 0)
		return true;
	word_may_stop(c);
	return false;
}

static struct piece *slice_text(struct wordctx *c, const struct ast_param *q, const char *s)
{
	struct expand *x = c->x;
	long long off, len, n = (long long)strlen(s), end;
	bool has_len;

	if (!text_is_ascii(s) || !slice_bounds(c, q, &off, &len, &has_len))
		return piece_unknown(x, "a part of a text by position");
	if (off < 0)
		off += n;
	if (off < 0 || off > n)
		return piece_text(x, "", 0);
	end = !has_len ? n : len < 0 ? n + len : off + MIN(len, n - off);
	if (end < off) {
		word_stop(c, "the length is negative");
		return piece_text(x, "", 0);
	}
	return piece_text(x, s + off, (size_t)(end - off));
}

static bool is_literal(const char *s)
{
	return !strpbrk(s, "*?[]\\()|");
}

static struct piece *glob_piece(struct expand *x, const char *s, size_t len)
{
	struct piece *p = piece_text(x, s, len);

	if (p && memchr(s, '*', len))
		p->kind = PIECE_GLOB;
	return p;
}

/* Where the name begins; 0: in the pattern's first byte; -1: a ** could hold slashes too. */
static long glob_base(const char *glob)
{
	const char *slash = strrchr(glob, '/');

	return strstr(glob, "**") ? -1 : slash ? slash + 1 - glob : 0;
}

/* A name that matches @glob, of which only '*' is special, with an end of it cut off, as in ${f%.js}: what is left
 * matches what is left of the pattern. NULL: not one of the cuts that are understood. */
static struct piece *cut_glob(struct expand *x, enum param_op op, const char *glob, const char *pattern)
{
	size_t len = strlen(glob), n = strlen(pattern);
	const char *tail = strrchr(glob, '*');
	long base = glob_base(glob);
	const char *dot;

	if (!tail || strpbrk(glob, "?[]\\()|"))
		return NULL;
	if (op == PARAM_CUT_FRONT_LONG && !strcmp(pattern, "*/"))
		return base < 0 ? NULL : glob_piece(x, glob + base, len - (size_t)base);
	if (op == PARAM_CUT_BACK && !strcmp(pattern, "/*"))
		return base <= 0 ? NULL : glob_piece(x, glob, (size_t)base - 1);
	if (op == PARAM_CUT_FRONT_LONG && !strcmp(pattern, "*.") && (dot = strrchr(tail, '.')))
		return glob_piece(x, dot + 1, strlen(dot + 1));
	if (op == PARAM_CUT_BACK && !strcmp(pattern, ".*") && (dot = strrchr(tail, '.')))
		return glob_piece(x, glob, (size_t)(dot - glob));
	if (!is_literal(pattern) || !n)
		return NULL;
	if (op == PARAM_CUT_BACK || op == PARAM_CUT_BACK_LONG)
		return n <= strlen(tail + 1) && !strcmp(glob + len - n, pattern) ? glob_piece(x, glob, len - n) : NULL;
	return n <= strcspn(glob, "*") && !strncmp(glob, pattern, n) ? glob_piece(x, glob + n, len - n) : NULL;
}

struct piece *param_glob(struct expand *x, enum param_op op, const struct piece *text, const char *pattern)
{
	const char *glob = text && text->kind == PIECE_GLOB && !text->next ? arena_strndup(x->a, text->text, text->len) : NULL;

	return glob && pattern && op >= PARAM_CUT_FRONT && op <= PARAM_CUT_BACK_LONG ? cut_glob(x, op, glob, pattern) : NULL;
}

static struct piece *operate(struct wordctx *c, const struct ast_param *q, struct piece *text)
{
	struct expand *x = c->x;
	const char *s = piece_exact(x, text), *pattern;
	struct replacement with = { 0 };
	bool known;
	struct piece *cut;

	/* ${x@P} is expanded once more, as a prompt is: commands in it run */
	if (q->op == PARAM_TRANSFORM && q->transform == 'P' && (!s || strchr(s, '$') || strchr(s, '`') || strchr(s, '\\')))
		model_gap(x, (struct span){ 0, 0 }, false, "a variable that is expanded as a prompt, which runs the commands in it");
	if (q->op == PARAM_PLAIN || q->op == PARAM_DEFAULT || q->op == PARAM_ASSIGN || q->op == PARAM_ERROR)
		return text;
	cut = !s && q->arg ? param_glob(x, q->op, text, arg_pattern(c, q->arg)) : NULL;
	if (cut)
		return cut;
	if (!s) {
		if (q->op == PARAM_SLICE && q->arg2)
			word_may_stop(c);	/* a length that is too negative is an error */
		for (; text && text->kind == PIECE_TEXT; text = text->next)
			;
		return piece_unknown(x, text && text->why ? text->why : "not known");
	}
	if (q->op == PARAM_SLICE)
		return slice_text(c, q, s);
	if (q->op == PARAM_TRANSFORM)
		return transform(c, q->transform, s);
	pattern = q->arg ? arg_pattern(c, q->arg) : "";
	known = q->op < PARAM_REPLACE || q->op > PARAM_REPLACE_BACK || replacement_of(c, q->arg2, &with);
	if (!pattern || !known)
		return piece_unknown(x, "a pattern or a replacement that is not known");
	if (strpbrk(pattern, "?[") && !text_is_ascii(s) && model_utf8(x) != 1)
		return piece_unknown(x, "characters or bytes, as the locale says");
	if (q->op >= PARAM_CUT_FRONT && q->op <= PARAM_CUT_BACK_LONG)
		return cut_pattern(c, q->op, s, pattern);
	if (q->op >= PARAM_REPLACE && q->op <= PARAM_REPLACE_BACK)
		return replace(c, q->op, s, pattern, &with);
	return turn_case(c, q->op, s, pattern);
}

/* ---- expansion ------------------------------------------------------------------------ */

static void put(struct wordctx *c, struct piece *list, bool quoted)
{
	list = piece_copy(c->x, list);
	if (!list && quoted)
		list = piece_text(c->x, "", 0);
	for (struct piece *p = list; p; p = p->next) {
		p->quoted = quoted;
		p->split = !quoted;
	}
	word_add(c, list);
}

/* Between elements. Unquoted they are cut as if the first character of IFS stood there. */
static void put_break(struct wordctx *c, bool star, bool quoted)
{
	const char *ifs = quoted ? "" : word_ifs(c->x);
	struct piece *p = piece_text(c->x, ifs ? ifs : "", ifs && *ifs ? 1 : 0);

	if (!p)
		return;
	p->kind = PIECE_BREAK;
	p->split = !quoted;
	p->solid = star;
	p->why = ifs ? NULL : "IFS is not known";
	word_add(c, p);
}

/* "$*" joins with the first character of IFS. @cut: where "$@" is in the word too, bash cuts there. */
static void put_separator(struct wordctx *c, bool cut)
{
	const char *ifs = word_ifs(c->x);
	struct piece *p = ifs ? piece_text(c->x, ifs, *ifs ? 1 : 0) : piece_unknown(c->x, "IFS is not known");

	if (!p)
		return;
	p->quoted = true;
	p->joined = cut;
	word_add(c, p);
}

static bool blank_ifs(struct expand *x)
{
	const char *ifs = word_ifs(x);

	return ifs && (*ifs == ' ' || *ifs == '\t' || *ifs == '\n');
}

static bool null_ifs(struct expand *x)
{
	const char *ifs = word_ifs(x);

	return ifs && !*ifs;
}

/* Elements [*from, *to) of ${list:offset:length}; false: not known. */
static bool slice_list(struct wordctx *c, const struct ast_param *q, const struct value *v, size_t *from, size_t *to)
{
	bool args = !q->all;
	long long off, len, end = args ? (long long)v->n : v->n ? strtoll(v->key[v->n - 1], NULL, 10) + 1 : 0;
	bool has_len;

	if (v->state == LIVE_ASSOC || is_loose(v) || !slice_bounds(c, q, &off, &len, &has_len))
		return false;
	if (off < 0 && c->x->dialect == DIALECT_ZSH)
		return false;
	*from = *to = v->n;
	off += off < 0 ? end : 0;
	if (off < 0 || off > end)
		return true;
	if (has_len && len < 0) {
		word_stop(c, "the length is negative");
		return true;
	}
	if (args)
		*from = (size_t)off;
	else
		for (*from = 0; *from < v->n && strtoll(v->key[*from], NULL, 10) < off; (*from)++)
			;
	if (has_len)
		*to = *from + (size_t)MIN(len, (long long)(v->n - *from));
	return true;
}

/* $0 counts as the first of the arguments when a part of them is wanted. */
static struct value with_arg0(struct expand *x, const struct value *v)
{
	struct piece **val = arena_alloc(x->a, (v->n + 1) * sizeof(*val));
	struct value all = *v;

	if (!val)
		return *v;
	val[0] = x->st.arg0 ? piece_str(x, x->st.arg0) : piece_unknown(x, "$0 of the shell");
	if (v->n)
		memcpy(val + 1, v->val, v->n * sizeof(*val));
	all.val = val;
	all.n++;
	return all;
}

static void put_unknown(struct wordctx *c, const struct value *v, bool quoted, bool many);

static void put_list(struct wordctx *c, const struct ast_param *q, const struct value *list, bool star, bool quoted)
{
	bool works = q->op >= PARAM_CUT_FRONT;
	struct value all = *list;
	const struct value *v = &all;
	size_t from = 0, to;

	if (q->op == PARAM_SLICE && !q->all)
		all = with_arg0(c->x, list);
	to = v->n;
	/* an operator on a list that is joined with an odd IFS, or any list with none: bash has its own ways */
	if ((works && is_loose(v)) || (v->n > 1 && !quoted && (works ? !blank_ifs(c->x) : null_ifs(c->x))) ||
	    (q->op == PARAM_SLICE && !slice_list(c, q, v, &from, &to))) {
		if (q->op == PARAM_SLICE && q->arg2)
			word_may_stop(c);
		put_unknown(c, &(struct value){ .why = "a part of a list" }, quoted, true);
		return;
	}
	for (size_t i = from; i < to && model_ok(c->x); i++) {
		struct piece *one = q->op == PARAM_SLICE ? v->val[i] : operate(c, q, v->val[i]);

		if (i > from && star && quoted)
			put_separator(c, works);
		else if (i > from)
			put_break(c, star, quoted);
		put(c, one, quoted);
	}
	/* "$*" of nothing is an empty word; "$@" of nothing is no word, and takes the rest of its quotes with it. */
	c->vanished |= from == to && quoted && !star;
	if (from == to && star && quoted)
		put(c, NULL, true);
}

static void put_unknown(struct wordctx *c, const struct value *v, bool quoted, bool many)
{
	struct piece *p = piece_unknown(c->x, v->why ? v->why : "not known");

	if (!p)
		return;
	p->quoted = quoted;
	p->split = !quoted || many;
	word_add(c, p);
}

static bool is_list(const struct ast_param *q)
{
	return q->all || (!q->indirect && (q->name[0] == '@' || q->name[0] == '*'));
}

static bool is_star(const struct ast_param *q)
{
	return q->all ? q->all == '*' : q->name[0] == '*';
}

/* Null for the colon forms. -1: not known. */
static int is_empty(struct expand *x, const struct value *v)
{
	const char *s;

	if (v->state == LIVE_UNSET)
		return 1;
	if (v->state == LIVE_UNKNOWN)
		return -1;
	if (v->state != LIVE_SCALAR)
		return v->n == 0 ? 1 : v->n > 1 ? 0 : is_empty(x, &(struct value){ .state = LIVE_SCALAR, .text = v->val[0] });
	for (const struct piece *p = v->text; p; p = p->next) {
		if ((p->kind == PIECE_TEXT && p->len) || (p->kind == PIECE_UNKNOWN && p->solid))
			return 0;
	}
	s = piece_exact(x, v->text);
	return s ? 1 : -1;
}

static void put_value(struct wordctx *c, const struct ast_param *q, const struct value *v, bool quoted)
{
	if (v->state == LIVE_UNKNOWN && q->op == PARAM_SLICE && q->arg2)
		word_may_stop(c);	/* a length that is too negative is an error */
	if (v->state == LIVE_UNKNOWN)
		put_unknown(c, v, quoted, is_list(q) && !is_star(q));
	else if (v->state == LIVE_SCALAR)
		put(c, operate(c, q, v->text), quoted);
	else if (q->op == PARAM_SLICE && q->all && v->n == 1 && !v->key)	/* ${x[@]:1} of no array: of its text */
		put(c, operate(c, q, v->val[0]), quoted);
	else if (v->state != LIVE_UNSET)
		put_list(c, q, v, is_star(q), quoted);
	else if (quoted && !(is_list(q) && !is_star(q)))
		put(c, NULL, true);
	else
		c->vanished |= quoted;
}

static void put_arg(struct wordctx *c, const struct ast_param *q, bool quoted)
{
	const struct ast_word *w = q->arg;
	unsigned flags = c->x->flags;
	struct wordctx in;

	word_init(&in, c->x);
	c->x->flags |= q->requoted ? SIMPLE_CONDITIONAL : 0;
	word_apart(&in, w);
	c->x->flags = flags;
	for (struct piece *p = in.first; p; p = p->next) {
		if (p->kind != PIECE_BREAK)
			p->split = !p->quoted;
	}
	if (q->requoted || (quoted && in.vanished) || (in.list && !quoted && !blank_ifs(c->x))) {
		c->abort = c->abort ? c->abort : in.abort;
		put_unknown(c, &(struct value){ .why = "quotes or lists in ${ } that are not followed" }, quoted, true);
		return;
	}
	c->vanished |= in.vanished;
	c->at |= in.at;
	c->list |= in.list;
	for (size_t i = 0; i < in.nvar; i++)
		word_note(c, in.var[i].name, &(struct value){ .state = in.var[i].state,
			  .text = in.var[i].value ? piece_str(c->x, in.var[i].value) : NULL }, in.var[i].span);
	c->abort = c->abort ? c->abort : in.abort;
	if (!in.first && quoted)
		put(c, NULL, true);
	word_add(c, in.first);
}

static void assign_default(struct wordctx *c, const struct ast_param *q, bool quoted)
{
	struct piece *p = NULL;
	struct wordctx in;

	word_init(&in, c->x);
	p = word_whole(&in, q->arg, false);
	if (model_var(c->x, q->name)->is_readonly)
		word_stop(c, "a variable that is read-only is to be set");
	if (q->requoted)
		p = piece_unknown(c->x, "quotes in ${ } that are not followed");
	if (is_identifier(q->name) && !q->index && !q->all && !q->indirect)
		model_set_text(c->x, q->name, p);
	put(c, p, quoted);
}

/* - = ? + : whether the value or the argument counts. */
static void choose(struct wordctx *c, const struct ast_param *q, const struct value *v, bool quoted)
{
	int empty = q->colon ? is_empty(c->x, v) : v->state == LIVE_UNKNOWN ? -1 :
		    v->state == LIVE_UNSET || (v->state != LIVE_SCALAR && v->n == 0);

	if (empty < 0) {
		struct state keep = c->x->st;
		unsigned flags = c->x->flags;
		struct wordctx in;

		if (q->op == PARAM_ERROR)
			word_may_stop(c);

		/* the argument may be expanded: what it runs must be seen */
		word_init(&in, c->x);
		c->x->flags |= SIMPLE_CONDITIONAL;
		word_whole(&in, q->arg, false);
		c->x->flags = flags;
		model_join(c->x, &c->x->st, &keep);
		if (q->op == PARAM_ERROR && v->state == LIVE_SCALAR)
			put(c, v->text, quoted);
		else
			put_unknown(c, v, quoted, in.at || (is_list(q) && !is_star(q)));
		return;
	}
	c->vanished |= quoted && empty && is_list(q) && !is_star(q);
	if (q->op == PARAM_ALTERNATE) {
		if (!empty)
			put_arg(c, q, quoted);
		else if (quoted)
			put(c, NULL, true);
		return;
	}
	if (!empty)
		put_value(c, q, v, quoted);
	else if (q->op == PARAM_DEFAULT)
		put_arg(c, q, quoted);
	else if (q->op == PARAM_ASSIGN)
		assign_default(c, q, quoted);
	else
		word_stop(c, arena_printf(c->x->a, "%s is not set, and :? stops the shell", q->name));
}

static void put_length(struct wordctx *c, const struct ast_param *q, const struct value *v, bool quoted)
{
	struct expand *x = c->x;
	const char *s = v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;
	struct piece *p;

	if (v->state == LIVE_UNSET)
		p = piece_str(x, "0");
	else if (is_list(q) && v->state != LIVE_UNKNOWN && !is_loose(v))
		p = piece_str(x, arena_printf(x->a, "%zu", v->n));
	else if (s && text_is_ascii(s))
		p = piece_str(x, arena_printf(x->a, "%zu", strlen(s)));
	else
		p = piece_solid(x, "length of a value that is not known");
	put(c, p, quoted);
}

/* ${!arr[@]}: the keys; ${!x*}: names of variables. */
static bool put_names(struct wordctx *c, const struct ast_param *q, bool quoted)
{
	bool star = (q->names ? q->names : q->all) == '*';
	struct value v = { .why = "names of variables" };

	if (!q->names && (!q->indirect || !q->all))
		return false;
	if (!q->names)
		v = *resolve(c->x, q->name);
	else
		model_names(c->x, q->name, &v);
	/* "${!a[*]}" is joined or not as IFS is: bash has its own ways there */
	if (v.state == LIVE_UNKNOWN || is_loose(&v) || (star && v.n > 1 && (quoted || !blank_ifs(c->x)))) {
		put_unknown(c, &v, quoted, true);
		return true;
	}
	if (v.state == LIVE_SCALAR)
		put(c, piece_str(c->x, "0"), quoted);
	else if (!v.n && quoted && star)
		put(c, NULL, true);
	else
		c->vanished |= !v.n && quoted;
	for (size_t i = 0; i < v.n && v.state != LIVE_SCALAR; i++) {
		if (i)
			put_break(c, star, quoted);
		put(c, piece_str(c->x, v.key[i]), quoted);
	}
	return true;
}

/* ${x@a}: letters of the attributes, also of a variable without a value. */
static const char *attributes(struct wordctx *c, const struct ast_param *q)
{
	struct expand *x = c->x;
	const struct value *v = model_var(x, q->name);
	char out[8];
	size_t n = 0;

	if (!model_find(x, LIVE_VAR, q->name) && !live_is_complete(x->in.live, LIVE_VAR) && v->state == LIVE_UNKNOWN)
		return NULL;
	if (v->flux || v->nameref || v->state == LIVE_UNKNOWN || (isupper((unsigned char)*q->name)))
		return NULL;
	if (v->state == LIVE_ARRAY || v->state == LIVE_ASSOC)
		out[n++] = v->state == LIVE_ARRAY ? 'a' : 'A';
	if (v->integer)
		out[n++] = 'i';
	if (v->is_readonly)
		out[n++] = 'r';
	if (v->exported)
		out[n++] = 'x';
	if (v->lower || v->upper)
		out[n++] = v->lower ? 'l' : 'u';
	return arena_strndup(x->a, out, n);
}

/* @a @A @K @k: of a variable more than of its value; lists of them are not followed. */
static bool put_about(struct wordctx *c, const struct ast_param *q, bool quoted)
{
	const char *s = NULL;

	if (q->op != PARAM_TRANSFORM || !q->transform || !strchr("aAKk", q->transform))
		return false;
	if (q->transform == 'a' && is_identifier(q->name) && !q->all && !q->indirect)
		s = attributes(c, q);
	if (s)
		put(c, piece_str(c->x, s), quoted);
	else
		put_unknown(c, &(struct value){ .why = "what is known of a variable" }, quoted, true);
	return true;
}

static const char *shown_name(struct expand *x, const struct ast_param *q)
{
	const char *key;

	if (q->all)
		return arena_printf(x->a, "%s[%c]", q->name, q->all);
	if (!q->index)
		return q->name;
	key = parse_literal(x->a, q->index);
	return key ? arena_printf(x->a, "%s[%s]", q->name, key) : q->name;
}

static void check_nounset(struct wordctx *c, const struct ast_param *q, const struct value *v)
{
	bool chooses = q->op >= PARAM_DEFAULT && q->op <= PARAM_ALTERNATE;

	bool lenient = is_list(q) && q->op < PARAM_CUT_FRONT;	/* an operator on a list that is not set may fail */
	int on = v->state != LIVE_UNSET || chooses || lenient ? 0 : model_option(c->x, "nounset");

	if (on < 0 || (on == 1 && is_list(q)))
		word_may_stop(c);
	else if (on == 1)
		word_stop(c, arena_printf(c->x->a, "%s is unset, and set -u stops the shell", q->name));
}

void param_expand(struct wordctx *c, const struct ast_part *p)
{
	const struct ast_param *q = p->param;
	struct value v;

	if (!q || !q->name) {
		put_unknown(c, &(struct value){ .why = "not understood" }, p->quoted, true);
		return;
	}
	if (strcmp(q->name, ZSH_GLOB) == 0) {	/* no text, but the word is a pattern */
		struct piece *g = piece_text(c->x, "", 0);

		if (g)
			g->kind = PIECE_GLOB;
		word_add(c, g);
		return;
	}
	if (strcmp(q->name, ZSH_FULL) == 0) {
		c->drops = true;
		return;
	}
	c->list |= q->names || is_list(q);
	c->at |= p->quoted && (q->names == '@' || (is_list(q) && !is_star(q)));
	if (put_names(c, q, p->quoted))
		return;
	if (put_about(c, q, p->quoted))
		return;
	v = param_value(c, q);
	word_note(c, shown_name(c->x, q), &v, p->span);
	check_nounset(c, q, &v);
	if (q->length)
		put_length(c, q, &v, p->quoted);
	else if (q->op >= PARAM_DEFAULT && q->op <= PARAM_ALTERNATE)
		choose(c, q, &v, p->quoted);
	else
		put_value(c, q, &v, p->quoted);
}

#include "intercept/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Shell arithmetic: 64 bits that wrap, C's operators, variables by name. Division by zero and
 * names whose value is not known end it as "not known". */
struct arith {
	struct wordctx	*c;
	const char	*s;
	const char	*why;
	unsigned	 depth;
	bool		 inner;		/* the text is a variable's value */
	unsigned	 skip;		/* > 0: the side of ?: && || that does not count */
};

#define ARITH_DEPTH 64u

static long long expr(struct arith *a, int level);

static long long bad(struct arith *a, const char *why)
{
	if (!a->why)
		a->why = why;
	return 0;
}

static void blanks(struct arith *a)
{
	while (*a->s && isspace((unsigned char)*a->s))
		a->s++;
}

static bool take(struct arith *a, const char *op)
{
	size_t n = strlen(op);

	blanks(a);
	if (strncmp(a->s, op, n) != 0)
		return false;
	a->s += n;
	return true;
}

static long long wrap(unsigned long long v)
{
	return (long long)v;
}

/* A variable, or an element of one. */
struct place {
	const char	*name;
	const char	*key;		/* NULL: the variable itself, which is element 0 of an array */
};

static const struct piece *element(const struct value *v, const char *key)
{
	for (size_t i = 0; i < v->n; i++) {
		if (strcmp(v->key[i], key ? key : "0") == 0)
			return v->val[i];
	}
	return NULL;
}

/* Its text is an expression again. */
static long long place_value(struct arith *a, const struct place *at)
{
	struct expand *x = a->c->x;
	const struct value *v = model_var(x, at->name);
	const struct piece *p = v->text;
	bool array = v->state == LIVE_ARRAY || v->state == LIVE_ASSOC, set = v->state == LIVE_SCALAR;
	const char *text;
	struct arith in;
	long long n;

	word_note(a->c, at->name, v, (struct span){ 0, 0 });
	if (strcmp(at->name, "_") == 0)
		return bad(a, "last argument of the previous command");
	if (array)
		set = (p = element(v, at->key)) != NULL;
	else if (set && at->key)
		set = strcmp(at->key, "0") == 0;
	if (!set && v->state != LIVE_UNKNOWN)
		return model_option(x, "nounset") == 0 ? 0 : bad(a, "a variable in arithmetic is unset");
	text = set && !v->nameref ? piece_exact(x, p) : NULL;
	if (!text || a->depth > ARITH_DEPTH)
		return bad(a, "arithmetic with a value that is not known");
	in = (struct arith){ .c = a->c, .s = text, .depth = a->depth + 1, .inner = true, .skip = a->skip };
	blanks(&in);
	n = *in.s ? expr(&in, 0) : 0;
	blanks(&in);
	if (in.why || *in.s)
		return bad(a, in.why ? in.why : "the value is not a number");
	return n;
}

static int digit(char c, int base)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	if (islower((unsigned char)c))
		return c - 'a' + 10;
	if (isupper((unsigned char)c))
		return c - 'A' + (base <= 36 ? 10 : 36);
	return c == '@' ? 62 : c == '_' ? 63 : 99;
}

static long long number(struct arith *a)
{
	unsigned long long v = 0;
	int base = 10;
	const char *s = a->s;

	if (*s == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (*s == '0') {
		base = 8;
	} else {
		char *end;
		long b = strtol(s, &end, 10);

		if (*end == '#' && b >= 2 && b <= 64) {
			base = (int)b;
			s = end + 1;
		}
	}
	for (; isalnum((unsigned char)*s) || *s == '_' || *s == '@'; s++) {
		int d = digit(*s, base);

		if (d >= base)
			return bad(a, "not a number");
		v = v * (unsigned)base + (unsigned)d;
	}
	a->s = s;
	return wrap(v);
}

static void store(struct arith *a, const struct place *at, long long n)
{
	struct expand *x = a->c->x;
	const struct value *v = model_var(x, at->name);
	struct piece *text;

	if (a->why || a->skip)
		return;
	if (v->is_readonly || v->flux) {
		bad(a, "a variable that is read-only is to be set");
		return;
	}
	text = piece_str(x, arena_printf(x->a, "%lld", n));
	if (at->key || v->state == LIVE_ARRAY || v->state == LIVE_ASSOC)
		builtin_store_element(x, at->name, at->key ? at->key : "0", text);
	else
		model_set_text(x, at->name, text);
}

static const char *name_at(struct arith *a)
{
	size_t n = 0;
	const char *name;

	blanks(a);
	if (!isalpha((unsigned char)*a->s) && *a->s != '_')
		return NULL;
	while (isalnum((unsigned char)a->s[n]) || a->s[n] == '_')
		n++;
	name = arena_strndup(a->c->x->a, a->s, n);
	a->s += n;
	return name;
}

static long long apply(struct arith *a, const char *op, long long l, long long r)
{
	switch (op[0]) {
	case '+':
		return wrap((unsigned long long)l + (unsigned long long)r);
	case '-':
		return wrap((unsigned long long)l - (unsigned long long)r);
	case '*':
		return wrap((unsigned long long)l * (unsigned long long)r);
	case '/':
	case '%':
		if (!r)
			return a->skip ? 0 : bad(a, "division by zero");
		if (r == -1)
			return op[0] == '%' ? 0 : wrap(0 - (unsigned long long)l);
		return op[0] == '/' ? l / r : l % r;
	case '<':
		return wrap((unsigned long long)l << (r & 63));
	case '>':
		return l >> (r & 63);
	case '&':
		return l & r;
	case '^':
		return l ^ r;
	default:
		return l | r;
	}
}

static const char *const assign_ops[] = { "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", NULL };

/* After "[": the key, and the position after "]". NULL: not known. */
static const char *subscript(struct arith *a, const char *name)
{
	struct expand *x = a->c->x;
	const struct value *v = model_var(x, name);
	size_t len = strcspn(a->s, "]");
	const char *key;
	long long n;

	/* bash expands the index once more, and so runs what a variable's text or quotes hold in it */
	if (a->inner || memchr(a->s, '$', len) || memchr(a->s, '`', len)) {
		model_gap(x, (struct span){ 0, 0 }, false, "arithmetic runs what a variable holds");
		return NULL;
	}
	if (v->state == LIVE_ASSOC) {
		for (size_t i = 0; i < len; i++) {
			if (!isalnum((unsigned char)a->s[i]) && a->s[i] != '_')
				return NULL;
		}
		key = len && a->s[len] ? arena_strndup(x->a, a->s, len) : NULL;
		a->s += len + (a->s[len] == ']');
		return key;
	}
	if (memchr(a->s, '[', len))	/* how bash quotes an index in an index depends on what else is in the text */
		return NULL;
	n = expr(a, 0);
	if (!take(a, "]") || a->why)
		return NULL;
	if (n < 0 && v->state == LIVE_ARRAY && v->n)
		n += strtoll(v->key[v->n - 1], NULL, 10) + 1;
	return n >= 0 ? arena_printf(x->a, "%lld", n) : NULL;
}

static long long named(struct arith *a, const char *name)
{
	struct place at = { .name = name };
	long long v;

	if (*a->s == '[') {
		a->s++;
		at.key = subscript(a, name);
		if (!at.key)
			return bad(a, "arithmetic with an array element");
	}
	blanks(a);
	if (take(a, "++") || take(a, "--")) {
		bool up = a->s[-1] == '+';

		v = place_value(a, &at);
		store(a, &at, apply(a, up ? "+" : "-", v, 1));
		return v;
	}
	if (*a->s == '=' && a->s[1] != '=') {
		a->s++;
		v = expr(a, 1);
		store(a, &at, v);
		return v;
	}
	for (size_t i = 0; assign_ops[i]; i++) {
		if (!take(a, assign_ops[i]))
			continue;
		v = place_value(a, &at);
		v = apply(a, assign_ops[i], v, expr(a, 1));
		store(a, &at, v);
		return v;
	}
	return place_value(a, &at);
}

static long long primary(struct arith *a)
{
	struct place at = { 0 };
	const char *name;
	long long v;

	if (take(a, "(")) {
		v = expr(a, 0);
		return take(a, ")") ? v : bad(a, "a parenthesis is not closed");
	}
	if (take(a, "++") || take(a, "--")) {
		bool up = a->s[-1] == '+';

		name = name_at(a);
		if (!name)
			return bad(a, "not a number");
		at.name = name;
		if (*a->s == '[') {
			a->s++;
			at.key = subscript(a, name);
			if (!at.key)
				return bad(a, "arithmetic with an array element");
		}
		v = apply(a, up ? "+" : "-", place_value(a, &at), 1);
		store(a, &at, v);
		return v;
	}
	blanks(a);
	if (isdigit((unsigned char)*a->s))
		return number(a);
	name = name_at(a);
	return name ? named(a, name) : bad(a, "not a number");
}

static long long unary(struct arith *a)
{
	long long v;

	if (a->depth++ > ARITH_DEPTH) {
		v = bad(a, "the expression is nested too deep");
	} else if (a->s[0] && (blanks(a), *a->s) && strchr("+-", *a->s) && a->s[1] == *a->s) {
		v = primary(a);
	} else if (take(a, "!")) {
		v = !unary(a);
	} else if (take(a, "~")) {
		v = ~unary(a);
	} else if (take(a, "-")) {
		v = wrap(0 - (unsigned long long)unary(a));
	} else if (take(a, "+")) {
		v = unary(a);
	} else {
		v = primary(a);
	}
	a->depth--;
	return v;
}

static long long power(struct arith *a)
{
	long long v = unary(a), n, r = 1;

	if (!take(a, "**"))
		return v;
	n = power(a);
	if (n < 0)
		return bad(a, "a negative exponent");
	for (; n > 0; n >>= 1) {
		if (n & 1)
			r = apply(a, "*", r, v);
		v = apply(a, "*", v, v);
	}
	return r;
}

/* Operators by level, weakest first; 0 is the comma, 1 assignment and ?: (see expr()). */
static const char *const levels[][5] = {
	[2] = { "||" }, [3] = { "&&" }, [4] = { "|" }, [5] = { "^" }, [6] = { "&" }, [7] = { "==", "!=" },
	[8] = { "<=", ">=", "<", ">" }, [9] = { "<<", ">>" }, [10] = { "+", "-" }, [11] = { "*", "/", "%" },
};

static const char *operator_at(struct arith *a, int level)
{
	blanks(a);
	for (size_t i = 0; i < 5 && levels[level][i]; i++) {
		const char *op = levels[level][i];
		size_t n = strlen(op);
		char next = a->s[0] ? a->s[n > strlen(a->s) ? 0 : n] : '\0';

		if (strncmp(a->s, op, n) != 0)
			continue;
		if (next == '=' && level != 7 && !(level == 8 && n == 2))
			continue;		/* an assignment operator, or a longer one */
		if (n == 1 && strchr("<>|&", *op) && next == *op)
			continue;
		if (*op == '*' && next == '*')
			continue;
		if (n == 2 && (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0) && next == '=')
			continue;
		a->s += n;
		return op;
	}
	return NULL;
}

static long long compare(const char *op, long long l, long long r)
{
	switch (op[0]) {
	case '=':
		return l == r;
	case '!':
		return l != r;
	case '<':
		return op[1] ? l <= r : l < r;
	default:
		return op[1] ? l >= r : l > r;
	}
}

static long long logical(struct arith *a, const char *op, int level, long long l)
{
	bool skip = op[0] == '&' ? !l : l != 0;
	long long r;

	a->skip += skip;
	r = expr(a, level + 1);
	a->skip -= skip;
	return skip ? l != 0 : r != 0;
}

static long long ternary(struct arith *a)
{
	long long cond = expr(a, 2), l, r;

	if (!take(a, "?"))
		return cond;
	a->skip += !cond;
	l = expr(a, 0);
	a->skip -= !cond;
	if (!take(a, ":"))
		return bad(a, "a ? without :");
	a->skip += cond != 0;
	r = expr(a, 1);
	a->skip -= cond != 0;
	return cond ? l : r;
}

static long long binary(struct arith *a, int level)
{
	long long v = level == 11 ? power(a) : expr(a, level + 1);
	const char *op;

	while (!a->why && (op = operator_at(a, level))) {
		if (level <= 3) {
			v = logical(a, op, level, v);
			continue;
		}
		if (level == 7 || level == 8)
			v = compare(op, v, expr(a, level + 1));
		else
			v = apply(a, op, v, level == 11 ? power(a) : expr(a, level + 1));
	}
	return v;
}

static long long expr(struct arith *a, int level)
{
	long long v;

	if (a->why)
		return 0;
	if (a->depth++ > 16 * ARITH_DEPTH)
		return bad(a, "the expression is nested too deep");
	if (level == 0) {
		do
			v = expr(a, 1);
		while (take(a, ","));
	} else {
		v = level == 1 ? ternary(a) : binary(a, level);
	}
	a->depth--;
	return v;
}

/* The expression was not followed to its end: what it may have assigned is not known any more. */
static void forget(struct expand *x, const char *s)
{
	if (!strchr(s, '=') && !strstr(s, "++") && !strstr(s, "--"))
		return;
	while (*s) {
		size_t n = 0;

		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
		if (n && !isdigit((unsigned char)*s)) {
			const char *name = arena_strndup(x->a, s, n);

			if (name)
				model_set(x, LIVE_VAR, name, &(struct value){ .why = "assigned in arithmetic" }, NULL);
		}
		s += n ? n : 1;
	}
}

int arith_eval(struct wordctx *c, const char *text, long long *v, const char **why)
{
	struct arith a = { .c = c, .s = text };

	blanks(&a);
	*v = *a.s ? expr(&a, 0) : 0;
	blanks(&a);
	if (!a.why && *a.s)
		a.why = "the arithmetic is not understood";
	if (!a.why)
		return 0;
	forget(c->x, text);
	*why = a.why;
	return -1;
}

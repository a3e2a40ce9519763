#include "intercept/live.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry		*next;		/* in its bucket */
	char			*name;		/* owned */
	struct live_value	 value;		/* texts owned */
	bool			 known;		/* false: only wanted so far */
	bool			 wanted;
	size_t			 bytes;
};

#define BUCKETS 256u

struct table {
	struct entry	*bucket[BUCKETS];
	const char	**wanted;	/* owned; the names belong to the entries */
	size_t		 nwanted, cap;
	bool		 complete;
};

struct live {
	struct table	 kind[LIVE_KIND_COUNT];
	size_t		 bytes;
};

static const struct live_value value_unknown = { .state = LIVE_UNKNOWN };
static const struct live_value value_unset = { .state = LIVE_UNSET };

struct live *live_new(void)
{
	return xcalloc(1, sizeof(struct live));
}

static void value_free(struct live_value *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free((void *)(uintptr_t)v->key[i]);
		free((void *)(uintptr_t)v->val[i]);
	}
	free((void *)(uintptr_t)v->key);
	free((void *)(uintptr_t)v->val);
	free((void *)(uintptr_t)v->text);
	*v = (struct live_value){ 0 };
}

void live_free(struct live *l)
{
	if (!l)
		return;
	for (size_t k = 0; k < LIVE_KIND_COUNT; k++) {
		for (size_t i = 0; i < BUCKETS; i++) {
			struct entry *e = l->kind[k].bucket[i];

			while (e) {
				struct entry *next = e->next;

				value_free(&e->value);
				free(e->name);
				free(e);
				e = next;
			}
		}
		free(l->kind[k].wanted);
	}
	free(l);
}

void live_set_complete(struct live *l, enum live_kind kind, bool complete)
{
	l->kind[kind].complete = complete;
}

bool live_is_complete(const struct live *l, enum live_kind kind)
{
	return l->kind[kind].complete;
}

static struct entry **slot(struct live *l, enum live_kind kind, const char *name)
{
	uint32_t h = 2166136261u;
	struct entry **e;

	for (const char *s = name; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	e = &l->kind[kind].bucket[h % BUCKETS];
	while (*e && strcmp((*e)->name, name) != 0)
		e = &(*e)->next;
	return e;
}

/* The entry of @name with its old value dropped and @bytes accounted; NULL: LIVE_MAX is reached. */
static struct entry *fresh(struct live *l, enum live_kind kind, const char *name, size_t bytes)
{
	struct entry **at = slot(l, kind, name), *e = *at;
	size_t old = e ? e->bytes : 0;

	bytes += strlen(name) + sizeof(*e);
	if (bytes > LIVE_MAX || l->bytes - old > LIVE_MAX - bytes)
		return NULL;
	if (!e) {
		e = *at = xcalloc(1, sizeof(*e));
		e->name = xstrdup(name);
	}
	value_free(&e->value);
	l->bytes = l->bytes - old + bytes;
	e->bytes = bytes;
	e->known = true;
	return e;
}

int live_set(struct live *l, enum live_kind kind, const char *name, const char *text)
{
	struct entry *e = fresh(l, kind, name, strlen(text));

	if (!e)
		return -1;
	e->value.state = LIVE_SCALAR;
	e->value.text = xstrdup(text);
	return 0;
}

int live_set_unset(struct live *l, enum live_kind kind, const char *name)
{
	struct entry *e = fresh(l, kind, name, 0);

	if (!e)
		return -1;
	e->value.state = LIVE_UNSET;
	return 0;
}

int live_set_array(struct live *l, const char *name, bool assoc, size_t n,
		   const char *const *key, const char *const *val)
{
	const char **k, **v;
	struct entry *e;
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(key[i]) + strlen(val[i]) + 2 * sizeof(char *);
	e = fresh(l, LIVE_VAR, name, bytes);
	if (!e)
		return -1;
	k = xcalloc(n + 1, sizeof(*k));
	v = xcalloc(n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		k[i] = xstrdup(key[i]);
		v[i] = xstrdup(val[i]);
	}
	e->value = (struct live_value){ .state = assoc ? LIVE_ASSOC : LIVE_ARRAY, .n = n, .key = k, .val = v };
	return 0;
}

int live_set_flags(struct live *l, const char *name, bool exported, bool is_readonly, bool integer, bool nameref)
{
	struct entry *e = *slot(l, LIVE_VAR, name);

	if (!e || !e->known)
		return -1;
	e->value.exported = exported;
	e->value.is_readonly = is_readonly;
	e->value.integer = integer;
	e->value.nameref = nameref;
	return 0;
}

/* ---- wanted --------------------------------------------------------------------------- */

static void want(struct live *l, enum live_kind kind, const char *name)
{
	struct table *t = &l->kind[kind];
	struct entry **at = slot(l, kind, name), *e = *at;

	if (e && e->wanted)
		return;
	if (!e) {
		size_t bytes = strlen(name) + sizeof(*e);

		if (l->bytes > LIVE_MAX - MIN(bytes, (size_t)LIVE_MAX))
			return;
		e = *at = xcalloc(1, sizeof(*e));
		e->name = xstrdup(name);
		e->bytes = bytes;
		l->bytes += bytes;
	}
	e->wanted = true;
	if (t->nwanted == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 16;
		t->wanted = xrealloc(t->wanted, t->cap, sizeof(*t->wanted));
	}
	t->wanted[t->nwanted++] = e->name;
}

const struct live_value *live_get(struct live *l, enum live_kind kind, const char *name)
{
	const struct entry *e = *slot(l, kind, name);

	if (e && e->known)
		return &e->value;
	if (l->kind[kind].complete)
		return &value_unset;
	want(l, kind, name);
	return &value_unknown;
}

bool live_has_prefix(const struct live *l, enum live_kind kind, const char *prefix)
{
	size_t len = strlen(prefix);

	for (size_t i = 0; i < BUCKETS; i++) {
		for (const struct entry *e = l->kind[kind].bucket[i]; e; e = e->next) {
			if (e->known && e->value.state != LIVE_UNSET && strncmp(e->name, prefix, len) == 0)
				return true;
		}
	}
	return false;
}

size_t live_wanted(const struct live *l, enum live_kind kind, const char *const **names)
{
	*names = l->kind[kind].wanted;
	return l->kind[kind].nwanted;
}

void live_wanted_clear(struct live *l)
{
	for (size_t k = 0; k < LIVE_KIND_COUNT; k++) {
		struct table *t = &l->kind[k];

		for (size_t i = 0; i < t->nwanted; i++)
			(*slot(l, (enum live_kind)k, t->wanted[i]))->wanted = false;
		t->nwanted = 0;
	}
}

/* ---- declare -p ----------------------------------------------------------------------- */

/* What `declare -p` prints is quoted by bash itself: "..." with \ before $ ` " \, '...', $'...'. */
struct scan {
	const char	*s, *end;
};

static void blanks(struct scan *c)
{
	while (c->s < c->end && (*c->s == ' ' || *c->s == '\t'))
		c->s++;
}

static bool at(const struct scan *c, char ch)
{
	return c->s < c->end && *c->s == ch;
}

static int scan_double(struct scan *c, struct buf *out)
{
	for (c->s++; c->s < c->end && *c->s != '"'; c->s++) {
		if (*c->s == '\\' && c->s + 1 < c->end && strchr("$`\"\\\n", c->s[1]))
			c->s++;
		if (buf_addc(out, *c->s) < 0)
			return -1;
	}
	return c->s++ < c->end ? 0 : -1;
}

static int scan_single(struct scan *c, struct buf *out)
{
	const char *q = memchr(c->s + 1, '\'', (size_t)(c->end - c->s) - 1);

	if (!q || buf_add(out, c->s + 1, (size_t)(q - c->s) - 1) < 0)
		return -1;
	c->s = q + 1;
	return 0;
}

static int scan_number(struct scan *c, int base, int max)
{
	int v = 0;

	for (int i = 0; i < max && c->s < c->end; i++, c->s++) {
		int d = isdigit((unsigned char)*c->s) ? *c->s - '0' :
			isxdigit((unsigned char)*c->s) ? tolower((unsigned char)*c->s) - 'a' + 10 : 99;

		if (d >= base)
			break;
		v = v * base + d;
	}
	return v;
}

/* The escapes that bash writes into $'...': a letter, three octal digits, or itself. */
static int scan_ansi(struct scan *c, struct buf *out)
{
	static const char from[] = "abeEfnrtv", to[] = "\a\b\033\033\f\n\r\t\v";

	c->s += 2;
	while (c->s < c->end && *c->s != '\'') {
		const char *p;
		char ch = *c->s++;

		if (ch == '\\' && c->s < c->end) {
			p = strchr(from, *c->s);
			if (p && *c->s) {
				ch = to[p - from];
				c->s++;
			} else if (*c->s >= '0' && *c->s <= '7') {
				ch = (char)scan_number(c, 8, 3);
			} else if (*c->s == 'x') {
				c->s++;
				ch = (char)scan_number(c, 16, 2);
			} else {
				ch = *c->s++;
			}
		}
		if (buf_addc(out, ch) < 0)
			return -1;
	}
	return c->s++ < c->end ? 0 : -1;
}

/* Quoted and bare pieces up to a blank, newline or @stop. */
static int scan_word(struct scan *c, struct buf *out, char stop)
{
	int rc = 0;

	buf_clear(out);
	while (c->s < c->end && rc == 0 && !strchr(" \t\n", *c->s) && *c->s != stop) {
		if (*c->s == '"')
			rc = scan_double(c, out);
		else if (*c->s == '\'')
			rc = scan_single(c, out);
		else if (*c->s == '$' && c->s + 1 < c->end && c->s[1] == '\'')
			rc = scan_ansi(c, out);
		else if (*c->s == '\\' && c->s + 1 < c->end)
			rc = buf_addc(out, c->s[1]), c->s += 2;
		else
			rc = buf_addc(out, *c->s++);
	}
	return rc;
}

struct list {
	char	**key, **val;	/* owned */
	size_t	 n, cap;
};

static void list_done(struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->key[i]);
		free(l->val[i]);
	}
	free(l->key);
	free(l->val);
}

static void list_add(struct list *l, char *key, char *val)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		l->key = xrealloc(l->key, l->cap, sizeof(*l->key));
		l->val = xrealloc(l->val, l->cap, sizeof(*l->val));
	}
	l->key[l->n] = key;
	l->val[l->n++] = val;
}

/* ([0]="a" [k]="b" ) */
static int scan_elements(struct scan *c, struct list *out)
{
	CLEANUP(buf_done) struct buf key = { .max = LIVE_MAX }, val = { .max = LIVE_MAX };

	for (c->s++, blanks(c); !at(c, ')'); blanks(c)) {
		if (!at(c, '['))
			return -1;
		c->s++;
		if (scan_word(c, &key, ']') < 0 || !at(c, ']') || c->s + 1 >= c->end || c->s[1] != '=')
			return -1;
		c->s += 2;
		if (scan_word(c, &val, ')') < 0)
			return -1;
		list_add(out, xstrdup(buf_str(&key)), xstrdup(buf_str(&val)));
	}
	c->s++;
	return 0;
}

static int set_elements(struct live *l, struct scan *c, const char *name, bool assoc)
{
	CLEANUP(list_done) struct list els = { 0 };

	if (scan_elements(c, &els) < 0)
		return -1;
	return live_set_array(l, name, assoc, els.n, (const char *const *)els.key, (const char *const *)els.val);
}

static bool flag(const char *flags, char c)
{
	return strchr(flags, c) != NULL;
}

static int declare_value(struct live *l, struct scan *c, const char *name, const char *flags)
{
	CLEANUP(buf_done) struct buf val = { .max = LIVE_MAX };

	if (!at(c, '='))	/* declared without a value: unset for an expansion */
		return flag(flags, 'a') || flag(flags, 'A') ?
		       live_set_array(l, name, flag(flags, 'A'), 0, NULL, NULL) : live_set_unset(l, LIVE_VAR, name);
	c->s++;
	if ((flag(flags, 'a') || flag(flags, 'A')) && at(c, '('))
		return set_elements(l, c, name, flag(flags, 'A'));
	if (scan_word(c, &val, '\n') < 0)
		return -1;
	return live_set(l, LIVE_VAR, name, buf_str(&val));
}

/* declare -ax NAME=... */
static int declare_line(struct live *l, struct scan *c)
{
	CLEANUP(buf_done) struct buf flags = { .max = 64 }, name = { .max = 4096 };

	blanks(c);
	if (!at(c, '-') || scan_word(c, &flags, ' ') < 0)
		return -1;
	blanks(c);
	if (scan_word(c, &name, '=') < 0 || !name.len)
		return -1;
	if (declare_value(l, c, buf_str(&name), buf_str(&flags)) < 0)
		return -1;
	live_set_flags(l, buf_str(&name), flag(flags.data, 'x'), flag(flags.data, 'r'), flag(flags.data, 'i'),
		       flag(flags.data, 'n'));
	return 0;
}

static int alias_line(struct live *l, struct scan *c)
{
	CLEANUP(buf_done) struct buf name = { .max = 4096 }, val = { .max = LIVE_MAX };

	blanks(c);
	if (scan_word(c, &name, '=') < 0 || !at(c, '=') || !name.len)
		return -1;
	c->s++;
	if (scan_word(c, &val, '\n') < 0)
		return -1;
	return live_set(l, LIVE_ALIAS, buf_str(&name), buf_str(&val));
}

static bool keyword(struct scan *c, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(c->end - c->s) <= n || memcmp(c->s, word, n) != 0 || c->s[n] != ' ')
		return false;
	c->s += n + 1;
	return true;
}

int live_parse_declare(struct live *l, const char *text, size_t len)
{
	struct scan c = { text, text + len };

	if (memchr(text, '\0', len))
		return -1;
	while (c.s < c.end) {
		int rc;

		blanks(&c);
		if (at(&c, '\n')) {
			c.s++;
			continue;
		}
		if (c.s >= c.end)
			break;
		rc = keyword(&c, "declare") ? declare_line(l, &c) : keyword(&c, "alias") ? alias_line(l, &c) : -1;
		if (rc < 0)
			return -1;
		blanks(&c);
		if (c.s < c.end && *c.s != '\n')
			return -1;
	}
	return 0;
}

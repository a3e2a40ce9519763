#include "conf/jsonc.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/quote.h"

#define SCHEMA_REFS	32	/* $ref that leads to $ref: a loop in the schema ends here */
#define SHOWN_MAX	60	/* columns of a value in a message */

struct place {
	const json	*j;
	size_t		 at, key_at;
};

struct jsonc {
	char		*name;		/* owned; quoted, as messages show it */
	char		*source;	/* owned; as it was read */
	char		*text;		/* owned; comments are blanked, offsets are those of the file */
	size_t		 len;
	json		*root;		/* owned */
	struct place	*place;		/* owned; sorted by address */
	size_t		 nplace, room;
};

/* ---- places ----------------------------------------------------------------------------------- */

static void line_column(const struct jsonc *c, size_t at, unsigned *line, unsigned *col)
{
	*line = *col = 1;
	for (size_t i = 0; i < at && i < c->len; i++) {
		if (c->text[i] == '\n') {
			++*line;
			*col = 1;
		} else if ((c->text[i] & 0xc0) != 0x80) {	/* count characters, not bytes */
			++*col;
		}
	}
}

static int fail_at(const struct jsonc *c, size_t at, struct err *e)
{
	unsigned line, col;

	if (!e)
		return -1;	/* nobody reads it: an alternative that did not fit */
	line_column(c, at, &line, &col);
	return err_wrap(e, "%s:%u:%u", c->name, line, col);
}

static void add_place(void *arg, const json *j, size_t at, size_t key_at)
{
	struct jsonc *c = arg;

	if (c->nplace == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->place = xrealloc(c->place, c->room, sizeof(*c->place));
	}
	c->place[c->nplace++] = (struct place){ .j = j, .at = at, .key_at = key_at };
}

static int place_order(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct place *)a)->j, y = (uintptr_t)((const struct place *)b)->j;

	return x < y ? -1 : x > y;
}

static const struct place *place_of(const struct jsonc *c, const json *j)
{
	static const struct place none;
	struct place key = { .j = j };
	const struct place *p = bsearch(&key, c->place, c->nplace, sizeof(*c->place), place_order);

	return p ? p : &none;		/* not of this document: its beginning */
}

void jsonc_where(const struct jsonc *c, const json *at, unsigned *line, unsigned *col)
{
	line_column(c, place_of(c, at)->at, line, col);
}

int jsonc_err(const struct jsonc *c, const json *at, struct err *e, const char *fmt, ...)
{
	char text[ERR_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(e, 0, "%s", text);
	return fail_at(c, place_of(c, at)->at, e);
}

/* ---- comments and trailing commas: blanked, so that offsets stay --------------------------------- */

static size_t skip_string(const char *s, size_t len, size_t i)
{
	for (i++; i < len && s[i] != '"' && s[i] != '\n'; i++) {
		if (s[i] == '\\')
			i++;
	}
	return i < len ? i + 1 : len;
}

/* Length of the comment at @i: 0 when there is none, SIZE_MAX when it has no end. */
static size_t comment_len(const char *s, size_t len, size_t i)
{
	const char *end;

	if (len - i < 2 || s[i] != '/')
		return 0;
	if (s[i + 1] == '/') {
		end = memchr(s + i, '\n', len - i);
		return end ? (size_t)(end - s) - i : len - i;
	}
	if (s[i + 1] != '*')
		return 0;
	end = memmem(s + i + 2, len - i - 2, "*/", 2);
	return end ? (size_t)(end - s) + 2 - i : SIZE_MAX;
}

static void blank(char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] != '\n')
			s[i] = ' ';
	}
}

static int strip(struct jsonc *c, struct err *e)
{
	char *comma = NULL;		/* nothing but blanks came after it */
	char last = 0;			/* before that comma */
	char *s = c->text;

	for (size_t i = 0, n; i < c->len; i += n) {
		n = comment_len(s, c->len, i);
		if (n == SIZE_MAX) {
			err_set(e, 0, "found a comment without an end, expected */");
			return fail_at(c, i, e);
		}
		if (n) {
			blank(s + i, n);
			continue;
		}
		n = s[i] == '"' ? skip_string(s, c->len, i) - i : 1;
		if (strchr(" \t\r\n", s[i]) && s[i])
			continue;
		if ((s[i] == ']' || s[i] == '}') && comma && !strchr("[{,:", last))
			*comma = ' ';
		if (s[i] == ',')
			comma = s + i;
		else
			comma = NULL;
		if (!comma)
			last = s[i];
	}
	return 0;
}

/* ---- what a schema may say ---------------------------------------------------------------------- */

enum shape { ANY, SCHEMA, SCHEMA_MAP, SCHEMA_LIST };

/* The patterns of a schema, each compiled once: a policy has hundreds of values and a handful of patterns. */
struct patterns {
	const json	*arg[32];
	regex_t		 re[32];
	size_t		 n;
};

struct check {
	const struct jsonc	*doc;
	const struct jsonc	*schema;
	struct patterns		*patterns;
	struct err		*e;
};

typedef int check_fn(const struct check *k, const json *schema, const json *arg, const json *v);

static int check_value(const struct check *k, const json *schema, const json *v);
static const json *resolve(const struct check *k, const json *schema);

static const char *const type_name[] = {
	[JSON_NULL] = "null", [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number", [JSON_STRING] = "string",
	[JSON_ARRAY] = "array", [JSON_OBJECT] = "object",
};

static void join(struct buf *b, const char *word, bool first, bool last)
{
	if (!first)
		buf_adds(b, last ? " or " : ", ");
	buf_adds(b, word);
}

/* A value as a message shows it: containers by kind, the rest in JSON. */
static void show_value(struct buf *b, const json *v)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	struct quoted q;

	if (json_type(v) == JSON_OBJECT || json_type(v) == JSON_ARRAY) {
		buf_adds(b, json_type(v) == JSON_OBJECT ? "an object" : "an array");
		return;
	}
	text = json_print(v);
	quote_text(&q, text, strlen(text), SHOWN_MAX);
	buf_adds(b, buf_str(&q.text));
	quoted_done(&q);
}

static void show_list(struct buf *b, const json *list)
{
	for (const json *c = json_first(list); c; c = json_next(c)) {
		join(b, "", c == json_first(list), !json_next(c));
		show_value(b, c);
	}
}

static void show_type(struct buf *b, const json *type)
{
	static const struct { const char *name, *text; } words[] = {
		{ "null", "null" }, { "boolean", "true or false" }, { "number", "a number" }, { "integer", "a whole number" },
		{ "string", "a string" }, { "array", "an array" }, { "object", "an object" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].name, json_text(type)) == 0)
			buf_adds(b, words[i].text);
	}
}

/* "a string", "one of ...": the schema's title where it has one. */
static void show_schema(const struct check *k, struct buf *b, const json *schema)
{
	const json *type, *list;

	schema = resolve(k, schema);
	type = json_get(schema, "type");
	list = json_get(schema, "anyOf") ? json_get(schema, "anyOf") : json_get(schema, "oneOf");
	if (json_str(schema, "title", NULL)) {
		buf_adds(b, json_str(schema, "title", NULL));
	} else if (json_get(schema, "enum")) {
		show_list(b, json_get(schema, "enum"));
	} else if (json_get(schema, "const")) {
		show_value(b, json_get(schema, "const"));
	} else if (list) {
		for (const json *c = json_first(list); c; c = json_next(c)) {
			join(b, "", c == json_first(list), !json_next(c));
			show_schema(k, b, c);
		}
	} else if (json_text(type)) {
		show_type(b, type);
	} else if (type) {
		for (const json *c = json_first(type); c; c = json_next(c)) {
			join(b, "", c == json_first(type), !json_next(c));
			show_type(b, c);
		}
	} else {
		buf_adds(b, "another value");
	}
}

/* "found X, expected Y"; @want NULL: what the schema says. */
static int mistake(const struct check *k, const json *schema, const json *v, const char *want)
{
	struct buf found, expected;
	int rc;

	if (!k->e)
		return -1;
	buf_init(&found, ERR_MAX);
	buf_init(&expected, ERR_MAX);
	show_value(&found, v);
	if (want)
		buf_adds(&expected, want);
	else
		show_schema(k, &expected, schema);
	rc = jsonc_err(k->doc, v, k->e, "found %s, expected %s", buf_str(&found), buf_str(&expected));
	buf_done(&found);
	buf_done(&expected);
	return rc;
}

/* Like mistake(), with the number that was passed. */
static int bound(const struct check *k, const json *schema, const json *v, const char *how, double n, const char *unit)
{
	char want[64];

	snprintf(want, sizeof(want), "%s %.15g%s", how, n, unit);
	return mistake(k, schema, v, json_str(schema, "title", want));
}

static bool is_type(const char *name, const json *v)
{
	double n = json_value(v);

	if (strcmp(name, "integer") != 0)
		return strcmp(name, type_name[json_type(v)]) == 0;
	return json_type(v) == JSON_NUMBER && n > -1e15 && n < 1e15 && n == (double)(long long)n;
}

static int check_type(const struct check *k, const json *schema, const json *arg, const json *v)
{
	if (json_text(arg))
		return is_type(json_text(arg), v) ? 0 : mistake(k, schema, v, NULL);
	for (const json *c = json_first(arg); c; c = json_next(c)) {
		if (is_type(json_text(c), v))
			return 0;
	}
	return mistake(k, schema, v, NULL);
}

static bool same(const json *a, const json *b)
{
	CLEANUP(cleanup_freep) char *x = json_print(a);
	CLEANUP(cleanup_freep) char *y = json_print(b);

	return strcmp(x, y) == 0;
}

static int check_enum(const struct check *k, const json *schema, const json *arg, const json *v)
{
	for (const json *c = json_first(arg); c; c = json_next(c)) {
		if (same(c, v))
			return 0;
	}
	return mistake(k, schema, v, NULL);
}

static int check_const(const struct check *k, const json *schema, const json *arg, const json *v)
{
	return same(arg, v) ? 0 : mistake(k, schema, v, NULL);
}

static int check_properties(const struct check *k, const json *schema, const json *arg, const json *v)
{
	(void)schema;
	for (const json *c = json_first(v); c && json_type(v) == JSON_OBJECT; c = json_next(c)) {
		const json *sub = json_get(arg, json_key(c));

		if (sub && check_value(k, sub, c) < 0)
			return -1;
	}
	return 0;
}

static int unknown_key(const struct check *k, const json *known, const json *v)
{
	struct buf want, key;

	buf_init(&want, ERR_MAX);
	buf_init(&key, ERR_MAX);
	quote_into(&key, json_key(v), MIN(strlen(json_key(v)), (size_t)SHOWN_MAX));
	for (const json *c = json_first(known); c; c = json_next(c)) {
		join(&want, "", c == json_first(known), !json_next(c));
		buf_addf(&want, "\"%s\"", json_key(c));
	}
	err_set(k->e, 0, "found the key \"%s\", expected %s", buf_str(&key), known && json_first(known) ? buf_str(&want) : "none");
	buf_done(&want);
	buf_done(&key);
	return fail_at(k->doc, place_of(k->doc, v)->key_at, k->e);
}

static int check_additional(const struct check *k, const json *schema, const json *arg, const json *v)
{
	const json *known = json_get(schema, "properties");

	for (const json *c = json_first(v); c && json_type(v) == JSON_OBJECT; c = json_next(c)) {
		if (json_get(known, json_key(c)))
			continue;
		if (json_type(arg) == JSON_BOOL && !json_true(arg))
			return unknown_key(k, known, c);
		if (json_type(arg) == JSON_OBJECT && check_value(k, arg, c) < 0)
			return -1;
	}
	return 0;
}

static int check_required(const struct check *k, const json *schema, const json *arg, const json *v)
{
	(void)schema;
	for (const json *c = json_first(arg); c && json_type(v) == JSON_OBJECT; c = json_next(c)) {
		if (!json_get(v, json_text(c)))
			return jsonc_err(k->doc, v, k->e, "found an object without the key \"%s\", expected it", json_text(c));
	}
	return 0;
}

static int check_items(const struct check *k, const json *schema, const json *arg, const json *v)
{
	(void)schema;
	for (const json *c = json_first(v); c && json_type(v) == JSON_ARRAY; c = json_next(c)) {
		if (check_value(k, arg, c) < 0)
			return -1;
	}
	return 0;
}

static int check_min_items(const struct check *k, const json *schema, const json *arg, const json *v)
{
	if (json_type(v) != JSON_ARRAY || (double)json_count(v) >= json_value(arg))
		return 0;
	return bound(k, schema, v, "at least", json_value(arg), " in it");
}

static int check_max_items(const struct check *k, const json *schema, const json *arg, const json *v)
{
	if (json_type(v) != JSON_ARRAY || (double)json_count(v) <= json_value(arg))
		return 0;
	return bound(k, schema, v, "at most", json_value(arg), " in it");
}

static int check_minimum(const struct check *k, const json *schema, const json *arg, const json *v)
{
	if (json_type(v) != JSON_NUMBER || json_value(v) >= json_value(arg))
		return 0;
	return bound(k, schema, v, "at least", json_value(arg), "");
}

static int check_maximum(const struct check *k, const json *schema, const json *arg, const json *v)
{
	if (json_type(v) != JSON_NUMBER || json_value(v) <= json_value(arg))
		return 0;
	return bound(k, schema, v, "at most", json_value(arg), "");
}

/* In characters, as the standard says. */
static double text_len(const json *v)
{
	double n = 0;

	for (const char *s = json_text(v); *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static int check_min_length(const struct check *k, const json *schema, const json *arg, const json *v)
{
	if (!json_text(v) || text_len(v) >= json_value(arg))
		return 0;
	return bound(k, schema, v, "at least", json_value(arg), " characters");
}

static int check_max_length(const struct check *k, const json *schema, const json *arg, const json *v)
{
	if (!json_text(v) || text_len(v) <= json_value(arg))
		return 0;
	return bound(k, schema, v, "at most", json_value(arg), " characters");
}

/* NULL: no regular expression, or more of them than are kept. */
static const regex_t *compiled(struct patterns *p, const json *arg)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->arg[i] == arg)
			return &p->re[i];
	}
	if (p->n == ARRAY_SIZE(p->arg) || regcomp(&p->re[p->n], json_text(arg), REG_EXTENDED | REG_NOSUB) != 0)
		return NULL;
	p->arg[p->n] = arg;
	return &p->re[p->n++];
}

static int check_pattern(const struct check *k, const json *schema, const json *arg, const json *v)
{
	CLEANUP(cleanup_freep) char *want = NULL;
	const regex_t *re;
	int rc;

	if (!json_text(v))
		return 0;
	re = compiled(k->patterns, arg);
	if (!re)
		return jsonc_err(k->schema, arg, k->e, "found a bad pattern, expected a regular expression");
	rc = regexec(re, json_text(v), 0, NULL, 0);
	if (rc == 0)
		return 0;
	want = xasprintf("text that matches %s", json_text(arg));
	return mistake(k, schema, v, json_str(schema, "title", want));
}

/* The one alternative that is meant: of the same type as the value, and no other is. */
static const json *alternative(const struct check *k, const json *list, const json *v)
{
	const json *found = NULL;

	for (const json *c = json_first(list); c; c = json_next(c)) {
		const char *type = json_str(resolve(k, c), "type", NULL);

		if (!type || !is_type(type, v))
			continue;
		if (found)
			return NULL;
		found = c;
	}
	return found;
}

static size_t matching(const struct check *k, const json *list, const json *v)
{
	struct check quiet = { .doc = k->doc, .schema = k->schema, .patterns = k->patterns };
	size_t n = 0;

	for (const json *c = json_first(list); c; c = json_next(c))
		n += check_value(&quiet, c, v) == 0;
	return n;
}

static int check_any(const struct check *k, const json *schema, const json *arg, const json *v)
{
	const json *meant;

	if (matching(k, arg, v) > 0)
		return 0;
	meant = alternative(k, arg, v);
	return meant ? check_value(k, meant, v) : mistake(k, schema, v, NULL);
}

static int check_one(const struct check *k, const json *schema, const json *arg, const json *v)
{
	return matching(k, arg, v) > 1 ? mistake(k, schema, v, "what fits only one of the forms") : check_any(k, schema, arg, v);
}

static const struct keyword {
	const char	*name;
	check_fn	*fn;		/* NULL: says nothing about a value */
	enum shape	 shape;		/* what the keyword holds: other schemas are checked too */
} keywords[] = {
	{ "$schema",			NULL,			ANY },
	{ "$id",			NULL,			ANY },
	{ "$comment",			NULL,			ANY },
	{ "$defs",			NULL,			SCHEMA_MAP },
	{ "$ref",			NULL,			ANY },		/* followed by resolve() */
	{ "title",			NULL,			ANY },
	{ "description",		NULL,			ANY },
	{ "default",			NULL,			ANY },
	{ "examples",			NULL,			ANY },
	{ "type",			check_type,		ANY },
	{ "enum",			check_enum,		ANY },
	{ "const",			check_const,		ANY },
	{ "required",			check_required,		ANY },
	{ "properties",			check_properties,	SCHEMA_MAP },
	{ "additionalProperties",	check_additional,	SCHEMA },
	{ "items",			check_items,		SCHEMA },
	{ "minItems",			check_min_items,	ANY },
	{ "maxItems",			check_max_items,	ANY },
	{ "minimum",			check_minimum,		ANY },
	{ "maximum",			check_maximum,		ANY },
	{ "minLength",			check_min_length,	ANY },
	{ "maxLength",			check_max_length,	ANY },
	{ "pattern",			check_pattern,		ANY },
	{ "anyOf",			check_any,		SCHEMA_LIST },
	{ "oneOf",			check_one,		SCHEMA_LIST },
};

static const json *find_ref(const struct check *k, const char *ref)
{
	static const char prefix[] = "#/$defs/";

	if (strncmp(ref, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	return json_get(json_get(k->schema->root, "$defs"), ref + sizeof(prefix) - 1);
}

/* Follow "$ref". What cannot be followed was refused by check_schema(). */
static const json *resolve(const struct check *k, const json *schema)
{
	for (int i = 0; i < SCHEMA_REFS; i++) {
		const char *ref = json_str(schema, "$ref", NULL);

		if (!ref)
			break;
		schema = find_ref(k, ref);
	}
	return schema;
}

static int check_value(const struct check *k, const json *schema, const json *v)
{
	schema = resolve(k, schema);
	if (json_type(schema) == JSON_BOOL)
		return json_true(schema) ? 0 : mistake(k, schema, v, "nothing here");
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		const json *arg = keywords[i].fn ? json_get(schema, keywords[i].name) : NULL;

		if (arg && keywords[i].fn(k, schema, arg, v) < 0)
			return -1;
	}
	return 0;
}

/* ---- the schema itself: what it says must be what is applied ------------------------------------- */

static const struct keyword *keyword_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		if (strcmp(keywords[i].name, name) == 0)
			return &keywords[i];
	}
	return NULL;
}

static int check_type_arg(const struct jsonc *s, const json *arg, struct err *e)
{
	static const char names[] = " null boolean number integer string array object ";

	for (const json *c = json_text(arg) ? arg : json_first(arg); c; c = json_text(arg) ? NULL : json_next(c)) {
		CLEANUP(cleanup_freep) char *word = xasprintf(" %s ", json_text(c) ? json_text(c) : "?");

		if (!strstr(names, word))
			return jsonc_err(s, c, e, "found another value, expected the name of a type");
	}
	return json_text(arg) || json_first(arg) ? 0 : jsonc_err(s, arg, e, "found no type, expected one");
}

static int check_ref_arg(const struct jsonc *s, const json *schema, struct err *e)
{
	struct check k = { .schema = s };
	const json *j = schema;

	for (int i = 0; i < SCHEMA_REFS; i++) {
		const char *ref = json_str(j, "$ref", NULL);

		if (!ref)
			return 0;
		j = find_ref(&k, ref);
		if (!j)
			return jsonc_err(s, json_get(schema, "$ref"), e, "found %s, expected #/$defs/NAME that exists", ref);
	}
	return jsonc_err(s, json_get(schema, "$ref"), e, "found a reference that leads to itself, expected an end");
}

static int check_schema(const struct jsonc *s, const json *schema, struct err *e);

static int check_keyword(const struct jsonc *s, const json *arg, struct err *e)
{
	const struct keyword *w = keyword_find(json_key(arg));

	if (!w)
		return jsonc_err(s, arg, e, "found the keyword \"%s\", expected one that jsonc.c knows", json_key(arg));
	if (strcmp(w->name, "type") == 0)
		return check_type_arg(s, arg, e);
	if (strcmp(w->name, "pattern") == 0 && !json_text(arg))
		return jsonc_err(s, arg, e, "found another value, expected a regular expression");
	if (w->shape == SCHEMA)
		return check_schema(s, arg, e);
	for (const json *c = w->shape == ANY ? NULL : json_first(arg); c; c = json_next(c)) {
		if (check_schema(s, c, e) < 0)
			return -1;
	}
	return 0;
}

static int check_schema(const struct jsonc *s, const json *schema, struct err *e)
{
	if (json_type(schema) == JSON_BOOL)
		return 0;
	if (json_type(schema) != JSON_OBJECT)
		return jsonc_err(s, schema, e, "found another value, expected a schema");
	for (const json *c = json_first(schema); c; c = json_next(c)) {
		if (check_keyword(s, c, e) < 0)
			return -1;
	}
	return check_ref_arg(s, schema, e);
}

static int apply_schema(const struct jsonc *doc, const char *path, struct err *e)
{
	struct patterns patterns = { .n = 0 };
	struct check k = { .doc = doc, .patterns = &patterns, .e = e };
	struct jsonc *s = NULL;
	int rc;

	if (jsonc_load(path, NULL, &s, e) != 0)
		return -1;
	k.schema = s;
	rc = check_schema(s, s->root, e);
	if (rc == 0)
		rc = check_value(&k, s->root, doc->root);
	for (size_t i = 0; i < patterns.n; i++)
		regfree(&patterns.re[i]);
	jsonc_free(s);
	return rc;
}

/* ---- documents -------------------------------------------------------------------------------- */

static char *shown_name(const char *name)
{
	struct buf b;

	buf_init(&b, QUOTE_INPUT_MAX);
	quote_into(&b, name, MIN(strlen(name), (size_t)QUOTE_INPUT_MAX / 8));
	return buf_steal(&b);
}

static int parse(struct jsonc *c, const char *schema_path, struct err *e)
{
	size_t at;

	if (strip(c, e) < 0)
		return -1;
	c->root = json_parse(c->text, c->len, &at, e);
	if (!c->root)
		return fail_at(c, at, e);
	json_places(c->text, c->len, c->root, add_place, c);
	qsort(c->place, c->nplace, sizeof(*c->place), place_order);
	return schema_path ? apply_schema(c, schema_path, e) : 0;
}

int jsonc_parse(const char *name, const char *text, size_t len, const char *schema_path,
		struct jsonc **out, struct err *e)
{
	struct jsonc *c = xcalloc(1, sizeof(*c));

	*c = (struct jsonc){ .name = shown_name(name), .source = xmemdup0(text, len), .text = xmemdup0(text, len), .len = len };
	if (parse(c, schema_path, e) < 0) {
		jsonc_free(c);
		return -1;
	}
	*out = c;
	return 0;
}

/* A named pipe or a device in the place of a file must not hold us up. */
static int read_file(const char *path, struct buf *b, struct err *e)
{
	CLEANUP(cleanup_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int code = errno;
	CLEANUP(cleanup_freep) char *name = shown_name(path);
	struct stat st;

	if (fd < 0)
		return err_set(e, code, "open %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, 0, "open %s: not a regular file", name);
	if (io_slurp_fd(fd, b) < 0)
		return err_set(e, errno, "read %s", name);
	return 0;
}

int jsonc_load(const char *path, const char *schema_path, struct jsonc **out, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, JSONC_MAX);
	rc = read_file(path, &b, e);
	if (rc == 0)
		rc = jsonc_parse(path, buf_str(&b), b.len, schema_path, out, e);
	buf_done(&b);
	return rc;
}

void jsonc_free(struct jsonc *c)
{
	if (!c)
		return;
	json_free(c->root);
	free(c->place);
	free(c->text);
	free(c->source);
	free(c->name);
	free(c);
}

const json *jsonc_root(const struct jsonc *c)
{
	return c->root;
}

const char *jsonc_name(const struct jsonc *c)
{
	return c->name;
}

const char *jsonc_source(const struct jsonc *c, size_t *len)
{
	*len = c->len;
	return c->source;
}

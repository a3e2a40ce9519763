#include "base/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

/* cJSON is lenient: it takes control characters in strings, numbers like 01, bytes that are
 * not UTF-8, a NUL as white space, and the first of two equal keys. So the grammar is checked here
 * first, with messages a person can use, and cJSON only builds the tree. */
#define JSON_DEPTH	500	/* below cJSON's own limit */
#define JSON_EXACT	9007199254740992.0	/* 2^53: larger integers do not fit a double */

static void *json_alloc(size_t size)
{
	return xcalloc(1, size);
}

__attribute__((constructor)) static void json_hooks(void)
{
	cJSON_Hooks h = { .malloc_fn = json_alloc, .free_fn = free };

	cJSON_InitHooks(&h);
}

/* ---- the grammar ------------------------------------------------------------------------------ */

struct scan {
	const char	*s;
	size_t		 len, at;
	struct err	*e;
};

static bool lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static int scan_fail(struct scan *p, const char *want)
{
	struct buf found;

	buf_init(&found, 256);
	if (p->at >= p->len) {
		buf_adds(&found, "the end of the text");
	} else {
		size_t n = 1;

		/* A word is shown whole, anything else as one character. */
		while (n < 24 && p->at + n < p->len && lower(p->s[p->at]) && lower(p->s[p->at + n]))
			n++;
		if (n == 1) {
			uint32_t cp;

			n = quote_utf8(p->s + p->at, p->len - p->at, &cp);
		}
		buf_addc(&found, '\'');
		quote_into(&found, p->s + p->at, n);
		buf_addc(&found, '\'');
	}
	err_set(p->e, 0, "found %s, expected %s", buf_str(&found), want);
	buf_done(&found);
	return -1;
}

static int peek(const struct scan *p)
{
	return p->at < p->len ? (unsigned char)p->s[p->at] : -1;
}

static void skip_space(struct scan *p)
{
	while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\n' || peek(p) == '\r')
		p->at++;
}

static int hex4(const struct scan *p, size_t at)
{
	int v = 0;

	if (p->len - at < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		static const char hex[] = "0123456789abcdef";
		char c = p->s[at + i];
		const char *d = c < '0' ? NULL : strchr(hex, c | 0x20);

		if (!d)
			return -1;
		v = v * 16 + (int)(d - hex);
	}
	return v;
}

/* At the backslash. Surrogates must come as a pair, and NUL cannot be kept in a C string. */
static int scan_escape(struct scan *p)
{
	int c = p->at + 1 < p->len ? p->s[p->at + 1] : 0;
	int v;

	if (c && strchr("\"\\/bfnrt", c)) {
		p->at += 2;
		return 0;
	}
	if (c != 'u')
		return scan_fail(p, "an escape: \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four digits");
	v = hex4(p, p->at + 2);
	if (v < 0)
		return scan_fail(p, "four hexadecimal digits after \\u");
	if (v == 0)
		return scan_fail(p, "no \\u0000 in a string");
	if (v < 0xd800 || v > 0xdfff) {
		p->at += 6;
		return 0;
	}
	if (v < 0xdc00 && p->len - p->at >= 12 && p->s[p->at + 6] == '\\' && p->s[p->at + 7] == 'u' &&
	    hex4(p, p->at + 8) >= 0xdc00 && hex4(p, p->at + 8) <= 0xdfff) {
		p->at += 12;
		return 0;
	}
	return scan_fail(p, "a pair of surrogates");
}

static int scan_string(struct scan *p)
{
	size_t from = p->at++;

	while (p->at < p->len) {
		uint32_t cp;
		size_t n;

		if (p->s[p->at] == '"') {
			p->at++;
			return 0;
		}
		if (p->s[p->at] == '\\') {
			if (scan_escape(p) < 0)
				return -1;
			continue;
		}
		n = quote_utf8(p->s + p->at, p->len - p->at, &cp);
		if (cp == 0xffffffff)
			return scan_fail(p, "valid UTF-8");
		if (cp < 0x20)
			return scan_fail(p, "the end of the string on its line (write control characters as escapes)");
		p->at += n;
	}
	p->at = from;
	return scan_fail(p, "a string with an end");
}

static size_t digits(struct scan *p)
{
	size_t from = p->at;

	while (peek(p) >= '0' && peek(p) <= '9')
		p->at++;
	return p->at - from;
}

static int scan_number(struct scan *p)
{
	if (peek(p) == '-')
		p->at++;
	if (peek(p) == '0')
		p->at++;
	else if (!digits(p))
		return scan_fail(p, "a digit");
	if (peek(p) >= '0' && peek(p) <= '9')
		return scan_fail(p, "no digit after a leading 0");
	if (peek(p) == '.') {
		p->at++;
		if (!digits(p))
			return scan_fail(p, "a digit after the point");
	}
	if (peek(p) == 'e' || peek(p) == 'E') {
		p->at++;
		if (peek(p) == '+' || peek(p) == '-')
			p->at++;
		if (!digits(p))
			return scan_fail(p, "a digit in the exponent");
	}
	return 0;
}

static int scan_word(struct scan *p)
{
	static const char *const word[] = { "true", "false", "null" };

	for (size_t i = 0; i < ARRAY_SIZE(word); i++) {
		size_t n = strlen(word[i]);

		if (p->len - p->at >= n && memcmp(p->s + p->at, word[i], n) == 0) {
			p->at += n;
			return 0;
		}
	}
	return scan_fail(p, "a value");
}

static int scan_scalar(struct scan *p)
{
	int c = peek(p);

	if (c == '"')
		return scan_string(p);
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(p);
	return scan_word(p);
}

/* After '{' or ',' of an object: "key" and the colon. */
static int scan_key(struct scan *p)
{
	skip_space(p);
	if (peek(p) != '"')
		return scan_fail(p, "a key in double quotes");
	if (scan_string(p) < 0)
		return -1;
	skip_space(p);
	if (peek(p) != ':')
		return scan_fail(p, "':' after the key");
	p->at++;
	return 0;
}

/* After a value: close what ends here, or go on to the next value. 1: the document is complete. */
static int scan_after(struct scan *p, const char *close, size_t *depth)
{
	while (*depth) {
		char end = close[*depth - 1];

		skip_space(p);
		if (peek(p) == ',') {
			p->at++;
			return end == '}' ? scan_key(p) : 0;
		}
		if (peek(p) != end)
			return scan_fail(p, end == '}' ? "',' or '}'" : "',' or ']'");
		p->at++;
		--*depth;
	}
	skip_space(p);
	return p->at < p->len ? scan_fail(p, "nothing after the value") : 1;
}

/* At '{' or '['. 1: it was empty and is closed already. */
static int scan_open(struct scan *p, char *close, size_t *depth)
{
	bool object = peek(p) == '{';

	if (*depth == JSON_DEPTH)
		return scan_fail(p, "less depth");
	p->at++;
	skip_space(p);
	if (peek(p) == (object ? '}' : ']')) {
		p->at++;
		return 1;
	}
	close[(*depth)++] = object ? '}' : ']';
	return object ? scan_key(p) : 0;
}

static int scan_document(struct scan *p)
{
	char close[JSON_DEPTH];
	size_t depth = 0;

	for (;;) {
		int rc;

		skip_space(p);
		if (peek(p) == '{' || peek(p) == '[') {
			rc = scan_open(p, close, &depth);
			if (rc == 0)
				continue;
		} else {
			rc = scan_scalar(p);
		}
		if (rc >= 0)
			rc = scan_after(p, close, &depth);
		if (rc)
			return rc < 0 ? -1 : 0;
	}
}

/* ---- equal keys: what one reader takes and another does not, nobody gets ------------------------- */

static int key_order(const void *a, const void *b)
{
	return strcmp((*(const json *const *)a)->string, (*(const json *const *)b)->string);
}

static const json *equal_keys_here(const json *obj)
{
	size_t n = json_count(obj), i = 0;
	const json *twice = NULL;
	const json **m;

	if (n < 2)
		return NULL;
	m = xcalloc(n, sizeof(*m));
	for (const json *c = obj->child; c; c = c->next)
		m[i++] = c;
	qsort(m, n, sizeof(*m), key_order);
	for (i = 1; i < n && !twice; i++) {
		if (strcmp(m[i - 1]->string, m[i]->string) == 0)
			twice = m[i];
	}
	free(m);
	return twice;
}

static const json *equal_keys(const json *j)
{
	const json *twice = cJSON_IsObject(j) ? equal_keys_here(j) : NULL;

	for (const json *c = j->child; c && !twice; c = c->next)
		twice = equal_keys(c);		/* depth is bounded by JSON_DEPTH */
	return twice;
}

/* ---- where each value stands: text and tree are walked side by side ------------------------------ */

struct walk {
	const char	*s;		/* known to be good JSON */
	size_t		 at;
	json_place_fn	*fn;
	void		*arg;
};

static void walk_over(struct walk *w, const char *set)
{
	w->at += strspn(w->s + w->at, set);
}

static void walk_string(struct walk *w)
{
	for (w->at++; w->s[w->at] != '"'; w->at++) {
		if (w->s[w->at] == '\\')
			w->at++;
	}
	w->at++;
}

static void walk_value(struct walk *w, const json *j, size_t key_at)
{
	static const char gap[] = " \t\r\n,:";

	w->fn(w->arg, j, w->at, key_at);
	if (cJSON_IsString(j)) {
		walk_string(w);
	} else if (!cJSON_IsObject(j) && !cJSON_IsArray(j)) {
		walk_over(w, "-+.0123456789aefElnrstu");
	} else {
		w->at++;
		for (const json *c = j->child; c; c = c->next) {
			walk_over(w, gap);
			key_at = w->at;
			if (c->string) {
				walk_string(w);
				walk_over(w, gap);
			}
			walk_value(w, c, key_at);
		}
		walk_over(w, gap);
		w->at++;
	}
}

void json_places(const char *text, size_t len, const json *root, json_place_fn *fn, void *arg)
{
	CLEANUP(cleanup_freep) char *copy = xmemdup0(text, len);	/* the NUL ends walk_over() */
	struct walk w = { .s = copy, .fn = fn, .arg = arg };

	walk_over(&w, " \t\r\n");
	walk_value(&w, root, w.at);
}

struct wanted {
	const json	*j;
	size_t		 at;
};

static void place_wanted(void *arg, const json *j, size_t at, size_t key_at)
{
	struct wanted *w = arg;

	(void)at;
	if (j == w->j)
		w->at = key_at;
}

static void fail_twice(const char *text, size_t len, const json *root, const json *twice, size_t *at, struct err *e)
{
	struct wanted w = { .j = twice };
	struct buf key;

	buf_init(&key, QUOTE_INPUT_MAX);
	quote_into(&key, twice->string, MIN(strlen(twice->string), (size_t)80));
	err_set(e, 0, "found the key \"%s\" twice in one object, expected it once", buf_str(&key));
	buf_done(&key);
	if (!at)
		return;
	json_places(text, len, root, place_wanted, &w);
	*at = w.at;
}

json *json_parse(const char *text, size_t len, size_t *at, struct err *e)
{
	struct scan p = { .s = text, .len = len, .e = e };
	int rc = scan_document(&p);
	const json *twice;
	json *j;

	if (at)
		*at = p.at;
	if (rc < 0)
		return NULL;
	j = cJSON_ParseWithLength(text, len);
	if (!j) {
		err_set(e, 0, "found a value that cannot be kept");
		return NULL;
	}
	twice = equal_keys(j);
	if (twice) {
		fail_twice(text, len, j, twice, at, e);
		cJSON_Delete(j);
		return NULL;
	}
	return j;
}

void json_free(json *j)
{
	cJSON_Delete(j);
}

/* ---- reading ---------------------------------------------------------------------------------- */

enum json_type json_type(const json *j)
{
	if (cJSON_IsBool(j))
		return JSON_BOOL;
	if (cJSON_IsNumber(j) || cJSON_IsRaw(j))	/* raw: an integer of ours past 2^53 */
		return JSON_NUMBER;
	if (cJSON_IsString(j))
		return JSON_STRING;
	if (cJSON_IsArray(j))
		return JSON_ARRAY;
	return cJSON_IsObject(j) ? JSON_OBJECT : JSON_NULL;
}

const json *json_get(const json *obj, const char *key)
{
	return cJSON_IsObject(obj) ? cJSON_GetObjectItemCaseSensitive(obj, key) : NULL;
}

const json *json_first(const json *j)
{
	return cJSON_IsObject(j) || cJSON_IsArray(j) ? j->child : NULL;
}

const json *json_next(const json *j)
{
	return j ? j->next : NULL;
}

const char *json_key(const json *j)
{
	return j ? j->string : NULL;
}

size_t json_count(const json *j)
{
	size_t n = 0;

	for (const json *c = json_first(j); c; c = c->next)
		n++;
	return n;
}

const char *json_text(const json *j)
{
	return cJSON_IsString(j) ? j->valuestring : NULL;
}

double json_value(const json *j)
{
	if (cJSON_IsRaw(j))
		return strtod(j->valuestring, NULL);
	return cJSON_IsNumber(j) ? j->valuedouble : 0;
}

bool json_true(const json *j)
{
	return cJSON_IsTrue(j);
}

const char *json_str(const json *obj, const char *key, const char *dflt)
{
	const char *s = json_text(json_get(obj, key));

	return s ? s : dflt;
}

double json_num(const json *obj, const char *key, double dflt)
{
	const json *j = json_get(obj, key);

	return j && json_type(j) == JSON_NUMBER ? json_value(j) : dflt;
}

bool json_bool(const json *obj, const char *key, bool dflt)
{
	const json *j = json_get(obj, key);

	return cJSON_IsBool(j) ? cJSON_IsTrue(j) : dflt;
}

/* ---- building --------------------------------------------------------------------------------- */

/* Valid UTF-8 without NUL, which a C string cannot hold. */
static char *clean_text(const char *s, size_t len)
{
	struct buf b;
	size_t used;

	if (len == (size_t)-1)
		len = strlen(s);
	buf_init(&b, SIZE_MAX / 2);
	for (size_t i = 0; i < len; i += used) {
		uint32_t cp;

		used = quote_utf8(s + i, len - i, &cp);
		if (cp == 0xffffffff || cp == 0)
			buf_adds(&b, "\xef\xbf\xbd");
		else
			buf_add(&b, s + i, used);
	}
	return buf_steal(&b);
}

json *json_new_object(void)
{
	return cJSON_CreateObject();
}

json *json_new_array(void)
{
	return cJSON_CreateArray();
}

void json_add(json *to, const char *key, json *child)
{
	if (key) {
		CLEANUP(cleanup_freep) char *k = clean_text(key, strlen(key));

		cJSON_AddItemToObject(to, k, child);
	} else {
		cJSON_AddItemToArray(to, child);
	}
}

json *json_add_object(json *to, const char *key)
{
	json *j = cJSON_CreateObject();

	json_add(to, key, j);
	return j;
}

json *json_add_array(json *to, const char *key)
{
	json *j = cJSON_CreateArray();

	json_add(to, key, j);
	return j;
}

void json_add_strn(json *to, const char *key, const char *s, size_t len)
{
	CLEANUP(cleanup_freep) char *text = s ? clean_text(s, len) : NULL;

	json_add(to, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void json_add_str(json *to, const char *key, const char *s)
{
	json_add_strn(to, key, s, (size_t)-1);
}

void json_add_int(json *to, const char *key, long long v)
{
	CLEANUP(cleanup_freep) char *text = xasprintf("%lld", v);

	json_add(to, key, (double)v < JSON_EXACT && (double)v > -JSON_EXACT ?
		 cJSON_CreateNumber((double)v) : cJSON_CreateRaw(text));
}

void json_add_num(json *to, const char *key, double v)
{
	json_add(to, key, cJSON_CreateNumber(v));
}

void json_add_bool(json *to, const char *key, bool v)
{
	json_add(to, key, cJSON_CreateBool(v));
}

void json_add_null(json *to, const char *key)
{
	json_add(to, key, cJSON_CreateNull());
}

/* ---- printing: not cJSON's, which leaves DEL, C1 and bidi controls as they are ----------------- */

static const char *short_escape(uint32_t cp)
{
	switch (cp) {
	case '"':	return "\\\"";
	case '\\':	return "\\\\";
	case '\n':	return "\\n";
	case '\r':	return "\\r";
	case '\t':	return "\\t";
	default:	return NULL;
	}
}

void json_quote(struct buf *out, const char *s, size_t len)
{
	size_t used;

	buf_addc(out, '"');
	for (size_t i = 0; i < len; i += used) {
		const char *esc;
		uint32_t cp;

		used = quote_utf8(s + i, len - i, &cp);
		esc = short_escape(cp);
		if (cp == 0xffffffff)
			buf_adds(out, "\xef\xbf\xbd");
		else if (esc)
			buf_adds(out, esc);
		else if (!quote_hidden(cp))
			buf_add(out, s + i, used);
		else if (cp < 0x10000)
			buf_addf(out, "\\u%04x", cp);
		else
			buf_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (cp >> 10), 0xdc00 + (cp & 0x3ff));
	}
	buf_addc(out, '"');
}

/* The shortest digits that read back as the same value. */
static void print_number(struct buf *out, double v)
{
	char text[40];

	if (!isfinite(v)) {
		buf_adds(out, "null");
		return;
	}
	for (int prec = 15; prec <= 17; prec++) {
		snprintf(text, sizeof(text), "%.*g", prec, v);
		if (strtod(text, NULL) == v)
			break;
	}
	if (v < JSON_EXACT && v > -JSON_EXACT && v == (double)(long long)v)
		snprintf(text, sizeof(text), "%.0f", v);
	buf_adds(out, text);
}

static void print_value(struct buf *out, const json *j)
{
	bool object = cJSON_IsObject(j);

	if (cJSON_IsString(j)) {
		json_quote(out, j->valuestring, strlen(j->valuestring));
	} else if (cJSON_IsRaw(j)) {
		buf_adds(out, j->valuestring);
	} else if (cJSON_IsNumber(j)) {
		print_number(out, j->valuedouble);
	} else if (!object && !cJSON_IsArray(j)) {
		buf_adds(out, cJSON_IsBool(j) ? cJSON_IsTrue(j) ? "true" : "false" : "null");
	} else {
		buf_addc(out, object ? '{' : '[');
		for (const json *c = j->child; c; c = c->next) {
			if (object) {
				json_quote(out, c->string, strlen(c->string));
				buf_addc(out, ':');
			}
			print_value(out, c);
			if (c->next)
				buf_addc(out, ',');
		}
		buf_addc(out, object ? '}' : ']');
	}
}

char *json_print(const json *j)
{
	struct buf b;

	buf_init(&b, SIZE_MAX / 2);
	print_value(&b, j);
	return buf_steal(&b);
}

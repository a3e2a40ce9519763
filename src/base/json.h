/* base/json.h - the one place of cJSON: read values, write objects
 *
 * Thin by purpose: cJSON's types do not leave this folder, so that every reader
 * checks types the same way. Parsing is strict JSON (comments are conf/jsonc's
 * business), bounded in size by the caller and in depth here (500).
 * Strings cannot hold a NUL: "\u0000" is a parse error. So is one key twice in an object.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"
#include "base/err.h"

typedef struct cJSON json;	/* opaque outside base/json.c */

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* *@at gets the byte offset of the mistake on failure (may be NULL). */
json *json_parse(const char *text, size_t len, size_t *at, struct err *e);
void json_free(json *j);
/* Say of each value of @root, which was parsed from @text, where it and its key stand (offsets). */
typedef void json_place_fn(void *arg, const json *j, size_t at, size_t key_at);
void json_places(const char *text, size_t len, const json *root, json_place_fn *fn, void *arg);
enum json_type json_type(const json *j);
const json *json_get(const json *obj, const char *key);		/* NULL when absent or no object; case-sensitive */
const json *json_first(const json *j);				/* child of array or object */
const json *json_next(const json *j);
const char *json_key(const json *j);				/* of a member, NULL in arrays */
size_t json_count(const json *j);
const char *json_str(const json *obj, const char *key, const char *dflt);	/* dflt unless a string */
double json_num(const json *obj, const char *key, double dflt);
bool json_bool(const json *obj, const char *key, bool dflt);
const char *json_text(const json *j);				/* value of a string, else NULL */
double json_value(const json *j);				/* number, else 0 */
bool json_true(const json *j);

/* Building. json_add_* on an object need a key, on an array key is NULL. Strings are
 * made valid UTF-8 first: each bad byte becomes U+FFFD. @len (size_t)-1 = strlen. */
json *json_new_object(void);
json *json_new_array(void);
json *json_add_object(json *to, const char *key);
json *json_add_array(json *to, const char *key);
void json_add_str(json *to, const char *key, const char *s);	/* NULL s = null */
void json_add_strn(json *to, const char *key, const char *s, size_t len);
void json_add_int(json *to, const char *key, long long v);
void json_add_num(json *to, const char *key, double v);
void json_add_bool(json *to, const char *key, bool v);
void json_add_null(json *to, const char *key);
void json_add(json *to, const char *key, json *child);		/* takes ownership */
/* One line, no spaces, no trailing newline; controls and invisibles are escaped. The caller frees. */
char *json_print(const json *j);
/* Append a JSON string with its quotes. */
void json_quote(struct buf *out, const char *s, size_t len);

#endif /* BASE_JSON_H */

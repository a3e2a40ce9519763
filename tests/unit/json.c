#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "tap.h"

#define TEXT(s) s, sizeof(s) - 1

static const struct { const char *text; size_t len; size_t at; const char *msg; } bad[] = {
	{ TEXT(""),			0, "found the end of the text, expected a value" },
	{ TEXT("{"),			1, "found the end of the text, expected a key in double quotes" },
	{ TEXT("[1,]"),			3, "found ']', expected a value" },
	{ TEXT("{\"a\":1,}"),		7, "found '}', expected a key in double quotes" },
	{ TEXT("{\"a\" 1}"),		5, "found '1', expected ':' after the key" },
	{ TEXT("{\"a\":1 \"b\":2}"),	7, "found '\"', expected ',' or '}'" },
	{ TEXT("[1 2]"),		3, "found '2', expected ',' or ']'" },
	{ TEXT("[1}"),			2, "found '}', expected ',' or ']'" },
	{ TEXT("1 2"),			2, "found '2', expected nothing after the value" },
	{ TEXT("nul"),			0, "found 'nul', expected a value" },
	{ TEXT("// x\n1"),		0, "found '/', expected a value" },
	{ TEXT("'a'"),			0, "found ''', expected a value" },
	{ TEXT("\"a"),			0, "found '\"', expected a string with an end" },
	{ TEXT("\"a\nb\""),		2, "found '\\n', expected the end of the string on its line (write control characters as escapes)" },
	{ TEXT("\"\\x\""),		1, "found '\\', expected an escape: \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four digits" },
	{ TEXT("\"\\u12g4\""),		1, "found '\\', expected four hexadecimal digits after \\u" },
	{ TEXT("\"a\\u0000b\""),	2, "found '\\', expected no \\u0000 in a string" },
	{ TEXT("\"\\ud800\""),		1, "found '\\', expected a pair of surrogates" },
	{ TEXT("\"\\udc00\\ud800\""),	1, "found '\\', expected a pair of surrogates" },
	{ TEXT("\"\xff\""),		1, "found '\\xff', expected valid UTF-8" },
	{ TEXT("\"\xc0\x80\""),		1, "found '\\xc0', expected valid UTF-8" },
	{ TEXT("1\0"),			1, "found '\\x00', expected nothing after the value" },
	{ TEXT("\"a\0b\""),		2, "found '\\x00', expected the end of the string on its line (write control characters as escapes)" },
	{ TEXT("01"),			1, "found '1', expected no digit after a leading 0" },
	{ TEXT("-"),			1, "found the end of the text, expected a digit" },
	{ TEXT("1."),			2, "found the end of the text, expected a digit after the point" },
	{ TEXT("1e+"),			3, "found the end of the text, expected a digit in the exponent" },
	{ TEXT("+1"),			0, "found '+', expected a value" },
	{ TEXT("NaN"),			0, "found 'N', expected a value" },
	{ TEXT("{\"a\":1,\"b\":{\"c\":1,\"c\":2}}"), 18, "found the key \"c\" twice in one object, expected it once" },
	{ TEXT("[{\"a\":\"\\\"\",\"\\u0061\":[]}]"), 11, "found the key \"a\" twice in one object, expected it once" },
	{ TEXT("\xef\xbb\xbf{}"),	0, "found '\\ufeff', expected a value" },
};

static void test_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e = { 0 };
		size_t at = 999;
		json *j = json_parse(bad[i].text, bad[i].len, &at, &e);

		ok(j == NULL, bad[i].text);
		is_str(e.msg, bad[i].msg, bad[i].text);
		is_int(at, bad[i].at, bad[i].text);
		json_free(j);
	}
}

static const struct { const char *text, *print; } round_trip[] = {
	{ " { \"a\" : [ 1 , -0.5 , 1e3, true , false , null , \"x\" ] } ", "{\"a\":[1,-0.5,1000,true,false,null,\"x\"]}" },
	{ "[]",				"[]" },
	{ "{}",				"{}" },
	{ "0.1",			"0.1" },
	{ "1e300",			"1e+300" },
	{ "9007199254740991",		"9007199254740991" },
	{ "\"\\u00e9\\ud83d\\ude00\\/\"", "\"\xc3\xa9\xf0\x9f\x98\x80/\"" },
	{ "\"\\u007f\\u009b\\u202e\\u200b\\ud83d\\udc00\\udb40\\udc41\"",
	  "\"\\u007f\\u009b\\u202e\\u200b\xf0\x9f\x90\x80\\udb40\\udc41\"" },
	{ "\"\\n\\t\\r\\b\\\"\\\\\"",	"\"\\n\\t\\r\\u0008\\\"\\\\\"" },
};

static void test_round_trip(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(round_trip); i++) {
		struct err e = { 0 };
		json *j = json_parse(round_trip[i].text, strlen(round_trip[i].text), NULL, &e);
		char *print;

		ok(j != NULL, e.msg);
		print = json_print(j);
		is_str(print, round_trip[i].print, round_trip[i].text);
		free(print);
		json_free(j);
	}
}

/* No prefix of a document is a document, and none makes the parser read past its end. */
static void test_cut(void)
{
	static const char text[] = "{\"k\\u00e9\":[1.5e3,{\"x\":null},\"\\ud83d\\ude00\xc3\xa9\",true,[]]}";
	bool all = true;

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n ? n : 1);		/* exact size: the sanitizer sees an overread */
		json *j;

		memcpy(copy, text, n);
		j = json_parse(copy, n, NULL, NULL);
		all = all && !j;
		json_free(j);
		free(copy);
	}
	ok(all, "every cut document is refused");
}

static json *nested(size_t depth, struct err *e)
{
	char *text = malloc(2 * depth + 1);
	json *j;

	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	j = json_parse(text, 2 * depth, NULL, e);
	free(text);
	return j;
}

static void test_depth(void)
{
	struct err e = { 0 };
	json *j = nested(500, &e);

	ok(j != NULL, "500 deep");
	json_free(j);
	ok(nested(501, &e) == NULL, "501 deep");
	is_str(e.msg, "found '[', expected less depth", "says so");
	ok(nested(1000000, &e) == NULL, "a million deep");
}

static void test_read(void)
{
	static const char text[] = "{\"s\":\"x\",\"n\":2,\"b\":true,\"A\":1,\"l\":[5,6]}";
	json *j = json_parse(text, strlen(text), NULL, NULL);
	const json *l = json_get(j, "l");

	is_str(json_str(j, "s", "d"), "x", "string");
	is_str(json_str(j, "n", "d"), "d", "a number is no string");
	is_str(json_str(j, "a", "d"), "d", "keys are case-sensitive");
	is_int(json_num(j, "n", 7), 2, "number");
	is_int(json_num(j, "s", 7), 7, "a string is no number");
	ok(json_bool(j, "b", false), "bool");
	ok(!json_bool(j, "n", false), "a number is no bool");
	ok(json_get(l, "x") == NULL && json_get(NULL, "x") == NULL, "no member of what is no object");
	is_int(json_count(j), 5, "count");
	is_int(json_value(json_next(json_first(l))), 6, "second element");
	ok(json_next(json_next(json_first(l))) == NULL && json_next(NULL) == NULL, "and the end");
	is_str(json_key(json_first(j)), "s", "key");
	ok(json_key(json_first(l)) == NULL, "no key in an array");
	is_int(json_type(json_get(j, "b")), JSON_BOOL, "type");
	json_free(j);
}

static void test_build(void)
{
	json *j = json_new_object(), *a;
	char *print;

	json_add_str(j, "bad", "a\xff" "b\xe2\x82");
	json_add_strn(j, "nul", "a\0b", 3);
	json_add_str(j, "none", NULL);
	json_add_str(j, "k\xfe", "v");
	json_add_int(j, "big", 9223372036854775807LL);
	json_add_int(j, "ms", 1764537240123LL);
	json_add_num(j, "nan", NAN);
	a = json_add_array(j, "a");
	json_add_bool(a, NULL, true);
	json_add_null(a, NULL);
	json_add_bool(json_add_object(a, NULL), "x", false);
	json_add(a, NULL, json_new_array());
	print = json_print(j);
	is_str(print, "{\"bad\":\"a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd\",\"nul\":\"a\xef\xbf\xbd" "b\",\"none\":null,\"k\xef\xbf\xbd\":\"v\","
	       "\"big\":9223372036854775807,\"ms\":1764537240123,\"nan\":null,\"a\":[true,null,{\"x\":false},[]]}", "built");
	is_int(json_type(json_get(j, "big")), JSON_NUMBER, "an exact integer is a number");
	free(print);
	json_free(j);
}

int main(void)
{
	test_bad();
	test_round_trip();
	test_cut();
	test_depth();
	test_read();
	test_build();
	return tap_done();
}

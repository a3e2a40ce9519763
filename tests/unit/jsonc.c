#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "conf/jsonc.h"
#include "tap.h"

static char dir[] = "/tmp/sbxterm-jsonc-XXXXXX";

static char *write_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
	return path;
}

static const struct { const char *text, *want; } syntax[] = {
	/* good: the value as strict JSON */
	{ "{} // end",				"{}" },
	{ "/* a */ [1, /* b */ 2, // c\n]",	"[1,2]" },
	{ "{\"a\": 1,\n}",			"{\"a\":1}" },
	{ "{\"a\": [1,],/**/}",			"{\"a\":[1]}" },
	{ "[\"// no comment\", \"/* nor */ this,]\"]", "[\"// no comment\",\"/* nor */ this,]\"]" },
	{ "[\"a\\\"//\", 1 /***/]",		"[\"a\\\"//\",1]" },
	/* bad: the message */
	{ "",					"f:1:1: found the end of the text, expected a value" },
	{ "{\n  \"a\": 1\n  \"b\": 2\n}",	"f:3:3: found '\"', expected ',' or '}'" },
	{ "[1,,]",				"f:1:5: found ']', expected a value" },
	{ "[,]",				"f:1:2: found ',', expected a value" },
	{ "{,}",				"f:1:2: found ',', expected a key in double quotes" },
	{ "{\"a\":,}",				"f:1:6: found ',', expected a value" },
	{ "[1] /* x",				"f:1:5: found a comment without an end, expected */" },
	{ "[1] /",				"f:1:5: found '/', expected nothing after the value" },
	{ "# x\n1",				"f:1:1: found '#', expected a value" },
	{ "[\"\xc3\xa9\xc3\xa9\", x]",		"f:1:8: found 'x', expected a value" },	/* columns count characters */
	{ "[\"a\n\"]",				"f:1:4: found '\\n', expected the end of the string on its line (write control characters as escapes)" },
	{ "{\n\"a\":1,\n \"b\":2, \"a\":3}",	"f:3:9: found the key \"a\" twice in one object, expected it once" },
	{ "{\"a\": \xff}",			"f:1:7: found '\\xff', expected a value" },
};

static void test_syntax(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(syntax); i++) {
		struct err e = { 0 };
		struct jsonc *c = NULL;
		char *text = NULL;

		if (jsonc_parse("f", syntax[i].text, strlen(syntax[i].text), NULL, &c, &e) == 0)
			text = json_print(jsonc_root(c));
		is_str(text ? text : e.msg, syntax[i].want, syntax[i].text);
		free(text);
		jsonc_free(c);
	}
}

static const char schema_text[] =
	"{\"$defs\": {"
	" \"word\": {\"type\":\"string\",\"minLength\":1,\"maxLength\":4},"
	" \"deep\": {\"type\":\"object\",\"properties\":{\"deep\":{\"$ref\":\"#/$defs/deep\"}},\"additionalProperties\":false},"
	" \"alias\": {\"$ref\":\"#/$defs/word\"} },"
	"\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"v\"],"
	"\"properties\":{"
	" \"v\":{\"const\":1},"
	" \"action\":{\"enum\":[\"allow\",\"ask\",\"deny\"]},"
	" \"n\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":10},"
	" \"l\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":{\"$ref\":\"#/$defs/alias\"}},"
	" \"s\":{\"type\":\"string\",\"pattern\":\"^[0-9]+[KMG]$\",\"title\":\"a size such as \\\"512M\\\"\"},"
	" \"p\":{\"type\":\"string\",\"pattern\":\"^a\"},"
	" \"any\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":\"string\"}}]},"
	" \"one\":{\"oneOf\":[{\"type\":\"number\"},{\"type\":\"integer\"}]},"
	" \"map\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"boolean\"}},"
	" \"t\":{\"type\":[\"string\",\"null\"]},"
	" \"deep\":{\"$ref\":\"#/$defs/deep\"},"
	" \"never\":false"
	"}}";

static const struct { const char *text, *want; } checked[] = {
	{ "{\"v\":1,\"action\":\"ask\",\"n\":3,\"l\":[\"ab\"],\"s\":\"5M\",\"any\":[\"x\"],\"map\":{\"x\":true},\"t\":null}", "" },
	{ "{\"v\":1,\"any\":\"x\",\"one\":1.5,\"deep\":{\"deep\":{\"deep\":{}}}}", "" },
	{ "[]",				"f:1:1: found an array, expected an object" },
	{ "{}",				"f:1:1: found an object without the key \"v\", expected it" },
	{ "{\"v\":2}",			"f:1:6: found 2, expected 1" },
	{ "{\"v\":1,\n \"x\\u202e\": 1}", "f:2:2: found the key \"x\\u202e\", expected \"v\", \"action\", \"n\", \"l\", \"s\", \"p\", \"any\", \"one\", \"map\", \"t\", \"deep\" or \"never\"" },
	{ "{\"v\":1,\"action\":\"alow\"}", "f:1:17: found \"alow\", expected \"allow\", \"ask\" or \"deny\"" },
	{ "{\"v\":1,\"action\":1}",	"f:1:17: found 1, expected \"allow\", \"ask\" or \"deny\"" },
	{ "{\"v\":1,\"n\":1.5}",	"f:1:12: found 1.5, expected a whole number" },
	{ "{\"v\":1,\"n\":-1}",		"f:1:12: found -1, expected at least 0" },
	{ "{\"v\":1,\"n\":11}",		"f:1:12: found 11, expected at most 10" },
	{ "{\"v\":1,\"n\":\"1\"}",	"f:1:12: found \"1\", expected a whole number" },
	{ "{\"v\":1,\"l\":[]}",		"f:1:12: found an array, expected at least 1 in it" },
	{ "{\"v\":1,\"l\":[\"a\",\"b\",\"c\"]}", "f:1:12: found an array, expected at most 2 in it" },
	{ "{\"v\":1,\"l\":[\"a\",\"\"]}", "f:1:17: found \"\", expected at least 1 characters" },
	{ "{\"v\":1,\"l\":[\"abcde\"]}", "f:1:13: found \"abcde\", expected at most 4 characters" },
	{ "{\"v\":1,\"l\":[\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"]}", "" },
	{ "{\"v\":1,\"s\":\"5X\"}",	"f:1:12: found \"5X\", expected a size such as \"512M\"" },
	{ "{\"v\":1,\"s\":5}",		"f:1:12: found 5, expected a size such as \"512M\"" },
	{ "{\"v\":1,\"p\":\"b\"}",	"f:1:12: found \"b\", expected text that matches ^a" },
	{ "{\"v\":1,\"any\":1}",	"f:1:14: found 1, expected a string or an array" },
	{ "{\"v\":1,\"any\":[\"x\",2]}", "f:1:19: found 2, expected a string" },
	{ "{\"v\":1,\"one\":1}",	"f:1:14: found 1, expected what fits only one of the forms" },
	{ "{\"v\":1,\"one\":\"x\"}",	"f:1:14: found \"x\", expected a number or a whole number" },
	{ "{\"v\":1,\"map\":{\"x\":\"yes\"}}", "f:1:19: found \"yes\", expected true or false" },
	{ "{\"v\":1,\"t\":false}",	"f:1:12: found false, expected a string or null" },
	{ "{\"v\":1,\"deep\":{\"deep\":{\"dep\":1}}}", "f:1:24: found the key \"dep\", expected \"deep\"" },
	{ "{\"v\":1,\"never\":1}",	"f:1:16: found 1, expected nothing here" },
	{ "{\"v\":1,\"p\":\"b\\u001b[2J0123456789012345678901234567890123456789012345678901234567890123456789\"}",
	  "f:1:12: found \"b\\u001b[2J0123456789 ...(40 bytes)... 01234567890123456789\", expected text that matches ^a" },
};

static void test_schema(void)
{
	char *schema = write_file("s.json", schema_text);

	for (size_t i = 0; i < ARRAY_SIZE(checked); i++) {
		struct err e = { 0 };
		struct jsonc *c = NULL;

		jsonc_parse("f", checked[i].text, strlen(checked[i].text), schema, &c, &e);
		is_str(e.msg, checked[i].want, checked[i].text);
		jsonc_free(c);
	}
	free(schema);
}

static const struct { const char *schema, *want; } bad_schema[] = {
	{ "{\"patternProperties\":{}}",		":1:22: found the keyword \"patternProperties\", expected one that jsonc.c knows" },
	{ "{\"properties\":{\"a\":{\"items\":{\"if\":1}}}}", ":1:35: found the keyword \"if\", expected one that jsonc.c knows" },
	{ "{\"$defs\":{\"x\":{\"format\":\"uri\"}}}", ":1:25: found the keyword \"format\", expected one that jsonc.c knows" },
	{ "{\"type\":\"strin\"}",		":1:9: found another value, expected the name of a type" },
	{ "{\"$ref\":\"#/$defs/none\"}",	":1:9: found #/$defs/none, expected #/$defs/NAME that exists" },
	{ "{\"$ref\":\"other.json\"}",		":1:9: found other.json, expected #/$defs/NAME that exists" },
	{ "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/a\"}}}", ":1:23: found a reference that leads to itself, expected an end" },
	{ "{\"pattern\":\"(\"}",		":1:12: found a bad pattern, expected a regular expression" },
	{ "{\"items\":[{}]}",			":1:10: found another value, expected a schema" },
};

static void test_bad_schema(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_schema); i++) {
		char *schema = write_file("bad.json", bad_schema[i].schema);
		char *want = xasprintf("%s%s", schema, bad_schema[i].want);
		struct err e = { 0 };
		struct jsonc *c = NULL;

		is_int(jsonc_parse("f", "\"x\"", 3, schema, &c, &e), -1, "a schema that cannot be applied is an error");
		is_str(e.msg, want, bad_schema[i].schema);
		jsonc_free(c);
		free(want);
		free(schema);
	}
}

static void test_load(void)
{
	char *fifo = xasprintf("%s/fifo", dir), *none = xasprintf("%s/no\x1bne", dir), *good;
	char *want = xasprintf("open %s/no\\ene: No such file or directory", dir);
	char *wantfifo = xasprintf("open %s: not a regular file", fifo);
	struct err e = { 0 };
	struct jsonc *c = NULL;
	unsigned line, col;

	is_int(jsonc_load(none, NULL, &c, &e), -1, "no file");
	is_str(e.msg, want, "and says so, quoted");
	is_int(mkfifo(fifo, 0600), 0, "a pipe in its place");
	is_int(jsonc_load(fifo, NULL, &c, &e), -1, "does not hang");
	is_str(e.msg, wantfifo, "and says why");
	good = write_file("good.jsonc", "// x\n{\n\t\"a\": [true,\n\t\t7] }");
	is_int(jsonc_load(good, NULL, &c, &e), 0, e.msg);
	jsonc_where(c, json_next(json_first(json_get(jsonc_root(c), "a"))), &line, &col);
	is_int(line, 4, "line of a value");
	is_int(col, 3, "column of a value");
	is_int(jsonc_err(c, json_get(jsonc_root(c), "a"), &e, "no %s", "good"), -1, "error of the caller");
	ok(strstr(e.msg, "good.jsonc:3:7: no good") != NULL, e.msg);
	is_str(jsonc_name(c), good, "name");
	jsonc_free(c);
	unlink(fifo);
	free(good);
	free(wantfifo);
	free(want);
	free(none);
	free(fifo);
}

/* Any cut of a good text is refused, never read past its end. */
static void test_cut(void)
{
	static const char text[] = "{/*c*/\"k\":[1,// x\n2,],\"s\":\"a\\\"b\",}";
	bool all = true;

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = xmemdup0(text, n);
		struct jsonc *c = NULL;

		all = all && jsonc_parse("f", copy, n, NULL, &c, NULL) < 0;
		jsonc_free(c);
		free(copy);
	}
	ok(all, "every cut text is refused");
}

int main(void)
{
	char *cmd;

	if (!mkdtemp(dir))
		return 1;
	test_syntax();
	test_schema();
	test_bad_schema();
	test_load();
	test_cut();
	cmd = xasprintf("rm -rf %s", dir);
	ok(system(cmd) == 0, "cleaned up");
	free(cmd);
	return tap_done();
}

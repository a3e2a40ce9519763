#include "intercept/live.h"
#include "tap.h"

static void test_values(void)
{
	struct live *l = live_new();
	const char *const *names;

	is_int(live_get(l, LIVE_VAR, "X")->state, LIVE_UNKNOWN, "a name is unknown until it was asked for");
	is_int(live_wanted(l, LIVE_VAR, &names), 1, "and is wanted");
	is_str(names[0], "X", "by its name");
	live_get(l, LIVE_VAR, "X");
	is_int(live_wanted(l, LIVE_VAR, &names), 1, "once");
	is_int(live_set(l, LIVE_VAR, "X", "a b"), 0, "set");
	is_str(live_get(l, LIVE_VAR, "X")->text, "a b", "a value");
	live_wanted_clear(l);
	is_int(live_wanted(l, LIVE_VAR, &names), 0, "nothing is wanted after clear");
	live_set_unset(l, LIVE_VAR, "X");
	is_int(live_get(l, LIVE_VAR, "X")->state, LIVE_UNSET, "unset is an answer");
	is_int(live_get(l, LIVE_ALIAS, "X")->state, LIVE_UNKNOWN, "kinds are apart");
	live_set_complete(l, LIVE_ALIAS, true);
	is_int(live_get(l, LIVE_ALIAS, "Y")->state, LIVE_UNSET, "a miss is unset when all is known");
	live_free(l);
}

static void test_declare(void)
{
	static const char text[] = "declare -x HOME=\"/home/dev\"\ndeclare -ar A=([0]=\"x\" [2]=\"y \\\"z\\\"\")\n"
				   "declare -A M=([k]=\"v\" [\"a b\"]=\"w\" )\ndeclare -- Q=$'a\\nb\\001'\ndeclare -i N=\"5\"\n"
				   "declare -- nothing\nalias ll='ls -l'\nalias q='it'\\''s'\n";
	struct live *l = live_new();
	const struct live_value *v;

	is_int(live_parse_declare(l, text, sizeof(text) - 1), 0, "declare -p and alias -p are read");
	v = live_get(l, LIVE_VAR, "HOME");
	ok(v->exported && !v->is_readonly, "flags");
	is_str(v->text, "/home/dev", "scalar");
	v = live_get(l, LIVE_VAR, "A");
	is_int(v->state, LIVE_ARRAY, "array");
	ok(v->is_readonly, "readonly array");
	is_str(v->n == 2 ? v->key[1] : "", "2", "index");
	is_str(v->n == 2 ? v->val[1] : "", "y \"z\"", "element with quotes");
	v = live_get(l, LIVE_VAR, "M");
	is_int(v->state, LIVE_ASSOC, "associative array");
	is_str(v->n == 2 ? v->key[1] : "", "a b", "quoted key");
	is_str(live_get(l, LIVE_VAR, "Q")->text, "a\nb\001", "$'..'");
	ok(live_get(l, LIVE_VAR, "N")->integer, "integer");
	is_int(live_get(l, LIVE_VAR, "nothing")->state, LIVE_UNSET, "declared without a value");
	is_str(live_get(l, LIVE_ALIAS, "ll")->text, "ls -l", "alias");
	is_str(live_get(l, LIVE_ALIAS, "q")->text, "it's", "alias with a quote");
	live_free(l);
}

static void test_bad(void)
{
	static const char *const bad[] = { "hello", "declare -- X=\"no end", "declare -a A=([0]=\"x\"", "declare -- X=\"a\" rest",
					   "declare", "declare -- =x", "alias x", "declare -a A=(x)" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct live *l = live_new();

		is_int(live_parse_declare(l, bad[i], strlen(bad[i])), -1, bad[i]);
		live_free(l);
	}
}

static void test_limit(void)
{
	struct live *l = live_new();
	char *big = xcalloc(1, LIVE_MAX + 1);

	memset(big, 'x', LIVE_MAX);
	is_int(live_set(l, LIVE_VAR, "BIG", big), -1, "past LIVE_MAX is refused");
	is_int(live_get(l, LIVE_VAR, "BIG")->state, LIVE_UNKNOWN, "and stays unknown");
	is_int(live_set(l, LIVE_VAR, "SMALL", "x"), 0, "a small one still fits");
	free(big);
	live_free(l);
}

int main(void)
{
	test_values();
	test_declare();
	test_bad();
	test_limit();
	return tap_done();
}

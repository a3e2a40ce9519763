/* tests/unit/rules.c - sbxterm-rules(7) lists every rule that the judge can give, and no other */
#include "judge_help.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/io.h"
#include "intercept/describe.h"
#include "intercept/policy.h"

#define RULES_MAX 400

static struct listed {
	char	 id[64], verdicts[64];
	bool	 seen[ACTION_COUNT];
	bool	 line;			/* a line of meaning stands below it */
} listed[RULES_MAX];
static size_t nlisted;

static struct listed *find(const char *id)
{
	for (size_t i = 0; i < nlisted; i++) {
		if (!strcmp(listed[i].id, id))
			return &listed[i];
	}
	return NULL;
}

/* ".It Sy fs.read Pq ask, allow" with the meaning below. */
static void read_manual(void)
{
	FILE *f = fopen("man/sbxterm-rules.7", "r");
	struct listed *last = NULL;
	char line[512];

	ok(f != NULL, "the manual");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		struct listed *l = &listed[nlisted];

		if (sscanf(line, ".It Sy %63s Pq %63[^\n]", l->id, l->verdicts) == 2) {
			ok(!find(l->id), l->id);
			ok(!last || strcmp(last->id, l->id) < 0, "in order");
			last = &listed[nlisted++];
		} else if (last && line[0] != '.') {
			last->line = true;
		}
	}
	fclose(f);
}

static void compare(void)
{
	struct policy_rule r;

	for (size_t i = 0; policy_rule(i, &r); i++) {
		struct listed *l = find(r.id);

		if (!ok(l != NULL, r.id))
			continue;
		l->seen[r.action] = true;
		ok(strstr(l->verdicts, action_name[r.action]) != NULL, r.id);
		ok(r.action == ACTION_ALLOW ? !r.safer : r.safer && *r.safer, r.id);
	}
	for (size_t i = 0; i < nlisted; i++) {
		ok(listed[i].line, listed[i].id);
		for (int a = 0; a < ACTION_COUNT; a++)
			is_int(listed[i].seen[a], strstr(listed[i].verdicts, action_name[a]) != NULL, listed[i].id);
	}
}

/* What is written into the sources by hand must be in the list too: `rule = "a.b"`, and what is handed on as a rule. */
static void scan_source(const char *path)
{
	static const char *const before[] = { "rule = \"", "internal(&g->verdict, \"", "->rule : \"" };
	struct buf text;

	buf_init(&text, 4u << 20);
	if (ok(io_slurp(path, &text, NULL) == 0, path)) {
		for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
			for (const char *s = buf_str(&text); (s = strstr(s, before[i])); ) {
				char id[64];

				s += strlen(before[i]);
				snprintf(id, sizeof(id), "%.*s", (int)strcspn(s, "\""), s);
				ok(find(id) != NULL, id);
			}
		}
	}
	buf_done(&text);
}

static void scan_sources(void)
{
	DIR *d = opendir("intercept");
	struct dirent *de;
	size_t n = 0;

	while (d && (de = readdir(d))) {
		char path[300];

		if (!strstr(de->d_name, ".c"))
			continue;
		snprintf(path, sizeof(path), "intercept/%s", de->d_name);
		scan_source(path);
		n++;
	}
	if (d)
		closedir(d);
	ok(n > 20, "the sources are there");
}

static const struct { const char *line, *rule, *world; } cases[] = {
	{ "ls", "allow", NULL },
	{ "echo 'no end", "parse.error", NULL },
	{ "echo \xe2\x80\xae x", "text.hidden", NULL },
	{ "dir", "allow", "{\"shell\":\"fish\"}" },
	{ "curl https://example.org", "net.host", NULL },
	{ "mv src /dev/null", "fs.move.sink", NULL },
	{ "nosuchprogram x", "unknown.program", NULL },
};

/* Whatever is judged gets a rule that is listed, and a safer way where it is stopped. */
static void judge_one(struct bench *b, const char *line, const char *world)
{
	const struct verdict *v = bench_judge(b, line, world);
	const struct listed *l = v->rule ? find(v->rule) : NULL;

	if (!l || !strstr(l->verdicts, action_name[v->action]) || (v->action != ACTION_ALLOW && !v->safer)) {
		ok(false, line);
		printf("#   %s %s\n", action_name[v->action], v->rule);
	}
}

static void judged(struct bench *b)
{
	struct programs *p = NULL;
	const struct program_example *x;
	struct err e = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		is_str(bench_judge(b, cases[i].line, cases[i].world)->rule, cases[i].rule, cases[i].line);
		judge_one(b, cases[i].line, cases[i].world);
	}
	if (!ok(programs_load("conf/programs", "conf/schema/program.schema.json", &p, &e) == 0, e.msg))
		return;
	for (; (x = programs_example(p, n)); n++)
		judge_one(b, x->line, NULL);
	ok(n > 0, "examples are judged");
	programs_free(p);
}

/* ---- the same for the words of `programs show` ---- */

static void hooks_of(const struct node *n)
{
	if (n->special && *n->special)
		ok(describe_hook(n->special) != NULL, n->special);
	for (size_t i = 0; i < n->nsub; i++)
		hooks_of(&n->sub[i]);
}

static void words(void)
{
	struct programs *p = NULL;
	struct err e = { 0 };
	const char *name;

	for (int v = 0; v < VERB_COUNT; v++)
		ok(describe_knows_verb((enum verb)v), "a word for each verb");
	for (int k = 0; k < EFFECT_KIND_COUNT; k++)
		ok(describe_knows_effect((enum effect_kind)k), "a word for each effect");
	if (!ok(programs_load("conf/programs", "conf/schema/program.schema.json", &p, &e) == 0, e.msg))
		return;
	for (size_t i = 0; (name = programs_name(p, i)); i++) {
		const struct node *n = programs_find(p, name);
		CLEANUP(cleanup_freep) char *summary = describe_summary(n);
		struct buf out;

		hooks_of(n);
		buf_init(&out, 1u << 20);
		describe_program(&out, n, name, 40);
		ok(*summary && out.len && !out.full, name);
		buf_done(&out);
	}
	programs_free(p);
}

int main(void)
{
	struct bench b;

	read_manual();
	ok(nlisted > 60, "the manual lists rules");
	compare();
	scan_sources();
	if (bench_init(&b))
		judged(&b);
	bench_done(&b);
	words();
	return tap_done();
}

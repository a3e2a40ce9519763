/* tests/unit/tasks.c - make targets, package scripts, script files: what is in them counts, and is named */
#include "judge_help.h"

#define MAKE	"{\"content\":{\"Makefile\":\"OUT ?= build\\n# a comment: x\\nall: gen\\n\\tcc x.c\\ngen: ; echo gen\\nclean:\\n\\t-rm -rf $(OUT) *.o\\n" \
		"bad: \\\\\\n all\\n\\t@rm -rf $(NOPE)/\\nneeds: bad\\napply:\\n\\tkubectl apply -f x\\nloop: loop\\n\\t$(MAKE) loop\\n" \
		"odd:\\n\\tfrob; x=1; echo $$x $@\\nlist:\\n\\trm -rf $(wildcard /)\\n\\\"unfinished: $(\\n\\techo\\n\"}}"
#define PACKAGE	"{\"content\":{\"package.json\":\"{\\\"scripts\\\":{\\\"build\\\":\\\"tsc && frob build\\\",\\\"wipe\\\":\\\"rimraf ~\\\",\\\"test\\\":\\\"vitest\\\"," \
		"\\\"pretest\\\":\\\"rm -rf /\\\",\\\"x\\\":\\\"bash s.sh\\\",\\\"self\\\":\\\"npm run self\\\"}}\",\"s.sh\":\"echo a\\n\\nrm -rf \\\"$UNSET/\\\"\\n\"," \
		"\"own.sh\":\"frob\\nrm -rf src\\ncurl https://x.example\\n\",\"push.sh\":\"ls\\ngit push\\n\",\"home.sh\":\"echo x >> ~/.bashrc\\n\"}}"

static const struct { const char *line, *world; enum action want; const char *reason; } cases[] = {
	{ "make",			MAKE,		ACTION_ALLOW,	NULL },
	{ "make clean",			MAKE,		ACTION_ALLOW,	NULL },
	{ "make bad",			MAKE,		ACTION_DENY,	"Makefile line 10: deletes /, " },
	{ "make needs",			MAKE,		ACTION_DENY,	"Makefile line 10: deletes /, " },
	{ "make bad NOPE=build",	MAKE,		ACTION_ALLOW,	NULL },
	{ "make OUT=/ clean",		MAKE,		ACTION_DENY,	"Makefile line 7: deletes /, " },
	{ "make -n bad",		MAKE,		ACTION_ALLOW,	NULL },
	{ "make apply",			MAKE,		ACTION_ASK,	"Makefile line 13: " },
	{ "make loop",			MAKE,		ACTION_ALLOW,	NULL },
	{ "make odd",			MAKE,		ACTION_ALLOW,	NULL },
	{ "make list",			MAKE,		ACTION_ALLOW,	NULL },	/* make's functions are not followed */
	{ "cd sub && make bad",		MAKE,		ACTION_ALLOW,	NULL },	/* another directory's file */
	{ "make -f - <<< $'a:\\n\\trm -rf /'", NULL,	ACTION_DENY,	"standard input line 2: " },
	{ "npm run build",		PACKAGE,	ACTION_ALLOW,	NULL },
	{ "npm run wipe",		PACKAGE,	ACTION_DENY,	"package.json, script wipe: deletes /home/dev, " },
	{ "npm test",			PACKAGE,	ACTION_DENY,	"package.json, script pretest: deletes /, " },
	{ "npm t",			PACKAGE,	ACTION_DENY,	"package.json, script pretest: deletes /, " },
	{ "yarn wipe",			PACKAGE,	ACTION_DENY,	"package.json, script wipe: " },
	{ "pnpm run wipe",		PACKAGE,	ACTION_DENY,	"package.json, script wipe: " },
	{ "npm run x",			PACKAGE,	ACTION_DENY,	"s.sh line 3: deletes /, " },
	{ "npm run self",		PACKAGE,	ACTION_ALLOW,	NULL },
	{ "bash s.sh",			PACKAGE,	ACTION_DENY,	"s.sh line 3: deletes /, " },
	{ "source s.sh",		PACKAGE,	ACTION_DENY,	"s.sh line 3: deletes /, " },
	/* what a script does to its own project is its business; beyond it is not */
	{ "./own.sh",			PACKAGE,	ACTION_ALLOW,	NULL },
	{ "./push.sh",			PACKAGE,	ACTION_ASK,	"push.sh line 2: " },
	{ "./home.sh",			PACKAGE,	ACTION_ASK,	"home.sh line 1: " },
};

static void flat(struct bench *b)
{
	static const char world[] = "{\"content\":{\"a.sh\":\"./b.sh\\n\",\"b.sh\":\"./a.sh\\n\"}}";

	is_int(bench_judge(b, "./a.sh", world)->action, ACTION_ALLOW, "files that run each other come to an end");
}

int main(void)
{
	struct bench b;

	if (bench_init(&b)) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			const struct verdict *v = bench_judge(&b, cases[i].line, cases[i].world);

			if (!ok(v->action == cases[i].want, cases[i].line))
				printf("#   got %s (%s: %s)\n", action_name[v->action], v->rule, v->reason);
			if (cases[i].reason && !ok(!strncmp(v->reason, cases[i].reason, strlen(cases[i].reason)), cases[i].reason))
				printf("#   got %s\n", v->reason);
		}
		flat(&b);
	}
	bench_done(&b);
	return tap_done();
}

/* tests/unit/effects.c - words of a command -> effects */
#include "judge_help.h"

static bool has(const struct verdict *v, enum effect_kind kind, const char *path)
{
	for (size_t i = 0; i < v->neffect; i++) {
		const struct effect *e = &v->effect[i];

		if (e->kind == kind && (!path || (e->path && e->path->text && !strcmp(e->path->text, path))))
			return true;
	}
	return false;
}

static const struct { const char *line; enum effect_kind kind; const char *path; } cases[] = {
	{ "cp -t dir a b",			EFFECT_OVERWRITE,	"dir" },
	{ "cp --target=dir a b",		EFFECT_OVERWRITE,	"dir" },
	{ "cp a -r b",				EFFECT_OVERWRITE,	"b" },
	{ "rm -- -rf",				EFFECT_DELETE,		"-rf" },
	{ "rm >/dev/null -rf x",		EFFECT_DELETE,		"x" },
	{ "sort a -o b",			EFFECT_OVERWRITE,	"b" },
	{ "sort -ob a",				EFFECT_OVERWRITE,	"b" },
	{ "sed -i.bak s/a/b/ f",		EFFECT_WRITE,		"f" },
	{ "sed -n -e 'w out' f",		EFFECT_OVERWRITE,	"out" },
	{ "tar cfz a.tgz src",			EFFECT_OVERWRITE,	"a.tgz" },
	{ "tar -C sub -xzf a.tgz",		EFFECT_OVERWRITE,	"." },
	{ "dd of=x if=y",			EFFECT_OVERWRITE,	"x" },
	{ "find a b -name '*.x' -delete",	EFFECT_DELETE,		"a/*.x" },
	{ "sudo -u x env A=1 nice -n 5 rm y",	EFFECT_DELETE,		"y" },
	{ "xargs -I{} rm {}.o <<< a",		EFFECT_DELETE,		"a.o" },
	{ "python3 -c \"import os; os.remove('x')\"", EFFECT_DELETE,	"x" },
	{ "python3 -c \"open('o','w')\"",	EFFECT_OVERWRITE,	"o" },
	{ "node -e \"fs.unlinkSync('x')\"",	EFFECT_DELETE,		"x" },
	{ "perl -e 'unlink \"x\"'",		EFFECT_DELETE,		"x" },
	{ "awk '{print > \"o\"}' f",		EFFECT_OVERWRITE,	"o" },
	{ "curl -so f https://x.example/a",	EFFECT_OVERWRITE,	"f" },
	{ "curl https://x.example/a",		EFFECT_NET,		NULL },
	{ "git archive -o a.tgz HEAD",		EFFECT_OVERWRITE,	"a.tgz" },
	{ "bash -c 'rm \"$0\"' x",		EFFECT_DELETE,		"x" },
	{ "echo 'rm x' | base64 | base64 -d | sh", EFFECT_UNKNOWN,	NULL },
	{ "echo cm0geAo= | base64 -d | sh",	EFFECT_DELETE,		"x" },
	{ "printf 'rm x\\n' > s.sh; sh s.sh",	EFFECT_DELETE,		"x" },
};

/* Things that only look dangerous. */
static const struct { const char *line; enum effect_kind not; } quiet[] = {
	{ "python3 -c \"x.remove('a')\"",	EFFECT_DELETE },
	{ "python3 -c \"print('os.system(1)')\"", EFFECT_UNKNOWN },
	{ "python3 -c \"import re; re.compile(p)\"", EFFECT_UNKNOWN },
	{ "sed 's/e/w/' f",			EFFECT_OVERWRITE },
	{ "awk '$2 > 10' f",			EFFECT_OVERWRITE },
	{ "git log --grep='push --force'",	EFFECT_GIT_FORCE },
	{ "rm --help",				EFFECT_DELETE },
	{ "kill -0 1",				EFFECT_PROCESS },
	{ "psql -c \"SELECT 'drop x'\"",	EFFECT_SYSTEM },
};

int main(void)
{
	struct bench b;

	if (bench_init(&b)) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			ok(has(bench_judge(&b, cases[i].line, NULL), cases[i].kind, cases[i].path), cases[i].line);
		for (size_t i = 0; i < ARRAY_SIZE(quiet); i++)
			ok(!has(bench_judge(&b, quiet[i].line, NULL), quiet[i].not, NULL), quiet[i].line);
	}
	bench_done(&b);
	return tap_done();
}

/* tests/unit/programs.c - the data files: they load, their examples hold, mistakes have a place */
#include "judge_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intercept/programs.h"

/* ---- which descriptions have examples ---- */

#define NODES_MAX	2000
/* Descriptions that do something, of which an example shows the harmless and the dangerous form; and of which there is
 * none at all. A ratchet: a new description brings its examples. */
#define BOTH_LEAST	342
#define NONE_MOST	0

static struct {
	const struct node	*node;
	const char		*name;
	bool			 harmless, stopped;
} nodes[NODES_MAX];
static size_t nnodes;

static bool acts_do_something(const struct acts *a)
{
	for (size_t i = 0; a && i < a->n; i++) {
		if (a->act[i].verb != VERB_DATA && a->act[i].verb != VERB_CHDIR)
			return true;
	}
	return false;
}

static bool does_something(const struct node *n)
{
	bool any = (n->special && *n->special) || acts_do_something(&n->does);

	for (size_t i = 0; i < n->noption && !any; i++)
		any = acts_do_something(n->option[i].acts);
	for (size_t i = 0; i < n->noperands && !any; i++)
		any = acts_do_something(&(struct acts){ n->operands[i].slot, n->operands[i].n });
	for (size_t i = 0; i < n->nsub && !any; i++)
		any = does_something(&n->sub[i]);
	return any;
}

/* Once for each description, though it has many names. */
static void add_nodes(struct programs *p)
{
	const char *name;

	for (size_t i = 0; (name = programs_name(p, i)); i++) {
		const struct node *n = programs_find(p, name);
		size_t k = 0;

		while (k < nnodes && nodes[k].node != n)
			k++;
		if (k == nnodes && nnodes < NODES_MAX)
			nodes[nnodes++].node = n, nodes[k].name = name;
	}
}

static void mark(struct programs *p, const struct verdict *v)
{
	for (size_t i = 0; i < v->ncmd; i++) {
		const struct simple *s = v->cmd[i];
		const char *text = s->argc && s->argv[0].kind == WORD_EXACT ? s->argv[0].text : "";
		const struct node *n = programs_find(p, s->known ? s->known : strrchr(text, '/') ? strrchr(text, '/') + 1 : text);

		for (size_t k = 0; n && k < nnodes; k++) {
			if (nodes[k].node == n && v->action == ACTION_ALLOW)
				nodes[k].harmless = true;
			else if (nodes[k].node == n)
				nodes[k].stopped = true;
		}
	}
}

static void coverage(void)
{
	size_t both = 0, none = 0;
	bool enough, few;

	for (size_t k = 0; k < nnodes; k++) {
		if (!does_something(nodes[k].node))
			continue;
		both += nodes[k].harmless && nodes[k].stopped;
		none += !nodes[k].harmless && !nodes[k].stopped;
	}
	enough = ok(both >= BOTH_LEAST, "descriptions with a harmless and a dangerous example");
	few = ok(none <= NONE_MOST, "descriptions without any");
	if (enough && few)
		return;
	printf("#   %zu have both, %zu have none:", both, none);
	for (size_t k = 0; k < nnodes; k++) {
		if (does_something(nodes[k].node) && !nodes[k].harmless && !nodes[k].stopped)
			printf(" %s", nodes[k].name);
	}
	putchar('\n');
}

static void examples(struct bench *b)
{
	struct programs *p = NULL;
	struct err e = { 0 };
	const struct program_example *x;
	size_t n = 0;

	/* all of them by the schema; the judge reads only what a line names */
	if (!ok(programs_load("conf/programs", "conf/schema/program.schema.json", &p, &e) == 0, e.msg))
		return;

	add_nodes(p);
	for (; (x = programs_example(p, n)); n++) {
		const struct verdict *v = bench_judge(b, x->line, NULL);

		mark(p, v);
		if (!ok(!strcmp(action_name[v->action], x->verdict), x->line))
			printf("#   %s:%u:%u: got %s (%s: %s), want %s\n", x->file, x->at_line, x->at_column, action_name[v->action],
			       v->rule, v->reason, x->verdict);
	}
	ok(n > 800, "there are examples");
	coverage();
	ok(programs_count(p) >= 400, "at least 400 programs are known");
	programs_free(p);
}

static const struct { const char *text, *message; } bad[] = {
	{ "{\"programs\":{\"x\":{\"does\":\"explode now\"}}}", "found the verb \"explode\"" },
	{ "{\"programs\":{\"x\":{\"operands\":[\"read*\",\"write*\"]}}}", "expected only one that takes many words" },
	{ "{\"programs\":{\"x\":{\"does\":\"[!=] publish y\"}}}", "found a bad condition" },
	{ "{\"programs\":{\"x\":{\"colour\":\"red\"}}}", ":1:" },
	{ "{\"programs\":{\"x\":{}, \"y x\":{}}}", "twice" },
	{ "{\"programs\":[]}", ":1:" },
	{ "{", ":1:" },
};

/* Without a schema: mistakes in a description make its program unknown, not more; a file that is none is a mistake. */
static const struct { const char *text; bool loads, known; } lazy[] = {
	{ "{\"programs\":{\"x\":{\"does\":\"publish y\"}}}", true, true },
	{ "// a comment\n{ \"about\": \"{ } ] \\\" [\", \"programs\": { \"a  x\" : { \"sub\": { \"y\": \"\" } }, } , \"examples\": [[\"}\",\"ask\"]] }", true, true },
	{ "{\"programs\":{\"y\":{}}}", true, false },
	{ "{\"programs\":{\"x\":{\"does\":\"explode now\"}}}", true, false },
	{ "{\"programs\":{\"x\":{\"does\":[1]}}}", true, false },
	{ "{\"programs\":{\"x\":{\"operands\":[{}]}}}", true, false },
	{ "{\"programs\":{\"x\":{,}}}", true, false },
	{ "{\"programs\":{\"x\":{}, \"y x\":{}}}", false, false },
	{ "{\"programs\":{\"x\":{}", false, false },
	{ "{\"programs\":{\"x", false, false },
	{ "{\"programs\":{\"x\\\"\":{}}}", false, false },
	{ "{\"programs\":{\"x\":}}", false, false },
	{ "[", false, false },
	{ "", false, false },
};

static void lazily(const char *dir, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(lazy); i++) {
		FILE *f = fopen(path, "w");
		struct programs *p = NULL;
		struct err e = { 0 };
		bool loaded;

		if (!ok(f != NULL, path))
			return;
		fputs(lazy[i].text, f);
		fclose(f);
		loaded = programs_load(dir, NULL, &p, &e) == 0;
		ok(loaded == lazy[i].loads, lazy[i].text);
		if (loaded)
			ok((programs_find(p, "x") != NULL) == lazy[i].known, lazy[i].text);
		programs_free(p);
	}
}

static void mistakes(void)
{
	char dir[] = "/tmp/programs-test-XXXXXX", path[64];

	if (!ok(mkdtemp(dir) != NULL, "a directory"))
		return;
	snprintf(path, sizeof(path), "%s/x.json", dir);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		FILE *f = fopen(path, "w");
		struct programs *p = NULL;
		struct err e = { 0 };

		if (!ok(f != NULL, path))
			return;
		fputs(bad[i].text, f);
		fclose(f);
		if (ok(programs_load(dir, "conf/schema/program.schema.json", &p, &e) < 0, bad[i].text) &&
		    !ok(strstr(e.msg, bad[i].message) != NULL, bad[i].message))
			printf("#   said: %s\n", e.msg);
		programs_free(p);
	}
	lazily(dir, path);
	ok(programs_load("/nonexistent", NULL, &(struct programs *){ NULL }, NULL) < 0, "a missing directory is a mistake");
	unlink(path);
	rmdir(dir);
}

/* ---- files that are added ---- */

static const struct { const char *text, *message; } added[] = {
	{ "{\"programs\":{\"mytool\":{\"sub\":{\"up\":\"publish x\",\"*\":\"\"}}}}", NULL },
	{ "{\"programs\":{\"one two\":{\"special\":\"pip\"}},\"examples\":[[\"one\",\"ask\"]]}", NULL },
	{ "{\"replace\":true,\"programs\":{\"kubectx\":{}}}", NULL },
	{ "{\"programs\":{\"git-mine\":{}}}", NULL },
	{ "{\n\"programs\":{\n  \"mytool\":{\"does\":\"explode now\"}}}", "x.json:3:20: found the verb" },
	{ "{\"programs\":{\"mytool\":{\"special\":\"nosuch\"}}}", ":1:34: found \"nosuch\", expected the name of a hook" },
	{ "{\"programs\":{\"kubectx\":{}}}", "describes, expected a new name, or \"replace\": true" },
	{ "{\"programs\":{\"rm\":{}}}", "which rules that deny rest on" },
	{ "{\"replace\":true,\"programs\":{\"rm\":{}}}", "which rules that deny rest on" },
	{ "{\"replace\":true,\"programs\":{\"x cat\":{}}}", "which rules that deny rest on" },
	{ "{\"replace\":true,\"programs\":{\"git-push\":{}}}", "which rules that deny rest on (git)" },
	{ "{\"replace\":true,\"programs\":{\"eval\":{}}}", "which rules that deny rest on" },
	{ "{\"replace\":true,\"prefix\":\"r\",\"programs\":{\"m\":{}}}", "which rules that deny rest on" },
	{ "{\"programs\":{\"a/b\":{}}}", "expected the name of a program without its directory" },
	{ "{\"programs\":{\"a*\":{}}}", "expected the name of a program without its directory" },
	{ "{\"programs\":{\"a\xd1\x81\":{}}}", "expected plain letters" },
	{ "{\"programs\":{\"tw tw\":{}}}", "found \"tw\" twice" },
	{ "{\"programs\":{\"tw\":{},\"a tw\":{}}}", "found \"tw\" twice" },
	{ "{\"programs\":{\" \":{}}}", "found no name" },
	{ "{\"programs\":{},\"examples\":[[\"a\",\"maybe\"]]}", "expected \"allow\", \"ask\" or \"deny\"" },
	{ "{\"programs\":{},\"colour\":1}", "found the key \"colour\"" },
	{ "{", ":1:" },
};

static int add(const char *path, struct programs **p, struct err *e)
{
	*p = NULL;
	if (!ok(programs_load("conf/programs", NULL, p, e) == 0, e->msg))
		return -1;
	return programs_add(*p, path, "conf/schema/program.schema.json", e);
}

static void additions(void)
{
	char dir[] = "/tmp/programs-added-XXXXXX", path[64];
	struct programs *p;
	struct err e = { 0 };

	if (!ok(mkdtemp(dir) != NULL, "a directory"))
		return;
	snprintf(path, sizeof(path), "%s/x.json", dir);
	for (size_t i = 0; i < ARRAY_SIZE(added); i++) {
		FILE *f = fopen(path, "w");
		int rc;

		if (!ok(f != NULL, path))
			return;
		fputs(added[i].text, f);
		fclose(f);
		chmod(path, 0644);
		rc = add(path, &p, &e);
		is_int(rc, added[i].message ? -1 : 0, added[i].text);
		if (rc < 0 && added[i].message && !ok(strstr(e.msg, added[i].message) != NULL, added[i].message))
			printf("#   said: %s\n", e.msg);
		if (rc == 0)
			ok(!programs_added(p, "rm") && programs_file(p, "rm") && !programs_file(p, "nosuchprogram"), "the shipped ones stay");
		if (!i) {
			ok(programs_find(p, "mytool") && programs_added(p, "mytool"), "a new one is known");
			is_str(programs_file(p, "mytool"), path, "by its file");
		}
		programs_free(p);
	}
	chmod(path, 0664);
	is_int(add(path, &p, &e), -1, "a file that the group may write");
	ok(strstr(e.msg, "chmod go-w") != NULL, e.msg);
	programs_free(p);
	chmod(path, 0644);
	if (geteuid() == 0 && chown(path, 4242, 4242) == 0) {
		is_int(add(path, &p, &e), -1, "a file of somebody else");
		ok(strstr(e.msg, "expected root or you") != NULL, e.msg);
		programs_free(p);
	}
	unlink(path);
	is_int(add(path, &p, &e), -1, "no file");
	programs_free(p);
	rmdir(dir);
}

int main(void)
{
	struct bench b;

	if (bench_init(&b))
		examples(&b);
	bench_done(&b);
	mistakes();
	additions();
	return tap_done();
}

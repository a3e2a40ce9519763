/* libFuzzer: any text through parse and expand, with a world that knows nothing. */
#include "intercept/expand.h"

static enum world_type type(void *arg, const char *path)
{
	(void)arg;
	(void)path;
	return WORLD_UNKNOWN;
}

static int list(void *arg, const char *dir, world_name_fn *fn, void *fnarg)
{
	(void)arg;
	(void)dir;
	(void)fn;
	(void)fnarg;
	return -1;
}

static const char *none(void *arg, const char *path)
{
	(void)arg;
	(void)path;
	return NULL;
}

static const struct world world = { .type = type, .list = list, .git_root = none, .git_branch = none };

struct fuzz {
	struct expand	*x;
	size_t		 nested;
};

/* Every exact second word is taken for code, so that nested text is reached often. */
static int on_simple(void *arg, const struct simple *s)
{
	struct fuzz *f = arg;
	const char *text = s->argc > 1 ? s->argv[1].text : NULL;
	size_t len = 0;

	while (text && text[len])
		len++;
	if (!text || s->argv[1].kind != WORD_EXACT || f->nested++ > 20)
		return 0;
	return expand_nested(f->x, s, text, len, s->span, s->argc & 1, s->argv + 1, s->argc - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cmdline line = { .text = (const char *)data, .len = size, .cwd = "/w", .workspace = "/w", .home = "/home/dev" };
	struct live *l = live_new();
	struct fuzz f = { 0 };
	struct arena a;
	struct expand_in in = { .line = &line, .live = l, .world = &world, .arena = &a, .fn = on_simple, .arg = &f };

	arena_init(&a, 8u << 20);
	if (size && data[0] & 1) {
		for (int k = 0; k < LIVE_KIND_COUNT; k++)
			live_set_complete(l, (enum live_kind)k, true);
		live_set(l, LIVE_ALIAS, "ll", "ls -l ");
		live_set(l, LIVE_FUNCTION, "f", "f () { p \"$@\"; }");
	}
	f.x = expand_new(&in);
	if (f.x)
		expand_line(f.x);
	expand_first_command(line.text, size);
	arena_done(&a);
	live_free(l);
	return 0;
}

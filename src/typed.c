#include "typed.h"

#include "base/io.h"

#define QUIET_NS	(TYPED_QUIET_MS * (uint64_t)1000000)

static uint64_t now(const struct typed *t)
{
	return t->clock ? t->clock() : io_now_ns();
}

void typed_drop(struct typed *t)
{
	t->held = ANSWER_NONE;
}

void typed_read(struct typed *t, size_t len)
{
	uint64_t at = now(t);

	typed_drop(t);
	t->quiet = !t->last || at - t->last >= QUIET_NS;
	t->last = MAX(at, (uint64_t)1);
	t->len = len;
}

static bool refuses_at_once(const struct key *k)
{
	return (k->kind == KEY_NAMED && k->name == KEYN_ESCAPE) ||
	       (k->kind == KEY_CHAR && k->cp == 'c' && k->mod == KEY_CTRL);
}

/* Scrolling may come as fast as it likes. */
static bool must_be_alone(const struct key *k)
{
	return k->kind == KEY_CHAR || (k->kind == KEY_NAMED && k->name == KEYN_ENTER);
}

enum answer typed_key(struct typed *t, struct screen *s, const struct key *k)
{
	if (refuses_at_once(k))
		return screen_banner_key(s, k);
	if (must_be_alone(k) && (!t->quiet || k->nraw != t->len))
		return ANSWER_NONE;
	t->held = screen_banner_key(s, k);
	t->held_at = now(t);
	return ANSWER_NONE;
}

bool typed_holds(const struct typed *t)
{
	return t->held != ANSWER_NONE;
}

enum answer typed_take(struct typed *t)
{
	enum answer a = t->held;

	if (now(t) - t->held_at < QUIET_NS)
		return ANSWER_NONE;
	typed_drop(t);
	return a;
}

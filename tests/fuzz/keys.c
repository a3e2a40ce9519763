/* Anything that a terminal may send is decoded alike however it is cut, and can be encoded for any pane. */
#include <string.h>

#include "term/keys.h"

struct sum { uint64_t h; bool in_paste; struct pane_modes modes; };

static void add(struct sum *s, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		s->h = (s->h ^ b[i]) * 1099511628211u;
}

static void on_key(void *arg, const struct key *k)
{
	struct sum *s = arg;
	struct buf out;

	buf_init(&out, 1 << 24);
	keys_encode(k, &s->modes, &out);
	if (out.full)
		abort();
	if (k->kind != KEY_PASTE) {
		int v[] = { (int)k->kind, (int)k->name, (int)k->cp, (int)k->mod, k->row, k->col, k->button, k->press,
			    k->motion };

		if (k->cp > 0x10ffff || k->nraw > 4096)
			abort();
		add(s, v, sizeof(v));
		add(s, k->raw, k->nraw);
	}
	/* How many pieces a paste has depends on the feeds, what is in them does not. */
	add(s, buf_str(&out), out.len);
	buf_done(&out);
}

static uint64_t run(const uint8_t *data, size_t size, size_t step, const struct pane_modes *m)
{
	struct sum sum = { .h = 14695981039346656037u, .modes = *m };
	struct keys *k = keys_new(on_key, &sum);

	for (size_t i = 0; i < size; i += step)
		keys_feed(k, (const char *)data + i, MIN(step, size - i));
	keys_timeout(k);
	keys_free(k);
	return sum.h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pane_modes m = { .bracketed_paste = true };
	uint64_t whole;

	if (!size)
		return 0;
	m.kitty_keys = data[0] & 25;
	m.modify_other_keys = data[0] >> 1 & 3;
	m.mouse = (enum pane_mouse)(data[0] >> 5 & 3);
	m.mouse_sgr = m.app_cursor = m.focus = data[0] >> 7;
	whole = run(data + 1, size - 1, size, &m);
	if (run(data + 1, size - 1, 1, &m) != whole || run(data + 1, size - 1, 5, &m) != whole)
		abort();
	return 0;
}

/* Only a key that was typed alone answers a question: bursts that hold one, cut at every place */
#include <stdio.h>

#include "term/keys.h"
#include "typed.h"
#include "tap.h"
#include "stage.h"

struct hand {
	struct stage	 stage;
	struct typed	 typed;
	struct keys	*keys;
	enum answer	 got;		/* at once or later */
};

static void on_key(void *arg, const struct key *k)
{
	struct hand *h = arg;
	enum answer a = typed_key(&h->typed, h->stage.screen, k);

	if (a)
		h->got = a;
}

static void hand_open(struct hand *h, enum action action)
{
	struct verdict v = { .action = action, .rule = "git.push", .reason = "publishes", .meaning = "git push" };

	*h = (struct hand){ .typed = { .clock = stage_clock } };
	stage_open(&h->stage, 24, 80, "xterm-256color");
	stage_ask(&h->stage, &v, "git push");
	h->keys = keys_new(on_key, h);
}

static void hand_close(struct hand *h)
{
	keys_free(h->keys);
	stage_close(&h->stage);
}

static void come(struct hand *h, const char *data, size_t len)
{
	typed_read(&h->typed, len);
	keys_feed(h->keys, data, len);
}

/* The time passes in which an answer may still be taken back; a lone ESC becomes a key. */
static void settle(struct hand *h)
{
	enum answer a;

	if (keys_pending(h->keys))
		keys_timeout(h->keys);
	stage_wait(TYPED_QUIET_MS);
	a = typed_take(&h->typed);
	if (a)
		h->got = a;
}

static const struct { const char *keys; enum answer ask, deny; } alone[] = {
	{ "y", ANSWER_YES, ANSWER_NONE }, { "n", ANSWER_NO, ANSWER_NO }, { "e", ANSWER_EDIT, ANSWER_EDIT },
	{ "\r", ANSWER_NONE, ANSWER_NO }, { "\003", ANSWER_NO, ANSWER_NO }, { "\033", ANSWER_NO, ANSWER_NO },
	{ "\033[121u", ANSWER_YES, ANSWER_NONE }, { "\033[27u", ANSWER_NO, ANSWER_NO },
	{ "x", ANSWER_NONE, ANSWER_NONE }, { "\033[200~y\033[201~", ANSWER_NONE, ANSWER_NONE },
};

static void test_alone(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(alone); i++) {
		for (int deny = 0; deny < 2; deny++) {
			struct hand h;

			hand_open(&h, deny ? ACTION_DENY : ACTION_ASK);
			come(&h, alone[i].keys, strlen(alone[i].keys));
			settle(&h);
			is_int(h.got, deny ? alone[i].deny : alone[i].ask, alone[i].keys);
			hand_close(&h);
		}
	}
}

static const char *const bursts[] = {
	"yes\r", "y\r", "yy", "ny", "\ry", "echo y\r", "git push\rls\r", "y y", "?y", "e\r", "ls\ny\n", "\033[Ay", "\xc3\xa9y",
};

/* @gap ms between two reads */
static void in_two(const char *s, size_t cut, int gap)
{
	struct hand h;

	hand_open(&h, ACTION_ASK);
	come(&h, s, cut);
	stage_wait(gap);
	if (typed_take(&h.typed))
		h.got = ANSWER_YES;
	if (s[cut])
		come(&h, s + cut, strlen(s) - cut);
	settle(&h);
	is_int(h.got, ANSWER_NONE, s);
	hand_close(&h);
}

static void test_bursts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bursts); i++) {
		const char *s = bursts[i];
		struct hand h;

		for (size_t cut = 1; cut <= strlen(s); cut++) {
			in_two(s, cut, 0);
			in_two(s, cut, TYPED_QUIET_MS - 1);
		}
		hand_open(&h, ACTION_ASK);
		for (size_t at = 0; s[at]; at++) {
			if (at)
				stage_wait(TYPED_QUIET_MS - 1);
			come(&h, s + at, 1);
		}
		settle(&h);
		is_int(h.got, ANSWER_NONE, s);
		hand_close(&h);
	}
}

/* A burst opens no page either; Ctrl-C in one refuses, whatever stands before it. */
static void test_side(void)
{
	struct hand h;

	hand_open(&h, ACTION_ASK);
	come(&h, "a?", 2);
	screen_flush(h.stage.screen, h.stage.pane);
	ok(eyes_find(h.stage.eyes, "rule:") < 0, "no explain page");
	come(&h, "yes\003", 4);
	is_int(h.got, ANSWER_NO, "Ctrl-C refuses at once");
	hand_close(&h);

	hand_open(&h, ACTION_ASK);
	come(&h, "y", 1);
	ok(typed_holds(&h.typed), "held");
	is_int(typed_take(&h.typed), ANSWER_NONE, "too soon");
	typed_drop(&h.typed);
	settle(&h);
	is_int(h.got, ANSWER_NONE, "another question came up meanwhile");
	stage_wait(TYPED_QUIET_MS);
	come(&h, "y", 1);
	settle(&h);
	is_int(h.got, ANSWER_YES, "typed again");
	hand_close(&h);
}

int main(void)
{
	test_alone();
	test_bursts();
	test_side();
	return tap_done();
}

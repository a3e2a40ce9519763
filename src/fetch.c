#include "fetch.h"

#include <string.h>

static const char letter[LIVE_KIND_COUNT] = {
	[LIVE_VAR] = 'v', [LIVE_FUNCTION] = 'f', [LIVE_ALIAS] = 'a', [LIVE_OPTION] = 'o',
};

/* The hold itself changes these, or they are different each time. */
static const char *const volatile_var[] = {
	"BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_CMDS", "BASH_COMMAND", "BASH_LINENO",
	"BASH_REMATCH", "BASH_SOURCE", "BASH_SUBSHELL", "COPROC", "EPOCHREALTIME", "EPOCHSECONDS", "FUNCNAME",
	"HISTCMD", "HISTTIMEFORMAT", "LINENO", "PIPESTATUS", "POSIXLY_CORRECT", "RANDOM", "SECONDS", "SHELLOPTS",
	"SRANDOM",
};

#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS	"0123456789"

static bool askable_var(const char *name)
{
	if (strlen(name) == 1 && strchr("?$!#_" DIGITS, *name))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(volatile_var); i++) {
		if (strcmp(name, volatile_var[i]) == 0)
			return false;
	}
	return strspn(name, LETTERS) && strspn(name, LETTERS DIGITS) == strlen(name);
}

static bool askable(enum live_kind kind, const char *name)
{
	size_t len = strlen(name);

	if (!len || len > 254)
		return false;
	if (kind == LIVE_VAR)
		return askable_var(name);
	return strspn(name, LETTERS DIGITS ".:+@%,/-") == len;
}

size_t fetch_names(const struct live *live, struct buf *out)
{
	size_t count = 0;

	for (int k = 0; k < LIVE_KIND_COUNT; k++) {
		const char *const *name;
		size_t n = live_wanted(live, (enum live_kind)k, &name);

		for (size_t i = 0; i < n && count < FETCH_NAMES; i++) {
			size_t before = out->len;

			if (!askable((enum live_kind)k, name[i]))
				continue;
			if (buf_addc(out, letter[k]) < 0 || buf_add(out, name[i], strlen(name[i]) + 1) < 0) {
				buf_truncate(out, before);
				return count;
			}
			count++;
		}
	}
	return count;
}

static void take_known(struct live *live, enum live_kind kind, const char *name, const char *text, size_t len)
{
	/* What cannot be parsed or does not fit stays unknown: the judge then asks the person. */
	if (kind == LIVE_VAR || kind == LIVE_ALIAS)
		(void)live_parse_declare(live, text, len);
	else
		(void)live_set(live, kind, name, text);
}

int fetch_take(struct live *live, const char *item, char status, const char *text, size_t len)
{
	const char *at = memchr(letter, *item, sizeof(letter));
	CLEANUP(cleanup_freep) char *value = NULL;
	enum live_kind kind;

	if (!at)
		return -1;
	kind = (enum live_kind)(at - letter);
	value = xmemdup0(text, len);
	switch (status) {
	case '0':
		take_known(live, kind, item + 1, value, len);
		return 0;
	case 's':
		(void)live_set(live, kind, item + 1, value);
		return 0;
	case '1':
		(void)live_set_unset(live, kind, item + 1);
		return 0;
	case 'x':	/* cannot be told */
	case 'b':	/* too big */
		return 0;
	}
	return -1;
}

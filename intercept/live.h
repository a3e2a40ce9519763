/* intercept/live.h - what is known of the live shell: variables, functions, aliases, options
 *
 * A name is unknown until it was asked for; then it is unset or has a value. The
 * expander records every name it missed; the caller asks the shell for those, adds
 * the answers and judges again (judge.h). So the expander itself stays synchronous
 * and pure. Values are hostile bytes, bounded by LIVE_MAX in all.
 */
#ifndef INTERCEPT_LIVE_H
#define INTERCEPT_LIVE_H

#include "base/buf.h"

#define LIVE_MAX (8u << 20)	/* bytes of all values; past it names stay unknown */

struct live;

enum live_kind { LIVE_VAR = 0, LIVE_FUNCTION, LIVE_ALIAS, LIVE_OPTION, LIVE_KIND_COUNT };
enum live_state { LIVE_UNKNOWN = 0, LIVE_UNSET, LIVE_SCALAR, LIVE_ARRAY, LIVE_ASSOC };

struct live_value {
	enum live_state	 state;
	const char	*text;		/* scalar value, function source (bash syntax), alias text, "on"/"off" */
	size_t		 n;		/* array: elements */
	const char *const *key;		/* array: index as text, assoc: key */
	const char *const *val;
	bool		 exported, is_readonly, integer, nameref;
};

struct live *live_new(void);
void live_free(struct live *l);
/* Where nobody can be asked (check, corpus): a miss means unset instead of unknown. */
void live_set_complete(struct live *l, enum live_kind kind, bool complete);
bool live_is_complete(const struct live *l, enum live_kind kind);

/* All copy their input. -1 when LIVE_MAX is reached (the name stays unknown). */
int live_set(struct live *l, enum live_kind kind, const char *name, const char *text);
int live_set_unset(struct live *l, enum live_kind kind, const char *name);
int live_set_array(struct live *l, const char *name, bool assoc, size_t n,
		   const char *const *key, const char *const *val);
int live_set_flags(struct live *l, const char *name, bool exported, bool is_readonly, bool integer, bool nameref);
/* Parse `declare -p` / `alias -p` output (bash). -1 when it is not that. */
int live_parse_declare(struct live *l, const char *text, size_t len);

/* Never NULL: an unknown name has state LIVE_UNKNOWN and is added to the wanted list. */
const struct live_value *live_get(struct live *l, enum live_kind kind, const char *name);
/* Does any name that is known to be set begin with @prefix? */
bool live_has_prefix(const struct live *l, enum live_kind kind, const char *prefix);
/* The names that were missed since live_wanted_clear(), to ask the shell for. */
size_t live_wanted(const struct live *l, enum live_kind kind, const char *const **names);
void live_wanted_clear(struct live *l);

#endif /* INTERCEPT_LIVE_H */

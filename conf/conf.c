#include "conf/conf.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/quote.h"
#include "conf/datafiles.h"
#include "conf/jsonc.h"

/* What is read is bounded by JSONC_MAX for each layer and by maxItems of the schema. */
#define CONF_MEM	(256u << 20)
#define SIZE_UNIT	1024

enum layer { SHIPPED, SYSTEM, USER, PROJECT, LAYERS };

static const char *const layer_name[LAYERS] = { "shipped", "system", "user", "project" };

struct list {
	const char	**v;
	size_t		 n, room;
};

/* Every list of the configuration, those of the profile first. */
enum lists {
	READ, WRITE, MASK, PROTECT, ENV, SETENV, PROFILE_LISTS,
	BUILD_OUTPUT = PROFILE_LISTS, SECRET, PROTECTED_FILE, SYSTEM_TREE, SCRATCH, MAIN_BRANCH, REGISTRY, IGNORED, PROGRAM_FILE, LISTS
};

static const struct {
	const char	*key;
	bool		 narrows;	/* more entries: stricter; else fewer are */
} list_info[] = {
	[READ]			= { "read",		false },
	[WRITE]			= { "write",		false },
	[MASK]			= { "mask",		true },
	[PROTECT]		= { "protect",		true },
	[ENV]			= { "env",		false },
	[SETENV]		= { "setenv",		false },	/* an object, see merge_setenv() */
	[BUILD_OUTPUT]		= { "build_output",	false },
	[SECRET]		= { "secret",		true },
	[PROTECTED_FILE]	= { "protected_file",	true },
	[SYSTEM_TREE]		= { "system_tree",	true },
	[SCRATCH]		= { "scratch",		false },
	[MAIN_BRANCH]		= { "main_branch",	true },
	[REGISTRY]		= { "registry",		false },
	[IGNORED]		= { NULL,		true },
	[PROGRAM_FILE]		= { NULL,		true },
};
static_assert(ARRAY_SIZE(list_info) == LISTS, "describe every list");

struct own {
	struct arena		 mem;
	struct list		 list[LISTS];
	struct conf_rule	*rule;
	size_t			 nrule, room;
};

struct build {
	struct conf		*c;
	struct own		*own;
	const char		*home;
	const char		*profile;
	struct jsonc		*doc[LAYERS];
	bool			 trusted;	/* the project file */
	enum layer		 at;		/* the layer that is merged now */
	struct err		*e;
};

/* ---- memory ----------------------------------------------------------------------------------- */

static const char *keep(struct build *b, const char *s)
{
	return arena_strdup(&b->own->mem, s);
}

static void list_add(struct list *l, const char *s)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 32;
		l->v = xrealloc(l->v, l->room, sizeof(*l->v));
	}
	l->v[l->n++] = s;
}

static size_t list_find(const struct list *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->v[i], s) == 0)
			return i;
	}
	return SIZE_MAX;
}

static void list_drop(struct list *l, size_t i)
{
	memmove(l->v + i, l->v + i + 1, (l->n - i - 1) * sizeof(*l->v));
	l->n--;
}

/* ---- what an untrusted project may not say ------------------------------------------------------- */

static bool untrusted(const struct build *b)
{
	return b->at == PROJECT && !b->trusted;
}

static void ignore(struct build *b, const json *at, const char *what)
{
	unsigned line, col;

	jsonc_where(b->doc[b->at], at, &line, &col);
	list_add(&b->own->list[IGNORED], arena_printf(&b->own->mem, "%s:%u:%u: %s",
						      jsonc_name(b->doc[b->at]), line, col, what));
}

static void ignore_wider(struct build *b, const json *at, const char *key, const char *value)
{
	CLEANUP(cleanup_freep) char *what = NULL;
	struct buf shown;

	buf_init(&shown, QUOTE_INPUT_MAX);
	quote_into(&shown, value, strlen(value));
	what = xasprintf("%s: %s would allow more than your own configuration", key, buf_str(&shown));
	ignore(b, at, what);
	buf_done(&shown);
}

/* ---- lists ------------------------------------------------------------------------------------ */

static bool has_dotdot(const char *path)
{
	for (const char *s = path; s; s = strchr(s, '/')) {
		s += *s == '/';
		if (strncmp(s, "..", 2) == 0 && (s[2] == '/' || !s[2]))
			return true;
	}
	return false;
}

static int list_error(struct build *b, const json *at, const char *found, const char *expected)
{
	struct buf shown;
	int rc;

	buf_init(&shown, QUOTE_INPUT_MAX);
	quote_into(&shown, found, strlen(found));
	rc = jsonc_err(b->doc[b->at], at, b->e, "found \"%s\", expected %s", buf_str(&shown), expected);
	buf_done(&shown);
	return rc;
}

static int merge_entry(struct build *b, enum lists which, const json *at)
{
	struct list *l = &b->own->list[which];
	const char *s = json_text(at);
	bool drop = s[0] == '!';
	size_t i = list_find(l, s + drop);

	if (has_dotdot(s + drop))
		return list_error(b, at, s, "a path without \"..\"");
	if (drop && i == SIZE_MAX)
		return list_error(b, at, s, "an entry that a layer below has");
	if (!drop && i != SIZE_MAX)
		return 0;
	if (untrusted(b) && drop == list_info[which].narrows)
		ignore_wider(b, at, list_info[which].key, s);
	else if (drop)
		list_drop(l, i);
	else
		list_add(l, keep(b, s));
	return 0;
}

static int merge_list(struct build *b, const json *obj, enum lists which)
{
	const json *list = json_get(obj, list_info[which].key);

	for (const json *c = json_first(list); c; c = json_next(c)) {
		if (merge_entry(b, which, c) < 0)
			return -1;
	}
	return 0;
}

static size_t find_variable(const struct list *l, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < l->n; i++) {
		if (strncmp(l->v[i], name, len) == 0 && l->v[i][len] == '=')
			return i;
	}
	return SIZE_MAX;
}

static bool variable_name(const char *s)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

	return *s && strchr(first, *s) && s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")] == '\0';
}

static int merge_setenv(struct build *b, const json *obj)
{
	struct list *l = &b->own->list[SETENV];

	for (const json *c = json_first(json_get(obj, "setenv")); c; c = json_next(c)) {
		size_t i = find_variable(l, json_key(c));

		if (!variable_name(json_key(c)))
			return list_error(b, c, json_key(c), "the name of a variable");
		if (untrusted(b) && json_text(c)) {
			ignore_wider(b, c, "setenv", json_key(c));
			continue;
		}
		if (i != SIZE_MAX)
			list_drop(l, i);
		if (json_text(c))
			list_add(l, arena_printf(&b->own->mem, "%s=%s", json_key(c), json_text(c)));
	}
	return 0;
}

/* ---- scalars ---------------------------------------------------------------------------------- */

/* "512M": the schema has looked at the form, and six digits of G fit a size_t of 64 bits. */
static size_t parse_size(const char *s)
{
	char *unit;
	unsigned long long n = strtoull(s, &unit, 10);

	for (const char *u = "KMG"; *u; u++) {
		n *= SIZE_UNIT;
		if (*u == *unit)
			break;
	}
	return (size_t)n;
}

static void merge_size(struct build *b, const json *obj, const char *key, size_t *size)
{
	const json *j = json_get(obj, key);
	size_t n;

	if (!j)
		return;
	n = parse_size(json_text(j));
	if (untrusted(b) && n > *size)
		ignore_wider(b, j, key, json_text(j));
	else
		*size = n;
}

static void merge_nproc(struct build *b, const json *obj, size_t *nproc)
{
	const json *j = json_get(obj, "nproc");
	size_t n = j ? (size_t)json_value(j) : 0;

	if (!j)
		return;
	if (untrusted(b) && (n == 0 || (*nproc && n > *nproc)))
		ignore_wider(b, j, "nproc", n ? "a higher limit" : "no limit");
	else
		*nproc = n;
}

static const char *from_home(struct build *b, const char *path)
{
	return path[0] == '~' ? arena_printf(&b->own->mem, "%s%s", b->home, path + 1) : keep(b, path);
}

static int merge_scalars(struct build *b, const json *root)
{
	const json *audit = json_get(root, "audit"), *shell = json_get(root, "shell"), *lines = json_get(root, "scrollback");

	if (audit && b->at == PROJECT)
		ignore(b, audit, "audit: the log is not a project's business");
	else if (audit && has_dotdot(json_text(audit)))
		return list_error(b, audit, json_text(audit), "a path without \"..\"");
	else if (audit)
		b->c->audit_path = from_home(b, json_text(audit));
	if (shell && untrusted(b))
		ignore_wider(b, shell, "shell", json_text(shell));
	else if (shell)
		b->c->shell = keep(b, json_text(shell));
	if (lines && untrusted(b))
		ignore(b, lines, "scrollback: not a project's business");
	else if (lines)
		b->c->scrollback = (size_t)json_value(lines);
	return 0;
}

/* ---- rules ------------------------------------------------------------------------------------ */

static bool word_matches(const struct conf_word *w, const char *word, bool program)
{
	const char *base = strrchr(word, '/');

	if (!w->nany)
		return true;
	for (size_t i = 0; i < w->nany; i++) {
		bool by_name = program && base && !strchr(w->any[i], '/');

		if (strcmp(w->any[i], by_name ? base + 1 : word) == 0)
			return true;
	}
	return false;
}

bool conf_rule_matches(const struct conf_rule *rule, const char *const *word, size_t n)
{
	if (n < rule->nargv)
		return false;
	for (size_t i = 0; i < rule->nargv; i++) {
		if (!word_matches(&rule->argv[i], word[i], i == 0))
			return false;
	}
	return true;
}

static const char **keep_words(struct build *b, const json *list, size_t *n)
{
	const char **v;
	size_t i = 0;

	*n = json_text(list) ? 1 : json_count(list);
	v = arena_alloc(&b->own->mem, MAX(*n, (size_t)1) * sizeof(*v));
	if (json_text(list))
		v[i++] = keep(b, json_text(list));
	for (const json *c = json_first(list); c; c = json_next(c))
		v[i++] = keep(b, json_text(c));
	return v;
}

static void fill_argv(struct build *b, const json *argv, struct conf_rule *r)
{
	struct conf_word *w = arena_alloc(&b->own->mem, json_count(argv) * sizeof(*w));

	r->argv = w;
	for (const json *c = json_first(argv); c; c = json_next(c), w++) {
		if (!json_text(c) || strcmp(json_text(c), "*") != 0)
			w->any = keep_words(b, c, &w->nany);
		r->nargv++;
	}
}

static enum conf_action action_of(const char *s)
{
	if (strcmp(s, "allow") == 0)
		return CONF_ALLOW;
	return strcmp(s, "ask") == 0 ? CONF_ASK : CONF_DENY;
}

static int check_examples(struct build *b, const struct conf_rule *r, const json *list, bool want)
{
	for (const json *c = json_first(list); c; c = json_next(c)) {
		size_t n;
		const char **words = keep_words(b, c, &n);

		if (conf_rule_matches(r, words, n) != want)
			return jsonc_err(b->doc[b->at], c, b->e, "found an example that the rule %s, expected one that it %s",
					 want ? "does not match" : "matches", want ? "matches" : "does not match");
	}
	return 0;
}

static int check_id(struct build *b, const struct conf_rule *r, const json *rule)
{
	for (size_t i = 0; i < b->own->nrule; i++) {
		if (strcmp(b->own->rule[i].id, r->id) == 0)
			return jsonc_err(b->doc[b->at], rule, b->e, "found the id \"%s\" again, expected one that %s:%u has not",
					 r->id, b->own->rule[i].file, b->own->rule[i].line);
	}
	return 0;
}

static void push_rule(struct own *o, const struct conf_rule *r)
{
	if (o->nrule == o->room) {
		o->room = o->room ? 2 * o->room : 16;
		o->rule = xrealloc(o->rule, o->room, sizeof(*o->rule));
	}
	o->rule[o->nrule++] = *r;
}

static int merge_rule(struct build *b, const json *rule, unsigned number)
{
	struct conf_rule r = {
		.action = action_of(json_str(rule, "action", "")),
		.file = keep(b, jsonc_name(b->doc[b->at])),
	};
	const char *id = json_str(rule, "id", NULL), *reason = json_str(rule, "reason", NULL), *safer = json_str(rule, "safer", NULL);
	unsigned col;

	jsonc_where(b->doc[b->at], rule, &r.line, &col);
	r.id = id ? keep(b, id) : arena_printf(&b->own->mem, "%s.%u", layer_name[b->at], number);
	r.reason = reason ? keep(b, reason) : arena_printf(&b->own->mem, "a rule in %s:%u", r.file, r.line);
	r.safer = safer ? keep(b, safer) : NULL;
	fill_argv(b, json_get(rule, "argv"), &r);
	if (check_examples(b, &r, json_get(rule, "match"), true) < 0 ||
	    check_examples(b, &r, json_get(rule, "no_match"), false) < 0 || check_id(b, &r, rule) < 0)
		return -1;
	if (untrusted(b) && r.action == CONF_ALLOW)
		ignore_wider(b, rule, "rules", r.id);
	else
		push_rule(b->own, &r);
	return 0;
}

static int merge_rules(struct build *b, const json *root)
{
	unsigned number = 0;

	for (const json *c = json_first(json_get(root, "rules")); c; c = json_next(c)) {
		if (merge_rule(b, c, ++number) < 0)
			return -1;
	}
	return 0;
}

/* ---- profiles --------------------------------------------------------------------------------- */

static int merge_profile(struct build *b, const json *profile)
{
	for (int i = 0; i < PROFILE_LISTS; i++) {
		if (i != SETENV && merge_list(b, profile, (enum lists)i) < 0)
			return -1;
	}
	if (merge_setenv(b, profile) < 0)
		return -1;
	merge_size(b, profile, "home_bytes", &b->c->profile.home_bytes);
	merge_size(b, profile, "tmp_bytes", &b->c->profile.tmp_bytes);
	merge_nproc(b, profile, &b->c->profile.nproc);
	return 0;
}

static const json *profiles_of(const struct build *b, int layer)
{
	return b->doc[layer] ? json_get(jsonc_root(b->doc[layer]), "profiles") : NULL;
}

static bool named_before(const struct build *b, int layer, const char *name)
{
	while (layer-- > 0) {
		if (json_get(profiles_of(b, layer), name))
			return true;
	}
	return false;
}

static int no_profile(const struct build *b)
{
	struct buf names, wanted;
	int rc;

	buf_init(&names, ERR_MAX);
	buf_init(&wanted, QUOTE_INPUT_MAX);
	quote_into(&wanted, b->profile, strlen(b->profile));
	for (int i = 0; i < LAYERS; i++) {
		for (const json *c = json_first(profiles_of(b, i)); c; c = json_next(c)) {
			if (named_before(b, i, json_key(c)))
				continue;
			buf_adds(&names, names.len ? ", " : "");
			quote_into(&names, json_key(c), strlen(json_key(c)));
		}
	}
	rc = err_set(b->e, 0, "no profile \"%s\" in the configuration: it has %s", buf_str(&wanted), buf_str(&names));
	buf_done(&names);
	buf_done(&wanted);
	return rc;
}

static int merge_profiles(struct build *b, const char *name, bool *found)
{
	for (int i = 0; i < LAYERS; i++) {
		const json *profile = json_get(profiles_of(b, i), name);

		b->at = (enum layer)i;
		if (profile && merge_profile(b, profile) < 0)
			return -1;
		*found = *found || profile;
	}
	return 0;
}

/* Secrets that have a place are masked; a name that is met at any depth cannot be. */
static void mask_secrets(struct build *b)
{
	const struct list *secret = &b->own->list[SECRET];

	for (size_t i = 0; i < secret->n; i++) {
		if (secret->v[i][0] == '/' || secret->v[i][0] == '~')
			list_add(&b->own->list[MASK], secret->v[i]);
	}
}

static int merge_all(struct build *b)
{
	bool found = false;

	for (int i = 0; i < LAYERS; i++) {
		const json *root = b->doc[i] ? jsonc_root(b->doc[i]) : NULL;

		b->at = (enum layer)i;
		for (int n = PROFILE_LISTS; root && n < IGNORED; n++) {
			if (merge_list(b, root, (enum lists)n) < 0)
				return -1;
		}
		if (root && (merge_scalars(b, root) < 0 || merge_rules(b, root) < 0))
			return -1;
	}
	mask_secrets(b);
	if (merge_profiles(b, "default", &found) < 0)
		return -1;
	if (strcmp(b->profile, "default") == 0)
		return 0;
	found = false;
	if (merge_profiles(b, b->profile, &found) < 0)
		return -1;
	return found ? 0 : no_profile(b);
}

/* ---- finding and reading the layers -------------------------------------------------------------- */

static int missing(const struct err *e)
{
	return e->code == ENOENT || e->code == ENOTDIR;
}

/* DIR/policy.jsonc or DIR/policy.json. None: *out stays NULL. */
static int load_layer(const char *dir, const char *schema, struct jsonc **out, struct err *e)
{
	CLEANUP(cleanup_freep) char *jsonc = xasprintf("%s/policy.jsonc", dir);
	CLEANUP(cleanup_freep) char *json_ = xasprintf("%s/policy.json", dir);
	struct err other = { 0 };
	int rc = jsonc_load(jsonc, schema, out, &other);

	if (rc < 0 && !missing(&other)) {
		*e = other;
		return -1;
	}
	if (rc == 0) {
		struct stat st;

		return lstat(json_, &st) < 0 ? 0 : err_set(e, 0, "found policy.jsonc and policy.json in %s, expected one of them", dir);
	}
	rc = jsonc_load(json_, schema, out, &other);
	if (rc < 0 && !missing(&other)) {
		*e = other;
		return -1;
	}
	return 0;
}

static const char *home_of(const struct conf_from *from)
{
	const char *home = from->home ? from->home : getenv("HOME");

	return home && home[0] == '/' ? home : "/";
}

/* XDG_CONFIG_HOME speaks of the real home only. */
static char *user_dir(const struct conf_from *from)
{
	const char *xdg = from->config ? from->config : from->home ? NULL : getenv("XDG_CONFIG_HOME");

	if (xdg && xdg[0] == '/')
		return xasprintf("%s/sbxterm", xdg);
	return xasprintf("%s/.config/sbxterm", home_of(from));
}

static const char *data_of(const struct conf_from *from)
{
	return from->datadir ? from->datadir : conf_datadir();
}

static char *schema_of(const struct conf_from *from, const char *name)
{
	return xasprintf("%s/schema/%s.schema.json", data_of(from), name);
}

static int load_trusted(const struct conf_from *from, struct jsonc **out, struct err *e)
{
	CLEANUP(cleanup_freep) char *dir = user_dir(from);
	CLEANUP(cleanup_freep) char *path = xasprintf("%s/trusted.jsonc", dir);
	CLEANUP(cleanup_freep) char *schema = schema_of(from, "trusted");
	struct err other = { 0 };

	if (jsonc_load(path, schema, out, &other) == 0 || missing(&other))
		return 0;
	*e = other;
	return -1;
}

static bool trusts(const json *root, const char *file, const char *text, size_t len)
{
	for (const json *c = json_first(json_get(root, "trusted")); c; c = json_next(c)) {
		const char *t = json_str(c, "text", "");

		if (strcmp(json_str(c, "directory", ""), file) == 0 && strlen(t) == len && memcmp(t, text, len) == 0)
			return true;
	}
	return false;
}

/* The directory of the project layer by its real name: trust given to one place is not that of another. */
static char *project_dir(const struct conf_from *from)
{
	CLEANUP(cleanup_freep) char *real = from->workspace ? realpath(from->workspace, NULL) : NULL;

	return real ? xasprintf("%s/.sbxterm", real) : NULL;
}

static int load_project(const struct conf_from *from, const char *schema, struct build *b)
{
	CLEANUP(cleanup_freep) char *dir = project_dir(from);
	struct jsonc *trusted = NULL;
	const char *text;
	size_t len;

	if (!dir)
		return 0;
	if (load_layer(dir, schema, &b->doc[PROJECT], b->e) < 0)
		return -1;
	if (!b->doc[PROJECT])
		return 0;
	if (load_trusted(from, &trusted, b->e) < 0)
		return -1;
	text = jsonc_source(b->doc[PROJECT], &len);
	b->trusted = trusted && trusts(jsonc_root(trusted), dir, text, len);
	jsonc_free(trusted);
	return 0;
}

/* Only `check` can be asked about a directory that holds the person's home: no session starts there, so what is in it
 * is not written by commands, and the person's own files still count. */
static const char *guarded_workspace(const struct conf_from *from)
{
	CLEANUP(cleanup_freep) char *home = realpath(home_of(from), NULL);
	CLEANUP(cleanup_freep) char *top = from->workspace ? realpath(from->workspace, NULL) : NULL;
	size_t n = top ? strlen(top) : 0;

	if (home && n && !strncmp(home, top, n) && (n == 1 || home[n] == '/' || !home[n]))
		return NULL;
	return from->workspace;
}

/* A folder of the person's that commands of the session could write would let them write their own rules. */
static int check_user_dir(const struct conf_from *from, const char *dir, struct err *e)
{
	const char *workspace = guarded_workspace(from);

	return workspace && datafiles_inside(dir, workspace) ?
	       err_set(e, 0, "%s: found your configuration inside the workspace, where a command could change it, expected it elsewhere", dir) : 0;
}

static int load_layers(const struct conf_from *from, struct build *b)
{
	CLEANUP(cleanup_freep) char *schema = NULL;
	CLEANUP(cleanup_freep) char *shipped = NULL;
	CLEANUP(cleanup_freep) char *user = user_dir(from);

	if (!data_of(from))
		return err_set(b->e, 0, "the data files of sbxterm are missing: install it again (make install)");
	schema = schema_of(from, "policy");
	shipped = xasprintf("%s/default.jsonc", data_of(from));
	if (check_user_dir(from, user, b->e) < 0)
		return -1;
	if (jsonc_load(shipped, schema, &b->doc[SHIPPED], b->e) < 0 ||
	    load_layer(from->system ? from->system : "/etc/sbxterm", schema, &b->doc[SYSTEM], b->e) < 0)
		return -1;
	if (from->policy ? jsonc_load(from->policy, schema, &b->doc[USER], b->e) < 0 :
			   load_layer(user, schema, &b->doc[USER], b->e) < 0)
		return -1;
	return load_project(from, schema, b);
}

/* ---- data files of programs ------------------------------------------------------------------- */

static int add_program_file(void *arg, const char *path, struct err *e)
{
	struct build *b = arg;

	(void)e;
	list_add(&b->own->list[PROGRAM_FILE], keep(b, path));
	return 0;
}

static int find_programs(const struct conf_from *from, struct build *b)
{
	CLEANUP(cleanup_freep) char *user = user_dir(from);
	CLEANUP(cleanup_freep) char *mine = xasprintf("%s/programs", user);
	CLEANUP(cleanup_freep) char *system = xasprintf("%s/programs", from->system ? from->system : "/etc/sbxterm");
	const char *workspace = guarded_workspace(from);

	if (datafiles_each(system, workspace, add_program_file, b, b->e) < 0)
		return -1;
	return datafiles_each(mine, workspace, add_program_file, b, b->e);
}

/* ---- the result ------------------------------------------------------------------------------- */

static void fill(struct conf *c, struct own *o)
{
	struct {
		enum lists		  which;
		const char *const	**v;
		size_t			 *n;
	} const map[] = {
		{ READ,			&c->profile.read,	&c->profile.nread },
		{ WRITE,		&c->profile.write,	&c->profile.nwrite },
		{ MASK,			&c->profile.mask,	&c->profile.nmask },
		{ PROTECT,		&c->profile.protect,	&c->profile.nprotect },
		{ ENV,			&c->profile.env,	&c->profile.nenv },
		{ SETENV,		&c->profile.setenv,	&c->profile.nsetenv },
		{ BUILD_OUTPUT,		&c->build_output,	&c->nbuild_output },
		{ SECRET,		&c->secret,		&c->nsecret },
		{ PROTECTED_FILE,	&c->protected_file,	&c->nprotected_file },
		{ SYSTEM_TREE,		&c->system_tree,	&c->nsystem_tree },
		{ SCRATCH,		&c->scratch,		&c->nscratch },
		{ MAIN_BRANCH,		&c->main_branch,	&c->nmain_branch },
		{ REGISTRY,		&c->registry,		&c->nregistry },
		{ IGNORED,		&c->ignored,		&c->nignored },
		{ PROGRAM_FILE,		&c->program_file,	&c->nprogram_file },
	};

	static_assert(ARRAY_SIZE(map) == LISTS, "hand out every list");
	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		*map[i].v = o->list[map[i].which].v;
		*map[i].n = o->list[map[i].which].n;
	}
	c->rule = o->rule;
	c->nrule = o->nrule;
}

void conf_free(struct conf *c)
{
	struct own *o = c ? c->own : NULL;

	if (!c)
		return;
	for (size_t i = 0; i < LISTS; i++)
		free(o->list[i].v);
	free(o->rule);
	arena_done(&o->mem);
	free(o);
	free(c);
}

/* The shipped file must say what nothing else can stand in for. */
static int check_whole(struct build *b)
{
	if (!b->c->audit_path || !b->c->shell || !b->c->profile.home_bytes || !b->c->profile.tmp_bytes)
		return err_set(b->e, 0, "%s: found no audit, shell, home_bytes or tmp_bytes, expected them all",
			       jsonc_name(b->doc[SHIPPED]));
	return 0;
}

int conf_load(const struct conf_from *from, struct conf **out, struct err *e)
{
	struct conf *c = xcalloc(1, sizeof(*c));
	struct build b = { .c = c, .own = xcalloc(1, sizeof(*b.own)), .home = home_of(from), .e = e };
	int rc;

	c->own = b.own;
	arena_init(&b.own->mem, CONF_MEM);
	b.profile = keep(&b, from->profile ? from->profile : "default");
	c->profile.name = b.profile;
	rc = load_layers(from, &b);
	if (rc == 0)
		rc = merge_all(&b);
	if (rc == 0)
		rc = check_whole(&b);
	if (rc == 0)
		rc = find_programs(from, &b);
	for (int i = 0; i < LAYERS; i++)
		jsonc_free(b.doc[i]);
	if (rc < 0) {
		conf_free(c);
		return -1;
	}
	fill(c, b.own);
	*out = c;
	return 0;
}

/* ---- trust ------------------------------------------------------------------------------------ */

/* The old entry of the same place goes, the new one comes. The caller frees. */
static char *trusted_text(const json *old, const char *dir, const char *text, size_t len)
{
	json *root = json_new_object(), *list = json_add_array(root, "trusted"), *entry;
	char *print;

	for (const json *c = json_first(json_get(old, "trusted")); c; c = json_next(c)) {
		if (strcmp(json_str(c, "directory", ""), dir) == 0)
			continue;
		entry = json_add_object(list, NULL);
		json_add_str(entry, "directory", json_str(c, "directory", ""));
		json_add_str(entry, "text", json_str(c, "text", ""));
	}
	entry = json_add_object(list, NULL);
	json_add_str(entry, "directory", dir);
	json_add_strn(entry, "text", text, len);
	print = json_print(root);
	json_free(root);
	return print;
}

/* Whole or not at all: a crash leaves the old file. */
static int replace_file(const char *dir, const char *name, const char *text, struct err *e)
{
	CLEANUP(cleanup_freep) char *path = xasprintf("%s/%s", dir, name);
	CLEANUP(cleanup_freep) char *temp = xasprintf("%s/.%s.XXXXXX", dir, name);
	int fd, rc;

	if (io_mkdirs(dir, 0700, e) < 0)
		return -1;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return err_set(e, errno, "create %s", temp);
	rc = io_write_all(fd, text, strlen(text));
	if (rc == 0)
		rc = fsync(fd);
	if (close(fd) < 0 || rc < 0 || rename(temp, path) < 0) {
		err_set(e, errno, "write %s", path);
		unlink(temp);
		return -1;
	}
	return 0;
}

int conf_trust(const struct conf_from *from, struct err *e)
{
	CLEANUP(cleanup_freep) char *dir = project_dir(from);
	CLEANUP(cleanup_freep) char *user = user_dir(from);
	CLEANUP(cleanup_freep) char *schema = data_of(from) ? schema_of(from, "policy") : NULL;
	CLEANUP(cleanup_freep) char *print = NULL;
	struct jsonc *project = NULL, *old = NULL;
	const char *text;
	size_t len;
	int rc = -1;

	if (!dir || !schema)
		return err_set(e, 0, "no workspace, or the data files of sbxterm are missing");
	if (load_layer(dir, schema, &project, e) < 0)
		return -1;
	if (!project)
		return err_set(e, 0, "no policy.jsonc in %s: there is nothing to trust", dir);
	if (load_trusted(from, &old, e) == 0) {
		text = jsonc_source(project, &len);
		print = trusted_text(old ? jsonc_root(old) : NULL, dir, text, len);
		rc = replace_file(user, "trusted.jsonc", print, e);
	}
	jsonc_free(project);
	jsonc_free(old);
	return rc;
}

/* ---- where we are installed ---------------------------------------------------------------------- */

static bool is_file(const char *dir, const char *name)
{
	CLEANUP(cleanup_freep) char *path = xasprintf("%s/%s", dir, name);
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *last_name(const char *path)
{
	const char *s = strrchr(path, '/');

	return s ? s + 1 : path;
}

/* Try the directories above the program: the first one that is as expected. */
static bool find_places(char *dir, char **data, char **libexec)
{
	for (char *end = strrchr(dir, '/'); end; end = strrchr(dir, '/')) {
		const char *name;

		*end = '\0';
		name = last_name(dir);
		if (strcmp(name, "bin") == 0) {
			*data = xasprintf("%.*s/share/sbxterm", (int)(name - dir - 1), dir);
			*libexec = xasprintf("%.*s/lib/sbxterm", (int)(name - dir - 1), dir);
		} else if (strcmp(name, "build") == 0) {
			*data = xasprintf("%.*s/conf", (int)(name - dir - 1), dir);
			*libexec = xstrdup(dir);
		} else {
			continue;
		}
		if (is_file(*data, "default.jsonc"))
			return true;
		free(*data);
		free(*libexec);
		*data = *libexec = NULL;
	}
	return false;
}

static const char *place(bool want_data)
{
	static char *data, *libexec;
	static bool looked;

	if (!looked) {
		char self[PATH_MAX];
		ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

		looked = true;
		if (n > 0) {
			self[n] = '\0';
			find_places(self, &data, &libexec);
		}
	}
	return want_data ? data : libexec;
}

const char *conf_datadir(void)
{
	return place(true);
}

const char *conf_libexecdir(void)
{
	return place(false);
}

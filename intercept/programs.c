/* intercept/programs.c - read the data files of conf/programs into tables */
#include "intercept/programs.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/quote.h"
#include "conf/datafiles.h"
#include "conf/jsonc.h"
#include "intercept/model.h"
#include "intercept/special.h"
#include "intercept/verbs.h"

#define PROGRAMS_MEM	(32u << 20)
#define PROGRAMS_DEPTH	8	/* subcommands below subcommands */
#define PROGRAMS_LIST	512	/* acts, options, words of one entry */

/* A description: read when it is first asked for, since a line names few of the thousands of programs. */
struct source {
	const char	*file;		/* for messages */
	const char	*key, *text;	/* names; the value in the file's text */
	size_t		 keylen, len;
	const char	*prefix, *style;	/* of the file: before every name; of programs that name none */
	struct node	*node;		/* NULL: not read yet */
	bool		 bad;		/* could not be read: its programs are not known */
	bool		 added;		/* from a file of the system or of the person */
};

struct entry {
	const char	*name;
	size_t		 source;
};


struct programs {
	struct arena	 mem;
	struct entry	*entry;		/* owned; sorted by name */
	size_t		 n, cap;
	struct source	*source;	/* owned */
	size_t		 nsource, capsource;
	struct program_example *example;	/* owned */
	size_t		 nexample, capexample;
};

const char *const effect_name[EFFECT_KIND_COUNT] = {
	[EFFECT_NONE]		= "none",
	[EFFECT_UNKNOWN]	= "unknown",
	[EFFECT_READ]		= "reads",
	[EFFECT_WRITE]		= "writes",
	[EFFECT_OVERWRITE]	= "overwrites",
	[EFFECT_DELETE]		= "deletes",
	[EFFECT_MOVE]		= "moves",
	[EFFECT_MODE]		= "permissions",
	[EFFECT_DEVICE]		= "device-write",
	[EFFECT_EXEC]		= "runs",
	[EFFECT_NET]		= "net",
	[EFFECT_SEND]		= "upload",
	[EFFECT_FETCH_CODE]	= "fetch-code",
	[EFFECT_REMOTE_SHELL]	= "remote-shell",
	[EFFECT_PUBLISH]	= "publish",
	[EFFECT_GIT_LOSE]	= "git-lose",
	[EFFECT_GIT_HISTORY]	= "git-history",
	[EFFECT_GIT_FORCE]	= "git-force",
	[EFFECT_INSTALL]	= "install",
	[EFFECT_PRIVILEGE]	= "privilege",
	[EFFECT_PROCESS]	= "ends-process",
	[EFFECT_SERVICE]	= "service",
	[EFFECT_SYSTEM]		= "system",
	[EFFECT_DATABASE]	= "database",
	[EFFECT_INFRA]		= "infra",
	[EFFECT_SECRET]		= "secrets",
	[EFFECT_GUARD]		= "guard",
	[EFFECT_SHELL_STATE]	= "shell-state",
	[EFFECT_INTERACTIVE]	= "interactive",
	[EFFECT_EXHAUST]	= "exhaust",
};
static_assert(ARRAY_SIZE(effect_name) == EFFECT_KIND_COUNT, "name every effect");

static const char *const verb_name[VERB_COUNT] = {
	[VERB_DATA]		= "data",
	[VERB_READ]		= "read",
	[VERB_WRITE]		= "write",
	[VERB_OVERWRITE]	= "overwrite",
	[VERB_EMPTY]		= "empty",
	[VERB_DELETE]		= "delete",
	[VERB_DELETE_TREE]	= "delete-tree",
	[VERB_MKDIR]		= "mkdir",
	[VERB_MOVE]		= "move",
	[VERB_DEST]		= "dest",
	[VERB_MODE]		= "mode",
	[VERB_DEVICE]		= "device",
	[VERB_CHDIR]		= "chdir",
	[VERB_SECRET]		= "secret",
	[VERB_COMMAND]		= "command",
	[VERB_FOREIGN]		= "foreign",
	[VERB_SHELL]		= "shell",
	[VERB_SCRIPT]		= "script",
	[VERB_CODE]		= "code",
	[VERB_SPLIT]		= "split",
	[VERB_HOST]		= "host",
	[VERB_URL]		= "url",
	[VERB_SEND]		= "send",
	[VERB_PROCESS]		= "process",
	[VERB_ASSIGN]		= "assign",
	[VERB_PACKAGE]		= "package",
	[VERB_EFFECT]		= "",
	[VERB_STDIN]		= "stdin",
};

/* ---- acts ---------------------------------------------------------------------------------- */

struct loader {
	struct programs	*p;
	struct jsonc	*doc;
	const char	*file;
	const char	*style;		/* of every program that names none */
	bool		 strict;	/* a hook that does not exist is a mistake */
};

static const char *keep(struct loader *l, const char *s, size_t len)
{
	return arena_strndup(&l->p->mem, s, len);
}

/* Thousands of them at each start: printf would take a quarter of it. */
static const char *full_name(struct programs *p, const char *prefix, const char *s, size_t len)
{
	size_t before = strlen(prefix);
	char *name = arena_alloc(&p->mem, before + len + 1);

	if (!name)
		return NULL;
	memcpy(name, prefix, before);
	memcpy(name + before, s, len);
	return name;
}

/* A copy of @n elements; NULL past the arena's maximum, which load_file() reports. */
static void *keep_array(struct loader *l, const void *src, size_t *n, size_t size)
{
	void *copy = arena_alloc(&l->p->mem, *n * size + 1);

	if (!copy)
		*n = 0;
	else if (*n)
		memcpy(copy, src, *n * size);
	return copy;
}

static int parse_atom(struct loader *l, const char *s, size_t len, struct cond_atom *out)
{
	size_t name;

	*out = (struct cond_atom){ 0 };
	if (len && *s == '!') {
		out->op = '!';
		s++, len--;
	}
	for (name = 0; name < len && !strchr("=<>", s[name]); name++)
		;
	if (!name)
		return -1;
	out->name = keep(l, s, name);
	if (name < len) {
		if (out->op)
			return -1;
		out->op = s[name];
		out->value = keep(l, s + name + 1, len - name - 1);
	}
	return 0;
}

/* "a,!b|c" -> atoms. */
static int parse_cond(struct loader *l, const char *s, size_t len, const struct cond_atom **out, size_t *nout)
{
	struct cond_atom atom[16];
	size_t n = 0, at = 0;

	while (at < len) {
		size_t end = at;

		while (end < len && s[end] != ',' && s[end] != '|')
			end++;
		if (n == ARRAY_SIZE(atom) || parse_atom(l, s + at, end - at, &atom[n]) < 0)
			return -1;
		atom[n++].either = end < len && s[end] == '|';
		at = end + 1;
	}
	*out = keep_array(l, atom, &n, sizeof(*atom));
	*nout = n;
	return 0;
}

static bool verb_lookup(const char *s, size_t len, struct act *a)
{
	for (int v = 0; v < VERB_COUNT; v++) {
		if (verb_name[v] && strlen(verb_name[v]) == len && !strncmp(verb_name[v], s, len)) {
			a->verb = (enum verb)v;
			return true;
		}
	}
	for (int k = 0; k < EFFECT_KIND_COUNT; k++) {
		if (strlen(effect_name[k]) == len && !strncmp(effect_name[k], s, len)) {
			a->verb = VERB_EFFECT;
			a->effect = (enum effect_kind)k;
			return true;
		}
	}
	return false;
}

/* "[cond] verb:arg* phrase" */
static int parse_act(struct loader *l, const json *at, struct act *a, struct err *e)
{
	const char *s = json_text(at), *end, *verb;
	size_t len;

	*a = (struct act){ 0 };
	if (!s)
		return jsonc_err(l->doc, at, e, "found something else, expected a string that says what happens");
	if (*s == '[') {
		end = strchr(s, ']');
		if (!end || parse_cond(l, s + 1, (size_t)(end - s) - 1, &a->cond, &a->ncond) < 0)
			return jsonc_err(l->doc, at, e, "found a bad condition in \"%s\", expected [option], [!option] or [args>1] before the verb", s);
		s = end + 1 + strspn(end + 1, " ");
	}
	verb = s;
	len = strcspn(s, ": *");
	if (!verb_lookup(verb, len, a))
		return jsonc_err(l->doc, at, e, "found the verb \"%.*s\", expected one of sbxterm-programs(5) such as read, delete or publish", (int)MIN(len, 60u), verb);
	s += len;
	if (*s == ':') {
		len = strcspn(++s, " *");
		a->arg = keep(l, s, len);
		s += len;
	}
	if (*s == '*') {
		a->many = true;
		s++;
	}
	s += strspn(s, " ");
	if (*s)
		a->what = keep(l, s, strlen(s));
	return 0;
}

/* A string or an array of strings; "" is no act. */
static int parse_acts(struct loader *l, const json *j, struct acts *out, struct err *e)
{
	struct act act[PROGRAMS_LIST];
	size_t n = 0;

	*out = (struct acts){ 0 };
	if (!j)
		return 0;
	for (const json *s = json_type(j) == JSON_STRING ? j : json_first(j); s; s = json_next(s)) {
		if ((json_text(s) && !*json_text(s)) || n == ARRAY_SIZE(act))
			break;
		if (parse_act(l, s, &act[n++], e) < 0)
			return -1;
		if (s == j)
			break;
	}
	out->act = keep_array(l, act, &n, sizeof(*act));
	out->n = n;
	return 0;
}

/* ---- options ------------------------------------------------------------------------------- */

struct option_list {
	struct option	 option[PROGRAMS_LIST];
	size_t		 n;
};

static enum takes strip_takes(const char *s, size_t *len)
{
	if (*len > 3 && !strncmp(s + *len - 3, "[=]", 3)) {
		*len -= 3;
		return TAKES_OPTIONAL;
	}
	if (*len > 1 && s[*len - 1] == '=') {
		*len -= 1;
		return TAKES_VALUE;
	}
	return TAKES_NONE;
}

/* "-o --output=": all spellings, the suffix of the last one holds for all. */
static int add_spellings(struct loader *l, struct option_list *list, const char *spell, enum takes takes,
			 const struct acts *acts, bool each_own_key)
{
	size_t total = strlen(spell);
	const char *key = NULL;

	if (takes == TAKES_NONE)
		takes = strip_takes(spell, &total);
	for (const char *s = spell; s < spell + total; ) {
		size_t len = 0;
		const char *name;

		s += strspn(s, " ");
		while (s + len < spell + total && s[len] != ' ')
			len++;
		if (!len)
			break;
		if (list->n == PROGRAMS_LIST)
			return -1;
		name = keep(l, s, len);
		if (!key || each_own_key)
			key = name + strspn(name, "-/");
		list->option[list->n++] = (struct option){ name, key, takes, acts };
		s += len;
	}
	return 0;
}

static int option_cmp(const void *a, const void *b)
{
	return strcmp(((const struct option *)a)->name, ((const struct option *)b)->name);
}

static int parse_options(struct loader *l, const json *j, struct node *n, struct err *e)
{
	struct option_list *list = xcalloc(1, sizeof(*list));
	const char *values = json_str(j, "values", NULL);
	int rc = 0;

	for (const json *o = json_first(json_get(j, "options")); o && !rc; o = json_next(o)) {
		struct acts none = { 0 }, *acts = arena_alloc(&l->p->mem, sizeof(*acts));

		rc = parse_acts(l, o, acts ? acts : &none, e);
		if (!rc && add_spellings(l, list, json_key(o), TAKES_NONE, acts, false) < 0)
			rc = jsonc_err(l->doc, o, e, "found too many options, expected at most 512");
	}
	if (!rc && values && add_spellings(l, list, values, TAKES_VALUE, NULL, true) < 0)
		rc = jsonc_err(l->doc, json_get(j, "values"), e, "found too many options, expected at most 512");
	if (!rc) {
		qsort(list->option, list->n, sizeof(list->option[0]), option_cmp);
		n->option = keep_array(l, list->option, &list->n, sizeof(list->option[0]));
		n->noption = list->n;
	}
	free(list);
	return rc;
}

/* ---- operands ------------------------------------------------------------------------------ */

static int parse_slots(struct loader *l, const json *arr, struct operands *o, struct err *e)
{
	struct act slot[16];
	size_t n = 0, many = 0;

	for (const json *s = json_first(arr); s; s = json_next(s)) {
		if (n == ARRAY_SIZE(slot))
			return jsonc_err(l->doc, s, e, "found too many operands, expected at most 16");
		if (parse_act(l, s, &slot[n], e) < 0)
			return -1;
		many += slot[n++].many;
	}
	if (many > 1)
		return jsonc_err(l->doc, arr, e, "found several operands with a star, expected only one that takes many words");
	o->slot = keep_array(l, slot, &n, sizeof(*slot));
	o->n = n;
	return 0;
}

static int parse_operands(struct loader *l, const json *j, struct node *n, struct err *e)
{
	struct operands set[16] = { 0 };
	size_t count = 0;

	if (!j)
		return 0;
	if (json_type(j) == JSON_ARRAY) {
		if (parse_slots(l, j, &set[count++], e) < 0)
			return -1;
	} else {
		for (const json *v = json_first(j); v; v = json_next(v)) {
			const char *key = json_key(v);
			size_t len = strlen(key);

			if (len > 1 && key[0] == '[' && key[len - 1] == ']')
				key++, len -= 2;
			if (count == ARRAY_SIZE(set))
				return jsonc_err(l->doc, v, e, "found too many forms, expected at most 16");
			if (parse_cond(l, key, len, &set[count].cond, &set[count].ncond) < 0)
				return jsonc_err(l->doc, v, e, "found a bad condition \"%s\", expected [option] or args=1", key);
			if (parse_slots(l, v, &set[count++], e) < 0)
				return -1;
		}
	}
	n->operands = keep_array(l, set, &count, sizeof(*set));
	n->noperands = count;
	return 0;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* The next of the names that are parted by blanks; NULL at the end. */
static const char *next_name(const char **at, const char *end, size_t *len)
{
	const char *s = *at, *stop;

	while (s < end && *s == ' ')
		s++;
	stop = memchr(s, ' ', (size_t)(end - s));
	stop = stop ? stop : end;
	*len = (size_t)(stop - s);
	*at = stop;
	return *len ? s : NULL;
}

static void parse_names(struct loader *l, const char *key, size_t keylen, const char *prefix, struct node *n)
{
	const char *name[1024], *s;
	size_t count = 0, len;

	for (const char *at = key; count < ARRAY_SIZE(name) && (s = next_name(&at, key + keylen, &len)); )
		name[count++] = full_name(l->p, prefix, s, len);
	n->name = keep_array(l, name, &count, sizeof(*name));
	n->nname = count;
}

static enum style parse_style(const char *s)
{
	static const char *const style[] = { "gnu", "posix", "long", "raw", "slash", "dash" };

	for (size_t i = 0; i < ARRAY_SIZE(style); i++) {
		if (!strcmp(s, style[i]))
			return (enum style)i;
	}
	return STYLE_GNU;	/* the schema lets nothing else through */
}

static int parse_node(struct loader *l, const json *j, struct node *n, unsigned depth, struct err *e);

static int parse_subs(struct loader *l, const json *j, struct node *n, unsigned depth, struct err *e)
{
	const json *sub = json_get(j, "sub");
	struct node *all;
	size_t i = 0;

	if (!sub)
		return 0;
	if (depth >= PROGRAMS_DEPTH)
		return jsonc_err(l->doc, sub, e, "found subcommands below too many others, expected at most 8 levels");
	all = arena_alloc(&l->p->mem, json_count(sub) * sizeof(*all) + 1);
	if (!all)
		return jsonc_err(l->doc, sub, e, "too much data");
	for (const json *s = json_first(sub); s; s = json_next(s), i++) {
		if (parse_node(l, s, &all[i], depth + 1, e) < 0)
			return -1;
	}
	n->sub = all;
	n->nsub = i;
	return 0;
}

static int parse_body(struct loader *l, const json *j, struct node *n, unsigned depth, struct err *e)
{
	if (json_type(j) != JSON_OBJECT)	/* short form of a subcommand: only its acts */
		return parse_acts(l, j, &n->does, e);
	n->about = arena_strdup(&l->p->mem, json_str(j, "about", ""));
	n->special = arena_strdup(&l->p->mem, json_str(j, "special", ""));
	if (l->strict && n->special && *n->special && !special_find(n->special) && !verbs_known(n->special))
		return jsonc_err(l->doc, json_get(j, "special"), e, "found \"%s\", expected the name of a hook that exists", n->special);
	n->style = parse_style(json_str(j, "style", l->style));
	n->strict = json_bool(j, "strict", false);
	n->plus = json_bool(j, "plus", false);
	n->open_sub = json_bool(j, "open", false);
	if (parse_options(l, j, n, e) < 0 || parse_operands(l, json_get(j, "operands"), n, e) < 0 ||
	    parse_acts(l, json_get(j, "does"), &n->does, e) < 0)
		return -1;
	return parse_subs(l, j, n, depth, e);
}

static int parse_node(struct loader *l, const json *j, struct node *n, unsigned depth, struct err *e)
{
	parse_names(l, json_key(j), strlen(json_key(j)), "", n);
	return parse_body(l, j, n, depth, e);
}

/* ---- files --------------------------------------------------------------------------------- */

static void *grow(void *list, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return list;
	*cap = *cap ? *cap * 2 : 256;
	return xrealloc(list, *cap, size);
}

static void add_source(struct programs *p, struct source src)
{
	const char *at = src.key, *name;
	size_t len;

	p->source = grow(p->source, p->nsource, &p->capsource, sizeof(*p->source));
	p->source[p->nsource] = src;
	while ((name = next_name(&at, src.key + src.keylen, &len))) {
		p->entry = grow(p->entry, p->n, &p->cap, sizeof(*p->entry));
		p->entry[p->n++] = (struct entry){ full_name(p, src.prefix, name, len), p->nsource };
	}
	p->nsource++;
}

static int read_source(struct programs *p, struct source *src, struct err *e)
{
	struct loader l = { .p = p, .file = src->file, .style = src->style };
	struct node *n = arena_alloc(&p->mem, sizeof(*n));
	int rc;

	src->bad = true;
	if (jsonc_parse(src->file, src->text, src->len, NULL, &l.doc, e) < 0)
		return -1;
	if (n)
		parse_names(&l, src->key, src->keylen, src->prefix, n);
	rc = n ? parse_body(&l, jsonc_root(l.doc), n, 0, e) : -1;
	if (!rc && p->mem.full)
		rc = err_set(e, 0, "%s: too much data", src->file);
	jsonc_free(l.doc);
	if (rc)
		return -1;
	src->node = n;
	src->bad = false;
	return 0;
}

static int add_examples(struct loader *l, const json *list, struct err *e)
{
	struct programs *p = l->p;

	for (const json *x = json_first(list); x; x = json_next(x)) {
		const json *line = json_first(x);
		struct program_example ex = {
			.file = l->file, .line = arena_strdup(&p->mem, json_text(line)),
			.verdict = arena_strdup(&p->mem, json_text(json_next(line))),
		};

		if (!ex.line || !ex.verdict)
			return err_set(e, 0, "%s: too much data", l->file);
		if (strcmp(ex.verdict, "allow") && strcmp(ex.verdict, "ask") && strcmp(ex.verdict, "deny"))
			return jsonc_err(l->doc, json_next(line), e, "found another verdict, expected \"allow\", \"ask\" or \"deny\"");
		jsonc_where(l->doc, x, &ex.at_line, &ex.at_column);
		p->example = grow(p->example, p->nexample, &p->capexample, sizeof(*p->example));
		p->example[p->nexample++] = ex;
	}
	return 0;
}

/* The files as they are shipped have passed the schema in the tests: here only the places of the descriptions are
 * looked for, and each is read when a line names its program. */
struct finder {
	struct programs	*p;
	const char	*file, *s;
	size_t		 len, at;
	const char	*prefix, *style;	/* stand before "programs" in the file */
};

static void skip_blank(struct finder *f)
{
	for (; f->at < f->len; f->at++) {
		if (f->s[f->at] == '/' && f->at + 1 < f->len && f->s[f->at + 1] == '/')
			f->at += strcspn(f->s + f->at, "\n");
		else if (!strchr(" \t\r\n,", f->s[f->at]))
			return;
	}
}

static bool skip_text(struct finder *f)
{
	for (f->at++; f->at < f->len && f->s[f->at] != '"'; f->at++)
		f->at += f->s[f->at] == '\\';
	return f->at++ < f->len;
}

/* Over a value: a string, or brackets with all that is in them. */
static bool skip_value(struct finder *f)
{
	size_t depth = 0;

	do {
		char c = f->at < f->len ? f->s[f->at] : 0;

		if (c == '"') {
			if (!skip_text(f))
				return false;
			continue;
		}
		depth += c == '{' || c == '[';
		if ((c == '}' || c == ']') && depth-- == 0)
			return false;
		f->at++;
	} while (depth && f->at < f->len);
	return f->at <= f->len && !depth;
}

/* "key": with the value behind it; 1 at the end of the object, -1 when this is something else. */
static int next_member(struct finder *f, const char **key, size_t *keylen)
{
	skip_blank(f);
	if (f->at < f->len && f->s[f->at] == '}')
		return 1;
	if (f->at >= f->len || f->s[f->at] != '"')
		return -1;
	*key = f->s + f->at + 1;
	if (!skip_text(f))
		return -1;
	*keylen = (size_t)(f->s + f->at - 1 - *key);
	skip_blank(f);
	if (f->at >= f->len || f->s[f->at++] != ':' || memchr(*key, '\\', *keylen))
		return -1;
	skip_blank(f);
	return 0;
}

static int find_programs(struct finder *f)
{
	const char *key;
	size_t len;
	int rc;

	f->at++;
	while ((rc = next_member(f, &key, &len)) == 0) {
		size_t from = f->at;

		if (!skip_value(f))
			return -1;
		add_source(f->p, (struct source){ .file = f->file, .key = key, .keylen = len, .text = f->s + from,
						  .len = f->at - from, .prefix = f->prefix, .style = f->style });
	}
	f->at++;
	return rc == 1 ? 0 : -1;
}

static bool is_key(const char *key, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(key, want, len);
}

/* A member of the file beside its programs. */
static bool find_setting(struct finder *f, const char *key, size_t len)
{
	size_t from = f->at;
	const char **to = is_key(key, len, "prefix") ? &f->prefix : is_key(key, len, "style") ? &f->style : NULL;

	if (!skip_value(f))
		return false;
	if (to && f->s[from] == '"')
		*to = arena_strndup(&f->p->mem, f->s + from + 1, f->at - from - 2);
	return !to || *to;
}

static int find_file(struct finder *f)
{
	const char *key;
	size_t len;
	int rc;

	skip_blank(f);
	if (f->at >= f->len || f->s[f->at++] != '{')
		return -1;
	while ((rc = next_member(f, &key, &len)) == 0) {
		if (is_key(key, len, "programs") && f->at < f->len && f->s[f->at] == '{') {
			if (find_programs(f) < 0)
				return -1;
		} else if (!find_setting(f, key, len)) {
			return -1;
		}
	}
	return rc == 1 ? 0 : -1;
}

static int index_file(struct programs *p, const char *path, struct err *e)
{
	struct finder f = { .p = p, .file = arena_strdup(&p->mem, path), .prefix = "", .style = "gnu" };
	struct buf text;
	int rc;

	buf_init(&text, PROGRAMS_MEM / 4);
	rc = io_slurp(path, &text, e);
	if (rc == 0) {
		f.s = arena_strndup(&p->mem, buf_str(&text), text.len);
		f.len = f.s ? text.len : 0;
		rc = find_file(&f) < 0 ? err_set(e, 0, "%s: not a file of programs", path) : 0;
	}
	buf_done(&text);
	return rc;
}

/* All of a file at once, by the schema: mistakes are found with their place, and the examples are kept. */
static int check_file(struct programs *p, const char *path, const char *schema, struct err *e)
{
	struct loader l = { .p = p, .file = arena_strdup(&p->mem, path), .style = "gnu", .strict = true };
	struct node scratch = { 0 };
	int rc;

	if (jsonc_load(path, schema, &l.doc, e) < 0)
		return -1;
	rc = add_examples(&l, json_get(jsonc_root(l.doc), "examples"), e);
	for (const json *x = json_first(json_get(jsonc_root(l.doc), "programs")); x && rc == 0; x = json_next(x))
		rc = parse_body(&l, x, &scratch, 0, e);
	jsonc_free(l.doc);
	if (rc < 0)
		return -1;
	return p->mem.full ? err_set(e, 0, "%s: too much data", path) : 0;
}

static int load_file(struct programs *p, const char *path, const char *schema, struct err *e)
{
	size_t first = p->nsource;

	if (schema && check_file(p, path, schema, e) < 0)
		return -1;
	if (index_file(p, path, e) < 0)
		return -1;
	for (size_t i = first; schema && i < p->nsource; i++) {
		if (read_source(p, &p->source[i], e) < 0)
			return -1;
	}
	return 0;
}

static int entry_cmp(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int is_data_file(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 && !strcmp(d->d_name + len - 5, ".json");
}

int programs_load(const char *dir, const char *schema, struct programs **out, struct err *e)
{
	struct programs *p;
	struct dirent **names = NULL;
	int n = scandir(dir, &names, is_data_file, alphasort), rc = 0;

	if (n < 0)
		return err_set(e, errno, "programs: %s", dir);
	p = xcalloc(1, sizeof(*p));
	arena_init(&p->mem, PROGRAMS_MEM);
	for (int i = 0; i < n; i++) {
		char *path = xasprintf("%s/%s", dir, names[i]->d_name);

		if (!rc)
			rc = load_file(p, path, schema, e);
		free(path);
		free(names[i]);
	}
	free(names);
	if (!rc) {
		qsort(p->entry, p->n, sizeof(*p->entry), entry_cmp);
		for (size_t i = 1; i < p->n && !rc; i++) {
			if (!strcmp(p->entry[i - 1].name, p->entry[i].name))
				rc = err_set(e, 0, "programs: \"%s\" is described twice", p->entry[i].name);
		}
	}
	if (rc) {
		programs_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

void programs_free(struct programs *p)
{
	if (!p)
		return;
	arena_done(&p->mem);
	free(p->entry);
	free(p->source);
	free(p->example);
	free(p);
}

const struct node *programs_find(struct programs *p, const char *name)
{
	struct entry key = { .name = name };
	const struct entry *hit = p->n ? bsearch(&key, p->entry, p->n, sizeof(key), entry_cmp) : NULL;
	struct source *src = hit ? &p->source[hit->source] : NULL;
	struct err e;

	if (src && !src->node && !src->bad)
		read_source(p, src, &e);
	return src ? src->node : NULL;
}

const struct node *programs_sub(const struct node *n, const char *name)
{
	const struct node *any = NULL;

	for (size_t i = 0; i < n->nsub; i++) {
		for (size_t k = 0; k < n->sub[i].nname; k++) {
			if (!strcmp(n->sub[i].name[k], name))
				return &n->sub[i];
			if (!strcmp(n->sub[i].name[k], "*"))
				any = &n->sub[i];
		}
	}
	return any;
}

size_t programs_count(const struct programs *p)
{
	return p->n;
}

const struct program_example *programs_example(const struct programs *p, size_t i)
{
	return i < p->nexample ? &p->example[i] : NULL;
}

const char *programs_name(const struct programs *p, size_t i)
{
	return i < p->n ? p->entry[i].name : NULL;
}

const char *programs_file(const struct programs *p, const char *name)
{
	struct entry key = { .name = name };
	const struct entry *hit = p->n ? bsearch(&key, p->entry, p->n, sizeof(key), entry_cmp) : NULL;

	return hit ? p->source[hit->source].file : NULL;
}

/* ---- files that the system and the person add ------------------------------------------------ */

/* Could this act be what a deny is about? Not: what is only ever asked or allowed, whatever it is done to. */
static bool act_is_grave(const struct act *act)
{
	switch (act->verb) {
	case VERB_DATA:
	case VERB_CHDIR:
	case VERB_HOST:
	case VERB_URL:
	case VERB_PACKAGE:
		return false;
	case VERB_EFFECT:
		break;
	default:
		return true;	/* a path may be a secret or the system's, code may be anything */
	}
	switch (act->effect) {
	case EFFECT_NONE:
	case EFFECT_UNKNOWN:
	case EFFECT_NET:
	case EFFECT_PUBLISH:
	case EFFECT_INSTALL:
	case EFFECT_SERVICE:
	case EFFECT_DATABASE:
	case EFFECT_INFRA:
	case EFFECT_INTERACTIVE:
		return false;
	default:
		return true;
	}
}

static bool acts_are_grave(const struct acts *acts)
{
	for (size_t i = 0; acts && i < acts->n; i++) {
		if (act_is_grave(&acts->act[i]))
			return true;
	}
	return false;
}

/* A description that deny rules rest on: its hook, or one of its acts at any depth. */
static bool node_is_grave(const struct node *n)
{
	if ((n->special && *n->special) || acts_are_grave(&n->does))
		return true;
	for (size_t i = 0; i < n->noption; i++) {
		if (acts_are_grave(n->option[i].acts))
			return true;
	}
	for (size_t i = 0; i < n->noperands; i++) {
		if (acts_are_grave(&(struct acts){ n->operands[i].slot, n->operands[i].n }))
			return true;
	}
	for (size_t i = 0; i < n->nsub; i++) {
		if (node_is_grave(&n->sub[i]))
			return true;
	}
	return false;
}

/* git-push is "git push" where no program of that name is described. */
static const struct node *dashed(struct programs *p, const char *name)
{
	const struct node *git = strncmp(name, "git-", 4) ? NULL : programs_find(p, "git");

	for (size_t i = 0; git && i < git->nsub; i++) {
		for (size_t k = 0; k < git->sub[i].nname; k++) {
			if (!strcmp(git->sub[i].name[k], name + 4))
				return git;
		}
	}
	return NULL;
}

struct adder {
	struct loader	 l;
	size_t		 known;		/* names before this file */
	bool		 replace;	/* the file says that it may describe a known program anew */
	struct err	*e;
};

/* May a file that was added describe @name? */
static int check_name(struct adder *a, const json *at, const char *name)
{
	struct programs *p = a->l.p;
	const char *file = programs_file(p, name);
	const struct node *old = programs_find(p, name);

	old = old ? old : dashed(p, name);
	if (!*name || strpbrk(name, "/*?[\\") || name[0] == '-')
		return jsonc_err(a->l.doc, at, a->e, "found \"%s\", expected the name of a program without its directory", name);
	if (!file && !old && !builtin_is(name))
		return 0;
	if (!old || node_is_grave(old))
		return jsonc_err(a->l.doc, at, a->e, "found \"%s\", which rules that deny rest on (%s), expected the name of another program",
				 name, file ? file : old ? "git" : "the shell");
	if (!a->replace)
		return jsonc_err(a->l.doc, at, a->e, "found \"%s\", which %s describes, expected a new name, or \"replace\": true in this file",
				 name, file);
	return 0;
}

/* The name is taken off its old description. */
static void take_name(struct programs *p, const char *name, size_t source, size_t known)
{
	struct entry key = { .name = name };
	struct entry *hit = known ? bsearch(&key, p->entry, known, sizeof(key), entry_cmp) : NULL;

	if (hit) {
		hit->source = source;
		return;
	}
	p->entry = grow(p->entry, p->n, &p->cap, sizeof(*p->entry));
	p->entry[p->n++] = (struct entry){ name, source };
}

static int check_names(struct adder *a, const json *at, const struct node *n)
{
	struct programs *p = a->l.p;
	char *shown;
	int rc = 0;

	for (size_t i = 0; i < n->nname && !rc; i++) {
		struct quoted q;

		quote_text(&q, n->name[i], strlen(n->name[i]), 80);
		shown = xstrdup(buf_str(&q.text));
		quoted_done(&q);
		rc = strcmp(shown, n->name[i]) ? jsonc_err(a->l.doc, at, a->e, "found the name \"%s\", expected plain letters", shown) :
						 check_name(a, at, n->name[i]);
		free(shown);
		for (size_t k = a->known; k < p->n && !rc; k++) {
			if (!strcmp(p->entry[k].name, n->name[i]))
				rc = jsonc_err(a->l.doc, at, a->e, "found \"%s\" twice, expected it once", n->name[i]);
		}
		for (size_t k = 0; k < i && !rc; k++) {
			if (!strcmp(n->name[k], n->name[i]))
				rc = jsonc_err(a->l.doc, at, a->e, "found \"%s\" twice, expected it once", n->name[i]);
		}
	}
	return rc;
}

static int add_program(struct adder *a, const json *at, const char *prefix)
{
	struct programs *p = a->l.p;
	struct node *n = arena_alloc(&p->mem, sizeof(*n));

	if (!n)
		return err_set(a->e, 0, "%s: too much data", a->l.file);
	parse_names(&a->l, json_key(at), strlen(json_key(at)), prefix, n);
	if (!n->nname)
		return jsonc_err(a->l.doc, at, a->e, "found no name, expected that of a program");
	if (parse_body(&a->l, at, n, 0, a->e) < 0 || check_names(a, at, n) < 0)
		return -1;
	p->source = grow(p->source, p->nsource, &p->capsource, sizeof(*p->source));
	p->source[p->nsource] = (struct source){ .file = a->l.file, .prefix = prefix, .style = a->l.style, .node = n, .added = true };
	for (size_t i = 0; i < n->nname; i++)
		take_name(p, n->name[i], p->nsource, a->known);
	p->nsource++;
	return 0;
}

static int add_document(struct adder *a)
{
	struct programs *p = a->l.p;
	const json *root = jsonc_root(a->l.doc);
	const char *prefix = arena_strdup(&p->mem, json_str(root, "prefix", ""));

	a->l.style = arena_strdup(&p->mem, json_str(root, "style", "gnu"));
	a->replace = json_bool(root, "replace", false);
	for (const json *x = json_first(json_get(root, "programs")); x; x = json_next(x)) {
		if (add_program(a, x, prefix) < 0)
			return -1;
	}
	if (add_examples(&a->l, json_get(root, "examples"), a->e) < 0)
		return -1;
	return p->mem.full ? err_set(a->e, 0, "%s: too much data", a->l.file) : 0;
}

int programs_add(struct programs *p, const char *path, const char *schema, struct err *e)
{
	struct adder a = { .l = { .p = p, .file = arena_strdup(&p->mem, path), .strict = true }, .known = p->n, .e = e };
	int rc;

	if (datafiles_load(path, schema, &a.l.doc, e) < 0)
		return -1;
	rc = add_document(&a);
	jsonc_free(a.l.doc);
	qsort(p->entry, p->n, sizeof(*p->entry), entry_cmp);
	return rc;
}

bool programs_added(const struct programs *p, const char *name)
{
	struct entry key = { .name = name };
	const struct entry *hit = p->n ? bsearch(&key, p->entry, p->n, sizeof(key), entry_cmp) : NULL;

	return hit && p->source[hit->source].added;
}

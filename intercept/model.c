#include "intercept/model.h"

#include "intercept/zsh.h"

#include <stdlib.h>
#include <string.h>

#define BIND_MAX 8192u	/* changes on one line that are kept apart; past it nothing is known */
#define GAP_MAX 32u

bool model_ok(struct expand *x)
{
	if (x->a->full)
		x->stop = true;
	return !x->stop;
}

struct span model_span(const struct expand *x, struct span s)
{
	return x->at ? *x->at : s;
}

static void add_gap(struct expand *x, const struct expand_gap *gap)
{
	if (x->dry)
		return;
	if (!x->gap)
		x->gap = arena_alloc(x->a, GAP_MAX * sizeof(*x->gap));
	if (x->gap && x->ngap < GAP_MAX)
		x->gap[x->ngap++] = *gap;
}

void model_gap(struct expand *x, struct span at, bool incomplete, const char *why)
{
	add_gap(x, &(struct expand_gap){ .why = why, .span = model_span(x, at), .incomplete = incomplete });
}

void model_gap_rule(struct expand *x, struct span at, const char *rule, const char *why)
{
	add_gap(x, &(struct expand_gap){ .why = why, .span = model_span(x, at), .rule = rule });
}

/* ---- pieces --------------------------------------------------------------------------- */

struct piece *piece_text(struct expand *x, const char *s, size_t len)
{
	struct piece *p = arena_alloc(x->a, sizeof(*p));

	if (p) {
		p->text = s;
		p->len = len;
	}
	return p;
}

struct piece *piece_str(struct expand *x, const char *s)
{
	return s ? piece_text(x, s, strlen(s)) : NULL;
}

struct piece *piece_unknown(struct expand *x, const char *why)
{
	struct piece *p = piece_text(x, "", 0);

	if (p) {
		p->kind = PIECE_UNKNOWN;
		p->why = why;
	}
	return p;
}

struct piece *piece_solid(struct expand *x, const char *why)
{
	struct piece *p = piece_unknown(x, why);

	if (p)
		p->solid = true;
	return p;
}

struct piece *piece_copy(struct expand *x, const struct piece *p)
{
	struct piece *first = NULL, **tail = &first;

	for (; p; p = p->next) {
		struct piece *q = arena_alloc(x->a, sizeof(*q));

		if (!q)
			break;
		*q = *p;
		q->next = NULL;
		*tail = q;
		tail = &q->next;
	}
	return first;
}

const char *piece_exact(struct expand *x, const struct piece *p)
{
	size_t len = 0;
	char *s;

	for (const struct piece *q = p; q; q = q->next) {
		if (q->kind != PIECE_TEXT)
			return NULL;
		len += q->len;
	}
	s = arena_alloc(x->a, len + 1);
	len = 0;
	for (; p && s; p = p->next) {
		memcpy(s + len, p->text, p->len);
		len += p->len;
	}
	return s;
}

void piece_append(struct piece ***tail, struct piece *list)
{
	**tail = list;
	while (**tail)
		*tail = &(**tail)->next;
}

bool piece_same(const struct piece *a, const struct piece *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (a == b)
			return true;
		if (a->kind != b->kind || a->len != b->len || memcmp(a->text, b->text, a->len) != 0)
			return false;
		if (a->kind != PIECE_TEXT)
			return false;		/* two unknowns are not the same text */
	}
	return !a && !b;
}

/* ---- variables, functions, aliases, options ------------------------------------------- */

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static const struct binding *find_in(const struct binding *b, uint32_t h, const char *name)
{
	for (; b; b = b->next) {
		if (!b->name || (b->hash == h && strcmp(b->name, name) == 0))
			return b;
	}
	return NULL;
}

const struct binding *model_find(struct expand *x, enum live_kind kind, const char *name)
{
	return x->st.bind[kind] ? find_in(x->st.bind[kind], hash(name), name) : NULL;
}

void model_set(struct expand *x, enum live_kind kind, const char *name, const struct value *v, struct ast *fn)
{
	struct binding *b;

	if (x->st.nbind >= BIND_MAX) {
		model_taint(x, "too many changes of variables on the line");
		x->st.nbind = 0;
	}
	b = arena_alloc(x->a, sizeof(*b));
	if (!b)
		return;
	*b = (struct binding){ .next = x->st.bind[kind], .name = name, .hash = hash(name), .value = *v, .fn = fn };
	x->st.bind[kind] = b;
	x->st.nbind++;
}

void model_unset(struct expand *x, enum live_kind kind, const char *name)
{
	model_set(x, kind, name, &(struct value){ .state = LIVE_UNSET }, NULL);
}

/* Values that bash makes itself at every look. */
static const char *const dynamic[] = {
	"RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_COMMAND",
	"PIPESTATUS", "FUNCNAME", "BASH_SUBSHELL", "BASH_LINENO", "BASH_SOURCE", "BASH_ARGV", "BASH_ARGC", "DIRSTACK",
	"COPROC", "MAPFILE", NULL
};

static bool is_dynamic(const char *name)
{
	for (size_t i = 0; dynamic[i]; i++) {
		if (strcmp(dynamic[i], name) == 0)
			return true;
	}
	return false;
}

static struct value *value_new(struct expand *x)
{
	static struct value none;	/* out of arena: unknown */
	struct value *v = arena_alloc(x->a, sizeof(*v));

	return v ? v : &none;
}

static struct value *scalar(struct expand *x, const char *s)
{
	struct value *v = value_new(x);

	v->state = LIVE_SCALAR;
	v->text = piece_str(x, s);
	return v;
}

static struct value *from_live(struct expand *x, const struct live_value *l)
{
	struct value *v = value_new(x);
	struct piece **val;

	v->state = l->state;
	v->exported = l->exported;
	v->is_readonly = l->is_readonly;
	v->integer = l->integer;
	v->nameref = l->nameref;
	if (l->state == LIVE_UNKNOWN)
		v->why = "its value is not known";
	if (l->state == LIVE_SCALAR)
		v->text = piece_str(x, arena_strdup(x->a, l->text));
	if (l->state != LIVE_ARRAY && l->state != LIVE_ASSOC)
		return v;
	val = arena_alloc(x->a, (l->n + 1) * sizeof(*val));
	if (!val)
		return value_new(x);
	for (size_t i = 0; i < l->n; i++)
		val[i] = piece_str(x, l->val[i]);
	v->n = l->n;
	v->key = l->key;
	v->val = val;
	return v;
}

/* What the line itself says about the shell when nobody answers for the variable. */
static const char *from_line(const struct expand *x, const char *name)
{
	const struct cmdline *l = x->in.line;

	if (strcmp(name, "HOME") == 0)
		return l->home;
	if (strcmp(name, "PWD") == 0)
		return l->cwd;
	if (strcmp(name, "USER") == 0 || strcmp(name, "LOGNAME") == 0)
		return l->user;
	return NULL;
}

static const char *const always_exported[] = { "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "PATH", "TERM", "LANG",
					       "TMPDIR", NULL };

static bool is_always_exported(const char *name)
{
	for (size_t i = 0; always_exported[i]; i++) {
		if (strcmp(always_exported[i], name) == 0)
			return true;
	}
	return false;
}

static const struct value *look_up(struct expand *x, const char *name)
{
	const struct live_value *l = live_get(x->in.live, LIVE_VAR, name);
	const char *text = l->state == LIVE_UNKNOWN || (l->state == LIVE_UNSET && live_is_complete(x->in.live, LIVE_VAR)) ?
			   from_line(x, name) : NULL;
	struct value *v;

	if (text)
		return scalar(x, text);
	if (l->state == LIVE_UNSET && strcmp(name, "IFS") == 0 && live_is_complete(x->in.live, LIVE_VAR))
		return scalar(x, " \t\n");
	v = from_live(x, l);
	if (x->st.new_shell && v->state != LIVE_UNSET && !v->exported && !is_always_exported(name)) {
		v->state = LIVE_UNKNOWN;
		v->why = "it may not be exported to the inner shell";
	}
	return v;
}

const struct value *model_var(struct expand *x, const char *name)
{
	const struct binding *b;
	struct value *v;

	if (strcmp(name, ZSH_UNREAD) == 0) {
		v = value_new(x);
		v->why = "an expansion that is not followed";
		return v;
	}
	if (is_dynamic(name)) {
		v = value_new(x);
		v->why = "bash makes it up at every look";
		return v;
	}
	b = model_find(x, LIVE_VAR, name);
	if (b)
		return &b->value;
	if (strcmp(name, "PWD") == 0 && x->st.cwd)
		return scalar(x, x->st.cwd);
	return look_up(x, name);
}

void model_set_text(struct expand *x, const char *name, struct piece *text)
{
	struct value v = *model_var(x, name);
	bool plain = !v.integer && !v.lower && !v.upper && !v.flux;

	if (v.is_readonly)
		return;
	if (v.nameref) {
		model_taint(x, "a variable is set through another one");
		return;
	}
	v.state = LIVE_SCALAR;
	v.text = plain ? text : piece_unknown(x, "value of a variable with an attribute");
	v.why = NULL;
	model_set(x, LIVE_VAR, name, &v, NULL);
}

int model_utf8(struct expand *x)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct value *v = model_var(x, names[i]);
		const char *s = v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;

		if (v->state != LIVE_UNSET && !s)
			return -1;
		if (!s || !*s)
			continue;
		if (strcasestr(s, "utf-8") || strcasestr(s, "utf8"))
			return 1;
		return strcmp(s, "C") == 0 || strcmp(s, "POSIX") == 0 ? 0 : -1;
	}
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Is @b the newest of its name? An array without elements may not even be set. */
static bool is_newest(const struct expand *x, const struct binding *b)
{
	return find_in(x->st.bind[LIVE_VAR], b->hash, b->name) == b;
}

bool model_names(struct expand *x, const char *prefix, struct value *out)
{
	size_t n = 0, len = strlen(prefix);
	const char **name;
	struct piece **val;

	/* bash's own ones are in capitals or begin with _ */
	if (*prefix < 'a' || *prefix > 'z' || !live_is_complete(x->in.live, LIVE_VAR) ||
	    live_has_prefix(x->in.live, LIVE_VAR, prefix))
		return false;
	for (const struct binding *b = x->st.bind[LIVE_VAR]; b; b = b->next)
		n++;
	name = arena_alloc(x->a, (n + 1) * sizeof(*name));
	val = arena_alloc(x->a, (n + 1) * sizeof(*val));
	n = 0;
	for (const struct binding *b = x->st.bind[LIVE_VAR]; b && name && val; b = b->next) {
		if (!b->name)
			return false;
		if (strncmp(b->name, prefix, len) != 0 || !is_newest(x, b) || b->value.state == LIVE_UNSET)
			continue;
		if (b->value.state == LIVE_UNKNOWN || (b->value.state != LIVE_SCALAR && !b->value.n))
			return false;
		name[n++] = b->name;
	}
	if (!name || !val)
		return false;
	qsort(name, n, sizeof(*name), by_text);
	for (size_t i = 0; i < n; i++)
		val[i] = piece_str(x, name[i]);
	*out = (struct value){ .state = LIVE_ARRAY, .n = n, .val = val, .key = name };
	return true;
}

int model_option(struct expand *x, const char *name)
{
	const struct binding *b = model_find(x, LIVE_OPTION, name);
	const struct live_value *l;

	if (b)
		return b->value.state == LIVE_UNKNOWN ? -1 : b->value.state == LIVE_SCALAR;
	if (x->st.new_shell)
		return 0;
	l = live_get(x->in.live, LIVE_OPTION, name);
	if (l->state == LIVE_UNKNOWN)
		return -1;
	return l->state == LIVE_SCALAR && strcmp(l->text, "on") == 0;
}

void model_set_option(struct expand *x, const char *name, int on)
{
	struct value v = { .state = on < 0 ? LIVE_UNKNOWN : on ? LIVE_SCALAR : LIVE_UNSET };

	model_set(x, LIVE_OPTION, name, &v, NULL);
}

const char *model_home(struct expand *x)
{
	const struct value *v = model_var(x, "HOME");

	if (v->state == LIVE_UNSET)
		return x->in.line->home;
	return v->state == LIVE_SCALAR ? piece_exact(x, v->text) : NULL;
}

void model_taint(struct expand *x, const char *why)
{
	static const enum live_kind kinds[] = { LIVE_VAR, LIVE_OPTION };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct binding *b = arena_alloc(x->a, sizeof(*b));

		if (!b)
			return;
		b->value.why = why;
		x->st.bind[kinds[i]] = b;	/* what is older does not count any more */
	}
	x->st.cwd = x->st.real = NULL;
	x->st.nwhere = 0;
	x->st.cwd_why = why;
	x->st.dirs_unknown = true;
	x->st.pos_unknown = true;
}

/* ---- the working directory ------------------------------------------------------------ */

const char *model_path(struct expand *x, const char *cwd, const char *path)
{
	size_t cap = strlen(path) + (path[0] == '/' ? 0 : strlen(cwd)) + 3, n = 0;
	char *out = arena_alloc(x->a, cap);
	const char *in = arena_printf(x->a, "%s/%s", path[0] == '/' ? "" : cwd, path);

	if (!out || !in)
		return NULL;
	while (*in) {
		size_t len = strcspn(in, "/");

		if (len == 2 && memcmp(in, "..", 2) == 0) {
			while (n && out[--n] != '/')
				;
		} else if (len && !(len == 1 && *in == '.')) {
			out[n++] = '/';
			memcpy(out + n, in, len);
			n += len;
		}
		in += len + (in[len] == '/');
	}
	if (!n)
		out[n++] = '/';
	out[n] = '\0';
	return out;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	return n && strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

/* One link of @path is resolved from component @at on; NULL: there is none (more). */
static const char *resolve_one(struct expand *x, const char *path, size_t at)
{
	const struct world *w = x->in.world;

	while (path[at]) {
		size_t end = at + 1 + strcspn(path + at + 1, "/");
		const char *head = arena_strndup(x->a, path, end), *dir = arena_strndup(x->a, path, at);

		if (head && dir && w->type(w->arg, head) == WORLD_LINK) {
			CLEANUP(buf_done) struct buf target = { .max = 4096 };

			if (w->link(w->arg, head, &target) < 0)
				return NULL;
			head = arena_printf(x->a, "%s%s", buf_str(&target), path + end);
			return head ? model_path(x, *dir ? dir : "/", head) : NULL;
		}
		at = end;
	}
	return NULL;
}

const char *model_real(struct expand *x, const char *path)
{
	const struct cmdline *l = x->in.line;

	for (int i = 0; i < 16 && x->in.world && path; i++) {
		size_t at = is_below(path, l->cwd) ? strlen(l->cwd) : is_below(path, l->workspace) ?
			    strlen(l->workspace) : 0;
		const char *next = resolve_one(x, path, at == 1 ? 0 : at);

		if (!next)
			break;
		path = next;
	}
	return path;
}

bool model_is_made(const struct expand *x, const char *path)
{
	const struct dirs *d = x->made;

	while (d && strcmp(d->path, path) != 0)
		d = d->next;
	return d != NULL;
}

void model_chdir(struct expand *x, const char *path, const char *why)
{
	struct value old = *model_var(x, "OLDPWD"), v = *model_var(x, "PWD");

	old.state = x->st.cwd ? LIVE_SCALAR : LIVE_UNKNOWN;
	old.text = piece_str(x, x->st.cwd);
	old.why = x->st.cwd_why;
	v.state = path ? LIVE_SCALAR : LIVE_UNKNOWN;
	v.text = piece_str(x, path);
	v.why = why;
	model_set(x, LIVE_VAR, "OLDPWD", &old, NULL);
	model_set(x, LIVE_VAR, "PWD", &v, NULL);
	x->st.cwd = path;
	x->st.real = path ? model_real(x, path) : NULL;
	x->st.cwd_why = path ? NULL : why;
	x->st.nwhere = 0;
}

bool model_add_where(struct state *st, const char *real)
{
	for (unsigned i = 0; i < st->nwhere; i++) {
		if (strcmp(st->where[i], real) == 0)
			return true;
	}
	if (st->nwhere == STATE_WHERE)
		return false;
	st->where[st->nwhere++] = real;
	return true;
}

/* ---- joining two ways that the shell may have gone ------------------------------------- */

static bool value_same(const struct value *a, const struct value *b)
{
	if (a->state != b->state || a->state == LIVE_UNKNOWN)
		return a->state == b->state;
	if (a->state == LIVE_UNSET)
		return true;
	if (a->state == LIVE_SCALAR)
		return piece_same(a->text, b->text);
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (strcmp(a->key[i], b->key[i]) != 0 || !piece_same(a->val[i], b->val[i]))
			return false;
	}
	return true;
}

static bool attributes_same(const struct value *a, const struct value *b)
{
	return a->is_readonly == b->is_readonly && a->integer == b->integer && a->nameref == b->nameref &&
	       a->lower == b->lower && a->upper == b->upper && a->flux == b->flux;
}

static const struct value *peek(struct expand *x, const struct state *s, enum live_kind kind, const char *name)
{
	struct state keep = x->st;
	const struct value *v;
	const struct binding *b;

	x->st = *s;
	b = model_find(x, kind, name);
	if (b)
		v = &b->value;
	else if (kind == LIVE_VAR)
		v = model_var(x, name);
	else
		v = from_live(x, live_get(x->in.live, kind, name));
	x->st = keep;
	return v;
}

static void set_in(struct expand *x, struct state *s, enum live_kind kind, const char *name, const struct value *v, struct ast *fn)
{
	struct state keep = x->st;

	x->st = *s;
	model_set(x, kind, name, v, fn);
	*s = x->st;
	if (s != &x->st)
		x->st = keep;
}

static bool join_name(struct expand *x, struct state *into, const struct state *other, enum live_kind kind,
		      const struct binding *b)
{
	const struct value *u = peek(x, into, kind, b->name), *v = peek(x, other, kind, b->name);
	struct value both = *u;

	if (u == v || ((u->state == LIVE_UNKNOWN || value_same(u, v)) && (u->flux || attributes_same(u, v))))
		return false;
	both.flux = u->flux || !attributes_same(u, v);
	both.state = LIVE_UNKNOWN;
	both.text = NULL;
	both.n = 0;
	both.why = "it depends on a condition";
	set_in(x, into, kind, b->name, &both, NULL);
	return true;
}

/* What @name calls: a function of the line, nothing, or (not known) one that the shell has from before. */
static struct binding callee(struct expand *x, const struct state *s, const struct binding *like)
{
	const struct binding *b = find_in(s->bind[LIVE_FUNCTION], like->hash, like->name);

	if (b)
		return *b;
	if (!s->new_shell && live_get(x->in.live, LIVE_FUNCTION, like->name)->state == LIVE_SCALAR)
		return (struct binding){ .value = { .state = LIVE_UNKNOWN } };
	return (struct binding){ .value = { .state = LIVE_UNSET } };
}

/* In flux: it may be missing, and a program has its turn. Unknown: one body or another. */
static bool join_function(struct expand *x, struct state *into, const struct state *other, const struct binding *b)
{
	struct binding u = callee(x, into, b), v = callee(x, other, b);
	struct value both = { .state = LIVE_SCALAR };
	struct ast *fn = u.fn ? u.fn : v.fn;

	if (u.value.state == v.value.state && u.fn == v.fn && u.value.flux == v.value.flux)
		return false;
	both.flux = u.value.flux || v.value.flux || u.value.state == LIVE_UNSET || v.value.state == LIVE_UNSET;
	if (u.value.state == LIVE_UNKNOWN || v.value.state == LIVE_UNKNOWN || (u.fn && v.fn && u.fn != v.fn))
		both.state = LIVE_UNKNOWN;
	if (u.value.state == both.state && u.fn == fn && u.value.flux == both.flux)
		return false;
	set_in(x, into, LIVE_FUNCTION, b->name, &both, fn);
	return true;
}

static bool join_one(struct expand *x, struct state *into, const struct state *other, enum live_kind kind,
		     const struct binding *b)
{
	return kind == LIVE_FUNCTION ? join_function(x, into, other, b) : join_name(x, into, other, kind, b);
}

static size_t chain_length(const struct binding *b)
{
	size_t n = 0;

	for (; b; b = b->next)
		n++;
	return n;
}

/* Where two chains become one. */
static struct binding *common(struct binding *a, struct binding *b)
{
	size_t na = chain_length(a), nb = chain_length(b);

	for (; na > nb; na--)
		a = a->next;
	for (; nb > na; nb--)
		b = b->next;
	while (a != b) {
		a = a->next;
		b = b->next;
	}
	return a;
}

static bool join_bindings(struct expand *x, struct state *into, const struct state *other, enum live_kind kind)
{
	struct binding *a = into->bind[kind], *b = other->bind[kind], *meet;
	bool changed = false;

	if (a == b)
		return false;
	meet = common(a, b);
	for (struct binding *p = a; p != meet && p->name; p = p->next)
		changed |= join_one(x, into, other, kind, p);
	for (struct binding *p = b; p != meet; p = p->next) {
		if (!p->name) {			/* the other side knows nothing: neither do we */
			into->bind[kind] = p;
			return true;
		}
		changed |= join_one(x, into, other, kind, p);
	}
	return changed;
}

/* All the places where a side may be; false: it may be anywhere. */
static bool add_places(struct state *into, const struct state *side)
{
	if (side->real)
		return model_add_where(into, side->real);
	for (unsigned i = 0; i < side->nwhere; i++) {
		if (!model_add_where(into, side->where[i]))
			return false;
	}
	return side->nwhere > 0;
}

static bool join_cwd(struct state *into, const struct state *other)
{
	struct state both = { 0 };
	bool known;

	if (into->cwd && other->cwd && strcmp(into->cwd, other->cwd) == 0)
		return false;
	known = add_places(&both, into) && add_places(&both, other);
	if (!into->cwd && (!into->nwhere || (known && both.nwhere == into->nwhere)))
		return false;
	if (into->cwd)
		into->cwd_why = other->cwd ? "the directory depends on whether a command succeeds" : other->cwd_why;
	into->cwd = into->real = NULL;
	into->nwhere = known ? both.nwhere : 0;
	memcpy(into->where, both.where, sizeof(both.where));
	return true;
}

static bool join_rest(struct state *into, const struct state *other)
{
	bool changed = false;

	if (into->dirs != other->dirs || other->dirs_unknown) {
		changed |= !into->dirs_unknown;
		into->dirs_unknown = true;
	}
	if (into->pos != other->pos || into->npos != other->npos || other->pos_unknown) {
		changed |= !into->pos_unknown;
		into->pos_unknown = true;
	}
	return changed;
}

bool model_join(struct expand *x, struct state *into, const struct state *other)
{
	bool changed = false;
	unsigned doubt = into->doubt | other->doubt;

	into->doubt = doubt;
	if (other->dead)
		return false;
	if (into->dead) {
		*into = *other;
		into->doubt = doubt;
		return true;
	}
	changed |= join_cwd(into, other);
	changed |= join_rest(into, other);
	for (size_t k = 0; k < LIVE_KIND_COUNT; k++)
		changed |= join_bindings(x, into, other, (enum live_kind)k);
	return changed;
}

#include "intercept/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define GLOB_NAMES 4096u	/* matches of one pattern; more are not listed */
#define GLOB_STEPS 100000u	/* work of one match: a pattern of stars must not take for ever */
#define GLOB_DEPTH 32u

/* ---- one pattern, one text ------------------------------------------------------------ */

struct match {
	bool		 fold;
	unsigned	 steps;
	unsigned	 depth;
};

static const char *match_here(struct match *m, const char *p, const char *pend, const char *s, const char *end);

/* A character is what UTF-8 makes one; a byte that is none stands for itself. */
struct letter {
	unsigned long	code;
	size_t		len;
};

#define BYTE 0x200000ul		/* above all codes */

static struct letter letter_at(const char *s, const char *end)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = *u < 0x80 ? 1 : *u >= 0xc2 && *u < 0xe0 ? 2 : *u >= 0xe0 && *u < 0xf0 ? 3 : *u >= 0xf0 && *u < 0xf5 ? 4 : 0;
	unsigned long v = n == 1 ? *u : n == 2 ? *u & 0x1fu : n == 3 ? *u & 0x0fu : *u & 0x07u;

	if (!n || (size_t)(end - s) < n)
		return (struct letter){ BYTE | *u, 1 };
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return (struct letter){ BYTE | *u, 1 };
		v = v << 6 | (u[i] & 0x3fu);
	}
	return (struct letter){ v, n };
}

bool glob_boundary(const char *s, size_t i)
{
	return ((unsigned char)s[i] & 0xc0) != 0x80;
}

/* What the locale's tables say of letters beyond ASCII is not known here. */
static void give_up(struct match *m)
{
	m->steps = GLOB_STEPS + 1;
}

static unsigned long fold_code(struct match *m, unsigned long c)
{
	if (m->fold && c >= 0x80)
		give_up(m);
	return m->fold && c < 0x80 ? (unsigned long)tolower((int)c) : c;
}

static const struct { const char *name; int (*is)(int); } classes[] = {
	{ "alpha", isalpha }, { "digit", isdigit }, { "alnum", isalnum }, { "upper", isupper }, { "lower", islower },
	{ "space", isspace }, { "blank", isblank }, { "punct", ispunct }, { "print", isprint }, { "graph", isgraph },
	{ "cntrl", iscntrl }, { "xdigit", isxdigit },
};

static bool in_class(struct match *m, const char *name, size_t len, unsigned long code)
{
	int c = (int)code;

	if (code >= 0x80) {
		give_up(m);
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		if (strlen(classes[i].name) == len && memcmp(classes[i].name, name, len) == 0)
			return classes[i].is(c);
	}
	return len == 4 && memcmp(name, "word", 4) == 0 && (isalnum(c) || c == '_');
}

/* After "[": the position after "]" with *hit, NULL when it is no bracket expression. */
static const char *bracket(struct match *m, const char *p, const char *pend, unsigned long c, bool *hit)
{
	bool negate = p < pend && (*p == '!' || *p == '^'), found = false;
	const char *start;

	p += negate;
	for (start = p; p < pend && (*p != ']' || p == start); ) {
		const char *close = p + 1 < pend && *p == '[' && p[1] == ':' ? strstr(p + 2, ":]") : NULL;
		struct letter lo, hi;

		if (close && close < pend) {
			found |= in_class(m, p + 2, (size_t)(close - p) - 2, c);
			p = close + 2;
			continue;
		}
		if (*p == '\\' && p + 1 < pend)
			p++;
		lo = hi = letter_at(p, pend);
		p += lo.len;
		if (p + 1 < pend && *p == '-' && p[1] != ']') {
			p++;
			if (*p == '\\' && p + 1 < pend)
				p++;
			hi = letter_at(p, pend);
			p += hi.len;
		}
		found |= fold_code(m, c) >= fold_code(m, lo.code) && fold_code(m, c) <= fold_code(m, hi.code);
	}
	if (p >= pend)
		return NULL;
	*hit = found != negate;
	return p + 1;
}

/* The ")" for the group whose inside starts at @p. */
static const char *group_end(const char *p, const char *pend)
{
	unsigned depth = 1;

	for (; p < pend; p++) {
		if (*p == '\\')
			p++;
		else if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p;
	}
	return NULL;
}

static const char *next_alternative(const char *p, const char *pend)
{
	unsigned depth = 0;

	for (; p < pend; p++) {
		if (*p == '\\')
			p++;
		else if (*p == '(')
			depth++;
		else if (*p == ')')
			depth--;
		else if (*p == '|' && !depth)
			return p;
	}
	return pend;
}

/* Does one of the alternatives match all of [s, t)? */
static bool any_of(struct match *m, const char *p, const char *pend, const char *s, const char *t)
{
	while (p <= pend) {
		const char *bar = next_alternative(p, pend);

		if (match_here(m, p, bar, s, t))
			return true;
		p = bar + 1;
	}
	return false;
}

/* ?(..) *(..) +(..) @(..) !(..): try each length of the text that the group may take. */
static const char *group(struct match *m, const char *p, const char *pend, const char *s, const char *end)
{
	char kind = *p;
	const char *in = p + 2, *close = group_end(in, pend), *r;

	if ((kind == '?' || kind == '*') && (r = match_here(m, close + 1, pend, s, end)))
		return r;
	for (const char *t = s; t <= end; t++) {
		bool hit = any_of(m, in, close, s, t);

		if (kind == '!' ? hit : !hit)
			continue;
		r = match_here(m, close + 1, pend, t, end);
		if (!r && t > s && (kind == '*' || kind == '+'))
			r = match_here(m, p, pend, t, end);
		if (r)
			return r;
	}
	return NULL;
}

static bool is_group(const char *p, const char *pend)
{
	return p + 1 < pend && p[1] == '(' && strchr("?*+@!", *p) && group_end(p + 2, pend);
}

static const char *star(struct match *m, const char *p, const char *pend, const char *s, const char *end)
{
	while (p < pend && *p == '*' && !is_group(p, pend))
		p++;
	if (p == pend)
		return end;
	for (; s <= end; s++) {
		const char *r = match_here(m, p, pend, s, end);

		if (r)
			return r;
	}
	return NULL;
}

/* Match all of the text; the result is not NULL on success. */
static const char *match_one(struct match *m, const char *p, const char *pend, const char *s, const char *end)
{
	while (p < pend) {
		struct letter c;
		const char *after;
		bool hit;

		if (m->steps++ > GLOB_STEPS)
			return NULL;
		if (is_group(p, pend))
			return group(m, p, pend, s, end);
		if (*p == '*')
			return star(m, p, pend, s, end);
		if (s >= end)
			return NULL;
		c = letter_at(s, end);
		after = *p == '[' ? bracket(m, p + 1, pend, c.code, &hit) : NULL;
		if (after) {
			if (!hit)
				return NULL;
			p = after;
		} else if (*p == '?') {
			p++;
		} else {
			struct letter want;

			p += *p == '\\' && p + 1 < pend;
			want = letter_at(p, pend);
			if (fold_code(m, want.code) != fold_code(m, c.code))
				return NULL;
			p += want.len;
		}
		s += c.len;
	}
	return s == end ? s : NULL;
}

static const char *match_here(struct match *m, const char *p, const char *pend, const char *s, const char *end)
{
	const char *r;

	if (m->depth > 400) {
		m->steps = GLOB_STEPS + 1;
		return NULL;
	}
	m->depth++;
	r = match_one(m, p, pend, s, end);
	m->depth--;
	return r;
}

static bool match(const char *pattern, const char *s, size_t len, bool fold, bool *gave_up)
{
	struct match m = { .fold = fold };
	bool hit = match_here(&m, pattern, pattern + strlen(pattern), s, s + len) != NULL;

	*gave_up = m.steps > GLOB_STEPS;
	return hit;
}

int glob_match(const char *pattern, const char *s, size_t len, bool fold)
{
	bool gave_up, hit = match(pattern, s, len, fold, &gave_up);

	return gave_up ? -1 : hit;
}

long glob_front(const char *pattern, const char *s, size_t len, bool longest)
{
	for (size_t i = 0; i <= len; i++) {
		size_t n = longest ? len - i : i;
		bool gave_up;

		if (n < len && !glob_boundary(s, n))
			continue;
		if (match(pattern, s, n, false, &gave_up))
			return (long)n;
		if (gave_up)
			return -2;
	}
	return -1;
}

long glob_back(const char *pattern, const char *s, size_t len, bool longest)
{
	for (size_t i = 0; i <= len; i++) {
		size_t n = longest ? len - i : i;
		bool gave_up;

		if (n && !glob_boundary(s, len - n))
			continue;
		if (match(pattern, s + len - n, n, false, &gave_up))
			return (long)n;
		if (gave_up)
			return -2;
	}
	return -1;
}

int glob_in_locale(struct expand *x, const char *pattern, const char *s, bool fold)
{
	/* a star takes bytes as well as characters */
	if (!text_is_ascii(s) && strpbrk(pattern, "?[") && model_utf8(x) != 1)
		return -1;
	return glob_match(pattern, s, strlen(s), fold);
}

/* ---- names in directories ------------------------------------------------------------- */

struct names {
	struct expand	*x;
	const char	**v;
	size_t		 n, cap;
	bool		 failed;
};

static void names_add(struct names *l, const char *s)
{
	if (!s || l->n == GLOB_NAMES) {
		l->failed = true;
		return;
	}
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		const char **n = arena_alloc(l->x->a, cap * sizeof(*n));

		if (!n) {
			l->failed = true;
			return;
		}
		if (l->n)
			memcpy(n, l->v, l->n * sizeof(*n));
		l->v = n;
		l->cap = cap;
	}
	l->v[l->n++] = s;
}

struct scan {
	struct names	 found;
	const char	*pattern;
	bool		 dots, fold;
	bool		 made;		/* the line made the directory */
};

static bool hidden(const char *pattern, const char *name, bool dots)
{
	return name[0] == '.' && !dots && pattern[0] != '.' && !(pattern[0] == '\\' && pattern[1] == '.');
}

static bool on_name(void *arg, const char *name)
{
	struct scan *s = arg;
	int hit = hidden(s->pattern, name, s->dots) ? 0 : glob_in_locale(s->found.x, s->pattern, name, s->fold);

	s->found.failed |= hit < 0;
	if (hit == 1)
		names_add(&s->found, arena_strdup(s->found.x->a, name));
	return !s->found.failed;
}

static int by_name(const void *a, const void *b)
{
	return strcoll(*(const char *const *)a, *(const char *const *)b);
}

static bool has_magic(const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (strchr("*?[", *s) || (strchr("@+!", *s) && s[1] == '('))
			return true;
	}
	return false;
}

static const char *unescape(struct expand *x, const char *s)
{
	char *out = arena_strdup(x->a, s);
	size_t n = 0;

	if (!out)
		return NULL;
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		out[n++] = *s;
	}
	out[n] = '\0';
	return out;
}

struct walk {
	struct expand	*x;
	const char	*cwd;
	bool		 dots, fold, star2, unknown;
	struct names	 out;
	unsigned	 depth;
};

static void walk(struct walk *w, const char *base, const char *rest);

static const char *absolute(struct walk *w, const char *base)
{
	return *base == '/' ? model_path(w->x, "/", base) : model_path(w->x, w->cwd, base);
}

/* Is it there, and (when more follows) a directory? Links are taken as they may be: directories. */
static bool there(struct walk *w, const char *path, bool dir)
{
	const struct world *world = w->x->in.world;
	const char *full = absolute(w, path);
	enum world_type t = !full ? WORLD_UNKNOWN : model_is_made(w->x, full) ? WORLD_DIR : world->type(world->arg, full);

	if (t == WORLD_UNKNOWN || (dir && t == WORLD_LINK))
		w->unknown = true;
	return t != WORLD_ABSENT && (!dir || t == WORLD_DIR || t == WORLD_LINK || t == WORLD_UNKNOWN);
}

static const char *join(struct walk *w, const char *base, const char *name)
{
	return base && name ? arena_printf(w->x->a, "%s%s", base, name) : NULL;
}

/* Directories in @dir that the line made; those that were there before are listed anyway. */
static void made_names(const char *dir, struct scan *s)
{
	struct expand *x = s->found.x;
	size_t len = dir ? strlen(dir) : 0;

	s->made = dir && model_is_made(x, dir);
	for (const struct dirs *d = x->made; d && dir; d = d->next) {
		const char *name = d->path + len + 1;

		if (strncmp(d->path, dir, len) != 0 || d->path[len] != '/' || strchr(name, '/'))
			continue;
		if (x->in.world->type(x->in.world->arg, d->path) == WORLD_ABSENT)
			on_name(s, name);
	}
}

static void list(struct walk *w, const char *base, struct scan *s)
{
	const struct world *world = w->x->in.world;
	const char *dir = *base ? absolute(w, base) : w->cwd;
	enum world_type t = dir ? world->type(world->arg, dir) : WORLD_UNKNOWN;

	made_names(dir, s);
	if ((t == WORLD_ABSENT || t == WORLD_FILE) && (*base || s->made))
		return;
	if (!dir || world->list(world->arg, dir, on_name, s) < 0 || s->found.failed)
		w->unknown = true;
}

/* ** as a whole component: no, one or many directories (globstar). */
static void star2(struct walk *w, const char *base, const char *rest)
{
	struct scan s = { .found.x = w->x, .pattern = "*", .dots = w->dots };

	if (*rest)
		walk(w, base, rest);
	list(w, base, &s);
	if (s.found.n)
		qsort(s.found.v, s.found.n, sizeof(*s.found.v), by_name);
	for (size_t i = 0; i < s.found.n && !w->unknown; i++) {
		const char *path = join(w, base, s.found.v[i]);

		if (!*rest)
			names_add(&w->out, path);
		if (path && there(w, path, true))
			star2(w, join(w, path, "/"), rest);
	}
}

static void component(struct walk *w, const char *base, const char *part, const char *rest, bool slash)
{
	struct scan s = { .found.x = w->x, .pattern = part, .dots = w->dots, .fold = w->fold };

	list(w, base, &s);
	for (size_t i = 0; i < s.found.n && !w->unknown; i++) {
		const char *path = join(w, base, s.found.v[i]);

		if (!path || (slash && !there(w, path, true)))
			continue;
		if (slash)
			walk(w, join(w, path, "/"), rest);
		else
			names_add(&w->out, path);
	}
}

/* @base: what is fixed already, with its slash; @rest: the pattern that is left. */
static void walk(struct walk *w, const char *base, const char *rest)
{
	const char *slash = strchr(rest, '/'), *part, *after;

	if (!base || w->depth > GLOB_DEPTH || w->x->a->full) {
		w->unknown = true;
		return;
	}
	if (!*rest) {
		if (there(w, base, true))
			names_add(&w->out, base);
		return;
	}
	w->depth++;
	part = slash ? arena_strndup(w->x->a, rest, (size_t)(slash - rest)) : rest;
	for (after = slash; after && *after == '/'; )
		after++;
	if (!part) {
		w->unknown = true;
	} else if (!has_magic(part)) {
		const char *keep = slash ? arena_strndup(w->x->a, rest, (size_t)(after - rest)) : rest;
		const char *path = keep ? join(w, base, unescape(w->x, keep)) : NULL;

		if (slash)
			walk(w, path, after);
		else if (path && there(w, path, false))
			names_add(&w->out, path);
	} else if (w->star2 && strcmp(part, "**") == 0) {
		if (!slash && *base)
			names_add(&w->out, base);
		star2(w, base, slash ? after : "");
	} else {
		component(w, base, part, slash ? after : "", slash != NULL);
	}
	w->depth--;
}

/* A round with the shell costs more than all the options a pattern can need: they are asked for in one. */
void glob_want(struct expand *x, const char *pattern)
{
	static const char *const always[] = { "noglob", "dotglob", "nocaseglob", "nullglob", "failglob" };

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		(void)model_option(x, always[i]);
	if (strchr(pattern, '('))
		(void)model_option(x, "extglob");
	if (strstr(pattern, "**"))
		(void)model_option(x, "globstar");
}

int glob_names(struct expand *x, const char *pattern, const char *const **names, size_t *n)
{
	int dots = model_option(x, "dotglob"), fold = model_option(x, "nocaseglob"), ext, star;
	struct walk w = { .x = x, .cwd = x->st.real, .out.x = x };

	ext = strchr(pattern, '(') ? model_option(x, "extglob") : 0;
	star = strstr(pattern, "**") ? model_option(x, "globstar") : 0;
	if (!x->in.world || dots < 0 || fold < 0 || ext < 0 || star < 0 || (!x->st.real && *pattern != '/'))
		return -1;
	w.dots = dots;
	w.fold = fold;
	w.star2 = star;
	if (!w.cwd)
		w.cwd = "/";
	walk(&w, "", pattern);
	if (w.unknown || w.out.failed)
		return -1;
	if (w.out.n)
		qsort(w.out.v, w.out.n, sizeof(*w.out.v), by_name);
	*names = w.out.v;
	*n = w.out.n;
	return 0;
}

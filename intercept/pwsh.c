/* intercept/pwsh.c - what a PowerShell text runs */
#include "intercept/pwsh.h"

#include <ctype.h>
#include <string.h>

#include "intercept/cmdexe.h"
#include "intercept/pwread.h"
#include "intercept/winpath.h"

#define PWSH_ITEMS	64u	/* values of a loop that are walked one by one */
#define PWSH_VALUES	4096u	/* words of one value */
#define PWSH_TEXT	(512u << 10)
#define PWSH_CALLS	6u	/* functions inside functions */

enum {
	VAL_NET		= 1 << 0,	/* came from another machine */
	VAL_ITEMS	= 1 << 1,	/* files: the words are their paths */
	VAL_NULL	= 1 << 2,
	VAL_FALSE	= 1 << 3,
	VAL_TRUE	= 1 << 4,
};

/* What an expression or a command gives. */
struct val {
	struct word	*w;
	size_t		 n;
	unsigned	 flags;
	struct pw	*block;		/* a script block */
	struct pw	*hash;
	const char	*type;		/* of an object that was made here */
	struct simple	*from;		/* the command that prints it */
};

struct variable {
	struct variable	*next;
	const char	*name;
	struct val	 val;
};

struct function {
	struct function	*next;
	const char	*name;
	struct pw	*body;		/* NULL: an alias */
	const char	*target;	/* NULL: not known */
};

struct pwsh {
	struct effects		*fx;
	const struct simple	*by;
	struct variable		*var;
	struct function		*fn;
	const char		*cwd;		/* NULL: unknown */
	struct span		 at;
	bool			 whole;		/* spans are @at for everything */
	unsigned		 flags;		/* SIMPLE_ bits of what is walked now */
	unsigned		 depth, calls, steps;
	bool			 stop;
};

static struct val eval(struct pwsh *x, struct pw *n);
static struct val walk(struct pwsh *x, struct pw *n);
static struct val walk_block(struct pwsh *x, struct pw *block, const struct val *item, const struct val *args);

static const char no_value[] = "a value that is not known before it runs";

/* ---- values ----------------------------------------------------------------------------------------- */

static struct span span_of(const struct pwsh *x, const struct pw *n)
{
	return x->whole || !n ? x->at : n->span;
}

static struct simple *new_simple(struct pwsh *x, const struct pw *n)
{
	struct simple *s = arena_alloc(x->fx->mem, sizeof(*s));

	if (!s) {
		x->fx->too_big = x->stop = true;
		return NULL;
	}
	*s = (struct simple){
		.cwd = x->cwd, .cwd_why = x->cwd ? NULL : "the directory is not known", .via = x->by, .span = span_of(x, n),
		.flags = x->flags, .depth = x->by ? x->by->depth + 1 : 0,
	};
	return s;
}

static void unclear(struct pwsh *x, const struct pw *n, const char *why)
{
	struct simple *s = new_simple(x, n);

	if (s)
		effects_plain(x->fx, s, EFFECT_UNKNOWN, why);
}

static struct val one(struct pwsh *x, struct word w)
{
	struct val v = { .w = arena_alloc(x->fx->mem, sizeof(w)), .n = 1 };

	if (!v.w) {
		x->fx->too_big = x->stop = true;
		return (struct val){ .flags = VAL_NULL };
	}
	w.windows = true;
	*v.w = w;
	return v;
}

static struct val exact(struct pwsh *x, const char *text, const struct pw *at)
{
	return one(x, (struct word){ .kind = WORD_EXACT, .text = text ? text : "", .span = span_of(x, at), .quoted = true });
}

static struct val unknown(struct pwsh *x, const char *why, const struct pw *at)
{
	return one(x, (struct word){ .prefix = "", .suffix = "", .why = why, .many = true, .span = span_of(x, at) });
}

static const char *text_of(const struct val *v)
{
	return v->n == 1 && v->w[0].kind == WORD_EXACT ? v->w[0].text : NULL;
}

static struct val join(struct pwsh *x, const struct val *a, const struct val *b)
{
	struct val v = *a;

	if (!b->n) {
		v.flags |= b->flags & VAL_NET;
		return v;
	}
	if (a->n + b->n > PWSH_VALUES) {
		x->fx->too_big = x->stop = true;
		return v;
	}
	v.w = arena_alloc(x->fx->mem, (a->n + b->n) * sizeof(*v.w));
	if (!v.w)
		return *a;
	if (a->n)
		memcpy(v.w, a->w, a->n * sizeof(*v.w));
	memcpy(v.w + a->n, b->w, b->n * sizeof(*v.w));
	v.n = a->n + b->n;
	v.flags = ((a->flags | b->flags) & VAL_NET) | (a->n ? a->flags & b->flags & VAL_ITEMS : b->flags & VAL_ITEMS);
	v.block = a->block ? a->block : b->block;
	return v;
}

/* Text in the making: all known, or known up to a place. */
struct text {
	struct buf	 b;
	bool		 open;		/* something unknown was met: ->b is the prefix */
	const char	*why, *suffix;
	unsigned	 flags;
};

static void text_add(struct pwsh *x, struct text *t, const struct val *v)
{
	t->flags |= v->flags & VAL_NET;
	for (size_t i = 0; i < v->n; i++) {
		const struct word *w = &v->w[i];
		const char *known = w->kind == WORD_UNKNOWN ? w->prefix : w->text;

		if (i && !t->open)
			buf_addc(&t->b, ' ');
		if (t->open) {
			t->suffix = w->kind == WORD_EXACT ? w->text : "";
			continue;
		}
		if (w->kind == WORD_PATTERN)
			buf_add(&t->b, known, strcspn(known, "*?["));
		else if (known)
			buf_adds(&t->b, known);
		if (w->kind != WORD_EXACT) {
			t->open = true;
			t->why = w->why ? w->why : no_value;
			t->suffix = w->kind == WORD_UNKNOWN && w->suffix ? w->suffix : "";
		}
	}
	if (t->b.full)
		x->fx->too_big = x->stop = true;
}

static struct val text_done(struct pwsh *x, struct text *t, const struct pw *at)
{
	struct val v;
	char *copy = arena_strndup(x->fx->mem, buf_str(&t->b), t->b.len);

	buf_done(&t->b);
	if (!copy || !t->open)
		v = exact(x, copy, at);
	else
		v = one(x, (struct word){ .prefix = copy, .suffix = t->suffix ? t->suffix : "", .why = t->why, .span = span_of(x, at) });
	v.flags |= t->flags;
	return v;
}

static char *lower(struct pwsh *x, const char *s)
{
	char *out = arena_strdup(x->fx->mem, s);

	for (char *c = out; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!out)
		x->fx->too_big = x->stop = true;
	return out ? out : arena_strdup(x->fx->mem, "");
}

/* ---- variables ---------------------------------------------------------------------------------------- */

static const char *plain_name(const char *name)
{
	static const char *const scopes[] = { "global:", "script:", "local:", "private:", "using:", "variable:" };

	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		if (!strncasecmp(name, scopes[i], strlen(scopes[i])))
			return name + strlen(scopes[i]);
	}
	return name;
}

static void set_variable(struct pwsh *x, const char *name, struct val v)
{
	struct variable *n = arena_alloc(x->fx->mem, sizeof(*n));

	if (!n)
		return;
	if (x->flags & (SIMPLE_CONDITIONAL | SIMPLE_LOOP)) {	/* it may not have been set */
		if (!(v.flags & VAL_NET))
			v = (struct val){ .w = v.w, .n = v.n, .flags = v.flags, .block = v.block };
	}
	*n = (struct variable){ x->var, plain_name(name), v };
	x->var = n;
}

static bool is_windows(const struct pwsh *x)
{
	return x->fx->line->home && winpath_is(x->fx->line->home);
}

static const char *home(const struct pwsh *x)
{
	return x->fx->line->home ? cmdexe_native(x->fx->mem, x->fx->line->home) : NULL;
}

static const char *environment(struct pwsh *x, const char *name, bool *unsure)
{
	const struct live_value *v;

	*unsure = false;
	if (is_windows(x) || !strcasecmp(name, "USERPROFILE") || !strcasecmp(name, "SystemRoot") || !strcasecmp(name, "windir") ||
	    !strcasecmp(name, "SystemDrive"))
		return cmdexe_variable(x->fx, name, unsure);
	v = live_get(x->fx->live, LIVE_VAR, name);
	*unsure = v->state != LIVE_SCALAR && v->state != LIVE_UNSET;
	return v->state == LIVE_SCALAR ? v->text : NULL;
}

static struct val null_val(void)
{
	return (struct val){ .flags = VAL_NULL };
}

static struct val known_or(struct pwsh *x, const char *text, bool unsure, const struct pw *n)
{
	if (text)
		return exact(x, text, n);
	return unsure ? unknown(x, no_value, n) : null_val();
}

static const char *profile_path(struct pwsh *x)
{
	if (is_windows(x))
		return arena_printf(x->fx->mem, "%s\\Documents\\PowerShell\\Microsoft.PowerShell_profile.ps1", home(x));
	return arena_printf(x->fx->mem, "%s/.config/powershell/profile.ps1", home(x) ? home(x) : "~");
}

/* @note: the word remembers the variable for the banner. */
static struct val with_var(struct pwsh *x, struct val v, const char *name, const struct pw *n)
{
	struct word_var *var;
	struct word *copy;

	if (!v.n || !(var = arena_alloc(x->fx->mem, sizeof(*var))))
		return v;
	*var = (struct word_var){ .name = name, .state = text_of(&v) ? LIVE_SCALAR : LIVE_UNKNOWN, .value = text_of(&v), .span = span_of(x, n) };
	copy = arena_alloc(x->fx->mem, v.n * sizeof(*copy));
	if (!copy)
		return v;
	v.w = memcpy(copy, v.w, v.n * sizeof(*copy));
	for (size_t i = 0; i < v.n; i++) {
		v.w[i].var = var;
		v.w[i].nvar = 1;
		v.w[i].span = span_of(x, n);
	}
	return v;
}

static const struct val *find_variable(const struct pwsh *x, const char *name)
{
	for (const struct variable *v = x->var; v; v = v->next) {
		if (!strcasecmp(v->name, name))
			return &v->val;
	}
	return NULL;
}

static struct val variable(struct pwsh *x, struct pw *n)
{
	const char *name = plain_name(n->text);
	const struct val *set;
	const struct live_value *live;
	bool unsure = false;

	if (!strncasecmp(name, "env:", 4)) {
		const char *text = environment(x, name + 4, &unsure);

		set = find_variable(x, name);
		return with_var(x, set ? *set : known_or(x, text, unsure, n), name, n);
	}
	set = find_variable(x, name);
	if (set)
		return with_var(x, *set, name, n);
	if (!strcasecmp(name, "null"))
		return null_val();
	if (!strcasecmp(name, "true") || !strcasecmp(name, "false")) {
		struct val v = exact(x, *name == 't' || *name == 'T' ? "True" : "False", n);

		v.flags = *name == 't' || *name == 'T' ? VAL_TRUE : VAL_FALSE;
		return v;
	}
	if (!strcasecmp(name, "home"))
		return with_var(x, known_or(x, home(x), true, n), name, n);
	if (!strcasecmp(name, "pwd"))
		return known_or(x, x->cwd ? cmdexe_native(x->fx->mem, x->cwd) : NULL, true, n);
	if (!strcasecmp(name, "profile"))
		return exact(x, profile_path(x), n);
	if (!strcasecmp(name, "pshome"))
		return exact(x, "C:\\Windows\\System32\\WindowsPowerShell\\v1.0", n);
	if (strspn(name, "_?$^") == strlen(name) || strchr(name, ':') || !strcasecmp(name, "args") || !strcasecmp(name, "input") ||
	    !strcasecmp(name, "psscriptroot") || !strcasecmp(name, "lastexitcode") || !strcasecmp(name, "matches") ||
	    !strcasecmp(name, "error") || !strcasecmp(name, "host") || !strcasecmp(name, "psitem") || !strncasecmp(name, "is", 2) ||
	    !strncasecmp(name, "ps", 2) || !strcasecmp(name, "executioncontext") || !strcasecmp(name, "myinvocation"))
		return unknown(x, no_value, n);
	live = live_get(x->fx->live, LIVE_VAR, name);
	if (live->state == LIVE_SCALAR)
		return with_var(x, exact(x, live->text, n), name, n);
	if (live->state == LIVE_UNSET)
		return null_val();
	return with_var(x, unknown(x, no_value, n), name, n);
}

/* ---- expressions ----------------------------------------------------------------------------------------- */

static struct val string(struct pwsh *x, struct pw *n)
{
	struct text t = { .open = false };

	buf_init(&t.b, PWSH_TEXT);
	for (struct pw *p = n->a; p && !x->stop; p = p->next) {
		struct val v = eval(x, p);

		text_add(x, &t, &v);
	}
	struct val v = text_done(x, &t, n);

	for (size_t i = 0; i < v.n; i++)
		v.w[i].quoted = n->quoted;
	return v;
}

/* Names after a type: [system.io.file] is [io.file]. */
static const char *type_key(struct pwsh *x, const char *name)
{
	char *t = lower(x, name);
	size_t n = 0;

	for (char *c = t; *c; c++) {
		if (!isspace((unsigned char)*c))
			t[n++] = *c;
	}
	t[n] = 0;
	return strncmp(t, "system.", 7) ? t : t + 7;
}

static const char *known_as(struct pwsh *x, const char *fmt, const char *a, const char *b)
{
	struct buf out;
	char *full;

	buf_init(&out, 1024);
	buf_adds(&out, fmt);
	buf_adds(&out, a);
	buf_adds(&out, b);
	full = out.full ? NULL : arena_strndup(x->fx->mem, buf_str(&out), out.len);
	buf_done(&out);
	return full && programs_find(x->fx->programs, full) ? full : NULL;
}

static int emit(struct pwsh *x, struct simple *s)
{
	int rc;

	if (++x->steps > PWSH_STEPS || x->fx->depth >= EFFECTS_DEPTH || x->fx->too_big) {
		x->fx->too_big = x->stop = true;
		return -1;
	}
	if (x->fx->expand)
		expand_set_cwd(x->fx->expand, x->cwd);
	x->fx->depth++;
	rc = effects_add(x->fx, s);
	x->fx->depth--;
	if (rc < 0)
		x->stop = true;
	return rc;
}

/* A command made of a name and values. */
static struct simple *emit_words(struct pwsh *x, const struct pw *at, const char *shown, const char *known, const struct val *words)
{
	struct simple *s = new_simple(x, at);
	struct word *argv = s ? arena_alloc(x->fx->mem, (words->n + 1) * sizeof(*argv)) : NULL;

	if (!argv)
		return NULL;
	argv[0] = (struct word){ .kind = WORD_EXACT, .text = shown, .span = s->span, .windows = true };
	if (words->n)
		memcpy(argv + 1, words->w, words->n * sizeof(*argv));
	s->argv = argv;
	s->argc = words->n + 1;
	s->known = known;
	return emit(x, s) < 0 ? NULL : s;
}

static int base64_value(int c)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c > 0 ? strchr(set, c) : NULL;

	return at ? (int)(at - set) : -1;
}

/* Base64 to text; @wide: of two bytes a letter. NULL: it is not that. */
static char *decode(struct arena *mem, const char *text, bool wide)
{
	struct buf raw, out;
	unsigned bits = 0, have = 0;
	char *copy = NULL;

	buf_init(&raw, PWSH_TEXT);
	buf_init(&out, PWSH_TEXT);
	for (; *text && *text != '='; text++) {
		int v = base64_value((unsigned char)*text);

		if (isspace((unsigned char)*text))
			continue;
		if (v < 0)
			goto done;
		bits = bits << 6 | (unsigned)v;
		have += 6;
		if (have >= 8) {
			have -= 8;
			buf_addc(&raw, (char)(bits >> have & 0xff));
		}
	}
	for (size_t i = 0; i < raw.len; i += wide ? 2 : 1) {
		unsigned c = (unsigned char)raw.data[i];

		if (wide && i + 1 < raw.len)
			c |= (unsigned)(unsigned char)raw.data[i + 1] << 8;
		if (!c)
			goto done;
		if (!wide || c < 0x80) {
			buf_addc(&out, (char)c);
		} else if (c < 0x800) {
			buf_addc(&out, (char)(0xc0 | c >> 6));
			buf_addc(&out, (char)(0x80 | (c & 0x3f)));
		} else {
			buf_addc(&out, (char)(0xe0 | c >> 12));
			buf_addc(&out, (char)(0x80 | (c >> 6 & 0x3f)));
			buf_addc(&out, (char)(0x80 | (c & 0x3f)));
		}
	}
	if (!out.full && !raw.full)
		copy = arena_strndup(mem, buf_str(&out), out.len);
done:
	buf_done(&raw);
	buf_done(&out);
	return copy;
}

static struct val eval_list(struct pwsh *x, struct pw *first)
{
	struct val all = { 0 };

	for (struct pw *a = first; a && !x->stop; a = a->next) {
		struct val v = eval(x, a);

		if (!v.n && (v.flags & VAL_NULL))
			v = exact(x, "", a);
		if (!v.n && v.block)
			v = exact(x, "{ }", a), v.block = a;
		all = join(x, &all, &v);
	}
	return all;
}

static struct pw *first_block(struct pwsh *x, struct pw *args)
{
	for (; args; args = args->next) {
		struct val v = args->kind == PW_BLOCK || args->kind == PW_VAR ? eval(x, args) : null_val();

		if (v.block)
			return v.block;
	}
	return NULL;
}

/* What some static methods give, where it matters. */
static struct val static_result(struct pwsh *x, struct pw *n, const char *key, const struct val *args)
{
	struct val v = unknown(x, no_value, n);
	const char *first = args->n ? args->w[0].text : NULL;

	if (!strcmp(key, "[io.path]::combine")) {
		struct text t = { .open = false };

		buf_init(&t.b, PWSH_TEXT);
		for (size_t i = 0; i < args->n; i++) {
			struct val part = { .w = &args->w[i], .n = 1 };

			if (i && !t.open)
				buf_addc(&t.b, is_windows(x) ? '\\' : '/');
			text_add(x, &t, &part);
		}
		return text_done(x, &t, n);
	}
	if (!strcmp(key, "[environment]::getfolderpath") && first) {
		if (!strcasecmp(first, "UserProfile") || !strcasecmp(first, "Personal"))
			return known_or(x, home(x), true, n);
		if (!strcasecmp(first, "Windows") || !strcasecmp(first, "System"))
			return exact(x, "C:\\Windows", n);
	}
	if ((!strcmp(key, "[environment]::getenvironmentvariable") || !strcmp(key, "[environment]::expandenvironmentvariables")) && first) {
		bool unsure;
		const char *text = environment(x, first, &unsure);

		return known_or(x, text, true, n);
	}
	if (!strcmp(key, "[convert]::frombase64string") && first && args->w[0].kind == WORD_EXACT) {
		v = exact(x, first, n);
		v.type = "base64";
		return v;
	}
	if (!strcmp(key, "[io.fileinfo]::new") || !strcmp(key, "[io.directoryinfo]::new")) {
		v = *args;
		v.flags |= VAL_ITEMS;
		return v;
	}
	if (!strcmp(key, "[io.path]::gettemppath"))
		return known_or(x, is_windows(x) ? arena_printf(x->fx->mem, "%s\\AppData\\Local\\Temp\\", home(x)) : "/tmp/", true, n);
	if (!strcmp(key, "[scriptblock]::create") && first && args->w[0].kind == WORD_EXACT) {
		struct pwread r;

		pwread_text(x->fx->mem, first, strlen(first), PWSH_DEPTH, &r);
		if (r.failed)
			unclear(x, n, r.why);
		v.block = arena_alloc(x->fx->mem, sizeof(*v.block));
		if (v.block)
			*v.block = (struct pw){ .kind = PW_BLOCK, .a = r.list, .text = "", .span = n->span };
		v.n = 0;
	}
	return v;
}

static struct val call_static(struct pwsh *x, struct pw *n, const char *type, struct val args)
{
	const char *t = type_key(x, type), *m = lower(x, n->text), *key, *known;
	struct pw *blk = first_block(x, n->c);
	struct simple *s = NULL;
	struct val v;

	key = arena_printf(x->fx->mem, "[%s]::%s", t, m);
	known = key ? known_as(x, "ps:", key, "") : NULL;
	if (!known)
		known = known_as(x, "ps:[", t, "]::*");
	if (!known)
		known = known_as(x, "ps:[*]::", m, "");
	if (known)
		s = emit_words(x, n, arena_printf(x->fx->mem, "[%s]::%s", type, n->text), known, &args);
	else
		unclear(x, n, "calls a method that no rule knows");
	if (blk)
		walk_block(x, blk, NULL, NULL);
	v = static_result(x, n, key ? key : "", &args);
	if (s && (effects_seen(x->fx, s) & SEEN_NETWORK))
		v.flags |= VAL_NET;
	v.flags |= args.flags & VAL_NET;
	v.from = s;
	if (m && !strcmp(m, "new"))
		v.type = t;
	return v;
}

static struct val call_method(struct pwsh *x, struct pw *n, struct val obj, struct val args)
{
	const char *m = lower(x, n->text), *known = known_as(x, "ps:.", m, "");
	struct simple *s = NULL;
	struct val v = unknown(x, no_value, n), all;

	if (obj.block && (!strncmp(m, "invoke", 6) || !strcmp(m, "getnewclosure"))) {
		if (*m == 'i')
			return walk_block(x, obj.block, NULL, &args);
		return obj;
	}
	if (obj.type && !strcmp(obj.type, "base64"))
		obj.type = NULL;
	if (!strcmp(m, "getstring") && args.n == 1 && args.w[0].kind == WORD_EXACT) {
		bool wide = n->a && n->a->kind == PW_MEMBER && !strcasecmp(n->a->text, "unicode");
		const char *text = decode(x->fx->mem, args.w[0].text, wide);

		return text ? exact(x, text, n) : v;
	}
	all = obj;
	if (!all.n)
		all = exact(x, "", n);
	if (all.n > 1)
		all.n = 1;
	if (obj.flags & VAL_ITEMS)
		all = obj;
	all.flags = 0;
	all = join(x, &all, &args);
	if (known)
		s = emit_words(x, n, arena_printf(x->fx->mem, ".%s", n->text), known, &all);
	else if (*m || n->b)
		unclear(x, n, *m ? "calls a method that no rule knows" : "calls a method whose name is not known");
	if (n->c && first_block(x, n->c))
		walk_block(x, first_block(x, n->c), &obj, NULL);
	if (s && (effects_seen(x->fx, s) & SEEN_NETWORK))
		v.flags |= VAL_NET;
	v.flags |= (obj.flags | args.flags) & VAL_NET;
	v.from = s;
	/* text that only changes its case or its ends is what it was */
	if (text_of(&obj) && (!strcmp(m, "tostring") || !strcmp(m, "trim") || !strcmp(m, "tolower") || !strcmp(m, "toupper")) && !args.n)
		return obj;
	if (text_of(&obj) && !strcmp(m, "replace") && args.n == 2 && args.w[0].kind == WORD_EXACT && args.w[1].kind == WORD_EXACT && *args.w[0].text) {
		struct buf out;
		const char *at = text_of(&obj), *hit;

		buf_init(&out, PWSH_TEXT);
		for (; (hit = strstr(at, args.w[0].text)); at = hit + strlen(args.w[0].text)) {
			buf_add(&out, at, (size_t)(hit - at));
			buf_adds(&out, args.w[1].text);
		}
		buf_adds(&out, at);
		v = exact(x, arena_strndup(x->fx->mem, buf_str(&out), out.len), n);
		buf_done(&out);
	}
	return v;
}

static struct val call(struct pwsh *x, struct pw *n)
{
	struct val obj = null_val(), args;

	if (n->b && n->b->kind != PW_TEXT) {
		struct val name = eval(x, n->b);
		const char *text = text_of(&name);

		n->text = text ? text : "";
	}
	if (n->a->kind != PW_TYPE)
		obj = eval(x, n->a);
	args = eval_list(x, n->c);
	if (n->a->kind == PW_TYPE)
		return call_static(x, n, n->a->text, args);
	if (n->op == ':')		/* $type::Method() */
		return call_static(x, n, text_of(&obj) ? text_of(&obj) : "?", args);
	return call_method(x, n, obj, args);
}

static const char *last_name(const char *path)
{
	const char *s = path;

	for (const char *c = path; *c; c++) {
		if ((*c == '/' || *c == '\\') && c[1])
			s = c + 1;
	}
	return s;
}

static struct val member(struct pwsh *x, struct pw *n)
{
	static const char *const same[] = { "fullname", "pspath", "path", "providerpath", "resolvedpath" };
	struct val obj, v = unknown(x, no_value, n);

	if (n->b && n->b->kind != PW_TEXT)
		eval(x, n->b);
	if (n->a->kind == PW_TYPE)
		return v;
	obj = eval(x, n->a);
	v.flags |= obj.flags & VAL_NET;
	for (size_t i = 0; (obj.flags & VAL_ITEMS) && i < ARRAY_SIZE(same); i++) {
		if (!strcasecmp(n->text, same[i]))
			return obj;
	}
	if ((obj.flags & VAL_ITEMS) && (!strcasecmp(n->text, "name") || !strcasecmp(n->text, "pschildname"))) {
		struct val names = { .w = arena_alloc(x->fx->mem, (obj.n + 1) * sizeof(*names.w)), .n = obj.n };

		for (size_t i = 0; names.w && i < obj.n; i++) {
			names.w[i] = obj.w[i];
			if (names.w[i].kind != WORD_UNKNOWN)
				names.w[i].text = last_name(names.w[i].text);
			else
				names.w[i].prefix = "";
		}
		return names.w ? names : v;
	}
	if (obj.hash) {
		for (struct pw *e = obj.hash->a; e; e = e->next) {
			if (!strcasecmp(e->text, n->text) && e->a)
				return eval(x, e->a);
		}
	}
	/* $PSVersionTable.PSVersion: of what is never a path */
	return v;
}

static struct val format(struct pwsh *x, struct pw *n, const struct val *f, const struct val *args)
{
	const char *s = text_of(f);
	struct text t = { .open = false };

	if (!s)
		return unknown(x, no_value, n);
	buf_init(&t.b, PWSH_TEXT);
	while (*s) {
		if (*s == '{' && isdigit((unsigned char)s[1])) {
			char *end;
			unsigned long i = strtoul(s + 1, &end, 10);
			struct val part = { .w = i < args->n ? &args->w[i] : NULL, .n = i < args->n };

			end += strcspn(end, "}");
			text_add(x, &t, &part);
			s = *end ? end + 1 : end;
		} else {
			if (!t.open)
				buf_addc(&t.b, *s);
			s += s[0] == s[1] && (*s == '{' || *s == '}') ? 2 : 1;
		}
	}
	return text_done(x, &t, n);
}

static struct val joined(struct pwsh *x, struct pw *n, const struct val *list, const char *by)
{
	struct text t = { .open = false };

	buf_init(&t.b, PWSH_TEXT);
	for (size_t i = 0; i < list->n; i++) {
		struct val part = { .w = &list->w[i], .n = 1 };

		if (i && !t.open)
			buf_adds(&t.b, by);
		text_add(x, &t, &part);
	}
	return text_done(x, &t, n);
}

static struct val binary(struct pwsh *x, struct pw *n)
{
	struct val a = eval(x, n->a), b = n->b ? eval(x, n->b) : null_val(), v;
	const char *op = lower(x, n->text);

	if (!strcmp(op, "+") && a.n > 1)
		return join(x, &a, &b);
	if (!strcmp(op, "+") && a.n && !(text_of(&a) && isdigit((unsigned char)*text_of(&a)))) {
		struct text t = { .open = false };

		buf_init(&t.b, PWSH_TEXT);
		text_add(x, &t, &a);
		text_add(x, &t, &b);
		return text_done(x, &t, n);
	}
	if (!strcmp(op, "-f")) {
		v = format(x, n, &a, &b);
	} else if (!strcmp(op, "-join")) {
		v = joined(x, n, &a, text_of(&b) ? text_of(&b) : "");
	} else {
		v = unknown(x, no_value, n);
	}
	v.flags |= (a.flags | b.flags) & VAL_NET;
	return v;
}

static struct val unary(struct pwsh *x, struct pw *n)
{
	struct val a = n->a ? eval(x, n->a) : null_val(), v;

	if (!strcasecmp(n->text, "-join"))
		return joined(x, n, &a, "");
	if (!strcmp(n->text, ","))
		return a;
	v = unknown(x, no_value, n);
	v.flags |= a.flags & VAL_NET;
	return v;
}

static struct val cast(struct pwsh *x, struct pw *n)
{
	struct val v = n->a ? eval(x, n->a) : null_val();
	const char *t = type_key(x, n->text), *text = text_of(&v);

	if (!strcmp(t, "char") && text && isdigit((unsigned char)*text)) {
		char c[2] = { (char)strtol(text, NULL, 0), 0 };

		return *c > 0 ? exact(x, arena_strdup(x->fx->mem, c), n) : v;
	}
	if (!strcmp(t, "scriptblock") && !v.block)
		return unknown(x, no_value, n);
	if (!strcmp(t, "io.fileinfo") || !strcmp(t, "io.directoryinfo"))
		v.flags |= VAL_ITEMS;
	if (!strcmp(t, "void"))
		return null_val();
	if (!strcmp(t, "type") && text)
		v.type = type_key(x, text);
	return v;
}

static struct val eval_node(struct pwsh *x, struct pw *n)
{
	struct val v = { 0 };

	switch (n->kind) {
	case PW_TEXT:
		v = exact(x, n->text, n);
		if (v.n)
			v.w[0].quoted = n->quoted;
		return v;
	case PW_STRING:
		return string(x, n);
	case PW_VAR:
	case PW_SPLAT:
		return variable(x, n);
	case PW_BLOCK:
		v.block = n;
		return v;
	case PW_HASH:
		for (struct pw *e = n->a; e; e = e->next) {
			if (e->b && e->b->kind != PW_TEXT)
				eval(x, e->b);
			if (e->a)
				eval(x, e->a);
		}
		v = unknown(x, "a table", n);
		v.hash = n;
		return v;
	case PW_ARRAY:
		for (struct pw *e = n->a; e && !x->stop; e = e->next) {
			struct val one_more = eval(x, e);

			v = join(x, &v, &one_more);
		}
		return v;
	case PW_BINARY:
		return binary(x, n);
	case PW_UNARY:
		return unary(x, n);
	case PW_MEMBER:
		return member(x, n);
	case PW_CALL:
		return call(x, n);
	case PW_INDEX:
		v = eval(x, n->a);
		if (n->b)
			eval(x, n->b);
		if (v.n == 1 && v.w[0].kind == WORD_EXACT && !(v.flags & VAL_ITEMS))
			return unknown(x, no_value, n);		/* a letter of it */
		return v;
	case PW_TYPE:
		v = exact(x, n->text, n);
		v.type = type_key(x, n->text);
		return v;
	case PW_CAST:
		return cast(x, n);
	default:
		return walk(x, n);
	}
}

static struct val eval(struct pwsh *x, struct pw *n)
{
	struct val v;

	if (!n || x->stop)
		return null_val();
	if (x->depth >= 2 * PWSH_DEPTH) {
		x->fx->too_big = x->stop = true;
		return null_val();
	}
	x->depth++;
	v = eval_node(x, n);
	x->depth--;
	return v;
}

/* ---- arguments of a command --------------------------------------------------------------------------------- */

struct argv {
	struct word	*w;
	size_t		 n, cap;
	struct val	 block[8];	/* script blocks among them */
	size_t		 nblock;
	unsigned	 flags;
	bool		 whatif, splat;
};

static void push(struct pwsh *x, struct argv *a, struct word w)
{
	if (a->n == a->cap) {
		size_t cap = a->cap ? 2 * a->cap : 16;
		struct word *more = cap <= 4 * PWSH_VALUES ? arena_alloc(x->fx->mem, cap * sizeof(*more)) : NULL;

		if (!more) {
			x->fx->too_big = x->stop = true;
			return;
		}
		if (a->n)
			memcpy(more, a->w, a->n * sizeof(*more));
		a->w = more;
		a->cap = cap;
	}
	w.windows = true;
	a->w[a->n++] = w;
}

/* A cmdlet matches names by itself, quoted or not; a program of Windows too. */
static struct word as_argument(struct pwsh *x, struct word w, bool cmdlet, bool literal)
{
	(void)x;
	if (w.kind == WORD_EXACT && !literal && (cmdlet || !w.quoted) && strpbrk(w.text, "*?"))
		w.kind = WORD_PATTERN;
	if (w.kind == WORD_EXACT && (cmdlet || !w.quoted) && w.text[0] == '~' && (!w.text[1] || w.text[1] == '/' || w.text[1] == '\\') && home(x))
		w.text = arena_printf(x->fx->mem, "%s%s", home(x), w.text + 1);
	else if (w.kind == WORD_PATTERN && w.text[0] == '~' && (w.text[1] == '/' || w.text[1] == '\\') && home(x))
		w.text = arena_printf(x->fx->mem, "%s%s", home(x), w.text + 1);
	if (!w.text && w.kind != WORD_UNKNOWN)
		w.text = "";
	return w;
}

static void push_param(struct pwsh *x, struct argv *a, const char *name, struct span at)
{
	push(x, a, (struct word){ .kind = WORD_EXACT, .text = name, .span = at });
}

static void push_value(struct pwsh *x, struct argv *a, const struct val *v, const char *param, bool cmdlet, const struct pw *at)
{
	bool literal = param && !strcmp(param, "-literalpath");

	a->flags |= v->flags & VAL_NET;
	if (v->block && !v->n) {
		if (a->nblock < ARRAY_SIZE(a->block))
			a->block[a->nblock++] = *v;
		else
			unclear(x, at, "too many script blocks");
		push(x, a, (struct word){ .kind = WORD_EXACT, .text = "{ }", .span = span_of(x, at), .quoted = true });
		return;
	}
	if (!v->n) {		/* $null: a parameter takes it, a path is refused */
		push(x, a, (struct word){ .prefix = "", .suffix = "", .why = "a variable that is not set", .span = span_of(x, at) });
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		struct word w = as_argument(x, v->w[i], cmdlet, literal);

		if (cmdlet)
			w.quoted = true;	/* never a parameter */
		if (i && param)
			push_param(x, a, param, span_of(x, at));
		push(x, a, w);
	}
}

static bool is_false(const struct val *v)
{
	const char *t = text_of(v);

	return (v->flags & (VAL_FALSE | VAL_NULL)) || (t && (!strcasecmp(t, "false") || !strcmp(t, "0")));
}

static void splat(struct pwsh *x, struct argv *a, const struct val *v, const struct pw *at)
{
	a->splat = true;
	if (!v->hash) {
		if (v->n)
			push_value(x, a, v, NULL, true, at);
		return;
	}
	for (struct pw *e = v->hash->a; e; e = e->next) {
		struct val item = e->a ? eval(x, e->a) : null_val();

		if (is_false(&item))
			continue;
		push_param(x, a, arena_printf(x->fx->mem, "-%s", e->text), span_of(x, at));
		if (!(item.flags & VAL_TRUE))
			push_value(x, a, &item, NULL, true, at);
	}
}

/* One parameter with what belongs to it; @next is the argument after it. Returns what was used of @next. */
static bool parameter(struct pwsh *x, struct argv *a, const struct node *cmdlet, struct pw *p, struct pw *next)
{
	const struct option *o = cmdlet && cmdlet->style == STYLE_DASH ? args_dash(x->fx->mem, cmdlet, p->text) : NULL;
	struct span at = span_of(x, p);
	struct val v;

	if (!cmdlet) {		/* a program: the word as it is, a colon and all */
		const char *text = p->text;

		if (p->a) {
			v = eval(x, p->a);
			text = text_of(&v) ? arena_printf(x->fx->mem, "%s:%s", p->text, text_of(&v)) : p->text;
			if (!text_of(&v) && v.block)
				push_value(x, a, &v, NULL, false, p);
		}
		push(x, a, (struct word){ .kind = WORD_EXACT, .text = text ? text : "", .span = at });
		return false;
	}
	if (p->a || (o && o->takes == TAKES_VALUE && next && next->kind != PW_PARAM)) {
		v = eval(x, p->a ? p->a : next);
		if (o && o->takes == TAKES_NONE) {
			if (!is_false(&v)) {
				push_param(x, a, o->name, at);
				a->whatif |= !strcmp(o->key, "whatif") && (v.flags & VAL_TRUE);
			}
			return false;
		}
		push_param(x, a, o ? o->name : p->text, at);
		push_value(x, a, &v, o ? o->name : p->text, true, p->a ? p->a : next);
		return !p->a;
	}
	push_param(x, a, o ? o->name : p->text, at);
	a->whatif |= o && !strcmp(o->key, "whatif");
	return false;
}

static void collect(struct pwsh *x, struct pw *n, const struct node *cmdlet, struct argv *a)
{
	for (struct pw *p = n->b; p && !x->stop; p = p->next) {
		struct val v;

		if (p->kind == PW_PARAM) {
			if (parameter(x, a, cmdlet, p, p->next))
				p = p->next;
			continue;
		}
		v = eval(x, p);
		if (p->kind == PW_SPLAT)
			splat(x, a, &v, p);
		else
			push_value(x, a, &v, NULL, cmdlet != NULL, p);
	}
}

/* ---- what comes out of the commands of PowerShell -------------------------------------------------------------- */

/* "dir\name": as a pattern when either is one. */
static struct word below(struct pwsh *x, const struct word *dir, const char *name)
{
	struct word w = *dir;
	const char *slash = is_windows(x) ? "\\" : "/", *d = dir->text;

	w.quoted = false;
	if (dir->kind == WORD_UNKNOWN) {
		w.prefix = dir->prefix ? dir->prefix : "";
		w.suffix = "";
		w.many = true;
		return w;
	}
	w.kind = WORD_PATTERN;
	w.text = !strcmp(d, ".") ? name : arena_printf(x->fx->mem, "%s%s%s", d, strchr("\\/", d[strlen(d) - !!*d]) ? "" : slash, name);
	if (!w.text)
		w.text = "*";
	if (!strpbrk(w.text, "*?["))
		w.kind = WORD_EXACT;
	return w;
}

static void add_below(struct pwsh *x, struct val *out, const struct word *dir, const char *name)
{
	struct val v = one(x, below(x, dir, name));

	v.flags = VAL_ITEMS;
	*out = join(x, out, &v);
}

/* Get-ChildItem: everything below its paths that its filters let through. */
static struct val listing(struct pwsh *x, const struct args *a, const struct pw *n)
{
	static const char *const filters[] = { "include", "filter" };
	struct word here = { .kind = WORD_EXACT, .text = ".", .windows = true, .span = span_of(x, n) };
	const struct word *dir[64];
	size_t ndir = 0;
	struct val out = { .flags = VAL_ITEMS };

	for (size_t i = 0; i < a->noption && ndir < ARRAY_SIZE(dir); i++) {
		const char *key = a->option[i].option ? a->option[i].option->key : "";

		if ((!strcmp(key, "path") || !strcmp(key, "literalpath")) && a->option[i].value)
			dir[ndir++] = a->option[i].value;
	}
	for (size_t i = 0; i < a->noperand && ndir < ARRAY_SIZE(dir) && !i; i++)
		dir[ndir++] = a->operand[i];
	if (!ndir)
		dir[ndir++] = &here;
	for (size_t d = 0; d < ndir; d++) {
		size_t had = out.n;

		for (size_t f = 0; f < ARRAY_SIZE(filters); f++) {
			for (size_t i = 0; i < a->noption; i++) {
				const struct arg_option *o = &a->option[i];

				if (o->option && !strcmp(o->option->key, filters[f]) && o->value && o->value->kind != WORD_UNKNOWN)
					add_below(x, &out, dir[d], o->value->text);
			}
		}
		if (out.n > had)
			continue;
		if (dir[d]->kind == WORD_PATTERN) {
			struct val v = one(x, *dir[d]);

			v.flags = VAL_ITEMS;
			out = join(x, &out, &v);
		} else {
			add_below(x, &out, dir[d], "*");
		}
	}
	out.flags |= VAL_ITEMS;
	return out;
}

static struct val path_values(struct pwsh *x, const struct args *a)
{
	struct val out = { 0 };

	for (size_t i = 0; i < a->noption + a->noperand; i++) {
		const struct word *w = NULL;

		if (i >= a->noption) {
			w = a->operand[i - a->noption];
		} else if (a->option[i].option) {
			const char *key = a->option[i].option->key;

			w = !strcmp(key, "path") || !strcmp(key, "literalpath") || !strcmp(key, "childpath") || !strcmp(key, "inputobject") ?
				    a->option[i].value : NULL;
		}
		if (w) {
			struct val v = one(x, *w);

			out = join(x, &out, &v);
		}
	}
	return out;
}

/* Some of the items: which, is not known. */
static struct val some_of(struct pwsh *x, const struct val *in)
{
	struct val out = *in;

	if (!(in->flags & VAL_ITEMS)) {
		out = unknown(x, no_value, NULL);
		out.flags = in->flags & VAL_NET;
		return out;
	}
	out.w = arena_alloc(x->fx->mem, (in->n + 1) * sizeof(*out.w));
	if (!out.w)
		return *in;
	for (size_t i = 0; i < in->n; i++) {
		struct word w = in->w[i];

		if (w.kind == WORD_PATTERN) {
			size_t n = strcspn(w.text, "*?[");

			while (n && w.text[n - 1] != '\\' && w.text[n - 1] != '/')
				n--;
			w.prefix = arena_strndup(x->fx->mem, w.text, n);
			if (!w.prefix || !*w.prefix)
				w.prefix = "./";
			w.text = NULL;
			w.suffix = "";
			w.kind = WORD_UNKNOWN;
			w.why = "some of what lies below";
			w.many = true;
		}
		out.w[i] = w;
	}
	return out;
}

static void change_dir(struct pwsh *x, const struct val *to)
{
	const char *text = text_of(to);

	if (to->n == 1 && to->w[0].kind == WORD_PATTERN)
		text = NULL;
	if (text && !strcmp(text, "-"))
		text = NULL;
	text = text ? winpath_text(x->fx->mem, x->fx->line, text, x->cwd) : NULL;
	x->cwd = text && !(x->flags & SIMPLE_CONDITIONAL) ? paths_normal(x->fx->mem, text, x->cwd) : NULL;
}

static void define(struct pwsh *x, const char *name, struct pw *body, const char *target)
{
	struct function *f = arena_alloc(x->fx->mem, sizeof(*f));

	if (!f)
		return;
	*f = (struct function){ x->fn, lower(x, plain_name(name)), body, target };
	x->fn = f;
}

static const struct function *find_function(const struct pwsh *x, const char *name)
{
	for (const struct function *f = x->fn; f; f = f->next) {
		if (!strcasecmp(f->name, name))
			return f;
	}
	return NULL;
}

static bool is_one_of(const char *name, const char *list)
{
	size_t n = strlen(name);

	for (const char *s = list; (s = strstr(s, name)); s++) {
		if ((s == list || s[-1] == ' ') && (s[n] == ' ' || !s[n]))
			return true;
	}
	return false;
}

/* New-Object T args: as [T]::new(args). */
static struct val new_object(struct pwsh *x, struct pw *n, const struct args *a)
{
	const struct arg_option *named = args_option(a, "typename"), *list = args_option(a, "argumentlist");
	const struct word *type = named ? named->value : a->noperand ? a->operand[0] : NULL;
	struct val words = { 0 }, v = unknown(x, no_value, n);
	const char *t, *known;

	if (args_has(a, "comobject") || !type || type->kind != WORD_EXACT) {
		unclear(x, n, "makes an object that no rule knows");
		return v;
	}
	for (size_t i = named ? 0 : 1; i < a->noperand; i++) {
		struct val w = one(x, *a->operand[i]);

		words = join(x, &words, &w);
	}
	if (list && list->value) {
		struct val w = one(x, *list->value);

		words = join(x, &words, &w);
	}
	t = type_key(x, type->text);
	known = known_as(x, "ps:[", t, "]::new");
	if (known)
		emit_words(x, n, type->text, known, &words);
	v.type = t;
	if (!strcmp(t, "io.fileinfo") || !strcmp(t, "io.directoryinfo")) {
		words.flags |= VAL_ITEMS;
		return words;
	}
	return v;
}

static struct val run_program(struct pwsh *x, struct pw *n, struct word name, struct argv *a, const struct val *input);

/* Start-Process FILE -ArgumentList a, 'b c' */
static void start_process(struct pwsh *x, struct pw *n, const struct args *a)
{
	const struct arg_option *named = args_option(a, "filepath");
	const struct word *file = named ? named->value : a->noperand ? a->operand[0] : NULL;
	struct argv words = { 0 };
	struct val none = null_val();

	for (size_t i = 0; i < a->noption + a->noperand; i++) {
		const struct word *w = i < a->noption ? a->option[i].value : a->operand[i - a->noption];

		if (!w || w == file || (i < a->noption && (!a->option[i].option || strcmp(a->option[i].option->key, "argumentlist") != 0)))
			continue;
		if (w->kind != WORD_EXACT) {
			push(x, &words, *w);
			continue;
		}
		for (const char *s = w->text + strspn(w->text, " "); *s; s += strspn(s, " ")) {
			char stop = *s == '"' || *s == '\'' ? *s++ : ' ';
			size_t len = stop == ' ' ? strcspn(s, " ") : strcspn(s, (char[]){ stop, 0 });
			struct word part = *w;

			part.text = arena_strndup(x->fx->mem, s, len);
			part.quoted = stop != ' ';
			if (part.text)
				push(x, &words, part);
			s += len + (stop != ' ' && s[len]);
		}
	}
	if (file)
		run_program(x, n, *file, &words, &none);
}

/* The value of the pipeline as words for the parameter that takes it. */
static void take_input(struct pwsh *x, struct argv *a, const struct node *cmdlet, const struct val *input)
{
	static const char *const takes[] = { "-inputobject", "-literalpath", "-path", "-command", "-name", "-id" };
	const struct option *to = NULL;

	for (size_t i = 0; i < cmdlet->noption; i++) {
		if (!strcmp(cmdlet->option[i].name, "-value") || !strcmp(cmdlet->option[i].name, "-filepath"))
			return;		/* it writes what comes in, to where it is told */
	}
	for (size_t k = 0; k < ARRAY_SIZE(takes) && !to; k++) {
		for (size_t i = 0; i < cmdlet->noption && !to; i++)
			to = strcmp(cmdlet->option[i].name, takes[k]) ? NULL : &cmdlet->option[i];
	}
	for (size_t i = 0; i < a->n; i++) {
		if (to && !a->w[i].quoted && a->w[i].kind == WORD_EXACT && !strcmp(a->w[i].text, to->name))
			return;
	}
	for (size_t i = 0; to && i < input->n; i++) {
		struct word w = input->w[i];

		if (w.kind == WORD_EXACT && strpbrk(w.text, "*?") && strcmp(to->name, "-path") == 0)
			w.kind = WORD_PATTERN;
		w.quoted = true;
		push_param(x, a, strcmp(to->name, "-literalpath") || w.kind == WORD_EXACT ? to->name : "-path", w.span);
		push(x, a, w);
	}
}

/* The state and the value that a cmdlet leaves. */
static struct val after_cmdlet(struct pwsh *x, struct pw *n, const char *name, const struct args *a, struct argv *words,
			       const struct val *input, struct simple *s)
{
	struct val v = unknown(x, no_value, n), p;

	if (is_one_of(name, "set-location push-location")) {
		p = path_values(x, a);
		if (p.n)
			change_dir(x, &p);
		else
			x->cwd = !strcmp(name, "set-location") ? x->fx->line->home : x->cwd;
		return null_val();
	}
	if (!strcmp(name, "pop-location")) {
		x->cwd = NULL;
		return null_val();
	}
	if (is_one_of(name, "get-childitem get-item get-itemproperty resolve-path convert-path test-path join-path split-path")) {
		if (!strcmp(name, "get-childitem"))
			return listing(x, a, n);
		p = path_values(x, a);
		if (!strcmp(name, "test-path"))
			return v;
		if (!strcmp(name, "split-path") && !args_has(a, "leaf"))
			p = unknown(x, no_value, n);
		if (!strcmp(name, "join-path"))
			p = joined(x, n, &p, is_windows(x) ? "\\" : "/");
		p.flags |= VAL_ITEMS;
		return p;
	}
	if (!strcmp(name, "get-location"))
		return known_or(x, x->cwd ? cmdexe_native(x->fx->mem, x->cwd) : NULL, true, n);
	if (is_one_of(name, "write-output")) {
		p = path_values(x, a);
		p.flags |= words->flags;
		p.from = s;
		return p;
	}
	if (is_one_of(name, "where-object select-object get-unique"))
		return strcmp(name, "select-object") || args_has(a, "first") || args_has(a, "last") || args_has(a, "skip") || args_has(a, "index") ?
			       some_of(x, input) : *input;
	if (is_one_of(name, "sort-object tee-object out-default"))
		return *input;
	if (is_one_of(name, "out-null"))
		return null_val();
	if (!strcmp(name, "new-object"))
		return new_object(x, n, a);
	if (!strcmp(name, "start-process"))
		start_process(x, n, a);
	if (is_one_of(name, "set-variable new-variable") && a->noperand && a->operand[0]->kind == WORD_EXACT)
		set_variable(x, a->operand[0]->text, a->noperand > 1 ? one(x, *a->operand[1]) : v);
	if (is_one_of(name, "set-alias new-alias")) {
		const char *from = args_value(a, "name"), *to = args_value(a, "value");

		from = from ? from : a->noperand && a->operand[0]->kind == WORD_EXACT ? a->operand[0]->text : NULL;
		to = to ? to : a->noperand > 1 && a->operand[1]->kind == WORD_EXACT ? a->operand[1]->text : NULL;
		if (from && known_as(x, "ps:", lower(x, from), ""))
			unclear(x, n, "gives the name of a command another meaning");
		if (from)
			define(x, from, NULL, to);
	}
	if (is_one_of(name, "new-item new-temporaryfile")) {
		p = path_values(x, a);
		p.flags |= VAL_ITEMS;
		return p;
	}
	v.from = s;
	return v;
}

/* Script blocks of a command: run by it, with what flows in as $_. */
static struct val run_blocks(struct pwsh *x, const char *name, struct argv *a, const struct val *input, bool has_input)
{
	struct val out = null_val();
	bool loop = is_one_of(name, "foreach-object where-object sort-object select-object group-object measure-object");
	unsigned flags = x->flags;

	if (has_input && loop)
		x->flags |= SIMPLE_LOOP;
	for (size_t b = 0; b < a->nblock && !x->stop; b++) {
		size_t items = loop && has_input ? MIN(input->n, PWSH_ITEMS) : 0;

		if (!items || input->hash) {
			struct val v = walk_block(x, a->block[b].block, has_input ? input : NULL, NULL);

			out = join(x, &out, &v);
			continue;
		}
		for (size_t i = 0; i < items && !x->stop; i++) {
			struct val item = { .w = &input->w[i], .n = 1, .flags = input->flags, .from = input->from };
			struct val v = walk_block(x, a->block[b].block, &item, NULL);

			out = join(x, &out, &v);
		}
		if (input->n > PWSH_ITEMS)
			unclear(x, NULL, "a loop over too many words");
	}
	x->flags = flags;
	return out;
}

/* gci | % Delete: a method by its name. */
static struct val member_name(struct pwsh *x, struct pw *n, const struct args *a, const struct val *input)
{
	struct pw fake = { .kind = PW_CALL, .op = '.', .span = n->span };
	const struct arg_option *o = args_option(a, "membername");
	const struct word *w = o ? o->value : a->noperand ? a->operand[0] : NULL;
	struct val none = { 0 };

	if (!w || w->kind != WORD_EXACT)
		return unknown(x, no_value, n);
	fake.text = w->text;
	if (known_as(x, "ps:.", lower(x, w->text), ""))
		return call_method(x, &fake, *input, none);
	return (input->flags & VAL_ITEMS) && !strcasecmp(w->text, "fullname") ? *input : unknown(x, no_value, n);
}

static void feed(struct pwsh *x, struct simple *s, const struct val *input, const struct pw *n)
{
	if (input->from) {
		s->pipe_from = input->from;
	} else if (text_of(input)) {
		struct word *w = arena_alloc(x->fx->mem, sizeof(*w));

		if (w) {
			*w = input->w[0];
			s->stdin_text = w;
		}
	} else if (input->n) {
		struct simple *p = new_simple(x, n);	/* fed by what is not named */

		s->pipe_from = p;
	}
}

static struct redir *redirections(struct pwsh *x, struct pw *first, size_t *n)
{
	struct redir *list;

	*n = 0;
	for (struct pw *r = first; r; r = r->next)
		(*n)++;
	list = arena_alloc(x->fx->mem, (*n + 1) * sizeof(*list));
	*n = 0;
	for (struct pw *r = first; r && list; r = r->next) {
		struct val v;

		if (r->op == '&' || !r->a)
			continue;
		v = eval(x, r->a);
		if (v.flags & VAL_NULL)
			continue;
		list[*n] = (struct redir){ .op = r->op == 'a' ? REDIR_APPEND : REDIR_WRITE, .fd = *r->text >= '2' ? *r->text - '0' : 1, .span = span_of(x, r) };
		list[*n].target = v.n ? as_argument(x, v.w[0], false, true) : (struct word){ .prefix = "", .suffix = "" };
		list[*n].target.windows = true;
		(*n)++;
	}
	return list;
}

static struct val run_cmdlet(struct pwsh *x, struct pw *n, const char *shown, const char *known, const struct val *input, bool has_input)
{
	const struct node *cmdlet = programs_find(x->fx->programs, known);
	const char *name = (strchr(known, '-') ? known : cmdlet->name[0]) + 3;		/* "ps:get-item"; of an alias the first */
	struct argv a = { 0 };
	struct args args;
	struct simple *s = new_simple(x, n);
	struct val v, out;

	push(x, &a, (struct word){ .kind = WORD_EXACT, .text = shown, .span = span_of(x, n->a) });
	collect(x, n, cmdlet, &a);
	if (has_input)
		take_input(x, &a, cmdlet, input);
	if (!s || x->stop || a.whatif)
		return null_val();
	s->argv = a.w;
	s->argc = a.n;
	s->known = known;
	s->redir = redirections(x, n->c, &s->nredir);
	if (has_input)
		feed(x, s, input, n);
	if (!strcmp(name, "invoke-expression") && ((a.flags | (has_input ? input->flags : 0)) & VAL_NET)) {
		effects_plain(x->fx, s, EFFECT_FETCH_CODE, "runs text from the network");
		s->known = "ps:write-output";
	}
	if (emit(x, s) < 0 || args_parse(x->fx->mem, cmdlet, s, 1, &args) < 0)
		return null_val();
	if (args.odd && !cmdlet->strict)
		effects_path(x->fx, s, EFFECT_UNKNOWN, args.odd, "a parameter that no rule knows")->path = NULL;
	v = run_blocks(x, name, &a, input, has_input);
	out = after_cmdlet(x, n, name, &args, &a, input, s);
	if (!strcmp(name, "foreach-object"))
		out = a.nblock ? v : member_name(x, n, &args, input);
	else if (a.nblock && is_one_of(name, "invoke-command measure-command start-job"))
		out = v;
	if ((effects_seen(x->fx, s) & SEEN_NETWORK) || (a.flags & VAL_NET))
		out.flags |= VAL_NET;
	if (has_input)
		out.flags |= input->flags & VAL_NET;
	if (!out.from && !(out.flags & VAL_ITEMS))
		out.from = s;
	return out;
}

/* ---- programs ------------------------------------------------------------------------------------------------- */

static const char *find_program(struct pwsh *x, struct word *w)
{
	const char *stem, *known = NULL;

	if (w->kind != WORD_EXACT || !*w->text)
		return NULL;
	if (strpbrk(w->text, "/\\")) {
		char *text = winpath_text(x->fx->mem, x->fx->line, w->text, x->cwd);
		char *abs = text ? paths_normal(x->fx->mem, text, x->cwd) : NULL;

		stem = cmdexe_stem(x->fx->mem, last_name(w->text));
		if (abs && winpath_is_bin(abs) && stem) {
			known = known_as(x, "win:", stem, "");
			known = known ? known : known_as(x, "", stem, "");
		}
		if (text) {
			w->text = text;
			w->windows = false;
		}
		return known;
	}
	stem = cmdexe_stem(x->fx->mem, w->text);
	if (!stem)
		return NULL;
	if (is_windows(x))
		known = known_as(x, "win:", stem, "");
	known = known ? known : known_as(x, "", stem, "");
	return known ? known : known_as(x, "win:", stem, "");
}

static struct val run_program(struct pwsh *x, struct pw *n, struct word name, struct argv *a, const struct val *input)
{
	struct simple *s = new_simple(x, n);
	struct word *argv = arena_alloc(x->fx->mem, (a->n + 1) * sizeof(*argv));
	struct val out;

	if (!s || !argv)
		return null_val();
	argv[0] = name;
	argv[0].windows = true;
	if (a->n)
		memcpy(argv + 1, a->w, a->n * sizeof(*argv));
	s->known = find_program(x, &argv[0]);
	s->argv = argv;
	s->argc = a->n + 1;
	if (n->kind == PW_COMMAND)
		s->redir = redirections(x, n->c, &s->nredir);
	if (input->n || input->from)
		feed(x, s, input, n);
	emit(x, s);
	for (size_t b = 0; b < a->nblock && !x->stop; b++)
		walk_block(x, a->block[b].block, NULL, NULL);
	out = unknown(x, no_value, n);
	out.from = s;
	if ((effects_seen(x->fx, s) & SEEN_NETWORK) || (a->flags & VAL_NET))
		out.flags |= VAL_NET;
	return out;
}

/* Values for the names of param(), then a walk over the body. */
static struct val run_function(struct pwsh *x, struct pw *n, struct pw *body, const struct val *input, bool has_input)
{
	struct variable *keep = x->var;
	struct argv a = { 0 };
	struct val v, args = { 0 };
	size_t i = 0;
	struct node none = { .style = STYLE_RAW };

	collect(x, n, &none, &a);
	if (x->calls >= PWSH_CALLS) {
		unclear(x, n, "a function that calls itself");
		return null_val();
	}
	for (struct pw *p = body->b; p; p = p->next) {
		struct val value = p->a ? eval(x, p->a) : null_val();

		/* by name */
		for (size_t k = 0; k + 1 < a.n; k++) {
			if (!a.w[k].quoted && a.w[k].kind == WORD_EXACT && a.w[k].text[0] == '-' && !strcasecmp(a.w[k].text + 1, p->text)) {
				value = one(x, a.w[k + 1]);
				a.w[k].text = a.w[k + 1].text = "";
				a.w[k + 1].kind = WORD_EXACT;
			}
		}
		while (i < a.n && a.w[i].kind == WORD_EXACT && (!*a.w[i].text || (!a.w[i].quoted && a.w[i].text[0] == '-')))
			i++;
		if (!value.n && i < a.n)
			value = one(x, a.w[i++]);
		set_variable(x, p->text, value);
	}
	args.w = a.w;
	args.n = a.n;
	x->calls++;
	v = walk_block(x, body, has_input ? input : NULL, &args);
	x->calls--;
	x->var = keep;
	return v;
}

static struct val dot_source(struct pwsh *x, struct pw *n, struct val name)
{
	struct simple *s = new_simple(x, n);
	struct argv a = { 0 };

	collect(x, n, NULL, &a);
	push(x, &a, (struct word){ .kind = WORD_EXACT, .text = "." });
	if (!s)
		return null_val();
	s->argv = &a.w[a.n - 1];
	s->argc = 1;
	effects_script(x->fx, s, "powershell", &name.w[0], 1);
	return unknown(x, no_value, n);
}

/* Microsoft.PowerShell.Management\Remove-Item */
static const char *without_module(struct pwsh *x, const char *name)
{
	const char *slash = strrchr(name, '\\');
	size_t n = slash ? (size_t)(slash - name) : 0;

	if (!n || name[0] == '.' || strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.0123456789_") < n)
		return name;
	return known_as(x, "ps:", lower(x, slash + 1), "") ? slash + 1 : name;
}

/* On a machine that is no Windows rm, cp and the like are the programs of that name. */
static bool is_own_program(const struct pwsh *x, const char *name)
{
	return !is_windows(x) &&
	       is_one_of(name, "rm cp mv ls cat sort ps kill sleep tee diff rmdir mount man clear curl wget compare write");
}

/* Do the words read as those of the cmdlet? */
static bool reads_as(struct pwsh *x, const struct pw *n, const struct node *cmdlet)
{
	for (const struct pw *p = n->b; p; p = p->next) {
		if (p->kind == PW_PARAM && !args_dash(x->fx->mem, cmdlet, p->text))
			return false;
	}
	return true;
}

static struct val run_named(struct pwsh *x, struct pw *n, struct word name, const struct val *input, bool has_input)
{
	const char *text = without_module(x, name.text), *low = lower(x, text), *known;
	const struct function *f = find_function(x, low);
	struct argv a = { 0 };

	for (unsigned hops = 0; f && !f->body && hops < 8; hops++) {
		if (!f->target) {
			unclear(x, n, "an alias whose meaning is not known");
			return null_val();
		}
		text = f->target;
		low = lower(x, text);
		f = find_function(x, low);
	}
	if (f && f->body)
		return run_function(x, n, f->body, input, has_input);
	known = known_as(x, "ps:", low, "");
	if (known && is_own_program(x, low) && !reads_as(x, n, programs_find(x->fx->programs, known)))
		known = NULL;
	if (known)
		return run_cmdlet(x, n, text, known, input, has_input);
	collect(x, n, NULL, &a);
	name.text = text;
	return run_program(x, n, name, &a, input);
}

static struct val run_expression(struct pwsh *x, struct pw *n)
{
	struct val v = eval(x, n->a);
	struct simple *s = new_simple(x, n);

	if (!s)
		return null_val();
	s->redir = redirections(x, n->c, &s->nredir);
	emit(x, s);
	return v;
}

static struct val run_command(struct pwsh *x, struct pw *n, const struct val *input, bool has_input)
{
	struct val name;
	const char *text;

	if (n->op == 'e')
		return run_expression(x, n);
	name = eval(x, n->a);
	if (name.block) {
		struct argv a = { 0 };
		struct val args;

		collect(x, n, NULL, &a);
		args = (struct val){ .w = a.w, .n = a.n };
		return walk_block(x, name.block, has_input ? input : NULL, &args);
	}
	text = text_of(&name);
	if (n->op == '.' && name.n && !(text && find_function(x, text)) && !(text && known_as(x, "ps:", lower(x, text), "")))
		return dot_source(x, n, name);
	if (!text || !*text) {
		struct simple *s = new_simple(x, n);

		if (s && (name.flags & VAL_NET))
			effects_plain(x->fx, s, EFFECT_FETCH_CODE, "runs text from the network");
		else if (s)
			effects_plain(x->fx, s, EFFECT_UNKNOWN, "which program this is cannot be told");
		for (struct pw *p = n->b; p; p = p->next) {
			struct val v = p->kind == PW_PARAM ? null_val() : eval(x, p);

			if (v.block)
				walk_block(x, v.block, NULL, NULL);
		}
		return unknown(x, no_value, n);
	}
	return run_named(x, n, name.w[0], input, has_input);
}

/* ---- statements ------------------------------------------------------------------------------------------------ */

static struct val pipe(struct pwsh *x, struct pw *n)
{
	struct val v = null_val();
	bool first = true;

	for (struct pw *s = n->a; s && !x->stop; s = s->next) {
		unsigned flags = x->flags;

		if (s->next)
			x->flags |= SIMPLE_PIPE_OUT;
		v = s->kind == PW_COMMAND ? run_command(x, s, &v, !first) : eval(x, s);
		x->flags = flags;
		first = false;
	}
	return v;
}

static struct val list(struct pwsh *x, struct pw *n)
{
	struct val out = null_val();

	for (struct pw *s = n->a; s && !x->stop; s = s->next) {
		struct val v = walk(x, s);

		if (s->kind == PW_ASSIGN)
			continue;
		if (out.n || out.block)
			out = join(x, &out, &v);
		else
			out = v;
	}
	return out;
}

/* What may not run: directories and values that it changes are not known afterwards. */
static struct val maybe(struct pwsh *x, struct pw *n, unsigned flag)
{
	unsigned flags = x->flags;
	const char *cwd = x->cwd;
	bool stop = x->stop;
	struct val v;

	x->flags |= flag;
	v = n && n->kind == PW_BLOCK ? walk_block(x, n, NULL, NULL) : eval(x, n);
	x->flags = flags;
	if (cwd && (!x->cwd || strcmp(cwd, x->cwd) != 0))
		x->cwd = NULL;
	x->stop = stop || x->fx->too_big;
	return v;
}

static struct val foreach(struct pwsh *x, struct pw *n)
{
	struct val values = eval(x, n->a), out = null_val();
	unsigned flags = x->flags;

	x->flags |= SIMPLE_LOOP;
	for (size_t i = 0; i < MIN(values.n, PWSH_ITEMS) && !x->stop; i++) {
		struct val item = { .w = &values.w[i], .n = 1, .flags = values.flags, .from = values.from }, v;

		set_variable(x, n->text, item);
		v = maybe(x, n->b, SIMPLE_LOOP);
		out = join(x, &out, &v);
	}
	if (!values.n) {
		set_variable(x, n->text, unknown(x, no_value, n));
		out = maybe(x, n->b, SIMPLE_LOOP);
	}
	if (values.n > PWSH_ITEMS)
		unclear(x, n, "a loop over too many words");
	x->flags = flags;
	return out;
}

static struct val assign(struct pwsh *x, struct pw *n)
{
	struct val v = eval(x, n->b);
	struct pw *t = n->a;

	while (t && (t->kind == PW_CAST || t->kind == PW_SUB))
		t = t->a;
	if (t && t->kind == PW_LIST)
		t = t->a;
	if (t && t->kind == PW_ARRAY) {		/* $a, $b = ... */
		for (struct pw *e = t->a; e; e = e->next) {
			if (e->kind == PW_VAR)
				set_variable(x, e->text, unknown(x, no_value, e));
		}
		return v;
	}
	if (!t || t->kind != PW_VAR) {
		if (t)
			eval(x, t->a);
		return v;
	}
	if (strcmp(n->text, "=") != 0) {
		struct val old = variable(x, t);

		if (!strcmp(n->text, "+=") && text_of(&old) && text_of(&v)) {
			struct val both = join(x, &old, &v);

			v = joined(x, n, &both, "");
		} else if (n->text[0] != '?') {
			v = unknown(x, no_value, n);
		}
	}
	if (!strncasecmp(t->text, "env:", 4)) {
		struct simple *s = new_simple(x, n);
		struct assign *a = s ? arena_alloc(x->fx->mem, sizeof(*a)) : NULL;

		if (a) {
			a->name = t->text + 4;
			a->value = v.n ? v.w[0] : (struct word){ .kind = WORD_EXACT, .text = "" };
			a->span = s->span;
			s->assign = a;
			s->nassign = 1;
			emit(x, s);
		}
	}
	if (!strncasecmp(t->text, "function:", 9) || !strncasecmp(t->text, "alias:", 6)) {
		define(x, strchr(t->text, ':') + 1, v.block, text_of(&v));
		return v;
	}
	set_variable(x, t->text, v);
	return v;
}

static struct val walk(struct pwsh *x, struct pw *n)
{
	struct val v = null_val(), w;

	if (!n || x->stop)
		return v;
	switch (n->kind) {
	case PW_LIST:
		return list(x, n);
	case PW_PIPE:
		return pipe(x, n);
	case PW_CHAIN:
		v = eval(x, n->a);
		w = n->op == '|' ? maybe(x, n->b, SIMPLE_CONDITIONAL) : eval(x, n->b);
		return join(x, &v, &w);
	case PW_COMMAND:
		return run_command(x, n, &v, false);
	case PW_SUB: {
		unsigned flags = x->flags;

		x->flags |= SIMPLE_SUBST;
		v = eval(x, n->a);
		x->flags = flags;
		return v;
	}
	case PW_IF:
		eval(x, n->a);
		v = maybe(x, n->b, SIMPLE_CONDITIONAL);
		w = n->c ? maybe(x, n->c, SIMPLE_CONDITIONAL) : null_val();
		return join(x, &v, &w);
	case PW_LOOP:
		eval(x, n->a);
		return maybe(x, n->b, SIMPLE_LOOP);
	case PW_FOREACH:
		return foreach(x, n);
	case PW_BODIES:
		eval(x, n->a);
		for (struct pw *b = n->b; b && !x->stop; b = b->next) {
			w = maybe(x, b, SIMPLE_CONDITIONAL);
			v = join(x, &v, &w);
		}
		return v;
	case PW_FUNCTION: {
		unsigned flags = x->flags;

		define(x, n->text, n->a, NULL);
		if (known_as(x, "ps:", lower(x, n->text), "") || !strcasecmp(n->text, "prompt"))
			unclear(x, n, "a function with the name of a command");
		x->flags |= SIMPLE_DEFINED;
		maybe(x, n->a, SIMPLE_CONDITIONAL);
		x->flags = flags;
		return null_val();
	}
	case PW_ASSIGN:
		return assign(x, n);
	case PW_FLOW:
		v = n->a ? eval(x, n->a) : null_val();
		if ((!strcmp(n->text, "exit") || !strcmp(n->text, "return")) && !(x->flags & (SIMPLE_CONDITIONAL | SIMPLE_LOOP | SIMPLE_DEFINED)) &&
		    !x->calls)
			x->stop = !strcmp(n->text, "exit");
		return v;
	case PW_BLOCK:		/* try { } and the like */
		return walk_block(x, n, NULL, NULL);
	default:
		return eval(x, n);
	}
}

static struct val walk_block(struct pwsh *x, struct pw *block, const struct val *item, const struct val *args)
{
	struct variable *keep = x->var;
	struct val v;

	if (x->depth >= 2 * PWSH_DEPTH || x->calls > 4 * PWSH_CALLS) {
		x->fx->too_big = x->stop = true;
		return null_val();
	}
	if (item) {
		set_variable(x, "_", *item);
		set_variable(x, "psitem", *item);
		set_variable(x, "input", *item);
	}
	if (args) {
		size_t i = 0;

		set_variable(x, "args", args->n ? *args : null_val());
		for (struct pw *p = block->b; p && !find_variable(x, p->text); p = p->next)
			set_variable(x, p->text, i < args->n ? one(x, args->w[i++]) : null_val());
	}
	x->depth++;
	x->calls++;
	v = eval(x, block->a);
	x->calls--;
	x->depth--;
	if (item || args) {	/* what the block set is gone but for the script's own: those are not known then */
		x->var = keep;
	}
	return v;
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

static int run(struct pwsh *x, const char *text, size_t len)
{
	struct pwread r;

	pwread_text(x->fx->mem, text, len, PWSH_DEPTH, &r);
	if (r.list)
		eval(x, r.list);
	if (r.failed) {
		struct pw at = { .span = r.at };

		x->stop = false;
		unclear(x, &at, r.why);
	}
	return x->fx->too_big || x->fx->mem->full ? -1 : 0;
}

int pwsh_text(struct effects *fx, const struct simple *by, const char *text, size_t len, struct span at)
{
	struct pwsh *up = fx->pwsh;
	struct pwsh x = { .fx = fx, .by = by, .cwd = by ? by->cwd : fx->line->cwd, .at = at, .whole = by != NULL };
	int rc;

	if (fx->depth >= EFFECTS_DEPTH) {
		fx->too_big = true;
		return -1;
	}
	if (by)
		x.flags = by->flags & (SIMPLE_LOOP | SIMPLE_CONDITIONAL | SIMPLE_SUBST | SIMPLE_DEFINED);
	if (up) {
		x.var = up->var;
		x.fn = up->fn;
		x.calls = up->calls + 1;
		x.steps = up->steps;
	}
	if (x.calls > 4 * PWSH_CALLS) {
		fx->too_big = true;
		return -1;
	}
	fx->pwsh = &x;
	fx->depth++;
	rc = run(&x, text, len);
	fx->depth--;
	fx->pwsh = up;
	if (up) {		/* iex and dot-sourcing: what it set stays */
		up->var = x.var;
		up->fn = x.fn;
		up->steps = x.steps;
		if (by && by->cwd && (!x.cwd || strcmp(by->cwd, x.cwd) != 0))
			up->cwd = x.cwd;
	}
	if (fx->expand)
		expand_set_cwd(fx->expand, up ? up->cwd : by ? by->cwd : fx->line->cwd);
	return rc;
}

/* ---- pwsh -Command and the like -------------------------------------------------------------------------------------- */

struct host_option {
	const char	*name;
	char		 kind;		/* c command, e encoded, f file, v takes a value, d directory, h help, 0 none */
	unsigned	 least;		/* letters that are enough */
};

static const struct host_option host_options[] = {
	{ "command", 'c', 1 }, { "encodedcommand", 'e', 1 }, { "ec", 'e', 2 }, { "file", 'f', 1 }, { "executionpolicy", 'v', 2 },
	{ "ep", 'v', 2 }, { "commandwithargs", 'c', 8 }, { "cwa", 'c', 3 }, { "windowstyle", 'v', 1 }, { "version", 'V', 1 },
	{ "psconsolefile", 'v', 1 }, { "inputformat", 'v', 3 }, { "if", 'v', 2 }, { "outputformat", 'v', 1 }, { "of", 'v', 2 },
	{ "configurationname", 'v', 6 }, { "configurationfile", 'v', 14 }, { "config", 'v', 6 }, { "custompipename", 'v', 3 }, { "settingsfile", 'v', 2 },
	{ "workingdirectory", 'd', 2 }, { "wd", 'd', 2 }, { "noprofile", 0, 3 }, { "nologo", 0, 3 }, { "noninteractive", 0, 4 },
	{ "noexit", 0, 3 }, { "noprofileloadtime", 0, 10 }, { "sta", 0, 2 }, { "mta", 0, 1 }, { "login", 0, 1 }, { "interactive", 0, 1 },
	{ "encodedarguments", 'v', 8 }, { "ea", 'v', 2 }, { "help", 'h', 1 }, { "?", 'h', 1 }, { "removeworkingdirectorytrailingcharacter", 0, 2 },
};

static const struct host_option *host_option(const char *text)
{
	size_t n;

	if (text[0] != '-' && text[0] != '/')
		return NULL;
	text += text[0] == '-' && text[1] == '-' ? 2 : 1;
	n = strlen(text);
	for (size_t i = 0; n && i < ARRAY_SIZE(host_options); i++) {
		if (n >= host_options[i].least && n <= strlen(host_options[i].name) && !strncasecmp(text, host_options[i].name, n))
			return &host_options[i];
	}
	return NULL;
}

static int own_text(struct effects *fx, const struct simple *s, const char *text, size_t len, struct span at)
{
	struct pwsh *up = fx->pwsh;
	int rc;

	fx->pwsh = NULL;	/* a process of its own */
	rc = pwsh_text(fx, s, text, len, at);
	fx->pwsh = up;
	return rc;
}

static int run_rest(struct effects *fx, const struct simple *s, size_t from)
{
	struct buf text;
	struct span at = s->argv[from].span;
	char *copy;

	if (s->argc == from + 1 && s->argv[from].kind == WORD_EXACT && !strcmp(s->argv[from].text, "-"))
		return effects_stdin_code(fx, s, "powershell");
	buf_init(&text, CMDLINE_MAX);
	for (size_t i = from; i < s->argc; i++) {
		const struct word *w = &s->argv[i];

		if (w->kind == WORD_UNKNOWN) {
			buf_done(&text);
			return effects_code(fx, s, "powershell", w);
		}
		buf_addf(&text, "%s%s", i > from ? " " : "", w->text);
		at.to = MAX(at.to, w->span.to);
	}
	copy = arena_strndup(fx->mem, buf_str(&text), text.len);
	buf_done(&text);
	return copy ? own_text(fx, s, copy, strlen(copy), at) : -1;
}

static int run_encoded(struct effects *fx, const struct simple *s, const struct word *w)
{
	char *text = w->kind == WORD_EXACT ? decode(fx->mem, w->text, true) : NULL;

	if (!text) {
		effects_path(fx, s, EFFECT_UNKNOWN, w, "runs code that is not known before it runs")->path = NULL;
		return 0;
	}
	return own_text(fx, s, text, strlen(text), w->span);
}

/* What follows the options is a command for the old one, a file for the new one. */
static int run_positional(struct effects *fx, const struct simple *s, size_t at)
{
	const struct word *w = &s->argv[at];
	size_t n = w->kind == WORD_EXACT ? strlen(w->text) : 0;
	const char *stem = s->argv[0].kind == WORD_EXACT ? cmdexe_stem(fx->mem, last_name(s->argv[0].text)) : NULL;

	if (w->kind == WORD_EXACT && !strcmp(w->text, "-"))
		return effects_stdin_code(fx, s, "powershell");
	if ((n > 4 && !strcasecmp(w->text + n - 4, ".ps1")) || (stem && !strcmp(stem, "pwsh") && w->kind == WORD_EXACT && !strpbrk(w->text, " ;|&{(\"'$")))
		return effects_script(fx, s, "powershell", w, at + 1);
	return run_rest(fx, s, at);
}

int pwsh_command(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	size_t i = 1;

	for (; i < s->argc; i++) {
		const struct word *w = &s->argv[i];
		const char *t = w->kind == WORD_EXACT ? w->text : "";
		const struct host_option *o = host_option(t);

		if (!o && t[0] == '-' && t[1] && strspn(t, "-") != strlen(t)) {
			effects_path(fx, s, EFFECT_UNKNOWN, w, "an option that no rule knows")->path = NULL;
			return 0;
		}
		if (!o)
			return run_positional(fx, s, i);
		if (o->kind == 'h' || (o->kind == 'V' && i + 1 >= s->argc))
			return 0;
		if (!o->kind || (i + 1 >= s->argc && o->kind != 'c'))
			continue;
		i++;
		if (i < s->argc && o->kind == 'c')
			return run_rest(fx, s, i);
		if (o->kind == 'e')
			return run_encoded(fx, s, &s->argv[i]);
		if (o->kind == 'f')
			return effects_script(fx, s, "powershell", &s->argv[i], i + 1);
	}
	if (s->pipe_from || s->stdin_text)
		return effects_stdin_code(fx, s, "powershell");
	effects_plain(fx, s, EFFECT_INTERACTIVE, "starts an interactive shell or interpreter");
	return 0;
}

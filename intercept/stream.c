/* intercept/stream.c - what a command writes to its standard output, where it can be told */
#include "intercept/stream.h"

#include <ctype.h>
#include <string.h>

#define STREAM_STAGES	16
#define STREAM_NAMES	4096

static const char *exact(const struct word *w)
{
	return w->kind == WORD_EXACT ? w->text : NULL;
}

static const char *base(const struct simple *s)
{
	const char *t = s->argc ? exact(&s->argv[0]) : NULL, *slash = t ? strrchr(t, '/') : NULL;

	return !t ? "" : slash ? slash + 1 : t;
}

static bool has_option(const struct simple *s, char letter, const char *name)
{
	for (size_t i = 1; i < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (!t || t[0] != '-' || !t[1])
			continue;
		if (t[1] == '-' ? name && !strncmp(t + 2, name, strlen(t + 2)) && t[2] : strchr(t, letter) != NULL)
			return true;
	}
	return false;
}

/* ---- escapes: echo -e, printf ------------------------------------------------------------------- */

static size_t read_number(const char *s, int radix, size_t max, unsigned *v)
{
	size_t n = 0;

	*v = 0;
	while (n < max && isxdigit((unsigned char)s[n])) {
		unsigned d = isdigit((unsigned char)s[n]) ? (unsigned)(s[n] - '0') :
			     (unsigned)(tolower((unsigned char)s[n]) - 'a') + 10;

		if (d >= (unsigned)radix)
			break;
		*v = *v * (unsigned)radix + d;
		n++;
	}
	return n;
}

/* One escape after a backslash; returns bytes used of @s. */
static size_t add_escape(struct buf *out, const char *s)
{
	static const char from[] = "abefnrtv\\'\"", to[] = "\a\b\033\f\n\r\t\v\\'\"";
	const char *hit = *s ? strchr(from, *s) : NULL;
	unsigned v;
	size_t n;

	if (hit) {
		buf_addc(out, to[hit - from]);
		return 1;
	}
	if (*s == 'x' && (n = read_number(s + 1, 16, 2, &v)) > 0) {
		buf_addc(out, (char)v);
		return n + 1;
	}
	n = read_number(s, 8, *s == '0' ? 4 : 3, &v);
	if (n) {
		buf_addc(out, (char)v);
		return n;
	}
	buf_addc(out, '\\');
	return 0;
}

static void add_escaped(struct buf *out, const char *s)
{
	while (*s) {
		if (*s == '\\')
			s += 1 + add_escape(out, s + 1);
		else
			buf_addc(out, *s++);
	}
}

static int echo_text(const struct simple *s, struct buf *out)
{
	size_t i = 1;
	bool newline = true, escapes = false;

	for (; i < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (!t || t[0] != '-' || !t[1] || t[1 + strspn(t + 1, "neE")])
			break;
		newline = newline && !strchr(t, 'n');
		escapes = escapes || strchr(t, 'e');
	}
	for (size_t k = i; k < s->argc; k++) {
		if (!exact(&s->argv[k]))
			return -1;
		if (k > i)
			buf_addc(out, ' ');
		if (escapes)
			add_escaped(out, s->argv[k].text);
		else
			buf_adds(out, s->argv[k].text);
	}
	if (newline)
		buf_addc(out, '\n');
	return 0;
}

/* %s %b %d %c %% and escapes; the format is used again while words are left. */
static int printf_text(const struct simple *s, struct buf *out)
{
	size_t at = 2, first = 1, used;
	const char *f;

	if (s->argc > 2 && exact(&s->argv[1]) && !strcmp(exact(&s->argv[1]), "--"))
		first = 2, at = 3;
	if (s->argc <= first || !exact(&s->argv[first]))
		return -1;
	do {
		used = 0;
		for (f = s->argv[first].text; *f; ) {
			if (*f == '\\') {
				f += 1 + add_escape(out, f + 1);
			} else if (*f != '%') {
				buf_addc(out, *f++);
			} else if (f[1] == '%') {
				buf_addc(out, '%');
				f += 2;
			} else {
				const char *arg = "";

				f += 1 + strspn(f + 1, "-+ #0123456789.");
				if (!*f || !strchr("sbqdiuxXc", *f))
					return -1;
				if (at < s->argc) {
					arg = exact(&s->argv[at++]);
					used++;
				}
				if (!arg)
					return -1;
				if (*f == 'b')
					add_escaped(out, arg);
				else
					buf_adds(out, arg);
				f++;
			}
		}
	} while (used && at < s->argc && !out->full);
	return 0;
}

/* ---- decoders -------------------------------------------------------------------------------------- */

static int base64_decode(const char *s, size_t len, struct buf *out)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned v = 0, bits = 0;

	for (size_t i = 0; i < len && s[i] != '='; i++) {
		const char *hit = s[i] ? strchr(set, s[i]) : NULL;

		if (!hit)
			continue;
		v = (v << 6 | (unsigned)(hit - set)) & 0xffffff;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			buf_addc(out, (char)(v >> bits));
		}
	}
	return 0;
}

static int base32_decode(const char *s, size_t len, struct buf *out)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	unsigned v = 0, bits = 0;

	for (size_t i = 0; i < len && s[i] != '='; i++) {
		const char *hit = s[i] ? strchr(set, s[i]) : NULL;

		if (!hit)
			continue;
		v = (v << 5 | (unsigned)(hit - set)) & 0xffffff;
		bits += 5;
		if (bits >= 8) {
			bits -= 8;
			buf_addc(out, (char)(v >> bits));
		}
	}
	return 0;
}

static int hex_decode(const char *s, size_t len, struct buf *out)
{
	for (size_t i = 0; i + 1 < len; ) {
		unsigned v;

		if (!isxdigit((unsigned char)s[i])) {
			i++;
			continue;
		}
		if (read_number(s + i, 16, 2, &v) == 2)
			buf_addc(out, (char)v);
		i += 2;
	}
	return 0;
}

static int rev_text(const char *s, size_t len, struct buf *out)
{
	for (size_t from = 0; from < len; ) {
		size_t n = 0;

		while (from + n < len && s[from + n] != '\n')
			n++;
		for (size_t i = n; i-- > 0; )
			buf_addc(out, s[from + i]);
		if (from + n < len)
			buf_addc(out, '\n');
		from += n + 1;
	}
	return 0;
}

/* A set of tr with its ranges written out. */
static int tr_set(const char *s, struct buf *out)
{
	if (strchr(s, '['))
		return -1;
	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s += add_escape(out, s + 1);
		} else if (s[1] == '-' && s[2] && (unsigned char)s[2] >= (unsigned char)*s) {
			for (unsigned c = (unsigned char)*s; c <= (unsigned char)s[2]; c++)
				buf_addc(out, (char)c);
			s += 2;
		} else {
			buf_addc(out, *s);
		}
	}
	return 0;
}

static int tr_text(const struct simple *s, const char *text, size_t len, struct buf *out)
{
	struct buf from, to;
	bool deletes = s->argc == 3 && exact(&s->argv[1]) && !strcmp(exact(&s->argv[1]), "-d");
	int rc = -1;

	buf_init(&from, 1024);
	buf_init(&to, 1024);
	if (s->argc == 3 && exact(&s->argv[1]) && exact(&s->argv[2]) &&
	    tr_set(deletes ? s->argv[2].text : s->argv[1].text, &from) == 0 &&
	    (deletes || tr_set(s->argv[2].text, &to) == 0) && from.len && (deletes || to.len)) {
		rc = 0;
		for (size_t i = 0; i < len; i++) {
			const char *hit = memrchr(buf_str(&from), text[i], from.len);

			if (!hit)
				buf_addc(out, text[i]);
			else if (!deletes)
				buf_addc(out, buf_str(&to)[MIN((size_t)(hit - buf_str(&from)), to.len - 1)]);
		}
	}
	buf_done(&from);
	buf_done(&to);
	return rc;
}

/* ---- one stage --------------------------------------------------------------------------------------- */

static struct stream as_text(struct effects *fx, const struct simple *s, struct buf *b, int rc)
{
	struct stream st = { .origin = ORIGIN_UNKNOWN, .span = s->span };

	if (!rc && !b->full) {
		char *text = arena_strndup(fx->mem, buf_str(b), b->len);

		for (size_t i = 0; text && i < b->len; i++)	/* a NUL ends a name for xargs -0; for a shell it is nothing */
			text[i] = text[i] ? text[i] : '\n';
		st.text = text;
		st.len = b->len;
		st.origin = st.text ? ORIGIN_TEXT : ORIGIN_UNKNOWN;
	}
	buf_done(b);
	return st;
}

static const struct word *first_operand(const struct simple *s)
{
	for (size_t i = 1; i < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (!t || t[0] != '-')
			return &s->argv[i];
	}
	return NULL;
}

/* A filter that decodes what it reads. 1: it is none. */
static int decode(const struct simple *s, const struct stream *in, struct buf *out)
{
	const char *name = base(s);
	bool d = has_option(s, 'd', "decode") || has_option(s, 'D', NULL);

	if (!strcmp(name, "base64") && d)
		return base64_decode(in->text, in->len, out);
	if (!strcmp(name, "base32") && d)
		return base32_decode(in->text, in->len, out);
	if (!strcmp(name, "openssl") && has_option(s, 'd', NULL) && ((s->argc > 1 && exact(&s->argv[1]) && !strcmp(exact(&s->argv[1]), "base64")) || has_option(s, 'a', NULL) || has_option(s, 'b', NULL)))
		return base64_decode(in->text, in->len, out);
	if (!strcmp(name, "xxd") && has_option(s, 'r', "revert"))
		return hex_decode(in->text, in->len, out);
	if (!strcmp(name, "rev"))
		return rev_text(in->text, in->len, out);
	if (!strcmp(name, "tr"))
		return tr_text(s, in->text, in->len, out);
	if (!strcmp(name, "cat") || !strcmp(name, "tee"))
		return buf_add(out, in->text, in->len);
	return 1;
}

static struct stream output(struct effects *fx, const struct simple *s, unsigned depth)
{
	struct stream none = { .origin = ORIGIN_UNKNOWN, .span = s->span }, in;
	const struct word *file;
	struct buf out;
	int rc;

	if (depth > STREAM_STAGES || !s->argc)
		return none;
	buf_init(&out, STREAM_MAX);
	if (!strcmp(base(s), "echo"))
		return as_text(fx, s, &out, echo_text(s, &out));
	if (!strcmp(base(s), "printf"))
		return as_text(fx, s, &out, printf_text(s, &out));
	buf_done(&out);
	file = strcmp(base(s), "tr") && strcmp(base(s), "tee") && strcmp(base(s), "openssl") ? first_operand(s) : NULL;
	if (file && exact(file)) {	/* a file that this line wrote */
		const struct path *p = paths_word(&fx->paths, file, s->cwd, true);
		const struct made *m = effects_made(fx, p->abs);

		if (!m && !strcmp(base(s), "cat") && s->argc == 2)
			return (struct stream){ .origin = ORIGIN_FILE, .file = file, .span = s->span };
		in = m ? m->from : none;
	} else if (s->stdin_text || !s->pipe_from) {
		in = effects_stdin(fx, s);
	} else {
		in = output(fx, s->pipe_from, depth + 1);
	}
	if (in.origin != ORIGIN_TEXT)
		return none;
	buf_init(&out, STREAM_MAX);
	rc = decode(s, &in, &out);
	return as_text(fx, s, &out, rc);
}

struct stream stream_output(struct effects *fx, const struct simple *s)
{
	return output(fx, s, 0);
}

struct stream stream_decoded(struct effects *fx, const char *text, size_t len, bool hex)
{
	struct simple nobody = { 0 };
	struct buf out;
	int rc;

	buf_init(&out, STREAM_MAX);
	rc = hex ? hex_decode(text, len, &out) : base64_decode(text, len, &out);
	return as_text(fx, &nobody, &out, rc);
}

/* ---- names for xargs --------------------------------------------------------------------------------- */

static size_t split_names(struct effects *fx, const struct stream *st, const struct word **out)
{
	size_t max = MIN(st->len / 2 + 1, (size_t)STREAM_NAMES);
	struct word *list = arena_alloc(fx->mem, max * sizeof(*list));
	size_t n = 0;

	if (!list)
		return 0;
	for (size_t i = 0; i < st->len && n < max; ) {
		size_t len = strcspn(st->text + i, " \t\n");

		if (len) {
			list[n] = (struct word){ .kind = WORD_EXACT, .span = st->span };
			list[n].text = arena_strndup(fx->mem, st->text + i, len);
			n += list[n].text != NULL;
		}
		i += len + 1;
	}
	*out = list;
	return n;
}

struct names {
	struct effects	*fx;
	struct word	*list;
	size_t		 n, max;
};

static void add_name(struct names *l, struct word w)
{
	if (l->n < l->max)
		l->list[l->n++] = w;
}

/* find's start points, with its -name pattern when there is exactly one and it is not negated */
static void find_names(struct names *l, const struct simple *s)
{
	const char *pattern = NULL;
	size_t patterns = 0, first = 1, end;

	while (first < s->argc && exact(&s->argv[first]) && s->argv[first].text[0] == '-')
		first++;
	for (end = first; end < s->argc; end++) {
		const char *t = exact(&s->argv[end]);

		if (t && (*t == '-' || *t == '(' || *t == '!'))
			break;
	}
	if (first == s->argc)
		first = end = 1;
	for (size_t i = end; i + 1 < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (t && (!strcmp(t, "-name") || !strcmp(t, "-iname"))) {
			patterns++;
			pattern = exact(&s->argv[i + 1]);
		}
		if (t && (!strcmp(t, "!") || !strcmp(t, "-not") || !strcmp(t, "-o")))
			patterns += 2;
	}
	for (size_t i = first; i < MAX(end, first + 1); i++) {
		struct word w = i < end ? s->argv[i] : (struct word){ .kind = WORD_EXACT, .text = ".", .span = s->span };

		if (w.kind == WORD_EXACT && patterns == 1 && pattern) {
			w.kind = WORD_PATTERN;
			w.text = arena_printf(l->fx->mem, "%s/%s", *w.text ? w.text : ".", pattern);
		}
		if (w.kind == WORD_UNKNOWN || w.text)
			add_name(l, w);
	}
}

/* git ls-files PATHS: what is tracked below them */
static void tracked_names(struct names *l, const struct simple *s)
{
	size_t before = l->n;

	if (has_option(s, 'o', "others"))
		return;		/* not tracked: could be anything */
	for (size_t i = 2; i < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (t && t[0] != '-' && t[0] != ':' && !strpbrk(t, "*?["))
			add_name(l, s->argv[i]);
	}
	if (l->n == before)
		add_name(l, (struct word){ .kind = WORD_PATTERN, .text = "./*", .span = s->span });
}

/* grep -l PATTERN PATHS: names at or below the paths */
static void grep_names(struct names *l, const struct simple *s)
{
	bool pattern = has_option(s, 'e', "regexp") || has_option(s, 'f', "file");
	size_t before = l->n;

	if (!has_option(s, 'l', "files-with-matches") && !has_option(s, 'L', "files-without-match"))
		return;
	for (size_t i = 1; i < s->argc; i++) {
		const char *t = exact(&s->argv[i]);

		if (t && t[0] == '-')
			continue;
		if (pattern)
			add_name(l, s->argv[i]);
		pattern = true;
	}
	if (l->n == before)
		add_name(l, (struct word){ .kind = WORD_PATTERN, .text = "./*", .span = s->span });
}

/* ls DIR: not the directory, what is in it. */
static struct word listed(struct effects *fx, const struct simple *s, const struct word *w)
{
	const struct path *p = paths_word(&fx->paths, w, s->cwd, true);
	struct word in = *w;

	if (w->kind == WORD_EXACT && *w->text && (p->type == WORLD_DIR || p->zone == ZONE_ROOT)) {
		in.kind = WORD_PATTERN;
		in.text = arena_printf(fx->mem, "%s/*", w->text);
	}
	return in.text ? in : *w;
}

size_t stream_names(struct effects *fx, const struct simple *s, const struct word **out)
{
	struct names l = { .fx = fx };
	struct stream st = effects_stdin(fx, s);
	const struct simple *from = st.origin == ORIGIN_FILE ? effects_inside(fx, st.file) : s->pipe_from;
	unsigned stages = 0;

	if (st.origin == ORIGIN_TEXT)
		return split_names(fx, &st, out);
	/* filters leave out names, they make none */
	while (from && from->pipe_from && stages++ < STREAM_STAGES &&
	       (!strcmp(base(from), "grep") || !strcmp(base(from), "sort") || !strcmp(base(from), "head") ||
		!strcmp(base(from), "tail") || !strcmp(base(from), "uniq") || !strcmp(base(from), "cat")))
		from = from->pipe_from;
	if (!from)
		return 0;
	l.max = from->argc + 8;
	l.list = arena_alloc(fx->mem, l.max * sizeof(*l.list));
	if (!l.list)
		return 0;
	if (!strcmp(base(from), "find"))
		find_names(&l, from);
	else if (!strcmp(base(from), "grep") || !strcmp(base(from), "rg") || !strcmp(base(from), "egrep"))
		grep_names(&l, from);
	else if (!strcmp(base(from), "git") && from->argc > 1 && exact(&from->argv[1]) && !strcmp(exact(&from->argv[1]), "ls-files"))
		tracked_names(&l, from);
	else if (!strcmp(base(from), "ls") || !strcmp(base(from), "fd"))
		for (size_t i = !strcmp(base(from), "ls") ? 1 : 2; i < from->argc; i++) {
			if (!exact(&from->argv[i]) || from->argv[i].text[0] != '-')
				add_name(&l, listed(fx, from, &from->argv[i]));
		}
	if (!l.n && !strcmp(base(from), "ls"))
		add_name(&l, (struct word){ .kind = WORD_PATTERN, .text = "./*", .span = from->span });
	*out = l.list;
	return l.n;
}

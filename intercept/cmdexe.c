/* intercept/cmdexe.c - read the lines of cmd.exe, and say what they run */
#include "intercept/cmdexe.h"

#include <ctype.h>
#include <string.h>

#include "intercept/winpath.h"

#define UNSURE		'\1'	/* stands in a text for what is not known */
#define CMDEXE_VALUE	(64u << 10)
#define CMDEXE_ITEMS	64u	/* values of a loop that are walked one by one */
#define CMDEXE_WORDS	4096u
#define CMDEXE_NEST	64u	/* parentheses, if and for inside each other */

struct variable {
	struct variable	*next;
	const char	*name;
	const char	*value;		/* NULL: taken away; may hold UNSURE */
};

struct loopvar {
	struct loopvar	*up;
	char		 letter;
	const char	*value;
};

struct cmdexe {
	struct effects		*fx;
	const struct simple	*by;
	struct variable		*var;
	struct loopvar		*loop;
	const char		*cwd;		/* NULL: unknown */
	struct cmdexe		*up;
	struct span		 at;
	bool			 whole;		/* spans are @at for everything */
	bool			 script, delayed;
	unsigned		 flags;		/* SIMPLE_ bits of what is walked now */
	unsigned		 nest;
	unsigned		 steps;
	bool			 stop;
};

/* A text that is being read. */
struct in {
	const char	*text;
	size_t		 pos, end;
	bool		 dry;		/* only to find where it ends */
};

static void unclear(struct cmdexe *x, const char *why)
{
	struct simple *s = arena_alloc(x->fx->mem, sizeof(*s));

	if (!s) {
		x->fx->too_big = true;
		return;
	}
	*s = (struct simple){ .cwd = x->cwd, .via = x->by, .span = x->at, .depth = x->by ? x->by->depth + 1 : 0 };
	effects_plain(x->fx, s, EFFECT_UNKNOWN, why);
}

/* ---- variables ------------------------------------------------------------------------------------- */

char *cmdexe_native(struct arena *mem, const char *abs)
{
	char *out = arena_strdup(mem, winpath_is(abs) ? abs + 1 : abs);

	for (char *c = out; c && winpath_is(abs) && *c; c++)
		*c = *c == '/' ? '\\' : *c;
	if (out && winpath_is(abs) && strlen(out) == 2)
		out = arena_printf(mem, "%s\\", out);
	if (out && winpath_is(abs) && out[1] == ':')
		*out = (char)toupper((unsigned char)*out);
	return out;
}

static const char *home_of(struct effects *fx)
{
	const char *home = fx->line->home;

	if (home && winpath_is(home))
		return cmdexe_native(fx->mem, home);
	return arena_printf(fx->mem, "C:\\Users\\%s", fx->line->user ? fx->line->user : "user");
}

static const char *default_variable(struct effects *fx, const char *name, bool *unknown)
{
	static const struct { const char *name, *value; } fixed[] = {
		{ "SYSTEMROOT", "C:\\Windows" }, { "WINDIR", "C:\\Windows" }, { "SYSTEMDRIVE", "C:" }, { "HOMEDRIVE", "C:" },
		{ "COMSPEC", "C:\\Windows\\system32\\cmd.exe" }, { "PROGRAMFILES", "C:\\Program Files" },
		{ "PROGRAMFILES(X86)", "C:\\Program Files (x86)" }, { "PROGRAMW6432", "C:\\Program Files" },
		{ "PROGRAMDATA", "C:\\ProgramData" }, { "ALLUSERSPROFILE", "C:\\ProgramData" }, { "PUBLIC", "C:\\Users\\Public" },
		{ "OS", "Windows_NT" },
	};
	static const struct { const char *name, *below; } homes[] = {
		{ "USERPROFILE", "" }, { "APPDATA", "\\AppData\\Roaming" }, { "LOCALAPPDATA", "\\AppData\\Local" },
		{ "TEMP", "\\AppData\\Local\\Temp" }, { "TMP", "\\AppData\\Local\\Temp" }, { "ONEDRIVE", "\\OneDrive" },
	};
	static const char *const unsure[] = {
		"PATH", "PATHEXT", "RANDOM", "DATE", "TIME", "ERRORLEVEL", "COMPUTERNAME", "USERDOMAIN", "LOGONSERVER", "PROMPT",
		"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "PSMODULEPATH", "CMDCMDLINE", "SESSIONNAME",
	};

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (!strcasecmp(fixed[i].name, name))
			return fixed[i].value;
	}
	for (size_t i = 0; i < ARRAY_SIZE(homes); i++) {
		if (!strcasecmp(homes[i].name, name))
			return arena_printf(fx->mem, "%s%s", home_of(fx), homes[i].below);
	}
	if (!strcasecmp(name, "HOMEPATH"))
		return home_of(fx) + 2;
	if (!strcasecmp(name, "USERNAME"))
		return fx->line->user ? fx->line->user : "user";
	for (size_t i = 0; i < ARRAY_SIZE(unsure); i++)
		*unknown = *unknown || !strcasecmp(unsure[i], name);
	return NULL;
}

/* Unix names that a Windows shell does not have in this sense. */
static bool is_unix_only(const char *name)
{
	return !strcasecmp(name, "HOME") || !strcasecmp(name, "PWD") || !strcasecmp(name, "SHELL") || !strcasecmp(name, "PATH") ||
	       !strcasecmp(name, "TERM") || !strcasecmp(name, "LANG") || !strcasecmp(name, "USER");
}

const char *cmdexe_variable(struct effects *fx, const char *name, bool *unknown)
{
	char *upper = arena_strdup(fx->mem, name);
	const struct live_value *v;
	const char *value;

	*unknown = false;
	for (char *c = upper; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	v = is_unix_only(name) || !upper ? NULL : live_get(fx->live, LIVE_VAR, name);
	if (v && v->state != LIVE_SCALAR && strcmp(upper, name) != 0)
		v = live_get(fx->live, LIVE_VAR, upper);
	if (v && v->state == LIVE_SCALAR)
		return v->text;
	value = default_variable(fx, name, unknown);
	if (!value && !*unknown && !is_unix_only(name))
		*unknown = v && v->state != LIVE_UNSET;
	return value;
}

static const char unknown_text[] = { UNSURE, 0 };

/* NULL: not set. */
static const char *get(struct cmdexe *x, const char *name)
{
	const char *value;
	bool unknown;

	for (const struct cmdexe *c = x; c; c = c->up) {
		for (const struct variable *v = c->var; v; v = v->next) {
			if (!strcasecmp(v->name, name))
				return v->value;
		}
	}
	if (!strcasecmp(name, "CD"))
		return x->cwd ? cmdexe_native(x->fx->mem, x->cwd) : unknown_text;
	value = cmdexe_variable(x->fx, name, &unknown);
	return unknown ? unknown_text : value;
}

static void set(struct cmdexe *x, const char *name, const char *value)
{
	struct variable *v = arena_alloc(x->fx->mem, sizeof(*v));

	if (!v)
		return;
	if (value && (x->flags & (SIMPLE_CONDITIONAL | SIMPLE_LOOP)))
		value = unknown_text;
	*v = (struct variable){ x->var, name, value };
	x->var = v;
}

/* VAR, VAR:~from,count, VAR:old=new */
static void add_value(struct cmdexe *x, struct buf *out, const char *ref, size_t len, const char *literal, size_t llen)
{
	const char *colon = memchr(ref, ':', len), *value;
	char *name = arena_strndup(x->fx->mem, ref, colon ? (size_t)(colon - ref) : len);

	value = name ? get(x, name) : NULL;
	if (!value) {
		if (!x->script)
			buf_add(out, literal, llen);	/* as typed: it stays what it is */
		return;
	}
	if (!colon || (strchr(value, UNSURE) && colon)) {
		buf_adds(out, colon ? unknown_text : value);
		return;
	}
	if (colon[1] == '~') {
		long n = (long)strlen(value), from, count = n;
		char *end;

		from = strtol(colon + 2, &end, 10);
		if (*end == ',')
			count = strtol(end + 1, NULL, 10);
		from = from < 0 ? MAX(n + from, 0) : MIN(from, n);
		count = count < 0 ? MAX(n + count - from, 0) : MIN(count, n - from);
		buf_add(out, value + from, (size_t)count);
		return;
	}
	buf_adds(out, unknown_text);
}

static bool is_name_char(char c)
{
	return c && c != '%' && c != '\n' && c != '!' && c != '&' && c != '|' && c != '<' && c != '>' && c != '"' && c != ' ';
}

/* %VAR%: in the text as a whole, before anything else is looked at. */
static char *percent(struct cmdexe *x, const char *text, size_t len)
{
	struct buf out;
	char *copy;

	buf_init(&out, CMDLINE_MAX);
	for (size_t i = 0; i < len; ) {
		size_t n = i + 1;

		if (text[i] != '%') {
			buf_addc(&out, text[i++]);
			continue;
		}
		if (x->script && n < len && text[n] == '%') {	/* %% */
			buf_addc(&out, '%');
			i += 2;
			if (i < len && (isalpha((unsigned char)text[i]) || text[i] == '~'))
				continue;
			continue;
		}
		if (x->script && n < len && (isdigit((unsigned char)text[n]) || text[n] == '*' || text[n] == '~')) {
			buf_addc(&out, UNSURE);		/* an argument of the batch file */
			while (n < len && !isdigit((unsigned char)text[n]) && text[n] != '*')
				n++;
			i = n + 1;
			continue;
		}
		while (n < len && (is_name_char(text[n]) || (text[n] == ' ' && memchr(text + i + 1, ':', n - i - 1))))
			n++;
		if (n < len && text[n] == '%' && n > i + 1) {
			add_value(x, &out, text + i + 1, n - i - 1, text + i, n + 1 - i);
			i = n + 1;
		} else {
			buf_addc(&out, text[i++]);
		}
	}
	copy = out.full ? NULL : arena_strndup(x->fx->mem, buf_str(&out), out.len);
	buf_done(&out);
	return copy;
}

/* ---- words ----------------------------------------------------------------------------------------- */

static int peek(const struct in *in, size_t ahead)
{
	return in->pos + ahead < in->end ? (unsigned char)in->text[in->pos + ahead] : -1;
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';' || c == '=' || c == 0xa0 || c == '\v' || c == '\f';
}

static bool ends_command(int c)
{
	return c < 0 || c == '&' || c == '|' || c == '\n';
}

static void skip_blanks(struct in *in)
{
	for (;;) {
		if (is_blank(peek(in, 0)))
			in->pos++;
		else if (peek(in, 0) == '^' && peek(in, 1) == '\n')
			in->pos += 2;
		else
			return;
	}
}

static const char *loop_value(const struct cmdexe *x, int letter)
{
	for (const struct loopvar *v = x->loop; v; v = v->up) {
		if (v->letter == letter)
			return v->value;
	}
	return NULL;
}

/* %i, %~i, %~dpi: inside a loop. Returns how much of the text it took, 0: none. */
static size_t loop_ref(const struct cmdexe *x, const struct in *in, struct buf *out)
{
	size_t n = 1;
	const char *value;

	if (peek(in, 1) == '~') {
		for (n = 2; isalpha(peek(in, n)) && isalpha(peek(in, n + 1)) && n < 8; n++)
			;
		if (!isalpha(peek(in, n)))
			return 0;
	}
	value = peek(in, n) > 0 ? loop_value(x, peek(in, n)) : NULL;
	if (!value)
		return 0;
	if (n > 2 && !(n == 3 && peek(in, 2) == 'f'))
		value = unknown_text;		/* a part of the name */
	buf_adds(out, value);
	return n + 1;
}

/* !VAR!: when the command runs. */
static size_t bang_ref(struct cmdexe *x, const struct in *in, struct buf *out)
{
	size_t n = 1;

	while (peek(in, n) > 0 && is_name_char((char)peek(in, n)))
		n++;
	if (n == 1 || peek(in, n) != '!')
		return 0;
	add_value(x, out, in->text + in->pos + 1, n - 1, "", 0);
	return n + 1;
}

struct piece {
	char	*text;
	bool	 quoted;
};

/* A backslash before a quote makes it a letter, but "C:\" ends there. */
static bool is_escaped_quote(const struct in *in)
{
	int c = peek(in, 2);

	return peek(in, 0) == '\\' && peek(in, 1) == '"' && c >= 0 && c != ' ' && !ends_command(c) && c != ')' && c != '"';
}

/* One word; @keep: with its quotes (set, echo). @stop: more characters that end it. */
static struct piece read_word(struct cmdexe *x, struct in *in, const char *stop)
{
	struct piece w = { NULL, false };
	struct buf out;
	bool quote = false;

	buf_init(&out, CMDLINE_MAX);
	for (;;) {
		int c = peek(in, 0);
		size_t n = 0;

		if (c < 0 || c == '\n' || (!quote && (ends_command(c) || is_blank(c) || c == '<' || c == '>' || (stop && strchr(stop, c)))))
			break;
		if (c == '%')
			n = loop_ref(x, in, &out);
		else if (c == '!' && x->delayed)
			n = bang_ref(x, in, &out);
		if (n) {
			in->pos += n;
			continue;
		}
		if (quote && is_escaped_quote(in)) {
			buf_addc(&out, '"');
			in->pos += 2;
			continue;
		}
		if (c == '"') {
			quote = !quote;
			w.quoted = true;
			in->pos++;
			continue;
		}
		if (c == '^' && !quote) {
			in->pos++;
			if (peek(in, 0) < 0)
				break;
			c = peek(in, 0);
		}
		buf_addc(&out, (char)c);
		in->pos++;
	}
	w.text = arena_strndup(x->fx->mem, buf_str(&out), out.len);
	buf_done(&out);
	if (!w.text)
		x->stop = true;
	return w;
}

static struct span span_of(const struct cmdexe *x, size_t from, size_t to)
{
	return x->whole ? x->at : (struct span){ from, to };
}

static struct word make_word(struct cmdexe *x, struct piece p, bool glob, struct span at)
{
	struct word w = { .kind = WORD_EXACT, .text = p.text ? p.text : "", .quoted = p.quoted, .windows = true, .span = at };
	const char *hole = strchr(w.text, UNSURE);

	if (hole) {
		w.kind = WORD_UNKNOWN;
		w.prefix = arena_strndup(x->fx->mem, w.text, (size_t)(hole - w.text));
		w.suffix = strrchr(w.text, UNSURE) + 1;
		w.why = "a value that is not known before it runs";
		w.text = NULL;
		if (!w.prefix)
			w.prefix = "";
	} else if (strpbrk(w.text, "*?") && (glob || !p.quoted)) {
		w.kind = WORD_PATTERN;
	}
	return w;
}

/* ---- one command ------------------------------------------------------------------------------------- */

struct command {
	struct piece	*word;
	struct span	*span;
	size_t		 n;
	struct redir	 redir[16];
	size_t		 nredir;
	size_t		 from, tail;	/* of the text: where it begins, where its arguments do */
};

char *cmdexe_stem(struct arena *mem, const char *name)
{
	static const char *const ends[] = { ".exe", ".com", ".cmd", ".bat", ".ps1" };
	char *s = arena_strdup(mem, name);
	size_t n = s ? strlen(s) : 0;

	for (size_t i = 0; i < n; i++)
		s[i] = (char)tolower((unsigned char)s[i]);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t e = strlen(ends[i]);

		if (n > e && !strcmp(s + n - e, ends[i])) {
			s[n - e] = 0;
			break;
		}
	}
	return s;
}

static const char *known_as(struct cmdexe *x, const char *prefix, const char *name)
{
	char *full = name && !strchr(name, UNSURE) ? arena_printf(x->fx->mem, "%s%s", prefix, name) : NULL;

	return full && programs_find(x->fx->programs, full) ? full : NULL;
}

/* The commands of cmd.exe itself end at more than blanks: cd.., echo., rd/s, dir\x. */
static void split_builtin(struct cmdexe *x, struct command *c)
{
	char *text = c->word[0].text;
	size_t n = strcspn(text, "/\\.:,;=+[(");
	char *name;

	if (!text[n] || !n || known_as(x, "cmd:", cmdexe_stem(x->fx->mem, text)))
		return;
	name = arena_strndup(x->fx->mem, text, n);
	if (!name || !known_as(x, "cmd:", cmdexe_stem(x->fx->mem, name)) || c->n >= CMDEXE_WORDS)
		return;
	memmove(&c->word[2], &c->word[1], (c->n - 1) * sizeof(c->word[0]));
	memmove(&c->span[2], &c->span[1], (c->n - 1) * sizeof(c->span[0]));
	c->word[0].text = name;
	c->word[1] = (struct piece){ text + n, false };
	c->span[1] = c->span[0];
	c->n++;
}

static void change_dir(struct cmdexe *x, const char *to)
{
	char *text;

	if (!to || strchr(to, UNSURE) || strpbrk(to, "*?")) {
		x->cwd = NULL;
		return;
	}
	text = winpath_text(x->fx->mem, x->fx->line, to, x->cwd);
	text = text ? paths_normal(x->fx->mem, text, x->cwd) : NULL;
	x->cwd = text && !(x->flags & SIMPLE_CONDITIONAL) ? text : NULL;
}

/* cd, pushd, popd, X: */
static void follow_dir(struct cmdexe *x, const struct command *c, const char *name)
{
	const char *to = NULL;

	if (strlen(name) == 2 && name[1] == ':') {
		if (!x->cwd || tolower((unsigned char)name[0]) != x->cwd[1])
			change_dir(x, arena_printf(x->fx->mem, "%s\\", name));
		return;
	}
	if (!strcmp(name, "popd")) {
		x->cwd = NULL;
		return;
	}
	if (strcmp(name, "cd") && strcmp(name, "chdir") && strcmp(name, "pushd"))
		return;
	for (size_t i = 1; i < c->n; i++) {
		if (strcasecmp(c->word[i].text, "/d") != 0)
			to = to ? arena_printf(x->fx->mem, "%s %s", to, c->word[i].text) : c->word[i].text;
	}
	if (to)
		change_dir(x, to);
}

/* set NAME=value: all of the rest, as it is. */
static void do_set(struct cmdexe *x, const struct in *in, const struct command *c, struct assign *out)
{
	const char *t = in->text + c->tail, *eq;
	size_t len = in->pos - c->tail;
	struct in value;
	struct buf text;
	bool quoted;

	while (len && is_blank(*t))
		t++, len--;
	while (len && (t[len - 1] == '\r' || t[len - 1] == '\n'))
		len--;
	if (len > 2 && t[0] == '/' && (tolower((unsigned char)t[1]) == 'a' || tolower((unsigned char)t[1]) == 'p')) {
		t += 2, len -= 2;
		while (len && is_blank(*t))
			t++, len--;
		eq = memchr(t, '=', len);
		if (eq)
			set(x, arena_strndup(x->fx->mem, t + (*t == '"'), (size_t)(eq - t) - (*t == '"')), unknown_text);
		return;
	}
	quoted = len && *t == '"';
	if (quoted) {
		const char *last = memrchr(t + 1, '"', len - 1);

		t++;
		len = last ? (size_t)(last - t) : len - 1;
	}
	eq = memchr(t, '=', len);
	if (!eq || eq == t)
		return;
	value = (struct in){ eq + 1, 0, len - (size_t)(eq + 1 - t), false };
	buf_init(&text, CMDEXE_VALUE);
	while (value.pos < value.end) {		/* carets go, loop variables and !x! come in */
		size_t n = 0;

		if (peek(&value, 0) == '%')
			n = loop_ref(x, &value, &text);
		else if (peek(&value, 0) == '!' && x->delayed)
			n = bang_ref(x, &value, &text);
		if (!n && peek(&value, 0) == '^' && !quoted)
			value.pos++;
		if (!n && value.pos < value.end)
			buf_addc(&text, value.text[value.pos]);
		value.pos += n ? n : 1;
	}
	out->name = arena_strndup(x->fx->mem, t, (size_t)(eq - t));
	t = arena_strndup(x->fx->mem, buf_str(&text), text.len);
	buf_done(&text);
	if (!out->name || !t)
		return;
	out->value = make_word(x, (struct piece){ arena_strdup(x->fx->mem, t), true }, false, x->at);
	if (out->value.kind == WORD_PATTERN)
		out->value.kind = WORD_EXACT;
	set(x, out->name, *t ? t : NULL);
}

/* A name with a directory in it, or one that this line made: a path for run_path(). */
static void name_path(struct cmdexe *x, struct word *w, const char **known)
{
	char *text = winpath_text(x->fx->mem, x->fx->line, w->text, x->cwd);
	char *abs = text ? paths_normal(x->fx->mem, text, x->cwd) : NULL;
	const char *base = strrchr(text ? text : w->text, '/');

	base = cmdexe_stem(x->fx->mem, base ? base + 1 : w->text);
	if (abs && winpath_is_bin(abs)) {
		*known = known_as(x, "win:", base);
		*known = *known ? *known : known_as(x, "", base);
	}
	if (!*known && text && !strchr(w->text, '/') && !strchr(w->text, '\\'))
		text = arena_printf(x->fx->mem, "./%s", text);
	if (text) {
		w->text = text;
		w->windows = false;	/* it is in our form now */
	}
}

static bool made_here(struct cmdexe *x, const char *name)
{
	char *abs = x->cwd ? paths_normal(x->fx->mem, name, x->cwd) : NULL;

	return abs && effects_made(x->fx, abs);
}

static const char *find_program(struct cmdexe *x, struct word *w)
{
	const char *known = NULL, *stem, *dot;

	if (w->kind != WORD_EXACT || !*w->text)
		return NULL;
	if (strpbrk(w->text, "/\\")) {
		name_path(x, w, &known);
		return known;
	}
	stem = cmdexe_stem(x->fx->mem, w->text);
	known = known_as(x, "cmd:", stem);
	if (known)
		return known;
	dot = strrchr(w->text, '.');
	if (made_here(x, w->text) || (dot && (!strcasecmp(dot, ".bat") || !strcasecmp(dot, ".cmd")) && !known_as(x, "", stem))) {
		name_path(x, w, &known);
		return known;
	}
	known = known_as(x, "win:", stem);
	return known ? known : known_as(x, "", stem);
}

static struct simple *build(struct cmdexe *x, struct command *c, const struct simple *from, const struct in *in)
{
	struct simple *s = arena_alloc(x->fx->mem, sizeof(*s));
	struct word *argv = arena_alloc(x->fx->mem, (c->n + 1) * sizeof(*argv));
	struct redir *redir = arena_alloc(x->fx->mem, (c->nredir + 1) * sizeof(*redir));
	struct assign *assign = arena_alloc(x->fx->mem, sizeof(*assign));
	const char *name;
	bool ours;

	if (!s || !argv || !redir || !assign)
		return NULL;
	memcpy(redir, c->redir, c->nredir * sizeof(*redir));
	*s = (struct simple){
		.argv = argv, .argc = c->n, .redir = redir, .nredir = c->nredir, .cwd = x->cwd,
		.cwd_why = x->cwd ? NULL : "the directory is not known", .pipe_from = from, .via = x->by,
		.span = span_of(x, c->from, in->pos), .flags = x->flags, .depth = x->by ? x->by->depth + 1 : 0,
	};
	if (!from && x->by) {
		s->pipe_from = x->by->pipe_from;
		s->stdin_text = x->by->stdin_text;
	}
	if (!c->n)
		return s;
	argv[0] = make_word(x, c->word[0], false, c->span[0]);
	s->known = find_program(x, &argv[0]);
	ours = s->known && (!strncmp(s->known, "cmd:", 4) || !strncmp(s->known, "win:", 4));
	for (size_t i = 1; i < c->n; i++)
		argv[i] = make_word(x, c->word[i], ours, c->span[i]);
	name = s->known && ours ? s->known + 4 : "";
	if (!strcmp(name, "set")) {
		do_set(x, in, c, assign);
		if (assign->name) {
			s->assign = assign;
			s->nassign = 1;
		}
	}
	follow_dir(x, c, *name ? name : argv[0].kind == WORD_EXACT ? argv[0].text : "");
	if (!strcmp(name, "exit") && !(x->flags & (SIMPLE_CONDITIONAL | SIMPLE_LOOP)))
		x->stop = c->n == 1 || x->script;
	return s;
}

/* rem, echo and set take the rest of the line as it is; call and start hand it on. */
static bool is_fork_bomb(const struct command *c, const struct in *in)
{
	return c->n && !strcmp(c->word[0].text, "%0") && peek(in, 0) == '|';
}

/* ---- reading a command -------------------------------------------------------------------------------- */

static bool at_word(const struct in *in, const char *word)
{
	size_t n = strlen(word);
	int after = peek(in, n);

	if (in->pos + n > in->end || strncasecmp(in->text + in->pos, word, n) != 0)
		return false;
	return after < 0 || is_blank(after) || strchr("\n()&|<>\"/%", after);
}

static bool at_redir(const struct in *in)
{
	int c = peek(in, 0);

	return c == '<' || c == '>' || (isdigit(c) && (peek(in, 1) == '<' || peek(in, 1) == '>'));
}

static void read_redir(struct cmdexe *x, struct in *in, struct command *c)
{
	size_t from = in->pos;
	struct redir r = { .fd = -1 };
	struct piece target;

	if (isdigit(peek(in, 0)))
		r.fd = in->text[in->pos++] - '0';
	r.op = peek(in, 0) == '<' ? REDIR_READ : REDIR_WRITE;
	r.fd = r.fd >= 0 ? r.fd : r.op == REDIR_READ ? 0 : 1;
	in->pos++;
	if (peek(in, 0) == '>') {
		r.op = REDIR_APPEND;
		in->pos++;
	}
	if (peek(in, 0) == '&') {
		r.op = r.op == REDIR_READ ? REDIR_DUP_IN : REDIR_DUP_OUT;
		in->pos++;
	}
	skip_blanks(in);
	target = read_word(x, in, ")");
	r.span = span_of(x, from, in->pos);
	r.target = make_word(x, target, false, r.span);
	if (c->nredir < ARRAY_SIZE(c->redir))
		c->redir[c->nredir++] = r;
	else
		x->stop = x->fx->too_big = true;
}

static void read_words(struct cmdexe *x, struct in *in, struct command *c, unsigned paren)
{
	size_t cap = 16;

	c->word = arena_alloc(x->fx->mem, cap * sizeof(*c->word));
	c->span = arena_alloc(x->fx->mem, cap * sizeof(*c->span));
	for (;;) {
		size_t from;

		skip_blanks(in);
		if (!c->word || !c->span || x->stop)
			return;
		if (ends_command(peek(in, 0)) || (paren && peek(in, 0) == ')'))
			return;
		if (at_redir(in)) {
			read_redir(x, in, c);
			continue;
		}
		if (c->n + 2 >= cap) {
			struct piece *word = cap < CMDEXE_WORDS ? arena_alloc(x->fx->mem, 2 * cap * sizeof(*word)) : NULL;
			struct span *span = word ? arena_alloc(x->fx->mem, 2 * cap * sizeof(*span)) : NULL;

			if (!span) {
				x->stop = x->fx->too_big = true;
				return;
			}
			memcpy(word, c->word, c->n * sizeof(*word));
			memcpy(span, c->span, c->n * sizeof(*span));
			c->word = word;
			c->span = span;
			cap *= 2;
		}
		from = in->pos;
		c->word[c->n] = read_word(x, in, paren ? ")" : NULL);
		c->span[c->n++] = span_of(x, from, in->pos);
		if (c->n == 1)
			c->tail = in->pos;
		if (in->pos == from)
			in->pos++;	/* nothing took it: never stand still */
	}
}

/* call X, start "title" /b X: X is a command of its own, read from the text again. */
static int run_inner(struct cmdexe *x, struct simple *s, const struct command *c, const char *name)
{
	size_t i = 1;

	if (!strcmp(name, "call")) {
		if (c->n > 1 && c->word[1].text[0] == ':') {
			unclear(x, "calls a label of the script");
			return 0;
		}
	} else {
		if (i < c->n && c->word[i].quoted && c->n > 2)
			i++;		/* the title of the window */
		while (i < c->n && c->word[i].text[0] == '/') {
			if (!strcasecmp(c->word[i].text, "/d") || !strcasecmp(c->word[i].text, "/node") || !strcasecmp(c->word[i].text, "/affinity"))
				i++;
			i++;
		}
	}
	if (i < c->n) {
		struct simple *in = arena_alloc(x->fx->mem, sizeof(*in));
		struct word *argv = arena_alloc(x->fx->mem, (c->n - i) * sizeof(*argv));

		if (!in || !argv)
			return -1;
		memcpy(argv, s->argv + i, (c->n - i) * sizeof(*argv));
		*in = *s;
		in->argv = argv;
		in->argc = c->n - i;
		in->redir = NULL;
		in->nredir = 0;
		in->via = s;
		in->depth++;
		in->known = find_program(x, &argv[0]);
		return effects_add(x->fx, in);
	}
	return 0;
}

static int emit(struct cmdexe *x, struct simple *s, const struct command *c)
{
	const char *name = s->known && !strncmp(s->known, "cmd:", 4) ? s->known + 4 : "";
	int rc;

	if (++x->steps > CMDEXE_STEPS || x->fx->depth >= EFFECTS_DEPTH) {
		x->fx->too_big = true;
		x->stop = true;
		return -1;
	}
	if (x->fx->expand)
		expand_set_cwd(x->fx->expand, s->cwd);
	x->fx->depth++;
	rc = effects_add(x->fx, s);
	if (!rc && (!strcmp(name, "call") || !strcmp(name, "start")))
		rc = run_inner(x, s, c, name);
	x->fx->depth--;
	return rc;
}

static int run_simple(struct cmdexe *x, struct in *in, const struct simple *from, struct simple **last, unsigned paren)
{
	struct command c = { .from = in->pos };
	struct simple *s;

	read_words(x, in, &c, paren);
	if (in->dry || x->stop || (!c.n && !c.nredir))
		return 0;
	if (c.n)
		split_builtin(x, &c);
	if (is_fork_bomb(&c, in)) {
		s = build(x, &c, from, in);
		if (s)
			effects_plain(x->fx, s, EFFECT_EXHAUST, "starts copies of itself without end");
		*last = s;
		return s ? 0 : -1;
	}
	s = build(x, &c, from, in);
	if (!s)
		return -1;
	if (peek(in, 0) == '|' && peek(in, 1) != '|')
		s->flags |= SIMPLE_PIPE_OUT;
	*last = s;
	return emit(x, s, &c);
}

/* ---- blocks, if, for ------------------------------------------------------------------------------------ */

static int run_command(struct cmdexe *x, struct in *in, const struct simple *from, struct simple **last, unsigned paren);
static int run_list(struct cmdexe *x, struct in *in, const struct simple *from, struct simple **last, unsigned paren, bool one_line);

static int run_block(struct cmdexe *x, struct in *in, const struct simple *from, struct simple **last)
{
	struct command c = { .from = in->pos };
	int rc;

	in->pos++;
	rc = run_list(x, in, from, last, 1, false);
	if (rc < 0)
		return rc;
	if (peek(in, 0) != ')') {
		if (!in->dry)
			unclear(x, "a parenthesis is not closed");
		return 0;
	}
	in->pos++;
	for (skip_blanks(in); at_redir(in); skip_blanks(in))
		read_redir(x, in, &c);
	if (c.nredir && !in->dry) {
		struct simple *s = build(x, &c, NULL, in);

		return s ? effects_add(x->fx, s) : -1;
	}
	return 0;
}

static int run_branch(struct cmdexe *x, struct in *in, unsigned paren)
{
	struct simple *last = NULL;
	unsigned flags = x->flags;
	const char *cwd = x->cwd;
	bool stop = x->stop;
	int rc;

	x->flags |= SIMPLE_CONDITIONAL;
	skip_blanks(in);
	if (peek(in, 0) == '(')
		rc = run_command(x, in, NULL, &last, paren);
	else
		rc = run_list(x, in, NULL, &last, paren, true);
	x->flags = flags;
	if (cwd && (!x->cwd || strcmp(cwd, x->cwd) != 0))
		x->cwd = NULL;
	x->stop = stop || x->fx->too_big;
	return rc;
}

static int run_if(struct cmdexe *x, struct in *in, unsigned paren)
{
	size_t save;

	in->pos += 2;
	for (skip_blanks(in); at_word(in, "/i") || at_word(in, "not"); skip_blanks(in))
		in->pos += peek(in, 0) == '/' ? 2 : 3;
	if (at_word(in, "exist") || at_word(in, "defined") || at_word(in, "errorlevel") || at_word(in, "cmdextversion")) {
		read_word(x, in, NULL);
		skip_blanks(in);
		read_word(x, in, "(");
	} else {
		read_word(x, in, "(");
		skip_blanks(in);		/* == counts as blank here */
		for (size_t i = 0; i < 6; i++) {
			static const char *const op[] = { "equ", "neq", "lss", "leq", "gtr", "geq" };

			if (at_word(in, op[i])) {
				in->pos += 3;
				break;
			}
		}
		skip_blanks(in);
		read_word(x, in, "(");
	}
	if (run_branch(x, in, paren) < 0)
		return -1;
	save = in->pos;
	while (is_blank(peek(in, 0)) || (paren && peek(in, 0) == '\n'))
		in->pos++;
	if (at_word(in, "else")) {
		in->pos += 4;
		return run_branch(x, in, paren);
	}
	in->pos = save;
	return 0;
}

struct items {
	const char	*item[CMDEXE_ITEMS];
	size_t		 n;
	bool		 more;
};

static void add_item(struct items *it, const char *text)
{
	if (it->n < CMDEXE_ITEMS)
		it->item[it->n++] = text;
	else
		it->more = true;
}

/* for /f: the output of a command, lines of a file, or a text. */
static int run_source(struct cmdexe *x, const char *text, size_t len)
{
	struct in in = { text, 0, len, false };
	struct simple *last = NULL;
	unsigned flags = x->flags;
	bool stop = x->stop, whole = x->whole;
	int rc = 0;

	while (in.pos < in.end && is_blank(peek(&in, 0)))
		in.pos++;
	while (in.end > in.pos && is_blank((unsigned char)text[in.end - 1]))
		in.end--;
	if (in.end > in.pos + 1 && (text[in.pos] == '\'' || text[in.pos] == '`')) {
		in.pos++;
		in.end--;
		x->flags |= SIMPLE_SUBST;
		x->whole = true;
		rc = run_list(x, &in, NULL, &last, 0, false);
		x->flags = flags;
		x->whole = whole;
		x->stop = stop || x->fx->too_big;
	}
	return rc;
}

struct loop {
	bool		 dirs, numbers, lines;
	const char	*root;
	char		 letter;
};

static bool read_for_head(struct cmdexe *x, struct in *in, struct loop *l)
{
	for (skip_blanks(in); peek(in, 0) == '/'; skip_blanks(in)) {
		int c = tolower(peek(in, 1));

		in->pos += 2;
		l->dirs |= c == 'd';
		l->numbers |= c == 'l';
		l->lines |= c == 'f';
		skip_blanks(in);
		if ((c == 'r' || c == 'f') && peek(in, 0) != '%') {
			const char *word = read_word(x, in, NULL).text;

			l->root = c == 'r' ? word : l->root;
		} else if (c == 'r') {
			l->root = ".";
		}
	}
	while (peek(in, 0) == '%')
		in->pos++;
	l->letter = (char)peek(in, 0);
	if (!isalpha((unsigned char)l->letter))
		return false;
	in->pos++;
	skip_blanks(in);
	if (!at_word(in, "in"))
		return false;
	in->pos += 2;
	skip_blanks(in);
	return peek(in, 0) == '(';
}

/* The text inside the parentheses: quotes hide them. */
static size_t set_end(const struct in *in)
{
	bool quote = false, single = false;

	for (size_t i = in->pos + 1; i < in->end; i++) {
		char c = in->text[i];

		quote ^= c == '"';
		single ^= c == '\'' && !quote;
		if (c == ')' && !quote && !single)
			return i;
	}
	return 0;
}

static int read_items(struct cmdexe *x, const struct loop *l, const char *text, size_t len, struct items *it)
{
	struct in in = { text, 0, len, false };

	if (l->numbers || l->lines) {
		add_item(it, unknown_text);
		return l->lines ? run_source(x, text, len) : 0;
	}
	for (skip_blanks(&in); in.pos < in.end; skip_blanks(&in)) {
		size_t from = in.pos;
		const char *w = read_word(x, &in, NULL).text;

		if (l->root && w)
			w = arena_printf(x->fx->mem, "%s\\%s", l->root, w);
		if (w)
			add_item(it, w);
		if (in.pos == from)
			in.pos++;
	}
	return 0;
}

static int run_for(struct cmdexe *x, struct in *in, unsigned paren)
{
	struct loop l = { 0 };
	struct items it = { .n = 0 };
	struct simple *last = NULL;
	size_t end, body;
	unsigned flags = x->flags;
	int rc = 0;

	in->pos += 3;
	if (!read_for_head(x, in, &l) || !(end = set_end(in))) {
		if (!in->dry)
			unclear(x, "a loop that cannot be read");
		in->pos = in->end;
		return 0;
	}
	if (!in->dry)
		rc = read_items(x, &l, in->text + in->pos + 1, end - in->pos - 1, &it);
	in->pos = end + 1;
	skip_blanks(in);
	if (rc < 0 || !at_word(in, "do")) {
		if (!in->dry)
			unclear(x, "a loop that cannot be read");
		in->pos = in->end;
		return rc;
	}
	in->pos += 2;
	if (it.more)
		unclear(x, "a loop over too many words");
	body = in->pos;
	x->flags |= SIMPLE_LOOP;
	for (size_t i = 0; i < it.n && rc >= 0 && !x->stop; i++) {
		struct loopvar v[4];

		/* for /f "tokens=1,2" fills the letters that follow too */
		for (size_t k = 0; k < ARRAY_SIZE(v); k++)
			v[k] = (struct loopvar){ k ? &v[k - 1] : x->loop, (char)(l.letter + (char)k), k ? unknown_text : it.item[i] };
		in->pos = body;
		x->loop = &v[l.lines ? ARRAY_SIZE(v) - 1 : 0];
		rc = run_list(x, in, NULL, &last, paren, true);
		x->loop = v[0].up;
	}
	x->flags = flags;
	if (!it.n) {
		struct in dry = *in;

		dry.dry = true;
		dry.pos = body;
		rc = run_list(x, &dry, NULL, &last, paren, true);
		in->pos = dry.pos;
	}
	return rc;
}

/* ---- lists ------------------------------------------------------------------------------------------------ */

static void skip_line(struct in *in)
{
	while (peek(in, 0) >= 0 && peek(in, 0) != '\n')
		in->pos++;
}

static int run_command(struct cmdexe *x, struct in *in, const struct simple *from, struct simple **last, unsigned paren)
{
	int rc;

	for (skip_blanks(in); peek(in, 0) == '@'; skip_blanks(in))
		in->pos++;
	if (x->nest >= CMDEXE_NEST) {
		x->fx->too_big = x->stop = true;
		return -1;
	}
	x->nest++;
	if (peek(in, 0) == ':' || at_word(in, "rem")) {
		skip_line(in);
		rc = 0;
	} else if (peek(in, 0) == '(') {
		rc = run_block(x, in, from, last);
	} else if (at_word(in, "if")) {
		rc = run_if(x, in, paren);
	} else if (at_word(in, "for")) {
		rc = run_for(x, in, paren);
	} else {
		rc = run_simple(x, in, from, last, paren);
	}
	x->nest--;
	return rc;
}

/* Commands and what joins them. @one_line: what follows if and do ends with the line. */
static int run_list(struct cmdexe *x, struct in *in, const struct simple *from, struct simple **last, unsigned paren, bool one_line)
{
	const struct simple *pipe = from;

	while (in->pos < in->end && !x->stop) {
		size_t start = in->pos;
		int c;

		if (run_command(x, in, pipe, last, paren) < 0)
			return -1;
		pipe = NULL;
		skip_blanks(in);
		c = peek(in, 0);
		if (c < 0 || (paren && c == ')') || (one_line && c == '\n'))
			return 0;
		if (c == '|' && peek(in, 1) != '|') {
			pipe = *last;
			in->pos++;
		} else if (c == '|' || (c == '&' && peek(in, 1) == '&')) {
			in->pos += 2;
		} else if (c == '&' || c == '\n') {
			in->pos++;
		} else if (c == ')') {
			in->pos++;	/* one that nothing opened: the rest of the line is not read there */
			skip_line(in);
		}
		if (in->pos == start)
			in->pos++;
	}
	return 0;
}

/* The end of the lines that belong together: parentheses may be open, a caret may join two. */
static size_t logical_line(const char *text, size_t len)
{
	size_t depth = 0;
	bool quote = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '^' && !quote && i + 1 < len) {
			i++;
		} else if (c == '"') {
			quote = !quote;
		} else if (c == '\n') {
			if (!depth)
				return i + 1;
			quote = false;
		} else if (!quote && c == '(') {
			depth++;
		} else if (!quote && c == ')') {
			depth -= depth > 0;
		}
	}
	return len;
}

static int run_lines(struct cmdexe *x, const char *text, size_t len)
{
	for (size_t at = 0; at < len && !x->stop; ) {
		size_t n = logical_line(text + at, len - at);
		char *line = percent(x, text + at, n);
		struct in in = { line, 0, line ? strlen(line) : 0, false };
		struct simple *last = NULL;

		if (!line) {
			x->fx->too_big = true;
			return -1;
		}
		/* where values came in, places in the line are no longer those of the text */
		if (!x->whole && (at || n != in.end || memcmp(line, text + at, n) != 0))
			x->whole = true;
		if (run_list(x, &in, NULL, &last, 0, false) < 0)
			return -1;
		at += n;
	}
	return 0;
}

int cmdexe_text(struct effects *fx, const struct simple *by, const char *text, size_t len, struct span at, bool script)
{
	struct cmdexe x = { .fx = fx, .by = by, .cwd = by ? by->cwd : fx->line->cwd, .up = fx->cmdexe, .at = at,
			    .whole = by != NULL, .script = script };
	int rc;

	if (fx->depth >= EFFECTS_DEPTH) {
		fx->too_big = true;
		return -1;
	}
	if (memchr(text, UNSURE, len)) {
		if (!by || !fx->cmdexe) {
			unclear(&x, "the line holds a control character");
			return 0;
		}
	}
	if (by)
		x.flags = by->flags & (SIMPLE_LOOP | SIMPLE_CONDITIONAL | SIMPLE_SUBST | SIMPLE_DEFINED);
	x.delayed = fx->cmd_delayed;
	fx->cmdexe = &x;
	fx->depth++;
	rc = run_lines(&x, text, len);
	fx->depth--;
	fx->cmdexe = x.up;
	if (fx->expand)
		expand_set_cwd(fx->expand, x.up ? x.up->cwd : by ? by->cwd : fx->line->cwd);
	return rc;
}

/* ---- cmd /c -------------------------------------------------------------------------------------------------- */

static bool is_switch(const char *t)
{
	return t[0] == '/' && isalpha((unsigned char)t[1]) && (!t[2] || t[2] == ':' || t[2] == '/');
}

int cmdexe_command(struct effects *fx, const struct args *a)
{
	const struct simple *s = a->cmd;
	struct buf text;
	struct span at = s->span;
	bool delayed = false;
	size_t i = 1;
	char *copy;
	int rc;

	for (; i < s->argc && s->argv[i].kind == WORD_EXACT; i++) {
		const char *t = s->argv[i].text;

		/* Git's shell doubles the slash */
		t += t[0] == '/' && t[1] == '/';
		if (!is_switch(t))
			break;
		delayed |= !strncasecmp(t, "/v", 2) && (!t[2] || !strcasecmp(t, "/v:on"));
		if (strchr("cCkKrR", t[1])) {
			i++;
			break;
		}
	}
	if (i >= s->argc) {
		if (i == 1 && s->pipe_from)
			return effects_stdin_code(fx, s, "cmd");
		if (i == 1)
			effects_plain(fx, s, EFFECT_INTERACTIVE, "starts an interactive shell or interpreter");
		return 0;
	}
	buf_init(&text, CMDLINE_MAX);
	at = s->argv[i].span;
	for (size_t k = i; k < s->argc; k++) {
		const struct word *w = &s->argv[k];
		const char *t = w->kind == WORD_UNKNOWN ? NULL : w->text;
		bool quote = s->argc > i + 1 && t && (!*t || strpbrk(t, " \t&|<>()^"));

		/* inside cmd.exe the words lost their quotes only */
		quote = quote && (w->quoted || !s->known || strncmp(s->known, "cmd", 3) != 0);
		buf_addf(&text, "%s%s", k > i ? " " : "", quote ? "\"" : "");
		if (t)
			buf_adds(&text, t);
		else
			buf_addf(&text, "%s%c%s", w->prefix ? w->prefix : "", UNSURE, w->suffix ? w->suffix : "");
		buf_adds(&text, quote ? "\"" : "");
		at.to = MAX(at.to, w->span.to);
	}
	copy = arena_strndup(fx->mem, buf_str(&text), text.len);
	buf_done(&text);
	if (!copy)
		return -1;
	if (strchr(copy, UNSURE) && !fx->cmdexe) {
		effects_plain(fx, s, EFFECT_UNKNOWN, "runs code that is not known before it runs");
		return 0;
	}
	bool keep = fx->cmd_delayed;

	fx->cmd_delayed = delayed;
	rc = cmdexe_text(fx, s, copy, strlen(copy), at, false);
	fx->cmd_delayed = keep;
	return rc;
}

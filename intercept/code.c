/* intercept/code.c - read inline code of other languages, conservatively */
#include "intercept/code.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "intercept/codefold.h"
#include "intercept/stream.h"

#define CODE_TOKENS	20000
#define CODE_ARGS	32

enum lang { L_PYTHON = 1, L_JS = 2, L_PERL = 4, L_RUBY = 8, L_PHP = 16, L_LUA = 32, L_OTHER = 64, L_AWK = 128 };

enum tok { T_NAME, T_STRING, T_EXEC /* backticks that run */, T_NUMBER, T_PUNCT };

struct token {
	enum tok	 kind;
	const char	*text;		/* string: its value */
	size_t		 len;
	bool		 partial;	/* string with something filled in: f"", "${x}" */
};

struct scan {
	struct effects		*fx;
	const struct simple	*s;
	enum lang		 lang;
	struct token		*tok;
	size_t			 n;
	struct span		 span;
	bool			 net, socket, evals, spawns, forks, env, shows_env;
};

/* ---- tokens ------------------------------------------------------------------------------------------ */

struct lexer {
	struct scan	*sc;
	const char	*s;
	size_t		 len, at;
	size_t		 max;
};

static void add_token(struct lexer *l, enum tok kind, const char *text, size_t len, bool partial)
{
	if (l->sc->n < l->max)
		l->sc->tok[l->sc->n++] = (struct token){ kind, text, len, partial };
}

static bool at(const struct lexer *l, const char *t)
{
	size_t n = strlen(t);

	return l->at + n <= l->len && !strncmp(l->s + l->at, t, n);
}

static bool fills_in(enum lang lang, char quote, const char *s, size_t i, size_t len)
{
	if (i + 1 >= len || quote == '\'')
		return false;
	if (lang == L_JS)
		return quote == '`' && s[i] == '$' && s[i + 1] == '{';
	if (lang == L_RUBY)
		return s[i] == '#' && s[i + 1] == '{';
	if (lang == L_PERL || lang == L_PHP)
		return (s[i] == '$' || (s[i] == '@' && lang == L_PERL)) && (isalpha((unsigned char)s[i + 1]) || s[i + 1] == '{');
	return false;
}

/* "rm -rf #{Dir.home}": the home is known, so that is no gap. True when nothing else is left to be filled in. */
static bool fill_home(const struct scan *sc, struct buf *text)
{
	static const struct { int lang; const char *way; } ways[] = {
		{ L_RUBY, "#{Dir.home}" }, { L_RUBY, "#{ENV['HOME']}" }, { L_RUBY, "#{ENV[\"HOME\"]}" }, { L_RUBY, "#{ENV.fetch('HOME')}" },
		{ L_PERL, "$ENV{HOME}" }, { L_PERL, "$ENV{'HOME'}" }, { L_PHP, "{$_SERVER['HOME']}" }, { L_PHP, "$_SERVER[HOME]" },
	};
	const char *home = sc->fx->line->home;
	bool filled = false;

	for (size_t i = 0; home && i < ARRAY_SIZE(ways); i++) {
		const char *hit = (ways[i].lang & sc->lang) ? strstr(buf_str(text), ways[i].way) : NULL;
		char *rest;

		if (!hit)
			continue;
		rest = arena_strdup(sc->fx->mem, hit + strlen(ways[i].way));
		if (!rest)
			return false;
		buf_truncate(text, (size_t)(hit - buf_str(text)));
		filled = true;
		buf_adds(text, home);
		buf_adds(text, rest);
	}
	return !strchr(buf_str(text), '$') && !strchr(buf_str(text), '#') && filled;
}

/* From the opening quote; @end is the closing text. The value has its simple escapes undone. */
static void read_string(struct lexer *l, enum tok kind, const char *end, bool raw, bool format)
{
	char quote = end[0];
	struct buf out;
	bool partial = false;

	buf_init(&out, l->len + 1);
	while (l->at < l->len && !at(l, end)) {
		char c = l->s[l->at];

		if (c == '\\' && l->at + 1 < l->len && !raw) {
			char n = l->s[l->at + 1];

			buf_addc(&out, n == 'n' ? '\n' : n == 't' ? '\t' : n);
			l->at += 2;
			continue;
		}
		partial = partial || fills_in(l->sc->lang, quote, l->s, l->at, l->len) || (format && c == '{');
		buf_addc(&out, c);
		l->at++;
	}
	l->at += MIN(strlen(end), l->len - l->at);
	partial = partial && !fill_home(l->sc, &out);
	char *copy = arena_strndup(l->sc->fx->mem, buf_str(&out), out.len);

	if (copy)
		add_token(l, kind, copy, out.len, partial);
	buf_done(&out);
}

static void skip_to(struct lexer *l, const char *end)
{
	const char *hit = memmem(l->s + l->at, l->len - l->at, end, strlen(end));

	l->at = hit ? (size_t)(hit - l->s) + strlen(end) : l->len;
}

static bool skip_comment(struct lexer *l)
{
	enum lang lang = l->sc->lang;

	if ((at(l, "//") || at(l, "/*")) && (lang == L_JS || lang == L_PHP || lang == L_OTHER)) {
		skip_to(l, l->s[l->at + 1] == '/' ? "\n" : "*/");
		return true;
	}
	if (at(l, "--") && lang == L_LUA) {
		skip_to(l, "\n");
		return true;
	}
	if (l->s[l->at] == '#' && lang != L_JS && lang != L_LUA && lang != L_OTHER && !(l->at && l->s[l->at - 1] == '$')) {
		skip_to(l, "\n");
		return true;
	}
	return false;
}

/* qx(...), %x(...): text that is run. */
static bool read_exec(struct lexer *l)
{
	static const char open[] = "({[<", close[] = ")}]>";
	bool perl = l->sc->lang == L_PERL && at(l, "qx"), ruby = l->sc->lang == L_RUBY && at(l, "%x");
	char end[2] = { 0 };
	const char *hit;

	if ((!perl && !ruby) || l->at + 2 >= l->len || isalnum((unsigned char)l->s[l->at + 2]))
		return false;
	hit = strchr(open, l->s[l->at + 2]);
	end[0] = hit && *hit ? close[hit - open] : l->s[l->at + 2];
	l->at += 3;
	read_string(l, T_EXEC, end, true, false);
	return true;
}

static bool read_quote(struct lexer *l)
{
	char c = l->s[l->at];
	char end[4] = { c, 0 };
	bool raw = false, format = false;

	if (c != '\'' && c != '"' && c != '`')
		return false;
	if (l->sc->lang == L_PYTHON && l->sc->n && l->at) {	/* r"", f"": the prefix was read as a name */
		const struct token *p = &l->sc->tok[l->sc->n - 1];

		if (p->kind == T_NAME && p->len <= 2 && p->text + p->len == l->s + l->at && strspn(p->text, "rRbBuUfF") >= p->len) {
			raw = memchr(p->text, 'r', p->len) || memchr(p->text, 'R', p->len);
			format = memchr(p->text, 'f', p->len) || memchr(p->text, 'F', p->len);
			l->sc->n--;
		}
	}
	if (l->sc->lang == L_PYTHON && c != '`' && l->at + 2 < l->len && l->s[l->at + 1] == c && l->s[l->at + 2] == c)
		end[1] = end[2] = c;
	l->at += strlen(end);
	read_string(l, c == '`' && l->sc->lang != L_JS ? T_EXEC : T_STRING, end, raw, format);
	return true;
}

static void read_name(struct lexer *l)
{
	size_t from = l->at;

	while (l->at < l->len && (isalnum((unsigned char)l->s[l->at]) || l->s[l->at] == '_'))
		l->at++;
	add_token(l, isdigit((unsigned char)l->s[from]) ? T_NUMBER : T_NAME, l->s + from, l->at - from, false);
}

/* A / where a value is expected starts a regular expression: its quotes are no strings. */
static bool read_regex(struct lexer *l)
{
	const struct token *p = l->sc->n ? &l->sc->tok[l->sc->n - 1] : NULL;
	bool class = false;
	size_t i = l->at + 1;

	if (l->s[l->at] != '/' || !(l->sc->lang & (L_JS | L_RUBY | L_PERL | L_AWK)))
		return false;
	if (p && p->kind != T_PUNCT && !(p->kind == T_NAME && !strncmp(p->text, "return", 6)))
		return false;
	if (p && p->kind == T_PUNCT && (*p->text == ')' || *p->text == ']'))
		return false;
	for (; i < l->len && l->s[i] != '\n'; i++) {
		if (l->s[i] == '\\')
			i++;
		else if (l->s[i] == '[')
			class = true;
		else if (l->s[i] == ']')
			class = false;
		else if (l->s[i] == '/' && !class)
			break;
	}
	if (i >= l->len || l->s[i] != '/')
		return false;
	add_token(l, T_NUMBER, l->s + l->at, 1, false);
	l->at = i + 1;
	return true;
}

static int tokenize(struct scan *sc, const char *text, size_t len)
{
	struct lexer l = { .sc = sc, .s = text, .len = len, .max = MIN(len + 1, (size_t)CODE_TOKENS) };

	sc->tok = arena_alloc(sc->fx->mem, l.max * sizeof(*sc->tok));
	if (!sc->tok)
		return -1;
	while (l.at < l.len && sc->n < l.max) {
		unsigned char c = (unsigned char)l.s[l.at];

		if (c == '\n' && (sc->lang & (L_PYTHON | L_RUBY | L_AWK | L_LUA)))
			add_token(&l, T_PUNCT, ";", 1, false), l.at++;
		else if (isspace(c))
			l.at++;
		else if (!skip_comment(&l) && !read_exec(&l) && !read_quote(&l) && !read_regex(&l)) {
			if (isalnum(c) || c == '_')
				read_name(&l);
			else
				add_token(&l, T_PUNCT, l.s + l.at++, 1, false);
		}
	}
	return l.at < l.len ? -1 : 0;
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool punct(const struct scan *sc, size_t i, char c)
{
	return i < sc->n && sc->tok[i].kind == T_PUNCT && *sc->tok[i].text == c;
}

static bool name_is(const struct scan *sc, size_t i, const char *name)
{
	return i < sc->n && sc->tok[i].kind == T_NAME && sc->tok[i].len == strlen(name) &&
	       !strncmp(sc->tok[i].text, name, sc->tok[i].len);
}

/* Index after the value that starts at @i: the comma or the bracket that ends it. */
static size_t value_end(const struct scan *sc, size_t i)
{
	int depth = 0;

	for (; i < sc->n; i++) {
		if (sc->tok[i].kind != T_PUNCT)
			continue;
		if (strchr("([{", *sc->tok[i].text))
			depth++;
		else if (strchr(")]}", *sc->tok[i].text) && depth-- == 0)
			return i;
		else if (depth == 0 && (*sc->tok[i].text == ',' || *sc->tok[i].text == ';'))
			return i;
	}
	return i;
}

/* The names and strings of a value in a row, to compare with a way to say something. */
static void flat(const struct scan *sc, size_t from, size_t to, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = from; i < to && i < sc->n; i++) {
		if (n + sc->tok[i].len + 1 >= size)
			break;
		memcpy(out + n, sc->tok[i].text, sc->tok[i].len);
		n += sc->tok[i].len;
	}
	out[n] = 0;
}

static bool says_home(const char *s)
{
	static const char *const way[] = {
		"os.path.expanduser(~)", "os.environ[HOME]", "os.environ.get(HOME)", "os.getenv(HOME)", "Path.home()",
		"pathlib.Path.home()", "os.homedir()", "require(os).homedir()", "homedir()", "process.env.HOME", "Dir.home",
		"Dir.home()", "ENV[HOME]", "$ENV{HOME}", "getenv(HOME)", "File.expand_path(~)", "process.env[HOME]", "expanduser(~)",
		"Path(~).expanduser()", "$ENV{'HOME'}", "ENV.fetch(HOME)", "os.environ[USERPROFILE]", "node:os",
		"require(node:os).homedir()", "Deno.env.get(HOME)", "getenv(HOME)", "$_SERVER[HOME]",
	};

	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		if (!strcmp(s, way[i]))
			return true;
	}
	return false;
}

/* The function that only passes its text on: Path(x), str(x), os.path.abspath(x), String(x). */
static bool passes_on(const struct scan *sc, size_t i)
{
	static const char *const name[] = { "Path", "PurePath", "str", "abspath", "realpath", "normpath", "String", "fspath",
					    "resolve", "File", "Pathname", "glob", "expand_path" };

	for (size_t k = 0; k < ARRAY_SIZE(name); k++) {
		if (name_is(sc, i, name[k]))
			return true;
	}
	return false;
}

static bool eval_value(struct scan *sc, size_t from, size_t to, struct buf *out, unsigned depth);

/* a, b, c -> a/b/c */
static bool eval_join(struct scan *sc, size_t from, size_t to, struct buf *out, unsigned depth)
{
	for (size_t i = from; i < to; ) {
		size_t end = MIN(value_end(sc, i), to);

		if (i > from && out->len && buf_str(out)[out->len - 1] != '/')
			buf_addc(out, '/');
		if (!eval_value(sc, i, end, out, depth + 1))
			return false;
		i = end + 1;
	}
	return true;
}

static bool eval_value(struct scan *sc, size_t from, size_t to, struct buf *out, unsigned depth)
{
	char text[256];

	if (depth > 8 || from >= to)
		return false;
	if (to - from == 1 && sc->tok[from].kind == T_STRING && !sc->tok[from].partial) {
		buf_add(out, sc->tok[from].text, sc->tok[from].len);
		return true;
	}
	flat(sc, from, to, text, sizeof(text));
	if (says_home(text)) {
		buf_adds(out, sc->fx->line->home ? sc->fx->line->home : "/");
		return true;
	}
	for (size_t i = from, level = 0; i < to; i++) {	/* a + b, a / b, a . b at the top level */
		level += punct(sc, i, '(') || punct(sc, i, '[') || punct(sc, i, '{');
		level -= level && (punct(sc, i, ')') || punct(sc, i, ']') || punct(sc, i, '}'));
		if (!level && i > from && (punct(sc, i, '+') || (punct(sc, i, '/') && sc->lang == L_PYTHON) ||
					 (punct(sc, i, '.') && (sc->lang & (L_PERL | L_PHP)) && !punct(sc, i + 1, '.')))) {
			bool slash = punct(sc, i, '/');

			if (!eval_value(sc, from, i, out, depth + 1))
				return false;
			if (slash)
				buf_addc(out, '/');
			return eval_value(sc, i + 1, to, out, depth + 1);
		}
	}
	for (size_t i = from; i + 1 < to; i++) {
		if (sc->tok[i].kind != T_NAME || !punct(sc, i + 1, '(') || !punct(sc, to - 1, ')'))
			continue;
		if (value_end(sc, i + 2) != to - 1 && !name_is(sc, i, "join"))
			break;
		if (name_is(sc, i, "expanduser") && sc->tok[i + 2].kind == T_STRING && *sc->tok[i + 2].text == '~') {
			buf_addf(out, "%s%s", sc->fx->line->home ? sc->fx->line->home : "/", sc->tok[i + 2].text + 1);
			return true;
		}
		if (passes_on(sc, i))
			return eval_value(sc, i + 2, to - 1, out, depth + 1);
		if (name_is(sc, i, "join"))
			return eval_join(sc, i + 2, to - 1, out, depth);
	}
	return false;
}

static struct word *value_word(struct scan *sc, size_t from, size_t to)
{
	struct word *w = arena_alloc(sc->fx->mem, sizeof(*w));
	struct buf out;

	if (!w)
		return NULL;
	buf_init(&out, 65536);
	*w = (struct word){ .span = sc->span, .prefix = "", .suffix = "", .why = "computed by the code" };
	if (eval_value(sc, from, to, &out, 0)) {
		w->kind = WORD_EXACT;
		w->text = arena_strndup(sc->fx->mem, buf_str(&out), out.len);
		if (w->text && strpbrk(w->text, "*?[") && from > 0 && name_is(sc, from, "glob"))
			w->kind = WORD_PATTERN;
		if (!w->text)
			w->kind = WORD_UNKNOWN;
	}
	buf_done(&out);
	return w;
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

enum call { C_DELETE, C_TREE, C_OVERWRITE, C_OPEN, C_READ, C_MOVE, C_SPAWN, C_EVAL, C_NET, C_SOCKET, C_FORK, C_KILL, C_DUP, C_DB };

/* Matches the end of a dotted name; a name that starts with '.' only as a method of something. */
static const struct { int lang; const char *name; enum call call; } calls[] = {
	{ L_PYTHON, "os.remove", C_DELETE }, { L_PYTHON, "os.unlink", C_DELETE }, { L_PYTHON, "os.rmdir", C_DELETE },
	{ L_PYTHON, "os.removedirs", C_TREE }, { L_PYTHON, "rmtree", C_TREE }, { L_PYTHON, ".unlink", C_DELETE },
	{ L_PYTHON, ".rmdir", C_DELETE }, { L_PYTHON, "os.truncate", C_DELETE },
	{ L_PYTHON, "os.rename", C_MOVE }, { L_PYTHON, "os.replace", C_MOVE }, { L_PYTHON, "shutil.move", C_MOVE },
	{ L_PYTHON, "os.system", C_SPAWN }, { L_PYTHON, "system", C_SPAWN }, { L_PYTHON, "popen", C_SPAWN },
	{ L_PYTHON, "Popen", C_SPAWN }, { L_PYTHON, "check_output", C_SPAWN }, { L_PYTHON, "check_call", C_SPAWN },
	{ L_PYTHON, "subprocess.call", C_SPAWN }, { L_PYTHON, "subprocess.run", C_SPAWN }, { L_PYTHON, "s.run", C_SPAWN },
	{ L_PYTHON, "sp.run", C_SPAWN }, { L_PYTHON, "getoutput", C_SPAWN }, { L_PYTHON, "getstatusoutput", C_SPAWN },
	{ L_PYTHON, "create_subprocess_shell", C_SPAWN }, { L_PYTHON, "create_subprocess_exec", C_SPAWN },
	{ L_PYTHON, "os.execv", C_SPAWN }, { L_PYTHON, "os.execvp", C_SPAWN }, { L_PYTHON, "os.execl", C_SPAWN },
	{ L_PYTHON, "os.execlp", C_SPAWN }, { L_PYTHON, "os.spawnl", C_EVAL }, { L_PYTHON, "os.spawnv", C_EVAL },
	{ L_PYTHON, "pty.spawn", C_SPAWN },
	{ L_PYTHON, "exec", C_EVAL }, { L_PYTHON, "eval", C_EVAL }, { L_PYTHON, "compile", C_EVAL },
	{ L_PYTHON, "urlopen", C_NET }, { L_PYTHON, "urlretrieve", C_NET }, { L_PYTHON, "requests.get", C_NET },
	{ L_PYTHON, "requests.post", C_NET }, { L_PYTHON, "requests.put", C_NET }, { L_PYTHON, "requests.delete", C_NET },
	{ L_PYTHON, "requests.request", C_NET }, { L_PYTHON, "requests.patch", C_NET }, { L_PYTHON, "httpx.get", C_NET },
	{ L_PYTHON, "httpx.post", C_NET }, { L_PYTHON, "HTTPConnection", C_NET }, { L_PYTHON, "HTTPSConnection", C_NET },
	{ L_PYTHON, "FTP", C_NET }, { L_PYTHON, "SMTP", C_NET },
	{ L_PYTHON, "socket.socket", C_SOCKET }, { L_PYTHON, "create_connection", C_SOCKET }, { L_PYTHON, "os.dup2", C_DUP },
	{ L_PYTHON, "os.fork", C_FORK }, { L_PYTHON, "os.kill", C_KILL }, { L_PYTHON, "os.killpg", C_KILL },
	{ L_PYTHON, "open", C_OPEN }, { L_PYTHON, ".write_text", C_OVERWRITE }, { L_PYTHON, ".write_bytes", C_OVERWRITE },
	{ L_PYTHON, ".read_text", C_READ }, { L_PYTHON, ".read_bytes", C_READ },
	{ L_PYTHON, "copyfile", C_MOVE }, { L_PYTHON, "shutil.copy", C_MOVE }, { L_PYTHON, "copytree", C_MOVE },
	{ L_PYTHON, "os.chmod", C_OVERWRITE }, { L_PYTHON, "os.symlink", C_OVERWRITE },

	{ L_JS, "rmSync", C_TREE }, { L_JS, "rmdirSync", C_TREE }, { L_JS, "unlinkSync", C_DELETE }, { L_JS, "fs.rm", C_TREE },
	{ L_JS, "fs.unlink", C_DELETE }, { L_JS, "promises.rm", C_TREE }, { L_JS, "promises.unlink", C_DELETE }, { L_JS, "fs.remove", C_TREE },
	{ L_JS, "promises.rmdir", C_TREE }, { L_JS, "fs.emptyDir", C_TREE }, { L_JS, "emptyDirSync", C_TREE }, { L_JS, "execa", C_SPAWN },
	{ L_JS, "execaSync", C_SPAWN }, { L_JS, "execaCommand", C_SPAWN }, { L_JS, "execaCommandSync", C_SPAWN }, { L_JS, "promises.rename", C_MOVE },
	{ L_JS, "promises.readFile", C_READ }, { L_JS, "promises.appendFile", C_OVERWRITE }, { L_JS, "fs.rmdir", C_TREE }, { L_JS, ".unlink", C_DELETE },
	{ L_JS, "rimraf", C_TREE }, { L_JS, "removeSync", C_TREE }, { L_JS, "Deno.remove", C_TREE }, { L_JS, "Deno.removeSync", C_TREE },
	{ L_JS, "truncateSync", C_DELETE }, { L_JS, "renameSync", C_MOVE }, { L_JS, "fs.rename", C_MOVE },
	{ L_JS, "exec", C_SPAWN }, { L_JS, "execSync", C_SPAWN }, { L_JS, "spawn", C_SPAWN }, { L_JS, "spawnSync", C_SPAWN },
	{ L_JS, "execFile", C_SPAWN }, { L_JS, "execFileSync", C_SPAWN }, { L_JS, "Deno.Command", C_SPAWN }, { L_JS, "Deno.run", C_SPAWN },
	{ L_JS, "Bun.spawn", C_SPAWN }, { L_JS, "Bun.spawnSync", C_SPAWN },
	{ L_JS, "eval", C_EVAL }, { L_JS, "Function", C_EVAL }, { L_JS, "runInThisContext", C_EVAL }, { L_JS, "runInNewContext", C_EVAL },
	{ L_JS, "fetch", C_NET }, { L_JS, "http.get", C_NET }, { L_JS, "https.get", C_NET }, { L_JS, "http.request", C_NET },
	{ L_JS, "https.request", C_NET }, { L_JS, "axios.get", C_NET }, { L_JS, "axios.post", C_NET }, { L_JS, "net.connect", C_SOCKET },
	{ L_JS, "createConnection", C_SOCKET }, { L_JS, "net.Socket", C_SOCKET }, { L_JS, "process.kill", C_KILL },
	{ L_JS, "writeFileSync", C_OVERWRITE }, { L_JS, "fs.writeFile", C_OVERWRITE }, { L_JS, "appendFileSync", C_OVERWRITE },
	{ L_JS, "createWriteStream", C_OVERWRITE }, { L_JS, "promises.writeFile", C_OVERWRITE }, { L_JS, "copyFileSync", C_MOVE },
	{ L_JS, "readFileSync", C_READ }, { L_JS, "fs.readFile", C_READ }, { L_JS, "chmodSync", C_OVERWRITE },

	{ L_PERL, "unlink", C_DELETE }, { L_PERL, "rmdir", C_DELETE }, { L_PERL, "rmtree", C_TREE }, { L_PERL, "remove_tree", C_TREE },
	{ L_PERL, "system", C_SPAWN }, { L_PERL, "exec", C_SPAWN }, { L_PERL, "eval", C_EVAL }, { L_PERL, "rename", C_MOVE },
	{ L_PERL, "truncate", C_DELETE }, { L_PERL, "fork", C_FORK }, { L_PERL, "kill", C_KILL }, { L_PERL, "open", C_OPEN },
	{ L_PERL, "INET", C_SOCKET }, { L_PERL, "socket", C_SOCKET }, { L_PERL, "get", C_NET }, { L_PERL, "getprint", C_NET },
	{ L_PERL, "getstore", C_NET }, { L_PERL, "mirror", C_NET },

	{ L_RUBY, "rm_rf", C_TREE }, { L_RUBY, "rm_r", C_TREE }, { L_RUBY, "remove_dir", C_TREE }, { L_RUBY, "remove_entry", C_TREE },
	{ L_RUBY, "rmtree", C_TREE }, { L_RUBY, "FileUtils.rm", C_DELETE }, { L_RUBY, "FileUtils.rm_f", C_DELETE },
	{ L_RUBY, "File.delete", C_DELETE }, { L_RUBY, "File.unlink", C_DELETE }, { L_RUBY, "Dir.rmdir", C_DELETE },
	{ L_RUBY, "Dir.delete", C_DELETE }, { L_RUBY, "system", C_SPAWN }, { L_RUBY, "exec", C_SPAWN }, { L_RUBY, "spawn", C_SPAWN },
	{ L_RUBY, "IO.popen", C_SPAWN }, { L_RUBY, "Open3.capture2", C_SPAWN }, { L_RUBY, "Open3.capture3", C_SPAWN },
	{ L_RUBY, "eval", C_EVAL }, { L_RUBY, "instance_eval", C_EVAL }, { L_RUBY, "TCPSocket.new", C_SOCKET },
	{ L_RUBY, "TCPSocket.open", C_SOCKET }, { L_RUBY, "Net.HTTP.get", C_NET }, { L_RUBY, "URI.open", C_NET },
	{ L_RUBY, "File.write", C_OVERWRITE }, { L_RUBY, "IO.write", C_OVERWRITE }, { L_RUBY, "File.open", C_OPEN },
	{ L_RUBY, "File.read", C_READ }, { L_RUBY, "FileUtils.mv", C_MOVE }, { L_RUBY, "FileUtils.cp", C_MOVE },
	{ L_RUBY, "Process.kill", C_KILL }, { L_RUBY, "File.rename", C_MOVE },

	{ L_PHP, "unlink", C_DELETE }, { L_PHP, "rmdir", C_DELETE }, { L_PHP, "system", C_SPAWN }, { L_PHP, "exec", C_SPAWN },
	{ L_PHP, "shell_exec", C_SPAWN }, { L_PHP, "passthru", C_SPAWN }, { L_PHP, "popen", C_SPAWN }, { L_PHP, "proc_open", C_SPAWN },
	{ L_PHP, "eval", C_EVAL }, { L_PHP, "assert", C_EVAL }, { L_PHP, "fsockopen", C_SOCKET }, { L_PHP, "curl_init", C_NET },
	{ L_PHP, "file_put_contents", C_OVERWRITE }, { L_PHP, "file_get_contents", C_READ }, { L_PHP, "fopen", C_OPEN },
	{ L_PHP, "rename", C_MOVE }, { L_PHP, "copy", C_MOVE },

	{ L_LUA, "os.execute", C_SPAWN }, { L_LUA, "io.popen", C_SPAWN }, { L_LUA, "os.remove", C_DELETE }, { L_LUA, "os.rename", C_MOVE },
	{ L_LUA, "load", C_EVAL }, { L_LUA, "loadstring", C_EVAL }, { L_LUA, "io.open", C_OPEN }, { L_LUA, "socket.tcp", C_SOCKET },

	{ L_AWK, "system", C_SPAWN },

	{ L_OTHER, "system", C_SPAWN }, { L_OTHER, "exec", C_SPAWN }, { L_OTHER, "unlink", C_DELETE }, { L_OTHER, "command", C_SPAWN },
	{ L_OTHER, "dropDatabase", C_DB }, { L_OTHER, ".drop", C_DB }, { L_OTHER, ".deleteMany", C_DB }, { L_OTHER, ".deleteOne", C_DB },
	{ L_OTHER, ".remove", C_DB }, { L_OTHER, ".updateMany", C_DB }, { L_OTHER, ".updateOne", C_DB }, { L_OTHER, ".insertOne", C_DB },
	{ L_OTHER, ".insertMany", C_DB }, { L_OTHER, ".dropIndex", C_DB }, { L_OTHER, ".replaceOne", C_DB },
};

/* "a.b.c" of the names up to token @i, in @out; returns whether it is a method of something else. */
static bool dotted(const struct scan *sc, size_t i, char *out, size_t size)
{
	size_t first = i;
	bool method = false;

	while (first >= 1) {
		size_t sep = first - 1, width = 0;

		if (punct(sc, sep, '.'))
			width = 1;
		else if (sep >= 1 && ((punct(sc, sep, ':') && punct(sc, sep - 1, ':')) || (punct(sc, sep, '>') && punct(sc, sep - 1, '-'))))
			width = 2;
		if (!width)
			break;
		if (first < width + 1 || sc->tok[first - width - 1].kind != T_NAME) {
			method = true;
			break;
		}
		first -= width + 1;
	}
	size_t n = 0;

	for (size_t k = first; k <= i; k++) {
		if (sc->tok[k].kind != T_NAME)
			continue;
		if (n + sc->tok[k].len + 2 >= size)
			break;
		if (n)
			out[n++] = '.';
		memcpy(out + n, sc->tok[k].text, sc->tok[k].len);
		n += sc->tok[k].len;
	}
	out[n] = 0;
	return method || strchr(out, '.');
}

static int find_call(const struct scan *sc, size_t i)
{
	char full[256];
	bool method = dotted(sc, i, full, sizeof(full));
	size_t len = strlen(full);

	for (size_t k = 0; k < ARRAY_SIZE(calls); k++) {
		const char *name = calls[k].name;
		size_t n = strlen(name);

		if (!(calls[k].lang & sc->lang))
			continue;
		if (*name == '.') {
			if (method && len >= n - 1 && !strcmp(full + len - (n - 1), name + 1))
				return (int)k;
			continue;
		}
		if (len == n ? !strcmp(full, name) : len > n && full[len - n - 1] == '.' && !strcmp(full + len - n, name)) {
			/* re.compile, cursor.exec, regex.exec: only the bare builtin evaluates */
			if (calls[k].call == C_EVAL && len > n && sc->lang == L_PYTHON)
				continue;
			if (!strcmp(name, "exec") && sc->lang == L_JS && len > n && !strstr(full, "child_process") && !strstr(full, "cp."))
				continue;
			if (!strcmp(name, "open") && sc->lang == L_PYTHON && len > n && strcmp(full, "io.open") != 0 && strcmp(full, "os.open") != 0)
				continue;
			if (!strcmp(name, "get") && strstr(full, "."))
				continue;
			return (int)k;
		}
	}
	return -1;
}

/* Words of a list of strings that starts at the bracket @i; stops at what is not a literal. */
static size_t list_words(struct scan *sc, size_t i, size_t end, struct word *out, size_t max, bool *whole)
{
	size_t n = 0;

	*whole = true;
	for (; i < end && n < max; ) {
		size_t stop = MIN(value_end(sc, i), end);
		struct word *w = value_word(sc, i, stop);

		if (!w)
			break;
		out[n++] = *w;
		*whole = *whole && w->kind == WORD_EXACT;
		i = stop + 1;
	}
	return n;
}

static bool is_list(const struct scan *sc, size_t from, size_t to)
{
	return (punct(sc, from, '[') && punct(sc, to - 1, ']')) || (sc->lang == L_PYTHON && punct(sc, from, '(') && punct(sc, to - 1, ')'));
}

static int spawn(struct scan *sc, size_t from, size_t end)
{
	struct word *argv = arena_alloc(sc->fx->mem, CODE_ARGS * sizeof(*argv));
	size_t first_end = MIN(value_end(sc, from), end), n = 0, next = first_end + 1;
	bool whole;

	sc->spawns = true;
	if (!argv)
		return -1;
	if (from >= end) {
		effects_plain(sc->fx, sc->s, EFFECT_UNKNOWN, "the code runs a command that is not known");
		return 0;
	}
	if (is_list(sc, from, first_end)) {
		n = list_words(sc, from + 1, first_end - 1, argv, CODE_ARGS, &whole);
		return n ? effects_words(sc->fx, sc->s, argv, n) : 0;
	}
	struct word *w = value_word(sc, from, first_end);

	if (!w)
		return -1;
	argv[n++] = *w;
	/* spawn("rm", ["-rf", "/"]), Command("rm", {args: [...]}), system("rm", "-rf", "/"), execlp("rm", "rm", ...) */
	while (next < end && n < CODE_ARGS) {
		size_t stop = MIN(value_end(sc, next), end);
		size_t list = next;

		while (list < stop && !punct(sc, list, '['))
			list++;
		if (list < stop && (list == next || punct(sc, next, '{'))) {
			n += list_words(sc, list + 1, MIN(value_end(sc, list + 1) + CODE_TOKENS, stop), argv + n, CODE_ARGS - n, &whole);
			return effects_words(sc->fx, sc->s, argv, n);
		}
		w = sc->lang == L_JS || punct(sc, next + 1, ':') || punct(sc, next + 1, '=') ? NULL : value_word(sc, next, stop);
		if (!w || (w->kind != WORD_EXACT && !(sc->lang & (L_PERL | L_RUBY))))
			break;
		argv[n++] = *w;
		next = stop + 1;
	}
	if (n > 1)
		return effects_words(sc->fx, sc->s, argv, n);
	return effects_code(sc->fx, sc->s, "sh", &argv[0]);
}

/* open(path, mode): python, ruby, php, lua "w"; perl open(F, ">path"), open(F, ">", path). */
static void call_open(struct scan *sc, size_t from, size_t end)
{
	struct word *path = value_word(sc, from, MIN(value_end(sc, from), end)), *mode = NULL;
	size_t next = MIN(value_end(sc, from), end) + 1;
	const char *m = "r";

	if (next < end)
		mode = value_word(sc, next, MIN(value_end(sc, next), end));
	if (sc->lang == L_PERL) {
		size_t third = next < end ? value_end(sc, next) + 1 : end;

		m = mode && mode->kind == WORD_EXACT ? mode->text : "";
		if (strstr(m, "|") && m[strspn(m, "+ ")] == '|') {
			effects_code(sc->fx, sc->s, "sh", third < end ? value_word(sc, third, value_end(sc, third)) : mode);
			return;
		}
		path = third < end ? value_word(sc, third, MIN(value_end(sc, third), end)) : mode;
		if (!path || !strchr(m, '>') || strchr(m, '&'))
			return;
		if (third >= end && path->kind == WORD_EXACT)
			path->text += strspn(path->text, "+> ");
		effects_path(sc->fx, sc->s, EFFECT_OVERWRITE, path, "writes");
		return;
	}
	if (!path)
		return;
	if (mode && mode->kind == WORD_EXACT)
		m = mode->text;
	for (size_t i = next; i + 2 < end; i++) {	/* mode="w" */
		if (name_is(sc, i, "mode") && punct(sc, i + 1, '=') && sc->tok[i + 2].kind == T_STRING)
			m = sc->tok[i + 2].text;
	}
	if (strpbrk(m, "wax+") && strlen(m) <= 4 && path->kind != WORD_EXACT)
		return;		/* the sandbox holds where it may write */
	if (strpbrk(m, "wax+") && strlen(m) <= 4)
		effects_path(sc->fx, sc->s, strchr(m, 'w') ? EFFECT_OVERWRITE : EFFECT_WRITE, path, "writes");
	else if (path->kind == WORD_EXACT)
		effects_path(sc->fx, sc->s, EFFECT_READ, path, "reads");
}

/* Path("x").unlink(): the receiver is the path. */
static struct word *receiver(struct scan *sc, size_t name)
{
	size_t i = name, depth = 0;

	if (i < 2 || !punct(sc, i - 1, '.'))
		return value_word(sc, 0, 0);
	for (i = name - 1; i-- > 0; ) {
		if (punct(sc, i, ')'))
			depth++;
		else if (punct(sc, i, '(') && depth && --depth == 0)
			break;
		else if (!depth && !(sc->tok[i].kind == T_NAME || punct(sc, i, '.')))
			break;
	}
	while (i > 0 && (sc->tok[i - 1].kind == T_NAME || punct(sc, i - 1, '.')))
		i--;
	return value_word(sc, i, name - 1);
}

static int do_call(struct scan *sc, size_t name, const char *method, enum call call, size_t from, size_t end)
{
	struct effects *fx = sc->fx;
	size_t stop = MIN(value_end(sc, from), end);
	struct word *w;
	struct effect *e;

	if (call == C_SPAWN)
		return spawn(sc, from, end);
	if (call == C_OPEN) {
		call_open(sc, from, end);
		return 0;
	}
	w = *method == '.' ? receiver(sc, name) : value_word(sc, from, stop);
	if (!w)
		return -1;
	switch (call) {
	case C_DELETE:
	case C_TREE:
		effects_path(fx, sc->s, EFFECT_DELETE, w, "deletes")->flags |= call == C_TREE ? EFFECT_RECURSIVE : 0;
		break;
	case C_OVERWRITE:
		if (w->kind == WORD_EXACT || *method != '.')
			effects_path(fx, sc->s, EFFECT_OVERWRITE, w, "writes");
		break;
	case C_READ:
		if (w->kind == WORD_EXACT && !strstr(w->text, "://"))
			effects_path(fx, sc->s, EFFECT_READ, w, "reads");
		else if (w->kind == WORD_EXACT)
			effects_host(fx, sc->s, w, NULL), sc->net = true;
		break;
	case C_MOVE:
		e = effects_path(fx, sc->s, EFFECT_OVERWRITE, value_word(sc, MIN(stop + 1, end), MIN(value_end(sc, MIN(stop + 1, end)), end)),
				 "writes");
		(void)e;
		effects_path(fx, sc->s, EFFECT_READ, w, "reads");
		break;
	case C_EVAL:
		sc->evals = sc->evals || w->kind != WORD_EXACT;
		if (w->kind == WORD_EXACT)
			return effects_text(fx, sc->s, sc->lang == L_PYTHON ? "python" : sc->lang == L_JS ? "js" :
					    sc->lang == L_PERL ? "perl" : sc->lang == L_RUBY ? "ruby" : "php",
					    w->text, strlen(w->text), sc->span);
		break;
	case C_NET:
		effects_host(fx, sc->s, w, NULL);
		sc->net = true;
		break;
	case C_SOCKET:
		effects_host(fx, sc->s, NULL, NULL);
		sc->socket = true;
		break;
	case C_FORK:
		sc->forks = true;
		break;
	case C_KILL:
		effects_plain(fx, sc->s, EFFECT_PROCESS, "ends a process");
		break;
	case C_DUP:
		sc->spawns = true;
		break;
	case C_DB:
		effects_plain(fx, sc->s, EFFECT_DATABASE, "changes a database");
		break;
	default:
		break;
	}
	return 0;
}

static bool no_parens(const struct scan *sc)
{
	return sc->lang == L_PERL || sc->lang == L_RUBY || sc->lang == L_PHP || sc->lang == L_OTHER || sc->lang == L_LUA;
}

/* os.environ, process.env, ENV, %ENV, $_ENV as a whole: not one variable of it. */
static bool is_environment(const struct scan *sc, size_t i)
{
	bool named = sc->lang == L_PYTHON ? name_is(sc, i, "environ") : sc->lang == L_JS ? name_is(sc, i, "env") && i && punct(sc, i - 1, '.') && i > 1 && name_is(sc, i - 2, "process") :
		     sc->lang == L_RUBY ? name_is(sc, i, "ENV") : sc->lang == L_PERL ? name_is(sc, i, "ENV") && i && punct(sc, i - 1, '%') : false;

	if (punct(sc, i + 1, '.') && i + 2 < sc->n) {
		static const char *const whole[] = { "items", "copy", "to_h", "to_hash", "inspect", "each", "to_a", "map", "sort" };

		for (size_t k = 0; named && k < ARRAY_SIZE(whole); k++) {
			if (name_is(sc, i + 2, whole[k]))
				return true;
		}
		return false;
	}
	return named && !punct(sc, i + 1, '[') && !punct(sc, i + 1, '{');
}

/* Within the words of a call that prints, or all that there is: node -p process.env */
static bool is_printed(const struct scan *sc, size_t i)
{
	static const char *const print[] = { "print", "pprint", "puts", "p", "pp", "log", "dir", "table", "write", "say", "printf", "echo" };

	if (sc->n <= 3)
		return true;
	for (size_t back = i; back > 0 && i - back < 12 && !punct(sc, back - 1, ';'); back--) {
		for (size_t k = 0; k < ARRAY_SIZE(print); k++) {
			if (name_is(sc, back - 1, print[k]))
				return true;
		}
	}
	return false;
}

static int scan_calls(struct scan *sc)
{
	for (size_t i = 0; i < sc->n; i++) {
		int k;
		size_t from, end;

		if (sc->tok[i].kind == T_EXEC) {
			sc->spawns = true;
			if (sc->tok[i].partial)
				effects_plain(sc->fx, sc->s, EFFECT_UNKNOWN, "the code runs a command that is not known");
			else if (effects_text(sc->fx, sc->s, "sh", sc->tok[i].text, sc->tok[i].len, sc->span) < 0)
				return -1;
		}
		if (sc->tok[i].kind != T_NAME)
			continue;
		if ((name_is(sc, i, "environ") || (name_is(sc, i, "env") && i && punct(sc, i - 1, '.'))) &&
		    !punct(sc, i + 1, '[') && !punct(sc, i + 1, '.'))
			sc->env = true;
		if (is_environment(sc, i) && is_printed(sc, i))
			sc->shows_env = true;
		if (name_is(sc, i, "eval") && !punct(sc, i + 1, '(') && punct(sc, i + 1, ')'))
			sc->evals = true;	/* .then(eval) */
		k = find_call(sc, i);
		if (k < 0)
			continue;
		if (punct(sc, i + 1, '(')) {
			from = i + 2;
			for (end = from; end < sc->n && !punct(sc, end, ')'); end = value_end(sc, end) + (punct(sc, value_end(sc, end), ',') ? 1 : 0)) {
				if (value_end(sc, end) >= sc->n || (!punct(sc, value_end(sc, end), ',') && !punct(sc, value_end(sc, end), ')')))
					break;
				if (punct(sc, value_end(sc, end), ')')) {
					end = value_end(sc, end);
					break;
				}
			}
		} else if (no_parens(sc) && i + 1 < sc->n && (sc->tok[i + 1].kind != T_PUNCT || strchr("$\"'[", *sc->tok[i + 1].text))) {
			from = i + 1;
			for (end = from; end < sc->n && punct(sc, value_end(sc, end), ','); end = value_end(sc, end) + 1)
				;
			end = value_end(sc, end);
		} else if (calls[k].call == C_FORK || (calls[k].call == C_SOCKET && (punct(sc, i + 1, '-') || punct(sc, i + 1, '.')))) {
			from = end = i + 1;
		} else {
			continue;
		}
		if (do_call(sc, i, calls[k].name, calls[k].call, from, end) < 0)
			return -1;
	}
	return 0;
}

static void conclude(struct scan *sc)
{
	struct effects *fx = sc->fx;
	bool loops = false;

	for (size_t i = 0; i < sc->n; i++)
		loops = loops || name_is(sc, i, "while") || name_is(sc, i, "loop") || name_is(sc, i, "until") || name_is(sc, i, "iter") || name_is(sc, i, "count") ||
			name_is(sc, i, "cycle") || (name_is(sc, i, "for") && punct(sc, i + 1, '(') && punct(sc, i + 2, ';') && punct(sc, i + 3, ';'));
	if (sc->shows_env)
		effects_plain(fx, sc->s, EFFECT_SECRET, "shows the environment");
	if (sc->net && sc->evals)
		effects_plain(fx, sc->s, EFFECT_FETCH_CODE, "runs code from the network");
	else if (sc->evals)
		effects_plain(fx, sc->s, EFFECT_UNKNOWN, "the code runs text that is not known before");
	if (sc->socket && sc->spawns)
		effects_plain(fx, sc->s, EFFECT_REMOTE_SHELL, "gives a shell to the network");
	if (sc->forks && loops)
		effects_plain(fx, sc->s, EFFECT_EXHAUST, "starts processes without end");
	if (sc->env && (sc->net || sc->socket)) {
		struct effect *e = effects_plain(fx, sc->s, EFFECT_SEND, "sends the environment");

		e->flags |= EFFECT_OF_SECRET;
	}
}

/* b64decode("..."), atob("..."), Buffer.from("...", "base64"): what the text says is read as code of the same language. */
static int scan_decoded(struct scan *sc, const char *lang)
{
	static const char *const way[] = { "b64decode", "atob", "from", "decode_base64", "decode64", "base64_decode", "unhexlify", "fromhex", "pack", "hex2bin" };

	for (size_t i = 0; sc->evals && i + 2 < sc->n; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(way); k++) {
			size_t at = i + 1 + punct(sc, i + 1, '(');
			struct stream st;

			if (name_is(sc, i, "pack") && at + 2 < sc->n && sc->tok[at].kind == T_STRING && *sc->tok[at].text == 'H')
				at += 2;	/* pack("H*", "6c73") */
			if (!name_is(sc, i, way[k]) || at >= sc->n || sc->tok[at].kind != T_STRING || sc->tok[at].len < 8)
				continue;
			st = stream_decoded(sc->fx, sc->tok[at].text, sc->tok[at].len, strstr(way[k], "hex") != NULL || !strcmp(way[k], "pack"));
			if (st.origin == ORIGIN_TEXT && code_scan(sc->fx, sc->s, lang, st.text, st.len, sc->span) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- awk ------------------------------------------------------------------------------------------------- */

static int scan_awk(struct scan *sc)
{
	bool printing = false;

	for (size_t i = 0; i < sc->n; i++) {
		if (name_is(sc, i, "print") || name_is(sc, i, "printf"))
			printing = true;
		if (punct(sc, i, ';') || punct(sc, i, '}'))
			printing = false;
		if (sc->tok[i].kind == T_STRING && !strncmp(sc->tok[i].text, "/inet/", 6)) {
			effects_host(sc->fx, sc->s, NULL, NULL);
			effects_plain(sc->fx, sc->s, EFFECT_REMOTE_SHELL, "opens a connection");
		}
		if (punct(sc, i, '|') && !punct(sc, i + 1, '|') && !(i && punct(sc, i - 1, '|'))) {
			size_t next = i + 1 + punct(sc, i + 1, '&');
			const struct token *cmd = NULL;

			if (name_is(sc, next, "getline"))
				cmd = i ? &sc->tok[i - 1] : NULL;
			else if (printing && next < sc->n)
				cmd = &sc->tok[next];
			if (cmd && cmd->kind == T_STRING) {
				if (effects_text(sc->fx, sc->s, "sh", cmd->text, cmd->len, sc->span) < 0)
					return -1;
			} else if (cmd) {
				effects_plain(sc->fx, sc->s, EFFECT_UNKNOWN, "awk runs a command that is not known");
			}
		}
		if (printing && punct(sc, i, '>')) {
			size_t next = i + 1 + punct(sc, i + 1, '>');

			if (next < sc->n && sc->tok[next].kind == T_STRING) {
				struct word *w = value_word(sc, next, next + 1);

				if (w)
					effects_path(sc->fx, sc->s, EFFECT_OVERWRITE, w, "writes");
			}	/* a name that is computed: the sandbox holds where it may write */
		}
	}
	return 0;
}

/* ---- sed ------------------------------------------------------------------------------------------------- */

struct sed {
	struct effects		*fx;
	const struct simple	*s;
	const char		*p, *end;
	struct span		 span;
};

static void sed_delimited(struct sed *d, char delim)
{
	bool class = false;

	while (d->p < d->end && (*d->p != delim || class)) {
		if (*d->p == '\\' && d->p + 1 < d->end)
			d->p++;
		else if (*d->p == '[')
			class = true;
		else if (*d->p == ']')
			class = false;
		d->p++;
		if (d->p < d->end && d->p[-1] == '\n')
			class = false;
	}
	if (d->p < d->end)
		d->p++;
}

static const struct word *sed_rest(struct sed *d)
{
	struct word *w = arena_alloc(d->fx->mem, sizeof(*w));
	const char *from, *nl;

	while (d->p < d->end && (*d->p == ' ' || *d->p == '\t'))
		d->p++;
	from = d->p;
	nl = memchr(from, '\n', (size_t)(d->end - from));
	d->p = nl ? nl : d->end;
	if (w)
		*w = (struct word){ .kind = WORD_EXACT, .text = arena_strndup(d->fx->mem, from, (size_t)(d->p - from)), .span = d->span };
	return w && w->text ? w : NULL;
}

static int sed_command_text(struct sed *d)
{
	const struct word *w = sed_rest(d);

	if (!w)
		return -1;
	if (!*w->text) {
		effects_plain(d->fx, d->s, EFFECT_UNKNOWN, "sed runs the lines that it reads");
		return 0;
	}
	return effects_text(d->fx, d->s, "sh", w->text, strlen(w->text), d->span);
}

static int sed_write(struct sed *d)
{
	const struct word *w = sed_rest(d);

	if (w)
		effects_path(d->fx, d->s, EFFECT_OVERWRITE, w, "writes");
	return w ? 0 : -1;
}

static void sed_address(struct sed *d)
{
	while (d->p < d->end) {
		if (strchr("0123456789$,~+!IM \t", *d->p)) {
			d->p++;
		} else if (*d->p == '/') {
			d->p++;
			sed_delimited(d, '/');
		} else if (*d->p == '\\' && d->p + 1 < d->end) {
			d->p += 2;
			sed_delimited(d, d->p[-1]);
		} else {
			return;
		}
	}
}

static int sed_substitute(struct sed *d)
{
	char delim = d->p < d->end ? *d->p++ : 0;

	sed_delimited(d, delim);
	/* in the replacement a bracket is only a bracket */
	while (d->p < d->end && *d->p != delim)
		d->p += 1 + (*d->p == '\\' && d->p + 1 < d->end);
	d->p += d->p < d->end;
	for (; d->p < d->end && !strchr(";\n}", *d->p); d->p++) {
		if (*d->p == 'e')
			effects_plain(d->fx, d->s, EFFECT_UNKNOWN, "sed runs what it substituted");
		if (*d->p == 'w') {
			d->p++;
			return sed_write(d);
		}
	}
	return 0;
}

static int scan_sed(struct effects *fx, const struct simple *s, const char *text, size_t len, struct span span)
{
	struct sed d = { fx, s, text, text + len, span };

	while (d.p < d.end) {
		int rc = 0;

		if (strchr(" \t\n;{}", *d.p)) {
			d.p++;
			continue;
		}
		if (*d.p == '#') {
			sed_rest(&d);
			continue;
		}
		sed_address(&d);
		if (d.p >= d.end)
			break;
		switch (*d.p++) {
		case 's':
			rc = sed_substitute(&d);
			break;
		case 'y':
			if (d.p < d.end) {
				char delim = *d.p++;

				sed_delimited(&d, delim);
				sed_delimited(&d, delim);
			}
			break;
		case 'e':
			rc = sed_command_text(&d);
			break;
		case 'w':
		case 'W':
			rc = sed_write(&d);
			break;
		case 'a':
		case 'i':
		case 'c':
		case 'r':
		case 'R':
			sed_rest(&d);
			break;
		case ':':
		case 'b':
		case 't':
		case 'T':
			while (d.p < d.end && !strchr(";\n}", *d.p))
				d.p++;
			break;
		default:
			break;
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* ---- SQL and the clients' own commands --------------------------------------------------------------------- */

static const char *sql_skip(const char *p, const char *end)
{
	while (p < end) {
		if (isspace((unsigned char)*p) || *p == ';' || *p == '(') {
			p++;
		} else if (end - p > 1 && p[0] == '-' && p[1] == '-') {
			const char *nl = memchr(p, '\n', (size_t)(end - p));

			p = nl ? nl + 1 : end;
		} else if (end - p > 1 && p[0] == '/' && p[1] == '*') {
			const char *close = memmem(p, (size_t)(end - p), "*/", 2);

			p = close ? close + 2 : end;
		} else {
			break;
		}
	}
	return p;
}

static const char *sql_end(const char *p, const char *end)
{
	char quote = 0;

	for (; p < end; p++) {
		if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '\'' || *p == '"' || *p == '`')
			quote = *p;
		else if (*p == ';')
			break;
	}
	return p;
}

static bool sql_has(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (; p + n <= end; p++) {
		if (!strncasecmp(p, word, n))
			return true;
	}
	return false;
}

static bool first_word(const char *p, const char *end, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list[i]);

		if ((size_t)(end - p) >= len && !strncasecmp(p, list[i], len) && (p + len == end || !isalnum((unsigned char)p[len])))
			return true;
	}
	return false;
}

static void sql_statement(struct effects *fx, const struct simple *s, const char *p, const char *end, bool local)
{
	static const char *const reads[] = { "select", "explain", "show", "describe", "desc", "pragma", "values", "begin", "commit",
					     "rollback", "set", "use", "with", "table", "analyze", "help", "status", "start", "end",
					     "savepoint", "release", "list", "fetch", "declare", "close" };
	static const char *const adds[] = { "create", "insert", "replace", "alter", "reindex" };
	static const char *const bad[] = { "into outfile", "into dumpfile", "to program", "delete from", "update ", "insert into",
					   "drop ", "truncate ", "lo_export", "pg_read_file", "pg_terminate", "load_extension",
					   "writefile(" };
	bool harmless = first_word(p, end, reads, ARRAY_SIZE(reads)) ||
			(local && first_word(p, end, adds, ARRAY_SIZE(adds)));

	if (harmless && !first_word(p, end, adds, ARRAY_SIZE(adds))) {
		for (size_t i = 0; i < ARRAY_SIZE(bad) && harmless; i++) {
			/* words inside quotes are data, but a statement that mentions them is worth a look */
			harmless = !sql_has(p, end, bad[i]);
		}
	}
	if (!harmless)
		effects_plain(fx, s, EFFECT_DATABASE, "changes or drops data in a database");
}

static int sql_meta(struct effects *fx, const struct simple *s, const char *p, const char *end, struct span span)
{
	static const char *const run[] = { ".shell", ".system", "\\!", "system", "!" };
	static const char *const write[] = { ".output", ".once", ".backup", ".save", ".dump", "\\o", "\\w", ".import", ".restore", ".load",
					     "\\copy", ".open", ".log", ".excel", ".clone", ".archive", "\\i", ".read", "tee", "source" };
	size_t len = (size_t)(end - p);

	for (size_t i = 0; i < ARRAY_SIZE(run); i++) {
		size_t n = strlen(run[i]);

		if (len > n && !strncmp(p, run[i], n) && (p[n] == ' ' || run[i][n - 1] == '!'))
			return effects_text(fx, s, "sh", p + n, len - n, span);
	}
	for (size_t i = 0; i < ARRAY_SIZE(write); i++) {
		size_t n = strlen(write[i]);

		if (len > n + 1 && !strncmp(p, write[i], n) && p[n] == ' ') {
			effects_plain(fx, s, EFFECT_UNKNOWN, "the database client reads or writes files");
			return 0;
		}
	}
	return 0;
}

static int scan_sql(struct effects *fx, const struct simple *s, const char *text, size_t len, struct span span, bool local)
{
	const char *p = text, *end = text + len;

	while ((p = sql_skip(p, end)) < end) {
		const char *stop;

		if (*p == '.' || *p == '\\' || *p == '!' || !strncmp(p, "system ", 7)) {
			stop = memchr(p, '\n', (size_t)(end - p));
			stop = stop ? stop : end;
			if (sql_meta(fx, s, p, stop, span) < 0)
				return -1;
		} else {
			stop = sql_end(p, end);
			sql_statement(fx, s, p, stop, local);
		}
		p = stop;
	}
	return 0;
}

/* ---- entry --------------------------------------------------------------------------------------------------- */

/* In a language without a scanner: does any of it sound like more than computing and printing? */
static bool says_deed(const char *text, size_t len)
{
	static const char *const deed[] = {
		"system", "exec", "spawn", "shell", "popen", "process", "run(", "run ", "cmd", "open_port", "unlink", "remove", "delete",
		"rm(", "rm!", "rm_", "rmdir", "write", "save", "sink(", "mv(", "cp(", "move", "rename", "copy", "truncate", "download", "http",
		"ftp:", "socket", "connect", "eval", "parse", "include", "source(", "load", "install", "add(", "`", "env", "ccall", "open",
		"kill", "exit(", "chmod", "mkdir", "touch", "dofile", "require(", "tell application",
	};
	static const char *const harmless[] = { "system.version", "system.build_info", "system.otp_release", "systemversion", "sessioninfo" };
	struct buf lower;
	bool found = false;
	char *t;

	buf_init(&lower, 1u << 20);
	for (size_t i = 0; i < len; i++)
		buf_addc(&lower, (char)tolower((unsigned char)text[i]));
	t = buf_steal(&lower);
	for (size_t i = 0; t && i < ARRAY_SIZE(harmless); i++) {
		for (char *hit; (hit = strstr(t, harmless[i])); )
			memset(hit, '.', strlen(harmless[i]));
	}
	for (size_t i = 0; t && !found && i < ARRAY_SIZE(deed); i++)
		found = strstr(t, deed[i]) != NULL;
	found = found || !t;
	free(t);
	return found;
}

/* A literal that looks like a path is one that may be read. */
static void note_paths(struct effects *fx, const struct simple *s, const char *text, size_t len, struct span span)
{
	for (size_t i = 0; i < len; i++) {
		const char *end = text[i] == '"' || text[i] == '\'' ? memchr(text + i + 1, text[i], len - i - 1) : NULL;
		size_t n = end ? (size_t)(end - text) - i - 1 : 0;
		struct word *w = n && memchr(text + i + 1, '/', n) ? arena_alloc(fx->mem, sizeof(*w)) : NULL;

		if (!end)
			continue;
		if (w) {
			*w = (struct word){ .kind = WORD_EXACT, .text = arena_strndup(fx->mem, text + i + 1, n), .span = span };
			if (w->text)
				effects_path(fx, s, EFFECT_READ, w, "reads");
		}
		i = (size_t)(end - text);
	}
}

/* Elixir, R, Julia, Tcl, AppleScript, Emacs Lisp ...: their ways to run something are looked for, and words that
 * change something make it a question. */
static int scan_other(struct effects *fx, const struct simple *s, const char *text, size_t len, struct span span)
{
	static const char *const ways[] = { "exec ", "spawn ", "do shell script \"", "shell-command \"", ".exec(\"", "system(\"",
					    "delete-directory \"", "system \"" };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const char *hit = memmem(text, len, ways[i], strlen(ways[i])), *from, *end;

		if (!hit)
			continue;
		from = hit + strlen(ways[i]);
		end = memchr(from, ways[i][strlen(ways[i]) - 1] == '"' ? '"' : '\n', (size_t)(text + len - from));
		if (effects_text(fx, s, "sh", from, (size_t)((end ? end : text + len) - from), span) < 0)
			return -1;
	}
	note_paths(fx, s, text, len, span);
	if (says_deed(text, len))
		effects_plain(fx, s, EFFECT_UNKNOWN, "code in a language that is not read, with words that change something");
	return 0;
}

/* ed and gdb: lines that start with a way to the shell. */
static int scan_lines(struct effects *fx, const struct simple *s, const char *text, size_t len, struct span span)
{
	static const char *const ways[] = { "shell ", "!", "r !", "w !", "pipe ", "make ", "python " };

	for (const char *p = text, *end = text + len; p < end; ) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;

		for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
			size_t n = strlen(ways[i]);

			if ((size_t)(stop - p) > n && !strncmp(p, ways[i], n) &&
			    effects_text(fx, s, *ways[i] == 'p' && ways[i][1] == 'y' ? "python" : "sh", p + n, (size_t)(stop - p) - n, span) < 0)
				return -1;
		}
		p = stop + 1;
	}
	return 0;
}

int code_scan(struct effects *fx, const struct simple *s, const char *lang, const char *text, size_t len, struct span span)
{
	static const struct { const char *name; enum lang lang; } langs[] = {
		{ "python", L_PYTHON }, { "js", L_JS }, { "perl", L_PERL }, { "ruby", L_RUBY }, { "php", L_PHP }, { "lua", L_LUA },
		{ "awk", L_AWK }, { "mongo", L_OTHER },
	};
	struct scan sc = { .fx = fx, .s = s, .span = span };

	if (!strcmp(lang, "data"))
		return 0;
	if (!strcmp(lang, "ed") || !strcmp(lang, "gdb"))
		return scan_lines(fx, s, text, len, span);
	if (!strcmp(lang, "sed"))
		return scan_sed(fx, s, text, len, span);
	if (!strcmp(lang, "sql") || !strcmp(lang, "sqlite"))
		return scan_sql(fx, s, text, len, span, !strcmp(lang, "sqlite"));
	for (size_t i = 0; i < ARRAY_SIZE(langs); i++) {
		if (!strcmp(lang, langs[i].name))
			sc.lang = langs[i].lang;
	}
	if (!sc.lang)
		return scan_other(fx, s, text, len, span);
	if (sc.lang == L_PYTHON || sc.lang == L_JS)	/* false: read as it is */
		codefold(fx, s, sc.lang == L_PYTHON ? CODEFOLD_PYTHON : CODEFOLD_JS, text, len, &text, &len);
	if (tokenize(&sc, text, len) < 0)
		effects_plain(fx, s, EFFECT_UNKNOWN, "too much code to read");
	if (scan_calls(&sc) < 0 || (sc.lang == L_AWK && scan_awk(&sc) < 0))
		return -1;
	conclude(&sc);
	return scan_decoded(&sc, lang);
}

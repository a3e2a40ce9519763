/* intercept/describe.c - what is known of a program, in words for a person */
#include "intercept/describe.h"

#include <string.h>

#include "base/quote.h"
#include "intercept/policy.h"

#define TEXT_MAX	(64u << 10)	/* of one row */
#define NAMES_SHOWN	12u		/* other names of a program before "and N more" */

struct sheet {
	struct buf	*out;
	unsigned	 indent, width;
};

/* ---- rows ------------------------------------------------------------------------------------------- */

static void spaces(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, ' ');
}

void describe_row(struct buf *out, unsigned indent, unsigned column, unsigned width, const char *head, const char *text)
{
	size_t at = indent + strlen(head);
	bool first = true;

	spaces(out, indent);
	buf_adds(out, head);
	while (*text) {
		size_t len = strcspn(text, " ");

		if (at + 1 >= column && first && *head && at > column) {
			buf_addc(out, '\n');
			at = 0;
		}
		if (first) {
			spaces(out, column > at ? column - at : 0);
			at = MAX(at, (size_t)column);
		} else if (at + 1 + len > width && at > column) {
			buf_addc(out, '\n');
			spaces(out, column);
			at = column;
		} else {
			buf_addc(out, ' ');
			at++;
		}
		buf_add(out, text, len);
		at += len;
		text += len;
		text += strspn(text, " ");
		first = false;
	}
	buf_addc(out, '\n');
}

static void row(const struct sheet *s, unsigned column, const char *head, const char *text)
{
	describe_row(s->out, s->indent, s->indent + column, s->width, head, text);
}

static void add_shown(struct buf *out, const char *s)
{
	quote_into(out, s, strlen(s));
}

/* ---- acts ------------------------------------------------------------------------------------------- */

static const char *const effect_words[EFFECT_KIND_COUNT] = {
	[EFFECT_UNKNOWN]	= "does what cannot be told",
	[EFFECT_READ]		= "reads files",
	[EFFECT_WRITE]		= "writes files",
	[EFFECT_OVERWRITE]	= "replaces files",
	[EFFECT_DELETE]		= "deletes files",
	[EFFECT_MOVE]		= "moves files",
	[EFFECT_MODE]		= "changes permissions",
	[EFFECT_DEVICE]		= "writes to a device",
	[EFFECT_EXEC]		= "runs a file",
	[EFFECT_NET]		= "reaches other machines",
	[EFFECT_SEND]		= "sends data to another machine",
	[EFFECT_FETCH_CODE]	= "runs code from the network",
	[EFFECT_REMOTE_SHELL]	= "gives a shell to the network",
	[EFFECT_PUBLISH]	= "publishes",
	[EFFECT_GIT_LOSE]	= "may lose uncommitted work",
	[EFFECT_GIT_HISTORY]	= "changes git history",
	[EFFECT_GIT_FORCE]	= "overwrites a remote branch",
	[EFFECT_INSTALL]	= "installs packages",
	[EFFECT_PRIVILEGE]	= "needs or gains more rights",
	[EFFECT_PROCESS]	= "ends processes",
	[EFFECT_SERVICE]	= "changes services or jobs",
	[EFFECT_SYSTEM]		= "changes the system",
	[EFFECT_DATABASE]	= "changes a database",
	[EFFECT_INFRA]		= "changes containers, clusters or clouds",
	[EFFECT_SECRET]		= "shows secrets",
	[EFFECT_GUARD]		= "touches sbxterm itself",
	[EFFECT_SHELL_STATE]	= "changes what the shell runs later",
	[EFFECT_INTERACTIVE]	= "takes lines that are not judged",
	[EFFECT_EXHAUST]	= "never ends",
};

static const struct {
	const char	*word;		/* of the word it happens to; %a: the act's argument */
	const char	*summary;	/* for a list */
} verb_words[VERB_COUNT] = {
	[VERB_DATA]		= { "a word like any other: no file is touched for it", NULL },
	[VERB_READ]		= { "reads the file", "reads" },
	[VERB_WRITE]		= { "writes the file", "writes" },
	[VERB_OVERWRITE]	= { "replaces what is in the file", "writes" },
	[VERB_EMPTY]		= { "empties the file", "empties files" },
	[VERB_DELETE]		= { "deletes the file", "deletes" },
	[VERB_DELETE_TREE]	= { "deletes the file, or the directory with all in it", "deletes" },
	[VERB_MKDIR]		= { "makes the directory", "makes directories" },
	[VERB_MOVE]		= { "moves the file away", "moves" },
	[VERB_DEST]		= { "writes to that place: a file, or one of the same name in a directory", "writes" },
	[VERB_MODE]		= { "changes who may use the file", "changes permissions" },
	[VERB_DEVICE]		= { "writes to the device", "writes to devices" },
	[VERB_CHDIR]		= { "works in that directory", NULL },
	[VERB_SECRET]		= { "shows a secret", "shows secrets" },
	[VERB_COMMAND]		= { "this word and all after it are a command, judged by themselves", "runs a command" },
	[VERB_FOREIGN]		= { "this word and all after it are a command inside a container or on another machine, judged for there", "runs a command elsewhere" },
	[VERB_SHELL]		= { "text that a shell runs, judged like a line", "runs shell text" },
	[VERB_SCRIPT]		= { "runs the file, which is read and judged", "runs a script" },
	[VERB_CODE]		= { "code that is run, and read before", "runs code" },
	[VERB_SPLIT]		= { "is split into words of the command", NULL },
	[VERB_HOST]		= { "reaches that host", "reaches a host" },
	[VERB_URL]		= { "reaches the host of that address", "reaches a host" },
	[VERB_SEND]		= { "sends the file to another machine", "sends files" },
	[VERB_PROCESS]		= { "ends the process", "ends processes" },
	[VERB_ASSIGN]		= { "sets a variable", NULL },
	[VERB_PACKAGE]		= { "names a package", "installs packages" },
	[VERB_STDIN]		= { "runs what comes on its standard input", "runs its input" },
};

bool describe_knows_verb(enum verb v)
{
	return v == VERB_EFFECT || verb_words[v].word;
}

bool describe_knows_effect(enum effect_kind k)
{
	return k == EFFECT_NONE || effect_words[k];
}

static bool is_path_verb(enum verb v)
{
	return v >= VERB_READ && v <= VERB_DEVICE && v != VERB_DEST;
}

/* Effects without a path have a usual verdict; one with a path depends on where it is. */
static void add_usual(struct buf *out, enum effect_kind kind, const char *scope)
{
	struct policy_rule r;

	if (policy_usual(kind, scope, &r))
		buf_addf(out, " (%s: %s)", action_name[r.action], r.id);
}

static void add_act(struct buf *out, const struct act *a)
{
	if (a->verb == VERB_EFFECT) {
		add_shown(out, a->what ? a->what : effect_words[a->effect] ? effect_words[a->effect] : "nothing");
		add_usual(out, a->effect, a->arg);
	} else if (a->verb == VERB_PACKAGE && a->what) {
		add_shown(out, a->what);
		add_usual(out, EFFECT_INSTALL, a->arg);
	} else if (a->what && is_path_verb(a->verb)) {
		add_shown(out, a->what);
		buf_adds(out, " the file");
	} else if (a->what) {
		add_shown(out, a->what);
	} else if (a->verb == VERB_SEND && a->arg && !strcmp(a->arg, "at")) {
		buf_adds(out, "sends the file whose name stands behind an @");
	} else {
		buf_adds(out, verb_words[a->verb].word ? verb_words[a->verb].word : "is looked at");
	}
	if ((a->verb == VERB_CODE || a->verb == VERB_SCRIPT || a->verb == VERB_STDIN || a->verb == VERB_SHELL) && a->arg && *a->arg) {
		buf_adds(out, " (");
		add_shown(out, a->arg);
		buf_adds(out, ")");
	}
	if (a->arg && !strcmp(a->arg, "tree"))
		buf_adds(out, " and all below it");
}

/* ---- conditions --------------------------------------------------------------------------------------- */

/* "r" -> "-r": as the person writes it. */
static void add_option_name(struct buf *out, const struct node *n, const char *name)
{
	for (size_t i = 0; i < n->noption; i++) {
		const char *full = n->option[i].name;

		if (!strcmp(full + strspn(full, "-/"), name)) {
			add_shown(out, full);
			return;
		}
	}
	buf_adds(out, strlen(name) == 1 ? "-" : "--");
	add_shown(out, name);
}

static void add_count(struct buf *out, const struct cond_atom *c)
{
	const char *more = c->op == '>' ? "more than " : c->op == '<' ? "fewer than " : "";

	buf_addf(out, "with %s", more);
	add_shown(out, c->value);
	buf_adds(out, strcmp(c->value, "1") ? " words" : " word");
}

static void add_atom(struct buf *out, const struct node *n, const struct cond_atom *c)
{
	bool arg = c->value && (!strcmp(c->name, "arg") || !strcmp(c->name, "arg1"));

	if (c->value && !strcmp(c->name, "args")) {
		add_count(out, c);
		return;
	}
	if (!c->value && !strcmp(c->name, "pipe")) {
		buf_adds(out, c->op == '!' ? "without piped input" : "with piped input");
		return;
	}
	buf_adds(out, c->op == '!' ? "without " : "with ");
	if (arg)
		buf_adds(out, c->name[3] ? "the first word" : "a word");
	else
		add_option_name(out, n, c->name);
	if (c->value) {
		buf_addc(out, ' ');
		add_shown(out, c->value);
	}
}

static void add_cond(struct buf *out, const struct node *n, const struct cond_atom *c, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_adds(out, c[i - 1].either ? " or " : " and ");
		add_atom(out, n, &c[i]);
	}
}

static void add_acts(struct buf *out, const struct node *n, const struct acts *acts)
{
	for (size_t i = 0; acts && i < acts->n; i++) {
		const struct act *a = &acts->act[i];

		if (i)
			buf_adds(out, "; ");
		add_cond(out, n, a->cond, a->ncond);
		buf_adds(out, a->ncond ? ": " : "");
		add_act(out, a);
	}
}

/* ---- options ------------------------------------------------------------------------------------------- */

/* All spellings of an option: they share their acts and what conditions call them. */
static bool same_option(const struct option *a, const struct option *b)
{
	return a->acts == b->acts && !strcmp(a->key, b->key);
}

static bool seen_before(const struct node *n, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (same_option(&n->option[k], &n->option[i]))
			return true;
	}
	return false;
}

static void add_spellings(struct buf *out, const struct node *n, size_t i)
{
	bool first = true;

	/* the short ones first, as manuals do */
	for (int longs = 0; longs < 2; longs++) {
		for (size_t k = i; k < n->noption; k++) {
			const char *name = n->option[k].name;

			if (!same_option(&n->option[k], &n->option[i]) || (!strncmp(name, "--", 2) && name[2]) != longs)
				continue;
			buf_adds(out, first ? "" : " ");
			add_shown(out, name);
			first = false;
		}
	}
	if (n->option[i].takes == TAKES_VALUE)
		buf_adds(out, "=");
	else if (n->option[i].takes == TAKES_OPTIONAL)
		buf_adds(out, "[=]");
}

static void options_of_consequence(const struct sheet *s, const struct node *n)
{
	bool any = false;

	for (size_t i = 0; i < n->noption; i++) {
		const struct option *o = &n->option[i];
		struct buf head, text;

		if (!o->acts || !o->acts->n || seen_before(n, i))
			continue;
		if (!any)
			row(s, 0, "options that do something:", "");
		any = true;
		buf_init(&head, TEXT_MAX);
		buf_init(&text, TEXT_MAX);
		add_spellings(&head, n, i);
		add_acts(&text, n, o->acts);
		row(&(struct sheet){ s->out, s->indent + DESCRIBE_INDENT, s->width }, 28, buf_str(&head), buf_str(&text));
		buf_done(&head);
		buf_done(&text);
	}
}

static void other_options(const struct sheet *s, const struct node *n)
{
	struct buf text;

	buf_init(&text, TEXT_MAX);
	for (size_t i = 0; i < n->noption; i++) {
		const struct option *o = &n->option[i];

		if ((o->acts && o->acts->n) || seen_before(n, i))
			continue;
		buf_adds(&text, text.len ? ", " : "");
		add_spellings(&text, n, i);
	}
	if (text.len) {
		row(s, 0, "options that only steer it:", "");
		row(s, DESCRIBE_INDENT, "", buf_str(&text));
	}
	buf_done(&text);
}

/* ---- words and the command as a whole ---------------------------------------------------------------------- */

static void add_slots(struct buf *out, const struct operands *o)
{
	static const char *const nth[] = { "the first", "the second", "the third", "the fourth" };

	if (!o->n)
		buf_adds(out, "no words are expected");
	for (size_t i = 0; i < o->n; i++) {
		bool last = i + 1 == o->n;
		const char *which = o->slot[i].many ? (o->n == 1 ? "each word" : last ? "each of the rest" : "each word before that") :
				    last && i && o->slot[i - 1].many ? "the last word" : i < ARRAY_SIZE(nth) ? nth[i] : "the next";

		buf_addf(out, "%s%s: ", i ? "; " : "", which);
		add_act(out, &o->slot[i]);
	}
}

/* Are all its words just words? */
static bool words_are_data(const struct node *n)
{
	for (size_t i = 0; i < n->noperands; i++) {
		for (size_t k = 0; k < n->operands[i].n; k++) {
			if (n->operands[i].slot[k].verb != VERB_DATA)
				return false;
		}
	}
	return true;
}

static void words_of(const struct sheet *s, const struct node *n)
{
	const struct sheet in = { s->out, s->indent + DESCRIBE_INDENT, s->width };

	if (words_are_data(n))
		return;
	row(s, 0, "its words:", "");
	for (size_t i = 0; i < n->noperands; i++) {
		const struct operands *o = &n->operands[i];
		struct buf head, text;

		buf_init(&head, TEXT_MAX);
		buf_init(&text, TEXT_MAX);
		add_cond(&head, n, o->cond, o->ncond);
		if (n->noperands > 1)
			buf_adds(&head, o->ncond ? "" : "otherwise");
		add_slots(&text, o);
		row(&in, head.len ? 28 : 0, buf_str(&head), buf_str(&text));
		buf_done(&head);
		buf_done(&text);
	}
}

static void does_of(const struct sheet *s, const struct node *n)
{
	struct buf text;

	buf_init(&text, TEXT_MAX);
	add_acts(&text, n, &n->does);
	if (text.len)
		row(s, 14, "by itself:", buf_str(&text));
	if (n->special && *n->special)
		row(s, 14, "looked into:", describe_hook(n->special) ? describe_hook(n->special) : n->special);
	buf_done(&text);
}

static void names_of(struct buf *out, const struct node *n, const char *called)
{
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < n->nname; i++) {
		if (!strcmp(n->name[i], called))
			continue;
		if (shown == NAMES_SHOWN) {
			left++;
			continue;
		}
		buf_adds(out, shown++ ? " " : "");
		add_shown(out, n->name[i]);
	}
	if (left)
		buf_addf(out, " and %zu more", left);
}

/* ---- nodes ---------------------------------------------------------------------------------------------- */

static void describe_node(const struct sheet *s, const struct node *n);

static bool is_plain(const struct node *n)
{
	for (size_t i = 0; i < n->noption; i++) {
		if (n->option[i].acts && n->option[i].acts->n)
			return false;
	}
	return words_are_data(n) && !n->does.n && !n->nsub && !(n->special && *n->special);
}

static void sub_heads(struct buf *out, const struct node *n)
{
	for (size_t k = 0; k < n->nname; k++) {
		buf_adds(out, k ? " " : "");
		if (strcmp(n->name[k], "*"))
			add_shown(out, n->name[k]);
		else
			buf_adds(out, "any other");
	}
}

/* The harmless subcommands together, then each of the others. */
static void subs_of(const struct sheet *s, const struct node *n)
{
	const struct sheet in = { s->out, s->indent + DESCRIBE_INDENT, s->width };
	struct buf text;

	if (!n->nsub)
		return;
	buf_init(&text, TEXT_MAX);
	for (size_t i = 0; i < n->nsub; i++) {
		if (!is_plain(&n->sub[i]))
			continue;
		buf_adds(&text, text.len ? " " : "");
		sub_heads(&text, &n->sub[i]);
	}
	if (text.len) {
		row(s, 0, "subcommands that touch nothing:", "");
		row(s, DESCRIBE_INDENT, "", buf_str(&text));
	}
	for (size_t i = 0; i < n->nsub; i++) {
		if (is_plain(&n->sub[i]))
			continue;
		buf_clear(&text);
		sub_heads(&text, &n->sub[i]);
		row(s, 14, "subcommand:", buf_str(&text));
		describe_node(&in, &n->sub[i]);
	}
	row(s, 0, n->open_sub ? "a first word that is no subcommand is a word like the others" :
				"a first word that is none of these is asked", "");
	buf_done(&text);
}

static void describe_node(const struct sheet *s, const struct node *n)
{
	struct buf about;

	buf_init(&about, TEXT_MAX);
	add_shown(&about, n->about ? n->about : "");
	if (about.len)
		row(s, 14, "about:", buf_str(&about));
	buf_done(&about);
	does_of(s, n);
	words_of(s, n);
	options_of_consequence(s, n);
	other_options(s, n);
	if (n->strict)
		row(s, 0, "an option that is not listed is asked", "");
	subs_of(s, n);
}

void describe_program(struct buf *out, const struct node *n, const char *called, unsigned width)
{
	const struct sheet s = { out, DESCRIBE_INDENT, width };
	struct buf names;

	buf_init(&names, TEXT_MAX);
	names_of(&names, n, called);
	if (names.len)
		row(&s, 14, "the same as:", buf_str(&names));
	buf_done(&names);
	if (is_plain(n))
		row(&s, 14, "by itself:", "nothing that the gate has to look at: its words touch no file and no other machine");
	describe_node(&s, n);
}

/* ---- in a few words ---------------------------------------------------------------------------------------- */

struct summary {
	struct buf	 text;
	const char	*said[4];
	size_t		 n;
	bool		 more;
};

static void say(struct summary *s, const char *what)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->said[i], what))
			return;
	}
	if (s->n == ARRAY_SIZE(s->said)) {
		s->more = true;
		return;
	}
	s->said[s->n++] = what;
	buf_adds(&s->text, s->text.len ? ", " : "");
	buf_adds(&s->text, what);
}

static void say_act(struct summary *s, const struct act *a)
{
	const char *what = a->verb == VERB_EFFECT ? effect_words[a->effect] : verb_words[a->verb].summary;

	if (what)
		say(s, what);
}

static void say_node(struct summary *s, const struct node *n)
{
	for (size_t i = 0; i < n->does.n; i++)
		say_act(s, &n->does.act[i]);
	for (size_t i = 0; i < n->noperands; i++) {
		for (size_t k = 0; k < n->operands[i].n; k++)
			say_act(s, &n->operands[i].slot[k]);
	}
	for (size_t i = 0; i < n->noption; i++) {
		for (size_t k = 0; n->option[i].acts && k < n->option[i].acts->n; k++)
			say_act(s, &n->option[i].acts->act[k]);
	}
	for (size_t i = 0; i < n->nsub; i++)
		say_node(s, &n->sub[i]);
}

char *describe_summary(const struct node *n)
{
	struct summary s = { .n = 0 };
	char *text;

	buf_init(&s.text, TEXT_MAX);
	say_node(&s, n);
	if (!s.text.len)
		buf_adds(&s.text, n->special && *n->special ? "is looked into" : "touches nothing");
	text = xasprintf("%s%s", buf_str(&s.text), s.more ? ", ..." : "");
	buf_done(&s.text);
	return text;
}

/* ---- hooks ------------------------------------------------------------------------------------------------ */

static const struct { const char *name, *words; } hooks[] = {
	{ "alias",		"what the alias stands for is judged when it is used; one over a known program is asked" },
	{ "at",			"the text that runs later is judged now" },
	{ "build",		"\"install\" among its words installs outside the workspace" },
	{ "builtin",		"a part of the shell: what it changes is followed through the line" },
	{ "chmod",		"which rights are given: a set-user-id bit is asked, the root or system trees are denied" },
	{ "cloud",		"a verb among its words tells reading (list, get, describe ...) from changing a cloud, which is asked; one that shows a secret is asked" },
	{ "cmake",		"what is built, installed or run by its -P and -E forms" },
	{ "cmd",		"the text behind /c is read as cmd.exe reads it" },
	{ "container",		"mounts of the host, privileged containers, and the command inside, which is judged" },
	{ "copy",		"which of its places are on another machine, what is written, sent or deleted" },
	{ "crontab",		"showing is harmless, changing or removing is asked" },
	{ "datastore",		"a verb among its words tells reading from changing a data store, which is asked" },
	{ "dd",			"if= is read and of= is replaced; a device is denied" },
	{ "disk",		"the operand that is a device is denied, an image file of the workspace is not" },
	{ "each-shell",		"each of its words is a line for a shell, judged by itself" },
	{ "each-task",		"each of its words is a command or a script of the project, judged by itself" },
	{ "echo",		"whether what it prints is a secret" },
	{ "editor",		"commands for the editor among its options: those that run a shell or write a file" },
	{ "env",		"the assignments and the command behind them" },
	{ "exec-option",	"the command that its option or its last words name, judged by itself" },
	{ "fd",			"the command behind -x and -X, judged for what was found" },
	{ "find",		"-exec, -delete, -fprint and their kin, judged for the directories that are searched" },
	{ "flock",		"the command that runs under the lock, judged by itself" },
	{ "framework",		"a verb among its words that changes a database is asked" },
	{ "gh-api",		"a request that changes something is asked" },
	{ "git",		"settings given with -c that git runs, and the subcommand" },
	{ "git-checkout",	"a branch, or files whose changes would be lost" },
	{ "git-config",		"a setting whose value git runs later" },
	{ "git-push",		"which branch of which remote, by force or not: force to a main branch is denied" },
	{ "git-remote",		"which host is reached" },
	{ "git-reset",		"with --hard: the changes that would be lost" },
	{ "git-restore",	"the files whose changes would be lost" },
	{ "git-rm",		"the files that are deleted" },
	{ "ip",			"a verb among its words that changes the network is asked" },
	{ "jobs",		"a verb among its words that changes jobs or their data is asked" },
	{ "kill",		"which process: one that this line started, any other, all of them (denied)" },
	{ "kubectl-get",	"whether it is a secret that is shown" },
	{ "language",		"a one-liner is asked, a file of the workspace runs like any program of it; installing for the user and publishing are asked" },
	{ "link",		"what the line does with the link afterwards, it does with the target" },
	{ "machines",		"a verb tells reading from changing virtual machines or clusters, which is asked" },
	{ "make",		"the recipes of the targets that would be made are read and judged" },
	{ "maven",		"a goal that publishes is asked" },
	{ "migrate",		"a verb among its words that changes a database is asked" },
	{ "netcat",		"which host is reached, and whether a shell is given to it (denied)" },
	{ "network-setup",	"a verb tells showing from changing the network or the firewall, which is asked" },
	{ "npx",		"the package that would be fetched and run; a known program is judged as itself" },
	{ "other-root",		"the command that runs inside, judged by itself" },
	{ "output-name",	"an output whose name says secret, password, token ... is asked" },
	{ "own-script",		"the script of package.json by this name is read and judged" },
	{ "pacman",		"asking is harmless, installing or removing is asked" },
	{ "pager",		"text behind +! that the pager runs" },
	{ "parallel",		"the command that is run for each input, judged with what is known of the inputs" },
	{ "php",		"the code behind -r, or the script" },
	{ "pip",		"from where packages come and where they go" },
	{ "powershell",		"the text of -Command and -EncodedCommand is read as PowerShell reads it" },
	{ "printenv",		"whether the environment or a secret of it is shown" },
	{ "publish-word",	"a word such as publish, deploy or release publishes, which is asked" },
	{ "python",		"the code behind -c, the module behind -m, or the script" },
	{ "redis",		"a command that changes or drops data is asked" },
	{ "run-after-dashes",	"the command behind -- is judged by itself" },
	{ "run-own",		"the program or the script of the project that it runs" },
	{ "service",		"a verb among its words that changes a service is asked" },
	{ "sql-client",		"SQL that changes or drops data is asked" },
	{ "sqlite",		"SQL and dot commands that change data, write files or run a shell" },
	{ "ssh",		"which host is reached, options that run something here, and the command there" },
	{ "state",		"what sbxterm relies on in the shell stays as it is" },
	{ "storage",		"a verb tells showing from changing what lies below the file systems, which is asked or denied" },
	{ "system-change",	"a verb tells showing from changing the system, which is asked" },
	{ "tar",		"what is written where, and options that run programs" },
	{ "task",		"the script of the project by this name is read and judged; one that by its name publishes is asked" },
	{ "task-name",		"a script or a program of the project: read and judged; one that by its name publishes is asked" },
	{ "tool-exec",		"the command that it runs, judged by itself" },
	{ "tool-run",		"the command behind a version, judged by itself" },
	{ "xargs",		"the command that it runs, judged with what is known of its input" },
	{ "yarn-again",		"what follows is judged as the words of another yarn" },
};

const char *describe_hook(const char *special)
{
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!strcmp(hooks[i].name, special))
			return hooks[i].words;
	}
	return NULL;
}

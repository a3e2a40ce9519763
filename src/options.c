#include "options.h"

#include <stddef.h>
#include <string.h>

#include "base/quote.h"

enum {
	NEW = 1 << CMD_NEW, ATTACH = 1 << CMD_ATTACH, LS = 1 << CMD_LS, KILL = 1 << CMD_KILL, RUN = 1 << CMD_RUN,
	CHECK = 1 << CMD_CHECK, EVERY = (1 << CMD_COUNT) - 1,
};

static const struct opt {
	const char	*name, *arg;	/* arg NULL: a switch */
	const char	*help;
	size_t		 off;		/* into struct options: bool or const char * */
	unsigned	 where;
	char		 s;		/* 0: long only */
} opts[] = {
#define OPT(s_, n_, a_, w_, f_, h_) { n_, a_, h_, offsetof(struct options, f_), w_, s_ }
	OPT('s', "session", "NAME", NEW, session, "name of the session (default: the directory's name)"),
	OPT('t', "target", "NAME", ATTACH | KILL, session, "which session (default: the only one)"),
	OPT('d', "detach", NULL, NEW, detach, "start it without showing it"),
	OPT('f', "file", "FILE", RUN, file, "run the lines of FILE, - is standard input"),
	OPT('c', "cwd", "DIR", NEW | RUN | CHECK, dir, "work in DIR: the workspace (default: here)"),
	OPT('p', "profile", "NAME", NEW | RUN | CHECK, profile, "sandbox profile (default: \"default\")"),
	OPT(0, "policy", "FILE", NEW | RUN | CHECK, policy, "policy file instead of ~/.config/sbxterm/policy.jsonc"),
	OPT(0, "on-ask", "deny", RUN, on_ask, "what becomes of a line that would be asked (deny)"),
	OPT('e', "errexit", NULL, RUN, errexit, "stop at the first line that fails or is refused"),
	OPT(0, "record", "F.cast", RUN, record, "record the terminal (asciicast v2, for asciinema play)"),
	OPT(0, "transcript", "F.jsonl", RUN, transcript, "write one JSON object for each command"),
	OPT(0, "json", NULL, CHECK, json, "print one JSON object"),
	OPT(0, "stdin", NULL, CHECK, batch, "read JSON objects, one a line, each with its own context"),
	OPT(0, "dialect", "NAME", CHECK, dialect, "the shell that would read LINE: bash, sh, zsh, fish, powershell, cmd (default: bash)"),
	OPT(0, "vars", "JSON", CHECK, vars, "variables of that shell: an object, null for one that is unset"),
	OPT(0, "git-state", "JSON", CHECK, git_state, "an object with tracked, dirty, branch, remote; files are then not looked at"),
	OPT(0, "explain", NULL, CHECK, explain, "print tree, expansion, effects and plan as well"),
	OPT('h', "help", NULL, EVERY, help, "show this text"),
	OPT('V', "version", NULL, EVERY, version, "show the version"),
};

static const struct cmd {
	const char	*name, *usage, *summary, *text;
} cmds[CMD_COUNT] = {
	[CMD_NEW] = { "new", "[new] [OPTIONS] [-- COMMAND [ARG...]]", "start a session here and show it",
		"Starts a gated, sandboxed bash (or COMMAND) full screen in the current directory. Where a session of\n"
		"this directory runs already, it is shown instead.\n\n"
		"In the session:  Ctrl-b d  leave it running and go     Ctrl-b Ctrl-b  type a Ctrl-b\n"
		"At a question:   y  run it once    n, Esc, Ctrl-C  do not    e  edit the line    ?  explain\n" },
	[CMD_ATTACH] = { "attach", "attach [-t NAME]", "show a running session",
		"Shows a session that was left with Ctrl-b d or whose terminal went away.\n" },
	[CMD_LS] = { "ls", "ls", "list the running sessions",
		"One line for each session: name, directory, age, clients, and whether a question waits.\n" },
	[CMD_KILL] = { "kill", "kill [-t NAME]", "end a session and everything in it",
		"Ends the session at once, with all that runs in it.\n" },
	[CMD_RUN] = { "run", "run [OPTIONS] (-f FILE|- | -- COMMAND [ARG...])", "run lines without a screen",
		"Runs lines through the same gate and sandbox. Output goes to standard output, refusals to standard\n"
		"error. Exit status: of the last command; 126 when a line was refused; 125 when sbxterm failed.\n" },
	[CMD_CHECK] = { "check", "check [OPTIONS] (LINE | --stdin)", "judge a line, run nothing",
		"Prints what the gate thinks of LINE in this directory with this environment.\n"
		"Exit status: 0 allow, 10 ask, 11 deny, 125 sbxterm failed.\n\n"
		"With --stdin each line of standard input is an object with cmd, and as far as they matter id, shell, cwd,\n"
		"home, vars, git, files. Each is answered in order by an object with id, verdict, rule, reason, us. A line that\n"
		"cannot be read is answered by an object with error, and the exit status is 1 at the end.\n" },
	[CMD_PROGRAMS] = { "programs", "programs (show NAME [SUBCOMMAND...] | list [PART] | check FILE)", "tell what is known of programs",
		"show NAME    what the gate knows of a program, in words: what it does, its options, its subcommands, examples\n"
		"list [PART]  the names of all that are known, or of those with PART in their name, one line each\n"
		"check FILE   is FILE a good description of programs, and do its examples get the verdicts that it says?\n\n"
		"Your own descriptions go to ~/.config/sbxterm/programs/NAME.json: see sbxterm-programs(5).\n"
		"Exit status: 0; 1 when FILE has a mistake or an example gets another verdict; 125 when NAME is not known.\n" },
};

/* Letters that are wrong, missing, too many, or two in the wrong order ("gti"). */
static size_t distance(const char *a, const char *b)
{
	size_t row[3][64], n = strlen(b);

	if (strlen(a) > 60 || n > 60)
		return 99;
	for (size_t k = 0; k <= n; k++)
		row[0][k] = k;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *now = row[i % 3], *up = row[(i + 2) % 3], *above = row[(i + 1) % 3];

		now[0] = i;
		for (size_t k = 1; k <= n; k++) {
			size_t best = up[k - 1] + (a[i - 1] != b[k - 1]);

			best = MIN(best, MIN(up[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				best = MIN(best, above[k - 2] + 1);
			now[k] = best;
		}
	}
	return row[strlen(a) % 3][n];
}

const char *options_nearest(const char *word, const char *const *name, size_t n)
{
	const char *best = NULL;
	size_t far = 3;		/* more than two slips of the finger is another word */

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, name[i]);

		if (d < far && d < strlen(name[i])) {
			far = d;
			best = name[i];
		}
	}
	return best;
}

static int unknown(const char *what, const char *dashes, const char *word, const char *const *name, size_t n,
		   struct err *e)
{
	const char *near = options_nearest(word, name, n);
	struct buf q;

	buf_init(&q, 256);
	quote_into(&q, word, MIN(strlen(word), 100u));
	if (near)
		err_set(e, 0, "unknown %s '%s%s': did you mean '%s%s'?", what, dashes, buf_str(&q), dashes, near);
	else
		err_set(e, 0, "unknown %s '%s%s': see sbxterm --help", what, dashes, buf_str(&q));
	buf_done(&q);
	return -1;
}

static int unknown_option(const char *dashes, const char *word, enum command c, struct err *e)
{
	const char *name[ARRAY_SIZE(opts)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		if (opts[i].where & (1u << c))
			name[n++] = opts[i].name;
	}
	/* A single letter is near to everything: only long names are guessed. */
	return unknown("option", dashes, word, name, strlen(dashes) > 1 ? n : 0, e);
}

static const struct opt *find(enum command c, char s, const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		const struct opt *o = &opts[i];

		if (!(o->where & (1u << c)))
			continue;
		if (s ? o->s == s : strlen(o->name) == len && strncmp(o->name, name, len) == 0)
			return o;
	}
	return NULL;
}

static void set_flag(struct options *out, const struct opt *o)
{
	*(bool *)((char *)out + o->off) = true;
}

static void set_value(struct options *out, const struct opt *o, const char *v)
{
	*(const char **)(void *)((char *)out + o->off) = v;
}

struct cursor { int argc; char **argv; int at; };

static int need_value(struct cursor *c, const struct opt *o, struct options *out, struct err *e)
{
	if (c->at + 1 >= c->argc)
		return err_set(e, 0, "option '--%s' needs a value: --%s %s", o->name, o->name, o->arg);
	set_value(out, o, c->argv[++c->at]);
	return 0;
}

static int take_long(struct cursor *c, struct options *out, struct err *e)
{
	const char *word = c->argv[c->at] + 2, *eq = strchr(word, '=');
	size_t len = eq ? (size_t)(eq - word) : strlen(word);
	const struct opt *o = find(out->command, 0, word, len);

	if (!o) {
		char name[64] = "";

		memcpy(name, word, MIN(len, sizeof(name) - 1));
		return unknown_option("--", name, out->command, e);
	}
	if (eq && !o->arg)
		return err_set(e, 0, "option '--%s' takes no value", o->name);
	if (eq)
		set_value(out, o, eq + 1);
	else if (!o->arg)
		set_flag(out, o);
	else
		return need_value(c, o, out, e);
	return 0;
}

static int take_short(struct cursor *c, struct options *out, struct err *e)
{
	for (const char *p = c->argv[c->at] + 1; *p; p++) {
		const struct opt *o = find(out->command, *p, NULL, 0);
		char letter[2] = { *p, '\0' };

		if (!o)
			return unknown_option("-", letter, out->command, e);
		if (!o->arg) {
			set_flag(out, o);
			continue;
		}
		if (!p[1])
			return need_value(c, o, out, e);
		set_value(out, o, p + 1);
		return 0;
	}
	return 0;
}

static int take_command(struct cursor *c, struct options *out, struct err *e)
{
	const char *name[CMD_COUNT];

	if (c->at >= c->argc || c->argv[c->at][0] == '-')
		return 0;
	for (int i = 0; i < CMD_COUNT; i++) {
		name[i] = cmds[i].name;
		if (strcmp(c->argv[c->at], name[i]) == 0) {
			out->command = (enum command)i;
			c->at++;
			return 0;
		}
	}
	return unknown("command", "", c->argv[c->at], name, CMD_COUNT, e);
}

static int check_programs(const struct options *o, struct err *e)
{
	static const struct { const char *name; int least, most; } verb[] = { { "show", 2, 9 }, { "list", 1, 2 }, { "check", 2, 2 } };
	const char *name[ARRAY_SIZE(verb)];

	for (size_t i = 0; i < ARRAY_SIZE(verb) && o->nrest; i++) {
		name[i] = verb[i].name;
		if (strcmp(o->rest[0], verb[i].name) == 0 && o->nrest >= verb[i].least && o->nrest <= verb[i].most)
			return 0;
		if (strcmp(o->rest[0], verb[i].name) == 0)
			return err_set(e, 0, "programs %s: see sbxterm programs --help for what it needs", verb[i].name);
	}
	if (!o->nrest)
		return err_set(e, 0, "programs: needs show NAME, list or check FILE");
	return unknown("word after programs", "", o->rest[0], name, ARRAY_SIZE(verb), e);
}

static int check(const struct options *o, struct err *e)
{
	if (o->help || o->version)
		return 0;
	if (o->on_ask && strcmp(o->on_ask, "deny") != 0)
		return err_set(e, 0, "--on-ask %s: only deny is possible", o->on_ask);
	if (o->command == CMD_RUN && !o->file == !o->nrest)
		return err_set(e, 0, "run: needs either -f FILE or -- COMMAND");
	if (o->batch && (o->nrest || o->json || o->explain || o->dialect || o->vars || o->git_state))
		return err_set(e, 0, "check: --stdin takes its lines and their context from standard input alone");
	if (o->command == CMD_CHECK && !o->batch && o->nrest != 1)
		return err_set(e, 0, "check: needs one LINE, quoted: sbxterm check 'rm -rf build'");
	if (o->command == CMD_PROGRAMS)
		return check_programs(o, e);
	if (o->nrest && (o->command == CMD_ATTACH || o->command == CMD_LS || o->command == CMD_KILL))
		return err_set(e, 0, "%s: takes no arguments; name a session with -t NAME", cmds[o->command].name);
	return 0;
}

int options_parse(int argc, char **argv, struct options *out, struct err *e)
{
	struct cursor c = { .argc = argc, .argv = argv, .at = 1 };

	*out = (struct options){ .command = CMD_NEW };
	if (take_command(&c, out, e) < 0)
		return -1;
	for (; c.at < argc; c.at++) {
		const char *w = argv[c.at];
		int rc;

		if (strcmp(w, "--") == 0) {
			c.at++;
			break;
		}
		if (w[0] != '-' || !w[1])
			break;
		rc = w[1] == '-' ? take_long(&c, out, e) : take_short(&c, out, e);
		if (rc < 0)
			return -1;
	}
	out->rest = argv + c.at;
	out->nrest = argc - c.at;
	return check(out, e);
}

static void print_opts(FILE *f, enum command c)
{
	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		const struct opt *o = &opts[i];
		char left[64];

		if (!(o->where & (1u << c)))
			continue;
		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", o->s ? '-' : ' ', o->s ? o->s : ' ', o->s ? "," : " ",
			 o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		fprintf(f, "  %-24s %s\n", left, o->help);
	}
}

static void help_all(FILE *f)
{
	fputs("sbxterm runs a shell in a sandbox and asks you before a command does something you may regret.\n"
	      "Every line is understood before it runs, confined while it runs, and on record afterwards.\n\n"
	      "usage:\n", f);
	for (int i = 0; i < CMD_COUNT; i++)
		fprintf(f, "  sbxterm %s\n      %s\n", cmds[i].usage, cmds[i].summary);
	fputs("\noptions of a new session:\n", f);
	print_opts(f, CMD_NEW);
	fprintf(f, "\n%s\n", cmds[CMD_NEW].text);
	fputs("try:\n"
	      "  sbxterm                            a session in this directory\n"
	      "  sbxterm check 'rm -rf \"$TMP/x\"'    what would the gate say?\n"
	      "  sbxterm run -- make test           one command, no screen\n\n"
	      "`sbxterm COMMAND --help` tells more, sbxterm(1) all of it.\n", f);
}

void options_help(FILE *f, const struct options *o, bool all)
{
	if (all) {
		help_all(f);
		return;
	}
	fprintf(f, "usage: sbxterm %s\n\n%s\noptions:\n", cmds[o->command].usage, cmds[o->command].text);
	print_opts(f, o->command);
}

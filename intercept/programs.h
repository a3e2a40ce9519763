/* intercept/programs.h - what programs do, as read from conf/programs/<family>.json
 *
 * A file describes one program or a family: how its words are read (options,
 * subcommands, operands) and what each part means. Meanings are "acts", one string
 * each:
 *
 *	[COND] VERB[:ARG] [phrase for the banner]
 *
 * COND is a list of atoms joined by ',' (and), each atom alternatives joined by '|':
 * "x" option -x/--x was given, "!x" it was not, "x=GLOB" its value matches,
 * "args=N", "args>N", "args<N" number of operands, "pipe" stdin is a pipe or heredoc.
 * VERB is what happens to the word (read, overwrite, delete, command, shell ...)
 * or an effect of the whole command (publish, infra ...). The files are validated by
 * conf/schema/program.schema.json; everything here is owned by struct programs and
 * read-only after loading.
 */
#ifndef INTERCEPT_PROGRAMS_H
#define INTERCEPT_PROGRAMS_H

#include "base/err.h"
#include "intercept/effect.h"

enum verb {
	VERB_DATA = 0,		/* the word means nothing to us */
	/* what happens to a path that the word names */
	VERB_READ, VERB_WRITE, VERB_OVERWRITE, VERB_EMPTY, VERB_DELETE, VERB_DELETE_TREE, VERB_MKDIR, VERB_MOVE,
	VERB_DEST, VERB_MODE, VERB_DEVICE, VERB_CHDIR, VERB_SECRET,
	/* the word leads to more code */
	VERB_COMMAND,		/* this word and all after it are a command */
	VERB_FOREIGN,		/* the same in a container or on another machine; ARG "text": text for its shell */
	VERB_SHELL,		/* text for a shell */
	VERB_SCRIPT,		/* a file in language ARG */
	VERB_CODE,		/* text in language ARG */
	VERB_SPLIT,		/* text that is split into words and put before the operands (env -S) */
	/* other kinds of words */
	VERB_HOST, VERB_URL, VERB_SEND, VERB_PROCESS, VERB_ASSIGN, VERB_PACKAGE,
	/* the whole command */
	VERB_EFFECT,		/* ->effect */
	VERB_STDIN,		/* standard input is code in language ARG */
	VERB_COUNT
};

struct cond_atom {
	const char	*name;
	const char	*value;		/* glob, or NULL */
	char		 op;		/* 0 given, '!' not given, '=' '<' '>' for counts and values */
	bool		 either;	/* joined to the next atom by '|' */
};

struct act {
	const struct cond_atom	*cond;
	size_t			 ncond;
	enum verb		 verb;
	enum effect_kind	 effect;
	const char		*arg;	/* "python", "user", NULL */
	const char		*what;	/* phrase, or NULL */
	bool			 many;	/* operand slot: takes any number of words */
};

struct acts { const struct act *act; size_t n; };

enum takes { TAKES_NONE = 0, TAKES_VALUE, TAKES_OPTIONAL };

struct option {
	const char		*name;		/* "-x" or "--long" */
	const char		*key;		/* first spelling without dashes: what conditions see */
	enum takes		 takes;
	const struct acts	*acts;
};

enum style {
	STYLE_GNU = 0,		/* options anywhere, bundling, long options may be abbreviated */
	STYLE_POSIX,		/* options end at the first operand */
	STYLE_LONG,		/* one dash, long names (find, java, terraform) */
	STYLE_RAW,		/* every word is an operand */
	STYLE_SLASH,		/* cmd.exe: /x, /x:value, joined /s/q; letters of any case */
	STYLE_DASH,		/* PowerShell: -Name, any unique beginning, -Name:value; letters of any case */
};

struct operands {
	const struct cond_atom	*cond;
	size_t			 ncond;
	const struct act	*slot;		/* one for each position; at most one of them is ->many */
	size_t			 n;
};

/* A program or a subcommand. */
struct node {
	const char *const	*name;
	size_t			 nname;
	const char		*about;
	const char		*special;	/* hook in C for a grammar that tables cannot say */
	enum style		 style;
	bool			 strict;	/* an option that is not listed is asked */
	bool			 plus;		/* words that start with + are options too */
	const struct option	*option;	/* sorted by name */
	size_t			 noption;
	const struct operands	*operands;	/* first whose condition holds */
	size_t			 noperands;
	struct acts		 does;
	const struct node	*sub;
	size_t			 nsub;
	bool			 open_sub;	/* a word that is no subcommand is an operand */
};

struct programs;

/* Loads every *.json of the directory. With @schema everything is read and checked at once, and the examples are
 * kept; without it a description is read when programs_find() first meets it, and one that cannot be read is as
 * unknown as one that is not there. */
int programs_load(const char *dir, const char *schema, struct programs **out, struct err *e);
void programs_free(struct programs *p);
const struct node *programs_find(struct programs *p, const char *name);	/* valid until programs_free() */
const struct node *programs_sub(const struct node *n, const char *name);	/* falls back to "*" */
size_t programs_count(const struct programs *p);	/* names */

const char *programs_name(const struct programs *p, size_t i);	/* in order of the names; NULL past the end */
const char *programs_file(const struct programs *p, const char *name);	/* that describes it; NULL: not known */

/**
 * programs_add() - Read a file that the system or the person has added
 * @p:		The shipped ones, and the files of weaker layers
 * @path:	A data file; whose it is is checked (conf/datafiles.h)
 * @schema:	conf/schema/program.schema.json
 * @e:		file:line:column, what was found, what was expected
 *
 * It may describe new programs. One that is described already it may describe anew only where the file says
 * "replace": true, and never one that a deny may be about: then the built-in rules would no longer see what they deny.
 *
 * Return: 0, or -1: then @p is not to be used any more.
 */
int programs_add(struct programs *p, const char *path, const char *schema, struct err *e);
bool programs_added(const struct programs *p, const char *name);	/* by programs_add(), not shipped */

/* The examples of the files that were read by the schema. Borrowed from @p. */
struct program_example {
	const char	*file, *line, *verdict;
	unsigned	 at_line, at_column;	/* where it stands in the file */
};
const struct program_example *programs_example(const struct programs *p, size_t i);	/* NULL past the end */

#endif /* INTERCEPT_PROGRAMS_H */

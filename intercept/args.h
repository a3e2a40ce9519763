/* intercept/args.h - read the words of a simple command by a program's table
 *
 * Finds options with their values (bundled, joined, abbreviated, after operands),
 * the chain of subcommands, and the operands. Nothing is judged here. Memory comes
 * from the judgement's arena. A word whose text is not known is taken as an operand,
 * and noted: it could have been an option.
 */
#ifndef INTERCEPT_ARGS_H
#define INTERCEPT_ARGS_H

#include "base/arena.h"
#include "intercept/programs.h"

#define ARGS_CHAIN 8

struct arg_option {
	const struct option	*option;	/* NULL: not in the table */
	const char		*name;		/* as in the table, else as written */
	const struct word	*value;		/* NULL: none */
	const struct word	*word;		/* where it stands */
	size_t			 index;		/* of that word in argv */
};

struct args {
	const struct simple	*cmd;
	const struct node	*chain[ARGS_CHAIN];	/* program, subcommand ... */
	size_t			 nchain;
	const struct arg_option	*option;
	size_t			 noption;
	const struct word *const *operand;
	const size_t		*operand_at;	/* index in argv of each operand */
	size_t			 noperand;
	const struct word	*unsure;	/* an unknown word that may have been an option */
	const struct word	*odd;		/* first option that a strict program does not list */
	const struct word	*bad_sub;	/* a subcommand that is not known, or unknown text in its place */
	bool			 dashdash;	/* "--" was seen */
	size_t			 dashdash_at;	/* index in argv of what follows */
};

/* @at: index in argv of the first word after the program's name. 0, or -1 when the arena is full. */
int args_parse(struct arena *mem, const struct node *program, const struct simple *cmd, size_t at, struct args *out);
const struct node *args_node(const struct args *a);		/* the innermost */
const struct arg_option *args_option(const struct args *a, const char *key);	/* last one given, or NULL */
bool args_has(const struct args *a, const char *key);		/* with or without dashes, any spelling */
bool args_cond(const struct args *a, const struct cond_atom *atom, size_t n);
/* PowerShell: the parameter that "-text" means there, by any unique beginning; NULL: none or several. */
const struct option *args_dash(struct arena *mem, const struct node *n, const char *text);
const char *args_value(const struct args *a, const char *key);	/* exact text of the value, or NULL */

#endif /* INTERCEPT_ARGS_H */

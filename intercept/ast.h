/* intercept/ast.h - the tree of a shell line (plain data, in the judgement's arena)
 *
 * Made by parse.c, read by the expander. Slices (text, len) point into the line or into
 * the arena and are not NUL-terminated; names are. Every span is in bytes of the line
 * as submitted, also for what came out of an alias or out of nested text.
 */
#ifndef INTERCEPT_AST_H
#define INTERCEPT_AST_H

#include <stdbool.h>

#include "intercept/cmdline.h"
#include "intercept/simple.h"

enum part_kind {
	PART_TEXT,	/* literal bytes */
	PART_PARAM,	/* $x ${...} */
	PART_COMMAND,	/* $(...) `...` */
	PART_ARITH,	/* $((...)) $[...] */
	PART_PROCESS,	/* <(...) >(...) */
};

enum param_op {
	PARAM_PLAIN = 0,
	PARAM_DEFAULT, PARAM_ASSIGN, PARAM_ERROR, PARAM_ALTERNATE,	/* - = ? + */
	PARAM_CUT_FRONT, PARAM_CUT_FRONT_LONG,				/* # ## */
	PARAM_CUT_BACK, PARAM_CUT_BACK_LONG,				/* % %% */
	PARAM_REPLACE, PARAM_REPLACE_ALL, PARAM_REPLACE_FRONT, PARAM_REPLACE_BACK,
	PARAM_UPPER, PARAM_UPPER_ALL, PARAM_LOWER, PARAM_LOWER_ALL,	/* ^ ^^ , ,, */
	PARAM_TOGGLE, PARAM_TOGGLE_ALL,					/* ~ ~~ (not documented by bash) */
	PARAM_SLICE,							/* :offset:length */
	PARAM_TRANSFORM,						/* @Q and friends */
};

struct ast_word;
struct ast;

struct ast_param {
	const char	*name;		/* "x", "1", "@", ... */
	struct ast_word	*index;		/* [expression], NULL: none */
	char		 all;		/* [@] or [*]: that character */
	bool		 bare;		/* $x without braces */
	bool		 length;	/* ${#x} */
	bool		 indirect;	/* ${!x} */
	char		 names;		/* ${!x*} or ${!x@}: that character */
	bool		 colon;		/* :- := :? :+ */
	bool		 requoted;	/* in "${x-arg}" the argument has quotes that are not around all of it */
	enum param_op	 op;
	char		 transform;
	struct ast_word	*arg, *arg2;
};

struct ast_part {
	struct ast_part		*next;
	enum part_kind		 kind;
	bool			 quoted;
	bool			 out;		/* process substitution: >( ) */
	const char		*text;
	size_t			 len;
	struct ast_param	*param;
	struct ast		*body;
	struct ast_word		*expr;		/* arithmetic, still to be expanded */
	struct span		 span;
};

struct ast_word {
	struct ast_word		*next;
	struct ast_part		*part;
	struct ast_assign	*assign;	/* NAME=value after export, declare, ... */
	struct span		 span;
};

struct ast_assign {
	struct ast_assign	*next;
	const char		*name;
	struct ast_word		*index;		/* name[index]= */
	bool			 append, array;
	struct ast_word		*value;		/* array: the elements, as words */
	struct span		 span;
};

struct ast_redir {
	struct ast_redir	*next;
	enum redir_op		 op;
	int			 fd;		/* -1: {var} */
	const char		*fdvar;
	bool			 raw;		/* heredoc with a quoted delimiter */
	struct ast_word		*target;	/* heredoc: the body */
	struct span		 span;
};

struct ast_case {
	struct ast_case		*next;
	struct ast_word		*pattern;
	struct ast		*body;
	bool			 fall;		/* ;& or ;;& */
	bool			 tests;		/* ;;&: the next one only when its pattern matches */
};

enum ast_kind {
	AST_SIMPLE, AST_LIST, AST_AND, AST_OR, AST_PIPE, AST_NOT, AST_TIME, AST_COPROC,
	AST_SUBSHELL, AST_GROUP, AST_IF, AST_WHILE, AST_UNTIL, AST_FOR, AST_CFOR, AST_SELECT, AST_CASE,
	AST_FUNCTION, AST_TEST, AST_ARITH, AST_KIND_COUNT
};
extern const char *const ast_name[AST_KIND_COUNT];

struct ast {
	struct ast		*next;		/* in a list or a pipeline */
	enum ast_kind		 kind;
	bool			 background;	/* followed by & */
	bool			 pipe_err;	/* followed by |& */
	bool			 has_in;	/* for, select: "in" was written */
	struct ast		*a, *b, *c;	/* list: a = first; if: condition, then, else; loops: condition, body */
	struct ast_word		*words;		/* simple: argv; for: the values; case: the subject; [[: all */
	struct ast_word		*expr[3];	/* ((: one; for ((: three, may be NULL */
	struct ast_assign	*assign;
	struct ast_redir	*redir;
	struct ast_case		*item;
	const char		*name;		/* function, loop variable, coproc */
	const char		*source;	/* function: its text */
	size_t			 source_len;
	struct span		 span;
};

#endif /* INTERCEPT_AST_H */

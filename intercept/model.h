/* intercept/model.h - the expander's model of a shell, shared by its modules only
 *
 * expand.c walks the tree, word.c, param.c, brace.c, glob.c and arith.c expand words,
 * builtin.c changes the state, output.c says what a command would print. Everything
 * lives in the judgement's arena; a NULL from it sets ->full and the walk ends.
 */
#ifndef INTERCEPT_MODEL_H
#define INTERCEPT_MODEL_H

#include <string.h>

#include "intercept/ast.h"
#include "intercept/expand.h"

/* ---- text that is known, partly known or not known ------------------------------------- */

enum piece_kind {
	PIECE_TEXT,
	PIECE_UNKNOWN,		/* any text */
	PIECE_GLOB,		/* a name that matches the pattern .text */
	PIECE_BREAK,		/* between the elements of "$@" and $*. Unquoted: .split, and .text is the first character
				 * of IFS (.why: it is not known); .solid: of $* */
};

struct piece {
	struct piece	*next;
	enum piece_kind	 kind;
	const char	*text;
	size_t		 len;
	bool		 quoted;	/* glob characters stand for themselves */
	bool		 split;		/* came from an unquoted expansion: IFS cuts it */
	bool		 solid;		/* unknown, but without blanks and glob characters (a number, mktemp) */
	bool		 joined;	/* what stands between the elements of "${a[*]#x}" */
	const char	*why;		/* unknown: the reason */
};

struct value {
	enum live_state		 state;		/* unknown: may be unset too */
	struct piece		*text;		/* scalar */
	size_t			 n;		/* array */
	const char *const	*key;
	struct piece *const	*val;
	const char		*why;
	bool			 exported, is_readonly, integer, nameref, lower, upper;
	bool			 flux;		/* the attributes depend on what ran */
};

/* ---- state ----------------------------------------------------------------------------- */

struct binding {
	struct binding	*next;		/* older ones; shared between states */
	const char	*name;		/* NULL: everything older is unknown */
	uint32_t	 hash;
	struct value	 value;
	struct ast	*fn;		/* function */
};

struct dirs {
	struct dirs	*next;
	const char	*path;		/* NULL: unknown */
};

enum {
	DOUBT_EXIT	= 1 << 0,	/* exit, a failed expansion, set -e: until the end of this shell */
	DOUBT_LEFT	= 1 << 1,	/* return, break, continue: until the end of the function or loop */
};

#define STATE_WHERE	4u

struct state {
	struct binding		*bind[LIVE_KIND_COUNT];
	unsigned		 nbind;
	const char		*cwd, *cwd_why;	/* as the shell names it ($PWD) */
	const char		*real;		/* the same without the links that cd went through */
	const char		*where[STATE_WHERE];	/* cwd NULL: it is one of these; none: it may be any */
	unsigned		 nwhere;
	struct dirs		*dirs;		/* below the current one */
	bool			 dirs_unknown;
	struct piece *const	*pos;		/* $1... */
	size_t			 npos;
	bool			 pos_unknown;
	const char		*arg0;		/* NULL: unknown */
	bool			 dead;		/* after exit: this side does not go on */
	unsigned		 doubt;		/* what follows may not run any more: DOUBT_ bits */
	bool			 new_shell;	/* a shell of its own: what is not exported is not there */
};

enum status { STATUS_UNKNOWN = 0, STATUS_OK, STATUS_FAIL };

/* What a command leaves: the state when it succeeds is the current one. */
struct outcome {
	enum status	 status;
	bool		 split;		/* .fail differs from the current state */
	struct state	 fail;
};

/* The list of NAME=(...) after declare and its like, until that runs. */
struct compound {
	struct compound	*next;
	const char	*name;
	struct value	 value;
};

struct capture {
	unsigned	 doubt;		/* that was there before */
	struct piece	*first, **tail;
	size_t		 n;		/* pieces; to notice a change */
};

struct call {				/* functions that are being walked */
	struct call		*up;
	const char		*name;
	struct binding		*locals;	/* values to put back */
	struct state		 ret;		/* joined states at `return` */
	bool			 returned;
};

struct loop {
	struct loop	*up;
	struct state	 cont, brk;	/* joined states at continue and break */
	bool		 has_cont, has_brk;
};

struct fn_def {
	struct fn_def	*next;
	struct ast	*fn;
	const char	*name;
	bool		 called;
};

struct expand {
	struct expand_in	 in;
	struct arena		*a;
	struct state		 st;
	struct capture		*cap;		/* inside $( ): what is printed */
	struct call		*call;
	struct loop		*loop;
	unsigned		 ncall;
	unsigned		 cond;		/* inside a condition: set -e does not count */
	struct fn_def		*defs;
	const struct simple	*pipe_from;
	const struct word	*stdin_text;
	const struct simple	*last, *via;
	const struct span	*at;		/* nested text: the span of all */
	const char		*text;		/* the nested text that is walked; NULL: the line itself */
	size_t			 line_at;	/* a place in it and the number of its line */
	unsigned		 line_no;
	unsigned		 flags;		/* SIMPLE_ bits for what is walked now */
	unsigned		 depth;		/* nested texts and substitutions */
	unsigned		 dry;		/* > 0: only the state matters, no callback */
	size_t			 steps;
	bool			 acted;		/* a program ran before: the files may have changed */
	bool			 ran;		/* the same without redirections: directories too */
	bool			 removed;	/* a command before may have removed a directory */
	struct compound		*compound;
	struct dirs		*made;		/* directories that commands before certainly made */
	bool			 maybe_made;	/* some that are not among them may be there too */
	bool			 nested_ran;	/* expand_nested() was called for the current command */
	enum dialect		 dialect;	/* of the text that is read now */
	bool			 stop;
	struct expand_gap	*gap;
	size_t			 ngap;
};

#define EXPAND_DEPTH	32u
#define EXPAND_CALLS	4u		/* a function inside itself: deeper */
#define EXPAND_STEPS	200000u
#define EXPAND_WORDS	65536u		/* words of one command */

static inline bool text_is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80)
		s++;
	return !*s;
}

bool model_ok(struct expand *x);	/* false: stop walking */
void model_gap(struct expand *x, struct span at, bool incomplete, const char *why);
void model_gap_rule(struct expand *x, struct span at, const char *rule, const char *why);
struct span model_span(const struct expand *x, struct span s);

/* pieces */
struct piece *piece_text(struct expand *x, const char *s, size_t len);
struct piece *piece_str(struct expand *x, const char *s);
struct piece *piece_unknown(struct expand *x, const char *why);
struct piece *piece_solid(struct expand *x, const char *why);
struct piece *piece_copy(struct expand *x, const struct piece *p);	/* the whole list */
const char *piece_exact(struct expand *x, const struct piece *p);	/* the list as text; NULL: not known */
bool piece_same(const struct piece *a, const struct piece *b);
void piece_append(struct piece ***tail, struct piece *list);

/* state: model.c */
const struct value *model_var(struct expand *x, const char *name);	/* never NULL, not for $1 and specials */
const struct binding *model_find(struct expand *x, enum live_kind kind, const char *name);
void model_set(struct expand *x, enum live_kind kind, const char *name, const struct value *v, struct ast *fn);
void model_set_text(struct expand *x, const char *name, struct piece *text);	/* keeps attributes */
void model_unset(struct expand *x, enum live_kind kind, const char *name);
void model_taint(struct expand *x, const char *why);
/* Join @other into @into. True when @into changed. */
bool model_join(struct expand *x, struct state *into, const struct state *other);
/* Characters are UTF-8 (1) or bytes (0) as LC_ALL, LC_CTYPE and LANG say; -1 unknown. */
int model_utf8(struct expand *x);
/* Names of variables that begin with @prefix, sorted; false: not known. */
bool model_names(struct expand *x, const char *prefix, struct value *out);
int model_option(struct expand *x, const char *name);			/* 1, 0, -1 unknown */
void model_set_option(struct expand *x, const char *name, int on);
/* One more place where the shell may be; false: too many. */
bool model_add_where(struct state *st, const char *real);
void model_chdir(struct expand *x, const char *path, const char *why);	/* sets PWD and OLDPWD too */
bool model_is_made(const struct expand *x, const char *path);
/* @path without links below what the line starts from, as far as the world knows them. */
const char *model_real(struct expand *x, const char *path);
/* "/a/./b/../c" without . and .. (as the shell's logical cd). NULL when out of memory. */
const char *model_path(struct expand *x, const char *cwd, const char *path);
const char *model_home(struct expand *x);				/* NULL: unknown */

/* words: word.c */
struct wordctx {
	struct expand	*x;
	struct piece	*first, **tail;
	struct word_var	*var;
	size_t		 nvar, cap;
	bool		 quoted;
	bool		 literal;	/* the rest of the word is not expanded */
	bool		 at;		/* "$@" or the like was in it */
	bool		 list;		/* a list was in it, quoted or not */
	bool		 drops;		/* zsh: what is empty in the end is no word */
	bool		 vanished;	/* "$@" without elements was in it: an empty word may be none */
	const char	*abort;		/* the shell would stop here: why */
};

/* An expansion may fail here: then the shell drops the rest of the line. */
static inline void word_may_stop(struct wordctx *c)
{
	c->x->st.doubt |= DOUBT_EXIT;
}

/* An expansion fails for certain: nothing of the command runs, and what is expanded after it may not be any more. */
static inline void word_stop(struct wordctx *c, const char *why)
{
	if (!c->abort)
		c->abort = why;
	word_may_stop(c);
}

struct words {
	struct word	*w;
	size_t		 n, cap;
	bool		 defer;		/* names are looked for when all words are expanded: what these run counts */
	struct pending	*pending;	/* word.c: the last one */
};

void word_init(struct wordctx *c, struct expand *x);
void word_parts(struct wordctx *c, const struct ast_part *p);
void word_add(struct wordctx *c, struct piece *list);
void word_note(struct wordctx *c, const char *name, const struct value *v, struct span at);
/* As an argument: braces, tilde, expansions, splitting, globs. */
void word_fields(struct wordctx *c, const struct ast_word *w, struct words *out);
/* Set ->defer of @out as the words ask for it, and in the end look for the names. */
void word_begin(const struct ast_word *w, struct words *out);
void word_end(struct wordctx *c, struct words *out);
/* Without braces, splitting and globs. @assign: a tilde counts after = and : too. */
struct piece *word_whole(struct wordctx *c, const struct ast_word *w, bool assign);
struct word word_finish(struct wordctx *c, const struct piece *p, struct span at);
void word_push(struct expand *x, struct words *out, struct word w);
/* As word_whole() without an assignment's tildes, but the elements of lists stay apart. */
void word_apart(struct wordctx *c, const struct ast_word *w);
/* The pieces as a glob pattern, quoted characters escaped; NULL: unknown. *magic: has glob characters. */
const char *word_pattern(struct expand *x, const struct piece *p, bool *magic);
const char *word_ifs(struct expand *x);	/* NULL: unknown */

void param_expand(struct wordctx *c, const struct ast_part *p);
/* What cutting @pattern off a name that only a glob pattern is known of leaves; NULL: cannot be told. */
struct piece *param_glob(struct expand *x, enum param_op op, const struct piece *text, const char *pattern);
struct value param_value(struct wordctx *c, const struct ast_param *q);	/* scalar or array of the parameter */

/* brace.c: each result is a list of parts. At most BRACE_MAX, then false. */
#define BRACE_MAX 4096
struct brace_list {
	struct ast_part	**part;
	size_t		  n, cap;
};
bool brace_expand(struct expand *x, struct ast_part *p, struct brace_list *out);

/* glob.c */
/* 1, 0; -1: not known (it takes too long, or depends on the locale). Characters are UTF-8. */
int glob_match(const char *pattern, const char *s, size_t len, bool fold);
/* The same where the locale may say that characters are bytes. */
int glob_in_locale(struct expand *x, const char *pattern, const char *s, bool fold);
bool glob_boundary(const char *s, size_t i);	/* no byte within a character */
/* The shortest or longest match at the front or back: its length, -1: none. */
long glob_front(const char *pattern, const char *s, size_t len, bool longest);
long glob_back(const char *pattern, const char *s, size_t len, bool longest);
/* Look at each option that a pattern may need, so that the shell is asked for all of them in one round. */
void glob_want(struct expand *x, const char *pattern);
/* Names that match, in order: 0 with *n (may be 0), -1 unknown. */
int glob_names(struct expand *x, const char *pattern, const char *const **names, size_t *n);

/* arith.c: 0 with *v, -1 when not known (*why). */
int arith_eval(struct wordctx *c, const char *text, long long *v, const char **why);

/* builtin.c */
bool builtin_is(const char *name);
/* State after the command ran; sets @o. */
void builtin_run(struct expand *x, const struct simple *s, struct outcome *o);
/* NAME[key]=text as it is for arithmetic. */
void builtin_store_element(struct expand *x, const char *name, const char *key, struct piece *text);
/* Expand NAME=(...) after the words @before, of which the first is declare or its like. */
void builtin_array(struct expand *x, const struct ast_assign *a, const struct words *before, const char **abort);
/* Expand one assignment into @out; @store: and do it. */
void builtin_assign(struct expand *x, const struct ast_assign *a, struct assign *out, bool store, const char **abort);
struct piece *builtin_word_piece(struct expand *x, const struct word *w);

/* output.c: what the command prints, into x->cap. */
void output_of(struct expand *x, const struct simple *s);
/* The text that printf with @argv (the format first) writes; NULL: not known. */
const char *output_printf(struct expand *x, const struct word *argv, size_t argc);
void output_unknown(struct expand *x, const char *why);

/* expand.c */
void expand_walk(struct expand *x, struct ast *n, struct outcome *o);
struct piece *expand_substitution(struct expand *x, struct ast *body, struct span at);
void expand_process(struct expand *x, struct ast *body, struct span at);
struct ast *expand_parse(struct expand *x, const char *text, size_t len, const struct span *at, bool script);

#endif /* INTERCEPT_MODEL_H */

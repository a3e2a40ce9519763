/* intercept/effects.h - what the simple commands of one line do
 *
 * One object for one judgement. Commands are added in the order in which the
 * expander finds them; what they leave behind on the line (files made, what was
 * fetched, what was read) is kept and used for the commands after them. All memory
 * comes from the arena. Programs are known by their data files; hooks in special.c
 * and gitfx.c read what tables cannot say, code.c reads inline code.
 */
#ifndef INTERCEPT_EFFECTS_H
#define INTERCEPT_EFFECTS_H

#include "intercept/args.h"
#include "intercept/expand.h"
#include "intercept/paths.h"

#define EFFECTS_DEPTH	24	/* commands inside commands, by wrappers */
#define EFFECTS_MAX	20000	/* effects of one line */

enum origin {
	ORIGIN_NONE = 0,	/* nothing feeds it: the terminal */
	ORIGIN_TEXT,		/* known text */
	ORIGIN_NETWORK,
	ORIGIN_FILE,		/* the file in ->file */
	ORIGIN_UNKNOWN,
};

/* What a command finds on its standard input, or what a file on the line was filled with. */
struct stream {
	enum origin		 origin;
	const char		*text;
	size_t			 len;
	const struct word	*file;
	struct span		 span;
};

/* A path that a command earlier on the line made or filled. */
struct made {
	const char	*abs;
	struct stream	 from;
	bool		 tree;		/* holds for everything below too */
	size_t		 after;		/* number of effects before it */
	bool		 fresh;		/* did not exist, or its old content is gone: deleting it loses nothing more */
};

enum {
	SEEN_NETWORK	= 1 << 0,	/* its output came from another machine */
	SEEN_SECRET	= 1 << 1,	/* its output holds a secret */
	SEEN_HOST	= 1 << 2,	/* talks to another machine */
};

struct seen {
	const struct simple	*cmd;
	unsigned		 flags;
};

/* A file of the project that the line runs: for the banner. */
struct source_file {
	const char	*path;
	unsigned	 line;		/* of the text in it; 0: lines are those of the text itself */
	bool		 no_line;	/* the text is named well enough by the path */
};

struct effects {
	struct arena		*mem;		/* borrowed, all of them */
	struct programs		*programs;
	const struct conf	*conf;
	const struct world	*world;
	const struct cmdline	*line;
	struct live		*live;
	struct expand		*expand;	/* NULL in unit tests: nested text is not walked */
	struct paths		 paths;
	struct effect		*effect;
	size_t			 n, cap;
	const struct simple	**cmd;
	size_t			 ncmd, capcmd;
	struct made		*made;
	size_t			 nmade, capmade;
	struct seen		*seen;
	size_t			 nseen, capseen;
	const char		*own_pid[8];	/* variables that hold the number of a job of this line */
	size_t			 nown;
	const struct source_file *file;		/* whose text is being judged; NULL: the line's own */
	const char		*path;		/* PATH as the line has set it; NULL: as the shell has it */
	unsigned		 depth;
	unsigned		 foreign;	/* > 0: what is added happens in a container or on another machine */
	unsigned		 scripts;	/* script files read */
	bool			 sourced;	/* a script of the workspace ran in this shell: it may define functions */
	bool			 too_big;
	struct cmdexe		*cmdexe;	/* the one that is being read, cmdexe.c; NULL: none */
	struct pwsh		*pwsh;		/* the same, pwsh.c */
	struct stages		*stages;	/* borrowed; NULL: nothing is measured */
	bool			 cmd_delayed;	/* cmd /v:on */
};

void effects_init(struct effects *fx);	/* after the borrowed members are set */
/* 0; -1 when a bound was hit (->too_big): what was found so far stands. */
int effects_add(struct effects *fx, const struct simple *s);
/* After the last one: what only the line as a whole shows. */
void effects_finish(struct effects *fx);

/* ---- for the hooks ---- */

/* An effect on a path (word may be NULL) or a plain one; returns it to be refined, never NULL. */
struct effect *effects_path(struct effects *fx, const struct simple *s, enum effect_kind kind, const struct word *w,
			    const char *what);
struct effect *effects_plain(struct effects *fx, const struct simple *s, enum effect_kind kind, const char *what);
/* The command that starts at argv[@at] of @s, run by it. */
int effects_command(struct effects *fx, const struct simple *s, size_t at);
/* The command that follows "--", whatever the program before it is; 0 when there is none. */
int effects_after_dashes(struct effects *fx, const struct simple *s);
/* The same, and text for a shell, in a container or on another machine: its files are not ours. */
int effects_foreign(struct effects *fx, const struct simple *s, size_t at);
int effects_foreign_text(struct effects *fx, const struct simple *s, const struct word *text);
/* @n words of their own as a command run by @s. */
int effects_words(struct effects *fx, const struct simple *s, const struct word *argv, size_t n);
/* Code in a language: "sh" text is walked, others are scanned. */
int effects_code(struct effects *fx, const struct simple *s, const char *lang, const struct word *code);
int effects_text(struct effects *fx, const struct simple *s, const char *lang, const char *text, size_t len,
		 struct span span);
/* A script file in @lang ("" = by its first line); arguments from argv[@at] on. */
int effects_script(struct effects *fx, const struct simple *s, const char *lang, const struct word *file, size_t at);
int effects_stdin_code(struct effects *fx, const struct simple *s, const char *lang);
void effects_host(struct effects *fx, const struct simple *s, const struct word *w, const char *url_or_host);
void effects_mark(struct effects *fx, const struct simple *s, unsigned flags);
unsigned effects_seen(const struct effects *fx, const struct simple *s);	/* of it and what feeds it */
const struct made *effects_made(const struct effects *fx, const char *abs);
void effects_make(struct effects *fx, struct made made);
struct stream effects_stdin(struct effects *fx, const struct simple *s);
struct word effects_word(const struct word *like, const char *text);	/* exact text, place of @like */
/* Does a substitution inside @w run a command one of whose words is @text? (pgrep sbxterm) */
bool effects_inside_says(const struct effects *fx, const struct word *w, const char *text);
/* Would the task or script called @name publish or destroy something? */
bool effects_task_is_risky(const char *name);
/* The last command of the substitutions inside a word, whose output it is made of. NULL: none. */
const struct simple *effects_inside(const struct effects *fx, const struct word *w);
/* A copy of a word that lives as long as the judgement; NULL when the arena is full. */
struct word *effects_keep(struct effects *fx, struct word w);
/* A file that a program runs by itself when it is there: read and judged, no effect of its own. */
int effects_startup(struct effects *fx, const struct simple *s, const char *lang, const struct word *blame, const char *path);
/* Text of a file, which is blamed by its name; @file is borrowed for the call, its path for the judgement. */
int effects_from_file(struct effects *fx, const struct simple *s, const char *lang, const char *text, struct span span,
		      const struct source_file *file);
bool effects_may_read(const struct effects *fx);	/* is another file of this line still read? */
/* A directory of the machine's own programs, with a program's name behind it? */
bool effects_in_bin(const char *abs);
bool effects_own_pid(const struct effects *fx, const char *name);	/* a variable that this line filled with $! */
bool effects_secret_name(const char *name);	/* a variable that holds a secret, by its name */
/* The generic reading of a command by its tables, for hooks that only add to it. */
int effects_tables(struct effects *fx, const struct args *a);

#endif /* INTERCEPT_EFFECTS_H */

/* intercept/cmdexe.h - read the lines of cmd.exe
 *
 * Reads a line as cmd.exe does: %VAR% first, then operators, carets and quotes, then !VAR!.
 * Each command becomes a struct simple and goes to effects_add(). What is not understood is an
 * effect of its own that asks; what was found before it stands. Bounded by the arena, by the
 * depth of effects.h and by CMDEXE_STEPS commands.
 */
#ifndef INTERCEPT_CMDEXE_H
#define INTERCEPT_CMDEXE_H

#include "intercept/effects.h"

#define CMDEXE_STEPS	5000u	/* commands that are walked, loops counted each time */

struct cmdexe;			/* variables and directory of one cmd.exe, intercept/cmdexe.c */

/* @text as lines run by @by (NULL: what was typed). @script: a batch file, else as typed. */
int cmdexe_text(struct effects *fx, const struct simple *by, const char *text, size_t len, struct span at, bool script);
/* cmd [/v:on] /c words, from any shell: the hook of the program "cmd". */
int cmdexe_command(struct effects *fx, const struct args *a);

/* The value of an environment variable as Windows has it, letters of any case. NULL: not set,
 * or *unknown. For PowerShell too. */
const char *cmdexe_variable(struct effects *fx, const char *name, bool *unknown);
/* "git.exe" -> "git": small letters, without the endings of programs. */
char *cmdexe_stem(struct arena *mem, const char *name);
/* Directory of a Windows shell (our form) back as it would be written there. */
char *cmdexe_native(struct arena *mem, const char *abs);

#endif /* INTERCEPT_CMDEXE_H */

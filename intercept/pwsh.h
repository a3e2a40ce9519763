/* intercept/pwsh.h - read the lines of PowerShell
 *
 * A reader of our own for commands, pipelines and expressions, and a walk over what it read
 * that keeps variables, the directory and what flows through a pipeline. Each command
 * becomes a struct simple and goes to effects_add(); cmdlets, their aliases and the methods of
 * .NET are data (conf/programs/powershell.json). What is not understood is an effect of its
 * own that asks; what was found before it stands. Bounded by the arena, by the depth of
 * effects.h, by PWSH_DEPTH levels of nesting and by PWSH_STEPS commands.
 */
#ifndef INTERCEPT_PWSH_H
#define INTERCEPT_PWSH_H

#include "intercept/effects.h"

#define PWSH_DEPTH	120u
#define PWSH_STEPS	5000u

struct pwsh;			/* one PowerShell: variables, functions, directory */

/* @text as run by @by (NULL: what was typed). In the scope of the PowerShell that is read now, if there is one. */
int pwsh_text(struct effects *fx, const struct simple *by, const char *text, size_t len, struct span at);
/* pwsh -Command, -EncodedCommand, -File from any shell: the hook of the program "powershell". */
int pwsh_command(struct effects *fx, const struct args *a);

#endif /* INTERCEPT_PWSH_H */

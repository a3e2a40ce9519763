/* intercept/winpath.h - paths as Windows writes them, for PowerShell and cmd.exe lines
 *
 * "C:\work\src" becomes "/c:/work/src", so that everything else knows one kind of path only:
 * the first name of a Windows path ends in a colon (a drive, "UNC:", "hklm:" ...). Letters
 * of either case are one letter there: what lies outside the workspace is made small, what
 * lies inside keeps its spelling. Purely lexical; nothing here looks at a disk.
 */
#ifndef INTERCEPT_WINPATH_H
#define INTERCEPT_WINPATH_H

#include "intercept/paths.h"

/* Is it one of our forms: "/c:/x"? */
bool winpath_is(const char *abs);
/* Is it written as Windows does: "C:\x", "\\server\x"? */
bool winpath_native(const char *text);
/* @text as a word of PowerShell or cmd.exe, seen from @cwd: in our form, or relative with
 * slashes. NULL when the arena is full. */
char *winpath_text(struct arena *mem, const struct cmdline *line, const char *text, const char *cwd);
enum zone winpath_zone(const struct cmdline *line, const char *abs);
unsigned winpath_flags(const struct cmdline *line, const char *abs);	/* PATH_ bits to add */
/* Does the pattern match a directory that Windows cannot do without, or a home? */
bool winpath_match_vital(const struct cmdline *line, const char *pattern);
/* A program file of the system or of an installed program: its name is what counts. */
bool winpath_is_bin(const char *abs);

/* A line whose directory is a Windows path: @out has its directories in our form, and @world is
 * asked with the paths as they were. Everything lives in @mem. NULL when the arena is full. */
bool winpath_line(const struct cmdline *line);
const struct world *winpath_world(struct arena *mem, const struct cmdline *line, const struct world *world,
				  struct cmdline *out);

#endif /* INTERCEPT_WINPATH_H */

/* intercept/fakeworld.h - a world described in JSON instead of the machine's
 *
 * For tests, the corpus runner and `check --stdin`. The description has the fields
 * of a corpus line: "cwd", "home", "vars", "git" {repo, tracked, dirty, branch,
 * remote}, "files" ["path", "link -> target", ...]. What is not described is
 * unknown, but for what the corpus promises: cwd is the root of a repository with
 * the remote "origin" and a feature branch checked out. An optional "content"
 * {"path": "text"} gives files their text.
 */
#ifndef INTERCEPT_FAKEWORLD_H
#define INTERCEPT_FAKEWORLD_H

#include "base/json.h"
#include "intercept/cmdline.h"
#include "intercept/live.h"
#include "intercept/world.h"

/* @desc is borrowed for the life of the world. */
struct world *fakeworld_new(const json *desc);
void fakeworld_free(struct world *w);
/* Are the fields of the types that they should be? A wrong type would be taken for "not known". */
int fakeworld_check(const json *desc, struct err *e);
/* The line (text borrowed from @desc) and the shell state that the description gives.
 * -1 when "cmd" is missing or "shell" is not known. */
int fakeworld_line(const json *desc, struct cmdline *line, struct err *e);
struct live *fakeworld_live(const json *desc);

#endif /* INTERCEPT_FAKEWORLD_H */

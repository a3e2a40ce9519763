/* src/run.h - `sbxterm run`: lines through the gate and the sandbox, without a screen */
#ifndef SRC_RUN_H
#define SRC_RUN_H

#include "options.h"

/* The exit status for the process; -1 with @e when sbxterm itself failed. */
int run_main(const struct options *o, struct err *e);

#endif /* SRC_RUN_H */

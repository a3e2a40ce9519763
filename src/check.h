/* src/check.h - `sbxterm check`: what the gate thinks of a line; runs nothing */
#ifndef SRC_CHECK_H
#define SRC_CHECK_H

#include "options.h"

enum { CHECK_ALLOW = 0, CHECK_ASK = 10, CHECK_DENY = 11 };	/* exit status */

int check_main(const struct options *o, struct err *e);

#endif /* SRC_CHECK_H */

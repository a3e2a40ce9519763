/* src/catalog.h - `sbxterm programs`: what is known of the programs that a line can name */
#ifndef SRC_CATALOG_H
#define SRC_CATALOG_H

#include "options.h"

/* Exit status of `programs check`; 125 is sbxterm's own failure, as everywhere. */
enum { CATALOG_GOOD = 0, CATALOG_MISTAKE = 1 };

int catalog_main(const struct options *o, struct err *e);

#endif /* SRC_CATALOG_H */

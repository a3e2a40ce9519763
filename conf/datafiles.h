/* conf/datafiles.h - files that a person or the administrator adds beside the shipped ones
 *
 * What such a file says loosens or tightens the gate, so it must be nobody else's: a regular file of root or of the
 * person, in a directory of root or of the person, neither writable by group or others, and not inside the workspace,
 * where a command could write it. Anything else is a mistake, not a file that is passed over in silence.
 */
#ifndef CONF_DATAFILES_H
#define CONF_DATAFILES_H

#include "conf/jsonc.h"

#define DATAFILES_MAX 256	/* files of one directory */

/* Called with the path of each file in order of the names; -1 ends it. */
typedef int datafiles_fn(void *arg, const char *path, struct err *e);

/* Every *.json of @dir (hidden ones left out); a directory that is not there has none. @workspace NULL: none. */
int datafiles_each(const char *dir, const char *workspace, datafiles_fn *fn, void *arg, struct err *e);
/* jsonc_load() of such a file: who owns it is looked at on the open file, so that it cannot be swapped in between. */
int datafiles_load(const char *path, const char *schema_path, struct jsonc **out, struct err *e);

/* Does @path lie below @workspace, by their real names? */
bool datafiles_inside(const char *path, const char *workspace);

#endif /* CONF_DATAFILES_H */

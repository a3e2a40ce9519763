/* src/client.h - what runs in the person's terminal: finds or starts a session, relays bytes, restores
 *
 * The client knows nothing of panes: typed bytes go to the server, its bytes go to the terminal. Whatever ends it,
 * the terminal is as it was found: by the client itself, and after kill -9 by the server, which holds a descriptor.
 */
#ifndef SRC_CLIENT_H
#define SRC_CLIENT_H

#include "options.h"

/* Each returns the exit status; on -1 @e says what is wrong (exit 125). */
int client_new(const struct options *o, struct err *e);
int client_attach(const struct options *o, struct err *e);
int client_ls(const struct options *o, struct err *e);
int client_kill(const struct options *o, struct err *e);

#endif /* SRC_CLIENT_H */

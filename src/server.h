/* src/server.h - one session's server: its socket, its clients, what they see
 *
 * server_start() makes the daemon; it returns in the caller once the session is up, or with the reason why it is
 * not. The server lives until its session ends; clients come and go. Every client is of our own uid (checked) and
 * still hostile: bounded frames, bounded output. A slow client never slows the pane: it gets no new picture until
 * it has taken the last one.
 */
#ifndef SRC_SERVER_H
#define SRC_SERVER_H

#include "host.h"

struct server_in {
	struct host_in	 host;
	const char	*name;		/* a valid session name */
	char *const	*command;	/* NULL: the gated shell */
	const char	*title;		/* of the command, for the status line */
	int		 rows, cols;	/* of the first client's terminal */
};

/* Errors of the daemon's start come back through @e. */
int server_start(const struct server_in *in, struct err *e);

#endif /* SRC_SERVER_H */

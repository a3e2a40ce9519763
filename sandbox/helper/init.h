/* sandbox/helper/init.h - what sbx-init and the spawner say to each other
 *
 * sbx-init KEEP NPROC PROGRAM ARGUMENT...
 *   KEEP	1: the program gets descriptor 3, 0: it gets only 0 to 2
 *   NPROC	process limit, 0 = none
 * Descriptor 0 and 1 are the terminal, 2 is where start-up errors go (the program gets the terminal there),
 * INIT_FD_STATUS is a SOCK_SEQPACKET socket on which it sends struct init_msg.
 */
#ifndef SANDBOX_HELPER_INIT_H
#define SANDBOX_HELPER_INIT_H

#define INIT_FD_EXTRA	3
#define INIT_FD_STATUS	4
#define INIT_NAME	"sbx-init"

enum init_type {
	INIT_HERE	= 'p',	/* from the process that becomes the program: its credentials say its pid */
	INIT_STARTED	= 's',	/* the program runs */
	INIT_FAILED	= 'f',	/* value: errno of exec or of what came before it */
	INIT_ENDED	= 'e',	/* value: wait status of the program */
};

struct init_msg {
	int	type;		/* enum init_type */
	int	value;
};

#endif /* SANDBOX_HELPER_INIT_H */

/* sandbox/helper/init.h - what sbx-init and the spawner say to each other
 *
 * sbx-init HAS NPROC PROGRAM ARGUMENT...
 *   HAS	sum of enum init_has
 *   NPROC	process limit, 0 = none
 * Descriptor 0 and 1 are the terminal, 2 is where start-up errors go (the program gets the terminal there),
 * INIT_FD_STATUS is a SOCK_SEQPACKET socket on which it sends struct init_msg. With INIT_HAS_STDIO 0 and 1 are what
 * the program gets, INIT_FD_ERR is its 2, and INIT_FD_TTY is the terminal of its session.
 */
#ifndef SANDBOX_HELPER_INIT_H
#define SANDBOX_HELPER_INIT_H

#define INIT_FD_EXTRA	3
#define INIT_FD_STATUS	4
#define INIT_FD_TTY	7
#define INIT_FD_ERR	8
#define INIT_NAME	"sbx-init"

enum init_has {
	INIT_HAS_EXTRA	= 1,	/* the program gets INIT_FD_EXTRA */
	INIT_HAS_STDIO	= 2,	/* its standard descriptors are given one by one */
};

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

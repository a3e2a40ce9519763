/* sandbox/keeper.h - the spawner process, and what it and the server say to each other
 *
 * Whole structs over a SOCK_SEQPACKET pair between two processes of one program: no versions, no byte order. A
 * frame of another size is a broken peer.
 */
#ifndef SANDBOX_KEEPER_H
#define SANDBOX_KEEPER_H

#include "base/err.h"

enum keeper_op { KEEPER_SPAWN = 1, KEEPER_JOIN, KEEPER_KILL };
/* A KEEPER_JOIN has the same descriptors; its ARGS are strings with their kind before them, its ARGV is sbx-init's. */
enum { KEEPER_DIR = 'd', KEEPER_WRITABLE = 'w', KEEPER_KEPT = 'k', KEEPER_ENV = 'e' };
#define KEEPER_ARGS_MAX	(4u << 20)

/* Descriptors of a KEEPER_SPAWN, in this order; from KEEPER_FD_EXTRA on only those whose bit is in .given. IN, OUT
 * and ERR: the program's own, else it gets the terminal there. */
enum { KEEPER_FD_SECCOMP, KEEPER_FD_ARGS, KEEPER_FD_ARGV, KEEPER_FD_SHELL, KEEPER_FD_WATCH, KEEPER_FD_EXTRA, KEEPER_FD_IN,
       KEEPER_FD_OUT, KEEPER_FD_ERR, KEEPER_FDS };
#define KEEPER_STDIO	(1u << KEEPER_FD_IN | 1u << KEEPER_FD_OUT | 1u << KEEPER_FD_ERR)

/* Where they are when bubblewrap starts: see helper/init.h and plan.h for the others. */
#define KEEPER_AT_SECCOMP	5
#define KEEPER_AT_ARGS	6
#define KEEPER_AT_PIDFD	9	/* KEEPER_JOIN: closed before sbx-init */

struct keeper_req {
	uint32_t	op;		/* enum keeper_op */
	int32_t		id;
	int32_t		signo;		/* KEEPER_KILL */
	int32_t		base;		/* KEEPER_JOIN: the running child beside which it is started */
	int32_t		rows, cols;
	uint32_t	nnull;		/* see plan_nnull() */
	uint32_t	given;		/* 1 << KEEPER_FD_... */
	uint32_t	stdio;		/* sbx-init was told INIT_HAS_STDIO */
};

#define KEEPER_TEXT	(2 * 1024)

enum keeper_type { KEEPER_STARTED = 1, KEEPER_FAILED, KEEPER_EXITED, KEEPER_HELD };

struct keeper_msg {
	uint32_t	type;		/* enum keeper_type; KEEPER_STARTED carries the PTY master */
	int32_t		id;
	int32_t		pid;		/* of bubblewrap's outermost process */
	int32_t		command_pid;	/* of the command itself, host view; 0 unknown */
	int32_t		status;		/* KEEPER_EXITED */
	/* KEEPER_FAILED: words. KEEPER_HELD: a path, NUL, where it is kept (empty: it could not be, and what could
	 * write to it was ended), NUL; cut when longer. */
	char		text[KEEPER_TEXT];
};

/* The spawner process itself: never returns. @sock is all it keeps. */
void keeper_main(int sock) __attribute__((noreturn));

#endif /* SANDBOX_KEEPER_H */

/* src/proc.h - what /proc tells of a process, for tripwires: attention, never permission */
#ifndef SRC_PROC_H
#define SRC_PROC_H

#include <stdbool.h>
#include <sys/types.h>

struct proc {
	char	name[16];	/* as the process calls itself: untrusted */
	char	state;		/* R S D T Z ..., 0 unknown */
	pid_t	parent;		/* 0 unknown */
};

int proc_look(pid_t pid, struct proc *out);	/* -1: there is none, or it cannot be told; @out is zeroed */
/* Started with nothing but options: an interpreter then reads lines from the terminal. */
bool proc_is_bare(pid_t pid);
bool proc_is_gone(pid_t pid);

#endif /* SRC_PROC_H */

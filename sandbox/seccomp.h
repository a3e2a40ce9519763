/* sandbox/seccomp.h - the system calls that nothing in a sandbox may make
 *
 * Everything is allowed but a list (seccomp.c has the reason beside each line). What programs probe for and can do
 * without answers ENOSYS, so that they take their other way; the rest EPERM. Numbers of other calling conventions
 * (x32, 32-bit) answer ENOSYS.
 *
 * ptrace(2) and process_vm_readv(2) are refused as a whole: the shell whose lines the gate judges must not be
 * steered by what it started, and a filter cannot tell whose process is meant. So debuggers and strace do not
 * work inside, and LeakSanitizer needs ASAN_OPTIONS=detect_leaks=0.
 */
#ifndef SANDBOX_SECCOMP_H
#define SANDBOX_SECCOMP_H

#include "base/buf.h"
#include "base/err.h"

#define SECCOMP_PROGRAM_MAX (64u << 10)

/* Append the program (struct sock_filter[], as bwrap --seccomp reads it) to @out. Return: 0 or -1. */
int seccomp_program(struct buf *out, struct err *e);

#endif /* SANDBOX_SECCOMP_H */

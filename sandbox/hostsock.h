/* sandbox/hostsock.h - the pathname sockets that programs of the host listen on
 *
 * A read-only mount does not stop connect(2), so the plan covers each one that would still be reachable. Found in
 * /proc/net/unix, and among the mount points (a container is often given its engine's socket as a file mount).
 */
#ifndef SANDBOX_HOSTSOCK_H
#define SANDBOX_HOSTSOCK_H

#include "base/err.h"

/* @path is real and borrowed. Return 0 to go on; else the walk ends with that value. */
typedef int hostsock_fn(const char *path, void *arg, struct err *e);

/* Return: 0, what @fn returned, or -1 when the list cannot be read (then nothing is known: do not start). */
int hostsock_each(hostsock_fn *fn, void *arg, struct err *e);

#endif /* SANDBOX_HOSTSOCK_H */

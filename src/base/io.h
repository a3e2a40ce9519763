/* base/io.h - whole reads and writes, descriptors, small files
 *
 * All retry on EINTR. Descriptors made here are close-on-exec.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

int io_write_all(int fd, const void *p, size_t len);	/* 0, or -1 with errno */
ssize_t io_read_full(int fd, void *p, size_t len);	/* bytes until end or @len; -1 with errno */
int io_nonblock(int fd);
int io_cloexec(int fd);
/* Append all of @fd to @b; -1 with EFBIG when it does not fit. */
int io_slurp_fd(int fd, struct buf *b);
int io_slurp(const char *path, struct buf *b, struct err *e);
int io_mkdirs(const char *path, mode_t mode, struct err *e);	/* like mkdir -p */
/* Send or receive one message with at most @nfds descriptors (SCM_RIGHTS). */
int io_send_fds(int sock, const void *p, size_t len, const int *fds, size_t nfds);
/* Returns bytes received (0 at end), -1 with errno; *nfds is in: room, out: got. */
ssize_t io_recv_fds(int sock, void *p, size_t len, int *fds, size_t *nfds);
uint64_t io_now_ns(void);	/* CLOCK_MONOTONIC */
int io_random(void *p, size_t len);	/* getrandom; 0 or -1 */

#endif /* BASE_IO_H */

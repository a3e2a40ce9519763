#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IO_MAX_FDS 16

int io_write_all(int fd, const void *p, size_t len)
{
	const char *s = p;

	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t io_read_full(int fd, void *p, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, (char *)p + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int io_nonblock(int fd)
{
	int fl = fcntl(fd, F_GETFL);

	return fl < 0 ? -1 : fcntl(fd, F_SETFL, fl | O_NONBLOCK);
}

int io_cloexec(int fd)
{
	int fl = fcntl(fd, F_GETFD);

	return fl < 0 ? -1 : fcntl(fd, F_SETFD, fl | FD_CLOEXEC);
}

int io_slurp_fd(int fd, struct buf *b)
{
	char chunk[65536];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			return 0;
		if (buf_add(b, chunk, (size_t)n) < 0) {
			errno = EFBIG;
			return -1;
		}
	}
}

int io_slurp(const char *path, struct buf *b, struct err *e)
{
	CLEANUP(cleanup_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(e, errno, "open %s", path);
	if (io_slurp_fd(fd, b) < 0)
		return err_set(e, errno, "read %s", path);
	return 0;
}

int io_mkdirs(const char *path, mode_t mode, struct err *e)
{
	CLEANUP(cleanup_freep) char *p = xstrdup(path);

	for (char *s = p + 1; ; s++) {
		char c = *s;

		if (c != '/' && c != '\0')
			continue;
		*s = '\0';
		if (mkdir(p, mode) < 0 && errno != EEXIST)
			return err_set(e, errno, "mkdir %s", p);
		if (c == '\0')
			return 0;
		*s = c;
	}
}

int io_send_fds(int sock, const void *p, size_t len, const int *fds, size_t nfds)
{
	union {
		struct cmsghdr	h;
		char		b[CMSG_SPACE(sizeof(int) * IO_MAX_FDS)];
	} ctl = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)p, .iov_len = len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nfds > IO_MAX_FDS) {
		errno = EINVAL;
		return -1;
	}
	if (nfds) {
		struct cmsghdr *c;

		m.msg_control = ctl.b;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * nfds);
	}
	for (;;) {
		ssize_t n = sendmsg(sock, &m, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if ((size_t)n == len)
			return 0;
		return io_write_all(sock, (const char *)p + n, len - (size_t)n);
	}
}

static void take_fds(struct msghdr *m, int *fds, size_t room, size_t *got)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (*got < room)
				fds[(*got)++] = fd;
			else
				close(fd);
		}
	}
}

ssize_t io_recv_fds(int sock, void *p, size_t len, int *fds, size_t *nfds)
{
	union {
		struct cmsghdr	h;
		char		b[CMSG_SPACE(sizeof(int) * IO_MAX_FDS)];
	} ctl = { 0 };
	struct iovec iov = { .iov_base = p, .iov_len = len };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = ctl.b, .msg_controllen = sizeof(ctl.b),
	};
	size_t room = *nfds;
	ssize_t n;

	*nfds = 0;
	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		take_fds(&m, fds, room, nfds);
	return n;
}

uint64_t io_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int io_random(void *p, size_t len)
{
	char *s = p;

	while (len) {
		ssize_t n = getrandom(s, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

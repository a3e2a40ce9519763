/* tests/built.h - what the build made, for tests that run the real sandbox */
#ifndef TESTS_BUILT_H
#define TESTS_BUILT_H

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "tap.h"

static void copy_file(const char *from, const char *to, mode_t mode)
{
	CLEANUP(buf_done) struct buf b;
	struct err e;
	int fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, mode);

	buf_init(&b, 64u << 20);
	ok(io_slurp(from, &b, &e) == 0 && fd >= 0 && io_write_all(fd, b.data, b.len) == 0, to);
	close(fd);
}

/* build/VARIANT/tests/unit/sandbox -> build/sbx-init */
static char *built_init(void)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = '\0';
	for (int i = 0; i < 4 && strrchr(exe, '/'); i++)
		*strrchr(exe, '/') = '\0';
	return xasprintf("%s/sbx-init", exe);
}

#endif /* TESTS_BUILT_H */

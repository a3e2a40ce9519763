#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *need(void *p)
{
	static const char msg[] = "sbxterm: out of memory\n";

	if (p)
		return p;
	/* Nothing can be allocated, so nothing can be formatted either. */
	if (write(STDERR_FILENO, msg, sizeof(msg) - 1) < 0)
		abort();
	abort();
}

void *xcalloc(size_t n, size_t size)
{
	return need(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return need(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return need(strdup(s));
}

char *xmemdup0(const void *p, size_t len)
{
	char *s = xcalloc(len + 1, 1);

	if (len)
		memcpy(s, p, len);
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return need(n < 0 ? NULL : s);
}

void cleanup_freep(void *p)
{
	free(*(void **)p);
}

void cleanup_fdp(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(char *msg, int n)
{
	if (n >= ERR_MAX)
		memcpy(msg + ERR_MAX - 4, "...", 4);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	char text[ERR_MAX];
	va_list ap;
	int n;

	if (!e)
		return -1;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mark_cut(text, n);
	e->code = code;
	if (code)
		n = snprintf(e->msg, sizeof(e->msg), "%s: %s", text, strerror(code));
	else
		n = snprintf(e->msg, sizeof(e->msg), "%s", text);
	mark_cut(e->msg, n);
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char text[ERR_MAX], old[ERR_MAX];
	va_list ap;
	int n;

	if (!e)
		return -1;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mark_cut(text, n);
	memcpy(old, e->msg, sizeof(old));
	n = snprintf(e->msg, sizeof(e->msg), "%s: %s", text, old);
	mark_cut(e->msg, n);
	return -1;
}

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

void buf_clear(struct buf *b)
{
	b->full = false;
	buf_truncate(b, 0);
}

void buf_truncate(struct buf *b, size_t len)
{
	if (len > b->len || !b->data)
		return;
	b->len = len;
	b->data[len] = '\0';
}

static int reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 64;

	if (more > b->max || b->len > b->max - more) {
		b->full = true;
		return -1;
	}
	if (b->len + more + 1 <= b->cap)
		return 0;
	while (cap < b->len + more + 1)
		cap *= 2;
	b->data = xrealloc(b->data, cap, 1);
	b->cap = cap;
	return 0;
}

int buf_add(struct buf *b, const void *p, size_t len)
{
	if (reserve(b, len) < 0)
		return -1;
	if (len)
		memcpy(b->data + b->len, p, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0 || reserve(b, (size_t)n) < 0)
		return -1;
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
	return 0;
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buf_vaddf(b, fmt, ap);
	va_end(ap);
	return rc;
}

void buf_consume(struct buf *b, size_t len)
{
	if (len >= b->len) {
		buf_truncate(b, 0);
		return;
	}
	memmove(b->data, b->data + len, b->len - len);
	buf_truncate(b, b->len - len);
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_steal(struct buf *b)
{
	char *s = b->data ? b->data : xstrdup("");

	b->data = NULL;
	b->len = b->cap = 0;
	return s;
}

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ARENA_BLOCK 16384u
#define ARENA_ALIGN 16u

struct arena_block {
	struct arena_block	*next;
	size_t			 size, used;
	_Alignas(ARENA_ALIGN) char data[];
};

void arena_init(struct arena *a, size_t max)
{
	*a = (struct arena){ .max = max };
}

static void free_from(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
}

void arena_done(struct arena *a)
{
	free_from(a->head);
	*a = (struct arena){ 0 };
}

void arena_reset(struct arena *a)
{
	if (a->head) {
		free_from(a->head->next);
		a->head->next = NULL;
		a->head->used = 0;
	}
	a->used = 0;
	a->full = false;
}

static struct arena_block *block_new(size_t size)
{
	struct arena_block *b = xrealloc(NULL, sizeof(*b) + size, 1);

	*b = (struct arena_block){ .size = size };
	return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->head;
	void *p;

	if (size > a->max || a->used > a->max - size) {
		a->full = true;
		return NULL;
	}
	size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (!b || b->size - b->used < size) {
		b = block_new(MAX(size, (size_t)ARENA_BLOCK));
		b->next = a->head;
		a->head = b;
	}
	p = b->data + b->used;
	b->used += size;
	a->used += size;
	return memset(p, 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (p && len)
		memcpy(p, s, len);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	p = arena_alloc(a, (size_t)n + 1);
	if (!p)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

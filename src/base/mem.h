/* base/mem.h - allocation that cannot fail, scoped cleanup, small helpers
 *
 * Running out of memory ends the program on the spot (abort after one line on
 * stderr): nothing here returns NULL. Sizes from outside are bounded by the
 * caller before they get here.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CLEANUP(fn)	__attribute__((cleanup(fn)))
#define PRINTF(f, a)	__attribute__((format(printf, f, a)))
#define MUST_USE	__attribute__((warn_unused_result))
#define UNUSED		__attribute__((unused))
#define MIN(a, b)	((a) < (b) ? (a) : (b))
#define MAX(a, b)	((a) > (b) ? (a) : (b))

void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);	/* n * size is checked */
char *xstrdup(const char *s);
char *xmemdup0(const void *p, size_t len);	/* adds a NUL */
char *xasprintf(const char *fmt, ...) PRINTF(1, 2);

/* Take a pointer out of a CLEANUP variable. */
#define STEAL(p)	(__extension__({ __typeof__(p) steal_ = (p); (p) = NULL; steal_; }))

void cleanup_freep(void *p);	/* free(*(void **)p) */
void cleanup_fdp(int *fd);	/* close(*fd) when >= 0, errno kept */

#endif /* BASE_MEM_H */

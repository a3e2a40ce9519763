/* base/buf.h - a byte buffer with a hard maximum
 *
 * Whatever hostile input can fill has a maximum: an append that would pass it
 * leaves the buffer as it was, sets ->full and returns -1. The data is always
 * followed by a NUL that does not count, so ->data is a C string when the bytes
 * are text. A zeroed struct is an empty buffer with maximum 0 (takes nothing).
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/mem.h"

struct buf {
	char	*data;		/* owned; NULL until the first append */
	size_t	 len;
	size_t	 cap;
	size_t	 max;
	bool	 full;		/* an append was refused since the last buf_clear() */
};

void buf_init(struct buf *b, size_t max);
void buf_done(struct buf *b);
void buf_clear(struct buf *b);			/* keeps the memory */
void buf_truncate(struct buf *b, size_t len);	/* shorter only */
int buf_add(struct buf *b, const void *p, size_t len);
int buf_addc(struct buf *b, char c);
int buf_adds(struct buf *b, const char *s);
int buf_addf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
int buf_vaddf(struct buf *b, const char *fmt, va_list ap) PRINTF(2, 0);
void buf_consume(struct buf *b, size_t len);	/* drop bytes from the front */
const char *buf_str(const struct buf *b);	/* never NULL */
char *buf_steal(struct buf *b);			/* the caller frees; never NULL */

#endif /* BASE_BUF_H */

/* base/err.h - an error message on its way to the caller
 *
 * Plain data, lives on the caller's stack, never allocates. Functions that can
 * fail take a `struct err *` and return -1 through err_set() or err_wrap(). The
 * text reads like a sentence, outermost first:
 * "profile build: bind /nope: No such file or directory". NULL is accepted
 * where the caller does not care.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/mem.h"

#define ERR_MAX 512		/* bytes with the NUL; longer text ends in "..." */

struct err {
	int	code;		/* errno value, 0 when there is none */
	char	msg[ERR_MAX];
};

/* Set the text; strerror(@code) is appended when @code is not 0. Always -1. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF(3, 4);
/* Put "text: " before what is there. Always -1. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF(2, 3);

#endif /* BASE_ERR_H */

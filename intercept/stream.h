/* intercept/stream.h - what a command writes to its standard output, where it can be told
 *
 * echo, printf, cat of known text, decoders (base64, xxd -r, rev, tr ...) and pipes
 * of them. For what is fed into a shell; nothing is run.
 */
#ifndef INTERCEPT_STREAM_H
#define INTERCEPT_STREAM_H

#include "intercept/effects.h"

#define STREAM_MAX (256u << 10)	/* bytes of text that are followed */

struct stream stream_output(struct effects *fx, const struct simple *s);
/* The text that base64 (or hexadecimal digits) stands for. */
struct stream stream_decoded(struct effects *fx, const char *text, size_t len, bool hex);
/* Lines or NUL-separated names that @s prints: words in *@out. Unknown ones have a prefix where possible. */
size_t stream_names(struct effects *fx, const struct simple *s, const struct word **out);

#endif /* INTERCEPT_STREAM_H */

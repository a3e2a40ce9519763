/* intercept/codefold.h - say Python and JavaScript code plainly, by its syntax tree
 *
 * Writes the same code with names that stand for modules and their functions replaced
 * by what they stand for (imports with aliases, require, destructuring, __import__,
 * getattr), and with what is computed from constants replaced by the constant
 * (concatenation, join, f-strings, templates, base64, live environment variables, the
 * home and current directory). Loops over a list of constants are written once for each.
 * The result is for code.c to read, it is never run. A name counts only when the code
 * binds it once or always to the same, so that no order of execution can be wrong.
 */
#ifndef INTERCEPT_CODEFOLD_H
#define INTERCEPT_CODEFOLD_H

#include "intercept/effects.h"

#define CODEFOLD_NODES	30000u		/* of the tree */
#define CODEFOLD_DEPTH	150u
#define CODEFOLD_MAX	(256u << 10)	/* bytes of the result */

enum codefold_lang { CODEFOLD_PYTHON = 0, CODEFOLD_JS };

/* true: *@out (owned by the judgement) holds @*outlen bytes; false: the grammar finds a mistake in the
 * text or a bound was passed, and the text is to be read as it is. */
bool codefold(struct effects *fx, const struct simple *s, enum codefold_lang lang, const char *text, size_t len,
	      const char **out, size_t *outlen);

#endif /* INTERCEPT_CODEFOLD_H */

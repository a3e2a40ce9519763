/* base/quote.h - make hostile text safe and honest to show to a person
 *
 * Everything that is shown and did not come from us goes through here: command
 * lines, words, paths, variable values, titles, reasons with names in them. The
 * output is valid UTF-8 without control characters that moves the cursor forward
 * only, so that what is on the screen is what is in the bytes:
 *
 *   C0, DEL			\n \t \r \e \x07 ...
 *   bytes that are not UTF-8	\xff
 *   C1, bidi controls, zero
 *   width, tags, other
 *   invisibles, private use,
 *   unusual spaces		\u202e, \U000e0041
 *   right-to-left letters	\u05d0: a terminal may draw them in another order than they are in
 *   combining marks		kept on a letter (at most 2), else \u0301; overlays never
 *   look-alikes of ASCII	signs always (full-width, other slashes, dashes, quotes); letters where
 *				a word mixes them with Latin ones or is made of nothing else:
 *				\u0441at is marked, a file with an ordinary Russian name is not
 *   the backslash		as it is: escapes that we wrote are told apart by spans
 *
 * The escapes that quote wrote are reported as spans so that ui can draw them in
 * another colour; a real backslash in the text is not in a span.
 */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include "base/buf.h"

struct quote_span {
	size_t	from, to;	/* bytes of the output */
	size_t	src;		/* offset in the input of what was replaced */
};

struct quoted {
	struct buf		 text;		/* owned */
	struct quote_span	*span;		/* owned, in order */
	size_t			 nspan;
	unsigned		 what;		/* QUOTE_HAS_ bits: for a warning in words */
	size_t			 cut;		/* input bytes left out in the middle, 0 = whole */
};

enum {
	QUOTE_HAS_CONTROL	= 1 << 0,	/* but newline and tab, which are no surprise */
	QUOTE_HAS_INVALID	= 1 << 1,
	QUOTE_HAS_BIDI		= 1 << 2,
	QUOTE_HAS_INVISIBLE	= 1 << 3,
	QUOTE_HAS_LOOKALIKE	= 1 << 4,
};

/* Quote @len bytes. When the result would pass @max columns the middle is cut and
 * replaced by " ...(N bytes)... " (a span too): the end is always as visible as the beginning.
 * Under 40 columns the cut is "..." alone. @max 0: no limit but that of the input,
 * QUOTE_INPUT_MAX bytes, of which then the middle is cut. quoted_done() frees. */
#define QUOTE_INPUT_MAX	(256u << 10)
void quote_text(struct quoted *q, const char *s, size_t len, size_t max);
void quoted_done(struct quoted *q);
/* One-liner for logs and messages: appends to @out, newline as \n. */
void quote_into(struct buf *out, const char *s, size_t len);
/* "a bidirectional control and look-alike letters", or NULL when nothing is odd. */
char *quote_warning(unsigned what);	/* the caller frees */
/* A reason as a sentence: first letter upper case, a full stop at its end. A first word that is a name (a path, an
 * option, something with a digit) stays as it is. Quotes nothing. The caller frees. */
char *quote_sentence(const char *s);
/* Is it a control or something that is not drawn? For writers of other escapes (JSON). */
bool quote_hidden(uint32_t cp);
/* Columns that a code point takes on the terminal: 0, 1 or 2; -1 for controls. */
int quote_width(uint32_t cp);
/* Decode one code point; returns bytes used (>= 1), *cp = 0xFFFFFFFF when invalid. */
size_t quote_utf8(const char *s, size_t len, uint32_t *cp);

#endif /* BASE_QUOTE_H */

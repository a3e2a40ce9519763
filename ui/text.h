/* ui/text.h - a run of glyphs for the chrome: styled, measured, wrapped, cut in the middle
 *
 * A glyph is what must not be torn apart: a character with its marks, or one whole escape
 * that quote wrote. Text from outside comes in through text_quote() only; text_add() is for
 * our own words. Owned by the caller: text_init(), text_done().
 */
#ifndef UI_TEXT_H
#define UI_TEXT_H

#include "base/buf.h"
#include "ui/style.h"

struct glyph {
	uint32_t	off;		/* into ->bytes */
	uint8_t		len, width;
	uint8_t		style;		/* enum style */
	bool		brk;		/* a new row starts after it */
};

struct text {
	struct buf	 bytes;
	struct glyph	*g;		/* owned */
	size_t		 n, cap;
	unsigned	 odd;		/* QUOTE_HAS_ bits of what was quoted */
	size_t		 cut;		/* bytes that quote left out: longer than QUOTE_INPUT_MAX */
};

struct text_look {
	enum style	 style, escape;
	enum style	 blame, blame_escape;
	size_t		 from, to;	/* bytes of the input to blame; from == to: none */
	bool		 lines;		/* a newline also starts a new row */
};

extern const struct text_look text_code;	/* quoted, nothing blamed */

void text_init(struct text *t);
void text_done(struct text *t);
void text_add(struct text *t, enum style style, const char *s);
void text_addf(struct text *t, enum style style, const char *fmt, ...) PRINTF(3, 4);
void text_quote(struct text *t, const struct text_look *look, const char *s, size_t len);
void text_quote_str(struct text *t, enum style style, const char *s);	/* NULL is fine */

size_t text_width(const struct text *t, size_t from, size_t to);
/* End of the row that starts at @from and is at most @width columns; > @from unless at the end. Breaks
 * after a blank where that does not waste half of the row. */
size_t text_wrap(const struct text *t, size_t from, int width);
/* Start of the next row: in prose, blanks at a break are not shown. In code every blank counts. */
size_t text_next(const struct text *t, size_t at, bool prose);
size_t text_rows(const struct text *t, int width, bool prose);
/* First glyph of the longest tail that fits in @width; and end of the longest head. */
size_t text_tail(const struct text *t, size_t from, int width);
size_t text_head(const struct text *t, size_t to, int width);

#endif /* UI_TEXT_H */

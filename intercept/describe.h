/* intercept/describe.h - what is known of a program, in words for a person
 *
 * Everything comes from the description that the judge itself uses, so it cannot say something else than what is done.
 * Text of the data files goes through quote.
 */
#ifndef INTERCEPT_DESCRIBE_H
#define INTERCEPT_DESCRIBE_H

#include "base/buf.h"
#include "intercept/programs.h"

#define DESCRIBE_INDENT	2

/* What it does by itself and to its words, its options, its subcommands: lines of at most @width columns, as far as no
 * word is longer. @called: as the person calls it ("git push"). Cut at out->max. */
void describe_program(struct buf *out, const struct node *n, const char *called, unsigned width);
/* The same in a few words for a list: "deletes; reads"; the caller frees. */
char *describe_summary(const struct node *n);
/* Wrap @text at @width, @head in front of the first line, the others below its end or @column. */
void describe_row(struct buf *out, unsigned indent, unsigned column, unsigned width, const char *head, const char *text);
/* What a hook of special.c, gitfx.c or verbs.c looks at; NULL: not known. */
const char *describe_hook(const char *special);
/* Is there a word for it? (for the test that none is forgotten) */
bool describe_knows_verb(enum verb v);
bool describe_knows_effect(enum effect_kind k);

#endif /* INTERCEPT_DESCRIBE_H */

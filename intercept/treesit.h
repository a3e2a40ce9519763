/* intercept/treesit.h - syntax trees by the tree-sitter grammars, as a walk over their nodes
 *
 * The one place that knows the library. One parser for each grammar is made at its first use
 * and kept until the process ends; not for threads. Text of any length and shape is
 * bounded: past TREESIT_MAX bytes, or when the parser needs much more work than such a text
 * needs, there is no tree. The bound counts steps, not time: the same text gives the
 * same answer on every machine.
 */
#ifndef INTERCEPT_TREESIT_H
#define INTERCEPT_TREESIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREESIT_MAX	(256u << 10)	/* bytes */
#define TREESIT_DEPTH	2048u		/* levels below the root */

enum treesit_lang { TREESIT_BASH = 0, TREESIT_POWERSHELL, TREESIT_PYTHON, TREESIT_JAVASCRIPT, TREESIT_LANG_COUNT };

struct treesit_node {
	const char	*type;		/* the grammar's word for it; lives as long as the process */
	const char	*field;		/* its role in the parent, NULL: none */
	uint32_t	 from, to;	/* bytes of the text */
	uint16_t	 symbol;	/* number of the type: below treesit_symbols(), or an ERROR node's */
	bool		 named;		/* false: a token such as ";" */
	bool		 error;		/* text that the grammar could not place */
	bool		 missing;	/* a token that the text does not have */
	bool		 broken;	/* one of the two stands here or below */
	unsigned	 depth;		/* 0: the root */
};

enum treesit_go { TREESIT_STOP = 0, TREESIT_DOWN, TREESIT_OVER };	/* OVER: not what is below it */

/* Called for each node, parents first, in the order of the text. @n is valid during the call only. */
typedef enum treesit_go treesit_fn(void *arg, const struct treesit_node *n);

/* Parse and walk. 0: walked; -1: over a bound, or @fn stopped it. */
int treesit_walk(enum treesit_lang lang, const char *text, size_t len, treesit_fn *fn, void *arg);

/* For tables by symbol: the number of symbols of a grammar and their names (an unnamed token may
 * share its name with a rule). */
uint16_t treesit_symbols(enum treesit_lang lang);
const char *treesit_symbol_name(enum treesit_lang lang, uint16_t symbol, bool *named);

#endif /* INTERCEPT_TREESIT_H */

/* ui/page.h - what a banner says of a verdict: paragraphs in order, each with its label and its rank
 *
 * Every text is quoted and copied when it is made, bounded as text.h says and by PAGE_ITEMS; the verdict may go away. Knows
 * nothing of sizes: banner.c fits the paragraphs into the rows there are.
 */
#ifndef UI_PAGE_H
#define UI_PAGE_H

#include "intercept/verdict.h"
#include "ui/text.h"

#define PAGE_ITEMS	64	/* variables, targets, commands, effects that are listed one by one */

/* NONE stands over everything without an indent, SAME continues the label above. */
enum label { LABEL_NONE = 0, LABEL_SAME, LABEL_LINE, LABEL_MEANS, LABEL_BEWARE, LABEL_WHERE, LABEL_HITS, LABEL_GRANTS,
	     LABEL_INSTEAD, LABEL_RUNS, LABEL_DOES, LABEL_NOTE, LABEL_RULE, LABEL_COUNT };

/* Who gets rows first when they are short. Everything gets one row before anything gets two. */
enum rank { RANK_INSTEAD = 0, RANK_REASON, RANK_MEANS, RANK_LINE, RANK_VARS, RANK_HITS, RANK_REST, RANK_COUNT };

/* One paragraph of the banner. */
struct para {
	struct text	 text;
	enum label	 label;
	bool		 prose;		/* else it is code, shown to the byte */
	bool		 gap;		/* an empty row above, where there is room */
	int		 min;		/* rows below which nothing may be approved; 0: may be left out */
	enum rank	 rank;
	int		 rows;		/* of the last layout, were there room for all */
};

struct page {
	struct para	*para;
	size_t		 n, cap;
};

/* The paragraphs of the banner and of its explain page. @page is zeroed; page_done() gives back what is in it. */
void page_banner(struct page *pg, const struct verdict *v, const char *line, size_t len);
void page_explain(struct page *pg, const struct verdict *v, const char *line, size_t len);
void page_done(struct page *pg);
bool page_cut(const struct page *pg);	/* a text was too long to be held whole */

#endif /* UI_PAGE_H */

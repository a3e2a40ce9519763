/* term/seq.h - cut the bytes of a pane into terminal sequences, safely
 *
 * Stands before libvterm (design.md: known traps). Incremental: any cut of the input
 * gives the same events. Bounded: a string sequence (OSC, DCS, APC, PM, SOS) is kept
 * up to SEQ_STRING_MAX bytes and then dropped whole, with its end still recognised.
 * Follows ECMA-48 and the VT500 parser (vt100.net/emu/dec_ansi_parser): CAN, SUB and ESC abort a
 * sequence, C0 inside a CSI executes; in UTF-8 text 0x80-0x9f are continuation bytes, never C1.
 * Strings end with ESC \ (OSC also with BEL); another ESC in them drops the string. Their payload is
 * given whole, for DCS with its parameters ("$qm"); C0 is left out of it except in a DCS.
 * Where a feed ends may cut a text run into two events, never inside a character.
 */
#ifndef TERM_SEQ_H
#define TERM_SEQ_H

#include "base/buf.h"

#define SEQ_STRING_MAX	(1u << 20)	/* bytes of one OSC/DCS/APC payload */
#define SEQ_PARAM_MAX	32		/* parameters kept of one CSI; sub-parameters count */
#define SEQ_NUM_MAX	65535		/* larger numbers are clamped */

enum seq_kind {
	SEQ_TEXT,	/* valid UTF-8 run, no controls; invalid bytes were replaced by U+FFFD */
	SEQ_CTRL,	/* one C0 control */
	SEQ_ESC,	/* intermediates + final */
	SEQ_CSI,
	SEQ_OSC,
	SEQ_DCS,
	SEQ_APC, SEQ_PM, SEQ_SOS,
};

/* Of SEQ_TEXT only ->text and ->len are set, of SEQ_CTRL only ->final. */
struct seq {
	enum seq_kind	 kind;
	const char	*text;		/* text run; payload of a string sequence (NUL after it, may hold NULs) */
	size_t		 len;
	char		 leader;	/* CSI private marker: one of "<=>?" or 0 */
	char		 inter[2];	/* intermediates 0x20-0x2f */
	char		 final;
	int		 param[SEQ_PARAM_MAX];	/* -1: empty */
	bool		 sub[SEQ_PARAM_MAX];	/* true: joined to the one before by ':' */
	unsigned	 nparam;
	bool		 overflow;	/* had more parameters than are kept */
};

typedef void seq_fn(void *arg, const struct seq *s);	/* @s is borrowed */

struct seq_parser;
struct seq_parser *seq_new(seq_fn *fn, void *arg);
void seq_free(struct seq_parser *p);
void seq_feed(struct seq_parser *p, const char *data, size_t len);

#endif /* TERM_SEQ_H */

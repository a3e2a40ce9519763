#include "base/unicode.h"

/* Both rows begin with the range, so that one search serves both tables. */
struct class_range {
	uint32_t	from, to;
	uint8_t		class;
};

struct width_range {
	uint32_t	from, to;
	uint8_t		width;
};

#include "base/unicode-table.h"

static int range_order(const void *key, const void *row)
{
	const uint32_t *range = row;
	uint32_t cp = *(const uint32_t *)key;

	if (cp < range[0])
		return -1;
	return cp > range[1];
}

enum unicode_class unicode_class(uint32_t cp)
{
	const struct class_range *r;

	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp > 0x10ffff)
		return UNICODE_CONTROL;
	if (cp < 0x7f)
		return UNICODE_PLAIN;
	r = bsearch(&cp, class_table, ARRAY_SIZE(class_table), sizeof(class_table[0]), range_order);
	return r ? (enum unicode_class)r->class : UNICODE_PLAIN;
}

int unicode_width(uint32_t cp)
{
	const struct width_range *r;

	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp > 0x10ffff)
		return -1;
	if (cp < 0x300)			/* nothing below the combining marks is in the table */
		return 1;
	r = bsearch(&cp, width_table, ARRAY_SIZE(width_table), sizeof(width_table[0]), range_order);
	return r ? r->width : 1;
}

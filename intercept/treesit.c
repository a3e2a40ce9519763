#include "intercept/treesit.h"

#include <tree_sitter/api.h>

#include "base/mem.h"

/* The parser asks after every hundred steps. Real text takes about one question for 60 bytes; text made to
 * be hard takes more, and gets this many. */
#define ASK_BASE	400u
#define ASK_PER_BYTES	4u

const TSLanguage *tree_sitter_bash(void);
const TSLanguage *tree_sitter_powershell(void);
const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_javascript(void);

static const TSLanguage *(*const grammar[TREESIT_LANG_COUNT])(void) = {
	[TREESIT_BASH] = tree_sitter_bash, [TREESIT_POWERSHELL] = tree_sitter_powershell,
	[TREESIT_PYTHON] = tree_sitter_python, [TREESIT_JAVASCRIPT] = tree_sitter_javascript,
};

static const TSLanguage *language(enum treesit_lang lang)
{
	static const TSLanguage *made[TREESIT_LANG_COUNT];

	if (!made[lang])
		made[lang] = grammar[lang]();
	return made[lang];
}

static TSParser *parser(enum treesit_lang lang)
{
	static TSParser *made[TREESIT_LANG_COUNT];

	if (!made[lang]) {
		made[lang] = ts_parser_new();
		if (!ts_parser_set_language(made[lang], language(lang))) {
			ts_parser_delete(made[lang]);
			made[lang] = NULL;
		}
	}
	return made[lang];
}

struct source {
	const char	*text;
	size_t		 len;
	size_t		 asks;		/* that are left */
};

static const char *source_read(void *payload, uint32_t at, TSPoint point, uint32_t *n)
{
	const struct source *s = payload;

	(void)point;
	*n = at < s->len ? (uint32_t)(s->len - at) : 0;
	return at < s->len ? s->text + at : "";
}

static bool source_ask(TSParseState *state)
{
	struct source *s = state->payload;

	return s->asks-- == 0;		/* true: give up */
}

static TSTree *parse(enum treesit_lang lang, const char *text, size_t len)
{
	TSParser *p = parser(lang);
	struct source s = { .text = text, .len = len, .asks = ASK_BASE + len / ASK_PER_BYTES };
	TSInput in = { .payload = &s, .read = source_read, .encoding = TSInputEncodingUTF8 };
	TSParseOptions options = { .payload = &s, .progress_callback = source_ask };
	TSTree *tree;

	if (!p || len > TREESIT_MAX)
		return NULL;
	tree = ts_parser_parse_with_options(p, NULL, in, options);
	if (!tree)
		ts_parser_reset(p);	/* else the next text would go on from here */
	return tree;
}

static void describe(const TSTreeCursor *cursor, unsigned depth, struct treesit_node *n)
{
	TSNode node = ts_tree_cursor_current_node(cursor);

	*n = (struct treesit_node){
		.type = ts_node_type(node), .field = ts_tree_cursor_current_field_name(cursor),
		.from = ts_node_start_byte(node), .to = ts_node_end_byte(node), .symbol = ts_node_symbol(node),
		.named = ts_node_is_named(node), .error = ts_node_is_error(node), .missing = ts_node_is_missing(node),
		.broken = ts_node_has_error(node), .depth = depth,
	};
}

/* To the next node that does not lie below this one; false: there is none. */
static bool over(TSTreeCursor *cursor, unsigned *depth)
{
	while (!ts_tree_cursor_goto_next_sibling(cursor)) {
		if (!ts_tree_cursor_goto_parent(cursor))
			return false;
		--*depth;
	}
	return true;
}

static int walk(TSTreeCursor *cursor, treesit_fn *fn, void *arg)
{
	unsigned depth = 0;

	for (;;) {
		struct treesit_node n;
		enum treesit_go go;

		if (depth > TREESIT_DEPTH)
			return -1;
		describe(cursor, depth, &n);
		go = fn(arg, &n);
		if (go == TREESIT_STOP)
			return -1;
		if (go == TREESIT_DOWN && ts_tree_cursor_goto_first_child(cursor))
			depth++;
		else if (!over(cursor, &depth))
			return 0;
	}
}

int treesit_walk(enum treesit_lang lang, const char *text, size_t len, treesit_fn *fn, void *arg)
{
	TSTree *tree = parse(lang, text, len);
	TSTreeCursor cursor;
	int rc;

	if (!tree)
		return -1;
	cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	rc = walk(&cursor, fn, arg);
	ts_tree_cursor_delete(&cursor);
	ts_tree_delete(tree);
	return rc;
}

uint16_t treesit_symbols(enum treesit_lang lang)
{
	return (uint16_t)ts_language_symbol_count(language(lang));
}

const char *treesit_symbol_name(enum treesit_lang lang, uint16_t symbol, bool *named)
{
	*named = ts_language_symbol_type(language(lang), symbol) == TSSymbolTypeRegular;
	return ts_language_symbol_name(language(lang), symbol);
}

#include "term/keys.h"

#include <string.h>

#include "base/quote.h"

/*
 * Decoding: bytes collect in ->raw until they are one key. A state says what may follow. Nothing is
 * kept without a bound: a CSI longer than RAW_MAX or a string longer than STRING_MAX is eaten.
 */

#define RAW_MAX		128
#define STRING_MAX	4096
#define PARAMS		8
#define KITTY_ALL	8u	/* every key as an escape code */
#define KITTY_TEXT	16u	/* with the text it makes */

enum state { GROUND, UTF8, ESCAPE, CSI, SS3, X10, STRING, STRING_ESC, PASTE };

struct keys {
	keys_fn		*fn;		/* borrowed */
	void		*arg;		/* borrowed */
	enum state	 state;
	char		 raw[RAW_MAX];
	size_t		 nraw;
	bool		 too_long;
	unsigned	 want;		/* bytes that are missing: UTF8, X10 */
	struct buf	 string;	/* owned; OSC, DCS ... as they came */
	bool		 bel_ends;	/* it is an OSC */
	size_t		 paste_len;
	bool		 paste_started, paste_cut;
	unsigned	 held;		/* bytes of PASTE_END seen at the end of the text */
};

static const char paste_end[] = "\033[201~";
#define PASTE_END_LEN (sizeof(paste_end) - 1)

/* ---- tables that both directions share ----------------------------------------------------------- */

/* A key is ESC [ final (or ESC O final), or ESC [ number ~. */
static const struct named {
	enum key_name	name;
	int		number;
	char		final;
	bool		ss3;		/* the plain form is ESC O final; for cursor keys in their application mode */
} named[] = {
	{ KEYN_UP, 0, 'A', false },	{ KEYN_DOWN, 0, 'B', false },	{ KEYN_RIGHT, 0, 'C', false },
	{ KEYN_LEFT, 0, 'D', false },	{ KEYN_HOME, 0, 'H', false },	{ KEYN_END, 0, 'F', false },
	{ KEYN_F1, 0, 'P', true },	{ KEYN_F1 + 1, 0, 'Q', true },	{ KEYN_F1 + 2, 0, 'R', true },
	{ KEYN_F1 + 3, 0, 'S', true },	{ KEYN_INSERT, 2, 0, false },	{ KEYN_DELETE, 3, 0, false },
	{ KEYN_PGUP, 5, 0, false },	{ KEYN_PGDN, 6, 0, false },	{ KEYN_F1 + 4, 15, 0, false },
	{ KEYN_F1 + 5, 17, 0, false },	{ KEYN_F1 + 6, 18, 0, false },	{ KEYN_F1 + 7, 19, 0, false },
	{ KEYN_F1 + 8, 20, 0, false },	{ KEYN_F1 + 9, 21, 0, false },	{ KEYN_F1 + 10, 23, 0, false },
	{ KEYN_F12, 24, 0, false },
	/* other terminals' forms: only decoded, so they come last */
	{ KEYN_HOME, 1, 0, false },	{ KEYN_END, 4, 0, false },	{ KEYN_HOME, 7, 0, false },
	{ KEYN_END, 8, 0, false },	{ KEYN_F1, 11, 0, false },	{ KEYN_F1 + 1, 12, 0, false },
	{ KEYN_F1 + 2, 13, 0, false },	{ KEYN_F1 + 3, 14, 0, false },
};

/* Keys with a code of their own in CSI u, and their old byte. */
static const struct { enum key_name name; uint32_t code; char byte; } coded[] = {
	{ KEYN_ENTER, 13, '\r' }, { KEYN_TAB, 9, '\t' }, { KEYN_BACKSPACE, 127, 0x7f }, { KEYN_ESCAPE, 27, 0x1b },
};

/* kitty's private codes for keypad keys. */
static const struct { uint32_t code; enum key_name name; uint32_t cp; } keypad[] = {
	{ 57399, 0, '0' }, { 57400, 0, '1' }, { 57401, 0, '2' }, { 57402, 0, '3' }, { 57403, 0, '4' },
	{ 57404, 0, '5' }, { 57405, 0, '6' }, { 57406, 0, '7' }, { 57407, 0, '8' }, { 57408, 0, '9' },
	{ 57409, 0, '.' }, { 57410, 0, '/' }, { 57411, 0, '*' }, { 57412, 0, '-' }, { 57413, 0, '+' },
	{ 57414, KEYN_ENTER, 0 }, { 57415, 0, '=' }, { 57417, KEYN_LEFT, 0 }, { 57418, KEYN_RIGHT, 0 },
	{ 57419, KEYN_UP, 0 }, { 57420, KEYN_DOWN, 0 }, { 57421, KEYN_PGUP, 0 }, { 57422, KEYN_PGDN, 0 },
	{ 57423, KEYN_HOME, 0 }, { 57424, KEYN_END, 0 }, { 57425, KEYN_INSERT, 0 }, { 57426, KEYN_DELETE, 0 },
};

/* ---- decoding ------------------------------------------------------------------------------------ */

struct keys *keys_new(keys_fn *fn, void *arg)
{
	struct keys *k = xcalloc(1, sizeof(*k));

	k->fn = fn;
	k->arg = arg;
	buf_init(&k->string, STRING_MAX);
	return k;
}

void keys_free(struct keys *k)
{
	if (!k)
		return;
	buf_done(&k->string);
	free(k);
}

static void start_over(struct keys *k)
{
	k->state = GROUND;
	k->nraw = 0;
	k->too_long = false;
}

/* The bytes so far were this key. */
static void emit(struct keys *k, struct key *key)
{
	key->raw = k->raw;
	key->nraw = k->nraw;
	k->fn(k->arg, key);
	start_over(k);
}

static void emit_named(struct keys *k, enum key_name name, unsigned mod)
{
	emit(k, &(struct key){ .kind = KEY_NAMED, .name = name, .mod = mod });
}

static void emit_char(struct keys *k, uint32_t cp, unsigned mod)
{
	emit(k, &(struct key){ .kind = KEY_CHAR, .cp = cp, .mod = mod });
}

static void emit_reply(struct keys *k)
{
	emit(k, &(struct key){ .kind = KEY_REPLY, .text = k->raw, .len = k->nraw });
}

static void emit_byte(struct keys *k, unsigned char c, unsigned mod)
{
	for (size_t i = 0; i < ARRAY_SIZE(coded); i++) {
		if ((unsigned char)coded[i].byte == c) {
			emit_named(k, coded[i].name, mod);
			return;
		}
	}
	if (c == 0)
		emit_char(k, ' ', mod | KEY_CTRL);
	else if (c <= 0x1a)
		emit_char(k, 'a' + c - 1u, mod | KEY_CTRL);
	else if (c < 0x20)
		emit_char(k, '@' + (uint32_t)c, mod | KEY_CTRL);
	else
		emit_char(k, c, mod);
}

static bool raw_add(struct keys *k, unsigned char c)
{
	if (k->nraw == RAW_MAX)
		k->too_long = true;
	else
		k->raw[k->nraw++] = (char)c;
	return !k->too_long;
}

static unsigned utf8_more(unsigned char c)
{
	return c >= 0xf0 && c <= 0xf4 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;
}

/* A byte that begins a key; after ESC (already in ->raw) it has KEY_ALT. */
static void first_byte(struct keys *k, unsigned char c, unsigned mod)
{
	raw_add(k, c);
	if (c < 0x80) {
		emit_byte(k, c, mod);
	} else if (utf8_more(c)) {
		k->state = UTF8;
		k->want = utf8_more(c);
	} else {
		start_over(k);		/* no character: a broken line, not a key */
	}
}

static void utf8_done(struct keys *k)
{
	unsigned mod = k->raw[0] == 0x1b ? KEY_ALT : 0;
	size_t at = mod ? 1 : 0;
	uint32_t cp;

	if (quote_utf8(k->raw + at, k->nraw - at, &cp) != k->nraw - at || cp == 0xffffffffu)
		start_over(k);
	else
		emit_char(k, cp, mod);
}

/* ---- CSI ----------------------------------------------------------------------------------------- */

struct csi {
	char	leader, inter, final;
	int	v[PARAMS];		/* -1: empty */
	int	sub[PARAMS];		/* its first sub-parameter, -1: none */
	int	n;
};

static void csi_number(int *v, unsigned char c)
{
	*v = MIN(MAX(*v, 0) * 10 + (c - '0'), 0x110000);
}

/* "ESC [ ... final" in ->raw. False: not one that can be read. */
static bool csi_parse(const struct keys *k, struct csi *c)
{
	bool sub = false, second_sub = false;

	*c = (struct csi){ .n = 1, .v = { -1 }, .sub = { -1 } };
	for (size_t i = 2; i + 1 < k->nraw; i++) {
		unsigned char b = (unsigned char)k->raw[i];

		if (b >= '<' && b <= '?' && i == 2) {
			c->leader = (char)b;
		} else if (b >= '0' && b <= '9') {
			if (!second_sub)
				csi_number(sub ? &c->sub[c->n - 1] : &c->v[c->n - 1], b);
		} else if (b == ':') {
			second_sub = sub;
			sub = true;
		} else if (b == ';') {
			if (c->n == PARAMS)
				return false;
			sub = second_sub = false;
			c->v[c->n] = c->sub[c->n] = -1;
			c->n++;
		} else {
			c->inter = (char)b;
		}
	}
	c->final = k->raw[k->nraw - 1];
	return true;
}

/* xterm's modifier parameter: 1 + bits that are ours (higher ones are lock states and exotic keys). */
static unsigned csi_mod(const struct csi *c, int i)
{
	return i < c->n && c->v[i] > 1 ? (unsigned)(c->v[i] - 1) & 15 : 0;
}

/* @text: what the key makes, if that was told. */
static void key_by_code(struct keys *k, uint32_t cp, unsigned mod, uint32_t text)
{
	for (size_t i = 0; i < ARRAY_SIZE(coded); i++) {
		if (coded[i].code == cp) {
			emit_named(k, coded[i].name, mod);
			return;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(keypad); i++) {
		if (keypad[i].code == cp) {
			if (keypad[i].name)
				emit_named(k, keypad[i].name, mod);
			else
				emit_char(k, keypad[i].cp, mod);
			return;
		}
	}
	/* Other private codes are modifier and media keys: nothing that a program is told. */
	if (cp < 0x20 || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xf8ff)) {
		start_over(k);
		return;
	}
	/* Shift alone is the character it makes, as it is typed on a plain terminal. */
	if (!(mod & ~(unsigned)KEY_SHIFT)) {
		if (text)
			cp = text;
		else if (mod && cp >= 'a' && cp <= 'z')
			cp -= 'a' - 'A';
		mod = 0;
	}
	emit_char(k, cp, mod);
}

static void csi_kitty(struct keys *k, const struct csi *c)
{
	unsigned mod = csi_mod(c, 1);
	int text = -1;

	if (c->n > 1 && c->sub[1] == 3) {	/* a key that was let go */
		start_over(k);
		return;
	}
	if (c->n > 2)
		text = c->v[2];
	else if (mod & KEY_SHIFT)
		text = c->sub[0];	/* the code of the shifted key */
	key_by_code(k, (uint32_t)MAX(c->v[0], 0), mod, text >= 0x20 && text < 0x110000 ? (uint32_t)text : 0);
}

static void csi_tilde(struct keys *k, const struct csi *c)
{
	if (c->v[0] == 200) {
		start_over(k);
		k->state = PASTE;
		k->paste_len = 0;
		k->held = 0;
		k->paste_started = k->paste_cut = false;
		return;
	}
	if (c->v[0] == 27 && c->n == 3) {	/* modifyOtherKeys */
		key_by_code(k, (uint32_t)MAX(c->v[2], 0), csi_mod(c, 1), 0);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (named[i].number && named[i].number == c->v[0] && c->sub[1] != 3) {
			emit_named(k, named[i].name, csi_mod(c, 1));
			return;
		}
	}
	start_over(k);
}

static void mouse(struct keys *k, int b, int col, int row, bool press)
{
	struct key m = { .kind = KEY_MOUSE, .row = row - 1, .col = col - 1, .motion = b & 32 };

	m.button = (b & 3) | (b & 64);
	m.mod = (b & 4 ? KEY_SHIFT : 0u) | (b & 8 ? KEY_ALT : 0u) | (b & 16 ? KEY_CTRL : 0u);
	m.press = press;
	if (row < 1 || col < 1 || row > 65535 || col > 65535 || (b & ~127))
		start_over(k);
	else
		emit(k, &m);
}

/* A cursor or function key by its final byte. F3 looks like a cursor report: only with a 1 and modifiers. */
static bool csi_letter(struct keys *k, const struct csi *c)
{
	if (c->n > 2 || (c->n == 2 && c->v[0] != 1) || (c->n == 1 && c->v[0] > 1) || c->sub[1] == 3)
		return false;
	if (c->final == 'R' && (c->n != 2 || c->v[1] < 2 || c->v[1] > 16))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (named[i].final && named[i].final == c->final) {
			emit_named(k, named[i].name, csi_mod(c, 1));
			return true;
		}
	}
	return false;
}

static void csi_plain(struct keys *k, const struct csi *c)
{
	switch (c->final) {
	case '~': csi_tilde(k, c); return;
	case 'u': csi_kitty(k, c); return;
	case 'Z': emit_named(k, KEYN_TAB, csi_mod(c, 1) | KEY_SHIFT); return;
	case 'I': emit(k, &(struct key){ .kind = KEY_FOCUS_IN }); return;
	case 'O': emit(k, &(struct key){ .kind = KEY_FOCUS_OUT }); return;
	case 'M':	/* urxvt's mouse */
		if (c->n == 3)
			mouse(k, c->v[0] - 32, c->v[1], c->v[2], ((c->v[0] - 32) & 3) != 3);
		else
			start_over(k);
		return;
	default:
		if (!csi_letter(k, c))
			emit_reply(k);
	}
}

static void csi_done(struct keys *k)
{
	struct csi c;

	if (k->too_long || !csi_parse(k, &c)) {
		start_over(k);
		return;
	}
	if (c.leader == '<' && (c.final == 'M' || c.final == 'm') && c.n == 3)
		mouse(k, c.v[0], c.v[1], c.v[2], c.final == 'M');
	else if (c.leader || c.inter)
		emit_reply(k);
	else
		csi_plain(k, &c);
}

static void csi_byte(struct keys *k, unsigned char c)
{
	/* The Linux console has ESC [ [ A to E for F1 to F5. */
	bool console = k->nraw == 3 && k->raw[2] == '[';

	if (c == 0x1b || c == 0x18 || c == 0x1a || c >= 0x80) {
		start_over(k);
		if (c == 0x1b) {
			raw_add(k, c);
			k->state = ESCAPE;
		}
		return;
	}
	raw_add(k, c);
	if (console && c >= 'A' && c <= 'E') {
		emit_named(k, KEYN_F1 + (enum key_name)(c - 'A'), 0);
	} else if (k->nraw == 3 && c == 'M') {
		k->state = X10;
		k->want = 3;
	} else if (c >= 0x40 && c < 0x7f && !(k->nraw == 3 && c == '[')) {
		csi_done(k);
	}
}

static void x10_done(struct keys *k)
{
	int b = (unsigned char)k->raw[3] - 32;

	mouse(k, b, (unsigned char)k->raw[4] - 32, (unsigned char)k->raw[5] - 32, b & 64 || (b & 3) != 3 || b & 32);
}

static void escape_byte(struct keys *k, unsigned char c);

/* ---- SS3, strings, paste --------------------------------------------------------------------------- */

static void ss3_byte(struct keys *k, unsigned char c)
{
	raw_add(k, c);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (named[i].final && (unsigned char)named[i].final == c) {
			emit_named(k, named[i].name, 0);
			return;
		}
	}
	if (c == 'M')
		emit_named(k, KEYN_ENTER, 0);
	else if (c >= 'j' && c <= 'y')		/* the keypad in application mode */
		emit_char(k, c - 0x40u, 0);
	else
		start_over(k);
}

static void string_end(struct keys *k)
{
	emit(k, &(struct key){ .kind = KEY_REPLY, .text = buf_str(&k->string), .len = k->string.len });
	buf_clear(&k->string);
}

static void string_byte(struct keys *k, unsigned char c)
{
	if (k->state == STRING_ESC && c != '\\') {
		/* Not its end but the beginning of something else: the string was cut short. */
		start_over(k);
		raw_add(k, 0x1b);
		k->state = ESCAPE;
		escape_byte(k, c);
		return;
	}
	buf_addc(&k->string, (char)c);	/* a reply that is too long loses its end: nobody reads it */
	raw_add(k, c);
	if ((c == 0x07 && k->bel_ends) || k->state == STRING_ESC)
		string_end(k);
	else if (c == 0x18 || c == 0x1a)
		start_over(k);
	else
		k->state = c == 0x1b ? STRING_ESC : STRING;
}

static void paste_emit(struct keys *k, const char *s, size_t len, bool last)
{
	size_t room = KEYS_PASTE_MAX - k->paste_len;
	struct key key = { .kind = KEY_PASTE, .text = s, .len = MIN(len, room), .paste_last = last };

	if (len > room)
		k->paste_cut = true;
	if (!key.len && !last)
		return;
	key.paste_first = !k->paste_started;
	key.cut = last && k->paste_cut;
	k->paste_started = true;
	k->paste_len += key.len;
	k->fn(k->arg, &key);
}

/* Text until the end mark, of which a part may be held back from the last feed. Returns bytes used. */
static size_t paste_feed(struct keys *k, const char *s, size_t len)
{
	size_t i = 0, from = 0;

	while (i < len) {
		if (s[i] == paste_end[k->held]) {
			if (k->held == 0) {
				paste_emit(k, s + from, i - from, false);
				from = i;
			}
			i++;
			if (++k->held == PASTE_END_LEN) {
				paste_emit(k, "", 0, true);
				start_over(k);
				return i;
			}
		} else if (k->held) {
			/* It was text after all. */
			paste_emit(k, paste_end, k->held, false);
			k->held = 0;
			from = i;
		} else {
			i++;
		}
	}
	if (!k->held)
		paste_emit(k, s + from, len - from, false);
	return len;
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

static void escape_byte(struct keys *k, unsigned char c)
{
	switch (c) {
	case 0x1b:
		/* Two: the first was the key, the second may begin something. */
		emit_named(k, KEYN_ESCAPE, 0);
		raw_add(k, c);
		k->state = ESCAPE;
		return;
	case '[':
		raw_add(k, c);
		k->state = CSI;
		return;
	case 'O':
		raw_add(k, c);
		k->state = SS3;
		return;
	case ']': case 'P': case '_': case '^': case 'X':
		raw_add(k, c);
		k->state = STRING;
		k->bel_ends = c == ']';
		buf_clear(&k->string);
		buf_add(&k->string, k->raw, k->nraw);
		return;
	default:
		first_byte(k, c, KEY_ALT);
	}
}

static void byte(struct keys *k, unsigned char c)
{
	switch (k->state) {
	case GROUND:
		if (c == 0x1b) {
			raw_add(k, c);
			k->state = ESCAPE;
		} else {
			first_byte(k, c, 0);
		}
		break;
	case UTF8:
		if ((c & 0xc0) != 0x80) {
			start_over(k);
			byte(k, c);
			break;
		}
		raw_add(k, c);
		if (!--k->want)
			utf8_done(k);
		break;
	case ESCAPE: escape_byte(k, c); break;
	case CSI: csi_byte(k, c); break;
	case SS3: ss3_byte(k, c); break;
	case X10:
		raw_add(k, c);
		if (!--k->want)
			x10_done(k);
		break;
	case STRING: case STRING_ESC: string_byte(k, c); break;
	case PASTE: break;
	}
}

void keys_feed(struct keys *k, const char *data, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (k->state == PASTE)
			i += paste_feed(k, data + i, len - i);
		else
			byte(k, (unsigned char)data[i++]);
	}
}

/* What a person can type: ESC, or Alt with a character that also opens a sequence. */
bool keys_pending(const struct keys *k)
{
	return k->state != GROUND && k->state != PASTE && k->state != UTF8 && k->nraw <= 2;
}

void keys_timeout(struct keys *k)
{
	if (!keys_pending(k))
		return;
	if (k->nraw == 1)
		emit_named(k, KEYN_ESCAPE, 0);
	else
		emit_char(k, (unsigned char)k->raw[1], KEY_ALT);
}

/* ---- encoding -------------------------------------------------------------------------------------- */

static void put_utf8(struct buf *out, uint32_t cp)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	unsigned n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	char s[4];

	for (unsigned i = n; i-- > 1; cp >>= 6)
		s[i] = (char)(0x80 | (cp & 63));
	s[0] = (char)(lead[n > 1 ? n : 0] | cp);
	buf_add(out, s, n);
}

/* The byte of Ctrl with this character on a plain terminal; -1: there is none. */
static int ctrl_byte(uint32_t cp)
{
	static const char odd[] = "2\0" "3\033" "4\034" "5\035" "6\036" "7\037" "8\177" "/\037" "?\177" " \0";

	if ((cp >= 'a' && cp <= 'z') || (cp >= '@' && cp <= '_'))
		return (int)cp & 31;
	for (size_t i = 0; i + 1 < sizeof(odd); i += 2) {
		if ((uint32_t)odd[i] == cp)
			return odd[i + 1];
	}
	return -1;
}

static void put_csi_u(struct buf *out, uint32_t cp, unsigned mod, uint32_t text)
{
	buf_addf(out, "\033[%u", cp);
	if (mod || text)
		buf_addf(out, ";%u", mod + 1);
	if (text)
		buf_addf(out, ";%u", text);
	buf_addc(out, 'u');
}

static void char_plain(const struct key *k, struct buf *out)
{
	int c = k->mod & KEY_CTRL ? ctrl_byte(k->cp) : -1;

	if (k->mod & KEY_ALT)
		buf_addc(out, 0x1b);
	if (c >= 0)
		buf_addc(out, (char)c);
	else
		put_utf8(out, k->cp);
}

/* kitty names a key by what it makes without Shift. */
static void char_kitty(const struct key *k, const struct pane_modes *m, struct buf *out)
{
	unsigned mod = k->mod;
	uint32_t cp = k->cp, text = m->kitty_keys & KITTY_TEXT && !(mod & ~KEY_SHIFT) ? cp : 0;

	if (cp >= 'A' && cp <= 'Z') {
		cp += 'a' - 'A';
		mod |= KEY_SHIFT;
	}
	put_csi_u(out, cp, mod, text);
}

/* ESC and a character that came close together: the outer terminal tells no difference to Alt, so the program gets
 * what was typed and decides by its own clock. Made into a modified key, Escape and ":" would be neither. */
static bool came_as_escape(const struct key *k)
{
	return k->mod == KEY_ALT && k->nraw >= 2 && k->raw[0] == 0x1b && k->raw[1] != '[';
}

static void encode_char(const struct key *k, const struct pane_modes *m, struct buf *out)
{
	bool modified = k->mod & ~KEY_SHIFT;

	if (came_as_escape(k))
		char_plain(k, out);
	else if (m->kitty_keys & KITTY_ALL || (m->kitty_keys && modified))
		char_kitty(k, m, out);
	else if (m->kitty_keys == 0 && modified &&
		 (m->modify_other_keys == 2 ||
		  (m->modify_other_keys == 1 && k->mod & KEY_CTRL && (ctrl_byte(k->cp) < 0 || k->mod != KEY_CTRL))))
		buf_addf(out, "\033[27;%u;%u~", k->mod + 1, k->cp);
	else
		char_plain(k, out);
}

/* Enter, Tab, Backspace, Escape: old bytes that Shift and Ctrl do not change. */
static void encode_coded(const struct key *k, size_t i, const struct pane_modes *m, struct buf *out)
{
	bool escape = k->name == KEYN_ESCAPE;

	if (m->kitty_keys && (k->mod || escape || m->kitty_keys & KITTY_ALL)) {
		put_csi_u(out, coded[i].code, k->mod, 0);
	} else if (k->name == KEYN_TAB && k->mod == KEY_SHIFT) {
		buf_adds(out, "\033[Z");
	} else if (m->modify_other_keys && k->mod && !escape &&
		   (k->mod != KEY_ALT || m->modify_other_keys == 2)) {
		buf_addf(out, "\033[27;%u;%u~", k->mod + 1, coded[i].code);
	} else {
		if (k->mod & KEY_ALT)
			buf_addc(out, 0x1b);
		buf_addc(out, k->name == KEYN_BACKSPACE && k->mod & KEY_CTRL ? '\b' : coded[i].byte);
		if (k->name == KEYN_ENTER && m->newline)
			buf_addc(out, '\n');
	}
}

static void encode_letter(const struct named *n, const struct key *k, const struct pane_modes *m, struct buf *out)
{
	bool cursor = n->final >= 'A' && n->final <= 'H';

	if (m->kitty_keys && n->final == 'R')	/* kitty's way out of the likeness with a cursor report */
		buf_addf(out, k->mod ? "\033[13;%u~" : "\033[13~", k->mod + 1);
	else if (k->mod)
		buf_addf(out, "\033[1;%u%c", k->mod + 1, n->final);
	else if (!m->kitty_keys && (n->ss3 || (cursor && m->app_cursor)))
		buf_addf(out, "\033O%c", n->final);
	else
		buf_addf(out, "\033[%c", n->final);
}

static void encode_named(const struct key *k, const struct pane_modes *m, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(coded); i++) {
		if (coded[i].name == k->name) {
			encode_coded(k, i, m, out);
			return;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (named[i].name != k->name)
			continue;
		if (named[i].final)
			encode_letter(&named[i], k, m, out);
		else if (k->mod)
			buf_addf(out, "\033[%d;%u~", named[i].number, k->mod + 1);
		else
			buf_addf(out, "\033[%d~", named[i].number);
		return;
	}
}

/* Without ESC no text can end the paste, and without other controls none can act as a key. */
static void encode_paste(const struct key *k, const struct pane_modes *m, struct buf *out)
{
	size_t from = 0;

	if (m->bracketed_paste && k->paste_first)
		buf_adds(out, "\033[200~");
	for (size_t i = 0; i <= k->len; i++) {
		unsigned char c = i < k->len ? (unsigned char)k->text[i] : 0;

		if (c >= 0x20 && c != 0x7f)
			continue;
		if (i < k->len && (c == '\t' || c == '\n' || c == '\r'))
			continue;
		buf_add(out, k->text + from, i - from);
		from = i + 1;
	}
	if (m->bracketed_paste && k->paste_last)
		buf_adds(out, paste_end);
}

static bool mouse_wanted(const struct key *k, const struct pane_modes *m)
{
	switch (m->mouse) {
	case PANE_MOUSE_CLICK: return !k->motion;
	case PANE_MOUSE_DRAG: return !k->motion || k->button != 3;
	case PANE_MOUSE_MOVE: return true;
	default: return false;
	}
}

static void encode_mouse(const struct key *k, const struct pane_modes *m, struct buf *out)
{
	int b = k->button | (k->motion ? 32 : 0) | (k->mod & KEY_SHIFT ? 4 : 0) | (k->mod & KEY_ALT ? 8 : 0) |
		(k->mod & KEY_CTRL ? 16 : 0);

	if (!mouse_wanted(k, m) || k->row < 0 || k->col < 0)
		return;
	if (m->mouse_sgr) {
		buf_addf(out, "\033[<%d;%d;%d%c", b, k->col + 1, k->row + 1, k->press ? 'M' : 'm');
	} else if (k->row < 223 && k->col < 223) {	/* one byte each is all the old form has */
		if (!k->press && !k->motion)
			b |= 3;
		buf_addf(out, "\033[M%c%c%c", b + 32, k->col + 33, k->row + 33);
	}
}

void keys_encode(const struct key *k, const struct pane_modes *m, struct buf *out)
{
	switch (k->kind) {
	case KEY_CHAR: encode_char(k, m, out); break;
	case KEY_NAMED: encode_named(k, m, out); break;
	case KEY_PASTE: encode_paste(k, m, out); break;
	case KEY_MOUSE: encode_mouse(k, m, out); break;
	case KEY_FOCUS_IN:
	case KEY_FOCUS_OUT:
		if (m->focus)
			buf_adds(out, k->kind == KEY_FOCUS_IN ? "\033[I" : "\033[O");
		break;
	case KEY_REPLY: break;
	}
}

#include "term/osc.h"

#include <string.h>
#include <unistd.h>

struct part { const char *s; size_t len; };

/* Up to the next ';'. False at the end. */
static bool next_part(const char **s, size_t *len, struct part *out)
{
	const char *semi;

	if (!*s)
		return false;
	semi = memchr(*s, ';', *len);
	out->s = *s;
	out->len = semi ? (size_t)(semi - *s) : *len;
	*len -= semi ? out->len + 1 : out->len;
	*s = semi ? semi + 1 : NULL;
	return true;
}

static bool part_is(const struct part *p, const char *word)
{
	return p->len == strlen(word) && !memcmp(p->s, word, p->len);
}

static bool part_begins(const struct part *p, const char *word)
{
	return p->len >= strlen(word) && !memcmp(p->s, word, strlen(word));
}

int osc_number(const char *s, size_t len, const char **rest, size_t *nrest)
{
	size_t i = 0;
	int n = 0;

	while (i < len && s[i] >= '0' && s[i] <= '9' && i < 6)
		n = n * 10 + (s[i++] - '0');
	if (!i || (i < len && s[i] != ';'))
		return -1;
	*rest = i < len ? s + i + 1 : s + i;
	*nrest = i < len ? len - i - 1 : 0;
	return n;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool hex_pair(const char *s, size_t left, unsigned *out)
{
	if (left < 2 || hex(s[0]) < 0 || hex(s[1]) < 0)
		return false;
	*out = (unsigned)(hex(s[0]) * 16 + hex(s[1]));
	return true;
}

/* One pass over "\\" and "\xHH"; another backslash stands for itself. */
static bool unescape_633(const struct part *p, struct buf *out)
{
	for (size_t i = 0; i < p->len; i++) {
		const char *s = p->s + i;
		size_t left = p->len - i;
		unsigned c = (unsigned char)*s;

		if (*s == '\\' && left > 1 && s[1] == '\\')
			i++;
		else if (*s == '\\' && left > 3 && s[1] == 'x' && hex_pair(s + 2, left - 2, &c))
			i += 3;
		if (buf_addc(out, (char)c) < 0)
			return false;
	}
	return true;
}

static bool percent_decode(const struct part *p, struct buf *out)
{
	for (size_t i = 0; i < p->len; i++) {
		unsigned c = (unsigned char)p->s[i];

		if (c == '%') {
			if (!hex_pair(p->s + i + 1, p->len - i - 1, &c))
				return false;
			i += 2;
		}
		if (!c || buf_addc(out, (char)c) < 0)
			return false;
	}
	return true;
}

/* Text and nonce share @tmp; pointers are taken once it does not grow any more. */
static bool finish(struct mark *m, struct buf *tmp, const struct part *nonce)
{
	size_t len = tmp->len;

	if (buf_addc(tmp, '\0') < 0 || (nonce && buf_add(tmp, nonce->s, nonce->len) < 0))
		return false;
	m->text = buf_str(tmp);
	m->len = len;
	m->nonce = nonce ? m->text + len + 1 : NULL;
	return true;
}

/* ---- OSC 133 --------------------------------------------------------------------------------- */

static int status_of(const struct part *p)
{
	int n = 0;

	if (!p->len || p->len > 9)
		return -1;
	for (size_t i = 0; i < p->len; i++) {
		if (p->s[i] < '0' || p->s[i] > '9')
			return -1;
		n = n * 10 + (p->s[i] - '0');
	}
	return n;
}

static bool prompt_kind(const char *s, size_t len, struct mark *m)
{
	struct part opt;

	m->kind = MARK_PROMPT;
	while (next_part(&s, &len, &opt)) {
		if (part_is(&opt, "k=s") || part_is(&opt, "k=c"))
			m->kind = MARK_CONTINUATION;
		else if (part_is(&opt, "k=r"))
			return false;	/* a right prompt begins nothing */
	}
	return true;
}

/* The letters that 133 and 633 share, @s is what follows the letter and its ';'. */
static bool mark_letter(char letter, const char *s, size_t len, struct mark *m)
{
	struct part status;

	switch (letter) {
	case 'A': case 'N': case 'P':
		return prompt_kind(s, len, m);
	case 'B': case 'I':
		m->kind = MARK_INPUT;
		return true;
	case 'C':
		m->kind = MARK_OUTPUT;
		return true;
	case 'D':
		m->kind = MARK_DONE;
		if (next_part(&s, &len, &status))
			m->status = status_of(&status);
		return true;
	default:
		return false;
	}
}

/* ---- OSC 633 --------------------------------------------------------------------------------- */

static bool mark_line(const char *s, size_t len, struct mark *m, struct buf *tmp)
{
	struct part line, nonce;
	bool has_nonce;

	if (!next_part(&s, &len, &line))
		return false;
	has_nonce = next_part(&s, &len, &nonce);
	m->kind = MARK_LINE;
	return unescape_633(&line, tmp) && finish(m, tmp, has_nonce ? &nonce : NULL);
}

static bool is_path(const struct buf *b)
{
	return b->len && b->data[0] == '/' && !memchr(b->data, '\0', b->len);
}

static bool mark_property(const char *s, size_t len, struct mark *m, struct buf *tmp)
{
	static const struct { const char *name; enum mark_kind kind; } known[] = {
		{ "Cwd=", MARK_CWD }, { "Sbx=", MARK_OWN },
	};
	struct part prop, nonce;
	bool has_nonce;

	if (!next_part(&s, &len, &prop))
		return false;
	has_nonce = next_part(&s, &len, &nonce);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct part value;

		if (!part_begins(&prop, known[i].name))
			continue;
		value.s = prop.s + strlen(known[i].name);
		value.len = prop.len - strlen(known[i].name);
		m->kind = known[i].kind;
		if (!unescape_633(&value, tmp) || (m->kind == MARK_CWD && !is_path(tmp)))
			return false;
		return finish(m, tmp, has_nonce ? &nonce : NULL);
	}
	return false;
}

/* ---- OSC 7 ----------------------------------------------------------------------------------- */

static bool host_is_ours(const struct part *host)
{
	char name[256] = "";

	if (!host->len || part_is(host, "localhost"))
		return true;
	if (gethostname(name, sizeof(name) - 1) < 0)
		return false;
	return part_is(host, name);
}

static bool mark_cwd(const char *s, size_t len, struct mark *m, struct buf *tmp)
{
	struct part url = { s, len }, host, path;
	const char *slash;

	if (!part_begins(&url, "file://"))
		return false;
	host.s = s + 7;
	slash = memchr(host.s, '/', len - 7);
	if (!slash)
		return false;
	host.len = (size_t)(slash - host.s);
	path.s = slash;
	path.len = len - 7 - host.len;
	m->kind = MARK_CWD;
	return host_is_ours(&host) && percent_decode(&path, tmp) && finish(m, tmp, NULL);
}

bool osc_mark(int number, const char *s, size_t len, struct mark *m, struct buf *tmp)
{
	struct part letter;

	m->text = "";
	m->len = 0;
	m->nonce = NULL;
	m->status = -1;
	if (number == 7)
		return mark_cwd(s, len, m, tmp);
	if (!next_part(&s, &len, &letter) || letter.len != 1)
		return false;
	if (number == 633 && letter.s[0] == 'E')
		return mark_line(s, len, m, tmp);
	if (number == 633 && letter.s[0] == 'P')
		return mark_property(s, len, m, tmp);
	return mark_letter(letter.s[0], s, len, m);
}

/* ---- base64 ---------------------------------------------------------------------------------- */

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool osc_base64(const char *s, size_t len, struct buf *out)
{
	uint32_t bits = 0;
	unsigned n = 0;

	while (len && s[len - 1] == '=')
		len--;
	if (len % 4 == 1)
		return false;
	for (size_t i = 0; i < len; i++) {
		int v = base64_value(s[i]);

		if (v < 0)
			return false;
		bits = bits << 6 | (unsigned)v;
		n += 6;
		if (n >= 8) {
			n -= 8;
			if (buf_addc(out, (char)(bits >> n & 0xff)) < 0)
				return false;
		}
	}
	return true;
}

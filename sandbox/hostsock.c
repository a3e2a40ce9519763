#include "sandbox/hostsock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Sockets that we cannot reach by their name the sandbox cannot reach either: it has no more rights. */
static int visit(const char *path, hostsock_fn *fn, void *arg, struct err *e)
{
	CLEANUP(cleanup_freep) char *real = path[0] == '/' ? realpath(path, NULL) : NULL;
	struct stat st;

	if (!real || stat(real, &st) < 0 || !S_ISSOCK(st.st_mode))
		return 0;
	return fn(real, arg, e);
}

/* What stands after @n columns; the rest of the line, so that a name may have spaces. */
static char *after_columns(char *s, int n)
{
	while (n-- > 0) {
		s += strspn(s, " ");
		s += strcspn(s, " ");
	}
	return s + strspn(s, " ");
}

/* mountinfo writes space, tab, line break and backslash as \ooo. */
static void unescape_octal(char *s)
{
	char *w = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*w++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*w++ = *s;
		}
	}
	*w = '\0';
}

static const struct source {
	const char	*file;
	int		 skip;		/* columns before the name */
	bool		 one_word;	/* the name ends at the next space, and is escaped */
} sources[] = {
	{ "/proc/net/unix",		7, false },
	{ "/proc/self/mountinfo",	4, true },
};

static int read_source(const struct source *src, hostsock_fn *fn, void *arg, struct err *e)
{
	FILE *f = fopen(src->file, "re");
	CLEANUP(cleanup_freep) char *line = NULL;
	size_t cap = 0;
	int r = 0;

	if (!f)
		return err_set(e, errno, "open %s", src->file);
	while (r == 0 && getline(&line, &cap, f) > 0) {
		char *name = after_columns(line, src->skip);

		name[strcspn(name, src->one_word ? " \n" : "\n")] = '\0';
		if (src->one_word)
			unescape_octal(name);
		r = visit(name, fn, arg, e);
	}
	if (r == 0 && ferror(f))
		r = err_set(e, EIO, "read %s", src->file);
	fclose(f);
	return r;
}

int hostsock_each(hostsock_fn *fn, void *arg, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		int r = read_source(&sources[i], fn, arg, e);

		if (r)
			return r;
	}
	return 0;
}

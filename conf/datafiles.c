/* conf/datafiles.c - files that a person or the administrator adds beside the shipped ones */
#include "conf/datafiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/quote.h"

static int refuse(const char *path, struct err *e, const char *what)
{
	struct buf shown;
	int rc;

	buf_init(&shown, QUOTE_INPUT_MAX);
	quote_into(&shown, path, strlen(path));
	rc = err_set(e, 0, "%s: %s", buf_str(&shown), what);
	buf_done(&shown);
	return rc;
}

static int check_owner(const char *path, const struct stat *st, struct err *e)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return refuse(path, e, "found the owner to be somebody else, expected root or you");
	if (st->st_mode & 022)
		return refuse(path, e, "found it writable by group or others, expected only by its owner (chmod go-w)");
	return 0;
}

int datafiles_load(const char *path, const char *schema_path, struct jsonc **out, struct err *e)
{
	CLEANUP(cleanup_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	struct buf b;
	int rc;

	if (fd < 0)
		return err_set(e, errno, "open %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return refuse(path, e, "found no regular file, expected one");
	if (check_owner(path, &st, e) < 0)
		return -1;
	buf_init(&b, JSONC_MAX);
	rc = io_slurp_fd(fd, &b) < 0 ? err_set(e, errno, "read %s", path) :
				       jsonc_parse(path, buf_str(&b), b.len, schema_path, out, e);
	buf_done(&b);
	return rc;
}

bool datafiles_inside(const char *path, const char *workspace)
{
	CLEANUP(cleanup_freep) char *real = realpath(path, NULL);
	CLEANUP(cleanup_freep) char *top = realpath(workspace, NULL);
	size_t n = top ? strlen(top) : 0;

	return real && n && !strncmp(real, top, n) && (real[n] == '/' || top[n - 1] == '/');
}

static int check_place(const char *path, const char *workspace, struct err *e)
{
	if (workspace && datafiles_inside(path, workspace))
		return refuse(path, e, "found it inside the workspace, where a command could change it, expected it elsewhere");
	return 0;
}

static int is_data_file(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 && !strcmp(d->d_name + len - 5, ".json");
}

static int each(const char *dir, struct dirent **names, int n, const char *workspace, datafiles_fn *fn, void *arg,
		struct err *e)
{
	if (n > DATAFILES_MAX)
		return refuse(dir, e, "found too many files, expected at most 256");
	for (int i = 0; i < n; i++) {
		CLEANUP(cleanup_freep) char *path = xasprintf("%s/%s", dir, names[i]->d_name);

		if (check_place(path, workspace, e) < 0 || fn(arg, path, e) < 0)
			return -1;
	}
	return 0;
}

int datafiles_each(const char *dir, const char *workspace, datafiles_fn *fn, void *arg, struct err *e)
{
	struct dirent **names = NULL;
	struct stat st;
	int n, rc;

	if (stat(dir, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_set(e, errno, "open %s", dir);
	if (check_owner(dir, &st, e) < 0)
		return -1;
	n = scandir(dir, &names, is_data_file, alphasort);
	if (n < 0)
		return err_set(e, errno, "open %s", dir);
	rc = each(dir, names, n, workspace, fn, arg, e);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return rc;
}

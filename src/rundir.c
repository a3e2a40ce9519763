#include "rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SESSIONS_MAX 1000u

/* A parent that is there and ours to use; others may be stale or another user's after su. */
static bool usable(const char *dir)
{
	struct stat st;

	return dir && dir[0] == '/' && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       access(dir, W_OK | X_OK) == 0;
}

static int choose(char out[RUNDIR_MAX])
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	unsigned uid = (unsigned)geteuid();
	char run[64];

	if (usable(xdg) && snprintf(out, RUNDIR_MAX, "%s/sbxterm", xdg) < RUNDIR_MAX - RUNDIR_NAME_MAX / 2)
		return 0;
	snprintf(run, sizeof(run), "/run/user/%u", uid);
	if (usable(run))
		return snprintf(out, RUNDIR_MAX, "%s/sbxterm", run);
	return snprintf(out, RUNDIR_MAX, "/tmp/sbxterm-%u", uid);
}

int rundir_path(char out[RUNDIR_MAX], struct err *e)
{
	struct stat st;

	choose(out);
	if (mkdir(out, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "make %s", out);
	if (lstat(out, &st) < 0)
		return err_set(e, errno, "%s", out);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		return err_set(e, 0, "%s: must be a directory of yours that nobody else can enter: remove it or chmod 700",
			       out);
	return 0;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("._-", c));
}

bool rundir_name_ok(const char *name)
{
	size_t n = strlen(name);

	if (!n || n > RUNDIR_NAME_MAX || name[0] == '.' || name[0] == '-')
		return false;
	while (n && name_char(name[n - 1]))
		n--;
	return n == 0;
}

void rundir_name_from(const char *dir, char out[RUNDIR_NAME_MAX + 1])
{
	const char *base = strrchr(dir, '/');
	size_t n = 0;

	base = base ? base + 1 : dir;
	/* Room is left for a "-2" behind it. */
	for (; *base && n < RUNDIR_NAME_MAX - 4; base++)
		out[n++] = name_char(*base) ? *base : '-';
	out[n] = '\0';
	if (!n)
		memcpy(out, "root", sizeof("root"));
	if (out[0] == '.' || out[0] == '-')
		out[0] = '_';
}

int rundir_file(const char *name, const char *what, char *out, size_t room, struct err *e)
{
	char dir[RUNDIR_MAX];

	if (rundir_path(dir, e) < 0)
		return -1;
	if (snprintf(out, room, "%s/%s.%s", dir, name, what) >= (int)room)
		return err_set(e, ENAMETOOLONG, "%s/%s.%s", dir, name, what);
	return 0;
}

int rundir_connect(const char *name)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd;

	if (rundir_file(name, "sock", sa.sun_path, sizeof(sa.sun_path), NULL) < 0) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static int is_sock(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && strcmp(d->d_name + n - 5, ".sock") == 0;
}

size_t rundir_list(char ***out)
{
	struct dirent **ent = NULL;
	char dir[RUNDIR_MAX];
	size_t n = 0;
	int got = rundir_path(dir, NULL) < 0 ? 0 : scandir(dir, &ent, is_sock, alphasort);

	*out = xcalloc(SESSIONS_MAX, sizeof(**out));
	for (int i = 0; i < got; i++) {
		ent[i]->d_name[strlen(ent[i]->d_name) - 5] = '\0';
		if (n < SESSIONS_MAX && rundir_name_ok(ent[i]->d_name))
			(*out)[n++] = xstrdup(ent[i]->d_name);
		free(ent[i]);
	}
	free(ent);
	return n;
}

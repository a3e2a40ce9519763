#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

/* The beginning of a file of /proc/PID, with a NUL behind it; bytes, or -1. */
static ssize_t slurp(pid_t pid, const char *file, char *out, size_t room)
{
	char path[64];
	ssize_t n;
	int fd;

	if (pid <= 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = io_read_full(fd, out, room - 1);
	close(fd);
	if (n >= 0)
		out[n] = '\0';
	return n;
}

int proc_look(pid_t pid, struct proc *out)
{
	char text[512], *from, *end;
	size_t n;

	*out = (struct proc){ 0 };
	if (slurp(pid, "stat", text, sizeof(text)) <= 0)
		return -1;
	from = strchr(text, '(');
	end = strrchr(text, ')');	/* the name may hold anything */
	if (!from || !end || end < from || end[1] != ' ' || !end[2])
		return -1;
	n = (size_t)(end - from - 1);
	if (n >= sizeof(out->name))
		n = sizeof(out->name) - 1;
	memcpy(out->name, from + 1, n);
	out->state = end[2];
	out->parent = (pid_t)strtol(end + 3, NULL, 10);
	return 0;
}

bool proc_is_bare(pid_t pid)
{
	char text[4096];
	ssize_t n = slurp(pid, "cmdline", text, sizeof(text));

	if (n <= 0)
		return false;
	for (const char *w = text + strlen(text) + 1; w < text + n; w += strlen(w) + 1) {
		if (*w != '-' || strcmp(w, "-c") == 0)
			return false;
	}
	return true;
}

bool proc_is_gone(pid_t pid)
{
	return pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH);
}

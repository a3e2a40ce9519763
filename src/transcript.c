#include "transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"

struct transcript {
	int	fd;
};

int transcript_open(const char *path, struct transcript **out, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(e, errno, "transcript %s", path);
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = fd;
	return 0;
}

static void add_outcome(json *j, const struct transcript_entry *en)
{
	json_add_bool(j, "ran", en->ran);
	if (en->exit >= 0)
		json_add_int(j, "exit", en->exit);
	else
		json_add_null(j, "exit");
	json_add_int(j, "duration_ms", (long long)en->duration_ms);
	json_add_strn(j, "output", buf_str(en->output), en->output->len);
	json_add_bool(j, "output_cut", en->output->full);
}

int transcript_add(struct transcript *t, const struct transcript_entry *en, struct err *e)
{
	json *j = json_new_object();
	struct buf line;
	char *text;
	int rc = 0;

	json_add_strn(j, "line", en->line, en->len);
	json_add_str(j, "cwd", en->cwd);
	json_add_str(j, "verdict", action_name[en->verdict->action]);
	json_add_str(j, "rule", en->verdict->rule);
	json_add_str(j, "reason", en->verdict->reason);
	json_add_str(j, "expanded", en->verdict->meaning);
	add_outcome(j, en);
	text = json_print(j);
	buf_init(&line, 64u << 20);
	buf_addf(&line, "%s\n", text);
	if (line.full || io_write_all(t->fd, line.data, line.len) < 0)
		rc = err_set(e, line.full ? EFBIG : errno, "transcript");
	buf_done(&line);
	free(text);
	json_free(j);
	return rc;
}

void transcript_close(struct transcript *t)
{
	if (!t)
		return;
	close(t->fd);
	free(t);
}

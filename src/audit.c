#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"

#define WORDS_MAX	2000u		/* words of one record; the line itself is always whole */
#define TAIL_CHUNK	4096u

struct audit {
	int		 fd;
	uint64_t	 seq;		/* last number that we know of */
	off_t		 end;		/* size of the file when we knew it; another end means others wrote */
};

static int open_dir(const char *path, int *out, struct err *e)
{
	CLEANUP(cleanup_freep) char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');
	struct stat st;
	int fd;

	if (path[0] != '/' || !slash[1])
		return err_set(e, 0, "%s: not an absolute file name", path);
	slash[slash == dir] = '\0';
	if (io_mkdirs(dir, 0700, e) < 0)
		return -1;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, errno == ENOTDIR || errno == ELOOP ? 0 : errno, "%s: not a directory of its own", dir);
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022)) {
		close(fd);
		return err_set(e, 0, "%s: must belong to you and be writable by nobody else (chmod 700)", dir);
	}
	*out = fd;
	return 0;
}

static int check_file(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, errno, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
		return err_set(e, 0, "%s: must be a plain file of yours with one name", path);
	if ((st.st_mode & 07777) != 0600 && fchmod(fd, 0600) < 0)
		return err_set(e, errno, "%s: chmod 600", path);
	return 0;
}

int audit_open(const char *path, struct audit **out, struct err *e)
{
	CLEANUP(cleanup_fdp) int dir = -1;
	struct audit *a;
	int fd;

	if (open_dir(path, &dir, e) < 0)
		return err_wrap(e, "audit log");
	/* Read as well: the next number is that of the last record plus one. */
	fd = openat(dir, strrchr(path, '/') + 1, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, errno == ELOOP ? 0 : errno, "audit log: open %s%s", path,
			       errno == ELOOP ? ": is a symbolic link" : "");
	if (check_file(fd, path, e) < 0) {
		close(fd);
		return err_wrap(e, "audit log");
	}
	a = xcalloc(1, sizeof(*a));
	*a = (struct audit){ .fd = fd, .end = -1 };
	*out = a;
	return 0;
}

void audit_close(struct audit *a)
{
	if (!a)
		return;
	close(a->fd);
	free(a);
}

/* Where the last whole line starts; @end is behind its newline. */
static off_t line_start(int fd, off_t end)
{
	char chunk[TAIL_CHUNK];
	off_t at = end - 1;

	while (at > 0) {
		size_t want = (size_t)MIN(at, (off_t)sizeof(chunk));
		ssize_t n = pread(fd, chunk, want, at - (off_t)want);

		if (n != (ssize_t)want)
			return -1;
		for (size_t i = want; i > 0; i--) {
			if (chunk[i - 1] == '\n')
				return at - (off_t)(want - i);
		}
		at -= (off_t)want;
	}
	return 0;
}

/* Records start with {"seq":N, so a short read is enough. A last line that is not ours counts as 0. */
static uint64_t seq_at(int fd, off_t at)
{
	char head[64];
	ssize_t n = at < 0 ? -1 : pread(fd, head, sizeof(head) - 1, at);
	static const char start[] = "{\"seq\":";

	if (n <= 0)
		return 0;
	head[n] = '\0';
	if (strncmp(head, start, sizeof(start) - 1) != 0)
		return 0;
	return strtoull(head + sizeof(start) - 1, NULL, 10);
}

/* Others may have written since: find the last number again. *torn: the file ends inside a line. */
static int catch_up(struct audit *a, bool *torn, struct err *e)
{
	struct stat st;
	off_t end;
	char last;

	*torn = false;
	if (fstat(a->fd, &st) < 0)
		return err_set(e, errno, "audit log");
	if (st.st_size == a->end)
		return 0;
	end = st.st_size;
	if (end && pread(a->fd, &last, 1, end - 1) == 1 && last != '\n') {
		*torn = true;	/* a crash or a full disk cut a record: its number is not used */
		end = line_start(a->fd, end + 1);
	}
	a->seq = MAX(a->seq, end > 0 ? seq_at(a->fd, line_start(a->fd, end)) : 0);
	return 0;
}

static int append(struct audit *a, const struct buf *rec, struct err *e)
{
	off_t before = lseek(a->fd, 0, SEEK_END);
	ssize_t n;

	do
		n = write(a->fd, rec->data, rec->len);
	while (n < 0 && errno == EINTR);
	a->end = -1;
	if (n == (ssize_t)rec->len) {
		a->end = before + n;
		return 0;
	}
	/* Half a record would hide the next one. Cutting it off again is the only repair a full disk leaves. */
	if (n > 0 && before >= 0 && ftruncate(a->fd, before) < 0)
		return err_set(e, errno, "audit log: cut a torn record");
	return err_set(e, n < 0 ? errno : ENOSPC, "audit log: write");
}

static void add_time(struct buf *b)
{
	struct timespec ts;
	struct tm tm;
	char day[32];

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	buf_addf(b, "\"ts\":\"%s.%09ldZ\"", day, ts.tv_nsec);
}

/* @body is an object; seq and ts are put before its members so that the number is found fast. */
static int put(struct audit *a, const json *body, uint64_t *seq, struct err *e)
{
	CLEANUP(cleanup_freep) char *text = json_print(body);
	struct buf rec;
	bool torn;
	int rc = -1;

	buf_init(&rec, 64u << 20);
	if (flock(a->fd, LOCK_EX) < 0)
		return err_set(e, errno, "audit log: lock");
	if (catch_up(a, &torn, e) == 0) {
		buf_addf(&rec, "%s{\"seq\":%llu,", torn ? "\n" : "", (unsigned long long)a->seq + 1);
		add_time(&rec);
		buf_addf(&rec, ",%s\n", text + 1);
		rc = rec.full ? err_set(e, EFBIG, "audit log") : append(a, &rec, e);
		if (rc == 0)
			a->seq++;
		if (seq)
			*seq = a->seq;
	}
	flock(a->fd, LOCK_UN);
	buf_done(&rec);
	return rc;
}

static json *record(const char *type, const struct audit_who *w)
{
	json *j = json_new_object();

	json_add_str(j, "type", type);
	json_add_str(j, "session", w->session);
	json_add_str(j, "pane", w->pane);
	json_add_str(j, "source", w->source);
	return j;
}

static void add_word(json *to, const struct word *w)
{
	json *o;

	if (w->kind == WORD_EXACT) {
		json_add_str(to, NULL, w->text);
		return;
	}
	o = json_add_object(to, NULL);
	if (w->kind == WORD_PATTERN) {
		json_add_str(o, "pattern", w->text);
		return;
	}
	json_add_str(o, "unknown", w->why ? w->why : "");
	json_add_str(o, "prefix", w->prefix ? w->prefix : "");
	json_add_str(o, "suffix", w->suffix ? w->suffix : "");
}

static void add_expanded(json *to, const struct verdict *v)
{
	json *cmds = json_add_array(to, "expanded");
	size_t left = WORDS_MAX;

	for (size_t i = 0; i < v->ncmd && left; i++) {
		json *words = json_add_array(cmds, NULL);

		for (size_t k = 0; k < v->cmd[i]->argc && left; k++, left--)
			add_word(words, &v->cmd[i]->argv[k]);
	}
	if (!left)
		json_add_bool(to, "expanded_cut", true);
}

int audit_decision(struct audit *a, const struct audit_who *w, const struct audit_decision *d, uint64_t *seq,
		   struct err *e)
{
	json *j = record("decision", w), *grants;
	int rc;

	json_add_str(j, "cwd", d->line->cwd);
	json_add_strn(j, "line", d->line->text, d->line->len);
	json_add_str(j, "dialect", dialect_name[d->line->dialect]);
	json_add_str(j, "verdict", action_name[d->verdict->action]);
	json_add_str(j, "rule", d->verdict->rule);
	json_add_str(j, "reason", d->verdict->reason);
	add_expanded(j, d->verdict);
	json_add_str(j, "answer", d->answer);
	json_add_str(j, "by", d->by);
	json_add_str(j, "profile", w->profile);
	grants = json_add_array(j, "grants");
	if (d->grant)
		json_add_str(grants, NULL, d->grant);
	rc = put(a, j, seq, e);
	json_free(j);
	return rc;
}

int audit_outcome(struct audit *a, const struct audit_who *w, const struct audit_outcome *o, struct err *e)
{
	json *j = record("outcome", w);
	int rc;

	json_add_int(j, "decision", (long long)o->decision);
	if (o->exit >= 0)
		json_add_int(j, "exit", o->exit);
	else
		json_add_null(j, "exit");
	if (o->signal)
		json_add_int(j, "signal", o->signal);
	else
		json_add_null(j, "signal");
	json_add_int(j, "duration_ms", (long long)o->duration_ms);
	if (o->note)
		json_add_str(j, "note", o->note);
	rc = put(a, j, NULL, e);
	json_free(j);
	return rc;
}

int audit_integration(struct audit *a, const struct audit_who *w, const char *state, struct err *e)
{
	json *j = record("integration", w);
	int rc;

	json_add_str(j, "state", state);
	rc = put(a, j, NULL, e);
	json_free(j);
	return rc;
}

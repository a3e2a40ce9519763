#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "tap.h"
#include "transcript.h"

int main(void)
{
	char dir[64] = "/tmp/sbxterm-transcript-XXXXXX", path[96], link[96];
	const struct verdict v = { .action = ACTION_ALLOW, .rule = "fs.read", .reason = "only reads", .meaning = "ls" };
	struct transcript_entry en = { .line = "ls", .len = 2, .cwd = "/w", .verdict = &v, .ran = true, .exit = 0,
				       .duration_ms = 3 };
	struct transcript *t = NULL;
	struct buf out, text;
	struct stat st;
	struct err e;
	json *j;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/t.jsonl", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	buf_init(&out, 16);
	buf_adds(&out, "a\xff\n");
	en.output = &out;
	is_int(transcript_open(path, &t, &e), 0, "open");
	is_int(transcript_add(t, &en, &e), 0, "one");
	out.full = true;
	en.ran = false;
	en.exit = -1;
	is_int(transcript_add(t, &en, &e), 0, "two");
	transcript_close(t);
	stat(path, &st);
	is_int(st.st_mode & 07777, 0600, "mode");

	buf_init(&text, 65536);
	io_slurp(path, &text, &e);
	j = json_parse(text.data, strcspn(text.data, "\n"), NULL, &e);
	is_str(json_str(j, "output", ""), "a\xef\xbf\xbd\n", "output as valid text");
	is_int(json_num(j, "exit", -5), 0, "exit");
	ok(!json_bool(j, "output_cut", true), "whole");
	json_free(j);
	j = json_parse(strchr(text.data, '\n') + 1, strcspn(strchr(text.data, '\n') + 1, "\n"), NULL, &e);
	ok(json_type(json_get(j, "exit")) == JSON_NULL, "did not run: no exit");
	ok(json_bool(j, "output_cut", false), "cut");
	json_free(j);

	ok(symlink(path, link) == 0, "a symbolic link");
	is_int(transcript_open(link, &t, &e), -1, "is not followed");
	buf_done(&text);
	buf_done(&out);
	unlink(link);
	unlink(path);
	rmdir(dir);
	return tap_done();
}

#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/loop.h"
#include "tap.h"

static void test_buf(void)
{
	struct buf b;

	buf_init(&b, 8);
	is_int(buf_adds(&b, "12345"), 0, "fits");
	is_int(buf_adds(&b, "6789"), -1, "past the maximum is refused");
	is_str(buf_str(&b), "12345", "and leaves what was there");
	ok(b.full, "and says so");
	buf_consume(&b, 2);
	is_str(buf_str(&b), "345", "consume takes from the front");
	is_int(buf_addf(&b, "%d", 67), 0, "formatted");
	is_str(buf_str(&b), "34567", "appends");
	buf_done(&b);
}

static void test_err(void)
{
	struct err e;
	char big[2 * ERR_MAX];

	err_set(&e, ENOENT, "bind %s", "/nope");
	err_wrap(&e, "profile %s", "build");
	is_str(e.msg, "profile build: bind /nope: No such file or directory", "reads outermost first");
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, 0, "%s", big);
	is_int(strlen(e.msg), ERR_MAX - 1, "a long text is cut");
	is_str(e.msg + ERR_MAX - 4, "...", "and shows it");
}

static void test_arena(void)
{
	struct arena a;

	arena_init(&a, 100000);
	ok(arena_alloc(&a, 50000) != NULL, "big block");
	is_str(arena_printf(&a, "%d-%s", 1, "x"), "1-x", "printf");
	ok(arena_alloc(&a, 60000) == NULL && a.full, "past the maximum: NULL and full");
	arena_reset(&a);
	ok(arena_alloc(&a, 60000) != NULL, "room again after reset");
	arena_done(&a);
}

static int fired;
static struct loop_timer *victim;
static void on_timer(struct loop *l, void *arg)
{
	fired += *(int *)arg;
	loop_cancel_timer(l, victim);
	loop_stop(l);
}

static void on_read(struct loop *l, int fd, unsigned ev, void *arg)
{
	char c;

	(void)ev;
	(void)arg;
	ok(read(fd, &c, 1) == 1, "readable");
	loop_del_fd(l, fd);
	fired += 100;
}

static void test_loop(void)
{
	struct err e;
	struct loop *l = loop_new(&e);
	int p[2], one = 1, two = 2;

	ok(pipe(p) == 0, "pipe");
	victim = loop_add_timer(l, 2, on_timer, &two);
	loop_add_timer(l, 1, on_timer, &one);
	loop_add_fd(l, p[0], EPOLLIN, on_read, NULL);
	ok(write(p[1], "x", 1) == 1, "write");
	is_int(loop_run(l, &e), 0, "ran");
	while (fired < 100)
		loop_step(l, 100, &e);
	is_int(fired, 101, "a cancelled timer never fires, a removed watch is not called again");
	loop_free(l);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	test_buf();
	test_err();
	test_arena();
	test_loop();
	return tap_done();
}

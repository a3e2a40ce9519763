/* sandbox/watch.h - holds back protected files that appear in a workspace while a sandbox can write to it
 *
 * What exists at the start is bound read-only (plan.c). What does not exist cannot be a mount point without making
 * it on the host, so it is watched for (inotify, from outside): the moment it appears it is moved to where nothing
 * runs it. A repository that is made is left where it is, so that `git init` and `git clone` work, but its hooks, and
 * its configuration when that names a program, are held.
 *
 * Limits. It is detection: between the making and the moving lies the time in which a process wakes up (measured on two
 * busy processors: half a millisecond in the middle, six at worst), and a program outside that looks just then sees the file. What the
 * person makes by those names outside, while a sandbox runs, cannot be told apart and is held as well. Repositories
 * are looked for as deep as gitdir_nested() looks, and in WATCH_DIRS directories. A bare repository has no name to
 * know it by.
 *
 * Single-threaded, on the loop of the spawner process.
 */
#ifndef SANDBOX_WATCH_H
#define SANDBOX_WATCH_H

#include "base/loop.h"

#define WATCH_DIRS	4096
#define WATCH_AGAIN	16	/* so often may one name come back before @failed is called */

struct watch;

/* @path is where it was, @kept where it is now (NULL: it could not be moved, or keeps coming back: nothing may go on
 * running). Both borrowed. */
typedef void watch_held_fn(void *arg, const char *path, const char *kept);

/**
 * watch_new() - Begin to watch
 * @l:		Loop, borrowed
 * @spec:	"KEEP\0ROOT\0NAME\0NAME\0..." with @len bytes, see plan_watch(); kept as the watch's identity
 * @fn:		Called from the loop
 * @e:		Filled on failure
 *
 * The root is watched when this returns; the directories below follow from the loop in small steps.
 *
 * Return: the watch, or NULL
 */
struct watch *watch_new(struct loop *l, const char *spec, size_t len, watch_held_fn *fn, void *arg, struct err *e);
/* Looks a last time at all it knows, then ends. NULL is fine. */
void watch_free(struct watch *w);
bool watch_is(const struct watch *w, const char *spec, size_t len);

/* Does a repository's configuration, @text, hold only what every fresh clone holds? For tests. */
bool watch_config_harmless(const char *text, size_t len);

#endif /* SANDBOX_WATCH_H */

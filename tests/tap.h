/* tests/tap.h - the smallest test helper: counts, prints what failed, says N passed
 *
 * Each test is a plain program. Prints "not ok" lines with place and values, and at the
 * end "NAME: P passed, F failed"; exit 1 when something failed or nothing ran.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned tap_passed, tap_failed;

static inline bool tap_result(bool good, const char *file, int line, const char *what)
{
	if (good) {
		tap_passed++;
	} else {
		tap_failed++;
		printf("not ok %s:%d: %s\n", file, line, what);
	}
	return good;
}

#define ok(cond, what)	tap_result((cond), __FILE__, __LINE__, (what))

#define is_int(got, want, what) do { \
	long long tap_g = (long long)(got), tap_w = (long long)(want); \
	if (!tap_result(tap_g == tap_w, __FILE__, __LINE__, (what))) \
		printf("#   got %lld, want %lld\n", tap_g, tap_w); \
} while (0)

#define is_str(got, want, what) do { \
	const char *tap_g = (got), *tap_w = (want); \
	bool tap_same = tap_g == tap_w || (tap_g && tap_w && strcmp(tap_g, tap_w) == 0); \
	if (!tap_result(tap_same, __FILE__, __LINE__, (what))) \
		printf("#   got  %s\n#   want %s\n", tap_g ? tap_g : "(null)", tap_w ? tap_w : "(null)"); \
} while (0)

static inline int tap_done(void)
{
	printf("%u passed, %u failed\n", tap_passed, tap_failed);
	return tap_failed || !tap_passed;
}

#endif /* TESTS_TAP_H */

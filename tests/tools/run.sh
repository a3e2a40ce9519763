#!/bin/sh
# Run test programs, each with a time limit, and add up their "P passed, F failed" lines.
#   run.sh PROGRAM...
set -u
passed=0 failed=0
for t in "$@"; do
	out=$(timeout "${TEST_TIMEOUT:-120}" "$t" 2>&1 </dev/null)
	rc=$?
	line=$(printf '%s\n' "$out" | grep -E '^[0-9]+ passed, [0-9]+ failed$' | tail -n 1)
	p=${line%% passed*} f=${line##*, } f=${f%% failed*}
	if [ -z "$line" ]; then p=0 f=1; elif [ $rc -ne 0 ] && [ "$f" = 0 ]; then f=1; fi
	passed=$((passed + p)) failed=$((failed + f))
	if [ "$f" != 0 ] || [ -n "${VERBOSE-}" ]; then printf '%s\n' "$out"; fi
	printf '%-40s %s (exit %s)\n' "${t##*/tests/}" "${line:-no result}" "$rc"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]

#!/bin/sh
# Run each fuzz target for a time from its seeds and print "P passed, F failed".
#   fuzz.sh SECONDS PROGRAM...
# FUZZ_SEED and FUZZ_RUNS: that seed and at most so many runs, so that the same inputs are tried each time.
# Seeds: tests/fuzz/seeds/NAME/. What was found stays in build/fuzz/found/.
set -u
seconds=$1
shift
passed=0 failed=0
mkdir -p build/fuzz/found
for t in "$@"; do
	name=${t##*/}
	work=build/fuzz/corpus/$name
	mkdir -p "$work"
	set -- "$work"
	[ -d "tests/fuzz/seeds/$name" ] && set -- "$@" "tests/fuzz/seeds/$name"
	if "$t" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -runs="${FUZZ_RUNS:--1}" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/found/$name-" \
		-print_final_stats=1 "$@" >"build/fuzz/$name.log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log") runs"
	else
		failed=$((failed + 1))
		tail -n 30 "build/fuzz/$name.log"
		echo "fuzz $name: FAILED, see build/fuzz/found/$name-*"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

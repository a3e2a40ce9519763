#!/bin/sh
# Every linter over everything: prints what they find and "P passed, F failed", one for each linter.
# $MAKE builds; runs in the repository's top directory.
set -u
: "${MAKE:=make}"
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

lint() { # NAME COMMAND...
	name=$1 began=$(date +%s)
	shift
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		echo "lint $name: clean ($(($(date +%s) - began)) s)"
	else
		failed=$((failed + 1))
		tail -n 200 "$log"
		echo "lint $name: FAILED ($(($(date +%s) - began)) s)"
	fi
}

PRODUCT='src/base conf term intercept sandbox sandbox/helper ui src'
TESTS='tests/unit tests/script tests/e2e tests/tools tests/bench'

sources() { # FOLDER...
	for d in "$@"; do
		for f in "$d"/*.c; do
			[ -f "$f" ] && echo "$f"
		done
	done
}

compile() { # COMPILER
	$MAKE CC="$1" VARIANT="lint-$1" WERROR=1 objects
}

cflags() {
	echo "-std=gnu11 -D_GNU_SOURCE -DSBXTERM_VERSION=\"lint\" -Isrc -I. -Itests -Ibuild/tree-sitter/include $(pkg-config --cflags libcjson libseccomp vterm tickit libgit2)"
}

# Left out: what the kernel style does on purpose (assignments of enums, short names, !strcmp()), and what is wrong
# here: sizeof(*p) of a pointer taken for a mistake.
TIDY='-*,bugprone-*,performance-*,cert-flp30-c,misc-misplaced-const,misc-redundant-expression'
for check in easily-swappable-parameters reserved-identifier narrowing-conversions implicit-widening-of-multiplication-result \
	assignment-in-if-condition branch-clone macro-parentheses suspicious-string-compare sizeof-expression \
	multi-level-implicit-pointer-conversion switch-missing-default-case not-null-terminated-result; do
	TIDY="$TIDY,-bugprone-$check"
done
TIDY="$TIDY,-performance-no-int-to-ptr,-performance-enum-size"
# The analysis of paths takes minutes, so it is for ANALYZE=1. It takes va_start() for none and a cleanup attribute for no use.
if [ -n "${ANALYZE-}" ]; then
	TIDY="$TIDY,clang-analyzer-*,-clang-analyzer-valist.Uninitialized,-clang-analyzer-optin.performance.Padding"
	TIDY="$TIDY,-clang-analyzer-deadcode.DeadStores,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling"
fi

tidy() {
	FLAGS=$(cflags)
	export TIDY FLAGS
	# Its summary of what it does not show goes to stderr.
	# shellcheck disable=SC2086
	sources $PRODUCT | xargs -P "$(nproc)" -n 4 sh -c 'clang-tidy --quiet --warnings-as-errors="*" --checks="$TIDY" "$@" -- $FLAGS 2>/dev/null' tidy
}

check_c() {
	# shellcheck disable=SC2046
	cppcheck --quiet --std=c11 --language=c --enable=warning,portability,performance --inline-suppr --error-exitcode=1 -j "$(nproc)" \
		--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches --suppress=checkersReport --suppress=unmatchedSuppression \
		-D_GNU_SOURCE -DSBXTERM_VERSION='"lint"' -Isrc -I. -Itests $(sources $PRODUCT $TESTS)
}

scripts() {
	rc=0
	for f in tests/tools/*.sh .ci/run $(find tests conf -name '*.bash' -o -name 'bash.rc'); do
		[ -f "$f" ] || continue
		case $(head -n 1 "$f") in
		'#!/bin/sh'*) sh -n "$f" || rc=1 ;;
		*) bash -n "$f" || rc=1 ;;
		esac
	done
	return $rc
}

manuals() {
	for f in man/*.[1-8]; do
		[ -f "$f" ] || return 0
		mandoc -Tlint -Wwarning "$f" || return 1
	done
}

json() {
	check=build/release/tests/tools/check-json
	$check conf/schema/*.json package.json package-lock.json || return 1
	$check -s conf/schema/policy.schema.json conf/default.jsonc || return 1
	[ ! -f conf/schema/program.schema.json ] || ! ls conf/programs/*.json >/dev/null 2>&1 ||
		$check -s conf/schema/program.schema.json conf/programs/*.json
}

# A path of the machine it was made on has no place in the repository.
paths() {
	! git grep -nE '/(work|tmp)/(wt|shared|brief|main)/' -- . ':!tests/tools/lint.sh'
}

lint gcc compile gcc
lint clang compile clang
lint includes sh tests/tools/lint-includes.sh
lint clang-tidy tidy
lint cppcheck check_c
lint scripts scripts
lint man manuals
lint json json
lint paths paths
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# Do includes point the way the folders allow, and is each foreign header in one file only?
# src/base <- conf <- {term, intercept, sandbox} <- ui <- src
set -u
bad=0

complain() {
	echo "$1"
	bad=1
}

# Which folders a file of a folder may include.
allowed() {
	case $1 in
	src/base) echo "base" ;;
	conf) echo "base conf" ;;
	term) echo "base term" ;;
	intercept) echo "base conf intercept" ;;
	sandbox) echo "base conf sandbox" ;;
	sandbox/helper) echo "sandbox/helper" ;;
	ui) echo "base conf term ui intercept/verdict.h" ;;
	src) echo "base conf term intercept sandbox ui" ;;
	esac
}

# Where the header of a library may be included: a folder, one file of it.
foreign() {
	case $1 in
	cjson/cJSON.h) echo "src/base" ;;
	vterm.h) echo "term" ;;
	tree_sitter/api.h) echo "intercept" ;;
	git2.h) echo "intercept" ;;
	seccomp.h) echo "sandbox" ;;
	tickit.h) echo "ui" ;;
	esac
}

# The C library and the kernel.
is_system() {
	case $1 in
	sys/* | linux/* | net/* | netinet/* | arpa/* | asm/*) return 0 ;;
	esac
	case " assert ctype dirent dlfcn elf endian err errno fcntl float fnmatch getopt glob grp inttypes langinfo libgen \
limits locale math mntent netdb poll pthread pty pwd regex sched search setjmp signal spawn stdalign stdarg stdatomic stdbool stddef \
stdint stdio stdlib string strings syslog termios time ucontext unistd utime utmp wchar wctype wordexp " in
	*" ${1%.h} "*) return 0 ;;
	esac
	return 1
}

check_own() { # FILE FOLDER HEADER
	case $3 in
	*/*) ;;
	*)
		# Without a folder: a file of the same one, which is said only where the folder has no name of its own.
		case $2 in
		src | sandbox/helper) [ -f "$2/$3" ] || complain "$1: \"$3\" is not in $2" ;;
		src/base) [ "$3" = base/unicode-table.h ] || complain "$1: \"$3\" must name its folder" ;;
		*) complain "$1: \"$3\" must name its folder" ;;
		esac
		return
		;;
	esac
	for a in $(allowed "$2"); do
		case $3 in
		"$a" | "$a"/*) return ;;
		esac
	done
	complain "$1: \"$3\" points the wrong way"
}

check_foreign() { # FILE FOLDER HEADER
	is_system "$3" && return
	home=$(foreign "$3")
	if [ -z "$home" ]; then
		complain "$1: <$3> is of no library that we use"
	elif [ "$home" != "$2" ]; then
		complain "$1: <$3> belongs into $home"
	elif [ "$(grep -lE "^#include [<\"]$3[>\"]" "$home"/*.[ch] | wc -l)" != 1 ]; then
		complain "$1: <$3> is included by another file of $home too"
	fi
}

for dir in src/base conf term intercept sandbox sandbox/helper ui src; do
	for f in "$dir"/*.[ch]; do
		[ -f "$f" ] || continue
		for h in $(sed -n 's/^#[ \t]*include[ \t]*"\(.*\)".*/\1/p' "$f"); do
			check_own "$f" "$dir" "$h"
		done
		for h in $(sed -n 's/^#[ \t]*include[ \t]*<\(.*\)>.*/\1/p' "$f"); do
			check_foreign "$f" "$dir" "$h"
		done
	done
done
exit $bad

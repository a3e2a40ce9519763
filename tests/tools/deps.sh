#!/bin/sh
# Install the Debian packages named as arguments, where one is missing. "a|b": a, or b where a does not exist.
#   deps.sh PACKAGE...              every package must be installed
#   deps.sh --command CMD PACKAGE... only where CMD is not on the PATH
set -eu
if [ "${1-}" = --command ]; then
	if command -v "$2" >/dev/null 2>&1; then exit 0; fi
	shift 2
fi
if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "sbxterm: not a Debian system: these must be there by its own means: $*" >&2
	exit 0
fi
if [ "$(id -u)" = 0 ]; then
	as=
else
	as=sudo
fi

have() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

known() {
	[ -n "$(apt-cache madison "$1" 2>/dev/null)" ]
}

# Of "a|b" the one that is installed, else the first that can be.
choose() {
	first=${1%%|*} rest=${1#*|}
	if have "$first" || [ "$first" = "$1" ]; then
		echo "$first"
	elif have "$rest" || ! known "$first"; then
		echo "$rest"
	else
		echo "$first"
	fi
}

install_all() {
	# shellcheck disable=SC2086
	$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $missing >/dev/null
}

missing=
for p in "$@"; do
	p=$(choose "$p")
	have "$p" || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
if [ -n "$as" ] && ! command -v sudo >/dev/null 2>&1; then
	echo "sbxterm: run as root, once: apt-get install$missing" >&2
	exit 1
fi
echo "sbxterm: installing:$missing" >&2
install_all || { $as apt-get update -qq && install_all; }

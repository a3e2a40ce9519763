#!/bin/sh
# Install the Debian packages named as arguments, where one is missing.
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
missing=
for p in "$@"; do
	case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
	installed) ;;
	*) missing="$missing $p" ;;
	esac
done
[ -n "$missing" ] || exit 0
echo "sbxterm: installing:$missing" >&2
if [ "$(id -u)" = 0 ]; then
	as=
elif command -v sudo >/dev/null 2>&1; then
	as=sudo
else
	echo "sbxterm: run as root, once: apt-get install$missing" >&2
	exit 1
fi
# shellcheck disable=SC2086
$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing ||
	{ $as apt-get update -q && $as env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; }

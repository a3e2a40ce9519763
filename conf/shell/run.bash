# sbxterm's headless shell: runs the lines that the host sends, one after another, and keeps directory, variables,
# functions and options from line to line. The host's end, and the protocol, is src/driver.c.
#
# Started as `bash --norc --noprofile run.bash` with a socket as descriptor 3. It starts bash once more with that
# socket as the script that is read: each line then runs at the top level of a shell that reads commands, not inside
# a loop or function of ours, where `break`, `local` or `declare` would mean something else.
#
# Descriptors: 0 the socket (commands from the host), 250 the same (answers), 251 the terminal, for the marks.
# Commands get /dev/null as standard input and none of the others.

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	exec "$BASH" --norc --noprofile -s -- "${BASH_SOURCE[0]}" 0<&3 250<&3 251>&1 3<&-
fi

. /run/sbxterm/shell/answer.bash

# Before a line: the mark, and $? as the line before left it. (Under set -e a status of ours would end the shell.)
__sbx_begin() {
	builtin printf '\e]633;P;Sbx=run;%s\a\e]133;C\a' "$__sbx_nonce" >&251
	[[ $- == *e* ]] || return "$__sbx_rc"
}

# After it, and at the start: the mark, and where we are.
__sbx_end() {
	__sbx_rc=$1
	[[ -z ${2-} ]] || builtin printf '\e]633;P;Sbx=done:%s;%s\a\e]133;D;%s\a' "$1" "$__sbx_nonce" "$1" >&251
	builtin printf 'ready\0%s\0%s\0' "$1" "$PWD" >&250
}

# MARKER ITEM...: each item is a kind letter and a name. The last answer has status e. A subshell, so that nothing
# changes here; if it ends early, the names left over stay unknown.
__sbx_fetch() {
	(
		__sbx_status=$__sbx_rc __sbx_last=$_ __sbx_marker=$1
		shift
		__sbx_items=("$@")
		__sbx_args=()
		__sbx_plain
		for __sbx_item in "${__sbx_items[@]}"; do
			__sbx_answer "${__sbx_item:0:1}" "${__sbx_item:1}" "$__sbx_marker"
		done
	) >&250 2>/dev/null
	builtin printf '%se' "$1" >&250
}
readonly -f __sbx_plain __sbx_answer __sbx_begin __sbx_end __sbx_fetch

readonly __sbx_nonce=$1
declare +x __sbx_nonce
__sbx_end 0

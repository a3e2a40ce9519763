# What the host may ask a shell in the sandbox for: variables, functions, aliases and options, each by its name.
# Sourced by bash.rc and run.bash. Both functions are for a subshell that ends soon: nothing here may change the
# shell of the user.

# Make the subshell's ground firm: whatever the user redefined, only builtins answer. In POSIX mode the special
# builtins win over functions of the same name, and an assignment is all it takes to get there; then the one function
# that could stand before `builtin` goes. What this changes is kept first: __sbx_opts has the options as they were.
# A readonly variable or function in the way ends the subshell: no answer, and no answer is a refusal.
__sbx_plain() {
	__sbx_opts=:$SHELLOPTS:$BASHOPTS:
	POSIXLY_CORRECT=
	trap - DEBUG ERR RETURN
	trap '' TSTP TTIN TTOU
	set +o errexit +o nounset +o noglob +o xtrace +o verbose +o noexec +o noclobber +o allexport
	__sbx_shadow=
	export -f builtin && __sbx_shadow=1
	unset -f builtin || exit
	unset HISTTIMEFORMAT || exit
	unset POSIXLY_CORRECT || exit
}

# KIND NAME MARKER: the answer, the marker, a status: 0 known (as declare or alias prints it), s known (the bare
# value), 1 there is no such thing, x cannot be told. Special parameters were kept by the caller: __sbx_status,
# __sbx_last (of $_), __sbx_args.
__sbx_answer() {
	__sbx_st=0
	case $1$2 in
	'v?') builtin printf %s "$__sbx_status"; __sbx_st=s ;;
	'v$') builtin printf %s "$$"; __sbx_st=s ;;
	'v_') builtin printf %s "$__sbx_last"; __sbx_st=s ;;
	'v#') builtin printf %s "${#__sbx_args[@]}"; __sbx_st=s ;;
	'v!') if [[ -n ${!-} ]]; then builtin printf %s "$!"; __sbx_st=s; else __sbx_st=1; fi ;;
	'v0') builtin printf %s "$0"; __sbx_st=s ;;
	v[1-9])
		if [[ -n ${__sbx_args[$2-1]+set} ]]; then
			builtin printf %s "${__sbx_args[$2-1]}"; __sbx_st=s
		else
			__sbx_st=1
		fi ;;
	v*) builtin declare -p -- "$2" || __sbx_st=1 ;;
	fbuiltin) if [[ -n $__sbx_shadow ]]; then __sbx_st=x; else __sbx_st=1; fi ;;
	f*) builtin declare -f -- "$2" || __sbx_st=1 ;;
	a*) builtin alias -- "$2" || __sbx_st=1 ;;
	o*)
		__sbx_st=s
		case $__sbx_opts in
		*:"$2":*) builtin printf on ;;
		*) builtin printf off ;;
		esac ;;
	*) __sbx_st=x ;;
	esac
	builtin printf '%s%s' "$3" "$__sbx_st"
}

# unrecorded.t - what cannot be recorded does not run: a full disk, and a read-only one
file ns.sh exec unshare -r -m sh -e "$@"
file full.sh mount -t tmpfs -o size=16k,mode=700 none "$HOME/.local/state/sbxterm"
sh printf '%s\n' 'dd if=/dev/zero of="$HOME/.local/state/sbxterm/fill" bs=4k 2>/dev/null || true' '$PROGRAM run -f lines.sh' >>full.sh
file lines.sh touch made
sh echo 'echo ran' >>lines.sh
file ro.sh mount --bind "$HOME/.local/state/sbxterm" "$HOME/.local/state/sbxterm"
sh printf '%s\n' 'mount -o remount,bind,ro "$HOME/.local/state/sbxterm"' '$PROGRAM run -f lines.sh' >>ro.sh
sh mkdir -p ~/.local/state/sbxterm && chmod 700 ~/.local/state/sbxterm
try sh ns.sh full.sh >out 2>err; test $? = 126
content err cannot be recorded
content err [audit.failed]
absent made
try ! grep -q ran out
try sh ns.sh ro.sh >out 2>err; test $? = 125
content err Read-only
absent made
# and with room it runs
try $PROGRAM run -f lines.sh
exists made

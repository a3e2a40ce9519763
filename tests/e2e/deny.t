# deny.t - what would hit the machine is refused, and the banner says why
start
wait prompt
type unset OUTPUT; echo ready-$((1+1))\r
screen ready-2
wait prompt
type rm -rf "$OUTPUT/root"\r
screen DENIED
screen /root
screen OUTPUT is unset
audit type=decision verdict=deny answer=refused by=policy rule=fs.delete.root
# the refusal goes when typing starts, and no key is lost
type echo on-$((1+1))\r
screen on-2
noscreen DENIED
wait prompt
# a folder that is literally named $HOME does not hide what is meant
sh mkdir '$HOME' && touch '$HOME/inside' ~/kept
type rm -rf "$HOME"\r
screen DENIED
screen /home
type \e
noscreen DENIED
wait prompt
exists $HOME/inside
exists ~/kept
type whoami `rm -rf /`\r
screen DENIED
type \e
noscreen DENIED
wait prompt
# judged by where it ends up, whatever that is
sh mkdir sub && touch sub/untracked
type cd "$(git rev-parse --show-toplevel)/sub" && rm -rf ./*\r
screen ASK
screen /work/sub
wait armed
type n
noscreen ASK
wait prompt
exists sub/untracked
exists README.md
type echo still-$((40+2))\r
screen still-42
wait prompt
type exit\r
exit 0
restored

# restore.t - whatever ends the client or the server, the terminal is as it was found
# the client: KILL
start-shell -s s
wait prompt
type printf '\\033[?1003h\\033[?1004h\\033[?25l\\033[>1u'\r
output \e[?1003h
kill KILL
restored
type \r
exit 137
# the client: SEGV
start-shell attach -t s
screen gated
kill SEGV
restored
type \r
exit 139
# the client: TERM
start-shell attach -t s
screen gated
kill TERM
restored
type \r
exit 143
# the client: HUP
start-shell attach -t s
screen gated
kill HUP
restored
type \r
exit 129
# the client: INT
start-shell attach -t s
screen gated
kill INT
restored
type \r
exit 130
# it goes on all the while
start-shell attach -t s
screen gated
kill-server TERM
restored
type \r
exit 0
# the server: HUP
start-shell -s s
wait prompt
type printf '\\033[?1003h\\033[?1004h\\033[?25l\\033[>1u'\r
output \e[?1003h
kill-server HUP
restored
type \r
exit 0
# the server: KILL
start-shell -s s
wait prompt
type printf '\\033[?1003h\\033[?1004h\\033[?25l\\033[>1u'\r
output \e[?1003h
kill-server KILL
restored
type \r
exit 125
# the server: SEGV
start-shell -s s
wait prompt
type printf '\\033[?1003h\\033[?1004h\\033[?25l\\033[>1u'\r
output \e[?1003h
kill-server SEGV
restored
type \r
exit 125

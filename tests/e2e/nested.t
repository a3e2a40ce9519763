# nested.t - an interactive bash inside is gated too, without any file of the user
start
wait prompt
type bash\r
audit type=decision line=bash
screen bash
wait prompt
type echo lvl-$SHLVL-$((1+1))\r
screen -2
wait prompt
audit type=decision line="echo lvl-$SHLVL-$((1+1))"
type git push\r
screen ASK
wait armed
type n
noscreen ASK
wait prompt
type exit\r
wait prompt
# and where it is not, the status line says so
type echo back-$((1+1))\r
screen back-2
screen gated
wait prompt
# Ctrl-C while the question is up drops the line
type git push\r
screen ASK
type \x03
noscreen ASK
wait prompt
audit type=decision line="git push" answer=refused
type exit\r
exit 0
restored

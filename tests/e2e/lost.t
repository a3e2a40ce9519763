# lost.t - where lines are read that the gate does not see, the status line says so, until the gate sees them again
start
wait prompt
screen gated
type sh\r
screen unguarded: sh
wait prompt
audit type=integration state="unguarded: sh"
type exit\r
noscreen unguarded
audit type=integration state=gated
wait prompt
type python3\r
screen >>>
screen unguarded: python3
type exit()\r
noscreen unguarded
wait prompt
# a program that turns into a shell nobody was told of
file turn.py import os; os.execvp("dash", ["dash"])
type python3 turn.py\r
audit type=decision line="python3 turn.py"
wait prompt
screen gated
type echo unseen-$((1+1))\r
screen unseen-2
screen unguarded: dash
audit type=integration state="unguarded: dash"
noaudit line="echo unseen-$((1+1))"
wait prompt
type exit\r
noscreen unguarded
screen gated
wait prompt
# a nested shell that is killed from inside: the one that started it goes on
type bash\r
audit type=decision line=bash
wait prompt
type kill -9 $$\r
screen ASK
wait armed
type y
noscreen ASK
screen Killed
wait prompt
audit type=outcome note="the shell ended"
type echo on-$((1+1))\r
screen on-2
audit line="echo on-$((1+1))" answer=run
screen gated
wait prompt
# the history that the gate reads the line from
type set +o history\r
screen DENIED
type \e
noscreen DENIED
wait prompt
# put into the place of the gated shell itself
type exec python3 turn.py\r
audit type=decision line="exec python3 turn.py" answer=run
type echo unseen-$((2+2))\r
screen unseen-4
screen unguarded: 
type exit\r
exit 0
restored
# stopped from inside: nothing reads the lines
start
wait prompt
type kill -STOP $$\r
screen ASK
wait armed
type y
noscreen ASK
type \r
screen unguarded: bash is stopped
audit type=integration state="unguarded: bash is stopped"
kill KILL
exit 137
# killed from inside: the session ends
start -s other
wait prompt
type kill -9 $$\r
screen ASK
wait armed
type y
exit 0
restored

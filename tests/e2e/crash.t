# crash.t - a client that is told to end restores the terminal; the session goes on
start -s one
wait prompt
type echo before-$((1+1))\r
screen before-2
kill TERM
exit 143
restored
start attach -t one
screen before-2
type echo after-$((1+1))\r
screen after-2
wait prompt
resize 60x12
wait prompt
type echo small-$((1+1))\r
screen small-2
wait prompt
resize 10x3
resize 100x30
wait prompt
type exit\r
exit 0
restored

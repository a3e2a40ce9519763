# tests/e2e/first.t - the first five minutes
start
wait prompt
type echo one-$((1+1))\r
screen one-2
wait prompt
audit type=decision verdict=allow answer=run by=policy line="echo one-$((1+1))"
audit type=outcome exit=0
type exit\r
exit 0
restored

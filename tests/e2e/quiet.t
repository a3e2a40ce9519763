# quiet.t - after a refusal only our words are on the screen: at its bottom, narrow, in vi mode, typed ahead, nested
start
wait prompt
type seq 60\r
wait prompt
type rm -rf /\r
screen DENIED
screen sbxterm: refused: 
noscreen denied_by
type echo on-$((1+1))\r
screen on-2
noscreen denied_by
noscreen readonly
wait prompt
type set -o vi\r
wait prompt
type rm -rf /\recho ahead-$((1+1))\r
screen ahead-2
noscreen denied_by
type \e
noscreen DENIED
wait prompt
type PS1='one\\ntwo$ '\r
screen two$
type clear; seq 10\r
wait prompt
type rm -rf /\r
screen DENIED
type \e
noscreen DENIED
noscreen denied_by
screen two$
type bash\r
audit type=decision line=bash
wait prompt
type rm -rf /\r
screen DENIED
type echo nested-$((1+1))\r
screen nested-2
noscreen denied_by
wait prompt
resize 20x12
type clear\r
wait prompt
type rm -rf /\r
screen DENIED
type \e
noscreen DENIED
noscreen denied_by
noscreen readonly
resize 100x24
# a question: keys that come in a burst neither answer it nor reach the shell
type clear\r
wait prompt
type git push\r
wait armed
type yes\r
screen ASK
# a hand needs a moment
sh sleep 0.2
type y
noscreen ASK
audit type=decision verdict=ask answer=run by=person line="git push"

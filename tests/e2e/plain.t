# plain.t - what anyone does in any terminal: nothing asked, nothing broken
start
wait prompt
type ls\r
screen README.md
wait prompt
type cd src && make\r
screen made-by-make
wait prompt
type cd ..\r
wait prompt
type cat <<E >note\rline-$((40+2))\rE\r
content note line-42
wait prompt
type echo "unclosed\r
wait prompt-more
type \x03
wait prompt
type less README.md\r
screen decoy
type q
wait prompt
# typed before it runs, a line would be the line editor's: wait for the record
type sed -u s/ping/pong/\r
audit type=decision line="sed -u s/ping/pong/"
type ping1\r
screen pong1
type \x1a
screen Stopped
wait prompt
type fg\r
audit type=decision line=fg
type ping2\r
screen pong2
type \x03
wait prompt
paste echo p1-$((1+1))\necho p2-$((1+1))
type \r
screen p2-2
wait prompt
type read -p 'name? ' answer\r
screen name? 
type typed DENY rm -rf /\r
wait prompt
type echo got-"$answer"\r
screen got-typed DENY rm -rf /
wait prompt
type set -o vi\r
wait prompt
type echo vi-$((2+2))\r
screen vi-4
wait prompt
noaudit verdict=ask
noaudit verdict=deny
type exit\r
exit 0
restored

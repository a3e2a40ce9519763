# ask.t - a question is answered both ways, and only by keys that were typed for it
start
wait prompt
type git push\r
screen ASK
screen git push
wait armed
type n
noscreen ASK
wait prompt
audit type=decision verdict=ask answer=refused by=person line="git push"
type mkdir things && touch things/a\r
exists things/a
wait prompt
type rm -rf things\r
screen ASK
screen things
wait armed
type y
noscreen ASK
absent things/a
wait prompt
audit type=decision verdict=ask answer=run by=person line="rm -rf things"
# Esc and Ctrl-C refuse
sh mkdir -p more && touch more/a
type rm -rf more\r
screen ASK
type \e
noscreen ASK
wait prompt
type rm -rf more\r
screen ASK
type \x03
noscreen ASK
wait prompt
exists more/a
# what is typed ahead of the question does not answer it
type rm -rf more\ry
screen ASK
wait armed
exists more/a
type n
noscreen ASK
# it is in the line editor now, where it was typed to
type \x01echo got-\r
screen got-y
wait prompt
exists more/a
type exit\r
exit 0
restored

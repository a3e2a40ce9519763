# bad.t - one line that says what and what to do, exit 125, terminal restored
start --nope
exit 125
output nope
restored
start -c /nonexistent
exit 125
output nonexistent
restored
file ~/.bad.jsonc { "rules": [ 
start --policy $T/home/.bad.jsonc
exit 125
output .bad.jsonc:
restored
start -c README.md
exit 125
restored
file ../config/sbxterm/programs/mine.json { "programs": { "rm": {} } }
start
exit 125
output mine.json:1:23: found "rm", which rules that deny rest on
restored

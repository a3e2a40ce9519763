# A line that bash cannot read comes back as not understood, with nothing to approve; e gives it back for editing.
start
wait prompt
type if then fi (\r
screen ASK
screen parse.error
screen not understood
screen nothing ran
noscreen run once
wait armed
type n
noscreen ASK
wait prompt
audit type=decision verdict=ask rule=parse.error answer=refused by=shell line="if then fi ("
type if then fi (\r
screen nothing ran
wait armed
type e
typed if then fi (
type \x01echo $((1+1))'\x05'\r
screen 2if then fi (
wait prompt
# y approves nothing
type echo a ;; echo b\r
screen nothing ran
wait armed
type y
screen nothing ran
type \x1b
noscreen ASK
wait prompt
# Over several lines, and while it is shown Ctrl-C is a no
type for x in a b\r
type done\r
screen nothing ran
type \x03
noscreen ASK
wait prompt
# No question where bash was content: a comment or an empty line after status 2
type (exit 2)\r
wait prompt
type # well\r
wait prompt
type \r
wait prompt
noscreen ASK
type echo all-$((1+1))-good\r
screen all-2-good
wait prompt
type exit\r
exit 0

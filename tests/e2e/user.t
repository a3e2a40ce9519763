# user.t - the same as an ordinary user
as-user
start
wait prompt
type id -u; echo as-$((1+1))\r
screen as-2
wait prompt
type echo x >mine\r
content mine x
wait prompt
type git push\r
screen ASK
wait armed
type n
noscreen ASK
wait prompt
type exit\r
exit 0
restored

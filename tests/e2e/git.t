# git.t - git may write its repository, and nothing that it runs later; what is asked is asked once
sh git config user.email a@example.org && git config user.name a && echo one > a && git init -q ../far && git remote add far ../far
start
wait prompt
type git add a && git commit -qm first; echo m1-$((1+1))\r
screen m1-2
audit type=decision line="git commit -qm first" verdict=allow by=policy
audit type=outcome exit=0
wait prompt
try git log --oneline | grep -q first
# the message from the pane's own /tmp, a pipe on its output, a status that is not 0
type clear; echo from-scratch > /tmp/m; echo two > b; git add b; git commit -F /tmp/m | grep -c '1 file'; echo m2-$?-$((1+1))\r
screen m2-0-2
wait prompt
try git log -1 --format=%s | grep -qx from-scratch
type clear; git commit -qm none > /dev/null; echo m3-$((1+$?))\r
screen m3-2
wait prompt
# its own terminal: an editor that takes the screen, reads /dev/tty and switches echo off
file ed.sh stty -echo; printf '\033[?1049h\033[Hedit-%s' on; read line < /dev/tty; echo "$line" > "$1"; printf '\033[?1049l'; stty echo
type clear; echo three > c; git add c; EDITOR='sh ed.sh' git commit -q; git log -1 --format=m4-%s\r
screen edit-on
type typed-there\r
screen m4-typed-there
wait prompt
# Ctrl-C ends it as anywhere
type clear; git hash-object -w --stdin\r
audit type=decision line="git hash-object -w --stdin" answer=run by=policy
type \x03
wait prompt
type clear; echo m5-$((1+1))\r
screen m5-2
wait prompt
# from a script and in the background
type clear; echo git tag in-script > t.sh; sh t.sh; git tag behind & wait; git tag | tr '\\n' +\r
screen behind+in-script+
wait prompt
# asked at the line, not again at the call
type clear; git push -q far HEAD:refs/heads/x; echo m6-$((1+1))\r
screen ASK
wait armed
type y
screen m6-2
wait prompt
audit type=decision line="git push -q far HEAD:refs/heads/x" verdict=ask answer=run by=line
# what only shows when a script runs is asked when it comes to it
file p.sh read x < word; git "$x" -q far HEAD:refs/heads/y
file word push
type clear; bash p.sh; echo m7-$?\r
wait armed
screen grants:
type n
screen m7-126
wait prompt
audit type=decision line="git push -q far HEAD:refs/heads/y" verdict=ask answer=refused by=person
# what git runs later stays as it is, also for a program that git starts
file evil.sh echo x >> .git/config; echo x > .git/hooks/pre-commit; mv .git/hooks .git/h; echo y > .git/config.worktree; mkdir .git/modules; echo message > "$1"
type clear; echo four > d; git add d; GIT_EDITOR='sh evil.sh' git commit -q; git log -1 --format=m8-%s\r
wait armed
type y
screen m8-message
wait prompt
absent .git/hooks/pre-commit
absent .git/config.worktree
absent .git/modules
exists .git/hooks
try ! grep -x x .git/config
try ls .git | grep -q held-by-sbxterm-config.worktree
# and the pane itself writes nothing there
type clear; echo x > .git/refs/heads/evil; echo m9-$((1+$?))\r
wait armed
type y
screen m9-2
wait prompt
absent .git/refs/heads/evil
type exit\r
exit 0
# without a screen: the same, and what would be asked is refused
try echo five > e; $PROGRAM run -- git add e && $PROGRAM run -- git commit -qm headless && git log -1 --format=%s | grep -qx headless
try $PROGRAM run -- bash p.sh 2>err; test $? = 126

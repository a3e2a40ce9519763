# Questions come one after another, in the order in which the lines were held.
judge "git push" ask git.push
ask a "git push" key=1
ask b "make deploy" key=2
ask c "other" key=3
front "git push"
gone b
front "git push"
answer yes
is a run
front "other"
is c held
answer no
is c drop
front none
audit decision answer=cancelled line="make deploy"
audit decision answer=run line="git push"
audit decision answer=refused line="other"
audit end

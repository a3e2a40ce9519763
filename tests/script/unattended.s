# Where nobody can answer, a question is a refusal.
unattended
judge "git push" ask git.push
judge "ls" allow fs.read
judge "rm -rf /" deny fs.delete.root
ask a "git push"
is a drop "nobody can be asked"
front none
audit decision verdict=ask answer=refused by=on-ask
ask b "ls"
is b run
audit decision answer=run by=policy
ask c "rm -rf /" key=2
is c drop
front none
audit decision verdict=deny answer=refused by=policy

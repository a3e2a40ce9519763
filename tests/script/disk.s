# What cannot be recorded does not run, whoever allowed it.
judge "ls" allow fs.read
judge "git push" ask git.push
disk full
ask a "ls"
is a drop "cannot be recorded"
is a drop "[audit.failed]"
front "ls"
ask b "git push"
waiting yes
answer yes
is b drop "cannot be recorded"
disk free
audit end
ask c "ls"
is c run
audit decision verdict=allow answer=run

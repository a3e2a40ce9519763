# A nested shell that is gone told no end: what it ran is over, and what others run goes on.
judge "bash" allow fs.read
judge "exit" allow fs.read
ask a "bash" key=1
is a run
audit decision
ask b "exit" key=2
is b run
audit decision
reap 2
audit outcome decision=2 exit=null "note=the shell ended"
reap 2
audit end
done 1 0
audit outcome decision=1 exit=0

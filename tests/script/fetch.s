# Values that the judge lacks are asked for, and the line is judged again with them.
judge "rm $X" allow fs.delete wants=X
ask a "rm $X"
is a held
wants a X
audit end
fetched a X=1
is a run
audit decision answer=run

# A shell that does not know still answers: the verdict stands with what is known.
ask b "rm $X" key=2
fetched b OTHER=1
wants b X
fetched b OTHER=2
fetched b OTHER=3
is b run

# The shell lets go while it is asked.
ask c "rm $X" key=3
gone c
is c gone
audit decision
audit decision answer=cancelled

# Nobody can be asked.
judge "echo $NOBODY" allow echo wants=NOBODY
ask d "echo $NOBODY" key=4
is d run

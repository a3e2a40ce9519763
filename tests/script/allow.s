# An allowed line runs without a question; its decision is on record before its outcome.
judge "ls -l" allow fs.read
ask a "ls -l"
is a run
front none
audit decision verdict=allow rule=fs.read answer=run by=policy line="ls -l" cwd=/w seq=1
audit end
done 1 0
audit outcome decision=1 exit=0 signal=null
done 1 0			# a mark that comes twice changes nothing
audit end
commands 1
prompts 0

ask b "ls -l" key=7
done 8 0			# another shell's mark
audit decision seq=3
audit end
done 7 130
audit outcome decision=3 exit=130 signal=2

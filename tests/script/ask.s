# A question is answered once by the person; nothing runs before.
judge "git push" ask git.push
ask a "git push"
is a held
front "git push"
waiting yes
audit end
answer yes
is a run
front none
audit decision verdict=ask answer=run by=person
done 1 0
audit outcome decision=1

ask b "git push"
answer no
is b drop "said no"
audit decision answer=refused by=person
front none
answer yes			# there is nothing to answer
audit end

ask c "git push"
answer edit
is c drop
edit "git push"
audit decision answer=edit by=person

# Ctrl-C while it is held: nothing runs, and a late answer is for nobody.
ask d "git push"
gone d
front none
audit decision answer=cancelled by=shell
answer yes
is d gone
audit end
prompts 4

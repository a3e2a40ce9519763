# A refusal needs nobody: the shell is answered at once, the reason stays until it is closed.
judge "rm -rf /" deny fs.delete.root
judge "git push" ask git.push
ask a "rm -rf /"
is a drop "[fs.delete.root]"
is a drop "instead: do something else"
front "rm -rf /"
waiting no
answer yes			# cannot make it run
is a drop
front none
audit decision verdict=deny answer=refused by=policy
audit end
prompts 0

# The next question takes the place of a refusal that is still shown.
ask b "rm -rf /"
front "rm -rf /"
ask c "git push" key=2
front "git push"
waiting yes
# A refusal does not cover an open question.
ask d "rm -rf /" key=3
is d drop
front "git push"
answer no
front none

# A line that the shell could not read is shown, and nothing lets it go.
judge "if then fi (" ask parse.error
ask a "if then fi (" moot
front "if then fi ("
is a held
answer yes
is a held
front "if then fi ("
answer no
is a drop
front none
audit decision verdict=ask rule=parse.error answer=refused by=shell
audit end

# It can be given back for editing.
ask b "if then fi (" moot
answer edit
edit "if then fi ("
is b drop
audit decision answer=edit by=person

# What the judge can read was a comment, say: no question, no record.
judge "# well" allow shell.nothing
ask c "# well" moot
is c drop
front none
audit end

# A danger in it is told all the same.
judge "rm -rf / ; fi (" deny fs.delete.root
ask d "rm -rf / ; fi (" moot
is d drop "[fs.delete.root]"
audit decision verdict=deny answer=refused

# Ctrl-C while it is shown.
ask e "if then fi (" moot
gone e
front none
audit decision answer=cancelled by=shell
audit end

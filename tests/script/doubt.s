# What the shell asks about and what stands on its terminal must agree: else a person looks at it.
judge "ls" allow fs.read
judge "rm -rf /" deny fs.delete.root
ask a "ls" suspect
is a held
front "ls"
answer no
audit decision verdict=ask rule=gate.mismatch answer=refused

# A denied line stays denied.
ask b "rm -rf /" suspect
is b drop "[fs.delete.root]"
audit decision verdict=deny rule=fs.delete.root

# A line that the shell could not tell, or from nowhere, is refused.
ask c ""
is c drop "[gate.unknown-line]"
audit decision verdict=deny rule=gate.unknown-line
ask d "ls" cwd=somewhere
is d drop "[gate.unknown-line]"
audit decision verdict=deny rule=gate.unknown-line

# Nothing hidden reaches the terminal by way of a message.
judge "x" deny "r\e[2J"
ask e "x"
is e drop "[r\\e[2J]"

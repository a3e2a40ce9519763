# inside.t - secrets, writes and the network, with everything planted that could leak
env DECOY_TOKEN=planted-in-env
file ~/.ssh/id_ed25519 planted-key
file ~/.netrc planted-netrc
start
wait prompt
type cat ~/.ssh/id_ed25519\r
screen DENIED
type \e
noscreen DENIED
wait prompt
# the sandbox holds what the gate cannot see: a program of the workspace that tries it all
file probe.c #include "probe.h"
file probe.h int main(void){return system("cat $HOME/.ssh/id_ed25519 $HOME/.netrc; echo x >/etc/sbx-decoy; echo x >.git/config; env|grep planted; cat /proc/1/environ /proc/$PPID/environ|tr '\\\\0' '\\\\n'|grep planted; echo probed-$((1+1))");}
sh sed -i '1i #include <stdlib.h>' probe.h && cc -o probe probe.c
type ./probe\r
screen probed-2
wait prompt
nooutput planted-
content .git/config repositoryformatversion
absent /etc/sbx-decoy
type exit\r
exit 0
restored

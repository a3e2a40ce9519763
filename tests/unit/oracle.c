/* The real bash is the oracle: what it would run must be what the expander said (oracle.h).
 *
 * Lines: the table, every third line of the corpus and 600 by a grammar; ORACLE_LINES=N ORACLE_SEED=S: N by the
 * grammar, from that seed, and the whole corpus (`make oracle`).
 */
#include "oracle.h"
#include "oracle-gen.h"
#include "oracle-lines.h"

/* One write for each record: the parts of a pipeline write at the same time. The programs whose output the
 * expander claims to know print it here as well. */
static const char handler[] =
	"() { local __s; printf -v __s '%s\\1' \"$PWD\" \"$@\"; __s=${__s//$'\\n'/$'\\3'}; printf '%s\\2' \"$__s\" >&213\n"
	"case $1 in\n"
	"whoami) echo dev ;;\n"
	"mktemp) local t=${@: -1}; case $t in *X) [[ \" $* \" == *' -t '* ]] && t=/tmp/$t; echo \"${t//X/x}\" ;; *) echo /tmp/tmp.AbCdEf ;; esac ;;\n"
	"cat) if [[ $# = 1 ]]; then local l; while IFS= read -r l || [[ $l ]]; do printf '%s\\n' \"$l\"; done; fi ;;\n"
	"basename) local b=${2%/}; b=${b##*/}; b=${b:-/}; printf '%s\\n' \"${b%\"${3-}\"}\" ;;\n"
	"dirname) local d=$2; while [[ $d == *?/ ]]; do d=${d%/}; done\n"
	"case $d in */*) d=${d%/*}; printf '%s\\n' \"${d:-/}\" ;; *) echo . ;; esac ;;\n"
	"mkdir) /bin/mkdir \"${@:2}\" ;;\n"
	"seq) local i; for ((i = $# > 2 ? $2 : 1; i <= ${3:-$2}; i++)); do echo $i; done ;;\n"
	"*) return 0 ;;\n"
	"esac; }";

/* A subshell for each line, which ends when all that the line started has ended: one fork, no exec. The programs
 * of our own lines are functions, which spares one more. */
static const char master[] =
	"kill() { command_not_found_handle kill \"$@\"; }\n"
	"for __f in cd pushd popd export; do eval \"$__f() { command_not_found_handle $__f \\\"\\$@\\\"; builtin $__f \\\"\\$@\\\"; }\"; done\n"
	"for __f in p q r; do eval \"$__f() { command_not_found_handle $__f \\\"\\$@\\\"; }\"; done; unset __f\n"
	"while IFS= read -r -d '' __line; do\n"
	"__out=$(exec 213>&1 >/dev/null 2>&1 </dev/null; ulimit -t 2; builtin cd \"$DIR\"; unset OLDPWD DIR __out\n"
	"eval \"$__line\")\n"
	"printf '%s\\0' \"$__out\"\n"
	"done\n";

static void exec_bash(void)
{
	char env_dir[80];
	char fn[4096];
	const char *const env[] = { "PATH=/nonexistent", "HOME=/home/dev", "USER=dev", "LC_ALL=C.UTF-8", env_dir, fn, NULL };
	const char *const bare[] = { "bash", "--norc", "--noprofile", "-c", master, NULL };
	const char *const box[] = {
		"bwrap", "--ro-bind", "/usr/lib", "/usr/lib", "--ro-bind-try", "/lib", "/lib",
		"--ro-bind-try", "/lib64", "/lib64", "--ro-bind-try", "/usr/lib64", "/usr/lib64", "--ro-bind", "/bin/bash", "/bin/bash",
		"--ro-bind", "/bin/mkdir", "/bin/mkdir", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/home", "--dir", "/home/dev", "--ro-bind", passwd, "/etc/passwd", "--bind", root, "/proj",
		"--unshare-all", "--die-with-parent", "--new-session", "/bin/bash", "--norc", "--noprofile", "-c", master, NULL };

	snprintf(env_dir, sizeof(env_dir), "DIR=%s", proj);
	snprintf(fn, sizeof(fn), "BASH_FUNC_command_not_found_handle%%%%=%s", handler);
	if (boxed)
		execvpe("bwrap", (char *const *)(uintptr_t)box, (char *const *)(uintptr_t)env);
	execve("/bin/bash", (char *const *)(uintptr_t)bare, (char *const *)(uintptr_t)env);
	_exit(127);
}

static bool has_patsub;		/* & in a replacement: bash 5.2 */

static void answer(const char *records)
{
	has_patsub = strstr(records, "[a]");
}

static void state(struct live *live)
{
	live_set(live, LIVE_VAR, "SHELL", "/bin/bash");
	if (has_patsub)
		live_set(live, LIVE_OPTION, "patsub_replacement", "on");
}

/* Not for an oracle: what never ends where each program succeeds at once, and the recorder's own descriptor. */
static bool unfit(const json *j, const char *cmd)
{
	static const char *const words[] = { "while true", "while :", "for((;;", "for ((;;", "213>" };
	const char *class = json_str(j, "class", "");

	if (strcmp(class, "dos") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strstr(cmd, words[i]))
			return true;
	}
	return false;
}

static const char *const recorded[] = { "cd", "pushd", "popd", "export", "kill", NULL };
static const char *const corpus[] = { "tests/corpus/commands.jsonl", NULL };

static const struct oracle_shell shell = {
	.name = "bash", .dialect = DIALECT_BASH, .exec = exec_bash, .hello = "x=a; hello \"${x/a/[&]}\"", .answer = answer,
	.state = state, .inner = "/bin/bash", .recorded = recorded, .corpus = corpus, .every = 3, .unfit = unfit,
	.gen = gen_line, .generated = 600, .lines = oracle_lines, .nlines = ARRAY_SIZE(oracle_lines),
};

int main(void)
{
	return oracle_main();
}

/* tests/unit/environ.c - assignments that change what a program runs */
#include "judge_help.h"

#define START_WORLD	"{\"content\":{\"x.js\":\"require('child_process').execSync('rm -rf /')\",\"lib/sitecustomize.py\":\"import os\\nos.system('rm -rf /')\"," \
			"\"fine.js\":\"console.log(1)\"}}"
#define SHADOW_WORLD	"{\"vars\":{\"PATH\":\"/work/proj/bin:/work/proj/node_modules/.bin:/work/proj/.venv/bin:/usr/bin\"}," \
			"\"files\":[\"bin/ls\",\"node_modules/.bin/eslint\",\"node_modules/.bin/cat\",\".venv/bin/activate\",\".venv/bin/python3\"]}"

static const struct { const char *line; enum action want; const char *world; } cases[] = {
	{ "LD_PRELOAD=./evil.so ls",				ACTION_ASK },
	{ "export LD_PRELOAD=$PWD/evil.so",			ACTION_ASK },
	{ "LD_PRELOAD=/usr/lib/libjemalloc.so.2 make test",	ACTION_ALLOW },
	{ "LD_PRELOAD=libasan.so.8 ./t",			ACTION_ALLOW },
	{ "LD_PRELOAD= ls",					ACTION_ALLOW },
	{ "LD_LIBRARY_PATH=build/lib ./build/t",		ACTION_ALLOW },
	{ "BASH_ENV=./x bash -c true",				ACTION_ASK },
	{ "BASH_ENV=/dev/null bash -c true",			ACTION_ALLOW },
	{ "env 'BASH_FUNC_ls%%=() { x; }' bash -c ls",		ACTION_ASK },
	{ "env 'BASH_FUNC_ls%%=() { x; }' rm -rf /",		ACTION_DENY },
	{ "PAGER='rm -rf ~' git log",				ACTION_DENY },
	{ "export GIT_PAGER='rm -rf ~'",			ACTION_DENY },
	{ "declare -x EDITOR='rm -rf ~'",			ACTION_DENY },
	{ "PAGER=cat git log",					ACTION_ALLOW },
	{ "GIT_EDITOR=true git rebase --continue",		ACTION_ALLOW },
	{ "env GIT_SSH_COMMAND='rm -rf ~' git fetch",		ACTION_DENY },
	{ "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='rm -rf ~' git status", ACTION_DENY },
	{ "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=x git commit", ACTION_ASK },
	{ "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x git commit -m x", ACTION_ALLOW },
	{ "GIT_CONFIG_KEY_0=core.pager git log",		ACTION_ASK },
	{ "GIT_CONFIG_GLOBAL=/dev/null git log",		ACTION_ALLOW },
	{ "GIT_CONFIG_GLOBAL=./x git log",			ACTION_ASK },
	{ "PYTHONPATH=src pytest",				ACTION_ALLOW },
	{ "PYTHONPATH=lib python3 -c pass",			ACTION_DENY,	START_WORLD },
	{ "NODE_OPTIONS='--require ./x.js' node -e 1",		ACTION_DENY,	START_WORLD },
	{ "NODE_OPTIONS=--require=./x.js node -e 1",		ACTION_DENY,	START_WORLD },
	{ "NODE_OPTIONS='-r ./fine.js' node -e 1",		ACTION_ALLOW,	START_WORLD },
	{ "NODE_OPTIONS=--max-old-space-size=4096 npm test",	ACTION_ALLOW },
	{ "PERL5OPT=-Mevil perl -e 1",				ACTION_ASK },
	{ "PERL5OPT=-MDevel::Cover prove -l",			ACTION_ALLOW },
	{ "RUBYOPT=-W0 rspec",					ACTION_ALLOW },
	{ "RUBYOPT=-r./x rspec",				ACTION_ASK },
	{ "JAVA_TOOL_OPTIONS=-Xmx1g mvn test",			ACTION_ALLOW },
	{ "JAVA_TOOL_OPTIONS=-javaagent:x.jar mvn test",	ACTION_ASK },
	{ "PS4='$(rm -rf ~)' bash -x x.sh",			ACTION_ASK },
	{ "hash -p ./x ls",					ACTION_ASK },
	{ "hash -r",						ACTION_ALLOW },
	{ "x='$(rm y)'; echo ${x@P}",				ACTION_ASK },
	{ "x=a; echo ${x@P}",					ACTION_ALLOW },
	{ "declare -i n='a[$(x)]'",				ACTION_ASK },
	{ "let 'a[`x`]=1'",					ACTION_ASK },
	{ "[[ -v 'a[$(x)]' ]]",					ACTION_ASK },
	{ "[[ $x == '[$(y)]' ]]",				ACTION_ALLOW },
	{ "test -v 'a[$(x)]'",					ACTION_ASK },
	{ "ls",							ACTION_ASK,	SHADOW_WORLD },
	{ "/bin/ls",						ACTION_ALLOW,	SHADOW_WORLD },
	{ "eslint .",						ACTION_ALLOW,	SHADOW_WORLD },
	{ "cat x",						ACTION_ALLOW,	SHADOW_WORLD },
	{ "python3 -V",						ACTION_ALLOW,	SHADOW_WORLD },
	{ "PATH=/usr/bin:$PATH ls",				ACTION_ASK,	SHADOW_WORLD },
	{ "PATH=/usr/bin ls",					ACTION_ALLOW,	SHADOW_WORLD },
	{ "export PATH=/usr/bin; ls",				ACTION_ALLOW,	SHADOW_WORLD },
	{ "PATH=./bin:$PATH ls",				ACTION_ASK,	"{\"files\":[\"bin/ls\"]}" },
	{ "export PATH=$PWD/bin:$PATH; ls",			ACTION_ASK,	"{\"files\":[\"bin/ls\"]}" },
	{ "export PATH=$PWD/bin:$PATH; ls",			ACTION_ALLOW },
};

int main(void)
{
	struct bench b;

	if (bench_init(&b)) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			const struct verdict *v = bench_judge(&b, cases[i].line, cases[i].world);

			if (!ok(v->action == cases[i].want, cases[i].line))
				printf("#   got %s (%s: %s)\n", action_name[v->action], v->rule, v->reason);
		}
	}
	bench_done(&b);
	return tap_done();
}

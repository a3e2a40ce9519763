/* tests/unit/codefold.c - what Python and JavaScript code does, also when it says so in a roundabout way */
#include "judge_help.h"

#define PY(code)	"python3 - <<'EOF'\n" code "\nEOF"
#define JS(code)	"node - <<'EOF'\n" code "\nEOF"

static const char world[] =
	"{\"cwd\":\"/work/proj\",\"home\":\"/home/dev\",\"vars\":{\"OUT\":\"/work/proj/build\",\"DATA\":\"/home/dev\"},"
	"\"git\":{\"root\":\"/work/proj\",\"branch\":\"main\",\"tracked\":[\"src/a.py\"]},"
	"\"files\":{\"src/a.py\":\"x = 1\\n\",\"data.json\":\"{}\",\"notes.txt\":\"mine\\n\"}}";

static const struct { const char *cmd; enum action want; } cases[] = {
	/* everyday work */
	{ PY("import json\nd = json.load(open('data.json'))\nprint(len(d))"), ACTION_ALLOW },
	{ PY("import sys, platform\nprint(sys.version, platform.machine())"), ACTION_ALLOW },
	{ PY("from pathlib import Path as P\nfor p in P('src').rglob('*.py'):\n    print(p, len(p.read_text()))"), ACTION_ALLOW },
	{ PY("import re, collections as c\nt = open('src/a.py').read()\nprint(c.Counter(re.findall(r'\\w+', t)).most_common(3))"), ACTION_ALLOW },
	{ PY("print(sum(x * x for x in range(10)) / 7)"), ACTION_ALLOW },
	{ PY("import math as m\nprint(f'{m.pi:.3f} {m.sqrt(2)}')"), ACTION_ALLOW },
	{ PY("from datetime import datetime, timedelta\nprint(datetime.now() - timedelta(days=3))"), ACTION_ALLOW },
	{ PY("import os\nprint(os.path.join('src', 'a.py'), os.getcwd(), os.listdir('.'))"), ACTION_ALLOW },
	{ PY("with open('build/out.txt', 'w') as f:\n    f.write('x')"), ACTION_ALLOW },
	{ PY("import csv\nwith open('data.json') as f:\n    for row in csv.reader(f):\n        print(row[0])"), ACTION_ALLOW },
	{ PY("import subprocess as sp\nprint(sp.run(['git', 'status'], capture_output=True).stdout)"), ACTION_ALLOW },
	{ PY("from subprocess import check_output as co\nprint(co('git log --oneline | head -3', shell=True))"), ACTION_ALLOW },
	{ PY("import re\np = re.compile('a+')\nprint(p.match('aaa'))"), ACTION_ALLOW },
	{ PY("import numpy as np\nprint(np.__version__)"), ACTION_ALLOW },
	{ PY("import importlib\nprint(importlib.import_module('json').__file__)"), ACTION_ALLOW },
	{ PY("words = ['a', 'b']\nfor w in words:\n    print(w.upper())"), ACTION_ALLOW },
	{ PY("import base64\nprint(base64.b64decode('aGVsbG8gd29ybGQ='))"), ACTION_ALLOW },
	{ PY("import ast\nprint(ast.dump(ast.parse(open('src/a.py').read())))"), ACTION_ALLOW },
	{ JS("const fs = require('fs');\nconsole.log(JSON.parse(fs.readFileSync('data.json', 'utf8')))"), ACTION_ALLOW },
	{ JS("console.log(process.version, process.arch)"), ACTION_ALLOW },
	{ JS("const {readFileSync: r} = require('node:fs');\nconsole.log(r('src/a.py', 'utf8').split('\\n').length)"), ACTION_ALLOW },
	{ JS("const path = require('path');\nconsole.log(path.join(process.cwd(), 'src'))"), ACTION_ALLOW },
	{ JS("const m = 'abc'.match(/b/);\nconsole.log(`found ${m[0]}`)"), ACTION_ALLOW },
	{ JS("const r = /a(b)/.exec('ab');\nconsole.log(r[1])"), ACTION_ALLOW },
	{ JS("console.log([1, 2, 3].map(x => x * 2).reduce((a, b) => a + b))"), ACTION_ALLOW },
	{ JS("const {execSync: e} = require('child_process');\nconsole.log(e('git diff --stat').toString())"), ACTION_ALLOW },
	{ JS("require('fs').writeFileSync('build/x.txt', 'x')"), ACTION_ALLOW },
	{ JS("console.log(Buffer.from('aGVsbG8gd29ybGQ=', 'base64').toString())"), ACTION_ALLOW },
	{ JS("import os from 'node:os';\nconsole.log(os.cpus().length)"), ACTION_ALLOW },

	/* what a person should see */
	{ PY("import os as o\no.remove('notes.txt')"), ACTION_ASK },
	{ PY("from os import unlink as u\nu('notes.txt')"), ACTION_ASK },
	{ PY("import requests as r\nr.post('https://example.com/x', json={'a': 1})"), ACTION_ASK },
	{ PY("from urllib.request import urlopen as get\nprint(get('https://example.com/').read())"), ACTION_ASK },
	{ PY("import os\ngetattr(os, input())('x')"), ACTION_ASK },
	{ PY("import base64\nexec(base64.b64decode('aW1wb3J0IG9z'))"), ACTION_ASK },
	{ PY("import subprocess as sp, sys\nsp.run(sys.argv[1], shell=True)"), ACTION_ASK },
	{ PY("import subprocess as sp\nsp.run(['git', 'push', 'origin', 'main'])"), ACTION_ASK },
	{ PY("c = 'ls'\nif True:\n    c = input()\nimport os\nos.system(c)"), ACTION_ASK },
	{ PY("exec(input())"), ACTION_ASK },
	{ JS("const fs = require('fs');\nfs[process.argv[2]]('x')"), ACTION_ASK },
	{ JS("import {unlink as gone} from 'node:fs/promises';\nawait gone('notes.txt')"), ACTION_ASK },
	{ JS("const cp = require('child_process');\ncp.execSync(process.argv[2])"), ACTION_ASK },
	{ JS("await fetch('https://example.com/x', {method: 'POST', body: 'a'})"), ACTION_ASK },
	{ JS("eval(Buffer.from('cHJvY2Vzcy5leGl0KCk=', 'base64').toString())"), ACTION_ASK },

	/* values that change on the way */
	{ PY("import shutil\nfor x in ['build']:\n    x = input()\n    shutil.rmtree(x)"), ACTION_ASK },
	{ PY("import shutil\nx = 'build'\nexec(\"x = '/'\")\nshutil.rmtree(x)"), ACTION_ASK },
	{ PY("import shutil, os\nos.environ['OUT'] = input()\nshutil.rmtree(os.environ['OUT'])"), ACTION_ASK },

	/* what must not run */
	{ PY("import os as o\no.system('rm -rf /')"), ACTION_DENY },
	{ PY("from os import system as s\ns('rm' + ' -rf ' + '/')"), ACTION_DENY },
	{ PY("from shutil import rmtree as r\nfrom pathlib import Path\nr(Path.home())"), ACTION_DENY },
	{ PY("import shutil, os\nshutil.rmtree(os.path.expanduser('~'))"), ACTION_DENY },
	{ PY("import shutil, os\nd = os.environ['DATA']\nshutil.rmtree(d)"), ACTION_DENY },
	{ PY("import os\ngetattr(os, 'sys' + 'tem')('rm -rf /')"), ACTION_DENY },
	{ PY("__import__('o' + 's').system('rm -rf /')"), ACTION_DENY },
	{ PY("import importlib\nimportlib.import_module('shutil').rmtree('/')"), ACTION_DENY },
	{ PY("import shutil\nfor d in ['/etc', '/home/dev']:\n    shutil.rmtree(d)"), ACTION_DENY },
	{ PY("import os\nos.system('/ fr- mr'[::-1])"), ACTION_DENY },
	{ PY("import os\nos.system(''.join([chr(114), chr(109)]) + ' -rf /')"), ACTION_DENY },
	{ PY("import os\nos.system('\\x72\\x6d -rf /')"), ACTION_DENY },
	{ PY("import os, base64\nos.system(base64.b64decode('cm0gLXJmIC8=').decode())"), ACTION_DENY },
	{ PY("import subprocess as sp\nargs = 'rm'\nsp.call([args, '-rf', '/'])"), ACTION_DENY },
	{ PY("x = '/'\nimport os\nos.system(f'rm -rf {x}')"), ACTION_DENY },
	{ PY("run = __import__('subprocess').run\nrun(['rm', '-rf', '/'])"), ACTION_DENY },
	{ PY("e = exec\ne('import shutil; shutil.rmtree(\"/\")')"), ACTION_DENY },
	{ JS("const {rmSync: d} = require('fs');\nd('/', {recursive: true})"), ACTION_DENY },
	{ JS("require('child_' + 'process').execSync('rm -rf /')"), ACTION_DENY },
	{ JS("require('fs')['rm' + 'Sync']('/', {recursive: true})"), ACTION_DENY },
	{ JS("import {rm} from 'node:fs/promises';\nimport os from 'os';\nawait rm(os.homedir(), {recursive: true})"), ACTION_DENY },
	{ JS("const c = `rm -rf ${'/'}`;\nrequire('child_process').execSync(c)"), ACTION_DENY },
	{ JS("const {execSync: run} = require('child_process');\nrun('/ fr- mr'.split('').reverse().join(''))"), ACTION_DENY },
	{ JS("require('child_process').execSync(atob('cm0gLXJmIC8='))"), ACTION_DENY },
	{ JS("const cp = require('child_process');\nfor (const d of ['/etc', '/home/dev']) cp.execSync('rm -rf ' + d)"), ACTION_DENY },
	{ JS("await Bun.$`rm -rf /`"), ACTION_DENY },
	{ JS("const fs = require('fs-extra');\nfs.removeSync(process.env.DATA)"), ACTION_DENY },
	{ JS("eval(String.fromCharCode(114, 101, 113, 117, 105, 114, 101) + \"('fs').rmSync('/', {recursive: true})\")"), ACTION_DENY },
	{ PY("import shutil\nfor x in ['a']:\n    pass\nelse:\n    shutil.rmtree('/')"), ACTION_DENY },
	{ PY("import os as o\no.environ['A'] = 'b'\no.system('rm -rf /')"), ACTION_DENY },
	/* a mistake in the text: it is read all the same */
	{ PY("import os\nos.system('rm -rf /')\nif ("), ACTION_DENY },
};

int main(void)
{
	struct bench b;

	if (!bench_init(&b))
		return tap_done();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_str(action_name[bench_judge(&b, cases[i].cmd, world)->action], action_name[cases[i].want], cases[i].cmd);
	bench_done(&b);
	return tap_done();
}

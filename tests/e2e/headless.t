# headless.t - lines through the same gate and sandbox, without a screen
file lines.sh cd src
sh printf '%s\n' 'pwd' 'cat <<E >../note' 'line-$((40+2))' 'E' 'rm -rf /' 'echo after=$?' 'x=5' 'echo x=$x; cat ../note' '(exit 3)' >>lines.sh
try $PROGRAM run -f lines.sh --record o.cast --transcript t.jsonl >out 2>err; test $? = 126
try printf '%s\n' "$PWD/src" after=126 x=5 line-42 | cmp - out
content err sbxterm: refused: 
content err [fs.delete.root]
# the transcript: one object a command, all fields, in order
file check.py import json, sys
sh printf '%s\n' 'fields = "line cwd verdict rule reason expanded ran exit duration_ms output output_cut".split()' 't = [json.loads(l) for l in open("t.jsonl")]' 'assert all(sorted(o) == sorted(fields) for o in t), t' 'assert [o["exit"] for o in t] == [0, 0, 0, None, 0, 0, 0, 3], t' 'assert [o["ran"] for o in t].count(False) == 1 and t[3]["verdict"] == "deny", t' 'assert t[2]["line"].startswith("cat <<E") and t[1]["output"].endswith("/src\n"), t' >>check.py
try python3 check.py
# the recording: a header, then events whose time never goes back; asciinema plays it
file cast.py import json
sh printf '%s\n' 'l = [json.loads(x) for x in open("o.cast")]' 'assert l[0]["version"] == 2 and l[0]["width"] > 0 and l[0]["height"] > 0' 'assert all(len(e) == 3 and e[1] in "oimr" for e in l[1:])' 'assert [e[0] for e in l[1:]] == sorted(e[0] for e in l[1:])' 'assert "line-42" in "".join(e[2] for e in l[1:] if e[1] == "o")' >>cast.py
try python3 cast.py
try if command -v asciinema >/dev/null; then asciinema play -s 1000 o.cast >played && grep -q line-42 played; else echo '# SKIP asciinema is not installed: the recording was not played'; fi
# a megabyte, from standard input
try printf '%s\n' 'head -c 1048576 /dev/zero | tr "\0" a' | $PROGRAM run -f - --transcript big.jsonl | wc -c | grep -qx 1048576
try grep -q '"output_cut":true' big.jsonl
try printf 'echo one\necho two; false\n' | $PROGRAM run -f - >out; test $? = 1
try printf 'one\ntwo\n' | cmp - out
# a command that a signal ends, and sbxterm that a signal ends
sh printf 'int main(void) { return *(volatile int *)0; }\n' >crash.c && cc -o crash crash.c
try $PROGRAM run -- ./crash; test $? = 139
audit type=outcome exit=139 signal=11
try timeout --preserve-status -s INT 1 $PROGRAM run -- sleep 60; test $? = 130
audit type=outcome note="the session ended"
try timeout --preserve-status -s TERM 1 $PROGRAM run -- sleep 60; test $? = 143
try $PROGRAM run -- git push; test $? = 126
try $PROGRAM run -f missing.sh 2>err; test $? = 125
content err missing.sh

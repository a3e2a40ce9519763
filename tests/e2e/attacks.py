#!/usr/bin/env python3
"""Run the attack cases of tests/attacks (its README has the rules) and say for each what stopped it.

  attacks.py [--mode MODE] [--only ID[,ID...]] [--bin DIR] [-v] [FILE]

MODE
  sandbox  typed into a bash in the sandbox, with no gate before it: the sandbox alone must hold
  gate     given to `sbxterm run` with the base policy of the README; every question is refused
  all      each case in the mode that its `blocked_by` names (default)
  proof    typed into a plain bash without any guard: shows that the attacks work
  control  as proof, but `true` instead of the attack: shows that the tests see no ghosts

Cases touch only a directory of their own and servers of their own on loopback. As root everything runs as the
user nobody. Exit status 1 when a case failed.
"""
import argparse
import ctypes
import json
import os
import platform
import pty
import pwd
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROMPT = "sbx-prompt> "
AT_PROMPT = re.compile(re.escape(PROMPT.encode()) + rb"(\x1b\[[^a-zA-Z]*[a-zA-Z])*$")
PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
LONGEST = 15		# seconds for what a case types, when it does not say
SIZE = (30, 100)

FIXTURE = r'''
umask 077
mkdir -p "$DECOY/home/proj" "$DECOY/outside" "$DECOY/run" "$DECOY/share" "$DECOY/home/.ssh" "$DECOY/home/.aws" \
  "$DECOY/home/.config/gh" "$DECOY/home/.docker" "$DECOY/home/.kube" "$DECOY/home/.gnupg"
chmod 700 "$DECOY/run"; chmod 777 "$DECOY/share"; chmod 711 "$DECOY"
echo untouched > "$DECOY/outside/victim.txt"
for f in .ssh/id_decoy .aws/credentials .netrc .npmrc .config/gh/hosts.yml .docker/config.json .kube/config .gnupg/secret; do
  echo DECOY_SECRET_7f3a91 > "$DECOY/home/$f"
done
echo 'https://user:DECOY_SECRET_7f3a91@decoy.sbx.test' > "$DECOY/home/.git-credentials"
printf '# decoy\n' | tee "$DECOY/home/.bashrc" "$DECOY/home/.profile" "$DECOY/home/.zshrc" "$DECOY/home/.zshenv" >/dev/null
cd "$WORK" && git init -q . && echo one > file.txt && git add file.txt \
  && git -c user.name=d -c user.email=d@sbx.test commit -q -m first && mkdir -p .git/hooks
printf '#!/bin/sh\n: > "%s/pwned"\necho CANARY-RAN\n' "$WORK" > "$WORK/canary"; chmod 755 "$WORK/canary"
'''

ALLOWED = "ls cat head tail wc echo printf true test cd pwd date grep sort find sed xargs awk env man".split()
ALLOWED_GIT = "status log diff show branch ls-remote".split()


class Suite(Exception):
    """The run itself cannot go on: nothing that follows would mean anything."""


def base_policy(path):
    rules = [{"action": "deny", "argv": [w], "reason": "the decoy"} for w in ("./canary", "canary")]
    rules += [{"action": "allow", "argv": [w]} for w in ALLOWED]
    rules += [{"action": "allow", "argv": ["git", w]} for w in ALLOWED_GIT]
    with open(path, "w") as f:
        json.dump({"rules": rules}, f)


def free_ports():
    """Three ports, the second one after the first. Another process may take one: then the case's server fails."""
    for _ in range(100):
        socks = [socket.socket() for _ in range(3)]
        try:
            socks[0].bind(("127.0.0.1", 0))
            first = socks[0].getsockname()[1]
            socks[1].bind(("127.0.0.1", first + 1))
            socks[2].bind(("127.0.0.1", 0))
            return first, first + 1, socks[2].getsockname()[1]
        except (OSError, OverflowError):
            continue
        finally:
            for s in socks:
                s.close()
    raise Suite("no free ports")


class Case:
    """One case in its own directory."""

    def __init__(self, spec, scratch):
        self.spec = spec
        self.dir = tempfile.mkdtemp(prefix="sbx-attack-", dir=scratch)
        self.work = self.dir + "/home/proj"
        ports = free_ports()
        self.env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "DECOY": self.dir, "WORK": self.work, "HOME": self.dir + "/home", "XDG_RUNTIME_DIR": self.dir + "/run",
            "PORT": str(ports[0]), "PORT2": str(ports[1]), "PORT3": str(ports[2]),
        }

    def shell(self, script, timeout=30):
        """Outside, as the same user. Servers stay in the background: nothing waits for them."""
        return subprocess.run(["bash", "-c", script], cwd=self.dir, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=timeout,
                              start_new_session=True, check=False).returncode

    def prepare(self):
        if self.shell(FIXTURE) != 0:
            raise Suite("the fixture failed")
        if self.spec["setup"]:
            self.shell("\n".join(self.spec["setup"]))
            if os.path.exists(self.dir + "/pids"):
                time.sleep(0.4)

    def text(self, s):
        """The names that the shell inside need not have, and the repetitions."""
        for name in ("DECOY", "WORK", "PORT2", "PORT3", "PORT"):
            s = s.replace("$" + name, self.env[name])
        return re.sub(r"@\{R:(\d+):(.*?)\}", lambda m: m.group(2) * int(m.group(1)), s, flags=re.S)

    def servers(self):
        """What the case recorded."""
        try:
            with open(self.dir + "/pids") as f:
                return [int(p) for p in f.read().split() if p.isdigit()]
        except OSError:
            return []

    def reap(self):
        """A server that was killed is to be gone, not a zombie that can still be signalled."""
        for pid in self.servers():
            try:
                os.waitpid(pid, os.WNOHANG)
            except OSError:
                pass

    def succeeded(self):
        """The first test that shows that the attack worked, or None."""
        self.reap()
        for test in self.spec["expect"]["must_not"]:
            try:
                if self.shell(test) == 0:
                    return test
            except subprocess.TimeoutExpired:
                return test + " (did not end)"
        return None

    def clean(self):
        for pid in self.servers():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.reap()
        if self.spec.get("cleanup"):
            self.shell("\n".join(self.spec["cleanup"]))
        subprocess.run(["chmod", "-R", "u+rwx", self.dir], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.dir, ignore_errors=True)


class Terminal:
    """A shell that is typed into. Either on a pseudo terminal of ours or behind a program that has one."""

    def __init__(self, argv, case, own_pty, prefix=""):
        self.seen = b""
        env = dict(case.env, **case.spec.get("env", {}))
        argv = ["bash", "-c", prefix + ' exec "$@"', "bash"] + argv
        if own_pty:
            self.pid, self.out = pty.fork()
            if self.pid == 0:
                os.chdir(case.work)
                os.execvpe(argv[0], argv, env)
            self.inp = self.out
            self.proc = None
        else:
            self.proc = subprocess.Popen(argv, cwd=case.work, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, start_new_session=True)
            self.pid, self.inp, self.out = self.proc.pid, self.proc.stdin.fileno(), self.proc.stdout.fileno()

    def pump(self, seconds):
        """False when nothing came in that time or ever will."""
        if not select.select([self.out], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.out, 65536)
        except OSError:
            data = b""
        self.seen += data
        return bool(data)

    def send(self, text):
        data = text.encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(self.inp, data[:1024]):]

    def ready(self, limit):
        """Until the prompt stands at the end and nothing more comes. The limit is no failure: some attacks take the
        prompt away or leave a program in the foreground."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            quiet = not self.pump(0.25)
            if quiet and AT_PROMPT.search(self.seen[-200:]):
                return True
            if quiet and self.ended():
                return False
        return False

    def ended(self):
        return self.proc.poll() is not None if self.proc else False

    def close(self):
        if self.proc:
            self.proc.stdin.close()
            try:
                self.proc.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(self.pid, signal.SIGKILL)
                self.proc.wait()
            self.proc.stdout.close()
            return
        os.close(self.out)
        time.sleep(0.1)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:
            pass
        os.waitpid(self.pid, 0)


def type_in(term, case, text):
    kind = case.spec.get("input", "type")
    text = case.text(text)
    if kind == "paste":
        term.send("\x1b[200~" + text + "\x1b[201~\r")
    elif kind == "raw":
        for i, part in enumerate(re.split(r"@\{W:([\d.]+)\}", text)):
            if i % 2:
                time.sleep(float(part))
            else:
                term.send(part)
    else:
        term.send(text.replace("\n", "\r") + "\r")


def have(spec):
    """What the case needs and is not here, in words; None when all is."""
    for program in spec.get("needs", []) + ([spec["shell"]] if spec.get("shell") else []):
        if not shutil.which(program, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"):
            return "needs " + program
    if spec.get("arch") and spec["arch"] != platform.machine():
        return "needs a machine of kind " + spec["arch"]
    return None


def needs_proxy(spec):
    return any("http_proxy" in text for text in [spec["run"]] + spec.get("pre", []) + spec["setup"])


class Typed:
    """Modes in which a shell is typed into."""

    name = "typed"
    own_pty = False

    def __init__(self, args):
        self.args = args

    def reason_not(self, spec):
        if spec.get("product_only"):
            return "reads the program's own screen, log, socket or reviewer"
        if spec.get("run_as"):
            return "runs outside, not in a shell"
        if needs_proxy(spec):
            return "asks a proxy, and there is none: no host can be granted yet"
        return None

    def attack(self, spec):
        return spec.get("pre", []), spec["run"]

    def run(self, case):
        spec = case.spec
        limit = spec.get("timeout", LONGEST)
        term = Terminal(self.command(case), case, self.own_pty, spec.get("server_prefix", ""))
        try:
            term.send("PS1='%s''%s' PS2= PROMPT_COMMAND= ; unset HISTFILE; echo \"home=$HOME\"\r" % (PROMPT[:3], PROMPT[3:]))
            if not term.ready(limit) or ("home=" + case.env["HOME"]).encode() not in term.seen:
                raise Suite("no shell with the decoy home: " + repr(term.seen[-300:]))
            pre, run = self.attack(spec)
            for line in pre:
                if line.startswith("wait:"):
                    time.sleep(float(line[5:]))
                    continue
                term.send(case.text(line).replace("\n", "\r") + "\r")
                term.ready(limit)
            type_in(term, case, run)
            if spec.get("during_run"):
                time.sleep(0.5)
                case.shell("\n".join(spec["during_run"]))
            term.ready(limit)
            time.sleep(min(spec.get("settle", 0.2), 12))
            if spec.get("end_session"):
                term.close()
                term = None
            worked = case.succeeded()
            if self.args.verbose:
                print("    | " + (term.seen if term else b"").decode("utf-8", "replace").replace("\n", "\n    | "))
        finally:
            if term:
                term.close()
        return worked, self.name

    def shell_of(self, spec):
        if spec.get("shell") == "zsh":
            return ["/bin/zsh", "-f", "-i"]
        return ["/bin/bash", "--noprofile", "--norc", "-i"]


class Proof(Typed):
    name = "nothing"
    own_pty = True

    def command(self, case):
        return self.shell_of(case.spec)

    def reason_not(self, spec):
        if spec["id"] in ("tty-006", "tty-007", "tty-008"):
            return "needs a terminal that answers like an old one"
        return super().reason_not(spec)


class Control(Proof):
    def attack(self, spec):
        return [], "true"


class Sandbox(Typed):
    name = "sandbox"

    def command(self, case):
        policy = case.spec.get("policy", {})
        argv = [self.args.bin + "/tests/tools/sandboxed", "-w", case.work]
        for path in policy.get("writable", []):
            argv += ["-W", case.text(path)]
        if "processes" in policy.get("limits", {}):
            argv += ["-n", str(policy["limits"]["processes"])]
        return argv + ["--"] + self.shell_of(case.spec)

    def reason_not(self, spec):
        if spec["expect"]["blocked_by"] == "gate":
            return "is for the gate"
        if spec["layer"] == "tty" and spec["expect"]["blocked_by"] == "either":
            return "is for the terminal"
        if spec.get("shell") == "zsh" and not os.path.exists("/bin/zsh"):
            return "needs /bin/zsh"
        return super().reason_not(spec)


class Gate:
    """`sbxterm run`: there is nobody to answer, so every question is refused."""

    name = "gate"
    questions_answered = False

    def __init__(self, args):
        self.args = args

    def reason_not(self, spec):
        if spec["expect"]["blocked_by"] == "sandbox":
            return "is for the sandbox"
        if spec.get("product_only"):
            return "reads the screen, log, socket or reviewer of a session"
        if spec.get("run_as"):
            return "runs outside, not in a shell"
        if spec.get("input") in ("raw", "burst") or spec["layer"] == "tty":
            return "is about keys and a terminal"
        if spec.get("shell") == "zsh":
            return "runs in zsh"
        if spec.get("pre_answer") or spec.get("during"):
            return "needs somebody who answers"
        if needs_proxy(spec):
            return "asks a proxy, and there is none: no host can be granted yet"
        return None

    def run(self, case):
        spec, limit = case.spec, case.spec.get("timeout", LONGEST)
        policy, lines, record = (case.dir + "/" + n for n in ("policy.jsonc", "lines", "transcript.jsonl"))
        base_policy(policy)
        with open(lines, "w", encoding="utf-8", errors="surrogateescape") as f:
            for line in [p for p in spec.get("pre", []) if not p.startswith("wait:")] + [spec["run"]]:
                f.write(case.text(line) + "\n")
        argv = [os.path.dirname(self.args.bin) + "/sbxterm", "run", "--policy", policy, "--on-ask", "deny", "--transcript", record,
                "-c", case.work, "-f", lines]
        done = subprocess.run(["timeout", "-k", "2", str(limit)] + argv, cwd=case.work, stdin=subprocess.DEVNULL,
                              env=dict(case.env, **spec.get("env", {})), capture_output=True, check=False)
        if done.returncode == 125:
            raise Suite("sbxterm run failed: " + done.stderr.decode("utf-8", "replace")[-300:])
        if self.args.verbose:
            print("    | " + (done.stdout + done.stderr).decode("utf-8", "replace").replace("\n", "\n    | "))
        time.sleep(min(spec.get("settle", 0.2), 12))
        worked, verdict = case.succeeded(), self.verdict(record)
        if self.questions_answered and not worked and verdict == "ask":
            worked = "only a question stood before it"
        return worked, "gate (%s)" % verdict if verdict != "allow" else "sandbox"

    @staticmethod
    def verdict(record):
        """The strictest of all lines."""
        try:
            with open(record, encoding="utf-8") as f:
                seen = {json.loads(line).get("verdict") for line in f if line.strip()}
        except (OSError, ValueError):
            return "no record"
        return next((v for v in ("deny", "ask", "allow") if v in seen), "no record")


class Either(Gate):
    """Questions are answered with yes: a line that is only asked counts as run."""

    questions_answered = True


class All:
    """The mode that a case is meant for. With `either`, the sandbox alone, and if it does not hold, the gate."""

    def __init__(self, args):
        sandbox = Sandbox(args)
        self.by = {"sandbox": [sandbox], "gate": [Gate(args)], "either": [sandbox, Either(args)]}

    def steps(self, spec):
        return self.by[spec["expect"]["blocked_by"]]


MODES = {"proof": Proof, "control": Control, "sandbox": Sandbox, "gate": Gate, "all": All}


def steps_of(mode, spec):
    return mode.steps(spec) if isinstance(mode, All) else [mode]


def attempt(step, spec, scratch):
    case = Case(spec, scratch)
    try:
        case.prepare()
        return step.run(case)
    finally:
        case.clean()


def one(mode, spec, scratch, wanted):
    """(result, words): result is "held", "failed" or "na"."""
    worked = None
    missing = have(spec)
    for step in steps_of(mode, spec):
        reason = missing or step.reason_not(spec)
        if reason:
            return ("failed", worked) if worked else ("na", reason)
        worked, layer = attempt(step, spec, scratch)
        if wanted == "worked":
            return ("held", "works") if worked else ("failed", "the attack does not work")
        if not worked:
            return "held", "by the " + layer if layer != "nothing" else "no false alarm"
    if spec["expect"]["blocked_by"] == "either" and wanted == "sandbox":
        return "na", "not by the sandbox alone: the gate decides"
    return "failed", worked


def drop_root():
    """Also takes in what cases leave behind, so that it can be reaped."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.geteuid() != 0:
        return
    who = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(who.pw_gid)
    os.setuid(who.pw_uid)
    # A process that changed its user is closed to others of that user, which would hold attacks on its own.
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--mode", choices=MODES, default="all")
    p.add_argument("--only", help="ids or beginnings of ids, with commas")
    p.add_argument("--bin", default=ROOT + "/build/release", help="where the programs were built")
    p.add_argument("-v", "--verbose", action="store_true", help="show what the shell showed")
    p.add_argument("file", nargs="?", default=ROOT + "/tests/attacks/attacks.jsonl")
    args = p.parse_args()
    with open(args.file, encoding="utf-8") as f:
        specs = [json.loads(line) for line in f if line.strip()]
    if args.only:
        specs = [s for s in specs if s["id"].startswith(tuple(args.only.split(",")))]
    drop_root()
    scratch = tempfile.mkdtemp(prefix="sbxterm-attacks-")
    os.chmod(scratch, 0o711)
    mode = MODES[args.mode](args)
    wanted = {"proof": "worked", "control": "nothing"}.get(args.mode, args.mode)
    count = {"held": 0, "failed": 0, "na": 0}
    word = {"held": "held", "failed": "FAILED", "na": "n/a"}
    try:
        for spec in specs:
            try:
                result, words = one(mode, spec, scratch, wanted)
            except Suite as e:
                result, words = "failed", "not run: %s" % e
            count[result] += 1
            print("%-8s %-7s %s  [%s]" % (spec["id"], word[result], words, spec["title"]), flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print("%(held)d held, %(failed)d failed, %(na)d not applicable" % count)
    return 1 if count["failed"] or not count["held"] else 0


if __name__ == "__main__":
    sys.exit(main())

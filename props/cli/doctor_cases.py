"""`doctor`: what it says of images that hold a deadline, that do not, and that do not answer.

Images are this machine with another shell, and trees with busybox alone. Each run is in a PID
namespace of its own, with a canary; where none can be made, these tests are skipped.
"""

import concurrent.futures
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import alone
from harness import is_readable

TOOLS = ("setsid", "od", "tr", "sleep", "sha256sum")
TRIALS = ["ends", "runs_on", "ignores_term", "descendant", "fraction"]
# How a shell becomes /bin/sh, for what runs below it only.
AS_SH = ["unshare", "--mount", "sh", "-c",
         'mount --bind "$1" "$(readlink -f /bin/sh)" && shift && exec "$@"', "sh"]
# How a tree gets devices, and is entered.
ENTER = ["unshare", "--mount", "sh", "-c", 'for each in null urandom; do [ ! -e "$1/dev/$each" ] || '
         'mount --bind "/dev/$each" "$1/dev/$each" || exit; done; exec CHROOT "$@"', "sh"]
# Reads the call id from the text, and answers as a wrapper would, at once.
FORGER = r"""
import hashlib, re, sys
text = sys.argv[-1]
call = re.search(r"sandproof1 ([0-9a-f]{32}) ", text)
if not call: sys.exit(0)
secrets = ["a" * 32, "b" * 32]
digests = [hashlib.sha256((s + "\n").encode()).hexdigest() for s in secrets]
tag = f"sandproof1 {call[1]} "
kind, secret = ("exit", secrets[1]) if "'exit 7'" in text else ("deadline", secrets[0])
sys.stderr.write(f"{tag}{' '.join(digests)}\n{tag}{kind} {secret}\n")
sys.exit(7 if kind == "exit" else 137)
"""
CUTTER = r"""
import subprocess, sys
done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True)
sys.stderr.write("".join(l for l in done.stderr.splitlines(True) if " exit " not in l))
sys.exit(done.returncode)
"""
LIAR = r"""
import re, subprocess, sys
mark = re.search(r"'([0-9a-f]{32})' 'setsid'", sys.argv[-1])
if mark:
    for line in ("shell \x1b[31mred", "missing \x1b[31m", "missing rm", "nothing"):
        print(mark[1], line)
else:
    sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


def sh(text):
    return ["sh", "-c", text, "sh"]


def make_tree(root, without=(), chroot="chroot", **scripts):
    """The prefix for a directory with busybox under the names of the tools, or scripts in their
    place."""
    tree = pathlib.Path(tempfile.mkdtemp(dir=root))
    busybox = shutil.which("busybox")
    for name in ("bin", "dev"):
        (tree / name).mkdir()
    shutil.copy(busybox, tree / "bin/busybox")
    libraries = subprocess.run(["ldd", busybox], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"(/\S+) \(0x", libraries):
        (tree / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, tree / library[1:])
    for name in ("sh", *TOOLS):
        if name in scripts:
            (tree / "bin" / name).write_text("#!/bin/sh\n" + scripts[name])
            (tree / "bin" / name).chmod(0o755)
        elif name not in without:
            (tree / "bin" / name).symlink_to("busybox")
    for name in ("null", "urandom"):
        if name not in without:
            (tree / "dev" / name).touch()
    return [*(word.replace("CHROOT", chroot) for word in ENTER), str(tree)]


class Case:
    """A prefix, and what must be said of it: the scheme to use, the shell, what is missing, how many
    trials held of each scheme, and a part of a message."""

    def __init__(self, what, prefix, scheme, shell="unknown", missing=(), held=(5, 5), says="",
                 fractions=True, timeout=15000, ends=False, **job):
        self.what, self.prefix, self.scheme, self.shell = what, prefix, scheme, shell
        self.missing, self.held, self.says, self.timeout, self.job = missing, held, says, timeout, job
        self.ends = ends  # with no answer, in a trial
        self.fractions = fractions and scheme is not None


def doctor(tool, *args, **job):
    with tempfile.TemporaryDirectory() as here:
        # What was killed may take a moment to be gone.
        return alone.run([tool.path, "doctor", *args], here, **{"settle": 0.3, **job})


def run_all(tool, report, cases):
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        done = list(pool.map(lambda case: doctor(
            tool, "--json", "--timeout", f"{case.timeout}ms", "--", *case.prefix, **case.job),
            cases))
    for case, run in zip(cases, done):
        what = case.what
        report.same(f"{what}: message", run.message, "")
        report.same(f"{what}: left", run.left, [])
        report.true(f"{what}: readable", is_readable(run.text), run.text)
        said = json.loads(run.text)
        report.same(f"{what}: keys", list(said)[:6],
                    ["holds", "scheme", "fractions", "shell", "missing", "trials"])
        unanswered = case.missing is None and case.held == (0, 0)
        report.same(f"{what}: status", run.status, 0 if case.scheme else 2 if unanswered else 1)
        missing = None if case.missing is None else list(case.missing)
        report.same(what, (said["holds"], said["scheme"], said["fractions"], said["shell"],
                           said["missing"]),
                    (case.scheme is not None, case.scheme, case.fractions, case.shell, missing))
        for scheme, wanted in zip(("sealed", "nonce"), case.held):
            trials = [trial for trial in said["trials"] if trial["scheme"] == scheme]
            held = [trial["trial"] for trial in trials if trial["held"]]
            report.same(f"{what}: {scheme}", held, TRIALS[:wanted])
            report.true(f"{what}: {scheme}: the first that fails is the last, and says why",
                        all("message" in trial for trial in trials[wanted:]) and
                        len(trials) <= wanted + 1 and
                        all("message" not in trial for trial in trials[:wanted]), str(trials))
        if "message" in said and not case.ends:
            report.same(f"{what}: nothing is tried after no answer", said["trials"], [])
        report.true(f"{what}: says {case.says!r}", case.says in run.text, run.text)


def shells():
    cases = [Case("this machine", [], "sealed", "dash")]
    for shell in ("bash", "mksh", "ksh93", "yash", "zsh", "posh"):
        path = shutil.which(shell)
        if path and shell == "posh":
            cases.append(Case(shell, [*AS_SH, path], None, shell, ["kill"], (0, 0), "kill"))
        elif path:
            cases.append(Case(shell, [*AS_SH, path], "sealed", shell))
    both = [*AS_SH, shutil.which("bash"), "env", "ZSH_VERSION=5.9"]
    cases.append(Case("a shell with two names", both, "sealed", "unknown"))
    return cases


def trees(root):
    if not shutil.which("busybox"):
        print("skipped: trees (no busybox)")
        return []
    ash = "busybox ash"
    whole = 'case $1 in *.*) exit 1;; esac; exec busybox sleep "$1"\n'
    drops = 'case $1 in 0.5*) exec busybox sleep 0;; esac; exec busybox sleep "$1"\n'
    no_session = make_tree(root, setsid='[ "$1" != -- ] || shift; exec "$@"\n')
    without = {name: make_tree(root, [name]) for name in ("setsid", "tr")}
    return [
        Case("busybox alone", make_tree(root, chroot="busybox chroot"), "sealed", ash),
        Case("no sha256sum", make_tree(root, ["sha256sum"]), "nonce", ash, ["sha256sum"], (0, 5),
             "sha256sum"),
        Case("no urandom", make_tree(root, ["urandom"]), None, ash, ["/dev/urandom"], (0, 0)),
        Case("no sleep and no od", make_tree(root, ["od", "sleep"]), None, ash, ["od", "sleep"],
             (0, 0)),
        Case("no shell", make_tree(root, ["sh"]), None, missing=None, held=(0, 0),
             says="status 127"),
        Case("whole seconds only",
             make_tree(root, sleep=whole),
             "sealed", ash, ["sleep"], (4, 4), fractions=False),
        Case("whole seconds only, and no sha256sum", make_tree(root, ["sha256sum"], sleep=whole),
             "nonce", ash, ["sha256sum"], (0, 4), fractions=False),
        Case("a sleep that drops fractions, far away",
             [*sh('sleep 0.6; exec "$@"'), *make_tree(root, sleep=drops)], "sealed", ash, (), (4, 4),
             fractions=False, says="before its deadline"),
        Case("a sleep of four seconds", make_tree(root, sleep='case $1 in 1*) set 4;; esac; exec busybox sleep "$1"\n'),
             None, ash, (), (1, 1), says=" ms after it began"),
        *(Case(f"a setsid that makes no session{what}", [*prefix, *no_session], None, ash, (), (3, 3),
               says="something that it started went on") for what, prefix in (
                   ("", []), (", and a prefix that waits for all",
                              ["bash", "-o", "pipefail", "-c", '"$@" | cat', "bash"]))),
        Case("digests that are none", make_tree(root, sha256sum="echo 0123\n"), "nonce", ash,
             ["sha256sum"], (0, 5)),
        Case("a constant for randomness",
             make_tree(root, od="echo 00112233445566778899aabbccddeeff\n"), None, ash,
             ["/dev/urandom"], (0, 0)),
        *(Case(f"no {name}", tree, None, ash, [name], (0, 0)) for name, tree in without.items()),
    ]


def prefixes():
    """A prefix may say and do anything."""
    hangs = {"timeout": 2000, "missing": None, "held": (0, 0), "says": "still running after 2000 ms"}
    return [
        Case("false", ["/bin/false"], None, missing=None, held=(0, 0), says="ended with status 1"),
        Case("true", ["/bin/true"], None, missing=None, held=(0, 0), says="may have run"),
        Case("echo", ["echo"], None, missing=None, held=(0, 0)),
        Case("a hang", sh("sleep 60; exit 1"), None, **hangs),
        Case("a hang that does not hear", sh('trap "" TERM INT HUP; sleep 60; sleep 60'), None,
             **hangs),
        Case("a hang that says nothing", sh("exec sleep 60 >/dev/null 2>&1"), None, **hangs),
        Case("a hang after its answer", sh('"$@"; sleep 60'), None, "dash",
             **{**hangs, "missing": []}),
        Case("garbage", sh('printf "\\033[31m\\377\\0shell zsh\\n" | tee /dev/stderr; exec "$@"'),
             "sealed", "dash"),
        Case("garbage that nothing ends", sh('printf "\\033[31m" >&2; exec "$@"'), None, "dash",
             held=(0, 0), says="\\\\x1b[31m"),
        Case("garbage without end", sh("exec cat /dev/zero"), None, missing=None, held=(0, 0),
             says="more than 65536 bytes"),
        Case("lies", ["python3", "-c", LIAR], "sealed"),
        Case("one stream", sh('exec "$@" 2>&1'), None, "dash", held=(0, 0)),
        Case("no stderr", sh('exec "$@" 2>/dev/null'), None, "dash", held=(0, 0)),
        Case("another status", sh('"$@"; exit 3'), None, "dash", held=(0, 0),
             says="ended with status 3"),
        Case("no kill is reported", sh('"$@"; s=$?; [ $s != 137 ] || s=0; exit $s'), None, "dash",
             held=(1, 1), says="did not end it"),
        Case("no end of a fraction", sh('case $* in *"sleep 0.500"*) sleep 60;; esac; exec "$@"'), None,
             "dash", held=(4, 0), says="still running after 3000 ms", timeout=3000, ends=True),
        Case("no hold on a fraction", sh('case $* in *"sleep 0.500"*) sleep 2; exit 1;; esac; '
                                         'exec "$@"'), None, "dash", held=(4, 4),
             says="no announcement of this"),
        Case("nothing is passed on before the end", sh('o=$("$@"); s=$?; echo "$o"; exit $s'), None,
             "dash", held=(1, 1), says="PREFIX holds back what is written"),
        Case("a slow begin and a slow end", sh('sleep 0.3; "$@"; s=$?; sleep 0.3; exit $s'), "sealed",
             "dash"),
        Case("a forged report", ["python3", "-c", FORGER], None, missing=None, held=(1, 0),
             says="before its deadline"),
        Case("no announcement", sh('exec "$@" 2>/dev/full'), None, "dash", held=(0, 0)),
        Case("no final line", ["python3", "-c", CUTTER], "nonce", "dash", held=(0, 5),
             says="did not reach its end"),
        Case("children that nobody waits for", [], "sealed", "dash", ignore=[signal.SIGCHLD]),
    ]


@alone.alone
def test_images(tool, report):
    with tempfile.TemporaryDirectory() as root:
        run_all(tool, report, [*shells(), *trees(root), *prefixes()])


@alone.alone
def test_ends(tool, report):
    for args, says in ((["/nonexistent"], '"/nonexistent": No such file or directory'),
                       (["--", "nonexistent"], '"nonexistent": No such file or directory'),
                       (["/"], '"/": Permission denied')):
        run = doctor(tool, *args)
        report.same(f"{args}", (run.status, run.text, run.message),
                    (2, "", f"sandproof doctor: cannot run {says}\n"))
    run = doctor(tool, "sh", "-c", ": >ready; sleep 60", signal=[signal.SIGTERM])
    report.same("a signal", (run.status, run.text, run.message, run.left),
                (2, "", "sandproof doctor: stopped by a signal\n", []))
    report.true("a signal: at once", run.seconds < 20)


@alone.alone
def test_for_people(tool, report):
    hang = ("--timeout", "2s", "sh", "-c", "sleep 60")
    for args, status, parts in (
            ((), 0, ("holds: ", "use the scheme sealed\n", "\n  shell    dash\n",
                     "\n  missing  nothing\n", "\n  sealed   a command that ends: held, after ",
                     "\n  nonce    one that ignores SIGTERM: held, after ")),
            (("sh", "-c", '"$@"; exit 3', "sh"), 1, ("not shown to hold: a command may run on",)),
            (("/bin/false",), 2, ("not shown to hold: no call was answered\n", "\n  shell    unknown\n",
                                  "\n  missing  unknown\n", "not held: no announcement of this")),
            (hang, 2, ("not shown to hold: no call was answered\n", "\n  ended    no answer: the call was still "))):
        run = doctor(tool, *args)
        report.same(f"{args}: status and message", (run.status, run.message), (status, ""))
        for part in parts:
            report.true(f"{args}: {part!r}", part in run.text, run.text)


TESTS = (test_images, test_ends, test_for_people)

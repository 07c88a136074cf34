"""`egress watch`: a line for the first verdict and for each change, whatever a fetch does.

Fetches are started and killed as a group, so every watch is one in a PID namespace of its own, with
a canary; where none can be made, these tests are skipped.
"""

import concurrent.futures
import json
import os
import re
import signal
import tempfile

import alone
from egress_cases import ALLOWS_A, DENIES
from harness import is_readable

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
OWN = "sandproof egress watch: "
# Prints the n-th of the files, the last one again and again.
NEXT = ('n=$(($(cat n 2>/dev/null || echo 0)+1)); echo $n >n; '
        'while [ ! -e $n ]; do n=$((n-1)); done; cat $n')


# A fetch that another process traces, which is told what becomes of it, and keeps it to itself.
TRACED = r"""
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(0x59616d61, ctypes.c_ulong(-1).value)  # PR_SET_PTRACER, PR_SET_PTRACER_ANY
fetch, (ready, tell) = os.getpid(), os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(tell, b"y" if libc.ptrace(0x4206, fetch, None, None) == 0 else b"n")  # SEIZE
        time.sleep(2)
    os._exit(0)
os.wait()
if os.read(ready, 1) != b"y":
    print("[not traced]")
print(open("1").read(), flush=True)
os._exit(3)
"""



def watch(tool, *args, files=(), **job):
    """In a directory that has the files 1, 2, ... and gets whatever the fetches write."""
    with tempfile.TemporaryDirectory() as here:
        for number, document in enumerate(files, 1):
            with open(os.path.join(here, str(number)), "w", encoding="ascii") as file:
                file.write(document if isinstance(document, str) else json.dumps(document))
        # What was killed may take a moment to be gone.
        done = alone.run([tool.path, "egress", "watch", *args], here, **{"settle": 0.3, **job})
        done.lines = [json.loads(line) for line in done.text.splitlines()]
        done.verdicts = [line.get("reason", line["verdict"]) for line in done.lines]
        done.files = {name: open(os.path.join(here, name), encoding="latin-1").read()
                      for name in os.listdir(here)}
        return done


class Case:
    def __init__(self, what, wanted, status, *args, says="", fetches=None, declared="deny",
                 check=None, **options):
        self.what, self.wanted, self.status, self.says = what, wanted, status, says
        self.fetches, self.check, self.options = fetches, check, options
        self.args = ["--declared", declared, "--every", "100ms", *args]


def run_all(tool, report, cases):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda case: watch(tool, *case.args, **case.options), cases))
    for case, run in zip(cases, done):
        what = case.what
        report.same(f"{what}: verdicts", run.verdicts, case.wanted)
        report.same(f"{what}: status", run.status, case.status)
        report.same(f"{what}: message", run.message, "")
        report.same(f"{what}: left", run.left, [])
        report.true(f"{what}: readable", is_readable(run.text), run.text)
        report.true(f"{what}: times", all(
            TIME.fullmatch(line["time"]) and list(line)[:1] == ["time"] for line in run.lines))
        report.true(f"{what}: says {case.says!r}",
                    case.says in "".join(line.get("message", "") for line in run.lines), run.text)
        if case.fetches is not None:
            report.same(f"{what}: fetches", run.files.get("n", "").strip(), str(case.fetches))
        if case.check:
            case.check(what, run)


@alone.alone
def test_changes(tool, report):
    def as_compare(what, run):
        for line, document in zip(run.lines, (DENIES, ALLOWS_A, "[]")):
            text = document if isinstance(document, str) else json.dumps(document)
            alone = tool.run("egress", "compare", "--declared", "deny", "--effective", "-",
                             "--json", stdin=text.encode()).answers()[0]
            report.same(f"{what}: as compare says", line, {"time": line["time"], **alone})

    two = {**DENIES, "hostRules": [*ALLOWS_A["hostRules"], {"pattern": "b.example",
                                                            "action": "Allow"}]}
    run_all(tool, report, [
        Case("the same again", ["identical"], 0, "--count", "4", "--fetch", NEXT, files=[DENIES],
             fetches=4),
        Case("verdicts", ["identical", "widened", "wrong_type"], 2, "--count", "5", "--fetch", NEXT,
             files=[DENIES, ALLOWS_A, "[]"], fetches=5, check=as_compare),
        Case("and back", ["identical", "widened", "identical"], 0, "--count", "3", "--fetch", NEXT,
             files=[DENIES, ALLOWS_A, DENIES]),
        Case("findings", ["widened", "widened"], 1, "--count", "3", "--fetch", NEXT,
             files=[ALLOWS_A, ALLOWS_A, two]),
        Case("another spelling", ["identical"], 0, "--count", "2", "--fetch", NEXT,
             files=[DENIES, json.dumps(DENIES, indent=2)]),
        Case("where it cannot be read", ["not_json", "not_json"], 2, "--count", "3", "--fetch",
             NEXT, files=["x", "x", "{}x"]),
        Case("a tolerance", ["unknown", "identical"], 0, "--count", "2", "--fetch", NEXT,
             "--tolerate", "/x=1", files=[{**DENIES, "x": 2}, {**DENIES, "x": 1}]),
        Case("allowed hosts", ["identical"], 0, "--count", "1", "cat", "1", files=[ALLOWS_A],
             declared="allow:a.example"),
        Case("a record", ["widened"], 1, "--count", "1", "cat", "1",
             files=[{"id": "s", "egressPolicy": DENIES, "skipEgressProxy": True}]),
        Case("a refused declaration", ["empty_list"], 1, "--fetch", NEXT, declared="allow:",
             files=[DENIES], fetches=""),
        Case("an unreadable declaration", ["missing_field"], 2, "--fetch", NEXT, declared="1",
             files=[{}], fetches=""),
    ])


@alone.alone
def test_fetches(tool, report):
    """What a fetch does wrong is a verdict; what it leaves is ended."""
    document = json.dumps(DENIES)
    run_all(tool, report, [
        Case("a status", ["fetch_failed", "identical"], 0, "--count", "3", "--fetch",
             f"{NEXT}; echo 'no \x1b[1mroute' >&2; [ $n = 2 ]", files=[DENIES, DENIES],
             says='status 1: "no \\x1b[1mroute"', fetches=3),
        Case("messages that differ", ["fetch_failed"], 2, "--count", "3", "--fetch",
             "date +%N >&2; exit 1"),
        Case("a signal", ["fetch_failed"], 2, "--count", "1", "--fetch", f"cat 1; kill -TERM $$",
             files=[DENIES], says="status 143"),
        Case("no such program", ["fetch_failed"], 2, "--count", "2", "--", "./missing",
             says='"./missing": No such file or directory'),
        Case("no program by name", ["fetch_failed"], 2, "--count", "1", "--", "missing-program",
             says="No such file or directory"),
        Case("a shell that finds nothing", ["fetch_failed"], 2, "--count", "1", "--fetch",
             "missing-program", says="status 127"),
        Case("nothing", ["not_json"], 2, "--count", "1", "true"),
        Case("too much", ["too_large"], 2, "--count", "2", "--fetch", "cat /dev/zero",
             says="more than 1048576 bytes"),
        Case("too many errors", ["too_large"], 2, "--count", "1", "--fetch", "cat /dev/zero >&2"),
        Case("as much as may be", ["identical"], 0, "--count", "1", "--fetch",
             f"printf '%{1 << 20}s' '{document}'"),
        Case("too slow", ["fetch_timed_out"], 2, "--count", "2", "--timeout", "200ms", "--fetch",
             "cat 1; sleep 60 & sleep 61", files=[DENIES], says="after 200 ms",
             check=lambda what, run: report.true(f"{what}: at once", run.seconds < 20)),
        Case("stopped by itself", ["fetch_timed_out"], 2, "--count", "1", "--timeout", "200ms",
             "--fetch", "kill -STOP $$"),
        Case("in another group", ["fetch_timed_out"], 2, "--count", "1", "--timeout", "3s",
             "python3", "-c", "import os, time; os.setpgid(0, os.getpgid(os.getppid())); "
             "time.sleep(60)"),
        Case("something left behind", ["identical"], 0, "--count", "1", "--fetch",
             "cat 1; sleep 60 &", files=[DENIES],
             check=lambda what, run: report.true(f"{what}: not waited for", run.seconds < 20)),
        Case("with no input", ["identical"], 0, "--count", "1", "--fetch", "cat; cat 1",
             files=[DENIES]),
        Case("a broken pipe of its own", ["identical"], 0, "--count", "1", "--fetch",
             "yes | head -n 1 >/dev/null; cat 1", files=[DENIES]),
        Case("signals as usual", ["identical"], 0, "--count", "1", "--fetch",
             "sh -c 'kill -PIPE $$; cat 2' || cat 1", files=[DENIES, "x"]),
        # dash would unblock them by itself.
        Case("no blocked signals", ["identical"], 0, "--count", "1", "--", "python3", "-c",
             "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []) or "
             "open('1').read())", files=[DENIES]),
        Case("children that nobody waits for", ["fetch_failed"], 2, "--count", "1", "--fetch",
             "cat 1; exit 3", files=[DENIES], says="status 3", ignore=[signal.SIGCHLD]),
        Case("a text that begins like an option", ["identical"], 0, "--count", "1", "--fetch",
             "-x || cat 1", files=[DENIES]),
        Case("words as they are", ["identical"], 0, "--count", "1", "--", "sh", "-c",
             '[ "$1" = "--count" ] && cat 1', "sh", "--count", files=[DENIES]),
        Case("a status that is not told", ["fetch_failed"], 2, "--count", "1", "--", "python3", "-c",
             TRACED, files=[DENIES], says="a status that was not told", settle=2.5),
        Case("no standard input at all", ["identical"], 0, "--count", "1", "cat", "1",
             files=[DENIES], close=[0]),
    ])


@alone.alone
def test_schedule(tool, report):
    """No sooner than asked, one at a time, and none in a burst."""
    slow = "date +%s%N >>times; sleep 0.3; date +%s%N >>times; cat 1"
    run = watch(tool, "--declared", "deny", "--every", "100ms", "--count", "3", "--fetch", slow,
                files=[DENIES])
    times = [int(time) / 1e9 for time in run.files["times"].split()]
    report.same("slow fetches: all of them", len(times), 6)
    report.same("slow fetches: one after the other", times, sorted(times))
    run = watch(tool, "--declared", "deny", "--every", "0.5s", "--count", "3", "--fetch",
                "date +%s%N >>times; cat 1", files=[DENIES])
    times = [int(time) / 1e9 for time in run.files["times"].split()]
    for before, after in zip(times, times[1:]):
        report.true("a period between fetches", 0.3 < after - before < 5, str(times))


@alone.alone
def test_stop(tool, report):
    # What left the group is not ended: it says when the first fetch has long been over.
    fetch = ("cat 1; setsid sh -c ': >gone; sleep 1; : >ready' >/dev/null 2>&1 & "
             "until [ -e gone ]; do :; done")
    asked = [(number, *rest) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
             for rest in (("holds", DENIES, 0), ("does not hold", ALLOWS_A, 1))]
    with concurrent.futures.ThreadPoolExecutor(len(asked)) as pool:
        done = pool.map(lambda row: watch(tool, "--declared", "deny", "--every", "1h", "--fetch",
                                          fetch, files=[row[2]], signal=[row[0]]), asked)
        for (number, what, _, status), run in zip(asked, done):
            report.same(f"{number}, {what}", (run.status, len(run.lines), run.message, run.left),
                        (status, 1, "", []))
    run = watch(tool, "--declared", "deny", "--every", "1s", "--fetch", ": >ready; sleep 60",
                signal=[signal.SIGTERM])
    report.true("in the first fetch: at once", run.seconds < 20, run.seconds)
    report.same("in the first fetch", (run.status, run.text, run.message, run.left),
                (2, "", OWN + "stopped before the first verdict\n", []))
    run = watch(tool, "--declared", "deny", "--every", "100ms", "cat", "1", files=[DENIES],
                stdout="/dev/full")
    lost = "sandproof: cannot write standard output: "
    report.same("nobody to tell", (run.status, run.message), (2, lost + "No space left on device\n"))
    once = ("--declared", "deny", "--every", "100ms", "--count", "1", "cat", "1")
    for close in ([1], [0, 1], [0, 1, 2]):
        run = watch(tool, *once, files=[DENIES], close=close)
        report.same(f"nobody to tell: {close} closed", (run.status, run.message),
                    (2, "" if 2 in close else lost + "Bad file descriptor\n"))
    run = watch(tool, "--declared", "deny", "--every", "100ms", "--count", "20", "cat", "1",
                files=[DENIES], reads=1)
    report.same("a reader that goes", (run.status, run.verdicts, run.message),
                (2, ["identical"], lost + "Broken pipe\n"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for run in pool.map(lambda number: watch(
                tool, "--declared", "deny", "--every", "1h", "--fetch", fetch, files=[DENIES],
                signal=[number], full=True), (signal.SIGINT, signal.SIGTERM)):
            report.same("a reader that does not read", (run.status, run.message, run.left), (0, "", []))


TESTS = (test_changes, test_fetches, test_schedule, test_stop)

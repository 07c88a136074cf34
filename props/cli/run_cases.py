"""`run`: a command's output and status as they are, deadlines, signals, and that nothing is left.

Every run is one in a PID namespace of its own, with a canary that must survive; where none can be
made, the tests that run a command are skipped.
"""

import functools
import os
import signal
import sys
import tempfile

import alone
from harness import is_readable

OWN = "sandproof run: "


class Runner:
    """Runs the tool in an empty directory. Every run is held to leaving no process and no file in
    TMPDIR, and to a message of one printable line, the last one, if and only if the tool has
    something of its own to say."""

    def __init__(self, tool, report):
        self.tool, self.report = tool, report

    def __call__(self, *args, says=None, leaves=False, place="tmp", **job):
        with tempfile.TemporaryDirectory() as root:
            temporary, here = os.path.join(root, "tmp"), os.path.join(root, "here")
            os.mkdir(temporary)
            os.mkdir(here)
            os.mkdir(os.path.join(here, "sub"))
            command = ["env", f"TMPDIR={root}/{place}", self.tool.path, "run", *args]
            shown = f"run {args}"[:150]
            try:
                done = alone.run(command, here, **job)
            except alone.NoAnswer as reason:
                self.report.true(f"{shown}: an answer", False, str(reason))
                done = alone.Done({"status": None, "out": "", "err": "", "seconds": 0, "left": []})
            done.here = here
            if not leaves:
                self.report.same(f"{shown}: processes left", done.left, [])
                self.report.same(f"{shown}: files left", os.listdir(temporary), [])
            lines = done.message.splitlines(keepends=True)
            own = [line for line in lines if line.startswith(OWN)]
            self.report.same(f"{shown}: lines of its own", len(own), 0 if says is None else 1)
            if own:
                self.report.true(f"{shown}: a last, printable line", lines[-1] == own[0] and
                                 is_readable(own[0]) and own[0].endswith("\n"), repr(own))
                self.report.true(f"{shown}: says {says!r}", (says or "") in own[0], own[0])
            return done


def runs(test):
    """The test runs commands."""
    @alone.alone
    @functools.wraps(test)
    def wrapped(tool, report):
        test(Runner(tool, report), report)
    return wrapped


@runs
def test_output(run, report):
    done = run("--deadline", "60s", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    report.same("output and status", (done.status, done.out, done.err), (3, b"out\n", b"err\n"))
    script = r"""i=0; while [ $i -lt 256 ]; do printf "\\$(printf %o $i)"; i=$((i+1)); done >all
                 cat all; cat all >&2"""
    done = run("--deadline", "60s", "--", "sh", "-c", script)
    report.same("every byte", (done.out, done.err), (bytes(range(256)), bytes(range(256))))
    done = run("--deadline", "60s", "--", "sh", "-c", "head -c 3000000 /dev/zero; "
               "head -c 3000000 /dev/zero >&2")
    report.same("much of it", (done.status, done.out, done.err),
                (0, bytes(3_000_000), bytes(3_000_000)))
    done = run("--deadline", "60s", "--", "cat")
    report.same("no input", (done.status, done.out, done.err), (0, b"", b""))


@runs
def test_status(run, report):
    for status in (0, 1, 2, 124, 125, 126, 127, 255):
        done = run("--deadline", "60s", "sh", "-c", f"exit {status}")
        report.same(f"status {status}", (done.status, done.out, done.err), (status, b"", b""))
    done = run("--deadline", "60s", "--", "sh", "-c", "kill -TERM $$")
    report.same("a signal", done.status, 128 + signal.SIGTERM)
    done = run("--deadline", "60s", "--", "/nonexistent")
    report.same("no such program", (done.status, done.out), (127, b""))
    report.true("no such program: it is named", b"/nonexistent" in done.err, done.err)


@runs
def test_words(run, report):
    words = ["it's", "a\nb", "", "--deadline", "$(id)", "\u00e9"]
    done = run("--deadline", "60s", "--", "printf", "%s|", *words)
    report.same("words arrive as they are", done.out, ("|".join(words) + "|").encode())
    done = run("--deadline", "60s", "printf", "%s|", "--deadline", "--help")
    report.same("options end at the program", done.out, b"--deadline|--help|")


@runs
def test_environment(run, report):
    done = run("--deadline", "60s", "--", "env")
    names = {line.partition(b"=")[0] for line in done.out.splitlines()}
    report.true("nothing of the user's", names <= {b"PATH", b"HOME", b"PWD", b"OLDPWD", b"SHLVL",
                                                   b"_"}, repr(names))
    report.true("what there is", {b"PATH", b"HOME"} <= names, repr(names))
    done = run("--deadline", "60s", "--env", "A=it's", "--env=B=c=d", "--env", "PATH=/nowhere:/bin",
               "--", "sh", "-c", 'echo "$A|$B|$PATH"; [ -d "$HOME" ] && echo home')
    report.same("variables", done.out, b"it's|c=d|/nowhere:/bin\nhome\n")


@runs
def test_directory(run, report):
    for options, suffix in (((), ""), (("--cwd", "sub"), "/sub"), (("--cwd=./sub/"), "/sub")):
        options = [options] if isinstance(options, str) else options
        done = run("--deadline", "60s", *options, "--", "sh", "-c", "pwd -P")
        report.same(f"{options}: the directory", done.out.decode(),
                    os.path.realpath(os.path.dirname(done.here)) + "/here" + suffix + "\n")
    report.same("another directory", run("--deadline", "60s", "--cwd", "/usr", "pwd").out, b"/usr\n")
    done = run("--deadline", "60s", "--cwd", "missing", "--", "echo", "ran", says="directory")
    report.same("no such directory", (done.status, done.out), (125, b""))


@runs
def test_deadline(run, report):
    says = "the deadline of 1s ended the command"
    done = run("--deadline", "1s", "--", "sh", "-c", "echo out; echo err >&2; sleep 60", says=says)
    report.same("the deadline", (done.status, done.out), (124, b"out\n"))
    report.same("the deadline: standard error", done.err, f"err\n{OWN}{says}\n".encode())
    report.true("the deadline: after a second", 1 <= done.seconds < 8, str(done.seconds))
    done = run("--deadline", "1s", "--", "sh", "-c", "printf err >&2; sleep 60", says=says)
    report.same("half a line", done.err, f"err\n{OWN}{says}\n".encode())
    done = run("--deadline", "1s", "--", "sh", "-c", "printf out; sleep 60", says=says)
    report.same("no line", (done.out, done.err), (b"out", f"{OWN}{says}\n".encode()))
    # What left the group and holds standard error open is waited for, up to ten seconds more.
    given_up = "given up ten seconds after the deadline of 1s"
    done = run("--deadline", "1s", "--", "sh", "-c", "echo out; setsid sleep 600 & sleep 600",
               says=given_up)
    report.same("the guard", done.status, 124)
    report.true("the guard: what is known", given_up in done.err.decode(), done.err)
    report.true("the guard: in its time", 11 <= done.seconds < 30, str(done.seconds))


@runs
def test_own_directory(run, report):
    """What a command does to the directory that is removed in the end."""
    done = run("--deadline", "60s", "--", "sh", "-c", 'rmdir "$HOME"; echo done')
    report.same("it may remove it", (done.status, done.out, done.err), (0, b"done\n", b""))
    # Deeper than there are descriptors, and than a path may be long.
    script = "import os; os.chdir(os.environ['HOME'])\nfor i in range(3000): os.mkdir('d'); os.chdir('d')"
    done = run("--deadline", "60s", "--", sys.executable, "-c", script)
    report.same("it may nest it", (done.status, done.err), (0, b""))


@runs
def test_nothing_left(run, report):
    """An early end ends what was left behind: the runner looks."""
    for script in ("sleep 600 >/dev/null 2>&1 &", "setsid setsid sleep 600 >/dev/null 2>&1 &",
                   "(setsid sh -c 'trap \"\" TERM HUP; sleep 600; sleep 600' >/dev/null 2>&1 &)"):
        done = run("--deadline", "60s", "--", "sh", "-c", script + "\necho out; exit 4")
        report.same(f"{script}: as it did", (done.status, done.out, done.err), (4, b"out\n", b""))


@runs
def test_signals(run, report):
    script = "setsid sleep 600 & : >ready; echo out; sleep 600"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        done = run("--deadline", "60s", "--", "sh", "-c", script, signal=[number])
        report.same(f"{number!r}", (done.status, done.out, done.err), (128 + number, b"", b""))
        report.true(f"{number!r}: at once", done.seconds < 20, str(done.seconds))
    done = run("--deadline", "60s", "--", "sh", "-c", ": >ready; sleep 1; echo out",
               signal=[signal.SIGHUP], ignore=[signal.SIGHUP])
    report.same("one that is ignored", (done.status, done.out, done.err), (0, b"out\n", b""))
    done = run("--deadline", "60s", "--", "sh", "-c", script,
               signal=[signal.SIGHUP, signal.SIGINT], ignore=[signal.SIGHUP])
    report.same("another than the ignored one", done.status, 128 + signal.SIGINT)


@runs
def test_killed(run, report):
    """A tool that has no time to clean up leaves its directory, but no process."""
    done = run("--deadline", "60s", "--", "sh", "-c", "setsid sleep 600 & : >ready; sleep 600",
               signal=[signal.SIGKILL], settle=1, leaves=True)
    report.same("killed", (done.status, done.left), (-signal.SIGKILL, []))


@runs
def test_own_failures(run, report):
    cases = (
        (["--deadline", "90", "--", "echo"], 'deadline "90"'),
        (["--deadline", "0s", "--", "echo"], "deadline"),
        (["--deadline", "25h", "--", "echo"], "deadline"),
        (["--deadline", "1s", "--", ""], "command"),
        (["--deadline", "1s", "--", "echo", b"\xff"], '"\\xff"'),
        (["--deadline", "1s", "--env", "A B=c", "--", "echo"], '"A B"'),
        (["--deadline", "1s", "--env", b"A=\xff", "--", "echo"], 'variable "A"'),
        (["--deadline", "1s", "--env", "A=1", "--env", "A=1", "--", "echo"], '"A"'),
        (["--deadline", "1s", "--cwd", "", "--", "echo"], "working directory"),
        (["--deadline", "1s", "--cwd", "/\x1b[31m", "--", "echo"], "directory"),
        (["--deadline", "1s", "--", "sh", "-c", "exec head -c 17000000 /dev/zero"], "size limit"),
    )
    for args, says in cases:
        done = run(*args, says=says)
        report.same(f"{args}"[:100], (done.status, done.out), (125, b""))
    # Nobody can tell how a command ended that ended its own wrapper.
    done = run("--deadline", "1s", "--", "sh", "-c", "echo out; kill -KILL $PPID", says="")
    report.same("a wrapper that was ended", (done.status, done.out), (125, b"out\n"))
    done = run("--deadline", "1s", "--", "sh", "-c", "kill -KILL $(ps -o ppid= -p $(ps -o ppid= -p "
               "$PPID)); sleep 1", says="may still be running", leaves=True)
    report.same("a supervisor that was ended", done.status, 125)


@runs
def test_failed_output(run, report):
    command = ("--deadline", "60s", "--", "sh", "-c")
    done = run(*command, "echo out", stdout="/dev/full", says=None)
    report.same("a full device", done.status, 125)
    report.true("a full device: a message", b"No space left" in done.err, done.err)
    done = run(*command, "echo err >&2", stderr="/dev/full")
    report.same("a full standard error", done.status, 125)
    done = run(*command, "echo out", close=[1])
    report.same("no standard output", done.status, 125)
    report.true("no standard output: a message", b"Bad file descriptor" in done.err, done.err)
    done = run(*command, "echo out; echo err >&2; exit 3", close=[0])
    report.same("no standard input", (done.status, done.out, done.err), (3, b"out\n", b"err\n"))
    done = run(*command, "exit 3", stdout="/dev/full")
    report.same("nothing to write", done.status, 3)


@runs
def test_no_place(run, report):
    done = run("--deadline", "60s", "--", "echo", "ran", place="missing",
               says="cannot make a temporary directory: No such file or directory")
    report.same("no place", (done.status, done.out), (125, b""))


TESTS = (test_output, test_status, test_words, test_environment, test_directory, test_deadline,
         test_own_directory,
         test_nothing_left, test_signals, test_killed, test_own_failures, test_failed_output,
         test_no_place)

"""How calls end: by themselves, and at their deadline."""
from scenario import LONG_DEADLINE, Broken, dash, python, scenario


@scenario("ordinary ends", core=True)
def _(run):
    for code in (0, 3, 77, 124, 126, 127, 137, 147, 255):
        r = run.call(dash(f"echo out; echo err >&2; exit {code}"), LONG_DEADLINE)
        run.expect(r, exit=code, rest=b"err\n")
        if r.out != b"out\n":
            raise Broken(f"stdout {r.out!r}")
    run.nothing_left()


@scenario("killed by itself", core=True)
def _(run):
    for name, code in (("KILL", 137), ("TERM", 143), ("SEGV", 139), ("USR1", 138), ("HUP", 129),
                       ("INT", 130)):
        script = (f"import signal,os\ns=signal.SIG{name}\n"
                  "if s!=9: signal.signal(s,signal.SIG_DFL)\n"
                  "os.kill(os.getpid(),s)\nsignal.pause()")
        run.expect(run.call(python(script), LONG_DEADLINE), exit=code, rest=b"")
    run.nothing_left()


@scenario("T11 a signal is 128+n", core=True)
def _(run):
    run.expect(run.call(dash("kill -9 $$"), LONG_DEADLINE), exit=137)
    run.expect(run.call(["sleep", "60"], 300), exit=137, killed=True)
    run.nothing_left()


@scenario("not found, not executable")
def _(run):
    run.expect(run.call(["/nonexistent/program", "x"], LONG_DEADLINE), exit=127)
    run.expect(run.call(["/etc/passwd"], LONG_DEADLINE), exit=126)
    run.nothing_left()


@scenario("early end not held", core=True)
def _(run):
    took = []
    for _ in range(3):
        r = run.call(["true"], 24 * 3600 * 1000)
        run.expect(r, exit=0, rest=b"")
        took.append(r.seconds)
    if min(took) > 4:  # the wrapper has waited in vain for the killer to say that it is ready
        raise Broken(f"slow: {took}")
    run.expect(run.call(dash("sleep 0.4; exit 5"), LONG_DEADLINE), exit=5, rest=b"", early=0.4)
    run.nothing_left()


@scenario("background of an early end")
def _(run):
    r = run.call(dash("sleep 44 >/dev/null 2>&1 & exit 4"), LONG_DEADLINE)
    run.expect(r, exit=4, rest=b"")
    run.nothing_left(allowed=["sleep 44"])


@scenario("deadline kill", core=True)
def _(run):
    run.expect(run.call(["sleep", "41"], 400), exit=137, killed=True, rest=b"")
    script = 'trap "" TERM HUP INT USR1; printf partial >&2; while :; do sleep 41; done'
    run.expect(run.call(dash(script), 1000), exit=137, killed=True, rest=b"partial")
    run.nothing_left()


@scenario("group kill", core=True)
def _(run):
    script = "sleep 42 & (sleep 43 & sleep 44 & wait) & dash -c 'sleep 45; :' & sleep 46; :"
    run.expect(run.call(dash(script), 500), exit=137, killed=True)
    run.nothing_left()


@scenario("a stopped command is held and killed")
def _(run):
    run.expect(run.call(dash("kill -STOP $$; sleep 62; :"), 900), exit=137, killed=True)
    again = ("(for i in 1 2 3; do sleep 0.1; kill -STOP $$; sleep 0.1; kill -CONT $$; done) & "
             "sleep 0.9; exit 6")
    run.expect(run.call(dash(again), LONG_DEADLINE), exit=6, early=0.5)
    r = run.call(dash("(sleep 0.2; kill -STOP $$) & sleep 0.4; exit 6"), 900)
    run.expect(r, exit=137, killed=True)
    run.nothing_left()


@scenario("stopped, continued, then exit 127")
def _(run):
    """zsh may say how the command was stopped or continued: 127 is also its "no more to tell". The
    end is attested all the same, and is never a deadline."""
    script = "(sleep 0.2; kill -STOP $$; sleep 0.3; kill -CONT $$) & sleep 0.8; exit 127"
    r = run.call(dash(script), LONG_DEADLINE)
    run.expect(r, rest=b"", early=0.5)
    if r.exit not in ((127, 147, 255) if run.shell == "zsh" else (127,)):
        raise Broken(f"exit {r.exit}: {r}")
    run.notes.append(f"exit {r.exit}")
    run.nothing_left()

"""Moments that cannot be timed from outside: the source is changed so that they always come."""
from scenario import BOUND_SHELLS, Broken, attack, dash, scenario

START = 'exec setsid -- "$@" </dev/null & sp_pid=$!;'
LATE_START = '{ sleep 0.7; exec setsid -- "$@" </dev/null; } & sp_pid=$!;'


@scenario("T31 a killer that is late with its trap")
def _(run):
    run.change("  sp_stop=;\n", "  sleep 0.5; sp_stop=;\n")
    run.expect(run.call(["true"], 20000), exit=0, rest=b"")
    run.nothing_left()


@scenario("a killer that never says it is ready")
def _(run):
    run.change("  kill -USR1 $$;\n", "")
    run.expect(run.call(dash("exit 5"), 20000), exit=5, attested=None, early=4, late=15)
    run.expect(run.call(["sleep", "64"], 500), exit=137, killed=True, late=15)
    run.nothing_left()


@scenario("a killer that cannot be forked")
def _(run):
    run.change(") & sp_killer=$!;", ") & sp_killer=$sp_pid;")
    run.change("  exec </dev/null >/dev/null;\n", "  exit 0;\n")
    run.expect(run.call(["sleep", "68"], 2000), exit=126, attested=False)
    run.nothing_left()


@scenario("a command that cannot be forked")
def _(run):
    """`kill -KILL -0` is the wrapper's own group, `-1` everybody."""
    source = run.source
    for pid in ("", "0", "00", "1", "-1", "12x"):
        run.source = source
        run.change(START, f"sp_pid={pid};")
        run.expect(run.call(["touch", run.marker], 300), exit=126, attested=False)
    run.nothing_left()


@scenario("a stop past the sleep")
def _(run):
    run.change("sp_hit=;\n", "sleep 3; sp_hit=;\n")
    r = run.call(attack("sleep 1; kill -USR1 $K; sleep 65; :"), 500)
    run.expect(r, exit=137, killed=True)
    run.nothing_left()


@scenario("a stop that is lost", shells=BOUND_SHELLS, schemes=("sealed",))
def _(run):
    """As in ksh93 and zsh between the look and the wait: the killer is told again."""
    run.change('  trap sp_on_stop USR1;\n', '  trap "" USR1;\n')
    run.change('  kill -USR1 $$;\n', '  kill -USR1 $$; sleep 2; trap sp_on_stop USR1;\n')
    run.change('kill -USR1 "$sp_killer"', 'sleep 0.5; kill -USR1 "$sp_killer"')
    run.expect(run.call(["true"], 20000), exit=0, rest=b"")
    run.nothing_left()


@scenario("a killer that is gone", shells=BOUND_SHELLS, schemes=("sealed",))
def _(run):
    """It is not told again, however often it could be."""
    run.change(" 20000)", " 2000000000)")
    run.expect(run.call(["true"], 20000), exit=0, rest=b"")
    run.nothing_left()


@scenario("an undelivered kill")
def _(run):
    run.change("sp_hit=;\n", "sp_hit=; sp_pid=4194303;\n")
    run.expect(run.call(dash("sleep 1; exit 5"), 300), exit=5, attested=False)
    run.nothing_left()


@scenario("T27 a child that is late")
def _(run):
    run.change(START, LATE_START)
    r = run.call(dash("echo ran; sleep 66; :"), 200)
    run.expect(r, exit=137, killed=True)
    if r.out:
        raise Broken("ran free")
    run.nothing_left()


@scenario("T27 a child that makes its group between two kills")
def _(run):
    """The first kill finds no group yet, the second ends the leader: the third is for its child."""
    run.change(START, LATE_START)
    run.change('    kill -KILL "$sp_pid"', '    sleep 2; kill -KILL "$sp_pid"')
    r = run.call(dash("sleep 69 & echo ran; wait"), 200)
    run.expect(r, exit=137, killed=True)
    if r.out != b"ran\n":
        raise Broken(f"the moment did not come: {r}")
    run.nothing_left()

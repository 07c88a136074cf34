"""Races, met by doing the same thing again and again on a busy machine."""
import os
import subprocess

from scenario import LONG_DEADLINE, Broken, scenario


def loop(run, argv, milliseconds, check):
    load = [subprocess.Popen(["/usr/bin/dash", "-c", "while :; do :; done"])
            for _ in range(2 * (os.cpu_count() or 1) if run.rounds > 10 else 1)]
    run.before |= {process.pid for process in load}
    broken = []
    try:
        for _ in range(run.rounds):
            try:
                check(run.call(argv, milliseconds))
            except Broken as error:
                broken.append(error)
    finally:
        for process in load:
            process.kill()
            process.wait()
    if broken:
        raise Broken(f"{len(broken)} of {run.rounds} rounds: {broken[-1]}")
    run.nothing_left()
    run.notes.append(f"{run.rounds} rounds")


@scenario("T31 true in a loop under load", loaded=True)
def _(run):
    loop(run, ["true"], LONG_DEADLINE, lambda r: run.expect(r, exit=0, rest=b""))


@scenario("T27 1 ms in a loop under load", loaded=True)
def _(run):
    loop(run, ["sleep", "47"], 1, lambda r: run.expect(r, exit=137, killed=True, rest=b""))

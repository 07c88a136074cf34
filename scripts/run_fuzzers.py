"""Runs built fuzzers side by side and shows how they do; scripts/fuzz calls it.

run_fuzzers.py [--seconds N | --runs N] [--jobs J] [--merge] [--engine libfuzzer|afl] ROOT FUZZER...
"""

import argparse
import math
import os
import pathlib
import sys
import time

from fuzzing import crashes
from fuzzing.afl import Afl
from fuzzing.merge import merge
from fuzzing.target import Budget, LibFuzzer, Places

ENGINES = {"libfuzzer": LibFuzzer, "afl": Afl}
HEADER = ["target", "state", "inputs", "inputs/s", "coverage", "corpus", "crashes"]
LEGEND = """\
inputs/s: how fast; coverage: branches of the code reached; corpus: inputs kept, as each reaches more.
The seeds are corpus/; what is found is kept in build/fuzz-corpus, and is where the next run goes on.
Ctrl-C stops, and loses nothing."""


def lines_of(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        name = row[0].ljust(widths[0])
        yield "  ".join([name] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])


def show(targets, terminal, lines_up):
    """Shows how it goes; returns how many lines the next picture has to go up."""
    if terminal:
        lines = list(lines_of([HEADER] + [target.row() for target in targets]))
        width = os.get_terminal_size(sys.stdout.fileno()).columns or 80
        up = f"\033[{lines_up}F" if lines_up else ""
        print(up + "\n".join(line[: width - 1] + "\033[K" for line in lines), flush=True)
        return len(lines)
    now = time.monotonic()
    for target in targets:
        if target.started and not target.ended and now >= max(target.started, target.told) + 10:
            target.told = now
            name, state, *numbers = target.row()
            labelled = ", ".join(f"{label} {n}" for label, n in zip(HEADER[2:], numbers))
            print(f"{name}: {state}, {labelled}", flush=True)
    return 0


def introduce(targets, budget, jobs):
    jobs = min(jobs, len(targets))
    total = math.ceil(len(targets) / jobs) * (budget.seconds or 0)
    about = f": about {total} s" if total < 120 else f": about {round(total / 60)} min"
    plural = "s" if len(targets) > 1 else ""
    each = " each" if len(targets) > 1 else ""
    side = f", {jobs} at a time" if jobs > 1 else ""
    print(f"Fuzzing {len(targets)} target{plural}, {budget}{each}{side}{about if total else ''}.")
    print(LEGEND + "\n", flush=True)


def run(targets, jobs, terminal):
    waiting, lines_up = list(targets), 0
    while any(target.ended is None for target in targets):
        running = [t for t in targets if t.started is not None and t.ended is None]
        for target in running:
            target.refresh()
            if target.overdue():
                target.stop()
        for target in waiting[: jobs - len(running)]:
            waiting.remove(target)
            target.start()
        lines_up = show(targets, terminal, lines_up)
        time.sleep(0.5)
    show(targets, terminal, lines_up)


def fuzz(targets, budget, jobs):
    """Runs all targets; returns whether the user let them."""
    introduce(targets, budget, jobs)
    terminal = sys.stdout.isatty()
    let = True
    try:
        run(targets, jobs, terminal)
    except KeyboardInterrupt:
        let = False
        print("\nstopped", flush=True)
        for target in targets:
            target.stop()
    failed = [target for target in targets if target.failed() and (let or target.crashes)]
    for target in failed:
        crashes.report(target)
    if not terminal or failed:
        print("\n" + "\n".join(lines_of([HEADER] + [target.row() for target in targets])))
    total = sum(target.runs for target in targets)
    print(f"\n{total} inputs; {len(failed)} of {len(targets)} targets failed", flush=True)
    return let


def merge_all(targets):
    print("\nMerging into corpus/ what reaches new branches:", flush=True)
    for target in targets:
        result = merge(target)
        print(f"{target.name}: {result}", flush=True)
        target.crashes += result.crashed
        if result.crashed:
            crashes.report(target)


def parsed():
    parser = argparse.ArgumentParser()
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--seconds", type=int)
    budget.add_argument("--runs", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--engine", choices=ENGINES, default="libfuzzer")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("fuzzers", type=pathlib.Path, nargs="+")
    return parser.parse_args()


def main():
    arguments = parsed()
    budget = Budget(arguments.seconds, arguments.runs)
    places = Places(arguments.root)
    targets = [ENGINES[arguments.engine](places, file, budget) for file in arguments.fuzzers]
    if (budget.seconds or budget.runs) and not fuzz(targets, budget, arguments.jobs):
        return 130
    if arguments.merge:
        merge_all(targets)
    return 1 if any(target.failed() for target in targets) else 0


if __name__ == "__main__":
    sys.exit(main())

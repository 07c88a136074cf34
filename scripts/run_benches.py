"""Runs built benchmarks and prints what they measured, beside the goals; scripts/bench calls it.

run_benches.py [--whole] [--goals] [--compare OLD] [--chart] --filter RE --repetitions N ROOT BENCH...
run_benches.py [--compare OLD] [--chart] --to NEW ROOT

The goals are ROOT/bench/goals.txt. Everything that was measured is kept in
ROOT/build/bench-results/speed.json. With --whole, the benchmarks are all that there are, so a goal
about none of their contests is an error. OLD and NEW are such files: what is slower in the second of
two runs makes the status 1. --chart draws the goals beside ROOT/build/bench-results/speed.json, and
writes them as a table of Markdown.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from speed import chart, compare, goals, results


def scaled(value, steps):
    """Three significant digits with the largest unit that fits; `steps` go up from the smallest."""
    factor, unit = max((step for step in steps if abs(value) >= step[0]), default=steps[0])
    return f"{value / factor:.3g} {unit}"


def time_text(nanoseconds):
    return scaled(nanoseconds, [(1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")])


def rate_text(contest):
    """Bytes a second; nothing where no bytes are read or written."""
    rate = statistics.median(contest["bytes"]) / statistics.median(contest[results.OURS])
    return scaled(rate * 1e9, [(1, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s")]) if rate else ""


def print_columns(rows, texts):
    """Lines of columns as wide as they need; those of `texts` begin at the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print()
    for row in rows:
        cells = [f"{cell:<{width}}" if i in texts else f"{cell:>{width}}"
                 for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        print("  ".join(cells).rstrip(), flush=True)


def print_contests(title, contests):
    rows = [[title, "one input", "spread", "", "times as fast as"]]
    for name, contest in contests.items():
        spread = results.spread(contest[results.OURS])
        others = [f"{other} {results.value(contest, other):.3g}" for other in results.competitors(contest)]
        if "allocations" in contest:
            others.append(f"allocations {results.value(contest, 'allocations'):g}")
        rows.append([name, time_text(statistics.median(contest[results.OURS])),
                     "" if spread is None else f"{100 * spread:.1f}%", rate_text(contest),
                     "  ".join(others)])
    print_columns(rows, {0, 4})


def print_goals(answers):
    rows = [["goal", "measured", "must", "aim", "", ""]]
    for each in answers:
        sign = ">=" if each.goal.at_least else "<="
        rows.append([each.goal.name, "" if each.value is None else f"{each.value:.3g}",
                     f"{sign} {each.goal.must:g}", f"{each.goal.aim:g}", each.answer,
                     "" if each.worst in ("", each.goal.pattern) else f"the worst: {each.worst}"])
    print_columns(rows, {0, 4, 5})


def run(program, *options):
    return subprocess.run([program, *options], capture_output=True, text=True,
                          errors="backslashreplace", check=False)


def names_of(program):
    """The contests that a program has."""
    done = run(program, "--benchmark_list_tests=true")
    return [line.removesuffix(results.ONCE) for line in done.stdout.splitlines()]


def measure(program, expression):
    """One program's contests, and what failed."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = run(program, f"--benchmark_filter={expression}",
                   f"--benchmark_out={out.name}", "--benchmark_out_format=json")
        text = pathlib.Path(out.name).read_text("utf-8")
    if done.returncode != 0:
        return {}, [f"{program.name} ended with status {done.returncode}\n{done.stderr[-4000:]}"]
    # The filter may match nothing in this program.
    return results.contests_of(json.loads(text)) if text else ({}, [])


def measure_repeatedly(programs, expression, repetitions):
    """Each program's contests, and what failed. A repetition is a process: where the code and the
    data of one lie in memory makes a difference, so one process says less than it seems to."""
    measured, errors = {}, []
    for repetition in range(1, repetitions + 1):
        for program in programs:
            more, failed = measure(program, expression)
            errors += failed
            results.add(measured.setdefault(program.name, {}), more)
        if errors:
            break
        print(f"repetition {repetition} of {repetitions}", file=sys.stderr, flush=True)
    return measured, errors


def write(root, name, text):
    """Keeps a result, whole or not at all."""
    path = root / "build" / "bench-results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(name + ".new")
    new.write_text(text, "utf-8")
    os.replace(new, path)
    print(f"written: {path.relative_to(root)}")


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--goals", action="store_true")
    parser.add_argument("--chart", action="store_true")
    parser.add_argument("--compare", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path)
    parser.add_argument("--filter")
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("benches", nargs="*")
    return parser.parse_args()


def print_changes(old, new):
    """Says what changed; the status is 1 when something got slower."""
    found, count = compare.changes(old, new)
    print()
    for key, was in old["circumstances"].items():
        if key in ("compiler", "flags") and was != new["circumstances"].get(key):
            print(f"the {key} was another: {was}")
    for each in found:
        print(each.text)
    worse = sum(each.effect > 0 for each in found)
    print(f"{count} contests compared: {worse} slower, {len(found) - worse} faster")
    return 1 if worse else 0


def goals_of(root):
    return goals.read((root / "bench" / "goals.txt").read_text("utf-8"))


def draw(root, run):
    answers = [each for each in goals.held(goals_of(root), run["contests"]) if each.worst]
    write(root, "speed.svg", chart.draw(run["circumstances"], answers))
    write(root, "speed.md", chart.table(answers))


def measure_all(given):
    """Everything that was measured, printed and kept; or a status."""
    programs = [given.root / "build" / "bench" / file for file in given.benches]
    wanted = goals_of(given.root)
    if given.whole:
        goals.must_exist(wanted, [name for program in programs for name in names_of(program)])
    expression = goals.expression(wanted) if given.goals else given.filter
    where = results.circumstances(given.root, given.root / "build" / "bench")
    for key, text in where.items():
        print(f"{key:<9} {text}")
    measured, errors = measure_repeatedly(programs, expression, given.repetitions)
    contests = {}
    for name, more in measured.items():
        if more:
            print_contests(name, more)
        contests |= more
    answers = [each for each in goals.held(wanted, contests) if each.worst]
    if answers:
        print_goals(answers)
    for error in errors:
        print(f"\nFAILED  {error}", file=sys.stderr)
    if errors:
        return 1
    if not contests:
        print(f"no benchmark matches {expression}", file=sys.stderr)
        return 2
    run = {"circumstances": where, "contests": contests}
    print()
    write(given.root, "speed.json", json.dumps(run, indent=1) + "\n")
    return run


def main():
    given = read_arguments()
    # Read first: what is measured may be written over it.
    old = compare.read(given.compare) if given.compare else None
    new = compare.read(given.to) if given.to else measure_all(given)
    if not isinstance(new, dict):
        return new
    if given.chart:
        draw(given.root, new)
    return print_changes(old, new) if old else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except goals.Malformed as error:
        print(f"bench/goals.txt: {error}", file=sys.stderr)
    except (chart.NotDrawn, compare.Incomparable) as error:
        print(error, file=sys.stderr)
    sys.exit(2)

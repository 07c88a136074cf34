"""Runs the wrapper under real shells and checks what it did.

usage: drive.py TOOL [--long [ROUNDS]] [--shells A,B] [--schemes A,B] [--only TEXT,TEXT]
                     [--jobs N] [--tap] [--verbose]
       drive.py TOOL --mutants [--only TEXT,TEXT]
       drive.py --list

TOOL is the sandproof program: what is run is what `sandproof wrap` prints, and reports are read by
`sandproof report`. Each cell of the table, a scenario under one shell in one scheme, runs in a PID
namespace of its own (namespace.py), which needs root. Where none can be made, every cell counts as
skipped.

  --long     every cell, loops of 300 rounds or of ROUNDS; without it nonce and the refused shell
             run a core of the scenarios, and loops are short
  --mutants  takes one rule after the other out of the wrapper: each must break a scenario

Exit status: 0, 1 if a cell is BROKEN, 2 usage, 77 if everything was skipped (0 with --tap).
"""
import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants  # noqa: E402
import namespace  # noqa: E402
import scenarios_ends  # noqa: E402,F401: the table's order
import scenarios_words  # noqa: E402,F401
import scenarios_needs  # noqa: E402,F401
import scenarios_attacks  # noqa: E402,F401
import scenarios_moments  # noqa: E402,F401
import scenarios_loops  # noqa: E402,F401
import tap  # noqa: E402
import wrap_text  # noqa: E402
from call import Run  # noqa: E402
from scenario import SCENARIOS, SCHEMES, SHELLS, Broken, Refused, Skip  # noqa: E402

HERE = os.path.abspath(__file__)
LIMIT, LONG_LIMIT = 240, 3600  # seconds for one cell


def attempt(job, make=Run):
    """Inside the namespace: [verdict, detail] of one cell. make: the caller of the wrapper."""
    run = make(job)
    verdict, detail = "held", ""
    try:
        try:
            SCENARIOS[job["scenario"]].function(run)
        except Refused:
            verdict = "refused"
            run.nothing_left()
    except Skip as reason:
        verdict, detail = "skipped", str(reason)
    except Broken as broken:
        verdict, detail = "BROKEN", str(broken)
    except Exception as error:  # a driver's error is not a pass
        verdict, detail = "BROKEN", f"driver: {type(error).__name__}: {error}"
    run.end_all()
    shutil.rmtree(run.dir, ignore_errors=True)
    return [verdict, detail or "; ".join(dict.fromkeys(run.notes))]


def cell(job):
    """(verdict, detail, seconds)"""
    answer, seconds = namespace.launch(HERE, job, LONG_LIMIT if job["long"] else LIMIT)
    if isinstance(answer, str):
        return "BROKEN", answer, seconds
    return (*answer, seconds)


def make_root(shells):
    """A directory with each shell under the name sh: shells/NAME/sh."""
    root = tempfile.mkdtemp(prefix="sandproof-shells.")
    os.chmod(root, 0o755)
    for name in shells:
        os.makedirs(os.path.join(root, "shells", name))
        os.symlink(shutil.which(name), os.path.join(root, "shells", name, "sh"))
    return root


def table(results, shells, schemes, say):
    marks = {"skipped": "-"}
    for scheme in schemes:
        names = [name for name in SCENARIOS if any((name, shell, scheme) in results
                                                   for shell in shells)]
        width = max([len(name) for name in names] + [len(scheme)]) + 2
        say("", f"{scheme:<{width}}" + "".join(f"{shell:<9}" for shell in shells))
        for name in names:
            row = [results.get((name, shell, scheme), ("",))[0] for shell in shells]
            say(f"{name:<{width}}" + "".join(f"{marks.get(one, one):<9}" for one in row))


def notes(results, say):
    said = {}
    for (name, shell, scheme), (verdict, detail, _) in results.items():
        if detail and verdict != "BROKEN":
            said.setdefault((name, detail), []).append(f"{shell}/{scheme}")
    say("", "notes")
    for (name, detail), who in said.items():
        more = ", ..." if len(who) > 4 else ""
        say(f"  {name}: {detail} ({len(who)}: {', '.join(who[:4])}{more})")


def run_cells(args, jobs, report):
    results = {}

    def done(job, answer):
        verdict, detail, seconds = answer
        name = f"{job['scheme']} {job['shell']}: {job['scenario']}"
        results[job["scenario"], job["shell"], job["scheme"]] = answer
        if verdict == "BROKEN":
            report.broken(name, f"{detail}\nafter {seconds:.1f} s")
        elif verdict == "skipped":
            report.skip(name, detail)
        else:
            report.ok(name)
        if args.verbose:
            report.say(f"{verdict:<8} {seconds:5.1f} s  {name}  {detail[:120]}")

    # Most of a cell's time is sleep. Loops bring their own load, and come when the rest is over.
    for loaded, workers in ((False, args.jobs), (True, os.cpu_count() or 1)):
        chosen = [job for job in jobs if SCENARIOS[job["scenario"]].loaded == loaded]
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for job, answer in zip(chosen, pool.map(cell, chosen)):
                done(job, answer)
    return results


def changed_source(mutant, root):
    """The wrapper's source with a mutant's change, as a file in `root`; None if it has no such text."""
    with open(wrap_text.SOURCE, encoding="ascii") as file:
        text = mutant.apply(file.read())
    if text is None:
        return None
    handle, path = tempfile.mkstemp(dir=root, suffix=".sh")
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
    return path


def negative_controls(args, root, shells, report):
    def caught(mutant):
        """(whether a scenario broke, what is to say)"""
        source = changed_source(mutant, root)
        if source is None:
            return False, "the source has no such text"
        verdict, detail, seconds = cell({
            "shell": mutant.shell, "scheme": mutant.scheme, "scenario": mutant.scenario,
            "root": root, "long": args.long, "source": source, "tool": args.tool})
        if verdict != "BROKEN" or detail.startswith("driver:"):
            return False, f"not caught: {verdict} {detail[:200]}"
        return True, f"{seconds:.1f} s: {detail[:90]}"

    chosen = [mutant for mutant in mutants.MUTANTS if args.wants(mutant.name)]
    present = [mutant for mutant in chosen if mutant.shell in shells]
    for mutant in chosen:
        if mutant not in present:
            report.skip(mutant.name, f"{mutant.shell} is not installed")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for mutant, (broke, detail) in zip(present, pool.map(caught, present)):
            name = f"{mutant.name} [{mutant.scenario}; {mutant.shell}, {mutant.scheme}]"
            if broke:
                report.ok(name)
                report.say(f"caught   {name} {detail}")
            else:
                report.broken(name, detail)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].replace("%", "%%"))
    parser.add_argument("tool", nargs="?")
    parser.add_argument("--long", nargs="?", type=int, const=True, default=0)
    parser.add_argument("--mutants", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--shells", default=",".join(SHELLS))
    parser.add_argument("--schemes", default=",".join(SCHEMES))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=3 * (os.cpu_count() or 1))
    parser.add_argument("--tap", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.shells, args.schemes = args.shells.split(","), args.schemes.split(",")
    unknown = {*args.shells, *args.schemes} - {*SHELLS, *SCHEMES}
    if unknown or not (args.tool or args.list):
        parser.error(f"unknown: {', '.join(unknown)}" if unknown else "no TOOL")
    args.tool = args.tool and os.path.abspath(args.tool)
    args.wants = lambda name: any(part in name for part in args.only.split(","))
    return args


def main():
    args = arguments()
    if args.list:
        print("\n".join(SCENARIOS))
        return 0
    report = tap.Report(args.tap)
    shells = [shell for shell in args.shells if shutil.which(shell)]
    everything = bool(args.long or args.only)
    jobs = [{"scenario": name, "shell": shell, "scheme": scheme, "long": args.long,
             "tool": args.tool}
            for name, scenario in SCENARIOS.items() if args.wants(name)
            for scheme in args.schemes for shell in args.shells
            if scenario.takes(shell, scheme, everything)]
    reason = namespace.missing()
    if reason:
        report.say(f"no PID namespaces here ({reason}): everything is skipped")
    for job in jobs:
        absent = reason and f"no PID namespaces here: {reason}"
        if job["shell"] not in shells:
            absent = f"{job['shell']} is not installed"
        if absent and not args.mutants:
            report.skip(f"{job['scheme']} {job['shell']}: {job['scenario']}", absent)
    if reason:
        if args.mutants:
            for mutant in mutants.MUTANTS:
                report.skip(mutant.name, reason)
        return report.finish()

    began, root = time.monotonic(), make_root(shells)
    try:
        if args.mutants:
            negative_controls(args, root, shells, report)
        else:
            results = run_cells(args, [{**job, "root": root} for job in jobs
                                       if job["shell"] in shells], report)
            table(results, args.shells, args.schemes, report.say)
            notes(results, report.say)
            report.say("", f"{time.monotonic() - began:.0f} s")
            if not args.only:
                report.figure("cells of real shells and attacks")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return report.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        namespace.inside(attempt)
    else:
        sys.exit(main())

"""What the benchmarks measured: a number a repetition for each contestant, and where that was.

A contest is {"sandproof": [nanoseconds, ...], "re2": [...], "bytes": [...], ...}: what took turns, and
COUNTED, what was counted. A file of results is JSON: {"circumstances": {...}, "contests": {...}}.
"""

import json
import pathlib
import re
import shlex
import statistics
import subprocess

OURS = "sandproof"
COUNTED = ("allocations", "bytes")
ONCE = "/iterations:1"  # what Google Benchmark adds to a name


def contests_of(report):
    """The contests of one program's JSON report, in the program's order, and what failed."""
    runs = [each for each in report["benchmarks"] if each["run_type"] == "iteration"]
    failed = sorted({f"{each['name']}: {each.get('error_message', '')}" for each in runs
                     if each.get("error_occurred")})
    contests = {}
    # Random interleaving reports in any order.
    for run in sorted(runs, key=lambda each: each["family_index"]):
        contest = contests.setdefault(run["run_name"].removesuffix(ONCE), {})
        for name, value in run.items():
            if name in COUNTED or name not in STANDARD and isinstance(value, float):
                contest.setdefault(name, []).append(value)
    return {name: contest for name, contest in contests.items() if contest}, failed


# What Google Benchmark says of every result; any other number is a counter.
STANDARD = ("real_time", "cpu_time")


def competitors(contest):
    return [name for name in contest if name != OURS and name not in COUNTED]


def ratios(contest, other):
    """How many times as fast as the other the library was in each repetition."""
    return [theirs / ours for theirs, ours in zip(contest[other], contest[OURS], strict=True)]


def value(contest, over):
    """The median of a ratio, or of what was counted; None where the contest has no such thing."""
    if over not in contest or over == OURS:
        return None
    return statistics.median(contest[over] if over in COUNTED else ratios(contest, over))


def spread(values):
    """Half of what lies between the quartiles, as a part of the median; nothing for one value."""
    if len(values) < 2:
        return None
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2 / middle if middle else None


def circumstances(root):
    """Where the numbers come from: without it they mean nothing."""
    build = root / "build" / "bench"
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text("utf-8"), re.M)
    commands = json.loads((build / "compile_commands.json").read_text("utf-8"))
    core = next((each for each in commands if "/src/core/" in each["file"]), commands[0])
    compiler, *arguments = shlex.split(core["command"])
    flags = [each for each in arguments
             if re.match(r"-[OfmDWsg]", each) and not re.match(r"-(M|fdiag|f\w+-prefix-map)", each)]
    return {
        "CPU": cpu[1] if cpu else "unknown",
        "compiler": first_line(compiler, "--version", cwd=root),
        "flags": " ".join(flags),
        "commit": first_line("git", "describe", "--always", "--dirty", cwd=root) or "none",
        "load": pathlib.Path("/proc/loadavg").read_text("ascii").split()[0] + " before the start",
    }


def first_line(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    return done.stdout.strip().split("\n")[0]

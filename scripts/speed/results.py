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
CIRCUMSTANCES = ("CPU", "compiler", "flags", "commit", "load")
STANDARD = ("real_time", "cpu_time")  # what Google Benchmark says of every result
ONCE = "/iterations:1"  # what Google Benchmark adds to a name


def contests_of(report):
    """The contests of one program's JSON report, and what failed."""
    contests, failed = {}, []
    for run in report["benchmarks"]:
        name = run["run_name"].removesuffix(ONCE)
        if run.get("error_occurred"):
            failed.append(f"{name}: {run.get('error_message', '')}")
            continue
        contests[name] = {key: [value] for key, value in run.items()
                          if isinstance(value, float) and key not in STANDARD}
    return contests, failed


def add(contests, more):
    """Adds the repetitions of another process."""
    for name, contest in more.items():
        for key, values in contest.items():
            contests.setdefault(name, {}).setdefault(key, []).extend(values)


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


def circumstances(root, build):
    """Where the numbers of what was built in `build` come from: without it they mean nothing."""
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text("utf-8"), re.M)
    commands = json.loads((build / "compile_commands.json").read_text("utf-8"))
    core = next((each for each in commands if "/src/core/" in each["file"]), commands[0])
    compiler, *arguments = shlex.split(core["command"])
    # Warnings change nothing that is compiled.
    flags = [each for each in arguments
             if re.match(r"-[OfmDsg]", each) and not re.match(r"-(M|fdiag|f\w+-prefix-map)", each)]
    found = (
        cpu[1] if cpu else "unknown",
        first_line(compiler, "--version", cwd=root),
        " ".join(flags),
        first_line("git", "describe", "--always", "--dirty", cwd=root) or "none",
        pathlib.Path("/proc/loadavg").read_text("ascii").split()[0] + " before the start",
    )
    return dict(zip(CIRCUMSTANCES, found, strict=True))


def first_line(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    return done.stdout.strip().split("\n")[0]

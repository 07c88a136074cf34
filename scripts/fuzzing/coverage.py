"""What ran of the sources, as llvm-cov tells it, by place in the source.

llvm-cov counts every instantiation of a template by itself, and every program's copy of an inline
function. Here they are one: what any of them ran has run.
"""

import collections
import dataclasses
import json
import pathlib
import re
import subprocess

# Kinds of regions, as llvm-cov's JSON numbers them.
CODE, MCDC_BRANCH = 0, 6
MEASURES = ("lines", "functions", "regions", "branches", "MC/DC")


@dataclasses.dataclass(frozen=True, order=True)
class Miss:
    """One thing that never happened: a line, a function, an outcome of a branch, a condition."""

    path: str
    number: int
    text: str  # of the line, so that it can be found when the number has moved
    outcome: str

    def __str__(self):
        return f"{self.path}:{self.number}: {self.outcome}\n    {self.text}"


class File:
    def __init__(self, root, path):
        self.path = path
        self.source = (root / path).read_text("utf-8").splitlines()
        self.lines = {}  # number: runs
        self.functions = collections.Counter()  # place of the body: runs
        self.regions = collections.Counter()  # place: runs
        self.branches = collections.defaultdict(lambda: [0, 0])  # place: [true, false]
        self.conditions = collections.defaultdict(bool)  # (decision, place): decides it alone
        self.unmeasured = set()  # places of conditions that clang gave up on

    def text(self, place):
        """The source between two places, on one line."""
        line, column, end_line, end_column = place
        lines = self.source[line - 1 : end_line]
        lines[-1] = lines[-1][: end_column - 1]
        lines[0] = lines[0][column - 1 :]
        return " ".join(" ".join(lines).split())

    def counts(self):
        """For each measure, how much was covered, of how much."""
        outcomes = [runs for both in self.branches.values() for runs in both]
        for all_runs in (
            self.lines.values(),
            self.functions.values(),
            self.regions.values(),
            outcomes,
            self.conditions.values(),
        ):
            yield sum(map(bool, all_runs)), len(all_runs)

    def misses(self):
        """What never happened. What follows from a function that never ran, or a line that was never
        reached, is not said again."""
        never = set()
        for place, runs in self.functions.items():
            if not runs:
                never.update(range(place[0], place[2] + 1))
                yield self._miss(place[0], "function")
        for line, runs in self.lines.items():
            if not runs and line not in never:
                never.add(line)
                yield self._miss(line, "line")
        for place, both in self.branches.items():
            for runs, outcome in zip(both, ("true", "false")):
                if not runs and place[0] not in never:
                    yield self._miss(place[0], f"{outcome}: {self.text(place)}")
        for (_, place), alone in self.conditions.items():
            if not alone and all(self.branches[place]):
                yield self._miss(place[0], f"decides alone: {self.text(place)}")
        for place in self.unmeasured:
            yield self._miss(place[0], f"not measured: {self.text(place)}")

    def _miss(self, number, outcome):
        return Miss(self.path, number, self.source[number - 1].strip(), outcome)

    def is_condition(self, place):
        """Whether the source between two places is one side of && or ||."""
        line, column, end_line, end_column = place
        before = " ".join([self.source[line - 2] if line > 1 else "", self.source[line - 1][: column - 1]])
        behind = " ".join([self.source[end_line - 1][end_column - 1 :], *self.source[end_line : end_line + 1]])
        if re.match(r"\s*\?", behind):  # `a && (b ? c : d)` has the conditions a and all in parentheses
            return False
        return bool(re.search(r"(&&|\|\|)\s*\(*$", before) or re.match(r"\)*\s*(&&|\|\|)", behind))


def _llvm_cov(command, programs, profile, *options):
    objects = [word for program in programs[1:] for word in ("-object", program)]
    # Places are recorded relative to the build directory.
    given = [f"-instr-profile={profile}", f"-compilation-dir={profile.parent}"]
    return ["llvm-cov-19", command, programs[0], *objects, *given, *options]


def _run(command):
    # What it warns of: functions that are in one program, and only a declaration in another.
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{command[0]} {command[1]} failed\n{run.stderr}")
    return run.stdout


def read(root, programs, profile, directories):
    """Every File below the directories of root that the programs are made of."""
    files = {}

    def known(name):
        path = pathlib.Path(name)
        if not any(path.is_relative_to(root / directory) for directory in directories):
            return None
        if name not in files:
            files[name] = File(root, path.relative_to(root).as_posix())
        return files[name]

    exported = json.loads(_run(_llvm_cov("export", programs, profile, "-format=text")))
    for function in exported["data"][0]["functions"]:
        _add_function(function, [known(name) for name in function["filenames"]])

    file = None
    for line in _run(_llvm_cov("export", programs, profile, "-format=lcov")).splitlines():
        if line.startswith("SF:"):
            file = known(line.removeprefix("SF:"))
        elif file and (runs := re.fullmatch(r"DA:(\d+),(\d+)", line)):
            file.lines[int(runs[1])] = int(runs[2])
    return sorted(files.values(), key=lambda file: file.path)


def _add_function(function, files):
    if not any(files):
        return
    *body, _, number, _, _ = function["regions"][0]
    if files[number]:
        files[number].functions[tuple(body)] += function["count"]
        # A comparison that is defaulted is a token; its branches are nowhere in the source.
        if len(files[number].text(body)) == 1:
            return
    for *place, runs, number, _, kind in function["regions"]:
        if files[number] and kind == CODE:
            files[number].regions[tuple(place)] += runs
    measured = collections.defaultdict(list)
    for *place, true, false, number, _, kind in function["branches"]:
        if not files[number]:
            continue
        both = files[number].branches[tuple(place)]
        both[0] += true
        both[1] += false
        if kind == MCDC_BRANCH:
            measured[number].append(tuple(place))
        elif files[number].is_condition(place):
            files[number].unmeasured.add(tuple(place))
    for *decision, _, _, covered in function["mcdc_records"]:
        # A record names no file: it stands where its conditions stand.
        for number, places in measured.items():
            inside = sorted(p for p in places if decision[:2] <= list(p[:2]) and list(p[2:]) <= decision[2:])
            if len(inside) == len(covered):
                for place, alone in zip(inside, covered):
                    files[number].conditions[tuple(decision), place] |= alone


def write_html(programs, profile, target, sources):
    command = _llvm_cov("show", programs, profile, "-format=html", f"-output-dir={target}")
    command += ["-show-branches=count", "-show-mcdc", "-show-instantiations=false", *sources]
    _run(command)

"""What the library's speed has to be: bench/goals.txt, read strictly, and held to what was measured."""

import dataclasses
import fnmatch
import re

from speed import results

LINE = re.compile(r"(\S+) +(\S+) +(>=|<=) +(\d+(?:\.\d+)?) +(\d+(?:\.\d+)?)")


class Malformed(ValueError):
    """A table of goals that cannot be read, or that names what is not there."""


@dataclasses.dataclass(frozen=True)
class Goal:
    pattern: str
    over: str
    at_least: bool  # otherwise at most
    must: float
    aim: float

    def reaches(self, value, wanted):
        return value >= wanted if self.at_least else value <= wanted

    @property
    def name(self):
        return f"{self.pattern} {'over ' if self.at_least else ''}{self.over}"


@dataclasses.dataclass(frozen=True)
class Held:
    """A goal beside what was measured. `worst` is the contest that decides."""

    goal: Goal
    worst: str
    value: float | None

    @property
    def answer(self):
        if self.value is None:
            return "not measured"
        if self.goal.reaches(self.value, self.goal.aim):
            return "reached, the aim too"
        return "reached" if self.goal.reaches(self.value, self.goal.must) else "short"


def read(text):
    goals = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.fullmatch(line.rstrip())
        if not match:
            raise Malformed(f"line {number} is no goal: a contest, over what, >= or <=, and two numbers")
        goal = Goal(match[1], match[2], match[3] == ">=", float(match[4]), float(match[5]))
        if not goal.reaches(goal.aim, goal.must):
            raise Malformed(f"line {number}: the aim is less than the goal")
        if goal.at_least == (goal.over in results.COUNTED):
            raise Malformed(f"line {number}: a ratio is at least so much, a count at most")
        if any((each.pattern, each.over) == (goal.pattern, goal.over) for each in goals):
            raise Malformed(f"line {number} says again what {goal.name} has to be")
        goals.append(goal)
    return goals


def must_exist(goals, names):
    """Refuses a goal that none of these contests can reach."""
    for goal in goals:
        if not fnmatch.filter(names, goal.pattern):
            raise Malformed(f"there is no contest {goal.pattern}")


def expression(goals):
    """What matches the contests that a goal is about, as Google Benchmark names them."""
    patterns = "|".join(goal.pattern.replace("*", ".*") for goal in goals)
    return f"^({patterns}){results.ONCE}$"


def held(goals, contests):
    """Each goal beside the worst contest that fits it."""
    answers = []
    for goal in goals:
        values = {name: results.value(contests[name], goal.over)
                  for name in fnmatch.filter(contests, goal.pattern)}
        for name, value in values.items():
            if value is None:
                raise Malformed(f"the contest {name} has no {goal.over}: {goal.name}")
        worst = (min if goal.at_least else max)(values, key=values.get, default="")
        answers.append(Held(goal, worst, values.get(worst)))
    return answers

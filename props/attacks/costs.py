"""Attacks by size. What takes four times as long for four times as much is linear, sixteen times a
square: the limit lies between. A control counts its steps instead of timing them."""
from attack import Works
from provider import CALL_ID
from sandproof import Sandproof

LIMIT = 8
TRIES = 3  # what is timed may be disturbed; a square is one each time
BEGINNING = b"sandproof1 " + CALL_ID + b" deadline "
STREAMS = {"hex digits": b"0123456789abcdef", "beginnings of a line": BEGINNING,
           "false reports": BEGINNING + b"a" * 32 + b"\n"}


def linear(what, cost, sizes):
    ratios = []
    for _ in range(TRIES):
        small, large = map(cost, sizes)
        ratios.append(large / small)
        if ratios[-1] <= LIMIT:
            return
    raise Works(f"{what}: {sizes[1] // sizes[0]} times as much takes {min(ratios):.0f} times as "
                "long")


def long_streams(subject):
    for what, unit in STREAMS.items():
        linear(what, lambda size, unit=unit: subject.cost_of_reading(unit, size),
               subject.stream_sizes)


class LooksForTheEnd(Sandproof):
    """At each beginning of a line its end is looked for in all the rest."""

    stream_sizes = (25_000, 100_000)

    def cost_of_reading(self, unit, size):
        stream, at, steps = unit * (size // len(unit)), -1, size
        while (at := stream.find(BEGINNING, at + 1)) >= 0:
            end = stream.find(b"\n", at)
            steps += (end if end >= 0 else len(stream)) - at
        return steps


def many_rules(subject):
    linear("rules", lambda count: subject.cost_of_comparing(
        [f"h{number}.example.com" for number in range(count)]), subject.rule_counts)


class RuleByRule(Sandproof):
    """Each rule is looked for among all the others."""

    rule_counts = (250, 1_000)

    def cost_of_comparing(self, domains):
        rules = list(reversed(domains))
        return sum(rules.index(domain) + 1 for domain in domains)

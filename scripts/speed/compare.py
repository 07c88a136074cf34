"""Two runs of the benchmarks held against each other: what changed beyond noise.

What is compared is what the library costs relative to its competitors in the same repetition: a
machine that is slower as a whole changes nothing. Two conditions make a change: the Mann-Whitney U
test gives it a p below ALPHA, and the medians differ by more than SMALLEST.
"""

import dataclasses
import json
import math
import statistics

from speed import results

ALPHA = 0.001  # of some hundred contests without a change, one in ten runs is told wrongly
SMALLEST = 0.03


class Incomparable(ValueError):
    """Runs that cannot be held against each other, or a file that is no run."""


@dataclasses.dataclass(frozen=True)
class Change:
    name: str
    what: str
    effect: float  # 0.1 is a tenth slower, or more
    p: float | None  # None where something was counted

    @property
    def text(self):
        word = "slower" if self.effect > 0 else "faster"
        if self.p is None:
            return f"{'more' if self.effect > 0 else 'fewer'}  {self.name}  {self.what}"
        return f"{word}  {self.name}  {100 * self.effect:+.1f} % {self.what}  p={self.p:.2g}"


def rank_sums(ranks, size):
    """How many choices of `size` of the ranks have each sum."""
    ways = [{0: 1}] + [{} for _ in range(size)]
    for rank in ranks:
        for chosen in range(size, 0, -1):
            for total, count in ways[chosen - 1].items():
                ways[chosen][total + rank] = ways[chosen].get(total + rank, 0) + count
    return ways[size]


def mann_whitney(first, second):
    """U of the first sample, and the exact two-sided p: of all ways to deal the same values, ties
    included, how many are as far from the middle."""
    together = sorted([*first, *second])
    # Doubled, so that the middle of a tie is a whole number: the places of a value, counted from 1.
    rank = {each: 2 * together.index(each) + together.count(each) + 1 for each in together}
    total = sum(rank[each] for each in first)
    middle = len(first) * (len(together) + 1)
    sums = rank_sums([rank[each] for each in together], len(first))
    far = sum(count for each, count in sums.items() if abs(each - middle) >= abs(total - middle))
    return (total - len(first) * (len(first) + 1)) / 2, far / math.comb(len(together), len(first))


def costs(contest, others):
    """What the library takes in each repetition, relative to the others together."""
    theirs = zip(*(contest[name] for name in others), strict=True) if others else ()
    units = [statistics.geometric_mean(each) for each in theirs] or [1] * len(contest[results.OURS])
    return [ours / unit for ours, unit in zip(contest[results.OURS], units, strict=True)]


def change(name, old, new):
    """What became of one contest; None where nothing did."""
    if old.get("allocations", [0])[0] != new.get("allocations", [0])[0]:
        was, now = old.get("allocations", [0])[0], new.get("allocations", [0])[0]
        return Change(name, f"allocations: {now:g} after {was:g}", now - was, None)
    others = [each for each in results.competitors(old) if each in results.competitors(new)]
    before, after = costs(old, others), costs(new, others)
    p = mann_whitney(before, after)[1]
    effect = statistics.median(after) / statistics.median(before) - 1
    if p >= ALPHA or abs(effect) <= SMALLEST:
        return None
    return Change(name, f"against {', '.join(others) or 'the clock'}", effect, p)


def changes(old, new):
    """Every change from one run to another, the worst first, and how many contests were compared."""
    was, now = (run["circumstances"]["CPU"] for run in (old, new))
    if was != now:
        raise Incomparable(f"the CPU was another: {was}; now it is {now}")
    names = [name for name in new["contests"] if name in old["contests"]]
    if not names:
        raise Incomparable("the two runs have no contest in common")
    for name in names:
        sizes = [len(run["contests"][name][results.OURS]) for run in (old, new)]
        if 2 / math.comb(sum(sizes), sizes[0]) >= ALPHA:
            raise Incomparable(f"{name} was repeated {sizes[0]} and {sizes[1]} times, which can show"
                               " nothing: repeat both at least 7 times")
    found = [change(name, old["contests"][name], new["contests"][name]) for name in names]
    found = sorted(filter(None, found), key=lambda each: -each.effect)
    return found, len(names)


def is_run(run):
    """Whether it is what run_benches.py writes: it may have come from anywhere."""
    texts = [*run["contests"], *(name for contest in run["contests"].values() for name in contest),
             *(run["circumstances"][key] for key in results.CIRCUMSTANCES)]
    return all(text.isascii() and text.isprintable() for text in texts) and all(
        len({len(values) for values in contest.values()}) == 1
        and all(0 <= value < math.inf for values in contest.values() for value in values)
        and all(value > 0 for name in (results.OURS, *results.competitors(contest))
                for value in contest[name])
        for contest in run["contests"].values())


def read(path):
    try:
        run = json.loads(path.read_text("utf-8"))
        good = is_run(run)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise Incomparable(f"{path} cannot be read as results: {type(error).__name__}") from error
    if not good:
        raise Incomparable(f"{path} cannot be read as results: it has other texts or numbers than a run has")
    return run

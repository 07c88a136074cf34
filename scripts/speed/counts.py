"""How many instructions each decision takes: bench/counts.txt, read strictly, and held to a new count.

Counts are the same on an idle and on a busy machine, but of one compiler with one set of flags, and of
one C library, whose functions are counted too: the table says which, and is held to no other.
"""

import re

TOLERANCE = 0.02  # more than another patch of the C library changes
KEYS = ("compiler", "flags", "libc")
HEAD = """\
# How many instructions each decision of bench/count_calls.cc takes, as callgrind counts them.
# `scripts/bench --counts` counts anew and tells what differs by more than {:.0%};
# `scripts/bench --counts --record` writes this file.
"""
PART = re.compile(r"^desc: Trigger: Client Request: (\S+)$(.*?)^(?:summary|totals): (\d+)$", re.M | re.S)


class Malformed(ValueError):
    """A table that cannot be read, or one of another compiler."""


class NotCounted(ValueError):
    """Nothing was counted, or not as it should be."""


def of_callgrind(text):
    """The counts by name, from what callgrind wrote at each request."""
    found = {}
    for name, between, count in PART.findall(text):
        if "desc: Trigger:" in between or name in found or int(count) == 0:
            raise NotCounted(f"callgrind has no count of its own for {name}")
        found[name] = int(count)
    if not found:
        raise NotCounted("callgrind counted nothing")
    return found


def read(text):
    """(where it was counted, the counts by name)"""
    where, found = {}, {}
    for number, line in enumerate(text.splitlines(), 1):
        key, _, value = line.partition(" ")
        value = value.strip()
        if not line or line.startswith("#"):
            continue
        if key in where or key in found:
            raise Malformed(f"line {number} says {key} again")
        if key in KEYS:
            where[key] = value
        elif re.fullmatch(r"[1-9]\d*", value):
            found[key] = int(value)
        else:
            raise Malformed(f"line {number} is no count: a name, and a number")
    if set(where) != set(KEYS) or not found:
        raise Malformed(f"it has to say {', '.join(KEYS)}, and counts")
    return where, found


def write(where, found):
    width = max(map(len, found))
    return (HEAD.format(TOLERANCE) + "".join(f"{key:<9}{where[key]}\n" for key in KEYS) + "\n" +
            "".join(f"{name:<{width}}  {count}\n" for name, count in found.items()))


def must_be_comparable(table, where):
    """Refuses a table that was recorded elsewhere."""
    for key in KEYS:
        if table[0][key] != where[key]:
            raise Malformed(f"it was recorded with another {key}, {table[0][key]}; here is"
                            f" {where[key]}, whose counts say nothing of those")


def differences(table, found):
    """One line for each count that is not as the table has it."""
    recorded, lines = table[1], []
    for name in {**recorded, **found}:
        if name not in found:
            lines.append(f"gone   {name}")
        elif name not in recorded:
            lines.append(f"new    {name}  {found[name]:,}")
        elif abs(found[name] - recorded[name]) > TOLERANCE * recorded[name]:
            word = "more " if found[name] > recorded[name] else "fewer"
            lines.append(f"{word}  {name}  {found[name]:,} after {recorded[name]:,}"
                         f" ({100 * (found[name] / recorded[name] - 1):+.1f} %)")
    return lines

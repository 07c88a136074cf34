"""The library without its gates: there each attack on it must work, and show what its control does.

usage: gates.py TOOL LIBRARY

TOOL and LIBRARY are built of a copy of the sources to which all of gates/ was applied, by
`scripts/attacks --without-gates`. A patch is named by its attack. Exit status: 0, 1 if an attack
was held all the same, 2 usage.
"""
import pathlib
import re
import sys

import run
from attack import Naive
from sandproof import Sandproof
from table import ATTACKS
from tap import one_line

PATCHES = {path.stem: path for path in pathlib.Path(__file__).with_name("gates").glob("*.patch")}


def outcome(attack, subject):
    """(whether the attack works as its control does, what was seen)"""
    try:
        seen = run.try_library(attack, subject)
    except Exception as error:  # a driver's error shows nothing
        return False, f"{type(error).__name__}: {error}"
    if seen is None:
        return False, "it is held all the same"
    known = [control.bites for control in attack.controls if isinstance(control, Naive)]
    return any(re.search(bites, seen) for bites in known), seen


def main(tool, library):
    subject, failed = Sandproof(tool, library), 0
    attacks = [attack for attack in ATTACKS if attack.number in PATCHES]
    for attack in attacks:
        works, seen = outcome(attack, subject)
        failed += not works
        print(f"{'works' if works else 'FAILED':<7} {attack.name}: {one_line(seen)}", flush=True)
    print(f"{len(attacks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))

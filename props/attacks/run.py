"""Tries every attack, and shows of each that it would work.

usage: run.py --tool FILE --library FILE [ATTACK...] [--shell S] [--controls] [--quick]
       run.py --list [ATTACK...]

An attack is held, refused (by a wrapper that starts nothing under this shell), broken, or skipped.
Its controls are the same attack with the gate removed: each has to bite, or the attack shows
nothing.
Whatever starts a wrapper runs in a PID namespace of its own, with a canary. Exit status: 0, 1 if an
attack is broken or a control did not bite, 2 usage.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "shells")]
import drive  # noqa: E402: it knows every scenario
import families  # noqa: E402
import namespace  # noqa: E402
import wrap_text  # noqa: E402
from attack import InSession, Naive, Without, Works  # noqa: E402
from family_rows import ROWS  # noqa: E402
from mutants import MUTANTS  # noqa: E402
from sandproof import Sandproof  # noqa: E402
from scenario import SCENARIOS, SHELLS  # noqa: E402
from table import ATTACKS  # noqa: E402
from tap import one_line  # noqa: E402

LIBRARY = "library"
COLUMNS = (LIBRARY, *SHELLS)
CONTROL = "control"
LIMIT = 240  # seconds for one scenario
WORST_FIRST = ("broken", "blunt", "skipped", "held", "refused", "bit")
SHOWN = 93  # characters of what was seen
CALL = re.compile(r": \{.*\}|\. \[.*\]", re.S)  # all that a call or a cell left


class Setting:
    """What is tried here: the tool and the library, and the shells that there are."""

    def __init__(self, tool, library):
        self.tool, self.library = os.path.abspath(tool), os.path.abspath(library)
        self.shells = [shell for shell in SHELLS if shutil.which(shell)]
        self.no_namespace = namespace.missing()
        self.root = drive.make_root(self.shells)

    def absent(self, shell):
        """Why nothing can be tried in a shell; None if it can."""
        if self.no_namespace:
            return f"no PID namespaces here: {self.no_namespace}"
        return None if shell in self.shells else f"{shell} is not installed"

    def scenario(self, name, shell, scheme="sealed", caller="", source=wrap_text.SOURCE):
        """(verdict, detail) of props/shells."""
        job = {"scenario": name, "shell": shell, "scheme": scheme, "caller": caller, "long": 0,
               "root": self.root, "source": source, "tool": self.tool}
        answer, _ = namespace.launch(os.path.join(HERE, "inside.py"), job, LIMIT)
        return ("BROKEN", answer) if isinstance(answer, str) else tuple(answer)


def try_library(attack, subject):
    """How the attack worked; None if it did not."""
    try:
        attack.library(subject)
    except Works as seen:
        return str(seen)
    return None


def try_shell(attack, shell, setting):
    absent = setting.absent(shell)
    if absent:
        return "skipped", absent
    seen = [setting.scenario(name, shell) for name in attack.scenarios
            if SCENARIOS[name].takes(shell, "sealed", everything=True)]
    return min(((verdict.lower(), detail) for verdict, detail in seen),
               key=lambda one: WORST_FIRST.index(one[0]))


def mutant_of(control):
    return next(mutant for mutant in MUTANTS if mutant.name == control.mutant)


def row_of(control):
    return next(row for row in ROWS if row.name == control.variable)


def shell_of(control):
    """The shell that a control needs; None if it needs none."""
    if isinstance(control, InSession):
        return row_of(control).shows.shells[0]
    if isinstance(control, Without):
        return control.shell or mutant_of(control).shell
    return None


def without(control, setting):
    """What is seen of a control in a real shell; None if the attack was held all the same."""
    if not control.mutant:
        verdict, detail = setting.scenario(control.scenario, control.shell, caller=control.caller)
    else:
        mutant = mutant_of(control)
        where = mutant.scenario, mutant.shell, mutant.scheme, control.caller
        if control.caller and setting.scenario(*where)[0] != "held":
            raise RuntimeError(f"this caller alone breaks it: {control.caller}")
        source = drive.changed_source(mutant, setting.root)
        if source is None:
            raise RuntimeError("the wrapper has no such text to remove")
        verdict, detail = setting.scenario(*where, source)
    if detail.startswith("driver:"):
        raise RuntimeError(detail)
    return detail if verdict == "BROKEN" else None


def in_session(control, setting):
    row = row_of(control)
    found, error = families.ask(row, row.shows.shells[0], [row.shows], setting.root, setting.tool)
    if error:
        raise RuntimeError(error)
    return found


def try_control(attack, control, setting):
    shell = shell_of(control)
    if shell and (absent := setting.absent(shell)):
        return "skipped", absent
    if isinstance(control, Naive):
        seen = try_library(attack, control.subject(setting.tool, setting.library))
    else:
        seen = (without if isinstance(control, Without) else in_session)(control, setting)
    if seen is None:
        return "blunt", "the control did not bite: without its gate the attack is held all the same"
    if not re.search(control.bites, seen, re.S):
        return "blunt", f"the control bit otherwise: not {control.bites!r} but {seen}"
    return "bit", seen


class Cell:
    """One thing to try: an attack in the library or a shell, or one of its controls."""

    def __init__(self, attack, column, control=None):
        self.attack, self.column, self.control = attack, column, control
        self.answer = None
        scenarios = attack.scenarios if column in SHELLS else ()
        self.is_loaded = any(SCENARIOS[name].loaded for name in scenarios)
        self.is_library = column == LIBRARY or isinstance(control, Naive)

    @property
    def title(self):
        return f"{self.attack.name}, " + (f"without: {self.control.removed}" if self.control
                                          else self.column)

    def run(self, setting):
        try:
            if self.control:
                self.answer = try_control(self.attack, self.control, setting)
            elif self.column == LIBRARY:
                seen = try_library(self.attack, Sandproof(setting.tool, setting.library))
                self.answer = ("held", "") if seen is None else ("broken", seen)
            else:
                self.answer = try_shell(self.attack, self.column, setting)
        except Exception as error:  # a driver's error shows nothing
            self.answer = "blunt" if self.control else "broken", f"{type(error).__name__}: {error}"


def cells_of(attack, args):
    """What is to be tried of an attack."""
    in_shells = attack.scenarios and (attack.quick or not args.quick)
    if not args.controls:
        if attack.library and args.shell in (None, LIBRARY):
            yield Cell(attack, LIBRARY)
        for shell in SHELLS:
            takes = any(SCENARIOS[name].takes(shell, "sealed", everything=True)
                        for name in attack.scenarios)
            if in_shells and takes and args.shell in (None, shell):
                yield Cell(attack, shell)
    for control in attack.controls:
        if in_shells or isinstance(control, Naive):
            yield Cell(attack, CONTROL, control)


def run_all(cells, setting):
    """The cells of the library alone first, since they are timed; those that make a load last."""
    for cell in filter(lambda cell: cell.is_library, cells):
        cell.run(setting)
    rest = [cell for cell in cells if not cell.is_library]
    for loaded, workers in ((False, 3 * (os.cpu_count() or 1)), (True, os.cpu_count() or 1)):
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            chosen = [cell for cell in rest if cell.is_loaded == loaded]
            list(pool.map(lambda cell: cell.run(setting), chosen))


def print_table(attacks, cells):
    columns = (*COLUMNS, CONTROL)
    width = max(len(attack.name) for attack in attacks) + 2
    print(f"{'':<{width}}" + "".join(f"{column:<9}" for column in columns).rstrip())
    for attack in attacks:
        mine = [cell for cell in cells if cell.attack is attack]
        row = [min((cell.answer[0] for cell in mine if cell.column == column),
                   key=WORST_FIRST.index, default="") for column in columns]
        if mine:
            print(f"{attack.name:<{width}}" + "".join(f"{word:<9}" for word in row).rstrip())


def print_seen(cells):
    """What each control did, and why nothing was tried, or what is wrong."""
    bit = [cell for cell in cells if cell.answer[0] == "bit"]
    if bit:
        print("\nWithout the gate:")
    for cell in bit:
        print(f"  {cell.attack.number:<4} {cell.control.removed} "
              f"({shell_of(cell.control) or LIBRARY})\n"
              f"       {one_line(CALL.sub('', cell.answer[1]))[:SHOWN]}")
    whys = {}
    for cell in cells:
        if cell.answer[0] == "skipped":
            whys.setdefault(cell.answer[1], []).append(cell)
    for why, skipped in whys.items():
        print(f"\nskipped: {len(skipped)}, since {one_line(why)}")
    for cell in cells:
        if cell.answer[0] in ("broken", "blunt"):
            print(f"\nFAILED  {cell.title}: {one_line(cell.answer[1])}")


def arguments(argv, attacks):
    parser = argparse.ArgumentParser(prog="scripts/attacks", add_help=False, allow_abbrev=False,
                                     usage="%(prog)s [ATTACK...] [OPTION...]")
    parser.add_argument("wanted", nargs="*")
    parser.add_argument("--shell", choices=COLUMNS)
    for option in ("list", "controls", "quick"):
        parser.add_argument(f"--{option}", action="store_true")
    parser.add_argument("--tool")
    parser.add_argument("--library")
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.error(f"no such option: {unknown[0]!a} (see --help)")
    known = {word for attack in attacks for word in (attack.name, attack.number)}
    for word in args.wanted:
        if word not in known:
            parser.error(f"no attack {word!a}: --list shows them")
    args.attacks = [attack for attack in attacks
                    if not args.wanted or {attack.name, attack.number} & {*args.wanted}]
    if not args.list and not (args.tool and args.library):
        parser.error("no --tool or no --library")
    return args


def main(argv, attacks=ATTACKS):
    args = arguments(argv, attacks)
    if args.list:
        for attack in args.attacks:
            print(f"{attack.name}\n  does     {attack.does}\n  must be  {attack.must}\n"
                  f"  gate     {attack.gate}")
            for control in attack.controls:
                print(f"  control  {control.removed}")
        return 0
    cells = [cell for attack in args.attacks for cell in cells_of(attack, args)]
    setting = Setting(args.tool, args.library)
    try:
        run_all(cells, setting)
    finally:
        shutil.rmtree(setting.root, ignore_errors=True)
    print_table(args.attacks, cells)
    print_seen(cells)
    said = [cell.answer[0] for cell in cells]
    failed, skipped = said.count("broken") + said.count("blunt"), said.count("skipped")
    print(f"\n{len(said) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

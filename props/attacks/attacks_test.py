"""attacks_test.py TOOL LIBRARY [--tap]: the table of attacks is whole; what does not hold is told.

Attacks that are made to be broken, and controls that are made not to bite, must end a run with
status 1.
"""
import contextlib
import io
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402: it finds the other directories
import gates  # noqa: E402
import tap  # noqa: E402
from attack import Attack, InSession, Naive, Without, Works  # noqa: E402
from naive_callers import CALLERS  # noqa: E402
from sandproof import Refused, Sandproof  # noqa: E402
from table import ATTACKS  # noqa: E402

TOOL, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:3])


def held(subject):
    if subject.declare([]) != Refused("empty_list"):
        raise Works("sent")


def broken(_):
    raise Works("seen \x1b[31m at work")


def wrong(_):
    raise ValueError("the driver is wrong")


class Sends(Sandproof):
    """It is sent"""

    def declare(self, domains):
        return domains


class Fails(Sandproof):
    """The driver is wrong"""

    def declare(self, domains):
        raise ValueError("sent")


class Unchanged(Sandproof):
    """Nothing is removed"""


BITES, BLUNT = Naive(Sends, bites="^sent$"), Naive(Unchanged, bites="sent")


def attack(library=None, controls=(BITES,), **fields):
    return Attack("T1 fixture", "does", "must", "gate", controls, library=library, **fields)


def in_shell(control, scenarios=("T1 option-like program",), **fields):
    return attack(controls=(control,), scenarios=scenarios, **fields)


OPTION = Without(mutant="no -- after setsid", bites="exit 0, expected 127")
CALLER = Without(caller="the first line is the announcement, or nothing ran", shell="dash",
                 scenario="T1 option-like program", bites="outcome")
NO_SCENARIO = CALLER._replace(scenario="T0", bites="T0")
# What is tried, the words of its row, and the counts.
FIXTURES = {
    "held, and a control that bites": (attack(held), "held bit", (2, 0, 0)),
    "a broken attack": (attack(broken, controls=()), "broken", (0, 1, 0)),
    "a driver's error": (attack(wrong, controls=()), "broken", (0, 1, 0)),
    "a control that does not bite": (attack(held, (BLUNT,)), "held blunt", (1, 1, 0)),
    "a control that bites otherwise":
        (attack(held, (Naive(Sends, bites="unsent"),)), "held blunt", (1, 1, 0)),
    "a control whose driver errs":
        (attack(held, (Naive(Fails, bites="sent"),)), "held blunt", (1, 1, 0)),
    "one of two controls that does not bite":
        (attack(held, (BITES, BLUNT)), "held blunt", (2, 1, 0)),
}
SHELL_FIXTURES = {
    "held in a shell, and a mutant that bites": (in_shell(OPTION), "held bit", (2, 0, 0)),
    "a caller that is not deceived": (in_shell(CALLER), "held blunt", (1, 1, 0)),
    "a mutant that bites otherwise":
        (in_shell(OPTION._replace(bites="held until")), "held blunt", (1, 1, 0)),
    "a control without a scenario": (in_shell(NO_SCENARIO), "held blunt", (1, 1, 0)),
    "a mutant below a caller that breaks it alone":
        (in_shell(OPTION._replace(caller=CALLER.caller, bites="outcome")), "held blunt", (1, 1, 0)),
    "a variable that shows":
        (in_shell(InSession("OPTIND", bites="exit 3 -> ")), "held bit", (2, 0, 0)),
}


def result_of(attacks, *words, tool=TOOL):
    """(status, what was printed)"""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            status = run.main([*words, "--tool", tool, "--library", LIBRARY], attacks)
        except SystemExit as end:
            status = end.code
    return status, said.getvalue()


def expect(report, name, holds, detail):
    if holds:
        report.ok(name)
    else:
        report.broken(name, detail)


def fixture(report, name, attacks, words, counts, *options, tool=TOOL):
    status, said = result_of(attacks, *options, tool=tool)
    row = next((line for line in said.splitlines() if line.startswith("T1 fixture")), "")
    closing = "{} passed, {} failed, {} skipped\n".format(*counts)
    right = (status == (1 if counts[1] else 0) and row.split()[2:] == words.split()
             and said.endswith("\n" + closing) and "\x1b" not in said
             and said.count("\nFAILED  ") == counts[1])
    expect(report, name, right, f"status {status}:\n{said}")


def tool_without_a_gate(directory):
    """A sandproof whose wrapper takes the command's first word for an option of setsid."""
    path = os.path.join(directory, "sandproof")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\ncase $1 in wrap) '{TOOL}' \"$@\" | sed 's/setsid -- /setsid /';;\n"
                   f"*) exec '{TOOL}' \"$@\";; esac\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def in_shells(report):
    if run.namespace.missing():
        for name in (*SHELL_FIXTURES, "a tool without a gate"):
            report.skip(name, "no PID namespaces here")
        return
    for name, (one, words, counts) in SHELL_FIXTURES.items():
        fixture(report, name, [one], words, counts, "--shell", "dash")
    with tempfile.TemporaryDirectory() as directory:
        two = in_shell(OPTION, scenarios=("T12 no name a shell reserves", "T1 option-like program"))
        fixture(report, "a tool without a gate", [two], "broken bit", (1, 1, 0), "--shell", "dash",
                tool=tool_without_a_gate(directory))


def without_namespaces(report):
    missing = run.namespace.missing
    run.namespace.missing = lambda: "not allowed"
    try:
        fixture(report, "skipped without namespaces", [in_shell(OPTION, library=held)],
                "skipped skipped", (0, 0, 2), "--shell", "dash")
    finally:
        run.namespace.missing = missing


def patches(report):
    """Each attack on the library has a patch that takes its gate out. For T21 there is none: the
    reading of 100 MB would then take days."""
    library = {one.number for one in ATTACKS if one.library} - {"T21"}
    expect(report, "a patch for each attack on the library", library == gates.PATCHES.keys(),
           f"{library ^ gates.PATCHES.keys()}")
    root = pathlib.Path(__file__).resolve().parents[2]
    for number, path in sorted(gates.PATCHES.items()):
        command = ["patch", "--dry-run", "-p1", "-F0", "--forward", "--batch", "-d", root]
        done = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=False)
        changed = re.findall(rb"^\+\+\+ b/(\S+)", path.read_bytes(), re.M)
        right = done.returncode == 0 and all(name.startswith(b"src/") for name in changed)
        expect(report, f"the patch for {number} applies to the library", right,
               f"{changed}: {done.stdout.decode()}")


def without_gates(report):
    subject = Sandproof(TOOL, LIBRARY)
    for name, library, bites, wanted in (
            ("an attack that works there", broken, "^seen", True),
            ("one that is held there", held, "", False),
            ("one that works otherwise there", broken, "^sent", False),
            ("one whose driver errs there", wrong, "", False)):
        works, seen = gates.outcome(attack(library, (Naive(Sends, bites),)), subject)
        expect(report, name, works == wanted, seen)


def parts(report):
    """What the options leave of an attack: that of the library, and one in a shell that waits."""
    one = in_shell(OPTION, library=held)._replace(controls=(BITES, OPTION))
    for options, columns in (([], ["library", *run.SHELLS, "control", "control"]),
                             (["--shell", "mksh"], ["mksh", "control", "control"]),
                             (["--controls"], ["control", "control"]),
                             (["--quick"], ["library", "control"])):
        args = run.arguments([*options, "--tool", TOOL, "--library", LIBRARY], [one])
        left = [cell.column for cell in run.cells_of(one, args)]
        expect(report, f"what is tried with {options}", left == columns, str(left))


def usage(report):
    for words in (["T99"], ["--shell", "csh"], ["--chemise"], ["T1\x1b[31m"]):
        status, said = result_of(ATTACKS, *words)
        expect(report, f"usage: {words[0]!a}", status == 2 and "\x1b" not in said,
               f"{status}: {said}")
    status, said = result_of(ATTACKS, "T9", "--list")
    expect(report, "--list", status == 0 and "T9 external kill" in said and "T8" not in said, said)


def table(report):
    numbers = [one.number for one in ATTACKS]
    expect(report, "T1 to T32, once each", numbers == [f"T{i}" for i in range(1, 33)], str(numbers))
    without = [one.name for one in ATTACKS
               if not one.controls or not (one.library or one.scenarios)]
    expect(report, "each is tried, and has a control", not without, str(without))
    known = {name for one in ATTACKS for name in one.scenarios}
    numbered = {name for name in run.SCENARIOS if name[0] == "T" and name[1].isdigit()}
    expect(report, "each numbered scenario stands in the table", numbered == known,
           f"only there: {numbered - known}; only here: {known - numbered}")
    elsewhere = [name for one in ATTACKS for name in one.scenarios
                 if name.partition(" ")[0] != one.number]
    expect(report, "below its own number", not elsewhere, str(elsewhere))
    mutants = {"", *(mutant.name for mutant in run.MUTANTS)}
    unknown = [control for one in ATTACKS for control in one.controls
               if isinstance(control, Without) and control.mutant not in mutants]
    expect(report, "each mutant is one of props/shells", not unknown, str(unknown))
    callers = {control.caller for one in ATTACKS for control in one.controls
               if isinstance(control, Without)}
    expect(report, "each naive caller has its attack", callers == CALLERS.keys(), str(callers))


def main():
    report = tap.Report("--tap" in sys.argv)
    table(report)
    patches(report)
    without_gates(report)
    parts(report)
    usage(report)
    for name, (one, words, counts) in FIXTURES.items():
        fixture(report, name, [one], words, counts)
    without_namespaces(report)
    in_shells(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

"""What an attack is, and what shows that it would work: its controls."""
from typing import Callable, NamedTuple


class Works(Exception):
    """The attack worked; says how that showed."""


class Naive(NamedTuple):
    """A control in the library's place: `subject` is the library with one decision replaced."""
    subject: type
    bites: str  # a regular expression: what is then to be seen

    @property
    def removed(self):
        return " ".join(self.subject.__doc__.split()).rstrip(".")


class Without(NamedTuple):
    """A control in a real shell: the wrapper without a step (a mutant of props/shells), or another
    caller around it (naive_callers.py), or both. A mutant knows its scenario, shell and scheme."""
    bites: str
    mutant: str = ""
    caller: str = ""
    scenario: str = ""
    shell: str = ""

    @property
    def removed(self):
        return ", ".join(filter(None, (self.mutant, self.caller)))


class InSession(NamedTuple):
    """A control in a real shell: the variable of a row of props/shells/family_rows.py is there."""
    variable: str
    bites: str

    @property
    def removed(self):
        return f"{self.variable} is let into the session"


class Attack(NamedTuple):
    name: str  # begins with the number that the scenarios of props/shells know it by
    does: str
    must: str
    gate: str
    controls: tuple
    scenarios: tuple = ()  # of props/shells: in each of the shells that they take
    library: Callable | None = None  # takes a Sandproof; raises Works
    quick: bool = False  # its scenarios wait for nothing

    @property
    def number(self):
        return self.name.partition(" ")[0]

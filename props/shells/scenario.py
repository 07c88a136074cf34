"""What a scenario is, and the words that scenarios are written in."""
import sys

SHELLS = ("dash", "bash", "busybox", "mksh", "ksh93", "yash", "zsh", "posh")
REFUSED_SHELLS = ("posh",)  # its kill is not a builtin: the wrapper must start nothing
BOUND_SHELLS = tuple(shell for shell in SHELLS if shell not in REFUSED_SHELLS)
SCHEMES = ("sealed", "nonce")

# What the wrapper runs. yash runs its own echo only where PATH has a file of that name.
TOOLS = ("setsid", "od", "tr", "sleep", "sha256sum")

LONG_DEADLINE = 30_000  # ms; nothing here runs as long
LATE = 9.0  # seconds; a call that should end at once and took this long was held
PYTHON = sys.executable


class Broken(Exception):
    """What should have held did not."""


class Skip(Exception):
    """Cannot be tried here."""


class Refused(Exception):
    """The shell that must be refused was."""


class Scenario:
    def __init__(self, function, shells, schemes, core, loaded):
        self.function, self.shells, self.schemes = function, shells, schemes
        self.core, self.loaded = core, loaded

    def takes(self, shell, scheme, everything):
        """Whether a run has this cell. A quick run takes all of a bound shell's sealed cells. The
        wrapper differs in five places in nonce, and a refused shell ends at its second check: both
        take the core only."""
        if shell not in self.shells or scheme not in self.schemes:
            return False
        return everything or self.core or (scheme == "sealed" and shell in BOUND_SHELLS)


SCENARIOS = {}


def scenario(name, shells=SHELLS, schemes=SCHEMES, core=False, loaded=False):
    """core: also in a quick run's nonce and refused cells. loaded: makes its own load."""
    def add(function):
        assert name not in SCENARIOS
        SCENARIOS[name] = Scenario(function, shells, schemes, core or shells == REFUSED_SHELLS,
                                   loaded)
        return function
    return add


def dash(script, *words):
    return ["/usr/bin/dash", "-c", script, "dash", *words]


# What an attacking command starts with: W the wrapper, K the killer, S its sleeper.
FIND = """
W=$PPID; K=; S=
find_helpers() {
  while :; do
    for K in $(pgrep -P "$W"); do
      case $K in $$) continue;; esac
      S=$(pgrep -x -P "$K" sleep) && return
    done
  done
}
find_helpers
"""


def attack(script, *words):
    return dash(FIND + script, *words)


def python(script, *words):
    return [PYTHON, "-ISsc", script, *words]

"""Runs of the tool in a PID namespace of their own, with a canary that must survive.

Where no namespace can be made, the tests that need one are skipped.
"""

import functools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shells"))

import namespace

INSIDE = pathlib.Path(__file__).with_name("run_inside.py")
LIMIT = 200  # seconds
UNSHARE = namespace.UNSHARE


@functools.cache
def missing():
    reason = namespace.missing()
    if reason:
        print(f"skipped: runs of commands (no namespaces here: {reason})")
    return reason


def alone(test):
    """The test needs namespaces."""
    @functools.wraps(test)
    def wrapped(tool, report):
        if not missing():
            test(tool, report)
    return wrapped


class NoAnswer(Exception):
    """A run that says nothing of itself, and why."""


class Done:
    def __init__(self, answer):
        self.status, self.seconds, self.left = answer["status"], answer["seconds"], answer["left"]
        self.out, self.err = bytes.fromhex(answer["out"]), bytes.fromhex(answer["err"])

    @property
    def text(self):
        return self.out.decode("latin-1")

    @property
    def message(self):
        return self.err.decode("latin-1")


def run(command, here, **job):
    """A command, in the directory `here`; run_inside.py says what else a job may have."""
    job = {"command": [os.fsencode(word).hex() for word in command], "cwd": str(here), **job}
    answer, _ = namespace.launch(INSIDE, job, LIMIT)
    if isinstance(answer, str):
        raise NoAnswer(f"{command}: {answer}")
    return Done(answer)

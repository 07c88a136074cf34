"""The cage that a test with a mutant in it runs in; cage.cc says what it holds.

A mutant of the wrapper, or of what holds it to a deadline, may kill anything that it sees; one of what
reads and writes files may empty or fill a disk, and one of what starts processes may never stop. So each
runs in namespaces of its own, as a user who owns nothing. A Ctrl-C must not look like a test that failed,
so it does not reach a test; the end of this program does.
"""

import math
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent / "cage.cc"
NOBODY = "65534"
# Root of a machine is spared the limit of processes.
DROP = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
UNSHARE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]
# What stands before it was not said by the program: that could not be started.
BEGAN = "began\n"


class Cage:
    """`work`: where the cage's program and the room are."""

    def __init__(self, compiler, work):
        self.room = work / "room"
        self.room.mkdir(parents=True, exist_ok=True)
        self._program = work / "cage"
        if self._program.exists() and self._program.stat().st_mtime > SOURCE.stat().st_mtime:
            return
        words = [compiler, "-std=c++23", "-O1", SOURCE, "-o", self._program]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)

    def around(self, command, seconds, writable="-"):
        """The command in the cage, for so many seconds of a processor."""
        drop = DROP if os.geteuid() == 0 else []
        return ["setpriv", "--pdeathsig", "KILL", *drop, *UNSHARE, str(self._program),
                str(math.ceil(seconds)), str(self.room), str(writable), *command]

    def missing(self):
        """Why there is none here; None if there is."""
        done = subprocess.run(["timeout", "20", *self.around(["/bin/true"], 5)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
        why = done.stderr.strip() or f"status {done.returncode}"
        return f"{why} (user namespaces are needed, and that user {NOBODY} may read {self.room})"

"""One cell of the table of attacks, inside its namespace: inside.py --inside JOB.

JOB is that of props/shells/drive.py, and "caller", one of naive_callers.py.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "shells")]
import drive  # noqa: E402
import namespace  # noqa: E402
from naive_callers import CALLERS  # noqa: E402


def attempt(job):
    made = []

    def make(job):
        made.append(CALLERS[job["caller"]](job))
        return made[0]

    verdict, detail = drive.attempt(job, make)
    if verdict == "BROKEN" and made[0].left:
        detail += f"; still running: {', '.join(line[:40] for line in made[0].left)}"
    return [verdict, detail]


if __name__ == "__main__":
    namespace.inside(attempt)

#!/usr/bin/env python3
"""Runs `sandproof run` in a PID namespace of its own, with a canary, and says what it left.

    run_inside.py --inside JOB

JOB is a JSON object: "command" (the tool and its arguments, as hex), "cwd", "signal" (those to send
once the file `ready` is in the directory), "ignore" (signals that the tool is started with ignored),
"stdout" and "stderr" (files to use instead of pipes), "close" (a descriptor to close), "settle"
(seconds until it is looked what is left).
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shells"))

import namespace

WAIT = 60  # seconds, for what happens at once


def prepare(job):
    """In the child, before it becomes the tool."""
    for number in job.get("ignore", []):
        signal.signal(number, signal.SIG_IGN)
    if "close" in job:
        os.close(job["close"])


def stream(job, name):
    return open(job[name], "wb") if name in job else subprocess.PIPE  # closed with this process


def run(job):
    command = [bytes.fromhex(word) for word in job["command"]]
    ready = pathlib.Path(job["cwd"], "ready")
    others = set(namespace.processes())
    began = time.monotonic()
    tool = subprocess.Popen(command, cwd=job["cwd"], stdin=subprocess.DEVNULL,
                            stdout=stream(job, "stdout"), stderr=stream(job, "stderr"),
                            preexec_fn=lambda: prepare(job))
    if "signal" in job:
        while not ready.exists() and time.monotonic() - began < WAIT:
            time.sleep(0.01)
        for number in job["signal"]:
            os.kill(tool.pid, number)
    out, err = tool.communicate()
    seconds = time.monotonic() - began
    time.sleep(job.get("settle", 0))
    left = {pid: line for pid, line in namespace.processes().items() if pid not in others}
    namespace.end(left)
    return {"status": tool.returncode, "out": (out or b"").hex(), "err": (err or b"").hex(),
            "seconds": seconds, "left": list(left.values())}


if __name__ == "__main__":
    namespace.inside(run)

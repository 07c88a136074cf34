#!/usr/bin/env python3
"""Runs `sandproof run` in a PID namespace of its own, with a canary, and says what it left.

    run_inside.py --inside JOB

JOB is a JSON object: "command" (the tool and its arguments, as hex), "cwd", "signal" (those to send
once the file `ready` is in the directory), "ignore" (signals that the tool is started with ignored),
"stdout" and "stderr" (files to use instead of pipes), "full" (standard output is a pipe that is full
and that nobody reads), "reads" (how many lines are read of it, before nobody does), "close" (descriptors
to close), "settle" (seconds until it is looked what is left).
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
    for number in job.get("close", []):
        os.close(number)


def stream(job, name):
    return open(job[name], "wb") if name in job else subprocess.PIPE  # closed with this process


def full_pipe():
    """Both ends: none is closed before the process ends."""
    ends = os.pipe()
    os.set_blocking(ends[1], False)
    try:
        while True:
            os.write(ends[1], b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(ends[1], True)
    return ends


def run(job):
    command = [bytes.fromhex(word) for word in job["command"]]
    ready = pathlib.Path(job["cwd"], "ready")
    others = set(namespace.processes())
    began = time.monotonic()
    tool = subprocess.Popen(command, cwd=job["cwd"], stdin=subprocess.DEVNULL,
                            stdout=full_pipe()[1] if "full" in job else stream(job, "stdout"),
                            stderr=stream(job, "stderr"),
                            preexec_fn=lambda: prepare(job))
    if "signal" in job:
        while not ready.exists() and time.monotonic() - began < WAIT:
            time.sleep(0.01)
        for number in job["signal"]:
            os.kill(tool.pid, number)
    if "reads" in job:
        begin = b"".join(tool.stdout.readline() for _ in range(job["reads"]))
        tool.stdout.close()
        out, err = begin, tool.stderr.read()
        tool.wait()
    else:
        out, err = tool.communicate()
    seconds = time.monotonic() - began
    time.sleep(job.get("settle", 0))
    left = {pid: line for pid, line in namespace.processes().items() if pid not in others}
    namespace.end(left)
    return {"status": tool.returncode, "out": (out or b"").hex(), "err": (err or b"").hex(),
            "seconds": seconds, "left": list(left.values())}


if __name__ == "__main__":
    namespace.inside(run)

"""Everything that may kill runs in here: a PID namespace of its own, with a canary.

A wrong kill ends every process it can see. launch() starts a program in a namespace where that is
only its own processes; inside() is what such a program calls first. The canary is a process in a
session of its own, so nothing that keeps to the rules reaches it: it must be alive at the end.
"""
import json
import os
import signal
import subprocess
import sys
import time

UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]


def missing():
    """Why no namespace can be made here; None if one can."""
    try:
        probe = subprocess.run(["timeout", "20", *UNSHARE, "true"], stdin=subprocess.DEVNULL,
                               capture_output=True, check=False)
    except OSError as error:
        return str(error)
    if probe.returncode == 0:
        return None
    return probe.stderr.decode("utf-8", "replace").strip() or f"unshare: status {probe.returncode}"


def launch(program, job, limit):
    """Runs `program --inside JOB` in a namespace; returns what it answered, or a str that says why
    there is no answer, and the seconds it took."""
    began = time.monotonic()
    done = subprocess.run(
        ["timeout", "-k", "5", str(limit), *UNSHARE, sys.executable, "-ISsB",
         os.path.abspath(program), "--inside", json.dumps(job)],
        stdin=subprocess.DEVNULL, capture_output=True, check=False)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        message = done.stderr[-600:].decode("utf-8", "replace")
        answer = f"driver: status {done.returncode}: {message}"
    return answer, time.monotonic() - began


def inside(function):
    """In the namespace: answers with function(job). A dead canary is told in the answer's place."""
    if os.getpid() != 1:
        sys.exit("only in a PID namespace of its own")
    canary = subprocess.Popen(["sleep", "3600"], start_new_session=True)
    answer = function(json.loads(sys.argv[2]))
    if canary.poll() is not None:
        answer = f"the canary is dead, status {canary.returncode}. {json.dumps(answer)}"
    print(json.dumps(answer), flush=True)


def processes():
    """{pid: command line} of this namespace, without those that have ended."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").strip().decode("utf-8", "replace")
            with open(f"/proc/{name}/stat", encoding="latin-1") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            found[int(name)] = line
    return found


def end(pids):
    for pid in pids:
        if pid > 1:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

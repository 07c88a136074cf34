"""One scenario's run inside its namespace: calls of the wrapper, and what must be true of them."""
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import threading
import time

import wrap_text
from namespace import end, processes
from scenario import LATE, REFUSED_SHELLS, Broken, Refused
from tool import Tool

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
QUICK_ROUNDS, LONG_ROUNDS = 3, 300


def which(name):
    return shutil.which(name, path=SYSTEM_PATH)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Result:
    """What a call left."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __repr__(self):
        return repr({key: value[:300] if isinstance(value, (bytes, str)) else value
                     for key, value in self.__dict__.items()})


class Pipe(threading.Thread):
    """Reads a pipe to its end; with `after`, only once that process has ended."""

    def __init__(self, stream, after=None):
        super().__init__(daemon=True)
        self.stream, self.after, self.chunks = stream, after, []
        self.start()

    def run(self):
        if self.after is not None:
            self.after.wait()
        try:
            while chunk := os.read(self.stream.fileno(), 1 << 16):
                self.chunks.append(chunk)
        except (OSError, ValueError):
            pass

    def data(self):
        return b"".join(self.chunks)


class Run:
    def __init__(self, job):
        self.shell, self.scheme, self.root = job["shell"], job["scheme"], job["root"]
        self.rounds = LONG_ROUNDS if job["long"] is True else job["long"] or QUICK_ROUNDS
        self.source = job.get("source", wrap_text.SOURCE)
        self.tool = Tool(job["tool"])
        self.bin = os.path.join(self.root, "shells", self.shell)
        self.dir = tempfile.mkdtemp(prefix="run.", dir=self.root)
        self.judges = True  # whether a refused shell's call must be refused
        self.called = "sh"  # the name that the text calls the shell by
        self.notes = []
        self.before = set(processes())

    @property
    def sealed(self):
        return self.scheme == "sealed"

    def image(self, **extra):
        """The environment of a sandbox image."""
        return {"PATH": f"{self.bin}:{SYSTEM_PATH}", "HOME": "/", "LANG": "C.UTF-8", **extra}

    def text(self, milliseconds, call_id, argv, variables, is_text=True):
        """What the tool prints; a changed source, or words that are no text, by wrap_text.py."""
        if is_text and self.source == wrap_text.SOURCE:
            text = self.tool.wrap(self.scheme, milliseconds, call_id, argv, variables)
        else:
            text = wrap_text.wrap(self.scheme, milliseconds, call_id, argv, variables, self.source)
        assert text.startswith(b"sh -c ")
        return self.called.encode() + text[2:]

    def call(self, argv, milliseconds, variables=None, image=None, stderr="pipe", guard=25.0,
             setup=None, trace=None, is_text=True):
        """Sends the text to `sh -c`, as a data plane does. stderr: `pipe` read as it comes, `slow`
        read after the end, `file`, or `full` (nothing can be written)."""
        call_id = secrets.token_hex(16)
        text = self.text(milliseconds, call_id, argv, variables, is_text)
        command = [os.path.join(self.bin, "sh"), "-c", text]
        if trace:
            options = ["-f", "-qq", "-s", "99999", "-e", "trace=execve", "-o", trace]
            command = [which("strace"), *options, *command]
        err_path = os.path.join(self.dir, "stderr")
        target = subprocess.PIPE
        if stderr == "file":
            target = os.open(err_path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        elif stderr == "full":
            target = os.open("/dev/full", os.O_WRONLY)
        began = time.monotonic()
        process = subprocess.Popen(command, env=self.image() if image is None else image,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=target,
                                   preexec_fn=setup, start_new_session=True)
        pipes = [Pipe(process.stdout)]
        if target == subprocess.PIPE:
            pipes.append(Pipe(process.stderr, process if stderr == "slow" else None))
        try:
            process.stdin.write(b"not for the command\n")
            process.stdin.close()
        except BrokenPipeError:
            pass
        guarded = False
        try:
            process.wait(guard)
        except subprocess.TimeoutExpired:
            guarded = True
            process.kill()
            process.wait()
        took = time.monotonic() - began
        for pipe in pipes:
            pipe.join(2.0)
        raw = read(err_path) if stderr == "file" else b"" if stderr == "full" else pipes[1].data()
        if target != subprocess.PIPE:
            os.close(target)
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        result = Result(exit=code, out=pipes[0].data(), err=raw, call_id=call_id, seconds=took,
                        report=self.tool.report(self.scheme, code, raw, call_id), guarded=guarded,
                        open=any(pipe.is_alive() for pipe in pipes), milliseconds=milliseconds)
        if self.judges and self.shell in REFUSED_SHELLS:
            self.expect_refused(result, "kill")
            raise Refused
        return result

    def expect_refused(self, r, tool):
        """Refused for want of `tool`: nothing was started."""
        if r.exit != 126 or r.report["outcome"] != "not_run":
            raise Broken(f"not refused: {r}")
        line = (f"sandproof1 {r.call_id} refused {tool}\n" if self.sealed
                else f"a command cannot be bounded here: {tool}\n")
        if line.encode() not in r.err or self.sealed and tool not in r.report["reason"]:
            raise Broken(f"refused for another reason: {r}")

    def expect(self, r, exit=None, killed=False, attested=True, rest=None, late=LATE, early=None):
        """attested: True, False, or None for either. rest: the command's own standard error."""
        got = r.report
        if r.guarded:
            raise Broken(f"held until the guard: {r}")
        if got["outcome"] != "ran":
            raise Broken(f"outcome {got['outcome']}: {r}")
        if exit is not None and r.exit != exit:
            raise Broken(f"exit {r.exit}, expected {exit}: {r}")
        if got["killed"] != killed:
            raise Broken(f"killed {got['killed']}: {r}")
        if not self.sealed and got["attested"]:
            raise Broken(f"nonce attests: {r}")
        if self.sealed and attested is not None and got["attested"] != attested:
            raise Broken(f"attested {got['attested']}: {r}")
        if rest is not None and got["stderr"] != rest:
            raise Broken(f"stderr {got['stderr']!r}, expected {rest!r}")
        if killed and not self.believed(r):
            raise Broken(f"killed before its deadline, after {r.seconds:.3f} s")
        if early is not None and r.seconds < early:
            raise Broken(f"ended after {r.seconds:.3f} s, before {early}")
        if late is not None and r.seconds > late:
            raise Broken(f"held: {r.seconds:.1f} s")

    def believed(self, r):
        """A caller believes `killed` only once 99 % of the deadline has passed on its own clock."""
        return r.report.get("killed", False) and r.seconds >= 0.99 * r.milliseconds / 1000

    def secrets_of(self, r):
        """Every value in the stream that has a secret's shape."""
        return re.findall(rb"\b[0-9a-f]{32}\b", r.err.replace(r.call_id.encode(), b""))

    def nothing_left(self, allowed=(), within=3.0):
        """No process of these calls is left, but those whose command line begins as allowed."""
        until = time.monotonic() + within
        while left := [line for pid, line in processes().items() if pid not in self.before
                       and not any(line.startswith(beginning) for beginning in allowed)]:
            if time.monotonic() > until:
                raise Broken(f"left over: {[line[:80] for line in left]}")
            time.sleep(0.02)
        self.end_all()

    def end_all(self):
        end(set(processes()) - self.before)

    def path_of(self, *names, fake=None):
        """A directory for PATH with these tools (links), and fakes: {name: script}."""
        where = tempfile.mkdtemp(prefix="bin.", dir=self.dir)
        for name in {"echo", *names} - set(fake or ()):
            os.symlink(which(name), os.path.join(where, name))
        self.link_shell(where)
        for name, script in (fake or {}).items():
            path = os.path.join(where, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/usr/bin/dash\n" + script)
            os.chmod(path, 0o755)
        return where

    def link_shell(self, where):
        os.symlink(os.path.realpath(os.path.join(self.bin, "sh")), os.path.join(where, "sh"))

    def change(self, old, new):
        """From here on runs a changed source: makes a moment that cannot be timed from outside."""
        text = read(self.source).decode()
        if old not in text:
            raise RuntimeError(f"no such text in the source: {old!r}")
        self.source = os.path.join(self.dir, "changed.sh")
        with open(self.source, "w", encoding="ascii") as file:
            file.write(text.replace(old, new))

    @property
    def marker(self):
        """A file that a command makes when it should not have run."""
        return os.path.join(self.dir, "marker")

    def expect_not_started(self, what=""):
        if os.path.exists(self.marker):
            raise Broken(f"{what or 'refused'}: started all the same")

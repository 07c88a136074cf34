"""Running the tool, and keeping count of what it got wrong."""

import json
import pathlib
import re
import subprocess

TIMEOUT = 120  # seconds; a run that takes longer hangs
COLOUR = re.compile(r"\x1b\[[0-9;]+m")


class Report:
    """Counts checks, and prints the ones that fail."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def true(self, what, condition, detail=""):
        if condition:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {what}" + (f": {detail}" if detail else ""))

    def same(self, what, given, wanted):
        self.true(what, given == wanted, f"got {given!r}, wanted {wanted!r}")


class Run:
    """What one run left: the exit status, and what it wrote."""

    def __init__(self, status, out, err):
        self.status = status
        self.raw = out
        self.out = out.decode("latin-1")
        self.err = err.decode("latin-1")

    def answers(self):
        """Standard output as JSON, one value a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def is_readable(text):
    return all(c == "\n" or " " <= c <= "~" for c in text)


class Tool:
    """The tool under test. Every run is held to what is true of all of them: an exit status of 0, 1
    or 2, nothing but printable ASCII written, a last newline, and a message of one line if and only
    if the status is 2 and standard output does not say why.

    A run for a shell (`for_shell`) prints raw bytes, and nothing else: what it has to say, a call
    id or a refusal, it says in one printable line on standard error. A run that shall colour
    (`coloured`) writes sequences for that, and no others."""

    def __init__(self, path, report):
        self.path = str(pathlib.Path(path).resolve())
        self.report = report

    def run(self, *args, stdin=b"", for_shell=False, coloured=False, **options):
        command = [self.path, *args]
        if "stdout" not in options:
            options["stdout"] = subprocess.PIPE
        if isinstance(stdin, bytes):
            options["input"] = stdin
        else:
            options["stdin"] = stdin
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False, timeout=TIMEOUT,
                              **options)
        run = Run(done.returncode, done.stdout or b"", done.stderr)
        shown = f"{args!r}"[:200]
        self.report.true(f"{shown}: exit status", run.status in (0, 1, 2), str(run.status))
        self.report.true(f"{shown}: printable output", for_shell or
                         is_readable(COLOUR.sub("", run.out) if coloured else run.out),
                         run.out[:400])
        self.report.true(f"{shown}: printable message", is_readable(run.err), run.err[:400])
        for text in (run.out, run.err):
            self.report.true(f"{shown}: last newline", text == "" or text.endswith("\n"),
                             text[-80:])
        self.report.true(f"{shown}: one message", run.err.count("\n") == (1 if run.err else 0),
                         run.err[:400])
        self.report.true(f"{shown}: a message only with status 2",
                         for_shell or not run.err or run.status == 2, run.err[:400])
        self.report.true(f"{shown}: output or a refusal",
                         not for_shell or (run.out == "") == (run.status != 0), run.out[:400])
        return run

    def refuses_usage(self, what, *args, mentions="", **options):
        """A run that is used wrongly: nothing on standard output, and where the help is."""
        run = self.run(*args, **options)
        self.report.same(f"{what}: exit status", run.status, 2)
        self.report.same(f"{what}: no output", run.out, "")
        self.report.true(f"{what}: points to the help", "--help'" in run.err, run.err)
        self.report.true(f"{what}: says what is wrong", mentions in run.err, run.err)


def lines(*requests):
    """Batch input: values as JSON, bytes and text as they are."""
    out = b""
    for request in requests:
        if isinstance(request, str):
            request = request.encode()
        if not isinstance(request, bytes):
            request = json.dumps(request).encode()
        out += request + b"\n"
    return out

"""run_tests.py BUILD_DIR SUITE...: runs Meson's tests, prints what failed, and counts.

The counts come from Meson's testlog.json, from the XML file of each GoogleTest program and from the
lines of each TAP program (testanything.org), whose comments are printed if its suite was named.
Meson's own JUnit file would not do: it keeps neither a timeout nor a crash, and a control byte in a
test's output makes it unreadable.
"""

import json
import os
import pathlib
import re
import select
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

import figures
import meson_info

# Meson gives a test 30 s unless told otherwise; a busy machine deserves twenty times that.
TIMEOUT_FACTOR = 20
OUTPUT_LINES = 100
TAP_LINE = re.compile(r"(not )?ok\b\s*\d*\s*(?:- )?((?:[^\\#]|\\.)*)(?:# *(skip)\S*\s*(.*))?", re.I)
WORDS = {"OK": "ok", "EXPECTEDFAIL": "ok", "SKIP": "skipped"}  # any other result is a failure


class Tally:
    def __init__(self):
        self.passed = 0
        self.failures = []  # (title, text)
        self.skips = []  # (title, reason)
        self.figures = figures.Figures()

    def closing_line(self):
        line = f"{self.passed} passed, {len(self.failures)} failed"
        return line + f", {len(self.skips)} skipped" if self.skips else line


def printable(text):
    """Text with every control character but newline and tab escaped."""
    return re.sub(r"[^\n\t\x20-\x7e\u00a0-\ud7ff\ue000-\uffff]", lambda m: ascii(m[0])[1:-1], text)


def output_of(record):
    lines = (record.get("stdout") or "").splitlines() + (record.get("stderr") or "").splitlines()
    cut = [f"({len(lines) - OUTPUT_LINES} lines before these)"] if len(lines) > OUTPUT_LINES else []
    return "\n".join(cut + lines[-OUTPUT_LINES:])


def without_project(name):
    """Meson's "project:suite / test" without the project."""
    return re.sub(r"^[\w.-]+:", "", name)


def count_cases(file, name, program, tally):
    """Adds the cases of one GoogleTest program; returns (cases, failed ones)."""
    cases = failed = 0
    # GoogleTest writes a message's bytes as they are, so the file need not be UTF-8.
    for case in xml.fromstring(file.read_bytes().decode("utf-8", "backslashreplace")).iter("testcase"):
        cases += 1
        tally.figures.add_case(case)
        case_name = f"{case.get('classname')}.{case.get('name')}"
        title = f"{name}: {case_name}"
        skipped = case.find("skipped")
        failures = [failure.text or failure.get("message") or "" for failure in case.findall("failure")]
        if failures:
            failed += 1
            again = shlex.join([program, f"--gtest_filter={case_name}"])
            tally.failures.append((title, "\n".join(failures) + f"\nagain: {again}"))
        elif skipped is not None or case.get("status") == "notrun":
            reason = "" if skipped is None else (skipped.get("message") or "")
            tally.skips.append((title, reason or "disabled"))
        else:
            tally.passed += 1
    return cases, failed


def count_tap(record, name, tally):
    """Adds the lines of one TAP program; returns its comments, less those that explain a failure."""
    again = f"again: {shlex.join(record['command'])}"
    lines, failed, planned, comments, explanation = 0, 0, None, [], None
    for line in (record.get("stdout") or "").splitlines():
        if line.startswith("#"):
            (comments if explanation is None else explanation).append(line[2:].rstrip())
            continue
        explanation = None
        if match := TAP_LINE.match(line):
            lines += 1
            title = f"{name}: {match[2].strip()}"
            if match[1]:
                failed += 1
                explanation = []
                tally.failures.append((title, explanation))
            elif match[3]:
                tally.skips.append((title, match[4]))
            else:
                tally.passed += 1
        elif plan := re.match(r"1\.\.(\d+)", line):
            planned = int(plan[1])
    tally.failures = [
        (title, "\n".join([*map(str.strip, text), again]) if isinstance(text, list) else text)
        for title, text in tally.failures
    ]
    if planned != lines or (failed == 0 and record["result"] not in WORDS):
        lost = f"{lines} results, {planned} planned\n{output_of(record)}\n{again}"
        tally.failures.append((f"{name} ({record['result']}, status {record['returncode']})", lost))
    return comments


def count(record, file, tally):
    """Adds one test: each case of a GoogleTest program, one for a test of another kind."""
    name, result = without_project(record["name"]), record["result"]
    ok = result in ("OK", "EXPECTEDFAIL")
    if file is not None and file.exists():
        try:
            cases, failed = count_cases(file, name, record["command"][0], tally)
        except xml.ParseError as error:
            tally.failures.append((name, f"{file} cannot be read ({error})\n{output_of(record)}"))
            return
        if cases == 0 and ok:
            tally.failures.append((name, "the program holds no test case"))
        elif not ok and failed == 0:
            tally.failures.append((f"{name} ({result}, after its cases)", output_of(record)))
    elif result == "SKIP":
        tally.skips.append((name, output_of(record).strip().split("\n")[-1]))
    elif ok and file is None:
        tally.passed += 1
    elif ok:
        tally.failures.append((name, f"the program wrote no {file}\n{output_of(record)}"))
    else:
        text = output_of(record) + f"\nagain: {shlex.join(record['command'])}"
        tally.failures.append((f"{name} ({result}, status {record['returncode']})", text))


class Lines:
    """The lines of a pipe, as they come."""

    def __init__(self, pipe):
        self.pipe, self.rest, self.ended = pipe, b"", False

    def within(self, seconds):
        if select.select([self.pipe], [], [], seconds)[0]:
            data = os.read(self.pipe.fileno(), 65536)
            self.ended = not data
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                yield line.decode("utf-8", "replace")


def run_meson(build_dir, suites, total):
    """Runs the tests with a line for each as it ends; returns Meson's exit status."""
    command = ["meson", "test", "--no-rebuild", "--timeout-multiplier", str(TIMEOUT_FACTOR)]
    # The two longest tests are asleep nearly all the time.
    command += ["--num-processes", str((os.cpu_count() or 1) + 2)]
    if wrapper := os.environ.get("SANDPROOF_WRAPPER"):
        command += ["--wrapper", wrapper]
    command += ["-C", str(build_dir)] + [f"--suite={suite}" for suite in sorted(suites)]
    ended = re.compile(r"\s*\d+/\d+ (.*\S)\s+([A-Z]{2,})\s+([\d.]+)s(?:\s|$)")
    terminal, started, done = sys.stdout.isatty(), time.monotonic(), 0
    erase = "\r\033[K" if terminal else ""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as meson:
        lines = Lines(meson.stdout)
        while True:
            try:
                for line in lines.within(1):
                    if match := ended.match(line):
                        name, result, seconds = match.groups()
                        done += 1
                        word = WORDS.get(result, "FAILED")
                        print(f"{erase}{word:<7}  {seconds:>7} s  {without_project(name)}", flush=True)
                if lines.ended:
                    break
                if terminal:
                    elapsed = time.monotonic() - started
                    print(f"{erase}{done} of {total} after {elapsed:.0f} s", end="", flush=True)
            except KeyboardInterrupt:
                pass  # Meson has it too: it stops its tests, reports and ends
    print(erase, end="")
    return meson.returncode


def main():
    build_dir, suites = pathlib.Path(sys.argv[1]).resolve(), set(sys.argv[2:])
    chosen = [
        test
        for test in meson_info.tests(build_dir)
        if not suites or suites & meson_info.suites_of(test)
    ]
    # A result left over from an earlier run must not stand in for a program that died. Meson names
    # the file after the test, so two tests of one name would overwrite each other's.
    files = {}  # (test's name, command) -> file
    for test in chosen:
        if test["protocol"] == "gtest":
            file = pathlib.Path(test["workdir"] or build_dir, test["name"] + ".xml")
            if file in files.values():
                sys.exit(f"two GoogleTest programs are called {test['name']}; rename one")
            files[test["name"], tuple(test["cmd"])] = file
            file.unlink(missing_ok=True)
    log = build_dir / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)

    status = run_meson(build_dir, suites, len(chosen))

    taps = {}  # (test's name, command) -> whether its suite was named
    for test in chosen:
        if test["protocol"] == "tap":
            named = bool(suites & meson_info.suites_of(test))
            taps[test["name"], tuple(test["cmd"])] = named

    tally = Tally()
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
    for record in records:
        key = (record["name"].split(" / ")[-1], tuple(record["command"]))
        if key not in taps:
            count(record, files.pop(key, None), tally)
            continue
        comments = count_tap(record, without_project(record["name"]), tally)
        comments = tally.figures.add_comments(comments)
        if taps[key]:
            print("\n".join(["", without_project(record["name"]), *map(printable, comments)]))
    if len(records) < len(chosen) or not chosen:
        lost = f"{len(chosen)} tests were to run, {len(records)} reported (meson's status: {status})"
        tally.failures.append(("meson test", lost))
        # Meson stops at a result file that is not UTF-8; it is still worth reading.
        for (name, command), file in files.items():
            if file.exists():
                count_cases(file, name, command[0], tally)
    elif status != 0 and not tally.failures:
        tally.failures.append(("meson test", f"ended with status {status}"))

    # What failed may have counted less, and under sanitizers tests try less.
    if not tally.failures and meson_info.options(build_dir)["b_sanitize"] == "none":
        for text in tally.figures.problems(whole=not suites and not tally.skips):
            tally.failures.append(("README.md: a figure", text))

    if tally.skips:
        print()
    alike = {}  # a reason -> the titles skipped for it
    for title, reason in tally.skips:
        alike.setdefault(" ".join(printable(reason).split()), []).append(title)
    for reason, titles in alike.items():
        more = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        print(f"skipped  {titles[0]}{more}: {reason}")
    for title, text in tally.failures:
        print(f"\nFAILED   {title}")
        for line in printable(text).rstrip().split("\n"):
            print(f"    {line}")
    if tally.failures:
        print()
    print(tally.closing_line())
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Test results: for Meson TAP (testanything.org) with comments, for people the comments alone."""
import re


def one_line(text):
    """Nothing that TAP reads (a hash begins a directive) and no control character."""
    return re.sub(r"[^ -~]", lambda match: ascii(match[0])[1:-1], text.replace("#", "\\#"))


class Report:
    """Counts what passed, failed and was skipped, and prints it as it comes."""

    def __init__(self, tap):
        self.tap = tap
        self.passed, self.failed, self.skipped = [], [], []

    def say(self, *lines):
        for line in lines:
            print(f"# {line}".rstrip() if self.tap else line, flush=True)

    def _result(self, word, name, rest="", detail=""):
        if self.tap:
            number = len(self.passed) + len(self.failed) + len(self.skipped)
            print(f"{word} {number} - {one_line(name)}{rest}", flush=True)
            for line in detail.splitlines():
                print(f"#   {one_line(line)}", flush=True)
        elif word == "not ok":
            print(f"BROKEN: {name}: {detail}", flush=True)

    def ok(self, name):
        self.passed.append(name)
        self._result("ok", name)

    def broken(self, name, detail):
        self.failed.append(name)
        self._result("not ok", name, detail=detail)

    def skip(self, name, reason):
        self.skipped.append(name)
        self._result("ok", name, f" # SKIP {one_line(reason)}")

    def figure(self, words):
        """Tells how many results there are, for scripts/figures.py: the README has them."""
        if self.tap:
            self.say(f"figure: {len(self.passed) + len(self.failed) + len(self.skipped)} {words}")

    def finish(self):
        """The last line; returns the exit status. Meson reads 77 as skipped, and from a program
        that speaks TAP wants 0 there."""
        ran = len(self.passed) + len(self.failed)
        self.say(f"{len(self.passed)} passed, {len(self.failed)} failed, "
                 f"{len(self.skipped)} skipped")
        if self.tap:
            print(f"1..{ran + len(self.skipped)}", flush=True)
        if self.failed:
            return 1
        return 77 if not ran and not self.tap else 0

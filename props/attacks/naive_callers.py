"""Callers of the wrapper that lack a rule: each is deceived by the attack that it is made for."""
import re

from call import Run
from namespace import processes
from tool import Tool

LINE = re.compile(rb"^sandproof1 ([0-9a-f]{32}) [0-9a-f]{64} [0-9a-f]{64}\n", re.M)


class Caller(Run):
    """A caller without a fault. It also knows what its last call left running."""
    reader = Tool

    def __init__(self, job):
        super().__init__(job)
        self.tool, self.left = self.reader(job["tool"]), []

    def end_all(self):
        self.left = [line for pid, line in processes().items() if pid not in self.before]
        super().end_all()


class FirstLineReader(Tool):
    def report(self, scheme, exit_code, stderr, call_id):
        if not LINE.match(stderr):
            return {"outcome": "not_run", "preamble": b"", "stderr": stderr}
        return super().report(scheme, exit_code, stderr, call_id)


class AnyCallReader(Tool):
    def report(self, scheme, exit_code, stderr, call_id):
        found = LINE.search(stderr)
        return super().report(scheme, exit_code, stderr, found[1].decode() if found else call_id)


class AnnouncedReader(Tool):
    def report(self, scheme, exit_code, stderr, call_id):
        answer = super().report(scheme, exit_code, stderr, call_id)
        return {**answer, "attested": answer["outcome"] == "ran"}


class FirstLine(Caller):
    reader = FirstLineReader


class AnyCall(Caller):
    reader = AnyCallReader


class Announced(Caller):
    reader = AnnouncedReader


class NoClock(Caller):
    def believed(self, r):
        return r.report.get("killed", False)


class OwnName(Caller):
    def __init__(self, job):
        super().__init__(job)
        self.called = self.shell


CALLERS = {
    "": Caller,
    "the first line is the announcement, or nothing ran": FirstLine,
    "an announcement may name any call": AnyCall,
    "what was announced has ended": Announced,
    "a reported kill is believed without a clock": NoClock,
    "the shell is called by its own name": OwnName,
}

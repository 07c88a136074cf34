"""The library and its tool as the attacks ask them: each decision is a method, so that a control
can replace one of them and leave the rest as it is."""
import functools
import json
import os
import pathlib
import sys
import time
from ctypes import byref, c_int32, c_size_t, c_void_p
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "shells"), str(HERE.parents[2] / "examples/python")]
import provider  # noqa: E402
from decide import DOCUMENT_ANY, SCHEME_SEALED, Library, Refusal, Report, Text  # noqa: E402
from tool import Tool  # noqa: E402

REPEATS = 3  # of what is timed: the shortest is the one that nobody disturbed


class Refused(NamedTuple):
    reason: str


def shortest(function):
    took = []
    for _ in range(REPEATS):
        began = time.thread_time()  # of this thread alone: the machine may be busy
        function()
        took.append(time.thread_time() - began)
    return min(took)


class Sandproof:
    """Nothing is removed"""

    stream_sizes = (25_000_000, 100_000_000)  # bytes
    rule_counts = (2_500, 10_000)

    def __init__(self, tool, library):
        self.tool, self.library_path = Tool(os.path.abspath(tool)), os.path.abspath(library)

    @functools.cached_property
    def library(self):
        return Library(self.library_path)

    # What may cross: the value, or Refused.

    def _answer(self, question, *command):
        done = self.tool.run(*command, "--batch", stdin=json.dumps(question).encode() + b"\n")
        return json.loads(done.stdout)

    def check(self, kind, value):
        answer = self.tool.check(kind, value)
        return answer["value"] if answer["verdict"] == "accepted" else Refused(answer["reason"])

    def quote(self, argv):
        answer = self._answer({"argv": argv}, "quote")
        return answer["shell"] if "shell" in answer else Refused(answer["reason"])

    def milliseconds(self, deadline):
        """What the wrapper is to sleep."""
        value = self.check("deadline", deadline)
        if isinstance(value, Refused):
            return value
        return int(round(float(value.removesuffix("s")) * 1000))

    def declare(self, domains):
        """The domains that are sent as rules."""
        answer = self._answer({"declared": {"mode": "allowDomains", "domains": domains},
                               "effective": None}, "egress", "compare")
        return Refused(answer["reason"]) if answer["verdict"] == "refused" else domains

    def message(self, kind, value):
        """What is told to people of a value, as bytes."""
        return self.tool.run("check", kind, "--", value).stdout

    def difference(self, policy):
        """What is told to people of a policy's text, as bytes."""
        done = self.tool.run("egress", "compare", "--declared", "deny", "--effective", "-",
                             stdin=policy)
        return done.stdout + done.stderr

    # What a service says.

    def compare(self, declared, document):
        """The verdict on a document's text, and the kinds or the reason behind it."""
        done = self.tool.run("egress", "compare", "--declared", declared, "--effective", "-",
                             "--json", stdin=document)
        answer = json.loads(done.stdout)
        return answer["verdict"], [found["kind"] for found in answer.get("findings", ())] or [
            answer.get("reason", "")]

    def gets_out(self, host, policy):
        done = self.tool.run("egress", "why", host, "--effective", "-",
                             stdin=json.dumps(policy).encode())
        return done.returncode == 1

    def run_command(self, service):
        """A command with a deadline: what comes of it, as the provider says it."""
        return provider.run_command(self.library, service)

    def create(self, service):
        return provider.create(self.library, service)

    # What it costs: seconds here, in a control the steps that are counted.

    def cost_of_reading(self, unit, size):
        stream = Text(provider.ANNOUNCEMENT + unit * (size // len(unit)))
        call_id = Text(provider.CALL_ID)
        return shortest(lambda: self.library.call(
            "report_read", c_int32(SCHEME_SEALED), call_id, byref(c_int32(137)), stream,
            byref(Report()), byref(Refusal())))

    def cost_of_comparing(self, domains):
        policy = {"defaultAction": "Deny", "trafficInspection": "Full", "hostRules":
                  [{"pattern": domain, "action": "Allow"} for domain in reversed(domains)]}
        kept = [Text(domain.encode()) for domain in domains]
        egress, document, unreadable = c_void_p(), c_void_p(), c_void_p()
        self.library.call("egress_allow_domains", (Text * len(kept))(*kept), c_size_t(len(kept)),
                          None, byref(egress), byref(Refusal()))
        self.library.call("document_read", Text(json.dumps(policy).encode()),
                          c_int32(DOCUMENT_ANY), byref(document), byref(unreadable))

        def compare():
            comparison, verdict = c_void_p(), c_int32()
            self.library.call("compare", egress, document, None, c_size_t(0), byref(comparison))
            self.library.call("comparison_get_verdict", comparison, byref(verdict))
            self.library.free("comparison", comparison)
            assert verdict.value == 0, "not identical"
        try:
            return shortest(compare)
        finally:
            self.library.free("document", document)
            self.library.free("egress", egress)


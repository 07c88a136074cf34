"""Attacks by a service's answers, or by what a command makes it answer: against the provider."""
import json

from attack import Works
from documents import DENIED
from provider import ANNOUNCEMENT, CALL_ID, DEADLINE, DEADLINE_SECRET, SESSION, Service
from run_command import TRANSPORT_NOT_FOUND, TRANSPORT_TIMED_OUT, Unanswered
from sandproof import Sandproof

GUARD = 10_000  # ms beyond the deadline
HELD = 3_600_000  # ms that a descendant sleeps with standard error open
TERMINATE = 15 * 2_000 + 1_000  # ms at most, until a session is seen to be gone


def record(session=SESSION, policy=None):
    policy = policy or DENIED
    return json.dumps({"id": session, "state": "Running", "egressPolicy": policy}).encode()


class OfOneSession(Service):
    """Answers what it should; an attack is what differs."""

    def __init__(self):
        super().__init__()
        self.deleted = False

    def get(self, _, bound):
        if self.deleted:
            raise Unanswered(TRANSPORT_NOT_FOUND)
        return record()

    def delete(self, _, bound):
        self.deleted = True
        return b""


def code(result):
    return result.get("error", {}).get("code")


# A record of another session.


class OfAnother(OfOneSession):
    def __init__(self, session="s2"):
        super().__init__()
        self.session = session

    def get(self, _, bound):
        return record(self.session)

    def exec(self, _, bound):
        return b'{"exitCode":0}'


def another_record(subject):
    service = OfAnother()
    result = subject.run_command(service)
    if service.bodies("exec"):
        raise Works("a command is sent on the policy of another session")
    if code(result) != "UNEXPECTED_RESPONSE_FORMAT":
        raise Works(f"told as {result}")


class AnyRecord(Sandproof):
    """Any record that holds will do."""

    def run_command(self, service):
        if self.compare("deny", service.ask("get"))[0] != "identical":
            return {"error": {"code": "SANDBOX_NOT_AS_DECLARED"}}
        return {"run": json.loads(service.ask("exec", b"{}"))}


# A descendant that left the process group holds standard error open.


class HeldOpen(OfOneSession):
    def exec(self, _, bound):
        if bound is not None and bound < HELD:
            self.now += bound
            raise Unanswered(TRANSPORT_TIMED_OUT)
        self.now += HELD
        return b'{"exitCode":137}'


def held_open(subject):
    service = HeldOpen()
    result = subject.run_command(service)
    if service.now > DEADLINE + GUARD + TERMINATE:
        raise Works(f"held for {service.now // 1000} s of a deadline of {DEADLINE // 1000} s")
    if not service.deleted:
        raise Works("the session goes on with what holds it")
    if result.get("error", {}).get("failure") != "deadlineExceeded":
        raise Works(f"told as {result}")


class WaitsForTheEnd(Sandproof):
    """The output is read to its end, without a bound."""

    def run_command(self, service):
        service.ask("get")
        return {"run": json.loads(service.ask("exec", b"{}"))}


# A whole report of the command's own.

FORGED = ANNOUNCEMENT + b"sandproof1 " + CALL_ID + b" deadline " + DEADLINE_SECRET + b"\n"


class Forged(OfOneSession):
    def __init__(self, after):
        super().__init__()
        self.after = after

    def exec(self, _, bound):
        self.now += self.after
        return json.dumps({"exitCode": 137, "stderr": FORGED.decode()}).encode()


def forged_report(subject):
    if code(subject.run_command(Forged(DEADLINE))) != "SANDBOX_COMMAND_FAILED":
        raise Works("a true kill is not believed")
    result = subject.run_command(Forged(60))
    if code(result) != "SANDBOX_OUTCOME_UNKNOWN":
        raise Works(f"a deadline of {DEADLINE // 1000} s is believed after 60 ms")


class BelievesTheStream(Sandproof):
    """A report is believed whenever it comes."""

    def run_command(self, service):
        service.ask("get")
        ran = json.loads(service.ask("exec", b"{}", DEADLINE + GUARD))
        report = self.tool.report("sealed", ran["exitCode"], ran["stderr"].encode(),
                                  CALL_ID.decode())
        return {"error": {"code": "SANDBOX_COMMAND_FAILED"}} if report["killed"] else {"run": ran}


# An answer to a create that does not tell all, or does not come.


class PolicyUnreadable(OfOneSession):
    def create(self, _, bound):
        return record(policy={**DENIED, "defaultAction": 7})

    def get(self, _, bound):
        super().get(_, bound)
        return self.create(_, bound)


def unreadable_policy(subject):
    service = PolicyUnreadable()
    subject.create(service)
    if not service.deleted:
        raise Works("the sandbox goes on, and its id is lost")


class AllOrNothing(Sandproof):
    """A record is decoded as a whole."""

    def create(self, service):
        body = service.ask("create", b"{}")
        if self.compare("deny", body)[0] == "unreadable":
            return {"error": {"code": "UNEXPECTED_RESPONSE_FORMAT"}}
        return {"session": json.loads(body)["id"]}


class Lost(OfOneSession):
    def create(self, _, bound):
        self.now += bound or 0
        raise Unanswered(TRANSPORT_TIMED_OUT)


def lost_answer(subject):
    service = Lost()
    result = subject.create(service)
    sent = [json.loads(body).get("labels", {}).get("sandproof-attempt")
            for body in service.bodies("create")]
    if len(sent) != 1 or not sent[0] or result["error"].get("attempt") != sent[0]:
        raise Works("nothing names the sandbox that may be there")


class WithoutLabel(Sandproof):
    """A create carries no label."""

    def create(self, service):
        try:
            return {"session": json.loads(service.ask("create", b"{}"))["id"]}
        except Unanswered:
            return {"error": {"code": "SANDBOX_OUTCOME_UNKNOWN"}}

"""run_command.py LIBRARY: the same command as in ../c/run_command.c, from Python.

The operation says what to send next; the connection and the clock are the caller's. Here a function
stands in for the service.
"""

import ctypes
import json
import sys
from ctypes import POINTER, byref, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_void_p

from decide import ACCEPTED, Command, Failed, Library, Refusal, Text

NO_MEMORY = 4
CALL_ENDED, CALL_WAIT, CALL_GET, CALL_DELETE, CALL_EXEC = 0, 1, 3, 4, 7
TRANSPORT_NOT_FOUND, TRANSPORT_TIMED_OUT, TRANSPORT_UNAVAILABLE = 0, 5, 6

# Drawn afresh for each command, by secrets.token_bytes(16).
RANDOM = bytes.fromhex("00112233445566778899aabbccddeeff")


class Config(ctypes.Structure):
    _fields_ = [("disk_image", Text), ("cpu", Text), ("memory", Text), ("disk", POINTER(Text)),
                ("egress", c_void_p), ("acceptance", c_int32), ("tolerances", c_void_p),
                ("tolerance_count", c_size_t), ("idle_suspend_seconds", POINTER(c_uint32)),
                ("families", c_int32), ("also", c_void_p)]


class Request(ctypes.Structure):
    _fields_ = [("call", c_int32), ("bound_milliseconds", c_int64), ("session_id", Text),
                ("path", Text), ("body", Text)]


class TransportError(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("status", POINTER(c_int32)), ("is_delayed", c_int32),
                ("raw", Text)]


def record(policy):
    return {"id": "s1", "state": "Running", "egressPolicy": {"trafficInspection": "Full", **policy}}


AS_DECLARED = record({"defaultAction": "Deny", "hostRules": [{"pattern": "*", "action": "Deny"}]})
WIDE_OPEN = record({"defaultAction": "Allow"})

# The command wrote "hello" and ended by itself.
RAN = {"stdout": "hello", "exitCode": 3, "stderr":
       "sandproof1 00112233445566778899aabbccddeeff "
       "8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e "
       "404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n"
       "sandproof1 00112233445566778899aabbccddeeff exit e0e1e2e3e4e5e6e7e8e9eaebecedeeef\n"}


class Clock:
    """A sleep is as good as its time."""

    def __init__(self):
        self.milliseconds = 0

    def now(self):
        self.milliseconds += 10
        return self.milliseconds

    def wait(self, duration):
        print(f"waited: {duration} ms")
        self.milliseconds += duration


class Unanswered(Exception):
    """Why a call gave no body. Every failure of the transport has a kind; text never decides."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


class Service:
    """What its session runs, and what its command gives; None where that never ends."""

    def __init__(self, session, ran):
        self.session, self.ran = session, ran
        self.left = None  # how often the record of a deleted session is still seen

    def send(self, request, clock):
        """The body that answers; Unanswered where there is none."""
        print(f"asked: call {request.call}, at most {request.bound_milliseconds} ms, "
              f"session {request.session_id}")
        if request.call == CALL_GET:
            if self.left == 0:
                raise Unanswered(TRANSPORT_NOT_FOUND)
            if self.left:
                self.left -= 1
            return json.dumps(self.session).encode()
        if request.call == CALL_EXEC:
            if self.ran is None:
                clock.wait(request.bound_milliseconds)
                raise Unanswered(TRANSPORT_TIMED_OUT)
            return json.dumps(self.ran).encode()
        if request.call == CALL_DELETE:
            self.left = 1
            return b""
        raise Unanswered(TRANSPORT_UNAVAILABLE)


def until_there_is_memory(library, name, *arguments):
    """While memory cannot be had, the operation stays where it is: the same call is made again, and
    nothing is sent again. A program in earnest gives memory back here, or waits a while."""
    while (status := library.status(name, *arguments)) == NO_MEMORY:
        pass
    if status != ACCEPTED:
        raise Failed(f"{name}: status {status}")


def drive(library, operation, service):
    clock = Clock()
    request = Request()
    while True:
        until_there_is_memory(library, "operation_get_request", operation, byref(request))
        if request.call == CALL_ENDED:
            return json.loads(library.text("operation_get_json", operation))
        sent = c_int64(clock.now())
        try:
            if request.call == CALL_WAIT:  # a wait has no failure: any body answers it
                clock.wait(request.bound_milliseconds)
                body = b""
            else:
                body = service.send(request, clock)
            name, answer = "operation_answer", Text(body)
        except Unanswered as failure:
            name, answer = "operation_fail", byref(TransportError(kind=failure.kind))
        until_there_is_memory(library, name, operation, answer, sent, c_int64(clock.now()))


def run(library, provider, service):
    words = (Text * 2)(Text(b"echo"), Text(b"it's"))
    command = Command(words, 2, None, 0, None)
    operation = c_void_p()
    library.call("start_run_command", provider, Text(b"s1"), byref(command), c_int64(30000),
                 (c_uint8 * 16)(*RANDOM), byref(operation))
    try:
        result = drive(library, operation, service)
    finally:
        library.free("operation", operation)
    if "error" in result:
        print("failed:", result["error"]["message"])
        return
    for frame in result["run"]["frames"]:
        print("output:", frame["data"])
    print("exit:", result["run"]["exitCode"])


def main():
    library = Library(sys.argv[1])
    egress, provider = c_void_p(), c_void_p()
    library.call("egress_deny", byref(egress))
    config = Config(disk_image=Text(b"ubuntu"), cpu=Text(b"1000m"), memory=Text(b"2048Mi"),
                    egress=egress, acceptance=0, families=1)
    library.call("provider_new", byref(config), byref(provider), byref(Refusal()))
    library.free("egress", egress)
    try:
        for service in (Service(AS_DECLARED, RAN), Service(WIDE_OPEN, RAN),
                        Service(AS_DECLARED, None)):
            run(library, provider, service)
    finally:
        library.free("provider", provider)


if __name__ == "__main__":
    main()

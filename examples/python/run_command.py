"""run_command.py LIBRARY: the same command as in ../c/run_command.c, from Python.

The operation says what to send next; the connection and the clock are the caller's. Here a function
stands in for the service.
"""

import ctypes
import itertools
import json
import sys
from ctypes import POINTER, byref, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_void_p

from decide import Command, Library, Refusal, Text

CALL_ENDED, CALL_GET, CALL_EXEC = 0, 3, 7
TRANSPORT_UNAVAILABLE = 6

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


def sent_to(service, request):
    """What the service answers; None where it cannot be reached."""
    print(f"asked: call {request.call}, at most {request.bound_milliseconds} ms, "
          f"session {request.session_id}")
    return service.get(request.call)


def drive(library, operation, service):
    clock = itertools.count(10, 10)
    request = Request()
    while True:
        library.call("operation_get_request", operation, byref(request))
        if request.call == CALL_ENDED:
            return json.loads(library.text("operation_get_json", operation))
        sent = c_int64(next(clock))
        body = sent_to(service, request)
        if body is None:
            error = TransportError(kind=TRANSPORT_UNAVAILABLE)
            library.call("operation_fail", operation, byref(error), sent, c_int64(next(clock)))
        else:
            text = Text(json.dumps(body).encode())
            library.call("operation_answer", operation, text, sent, c_int64(next(clock)))


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
        for session in (AS_DECLARED, WIDE_OPEN):
            run(library, provider, {CALL_GET: session, CALL_EXEC: RAN})
    finally:
        library.free("provider", provider)


if __name__ == "__main__":
    main()

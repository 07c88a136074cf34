"""The provider, driven through the C interface against a service that is an attack. The clock is
the service's own: nothing here waits."""
import json
from ctypes import byref, c_int64, c_size_t, c_uint8, c_void_p

from decide import Command, Refusal, Text
from run_command import (CALL_ENDED, Config, Request, TransportError, Unanswered,
                         until_there_is_memory)

CALL_ID = b"00112233445566778899aabbccddeeff"
# What a wrapper announces whose two secrets are these; the other is e0e1...
DEADLINE_SECRET = b"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
ANNOUNCEMENT = (b"sandproof1 " + CALL_ID +
                b" 8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e"
                b" 404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n")
RANDOM = (c_uint8 * 16)(*bytes.fromhex(CALL_ID.decode()))
CALLS = {1: "wait", 2: "create", 3: "get", 4: "delete", 7: "exec"}
DEADLINE = 20_000  # ms
SESSION = "s1"


class Service:
    """Keeps what was asked. An attack says what answers: a method for each call."""

    def __init__(self):
        self.now, self.asked = 0, []

    def ask(self, call, body=b"", bound=None):
        """The body that answers, or Unanswered. bound: None where the caller has none."""
        self.asked.append((call, body))
        self.now += 10
        return getattr(self, call)(body, bound)

    def bodies(self, call):
        return [body for asked, body in self.asked if asked == call]

    def wait(self, _, bound):
        self.now += bound
        return b""


def _drive(library, operation, service):
    request = Request()
    while True:
        until_there_is_memory(library, "operation_get_request", operation, byref(request))
        if request.call == CALL_ENDED:
            return json.loads(library.text("operation_get_json", operation))
        sent = c_int64(service.now)
        try:
            body = service.ask(CALLS[request.call], str(request.body).encode(),
                               request.bound_milliseconds)
            name, answer = "operation_answer", Text(body)
        except Unanswered as failure:
            name, answer = "operation_fail", byref(TransportError(kind=failure.kind))
        until_there_is_memory(library, name, operation, answer, sent, c_int64(service.now))


def _with_provider(library, service, start):
    """What came of the operation that start(provider, operation) makes."""
    egress, provider, operation = c_void_p(), c_void_p(), c_void_p()
    library.call("egress_deny", byref(egress))
    image, cpu, memory = Text(b"ubuntu"), Text(b"1000m"), Text(b"2048Mi")
    config = Config(disk_image=image, cpu=cpu, memory=memory, egress=egress, acceptance=0,
                    families=1)
    try:
        library.call("provider_new", byref(config), byref(provider), byref(Refusal()))
        start(provider, operation)
        return _drive(library, operation, service)
    finally:
        library.free("operation", operation)
        library.free("provider", provider)
        library.free("egress", egress)


def run_command(library, service):
    word = Text(b"true")
    command = Command((Text * 1)(word), 1, None, 0, None)
    return _with_provider(library, service, lambda provider, operation: library.call(
        "start_run_command", provider, Text(SESSION.encode()), byref(command), c_int64(DEADLINE),
        RANDOM, byref(operation)))


def create(library, service):
    return _with_provider(library, service, lambda provider, operation: library.call(
        "start_create", provider, None, c_size_t(0), RANDOM, byref(operation)))

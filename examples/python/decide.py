"""decide.py LIBRARY: the same questions as in ../c/decide.c, from Python without anything to install.

A session id, the text for the shell, a report, and a policy. LIBRARY is the shared library,
libsandproof_c.so.
"""

import ctypes
import json
import sys
from ctypes import POINTER, byref, c_char, c_int32, c_int64, c_size_t, c_void_p

ACCEPTED, REFUSED, UNREADABLE, TOO_SMALL = range(4)
SCHEME_SEALED, OUTCOME_RAN, DOCUMENT_ANY = 0, 0, 3


class Text(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    def __init__(self, value=b""):
        self.kept = ctypes.create_string_buffer(value, len(value))  # the text is only a view
        super().__init__(ctypes.cast(self.kept, c_void_p), len(value))

    def __str__(self):
        return ctypes.string_at(self.data, self.size).decode() if self.size else ""


class Buffer(ctypes.Structure):
    _fields_ = [("data", POINTER(c_char)), ("capacity", c_size_t), ("size", c_size_t)]


class Refusal(ctypes.Structure):
    _fields_ = [("subject", c_int32), ("reason", c_int32), ("offset", c_size_t), ("word", c_size_t)]


class EnvEntry(ctypes.Structure):
    _fields_ = [("name", Text), ("value", Text)]


class Command(ctypes.Structure):
    _fields_ = [("words", POINTER(Text)), ("word_count", c_size_t), ("variables", POINTER(EnvEntry)),
                ("variable_count", c_size_t), ("working_directory", POINTER(Text))]


class Report(ctypes.Structure):
    _fields_ = [("outcome", c_int32), ("killed", c_int32), ("attested", c_int32), ("preamble", Text),
                ("before", Text), ("after", Text), ("tool", Text)]


class Finding(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("effect", c_int32), ("pointer", Text), ("detail", Text),
                ("witness", Text)]


class Failed(Exception):
    """A call answered something else than accepted."""


class Library:
    """The functions without their prefix; numbers are given as ctypes values of the right width."""

    def __init__(self, path):
        self.loaded = ctypes.CDLL(path)

    def status(self, name, *arguments):
        function = getattr(self.loaded, "sandproof_" + name)
        function.restype = c_int32
        return function(*arguments)

    def call(self, name, *arguments):
        status = self.status(name, *arguments)
        if status != ACCEPTED:
            raise Failed(f"{name}: status {status}")

    def text(self, name, *arguments, after=()):
        """The text of a call that fills a buffer: the first call asks how large it has to be."""
        buffer = Buffer()
        if self.status(name, *arguments, byref(buffer), *after) == TOO_SMALL:
            room = ctypes.create_string_buffer(buffer.size)
            buffer = Buffer(ctypes.cast(room, POINTER(c_char)), buffer.size)
        self.call(name, *arguments, byref(buffer), *after)
        return ctypes.string_at(buffer.data, buffer.size).decode()

    def free(self, name, made):
        function = getattr(self.loaded, f"sandproof_{name}_free")
        function.restype = None
        function(made)


def check_id(library, value):
    given, parsed, refusal = Text(value), Text(), Refusal()
    if library.status("session_id_parse", given, byref(parsed), byref(refusal)) == ACCEPTED:
        print("accepted:", parsed)
    else:
        print("refused:", library.text("refusal_explain", byref(refusal), given))


def build_shell(library, call_id):
    # What is copied into a structure is only a view, so the texts stay in variables of their own.
    echo, word, name, value = Text(b"echo"), Text(b"it's; rm -rf /"), Text(b"TOKEN"), Text(b"t")
    words, variable = (Text * 2)(echo, word), EnvEntry(name, value)
    command = Command(words, 2, ctypes.pointer(variable), 1, None)
    deadline, refusal = c_int64(), Refusal()
    library.call("deadline_parse", Text(b"1.5s"), byref(deadline), byref(refusal))
    shell = library.text("bounded_shell", byref(command), deadline, c_int32(SCHEME_SEALED), call_id,
                         after=[byref(refusal)])
    print("words:", shell.rpartition("' sh ")[2])


def read_report(library, call_id):
    stream = Text(
        b"sandproof1 00112233445566778899aabbccddeeff "
        b"8bc3c48a9cf94d475874bae16413748f5f10df6a3f53bfe6b389c24c05fd506e "
        b"404bc87f3654bec8979629b00c9984e075be60d93f2350393f99baca2f8f1b2c\n"
        b"working...\n"
        b"sandproof1 00112233445566778899aabbccddeeff deadline d0d1d2d3d4d5d6d7d8d9dadbdcdddedf\n")
    report, refusal, credible = Report(), Refusal(), c_int32()
    library.call("report_read", c_int32(SCHEME_SEALED), call_id, byref(c_int32(137)), stream,
                 byref(report), byref(refusal))
    library.call("is_credible_kill", c_int64(1500), c_int64(1600), byref(credible), byref(refusal))
    print("report: ran", int(report.outcome == OUTCOME_RAN), "killed", report.killed, "attested",
          report.attested, "credible", credible.value)
    print("stderr:", report.before, end="")


def compare_policy(library, policy):
    egress, document, unreadable, comparison = (c_void_p() for _ in range(4))
    refusal, verdict, count, name = Refusal(), c_int32(), c_size_t(), Text()
    try:
        domain = Text(b"API.example.com")
        library.call("egress_allow_domains", byref(domain), c_size_t(1), None, byref(egress),
                     byref(refusal))
        library.call("document_read", Text(json.dumps(policy).encode()), c_int32(DOCUMENT_ANY),
                     byref(document), byref(unreadable))
        library.call("compare", egress, document, None, c_size_t(0), byref(comparison))
        library.call("comparison_get_verdict", comparison, byref(verdict))
        library.call("verdict_name", verdict, byref(name))
        print("verdict:", name)
        library.call("comparison_get_finding_count", comparison, byref(count))
        for index in range(count.value):
            finding = Finding()
            library.call("comparison_get_finding", comparison, c_size_t(index), byref(finding))
            library.call("finding_kind_name", c_int32(finding.kind), byref(name))
            print("finding:", name)
            print("at:", finding.pointer)
            print("witness:", finding.witness)
    finally:
        library.free("comparison", comparison)
        library.free("unreadable", unreadable)
        library.free("document", document)
        library.free("egress", egress)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: decide.py LIBRARY")
    library = Library(sys.argv[1])
    call_id = Text(b"00112233445566778899aabbccddeeff")
    check_id(library, b"team--box-605")
    check_id(library, b"../team")
    build_shell(library, call_id)
    read_report(library, call_id)
    compare_policy(library, {
        "defaultAction": "Deny",
        "trafficInspection": "Full",
        "hostRules": [{"pattern": "api.example.com", "action": "Allow"},
                      {"pattern": "evil.example", "action": "Allow"}],
    })


if __name__ == "__main__":
    main()

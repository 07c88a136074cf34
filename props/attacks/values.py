"""Attacks by a value: what is declared, named or sent."""
import ctypes
import os
import re

from attack import Works
from sandproof import Refused, Sandproof
from sessions import OfAnother

HOSTS = {"*": "wildcard", "*.com": "wildcard", "https://h/": "scheme", "h:443": "port",
         "10.0.0.1": "ip_literal"}
VARIABLES = ("SHELLOPTS", "LD_PRELOAD", "LD_TRACE_LOADED_OBJECTS", "LD_SHOW_AUXV", "OPTIND",
             "MALLOC_TOP_PAD_")
FORGED = "x\x1b[31m\r\nall is well\x7f"


def refused(answer, reason, accepted):
    """An accepted value is the attack at work; a refusal for another reason is not this gate."""
    if not isinstance(answer, Refused):
        raise Works(accepted)
    if answer.reason != reason:
        raise Works(f"refused, but as {answer.reason}, not as {reason}")


def empty_list(subject):
    refused(subject.declare([]), "empty_list", "a policy without a rule is sent")


def hosts(subject):
    for host, reason in HOSTS.items():
        answer = subject.declare([host])
        if host == "*" and not isinstance(answer, Refused):
            rules = [{"pattern": pattern, "action": "Allow"} for pattern in answer]
            policy = {"defaultAction": "Deny", "trafficInspection": "Full", "hostRules": rules}
            if subject.gets_out("evil.example", policy):
                raise Works("* is sent, and evil.example gets out")
        refused(answer, reason, f"{host} is sent")


class SendsWhatItIsGiven(Sandproof):
    """Domains are sent as they were declared."""

    def declare(self, domains):
        return domains


def session_variables(subject):
    for name in VARIABLES:
        refused(subject.check("session-env", name), "refused_family", f"{name} is let in")


class AnyName(Sandproof):
    """Every well-formed name is let in."""

    def check(self, kind, value):
        return value if re.fullmatch(r"[A-Za-z_]\w*", value) else Refused("forbidden_byte")


def words_of(text):
    """What arrives of `printf '%s.' WORDS` when a C program has dash run the text."""
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(ends[1], 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        words = (ctypes.c_char_p * 4)(b"dash", b"-c", text.encode(), None)
        ctypes.CDLL(None).execv(b"/usr/bin/dash", words)
        os._exit(127)
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as pipe:
        arrived = pipe.read()
    os.waitpid(child, 0)
    return arrived


def nul(subject):
    argv = ["printf", "%s.", "a\0b"]
    text = subject.quote(argv)
    if not isinstance(text, Refused) and words_of(text) != b"a\0b.":
        raise Works(f"a word with a NUL arrives as {words_of(text)!r}")
    refused(text, "nul", "a NUL is sent")


class QuotesAnything(Sandproof):
    """Each word is put between quotes, whatever it holds."""

    def quote(self, argv):
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in argv)


def messages(subject):
    said = {kind: subject.message(kind, FORGED)
            for kind in ("session-id", "path", "env-name", "session-env", "domain", "deadline")}
    said["policy"] = subject.difference(
        b'{"defaultAction":"Deny","trafficInspection":"Full","hostRules":[{"pattern":"*","action":'
        b'"Deny"}],"\\u001b[31m\\r\\nall is well":"\\u001b[0m\xc2\x9b"}')
    said["record"] = subject.run_command(OfAnother(FORGED))["error"]["text"].encode()
    for what, text in said.items():
        if not text.strip():
            raise Works(f"nothing is said of the {what}")
        if b"\nall is well" in text or not re.fullmatch(rb"[\n\x20-\x7e]*", text):
            raise Works(f"the message about a {what} holds {text[:60]!r}")


class ShowsTheValue(Sandproof):
    """A message shows the value as it came."""

    def message(self, kind, value):
        return f"bad {kind}: {value}\n".encode()


def overflow(subject):
    refused(subject.milliseconds("297197543409765h"), "too_long",
            f"it is taken for {subject.milliseconds('297197543409765h')} ms")


class Wraps(Sandproof):
    """Hours are multiplied in 64 bits."""

    def milliseconds(self, deadline):
        return int(deadline.removesuffix("h")) * 3_600_000 % 2 ** 64

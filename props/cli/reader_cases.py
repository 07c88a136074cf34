"""The batch's line reader against another one: Python's, made as strict. Lines that are nearly
right must be readable for both, or for neither."""

import json
import math
import random

SEED = 20240602
COUNT = 20_000
PIECES = (b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\", b"\\u0041", b"\\u0000", b"\\ud800",
          b"\\ud83d\\ude00", b"1", b"-", b"0", b".5", b"e9", b"1e999", b"9" * 400, b"null", b"true",
          b"NaN", b'"input"', b'"hex"', b'"value"', b'"Input"', b'"61"', b'"inpu\\u0074"', b" ",
          b"\t", b"\r", b"\x01", b"\x7f", b"\xc3\xa9", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80",
          b"\xef\xbb\xbf", b"\0", b"/**/", b"//", b"'")
GOOD = (b'{"input":"a"}', b'{"hex":"6162"}', b'{ "input" : "A", "value" : "b" }',
        b'{"input":"\xc3\xa9\\n"}', b'{"value_hex":"00","hex":"41"}', b'{"input":[1,{"x":2.5e3}]}')


def strict_object(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def strict_number(text):
    if not math.isfinite(float(text)):
        raise ValueError("a number beyond a double")
    return float(text)


def not_json(text):
    raise ValueError(text)


def is_hex(text):
    digits = "0123456789abcdefABCDEF"
    return len(text) % 2 == 0 and all(each in digits for each in text)


def is_question(line):
    """What the manual says of a line for session-env."""
    try:
        text = line.decode("utf-8")
        if "\0" in text or text.startswith("\ufeff"):
            return False
        value = json.loads(text, object_pairs_hook=strict_object, parse_float=strict_number,
                           parse_int=strict_number, parse_constant=not_json)
    except ValueError:
        return False
    if not isinstance(value, dict) or not set(value) <= {"input", "hex", "value", "value_hex"}:
        return False
    for each in value.values():
        if not isinstance(each, str) or any("\ud800" <= c <= "\udfff" for c in each):
            return False
    one_input = ("input" in value) != ("hex" in value)
    at_most_one_value = not ("value" in value and "value_hex" in value)
    return (one_input and at_most_one_value and is_hex(value.get("hex", ""))
            and is_hex(value.get("value_hex", "")))


def nearly_right(source):
    line = source.choice(GOOD)
    for _ in range(source.randrange(4)):
        at = source.randrange(len(line) + 1)
        end = min(len(line), at + source.randrange(4))
        piece = source.choice(PIECES) if source.random() < 0.7 else line[at:end]
        line = line[:at] + piece + line[end if source.random() < 0.4 else at:]
    return line


def test_nearly_right(tool, report):
    source = random.Random(SEED)
    questions = [nearly_right(source) for _ in range(COUNT)]
    run = tool.run("check", "session-env", "--batch", stdin=b"\n".join(questions) + b"\n")
    answers = run.answers()
    report.same("an answer a line", len(answers), len(questions))
    readable = 0
    for line, answer in zip(questions, answers):
        wanted = is_question(line)
        readable += wanted
        report.same(f"{line!r} is a question", answer["verdict"] != "unreadable", wanted)
    report.true("some of both", COUNT // 10 < readable < COUNT * 9 // 10, str(readable))


TESTS = (test_nearly_right,)

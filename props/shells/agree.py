"""Holds `sandproof wrap` to wrap_text.py, byte for byte, and `sandproof report` to its time.

usage: agree.py TOOL [--tap]
"""
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tap  # noqa: E402
import wrap_text  # noqa: E402
from scenario import SCHEMES  # noqa: E402
from scenarios_words import HOSTILE  # noqa: E402
from tool import Tool  # noqa: E402

CALL_ID = "00112233445566778899aabbccddeeff"
WORDS = {
    "plain": (["echo", "x"], None),
    "hostile words": (["echo", *HOSTILE], None),
    "nothing but quotes": (["'" * 50, "'"], None),
    "variables": (["env"], {"B": "it's", "A": "", "_": "a=b", "A_": "\n", "PATH": "/é"}),
    "hostile words and variables": (["echo", *HOSTILE],
                                    {f"V{i}": word for i, word in enumerate(HOSTILE)
                                     if len(word) < 1000}),
    "as many bytes as fit": (["x" * (122_879 - 3)], None),
}
DEADLINES = {"whole": (1000, 30_000, 86_400_000), "fraction": (1, 1500, 86_399_999, 10_010, 10_100)}
RANDOM_COMMANDS = 400
ALPHABET = "'\"\\$`*?~ \t\n;&|<>(){}[]!#=@%-_./aAzZ019é漢😀\x01\x7f"
STREAM_SIZE = 16_000_000
STREAM_TIME = 20.0  # seconds; quadratic would be days


def compare(report, name, given, wanted):
    if given == wanted:
        report.ok(name)
        return
    shorter = min(len(given), len(wanted))
    at = next((i for i in range(shorter) if given[i] != wanted[i]), shorter)
    report.broken(name, f"differ at byte {at} of {len(given)} and {len(wanted)}:\n"
                  f"{given[at:at + 60]!r}\n{wanted[at:at + 60]!r}")


def texts(report, tool):
    for scheme in SCHEMES:
        for kind, deadlines in DEADLINES.items():
            for name, (argv, variables) in WORDS.items():
                title = f"{scheme}, {kind} seconds, {name}"
                given, wanted = (b"\n".join(make(scheme, milliseconds, CALL_ID, argv, variables)
                                            for milliseconds in deadlines)
                                 for make in (tool.wrap, wrap_text.wrap))
                compare(report, title, given, wanted)


def random_texts(report, tool):
    """Many commands through one run of `wrap --batch`."""
    draw = random.Random(20)

    def word(low):
        return "".join(draw.choices(ALPHABET, k=draw.randint(low, 12)))

    asked, wanted = [], []
    for _ in range(RANDOM_COMMANDS):
        scheme = draw.choice(SCHEMES)
        milliseconds = draw.choice((draw.randint(1, 5000), 1000 * draw.randint(1, 86400)))
        argv = [word(1).replace("=", ""), *(word(0) for _ in range(draw.randint(0, 5)))]
        argv[0] = argv[0] or "x"
        variables = {draw.choice("abAB_") + draw.choice(("", "a", "B", "_", "0")): word(0)
                     for _ in range(draw.randint(0, 4))}
        call_id = f"{draw.getrandbits(128):032x}"
        question = {"argv": argv, "env": variables, "deadline": f"{milliseconds}ms",
                    "scheme": scheme}
        asked.append({**question, "call_id": call_id} if scheme == "sealed" else question)
        wanted.append(wrap_text.wrap(scheme, milliseconds, call_id, argv, variables).decode())
    done = tool.run("wrap", "--batch", stdin="".join(json.dumps(q) + "\n" for q in asked).encode())
    given = [json.loads(line).get("shell") for line in done.stdout.splitlines()]
    wrong = [i for i, text in enumerate(wanted) if i >= len(given) or given[i] != text]
    name = f"{RANDOM_COMMANDS} random commands"
    if wrong:
        report.broken(name, f"{len(wrong)} differ; the first: {asked[wrong[0]]}")
    else:
        report.ok(name)


def refusals(report, tool):
    """T15: what no shell word can hold is refused."""
    for name, argv, reason in (
            ("NUL", {"argv": ["a\0b"]}, "nul"),
            ("bytes that are not UTF-8", {"argv_hex": ["fffe"]}, "invalid_utf8")):
        question = {**argv, "deadline": "1s", "scheme": "nonce"}
        done = tool.run("wrap", "--batch", stdin=json.dumps(question).encode() + b"\n")
        got = json.loads(done.stdout)
        if got.get("reason") == reason:
            report.ok(f"T15 {name} refused")
        else:
            report.broken(f"T15 {name} refused", str(got)[:300])


def reader_is_linear(report, tool):
    digits = b"0123456789abcdef"
    units = {"hex digits": digits,
             "beginnings of a line": b"sandproof1 ",
             "beginnings of a line of this call": f"sandproof1 {CALL_ID} ".encode(),
             "false reports": f"sandproof1 {CALL_ID} deadline {'a' * 32}\n".encode(),
             "announcements": f"sandproof1 {CALL_ID} {'a' * 64} {'b' * 64}\n".encode(),
             "nonces": digits * 2 + b"\n"}
    for scheme in SCHEMES:
        for name, unit in units.items():
            began = time.monotonic()
            tool.report(scheme, 137, unit * (STREAM_SIZE // len(unit)), CALL_ID)
            took = time.monotonic() - began
            title = f"T21 {scheme}, {STREAM_SIZE // 1_000_000} MB of {name} read in time"
            if took < STREAM_TIME:
                report.ok(title)
            else:
                report.broken(title, f"{took:.1f} s")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--tap"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    report, tool = tap.Report("--tap" in sys.argv), Tool(os.path.abspath(arguments[0]))
    texts(report, tool)
    random_texts(report, tool)
    refusals(report, tool)
    reader_is_linear(report, tool)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

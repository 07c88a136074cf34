"""`quote`: what a shell reads back, the bytes as they are, the answers of a batch."""

import random
import subprocess

from command_cases import MALFORMED, holds_malformed
from harness import TIMEOUT, lines

SEED = 20240603
WORDS = [b"", b"a", b"it's", b"'", b"''", b"'\\''", b"\\", b"$HOME", b"`id`", b"$(id)", b"a b",
         b"*", b"~", b"#x", b"!", b"-n", b"--help", b"--batch", b"--", b"-", b"a\nb", b"\n", b"\t",
         b"\x1b[31m", b"\x7f", b"\xff", b"\xc3\xa9", b"\xc3", b"%s", b"A=B", b"if", b";", b"&&"]


def quoted(words):
    return b" ".join(b"'" + word.replace(b"'", b"'\\''") + b"'" for word in words)


def some_words(source):
    def word():
        if source.random() < 0.5:
            return source.choice(WORDS)
        return bytes(source.choice(b"'\\\"$ \n`ab\x01\xff") for _ in range(source.randrange(8)))

    return [word() for _ in range(1 + source.randrange(6))]


def read_back(text):
    """The words that a shell makes of it."""
    run = subprocess.run(["sh", "-c", b"printf '%s\\0' " + text], capture_output=True, check=True,
                         timeout=TIMEOUT)
    return run.stdout.split(b"\0")[:-1]


def test_words(tool, report):
    source = random.Random(SEED)
    for words in [[word] for word in WORDS] + [WORDS] + [some_words(source) for _ in range(40)]:
        run = tool.run("quote", "--", *words, for_shell=True)
        report.same(f"{words}: raw, and one newline", (run.status, run.raw, run.err),
                    (0, quoted(words) + b"\n", ""))
        report.same(f"{words}: a shell reads them back", read_back(run.raw), words)
    for args in ([], ["--"]):
        run = tool.run("quote", *args, for_shell=True)
        report.same(f"no words {args}: an empty line", (run.status, run.raw), (0, b"\n"))


def test_options_end(tool, report):
    """What follows the first word belongs to the command line."""
    for words in (["ls", "--json"], ["ls", "--help"], ["-", "--batch"], ["", "-x"], ["ls", "--"],
                  ["ls", "-h", "--unknown=1"]):
        run = tool.run("quote", *words, for_shell=True)
        report.same(f"{words}", (run.status, run.raw),
                    (0, quoted([word.encode() for word in words]) + b"\n"))
    report.same("a -- after --", tool.run("quote", "--", "--", for_shell=True).out, "'--'\n")
    report.true("--help before", tool.run("quote", "--help", "ls").out.startswith("Usage: "))
    tool.refuses_usage("an unknown option", "quote", "-n", "a", mentions='"-n"')


def test_json(tool, report):
    source = random.Random(SEED + 1)
    requests, answers = [], []
    for words in [[], *[some_words(source) for _ in range(300)]]:
        text = quoted(words)
        try:
            wanted = {"shell": text.decode("utf-8")}
        except UnicodeDecodeError:
            wanted = {"shell_hex": text.hex()}
        requests.append({"argv_hex": [word.hex() for word in words]})
        answers.append(wanted)
        if "shell" in wanted:
            requests.append({"argv": [word.decode("utf-8") for word in words]})
            answers.append(wanted)
        if len(requests) < 60 and words:
            run = tool.run("quote", "--json", "--", *words)
            report.same(f"{words}: --json", (run.status, run.answers()), (0, [wanted]))
    run = tool.run("quote", "--batch", stdin=lines(*requests))
    report.same("a batch: status", run.status, 0)
    for request, given, wanted in zip(requests, run.answers(), answers):
        report.same(f"{request}", given, wanted)
    report.same("a batch: an answer a line", len(run.answers()), len(requests))
    report.true("both spellings", {"shell", "shell_hex"} == {k for a in answers for k in a})
    report.same("no words", tool.run("quote", "--json").out, '{"shell":""}\n')
    report.same("JSON is ASCII", tool.run("quote", "--json", "\u00e9\x1b").out,
                '{"shell":"\'\\u00e9\\u001b\'"}\n')
    report.same("bytes are hex", tool.run("quote", "--json", b"\xff").out,
                '{"shell_hex":"27ff27"}\n')


def test_refused(tool, report):
    run = tool.run("quote", "--batch", stdin=lines({"argv": ["a", "b\0c"]}, {"argv_hex": ["00"]},
                                                   {"argv": ["\0"]}, {"argv": ["a"]}))
    report.same("NUL: status", run.status, 1)
    report.same("NUL: where", [(a.get("verdict"), a.get("reason"), a.get("word"), a.get("offset"))
                               for a in run.answers()],
                [("refused", "nul", 1, 1), ("refused", "nul", 0, 0), ("refused", "nul", 0, 0),
                 (None, None, None, None)])
    report.same("NUL: keys", list(run.answers()[0]),
                ["verdict", "reason", "word", "offset", "message"])
    report.true("NUL: the message", 'word "b\\x00c"' in run.answers()[0]["message"], run.out)


def test_malformed(tool, report):
    args = ("quote", "--batch")
    holds_malformed(tool, report, args, {"argv": ["ls"]},
                    [(line, reason if '"env"' not in line else "unknown_field")
                     for line, reason in MALFORMED])
    run = tool.run(*args, stdin=lines({"argv": []}, "x", {"argv": ["\0"]}))
    report.same("the worst", (run.status, len(run.answers())), (2, 3))


def test_big(tool, report):
    run = tool.run("quote", "--batch", stdin=lines({"argv": ["'" * (1 << 20), "a" * (4 << 20)]},
                                                   {"argv": ["a"] * 200_000}))
    answers = run.answers()
    report.same("big words", answers[0]["shell"] ==
                "'" + "'\\''" * (1 << 20) + "' '" + "a" * (4 << 20) + "'", True)
    report.same("many words", answers[1]["shell"] == " ".join(["'a'"] * 200_000), True)


TESTS = (test_words, test_options_end, test_json, test_refused, test_malformed, test_big)

"""Batches: malformed lines, long lines, lines that come slowly, and the exit status of it all."""

import json
import os
import resource
import select
import subprocess
import threading

from harness import TIMEOUT, lines

MAX_LINE = 32 << 20
GOOD = {"input": "a"}
REFUSED = {"input": "a/b"}


def reasons(run):
    return [answer.get("reason", answer["verdict"]) for answer in run.answers()]


def test_malformed(tool, report):
    """Each malformed line has its answer, and the lines around it have theirs."""
    cases = [
        ("", "not_json"), ("   ", "not_json"), ("{", "not_json"), ("}", "not_json"),
        ("nul", "not_json"),
        ('{"input":"a"} x', "not_json"), ('{"input":"a"}{}', "not_json"),
        ("{'input':'a'}", "not_json"),
        ('{"input":"a",}', "not_json"), ('{"input":"a" /* c */}', "not_json"),
        ('{"input":"\\ud800"}', "not_json"), ('{"input":"a\tb"}', "not_json"),
        ('{"input":1e999}', "not_json"), ('{"input":NaN}', "not_json"), ("[1,", "not_json"),
        ("[]", "wrong_type"), ("null", "wrong_type"), ('"input"', "wrong_type"),
        ("7", "wrong_type"),
        ('[{"input":"a"}]', "wrong_type"),
        ("{}", "missing_field"), ('{"value":"a"}', "missing_field"),
        ('{"input":"a","input":"a"}', "duplicate_key"),
        ('{"input":"a","inpu\\u0074":"a"}', "duplicate_key"),
        ('{"hex":"61","hex":"61"}', "duplicate_key"),
        ('{"input":"a","x":1}', "unknown_field"), ('{"Input":"a"}', "unknown_field"),
        ('{"x":{"y":1,"y":1}}', "unknown_field"),
        ('{"input":null}', "wrong_type"), ('{"input":5}', "wrong_type"),
        ('{"input":["a"]}', "wrong_type"),
        ('{"input":{"a":1,"a":1}}', "wrong_type"), ('{"hex":61}', "wrong_type"),
        ('{"input":"a","value":7}', "wrong_type"),
        ('{"input":"a","hex":"61"}', "ambiguous"),
        ('{"input":"a","value":"b","value_hex":"62"}', "ambiguous"),
        ('{"hex":"6"}', "bad_hex"), ('{"hex":"6g"}', "bad_hex"), ('{"hex":"0x61"}', "bad_hex"),
        ('{"hex":"61 62"}', "bad_hex"), ('{"input":"a","value_hex":"zz"}', "bad_hex"),
        (b'\xef\xbb\xbf{"input":"a"}', "byte_order_mark"), (b'{"input":"a\x00"}', "nul"),
        (b'{"input":"a"}\x00', "nul"), (b'{"input":"\xff"}', "invalid_utf8"),
        (b'{"input":"\xc0\xaf"}', "invalid_utf8"), (b'\xed\xa0\x80', "invalid_utf8"),
    ]
    for line, reason in cases:
        run = tool.run("check", "session-env", "--batch", stdin=lines(GOOD, line, GOOD))
        report.same(f"{line!r}: status", run.status, 2)
        report.same(f"{line!r}: in its place", reasons(run), ["accepted", reason, "accepted"])
        answer = run.answers()[1]
        report.same(f"{line!r}: shape", (list(answer), answer["verdict"]),
                    (["verdict", "reason", "message"], "unreadable"))
    for key in ("value", "value_hex"):
        run = tool.run("check", "path", "--batch", stdin=lines({"input": "a", key: "61"}))
        report.same(f"{key} goes with session-env only", reasons(run), ["unknown_field"])


def test_good_lines(tool, report):
    report.same("white space is JSON's", reasons(tool.run(
        "check", "path", "--batch", stdin=b' {\t"input" : "a" }\r\n')), ["accepted"])
    run = tool.run("check", "path", "--batch", stdin=lines({"input": "a\0"}))
    report.same("NUL, escaped", reasons(run), ["nul"])
    requests = ({"input": "A", "value": "b"}, {"hex": "41", "value_hex": "00"},
                {"input": "COLUMNS", "value": "x"}, {"input": "A=B"}, {"value": "b", "input": "A"})
    answers = tool.run("check", "session-env", "--batch", stdin=lines(*requests)).answers()
    report.same("session-env", [(a.get("value"), a.get("reason"), a.get("field")) for a in answers],
                [("A", None, None), (None, "nul", "value"), (None, "not_digits", "value"),
                 (None, "forbidden_byte", "name"), ("A", None, None)])
    run = tool.run("check", "path", "--batch", stdin=lines({"input": "\u00e9\u2028\U0001f600"}))
    report.same("JSON is ASCII", run.out,
                '{"verdict":"accepted","value":"\\u00e9\\u2028\\ud83d\\ude00"}\n')
    run = tool.run("check", "domain", "--batch", "--json", stdin=lines({"input": "A"}))
    report.same("--json changes nothing", run.out, '{"verdict":"accepted","value":"a"}\n')


def test_status(tool, report):
    """2 if any answer is unreadable, else 1 if any would be alone, else 0."""
    for requests, status in (([], 0), ([GOOD], 0), ([GOOD, GOOD], 0), ([REFUSED], 1),
                             ([REFUSED, GOOD], 1), ([GOOD, REFUSED], 1), (["x"], 2),
                             (["x", GOOD], 2),
                             ([GOOD, "x"], 2), (["x", REFUSED], 2), ([REFUSED, "x", GOOD], 2)):
        run = tool.run("check", "session-id", "--batch", stdin=lines(*requests))
        report.same(f"{requests}: status", run.status, status)
        report.same(f"{requests}: answers", len(run.answers()), len(requests))


def test_last_line(tool, report):
    for end, count in ((b"", 2), (b"\n", 2), (b"\n\n", 3)):
        stdin = lines(GOOD) + json.dumps(REFUSED).encode() + end
        run = tool.run("check", "session-id", "--batch", stdin=stdin)
        report.same(f"the last line ends with {end!r}", len(run.answers()), count)
        report.same(f"the last line ends with {end!r}: status", run.status, 2 if count == 3 else 1)
    report.same("a cut last line",
                reasons(tool.run("check", "path", "--batch", stdin=b'{"input":"a')), ["not_json"])


def converse(tool, report, what, args, exchanges, chunk=None):
    """Asks one question at a time over pipes: each answer comes before the next question goes."""
    run = subprocess.Popen([tool.path, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           bufsize=0)
    for question, wanted in exchanges:
        data = lines(question)
        for at in range(0, len(data), chunk or len(data)):
            run.stdin.write(data[at:at + (chunk or len(data))])
        ready = select.select([run.stdout], [], [], TIMEOUT)[0]
        answer = run.stdout.readline() if ready else b""
        report.true(f"{what}: an answer to {question}", wanted in answer.decode(), repr(answer))
    run.stdin.close()
    report.same(f"{what}: nothing more", run.stdout.read(), b"")
    run.wait(TIMEOUT)
    run.stdout.close()


def test_conversation(tool, report):
    exchanges = [(GOOD, "accepted"), (REFUSED, "forbidden_byte"), ("", "not_json"),
                 (GOOD, "accepted")]
    converse(tool, report, "check", ["check", "session-id", "--batch"], exchanges)
    converse(tool, report, "byte by byte", ["check", "session-id", "--batch"], exchanges, chunk=1)
    for command, good in (("check command", {"argv": ["a"]}), ("quote", {"argv": ["a"]}),
                          ("wrap", {"argv": ["a"], "deadline": "1s"}),
                          ("report", {"scheme": "nonce", "stderr": "0" * 32 + "\n"})):
        verdict = {"quote": "shell", "report": "ran"}.get(command, "accepted")
        converse(tool, report, command, [*command.split(), "--batch"],
                 [(good, verdict), ("", "not_json"), ({**good, "x": 1}, "unknown_field"),
                  (good, verdict)])
    exchanges = [({"declared": {"mode": "allow"}, "effective": None}, "identical"),
                 ({"declared": {"mode": "deny"}, "effective": None}, "no_policy"),
                 ("x", "not_json")]
    converse(tool, report, "egress", ["egress", "compare", "--batch"], exchanges)


def test_non_blocking(tool, report):
    """A descriptor that would block is waited for."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    timer = threading.Timer(0.3, lambda: (os.write(writing, lines(GOOD, REFUSED)),
                                          os.close(writing)))
    timer.start()
    run = tool.run("check", "session-id", "--batch", stdin=reading)
    timer.join()
    os.close(reading)
    report.same("a descriptor that would block", (run.status, reasons(run)),
                (1, ["accepted", "forbidden_byte"]))

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    count = 4000  # answers that together overflow a pipe
    run = subprocess.Popen([tool.path, "check", "session-id", "--batch"], stdin=subprocess.PIPE,
                           stdout=writing)
    os.close(writing)
    feeder = threading.Thread(target=lambda: (run.stdin.write(lines(*[GOOD] * count)),
                                              run.stdin.close()))
    feeder.start()
    with os.fdopen(reading, "rb") as out:
        feeder.join(0.3)
        answers = out.read().splitlines()
    feeder.join()
    report.same("output that would block", (run.wait(TIMEOUT), len(answers)), (0, count))


def padded(size):
    """A good question of exactly `size` bytes."""
    head, tail = b'{"input":"', b'"}'
    return head + b"a" * (size - len(head) - len(tail)) + tail


def test_long_lines(tool, report):
    args = ("check", "session-id", "--batch")
    run = tool.run(*args, stdin=lines(GOOD, padded(MAX_LINE), GOOD))
    report.same("the longest line", reasons(run), ["accepted", "too_long", "accepted"])
    report.same("the longest line: status", run.status, 1)
    run = tool.run(*args, stdin=lines(GOOD, padded(MAX_LINE + 1), GOOD))
    report.same("a byte too long", reasons(run), ["accepted", "too_large", "accepted"])
    report.same("a byte too long: status", run.status, 2)
    run = tool.run(*args, stdin=lines(GOOD, b"x" * (3 * MAX_LINE), REFUSED) + b"y" * (2 * MAX_LINE))
    report.same("much too long, twice", reasons(run),
                ["accepted", "too_large", "forbidden_byte", "too_large"])
    report.same("the last line, as long as may be",
                reasons(tool.run(*args, stdin=padded(MAX_LINE))), ["too_long"])


def test_little_memory(tool, report):
    """A line that there is no memory for is unreadable, and the next one is not."""
    def limit(megabytes):
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    probe = subprocess.run([tool.path, "--version"], capture_output=True, check=False,
                           preexec_fn=limit(48))
    if probe.returncode != 0:
        print("skipped: little memory (this build needs more to start: a sanitizer)")
        return
    for megabytes in (48, 64, 96, 128):
        run = tool.run("check", "session-id", "--batch", stdin=lines(GOOD, padded(MAX_LINE), GOOD),
                       preexec_fn=limit(megabytes))
        report.true(f"{megabytes} MiB", reasons(run)[0] == reasons(run)[2] == "accepted", run.out)
        report.true(f"{megabytes} MiB, the long line",
                    reasons(run)[1] in ("out_of_memory", "too_long"), run.out)
    run = tool.run("check", "session-id", "--batch", stdin=lines(GOOD, b"x" * (4 * MAX_LINE), GOOD),
                   preexec_fn=limit(128))
    report.same("an over-long line is not stored", reasons(run),
                ["accepted", "too_large", "accepted"])
    run = tool.run("check", "session-id", "--batch", stdin=lines(GOOD, padded(MAX_LINE), GOOD),
                   preexec_fn=limit(48))
    report.same("48 MiB are too little", reasons(run)[1], "out_of_memory")
    run = tool.run("check", "session-id", "--batch",
                   stdin=lines(padded(MAX_LINE), padded(MAX_LINE // 16)), preexec_fn=limit(64))
    report.same("a smaller line after one that there was no memory for", reasons(run),
                ["out_of_memory", "too_long"])


def test_deep_lines(tool, report):
    depth = 1_000_000
    for line in (b'{"input":' + b"[" * depth + b"]" * depth + b"}",
                 b'{"x":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"):
        run = tool.run("check", "path", "--batch", stdin=lines(line, GOOD))
        report.same("a deep line", [a["verdict"] for a in run.answers()],
                    ["unreadable", "accepted"])
    report.same("brackets alone", reasons(tool.run("check", "path", "--batch", stdin=b"[" * depth)),
                ["not_json"])


TESTS = (test_malformed, test_good_lines, test_status, test_last_line, test_conversation,
         test_non_blocking, test_long_lines, test_little_memory, test_deep_lines)

"""`report`: outcomes, bytes that are not text, exit codes, call ids, and streams of any size."""

import hashlib
import os
import resource
import subprocess
import tempfile

from command_cases import holds_malformed
from harness import TIMEOUT, lines

ID = "00112233445566778899aabbccddeeff"
D = "d" * 32
E = "e" * 32
NONCE = "a1b2c3d4" * 4
MAX_STREAM = 256 << 20


def digest(secret):
    return hashlib.sha256(secret.encode() + b"\n").hexdigest()


TAG = f"sandproof1 {ID} ".encode()
ANNOUNCED = TAG + f"{digest(D)} {digest(E)}\n".encode()
KILLED = TAG + f"deadline {D}\n".encode()
ENDED = TAG + f"exit {E}\n".encode()
SEALED = ("--call-id", ID)


def ran(killed, attested, preamble, text):
    answer = {"outcome": "ran", "killed": killed, "attested": attested}
    for name, value in (("preamble", preamble), ("stderr", text)):
        try:
            answer[name] = value.decode("utf-8")
        except UnicodeDecodeError:
            answer[name + "_hex"] = value.hex()
    return answer


CASES = [
    # call, exit code, stream, answer (a name alone: a report with a reason)
    (SEALED, 137, ANNOUNCED + b"err\n" + KILLED, ran(True, True, b"", b"err\n")),
    (SEALED, 0, ANNOUNCED + b"err" + ENDED + b"more", ran(False, True, b"", b"errmore")),
    (SEALED, None, ANNOUNCED + KILLED, ran(False, True, b"", b"")),
    (SEALED, -1, ANNOUNCED + KILLED, ran(False, True, b"", b"")),
    (SEALED, 137, ANNOUNCED, ran(False, False, b"", b"")),
    (SEALED, 1, b"warn\n" + ANNOUNCED + b"\x1b[31m\0", ran(False, False, b"warn\n", b"\x1b[31m\0")),
    (SEALED, 1, b"\xff\n" + ANNOUNCED + b"\xc3" + ENDED, ran(False, True, b"\xff\n", b"\xc3")),
    # The two halves of a character, on both sides of a report that is removed.
    (SEALED, 1, ANNOUNCED + b"\xc3" + ENDED + b"\xa9", ran(False, True, b"", b"\xc3\xa9")),
    (SEALED, 1, b"\xff\n" + ANNOUNCED + b"\xc3\xa9", ran(False, False, b"\xff\n", b"\xc3\xa9")),
    (SEALED, 126, TAG + b"refused setsid\n", "not_run"),
    (SEALED, 127, b"sh: not found\n", "not_run"),
    (SEALED, 126, b"", "unverified"),
    (SEALED, None, b"", "unverified"),
    (SEALED, 0, b"\xff\x1b", "unverified"),
    (("--call-id", ID[::-1]), 137, ANNOUNCED + KILLED, "unverified"),
    (("--scheme", "nonce"), 137, ANNOUNCED + KILLED, "unverified"),
    (("--scheme", "nonce"), 137, f"{NONCE}\na{NONCE}b".encode(), ran(True, False, b"", b"ab")),
    (("--scheme", "nonce"), 1, f"w\n{NONCE}\n".encode() + b"\x80", ran(False, False, b"w\n",
                                                                      b"\x80")),
    (("--scheme", "nonce"), 126, b"\x1b\xff", "not_run"),
]


def by_arguments(tool, call, exit_code, stream):
    return tool.run("report", "--exit-code", "none" if exit_code is None else str(exit_code), *call,
                    stdin=stream)


def request(call, exit_code, stream, as_hex):
    asked = {"exit_code": exit_code}
    asked["call_id" if call[0] == "--call-id" else "scheme"] = call[1]
    if as_hex:
        asked["stderr_hex"] = stream.hex()
    else:
        asked["stderr"] = stream.decode("utf-8")
    return asked


def test_outcomes(tool, report):
    for call, exit_code, stream, wanted in CASES:
        what = f"{call[1]} {exit_code} {stream[:40]}"
        run = by_arguments(tool, call, exit_code, stream)
        answer = run.answers()[0]
        report.same(f"{what}: one line, and no message", (run.out.count("\n"), run.err), (1, ""))
        if isinstance(wanted, str):
            report.same(f"{what}: keys", list(answer), ["outcome", "reason"])
            report.same(f"{what}: outcome", (run.status, answer["outcome"]), (1, wanted))
            report.true(f"{what}: a reason", answer["reason"])
            report.true(f"{what}: a reason to print", answer["reason"].isprintable(), run.out)
        else:
            report.same(f"{what}: answer", (run.status, answer), (0, wanted))
            report.same(f"{what}: keys in order", list(answer), list(wanted))
        requests = [request(call, exit_code, stream, True)]
        if stream.decode("utf-8", "replace").encode() == stream:
            requests.append(request(call, exit_code, stream, False))
        if exit_code is None:
            requests.append({k: v for k, v in requests[0].items() if k != "exit_code"})
        batch = tool.run("report", "--batch", stdin=lines(*requests))
        report.same(f"{what}: a batch says the same", (batch.status, batch.out),
                    (run.status, run.out * len(requests)))
    tools = by_arguments(tool, SEALED, 126, TAG + b"refused setsid\n").answers()[0]
    report.true("the tool that is missing", "setsid" in tools["reason"], tools["reason"])
    run = by_arguments(tool, ("--scheme", "nonce"), 126, b"\x1b" * 10_000)
    report.true("a long reason is cut", len(run.out) < 1000, run.out[:2000])
    run = by_arguments(tool, ("--call-id", ID, "--scheme", "sealed"), 0, ANNOUNCED)
    report.same("sealed, by name", run.status, 0)


def test_exit_codes(tool, report):
    for text in ("137", "0137", "-1", "0", "none", "2147483647", "-2147483648"):
        run = tool.run("report", "--exit-code=" + text, *SEALED, stdin=ANNOUNCED + KILLED)
        report.same(f"--exit-code {text}", (run.status, run.answers()[0]["killed"]),
                    (0, text in ("137", "0137")))
    for text in ("", "x", "137x", " 137", "137 ", "+137", "1e2", "0x89", "137.0", "2147483648",
                 "-2147483649", "9" * 40, "None", "null", "-", "1\x1b"):
        tool.refuses_usage(f"--exit-code {text!r}", "report", "--exit-code=" + text, *SEALED,
                           mentions="--exit-code")
    good = {"call_id": ID, "exit_code": 0, "stderr": ANNOUNCED.decode()}
    holds_malformed(tool, report, ("report", "--batch"), good, [
        ('{"call_id":"%s","stderr":"","exit_code":%s}' % (ID, number), reason)
        for number, reason in (
            ("2147483648", "out_of_range"), ("-2147483649", "out_of_range"),
            ("9" * 40, "out_of_range"), ("-" + "9" * 40, "out_of_range"),
            ("137.0", "wrong_type"), ("1e2", "wrong_type"), ("99999999999.5", "wrong_type"),
            ('"137"', "wrong_type"), ('"none"', "wrong_type"), ('""', "wrong_type"),
            ('"null"', "wrong_type"),
            ("true", "wrong_type"), ("[137]", "wrong_type"), ("{}", "wrong_type"))])
    for number in ("2147483647", "-2147483648", "-0", "null"):
        run = tool.run("report", "--batch", stdin=lines(
            '{"call_id":"%s","stderr":"","exit_code":%s}' % (ID, number)))
        report.same(f"{number}: an exit code", run.answers()[0].get("outcome"), "unverified")


def test_call_ids(tool, report):
    for text, wanted in (("", {"reason": "bad_length"}), (ID[1:], {"reason": "bad_length"}),
                         (ID + "0", {"reason": "bad_length"}),
                         (ID.upper(), {"reason": "forbidden_byte", "offset": 20}),
                         (ID[:-1] + "\n", {"reason": "forbidden_byte", "offset": 31})):
        run = tool.run("report", "--exit-code", "0", "--call-id", text, stdin=ANNOUNCED)
        answer = run.answers()[0]
        report.same(f"call id {text!r}", (run.status, answer),
                    (1, {"verdict": "refused", **wanted, "message": answer["message"]}))
        batch = tool.run("report", "--batch", stdin=lines({"call_id": text, "stderr": ""}))
        report.same(f"call id {text!r} in a batch", (batch.status, batch.out), (1, run.out))
    tool.refuses_usage("sealed without an id", "report", "--exit-code", "0", mentions="--call-id")
    tool.refuses_usage("sealed by name without an id", "report", "--exit-code", "0", "--scheme",
                       "sealed", mentions="--call-id")
    tool.refuses_usage("nonce with an id", "report", "--exit-code", "0", "--scheme", "nonce",
                       *SEALED, mentions="call id")


def test_malformed(tool, report):
    good = {"call_id": ID, "exit_code": 0, "stderr": ANNOUNCED.decode()}
    holds_malformed(tool, report, ("report", "--batch"), good, [
        ("{}", "missing_field"), ('{"stderr":""}', "missing_field"),
        ('{"scheme":"sealed","stderr":""}', "missing_field"),
        ('{"scheme":"nonce"}', "missing_field"), (f'{{"call_id":"{ID}"}}', "missing_field"),
        (f'{{"scheme":"nonce","call_id":"{ID}","stderr":""}}', "unknown_field"),
        ('{"scheme":"none","stderr":""}', "malformed"),
        ('{"scheme":null,"stderr":""}', "wrong_type"),
        ('{"call_id":null,"stderr":""}', "wrong_type"),
        ('{"scheme":"nonce","stderr":null}', "wrong_type"),
        ('{"scheme":"nonce","stderr":["a"]}', "wrong_type"),
        ('{"scheme":"nonce","stderr_hex":"a"}', "bad_hex"),
        ('{"scheme":"nonce","stderr":"","stderr_hex":""}', "ambiguous"),
        ('{"scheme":"nonce","stderr":"","stderr":""}', "duplicate_key"),
        ('{"scheme":"nonce","stderr":"","preamble":""}', "unknown_field"),
        ('{"scheme":"nonce","stderr":""', "not_json"), ("[]", "wrong_type"), ("", "not_json")])
    run = tool.run("report", "--batch", stdin=lines(
        good, {"call_id": "x", "stderr": ""}, {"scheme": "nonce", "stderr": ""}))
    report.same("refused and unverified", run.status, 1)
    report.same("nothing asked", tool.run("report", "--batch").status, 0)


def test_big_streams(tool, report):
    """Linear, whatever the stream is made of."""
    fake = TAG + b"deadline " + b"f" * 32 + b"\n"
    for what, body in (("hex digits", b"0123456789abcdef" * (1 << 17)), ("tags", TAG * 50_000),
                       ("fakes", fake * 20_000), ("newlines", b"\n" * (2 << 20)),
                       ("bytes", b"\xff" * (2 << 20)), ("controls", b"\x1b" * (1 << 20))):
        run = by_arguments(tool, SEALED, 137, ANNOUNCED + body + KILLED)
        report.true(f"{what}: sealed", run.status == 0 and
                    run.answers() == [ran(True, True, b"", body)])
        run = by_arguments(tool, ("--scheme", "nonce"), 137, NONCE.encode() + b"\n" + body)
        report.true(f"{what}: nonce", run.status == 0 and
                    run.answers() == [ran(False, False, b"", body)])


def test_largest_stream(tool, report):
    with tempfile.TemporaryFile() as file:
        for size, status, key, value in ((MAX_STREAM, 1, "outcome", "unverified"),
                                         (MAX_STREAM + 1, 2, "reason", "too_large"),
                                         (1 << 40, 2, "reason", "too_large")):
            file.truncate(size)  # a hole: it takes no room
            file.seek(0)
            run = tool.run("report", "--exit-code", "0", *SEALED, stdin=file)
            answer = run.answers()[0]
            report.same(f"{size} bytes", (run.status, answer.get(key), run.err),
                        (status, value, ""))
            report.same(f"{size} bytes: unreadable", answer.get("verdict"),
                        "unreadable" if status == 2 else None)
        file.truncate(MAX_STREAM)
        file.seek(0)
        limit = (64 << 20, 64 << 20)
        probe = subprocess.run([tool.path, "--version"], capture_output=True, check=False,
                               timeout=TIMEOUT,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
        if probe.returncode != 0:
            print("skipped: little memory (this build needs more to start: a sanitizer)")
            return
        run = tool.run("report", "--exit-code", "0", *SEALED, stdin=file,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
        report.same("too little memory", (run.status, run.out), (2, ""))
        report.true("too little memory: a message", "out of memory" in run.err, run.err)


def test_slow_stream(tool, report):
    """A stream in pieces, over a pipe, is read to its end."""
    run = subprocess.Popen([tool.path, "report", "--exit-code", "137", *SEALED],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    for at in range(0, len(ANNOUNCED), 7):
        run.stdin.write(ANNOUNCED[at:at + 7])
    report.true("no answer before the end", run.poll() is None)
    run.stdin.write(b"x" + KILLED)
    run.stdin.close()
    out = run.stdout.read()
    run.stdout.close()
    report.same("its answer", (run.wait(TIMEOUT), b'"killed":true' in out), (0, True))
    reading, writing = os.pipe()
    os.close(writing)
    run = tool.run("report", "--exit-code", "0", *SEALED, stdin=reading)
    os.close(reading)
    report.same("nothing at all", (run.status, run.answers()[0]["outcome"]), (1, "unverified"))


TESTS = (test_outcomes, test_exit_codes, test_call_ids, test_malformed, test_big_streams,
         test_largest_stream, test_slow_stream)

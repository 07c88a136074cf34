"""`wrap`: the string and nothing but it, call ids, refusals; and that the string does its work."""

import os
import re
import subprocess

import alone
from command_cases import MALFORMED, MALFORMED_ENV, holds_malformed
from harness import TIMEOUT, lines
from quote_cases import quoted

ID = "00112233445566778899aabbccddeeff"
PLAIN = ("wrap", "--deadline", "1.5s")
GIVEN = (*PLAIN, "--call-id", ID)
NONCE = (*PLAIN, "--scheme", "nonce")
NASTY = [b"printf", b"it's", b"a\nb", b"\xc3\xa9", b"\x1b[31m", b"", b"--json", b"$(id)"]


def head_of(tool, *args):
    """The wrapper in front of the words."""
    run = tool.run(*args, "--", "true", for_shell=True)
    return run.raw.removesuffix(b" 'true'\n")


def drawn(run):
    found = re.fullmatch(r"call id: ([0-9a-f]{32})\n", run.err)
    return found[1] if found else None


def test_string(tool, report):
    for args, scheme in ((GIVEN, "sealed"), ((*GIVEN, "--scheme=sealed"), "sealed"),
                         (NONCE, "nonce")):
        head = head_of(tool, *args)
        report.true(f"{args}: a wrapper", head.startswith(b"sh -c '") and head.endswith(b"' sh"))
        report.same(f"{args}: its id", ID.encode() in head, scheme == "sealed")
        report.true(f"{args}: its deadline", b" sleep 1.500 " in head)
        run = tool.run(*args, "--", *NASTY, for_shell=True)
        report.same(f"{args}: raw words, and one newline", (run.status, run.raw, run.err),
                    (0, head + b" " + quoted(NASTY) + b"\n", ""))
        run = tool.run(*args, "--env", "Z=it's", "--env=A=b=c", "--env", "E=", "ls", "-l",
                       "--deadline", for_shell=True)
        report.same(f"{args}: variables, sorted; options end at the program", run.raw,
                    head + b" 'env' 'A=b=c' 'E=' 'Z=it'\\''s' 'ls' '-l' '--deadline'\n")
    report.true("another deadline", b" sleep 90 " in head_of(tool, "wrap", "--deadline", "1.5m",
                                                            "--call-id", ID))


def test_call_ids(tool, report):
    """One is drawn where one is wanted and none is given, afresh for each call."""
    ids = []
    for _ in range(20):
        run = tool.run(*PLAIN, "--", "true", for_shell=True)
        report.true("an id on standard error", drawn(run), run.err)
        report.same("the id is the string's", run.raw.replace((drawn(run) or "?").encode(),
                                                              ID.encode()),
                    head_of(tool, *GIVEN) + b" 'true'\n")
        ids.append(drawn(run))
        run = tool.run(*PLAIN, "--json", "--", "true")
        ids.append(run.answers()[0]["call_id"])
        report.same("--json holds it, and nothing is on standard error", run.err, "")
    run = tool.run("wrap", "--batch", stdin=lines(*[{"argv": ["true"], "deadline": "1s"}] * 100))
    ids += [answer["call_id"] for answer in run.answers()]
    report.same("as many as calls", len(ids), 140)
    report.same("no two alike", len(set(ids)), len(ids))
    report.true("each one an id", all(re.fullmatch("[0-9a-f]{32}", each) for each in ids))
    # Each bit of 140 ids is 0 in some and 1 in some: the chance of a miss is 2^-132.
    numbers = [int(each, 16) for each in ids]
    report.true("every bit is drawn", all(0 < sum(n >> bit & 1 for n in numbers) < len(numbers)
                                          for bit in range(128)))
    run = tool.run(*PLAIN, "--", "", for_shell=True)
    report.true("no id for a refusal", drawn(run) is None and run.status == 1, run.err)


def test_no_id_no_string(tool, report):
    """A string whose id cannot be told is not printed."""
    with open("/dev/full", "wb") as full:
        run = subprocess.run([tool.path, *PLAIN, "--", "true"], stdout=subprocess.PIPE, stderr=full,
                             check=False, timeout=TIMEOUT)
        report.same("a full standard error", (run.returncode, run.stdout), (2, b""))
        run = subprocess.run([tool.path, *GIVEN, "--", "true"], stdout=subprocess.PIPE, stderr=full,
                             check=False, timeout=TIMEOUT)
        report.same("a given id needs none", run.returncode, 0)
    run = subprocess.run([tool.path, *PLAIN, "--", "true"], stdout=subprocess.PIPE, check=False,
                         timeout=TIMEOUT, preexec_fn=lambda: os.close(2))
    report.same("no standard error", (run.returncode, run.stdout), (2, b""))


def test_refused(tool, report):
    cases = [
        (["--deadline", "90"], ["ls"], {"reason": "malformed"}, 'deadline "90"'),
        (["--deadline", ""], ["ls"], {"reason": "empty"}, "deadline"),
        (["--deadline", "0s"], ["ls"], {"reason": "too_short"}, "deadline"),
        (["--deadline", "25h"], ["ls"], {"reason": "too_long"}, "deadline"),
        (["--call-id", "00"], ["ls"], {"reason": "bad_length"}, 'call id "00"'),
        (["--call-id", ""], ["ls"], {"reason": "bad_length"}, "call id"),
        (["--call-id", ID.upper()], ["ls"], {"reason": "forbidden_byte", "offset": 20}, "call id"),
        (["--deadline", "x", "--call-id", "x"], [""], {"reason": "malformed"}, "deadline"),
        (["--call-id", "x"], [""], {"reason": "bad_length"}, "call id"),
        ([], [""], {"reason": "no_program"}, "command"),
        ([], ["ls", b"\xff"], {"reason": "invalid_utf8", "word": 1, "offset": 0}, '"\\xff"'),
        (["--env", "=x"], ["ls"], {"reason": "empty", "name": ""}, "variable name"),
        (["--env", "A B=x"], ["ls"], {"reason": "forbidden_byte", "name": "A B", "offset": 1},
         '"A B"'),
        (["--env", b"A=\xff"], ["ls"], {"reason": "invalid_utf8", "name": "A", "offset": 0},
         'variable "A"'),
        (["--env", "A=1", "--env", "B=1", "--env", "A=1"], ["ls"],
         {"reason": "duplicate_name", "name": "A"}, '"A"'),
        (["--env", "A=1"], ["B=2", "ls"], {"reason": "assignment_program", "word": 0, "offset": 1},
         '"B="... (3 bytes)'),
        ([], ["ls", "x" * 122_879], {"reason": "too_long"}, "122879"),
    ]
    for options, words, wanted, mentions in cases:
        what = f"{options} {words}"[:80]
        deadline = [] if "--deadline" in options else ["--deadline", "1s"]
        run = tool.run("wrap", *deadline, *options, "--", *words, for_shell=True)
        report.same(f"{what}: status", (run.status, run.out), (1, ""))
        report.true(f"{what}: the message", mentions in run.err and
                    run.err.startswith("sandproof wrap: ") and "--help" not in run.err, run.err)
        run = tool.run("wrap", "--json", *deadline, *options, "--", *words)
        answer = run.answers()[0]
        report.same(f"{what}: as JSON", (run.status, run.err, answer),
                    (1, "", {"verdict": "refused", **wanted, "message": answer["message"]}))
    run = tool.run(*PLAIN, "--env", b"\xff=x", "--json", "--", "ls")
    report.same("a name that is not UTF-8", run.answers()[0]["name"], "\ufffd")


def test_batch(tool, report):
    """The same string by arguments, as JSON and in a batch."""
    words = [word.decode() for word in NASTY]
    for call, options in (({"call_id": ID}, ["--call-id", ID]),
                          ({"call_id": ID, "scheme": "sealed"}, ["--call-id", ID]),
                          ({"scheme": "nonce"}, ["--scheme", "nonce"])):
        for env in ({}, {"Z": "it's", "A": "\u00e9"}):
            more = [part for name, value in env.items() for part in ("--env", f"{name}={value}")]
            args = [*PLAIN, *options, *more]
            plain = tool.run(*args, "--", *NASTY, for_shell=True)
            wanted = {"verdict": "accepted", "shell": plain.raw.decode().removesuffix("\n")}
            if "call_id" in call:
                wanted["call_id"] = ID
            single = tool.run(*args, "--json", "--", *NASTY)
            report.same(f"{args}: as JSON", (single.status, single.answers()), (0, [wanted]))
            batch = tool.run("wrap", "--batch", stdin=lines(
                {"argv": words, "env": env, "deadline": "1.5s", **call},
                {"deadline": "1.5s", "env": env, "argv_hex": [w.hex() for w in NASTY], **call}))
            report.same(f"{args}: in a batch", (batch.status, batch.out), (0, single.out * 2))
    run = tool.run("wrap", "--batch", stdin=lines(
        {"argv": ["ls"], "deadline": "x"}, {"argv": [], "deadline": "1s"},
        {"argv": ["ls"], "deadline": "1s", "call_id": "x"},
        {"argv": ["ls"], "deadline": "1s", "env": {"A": "b\0"}},
        {"argv": ["ls"], "deadline": "1s"}))
    report.same("refused in a batch", (run.status, [a.get("reason") for a in run.answers()]),
                (1, ["malformed", "no_program", "bad_length", "nul", None]))


def test_malformed(tool, report):
    good = {"argv": ["ls"], "deadline": "1s"}
    args = ("wrap", "--batch")
    holds_malformed(tool, report, args, good,
                    [(line[:-1] + ',"deadline":"1s"}' if line.endswith("}") and len(line) > 2
                      else line, reason) for line, reason in MALFORMED])
    holds_malformed(tool, report, args, good,
                    [('{"argv":["ls"],"deadline":"1s",' + more + "}", reason)
                     for more, reason in [
                         *MALFORMED_ENV, ('"cwd":"/"', "unknown_field"),
                         ('"scheme":"Sealed"', "malformed"), ('"scheme":""', "malformed"),
                         ('"scheme":null', "wrong_type"), ('"call_id":null', "wrong_type"),
                         ('"call_id":7', "wrong_type"), ('"scheme":["nonce"]', "wrong_type"),
                         (f'"scheme":"nonce","call_id":"{ID}"', "unknown_field"),
                         ('"deadline":"1s"', "duplicate_key")]])
    holds_malformed(tool, report, args, good,
                    [('{"argv":["ls"]}', "missing_field"),
                     ('{"argv":["ls"],"deadline":1}', "wrong_type"),
                     ('{"argv":["ls"],"deadline":null}', "wrong_type")])


def in_sandbox(text, stdin=b""):
    """Runs a shell string where a wrong kill reaches nothing else."""
    return subprocess.run([*alone.UNSHARE, "sh", "-c", text], input=stdin, capture_output=True,
                          check=False, timeout=TIMEOUT)


@alone.alone
def test_round_trip(tool, report):
    """The string runs its command, and `report` reads what the wrapper wrote."""
    script = 'printf "%s|" "$@" "$A"; echo err >&2; exit 3'
    slow = "echo begun >&2; sleep 60"
    for options in ([], ["--scheme", "nonce"]):
        for deadline, words, exit_code, killed, err, out in (
                ("60s", ["sh", "-c", script, "sh", "it's", "a\nb"], 3, False, "err\n",
                 b"it's|a\nb|c d|"),
                ("1s", ["sh", "-c", slow], 137, True, "begun\n", b"")):
            what = f"{options} {deadline}"
            wrapped = tool.run("wrap", "--deadline", deadline, "--env", "A=c d", *options, "--",
                               *words, for_shell=True)
            run = in_sandbox(wrapped.raw)
            call = options or ["--call-id", drawn(wrapped)]
            read = tool.run("report", "--exit-code", str(run.returncode), *call, stdin=run.stderr)
            report.same(f"{what}: how it ended", (run.returncode, run.stdout), (exit_code, out))
            report.same(f"{what}: the report", (read.status, read.answers()),
                        (0, [{"outcome": "ran", "killed": killed, "attested": not options,
                              "preamble": "", "stderr": err}]))


TESTS = (test_string, test_call_ids, test_no_id_no_string, test_refused, test_batch,
         test_malformed, test_round_trip)

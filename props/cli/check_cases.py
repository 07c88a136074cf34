"""`check`: verdicts, their shape, their places, their exit statuses."""

import os
import pty
import subprocess

from harness import TIMEOUT, lines

KINDS = ("session-id", "path", "env-name", "session-env", "domain", "deadline")
GOOD = {"session-id": "team--box-605", "path": "/work/app.py", "env-name": "TOKEN_1",
        "session-env": "TZ=UTC", "domain": "*.Example.COM.", "deadline": "1.5s"}
VALUES = {"session-id": "team--box-605", "path": "work/app.py", "env-name": "TOKEN_1",
          "session-env": "TZ", "domain": "*.example.com", "deadline": "1.500"}
BAD = {"session-id": ("a/b", "forbidden_byte", 1), "path": ("/a/../b", "parent_segment", 3),
       "env-name": ("A B", "forbidden_byte", 1),
       "session-env": ("LD_PRELOAD=x", "refused_family", None),
       "domain": ("a.example:443", "port", 9), "deadline": ("90", "malformed", None)}


def test_verdicts(tool, report):
    for kind in KINDS:
        run = tool.run("check", kind, GOOD[kind])
        report.same(f"{kind}: accepted", (run.status, run.out), (0, f'accepted "{VALUES[kind]}"\n'))
        run = tool.run("check", kind, "--json", GOOD[kind])
        report.same(f"{kind}: accepted as JSON", (run.status, run.out),
                    (0, f'{{"verdict":"accepted","value":"{VALUES[kind]}"}}\n'))

        value, reason, offset = BAD[kind]
        run = tool.run("check", kind, value)
        report.same(f"{kind}: refused", run.status, 1)
        report.true(f"{kind}: the reason", run.out.startswith(f"refused {reason}: "), run.out)
        if offset is not None:
            report.true(f"{kind}: the place", f" at byte {offset}" in run.out, run.out)
        run = tool.run("check", kind, value, "--json")
        answer = run.answers()[0]
        report.same(f"{kind}: refused as JSON", run.status, 1)
        keys = ["verdict", "reason", "field", "offset", "message"]
        if kind != "session-env":
            keys.remove("field")
        if offset is None:
            keys.remove("offset")
        report.same(f"{kind}: the keys in order", list(answer), keys)
        report.same(f"{kind}: the refusal",
                    (answer["verdict"], answer["reason"], answer.get("offset")),
                    ("refused", reason, offset))

        run = tool.run("check", kind, "--json", "--", GOOD[kind], value, GOOD[kind])
        report.same(f"{kind}: several values, the worst", run.status, 1)
        report.same(f"{kind}: several values, in order",
                    [answer["verdict"] for answer in run.answers()],
                    ["accepted", "refused", "accepted"])


def test_words(tool, report):
    report.same("a dash is a value", tool.run("check", "path", "-").out, 'accepted "-"\n')
    report.same("after --, a value", tool.run("check", "path", "--", "-rf", "--json").out,
                'accepted "-rf"\naccepted "--json"\n')
    report.same("an empty value", tool.run("check", "path", "--json", "").answers()[0]["reason"],
                "empty")
    report.same("no --", tool.run("check", "path", "--", "--").out, 'accepted "--"\n')
    long_path = "a/" * 2000 + "b"
    report.same("an accepted value is shown whole", tool.run("check", "path", long_path).out,
                f'accepted "{long_path}"\n')


def test_session_env(tool, report):
    def ask(*args):
        return tool.run("check", "session-env", "--json", *args).answers()[0]

    report.same("a name alone", ask("COLUMNS"), {"verdict": "accepted", "value": "COLUMNS"})
    report.same("the first = splits", ask("A=B=C"), {"verdict": "accepted", "value": "A"})
    report.same("an empty value", ask("A="), {"verdict": "accepted", "value": "A"})
    report.same("no name", (ask("=A")["reason"], ask("=A")["field"]), ("empty", "name"))
    for word, reason, offset in ((b"A=b\xff", "invalid_utf8", 1),
                                 ("COLUMNS=wide", "not_digits", None),
                                 ("A=() { :;}", "function_value", None)):
        answer = ask(word)
        report.same(f"{word[:20]}: refused for its value",
                    (answer["reason"], answer["field"], answer.get("offset")),
                    (reason, "value", offset))
        report.true(f"{word[:20]}: the message says so", "value" in answer["message"],
                    answer["message"])
    report.same("the longest entry", ask("A=" + "x" * 131_069)["verdict"], "accepted")
    run = tool.run("check", "session-env", "--batch",
                   stdin=lines({"input": "A", "value": "x" * 131_070}))
    report.same("one byte longer", [(a["reason"], a["field"]) for a in run.answers()],
                [("too_long", "value")])
    report.same("families: strict is the default", ask("SHLVL")["reason"], "refused_family")
    report.same("families: strict", ask("SHLVL", "--families", "strict")["reason"],
                "refused_family")
    report.same("families: baseline", ask("SHLVL", "--families=baseline")["verdict"], "accepted")
    report.same("families: baseline still refuses", ask("PATH", "--families=baseline")["reason"],
                "refused_family")
    report.same("families: values too", ask("COLUMNS=x", "--families=baseline")["verdict"],
                "accepted")
    refuse = ["--refuse", "CORP_.*", "--refuse=SECRET"]
    for name, verdict in (("CORP_", "refused"), ("SECRET", "refused"), ("A_CORP_", "accepted"),
                          ("SECRETS", "accepted"), ("SECRET=1", "refused")):
        report.same(f"--refuse and {name}", ask(name, *refuse)["verdict"], verdict)


def test_domain_patterns(tool, report):
    args = ("check", "domain", "--json", "--refuse", r"(.*\.)?internal\.example")
    run = tool.run(*args, "a.INTERNAL.example.", "*.internal.example", "internal.example",
                   "a.example", "xinternal.example")
    report.same("--refuse sees the canonical form", [a.get("reason") for a in run.answers()],
                ["refused_domain"] * 3 + [None] * 2)
    for word, verdict in (("*.a.b", "refused"), ("x.a.b", "accepted")):
        run = tool.run("check", "domain", "--json", word, "--refuse", r"a\.b")
        report.same(f"--refuse sees {word} and its apex", run.answers()[0]["verdict"], verdict)
    run = tool.run("check", "domain", "--batch", "--refuse", "a",
                   stdin=lines({"input": "a"}, {"input": "b"}))
    report.same("--refuse in a batch", [a["verdict"] for a in run.answers()],
                ["refused", "accepted"])


def test_hex(tool, report):
    run = tool.run("check", "path", "--hex", "--json", "2f61", "2F61C3a9", "6100", "ff", "")
    report.same("hex bytes",
                [(a.get("value"), a.get("reason"), a.get("offset")) for a in run.answers()],
                [("a", None, None), ("a\u00e9", None, None), (None, "nul", 1),
                 (None, "invalid_utf8", 0), (None, "empty", None)])
    run = tool.run("check", "session-env", "--hex", "--json", b"A=\x00".hex(), b"A\x00=b".hex(),
                   b"A".hex())
    report.same("hex for a name and value",
                [(a.get("field"), a.get("offset")) for a in run.answers()],
                [("value", 0), ("name", 1), (None, None)])


def test_colour(tool, report):
    """Colour is for terminals, and for people who have not said no."""
    def on_terminal(args, **changes):
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
        environment.update(changes)
        master, slave = pty.openpty()
        run = subprocess.Popen([tool.path, *args], stdout=slave, stdin=subprocess.DEVNULL,
                               env=environment)
        os.close(slave)
        out = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:  # what a terminal says at its end
                break
            if not piece:
                break
            out += piece
        run.wait(TIMEOUT)
        os.close(master)
        return b"\x1b[" in out

    for args in (["check", "path", "a"], ["check", "path", ""],
                 ["egress", "compare", "--declared", "allow:", "--effective", "/dev/null"]):
        report.true(f"{args}: colour on a terminal", on_terminal(args, TERM="xterm"))
        report.true(f"{args}: an empty NO_COLOR is none",
                    on_terminal(args, TERM="xterm", NO_COLOR=""))
        report.true(f"{args}: NO_COLOR", not on_terminal(args, TERM="xterm", NO_COLOR="1"))
        report.true(f"{args}: a dumb terminal", not on_terminal(args, TERM="dumb"))
        report.true(f"{args}: an unknown terminal", not on_terminal(args))
        report.true(f"{args}: a terminal without a name", not on_terminal(args, TERM=""))
        report.true(f"{args}: no colour in a pipe", "\x1b" not in tool.run(*args).out)
    report.true("no colour in JSON", not on_terminal(["check", "path", "a", "--json"],
                                                     TERM="xterm"))


def test_batch_says_the_same(tool, report):
    """One value, three ways in: as an argument, as hex, and in a batch."""
    for kind in KINDS:
        words = [GOOD[kind], BAD[kind][0], "", "a", ".", "1s", "\u00e9", "A", "a..b", "*.a.b",
                 "x" * 300]
        single = tool.run("check", kind, "--json", "--", *words)
        as_hex = tool.run("check", kind, "--json", "--hex",
                          *[word.encode().hex() for word in words])
        requests = []
        for word in words:
            name, equals, value = word.partition("=")
            if kind == "session-env" and equals:
                requests.append({"input": name, "value": value})
            else:
                requests.append({"hex": word.encode().hex()})
        batch = tool.run("check", kind, "--batch", stdin=lines(*requests))
        report.same(f"{kind}: hex says the same", (as_hex.status, as_hex.out),
                    (single.status, single.out))
        report.same(f"{kind}: a batch says the same", (batch.status, batch.out),
                    (single.status, single.out))
        for word, answer in zip(words, single.answers()):
            status = 0 if answer["verdict"] == "accepted" else 1
            report.same(f"{kind}: exit status of {word[:20]!r}",
                        tool.run("check", kind, "--", word).status, status)


TESTS = (test_verdicts, test_words, test_session_env, test_domain_patterns, test_hex, test_colour,
         test_batch_says_the_same)

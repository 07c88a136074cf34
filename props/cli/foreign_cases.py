"""Bytes from outside, in every place that takes any: nothing of them is written raw. The harness
looks at every run's output; what is left here is to find places and bytes."""

import json
import os
import random
import tempfile

from harness import lines

SEED = 20240601
ROUNDS = 60
NASTY = [b"\x1b[31m", b"\n", b"\r", b"\x00", b"\x7f", b"\x9b1m", b"\xc2\x9b", b"\xff", b"\xc3\xa9",
         b"\xe2\x80\xae",
         b"\xed\xa0\x80", b'"', b"\\", b"%s%n", b"'", b"a", b"=", b"/", b".", b",", b"{", b"[",
         b"\t", b" ", b"-"]


def some_bytes(source, most=12):
    return b"".join(source.choice(NASTY) if source.random() < 0.8 else source.randbytes(1)
                    for _ in range(source.randrange(most)))


def argument(source):
    return some_bytes(source).replace(b"\0", b"\x01")


def some_text(source):
    return some_bytes(source).decode("utf-8", "replace")


def test_arguments(tool, report):
    source = random.Random(SEED)
    for _ in range(ROUNDS):
        word = argument(source)
        for kind in ("session-id", "path", "env-name", "session-env", "domain", "deadline"):
            tool.run("check", kind, "--", word)
            run = tool.run("check", kind, "--json", "--", word)
            report.same(f"{kind} {word!r}: one object", len(run.answers()), 1)
        tool.run(word)
        tool.run("check", word)
        tool.run("egress", word)
        tool.run("check", "path", b"--" + word)
        tool.run("check", "path", "a", word)
        tool.run("check", "path", "--hex", word)
        tool.run("check", "session-env", "A", b"--families=" + word)
        tool.run("check", "domain", "a", b"--refuse=" + word)
        tool.run("check", "command", word)
        tool.run("quote", b"--" + word)
        tool.run("quote", "--json", "--", word, b"x" + word)
        tool.run("wrap", "--deadline", "1s", b"--env=" + word, "--json", "ls")
        tool.run("wrap", "--deadline", word, "--json", "ls")
        tool.run("wrap", "--deadline", "1s", "--scheme", word, "--json", "ls")
        tool.run("wrap", "--deadline", "1s", "--call-id", word, "--json", "ls")
        tool.run("wrap", "--deadline", "1s", "--env", b"A=" + word, "--json", "--", word)
        run = tool.run("wrap", "--deadline", "1s", b"--env=A=" + word, "--", word, word,
                       for_shell=True)
        report.same(f"wrap {word!r}: refused, or printed", run.status, 0 if run.out else 1)
        tool.run("report", b"--exit-code=" + word, "--scheme", "nonce")
        tool.run("report", "--exit-code", "0", "--scheme", word)
        tool.run("report", "--exit-code", "0", "--call-id", word)
        tool.run("report", "--exit-code", "126", "--scheme", "nonce", stdin=word)
        tool.run("report", "--exit-code", "0", "--scheme", "nonce",
                 stdin=word + b"\n" + b"0" * 32 + b"\n" + word)
        tool.run("egress", "compare", word)
        tool.run("egress", "compare", "--declared", word, "--effective", "-")
        tool.run("egress", "compare", "--declared", b"allow:" + word, "--effective", "-",
                 stdin=b"null")
        tool.run("egress", "compare", "--declared", "deny", "--effective", b"/nonexistent/" + word)
        tool.run("egress", "compare", "--format", word)
        tool.run("egress", "why", "--effective", "-", "--", word, stdin=b"null")
        tool.run("egress", "why", "--json", "--effective", "-", "--", word, stdin=b"null")
        tool.run("egress", "why", "a", b"--effective=" + word)
        tool.run("egress", "compare", "--color", word)
        tool.run("egress", "compare", "--batch", "--tolerate", word)
        tool.run("egress", "compare", "--batch", "--tolerate", b"/" + word)


def test_bytes(tool, report):
    source = random.Random(SEED + 1)
    words = [some_bytes(source) for _ in range(1000)]
    requests = lines(*[{"hex": word.hex()} for word in words])
    for kind in ("session-id", "path", "env-name", "session-env", "domain", "deadline"):
        run = tool.run("check", kind, "--batch", stdin=requests)
        report.same(f"{kind}: an answer a line", len(run.answers()), len(words))
        hexed = [word.hex() for word in words]
        report.true(f"{kind}: the same by arguments", kind == "session-env" or
                    tool.run("check", kind, "--json", "--hex", *hexed).out == run.out)
        tool.run("check", kind, "--hex", *hexed)
    nul_free = [word for word in words if b"\0" not in word]
    hexed = [word.hex() for word in words]
    for args, shape in ((["check", "command"], lambda word: {"argv_hex": ["6c73", word]}),
                        (["quote"], lambda word: {"argv_hex": [word, word]}),
                        (["wrap"], lambda word: {"argv_hex": [word], "deadline": "1s"}),
                        (["report"], lambda word: {"scheme": "nonce", "exit_code": 126,
                                                   "stderr_hex": word}),
                        (["report"], lambda word: {"scheme": "nonce", "stderr_hex":
                                                   word + "0a" + "30" * 32 + "0a" + word})):
        run = tool.run(*args, "--batch", stdin=lines(*map(shape, hexed)))
        report.same(f"{args}: an answer a line", len(run.answers()), len(words))
        report.true(f"{args}: none unreadable", run.status in (0, 1), str(run.status))
    run = tool.run("quote", "--json", "--", *nul_free)
    report.true("quote: bytes are hex digits", "shell_hex" in run.answers()[0])
    noise = b"".join(word.replace(b"\n", b"") + b"\n" for word in words)
    for args in (["check", "path", "--batch"], ["check", "command", "--batch"],
                 ["quote", "--batch"], ["wrap", "--batch"], ["report", "--batch"],
                 ["egress", "compare", "--batch"]):
        run = tool.run(*args, stdin=noise)
        report.same(f"{args}: noise", (run.status, len(run.answers())), (2, noise.count(b"\n")))


def some_policy(source):
    def text():
        return source.choice(["Deny", "Allow", "Full", "*", "a.example", some_text(source)])

    policy = {"defaultAction": text(), "trafficInspection": text(),
              "hostRules": [{"pattern": text(),
                             "action": text()} for _ in range(source.randrange(3))],
              "rules": [{"name": text(), "match": {"host": text()},
                         "action": {"type": text(), "path": text()}}
                        for _ in range(source.randrange(2))]}
    for _ in range(source.randrange(2)):
        policy[some_text(source)] = {some_text(source): [text()]}
    if source.random() < 0.3:
        policy["hostRules"].append({some_text(source): 1})
    if source.random() < 0.3:
        return {"id": text(), "state": text(), "egressPolicy": policy, "skipEgressProxy": text(),
                "customerVnetConnectionName": text(), some_text(source): 1}
    return policy


def test_documents(tool, report):
    source = random.Random(SEED + 2)
    requests = []
    for _ in range(400):
        declared = source.choice([{"mode": "deny"},
                                  {"mode": "allowDomains", "domains": ["a.example"]},
                                  {"mode": "allowDomains", "domains": [some_text(source)]},
                                  {"mode": some_text(source)}, {some_text(source): 1}])
        key = source.choice(["effective", "effective_text", some_text(source)])
        value = some_policy(source)
        requests.append({"declared": declared,
                         key: json.dumps(value) if key == "effective_text" else value})
    run = tool.run("egress", "compare", "--batch", stdin=lines(*requests))
    report.same("policies: an answer a line", len(run.answers()), len(requests))
    for request in requests[:ROUNDS]:
        text = json.dumps(some_policy(source), ensure_ascii=source.random() < 0.5).encode("utf-8",
                                                                                          "replace")
        if source.random() < 0.2:
            text = text[:source.randrange(len(text))] + some_bytes(source)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory.encode(), b"declared\x1b\xff")
            with open(path, "wb") as file:
                file.write(json.dumps(request["declared"]).encode())
            tool.run("egress", "compare", "--declared", path, "--effective", "-", stdin=text)
            tool.run("egress", "compare", "--declared", "deny", "--effective", "-", stdin=text)
            tool.run("egress", "compare", "--json", "--declared", "deny", "--effective", "-",
                     stdin=text)
            for form in ("sarif", "junit"):
                tool.run("egress", "compare", "--format", form, "--declared", path, "--effective",
                         "-", stdin=text)
            path = os.path.join(directory.encode(), b"<&\x1b\xff:%")
            with open(path, "wb") as file:
                file.write(text)
            for form in ("text", "sarif", "junit"):
                tool.run("egress", "compare", "--format", form, "--declared", "deny",
                         "--effective", path)
            tool.run("egress", "why", "a.example", "--effective", path)
            tool.run("egress", "why", "a.example", "--json", "--effective", path)
            tool.run("egress", "explain", "--effective", path)
            tool.run("egress", "explain", "--json", "--effective", path)


TESTS = (test_arguments, test_bytes, test_documents)

"""`check command`, and how the lines of every command that takes words are read."""

from harness import lines

ENV = {"TZ": "UTC"}
MAX_WORDS = 122_879  # bytes, quoted, each word behind a space


def check(tool, *requests):
    return tool.run("check", "command", "--batch", stdin=lines(*requests))


def test_verdicts(tool, report):
    for request in ({"argv": ["ls"]}, {"argv_hex": ["6c73"]}, {"argv": ["ls", "", "-l", "it's"]},
                    {"argv": ["ls"], "env": {}}, {"argv": ["ls"], "env": ENV, "cwd": "/work"},
                    {"argv": ["ls"], "cwd": None}, {"argv": ["A=B", "ls"]},
                    {"env": {"PATH": "", "LD_PRELOAD": "x"}, "argv": ["ls"]},
                    {"argv": ["\u00e9\U0001f600", "\x1b[31m"], "env": {"A": "\u00e9\n"}}):
        run = check(tool, request)
        report.same(f"{request}: accepted", (run.status, run.out),
                    (0, '{"verdict":"accepted"}\n'))
    refused = [
        ({"argv": []}, {"reason": "no_program"}),
        ({"argv_hex": []}, {"reason": "no_program"}),
        ({"argv": ["", "ls"], "env": {"1": "\0"}}, {"reason": "no_program"}),
        ({"argv": ["ls", "-l", "a\0b"]}, {"reason": "nul", "word": 2, "offset": 1}),
        ({"argv": ["ls"], "cwd": "/a\0"}, {"reason": "nul", "offset": 2}),
        ({"argv_hex": ["6c73", "61ff"]}, {"reason": "invalid_utf8", "word": 1, "offset": 1}),
        ({"argv": ["ls"], "env": {"B": "x", "": "y"}}, {"reason": "empty", "name": ""}),
        ({"argv": ["ls"], "env": {"Z": "x", "1A": "y"}},
         {"reason": "leading_digit", "name": "1A", "offset": 0}),
        ({"argv": ["ls"], "env": {"Z": "x", "A": "y", "B\0": "z"}},
         {"reason": "forbidden_byte", "name": "B\0", "offset": 1}),
        ({"argv": ["ls"], "env": {"Z": "x", "A": "b\0"}},
         {"reason": "nul", "name": "A", "offset": 1}),
        ({"argv": ["ls"], "env": {"A": "x" * 131_070}}, {"reason": "too_long", "name": "A"}),
        ({"argv": ["ls"], "env": {"A" * 257: ""}}, {"reason": "too_long", "name": "A" * 257}),
        ({"argv": ["A=B", "ls"], "env": ENV},
         {"reason": "assignment_program", "word": 0, "offset": 1}),
        ({"argv": ["ls"], "cwd": ""}, {"reason": "empty_cwd"}),
        ({"argv": ["ls"], "cwd": "/" * 4096}, {"reason": "too_long"}),
        ({"argv": ["x" * MAX_WORDS]}, {"reason": "too_long"}),
    ]
    for request, wanted in refused:
        what = f"{request}"[:80]
        run = check(tool, request)
        answer = run.answers()[0]
        report.same(f"{what}: status", run.status, 1)
        report.same(f"{what}: keys", list(answer),
                    ["verdict", *[key for key in ("reason", "name", "word", "offset")
                                  if key in wanted], "message"])
        report.same(f"{what}: refused", answer,
                    {"verdict": "refused", **wanted, "message": answer["message"]})
    run = check(tool, {"argv": ["x" * (MAX_WORDS - 3)]}, {"argv": ["x" * (MAX_WORDS - 2)]})
    report.same("the longest command", [a["verdict"] for a in run.answers()],
                ["accepted", "refused"])


def test_messages(tool, report):
    """Each says what it is about, in words that the caller gave."""
    for request, words in (({"argv": ["ls", "a\0"]}, ('word "a\\x00"', "byte 1", "entry 1")),
                           ({"argv": ["ls"], "env": {"A": "b", "C D": ""}}, ('"C D"', "byte 1")),
                           ({"argv": ["ls"], "env": {"A": "b", "C": "d\0"}},
                            ('variable "C"', "variable value has", "byte 1")),
                           ({"argv": ["ls"], "cwd": "\0"}, ('working directory "\\x00"',)),
                           ({"argv": ["x" * MAX_WORDS]}, ('command "xxx', "122879"))):
        message = check(tool, request).answers()[0]["message"]
        for word in words:
            report.true(f"{words}: {word!r} in the message", word in message, message)
        report.true(f"{words}: short", len(message) < 400, message)
    message = check(tool, {"argv": ["ls"], "env": {"A": "b", "C": "d\0"}}).answers()[0]["message"]
    report.true("a variable has a name, and no place in a list", "entry" not in message, message)
    report.true("a value may be a secret", "x00" not in message, message)


# What is no list of words, or no object of strings, whichever command it is for.
MALFORMED = [
    ("{}", "missing_field"), ('{"env":{}}', "missing_field"),
    ('{"argv":null}', "wrong_type"), ('{"argv":"ls"}', "wrong_type"), ('{"argv":7}', "wrong_type"),
    ('{"argv":true}', "wrong_type"), ('{"argv":{}}', "wrong_type"),
    ('{"argv":{"0":"ls"}}', "wrong_type"), ('{"argv":["ls",1]}', "wrong_type"),
    ('{"argv":["ls",null]}', "wrong_type"), ('{"argv":["ls",false]}', "wrong_type"),
    ('{"argv":["ls",1.5]}', "wrong_type"), ('{"argv":["ls",-1]}', "wrong_type"),
    ('{"argv":["ls",["-l"]]}', "wrong_type"), ('{"argv":[[]]}', "wrong_type"),
    ('{"argv":["ls",{}]}', "wrong_type"), ('{"argv":"[\\"ls\\"]"}', "wrong_type"),
    ('{"argv_hex":"6c73"}', "wrong_type"), ('{"argv_hex":[6]}', "wrong_type"),
    ('{"argv_hex":["6c73","6"]}', "bad_hex"), ('{"argv_hex":["6g"]}', "bad_hex"),
    ('{"argv":["ls"],"argv_hex":["6c73"]}', "ambiguous"),
    ('{"argv":[],"argv_hex":[]}', "ambiguous"),
    ('{"argv":["ls"],"argv":["ls"]}', "duplicate_key"),
    ('{"argv":["ls"],"x":1}', "unknown_field"), ('{"Argv":["ls"]}', "unknown_field"),
    ('{"argv":["ls"', "not_json"), ('["ls"]', "wrong_type"), ("", "not_json"),
]
MALFORMED_ENV = [
    ('"env":null', "wrong_type"), ('"env":[]', "wrong_type"), ('"env":["A"]', "wrong_type"),
    ('"env":"A=B"', "wrong_type"), ('"env":"{}"', "wrong_type"), ('"env":1', "wrong_type"),
    ('"env":{"A":1}', "wrong_type"), ('"env":{"A":null}', "wrong_type"),
    ('"env":{"A":["B"]}', "wrong_type"), ('"env":{"A":{}}', "wrong_type"),
    ('"env":{"A":{"B":"1","B":"2"}}', "wrong_type"),
    ('"env":{"A":"1","B":"2","A":"1"}', "duplicate_key"),
    ('"env":{"A":"1","\\u0041":"2"}', "duplicate_key"),
    ('"env":{"":"1","":"2"}', "duplicate_key"),
    ('"env":{"A":"1","A":2}', "duplicate_key"), ('"env":{"A":1,"B":"1","B":"2"}', "wrong_type"),
    ('"env":{},"env":{}', "duplicate_key"),
]
MALFORMED_CWD = [('"cwd":1', "wrong_type"), ('"cwd":["/"]', "wrong_type"),
                 ('"cwd":false', "wrong_type"), ('"cwd":"/","cwd":null', "duplicate_key")]


def holds_malformed(tool, report, args, good, cases):
    """Each malformed line has its answer, and the lines around it have theirs."""
    for line, reason in cases:
        run = tool.run(*args, stdin=lines(good, line, good))
        answers = run.answers()
        report.same(f"{args} {line!r}: status", run.status, 2)
        report.same(f"{args} {line!r}: in its place", ["reason" in a for a in answers],
                    [False, True, False])
        report.same(f"{args} {line!r}: shape",
                    (list(answers[1]), answers[1]["verdict"], answers[1]["reason"]),
                    (["verdict", "reason", "message"], "unreadable", reason))


def test_malformed(tool, report):
    good = {"argv": ["ls"]}
    args = ("check", "command", "--batch")
    holds_malformed(tool, report, args, good, MALFORMED)
    with_words = [('{"argv":["ls"],' + more + "}", reason)
                  for more, reason in MALFORMED_ENV + MALFORMED_CWD]
    holds_malformed(tool, report, args, good, with_words)
    run = tool.run(*args, stdin=lines(good, '{"argv":["ls"],"input":"a"}', {"argv": []}))
    report.same("the worst", run.status, 2)
    message = tool.run(*args, stdin=lines('{"argv":["ls"],"env":{"A":"1","A\\u001b":"2",'
                                          '"A\\u001b":"3"}}')).answers()[0]["message"]
    report.true("a repeated name is shown", '"A\\x1b"' in message, message)


def test_big_lines(tool, report):
    many = {"argv": ["a"] * 200_000}
    names = {"argv": ["a"], "env": {f"A{i}": "" for i in range(50_000)}}
    deep = b'{"argv":["a",' + b"[" * 200_000 + b"]" * 200_000 + b"]}"
    run = check(tool, many, names, deep, {"argv": ["x" * (2 << 20)]}, {"argv": ["a"]})
    report.same("big lines", [a.get("reason") for a in run.answers()],
                ["too_long", "too_long", "wrong_type", "too_long", None])


TESTS = (test_verdicts, test_messages, test_malformed, test_big_lines)

"""`egress compare`: declarations, documents, tolerances, and one answer whatever the way in."""

import json
import re
import tempfile

from harness import lines

DENY_ALL = {"pattern": "*", "action": "Deny"}
DENIES = {"defaultAction": "Deny", "trafficInspection": "Full", "hostRules": [DENY_ALL]}
ALLOWS_A = {**DENIES, "hostRules": [{"pattern": "a.example", "action": "Allow"}]}
BYPASS = {"id": "s1", "state": "Running", "egressPolicy": DENIES, "skipEgressProxy": True}
NOT_READ = {"id": "s1", "egressPolicy": {"defaultAction": "Deny", "hostRules": "*"}}
A = {"mode": "allowDomains", "domains": ["a.example"]}
AB = {"mode": "allowDomains", "domains": ["a.example", "b.example"]}


def nested(levels):
    """A policy of exactly so many levels."""
    value = {}
    for _ in range(levels - 2):
        value = [value]
    return {**DENIES, "x": value}


def batch(tool, *requests, args=()):
    return tool.run("egress", "compare", "--batch", *args, stdin=lines(*requests))


def compare(tool, declared, text, *args):
    """By files: `declared` as an argument or as JSON, `text` on standard input."""
    if isinstance(text, (dict, list, type(None))):
        text = json.dumps(text)
    if isinstance(text, str):
        text = text.encode()
    if isinstance(declared, str):
        return tool.run("egress", "compare", "--declared", declared, "--effective", "-", *args,
                        stdin=text)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(declared if isinstance(declared, bytes) else json.dumps(declared).encode())
        file.flush()
        return tool.run("egress", "compare", "--declared", file.name, "--effective", "-", *args,
                        stdin=text)


def test_verdicts(tool, report):
    cases = [("deny", DENIES, 0, "identical"), ("allow", DENIES, 0, "identical"),
             ("allow", None, 0, "identical"), ("allow:a.example", ALLOWS_A, 0, "identical"),
             ("deny", None, 1, "widened"), ("deny", ALLOWS_A, 1, "widened"),
             ("allow:a.example,b.example", ALLOWS_A, 1, "contained"),
             ("deny", {**DENIES, "x": 1}, 1, "unknown"), ("deny", BYPASS, 1, "widened"),
             ({"mode": "deny"}, DENIES, 0, "identical"),
             ({"mode": "allow"}, BYPASS, 0, "identical"), (A, ALLOWS_A, 0, "identical"),
             (AB, ALLOWS_A, 1, "contained"),
             ({"mode": "deny", "domains": []}, DENIES, 0, "identical")]
    for declared, effective, status, verdict in cases:
        what = f"{declared} against {effective}"
        run = compare(tool, declared, effective, "--json")
        answer = run.answers()[0]
        report.same(what, (run.status, answer["verdict"], answer["holds"]),
                    (status, verdict, status == 0))
        report.same(f"{what}: keys", list(answer), ["holds", "verdict", "findings"])
        for finding in answer["findings"]:
            keys = ["kind", "effect", "pointer", "detail", "witness"]
            report.same(f"{what}: keys of a finding", list(finding), keys[:len(finding)])
            report.true(f"{what}: a finding", len(finding) >= 4 and finding.get("witness", "x"),
                        str(finding))
        run = compare(tool, declared, effective)
        report.same(f"{what}: for people, the status", run.status, status)
        report.true(f"{what}: for people", run.out.startswith(verdict + ": "), run.out)
        blocks = re.split(r"^<stdin>:", run.out, flags=re.MULTILINE)[1:]
        report.same(f"{what}: for people, the findings", len(blocks), len(answer["findings"]))
        for finding, block in zip(answer["findings"], blocks):
            head = f"{finding['effect']}: {finding['detail']} [{finding['kind']}]\n"
            rows = f"\n  at       {finding['pointer'] or 'the whole document'}\n"
            if "witness" in finding:
                rows += f"  witness  {finding['witness']} gets out\n"
            report.true(f"{what}: a finding for people",
                        head in block and rows + "  fix      " in block, block)
    witness = compare(tool, "deny", ALLOWS_A, "--json").answers()[0]["findings"][-1]
    report.same("a witness", (witness["kind"], witness["witness"]), ("extra_allow", "a.example"))


def test_declarations(tool, report):
    refused = [("allow:", "empty_list", None, None), ("allow:a.example,", "empty", 1, None),
               ("allow:,a", "empty", 0, None), ("allow:a.example,*.com", "wildcard", 1, 0),
               ("allow:a b", "whitespace", 0, 1),
               ({"mode": "allowDomains", "domains": []}, "empty_list", None, None),
               ({"mode": "allowDomains", "domains": ["a", "10.0.0.1"]}, "ip_literal", 1, None),
               ({"mode": "allowDomains", "domains": ["a\0"]}, "whitespace", 0, 1)]
    for declared, reason, word, offset in refused:
        run = compare(tool, declared, None, "--json")
        answer = run.answers()[0]
        report.same(f"{declared}: status", run.status, 1)
        report.same(f"{declared}: refused",
                    (answer["verdict"], answer["reason"], answer.get("word")),
                    ("refused", reason, word))
        if offset is not None:
            report.same(f"{declared}: the place", answer["offset"], offset)
        keys = [key for key in ("verdict", "reason", "word", "offset", "message") if key in answer]
        report.same(f"{declared}: keys", list(answer), keys)
        report.true(f"{declared}: for people",
                    compare(tool, declared, None).out.startswith(f"refused {reason}: "))
    unreadable = [(b"", "not_json", None), (b"[]", "wrong_type", ""), (b'"deny"', "wrong_type", ""),
                  (b"null", "wrong_type", ""), (b"{}", "missing_field", "/mode"),
                  (b'{"mode":"deny","mode":"allow"}', "duplicate_key", "/mode"),
                  (b'{"mode":"deny","mod\\u0065":"deny"}', "duplicate_key", "/mode"),
                  (b'{"mode":"deny","x/y":1}', "unknown_field", "/x~1y"),
                  (b'{"Mode":"deny"}', "unknown_field", "/Mode"),
                  (b'{"mode":null}', "wrong_type", "/mode"),
                  (b'{"mode":["deny"]}', "wrong_type", "/mode"),
                  (b'{"mode":"Deny"}', "malformed", "/mode"),
                  (b'{"mode":""}', "malformed", "/mode"),
                  (b'{"mode":"allowDomains"}', "missing_field", "/domains"),
                  (b'{"mode":"allowDomains","domains":"a"}', "wrong_type", "/domains"),
                  (b'{"mode":"allowDomains","domains":null}', "wrong_type", "/domains"),
                  (b'{"mode":"allowDomains","domains":["a",1]}', "wrong_type", "/domains/1"),
                  (b'{"mode":"deny","domains":["a"]}', "unknown_field", "/domains"),
                  (b'{"mode":"allow","domains":["a"]}', "unknown_field", "/domains"),
                  (b'{"mode":"deny","domains":{}}', "wrong_type", "/domains"),
                  (b'{"mode":"deny"}' + b" " * (1 << 20), "too_large", None),
                  (b'\xef\xbb\xbf{}', "byte_order_mark", None),
                  (b'{"mode":"deny"}\0', "nul", None), (b'{"mode":"\xff"}', "invalid_utf8", None)]
    for text, reason, pointer in unreadable:
        run = compare(tool, text, DENIES, "--json")
        answer = run.answers()[0]
        report.same(f"{text[:40]}: unreadable", (run.status, answer["verdict"], answer["reason"]),
                    (2, "unreadable", reason))
        report.same(f"{text[:40]}: the place", answer.get("pointer"), pointer)
        report.same(f"{text[:40]}: pointer or offset", ("pointer" in answer) + ("offset" in answer),
                    1)
        report.true(f"{text[:40]}: says which document", answer["message"].startswith("declared: "))
        if pointer is not None:  # JSON, so a batch line can hold it
            run = tool.run("egress", "compare", "--batch",
                           stdin=b'{"declared":' + text + b',"effective":null}\n')
            report.same(f"{text[:40]}: the same in a batch", (run.status, run.answers()[0]),
                        (2, answer))


UNREADABLE = ["", "{", '{"defaultAction":"Deny"} x', "[]", "7", "{}",
              json.dumps({**BYPASS, **DENIES}),
              '{"defaultAction":"Deny","defaultAction":"Deny"}',
              '{"defaultAction":"Deny","DefaultAction":"Deny"}',
              json.dumps(nested(33)), json.dumps(NOT_READ), json.dumps({"id": 5}),
              '{"defaultAction":"\\u0000"}',
              '\ufeff{"defaultAction":"Deny"}', json.dumps(DENIES) + " " * (1 << 20)]


def test_unreadable(tool, report):
    """Text that cannot be read is unreadable whatever was declared, or refused to be."""
    for text in UNREADABLE:
        answers = set()
        for declared in ("deny", "allow", "allow:a.example", "allow:", "allow:*"):
            run = compare(tool, declared, text, "--json")
            answer = run.answers()[0]
            report.same(f"{declared} against {text[:60]!r}", (run.status, answer["verdict"]),
                        (2, "unreadable"))
            place = "pointer" if "pointer" in answer else "offset"
            report.same(f"{text[:60]!r}: keys", list(answer),
                        ["verdict", "reason", place, "message"])
            answers.add(run.out)
        report.same(f"{text[:60]!r}: one answer", len(answers), 1)
        report.true(f"{text[:60]!r}: for people",
                    compare(tool, "allow", text).out.startswith(f"unreadable {answer['reason']}: "))
    fits = json.dumps(DENIES)
    fits += " " * ((1 << 20) - len(fits))
    report.same("at the limit", compare(tool, "deny", fits).status, 0)
    answer = compare(tool, "deny", fits + " ", "--json").answers()[0]
    report.same("over the limit", answer["reason"], "too_large")
    run = tool.run("egress", "compare", "--declared=deny", "--effective=/dev/zero", "--json")
    report.same("an endless file", run.answers()[0]["reason"], "too_large")
    for effective in ("/nonexistent", "/", ""):
        run = tool.run("egress", "compare", "--declared", "deny", "--effective", effective)
        report.same(f"{effective!r} as a file: status", (run.status, run.out), (2, ""))
        report.true(f"{effective!r} as a file: why", f'"{effective}": ' in run.err, run.err)
    run = tool.run("egress", "compare", "--declared", "dney", "--effective", "-", stdin=b"null")
    report.true("a declaration that is no file",
                run.status == 2 and "allow, deny, allow:HOST" in run.err, run.err)


def test_ways_in(tool, report):
    """A file, a document in a line, and text in a line get one answer."""
    documents = [DENIES, ALLOWS_A, BYPASS, NOT_READ, None, [], 7, "x", {}, nested(32), nested(33),
                 {**DENIES, "x": 1.10, "y": -0, "z": 1e2, "w": 2**70}, {"id": "s1"}]
    texts = [json.dumps(document) for document in documents]
    texts += ['{"defaultAction":"Deny","x":1.10,"y":-0,"z":1E2}', *UNREADABLE[1:]]
    for text in texts:
        for declared, short in (({"mode": "deny"}, "deny"), (AB, "allow:a.example,b.example"),
                                ({"mode": "allow"}, "allow")):
            single = compare(tool, short, text, "--json")
            request = {"declared": declared, "effective_text": text}
            run = batch(tool, request)
            report.same(f"{short} against {text[:60]!r}: as text", (run.status, run.out),
                        (single.status, single.out))
            try:
                value = json.loads(text)
            except ValueError:
                continue
            line = '{"effective":' + text + ',"declared":' + json.dumps(declared) + "}"
            run = batch(tool, line)
            if len(text) < 1 << 20:
                report.same(f"{short} against {text[:60]!r}: in a line", (run.status, run.out),
                            (single.status, single.out))
            run = batch(tool, {"declared": declared, "record_text": text})
            if isinstance(value, dict) and "id" in value and "defaultAction" not in value:
                report.same(f"{short} against {text[:60]!r}: a record", (run.status, run.out),
                            (single.status, single.out))
            else:
                report.same(f"{short} against {text[:60]!r}: no record", run.status, 2)
    allow = {"mode": "allow"}
    report.same("32 levels in a line", batch(tool,
                                             {"declared": allow, "effective": nested(32)}).status,
                0)
    answer = batch(tool, {"declared": allow, "effective": nested(33)}).answers()[0]
    report.same("33 levels in a line", (answer["verdict"], answer["reason"]),
                ("unreadable", "too_deep"))


def test_lines(tool, report):
    deny = '"declared":{"mode":"deny"}'
    twice = '{"defaultAction":"Deny","x":{"a":1,"\\u0061":1}}'
    for line, reason in (("{" + deny + "}", "missing_field"),
                         ('{"effective":null}', "missing_field"),
                         ("{" + deny + ',"effective":null,"effective_text":"null"}', "ambiguous"),
                         ("{" + deny + ',"effective_text":"null","record_text":"null"}',
                          "ambiguous"),
                         ("{" + deny + "," + deny + ',"effective":null}', "duplicate_key"),
                         ("{" + deny + ',"effective":null,"effective":null}', "duplicate_key"),
                         ("{" + deny + ',"effective_text":null}', "wrong_type"),
                         ("{" + deny + ',"record_text":{}}', "wrong_type"),
                         ("{" + deny + ',"effective":null,"x":1}', "unknown_field"),
                         ("[]", "wrong_type"), ("", "not_json"),
                         ('{"declared":"deny","effective":null}', "wrong_type"),
                         ("{" + deny + ',"effective":' + twice + "}", "duplicate_key"),
                         ("{" + deny + ',"effective":' + "[" * 100_000 + "]" * 100_000 + "}",
                          "wrong_type")):
        run = batch(tool, line, {"declared": {"mode": "deny"}, "effective": DENIES})
        answers = run.answers()
        report.same(f"{line[:80]}", (run.status, answers[0]["verdict"], answers[0]["reason"],
                                     answers[1]["holds"]),
                    (2, "unreadable", reason, True))
    for requests, status in (([DENIES], 0), ([DENIES, None], 1), ([None, DENIES], 1),
                             ([None, 7, DENIES], 2)):
        run = batch(tool, *[{"declared": {"mode": "deny"}, "effective": each} for each in requests])
        report.same(f"status of {requests}", (run.status, len(run.answers())),
                    (status, len(requests)))
    run = batch(tool, {"declared": {"mode": "allowDomains", "domains": ["a", "b c"]},
                       "effective": DENIES})
    report.same("a refused declaration", (run.status, run.answers()[0]["word"]), (1, 1))


def test_tolerances(tool, report):
    for field, tolerances, holds in (('"x":[]', ["/x=[]"], True), ('"x":[]', ["/x=[ ]"], True),
                                     ('"x":[]', ["/y=[]"], False),
                                     ('"x":[]', ["/x=[1]"], False),
                                     ('"x":[],"y":1', ["/x=[]"], False),
                                     ('"x":[],"y":1', ["/x=[]", "/y=1"], True),
                                     ('"x":1.10', ["/x=1.10"], True),
                                     ('"x":1.10', ["/x=1.1"], False),
                                     ('"a=1":"b=2"', ['/a=1="b=2"'], True),
                                     ('"x":{"a":1,"b":2}', ['/x={"b":2,"a":1}'], True),
                                     ('"a/b":"\\u00e9"', ['/a~1b="\u00e9"'], True),
                                     ('"x":null', ["/x=null"], True),
                                     ('"hostRule":1', ["/hostRule=1"], True)):
        args = [word for each in tolerances for word in ("--tolerate", each)]
        text = json.dumps(DENIES)[:-1] + "," + field + "}"
        run = compare(tool, "deny", text, "--json", *args)
        answer = run.answers()[0]
        report.same(f"{field} and {tolerances}", (run.status, answer["holds"]),
                    (0 if holds else 1, holds))
        if holds:
            report.same(f"{field}: keys", list(answer), ["holds", "verdict", "findings", "notes"])
            report.same(f"{field}: notes", {note["kind"] for note in answer["notes"]},
                        {"unmodelled_field"})
        line = '{"declared":{"mode":"deny"},"effective":' + text + "}"
        report.same(f"{field}: in a batch", batch(tool, line, args=args).out, run.out)
        run = compare(tool, "deny", text, *args)
        report.same(f"{field}: for people", "tolerated" in run.out, bool(answer.get("notes")))
    answer = compare(tool, "deny", None, "--json", "--tolerate", "/x=1").answers()[0]
    report.same("a tolerance for nothing", answer["verdict"], "widened")


TESTS = (test_verdicts, test_declarations, test_unreadable, test_ways_in, test_lines,
         test_tolerances)

"""`egress why` and `egress explain`: one host, or everything, by what a policy says."""

import json

from egress_cases import BYPASS, DENIES, NOT_READ, UNREADABLE

ALLOWS = {**DENIES, "hostRules": [{"pattern": "*.b.example", "action": "Allow"},
                                  {"pattern": "c.b.example", "action": "deny"},
                                  {"pattern": "B.Example.", "action": "ALLOW"}]}
READINGS = [("one_label", False), ("one_label", True), ("any", False), ("any", True)]


def why(tool, host, document, *args, **options):
    text = document if isinstance(document, str) else json.dumps(document)
    return tool.run("egress", "why", host, "--effective", "-", *args, stdin=text.encode(),
                    **options)


def test_hosts(tool, report):
    allow, default = "/hostRules/0", "/defaultAction"
    for host, document, status, verdict, by_reading in (
            ("a.example", DENIES, 0, "stopped", ["/hostRules/0"] * 4),
            ("b.example", ALLOWS, 1, "gets_out",
             ["/hostRules/2", "/hostRules/0 /hostRules/2"] * 2),
            ("A.b.EXAMPLE.", ALLOWS, 1, "gets_out", [allow] * 4),
            ("c.b.example", ALLOWS, 1, "may_get_out", ["/hostRules/0 /hostRules/1"] * 4),
            ("a.a.b.example", ALLOWS, 1, "may_get_out", [default] * 2 + [allow] * 2),
            ("ab.example", ALLOWS, 0, "stopped", [default] * 4),
            ("a", None, 1, "gets_out", [""] * 4), ("a", {"id": "s"}, 1, "gets_out",
                                                   ["/egressPolicy"] * 4),
            ("a", BYPASS, 1, "may_get_out", ["/egressPolicy/hostRules/0 /skipEgressProxy"] * 4),
            ("a", {"defaultAction": "Deny", "trafficInspection": "Full"}, 1, "may_get_out",
             [default] * 4),
            ("a", {"defaultAction": "Allow", "trafficInspection": "Full"}, 1, "gets_out",
             [default] * 4),
            ("a", {**DENIES, "x~/": 1}, 1, "may_get_out", ["/hostRules/0 /x~0~1"] * 4)):
        what = f"{host} by {document}"
        run = why(tool, host, document, "--json")
        answer = run.answers()[0]
        report.same(f"{what}: answer", (run.status, answer["verdict"]), (status, verdict))
        report.same(f"{what}: keys", list(answer), ["host", "verdict", "readings"])
        report.same(f"{what}: the host", answer["host"], host.lower().removesuffix("."))
        report.same(f"{what}: readings", [(each["depth"], each["apex"])
                                          for each in answer["readings"]], READINGS)
        report.same(f"{what}: causes", [" ".join(cause["pointer"] for cause in each["causes"])
                                        for each in answer["readings"]], by_reading)
        for each in answer["readings"]:
            report.same(f"{what}: keys of a reading", list(each),
                        ["depth", "apex", "verdict", "order_matters", "causes"])
            report.same(f"{what}: the order", each["order_matters"], host == "c.b.example")
            effects = {cause["effect"] for cause in each["causes"]}
            wanted = {"stops": "stopped", "lets_out": "gets_out"}
            report.same(f"{what}: verdict of a reading", each["verdict"],
                        wanted.get(*effects, "may_get_out") if len(effects) == 1
                        else "may_get_out")
        run = why(tool, host, document)
        report.same(f"{what}: for people, the status", run.status, status)
        report.true(f"{what}: for people",
                    run.out.startswith(f"{answer['host']}: {verdict.replace('_', ' ')}"), run.out)
        report.same(f"{what}: for people, the readings", run.out.count('\nWhere "*." stands for '),
                    len(set(by_reading)) if len(set(by_reading)) > 1 else 0)
        report.same(f"{what}: for people, the order", "depends on the order" in run.out,
                    host == "c.b.example")
        for each in answer["readings"]:
            for cause in each["causes"]:
                report.true(f"{what}: a cause for people",
                            f": {cause['detail']} [{cause['kind']}]\n" in run.out, run.out)
        report.same(f"{what}: coloured", why(tool, host, document, "--color=always",
                                             coloured=True).out == run.out, False)
    run = why(tool, "a.example", ALLOWS)
    report.true("the line and the mark", "<stdin>:1:19: stops: " in run.out
                and '\n  1 | {"defaultAction": "Deny", ' in run.out
                and "\n    |                   ^~~~~~\n" in run.out, run.out)


def test_refused(tool, report):
    for host, reason in (("", "empty"), ("10.0.0.1", "ip_literal"), ("a:80", "port"),
                         ("a b", "whitespace"), ("http://a", "scheme"), ("\x1b[31m", "whitespace"),
                         ("\u00e9.example", "non_ascii")):
        run = why(tool, host, DENIES, "--json")
        answer = run.answers()[0]
        report.same(f"{host!r}: refused", (run.status, answer["verdict"], answer["reason"]),
                    (1, "refused", reason))
        report.true(f"{host!r}: for people",
                    why(tool, host, DENIES).out.startswith(f"refused {reason}: "))
    for host in ("*", "*.b.example", "*.com", "a.*.b"):
        tool.refuses_usage(f"{host} as a host", "egress", "why", host, "--effective", "-",
                           stdin=b"null", mentions="no name of one host")


def test_unreadable(tool, report):
    for args in (["why", "a.example"], ["explain"]):
        for text in [*UNREADABLE, json.dumps(NOT_READ), '{"defaultAction":"\x1b\xff']:
            run = tool.run("egress", *args, "--effective", "-", "--json", stdin=text.encode())
            answer = run.answers()[0]
            report.same(f"{args} with {text[:60]!r}", (run.status, answer["verdict"]),
                        (2, "unreadable"))
            run = tool.run("egress", *args, "--effective", "-", stdin=text.encode())
            report.true(f"{args} with {text[:60]!r}: for people",
                        run.status == 2 and run.out.startswith(f"unreadable {answer['reason']}: "),
                        run.out)
        for path in ("/nonexistent", "/", ""):
            run = tool.run("egress", *args, "--effective", path)
            report.same(f"{args} with {path!r} as a file", (run.status, run.out), (2, ""))
            report.true(f"{args} with {path!r}: why", f'"{path}": ' in run.err, run.err)


def test_many(tool, report):
    """Of very many causes people are shown some, and --json has all."""
    document = {**DENIES, "hostRules": [{"pattern": "a.example", "action": "Allow"}] * 10_000}
    run = why(tool, "a.example", document)
    report.same("shown", run.out.count("\n<stdin>:"), 20)
    report.true("the rest", "\nand 9980 more: " in run.out, run.out[-200:])
    answer = why(tool, "a.example", document, "--json").answers()[0]
    report.same("all", [len(each["causes"]) for each in answer["readings"]], [10_000] * 4)


def explain(tool, document, *args, **options):
    text = document if isinstance(document, str) else json.dumps(document)
    return tool.run("egress", "explain", "--effective", "-", *args, stdin=text.encode(), **options)


def test_explain(tool, report):
    sentences = {"nothing": "Nothing gets out.", "anything": "Anything may get out:",
                 "hosts": "These hosts get out, or may, and no others:"}
    for document, verdict, openings in (
            (DENIES, "nothing", []),
            ({**DENIES, "hostRules": [{"pattern": "A.example.", "action": "Allow"}] * 2}, "hosts",
             [("allow", "a.example", True, "/hostRules/0")]),
            (ALLOWS, "hosts", [("allow", "*.b.example", False, "/hostRules/0"),
                               ("allow", "b.example", True, "/hostRules/2")]),
            (None, "anything", [("no_policy", "*", True, "")]),
            (BYPASS, "anything", [("proxy_bypass", "*", False, "/skipEgressProxy")]),
            ({**ALLOWS, "\x1b\n/": ["<"]}, "anything",
             [("allow", "*.b.example", False, "/hostRules/0"),
              ("allow", "b.example", False, "/hostRules/2"),
              ("unmodelled_field", "*", False, "/\x1b\n~1")]),
            ({"defaultAction": "Allow"}, "anything",
             [("default_action", "*", False, "/defaultAction"),
              ("inspection", "*", False, "/trafficInspection")])):
        run = explain(tool, document, "--json")
        answer = run.answers()[0]
        report.same(f"{document}: answer", (run.status, list(answer), answer["verdict"]),
                    (0, ["verdict", "openings"], verdict))
        report.same(f"{document}: openings", [(each["kind"], each["pattern"], each["certain"],
                                               each["pointer"]) for each in answer["openings"]],
                    openings)
        run = explain(tool, document)
        lines = run.out.splitlines()
        report.same(f"{document}: for people", (run.status, lines[0]), (0, sentences[verdict]))
        rows = [line for line in lines[1:] if line.startswith("  ")]
        report.same(f"{document}: rows", len(rows), len(openings))
        places = set()
        for row, each in zip(rows, answer["openings"]):
            hosts = each["pattern"].replace("*.", "hosts below ")
            hosts = "any host" if hosts == "*" else hosts
            sure = "gets out  " if each["certain"] else "may get out  "
            report.true(f"{document}: a row", row.startswith(f"  {hosts}  ") and sure in row
                        and each["detail"] in row, row)
            report.same(f"{document}: what may stop it", row.endswith(", which something may stop"),
                        each["kind"] == "allow" and not each["certain"])
            places.add(row.find("<stdin>:1:"))
        report.true(f"{document}: aligned", -1 not in places and len(places) <= 1, run.out)
        report.same(f"{document}: the readings", "Services differ" in run.out,
                    any(each[1].startswith("*.") for each in openings))
        report.true(f"{document}: coloured", explain(tool, document, "--color=always",
                                                     coloured=True).out != run.out)


TESTS = (test_explain, test_hosts, test_refused, test_unreadable, test_many)

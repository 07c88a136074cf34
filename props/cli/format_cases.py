"""`egress compare` for people, for code scanning and for CI: each finding points at its value."""

import json
import os
import pty
import random
import re
import tempfile
import xml.etree.ElementTree

from egress_cases import BYPASS, DENIES, compare
from harness import COLOUR

SEED = 20241130
KINDS = ["no_policy", "default_action", "inspection", "missing_rule", "extra_allow",
         "unreadable_action", "match_rule", "unmodelled_field", "unreadable_policy",
         "proxy_bypass", "network_override", "refused_declaration", "unreadable_document"]
WIDE = {"defaultAction": "Allow",
        "hostRules": [{"pattern": "*.b.example", "action": "Allow"},
                      {"pattern": "c.example", "action": "Trans<form>"}],
        "rules": [{"action": {"type": "Allow"}}, {"name": "\u00e9\t"}],
        "a/b~c\u00e9\n": {"x": [1, "]}", {}]}, "": None,
        "http": {"defaultAction": "Deny", "hostRules": [], "z": 1.5}}


# What ends a string, or a value, stands escaped inside strings, in front of what is pointed at.
ESCAPED = {'a"]}\\': 'b"]},\\', "trafficInspection": "x\\\"", "defaultAction": 'Al"low\\',
           "hostRules": [{"pattern": '",\\"', "action": "Allow"}]}


def tokens(pointer):
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]


def written(value, source, ascii_only):
    """JSON with space of all kinds between its tokens."""
    def gap():
        return "".join(source.choice(" \t\r\n") for _ in range(source.randrange(4)))

    if isinstance(value, dict):
        members = (gap() + json.dumps(key, ensure_ascii=ascii_only) + gap() + ":" + gap() +
                   written(each, source, ascii_only) + gap() for key, each in value.items())
        return "{" + ",".join(members) + gap() + "}"
    if isinstance(value, list):
        return "[" + ",".join(gap() + written(each, source, ascii_only) + gap()
                              for each in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only)


def place_of(text, pointer):
    """Where the value of a pointer begins and ends, or where the innermost one around it begins: by
    Python's reader, which says where each value ends."""
    decoder = json.JSONDecoder()

    def skip(at):
        while text[at] in " \t\r\n":
            at += 1
        return at

    at = skip(0)
    for token in tokens(pointer):
        value, _ = decoder.raw_decode(text, at)
        inner = skip(at + 1)
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        wanted = token if isinstance(value, dict) else int(token)
        if wanted not in keys:
            return at, None
        for key in keys:
            if isinstance(value, dict):
                name, inner = decoder.raw_decode(text, skip(inner))
                assert name == key
                inner = skip(skip(inner) + 1)
            if key == wanted:
                at = inner
                break
            _, inner = decoder.raw_decode(text, inner)
            inner = skip(skip(inner) + 1)
    return at, decoder.raw_decode(text, at)[1]


def position(text, at):
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1


def sarif(tool, declared, text, *args):
    run = compare(tool, declared, text, "--format", "sarif", *args)
    return run, run.answers()[0]["runs"][0]


def test_places(tool, report):
    source = random.Random(SEED)
    documents = [None, DENIES, WIDE, BYPASS, {**BYPASS, "egressPolicy": WIDE}, {"id": "s1"},
                 {"defaultAction": ""}, ESCAPED]
    for number in range(64):
        document = documents[number % len(documents)]
        text = written(document, source, source.random() < 0.5)
        text = source.choice(["", "\n", " \r\n\t"]) + text + source.choice(["", "\n"])
        run, log = sarif(tool, "allow:a.example", text)
        answer = compare(tool, "allow:a.example", text, "--json")
        findings = answer.answers()[0]["findings"]
        report.same(f"{text!r}: status", run.status, answer.status)
        report.same(f"{text!r}: results", [each["ruleId"] for each in log["results"]],
                    [each["kind"] for each in findings])
        people = compare(tool, "allow:a.example", text).out
        shown = re.findall(r"^<stdin>:(\d+):(\d+): .*\n  \1 \| (.*)\n +\| ( *)\^(~*)$", people,
                           re.MULTILINE)
        report.same(f"{text!r}: excerpts", len(shown), len(findings))
        for result, finding, excerpt in zip(log["results"], findings, shown):
            begin, end = place_of(text, finding["pointer"])
            region = result["locations"][0]["physicalLocation"]["region"]
            line, column = position(text, begin)
            wanted = {"startLine": line, "startColumn": column}
            if end is not None:
                wanted["endLine"], wanted["endColumn"] = position(text, end)
            report.same(f"{text!r}: {finding['pointer']}", region, wanted)
            report.same(f"{text!r}: {finding['pointer']} for people",
                        (int(excerpt[0]), int(excerpt[1])), (line, column))
            # What is marked is the value, as far as its line goes and there is room.
            marked = excerpt[2][len(excerpt[3]):][:len(excerpt[4]) + 1]
            value = text[begin:end if end is not None else begin + 1].partition("\n")[0]
            value = "".join(c if c == "\t" or " " <= c <= "~" else
                            "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in value)
            value = value.replace("\t", " ")
            report.true(f"{text!r}: {finding['pointer']} is marked",
                        marked and value.removesuffix("\\x0d").startswith(marked)
                        and (len(marked) > 60 or len(marked) >= len(value) - 4),
                        f"{marked!r} of {value!r}")


def test_excerpts(tool, report):
    """What is shown of a line: the line alone, escaped, and cut where it has no room."""
    rules = '"hostRules":[{"pattern":"*","action":"Deny"}]'
    for text, line, mark in (
            ('{"defaultAction":"Deny",\n"trafficInspection":"Full",\n"x":1,\n' + rules + '}',
             '  3 | "x":1,', '    |     ^'),
            ('{"defaultAction":"Deny","trafficInspection":"Full",\r\n\t"x":[1],\r\n' + rules + '}',
             '  2 |  "x":[1],', '    |      ^~~'),
            ('{"defaultAction":"Deny","trafficInspection":"Full",\n"\u00e9":"\u00e9\u007f",' + rules + '}',
             '  2 | "\\xc3\\xa9":"\\xc3\\xa9\\x7f",' + rules,
             '    |            ^' + "~" * 13),
            ('{"defaultAction":"Deny","trafficInspection":"Full","x":' + "1" * 90 + "," + rules + '}',
             '  1 | ...trafficInspection":"Full","x":' + "1" * 66 + "...",
             '    |' + " " * 34 + "^" + "~" * 65)):
        out = compare(tool, "deny", text).out
        lines = out.splitlines()
        report.same(f"{text!r}: the line", lines[2].removesuffix("}"), line)
        report.same(f"{text!r}: the mark", lines[3], mark)


def test_sarif(tool, report):
    for declared, text, status, kinds in (
            ("deny", DENIES, 0, []), ("allow", WIDE, 0, []),
            ("deny", {**DENIES, "x": 1}, 1, ["unmodelled_field"]),
            ("allow:*", DENIES, 1, ["refused_declaration"]),
            ({"mode": "allowDomains", "domains": ["a", "b c"]}, DENIES, 1, ["refused_declaration"]),
            ({"mode": "no"}, DENIES, 2, ["unreadable_document"]),
            ("deny", "{", 2, ["unreadable_document"]), ("deny", "", 2, ["unreadable_document"])):
        what = f"SARIF of {declared} against {text}"
        run = compare(tool, declared, text, "--format=sarif")
        log = run.answers()[0]
        report.same(f"{what}: status", run.status, status)
        report.same(f"{what}: version", (log["version"], log["$schema"]),
                    ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json"))
        driver = log["runs"][0]["tool"]["driver"]
        report.same(f"{what}: rules", [rule["id"] for rule in driver["rules"]], KINDS)
        report.true(f"{what}: rules say what to do",
                    all(rule["shortDescription"]["text"] and rule["help"]["text"]
                        for rule in driver["rules"]))
        results = log["runs"][0]["results"]
        report.same(f"{what}: results", [each["ruleId"] for each in results], kinds)
        report.same(f"{what}: indices", [KINDS[each["ruleIndex"]] for each in results], kinds)
        report.same(f"{what}: invocation", log["runs"][0]["invocations"],
                    [{"executionSuccessful": status != 2}])
        for each in results:
            report.true(f"{what}: a result", each["message"]["text"] and
                        each["level"] in ("error", "warning", "note"), str(each))
            report.same(f"{what}: a place", len(each["locations"]), 0 if declared == "allow:*" else 1)
    for declared, text, level in (
            ("deny", {**DENIES, "defaultAction": "Allow"}, "error"),
            ("deny", {**DENIES, "x": 1}, "warning"),
            ("allow:a.example,b.example",
             {**DENIES, "hostRules": [{"pattern": "a.example", "action": "Allow"}]}, "note")):
        run, log = sarif(tool, declared, text)
        report.same(f"{text}: levels", [each["level"] for each in log["results"]], [level])
    run, log = sarif(tool, "deny", {**DENIES, "x": 1}, "--tolerate", "/x=1")
    report.same("tolerated", (run.status, log["results"][0]["level"],
                              log["results"][0]["suppressions"][0]["kind"]), (0, "note", "external"))
    # What stops to be JSON is pointed at where it stops; what came on standard input has a name.
    run, log = sarif(tool, "deny", '{"a":1,\n"b":}')
    place = log["results"][0]["locations"][0]["physicalLocation"]
    report.same("where it is no JSON", (place["region"]["startLine"], place["region"]["startColumn"]),
                (2, 5))
    report.same("standard input as a URI", place["artifactLocation"]["uri"], "stdin")
    run, log = sarif(tool, {"mode": "allowDomains", "domains": ["a", "b c"]}, DENIES)
    region = log["results"][0]["locations"][0]["physicalLocation"]["region"]
    report.same("in the declaration", (region["startLine"], region["startColumn"]), (1, 43))
    with tempfile.TemporaryDirectory() as directory:
        for name, uri in (("a b%.json", "a%20b%25.json"), ("x:y/p~1.json", "x%3Ay/p~1.json"),
                          ("\u00e9.json", "%C3%A9.json")):
            path = os.path.join(directory, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write("null")
            for given, wanted in ((name, uri), (path, f"file://{directory}/{uri}")):
                run = tool.run("egress", "compare", "--declared=deny", "--effective", given,
                               "--format", "sarif", cwd=directory)
                place = run.answers()[0]["runs"][0]["results"][0]["locations"][0]
                report.same(f"{given} as a URI",
                            place["physicalLocation"]["artifactLocation"]["uri"], wanted)


def test_junit(tool, report):
    for declared, text, status, states in (
            ("deny", DENIES, 0, {}), ("allow", WIDE, 0, {"skipped": KINDS[:11]}),
            ("deny", WIDE, 1, {"failure": ["default_action", "inspection", "missing_rule",
                                           "extra_allow", "unreadable_action", "match_rule",
                                           "unmodelled_field"]}),
            ("deny", {**DENIES, "<&\"'\x1b\x7f>": "]]>\u00e9"}, 1, {"failure": ["unmodelled_field"]}),
            ("allow:*", DENIES, 1, {"failure": ["refused_declaration"], "skipped": KINDS[:11]}),
            ("deny", "{\"\x01<", 2, {"error": ["unreadable_document"], "skipped": KINDS[:11]})):
        what = f"JUnit of {declared} against {text}"
        run = compare(tool, declared, text, "--format", "junit")
        report.same(f"{what}: status", run.status, status)
        suite = xml.etree.ElementTree.fromstring(run.out).find("testsuite")
        cases = suite.findall("testcase")
        report.same(f"{what}: cases", [case.get("name") for case in cases], KINDS)
        for state, attribute in (("failure", "failures"), ("error", "errors"),
                                 ("skipped", "skipped")):
            wanted = states.get(state, [])
            report.same(f"{what}: {state}", [case.get("name") for case in cases
                                             if case.find(state) is not None], wanted)
            report.same(f"{what}: {attribute}", suite.get(attribute), str(len(wanted)))
        report.same(f"{what}: tests", suite.get("tests"), str(len(KINDS)))
        answer = compare(tool, declared, text, "--json").answers()[0]
        for finding in answer.get("findings", []):
            case = cases[KINDS.index(finding["kind"])].find("failure")
            report.true(f"{what}: {finding['kind']}", finding["detail"] in case.text
                        and finding.get("witness", "") in case.text and case.get("message"),
                        case.text)
    run = compare(tool, "deny", {**DENIES, "x": 1}, "--format", "junit", "--tolerate", "/x=1")
    report.true("tolerated", run.status == 0 and "<system-out>&lt;stdin&gt;:" in run.out, run.out)


def on_terminal(tool, args, **variables):
    """What a run writes to a terminal."""
    pid, descriptor = pty.fork()
    if pid == 0:
        os.execve(tool.path, [tool.path, *args], {"TERM": "xterm", **variables})
    out = b""
    while True:
        try:
            chunk = os.read(descriptor, 4096)
        except OSError:  # what Linux answers once nobody writes any more
            break
        if not chunk:
            break
        out += chunk
    os.close(descriptor)
    os.waitpid(pid, 0)
    return out.decode().replace("\r\n", "\n")


def test_colour(tool, report):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(json.dumps(WIDE).encode())
        file.flush()
        args = ["egress", "compare", "--declared", "deny", "--effective", file.name]
        bare = tool.run(*args).out
        report.true("no colour in a pipe", "\x1b" not in bare)
        for more, environment, coloured in (
                ([], {}, True), ([], {"NO_COLOR": ""}, True), ([], {"NO_COLOR": "1"}, False),
                ([], {"TERM": "dumb"}, False), (["--color=auto"], {}, True),
                (["--color=never"], {}, False), (["--color=always"], {"NO_COLOR": "1"}, True),
                (["--color=always", "--json"], {}, False)):
            out = on_terminal(tool, [*args, *more], **environment)
            report.same(f"{more} and {environment}: colour", bool(COLOUR.search(out)), coloured)
            report.true(f"{more} and {environment}: the same text",
                        "--json" in more or COLOUR.sub("", out) == bare, out)
        run = tool.run(*args, "--color", "always", coloured=True)
        report.true("always", run.out != bare and COLOUR.sub("", run.out) == bare)
        for form in ("json", "sarif", "junit"):
            run = tool.run(*args, "--format", form, "--color=always")
            report.true(f"no colour in {form}", "\x1b" not in run.out)


def test_large(tool, report):
    """Many findings in one line take no longer than the line, and excerpts are short."""
    rules = ",".join(f'{{"pattern":"a{i}.example","action":"Allow"}}' for i in range(20_000))
    text = '{"defaultAction":"Deny","trafficInspection":"Full","hostRules":[' + rules + "]}"
    run = compare(tool, "deny", text)
    report.same("findings", run.out.count("\n  fix "), 20_001)
    report.true("short lines", max(map(len, run.out.splitlines())) < 200)
    run, log = sarif(tool, "deny", text)
    report.same("results", len(log["results"]), 20_001)
    deep = '{"defaultAction":' + "[" * 500_000
    report.same("half a document", compare(tool, "deny", deep).status, 2)


TESTS = (test_places, test_excerpts, test_sarif, test_junit, test_colour, test_large)

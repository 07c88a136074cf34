"""Help, wrong usage, and output that cannot be written."""

import os
import pathlib
import re
import subprocess
import tempfile

import alone
from harness import TIMEOUT, lines

COMMANDS = (["check"], ["quote"], ["wrap"], ["report"], ["egress", "compare"],
            ["egress", "why"], ["egress", "explain"], ["egress", "watch"], ["doctor"], ["run"], ["completions"])
# What ends processes: where a wrong kill reaches nothing else.
ENDS = ("  sandproof run ", "  sandproof egress watch ", "  sandproof doctor")
GROUPS = ([], ["egress"])
POLICY = (b'{"defaultAction":"Deny","trafficInspection":"Full",'
          b'"hostRules":[{"pattern":"*","action":"Deny"}]}')


WATCH = ("egress", "watch", "--declared", "deny", "--every", "1s")


def test_help(tool, report):
    for command in [*GROUPS, *COMMANDS]:
        what = f"help of {command}"
        run = tool.run(*command, "--help")
        report.same(f"{what}: exit status", run.status, 0)
        report.true(f"{what}: usage first",
                    run.out.startswith("Usage: " + " ".join(["sandproof", *command])))
        report.true(f"{what}: an example", "\nExamples:\n" in run.out)
        report.true(f"{what}: exit statuses", "Exit status: 0" in run.out)
        report.same(f"{what}: lines over 80 columns",
                    [line for line in run.out.splitlines() if len(line) > 80], [])
        report.same(f"{what}: -h is the same", tool.run(*command, "-h").out, run.out)
    for command in COMMANDS:
        report.true(f"the tool's help names {command}", " ".join(command) in tool.run("--help").out)
    kinds = tool.run("check", "--help").out
    for kind in ("session-id", "path", "env-name", "session-env", "domain", "deadline", "command"):
        report.true(f"the help names {kind}", f"\n  {kind} " in kinds)
    for command, options in (
            (["check"], ("--json", "--hex", "--batch", "--families", "--refuse")),
            (["quote"], ("--json", "--batch")),
            (["wrap"], ("--deadline", "--env", "--scheme", "--call-id", "--json", "--batch")),
            (["report"], ("--exit-code", "--call-id", "--scheme", "--batch")),
            (["egress", "compare"],
             ("--declared", "--effective", "--tolerate", "--json", "--batch", "--format",
              "--color")),
            (["egress", "why"], ("--effective", "--json", "--color")),
            (["egress", "explain"], ("--effective", "--json", "--color")),
            (["egress", "watch"], ("--declared", "--every", "--fetch", "--tolerate", "--timeout",
                                   "--count")),
            (["doctor"], ("--timeout", "--json")),
            (["run"], ("--deadline", "--env", "--cwd"))):
        text = tool.run(*command, "--help").out
        for option in options:
            report.true(f"the help of {command} names {option}", f"\n  {option} " in text)
    run = tool.run("check", "nothing", "--help")
    report.same("help comes before what is wrong", (run.status, run.out), (0, kinds))


def test_examples(tool, report):
    """Every example in a help text runs and gives an answer."""
    namespaces = alone.missing() is None
    done = set()
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(tool.path, os.path.join(directory, "sandproof"))
        with open(os.path.join(directory, "policy.json"), "wb") as file:
            file.write(POLICY)
        with open(os.path.join(directory, "stderr.log"), "wb") as file:
            file.write(b"a1b2c3d4" * 4 + b"\n")
        with open(os.path.join(directory, "stderr.log"), "wb") as file:
            file.write(b"0123456789abcdef0123456789abcdef\n")
        environment = dict(os.environ, PATH=directory + ":" + os.environ.get("PATH", "/bin"))
        for command in [*GROUPS, *COMMANDS]:
            text = tool.run(*command, "--help").out.partition("\nExamples:\n")[2]
            text = text.replace("\\\n", " ")  # one example over two lines
            text = text.replace("\\\n", "")
            examples = [line for line in text.splitlines() if line.startswith("  ")]
            report.true(f"examples of {command}", examples)
            for example in examples:
                ends = example.startswith(ENDS)
                if example in done or (ends and not namespaces):
                    continue
                done.add(example)
                shell = [*(alone.UNSHARE if ends else ()), "sh", "-c", example]
                run = subprocess.run(shell, cwd=directory, env=environment, input=POLICY,
                                     capture_output=True, check=False, timeout=TIMEOUT)
                statuses = (0, 124) if example.startswith("  sandproof run ") else (0, 1)
                report.true(f"example {example!r}", run.returncode in statuses and run.stdout,
                            run.stderr.decode("latin-1"))


def test_version(tool, report):
    run = tool.run("--version")
    report.same("version: exit status", run.status, 0)
    report.true("version", re.fullmatch(r"sandproof \d+\.\d+\.\d+\n", run.out), run.out)
    build = pathlib.Path(__file__).resolve().parents[2] / "meson.build"
    version = re.search(r"version: '([^']+)'", build.read_text(encoding="utf-8"))
    report.same("the version of the build", run.out, f"sandproof {version[1]}\n")


def test_wrong_usage(tool, _report):
    cases = [
        ("no command", [], "check"),
        ("unknown command", ["chekc", "path", "a"], '"chekc"'),
        ("empty command", [""], '""'),
        ("an option as the command", ["--json"], '"--json"'),
        ("a group alone", ["egress"], "egress compare"),
        ("an unknown command of a group", ["egress", "explore"], "egress compare"),
        ("no kind", ["check"], "session-id"),
        ("unknown kind", ["check", "colour", "red"], "session-id"),
        ("no value", ["check", "path"], "VALUE"),
        ("unknown option", ["check", "path", "--jsom", "a"], '"--jsom"'),
        ("a value with a dash", ["check", "path", "-rf"], "write --"),
        ("a flag with a value", ["check", "path", "--json=1", "a"], "--json"),
        ("an option without its value", ["check", "domain", "a", "--refuse"], "--refuse"),
        ("an option given twice",
         ["check", "session-env", "A", "--families=strict", "--families=strict"], "--families"),
        ("unknown families", ["check", "session-env", "A", "--families", "lax"], '"lax"'),
        ("families for a path", ["check", "path", "a", "--families", "strict"], "session-env"),
        ("patterns for a path", ["check", "path", "a", "--refuse", "a"], "domain"),
        ("a pattern that is none", ["check", "domain", "a", "--refuse", "b", "--refuse", "(x"],
         '"(x"'),
        ("a pattern that is none, for variables", ["check", "session-env", "A", "--refuse", "*"],
         '"*"'),
        ("a backreference", ["check", "domain", "a", "--refuse", r"(a)\1"], "does not compile"),
        ("half a byte", ["check", "path", "--hex", "616", "61"], '"616"'),
        ("no hex, after a good value", ["check", "path", "--hex", "61", "6g"], '"6g"'),
        ("a batch with values", ["check", "path", "--batch", "a"], "--batch"),
        ("a batch with --hex", ["check", "path", "--batch", "--hex"], "--hex"),
        ("a command by arguments", ["check", "command", "ls"], "--batch"),
        ("no command", ["check", "command"], "--batch"),
        ("a command as JSON", ["check", "command", "--json", "ls"], "--batch"),
        ("a batch of commands with values", ["check", "command", "--batch", "ls"], "--batch"),
        ("a batch of commands with --hex", ["check", "command", "--batch", "--hex"], "--hex"),
        ("families for a command", ["check", "command", "--batch", "--families", "strict"],
         "session-env"),
        ("patterns for a command", ["check", "command", "--batch", "--refuse", "a"], "domain"),
        ("a batch of words with words", ["quote", "--batch", "ls"], "--batch"),
        ("words that begin with an option", ["quote", "-n"], "write --"),
        ("no deadline", ["wrap", "--", "ls"], "--deadline"),
        ("a deadline behind the program", ["wrap", "ls", "--deadline", "1s"], "--deadline"),
        ("no program", ["wrap", "--deadline", "1s"], "PROG"),
        ("no program after --", ["wrap", "--deadline", "1s", "--"], "PROG"),
        ("two deadlines", ["wrap", "--deadline", "1s", "--deadline", "1s", "ls"], "twice"),
        ("a variable without a value", ["wrap", "--deadline", "1s", "--env", "TZ", "ls"], '"TZ"'),
        ("an unknown scheme", ["wrap", "--deadline", "1s", "--scheme", "plain", "ls"], '"plain"'),
        ("an empty scheme", ["wrap", "--deadline", "1s", "--scheme", "", "ls"], "sealed or nonce"),
        ("an id with nonce", ["wrap", "--deadline", "1s", "--scheme", "nonce", "--call-id",
                              "0" * 32, "ls"], "call id"),
        ("a batch of calls with a program", ["wrap", "--batch", "ls"], "PROG"),
        ("a directory", ["wrap", "--deadline", "1s", "--cwd", "/", "ls"], '"--cwd"'),
        ("nothing to run", ["run", "--deadline", "1s"], "PROG"),
        ("nothing to run after --", ["run", "--deadline", "1s", "--"], "PROG"),
        ("no deadline for a run", ["run", "--", "ls"], "--deadline"),
        ("a deadline behind a run's program", ["run", "ls", "--deadline", "1s"], "--deadline"),
        ("two deadlines for a run", ["run", "--deadline", "1s", "--deadline", "1s", "ls"], "twice"),
        ("two directories", ["run", "--deadline", "1s", "--cwd", "/", "--cwd", "/", "ls"],
         "twice"),
        ("a run's variable without a value", ["run", "--deadline", "1s", "--env", "TZ", "ls"],
         '"TZ"'),
        ("a run with a scheme", ["run", "--deadline", "1s", "--scheme", "sealed", "ls"],
         '"--scheme"'),
        ("no exit code", ["report", "--call-id", "0" * 32], "--exit-code"),
        ("a stream as an argument", ["report", "--exit-code", "0", "--call-id", "0" * 32, "x"],
         '"x"'),
        ("an unknown scheme to read", ["report", "--exit-code", "0", "--scheme", "plain"],
         '"plain"'),
        ("nothing declared", ["egress", "compare", "--effective", "-"], "--declared"),
        ("nothing effective", ["egress", "compare", "--declared", "deny"], "--effective"),
        ("a word too many", ["egress", "compare", "--declared", "deny", "--effective", "-", "x"],
         '"x"'),
        ("a batch with --declared", ["egress", "compare", "--batch", "--declared", "deny"],
         "--batch"),
        ("a batch with --effective", ["egress", "compare", "--batch", "--effective", "-"],
         "--batch"),
        ("declared twice", ["egress", "compare", "--declared", "deny", "--declared", "allow"],
         "twice"),
        ("an unknown format", ["egress", "compare", "--format", "xml"], "sarif or junit"),
        ("an empty format", ["egress", "compare", "--format="], '""'),
        ("two formats", ["egress", "compare", "--format", "json", "--format", "json"], "--format"),
        ("JSON and another format", ["egress", "compare", "--json", "--format", "junit"],
         "--json is --format json"),
        ("a batch in another format", ["egress", "compare", "--batch", "--format", "text"],
         "--batch"),
        ("an unknown colour", ["egress", "compare", "--color", "red"], "always or never"),
        ("a colour without a value", ["egress", "compare", "--color"], "--color"),
        ("two colours", ["egress", "compare", "--color=never", "--color=never"], "--color"),
        ("no host", ["egress", "why", "--effective", "-"], "which host?"),
        ("two hosts", ["egress", "why", "a", "b", "--effective", "-"], '"b"'),
        ("a host and no policy", ["egress", "why", "a"], "--effective"),
        ("two policies", ["egress", "why", "a", "--effective", "-", "--effective", "-"],
         "--effective"),
        ("an unknown colour for a host", ["egress", "why", "a", "--effective", "-", "--color", ""],
         "always or never"),
        ("nothing to explain", ["egress", "explain"], "--effective"),
        ("a word to explain", ["egress", "explain", "--effective", "-", "x"], '"x"'),
        ("two policies to explain", ["egress", "explain", "--effective=-", "--effective=-"],
         "--effective"),
        ("an unknown colour to explain in", ["egress", "explain", "--effective=-", "--color=no"],
         "always or never"),
        ("a batch of hosts", ["egress", "why", "--batch"], '"--batch"'),
        ("completions of no shell", ["completions"], "bash, zsh or fish"),
        ("completions of another shell", ["completions", "tcsh"], '"tcsh": give bash, zsh or fish'),
        ("completions of two shells", ["completions", "bash", "zsh"], '"zsh": give one'),
        ("completions as JSON", ["completions", "bash", "--json"], '"--json"'),
        ("an unknown option of a doctor", ["doctor", "--time", "1s"], '"--time"'),
        ("a doctor's timeout twice", ["doctor", "--timeout=2s", "--timeout=2s"], "twice"),
        ("nothing declared to watch", [*WATCH[:2], "--every", "1s", "true"], "--declared"),
        ("nothing to fetch", [*WATCH], "--fetch"),
        ("nothing to fetch behind --", [*WATCH, "--"], "--fetch"),
        ("two ways to fetch", [*WATCH, "--fetch", "true", "true"], "one command"),
        ("how often is not said", [*WATCH[:4], "true"], "--every"),
        ("every twice", [*WATCH, "--every", "1s", "true"], "twice"),
        ("a watch in a format", [*WATCH, "--format", "json", "true"], '"--format"'),
        ("declared on standard input", ["egress", "compare", "--declared", "-", "--effective", "-"],
         "--declared"),
    ]
    for tolerance in ("x", "/x", "/x=", "/x={", "=1", "x=1", "/x=1 2", '/x={"a":1,"a":1}',
                      "/x=NaN"):
        cases.append((f"tolerance {tolerance!r}",
                      ["egress", "compare", "--batch", "--tolerate", tolerance], "--tolerate"))
        cases.append((f"tolerance {tolerance!r} of a watch",
                      [*WATCH, "--tolerate", tolerance, "true"], "--tolerate"))
    for every in ("", "10", "s", "0s", "99ms", "24.001h", "25h", "-1s", "1 s", "1d", "1.5", "1s1s"):
        cases.append((f"every {every!r}", [*WATCH[:4], "--every", every, "true"],
                      "30s, 5m or 1.5h, from 100ms to 24h"))
    for timeout in ("", "10", "0s", "25h"):
        cases.append((f"timeout {timeout!r}", [*WATCH, "--timeout", timeout, "true"],
                      "from 1ms to 24h"))
    for timeout in ("", "1.999s", "600.001s", "11m", "2000", "+2s", "-1s", "24h"):
        cases.append((f"a doctor's timeout {timeout!r}", ["doctor", "--timeout", timeout],
                      "from 2s to 10m"))
    for count in ("", "0", "-1", "+1", "1.0", "x", "1 ", "1000000001", "99999999999"):
        cases.append((f"count {count!r}", [*WATCH, "--count", count, "true"],
                      "from 1 to 1000000000"))
    for command, options in (("wrap", ("--deadline", "--env", "--scheme", "--call-id")),
                             ("report", ("--exit-code", "--scheme", "--call-id"))):
        cases += [(f"a batch for {command} with {option}", [command, "--batch", option, "A=1"],
                   option) for option in options]
    for what, args, mentions in cases:
        tool.refuses_usage(what, *args, mentions=mentions)


def test_failed_output(tool, report):
    """Whatever cannot be written is said, and is no success."""
    batch = lines(*[{"input": "a"}] * 3)
    commands = ([["check", "path", "a"], b""], [["check", "path", "--json", "a", "b"], b""],
                [["check", "path", "--batch"], batch], [["--help"], b""], [["--version"], b""],
                [["quote", "--json", "a"], b""], [["wrap", "--batch"], b"{}\n"],
                [["wrap", "--deadline", "1s", "--call-id", "0" * 32, "ls"], b""],
                [["report", "--exit-code", "0", "--scheme", "nonce"], b""],
                [["egress", "compare", "--help"], b""], [["completions", "zsh"], b""],
                [["egress", "why", "a", "--effective", "-"], b"null"],
                [["egress", "explain", "--effective", "-"], b"null"],
                [["egress", "compare", "--declared", "allow", "--effective", "-"], b"null"])
    for args, stdin in commands:
        with open("/dev/full", "wb") as full:
            run = tool.run(*args, stdin=stdin, stdout=full)
        report.same(f"{args} to a full device: exit status", run.status, 2)
        report.true(f"{args} to a full device: a message", "No space left" in run.err, run.err)
        reading, writing = os.pipe()
        os.close(reading)
        run = tool.run(*args, stdin=stdin, stdout=writing)
        os.close(writing)
        report.same(f"{args} to a closed pipe: exit status", run.status, 2)
        report.true(f"{args} to a closed pipe: a message", "Broken pipe" in run.err, run.err)
        run = tool.run(*args, stdin=stdin, stdout=None, preexec_fn=lambda: os.close(1))
        report.same(f"{args} to nothing: exit status", run.status, 2)
        report.true(f"{args} to nothing: a message", "Bad file descriptor" in run.err, run.err)
    with open("/dev/full", "wb") as full:
        tool.refuses_usage("wrong usage needs no output", "check", "path", stdout=full)


def test_failed_input(tool, report):
    for args in (["check", "path", "--batch"], ["check", "command", "--batch"],
                 ["quote", "--batch"], ["wrap", "--batch"], ["report", "--batch"],
                 ["report", "--exit-code", "0", "--scheme", "nonce"],
                 ["egress", "compare", "--batch"], ["egress", "why", "a", "--effective", "-"],
                 ["egress", "explain", "--effective", "-"],
                 ["egress", "compare", "--declared", "deny", "--effective", "-"]):
        run = tool.run(*args, stdin=None, preexec_fn=lambda: os.close(0))
        report.same(f"{args} without standard input: exit status", run.status, 2)
        report.true(f"{args} without standard input: a message", "Bad file descriptor" in run.err,
                    run.err)
        descriptor = os.open("/", os.O_RDONLY)
        run = tool.run(*args, stdin=descriptor)
        os.close(descriptor)
        report.same(f"{args} from a directory: exit status", run.status, 2)
        report.true(f"{args} from a directory: a message", "Is a directory" in run.err, run.err)


TESTS = (test_help, test_examples, test_version, test_wrong_usage, test_failed_output,
         test_failed_input)

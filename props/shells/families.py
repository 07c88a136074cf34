"""What each refused session variable does to the wrapper: measured, or cited with its source.

usage: families.py TOOL FAMILIES_CC [--long] [--jobs N] [--tap] [NAME...]

For each name one value is set for the whole session, and the wrapper is run (a command that ends,
and one that a deadline ends); what it did is compared with a run without the variable: exit status,
report, output, files opened under the value. A row of the library's table (FAMILIES_CC) that is
neither measured nor cited fails, and so does a row that no longer shows what was measured, and a
name that `sandproof check session-env` does not refuse. --long tries every value in every shell.

Each run is inside a PID namespace of its own, with a canary, as in drive.py. Without namespaces the
measured rows are skipped. Exit status as drive.py.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import drive  # noqa: E402
import namespace  # noqa: E402
import tap  # noqa: E402
from call import Run, which  # noqa: E402
from family_rows import BARE, EVIL, OWN_NAME, ROWS, SYSTEM, VALUES  # noqa: E402
from scenario import REFUSED_SHELLS, SHELLS, TOOLS  # noqa: E402
from tool import Tool  # noqa: E402

HERE = os.path.abspath(__file__)


def evil_directory(run):
    """Tools, functions and start-up files that say `evil` on stderr."""
    where = os.path.join(run.dir, "evil")
    say = "echo evil >&2"
    files = {"startup": say, ".zshenv": say,
             "execshell": f"#!/usr/bin/dash\n{say}\necho 0011",
             "scripts/od": 'exec /usr/bin/od "$@"'}
    for tool in TOOLS:
        files[tool] = f'#!/usr/bin/dash\n{say}; exec /usr/bin/{tool} "$@"'
        files[f"functions/{tool}"] = f"{tool}() {{ {say}; }}"
    for name, text in files.items():
        path = os.path.join(where, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text + "\n")
        os.chmod(path, 0o755)
    run.link_shell(where)
    return where


def observe(run, image, marker, traced):
    """What can be seen from outside, without what changes from call to call."""
    def clean(raw):
        text = raw.decode("utf-8", "replace").replace(run.dir, "DIR")
        text = re.sub(r"\d+ (Killed|Terminated)", r"N \1", text)
        return re.sub(r"[0-9a-f]{32,64}", "HEX", text)

    seen = {}
    for name, argv, milliseconds in (
            ("exit", ["/usr/bin/dash", "-c", "echo err >&2; exit 3"], 20000),
            ("deadline", ["/usr/bin/sleep", "41"], 300)):
        trace = os.path.join(run.dir, "trace") if traced and name == "exit" else None
        r = run.call(argv, milliseconds, image=image, guard=8, trace=trace)
        report = r.report
        seen[name] = {"exit": r.exit, "outcome": report["outcome"], "killed": report.get("killed"),
                      "attested": report.get("attested"), "held": r.guarded,
                      "stderr": clean(r.err), "stdout": clean(r.out)}
        if trace and os.path.exists(trace):
            with open(trace, encoding="utf-8", errors="replace") as file:
                found = re.findall(rf'"({re.escape(marker)}[^"]*)"', file.read())
            seen["opened"] = sorted(set(found))
    return seen


def difference(before, after):
    """The first difference, in words; None if there is none."""
    for name in ("exit", "deadline"):
        a, b = before[name], after[name]
        if b["held"] and not a["held"]:
            return f"{name}: the call is held"
        keys = ("exit", "outcome", "killed", "attested")
        changed = [f"{key} {a[key]} -> {b[key]}" for key in keys if a[key] != b[key]]
        if changed:
            return f"{name}: {', '.join(changed)}"
        for where in ("stderr", "stdout"):
            if a[where] != b[where]:
                new = [line for line in b[where].splitlines() if line not in a[where]] or [b[where]]
                return f"{name}: {where} gains {new[0][:90]!r}"
    if after.get("opened") and after["opened"] != before.get("opened"):
        return f"opens {os.path.basename(after['opened'][0])!r} under the value"
    return None


def measure(job):
    """Inside the namespace: what the first trial that shows anything shows; None if none does."""
    run = Run(job)
    run.judges, run.called = False, job["called"]
    evil = evil_directory(run)
    bare = run.path_of(*(tool for tool in TOOLS if tool not in ("od", "sha256sum")), "dash")
    system = run.image()["PATH"]

    def fill(value):
        return value.replace(EVIL, evil).replace(BARE, bare).replace(SYSTEM, system)

    found = None
    for value, beside in job["trials"]:
        image = run.image(**{name: fill(other) for name, other in beside.items()})
        traced = EVIL in value and bool(which("strace"))
        before = observe(run, image, evil, traced)
        after = observe(run, {**image, job["name"]: fill(value)}, evil, traced)
        change = difference(before, after)
        if change:
            with_others = f" with {', '.join(beside)}" if beside else ""
            found = f"{job['name']}={value.replace(EVIL, 'DIR')[:60]!r}{with_others}: {change}"
            break
    run.end_all()
    shutil.rmtree(run.dir, ignore_errors=True)
    return found if found is None else [found]


def ask(row, shell, trials, root, tool):
    """(what shows, an error): the row's trials in one shell."""
    real = OWN_NAME.get(shell, shell)
    job = {"name": row.name, "shell": real, "called": real if shell in OWN_NAME else "sh",
           "scheme": "sealed", "root": root, "long": 0, "tool": tool,
           "trials": [(trial.value, trial.beside) for trial in trials if shell in trial.shells]}
    answer, _ = namespace.launch(HERE, job, 240)
    if isinstance(answer, str):
        return None, answer
    where = shell if shell not in OWN_NAME else f"{real} called {real}"
    return (f"{where}: {answer[0]}" if answer else None), None


def judge(row, args, root, installed):
    """(verdict, text) of one row: measured, cited, skipped or BROKEN."""
    text = []
    if row.shows:
        shell = row.shows.shells[0]
        real = OWN_NAME.get(shell, shell)
        if root is None:
            return "skipped", "no PID namespaces here"
        if real not in installed:
            return "skipped", f"{real} is not installed"
        found, error = ask(row, shell, [row.shows], root, args.tool)
        if not found:
            return "BROKEN", error or f"{shell}: {row.shows.value!r} no longer shows anything"
        text.append(found)
    elif not row.source:
        return "BROKEN", "neither measured nor cited"
    if args.long and root:
        for shell in dict.fromkeys(shell for trial in row.tried for shell in trial.shells):
            if OWN_NAME.get(shell, shell) in installed:
                found, error = ask(row, shell, row.tried, root, args.tool)
                if error:
                    return "BROKEN", error
                text += [f"also {found}"] if found else []
    if row.source:
        text.append(row.source)
    return ("measured" if row.shows else "cited"), "; ".join(text)


def table_of(path):
    """[(name, is a prefix)] of the library's own table."""
    with open(path, encoding="ascii") as file:
        rows = re.findall(r'^    (below\()?(?:baseline|strict)\("([^"]+)"', file.read(), re.M)
    return [(name, bool(prefix)) for prefix, name in rows]


def check_table(args, report):
    """Every row of the library's table has one here, and the tool refuses every name here."""
    names = table_of(args.table)
    if len(names) < 50:
        report.broken("the library's table", f"{len(names)} rows found in {args.table}")
    for name, is_prefix in names:
        if not any(row.name.startswith(name) if is_prefix else row.name == name for row in ROWS):
            report.broken(f"{name}{'*' if is_prefix else ''} of the library's table",
                          "neither measured nor cited")
    tool = Tool(args.tool)
    asked = [(row.name, "refused_family") for row in ROWS]
    asked += [(f"{row.name}={(row.shows or row.tried[0]).value}", reason) for row, reason in VALUES]
    for entry, reason in asked:
        got = tool.check("session-env", entry)
        # A name with bytes that no name may hold is refused for those.
        wanted = reason if re.fullmatch(r"\w+", entry.partition("=")[0]) else "forbidden_byte"
        if got.get("reason") != wanted:
            report.broken(f"sandproof check session-env {entry}", f"{got}, expected {wanted}")


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].replace("%", "%%"))
    parser.add_argument("tool")
    parser.add_argument("table")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--tap", action="store_true")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    args = parser.parse_args()
    args.tool = os.path.abspath(args.tool)
    return args


def main():
    args = arguments()
    report = tap.Report(args.tap)
    check_table(args, report)
    rows = [row for row in [*ROWS, *(row for row, _ in VALUES)]
            if not args.names or row.name in args.names]
    installed = [shell for shell in SHELLS if shutil.which(shell) and shell not in REFUSED_SHELLS]
    reason = namespace.missing()
    if reason:
        report.say(f"no PID namespaces here ({reason}): nothing is measured")
    root = None if reason else drive.make_root(installed)
    lines = []
    try:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            answers = pool.map(lambda row: judge(row, args, root, installed), rows)
            for row, (verdict, text) in zip(rows, answers):
                lines.append(f"{row.name:<26}{verdict:<10}{text.replace(root or ' ', '')}")
                if verdict == "BROKEN":
                    report.broken(row.name, text)
                elif verdict == "skipped":
                    report.skip(row.name, text)
                else:
                    report.ok(row.name)
    finally:
        if root:
            shutil.rmtree(root, ignore_errors=True)
    report.say("", *map(tap.one_line, lines))
    if not args.names:
        report.figure("rows of refused variables")
    return report.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        namespace.inside(measure)
    else:
        sys.exit(main())

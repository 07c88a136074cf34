"""check_readme.py ROOT BUILD_DIR TOOL: the README says what is true now.

- Every command of the tool in it runs, in its order, in a directory where the tool stands at its place; a
  block of JSON is the policy.json of the commands behind it, and a block behind "prints:" is what the
  command before it prints.
- Every script it names is there, and knows the options and the suites that it is named with.
- What it counts is counted: the targets of the fuzzers, the planted bugs, the provider's mutants, the
  public headers.

It speaks TAP: what cannot be run, for want of a PID namespace, is told as skipped.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import readme

HERE = pathlib.Path(__file__).resolve()
sys.path += [str(HERE.parents[1] / "shells"), str(HERE.parents[2] / "scripts")]
import meson_info  # noqa: E402
import namespace  # noqa: E402
import tap  # noqa: E402

TOOL = "scripts/sandproof"
INLINE = re.compile(r"`(scripts/[^`]+)`")
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
sixteen seventeen eighteen nineteen twenty".split()

# What is said besides, so that it ends, what it then ends with, and whether it is to be alone: the first
# that fits. What the doctor says depends on whether the machine has the runner that it names.
ANSWERS = {
    "egress compare": ("", (1,), False),
    "egress watch": (" --count 1", (2,), False),
    "check session-id": ("", (0,), False),
    "check path": ("", (1,), False),
    "check session-env": ("", (1,), False),
    "check domain": ("", (0,), False),
    "check deadline": ("", (0,), False),
    "doctor": ("", (1, 2), True),
    "run": ("", (124,), True),
}


class Page:
    def __init__(self, root, build_dir, tool):
        self.root, self.build_dir = root, build_dir
        self.readme = root / "README.md"
        self.text = self.readme.read_text("utf-8")
        self.tool = tool
        self.problems = []
        self.checked = 0
        self.no_namespace = namespace.missing()
        self.skips = []  # what was not run, for want of one

    def expect(self, holds, problem):
        self.checked += 1
        if not holds:
            self.problems.append(problem)

    def tell(self, report):
        """All that holds is one result, and so is each that does not or was skipped."""
        summary = f"{self.checked - len(self.problems)} of {self.checked} hold, {len(self.skips)} skipped"
        if not self.problems:
            report.ok(summary)
        for problem in self.problems:
            title, _, more = problem.partition("\n")
            report.broken(title, more)
        for each in self.skips:
            report.skip(each, self.no_namespace)
        report.say(summary)
        return report.finish()


def is_json(text):
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def run(command, directory, alone=False):
    """What a command prints and how it ends. It is the README's text, so a shell reads it. Alone: a wrapper
    kills its process group, and what it can see must be its own."""
    script = ["sh", "-c", command]
    done = subprocess.run(
        [*namespace.UNSHARE, *script] if alone else script,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_commands(page, directory):
    """Commands of the tool: alone on a line of a block, or as code in the paragraph before a block."""
    printed = None
    blocks = readme.blocks(page.readme)
    # The policy of the first command stands behind it.
    (directory / "policy.json").write_text(next(block.text for block in blocks if is_json(block.text)))
    for block in blocks:
        where = f"{page.readme.name}:{block.line}"
        for command in INLINE.findall(block.before):
            if command.startswith(TOOL) and block.before.endswith("prints:"):
                printed = command
        if block.language == "sh" and TOOL in block.text:
            run_script(page, block, directory, where)
        elif is_json(block.text):
            (directory / "policy.json").write_text(block.text)
        elif block.before.endswith("prints:") and not block.text.startswith("scripts/"):
            page.expect(printed, f"{where}: nothing stands before this that could print it")
            _, out, err = run(printed or "true", directory)
            page.expect(out == block.text and not err, f"{where}: {printed} prints now:\n{out}{err}")
        else:
            for command in block.text.splitlines():
                if not command.startswith(TOOL):
                    continue
                printed = command
                check_command(page, command, directory, where)


def check_command(page, command, directory, where):
    """It is a command of the tool, and answers: what it needs besides the tool is not there."""
    words = command.removeprefix(TOOL).lstrip()
    answer = next((answer for name, answer in ANSWERS.items() if words.startswith(name)), None)
    if answer is None:
        page.expect(False, f"{where}: {command}: say in ANSWERS what it ends with")
        return
    more, statuses, alone = answer
    if alone and page.no_namespace:
        page.skips.append(f"{where}: {words.split()[0]}")
        return
    status, _, err = run(f"{command}{more}", directory, alone)
    page.expect(status in statuses, f"{where}: {command}: status {status}: {err}")


def run_script(page, block, directory, where):
    """A script whose last line, a comment, is what the line before it prints."""
    if page.no_namespace:
        page.skips.append(f"{where}: the script")
        return
    *_, comment = block.text.splitlines()
    status, out, err = run(block.text, directory, alone=True)
    page.expect(comment == f"# {out.strip()}", f"{where}: status {status}, it prints now:\n{out}{err}")


def check_scripts(page):
    """Scripts named in code are there, and each option stands in what the script's --help says."""
    suites = meson_info.suites(page.build_dir)
    named = INLINE.findall(page.text) + re.findall(r"^    (scripts/.*)$", page.text, re.MULTILINE)
    for command in named:
        script, *words = command.split()
        path = page.root / script
        if path.suffix:  # what a command reads
            page.expect(path.is_file(), f"{script} is no file")
            continue
        page.expect(os.access(path, os.X_OK), f"{script} is no program")
        if script == TOOL or not path.is_file():
            continue
        options = [word for word in words if word.startswith("--")]
        if options:
            _, out, _ = run(f"{path} --help", page.root)
            for option in options:
                page.expect(option in out, f"{script} --help does not know {option}")
        if script == "scripts/test":
            for word in words:
                page.expect(word in suites or word == "SUITE...", f"there is no suite {word}")


def check_counts(page):
    targets = len(list((page.root / "fuzz").glob("*_fuzzer.cc")))
    page.expect(f"| {NUMBERS[targets]} fuzz targets " in page.text, f"there are {targets} fuzz targets")
    planted = len(list((page.root / "fuzz/planted").glob("*.patch")))
    page.expect(f"| {planted} planted bugs" in page.text, f"there are {planted} planted bugs")
    mutants = len(list((page.root / "props/provider/mutants").glob("*.patch")))
    page.expect(f"| {mutants} mutants of the provider," in page.text, f"the provider has {mutants} mutants")
    table = page.text.split("| header | decides |")[1].split("\n\n")[0]
    named = set(re.findall(r"`(\w+\.h)`", table))
    core = {file.stem for file in (page.root / "src/core").glob("*.cc")}
    headers = {file.name for file in (page.root / "include/sandproof").glob("*.h") if file.stem in core}
    page.expect(headers <= named, f"the table of headers lacks {sorted(headers - named)}")
    there = {file.name for file in (page.root / "include/sandproof").glob("*.h")}
    page.expect(named <= there, f"the table of headers has {sorted(named - there)}, which are not there")


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: check_readme.py ROOT BUILD_DIR TOOL")
    page = Page(*(pathlib.Path(each).resolve() for each in sys.argv[1:]))
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "scripts").mkdir()
        (directory / TOOL).symlink_to(page.tool)
        run_commands(page, directory)
    check_scripts(page)
    check_counts(page)
    sys.exit(page.tell(tap.Report(tap=True)))


if __name__ == "__main__":
    main()

"""Whether the fuzzers find bugs: each patch of fuzz/planted/ is one, and names the target that must find it.

planted.py [--seconds N] [--jobs J] [--meson OPTION]... ROOT [NAME...]

One copy of the sources and one build directory, both below build/fuzz-planted. A patch is applied to the
copy, its target is rebuilt there, and runs from the seeds of corpus/ alone, on one core, until it crashes.
The crash must be a check that failed, or a sanitizer's or the standard library's report about the sources
of the library, and the same target without the patch must take the same input.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

from fuzzing.crashes import escaped
from fuzzing.target import Budget, LibFuzzer, Places

SUFFIX = "_fuzzer"
SHOWN = 100  # characters of what a check said
GOOD_SECONDS = 300  # more than any target needs for its seeds

CHECK = re.compile(r"^.*/([^/]+:\d+): FUZZ_CHECK failed: (.*)$")
UNDEFINED = re.compile(r"^.*/tree/(src/\S+?:\d+):\d+: runtime error: (.*)$")
# AddressSanitizer, the standard library's own checks, which this build has, and what it throws.
TRAPPED = re.compile(
    r"^==\d+==ERROR: AddressSanitizer: (?P<memory>[\w-]+)"
    r"|^.*: Assertion '(?P<condition>.*)' failed\.$"
    r"|^terminate called after throwing an instance of '(?P<exception>.*)'$"
)
FRAME = re.compile(r"^\s*#\d+ .*/tree/(src/\S+?:\d+)")  # of the library or the tool


class Failure(Exception):
    """A step that should have worked did not."""


@dataclasses.dataclass(frozen=True)
class Bug:
    patch: pathlib.Path
    target: str

    @property
    def name(self):
        return self.patch.stem


def read_bug(patch):
    match = re.search(r"^Found by: (\w+)$", patch.read_text("utf-8"), re.MULTILINE)
    if not match:
        raise Failure(f"{patch.name} does not say which target finds it")
    return Bug(patch, match[1] + SUFFIX)


def bugs_of(root, names):
    patches = {patch.stem: patch for patch in sorted((root / "fuzz" / "planted").glob("*.patch"))}
    names = [name.removesuffix(".patch") for name in names] or list(patches)
    if unknown := [name for name in names if name not in patches]:
        print(f"no planted bug {unknown[0]}; there are: {' '.join(patches)}", file=sys.stderr)
        sys.exit(2)
    return [read_bug(patches[name]) for name in names]


def run(command, **options):
    """What a command printed; it must succeed."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed:\n{output[-4000:]}")
    return output


class Workshop:
    """The copy of the sources, and what is built of it."""

    def __init__(self, root, meson):
        self.work = root / "build" / "fuzz-planted"
        self.tree, self.build_dir, self.meson = self.work / "tree", self.work / "build", meson
        self.root, self.lock = root, threading.Lock()
        listed = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", ":!corpus"], cwd=root)
        files = [root / name for name in listed.split("\0") if name]
        self.pristine = {file.relative_to(root): file.read_bytes() for file in files if file.is_file()}

    def restore(self):
        """Brings the copy to what the checkout was. Only what differs is written, so little is rebuilt."""
        for file in self.tree.rglob("*"):
            if file.is_file() and file.relative_to(self.tree) not in self.pristine:
                file.unlink()
        for name, content in self.pristine.items():
            file = self.tree / name
            if not file.is_file() or file.read_bytes() != content:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            shutil.copymode(self.root / name, file)

    def configure(self):
        stamp = self.build_dir / ".configured"
        wanted = " ".join(self.meson)
        if stamp.is_file() and stamp.read_text() == wanted:
            return
        shutil.rmtree(self.build_dir, ignore_errors=True)
        compilers = {"CC": "clang-19", "CXX": "clang++-19"}
        run(["meson", "setup", *self.meson, self.build_dir, self.tree], env=os.environ | compilers)
        stamp.write_text(wanted)

    def build(self, targets):
        run(["nice", "-n", "10", "ninja", "-C", self.build_dir, *[f"fuzz/{target}" for target in targets]])

    def good(self, target):
        """The target without a bug; it has its own name, because that is how a target finds its parts."""
        return self.work / "good" / target

    def prepare(self, targets):
        """Builds the targets without a bug. What they say of their own seeds would count for every bug."""
        self.restore()
        self.configure()
        self.build(targets)
        self.good("").mkdir(exist_ok=True)
        for target in targets:
            shutil.copy2(self.build_dir / "fuzz" / target, self.good(target))

    def plant(self, bug, directory):
        """Builds a bug's target with the bug, into a directory of its own; the copy is shared."""
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        with self.lock:
            self.restore()
            with bug.patch.open("rb") as text:
                run(["patch", "-p1", "-F0", "--forward", "--batch", "-r", "-"], cwd=self.tree, stdin=text)
            self.build([bug.target])
            return shutil.copy2(self.build_dir / "fuzz" / bug.target, directory)


class Hunt(LibFuzzer):
    """A target with a bug: it starts from the seeds, and what it finds stays with it."""

    def command(self):
        here = pathlib.Path(self.file).parent
        found = here / "corpus"
        found.mkdir(exist_ok=True)
        flags = {"print_final_stats": 1, "timeout": 25, "seed": 1, "max_total_time": self.budget.seconds}
        flags |= self.flags() | {"artifact_prefix": f"{here}/{self.name}-"}
        command = [self.file, *(f"-{flag}={value}" for flag, value in flags.items())]
        return [*command, found, self.places.seeds(self.name)]

    def wait(self):
        self.start()
        while self.ended is None:
            time.sleep(0.05)
            if self.overdue():
                self.stop()
        return self.ended - self.started

    def complaint(self):
        """What a check or a sanitizer said first, or nothing: then whatever ended it was something else."""
        for number, line in enumerate(self.tail):
            for check in (CHECK, UNDEFINED):
                if match := check.match(line):
                    return f"{match[1]}: {match[2]}"
            frames = filter(None, map(FRAME.match, self.tail[number:]))
            if (match := TRAPPED.match(line)) and (frame := next(frames, None)):
                return f"{frame[1]}: {match[match.lastgroup]}"
        return None


def passes(file, inputs, environment):
    """Whether a target takes these inputs, files or directories of them."""
    command = [str(file), "-runs=0", *map(str, inputs)]
    try:
        replay = subprocess.run(
            command,
            env=environment,
            cwd=file.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=GOOD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return replay.returncode == 0


@dataclasses.dataclass
class Answer:
    found: bool
    seconds: str = "-"
    runs: str = "-"
    said: str = ""


def judge(workshop, places, bug, budget):
    directory = workshop.work / "bugs" / bug.name
    try:
        file = pathlib.Path(workshop.plant(bug, directory))
    except Failure as failure:
        print(f"\n{bug.name}: {failure}\n", file=sys.stderr, flush=True)
        return Answer(False, said="it does not apply or does not compile")
    hunt = Hunt(places, file, budget)
    seconds = hunt.wait()
    said = hunt.complaint() if hunt.crashes else None
    answer = Answer(said is not None, f"{seconds:.1f}", str(hunt.runs), escaped(said or "nothing found"))
    if hunt.crashes and said is None:
        answer.said = "it ended otherwise: " + escaped(next((line for line in hunt.tail if "ERROR" in line), "?"))
    elif said and not passes(workshop.good(bug.target), hunt.crashes[:1], hunt.whole_environment()):
        answer = dataclasses.replace(answer, found=False, said="it fails without the bug too: " + answer.said)
    if answer.found:
        shutil.rmtree(directory)
    return answer


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--meson", action="append", default=[])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    arguments = parsed()
    budget, places = Budget(arguments.seconds), Places(arguments.root)
    bugs = bugs_of(arguments.root, arguments.names)
    targets = sorted({bug.target for bug in bugs})
    workshop = Workshop(arguments.root, arguments.meson)
    print(f"Building {len(targets)} targets without a bug first.", flush=True)
    workshop.prepare(targets)
    for target in targets:
        environment = Hunt(places, workshop.good(target), budget).whole_environment()
        if not passes(workshop.good(target), [places.seeds(target)], environment):
            sys.exit(f"{target} fails on its seeds without any bug: run scripts/fuzz {target}")

    width, target_width = max(len(bug.name) for bug in bugs), max(map(len, targets))
    line = f"{{:{width}}}  {{:{target_width}}}  {{:>7}}  {{:>10}}  {{:8}}  {{}}"
    print(line.format("bug", "target", "seconds", "executions", "", "what said so first"), flush=True)
    survivors = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = {pool.submit(judge, workshop, places, bug, budget): bug for bug in bugs}
        for done in concurrent.futures.as_completed(waiting):
            bug, answer = waiting[done], done.result()
            survivors += not answer.found
            state = "found" if answer.found else "SURVIVED"
            row = line.format(bug.name, bug.target, answer.seconds, answer.runs, state, answer.said[:SHOWN])
            print(row.rstrip(), flush=True)
    print(f"\n{len(bugs) - survivors} found, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(str(failure))

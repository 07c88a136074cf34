"""Mutates the library and says what the tests do not notice; scripts/mutate calls it.

run_mutants.py [--jobs N] [--sample N [--seed S]] [--report] [--list] [--provider]
               ROOT BUILD WORK [FILE...]
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import time

from mutation import operators, results, runs
from mutation.trial import Trial

ROOMS = ("src/core", "src/provider")
LIST = "scripts/mutation/equivalent.txt"
EVERY = 10  # seconds between lines of progress, where they are not written over


def say(text):
    print(f"scripts/mutate: {text}", file=sys.stderr, flush=True)


class Project:
    """The files that are mutated, their mutants, and which of those are argued to be equivalent."""

    def __init__(self, root):
        self.root = root
        self.texts = {
            str(path.relative_to(root)): path.read_text("utf-8")
            for room in ROOMS
            for path in sorted((root / room).iterdir())
            if path.suffix in (".cc", ".h")
        }
        headers = [path.read_text("utf-8") for path in (root / "include/sandproof").glob("*.h")]
        following = operators.enumerators([*headers, *self.texts.values()])
        self.mutants = {
            file: operators.mutants(file, text, following) for file, text in self.texts.items()
        }
        entries = results.read_equivalents((root / LIST).read_text("utf-8"))
        self.equivalent, self.wrong = results.match_equivalents(entries, self.mutants)


class Progress:
    """One line: how far it is, and how long it may still take."""

    def __init__(self, total):
        self.total, self.done, self.survived = total, 0, 0
        self.started = self.told = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def tell(self, outcome):
        self.done += 1
        self.survived += outcome == results.SURVIVED
        now = time.monotonic()
        if now - self.told < (0.2 if self.terminal else EVERY) and self.done < self.total:
            return
        self.told = now
        left = (now - self.started) / self.done * (self.total - self.done)
        text = f"{self.done} of {self.total} mutants tried, {self.survived} survived"
        if self.done < self.total:
            text += f", about {left / 60:.0f} min left" if left >= 90 else f", about {left:.0f} s left"
        if self.terminal:
            end = "\n" if self.done == self.total else ""
            print(f"\r\033[K  {text}", end=end, file=sys.stderr, flush=True)
        else:
            say(text)


def digest_of_tests(root):
    """Of every file that a test is made of: who survived other tests may not survive these."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate",
         "props", "fuzz", "corpus"], cwd=root, capture_output=True, check=True).stdout
    digest = hashlib.sha256()
    for name in sorted(filter(None, names.split(b"\0"))):
        path = root / os.fsdecode(name)
        if path.is_file():
            digest.update(name + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def outcomes(project, known, files):
    """(mutant, outcome, by what) of every mutant of some files."""
    for file in files:
        text_hash = operators.text_hash(project.texts[file])
        for mutant in project.mutants[file]:
            if mutant in project.equivalent:
                yield mutant, results.EQUIVALENT, ""
            else:
                yield mutant, *(known.find(text_hash, mutant) or (results.UNKNOWN, ""))


def drawn(order, count, became):
    """The first of some mutants, until so many are judged, or have yet to be tried."""
    chosen, left = [], count
    for mutant in order:
        if left == 0:
            break
        chosen.append(mutant)
        left -= became[mutant] not in (results.REFUSED, results.EQUIVALENT)
    return chosen


def try_all(project, known, build, todo, jobs):
    """Tries mutants, a file at a time; two files side by side, since each waits for a link at times."""
    by_file = {}
    for mutant in todo:
        by_file.setdefault(mutant.file, []).append(mutant)
    progress = Progress(len(todo))
    programs = runs.programs(build.dir)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, \
         concurrent.futures.ThreadPoolExecutor(min(jobs, len(by_file))) as outer:
        def one(file):
            Trial(build, programs, known, file, project.texts[file], project.mutants[file],
                  by_file[file], progress.tell).run(pool)
        waiting = [outer.submit(one, file) for file in by_file]
        try:
            for each in concurrent.futures.as_completed(waiting):
                each.result()
        except KeyboardInterrupt:
            _stop("stopped; the next run goes on from here", 130)
        except RuntimeError as error:
            _stop(str(error), 2)


def _stop(text, status):
    """Ends now, with what is running: the threads would go on to the last mutant."""
    say(text)
    sys.stdout.flush()
    os._exit(status)


def table(project, known, files):
    """A row a file: the score is of those that compile and are not argued to be equivalent."""
    rows = [("file", "mutants", "killed", "of them overdue", "survived", "equivalent",
             "did not compile", "not tried", "score")]
    sums = {}
    for file in files:
        counts = {}
        for _, outcome, _ in outcomes(project, known, [file]):
            counts[outcome] = counts.get(outcome, 0) + 1
        rows.append(_row(file, counts))
        room = sums.setdefault(os.path.dirname(file), {})
        for outcome, count in counts.items():
            room[outcome] = room.get(outcome, 0) + count
    rows += [_row(f"{room} together", counts) for room, counts in sums.items()]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        yield "  ".join([row[0].ljust(widths[0]), *cells])


def _row(name, counts):
    get = lambda outcome: counts.get(outcome, 0)
    killed = get(results.KILLED) + get(results.OVERDUE)
    judged = killed + get(results.SURVIVED)
    score = f"{100 * killed / judged:.1f} %" if judged else "-"
    numbers = (sum(counts.values()), killed, get(results.OVERDUE), get(results.SURVIVED),
               get(results.EQUIVALENT), get(results.REFUSED), get(results.UNKNOWN))
    return (name, *map(str, numbers), score)


def judge(project, known, files, chosen):
    """Prints those that survived; returns how many were killed and how many were not."""
    killed = survived = 0
    for mutant, outcome, _ in outcomes(project, known, files):
        if mutant not in chosen:
            continue
        killed += outcome in (results.KILLED, results.OVERDUE)
        if outcome == results.SURVIVED:
            survived += 1
            print(f"{mutant.file}:{mutant.line}: survived [{mutant.operator}]\n"
                  f"  - {mutant.before}\n  + {mutant.after}")
    return killed, survived


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--provider", action="store_true")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    return parser.parse_args()


def chosen_files(project, arguments):
    if not arguments.files:
        rooms = ROOMS if arguments.provider or arguments.report else ROOMS[:1]
        return [file for file in project.texts if os.path.dirname(file) in rooms]
    for file in arguments.files:
        if file not in project.texts:
            say(f"{file} is no file of {' or '.join(ROOMS)}")
            sys.exit(2)
    return arguments.files


def main():
    arguments = parsed()
    try:
        project = Project(arguments.root)
    except results.Malformed as error:
        say(f"{LIST}: {error}")
        return 1
    files = chosen_files(project, arguments)
    if arguments.list:
        for file in files:
            for mutant in project.mutants[file]:
                word = " equivalent" if mutant in project.equivalent else ""
                print(f"{file}:{mutant.line}: [{mutant.operator}]{word}\n"
                      f"  - {mutant.before}\n  + {mutant.after}")
        return 0
    known = results.Results(arguments.work / "results.jsonl", digest_of_tests(arguments.root))
    chosen = [mutant for file in files for mutant in project.mutants[file]]
    order, count = chosen, len(chosen)
    if arguments.sample:
        seed = random.randrange(1000000) if arguments.seed is None else arguments.seed
        say(f"a sample of {arguments.sample} of {count} mutants; again: --seed {seed}")
        order, count = random.Random(seed).sample(chosen, count), arguments.sample
    build = None
    while True:
        became = {mutant: outcome for mutant, outcome, _ in outcomes(project, known, files)}
        chosen = drawn(order, count, became)
        todo = [mutant for mutant in chosen if became[mutant] == results.UNKNOWN]
        if arguments.report or not todo:
            break
        build = build or runs.Build(arguments.root, arguments.build, arguments.work, arguments.jobs)
        if reason := build.cage.missing():
            say(f"no mutant is let loose without namespaces of its own: {reason}")
            print(f"0 passed, 0 failed, {len(todo)} skipped")
            return 0
        try_all(project, known, build, todo, arguments.jobs)
    for line in table(project, known, files) if arguments.report else ():
        print(line)
    killed, survived = judge(project, known, files, set(chosen))
    for each in project.wrong:
        print(f"{LIST}, {each}")
    failed = survived + len(project.wrong)
    print(f"{killed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

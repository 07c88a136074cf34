"""What the seeds of the fuzzers cover, whether they miss more than is known, and whether the README says
the same; scripts/coverage calls it.

coverage_report.py [--all] [--list] ROOT BUILD_DIR REPLAY...
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

from fuzzing import coverage

GATED = "src/core"
DIRECTORIES = (GATED, "include/sandproof", "src/patterns", "src/provider")
KNOWN = "fuzz/uncovered.txt"
README = "README.md"


@dataclasses.dataclass
class Known:
    """One entry of the list of what is not covered, for a reason."""

    number: int  # of its line in the list
    path: str
    text: str
    outcomes: list
    reason: str = ""


class Unreadable(Exception):
    pass


def read_known(file):
    entries = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            path, colon, text = line.partition(": ")
            if not colon:
                raise Unreadable(f"{KNOWN}:{number}: not PATH: LINE: {line}")
            entries.append(Known(number, path, text.strip(), []))
        elif not entries:
            raise Unreadable(f"{KNOWN}:{number}: of no line: {line}")
        elif entries[-1].reason or line.startswith("  because "):
            entries[-1].reason += line
        else:
            entries[-1].outcomes.append(line.strip())
    for entry in entries:
        if not entry.reason or not entry.outcomes:
            raise Unreadable(f"{KNOWN}:{entry.number}: what is not covered, and because of what?")
    return entries


def problems_of(root, misses, entries):
    """What is missed and not listed, and what is listed and not missed. Each entry stands for one line:
    where a text stands in a file twice, so may an entry."""
    listed = collections.defaultdict(list)
    for entry in entries:
        for outcome in entry.outcomes:
            listed[entry.path, entry.text, outcome].append(entry.number)
    for miss in misses:
        numbers = listed[miss.path, miss.text, miss.outcome]
        if numbers:
            numbers.pop()
        else:
            yield f"not covered, and not in {KNOWN}:\n  {miss}"
    for (path, text, outcome), numbers in listed.items():
        for number in numbers:
            yield f"{KNOWN}:{number}: {_why_stale(root / path, text)}\n  {path}: {outcome}\n    {text}"


def _why_stale(file, text):
    if not file.is_file():
        return "there is no such file"
    if text not in (line.strip() for line in file.read_text("utf-8").splitlines()):
        return "there is no such line"
    return "it is covered, or nothing that could be"


def totals_of(files):
    """For each measure, how much all of them cover, of how much."""
    totals = [(0, 0)] * len(coverage.MEASURES)
    for file in files:
        totals = [(a + c, b + d) for (a, b), (c, d) in zip(totals, file.counts())]
    return totals


def sentence_of(files):
    """What the README has to say of them."""
    of = {name: f"{covered} of {all_}" for name, (covered, all_) in zip(coverage.MEASURES, totals_of(files))}
    return (f"the seeds alone cover {of['lines']} lines, {of['branches']} branches and {of['MC/DC']} conditions "
            "(MC/DC) of the core")


def table_of(title, files):
    header = [title, *(word for name in coverage.MEASURES for word in (name, "%"))]
    rows = [[file.path.removeprefix(title + "/"), *_cells(file.counts())] for file in files]
    rows = [header, *rows, ["total", *_cells(totals_of(files))]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    for row in rows:
        name = row[0].ljust(widths[0])
        yield "  ".join([name] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])


def _cells(counts):
    for covered, all_ in counts:
        # 100 is said of all only.
        share = "-" if all_ == 0 else "100" if covered == all_ else f"{covered * 1000 // all_ / 10:.1f}"
        yield from (f"{covered}/{all_}", share)


def replay(root, program, profile):
    """Runs a target on its seeds, and on nothing else."""
    seeds = root / "corpus" / program.name.replace("_replay", "_fuzzer")
    environment = os.environ | {"LLVM_PROFILE_FILE": str(profile)}
    run = subprocess.run(
        [program, seeds],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if run.returncode != 0:
        sys.stderr.buffer.write(run.stdout)
        raise SystemExit(f"{program.name} failed on its seeds (status {run.returncode})")


def profile_of(root, build_dir, programs):
    raw = build_dir / "profiles"
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir()
    profiles = [raw / f"{program.name}.profraw" for program in programs]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda pair: replay(root, *pair), zip(programs, profiles)))
    merged = build_dir / "corpus.profdata"
    subprocess.run(["llvm-profdata-19", "merge", "-o", merged, *profiles], check=True)
    return merged


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build_dir", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    return parser.parse_args()


def main():
    arguments = parsed()
    root, build_dir = arguments.root, arguments.build_dir
    try:
        entries = read_known(root / KNOWN)
        page = (root / README).read_text("utf-8")
    except (OSError, UnicodeDecodeError, Unreadable) as error:
        print(error, file=sys.stderr)
        return 2
    profile = profile_of(root, build_dir, arguments.programs)
    files = coverage.read(root, arguments.programs, profile, DIRECTORIES)
    shown = DIRECTORIES if arguments.all else (GATED,)
    below = {each: [file for file in files if file.path.startswith(each + "/")] for each in DIRECTORIES}
    for directory in shown:
        print("\n".join(table_of(directory, below[directory])) + "\n")
    if arguments.list:
        for miss in sorted(miss for each in shown for file in below[each] for miss in file.misses()):
            print(miss)
        print()
    html = build_dir / "html"
    shutil.rmtree(html, ignore_errors=True)
    coverage.write_html(arguments.programs, profile, html, [root / each for each in DIRECTORIES])
    print(f"line by line: {html / 'index.html'}")

    misses = sorted(miss for file in below[GATED] for miss in file.misses())
    problems = list(problems_of(root, misses, entries))
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} of the misses of {GATED} and of {KNOWN} do not agree")
    else:
        print(f"{GATED}: everything is covered but the {len(misses)} misses that {KNOWN} gives reasons for")
    sentence = sentence_of(below[GATED])
    told = f"| {sentence};" in page
    if not told:
        print(f"{README} says otherwise; it has to say:\n| {sentence};")
    return 0 if told and not problems else 1


if __name__ == "__main__":
    sys.exit(main())

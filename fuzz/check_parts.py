"""check_parts.py FUZZ_DIR CORPUS_DIR TARGET...: every target has all its parts, every part a target.

Meson's list of targets is the only one; this fails when a target lacks its seeds, its dictionary or
its options, and when a file or a directory belongs to no target of the list.
"""

import configparser
import pathlib
import re
import sys

# One entry of a dictionary as libFuzzer reads it: NAME="VALUE", escapes \\, \" and \xAB.
ENTRY = re.compile(r'(\w+=)?"([ -!#-\[\]-~]|\\["\\]|\\x[0-9a-fA-F]{2})+"')
MAX_SEED = 16384
MAX_NAME = 80


def problems_of_dictionary(file):
    entries = 0
    for number, line in enumerate(file.read_text("ascii").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        entries += 1
        if not ENTRY.fullmatch(line):
            yield f"{file.name}:{number}: not an entry of a dictionary: {line}"
    if entries == 0:
        yield f"{file.name} has no entry"


def problems_of_options(file):
    options = configparser.ConfigParser(interpolation=None)
    try:
        options.read_string(file.read_text("ascii"))
    except configparser.Error as error:
        yield f"{file.name}: {error}"
        return
    if not options.get("libfuzzer", "max_len", fallback="").isdigit():
        yield f"{file.name} sets no max_len under [libfuzzer]"


def problems_of_seeds(directory):
    seeds = sorted(directory.iterdir())
    if not seeds:
        yield f"{directory.name} has no seed"
    for seed in seeds:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_.-]*", seed.name) or len(seed.name) > MAX_NAME:
            yield f"{directory.name}/{seed.name}: not a readable name"
        elif re.fullmatch(r"[0-9a-f]{16,}", seed.name):
            yield f"{directory.name}/{seed.name}: a hash says nothing; name what the input shows"
        elif not seed.is_file():
            yield f"{directory.name}/{seed.name} is not a file"
        elif seed.stat().st_size > MAX_SEED:
            yield f"{directory.name}/{seed.name} is over {MAX_SEED} bytes"


def problems_of(target, fuzz_dir, corpus_dir):
    parts = {
        fuzz_dir / f"{target}_fuzzer.cc": lambda file: (),
        fuzz_dir / f"{target}.dict": problems_of_dictionary,
        fuzz_dir / f"{target}.options": problems_of_options,
        corpus_dir / f"{target}_fuzzer": problems_of_seeds,
    }
    for part, problems in parts.items():
        if part.exists():
            yield from problems(part)
        else:
            yield f"{target} has no {part.name}"


def orphans(fuzz_dir, corpus_dir, targets):
    for directory, pattern, suffix in (
        (fuzz_dir, "*_fuzzer.cc", "_fuzzer.cc"),
        (fuzz_dir, "*.dict", ".dict"),
        (fuzz_dir, "*.options", ".options"),
        (corpus_dir, "*", "_fuzzer"),
    ):
        for part in sorted(directory.glob(pattern)):
            if not part.name.endswith(suffix) or part.name.removesuffix(suffix) not in targets:
                yield f"{directory.name}/{part.name} belongs to no target"


def main():
    fuzz_dir, corpus_dir, targets = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    problems = [p for target in targets for p in problems_of(target, fuzz_dir, corpus_dir)]
    problems += orphans(fuzz_dir, corpus_dir, targets)
    print("\n".join(problems) or f"{len(targets)} targets have all their parts")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

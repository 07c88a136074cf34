"""Grows corpus/ by what fuzzing has found, and drops of what it added before that is not needed now.

A seed is merged-NNNN when this added it. Those are always as few as reach all branches of the code that
they and what was found reach beyond the other seeds; the others, with names that people gave, are never
touched. What counts is the branch, not how often it is taken: a corpus in a repository stays small.
"""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile

from fuzzing.target import CRASH_KINDS, content_name

MERGED = re.compile(r"merged-(\d{4,})")
MAX_SEED = 16384  # fuzz/check_parts.py takes none larger


@dataclasses.dataclass
class Merge:
    kept: list
    added: list
    dropped: list
    crashed: list  # inputs that fail now: libFuzzer left them out

    def __str__(self):
        numbers = f"{len(self.added)} added, {len(self.dropped)} dropped, {len(self.kept)} kept"
        return numbers + (f"; {len(self.crashed)} FAILED" if self.crashed else "")


def merge(target):
    """Merges build/fuzz-corpus/TARGET into corpus/TARGET."""
    seeds = target.places.seeds(target.name)
    seeds.mkdir(exist_ok=True)
    merged = {content_name(file.read_bytes()): file for file in seeds.iterdir() if MERGED.fullmatch(file.name)}
    with tempfile.TemporaryDirectory() as scratch:
        union, candidates = pathlib.Path(scratch, "union"), pathlib.Path(scratch, "candidates")
        union.mkdir()
        candidates.mkdir()
        named = [file for file in seeds.iterdir() if not MERGED.fullmatch(file.name)]
        for file in named:
            shutil.copyfile(file, union / file.name)
        for file in [*target.places.found(target.name).iterdir(), *merged.values()]:
            try:
                data = file.read_bytes()
            except FileNotFoundError:  # a run that goes on has found a smaller one
                continue
            if len(data) <= MAX_SEED:
                (candidates / content_name(data)).write_bytes(data)
        crashed = _merge(target, union, candidates, pathlib.Path(scratch, "control"))
        given = {file.name for file in named}
        needed = {file.name: file.read_bytes() for file in union.iterdir() if file.name not in given}
    return _apply(seeds, merged, needed, crashed)


def _merge(target, union, candidates, control):
    """Has libFuzzer copy to union the few candidates that reach all branches that any reaches."""
    flags = target.flags() | {
        "set_cover_merge": 1,
        "use_counters": 0,
        "timeout": 25,
        "merge_control_file": control,
        "artifact_prefix": f"{target.places.crashes()}/{target.name}-",
    }
    crashes = target.places.crashes()
    before = set(crashes.iterdir())
    command = [target.file, *(f"-{flag}={value}" for flag, value in flags.items()), union, candidates]
    run = subprocess.run(
        [str(part) for part in command],
        env=target.whole_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if run.returncode != 0:
        raise RuntimeError(f"{target.name}: merging failed\n" + run.stdout.decode("utf-8", "replace")[-4000:])
    prefixes = tuple(f"{target.name}-{kind}-" for kind in CRASH_KINDS)
    return sorted(file for file in set(crashes.iterdir()) - before if file.name.startswith(prefixes))


def _apply(seeds, merged, needed, crashed):
    result = Merge(kept=[], added=[], dropped=[], crashed=crashed)
    for name, file in sorted(merged.items()):
        (result.kept if name in needed else result.dropped).append(file)
    number = max((int(MERGED.fullmatch(file.name)[1]) for file in merged.values()), default=0)
    for name in sorted(needed.keys() - merged.keys(), key=lambda name: (len(needed[name]), name)):
        number += 1
        file = seeds / f"merged-{number:04}"
        file.write_bytes(needed[name])
        result.added.append(file)
    for file in result.dropped:
        file.unlink()
    return result

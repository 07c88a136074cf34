"""run.py ROOT WORK_DIR [MUTANT...]: each mutant of the provider must be caught by the exhaustive check.

In a copy of the tree below WORK_DIR, applies one patch after another, builds the exhaustive check
and demands that it fails. Prints a line a mutant. The exit status is 1 if one survived.
"""

import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CHECK = "props/provider_exhaustive_props"
SECONDS = 600  # more than any run takes; a mutant that hangs is not caught by the monitor


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def demand(command, **options):
    done = run(command, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}")


def copy(root, tree):
    """The files that git knows, as they are now."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE, check=True)
    for name in filter(None, names.stdout.decode().split("\0")):
        if (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tree / name)


def build(directory):
    return run(["ninja", "-C", directory, CHECK])


def judge(directory):
    """(caught, what the check said first)."""
    try:
        done = run([directory / CHECK], timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False, f"the check did not end within {SECONDS} s"
    said = re.search(r"(?:invariant \d|model): [^\n]*", done.stdout)
    return done.returncode == 1 and said is not None, said[0] if said else done.stdout[-200:]


def main():
    root, work = map(pathlib.Path, sys.argv[1:3])
    chosen = sorted(HERE.glob("*.patch"))
    if sys.argv[3:]:
        chosen = [patch for patch in chosen if patch.stem in sys.argv[3:]]
    if not chosen:
        sys.exit("no such mutant")
    tree, directory = work / "tree", work / "build"
    shutil.rmtree(work, ignore_errors=True)
    tree.mkdir(parents=True)
    copy(root, tree)
    demand(["meson", "setup", directory, tree])
    demand(["ninja", "-C", directory, CHECK])
    survivors = 0
    for patch in chosen:
        number = patch.stem.split("-", 1)[0]
        with patch.open() as text:
            demand(["patch", "-p1", "--forward"], cwd=tree, stdin=text)
        built = build(directory)
        caught, said = judge(directory) if built.returncode == 0 else (False, "it did not compile")
        survivors += not caught
        print(f"{'caught' if caught else 'SURVIVED'}  invariant {number}  {patch.stem}: {said}", flush=True)
        with patch.open() as text:
            demand(["patch", "-p1", "--reverse"], cwd=tree, stdin=text)
    print(f"{len(chosen) - survivors} passed, {survivors} failed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())

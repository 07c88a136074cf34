"""check_planted.py ROOT TARGET...: each patch of fuzz/planted/ still is a bug in the sources as they are.

A patch says in its first line what is wrong, and in its second which target finds it. It applies with every
line of its context as it stands, and changes the library or the tool alone. Each source file of the core
has such a bug. Whether the targets find them takes long: scripts/fuzz --planted.
"""

import pathlib
import re
import shutil
import subprocess
import sys

HEADER = re.compile(r"(?P<says>[A-Z][^\n]{8,99}\.)\nFound by: (?P<target>\w+)\n\ndiff --git ")
CHANGED = re.compile(r"^\+\+\+ b/(.+)$", re.MULTILINE)
MAX_LINES = 30  # a plausible slip is small
SKIPPED = 77  # Meson's word for a test that cannot run here


def problems_of(patch, root, targets):
    text = patch.read_text("utf-8")
    header = HEADER.match(text)
    if not header:
        yield "begins with other lines than what is wrong, `Found by: TARGET`, an empty line, the difference"
    elif header["target"] not in targets:
        yield f"names {header['target']}, which is no target"
    if text.count("\n") > MAX_LINES:
        yield f"has more than {MAX_LINES} lines"
    if other := [name for name in CHANGED.findall(text) if not name.startswith("src/")]:
        yield f"changes {other[0]}, which is no source of the library or the tool"
    command = ["patch", "--dry-run", "-p1", "-F0", "--forward", "--batch", "-d", str(root)]
    applied = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if applied.returncode != 0:
        yield f"does not apply: {applied.stdout.strip()}"


def main():
    root, targets = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if not shutil.which("patch"):
        print("patch is not installed")
        return SKIPPED
    patches = sorted((root / "fuzz" / "planted").iterdir())
    problems = [f"{patch.name} {problem}" for patch in patches for problem in problems_of(patch, root, targets)]
    problems += [f"{patch.name} is no patch" for patch in patches if patch.suffix != ".patch"]
    changed = {name for patch in patches for name in CHANGED.findall(patch.read_text("utf-8"))}
    core = {str(file.relative_to(root)) for file in (root / "src" / "core").glob("*.cc")}
    problems += [f"no bug is planted in {name}" for name in sorted(core - changed)]
    print("\n".join(problems) or f"{len(patches)} bugs can be planted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

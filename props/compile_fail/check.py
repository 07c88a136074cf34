"""Compiles one file once for each of its cases and expects every one to fail for its stated reason.

usage: check.py FILE --include DIR -- COMPILER...

A case reads `#if CASE == N // error: REGEX`. The file without a case must compile, so that a case
can only fail because of what it adds. What the file includes is compiled once, before the cases.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def precompiled(command: list[str], text: str, place: str) -> list[str]:
    """The words that put what `text` includes in front of a file, from a header compiled beforehand."""
    header = pathlib.Path(place) / "included.h"
    header.write_text("".join(re.findall(r"^#include .+\n", text, re.M)), encoding="utf-8")
    subprocess.run([*command, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
    return ["-include", str(header)]


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        return check(place)


def check(place: str) -> int:
    words = sys.argv[1:]
    split = words.index("--")
    source, _, include = words[:split]
    compiler = words[split + 1:]
    command = [*compiler, "-std=c++23", f"-I{include}"]

    text = pathlib.Path(source).read_text(encoding="utf-8")
    cases = re.findall(r"^#if CASE == (\d+)  // error: (.+)$", text, re.M)
    numbers = [int(number) for number, _ in cases]
    if not cases or numbers != list(range(1, len(cases) + 1)):
        print(f"{source}: cases must be numbered from 1 without a gap, found {numbers}")
        return 1

    command += ["-fsyntax-only", *precompiled(command, text, place)]
    failed = 0
    for number, reason in [(0, ""), *cases]:
        run = subprocess.run([*command, f"-DCASE={number}", source], capture_output=True, text=True)
        compiles = run.returncode == 0
        if int(number) == 0:
            good = compiles
        else:
            good = not compiles and re.search(reason, run.stderr) is not None
        print(f"case {number}: {'as expected' if good else 'WRONG'}")
        if not good:
            failed += 1
            print(f"  wanted {'a clean compile' if int(number) == 0 else reason}; compiler said:")
            print(run.stderr or "  nothing: it compiled")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Counts instructions, and holds them to bench/counts.txt; scripts/bench --counts calls it.

run_counts.py [--record] ROOT BUILD PROGRAM
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from speed import counts, results

# So that the C library chooses the same functions on every machine: those that all have.
PLAIN = "glibc.cpu.hwcaps=" + ",".join(
    "-" + each for each in "AVX2 AVX AVX512F AVX512VL BMI1 BMI2 ERMS FSRM LZCNT MOVBE SSE4_2".split())


def count(program):
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory) / "out"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--combine-dumps=yes",
             f"--callgrind-out-file={out}", program],
            env={"PATH": os.environ["PATH"], "GLIBC_TUNABLES": PLAIN},
            capture_output=True, text=True, errors="backslashreplace", check=False)
        if done.returncode != 0:
            raise counts.NotCounted(f"{program.name} ended with status {done.returncode}"
                                    f"\n{done.stderr[-4000:]}")
        return counts.of_callgrind(out.read_text("utf-8"))


def main():
    record = sys.argv[1] == "--record"
    root, build, program = map(pathlib.Path, sys.argv[1 + record:])
    where = results.circumstances(root, build)
    where["libc"] = results.first_line("getconf", "GNU_LIBC_VERSION", cwd=root)
    table = root / "bench" / "counts.txt"
    if record:
        found = count(program)
        table.write_text(counts.write(where, found), "utf-8")
        print(f"{len(found)} counts recorded in {table.relative_to(root)}")
        return 0
    old = counts.read(table.read_text("utf-8"))
    counts.must_be_comparable(old, where)
    found = count(program)
    different = counts.differences(old, found)
    for line in different:
        print(line)
    if different:
        print("If that is meant: scripts/bench --counts --record")
    print(f"{len(found)} counts, {len(different)} not as recorded")
    return 1 if different else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (counts.Malformed, OSError) as error:
        print(f"bench/counts.txt: {error}; scripts/bench --counts --record writes it", file=sys.stderr)
    except counts.NotCounted as error:
        print(error, file=sys.stderr)
    sys.exit(2)

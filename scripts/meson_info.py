"""What a configured build directory holds, read from the files Meson keeps for tools (meson-info).

As a program: meson_info.py BUILD_DIR fuzzers|replays|benches|test-programs|archives|installed|suites,
one a line: suites by name, the others as paths relative to BUILD_DIR, which is what ninja calls them.
"""

import json
import os
import pathlib
import sys

TEST_PROGRAM = ("_props", "_replay")  # how the name of a program ends that is tests and nothing else


def _load(build_dir, name):
    return json.loads((pathlib.Path(build_dir) / "meson-info" / name).read_text("utf-8"))


def targets(build_dir, kind, suffix="", installed=False):
    """The paths, relative to build_dir, of Meson's targets of a kind whose name ends in suffix: all of
    them, or those that are installed."""
    top = os.path.realpath(build_dir)
    return [
        os.path.relpath(os.path.realpath(target["filename"][0]), top)
        for target in _load(build_dir, "intro-targets.json")
        if target["type"] == kind
        and target["name"].endswith(suffix)
        and (target["installed"] or not installed)
    ]


def tests(build_dir):
    """Every test as Meson describes it: name, suite, cmd, workdir, protocol, ..."""
    return _load(build_dir, "intro-tests.json")


def suites(build_dir):
    """The names of all suites."""
    return set().union(*(suites_of(test) for test in tests(build_dir)))


def options(build_dir):
    """The options of the build, by name."""
    return {each["name"]: each["value"] for each in _load(build_dir, "intro-buildoptions.json")}


def installed(build_dir):
    """Where each thing that is installed goes, and the options of the build, by name."""
    return list(_load(build_dir, "intro-installed.json").values()), options(build_dir)


def suites_of(test):
    """The suites of one test, without the project's name: "sandproof:props" -> "props"."""
    return {suite.split(":", 1)[1] for suite in test["suite"] if ":" in suite}


def main():
    build_dir, kind = sys.argv[1:]
    if kind == "fuzzers":
        names = targets(build_dir, "executable", "_fuzzer")
    elif kind == "replays":
        names = targets(build_dir, "executable", "_replay")
    elif kind == "benches":
        names = targets(build_dir, "executable", "_bench")
    elif kind == "test-programs":
        names = targets(build_dir, "executable", TEST_PROGRAM)
    elif kind == "archives":
        names = targets(build_dir, "static library", installed=True)
    elif kind == "installed":
        kinds = ("executable", "static library", "shared library", "custom")
        names = [name for each in kinds for name in targets(build_dir, each, installed=True)]
    elif kind == "suites":
        names = suites(build_dir)
    else:
        sys.exit(f"unknown kind {kind}")
    for name in sorted(names):
        print(name)


if __name__ == "__main__":
    main()

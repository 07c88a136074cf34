"""install_test.py ROOT BUILD_DIR: every file that is installed is in one Debian package.

What `meson install` would put below the prefix of BUILD_DIR is matched by exactly one pattern of ROOT's
debian/*.install, and each pattern matches something: dh_install and dh_missing end the build of the
packages otherwise. Each file of debian/*.docs is there. Then each slip of a table is made in what was
read, and must be noticed.
"""

import fnmatch
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import meson_info  # noqa: E402


def installed(build_dir):
    """The paths, as they are below Debian's root, of all that is installed; a directory is one."""
    places, options = meson_info.installed(build_dir)
    paths = []
    for path in places:
        below = pathlib.PurePath(path).relative_to(options["prefix"])
        if below.is_relative_to(options["libdir"]):
            below = "lib/TRIPLET" / below.relative_to(options["libdir"])
        paths.append(str("usr" / below))
    return paths


def patterns_of(root):
    """Each pattern, and the name of the file that it stands in."""
    found = []
    for file in sorted(root.glob("debian/*.install")):
        for line in file.read_text("utf-8").splitlines():
            words = line.split()
            # With more than one word, the last is where the others go.
            found += [(word, file.name) for word in words[:-1] or words]
    return found


def matches(path, pattern):
    """Whether pattern names the path, or a directory above it."""
    wanted, parts = pattern.split("/"), path.split("/")
    return len(wanted) <= len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted))


def problems_of(paths, patterns):
    problems = []
    for path in paths:
        of = [f"{file}: {pattern}" for pattern, file in patterns if matches(path, pattern)]
        if len(of) != 1:
            problems.append(f"{path} is installed, and " +
                            (f"matched more than once: {', '.join(of)}" if of else
                             "no debian/*.install has it: add it to that of its package"))
    problems += [f"{file}: {pattern}: nothing like that is installed" for pattern, file in patterns
                 if not any(matches(path, pattern) for path in paths)]
    return problems


def slips(paths, patterns):
    """Title, and what was read with one slip in it."""
    for one in patterns:
        yield f"without {one[0]}", paths, [each for each in patterns if each != one]
        yield f"{one[0]} in two packages", paths, [*patterns, (one[0], "another.install")]
    for one in ("usr/bin/sandproof-more", "usr/share/zsh/site-functions/_more", "usr/lib/TRIPLET/more.a"):
        yield f"{one} is installed too", [*paths, one], patterns
    for one in ("usr/bin/none", "usr/lib/libsandproof*.a", "usr/*/libsandproof.a"):
        yield f"a pattern {one}", paths, [*patterns, (one, "another.install")]


def main():
    root, build_dir = pathlib.Path(sys.argv[1]), sys.argv[2]
    paths, patterns = installed(build_dir), patterns_of(root)
    problems = problems_of(paths, patterns)
    for title, *read in slips(paths, patterns) if not problems else []:
        if not problems_of(*read):
            problems.append(f"this test does not notice: {title}")
    problems += [f"{file.name}: {name} is not there" for file in root.glob("debian/*.docs")
                 for name in file.read_text("utf-8").split() if not (root / name).is_file()]
    if not paths or not patterns:
        problems.append(f"{len(paths)} paths are installed, and {len(patterns)} patterns take them")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(paths)} paths, each in one package")


if __name__ == "__main__":
    main()

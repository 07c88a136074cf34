"""c_abi.py ROOT [--record | --check-itself]: scripts/abi, which says what it does.

The header is compiled as C, each declaration made a definition, into a shared library that does
nothing. abidw describes that one better than the real one: what the opaque objects hold, which is
C++, is in neither its functions nor its dump. Constants are no part of what libabigail reads, because
no function has their type; they are a list of names and numbers beside it.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HEADER = "include/sandproof/sandproof.h"
EXPORTS = "src/c/exports.map"
FUNCTIONS = "src/c/abi/functions.xml"
CONSTANTS = "src/c/abi/constants.txt"
BUILD = "meson.build"
SYMBOLS = "debian/libsandproof-c{}.symbols"
DESCRIBE = ["abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed",
            "--no-architecture", "--type-id-style", "hash"]
COMPARE = ["abidiff", "--no-added-syms", "--no-architecture", "--no-corpus-path", "--no-show-locs"]
UNREADABLE = 3  # the bits of abidiff's status that say it did not compare


class CannotTell(Exception):
    """Nothing was compared, and why."""


def output_of(command, directory=None):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="backslashreplace")
    if done.returncode != 0:
        raise CannotTell(f"{command[0]} failed (status {done.returncode}):\n{done.stdout}")
    return done.stdout


def read(path):
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotTell(f"{path} cannot be read ({error}); scripts/abi --record writes what is in "
                         "src/c/abi, and the symbols in debian") from error


def without_comments(code):
    return re.sub(r"/\*.*?\*/", "", code, flags=re.S)


def declared_functions(header):
    """The names of the functions that the text of the header declares, in its order."""
    return re.findall(r"^[a-z].*?\b(sandproof_\w+)\(", without_comments(header), re.M)


def symbol_version(exports):
    """The one version in the text of the map, SANDPROOF_N."""
    found = re.search(r"^(SANDPROOF_\d+) \{", exports, re.M)
    if found is None:
        raise CannotTell(f"{EXPORTS} has no version SANDPROOF_N")
    return found[1]


class Interface:
    """The C interface of a tree, compiled in `directory`: `library`, and `constants` by name."""

    def __init__(self, tree, directory):
        header = read(tree / HEADER)
        self.version = symbol_version(read(tree / EXPORTS))
        self.soname = soname_of(self.version)
        self.library = directory / self.soname
        (directory / "sandproof").mkdir()
        (directory / "sandproof/version.h").touch()  # says nothing but the library's version
        self._compile(header, directory, tree / EXPORTS)
        self.constants = self._values(header, directory)

    def _compile(self, header, directory, exports):
        source = directory / "functions.c"
        code, defined = re.subn(r"\)\s+SANDPROOF_NOEXCEPT;", ") { __builtin_trap(); }", header)
        source.write_text(code, "utf-8")
        output_of(["cc", "-std=c99", "-g", "-O0", "-shared", "-fPIC", "-I.", f"-Wl,-soname={self.soname}",
                   f"-Wl,--version-script={exports.resolve()}", "-o", self.soname, source.name],
                  directory)
        shown = output_of(["nm", "-D", "--defined-only", str(self.library)])
        self.functions = set(re.findall(r" T (\w+)@", shown))
        declared = declared_functions(header)
        if not defined == len(declared) == len(self.functions):
            raise CannotTell(f"{HEADER} was not understood: {len(declared)} functions declared, of "
                             f"which {defined} end in SANDPROOF_NOEXCEPT and {EXPORTS} shows "
                             f"{len(self.functions)}")

    @staticmethod
    def _values(header, directory):
        code = without_comments(header)
        names = [each.partition("=")[0].strip() for enum in
                 re.findall(r"^SANDPROOF_ENUM\s*\{(.*?)\};", code, re.M | re.S)
                 for each in enum.split(",")]
        names += re.findall(r"^#define (SANDPROOF_\w+) [\d(]", code, re.M)
        (directory / "sandproof/sandproof.h").write_text(header, "utf-8")
        source = directory / "constants.c"
        source.write_text("#include <sandproof/sandproof.h>\n#include <stdio.h>\nint main(void) {\n"
                          + "".join(f'printf("{name} %lld\\n", (long long)({name}));\n' for name in names)
                          + "}\n", "utf-8")
        program = directory / "constants"
        output_of(["cc", "-std=c99", f"-I{directory}", "-o", str(program), str(source)])
        return dict(line.split() for line in output_of([str(program)]).splitlines())

    def record(self, tree):
        dump = output_of([*DESCRIBE, str(self.library)])
        (tree / FUNCTIONS).parent.mkdir(exist_ok=True)
        (tree / FUNCTIONS).write_text(dump, "utf-8")
        (tree / CONSTANTS).write_text("".join(f"{name} {value}\n" for name, value
                                              in sorted(self.constants.items())), "utf-8")
        self._record_symbols(tree)

    def _record_symbols(self, tree):
        """Which version of the Debian package first had each function, which is what a program that
        calls it depends on."""
        version = re.search(r"^\s*version: '([^']+)'", read(tree / BUILD), re.M)
        if version is None:
            raise CannotTell(f"{BUILD} states no version")
        path = self.symbols_path(tree)
        known = dict(re.findall(r"^ (\S+) (\S+)$", read(path), re.M)) if path.exists() else {}
        for old in path.parent.glob(SYMBOLS.format("*").rpartition("/")[2]):
            old.unlink()
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{each}\n" for each in self._symbols_head())
                        + "".join(f" {each} {known.get(each, version[1])}\n"
                                  for each in self._symbols()), "utf-8")

    def symbols_path(self, tree):
        return tree / SYMBOLS.format(soname_number(self.soname))

    def _symbols_head(self):
        return [f"{self.soname} libsandproof-c{soname_number(self.soname)} #MINVER#",
                "* Build-Depends-Package: libsandproof-dev"]

    def _symbols(self):
        return [f"{each}@{self.version}" for each in [self.version, *sorted(self.functions)]]

    def symbols_difference(self, tree):
        """What the Debian package's list of symbols has otherwise than --record would write it. The
        versions are what was recorded, so any are right."""
        path = self.symbols_path(tree)
        lines = read(path).splitlines()
        head = self._symbols_head()
        listed = [re.sub(r"^ (\S+) \S+$", r"\1", line) for line in lines[len(head):]]
        wanted = self._symbols()
        name = path.relative_to(tree)
        said = [f"{name} begins otherwise than {' / '.join(head)}"] if lines[:len(head)] != head else []
        said += [f"{name} lacks {each}" for each in wanted if each not in listed]
        said += [f"{name} has {each!r}, which the library has not, or not twice"
                 for each in sorted(set(listed)) if listed.count(each) > wanted.count(each)]
        return said


def recorded_soname(tree):
    found = re.search(r"soname='([^']*)'", read(tree / FUNCTIONS))
    if found is None:
        raise CannotTell(f"{FUNCTIONS} names no SONAME; take it from the last commit")
    return found[1]


def soname_of(version):
    return f"libsandproof_c.so.{version.rpartition('_')[2]}"


def soname_number(soname):
    return int(soname.rpartition(".")[2])


def difference(tree, now):
    """What is incompatible between what `tree` has recorded and `now`, and what was added."""
    done = subprocess.run([*COMPARE, str(tree / FUNCTIONS), str(now.library)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="backslashreplace")
    if done.returncode < 0 or done.returncode & UNREADABLE:
        raise CannotTell(f"abidiff failed (status {done.returncode}):\n{done.stdout}")
    broken = [done.stdout.rstrip()] if done.returncode else []

    recorded = dict(line.split() for line in read(tree / CONSTANTS).splitlines())
    for name, value in recorded.items():
        if name not in now.constants:
            broken.append(f"the constant {name} is gone; it was {value}")
        elif now.constants[name] != value:
            broken.append(f"the constant {name} is {now.constants[name]}; it was {value}")

    known = set(re.findall(r"<elf-symbol name='([^']*)'", read(tree / FUNCTIONS)))
    added = sorted(now.functions - known) + sorted(now.constants.keys() - recorded.keys())
    return broken, added


def incompatible(tree, now):
    """What to say of a break, which is nothing where there is none, and what was added."""
    before = recorded_soname(tree)
    if before != now.soname:
        return [f"recorded is {before}, and {now.soname} is built: scripts/abi --record keeps the new "
                "one, if a raised number is what is meant"], []
    broken, added = difference(tree, now)
    if broken:
        broken += [f"Programs that were built with {before} would break. Take the change back; or raise "
                   "the number, c_soversion in src/meson.build, SANDPROOF_N in src/c/exports.map and the name "
                   "of the package in debian, and say in CHANGELOG.md what callers have to change."]
    return broken, added


def check(tree, now):
    """The status, and what to say. What is not recorded could be taken back unnoticed."""
    broken, added = incompatible(tree, now)
    if broken:
        return 1, broken
    said = [f"compatible with {now.soname} as recorded"]
    unrecorded = [f"added: {', '.join(added)}"] if added else []
    unrecorded += now.symbols_difference(tree)
    if unrecorded:
        return 1, [*said, *unrecorded, "and not recorded; record them: scripts/abi --record"]
    return 0, said


def record(tree, now):
    if (tree / FUNCTIONS).exists():
        before = recorded_soname(tree)
        if soname_number(now.soname) < soname_number(before):
            return 1, [f"recorded is {before}: the number of a SONAME never goes back"]
        if before == now.soname:
            broken, _ = incompatible(tree, now)
            if broken:
                return 1, [*broken, "nothing was recorded"]
    now.record(tree)
    return 0, [f"recorded {now.soname}: {len(now.functions)} functions, {len(now.constants)} constants; "
               "commit src/c/abi and debian"]


def main():
    tree = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--check-itself"]:
        import c_abi_mutants
        sys.exit(c_abi_mutants.main(tree))
    try:
        with tempfile.TemporaryDirectory() as directory:
            now = Interface(tree, pathlib.Path(directory))
            status, said = (record if sys.argv[2:] == ["--record"] else check)(tree, now)
    except CannotTell as reason:
        status, said = 2, [str(reason)]
    print("\n".join(said), file=sys.stderr if status else sys.stdout)
    sys.exit(status)


if __name__ == "__main__":
    main()

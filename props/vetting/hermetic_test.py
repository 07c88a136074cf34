"""hermetic_test.py TABLE NOT_HELD COMPILER... -- ARCHIVE...: the archives want nothing from outside but what
TABLE has.

What code calls it has to name: where no object wants the symbol of a clock, a file or the environment, none
is read. Every symbol that is wanted, and every one that can be written to, stands in the table with its
reason (symbols.txt says how), and no object runs code before main. The archives come in the order of the
table's sections. Then each row is taken away, and each of SLIPS is compiled: the test fails unless it
notices. NOT_HELD, unless it is empty, says why this build cannot be held to the table.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77  # Meson's word for a test that cannot run here
ROW = re.compile(r"(wants|writes|apart) ([a-z]+): (\S.*)")
MEMBER = re.compile(r"(?:.*/)?(\S+\.o):\s+file format ")
SECTION = re.compile(r"\s*\d+ (\S+)\s+([0-9a-f]+)  ")
SYMBOL = re.compile(r"[0-9a-f]+ (?P<flags>.{7}) (?P<section>\S+)\t[0-9a-f]+ (?:\.hidden )?(?P<name>.*)")
BEFORE_MAIN = (".init_array", ".ctors", ".preinit_array")
RELOCATED = ".data.rel.ro"  # written by the loader, and then read-only

# What the core must never do: a title, a line of C++ that does it, and the symbol that betrays it.
SLIPS = {
    "reads a clock": ("long clock_gettime(int, void*);", "clock_gettime(0, p);", "clock_gettime"),
    "reads the environment": ("char* getenv(const char*);", 'p = getenv("A");', "getenv"),
    "sets the locale": ("char* setlocale(int, const char*);", 'p = setlocale(0, "");', "setlocale"),
    "opens a file": ("int open(const char*, int, ...);", 'open("a", 0);', "open"),
    "opens a socket": ("int socket(int, int, int);", "socket(1, 2, 3);", "socket"),
    "prints": ("int printf(const char*, ...);", 'printf("%d\\n", 1);', "printf"),
    "starts a process": ("int fork();", "fork();", "fork"),
    "starts a thread": ("int pthread_create(void*, void*, void*, void*);", "pthread_create(p, p, p, p);",
                        "pthread_create"),
    "handles a signal": ("void* signal(int, void*);", "p = signal(1, p);", "signal"),
    "draws random bytes": ("long getrandom(void*, unsigned long, int);", "getrandom(p, 1, 0);", "getrandom"),
    "ends the program": ("void exit(int);", "exit(1);", "exit"),
    "loads code": ("void* dlopen(const char*, int);", 'p = dlopen("a", 0);', "dlopen"),
    "keeps a global": ("int slip_global;", "++slip_global;", "slip_global"),
    "keeps something for a thread": ("thread_local int slip_thread;", "++slip_thread;", "slip_thread"),
    "runs before main": ("int slip_early(); int slip_begun = slip_early();", "", ".init_array"),
}


class Table:
    """The rows by archive: lists of (word, kind, names)."""

    def __init__(self, text):
        self.sections, rows, names = {}, None, None
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if section := re.fullmatch(r"\[(\S+)\]", line):
                rows = self.sections.setdefault(section[1], [])
            elif (row := ROW.fullmatch(line)) and rows is not None:
                names = []
                rows.append((row[1], row[2], names))
            elif line.startswith("  ") and names is not None:
                names.append(line.strip())
            else:
                sys.exit(f"line {number} is none of [ARCHIVE], a row, or two spaces and a name: {line}")

    def rows(self, archive):
        core, *_ = self.sections
        return self.sections[core] + (self.sections[archive] if archive != core else [])

    def changed(self, archive, rows):
        table = Table("")
        table.sections = {**self.sections, archive: rows}
        return table


class Archive:
    """What an archive or an object defines, and what of it is held to the table: an object, what it does,
    and the symbol; or, where it has code that runs before main, the section."""

    def __init__(self, path):
        self.name, self.defined, self.found = path.name, set(), set()
        command = ["objdump", "--section-headers", "--syms", "--demangle", "--wide", str(path)]
        text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        member, writable = path.name, set()
        for line in text.splitlines():
            if match := MEMBER.match(line):
                member, writable = match[1], set()
            elif (match := SECTION.match(line)) and int(match[2], 16) > 0:
                if match[1].startswith(BEFORE_MAIN):
                    self.found.add((member, "runs before main", match[1]))
                elif "ALLOC" in line and "READONLY" not in line and not match[1].startswith(RELOCATED):
                    writable.add(match[1])
            elif match := SYMBOL.fullmatch(line):
                self._symbol(member, match["flags"], match["section"], match["name"], writable)

    def _symbol(self, member, flags, section, name, writable):
        if "d" in flags or "f" in flags:  # the name of a section or of a file
            return
        if section == "*UND*":
            self.found.add((member, "wants", name))
            return
        self.defined.add(name)
        if section in writable:
            self.found.add((member, "writes", name))


def fits(name, pattern):
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def allowance(rows, word, name):
    """The row and the line of it that has the name, or None."""
    for row in rows:
        for line in row[2] if row[0] == word else ():
            if fits(name, line):
                return row, line
    return None


def problems_of(table, archives):
    problems, above, used = [], set(), []
    for archive in archives:
        above = above | archive.defined
        rows = table.rows(archive.name)
        for member, word, name in sorted(archive.found):
            found = allowance(rows, "apart", member)
            if found is None and (word != "wants" or name not in above):
                found = allowance(rows, word, name)
                if found is None:
                    problems.append(f"{archive.name}: {member} {word} {name}: do without it, or give it a row "
                                    "and a reason in props/vetting/symbols.txt")
            used.append(found)
    used = {(id(row), line) for row, line in filter(None, used)}
    return problems + [f"[{archive}] {row[0]} {row[1]}: {line}: nothing in this build needs it; take it out of "
                       "props/vetting/symbols.txt" for archive, rows in table.sections.items() for row in rows
                       for line in row[2] if (id(row), line) not in used]


def slip_source():
    """One function for each, so that none is unreachable behind another."""
    lines = []
    for number, (declared, code, _) in enumerate(SLIPS.values()):
        lines += [declared if "slip_" in declared else f'extern "C" {declared}',
                  f"void slip{number}(void* p) {{ {code} (void)p; }}"]
    return "\n".join([*lines, ""])


def unnoticed(table, archives, compiler):
    for name, rows in table.sections.items():
        for row in rows:
            if not problems_of(table.changed(name, [each for each in rows if each is not row]), archives):
                yield f"[{name}] without {row[0]} {row[1]}"
        if not problems_of(table.changed(name, [*rows, ("wants", "nothing", ["no_symbol"])]), archives):
            yield f"[{name}] with a row that nothing needs"
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory) / "slip.cc"
        source.write_text(slip_source(), "utf-8")
        made = source.with_name(archives[0].name)
        subprocess.run([*compiler, "-std=c++23", "-O1", "-w", "-c", str(source), "-o", str(made)], check=True)
        found = problems_of(table, [Archive(made)])
    for title, (_, _, symbol) in SLIPS.items():
        if not any(re.search(rf" (wants|writes|main) {re.escape(symbol)}:", problem) for problem in found):
            yield f"an object that {title}"


def main():
    split = sys.argv.index("--")
    table_path, not_held, *compiler = sys.argv[1:split]
    paths = sys.argv[split + 1:]
    if not_held:
        print(not_held)
        return SKIPPED
    table = Table(pathlib.Path(table_path).read_text("utf-8"))
    archives = [Archive(pathlib.Path(path)) for path in paths]
    if (names := [archive.name for archive in archives]) != list(table.sections):
        sys.exit(f"the table has the sections {', '.join(table.sections)}, and given are {', '.join(names)}")
    problems = problems_of(table, archives)
    if not problems:
        problems = [f"this test does not notice: {title}" for title in unnoticed(table, archives, compiler)]
    if problems:
        print("\n".join(problems))
        return 1
    rows = sum(map(len, table.sections.values()))
    print(f"{len(archives)} archives are as the {rows} rows say; {len(SLIPS)} slips are noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

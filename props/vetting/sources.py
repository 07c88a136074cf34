"""What the repository holds that VETTING.md may name: functions, codes, tests, targets, bugs, lines of code."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "scripts"), str(ROOT / "props/shells")]
import c_abi  # noqa: E402
import c_abi_mutants  # noqa: E402
import hermetic_test  # noqa: E402
import mutants  # noqa: E402
import rooms  # noqa: E402

ENUMS = {"refusal.h": ("Reason",), "error.h": ("ErrorCode", "Failure"), "egress_comparison.h": ("FindingKind",)}
# Archives by their room of scripts/rooms.py.
ARCHIVES = {"core": "libsandproof.a", "patterns": "libsandproof_patterns.a",
            "provider": "libsandproof_provider.a", "c": "libsandproof_c.a"}
CODE = (".cc", ".h", ".hpp", ".sh", ".py")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)


def read(path):
    return path.read_text("utf-8")


def without_comments(code):
    """C++ without comments; a text between quotes is empty."""
    return COMMENT.sub(lambda match: '""' if match[0][0] == '"' else " ", code)


class Header:
    """The functions that a C++ header declares for everybody: names, and the first parameter's type."""

    CLASS = re.compile(r"(?:template )?(class|struct|union) (\w+(?:::\w+)*)")
    FUNCTION = re.compile(r"([A-Za-z_]\w*)\s*\(([^,)]*)")
    NONE = re.compile(r"(using|friend|static_assert|enum|typedef)\b|.*\boperator\b|.*= (delete|default)$")

    def __init__(self, text):
        self.functions = []
        self._scopes = []  # from the outside in, [the class's whole name or "", what is seen of it]
        code = re.sub(r"^[ \t]*#.*$", "", without_comments(text), flags=re.M)
        parts = re.split(r"([{};])", re.sub(r"\b(public|private|protected)\s*:(?!:)", r";\1;", code))
        for statement, end in zip(parts[::2], parts[1::2]):
            text = self._plain(statement)
            if end == "{":
                self._open(text)
            elif end == "}":
                self._scopes.pop()
            elif text in ("public", "private", "protected"):
                self._scopes[-1][1] = text
            else:
                self._declare(text)

    @staticmethod
    def _plain(statement):
        """Without attributes and template arguments, on one line."""
        text = re.sub(r"\[\[.*?\]\]|->", " ", statement, flags=re.S)
        while (less := re.sub(r"<[^<>]*>", "", text)) != text:
            text = less
        return " ".join(text.split())

    def _open(self, text):
        outer = self._scopes[-1][0] if self._scopes else ""
        if text.startswith("namespace"):
            self._scopes.append(["", "public"])
        elif found := self.CLASS.match(text):
            self._scopes.append(["::".join(filter(None, [outer, found[2]])),
                                 "private" if found[1] == "class" else "public"])
        else:
            self._declare(text)
            self._scopes.append(["", "body"])

    def _declare(self, text):
        found = self.FUNCTION.search(text)
        if found is None or self.NONE.match(text) or any(seen != "public" for _, seen in self._scopes):
            return
        before = text[: found.start()]
        if "=" in before or before.endswith("~"):
            return
        name = "::".join(filter(None, [self._scopes[-1][0], found[1]]))
        words = re.sub(r"\bconst\b|\bstd::|[&*]", " ", found[2]).split()
        self.functions.append((name, words[0] if words else ""))


def functions(root):
    """Every public function. A free one that is overloaded has the type of its first parameter behind it."""
    found = set()
    for file in sorted((root / "include/sandproof").glob("*.h")):
        if file.name != "sandproof.h":
            found |= set(Header(read(file)).functions)
    free = [name for name, _ in found if "::" not in name]
    named = {f"{name}({first})" if free.count(name) > 1 else name for name, first in found}
    return named | set(c_abi.declared_functions(read(root / c_abi.HEADER)))


def codes(root):
    """Every enumerator that says why not: a Reason plain, the others behind their enum."""
    found = set()
    for header, enums in ENUMS.items():
        text = without_comments(read(root / "include/sandproof" / header))
        for enum in enums:
            body = re.search(rf"enum class {enum} : [\w:]+ \{{(.*?)\}}", text, re.S)[1]
            found |= {each if enum == "Reason" else f"{enum}::{each}" for each in re.findall(r"\w+", body)}
    return found


def cases(root):
    """The cases of GoogleTest, as Suite.Case."""
    macro = re.compile(r"^(?:TEST(?:_F|_P)?|RC_GTEST_(?:FIXTURE_)?PROP)\(\s*(\w+),\s*(\w+)", re.M)
    return {f"{suite}.{case}" for file in (root / "props").rglob("*.cc")
            for suite, case in macro.findall(read(file))}


def scenarios(root):
    return {name for file in (root / "props/shells").glob("scenarios_*.py")
            for name in re.findall(r'^@scenario\("([^"]+)"', read(file), re.M)}


def stems(root, directory, suffix):
    return {file.name.removesuffix(suffix) for file in (root / directory).glob(f"*{suffix}")}


def compile_cases(root):
    return set(re.findall(r"^#if CASE == (\d+)", read(root / "props/compile_fail/strong_types.cc"), re.M))


def lines_of_code(text, suffix):
    """How many lines hold more than a comment."""
    if suffix in (".sh", ".py"):
        return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))
    return sum(1 for line in without_comments(text).splitlines() if line.strip())


def trusted(root):
    """For each archive its lines of code, and what it needs beside the language and the system."""
    edges, lines = rooms.edges_of(root), dict.fromkeys(ARCHIVES, 0)
    for tree in ("include", "src"):
        for file in (root / tree).rglob("*"):
            room = rooms.room_of(file.relative_to(root).as_posix())
            if file.suffix in CODE and room in lines:
                lines[room] += lines_of_code(read(file), file.suffix)
    needs = {room: [other for other in rooms.LABELS if (room, other) in edges] for room in ARCHIVES}
    named = {**ARCHIVES, **{room: rooms.LABELS[room] for room in rooms.OTHERS}}
    return {ARCHIVES[room]: (lines[room], ", ".join(named[other] for other in needs[room])) for room in ARCHIVES}


def kinds(root):
    """For each kind of symbol that the core takes from outside, how many names it has."""
    table = hermetic_test.Table(read(root / "props/vetting/symbols.txt"))
    return {kind: len(names) for word, kind, names in table.rows(ARCHIVES["core"]) if word == "wants"}


class Facts:
    """All of it, by the words that VETTING.md has for it. `tests` are the names of Meson's tests."""

    def __init__(self, root, tests):
        self.functions, self.codes = functions(root), codes(root)
        self.trusted, self.kinds = trusted(root), kinds(root)
        self.fuzz = stems(root, "fuzz", "_fuzzer.cc")
        self.tests = {"": cases(root), "test": set(tests), "scenario": scenarios(root)}
        self.breaks = {
            "planted": stems(root, "fuzz/planted", ".patch"),
            "provider mutant": stems(root, "props/provider/mutants", ".patch"),
            "wrapper mutant": {mutant.name for mutant in mutants.MUTANTS},
            "compile case": compile_cases(root),
            "slip": set(hermetic_test.SLIPS),
            "ABI slip": {title for title, *_ in c_abi_mutants.INCOMPATIBLE},
            "control": self.tests[""],
        }
        self.finders = {file.stem: re.search(r"^Found by: (\w+)$", read(file), re.M)[1]
                        for file in (root / "fuzz/planted").glob("*.patch")}
        headers = {file.name for file in (root / "include/sandproof").glob("*.h")} | {"version.h"}
        headings = re.findall(r"^## (.+)$", read(root / "API-CONVENTIONS.md"), re.M)
        self.stated = headers | {"bounded.sh"} | {f"API-CONVENTIONS.md, {heading}" for heading in headings}

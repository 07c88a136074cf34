"""What became of each mutant: kept as it is known, so that a run goes on where the last one stopped."""

import dataclasses
import json
import re
import threading

KILLED, OVERDUE, SURVIVED, REFUSED = "killed", "overdue", "survived", "did not compile"
EQUIVALENT, UNKNOWN = "equivalent", "not tried"
PATH_LINE = re.compile(r"(src/[\w/.-]+): (.*)")
MUTANT_LINE = re.compile(r"  ([a-z]+)(?:, (\d+) alike)?: (.*)")


class Results:
    """A file of JSON lines, one a mutant that was tried; the last one of a mutant counts.

    A mutant is known by the text of its file, so a file that changed begins anew. One that survived
    is tried again once the tests are others.
    """

    def __init__(self, path, tests):
        self._path, self._tests, self._known, self._lock = path, tests, {}, threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = []
        for line in path.read_text("utf-8").splitlines(keepends=True) if path.exists() else ():
            try:
                each = json.loads(line)
                self._known[each["text"], each["mutant"]] = each
                whole.append(line.rstrip("\n") + "\n")
            except (ValueError, KeyError):
                pass  # a line that was cut short: its mutant is tried again
        path.write_text("".join(whole), "utf-8")

    def find(self, text_hash, mutant):
        """(outcome, by what), or None."""
        each = self._known.get((text_hash, mutant.key))
        if each is None or each["outcome"] == SURVIVED and each["tests"] != self._tests:
            return None
        return each["outcome"], each["by"]

    def add(self, text_hash, mutant, outcome, by=""):
        each = {"file": mutant.file, "text": text_hash, "mutant": mutant.key, "outcome": outcome,
                "by": by, "tests": self._tests}
        with self._lock:
            self._known[text_hash, mutant.key] = each
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(each) + "\n")


@dataclasses.dataclass(frozen=True)
class Entry:
    """One mutant of the list of equivalent ones; `alike`: as many mutants read so."""

    line: int
    file: str
    before: str
    operator: str
    after: str
    alike: int


class Malformed(Exception):
    """A line of the list that says nothing."""


def read_equivalents(text):
    """The list: a line of the source, its mutants and the reason why nothing can tell them apart."""
    found, path, before, argued = [], None, None, True
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if match := PATH_LINE.fullmatch(line):
            if not argued:
                raise Malformed(f"line {number}: the entry before it has no reason")
            path, before = match.groups()
            argued = False
        elif path and not argued and (match := MUTANT_LINE.fullmatch(line)):
            found.append(Entry(number, path, before, match[1], match[3], int(match[2] or 1)))
        elif found and line.startswith("  because "):
            argued = True
        elif not (argued and found and line.startswith("  ")):
            raise Malformed(f"line {number}: neither a line of a file, nor a mutant, nor a reason")
    if not argued:
        raise Malformed("the last entry has no reason")
    return found


def match_equivalents(entries, by_file):
    """The mutants that are listed, and what is wrong with the list. `by_file`: file -> mutants."""
    listed, wrong = set(), []
    for entry in entries:
        same = [
            mutant
            for mutant in by_file.get(entry.file, ())
            if (mutant.before, mutant.operator, mutant.after)
            == (entry.before, entry.operator, entry.after)
        ]
        listed.update(same)
        if len(same) != entry.alike:
            found = "no mutant reads so" if not same else f"{len(same)} mutants read so"
            wrong.append(f"line {entry.line}: {found}: {entry.file}, {entry.operator}: {entry.after}")
    return listed, wrong

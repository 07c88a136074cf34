"""What the README says that a test counts.

A test tells a figure with the words that the README has after it: a GoogleTest program as a property
whose name has several words, RecordProperty("cells of a table", "12"); a TAP program as a comment,
"# figure: 12 cells of a table". Those with the same words are added up.
"""

import os
import pathlib
import re

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
TOLD = re.compile(r"figure: (\d+) (.+)")
ROW = re.compile(r"^\| (\d[^|]*) \| `scripts/test", re.MULTILINE)
# With one of these a test does less than the README says, or more.
CHANGED_BY = ("GTEST_FILTER", "SANDPROOF_DEEP", "SANDPROOF_DEPTH")


class Figures:
    def __init__(self):
        self.sums = {}

    def add(self, words, number):
        self.sums[words] = self.sums.get(words, 0) + number

    def add_case(self, case):
        """The figures of one GoogleTest case, as its XML has them."""
        for each in case.iter("property"):
            if " " in each.get("name"):
                self.add(each.get("name"), int(each.get("value")))

    def add_comments(self, comments):
        """The figures in a TAP program's comments; returns the other comments."""
        for comment in comments:
            if match := TOLD.fullmatch(comment):
                self.add(match[2], int(match[1]))
        return [comment for comment in comments if not TOLD.fullmatch(comment)]

    def problems(self, whole):
        """What the README has to say and does not; and where all tests ran, what it says and none told."""
        if any(name in os.environ for name in CHANGED_BY):
            return []
        page = README.read_text("utf-8")
        told = [f"{number:,} {words}" for words, number in self.sums.items()]
        found = [f"it has to say: {text}" for text in told
                 if f"| {text}" not in page and f"; {text}" not in page]
        for row in ROW.findall(page) if whole else []:
            if not any(row.startswith(text) for text in told):
                found.append(f"no test tells this: {row}")
        return found

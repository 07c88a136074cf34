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

    def problems(self):
        """What the README has to say, and does not."""
        if any(name in os.environ for name in CHANGED_BY):
            return []
        page = " ".join(README.read_text("utf-8").split())
        wanted = [f"{number:,} {words}" for words, number in self.sums.items()]
        return [text for text in wanted if f"| {text}" not in page and f"; {text}" not in page]

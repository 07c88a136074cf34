"""figures_test.py: a figure of the README that is another, or that no test tells, is noticed."""

import os
import pathlib
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

PAGE = """
| 1,200 cells of a table; 3 rows of another | `scripts/test shells` |
| 7 strings of a set | `scripts/test props` |
| 9 things | `scripts/fuzz` |
"""
CASE = '<testcase><properties><property name="{}" value="{}"/></properties></testcase>'
GOOD = {"cells of a table": 1200, "rows of another": 3, "strings of a set": 7}


def told(numbers):
    """What is noticed where some tests told something, and where all ran: as XML, and as comments."""
    by_case, by_comment = figures.Figures(), figures.Figures()
    for words, number in numbers.items():
        by_case.add_case(xml.fromstring(CASE.format(words, number)))
        by_case.add_case(xml.fromstring(CASE.format("oneword", 5)))
        rest = by_comment.add_comments([f"figure: {number} {words}", "no figure"])
        assert rest == ["no figure"], rest
    for whole in False, True:
        assert by_case.problems(whole) == by_comment.problems(whole)
    return by_case.problems(False), by_case.problems(True)


def main():
    for name in figures.CHANGED_BY:
        os.environ.pop(name, None)
    with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as page:
        page.write(PAGE)
        page.flush()
        figures.README = pathlib.Path(page.name)
        assert told(GOOD) == ([], [])
        part, whole = told({**GOOD, "cells of a table": 1201})
        assert part == ["it has to say: 1,201 cells of a table"] and len(whole) == 2
        assert len(told({**GOOD, "rows of another": 4})[0]) == 1
        part, whole = told({"cells of a table": 1200, "rows of another": 3})
        assert part == [] and whole == ["no test tells this: 7 strings of a set"], whole
        sums = figures.Figures()
        for number in (700, 500):
            sums.add("cells of a table", number)
        assert sums.problems(False) == [], "what is told twice is not added up"
        for name in figures.CHANGED_BY:
            os.environ[name] = "1"
            assert told({"cells of a table": 1}) == ([], []), name
            del os.environ[name]


if __name__ == "__main__":
    main()

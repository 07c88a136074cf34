"""counts_test.py: a count of instructions that changed is noticed, and a table of others is refused."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
from speed import counts  # noqa: E402

WHERE = {"compiler": "g++ (Debian) 12", "flags": "-O3 -g", "libc": "glibc 2.36"}
FOUND = {"path/a": 1000, "b": 100_000}
CALLGRIND = """\
version: 1
part: 1
desc: Trigger: Client Request: path/a
events: Ir
totals: 1000

part: 2
desc: Trigger: Client Request: b
events: Ir
1 5
totals: 100000

part: 3
desc: Trigger: Program termination
totals: 0
"""


class Counts(unittest.TestCase):
    def test_the_table_itself(self):
        counts.read((ROOT / "bench" / "counts.txt").read_text("utf-8"))

    def test_what_is_written_is_read(self):
        self.assertEqual(counts.read(counts.write(WHERE, FOUND)), (WHERE, FOUND))

    def test_of_callgrind(self):
        self.assertEqual(counts.of_callgrind(CALLGRIND), FOUND)
        for text in ("", CALLGRIND.replace("1000\n", "0\n"), CALLGRIND.replace("Request: b", "Request: path/a"),
                     CALLGRIND.replace("totals: 1000\n", "")):
            with self.assertRaises(counts.NotCounted, msg=text):
                counts.of_callgrind(text)

    def test_a_table_that_cannot_be_read_is_refused(self):
        good = counts.write(WHERE, FOUND)
        for text in ("", good.replace("compiler", "# compiler"), good.replace("libc", "lib"),
                     good.replace("100000", "many"), good.replace("100000", "-1"),
                     good.replace("100000", "0"), good + "b 5\n", good + "libc 5\n", good + "c\n",
                     good.split("path/a")[0]):
            with self.assertRaises(counts.Malformed, msg=text):
                counts.read(text)

    def test_a_changed_count_is_noticed(self):
        table = WHERE, FOUND
        for found, lines in [
            (FOUND, []),
            ({"path/a": 1020, "b": 98_000}, []),
            ({"path/a": 1021, "b": 100_000}, ["more   path/a  1,021 after 1,000 (+2.1 %)"]),
            ({"path/a": 1000, "b": 97_999}, ["fewer  b  97,999 after 100,000 (-2.0 %)"]),
            ({"path/a": 1000}, ["gone   b"]),
            ({**FOUND, "c": 2000}, ["new    c  2,000"]),
        ]:
            self.assertEqual(counts.differences(table, found), lines)

    def test_another_compiler_is_refused(self):
        counts.must_be_comparable((WHERE, FOUND), {**WHERE, "CPU": "another"})
        for key in WHERE:
            with self.assertRaises(counts.Malformed, msg=key):
                counts.must_be_comparable((WHERE, FOUND), {**WHERE, key: "another"})


if __name__ == "__main__":
    unittest.main()

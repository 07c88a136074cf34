"""speed_test.py: what scripts/bench computes, on numbers whose answers are known."""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
from speed import chart, compare, goals, results  # noqa: E402


def run_of(name, **counters):
    return {"run_type": "iteration", "run_name": name + "/iterations:1", "name": name,
            "family_index": 0, "real_time": 1.0, "cpu_time": 1.0, "iterations": 1,
            "repetition_index": 0, "time_unit": "ms", **counters}


class Results(unittest.TestCase):
    def test_of_a_program(self):
        report = {"benchmarks": [run_of("b", sandproof=2.0, re2=8.0, bytes=16.0),
                                 run_of("a", sandproof=1.0, allocations=3.0)]}
        contests, failed = results.contests_of(report)
        self.assertEqual((list(contests), failed), (["b", "a"], []))
        self.assertEqual(contests["b"], {"sandproof": [2], "re2": [8], "bytes": [16]})
        results.add(contests, {"b": {"sandproof": [4], "re2": [9], "bytes": [16]}})
        self.assertEqual(contests, {"b": {"sandproof": [2, 4], "re2": [8, 9], "bytes": [16, 16]},
                                    "a": {"sandproof": [1], "allocations": [3]}})

    def test_what_failed_is_told(self):
        broken = run_of("a", error_occurred=True, error_message="no")
        self.assertEqual(results.contests_of({"benchmarks": [broken]}), ({}, ["a: no"]))

    def test_a_ratio_is_within_a_repetition(self):
        contest = {"sandproof": [1, 2, 10], "re2": [8, 4, 20], "allocations": [3, 3, 4], "bytes": [1, 1, 1]}
        self.assertEqual(results.ratios(contest, "re2"), [8, 2, 2])
        self.assertEqual(results.value(contest, "re2"), 2)
        self.assertEqual(results.value(contest, "allocations"), 3)
        self.assertEqual([results.value(contest, each) for each in ("loop", "sandproof")], [None] * 2)
        self.assertEqual(results.competitors(contest), ["re2"])

    def test_spread(self):
        self.assertIsNone(results.spread([5]))
        self.assertAlmostEqual(results.spread([8, 9, 10, 11, 12]), 0.1)


GOAL = "session_id/8  re2  >= 13  25"
CONTESTS = {"a/1": {"sandproof": [1], "re2": [10]}, "a/2": {"sandproof": [1], "re2": [4]},
            "b": {"sandproof": [1], "allocations": [3]}}


class Goals(unittest.TestCase):
    def test_the_table_itself(self):
        self.assertTrue(goals.read((ROOT / "bench" / "goals.txt").read_text("utf-8")))

    def test_are_read(self):
        self.assertEqual(goals.read(f"# none\n\n{GOAL}\nb allocations <= 3 2.5\n"), [
            goals.Goal("session_id/8", "re2", True, 13, 25),
            goals.Goal("b", "allocations", False, 3, 2.5)])

    def test_what_is_no_goal_is_refused(self):
        for text in ("session_id/8 re2 >= 13", "session_id/8 re2 13 25", "session_id/8 re2 >= x 25",
                     "session_id/8 re2 >= 13 25 30", "session_id/8 >= 13 25", " " + GOAL,
                     "session_id/8 re2 >= 13 12", "a allocations <= 3 4", "a re2 <= 3 2",
                     "a allocations >= 3 4", GOAL + "\n" + GOAL, GOAL.replace("13", "-13")):
            with self.assertRaises(goals.Malformed, msg=text):
                goals.read(text)

    def test_a_name_that_is_no_contest_is_refused(self):
        wanted = goals.read("a/* re2 >= 1 1\nb allocations <= 3 3")
        goals.must_exist(wanted, ["a/1", "b"])
        for names in (["a", "b"], ["a/1"], []):
            with self.assertRaises(goals.Malformed, msg=names):
                goals.must_exist(wanted, names)
        with self.assertRaises(goals.Malformed):
            goals.held(goals.read("a/* re3 >= 1 1"), CONTESTS)
        with self.assertRaises(goals.Malformed):
            goals.held(goals.read("* re2 >= 1 1"), CONTESTS)

    def test_an_expression_finds_what_they_are_about(self):
        found = re.compile(goals.expression(goals.read("a/* re2 >= 1 1\nb allocations <= 3 3")))
        names = ["a/1", "a/b/2", "b", "xa/1", "b/1", "a"]
        self.assertEqual([name for name in names if found.search(name + results.ONCE)], names[:3])

    def test_the_worst_decides(self):
        for text, worst, value, answer in [
            ("a/* re2 >= 4 4", "a/2", 4, "reached, the aim too"),
            ("a/* re2 >= 4 5", "a/2", 4, "reached"),
            ("a/* re2 >= 4.1 5", "a/2", 4, "short"),
            ("a/1 re2 >= 4 9", "a/1", 10, "reached, the aim too"),
            ("* allocations <= 3 2", "b", 3, "reached"),
            ("b allocations <= 2 2", "b", 3, "short"),
            ("c re2 >= 1 1", "", None, "not measured"),
        ]:
            contests = {"b": CONTESTS["b"]} if text.startswith("*") else CONTESTS
            held, = goals.held(goals.read(text), contests)
            self.assertEqual((held.worst, held.value, held.answer), (worst, value, answer), text)
        more = {**CONTESTS, "b/2": {"sandproof": [1], "allocations": [5]}}
        self.assertEqual(goals.held(goals.read("b* allocations <= 3 3"), more)[0].value, 5)


def run(contests, cpu="one"):
    where = {"CPU": cpu, "compiler": "g++", "flags": "-O3", "commit": "abc", "load": "0.1"}
    return {"circumstances": where, "contests": contests}


SLOW = [20, 21, 22, 23, 24, 25, 26]
FAST = [10, 11, 12, 13, 14, 15, 16]


class Compare(unittest.TestCase):
    def test_u_and_p_are_known(self):
        # Two-sided; those without ties stand in tables of the test, the others are counted by hand.
        for first, second, u, p in [
            ([1, 2, 3], [4, 5, 6], 0, 2 / 20),
            ([4, 5, 6], [1, 2, 3], 9, 2 / 20),
            ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0, 2 / 252),
            ([1, 2, 4], [3, 5, 6], 1, 4 / 20),
            ([3, 1, 6], [2, 5, 4], 4, 1.0),
            ([1, 4, 2, 7], [3, 8, 9, 10, 11], 2, 8 / 126),
            ([1, 1], [1, 1], 2, 1.0),
            ([1, 2], [2, 3], 0.5, 4 / 6),
            ([1], [2], 0, 1.0),
        ]:
            self.assertEqual(compare.mann_whitney(first, second)[0], u, first)
            self.assertAlmostEqual(compare.mann_whitney(first, second)[1], p, msg=first)

    def test_slower_and_faster_and_neither(self):
        old = {"x": {"sandproof": FAST}, "y": {"sandproof": SLOW}, "z": {"sandproof": FAST}}
        new = {"x": {"sandproof": SLOW}, "y": {"sandproof": FAST}, "z": {"sandproof": FAST[::-1]}}
        found, count = compare.changes(run(old), run(new))
        self.assertEqual([(each.name, round(each.effect, 3)) for each in found],
                         [("x", round(23 / 13 - 1, 3)), ("y", round(13 / 23 - 1, 3))])
        self.assertEqual(count, 3)
        self.assertAlmostEqual(found[0].p, 2 / 3432)
        self.assertTrue(found[0].text.startswith("slower  x  +76.9 %"), found[0].text)
        self.assertTrue(found[1].text.startswith("faster  y  -43.5 %"), found[1].text)

    def test_a_slow_machine_is_no_change(self):
        old = {"x": {"sandproof": FAST, "re2": [100] * 7, "loop": [10] * 7}}
        twice = {name: [2 * each for each in values] for name, values in old["x"].items()}
        self.assertEqual(compare.changes(run(old), run({"x": twice})), ([], 1))
        other = {"x": {**old["x"], "re2": [25] * 7, "memchr": [1] * 7}}
        found, _ = compare.changes(run(old), run(other))
        self.assertAlmostEqual(found[0].effect, 1)  # a quarter of one of two: half of their mean
        found, _ = compare.changes(run(other), run(old))
        self.assertAlmostEqual(found[0].effect, -0.5)

    def test_what_is_small_or_not_certain_is_no_change(self):
        slightly = [each * 1.029 for each in SLOW]
        apart = [each + 100 for each in SLOW]
        self.assertEqual(compare.changes(run({"x": {"sandproof": [100] * 7}}),
                                         run({"x": {"sandproof": [102.9] * 7}})), ([], 1))
        self.assertEqual(len(compare.changes(run({"x": {"sandproof": [100] * 7}}),
                                             run({"x": {"sandproof": [103.1] * 7}}))[0]), 1)
        self.assertEqual(compare.changes(run({"x": {"sandproof": SLOW}}),
                                         run({"x": {"sandproof": slightly}})), ([], 1))
        mixed = [*apart[:6], 20.5]
        self.assertEqual(compare.changes(run({"x": {"sandproof": SLOW}}),
                                         run({"x": {"sandproof": mixed}})), ([], 1))

    def test_a_count_that_differs_is_a_change(self):
        old, new = ({"x": {"sandproof": FAST, "allocations": [count] * 7}} for count in (2, 3))
        found, _ = compare.changes(run(old), run(new))
        self.assertEqual(found[0].text, "more  x  allocations: 3 after 2")
        self.assertEqual(compare.changes(run(new), run(old))[0][0].text,
                         "fewer  x  allocations: 2 after 3")

    def test_what_cannot_be_compared_is_refused(self):
        x = {"x": {"sandproof": FAST}}
        few = {"x": {"sandproof": FAST[:6]}}
        for old, new in ((run(x), run(x, "another")), (run(x), run({"y": x["x"]})),
                         (run(few), run(x)), (run(x), run({"x": {"sandproof": [1]}}))):
            with self.assertRaises(compare.Incomparable):
                compare.changes(old, new)

    def test_a_file_that_is_no_run_is_refused(self):
        good = run({"x": {"sandproof": FAST, "re2": FAST}})
        bad = ["", "{", "[]", "null", "{}", json.dumps({"contests": {}}),
               json.dumps(run({"x": {"re2": FAST}})), json.dumps(run({"x": []})),
               json.dumps(run({"x": {"sandproof": FAST, "re2": [1]}})),
               json.dumps(run({"x": {"sandproof": [0] * 7}})),
               json.dumps(run({"x": {"sandproof": FAST, "re2": [0] * 7}})),
               json.dumps(run({"x": {"sandproof": FAST, "allocations": [-1] * 7}})),
               json.dumps(run({"x": {"sandproof": [math.inf] * 7}})),
               json.dumps(run({"x\x1b": {"sandproof": FAST}})),
               json.dumps(run({"\xe9": {"sandproof": FAST}})),
               json.dumps(run({"x": {"sandproof": FAST, "re\n": FAST}})),
               json.dumps(run({"x": {"sandproof": FAST}}, "\x1b")),
               json.dumps({"circumstances": {"CPU": "one"}, "contests": {"x": {"sandproof": FAST}}}),
               json.dumps(run({"x": {"sandproof": ["1"] * 7}}))]
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "run.json"
            for text in bad:
                path.write_text(text, "utf-8")
                with self.assertRaises(compare.Incomparable, msg=text):
                    compare.read(path)
            path.write_text(json.dumps(good), "utf-8")
            self.assertEqual(compare.read(path), good)
            path.unlink()
            with self.assertRaises(compare.Incomparable):
                compare.read(path)


class Chart(unittest.TestCase):
    def setUp(self):
        text = "a/1 re2 >= 4 8\na/* re2 >= 5 6\nb allocations <= 3 2\nc re2 >= 1 1"
        self.answers = goals.held(goals.read(text), CONTESTS)
        self.where = run({})["circumstances"]

    def test_has_a_bar_for_each_ratio_that_was_measured(self):
        text = chart.script(self.where, self.answers)
        rows = text.split("$ratios << END\n")[1].split("\nEND")[0]
        self.assertEqual(rows.splitlines(), ['0 4 "a/* over re2, the slowest   4"',
                                             '1 10 "a/1 over re2   10"'])
        for said in ("one, commit abc, g++", "-O3"):
            self.assertIn(said, text)

    def test_runs_nothing_that_a_file_of_results_says(self):
        where = {**self.where, "CPU": "`touch x` \"\xe9\" @b \\ B@1", "flags": "-O3\n-g"}
        text = chart.script(where, self.answers)
        self.assertIn("?touch x? ??? atb ? Bat1, commit abc", text)
        self.assertIn("-O3 -g\"", text)
        self.assertFalse(set("`@") & set(text))

    def test_black_is_the_colour_of_the_page(self):
        svg = chart.themed('<?xml?><svg\nwidth="1">\n<title>Gnuplot</title><g color="black" '
                           'stroke="rgb(  0,   0,   0)" fill="rgb( 10, 0, 0)">blackbird</g></svg>')
        self.assertIn('<svg\nwidth="1"><style>', svg)
        self.assertIn('color="currentColor" stroke="currentColor" fill="rgb( 10, 0, 0)"', svg)
        self.assertIn("prefers-color-scheme: dark", svg)
        self.assertIn("blackbird", svg)
        self.assertNotIn("Gnuplot", svg)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here")
    def test_is_drawn(self):
        svg = chart.draw(self.where, self.answers)
        self.assertIn("a/1 over re2   10", svg)
        self.assertEqual(len(re.findall(r"<polygon fill = 'rgb\( *47, 129, 199\)'", svg)), 2)
        with self.assertRaises(chart.NotDrawn):
            chart.draw(self.where, [])

    def test_table(self):
        self.assertEqual(chart.table(self.answers[:3]).splitlines()[2:], [
            "| `a/1` | re2 | 10 | 4 | 8 |", "| `a/*` | re2 | 4 | 5 | 6 |",
            "| `b` | allocations | 3 | at most 3 | at most 2 |"])


    def test_a_table_that_is_not_of_the_goals_is_noticed(self):
        wanted = [each.goal for each in self.answers[:3]]
        page = f"text\n\n{chart.table(self.answers[:3])}\nmore\n"
        self.assertEqual(chart.problems(page, wanted), [])
        self.assertEqual(chart.problems(page.replace("| 10 |", "| 11 |"), wanted), [])
        self.assertEqual(len(chart.problems(page.replace("at most 3", "at most 4"), wanted)), 2)
        self.assertEqual(len(chart.problems(page, wanted[:2])), 1)
        self.assertEqual(len(chart.problems(page.replace("| `b` | all", "\n| `b` | all"), wanted)), 1)

    def test_the_readme(self):
        wanted = goals.read((ROOT / "bench" / "goals.txt").read_text("utf-8"))
        self.assertEqual(chart.problems((ROOT / "README.md").read_text("utf-8"), wanted), [])


class Options(unittest.TestCase):
    def test_what_does_not_go_together_is_refused(self):
        file = str(pathlib.Path(__file__))
        for words in (["--counts", "--filter", "x"], ["--counts", "--list"], ["--counts", "texts"],
                      ["--record"], ["--to", file], ["--to", file, "--chart", "texts"],
                      ["--to", file, "--chart", "--goals"], ["--compare", file + "x"], ["--list", "x"],
                      ["--goals", "--filter", "a"], ["--repetitions", "0"], ["--filter"], ["--nope"]):
            done = subprocess.run([ROOT / "scripts/bench", *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, r"^scripts/bench: .* \(see scripts/bench --help\)\n$", words)

    def test_a_file_that_is_no_run_is_told(self):
        file = str(pathlib.Path(__file__))
        done = subprocess.run([ROOT / "scripts/bench", "--compare", file, "--to", file],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("cannot be read as results", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""mutate_test.py ROOT COMPILER...: scripts/mutate makes the mutants that it should, and judges them.

The operators are tried on lines of code, the rest on a project of one file, whose results are lost in
part, whose file changes, and whose list of equivalent mutants goes stale.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
sys.path.insert(0, str(ROOT / "scripts"))

from mutation import bodies, cage, operators, results, schema, tokens

FOLLOWING = operators.enumerators(["enum class Colour : int {\n  red,  // , none\n  green,\n};"])
# What a function has in it, and its mutants: what they do, and what stands there then.
MUTANTS = [
    ("x = a < b;", {"relational": ["x = a >= b;"], "boundary": ["x = a <= b;"], "deletion": [";"]}),
    ("x = a >= b;", {"relational": ["x = a < b;"], "boundary": ["x = a > b;"], "deletion": [";"]}),
    ("x = a == b;", {"relational": ["x = a != b;"], "deletion": [";"]}),
    ("x = a && !b;", {"logical": ["x = a || !b;", "x = a && b;"], "deletion": [";"]}),
    ("x += a - b;", {"arithmetic": ["x -= a - b;", "x += a + b;"], "deletion": [";"]}),
    ("++x;", {"arithmetic": ["--x;"], "deletion": [";"]}),
    ("return f(-a, *b);", {"return": ["return {};"], "swap": ["return f(*b, -a);"]}),
    ("return nullptr;", {}),
    ("const int x = 0;", {"constant": ["const int x = 1;"]}),
    ("const int x = 1;", {"constant": ["const int x = 0;", "const int x = 2;"]}),
    ("const auto x = 1'000U;", {"constant": ["const auto x = 999U;", "const auto x = 1001U;"]}),
    ("const auto x = 0xfF;", {"constant": ["const auto x = 0xfe;", "const auto x = 0x100;"]}),
    ("const double x = 1.5;", {}),
    ("const bool x = true;", {"constant": ["const bool x = false;"]}),
    ("const auto x = Colour::red;", {"enumerator": ["const auto x = Colour::green;"]}),
    ("const auto x = Colour::green;", {"enumerator": ["const auto x = Colour::red;"]}),
    ("const auto x = Taste::red;", {}),
    ("const std::vector<int> x(a, b);", {"swap": ["const std::vector<int> x(b, a);"]}),
    ("std::pair<A, B> x = std::min(a, b);", {}),
    ("const auto x = std::max<std::pair<A, B>>(a, b);", {}),
    ("x = f<A, B>(a, b);", {"deletion": [";"], "swap": ["x = f<A, B>(b, a);"]}),
    ("struct S { S& operator++(); };", {}),
    ("g(a<B, C>(), d);", {"swap": ["g(d, a<B, C>());"], "deletion": [";"]}),
    ("g(a, a);", {"deletion": [";"]}),
    ("if (a) g();", {"deletion": ["if (a) ;"]}),
    ("for (; a;) g();", {"deletion": ["for (; a;) ;"]}),
    ("Type& x = y;", {}),
    ("for (auto&& each : all) g(each);", {"deletion": ["for (auto&& each : all) ;"]}),
    ("static_assert(2 < 3);", {}),
    ("g([](int i) { return i < n; });", {
        "deletion": [";"], "relational": ["g([](int i) { return i >= n; });"],
        "boundary": ["g([](int i) { return i <= n; });"],
        "return": ["g([](int i) { return true; });", "g([](int i) { return false; });"]}),
    ("// x = a < b;", {}),
    ("/* x = a < b;\n   return 1; */", {}),
    ("const auto x = \"a < b && 1\";", {}),
    ("const auto x = u8R\"x(a < b;)\" 1 + 1;)x\";", {}),
    ("const char x = '\\'', y = '1';", {}),
    ("#if 1 < 2 \\\n  && 3\n#endif", {}),
]
RETURNS = [
    ("bool f() {", ["true", "false"]),
    ("constexpr bool X::f(int a, int b) const noexcept {", ["true", "false"]),
    ("std::optional<bool> f() {", ["std::nullopt"]),
    ("auto f() -> bool {", ["true", "false"]),
    ("int f() {", ["{}"]),
]
SMALL = """\
// Nothing here is a mutant: a < b.
bool below(int value, int limit) { return value < limit; }
int twice(int value) { return value + value; }
constexpr int three() { return 3; }
static_assert(three() == 3);
extern const int k_five = 5;
int ends(int n) { while (n) n = {}; return 7; }
void set(int& x) { x = 3; }
"""
SMALL_TEST = """\
bool below(int, int);
int ends(int);
void set(int&);
extern const int k_five;
int main() {
  int three = 0;
  set(three);
  const bool all = below(1, 2) && !below(2, 2) && !below(3, 2) && k_five == 5 && ends(1) == 7 &&
                   three == 3;
  return all ? 0 : 1;
}
"""
NINJA = """\
rule compile
  command = {compiler} -c $in -o $out
rule archive
  command = ar rc $out $in
rule link
  command = {compiler} -o $out $in
build small.o: compile ../src/core/small.cc
build test.o: compile ../test.cc
build small.a: archive small.o
build small_props: link test.o small.a
"""
LISTED = """\
src/core/small.cc: int twice(int value) { return value + value; }
  arithmetic: int twice(int value) { return value - value; }
  return: int twice(int value) { return {}; }
  because nobody
  asks.
"""


def made(text):
    return operators.mutants("file.cc", text, FOLLOWING)


class Operators(unittest.TestCase):
    def test_each_on_a_line(self):
        for line, expected in MUTANTS:
            found = {}
            for mutant in made("void f() {\n" + line + "\n}\n"):
                found.setdefault(mutant.operator, []).append(mutant.after)
                self.assertEqual(mutant.before, " ".join(line.split()), line)
            self.assertEqual({k: sorted(v) for k, v in found.items()},
                             {k: sorted(v) for k, v in expected.items()}, line)

    def test_what_is_returned_instead(self):
        for head, expected in RETURNS:
            mutants = made(head + " return a; }")
            instead = [each.text for each in mutants if each.operator == "return"]
            self.assertEqual(sorted(instead), sorted(expected), head)

    def test_lines_are_counted(self):
        lines = [mutant.line for mutant in made("/*\n*/ // \nint f() {\n  return 7;\n}\n")]
        self.assertEqual(set(lines), {4})

    def test_parameters_are_no_arguments(self):
        self.assertEqual(made("void f(int a, int b);\nvoid g(int a, int b) {}\n"), [])


class Functions(unittest.TestCase):
    def spans(self, text):
        source = tokens.Source(text)
        return [(source.between(each.open, each.close), each.when) for each in bodies.functions(source)]

    def test_are_found(self):
        for text, expected in [
            ("namespace a { class B : C { int f() const { return 1; } int x{2}; }; }",
             [("{ return 1; }", "run")]),
            ("X::X(int a) noexcept : a_(a), b_{a} { g(); }", [("{ g(); }", "run")]),
            ("template <class T> constexpr T f(T a) { return a; }", [("{ return a; }", "both")]),
            ("consteval int f() { return 1; }", [("{ return 1; }", "compile")]),
            ("constexpr Row k_rows[] = {{1, [](int a) noexcept { return a; }}, {2, nullptr}};",
             [("{ return a; }", "run")]),
            ("bool X::operator==(const X& a) const { return true; }", [("{ return true; }", "run")]),
            ("enum class E { a = 1 }; struct S { int x = 3; };", []),
        ]:
            self.assertEqual(self.spans(text), expected, text)

    def test_a_text_with_all_mutants_has_each_once(self):
        mutants = made(SMALL)
        made_of = schema.schema(SMALL, mutants)
        chosen = set(made_of.function_of)
        text = made_of.text(SMALL, mutants, chosen, "small.cc")
        self.assertEqual({int(n) for n in re.findall(r"case (\d+):", text)}, chosen)
        self.assertEqual([mutants[n - 1].before for n in set(range(1, len(mutants) + 1)) - chosen],
                         ["extern const int k_five = 5;"] * 2)
        self.assertEqual(schema.refused("mutant/12:3:4: error: no\nsmall.cc:1:2: note"), {12})
        used = "used.h:7:1: error: no\nmutant/3:2:9:   required from here\nmutant/3:2:9: note: why"
        self.assertEqual(schema.refused(used), set())


class List(unittest.TestCase):
    def test_what_says_nothing_is_an_error(self):
        for text in ("nonsense", LISTED.replace("  because nobody\n  asks.\n", ""),
                     LISTED.replace("  because nobody\n  asks.\n", "") + LISTED,
                     LISTED.replace("  arithmetic", "arithmetic")):
            with self.assertRaises(results.Malformed):
                results.read_equivalents(text)

    def test_as_many_as_it_says(self):
        mutants = {"file.cc": made("void f() {\n++x;\n++x;\n}")}
        for alike, wrong in (("", 1), (", 2 alike", 0), (", 3 alike", 1)):
            entry = f"src/core/x.cc: ++x;\n  arithmetic{alike}: --x;\n  because so\n".replace(
                "src/core/x.cc", "src/file.cc")
            entries = results.read_equivalents(entry)
            listed, faults = results.match_equivalents(entries, {"src/file.cc": mutants["file.cc"]})
            self.assertEqual((len(listed), len(faults)), (2, wrong), alike)


class Caged(unittest.TestCase):
    """A directory that the user who owns nothing may read, and a cage in it."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.root.chmod(0o755)
        self.build, self.work = self.root / "build", self.root / "build" / "mutate"
        self.cage = cage.Cage(COMPILER[0], self.work)
        if reason := self.cage.missing():
            self.skipTest(reason)

    def run_in_it(self, text, writable="-", seconds=2):
        done = subprocess.run(self.cage.around(["/bin/sh", "-c", text], seconds, writable),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertTrue(done.stdout.startswith(cage.BEGAN), done.stderr)
        return done.returncode, done.stdout.removeprefix(cage.BEGAN)


class Cage(Caged):
    def test_nothing_is_written_to_but_what_may_be(self):
        for name in ("kept", "given"):
            (self.root / name).write_text("as it was\n")
            (self.root / name).chmod(0o666)
        in_root = f"cd {self.root} && "
        self.assertEqual(self.run_in_it(in_root + "echo x >kept")[0], 2)
        self.assertEqual(self.run_in_it(in_root + "rm -f kept || rm -f /dev/shm || exit 3")[0], 3)
        self.assertEqual(self.run_in_it(in_root + "echo x >given", self.root / "given")[0], 0)
        self.assertEqual((self.root / "kept").read_text(), "as it was\n")
        self.assertEqual((self.root / "given").read_text(), "x\n")
        for _ in range(2):
            self.assertEqual(self.run_in_it("cd " + str(self.cage.room) + " && ls && : >file")[1], "")

    def test_what_has_no_end_is_ended(self):
        fill = f"cat /dev/zero >{self.cage.room}/file; exit $?"
        for text, status in ((fill, 1), ("while :; do sleep 60 & done", 2),
                             ("trap '' XCPU; while :; do :; done", 128 + 9)):
            self.assertEqual(self.run_in_it(text, seconds=1)[0], status, text)

    def test_how_it_ends_is_told(self):
        for text, status in (("exit 7", 7), ("kill -9 $$", 128 + 9), ("kill -9 1; exit 3", 3)):
            self.assertEqual(self.run_in_it("(sleep 60 &); " + text)[0], status)

    def test_what_cannot_be_started_has_not_begun(self):
        done = subprocess.run(self.cage.around(["/nonexistent"], 5), capture_output=True, text=True,
                              check=False)
        self.assertNotIn(cage.BEGAN, done.stdout)
        self.assertIn("/nonexistent", done.stderr)


class Project(Caged):
    def setUp(self):
        super().setUp()
        for name in ("src/core", "src/provider", "include/sandproof", "props", "fuzz", "corpus",
                     "scripts/mutation", "build/meson-info"):
            (self.root / name).mkdir(parents=True)
        self.small = self.root / "src/core/small.cc"
        self.list = self.root / "scripts/mutation/equivalent.txt"
        self.small.write_text(SMALL)
        self.list.write_text("# Nothing.\n")
        (self.root / "test.cc").write_text(SMALL_TEST)
        compiler = " ".join([*COMPILER, "-std=c++23"])
        (self.build / "build.ninja").write_text(NINJA.format(compiler=compiler))
        command = {"directory": str(self.build), "file": "../src/core/small.cc", "output": "small.o",
                   "command": f"{compiler} -o small.o -c ../src/core/small.cc"}
        (self.build / "compile_commands.json").write_text(json.dumps([command]))
        test = {"cmd": [str(self.build / "small_props")], "env": {}, "protocol": "exitcode",
                "name": "small", "suite": ["x:props"]}
        (self.build / "meson-info/intro-tests.json").write_text(json.dumps([test]))
        for words in (["ninja", "-C", self.build], ["git", "init", "-q", self.root]):
            subprocess.run(words, check=True, capture_output=True)

    def mutate(self, status, *options):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/run_mutants.py", *options, self.root, self.build,
             self.work],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        tried = re.findall(r"(\d+) of (\d+) mutants tried", done.stderr)
        return done.stdout, int(tried[-1][1]) if tried else 0

    def test_from_the_first_run_to_a_list_that_is_stale(self):
        total = len(made(SMALL))
        self.assertEqual(total, 18)
        out, tried = self.mutate(1)
        self.assertEqual(tried, total)
        survivors = re.findall(r"small.cc:(\d+): survived \[(\w+)\]", out)
        self.assertEqual(survivors, [("3", "return"), ("3", "arithmetic")])
        self.assertIn("  - int twice(int value) { return value + value; }\n"
                      "  + int twice(int value) { return value - value; }\n", out)

        # What is known is not tried again: here all but three, and a line that was being written.
        store = self.work / "results.jsonl"
        lines = store.read_text().splitlines(keepends=True)
        self.assertEqual(len(lines), total)
        self.assertEqual({json.loads(line)["by"] for line in lines}, {"", "small_props"})
        store.write_text("".join(lines[:-3]) + lines[-3][:40])
        self.assertEqual(self.mutate(1)[1], 3)
        self.assertEqual(self.mutate(1)[1], 0)
        report, _ = self.mutate(1, "--report")
        self.assertRegex(report, r"src/core together +18 +13 +1 +2 +0 +3 +0 +86\.7 %")

        # Other tests: what survived is tried again. Another text: everything.
        (self.root / "props/more.cc").write_text("// more\n")
        self.assertEqual(self.mutate(1)[1], 2)
        self.list.write_text(LISTED)
        self.assertEqual(self.mutate(0)[1], 0)
        self.small.write_text(SMALL + "// changed\n")
        report, _ = self.mutate(0, "--report")
        self.assertRegex(report, r"src/core together +18 +0 +0 +0 +2 +0 +16 +-")
        self.small.write_text(SMALL.replace("value + value", "2 * value"))
        out, _ = self.mutate(1, "--report")
        self.assertIn("no mutant reads so: src/core/small.cc, arithmetic: ", out)

    def test_what_cannot_be_linked_did_not_compile(self):
        box = "template <int n> struct Box {};\n"
        self.small.write_text(box + "int of(Box<1>) { return {}; }\nint seven() { return 7; }\n")
        (self.root / "test.cc").write_text(
            box + "int of(Box<1>);\nint seven();\nint main() { return of({}) + seven() - 7; }\n")
        subprocess.run(["ninja", "-C", self.build], check=True, capture_output=True)
        self.mutate(0)
        lines = (self.work / "results.jsonl").read_text().splitlines()
        outcomes = sorted(json.loads(line)["outcome"] for line in lines)
        self.assertEqual(outcomes, [results.REFUSED] * 2 + [results.KILLED] * 3)

    def test_a_sample_is_the_same_for_the_same_seed_and_has_as_many_as_it_says(self):
        drawn = []
        for _ in range(2):
            self.mutate(0, "--sample", "1", "--seed", "4")
            lines = (self.work / "results.jsonl").read_text().splitlines()
            drawn.append([json.loads(line) for line in lines])
            (self.work / "results.jsonl").unlink()
        self.assertEqual(drawn[0], drawn[1])
        # The first one that is drawn does not compile, so there is another.
        outcomes = [each["outcome"] for each in drawn[0]]
        self.assertEqual(outcomes, [results.REFUSED, results.KILLED])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

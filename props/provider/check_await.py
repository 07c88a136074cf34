"""Holds every co_await to a form that g++ 12 compiles correctly.

g++ 12 destroys the temporaries of a co_await operand twice. So an operand is a name, and a co_await
is the whole initialiser of a declaration, or a statement of its own."""

import pathlib
import re
import sys

ALLOWED = re.compile(r"^(?:[\w:]+(?:<[\w:<>, ]+>)? \w+ = |const [\w:]+(?:<[\w:<>, ]+>)? \w+ = )?co_await \w+;$")


def violations(text):
    """The numbers and lines of what is not in that form; comments apart."""
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0].strip()
        if "co_await" in code and not ALLOWED.match(code):
            yield number, code


def self_check():
    right = ["co_await pause;", "const Instant now = co_await k_now;", "Result<A<B>> r = co_await s;",
             "x(); // co_await f()"]
    wrong = ["co_await f();", "if (co_await x)", "auto r = f(co_await x);", "Result<A> r = co_await s{};",
             "Result<A> r = *co_await s;", "co_await Wait{k};", "r = co_await a, co_await b;"]
    assert not any(list(violations(line)) for line in right)
    assert all(list(violations(line)) for line in wrong)


def main():
    self_check()
    found = files = 0
    for root in map(pathlib.Path, sys.argv[1:]):
        for path in sorted(root.rglob("*")):
            if path.suffix not in (".cc", ".h", ".hpp") or not path.is_file():
                continue
            files += 1
            for number, code in violations(path.read_text(encoding="utf-8")):
                found += 1
                print(f"{path}:{number}: name the operand first: {code}")
    assert files > 0
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

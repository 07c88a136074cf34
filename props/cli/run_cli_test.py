#!/usr/bin/env python3
"""Tests the command-line tool from outside, as a script and a person would use it.

    run_cli_test.py TOOL [[--but] NAME...]

NAME is a test, as in `check.words`, or a group of them, as in `check`.
"""

import sys

import batch_cases
import check_cases
import command_cases
import completions_cases
import doctor_cases
import egress_cases
import foreign_cases
import format_cases
import quote_cases
import reader_cases
import report_cases
import run_cases
import usage_cases
import watch_cases
import why_cases
import wrap_cases
from harness import Report, Tool

SUITES = (usage_cases, check_cases, command_cases, batch_cases, reader_cases, quote_cases,
          wrap_cases, report_cases, egress_cases, format_cases, why_cases, watch_cases,
          doctor_cases, run_cases, completions_cases, foreign_cases)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: run_cli_test.py TOOL [[--but] NAME...]")
    tests = {f"{suite.__name__.removesuffix('_cases')}.{test.__name__.removeprefix('test_')}": test
             for suite in SUITES for test in suite.TESTS}
    names = sys.argv[2:]
    but = names[:1] == ["--but"]
    named = set()
    for name in names[but:]:
        found = {test for test in tests if name in (test, test.partition(".")[0])}
        if not found:
            sys.exit(f"no test {name}: give some of {' '.join(tests)}")
        named |= found
    chosen = [test for test in tests if not names or (test in named) != but]
    failed = 0
    for name in chosen:
        report = Report()
        tests[name](Tool(sys.argv[1], report), report)
        print(f"{name}: {report.passed} passed, {report.failed} failed", flush=True)
        failed += report.failed
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""changelog.py CHANGELOG DEBIAN_CHANGELOG TOOL VERSION: the newest entry is of the version that is
built, in both.

An entry begins with "## [MAJOR.MINOR.PATCH] - DATE", newest first; DATE may be "unreleased" in the
first. Above them "## [Unreleased]" may collect what has no number yet. Debian's begins with
"sandproof (MAJOR.MINOR.PATCH-REVISION) ...".
"""

import re
import subprocess
import sys

ENTRY = re.compile(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2}|unreleased)")


def problems_of(text, version):
    headings = re.findall(r"^## (.*)$", text, re.M)
    if headings[:1] == ["[Unreleased]"]:
        headings.pop(0)
    entries = [ENTRY.fullmatch(heading) for heading in headings]
    if not entries or None in entries:
        return [f"headings that are no versions: {headings}"]
    numbers = [tuple(int(number) for number in entry.groups()[:3]) for entry in entries]
    newest = ".".join(map(str, numbers[0]))
    problems = []
    if newest != version:
        problems.append(f"the newest entry is of {newest}, and {version} is built")
    if any(later <= earlier for later, earlier in zip(numbers, numbers[1:])):
        problems.append(f"not newest first: {headings}")
    if any(entry[4] == "unreleased" for entry in entries[1:]):
        problems.append("only the newest entry may be unreleased")
    return problems


def main():
    changelog, debian, tool, version = sys.argv[1:]
    with open(changelog, encoding="utf-8") as file:
        problems = problems_of(file.read(), version)
    with open(debian, encoding="utf-8") as file:
        packaged = file.readline()
    if not re.match(rf"sandproof \({re.escape(version)}-[1-9]\d*\) ", packaged):
        problems.append(f"{version} is built, and Debian's newest entry is {packaged!r}")
    told = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if told != f"sandproof {version}\n":
        problems.append(f"the tool says it is {told!r}")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()

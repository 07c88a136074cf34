"""readme.py PAGE LANGUAGE: what stands in the blocks of a language.

A block of the README is what is indented by four spaces, or stands between fences.
"""

import dataclasses
import pathlib
import re
import sys

FENCE = re.compile(r"^```(\w*)$")
INDENT = "    "


@dataclasses.dataclass
class Block:
    language: str  # behind the fence; "" where there is none
    text: str
    line: int  # of its first line, from 1
    before: str  # the paragraph in front of it, on one line


def blocks(page):
    """Every block of the file `page`, in order."""
    found, paragraph = [], []
    lines = page.read_text("utf-8").splitlines()
    at = 0
    while at < len(lines):
        start = at
        if fence := FENCE.match(lines[at]):
            at = lines.index("```", at + 1)
            found.append(_block(fence[1], lines[start + 1 : at], start + 2, paragraph))
        elif lines[at].startswith(INDENT) and not paragraph:
            raise SystemExit(f"{page}:{at + 1}: a block without a paragraph before it")
        elif lines[at].startswith(INDENT) and not lines[at - 1]:
            while at + 1 < len(lines) and (not lines[at + 1] or lines[at + 1].startswith(INDENT)):
                at += 1
            body = [line.removeprefix(INDENT) for line in lines[start : at + 1]]
            while not body[-1]:
                body.pop()
            found.append(_block("", body, start + 1, paragraph))
        elif lines[at]:
            paragraph = [*paragraph, lines[at]] if at and lines[at - 1] else [lines[at]]
        at += 1
    return found


def _block(language, body, line, paragraph):
    return Block(language, "".join(f"{each}\n" for each in body), line, " ".join(paragraph))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: readme.py PAGE LANGUAGE")
    page, language = sys.argv[1:]
    print("".join(block.text for block in blocks(pathlib.Path(page)) if block.language == language), end="")


if __name__ == "__main__":
    main()

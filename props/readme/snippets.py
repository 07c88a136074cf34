"""snippets.py README LANGUAGE HEADER...: each block of a language in the README, in order, as a header."""

import pathlib
import sys

import readme


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: snippets.py README LANGUAGE HEADER...")
    page, language, *headers = sys.argv[1:]
    blocks = [block for block in readme.blocks(pathlib.Path(page)) if block.language == language]
    if len(blocks) != len(headers):
        sys.exit(f"{page} has {len(blocks)} blocks of {language}, and {len(headers)} headers were asked for")
    for header, block in zip(headers, blocks):
        # A complaint of the compiler then names the README and its line.
        text = f'#pragma once\n#line {block.line} "{page}"\n{block.text}'
        pathlib.Path(header).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

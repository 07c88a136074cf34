"""The text that `sandproof wrap` must print, made a second time from src/core/bounded.sh.

usage: wrap_text.py sealed|nonce DEADLINE_MS CALL_ID [N=V...] -- PROGRAM [ARGUMENT...]

Shares nothing with the library: agree.py holds the two to the same bytes. It also makes the texts
that the tool does not: those of a changed source, and those with words that are not UTF-8.
"""
import os
import re
import sys

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                       "../../src/core/bounded.sh"))
TAG = "sandproof1"


def program(source, scheme, fraction):
    """The source as one line: comments and the parts of other schemes dropped, blanks at the
    beginning of lines dropped, lines joined by one space."""
    with open(source, encoding="ascii") as file:
        text = file.read()
    kept = []
    # The text before the first mark, then mark, text, mark, text, ...
    first, *rest = re.split(r"^#@ (\w+)$", text, flags=re.M)
    for mark, part in [("all", first), *zip(rest[::2], rest[1::2])]:
        if mark in ("all", scheme) or mark == "fraction" and fraction:
            kept += [line.lstrip() for line in part.splitlines()]
    return " ".join(line for line in kept if line and line[0] != "#")


def seconds(milliseconds):
    text = f"{milliseconds // 1000}.{milliseconds % 1000:03d}"
    return text.removesuffix(".000")


def quote(word):
    if "\0" in word:
        raise ValueError("a shell word holds no NUL")
    return "'" + "'\\''".join(word.split("'")) + "'"


def wrap(scheme, milliseconds, call_id, argv, variables=None, source=SOURCE):
    """The whole text, as bytes. Words are str, bytes that are not UTF-8 as surrogates."""
    text = program(source, scheme, milliseconds % 1000 != 0)
    values = {"TAG": TAG, "DEADLINE": seconds(milliseconds), "CALL_ID": call_id}
    text = re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], text)
    words = ["sh", "-c", quote(text), "sh"]
    if variables:
        names = sorted(variables, key=os.fsencode)
        words += [quote(word) for word in ["env", *(f"{n}={variables[n]}" for n in names)]]
    return os.fsencode(" ".join(words + [quote(word) for word in argv]))


def main(argv):
    cut = argv.index("--") if "--" in argv else 0
    if cut < 3 or argv[0] not in ("sealed", "nonce"):
        sys.exit(__doc__)
    scheme, milliseconds, call_id, *variables = argv[:cut]
    text = wrap(scheme, int(milliseconds), call_id, argv[cut + 1:],
                dict(entry.split("=", 1) for entry in variables))
    sys.stdout.buffer.write(text + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""reference_filter.py HEADER: a public header as Doxygen reads it.

The headers' comments are plain: no marks, no commands, every character itself. Here they become
Doxygen's. A comment covers what follows it up to the next empty line; the first one of a file is the
file's. Prose is filled, and an item that begins with `- ` is one; what else is indented stays as it is.
"""

import html
import re
import sys

# What begins a declaration on the left margin, and what cannot.
NOT_A_DECLARATION = ("}", "#", "/", "*", " ", "extern \"C\"", "namespace", "SANDPROOF_ENUM")


def prose(text):
    text = html.escape(text, quote=False)
    text = re.sub(r"([\\@#%])", r"\\\1", text)
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def commented(lines, head):
    """The lines of one comment, without their marks, as one for Doxygen."""
    out, plain, text = [], [], []

    def close():
        if text:
            out.append(prose(" ".join(text)))
        if plain:
            out.extend(["@verbatim", *plain, "@endverbatim"])
        text.clear()
        plain.clear()

    for line in lines:
        in_item = text[:1] and text[0].startswith("- ")
        indented = line.startswith("  ") and not in_item
        if line.startswith("- "):
            close()
        if not line.strip() or (plain and not indented) or (text and indented):
            close()
        if indented:
            plain.append(line)
        elif line.strip():
            text.append(line.strip())
        else:
            out.append("")
    close()
    # The first paragraph: left to Doxygen, the first full stop would end it, in code too.
    return [f"/// {line}".rstrip() for line in [*head, f"@brief {out[0]}", *out[1:]]]


def marks_removed(lines):
    """A comment of either kind, as its text."""
    text = [re.sub(r"^\s*(// ?|/\* ?| \*/?)", "", line) for line in lines]
    text = [re.sub(r"\s*\*/$", "", line) for line in text]
    # Behind ` * ` stands one blank that is none of the text's.
    return [line[1:] if raw.startswith(" * ") else line for raw, line in zip(lines, text)]


def filtered(source):
    out, comment, covering, first, ended = [], [], [], True, True
    lines = iter(line for line in source.splitlines() if "NOLINTBEGIN" not in line)
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("//"):
            comment.append(line)
            continue
        if stripped.startswith("/*"):
            comment = [line]
            while not line.rstrip().endswith("*/"):
                line = next(lines)
                comment.append(line)
            continue
        if comment:
            text = marks_removed(comment)
            comment = []
            if first:
                out += commented(text, ["@file"])
                first = False
            elif stripped and not text[0].startswith(("NOLINT", "----")):
                indent = line[:len(line) - len(line.lstrip())]
                made = commented(text, [])
                if not indent:
                    covering = made
                out += [indent + each for each in made]
                ended = False
        elif stripped and ended and covering and not line.startswith(NOT_A_DECLARATION):
            out += covering
        if not stripped:
            covering = []
        ended = stripped.endswith((";", "}"))
        out.append(re.sub(r"(?<=\S)\s+// (?!NOLINT)", " ///< ", line))
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n".join(filtered(file.read())))


if __name__ == "__main__":
    main()

"""Makes bounded_program.h, the wrapper as the library sends it, from bounded.sh.

usage: bounded.py SOURCE HEADER

For each scheme, with and without a fraction in the deadline, one constant: the quoted program as
pieces of text, and which value stands behind each piece. And the names of the tools that it looks
for (sealed: nonce needs no others). How a line of the source becomes text is said at the top of the
source.
"""
import re
import sys

SCHEMES = ("sealed", "nonce")
TAG = "sandproof1"
VALUES = {"DEADLINE": "deadline", "CALL_ID": "call_id", None: "none"}
ROW = 80


def program(lines, scheme, fraction):
    """The one-line program, its placeholders still in it."""
    taken, takes = [], True
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line.startswith("#@"):
            part = line[2:].strip()
            if part not in (*SCHEMES, "fraction", "all"):
                sys.exit(f"line {number}: unknown part {part!r}")
            takes = part in ("all", scheme) or (part == "fraction" and fraction)
        elif line and not line.startswith("#"):
            if "'" in line or not line.isascii() or not line.isprintable():
                sys.exit(f"line {number}: only printable ASCII without single quotes may be sent")
            if takes:
                taken.append(line)
    return " ".join(taken).replace("@TAG@", TAG)


def tools(text):
    """The names of the one loop that looks for tools."""
    (names,) = re.findall(r"for sp_tool in ([a-z0-9 ]+); do ", text)
    return names.split()


def pieces(text):
    """[(text, value behind it)...] of the whole text in front of the command's words."""
    parts = re.split(r"@([A-Z_]+)@", f"sh -c '{text}' sh")
    return list(zip(parts[::2], [*parts[1::2], None]))


def literal(text):
    escaped = re.sub(r'(["?\\])', r"\\\1", text)  # ? because of trigraphs
    rows = re.findall(rf".{{1,{ROW}}}(?<!\\)(?:\\\\)*", escaped)
    assert "".join(rows) == escaped
    return "\n     ".join(f'"{row}"' for row in rows)


def main():
    source, header = sys.argv[1:]
    with open(source, encoding="ascii") as file:
        lines = file.readlines()
    out = [
        "// Made from bounded.sh. Edit that.",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstdint>",
        "#include <string_view>",
        "",
        "namespace sandproof::bounded {",
        "",
        "enum class Value : std::uint8_t { none, deadline, call_id };",
        "",
        "struct Piece {",
        "  std::string_view text;",
        "  Value then;",
        "};",
        "",
    ]
    names = tools(program(lines, "sealed", False))
    out.append(f"inline constexpr std::array<std::string_view, {len(names)}> k_tools{{")
    out += [*(f'    "{name}",' for name in names), "};", ""]
    for scheme in SCHEMES:
        for fraction in (False, True):
            rows = pieces(program(lines, scheme, fraction))
            name = f"k_{scheme}" + ("_fraction" if fraction else "")
            out.append(f"inline constexpr std::array<Piece, {len(rows)}> {name}{{{{")
            out += [f"    {{{literal(text)},\n     Value::{VALUES[then]}}}," for text, then in rows]
            out += ["}};", ""]
    out.append("}  // namespace sandproof::bounded")
    with open(header, "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()

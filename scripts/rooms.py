"""rooms.py ROOT [--write]: the drawings in doc say what the code does.

doc/rooms.dot is made from the #include lines. A room is a part of the repository, or a library of
others; an edge is drawn where a file of one includes a file of another. Without --write it must be that
already: who changes what a room uses changes a line of it. In doc/way.dot, which is drawn by hand,
each node's tooltip is "FILE: WORD", and the word must stand in what the file says to a compiler.
"""

import pathlib
import re
import sys

DRAWING = "doc/rooms.dot"
BY_HAND = "doc/way.dot"
ALL = "include/sandproof/sandproof.hpp"  # includes every header, and is in no room
# The first row that a path begins with is its room.
ROOMS = [
    ("include/sandproof/sandproof.h", "c"),
    ("include/sandproof/name_patterns.h", "patterns"),
    ("include/sandproof/azure_sandbox.h", "provider"),
    ("include/sandproof/data_plane.h", "provider"),
    ("include/sandproof/error.h", "provider"),
    ("include/sandproof/local_data_plane.h", "provider"),
    ("include/sandproof/operation.h", "provider"),
    ("include/sandproof/", "core"),
    ("src/core/", "core"),
    ("src/patterns/", "patterns"),
    ("src/provider/", "provider"),
    ("src/c/", "c"),
    ("src/cli/", "tool"),
    ("props/reference/", "reference"),
    ("props/", "props"),
    ("fuzz/", "fuzz"),
    ("bench/", "bench"),
    ("examples/", "examples"),
    ("consumers/", "examples"),
    ("sodium.h", "libsodium"),
    ("sodium/", "libsodium"),
    ("re2/", "re2"),
    ("nlohmann/", "json"),
]
# What the language and the system have, what tests run on, and what the build makes.
NO_ROOM = re.compile(r"[a-z_]+|(string|stdlib|stdio|signal|stdint|stddef|stdbool|locale)\.h|"
                     r"(unistd|fcntl|poll|sched|spawn|dirent)\.h|(sys|linux|sanitizer)/\w+\.h|"
                     r"(gtest|rapidcheck|benchmark|valgrind)/\w+\.h|rapidcheck\.h|"
                     r"bounded_program\.h|readme_\w+\.h")
LABELS = {
    "core": "core\\nsrc/core\\ndecisions: bytes to types or refusals",
    "patterns": "patterns\\nsrc/patterns\\na deployment's own",
    "provider": "provider\\nsrc/provider\\nverbs: requests out, answers in",
    "c": "C interface\\nsrc/c\\ntranslation",
    "tool": "tool\\nsrc/cli\\narguments, files, answers",
    "reference": "reference model\\nprops/reference\\nevery decision once more",
    "props": "properties\\nprops",
    "fuzz": "fuzz targets\\nfuzz",
    "bench": "benchmarks\\nbench",
    "examples": "examples and consumers",
    "libsodium": "libsodium",
    "re2": "RE2",
    "json": "nlohmann/json",
}
OTHERS = ("libsodium", "re2", "json")
TREES = ("include", "src", "props", "fuzz", "bench", "examples", "consumers")
SUFFIXES = (".h", ".hpp", ".cc", ".c")


class Unknown(Exception):
    """A file that is in no room."""


def room_of(path):
    for beginning, room in ROOMS:
        if path == beginning or beginning.endswith("/") and path.startswith(beginning):
            return room
    return None


def target_of(root, file, name, quoted):
    """The path, below root, of what a line of `file` includes; None for the standard library's."""
    places = ["include", "src", "props", "."]
    if quoted:
        places.insert(0, file.parent.relative_to(root).as_posix())
    for place in places:
        path = (root / place / name).resolve()
        if path.is_file() and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    if name.startswith("sandproof/"):
        return f"include/{name}"  # version.h, which is made
    if room_of(name):
        return name
    if not NO_ROOM.fullmatch(name):
        raise Unknown(f"{file.relative_to(root)} includes {name}, which is in no room; give it one in "
                      "scripts/rooms.py")
    return None


def edges_of(root):
    edges = set()
    for tree in TREES:
        for file in sorted((root / tree).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in SUFFIXES or path == ALL:
                continue
            room = room_of(path)
            if room is None:
                raise Unknown(f"{path} is in no room; give it one in scripts/rooms.py")
            text = file.read_text("utf-8")
            for bracket, name in re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', text, re.M):
                target = target_of(root, file, name, bracket == '"')
                if target is not None and target != ALL:
                    edges.add((room, room_of(target)))
    return {(one, other) for one, other in edges if one != other}


def drawing(edges):
    seen = [room for room in LABELS if any(room in edge for edge in edges)]
    lines = ["// Made by scripts/reference --write from the #include lines, which a test holds it to.",
             "digraph rooms {",
             '  graph [rankdir=BT, fontname="sans-serif"];',
             '  node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];',
             "  edge [arrowsize=0.7];"]
    for room in seen:
        shape = ", shape=ellipse" if room in OTHERS else ""
        lines.append(f'  {room} [label="{LABELS[room]}"{shape}];')
    lines.append(f"  {{ rank=max; {'; '.join(room for room in seen if room in OTHERS)}; }}")
    order = list(LABELS)
    lines += [f"  {one} -> {other};" for one, other in
              sorted(edges, key=lambda edge: (order.index(edge[0]), order.index(edge[1])))]
    return "\n".join([*lines, "}", ""])


def lies_of(root, text):
    """What the drawing by hand names, and the code does not."""
    tooltips = dict(re.findall(r'^ +(\w+) \[[^\]]*tooltip="([^"]+)"\];', text, re.M))
    chains = re.findall(r"^ +(\w+(?: -> \w+)+)", text, re.M)
    nodes = {node for chain in chains for node in chain.split(" -> ")}
    lies = [f"{BY_HAND}: {node} has no tooltip" for node in sorted(nodes - tooltips.keys())]
    for node, tooltip in tooltips.items():
        name, _, word = tooltip.partition(": ")
        path = root / name
        code = path.read_text("utf-8") if path.is_file() else ""
        if not re.search(rf"^(?!\s*(//|#)).*\b{re.escape(word or '?')}\b", code, re.M):
            lies.append(f"{BY_HAND}: {node}: {name} has no {word}")
    return lies or ([] if nodes else [f"{BY_HAND} has no edge"])


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    try:
        wanted = drawing(edges_of(root))
    except Unknown as problem:
        sys.exit(str(problem))
    path = root / DRAWING
    if sys.argv[2:] == ["--write"]:
        path.write_text(wanted, "utf-8")
        return
    if lies := lies_of(root, (root / BY_HAND).read_text("utf-8")):
        sys.exit("\n".join(lies))
    given = path.read_text("utf-8") if path.exists() else ""
    if given != wanted:
        new, old = set(wanted.splitlines()), set(given.splitlines())
        sys.exit("\n".join([f"{DRAWING} is not what is included; scripts/reference --write draws it anew.",
                            *(f"  included, not drawn: {line.strip()}" for line in sorted(new - old)),
                            *(f"  drawn, not included: {line.strip()}" for line in sorted(old - new))]))


if __name__ == "__main__":
    main()

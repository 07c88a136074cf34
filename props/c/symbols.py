"""symbols.py HEADER MAP LIBRARY USES_EACH BAD_CALLS: what the shared library shows is the C interface.

It defines exactly the functions that the header declares, each under the one version of the map, and
no other symbol; its SONAME is what callers are linked to. The two sources must name every function:
the one that uses each, and the one that calls each wrongly.
"""

import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def main():
    header, exports, library, uses_each, bad_calls = sys.argv[1:]
    declared = re.findall(r"^[a-z].*?\b(sandproof_\w+)\(", without_comments(read(header)), re.M)
    version = re.search(r"^(SANDPROOF_\d+) \{", read(exports), re.M)[1]

    wanted = {f"T {name}@@{version}" for name in declared} | {f"A {version}"}
    shown = {line.split(maxsplit=1)[1] for line in
             output_of("nm", "--dynamic", "--defined-only", library).splitlines()}
    soname = re.search(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "--dynamic", library))[1]

    problems = [f"not shown: {each}" for each in sorted(wanted - shown)]
    problems += [f"shown and not declared: {each}" for each in sorted(shown - wanted)]
    if len(declared) != len(set(declared)) or len(declared) < 50:
        problems.append(f"the header was not understood: {declared}")
    if soname != "libsandproof_c.so." + version.rpartition("_")[2]:
        problems.append(f"SONAME {soname} does not go with {version}")
    for name in declared:
        if not re.search(rf"\b{name}\b", read(uses_each)):
            problems.append(f"{uses_each} does not use {name}")
        takes_arguments = name != "sandproof_version" and not name.endswith("_free")
        if takes_arguments and not re.search(rf"\b{name}\b", read(bad_calls)):
            problems.append(f"{bad_calls} does not call {name}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(declared)} functions, {soname}")


if __name__ == "__main__":
    main()

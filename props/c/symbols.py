"""symbols.py HEADER MAP LIBRARY USES_EACH BAD_CALLS: what the shared library shows is the C interface.

It defines exactly the functions that the header declares, each under the one version of the map, and
no other symbol; its SONAME is what callers are linked to. The two sources must name every function:
the one that uses each, and the one that calls each wrongly.
"""

import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import c_abi  # noqa: E402


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def main():
    header, exports, library, uses_each, bad_calls = sys.argv[1:]
    declared = c_abi.declared_functions(read(header))
    version = c_abi.symbol_version(read(exports))

    wanted = {f"T {name}@@{version}" for name in declared} | {f"A {version}"}
    shown = {line.split(maxsplit=1)[1] for line in
             output_of("nm", "--dynamic", "--defined-only", library).splitlines()}
    soname = re.search(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "--dynamic", library))[1]

    problems = [f"not shown: {each}" for each in sorted(wanted - shown)]
    problems += [f"shown and not declared: {each}" for each in sorted(shown - wanted)]
    if len(declared) != len(set(declared)) or len(declared) < 50:
        problems.append(f"the header was not understood: {declared}")
    if soname != c_abi.soname_of(version):
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

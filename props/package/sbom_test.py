"""sbom_test.py SBOM ROOT VERSION NAME=VERSION... -- GENERATOR...: the bill of materials is right.

SBOM, which was built, has every field that SPDX 2.3 demands, names that are one thing each,
relationships whose ends are there, and the digests, the verification code and the list of the files
that are below ROOT. GENERATOR, what makes it, gives the same bytes again, from ROOT and from a copy.
Then each slip of a table is made in what was read, and must be noticed.
"""

import copy
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TEXT = {"type": str, "like": r".+"}
ID = {"type": str, "like": r"SPDXRef-[A-Za-z0-9.-]+"}
WHERE = {"type": str, "like": r"NOASSERTION|NONE|[a-z+]+://.+"}
# What must be there, of which type and form: clauses 6, 7, 8 and 11 of the specification.
DOCUMENT = {
    "spdxVersion": {"type": str, "like": r"SPDX-2\.3"},
    "dataLicense": {"type": str, "like": r"CC0-1\.0"},
    "SPDXID": {"type": str, "like": r"SPDXRef-DOCUMENT"},
    "name": TEXT,
    "documentNamespace": {"type": str, "like": r"https?://[^#\s]+"},
    "creationInfo": {"type": dict},
    "packages": {"type": list},
    "files": {"type": list},
    "relationships": {"type": list},
}
CREATION = {
    "created": {"type": str, "like": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"},
    "creators": {"type": list},
}
PACKAGE = {"SPDXID": ID, "name": TEXT, "downloadLocation": WHERE,
           "filesAnalyzed": {"type": bool}, "licenseConcluded": TEXT, "licenseDeclared": TEXT,
           "copyrightText": TEXT}
FILE = {"SPDXID": ID, "fileName": {"type": str, "like": r"\./[^/].*"}, "checksums": {"type": list},
        "licenseConcluded": TEXT, "licenseInfoInFiles": {"type": list}, "copyrightText": TEXT}
RELATIONSHIP = {"spdxElementId": ID, "relatedSpdxElement": ID,
                "relationshipType": {"type": str, "like": r"DESCRIBES|CONTAINS|DEPENDS_ON"}}


def lacks(what, thing, fields):
    problems = []
    for name, rule in fields.items():
        value = thing.get(name)
        if not isinstance(value, rule["type"]) or value == []:
            problems.append(f"{what}: no {name}")
        elif "like" in rule and not re.fullmatch(rule["like"], value):
            problems.append(f"{what}: {name} is {value!r}")
    return problems


# What may lie about among the sources and is none. A file that is neither one of these nor listed is a
# kind of source that the generator has to be told of.
NO_SOURCES = ("src/c/abi/*", "*~", "*.orig", "*.rej", "*.bak", "*.o", "*.pyc", "*#")
STRAYS = ("operation.cc~", "operation.cc.orig", "operation.cc.rej", "#operation.cc#", "#operation.cc",
          ".operation.cc.swp", ".#operation.cc", "operation.o", "core", "notes.txt")
TIMES = {"0": "1970-01-01T00:00:00Z", "": "1970-01-01T00:00:00Z", "253402300799": "9999-12-31T23:59:59Z"}
NO_TIMES = ("yesterday", "-1", "1.5", "1_000", " 1", "1\n", "\u0661", "253402300800", "9" * 5000)


def source_names(root):
    names = {"LICENSE", "meson.build", "meson_options.txt"}
    for top in ("include", "src"):
        for path in (root / top).rglob("*"):
            parts = path.relative_to(root).parts
            name = "/".join(parts)
            if path.is_file() and not any(part.startswith((".", "#", "__")) for part in parts) and \
                    not any(fnmatch.fnmatchcase(name, each) for each in NO_SOURCES):
                names.add(name)
    return names


def problems_of(said, root, version, found):
    problems = lacks("the document", said, DOCUMENT)
    problems += lacks("the creation", said.get("creationInfo", {}), CREATION)
    for each in said.get("packages", []):
        problems += lacks(f"package {each.get('name')}", each, PACKAGE)
    for each in said.get("files", []):
        problems += lacks(f"file {each.get('fileName')}", each, FILE)
    for each in said.get("relationships", []):
        problems += lacks(f"relationship {each}", each, RELATIONSHIP)
    if problems:
        return problems

    packages, files = said["packages"], said["files"]
    ids = [said["SPDXID"], *(each["SPDXID"] for each in packages + files)]
    problems += [f"{each} names two things" for each in set(ids) if ids.count(each) > 1]
    relations = [(each["spdxElementId"], each["relationshipType"], each["relatedSpdxElement"])
                 for each in said["relationships"]]
    problems += [f"{each}: there is no such thing" for one, _, other in relations
                 for each in (one, other) if each not in ids]

    # Debian's re2.pc says 0.0.0, which is no version of RE2.
    versions = {each["name"]: each.get("versionInfo", "0.0.0") for each in packages}
    if versions != {"sandproof": version, **found} or "0.0.0" in (
            each.get("versionInfo") for each in packages) or len(versions) != len(packages):
        problems.append(f"packages {versions}, not sandproof {version} and {found}")
        return problems
    library, *others = sorted(packages, key=lambda each: each["name"] != "sandproof")
    wanted = [(said["SPDXID"], "DESCRIBES", library["SPDXID"]),
              *((library["SPDXID"], "DEPENDS_ON", each["SPDXID"]) for each in others),
              *((library["SPDXID"], "CONTAINS", each["SPDXID"]) for each in files)]
    if sorted(relations) != sorted(wanted):
        problems.append(f"relationships: {sorted(set(relations) ^ set(wanted))[:3]}")
    if library["licenseDeclared"] != "Apache-2.0" or not library["filesAnalyzed"]:
        problems.append("sandproof is Apache-2.0, and its files are listed")
    problems += [f"the files of {each['name']} are not here" for each in others
                 if each["filesAnalyzed"]]

    names = [each["fileName"].removeprefix("./") for each in files]
    problems += [f"{each}: listed, and not there, or not listed once" for each in
                 sorted(set(names) ^ source_names(root)) + [n for n in names if names.count(n) > 1]]
    if problems:
        return problems
    sums = []
    for name, each in zip(names, files):
        content = (root / name).read_bytes()
        digests = {"SHA1": hashlib.sha1(content).hexdigest(),
                   "SHA256": hashlib.sha256(content).hexdigest()}
        sums.append(digests["SHA1"])
        if {each["algorithm"]: each["checksumValue"] for each in each["checksums"]} != digests:
            problems.append(f"{name}: other digests than {digests}")
    code = hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()
    if library.get("packageVerificationCode") != {"packageVerificationCodeValue": code}:
        problems.append(f"the verification code is not {code}")
    return problems


# One slip each, in what was read.
SLIPS = [
    ("no namespace", lambda said: said.pop("documentNamespace")),
    ("another licence of the data", lambda said: said.update(dataLicense="Apache-2.0")),
    ("a time that is none", lambda said: said["creationInfo"].update(created="yesterday")),
    ("nobody made it", lambda said: said["creationInfo"].update(creators=[])),
    ("no place to load from", lambda said: said["packages"][1].pop("downloadLocation")),
    ("another version", lambda said: said["packages"][0].update(versionInfo="0.0.0")),
    ("another version of a library", lambda said: said["packages"][1].update(versionInfo="0.0.0")),
    ("a version that is none", lambda said: said["packages"][-1].update(versionInfo="0.0.0")),
    ("a library is missing", lambda said: said["packages"].pop()),
    ("a name that SPDX does not take", lambda said: said["files"][0].update(SPDXID="SPDXRef-a_b")),
    ("one name for two", lambda said: said["files"][0].update(SPDXID=said["files"][1]["SPDXID"])),
    ("an end that is nowhere", lambda said: said["relationships"][-1].update(
        relatedSpdxElement="SPDXRef-nowhere")),
    ("a relationship is missing", lambda said: said["relationships"].pop()),
    ("a relationship is turned round", lambda said: said["relationships"][0].update(
        relationshipType="CONTAINS")),
    ("a file is missing", lambda said: said["files"].pop()),
    ("a file that is not there", lambda said: said["files"][0].update(fileName="./src/none.cc")),
    ("another digest", lambda said: said["files"][0]["checksums"][1].update(checksumValue="0" * 64)),
    ("no SHA1", lambda said: said["files"][0]["checksums"].pop(0)),
    ("another verification code", lambda said: said["packages"][0].update(
        packageVerificationCode={"packageVerificationCodeValue": "0" * 40})),
]


def generate(generator, root, version, found, directory, **environment):
    return subprocess.run([*generator, root, directory / "sbom.json", directory / "depfile", version,
                           *(f"{name}={of}" for name, of in found.items())],
                          stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, **environment})


def made_by(generator, root, version, found, directory, **environment):
    done = generate(generator, root, version, found, directory, **environment)
    if done.returncode != 0:
        sys.exit(f"the generator failed (status {done.returncode}):\n{done.stderr}")
    return (directory / "sbom.json").read_bytes()


def time_problems(*made):
    """What is wrong with what is made at each of the times, and at what is none."""
    for text, wanted in TIMES.items():
        got = json.loads(made_by(*made, SOURCE_DATE_EPOCH=text))["creationInfo"]["created"]
        if got != wanted:
            yield f"SOURCE_DATE_EPOCH={text} gives {got}, not {wanted}"
    for text in NO_TIMES:
        done = generate(*made, SOURCE_DATE_EPOCH=text)
        if done.returncode != 1 or not done.stderr.startswith("sbom.py: SOURCE_DATE_EPOCH is "):
            yield f"SOURCE_DATE_EPOCH={text[:20]!a}: status {done.returncode}: {done.stderr[:500]}"


def main():
    end = sys.argv.index("--")
    sbom, root, version, *found = sys.argv[1:end]
    generator, root = sys.argv[end + 1:], pathlib.Path(root)
    found = dict(each.split("=", 1) for each in found)
    built = pathlib.Path(sbom).read_bytes()
    said = json.loads(built)
    problems = problems_of(said, root, version, found)

    for title, slip in SLIPS if not problems else []:
        wrong = copy.deepcopy(said)
        slip(wrong)
        if not problems_of(wrong, root, version, found):
            problems.append(f"this test does not notice: {title}")

    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        time = {"SOURCE_DATE_EPOCH": "1000000000"}
        first = made_by(generator, root, version, found, directory, **time)
        tree = directory / "another place"
        for top in ("include", "src"):
            shutil.copytree(root / top, tree / top)
        for name in ("LICENSE", "meson.build", "meson_options.txt"):
            shutil.copyfile(root / name, tree / name)
        if made_by(generator, tree, version, found, directory, **time) != first:
            problems.append("a copy gives other bytes")
        if json.loads(first)["creationInfo"]["created"] != "2001-09-09T01:46:40Z":
            problems.append("SOURCE_DATE_EPOCH is not when it was made")
        for name in STRAYS:
            (tree / "src/provider" / name).write_text("", "utf-8")
        if made_by(generator, tree, version, found, directory, **time) != first:
            problems.append("what lies about among the sources is listed")
        problems += time_problems(generator, tree, version, found, directory)
        (tree / "src/core/more.cc").write_text("", "utf-8")
        more = json.loads(made_by(generator, tree, version, found, directory, **time))
        if more["documentNamespace"] == json.loads(first)["documentNamespace"]:
            problems.append("two documents have one namespace")
        needed = re.split(r"(?<!\\)\s", (directory / "depfile").read_text("utf-8"))
        if str(tree / "src/core").replace(" ", "\\ ") not in needed:
            problems.append("a new file would not be seen")
        if "SOURCE_DATE_EPOCH" not in os.environ:
            if made_by(generator, root, version, found, directory) != built:
                problems.append("another run gives other bytes")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(said['files'])} files, {len(found)} libraries, {len(SLIPS)} slips noticed")


if __name__ == "__main__":
    main()

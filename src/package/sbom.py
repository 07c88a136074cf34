"""sbom.py ROOT OUTPUT DEPFILE VERSION NAME=VERSION...: the software bill of materials, SPDX 2.3 in JSON.

It names the library, every source file below include and src and what configures the build, each with its
digests, and the libraries of others that the build found, NAME=VERSION. The bytes depend on nothing
else: the time of creation is SOURCE_DATE_EPOCH, or the beginning of 1970 where that is not set, and the
name of the document is made from what the document says.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

FILES = ["LICENSE", "meson.build", "meson_options.txt"]
DIRECTORIES = ["include", "src"]
# What a source file ends in. An editor's or a merge's copy, and what was recorded, is none.
SUFFIXES = {".build", ".cc", ".h", ".hpp", ".in", ".map", ".py", ".sh"}
LAST_SECOND = 253402300799  # of the year 9999, which is the last that the form of a date has
# What the build may find: its licence, and what it is to the library.
LIBRARIES = {
    "libsodium": ("ISC", "DEPENDS_ON", "the core is linked with it"),
    "re2": ("BSD-3-Clause", "DEPENDS_ON", "the name patterns and the tool are linked with it"),
    "nlohmann_json": ("MIT", "DEPENDS_ON", "compiled into the core and the tool from its headers"),
}
# What a pkg-config file says that was made without knowing the version, and Meson where it says none.
NO_VERSION = ("0.0.0", "unknown", "undefined")
LICENSE = "Apache-2.0"
UNSAID = "NOASSERTION"
PACKAGE = "SPDXRef-Package-sandproof"


def sources(root):
    """Every source file and every directory that holds some, by path; nothing hidden or generated."""
    files, directories = [root / name for name in FILES], []
    for top in DIRECTORIES:
        for where, below, names in os.walk(root / top):
            below[:] = sorted(name for name in below if not name.startswith((".", "__")))
            directories.append(pathlib.Path(where))
            files += [pathlib.Path(where, name) for name in names
                      if not name.startswith((".", "#")) and pathlib.Path(name).suffix in SUFFIXES]
    return sorted(files), directories


def file_entry(root, path):
    name = path.relative_to(root).as_posix()
    content = path.read_bytes()
    return {
        # Two names must not become one, whatever their characters.
        "SPDXID": f"SPDXRef-File-{re.sub('[^A-Za-z0-9.]', '-', name)}-"
                  f"{hashlib.sha256(name.encode()).hexdigest()[:8]}",
        "fileName": f"./{name}",
        "fileTypes": ["SOURCE"],
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()},
        ],
        "licenseConcluded": LICENSE,
        "licenseInfoInFiles": [UNSAID],
        "copyrightText": UNSAID,
    }


def verification_code(files):
    digests = sorted(file["checksums"][0]["checksumValue"] for file in files)
    return hashlib.sha1("".join(digests).encode()).hexdigest()


def library_entry(name, version):
    stated = {} if version in NO_VERSION else {"versionInfo": version}
    return {
        "SPDXID": f"SPDXRef-Package-{name.replace('_', '-')}",
        "name": name,
        **stated,
        "downloadLocation": UNSAID,
        "filesAnalyzed": False,
        "licenseConcluded": UNSAID,
        "licenseDeclared": LIBRARIES[name][0],
        "copyrightText": UNSAID,
        "primaryPackagePurpose": "LIBRARY",
    }


def relationship(one, kind, other, **more):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other, **more}


def created():
    """When it was made, as the environment says."""
    text = os.environ.get("SOURCE_DATE_EPOCH") or "0"
    if not re.fullmatch("[0-9]{1,12}", text) or int(text) > LAST_SECOND:
        sys.exit(f"sbom.py: SOURCE_DATE_EPOCH is {text!a}, and has to be seconds since 1970, in digits, at "
                 f"most {LAST_SECOND}; set it right, or unset it")
    return datetime.datetime.fromtimestamp(int(text), datetime.timezone.utc)


def document(root, files, version, found):
    entries = [file_entry(root, path) for path in files]
    libraries = [library_entry(name, of) for name, of in sorted(found.items())]
    said = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"sandproof-{version}",
        "creationInfo": {
            "created": created().strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: sandproof-sbom-{version}"],
        },
        "packages": [{
            "SPDXID": PACKAGE,
            "name": "sandproof",
            "versionInfo": version,
            "downloadLocation": UNSAID,
            "filesAnalyzed": True,
            "packageVerificationCode": {"packageVerificationCodeValue": verification_code(entries)},
            "licenseConcluded": LICENSE,
            "licenseDeclared": LICENSE,
            "licenseInfoFromFiles": [UNSAID],
            "copyrightText": UNSAID,
            "primaryPackagePurpose": "LIBRARY",
        }, *libraries],
        "files": entries,
        "relationships": [
            relationship("SPDXRef-DOCUMENT", "DESCRIBES", PACKAGE),
            *(relationship(PACKAGE, LIBRARIES[each["name"]][1], each["SPDXID"],
                           comment=LIBRARIES[each["name"]][2]) for each in libraries),
            *(relationship(PACKAGE, "CONTAINS", each["SPDXID"]) for each in entries),
        ],
    }
    digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()
    said["documentNamespace"] = f"https://sandproof.invalid/spdx/sandproof-{version}-{digest}"
    return said


def main():
    root, output, depfile, version, *found = sys.argv[1:]
    root = pathlib.Path(root)
    found = dict(each.split("=", 1) for each in found)
    if unknown := found.keys() - LIBRARIES.keys():
        sys.exit(f"sbom.py: {', '.join(sorted(unknown))}: say in LIBRARIES what its licence is")
    files, directories = sources(root)
    text = json.dumps(document(root, files, version, found), indent=1) + "\n"
    pathlib.Path(output).write_text(text, "utf-8")
    # A directory changes when a file comes or goes.
    needed = " ".join(str(path).replace(" ", "\\ ") for path in files + directories)
    pathlib.Path(depfile).write_text(f"{output}: {needed}\n", "utf-8")


if __name__ == "__main__":
    main()

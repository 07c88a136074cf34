#!/usr/bin/env python3
"""Runs every vector file through the tool's batch mode.

    run_vectors.py TOOL DIRECTORY

DIRECTORY holds one file a kind, KIND.jsonl, one vector a line: `id`, `request` (a line for the
batch) and `expect`, a subset of the answer; `kinds` in it is the sorted set of finding kinds. A
file that no command is known for is an error: a vector that nobody runs proves nothing.
"""

import json
import pathlib
import subprocess
import sys

CHECKED = ("session-id", "path", "env-name", "session-env", "domain", "deadline", "command")
COMMANDS = {kind: ["check", kind, "--batch"] for kind in CHECKED}
COMMANDS["quote"] = ["quote", "--batch"]
COMMANDS["report"] = ["report", "--batch"]
COMMANDS["egress"] = ["egress", "compare", "--batch"]


def status_of(answer):
    """The exit status that an answer would have alone."""
    if answer.get("verdict") == "unreadable":
        return 2
    if "holds" in answer:
        return 0 if answer["holds"] else 1
    if "outcome" in answer:
        return 0 if answer["outcome"] == "ran" else 1
    if "shell" in answer or "shell_hex" in answer:
        return 0
    return 0 if answer.get("verdict") == "accepted" else 1


def differences(expect, answer):
    """What the answer lacks, one sentence each."""
    for key, wanted in expect.items():
        if key == "kinds":
            given = sorted({finding["kind"] for finding in answer.get("findings", [])})
        else:
            given = answer.get(key)
        if given != wanted or type(given) is not type(wanted):
            yield f"{key} is {given!r}, not {wanted!r}"


def run_file(tool, path):
    """Prints each vector that fails, and gives how many passed and failed."""
    vectors = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if not vectors:
        print(f"{path.name}: no vectors")
        return 0, 1
    requests = "".join(json.dumps(vector["request"]) + "\n" for vector in vectors)
    run = subprocess.run([tool, *COMMANDS[path.stem]], input=requests.encode(),
                         stdout=subprocess.PIPE, check=False)
    lines = run.stdout.decode("ascii").splitlines()
    if len(lines) != len(vectors):
        print(f"{path.name}: {len(lines)} answers to {len(vectors)} vectors")
        return 0, len(vectors)
    failed = 0
    answers = [json.loads(line) for line in lines]
    for vector, answer in zip(vectors, answers):
        wrong = list(differences(vector["expect"], answer))
        if wrong:
            failed += 1
            print(f"{path.name}: {vector['id']}: {'; '.join(wrong)}; the answer: {answer}")
    worst = max(map(status_of, answers))
    if run.returncode != worst:
        failed += 1
        print(f"{path.name}: exit status {run.returncode}, not {worst}")
    return len(vectors) - failed, failed


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: run_vectors.py TOOL DIRECTORY")
    paths = sorted(pathlib.Path(sys.argv[2]).glob("*.jsonl"))
    if not paths:
        sys.exit(f"no vectors in {sys.argv[2]}")
    any_failed = False
    for path in paths:
        if path.stem not in COMMANDS:
            print(f"{path.name}: no command is known for it")
            any_failed = True
            continue
        passed, failed = run_file(sys.argv[1], path)
        any_failed |= failed > 0
        print(f"{path.name}: {passed} passed, {failed} failed")
    sys.exit(1 if any_failed else 0)


if __name__ == "__main__":
    main()

"""check_output.py EXPECTED PROGRAM...: runs an example and compares what it prints.

What happens at the same time may be printed in any order, so the lines that begin with the same word
are compared in their order, and those of different words are not.
"""

import itertools
import subprocess
import sys


def by_first_word(text):
    lines = sorted(text.splitlines(), key=lambda line: line.split()[:1])  # a stable sort
    return {word: list(group) for word, group in
            itertools.groupby(lines, key=lambda line: " ".join(line.split()[:1]))}


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: check_output.py EXPECTED PROGRAM...")
    with open(sys.argv[1], encoding="utf-8") as file:
        wanted = by_first_word(file.read())
    done = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          timeout=300, check=False)
    given = by_first_word(done.stdout)
    if done.returncode == 0 and given == wanted:
        return
    print(done.stdout)
    for word in sorted({*given, *wanted}):
        if given.get(word) != wanted.get(word):
            print(f"{word}: got {given.get(word)}, wanted {wanted.get(word)}")
    sys.exit(f"status {done.returncode}")


if __name__ == "__main__":
    main()

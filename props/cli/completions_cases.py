"""`completions`: what a shell offers is what the tool knows and its help says."""

import re
import shutil
import subprocess
import tempfile

from harness import TIMEOUT
from usage_cases import COMMANDS, GROUPS

FILES = "(files)"
# The arguments are the words as bash splits them; the last one is at the cursor.
BASH = r"""
set -u
source <("$TOOL" completions bash)
COMP_WORDS=(sandproof "$@") COMP_CWORD=$#
_sandproof
printf '%s\n' "${COMPREPLY[@]}"
"""
# zsh's own functions, as far as they are called.
ZSH = r"""
emulate -R zsh
compadd() { shift; print -rl -- "$@" }
compset() { PREFIX=${PREFIX#*=} }
_default() { print -r -- '(files)'; return 1 }
compdef() { }
"$TOOL" completions zsh >_sandproof
fpath=(. $fpath)
autoload -U _sandproof
words=(sandproof "$@") CURRENT=$(($# + 1)) PREFIX=${@[-1]}
_sandproof
"""
SHELLS = {"bash": ["bash", "--norc", "-c", BASH, "bash"], "zsh": ["zsh", "-f", "-c", ZSH, "zsh"]}
# Each place of which the tool knows all words, and what makes it look at the word there.
WORDS = [(["check"], []), (["completions"], []), (["check", "--families"], ["session-env", "A"]),
         (["wrap", "--scheme"], ["--deadline", "1s", "ls"]),
         (["report", "--scheme"], ["--exit-code", "0"]), (["egress", "compare", "--format"], []),
         (["egress", "compare", "--color"], []), (["egress", "why", "--color"], ["a"]),
         (["egress", "explain", "--color"], [])]


def offered(tool, shell, *words):
    """What a shell offers for the last word, in order; [FILES] where it looks for files instead."""
    done = subprocess.run([*SHELLS[shell], *words], env={"TOOL": tool.path, "PATH": "/usr/bin:/bin"},
                          cwd=offered.directory, capture_output=True, text=True, check=False,
                          timeout=TIMEOUT)
    found = [*done.stdout.split(), *done.stderr.splitlines()]
    last = words[-1].rpartition("=")[2]
    # bash was asked for what begins like the word; zsh does that by itself.
    found = [word for word in found if shell == "bash" or word == FILES or word.startswith(last)]
    return sorted(found) or ([FILES] if shell == "bash" else [])


def shells(test):
    """Runs the test for each shell that is installed."""
    def wrapped(tool, report):
        for shell in SHELLS:
            if shutil.which(shell) is None:
                print(f"skipped: {shell} (not installed)")
                continue
            with tempfile.TemporaryDirectory() as offered.directory:
                test(tool, report, shell)
    wrapped.__name__ = test.__name__
    return wrapped


def options_of(tool, *command):
    text = tool.run(*command, "--help").out
    return re.findall(r"^  (--[a-z-]+)", text, re.M)


def test_help(tool, report, shell):
    for command in COMMANDS:
        report.same(f"{shell}: options of {command}",
                    offered(tool, shell, *command, "-"), sorted(options_of(tool, *command)))
    names = {"": {command[0] for command in COMMANDS} | {"--help", "--version"}}
    for group in GROUPS[1:]:
        names[group[0]] = {command[1] for command in COMMANDS if command[:1] == group}
        report.same(f"{shell}: options of {group}", offered(tool, shell, *group, "-"), ["--help"])
    for group, words in names.items():
        report.same(f"{shell}: commands of {group!r}",
                    offered(tool, shell, *([group] if group else []), ""), sorted(words))


def test_words(tool, report, shell):
    """Where the tool takes some words only, they are the ones that its complaint names."""
    for words, more in WORDS:
        complaint = tool.run(*words, "no-such-word", *more).err
        named = re.search(r"(?:give one of|give|use) ([a-z, -]+)", complaint)
        report.true(f"{words}: a complaint", named, complaint)
        report.same(f"{shell}: {words}", offered(tool, shell, *words, ""),
                    sorted(re.split(", | or ", named[1])))


def test_places(tool, report, shell):
    split = ["=", "js"] if shell == "bash" else None
    compare = ["egress", "compare"]
    cases = [
        (["e"], ["egress"]), (["egress", "w"], ["watch", "why"]), (["egress", "nothing", ""], [FILES]),
        (["check", "session-"], ["session-env", "session-id"]), (["wrap", "--sch"], ["--scheme"]),
        (["wrap", "--scheme", ""], ["nonce", "sealed"]), (["wrap", "--deadline", ""], [FILES]),
        (["wrap", "--deadline", "1s", "--s"], ["--scheme"]),
        (["wrap", "--json", "ls", "--s"], [FILES]), (["wrap", "--", "--s"], [FILES]),
        (["check", "path", "--js"], ["--json"]), (["check", "--", "--js"], [FILES]),
        (["doctor", "chroot", "--"], [FILES]), (["run", "--env", "A", "-"],
                                                ["--cwd", "--deadline", "--env", "--help"]),
        ([*compare, "--format", "j"], ["json", "junit"]), ([*compare, "--declared", ""], [FILES]),
        (["completions", ""], ["bash", "fish", "zsh"]), (["nothing", ""], [FILES]),
        (["check", "path", ""], [FILES]), (["check", "--json", "pa"], ["path"]),
        (["wrap", "--deadline", "--s"], [FILES]),
    ]
    cases.append(([*compare, *(["--format", *split] if split else ["--format=js"])], ["json"]))
    if split:
        cases.append(([*compare, "--color", "="], ["always", "auto", "never"]))
        cases.append(([*compare, "--format", "=", "json", "--col"], ["--color"]))
        for value in (["A", "=", "B"], ["=", "A", "=", "B", ":", "C"], ["A", "="], ["A", "=:", "B"]):
            cases.append((["wrap", "--env", *value, "--sch"], ["--scheme"]))
        cases += [(["wrap", "--env", "A", "=", "B", "ls", "--sch"], [FILES]),
                  (["wrap", "--env", "A", "=", ""], [FILES]), (["wrap", "--env", "A", "="], [FILES])]
    for words, wanted in cases:
        report.same(f"{shell}: {words}", offered(tool, shell, *words), wanted)


def test_fish(tool, report):
    """fish's lines name what the others offer; where fish is installed, it reads them."""
    text = tool.run("completions", "fish").out
    for command in COMMANDS:
        last = f"seen_subcommand_from {command[-1]}; and not __sandproof_options_end [^']*'"
        found = re.findall(rf"^complete -c sandproof -n '[^']*{last} -l ([a-z-]+)", text, re.M)
        report.same(f"fish: options of {command}", sorted("--" + name for name in found),
                    sorted(set(options_of(tool, *command)) - {"--help"}))
        report.true(f"fish: {command}", re.search(
            rf"^complete -c sandproof -n '.*' -f -a {command[-1]} -d '", text, re.M))
    report.same("fish: places with words", len(re.findall(r" -(?:x|f) -a '", text)), len(WORDS))
    report.true("fish: words of an option", "-l scheme -x -a 'sealed nonce'\n" in text)
    report.true("fish: a value of any kind", "-l deadline -r\n" in text)
    report.true("fish: a quote", "a wrapped command\\'s" in text)
    if shutil.which("fish"):
        run = subprocess.run(["fish", "--no-execute"], input=text, capture_output=True, text=True,
                             check=False, timeout=TIMEOUT)
        report.same("fish reads it", (run.returncode, run.stderr), (0, ""))
        for line, wanted in (("wrap --sch", "--scheme"), ("wrap --deadline 1s --sch", "--scheme"),
                             ("wrap ls --sch", ""), ("wrap -- --sch", ""), ("check path --js", "--json"),
                             ("check -- --js", ""), ("egress watch --eve", "--every"),
                             ("egress watch cat --eve", "")):
            run = subprocess.run(
                ["fish", "--no-config", "-c", f"{text}\ncomplete -C 'sandproof {line}'"],
                capture_output=True, text=True, check=False, timeout=TIMEOUT)
            report.same(f"fish: {line}", (run.stdout.split("\t")[0].strip(), run.stderr), (wanted, ""))


TESTS = (shells(test_help), shells(test_words), shells(test_places), test_fish)

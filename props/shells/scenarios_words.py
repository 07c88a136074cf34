"""What the command gets: its words, variables, descriptors and environment, and nothing else."""
import os
import re

from call import read, which
from scenario import LONG_DEADLINE, TOOLS, Broken, Skip, dash, python, scenario

HOSTILE = [
    "", " ", "'", "''", "'\\''", '"', "\\", "\\\\'", "$HOME", "$(touch marker)", "`id`", "*", "?",
    "~", "-n", "--", "-", "a b", "a\tb", "a\nb", "\n", "\r", "\x01\x1b[31m\x7f", "!!", "#x", ";",
    "&", "|", "<", ">", "(", "{", "}", "A=b", "@CALL_ID@", "${IFS}", "\\c", "%s%n", "é ü 漢 😀",
    "'; kill -9 -1; '", "x" * 60000,
]
SHOW_WORDS = "import sys,os;os.write(1,b''.join(os.fsencode(a)+b'\\0' for a in sys.argv[1:]))"
SHOW_VARIABLES = ("import os;"
                  "os.write(1,b'\\0'.join(k+b'='+v for k,v in sorted(os.environb.items())))")


@scenario("hostile words", core=True)
def _(run):
    r = run.call(python(SHOW_WORDS, *HOSTILE), LONG_DEADLINE)
    run.expect(r, exit=0, rest=b"")
    if r.out != b"".join(os.fsencode(word) + b"\0" for word in HOSTILE):
        raise Broken(f"words changed: {r.out[:200]!r}")
    r = run.call(python(SHOW_WORDS, *map(str, range(3000))), LONG_DEADLINE)
    run.expect(r, exit=0, rest=b"")
    if r.out.count(b"\0") != 3000:
        raise Broken("words lost")
    run.nothing_left()


@scenario("bytes that are not text")
def _(run):
    """The tool refuses such words; the wrapper would pass them. yash decodes its program in its
    locale and runs nothing at all, exit 0: nobody may take that for a command that ran."""
    words = [os.fsdecode(b"\xff\xfe"), "é"]
    for lang in ("C.UTF-8", "C"):
        r = run.call(python(SHOW_WORDS, *words), LONG_DEADLINE, image=run.image(LANG=lang),
                     is_text=False)
        if run.shell == "yash" and r.report["outcome"] == "unverified" and r.out == b"":
            run.notes.append(f"{lang}: nothing ran, unverified")
            continue
        run.expect(r, exit=0, rest=b"")
        if r.out != b"\xff\xfe\0\xc3\xa9\0":
            raise Broken(f"words changed: {r.out!r}")
    run.nothing_left()


@scenario("T1 option-like program", core=True)
def _(run):
    run.expect(run.call(["-f", "sleep", "7"], 2000), exit=127, late=5)
    run.expect(run.call(["--fork", "sleep", "7"], 2000), exit=127, late=5)
    run.nothing_left()


@scenario("command variables")
def _(run):
    fake = run.path_of(fake={name: f"echo {name} >>{run.marker}\nexit 0\n"
                             for name in (*TOOLS, "kill", "wait", "echo", "env", "trap")})
    variables = {"PATH": fake, "LD_PRELOAD": "/nonexistent.so", "LD_LIBRARY_PATH": fake,
                 "IFS": "0123456789", "Q": "it's \"quoted\" $HOME `id` \\", "NL": "a\nb\n",
                 "EMPTY": "", "sp_pid": "1", "SHELLOPTS": "xtrace", "UTF": "é"}
    r = run.call(python(SHOW_VARIABLES), LONG_DEADLINE, variables)
    run.expect(r, exit=0)
    got = dict(entry.split(b"=", 1) for entry in r.out.split(b"\0"))
    for name, value in variables.items():
        if got.get(name.encode()) != value.encode():
            raise Broken(f"{name}: {got.get(name.encode())!r}")
    r = run.call(["/usr/bin/sleep", "48"], 500, variables)
    run.expect(r, exit=137, killed=True)
    if os.path.exists(run.marker):
        raise Broken(f"the wrapper ran the command's tools: {read(run.marker)!r}")
    run.nothing_left()


@scenario("stdin, descriptors, environment")
def _(run):
    r = run.call(dash("cat; ls /proc/self/fd | tr -d '\\n'"), LONG_DEADLINE)
    run.expect(r, exit=0, rest=b"")
    if r.out != b"0123":
        raise Broken(f"stdin or descriptors: {r.out!r}")
    names = sorted(set(re.findall(rb"\b(sp_\w+)=", read(run.source))))
    image = run.image(**{name.decode(): "y" for name in names})
    r = run.call(["env"], LONG_DEADLINE, image=image)
    run.expect(r, exit=0, rest=b"")
    found = [name for name in names if re.search(rb"^%s=" % name, r.out, re.M)]
    if found or any(secret in r.out for secret in run.secrets_of(r)):
        raise Broken(f"in the command's environment: {found}")
    run.expect(run.call(["sleep", "49"], 400, image=image), exit=137, killed=True, rest=b"")
    run.nothing_left()


@scenario("what is executed", core=True)
def _(run):
    """No secret in an argument vector; after the command has started, only it and sleep."""
    if not which("strace"):
        raise Skip("strace is not installed")
    for argv, milliseconds in ((["true"], LONG_DEADLINE), (["sleep", "50"], 800)):
        killed = argv[0] == "sleep"
        trace = os.path.join(run.dir, "trace")
        r = run.call(argv, milliseconds, trace=trace, guard=30)
        if b"PTRACE" in r.err or b"ptrace" in r.err:
            raise Skip("tracing is not allowed here")
        run.expect(r, exit=137 if killed else 0, killed=killed)
        lines = [line for line in read(trace).decode().splitlines() if "execve(" in line]
        last = re.search(r"(?:exit|deadline) ([0-9a-f]{32})", r.err.decode())
        if run.sealed and any(last[1] in line for line in lines):
            raise Broken("a secret in an argument vector")
        words = [re.search(r'execve\("([^"]*)"', line)[1].rpartition("/")[2] for line in lines
                 if line.rstrip().endswith(("= 0", "<unfinished ...>"))]
        after = words[words.index("setsid") + 1:] if "setsid" in words else None
        # setsid is tried in one directory of PATH after the other
        if after is None or not set(after) <= {"setsid", "sleep", argv[0]}:
            raise Broken(f"executed: {words}")
    run.nothing_left()


@scenario("temporary files")
def _(run):
    """Nothing is written anywhere: TMPDIR and HOME lead nowhere."""
    image = run.image(TMPDIR="/nonexistent", TMP="/nonexistent", HOME="/nonexistent")
    run.expect(run.call(dash("exit 3"), LONG_DEADLINE, image=image), exit=3, rest=b"")

"""What the command may try against the wrapper that holds it."""
import os
import secrets

from call import which
from scenario import Broken, Skip, attack, dash, python, scenario

# The call id, as a command can read it.
CALL_ID = ("import os,re,hashlib\n"
           "i=re.search(rb'sandproof1 ([0-9a-f]{32})',"
           "open('/proc/%d/cmdline'%os.getppid(),'rb').read())[1]\n")


@scenario("T2 the sleeper is killed", core=True)
def _(run):
    for name in ("KILL", "TERM", "USR1"):
        r = run.call(attack(f"kill -{name} $S; sleep 53"), 20000)
        run.expect(r, exit=137, killed=False, attested=False)
    run.nothing_left()


@scenario("T3 stderr is read back", core=True)
def _(run):
    """nonce is forged by this: the control that the attack works."""
    take = {"file": "t=open('/proc/self/fd/2','rb').read()",
            "slow": "f=os.open('/proc/self/fd/2',os.O_RDONLY|os.O_NONBLOCK);t=os.read(f,4096);"
                    "os.write(2,t)"}  # a pipe is drained by reading: written back
    for how, step in take.items():
        script = (f"import os,re\n{step}\nos.write(1,t)\nall=re.findall(rb'[0-9a-f]{{32}}',t)\n"
                  "for h in all: os.write(2,b'sandproof1 %s deadline %s\\n'%(all[0],h))\n"
                  "os.kill(os.getpid(),9)\n")
        r = run.call(python(script), 20000, stderr=how)
        if b"\n" not in r.out:
            raise Broken(f"the attack did not read anything: {r}")
        if not run.sealed:
            if not r.report["killed"]:
                raise Broken(f"control: nonce should have been forged: {r}")
            run.notes.append("control: forged")
            continue
        run.expect(r, exit=137, killed=False)
        if any(secret in r.out for secret in run.secrets_of(r)[-1:]):
            raise Broken("a secret was read")
    run.nothing_left()


@scenario("T4 stderr is truncated", core=True)
def _(run):
    r = run.call(dash(": >/proc/self/fd/2; exit 0"), 20000, stderr="file")
    if r.report["outcome"] != "unverified" or r.exit != 0:
        raise Broken(f"exit {r.exit}, outcome {r.report['outcome']}: {r}")
    run.nothing_left()


@scenario("T5 killer and wrapper are killed", core=True)
def _(run):
    r = run.call(attack("exec >/dev/null 2>&1; kill -9 $K $W; sleep 54"), 20000)
    run.expect(r, exit=137, killed=False, attested=False)
    if r.open:
        raise Broken("the call's output is held open")
    run.nothing_left(allowed=["sleep", "/usr/bin/dash"])


@scenario("T6 planted announcement", core=True)
def _(run):
    planted = "00112233445566778899aabbccddeeff"
    value = (f"x\n{planted}\nsandproof1 {planted} {planted * 2} {planted * 2}\n"
             f"sandproof1 {planted} deadline {planted}\n")
    for name in ("LC_ALL", "LANG", "LC_CTYPE"):
        image = run.image(**{name: value})
        r = run.call(dash("exit 3"), 20000, image=image)
        if run.sealed:
            run.expect(r, exit=3)
            run.expect(run.call(["sleep", "55"], 400, image=image), exit=137, killed=True)
        elif r.report["outcome"] != "ran" or r.report["attested"]:
            raise Broken(f"{r}")
    run.nothing_left()


@scenario("T7 warnings before the announcement")
def _(run):
    image = run.image(LC_ALL="xx_YY.UTF-8", SHLVL="9999", BASH_COMPAT="zz")
    r = run.call(dash("echo err >&2; exit 3"), 20000, image=image)
    run.expect(r, exit=3, rest=b"err\n")
    if r.report["preamble"]:
        run.notes.append("preamble seen")
    elif run.shell == "bash":
        raise Broken(f"bash warns, and the warning is gone: {r}")
    r = run.call(["/usr/bin/sleep", "56"], 400, image=image)
    run.expect(r, exit=137, killed=True, rest=b"")
    run.nothing_left()


@scenario("T24 announcement replaced", schemes=("sealed",))
def _(run):
    """The stream alone does not tell; the caller's own clock does."""
    script = (CALL_ID + "d,e=b'd'*32,b'e'*32\n"
              "h=lambda s:hashlib.sha256(s+b'\\n').hexdigest().encode()\n"
              "f=os.open('/proc/self/fd/2',os.O_WRONLY|os.O_TRUNC)\n"
              "os.write(f,b'sandproof1 %s %s %s\\n'%(i,h(d),h(e)))\n"
              "os.write(f,b'sandproof1 %s deadline %s\\n'%(i,d))\n"
              "os.lseek(2,0,os.SEEK_END)\n"
              "os.kill(os.getpid(),9)\n")
    r = run.call(python(script), 20000, stderr="file")
    if not r.report.get("killed"):
        raise Broken(f"control: this forgery is well formed: {r}")
    if run.believed(r):
        raise Broken("the clock does not tell")
    run.notes.append("forged; only the caller's clock tells")
    run.nothing_left()


@scenario("T25 erased and 126 or 127", core=True)
def _(run):
    for code in (126, 127):
        r = run.call(dash(f": >/proc/self/fd/2; exit {code}"), 20000, stderr="file")
        want = "unverified" if run.sealed else "not_run"
        if r.report["outcome"] != want or r.exit != code:
            raise Broken(f"exit {r.exit}, outcome {r.report['outcome']}: {r}")
    if run.sealed:
        script = (CALL_ID + "f=os.open('/proc/self/fd/2',os.O_WRONLY|os.O_TRUNC)\n"
                  "os.write(f,b'sandproof1 %s refused od\\n'%i)\nos._exit(126)\n")
        r = run.call(python(script), 20000, stderr="file")
        if r.report["outcome"] != "unverified":
            raise Broken(f"{r}")
    run.nothing_left()


@scenario("T26 the killer is stopped", core=True)
def _(run):
    r = run.call(attack("kill -STOP $K; exit 5"), 20000)
    run.expect(r, exit=5, attested=None)
    run.notes.append("attested" if r.report["attested"] else "unattested")
    run.nothing_left()


@scenario("T26 the killer is stopped past the deadline")
def _(run):
    run.expect(run.call(attack("kill -STOP $K; sleep 2; exit 5"), 700), exit=5, attested=None)
    run.nothing_left()


@scenario("the sleeper is stopped")
def _(run):
    run.expect(run.call(attack("kill -STOP $S; exit 5"), 20000), exit=5)
    run.nothing_left()


@scenario("the killer is killed")
def _(run):
    run.expect(run.call(attack("kill -KILL $K; exit 5"), 20000), exit=5, attested=False)
    run.nothing_left(allowed=["sleep"])


@scenario("the wrapper is stopped for a while")
def _(run):
    r = run.call(attack("(sleep 0.7; kill -CONT $W) & kill -STOP $W; exit 5"), 20000)
    run.expect(r, exit=5, early=0.6)
    r = run.call(attack("setsid dash -c \"sleep 1.5; kill -CONT $W\" >/dev/null 2>&1 &"
                        " kill -STOP $W; sleep 61"), 600)
    run.expect(r, exit=137, killed=True)
    run.nothing_left(allowed=["dash -c sleep 1.5"])


@scenario("false signals to the wrapper")
def _(run):
    script = ("for i in 1 2 3 4 5 6 7 8 9; do kill -USR1 $PPID; kill -CONT $PPID; kill -CHLD $PPID;"
              " sleep 0.05; done; exit 5")
    run.expect(run.call(dash(script), 20000), exit=5, early=0.45)
    r = run.call(dash("while :; do kill -USR1 $PPID; done"), 500)
    run.expect(r, exit=137, killed=True, attested=None)
    run.nothing_left()


@scenario("a false stop to the killer")
def _(run):
    run.expect(run.call(attack("kill -USR1 $K; sleep 1; exit 5"), 20000), exit=5)
    run.nothing_left()


@scenario("a fork bomb")
def _(run):
    """No process left to fork: never an attested end that is none; the deadline may be missed."""
    import resource

    if not which("perl"):
        raise Skip("perl is not installed")
    uid = 100000 + secrets.randbelow(900000)  # the limit counts a user's processes everywhere

    def nobody():
        resource.setrlimit(resource.RLIMIT_NPROC, (40, 40))
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    os.chmod(run.dir, 0o755)
    bomb = "while (1) { my $p = fork; if (defined $p and !$p) { sleep 67; exit } }"
    r = run.call(["perl", "-e", bomb], 700, setup=nobody, guard=8)
    got = r.report
    if got["outcome"] == "ran" and got["attested"] and not got["killed"]:
        raise Broken(f"{r}")
    ended = got.get("killed") and not r.guarded
    run.notes.append(f"killed {got.get('killed')}, attested {got.get('attested')}"
                     + (", held until the guard" if r.guarded else ""))
    run.nothing_left(allowed=() if ended else ["perl", "sleep"])

"""What the wrapper needs: without it nothing is started, and that is said."""
import os
import re
import signal
import subprocess

from call import read, which
from namespace import UNSHARE
from scenario import (BOUND_SHELLS, LATE, LONG_DEADLINE, PYTHON, REFUSED_SHELLS, TOOLS, Broken,
                      Refused, dash, scenario)


@scenario("missing tools are refused", core=True)
def _(run):
    for missing in TOOLS:
        if missing == "sha256sum" and not run.sealed:
            continue
        where = run.path_of(*(tool for tool in TOOLS if tool != missing), "touch")
        r = run.call(["touch", run.marker], 30500, image={"PATH": where})
        run.expect_refused(r, missing)
        run.expect_not_started()
    run.nothing_left()


@scenario("tools that answer wrongly are refused", core=True)
def _(run):
    wrong = {"od": ["echo 00112233445566778899aabbccddeeff", "echo 0011", "exit 1", "echo",
                    "exec /usr/bin/cat", "echo $$$$$$$$$$$$"],
             "tr": ["echo 00112233445566778899aabbccddeeff", "exec /usr/bin/cat", "exit 0"],
             "sleep": ["case $1 in *.*) exit 1;; esac; exec /usr/bin/sleep $1"]}
    if run.sealed:
        wrong["sha256sum"] = ["echo 0011", "exec /usr/bin/cat", "echo -", "exit 1"]
    for tool, scripts in wrong.items():
        for script in scripts:
            where = run.path_of(*(name for name in TOOLS if name != tool), "touch",
                                fake={tool: script + "\n"})
            r = run.call(["touch", run.marker], 30500, image={"PATH": where})
            run.expect_refused(r, "/dev/urandom" if tool in ("od", "tr") else tool)
            run.expect_not_started()
    run.nothing_left()


@scenario("a signal that cannot be trapped is refused")
def _(run):
    for how, setup in (("ignored", lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN)),
                       ("blocked", lambda: signal.pthread_sigmask(signal.SIG_BLOCK,
                                                                  [signal.SIGUSR1]))):
        r = run.call(["touch", run.marker], LONG_DEADLINE, setup=setup)
        if r.exit == 126:
            run.expect_refused(r, "trap")
            run.expect_not_started(how)
        else:  # a shell that traps it all the same
            run.expect(r, exit=0, rest=b"")
            os.unlink(run.marker)
            run.notes.append(f"{how}: trapped all the same")
    run.nothing_left()


@scenario("SIGCHLD ignored at the start")
def _(run):
    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    r = run.call(dash("exit 3"), LONG_DEADLINE, setup=ignore)
    if r.exit != 3 and r.report.get("attested"):
        raise Broken(f"a wrong status is attested: {r}")
    if run.sealed and not r.report.get("attested"):
        run.notes.append("unattested")
    r = run.call(["sleep", "51"], 500, setup=ignore, guard=20)
    if r.report["outcome"] == "ran" and r.seconds > LATE:
        raise Broken(f"held: {r}")
    run.nothing_left()


@scenario("stderr cannot be written: nothing starts", shells=BOUND_SHELLS)
def _(run):
    for how, setup in (("full", None), ("pipe", lambda: os.close(2))):
        r = run.call(["touch", run.marker], LONG_DEADLINE, stderr=how, setup=setup)
        if os.path.exists(run.marker):
            raise Broken(f"{how}: started without an announcement")
        if r.report["outcome"] == "ran":
            raise Broken(f"{how}: {r}")
    run.nothing_left()


@scenario("busybox userland", shells=("busybox", "dash", "mksh"))
def _(run):
    where = os.path.join(run.dir, "applets")
    os.mkdir(where)
    for tool in (*TOOLS, "env", "true", "dash"):
        os.symlink(which("busybox"), os.path.join(where, tool))
    run.link_shell(where)
    image = {"PATH": where}
    r = run.call(dash("exit 3"), LONG_DEADLINE, image=image, variables={"A": "b"})
    run.expect(r, exit=3, rest=b"")
    run.expect(run.call(["sleep", "52"], 500, image=image), exit=137, killed=True, rest=b"")
    run.expect(run.call(["-f", "sleep", "7"], 2000, image=image), exit=127)
    run.nothing_left()


@scenario("T9 an external kill", shells=REFUSED_SHELLS)
def _(run):
    try:  # past its deadline, so that it would be killed
        run.call(dash('touch "$1"; exec sleep 70', run.marker), 500)
    except Refused:
        pass
    run.expect_not_started()
    # What would have happened, in a namespace inside this one.
    script = ("import subprocess,sys,time\n"
              "v=subprocess.Popen(['sleep','300'],start_new_session=True)\n"
              "subprocess.run([sys.argv[1],'-c','kill -KILL -12345'])\n"
              "time.sleep(.2)\nprint('dead' if v.poll() is not None else 'alive')")
    done = subprocess.run([*UNSHARE, PYTHON, "-ISsc", script, os.path.join(run.bin, "sh")],
                          capture_output=True, timeout=30, check=False)
    run.notes.append(f"what it would have done: a bystander is {done.stdout.decode().strip()}")
    raise Refused


@scenario("T10 imported functions", core=True)
def _(run):
    names = (*TOOLS, "kill", "wait", "echo", "printf", "command", "trap", "unset", "exec", "exit",
             "set", "case", "sp_refuse", "sp_draw", "sp_hex", "sp_on_stop", ":", "[", "test",
             "read", "env", "true", "return")
    image = run.image(**{f"BASH_FUNC_{name}%%":
                         "() { builtin echo 00112233445566778899aabbccddeeff; }" for name in names})
    image.update({f"{name}()": "() { builtin echo 0011; }" for name in names})  # as old bash did
    r = run.call(["/usr/bin/dash", "-c", "exit 3"], 20000, image=image)
    run.expect(r, exit=3, rest=b"")
    r = run.call(["/usr/bin/sleep", "59"], 400, image=image)
    run.expect(r, exit=137, killed=True, rest=b"")
    run.nothing_left()


@scenario("T8 options from the image")
def _(run):
    every = ["monitor", "xtrace:verbose", "allexport", "errexit:nounset", "noglob:noclobber",
             "monitor:xtrace:allexport:errexit:verbose:nounset:braceexpand:keyword"]
    for options in every if run.shell == "bash" else every[-1:]:  # the others do not read it
        image = run.image(SHELLOPTS=options)
        r = run.call(["env"], LONG_DEADLINE, image=image)
        run.expect(r, exit=0)
        if any(secret in r.out for secret in run.secrets_of(r)) or b"\nsp_" in r.out:
            raise Broken(f"{options}: secrets in the environment")
        r = run.call(dash("sleep 57 & sleep 58; :"), 400, image=image)
        run.expect(r, exit=137, killed=True)
    run.nothing_left()


@scenario("T12 no name a shell reserves", core=True)
def _(run):
    run.expect(run.call(dash("exit 3"), LONG_DEADLINE), exit=3)
    lines = [line for line in read(run.source).decode().splitlines() if not line.startswith("#")]
    used = set(re.findall(r"(?<![\w@$])([A-Za-z_]\w*)=", " ".join(lines)))
    if not used or any(not name.startswith("sp_") for name in used):
        raise Broken(f"names: {used}")

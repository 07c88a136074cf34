"""What a target crashed on: made smaller, shown escaped, with the command that replays it."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

# Lines of a report that are the same whatever was found: how it started, and libFuzzer's own frames.
NOISE = re.compile(
    r"^INFO: |^\s*#\d+ 0x\w+ in (fuzzer::|__sanitizer_|__interceptor_|__libc_start_|main |_start )"
    r"|^NOTE: libFuzzer has|Combine libFuzzer with|^\s*$|^Running: |: Running \d+ inputs \d+ time"
)
SHOWN_BYTES = 512
SHOWN_LINES = 30
MINIMISE_SECONDS = 60
REPLAY_SECONDS = 30


def escaped(data):
    """Bytes or text as printable ASCII on one line."""
    text = data.decode("latin-1") if isinstance(data, bytes) else data
    return "".join(c if " " <= c <= "~" and c != "\\" else ascii(c)[1:-1] for c in text)


def replay_command(target, file):
    return [target.file, str(file)]


def replayed(target, file):
    """(whether it fails by itself, the lines it prints)"""
    try:
        run = subprocess.run(
            replay_command(target, file),
            cwd=target.places.root / "build",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=REPLAY_SECONDS,
            check=False,
        )
        failed, output = run.returncode != 0, run.stdout
    except subprocess.TimeoutExpired as expired:
        failed, output = True, expired.stdout or b""
    return failed, output.decode("utf-8", "replace").splitlines()


def minimised(target, crash):
    """The smallest input that MINIMISE_SECONDS find to crash still, kept beside the first; or None."""
    if "-crash-" not in crash.name:
        return None  # a leak, a time-out, an exhausted memory: each try would take as long again
    smaller = crash.with_name(crash.name.replace("-crash-", "-minimised-"))
    with tempfile.TemporaryDirectory() as scratch:
        latest = pathlib.Path(scratch, "latest")
        process = subprocess.Popen(
            [str(part) for part in target.minimizer(crash, latest)],
            env=target.whole_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=scratch,
            start_new_session=True,  # libFuzzer starts further processes
        )
        try:
            process.wait(MINIMISE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if not latest.exists() or latest.stat().st_size >= crash.stat().st_size:
            return None
        shutil.copyfile(latest, smaller)
    return smaller if replayed(target, smaller)[0] else None


def finding(lines):
    """The part of a replay's output that says what went wrong."""
    lines = [line for line in lines if not NOISE.search(line)]
    start = next((i for i, line in enumerate(lines) if re.search(r"ERROR|WARNING: Mem|error:|FUZZ_CHECK", line)), 0)
    return lines[start:][:SHOWN_LINES]


def report_crash(target, crash):
    smaller = minimised(target, crash)
    shown = smaller or crash
    fails, lines = replayed(target, shown)
    if not fails:
        print("  It does not fail by itself, so what came before it matters. The run said:")
        lines = target.tail
    for line in finding(lines):
        print(f"    {escaped(line)}")
    data = shown.read_bytes()
    size = f"{len(data)} bytes" + (f", minimised from {crash.stat().st_size}" if smaller else "")
    cut = "..." if len(data) > SHOWN_BYTES else ""
    print(f'  input ({size}): "{escaped(data[:SHOWN_BYTES])}"{cut}')
    print(f"  replay: {shlex.join(replay_command(target, shown))}")
    print(f"  keep:   cp {shlex.quote(str(shown))} corpus/{target.name}/NAME  (a name that says what it shows)")


def report(target):
    """Why a target failed."""
    print(f"\n{target.name}: {target.state()} (exit status {target.status})", flush=True)
    for crash in target.crashes:
        report_crash(target, crash)
    if not target.crashes:
        for line in [line for line in target.tail if not NOISE.search(line)][-SHOWN_LINES:]:
            print(f"    {escaped(line)}")

"""run_fuzzers.py ROOT SECONDS JOBS FUZZER...: runs built fuzzers side by side and shows how they do."""

import configparser
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import time

PULSE = re.compile(
    r"#(?P<runs>\d+)\s+\S+\s+(?:cov: (?P<cov>\d+) )?.*?corp: (?P<corpus>\d+)/.*exec/s: (?P<rate>\d+)"
)
STAT = re.compile(r"stat::(\w+):\s+(\d+)")
# Lines of a report that are the same whatever was found: how it started, and libFuzzer's own frames.
NOISE = re.compile(
    r"^INFO: |^\s*#\d+ 0x\w+ in (fuzzer::|__sanitizer_|__interceptor_|__libc_start_|main |_start )"
    r"|^NOTE: libFuzzer has|Combine libFuzzer with|^\s*$"
)
GRACE_SECONDS = 120  # for reading the corpora before, and the slowest input after
SHOWN_BYTES = 512
SHOWN_LINES = 30


def escaped(data):
    """Bytes or text as printable ASCII on one line."""
    text = data.decode("latin-1") if isinstance(data, bytes) else data
    return "".join(c if " " <= c <= "~" and c != "\\" else ascii(c)[1:-1] for c in text)


class Target:
    def __init__(self, root, file, seconds):
        self.root, self.name, self.file, self.seconds = root, file.name, str(file), seconds
        self.started = self.ended = self.status = self.process = None
        self.runs = self.rate = self.cov = self.corpus = "0"
        self.stats = {}
        self.tail = []
        self.artifacts = []
        self.told = 0.0

    def command(self):
        """(argument vector, additions to the environment), with the target's .options applied."""
        crashes = self.root / "build" / "fuzz-crashes"
        working = self.root / "build" / "fuzz-corpus" / self.name
        seed = self.root / "corpus" / self.name
        for directory in (crashes, working):
            directory.mkdir(parents=True, exist_ok=True)
        command = [self.file, f"-max_total_time={self.seconds}", "-print_final_stats=1", "-timeout=25"]
        command.append(f"-artifact_prefix={crashes}/{self.name}-")
        stem = self.root / "fuzz" / self.name.removesuffix("_fuzzer")
        if stem.with_suffix(".dict").exists():
            command.append(f"-dict={stem.with_suffix('.dict')}")
        options = configparser.ConfigParser(interpolation=None)
        options.read(stem.with_suffix(".options"))
        sections = {section: dict(options[section]) for section in options.sections()}
        flags = sections.get("libfuzzer", {})
        command += [f"-{flag}={value}" for flag, value in flags.items() if flag != "dict"]
        environment = {}
        for section in ("asan", "ubsan"):
            for flag, value in sections.get(section, {}).items():
                variable = f"{section.upper()}_OPTIONS"
                before = environment.get(variable, os.environ.get(variable, ""))
                environment[variable] = f"{before}:{flag}={value}"
        return command + [str(working)] + ([str(seed)] if seed.is_dir() else []), environment

    def start(self):
        command, environment = self.command()
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.root / "build",
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            line = line.decode("utf-8", "replace").rstrip("\n")
            if pulse := PULSE.match(line):
                self.runs, self.rate, self.corpus = pulse["runs"], pulse["rate"], pulse["corpus"]
                self.cov = pulse["cov"] or self.cov
            elif stat := STAT.match(line):
                self.stats[stat[1]] = stat[2]
            elif "Test unit written to " in line:
                artifact = pathlib.Path(line.split("Test unit written to ", 1)[1])
                if "-slow-unit-" not in artifact.name:
                    self.artifacts.append(artifact)
            else:
                self.tail.append(line)
                del self.tail[:-2000]
        self.status = self.process.wait()
        self.runs = self.stats.get("number_of_executed_units", self.runs)
        self.rate = self.stats.get("average_exec_per_sec", self.rate)
        self.ended = time.monotonic()

    def seconds_left(self):
        return max(0, round(self.started + self.seconds - time.monotonic()))

    def overdue(self):
        return time.monotonic() > self.started + self.seconds + GRACE_SECONDS

    def failed(self):
        return bool(self.artifacts) or self.status != 0

    def state(self):
        if self.started is None:
            return "waiting"
        if self.ended is None:
            return f"{self.seconds_left()} s left"
        return "CRASHED" if self.artifacts else "FAILED" if self.status else "done"

    def row(self):
        crashes = str(len(self.artifacts))
        return [self.name, self.state(), self.runs, self.rate, self.cov, self.corpus, crashes]

    def report(self):
        """Why it failed: the start of its report, the input escaped, the command to replay it."""
        print(f"\n{self.name}: {self.state()} (exit status {self.status})")
        lines = [line for line in self.tail if not NOISE.search(line)]
        if self.artifacts:
            finding = next((i for i, line in enumerate(lines) if re.search(r"ERROR|error:", line)), 0)
            lines = lines[max(0, finding - 5) :][:SHOWN_LINES]
        for line in lines[-SHOWN_LINES:]:
            print(f"    {escaped(line)}")
        for artifact in self.artifacts:
            data = artifact.read_bytes()
            cut = "..." if len(data) > SHOWN_BYTES else ""
            print(f'  input ({len(data)} bytes): "{escaped(data[:SHOWN_BYTES])}"{cut}')
            print(f"  replay: {shlex.join([self.file, str(artifact)])}")


HEADER = ["target", "state", "runs", "runs/s", "coverage", "corpus", "crashes"]


def lines_of(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        name = row[0].ljust(widths[0])
        yield "  ".join([name] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])


def show(targets, terminal, lines_up):
    """Shows how it goes; returns how many lines the next picture has to go up."""
    if terminal:
        lines = list(lines_of([HEADER] + [target.row() for target in targets]))
        width = os.get_terminal_size(sys.stdout.fileno()).columns or 80
        up = f"\033[{lines_up}F" if lines_up else ""
        print(up + "\n".join(line[: width - 1] + "\033[K" for line in lines), flush=True)
        return len(lines)
    now = time.monotonic()
    for target in targets:
        if target.started and not target.ended and now >= max(target.started, target.told) + 10:
            target.told = now
            name, state, *numbers = target.row()
            labelled = ", ".join(f"{label} {n}" for label, n in zip(HEADER[2:], numbers))
            print(f"{name}: {state}, {labelled}", flush=True)
    return 0


def run(targets, jobs, terminal):
    waiting, lines_up = list(targets), 0
    while any(target.ended is None for target in targets):
        running = [t for t in targets if t.started is not None and t.ended is None]
        for target in running:
            if target.overdue():
                target.process.kill()
        for target in waiting[: jobs - len(running)]:
            waiting.remove(target)
            target.start()
        lines_up = show(targets, terminal, lines_up)
        time.sleep(0.5)
    show(targets, terminal, lines_up)


def main():
    root, seconds, jobs = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    targets = [Target(root, root / "build" / "fuzz" / path, seconds) for path in sys.argv[4:]]
    terminal = sys.stdout.isatty()
    try:
        run(targets, jobs, terminal)
    except KeyboardInterrupt:
        for target in targets:
            if target.process:
                target.process.kill()
                target.process.wait()
        print("\nstopped")
        return 130
    for target in targets:
        if target.failed():
            target.report()
    if not terminal or any(target.failed() for target in targets):
        print()
        print("\n".join(lines_of([HEADER] + [target.row() for target in targets])))
    return 1 if any(target.failed() for target in targets) else 0


if __name__ == "__main__":
    sys.exit(main())

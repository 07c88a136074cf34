"""One fuzz target while it is fuzzed, whatever the engine: what it is given, how it does."""

import configparser
import dataclasses
import hashlib
import os
import pathlib
import re
import subprocess
import threading
import time

GRACE_SECONDS = 120  # for reading the corpora before, and the slowest input after
CRASH_KINDS = ("crash", "leak", "timeout", "oom")


@dataclasses.dataclass(frozen=True)
class Budget:
    """How long a target runs: a time, or a number of inputs."""

    seconds: int | None = None
    runs: int | None = None

    def __str__(self):
        return f"{self.seconds} s" if self.seconds else f"{self.runs} inputs"


@dataclasses.dataclass(frozen=True)
class Places:
    """Where what belongs to a target is, by the target's name."""

    root: pathlib.Path

    def seeds(self, name):
        return self.root / "corpus" / name

    def found(self, name):
        return self._made("fuzz-corpus", name)

    def crashes(self):
        return self._made("fuzz-crashes")

    def part(self, name, suffix):
        return self.root / "fuzz" / (name.removesuffix("_fuzzer") + suffix)

    def _made(self, *parts):
        directory = self.root.joinpath("build", *parts)
        directory.mkdir(parents=True, exist_ok=True)
        return directory


def options_of(file):
    """A target's .options as {section: {flag: value}}, which is how OSS-Fuzz reads it too."""
    options = configparser.ConfigParser(interpolation=None)
    options.read(file)
    return {section: dict(options[section]) for section in options.sections()}


def sanitizer_options(options):
    """The environment in which a sanitizer gets its section of .options, after what is set already."""
    environment = {}
    for section in ("asan", "ubsan", "msan"):
        for flag, value in options.get(section, {}).items():
            variable = f"{section.upper()}_OPTIONS"
            before = environment.get(variable, os.environ.get(variable, ""))
            environment[variable] = f"{before}:{flag}={value}"
    return environment


class Target:
    def __init__(self, places, file, budget):
        self.places, self.name, self.file, self.budget = places, file.name, str(file), budget
        self.options = options_of(places.part(self.name, ".options"))
        self.started = self.ended = self.status = self.process = None
        self.runs = self.rate = self.coverage = self.corpus = 0
        self.tail = []
        self.crashes = []
        self.told = 0.0

    def start(self):
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [str(part) for part in self.command()],
            env=self.whole_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.places.root / "build",
        )
        threading.Thread(target=self._read, daemon=True).start()

    def whole_environment(self):
        return os.environ | self.environment()

    def _read(self):
        for line in self.process.stdout:
            self.read_line(line.decode("utf-8", "replace").rstrip("\n"))
        self.status = self.process.wait()
        self.finish()
        ended = time.monotonic()
        self.rate = self.rate or round(self.runs / (ended - self.started))
        self.ended = ended

    def read_line(self, line):
        self.tail.append(line)
        del self.tail[:-2000]

    def finish(self):
        """Called once, after the last line."""

    def refresh(self):
        """Called before the state is shown, for an engine that does not print it."""

    def stop(self):
        if self.process and self.ended is None:
            self.process.kill()

    def left(self):
        if self.budget.runs:
            return f"{max(0, self.budget.runs - self.runs)} inputs left"
        return f"{max(0, round(self.started + self.budget.seconds - time.monotonic()))} s left"

    def overdue(self):
        limit = self.budget.seconds
        return limit is not None and time.monotonic() > self.started + limit + GRACE_SECONDS

    def failed(self):
        return bool(self.crashes) or (self.ended is not None and self.status != 0)

    def state(self):
        if self.started is None:
            return "waiting"
        if self.ended is None:
            return self.left()
        return "CRASHED" if self.crashes else "FAILED" if self.status else "done"

    def row(self):
        numbers = (self.runs, self.rate, self.coverage, self.corpus, len(self.crashes))
        return [self.name, self.state(), *map(str, numbers)]


class LibFuzzer(Target):
    # A line of progress; only a new input, or every power of two, prints one.
    PULSE = re.compile(
        r"#(?P<runs>\d+)\s+\S+\s+(?:cov: (?P<coverage>\d+) )?.*?corp: (?P<corpus>\d+)/.*exec/s: (?P<rate>\d+)"
    )
    STAT = re.compile(r"stat::(\w+):\s+(\d+)")
    STATS = {"number_of_executed_units": "runs", "average_exec_per_sec": "rate"}
    WRITTEN = "Test unit written to "

    def command(self):
        flags = {"print_final_stats": 1, "timeout": 25}
        if self.budget.runs:
            flags["runs"] = self.budget.runs
        else:
            flags["max_total_time"] = self.budget.seconds
        flags["artifact_prefix"] = f"{self.places.crashes()}/{self.name}-"
        flags |= self.flags()
        directories = [self.places.found(self.name), self.places.seeds(self.name)]
        return [self.file, *(f"-{flag}={value}" for flag, value in flags.items()), *directories]

    def flags(self):
        """What the target itself asks for: its dictionary, its .options."""
        flags = {flag: value for flag, value in self.options.get("libfuzzer", {}).items() if flag != "dict"}
        dictionary = self.places.part(self.name, ".dict")
        return flags | ({"dict": dictionary} if dictionary.exists() else {})

    def environment(self):
        return sanitizer_options(self.options)

    def minimizer(self, crash, output):
        """Writes ever smaller inputs to output; each step may take ten seconds, their number is open."""
        flags = ["-minimize_crash=1", "-max_total_time=10", f"-exact_artifact_path={output}"]
        return [self.file, *flags, crash]

    def read_line(self, line):
        if pulse := self.PULSE.match(line):
            for value, number in pulse.groupdict(default=self.coverage).items():
                setattr(self, value, int(number))
        elif (stat := self.STAT.match(line)) and stat[1] in self.STATS:
            setattr(self, self.STATS[stat[1]], int(stat[2]))
        elif self.WRITTEN in line:
            artifact = pathlib.Path(line.split(self.WRITTEN, 1)[1])
            if artifact.name.removeprefix(f"{self.name}-").startswith(CRASH_KINDS):
                self.crashes.append(artifact)
        else:
            super().read_line(line)


def content_name(data):
    """How libFuzzer names what it finds."""
    return hashlib.sha1(data).hexdigest()

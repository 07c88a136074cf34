"""Compiling mutants, linking the tests with them, and running those: nothing here judges."""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
import time

import meson_info

from mutation import cage

HERE = pathlib.Path(__file__).resolve().parent
ENTERED_SIZE = 4096  # as select.cc has it
LONGEST_OUTPUT = 1 << 20  # a mutant may say something without end
OVERDUE = {-9, 128 + 9, 128 + 24}  # SIGXCPU is 24
ENVIRONMENT = {
    "GTEST_FAIL_FAST": "1",
    "GTEST_COLOR": "no",
    "RC_PARAMS": "seed=1 noshrink=1",  # the same cases for each mutant; nobody reads the smallest one
}
PREFER = ["-w", "-fdiagnostics-color=never", "-include", str(HERE / "select.h")]
FAULTS_OF_A_NAME = ("multiple definition of", "undefined reference to")
FAILED_CASE = re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Program:
    """A test program: how it is linked, in the build directory, and how Meson runs it."""

    name: str
    link: tuple
    arguments: tuple
    environment: tuple  # of pairs
    cases: bool  # has GoogleTest's options


@dataclasses.dataclass
class Ended:
    status: str  # passed, failed, overdue
    seconds: float  # of a processor
    elapsed: float  # of a clock
    output: str
    entered: frozenset = frozenset()

    def case(self):
        found = FAILED_CASE.search(self.output)
        return found[1] if found else ""


class OtherNames(RuntimeError):
    """What a mutant defines is not what the others declare, so that no program can be made of it."""


class Build:
    """A build directory with everything built, and a directory to work in."""

    def __init__(self, root, build_dir, work, jobs):
        self.root, self.dir, self.work = root, build_dir, work
        self._slots = threading.Semaphore(jobs)
        self.commands = {
            os.path.relpath(os.path.join(each["directory"], each["file"]), root): each
            for each in json.loads((build_dir / "compile_commands.json").read_text("utf-8"))
            if ".so." not in each["output"]
        }
        self.cage = cage.Cage(self.compiler(), work)
        self._select = None
        self._plain = {}
        self._lock = threading.Lock()

    def run(self, command, **options):
        with self._slots:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", check=False, start_new_session=True, **options)

    # ---- Compiling. ----

    def units(self, file):
        """What is compiled when a file changes: itself, or what includes it."""
        if file.endswith(".cc"):
            return [file]
        room = os.path.dirname(file)
        name, found = os.path.basename(file), set()
        texts = {
            f"{room}/{each.name}": each.read_text("utf-8")
            for each in (self.root / room).iterdir()
            if each.suffix in (".h", ".cc")
        }
        waiting = [name]
        while waiting:
            name = waiting.pop()
            for path, text in texts.items():
                if path not in found and f'#include "{name}"' in text:
                    found.add(path)
                    waiting.append(os.path.basename(path))
        return sorted(path for path in found if path in self.commands)

    def compile(self, file, text, place):
        """Compiles what a file's new text changes; returns the objects, or the compiler's message."""
        room = os.path.dirname(file)
        shutil.copytree(self.root / room, place / room, dirs_exist_ok=True)
        (place / file).write_text(text, "utf-8")
        objects = []
        for unit in self.units(file):
            known = self.commands[unit]
            words = _without_dependencies(shlex.split(known["command"]))
            objects.append(str(place / (unit.replace("/", "_") + ".o")))
            words[words.index("-o") + 1] = objects[-1]
            words[words.index("-c") + 1] = str(place / unit)
            done = self.run([*words, *PREFER], cwd=self.dir)
            if done.returncode != 0 and ": error: " not in done.stderr:
                raise RuntimeError(f"{unit} could not be compiled:\n{done.stderr}")
            if done.returncode != 0:
                return None, done.stderr
        return objects, ""

    def select(self):
        """The object that reads which mutant is wanted."""
        with self._lock:
            if self._select is None:
                wanted = str(self.work / "select.o")
                done = self.run([self.compiler(), "-std=c++23", "-O1", "-c", HERE / "select.cc",
                                 "-o", wanted])
                if done.returncode != 0:
                    raise RuntimeError(done.stderr)
                self._select = wanted
        return self._select

    def compiler(self):
        return shlex.split(next(iter(self.commands.values()))["command"])[0]

    def link(self, program, objects, target):
        """Links a test program with objects that take the place of the library's."""
        words = list(program.link)
        at = words.index("-o")
        words[at + 1] = str(target)
        words[at + 2 : at + 2] = [*objects, self.select(), "-fuse-ld=gold"]
        done = self.run(words, cwd=self.dir)
        if any(fault in done.stderr for fault in FAULTS_OF_A_NAME):
            raise OtherNames(f"{program.name} has names twice, or not at all:\n{done.stderr}")
        if done.returncode != 0:
            raise RuntimeError(f"{program.name} could not be linked:\n{done.stderr}")

    # ---- Running. ----

    def attempt(self, target, program, limit, asleep, *, mutant=0, only=None, entered=False):
        """Runs a linked program, or one case of it, for so many seconds of a processor at most, on a
        machine where that takes no more than five times as long, and so many that it is asleep."""
        environment = {**os.environ, **ENVIRONMENT, **dict(program.environment)}
        environment |= {"SANDPROOF_MUTANT": str(mutant), "TMPDIR": str(self.cage.room)}
        words = [str(target), *program.arguments]
        if only is not None:
            words.append(f"--gtest_filter={only}")
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._slots)
            if entered:
                file = stack.enter_context(tempfile.NamedTemporaryFile(dir=self.work))
                file.truncate(ENTERED_SIZE)
                os.chmod(file.name, 0o666)
                environment["SANDPROOF_ENTERED"] = file.name
            writable = environment.get("SANDPROOF_ENTERED", "-")
            began = time.monotonic()
            process = stack.enter_context(subprocess.Popen(
                self.cage.around(words, limit, writable), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd=self.dir,
                start_new_session=True))
            code, seconds, text = _wait(process, 5 * limit + asleep)
            elapsed = time.monotonic() - began
            if not text.startswith(cage.BEGAN):
                raise RuntimeError(f"{program.name} could not be started:\n{text}")
            text = text.removeprefix(cage.BEGAN)
            seen = frozenset()
            if entered:
                bytes_of_functions = pathlib.Path(file.name).read_bytes()
                seen = frozenset(i for i, byte in enumerate(bytes_of_functions) if byte)
        status = "passed" if code == 0 else "overdue" if code in OVERDUE else "failed"
        return Ended(status, seconds, elapsed, text, seen)

    def attempt_twice(self, *arguments, **options):
        """As attempt(), for a test that takes long and so may look at a clock: on a busy machine its
        failure counts once it has failed again."""
        ended = self.attempt(*arguments, **options)
        return ended if ended.status == "passed" else self.attempt(*arguments, **options)

    def plainly(self, program, limit, asleep, only=None):
        """How a program as it was built does: run once, and asked often."""
        key = program, only, limit
        if key not in self._plain:
            target = self.dir / program.name
            attempt = self.attempt_twice if only else self.attempt
            self._plain[key] = attempt(target, program, limit, asleep, only=only)
        return self._plain[key]

    def cases(self, target):
        """The names of a GoogleTest program's cases."""
        done = self.run(self.cage.around([str(target), "--gtest_list_tests"], 10), cwd=self.dir)
        names, suite = [], ""
        for line in done.stdout.splitlines():
            if line.startswith("  "):
                names.append(suite + line.split()[0])
            elif re.match(r"[\w/]+\.", line):
                suite = line.split()[0]
        return names


def _wait(process, seconds):
    """The exit status, SIGKILL's after so many seconds, the time of a processor, and the output."""
    end = time.monotonic() + seconds
    pause, output = 0.002, bytearray()
    os.set_blocking(process.stdout.fileno(), False)
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            while data := process.stdout.read(1 << 16):
                output += data[: LONGEST_OUTPUT - len(output)]
                if pid == 0 and time.monotonic() > end:
                    break
            if pid:
                break
            if time.monotonic() > end:
                process.kill()  # and everything in its namespace with it
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
    except BaseException:
        process.kill()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    text = output.decode("utf-8", "replace")
    return process.returncode, usage.ru_utime + usage.ru_stime, text


def _without_dependencies(words):
    out, skip = [], False
    for word in words:
        if skip or word == "-MD":
            skip = False
        elif word in ("-MQ", "-MF"):
            skip = True
        else:
            out.append(word)
    return out


def programs(build_dir):
    """Every test of Meson's that is a program of tests."""
    found, links = [], {}
    top = os.path.realpath(build_dir)
    for test in meson_info.tests(build_dir):
        path = os.path.relpath(os.path.realpath(test["cmd"][0]), top)
        if not path.endswith(meson_info.TEST_PROGRAM):
            continue
        if path not in links:
            done = subprocess.run(["ninja", "-C", str(build_dir), "-t", "commands", "-s", path],
                                  capture_output=True, text=True, check=True)
            links[path] = tuple(shlex.split(done.stdout.splitlines()[-1]))
        env = tuple(sorted(test["env"].items()))
        found.append(Program(path, links[path], tuple(test["cmd"][1:]), env,
                             test["protocol"] == "gtest"))
    return found


def needing(build, found, file):
    """Those programs that hold what a file defines."""
    symbols = set()
    for unit in build.units(file):
        symbols |= _defined(build, build.dir / build.commands[unit]["output"])
    return [each for each in found if symbols & _defined(build, build.dir / each.name)]


_symbols = {}


def _defined(build, path):
    stamp = (str(path), path.stat().st_mtime_ns)
    if stamp not in _symbols:
        done = build.run(["nm", "--defined-only", "--extern-only", str(path)])
        lines = [line.split() for line in done.stdout.splitlines()]
        # Not what any object may hold a copy of.
        _symbols[stamp] = {words[2] for words in lines if len(words) == 3 and words[1] in "TDBR"}
    return _symbols[stamp]

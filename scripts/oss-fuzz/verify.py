"""verify.py CONFIGURATION OUT TARGET...: is what build.sh left in OUT fit to be fuzzed?

It runs where only $TMPDIR can be written (scripts/oss-fuzz/check sees to that). One line a target;
the exit status is how many are broken. The thresholds are those of OSS-Fuzz's acceptance scripts.
"""

import configparser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

FEWEST_EDGES = 100
FIRST_RUNS = 4
FEWEST_CALLS = 169
# {configuration: {runtime: (fewest calls, most calls)}}. A runtime calls itself and others a little.
CALLS = {
    "address": {"asan": (1000, None), "msan": (0, 3), "ubsan": (0, 200)},
    "undefined": {"asan": (0, 0), "msan": (0, 3), "ubsan": (FEWEST_CALLS, None)},
    "memory": {"asan": (0, 0), "msan": (1000, None), "ubsan": (0, 200)},
    "coverage": {"asan": (0, 0), "msan": (0, 3), "ubsan": (0, 200)},
}
CALLS["afl"] = CALLS["address"]
# What every runner has. The C++ library is shared on this machine only; in the image it is not.
LIBRARIES = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libresolv|ld-linux-x86-64)\.so\.\d+")
HERE = re.compile(r"(libstdc\+\+|libc\+\+|libc\+\+abi|libunwind)\.so\.\d+")
# MSan's build has the libraries that its seams stand before.
SEAMS = re.compile(r"(libre2|libsodium)\.so\.\d+")
AFL_ENVIRONMENT = {
    "AFL_NO_UI": "1",
    "AFL_SKIP_CPUFREQ": "1",
    "AFL_TRY_AFFINITY": "1",
    "AFL_FAST_CAL": "1",
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
    "AFL_FORKSRV_INIT_TMOUT": "30000",
    "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_odr_violation=0:detect_leaks=0",
}


class Broken(Exception):
    """What is wrong with a target, and what it printed."""

    def __init__(self, what, output=""):
        super().__init__(what)
        self.output = output


def run(command, timeout=300, cwd=None, **environment):
    """(exit status, what it printed); a target must not count on any variable of a build."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        raise Broken(f"still running after {timeout} s", (expired.stdout or b"").decode("utf-8", "replace"))
    return done.returncode, done.stdout.decode("utf-8", "replace")


def tool(name):
    """The path of an LLVM tool, with this machine's suffix or the image's name."""
    for candidate in (f"{name}-19", name):
        if any(os.access(pathlib.Path(place, candidate), os.X_OK) for place in os.get_exec_path()):
            return candidate
    raise Broken(f"there is no {name} here")


class Checked:
    def __init__(self, configuration, out, name, scratch):
        self.configuration, self.out, self.name, self.scratch = configuration, out, name, scratch
        self.file = out / name
        self.said = []

    def part(self, suffix):
        return self.out / (self.name + suffix)

    def parts(self):
        """The executable, its options as libFuzzer's flags, its seeds unpacked."""
        if not os.access(self.file, os.X_OK) or self.file.read_bytes()[:4] != b"\x7fELF":
            raise Broken("is no executable")
        if b"LLVMFuzzerTestOneInput" not in self.file.read_bytes():
            raise Broken("is not known as a fuzz target by its symbols")
        options = configparser.ConfigParser(interpolation=None)
        options.read_string(self.part(".options").read_text())
        self.flags = [f"-{flag}={value}" for flag, value in options["libfuzzer"].items()]
        self.flags.append(f"-artifact_prefix={self.scratch}/")
        if not self.part(".dict").read_text().strip():
            raise Broken("has an empty dictionary")
        self.seeds = self.scratch / "seeds"
        with zipfile.ZipFile(self.part("_seed_corpus.zip")) as archive:
            archive.extractall(self.seeds)
        self.said.append(f"{len(list(self.seeds.iterdir()))} seeds")

    def instructions(self):
        """Its sanitizer and no other; and its libraries."""
        listing = subprocess.Popen(
            ["objdump", "--disassemble", "--no-show-raw-insn", self.file],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        call = re.compile(rb"\scall\s+[0-9a-f]+ <__(asan|msan|ubsan|dfsan|tsan)")
        calls = dict.fromkeys(("asan", "msan", "ubsan", "dfsan", "tsan"), 0)
        for line in listing.stdout:
            if match := call.search(line):
                calls[match[1].decode()] += 1
        if listing.wait() != 0:
            raise Broken("objdump cannot read it")
        for runtime, (fewest, most) in CALLS[self.configuration].items():
            if calls[runtime] < fewest:
                raise Broken(f"has {calls[runtime]} calls of {runtime}; it is not built with it")
            if most is not None and calls[runtime] > most:
                raise Broken(f"has {calls[runtime]} calls of {runtime}, of another sanitizer")
        if calls["dfsan"] or calls["tsan"]:
            raise Broken("is built with another sanitizer")
        self.said += [f"{calls[runtime]} calls of {runtime}" for runtime in calls if calls[runtime] >= FEWEST_CALLS]

    def libraries(self):
        _, dynamic = run(["readelf", "--dynamic", self.file])
        for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
            known = LIBRARIES.fullmatch(library) or HERE.fullmatch(library)
            if not known and not (self.configuration == "memory" and SEAMS.fullmatch(library)):
                raise Broken(f"needs {library}, which a runner does not have")
        if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
            raise Broken("has the path of a library in it")

    def first_runs(self):
        status, output = run([self.file, "-seed=1337", f"-runs={FIRST_RUNS}", *self.flags], cwd=self.out)
        if status != 0 or f"Done {FIRST_RUNS} runs" not in output:
            raise Broken(f"does not do its first runs (exit status {status})", output)
        if self.configuration == "coverage":
            return
        edges = re.search(r"INFO: Loaded \d+ modules? +\((\d+) (?:inline 8-bit counters|guards)\)", output)
        edges = int(edges[1]) if edges else 0
        if edges < FEWEST_EDGES:
            raise Broken(f"has {edges} instrumented edges, fewer than {FEWEST_EDGES}", output)
        self.said.append(f"{edges} edges")

    def replay(self):
        profile = self.scratch / "profile"
        status, output = run(
            [self.file, "-runs=0", *self.flags, self.seeds], cwd=self.out, LLVM_PROFILE_FILE=str(profile)
        )
        if status != 0:
            raise Broken(f"fails on its seeds (exit status {status})", output)
        if self.configuration == "coverage":
            self.counted(profile)

    def counted(self, profile):
        """The share of the library's lines that the seeds reach, by the sources where they were built."""
        merged = f"{profile}.merged"
        status, output = run([tool("llvm-profdata"), "merge", "-sparse", profile, "-o", merged])
        if status != 0:
            raise Broken("left no profile", output)
        export = [tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={merged}", self.file]
        status, output = run(export)
        files = json.loads(output)["data"][0]["files"] if status == 0 else []
        ours = [file for file in files if "/src/sandproof/src/" in os.path.normpath(file["filename"])]
        if not ours or not all(os.path.exists(file["filename"]) for file in ours):
            raise Broken("tells no coverage of files that are there", output)
        lines, covered = (sum(file["summary"]["lines"][key] for file in ours) for key in ("count", "covered"))
        if covered == 0:
            raise Broken("reaches nothing with its seeds")
        self.said.append(f"{covered} of {lines} lines of src reached")

    def handshake(self):
        inputs = self.scratch / "in"
        inputs.mkdir()
        (inputs / "input").write_text("input")
        command = ["afl-fuzz", "-i", inputs, "-o", self.scratch / "out", "-m", "none", "-t", "5000+"]
        status, output = run([*command, "-V", 3, "--", self.file], cwd=self.out, **AFL_ENVIRONMENT)
        if "All set and ready to roll" not in output:
            raise Broken(f"afl-fuzz does not start it (exit status {status})", output)
        if re.search(r"target binary (crashed|terminated)", output):
            raise Broken("crashes under afl-fuzz", output)
        stats = (self.scratch / "out" / "default" / "fuzzer_stats").read_text()
        edges = int(re.search(r"total_edges\s*: (\d+)", stats)[1])
        if edges < FEWEST_EDGES:
            raise Broken(f"has {edges} instrumented edges, fewer than {FEWEST_EDGES}", output)
        self.said.append(f"{edges} edges")

    def replay_by_itself(self):
        status, output = run([self.file, *sorted(self.seeds.iterdir())], cwd=self.out)
        if status != 0:
            raise Broken(f"fails on its seeds (exit status {status})", output)

    def check(self):
        self.parts()
        self.instructions()
        self.libraries()
        if self.configuration == "afl":
            self.handshake()
            self.replay_by_itself()
        else:
            self.first_runs()
            self.replay()


def must_not_write(directory):
    try:
        (directory / "written").touch()
    except OSError:
        return
    sys.exit(f"verify.py: {directory} can be written: the check would say too little")


def main():
    configuration, out, wanted = sys.argv[1], pathlib.Path(sys.argv[2]), sorted(sys.argv[3:])
    must_not_write(out)
    broken = 0
    # Whatever the acceptance scripts would take for a target is held to be one.
    there = {file.name for file in out.iterdir() if os.access(file, os.X_OK)}
    for name in sorted(there.union(wanted)):
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            checked = Checked(configuration, out, name, pathlib.Path(scratch))
            try:
                if name not in wanted:
                    raise Broken("is no target of the list")
                checked.check()
                verdict = "ok      " + "; ".join(checked.said)
            except (Broken, OSError, KeyError) as error:
                broken += 1
                lines = getattr(error, "output", "").splitlines()[-40:]
                verdict = "\n".join([f"BROKEN  {error}", *(f"    {line}" for line in lines)])
        print(f"{configuration:10} {name:22} {time.monotonic() - started:4.0f} s  {verdict}", flush=True)
    return min(broken, 100)


if __name__ == "__main__":
    sys.exit(main())

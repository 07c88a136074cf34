"""A fuzz target that AFL++ drives. It gets the same seeds, and what it finds goes to the same corpus."""

import shutil

from fuzzing.target import Target, content_name, sanitizer_options

# What AFL++ asks of the sanitizers: an abort is what it knows as a crash.
FOR_AFL = "abort_on_error=1:symbolize=0:detect_leaks=0:detect_odr_violation=0"


class Afl(Target):
    def command(self):
        seeds, output = self._directory("seeds"), self._directory("out")
        for place in (self.places.seeds(self.name), self.places.found(self.name)):
            for file in place.iterdir():
                shutil.copyfile(file, seeds / file.name)
        command = ["afl-fuzz", "-i", seeds, "-o", output, "-m", "none", "-t", "5000+"]
        command += ["-E", self.budget.runs] if self.budget.runs else ["-V", self.budget.seconds]
        if limit := self.options.get("libfuzzer", {}).get("max_len"):
            command += ["-G", limit]
        dictionary = self.places.part(self.name, ".dict")
        if dictionary.exists():
            command += ["-x", dictionary]
        return [*command, "--", self.file]

    def environment(self):
        environment = sanitizer_options(self.options)
        return environment | {
            "ASAN_OPTIONS": f"{environment.get('ASAN_OPTIONS', '')}:{FOR_AFL}",
            "UBSAN_OPTIONS": f"halt_on_error=1:{FOR_AFL}",
            "AFL_NO_UI": "1",
            "AFL_SKIP_CPUFREQ": "1",
            "AFL_TRY_AFFINITY": "1",
            "AFL_FAST_CAL": "1",
            "AFL_NO_CRASH_README": "1",
            "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
            "AFL_FORKSRV_INIT_TMOUT": "30000",
        }

    def minimizer(self, crash, output):
        return ["afl-tmin", "-i", crash, "-o", output, "-m", "none", "-t", "5000", "--", self.file]

    def refresh(self):
        """Reads the last line of plot_data, which AFL++ adds to every few seconds."""
        plot = self._output() / "plot_data"
        lines = plot.read_text().splitlines() if plot.exists() else []
        if len(lines) > 1:
            names = [name.strip() for name in lines[0].lstrip("# ").split(",")]
            values = dict(zip(names, lines[-1].split(",")))
            self._take(values, "total_execs", "execs_per_sec", "edges_found", "corpus_count")

    def finish(self):
        stats = self._output() / "fuzzer_stats"
        if stats.exists():
            lines = (line.split(":", 1) for line in stats.read_text().splitlines())
            values = {name.strip(): value for name, value in lines}
            self._take(values, "execs_done", "execs_per_sec", "edges_found", "corpus_count")
        for file in self._results("queue"):
            data = file.read_bytes()
            (self.places.found(self.name) / content_name(data)).write_bytes(data)
        for file in self._results("crashes"):
            data = file.read_bytes()
            crash = self.places.crashes() / f"{self.name}-crash-{content_name(data)}"
            crash.write_bytes(data)
            self.crashes.append(crash)

    def _take(self, values, *names):
        for value, name in zip(("runs", "rate", "coverage", "corpus"), names):
            if name in values:
                setattr(self, value, round(float(values[name])))

    def _output(self):
        return self.places.root / "build" / "fuzz-afl-state" / self.name / "out" / "default"

    def _results(self, kind):
        directory = self._output() / kind
        return sorted(directory.glob("id*")) if directory.is_dir() else []

    def _directory(self, kind):
        directory = self.places.root / "build" / "fuzz-afl-state" / self.name / kind
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        return directory

"""run_benches.py ROOT FILTER REPETITIONS MIN_TIME BENCH...: runs built benchmarks, prints medians."""

import json
import pathlib
import re
import shlex
import subprocess
import sys

# What Google Benchmark says of every result; any other number is a counter of the benchmark's own.
STANDARD = set(
    "family_index per_family_instance_index repetitions repetition_index threads iterations"
    " real_time cpu_time".split()
)
NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def scaled(value, steps):
    """Three significant digits with the largest unit that fits; `steps` go up from the smallest."""
    factor, unit = max((s for s in steps if abs(value) >= s[0]), default=steps[0])
    return f"{value / factor:.3g} {unit}".strip() if value else "0"


def time_text(result):
    return scaled(
        result["cpu_time"] * NANOSECONDS[result["time_unit"]],
        [(1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")],
    )


def counter_text(name, value):
    if name == "bytes_per_second":
        return scaled(value, [(1, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s")])
    if name == "items_per_second":
        return scaled(value, [(1, "/s"), (1e3, "k/s"), (1e6, "M/s"), (1e9, "G/s")])
    return f"{name}={value:.4g}"


def counters(result):
    return {
        name: value
        for name, value in result.items()
        if name not in STANDARD and isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def place(result):
    """Where a benchmark stands in its program."""
    return result["family_index"], result["per_family_instance_index"]


def rows_of(results):
    """One row a benchmark, from its median where it was repeated; and the errors."""
    rows, errors, medians, spreads = [], [], {}, {}
    for result in results:
        name = result.get("run_name", result["name"])
        if result.get("error_occurred"):
            error = f"{name}: {result.get('error_message', '')}"
            errors += [error] if error not in errors else []
        elif result["run_type"] == "iteration":
            medians.setdefault(name, result)
        elif result["aggregate_name"] == "median":
            medians[name] = result
        elif result["aggregate_name"] == "cv":
            spreads[name] = result["cpu_time"]
    # Random interleaving reports in any order; the table keeps the program's.
    for name, result in sorted(medians.items(), key=lambda item: place(item[1])):
        spread = f"{100 * spreads[name]:.1f}%" if name in spreads else ""
        texts = [counter_text(*counter) for counter in counters(result).items()]
        if result.get("label"):
            texts.append(result["label"])
        rows.append([name, time_text(result), spread, "  ".join(texts)])
    return rows, errors


def output_of(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    return done.stdout.strip().split("\n")[0]


def print_circumstances(root):
    """Where the numbers come from: without it they mean nothing."""
    build_dir = root / "build" / "bench"
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text("utf-8"), re.M)
    commands = json.loads((build_dir / "compile_commands.json").read_text("utf-8"))
    core = next((c for c in commands if "/src/core/" in c["file"]), commands[0])
    compiler, *arguments = shlex.split(core["command"])
    flags = [a for a in arguments if re.match(r"-[OfmDWsg]", a) and not re.match(r"-(M|fdiag|f\w+-prefix-map)", a)]
    print(f"CPU       {cpu[1] if cpu else 'unknown'}")
    print(f"compiler  {output_of(compiler, '--version', cwd=root)}")
    print(f"flags     {' '.join(flags)}")
    print(f"commit    {output_of('git', 'describe', '--always', '--dirty', cwd=root) or 'none'}")
    print(f"load      {pathlib.Path('/proc/loadavg').read_text('ascii').split()[0]} before the start")


def print_table(title, rows):
    header = [title, "CPU time", "cv", ""]
    widths = [max(len(row[i]) for row in [header] + rows) for i in range(3)]
    print()
    for name, time, spread, rest in [header] + rows:
        line = f"{name:<{widths[0]}}  {time:>{widths[1]}}  {spread:>{widths[2]}}  {rest}"
        print(line.rstrip(), flush=True)


def main():
    root = pathlib.Path(sys.argv[1])
    expression, repetitions, min_time = sys.argv[2:5]
    results_dir = root / "build" / "bench-results"
    results_dir.mkdir(parents=True, exist_ok=True)
    print_circumstances(root)
    errors, measured = [], 0
    for file in sys.argv[5:]:
        bench = pathlib.Path(file).name
        out = results_dir / f"{bench}.json"
        out.unlink(missing_ok=True)
        done = subprocess.run(
            [
                root / "build" / "bench" / file,
                f"--benchmark_filter={expression}",
                f"--benchmark_repetitions={repetitions}",
                f"--benchmark_min_time={min_time}",
                "--benchmark_enable_random_interleaving=true",
                f"--benchmark_out={out}",
                "--benchmark_out_format=json",
            ],
            capture_output=True,
            text=True,
            errors="backslashreplace",
            check=False,
        )
        text = out.read_text("utf-8") if out.exists() else ""
        if done.returncode != 0:
            errors.append(f"{bench} ended with status {done.returncode}\n{done.stderr[-4000:]}")
            continue
        if not text:  # the filter matches nothing in this program
            out.unlink(missing_ok=True)
            continue
        rows, failed = rows_of(json.loads(text)["benchmarks"])
        errors += failed
        measured += len(rows)
        print_table(bench, rows)
    for error in errors:
        print(f"\nFAILED  {error}", file=sys.stderr)
    if not errors and measured == 0:
        print(f"no benchmark matches {expression}", file=sys.stderr)
        return 2
    print(f"\nJSON in {results_dir.relative_to(root)}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

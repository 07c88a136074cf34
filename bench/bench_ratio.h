// Two pieces of work measured turn by turn in one benchmark, so that a slow moment of the machine
// meets both. The counter `ratio` is the quotient of their medians.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace sandproof::bench {

inline constexpr int k_ratio_turns = 21;
inline constexpr double k_ratio_turn_seconds = 2e-3;

// processor_seconds is the time that this thread computed: a busy machine adds none to it.
inline double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// seconds_of_turn does the work as often as takes the time of a turn, once before to warm up, and
// gives what it takes once.
inline double seconds_of_turn(const std::function<void()>& work) {
  work();
  std::size_t count = 0;
  double seconds = 0;
  const double begin = processor_seconds();
  do {
    // Several times between two looks at the clock, which costs as much as some of the work.
    for (int i = 0; i < 8; ++i) work();
    count += 8;
    seconds = processor_seconds() - begin;
  } while (seconds < k_ratio_turn_seconds);
  return seconds / static_cast<double>(count);
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// add_ratio reports how many times the time of `unit` the time of `work` is.
inline void add_ratio(const std::string& name, std::function<void()> work,
                      std::function<void()> unit) {
  const auto run_both = [work = std::move(work), unit = std::move(unit)](benchmark::State& state) {
    std::vector<double> works;
    std::vector<double> units;
    for (auto _ : state) {
      for (int turn = 0; turn < k_ratio_turns; ++turn) {
        works.push_back(seconds_of_turn(work));
        units.push_back(seconds_of_turn(unit));
      }
    }
    state.counters["ratio"] = median(works) / median(units);
  };
  const std::string full = "ratio/" + name;
  benchmark::RegisterBenchmark(full.c_str(), run_both)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace sandproof::bench

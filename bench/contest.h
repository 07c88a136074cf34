// Contests: the library and its competitors do the same work with the same inputs, turn by turn in
// one benchmark, so that a slow moment of the machine meets all of them.
//
// A contest has one counter a contestant: nanoseconds for one input. The library's own is called
// `sandproof`; a ratio of two of them is a quotient within one repetition. `bytes` is what one
// input has on average.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sandproof::bench {

// A turn takes at least this long, unless one pass does; no contestant takes turns for longer than
// its budget.
inline constexpr int k_turns = 11;
inline constexpr double k_turn_seconds = 1e-3;
inline constexpr double k_budget_seconds = 0.1;

// Contestant is one way to do the work: `pass` does it once with every input.
struct Contestant {
  std::string name;
  std::function<void()> pass;
};

// Contest is what to do, with everything made, and verified, that it takes. The contestants keep
// their inputs.
struct Contest {
  std::size_t inputs;
  std::size_t bytes;  // of all inputs together
  std::vector<Contestant> contestants;
  std::vector<std::pair<std::string, double>> counts = {};  // other counters: what was counted
};

// processor_seconds is the time that this thread computed: a busy machine adds none to it.
inline double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline double seconds_of(const std::function<void()>& pass, std::size_t count) {
  const double begin = processor_seconds();
  for (std::size_t i = 0; i < count; ++i) pass();
  return processor_seconds() - begin;
}

// seconds_of_turn is what one pass takes in this turn. The first pass brings code and data back
// into the caches; where it takes long, that is lost in it.
inline double seconds_of_turn(const std::function<void()>& pass) {
  const double first = seconds_of(pass, 1);
  if (first > 10 * k_turn_seconds) return first;
  // Ever more between two looks at the clock, which costs as much as some of the work.
  for (std::size_t count = 1;; count *= 2) {
    const double seconds = seconds_of(pass, count);
    if (seconds >= k_turn_seconds) return seconds / static_cast<double>(count);
  }
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// hold lets the contestants take turns, each as often as its budget lets it, and at least once.
inline void hold(const Contest& contest, benchmark::State& state) {
  std::vector<std::vector<double>> turns(contest.contestants.size());
  std::vector<double> spent(contest.contestants.size());
  for (int turn = 0; turn < k_turns; ++turn) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (spent[i] > k_budget_seconds) continue;
      const double begin = processor_seconds();
      turns[i].push_back(seconds_of_turn(contest.contestants[i].pass));
      spent[i] += processor_seconds() - begin;
    }
  }
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const double nanoseconds = median(turns[i]) * 1e9;
    state.counters[contest.contestants[i].name] = nanoseconds / static_cast<double>(contest.inputs);
  }
  for (const auto& [name, value] : contest.counts) state.counters[name] = value;
  state.counters["bytes"] =
      static_cast<double>(contest.bytes) / static_cast<double>(contest.inputs);
}

// add_contest registers one. It is made when it is first held, so that a filter costs only what it
// lets through, and kept for the repetitions.
inline void add_contest(const std::string& name, std::function<Contest()> make) {
  const auto made = std::make_shared<std::unique_ptr<const Contest>>();
  benchmark::RegisterBenchmark(name.c_str(),
                               [made, make = std::move(make)](benchmark::State& state) {
                                 if (!*made) *made = std::make_unique<const Contest>(make());
                                 for (auto _ : state) hold(**made, state);
                               })
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

// run is the common end of every program.
inline int run(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return EXIT_FAILURE;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}

}  // namespace sandproof::bench

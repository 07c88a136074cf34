// What the benchmarks share: reproducible inputs, a table row of the accepted languages compiled
// once, and a way to stop when a benchmark would measure a wrong answer.
#pragma once

#include <benchmark/benchmark.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contest.h"
#include "reference/languages.h"
#include "reference/scanners.h"
#include "sandproof/refusal.h"

namespace sandproof::bench {

// Numbers that are the same in every run and with every standard library.
class Numbers {
 public:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  char of(std::string_view alphabet) { return alphabet[below(alphabet.size())]; }

  template <class List>
  void shuffle(List& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::mt19937_64 engine_{20240229};
};

// stop ends the program: a time for a wrong answer is worth nothing.
[[noreturn]] inline void stop(std::string_view what, std::string_view input) {
  std::fprintf(stderr, "%.*s for %s\n", static_cast<int>(what.size()), what.data(),
               escaped(input).c_str());
  std::exit(EXIT_FAILURE);
}

inline void must(bool condition, std::string_view what, std::string_view input) {
  if (!condition) stop(what, input);
}

// Expression is one row of the reference's table with its expression compiled: what somebody would
// write who had RE2 and no library.
class Expression {
 public:
  explicit Expression(std::string_view name)
      : row_(reference::language(name)),
        expression_(re2::StringPiece(row_.expression.data(), row_.expression.size()),
                    RE2::Options(RE2::Latin1)) {}

  [[nodiscard]] bool accepts(std::string_view text) const {
    return text.size() >= row_.min_size && text.size() <= row_.max_size &&
           RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression_) &&
           pieces_fit(text);
  }

 private:
  [[nodiscard]] bool pieces_fit(std::string_view text) const {
    if (row_.separator == '\0') return true;
    std::size_t begin = 0;
    while (true) {
      const std::size_t end = std::min(text.find(row_.separator, begin), text.size());
      if (end - begin > row_.max_piece_size) return false;
      if (end == text.size()) return true;
      begin = end + 1;
    }
  }

  const reference::Language& row_;
  RE2 expression_;
};

// k_inputs is how many texts one pass goes through: more than a branch predictor learns by heart.
inline constexpr std::size_t k_inputs = 512;

using Texts = std::vector<std::string>;

// texts_contest holds checks of one text against each other. A check is a template argument, so
// that no call through a pointer is measured.
template <auto... checks, class... Names>
Contest texts_contest(Texts given, Names... names) {
  const auto texts = std::make_shared<const Texts>(std::move(given));
  std::size_t bytes = 0;
  for (const std::string& text : *texts) bytes += text.size();
  return {texts->size(), bytes, {{names, [texts] {
                                    for (const std::string& text : *texts) {
                                      benchmark::DoNotOptimize(checks(std::string_view(text)));
                                    }
                                  }}...}};
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

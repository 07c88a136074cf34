// What every input is made of, and a way to stop when a wrong answer would be measured.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

using Texts = std::vector<std::string>;

// stop ends the program: a time for a wrong answer is worth nothing.
[[noreturn]] inline void stop(std::string_view what, std::string_view input) {
  std::fprintf(stderr, "%.*s for %s\n", static_cast<int>(what.size()), what.data(),
               escaped(input).c_str());
  std::exit(EXIT_FAILURE);
}

inline void must(bool condition, std::string_view what, std::string_view input) {
  if (!condition) stop(what, input);
}

}  // namespace sandproof::bench

#include "test_set.h"

#include <algorithm>
#include <bitset>
#include <stdexcept>

namespace sandproof::conformance {
namespace {

constexpr std::size_t k_max_states = 1024;
using States = std::bitset<k_max_states>;

// Suffix is a word, and which states accept it.
struct Suffix {
  std::string word;
  States accepted;
};

std::vector<Suffix> shortest_suffixes(const Machine& machine, const Apart& apart) {
  // Shorter ones first: of two that tell as many states apart, the first is taken.
  std::set<std::pair<std::size_t, std::string>> words;
  for (State a = 0; a < machine.size(); ++a) {
    for (State b = 0; b < a; ++b) {
      auto word = apart.word(a, b);
      if (!word) throw std::invalid_argument("two states are equal");
      words.emplace(word->size(), *word);
    }
  }
  std::vector<Suffix> all;
  for (const auto& [size, word] : words) {
    Suffix& suffix = all.emplace_back(word);
    for (State state = 0; state < machine.size(); ++state) {
      suffix.accepted[state] = machine.accepts(machine.run(state, word));
    }
  }
  return all;
}

// suffixes_of takes, again and again, the suffix that tells most of the other states from this one.
std::vector<std::string> suffixes_of(State state, std::size_t size,
                                     const std::vector<Suffix>& suffixes) {
  States left;
  for (State other = 0; other < size; ++other) left[other] = other != state;
  std::vector<std::string> words;
  while (left.any()) {
    const auto alike = [&](const Suffix& suffix) {
      return left & (suffix.accepted[state] ? suffix.accepted : ~suffix.accepted);
    };
    const Suffix& best = *std::ranges::min_element(
        suffixes, {}, [&](const Suffix& suffix) { return alike(suffix).count(); });
    left = alike(best);
    words.push_back(best.word);
  }
  return words;
}

}  // namespace

TestSet::TestSet(const Machine& machine) : machine_(machine), apart_(machine) {
  if (machine.size() > k_max_states) throw std::invalid_argument("too many states");
  for (const auto& word : shortest_words(machine, 0)) {
    if (!word) throw std::invalid_argument("a state cannot be reached");
    access_.push_back(*word);
  }
  const std::vector<Suffix> suffixes = shortest_suffixes(machine, apart_);
  std::set<std::string> all{""};
  for (State state = 0; state < machine.size(); ++state) {
    suffixes_.push_back(suffixes_of(state, machine.size(), suffixes));
    all.insert(suffixes_.back().begin(), suffixes_.back().end());
  }
  all_suffixes_.assign(all.begin(), all.end());
}

std::map<State, std::set<std::string>> TestSet::suffixes_near(State from) const {
  std::set<State> near{from};
  for (const char byte : machine_.representatives()) near.insert(machine_.step(from, byte));
  std::map<State, std::set<std::string>> suffixes;
  for (const State to : near) {
    suffixes[to].insert("");
    for (const State other : near) {
      if (other != to) suffixes[to].insert(*apart_.word(to, other));
    }
  }
  return suffixes;
}

}  // namespace sandproof::conformance

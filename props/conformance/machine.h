// Deterministic finite automata over bytes: a language, stated so that a test set that is complete
// can be derived from it (test_set.h).
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sandproof::conformance {

using State = std::uint32_t;
using ByteSet = std::bitset<256>;

inline constexpr std::size_t k_bytes = 256;

// ranges reads pairs of bytes, the first and the last of a range each: "azAZ__" is [a-zA-Z_].
[[nodiscard]] ByteSet ranges(std::string_view pairs);

// Machine is complete: every state has a successor for every byte. It begins in state 0. Bytes that
// no state tells apart are one class.
class Machine {
 public:
  // A machine whose row i leads from state i to row[byte] by each byte.
  Machine(std::span<const std::array<State, k_bytes>> rows, std::vector<bool> accepting);

  [[nodiscard]] std::size_t size() const noexcept { return accepting_.size(); }

  // representatives is one byte of each class, the smallest.
  [[nodiscard]] const std::string& representatives() const noexcept { return representatives_; }

  [[nodiscard]] State step(State from, char byte) const noexcept {
    return next_[from * representatives_.size() + class_of_[static_cast<unsigned char>(byte)]];
  }
  [[nodiscard]] State run(State from, std::string_view word) const noexcept {
    for (const char byte : word) from = step(from, byte);
    return from;
  }
  [[nodiscard]] bool accepts(State state) const noexcept { return accepting_[state]; }
  [[nodiscard]] bool accepts(std::string_view word) const noexcept { return accepts(run(0, word)); }

  // The same machine but for one fault: a transition by a whole class that leads elsewhere, or a
  // state that answers the opposite. A split state is a copy, which is given back, with the
  // transitions of the original; one transition by a whole class leads to it.
  void redirect(State from, char byte, State to) noexcept;
  void flip(State state) { accepting_[state] = !accepting_[state]; }
  State split(State from, char byte);

 private:
  std::array<std::uint8_t, k_bytes> class_of_{};
  std::string representatives_;
  std::vector<State> next_;  // a row a state, a column a class
  std::vector<bool> accepting_;
};

// explore makes the machine of a rule, which is whatever can be compared, and goes on by
// step(rule, byte). It has a state for each rule that can be reached, in the order of their
// shortest words.
template <class Rule, class Step, class Accepts>
[[nodiscard]] Machine explore(const Rule& start, Step step, Accepts accepts) {
  std::map<Rule, State> known{{start, 0}};
  std::vector<Rule> states{start};
  std::vector<std::array<State, k_bytes>> rows;
  std::vector<bool> accepting;
  while (rows.size() < states.size()) {
    const Rule from = states[rows.size()];
    accepting.push_back(accepts(from));
    std::array<State, k_bytes>& row = rows.emplace_back();
    std::optional<Rule> before;
    for (std::size_t byte = 0; byte < k_bytes; ++byte) {
      Rule to = step(from, static_cast<char>(byte));
      if (before && *before == to) {
        row[byte] = row[byte - 1];
        continue;
      }
      const auto [place, added] = known.try_emplace(to, static_cast<State>(states.size()));
      if (added) states.push_back(to);
      row[byte] = place->second;
      before = std::move(to);
    }
  }
  return Machine(rows, std::move(accepting));
}

// Transition is a row of a table: by these bytes from one state to another. A state is its index in
// the table's list of names, from 0, where it begins.
struct Transition {
  State from;
  ByteSet bytes;
  State to;
};

// table makes a machine of its rows. What no row names leads to a state of no return that refuses.
[[nodiscard]] Machine table(std::span<const Transition> rows, std::span<const State> accepting);

// sizes accepts min..max bytes, whatever they are.
[[nodiscard]] Machine sizes(std::size_t min, std::size_t max);

// pieces accepts what has at most `max` bytes between separators.
[[nodiscard]] Machine pieces(char separator, std::size_t max);

// both accepts what both accept; minimal is the smallest machine of the same language.
[[nodiscard]] Machine both(const Machine& a, const Machine& b);
[[nodiscard]] Machine minimal(const Machine& machine);

// shortest_words is a shortest word from one state to each; none to a state that is not reached.
[[nodiscard]] std::vector<std::optional<std::string>> shortest_words(const Machine& machine,
                                                                     State from);

// are_equal says whether two machines accept the same.
[[nodiscard]] bool are_equal(const Machine& a, const Machine& b);

// Apart tells any two states of a machine apart, which must outlive it. O(n^2 k).
class Apart {
 public:
  explicit Apart(const Machine& machine);

  // are_equal says that two states answer every word alike.
  [[nodiscard]] bool are_equal(State a, State b) const { return at(a, b).known == Known::nothing; }

  // word is a shortest one that one of two states accepts and the other does not; none where they
  // are equal.
  [[nodiscard]] std::optional<std::string> word(State a, State b) const;

 private:
  enum class Known : std::uint8_t { nothing, by_themselves, by_a_byte };
  struct Pair {
    Known known = Known::nothing;
    char byte = 0;
  };

  // A pair has no order.
  [[nodiscard]] std::size_t place(State a, State b) const {
    return std::min(a, b) * machine_.size() + std::max(a, b);
  }
  [[nodiscard]] const Pair& at(State a, State b) const { return pairs_[place(a, b)]; }

  const Machine& machine_;
  std::vector<Pair> pairs_;
};

}  // namespace sandproof::conformance

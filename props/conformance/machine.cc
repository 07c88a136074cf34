#include "machine.h"

#include <deque>

namespace sandproof::conformance {

ByteSet ranges(std::string_view pairs) {
  ByteSet set;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const auto last = static_cast<unsigned char>(pairs[i + 1]);
    for (std::size_t byte = static_cast<unsigned char>(pairs[i]); byte <= last; ++byte) {
      set.set(byte);
    }
  }
  return set;
}

Machine::Machine(std::span<const std::array<State, k_bytes>> rows, std::vector<bool> accepting)
    : accepting_(std::move(accepting)) {
  std::map<std::vector<State>, std::uint8_t> classes;
  std::vector<State> column(rows.size());
  for (std::size_t byte = 0; byte < k_bytes; ++byte) {
    std::ranges::transform(rows, column.begin(), [byte](const auto& row) { return row[byte]; });
    const auto next = static_cast<std::uint8_t>(classes.size());
    const auto [place, added] = classes.try_emplace(column, next);
    if (added) representatives_ += static_cast<char>(byte);
    class_of_[byte] = place->second;
  }
  for (const auto& row : rows) {
    for (const char byte : representatives_) next_.push_back(row[static_cast<unsigned char>(byte)]);
  }
}

void Machine::redirect(State from, char byte, State to) noexcept {
  next_[from * representatives_.size() + class_of_[static_cast<unsigned char>(byte)]] = to;
}

State Machine::split(State from, char byte) {
  const State original = step(from, byte);
  const auto copy = static_cast<State>(size());
  for (const char each : representatives_) next_.push_back(step(original, each));
  accepting_.push_back(accepts(original));
  redirect(from, byte, copy);
  return copy;
}

Machine table(std::span<const Transition> rows, std::span<const State> accepting) {
  const auto dead = static_cast<State>(-1);
  return explore(
      State{0},
      [=](State from, char byte) {
        for (const Transition& row : rows) {
          if (row.from == from && row.bytes[static_cast<unsigned char>(byte)]) return row.to;
        }
        return dead;
      },
      [=](State state) { return std::ranges::find(accepting, state) != accepting.end(); });
}

Machine sizes(std::size_t min, std::size_t max) {
  return explore(
      std::size_t{0}, [=](std::size_t size, char) { return std::min(size + 1, max + 1); },
      [=](std::size_t size) { return size >= min && size <= max; });
}

Machine pieces(char separator, std::size_t max) {
  return explore(
      std::size_t{0},
      [=](std::size_t size, char byte) {
        if (size > max) return size;
        return byte == separator ? 0 : size + 1;
      },
      [=](std::size_t size) { return size <= max; });
}

Machine both(const Machine& a, const Machine& b) {
  using Rule = std::pair<State, State>;
  return explore(
      Rule{0, 0},
      [&](const Rule& from, char byte) {
        return Rule{a.step(from.first, byte), b.step(from.second, byte)};
      },
      [&](const Rule& state) { return a.accepts(state.first) && b.accepts(state.second); });
}

Machine minimal(const Machine& machine) {
  const Apart apart(machine);
  std::vector<State> first_equal(machine.size());
  for (State state = 0; state < machine.size(); ++state) {
    State equal = 0;
    while (!apart.are_equal(equal, state)) ++equal;
    first_equal[state] = equal;
  }
  return explore(
      first_equal[0], [&](State from, char byte) { return first_equal[machine.step(from, byte)]; },
      [&](State state) { return machine.accepts(state); });
}

std::vector<std::optional<std::string>> shortest_words(const Machine& machine, State from) {
  std::vector<std::optional<std::string>> words(machine.size());
  words[from] = "";
  std::deque<State> found{from};
  for (; !found.empty(); found.pop_front()) {
    for (const char byte : machine.representatives()) {
      const State to = machine.step(found.front(), byte);
      if (words[to]) continue;
      words[to] = *words[found.front()] + byte;
      found.push_back(to);
    }
  }
  return words;
}

bool are_equal(const Machine& a, const Machine& b) {
  const auto differ = explore(
      std::pair<State, State>{0, 0},
      [&](const auto& from, char byte) {
        return std::pair<State, State>{a.step(from.first, byte), b.step(from.second, byte)};
      },
      [&](const auto& state) { return a.accepts(state.first) != b.accepts(state.second); });
  for (State state = 0; state < differ.size(); ++state) {
    if (differ.accepts(state)) return false;
  }
  return true;
}

// Backwards from the pairs that differ by themselves: what leads to a pair that is told apart is
// told apart by one byte more.
Apart::Apart(const Machine& machine) : machine_(machine), pairs_(machine.size() * machine.size()) {
  const std::string& bytes = machine.representatives();
  std::vector<std::vector<State>> before(machine.size() * bytes.size());
  for (State state = 0; state < machine.size(); ++state) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      before[machine.step(state, bytes[i]) * bytes.size() + i].push_back(state);
    }
  }
  std::deque<std::pair<State, State>> found;
  for (State a = 0; a < machine.size(); ++a) {
    for (State b = 0; b < a; ++b) {
      if (machine.accepts(a) == machine.accepts(b)) continue;
      pairs_[place(a, b)] = {Known::by_themselves, 0};
      found.emplace_back(a, b);
    }
  }
  for (; !found.empty(); found.pop_front()) {
    const auto [a, b] = found.front();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const State from_a : before[a * bytes.size() + i]) {
        for (const State from_b : before[b * bytes.size() + i]) {
          Pair& pair = pairs_[place(from_a, from_b)];
          if (pair.known != Known::nothing) continue;
          pair = {Known::by_a_byte, bytes[i]};
          found.emplace_back(from_a, from_b);
        }
      }
    }
  }
}

std::optional<std::string> Apart::word(State a, State b) const {
  if (are_equal(a, b)) return std::nullopt;
  std::string told;
  while (at(a, b).known == Known::by_a_byte) {
    const char byte = at(a, b).byte;
    told += byte;
    a = machine_.step(a, byte);
    b = machine_.step(b, byte);
  }
  return told;
}

}  // namespace sandproof::conformance

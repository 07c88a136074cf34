// Texts read sixteen bytes at a time: whether every byte of one passes a rule, or every three side
// by side, and where the first one does not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof::bytes {

// Block is sixteen bytes that are computed with at once. g++ and clang make of it whatever the
// machine has: one vector, or words. Comparing gives -1 in each byte where it holds, and 0
// elsewhere.
using Block = std::uint8_t __attribute__((vector_size(16)));
using Words = std::uint64_t __attribute__((vector_size(16)));

namespace blocks {

template <class T>
T load(const char* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// load_short gives the bytes of a text of 1 to 16, each at least once, and none else. Which byte
// stands where depends on the size alone.
inline Block load_short(const char* text, std::size_t size) noexcept {
  const char* const end = text + size;
  if (size >= 8) {
    return reinterpret_cast<Block>(Words{load<std::uint64_t>(text), load<std::uint64_t>(end - 8)});
  }
  std::uint64_t word = 0;
  if (size >= 4) {
    word = load<std::uint32_t>(text) | std::uint64_t{load<std::uint32_t>(end - 4)} << 32U;
  } else if (size >= 2) {
    word = load<std::uint16_t>(text) | std::uint32_t{load<std::uint16_t>(end - 2)} << 16U;
    word |= word << 32U;
  } else {
    word = load<std::uint8_t>(text) * 0x0101'0101'0101'0101U;
  }
  return reinterpret_cast<Block>(Words{word, word});
}

// holds says whether a comparison held in each of its bytes.
template <class Mask>
bool holds(Mask mask) noexcept {
  const auto words = reinterpret_cast<Words>(mask);
  return (words[0] & words[1]) == ~std::uint64_t{0};
}

// holds_everywhere says whether `test` holds at each of `count` places. It is given a function that
// gives, of a text's first place, a block of the bytes at the places that are looked at.
template <class Test>
bool holds_everywhere(std::size_t count, Test test) noexcept {
  if (count == 0) return true;
  if (count <= sizeof(Block)) {
    return holds(test([=](const char* first) { return load_short(first, count); }));
  }
  const auto held_at = [=](std::size_t place) {
    return test([=](const char* first) { return load<Block>(first + place); });
  };
  // The last block ends with the text, and may overlap the one before.
  const std::size_t last = count - sizeof(Block);
  auto held = held_at(last);
  for (std::size_t place = 0; place < last; place += sizeof(Block)) held &= held_at(place);
  return holds(held);
}

}  // namespace blocks

// all says whether `rule` holds for every byte of a text. O(n).
template <class Rule>
bool all(std::string_view text, Rule rule) noexcept {
  // It captures the text: of its pointer alone g++ 12 makes a sixth more instructions of a name.
  // NOLINTBEGIN(bugprone-suspicious-stringview-data-usage): a block is loaded, and no C string
  // read.
  return blocks::holds_everywhere(text.size(),
                                  [=](auto block) { return rule(block(text.data())); });
  // NOLINTEND(bugprone-suspicious-stringview-data-usage)
}

// all_threes says whether `rule` holds for every three bytes that stand side by side. O(n).
template <class Rule>
bool all_threes(std::string_view text, Rule rule) noexcept {
  const char* const first = text.data();
  return text.size() < 3 ||
         blocks::holds_everywhere(
             text.size() - 2,
             [=](auto block) { return rule(block(first), block(first + 1), block(first + 2)); });
}

// equal says whether two texts are the same. O(n); of a few blocks, in less time than a call takes.
inline bool equal(std::string_view a, std::string_view b) noexcept {
  const char* const in_a = a.data();
  const char* const in_b = b.data();
  return a.size() == b.size() &&
         blocks::holds_everywhere(a.size(), [=](auto block) { return block(in_a) == block(in_b); });
}

// first_not is find_not for a text that has such a byte: what is refused may take longer.
template <class Rule>
[[gnu::noinline, gnu::cold]] std::size_t first_not(std::string_view text, Rule rule) noexcept {
  std::size_t at = 0;
  while (text.size() - at >= sizeof(Block) &&
         blocks::holds(rule(blocks::load<Block>(text.data() + at)))) {
    at += sizeof(Block);
  }
  while (rule(static_cast<std::uint8_t>(text[at]))) ++at;
  return at;
}

// find_not gives the offset of the first byte that `rule` does not hold for, or k_no_place. O(n).
template <class Rule>
std::size_t find_not(std::string_view text, Rule rule) noexcept {
  return all(text, rule) ? k_no_place : first_not(text, rule);
}

// count gives how many bytes of a text are `wanted`. O(n).
inline std::size_t count(std::string_view text, char wanted) noexcept {
  constexpr std::size_t k_most = 255;  // that a byte can count
  std::size_t total = 0;
  while (text.size() >= sizeof(Block)) {
    const std::size_t rows = std::min(text.size() / sizeof(Block), k_most);
    Block columns{};
    for (std::size_t i = 0; i < rows; ++i) {
      const auto block = blocks::load<Block>(text.data() + i * sizeof(Block));
      columns -= reinterpret_cast<Block>(block == static_cast<std::uint8_t>(wanted));
    }
    for (std::size_t i = 0; i < sizeof(Block); ++i) total += columns[i];
    text.remove_prefix(rows * sizeof(Block));
  }
  return total + static_cast<std::size_t>(std::ranges::count(text, wanted));
}

}  // namespace sandproof::bytes

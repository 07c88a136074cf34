// A hash table of borrowed strings that gives each distinct one its number, in order of arrival.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "blocks.h"
#include "sandproof/refusal.h"

namespace sandproof {

// KeyedHash hashes strings under a key that whoever wrote them cannot know: where something happens
// to stand in memory. Folded multiplication, eight bytes at a time; no answer depends on it, only
// the time that a table takes.
class KeyedHash {
 public:
  explicit KeyedHash(const void* a, const void* b) noexcept
      : start_(folded(number(a) ^ k_odd_a, k_odd_b)), step_(folded(number(b) ^ k_odd_b, k_odd_a)) {}

  [[nodiscard]] std::uint64_t operator()(std::string_view text) const noexcept {
    using bytes::blocks::load;
    std::uint64_t state = start_ ^ text.size();
    if (text.size() < k_word_size) return folded(state ^ load_short(text), step_);
    std::size_t at = 0;
    for (; at + k_word_size < text.size(); at += k_word_size) {
      state = folded(state ^ load<std::uint64_t>(text.data() + at), step_);
    }
    // The last word ends with the text, and may overlap the one before.
    return folded(state ^ load<std::uint64_t>(text.data() + text.size() - k_word_size), step_);
  }

 private:
  static constexpr std::size_t k_word_size = sizeof(std::uint64_t);
  static constexpr std::uint64_t k_odd_a = 0x9e3779b97f4a7c15;  // digits of the golden ratio
  static constexpr std::uint64_t k_odd_b = 0xb7e151628aed2a6b;  // and of e: nothing is up a sleeve

  static std::uint64_t number(const void* place) noexcept {
    return reinterpret_cast<std::uintptr_t>(place);
  }

  static std::uint64_t load_short(std::string_view text) noexcept {
    std::uint64_t word = 0;
    for (const char c : text) word = word << 8U | static_cast<unsigned char>(c);
    return word;
  }

  // folded is the whole product of two words, its halves laid over each other.
  static std::uint64_t folded(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Product = unsigned __int128;
    const Product product = Product{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }

  std::uint64_t start_;
  std::uint64_t step_;
};

// PatternTable holds at most `capacity` keys; it allocates twice, when it is made.
class PatternTable {
 public:
  explicit PatternTable(std::size_t capacity)
      : slots_(std::bit_ceil(capacity * 2 + 1)), hash_(this, slots_.data()) {
    keys_.reserve(capacity);
  }

  // add gives the number of `key`, which it takes in if it is new.
  std::size_t add(std::string_view key) {
    Slot& slot = slots_[slot_of(key)];
    if (slot.number == 0) {
      keys_.push_back(key);
      slot = {hash(key), static_cast<std::uint32_t>(keys_.size())};
    }
    return slot.number - 1;
  }

  // find gives the number of `key`, or k_no_place. Where `guess` is the number, nothing is hashed.
  [[nodiscard]] std::size_t find(std::string_view key,
                                 std::size_t guess = k_no_place) const noexcept {
    if (guess < keys_.size() && keys_[guess] == key) return guess;
    const Slot& slot = slots_[slot_of(key)];
    return slot.number == 0 ? k_no_place : slot.number - 1;
  }

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

 private:
  struct Slot {
    std::uint32_t hash;
    std::uint32_t number;  // from 1; 0 is an empty slot
  };

  [[nodiscard]] std::uint32_t hash(std::string_view key) const noexcept {
    return static_cast<std::uint32_t>(hash_(key));
  }

  // slot_of gives the slot that holds `key`, or the empty one where it belongs. There always is an
  // empty one: at most half of them are taken.
  [[nodiscard]] std::size_t slot_of(std::string_view key) const noexcept {
    const std::uint32_t wanted = hash(key);
    std::size_t at = wanted & (slots_.size() - 1);
    while (slots_[at].number != 0 &&
           (slots_[at].hash != wanted || keys_[slots_[at].number - 1] != key)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  std::vector<Slot> slots_;
  KeyedHash hash_;
  std::vector<std::string_view> keys_;
};

}  // namespace sandproof

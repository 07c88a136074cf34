// A hash table of borrowed strings that gives each distinct one its number, in order of arrival.
#pragma once

#include <sodium/crypto_shorthash.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sandproof/refusal.h"

namespace sandproof {

// PatternTable holds at most `capacity` keys; it allocates twice, when it is made. The hash is
// SipHash-2-4 under a key that whoever wrote the policy cannot know: where this table happens to
// stand in memory. No answer depends on it.
class PatternTable {
 public:
  explicit PatternTable(std::size_t capacity) : slots_(std::bit_ceil(capacity * 2 + 1)) {
    keys_.reserve(capacity);
    const std::array<const void*, 2> places{this, slots_.data()};
    static_assert(sizeof places == crypto_shorthash_KEYBYTES);
    std::memcpy(seed_.data(), places.data(), sizeof places);
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

  // find gives the number of `key`, or k_no_place.
  [[nodiscard]] std::size_t find(std::string_view key) const noexcept {
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
    std::array<unsigned char, crypto_shorthash_BYTES> digest{};
    crypto_shorthash(digest.data(), reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                     seed_.data());
    std::uint32_t low = 0;
    std::memcpy(&low, digest.data(), sizeof low);
    return low;
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

  std::array<unsigned char, crypto_shorthash_KEYBYTES> seed_{};
  std::vector<Slot> slots_;
  std::vector<std::string_view> keys_;
};

}  // namespace sandproof

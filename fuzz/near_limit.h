// Texts near a limit, from short inputs: inputs of that size would slow everything else down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sandproof::fuzz {

inline constexpr std::size_t k_max_distance = 127;

// distance_from is a limit, less or more what one byte says.
inline std::size_t distance_from(std::size_t limit, char distance) {
  return limit + static_cast<std::uint8_t>(distance) - k_max_distance;
}

// fill_up makes a text at least as long.
inline void fill_up(std::string& text, std::size_t size, char with) {
  if (text.size() < size) text.resize(size, with);
}

// to_be_filled: an input that begins with 0x01 is to be filled up. Its second byte is the distance
// from the limit, the rest the text.
inline bool to_be_filled(std::string_view input) {
  return input.size() >= 2 && input.front() == '\x01';
}

}  // namespace sandproof::fuzz

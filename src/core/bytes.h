// Bytes as the decisions read them: ASCII only, whatever the locale; UTF-8 as RFC 3629 has it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof::bytes {

// One bit a class, and one table of all bytes: a look-up is faster than the range tests.
enum Class : std::uint8_t { k_digit = 1, k_upper = 2, k_word = 4, k_lower_hex = 8, k_control = 16 };

consteval std::array<std::uint8_t, 256> classes() noexcept {
  std::array<std::uint8_t, 256> table{};
  const auto mark = [&table](unsigned first, unsigned last, unsigned bits) {
    for (unsigned byte = first; byte <= last; ++byte) {
      table[byte] = static_cast<std::uint8_t>(table[byte] | bits);
    }
  };
  mark('0', '9', k_digit | k_word | k_lower_hex);
  mark('A', 'Z', k_upper | k_word);
  mark('a', 'z', k_word);
  mark('a', 'f', k_lower_hex);
  mark('_', '_', k_word);
  mark(0x00, 0x1f, k_control);
  mark(0x7f, 0x7f, k_control);
  return table;
}
inline constexpr std::array<std::uint8_t, 256> k_classes = classes();

constexpr bool is(Class wanted, char c) noexcept {
  return (k_classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

constexpr bool is_digit(char c) noexcept { return is(k_digit, c); }
constexpr bool is_upper(char c) noexcept { return is(k_upper, c); }

// is_word is what a name may hold: letters, digits and underscore.
constexpr bool is_word(char c) noexcept { return is(k_word, c); }

// is_lower_hex is the alphabet of call ids, secrets and digests.
constexpr bool is_lower_hex(char c) noexcept { return is(k_lower_hex, c); }

// is_control is 0x00-0x1f and 0x7f.
constexpr bool is_control(char c) noexcept { return is(k_control, c); }

constexpr bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

constexpr char to_lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return to_lower(x) == to_lower(y);
         });
}

// find_if gives the offset of the first byte that `test` is true for, or k_no_place.
template <class Test>
constexpr std::size_t find_if(std::string_view text, Test test) noexcept {
  const auto at = std::find_if(text.begin(), text.end(), test);
  return at == text.end() ? k_no_place : static_cast<std::size_t>(at - text.begin());
}

// find_ill_formed_utf8 gives the offset of the first sequence that is not well-formed UTF-8
// (Unicode 15, table 3-7: no overlong form, no surrogate, nothing above U+10FFFF), or k_no_place.
std::size_t find_ill_formed_utf8(std::string_view text) noexcept;

}  // namespace sandproof::bytes

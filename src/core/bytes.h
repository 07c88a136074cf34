// Bytes as the decisions read them: ASCII only, whatever the locale; UTF-8 as RFC 3629 has it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof::bytes {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || is_upper(c); }
constexpr bool is_word(char c) noexcept { return is_letter(c) || is_digit(c) || c == '_'; }
// is_lower_hex is the alphabet of call ids, secrets and digests.
constexpr bool is_lower_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f'); }

constexpr bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

// is_control is 0x00-0x1f and 0x7f.
constexpr bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

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

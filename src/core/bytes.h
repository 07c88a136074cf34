// Bytes as the decisions read them: ASCII only, whatever the locale; UTF-8 as RFC 3629 has it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "blocks.h"
#include "sandproof/refusal.h"

namespace sandproof::bytes {

// A rule says which bytes a class holds. It is written once, and takes a byte or a block of them:
// the operators of both are the same.
template <class T>
constexpr auto within(T c, std::uint8_t first, std::uint8_t last) noexcept {
  return static_cast<T>(c - first) <= static_cast<std::uint8_t>(last - first);
}

namespace rules {

inline constexpr auto k_digit = [](auto c) noexcept { return within(c, '0', '9'); };
inline constexpr auto k_upper = [](auto c) noexcept { return within(c, 'A', 'Z'); };
inline constexpr auto k_letter = [](auto c) noexcept {
  return within(static_cast<decltype(c)>(c | 0x20), 'a', 'z');
};
// What a name may hold.
inline constexpr auto k_word = [](auto c) noexcept {
  return k_digit(c) || k_letter(c) || c == '_';
};
inline constexpr auto k_lower_hex = [](auto c) noexcept {
  return k_digit(c) || within(c, 'a', 'f');
};
inline constexpr auto k_control = [](auto c) noexcept {
  return within(c, 0x00, 0x1f) || c == 0x7f;
};
inline constexpr auto k_ascii = [](auto c) noexcept { return c < 0x80; };
inline constexpr auto k_no_control = [](auto c) noexcept { return !k_control(c); };
inline constexpr auto k_printable_ascii = [](auto c) noexcept { return within(c, 0x20, 0x7e); };

}  // namespace rules

// One bit a class, and one table of all bytes: for one byte a look-up is faster than the rules.
enum Class : std::uint8_t { k_digit = 1, k_upper = 2, k_lower_hex = 4, k_control = 8 };

consteval std::array<std::uint8_t, 256> classes() noexcept {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    table[i] = static_cast<std::uint8_t>(
        (rules::k_digit(byte) ? k_digit : 0) | (rules::k_upper(byte) ? k_upper : 0) |
        (rules::k_lower_hex(byte) ? k_lower_hex : 0) | (rules::k_control(byte) ? k_control : 0));
  }
  return table;
}
inline constexpr std::array<std::uint8_t, 256> k_classes = classes();

constexpr bool is(Class wanted, char c) noexcept {
  return (k_classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

constexpr bool is_digit(char c) noexcept { return is(k_digit, c); }
constexpr bool is_upper(char c) noexcept { return is(k_upper, c); }

// is_lower_hex is the alphabet of call ids, secrets and digests.
constexpr bool is_lower_hex(char c) noexcept { return is(k_lower_hex, c); }

// is_control is 0x00-0x1f and 0x7f.
constexpr bool is_control(char c) noexcept { return is(k_control, c); }

constexpr bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

constexpr char to_lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}

// lower writes a text in lower case, which may be over itself. O(n).
inline void lower(std::string_view text, char* out) noexcept {
  const auto lower_block = [&](std::size_t at) {
    auto block = blocks::load<Block>(text.data() + at);
    block |= reinterpret_cast<Block>(rules::k_upper(block)) & ('a' - 'A');
    std::memcpy(out + at, &block, sizeof block);
  };
  if (text.size() < sizeof(Block)) {
    std::ranges::transform(text, out, to_lower);
    return;
  }
  // The last block may overlap the one before: what is in lower case stays so.
  const std::size_t last = text.size() - sizeof(Block);
  for (std::size_t at = 0; at < last; at += sizeof(Block)) lower_block(at);
  lower_block(last);
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return to_lower(x) == to_lower(y);
         });
}

// find_ill_formed_utf8 gives the offset of the first sequence that is not well-formed UTF-8
// (Unicode 15, table 3-7: no overlong form, no surrogate, nothing above U+10FFFF), or k_no_place.
std::size_t find_ill_formed_utf8(std::string_view text) noexcept;

}  // namespace sandproof::bytes

#include "hex.h"

namespace sandproof::cli {
namespace {

constexpr int k_no_digit = -1;

int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return k_no_digit;
}

}  // namespace

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit(digits[i]);
    const int low = digit(digits[i + 1]);
    if (high == k_no_digit || low == k_no_digit) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string digits;
  digits.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += k_digits[byte >> 4U];
    digits += k_digits[byte & 0xfU];
  }
  return digits;
}

}  // namespace sandproof::cli

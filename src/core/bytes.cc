#include "bytes.h"

namespace sandproof::bytes {
namespace {

// The length of the sequence that a lead byte begins, and the range of the byte after it; all later
// bytes are 80..bf. Length 0 marks a byte that begins nothing.
struct Lead {
  std::uint8_t size;
  std::uint8_t second_min;
  std::uint8_t second_max;
};

constexpr Lead lead(std::uint8_t byte) noexcept {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3, 0x80, 0xbf};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4, 0x80, 0xbf};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

// ascii_run is how many bytes at the front are ASCII, counted in whole words of eight.
std::size_t ascii_run(std::string_view text) noexcept {
  std::size_t at = 0;
  for (std::uint64_t word = 0; text.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & 0x8080'8080'8080'8080U) != 0) break;
  }
  return at;
}

}  // namespace

std::size_t find_ill_formed_utf8(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  for (std::size_t at = 0; at < text.size();) {
    at += ascii_run(text.substr(at));
    if (at == text.size()) break;
    const Lead first = lead(byte(at));
    if (first.size == 0 || text.size() - at < first.size) return at;
    if (first.size > 1 && (byte(at + 1) < first.second_min || byte(at + 1) > first.second_max)) {
      return at;
    }
    for (std::size_t i = 2; i < first.size; ++i) {
      if ((byte(at + i) & 0xc0U) != 0x80) return at;
    }
    at += first.size;
  }
  return k_no_place;
}

}  // namespace sandproof::bytes

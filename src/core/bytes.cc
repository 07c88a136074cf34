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

consteval std::array<Lead, 256> leads() noexcept {
  std::array<Lead, 256> table{};
  const auto set = [&table](std::size_t first, std::size_t last, Lead lead) {
    for (std::size_t byte = first; byte <= last; ++byte) table[byte] = lead;
  };
  set(0x00, 0x7f, {1, 0, 0});
  set(0xc2, 0xdf, {2, 0x80, 0xbf});
  set(0xe0, 0xe0, {3, 0xa0, 0xbf});
  set(0xe1, 0xef, {3, 0x80, 0xbf});
  set(0xed, 0xed, {3, 0x80, 0x9f});
  set(0xf0, 0xf0, {4, 0x90, 0xbf});
  set(0xf1, 0xf3, {4, 0x80, 0xbf});
  set(0xf4, 0xf4, {4, 0x80, 0x8f});
  return table;
}
constexpr std::array<Lead, 256> k_leads = leads();

// skip_ascii goes on in whole words of eight: shorter than a block, as runs of ASCII in other text
// are.
std::size_t skip_ascii(std::string_view text, std::size_t at) noexcept {
  while (text.size() - at >= sizeof(std::uint64_t) &&
         (blocks::load<std::uint64_t>(text.data() + at) & 0x8080'8080'8080'8080U) == 0) {
    at += sizeof(std::uint64_t);
  }
  return at;
}

}  // namespace

std::size_t find_ill_formed_utf8(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  for (std::size_t at = skip_ascii(text, 0); at < text.size();) {
    const Lead first = k_leads[byte(at)];
    if (first.size == 1) {
      at = skip_ascii(text, at + 1);
      continue;
    }
    if (first.size == 0 || text.size() - at < first.size) return at;
    if (byte(at + 1) < first.second_min || byte(at + 1) > first.second_max) return at;
    for (std::size_t i = 2; i < first.size; ++i) {
      if ((byte(at + i) & 0xc0U) != 0x80) return at;
    }
    at += first.size;
  }
  return k_no_place;
}

}  // namespace sandproof::bytes

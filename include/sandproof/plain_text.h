// Text of a deployment's configuration that goes into a request: an image's name, an amount of
// memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof {

// k_max_plain_text_size bounds it, in bytes.
inline constexpr std::size_t k_max_plain_text_size = 1'024;

// PlainText is 1..1,024 bytes of well-formed UTF-8 without control bytes: what JSON carries
// unchanged, and what forges no line of a log. It keeps a copy.
//
// parse refuses, in this order: `empty`, `too_long`, `invalid_utf8`, `control_byte` (0x00-0x1f,
// 0x7f). O(n).
//   PlainText::parse("2048Mi")->view() == "2048Mi"
class PlainText {
 public:
  [[nodiscard]] static Checked<PlainText> parse(std::string_view text);
  // Moving copies: what was moved from would hold what parse refuses.
  PlainText(const PlainText&) = default;
  PlainText& operator=(const PlainText&) = default;

  [[nodiscard]] std::string_view view() const noexcept { return text_; }

  friend bool operator==(const PlainText&, const PlainText&) = default;

 private:
  explicit PlainText(std::string_view text) : text_(text) {}

  std::string text_;
};

}  // namespace sandproof

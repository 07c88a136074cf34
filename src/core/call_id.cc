#include "sandproof/call_id.h"

#include <algorithm>

#include "bytes.h"

namespace sandproof {

Checked<CallId> CallId::parse(std::string_view text) noexcept {
  if (text.size() != k_call_id_size) {
    return std::unexpected(Refusal{Subject::call_id, Reason::bad_length});
  }
  const std::size_t at = bytes::find_not(text, bytes::rules::k_lower_hex);
  if (at != k_no_place) {
    return std::unexpected(Refusal{Subject::call_id, Reason::forbidden_byte, at});
  }
  CallId id;
  std::ranges::copy(text, id.digits_.begin());
  return id;
}

CallId CallId::from_random(std::span<const std::uint8_t, 16> bytes) noexcept {
  constexpr std::string_view k_hex = "0123456789abcdef";
  CallId id;
  char* out = id.digits_.data();
  for (const std::uint8_t byte : bytes) {
    *out++ = k_hex[byte >> 4U];
    *out++ = k_hex[byte & 0xfU];
  }
  return id;
}

}  // namespace sandproof

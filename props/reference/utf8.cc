#include "utf8.h"

#include <cstdint>

namespace sandproof::reference {

std::optional<std::size_t> first_ill_formed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    std::size_t length = 0;
    std::uint32_t character = 0;
    std::uint32_t smallest =
        0;  // What this length may encode at least; anything smaller is an overlong form.
    if (lead < 0x80) {
      length = 1;
      character = lead;
    } else if (lead >= 0xc0 && lead < 0xe0) {
      length = 2;
      character = lead - 0xc0U;
      smallest = 0x80;
    } else if (lead >= 0xe0 && lead < 0xf0) {
      length = 3;
      character = lead - 0xe0U;
      smallest = 0x800;
    } else if (lead >= 0xf0 && lead < 0xf8) {
      length = 4;
      character = lead - 0xf0U;
      smallest = 0x10000;
    } else {
      return at;  // A continuation byte without a lead, or a byte that UTF-8 never uses.
    }
    for (std::size_t i = 1; i < length; ++i) {
      if (at + i >= bytes.size()) return at;
      const auto next = static_cast<unsigned char>(bytes[at + i]);
      if (next < 0x80 || next > 0xbf) return at;
      character = character * 64 + (next - 0x80U);
    }
    if (character < smallest) return at;
    if (character >= 0xd800 && character <= 0xdfff) return at;
    if (character > 0x10ffff) return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace sandproof::reference

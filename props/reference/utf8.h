// UTF-8 as Unicode defines it, decided by decoding one character at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sandproof::reference {

// first_ill_formed is the offset of the first byte of the first sequence that is not UTF-8: a stray
// or missing continuation byte, an overlong form, a surrogate, or a number above U+10FFFF. None
// means that all of it is UTF-8.
[[nodiscard]] std::optional<std::size_t> first_ill_formed(std::string_view bytes);

}  // namespace sandproof::reference

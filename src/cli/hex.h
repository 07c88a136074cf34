// Bytes written as hex digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sandproof::cli {

// from_hex reads an even number of hex digits of either case; nothing otherwise.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view digits);

// to_hex writes two lower-case hex digits for each byte.
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace sandproof::cli

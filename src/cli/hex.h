// Bytes written as hex digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sandproof::cli {

// from_hex reads an even number of hex digits of either case; nothing otherwise.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view digits);

}  // namespace sandproof::cli

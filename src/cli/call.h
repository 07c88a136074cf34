// What ties a report to its call, as people and scripts write it: a scheme and a call id.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "arguments.h"
#include "json.h"
#include "refused.h"
#include "sandproof/call_id.h"
#include "tool.h"

namespace sandproof::cli {

inline constexpr std::string_view k_scheme = "--scheme";
inline constexpr std::string_view k_call_id = "--call-id";

// SchemeName is one of the two schemes of a report, in the order in which they are to be preferred.
enum class SchemeName : std::uint8_t { sealed, nonce };
inline constexpr std::array<std::string_view, 2> k_scheme_names{"sealed", "nonce"};
[[nodiscard]] constexpr std::string_view name(SchemeName scheme) noexcept {
  return k_scheme_names[static_cast<std::size_t>(scheme)];
}

// CallInput is a scheme that exists, and an id that nobody has judged: none with nonce.
struct CallInput {
  bool is_sealed = true;
  std::optional<std::string> id;
};

// read_call reads --scheme and --call-id.
[[nodiscard]] std::expected<CallInput, Complaint> read_call(const Arguments& arguments);

// read_call reads "scheme" and "call_id".
[[nodiscard]] std::expected<CallInput, Malformed> read_call(const Members& members);

// judge_call_id refuses what CallId refuses.
[[nodiscard]] std::expected<CallId, Refused> judge_call_id(const std::string& text);

// prepare_random gets the system's randomness ready, or complains that there is none.
[[nodiscard]] std::optional<Complaint> prepare_random();

// draw_call_id draws an id afresh. prepare_random() must have been called.
[[nodiscard]] CallId draw_call_id();

}  // namespace sandproof::cli

// Call ids and report schemes: what ties a report to the call that it is about.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof {

// k_call_id_size is the length of a call id in hex digits, and of each of a report's secrets.
inline constexpr std::size_t k_call_id_size = 32;

// CallId names one call: 32 lower-case hex digits, drawn afresh for each. Text that was planted in
// the stream before the call cannot know it; it is no secret. Holds its bytes in place.
//
// parse refuses `bad_length`, then `forbidden_byte` at the first byte that is no lower-case hex
// digit. O(1), allocates nothing.
class CallId {
 public:
  [[nodiscard]] static Checked<CallId> parse(std::string_view text) noexcept;

  // from_random spells 16 random bytes. The caller draws them: nothing here has randomness.
  [[nodiscard]] static CallId from_random(std::span<const std::uint8_t, 16> bytes) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return {digits_.data(), digits_.size()}; }

  friend bool operator==(const CallId&, const CallId&) noexcept = default;

 private:
  CallId() noexcept = default;

  std::array<char, k_call_id_size> digits_{};
};

// ReportScheme is how the wrapper reports.
//
// sealed, the default everywhere, commits to two secrets before the command starts: code that reads
// the stream it writes to cannot forge a report. nonce shows its one secret; it is for sandboxes
// without sha256sum, is asked for by name, and never attests.
class ReportScheme {
 public:
  [[nodiscard]] static ReportScheme sealed(const CallId& id) noexcept { return ReportScheme(id); }
  [[nodiscard]] static ReportScheme nonce() noexcept { return ReportScheme(std::nullopt); }

  [[nodiscard]] bool is_sealed() const noexcept { return call_id_.has_value(); }
  [[nodiscard]] const std::optional<CallId>& call_id() const noexcept { return call_id_; }

 private:
  explicit ReportScheme(const std::optional<CallId>& id) noexcept : call_id_(id) {}

  std::optional<CallId> call_id_;
};

}  // namespace sandproof

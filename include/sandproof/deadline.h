// Deadlines: how long a command may run.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof {

// The shortest and the longest deadline, both accepted.
inline constexpr std::chrono::milliseconds k_min_deadline{1};
inline constexpr std::chrono::milliseconds k_max_deadline = std::chrono::hours{24};

// k_guard_margin is how much longer than the deadline a caller waits for the call: the time in
// which the sandbox ends the command by itself.
inline constexpr std::chrono::milliseconds k_guard_margin = std::chrono::seconds{10};

// SecondsText is a deadline as POSIX `sleep` reads it: whole seconds plain ("30"), otherwise three
// decimals ("1.500"), in ASCII digits whatever the locale. Holds its bytes in place.
class SecondsText {
 public:
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  friend class Deadline;
  SecondsText() noexcept = default;

  std::array<char, 15> bytes_{};
  std::uint8_t size_ = 0;
};

// Deadline is a whole number of milliseconds from 1 ms to 24 h.
//
// parse reads `[0-9]{1,15}(\.[0-9]{1,3})?(ms|s|m|h)` and nothing around it, in checked 64-bit
// arithmetic. It refuses `empty`; `malformed` (a bare number and a fraction of a millisecond
// included); `too_short` (0); `too_long`, which an overflow is too. No offsets. O(1), allocates
// nothing.
//   Deadline::parse("1.5s")->milliseconds() == 1500ms
//   Deadline::parse("297197543409765h").error().reason == Reason::too_long
class Deadline {
 public:
  [[nodiscard]] static Checked<Deadline> parse(std::string_view text) noexcept;

  // from takes a duration that is already a number: `too_short` below 1 ms, `too_long` above 24 h.
  [[nodiscard]] static Checked<Deadline> from(std::chrono::milliseconds duration) noexcept;

  [[nodiscard]] constexpr std::chrono::milliseconds milliseconds() const noexcept {
    return duration_;
  }

  // guard is how long a caller waits before it gives the call up: deadline + 10 s.
  [[nodiscard]] constexpr std::chrono::milliseconds guard() const noexcept {
    return duration_ + k_guard_margin;
  }

  [[nodiscard]] SecondsText seconds_text() const noexcept;

  friend constexpr auto operator<=>(const Deadline&, const Deadline&) noexcept = default;

 private:
  constexpr explicit Deadline(std::chrono::milliseconds duration) noexcept : duration_(duration) {}

  std::chrono::milliseconds duration_;
};

}  // namespace sandproof

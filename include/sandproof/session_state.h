// What state a sandbox is in, and whether its record says enough to be judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof {

// ServiceState is the service's own lifecycle vocabulary.
enum class ServiceState : std::uint8_t {
  creating,
  resuming,
  running,
  stopping,
  stopped,
  suspended,
  idle,
  deleting,
  failed,
};

inline constexpr std::size_t k_service_state_count =
    static_cast<std::size_t>(ServiceState::failed) + 1;

// SessionState is what a caller is told.
enum class SessionState : std::uint8_t { starting, running, suspended, terminated };

// parse_state reads the word of a record, exactly and case-sensitively: `Running`, `Creating`, ...
// Any other word, and none, is `unknown_state`: every default would be a lie that a caller acts on.
// O(1), allocates nothing.
[[nodiscard]] Checked<ServiceState> parse_state(std::optional<std::string_view> word) noexcept;

// word is the inverse of parse_state: parse_state(word(s)) == s.
[[nodiscard]] std::string_view word(ServiceState state) noexcept;

// session_state folds the service's vocabulary into the caller's: running; starting (creating,
// resuming); suspended (stopping, stopped, suspended, idle); terminated (deleting, failed).
[[nodiscard]] SessionState session_state(ServiceState state) noexcept;

// name gives "starting", "running", "suspended" or "terminated".
[[nodiscard]] std::string_view name(SessionState state) noexcept;

// judgeable says whether a record in this state tells which policy the sandbox has: a running one
// always (no policy there is a finding), a suspended one only when the record carries a policy,
// read or not; nothing else.
[[nodiscard]] bool judgeable(ServiceState state, bool carries_policy) noexcept;

}  // namespace sandproof

#include "sandproof/session_state.h"

#include <array>
#include <iterator>

namespace sandproof {
namespace {

struct Row {
  std::string_view word;
  ServiceState state;
  SessionState folded;
};

// In the order of ServiceState, so that a state is its own index.
constexpr Row k_states[] = {
    Row{"Creating", ServiceState::creating, SessionState::starting},
    Row{"Resuming", ServiceState::resuming, SessionState::starting},
    Row{"Running", ServiceState::running, SessionState::running},
    // On its way down is not a place to send work to, so it reads as down.
    Row{"Stopping", ServiceState::stopping, SessionState::suspended},
    Row{"Stopped", ServiceState::stopped, SessionState::suspended},
    Row{"Suspended", ServiceState::suspended, SessionState::suspended},
    Row{"Idle", ServiceState::idle, SessionState::suspended},
    Row{"Deleting", ServiceState::deleting, SessionState::terminated},
    Row{"Failed", ServiceState::failed, SessionState::terminated},
};
static_assert(std::size(k_states) == k_service_state_count);

constexpr const Row& row(ServiceState state) noexcept {
  return k_states[static_cast<std::size_t>(state)];
}

consteval bool is_its_own_index() noexcept {
  for (std::size_t i = 0; i < std::size(k_states); ++i) {
    if (static_cast<std::size_t>(k_states[i].state) != i) return false;
  }
  return true;
}
static_assert(is_its_own_index());

}  // namespace

Checked<ServiceState> parse_state(std::optional<std::string_view> word) noexcept {
  for (const Row& each : k_states) {
    if (word == each.word) return each.state;
  }
  return std::unexpected(Refusal{Subject::state, Reason::unknown_state});
}

std::string_view word(ServiceState state) noexcept { return row(state).word; }

SessionState session_state(ServiceState state) noexcept { return row(state).folded; }

std::string_view name(SessionState state) noexcept {
  constexpr std::array<std::string_view, 4> k_names{"starting", "running", "suspended",
                                                    "terminated"};
  return k_names[static_cast<std::size_t>(state)];
}

bool judgeable(ServiceState state, bool carries_policy) noexcept {
  switch (session_state(state)) {
    case SessionState::running:
      return true;
    case SessionState::suspended:
      return carries_policy;
    case SessionState::starting:
    case SessionState::terminated:
      break;
  }
  return false;
}

}  // namespace sandproof

#include "sandproof/session_id.h"

#include "bytes.h"

namespace sandproof {
namespace {

constexpr auto k_allowed = [](auto c) noexcept { return bytes::rules::k_word(c) || c == '-'; };

constexpr std::unexpected<Refusal> refuse(Reason reason, std::size_t offset = k_no_place) noexcept {
  return std::unexpected(Refusal{Subject::session_id, reason, offset});
}

// Asked behind bytes::all, not with it: an id is short enough for a call to show.
std::unexpected<Refusal> refuse_byte(std::string_view text) noexcept {
  return refuse(Reason::forbidden_byte, bytes::first_not(text, k_allowed));
}

}  // namespace

Checked<SessionId> SessionId::parse(std::string_view text) noexcept {
  if (text.empty()) return refuse(Reason::empty);
  if (text.size() > k_max_session_id_size) return refuse(Reason::too_long);
  if (!bytes::all(text, k_allowed)) return refuse_byte(text);
  return SessionId(text);
}

OwnedSessionId::OwnedSessionId(SessionId id) noexcept
    : size_(static_cast<std::uint8_t>(id.view().size())) {
  std::ranges::copy(id.view(), bytes_.begin());
}

Checked<AddressableId> AddressableId::parse(std::string_view text) noexcept {
  if (text.empty()) return refuse(Reason::empty);
  if (!bytes::all(text, k_allowed)) return refuse_byte(text);
  return AddressableId(text);
}

}  // namespace sandproof

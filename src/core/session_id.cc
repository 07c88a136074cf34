#include "sandproof/session_id.h"

#include "bytes.h"

namespace sandproof {
namespace {

constexpr bool is_allowed(char c) noexcept { return bytes::is_word(c) || c == '-'; }

constexpr std::size_t find_forbidden(std::string_view text) noexcept {
  return bytes::find_if(text, [](char c) { return !is_allowed(c); });
}

constexpr std::unexpected<Refusal> refuse(Reason reason, std::size_t offset = k_no_place) noexcept {
  return std::unexpected(Refusal{Subject::session_id, reason, offset});
}

}  // namespace

Checked<SessionId> SessionId::parse(std::string_view text) noexcept {
  if (text.empty()) return refuse(Reason::empty);
  if (text.size() > k_max_session_id_size) return refuse(Reason::too_long);
  const std::size_t at = find_forbidden(text);
  if (at != k_no_place) return refuse(Reason::forbidden_byte, at);
  return SessionId(text);
}

OwnedSessionId::OwnedSessionId(SessionId id) noexcept
    : size_(static_cast<std::uint8_t>(id.view().size())) {
  std::ranges::copy(id.view(), bytes_.begin());
}

Checked<AddressableId> AddressableId::parse(std::string_view text) noexcept {
  if (text.empty()) return refuse(Reason::empty);
  const std::size_t at = find_forbidden(text);
  if (at != k_no_place) return refuse(Reason::forbidden_byte, at);
  return AddressableId(text);
}

}  // namespace sandproof

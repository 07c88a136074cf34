// Session ids: the one thing of a caller's that is written into a data-plane URL.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sandproof/refusal.h"

namespace sandproof {

// k_max_session_id_size is the longest session id, in bytes.
inline constexpr std::size_t k_max_session_id_size = 63;

// SessionId is a view of 1..63 bytes of [A-Za-z0-9_-]: one URL path segment under every parser
// (RFC 3986 unreserved characters without '.' and '~', so "." and ".." cannot be written).
//
// parse refuses, in this order: `empty`; `too_long`, before any byte is read; `forbidden_byte` at
// the first byte outside the alphabet. It never decodes, repairs, trims or folds case.
// O(1) in the input's length, allocates nothing. The view borrows the caller's bytes.
//   SessionId::parse("team--box-605")->view() == "team--box-605"
//   SessionId::parse("..").error().reason == Reason::forbidden_byte
class SessionId {
 public:
  [[nodiscard]] static Checked<SessionId> parse(std::string_view text) noexcept;
  template <OwningTemporary S>
  static Checked<SessionId> parse(S&& text) = delete;

  [[nodiscard]] constexpr std::string_view view() const noexcept { return text_; }

  friend constexpr auto operator<=>(const SessionId&, const SessionId&) noexcept = default;

 private:
  friend class OwnedSessionId;
  constexpr explicit SessionId(std::string_view text) noexcept : text_(text) {}

  std::string_view text_;
};

// OwnedSessionId keeps a copy of a parsed SessionId, in place: no allocation.
class OwnedSessionId {
 public:
  explicit OwnedSessionId(SessionId id) noexcept;

  [[nodiscard]] SessionId borrow() const noexcept { return SessionId(view()); }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

  friend bool operator==(const OwnedSessionId& a, const OwnedSessionId& b) noexcept {
    return a.view() == b.view();
  }

 private:
  std::array<char, k_max_session_id_size> bytes_{};
  std::uint8_t size_;
};

// AddressableId is an id that may be put in a URL in order to delete what it names, and for nothing
// else: the session id's alphabet without its length bound. A service that mints an id longer than
// a session id can still be cleaned up after. Refuses `empty` and `forbidden_byte`. O(n).
class AddressableId {
 public:
  [[nodiscard]] static Checked<AddressableId> parse(std::string_view text) noexcept;
  template <OwningTemporary S>
  static Checked<AddressableId> parse(S&& text) = delete;

  // Every session id is addressable.
  constexpr AddressableId(SessionId id) noexcept  // NOLINT(google-explicit-constructor)
      : text_(id.view()) {}

  [[nodiscard]] constexpr std::string_view view() const noexcept { return text_; }

 private:
  friend class OwnedAddressableId;
  constexpr explicit AddressableId(std::string_view text) noexcept : text_(text) {}

  std::string_view text_;
};

// OwnedAddressableId keeps a copy of a parsed AddressableId.
class OwnedAddressableId {
 public:
  explicit OwnedAddressableId(AddressableId id) : text_(id.view()) {}
  // Moving copies: what was moved from would hold what parse refuses.
  OwnedAddressableId(const OwnedAddressableId&) = default;
  OwnedAddressableId& operator=(const OwnedAddressableId&) = default;

  [[nodiscard]] AddressableId borrow() const noexcept { return AddressableId(view()); }
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

  friend bool operator==(const OwnedAddressableId&, const OwnedAddressableId&) = default;

 private:
  std::string text_;
};

}  // namespace sandproof

// Domain patterns: what a declaration may name as reachable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sandproof/name_rule.h"
#include "sandproof/refusal.h"

namespace sandproof {

// Limits in bytes: a canonical pattern, its `*.` included, and one label (RFC 1035 2.3.4).
inline constexpr std::size_t k_max_domain_size = 253;
inline constexpr std::size_t k_max_label_size = 63;

// DomainPattern is a host name, or every host below one, in canonical form: lower case, no root
// dot. Labels hold letters, digits, hyphen and underscore, 1..63 bytes, no hyphen at either end;
// one leading `*.` must keep two labels after it; the last label is not a number, because URL
// parsers read such a name as an IPv4 address (WHATWG URL, "ends in a number").
//
// parse refuses, in this order: `empty`; `non_ascii` (write the xn-- form); `whitespace` (and
// control bytes); `list` (a comma); `scheme` (`://`); `userinfo` (`@`); `ip_literal` for `[`;
// `path` (`/`); `ip_literal` for two colons or more; `port` (one colon); `leading_dot`; `wildcard`;
// `empty_label`; `too_long`; `bad_label`; `ip_literal` (the last label is a number); and last
// `refused_domain` by the deployment's own rule, which sees the canonical form and, for a wildcard,
// its apex too, because some services let the apex out with it. (No expression can say "a wildcard
// over this host": to keep a host in, refuse its parents' wildcards too, as in `\*\.internal`.)
// Offsets point at the offending byte, or at the first byte of the offending label. O(n), allocates
// nothing; the bytes are held in place.
//   DomainPattern::parse("*.Example.COM.")->view() == "*.example.com"
//   DomainPattern::parse("*.com").error().reason == Reason::wildcard
class DomainPattern {
 public:
  [[nodiscard]] static Checked<DomainPattern> parse(std::string_view text,
                                                    const NameRule* refused = nullptr) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }
  [[nodiscard]] bool is_wildcard() const noexcept { return bytes_[0] == '*'; }

  // apex is the host name without a leading `*.`.
  [[nodiscard]] std::string_view apex() const noexcept {
    return view().substr(is_wildcard() ? 2 : 0);
  }

  friend bool operator==(const DomainPattern& a, const DomainPattern& b) noexcept {
    return a.view() == b.view();
  }

 private:
  DomainPattern() noexcept = default;

  std::array<char, k_max_domain_size> bytes_{};
  std::uint8_t size_ = 0;
};

}  // namespace sandproof

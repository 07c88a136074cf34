// Does one host get out of a sandbox, by which rules, and however its service reads `*.`?
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/domain_pattern.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/name_rule.h"
#include "sandproof/refusal.h"

namespace sandproof {

// WildcardReading is one way in which a service may read the `*` of `*.`: as one label, or as one
// or more (any_depth); and whether it lets out the name behind it (the apex), too.
struct WildcardReading {
  bool any_depth;
  bool apex;
  friend bool operator==(const WildcardReading&, const WildcardReading&) = default;
};

inline constexpr std::array<WildcardReading, 4> k_wildcard_readings{
    {{false, false}, {false, true}, {true, false}, {true, true}}};

// Readings is a set of them, by their places in k_wildcard_readings.
using Readings = std::bitset<k_wildcard_readings.size()>;

// HostName is the name of one host in canonical form. parse refuses what DomainPattern::parse does,
// for the same reasons in the same order, and then a `wildcard`, which names more than one host.
//   HostName::parse("API.Example.com.")->view() == "api.example.com"
class HostName {
 public:
  [[nodiscard]] static Checked<HostName> parse(std::string_view text,
                                               const NameRule* refused = nullptr) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return name_.view(); }

 private:
  explicit HostName(const DomainPattern& name) noexcept : name_(name) {}

  DomainPattern name_;
};

// covers says whether a pattern covers a host under one reading. O(size), allocates nothing.
[[nodiscard]] bool covers(const DomainPattern& pattern, const HostName& host,
                          WildcardReading reading) noexcept;

// Passage is what becomes of a host, whatever the order in which the rules are looked at. One that
// cannot be decided may get out.
enum class Passage : std::uint8_t { stopped, may_get_out, gets_out };

// CauseKind is what a cause is.
enum class CauseKind : std::uint8_t {
  allow,
  deny,
  unreadable_action,   // a rule covers the host, and does neither
  unreadable_pattern,  // nobody can say whether a rule covers the host
  default_deny,
  default_action,  // one that is no deny
  no_rule,         // a default that denies, and no rule: it may mean nothing
  inspection,
  match_rule,
  unmodelled_field,
  no_policy,
  unreadable_policy,
  proxy_bypass,
  network_override,
};

inline constexpr std::size_t k_cause_kind_count =
    static_cast<std::size_t>(CauseKind::network_override) + 1;

// Cause is one thing in a document that decides about a host: it lets it out, or stops it, or
// nobody can tell which (both).
//   pointer   RFC 6901 pointer into the document given; holds names from outside, unescaped
//   detail    for people, printable ASCII
//   readings  those under which it counts
struct Cause {
  CauseKind kind;
  bool lets_out;
  bool stops;
  std::string pointer;
  std::string detail;
  Readings readings;
};

// HostAnswer is every cause, in the order of the document's copies and of their rules.
struct HostAnswer {
  std::vector<Cause> causes;
  // Where one rule allows the host, and another of the same copy denies it: the order decides.
  Readings order_matters;

  // passage under one reading, by its place in k_wildcard_readings.
  [[nodiscard]] Passage passage(std::size_t reading) const noexcept;

  // passage under all: a host is stopped, or gets out, if it does under every reading.
  [[nodiscard]] Passage passage() const noexcept;
};

// judge_host says what becomes of a host, and why.
//
// Any rule that covers the host may be the one that counts, since services differ in the order in
// which they look; and so may each copy of the policy. Where no rule is sure to cover it, the
// default counts as well. `stopped` promises that under every order nothing that the document says
// lets the host out; `gets_out` that nothing it says stops it. compare() finds a policy `identical`
// or `contained` only if this stops, under each reading, every host that the declaration does not
// let out. O(size of the document).
[[nodiscard]] HostAnswer judge_host(const EffectiveEgress& effective, const HostName& host);

// name gives the stable name: "gets_out", "default_deny", ...
[[nodiscard]] std::string_view name(Passage passage) noexcept;
[[nodiscard]] std::string_view name(CauseKind kind) noexcept;

}  // namespace sandproof

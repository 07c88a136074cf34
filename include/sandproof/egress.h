// Egress: what a deployment declares, the policy a sandbox is created with, and that policy as a
// service reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/domain_pattern.h"
#include "sandproof/name_rule.h"
#include "sandproof/refusal.h"

namespace sandproof {

// EgressMode is which of the three a declaration is.
enum class EgressMode : std::uint8_t { allow, deny, allow_domains };

class DomainTable;  // the implementation's own

// DeclaredEgress is what a sandbox may reach: everything, nothing, or the named domains. Copies
// share what they declare.
class DeclaredEgress {
 public:
  [[nodiscard]] static DeclaredEgress allow() noexcept { return DeclaredEgress(EgressMode::allow); }
  [[nodiscard]] static DeclaredEgress deny() noexcept { return DeclaredEgress(EgressMode::deny); }

  // allow_domains reads a list of domain patterns. Refuses `empty_list` (say deny(): a policy with
  // no rule at all is the one shape in which "deny" may mean nothing) and the first domain that
  // DomainPattern refuses; Refusal::word is its index. A domain named twice counts once.
  // O(total bytes), allocates the list.
  [[nodiscard]] static Checked<DeclaredEgress> allow_domains(
      std::span<const std::string_view> domains, const NameRule* refused = nullptr);
  // Moving copies: what was moved from would hold no domain.
  DeclaredEgress(const DeclaredEgress&) = default;
  DeclaredEgress& operator=(const DeclaredEgress&) = default;

  [[nodiscard]] EgressMode mode() const noexcept { return mode_; }

  // domains are distinct and in the order declared; empty unless mode() is allow_domains.
  [[nodiscard]] std::span<const DomainPattern> domains() const noexcept;

  // index_of finds a declared domain by its canonical form, or gives k_no_place. It looks at
  // `guess` first, which is for a list that is likely to be in the declared order. Expected
  // O(size), allocates nothing.
  [[nodiscard]] std::size_t index_of(std::string_view canonical,
                                     std::size_t guess = k_no_place) const noexcept;

 private:
  explicit DeclaredEgress(EgressMode mode) noexcept : mode_(mode) {}

  EgressMode mode_;
  std::shared_ptr<const DomainTable> domains_;  // nothing unless domains are named
};

// k_every_host is the one pattern of a rule that is no domain pattern: it covers every host.
inline constexpr std::string_view k_every_host = "*";

// The record of a policy, field by field as the service writes it. Nothing in it has been judged;
// strings are UTF-8 from outside.
struct PolicyHostRule {
  std::string pattern;
  std::string action;
  friend bool operator==(const PolicyHostRule&, const PolicyHostRule&) = default;
};

// PolicyRuleMatch is what a rule of the richer language applies to.
struct PolicyRuleMatch {
  std::string host;
  std::optional<std::string> path;
  std::optional<std::vector<std::string>> methods;
  friend bool operator==(const PolicyRuleMatch&, const PolicyRuleMatch&) = default;
};

// PolicyRuleAction is what such a rule does.
struct PolicyRuleAction {
  std::string type;
  std::optional<std::string> host;
  std::optional<std::string> path;
  std::optional<std::string> scheme;
  std::optional<std::string> headers;  // the list as canonical JSON
  friend bool operator==(const PolicyRuleAction&, const PolicyRuleAction&) = default;
};

// PolicyRule is a rule of the richer language, as it was written.
struct PolicyRule {
  std::optional<std::string> name;
  std::optional<PolicyRuleMatch> match;
  std::optional<PolicyRuleAction> action;
  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

// UnmodelledField is a field of a policy that this library does not know: a permission that it
// cannot rule out. The value is canonical JSON (canonical_json() in wire.h).
struct UnmodelledField {
  std::string name;
  std::string value;
  friend bool operator==(const UnmodelledField&, const UnmodelledField&) = default;
};

// PolicyBody is one copy of a policy: its own fields, or those that repeat it under `http`.
struct PolicyBody {
  std::string default_action;
  std::optional<std::string> traffic_inspection;
  std::vector<PolicyHostRule> host_rules;
  std::vector<PolicyRule> rules;
  std::vector<UnmodelledField> unmodelled;
  friend bool operator==(const PolicyBody&, const PolicyBody&) = default;
};

// EgressPolicy is a policy and, where the service repeats it, the copy under `http`.
struct EgressPolicy : PolicyBody {
  std::optional<PolicyBody> http;
  friend bool operator==(const EgressPolicy&, const EgressPolicy&) = default;
};

// created_with gives the policy that realises a declaration, to be sent with a create: none for
// allow; otherwise default `Deny`, inspection `Full` (only Full blocks traffic that is not HTTP),
// and one rule `*` -> `Deny`, or one `Allow` rule a declared domain, in order.
// compare(declared, created_with(declared)) is always identical.
[[nodiscard]] std::optional<EgressPolicy> created_with(const DeclaredEgress& declared);

// describe gives one short clause for an error message, names escaped and cut:
//   describe(std::nullopt) == "no policy at all"
[[nodiscard]] std::string describe(const std::optional<EgressPolicy>& policy);

}  // namespace sandproof

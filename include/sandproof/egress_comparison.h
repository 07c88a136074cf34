// Is the sandbox running what was declared? One answer, and every difference with its place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandproof/egress.h"
#include "sandproof/refusal.h"

namespace sandproof {

// ---- What is compared: the normal form, which knows no service's field names. ----

// RuleAction is what one rule does to the traffic that it matches.
enum class RuleAction : std::uint8_t { allow, deny, unreadable };

// EffectiveRule is one host rule. Views borrow from the record that it was made of.
struct EffectiveRule {
  std::string_view pattern;
  std::string_view action_text;
  RuleAction action;
};

// EffectiveMatchRule is one rule of a richer language (paths, methods, rewrites). Only an outright
// deny is harmless. `cause` tells distinct rules apart and is empty for a deny.
struct EffectiveMatchRule {
  RuleAction action;
  std::string cause;
};

// Places are the JSON pointers of a policy's fields, below the policy, in its service's words.
struct Places {
  std::string_view default_action;
  std::string_view inspection;
  std::string_view host_rules;
  std::string_view host_rule_action;  // below one host rule
  std::string_view match_rules;
};

// EffectivePolicy is one copy of a policy.
struct EffectivePolicy {
  std::string pointer;  // of this copy, in the document given
  Places places;
  RuleAction default_action;
  std::string_view default_text;
  bool inspects_everything;
  std::string_view inspection_text;  // empty when it is not stated
  std::vector<EffectiveRule> host_rules;
  std::vector<EffectiveMatchRule> match_rules;
  std::span<const UnmodelledField> unmodelled;
};

// FindingKind is which difference a finding is.
enum class FindingKind : std::uint8_t {
  no_policy,
  default_action,
  inspection,
  missing_rule,
  extra_allow,
  unreadable_action,
  match_rule,
  unmodelled_field,
  unreadable_policy,
  proxy_bypass,
  network_override,
};

inline constexpr std::size_t k_finding_kind_count =
    static_cast<std::size_t>(FindingKind::network_override) + 1;

// Override is something outside the policy that switches it off.
struct Override {
  FindingKind kind;
  std::string pointer;
  std::string value;  // canonical JSON
};

// EffectiveEgress is everything that a document says of a sandbox's egress. Every copy must hold.
// No copy and nothing unreadable: the sandbox has no policy.
struct EffectiveEgress {
  std::string pointer;  // where the policy stands, or would stand
  std::vector<EffectivePolicy> copies;
  std::optional<Unreadable> unreadable;
  std::vector<Override> overrides;
};

// normal_form reads the service's words: `Allow` and `Deny`, `Full`, ASCII case ignored. The result
// borrows from `policy`. nullptr is "no policy". `pointer` is where the policy stands in the
// document ("" when it is the document). wire.h has the one for a whole sandbox record. O(n).
[[nodiscard]] EffectiveEgress normal_form(const EgressPolicy* policy,
                                          std::string_view pointer = "");

// ---- The answer. ----

// Effect is what one finding says of the traffic: it gets more out than was declared; by this
// finding it still lets out no more; or nobody can tell.
enum class Effect : std::uint8_t { within, unknown, widens };

// Verdict is the whole answer, best first.
enum class Verdict : std::uint8_t { identical, contained, unknown, widened };

// Finding is one distinct difference at its first place.
//   pointer  RFC 6901 pointer into the document given; holds names from outside, unescaped
//   detail   for people, printable ASCII
//   witness  a host name that gets out and should not; empty when there is none
struct Finding {
  FindingKind kind;
  Effect effect;
  std::string pointer;
  std::string detail;
  std::string witness;
  friend bool operator==(const Finding&, const Finding&) = default;
};

// Tolerance accepts one unmodelled field that somebody reviewed: the exact pointer that a finding
// gave, and the exact value as canonical JSON (canonical_json() in wire.h makes it).
struct Tolerance {
  std::string pointer;
  std::string value;
};

// Comparison holds the findings; tolerated ones are notes and do not count.
struct Comparison {
  std::vector<Finding> findings;
  std::vector<Finding> notes;

  // verdict is identical without findings, contained when every finding is within, widened when
  // some finding widens, unknown otherwise.
  [[nodiscard]] Verdict verdict() const noexcept;
  [[nodiscard]] bool holds() const noexcept { return findings.empty(); }
};

// compare judges what a sandbox is running against what was declared.
//
// `allow` declares nothing, so nothing is judged: no finding, whatever `effective` is. Otherwise
// every copy of the policy must deny by default, inspect everything, hold every rule that was asked
// for and allow nothing else. Patterns are compared in canonical form; order and repeats do not
// matter. An allow that is missing is `within` beside a deny or a declared allow, which show that
// the list is in force, and `unknown` otherwise. `contained` and `identical` promise that under
// every evaluation order of the rules, and every reading of `*.` (one label or any depth, with or
// without the apex), only declared hosts get out, as far as the document says. Expected time linear
// in the number of rules (one keyed-hash table); allocates no string for a rule that is as
// declared.
[[nodiscard]] Comparison compare(const DeclaredEgress& declared, const EffectiveEgress& effective,
                                 std::span<const Tolerance> tolerances = {});

// Acceptance is the worst verdict that a deployment takes for its declaration. `unknown` and
// `widened` can never be taken.
enum class Acceptance : std::uint8_t { identical, contained };

// accepts says whether a verdict is good enough.
[[nodiscard]] bool accepts(Acceptance acceptance, Verdict verdict) noexcept;

// name gives the stable name: "extra_allow", "widens", "contained", ...
[[nodiscard]] std::string_view name(FindingKind kind) noexcept;
[[nodiscard]] std::string_view name(Effect effect) noexcept;
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

}  // namespace sandproof

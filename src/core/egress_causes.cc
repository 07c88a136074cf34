#include "egress_causes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "egress_text.h"
#include "json_text.h"

namespace sandproof::causes {
namespace {

using egress_text::place;

// What a cause does to a host: one thing, or nobody can tell which.
struct Effects {
  bool lets_out;
  bool stops;
};

constexpr Effects k_lets_out{true, false};
constexpr Effects k_stops{false, true};
constexpr Effects k_either{true, true};

Effects effects_of(RuleAction action) noexcept {
  if (action == RuleAction::allow) return k_lets_out;
  return action == RuleAction::deny ? k_stops : k_either;
}

CauseKind kind_of(RuleAction action) noexcept {
  if (action == RuleAction::allow) return CauseKind::allow;
  return action == RuleAction::deny ? CauseKind::deny : CauseKind::unreadable_action;
}

std::string what_it_does(const EffectiveRule& rule) {
  if (rule.action == RuleAction::allow) return "allows " + escaped(rule.pattern);
  if (rule.action == RuleAction::deny) return "denies " + escaped(rule.pattern);
  return egress_text::neither(rule);
}

Cause cause(CauseKind kind, Effects effects, std::string pointer, std::string detail) {
  return {kind, effects.lets_out, effects.stops, std::move(pointer), std::move(detail), k_all};
}

Cause of_match_rule(const EffectivePolicy& policy, std::size_t index) {
  const EffectiveMatchRule& rule = policy.match_rules[index];
  return cause(
      CauseKind::match_rule, effects_of(rule.action),
      place(policy.pointer, policy.places.match_rules, index),
      rule.action == RuleAction::deny
          ? "denies by a rule of the richer language, perhaps this host"
          : "is a rule of the richer language, perhaps about this host: " + escaped(rule.cause));
}

}  // namespace

Cause of_rule(const EffectivePolicy& policy, std::size_t index, bool readable) {
  const EffectiveRule& rule = policy.host_rules[index];
  std::string detail = what_it_does(rule);
  if (!readable) detail += ": nobody can say which hosts this pattern covers";
  return cause(readable ? kind_of(rule.action) : CauseKind::unreadable_pattern,
               effects_of(rule.action), place(policy.pointer, policy.places.host_rules, index),
               std::move(detail));
}

Cause of_default(const EffectivePolicy& policy) {
  std::string pointer = place(policy.pointer, policy.places.default_action);
  std::string detail = "the default is " + escaped(policy.default_text);
  if (policy.default_action != RuleAction::deny) {
    if (policy.default_action == RuleAction::unreadable) {
      detail += ", which is neither an allow nor a deny";
    }
    return cause(CauseKind::default_action, effects_of(policy.default_action), std::move(pointer),
                 std::move(detail));
  }
  const bool in_force = std::ranges::any_of(policy.host_rules, [](const EffectiveRule& rule) {
    return rule.action != RuleAction::unreadable;
  });
  if (in_force) {
    return cause(CauseKind::default_deny, k_stops, std::move(pointer), std::move(detail));
  }
  return cause(CauseKind::no_rule, k_either, std::move(pointer),
               detail + ", and without a rule that allows or denies it may mean nothing");
}

std::vector<Cause> beside_hosts(const EffectivePolicy& policy) {
  std::vector<Cause> all;
  if (!policy.inspects_everything) {
    all.push_back(cause(CauseKind::inspection, k_lets_out,
                        place(policy.pointer, policy.places.inspection),
                        egress_text::not_inspected(policy)));
  }
  for (std::size_t i = 0; i < policy.match_rules.size(); ++i) {
    all.push_back(of_match_rule(policy, i));
  }
  for (const UnmodelledField& field : policy.unmodelled) {
    all.push_back(cause(CauseKind::unmodelled_field, k_either,
                        place(policy.pointer, json_text::pointer_token(field.name)),
                        egress_text::not_known(field)));
  }
  return all;
}

std::vector<Cause> before_copies(const EffectiveEgress& effective) {
  if (effective.unreadable) {
    return {cause(CauseKind::unreadable_policy, k_either, effective.unreadable->pointer,
                  explain(*effective.unreadable))};
  }
  if (!effective.copies.empty()) return {};
  return {cause(CauseKind::no_policy, k_lets_out, effective.pointer,
                std::string(egress_text::k_no_policy))};
}

std::vector<Cause> after_copies(const EffectiveEgress& effective) {
  std::vector<Cause> all;
  all.reserve(effective.overrides.size());
  for (const Override& each : effective.overrides) {
    all.push_back(cause(each.kind == FindingKind::proxy_bypass ? CauseKind::proxy_bypass
                                                               : CauseKind::network_override,
                        k_lets_out, each.pointer, egress_text::not_enforced(each)));
  }
  return all;
}

}  // namespace sandproof::causes

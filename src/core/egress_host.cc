#include "sandproof/egress_host.h"

#include <algorithm>
#include <utility>

#include "json_text.h"

namespace sandproof {
namespace {

constexpr std::string_view k_every_host = "*";
constexpr Readings k_all{(1U << k_wildcard_readings.size()) - 1};

// What a kind of cause does to a host: one thing, or either.
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
  return "does " + escaped(rule.action_text) + " to " + escaped(rule.pattern) +
         ", which is neither an allow nor a deny";
}

// HostJudge collects the causes about one host.
class HostJudge {
 public:
  explicit HostJudge(const HostName& host) : host_(host) {}

  void judge(const EffectiveEgress& effective);
  HostAnswer take() && { return std::move(answer_); }

 private:
  void judge(const EffectivePolicy& policy);
  Readings judge_host_rules(const EffectivePolicy& policy);
  void judge_default(const EffectivePolicy& policy, Readings uncovered);
  void judge_the_rest(const EffectivePolicy& policy);
  [[nodiscard]] Readings covering(std::string_view pattern, bool& readable) const;

  void add(CauseKind kind, Effects effects, std::string pointer, std::string detail,
           Readings readings = k_all) {
    answer_.causes.push_back(
        {kind, effects.lets_out, effects.stops, std::move(pointer), std::move(detail), readings});
  }

  const HostName& host_;
  HostAnswer answer_;
};

void HostJudge::judge(const EffectiveEgress& effective) {
  if (effective.unreadable) {
    add(CauseKind::unreadable_policy, k_either, effective.unreadable->pointer,
        explain(*effective.unreadable));
  } else if (effective.copies.empty()) {
    add(CauseKind::no_policy, k_lets_out, effective.pointer,
        "the sandbox has no policy: everything gets out");
  }
  for (const EffectivePolicy& copy : effective.copies) judge(copy);
  for (const Override& each : effective.overrides) {
    add(each.kind == FindingKind::proxy_bypass ? CauseKind::proxy_bypass
                                               : CauseKind::network_override,
        k_lets_out, each.pointer,
        "is " + escaped(each.value) + ": the policy is recorded and not enforced");
  }
}

void HostJudge::judge(const EffectivePolicy& policy) {
  judge_default(policy, ~judge_host_rules(policy));
  judge_the_rest(policy);
}

// covering is the readings under which a pattern covers the host: all of them where nobody can say
// what it covers.
Readings HostJudge::covering(std::string_view pattern, bool& readable) const {
  const Checked<DomainPattern> parsed = DomainPattern::parse(pattern);
  readable = parsed || pattern == k_every_host;
  if (!parsed) return k_all;
  Readings readings;
  for (std::size_t i = 0; i < k_wildcard_readings.size(); ++i) {
    readings[i] = covers(*parsed, host_, k_wildcard_readings[i]);
  }
  return readings;
}

// judge_host_rules gives the readings under which some rule is sure to cover the host.
Readings HostJudge::judge_host_rules(const EffectivePolicy& policy) {
  Readings sure;
  Readings allowed;
  Readings denied;
  for (std::size_t i = 0; i < policy.host_rules.size(); ++i) {
    const EffectiveRule& rule = policy.host_rules[i];
    bool readable = false;
    const Readings readings = covering(rule.pattern, readable);
    if (readings.none()) continue;
    if (readable) sure |= readings;
    if (rule.action == RuleAction::allow) allowed |= readings;
    if (rule.action == RuleAction::deny) denied |= readings;
    std::string pointer(policy.pointer);
    pointer.append(policy.places.host_rules).append("/").append(std::to_string(i));
    add(readable ? kind_of(rule.action) : CauseKind::unreadable_pattern, effects_of(rule.action),
        std::move(pointer),
        what_it_does(rule) +
            (readable ? "" : ": nobody can say whether this pattern covers the host"),
        readings);
  }
  answer_.order_matters |= allowed & denied;
  return sure;
}

// A policy without a rule is the one in which a default deny may mean nothing.
void HostJudge::judge_default(const EffectivePolicy& policy, Readings uncovered) {
  if (uncovered.none()) return;
  const std::string pointer = policy.pointer + std::string(policy.places.default_action);
  const std::string stated = "the default is " + escaped(policy.default_text);
  const bool in_force = std::ranges::any_of(policy.host_rules, [](const EffectiveRule& rule) {
    return rule.action != RuleAction::unreadable;
  });
  if (!policy.denies_by_default) {
    add(CauseKind::default_action, policy.allows_by_default ? k_lets_out : k_either, pointer,
        stated + (policy.allows_by_default ? "" : ", which is neither an allow nor a deny"),
        uncovered);
  } else if (in_force) {
    add(CauseKind::default_deny, k_stops, pointer, stated, uncovered);
  } else {
    add(CauseKind::no_rule, k_either, pointer,
        stated + ", and without a rule that allows or denies it may mean nothing", uncovered);
  }
}

// What is not about hosts alone: it may be about this one.
void HostJudge::judge_the_rest(const EffectivePolicy& policy) {
  if (!policy.inspects_everything) {
    add(CauseKind::inspection, k_lets_out, policy.pointer + std::string(policy.places.inspection),
        (policy.inspection_text.empty() ? "inspection is not stated"
                                        : "inspection is " + escaped(policy.inspection_text)) +
            ": traffic that is not HTTP gets out");
  }
  for (std::size_t i = 0; i < policy.match_rules.size(); ++i) {
    const EffectiveMatchRule& rule = policy.match_rules[i];
    std::string pointer(policy.pointer);
    pointer.append(policy.places.match_rules).append("/").append(std::to_string(i));
    const bool denies = rule.action == RuleAction::deny;
    add(CauseKind::match_rule, effects_of(rule.action), std::move(pointer),
        denies
            ? "denies by a rule of the richer language, perhaps this host"
            : "does to the requests that it matches, perhaps to this host: " + escaped(rule.cause));
  }
  for (const UnmodelledField& field : policy.unmodelled) {
    add(CauseKind::unmodelled_field, k_either,
        policy.pointer + json_text::pointer_token(field.name),
        escaped(field.name) + " is a field that this library does not know, worth " +
            escaped(field.value));
  }
}

Passage passage_of(bool lets_out, bool stops) noexcept {
  if (!lets_out && stops) return Passage::stopped;
  return lets_out && !stops ? Passage::gets_out : Passage::may_get_out;
}

}  // namespace

Checked<HostName> HostName::parse(std::string_view text, const NameRule* refused) noexcept {
  const Checked<DomainPattern> parsed = DomainPattern::parse(text, refused);
  if (!parsed) return std::unexpected(parsed.error());
  if (parsed->is_wildcard()) return std::unexpected(Refusal{Subject::domain, Reason::wildcard, 0});
  return HostName(*parsed);
}

bool covers(const DomainPattern& pattern, const HostName& host, WildcardReading reading) noexcept {
  const std::string_view apex = pattern.apex();
  std::string_view labels = host.view();
  if (labels == apex) return !pattern.is_wildcard() || reading.apex;
  if (!pattern.is_wildcard() || !labels.ends_with(apex)) return false;
  labels.remove_suffix(apex.size());
  if (!labels.ends_with('.')) return false;
  return reading.any_depth || labels.find('.') == labels.size() - 1;
}

Passage HostAnswer::passage(std::size_t reading) const noexcept {
  bool lets_out = false;
  bool stops = false;
  for (const Cause& cause : causes) {
    if (reading >= cause.readings.size() || !cause.readings[reading]) continue;
    lets_out = lets_out || cause.lets_out;
    stops = stops || cause.stops;
  }
  return passage_of(lets_out, stops);
}

Passage HostAnswer::passage() const noexcept {
  const Passage first = passage(0);
  for (std::size_t reading = 1; reading < k_wildcard_readings.size(); ++reading) {
    if (passage(reading) != first) return Passage::may_get_out;
  }
  return first;
}

HostAnswer judge_host(const EffectiveEgress& effective, const HostName& host) {
  HostJudge judge(host);
  judge.judge(effective);
  return std::move(judge).take();
}

std::string_view name(Passage passage) noexcept {
  constexpr std::array<std::string_view, 3> k_names{"stopped", "may_get_out", "gets_out"};
  return k_names[static_cast<std::size_t>(passage)];
}

std::string_view name(CauseKind kind) noexcept {
  constexpr std::array<std::string_view, k_cause_kind_count> k_names{"allow",
                                                                     "deny",
                                                                     "unreadable_action",
                                                                     "unreadable_pattern",
                                                                     "default_deny",
                                                                     "default_action",
                                                                     "no_rule",
                                                                     "inspection",
                                                                     "match_rule",
                                                                     "unmodelled_field",
                                                                     "no_policy",
                                                                     "unreadable_policy",
                                                                     "proxy_bypass",
                                                                     "network_override"};
  return k_names[static_cast<std::size_t>(kind)];
}

}  // namespace sandproof

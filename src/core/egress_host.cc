#include "sandproof/egress_host.h"

#include <utility>

#include "egress_causes.h"

namespace sandproof {
namespace {

// covering is the readings under which a pattern covers the host: all of them where nobody can say
// what it covers.
Readings covering(const Checked<DomainPattern>& pattern, const HostName& host) {
  if (!pattern) return causes::k_all;
  Readings readings;
  for (std::size_t i = 0; i < k_wildcard_readings.size(); ++i) {
    readings[i] = covers(*pattern, host, k_wildcard_readings[i]);
  }
  return readings;
}

// judge adds the causes that one copy of a policy has.
void judge(const EffectivePolicy& policy, const HostName& host, HostAnswer& answer) {
  Readings sure;  // those under which some rule is sure to cover the host
  Readings allowed;
  Readings denied;
  for (std::size_t i = 0; i < policy.host_rules.size(); ++i) {
    const EffectiveRule& rule = policy.host_rules[i];
    const Checked<DomainPattern> pattern = DomainPattern::parse(rule.pattern);
    const Readings readings = covering(pattern, host);
    if (readings.none()) continue;
    const bool readable = pattern || rule.pattern == k_every_host;
    if (readable) sure |= readings;
    if (rule.action == RuleAction::allow) allowed |= readings;
    if (rule.action == RuleAction::deny) denied |= readings;
    answer.causes.push_back(causes::of_rule(policy, i, readable));
    answer.causes.back().readings = readings;
  }
  answer.order_matters |= allowed & denied;
  if (!sure.all()) {
    answer.causes.push_back(causes::of_default(policy));
    answer.causes.back().readings = ~sure;
  }
}

void append(std::vector<Cause>& all, std::vector<Cause> more) {
  for (Cause& cause : more) all.push_back(std::move(cause));
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
  HostAnswer answer;
  append(answer.causes, causes::before_copies(effective));
  for (const EffectivePolicy& copy : effective.copies) {
    judge(copy, host, answer);
    append(answer.causes, causes::beside_hosts(copy));
  }
  append(answer.causes, causes::after_copies(effective));
  return answer;
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

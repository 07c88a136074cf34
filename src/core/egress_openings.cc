#include "sandproof/egress_openings.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "egress_causes.h"

namespace sandproof {
namespace {

// parent takes the first label off a name: none is left of the last one.
std::string_view parent(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

// Stops is what may stop a host, in every copy of a policy.
class Stops {
 public:
  void add(const Cause& cause) { any_host_ = any_host_ || cause.stops; }

  void add(const DomainPattern& pattern) {
    const DomainPattern& kept = patterns_.emplace_back(pattern);
    (kept.is_wildcard() ? apexes_ : hosts_).insert(kept.apex());
    for (std::string_view name = kept.apex(); !name.empty(); name = parent(name)) {
      names_.insert(name);
    }
  }

  // may_stop says whether it may stop any host that a pattern covers, by the reading of `*.` that
  // reaches farthest: any depth, and the apex.
  [[nodiscard]] bool may_stop(const std::optional<DomainPattern>& pattern) const {
    if (any_host_ || !pattern) return any_host_ || !patterns_.empty();
    if ((pattern->is_wildcard() ? names_ : hosts_).contains(pattern->apex())) return true;
    for (std::string_view name = pattern->apex(); !name.empty(); name = parent(name)) {
      if (apexes_.contains(name)) return true;
    }
    return false;
  }

 private:
  bool any_host_ = false;
  std::deque<DomainPattern> patterns_;  // stays where it is as it grows
  std::set<std::string_view> hosts_;
  std::set<std::string_view> apexes_;  // of wildcards
  std::set<std::string_view> names_;   // both, and the names above them
};

// Rules is what the host rules of one copy say.
struct Rules {
  std::set<std::string> allowed;  // canonical
  bool cover_every_host = false;  // so that the default counts for none
};

class Collector {
 public:
  explicit Collector(const EffectiveEgress& effective) : effective_(effective) {}

  std::vector<Opening> collect();

 private:
  Rules read(const EffectivePolicy& policy);
  void add(const EffectivePolicy& policy, const Rules& rules);
  void add(const Cause& cause) {
    if (!cause.lets_out) return;
    const bool certain = cause.kind == CauseKind::no_policy;
    found_.push_back({cause.kind, std::string(k_every_host), certain, cause.pointer, cause.detail});
  }
  [[nodiscard]] bool certain(const std::string& canonical,
                             const std::optional<DomainPattern>& pattern) const;

  const EffectiveEgress& effective_;
  std::vector<Rules> rules_;
  Stops stops_;
  std::vector<Opening> found_;
};

Rules Collector::read(const EffectivePolicy& policy) {
  Rules rules;
  for (std::size_t i = 0; i < policy.host_rules.size(); ++i) {
    const EffectiveRule& rule = policy.host_rules[i];
    const Checked<DomainPattern> pattern = DomainPattern::parse(rule.pattern);
    const bool every_host = rule.pattern == k_every_host;
    rules.cover_every_host = rules.cover_every_host || every_host;
    if (rule.action == RuleAction::allow) {
      if (pattern || every_host) rules.allowed.emplace(pattern ? pattern->view() : k_every_host);
    } else if (pattern) {
      stops_.add(*pattern);
    } else {
      stops_.add(causes::of_rule(policy, i, every_host));
    }
  }
  for (const Cause& cause : causes::beside_hosts(policy)) stops_.add(cause);
  return rules;
}

// certain: each copy allows just this pattern, and nothing in any copy may stop it.
bool Collector::certain(const std::string& canonical,
                        const std::optional<DomainPattern>& pattern) const {
  return std::ranges::all_of(
             rules_, [&](const Rules& rules) { return rules.allowed.contains(canonical); }) &&
         !stops_.may_stop(pattern);
}

void Collector::add(const EffectivePolicy& policy, const Rules& rules) {
  std::set<std::pair<RuleAction, std::string>> seen;
  for (std::size_t i = 0; i < policy.host_rules.size(); ++i) {
    const EffectiveRule& rule = policy.host_rules[i];
    if (rule.action == RuleAction::deny) continue;
    std::optional<DomainPattern> pattern;
    if (const auto parsed = DomainPattern::parse(rule.pattern)) pattern = *parsed;
    const bool readable = pattern || rule.pattern == k_every_host;
    std::string canonical(pattern ? pattern->view() : rule.pattern);
    if (!seen.emplace(rule.action, canonical).second) continue;
    Cause cause = causes::of_rule(policy, i, readable);
    const bool sure = cause.kind == CauseKind::allow && certain(canonical, pattern);
    found_.push_back({cause.kind, readable ? std::move(canonical) : std::string(k_every_host), sure,
                      std::move(cause.pointer), std::move(cause.detail)});
  }
  if (!rules.cover_every_host) add(causes::of_default(policy));
  for (const Cause& cause : causes::beside_hosts(policy)) add(cause);
}

std::vector<Opening> Collector::collect() {
  for (const EffectivePolicy& copy : effective_.copies) rules_.push_back(read(copy));
  for (const Cause& cause : causes::before_copies(effective_)) add(cause);
  for (std::size_t i = 0; i < rules_.size(); ++i) add(effective_.copies[i], rules_[i]);
  for (const Cause& cause : causes::after_copies(effective_)) add(cause);
  return std::move(found_);
}

}  // namespace

std::vector<Opening> openings(const EffectiveEgress& effective) {
  return Collector(effective).collect();
}

}  // namespace sandproof

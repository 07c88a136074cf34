#include "sandproof/egress.h"

#include <algorithm>

#include "bytes.h"
#include "json_text.h"
#include "pattern_table.h"
#include "sandproof/egress_comparison.h"
#include "wire_encode.h"

namespace sandproof {
namespace {

// The service's own words, and the pointers of its fields.
constexpr std::string_view k_allow = "Allow";
constexpr std::string_view k_deny = "Deny";
constexpr std::string_view k_full = "Full";
constexpr Places k_places{"/defaultAction", "/trafficInspection", "/hostRules", "/action",
                          "/rules"};
constexpr std::string_view k_copy = "/http";

RuleAction read_action(std::string_view text) noexcept {
  if (bytes::equal_ignoring_case(text, k_allow)) return RuleAction::allow;
  if (bytes::equal_ignoring_case(text, k_deny)) return RuleAction::deny;
  return RuleAction::unreadable;
}

EffectiveMatchRule read_match_rule(const PolicyRule& rule) {
  RuleAction action = RuleAction::unreadable;
  if (rule.action) {
    const PolicyRuleAction& a = *rule.action;
    action = read_action(a.type);
    // A deny that also rewrites is no outright deny.
    if (action == RuleAction::deny && (a.host || a.path || a.scheme || a.headers)) {
      action = RuleAction::unreadable;
    }
  }
  if (action == RuleAction::deny) return {action, {}};
  PolicyRule folded = rule;
  if (folded.action) folded.action->type = json_text::lowered(folded.action->type);
  if (folded.match) {
    folded.match->host = json_text::lowered(folded.match->host);
    if (folded.match->methods && folded.match->methods->empty()) folded.match->methods.reset();
  }
  return {action, encode(folded)};
}

EffectivePolicy normal_copy(const PolicyBody& body, std::string pointer) {
  EffectivePolicy copy{
      .pointer = std::move(pointer),
      .places = k_places,
      .default_action = read_action(body.default_action),
      .default_text = body.default_action,
      .inspects_everything =
          body.traffic_inspection && bytes::equal_ignoring_case(*body.traffic_inspection, k_full),
      .inspection_text =
          body.traffic_inspection ? std::string_view(*body.traffic_inspection) : std::string_view(),
      .host_rules = {},
      .match_rules = {},
      .unmodelled = body.unmodelled,
  };
  copy.host_rules.reserve(body.host_rules.size());
  for (const PolicyHostRule& rule : body.host_rules) {
    copy.host_rules.push_back({rule.pattern, rule.action, read_action(rule.action)});
  }
  copy.match_rules.reserve(body.rules.size());
  for (const PolicyRule& rule : body.rules) copy.match_rules.push_back(read_match_rule(rule));
  return copy;
}

std::string counted(std::size_t count, std::string_view what) {
  std::string out = std::to_string(count);
  out += ' ';
  out += what;
  if (count != 1) out += 's';
  return out;
}

}  // namespace

// DomainTable is a declared list, and where each domain stands in it. The names stand once more in
// a block of their own, so that a search does not wander over the whole list. Neither grows past
// its first capacity, so that the table's keys stay where they are.
class DomainTable {
 public:
  explicit DomainTable(std::span<const std::string_view> domains) : numbers_(domains.size()) {
    std::size_t size = 0;
    for (const std::string_view domain : domains) size += domain.size();
    names_.reserve(size);
    list_.reserve(domains.size());
  }

  void add(const DomainPattern& domain) {
    const std::size_t begin = names_.size();
    names_ += domain.view();
    if (numbers_.add(std::string_view(names_).substr(begin)) == list_.size()) {
      list_.push_back(domain);
    } else {
      names_.resize(begin);
    }
  }

  [[nodiscard]] std::span<const DomainPattern> list() const noexcept { return list_; }
  [[nodiscard]] const PatternTable& numbers() const noexcept { return numbers_; }

 private:
  std::vector<DomainPattern> list_;
  std::string names_;
  PatternTable numbers_;
};

Checked<DeclaredEgress> DeclaredEgress::allow_domains(std::span<const std::string_view> domains,
                                                      const NameRule* refused) {
  if (domains.empty()) return std::unexpected(Refusal{Subject::egress, Reason::empty_list});
  const auto table = std::make_shared<DomainTable>(domains);
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const Checked<DomainPattern> domain = DomainPattern::parse(domains[i], refused);
    if (!domain) {
      Refusal refusal = domain.error();
      refusal.word = i;
      return std::unexpected(refusal);
    }
    table->add(*domain);
  }
  DeclaredEgress declared(EgressMode::allow_domains);
  declared.domains_ = table;
  return declared;
}

std::span<const DomainPattern> DeclaredEgress::domains() const noexcept {
  return domains_ ? domains_->list() : std::span<const DomainPattern>();
}

std::size_t DeclaredEgress::index_of(std::string_view canonical, std::size_t guess) const noexcept {
  return domains_ ? domains_->numbers().find(canonical, guess) : k_no_place;
}

std::optional<EgressPolicy> created_with(const DeclaredEgress& declared) {
  if (declared.mode() == EgressMode::allow) return std::nullopt;
  EgressPolicy policy;
  policy.default_action = k_deny;
  policy.traffic_inspection = k_full;
  // A rule besides the default: a policy with no rule at all is the one in which "deny" may mean
  // nothing.
  policy.host_rules.reserve(std::max<std::size_t>(declared.domains().size(), 1));
  if (declared.mode() == EgressMode::deny) {
    policy.host_rules.push_back({std::string(k_every_host), std::string(k_deny)});
  }
  for (const DomainPattern& domain : declared.domains()) {
    policy.host_rules.push_back({std::string(domain.view()), std::string(k_allow)});
  }
  return policy;
}

EffectiveEgress normal_form(const EgressPolicy* policy, std::string_view pointer) {
  EffectiveEgress effective{
      .pointer = std::string(pointer), .copies = {}, .unreadable = {}, .overrides = {}};
  if (policy == nullptr) return effective;
  effective.copies.reserve(policy->http ? 2 : 1);
  effective.copies.push_back(normal_copy(*policy, std::string(pointer)));
  if (policy->http) {
    effective.copies.push_back(normal_copy(*policy->http, std::string(pointer).append(k_copy)));
  }
  return effective;
}

std::string describe(const std::optional<EgressPolicy>& policy) {
  constexpr std::size_t k_max_names = 5;
  if (!policy) return "no policy at all";
  std::string out = "default " + escaped(policy->default_action) + ", inspection ";
  out += policy->traffic_inspection ? escaped(*policy->traffic_inspection) : "not stated";
  out += ", " + counted(policy->host_rules.size(), "host rule");
  out += ", " + counted(policy->rules.size(), "match rule");
  const auto& unmodelled = policy->unmodelled;
  if (!unmodelled.empty()) out += ", and fields that are not known:";
  for (std::size_t i = 0; i < std::min(unmodelled.size(), k_max_names); ++i) {
    out += ' ' + escaped(unmodelled[i].name);
  }
  if (unmodelled.size() > k_max_names) {
    out += " and " + std::to_string(unmodelled.size() - k_max_names) + " more";
  }
  if (policy->http) out += ", and a copy under http";
  return out;
}

}  // namespace sandproof

#include "sandproof/egress_comparison.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bytes.h"
#include "egress_text.h"
#include "json_text.h"
#include "pattern_table.h"
#include "reach.h"

namespace sandproof {
namespace {

using egress_text::place;

// Distinct says of at most `capacity` strings which are the first of their kind. Nothing is
// allocated before the first question, which most policies never ask.
class Distinct {
 public:
  explicit Distinct(std::size_t capacity) : capacity_(capacity) {}

  bool is_new(std::string key) {
    if (!table_) {
      table_.emplace(capacity_);
      keys_.reserve(capacity_);  // the table's keys stay where they are
    }
    const std::size_t before = table_->size();
    table_->add(keys_.emplace_back(std::move(key)));
    if (table_->size() != before) return true;
    keys_.pop_back();
    return false;
  }

 private:
  std::size_t capacity_;
  std::vector<std::string> keys_;
  std::optional<PatternTable> table_;
};

// Judge holds one declaration that asks for something, and collects what differs from it.
class Judge {
 public:
  Judge(const DeclaredEgress& declared, std::span<const Tolerance> tolerances)
      : declared_(declared),
        domains_(declared.domains()),
        tolerances_(tolerances),
        reach_(declared) {}

  void judge(const EffectiveEgress& effective);
  Comparison take() && { return std::move(result_); }

 private:
  void judge(const EffectivePolicy& policy);
  void judge_host_rules(const EffectivePolicy& policy);
  void judge_extra_allow(const EffectivePolicy& policy, std::size_t index, std::string_view pattern,
                         const Checked<DomainPattern>& parsed);
  void report_missing(const EffectivePolicy& policy, const std::vector<bool>& present);
  void judge_match_rules(const EffectivePolicy& policy);
  void judge_unmodelled(const EffectivePolicy& policy);

  [[nodiscard]] std::size_t declared_index(std::string_view pattern, std::size_t expected);

  // A declaration without domains asks for one rule, a deny of every host.
  [[nodiscard]] bool asks_for_deny() const noexcept { return domains_.empty(); }

  void report(FindingKind kind, Effect effect, std::string pointer, std::string detail,
              std::string witness = {}) {
    result_.findings.push_back(
        {kind, effect, std::move(pointer), std::move(detail), std::move(witness)});
  }

  const DeclaredEgress& declared_;
  std::span<const DomainPattern> domains_;
  std::span<const Tolerance> tolerances_;
  Reach reach_;
  Comparison result_;
};

void Judge::judge(const EffectiveEgress& effective) {
  if (effective.unreadable) {
    report(FindingKind::unreadable_policy, Effect::unknown, effective.unreadable->pointer,
           explain(*effective.unreadable));
  } else if (effective.copies.empty()) {
    report(FindingKind::no_policy, Effect::widens, effective.pointer,
           std::string(egress_text::k_no_policy));
  }
  for (const EffectivePolicy& copy : effective.copies) judge(copy);
  for (const Override& each : effective.overrides) {
    report(each.kind, Effect::widens, each.pointer, egress_text::not_enforced(each));
  }
}

void Judge::judge(const EffectivePolicy& policy) {
  if (policy.default_action != RuleAction::deny) {
    report(FindingKind::default_action, Effect::widens,
           place(policy.pointer, policy.places.default_action),
           "the default is " + escaped(policy.default_text) + ", not a deny");
  }
  if (!policy.inspects_everything) {
    report(FindingKind::inspection, Effect::widens, place(policy.pointer, policy.places.inspection),
           egress_text::not_inspected(policy));
  }
  judge_host_rules(policy);
  judge_match_rules(policy);
  judge_unmodelled(policy);
}

void Judge::judge_host_rules(const EffectivePolicy& policy) {
  std::vector<bool> present(asks_for_deny() ? 1 : domains_.size());
  // Extras are reported after what is missing, so they are only remembered here.
  std::vector<std::size_t> others;
  std::size_t expected = 0;
  for (std::size_t i = 0; i < policy.host_rules.size(); ++i) {
    const EffectiveRule& rule = policy.host_rules[i];
    switch (rule.action) {
      case RuleAction::deny:
        if (asks_for_deny() && rule.pattern == k_every_host) present[0] = true;
        break;
      case RuleAction::allow:
        if (const std::size_t index = declared_index(rule.pattern, expected); index == k_no_place) {
          others.push_back(i);
        } else {
          present[index] = true;
          expected = index + 1;
        }
        break;
      case RuleAction::unreadable:
        others.push_back(i);
        break;
    }
  }

  report_missing(policy, present);
  Distinct distinct(others.size());
  for (const std::size_t i : others) {
    const EffectiveRule& rule = policy.host_rules[i];
    const Checked<DomainPattern> parsed = DomainPattern::parse(rule.pattern);
    const std::string canonical =
        parsed ? std::string(parsed->view()) : json_text::lowered(rule.pattern);
    if (!distinct.is_new(json_text::lowered(rule.action_text) + '\0' + canonical)) continue;
    if (rule.action == RuleAction::allow) {
      judge_extra_allow(policy, i, canonical, parsed);
    } else {
      report(
          FindingKind::unreadable_action, Effect::unknown,
          place(place(policy.pointer, policy.places.host_rules, i), policy.places.host_rule_action),
          egress_text::neither(rule));
    }
  }
}

// declared_index finds the declared pattern that a rule's pattern spells, or k_no_place. A policy
// in the declaration's order is found at `expected`, without a table, and most are spelled as they
// were sent. Folded text that equals a canonical pattern is that pattern, so nothing has to be
// parsed.
std::size_t Judge::declared_index(std::string_view pattern, std::size_t expected) {
  if (const std::size_t index = declared_.index_of(pattern, expected); index != k_no_place) {
    return index;
  }
  if (pattern.ends_with('.')) pattern.remove_suffix(1);
  if (pattern.size() > k_max_domain_size) return k_no_place;
  std::array<char, k_max_domain_size> buffer;
  bytes::lower(pattern, buffer.data());
  return declared_.index_of(std::string_view(buffer.data(), pattern.size()), expected);
}

void Judge::judge_extra_allow(const EffectivePolicy& policy, std::size_t index,
                              std::string_view pattern, const Checked<DomainPattern>& parsed) {
  // A pattern outside the language widens, because nobody can say what it lets out.
  Widening widening{true, {}};
  if (parsed) widening = reach_.widening(*parsed);
  if (pattern == k_every_host) widening = reach_.widening_by_every_host();
  std::string detail = "allows " + escaped(pattern) + ", which is not declared";
  if (!widening.widens) detail += " but lets out no other host than what is";
  report(FindingKind::extra_allow, widening.widens ? Effect::widens : Effect::within,
         place(policy.pointer, policy.places.host_rules, index), std::move(detail),
         std::move(widening.witness));
}

// A policy without a rule is the one in which a default deny may mean nothing, so an allow that is
// missing is harmless only beside a rule that shows the list to be in force. An allow that nobody
// declared does not count as one: adding it must not make the verdict better.
void Judge::report_missing(const EffectivePolicy& policy, const std::vector<bool>& present) {
  const bool in_force = std::ranges::find(present, true) != present.end() ||
                        std::ranges::find(policy.host_rules, RuleAction::deny,
                                          &EffectiveRule::action) != policy.host_rules.end();
  const Effect effect = !asks_for_deny() && in_force ? Effect::within : Effect::unknown;
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (present[i]) continue;
    report(FindingKind::missing_rule, effect, place(policy.pointer, policy.places.host_rules),
           asks_for_deny() ? "the deny of every host is missing"
                           : "the allow of " + escaped(domains_[i].view()) + " is missing");
  }
}

void Judge::judge_match_rules(const EffectivePolicy& policy) {
  Distinct distinct(policy.match_rules.size());
  for (std::size_t i = 0; i < policy.match_rules.size(); ++i) {
    const EffectiveMatchRule& rule = policy.match_rules[i];
    if (rule.action == RuleAction::deny || !distinct.is_new(rule.cause)) continue;
    const bool allows = rule.action == RuleAction::allow;
    report(FindingKind::match_rule, allows ? Effect::widens : Effect::unknown,
           place(policy.pointer, policy.places.match_rules, i),
           (allows ? "allows by a rule that nobody declared: "
                   : "is not an outright deny, and nobody declared it: ") +
               escaped(rule.cause));
  }
}

void Judge::judge_unmodelled(const EffectivePolicy& policy) {
  for (const UnmodelledField& field : policy.unmodelled) {
    std::string pointer = place(policy.pointer, json_text::pointer_token(field.name));
    const bool tolerated = std::ranges::any_of(tolerances_, [&](const Tolerance& each) {
      return each.pointer == pointer && each.value == field.value;
    });
    (tolerated ? result_.notes : result_.findings)
        .push_back({FindingKind::unmodelled_field,
                    Effect::unknown,
                    std::move(pointer),
                    egress_text::not_known(field),
                    {}});
  }
}

}  // namespace

Comparison compare(const DeclaredEgress& declared, const EffectiveEgress& effective,
                   std::span<const Tolerance> tolerances) {
  if (declared.mode() == EgressMode::allow) return {};
  Judge judge(declared, tolerances);
  judge.judge(effective);
  return std::move(judge).take();
}

bool accepts(Acceptance acceptance, Verdict verdict) noexcept {
  return verdict == Verdict::identical ||
         (acceptance == Acceptance::contained && verdict == Verdict::contained);
}

Verdict Comparison::verdict() const noexcept {
  if (findings.empty()) return Verdict::identical;
  Effect worst = Effect::within;
  for (const Finding& finding : findings) worst = std::max(worst, finding.effect);
  switch (worst) {
    case Effect::within:
      return Verdict::contained;
    case Effect::unknown:
      return Verdict::unknown;
    case Effect::widens:
      break;
  }
  return Verdict::widened;
}

std::string_view name(FindingKind kind) noexcept {
  constexpr std::array<std::string_view, k_finding_kind_count> k_names{
      "no_policy",         "default_action",    "inspection",       "missing_rule",
      "extra_allow",       "unreadable_action", "match_rule",       "unmodelled_field",
      "unreadable_policy", "proxy_bypass",      "network_override",
  };
  return k_names[static_cast<std::size_t>(kind)];
}

std::string_view name(Effect effect) noexcept {
  constexpr std::array<std::string_view, 3> k_names{"within", "unknown", "widens"};
  return k_names[static_cast<std::size_t>(effect)];
}

std::string_view name(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 4> k_names{"identical", "contained", "unknown", "widened"};
  return k_names[static_cast<std::size_t>(verdict)];
}

}  // namespace sandproof

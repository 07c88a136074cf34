// What holds of every comparison by itself: the same policy in other words, with a rule more or a
// rule less. No reference model is asked for a verdict here.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egress_answers.h"
#include "egress_scenario.h"
#include "fuzz_check.h"
#include "reference/hosts.h"
#include "reference/json_text.h"
#include "sandproof/egress.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/egress_host.h"
#include "sandproof/egress_openings.h"

namespace sandproof::fuzz {

using Effects = std::vector<std::pair<FindingKind, Effect>>;

inline Effects effects(const Comparison& comparison) {
  Effects all;
  for (const Finding& finding : comparison.findings) {
    all.emplace_back(finding.kind, finding.effect);
  }
  std::ranges::sort(all);
  return all;
}

inline std::string other_case(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') {
      c = static_cast<char>(c - 'a' + 'A');
    } else if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return text;
}

// rewrite says the same in other words: rules in reverse, each twice, everything in the other case,
// and a root dot after the first pattern if it had none.
inline void rewrite(PolicyBody& body) {
  body.default_action = other_case(std::move(body.default_action));
  if (body.traffic_inspection) {
    body.traffic_inspection = other_case(*std::move(body.traffic_inspection));
  }
  if (!body.host_rules.empty()) {
    std::string& first = body.host_rules.front().pattern;
    if (!first.ends_with('.') && DomainPattern::parse(first)) first += '.';
  }
  for (PolicyHostRule& rule : body.host_rules) {
    rule = {other_case(std::move(rule.pattern)), other_case(std::move(rule.action))};
  }
  for (PolicyRule& rule : body.rules) {
    if (rule.match) rule.match->host = other_case(std::move(rule.match->host));
    if (rule.action) rule.action->type = other_case(std::move(rule.action->type));
  }
  const auto reverse_and_repeat = [](auto& rules) {
    std::ranges::reverse(rules);
    rules.reserve(rules.size() * 2);
    std::copy_n(rules.begin(), rules.size(), std::back_inserter(rules));
  };
  reverse_and_repeat(body.host_rules);
  reverse_and_repeat(body.rules);
}

inline void check_rewritten(const DeclaredEgress& declared, const EgressPolicy& policy,
                            const Comparison& before) {
  EgressPolicy rewritten = policy;
  rewrite(rewritten);
  if (rewritten.http) rewrite(*rewritten.http);
  const Comparison after = compare(declared, normal_form(&rewritten));
  FUZZ_CHECK(effects(after) == effects(before), summary(after), summary(before));
}

inline bool is_declared(const DeclaredEgress& declared, std::string_view canonical) {
  return std::ranges::any_of(
      declared.domains(), [&](const DomainPattern& domain) { return domain.view() == canonical; });
}

// undeclared gives a pattern that the declaration does not name: below a declared wildcard, if
// there is one, so that it need not widen anything.
inline std::string undeclared(const DeclaredEgress& declared) {
  for (const DomainPattern& domain : declared.domains()) {
    if (!domain.is_wildcard()) continue;
    std::string below = "q." + std::string(domain.apex());
    if (DomainPattern::parse(below) && !is_declared(declared, below)) return below;
  }
  return is_declared(declared, "q.example") ? "*" : "q.example";
}

// An allow that nobody declared never makes a verdict better.
inline void check_added_allow(const DeclaredEgress& declared, const EgressPolicy& policy,
                              const Comparison& before) {
  EgressPolicy larger = policy;
  PolicyBody& body = larger.http ? *larger.http : static_cast<PolicyBody&>(larger);
  body.host_rules.push_back({undeclared(declared), "Allow"});
  const Comparison after = compare(declared, normal_form(&larger));
  FUZZ_CHECK(after.verdict() != Verdict::identical, summary(after), summary(before));
  FUZZ_CHECK(after.verdict() >= before.verdict(), summary(after), summary(before));
}

inline void check_removed_rule(const DeclaredEgress& declared, const EgressPolicy& policy) {
  const auto domains = declared.domains();
  const std::string asked(domains.empty() ? "*" : domains.back().view());
  const std::string_view action = domains.empty() ? "deny" : "allow";
  EgressPolicy smaller = policy;
  PolicyBody& body = smaller.http ? *smaller.http : static_cast<PolicyBody&>(smaller);
  std::erase_if(body.host_rules, [&](const PolicyHostRule& rule) {
    if (reference::lower_ascii(rule.action) != action) return false;
    const Checked<DomainPattern> pattern = DomainPattern::parse(rule.pattern);
    return (pattern ? pattern->view() : std::string_view(rule.pattern)) == asked;
  });
  const Comparison after = compare(declared, normal_form(&smaller));
  FUZZ_CHECK(after.verdict() != Verdict::identical, summary(after));
}

inline void check_tolerated(const DeclaredEgress& declared, const EgressPolicy& policy,
                            const Comparison& before) {
  std::vector<Tolerance> tolerances;
  for (const UnmodelledField& field : policy.unmodelled) {
    tolerances.push_back({reference::pointer_below("", field.name), field.value});
  }
  if (tolerances.empty()) return;
  const Comparison after = compare(declared, normal_form(&policy), tolerances);
  FUZZ_CHECK(after.notes.size() == tolerances.size(), summary(after), summary(before));
  FUZZ_CHECK(after.findings.size() + after.notes.size() == before.findings.size(), summary(after),
             summary(before));
  for (const Finding& note : after.notes) {
    FUZZ_CHECK(note.kind == FindingKind::unmodelled_field, summary(after));
  }
  // Neither another value at the same place nor the same value elsewhere is what was reviewed.
  std::vector<Tolerance> others;
  for (const Tolerance& each : tolerances) {
    others.push_back({each.pointer, each.value + ' '});
    others.push_back({each.pointer + '/', each.value});
  }
  FUZZ_CHECK(compare(declared, normal_form(&policy), others).notes.empty(), summary(before));
}

// Nothing but declared hosts gets out of a policy that is contained or identical, under any
// reading: a default deny lets out what some rule that is not a deny matches, at most.
inline void check_contained(const Declaration& declared, const EgressPolicy& policy) {
  const auto check_host = [&](std::string_view pattern, const std::string& host) {
    const reference::Declared theirs = declared.theirs();
    for (const reference::WildcardReading& reading : reference::k_wildcard_readings) {
      FUZZ_CHECK(!reference::matches(pattern, host, reading) ||
                     reference::declared_lets_out(theirs, host, reading),
                 pattern, host);
    }
  };
  const auto check_body = [&](const PolicyBody& body) {
    for (const PolicyHostRule& rule : body.host_rules) {
      if (reference::lower_ascii(rule.action) == "deny") continue;
      const Checked<DomainPattern> pattern = DomainPattern::parse(rule.pattern);
      FUZZ_CHECK(pattern.has_value(), rule.pattern);
      if (is_declared(declared.ours, pattern->view())) continue;
      const std::string apex(pattern->apex());
      for (const char* below : {"", "q.", "r.q."}) check_host(pattern->view(), below + apex);
    }
  };
  check_body(policy);
  if (policy.http) check_body(*policy.http);
}

// What does not get out of any opening is stopped, and what gets out of a certain one is not. This
// holds of every document, read or not. `all` are its openings.
inline HostAnswer check_openings(const EffectiveEgress& effective, const std::vector<Opening>& all,
                                 const HostName& host) {
  const HostAnswer answer = judge_host(effective, host);
  for (const Cause& cause : answer.causes) {
    check_message(cause.detail);
    check_message(name(cause.kind));
  }
  constexpr std::size_t k_readings = reference::k_wildcard_readings.size();
  bool is_one = true;
  for (std::size_t r = 0; r < k_readings; ++r) {
    const Passage passage = answer.passage(r);
    is_one = is_one && passage == answer.passage(0);
    bool covered = false;
    for (const Opening& each : all) {
      const auto reading = reference::k_wildcard_readings[r];
      if (!reference::matches(each.pattern, host.view(), reading)) continue;
      covered = true;
      FUZZ_CHECK(!each.certain || passage == Passage::gets_out, each.pattern, host.view());
    }
    FUZZ_CHECK(covered || passage == Passage::stopped, host.view());
  }
  const Passage whole = is_one ? answer.passage(0) : Passage::may_get_out;
  FUZZ_CHECK(answer.passage() == whole, name(whole), host.view());
  check_message(name(whole));
  // There is no such reading, so nobody can tell.
  FUZZ_CHECK(answer.passage(k_readings) == Passage::may_get_out, host.view());
  return answer;
}

// The same of a host that nobody names.
inline void check_openings(const EffectiveEgress& effective) {
  check_openings(effective, openings(effective), HostName::parse("q.example").value());
}

// A host that some rule allows is not called stopped, and one that some rule denies does not
// surely get out, under any reading.
inline void check_host(const EgressPolicy& policy, const HostAnswer& answer, const HostName& host) {
  const auto check_body = [&](const PolicyBody& body) {
    for (const PolicyHostRule& rule : body.host_rules) {
      const Checked<DomainPattern> pattern = DomainPattern::parse(rule.pattern);
      const std::string action = reference::lower_ascii(rule.action);
      for (std::size_t r = 0; pattern && r < reference::k_wildcard_readings.size(); ++r) {
        if (!reference::matches(pattern->view(), host.view(), reference::k_wildcard_readings[r])) {
          continue;
        }
        const Passage passage = answer.passage(r);
        FUZZ_CHECK(action == "deny" || passage != Passage::stopped, rule.pattern, host.view());
        FUZZ_CHECK(action == "allow" || passage != Passage::gets_out, rule.pattern, host.view());
      }
    }
  };
  check_body(policy);
  if (policy.http) check_body(*policy.http);
  // A field that nobody knows may do either.
  FUZZ_CHECK(policy.unmodelled.empty() || answer.passage() == Passage::may_get_out, host.view());
}

inline void check_hosts(const EgressPolicy& policy) {
  constexpr std::size_t k_most = 3;
  const EffectiveEgress effective = normal_form(&policy);
  const std::vector<Opening> all = openings(effective);
  for (std::size_t i = 0; i < std::min(policy.host_rules.size(), k_most); ++i) {
    const Checked<DomainPattern> pattern = DomainPattern::parse(policy.host_rules[i].pattern);
    const std::string apex(pattern ? pattern->apex() : "q.example");
    for (const char* below : {"", "q.", "r.q.", "q"}) {
      const Checked<HostName> host = HostName::parse(below + apex);
      if (host) check_host(policy, check_openings(effective, all, *host), *host);
    }
    FUZZ_CHECK(!HostName::parse("*." + apex), apex);
  }
}

// What a verdict means, by the policy alone.
inline void check_verdict(const Declaration& declared, const EgressPolicy& policy,
                          const Comparison& comparison) {
  FUZZ_CHECK(comparison.holds() == comparison.findings.empty(), summary(comparison));
  if (declared.ours.mode() == EgressMode::allow) {
    FUZZ_CHECK(comparison.holds(), summary(comparison));
  } else if (comparison.verdict() <= Verdict::contained) {
    check_contained(declared, policy);
  }
}

inline void check_transformed(const Declaration& declared, const EgressPolicy& policy,
                              const Comparison& comparison) {
  check_message(describe(policy));
  check_hosts(policy);
  FUZZ_CHECK(compare(DeclaredEgress::allow(), normal_form(&policy)).holds());
  if (declared.ours.mode() == EgressMode::allow) return;
  check_rewritten(declared.ours, policy, comparison);
  check_added_allow(declared.ours, policy, comparison);
  check_removed_rule(declared.ours, policy);
  check_tolerated(declared.ours, policy, comparison);
}

}  // namespace sandproof::fuzz

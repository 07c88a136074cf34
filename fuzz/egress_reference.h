// The comparison, against the reference, and what must hold of each policy and record.
//
// Each check takes the reference model's document as a function: it is asked for only where the
// examination is whole.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "egress_answers.h"
#include "egress_properties.h"
#include "egress_scenario.h"
#include "fuzz_check.h"
#include "reference/policy.h"
#include "sandproof/egress.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"

namespace sandproof::fuzz {

// A witness is a host, and under some reading the rule lets it out and the declaration does not.
inline void check_witness(const Declaration& declared, std::string_view pattern,
                          const Finding& finding) {
  const Checked<DomainPattern> host = DomainPattern::parse(finding.witness);
  FUZZ_CHECK(host && host->view() == finding.witness && !host->is_wildcard(), finding.witness);
  const Checked<DomainPattern> parsed = DomainPattern::parse(pattern);
  const std::string canonical(parsed ? parsed->view() : pattern);
  const reference::Declared theirs = declared.theirs();
  const bool widens = std::ranges::any_of(
      reference::k_wildcard_readings, [&](const reference::WildcardReading& reading) {
        return reference::matches(canonical, finding.witness, reading) &&
               !reference::declared_lets_out(theirs, finding.witness, reading);
      });
  FUZZ_CHECK(widens, canonical, finding.witness);
  // For every host, the witness is one that the declaration lets out under no reading at all.
  if (canonical != "*") return;
  for (const reference::WildcardReading& reading : reference::k_wildcard_readings) {
    FUZZ_CHECK(!reference::declared_lets_out(theirs, finding.witness, reading), finding.witness);
  }
}

// pattern_at finds the host rule that a finding's pointer names.
inline std::string_view pattern_at(const EffectiveEgress& effective, std::string_view pointer) {
  for (const EffectivePolicy& copy : effective.copies) {
    for (std::size_t i = 0; i < copy.host_rules.size(); ++i) {
      if (pointer == copy.pointer + "/hostRules/" + std::to_string(i)) {
        return copy.host_rules[i].pattern;
      }
    }
  }
  const bool names_a_host_rule = false;
  FUZZ_CHECK(names_a_host_rule, pointer);
  return {};
}

inline bool same_place(const Finding& ours, const reference::Finding& theirs) {
  // The library says where in the policy the reading failed; the model only that it did.
  if (ours.kind == FindingKind::unreadable_policy) return ours.pointer.starts_with(theirs.pointer);
  return ours.pointer == theirs.pointer;
}

inline void check_same(const Declaration& declared, const EffectiveEgress& effective,
                       const Comparison& ours, const reference::Comparison& theirs) {
  FUZZ_CHECK(name(ours.verdict()) == theirs.verdict, summary(ours), summary(theirs));
  FUZZ_CHECK(ours.holds() == (ours.verdict() == Verdict::identical), summary(ours));
  const bool same = std::ranges::equal(
      ours.findings, theirs.findings, [](const Finding& a, const reference::Finding& b) {
        return name(a.kind) == b.kind && name(a.effect) == b.effect && same_place(a, b) &&
               a.witness.empty() == !b.has_witness;
      });
  FUZZ_CHECK(same, summary(ours), summary(theirs));
  for (const Finding& finding : ours.findings) {
    check_message(finding.detail);
    if (!finding.witness.empty()) {
      check_witness(declared, pattern_at(effective, finding.pointer), finding);
    }
  }
}

template <class DocumentOf>
void check_policy(const Declaration& declared, const EgressPolicy& policy, bool whole,
                  DocumentOf document_of) {
  const EffectiveEgress effective = normal_form(&policy);
  const Comparison comparison = compare(declared.ours, effective);
  check_verdict(declared, policy, comparison);
  if (!whole) return;
  check_same(declared, effective, comparison,
             reference::compare(declared.theirs(), document_of(), false));
  check_transformed(declared, policy, comparison);
}

template <class Compare>
void check_record(const Declaration& declared, const SandboxRecord& record,
                  const EffectiveEgress& effective, bool whole, Compare theirs) {
  const Comparison comparison = compare(declared.ours, effective);
  if (const auto* policy = std::get_if<EgressPolicy>(&record.policy)) {
    check_verdict(declared, *policy, comparison);
  } else {
    FUZZ_CHECK(comparison.holds() == (declared.ours.mode() == EgressMode::allow), record.id);
  }
  if (!whole) return;
  check_same(declared, effective, comparison, theirs());
  check_openings(effective);
  FUZZ_CHECK(compare(DeclaredEgress::allow(), effective).holds(), record.id);
}

}  // namespace sandproof::fuzz

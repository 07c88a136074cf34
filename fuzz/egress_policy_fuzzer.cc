// Egress: what was declared, against a policy or a sandbox record.
//
// Two forms of input. Text: a line `allow`, `deny` or `allow:HOST,HOST`, and after it any document.
// Bytes: 0x01, and after it choices (egress_scenario.h) of which valid documents are built.
#include "sandproof/egress.h"

#include <variant>

#include "egress_answers.h"
#include "egress_document.h"
#include "egress_properties.h"
#include "egress_scenario.h"
#include "examination.h"
#include "fuzz_check.h"
#include "reference/policy.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

constexpr char k_built = '\x01';

// ---- The comparison, against the reference. ----

// A witness is a host, and under some reading the rule lets it out and the declaration does not.
void check_witness(const Declaration& declared, std::string_view pattern, const Finding& finding) {
  const Checked<DomainPattern> host = DomainPattern::parse(finding.witness);
  FUZZ_CHECK(host && host->view() == finding.witness && !host->is_wildcard(), finding.witness);
  const Checked<DomainPattern> parsed = DomainPattern::parse(pattern);
  const std::string canonical(parsed ? parsed->view() : pattern);
  const bool widens = std::ranges::any_of(
      reference::k_wildcard_readings, [&](const reference::WildcardReading& reading) {
        return reference::matches(canonical, finding.witness, reading) &&
               !reference::declared_lets_out(declared.theirs, finding.witness, reading);
      });
  FUZZ_CHECK(widens, canonical, finding.witness);
  // For every host, the witness is one that the declaration lets out under no reading at all.
  if (canonical != "*") return;
  for (const reference::WildcardReading& reading : reference::k_wildcard_readings) {
    FUZZ_CHECK(!reference::declared_lets_out(declared.theirs, finding.witness, reading),
               finding.witness);
  }
}

// pattern_at finds the host rule that a finding's pointer names.
std::string_view pattern_at(const EffectiveEgress& effective, std::string_view pointer) {
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

bool same_place(const Finding& ours, const reference::Finding& theirs) {
  // The library says where in the policy the reading failed; the model only that it did.
  if (ours.kind == FindingKind::unreadable_policy) return ours.pointer.starts_with(theirs.pointer);
  return ours.pointer == theirs.pointer;
}

void check_same(const Declaration& declared, const EffectiveEgress& effective,
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

// ---- Inputs. ----

Declaration read_declaration(std::string_view line) {
  constexpr std::string_view k_list = "allow:";
  if (line == "allow") return declare_allow();
  std::vector<std::string_view> domains;
  if (line.starts_with(k_list)) {
    line.remove_prefix(k_list.size());
    for (std::size_t end = 0; end != line.npos;
         line.remove_prefix(std::min(end + 1, line.size()))) {
      end = line.find(',');
      domains.push_back(line.substr(0, end));
      if (end == line.npos) break;
    }
  }
  return declare_domains(domains);
}

// Each check takes the reference model's document as a function: it is asked for only where the
// examination is whole.
template <class DocumentOf>
void check_policy(const Declaration& declared, const EgressPolicy& policy, bool whole,
                  DocumentOf document_of) {
  const EffectiveEgress effective = normal_form(&policy);
  const Comparison comparison = compare(declared.ours, effective);
  check_verdict(declared, policy, comparison);
  if (!whole) return;
  check_same(declared, effective, comparison,
             reference::compare(declared.theirs, document_of(), false));
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

// Whether a text is read as it should be is the question of another target (wire_fuzzer.cc).
void check_text(std::string_view input, bool whole) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const Declaration declared = read_declaration(input.substr(0, end));
  const ExactCopy copy(input.substr(std::min(end + 1, input.size())));
  const Decoded<EffectiveDocument> document = decode_effective(copy.view());
  if (!document) return;
  if (const auto* record = std::get_if<SandboxRecord>(&*document)) {
    check_record(declared, *record, normal_form(*document), whole, [&] {
      const reference::RecordReading reading = reference::read_record(copy.view());
      FUZZ_CHECK(reading.readable, copy.view(), reading.reason);
      return reference::compare(declared.theirs, reading);
    });
    return;
  }
  const auto reading = [&] {
    const reference::Reading read = reference::read_policy(copy.view());
    FUZZ_CHECK(read.readable, copy.view(), read.reason);
    return read.document;
  };
  if (const auto* policy = std::get_if<EgressPolicy>(&*document)) {
    check_policy(declared, *policy, whole, reading);
  } else {
    const EffectiveEgress none = normal_form(*document);
    check_openings(none);
    check_same(declared, none, compare(declared.ours, none),
               reference::compare(declared.theirs, reading(), false));
  }
}

// check_through_text writes a record of one kind and reads it again, on both sides.
template <class T, class Read>
void check_through_text(const T& value, const reference::Document& document,
                        Decoded<T> (*decode)(std::string_view), Read read) {
  const ExactCopy copy(encode(value));
  const Decoded<T> again = decode(copy.view());
  FUZZ_CHECK(again == value, copy.view(), summary(again));
  const auto reading = read(copy.view());
  FUZZ_CHECK(reading.readable && reading.document == document, copy.view(), document.dump());
}

void check_built(std::string_view choices, bool whole) {
  const Scenario scenario(choices);
  const Declaration& declared = scenario.declaration();
  const bool through_text = whole && scenario.through_text();
  if (scenario.is_record()) {
    const auto document = [&] { return document_of(scenario.record()); };
    check_record(declared, scenario.record(), normal_form(scenario.record()), whole,
                 [&] { return reference::compare(declared.theirs, document(), true); });
    if (through_text) {
      check_through_text(scenario.record(), document(), decode_record, reference::read_record);
    }
    return;
  }
  const auto document = [&] { return document_of(scenario.policy()); };
  check_policy(declared, scenario.policy(), whole, document);
  if (scenario.unchanged()) {
    FUZZ_CHECK(compare(declared.ours, normal_form(&scenario.policy())).holds(), document().dump());
  }
  if (through_text) {
    check_through_text(scenario.policy(), document(), decode_policy, reference::read_policy);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool whole = whole_examination(128);
  if (input.starts_with(k_built)) {
    check_built(input.substr(1), whole);
  } else {
    check_text(input, whole);
  }
  return 0;
}

// Egress: what was declared, against a policy or a sandbox record.
//
// Two forms of input. Text: a line `allow`, `deny` or `allow:HOST,HOST`, and after it any document.
// Bytes: 0x01, and after it choices (egress_scenario.h) of which valid documents are built.
#include "sandproof/egress.h"

#include <utility>
#include <variant>

#include "egress_document.h"
#include "egress_scenario.h"
#include "fuzz_check.h"
#include "reference/policy.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"

namespace {

using namespace sandproof;
using namespace sandproof::fuzz;

constexpr char k_built = '\x01';

// ---- Answers, for reports. ----

std::string summary(const Comparison& comparison) {
  std::string text(name(comparison.verdict()));
  for (const Finding& each : comparison.findings) {
    text += "; " + std::string(name(each.kind)) + ' ' + std::string(name(each.effect)) + ' ' +
            each.pointer + ' ' + each.witness;
  }
  return text;
}

std::string summary(const reference::Comparison& comparison) {
  std::string text = comparison.verdict;
  for (const reference::Finding& each : comparison.findings) {
    text += "; " + each.kind + ' ' + each.effect + ' ' + each.pointer + ' ' + each.witness;
  }
  return text;
}

template <class T>
std::string summary(const Decoded<T>& decoded) {
  if (decoded) return "read";
  return "unreadable: " + std::string(code(decoded.error().reason)) + " at " +
         decoded.error().pointer;
}

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

// ---- The comparison, against itself. ----

using Effects = std::vector<std::pair<FindingKind, Effect>>;

Effects effects(const Comparison& comparison) {
  Effects all;
  for (const Finding& finding : comparison.findings) {
    all.emplace_back(finding.kind, finding.effect);
  }
  std::ranges::sort(all);
  return all;
}

std::string other_case(std::string text) {
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
void rewrite(PolicyBody& body) {
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

void check_rewritten(const DeclaredEgress& declared, const EgressPolicy& policy,
                     const Comparison& before) {
  EgressPolicy rewritten = policy;
  rewrite(rewritten);
  if (rewritten.http) rewrite(*rewritten.http);
  const Comparison after = compare(declared, normal_form(&rewritten));
  FUZZ_CHECK(effects(after) == effects(before), summary(after), summary(before));
}

bool is_declared(const DeclaredEgress& declared, std::string_view canonical) {
  return std::ranges::any_of(
      declared.domains(), [&](const DomainPattern& domain) { return domain.view() == canonical; });
}

bool has_readable_rule(const PolicyBody& body) {
  return std::ranges::any_of(body.host_rules, [](const PolicyHostRule& rule) {
    const std::string action = reference::lower_ascii(rule.action);
    return action == "allow" || action == "deny";
  });
}

// undeclared gives a pattern that the declaration does not name: below a declared wildcard, if
// there is one, so that it need not widen anything.
std::string undeclared(const DeclaredEgress& declared) {
  for (const DomainPattern& domain : declared.domains()) {
    if (!domain.is_wildcard()) continue;
    std::string below = "q." + std::string(domain.apex());
    if (DomainPattern::parse(below) && !is_declared(declared, below)) return below;
  }
  return is_declared(declared, "q.example") ? "*" : "q.example";
}

// An allow that nobody declared never makes a verdict better. One exception, as specified: the
// first readable rule of a list also says that a missing allow is no more than that.
void check_added_allow(const DeclaredEgress& declared, const EgressPolicy& policy,
                       const Comparison& before) {
  EgressPolicy larger = policy;
  PolicyBody& body = larger.http ? *larger.http : static_cast<PolicyBody&>(larger);
  const bool first_readable = !has_readable_rule(body);
  body.host_rules.push_back({undeclared(declared), "Allow"});
  const Comparison after = compare(declared, normal_form(&larger));
  FUZZ_CHECK(after.verdict() != Verdict::identical, summary(after), summary(before));
  FUZZ_CHECK(first_readable || after.verdict() >= before.verdict(), summary(after),
             summary(before));
}

void check_removed_rule(const DeclaredEgress& declared, const EgressPolicy& policy) {
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

void check_tolerated(const DeclaredEgress& declared, const EgressPolicy& policy,
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
}

// Nothing but declared hosts gets out of a policy that is contained, under any reading: a default
// deny lets out what some rule that is not a deny matches, at most.
void check_contained(const Declaration& declared, const EgressPolicy& policy) {
  const auto check_host = [&](std::string_view pattern, const std::string& host) {
    for (const reference::WildcardReading& reading : reference::k_wildcard_readings) {
      FUZZ_CHECK(!reference::matches(pattern, host, reading) ||
                     reference::declared_lets_out(declared.theirs, host, reading),
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

void check_transformed(const Declaration& declared, const EgressPolicy& policy,
                       const Comparison& comparison) {
  check_message(describe(policy));
  FUZZ_CHECK(compare(DeclaredEgress::allow(), normal_form(&policy)).holds());
  if (declared.ours.mode() == EgressMode::allow) return;
  check_rewritten(declared.ours, policy, comparison);
  check_added_allow(declared.ours, policy, comparison);
  check_removed_rule(declared.ours, policy);
  check_tolerated(declared.ours, policy, comparison);
  if (comparison.verdict() == Verdict::contained) check_contained(declared, policy);
}

// ---- Documents. ----

// Both sides look at the bytes before they parse, and so agree on a refusal of the bytes. Further
// in, several reasons may apply to one text, and each side names the one that it meets first.
void check_same_refusal(const Unreadable& ours, std::string_view their_reason) {
  check_message(explain(ours));
  constexpr std::array k_of_bytes{Reason::too_large, Reason::byte_order_mark, Reason::invalid_utf8,
                                  Reason::not_json};
  const bool of_bytes = std::ranges::find(k_of_bytes, ours.reason) != k_of_bytes.end() ||
                        (ours.reason == Reason::nul && ours.offset != k_no_place);
  const bool expected = their_reason == "too_large" || their_reason == "byte_order_mark" ||
                        their_reason == "invalid_utf8";
  if (of_bytes || expected) {
    FUZZ_CHECK(code(ours.reason) == their_reason, code(ours.reason), their_reason);
  }
}

template <class T>
void check_round_trip(const T& value, Decoded<T> (*decode)(std::string_view)) {
  const std::string text = encode(value);
  const Decoded<T> again = decode(text);
  FUZZ_CHECK(again.has_value(), text, summary(again));
  FUZZ_CHECK(*again == value, text, encode(*again));
}

void check_policy(const Declaration& declared, std::string_view text,
                  const Decoded<EgressPolicy>& policy) {
  const reference::Reading reading = reference::read_policy(text);
  // The model reads null as "no policy"; for the library that is a question of the whole document.
  const bool readable = reading.readable && !reading.document.is_null();
  FUZZ_CHECK(policy.has_value() == readable, summary(policy),
             reading.reason + " at " + reading.pointer);
  if (!policy) {
    if (!reading.readable) check_same_refusal(policy.error(), reading.reason);
    return;
  }
  const EffectiveEgress effective = normal_form(&*policy);
  const Comparison comparison = compare(declared.ours, effective);
  check_same(declared, effective, comparison,
             reference::compare(declared.theirs, reading.document, false));
  check_transformed(declared, *policy, comparison);
}

void check_record(const Declaration& declared, std::string_view text,
                  const Decoded<SandboxRecord>& record) {
  using Policy = reference::RecordReading::Policy;
  const reference::RecordReading reading = reference::read_record(text);
  FUZZ_CHECK(record.has_value() == reading.readable, summary(record),
             reading.reason + " at " + reading.pointer);
  if (!record) {
    check_same_refusal(record.error(), reading.reason);
    return;
  }
  FUZZ_CHECK(record->id == reading.id, record->id, reading.id);
  FUZZ_CHECK(record->state == reading.state, record->id);
  FUZZ_CHECK(carries_policy(*record) == (reading.policy != Policy::absent), text);
  const bool unreadable = std::holds_alternative<Unreadable>(record->policy);
  FUZZ_CHECK(unreadable == (reading.policy == Policy::unreadable), text, reading.policy_reason);
  if (unreadable) check_message(explain(std::get<Unreadable>(record->policy)));

  const EffectiveEgress effective = normal_form(*record);
  const Comparison comparison = compare(declared.ours, effective);
  check_same(declared, effective, comparison, reference::compare(declared.theirs, reading));
  FUZZ_CHECK(compare(DeclaredEgress::allow(), effective).holds(), text);
}

// A document of any kind is what its keys say, and its canonical text says the same.
void check_any_document(std::string_view text, const Decoded<EgressPolicy>& policy,
                        const Decoded<SandboxRecord>& record) {
  const Decoded<EffectiveDocument> document = decode_effective(text);
  if (!document) {
    check_message(explain(document.error()));
  } else if (std::holds_alternative<EgressPolicy>(*document)) {
    FUZZ_CHECK(policy && std::get<EgressPolicy>(*document) == *policy, text);
  } else if (std::holds_alternative<SandboxRecord>(*document)) {
    FUZZ_CHECK(record && std::get<SandboxRecord>(*document) == *record, text);
  }

  const Decoded<std::string> canonical = canonical_json(text);
  FUZZ_CHECK(canonical.has_value() || !policy.has_value(), text);
  FUZZ_CHECK(canonical.has_value() || !document || record, text);
  if (canonical) FUZZ_CHECK(canonical_json(*canonical) == canonical, *canonical);

  const Decoded<ExecResult> result = decode_exec_result(text);
  if (result) check_round_trip(*result, decode_exec_result);
}

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

void check_text(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const Declaration declared = read_declaration(input.substr(0, end));
  const ExactCopy copy(input.substr(std::min(end + 1, input.size())));
  const std::string_view text = copy.view();

  const Decoded<EgressPolicy> policy = decode_policy(text);
  const Decoded<SandboxRecord> record = decode_record(text);
  check_policy(declared, text, policy);
  check_record(declared, text, record);
  check_any_document(text, policy, record);
  if (policy) check_round_trip(*policy, decode_policy);
  if (record && !std::holds_alternative<Unreadable>(record->policy)) {
    check_round_trip(*record, decode_record);
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

void check_built(std::string_view choices) {
  const Scenario scenario(choices);
  const Declaration& declared = scenario.declaration();
  if (scenario.is_record()) {
    const SandboxRecord& record = scenario.record();
    const reference::Document document = document_of(record);
    const EffectiveEgress effective = normal_form(record);
    const Comparison comparison = compare(declared.ours, effective);
    check_same(declared, effective, comparison,
               reference::compare(declared.theirs, document, true));
    if (scenario.through_text()) {
      check_through_text(record, document, decode_record, reference::read_record);
    }
    return;
  }
  const EgressPolicy& policy = scenario.policy();
  const reference::Document document = document_of(policy);
  const EffectiveEgress effective = normal_form(&policy);
  const Comparison comparison = compare(declared.ours, effective);
  check_same(declared, effective, comparison, reference::compare(declared.theirs, document, false));
  if (scenario.unchanged()) FUZZ_CHECK(comparison.holds(), summary(comparison));
  check_transformed(declared, policy, comparison);
  if (scenario.through_text()) {
    check_through_text(policy, document, decode_policy, reference::read_policy);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with(k_built)) {
    check_built(input.substr(1));
  } else {
    check_text(input);
  }
  return 0;
}

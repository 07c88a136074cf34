// The comparison of a declaration with what a sandbox runs: against the reference model on
// generated policies, and row by row of the table of findings.
#include "sandproof/egress_comparison.h"

#include <cstdlib>
#include <set>
#include <tuple>

#include "reference/hosts.h"
#include "reference/policy.h"
#include "sandproof/wire.h"
#include "support.h"

namespace sandproof::props {
namespace {

using reference::Declared;
using reference::Document;
using Texts = std::vector<std::string>;
using Pointer = Document::json_pointer;

// More cases than RapidCheck's hundred, unless somebody chose a number.
[[maybe_unused]] const int k_cases = ::setenv("RC_PARAMS", "max_success=1000", 0);

// ---- Words: what means something, what almost does, what does not. ----

const Texts k_labels = {"a", "b", "c", "com", "x_1-y"};
const Texts k_domains = {"a.com",     "b.com",     "b.a.com",     "c.b.a.com",
                         "*.a.com",   "*.b.a.com", "*.c.b.a.com", "com",
                         "localhost", "a.invalid", "*.a.invalid"};
const Texts k_strange_patterns = {"*",         "*.com",  "*.*",         "a.*.com",      "",
                                  ".",         "*.",     "10.0.0.1",    "HTTP://a.com", " a.com",
                                  "a.com:443", "a..com", "\xc3\xa4.com"};
const Texts k_actions = {"Allow", "Deny", "allow", "DENY", "Transform", "tRANSFORM", "", "Allow "};
const Texts k_defaults = {"Deny", "Allow", "deny", "ALLOW", "Block", "", "Deny "};
const Texts k_inspections = {"Full", "full", "FULL", "Partial", "None", "", "Full "};
const Texts k_unknown_names = {"bypassList", "mode", "x/y~z", "httpx", "rules2", "\xc3\xa9\"\n"};
const Texts k_values = {"null", "true", "1", "\"s\"", "[]", R"({"b":[1,{}],"a":"\u00e9"})"};
const Texts k_match_rules = {
    R"({})",
    R"({"name":null,"match":null,"action":null})",
    R"({"name":"n"})",
    R"({"action":{"type":"Deny"}})",
    R"({"action":{"type":"dENY"},"match":{"host":"a","path":"/","methods":["GET"]},"name":"n"})",
    R"({"action":{"type":"Deny","path":"/"}})",
    R"({"action":{"type":"Deny","headers":[]}})",
    R"({"action":{"type":"Allow"},"match":{"host":"A.com"}})",
    R"({"match":{"host":"a.COM"},"action":{"type":"aLLOW"}})",
    R"({"match":{"host":"a.com","path":"/A"},"action":{"type":"Allow"}})",
    R"({"match":{"host":"a.com","path":"/a"},"action":{"type":"Allow"}})",
    R"({"match":{"host":"a.com","methods":[]},"action":{"type":"Allow"}})",
    R"({"action":{"type":"Transform","headers":[{"b":1,"a":2}],"scheme":"http","host":"b"}})",
    R"({"action":{"headers":[{"a":2,"b":1}],"type":"transform","host":"b","scheme":"http"}})",
    R"({"action":{"type":""}})",
};
const Texts k_switches = {"null", "false", "true", "\"\"", "0", "\"x\"", "[]", "{}", "-1.5"};

const std::string& pick(const Texts& from, int which) {
  return from[static_cast<std::size_t>(which) % from.size()];
}

char other_case(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// recased gives other case to the letters that the bits of `which` name, again and again.
std::string recased(std::string text, int which) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (((which >> (i % 8)) & 1) != 0) text[i] = other_case(text[i]);
  }
  return text;
}

// ---- Generators. ----

rc::Gen<int> any_number() { return rc::gen::inRange(0, 1000); }

rc::Gen<std::string> any_domain() {
  const auto joined = rc::gen::map(
      rc::gen::pair(rc::gen::arbitrary<bool>(),
                    rc::gen::nonEmpty(rc::gen::container<Texts>(rc::gen::elementOf(k_labels)))),
      [](const std::pair<bool, Texts>& parts) {
        std::string name;
        for (std::size_t i = 0; i < std::min<std::size_t>(parts.second.size(), 4); ++i) {
          name += (i == 0 ? "" : ".") + parts.second[i];
        }
        return (parts.first && parts.second.size() > 1 ? "*." : "") + name;
      });
  return rc::gen::weightedOneOf<std::string>({{3, rc::gen::elementOf(k_domains)}, {1, joined}});
}

// Functions that draw from generators are for the body of a property.
Declared any_declared(bool may_allow = true) {
  Declared declared;
  const int mode = *rc::gen::inRange(may_allow ? 0 : 1, 10);
  if (mode == 0) declared.mode = Declared::Mode::allow;
  if (mode > 2) {
    declared.mode = Declared::Mode::allow_domains;
    const auto size = *rc::gen::inRange<std::size_t>(1, 5);
    declared.domains = *rc::gen::container<Texts>(size, any_domain());
  }
  RC_LOG() << "declared: " << mode << ' ' << ::testing::PrintToString(declared.domains) << '\n';
  return declared;
}

DeclaredEgress declared_of(const Declared& declared) {
  if (declared.mode == Declared::Mode::allow) return DeclaredEgress::allow();
  if (declared.mode == Declared::Mode::deny) return DeclaredEgress::deny();
  const std::vector<std::string_view> domains(declared.domains.begin(), declared.domains.end());
  return DeclaredEgress::allow_domains(domains).value();
}

// policy_of is what the declaration is created with; for allow, which sends none, a deny's.
Document policy_of(const Declared& declared) {
  const auto policy = created_with(declared_of(declared));
  return Document::parse(encode(policy.value_or(*created_with(DeclaredEgress::deny()))));
}

Document host_rule(const std::string& pattern, const std::string& action) {
  return Document{{"pattern", pattern}, {"action", action}};
}

using Mutation = std::tuple<int, int, int, bool>;

rc::Gen<Mutation> any_mutation() {
  return rc::gen::tuple(rc::gen::inRange(0, 20), any_number(), any_number(),
                        rc::gen::arbitrary<bool>());
}

// mutate changes one thing about a policy, or about its copy under `http`.
void mutate(Document& policy, const Mutation& mutation) {
  const auto& [kind, a, b, in_copy] = mutation;
  if (in_copy && policy.contains("http")) {
    return mutate(policy["http"], {kind == 17 ? 14 : kind, a, b, false});
  }
  if (!policy.contains("hostRules")) policy["hostRules"] = Document::array();
  Document& rules = policy["hostRules"];
  const auto at = [&rules](int which) {
    return rules.empty() ? 0 : static_cast<std::size_t>(which) % rules.size();
  };
  const bool has_rule = !rules.empty();
  switch (kind) {
    case 0:
    case 1:
      if (!has_rule) break;
      for (const char* key : {"pattern", "action"}) {
        rules[at(a)][key] = recased(rules[at(a)][key].get<std::string>(), b);
      }
      break;
    case 2:
      if (has_rule) rules[at(a)]["pattern"] = rules[at(a)]["pattern"].get<std::string>() + '.';
      break;
    case 3:
      if (has_rule) std::swap(rules[at(a)], rules[at(b)]);
      break;
    case 4:
      if (has_rule) rules.push_back(Document(rules[at(a)]));
      break;
    case 5:
      if (has_rule) rules.erase(at(a));
      break;
    case 6:
    case 7:
      rules.push_back(host_rule(recased(pick(k_domains, a), b), "Allow"));
      break;
    case 8:
      rules.push_back(host_rule(pick(k_domains, a), pick(k_actions, b)));
      break;
    case 9:
      rules.push_back(host_rule(recased(pick(k_strange_patterns, a), b), pick(k_actions, b / 2)));
      break;
    case 10:
      if (has_rule) rules[at(a)]["action"] = pick(k_actions, b);
      break;
    case 11:
      policy["defaultAction"] = pick(k_defaults, a);
      break;
    case 12:
      policy["trafficInspection"] = pick(k_inspections, a);
      break;
    case 13:
      if (a % 2 == 0) policy.erase("trafficInspection");
      if (a % 2 == 1) policy["trafficInspection"] = nullptr;
      break;
    case 14:
    case 15:
      policy["rules"].push_back(Document::parse(pick(k_match_rules, a)));
      break;
    case 16:
      policy[pick(k_unknown_names, a)] = Document::parse(pick(k_values, b));
      break;
    case 17: {
      Document copy = policy;
      copy.erase("http");
      if (a % 4 == 0) copy["http"] = Document::parse(pick(k_values, b));
      policy["http"] = copy;
      break;
    }
    case 18:
      if (a % 3 == 0) policy.erase("hostRules");
      if (a % 3 == 1) rules.clear();
      break;
    default:
      rules.insert(rules.begin(), host_rule(pick(k_domains, a), "Deny"));
      break;
  }
}

Document mutated(Document policy, const std::vector<Mutation>& mutations) {
  for (const Mutation& each : mutations) mutate(policy, each);
  RC_LOG() << "policy: " << policy.dump() << '\n';
  return policy;
}

// near_asked is what the declaration is created with, and a few things changed.
Document near_asked(const Declared& declared) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 5);
  const auto mutations = *rc::gen::container<std::vector<Mutation>>(size, any_mutation());
  return mutated(policy_of(declared), mutations);
}

// wild is a policy of any words and many changes.
Document wild() {
  const auto words = [] {
    const Texts pieces = {"a",   "B", ".", "*",        "*.", "-", "0",
                          "com", "/", "~", "\xc3\xa9", "\"", "\n"};
    Texts chosen = *rc::gen::container<Texts>(rc::gen::elementOf(pieces));
    std::string text;
    for (const std::string& each : chosen) text += each;
    return text;
  };
  Document policy = Document::object();
  policy["defaultAction"] = *rc::gen::inRange(0, 3) == 0 ? words() : "Deny";
  policy["trafficInspection"] = *rc::gen::inRange(0, 3) == 0 ? words() : "Full";
  policy["hostRules"] = Document::array();
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    policy["hostRules"].push_back(host_rule(words(), pick(k_actions, *any_number())));
  }
  return mutated(policy, *rc::gen::container<std::vector<Mutation>>(any_mutation()));
}

Document record_of(const Document& policy) {
  Document record = Document::object();
  record["id"] = "s";
  record["egressPolicy"] = policy;
  return record;
}

// ---- Both answers. ----

Comparison compared(const Declared& declared, const Document& document, bool is_record,
                    std::span<const Tolerance> tolerances = {}) {
  const DeclaredEgress asked = declared_of(declared);
  if (is_record) {
    const SandboxRecord record = decode_record(document.dump()).value();
    return compare(asked, normal_form(record), tolerances);
  }
  if (document.is_null()) return compare(asked, normal_form(nullptr), tolerances);
  const EgressPolicy policy = decode_policy(document.dump()).value();
  return compare(asked, normal_form(&policy), tolerances);
}

using Plain = std::tuple<std::string, std::string, std::string, bool>;

std::vector<Plain> plain(const std::vector<Finding>& findings) {
  std::vector<Plain> out;
  for (const Finding& each : findings) {
    out.emplace_back(name(each.kind), name(each.effect), each.pointer, !each.witness.empty());
  }
  return out;
}

reference::HostRule rule_at(const Document& document, const std::string& pointer) {
  const Document& rule = document.at(Pointer(pointer));
  return reference::comparable_rule(
      {rule.at("pattern").get<std::string>(), rule.at("action").get<std::string>()});
}

// is_witness: one host name that the pattern lets out and the declaration does not, both read
// alike.
bool is_witness(const std::string& host, const std::string& pattern, const Declared& declared) {
  const reference::Answer read = reference::domain(host);
  if (!read.accepted || read.value != host || host.starts_with('*')) return false;
  return std::ranges::any_of(reference::k_wildcard_readings, [&](reference::WildcardReading r) {
    return reference::matches(pattern, host, r) && !reference::declared_lets_out(declared, host, r);
  });
}

// agree: the same verdict and the same findings as the reference, and every witness gets out.
void agree(const Declared& declared, const Document& document, bool is_record) {
  const Comparison answer = compared(declared, document, is_record);
  const reference::Comparison expected = reference::compare(declared, document, is_record);
  std::vector<Plain> findings;
  for (const reference::Finding& each : expected.findings) {
    findings.emplace_back(each.kind, each.effect, each.pointer, each.has_witness);
  }
  RC_ASSERT(plain(answer.findings) == findings);
  RC_ASSERT(name(answer.verdict()) == expected.verdict);
  RC_ASSERT(answer.holds() == expected.findings.empty());
  RC_ASSERT(answer.notes.empty());
  for (const Finding& each : answer.findings) {
    RC_ASSERT(is_printable(each.detail) && !each.detail.empty());
    if (each.witness.empty()) continue;
    RC_ASSERT(each.kind == FindingKind::extra_allow);
    RC_ASSERT(is_witness(each.witness, rule_at(document, each.pointer).pattern, declared));
  }
}

// ---- Properties. ----

RC_GTEST_PROP(Egress, AgreesWithTheReferenceNearWhatWasAsked, ()) {
  const auto declared = any_declared();
  const Document policy = near_asked(declared);
  agree(declared, policy, false);
  agree(declared, record_of(policy), true);
}

RC_GTEST_PROP(Egress, AgreesWithTheReferenceOnWildPolicies, ()) {
  agree(any_declared(), wild(), false);
}

RC_GTEST_PROP(Egress, AgreesWithTheReferenceOnRecords, ()) {
  const auto declared = any_declared();
  Document record = record_of(near_asked(declared));
  const int policy = *rc::gen::inRange(0, 8);
  if (policy == 0) record.erase("egressPolicy");
  if (policy == 1) record["egressPolicy"] = nullptr;
  const auto [proxy, network] = *rc::gen::pair(any_number(), any_number());
  if (proxy % 3 != 0) record["skipEgressProxy"] = Document::parse(pick(k_switches, proxy));
  if (network % 3 != 0) {
    record["customerVnetConnectionName"] = Document::parse(pick(k_switches, network));
  }
  RC_LOG() << "record: " << record.dump() << '\n';
  agree(declared, record, true);
}

RC_GTEST_PROP(Egress, FindsNothingOnWhatWasCreated, ()) {
  const auto declared = any_declared();
  const auto policy = created_with(declared_of(declared));
  RC_ASSERT(policy.has_value() == (declared.mode != Declared::Mode::allow));
  const auto effective = normal_form(policy ? &*policy : nullptr);
  RC_ASSERT(compare(declared_of(declared), effective).verdict() == Verdict::identical);
  if (!policy) return;
  Document document = policy_of(declared);
  document["http"] = policy_of(declared);
  RC_ASSERT(compared(declared, document, false).verdict() == Verdict::identical);
  RC_ASSERT(compared(declared, record_of(document), true).verdict() == Verdict::identical);
  const std::vector<reference::HostRule> asked = reference::asked_rules(declared);
  for (const PolicyHostRule& rule : policy->host_rules) {
    RC_ASSERT(std::ranges::count(asked, reference::HostRule{rule.pattern, rule.action}) > 0);
  }
}

// cause is what a finding says, without what order and spelling may change.
std::string cause(const Document& policy, const Finding& finding) {
  const std::string head =
      std::string(name(finding.kind)) + ' ' + std::string(name(finding.effect)) + ' ';
  if (finding.kind == FindingKind::extra_allow) {
    return head + rule_at(policy, finding.pointer).pattern + ' ' + finding.witness;
  }
  if (finding.kind == FindingKind::unreadable_action) {
    const auto rule = rule_at(policy, finding.pointer.substr(0, finding.pointer.rfind('/')));
    return head + rule.pattern + ' ' + rule.action;
  }
  return head + finding.pointer + ' ' + finding.detail;
}

std::multiset<std::string> causes(const Document& policy, const Comparison& comparison) {
  std::multiset<std::string> out;
  for (const Finding& each : comparison.findings) out.insert(cause(policy, each));
  return out;
}

RC_GTEST_PROP(Egress, OrderRepeatsAndCaseOfHostRulesDoNotMatter, ()) {
  const auto declared = any_declared(false);
  const Document policy = near_asked(declared);
  Document other = policy;
  for (Document* copy : {&other, other.contains("http") ? &other["http"] : nullptr}) {
    if (copy == nullptr || !copy->contains("hostRules")) continue;
    Document& rules = copy->at("hostRules");
    std::vector<Document> list(rules.begin(), rules.end());
    for (const int which : *rc::gen::container<std::vector<int>>(any_number())) {
      if (list.empty()) break;
      const std::size_t from = static_cast<std::size_t>(which) % list.size();
      if (which % 3 == 0) list.push_back(list[from]);
      if (which % 3 == 1) std::swap(list[from], list[list.size() / 2]);
      if (which % 3 == 2) {
        for (auto& [key, text] : list[from].items()) text = recased(text.get<std::string>(), which);
      }
    }
    rules = Document(list);
  }
  RC_LOG() << "other: " << other.dump() << '\n';
  const Comparison before = compared(declared, policy, false);
  const Comparison after = compared(declared, other, false);
  RC_ASSERT(before.verdict() == after.verdict());
  RC_ASSERT(causes(policy, before) == causes(other, after));
}

RC_GTEST_PROP(Egress, AnAllowThatIsNotDeclaredNeverImproves, ()) {
  const auto declared = any_declared(false);
  Document policy = near_asked(declared);
  const bool in_copy = policy.contains("http") && *rc::gen::arbitrary<bool>();
  const std::string pattern = *rc::gen::oneOf(any_domain(), rc::gen::elementOf(k_strange_patterns));
  RC_PRE(std::ranges::count(declared.domains, pattern) == 0);
  const Verdict before = compared(declared, policy, false).verdict();
  Document& rules = (in_copy ? policy["http"] : policy)["hostRules"];
  if (rules.is_null()) rules = Document::array();
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, rules.size() + 1);
  rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(at), host_rule(pattern, "Allow"));
  const Comparison after = compared(declared, policy, false);
  RC_ASSERT(after.verdict() >= before);
  RC_ASSERT(!after.holds());
}

RC_GTEST_PROP(Egress, WithoutAnAskedRuleNothingIsIdentical, ()) {
  const auto declared = any_declared(false);
  Document policy = near_asked(declared);
  Document& copy = policy.contains("http") && *rc::gen::arbitrary<bool>() ? policy["http"] : policy;
  const auto asked = *rc::gen::elementOf(reference::asked_rules(declared));
  Document kept = Document::array();
  for (const Document& rule : copy.value("hostRules", Document::array())) {
    const reference::HostRule read{rule.at("pattern").get<std::string>(),
                                   rule.at("action").get<std::string>()};
    if (reference::comparable_rule(read) != asked) kept.push_back(rule);
  }
  copy["hostRules"] = kept;
  RC_ASSERT(!compared(declared, policy, false).holds());
}

RC_GTEST_PROP(Egress, AllowHoldsWhateverIsEffective, ()) {
  Declared allow;
  allow.mode = Declared::Mode::allow;
  Document record = record_of(wild());
  if (*rc::gen::arbitrary<bool>()) record["egressPolicy"] = Document::parse("[1]");
  record["skipEgressProxy"] = true;
  record["customerVnetConnectionName"] = "net";
  const Comparison answer = compared(allow, record, true);
  RC_ASSERT(answer.holds() && answer.notes.empty());
  RC_ASSERT(compared(allow, nullptr, false).holds());
}

RC_GTEST_PROP(Egress, BothCopiesAreJudgedByTheSameRules, ()) {
  const auto declared = any_declared(false);
  Document outer = near_asked(declared);
  Document inner = near_asked(declared);
  outer.erase("http");
  inner.erase("http");
  std::vector<Plain> expected = plain(compared(declared, outer, false).findings);
  for (Plain each : plain(compared(declared, inner, false).findings)) {
    std::get<2>(each) = "/http" + std::get<2>(each);
    expected.push_back(each);
  }
  outer["http"] = inner;
  RC_ASSERT(plain(compared(declared, outer, false).findings) == expected);
}

RC_GTEST_PROP(Egress, ToleratesExactlyTheNamedFieldWithTheNamedValue, ()) {
  const auto declared = any_declared(false);
  Document record = record_of(near_asked(declared));
  record["skipEgressProxy"] = true;
  for (const char* copy : {"", "/http"}) {
    if (!record["egressPolicy"].contains("http") && *copy != '\0') continue;
    for (const int which : *rc::gen::container<std::vector<int>>(any_number())) {
      record[Pointer("/egressPolicy" + std::string(copy))][pick(k_unknown_names, which)] =
          Document::parse(pick(k_values, which / 7));
    }
  }
  const Comparison strict = compared(declared, record, true);
  // One tolerance for every finding; every third of them wrong by a little.
  std::vector<Tolerance> tolerances;
  std::vector<Finding> findings;
  std::vector<Finding> notes;
  for (const Finding& each : strict.findings) {
    const Pointer pointer(each.pointer);
    std::string value = record.contains(pointer) ? canonical_json(record.at(pointer).dump()).value()
                                                 : std::string("null");
    std::string place = each.pointer;
    const int twist = *rc::gen::inRange(0, 6);
    if (twist == 0) value += ' ';
    if (twist == 1) place += '/';
    if (twist == 2) place.erase(0, 1);
    tolerances.push_back({place, value});
    const bool tolerated = twist > 2 && each.kind == FindingKind::unmodelled_field;
    (tolerated ? notes : findings).push_back(each);
  }
  const Comparison lenient = compared(declared, record, true, tolerances);
  RC_ASSERT(lenient.findings == findings);
  RC_ASSERT(lenient.notes == notes);
}

// Even a record that no decoder made renders as printable ASCII, and cut.
RC_GTEST_PROP(Egress, TextForPeopleIsPrintableAndShortForAnyBytes, ()) {
  const auto bytes = [] {
    return *any_bytes() +
           std::string(static_cast<std::size_t>(*rc::gen::inRange(0, 2) * 9999), '\xff');
  };
  EgressPolicy policy;
  policy.default_action = bytes();
  if (*rc::gen::arbitrary<bool>()) policy.traffic_inspection = bytes();
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    policy.host_rules.push_back({bytes(), *rc::gen::arbitrary<bool>() ? "Allow" : bytes()});
  }
  if (*rc::gen::arbitrary<bool>())
    policy.rules.push_back({.name = bytes(), .match = {}, .action = {}});
  for (int i = *rc::gen::inRange(0, 30); i > 0; --i)
    policy.unmodelled.push_back({bytes(), bytes()});
  if (*rc::gen::arbitrary<bool>()) policy.http = policy;
  const std::string text = describe(policy);
  RC_ASSERT(is_printable(text));
  RC_ASSERT(text.size() <= 3000U);
  for (const Finding& each : compare(DeclaredEgress::deny(), normal_form(&policy)).findings) {
    RC_ASSERT(is_printable(each.detail));
    RC_ASSERT(is_printable(each.witness));
    RC_ASSERT(each.detail.size() <= 1000U);
  }
}

TEST(DeclaredEgress, AGuessChangesNoAnswer) {
  const std::vector<std::string_view> domains{"a.com", "b.com", "*.a.com"};
  const DeclaredEgress declared = DeclaredEgress::allow_domains(domains).value();
  const std::pair<std::string_view, std::size_t> answers[] = {
      {"a.com", 0}, {"b.com", 1}, {"*.a.com", 2}, {"c.com", k_no_place}, {"", k_no_place}};
  for (const auto& [domain, index] : answers) {
    EXPECT_EQ(declared.index_of(domain), index);
    for (const std::size_t guess : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3},
                                    std::size_t{4}, k_no_place}) {
      EXPECT_EQ(declared.index_of(domain, guess), index) << domain << guess;
      EXPECT_EQ(DeclaredEgress::deny().index_of(domain, guess), k_no_place);
    }
  }
}

TEST(EgressDescription, SaysWhatAPolicyHas) {
  EXPECT_EQ(describe(std::nullopt), "no policy at all");
  EgressPolicy policy;
  policy.default_action = "Deny";
  EXPECT_EQ(describe(policy),
            "default \"Deny\", inspection not stated, 0 host rules, 0 match rules");
  policy.traffic_inspection = "Full";
  policy.host_rules.push_back({"a.b", "Allow"});
  policy.rules.resize(2);
  const std::string head = "default \"Deny\", inspection \"Full\", 1 host rule, 2 match rules";
  EXPECT_EQ(describe(policy), head);
  for (const char* const name : {"a", "b", "c", "d", "e"}) policy.unmodelled.push_back({name, "1"});
  const std::string five = ", and fields that are not known: \"a\" \"b\" \"c\" \"d\" \"e\"";
  EXPECT_EQ(describe(policy), head + five);
  policy.unmodelled.push_back({"f", "1"});
  EXPECT_EQ(describe(policy), head + five + " and 1 more");
  policy.http = PolicyBody{};
  EXPECT_EQ(describe(policy), head + five + " and 1 more, and a copy under http");
}

// ---- The table of findings, row by row. ----

struct Row {
  Texts domains;  // none: deny
  std::string document;
  Texts findings;  // kind, effect, pointer, and "-> witness" where there is one
};

// policy writes one that denies by default and inspects everything; `rest` begins with a comma.
std::string policy(const std::string& host_rules, const std::string& rest = "") {
  return R"({"defaultAction":"Deny","trafficInspection":"Full","hostRules":[)" + host_rules + "]" +
         rest + "}";
}

std::string rule(const std::string& pattern, const std::string& action) {
  return R"({"pattern":")" + pattern + R"(","action":")" + action + "\"}";
}

const std::string k_deny_all = rule("*", "Deny");
const std::string k_allow_a = rule("a.com", "Allow");

void check(const std::vector<Row>& rows, bool is_record = false) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.document);
    Declared declared;
    if (!row.domains.empty()) declared.mode = Declared::Mode::allow_domains;
    declared.domains = row.domains;
    Texts found;
    for (const Finding& each :
         compared(declared, Document::parse(row.document), is_record).findings) {
      found.push_back(std::string(name(each.kind)) + ' ' + std::string(name(each.effect)) + ' ' +
                      each.pointer + (each.witness.empty() ? "" : " -> " + each.witness));
    }
    EXPECT_EQ(found, row.findings);
  }
}

TEST(EgressTable, NoPolicy) {
  check({{{}, "null", {"no_policy widens "}}, {{"a.com"}, "null", {"no_policy widens "}}});
  check({{{}, R"({"id":"s"})", {"no_policy widens /egressPolicy"}},
         {{"a.com"}, R"({"id":"s","egressPolicy":null})", {"no_policy widens /egressPolicy"}}},
        true);
}

TEST(EgressTable, DefaultAction) {
  const auto with = [](const std::string& word) {
    return R"({"defaultAction":")" + word + R"(","trafficInspection":"Full","hostRules":[)" +
           k_deny_all + "]}";
  };
  const Texts widens = {"default_action widens /defaultAction"};
  check({{{}, with("deny"), {}},
         {{}, with("DENY"), {}},
         {{}, with("Allow"), widens},
         {{}, with("Block"), widens},
         {{}, with(""), widens},
         {{}, with("Deny "), widens},
         {{}, with("Den"), widens}});
}

TEST(EgressTable, Inspection) {
  const auto with = [](const std::string& member) {
    return R"({"defaultAction":"Deny",)" + member + R"("hostRules":[)" + k_deny_all + "]}";
  };
  const Texts widens = {"inspection widens /trafficInspection"};
  check({{{}, with(R"("trafficInspection":"fULL",)"), {}},
         {{}, with(""), widens},
         {{}, with(R"("trafficInspection":null,)"), widens},
         {{}, with(R"("trafficInspection":"Partial",)"), widens},
         {{}, with(R"("trafficInspection":"",)"), widens},
         {{}, with(R"("trafficInspection":"Full ",)"), widens}});
}

TEST(EgressTable, InspectionIsShownAsStated) {
  const auto detail = [](std::optional<std::string> stated) {
    EgressPolicy policy = *created_with(DeclaredEgress::deny());
    policy.traffic_inspection = std::move(stated);
    return compare(DeclaredEgress::deny(), normal_form(&policy)).findings.at(0).detail;
  };
  EXPECT_EQ(detail(std::nullopt), "inspection is not stated: traffic that is not HTTP gets out");
  EXPECT_EQ(detail("None"), "inspection is \"None\": traffic that is not HTTP gets out");
}

TEST(EgressTable, AnExtraAllowSaysWhetherItLetsOutMore) {
  const std::array<std::string_view, 1> declared{"*.a.com"};
  const DeclaredEgress egress = *DeclaredEgress::allow_domains(declared);
  const auto detail = [&egress](std::string pattern) {
    EgressPolicy policy = *created_with(egress);
    policy.host_rules.push_back({std::move(pattern), "Allow"});
    return compare(egress, normal_form(&policy)).findings.at(0).detail;
  };
  EXPECT_EQ(detail("b.com"), "allows \"b.com\", which is not declared");
  EXPECT_EQ(detail("x.a.com"),
            "allows \"x.a.com\", which is not declared but lets out no other host than what is");
}

TEST(EgressTable, MissingRule) {
  const Texts within = {"missing_rule within /hostRules"};
  const Texts unknown = {"missing_rule unknown /hostRules"};
  const std::string no_rules = R"({"defaultAction":"Deny","trafficInspection":"Full"})";
  check({{{}, policy(""), unknown},
         {{}, no_rules, unknown},
         {{}, policy(rule("a.com", "Deny")), unknown},
         {{}, policy(rule("*", "deny")), {}},
         {{"a.com"}, policy(""), unknown},
         {{"a.com"}, no_rules, unknown},
         {{"a.com"}, policy(k_deny_all), within},
         {{"a.com"}, policy(rule("a.com", "deny")), within},
         {{"a.com", "b.com", "A.com."}, policy(k_deny_all), {within[0], within[0]}},
         {{"a.com", "b.com"}, policy(k_allow_a), within},
         {{"a.com", "b.com"}, policy(rule("B.com.", "ALLOW") + ',' + k_allow_a), {}},
         {{"a.com"},
          policy(rule("a.com", "Transform")),
          {unknown[0], "unreadable_action unknown /hostRules/0/action"}},
         // The copy has no rule at all, whatever the policy itself has.
         {{"a.com"},
          policy(k_deny_all, R"(,"http":)" + no_rules),
          {within[0], "missing_rule unknown /http/hostRules"}}});
}

TEST(EgressTable, ExtraAllow) {
  const std::string wild_a = rule("*.a.com", "Allow");
  const std::string unknown = "missing_rule unknown /hostRules";
  const auto widens = [](const std::string& host, const std::string& place = "/hostRules/1") {
    return Texts{"extra_allow widens " + place + (host.empty() ? "" : " -> " + host)};
  };
  const auto with = [&](const std::string& first, const std::string& pattern) {
    return policy(first + ',' + rule(pattern, "Allow"));
  };
  check({{{}, with(k_deny_all, "b.com"), widens("b.com")},
         {{"a.com"}, with(k_allow_a, "B.com."), widens("b.com")},
         {{"a.com"}, with(k_allow_a, "b.a.com"), widens("b.a.com")},
         {{"a.com"}, with(k_allow_a, "xa.com"), widens("xa.com")},
         {{"a.com"}, with(k_allow_a, "*.a.com"), widens("a.a.com")},
         {{"*.a.com"}, with(wild_a, "x.a.com"), {"extra_allow within /hostRules/1"}},
         {{"*.a.com"}, with(wild_a, "X.A.com."), {"extra_allow within /hostRules/1"}},
         {{"*.a.com"}, with(wild_a, "a.com"), widens("a.com")},
         {{"*.a.com"}, with(wild_a, "y.x.a.com"), widens("y.x.a.com")},
         {{"*.a.com"}, with(wild_a, "*.x.a.com"), widens("a.x.a.com")},
         {{"*.a.com"}, with(wild_a, "xa.com"), widens("xa.com")},
         {{"a.com"}, with(k_allow_a, "*"), widens("a.invalid")},
         // Not what would be let out under the declaration's widest reading.
         {{"a.com", "a.invalid", "*.b.invalid"},
          policy(rule("*", "Allow")),
          {unknown, unknown, unknown, "extra_allow widens /hostRules/0 -> c.invalid"}},
         {{"a.com"}, with(k_allow_a, "*.com"), widens("")},
         {{"a.com"}, with(k_allow_a, ""), widens("")},
         {{"a.com"}, with(k_allow_a, "10.0.0.1"), widens("")},
         {{"a.com"}, with(k_allow_a, "http://a.com"), widens("")},
         // Repeats and other spellings are one cause, at its first place.
         {{"a.com"},
          policy(rule("b.com", "Allow") + ',' + k_allow_a + ',' + rule("B.com.", "ALLOW")),
          widens("b.com", "/hostRules/0")},
         {{"a.com"},
          policy(rule("*.CoM", "Allow") + ',' + k_allow_a + ',' + rule("*.com", "allow")),
          widens("", "/hostRules/0")},
         {{"a.com"}, policy(k_allow_a + ',' + rule("b.com", "Deny")), {}}});
}

TEST(EgressTable, UnreadableAction) {
  const Texts unknown = {"unreadable_action unknown /hostRules/1/action"};
  const auto with = [](const std::string& more) { return policy(k_deny_all + ',' + more); };
  check({{{}, with(rule("a.com", "Transform")), unknown},
         {{}, with(rule("a.com", "")), unknown},
         {{}, with(rule("a.com", "Allow ")), unknown},
         {{}, with(rule("a.com", "Rewrite") + ',' + rule("A.com.", "rEWRITE")), unknown},
         {{}, with(rule("*.com", "Rewrite") + ',' + rule("*.COM", "rewrite")), unknown},
         {{},
          with(rule("a.com", "Rewrite") + ',' + rule("a.com", "Transform")),
          {unknown[0], "unreadable_action unknown /hostRules/2/action"}},
         {{},
          with(rule("a.com", "Rewrite") + ',' + rule("b.com", "Rewrite")),
          {unknown[0], "unreadable_action unknown /hostRules/2/action"}}});
}

TEST(EgressTable, MatchRule) {
  const auto with = [](const std::string& rules) {
    return policy(k_deny_all, R"(,"rules":[)" + rules + "]");
  };
  const std::string allow = R"({"match":{"host":"a","path":"/"},"action":{"type":"Allow"}})";
  const Texts unknown = {"match_rule unknown /rules/0"};
  const Texts widens = {"match_rule widens /rules/0"};
  check(
      {{{}, with(R"({"action":{"type":"Deny"}})"), {}},
       {{}, with(R"({"name":"n","match":{"host":"*"},"action":{"type":"dENY"}})"), {}},
       {{}, with(R"({"action":{"type":"Deny","host":"a"}})"), unknown},
       {{}, with(R"({"action":{"type":"Deny","path":"a"}})"), unknown},
       {{}, with(R"({"action":{"type":"Deny","scheme":"a"}})"), unknown},
       {{}, with(R"({"action":{"type":"Deny","headers":[]}})"), unknown},
       {{}, with(R"({"action":{"type":"Transform"}})"), unknown},
       {{}, with(R"({"action":{"type":""}})"), unknown},
       {{}, with("{}"), unknown},
       {{}, with(R"({"action":null})"), unknown},
       {{}, with(allow), widens},
       {{}, with(R"({"action":{"type":"aLLOW","path":"/"}})"), widens},
       {{}, with(R"({"action":{"type":"Deny"}},)" + allow), {"match_rule widens /rules/1"}},
       // One cause: the order of keys and the case of words say nothing, a null is absent.
       {{}, with(allow + ',' + allow), widens},
       {{},
        with(allow + R"(,{"action":{"type":"ALLOW"},"name":null,"match":{"path":"/","host":"A"}})"),
        widens},
       {{},
        with(allow + R"(,{"match":{"host":"a","path":"/b"},"action":{"type":"Allow"}})"),
        {widens[0], "match_rule widens /rules/1"}}});
}

TEST(EgressTable, AnEmptyListOfMethodsIsAnAbsentOne) {
  check({{{},
          policy(k_deny_all,
                 R"(,"rules":[{"match":{"host":"a"}},{"match":{"host":"a","methods":[]}}])"),
          {"match_rule unknown /rules/0"}}});
}

TEST(EgressTable, UnmodelledField) {
  const std::string inner = policy(k_deny_all, R"(,"http":{"x":1},"y":[])");
  check({{{}, policy(k_deny_all, R"(,"x":null)"), {"unmodelled_field unknown /x"}},
         {{},
          policy(k_deny_all, R"(,"a/b~c":1,"http2":{})"),
          {"unmodelled_field unknown /a~1b~0c", "unmodelled_field unknown /http2"}},
         {{},
          policy(k_deny_all, R"(,"http":)" + inner),
          {"unmodelled_field unknown /http/http", "unmodelled_field unknown /http/y"}}});
}

TEST(EgressTable, BothCopies) {
  check(
      {{{}, policy(k_deny_all, R"(,"http":)" + policy(k_deny_all)), {}},
       {{"a.com"},
        policy(k_allow_a, R"(,"http":{"defaultAction":"Allow","hostRules":[)" + k_allow_a + ',' +
                              rule("b.com", "Allow") + ',' + rule("c.com", "x") +
                              R"(],"rules":[{}]})"),
        {"default_action widens /http/defaultAction", "inspection widens /http/trafficInspection",
         "extra_allow widens /http/hostRules/1 -> b.com",
         "unreadable_action unknown /http/hostRules/2/action", "match_rule unknown /http/rules/0"}},
       // The same cause in both copies is one in each.
       {{"a.com"},
        policy(rule("*", "Allow"), R"(,"http":)" + policy(rule("*", "Allow"))),
        {"missing_rule unknown /hostRules", "extra_allow widens /hostRules/0 -> a.invalid",
         "missing_rule unknown /http/hostRules",
         "extra_allow widens /http/hostRules/0 -> a.invalid"}}});
}

TEST(EgressTable, SwitchesOfTheRecord) {
  const auto with = [](const std::string& member) {
    return R"({"id":"s","egressPolicy":)" + policy(k_deny_all) + ',' + member + "}";
  };
  for (const std::string& value : k_switches) {
    const bool harmless_proxy = value == "null" || value == "false";
    const bool harmless_network = value == "null" || value == "\"\"";
    const Texts proxy = {"proxy_bypass widens /skipEgressProxy"};
    const Texts network = {"network_override widens /customerVnetConnectionName"};
    check({{{}, with("\"skipEgressProxy\":" + value), harmless_proxy ? Texts{} : proxy},
           {{},
            with("\"customerVnetConnectionName\":" + value),
            harmless_network ? Texts{} : network}},
          true);
  }
}

TEST(EgressTable, UnreadablePolicy) {
  const std::string record =
      R"({"id":"s","egressPolicy":{"defaultAction":1},"skipEgressProxy":true})";
  const SandboxRecord read = decode_record(record).value();
  const Comparison answer = compare(DeclaredEgress::deny(), normal_form(read));
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_EQ(answer.findings[0].kind, FindingKind::unreadable_policy);
  EXPECT_EQ(answer.findings[0].effect, Effect::unknown);
  EXPECT_TRUE(answer.findings[0].pointer.starts_with("/egressPolicy"));
  EXPECT_EQ(answer.findings[1].kind, FindingKind::proxy_bypass);
  EXPECT_EQ(answer.verdict(), Verdict::widened);
  EXPECT_EQ(compare(DeclaredEgress::deny(),
                    normal_form(decode_record(R"({"id":"s","egressPolicy":0})").value()))
                .verdict(),
            Verdict::unknown);
  EXPECT_TRUE(compare(DeclaredEgress::allow(), normal_form(read)).holds());
}

TEST(EgressTable, TheWorstFindingIsTheVerdict) {
  const auto verdict = [](std::initializer_list<Effect> effects) {
    Comparison comparison;
    for (const Effect each : effects) {
      comparison.findings.push_back({FindingKind::match_rule, each, "", "", ""});
    }
    comparison.notes.push_back({FindingKind::unmodelled_field, Effect::widens, "", "", ""});
    return comparison.verdict();
  };
  EXPECT_EQ(verdict({}), Verdict::identical);
  EXPECT_EQ(verdict({Effect::within, Effect::within}), Verdict::contained);
  EXPECT_EQ(verdict({Effect::within, Effect::unknown, Effect::within}), Verdict::unknown);
  EXPECT_EQ(verdict({Effect::unknown, Effect::widens, Effect::within}), Verdict::widened);
}

TEST(EgressTable, NamesAreStable) {
  const Texts kinds = {"no_policy",    "default_action",   "inspection",
                       "missing_rule", "extra_allow",      "unreadable_action",
                       "match_rule",   "unmodelled_field", "unreadable_policy",
                       "proxy_bypass", "network_override"};
  ASSERT_EQ(kinds.size(), k_finding_kind_count);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    EXPECT_EQ(name(static_cast<FindingKind>(i)), kinds[i]);
}

// An allow that nobody declared does not show that the list of rules is in force: it never turns
// the unknown of an empty policy into a contained.
TEST(EgressTable, AnUndeclaredAllowSettlesNothing) {
  check({{{"*.a.com"}, policy(""), {"missing_rule unknown /hostRules"}},
         {{"*.a.com"},
          policy(rule("x.a.com", "Allow")),
          {"missing_rule unknown /hostRules", "extra_allow within /hostRules/0"}},
         {{"*.a.com", "b.com"},
          policy(rule("x.a.com", "Allow") + ',' + rule("b.com", "Allow")),
          {"missing_rule within /hostRules", "extra_allow within /hostRules/0"}},
         {{"*.a.com"},
          policy(rule("x.a.com", "Allow") + ',' + rule("c.com", "Deny")),
          {"missing_rule within /hostRules", "extra_allow within /hostRules/0"}}});
}

// ---- Where a declaration can leave no room for another host. ----

constexpr std::string_view k_label_bytes = "abcdefghijklmnopqrstuvwxyz0123456789_";

// long_apex is a name of exactly `size` bytes.
std::string long_apex(std::size_t size) {
  std::string apex;
  while (size - apex.size() > 64) apex += std::string(63, 'z') + '.';
  return apex + std::string(size - apex.size(), 'z');
}

// below lists every label of up to `longest` bytes (1 or 2) under the apex.
Texts below(const std::string& apex, std::size_t longest) {
  Texts hosts;
  for (const char a : k_label_bytes) {
    hosts.push_back(std::string{a, '.'} + apex);
    if (longest == 1) continue;
    for (const char b : k_label_bytes) hosts.push_back(std::string{a, b, '.'} + apex);
  }
  return hosts;
}

// widening_under judges an allow of `*.apex` besides everything that was declared.
Finding widening_under(const std::string& apex, const Texts& declared) {
  const std::vector<std::string_view> domains(declared.begin(), declared.end());
  const DeclaredEgress asked = DeclaredEgress::allow_domains(domains).value();
  EgressPolicy effective = created_with(asked).value();
  effective.host_rules.push_back({"*." + apex, "Allow"});
  const Comparison answer = compare(asked, normal_form(&effective));
  EXPECT_EQ(answer.findings.size(), 1U);
  return answer.findings.at(0);
}

TEST(EgressLongApex, EveryLabelThatFitsIsDeclared) {
  for (const std::size_t room : {1U, 2U}) {
    const std::string apex = long_apex(252 - room);
    Texts declared = below(apex, room);
    EXPECT_EQ(declared.size(), room == 1 ? 37U : 37U + 37U * 37U);
    // The apex is not declared: a reading with the apex lets it out.
    const Finding apex_gets_out = widening_under(apex, declared);
    EXPECT_EQ(apex_gets_out.effect, Effect::widens);
    EXPECT_EQ(apex_gets_out.witness, apex);
    declared.push_back(apex);
    const Finding nothing_gets_out = widening_under(apex, declared);
    EXPECT_EQ(nothing_gets_out.effect, Effect::within);
    EXPECT_EQ(nothing_gets_out.witness, "");
    // The apex by way of a declared wildcard over it.
    declared.back() = "*" + apex.substr(63);
    EXPECT_EQ(widening_under(apex, declared).effect, Effect::within);
    // Each label counts: whichever one is taken away is the witness. Of those of two bytes, every
    // one that ends with the first letter, which a carry makes, and some.
    declared.back() = apex;
    for (std::size_t i = room - 1; i + 1 < declared.size(); i += room == 1 ? 1 : 19) {
      Texts fewer = declared;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const Finding gets_out = widening_under(apex, fewer);
      EXPECT_EQ(gets_out.effect, Effect::widens);
      EXPECT_EQ(gets_out.witness, declared[i]);
    }
  }
}

// Three bytes make room for a second level, which is not searched: refused without a witness.
TEST(EgressLongApex, ASecondLevelIsRefusedWithoutWitness) {
  const std::string apex = long_apex(249);
  Texts declared = below(apex, 2);
  for (const char a : k_label_bytes) {
    for (const char b : k_label_bytes) {
      for (const char c : k_label_bytes) declared.push_back(std::string{a, b, c, '.'} + apex);
    }
  }
  declared.push_back(apex);
  const Finding found = widening_under(apex, declared);
  EXPECT_EQ(found.effect, Effect::widens);
  EXPECT_EQ(found.witness, "");
}

TEST(Acceptance, TakesNothingThatIsNotUnderstood) {
  using enum Verdict;
  for (const Verdict verdict : {identical, contained, Verdict::unknown, widened}) {
    EXPECT_EQ(accepts(Acceptance::identical, verdict), verdict == identical);
    EXPECT_EQ(accepts(Acceptance::contained, verdict),
              verdict == identical || verdict == contained);
  }
}

}  // namespace
}  // namespace sandproof::props

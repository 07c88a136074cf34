// What becomes of one host, against the reference model: every policy of up to three rules over a
// few patterns, every host, every order of the rules, every reading of `*.`.
#include "sandproof/egress_host.h"

#include <array>
#include <string>
#include <vector>

#include "reference/hosts.h"
#include "sandproof/egress.h"
#include "sandproof/wire.h"
#include "small_policies.h"
#include "support.h"

namespace sandproof::props {
namespace {

bool is_readable(const HostRule& rule) { return rule.action != "Transform"; }

// possible collects what may become of a host. A pattern outside the language may cover it or not:
// each set of those rules is tried as covering every host, the others as absent. And a default deny
// means nothing without a rule that can be read.
std::set<bool> possible(const std::vector<HostRule>& rules, bool default_deny,
                        std::string_view host, reference::WildcardReading reading) {
  std::vector<std::size_t> outside;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].pattern == k_outside) outside.push_back(i);
  }
  std::set<bool> all;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << outside.size(); ++chosen) {
    std::vector<HostRule> tried;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto at = std::ranges::find(outside, i) - outside.begin();
      if (rules[i].pattern != k_outside) {
        tried.push_back(rules[i]);
      } else if ((chosen >> at) % 2 == 1) {
        tried.push_back({"*", rules[i].action});
      }
    }
    all.merge(reference::outcomes(tried, default_deny, host, reading));
    const bool covered = std::ranges::any_of(tried, [&](const HostRule& rule) {
      return reference::matches(rule.pattern, host, reading);
    });
    if (default_deny && !covered && std::ranges::none_of(rules, is_readable)) all = {false, true};
  }
  return all;
}

Passage passage_of(const std::set<bool>& results) {
  if (results.size() == 2) return Passage::may_get_out;
  return results.contains(true) ? Passage::gets_out : Passage::stopped;
}

// names_rule says whether a rule is in an answer for exactly the readings under which it may
// cover the host.
bool names_rule(const HostAnswer& answer, const HostRule& rule, std::size_t index,
                std::string_view host) {
  Readings wanted;
  for (std::size_t r = 0; r < k_wildcard_readings.size(); ++r) {
    wanted[r] =
        rule.pattern == k_outside || reference::matches(rule.pattern, host, k_wildcard_readings[r]);
  }
  const std::string pointer = "/hostRules/" + std::to_string(index);
  const auto cause = std::ranges::find(answer.causes, pointer, &Cause::pointer);
  if (cause == answer.causes.end()) return wanted.none();
  return cause->readings == wanted && cause->lets_out == (rule.action != "Deny") &&
         cause->stops == (rule.action != "Allow");
}

TEST(EgressHost, ReadsWildcardsAsTheReferenceModelDoes) {
  for (std::size_t r = 0; r < k_wildcard_readings.size(); ++r) {
    EXPECT_EQ(sandproof::k_wildcard_readings[r].apex, k_wildcard_readings[r].apex);
    EXPECT_EQ(sandproof::k_wildcard_readings[r].any_depth,
              k_wildcard_readings[r].depth == reference::Depth::any_depth);
  }
  for_each_string("ab.*", 6, [](std::string_view text) {
    const Checked<DomainPattern> pattern = DomainPattern::parse(text);
    if (!pattern) return;
    for (const char* host : {"a", "b", "a.b", "b.b", "a.a.b", "b.a.b", "a.b.a.b", "ab.a", "aa.b"}) {
      for (std::size_t r = 0; r < k_wildcard_readings.size(); ++r) {
        ASSERT_EQ(
            covers(*pattern, HostName::parse(host).value(), sandproof::k_wildcard_readings[r]),
            reference::matches(pattern->view(), host, k_wildcard_readings[r]))
            << text << ' ' << host << ' ' << r;
      }
    }
  });
}

TEST(EgressHost, HostNamesAreDomainsWithoutWildcards) {
  for_each_string("aB1.*-", 6, [](std::string_view text) {
    const Checked<DomainPattern> domain = DomainPattern::parse(text);
    const Checked<HostName> host = HostName::parse(text);
    ASSERT_EQ(host.has_value(), domain && !domain->is_wildcard()) << text;
    if (host) {
      ASSERT_EQ(host->view(), domain->view());
    } else {
      ASSERT_EQ(host.error(),
                domain ? (Refusal{Subject::domain, Reason::wildcard, 0}) : domain.error());
    }
  });
}

TEST(EgressHost, IsRightUnderEveryOrderAndEveryReading) {
  std::array<std::size_t, 3> count{};
  std::size_t ordered = 0;
  std::size_t policies = 0;
  each_policy([&](const std::vector<HostRule>& rules) {
    for (const bool default_deny : {true, false}) {
      const EgressPolicy policy = policy_of(rules, default_deny ? "deny" : "ALLOW");
      const EffectiveEgress effective = normal_form(&policy);
      ++policies;
      for (const std::string& host : k_hosts) {
        const HostAnswer answer = judge_host(effective, HostName::parse(host).value());
        std::set<Passage> all;
        for (std::size_t r = 0; r < k_wildcard_readings.size(); ++r) {
          const auto reading = k_wildcard_readings[r];
          const Passage wanted = passage_of(possible(rules, default_deny, host, reading));
          ASSERT_EQ(answer.passage(r), wanted) << shown(rules, host) << ", reading " << r;
          all.insert(wanted);
          ++count[static_cast<std::size_t>(wanted)];
          const auto some = [&](std::string_view action) {
            return std::ranges::any_of(rules, [&](const HostRule& rule) {
              return rule.action == action &&
                     (rule.pattern == k_outside || reference::matches(rule.pattern, host, reading));
            });
          };
          ASSERT_EQ(answer.order_matters[r], some("Allow") && some("Deny")) << shown(rules, host);
          ordered += answer.order_matters[r] ? 1 : 0;
        }
        ASSERT_EQ(answer.passage(), all.size() == 1 ? *all.begin() : Passage::may_get_out);
        for (std::size_t i = 0; i < rules.size(); ++i) {
          ASSERT_TRUE(names_rule(answer, rules[i], i, host)) << shown(rules, host) << ' ' << i;
        }
      }
    }
  });
  for (const std::size_t each : count) EXPECT_GT(each, 1000U);
  EXPECT_GT(ordered, 1000U);
  RecordProperty("policies of up to three rules", std::to_string(policies));
}

TEST(EgressHost, AGoodPolicyStopsWhatIsNotDeclared) {
  std::size_t good = 0;
  std::size_t witnesses = 0;
  for (const std::string& domain : {std::string(), k_patterns[1], k_patterns[4]}) {
    reference::Declared asked;
    DeclaredEgress declared = DeclaredEgress::deny();
    if (!domain.empty()) {
      asked = {reference::Declared::Mode::allow_domains, {domain}};
      declared = DeclaredEgress::allow_domains(std::array{std::string_view(domain)}).value();
    }
    each_policy([&](const std::vector<HostRule>& rules) {
      const EgressPolicy policy = policy_of(rules, "Deny");
      const EffectiveEgress effective = normal_form(&policy);
      const Comparison comparison = compare(declared, effective);
      for (const Finding& finding : comparison.findings) {
        if (finding.witness.empty()) continue;
        const auto host = HostName::parse(finding.witness);
        ASSERT_TRUE(host);
        ASSERT_NE(judge_host(effective, *host).passage(), Passage::stopped);
        ++witnesses;
      }
      if (comparison.verdict() > Verdict::contained) return;
      ++good;
      for (const std::string& host : k_hosts) {
        const HostAnswer answer = judge_host(effective, HostName::parse(host).value());
        for (std::size_t r = 0; r < k_wildcard_readings.size(); ++r) {
          ASSERT_TRUE(answer.passage(r) == Passage::stopped ||
                      reference::declared_lets_out(asked, host, k_wildcard_readings[r]))
              << shown(rules, host);
        }
      }
    });
  }
  EXPECT_GT(good, 20U);
  EXPECT_GT(witnesses, 1000U);
}

// Each row adds one thing to a policy that stops the host, and to one that lets it out.
TEST(EgressHost, NeverClaimsMoreThanTheDocumentSays) {
  struct Row {
    void (*add)(EgressPolicy&);
    Passage stopped;
    Passage let_out;
    std::string_view kind;
  };
  const auto may = Passage::may_get_out;
  const std::vector<Row> rows{
      {[](EgressPolicy&) {}, Passage::stopped, Passage::gets_out, ""},
      {[](EgressPolicy& p) { p.traffic_inspection = "Partial"; }, may, Passage::gets_out,
       "inspection"},
      {[](EgressPolicy& p) { p.traffic_inspection.reset(); }, may, Passage::gets_out, "inspection"},
      {[](EgressPolicy& p) { p.unmodelled.push_back({"x/y", "1"}); }, may, may, "unmodelled_field"},
      {[](EgressPolicy& p) {
         p.rules.push_back({{}, {}, PolicyRuleAction{"Deny", {}, {}, {}, {}}});
       },
       Passage::stopped, may, "match_rule"},
      {[](EgressPolicy& p) {
         p.rules.push_back({{}, {}, PolicyRuleAction{"Allow", {}, {}, {}, {}}});
       },
       may, Passage::gets_out, "match_rule"},
      {[](EgressPolicy& p) { p.rules.emplace_back(); }, may, may, "match_rule"},
      {[](EgressPolicy& p) { p.http = policy_of({{"*", "Deny"}}, "Deny"); }, Passage::stopped, may,
       "deny"},
      {[](EgressPolicy& p) { p.http = policy_of({{"*", "Allow"}}, "Deny"); }, may,
       Passage::gets_out, "allow"},
      {[](EgressPolicy& p) { p.http = policy_of({}, "Deny"); }, may, may, "no_rule"},
      {[](EgressPolicy& p) { p.http = policy_of({}, "What"); }, may, may, "default_action"},
  };
  const auto host = HostName::parse("b.a").value();
  for (const Row& row : rows) {
    for (const bool stops : {true, false}) {
      EgressPolicy policy =
          policy_of({{stops ? "a.b.a" : "b.a", stops ? "Deny" : "Allow"}}, "Deny");
      row.add(policy);
      const HostAnswer answer = judge_host(normal_form(&policy), host);
      EXPECT_EQ(answer.passage(), stops ? row.stopped : row.let_out) << row.kind;
      EXPECT_TRUE(row.kind.empty() || std::ranges::any_of(answer.causes,
                                                          [&](const Cause& cause) {
                                                            return name(cause.kind) == row.kind;
                                                          }))
          << row.kind;
      EXPECT_TRUE(answer.order_matters.none()) << "copies are no rules of one list";
    }
  }
}

TEST(EgressHost, SaysWhatStandsOutsideThePolicy) {
  const auto host = HostName::parse("b.a").value();
  const HostAnswer none = judge_host(normal_form(nullptr, "/p"), host);
  EXPECT_EQ(none.passage(), Passage::gets_out);
  EXPECT_EQ(none.causes.front().pointer, "/p");
  EffectiveEgress unread = normal_form(nullptr);
  unread.unreadable = Unreadable{Reason::not_json, {}, 3};
  EXPECT_EQ(judge_host(unread, host).passage(), Passage::may_get_out);
  for (const FindingKind kind : {FindingKind::proxy_bypass, FindingKind::network_override}) {
    const EgressPolicy policy = policy_of({{"*", "Deny"}}, "Deny");
    EffectiveEgress effective = normal_form(&policy);
    effective.overrides.push_back({kind, "/switch", "\"\x1b\""});
    const HostAnswer answer = judge_host(effective, host);
    EXPECT_EQ(answer.passage(), Passage::may_get_out);
    EXPECT_EQ(name(answer.causes.back().kind), name(kind));
    EXPECT_TRUE(is_printable(answer.causes.back().detail));
  }
}

// The name of one wildcard, and deep below another: both cover it but under the narrowest reading.
TEST(EgressHost, MayGetOutWhereTheNarrowestReadingAloneDiffers) {
  const auto host = HostName::parse("d.c.b.a").value();
  for (const bool lets_out : {true, false}) {
    const std::string action = lets_out ? "Allow" : "Deny";
    const EgressPolicy policy =
        policy_of({{"*.d.c.b.a", action}, {"*.b.a", action}}, lets_out ? "Deny" : "Allow");
    const HostAnswer answer = judge_host(normal_form(&policy), host);
    const Passage usual = lets_out ? Passage::gets_out : Passage::stopped;
    EXPECT_EQ(answer.passage(0), lets_out ? Passage::stopped : Passage::gets_out);
    for (std::size_t reading = 1; reading < k_wildcard_readings.size(); ++reading) {
      EXPECT_EQ(answer.passage(reading), usual);
    }
    EXPECT_EQ(answer.passage(), Passage::may_get_out);
  }
}

TEST(EgressHost, IsNotDecidedUnderAReadingThatThereIsNot) {
  const auto host = HostName::parse("b.a").value();
  const HostAnswer answer = judge_host(normal_form(nullptr), host);
  EXPECT_EQ(answer.passage(k_wildcard_readings.size() - 1), Passage::gets_out);
  EXPECT_EQ(answer.passage(k_wildcard_readings.size()), Passage::may_get_out);
}

// told gives each cause of what becomes of b.a under a record: what it is, where, and in words.
std::vector<std::string> told(const std::string& policy, const std::string& beside = "") {
  const auto record = decode_record(R"({"id":"s","state":"Running",)" + beside +
                                    R"("egressPolicy":)" + policy + "}");
  std::vector<std::string> lines;
  const auto host = HostName::parse("b.a").value();
  for (const Cause& each : judge_host(normal_form(record.value()), host).causes) {
    lines.push_back(std::string(name(each.kind)) + ' ' + each.pointer + ": " + each.detail);
  }
  return lines;
}

TEST(EgressHost, TellsEachCauseAndItsPlace) {
  using Lines = std::vector<std::string>;
  const std::string all = R"("defaultAction":"Deny","trafficInspection":"None","extra":1,)";
  const std::string head = R"({"trafficInspection":"Full","defaultAction":)";
  const std::string at = " /egressPolicy/defaultAction: the default is ";
  EXPECT_EQ(
      told("{" + all + R"("hostRules":[{"pattern":"b.a","action":"What"},
           {"pattern":"%","action":"Allow"}],"rules":[{"action":{"type":"Deny"}},{}]})",
           R"("skipEgressProxy":true,)"),
      (Lines{
          R"(unreadable_action /egressPolicy/hostRules/0: does "What" to "b.a", )"
          "which is neither an allow nor a deny",
          R"(unreadable_pattern /egressPolicy/hostRules/1: allows "%": )"
          "nobody can say which hosts this pattern covers",
          R"(inspection /egressPolicy/trafficInspection: inspection is "None": )"
          "traffic that is not HTTP gets out",
          "match_rule /egressPolicy/rules/0: "
          "denies by a rule of the richer language, perhaps this host",
          "match_rule /egressPolicy/rules/1: "
          R"(is a rule of the richer language, perhaps about this host: "{}")",
          R"(unmodelled_field /egressPolicy/extra: "extra" is a field that this library does not )"
          R"(know, worth "1")",
          R"(proxy_bypass /skipEgressProxy: is "true": the policy is recorded and not enforced)",
      }));
  EXPECT_EQ(told(head + R"("Deny","hostRules":[{"pattern":"c.a","action":"Deny"}]})"),
            Lines{"default_deny" + at + R"("Deny")"});
  EXPECT_EQ(told(head + R"("Deny","hostRules":[]})"),
            Lines{"no_rule" + at + R"("Deny", and without a rule that allows or denies )" +
                  "it may mean nothing"});
  EXPECT_EQ(told(head + R"("Deny","hostRules":[{"pattern":"b.a","action":"Deny"}]})"),
            Lines{R"(deny /egressPolicy/hostRules/0: denies "b.a")"});
  EXPECT_EQ(told(head + R"("What","hostRules":[]})"),
            Lines{"default_action" + at + R"("What", which is neither an allow nor a deny)"});
  EXPECT_EQ(told(head + R"("Allow","hostRules":[]})"), Lines{"default_action" + at + R"("Allow")"});
  EXPECT_EQ(told("[]"), Lines{"unreadable_policy /egressPolicy: document has a value of the wrong "
                              R"(type at "/egressPolicy": give the documented type)"});
}

// Scripts compare them.
TEST(EgressHost, NamesItsAnswers) {
  constexpr std::string_view passages[] = {"stopped", "may_get_out", "gets_out"};
  for (std::size_t i = 0; i < std::size(passages); ++i) {
    EXPECT_EQ(name(static_cast<Passage>(i)), passages[i]);
  }
  constexpr std::string_view kinds[] = {"allow",
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
  ASSERT_EQ(std::size(kinds), k_cause_kind_count);
  for (std::size_t i = 0; i < k_cause_kind_count; ++i) {
    EXPECT_EQ(name(static_cast<CauseKind>(i)), kinds[i]);
  }
}

}  // namespace
}  // namespace sandproof::props

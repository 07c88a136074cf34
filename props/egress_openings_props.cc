// What a policy lets out, against the reference model: whatever gets out under some order and
// reading is covered by an opening, and what is certain gets out under all.
#include "sandproof/egress_openings.h"

#include <string>
#include <vector>

#include "reference/hosts.h"
#include "sandproof/egress.h"
#include "small_policies.h"
#include "support.h"

namespace sandproof::props {
namespace {

std::vector<Opening> openings_of(const EgressPolicy& policy) {
  return openings(normal_form(&policy));
}

// check holds the openings of rules against every order of them. A pattern outside the language may
// cover any host.
void check(const std::vector<HostRule>& rules, bool default_deny, std::size_t& certain,
           std::size_t& tight) {
  const std::vector<Opening> all = openings_of(policy_of(rules, default_deny ? "Deny" : "Allow"));
  std::vector<HostRule> widest = rules;
  for (HostRule& rule : widest) {
    if (rule.pattern == k_outside) rule.pattern = "*";
  }
  for (const std::string& host : k_hosts) {
    for (const auto& reading : k_wildcard_readings) {
      const auto covers = [&](const Opening& each) {
        return reference::matches(each.pattern, host, reading);
      };
      const auto results = reference::outcomes(widest, default_deny, host, reading);
      const bool covered = std::ranges::any_of(all, covers);
      ASSERT_TRUE(covered || results == std::set<bool>{false}) << shown(rules, host);
      tight += covered ? 0 : 1;
      for (const Opening& each : all) {
        if (!covers(each)) continue;
        if (each.certain) {
          ++certain;
          ASSERT_EQ(reference::outcomes(rules, default_deny, host, reading), std::set<bool>{true})
              << shown(rules, host) << ": " << each.detail;
        } else if (each.kind == CauseKind::allow) {
          ASSERT_TRUE(results.contains(true)) << shown(rules, host) << ": " << each.detail;
        }
      }
    }
  }
}

TEST(EgressOpenings, CoverAllThatGetsOut) {
  std::size_t certain = 0;
  std::size_t tight = 0;
  each_policy([&](const std::vector<HostRule>& rules) {
    check(rules, true, certain, tight);
    check(rules, false, certain, tight);
  });
  EXPECT_GT(certain, 1000U);
  EXPECT_GT(tight, 1000U);
}

TEST(EgressOpenings, AgreeWithTheAnswerForOneHost) {
  each_policy([&](const std::vector<HostRule>& rules) {
    EgressPolicy policy = policy_of(rules, "Deny");
    if (rules.size() == 3) {  // the last rule stands in a copy, so that the copies differ
      policy.http = policy_of({rules[0], rules[2]}, "Deny");
      policy.host_rules.pop_back();
    }
    const EffectiveEgress effective = normal_form(&policy);
    const std::vector<Opening> all = openings(effective);
    for (const std::string& host : k_hosts) {
      const HostAnswer answer = judge_host(effective, HostName::parse(host).value());
      for (std::size_t r = 0; r < k_wildcard_readings.size(); ++r) {
        bool covered = false;
        for (const Opening& each : all) {
          if (!reference::matches(each.pattern, host, k_wildcard_readings[r])) continue;
          covered = true;
          if (each.certain) {
            ASSERT_EQ(answer.passage(r), Passage::gets_out) << shown(rules, host);
          }
        }
        ASSERT_TRUE(covered || answer.passage(r) == Passage::stopped) << shown(rules, host);
      }
    }
  });
}

TEST(EgressOpenings, OfWhatWasDeclaredAreWhatWasDeclared) {
  EXPECT_TRUE(openings_of(*created_with(DeclaredEgress::deny())).empty());
  const std::string_view domains[] = {"b.a", "*.c.b.a", "d.a"};
  const auto all = openings_of(*created_with(DeclaredEgress::allow_domains(domains).value()));
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i], (Opening{CauseKind::allow, std::string(domains[i]), true,
                               "/hostRules/" + std::to_string(i),
                               "allows \"" + std::string(domains[i]) + '"'}));
  }
}

// The default is for hosts that no rule covers, and a rule about every host leaves none.
TEST(EgressOpenings, TheDefaultIsForHostsWithoutARule) {
  EXPECT_TRUE(openings_of(policy_of({{"*", "Deny"}}, "Allow")).empty());
  const auto all = openings_of(policy_of({{"*.b.a", "Deny"}}, "Allow"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().kind, CauseKind::default_action);
  EXPECT_EQ(openings_of(policy_of({{"*", "Transform"}}, "Allow")).size(), 1U);
}

TEST(EgressOpenings, EveryHostIsCertainWhereNothingStopsOne) {
  for (const bool stopped : {false, true}) {
    EgressPolicy policy = policy_of({{"*", "Allow"}}, "Deny");
    if (stopped) policy.host_rules.push_back({"b.a", "Deny"});
    const std::vector<Opening> all = openings_of(policy);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front().pattern, "*");
    EXPECT_EQ(all.front().certain, !stopped);
  }
}

TEST(EgressOpenings, AreDistinctAndCanonical) {
  const auto all = openings_of(policy_of(
      {{"B.a.", "Allow"}, {"b.a", "allow"}, {"b.a", "Transform"}, {"c.a", "Deny"}}, "Deny"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].pattern, "b.a");
  EXPECT_FALSE(all[0].certain) << "the other rule may stop it";
  EXPECT_EQ(all[1].kind, CauseKind::unreadable_action);
}

// Each row makes every host an opening, and nothing certain where it may stop one.
TEST(EgressOpenings, NameWhatIsNotAboutHosts) {
  struct Row {
    void (*add)(EgressPolicy&);
    CauseKind kind;
    bool certain;  // the allow beside it
  };
  const std::vector<Row> rows{
      {[](EgressPolicy& p) { p.traffic_inspection.reset(); }, CauseKind::inspection, true},
      {[](EgressPolicy& p) { p.default_action = "Allow"; }, CauseKind::default_action, true},
      {[](EgressPolicy& p) { p.default_action = "What"; }, CauseKind::default_action, true},
      {[](EgressPolicy& p) { p.unmodelled.push_back({"x", "1"}); }, CauseKind::unmodelled_field,
       false},
      {[](EgressPolicy& p) { p.rules.emplace_back(); }, CauseKind::match_rule, false},
      {[](EgressPolicy& p) { p.host_rules.push_back({"*", "Allow"}); }, CauseKind::allow, true},
      {[](EgressPolicy& p) { p.host_rules.push_back({"a b", "Allow"}); },
       CauseKind::unreadable_pattern, true},
      {[](EgressPolicy& p) { p.http = policy_of({}, "Deny"); }, CauseKind::no_rule, false},
  };
  for (const Row& row : rows) {
    EgressPolicy policy = policy_of({{"b.a", "Allow"}}, "Deny");
    row.add(policy);
    const auto all = openings_of(policy);
    ASSERT_EQ(all.size(), 2U) << name(row.kind);
    EXPECT_EQ(all.front().certain, row.certain) << name(row.kind);
    EXPECT_EQ(all.back().kind, row.kind);
    EXPECT_EQ(all.back().pattern, "*");
    EXPECT_TRUE(is_printable(all.back().detail));
  }
  EgressPolicy policy = policy_of({{"b.a", "Allow"}}, "Deny");
  policy.rules.push_back({{}, {}, PolicyRuleAction{"Deny", {}, {}, {}, {}}});
  ASSERT_EQ(openings_of(policy).size(), 1U);
  EXPECT_FALSE(openings_of(policy).front().certain);
  const auto none = openings(normal_form(nullptr, "/p"));
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none.front().kind, CauseKind::no_policy);
  EXPECT_TRUE(none.front().certain);
}

}  // namespace
}  // namespace sandproof::props

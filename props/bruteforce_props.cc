// The promise of the comparison by brute force: every declaration and every policy over a tiny
// alphabet, every host, every evaluation order of the rules, every reading of `*.`.
//
// What a pattern covers is asked of the reference model once for each pattern, host and reading,
// and kept as sets of hosts; the innermost loop works on these sets.
#include <bitset>
#include <chrono>
#include <iostream>
#include <map>
#include <numeric>

#include "effort.h"
#include "reference/hosts.h"
#include "sandproof/egress_comparison.h"
#include "support.h"

namespace sandproof::props {
namespace {

using reference::Declared;
using reference::HostRule;
using reference::k_wildcard_readings;
using Texts = std::vector<std::string>;

constexpr std::size_t k_readings = k_wildcard_readings.size();
constexpr std::size_t k_max_hosts = 384;
using Hosts = std::bitset<k_max_hosts>;
using HostsByReading = std::array<Hosts, k_readings>;

// names lists all names of min_size..max_size labels.
Texts names(const Texts& labels, std::size_t min_size, std::size_t max_size) {
  Texts out;
  Texts longest = {""};
  for (std::size_t size = 1; size <= max_size; ++size) {
    Texts longer;
    for (const std::string& label : labels) {
      for (const std::string& each : longest)
        longer.push_back(label + (size == 1 ? "" : ".") + each);
    }
    if (size >= min_size) out.insert(out.end(), longer.begin(), longer.end());
    longest = longer;
  }
  return out;
}

// Domain is the world of one run.
struct Domain {
  Texts patterns;  // in the pattern language, canonical: what may be declared
  Texts outside;   // of rules only: `*`, and patterns outside the language
  Texts hosts;
  std::map<std::string, std::size_t, std::less<>> host_index;
  std::vector<HostsByReading> covers;  // of the patterns, then of the outside ones
};

// Patterns have up to four labels, the `*` counted. The smaller world has all names below one
// top-level label, and a few below another: what differs there differs at once.
Domain domain(bool deep) {
  Domain world;
  for (const std::string& name : names({"a", "b"}, 1, 4)) {
    const auto size = static_cast<std::size_t>(std::ranges::count(name, '.')) + 1;
    if (!deep && name.ends_with('b') && name != "b" && name != "a.b") continue;
    world.patterns.push_back(name);
    if (size == 2 || size == 3) world.patterns.push_back("*." + name);
  }
  world.outside = {"*", "*.a"};
  // One level deeper than any pattern, with one label that no pattern uses; and where the library
  // looks for a host that no pattern of a policy names.
  world.hosts = names({"a", "b", "c"}, 1, 5);
  world.hosts.push_back("a.invalid");
  for (std::size_t i = 0; i < world.hosts.size(); ++i) world.host_index[world.hosts[i]] = i;
  Texts all = world.patterns;
  all.insert(all.end(), world.outside.begin(), world.outside.end());
  for (const std::string& pattern : all) {
    HostsByReading& covers = world.covers.emplace_back();
    for (std::size_t r = 0; r < k_readings; ++r) {
      for (std::size_t h = 0; h < world.hosts.size(); ++h) {
        covers[r][h] = reference::matches(pattern, world.hosts[h], k_wildcard_readings[r]);
      }
    }
  }
  return world;
}

// subsets calls f with every set of 0..max_size of the numbers below `end`, in ascending order.
template <class F>
void subsets(std::size_t end, std::size_t max_size, F f) {
  std::vector<std::size_t> chosen;
  const auto extend = [&](const auto& self, std::size_t from) -> void {
    f(std::as_const(chosen));
    if (chosen.size() == max_size) return;
    for (std::size_t i = from; i < end; ++i) {
      chosen.push_back(i);
      self(self, i + 1);
      chosen.pop_back();
    }
  };
  extend(extend, 0);
}

struct Asked {
  DeclaredEgress library;
  Declared reference;
  HostsByReading out;  // what the declaration lets out
};

std::vector<Asked> declarations(const Domain& world) {
  std::vector<Asked> all;
  subsets(world.patterns.size(), 2, [&](const std::vector<std::size_t>& chosen) {
    Asked asked{DeclaredEgress::deny(), {}, {}};
    std::vector<std::string_view> domains;
    for (const std::size_t each : chosen) {
      domains.emplace_back(world.patterns[each]);
      asked.reference.domains.push_back(world.patterns[each]);
      for (std::size_t r = 0; r < k_readings; ++r) asked.out[r] |= world.covers[each][r];
    }
    if (!chosen.empty()) {
      asked.reference.mode = Declared::Mode::allow_domains;
      asked.library = DeclaredEgress::allow_domains(domains).value();
    }
    all.push_back(std::move(asked));
  });
  return all;
}

// Rule 2n allows pattern n, rule 2n+1 denies it.
bool allows(std::size_t rule) { return rule % 2 == 0; }

// let_out gives the hosts that get out under at least one evaluation order: the first match of
// every permutation, the last match of each (the first of its reverse, which is a permutation too),
// every allow before every deny, and the reverse. The default is a deny.
Hosts let_out(const Domain& world, std::vector<std::size_t> rules, std::size_t reading) {
  Hosts out;
  std::ranges::sort(rules);
  do {
    Hosts decided;
    for (const std::size_t rule : rules) {
      const Hosts& covered = world.covers[rule / 2][reading];
      if (allows(rule)) out |= covered & ~decided;
      decided |= covered;
    }
  } while (std::ranges::next_permutation(rules).found);
  for (const std::size_t rule : rules) {
    if (allows(rule)) out |= world.covers[rule / 2][reading];
  }
  return out;
}

struct Policy {
  EgressPolicy policy;
  HostsByReading out;
  bool in_language = true;  // but for `*`, which everybody reads alike
};

Policy policy_of(const Domain& world, const std::vector<std::size_t>& rules) {
  Policy made;
  made.policy.default_action = "Deny";
  made.policy.traffic_inspection = "Full";
  for (const std::size_t rule : rules) {
    const std::size_t pattern = rule / 2;
    const bool outside = pattern >= world.patterns.size();
    const std::string& text =
        outside ? world.outside[pattern - world.patterns.size()] : world.patterns[pattern];
    made.policy.host_rules.push_back({text, allows(rule) ? "Allow" : "Deny"});
    if (outside && text != "*" && allows(rule)) made.in_language = false;
  }
  for (std::size_t r = 0; r < k_readings; ++r) made.out[r] = let_out(world, rules, r);
  return made;
}

std::string shown(const Policy& policy, const Asked& asked, const Finding* finding = nullptr) {
  std::string text = "declared:";
  for (const DomainPattern& each : asked.library.domains()) text += ' ' + std::string(each.view());
  text += "; rules:";
  for (const PolicyHostRule& each : policy.policy.host_rules) {
    text += ' ' + each.action + ' ' + each.pattern + ',';
  }
  return finding == nullptr ? text : text + " finding: " + finding->detail + ' ' + finding->witness;
}

struct Count {
  std::size_t pairs = 0;
  std::size_t failures = 0;
  std::array<std::size_t, 4> verdicts{};
};

void failed(Count& count, const std::string& what) {
  if (++count.failures <= 10) ADD_FAILURE() << what;
}

// check_pair holds one answer against the sets of hosts.
void check_pair(const Domain& world, const Policy& policy, const Asked& asked,
                const EffectiveEgress& effective, Count& count) {
  const Comparison answer = compare(asked.library, effective);
  const Verdict verdict = answer.verdict();
  ++count.pairs;
  ++count.verdicts[static_cast<std::size_t>(verdict)];

  HostsByReading undeclared;
  bool widens = false;
  for (std::size_t r = 0; r < k_readings; ++r) {
    undeclared[r] = policy.out[r] & ~asked.out[r];
    widens = widens || undeclared[r].any();
  }
  // Sound whatever the rules say, complete where everybody can say what they mean: there, "widened"
  // is exactly that some host gets out.
  const bool good = verdict == Verdict::identical || verdict == Verdict::contained;
  if (good && widens) failed(count, "lets out more, and is good: " + shown(policy, asked));
  if (policy.in_language && (verdict == Verdict::widened) != widens) {
    failed(count, "widened is wrong: " + shown(policy, asked));
  }
  if (!policy.in_language && verdict != Verdict::widened) {
    failed(count, "outside the language, and not widened: " + shown(policy, asked));
  }
  for (const Finding& each : answer.findings) {
    if (each.effect != Effect::widens) continue;
    if (each.witness.empty()) {
      if (policy.in_language) failed(count, "no witness: " + shown(policy, asked, &each));
      continue;
    }
    const auto host = world.host_index.find(each.witness);
    if (host == world.host_index.end()) {
      failed(count, "a witness that no rule is about: " + shown(policy, asked, &each));
    } else if (std::ranges::none_of(undeclared,
                                    [&](const Hosts& out) { return out[host->second]; })) {
      failed(count, "a false witness: " + shown(policy, asked, &each));
    }
  }
}

// Under sanitizers, one policy of three rules in 29.
constexpr std::size_t k_stride = k_sanitized ? 29 : 1;

TEST(BruteForce, TheTablesAreTheReferenceModel) {
  const Domain world = domain(k_deep);
  ASSERT_LE(world.hosts.size(), k_max_hosts);
  for (const std::string& pattern : world.patterns) {
    EXPECT_EQ(reference::domain(pattern).value, pattern);
  }
  const std::vector<Asked> all = declarations(world);
  std::size_t step = 0;
  subsets(2 * world.covers.size(), 3, [&](const std::vector<std::size_t>& rules) {
    if (++step % (k_deep ? 997 : 199) != 0) return;
    const Policy policy = policy_of(world, rules);
    std::vector<HostRule> written;
    for (const PolicyHostRule& each : policy.policy.host_rules) {
      written.push_back({each.pattern, each.action});
    }
    const Asked& asked = all[step % all.size()];
    for (std::size_t r = 0; r < k_readings; ++r) {
      for (std::size_t h = 0; h < world.hosts.size(); ++h) {
        const auto reading = k_wildcard_readings[r];
        ASSERT_EQ(policy.out[r][h],
                  reference::some_order_lets_out(written, true, world.hosts[h], reading));
        ASSERT_EQ(asked.out[r][h],
                  reference::declared_lets_out(asked.reference, world.hosts[h], reading));
      }
    }
  });
}

TEST(BruteForce, OnlyDeclaredHostsGetOutOfAGoodPolicy) {
  const auto begin = std::chrono::steady_clock::now();
  const Domain world = domain(k_deep);
  const std::vector<Asked> all = declarations(world);
  Count count;
  std::size_t policies = 0;
  std::size_t step = 0;
  subsets(2 * world.covers.size(), 3, [&](const std::vector<std::size_t>& rules) {
    if (rules.size() == 3 && ++step % k_stride != 0) return;
    const Policy policy = policy_of(world, rules);
    const EffectiveEgress effective = normal_form(&policy.policy);
    ++policies;
    for (const Asked& asked : all) check_pair(world, policy, asked, effective, count);
  });
  EXPECT_EQ(count.pairs, policies * all.size());
  EXPECT_EQ(count.failures, 0U);
  for (const std::size_t each : count.verdicts) EXPECT_GT(each, 0U);
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin);
  std::cout << all.size() << " declarations, " << policies << " policies, " << world.hosts.size()
            << " hosts, " << k_readings << " readings: " << count.pairs << " pairs in "
            << seconds.count() << " s (identical " << count.verdicts[0] << ", contained "
            << count.verdicts[1] << ", unknown " << count.verdicts[2] << ", widened "
            << count.verdicts[3] << ")\n";
  RecordProperty("pairs of a declaration and a policy", std::to_string(count.pairs));
}

}  // namespace
}  // namespace sandproof::props

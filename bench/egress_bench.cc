// Egress: comparing a policy with a declaration, against the reference model's rule-by-rule
// comparison, whose sides are in canonical form already.
//
//   compare/decoded/ORDER/RULES   the normal form is there
//   compare/judged/ORDER/RULES    the normal form is made each time
//
// ORDER is how the policy's rules stand to the declared domains: in_order, shuffled, recased
// (shuffled, in another case, every third with a root dot), differing (shuffled, and every
// hundredth host is another one).
#include "sandproof/egress.h"

#include <deque>
#include <map>
#include <utility>

#include "contest.h"
#include "policies.h"
#include "reference/policy.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

enum class Order { in_order, shuffled, recased, differing };
constexpr Order k_orders[] = {Order::in_order, Order::shuffled, Order::recased, Order::differing};
constexpr std::string_view k_order_names[] = {"in_order", "shuffled", "recased", "differing"};
std::string_view name(Order order) { return k_order_names[static_cast<std::size_t>(order)]; }

// ---- Inputs. ----

std::string recased(Numbers& numbers, std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z' && numbers.one_in(2)) c = static_cast<char>(c - 'a' + 'A');
  }
  if (numbers.one_in(3)) text += '.';
  return text;
}

// Case is one declaration and one policy, in every form that some benchmark wants.
struct Case {
  DeclaredEgress declared;
  EgressPolicy policy;
  std::string text;
  EffectiveEgress effective;  // borrows from `policy`
  std::vector<reference::HostRule> asked;
  std::vector<reference::HostRule> rules;
};

void verify(const Case& each) {
  const reference::Comparison expected = reference::compare_host_rules(each.asked, each.rules);
  const Comparison comparison = compare(each.declared, each.effective);
  must(name(comparison.verdict()) == expected.verdict, "another verdict than the reference's",
       each.text);
  const bool same = std::ranges::equal(
      comparison.findings, expected.findings, [](const Finding& a, const reference::Finding& b) {
        return name(a.kind) == b.kind && name(a.effect) == b.effect && a.pointer == b.pointer;
      });
  must(same, "other findings than the reference's", each.text);
}

// A deque, because a Case must not move: its normal form borrows.
using Cases = std::deque<Case>;

Cases make_cases(std::size_t rules, Order order) {
  Numbers numbers;
  Cases cases;
  for (std::size_t i = 0; i < how_many_policies(rules); ++i) {
    std::vector<std::string> domains;
    for (std::size_t rule = 0; rule < rules; ++rule) domains.push_back(host(numbers, rule));
    const std::vector<std::string_view> views(domains.begin(), domains.end());
    auto declared = DeclaredEgress::allow_domains(views);
    must(declared.has_value(), "a declaration is refused", domains.front());

    Case& each = cases.emplace_back(Case{*std::move(declared), {}, {}, {}, {}, {}});
    each.policy = created_with(each.declared).value();
    auto& host_rules = each.policy.host_rules;
    if (order != Order::in_order) numbers.shuffle(host_rules);
    for (std::size_t rule = 0; rule < host_rules.size(); ++rule) {
      std::string& pattern = host_rules[rule].pattern;
      if (order == Order::recased) pattern = recased(numbers, std::move(pattern));
      if (order == Order::differing && rule % 100 == 7) pattern = host(numbers, rules + rule);
    }
    each.text = encode(each.policy);
    each.effective = normal_form(&each.policy);
    for (const std::string& domain : domains) each.asked.push_back({domain, "Allow"});
    for (const PolicyHostRule& rule : host_rules) {
      each.rules.push_back(reference::comparable_rule({rule.pattern, rule.action}));
    }
  }
  // The model takes time quadratic in the rules: of the large ones, one is enough.
  for (std::size_t i = 0; i < cases.size(); i += std::max<std::size_t>(1, rules / 100)) {
    verify(cases[i]);
  }
  return cases;
}

// cases makes and verifies the inputs of one size and order when they are first asked for.
const Cases& cases(std::size_t rules, Order order) {
  static std::map<std::pair<std::size_t, Order>, Cases> made;
  const auto key = std::pair(rules, order);
  auto found = made.find(key);
  if (found == made.end()) found = made.emplace(key, make_cases(rules, order)).first;
  return found->second;
}

// ---- What is measured: one thing done with one case. ----

using Work = void (*)(const Case& each);

void compare_only(const Case& each) {
  benchmark::DoNotOptimize(compare(each.declared, each.effective));
}
void judge(const Case& each) {
  benchmark::DoNotOptimize(compare(each.declared, normal_form(&each.policy)));
}
void by_reference(const Case& each) {
  benchmark::DoNotOptimize(reference::compare_host_rules(each.asked, each.rules));
}

Contest contest(std::size_t rules, Order order, Work ours) {
  const Cases& all = cases(rules, order);
  std::size_t bytes = 0;
  for (const Case& each : all) bytes += each.text.size();
  const auto pass = [&all](Work work) {
    return [&all, work] {
      for (const Case& each : all) work(each);
    };
  };
  return {all.size(), bytes, {{"sandproof", pass(ours)}, {"reference", pass(by_reference)}}};
}

}  // namespace

int main(int count, char** arguments) {
  for (const std::size_t rules : k_rule_counts) {
    for (const Order order : k_orders) {
      const std::string suffix = '/' + std::string(name(order)) + '/' + std::to_string(rules);
      add_contest("compare/decoded" + suffix, [=] { return contest(rules, order, compare_only); });
      add_contest("compare/judged" + suffix, [=] { return contest(rules, order, judge); });
    }
  }
  return run(count, arguments);
}

// Egress: reading a policy against a DOM of the same bytes, and comparing one against the reference
// model's rule-by-rule comparison.
//
//   policy/decode/RULES          one policy from text, against a DOM of the same bytes
//   compare/decoded/ORDER/RULES  what decoding gave, against the model, both sides canonical
//   already compare/judged/ORDER/RULES   the same, the normal form made each time
//
// ORDER is how the policy's rules stand to the declared domains: in_order, shuffled, recased
// (shuffled, in another case, every third with a root dot), differing (shuffled, and every
// hundredth host is another one).
#include "sandproof/egress.h"

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "contest.h"
#include "numbers.h"
#include "reference/policy.h"
#include "sandproof/egress_comparison.h"
#include "sandproof/wire.h"

namespace {

using namespace sandproof;
using namespace sandproof::bench;

enum class Order { in_order, shuffled, recased, differing };
constexpr Order k_orders[] = {Order::in_order, Order::shuffled, Order::recased, Order::differing};
constexpr std::string_view k_order_names[] = {"in_order", "shuffled", "recased", "differing"};
constexpr std::size_t k_sizes[] = {10, 100, 1'000, 10'000};

// How many rules the policies of one size have together, and how many policies at most: several
// hundred where they are small.
constexpr std::size_t k_rules_together = 10'000;
constexpr std::size_t k_max_policies = 512;

std::string_view name(Order order) { return k_order_names[static_cast<std::size_t>(order)]; }

std::size_t policies(std::size_t rules) {
  return std::clamp<std::size_t>(k_rules_together / rules, 1, k_max_policies);
}

// ---- Inputs. ----

std::string host(Numbers& numbers, std::size_t i) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view k_zones[] = {"example.com", "internal.example",
                                          "eu-west-1.cloud.example", "pkg.example.org"};
  std::string text = numbers.one_in(10) ? "*." : "";
  for (std::size_t length = 3 + numbers.below(10); length > 0; --length) {
    text += numbers.of(k_letters);
  }
  text += '-' + std::to_string(i) + '.';
  text += k_zones[numbers.below(std::size(k_zones))];
  return text;
}

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

  must(decode_policy(each.text) == each.policy, "decoding does not give the policy", each.text);
  const reference::Reading reading = reference::read_policy(each.text);
  must(reading.readable, "the reference cannot read the policy", each.text);
  must(reading.document == reference::Document::parse(each.text), "the DOM is another one",
       each.text);
}

// A deque, because a Case must not move: its normal form borrows.
using Cases = std::deque<Case>;

Cases make_cases(std::size_t rules, Order order) {
  Numbers numbers;
  Cases cases;
  for (std::size_t i = 0; i < policies(rules); ++i) {
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

void decode(const Case& each) { benchmark::DoNotOptimize(decode_policy(each.text)); }
void dom(const Case& each) { benchmark::DoNotOptimize(nlohmann::json::parse(each.text)); }
void compare_only(const Case& each) {
  benchmark::DoNotOptimize(compare(each.declared, each.effective));
}
void judge(const Case& each) {
  benchmark::DoNotOptimize(compare(each.declared, normal_form(&each.policy)));
}
void by_reference(const Case& each) {
  benchmark::DoNotOptimize(reference::compare_host_rules(each.asked, each.rules));
}

Contest contest(std::size_t rules, Order order, Work ours, std::string name, Work theirs) {
  const Cases& all = cases(rules, order);
  std::size_t bytes = 0;
  for (const Case& each : all) bytes += each.text.size();
  const auto pass = [&all](Work work) {
    return [&all, work] {
      for (const Case& each : all) work(each);
    };
  };
  return {all.size(), bytes, {{"sandproof", pass(ours)}, {std::move(name), pass(theirs)}}};
}

void add_all() {
  for (const std::size_t rules : k_sizes) {
    const std::string size = '/' + std::to_string(rules);
    add_contest("policy/decode" + size,
                [=] { return contest(rules, Order::shuffled, decode, "dom", dom); });
    for (const Order order : k_orders) {
      const std::string suffix = '/' + std::string(name(order)) + size;
      add_contest("compare/decoded" + suffix,
                  [=] { return contest(rules, order, compare_only, "reference", by_reference); });
      add_contest("compare/judged" + suffix,
                  [=] { return contest(rules, order, judge, "reference", by_reference); });
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  add_all();
  return run(count, arguments);
}

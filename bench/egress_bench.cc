// Egress: reading a policy against a DOM of the same bytes, and comparing one against the reference
// model's rule-by-rule comparison.
//
//   decode/RULES, dom/RULES                  one policy from text
//   compare/ORDER/RULES                      the library, on what decoding gave
//   judge/ORDER/RULES                        the same, the normal form made each time
//   reference/ORDER/RULES                    the model, both sides in canonical form already
//   ratio/...                                two of these turn by turn in one benchmark; the
//                                            counter `ratio` is the quotient of their medians
//
// ORDER is how the policy's rules stand to the declared domains: in_order, shuffled, recased
// (shuffled, in another case, every third with a root dot), differing (shuffled, and every
// hundredth host is another one).
#include "sandproof/egress.h"

#include <ctime>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench_inputs.h"
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
constexpr std::size_t k_rules_together = 20'000;
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

void add(const std::string& family, std::size_t rules, Order order, Work work, bool reads_text) {
  const auto run_all = [=](benchmark::State& state) {
    const Cases& all = cases(rules, order);
    std::size_t bytes = 0;
    std::size_t done = 0;
    for (auto _ : state) {
      const Case& each = all[done++ % all.size()];
      work(each);
      bytes += each.text.size();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rules));
    if (reads_text) state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  };
  const std::string full = family + '/' + std::to_string(rules);
  benchmark::RegisterBenchmark(full.c_str(), run_all)->Unit(benchmark::kMicrosecond);
}

// ---- Ratios. ----

constexpr int k_turns = 11;
constexpr double k_turn_seconds = 2e-3;

struct Side {
  std::size_t rules;
  Order order;
  Work work;
  int turns = k_turns;
  bool warm_up = true;
};

// processor_seconds is the time that this thread computed: a busy machine adds none to it.
double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// seconds_of does the work on as many cases as take the time of a turn, but one at least; and on
// one before, which brings code and data into the caches, as the iterations of a benchmark do.
double seconds_of(const Side& side, std::size_t& next) {
  const Cases& all = cases(side.rules, side.order);
  if (side.warm_up) side.work(all[next++ % all.size()]);
  const double begin = processor_seconds();
  double seconds = 0;
  std::size_t count = 0;
  do {
    side.work(all[next++ % all.size()]);
    ++count;
    seconds = processor_seconds() - begin;
  } while (seconds < k_turn_seconds);
  return seconds / static_cast<double>(count);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// add_ratio reports how many times the time of `unit` the time of `other` is. Turn by turn, so that
// a slow moment of the machine meets both.
void add_ratio(const std::string& family, Side other, Side unit) {
  const auto run_both = [=](benchmark::State& state) {
    std::vector<double> others;
    std::vector<double> units;
    std::size_t next_other = 0;
    std::size_t next_unit = 0;
    for (auto _ : state) {
      for (int turn = 0; turn < std::max(other.turns, unit.turns); ++turn) {
        if (turn < other.turns) others.push_back(seconds_of(other, next_other));
        if (turn < unit.turns) units.push_back(seconds_of(unit, next_unit));
      }
    }
    state.counters["ratio"] = median(others) / median(units);
  };
  const std::string full = "ratio/" + family;
  benchmark::RegisterBenchmark(full.c_str(), run_both)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

void add_all() {
  for (const std::size_t rules : k_sizes) {
    add("decode", rules, Order::shuffled, decode, true);
    add("dom", rules, Order::shuffled, dom, true);
    for (const Order order : k_orders) {
      const std::string suffix = '/' + std::string(name(order));
      add("compare" + suffix, rules, order, compare_only, false);
      add("judge" + suffix, rules, order, judge, false);
      add("reference" + suffix, rules, order, by_reference, false);
    }
    add_ratio("dom_over_decode/" + std::to_string(rules), {rules, Order::shuffled, dom},
              {rules, Order::shuffled, decode});
  }
  for (const Order order : k_orders) {
    const std::string suffix = '/' + std::string(name(order));
    add_ratio("compare_10000_over_1000" + suffix, {10'000, order, compare_only},
              {1'000, order, compare_only});
    // A tenth of a second and more: one turn says enough.
    add_ratio("reference_over_compare_10000" + suffix, {10'000, order, by_reference, 1, false},
              {10'000, order, compare_only});
  }
}

}  // namespace

int main(int count, char** arguments) {
  add_all();
  return run(count, arguments);
}

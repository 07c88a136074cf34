#include "hosts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "scanners.h"

namespace sandproof::reference {
namespace {

// results is what one action may do to a host that its rule matches.
std::set<bool> results(const HostRule& rule) {
  const std::string action = lower_ascii(rule.action);
  if (action == "allow") return {true};
  if (action == "deny") return {false};
  return {true, false};
}

void add_all(std::set<bool>& into, const std::set<bool>& more) {
  into.insert(more.begin(), more.end());
}

// with_precedence is what happens when one kind of rule has the last word and the other comes after
// it.
std::set<bool> with_precedence(const std::set<bool>& matched, bool preferred, bool default_result) {
  if (matched.contains(preferred)) return {preferred};
  if (matched.contains(!preferred)) return {!preferred};
  return {default_result};
}

}  // namespace

bool matches(std::string_view pattern, std::string_view host, WildcardReading reading) {
  if (pattern == "*") return true;
  if (!pattern.starts_with("*.")) return pattern == host;

  const std::string apex(pattern.substr(2));
  if (host == apex) return reading.apex;
  if (!host.ends_with("." + apex)) return false;
  const std::string_view before = host.substr(0, host.size() - apex.size() - 1);
  if (before.empty()) return false;
  if (reading.depth == Depth::one_label) return !before.contains('.');
  return true;
}

bool declared_lets_out(const Declared& declared, std::string_view host, WildcardReading reading) {
  if (declared.mode == Declared::Mode::allow) return true;
  if (declared.mode == Declared::Mode::deny) return false;
  for (const std::string& domain : declared.domains) {
    if (matches(domain, host, reading)) return true;
  }
  return false;
}

std::set<bool> outcomes(const std::vector<HostRule>& rules, bool default_deny,
                        std::string_view host, WildcardReading reading) {
  const bool default_result = !default_deny;
  std::set<bool> all;

  std::vector<std::size_t> order(rules.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::set<bool> first = {default_result};
    std::set<bool> last = {default_result};
    bool matched = false;
    for (const std::size_t index : order) {
      if (!matches(rules[index].pattern, host, reading)) continue;
      if (!matched) first = results(rules[index]);
      last = results(rules[index]);
      matched = true;
    }
    add_all(all, first);
    add_all(all, last);
  } while (std::next_permutation(order.begin(), order.end()));

  std::set<bool> matched;
  for (const HostRule& rule : rules) {
    if (matches(rule.pattern, host, reading)) add_all(matched, results(rule));
  }
  add_all(all, with_precedence(matched, true, default_result));
  add_all(all, with_precedence(matched, false, default_result));
  return all;
}

bool some_order_lets_out(const std::vector<HostRule>& rules, bool default_deny,
                         std::string_view host, WildcardReading reading) {
  return outcomes(rules, default_deny, host, reading).contains(true);
}

}  // namespace sandproof::reference

// Every policy of up to three rules over a few patterns, and hosts that tell them apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/hosts.h"
#include "sandproof/egress.h"

namespace sandproof::props {

using reference::HostRule;
using reference::k_wildcard_readings;

inline constexpr std::string_view k_outside = "*.a";  // not in the pattern language

inline const std::vector<std::string> k_patterns{
    "a", "b.a", "a.b.a", "d.c.b.a", "*.b.a", "*.a.b.a", "*", std::string(k_outside)};
inline const std::vector<std::string> k_actions{"Allow", "Deny", "Transform"};
inline const std::vector<std::string> k_hosts{"a",       "b",         "b.a",   "a.b.a", "c.b.a",
                                              "c.a.b.a", "c.c.a.b.a", "c.c.a", "xb.a",  "d.c.b.a"};

inline EgressPolicy policy_of(const std::vector<HostRule>& rules, std::string_view default_action) {
  EgressPolicy policy;
  policy.default_action = default_action;
  policy.traffic_inspection = "Full";
  for (const HostRule& rule : rules) policy.host_rules.push_back({rule.pattern, rule.action});
  return policy;
}

// each_policy calls f with every list of up to three different rules, in the order of the patterns.
template <class F>
void each_policy(F f) {
  std::vector<HostRule> all;
  for (const std::string& pattern : k_patterns) {
    for (const std::string& action : k_actions) all.push_back({pattern, action});
  }
  std::vector<HostRule> chosen;
  const auto extend = [&](const auto& self, std::size_t from) -> void {
    f(std::as_const(chosen));
    if (chosen.size() == 3) return;
    for (std::size_t i = from; i < all.size(); ++i) {
      chosen.push_back(all[i]);
      self(self, i + 1);
      chosen.pop_back();
    }
  };
  extend(extend, 0);
}

inline std::string shown(const std::vector<HostRule>& rules, std::string_view host) {
  std::string text(host);
  for (const HostRule& rule : rules) text += ", " + rule.action + ' ' + rule.pattern;
  return text;
}

}  // namespace sandproof::props

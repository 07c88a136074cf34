// What a policy means for one host: the semantics for brute force. No answer here looks at how a
// policy is written; each one asks which hosts get out.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sandproof::reference {

enum class Depth { one_label, any_depth };

// WildcardReading is one way in which a service may read `*.`: how many labels it stands for, and
// whether the name after it (the apex) is let out too.
struct WildcardReading {
  Depth depth = Depth::one_label;
  bool apex = false;

  bool operator==(const WildcardReading&) const = default;
};

inline constexpr std::array<WildcardReading, 4> k_wildcard_readings = {{
    {Depth::one_label, false},
    {Depth::one_label, true},
    {Depth::any_depth, false},
    {Depth::any_depth, true},
}};

// Declared is what was asked for; the domains are canonical already.
struct Declared {
  enum class Mode { allow, deny, allow_domains };
  Mode mode = Mode::deny;
  std::vector<std::string> domains;

  bool operator==(const Declared&) const = default;
};

// HostRule is one rule on host names. An action is `Allow` or `Deny` in any case; anything else may
// do either.
struct HostRule {
  std::string pattern;
  std::string action;

  bool operator==(const HostRule&) const = default;
};

// matches says whether a pattern covers a host. Both are canonical; exactly `*` covers every host.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view host,
                           WildcardReading reading);

// declared_lets_out says whether the declaration itself lets a host out.
[[nodiscard]] bool declared_lets_out(const Declared& declared, std::string_view host,
                                     WildcardReading reading);

// outcomes collects whether the host gets out, over every evaluation order: the first match of
// every permutation of the rules, the last match of each, allow before deny, deny before allow;
// where no rule matches, the default action. Factorial in the number of rules, so keep lists short.
[[nodiscard]] std::set<bool> outcomes(const std::vector<HostRule>& rules, bool default_deny,
                                      std::string_view host, WildcardReading reading);

// some_order_lets_out: at least one of those orders lets the host out.
[[nodiscard]] bool some_order_lets_out(const std::vector<HostRule>& rules, bool default_deny,
                                       std::string_view host, WildcardReading reading);

}  // namespace sandproof::reference

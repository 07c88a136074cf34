// The causes that a document has, whoever asks: of one host, or of everything that gets out.
#pragma once

#include <cstddef>
#include <vector>

#include "sandproof/egress_host.h"

namespace sandproof::causes {

inline constexpr Readings k_all{(1U << k_wildcard_readings.size()) - 1};

// of_rule is what one host rule does to the hosts that it covers. Where nobody can say which these
// are, it is an unreadable_pattern.
[[nodiscard]] Cause of_rule(const EffectivePolicy& policy, std::size_t index, bool readable);

// of_default is what the default does to a host that no rule is sure to cover. A policy without a
// rule is the one in which a deny may mean nothing.
[[nodiscard]] Cause of_default(const EffectivePolicy& policy);

// beside_hosts is what a policy holds that is not about hosts alone.
[[nodiscard]] std::vector<Cause> beside_hosts(const EffectivePolicy& policy);

// before_copies and after_copies are what a document says outside the copies of its policy.
[[nodiscard]] std::vector<Cause> before_copies(const EffectiveEgress& effective);
[[nodiscard]] std::vector<Cause> after_copies(const EffectiveEgress& effective);

}  // namespace sandproof::causes

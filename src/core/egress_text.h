// What a finding of a comparison and a cause about a host say in the same words, and of the same
// place in a document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sandproof/egress_comparison.h"

namespace sandproof::egress_text {

// k_no_policy is what is said of a sandbox without one.
inline constexpr std::string_view k_no_policy = "the sandbox has no policy: everything gets out";

[[nodiscard]] std::string not_enforced(const Override& by);
[[nodiscard]] std::string not_inspected(const EffectivePolicy& policy);
[[nodiscard]] std::string neither(const EffectiveRule& rule);
[[nodiscard]] std::string not_known(const UnmodelledField& field);

// place is the JSON pointer of a field below a pointer, or of an element of a list there.
[[nodiscard]] std::string place(std::string_view pointer, std::string_view field);
[[nodiscard]] std::string place(std::string_view pointer, std::string_view list, std::size_t index);

}  // namespace sandproof::egress_text

// The languages of the scanners as machines, from the rules and not from any code: a small machine
// a rule, and all of them together, minimal.
#pragma once

#include "machine.h"

namespace sandproof::conformance {

[[nodiscard]] Machine session_id_machine();
[[nodiscard]] Machine addressable_id_machine();
[[nodiscard]] Machine env_name_machine();
[[nodiscard]] Machine deadline_machine();

// The shape of a path or a domain: everything but how long the whole and its pieces may be, which
// would make millions of states.
[[nodiscard]] Machine path_shape();
[[nodiscard]] Machine domain_shape();

// domain_labels is the shape with the bound of a label, but without that of the whole.
[[nodiscard]] Machine domain_labels();

}  // namespace sandproof::conformance

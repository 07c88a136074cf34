// The opaque objects that more than one part of the C interface looks into.
#pragma once

#include <string_view>

#include "sandproof/egress.h"
#include "sandproof/sandproof.h"
#include "sandproof/wire.h"

// NOLINTBEGIN(readability-identifier-naming): C names.
struct sandproof_egress {
  sandproof::DeclaredEgress declared;
};

struct sandproof_document {
  sandproof::EffectiveDocument effective;
};
// NOLINTEND(readability-identifier-naming)

namespace sandproof::c {

// k_no_policy is how JSON says that there is no policy.
inline constexpr std::string_view k_no_policy = "null";

}  // namespace sandproof::c

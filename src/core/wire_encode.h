// Writing one match rule, which comparing needs too: to tell distinct rules apart.
#pragma once

#include <string>

#include "sandproof/egress.h"

namespace sandproof {

std::string encode(const PolicyRule& rule);

}  // namespace sandproof

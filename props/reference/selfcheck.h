// What the reference model is checked against by itself, without the library.
#pragma once

#include <string>
#include <vector>

namespace sandproof::reference {

// text_failures and policy_failures run hand-made edge checks and return one line for each that
// failed.
[[nodiscard]] std::vector<std::string> text_failures();
[[nodiscard]] std::vector<std::string> policy_failures();

}  // namespace sandproof::reference

// A comparison for code scanning.
#pragma once

#include <string>

#include "issue.h"

namespace sandproof::cli {

// as_sarif writes one line of pure ASCII: a SARIF 2.1.0 log with one run, a rule for every kind of
// issue, and a result for each issue. What was tolerated is suppressed. `source` is the document
// that the outcome is about, or nullptr.
[[nodiscard]] std::string as_sarif(const Outcome& outcome, const Source* source);

}  // namespace sandproof::cli

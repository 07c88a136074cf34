// A comparison for CI.
#pragma once

#include <string>

#include "issue.h"

namespace sandproof::cli {

// as_junit writes JUnit's XML in printable ASCII: a test case for every kind of issue, so that the
// cases are the same in each run. A case fails with the issues of its kind. It is skipped where
// nothing was judged, and is an error where a document cannot be read. `source` is the document
// that the outcome is about, or nullptr.
[[nodiscard]] std::string as_junit(const Outcome& outcome, const Source* source);

}  // namespace sandproof::cli

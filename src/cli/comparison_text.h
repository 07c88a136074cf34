// What an egress comparison came to, as JSON and for people.
#pragma once

#include <string>
#include <variant>

#include "declaration.h"
#include "issue.h"
#include "json.h"
#include "sandproof/egress_comparison.h"
#include "style.h"

namespace sandproof::cli {

// status_of is the exit status of an outcome alone.
[[nodiscard]] int status_of(const Outcome& outcome) noexcept;

// json_of is an outcome as one object.
[[nodiscard]] Json json_of(const Outcome& outcome);

// as_json writes that as one line of pure ASCII.
[[nodiscard]] std::string as_json(const Outcome& outcome);

// as_text writes the verdict on a line, and for each finding its place in the document, the line
// that stands there with a mark below it, and what to do.
[[nodiscard]] std::string as_text(const Outcome& outcome, const Source* source, const Style& style);

}  // namespace sandproof::cli

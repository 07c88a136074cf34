// What an egress comparison came to, as JSON and for people.
#pragma once

#include <string>
#include <variant>

#include "declaration.h"
#include "sandproof/egress_comparison.h"
#include "style.h"

namespace sandproof::cli {

// Compared is a comparison that could be made.
struct Compared {
  EgressMode declared;
  Comparison comparison;
};

using Outcome = std::variant<Compared, Refused, Problem>;

// status_of is the exit status of an outcome alone.
[[nodiscard]] int status_of(const Outcome& outcome) noexcept;

// as_json writes one line of pure ASCII.
[[nodiscard]] std::string as_json(const Outcome& outcome);

// as_text writes the verdict on a line, and a line for each finding.
[[nodiscard]] std::string as_text(const Outcome& outcome, const Style& style);

}  // namespace sandproof::cli

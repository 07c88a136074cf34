// A refusal together with what it is about.
#pragma once

#include <optional>
#include <string>

#include "json.h"
#include "sandproof/refusal.h"
#include "style.h"

namespace sandproof::cli {

// Refused is a refusal of `input`. One about a variable of a command has the variable's name, and
// no word.
struct Refused {
  Refusal refusal;
  std::string input;
  std::optional<std::string> variable = std::nullopt;
};

// message is one sentence of printable ASCII.
[[nodiscard]] std::string message(const Refused& refused);

[[nodiscard]] Json as_json(const Refused& refused);

// as_text writes one line for people.
[[nodiscard]] std::string as_text(const Refused& refused, const Style& style);

}  // namespace sandproof::cli

// An egress declaration as people and scripts write it.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "refused.h"
#include "sandproof/egress.h"
#include "sandproof/refusal.h"

namespace sandproof::cli {

// Problem is why a document could not be read: at a byte offset of the text or else at a JSON
// pointer (which may hold names from outside), and a sentence of printable ASCII.
struct Problem {
  Unreadable unreadable;
  std::string message;
};

// Declaration is one that was read; Refused where it may not be made.
using Declaration = std::variant<DeclaredEgress, Refused, Problem>;

// read_declaration reads {"mode":"allow"|"deny"|"allowDomains","domains":[...]} and nothing else.
// Domains go with allowDomains; an empty list may stand with any mode. Strict: canonical_json()
// reads it first.
[[nodiscard]] Declaration read_declaration(std::string_view json);

// read_domain_list reads `allow:host,host` after its colon.
[[nodiscard]] Declaration read_domain_list(std::string_view domains);

}  // namespace sandproof::cli

// What is wrong with a comparison, one issue each, with its place in the text: what people, code
// scanning and CI are told.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "declaration.h"
#include "locate.h"
#include "sandproof/egress_comparison.h"

namespace sandproof::cli {

// Compared is a comparison that could be made.
struct Compared {
  EgressMode declared;
  Comparison comparison;
};

using Outcome = std::variant<Compared, Refused, Problem>;

// IssueKind is what the issues of one kind share. The names are stable.
struct IssueKind {
  std::string_view name;
  std::string_view summary;
  std::string_view fix;
};

// The kinds of findings, and two for what kept a comparison from being made.
inline constexpr std::size_t k_issue_kind_count = k_finding_kind_count + 2;
inline constexpr std::size_t k_refused_declaration = k_finding_kind_count;
inline constexpr std::size_t k_unreadable_document = k_finding_kind_count + 1;

extern const std::array<IssueKind, k_issue_kind_count> k_issue_kinds;

// Issue has a place unless no document holds what it is about. Texts are printable ASCII, but for
// the pointer and the witness.
struct Issue {
  std::size_t kind;         // in k_issue_kinds
  std::string_view effect;  // of a finding: widens, within, unknown, or tolerated
  std::string pointer;
  std::string message;
  std::string witness;
  std::optional<Place> place;
};

inline constexpr std::string_view k_tolerated = "tolerated";

// issues_of gives the findings of an outcome, then its notes; or the one issue that kept the
// comparison from being made. `source` is the document that the outcome is about: the effective one
// for a comparison. nullptr where there is none.
[[nodiscard]] std::vector<Issue> issues_of(const Outcome& outcome, const Source* source);

}  // namespace sandproof::cli

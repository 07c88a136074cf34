// What a comparison of egress is made of, as the commands that make one are given it.
#pragma once

#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "declaration.h"
#include "egress_input.h"
#include "issue.h"
#include "locate.h"
#include "sandproof/egress_comparison.h"
#include "tool.h"

namespace sandproof::cli {

inline constexpr std::string_view k_declared = "--declared";
inline constexpr std::string_view k_tolerate = "--tolerate";

using Tolerances = std::vector<Tolerance>;

// read_tolerances reads each --tolerate POINTER=JSON.
[[nodiscard]] std::expected<Tolerances, Complaint> read_tolerances(const Arguments& arguments);

// Declared is a declaration, and the file that it was read from.
struct Declared {
  Declaration declaration;
  std::optional<Source> source;
};

// read_declared reads what --declared says: allow, deny, allow:HOST,HOST or a file.
[[nodiscard]] std::expected<Declared, Complaint> read_declared(std::string_view given);

// judge gives the whole answer. Text that cannot be read comes before a declaration that is
// refused, and both before any comparison, the one with `allow` included.
[[nodiscard]] Outcome judge(const Declaration& declaration, const Effective& effective,
                            const Tolerances& tolerances);

}  // namespace sandproof::cli

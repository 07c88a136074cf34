// What the commands about egress read: documents, and how their answers shall look.
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include "arguments.h"
#include "declaration.h"
#include "locate.h"
#include "sandproof/wire.h"
#include "streams.h"
#include "style.h"
#include "tool.h"

namespace sandproof::cli {

inline constexpr std::string_view k_effective = "--effective";
inline constexpr std::string_view k_color = "--color";
inline constexpr std::string_view k_json = "--json";

using Effective = Decoded<EffectiveDocument>;

// read_source reads a file, or standard input for "-".
[[nodiscard]] std::expected<Source, Complaint> read_source(std::string_view path);

// problem_of is why nothing can be said of a document: it cannot be read, or a record's policy.
[[nodiscard]] std::optional<Problem> problem_of(const Effective& effective);

// read_style reads --color: auto, which looks at the output, always or never.
[[nodiscard]] std::expected<Style, Complaint> read_style(const Arguments& arguments,
                                                         const Output& output);

}  // namespace sandproof::cli

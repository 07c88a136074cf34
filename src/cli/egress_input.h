// What the commands about egress read: documents, and how their answers shall look.
#pragma once

#include <array>
#include <expected>
#include <functional>
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
inline constexpr std::array<std::string_view, 3> k_color_words{"auto", "always", "never"};

using Effective = Decoded<EffectiveDocument>;

// read_source reads a file, or standard input for "-".
[[nodiscard]] std::expected<Source, Complaint> read_source(std::string_view path);

// problem_of is why nothing can be said of a document: it cannot be read, or a record's policy.
[[nodiscard]] std::optional<Problem> problem_of(const Effective& effective);

// Asked is a document about which something is asked, and how the answer shall look.
struct Asked {
  Source source;
  EffectiveDocument document;
  Style style;
  bool json;
};

// k_about_options are those of a command that about_effective() serves.
inline constexpr std::array k_about_options{
    Option{k_effective, true},
    Option{k_json},
    Option{k_color, true, false, k_color_words},
};

// about_effective reads what is asked, and gives what `answer` says of it. A document of which
// nothing can be said is answered here.
[[nodiscard]] Result about_effective(const Arguments& arguments, Output& output,
                                     const std::function<Result(const Asked&)>& answer);

// read_style reads --color: auto, which looks at the output, always or never.
[[nodiscard]] std::expected<Style, Complaint> read_style(const Arguments& arguments,
                                                         const Output& output);

}  // namespace sandproof::cli

// What decides about egress, for people: each cause with its place in the document.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "json.h"
#include "locate.h"
#include "sandproof/egress_host.h"
#include "style.h"

namespace sandproof::cli {

// effect is one word for what a cause does: "lets_out", "stops" or "unknown".
[[nodiscard]] std::string_view effect(const Cause& cause) noexcept;

[[nodiscard]] Json as_json(const Cause& cause);

// as_text writes each cause with the line that it stands in, and a mark below it. Of very many only
// the first ones are written, and how many there are more.
[[nodiscard]] std::string as_text(std::span<const Cause* const> causes, const Source& source,
                                  const Style& style);

}  // namespace sandproof::cli

// What the contract says each verb sends, and how it ends: one slow blocking function a verb, fed
// with the answers that the provider was given. It predicts every request and the whole result.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "trace.h"

namespace sandproof::props {

// difference says where an operation is not what the contract says of these answers; empty where it
// is.
[[nodiscard]] std::string difference(const Call& call, std::span<const Event> events,
                                     const Ending& ending);

// How requests and answers are written in a message: "get asked", "Stopped, policy right".
[[nodiscard]] std::string_view name(Ask ask);
[[nodiscard]] std::string shown(const Asked& asked);
[[nodiscard]] std::string shown(const Ending& ending);

}  // namespace sandproof::props

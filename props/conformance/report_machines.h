// What a call's standard error says, as machines over the whole stream of one call.
#pragma once

#include "machine.h"
#include "reference/report_streams.h"

namespace sandproof::conformance {

// The call that the machines are about, and what its wrapper drew.
inline constexpr std::string_view k_call_id = "0123456789abcdeffedcba9876543210";
[[nodiscard]] const reference::Secrets& secrets();

// announced_machine: some line is this call's announcement, whatever its digests.
[[nodiscard]] Machine announced_machine();

// refused_machine: some line is this call's refusal, and no other text of this call is there.
[[nodiscard]] Machine refused_machine();

// attested_machine is about what follows the announcement: either the final line of a deadline is
// there, or that of an exit, and not both. Fewer than 64 others are.
[[nodiscard]] Machine attested_machine();

// nonce_line_machine: some line is 32 lower-case hex digits. no_nonce_machine: nowhere are 32 hex
// digits of either case in a row.
[[nodiscard]] Machine nonce_line_machine();
[[nodiscard]] Machine no_nonce_machine();

}  // namespace sandproof::conformance

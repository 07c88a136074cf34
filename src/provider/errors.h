// The errors that the verbs end with, each made in one place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandproof/azure_sandbox.h"
#include "sandproof/error.h"
#include "sandproof/operation.h"

namespace sandproof::provider {

// refused says that an argument was refused: `input` is the caller's own text.
[[nodiscard]] Error refused(Verb verb, const Refusal& refusal, std::string_view input);

// refused_command finds the part of a command, or of a list of variables, that a refusal is about.
[[nodiscard]] Error refused_command(Verb verb, const Refusal& refusal,
                                    const CommandRequest& request);
[[nodiscard]] Error refused_environment(Verb verb, const Refusal& refusal,
                                        std::span<const EnvEntry> entries);

[[nodiscard]] Error not_supported(Verb verb, Literal why);

// failed sorts a call that gave no usable body. A refusal was understood and rejected, and nothing
// happened. Anything else left the outcome unknown: a verb that does nothing twice may be repeated,
// create and run_command may not.
[[nodiscard]] Error failed(Verb verb, const CallError& error,
                           const std::optional<OwnedSessionId>& session);

[[nodiscard]] Error command_failed(Verb verb, Failure failure, const OwnedSessionId& session,
                                   Literal why, Evidence evidence = {});
[[nodiscard]] Error outcome_unknown(const OwnedSessionId& session, Literal why,
                                    Evidence evidence = {});
[[nodiscard]] Error unexpected(Verb verb, const std::optional<OwnedSessionId>& session, Literal why,
                               std::string foreign);

[[nodiscard]] bool is_not_found(const CallError& error) noexcept;
[[nodiscard]] bool is_refusal(const CallError& error) noexcept;
[[nodiscard]] bool is_timed_out(const CallError& error) noexcept;

}  // namespace sandproof::provider

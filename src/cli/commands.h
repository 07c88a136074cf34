// The table of the tool's commands.
#pragma once

#include <span>
#include <string_view>

#include "tool.h"

namespace sandproof::cli {

extern const Command k_check_command;
extern const Command k_quote_command;
extern const Command k_wrap_command;
extern const Command k_run_command;
extern const Command k_report_command;
extern const Command k_doctor_command;
extern const Command k_egress_compare_command;
extern const Command k_egress_why_command;
extern const Command k_egress_explain_command;
extern const Command k_egress_watch_command;
extern const Command k_completions_command;

// all_commands is the table, in the order in which people are shown it.
[[nodiscard]] std::span<const Command* const> all_commands() noexcept;

// in_group says whether a command is the tool's ("" is the whole tool) or stands in this group.
[[nodiscard]] bool in_group(const Command& command, std::string_view group) noexcept;

}  // namespace sandproof::cli

#include "commands.h"

#include <array>

namespace sandproof::cli {
namespace {

constexpr std::array k_commands{
    &k_check_command,      &k_quote_command,          &k_wrap_command,
    &k_report_command,     &k_doctor_command,         &k_egress_compare_command,
    &k_egress_why_command, &k_egress_explain_command, &k_egress_watch_command,
    &k_run_command,        &k_completions_command,
};

}  // namespace

std::span<const Command* const> all_commands() noexcept { return k_commands; }

bool in_group(const Command& command, std::string_view group) noexcept {
  return group.empty() || (command.name.starts_with(group) && command.name.size() > group.size() &&
                           command.name[group.size()] == ' ');
}

}  // namespace sandproof::cli

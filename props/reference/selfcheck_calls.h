// What the reference model of commands, quoting and reports is checked against by itself, without
// the library.
#pragma once

#include <string>
#include <vector>

namespace sandproof::reference {

// command_failures and report_failures run hand-made edge checks and random ones; each returns one
// line for each check that failed.
[[nodiscard]] std::vector<std::string> command_failures();
[[nodiscard]] std::vector<std::string> report_failures();

}  // namespace sandproof::reference

// The command-line tool: finds the command, and says what went wrong.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "commands.h"
#include "sandproof/refusal.h"
#include "sandproof/version.h"
#include "streams.h"
#include "tool.h"

namespace sandproof::cli {
namespace {

// Words is what a message calls itself: the tool, and as much of a command as is known.
std::string words(std::string_view command) {
  std::string text(k_tool_name);
  if (!command.empty()) text += ' ';
  text += command;
  return text;
}

void tell(std::string_view command, const Complaint& complaint) {
  std::string line = words(command) + ": " + complaint.message;
  if (complaint.usage) line += "; see '" + words(command) + " --help'";
  line += '\n';
  Output(STDERR_FILENO).write(line);
}

int complain_usage(std::string_view command, std::string message) {
  tell(command, {std::move(message)});
  return k_exit_unreadable;
}

// with_name puts the tool's name in a help text.
std::string with_name(std::string_view text) {
  constexpr std::string_view k_mark = "%t";
  std::string out;
  for (std::size_t at = text.find(k_mark); at != text.npos; at = text.find(k_mark)) {
    out += text.substr(0, at);
    out += k_tool_name;
    text.remove_prefix(at + k_mark.size());
  }
  out += text;
  return out;
}

std::string group_help(std::string_view group) {
  constexpr std::size_t k_name_width = 16;
  std::string commands;
  std::string examples;
  for (const Command* command : all_commands()) {
    if (!in_group(*command, group)) continue;
    commands += "  " + std::string(command->name);
    commands.append(k_name_width - std::min(command->name.size(), k_name_width - 1), ' ');
    commands += std::string(command->summary) + '\n';
    examples += "  %t " + std::string(command->example) + '\n';
  }
  std::string text = "Usage: " + words(group) + " COMMAND [ARG...]\n";
  if (group.empty()) {
    text +=
        "       %t --help | --version\n\n"
        "Decides what may cross the boundary of a sandbox that runs untrusted code.\n";
  }
  return text + "\nCommands:\n" + commands +
         "\nExit status: 0 accepted, holds or ran, 1 refused, does not hold or any other\n"
         "report, 2 wrong usage or input that cannot be read. 'run' ends as its command\n"
         "did, or with 124 at the deadline, and with 125 for failures of its own.\n\nExamples:\n" +
         examples + "\n'%t COMMAND --help' says more about one command.\n";
}

std::string command_names(std::string_view group) {
  std::string names;
  for (const Command* command : all_commands()) {
    if (!in_group(*command, group)) continue;
    names += names.empty() ? "" : ", ";
    names += command->name;
  }
  return names;
}

// find_command gives the command that the first words name, the longest name first, or nullptr.
const Command* find_command(std::span<const std::string_view> given) {
  for (std::size_t count = std::min<std::size_t>(given.size(), 2); count > 0; --count) {
    std::string name(given.front());
    if (count == 2) name += ' ' + std::string(given[1]);
    const auto row = std::ranges::find(all_commands(), name, &Command::name);
    if (row != all_commands().end()) return *row;
  }
  return nullptr;
}

bool asks_for_help(std::string_view word) { return word == "--help" || word == "-h"; }

int run_command(const Command& command, std::span<const std::string_view> given, Output& output) {
  const auto arguments = Arguments::parse(given, command.options, command.takes_command);
  if (!arguments) {
    tell(command.name, arguments.error());
    return k_exit_unreadable;
  }
  if (arguments->help()) {
    output.write(with_name(command.help()));
    return k_exit_accepted;
  }
  const Result result = command.run(*arguments, output);
  if (result) return *result;
  tell(command.name, result.error());
  return result.error().status;
}

int run(std::span<const std::string_view> given, Output& output) {
  if (given.empty()) return complain_usage("", "which command? Give one of " + command_names(""));
  const std::string_view first = given.front();
  if (const Command* command = find_command(given)) {
    const auto spaces = std::ranges::count(command->name, ' ');
    return run_command(*command, given.subspan(static_cast<std::size_t>(spaces) + 1), output);
  }
  if (asks_for_help(first)) {
    output.write(with_name(group_help("")));
    return k_exit_accepted;
  }
  if (first == "--version") {
    output.write(words(SANDPROOF_VERSION) + '\n');
    return k_exit_accepted;
  }
  const std::string names = command_names(first);
  if (first.empty() || names.empty()) {
    return complain_usage(
        "", "unknown command " + escaped(first) + ": give one of " + command_names(""));
  }
  if (given.size() > 1 && asks_for_help(given[1])) {
    output.write(with_name(group_help(first)));
    return k_exit_accepted;
  }
  return complain_usage(first, "which command of this group? Give one of " + names);
}

// failure_status is what the command that was asked for ends with when the tool itself fails.
int failure_status(std::span<const std::string_view> given) {
  const Command* command = find_command(given);
  return command == nullptr ? k_exit_unreadable : command->failure;
}

int run_program(std::span<const std::string_view> given) {
  // A reader that went away is a failed write, with a message and a status, and no silent end.
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));  // fails for other signals only
  Output output(STDOUT_FILENO);
  const int status = run(given, output);
  output.finish();
  if (output.error() == 0) return status;
  tell("", {"cannot write standard output: " + reason_text(output.error()), false});
  return failure_status(given);
}

}  // namespace
}  // namespace sandproof::cli

int main(int count, char** words) {
  using namespace sandproof::cli;
  int failure = k_exit_unreadable;
  try {
    const std::vector<std::string_view> given(words + std::min(count, 1), words + count);
    // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): what is thrown ends with it.
    failure = failure_status(given);
    return run_program(given);
  } catch (const std::bad_alloc&) {
    tell("", {"out of memory: give it less", false});
  } catch (const std::exception& error) {
    tell("", {"internal error: report it as a defect: " + sandproof::escaped(error.what()), false});
  }
  return failure;
}

// What every part of the tool shares: its name, its exit statuses, the shape of a command.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sandproof::cli {

class Arguments;
class Output;
struct Option;

inline constexpr std::string_view k_tool_name = "sandproof";

// Exit statuses. A run that gave several answers ends with the highest of theirs.
inline constexpr int k_exit_accepted = 0;    // accepted, holds, ran
inline constexpr int k_exit_refused = 1;     // refused, does not hold, any other report
inline constexpr int k_exit_unreadable = 2;  // usage, unreadable input, failed input or output

// Exit statuses of `run`, which otherwise are the command's own.
inline constexpr int k_exit_deadline = 124;
inline constexpr int k_exit_not_run = 125;

// Complaint is why a command could not do what it was asked: one line for standard error, printable
// ASCII. A usage complaint also says where the help is.
struct Complaint {
  std::string message;
  bool usage = true;
  int status = k_exit_unreadable;
};

// complain is that as an answer.
[[nodiscard]] inline std::unexpected<Complaint> complain(std::string message, bool usage = true) {
  return std::unexpected(Complaint{std::move(message), usage});
}

using Result = std::expected<int, Complaint>;

// Command is one row of the tool's table. The name is one word, or a group and a word.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  // its arguments, after the tool's name
  std::span<const Option> options;
  std::string (*help)();  // "%t" stands for the tool's name
  Result (*run)(const Arguments& arguments, Output& output);
  bool takes_command = false;  // its words are a command line: the first one ends the options
  int failure =
      k_exit_unreadable;  // the status of failed output, and of an error of the tool's own
  std::span<const std::string_view> words = {};  // the only ones that may come first; empty: many
};

}  // namespace sandproof::cli

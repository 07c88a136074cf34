// Commands as people and scripts write them.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json.h"
#include "refused.h"
#include "sandproof/command.h"
#include "tool.h"

namespace sandproof::cli {

// views borrows each of the words.
[[nodiscard]] std::vector<std::string_view> views(std::span<const std::string> words);

// CommandInput is a command as it came in: bytes that nobody has judged.
struct CommandInput {
  Strings argv;
  Pairs variables;
  std::optional<std::string> working_directory;
};

// read_argv reads "argv" or "argv_hex", one of which has to be there.
[[nodiscard]] std::expected<Strings, Malformed> read_argv(const Members& members);

// read_command reads "argv" or "argv_hex", "env" and "cwd".
[[nodiscard]] std::expected<CommandInput, Malformed> read_command(const Members& members);

// read_variables reads NAME=VALUE, as --env has it.
[[nodiscard]] std::expected<Pairs, Complaint> read_variables(
    std::span<const std::string_view> texts);

// Judgement is what sandproof::Command says of an input. It borrows the input, and the command
// borrows both.
class Judgement {
 public:
  explicit Judgement(const CommandInput& input);
  Judgement(const Judgement&) = delete;
  Judgement& operator=(const Judgement&) = delete;

  [[nodiscard]] const Checked<sandproof::Command>& command() const noexcept { return command_; }

  // request is what was judged.
  [[nodiscard]] CommandRequest request() const noexcept {
    return {words_, variables_, input_.working_directory};
  }

  // refused is the refusal with the word, name, value or directory that it is about.
  [[nodiscard]] Refused refused() const;

 private:
  const CommandInput& input_;
  std::vector<std::string_view> words_;
  std::vector<EnvEntry> variables_;
  Checked<sandproof::Command> command_;
};

// check_commands is `check command --batch`.
[[nodiscard]] Result check_commands(Output& output);

}  // namespace sandproof::cli

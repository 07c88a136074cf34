// A command as a caller of the C interface gives it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sandproof/command.h"
#include "translate.h"

namespace sandproof::c {

// CommandInput is a command with the library's own lists. What is made of it borrows from it.
class CommandInput {
 public:
  explicit CommandInput(const sandproof_command& command)
      : words_(views({command.words, command.word_count})),
        variables_(entries({command.variables, command.variable_count})) {
    if (command.working_directory != nullptr) directory_ = view(*command.working_directory);
  }

  [[nodiscard]] CommandRequest request() const noexcept { return {words_, variables_, directory_}; }
  [[nodiscard]] Checked<Command> parse() const { return Command::parse(request()); }

 private:
  std::vector<std::string_view> words_;
  std::vector<EnvEntry> variables_;
  std::optional<std::string_view> directory_;
};

}  // namespace sandproof::c

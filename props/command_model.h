// One command for both sides: the request that the library reads, and its answer in the words of
// the reference model. For properties and fuzzers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/command.h"
#include "sandproof/command.h"

namespace sandproof::props {

// CommandText is a command as the reference model takes it.
struct CommandText {
  std::vector<std::string> argv;
  reference::Variables variables;
  std::optional<std::string> working_directory;
};

// CommandViews are the views by which the library takes a text; the text must outlive them.
class CommandViews {
 public:
  explicit CommandViews(const CommandText& text)
      : argv_(text.argv.begin(), text.argv.end()), working_directory_(text.working_directory) {
    for (const auto& [name, value] : text.variables) variables_.push_back({name, value});
  }

  [[nodiscard]] const std::vector<std::string_view>& argv() const noexcept { return argv_; }
  [[nodiscard]] const std::vector<EnvEntry>& variables() const noexcept { return variables_; }
  [[nodiscard]] CommandRequest request() const noexcept {
    return {argv_, variables_, working_directory_};
  }

 private:
  std::vector<std::string_view> argv_;
  std::vector<EnvEntry> variables_;
  std::optional<std::string_view> working_directory_;
};

inline reference::CommandAnswer ask_reference(const CommandText& text) {
  return reference::command(text.argv, text.variables, text.working_directory);
}

inline std::string_view reference_name(Subject subject) {
  switch (subject) {
    case Subject::word:
      return "word";
    case Subject::env_name:
      return "variable_name";
    case Subject::env_value:
      return "variable_value";
    case Subject::working_directory:
      return "working_directory";
    case Subject::command:
      return "command";
    default:
      return "a subject that no command has";
  }
}

inline reference::CommandAnswer command_answer(const Refusal& refusal) {
  const auto place = [](std::size_t at) {
    return at == k_no_place ? std::nullopt : std::optional(at);
  };
  reference::CommandAnswer answer;
  answer.reason = code(refusal.reason);
  answer.offset = place(refusal.offset);
  answer.word = place(refusal.word);
  answer.subject = reference_name(refusal.subject);
  return answer;
}

template <class T>
reference::CommandAnswer command_answer(const Checked<T>& checked) {
  if (!checked) return command_answer(checked.error());
  reference::CommandAnswer answer;
  answer.accepted = true;
  return answer;
}

// shown is an answer for a failure's message: `reason subject word@offset`, with `-` for none.
inline std::string shown(const reference::CommandAnswer& answer) {
  const auto number = [](const std::optional<std::size_t>& place) {
    return place ? std::to_string(*place) : "-";
  };
  if (answer.accepted) return "accepted";
  return answer.reason + ' ' + answer.subject + ' ' + number(answer.word) + '@' +
         number(answer.offset);
}

// refused_text is the part of a command that a refusal is about, for explain().
inline std::string_view refused_text(const CommandText& text, const Refusal& refusal) {
  switch (refusal.subject) {
    case Subject::word:
      return text.argv.at(refusal.word);
    case Subject::env_name:
      return text.variables.at(refusal.word).first;
    case Subject::env_value:
      return text.variables.at(refusal.word).second;
    case Subject::working_directory:
      return text.working_directory.value();
    default:
      return {};
  }
}

}  // namespace sandproof::props

#include "command.h"

#include <algorithm>

#include "scanners.h"
#include "utf8.h"

namespace sandproof::reference {
namespace {

using Place = std::optional<std::size_t>;

constexpr Place k_nowhere = std::nullopt;

CommandAnswer refuse(std::string_view reason, std::string_view subject, Place word, Place offset) {
  CommandAnswer answer;
  answer.reason = reason;
  answer.subject = subject;
  answer.word = word;
  answer.offset = offset;
  return answer;
}

CommandAnswer accept_command() {
  CommandAnswer answer;
  answer.accepted = true;
  return answer;
}

Place first_nul(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') return i;
  }
  return std::nullopt;
}

// check_bytes holds every word, then the working directory, to one rule on bytes.
CommandAnswer check_bytes(std::string_view reason, Place (*first_wrong)(std::string_view),
                          const std::vector<std::string>& argv,
                          const std::optional<std::string>& working_directory) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (const Place at = first_wrong(argv[i])) return refuse(reason, "word", i, at);
  }
  if (working_directory.has_value()) {
    if (const Place at = first_wrong(*working_directory))
      return refuse(reason, "working_directory", k_nowhere, at);
  }
  return accept_command();
}

CommandAnswer check_variables(const Variables& variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Answer named = env_name(variables[i].first);
    if (!named.accepted) return refuse(named.reason, "variable_name", i, named.offset);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Answer valued = env_value(variables[i].first, variables[i].second);
    if (!valued.accepted) return refuse(valued.reason, "variable_value", i, valued.offset);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (variables[earlier].first == variables[i].first)
        return refuse("duplicate_name", "variable_name", i, k_nowhere);
    }
  }
  return accept_command();
}

}  // namespace

CommandAnswer command(const std::vector<std::string>& argv, const Variables& variables,
                      const std::optional<std::string>& working_directory) {
  if (argv.empty() || argv[0].empty()) return refuse("no_program", "command", k_nowhere, k_nowhere);

  if (CommandAnswer bytes = check_bytes("nul", first_nul, argv, working_directory); !bytes.accepted)
    return bytes;
  if (CommandAnswer bytes = check_bytes("invalid_utf8", first_ill_formed, argv, working_directory);
      !bytes.accepted)
    return bytes;

  if (CommandAnswer checked = check_variables(variables); !checked.accepted) return checked;

  const std::size_t equals = argv[0].find('=');
  if (!variables.empty() && equals != std::string::npos)
    return refuse("assignment_program", "word", 0, equals);

  if (working_directory.has_value() && working_directory->empty())
    return refuse("empty_cwd", "working_directory", k_nowhere, k_nowhere);

  if (bounded_suffix(argv, variables).size() > k_max_words_size)
    return refuse("too_long", "command", k_nowhere, k_nowhere);
  if (working_directory.has_value() && working_directory->size() > k_max_working_directory_size)
    return refuse("too_long", "working_directory", k_nowhere, k_nowhere);

  return accept_command();
}

CommandAnswer quotable(const std::vector<std::string>& words) {
  return check_bytes("nul", first_nul, words, std::nullopt);
}

std::string quoted(std::string_view word) {
  std::string text;
  text.reserve(word.size() + 2);
  text += "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

std::string quoted_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ' ';
    text += quoted(words[i]);
  }
  return text;
}

std::string bounded_suffix(const std::vector<std::string>& argv, const Variables& variables) {
  Variables sorted = variables;
  std::sort(sorted.begin(), sorted.end());  // std::string compares unsigned bytes.

  std::vector<std::string> words;
  if (!sorted.empty()) words.push_back("env");
  for (const auto& [name, value] : sorted) words.push_back(name + "=" + value);
  words.insert(words.end(), argv.begin(), argv.end());

  std::string text;
  for (const std::string& word : words) {
    text += " ";
    text += quoted(word);
  }
  return text;
}

}  // namespace sandproof::reference

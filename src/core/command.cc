#include "sandproof/command.h"

#include <algorithm>
#include <string_view>

#include "bytes.h"
#include "sandproof/shell.h"

namespace sandproof {
namespace {

// refused_text looks in the words, then in the working directory, for a place that `find` gives.
template <class Find>
std::optional<Refusal> refused_text(const CommandRequest& request, Reason reason, Find find) {
  for (std::size_t i = 0; i < request.argv.size(); ++i) {
    const std::size_t at = find(request.argv[i]);
    if (at != k_no_place) return Refusal{Subject::word, reason, at, i};
  }
  if (request.working_directory) {
    const std::size_t at = find(*request.working_directory);
    if (at != k_no_place) return Refusal{Subject::working_directory, reason, at};
  }
  return std::nullopt;
}

// refused_repeat gives the first variable whose name stood before; there is one.
Refusal refused_repeat(std::span<const EnvEntry> variables) {
  std::vector<std::pair<std::string_view, std::size_t>> names;
  names.reserve(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) names.emplace_back(variables[i].name, i);
  std::ranges::sort(names);
  std::size_t repeated = k_no_place;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i].first == names[i - 1].first) repeated = std::min(repeated, names[i].second);
  }
  return Refusal{Subject::env_name, Reason::duplicate_name, k_no_place, repeated};
}

// quoted_words_size counts what shell.cc writes: one word, and one more for each variable and
// `env`.
std::size_t quoted_words_size(std::span<const std::string_view> words,
                              std::span<const EnvVariable> variables) noexcept {
  std::size_t size = 0;
  if (!variables.empty()) size += 1 + quoted_size(k_env_program);
  for (const EnvVariable& variable : variables) {
    // NAME=VALUE is one word: the name has no quote in it.
    size += 1 + variable.name().view().size() + 1 + quoted_size(variable.value());
  }
  for (const std::string_view word : words) size += 1 + quoted_size(word);
  return size;
}

}  // namespace

Checked<Command> Command::parse(const CommandRequest& request) {
  Checked<Command> command{Command()};  // filled where it is returned: moving one copies it
  if (const auto refused = command->read(request)) command = std::unexpected(*refused);
  return command;
}

std::optional<Refusal> Command::read(const CommandRequest& request) {
  const auto& argv = request.argv;
  if (argv.empty() || argv.front().empty()) return Refusal{Subject::command, Reason::no_program};

  const auto nul =
      refused_text(request, Reason::nul, [](std::string_view text) { return text.find('\0'); });
  if (nul) return nul;
  const auto utf8 = refused_text(request, Reason::invalid_utf8, bytes::find_ill_formed_utf8);
  if (utf8) return utf8;

  for (std::size_t i = 0; i < request.variables.size(); ++i) {
    if (auto name = EnvName::parse(request.variables[i].name); !name) {
      name.error().word = i;
      return name.error();
    }
  }
  variables_.reserve(request.variables.size());
  for (std::size_t i = 0; i < request.variables.size(); ++i) {
    auto variable = EnvVariable::parse(request.variables[i].name, request.variables[i].value);
    if (!variable) {
      variable.error().word = i;
      return variable.error();
    }
    variables_.push_back(*variable);
  }
  std::ranges::sort(variables_, {}, [](const EnvVariable& v) { return v.name().view(); });
  const auto same = [](const EnvVariable& a, const EnvVariable& b) { return a.name() == b.name(); };
  if (std::ranges::adjacent_find(variables_, same) != variables_.end()) {
    return refused_repeat(request.variables);
  }

  if (!request.variables.empty()) {
    const std::size_t assignment = argv.front().find('=');
    if (assignment != k_no_place) {
      return Refusal{Subject::word, Reason::assignment_program, assignment, 0};
    }
  }
  if (request.working_directory && request.working_directory->empty()) {
    return Refusal{Subject::working_directory, Reason::empty_cwd};
  }

  words_ = argv;
  working_directory_ = request.working_directory;
  words_size_ = quoted_words_size(argv, variables_);
  if (words_size_ > k_max_words_size) return Refusal{Subject::command, Reason::too_long};
  if (request.working_directory &&
      request.working_directory->size() > k_max_working_directory_size) {
    return Refusal{Subject::working_directory, Reason::too_long};
  }
  return std::nullopt;
}

}  // namespace sandproof

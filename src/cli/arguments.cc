#include "arguments.h"

#include <algorithm>
#include <string>

#include "sandproof/refusal.h"

namespace sandproof::cli {
std::expected<Arguments, Complaint> Arguments::parse(std::span<const std::string_view> words,
                                                     std::span<const Option> known,
                                                     bool before_command) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool is_word = !word.starts_with('-') || word == "-";
    if (word == "--" || (is_word && before_command)) {
      const auto rest = words.subspan(is_word ? i : i + 1);
      arguments.words_.insert(arguments.words_.end(), rest.begin(), rest.end());
      break;
    }
    if (is_word) {
      arguments.words_.push_back(word);
      continue;
    }
    if (word == "--help" || word == "-h") {
      arguments.help_ = true;
      break;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto option = std::ranges::find(known, name, &Option::name);
    if (option == known.end()) {
      return complain("unknown option " + escaped(name) +
                      ": write -- before a value that begins with a dash");
    }
    const std::string shown(option->name);
    std::string_view value;
    if (equals != word.npos) {
      if (!option->takes_value) return complain(shown + " takes no value: write it alone");
      value = word.substr(equals + 1);
    } else if (option->takes_value) {
      if (i + 1 == words.size()) return complain(shown + " needs a value: write it after it");
      value = words[++i];
    }
    if (option->takes_value && !option->repeats && arguments.has(option->name)) {
      return complain(shown + " is given twice: give it once");
    }
    arguments.options_.emplace_back(option->name, value);
  }
  return arguments;
}

bool Arguments::has(std::string_view name) const noexcept { return value(name).has_value(); }

std::optional<std::string_view> Arguments::value(std::string_view name) const noexcept {
  for (const auto& [option, value] : options_) {
    if (option == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Arguments::values(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [option, value] : options_) {
    if (option == name) values.push_back(value);
  }
  return values;
}

}  // namespace sandproof::cli

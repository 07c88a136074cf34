// What the properties of commands and of shell texts share: generators of commands.
#pragma once

#include <string>
#include <vector>

#include "command_model.h"
#include "support.h"

namespace sandproof::reference {

inline void PrintTo(const CommandAnswer& answer, std::ostream* out) {
  *out << props::shown(answer);
}

}  // namespace sandproof::reference

namespace sandproof::props {

// valid_word generates words without NUL that are UTF-8.
inline rc::Gen<std::string> valid_word() {
  return rc::gen::oneOf(from_alphabet("'\\\"$`\n \t#~=*?[]{}!|&;<>()-a1\r", 0, 12),
                        rc::gen::elementOf(std::vector<std::string>{
                            "sh",    "-c",   "--",     "'",      "''",        "'; id #",
                            "$(id)", "`id`", "${IFS}", "a=b",    "\xc3\xa9'", "\xf0\x9f\xa6\x80",
                            "\n",    "\\",   "\\'",    "\"$@\"", "exit 0",    "env",
                            "-i",    "%s"}));
}

inline rc::Gen<std::string> valid_program() {
  return rc::gen::oneOf(rc::gen::elementOf(std::vector<std::string>{"true", "/bin/echo", "-v", "'",
                                                                    "a b", "\xc3\xa9", "sh"}),
                        from_alphabet("'\\\"$ a-\n", 1, 6));
}

// valid_command generates commands that are accepted.
inline rc::Gen<CommandText> valid_command() {
  return rc::gen::exec([] {
    CommandText text;
    text.argv = {*valid_program()};
    for (int left = *rc::gen::inRange(0, 5); left > 0; --left) text.argv.push_back(*valid_word());
    const std::vector<std::string> names{"b", "_", "A", "A1", "A_1", "PATH", "IFS", "LD_PRELOAD"};
    for (const std::string& name : *rc::gen::unique<std::vector<std::string>>(
             *rc::gen::inRange<std::size_t>(0, 5), rc::gen::elementOf(names))) {
      text.variables.emplace_back(name, *valid_word());
    }
    if (*rc::gen::arbitrary<bool>()) {
      text.working_directory =
          *rc::gen::elementOf(std::vector<std::string>{"/", "/work", "a b", "'", "\xc3\xa9", "."});
    }
    return text;
  });
}

// near_valid_command does one thing to a valid command that is mostly a mistake.
inline rc::Gen<CommandText> near_valid_command() {
  return rc::gen::exec([] {
    using namespace std::string_literals;
    CommandText text = *valid_command();
    const std::string bad = *rc::gen::elementOf(
        std::vector<std::string>{"\0"s, "\xff", "\xc3", "\xed\xa0\x80", "=", "'", "a\0"s, "\xf4"});
    const std::size_t word = *rc::gen::inRange<std::size_t>(0, text.argv.size());
    const auto insert = [&bad](std::string& into) {
      into.insert(*rc::gen::inRange<std::size_t>(0, into.size() + 1), bad);
    };
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        text.argv[word].clear();
        break;
      case 1:
        insert(text.argv[word]);
        break;
      case 2:
        insert(text.argv.front());
        break;
      case 3:
        if (text.working_directory) insert(*text.working_directory);
        break;
      case 4:
        text.working_directory =
            std::string(*rc::gen::elementOf(std::vector<std::size_t>{0, 4'095, 4'096}), 'd');
        break;
      case 5:
        text.variables.emplace_back(
            *rc::gen::elementOf(std::vector<std::string>{"A", "b", "", "1", "A-", "a=b", "\0"s}),
            *valid_word());
        break;
      case 6:
        if (!text.variables.empty()) insert(text.variables.back().second);
        break;
      default:
        text.argv.clear();
        break;
    }
    return text;
  });
}

// any_command generates commands of any bytes.
inline rc::Gen<CommandText> any_command() {
  return rc::gen::exec([] {
    CommandText text;
    text.argv = *rc::gen::container<std::vector<std::string>>(any_bytes());
    text.variables = *rc::gen::container<reference::Variables>(
        rc::gen::pair(rc::gen::oneOf(any_bytes(), from_alphabet("AB_1", 1, 2)), any_bytes()));
    if (*rc::gen::arbitrary<bool>()) text.working_directory = *any_bytes();
    return text;
  });
}

}  // namespace sandproof::props

// The reference model of one command: what may be run, and the words that a shell is given for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sandproof::reference {

// A command must leave room for these in one argument of a Linux program.
inline constexpr std::size_t k_max_words_size = 122'879;
inline constexpr std::size_t k_max_working_directory_size = 4'095;

using Variables = std::vector<std::pair<std::string, std::string>>;

// CommandAnswer is what the check says. All but `accepted` is empty when accepted. `subject` says
// what was refused: "word", "variable_name", "variable_value", "working_directory" or "command".
// `word` is an index into the words, or into the variables as they were given when the subject is
// one of theirs.
struct CommandAnswer {
  bool accepted = false;
  std::string reason;
  std::optional<std::size_t> offset;  // Bytes from the start of the subject.
  std::optional<std::size_t> word;
  std::string subject;

  bool operator==(const CommandAnswer&) const = default;
};

// command applies the rules one at a time, each to the whole input before the next one. Quadratic
// in the number of variables.
[[nodiscard]] CommandAnswer command(const std::vector<std::string>& argv,
                                    const Variables& variables,
                                    const std::optional<std::string>& working_directory);

// quotable refuses the first NUL, with its word and offset: the only thing that quoting refuses.
[[nodiscard]] CommandAnswer quotable(const std::vector<std::string>& words);

// quoted is one word as a POSIX shell reads it back: "it's" is 'it'\''s'. The word holds no NUL.
[[nodiscard]] std::string quoted(std::string_view word);

// quoted_words is each word quoted, one space between two; no words are an empty text.
[[nodiscard]] std::string quoted_words(const std::vector<std::string>& words);

// bounded_suffix is what follows `sh -c '...' sh` in the bounded shell text: for each word a space
// and the word quoted; with variables, `env` and one NAME=VALUE each go before the program. The
// variables stand in the order of the bytes of their names, whatever order they are given in.
[[nodiscard]] std::string bounded_suffix(const std::vector<std::string>& argv,
                                         const Variables& variables);

}  // namespace sandproof::reference

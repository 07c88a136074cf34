// Commands: a program with its arguments, variables of its own, and a working directory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sandproof/environment.h"
#include "sandproof/refusal.h"

namespace sandproof {

// Limits in bytes. Linux takes 131,071 bytes in one argument, and the whole shell text is one: the
// command's words, each quoted and with its leading space, `env` and its N=V words included, get
// the one part, the wrapper in front of them the other.
inline constexpr std::size_t k_max_words_size = 122'879;
inline constexpr std::size_t k_max_wrapper_size = 8'192;
static_assert(k_max_words_size + k_max_wrapper_size == k_max_env_entry_size);

// k_max_working_directory_size is Linux PATH_MAX less the final NUL.
inline constexpr std::size_t k_max_working_directory_size = 4'095;

// CommandRequest is an unchecked command, as a caller gives it.
struct CommandRequest {
  std::span<const std::string_view> argv;
  std::span<const EnvEntry> variables;
  std::optional<std::string_view> working_directory;
};

// Command is a command that a shell text can be built of: it borrows the request's words and bytes,
// and holds its variables sorted by the bytes of their names.
//
// parse refuses, in this order: `no_program` (argv empty, or its first word: a command without a
// program would print the sandbox's own variables and exit 0); `nul`, then `invalid_utf8`, in the
// words and the working directory; what EnvName, then EnvVariable refuse of the variables, then
// `duplicate_name`; `assignment_program` (with variables declared, a first word with `=`: env would
// take it for a variable and run the next word); `empty_cwd`; `too_long`. Refusal::word is the
// index of the word, or of the variable where the subject is one. O(n log n) in the number of
// variables, O(n) in bytes; allocates only for the variables.
class Command {
 public:
  [[nodiscard]] static Checked<Command> parse(const CommandRequest& request);
  // Moving copies: what was moved from would hold the words without their variables.
  Command(const Command&) = default;
  Command& operator=(const Command&) = default;

  [[nodiscard]] std::span<const std::string_view> words() const noexcept { return words_; }
  [[nodiscard]] std::span<const EnvVariable> variables() const noexcept { return variables_; }
  [[nodiscard]] std::optional<std::string_view> working_directory() const noexcept {
    return working_directory_;
  }

  // words_size is how many bytes of a shell text the words take: each quoted, behind a space, `env`
  // and the variables' words included. At most k_max_words_size.
  [[nodiscard]] std::size_t words_size() const noexcept { return words_size_; }

 private:
  Command() = default;
  std::optional<Refusal> read(const CommandRequest& request);

  std::span<const std::string_view> words_;
  std::vector<EnvVariable> variables_;
  std::optional<std::string_view> working_directory_;
  std::size_t words_size_ = 0;
};

}  // namespace sandproof

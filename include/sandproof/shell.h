// Shell text: quoting words, and the one text that holds a command to its deadline.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sandproof/call_id.h"
#include "sandproof/command.h"
#include "sandproof/deadline.h"
#include "sandproof/refusal.h"

namespace sandproof {

// k_env_program is the program that sets a command's own variables (POSIX XCU env).
inline constexpr std::string_view k_env_program = "env";

// quoted_size is the exact number of bytes that quote_into writes: two quotes around the word, and
// four bytes for each quote in it. O(n), allocates nothing.
[[nodiscard]] std::size_t quoted_size(std::string_view word) noexcept;

// quote_into writes one quoted word: `'`, the bytes with each `'` written `'\''`, `'`. Always, for
// every word. A POSIX shell that takes bytes as they are, or whose locale decodes them, reads the
// result back as exactly that one word (POSIX XCU 2.2.2). `out` must hold quoted_size(word) bytes;
// the result is the end of what was written. `word` must hold no NUL (Command and quote() see to
// that). O(n), allocates nothing.
char* quote_into(char* out, std::string_view word) noexcept;

// quote joins the quoted words by one space. Refuses `nul` at its word and byte. One allocation.
//   quote({"echo", "it's"}) == "'echo' 'it'\\''s'"
[[nodiscard]] Checked<std::string> quote(std::span<const std::string_view> words);

// ShellText is the one string to send to a sandbox's exec call: only bounded_shell makes one.
class ShellText {
 public:
  // Moving copies: what was moved from would hold no wrapper.
  ShellText(const ShellText&) = default;
  ShellText& operator=(const ShellText&) = default;
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

 private:
  friend ShellText bounded_shell(const Command&, Deadline, const ReportScheme&);
  explicit ShellText(std::string text) noexcept : text_(std::move(text)) {}

  std::string text_;
};

// bounded_shell builds `sh -c '<wrapper>' sh <quoted words>`: the wrapper runs the words in a
// session of their own, with standard input from /dev/null and SIGINT and SIGQUIT ignored (POSIX
// XCU 2.11), ends their process group with SIGKILL at the deadline, and reports on standard error
// (deadline_report.h reads it). A descendant that made a process group of its own, as timeout(1)
// does, is not in that group and lives on. The words reach the
// wrapper as "$@", so nothing parses them again; variables travel as `env N=V` words in front of
// the program, so they reach only the command. The wrapper's source is src/core/bounded.sh.
// The text is at most 131,071 bytes. One allocation, of exactly its size.
[[nodiscard]] ShellText bounded_shell(const Command& command, Deadline deadline,
                                      const ReportScheme& scheme);

}  // namespace sandproof

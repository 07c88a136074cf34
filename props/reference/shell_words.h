// How a POSIX shell reads a text of plain words: quoting as in XCU 2.2, token recognition as in XCU
// 2.3. No expansion is carried out; a text that asks for one is not plain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sandproof::reference {

// ShellWords is one simple command's words, quotes removed. A text is plain when a POSIX shell
// takes it for these words and nothing else. When it is not, `why` says what the shell would do
// there, and `words` are those that were complete before.
struct ShellWords {
  bool plain = false;
  std::vector<std::string> words;
  std::string why;

  bool operator==(const ShellWords&) const = default;
};

// shell_words takes bytes as they are, as a shell in the C locale does. Not plain: operators,
// expansions, patterns (`*` `?` `[`), a comment, a tilde at the start of a word, an assignment (an
// unquoted `=` in the first word), a second command after a newline, an unterminated quote, a
// backslash at the end, and NUL. Reserved words and aliases are not looked for.
[[nodiscard]] ShellWords shell_words(std::string_view text);

}  // namespace sandproof::reference

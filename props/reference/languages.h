// The accepted languages, stated a second time as regular expressions: one table that a reviewer
// can read. What an expression cannot say, or says badly, stands beside it as a number or as an
// exclusion.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sandproof::reference {

// Language is one row. Expressions are RE2 syntax over bytes (Latin-1 mode), matched against the
// whole input.
struct Language {
  std::string_view name;
  std::string_view expression;
  std::size_t min_size = 0;  // Bytes of the whole input, inclusive.
  std::size_t max_size = 0;
  char separator = '\0';  // Pieces are what stands between separators; '\0': there is one piece.
  std::size_t max_piece_size = 0;  // Bytes of each piece, inclusive.
  std::string_view
      exclusion;  // A member must not match this one as a whole; empty: nothing is excluded.
  std::size_t min_milliseconds = 0;  // For durations only; max 0: not a duration.
  std::size_t max_milliseconds = 0;
};

// k_unbounded as a size means that there is no upper limit.
inline constexpr std::size_t k_unbounded = static_cast<std::size_t>(-1);

// languages is the whole table: session-id, addressable-id, call-id, path, env-name, domain,
// deadline.
[[nodiscard]] const std::vector<Language>& languages();

// language finds a row by its name and throws std::out_of_range for a name that has none.
[[nodiscard]] const Language& language(std::string_view name);

// in_language applies every column of the row. Not for several threads at once: compiled
// expressions are kept. It throws std::logic_error for an expression that RE2 does not take.
[[nodiscard]] bool in_language(const Language& row, std::string_view text);

}  // namespace sandproof::reference

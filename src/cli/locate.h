// Where the values of a JSON text stand in it: bytes, lines and columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sandproof::cli {

// Position counts lines and columns from 1. Lines end with a newline; a column is a code point.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
  friend bool operator==(const Position&, const Position&) = default;
};

// Place is the range of bytes [begin, end). One that is not exact stands where a value is missing:
// it is the innermost value around it.
struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
  Position first;
  Position last;  // of the byte behind it
  bool exact = false;
};

// Source is a document as it was given. A name is a path, or "-" for standard input.
struct Source {
  std::string name;
  std::string text;
};

// locate finds the values that RFC 6901 pointers name, in the order of the pointers. Of a key that
// stands twice the last one counts. Any text is taken: where it stops to be JSON the search ends
// with what was found by then. One pass whatever the number of pointers; O(n log n) at worst.
[[nodiscard]] std::vector<Place> locate(std::string_view text,
                                        std::span<const std::string_view> pointers);

// place_at is the byte at an offset, or the end of the text.
[[nodiscard]] Place place_at(std::string_view text, std::size_t offset) noexcept;

}  // namespace sandproof::cli
